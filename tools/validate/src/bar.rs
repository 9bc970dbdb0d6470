//! A bar that is pulled or pressed at its ends. Here the solver moves the matter, so the stress must result from the balance of forces;
//! an affinely driven cube tests the law alone.

use glam::DVec3;
use nalgebra::Matrix3;

use crate::measure::{kirchhoff, positions};
use crate::scenes::{lattice_box, scene};
use crate::{CardError, Lab, Trial};

/// A bar along x around the origin; two layers of particles are held at each end.
#[derive(Debug)]
pub struct Bar<'a> {
    /// Its material as TOML.
    pub matter: &'a str,
    /// Half its length [m].
    pub half: f64,
    /// Width of its square section [m].
    pub width: f64,
    /// Particle spacing [m].
    pub spacing: f64,
    /// Speed of an end divided by half the length [1/s]; negative in compression.
    pub rate: f64,
}

/// A bar on the device.
pub struct Loaded<'a> {
    /// The simulation.
    pub trial: Trial<'a>,
    start: Vec<DVec3>,
    /// Particles in the middle third.
    middle: Vec<usize>,
}

/// Means over the middle third.
#[derive(Debug)]
pub struct Middle {
    /// Stretch along the bar.
    pub stretch: f64,
    /// Kirchhoff stress [Pa].
    pub stress: Matrix3<f64>,
    /// First word of the state.
    pub state: f64,
}

impl Bar<'_> {
    /// Starts the bar with the velocities of uniform strain along it, so that it carries no waves. `solver` (TOML) and the step `dt` [s]
    /// apply if the card's own settings are used.
    ///
    /// # Errors
    /// The material is not valid, or the device cannot take it.
    pub fn start<'a>(&self, lab: &'a Lab<'a>, solver: &str, dt: f64) -> Result<Loaded<'a>, CardError> {
        let held = |x: [f64; 2], speed: f64| {
            format!(
                "[[pin]]\nbody = \"bar\"\nmotion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = 1.0, translate = [{speed:?}, 0.0, 0.0] }} ] }}\n\
                 region = {{ box = {{ min = [{:?}, -1.0, -1.0], max = [{:?}, 1.0, 1.0] }} }}\n",
                x[0], x[1]
            )
        };
        let (half, hold) = (self.half, self.half - 2.0 * self.spacing);
        let section = 0.5 * self.width;
        let rest = self.matter.to_owned()
            + &lattice_box("bar", [-half, -section, -section], [half, section, section], self.spacing, "")
            + &held([-half - 1.0, -hold], -self.rate * half)
            + &held([hold, half + 1.0], self.rate * half);
        let mut problem = lab.problem(&scene(dt, [0.0; 3], self.spacing, solver, &rest))?;
        for (v, x) in problem.particles.velocity.iter_mut().zip(&problem.particles.position) {
            *v = DVec3::new(self.rate * x.x, 0.0, 0.0);
        }
        let start = problem.particles.position.clone();
        let middle = (0..start.len()).filter(|&p| start[p].x.abs() < half / 3.0).collect();
        Ok(Loaded { trial: lab.start(problem)?, start, middle })
    }
}

impl Loaded<'_> {
    /// Returns the current means over the middle third.
    ///
    /// # Errors
    /// The device fails.
    pub fn measure(&mut self) -> Result<Middle, CardError> {
        let frame = self.trial.now()?;
        let x = positions(&frame);
        // Stretch: the least-squares slope of x over the initial x.
        let (top, bottom) = self.middle.iter().fold((0.0, 0.0), |(top, bottom), &p| {
            (top + x[p].x * self.start[p].x, bottom + self.start[p].x * self.start[p].x)
        });
        let count = self.middle.len() as f64;
        let problem = &self.trial.problem;
        Ok(Middle {
            stretch: top / bottom,
            stress: self.middle.iter().map(|&p| kirchhoff(problem, &frame, p)).sum::<Matrix3<f64>>() / count,
            state: self.middle.iter().map(|&p| f64::from(frame.state[p][0])).sum::<f64>() / count,
        })
    }
}
