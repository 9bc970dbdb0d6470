//! Runs that are killed at random moments and resumed: every frame equals that of an uninterrupted run.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use tuff_tests::device_tests;
use tuff_tests::program::{Place, SCENE, names};

/// Number of kills by default, and in the slow test.
const KILLS: u32 = 20;
const MANY_KILLS: u32 = 100;

fn main() -> ExitCode {
    tuff_tests::run_device_tests(
        device_tests![kills::a_few_change_nothing, kills::an_interrupt_changes_nothing],
        device_tests![kills::a_hundred_change_nothing],
    )
}

/// Creates a scene of sand with adaptive steps and a checkpoint at every frame.
fn place() -> Place {
    let scene = SCENE.replace("max_substep = 2.0e-3\n", "").replace("iterations = 2\n", "");
    Place::with(&scene.replace("frames = [1, 3]", "frames = [1, 24]"))
}

/// Devices: a Vulkan one and the processor.
const DEVICES: [&str; 2] = ["0", "cpu"];

/// Returns a run with checkpoints on a device.
fn run(device: &str) -> [&str; 8] {
    ["run", "scene.toml", "--checkpoint", "1", "--resume", "--quiet", "--device", device]
}

fn files(place: &Place) -> Vec<(String, Vec<u8>)> {
    let of = |folder: &str| {
        let path = place.path(&format!("out/cube/{folder}"));
        names(&path).into_iter().map(move |name| (name.clone(), fs::read(path.join(name)).unwrap()))
    };
    of("particles").chain(of("preview")).collect()
}

/// Runs without interruption and returns the files and the run time.
fn whole(device: &str) -> (Vec<(String, Vec<u8>)>, Duration) {
    let (place, clock) = (place(), Instant::now());
    place.tuff(&run(device)).expect(0, &[]);
    (files(&place), clock.elapsed())
}

/// Kills runs on a device after random fractions of the run time, until the total number of kills is reached.
fn killed(device: &str, kills: u32) {
    let (expected, took) = whole(device);
    let (mut killed, mut runs, mut random) = (0, 0, 0x9e37_79b9_u64);
    while killed < kills {
        let place = place();
        loop {
            let mut child =
                place.command(&run(device)).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let part = (random >> 40) as f64 / f64::from(1 << 24);
            std::thread::sleep(took.mul_f64(0.6 * part));
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                break;
            }
            killed += 1;
        }
        runs += 1;
        assert!(files(&place) == expected, "run {runs}, after {killed} kills: files differ");
    }
    println!("{device}: {killed} kills in {runs} runs of {took:.1?}");
}

mod kills {
    use super::*;

    pub fn a_few_change_nothing() {
        DEVICES.into_iter().for_each(|device| killed(device, KILLS));
    }

    pub fn a_hundred_change_nothing() {
        DEVICES.into_iter().for_each(|device| killed(device, MANY_KILLS));
    }

    /// Ctrl-C after a quarter of the frames: elapsed time would depend on what else the machine does.
    pub fn an_interrupt_changes_nothing() {
        DEVICES.into_iter().for_each(interrupted);
    }

    fn interrupted(device: &str) {
        let (expected, _) = whole(device);
        let place = place();
        let mut child =
            place.command(&run(device)).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let written = || fs::read_dir(place.path("out/cube/particles")).map_or(0, Iterator::count);
        while written() < 6 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let interrupt = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupt.unwrap().success());
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(75));
        let left = files(&place).len();
        assert!(left > 0 && left < expected.len(), "{left} files");
        place.tuff(&run(device)).expect(0, &[]);
        assert!(files(&place) == expected);
    }
}
