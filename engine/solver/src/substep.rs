//! One substep, stage by stage (paper: Algorithm 1). The formulas are in this crate's README.md.

use tuff_gpu::{Groups, PushConstants, Recording};
use tuff_problem::{COLOR_COUNT, CORRECTION_ROUNDS, CORRECTION_SWEEPS};
use tuff_scene::{Matter, PositionCorrection, Scheme, Smoothing, SolverSettings};

use crate::attributes::{ARGUMENTS, AWAKE, CELL_COUNT, LINK_MULTIPLIER};
use crate::constants::{
    ARGUMENTS_CELLS, ARGUMENTS_COLORS, ARGUMENTS_ITERATE, ARGUMENTS_PARTICLES, ARGUMENTS_RESIDUAL,
    ARGUMENTS_SEARCH, ARGUMENTS_SOLVE, ARGUMENTS_SUMS, ARGUMENTS_TILES, NEWTON_CLOSE, SCAN_TILE, TILE,
};
use crate::push::Push;
use crate::stages::Stage;

/// Passes that may be the first to count: that at the guess, and that at the predicted velocities where the guess is refused.
const FIRST_PASSES: u32 = 2;

/// Appends stages to a recording.
pub struct Recorder<'a> {
    /// What is recorded into.
    pub recording: &'a mut Recording,
    /// Push constants of the stages to come.
    pub push: Push,
    /// Links of each color.
    pub link_colors: &'a [u32],
    /// Passes of a Newton solve to record, at most: where they do not suffice, the substep fails.
    pub passes: u32,
}

impl Recorder<'_> {
    /// A stage over `count` invocations in workgroups of `local_size`.
    fn over(&mut self, stage: Stage, count: u32, local_size: u32) {
        let groups = Groups::linear(u64::from(count), local_size);
        self.recording.dispatch(stage.id(), groups, PushConstants::of(&self.push));
    }

    /// A stage of one workgroup.
    fn once(&mut self, stage: Stage) {
        self.recording.dispatch(stage.id(), Groups::Direct([1, 1, 1]), PushConstants::of(&self.push));
    }

    /// A stage whose size is an entry of the workgroup counts.
    fn sized(&mut self, stage: Stage, entry: u32) {
        let groups = Groups::Indirect { attribute: ARGUMENTS, offset: 16 * u64::from(entry) };
        self.recording.dispatch(stage.id(), groups, PushConstants::of(&self.push));
    }

    /// A stage once per color, sized by the entries from `first_entry` on.
    fn colored(&mut self, stage: Stage, first_entry: u32) {
        for color in 0..COLOR_COUNT {
            self.push.color = color;
            self.sized(stage, first_entry + color);
        }
    }

    /// Whole substep; `measured` adds the force residual at its end.
    pub fn substep(&mut self, settings: &SolverSettings, measured: bool) {
        let grains = settings.matter != Matter::Continuum;
        let measured = measured && !grains;
        let judged = settings.residual_tolerance > 0.0 && !grains;
        self.neighborhood();
        if !grains {
            self.sized(Stage::CorrectKernel, ARGUMENTS_SOLVE); //  L_p, g_b: eq. 10
        }
        self.recording.fill(AWAKE, 0);
        self.sized(Stage::PredictVelocity, ARGUMENTS_SOLVE); //    v <- v + dt f_ext / m, lambda <- 0
        let newton = settings.newton();
        if newton {
            self.newton(settings);
        } else if judged || measured {
            self.residual(0);
        }
        let sweeps = if newton { 0 } else { settings.iterations };
        if sweeps > 0 && !self.link_colors.is_empty() {
            self.recording.fill(LINK_MULTIPLIER, 0);
        }
        for iteration in 0..sweeps {
            self.once(Stage::CountIteration);
            if grains {
                self.colored(Stage::SolveGrains, ARGUMENTS_COLORS);
            } else {
                self.sweep(settings); //                           eq. 9-14, 17-19, 21
            }
            self.links();
            if self.push.collider_count > 0 {
                self.sized(Stage::SolveColliders, ARGUMENTS_ITERATE);
            }
            if judged || (measured && iteration + 1 == sweeps) {
                self.residual(1);
            }
        }
        if !grains || self.push.xsph > 0.0 {
            if self.push.xsph > 0.0 && matches!(settings.smoothing, Smoothing::Noise(_)) {
                self.sized(Stage::VelocityGradient, ARGUMENTS_SOLVE);
            }
            self.sized(Stage::SmoothVelocity, ARGUMENTS_SOLVE); // XSPH: eq. 20; loose particles rest
            self.sized(Stage::ApplyChanges, ARGUMENTS_SOLVE);
            self.sized(Stage::SolveColliders, ARGUMENTS_SOLVE);
        }
        if grains {
            self.sized(Stage::CommitGrains, ARGUMENTS_SOLVE); //   x <- x + dt v
        } else {
            self.sized(Stage::Commit, ARGUMENTS_SOLVE); //         F, state, x <- x + dt v: eq. 22
        }
        if self.push.collider_count > 0 {
            self.sized(Stage::CollectImpulses, ARGUMENTS_TILES);
        }
        self.once(Stage::Finish);
    }

    /// Particles in the order (cell, id), and the neighbors of each.
    fn neighborhood(&mut self) {
        let cell_count = self.push.cell_count;
        self.once(Stage::Begin);
        self.recording.fill(CELL_COUNT, 0);
        self.sized(Stage::Bin, ARGUMENTS_PARTICLES);
        let tile_count = cell_count.div_ceil(SCAN_TILE);
        self.over(Stage::ScanTiles, tile_count, 8);
        self.once(Stage::ScanSums);
        self.over(Stage::ScanApply, tile_count, 8);
        self.sized(Stage::Scatter, ARGUMENTS_PARTICLES);
        self.sized(Stage::Sort, ARGUMENTS_PARTICLES);
        self.over(Stage::ListCells, cell_count, 64);
        self.once(Stage::PlanSearch);
        self.sized(Stage::ColorCells, ARGUMENTS_CELLS);
        self.sized(Stage::FindNeighbors, ARGUMENTS_SEARCH);
        self.once(Stage::PlanSolve);
    }

    /// One iteration over the constraints of a continuum.
    fn sweep(&mut self, settings: &SolverSettings) {
        self.colored(Stage::SolveInelastic, ARGUMENTS_COLORS);
        if settings.scheme == Scheme::Jacobi {
            self.sized(Stage::ApplyChanges, ARGUMENTS_ITERATE);
            if settings.position_correction != PositionCorrection::None {
                self.colored(Stage::SolveContacts, ARGUMENTS_COLORS);
            }
        }
    }

    /// One iteration over the links between given particles.
    fn links(&mut self) {
        for (color, &count) in (0..).zip(self.link_colors) {
            self.push.color = color;
            self.over(Stage::SolveLinks, count, 64); //            ropes
        }
    }

    /// Force balance by inexact Newton steps, then the position correction.
    fn newton(&mut self, settings: &SolverSettings) {
        self.sized(Stage::ReversePairs, ARGUMENTS_SOLVE);
        self.push.phase = 0;
        self.once(Stage::NewtonPlan);
        self.sized(Stage::NewtonPass, ARGUMENTS_ITERATE); //      f(v~), the scale of the tolerance
        self.sized(Stage::NewtonForces, ARGUMENTS_ITERATE);
        self.sized(Stage::SumResidual, ARGUMENTS_TILES);
        self.once(Stage::JudgeResidual);
        self.sized(Stage::NewtonGuess, ARGUMENTS_ITERATE);
        let recorded = self.passes.min(settings.iterations);
        for left in (1..=settings.iterations).rev().take(recorded as usize) {
            self.push.phase = left;
            self.once(Stage::NewtonPlan);
            let first = settings.iterations - left < FIRST_PASSES;
            self.sized(Stage::NewtonPass, ARGUMENTS_ITERATE);
            self.sized(if first { Stage::NewtonBlocks } else { Stage::NewtonForces }, ARGUMENTS_ITERATE);
            self.sized(Stage::NewtonSum, ARGUMENTS_SUMS);
            self.once(Stage::NewtonJudge);
            self.sized(Stage::NewtonUpdate, ARGUMENTS_ITERATE);
        }
        self.push.phase = NEWTON_CLOSE;
        self.once(Stage::NewtonPlan);
        self.sized(Stage::NewtonKeep, ARGUMENTS_SOLVE);
        self.correct_positions(&settings.position_correction);
    }

    /// Position correction and colliders after a Newton solve.
    fn correct_positions(&mut self, correction: &PositionCorrection) {
        let rounds = match correction {
            PositionCorrection::None => 1,
            PositionCorrection::Distance { .. } => {
                for _ in 0..CORRECTION_ROUNDS {
                    self.sized(Stage::PushApart, ARGUMENTS_SOLVE); // eq. 21
                    self.sized(Stage::ApplyPushes, ARGUMENTS_SOLVE);
                }
                return;
            }
            PositionCorrection::Density { .. } => CORRECTION_SWEEPS,
        };
        for _ in 0..rounds {
            if *correction != PositionCorrection::None {
                self.colored(Stage::SolveContacts, ARGUMENTS_COLORS);
            }
            if self.push.collider_count > 0 {
                self.sized(Stage::SolveColliders, ARGUMENTS_SOLVE);
            }
        }
    }

    /// Force residual at the present velocities; phase 0 keeps it as the start.
    fn residual(&mut self, phase: u32) {
        self.push.phase = phase;
        self.sized(Stage::ClearForces, ARGUMENTS_ITERATE);
        self.colored(Stage::ForceResidual, ARGUMENTS_RESIDUAL);
        self.sized(Stage::SumResidual, ARGUMENTS_TILES);
        self.once(Stage::JudgeResidual);
    }

    /// Energies, speeds and bounds of the committed state.
    pub fn diagnose(&mut self) {
        let tiles = self.push.particle_count.div_ceil(TILE);
        self.over(Stage::Diagnose, tiles, 64);
    }
}
