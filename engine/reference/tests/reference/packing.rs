//! Volume of matter that flows.

use glam::{DMat3, DVec3};

use super::setup::{elastic, settings, state};
use tuff_reference::context::{Context, Step};
use tuff_reference::kernel;
use tuff_reference::stages::packing::{openness, packing};
use tuff_reference::state::State;
use tuff_reference::substep::prepare;

const STEP: Step = Step { time: 0.0, dt: 1e-4 };

#[test]
fn log_j_goes_to_the_packing_as_far_as_matter_moves_unseen() {
    let (r, apart, spread) = (0.1, 0.08, 0.005);
    let context = Context { gravity: DVec3::ZERO, ..elastic(settings(r)) };
    let mut state = state(&context, &[DVec3::ZERO, DVec3::X * apart], r);
    prepare(&context, STEP, &mut state);
    state.velocity[1] = DVec3::new(0.3, spread * apart / STEP.dt, 0.0);
    // The gradient accounts for the motion along x.
    let seen = DMat3::from_cols(DVec3::X * (0.3 * STEP.dt / apart), DVec3::ZERO, DVec3::ZERO);
    let density =
        state.rest_volume[0] * kernel::value(0.0, r) + state.rest_volume[1] * kernel::value(apart, r);
    let correction = |limit: f64, seen: DMat3, ratio: f64| {
        let context = Context { packing_limits: vec![limit * density], ..context.clone() };
        packing(&context, STEP, &state, 0, seen).correction(&context, STEP, 0, ratio)
    };
    // Packed 1.25 times as densely as at rest, J = 1.1: 1 - exp(-30 * 0.005) of the way to J = 0.8.
    let wanted = -(1.0 - (-0.15_f64).exp()) * (1.1_f64 / 0.8).ln();
    assert!((correction(0.8, seen, 1.1) - wanted).abs() < 1e-14);
    // J already accounts for it; surfaces and loose matter are left alone; J contains what the gradient sees.
    let all = seen + DMat3::from_cols(DVec3::Y * spread, DVec3::ZERO, DVec3::ZERO);
    assert_eq!([correction(0.8, seen, 0.79), correction(1.01, seen, 2.0)], [0.0; 2]);
    assert!(correction(0.8, all, 2.0).abs() < 1e-14);
    assert_eq!(correction(0.8, seen, -1.0), 0.0, "what folds is refused elsewhere");
    // Half of a spread of 0.005 counts if a fiftieth of g dt^2 / r is the other half.
    let heavy = Context {
        gravity: DVec3::Y * (0.5 * spread * r / (0.02 * STEP.dt * STEP.dt)),
        packing_limits: vec![0.8 * density],
        ..context.clone()
    };
    let found = packing(&heavy, STEP, &state, 0, seen).correction(&heavy, STEP, 0, 1.1);
    let wanted = -(1.0 - (-0.075_f64).exp()) * (1.1_f64 / 0.8).ln();
    assert!((found - wanted).abs() < 1e-14, "{found}");
}

/// A pair closer than on a lattice is separated, half by each particle, at 20 times the part of its motion that the gradient does not see.
#[test]
fn pairs_that_meet_unseen_are_parted() {
    let (r, apart) = (0.1, 0.08);
    let context = elastic(settings(r));
    let mut state = state(&context, &[DVec3::ZERO, DVec3::X * apart], r);
    prepare(&context, STEP, &mut state);
    let spread = |state: &State, move_x: f64, seen: f64| {
        let mut state = state.clone();
        state.velocity[1] = DVec3::X * (move_x * apart / STEP.dt);
        let seen = DMat3::from_cols(DVec3::X * seen, DVec3::ZERO, DVec3::ZERO);
        packing(&context, STEP, &state, 0, seen).spread
    };
    for (move_x, seen) in [(-0.005, 0.0), (-0.004, 0.001), (-0.3, 0.0), (-0.1, -0.1), (0.3, 0.0)] {
        let now: f64 = apart * (1.0 + move_x);
        let part = (20.0 * f64::abs(move_x - seen) * apart / now).min(0.5);
        let wanted = -DVec3::X * (0.5 * part * (r - now).max(0.0));
        let found = spread(&state, move_x, seen);
        assert!((found - wanted).length() < 1e-15, "{move_x} {seen}: {found} {wanted}");
    }
    state.inverse_mass[1] = 0.0;
    assert!(
        (spread(&state, -0.3, 0.0).x + 0.5 * (r - 0.7 * apart)).abs() < 1e-15,
        "all of it beside what is held"
    );
    state.inverse_mass[0] = 0.0;
    assert_eq!(spread(&state, -0.3, 0.0), DVec3::ZERO);
}

#[test]
fn matter_is_parted_as_it_opens() {
    for (log_j, part) in [(-0.2, 0.0), (0.0, 0.0), (0.025, 0.25), (0.05, 0.5), (0.1, 1.0), (1.0, 1.0)] {
        assert!((openness(f64::exp(log_j)) - part).abs() < 1e-12, "log J = {log_j}");
    }
}
