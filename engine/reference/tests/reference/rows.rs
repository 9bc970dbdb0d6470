//! The rows of the solve against dense computations and conservation laws.

use glam::{DMat3, DVec3};
use tuff_scene::{Gradient, Multiplier, Plasticity, Scheme, SolverSettings};

use super::laws::{Hencky, Limp, moduli};
use super::setup::{Noise, block, context, elastic, momentum, settings, state, stirred};
use tuff_reference::context::{Context, Step};
use tuff_reference::law::Law;
use tuff_reference::stages::commit::{Refusal, commit};
use tuff_reference::stages::solve_inelastic::{scalar_denominator, solve_inelastic};
use tuff_reference::state::State;
use tuff_reference::strain::{
    Stress, Trial, carried, gather, limit_fold, mapped, memory_stiffness, spectrum, stress,
};
use tuff_reference::substep::{prepare, substep};
use tuff_reference::tensor::{double_dot, norm, outer};

const STEP: Step = Step { time: 0.0, dt: 1e-3 };
const MIDDLE: usize = 30;

fn plastic(context: &Context, state: &State, p: usize, displacement: DMat3) -> Trial {
    let spectrum = spectrum(carried(state.strain[p], displacement));
    mapped(context, state, STEP.dt, p, displacement, true, spectrum)
}

fn stress_at(context: &Context, state: &State, p: usize) -> Stress {
    let displacement = STEP.dt * gather(state, &state.velocity, p).gradient;
    stress(context, state, p, &plastic(context, state, p, displacement))
}

fn stiffness(context: &Context, state: &State, p: usize) -> f64 {
    memory_stiffness(context, STEP, state, p, state.moduli[p].shear)
}

#[test]
fn sweeps_keep_momentum() {
    for scheme in [Scheme::GaussSeidel, Scheme::Jacobi] {
        for multiplier in [Multiplier::Scalar, Multiplier::Tensor] {
            for gradient in [Gradient::Kirchhoff, Gradient::Literal] {
                let context = elastic(SolverSettings { scheme, multiplier, gradient, ..settings(0.1) });
                let mut state = stirred(&context, STEP, 5);
                let before = momentum(&state);
                let scale: f64 = state.mass.iter().zip(&state.velocity).map(|(m, v)| m * v.length()).sum();
                for _ in 0..3 {
                    solve_inelastic(&context, STEP, &mut state);
                    assert!((momentum(&state) - before).length() < 1e-13 * scale);
                }
                assert!(state.velocity.iter().all(|v| v.is_finite()));
            }
        }
    }
}

#[test]
fn the_scalar_gradient_is_the_derivative_of_the_constraint() {
    let context = elastic(settings(0.1));
    let mut state = stirred(&context, STEP, 6);
    let stress = stress_at(&context, &state, MIDDLE);
    let g = stress.gradient * (1.0 / stress.constraint(&context, &state, MIDDLE));
    let h = 1e-5;
    for pair in state.neighbors(MIDDLE).collect::<Vec<_>>() {
        let b = pair.index;
        for axis in 0..3 {
            let mut at = |offset: f64| {
                let kept = state.velocity[b];
                state.velocity[b][axis] += offset;
                let constraint = stress_at(&context, &state, MIDDLE).constraint(&context, &state, MIDDLE);
                state.velocity[b] = kept;
                constraint
            };
            let derivative = (at(h) - at(-h)) / (2.0 * h);
            let expected = STEP.dt * (g * pair.gradient)[axis];
            assert!((derivative - expected).abs() < 1e-7 * STEP.dt * norm(g) / context.radius());
        }
    }
}

#[test]
fn the_first_row_of_a_sweep_is_the_textbook_update() {
    // XPBD on x = x^n + dt v: d_lambda = -C / (sum |grad_b C|^2 / m_b + alpha~), d_x_b = grad_b C d_lambda / m_b.
    let context = elastic(SolverSettings { stabilization: 0.0, ..settings(0.1) });
    let mut state = stirred(&context, STEP, 14);
    let p = first_visited(&state);
    let stress = stress_at(&context, &state, p);
    let constraint = stress.constraint(&context, &state, p);
    let g = stress.gradient * (1.0 / constraint);
    let mut own = DVec3::ZERO;
    let mut denominator = 1.0 / (state.rest_volume[p] * STEP.dt * STEP.dt);
    for pair in state.neighbors(p) {
        let gradient = g * pair.gradient;
        own -= gradient;
        denominator += state.inverse_mass[pair.index] * gradient.length_squared();
    }
    denominator += state.inverse_mass[p] * own.length_squared();
    let change = -constraint / denominator;
    solve_inelastic(&context, STEP, &mut state);
    for pair in state.neighbors(p) {
        let expected = STEP.dt.recip() * change * (g * pair.gradient);
        let got = state.impulse[p] * pair.gradient;
        assert!((got - expected).length() < 1e-12 * change.abs() * norm(g) / STEP.dt / context.radius());
    }
}

#[test]
fn denominators_are_those_of_the_dense_gradients() {
    let context = elastic(settings(0.1));
    let state = stirred(&context, STEP, 7);
    let g = Noise::new(1).matrix();
    let m = state.moments[MIDDLE];
    let (mut own, mut own_weight, mut dense, mut memory) = (DVec3::ZERO, 0.0, 0.0, 0.0);
    for pair in state.neighbors(MIDDLE) {
        let inverse = state.inverse_mass[pair.index];
        dense += inverse * (g * pair.gradient).length_squared();
        memory += inverse * pair.weight * pair.weight;
        own -= g * pair.gradient;
        own_weight -= pair.weight;
    }
    dense += state.inverse_mass[MIDDLE] * own.length_squared();
    memory += state.inverse_mass[MIDDLE] * own_weight * own_weight;
    assert!((scalar_denominator(g, &m) / dense - 1.0).abs() < 1e-13);
    assert!((m.memory_denominator / memory - 1.0).abs() < 1e-13);
}

#[test]
fn jacobi_rows_see_masses_split_over_the_rows_that_use_them() {
    let split = |scheme| {
        let context = elastic(SolverSettings { scheme, ..settings(0.1) });
        stirred(&context, STEP, 7)
    };
    let (whole, split) = (split(Scheme::GaussSeidel), split(Scheme::Jacobi));
    let mut second = DMat3::ZERO;
    for pair in split.neighbors(MIDDLE) {
        let b = pair.index;
        let rows = (split.neighbors(b).len() + 1) as f64;
        second += rows * split.inverse_mass[b] * outer(pair.gradient, pair.gradient);
    }
    assert!(norm(split.moments[MIDDLE].second - second) < 1e-12 * norm(second));
    assert_eq!(split.moments[MIDDLE].coupling, whole.moments[MIDDLE].coupling);
}

#[test]
fn the_memory_row_reaches_its_linear_optimum_and_moves_the_gradient_by_the_coupling() {
    // Rows of one particle alone: limp matter, so that only the memory acts, and one cell of one color.
    let context = context(Limp, moduli(1e5, 0.3), settings(0.1));
    let mut state = stirred(&context, STEP, 8);
    let before = gather(&state, &state.velocity, MIDDLE);
    let old = state.velocity.clone();
    let beta = stiffness(&context, &state, MIDDLE);
    let m = state.moments[MIDDLE];
    let h = state.memory[MIDDLE] + STEP.dt * before.non_affine;
    let impulse = -beta * STEP.dt * h / (1.0 + beta * STEP.dt.powi(2) * m.memory_denominator);
    for pair in state.neighbors(MIDDLE).collect::<Vec<_>>() {
        let b = pair.index;
        state.velocity[b] += state.inverse_mass[b] * pair.weight * impulse;
    }
    state.velocity[MIDDLE] -= state.inverse_mass[MIDDLE] * m.weight * impulse;
    let after = gather(&state, &state.velocity, MIDDLE);
    assert!(
        norm(after.gradient - before.gradient - outer(impulse, m.coupling)) < 1e-10 * norm(before.gradient)
    );
    // Implicit force balance of the row: impulse = -beta dt h at the end of the row.
    let balance = impulse + beta * STEP.dt * (state.memory[MIDDLE] + STEP.dt * after.non_affine);
    assert!(balance.length() < 1e-12 * impulse.length());
    // The sweep does the same to the particle that it visits first.
    state.velocity = old;
    let first = first_visited(&state);
    let gathered = gather(&state, &state.velocity, first);
    solve_inelastic(&context, STEP, &mut state);
    let m = state.moments[first];
    let beta = stiffness(&context, &state, first);
    let expected = -(state.memory[first] + STEP.dt * gathered.non_affine)
        / (1.0 + beta * STEP.dt.powi(2) * m.memory_denominator);
    assert!((state.memory_multiplier[first] - expected).length() < 1e-12 * expected.length());
}

fn first_visited(state: &State) -> usize {
    let color = |p: &usize| state.grid.unwrap().color(state.cell[*p]);
    (0..state.particle_count()).min_by_key(color).unwrap()
}

#[test]
fn impulses_in_total_are_what_the_velocities_gained() {
    for scheme in [Scheme::GaussSeidel, Scheme::Jacobi] {
        for multiplier in [Multiplier::Scalar, Multiplier::Tensor] {
            let context = elastic(SolverSettings { scheme, multiplier, ..settings(0.1) });
            let mut state = stirred(&context, STEP, 9);
            for _ in 0..4 {
                solve_inelastic(&context, STEP, &mut state);
            }
            let mut velocity = state.predicted_velocity.clone();
            for p in 0..state.particle_count() {
                let beta = stiffness(&context, &state, p);
                let memory = beta * STEP.dt * state.memory_multiplier[p];
                for pair in state.neighbors(p) {
                    let b = pair.index;
                    let impulse = state.impulse[p] * pair.gradient + pair.weight * memory;
                    velocity[b] += state.inverse_mass[b] * impulse;
                    velocity[p] -= state.inverse_mass[p] * impulse;
                }
            }
            for (v, expected) in std::iter::zip(&state.velocity, &velocity) {
                assert!((*v - *expected).length() < 1e-11 * expected.length().max(1.0));
            }
        }
    }
}

#[test]
fn a_constraint_that_reaches_a_tip_gives_its_impulse_back() {
    let context = context(Limp, moduli(1e5, 0.3), SolverSettings { stabilization: 0.0, ..settings(0.1) });
    let mut state = stirred(&context, STEP, 10);
    let before = state.velocity.clone();
    let impulse = 1e-3 * Noise::new(4).matrix();
    state.multiplier[MIDDLE] = -1.0;
    state.impulse[MIDDLE] = impulse;
    for pair in state.neighbors(MIDDLE).collect::<Vec<_>>() {
        let b = pair.index;
        state.velocity[b] += state.inverse_mass[b] * (impulse * pair.gradient);
    }
    state.velocity[MIDDLE] -= state.inverse_mass[MIDDLE] * (impulse * state.moments[MIDDLE].first);
    solve_inelastic(&context, STEP, &mut state);
    assert_eq!(state.counters.tip_released, 1);
    assert_eq!(state.multiplier[MIDDLE], 0.0);
    assert_eq!(state.impulse[MIDDLE], DMat3::ZERO);
    for (v, expected) in std::iter::zip(&state.velocity, &before) {
        assert!((*v - *expected).length() < 1e-12 * expected.length().max(1.0));
    }
    solve_inelastic(&context, STEP, &mut state);
    assert_eq!(state.counters.tip_released, 1);
}

#[test]
fn folding_gradients_are_scaled_back_and_counted() {
    let folding = DMat3::from_diagonal(DVec3::new(-2.0, 0.1, 0.0));
    let (limited, folded) = limit_fold(folding);
    assert!(folded);
    assert!((norm(limited) - 0.5).abs() < 1e-15);
    assert!(norm(limited * 4.0 * (2.0_f64.powi(2) + 0.01).sqrt() / 2.0 - folding) < 1e-14);
    let gentle = DMat3::from_diagonal(DVec3::new(-0.8, 0.1, 0.0));
    assert_eq!(limit_fold(gentle), (gentle, false));
}

/// A block that shrinks to two fifths in one step folds; if it had separated to twice its volume, its strain takes the
/// displacement gradient that the solve took.
#[test]
fn only_matter_that_came_apart_may_fold() {
    let context = elastic(settings(0.1));
    let mut state = stirred(&context, STEP, 5);
    state.strain.fill(DMat3::ZERO);
    state.velocity = state.position.iter().map(|x| -0.6 / STEP.dt * *x).collect();
    let refused = commit(&context, STEP, &mut state.clone());
    assert!(matches!(refused, Err(Refusal::Folded(_))), "{refused:?}");
    state.volume_ratio.fill(2.0);
    commit(&context, STEP, &mut state).unwrap();
    assert_eq!(state.counters.fold_limited, state.particle_count() as u64);
    let left = (1.0 - 0.5 / 3.0_f64.sqrt()).powi(3);
    assert!(state.volume_ratio.iter().all(|j| (j - 2.0 * left).abs() < 1e-9), "{:?}", state.volume_ratio);
}

#[test]
fn literal_and_kirchhoff_gradients_agree_where_nothing_flows() {
    let stresses = [Gradient::Kirchhoff, Gradient::Literal].map(|gradient| {
        let context = elastic(SolverSettings { gradient, ..settings(0.1) });
        stress_at(&context, &stirred(&context, STEP, 11), MIDDLE).gradient
    });
    assert_eq!(stresses[0], stresses[1]);
}

#[test]
fn the_literal_gradient_carries_the_plastic_stretch() {
    use super::laws::DruckerPrager;
    let constants = [moduli(1e5, 0.3), vec![0.386, 0.0]].concat();
    let contexts = [Gradient::Kirchhoff, Gradient::Literal].map(|gradient| {
        context(DruckerPrager, constants.clone(), SolverSettings { gradient, ..settings(0.1) })
    });
    let mut state = stirred(&contexts[0], STEP, 12);
    for strain in &mut state.strain {
        *strain -= 0.03 * DMat3::IDENTITY;
    }
    let mut flowing = 0;
    for p in 0..state.particle_count() {
        let displacement = STEP.dt * gather(&state, &state.velocity, p).gradient;
        let trial = plastic(&contexts[0], &state, p, displacement);
        let [kirchhoff, literal] =
            [0, 1].map(|i| stress(&contexts[i], &state, p, &trial).gradient * trial.deformation.transpose());
        for i in 0..3 {
            let u = trial.axes.col(i);
            let factor = (trial.hencky_trial[i] - trial.hencky[i]).exp();
            let expected = factor * u.dot(kirchhoff * u);
            assert!((u.dot(literal * u) - expected).abs() < 1e-9 * norm(kirchhoff).max(1.0));
        }
        flowing += usize::from((trial.hencky_trial - trial.hencky).length() > 1e-6);
    }
    assert!(flowing > 10, "{flowing}");
}

#[test]
fn semi_implicit_rows_ignore_the_return_mapping() {
    use super::laws::DruckerPrager;
    let constants = [moduli(1e5, 0.3), vec![0.386, 0.0]].concat();
    let solved = |plastic: bool| {
        let settings = SolverSettings { plasticity: Plasticity::SemiImplicit, ..settings(0.1) };
        let context = if plastic {
            context(DruckerPrager, constants.clone(), settings)
        } else {
            context(Hencky, moduli(1e5, 0.3), settings)
        };
        let mut state = stirred(&context, STEP, 13);
        solve_inelastic(&context, STEP, &mut state);
        state.velocity
    };
    assert_eq!(solved(true), solved(false));
}

#[test]
fn a_rigidly_moving_block_feels_nothing() {
    let context = elastic(settings(0.1));
    let mut state = state(&context, &block([4; 3], 0.1, 0.2, 2), 0.1);
    state.velocity.fill(DVec3::new(1.0, 2.0, -3.0));
    prepare(&context, STEP, &mut state);
    solve_inelastic(&context, STEP, &mut state);
    for v in &state.velocity {
        assert!((*v - DVec3::new(1.0, 2.0, -3.0)).length() < 1e-12);
    }
    let energy: f64 = state.impulse.iter().map(|h| double_dot(*h, *h)).sum();
    assert!(energy < 1e-20);
}

/// Clay with a deviator of at most `constants[2]`; below it, Hencky elasticity.
struct Clay;

impl Law for Clay {
    fn initial_state(&self, _: &[f64]) -> [f64; 4] {
        [0.0; 4]
    }

    fn project(&self, c: &[f64], state: &[f64; 4], _: f64, hencky: [f64; 3]) -> tuff_plugin::Projection {
        let mean = hencky.iter().sum::<f64>() / 3.0;
        let size = hencky.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>().sqrt();
        let kept = if size > c[2] { c[2] / size } else { 1.0 };
        let hencky = hencky.map(|e| mean + kept * (e - mean));
        tuff_plugin::Projection { hencky, state: *state, forget: kept, case: u32::from(kept < 1.0) }
    }

    fn energy(&self, c: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> f64 {
        Hencky.energy(c, state, hencky)
    }

    fn kirchhoff(&self, c: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> [f64; 3] {
        Hencky.kirchhoff(c, state, hencky)
    }

    fn moduli(&self, c: &[f64], state: &[f64; 4]) -> tuff_plugin::Moduli {
        Hencky.moduli(c, state)
    }
}

/// The memory's response is bounded by the strength of the material: sqrt(k_s / 2) |h| / r is at most its deviator at yield.
#[test]
fn the_memory_bears_no_more_than_the_material() {
    let (spacing, yields, stiffness) = (0.1, 1e-3, 3.0);
    let settings = SolverSettings { stabilization: stiffness, ..settings(spacing) };
    let context = context(Clay, [moduli(1e5, 0.3), vec![yields]].concat(), settings);
    let mut state = stirred(&context, STEP, 31);
    assert!(state.memory_bound.iter().all(|bound| *bound == f64::INFINITY), "nothing is known at the start");
    let bound = yields * (2.0 / stiffness).sqrt() * spacing;
    for _ in 0..2 {
        substep(&context, STEP, &mut state, false).unwrap();
        assert!(state.memory_bound.iter().all(|found| (found / bound - 1.0).abs() < 1e-9));
        let longest = |all: &[DVec3]| all.iter().map(|h| h.length()).fold(0.0, f64::max);
        assert!(longest(&state.memory) < bound * (1.0 + 1e-9), "{} m", longest(&state.memory));
    }
    // The sweeps of the second substep reached the bound.
    let longest = state.memory_multiplier.iter().map(|l| l.length()).fold(0.0, f64::max);
    assert!((longest / bound - 1.0).abs() < 1e-9, "{longest} of {bound} m");
    let elastic = super::setup::elastic(super::setup::settings(spacing));
    let mut state = stirred(&elastic, STEP, 31);
    substep(&elastic, STEP, &mut state, false).unwrap();
    assert!(state.memory_bound.iter().all(|bound| *bound == f64::INFINITY));
}
