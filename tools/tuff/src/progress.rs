//! Reports progress on stderr.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use tuff_output::RetryRecord;
use tuff_problem::{Control, Failure, FrameReport};
use tuff_scene::Warning;

use crate::args::ProgressMode;
use crate::details::details;
use crate::ticker::while_at_work;
use tuff_cli::exit::Stop;
use tuff_cli::log::{self, Style};
use tuff_cli::print;

/// Interval between reports on work that takes long, in lines and in a bar.
const TOLD: Duration = Duration::from_secs(2);
const DRAWN: Duration = Duration::from_millis(250);

/// Reports the progress of a run on stderr.
pub struct Progress {
    output: Output,
    verbose: bool,
    frames: u32,
    /// Frames that were on disk when the run started.
    before: u32,
    start: Instant,
}

enum Output {
    Silent,
    Lines,
    Json,
    Bar(ProgressBar),
}

impl Progress {
    /// Creates the progress of `frames` frames. A bar needs a terminal; elsewhere plain lines are printed.
    pub fn new(mode: ProgressMode, quiet: bool, verbose: bool, frames: u32) -> Self {
        let output = match mode {
            _ if quiet => Output::Silent,
            ProgressMode::None => Output::Silent,
            ProgressMode::Json => Output::Json,
            ProgressMode::Auto | ProgressMode::Bar if std::io::stderr().is_terminal() => {
                Output::Bar(bar(frames))
            }
            ProgressMode::Auto | ProgressMode::Bar => Output::Lines,
        };
        log::set_style(match output {
            Output::Silent => Style::Silent,
            Output::Json => Style::Json,
            Output::Lines | Output::Bar(_) => Style::Plain,
        });
        Self { output, verbose, frames, before: 1, start: Instant::now() }
    }

    /// Shows warnings.
    pub fn warn(&self, warnings: &[Warning]) {
        for warning in warnings {
            match &self.output {
                Output::Silent => {}
                Output::Json => self.event(json!({ "event": "warning", "message": warning.message() })),
                Output::Lines => self.line(&warning.render(false)),
                Output::Bar(_) => self.line(&warning.render(true)),
            }
        }
    }

    /// Reports the start of a run. `substeps` is the number per frame if it is fixed.
    pub fn start(&mut self, scene: &str, particles: usize, device: &str, substeps: Option<u32>, out: &str) {
        self.start = Instant::now();
        match &self.output {
            Output::Silent => {}
            Output::Json => self.event(json!({
                "event": "start", "scene": scene, "particles": particles, "device": device,
                "frames": self.frames, "substeps_per_frame": substeps, "out": out,
            })),
            Output::Lines | Output::Bar(_) => self.line(&format!(
                "{scene}: {} particles, {} frames of {} on {device}",
                print::count(particles as u64),
                self.frames,
                substeps.map_or_else(|| "adaptive substeps".to_owned(), |n| format!("{n} substeps"))
            )),
        }
    }

    /// Reports that the run resumes after `frame` from the checkpoint `name`; `done` frames are on disk.
    pub fn resumed(&mut self, frame: u32, done: u32, name: &str) {
        self.before = done;
        match &self.output {
            Output::Silent => {}
            Output::Json => {
                self.event(json!({ "event": "resumed", "frame": frame, "done": done, "checkpoint": name }))
            }
            Output::Bar(bar) => bar.set_position(u64::from(done)),
            Output::Lines => self.line(&format!("resuming after frame {frame:04}, from {name}")),
        }
    }

    /// Reports that `done` frames are on disk, of which `frame` is the last. The initial state has no report.
    pub fn frame(&self, frame: u32, done: u32, time: f64, report: Option<&FrameReport>) {
        let elapsed = self.start.elapsed().as_secs_f64();
        // The initial state takes no simulation and predicts nothing about the other frames.
        let simulated = f64::from(done.saturating_sub(self.before));
        let eta = if simulated > 0.0 && done < self.frames {
            elapsed / simulated * f64::from(self.frames - done)
        } else {
            f64::INFINITY
        };
        match &self.output {
            Output::Silent => {}
            Output::Json => self.event(json!({
                "event": "frame", "frame": frame, "done": done, "frames": self.frames, "time": time,
                "elapsed_seconds": elapsed, "eta_seconds": eta.is_finite().then_some(eta),
                "wall_seconds": report.map(|r| r.wall_seconds),
                "force_residual": report.map(|r| r.residual.force),
                "max_speed": report.map(|r| r.max_speed),
            })),
            Output::Bar(bar) => {
                bar.set_position(u64::from(done));
                bar.set_prefix("");
                bar.set_message(if eta.is_finite() { print::duration(eta) } else { "?".to_owned() });
            }
            Output::Lines => {
                let left =
                    if eta.is_finite() { format!(", {} left", print::duration(eta)) } else { String::new() };
                let took =
                    report.map_or(String::new(), |r| format!(" in {}", print::duration(r.wall_seconds)));
                self.line(&format!("frame {frame:04} ({done}/{}){took}{left}", self.frames));
            }
        }
        if let (true, Some(report), Output::Lines | Output::Bar(_)) = (self.verbose, report, &self.output) {
            self.line(&details(report));
        }
    }

    /// Returns the result of `work`, printing a line about it from time to time while it runs.
    pub fn while_at_work<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        let tell = |elapsed: Duration| match &self.output {
            Output::Silent => {}
            Output::Json => self.event(json!({
                "event": "busy", "with": what, "elapsed_seconds": elapsed.as_secs_f64(),
            })),
            Output::Lines | Output::Bar(_) => {
                self.line(&format!("{what}, {} so far", print::duration(elapsed.as_secs_f64())));
            }
        };
        self.told(TOLD, tell, work)
    }

    /// Returns the result of `work`, which computes `frame` of `length` [s] under `control`; reports from time to time how far it has
    /// got.
    pub fn while_computing<T>(
        &self,
        frame: u32,
        length: f64,
        control: &Control,
        work: impl FnOnce() -> T,
    ) -> T {
        control.reach(0.0, 0);
        let tell = |elapsed: Duration| {
            let (time, substeps) = control.reached();
            match &self.output {
                Output::Silent => {}
                Output::Json => self.event(json!({
                    "event": "within", "frame": frame, "time": time, "of": length, "substeps": substeps,
                    "elapsed_seconds": elapsed.as_secs_f64(),
                })),
                Output::Bar(bar) => bar.set_prefix(format!("({:.0} % of the next)", 100.0 * time / length)),
                Output::Lines => self.line(&format!(
                    "frame {frame:04}: {time:.4} of {length:.4} s by {} substeps, {} so far",
                    print::count(u64::from(substeps)),
                    print::duration(elapsed.as_secs_f64())
                )),
            }
        };
        self.told(if let Output::Bar(_) = self.output { DRAWN } else { TOLD }, tell, work)
    }

    fn told<T>(&self, every: Duration, tell: impl Fn(Duration) + Sync, work: impl FnOnce() -> T) -> T {
        match self.output {
            Output::Silent => work(),
            _ => while_at_work(every, tell, work),
        }
    }

    /// Prints a remark that is worth reading once.
    pub fn note(&self, text: &str) {
        if matches!(self.output, Output::Lines | Output::Bar(_)) {
            self.line(text);
        }
    }

    /// Reports that a model was replaced before `frame`, or kept in spite of a change. The latter is an error and is reported even with
    /// `--quiet`.
    pub fn material(&self, frame: u32, taken: bool, message: &str) {
        match &self.output {
            Output::Json => {
                self.event(json!({ "event": "material", "frame": frame, "taken": taken, "message": message }))
            }
            Output::Silent if taken => {}
            _ => self.line(&format!("frame {frame:04}: {message}")),
        }
    }

    /// Reports that a frame failed and is computed again with half the substep.
    pub fn retry(&self, failure: &Failure, record: &RetryRecord) {
        let RetryRecord { frame, substep, halved, .. } = record;
        match &self.output {
            Output::Json => self.event(json!({
                "event": "retry", "frame": frame, "substep": substep, "halved": halved,
                "failure": record.failure, "stage": record.stage, "particle": record.particle,
            })),
            Output::Silent => {}
            Output::Lines | Output::Bar(_) => self.line(&format!(
                "frame {frame:04} failed: {} (stage {}, substep {}); repeating from frame {:04} with substeps of {halved:.3e} s \
                 instead of {substep:.3e} s",
                failure.kind,
                failure.point,
                failure.substep,
                frame - 1
            )),
        }
    }

    /// Reports that the simulation failed for good; `report` is the file that describes the failure.
    pub fn failure(&self, failure: &Failure, report: Option<&str>) {
        if let Output::Json = &self.output {
            self.event(json!({
                "event": "failure", "frame": failure.frame, "substep": failure.substep,
                "failure": failure.kind.to_string(), "stage": failure.point.to_string(),
                "particle": failure.particle, "report": report,
            }));
        }
    }

    /// Prints a text that only `--verbose` shows.
    pub fn detail(&self, text: &str) {
        if self.verbose && matches!(self.output, Output::Lines | Output::Bar(_)) {
            self.line(text);
        }
    }

    /// Reports the end of the run, which is early if there is a `stop`.
    pub fn end(&self, stop: Option<&Stop>) {
        match &self.output {
            Output::Json => self.event(json!({
                "event": "end", "exit_code": stop.map_or(0, |s| s.code), "message": stop.map(Stop::reason),
            })),
            Output::Bar(bar) => bar.finish_and_clear(),
            Output::Silent | Output::Lines => {}
        }
    }

    fn line(&self, text: &str) {
        match &self.output {
            Output::Bar(bar) => bar.suspend(|| print::note(text)),
            _ => print::note(text),
        }
    }

    fn event(&self, event: serde_json::Value) {
        print::note(&event.to_string());
    }
}

fn bar(frames: u32) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(u64::from(frames)), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(
        "{bar:32.cyan/blue} frame {pos}/{len} {prefix} {elapsed} done, {msg} left",
    );
    // The template is a constant of this file; if it were wrong, the run would go on with a bar in the default style.
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar.set_message("?");
    bar
}
