//! A scene made concrete: particles with masses, resolved models, prepared constants.

use std::sync::Arc;

use glam::DVec3;
use tuff_plugin::{Library, Model, Variant};
use tuff_rigid::World;
use tuff_scene::{
    Body, BodyKind, Gradient, Matter, Overlap, Particles, Scene, SceneError, Smoothing, Time, Warning,
};

use crate::{
    Classes, Contrast, Face, Failure, Grid, Layers, Links, Mixtures, Piercing, SchemeChoice, Sheets,
    StepControl, Tension, Total, cost, even::evened, faces_for, falls, fluid, links, pierced, range,
    rigid_start, stiffness, tension,
};

/// Viscosity of XSPH: nu = 0.133 c r^2 / dt for the Wendland C2 kernel with support 2 r.
pub const XSPH_VISCOSITY: f64 = 0.133;

/// Maximum number of cells of a grid, whatever the extent of the matter.
const MAX_CELLS: u32 = 1 << 22;

/// Everything that a solver needs to start.
#[derive(Clone)]
pub struct Problem {
    /// The scene.
    pub scene: Scene,
    /// Particles at the scene's first frame, or those that there are now; a solver numbers them by index.
    pub particles: Particles,
    /// Particle masses [kg], shape [particle_count].
    pub mass: Vec<f64>,
    /// The models in use, in the order of the first material that names each.
    pub models: Vec<Arc<Model>>,
    /// Materials, in the order of [`Scene::materials`].
    pub materials: Vec<ResolvedMaterial>,
    /// Constraints between given particles.
    pub links: Arc<Links>,
    /// Cloth as others touch it.
    pub sheets: Arc<Sheets>,
    /// Fluids in the pores of grains.
    pub mixtures: Arc<Mixtures>,
    /// Surface tension of the fluids.
    pub tension: Arc<Tension>,
    /// Number of particles of fluids that start in pores, and the mean part of their volume that the grains leave; `None` if there are none.
    pub soaked: Option<(usize, f64)>,
    /// Classes of the bodies.
    pub classes: Classes,
    /// Neighbors that particles of total bodies keep.
    pub total: Arc<Total>,
    /// What particles can touch: the faces of the scene's colliders and rigid bodies.
    pub faces: Vec<Face>,
    /// Rigid bodies and what they can touch.
    pub rigid: Arc<World>,
    /// Warnings from sampling and from checks of the resolved problem.
    pub warnings: Vec<Warning>,
    /// Matter that starts in colliders or in other matter.
    pub overlaps: Vec<Overlap>,
    /// Ropes and cloth that pass through cloth at the start.
    pub pierced: Vec<Piercing>,
    /// Which bodies are soft to others; as the materials of the scene say, also after a model was replaced.
    pub contrast: Arc<Contrast>,
    /// Displacement of every body out of colliders and other bodies at the start [m], shape [body_count].
    pub moved: Vec<DVec3>,
    /// What emitters add, in the order of [`Scene::emitters`].
    pub layers: Arc<Vec<Layers>>,
    /// How the scheme was chosen; `None` where the scene names it. [`Scene::solver`] holds the outcome.
    pub scheme_choice: Option<SchemeChoice>,
}

/// A material with its model resolved and its constants prepared.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedMaterial {
    /// Name in the scene.
    pub name: String,
    /// Rest density [kg/m^3].
    pub density: f64,
    /// Index into [`Problem::models`].
    pub model: usize,
    /// The model's prepared constants, shape [constant_count].
    pub constants: Vec<f64>,
}

/// Reason why a scene cannot be made concrete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The bodies cannot be sampled, or a model or the step rejects a value.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// No library registers the model of a material.
    #[error("material `{material}`: no constitutive model `{model}` was found; available: {available}")]
    UnknownModel {
        /// Name of the material.
        material: String,
        /// Requested id.
        model: String,
        /// Available ids.
        available: String,
    },
}

impl Problem {
    /// Samples the bodies, finds the models in `library` and prepares the materials' constants.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] if a body cannot be sampled, a model is missing or rejects its parameters, or the viscosity is too large
    /// for the step.
    pub fn new(mut scene: Scene, library: &Library) -> Result<Self, ProblemError> {
        check_viscosity(&scene)?;
        let mut faces = faces_for(&scene.obstacles(), 2.0 * scene.solver.kernel_radius);
        for face in &mut faces {
            face.rigid = face.collider.checked_sub(scene.colliders.len());
        }
        let rigid = World::new(&scene.rigid, &scene.colliders)
            .map_err(|error| scene.refuse(error.about(), error.to_string(), "", None))?;
        range::check_counts(&scene, &faces.iter().map(|face| face.collider).collect::<Vec<_>>())?;
        let mut models: Vec<Arc<Model>> = Vec::new();
        fluid::default_sound_speeds(&mut scene, library);
        let mut materials = Vec::with_capacity(scene.materials.len());
        for (index, material) in scene.materials.iter().enumerate() {
            let model = library.get(&material.model).ok_or_else(|| ProblemError::UnknownModel {
                material: material.name.clone(),
                model: material.model.clone(),
                available: available(library),
            })?;
            let constants = model.prepare(&material.parameters).map_err(|error| {
                let named = error.parameter.and_then(|i| model.descriptor().parameters.get(i));
                scene.refuse_material(index, named.map(|p| p.name.as_str()), &error.message)
            })?;
            let known = models.iter().position(|m| m.descriptor().id == material.model);
            let used = known.unwrap_or_else(|| {
                models.push(Arc::clone(model));
                models.len() - 1
            });
            materials.push(ResolvedMaterial {
                name: material.name.clone(),
                density: material.density,
                model: used,
                constants,
            });
        }
        check_gradient(&scene, &models, &materials)?;
        let is_fluid = |material: usize| models[materials[material].model].is_fluid();
        let mixtures = Arc::new(Mixtures::of(&scene, &materials, &models)?);
        let arrange = |body: &Body, points| {
            if is_fluid(body.material) { evened(body, points, scene.solver.kernel_radius) } else { points }
        };
        let sampled = tuff_scene::sample_arranged(&scene, arrange, |body| {
            matches!(body.kind, BodyKind::Matter) && is_fluid(body.material)
        })?;
        let mut particles = sampled.particles;
        let tension = Arc::new(Tension::of(&scene, &materials, &models, &particles));
        let soaked = mixtures.fill(&mut particles, scene.solver.kernel_radius);
        let mass = masses(&scene, &materials, &particles);
        let (warnings, mut overlaps, moved) = (sampled.warnings, sampled.overlaps, sampled.moved);
        let links = Arc::new(Links::of(&scene, &particles));
        let sheets = Arc::new(Sheets::of(&scene, &particles));
        overlaps.extend(sheets.overlaps(&scene, &particles));
        let pierced = pierced::pierced(&scene, &sheets, &particles);
        fluid::check(&scene, is_fluid)?;
        let classes = Classes::of(&scene, &mixtures, is_fluid);
        let total = Total::of_scene(&scene, &classes, &particles);
        total.check(&scene, &particles)?;
        let layers = Arc::new(Layers::of(&scene, &particles));
        let mut problem = Self {
            scene,
            particles,
            mass,
            links,
            sheets,
            mixtures,
            tension,
            soaked,
            classes,
            total: Arc::new(total),
            contrast: Arc::default(),
            models,
            materials,
            faces,
            rigid: Arc::new(rigid),
            warnings,
            overlaps,
            pierced,
            moved,
            layers,
            scheme_choice: None,
        };
        problem.contrast = Arc::new(Contrast::of(&problem));
        problem.follow_sound();
        problem.smooth_by_time();
        problem.scheme_choice = SchemeChoice::of(&problem);
        if let Some(choice) = &problem.scheme_choice {
            problem.scene.solver.choose(choice.scheme);
        }
        if let Some(control) = StepControl::of(&problem, &problem.scene.time) {
            problem.scene.time.max_substep = control.dt();
        }
        range::check_values(&problem)?;
        problem.warnings.extend(rigid_start::check(&problem.scene)?);
        check_residual_target(&problem)?;
        problem.warnings.extend(stiffness::warnings(&problem));
        problem.warnings.extend(range::fast_bodies(&problem));
        problem.warnings.extend(problem.mixtures.warnings(&problem.scene));
        problem.warnings.extend(tension::warnings(&problem));
        problem.warnings.extend(fluid::warnings(&problem));
        problem.warnings.extend(falls::warnings(&problem));
        problem.warnings.extend(links::warnings(&problem));
        problem.warnings.extend(problem.pierced.iter().map(|piercing| piercing.warning(&problem.scene)));
        problem.warnings.extend(cost::warning(&problem));
        problem.warnings.extend(problem.idle_emitters());
        problem.repopulate(problem.particles_at_start());
        Ok(problem)
    }

    /// Returns true if only the processor can solve the scene: rigid bodies alone.
    pub fn needs_processor(&self) -> bool {
        self.scene.bodies.is_empty()
    }

    /// Lowers the default least substep of adaptive stepping to the time in which sound crosses a particle spacing, if that is
    /// shorter: the particles resolve nothing faster. Also to the longest step that surface tension allows.
    fn follow_sound(&mut self) {
        let bodies = 0..self.scene.bodies.len();
        let crossing = bodies.map(|body| self.stable_step(body)).fold(f64::INFINITY, f64::min);
        let shortest = self.scene.time.shortest();
        if let (Some([least, _]), false) =
            (&mut self.scene.time.substep_bounds, self.scene.solver.given.substep_bounds)
        {
            *least = least.min(crossing).min(self.tension.longest_step()).max(shortest);
        }
    }

    /// Replaces the default XSPH smoothing by the viscosity that it amounts to at the default substep. XSPH acts once per
    /// substep, whatever its length, and damps rotation and shear, too. The viscosity is capped so that no allowed substep
    /// overshoots, and acts only on velocities that no gradient explains: matter flows alike with all allowed substeps.
    fn smooth_by_time(&mut self) {
        let shortest = self.scene.time.substep_bounds.map_or(self.dt(), |[least, _]| least);
        let settings = &mut self.scene.solver;
        if let (Smoothing::Xsph(c), false) = (settings.smoothing, settings.given.smoothing) {
            let r = settings.kernel_radius;
            let rate = (c / Time::DEFAULT_SUBSTEP).min(1.0 / shortest);
            let viscosity = XSPH_VISCOSITY * rate * r * r;
            settings.smoothing = match settings.matter {
                Matter::Continuum => Smoothing::Noise(viscosity),
                // Spheres have no gradients.
                Matter::Grains { .. } => Smoothing::Viscosity(viscosity),
            };
        }
    }

    /// Names the material, model and library of the particle where a simulation failed, if that particle is known.
    pub fn blame(&self, failure: &Failure) -> Option<String> {
        let particle = failure.particle?;
        let material = &self.materials[*self.particles.material.get(particle as usize)? as usize];
        let model = &self.models[material.model];
        let mut text = format!(
            "particle {particle} is of the material `{}`: model `{}` of {}",
            material.name,
            model.descriptor().id,
            model.file().display()
        );
        if self.materials.len() > 1 {
            text += " (or a particle of another material that touches it is at fault)";
        }
        for fault in self.models.iter().filter_map(|m| m.fault()) {
            text += &format!("; {fault}");
        }
        Some(text)
    }

    /// Returns true if there is a residual to reach, as adaptive substeps need.
    pub(crate) fn has_residual_target(&self) -> bool {
        self.scene.solver.residual_tolerance > 0.0 && self.scene.solver.matter == Matter::Continuum
    }

    /// Returns true if faces of a collider may coincide, because it is divided into pieces.
    pub fn has_pieces(&self) -> bool {
        self.scene.obstacles().iter().any(crate::face::has_pieces)
    }

    /// Returns true if matter may be on two sides of a collider that is thinner than a kernel.
    pub fn has_walls(&self) -> bool {
        self.faces.iter().any(|face| face.wall)
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.mass.len()
    }

    /// Length of a substep [s].
    pub fn dt(&self) -> f64 {
        self.scene.time.dt()
    }

    /// Substeps in a frame.
    pub fn substeps_per_frame(&self) -> u32 {
        self.scene.time.substeps_per_frame()
    }

    /// Distance between the particles of a body [m].
    pub fn spacing(&self, body: usize) -> f64 {
        self.scene.bodies[body].sampling.spacing()
    }

    /// Returns the stable step of a body's material at the body's spacing, according to its model [s].
    pub fn stable_step(&self, body: usize) -> f64 {
        let material = &self.materials[self.scene.bodies[body].material];
        self.models[material.model].stable_step(&material.constants, material.density, self.spacing(body))
    }

    /// Returns how many spacings of a body sound crosses in a substep, c_p dt / spacing [dimensionless].
    pub fn crossings(&self, body: usize) -> f64 {
        self.dt() / self.stable_step(body)
    }

    /// XSPH coefficient c of a substep of length `dt` [s]; dimensionless.
    pub fn xsph_coefficient(&self, dt: f64) -> f64 {
        xsph_coefficient(self.scene.solver.smoothing, dt, self.scene.solver.kernel_radius)
    }

    /// Describes the velocity smoothing at the scene's substep as a kinematic viscosity.
    pub fn describe_smoothing(&self) -> String {
        let r = self.scene.solver.kernel_radius;
        let viscosity = XSPH_VISCOSITY * self.xsph_coefficient(self.dt()) * r * r / self.dt();
        let of = match self.scene.solver.smoothing {
            Smoothing::Noise(_) => {
                " against noise alone: uniform rotation, shear and stretching are unaffected"
            }
            Smoothing::Xsph(_) | Smoothing::Viscosity(_) => "",
        };
        format!("a kinematic viscosity of {viscosity:.2e} m^2/s{of}")
    }

    /// Returns the corners of the box around the initial positions [m]; the origin if there are no particles.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        bounds(self.particles.position.iter().map(|p| p.to_array()))
    }

    /// Returns the grid for matter inside `[min, max]` [m]: about four cells per particle at most, so that a few stray particles
    /// do not inflate it.
    pub fn grid(&self, min: [f64; 3], max: [f64; 3]) -> Grid {
        grid_for(min, max, self.scene.solver.kernel_radius, self.particle_count())
    }
}

/// Returns the masses of particles [kg]: density times rest volume, of cloth what its vertices bear.
pub(crate) fn masses(scene: &Scene, materials: &[ResolvedMaterial], particles: &Particles) -> Vec<f64> {
    let mut masses = Vec::with_capacity(particles.len());
    for same in particles.body.chunk_by(|a, b| a == b) {
        let first = masses.len();
        masses.extend((first..first + same.len()).map(|i| match &scene.bodies[same[0] as usize].kind {
            BodyKind::Cloth(cloth) => cloth.mass(i - first),
            _ => materials[particles.material[i] as usize].density * particles.rest_volume[i],
        }));
    }
    masses
}

/// Rejects adaptive substeps without a residual to reach.
fn check_residual_target(problem: &Problem) -> Result<(), SceneError> {
    let settings = &problem.scene.solver;
    if problem.scene.time.substep_bounds.is_none() || problem.has_residual_target() {
        return Ok(());
    }
    let (key, reason) = match (settings.matter, &problem.scheme_choice) {
        (Matter::Grains { .. }, _) => ("matter", "= \"grains\" has no residual".to_owned()),
        (_, Some(choice)) => {
            ("residual_tolerance", format!("is 0 with {} ({})", choice.scheme.name(), choice.reason))
        }
        (_, None) => ("residual_tolerance", format!("is 0 with {}", settings.scheme.name())),
    };
    let message = format!(
        "{reason}; `time.max_substep` = \"auto\" needs a residual for the step to reach: give a \
         solver.residual_tolerance, let solver.scheme be newton_cg, or give time.max_substep in s"
    );
    let label = "cannot be combined with an adaptive step".to_owned();
    Err(problem.scene.refuse_solver(key, &message, label))
}

/// Rejects a viscosity whose explicit smoothing would overshoot at this step.
fn check_viscosity(scene: &Scene) -> Result<(), SceneError> {
    let Smoothing::Viscosity(viscosity) = scene.solver.smoothing else { return Ok(()) };
    let dt = scene.time.substep_bounds.map_or(scene.time.dt(), |[least, _]| least);
    let coefficient = xsph_coefficient(scene.solver.smoothing, dt, scene.solver.kernel_radius);
    if coefficient <= 1.0 {
        return Ok(());
    }
    let message =
        format!("= {viscosity} m^2/s needs an XSPH coefficient of {coefficient:.3}, which must not exceed 1");
    let allowed = viscosity / coefficient;
    let label =
        format!("at most {allowed:.4e} [m^2/s] at this step and kernel radius; or lower time.max_substep");
    Err(scene.refuse_solver("viscosity", &message, label))
}

/// Rejects the literal gradient for models of whole tensors: it scales principal stresses, which they do not have.
fn check_gradient(
    scene: &Scene,
    models: &[Arc<Model>],
    materials: &[ResolvedMaterial],
) -> Result<(), SceneError> {
    if scene.solver.gradient != Gradient::Literal {
        return Ok(());
    }
    let tensor =
        |m: &&ResolvedMaterial| matches!(models[m.model].descriptor().variant, Variant::Tensor { .. });
    let Some(material) = materials.iter().find(tensor) else { return Ok(()) };
    let (name, model) = (&material.name, &models[material.model].descriptor().id);
    let message =
        format!("= \"literal\" does not exist for material `{name}`: `{model}` is a whole-tensor model");
    Err(scene.refuse_solver("gradient", &message, "use \"kirchhoff\", the default".to_owned()))
}

/// Returns the XSPH coefficient c of a substep: as given, or `c = nu dt / (0.133 r^2)` for the kinematic viscosity nu. `dt` in
/// [s], `kernel_radius` in [m]; dimensionless.
pub fn xsph_coefficient(smoothing: Smoothing, dt: f64, kernel_radius: f64) -> f64 {
    match smoothing {
        Smoothing::Xsph(c) => c,
        Smoothing::Viscosity(nu) | Smoothing::Noise(nu) => {
            nu * dt / (XSPH_VISCOSITY * kernel_radius * kernel_radius)
        }
    }
}

/// Returns the corners of the box around positions [m]; the origin if there are none.
pub fn bounds(positions: impl IntoIterator<Item = [f64; 3]>) -> ([f64; 3], [f64; 3]) {
    let mut corners: Option<([f64; 3], [f64; 3])> = None;
    for position in positions {
        let (min, max) = corners.get_or_insert((position, position));
        for axis in 0..3 {
            min[axis] = min[axis].min(position[axis]);
            max[axis] = max[axis].max(position[axis]);
        }
    }
    corners.unwrap_or_default()
}

/// Returns the grid that every solver uses for `particle_count` particles inside `[min, max]` [m] with the kernel radius
/// `kernel_radius` [m]. Corners are rounded to f32, the precision of device positions.
pub fn grid_for(min: [f64; 3], max: [f64; 3], kernel_radius: f64, particle_count: usize) -> Grid {
    let [min, max] = [min, max].map(|corner| corner.map(|c| f64::from(c as f32)));
    Grid::new(min, max, 2.0 * kernel_radius, max_cells(particle_count))
}

/// Returns the maximum number of cells that [`grid_for`] uses for `particle_count` particles, whatever their extent.
pub fn max_cells(particle_count: usize) -> u32 {
    u32::try_from(particle_count.saturating_mul(4)).unwrap_or(MAX_CELLS).clamp(4096, MAX_CELLS)
}

fn available(library: &Library) -> String {
    let ids: Vec<&str> = library.models().iter().map(|m| m.descriptor().id.as_str()).collect();
    if ids.is_empty() { "none (see --material-path)".to_owned() } else { ids.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viscosity_means_the_coefficient_that_gives_it() {
        let c = xsph_coefficient(Smoothing::Viscosity(1e-3), 1e-4, 0.01);
        assert!((XSPH_VISCOSITY * c * 1e-4 / 1e-4 - 1e-3).abs() < 1e-15);
        assert_eq!(xsph_coefficient(Smoothing::Xsph(0.02), 1.0, 1.0), 0.02);
    }

    #[test]
    fn bounds_hold_all_positions() {
        let corners = bounds([[1.0, -2.0, 3.0], [0.0, 5.0, 3.5]]);
        assert_eq!(corners, ([0.0, -2.0, 3.0], [1.0, 5.0, 3.5]));
        assert_eq!(bounds([]), ([0.0; 3], [0.0; 3]));
    }

    #[test]
    fn no_extent_needs_more_cells_than_the_bound() {
        for particles in [1, 2_000, 8_192, 54_000] {
            for (i, j, k) in (0..12).flat_map(|i| (0..12).flat_map(move |j| (0..12).map(move |k| (i, j, k))))
            {
                let max = [i, j, k].map(|power| 0.003 * 1.9_f64.powi(power));
                let grid = grid_for([0.0; 3], max, 0.0033, particles);
                assert!(grid.cell_count() <= max_cells(particles), "{particles} particles in {max:?}");
            }
        }
    }

    #[test]
    fn stray_particles_do_not_blow_the_grid_up() {
        let grid = grid_for([-1e4; 3], [1e4; 3], 0.01, 2000);
        assert!(grid.cell_count() <= 8000);
    }
}
