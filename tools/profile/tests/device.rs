//! Profiles of scenes with several materials, on a device.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::ExitCode;

use tuff_problem::Control;
use tuff_profile::measure::{Plan, measure};
use tuff_profile::record::{Record, Residual};
use tuff_profile::{law, table, trace};
use tuff_tests::{gpu, problem, step};

/// A bar whose branch relaxes, a lump of paint that splashes on it, and undisturbed rubber.
const SCENE: &str = r#"
format = 1
[scene]
name = "three"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 5e-4
[solver]
kernel_radius = 0.02
iterations = 4
[[material]]
name = "foam"
model = "viscoelastic"
density = 300.0
youngs_modulus = 2e4
poisson_ratio = 0.2
branch_shear_modulus = 4e4
branch_bulk_modulus = 3e4
shear_relaxation_time = 0.01
[[material]]
name = "paint"
model = "herschel_bulkley"
density = 1200.0
youngs_modulus = 2e5
poisson_ratio = 0.3
yield_stress = 10.0
eta = 10.0
power = 0.3
[[material]]
name = "rubber"
model = "elastic"
density = 900.0
youngs_modulus = 1e5
poisson_ratio = 0.4
[[body]]
name = "bar"
material = "foam"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.2, 0.06, 0.06] } }
sampling = { kind = "lattice", spacing = 0.02, jitter = 0.1 }
[[body]]
name = "lump"
material = "paint"
shape = { box = { min = [0.04, 0.065, 0.0], max = [0.1, 0.125, 0.06] } }
sampling = { kind = "lattice", spacing = 0.02, jitter = 0.1 }
velocity = [0.0, -2.0, 0.0]
[[body]]
name = "block"
material = "rubber"
shape = { box = { min = [0.5, 0.0, 0.0], max = [0.58, 0.08, 0.08] } }
sampling = { kind = "lattice", spacing = 0.02 }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
friction = 0.5
"#;

/// Each material has its own cost; whole-tensor models have no separate projection to time.
fn laws_have_a_cost() {
    let problem = problem(SCENE);
    let mut simulation = gpu(&problem);
    step(&mut simulation, 4);
    let costs = law::costs(&problem, simulation.solver().store()).unwrap();
    println!("{costs:?}");
    let particles: Vec<u64> = costs.iter().map(|cost| cost.particles).collect();
    assert_eq!(particles, [10 * 3 * 3, 3 * 3 * 3, 4 * 4 * 4]);
    assert_eq!(
        costs.iter().map(|cost| cost.projection_ns.is_some()).collect::<Vec<_>>(),
        [false, true, true]
    );
    // From a hundredth of a nanosecond on a large GPU to microseconds on a shared processor.
    assert!(costs.iter().all(|cost| (1e-3..1e5).contains(&cost.law_ns)), "{costs:?}");
}

/// Profiles a scene and checks every file.
fn a_profile_is_whole() {
    let problem = problem(SCENE);
    let mut simulation = gpu(&problem);
    let plan = Plan { frame: 2, warm_up: 1, substeps: 5 };
    let (record, substeps) = measure(&problem, &mut simulation, plan, &Control::default()).unwrap();
    assert_eq!((record.scene.frame, record.scene.particles), (2, 90 + 27 + 64));
    assert_eq!((substeps.len(), record.substeps.len(), record.residuals.len()), (5, 5, 5));
    assert!(record.stages.iter().all(|stage| stage.seconds.len() == 5));
    for (total, substep) in record.totals().iter().zip(&record.substeps) {
        assert!(*total > 0.0 && *total <= substep.device_seconds + 1e-6, "{total} {substep:?}");
        assert!(substep.device_seconds <= substep.wall_seconds + 1e-6, "{substep:?}");
    }
    assert!(substeps.windows(2).all(|pair| pair[1].start >= pair[0].start + pair[0].wall_seconds));
    let done = |residual: &Residual| residual.iterations == 4 && residual.force > 0.0;
    assert!(record.residuals.iter().all(done), "{:?}", record.residuals);
    assert_eq!(record.spread.particles_by_neighbors.iter().sum::<u64>(), record.scene.particles);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.json");
    record.write(&file).unwrap();
    // Conversion between text and binary can lose the last digit of a number.
    let read = Record::read(&file).unwrap();
    assert_eq!((&read.scene, &read.device, &read.spread), (&record.scene, &record.device, &record.spread));
    for (ours, theirs) in record.totals().iter().zip(read.totals()) {
        assert!((ours - theirs).abs() < 1e-12 * ours, "{ours} s is read as {theirs} s");
    }
    let text = table::table(&record);
    for word in [
        "solve_inelastic",
        "neighbour search",
        "solve_colliders (XSPH)",
        "paint (herschel_bulkley)",
        "per color",
    ] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    let trace = trace::trace("three", "a device", &substeps);
    let dispatches: usize = substeps.iter().map(|substep| substep.dispatches.len()).sum();
    let drawn = trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["tid"] == 2 && event["ph"] == "X");
    assert_eq!(drawn.count(), dispatches);
}

fn main() -> ExitCode {
    tuff_tests::run_device_tests(
        &[("laws_have_a_cost", laws_have_a_cost), ("a_profile_is_whole", a_profile_is_whole)],
        &[],
    )
}
