//! Turns arguments into a problem.

use std::io::IsTerminal;

use tuff_plugin::{Library, PluginError, Probe, SearchPath};
use tuff_problem::{Problem, many_particles};
use tuff_scene::{Scene, Warning};

use crate::args::{LibraryArgs, SceneArgs};
use crate::exit::Stop;
use crate::print::note;

/// The scene that the arguments request, and the models to simulate it with.
pub struct Session {
    /// All models that were found.
    pub library: Library,
    /// The scene with overrides and resolution applied.
    pub scene: Scene,
    /// Warnings from loading.
    pub warnings: Vec<Warning>,
}

impl Session {
    /// Finds the models and loads the scene.
    pub fn open(args: &SceneArgs) -> Result<Self, Stop> {
        let (library, mut warnings) = usable(&args.library)?;
        let models: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
        // If loading fails, warn first: the scene may need a library that was left out.
        let loaded = tuff_scene::load(&args.scene, &args.set, &models).inspect_err(|_| warn(&warnings))?;
        let scene = match args.particles {
            Some(count) => loaded.scene.rescaled(count)?,
            None => loaded.scene,
        };
        warnings.extend(loaded.warnings);
        Ok(Self { library, scene, warnings })
    }

    /// Samples the bodies and prepares the materials for a run on `device`. Returns the problem with the warnings from loading and
    /// sampling.
    pub fn problem(self, device: Option<&str>) -> Result<(Problem, Vec<Warning>), Stop> {
        // Warn before sampling many particles, which takes a while: a user who mistook a unit should not have to wait for it.
        let many = many_particles(&self.scene, || tuff_run::device_memory(device));
        warn(many.as_slice());
        let problem = Problem::new(self.scene, &self.library)?;
        let mut warnings = self.warnings;
        warnings.extend(problem.warnings.iter().cloned());
        Ok((problem, warnings))
    }
}

/// Returns the models on the search path and warns about libraries that are left out.
pub fn library(args: &LibraryArgs) -> Result<Library, Stop> {
    let (library, warnings) = usable(args)?;
    warn(&warnings);
    Ok(library)
}

/// Returns the probe that this program tests libraries with before loading them.
pub fn probe() -> Option<Probe> {
    Probe::new(tuff_gpu::cache_folder(None))
}

fn usable(args: &LibraryArgs) -> Result<(Library, Vec<Warning>), Stop> {
    let (library, refused) = Library::usable(&SearchPath::standard(&args.material_path), probe().as_ref())?;
    let left_out = |error: PluginError| Warning::apart(format!("{error}; it is left out"));
    Ok((library, refused.into_iter().map(left_out).collect()))
}

/// Describes, in lines for people, the bodies that start inside colliders. Bodies that start inside other bodies are among the warnings.
pub fn overlaps(problem: &Problem) -> Vec<String> {
    problem.overlaps.iter().filter_map(|overlap| overlap.in_obstacle(&problem.scene)).collect()
}

/// Prints warnings on stderr.
pub fn warn(warnings: &[Warning]) {
    let styled = std::io::stderr().is_terminal();
    for warning in warnings {
        note(&warning.render(styled));
    }
}
