//! Writes substeps as a trace in the Trace Event Format, which Perfetto and chrome://tracing open.

use serde_json::{Value, json};
use tuff_problem::profile::SubstepProfile;

const PROCESS: u32 = 1;
/// Rows of the trace: substeps on the host, parts and dispatches on the device.
const ROWS: [&str; 3] = ["host: substeps", "device: parts", "device: dispatches"];

/// Returns the slices of all substeps, parts and dispatches [us]. The device's clock is aligned with the host's at the end of each
/// submission; slices of a row never overlap.
pub fn trace(scene: &str, device: &str, substeps: &[SubstepProfile]) -> Value {
    let mut events = vec![json!({
        "name": "process_name", "ph": "M", "pid": PROCESS, "args": { "name": format!("{scene} on {device}") },
    })];
    for (row, name) in ROWS.iter().enumerate() {
        let about = |key: &str, args: Value| json!({ "name": key, "ph": "M", "pid": PROCESS, "tid": row, "args": args });
        events.push(about("thread_name", json!({ "name": name })));
        events.push(about("thread_sort_index", json!({ "sort_index": row })));
    }
    // A slice starts at the end of the previous one at the earliest: rounding of the clocks must not make them overlap.
    let mut ends = [0.0_f64; 3];
    let mut slice = |row: usize, name: &str, start: f64, end: f64, args: Value| {
        let start = (1e6 * start).max(ends[row]);
        ends[row] = (1e6 * end).max(start);
        json!({ "name": name, "ph": "X", "pid": PROCESS, "tid": row, "ts": start, "dur": ends[row] - start, "args": args })
    };
    for (index, substep) in substeps.iter().enumerate() {
        let from = |seconds: f64| substep.start + seconds;
        events.push(slice(
            0,
            &format!("substep {index}"),
            from(0.0),
            from(substep.wall_seconds),
            json!({ "iterations": substep.iterations, "pairs": substep.pairs, "submissions": substep.submissions }),
        ));
        for part in substep.dispatches.chunk_by(|a, b| a.part == b.part) {
            let (first, last) = (part[0], part[part.len() - 1]);
            let args = json!({ "dispatches": part.len(), "substep": index });
            events.push(slice(
                1,
                first.part.name(),
                from(first.start),
                from(last.start + last.seconds),
                args,
            ));
        }
        for dispatch in &substep.dispatches {
            let args = json!({ "threads": dispatch.threads, "bytes": dispatch.bytes, "substep": index });
            let (start, end) = (from(dispatch.start), from(dispatch.start + dispatch.seconds));
            events.push(slice(2, dispatch.stage, start, end, args));
        }
    }
    json!({ "displayTimeUnit": "ms", "traceEvents": events })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuff_problem::profile::{DispatchProfile, Part};

    fn substep(start: f64) -> SubstepProfile {
        let dispatch = |stage, part, start, seconds| DispatchProfile {
            stage,
            part,
            start,
            seconds,
            threads: 8,
            bytes: 64,
        };
        SubstepProfile {
            start,
            wall_seconds: 1e-3,
            submissions: 1,
            iterations: 1,
            dispatches: vec![
                dispatch("bin", Part::NeighborSearch, 1e-4, 2e-4),
                // A device's clock advances in its own ticks: this dispatch seems to begin before the end of the previous one.
                dispatch("sort", Part::NeighborSearch, 2.9999e-4, 1e-4),
                dispatch("solve_inelastic", Part::SolveInelastic, 4e-4, 5e-4),
            ],
            ..Default::default()
        }
    }

    #[test]
    fn slices_of_a_row_follow_each_other() {
        let trace = trace("cube", "a device", &[substep(0.0), substep(1.1e-3)]);
        let text = trace.to_string();
        let read: Value = serde_json::from_str(&text).unwrap();
        let events = read["traceEvents"].as_array().unwrap();
        for row in 0..3 {
            let mut end = 0.0;
            let slices: Vec<&Value> = events.iter().filter(|e| e["ph"] == "X" && e["tid"] == row).collect();
            assert_eq!(slices.len(), [2, 4, 6][row as usize]);
            for slice in slices {
                let (start, length) = (slice["ts"].as_f64().unwrap(), slice["dur"].as_f64().unwrap());
                assert!(start >= end && length >= 0.0, "{slice}");
                end = start + length;
            }
        }
        let sweep = events.iter().find(|e| e["name"] == "solve_inelastic").unwrap();
        assert!((sweep["ts"].as_f64().unwrap() - 400.0).abs() < 1e-9);
        assert!((sweep["dur"].as_f64().unwrap() - 500.0).abs() < 1e-9);
        assert_eq!(sweep["args"]["threads"], 8);
    }
}
