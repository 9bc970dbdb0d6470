//! Bound, by address and in chunks: the same result.

use crate::fixture::*;
use tuff_gpu::*;

pub const TESTS: &[Test] = &[
    ("all_reaches_give_the_closed_form", all_reaches_give_the_closed_form),
    ("transfers_cross_chunks_and_staging_pieces", transfers_cross_chunks_and_staging_pieces),
    ("copies_and_fills_cross_chunks", copies_and_fills_cross_chunks),
    ("resizing_changes_the_reach", resizing_changes_the_reach),
];

fn all_ways() -> Vec<StoreOptions> {
    let default = StoreOptions::default();
    vec![
        default,
        StoreOptions { no_texels: true, ..default },
        StoreOptions { addresses: true, ..default },
        StoreOptions { chunk_bytes: Some(256), ..default },
        StoreOptions { chunk_bytes: Some(100), addresses: true, no_texels: false, staging: true },
    ]
}

fn all_reaches_give_the_closed_form() {
    const COUNT_: usize = 1000;
    let device = device();
    let mut next = random(7);
    let mut float = || next() as f32 / 4e9;
    let velocity: Vec<[f32; 4]> = (0..COUNT_).map(|_| [float(), float(), float(), float()]).collect();
    let mass: Vec<f32> = (0..COUNT_).map(|_| float()).collect();
    let mut next = random(9);
    let neighbor: Vec<[u32; 2]> = (0..COUNT_).map(|_| [next(), next() % COUNT_ as u32]).collect();
    let label: Vec<[u32; 4]> = (0..COUNT_).map(|_| [next(), next(), next(), next()]).collect();

    for options in all_ways() {
        let mut store = store(&device, COUNT_ as u64, options);
        store.upload(VELOCITY, &velocity).unwrap();
        store.upload(MASS, &mass).unwrap();
        store.upload(NEIGHBOR, &neighbor).unwrap();
        store.upload(LABEL, &label).unwrap();
        let mut executor = executor(&device, &store, &[MIX]);
        let mut recording = Recording::new();
        recording.fill(COUNT, 0);
        recording.dispatch(StageId(0), Groups::linear(COUNT_ as u64, 64), push(COUNT_));
        executor.run(&store, &recording, RunOptions::default()).unwrap();

        let position: Vec<[f32; 4]> = store.download(POSITION, COUNT_).unwrap();
        let tangent: Vec<[f32; 2]> = store.download(TANGENT, COUNT_).unwrap();
        let labels: Vec<[u32; 4]> = store.download(LABEL, COUNT_).unwrap();
        for i in 0..COUNT_ {
            let (v, b, k) = (velocity[i], neighbor[i][1], i as u32);
            let m = mass[b as usize];
            assert_eq!(position[i], [v[3] + m + 0.25, v[2] + m, v[1] + m, v[0] + m], "{i} {options:?}");
            assert_eq!(tangent[i], [mass[i], b as f32], "{i} {options:?}");
            assert_eq!(labels[i][..3], [label[i][0] ^ k, label[i][1] ^ (2 * k), label[i][2] ^ (3 * k)]);
        }
        let word = |index| store.read_mapped::<u32>(COUNT, index).unwrap();
        let at = |name: &str| COUNTER.offset(name).unwrap() as usize / 4;
        assert_eq!(word(at("total")), 999 * 1000 / 2);
        assert_eq!(word(at("largest")), 999);
        assert_eq!([0, 1, 2, 3].map(|k| word(at("histogram") + k)), [250; 4]);
        assert_eq!(device.validation_messages(), [""; 0]);
    }
}

fn transfers_cross_chunks_and_staging_pieces() {
    // More than two staging buffers of 16 MiB, and not a round number.
    const COUNT_: usize = 9_000_001;
    let device = device();
    let mut next = random(3);
    let data: Vec<u32> = (0..COUNT_).map(|_| next()).collect();
    for (staging, chunk_bytes) in [(true, None), (true, Some(20_000_000)), (false, Some(9_999_999))] {
        let mut counts = [0; TABLE.len()];
        counts[usize::from(SOURCE.0)] = COUNT_ as u64;
        let options = StoreOptions { staging, chunk_bytes, ..StoreOptions::default() };
        let mut store = Store::with_options(&device, &TABLE, &counts, options).unwrap();
        assert_eq!(store.bytes(), 4 * COUNT_ as u64);
        store.upload(SOURCE, &data).unwrap();
        assert!(store.download::<u32>(SOURCE, COUNT_).unwrap() == data, "{options:?}");
        // A part, read as another type.
        let pairs = store.download::<[u32; 2]>(SOURCE, 3_000_000).unwrap();
        assert!(pairs.as_flattened() == &data[..6_000_000]);
        assert!(store.download::<u32>(SOURCE, COUNT_ + 1).is_err());
    }
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn copies_and_fills_cross_chunks() {
    let device = device();
    // 64 bytes are 16 uints, but 4 vec4.
    let mut store = store(&device, 101, StoreOptions { chunk_bytes: Some(64), ..StoreOptions::default() });
    let data: Vec<u32> = (0..101).collect();
    store.upload(SOURCE, &data).unwrap();
    let mut executor = executor(&device, &store, &[STEP]);
    let mut recording = Recording::new();
    recording.fill(LABEL, 5);
    recording.fill(VELOCITY, 0);
    recording.copy(SOURCE, LABEL, 404);
    recording.copy(LABEL, POSITION, 16 * 101);
    recording.copy(SOURCE, TARGET, 16);
    recording.fill(SOURCE, 9);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    let label: Vec<u32> = store.download(LABEL, 404).unwrap();
    assert!(label[..101] == data[..] && label[101..].iter().all(|word| *word == 5));
    assert!(store.download::<u32>(POSITION, 404).unwrap() == label);
    assert_eq!(store.download::<u32>(TARGET, 4).unwrap(), [0, 1, 2, 3]);
    assert!(store.download::<u32>(SOURCE, 101).unwrap() == [9; 101]);
    // From one buffer (host-visible attributes are never split) into chunks, and back.
    store.resize(COUNT, 5).unwrap();
    store.upload(COUNT, &data[..45]).unwrap();
    let mut recording = Recording::new();
    recording.copy(COUNT, LABEL, 180);
    recording.fill(COUNT, 0);
    recording.copy(LABEL, COUNT, 176);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    assert_eq!(store.download::<u32>(LABEL, 45).unwrap(), data[..45]);
    let back = store.download::<u32>(COUNT, 45).unwrap();
    assert!(back[..44] == data[..44] && back[44] == 0);
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn resizing_changes_the_reach() {
    let device = device();
    let mut store = store(&device, 8, StoreOptions { chunk_bytes: Some(4096), ..StoreOptions::default() });
    let mut executor = executor(&device, &store, &[STEP, INDEX]);
    assert_eq!((executor.build_report().rounds, executor.build_report().compiled), (1, 2));
    let mut rounds = 1;
    // In one buffer, in another one, in chunks, in as many chunks, empty, in one buffer.
    for (count, rebuilt) in
        [(1000, false), (1024, false), (5000, true), (5001, false), (6000, true), (0, true), (10, false)]
    {
        store.resize(SOURCE, count).unwrap();
        assert_eq!(store.count(SOURCE), count);
        let data: Vec<u32> = (0..count as u32).collect();
        store.upload(SOURCE, &data).unwrap();
        store.resize(TARGET, count).unwrap();
        let mut recording = Recording::new();
        recording.dispatch(StageId(0), Groups::linear(count, 64), push(count as usize));
        executor.run(&store, &recording, RunOptions::default()).unwrap();
        let expected: Vec<u32> = data.iter().map(|x| 3 * x + 1).collect();
        assert!(store.download::<u32>(TARGET, count as usize).unwrap() == expected);
        rounds += usize::from(rebuilt);
        assert_eq!(executor.build_report().rounds, rounds, "{count}");
    }
    assert_eq!(device.validation_messages(), [""; 0]);
}
