//! `tuff profile SCENE`: where the time of a substep goes.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use tuff_problem::{FrameReport, Simulation};
use tuff_solver::StageProfile;

use crate::args::ProfileArgs;
use crate::exit::{NOT_WRITTEN, Stop};
use crate::session::{self, Session};
use crate::{interrupt, print, simulation};

/// Substeps before the measured ones: pipelines are created and buffers grow in them.
const WARM_UP: u32 = 3;

/// Measures some substeps and prints the time of every stage.
pub fn profile(args: &ProfileArgs) -> Result<(), Stop> {
    if simulation::on_cpu(args.device.as_deref()) {
        return Err(Stop::bad_input(
            "solvers on the CPU have no stage times; choose a Vulkan device (tuff devices)",
        ));
    }
    let cancel = interrupt::flag()?;
    let (problem, warnings) = Session::open(&args.scene)?.problem()?;
    session::warn(&warnings);
    let mut gpu = simulation::open_gpu(&problem, args.device.as_deref())?;
    gpu.advance_substeps(WARM_UP, &cancel)?;
    gpu.enable_profile();
    let processor = processor_seconds();
    let report = gpu.advance_substeps(args.substeps, &cancel)?;
    let processor = processor_seconds().zip(processor).map(|(after, before)| after - before);
    let summary = Summary {
        scene: &problem.scene.name,
        device: gpu.device_name(),
        particles: problem.particle_count(),
        memory: gpu.memory(),
        processor,
        report,
        stages: gpu.profile().iter().filter(|s| s.dispatches > 0).cloned().collect(),
    };
    if let Some(path) = &args.json {
        write(path, &summary.json())?;
    }
    if let Some(path) = &args.trace {
        write(path, &summary.trace())?;
    }
    print::out(&summary.text())
}

struct Summary<'a> {
    scene: &'a str,
    device: String,
    particles: usize,
    memory: u64,
    processor: Option<f64>,
    report: FrameReport,
    stages: Vec<StageProfile>,
}

impl Summary<'_> {
    fn substeps(&self) -> f64 {
        f64::from(self.report.substeps.max(1))
    }

    fn device_seconds(&self) -> f64 {
        self.stages.iter().map(|s| s.seconds).sum()
    }

    fn pair_iterations_per_second(&self) -> f64 {
        self.report.neighbor_pairs as f64 * self.report.iterations as f64 / self.report.wall_seconds
    }

    fn text(&self) -> String {
        let substeps = self.substeps();
        let mut text = format!(
            "{} on {}: {} particles, {:.1} neighbors each, {} of device memory ({:.0} B per particle)\n\n",
            self.scene,
            self.device,
            print::count(self.particles as u64),
            self.report.neighbor_pairs as f64 / self.particles.max(1) as f64,
            print::bytes(self.memory),
            self.memory as f64 / self.particles.max(1) as f64
        );
        let _ = writeln!(text, "{:<22} {:>12} {:>14} {:>7}", "stage", "dispatches", "ms / substep", "share");
        let total = self.device_seconds().max(f64::MIN_POSITIVE);
        for stage in &self.stages {
            let _ = writeln!(
                text,
                "{:<22} {:>12.1} {:>14.4} {:>6.1}%",
                stage.name,
                stage.dispatches as f64 / substeps,
                1e3 * stage.seconds / substeps,
                100.0 * stage.seconds / total
            );
        }
        let _ = writeln!(
            text,
            "{:<22} {:>12} {:>14.4}",
            "all stages",
            "",
            1e3 * self.device_seconds() / substeps
        );
        let _ = writeln!(
            text,
            "{:<22} {:>12} {:>14.4}",
            "wall clock",
            "",
            1e3 * self.report.wall_seconds / substeps
        );
        if let Some(processor) = self.processor {
            let _ = writeln!(text, "{:<22} {:>12} {:>14.4}", "processor", "", 1e3 * processor / substeps);
        }
        let _ = writeln!(
            text,
            "\n{}neighbor-pair-iterations per second",
            print::quantity(self.pair_iterations_per_second())
        );
        text
    }

    fn json(&self) -> Value {
        let stages: Vec<Value> = self
            .stages
            .iter()
            .map(|s| json!({ "name": s.name, "dispatches": s.dispatches, "seconds": s.seconds }))
            .collect();
        json!({
            "scene": self.scene,
            "device": self.device,
            "particles": self.particles,
            "neighbor_pairs": self.report.neighbor_pairs,
            "device_memory_bytes": self.memory,
            "substeps": self.report.substeps,
            "iterations": self.report.iterations,
            "wall_seconds": self.report.wall_seconds,
            "processor_seconds": self.processor,
            "pair_iterations_per_second": self.pair_iterations_per_second(),
            "stages": stages,
        })
    }

    /// The mean substep with its stages one after the other, in the Trace Event Format [us].
    fn trace(&self) -> Value {
        let mut start = 0.0;
        let mut events = Vec::new();
        for stage in &self.stages {
            let length = 1e6 * stage.seconds / self.substeps();
            events.push(json!({
                "name": stage.name, "ph": "X", "ts": start, "dur": length, "pid": 1, "tid": 1,
                "args": { "dispatches": stage.dispatches as f64 / self.substeps() },
            }));
            start += length;
        }
        json!({ "displayTimeUnit": "ms", "traceEvents": events })
    }
}

fn write(path: &Path, value: &Value) -> Result<(), Stop> {
    std::fs::write(path, format!("{value:#}\n"))
        .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot write {}: {error}", path.display())))
}

/// Processor time of this process so far, all threads [s]; `None` where the system does not tell.
fn processor_seconds() -> Option<f64> {
    // Fields 14 and 15 of the line, counted from 1 and after the name in parentheses, are user and system time in
    // ticks, which Linux reports at 100 per second whatever the kernel uses.
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
