//! Single stages on one snapshot: compares the results of each on the device with those of its twin.

use tuff_problem::Problem;
use tuff_reference::State;
use tuff_run::GpuSimulation;
use tuff_solver::attributes::*;
use tuff_solver::{List, Stage};
use tuff_tests::{gpu, problem, reference, step, step_reference};

use crate::scenes;

/// Returns the largest error of `ours` relative to the largest magnitude of `theirs`, with mean and worst index.
fn compare(
    what: &str,
    ours: impl IntoIterator<Item = f32>,
    theirs: impl IntoIterator<Item = f64>,
    bound: f64,
) {
    let pairs: Vec<(f64, f64)> = ours.into_iter().map(f64::from).zip(theirs).collect();
    let scale = pairs.iter().fold(0.0_f64, |m, p| m.max(p.1.abs()));
    let errors: Vec<f64> = pairs.iter().map(|p| (p.0 - p.1).abs() / scale).collect();
    let (worst, largest) = errors.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    println!("{what}: max {largest:.1e} at {worst}, mean {mean:.1e}, scale {scale:.2e}");
    assert!(scale > 0.0, "{what}: the reference is zero");
    assert!(*largest < bound, "{what}: {pairs:?} differ at {worst}", pairs = pairs[worst]);
}

/// Returns both solvers after the first substep of a scene, with all data that it leaves behind.
fn one_substep(scene: &str) -> (Problem, GpuSimulation, State) {
    let problem = problem(scene);
    let (mut device, mut twin) = (gpu(&problem), reference(&problem));
    let report = step(&mut device, 1);
    step_reference(&mut twin, 1);
    let (ours, theirs) = (report.counters.gradient_limited, twin.solver().state().counters.gradient_limited);
    assert!(ours.abs_diff(theirs) <= 1 + theirs / 50, "{ours} and {theirs} gradients scaled down");
    let state = twin.solver().state().clone();
    (problem, device, state)
}

fn vectors(device: &GpuSimulation, id: tuff_gpu::AttributeId, count: usize) -> Vec<[f32; 4]> {
    device.solver().store().download(id, count).unwrap()
}

/// Gradient [1/m] below which a neighbor is at the edge of the support, where rounding decides whether it is listed.
const EDGE: f64 = 1e-6;

fn matters(record: &[u32; 4]) -> bool {
    [1, 2, 3].iter().any(|&k| f64::from(f32::from_bits(record[k]).abs()) > EDGE)
}

/// Returns the largest difference that the stage's facts accept.
fn allowed(stage: Stage, quantity: &str) -> f64 {
    stage.facts().agreement.iter().find(|row| row.0 == quantity).unwrap().1
}

/// Returns the lists of neighbors of the particles and the pair records, holes included.
fn lists(device: &GpuSimulation, count: usize) -> (Vec<List>, Vec<[u32; 4]>) {
    let store = device.solver().store();
    let ranges: Vec<[u32; 2]> = store.download(NEIGHBOR_RANGE, count).unwrap();
    let lists: Vec<List> = ranges.into_iter().map(List::from).collect();
    let records = store.download(PAIR, List::extent(&lists)).unwrap();
    (lists, records)
}

pub fn neighbors() {
    let (problem, device, state) = one_substep(scenes::MIXED);
    let count = problem.particle_count();
    let identity: Vec<[u32; 4]> = device.solver().store().download(IDENTITY, count).unwrap();
    let ids: Vec<u32> = identity.iter().map(|row| row[0]).collect();
    assert_eq!(ids, state.id, "the order (cell, id) differs");
    let (lists, records) = lists(&device, count);
    for (p, list) in lists.into_iter().enumerate() {
        let key = |index: u32, code: u32| u64::from(index) << 8 | u64::from(code);
        let mut ours: Vec<u64> = list
            .records()
            .map(|i| records[i])
            .filter(matters)
            .map(|r| key(r[0] & 0xff_ffff, r[0] >> 24))
            .collect();
        let mut theirs: Vec<u64> = state
            .neighbors(p)
            .filter(|n| n.gradient.length() > EDGE)
            .map(|n| key(n.index as u32, n.quantized.into()))
            .collect();
        let near = (state.candidate_end[p] - state.neighbor_start[p]) as usize;
        assert_eq!(list.near, near, "candidates of particle {p}");
        ours.sort_unstable();
        theirs.sort_unstable();
        // A weight code may round to the other side of a half.
        assert!(
            ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(a, b)| a.abs_diff(*b) <= 1),
            "neighbors of particle {p}: {ours:x?} and {theirs:x?}"
        );
    }
}

/// A pair's reverse is the pair of its neighbor with the particle; both parts of a list ascend, also where the grid wraps around.
pub fn reverse_pairs() {
    let scene = scenes::MIXED.replace("iterations = 6", "iterations = 6\nscheme = \"newton_cg\"");
    let problem = problem(&scene);
    let mut device = gpu(&problem);
    step(&mut device, 1);
    let (lists, records) = lists(&device, problem.particle_count());
    let reverse: Vec<u32> = device.solver().store().download(REVERSE, records.len()).unwrap();
    let neighbor = |i: usize| (records[i][0] & 0xff_ffff) as usize;
    for (p, list) in lists.iter().enumerate() {
        let near: Vec<usize> = list.records().take(list.near).map(neighbor).collect();
        let others: Vec<usize> = list.records().skip(list.near).map(neighbor).collect();
        assert!(near.is_sorted() && others.is_sorted(), "neighbors of particle {p}: {near:?}, {others:?}");
        for i in list.records() {
            let back = reverse[i] as usize;
            let other = lists[neighbor(i)];
            assert!(other.records().any(|j| j == back), "{back} is no pair of {other:?}");
            assert_eq!((neighbor(back), reverse[back] as usize), (p, i));
        }
    }
}

pub fn kernel_correction() {
    let allowed = |quantity: &str| allowed(Stage::CorrectKernel, quantity);
    correct(scenes::MIXED, allowed, |_| true);
    // Almost flat: some gradients are scaled down, some are not. In S, a difference of sums, f32 is less accurate along
    // the axis of the smallest moment, a thousandth of the largest.
    let wider = |quantity: &str| match quantity {
        "S" => 1e-3,
        "g" => 3e-4,
        other => allowed(other),
    };
    correct(scenes::LEAF, wider, |state| {
        (20..state.particle_count() - 20).contains(&(state.counters.gradient_limited as usize))
    });
}

/// Compares each quantity within `allowed`, relative to its largest magnitude.
fn correct(scene: &str, allowed: impl Fn(&str) -> f64, as_meant: impl Fn(&State) -> bool) {
    let (problem, device, state) = one_substep(scene);
    assert!(as_meant(&state));
    let count = problem.particle_count();
    let get = |id| vectors(&device, id, count);
    let (diagonal, shear) = (get(MOMENT_DIAGONAL), get(MOMENT_SHEAR));
    let sums = get(GRADIENT_SUM);
    let moments = &state.moments;
    compare(
        "S",
        diagonal.iter().zip(&shear).flat_map(|(d, s)| [d[0], d[1], d[2], s[0], s[1], s[2]]),
        moments.iter().flat_map(|m| {
            let s = m.second;
            [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.y_axis.z, s.x_axis.z, s.x_axis.y]
        }),
        allowed("S"),
    );
    compare(
        "s",
        sums.iter().flat_map(|s| [s[0], s[1], s[2]]),
        moments.iter().flat_map(|m| m.first.to_array()),
        allowed("s"),
    );
    compare("sum w'", sums.iter().map(|s| s[3]), moments.iter().map(|m| m.weight), allowed("sum w'"));
    compare("D_h", shear.iter().map(|s| s[3]), moments.iter().map(|m| m.memory_denominator), allowed("D_h"));
    compare(
        "c",
        get(MEMORY_RESPONSE).iter().flat_map(|c| [c[0], c[1], c[2]]),
        moments.iter().flat_map(|m| m.coupling.to_array()),
        allowed("c"),
    );
    let (lists, records) = lists(&device, count);
    let mut gradients = (Vec::new(), Vec::new());
    for (p, list) in lists.into_iter().enumerate() {
        let listed = list.records().map(|i| &records[i]);
        for neighbor in state.neighbors(p).filter(|n| n.gradient.length() > EDGE) {
            let record = listed.clone().find(|r| (r[0] & 0xff_ffff) as usize == neighbor.index).unwrap();
            gradients.0.extend([1, 2, 3].map(|k| f32::from_bits(record[k])));
            gradients.1.extend(neighbor.gradient.to_array());
        }
    }
    compare("g", gradients.0, gradients.1, allowed("g"));
}

pub fn sweep() {
    let allowed = |quantity: &str| allowed(Stage::SolveInelastic, quantity);
    let (problem, device, state) = one_substep(scenes::MIXED);
    let count = problem.particle_count();
    let get = |id| vectors(&device, id, count);
    let rows = [get(IMPULSE_X), get(IMPULSE_Y), get(IMPULSE_Z)];
    compare(
        "H",
        (0..count).flat_map(|p| [0, 1, 2].map(|r| [0, 1, 2].map(|c| rows[r][p][c]))).flatten(),
        state.impulse.iter().flat_map(|h| h.transpose().to_cols_array()),
        allowed("H"),
    );
    compare(
        "memory's multiplier",
        (0..count).flat_map(|p| [0, 1, 2].map(|r| rows[r][p][3])),
        state.memory_multiplier.iter().flat_map(|m| m.to_array()),
        allowed("memory's multiplier"),
    );
    let lambda: Vec<f32> = device.solver().store().download(MULTIPLIER, count).unwrap();
    compare("lambda", lambda, state.multiplier.iter().copied(), allowed("lambda"));
    let velocity = get(VELOCITY);
    compare(
        "v",
        velocity.iter().flat_map(|v| [v[0], v[1], v[2]]),
        state.velocity.iter().flat_map(|v| v.to_array()),
        allowed("v"),
    );
}

pub fn whole_substep() {
    let allowed = |quantity: &str| allowed(Stage::Commit, quantity);
    let (problem, device, state) = one_substep(scenes::MIXED);
    let count = problem.particle_count();
    let get = |id| vectors(&device, id, count);
    let (diagonal, shear) = (get(COMMITTED_STRAIN_DIAGONAL), get(COMMITTED_STRAIN_SHEAR));
    compare(
        "E",
        diagonal.iter().zip(&shear).flat_map(|(d, s)| [d[0], d[1], d[2], s[0], s[1], s[2]]),
        state
            .strain
            .iter()
            .flat_map(|e| [e.x_axis.x, e.y_axis.y, e.z_axis.z, e.y_axis.z, e.x_axis.z, e.x_axis.y]),
        allowed("E"),
    );
    compare("J", diagonal.iter().map(|d| d[3]), state.volume_ratio.iter().copied(), allowed("J"));
    compare(
        "h",
        get(COMMITTED_MEMORY).iter().flat_map(|h| [h[0], h[1], h[2]]),
        state.memory.iter().flat_map(|h| h.to_array()),
        allowed("h"),
    );
    let (high, low) = (get(COMMITTED_POSITION), get(COMMITTED_POSITION_LOW));
    for p in 0..count {
        for (axis, expected) in state.position[p].to_array().into_iter().enumerate() {
            let x = f64::from(high[p][axis]) + f64::from(low[p][axis]);
            assert!((x - expected).abs() < allowed("x [m]"), "position of {p}: {x} and {expected} m");
        }
    }
}
