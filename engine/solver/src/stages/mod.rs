//! Stages: the accesses and launch of each shader in `shaders/stages`, under the same name.

pub mod apply_changes;
pub mod begin;
pub mod bin;
pub mod clear_forces;
pub mod collect_impulses;
pub mod color_cells;
pub mod commit;
pub mod commit_grains;
pub mod correct_kernel;
pub mod count_iteration;
pub mod deform;
pub mod diagnose;
pub mod fill_pores;
pub mod find_neighbors;
pub mod find_walls;
pub mod finish;
pub mod force_residual;
pub mod fracture;
pub mod judge_residual;
pub mod list_cells;
pub mod measure_density;
pub mod measure_total;
pub mod modes;
pub mod newton;
pub mod plan_search;
pub mod plan_solve;
pub mod predict_velocity;
pub mod press_bodies;
pub mod press_grains;
pub mod pull_surface;
pub mod push_apart;
pub mod reverse_pairs;
pub mod scan;
pub mod scatter;
pub mod sheets;
pub mod smooth_velocity;
pub mod solve_colliders;
pub mod solve_contacts;
pub mod solve_grains;
pub mod solve_inelastic;
pub mod solve_links;
pub mod solve_total;
pub mod sort;
pub mod sum_residual;

mod prelude {
    pub use super::{
        AROUND, COLORED_PAIRS, COMMITTED_VALUES, CONTACTS, Count, Facts, LINKS, Launch, MATTER, SURFACES,
        TOTAL_CELLS, TOTAL_GROUP, Variant,
    };
    pub use crate::attributes::*;
    pub use crate::constants::*;
    pub use tuff_gpu::Access::{Coherent, Read, ReadWrite, Write};
    pub use tuff_gpu::{Access, AttributeId, Specialization};
    pub use tuff_problem::profile::Part;
}

use tuff_gpu::{Access, AttributeId, Specialization, StageDeclaration, StageId};
use tuff_problem::Problem;
use tuff_problem::profile::Part;
use tuff_scene::{Matter, Scheme, SolverSettings};

use crate::attributes::*;
use crate::bodies;
use crate::colliders::deform::Counts;
use crate::colliders::mesh::meshes;
use crate::constants::{SCAN_TILE, TILE};
use crate::mapping::Mapping;
use crate::materials;
use crate::mixtures;
use crate::setup;
use crate::tension;

/// Facts about a stage.
#[derive(Clone, Copy)]
pub struct Facts {
    /// Name, shader, accesses, and the source of indirect workgroup counts.
    pub declaration: StageDeclaration,
    /// Part of a substep to which its cost is assigned, except after the smoothing of velocities.
    pub part: Part,
    /// Launch mode.
    pub launch: Launch,
    /// Returns the specialization for a problem.
    variant: fn(&Variant<'_>) -> Specialization,
    /// Attributes that a failure report inspects after the stage, in the order of blame, with their names.
    pub looked_at: &'static [(AttributeId, &'static str)],
    /// Returns the attributes among the accesses that the variant for the given settings does not touch.
    pub idle: fn(&SolverSettings) -> &'static [AttributeId],
    /// Attributes among the accesses that only links need.
    pub of_links: &'static [AttributeId],
    /// Attributes among the accesses that only few particles or scenes need, such as those with adhesive or thin colliders or a surface
    /// tension: not counted as traffic.
    pub of_few: &'static [AttributeId],
    /// Quantities that the stage computes, each with the largest difference from the twin after one substep that the parity test
    /// accepts, relative to the largest magnitude.
    pub agreement: &'static [(&'static str, f64)],
    /// File under `engine/reference/src` that does the same in f64; `None` for stages that only count or plan launches.
    pub twin: Option<&'static str>,
}

impl Facts {
    const fn new(
        name: &'static str,
        shader: &'static str,
        part: Part,
        launch: Launch,
        accesses: &'static [(AttributeId, Access)],
    ) -> Self {
        let indirect = match launch {
            Launch::One(_)
            | Launch::Over(..)
            | Launch::Links(_)
            | Launch::TotalColors(_)
            | Launch::Levels(_) => None,
            Launch::Sized(_) | Launch::Iterated | Launch::Colors(_) => Some(ARGUMENTS),
        };
        Self {
            declaration: StageDeclaration { name, shader, accesses, indirect },
            part,
            launch,
            variant: |_| Specialization::default(),
            looked_at: &[],
            idle: |_| &[],
            of_links: &[],
            of_few: &[],
            agreement: &[],
            twin: None,
        }
    }

    const fn compiled(self, variant: fn(&Variant<'_>) -> Specialization) -> Self {
        Self { variant, ..self }
    }

    const fn looked_at(self, looked_at: &'static [(AttributeId, &'static str)]) -> Self {
        Self { looked_at, ..self }
    }

    const fn idle(self, idle: fn(&SolverSettings) -> &'static [AttributeId]) -> Self {
        Self { idle, ..self }
    }

    const fn of_links(self, of_links: &'static [AttributeId]) -> Self {
        Self { of_links, ..self }
    }

    const fn of_few(self, of_few: &'static [AttributeId]) -> Self {
        Self { of_few, ..self }
    }

    const fn agrees(self, agreement: &'static [(&'static str, f64)]) -> Self {
        Self { agreement, ..self }
    }

    const fn twin(self, file: &'static str) -> Self {
        Self { twin: Some(file), ..self }
    }
}

/// Launch mode of a stage. The numbers in the variants launched by the host are workgroup sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launch {
    /// By the host: one workgroup.
    One(u32),
    /// By the host: one invocation per counted item.
    Over(Count, u32),
    /// By the host, once per color of links: one invocation per link.
    Links(u32),
    /// By the host, once per color of the cells in which total bodies started: one invocation per cell.
    TotalColors(u32),
    /// By the host, once per level of the trees of deforming meshes, the deepest first: one invocation per node.
    Levels(u32),
    /// By the device: sized by an entry of the workgroup counts.
    Sized(u32),
    /// By the device, over particles: within iterations only until convergence, outside them always.
    Iterated,
    /// By the device, once per color of cells: sized by the entries of the workgroup counts from this one on.
    Colors(u32),
}

/// Items that the host counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Cells.
    Cells,
    /// Tiles of cells in their prefix sum.
    ScanTiles,
    /// Tiles of particles.
    Tiles,
    /// Vertices of deforming meshes.
    MeshPoints,
    /// Vertices of their patches.
    PatchPoints,
    /// Triangles of their patches.
    PatchTriangles,
    /// Tiles of particles, for each rigid body.
    RigidTiles,
    /// Lanes of a workgroup for each rigid body.
    RigidLanes,
    /// Tiles of particles, for each body with rigid modes.
    ModeTiles,
    /// Lanes of a workgroup for each body with rigid modes.
    ModeLanes,
    /// Particles, and edges and triangles of sheets.
    SheetOwners,
}

impl Count {
    /// Returns the number of items. `deforming`: those of deforming meshes, in the order of [`Count`]; `bodies`: numbers of rigid bodies
    /// and of bodies with rigid modes; `parts`: number of edges and triangles of sheets.
    pub fn of(self, cells: u32, particles: u32, deforming: [u32; 3], bodies: [u32; 2], parts: u32) -> u32 {
        let [rigid, modes] = bodies;
        match self {
            Count::Cells => cells,
            Count::ScanTiles => cells.div_ceil(SCAN_TILE),
            Count::Tiles => particles.div_ceil(TILE),
            Count::MeshPoints => deforming[0],
            Count::PatchPoints => deforming[1],
            Count::PatchTriangles => deforming[2],
            Count::RigidTiles => rigid * particles.div_ceil(TILE),
            Count::RigidLanes => 64 * rigid,
            Count::ModeTiles => modes * particles.div_ceil(TILE),
            Count::ModeLanes => 64 * modes,
            Count::SheetOwners => particles + parts,
        }
    }
}

/// Cells of a color, and the pairs of their particles.
pub const COLORED_PAIRS: [(AttributeId, Access); 5] = [
    (COLOR_COUNT, Access::Read),
    (COLORED_CELL, Access::Read),
    (CELL_START, Access::Read),
    (NEIGHBOR_RANGE, Access::Read),
    (PAIR, Access::Read),
];

/// Kept attributes of matter from which its stress follows.
pub const MATTER: [(AttributeId, Access); 6] = [
    (STRAIN_DIAGONAL, Access::Read),
    (STRAIN_SHEAR, Access::Read),
    (MEMORY, Access::Read),
    (STATE, Access::Read),
    (HISTORY, Access::Read),
    (IDENTITY, Access::Read),
];

/// What a stage reads that measures a fluid by the neighbors of its particles.
pub const AROUND: [(AttributeId, Access); 6] = [
    (POSITION, Access::Read),
    (NEIGHBOR_RANGE, Access::Read),
    (PAIR, Access::Read),
    (IDENTITY, Access::Read),
    (KERNEL_WEIGHT, Access::Read),
    (STATUS, Access::Read),
];

/// Surfaces of colliders.
pub const SURFACES: [(AttributeId, Access); 5] = [
    (COLLIDER, Access::Read),
    (PROFILE_POINT, Access::Read),
    (MESH_NODE, Access::Read),
    (MESH_TRIANGLE, Access::Read),
    (MESH_DRIFT, Access::Read),
];

/// What the contacts of particles with colliders follow from.
pub const CONTACTS: [(AttributeId, Access); SURFACES.len() + 5] = join(&[
    &SURFACES,
    &[
        (POSITION, Access::Read),
        (MEMORY, Access::Read),
        (TOUCHING, Access::Read),
        (MESH_NEAR, Access::Read),
        (WALL_PUSH, Access::Read),
    ],
]);

/// Accesses to links and their particles.
pub const LINKS: [(AttributeId, Access); 5] = [
    (LINKED_PLACE, Access::Read),
    (LINK, Access::Read),
    (LINK_NUMBERS, Access::Read),
    (LINK_START, Access::Read),
    (LINK_LIST, Access::Read),
];

/// Cells in which total bodies started.
pub const TOTAL_CELLS: [(AttributeId, Access); 5] = [
    (TOTAL_PLACE, Access::Read),
    (TOTAL_COLOR, Access::Read),
    (TOTAL_CELL, Access::Read),
    (TOTAL_MEMBER, Access::Read),
    (ARGUMENTS, Access::Read),
];

/// Number of these cells that a workgroup takes.
pub const TOTAL_GROUP: u32 = 32;

/// Attributes that a failure report inspects after a commit.
pub const COMMITTED_VALUES: &[(AttributeId, &str)] = &[
    (COMMITTED_STRAIN_DIAGONAL, "strain"),
    (COMMITTED_STRAIN_SHEAR, "strain"),
    (COMMITTED_MEMORY, "memory"),
    (COMMITTED_STATE, "state"),
    (COMMITTED_POSITION, "position"),
];

/// Inputs that determine the variants of the shaders.
pub struct Variant<'a> {
    settings: &'a SolverSettings,
    mapping: Mapping,
    /// The models' GLSL.
    sources: Vec<(String, String)>,
    history: materials::History,
    /// True if the deformation gradient of every particle is kept.
    deformation: bool,
    /// Source of the bodies' classes.
    bodies: String,
    /// Source of the mixtures, if there are any.
    mixtures: Option<String>,
    /// Source of the surface tension, if there is any.
    tension: Option<String>,
    /// True if there are ropes or cloth.
    linked: bool,
    /// True if there are total bodies.
    total: bool,
    /// Parts of deforming meshes.
    deforming: Counts,
}

impl Variant<'_> {
    fn jacobi(&self) -> bool {
        self.settings.scheme == Scheme::Jacobi
    }

    /// Returns true if kernels see matter as it was before its elastic strain.
    fn metric(&self) -> bool {
        let strained = self.settings.matter == Matter::Continuum;
        strained && self.settings.stabilization > 0.0 && self.settings.kernel_correction
    }

    /// Returns the definitions that tell shaders of links.
    fn links(&self) -> Vec<(String, String)> {
        let define = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        match self.linked {
            false => Vec::new(),
            true => {
                vec![define("LINKED_COUNT", "push.linked_count"), define("FIRST_LINKED", "push.first_linked")]
            }
        }
    }

    /// Returns the source of the bodies' classes.
    fn classes(&self) -> Vec<(String, String)> {
        vec![(bodies::SOURCE.to_owned(), self.bodies.clone())]
    }

    /// Returns the source of the mixtures.
    fn pores(&self) -> impl Iterator<Item = (String, String)> {
        self.mixtures.iter().map(|text| (mixtures::SOURCE.to_owned(), text.clone()))
    }

    /// Returns the source of the surface tension.
    fn tension(&self) -> impl Iterator<Item = (String, String)> {
        self.tension.iter().map(|text| (tension::SOURCE.to_owned(), text.clone()))
    }

    /// Returns the definitions that tell shaders of the springs that contacts with sheets are in a Newton solve.
    fn springs(&self) -> Vec<(String, String)> {
        if self.settings.newton() { vec![("SPRINGS".to_owned(), "1".to_owned())] } else { Vec::new() }
    }

    /// Returns true if particles keep what no gradient explains: as a memory, or as the drag of grains.
    fn remembers(&self) -> bool {
        self.settings.stabilization > 0.0 || self.mixtures.is_some()
    }

    /// Returns the definitions that tell shaders of total bodies, whose ids change when a sink takes others.
    fn total(&self) -> Vec<(String, String)> {
        let define = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        match self.total {
            false => vec![define("TOTAL_COUNT", "0u")],
            true => {
                vec![define("TOTAL_COUNT", "push.total_count"), define("FIRST_TOTAL", "push.first_total")]
            }
        }
    }

    fn with(&self, constants: &[(u32, u32)]) -> Specialization {
        Specialization { constants: constants.to_vec(), ..Default::default() }
    }

    /// Returns the specialization of shaders that evaluate the rows of particles, with this number of lanes per particle.
    fn rows(&self, lanes: u32) -> Specialization {
        let mut constants = solve_inelastic::row_constants(self.settings, self.remembers(), lanes);
        constants.push((0, self.mapping.solve_group));
        Specialization { constants, sources: self.sources.clone(), ..Default::default() }
    }
}

impl Variant<'_> {
    /// Returns the specialization of shaders that evaluate the rows of total bodies by the cells in which these started.
    fn total_rows(&self) -> Specialization {
        let mut all = self.rows(1);
        all.constants.retain(|constant| constant.0 != 0);
        all.constants.push((0, TOTAL_GROUP));
        all.defines.push(("TOTAL_CELLS".to_owned(), "1".to_owned()));
        all
    }
}

macro_rules! stages {
    ($($stage:ident = $facts:expr;)*) => {
        /// Stages of the substep; the number of a stage is its [`StageId`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Stage { $(#[doc = concat!("See `", stringify!($facts), "`.")] $stage),* }

        /// Declarations of all stages, by number.
        pub const DECLARATIONS: &[StageDeclaration] = &[$($facts.declaration),*];

        /// Facts about all stages, by number.
        pub const FACTS: &[Facts] = &[$($facts),*];

        const STAGES: &[Stage] = &[$(Stage::$stage),*];
    };
}

stages! {
    Begin = begin::STAGE;
    Bin = bin::STAGE;
    ScanTiles = scan::TILES;
    ScanSums = scan::SUMS;
    ScanApply = scan::APPLY;
    Scatter = scatter::STAGE;
    Sort = sort::STAGE;
    ListCells = list_cells::STAGE;
    PlanSearch = plan_search::STAGE;
    ColorCells = color_cells::STAGE;
    MoveVertices = deform::VERTICES;
    TurnVertices = deform::NORMALS;
    TurnTriangles = deform::TRIANGLES;
    RefitBoxes = deform::BOXES;
    SheetSpeeds = sheets::SPEEDS;
    RefitSheets = sheets::BOXES;
    FindWalls = find_walls::STAGE;
    FindNeighbors = find_neighbors::STAGE;
    PlanSolve = plan_solve::STAGE;
    MeasureTotal = measure_total::STAGE;
    ReversePairs = reverse_pairs::STAGE;
    PredictVelocity = predict_velocity::STAGE;
    FillPores = fill_pores::STAGE;
    CorrectKernel = correct_kernel::STAGE;
    PressGrains = press_grains::STAGE;
    MeasureDensity = measure_density::STAGE;
    PullSurface = pull_surface::STAGE;
    ListMeetings = sheets::LIST;
    PlanMeetings = sheets::PLAN;
    OrderMeetings = sheets::ORDER;
    LookSheets = sheets::LOOK;
    CountIteration = count_iteration::STAGE;
    SolveInelastic = solve_inelastic::STAGE;
    SolveTotal = solve_total::STAGE;
    ApplyChanges = apply_changes::STAGE;
    SolveContacts = solve_contacts::STAGE;
    SolveGrains = solve_grains::STAGE;
    SolveLinks = solve_links::STAGE;
    SolveSheets = sheets::SOLVE;
    SolveColliders = solve_colliders::STAGE;
    PressBodies = press_bodies::BY_MASS;
    SumLoads = press_bodies::SUM;
    ClearForces = clear_forces::STAGE;
    ForceResidual = force_residual::STAGE;
    ForceResidualTotal = force_residual::TOTAL;
    SumResidual = sum_residual::STAGE;
    JudgeResidual = judge_residual::STAGE;
    NewtonPlan = newton::PLAN;
    NewtonGuess = newton::GUESS;
    NewtonPass = newton::PASS;
    NewtonBlocks = newton::BLOCKS;
    NewtonForces = newton::FORCES;
    NewtonSum = newton::SUM;
    SumModes = modes::SUM;
    NewtonJudge = newton::JUDGE;
    MoveModes = modes::MOVE;
    NewtonUpdate = newton::UPDATE;
    NewtonPress = press_bodies::BY_BLOCK;
    NewtonHold = newton::HOLD;
    NewtonKeep = newton::KEEP;
    PushApart = push_apart::PUSH;
    ApplyPushes = push_apart::APPLY;
    VelocityGradient = smooth_velocity::GRADIENT;
    SmoothVelocity = smooth_velocity::SMOOTH;
    Commit = commit::STAGE;
    ShiftSheets = sheets::SHIFTS;
    SettleSheets = sheets::SETTLE;
    CommitGrains = commit_grains::STAGE;
    CollectImpulses = collect_impulses::STAGE;
    Finish = finish::STAGE;
    BreakPairs = fracture::PAIRS;
    TearLinks = fracture::TRIANGLES;
    Diagnose = diagnose::STAGE;
}

impl Stage {
    /// Returns the position among the executor's stages.
    pub fn id(self) -> StageId {
        StageId(self as u16)
    }

    /// Returns the stage at a position.
    pub fn of(id: StageId) -> Option<Stage> {
        STAGES.get(usize::from(id.0)).copied()
    }

    /// Returns the facts about the stage.
    pub fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// Returns the declaration: name, shader and accesses.
    pub fn declaration(self) -> &'static StageDeclaration {
        &DECLARATIONS[self as usize]
    }
}

/// Returns true if a collider or a rigid body holds matter by adhesion.
pub fn adheres(problem: &Problem) -> bool {
    problem.faces.iter().any(|face| face.surface.adhesion > 0.0)
}

/// Returns all stages with their specializations for a problem, by number.
pub fn specialized(problem: &Problem, mapping: Mapping) -> Vec<(StageDeclaration, Specialization)> {
    let variant = Variant {
        settings: &problem.scene.solver,
        mapping,
        sources: materials::sources(problem),
        history: materials::History::of(problem),
        deformation: setup::follows_deformation(problem),
        bodies: bodies::source(problem),
        mixtures: mixtures::source(problem),
        tension: tension::source(problem),
        linked: !problem.links.is_empty(),
        total: problem.scene.bodies.iter().any(|body| body.kind.is_total()),
        deforming: Counts::of(problem),
    };
    let meshes = meshes(&problem.faces).next().map(|_| ("MESHES".to_owned(), String::new()));
    let adhesion = adheres(problem).then(|| ("ADHESION".to_owned(), String::new()));
    let cut = problem.has_pieces().then(|| ("CUTS".to_owned(), String::new()));
    let walls = setup::have_walls(problem).then(|| ("WALLS".to_owned(), String::new()));
    let rigid = (!problem.rigid.is_empty()).then(|| ("RIGID".to_owned(), String::new()));
    let fluids = problem.classes.have_fluid().then(|| ("FLUIDS".to_owned(), String::new()));
    let mixed = (!problem.mixtures.is_empty())
        .then(|| (mixtures::MACRO.to_owned(), format!("{}u", problem.mixtures.all().len())));
    let tense = (!problem.tension.is_empty()).then(|| (tension::MACRO.to_owned(), String::new()));
    let modes = match setup::modes(problem) {
        0 => None,
        count => Some(("MODES".to_owned(), format!("{count}u"))),
    };
    let contrast = problem.contrast.is_any().then(|| ("CONTRAST".to_owned(), String::new()));
    let deforms = (variant.deforming.meshes > 0).then(|| ("DEFORMS".to_owned(), String::new()));
    let touched = crate::sheets::defines(problem);
    let specialized = |facts: &Facts| {
        let mut specialization = (facts.variant)(&variant);
        specialization.defines.extend(
            variant.links().into_iter().chain(variant.total()).chain(touched.iter().cloned()).chain(
                [
                    &meshes, &adhesion, &cut, &walls, &rigid, &fluids, &mixed, &tense, &deforms, &modes,
                    &contrast,
                ]
                .into_iter()
                .flatten()
                .cloned(),
            ),
        );
        (facts.declaration, specialization)
    };
    FACTS.iter().map(specialized).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Twins of shader headers; they are no stages.
    const SHARED: [&str; 4] = ["curvature.rs", "loose.rs", "overlap.rs", "packing.rs"];

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn files(folder: &str) -> BTreeSet<String> {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn every_shader_has_a_stage_and_every_stage_a_shader() {
        let shaders: BTreeSet<String> =
            DECLARATIONS.iter().map(|stage| stage.shader.trim_start_matches("stages/").to_owned()).collect();
        assert_eq!(files("shaders/stages"), shaders);
        let names: BTreeSet<&str> = DECLARATIONS.iter().map(|stage| stage.name).collect();
        assert_eq!(names.len(), DECLARATIONS.len(), "two stages have one name");
    }

    #[test]
    fn workgroups_that_the_host_counts_are_those_of_the_shaders() {
        for facts in FACTS {
            let group = match facts.launch {
                Launch::One(group)
                | Launch::Over(_, group)
                | Launch::Links(group)
                | Launch::Levels(group) => group,
                Launch::Sized(_) | Launch::Iterated | Launch::Colors(_) | Launch::TotalColors(_) => continue,
            };
            let shader = fs::read_to_string(root().join("shaders").join(facts.declaration.shader)).unwrap();
            let layout = format!("layout(local_size_x = {group}) in;");
            assert!(shader.contains(&layout), "{} has no {layout}", facts.declaration.shader);
        }
    }

    #[test]
    fn every_stage_file_is_in_the_table() {
        let table = include_str!("mod.rs");
        for file in files("engine/solver/src/stages").iter().filter(|file| *file != "mod.rs") {
            assert!(table.contains(&format!(" = {}::", file.trim_end_matches(".rs"))), "{file} has no stage");
        }
    }

    #[test]
    fn every_twin_exists_and_every_file_of_stages_in_f64_is_one() {
        let twins: BTreeSet<&str> = FACTS.iter().filter_map(|facts| facts.twin).collect();
        for twin in &twins {
            assert!(root().join("engine/reference/src").join(twin).is_file(), "{twin} does not exist");
        }
        for file in files("engine/reference/src/stages") {
            let shared = SHARED.contains(&file.as_str()) || file == "mod.rs";
            assert_eq!(twins.contains(format!("stages/{file}").as_str()), !shared, "{file}");
        }
    }

    /// Every stage that computes properties of particles has a twin in f64.
    #[test]
    fn only_plans_and_counts_have_no_twin() {
        let lone = FACTS.iter().filter(|facts| facts.twin.is_none()).map(|facts| facts.declaration.name);
        assert_eq!(
            lone.collect::<Vec<_>>(),
            ["begin", "plan_search", "plan_solve", "plan_meetings", "count_iteration", "finish"]
        );
    }
}
