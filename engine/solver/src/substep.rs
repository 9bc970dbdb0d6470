//! Records one substep, stage by stage (paper: Algorithm 1). Formulas: METHOD.md of this crate.

use std::convert::Infallible;

use tuff_gpu::{Groups, PushConstants, Recording};
use tuff_problem::{COLOR_COUNT, CORRECTION_ROUNDS, CORRECTION_SWEEPS, Problem};
use tuff_scene::{Matter, PositionCorrection, Smoothing, SolverSettings};

use crate::attributes::{ARGUMENTS, AWAKE, CELL_COUNT, LINK_MULTIPLIER, MEETING_FIRST, MEETING_TURN};
use crate::colliders::deform::Counts;
use crate::colliders::word_count;
use crate::constants::{
    ARGUMENTS_ITERATE, ARGUMENTS_SOLVE, MODE_CENTER, MODE_INERTIA, MODE_RESIDUAL, NEWTON_CLOSE, NOTHING,
    PRESS_MATTER, PRESS_SPRINGS, SHEETS_CORRECT, SHEETS_HOLD, SHEETS_SWEEP,
};
use crate::constraints::{self, Constraint};
use crate::push::Push;
use crate::setup;
use crate::stages::{Launch, Stage};

/// Number of passes that may contain the first linearization: the pass at the guess, and the one at the predicted velocities if the
/// guess is rejected.
const FIRST_PASSES: u32 = 2;

/// A point of a substep at which rigid bodies respond to their contacts with matter. What precedes it must have run by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// After contacts have acted, with the masses of the particles.
    Contact,
    /// The same, on a guess.
    Guess,
    /// After a sweep.
    Sweep,
    /// After a pass of a Newton solve.
    Pass,
}

/// Appends stages to a recording.
pub struct Recorder<'a> {
    /// Recording to which stages are appended.
    pub recording: &'a mut Recording,
    /// Push constants of the next stages.
    pub push: Push,
    /// Number of links of each color.
    link_colors: Vec<u32>,
    /// Number of cells of each color in which total bodies started; empty without such bodies.
    total_colors: Vec<u32>,
    /// Constraints that act, in the order of a sweep.
    constraints: Vec<&'static Constraint>,
    /// True if something may be a wall between particles.
    walls: bool,
    /// Edges of sheets of cloth that others touch; 0 without any.
    sheet_parts: u32,
    /// True if there are fluids.
    fluids: bool,
    /// True if fluids seep through grains.
    mixtures: bool,
    /// True if a surface has a tension.
    tension: bool,
    /// True if pairs of total bodies may break.
    fractures: bool,
    /// True if triangles of cloth may tear.
    tears: bool,
    /// Parts of deforming meshes.
    deforming: Counts,
    /// Number of bodies with rigid modes.
    modes: u32,
    /// Words from the faces of a substep to those that follow the rigid bodies from the guess on; 0 without rigid bodies.
    pub responding: u32,
    /// Maximum number of passes of a Newton solve to record; if they do not suffice, the substep fails.
    pub passes: u32,
    /// True while the recorded stages belong to an iteration.
    iterating: bool,
}

/// Returns the workgroups given by an entry of the workgroup counts.
fn sized_by(entry: u32) -> Groups {
    Groups::Indirect { attribute: ARGUMENTS, offset: 16 * u64::from(entry) }
}

impl<'a> Recorder<'a> {
    /// Creates a recorder of the problem's substeps that appends to `recording`.
    pub fn new(recording: &'a mut Recording, problem: &Problem, push: Push, passes: u32) -> Self {
        let link_colors = problem.links.colors().map(|color| color.len() as u32).collect();
        let total_colors = match problem.total.count() {
            0 => Vec::new(),
            _ => problem.total.color_start.windows(2).map(|ends| ends[1] - ends[0]).collect(),
        };
        let constraints = constraints::acting(problem).collect();
        let (walls, deforming) = (setup::have_walls(problem), Counts::of(problem));
        let responding = if problem.rigid.is_empty() { 0 } else { word_count(&problem.faces) as u32 };
        let (fluids, iterating) = (problem.classes.have_fluid(), false);
        Self {
            recording,
            push,
            link_colors,
            total_colors,
            constraints,
            walls,
            sheet_parts: (problem.sheets.edges.len() + problem.sheets.triangles.len()) as u32,
            fluids,
            mixtures: !problem.mixtures.is_empty(),
            tension: !problem.tension.is_empty(),
            fractures: problem.total.may_break(),
            tears: problem.links.may_tear(),
            deforming,
            modes: setup::modes(problem),
            responding,
            passes,
            iterating,
        }
    }

    /// Records a stage, launched as its facts say.
    fn run(&mut self, stage: Stage) {
        match stage.facts().launch {
            Launch::One(_) => self.dispatch(stage, Groups::Direct([1, 1, 1])),
            Launch::Over(count, group) => {
                let Push { cell_count, particle_count, rigid_count, .. } = self.push;
                let deforming = self.deforming.launched();
                let bodies = [rigid_count, self.modes];
                let count = count.of(cell_count, particle_count, deforming, bodies, self.sheet_parts);
                self.dispatch(stage, Groups::linear(u64::from(count), group));
            }
            Launch::Links(group) => {
                for color in 0..self.link_colors.len() {
                    self.push.color = color as u32;
                    let count = self.link_colors[color].into();
                    self.dispatch(stage, Groups::linear(count, group));
                }
            }
            Launch::TotalColors(group) => {
                for color in 0..self.total_colors.len() {
                    self.push.color = color as u32;
                    let count = self.total_colors[color].into();
                    if count > 0 {
                        self.dispatch(stage, Groups::linear(count, group));
                    }
                }
            }
            Launch::Levels(group) => {
                for level in 0..self.deforming.levels.len() {
                    self.push.color = level as u32;
                    let count = self.deforming.levels[level].into();
                    self.dispatch(stage, Groups::linear(count, group));
                }
            }
            Launch::Sized(entry) => self.dispatch(stage, sized_by(entry)),
            Launch::Iterated => {
                let entry = if self.iterating { ARGUMENTS_ITERATE } else { ARGUMENTS_SOLVE };
                self.dispatch(stage, sized_by(entry));
            }
            Launch::Colors(first) => {
                for color in 0..COLOR_COUNT {
                    self.push.color = color;
                    self.dispatch(stage, sized_by(first + color));
                }
            }
        }
    }

    fn dispatch(&mut self, stage: Stage, groups: Groups) {
        self.recording.dispatch(stage.id(), groups, PushConstants::of(&self.push));
    }

    /// Records a whole substep; `measured` adds the force residual at its end.
    pub fn substep(&mut self, settings: &SolverSettings, measured: bool) {
        let Ok(()) = self.substep_in_turns::<Infallible>(settings, measured, &mut |_, _| Ok(true));
    }

    /// Records a substep. Where rigid bodies respond it calls `turn`, which may run what has been recorded so far, record more, and
    /// returns whether the sweeps or passes go on.
    ///
    /// # Errors
    /// Those of `turn`.
    pub fn substep_in_turns<E>(
        &mut self,
        settings: &SolverSettings,
        measured: bool,
        turn: &mut impl FnMut(&mut Self, Turn) -> Result<bool, E>,
    ) -> Result<(), E> {
        let grains = settings.matter != Matter::Continuum;
        let measured = measured && !grains;
        let judged = settings.residual_tolerance > 0.0 && !grains;
        self.neighborhood();
        self.recording.fill(AWAKE, 0);
        self.run(Stage::PredictVelocity); //    v <- v + dt f_ext / m, lambda <- 0
        if self.mixtures {
            self.run(Stage::FillPores); //      room of fluids among grains
        }
        if !grains {
            self.run(Stage::CorrectKernel); //  L_p, g_b: eq. 10
        }
        if self.mixtures {
            self.run(Stage::PressGrains); //    buoyancy
        }
        if self.fluids {
            self.run(Stage::MeasureDensity); // pressure of fluids
        }
        if self.tension {
            self.run(Stage::PullSurface); // surface tension
        }
        if self.sheet_parts > 0 {
            self.list_meetings(); //        what may touch cloth
        }
        self.push.first_collider += self.responding;
        let newton = settings.newton();
        if newton {
            self.newton(settings, turn)?;
        } else if judged || measured {
            self.residual(0);
        }
        let sweeps = if newton { 0 } else { settings.iterations };
        if sweeps > 0 && !self.link_colors.is_empty() {
            self.recording.fill(LINK_MULTIPLIER, 0);
        }
        self.iterating = true;
        for iteration in 0..sweeps {
            self.run(Stage::CountIteration);
            self.sweep(settings); //            eq. 9-14, 17-19, 21
            let goes_on = self.respond(Turn::Sweep, turn)?;
            if judged || (measured && iteration + 1 == sweeps) {
                self.residual(1);
            }
            if !goes_on {
                break;
            }
        }
        self.iterating = false;
        if !grains || self.push.xsph > 0.0 {
            if self.push.xsph > 0.0 && matches!(settings.smoothing, Smoothing::Noise(_)) {
                self.run(Stage::VelocityGradient);
            }
            self.run(Stage::SmoothVelocity); // XSPH: eq. 20; loose particles rest
            self.run(Stage::ApplyChanges);
            self.solve_sheets(SHEETS_HOLD); //  smoothing may have broken contacts
            self.run(Stage::SolveColliders);
        }
        self.respond(Turn::Contact, turn)?;
        if grains {
            self.run(Stage::CommitGrains); //   x <- x + dt v
        } else {
            self.run(Stage::Commit); //         F, state, x <- x + dt v: eq. 22
            if self.sheet_parts > 0 {
                self.run(Stage::ShiftSheets);
                self.run(Stage::SettleSheets);
            }
        }
        if self.push.collider_count > 0 {
            self.run(Stage::CollectImpulses);
        }
        self.run(Stage::Finish);
        if self.fractures {
            self.run(Stage::BreakPairs);
        }
        if self.tears {
            self.run(Stage::TearLinks);
        }
        Ok(())
    }

    /// Lets rigid bodies respond, if there are any.
    fn respond<E>(
        &mut self,
        at: Turn,
        turn: &mut impl FnMut(&mut Self, Turn) -> Result<bool, E>,
    ) -> Result<bool, E> {
        if self.push.rigid_count == 0 {
            return Ok(true);
        }
        let by = if at == Turn::Pass { Stage::NewtonPress } else { Stage::PressBodies };
        self.press(by, if at == Turn::Guess { PRESS_MATTER } else { PRESS_SPRINGS });
        turn(self, at)
    }

    /// Records the sums of what matter does to rigid bodies, by this stage; `of`: `PRESS_SPRINGS` or `PRESS_MATTER`.
    fn press(&mut self, by: Stage, of: u32) {
        self.push.color = of;
        self.run(by);
        self.run(Stage::SumLoads);
    }

    /// Records the sums of what matter does to rigid bodies after their contacts have acted: on a move of a Newton solve if `held`, else
    /// on any velocities.
    pub fn touch(&mut self, held: bool) {
        self.run(if held { Stage::NewtonHold } else { Stage::SolveColliders });
        if held {
            self.press(Stage::NewtonPress, PRESS_SPRINGS);
        } else {
            self.press(Stage::PressBodies, PRESS_MATTER);
        }
    }

    /// Records contacts that act once more on a move of a Newton solve.
    pub fn hold(&mut self) {
        self.run(Stage::NewtonHold);
    }

    /// Records the sort of the particles by (cell, id) and the neighbor search.
    fn neighborhood(&mut self) {
        self.run(Stage::Begin);
        self.recording.fill(CELL_COUNT, 0);
        self.run(Stage::Bin);
        self.run(Stage::ScanTiles);
        self.run(Stage::ScanSums);
        self.run(Stage::ScanApply);
        self.run(Stage::Scatter);
        self.run(Stage::Sort);
        self.run(Stage::ListCells);
        self.run(Stage::PlanSearch);
        self.run(Stage::ColorCells);
        if self.deforming.meshes > 0 {
            self.run(Stage::MoveVertices);
            self.run(Stage::TurnVertices);
            self.run(Stage::TurnTriangles);
            self.run(Stage::RefitBoxes);
        }
        if self.sheet_parts > 0 {
            self.push.color = 0;
            self.run(Stage::RefitSheets);
        }
        if self.walls {
            self.run(Stage::FindWalls);
        }
        self.run(Stage::FindNeighbors);
        self.run(Stage::PlanSolve);
        if !self.total_colors.is_empty() {
            self.run(Stage::MeasureTotal); //  what total bodies were at the start
        }
    }

    /// Records the list of contacts with sheets.
    fn list_meetings(&mut self) {
        self.push.color = 1;
        self.run(Stage::SheetSpeeds);
        self.run(Stage::RefitSheets);
        self.recording.fill(MEETING_FIRST, NOTHING);
        self.recording.fill(MEETING_TURN, NOTHING);
        self.run(Stage::ListMeetings);
        self.run(Stage::PlanMeetings);
        self.run(Stage::OrderMeetings);
    }

    /// Records contacts with sheets that act `when`, if there are any sheets.
    fn solve_sheets(&mut self, when: u32) {
        if self.sheet_parts > 0 {
            self.push.color = when;
            self.run(Stage::SolveSheets);
        }
    }

    /// Records a stage in which a Newton solve finds what contacts with sheets do, if there are any.
    fn look_at_sheets(&mut self) {
        if self.sheet_parts > 0 {
            self.run(Stage::LookSheets);
        }
    }

    /// Records one iteration over the constraints.
    fn sweep(&mut self, settings: &SolverSettings) {
        for index in 0..self.constraints.len() {
            self.push.color = SHEETS_SWEEP;
            for &stage in (self.constraints[index].sweep)(settings) {
                self.run(stage);
            }
        }
    }

    /// Records the solve of the force balance by relaxation and inexact Newton steps, then the position correction.
    fn newton<E>(
        &mut self,
        settings: &SolverSettings,
        turn: &mut impl FnMut(&mut Self, Turn) -> Result<bool, E>,
    ) -> Result<(), E> {
        self.run(Stage::ReversePairs);
        self.push.phase = 0;
        if self.modes > 0 {
            for sum in [MODE_CENTER, MODE_INERTIA] {
                self.sum_modes(sum);
                self.run(Stage::MoveModes);
            }
        }
        self.run(Stage::NewtonPlan);
        self.run(Stage::NewtonPass); //      f(v~), the scale of the tolerance
        self.look_at_sheets();
        self.run(Stage::NewtonForces);
        self.run(Stage::SumResidual);
        self.run(Stage::JudgeResidual);
        self.run(Stage::NewtonGuess);
        self.respond(Turn::Guess, turn)?;
        let recorded = self.passes.min(settings.iterations);
        for left in (1..=settings.iterations).rev().take(recorded as usize) {
            self.push.phase = left;
            self.run(Stage::NewtonPlan);
            let first = settings.iterations - left < FIRST_PASSES;
            self.run(Stage::NewtonPass);
            self.look_at_sheets();
            self.run(if first { Stage::NewtonBlocks } else { Stage::NewtonForces });
            self.run(Stage::NewtonSum);
            if self.push.rigid_count > 0 {
                self.press(Stage::PressBodies, PRESS_SPRINGS);
            }
            if self.modes > 0 {
                self.sum_modes(MODE_RESIDUAL);
            }
            self.run(Stage::NewtonJudge);
            if self.modes > 0 {
                self.run(Stage::MoveModes);
            }
            self.run(Stage::NewtonUpdate);
            if !self.respond(Turn::Pass, turn)? {
                break;
            }
        }
        self.push.phase = NEWTON_CLOSE;
        self.run(Stage::NewtonPlan);
        self.run(Stage::NewtonKeep);
        self.correct_positions(&settings.position_correction, turn)
    }

    /// Records the sums for the rigid modes of stiff bodies by tiles; `of`: the first word that follows from them.
    fn sum_modes(&mut self, of: u32) {
        self.push.color = of;
        self.run(Stage::SumModes);
    }

    /// Records the position correction and colliders after a Newton solve.
    fn correct_positions<E>(
        &mut self,
        correction: &PositionCorrection,
        turn: &mut impl FnMut(&mut Self, Turn) -> Result<bool, E>,
    ) -> Result<(), E> {
        let rounds = match correction {
            PositionCorrection::None => 1,
            PositionCorrection::Distance { .. } => {
                for _ in 0..CORRECTION_ROUNDS {
                    self.run(Stage::PushApart); // eq. 21
                    self.run(Stage::ApplyPushes);
                    if self.sheet_parts > 0 {
                        self.solve_sheets(SHEETS_CORRECT);
                        self.run(Stage::SolveColliders);
                    }
                    self.respond(Turn::Contact, turn)?;
                }
                return Ok(());
            }
            PositionCorrection::Density { .. } => CORRECTION_SWEEPS,
        };
        for _ in 0..rounds {
            if *correction != PositionCorrection::None {
                self.run(Stage::SolveContacts);
            }
            self.solve_sheets(SHEETS_CORRECT);
            if self.push.collider_count > 0 {
                self.run(Stage::SolveColliders);
            }
        }
        Ok(())
    }

    /// Records the force residual at the present velocities; phase 0 stores it as the scale.
    fn residual(&mut self, phase: u32) {
        self.push.phase = phase;
        self.run(Stage::ClearForces);
        self.run(Stage::ForceResidual);
        self.run(Stage::ForceResidualTotal);
        self.run(Stage::SumResidual);
        self.run(Stage::JudgeResidual);
    }

    /// Records the energies, speeds and bounds of the committed state.
    pub fn diagnose(&mut self) {
        self.run(Stage::Diagnose);
    }
}
