//! Long rest: 200,000 substeps of settled matter. Nothing may become non-finite, gain energy, creep or use more memory.
//!
//! `cargo xtask soak [SUBSTEPS]`, or this target with `--ignored` and `TUFF_SOAK_SUBSTEPS`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod scenes;
mod surface;

use std::process::ExitCode;
use std::time::Instant;

use glam::DVec3;
use tuff_problem::{Counters, Frame};
use tuff_run::Simulation;
use tuff_tests::{device_tests, gpu, problem, step};

use scenes::SPACING;
use surface::Surface;

/// Number of substeps after which the matter counts as settled: four seconds.
const SETTLING: u32 = 5000;

/// Number of measurements during the soak.
const WINDOWS: u32 = 40;

/// How far a surface may move [spacings].
const SURFACE: f64 = 0.1;

/// Allowed growth of the process's memory after the first windows [bytes]: the allocator's slack.
const SLACK: u64 = 16 << 20;

fn main() -> ExitCode {
    let soaks = device_tests![soak::sand_column, soak::plasticine_pile];
    tuff_tests::run_device_tests(device_tests![surface::the_surface_follows_the_particles], soaks)
}

mod soak {
    pub fn sand_column() {
        super::soak("sand column", &super::scenes::sand_column());
    }

    pub fn plasticine_pile() {
        super::soak("plasticine pile", &super::scenes::plasticine_pile());
    }
}

/// State at the end of a window.
struct Window {
    kinetic: f64,
    moved: f64,
    resident: Option<u64>,
    device: u64,
}

fn soak(name: &str, scene: &str) {
    let problem = problem(scene);
    let substeps = substeps();
    let mut simulation = gpu(&problem);
    let clock = Instant::now();
    println!("{name}: {} particles, {substeps} substeps of {:.1e} s", problem.particle_count(), problem.dt());
    step(&mut simulation, SETTLING);
    let start = positions(&simulation.frame().unwrap());
    let surface = Surface::of(&start, SPACING);
    println!("settled over {SETTLING} substeps in {:.0} s", clock.elapsed().as_secs_f64());

    let mut windows: Vec<Window> = Vec::new();
    let mut counters = Counters::default();
    for window in 0..WINDOWS {
        let (begin, end) = (share(substeps, window), share(substeps, window + 1));
        let report = step(&mut simulation, end - begin);
        let frame = simulation.frame().unwrap();
        assert_finite(&frame, end);
        let now = positions(&frame);
        let (moved, mean) = surface.moved(&now, SPACING);
        counters += &report.counters;
        let apart: Vec<f64> = std::iter::zip(&now, &start).map(|(a, b)| a.distance(*b) / SPACING).collect();
        let farthest = apart.iter().copied().fold(0.0, f64::max);
        let rms = (apart.iter().map(|d| d * d).sum::<f64>() / apart.len() as f64).sqrt();
        let state = Window {
            kinetic: report.energies.kinetic,
            moved: moved / SPACING,
            resident: resident(),
            device: simulation.solver().memory(),
        };
        println!(
            "{end:>7} substeps, {:>6.0} s: kinetic {:.3e} J, elastic {:.4e} J, fastest {:.2e} m/s, surface moved {:.4} \
             (mean {:+.4}), particles rms {rms:.4} most {farthest:.4} spacings, resident {} kB, device {} kB",
            clock.elapsed().as_secs_f64(),
            report.energies.kinetic,
            report.energies.elastic,
            report.max_speed,
            state.moved,
            mean / SPACING,
            state.resident.unwrap_or(0) / 1000,
            state.device / 1000,
        );
        windows.push(state);
    }
    let acted: Vec<String> = (counters.entries().into_iter().filter(|(_, count)| *count > 0))
        .map(|(name, count)| format!("{name} {:.3} a substep", count as f64 / f64::from(substeps)))
        .collect();
    println!("limiters: {}", acted.join(", "));
    judge(&windows);
}

fn judge(windows: &[Window]) {
    let quarter = windows.len() / 4;
    let (first, last) = (&windows[..quarter], &windows[windows.len() - quarter..]);
    let mean = |part: &[Window]| part.iter().map(|w| w.kinetic).sum::<f64>() / part.len() as f64;
    let (before, after) = (mean(first), mean(last));
    assert!(after <= 1.1 * before, "the kinetic energy grew from {before:.3e} to {after:.3e} J");
    let moved = windows.iter().map(|w| w.moved).fold(0.0, f64::max);
    assert!(moved < SURFACE, "the surface moved by {moved:.3} spacings");
    // The first windows fill caches.
    let (warm, end) = (&windows[quarter / 2], &windows[windows.len() - 1]);
    assert_eq!(warm.device, end.device, "device memory grew");
    if let (Some(warm), Some(end)) = (warm.resident, end.resident) {
        assert!(end <= warm + SLACK, "the process grew from {warm} to {end} bytes");
    }
}

/// Returns `TUFF_SOAK_SUBSTEPS`, or 200,000.
fn substeps() -> u32 {
    let count = match std::env::var("TUFF_SOAK_SUBSTEPS") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("TUFF_SOAK_SUBSTEPS={text} is no count")),
        Err(_) => 200_000,
    };
    assert!(count >= WINDOWS, "at least {WINDOWS} substeps are needed, not {count}");
    count
}

/// Returns the first substep of window `index`.
fn share(substeps: u32, index: u32) -> u32 {
    (u64::from(substeps) * u64::from(index) / u64::from(WINDOWS)) as u32
}

fn positions(frame: &Frame) -> Vec<DVec3> {
    frame.position.iter().map(|&x| DVec3::from(x)).collect()
}

fn assert_finite(frame: &Frame, substeps: u32) {
    for i in 0..frame.position.len() {
        let finite = frame.position[i].iter().all(|c| c.is_finite())
            && frame.velocity[i].iter().chain(&frame.strain[i]).chain(&frame.state[i]).all(|c| c.is_finite())
            && frame.volume_ratio[i].is_finite();
        assert!(finite, "particle {i} is not finite after {substeps} substeps");
    }
}

/// Returns the memory of this process [bytes], where the system reports it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}
