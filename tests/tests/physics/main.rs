//! Cards of the validation plan: motions and equilibria with a closed form or a published number.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cards;
mod drucker_prager;
mod herschel_bulkley;
mod nacc;
mod support;
mod von_mises;

use std::process::ExitCode;
use tuff_tests::device_tests;

fn main() -> ExitCode {
    tuff_tests::run_device_tests(
        device_tests![
            cards::b1,
            cards::b2,
            cards::b3,
            cards::b4,
            cards::b5,
            cards::b6,
            cards::b7,
            cards::b8,
            cards::b9,
            cards::b18,
            cards::e1,
            cards::b31,
            cards::p6,
            cards::p12,
            von_mises::driven_cube,
            von_mises::plateaus,
            drucker_prager::triaxial_compression,
            drucker_prager::simple_shear,
            drucker_prager::extension_and_recompression,
            drucker_prager::oedometer,
            herschel_bulkley::flow_curve,
            nacc::isotropic_compression,
            nacc::first_yield_in_shear,
            nacc::first_yield_in_drained_compression,
            nacc::undrained_critical_states,
            nacc::drained_critical_states,
            nacc::stored_strains_are_admissible,
        ],
        device_tests![von_mises::pulled_bar,],
    )
}
