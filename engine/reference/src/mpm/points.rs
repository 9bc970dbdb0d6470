//! Material points.

use glam::{DMat3, DVec3};
use tuff_problem::thresholds::FOLD_DETERMINANT;
use tuff_problem::{Problem, SimulationError, SolverState};

use crate::context::Context;
use crate::saved::{column, values};
use crate::stages::commit::Refusal;
use crate::strain::{carried, spectrum};
use crate::tensor::recompose;

/// Passes the arrays of the points to a macro.
macro_rules! kept {
    ($use:ident) => {
        $use! { position velocity gradient strain kirchhoff volume_ratio deformation material_state mass rest_volume material body }
    };
}

/// Structure of arrays over the particles, sorted by id, all of shape [particle_count].
#[derive(Debug, Clone, Default)]
pub struct Points {
    /// Positions [m].
    pub position: Vec<DVec3>,
    /// Velocities [m/s].
    pub velocity: Vec<DVec3>,
    /// Velocity gradients C of the affine transfer [1/s].
    pub gradient: Vec<DMat3>,
    /// Elastic strain E = b - I [dimensionless].
    pub strain: Vec<DMat3>,
    /// Kirchhoff stress of the strain [Pa].
    pub kirchhoff: Vec<DMat3>,
    /// Total volume ratio J [dimensionless].
    pub volume_ratio: Vec<f64>,
    /// Deformation gradient F [dimensionless].
    pub deformation: Vec<DMat3>,
    /// State words of the material.
    pub material_state: Vec<[f64; 4]>,
    /// Masses [kg].
    pub mass: Vec<f64>,
    /// Rest volumes [m^3].
    pub rest_volume: Vec<f64>,
    /// Material indices.
    pub material: Vec<u32>,
    /// Body indices.
    pub body: Vec<u32>,
}

impl Points {
    /// Creates the points from the particles at the first frame.
    pub fn new(problem: &Problem, context: &Context) -> Self {
        let particles = &problem.particles;
        let mut points = Self::default();
        for p in 0..problem.particle_count() {
            let (x, v) = (particles.position[p], particles.velocity[p]);
            points.push(context, x, v, problem.mass[p], particles.rest_volume[p], particles.material[p]);
        }
        points.body.clone_from(&particles.body);
        points
    }

    /// Appends an unstrained particle: position [m], velocity [m/s], mass [kg], rest volume [m^3], material.
    pub fn push(
        &mut self,
        context: &Context,
        x: DVec3,
        v: DVec3,
        mass: f64,
        rest_volume: f64,
        material: u32,
    ) {
        let matter = &context.materials[material as usize];
        self.position.push(x);
        self.velocity.push(v);
        self.gradient.push(DMat3::ZERO);
        self.strain.push(DMat3::ZERO);
        self.kirchhoff.push(DMat3::ZERO);
        self.volume_ratio.push(1.0);
        self.deformation.push(DMat3::IDENTITY);
        self.material_state.push(matter.law.initial_state(&matter.constants));
        self.mass.push(mass);
        self.rest_volume.push(rest_volume);
        self.material.push(material);
        self.body.push(0);
    }

    /// Replaces the particles by those of `problem`: first the present ones that `kept` names, then others at rest.
    pub fn repopulate(&mut self, problem: &Problem, context: &Context, kept: &[u32]) {
        let mut points = Self::new(problem, context);
        macro_rules! take_over {
            ($($name:ident)*) => {
                for (row, &before) in kept.iter().enumerate() {
                    $(points.$name[row] = self.$name[before as usize];)*
                }
            };
        }
        kept!(take_over);
        *self = points;
    }

    /// Saves all arrays.
    pub fn save(&self) -> SolverState {
        macro_rules! save {
            ($($name:ident)*) => { vec![$(column(stringify!($name), &self.$name)),*] };
        }
        SolverState { columns: kept!(save) }
    }

    /// Restores what was [saved](Self::save).
    ///
    /// # Errors
    /// [`SimulationError::StateMismatch`] for other points; the points are then unchanged.
    pub fn restore(&mut self, saved: &SolverState) -> Result<(), SimulationError> {
        let count = self.count();
        macro_rules! restore {
            ($($name:ident)*) => { Self { $($name: values(saved, stringify!($name), count)?),* } };
        }
        *self = kept!(restore);
        Ok(())
    }

    /// Returns the number of particles.
    pub fn count(&self) -> usize {
        self.mass.len()
    }

    /// Returns the speed of compression waves in a particle, `sqrt((kappa + 4/3 mu) V0 / m)` [m/s].
    pub fn wave_speed(&self, context: &Context, p: usize) -> f64 {
        let moduli = context.materials[self.material[p] as usize].moduli(&self.material_state[p]);
        ((moduli.bulk + 4.0 / 3.0 * moduli.shear) * self.rest_volume[p] / self.mass[p]).sqrt()
    }

    /// Strains a particle by the displacement gradient `dt C` of a step, with the return mapping of its model. Returns whether a
    /// stretch was clamped.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the step turns matter inside out or values are not finite.
    pub fn deform(&mut self, context: &Context, dt: f64, p: usize) -> Result<bool, Refusal> {
        let displacement = dt * self.gradient[p];
        let determinant = (DMat3::IDENTITY + displacement).determinant();
        if !displacement.is_finite() || !self.position[p].is_finite() {
            return Err(Refusal::NotFinite(p as u32));
        }
        if determinant < FOLD_DETERMINANT {
            return Err(Refusal::Folded(p as u32));
        }
        let material = &context.materials[self.material[p] as usize];
        let (law, constants) = (&material.law, &material.constants);
        let trial = spectrum(carried(self.strain[p], displacement));
        let projection = law.project(constants, &self.material_state[p], dt, trial.hencky.to_array());
        let principal = law.kirchhoff(constants, &projection.state, projection.hencky);
        let squared = DVec3::from_array(projection.hencky.map(|eps| (2.0 * eps).exp_m1()));
        self.strain[p] = recompose(trial.axes, squared);
        self.kirchhoff[p] = recompose(trial.axes, DVec3::from_array(principal));
        self.material_state[p] = projection.state;
        self.volume_ratio[p] *= determinant;
        let deformation = self.deformation[p];
        self.deformation[p] = deformation + displacement * deformation;
        Ok(trial.clamped)
    }
}
