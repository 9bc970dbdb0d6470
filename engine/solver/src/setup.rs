//! From a problem to sizes, settings and push constants.

use tuff_gpu::GpuError;
use tuff_problem::{Grid, Problem, Wanted, max_cells};
use tuff_scene::Matter;

use crate::attributes::Sizes;
use crate::colliders::{UnsupportedCollider, profile_points};
use crate::mapping::Mapping;
use crate::materials::History;
use crate::push::Push;

/// Most particles: a pair record keeps 24 bits for an index.
pub const MAX_PARTICLES: usize = tuff_problem::MAX_PARTICLES;
/// Smallest subgroup: the neighbor search passes candidates round groups of 8 lanes.
pub const MIN_SUBGROUP: u32 = 8;
/// Most faces of colliders: a contact keeps a byte for an index plus one.
pub const MAX_COLLIDERS: usize = tuff_problem::MAX_FACES;
/// Pair records per particle that are made room for at first; the interior of a lattice at the kernel
/// radius has 26, and buffers grow when there are more.
pub const FIRST_PAIRS_PER_PARTICLE: u64 = 28;
/// Most substeps that are submitted together.
pub const MAX_BATCH: u64 = 64;
/// Pairs that may come into contact are this much farther apart than it acts [kernel radii].
pub const CONTACT_MARGIN: f64 = 0.1;

/// How a simulation runs on a device.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Device by index or part of its name; the best one when absent.
    pub device: Option<String>,
    /// Mapping in place of the one chosen for the device.
    pub mapping: Option<Mapping>,
    /// How buffers are reached, in place of what the device asks for.
    pub store: Option<tuff_gpu::StoreOptions>,
}

/// Why a simulation cannot be set up on a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The device, driver or a shader failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A collider has a shape without an analytic distance.
    #[error(transparent)]
    Collider(#[from] UnsupportedCollider),
    /// The GLSL of a model does not compile.
    #[error("{library}: the GLSL of model `{model}` does not compile: {place}: {message}")]
    Model {
        /// The model's library.
        library: String,
        /// Id of the model.
        model: String,
        /// File and line of the first error.
        place: String,
        /// The first error, and all of the compiler's output.
        message: String,
    },
    /// A shader does not compile for a reason outside the models' texts, which only they can have caused.
    #[error("the GLSL of one of the models does not fit the engine: {error}\nmodels in use: {models}")]
    Models {
        /// What the compiler says.
        error: String,
        /// Id and library of each model.
        models: String,
    },
    /// The name of a model's GLSL text is that of another source.
    #[error("{library}: the GLSL of model `{model}` is named `{name}`, as {other}; rename it in the library")]
    SourceName {
        /// The model's library.
        library: String,
        /// Id of the model.
        model: String,
        /// The name.
        name: String,
        /// What else has it.
        other: String,
    },
    /// The device's subgroups are too small for the neighbor search.
    #[error(
        "{device}: subgroups of {size} invocations, at least {MIN_SUBGROUP} are needed; choose another with --device"
    )]
    Subgroup {
        /// Name of the device.
        device: String,
        /// Its subgroup size.
        size: u32,
    },
    /// The scene exceeds a fixed limit.
    #[error("{what}: {count}, at most {limit} are possible; {advice}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
        /// What to change.
        advice: &'static str,
    },
}

/// Checks the fixed limits.
pub fn check_limits(problem: &Problem) -> Result<(), SolverError> {
    let limit = |what, count: usize, limit: usize, advice| {
        if count > limit { Err(SolverError::Limit { what, count, limit, advice }) } else { Ok(()) }
    };
    limit("particles", problem.particle_count(), MAX_PARTICLES, "use a larger spacing or --particles")?;
    limit(
        "faces of colliders (six of a box, three of a cylinder and one per wall of a solid of revolution that hold matter inside)",
        problem.faces.len(),
        MAX_COLLIDERS,
        "join or remove colliders",
    )
}

/// Sizes of all attributes for `pairs` pair records.
pub fn sizes(problem: &Problem, pairs: u64) -> Sizes {
    let particles = problem.particle_count();
    Sizes {
        particles: particles as u64,
        history: u64::from(History::of(problem).words()),
        deformation: if follows_deformation(problem) { 3 * particles as u64 } else { 0 },
        cells: u64::from(max_cells(particles)),
        pairs,
        faces: problem.faces.len() as u64,
        pins: problem.scene.pins.len() as u64,
        batch: MAX_BATCH,
        profile_points: profile_points(&problem.faces).len() as u64,
        bodies: problem.scene.bodies.len() as u64,
        linked: problem.links.particle_count() as u64,
        links: problem.links.all.len() as u64,
        link_colors: problem.links.colors().count() as u64,
        incidences: problem.links.incidences.len() as u64,
        newton: newton_particles(problem),
    }
}

/// Whether the deformation gradient of every particle is kept: frames show it, and matter has one.
pub fn follows_deformation(problem: &Problem) -> bool {
    Wanted::of(&problem.scene).deformation && problem.scene.solver.matter == Matter::Continuum
}

/// Particles where the scheme is Newton's, otherwise 0.
pub fn newton_particles(problem: &Problem) -> u64 {
    if problem.scene.solver.newton() { problem.particle_count() as u64 } else { 0 }
}

/// Links of each color.
pub fn link_colors(problem: &Problem) -> Vec<u32> {
    problem.links.colors().map(|color| color.len() as u32).collect()
}

/// Device memory of a problem with `neighbors` neighbors per particle on average [bytes].
pub fn memory_estimate(problem: &Problem, neighbors: f64) -> u64 {
    sizes(problem, (neighbors * problem.particle_count() as f64).ceil() as u64).bytes()
}

/// Push constants of a substep of length `dt` [s]; colors, phases and first words are set by the recorder.
pub fn push(problem: &Problem, grid: &Grid, dt: f64, pair_capacity: u64) -> Push {
    let settings = &problem.scene.solver;
    let r = settings.kernel_radius;
    let g = problem.scene.gravity;
    let min_distance = settings.min_distance();
    let grain_friction = match settings.matter {
        Matter::Grains { friction } => friction,
        Matter::Continuum => 0.0,
    };
    let contact_distance = if min_distance > 0.0 { min_distance + CONTACT_MARGIN * r } else { 0.0 };
    let pins = &problem.particles.pin;
    let free: f64 = problem.mass.iter().zip(pins).filter(|&(_, &pin)| pin == u32::MAX).map(|(m, _)| m).sum();
    Push {
        dt: dt as f32,
        kernel_radius: r as f32,
        gravity_x: g.x as f32,
        gravity_y: g.y as f32,
        gravity_z: g.z as f32,
        stabilization: settings.stabilization as f32,
        xsph: problem.xsph_coefficient(dt) as f32,
        min_distance: min_distance as f32,
        contact_distance: contact_distance as f32,
        grain_friction: grain_friction as f32,
        residual_floor: (1e-6 * free * g.length() * dt) as f32,
        residual_tolerance: settings.residual_tolerance as f32,
        cell_edge: grid.edge,
        grid_x: grid.size[0],
        grid_y: grid.size[1],
        grid_z: grid.size[2],
        cell_count: grid.cell_count(),
        particle_count: problem.particle_count() as u32,
        pair_capacity: u32::try_from(pair_capacity).unwrap_or(u32::MAX),
        collider_count: problem.faces.len() as u32,
        ..Push::default()
    }
}
