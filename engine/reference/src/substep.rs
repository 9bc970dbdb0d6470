//! The substep: one line per stage.

use glam::DVec3;
use tuff_problem::{COLOR_COUNT, CORRECTION_ROUNDS, CORRECTION_SWEEPS, NEWTON_SOLVE, Point, Residual};
use tuff_scene::{PositionCorrection, Scheme};

use crate::clock::{Loop, timed};
use crate::constraints::links;
use crate::context::{Context, Step};
use crate::newton::{Followed, Outcome, guess, lasting, solve_newton};
use crate::parallel;
use crate::placed::Placed;
use crate::rigid;
use crate::scalar::Scalar;
use crate::sheets;
use crate::stages::bin::bin;
use crate::stages::commit::{Refusal, commit};
use crate::stages::commit_grains::commit_grains;
use crate::stages::correct_kernel::correct_kernel;
use crate::stages::diagnose::count_fast;
use crate::stages::fill_pores::{fill_pores, press_grains};
use crate::stages::find_neighbors::find_neighbors;
use crate::stages::find_walls::find_walls;
use crate::stages::measure_density::measure_density;
use crate::stages::measure_total::measure_total;
use crate::stages::predict_velocity::predict_velocity;
use crate::stages::pull_surface::pull_surface;
use crate::stages::push_apart::{Rounds, push_apart};
use crate::stages::residual::{force_norm, force_scale, multiplier_norm};
use crate::stages::reverse_pairs::reverse_pairs;
use crate::stages::smooth_velocity::smooth_velocity;
use crate::stages::solve_colliders::solve_colliders;
use crate::stages::solve_contacts::solve_contacts;
use crate::stages::solve_grains::solve_grains;
use crate::stages::solve_inelastic::{begin_sweep, solve_color};
use crate::stages::solve_links::solve_links;
use crate::stages::solve_total::solve_total;
use crate::stages::sort::sort;
use crate::state::State;

/// Work and accuracy of a substep.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// Iterations taken.
    pub iterations: u32,
    /// Residuals after the iterations; only if requested.
    pub residual: Residual,
}

/// Velocities at the end of a substep, before anything is committed.
pub struct Solved {
    /// Work and accuracy.
    pub progress: Progress,
    /// Internal accelerations and near springs for the guess of the next substep.
    lasting: Option<(Vec<DVec3>, Vec<f64>)>,
    /// Velocity changes that the commit leaves to the next substep [m/s], shape [particle_count], or none.
    deferred: Vec<DVec3>,
}

/// What a stage has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Velocities alone.
    Velocities,
    /// Velocities, by impulses of the particles' own rows.
    Impulses,
    /// The gradients of the pairs.
    Gradients,
}

/// Callback with the state at points of a substep, and what has changed there.
pub type Watch<'a, S> = dyn FnMut(Point, Changed, &State<S>) + 'a;

/// Who watches a substep, if anybody does.
struct Watcher<'a, 'b, S: Scalar>(Option<&'a mut Watch<'b, S>>);

impl<S: Scalar> Watcher<'_, '_, S> {
    /// Shows the state after a stage that changed velocities.
    fn see(&mut self, point: Point, state: &State<S>) {
        self.show(point, Changed::Velocities, state);
    }

    fn show(&mut self, point: Point, changed: Changed, state: &State<S>) {
        if let Some(watch) = &mut self.0 {
            watch(point, changed, state);
        }
    }
}

/// Advances the state by one substep; computes residuals if `measure`.
///
/// # Errors
///
/// On a [`Refusal`] the particles may be in another order, and velocities, scratch and counters have changed;
/// [`State::start_velocity`] holds the velocities to return to.
#[inline(never)]
pub fn substep<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    measure: bool,
) -> Result<Progress, Refusal> {
    let solved = solve(context, step, state, measure);
    finish(context, step, state, solved)
}

/// Runs a substep up to its velocities.
#[inline(never)]
pub fn solve<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, measure: bool) -> Solved {
    solve_watched(context, step, state, measure, &mut Watcher(None))
}

/// Runs a [`substep`] and shows the state after each of its stages.
///
/// # Errors
///
/// Those of [`substep`].
#[inline(never)]
pub fn watched<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    measure: bool,
    watch: &mut Watch<'_, S>,
) -> Result<Progress, Refusal> {
    let solved = solve_watched(context, step, state, measure, &mut Watcher(Some(watch)));
    finish(context, step, state, solved)
}

fn solve_watched<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    measure: bool,
    watch: &mut Watcher<'_, '_, S>,
) -> Solved {
    let tolerance = context.settings.residual_tolerance;
    let newton = context.settings.newton();
    let measure = !context.grains() && (measure || newton || tolerance > 0.0);
    let mut progress = Progress::default();
    let (mut kept, mut rounds) = (None, None);

    prepare(context, step, state);
    watch.show(Point::of("correct_kernel"), Changed::Gradients, state);
    watch.see(Point::of("predict_velocity"), state);
    let scale = if measure { timed!(state, ForceScale, force_scale(context, step, state)) } else { 0.0 };

    if newton {
        timed!(state, Guess, guess(context, step, state));
        watch.see(Point::of("newton_guess"), state);
        let Outcome { passes, left, followed } = solve_newton(context, step, state, scale);
        watch.see(Point::of(NEWTON_SOLVE), state);
        progress = Progress { iterations: passes, residual: Residual { force: left, multiplier: 0.0 } };
        kept = Some(timed!(state, Keep, lasting(context, step, state)));
        rounds = timed!(state, Correct, correct_positions(context, step, state, followed, watch));
    }
    while !newton && progress.iterations < context.settings.iterations {
        progress.iterations += 1;
        sweep(context, step, state, progress.iterations, watch);
        if measure
            && tolerance > 0.0
            && relative(timed!(state, Judge, force_norm(context, step, state)), scale) < tolerance
        {
            break;
        }
    }

    if measure && !newton {
        timed!(state, Judge, {
            progress.residual.force = relative(force_norm(context, step, state), scale);
            progress.residual.multiplier = multiplier_norm(context, step, state);
        });
    }

    timed!(state, Smooth, smooth_velocity(context, step, state)); // XSPH, eq. 20; loose particles rest
    watch.see(Point::of("smooth_velocity"), state);
    timed!(state, Sheets, sheets::solve(context, step, state, true)); // smoothing may have broken contacts
    timed!(
        state,
        SmoothContacts,
        match &mut rounds {
            Some(rounds) => rounds.solve_colliders(context, step, state),
            None => solve_colliders(context, step, state),
        }
    );
    rigid::respond(context, step, state, None);
    watch.see(Point::of("solve_colliders"), state);
    Solved { progress, lasting: kept, deferred: rounds.map_or(Vec::new(), Rounds::into_deferred) }
}

/// Commits a solved substep.
///
/// # Errors
///
/// Those of [`substep`].
#[inline(never)]
pub fn finish<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    solved: Solved,
) -> Result<Progress, Refusal> {
    if let Some(lasting) = solved.lasting {
        (state.internal_acceleration, state.near_springs) = lasting;
    }
    if context.grains() {
        timed!(state, CommitGrains, commit_grains(context, step, state))?; // position alone
    } else {
        timed!(state, Commit, commit(context, step, state))?; //       strain, state, position, eq. 22
    }
    links::tear(context, state);
    state.rigid.commit();
    count_fast(context, step, state);
    let mut deferred = solved.deferred;
    parallel::each_of_two(&mut state.velocity, &mut deferred, |_, velocity, later| *velocity += *later);
    Ok(solved.progress)
}

/// Corrects positions and solves colliders after a Newton solve; of the impulses particles follow the fractions `followed` at once.
/// Returns what the rounds leave, if there are rounds.
fn correct_positions<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    followed: Followed,
    watch: &mut Watcher<'_, '_, S>,
) -> Option<Rounds> {
    let rounds = match context.settings.position_correction {
        PositionCorrection::None => 1,
        PositionCorrection::Distance { .. } => {
            let mut rounds = Rounds::new(state).eased(followed);
            for _ in 0..CORRECTION_ROUNDS {
                push_apart(context, step, state, &mut rounds); // eq. 21
                sheets::solve(context, step, state, false);
                rounds.solve_colliders(context, step, state);
                rigid::respond(context, step, state, None);
                watch.see(Point::of("apply_pushes"), state);
            }
            return Some(rounds);
        }
        PositionCorrection::Density { .. } => CORRECTION_SWEEPS,
    };
    for _ in 0..rounds {
        solve_contacts(context, step, state);
        watch.see(Point::of("solve_contacts"), state);
        sheets::solve(context, step, state, false);
        solve_colliders(context, step, state);
        watch.see(Point::of("solve_colliders"), state);
    }
    None
}

/// Runs everything before the first iteration.
#[inline(never)]
pub fn prepare<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    timed!(state, Bin, bin(context, state)); // cells of edge 2 r
    timed!(state, Sort, sort(context, state)); // by (cell, id)
    links::note_gone(context, state);
    state.placed = Placed::all(context, step, &mut state.tracks);
    rigid::place(context, step, state); // as if nothing touched them
    timed!(state, FindWalls, find_walls(context, state)); // between particles
    timed!(state, FindWalls, sheets::add_walls(context, state));
    timed!(state, FindNeighbors, find_neighbors(context, state)); // pairs nearer than 2 r
    timed!(state, MeasureTotal, measure_total(context, state)); // what total bodies were at the start
    timed!(state, PredictVelocity, predict_velocity(context, step, state)); // external forces
    if context.classes.have_fluid() {
        timed!(state, MeasureDensity, fill_pores(context, state)); // room of fluids among grains
    }
    if !context.grains() {
        timed!(state, CorrectKernel, correct_kernel(context, state)); // L_p and the pair gradients, eq. 10
        timed!(state, ReversePairs, reverse_pairs(state)); // the same pairs by their other particle
    }
    if context.classes.have_fluid() {
        timed!(state, MeasureDensity, press_grains(context, step, state)); // buoyancy
        timed!(state, MeasureDensity, measure_density(context, step, state)); // pressure of fluids
        timed!(state, PullSurface, pull_surface(context, step, state)); // surface tension
    }
    rigid::list_contacts(context, state);
    timed!(state, Sheets, sheets::list(context, step, state)); // what may touch cloth
}

/// Runs one iteration over all constraints.
#[inline(never)]
pub fn iterate<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    sweep(context, step, state, 1, &mut Watcher(None));
}

/// Runs iteration `iteration`, counted from 1.
fn sweep<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    iteration: u32,
    watch: &mut Watcher<'_, '_, S>,
) {
    let at = |stage, color| Point::in_iteration(stage, iteration, color);
    if context.grains() {
        timed!(state, Grains, solve_grains(context, step, state)); // spheres with friction, color by color
        watch.see(at("solve_grains", None), state);
    } else {
        let begun = state.clock.begin();
        let sweep = begin_sweep(context, state);
        for color in 0..COLOR_COUNT {
            solve_color(context, step, state, &sweep, color); // eq. 9-14, 17-19, 21
            if watch.0.is_some() {
                sweep.show(state);
                watch.show(at("solve_inelastic", Some(color)), Changed::Impulses, state);
            }
        }
        sweep.show(state);
        state.clock.end(Loop::Sweep, begun);
        watch.show(at("solve_inelastic", None), Changed::Impulses, state);
        if context.total.count() > 0 {
            timed!(state, Total, solve_total(context, step, state)); // the same rows of total bodies
            watch.see(at("solve_total", None), state);
        }
        if context.settings.scheme == Scheme::Jacobi {
            timed!(state, Correct, solve_contacts(context, step, state)); // eq. 21
            watch.see(at("solve_contacts", None), state);
        }
        if !context.links.is_empty() {
            timed!(state, Links, solve_links(context, step, state)); // ropes, cloth
            timed!(state, Sheets, sheets::solve(context, step, state, false)); // contact with cloth
            watch.see(at("solve_links", None), state);
        }
    }
    timed!(state, Colliders, solve_colliders(context, step, state)); // obstacles with friction
    rigid::respond(context, step, state, None); // rigid bodies
    watch.see(at("solve_colliders", None), state);
}

fn relative(norm: f64, scale: f64) -> f64 {
    if norm == 0.0 { 0.0 } else { norm / scale }
}
