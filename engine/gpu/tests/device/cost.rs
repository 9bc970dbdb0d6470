//! Costs of dispatches, barriers, markers and timestamps: `cargo test -p tuff-gpu --test device -- --ignored cost`.

use crate::fixture::*;
use std::time::{Duration, Instant};
use tuff_gpu::*;

pub const TESTS: &[Test] = &[("cost_of_commands", cost_of_commands), ("cost_of_reaches", cost_of_reaches)];

fn open(markers: bool) -> std::sync::Arc<Device> {
    Device::open_with(None, DeviceOptions { markers, ..DeviceOptions::default() }).unwrap()
}

/// Returns the best of several measurements.
fn best<T: PartialOrd>(mut measure: impl FnMut() -> T) -> T {
    (0..40).map(|_| measure()).reduce(|a, b| if b < a { b } else { a }).unwrap()
}

fn cost_of_commands() {
    const COMMANDS: usize = 500;
    for markers in [false, true] {
        let device = open(markers);
        let store = store(&device, 1024, StoreOptions::default());
        let mut executor = executor(&device, &store, &[EMPTY, STEP]);
        let mut dependent = Recording::new();
        let mut busy = Recording::new();
        let mut free = Recording::new();
        for _ in 0..COMMANDS {
            dependent.dispatch(StageId(0), Groups::Direct([1, 1, 1]), push(0));
            busy.dispatch(StageId(1), Groups::linear(1024, 64), push(1024));
            free.dispatch(StageId(1), Groups::Direct([0, 1, 1]), push(1));
        }
        for (name, recording) in [("one group", &dependent), ("1024 invocations", &busy), ("no group", &free)]
        {
            for timestamps in [false, true] {
                let mut run = || {
                    let report = executor.run(&store, recording, RunOptions { timestamps }).unwrap();
                    (report.wall, report.recording, report.barriers)
                };
                let (wall, host, barriers) = best(&mut run);
                let each = |time: Duration| time.as_secs_f64() * 1e6 / COMMANDS as f64;
                println!(
                    "{name}, markers {markers}, timestamps {timestamps}, {barriers} barriers: {:.2} us a dispatch, host {:.2}",
                    each(wall),
                    each(host)
                );
            }
        }
        let start = Instant::now();
        for _ in 0..100 {
            executor.run(&store, &Recording::new(), RunOptions::default()).unwrap();
        }
        println!("empty run: {:.1} us", start.elapsed().as_secs_f64() * 1e4);
    }
}

fn cost_of_reaches() {
    const COUNT_: usize = 1 << 18;
    let device = open(false);
    let default = StoreOptions::default();
    for (name, options) in [
        ("bound", default),
        ("address", StoreOptions { addresses: true, ..default }),
        ("chunks", StoreOptions { chunk_bytes: Some(1 << 20), ..default }),
    ] {
        let mut store = store(&device, COUNT_ as u64, options);
        let mut next = random(5);
        let neighbor: Vec<[u32; 2]> = (0..COUNT_).map(|_| [0, next() % COUNT_ as u32]).collect();
        store.upload(NEIGHBOR, &neighbor).unwrap();
        let mut executor = executor(&device, &store, &[STEP, MIX]);
        for stage in [0, 1] {
            let mut recording = Recording::new();
            recording.dispatch(StageId(stage), Groups::linear(COUNT_ as u64, 64), push(COUNT_));
            let wall = best(|| executor.run(&store, &recording, RunOptions::default()).unwrap().wall);
            println!(
                "{name}, {}: {:.2} ns an invocation",
                executor.stages()[usize::from(stage)].name,
                wall.as_secs_f64() * 1e9 / COUNT_ as f64
            );
        }
    }
}
