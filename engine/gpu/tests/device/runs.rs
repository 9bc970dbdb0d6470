//! Recordings on a device: order, indirect and large dispatches, options of runs.

use crate::fixture::*;
use std::path::Path;
use tuff_gpu::*;

pub const TESTS: &[Test] = &[
    ("dependent_dispatches_run_in_order", dependent_dispatches_run_in_order),
    ("long_recordings_span_submissions", long_recordings_span_submissions),
    ("indirect_dispatches_follow_the_device", indirect_dispatches_follow_the_device),
    ("more_than_65535_groups", more_than_65535_groups),
    ("timestamps_cover_every_dispatch", timestamps_cover_every_dispatch),
    ("markers_tell_how_far_a_run_came", markers_tell_how_far_a_run_came),
    ("specializations_reach_the_shader", specializations_reach_the_shader),
    ("a_process_may_open_devices_again_and_again", a_process_may_open_devices_again_and_again),
    ("the_second_start_compiles_nothing", the_second_start_compiles_nothing),
    ("a_folder_replaces_the_embedded_shaders", a_folder_replaces_the_embedded_shaders),
];

/// Drivers of GPUs fail to load after some 20 times if each device loads them anew.
fn a_process_may_open_devices_again_and_again() {
    let name = device().info().name.clone();
    for _ in 0..40 {
        assert_eq!(Device::open(None).unwrap().info().name, name);
    }
}

/// Runs source -> target and copies back, `rounds` times.
fn ping_pong(rounds: usize, count: usize) -> Recording {
    let mut recording = Recording::new();
    for _ in 0..rounds {
        recording.dispatch(StageId(0), Groups::linear(count as u64, 64), push(count));
        recording.copy(TARGET, SOURCE, 4 * count as u64);
    }
    recording
}

fn iterated(mut x: u32, rounds: usize) -> u32 {
    for _ in 0..rounds {
        x = x.wrapping_mul(3).wrapping_add(1);
    }
    x
}

fn dependent_dispatches_run_in_order() {
    let device = device();
    let mut store = store(&device, 1000, StoreOptions::default());
    let start: Vec<u32> = (0..1000).collect();
    store.upload(SOURCE, &start).unwrap();
    let mut executor = executor(&device, &store, &[STEP]);
    let report = executor.run(&store, &ping_pong(20, 1000), RunOptions::default()).unwrap();
    // Each command waits for the previous one.
    assert_eq!(report.barriers, 39);
    let expected: Vec<u32> = start.iter().map(|x| iterated(*x, 20)).collect();
    assert!(store.download::<u32>(SOURCE, 1000).unwrap() == expected);
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn long_recordings_span_submissions() {
    let device = device();
    let mut store = store(&device, 100, StoreOptions::default());
    let start: Vec<u32> = (0..100).collect();
    store.upload(SOURCE, &start).unwrap();
    let mut executor = executor(&device, &store, &[STEP]);
    // An empty run, a run of several batches, one whose last batch is full.
    executor.run(&store, &Recording::new(), RunOptions { timestamps: true }).unwrap();
    let mut total = 0;
    for rounds in [700, 512] {
        let report = executor.run(&store, &ping_pong(rounds, 100), RunOptions { timestamps: true }).unwrap();
        assert_eq!(report.stages.len(), rounds);
        total += rounds;
        let expected: Vec<u32> = start.iter().map(|x| iterated(*x, total)).collect();
        assert!(store.download::<u32>(SOURCE, 100).unwrap() == expected);
    }
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn indirect_dispatches_follow_the_device() {
    let device = device();
    let mut store = store(&device, 1000, StoreOptions::default());
    let mut executor = executor(&device, &store, &[GROUPS, INDEX]);
    for count in [0, 1, 64, 65, 1000] {
        store.upload(TARGET, &[0u32; 1000]).unwrap();
        let mut recording = Recording::new();
        recording.fill(COUNT, 0);
        recording.dispatch(StageId(0), Groups::Direct([1, 1, 1]), push(count));
        recording.dispatch(StageId(1), Groups::Indirect { attribute: ARGUMENTS, offset: 4 }, push(count));
        // The next counts must not be written before the dispatch has read the old ones.
        recording.dispatch(StageId(0), Groups::Direct([1, 1, 1]), push(77_777_777));
        executor.run(&store, &recording, RunOptions::default()).unwrap();
        assert_eq!(store.read_mapped::<u32>(COUNT, 0).unwrap() as usize, count.next_multiple_of(64));
        let expected: Vec<u32> = (0..1000).map(|i| if i < count { i as u32 + 7 } else { 0 }).collect();
        assert!(store.download::<u32>(TARGET, 1000).unwrap() == expected);
        // Shader and host agree on the split of large dispatches.
        let groups = [1, 2, 3].map(|index| store.read_mapped::<u32>(ARGUMENTS, index).unwrap());
        assert_eq!(Groups::Direct(groups), Groups::linear(77_777_777, 64));
    }
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn more_than_65535_groups() {
    const COUNT_: usize = 65_535 * 64 + 1;
    let device = device();
    let store = store(&device, COUNT_ as u64, StoreOptions::default());
    let mut executor = executor(&device, &store, &[INDEX]);
    let groups = Groups::linear(COUNT_ as u64, 64);
    assert_eq!(groups, Groups::Direct([32_768, 2, 1]));
    let mut recording = Recording::new();
    recording.fill(COUNT, 0);
    recording.fill(TARGET, 0);
    recording.dispatch(StageId(0), groups, push(COUNT_));
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    let target = store.download::<u32>(TARGET, COUNT_).unwrap();
    assert!(target.iter().zip(0..).all(|(value, index)| *value == index + 7));
    assert_eq!(store.read_mapped::<u32>(COUNT, 0).unwrap(), 65_536 * 64);
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn timestamps_cover_every_dispatch() {
    let device = device();
    let store = store(&device, 100_000, StoreOptions::default());
    let mut executor = executor(&device, &store, &[STEP, EMPTY]);
    let mut recording = Recording::new();
    recording.fill(SOURCE, 1);
    recording.dispatch(StageId(1), Groups::Direct([1, 1, 1]), push(1));
    for _ in 0..3 {
        recording.dispatch(StageId(0), Groups::linear(100_000, 64), push(100_000));
    }
    assert!(executor.run(&store, &recording, RunOptions::default()).unwrap().stages.is_empty());
    let report = executor.run(&store, &recording, RunOptions { timestamps: true }).unwrap();
    let stages: Vec<u16> = report.stages.iter().map(|time| time.stage.0).collect();
    assert_eq!(stages, [1, 0, 0, 0]);
    assert!(report.stages.windows(2).all(|pair| pair[0].start + pair[0].ns <= pair[1].start + 1));
    let total: u64 = report.stages.iter().map(|time| time.ns).sum();
    assert!(total > 0 && u128::from(total) <= report.wall.as_nanos(), "{report:?}");
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn markers_tell_how_far_a_run_came() {
    let device = device_with(true);
    let mut store = store(&device, 100, StoreOptions::default());
    store.upload(SOURCE, &[1u32; 100]).unwrap();
    let mut executor = executor(&device, &store, &[STEP, EMPTY]);
    let mut recording = ping_pong(3, 100);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    let progress = executor.progress(&recording);
    assert!(progress.contains("a copy (command 6 of 6)"), "{progress}");
    recording.dispatch(StageId(1), Groups::Direct([1, 1, 1]), push(1));
    recording.dispatch(StageId(0), Groups::Direct([1, 1, 1]), push(1));
    recording.fill(LABEL, 0);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    // The fill needs no barrier, so the last known command is the dispatch before it.
    let progress = executor.progress(&recording);
    assert!(progress.contains("stage \"step\" (command 8 of 9)"), "{progress}");
    assert_eq!(store.download::<u32>(SOURCE, 1).unwrap(), [iterated(1, 6)]);
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn specializations_reach_the_shader() {
    let device = device();
    let store = store(&device, 4, StoreOptions::default());
    let text = "#version 460\n#include \"attributes.glsl\"\n#include \"model.glsl\"\n\
        layout(local_size_x_id = 0) in;\nlayout(constant_id = 3) const uint number = 0u;\n\
        layout(constant_id = 4) const float scale = 0.0;\n\
        void main() { if (gl_LocalInvocationID.x == 0u) {\n\
        target(0) = number; target(1) = uint(scale * 8.0); target(2) = model() + MORE; target(3) = gl_WorkGroupSize.x; } }\n";
    let stage = StageDeclaration {
        name: "special",
        shader: "special.comp",
        accesses: &[(TARGET, Access::Write)],
        indirect: None,
    };
    let (stage, mut special) = with_source(stage, text);
    special.constants = vec![(0, 32), (3, 17), (4, 0.5f32.to_bits())];
    special.sources.push(("model.glsl".to_owned(), "uint model() { return 40u; }".to_owned()));
    special.defines.push(("MORE".to_owned(), "2u".to_owned()));
    let mut executor = Executor::new(&device, &store, vec![(stage, special)], options()).unwrap();
    let mut recording = Recording::new();
    recording.dispatch(StageId(0), Groups::Direct([1, 1, 1]), PushConstants::NONE);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    assert_eq!(store.download::<u32>(TARGET, 4).unwrap(), [17, 4, 42, 32]);
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn the_second_start_compiles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let device = device();
    let store = store(&device, 4, StoreOptions::default());
    let start = |stages: &[StageDeclaration]| {
        let options = ExecutorOptions { cache_dir: Some(folder.path().to_owned()), ..options() };
        let stages = stages.iter().copied().map(with_shaders).collect();
        let report = Executor::new(&device, &store, stages, options).unwrap().build_report();
        (report.compiled, report.cached)
    };
    assert_eq!(start(&[STEP, INDEX]), (2, 0));
    assert_eq!(start(&[INDEX, STEP, EMPTY]), (1, 2));
    assert_eq!(start(&[INDEX, STEP, EMPTY]), (0, 3));
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.iter().filter(|name| name.ends_with(".spv")).count(), 3);
    assert_eq!(names.iter().filter(|name| name.starts_with("pipelines-")).count(), 1, "{names:?}");
    // A damaged file counts as missing.
    for name in names.iter().filter(|name| name.ends_with(".spv")) {
        std::fs::write(folder.path().join(name), b"damaged").unwrap();
    }
    assert_eq!(start(&[STEP]), (1, 0));
}

fn a_folder_replaces_the_embedded_shaders() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new(""))).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write(
        "stages/own.comp",
        "#version 460\n#include \"attributes.glsl\"\n#include \"../include/nine.glsl\"\nvoid main() { target(0) = nine(); }\n",
    );
    write("include/nine.glsl", "uint nine() { return 9u; }\n");
    let device = device();
    let mut store = store(&device, 4, StoreOptions::default());
    store.upload(TARGET, &[0u32; 4]).unwrap();
    let stage = StageDeclaration {
        name: "own",
        shader: "stages/own.comp",
        accesses: &[(TARGET, Access::Write)],
        indirect: None,
    };
    let options = ExecutorOptions { shader_dir: Some(folder.path().to_owned()), ..options() };
    let stages = vec![(stage, Specialization::default())];
    let mut executor = Executor::new(&device, &store, stages.clone(), options.clone()).unwrap();
    let mut recording = Recording::new();
    recording.dispatch(StageId(0), Groups::Direct([1, 1, 1]), PushConstants::NONE);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    assert_eq!(store.download::<u32>(TARGET, 1).unwrap(), [9]);
    write("include/nine.glsl", "uint nine() {\n    return nin;\n}\n");
    let error = Executor::new(&device, &store, stages, options).err().unwrap();
    match error {
        GpuError::Compile { file, line, .. } => {
            assert!(Path::new(&file).ends_with("include/nine.glsl") && line == 2, "{file}:{line}");
        }
        error => panic!("{error}"),
    }
}
