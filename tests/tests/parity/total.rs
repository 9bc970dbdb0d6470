//! Bodies that keep their first neighbors, on the device and in the reference.

use tuff_problem::{Control, Problem};
use tuff_run::Simulation;
use tuff_tests::{gpu, problem, reference, step, step_reference};

use crate::runs::agree;
use crate::scenes;

/// A stretched and spinning bar of rubber, a bar of metal that yields, and updated matter that both touch.
const SCENE: &str = r#"
format = 1
[scene]
name = "total"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = 0.0125
iterations = 6
[[material]]
name = "jelly"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[material]]
name = "lead"
model = "von_mises"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
yield_stress = 3e2
[[body]]
name = "bar"
material = "jelly"
kinematics = "total"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.04, 0.04] } }
sampling = { kind = "poisson_disk", spacing = 0.0125 }
angular_velocity = [0.0, 9.0, 3.0]
[[body]]
name = "block"
material = "jelly"
shape = { box = { min = [0.0, 0.042, 0.0], max = [0.05, 0.08, 0.05] } }
sampling = { kind = "lattice", spacing = 0.0125 }
velocity = [0.0, -0.4, 0.0]
[[body]]
name = "rod"
material = "lead"
kinematics = "total"
shape = { box = { min = [0.06, 0.042, 0.0], max = [0.1, 0.08, 0.05] } }
sampling = { kind = "lattice", spacing = 0.0125 }
velocity = [0.0, -0.6, 0.2]
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, -0.001, 0.0], normal = [0.0, 1.0, 0.0] } }
"#;

/// Returns the scene with these settings.
fn scene(settings: &str, dt: &str) -> String {
    SCENE.replace("iterations = 6", settings).replace("max_substep = 2e-4", &format!("max_substep = {dt}"))
}

/// Sweeps of both kinds.
pub fn sweeps() {
    for scheme in ["gauss_seidel", "jacobi"] {
        let settings = format!("iterations = 6\nscheme = \"{scheme}\"");
        agree(&problem(&scene(&settings, "2e-4")), 60, 1e-3);
    }
}

/// Newton's method, with all passes used.
pub fn newton() {
    for (passes, dt, count) in [(12, "2e-4", 20), (40, "1e-3", 3)] {
        let settings = format!("iterations = {passes}\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0");
        agree(&problem(&scene(&settings, dt)), count, 2e-3);
    }
}

/// Models of whole tensors see the measured deformation gradient.
pub fn whole_tensors() {
    let total = scenes::TENSORS.replace("material =", "kinematics = \"total\"\nmaterial =");
    assert!(total != scenes::TENSORS);
    agree(&problem(&total), 40, 1e-3);
}

/// Both schemes come to the same motion where they converge, on the device and the processor.
pub fn schemes_agree() {
    let sweeps = "iterations = 400\nscheme = \"gauss_seidel\"\nresidual_tolerance = 1e-4";
    let newton = "iterations = 400\nscheme = \"newton_cg\"\nresidual_tolerance = 1e-4";
    let ends = [sweeps, newton].map(|settings| {
        let problem = problem(&scene(settings, "1e-4"));
        let mut simulation = reference(&problem);
        step_reference(&mut simulation, 40);
        simulation.frame().unwrap()
    });
    let off = std::iter::zip(&ends[0].position, &ends[1].position)
        .map(|(a, b)| glam::DVec3::from(*a).distance(glam::DVec3::from(*b)))
        .fold(0.0, f64::max);
    println!("{off} m");
    assert!(off < 0.01 * 0.0125, "{off} m apart");
}

/// A bar that was pulled to five times its length, so that neighbors are many cells apart, moves as in the reference.
pub fn far_neighbors() {
    for settings in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let problem = problem(&scene(settings, "1e-4"));
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        stretch(&problem, &mut device, &mut twin);
        let (ours, theirs) = (step(&mut device, 5), step_reference(&mut twin, 5));
        println!("{:?} {:?}", ours.energies, theirs.energies);
        assert!((ours.energies.elastic / theirs.energies.elastic - 1.0).abs() < 1e-3);
        let (ours, theirs) = (device.frame().unwrap(), twin.frame().unwrap());
        let off = std::iter::zip(&ours.position, &theirs.position)
            .map(|(a, b)| glam::DVec3::from(*a).distance(glam::DVec3::from(*b)))
            .fold(0.0, f64::max);
        assert!(off < 1e-3 * 0.0125, "{off} m apart");
    }
}

/// Writes the same positions to both: the bar stretched, away from the others.
fn stretch(
    problem: &Problem,
    device: &mut tuff_run::GpuSimulation,
    twin: &mut tuff_run::ReferenceSimulation,
) {
    use tuff_solver::attributes::{COMMITTED_POSITION, COMMITTED_POSITION_LOW};
    let mut position = problem.particles.position.clone();
    for (x, &body) in std::iter::zip(&mut position, &problem.particles.body) {
        if problem.scene.bodies[body as usize].name == "bar" {
            x.z = 0.5 + 5.0 * x.z;
        }
        *x = x.as_vec3().as_dvec3();
    }
    let high: Vec<[f32; 4]> = position.iter().map(|x| x.as_vec3().extend(0.0).to_array()).collect();
    let low: Vec<[f32; 4]> = position.iter().map(|_| [0.0, 0.0, 0.0, f32::MAX]).collect();
    let store = device.solver_mut().store_mut();
    store.upload(COMMITTED_POSITION, &high).unwrap();
    store.upload(COMMITTED_POSITION_LOW, &low).unwrap();
    twin.solver_mut().state_mut().position = position;
}

/// A run that goes back to a kept state repeats itself to the bit.
pub fn going_back_is_exact() {
    let problem = problem(&scene("iterations = 12\nscheme = \"newton_cg\"", "1e-3"));
    let mut simulation = gpu(&problem);
    simulation.advance(&Control::default()).unwrap();
    let saved = simulation.save().unwrap();
    simulation.advance(&Control::default()).unwrap();
    let first = simulation.frame().unwrap();
    let mut again = gpu(&problem);
    again.restore(&saved).unwrap();
    again.advance(&Control::default()).unwrap();
    assert!(first == again.frame().unwrap(), "the two differ");
}

/// A bar that spins apart: the same pairs break.
pub fn fracture() {
    let whole = scene("iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0", "2e-4");
    let breaking = whole
        .replacen("kinematics = \"total\"", "kinematics = \"total\"\nfracture_strain = 0.02", 1)
        .replace("[0.0, 9.0, 3.0]", "[0.0, 25.0, 3.0]");
    let problem = problem(&breaking);
    let (mut device, mut twin) = (gpu(&problem), reference(&problem));
    // Later, differences of rounding grow at every crack.
    let [ours, theirs] =
        [step(&mut device, 10), step_reference(&mut twin, 10)].map(|report| report.counters.fractured);
    println!("{ours} and {theirs} pairs broke");
    assert!(ours == theirs && ours > 50);
    let (ours, theirs) = (device.frame().unwrap(), twin.frame().unwrap());
    let off = std::iter::zip(&ours.position, &theirs.position)
        .map(|(a, b)| glam::DVec3::from(*a).distance(glam::DVec3::from(*b)))
        .fold(0.0, f64::max);
    println!("{off} m apart");
    assert!(off < 1e-3 * 0.0125, "{off} m apart");
}
