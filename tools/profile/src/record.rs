//! A profile as stored in a file: the numbers of every substep.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tuff_cli::exit::{NOT_WRITTEN, Stop};

use crate::statistics::median;

/// Format of the file.
pub const FORMAT: u64 = 1;

/// A profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub tuff_profile: u64,
    /// Version of the engine.
    pub tuff: String,
    /// What was simulated.
    pub scene: Scene,
    /// Device that it was measured on.
    pub device: Device,
    /// Device memory in use [bytes].
    pub memory_bytes: u64,
    /// Stages of a substep, in order.
    pub stages: Vec<Stage>,
    /// Substeps in which the stages were timed.
    pub substeps: Vec<Substep>,
    /// Substeps without timestamps.
    pub plain: Plain,
    /// Residuals at the end of substeps. These are not the substeps in which the stages were timed, unless the scene has a tolerance.
    pub residuals: Vec<Residual>,
    /// Device time that the residuals add to a substep, relative to a substep without; 0 if the scene has a tolerance, because they are
    /// then part of every substep.
    pub residual_cost: f64,
    /// Cost of every material that has particles.
    pub materials: Vec<Material>,
    /// Distribution of the particles at the end.
    pub spread: Spread,
}

/// What was simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Name of the scene.
    pub name: String,
    /// Frame that the profile began at.
    pub frame: u32,
    /// Number of particles.
    pub particles: u64,
    /// Length of a substep [s].
    pub substep_seconds: f64,
    /// Kernel radius [m].
    pub kernel_radius: f64,
    /// Maximum number of iterations in a substep.
    pub iterations: u32,
    /// Force residual at which the iteration ends; 0: none.
    pub residual_tolerance: f64,
    /// Scheme, multiplier, plasticity and other solver settings.
    pub solver: String,
    /// Materials with their models.
    pub materials: Vec<String>,
}

/// Device that a scene was simulated on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Name.
    pub name: String,
    /// Driver and its version.
    pub driver: String,
    /// Kind of device.
    pub kind: String,
}

/// A stage within one part of the substep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name of the stage.
    pub name: String,
    /// Row of Fig. 17 of the paper.
    pub part: String,
    /// Median number of dispatches in a substep.
    pub dispatches: f64,
    /// Median number of invocations in a substep that had work.
    pub threads: f64,
    /// Median declared traffic of a substep [bytes].
    pub bytes: f64,
    /// Device time in each substep [s].
    pub seconds: Vec<f64>,
}

impl Stage {
    /// Returns the declared traffic per time [bytes/s].
    pub fn bandwidth(&self) -> f64 {
        let seconds = median(&self.seconds);
        if seconds > 0.0 { self.bytes / seconds } else { 0.0 }
    }
}

/// A substep with timestamps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Substep {
    /// Wall time [s].
    pub wall_seconds: f64,
    /// Device time from the start of the first stage to the end of the last [s].
    pub device_seconds: f64,
    /// Number of iterations done.
    pub iterations: u32,
    /// Neighbor pairs, each counted from both sides.
    pub pairs: u64,
    /// Number of submissions: 1 unless the substep was repeated.
    pub submissions: u32,
}

/// Substeps advanced as in an ordinary run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plain {
    /// Number of substeps.
    pub substeps: u32,
    /// Wall time of all substeps [s].
    pub wall_seconds: f64,
    /// Processor time of all threads [s]; `None` where the system does not report it.
    pub processor_seconds: Option<f64>,
    /// Neighbor-pair-iterations per second of wall time.
    pub pair_iterations_per_second: f64,
}

/// Residuals at the end of a substep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// Number of iterations done.
    pub iterations: u32,
    /// Force residual relative to its initial value [dimensionless].
    pub force: f64,
    /// Norm of C + alpha~ lambda [sqrt(Pa)].
    pub multiplier: f64,
}

/// Cost of a material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name of the material.
    pub name: String,
    /// Name of its model.
    pub model: String,
    /// Number of particles.
    pub particles: u64,
    /// Time of one return mapping [ns]; `None` for whole-tensor models, which compute everything at once.
    pub projection_ns: Option<f64>,
    /// Time of one evaluation of everything that the solve requests from the model [ns].
    pub law_ns: f64,
    /// Time of the model calls in a substep's sweeps, as a fraction of the time of `solve_inelastic`.
    pub solve_share: f64,
}

/// Distribution of the particles.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of particles by number of neighbors, from 0.
    pub particles_by_neighbors: Vec<u64>,
    /// Number of occupied cells by number of particles, from 0.
    pub cells_by_particles: Vec<u64>,
    /// Number of occupied cells of each color.
    pub cells_of_color: Vec<u32>,
    /// Number of particles of each color.
    pub particles_of_color: Vec<u64>,
}

impl Record {
    /// Returns the device time of all stages in each substep [s].
    pub fn totals(&self) -> Vec<f64> {
        sums(self.stages.iter(), self.substeps.len())
    }

    /// Returns the device time of the stages of a part in each substep [s].
    pub fn part_totals(&self, part: &str) -> Vec<f64> {
        sums(self.stages.iter().filter(|stage| stage.part == part), self.substeps.len())
    }

    /// Returns the settings, by name, that should agree between two compared profiles.
    pub fn conditions(&self) -> Map<String, Value> {
        let mut all = Map::new();
        all.insert("device".to_owned(), self.device.name.clone().into());
        if let Ok(Value::Object(scene)) = serde_json::to_value(&self.scene) {
            all.extend(
                scene.into_iter().map(
                    |(key, value)| if key == "name" { ("scene".to_owned(), value) } else { (key, value) },
                ),
            );
        }
        all
    }

    /// Writes the profile as JSON.
    ///
    /// # Errors
    /// Exit code 5 if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Stop> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Stop::new(NOT_WRITTEN, error))?;
        write(path, &text)
    }

    /// Reads a file that [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// Exit code 2 with the reason.
    pub fn read(path: &Path) -> Result<Self, Stop> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Stop::bad_input(format!("cannot read the profile {name}: {error}")))?;
        let hint = "`tuff profile SCENE --json FILE` writes one";
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            Stop::bad_input(format!("{name} is not a profile: it is not JSON ({error}); {hint}"))
        })?;
        match value.get("tuff_profile").map(Value::as_u64) {
            Some(Some(FORMAT)) => serde_json::from_value(value)
                .map_err(|error| Stop::bad_input(format!("{name} is a damaged profile: {error}; {hint}"))),
            Some(other) => Err(Stop::bad_input(format!(
                "{name} is a profile of format {}, and this program reads format {FORMAT}: measure again",
                other.map_or("?".to_owned(), |format| format.to_string())
            ))),
            None => {
                Err(Stop::bad_input(format!("{name} is not a profile: it has no key `tuff_profile`; {hint}")))
            }
        }
    }
}

fn sums<'a>(stages: impl Iterator<Item = &'a Stage>, substeps: usize) -> Vec<f64> {
    let mut sums = vec![0.0; substeps];
    for stage in stages {
        for (sum, seconds) in sums.iter_mut().zip(&stage.seconds) {
            *sum += seconds;
        }
    }
    sums
}

/// Writes a text file that ends with a line break.
pub fn write(path: &Path, text: &str) -> Result<(), Stop> {
    std::fs::write(path, format!("{text}\n"))
        .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot write {}: {error}", path.display())))
}
