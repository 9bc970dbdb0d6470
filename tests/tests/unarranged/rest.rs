//! Matter at rest is cheap: at most 8 substeps and 40 passes in a frame of 1/24 s (what creeps under a lid: 60), all within the tolerance.

use tuff_problem::{Control, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, problem};

const BOX: &str =
    "shape = { box = { min = [-0.06, 0.0, -0.06], max = [0.06, 1.0, 0.06] } }\ninside = true\nfriction = 0.5";

/// Descends by half a spacing and keeps pressing.
const LID: &str = r#"
[[collider]]
name = "lid"
shape = { box = { min = [-0.06, 0.09, -0.06], max = [0.06, 0.2, 0.06] } }
[collider.motion]
keyframes = [{ time = 0.0 }, { time = 0.3, translate = [0.0, -0.006, 0.0] }]
"#;

pub fn sand_in_a_box() {
    rests(&block("dry_sand", 0.0, BOX, ""), 24);
}

pub fn snow_under_a_lid() {
    rests(&block("packed_snow", 0.0, BOX, LID), 24);
}

/// Creeps between its walls for another half a second, at up to 44 passes in a frame: guesses are farther from balance than the weight,
/// but nearer than predicted velocities, from which a frame would take 260.
pub fn foam_under_a_lid() {
    let scene = block("foam", 0.0, BOX, LID);
    let problem = problem(&scene);
    rests_within(&mut gpu(&problem), &problem, 24, 60);
    rests_within(&mut CpuSimulation::new(&problem), &problem, 24, 60);
}

const FLOOR: &str =
    "shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }\nfriction = 0.8";

/// A sixth of its grains are loose; their neighbors lean on some of them. On the processor, too.
pub fn sand_on_a_floor() {
    let scene = block("dry_sand", 0.0, FLOOR, "");
    rests(&scene, 24);
    let problem = problem(&scene);
    rests_on(&mut CpuSimulation::new(&problem), &problem, 24);
}

pub fn clay_on_a_floor() {
    rests(&block("clay", 0.0, FLOOR, ""), 24);
}

/// A slope of 15 degrees, below the material's friction angle.
const SLOPE: &str =
    "shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.2588, 0.9659, 0.0] } }\nfriction = 0.8";

pub fn wet_sand_on_a_slope() {
    rests(&block("wet_sand", 0.02, SLOPE, ""), 26);
}

/// The imbalance that solves leave within their tolerance drives its swaying forever.
pub fn foam_on_a_slope() {
    rests(&block("foam", 0.02, SLOPE, ""), 24);
}

/// One litre, sampled down to the floor, slumps, spreads and stops.
pub fn paste_on_a_sticky_floor() {
    rests(
        r#"
        format = 1
        [scene]
        name = "paste"
        up = "z"
        [time]
        frame_rate = 24.0
        frames = [1, 41]
        max_substep = "auto"
        [solver]
        kernel_radius = 0.005
        viscosity = 1.0e-6
        [[material]]
        name = "paste"
        model = "herschel_bulkley"
        density = 1000.0
        youngs_modulus = 1.0e5
        poisson_ratio = 0.45
        yield_stress = 50.0
        plastic_viscosity = 1.0
        [[body]]
        name = "b"
        material = "paste"
        shape = { cylinder = { from = [0.0, 0.0, 0.0026], to = [0.0, 0.0, 0.0709], radius = 0.0683 } }
        sampling = { kind = "poisson_disk", spacing = 0.005, seed = 3 }
        [[collider]]
        name = "floor"
        shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] } }
        sticky = true
        "#,
        38,
    );
}

/// Writes some 1,000 scattered points of a preset, from `bottom` [m] up, everything else by default.
fn block(preset: &str, bottom: f64, collider: &str, more: &str) -> String {
    let top = bottom + 0.08;
    format!(
        r#"
        format = 1
        [scene]
        name = "rest"
        [time]
        frames = [1, 31]
        frame_rate = 24
        max_substep = "auto"
        [solver]
        kernel_radius = 0.01
        [[material]]
        name = "m"
        preset = "{preset}"
        [[body]]
        name = "b"
        material = "m"
        shape = {{ box = {{ min = [-0.06, {bottom}, -0.06], max = [0.06, {top}, 0.06] }} }}
        sampling = {{ kind = "poisson_disk", spacing = 0.01, seed = 3 }}
        [[collider]]
        name = "c"
        {collider}
        {more}
        "#
    )
}

/// Runs a scene with frames of 1/24 s, of which those from `calm` on must be at rest.
fn rests(scene: &str, calm: u32) {
    let problem = problem(scene);
    rests_on(&mut gpu(&problem), &problem, calm);
}

fn rests_on(simulation: &mut impl Simulation, problem: &Problem, calm: u32) {
    rests_within(simulation, problem, calm, 40);
}

fn rests_within(simulation: &mut impl Simulation, problem: &Problem, calm: u32, passes: u64) {
    let time = problem.scene.time;
    let mut costs = Vec::new();
    for frame in time.first_frame..time.last_frame {
        let report = simulation.advance(&Control::default()).unwrap();
        costs.push((report.substeps, report.iterations));
        if frame >= calm {
            assert!(report.substeps <= 8 && report.iterations <= passes, "frame {frame}: {costs:?}");
            assert_eq!(report.counters.newton_unbalanced, 0, "frame {frame}");
            assert!(report.max_speed < 0.01, "frame {frame}: {} m/s", report.max_speed);
        }
    }
    println!("{costs:?}");
}
