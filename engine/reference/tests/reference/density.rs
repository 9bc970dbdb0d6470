//! Position correction by density.

use glam::DVec3;
use tuff_scene::{PositionCorrection, Scheme, SolverSettings};

use super::laws::Limp;
use super::setup::{Noise, block, context, momentum, settings, state};
use tuff_reference::context::{Context, Step};
use tuff_reference::kernel;
use tuff_reference::stages::residual::force_norm;
use tuff_reference::state::State;
use tuff_reference::substep::{iterate, prepare};

const STEP: Step = Step { time: 0.0, dt: 1e-3 };

/// Stress-free matter, so that only the correction acts; its rest density is that of a cubic lattice at the kernel radius.
fn limp(scheme: Scheme) -> Context {
    let position_correction = PositionCorrection::Density { threshold: 0.0 };
    let settings = SolverSettings { position_correction, scheme, stabilization: 0.0, ..settings(0.1) };
    let mut context = context(Limp, vec![1.0, 1.0], settings);
    let shell = |n: f64, q: f64| n * kernel::value(0.1 * q, 0.1);
    let sum = shell(1.0, 0.0) + shell(6.0, 1.0) + shell(12.0, 2.0_f64.sqrt()) + shell(8.0, 3.0_f64.sqrt());
    context.density_limits = vec![1e-3 * sum];
    context
}

/// Returns the excess density `rho / rho0 - 1` around every particle at `x + dt v`, over all particles.
fn excess(context: &Context, state: &State) -> Vec<f64> {
    let end = |p: usize| state.position[p] + STEP.dt * state.velocity[p];
    let count = state.particle_count();
    let density = |p: usize| -> f64 {
        let term = |b: usize| state.rest_volume[b] * kernel::value(end(p).distance(end(b)), context.radius());
        (0..count).map(term).sum()
    };
    (0..count).map(|p| density(p) / context.density_limits[0] - 1.0).collect()
}

#[test]
fn a_lattice_at_rest_is_left_alone() {
    let context = limp(Scheme::GaussSeidel);
    let mut state = state(&context, &block([6; 3], 0.1, 0.0, 1), 0.1);
    prepare(&context, STEP, &mut state);
    iterate(&context, STEP, &mut state);
    let most = excess(&context, &state).into_iter().fold(f64::MIN, f64::max);
    assert!(most.abs() < 1e-12, "the interior is as dense as at rest: {most:e}");
    assert_eq!(state.counters.position_corrected, 0);
    assert!(state.velocity.iter().all(|v| *v == DVec3::ZERO));
}

#[test]
fn a_crowd_is_pushed_apart_until_it_is_as_dense_as_at_rest() {
    for scheme in [Scheme::GaussSeidel, Scheme::Jacobi] {
        let context = limp(scheme);
        let mut noise = Noise::new(3);
        let mut state = state(&context, &block([5; 3], 0.085, 0.1, 2), 0.1);
        for p in 0..state.particle_count() {
            state.mass[p] *= 1.0 + 0.5 * noise.number();
            state.inverse_mass[p] = 1.0 / state.mass[p];
            state.velocity[p] = noise.vector();
        }
        let before = momentum(&state);
        prepare(&context, STEP, &mut state);
        let most = excess(&context, &state).into_iter().fold(f64::MIN, f64::max);
        assert!(most > 0.3, "{most}");
        for _ in 0..60 {
            iterate(&context, STEP, &mut state);
        }
        let left = excess(&context, &state).into_iter().fold(f64::MIN, f64::max);
        assert!(left < 1e-3, "{scheme:?}: {left:e}");
        assert!((momentum(&state) - before).length() < 1e-11 * before.length(), "{scheme:?}");
        assert!(state.counters.position_corrected > 100);
        assert!(force_norm(&context, STEP, &state) < 1e-9, "its impulses are part of the balance");
    }
}

#[test]
fn one_row_of_a_pair_solves_its_linearization() {
    // C is nearly linear over a small excess: the error left by one row is of second order.
    let context = Context {
        density_limits: vec![1e-3 * (kernel::value(0.0, 0.1) + kernel::value(0.0801, 0.1))],
        ..limp(Scheme::GaussSeidel)
    };
    let mut state = state(&context, &[DVec3::ZERO, DVec3::new(0.0, 0.08, 0.0)], 0.1);
    state.inverse_mass[1] = 0.0;
    prepare(&context, STEP, &mut state);
    let before = excess(&context, &state)[0];
    iterate(&context, STEP, &mut state);
    let after = excess(&context, &state)[0];
    assert!(before > 1e-4 && after.abs() < before * before, "{before:e} {after:e}");
    assert_eq!(state.velocity[1], DVec3::ZERO);
    assert!(state.velocity[0].y < 0.0);
    assert_eq!(state.counters.position_corrected, 1);
}
