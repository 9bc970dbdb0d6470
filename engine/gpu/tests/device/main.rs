//! Tests that need a Vulkan device. Without one they show as ignored; with `TUFF_REQUIRE_GPU=1` they fail instead.
#![allow(clippy::unwrap_used, reason = "these are tests, if without the attribute")]

mod cost;
mod fixture;
mod reach;
mod refusals;
mod runs;

use fixture::Test;
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os(refusals::CHILD).is_some() {
        return refusals::child();
    }
    let arguments = Arguments::from_args();
    let missing = tuff_gpu::Device::open(None).err();
    let required = std::env::var_os("TUFF_REQUIRE_GPU").is_some_and(|value| value != "0");
    if let Some(error) = &missing {
        eprintln!("no device tests: {error}");
    }
    let ignored = missing.is_some() && !required;
    let trials =
        [reach::TESTS, runs::TESTS, refusals::TESTS].concat().into_iter().map(|(name, test): Test| {
            Trial::test(name, move || {
                test();
                Ok(())
            })
            .with_ignored_flag(ignored)
        });
    // Measurements are not tests: they run only on request.
    let costs = cost::TESTS.iter().map(|(name, test)| {
        let test = *test;
        Trial::test(*name, move || {
            test();
            Ok(())
        })
        .with_ignored_flag(true)
    });
    libtest_mimic::run(&arguments, trials.chain(costs).collect()).exit_code()
}
