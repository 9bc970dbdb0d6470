//! Inputs of a substep besides the state.

use std::sync::Arc;

use glam::DVec3;
use tuff_plugin::{Model, Moduli};
pub use tuff_problem::Step;
use tuff_problem::{
    Classes, Contrast, Face, Links, Mixtures, Problem, ResolvedMaterial, Sheets, Tension, Total,
    density_limits, packing_limits, rest_sums, xsph_coefficient,
};
use tuff_scene::{Friction, Matter, Pin, SolverSettings};

use crate::kernel::Kernel;
use crate::law::Law;
use crate::scalar::Scalar;
use crate::state::State;

/// Settings, materials and boundaries; constant over a run.
#[derive(Clone)]
pub struct Context {
    /// Gravitational acceleration [m/s^2].
    pub gravity: DVec3,
    /// Numerical settings.
    pub settings: SolverSettings,
    /// Materials, in the order of the scene.
    pub materials: Vec<Material>,
    /// Faces of the colliders, in the order of the scene.
    pub faces: Vec<Face>,
    /// True if faces of a collider may coincide.
    pub pieces: bool,
    /// True if a face may be a wall between particles.
    pub walls: bool,
    /// Pins, in the order of the scene.
    pub pins: Vec<Pin>,
    /// Constraints between given particles.
    pub links: Arc<Links>,
    /// Cloth as others touch it.
    pub sheets: Arc<Sheets>,
    /// Fluids in the pores of grains.
    pub mixtures: Arc<Mixtures>,
    /// Surface tension of the fluids.
    pub tension: Arc<Tension>,
    /// Classes of the bodies.
    pub classes: Classes,
    /// Neighbors that particles of total bodies keep.
    pub total: Arc<Total>,
    /// Density of every body above which the position correction acts [dimensionless]; empty unless the correction is by density.
    pub density_limits: Vec<f64>,
    /// Density of every body above which flowing matter is packed more densely than at rest [dimensionless].
    pub packing_limits: Vec<f64>,
    /// Sum `V0 sum W` of every body in which a fluid is at rest [dimensionless].
    pub rest_sums: Vec<f64>,
    /// Which bodies are soft to others.
    pub contrast: Arc<Contrast>,
}

/// A material: its law and prepared constants.
#[derive(Clone)]
pub struct Material {
    /// The law.
    pub law: Arc<dyn Law>,
    /// The law's prepared constants.
    pub constants: Vec<f64>,
}

impl Material {
    /// Returns the small-strain moduli in a state [Pa].
    pub fn moduli(&self, state: &[f64; 4]) -> Moduli {
        self.law.moduli(&self.constants, state)
    }
}

/// Returns the materials of a scene with their models.
pub(crate) fn materials(models: &[Arc<Model>], materials: &[ResolvedMaterial]) -> Vec<Material> {
    let law = |model: usize| -> Arc<dyn Law> { models[model].clone() };
    materials.iter().map(|m| Material { law: law(m.model), constants: m.constants.clone() }).collect()
}

impl Context {
    /// Collects the inputs of the substep from a problem.
    pub fn new(problem: &Problem) -> Self {
        Self {
            gravity: problem.scene.gravity,
            settings: problem.scene.solver.clone(),
            materials: materials(&problem.models, &problem.materials),
            faces: problem.faces.clone(),
            pieces: problem.has_pieces(),
            walls: problem.has_walls(),
            pins: problem.scene.pins.clone(),
            links: Arc::clone(&problem.links),
            sheets: Arc::clone(&problem.sheets),
            mixtures: Arc::clone(&problem.mixtures),
            tension: Arc::clone(&problem.tension),
            classes: problem.classes.clone(),
            total: Arc::clone(&problem.total),
            density_limits: density_limits(problem),
            packing_limits: packing_limits(problem),
            rest_sums: rest_sums(problem),
            contrast: Arc::clone(&problem.contrast),
        }
    }

    /// Sums the impulses `received` by faces [N s] per collider, shape [collider_count].
    pub fn by_collider(&self, received: &[DVec3]) -> Vec<[f64; 3]> {
        let mut sums = vec![DVec3::ZERO; self.collider_count()];
        for (face, impulse) in std::iter::zip(&self.faces, received).filter(|(face, _)| face.rigid.is_none())
        {
            sums[face.collider] += *impulse;
        }
        sums.into_iter().map(|sum| sum.to_array()).collect()
    }

    /// Returns the number of colliders, without rigid bodies.
    fn collider_count(&self) -> usize {
        self.faces.iter().filter(|face| face.rigid.is_none()).map(|face| face.collider + 1).max().unwrap_or(0)
    }

    /// Returns the kernel radius r [m].
    pub fn radius(&self) -> f64 {
        self.settings.kernel_radius
    }

    /// Returns the kernel.
    pub fn kernel(&self) -> Kernel {
        Kernel::new(self.radius())
    }

    /// Returns the XSPH coefficient of a substep of length `dt` [s]; dimensionless.
    pub fn xsph(&self, dt: f64) -> f64 {
        xsph_coefficient(self.settings.smoothing, dt, self.radius())
    }

    /// Returns true if particles are rigid spheres, on which no model acts.
    pub fn grains(&self) -> bool {
        matches!(self.settings.matter, Matter::Grains { .. })
    }

    /// Returns the volume with which a fluid's particle p counts b [m^3]; grains with pores are no obstacle.
    pub fn filled<S: Scalar>(&self, state: &State<S>, p: usize, b: usize) -> f64 {
        let seeps =
            !self.mixtures.is_empty() && self.mixtures.find(state.material[p], state.material[b]).is_some();
        if seeps { 0.0 } else { state.seen_volume[b].abs() }
    }

    /// Returns true if particles keep what no gradient explains: as a memory, or as the drag of grains.
    pub fn remembers(&self) -> bool {
        self.settings.stabilization > 0.0 || !self.mixtures.is_empty()
    }

    /// Returns the Coulomb coefficient of a face for a particle [dimensionless]: fluids slip along all but sticky surfaces.
    pub fn friction<S: Scalar>(&self, state: &State<S>, p: usize, face: usize) -> f64 {
        match self.faces[face].surface.friction {
            Friction::Coulomb(_) if state.is_fluid(p) => 0.0,
            friction => friction.coefficient(),
        }
    }

    /// Returns true if kernels use the shape of matter before its elastic strain, and gradients separate curvature from slope;
    /// the published method does neither.
    pub fn kernels_follow_strain(&self) -> bool {
        self.settings.stabilization > 0.0 && self.settings.kernel_correction
    }

    /// Returns the least distance that particles keep [m]; 0 if they keep none.
    pub fn min_distance(&self) -> f64 {
        self.settings.min_distance()
    }

    /// Returns the distance below which a pair is a candidate for contact [m]; 0 if there are none.
    pub fn candidate_distance(&self) -> f64 {
        match self.min_distance() {
            0.0 => 0.0,
            least => least + 0.1 * self.radius(),
        }
    }
}
