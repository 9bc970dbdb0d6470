//! One XPBD update of every particle's memory and inelastic constraint (eq. 9-14, 17-19).

use glam::{DMat3, DVec3};
use tuff_problem::thresholds::REST_TOLERANCE;
use tuff_problem::{COLOR_COUNT, Counters};
use tuff_scene::{Multiplier, Plasticity, Scheme};

use super::solve_contacts::correct_positions;
use crate::context::{Context, Step};
use crate::scalar::{Quad, Scalar};
use crate::state::{Moments, State};
use crate::strain::{Stress, gather, gather_from, limit_fold, memory_stiffness, respond};
use crate::sweep::{Own, Sweep};
use crate::symmetric::eigen;
use crate::tensor::{double_dot, outer, trace};

/// Runs one sweep: all colors in turn, including the position correction if it is part of the scheme's sweep.
pub fn solve_inelastic<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let sweep = begin_sweep(context, state);
    for color in 0..COLOR_COUNT {
        solve_color(context, step, state, &sweep, color);
    }
    sweep.show(state);
}

/// Begins a sweep; saves the velocities that a Jacobi sweep reads.
pub fn begin_sweep<S: Scalar>(context: &Context, state: &mut State<S>) -> Sweep {
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
    sweep: &Sweep,
    color: u32,
) {
    let corrects = context.settings.scheme == Scheme::GaussSeidel;
    sweep.color(state, color, |state, own, counters| {
        let p = own.p;
        if context.total.row(state.id[p]).is_none() {
            solve_particle(context, step, state, sweep, own, counters);
        }
        if corrects {
            counters.position_corrected += correct_positions(context, step, state, sweep, p);
        }
    });
}

pub(super) fn solve_particle<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    sweep: &Sweep,
    mut own: Own<'_>,
    counters: &mut Counters,
) {
    let (dt, p) = (step.dt, own.p);
    let m = &state.moments[p];
    let gathered = match context.settings.scheme {
        Scheme::Jacobi => gather(state, &state.sweep_velocity, p),
        Scheme::GaussSeidel | Scheme::NewtonCg | Scheme::Auto => {
            gather_from(state, |b| sweep.velocity.get(b), p)
        }
    };
    let mut gradient = gathered.gradient;

    let mut memory_impulse = DVec3::ZERO;
    if context.remembers() {
        let beta = memory_stiffness(context, step, state, p, state.moduli[p].shear);
        let trial_memory = state.memory[p] + dt * gathered.non_affine;
        let old = *own.memory_multiplier;
        let wanted = -(trial_memory + old) / (1.0 + beta * dt * dt * m.memory_denominator);
        let bound = state.memory_bound[p];
        let bounded = (old + wanted).length() > bound;
        let change = if bounded { (old + wanted).clamp_length_max(bound) - old } else { wanted };
        *own.memory_multiplier += change;
        memory_impulse = beta * dt * change;
        gradient += outer(memory_impulse, m.coupling);
    }

    let (displacement, folded) = limit_fold(dt * gradient);
    counters.fold_limited += u64::from(folded);
    let plastic = context.settings.plasticity == Plasticity::Implicit;
    let (stress, clamped) = respond(context, state, dt, p, displacement, plastic);
    counters.stretch_clamped += u64::from(clamped);
    let change = match context.settings.multiplier {
        Multiplier::Scalar => {
            let constraint = stress.constraint(context, state, p);
            scalar_change(dt, state.rest_volume[p], &mut own, m, &stress, constraint, counters)
        }
        Multiplier::Tensor => tensor_change(dt, state.rest_volume[p], *own.impulse, m, &stress),
    };
    *own.impulse += change;

    for i in state.neighbor_range(p) {
        let (b, row) = (state.neighbor[i] as usize, state.rows[i]);
        sweep.velocity.add(b, state.inverse_mass[b] * (row.last() * memory_impulse + change * row.vector()));
    }
    sweep.velocity.add(p, -state.inverse_mass[p] * (m.weight * memory_impulse + change * m.first));
}

/// Returns the impulse change `dH = V0 dt dl G` of the scalar multiplier for c = sqrt(2 psi).
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
