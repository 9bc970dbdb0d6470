//! Volume of matter that flows.

use glam::{DMat3, DVec3};

use super::setup::{elastic, settings, state};
use crate::context::{Context, Step};
use crate::kernel;
use crate::stages::packing::{flow, packing_correction};
use crate::substep::prepare;

const STEP: Step = Step { time: 0.0, dt: 1e-4 };

#[test]
fn log_j_goes_to_the_packing_as_the_flow_does() {
    let (r, apart) = (0.1, 0.08);
    let context = elastic(settings(r));
    let mut state = state(&context, &[DVec3::ZERO, DVec3::X * apart], r);
    prepare(&context, STEP, &mut state);
    let density =
        state.rest_volume[0] * kernel::value(0.0, r) + state.rest_volume[1] * kernel::value(apart, r);
    let correction = |limit: f64, flow: f64, ratio: f64| {
        let context = Context { packing_limits: vec![limit * density], ..context.clone() };
        packing_correction(&context, &state, 0, flow, ratio)
    };
    // Packed 1.25 times as densely as at rest, J = 1.1: 1 - exp(-2 * 0.05) of the way to J = 0.8.
    let wanted = -(1.0 - (-0.1_f64).exp()) * (1.1_f64 / 0.8).ln();
    assert!((correction(0.8, 0.05, 1.1) - wanted).abs() < 1e-14);
    // J says so already; surfaces and loose matter say nothing.
    assert_eq!(
        [correction(0.8, 0.05, 0.79), correction(1.01, 0.05, 2.0), correction(0.8, 0.0, 2.0)],
        [0.0; 3]
    );
    assert_eq!(correction(0.8, 0.05, -1.0), 0.0, "what folds is refused elsewhere");
}

/// Simple shear by gamma has the deviatoric strain gamma / sqrt(2).
#[test]
fn flow_is_deviatoric_strain_of_what_lost_its_stress() {
    let gamma = 0.02;
    let shear = DMat3::from_cols(DVec3::ZERO, DVec3::X * gamma, DVec3::ZERO) + 0.3 * DMat3::IDENTITY;
    for (forget, part) in [(1.0, 0.0), (0.1, 0.0), (0.0, 1.0)] {
        assert!((flow(forget, shear) - part * gamma / 2.0_f64.sqrt()).abs() < 1e-15, "{forget}");
    }
}
