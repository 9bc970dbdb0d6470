//! The stages: for each shader of `shaders/stages` what it reads and writes, under the same name.

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
pub mod diagnose;
pub mod find_neighbors;
pub mod finish;
pub mod force_residual;
pub mod judge_residual;
pub mod list_cells;
pub mod newton;
pub mod plan_search;
pub mod plan_solve;
pub mod predict_velocity;
pub mod push_apart;
pub mod reverse_pairs;
pub mod scan;
pub mod scatter;
pub mod smooth_velocity;
pub mod solve_colliders;
pub mod solve_contacts;
pub mod solve_grains;
pub mod solve_inelastic;
pub mod sort;
pub mod sum_residual;

mod prelude {
    pub use crate::attributes::*;
    pub use tuff_gpu::Access::{Read, ReadWrite, Write};
    pub use tuff_gpu::{Access, AttributeId, Specialization, StageDeclaration};
}

use tuff_gpu::{Specialization, StageDeclaration, StageId};
use tuff_problem::Problem;
use tuff_scene::{Matter, Scheme, Smoothing};

use crate::constants::CORRECT_NOTHING;
use crate::mapping::Mapping;
use crate::materials;

macro_rules! stages {
    ($($stage:ident = $declaration:expr;)*) => {
        /// A stage of the substep; its number is its [`StageId`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Stage { $(#[doc = concat!("See `", stringify!($declaration), "`.")] $stage),* }

        /// Declarations of all stages, by number.
        pub const DECLARATIONS: &[StageDeclaration] = &[$($declaration),*];

        const STAGES: &[Stage] = &[$(Stage::$stage),*];
    };
}

stages! {
    Begin = begin::DECLARATION;
    Bin = bin::DECLARATION;
    ScanTiles = scan::TILES;
    ScanSums = scan::SUMS;
    ScanApply = scan::APPLY;
    Scatter = scatter::DECLARATION;
    Sort = sort::DECLARATION;
    ListCells = list_cells::DECLARATION;
    PlanSearch = plan_search::DECLARATION;
    ColorCells = color_cells::DECLARATION;
    FindNeighbors = find_neighbors::DECLARATION;
    PlanSolve = plan_solve::DECLARATION;
    ReversePairs = reverse_pairs::DECLARATION;
    CorrectKernel = correct_kernel::DECLARATION;
    PredictVelocity = predict_velocity::DECLARATION;
    CountIteration = count_iteration::DECLARATION;
    SolveInelastic = solve_inelastic::DECLARATION;
    ApplyChanges = apply_changes::DECLARATION;
    SolveContacts = solve_contacts::DECLARATION;
    SolveGrains = solve_grains::DECLARATION;
    SolveColliders = solve_colliders::DECLARATION;
    ClearForces = clear_forces::DECLARATION;
    ForceResidual = force_residual::DECLARATION;
    SumResidual = sum_residual::DECLARATION;
    JudgeResidual = judge_residual::DECLARATION;
    NewtonPlan = newton::PLAN;
    NewtonGuess = newton::GUESS;
    NewtonPass = newton::PASS;
    NewtonBlocks = newton::BLOCKS;
    NewtonForces = newton::FORCES;
    NewtonSum = newton::SUM;
    NewtonJudge = newton::JUDGE;
    NewtonUpdate = newton::UPDATE;
    NewtonKeep = newton::KEEP;
    PushApart = push_apart::PUSH;
    ApplyPushes = push_apart::APPLY;
    VelocityGradient = smooth_velocity::GRADIENT;
    SmoothVelocity = smooth_velocity::SMOOTH;
    Commit = commit::DECLARATION;
    CommitGrains = commit_grains::DECLARATION;
    CollectImpulses = collect_impulses::DECLARATION;
    Finish = finish::DECLARATION;
    Diagnose = diagnose::DECLARATION;
}

impl Stage {
    /// Position among the executor's stages.
    pub fn id(self) -> StageId {
        StageId(self as u16)
    }

    /// The stage at a position.
    pub fn of(id: StageId) -> Option<Stage> {
        STAGES.get(usize::from(id.0)).copied()
    }

    /// What it reads and writes.
    pub fn declaration(self) -> &'static StageDeclaration {
        &DECLARATIONS[self as usize]
    }
}

/// All stages with what this problem compiles them with, by number.
pub fn specialized(problem: &Problem, mapping: Mapping) -> Vec<(StageDeclaration, Specialization)> {
    let settings = &problem.scene.solver;
    let jacobi = settings.scheme == Scheme::Jacobi;
    let strained = settings.matter == Matter::Continuum;
    let metric = strained && settings.stabilization > 0.0 && settings.kernel_correction;
    let newton = settings.newton();
    let one_body = problem.scene.bodies.len() == 1;
    let sources = materials::sources(problem);
    let history = materials::History::of(problem);
    let with = |constants: Vec<(u32, u32)>| Specialization { constants, ..Default::default() };
    let rows = |lanes: u32| {
        let mut constants = solve_inelastic::row_constants(settings, lanes);
        constants.push((0, mapping.solve_group));
        Specialization { constants, sources: sources.clone(), ..Default::default() }
    };
    STAGES
        .iter()
        .map(|&stage| {
            let specialization = match stage {
                Stage::Sort => with(vec![(0, metric.into()), (1, history.words()), (2, newton.into())]),
                Stage::PlanSearch => with(vec![(0, mapping.search_group)]),
                Stage::ColorCells => {
                    with(vec![(0, mapping.solve_group / mapping.lanes), (1, mapping.shares)])
                }
                Stage::FindNeighbors => {
                    find_neighbors::specialization(mapping.search_group, one_body, metric, newton)
                }
                Stage::PlanSolve => with(vec![(0, mapping.solve_group), (1, mapping.lanes)]),
                Stage::CorrectKernel => {
                    with(vec![(0, settings.kernel_correction.into()), (1, jacobi.into()), (2, metric.into())])
                }
                Stage::SolveInelastic => {
                    let mut all = rows(mapping.lanes);
                    let correction =
                        if jacobi { CORRECT_NOTHING } else { solve_contacts::correction(settings) };
                    all.constants.push((6, correction));
                    if jacobi {
                        all.defines.push(("JACOBI".to_owned(), "1".to_owned()));
                    }
                    all
                }
                Stage::SolveContacts => with(vec![
                    (0, mapping.solve_group),
                    (1, mapping.lanes),
                    (6, solve_contacts::correction(settings)),
                ]),
                Stage::SmoothVelocity => {
                    with(vec![(0, matches!(settings.smoothing, Smoothing::Noise(_)).into())])
                }
                Stage::SolveGrains => with(vec![(0, mapping.solve_group), (1, mapping.lanes)]),
                Stage::ForceResidual | Stage::NewtonPass => rows(1),
                Stage::Commit => {
                    let mut all = rows(1);
                    all.constants.push((7, newton.into()));
                    all
                }
                Stage::NewtonBlocks => Specialization {
                    defines: vec![("BLOCKS".to_owned(), "1".to_owned())],
                    ..Default::default()
                },
                Stage::Diagnose => Specialization { sources: sources.clone(), ..Default::default() },
                _ => Specialization::default(),
            };
            (DECLARATIONS[stage as usize], specialization)
        })
        .collect()
}
