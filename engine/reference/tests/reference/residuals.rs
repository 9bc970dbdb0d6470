//! The force residual against the energy whose gradient it is.

use glam::DVec3;
use tuff_scene::{Multiplier, Scheme, SolverSettings};

use super::laws::Hencky;
use super::setup::{block, elastic, settings, state, stirred};
use tuff_reference::context::{Context, Step};
use tuff_reference::law::Law;
use tuff_reference::stages::residual::{force_norm, force_scale, forces, multiplier_norm};
use tuff_reference::state::State;
use tuff_reference::substep::{iterate, substep};

const STEP: Step = Step { time: 0.0, dt: 1e-3 };

/// `Q(v) = sum m/2 |v - v~|^2 + sum V0 psi(E(v)) + sum k_s mu V0 |h(v)|^2 / (2 r^2)` computed from
/// deformation gradients alone: b = A (I + E) A^T, Hencky strains from its eigenvalues in closed
/// form.
fn merit(context: &Context, state: &State) -> f64 {
    let mut q = 0.0;
    for p in 0..state.particle_count() {
        let (v, x) = (state.velocity[p], state.position[p]);
        q += 0.5 * state.mass[p] * (v - state.predicted_velocity[p]).length_squared();
        let mut a = glam::DMat3::IDENTITY;
        let mut h = state.memory[p];
        for pair in state.neighbors(p) {
            let b = pair.index;
            let moved = STEP.dt * (state.velocity[b] - v);
            a += glam::DMat3::from_cols(
                moved * pair.gradient.x,
                moved * pair.gradient.y,
                moved * pair.gradient.z,
            );
            h += pair.weight * moved;
            assert!((state.position[b] - x).length() < 2.0 * context.radius());
        }
        let b = a * (glam::DMat3::IDENTITY + state.strain[p]) * a.transpose();
        let hencky = eigenvalues(b).map(|w| 0.5 * w.ln());
        let constants = &context.materials[0].constants;
        let volume = state.rest_volume[p];
        q += volume * Hencky.energy(constants, &[0.0; 4], hencky);
        q += context.settings.stabilization * constants[0] * volume * h.length_squared()
            / (2.0 * context.radius().powi(2));
    }
    q
}

/// Eigenvalues of a symmetric matrix by the trigonometric formula.
fn eigenvalues(m: glam::DMat3) -> [f64; 3] {
    let mean = (m.x_axis.x + m.y_axis.y + m.z_axis.z) / 3.0;
    let k = m - mean * glam::DMat3::IDENTITY;
    let square: f64 = k.to_cols_array().iter().map(|e| e * e).sum::<f64>() / 6.0;
    let root = square.sqrt();
    let angle = (k.determinant() / (2.0 * root.powi(3))).clamp(-1.0, 1.0).acos() / 3.0;
    [0.0, 1.0, 2.0].map(|i| mean + 2.0 * root * (angle + i * std::f64::consts::TAU / 3.0).cos())
}

#[test]
fn the_force_residual_is_the_gradient_of_the_merit_function() {
    let context = elastic(settings(0.1));
    let mut state = stirred(&context, STEP, 21);
    iterate(&context, STEP, &mut state);
    let force = forces(&context, STEP, &state);
    let scale = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    let h = 1e-5;
    for p in [0, 17, 30, 63] {
        for axis in 0..3 {
            let mut at = |offset: f64| {
                let kept = state.velocity[p];
                state.velocity[p][axis] += offset;
                let q = merit(&context, &state);
                state.velocity[p] = kept;
                q
            };
            let derivative = (at(h) - at(-h)) / (2.0 * h);
            assert!((derivative - force[p][axis]).abs() < 1e-6 * scale, "{derivative} {}", force[p]);
        }
    }
}

#[test]
fn tensor_multipliers_converge_to_force_balance() {
    for scheme in [Scheme::GaussSeidel, Scheme::Jacobi] {
        let multiplier = Multiplier::Tensor;
        let context = elastic(SolverSettings { scheme, multiplier, ..settings(0.1) });
        let mut state = stirred(&context, STEP, 22);
        let start = force_norm(&context, STEP, &state);
        let sweeps = if scheme == Scheme::Jacobi { 3000 } else { 400 };
        for _ in 0..sweeps {
            iterate(&context, STEP, &mut state);
        }
        let end = force_norm(&context, STEP, &state);
        assert!(end < 1e-9 * start, "{scheme:?}: {start:e} -> {end:e}");
    }
}

#[test]
fn scalar_multipliers_converge_in_their_own_equation() {
    for scheme in [Scheme::GaussSeidel, Scheme::Jacobi] {
        let context = elastic(SolverSettings { scheme, ..settings(0.1) });
        let mut state = stirred(&context, STEP, 23);
        let start = multiplier_norm(&context, STEP, &state);
        for _ in 0..(if scheme == Scheme::Jacobi { 3000 } else { 400 }) {
            iterate(&context, STEP, &mut state);
        }
        let end = multiplier_norm(&context, STEP, &state);
        assert!(end < 1e-8 * start, "{scheme:?}: {start:e} -> {end:e}");
    }
}

#[test]
fn the_iteration_stops_at_the_tolerance() {
    let multiplier = Multiplier::Tensor;
    let settings = SolverSettings { multiplier, iterations: 500, residual_tolerance: 1e-3, ..settings(0.1) };
    let context = elastic(settings);
    let mut state = stirred(&context, STEP, 24);
    let progress = substep(&context, STEP, &mut state, false).unwrap();
    assert!(progress.residual.force < 1e-3);
    assert!(progress.iterations > 1 && progress.iterations < 500, "{}", progress.iterations);
}

#[test]
fn a_block_in_free_fall_is_in_balance() {
    let mut context = elastic(settings(0.1));
    context.gravity = DVec3::new(0.0, -9.81, 0.0);
    let mut state = state(&context, &block([3; 3], 0.1, 0.1, 1), 0.1);
    let progress = substep(&context, STEP, &mut state, true).unwrap();
    assert!(progress.residual.force < 1e-6, "{}", progress.residual.force);
    let weight = state.mass.iter().sum::<f64>() * 9.81 * STEP.dt;
    let momentum = state.mass.iter().map(|m| m * m).sum::<f64>().sqrt() * 9.81 * STEP.dt;
    let scale = f64::max(1e-6 * weight, 3e-5 * momentum);
    assert!((force_scale(&context, STEP, &state) / scale - 1.0).abs() < 1e-9);
}
