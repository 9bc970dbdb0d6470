//! One XPBD update of every particle's memory and inelastic constraint (eq. 9-14, 17-19).

use std::ops::Range;

use glam::{DMat3, DVec3};
use tuff_problem::thresholds::REST_TOLERANCE;
use tuff_problem::{COLOR_COUNT, Counters};
use tuff_scene::{Multiplier, Plasticity, Scheme};

use super::solve_contacts::correct_positions;
use crate::batch::LANES;
use crate::context::{Context, Step};
use crate::pairs::{action, apply, gather_by};
use crate::scalar::{Quad, Scalar};
use crate::state::{Moments, State};
use crate::strain::{Stress, memory_stiffness, respond_along};
use crate::sweep::{Own, Sweep};
use crate::symmetric::eigen;
use crate::tensor::{double_dot, outer, trace};
use crate::trials::Trials;

/// Runs one sweep: all colors in turn, including the position correction if it is part of the scheme's sweep.
pub fn solve_inelastic<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let sweep = begin_sweep(context, state);
    for color in 0..COLOR_COUNT {
        solve_color(context, step, state, &sweep, color);
    }
    sweep.show(state);
}

/// Begins a sweep; saves the velocities that a Jacobi sweep reads.
pub fn begin_sweep<S: Scalar>(context: &Context, state: &mut State<S>) -> Sweep<S> {
    if context.settings.scheme == Scheme::Jacobi {
        state.sweep_velocity.clone_from(&state.velocity);
    }
    Sweep::begin(state)
}

/// Solves the particles of one color: cells at once, inside a cell by id. Those of total bodies only keep their distance here.
pub fn solve_color<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    sweep: &Sweep<S>,
    color: u32,
) {
    let corrects = context.settings.scheme == Scheme::GaussSeidel;
    sweep.color(state, color, |state, owns, counters| {
        let particles: Vec<usize> = owns.iter().map(|own| own.p).collect();
        let has_row = |own: &Own<'_>| context.total.row(state.id[own.p]).is_none();
        let mut owns: Vec<Own<'_>> = owns.into_iter().filter(has_row).collect();
        solve_particles(context, step, state, sweep, &mut owns, counters);
        if corrects {
            for p in particles {
                counters.position_corrected += correct_positions(context, step, state, sweep, p);
            }
        }
    });
}

/// Solves the rows of up to [`LANES`](crate::batch::LANES) particles that do not reach each other.
pub(super) fn solve_particles<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    sweep: &Sweep<S>,
    owns: &mut [Own<'_>],
    counters: &mut Counters,
) {
    if owns.is_empty() {
        return;
    }
    let mut trials = Trials::default();
    let mut memory_impulses = [DVec3::ZERO; LANES];
    for (lane, own) in owns.iter_mut().enumerate() {
        let (gradient, memory_impulse) = solve_memory(context, step, state, sweep, own);
        memory_impulses[lane] = memory_impulse;
        trials.set(lane, step.dt * gradient, state.strain[own.p]);
    }
    trials.carry();
    for (lane, own) in owns.iter_mut().enumerate() {
        let p = own.p;
        counters.fold_limited += u64::from(trials.folded(lane));
        let change = solve_stress(context, step, state, &trials, lane, own, counters);
        let action = action::<S>(change, memory_impulses[lane]);
        let range = range_of_row(context, state, p);
        let mut given = S::Quad::default();
        for (&row, &b) in std::iter::zip(&state.rows[range.clone()], &state.neighbor[range]) {
            let impulse = apply(&action, row);
            sweep.velocity.push(b as usize, impulse);
            given = given + impulse;
        }
        sweep.velocity.push(p, S::Quad::default() - given); // as rounded: the sum vanishes
    }
}

/// Returns the range of the pairs that a particle's row changes. Those for contact alone weigh nothing, and with a total body they reach
/// particles that rows of other cells change at the same time, since its rows follow the cells in which it started.
fn range_of_row<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> Range<usize> {
    let all = state.neighbor_range(p);
    let is_total = context.total.row(state.id[p]).is_some();
    if is_total { state.near_range(p).end..all.end } else { all }
}

/// Solves the row of a particle's memory; returns the velocity gradient after it [1/s] and its impulse [N s].
fn solve_memory<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    sweep: &Sweep<S>,
    own: &mut Own<'_>,
) -> (DMat3, DVec3) {
    let (dt, p) = (step.dt, own.p);
    let gathered = match context.settings.scheme {
        Scheme::Jacobi => gather_by(state, |b| S::Quad::new(state.sweep_velocity[b], 0.0), p),
        Scheme::GaussSeidel | Scheme::NewtonCg | Scheme::Auto => {
            gather_by(state, |b| sweep.velocity.get(b), p)
        }
    };
    if !context.remembers() {
        return (gathered.gradient, DVec3::ZERO);
    }
    let m = &state.moments[p];
    let beta = memory_stiffness(context, step, state, p, state.moduli[p].shear);
    let trial = state.memory[p] + dt * gathered.non_affine;
    let old = *own.memory_multiplier;
    let wanted = -(trial + old) / (1.0 + beta * dt * dt * m.memory_denominator);
    let bound = state.memory_bound[p];
    let bounded = (old + wanted).length() > bound;
    let change = if bounded { (old + wanted).clamp_length_max(bound) - old } else { wanted };
    *own.memory_multiplier += change;
    let impulse = beta * dt * change;
    (gathered.gradient + outer(impulse, m.coupling), impulse)
}

/// Solves the row of a particle's stress; returns the change dH of its impulse [N m s].
fn solve_stress<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    trials: &Trials,
    lane: usize,
    own: &mut Own<'_>,
    counters: &mut Counters,
) -> DMat3 {
    let (dt, p) = (step.dt, own.p);
    let plastic = context.settings.plasticity == Plasticity::Implicit;
    let spectrum = || trials.spectrum(lane);
    let (stress, clamped) =
        respond_along(context, state, dt, p, trials.displacement(lane), plastic, spectrum);
    counters.stretch_clamped += u64::from(clamped);
    let m = &state.moments[p];
    let change = match context.settings.multiplier {
        Multiplier::Scalar => {
            let constraint = stress.constraint(context, state, p);
            scalar_change(dt, state.rest_volume[p], own, m, &stress, constraint, counters)
        }
        Multiplier::Tensor => tensor_change(dt, state.rest_volume[p], *own.impulse, m, &stress),
    };
    *own.impulse += change;
    change
}

/// Returns the impulse change `dH = V0 dt dl G` of the scalar multiplier for c = sqrt(2 psi).
#[inline]
fn scalar_change(
    dt: f64,
    volume: f64,
    own: &mut Own<'_>,
    m: &Moments,
    stress: &Stress,
    c: f64,
    counters: &mut Counters,
) -> DMat3 {
    if at_rest(stress, c) {
        if *own.multiplier == 0.0 {
            return DMat3::ZERO;
        }
        *own.multiplier = 0.0;
        counters.tip_released += 1;
        return -*own.impulse;
    }
    let g = stress.gradient * (1.0 / c);
    let denominator = scalar_denominator(g, m);
    let change = -(c + *own.multiplier) / (1.0 + volume * dt * dt * denominator);
    *own.multiplier += change;
    volume * dt * change * g
}

/// Returns true if a constraint is satisfied and has no usable gradient.
pub fn at_rest(stress: &Stress, constraint: f64) -> bool {
    constraint <= REST_TOLERANCE * (2.0 * stress.moduli.shear + 3.0 * stress.moduli.bulk).sqrt()
}

/// `D = tr(G S G^T) + |G s|^2 / m_p`: the sum of squared constraint gradients over masses
/// (eq. 17) without a pass over the neighbors.
#[inline]
pub fn scalar_denominator(g: DMat3, m: &Moments) -> f64 {
    double_dot(g * m.second, g) + m.inverse_mass * (g * m.first).length_squared()
}

/// Returns the impulse change that drives H to the stress, damped by the small-strain stiffness.
fn tensor_change(dt: f64, volume: f64, impulse: DMat3, m: &Moments, stress: &Stress) -> DMat3 {
    let missing = -volume * dt * stress.gradient - impulse;
    let sigma = eigen(m.second + m.inverse_mass * outer(m.first, m.first)).0.max_element();
    let scale = volume * dt * dt * sigma;
    let spherical = DMat3::IDENTITY * (trace(missing) / 3.0);
    (missing - spherical) * (1.0 / (1.0 + 2.0 * stress.moduli.shear * scale))
        + spherical * (1.0 / (1.0 + 3.0 * stress.moduli.bulk * scale))
}
