//! Every numerical option, on the device and in the reference.

use tuff_problem::Problem;
use tuff_run::Simulation;
use tuff_solver::Stage;
use tuff_tests::{gpu, problem, reference, step, step_reference};

use crate::runs::{agree, distance as farthest};
use crate::scenes;

/// Compares 20 substeps of a small column with other solver settings.
fn with(solver: &str) {
    agree(&problem(&scenes::column(7, solver)), 20, 2e-4);
}

pub fn jacobi() {
    with("scheme = \"jacobi\"\niterations = 20");
}

pub fn tensor_multiplier() {
    with("multiplier = \"tensor\"\niterations = 5");
}

/// Bodies, pins and moving colliders; whole-tensor models; sand. Relaxation alone, and additional Newton steps with all passes used; and
/// a solve that ends by its tolerance, at which both sides happen to need the same number of passes.
pub fn newton() {
    for (passes, tolerance, dt, count) in
        [(6, 0.0, "2e-4", 20), (20, 0.0, "2e-3", 3), (200, 0.01, "2e-3", 2), (24, 0.0, "1e-2", 1)]
    {
        let scheme =
            format!("iterations = {passes}\nscheme = \"newton_cg\"\nresidual_tolerance = {tolerance:?}");
        let newton = |scene: &str| {
            let scene = scene.replace("iterations = 6", &scheme);
            problem(&scene.replace("max_substep = 2e-4", &format!("max_substep = {dt}")))
        };
        agree(&newton(scenes::MIXED), count, 4e-4);
        let [ours, theirs] = pushed(&newton(scenes::MIXED), count);
        assert!(
            theirs > 0 && ours.abs_diff(theirs) <= 1 + theirs / 20,
            "{ours} and {theirs} pairs pushed apart"
        );
        agree(&newton(scenes::TENSORS), count, 4e-4);
        agree(&newton(&scenes::column(6, "iterations = 6")), count, 4e-4);
    }
}

/// Builds two particles of separate bodies in free space, at `distance` times the minimum distance; the right one approaches at `speed`
/// minimum distances per substep; too soft to matter.
fn two_grains(distance: f64, speed: f64) -> Problem {
    let edge = 0.02;
    let body = |name: &str, x: f64, speed: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"rubber\"\nsampling = {{ kind = \"lattice\", spacing = {edge} }}\n\
             velocity = [{:?}, 0.0, 0.0]\nshape = {{ box = {{ min = [{x:?}, 0.0, 0.0], max = [{:?}, {edge}, {edge}] }} }}\n",
            -speed * edge / 1e-3,
            x + edge
        )
    };
    problem(&format!(
        "format = 1\n[scene]\nname = \"two\"\ngravity = [0.0, 0.0, 0.0]\n[time]\nframes = [1, 2]\nmax_substep = 1e-3\n\
         [solver]\nkernel_radius = {:?}\nscheme = \"newton_cg\"\n\
         [[material]]\nname = \"rubber\"\nmodel = \"elastic\"\ndensity = 1000.0\nyoungs_modulus = 1.0\npoisson_ratio = 0.3\n{}{}",
        edge / 0.75,
        body("left", 0.0, 0.0),
        body("right", distance * edge, speed)
    ))
}

/// A gap within one ten-thousandth of the minimum distance counts as separated. Pairs that are too close initially only stop approaching,
/// and are separated by displacement, even from a single point.
pub fn newton_pushes_pairs_apart() {
    for (distance, speed, pairs) in [
        (1.001, 1e-3 + 5e-5, 0),
        (1.001, 1e-3 + 5e-4, 1),
        (1.001, 0.5, 1),
        (0.5, 0.25, 1),
        (0.5, 0.0, 0),
        (0.0, 0.0, 0),
    ] {
        let problem = two_grains(distance, speed);
        assert_eq!(pushed(&problem, 1), [pairs; 2], "from {distance} of the least distance by {speed}");
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        let displaced = [step(&mut device, 1), step_reference(&mut twin, 1)]
            .map(|r| (r.counters.overlap_displaced, r.max_speed));
        let [ours, theirs] = displaced;
        assert_eq!(ours.0, theirs.0);
        if distance <= 0.5 {
            assert_eq!(ours.0, 2);
            assert!(speed > 0.0 || ours.1.max(theirs.1) < 1e-3, "thrown apart at {displaced:?} m/s");
            let (apart, _) = farthest(&device.frame().unwrap(), &twin.frame().unwrap());
            assert!(apart < 1e-7, "{apart} m");
        }
    }
}

/// Stiff bodies overlook soft ones, follow what pushes them as a whole, and are strained by pushes only as a whole, too.
pub fn newton_moves_stiff_bodies_whole() {
    let body = |name: &str, min: [f64; 3], max: [f64; 3], speed: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"{name}\"\nshape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n\
             velocity = [0.5, {speed:?}, 0.2]\nsampling = {{ kind = \"poisson_disk\", spacing = 0.01 }}\n"
        )
    };
    let slab = body("slab", [-0.03, 0.046, -0.03], [0.03, 0.07, 0.04], -5.0);
    let block = body("block", [-0.02, 0.0, -0.02], [0.02, 0.04, 0.02], 0.0);
    let problem = problem(&format!(
        "format = 1\n[scene]\nname = \"hit\"\n[time]\nframes = [1, 2]\nmax_substep = 2e-4\n\
         [solver]\nkernel_radius = 0.01\nscheme = \"newton_cg\"\niterations = 24\nresidual_tolerance = 0.0\n\
         [[material]]\nname = \"slab\"\npreset = \"rubber\"\n\
         [[material]]\nname = \"block\"\npreset = \"aluminium\"\n{slab}{block}"
    ));
    agree(&problem, 3, 4e-4);
    let [ours, theirs] = pushed(&problem, 3);
    assert!(theirs > 0 && ours == theirs, "{ours} and {theirs} pairs pushed apart");
}

/// Metal that hits a floor follows a part of the impulses after the substep, and the momenta at stake bound the scale of its tolerance.
pub fn newton_defers_contact_of_metal() {
    let problem = problem(
        "format = 1\n[scene]\nname = \"block\"\n[time]\nframes = [1, 2]\nmax_substep = 1.5e-4\n\
         [solver]\nkernel_radius = 0.01\nscheme = \"newton_cg\"\niterations = 12\nresidual_tolerance = 0.0\n\
         [[collider]]\nname = \"floor\"\nshape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.1, 1.0, 0.0] } }\n\
         [[material]]\nname = \"metal\"\npreset = \"aluminium\"\n\
         [[body]]\nname = \"block\"\nmaterial = \"metal\"\nvelocity = [0.2, -2.0, 0.1]\n\
         shape = { box = { min = [-0.03, 0.0, -0.02], max = [0.03, 0.04, 0.02] } }\n\
         sampling = { kind = \"poisson_disk\", spacing = 0.01 }",
    );
    agree(&problem, 2, 1e-6);
}

/// If the force along a floor jumped when matter lifts off, no substep would find its balance.
pub fn newton_balances_what_lifts_off_a_sticky_floor() {
    let scene = r#"
format = 1
[scene]
name = "rope"
[time]
frames = [1, 2]
max_substep = 1e-4
[solver]
kernel_radius = 1e-3
scheme = "newton_cg"
viscosity = 1.3e-5
[[material]]
name = "goo"
model = "herschel_bulkley"
density = 1000.0
shear_modulus = 3.2e4
bulk_modulus = 1.0e5
yield_stress_shear = 40.0
consistency = 10.0
power = 1.0
[[body]]
name = "rope"
material = "goo"
velocity = [0.0, -0.6, 0.0]
shape = { cylinder = { from = [0.0, 0.001, 0.0], to = [0.0, 0.03, 0.001], radius = 0.0024 } }
sampling = { kind = "poisson_disk", spacing = 1.0e-3 }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
sticky = true
"#;
    let report = step(&mut gpu(&problem(scene)), 120);
    println!("{} passes, {:?}", report.iterations, report.counters);
    assert!(
        report.iterations < 600 && report.counters.substeps_halved + report.counters.newton_unbalanced == 0
    );
}

/// Paste slides over a floor of high friction: a particle that slips responds with the load on its contact, too.
pub fn newton_slips_under_load() {
    let scene = r#"
format = 1
[scene]
name = "slide"
[time]
frames = [1, 2]
max_substep = 5e-4
[solver]
kernel_radius = 0.01
scheme = "newton_cg"
iterations = 8
residual_tolerance = 0.0
[[material]]
name = "paste"
model = "herschel_bulkley"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.45
yield_stress = 50.0
plastic_viscosity = 1.0
[[body]]
name = "slab"
material = "paste"
velocity = [0.6, -0.4, 0.3]
shape = { box = { min = [0.0, 0.0051, 0.0], max = [0.06, 0.04, 0.06] } }
sampling = { kind = "poisson_disk", spacing = 0.01 }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
friction = 8.0
"#;
    agree(&problem(scene), 10, 4e-4);
}

pub fn literal_gradient() {
    with("gradient = \"literal\"\niterations = 5");
}

pub fn semi_implicit() {
    with("plasticity = \"semi_implicit\"\niterations = 5");
}

pub fn without_memory() {
    with("stabilization = 0.0\niterations = 5");
}

pub fn without_kernel_correction() {
    with("kernel_correction = false\niterations = 5");
}

pub fn viscosity() {
    with("viscosity = 1e-3\niterations = 5");
}

/// Scenes that specify no smoothing: it acts on the part of the velocities that gradients do not explain.
pub fn default_smoothing() {
    let scene = scenes::column(7, "iterations = 5").replace("xsph = 0.01", "");
    agree(&problem(&scene.replace("max_substep = 2e-4", "max_substep = 1e-3")), 20, 4e-4);
}

pub fn models_of_whole_tensors() {
    agree(&problem(scenes::TENSORS), 100, 1e-3);
    let semi = scenes::TENSORS.replace("iterations = 6", "iterations = 6\nplasticity = \"semi_implicit\"");
    agree(&problem(&semi), 20, 1e-3);
}

pub fn bodies_pins_and_moving_colliders() {
    agree(&problem(scenes::MIXED), 100, 2e-3);
}

/// Ends before the block bursts: loose grains are chaotic, and 25 substeps later an initial 1e-7 r is 4e-3 r in the reference itself.
pub fn every_collider_shape() {
    agree(&problem(scenes::SHAPES), 75, 2e-3);
}

/// Counts the pairs or neighborhoods that the position correction pushed apart, on the device and in the twin.
fn pushed(problem: &Problem, substeps: u32) -> [u64; 2] {
    let (mut device, mut twin) = (gpu(problem), reference(problem));
    [step(&mut device, substeps), step_reference(&mut twin, substeps)].map(|r| r.counters.position_corrected)
}

/// Volume by packing: sand that starts a tenth denser than its lattice flows, and both sides correct the same amount. 20 substeps later,
/// an initial 1e-7 r changes the volume ratios of the reference itself by 2e-3.
pub fn volume_of_what_flows() {
    for scheme in ["gauss_seidel", "newton_cg"] {
        let solver = format!("iterations = 20\nscheme = \"{scheme}\"");
        let column = scenes::column(8, &solver).replace("spacing = 0.0125", "spacing = 0.012");
        let problem = problem(&column);
        agree(&problem, 30, 1e-3);
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        let [ours, theirs] = [step(&mut device, 30), step_reference(&mut twin, 30)]
            .map(|report| report.counters.volume_corrected);
        assert!(theirs > 1000 && ours.abs_diff(theirs) <= theirs / 50, "{scheme}: {ours} and {theirs}");
        let (ours, theirs) = (device.frame().unwrap().volume_ratio, twin.frame().unwrap().volume_ratio);
        let off = std::iter::zip(&ours, &theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-3, "{scheme}: volume ratios differ by {off}");
    }
}

/// Correction by density, in a scene where it acts: bodies of several spacings, pins and masses collide.
pub fn density_correction() {
    for scheme in ["gauss_seidel", "jacobi", "newton_cg"] {
        let with =
            format!("iterations = 6\nscheme = \"{scheme}\"\nposition_correction = {{ kind = \"density\" }}");
        let problem = problem(&scenes::MIXED.replace("iterations = 6", &with));
        agree(&problem, 100, 2e-3);
        let [ours, theirs] = pushed(&problem, 100);
        println!("{ours} and {theirs} neighborhoods pushed apart");
        assert!(theirs > 100 && ours.abs_diff(theirs) <= theirs / 50, "{scheme}: {ours} and {theirs}");
    }
}

pub fn density_leaves_bodies_at_rest_alone() {
    let samplings = [
        r#"{ kind = "lattice", spacing = 0.02 }"#,
        r#"{ kind = "lattice", spacing = 0.018, jitter = 0.2 }"#,
        r#"{ kind = "poisson_disk", spacing = 0.02 }"#,
    ];
    let mut scene = scenes::column(5, "position_correction = { kind = \"density\" }")
        .replace("velocity = [0.2, -0.5, 0.1]\nangular_velocity = [0.0, 1.0, 2.0]", "")
        .replace("name = \"column\"\n[time]", "name = \"still\"\ngravity = [0.0, 0.0, 0.0]\n[time]")
        .replace("point = [0.0, 0.0, 0.0]", "point = [0.0, -1.0, 0.0]");
    for (k, sampling) in samplings.iter().enumerate() {
        let x = 0.2 * (k + 1) as f64;
        scene += &format!(
            "[[body]]\nname = \"body_{k}\"\nmaterial = \"sand\"\nsampling = {sampling}\n\
             shape = {{ box = {{ min = [{x:?}, 0.0, 0.0], max = [{:?}, 0.1, 0.1] }} }}\n",
            x + 0.1
        );
    }
    let report = step(&mut gpu(&problem(&scene)), 3);
    assert_eq!((report.max_speed, report.counters.position_corrected), (0.0, 0));
}

/// Spheres with friction: thrown into a container with obstacles; several bodies with pins and moving colliders.
pub fn grains() {
    let grains = "iterations = 6\nmatter = \"grains\"\ngrain_friction = 0.4";
    let loose = |scene: &str| {
        scene
            .replace("spacing = 0.02, jitter = 0.1", "spacing = 0.025, jitter = 0.1")
            .replace("spacing = 0.018", "spacing = 0.02")
            .replace("iterations = 6", grains)
    };
    for scene in [scenes::SHAPES, scenes::MIXED] {
        let problem = problem(&loose(scene));
        agree(&problem, 100, 2e-3);
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        let ours = step(&mut device, 100).counters;
        let theirs = step_reference(&mut twin, 100).counters;
        assert!(theirs.position_corrected > 100, "no grains met");
        let off = ours.position_corrected.abs_diff(theirs.position_corrected);
        // Rounding decides whether grains that just touch overlap.
        assert!(off <= theirs.position_corrected / 10, "{ours:?} and {theirs:?}");
    }
}

pub fn grains_show_their_own_stages() {
    let problem = problem(&scenes::column(5, "matter = \"grains\"").replace(", jitter = 0.1", ""));
    let nodes = tuff_solver::graph::nodes(&problem);
    for (stage, runs) in [
        (Stage::SolveGrains, true),
        (Stage::CommitGrains, true),
        (Stage::SolveInelastic, false),
        (Stage::CorrectKernel, false),
        (Stage::Commit, false),
        (Stage::SolveColliders, true),
    ] {
        let found = nodes.iter().any(|node| node.name == stage.declaration().name);
        assert_eq!(found, runs, "{stage:?} in\n{nodes:#?}");
    }
}

/// Sand at rest: friction holds as much of it as in the twin. Which grains are held is random, so each solver starts from several columns
/// that differ by a millionth of a spacing: the counts of the twin alone scatter by 13 %.
pub fn loose_sand() {
    let scene = scenes::column(5, "iterations = 6").replace("max_substep = 2e-4", "max_substep = 8e-4");
    let still = scene.replace("velocity = [0.2, -0.5, 0.1]\nangular_velocity = [0.0, 1.0, 2.0]", "");
    let problem = problem(&still);
    let (mut held, mut expected) = (0, 0);
    for moved in [0, 60, 120, 180, 240] {
        let mut problem = problem.clone();
        problem.particles.position[moved].x += 1e-6 * problem.scene.solver.kernel_radius;
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        step(&mut device, 1000);
        step_reference(&mut twin, 1000);
        let (ours, theirs) = (step(&mut device, 200), step_reference(&mut twin, 200));
        let counts = (ours.counters.loose_held, theirs.counters.loose_held);
        println!(
            "{} and {} held; kinetic {:.2e} and {:.2e} J",
            counts.0, counts.1, ours.energies.kinetic, theirs.energies.kinetic
        );
        held += counts.0;
        expected += counts.1;
    }
    assert!(expected > 5 * 200 * problem.particle_count() as u64 / 10, "{expected} particles held");
    assert!(held.abs_diff(expected) <= expected / 10, "{held} and {expected}");
}
