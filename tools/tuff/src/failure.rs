//! Reports a failed simulation, on stderr and in files.

use std::fmt::Write;

use tuff_output::{FAILURE_FILES, FrameLayout, OutputFolder, failure_record, particle_state};
use tuff_problem::{Counters, Evidence, Examination, Failure, Problem, START};
use tuff_reference::examine;

use tuff_cli::exit::Stop;
use tuff_cli::simulation::blamed;

/// Writes the report of a failure. Returns the stop that describes it, and the names of the files written.
pub fn report(problem: &Problem, failure: &Failure, folder: &OutputFolder) -> (Stop, Vec<String>) {
    let mut stop = blamed(problem, failure);
    let Some(evidence) = &failure.evidence else { return (stop, Vec::new()) };
    let seen = examine(problem, evidence);
    stop.details = details(problem, evidence, &seen);
    let models: Vec<_> = problem.materials.iter().map(|m| problem.models[m.model].descriptor()).collect();
    let record = failure_record(problem, failure, evidence, &seen);
    let written = FrameLayout::full(&models)
        .map(|layout| layout.described(&problem.scene))
        .and_then(|layout| folder.write_failure(&record, &layout, &evidence.surroundings));
    match written {
        Ok(()) => {
            let [report, particles] =
                FAILURE_FILES.map(|name| folder.root().join(name).display().to_string());
            let count = evidence.surroundings.id.len();
            let _ = write!(
                stop.details,
                "\n  report      {report}\n              {particles} ({count} particles)"
            );
            (stop, FAILURE_FILES.map(str::to_owned).to_vec())
        }
        Err(error) => {
            let _ = write!(stop.details, "\n  the report could not be written: {error}");
            (stop, Vec::new())
        }
    }
}

/// Formats the report for people.
fn details(problem: &Problem, evidence: &Evidence, seen: &Examination) -> String {
    let origin = &evidence.origin;
    let began = match origin.point.stage {
        START => format!("before the substep: {} was not finite at its start", origin.quantity),
        _ => format!("in {}, by the {}", origin.point, origin.quantity),
    };
    let many = if evidence.bad == 1 {
        "1 particle is".to_owned()
    } else {
        format!("{} particles are", evidence.bad)
    };
    let name = |obstacle: usize| {
        let (kind, name) = problem.scene.obstacle(obstacle);
        format!("{kind} `{name}`")
    };
    let mut text = format!("  began       {began}; {many} bad at the end of the substep");
    let mut line = |label: &str, words: String| {
        let _ = write!(text, "\n  {label:<11} {words}");
    };
    let body = &problem.scene.bodies[seen.body as usize].name;
    let pinned = if seen.pinned { ", pinned" } else { "" };
    line("particle", format!("{} of body `{body}`{pinned}, at {} m", origin.particle, vector(seen.position)));
    let (velocity, travel) = (vector(seen.velocity), seen.travel);
    let (time, dt) = (evidence.time, evidence.dt);
    line(
        "velocity",
        format!("{velocity} m/s: {travel:.3} kernel radii in this substep of {dt:.3e} s, at {time:.6} s"),
    );
    let [a, b, c] = seen.stretches;
    line(
        "strain",
        format!("principal stretches {a:.4} {b:.4} {c:.4}, volume ratio J = {:.4}", seen.volume_ratio),
    );
    let words = particle_state(problem, seen);
    if !words.is_empty() {
        line(
            "state",
            words.iter().map(|(name, word)| format!("{name} = {word}")).collect::<Vec<_>>().join(", "),
        );
    }
    let nearest =
        seen.nearest.map_or(String::new(), |(id, r)| format!(", the nearest {id} at {r:.3} kernel radii"));
    let directions =
        if seen.rank == 1 { "1 direction".to_owned() } else { format!("{} directions", seen.rank) };
    line("neighbors", format!("{}{nearest}; they span {directions}", seen.neighbors));
    if let Some((collider, gap)) = seen.collider {
        let touched: Vec<_> = seen.contacts.iter().map(|&c| name(c)).collect();
        let touched = if touched.is_empty() { "none".to_owned() } else { touched.join(", ") };
        line("obstacle", format!("{}, {gap:.3e} m away; within reach: {touched}", name(collider)));
    }
    let last = evidence.in_last_frame.map_or("no previous frame".to_owned(), |counters| limiters(&counters));
    line("limiters", format!("in this substep: {}", limiters(&evidence.in_substep)));
    line("", format!("earlier in this frame: {}", limiters(&evidence.in_frame)));
    line("", format!("in the previous frame: {last}"));
    text
}

/// Lists the nonzero counters.
fn limiters(counters: &Counters) -> String {
    let acted = counters.entries().into_iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = acted.map(|(name, count)| format!("{name} {count}")).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

fn vector([x, y, z]: [f64; 3]) -> String {
    format!("({x:.5}, {y:.5}, {z:.5})")
}
