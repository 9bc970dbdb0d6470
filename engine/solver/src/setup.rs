//! Derives sizes, settings and push constants from a problem.

use tuff_gpu::GpuError;
use tuff_problem::{Grid, OptionalFields, Problem, max_cells};
use tuff_scene::{Matter, Mesh};

use crate::attributes::Sizes;
use crate::colliders::deform::Counts;
use crate::colliders::mesh::{MAX_NODES, meshes};
use crate::colliders::{UnsupportedCollider, profile_points, word_count};
use crate::mapping::Mapping;
use crate::materials::History;
use crate::push::Push;

/// Maximum number of particles: a pair record has 24 bits for an index.
pub const MAX_PARTICLES: usize = tuff_problem::MAX_PARTICLES;
/// Minimum subgroup size: the neighbor search passes candidates around groups of 8 lanes.
pub const MIN_SUBGROUP: u32 = 8;
/// Maximum number of collider faces: a contact has a byte for an index plus one.
pub const MAX_COLLIDERS: usize = tuff_problem::MAX_FACES;
/// Initial capacity for pair records per particle; the interior of a lattice with the spacing of the kernel radius has 26 neighbors,
/// interleaved lists of matter that flows take a quarter more than that, and buffers grow if there are more.
pub const FIRST_RECORDS_PER_PARTICLE: u64 = 36;
/// Pair records that lists occupy per pair, since interleaved lists all take the room of the longest: 1.06 on a lattice, up to 1.26 in
/// shipped scenes that flow.
const RECORDS_PER_PAIR: f64 = 1.25;
/// Initial capacity for contacts with sheets per triangle; buffers grow if there are more.
const FIRST_MEETINGS_PER_TRIANGLE: u64 = 8;
/// Maximum number of substeps that are submitted together.
pub const MAX_BATCH: u64 = 64;
/// Margin by which candidates of the position correction may exceed the distance at which it acts [kernel radii].
pub const CONTACT_MARGIN: f64 = 0.1;

/// Options for a simulation on a device.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Index or part of the name of the device; the best device if absent.
    pub device: Option<String>,
    /// Overrides the mapping chosen for the device.
    pub mapping: Option<Mapping>,
    /// Overrides the device's choice of how shaders access buffers.
    pub store: Option<tuff_gpu::StoreOptions>,
}

/// Reason why a simulation cannot be set up on a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The device, driver or a shader failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A scene without matter.
    #[error(
        "a scene of rigid bodies alone has nothing for a Vulkan device to do; use --device cpu, the default for such scenes"
    )]
    NoMatter,
    /// A collider has a shape without an analytic distance.
    #[error(transparent)]
    Collider(#[from] UnsupportedCollider),
    /// The GLSL of a model does not compile.
    #[error("{library}: the GLSL of model `{model}` does not compile: {place}: {message}")]
    Model {
        /// Library of the model.
        library: String,
        /// Id of the model.
        model: String,
        /// File and line of the first error.
        place: String,
        /// First error, followed by the whole output of the compiler if it has several lines.
        message: String,
    },
    /// A shader does not compile at a place outside the models' texts, but only a model can be the cause.
    #[error("the GLSL of one of the models does not fit the engine: {error}\nmodels in use: {models}")]
    Models {
        /// Message of the compiler.
        error: String,
        /// Id and library of each model.
        models: String,
    },
    /// The name of a model's GLSL text is that of another source.
    #[error("{library}: the GLSL of model `{model}` is named `{name}`, as {other}; rename it in the library")]
    SourceName {
        /// Library of the model.
        library: String,
        /// Id of the model.
        model: String,
        /// The name.
        name: String,
        /// The other source with this name.
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
        /// Quantity that exceeds its limit.
        what: &'static str,
        /// Number in the scene.
        count: usize,
        /// Maximum number.
        limit: usize,
        /// Suggested change to the scene.
        advice: &'static str,
    },
}

/// Checks the fixed limits.
pub fn check_limits(problem: &Problem) -> Result<(), SolverError> {
    let limit = |what, count: usize, limit: usize, advice| {
        if count > limit { Err(SolverError::Limit { what, count, limit, advice }) } else { Ok(()) }
    };
    if problem.scene.bodies.is_empty() {
        return Err(SolverError::NoMatter);
    }
    limit("particles", problem.particle_count(), MAX_PARTICLES, "use a larger spacing or --particles")?;
    limit(
        "faces of colliders (six of a box, three of a cylinder and one per wall of a solid of revolution that hold matter inside, and one per wall of a cut)",
        problem.faces.len(),
        MAX_COLLIDERS,
        "join or remove colliders",
    )?;
    limit(
        "faces of colliders and pieces of cloth that others touch, together",
        problem.faces.len() + problem.sheets.all.len(),
        MAX_COLLIDERS,
        "join or remove some, or set `contact = false` in [[cloth]]",
    )?;
    limit(
        "nodes in the trees of mesh colliders, about one per triangle and side",
        meshes(&problem.faces).map(Mesh::node_count).sum(),
        MAX_NODES,
        "use coarser meshes",
    )
}

/// Returns the sizes of all attributes for `pairs` pair records.
pub fn sizes(problem: &Problem, pairs: u64) -> Sizes {
    let particles = problem.particle_count();
    let deforming = Counts::of(problem);
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
        collider_words: word_count(&problem.faces),
        mesh_nodes: meshes(&problem.faces).map(|mesh| mesh.node_count() as u64).sum(),
        mesh_triangles: meshes(&problem.faces).map(|mesh| mesh.triangles.len() as u64).sum(),
        deforming: deforming.meshes.into(),
        mesh_points: deforming.points.into(),
        mesh_knots: deforming.knots,
        patch_points: deforming.patch_points.into(),
        patch_around: deforming.around.into(),
        patch_triangles: deforming.triangles.into(),
        refit_nodes: deforming.nodes().into(),
        refit_levels: deforming.levels.len() as u64 + 1,
        bodies: problem.scene.bodies.len() as u64,
        rigid: problem.rigid.len() as u64,
        modes: modes(problem).into(),
        total: problem.total.count() as u64,
        total_pairs: problem.total.pairs.len() as u64,
        breaking_pairs: if problem.total.may_break() { problem.total.pairs.len() as u64 } else { 0 },
        total_cells: problem.total.cell_start.len().saturating_sub(1) as u64,
        linked: problem.links.particle_count() as u64,
        links: problem.links.all.len() as u64,
        link_colors: problem.links.colors().count() as u64,
        incidences: problem.links.incidences.len() as u64,
        sheets: problem.sheets.all.len() as u64,
        sheet_triangles: problem.sheets.triangles.len() as u64,
        sheet_edges: problem.sheets.edges.len() as u64,
        meetings: FIRST_MEETINGS_PER_TRIANGLE * problem.sheets.triangles.len() as u64,
        walled: if have_walls(problem) { particles as u64 } else { 0 },
        fluid: if problem.classes.have_fluid() { particles as u64 } else { 0 },
        mixed: if problem.mixtures.is_empty() { 0 } else { particles as u64 },
        newton: newton_particles(problem),
    }
}

/// Returns true if something may be a wall between particles: a thin collider or a sheet.
pub fn have_walls(problem: &Problem) -> bool {
    problem.has_walls() || !problem.sheets.is_empty()
}

/// Returns true if the deformation gradient of every particle is kept: if frames show it and the matter has one.
pub fn follows_deformation(problem: &Problem) -> bool {
    OptionalFields::of(&problem.scene).deformation && problem.scene.solver.matter == Matter::Continuum
}

/// Returns the number of particles with Newton's scheme, otherwise 0.
pub fn newton_particles(problem: &Problem) -> u64 {
    if problem.scene.solver.newton() { problem.particle_count() as u64 } else { 0 }
}

/// Returns the number of bodies with rigid modes, which only Newton's scheme needs.
pub fn modes(problem: &Problem) -> u32 {
    if problem.scene.solver.newton() { problem.contrast.mode_count() } else { 0 }
}

/// Returns the device memory of a problem with `neighbors` neighbors per particle on average [bytes].
pub fn memory_estimate(problem: &Problem, neighbors: f64) -> u64 {
    sizes(problem, (RECORDS_PER_PAIR * neighbors * problem.particle_count() as f64).ceil() as u64).bytes()
}

/// Returns the push constants of a substep of length `dt` [s]; colors, phases and first words are set by the recorder.
pub fn push(problem: &Problem, grid: &Grid, dt: f64, pair_capacity: u64, meeting_capacity: u64) -> Push {
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
        meeting_capacity: u32::try_from(meeting_capacity).unwrap_or(u32::MAX),
        collider_count: problem.faces.len() as u32,
        first_total: problem.total.first_particle,
        total_count: problem.total.count() as u32,
        first_linked: problem.links.first_particle,
        linked_count: problem.links.particle_count() as u32,
        rigid_count: problem.rigid.len() as u32,
        ..Push::default()
    }
}
