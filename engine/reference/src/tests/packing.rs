//! Volume of matter that flows.

use glam::{DMat3, DVec3};

use super::setup::{elastic, settings, state};
use crate::context::{Context, Step};
use crate::kernel;
use crate::stages::packing::packing_correction;
use crate::substep::prepare;

const STEP: Step = Step { time: 0.0, dt: 1e-4 };

#[test]
fn log_j_goes_to_the_packing_as_far_as_matter_moves_unseen() {
    let (r, apart, spread) = (0.1, 0.08, 0.005);
    let context = elastic(settings(r));
    let mut state = state(&context, &[DVec3::ZERO, DVec3::X * apart], r);
    prepare(&context, STEP, &mut state);
    state.velocity[1] = DVec3::new(0.3, spread * apart / STEP.dt, 0.0);
    // The gradient knows of the motion along x.
    let seen = DMat3::from_cols(DVec3::X * (0.3 * STEP.dt / apart), DVec3::ZERO, DVec3::ZERO);
    let density =
        state.rest_volume[0] * kernel::value(0.0, r) + state.rest_volume[1] * kernel::value(apart, r);
    let correction = |limit: f64, seen: DMat3, ratio: f64| {
        let context = Context { packing_limits: vec![limit * density], ..context.clone() };
        packing_correction(&context, STEP, &state, 0, seen, ratio)
    };
    // Packed 1.25 times as densely as at rest, J = 1.1: 1 - exp(-20 * 0.005) of the way to J = 0.8.
    let wanted = -(1.0 - (-0.1_f64).exp()) * (1.1_f64 / 0.8).ln();
    assert!((correction(0.8, seen, 1.1) - wanted).abs() < 1e-14);
    // J says so already; surfaces and loose matter say nothing; what the gradient sees is in J already.
    let all = seen + DMat3::from_cols(DVec3::Y * spread, DVec3::ZERO, DVec3::ZERO);
    assert_eq!([correction(0.8, seen, 0.79), correction(1.01, seen, 2.0)], [0.0; 2]);
    assert!(correction(0.8, all, 2.0).abs() < 1e-14);
    assert_eq!(correction(0.8, seen, -1.0), 0.0, "what folds is refused elsewhere");
}
