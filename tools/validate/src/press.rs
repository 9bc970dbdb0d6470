//! A cube between six smooth plates. Here the solver moves the matter, so the stress must result from the balance of forces; an affinely
//! driven cube tests the law alone.

use glam::DVec3;
use nalgebra::Matrix3;

use crate::measure::kirchhoff;
use crate::scenes::{lattice_box, plane, scene};
use crate::{CardError, Lab};

/// Fraction of the time in which the plates move; afterwards they stand still.
const MOVING: f64 = 0.8;

/// A cube that is pressed.
#[derive(Debug)]
pub struct Press<'a> {
    /// Its material as TOML.
    pub matter: &'a str,
    /// Speed of its pressure waves [m/s].
    pub wave: f64,
    /// Its edge [m].
    pub edge: f64,
    /// Particles along the edge.
    pub across: u32,
    /// Final Hencky strains along the axes.
    pub strain: [f64; 3],
    /// Duration [s]; long compared to the time of a wave through the cube.
    pub seconds: f64,
}

/// Means over the particles more than two layers away from the plates.
#[derive(Debug)]
pub struct Pressed {
    /// Kirchhoff stress [Pa].
    pub stress: Matrix3<f64>,
    /// J.
    pub ratio: f64,
}

impl Press<'_> {
    fn spacing(&self) -> f64 {
        self.edge / f64::from(self.across)
    }

    fn scene(&self) -> String {
        // The outermost particle centers are half a spacing away from the plates.
        let between = self.edge - self.spacing();
        let plates = (0..3).flat_map(|axis| [(axis, 0.0, 1.0), (axis, self.edge, -1.0)]);
        let plates: String = plates
            .map(|(axis, at, way)| {
                let along = |length: f64| {
                    let mut vector = [0.0; 3];
                    vector[axis] = length;
                    vector
                };
                let travel = along(-0.5 * way * between * self.strain[axis].exp_m1());
                let motion = format!(
                    "friction = 0.0\nmotion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {:?}, translate = {travel:?} }} ] }}",
                    MOVING * self.seconds
                );
                let side = if way > 0.0 { "low" } else { "high" };
                plane(&format!("{side}_{}", ["x", "y", "z"][axis]), along(at), along(way), &motion)
            })
            .collect();
        let rest = self.matter.to_owned()
            + &lattice_box("cube", [0.0; 3], [self.edge; 3], self.spacing(), "")
            + &plates;
        scene(0.5 * self.spacing() / self.wave, [0.0; 3], self.spacing(), "", &rest)
    }

    /// Presses the cube, starting with the velocities of uniform strain, so that no wave starts at the plates.
    ///
    /// # Errors
    /// The material is not valid, or the simulation fails.
    pub fn run(&self, lab: &Lab) -> Result<Pressed, CardError> {
        let mut problem = lab.problem(&self.scene())?;
        let center = DVec3::splat(0.5 * self.edge);
        let rate = DVec3::from(self.strain.map(f64::exp_m1)) / (MOVING * self.seconds);
        let start = problem.particles.position.clone();
        for (v, x) in problem.particles.velocity.iter_mut().zip(&start) {
            *v = rate * (*x - center);
        }
        let mut trial = lab.start(problem)?;
        for _ in 0..20 {
            trial.run(self.seconds / 20.0)?;
        }
        let frame = trial.now()?;
        let deep = 0.5 * self.edge - 2.0 * self.spacing();
        let middle: Vec<usize> =
            (0..start.len()).filter(|&p| (start[p] - center).abs().max_element() < deep).collect();
        let count = middle.len() as f64;
        Ok(Pressed {
            stress: middle.iter().map(|&p| kirchhoff(&trial.problem, &frame, p)).sum::<Matrix3<f64>>()
                / count,
            ratio: middle.iter().map(|&p| f64::from(frame.volume_ratio[p])).sum::<f64>() / count,
        })
    }
}
