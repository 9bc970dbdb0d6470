//! Shared code of the test targets: scenes from text, their simulations, and the harness of tests that need a Vulkan device.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod libraries;
pub mod meshes;
pub mod ply;
pub mod program;
#[cfg(unix)]
pub mod watched;

use std::process::{Command, ExitCode};
use std::time::Instant;

use libtest_mimic::{Arguments, Trial};
use tuff_problem::{Control, FrameReport, Problem};
use tuff_run::{GpuSimulation, ReferenceSimulation};
use tuff_solver::Options;

pub use libraries::library;

/// Builds the problem of a scene given as text.
pub fn problem(scene: &str) -> Problem {
    problem_beside(scene, &[] as &[(&str, String)])
}

/// Builds the problem of a scene given as text, beside files given by name and text.
pub fn problem_beside(scene: &str, files: &[(impl AsRef<str>, String)]) -> Problem {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name.as_ref()), text).unwrap();
    }
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, scene).unwrap();
    let descriptors: Vec<_> = library().models().iter().map(|m| m.descriptor()).collect();
    let loaded = tuff_scene::load(&file, &[], &descriptors).unwrap_or_else(|error| panic!("{error}"));
    Problem::new(loaded.scene, library()).unwrap_or_else(|error| panic!("{error}"))
}

/// Opens a simulation on the default device.
pub fn gpu(problem: &Problem) -> GpuSimulation {
    GpuSimulation::new(problem, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Opens a simulation of the f64 reference.
pub fn reference(problem: &Problem) -> ReferenceSimulation {
    ReferenceSimulation::new(problem)
}

/// Advances `count` substeps on the device.
pub fn step(simulation: &mut GpuSimulation, count: u32) -> FrameReport {
    simulation.advance_substeps(count, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Advances `count` substeps of the reference.
pub fn step_reference(simulation: &mut ReferenceSimulation, count: u32) -> FrameReport {
    simulation.advance_substeps(count, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A named test that needs a device.
pub type DeviceTest = (&'static str, fn());

/// Runs tests that need a device. Without a device they are reported as ignored, unless `TUFF_REQUIRE_GPU=1` makes this a failure. `slow`
/// tests run only with `--ignored` or `--include-ignored`. The validation layer is on: its messages fail the test that caused them.
pub fn run_device_tests(tests: &[DeviceTest], slow: &[DeviceTest]) -> ExitCode {
    let named = |&(name, test): &DeviceTest| (name.to_owned(), test);
    run_device_functions(tests.iter().map(named).collect(), slow.iter().map(named).collect())
}

/// Holds the name of the test in the process of a single test.
const ALONE: &str = "TUFF_TEST_ALONE";

/// Returns the number of concurrent tests on a software driver: one, unless the driver is told to use one thread. Scenes of tests are
/// too small to keep its threads busy: a test per core is nearly twice as fast.
fn test_threads() -> usize {
    match std::env::var("LP_NUM_THREADS") {
        Ok(threads) if threads == "1" => std::thread::available_parallelism().map_or(1, usize::from),
        _ => 1,
    }
}

/// Like [`run_device_tests`], for tests that are assembled at run time. Concurrent tests run in a process each: drivers have crashed
/// when several threads opened and closed devices.
pub fn run_device_functions<F: Fn() + Send + 'static>(
    tests: Vec<(String, F)>,
    slow: Vec<(String, F)>,
) -> ExitCode {
    if let Some(alone) = std::env::var_os(ALONE) {
        let (_, test) = tests.into_iter().chain(slow).find(|(name, _)| alone == **name).unwrap();
        test();
        return ExitCode::SUCCESS;
    }
    let mut arguments = Arguments::from_args();
    let device = tuff_gpu::Device::open(None);
    let on_cores = device.as_ref().is_ok_and(|device| device.info().kind == tuff_gpu::DeviceKind::Cpu);
    let threads = *arguments.test_threads.get_or_insert_with(|| if on_cores { test_threads() } else { 1 });
    let missing = device.err();
    let required = std::env::var_os("TUFF_REQUIRE_GPU").is_some_and(|value| value != "0");
    if let Some(error) = &missing {
        eprintln!("no device: {error}");
    }
    let absent = missing.is_some() && !required;
    let one = |(name, test): (String, F), ignored: bool| {
        let trial = if threads == 1 { trial(name, test) } else { process(name) };
        trial.with_ignored_flag(ignored)
    };
    let tests = tests.into_iter().map(|test| one(test, absent));
    let all = tests.chain(slow.into_iter().map(|test| one(test, true))).collect();
    libtest_mimic::run(&arguments, all).exit_code()
}

fn trial(name: String, test: impl Fn() + Send + 'static) -> Trial {
    Trial::test(name.clone(), move || {
        let start = Instant::now();
        test();
        tell_time(&name, start);
        Ok(())
    })
}

/// Prints how long a test took if that is worth knowing.
fn tell_time(name: &str, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    if seconds > 10.0 {
        println!("{name} took {seconds:.0} s");
    }
}

/// Returns a test that runs the test `name` of this program in a process of its own and prints what it printed.
fn process(name: String) -> Trial {
    Trial::test(name.clone(), move || {
        let start = Instant::now();
        let output = Command::new(std::env::current_exe()?).env(ALONE, &name).output()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        if output.status.success() {
            print!("{text}");
            tell_time(&name, start);
            return Ok(());
        }
        Err(format!("{}\n{text}", output.status).into())
    })
}

/// Lists `(name, function)` pairs of the given functions.
#[macro_export]
macro_rules! device_tests {
    ($($module:ident :: $test:ident),* $(,)?) => {
        &[$((concat!(stringify!($module), "::", stringify!($test)), $module::$test as fn())),*]
    };
}
