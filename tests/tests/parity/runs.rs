//! Whole runs: parity with the reference, determinism, and protocols that must not change results.

use tuff_gpu::{DeviceKind, StoreOptions};
use tuff_problem::{Control, Frame, FrameReport, Problem, Solver};
use tuff_run::{CpuSimulation, GpuSimulation, Run, Simulation};
use tuff_solver::attributes::*;
use tuff_solver::{Mapping, Options};
use tuff_tests::{gpu, problem, reference, step, step_reference};

use crate::scenes;

/// Returns the largest distance between corresponding particles [m], and the index of the particle.
pub fn distance(a: &Frame, b: &Frame) -> (f64, usize) {
    let apart = |i: usize| {
        let d = [0, 1, 2].map(|k| a.position[i][k] - b.position[i][k]);
        d.iter().map(|c| c * c).sum::<f64>().sqrt()
    };
    assert_eq!(a.position.len(), b.position.len());
    (0..a.position.len()).map(|i| (apart(i), i)).max_by(|x, y| x.0.total_cmp(&y.0)).unwrap_or_default()
}

/// Advances the Vulkan device, the processor and the reference by `count` substeps and asserts that the results of the first two differ
/// from those of the last by less than `bound` kernel radii.
pub fn agree(problem: &Problem, count: u32, bound: f64) {
    let (mut device, mut processor, mut twin) =
        (gpu(problem), CpuSimulation::new(problem), reference(problem));
    let expected = step_reference(&mut twin, count);
    let expected = (&expected, &twin.frame().unwrap());
    let report = step(&mut device, count);
    compare(problem, count, bound, (&report, &device.frame().unwrap()), expected);
    let report = processor.advance_substeps(count, &Control::default()).unwrap();
    compare(problem, count, bound, (&report, &processor.frame().unwrap()), expected);
}

fn compare(
    problem: &Problem,
    count: u32,
    bound: f64,
    (report, frame): (&FrameReport, &Frame),
    (expected, twin): (&FrameReport, &Frame),
) {
    let start = problem.particles.position[0];
    let (apart, worst) = distance(frame, twin);
    let r = problem.scene.solver.kernel_radius;
    let moved = (glam::DVec3::from(frame.position[0]) - start).length() / r;
    println!(
        "{count} substeps: {:.1e} r apart at particle {worst}; particle 0 moved {moved:.2} r",
        apart / r
    );
    println!("residuals {:?} and {:?}", report.residual, expected.residual);
    // f32 cannot distinguish residuals below its own rounding, and each pass of a Newton solve magnifies that of the previous one; where
    // a solve ends within its tolerance is random.
    let off = (report.residual.force - expected.residual.force).abs();
    let tolerance = problem.scene.solver.residual_tolerance;
    let ended = report.residual.force.max(expected.residual.force) < tolerance;
    let random = if ended { 0.5 * tolerance } else { 0.1 * tolerance };
    assert!(off < 0.05 * expected.residual.force + random + 2e-5, "the force residuals differ by {off:.1e}");
    let chance = 0.1 * tolerance;
    assert!(moved > 1e-3, "nothing happened");
    assert!(apart < bound * r, "particle {worst} is {:.2e} r off", apart / r);
    for (b, (ours, theirs)) in std::iter::zip(&frame.rigid, &twin.rigid).enumerate() {
        let off = (glam::DVec3::from(ours.center) - glam::DVec3::from(theirs.center)).length();
        let [one, other] = [ours, theirs].map(|state| glam::DQuat::from_array(state.rotation));
        let turned = one.angle_between(other);
        println!("rigid body {b}: {:.1e} r and {turned:.1e} rad apart", off / r);
        assert!(off < bound * r && turned < 10.0 * bound * r, "rigid body {b}: {ours:?}, {theirs:?}");
    }
    let scale = expected.energies.kinetic + expected.energies.elastic;
    for (ours, theirs) in [
        (report.energies.kinetic, expected.energies.kinetic),
        (report.energies.elastic, expected.energies.elastic),
    ] {
        assert!((ours - theirs).abs() < (1e-3 + chance) * scale, "energies {ours} and {theirs} J");
    }
    let (ours, theirs) = (report.pressure_speed, expected.pressure_speed);
    println!("pressure speeds {ours:.4} and {theirs:.4} m/s");
    assert!((ours - theirs).abs() <= 1e-2 * theirs + 1e-3, "pressure speeds {ours} and {theirs} m/s");
    for (ours, theirs) in report.collider_impulse.iter().zip(&expected.collider_impulse) {
        let total: f64 = problem.mass.iter().sum();
        for axis in 0..3 {
            let bound = 1e-2 * theirs.iter().map(|c| c.abs()).sum::<f64>() + 1e-4 * total * problem.dt();
            assert!((ours[axis] - theirs[axis]).abs() < bound, "impulses {ours:?} and {theirs:?} N s");
        }
    }
}

pub fn column_over_100_substeps() {
    agree(&problem(&scenes::column(10, "iterations = 5")), 100, 1e-3);
}

fn run(problem: &Problem, options: &Options, count: u32) -> Frame {
    let mut simulation = GpuSimulation::new(problem, options).unwrap();
    step(&mut simulation, count);
    simulation.frame().unwrap()
}

pub fn two_runs_are_identical() {
    let problem = problem(&scenes::column(8, "iterations = 5"));
    let frames = || {
        let mut simulation = gpu(&problem);
        (0..2)
            .map(|_| {
                simulation.advance(&Control::default()).unwrap();
                simulation.frame().unwrap()
            })
            .collect::<Vec<_>>()
    };
    assert!(frames() == frames(), "two runs of one scene differ");
}

pub fn every_way_to_reach_buffers_is_identical() {
    let newton = "scheme = \"newton_cg\"\niterations = 30";
    for solver in ["iterations = 3", newton] {
        ways_agree(&problem(&scenes::column(6, solver)), 10, &ways());
        ways_agree(&problem(&scenes::ROPES.replace("iterations = 6", solver)), 10, &ways()[1..2]);
    }
    ways_agree(&problem(&scenes::column(6, "iterations = 3\nscheme = \"jacobi\"")), 10, &ways()[1..2]);
    // Jittered grains would overlap at the start.
    let grains = scenes::column(6, "iterations = 3\nmatter = \"grains\"").replace(", jitter = 0.1", "");
    ways_agree(&problem(&grains), 10, &ways()[1..2]);
}

/// One scene of fluids that seep and have a surface tension, a total body, cloth in contact and a rigid body, by address.
pub fn every_kind_of_matter_by_address() {
    let more = "[[cloth]]\nname = \"sheet\"\nsurface_density = 0.2\nstretch_stiffness = 100.0\nbending_stiffness = 2e-4\n\
                thickness = 0.004\nvelocity = [0.0, -0.5, 0.0]\n\
                grid = { corner = [0.0, 0.1035, 0.0], u = [0.1, 0.0, 0.0], v = [0.0, 0.0, 0.06], cells = [8, 5] }\n\
                [[rigid]]\nname = \"ball\"\ndensity = 900.0\nvelocity = [0.0, -0.5, 0.0]\n\
                shape = { sphere = { center = [0.025, 0.085, 0.03], radius = 0.012 } }\n";
    let block = "name = \"block\"\nmaterial = \"jelly\"";
    for solver in ["iterations = 3", "scheme = \"newton_cg\"\niterations = 12"] {
        let scene = crate::fluids::tense(&crate::fluids::soaked(solver))
            .replace(block, &format!("{block}\nkinematics = \"total\""));
        assert!(scene.contains("kinematics"));
        ways_agree(&problem(&(scene + more)), 4, &ways()[1..2]);
    }
}

/// The ways to reach attributes besides bindings.
fn ways() -> [StoreOptions; 3] {
    let no_texels = StoreOptions { no_texels: true, ..StoreOptions::default() };
    let addresses = StoreOptions { addresses: true, ..StoreOptions::default() };
    let chunks = StoreOptions { addresses: true, chunk_bytes: Some(1 << 14), ..StoreOptions::default() };
    [no_texels, addresses, chunks]
}

fn ways_agree(problem: &Problem, substeps: u32, ways: &[StoreOptions]) {
    let on_gpu = gpu(problem).solver().device().info().kind != DeviceKind::Cpu;
    let bound = run(problem, &Options::default(), substeps);
    for store in ways {
        let other = run(problem, &Options { store: Some(*store), ..Options::default() }, substeps);
        let (apart, worst) = distance(&bound, &other);
        let r = problem.scene.solver.kernel_radius;
        println!("{store:?}: {:.1e} r apart at {worst}", apart / r);
        // The compiler of a GPU may contract products and sums in different ways; the software driver is known not to.
        assert!(bound == other || (on_gpu && apart < 1e-6 * r), "{store:?} changes the result");
    }
}

pub fn lanes_change_rounding_only() {
    let density = "iterations = 4\nposition_correction = { kind = \"density\" }";
    let grains = "iterations = 4\nmatter = \"grains\"";
    let touching = scenes::column(6, grains).replace(", jitter = 0.1", "");
    let newton = scenes::column(8, "iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0");
    let mixed = scenes::MIXED.replace("iterations = 6", density);
    for scene in [scenes::column(6, "iterations = 4"), mixed, touching, newton] {
        let problem = problem(&scene);
        let cell_wise = run(&problem, &Options::default(), 30);
        let options = Options { mapping: Some(Mapping::with_lanes(8)), ..Options::default() };
        let shared = run(&problem, &options, 30);
        let (apart, worst) = distance(&cell_wise, &shared);
        let r = problem.scene.solver.kernel_radius;
        assert!(apart < 1e-3 * r, "particle {worst} is {:.1e} r off", apart / r);
        assert!(run(&problem, &options, 30) == shared, "two runs with 8 lanes differ");
    }
}

pub fn lists_grow_when_they_overflow() {
    // A support radius of 1.4 spacings gives some 80 neighbors, three times the first guess.
    let mut problem =
        problem(&scenes::column(8, "iterations = 2\nposition_correction = { kind = \"none\" }"));
    problem.scene.solver.kernel_radius *= 1.4;
    let (mut device, mut twin) = (gpu(&problem), reference(&problem));
    let report = step(&mut device, 5);
    let expected = step_reference(&mut twin, 5);
    assert_eq!(report.counters.buffers_grown, 1);
    assert_eq!(report.substeps, 5);
    assert_eq!(report.neighbor_pairs, expected.neighbor_pairs);
    let (apart, worst) = distance(&device.frame().unwrap(), &twin.frame().unwrap());
    assert!(apart < 1e-4 * problem.scene.solver.kernel_radius, "particle {worst} is {apart:.1e} m off");
}

pub fn residual_ends_the_iteration() {
    let scene = scenes::column(6, "scheme = \"gauss_seidel\"\niterations = 200\nresidual_tolerance = 0.2");
    let problem = problem(&scene);
    let (mut device, mut twin) = (gpu(&problem), reference(&problem));
    let report = step(&mut device, 10);
    let expected = step_reference(&mut twin, 10);
    assert!(report.iterations < 10 * 200, "never stopped early");
    assert!(report.residual.force < 0.2, "{:?}", report.residual);
    let off = report.iterations.abs_diff(expected.iterations);
    assert!(off <= 10, "{} iterations, the reference needs {}", report.iterations, expected.iterations);
}

pub fn batches_change_nothing() {
    let problem = problem(scenes::SHREDS);
    // Advances frames until the run ends or fails; the failure is part of the result.
    let run = |batch: u32| {
        let mut simulation = gpu(&problem);
        simulation.set_substeps_per_attempt(batch);
        let (mut frames, mut halved) = (Vec::new(), 0);
        for _ in 0..16 {
            match simulation.advance_substeps(10, &Control::default()) {
                Ok(report) => {
                    halved += report.counters.substeps_halved;
                    let report = FrameReport { wall_seconds: 0.0, ..report };
                    frames.push((report, simulation.frame().unwrap()));
                }
                Err(failure) => return (frames, halved, failure.to_string()),
            }
        }
        (frames, halved, String::new())
    };
    let (frames, halved, end) = run(1);
    println!("{} frames, {halved} substeps halved; {end}", frames.len());
    assert!(halved > 0, "no substep was halved");
    for batch in [1, 7, 10] {
        let (other, other_halved, other_end) = run(batch);
        assert_eq!((halved, &end), (other_halved, &other_end), "batches of {batch}");
        for (k, (a, b)) in frames.iter().zip(&other).enumerate() {
            assert_eq!(a.0, b.0, "reports with batches of {batch}");
            let (apart, worst) = distance(&a.1, &b.1);
            assert!(
                a.1 == b.1,
                "batches of {batch}: {apart:.1e} m apart at {worst} after {} substeps",
                10 * (k + 1)
            );
        }
    }
}

/// Returns everything that a particle keeps between substeps, bitwise.
fn committed(simulation: &GpuSimulation, count: usize, history: usize) -> Vec<Vec<[u32; 4]>> {
    let particle = [
        COMMITTED_POSITION,
        COMMITTED_POSITION_LOW,
        COMMITTED_VELOCITY,
        COMMITTED_STRAIN_DIAGONAL,
        COMMITTED_STRAIN_SHEAR,
        COMMITTED_MEMORY,
        COMMITTED_STATE,
        COMMITTED_IDENTITY,
    ];
    let mut all: Vec<_> =
        particle.iter().map(|&id| simulation.solver().store().download(id, count).unwrap()).collect();
    all.push(simulation.solver().store().download(COMMITTED_HISTORY, history * count).unwrap());
    all
}

/// A block whose particles rest on others that are too near, at a step and then at half of it: the guess scales with what springs bear.
pub fn pressed_particles_start_at_another_step() {
    let scene = r#"
format = 1
[scene]
name = "pressed"
gravity = [0.0, 300.0, 0.0]
[time]
frames = [1, 2]
max_substep = 1e-3
[solver]
kernel_radius = 0.01
scheme = "newton_cg"
iterations = 4
residual_tolerance = 0.0
[[material]]
name = "soft"
model = "elastic"
density = 1000.0
youngs_modulus = 3.0e5
poisson_ratio = 0.3
[[body]]
name = "block"
material = "soft"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.04, 0.03, 0.04] } }
sampling = { kind = "lattice", spacing = 0.0076 }
[[pin]]
body = "block"
region = { box = { min = [0.0, 0.024, 0.0], max = [0.04, 0.03, 0.04] } }
"#;
    let problem = problem(scene);
    fn halfway<S: Solver>(mut run: Run<S>) -> (Run<S>, FrameReport) {
        run.advance_substeps(6, &Control::default()).unwrap();
        run.keep().unwrap();
        run.retry().unwrap();
        let report = run.advance_substeps(2, &Control::default()).unwrap();
        (run, report)
    }
    let (mut twin, expected) = halfway(reference(&problem));
    let springs = &twin.solver().state().near_springs;
    let pressed = springs.iter().filter(|&&stiffness| stiffness > 0.0).count();
    assert!(pressed > 20, "{pressed} of {} particles rest on others", springs.len());
    let expected = (&expected, &twin.frame().unwrap());
    let (mut device, report) = halfway(gpu(&problem));
    compare(&problem, 8, 1e-5, (&report, &device.frame().unwrap()), expected);
    let (mut processor, report) = halfway(CpuSimulation::new(&problem));
    compare(&problem, 8, 1e-5, (&report, &processor.frame().unwrap()), expected);
}

/// The halves start with everything that the refused substep started with, including the second elastic strain.
pub fn a_halved_substep_is_two_of_half_the_length() {
    let foam =
        "viscoelastic\"\nbranch_shear_modulus = 4e4\nbranch_bulk_modulus = 3e4\nshear_relaxation_time = 0.01";
    two_of_half_the_length(
        &scenes::SHREDS.replace("elastic\"", foam).replace("20.0, 0.0, 0.0]", "24.0, 0.0, 0.0]"),
        0,
        1,
        |simulation, count| committed(simulation, count, 2),
    );
}

/// The same for a Newton solve that ended far from balance; the guess for the next substep is part of the state.
pub fn an_unbalanced_substep_is_two_of_half_the_length() {
    let scene = |tolerance: f64| {
        let newton = format!("iterations = 6\nscheme = \"newton_cg\"\nresidual_tolerance = {tolerance:?}");
        scenes::column(8, &newton).replace("max_substep = 2e-4", "max_substep = 1e-3")
    };
    let mut unjudged = gpu(&problem(&scene(0.0)));
    assert_eq!(step(&mut unjudged, 20).counters.substeps_halved, 0, "something else halves, too");
    for (first, lasting) in [(0, 0), (41, 1)] {
        two_of_half_the_length(&scene(1e-2), first, lasting, |simulation, count| {
            let mut all = committed(simulation, count, 0);
            all.push(simulation.solver().store().download(COMMITTED_INTERNAL_ACCELERATION, count).unwrap());
            all
        });
    }
}

/// Takes single substeps, each as number `first` of the 42 of its frame, until one is halved, and compares it with two of half the length.
fn two_of_half_the_length(
    scene: &str,
    first: u32,
    lasting: u64,
    committed: impl Fn(&GpuSimulation, usize) -> Vec<Vec<[u32; 4]>>,
) {
    let mut problem = problem(scene);
    problem.scene.time.max_substep = 1e-3;
    let count = problem.particle_count();
    let mut simulation = gpu(&problem);
    let control = Control::default();
    for _ in 0..20 {
        simulation.keep().unwrap();
        let Ok(report) = simulation.advance_substeps_from(first, 1, &control) else { break };
        println!("{} passes, {:?}", report.iterations, report.counters);
        if report.counters.substeps_halved != 1 {
            continue;
        }
        assert_eq!(report.lasting_halvings, lasting);
        let halved = committed(&simulation, count);
        simulation.retry().unwrap();
        let report = step(&mut simulation, 2);
        assert_eq!((report.substeps, report.counters.substeps_halved), (2, 0));
        let two = committed(&simulation, count);
        for (index, (a, b)) in halved.iter().zip(&two).enumerate() {
            let differ = a.iter().zip(b).filter(|(a, b)| a != b).count();
            assert_eq!(differ, 0, "attribute {index}: {differ} of {} elements differ", a.len());
        }
        return;
    }
    panic!("no substep was halved once");
}

/// After going some frames ahead and back, a run continues like one that was never ahead.
pub fn going_back_is_exact() {
    let (mut problem, control) = (problem(scenes::TENSORS), Control::default());
    problem.scene.time.frame_rate = 1000.0;
    let count = problem.particle_count();
    let (mut ahead, mut straight) = (gpu(&problem), gpu(&problem));
    for simulation in [&mut ahead, &mut straight] {
        simulation.advance(&control).unwrap();
        simulation.keep().unwrap();
    }
    for _ in 0..3 {
        ahead.advance(&control).unwrap();
    }
    for simulation in [&mut ahead, &mut straight] {
        simulation.retry().unwrap();
        let report = simulation.advance(&control).unwrap();
        assert_eq!((report.frame, report.substeps), (problem.scene.time.first_frame + 2, 10));
    }
    assert!(ahead.frame().unwrap() == straight.frame().unwrap());
    assert!(committed(&ahead, count, 5) == committed(&straight, count, 5), "something was not taken back");
}

/// Both solvers choose the same steps, as long as their passes hardly differ.
pub fn steps_are_found_alike_and_halved_for_a_retry() {
    let scene = scenes::column(7, "xsph = 0.0")
        .replace("max_substep = 2e-4", "max_substep = \"auto\"")
        .replace("youngs_modulus = 3.537e5", "youngs_modulus = 3.5e6");
    let problem = problem(&scene);
    let control = Control::default();
    let steps = |simulation: &mut dyn Simulation| -> Vec<f64> {
        let found: Vec<f64> = (0..3).map(|_| simulation.advance(&control).unwrap().substep).collect();
        simulation.keep().unwrap();
        let last = simulation.advance(&control).unwrap().substep;
        let [before, after] = simulation.retry().unwrap();
        assert!(before == last && after <= 0.5 * last, "{last}: {before} to {after}");
        assert!(simulation.advance(&control).unwrap().substep <= after);
        found
    };
    let ours = steps(&mut gpu(&problem));
    let theirs = steps(&mut reference(&problem));
    println!("{ours:?} s");
    assert!(ours.windows(2).any(|pair| pair[0] != pair[1]), "{ours:?}");
    assert_eq!(ours, theirs);
}

/// A grain without neighbors does not limit the step, however fast it is, not even in the first frame, whose step follows the fastest
/// particle.
pub fn a_grain_that_flies_alone_does_not_hold_the_step() {
    let column = scenes::column(5, "scheme = \"newton_cg\"\nxsph = 0.0")
        .replace("max_substep = 2e-4", "max_substep = \"auto\"")
        .replace("frames = [1, 3]", "frames = [1, 4]");
    let grain = "[[body]]\nname = \"grain\"\nmaterial = \"sand\"\nvelocity = [60.0, 0.0, 0.0]\n\
                 sampling = { kind = \"lattice\", spacing = 0.02 }\n\
                 shape = { box = { min = [1.0, 1.0, 1.0], max = [1.02, 1.02, 1.02] } }\n";
    let control = Control::default();
    let reports = |simulation: &mut dyn Simulation| -> Vec<FrameReport> {
        (0..3).map(|_| simulation.advance(&control).unwrap()).collect()
    };
    let alone = problem(&column);
    let both = problem(&(column + grain));
    for (with, without) in [
        (reports(&mut gpu(&both)), reports(&mut gpu(&alone))),
        (reports(&mut reference(&both)), reports(&mut reference(&alone))),
    ] {
        println!(
            "{:?}",
            with.iter().map(|r| (r.substeps, r.max_speed, r.max_interacting_speed)).collect::<Vec<_>>()
        );
        assert!(
            with.iter().all(|r| r.max_speed > 59.0
                && r.max_interacting_speed < 3.0
                && r.counters.fast_particles == 0)
        );
        let substeps = |reports: &[FrameReport]| reports.last().unwrap().substeps;
        assert_eq!(substeps(&with), substeps(&without));
    }
}

/// A bat at 8 m/s hits a column that hardly moves: the frame's step becomes unsuitable within the frame.
pub fn frames_in_which_particles_go_too_far_are_repeated() {
    let bat = "[[collider]]\nname = \"bat\"\nfriction = 0.2\n\
               shape = { box = { min = [-0.29, 0.02, -0.1], max = [-0.19, 0.18, 0.1] } }\n\
               motion = { keyframes = [{ time = 0.0 }, { time = 0.04, translate = [0.34, 0.0, 0.0] }] }\n";
    let solver = "scheme = \"newton_cg\"\nxsph = 0.0";
    let scene = scenes::column(5, solver)
        .replace("max_substep = 2e-4", "max_substep = \"auto\"")
        .replace("model = \"drucker_prager\"", "model = \"elastic\"")
        .replace("friction_angle = 35.0\n", "");
    let problem = problem(&(scene + bat));
    let control = Control::default();
    let run = |simulation: &mut dyn Simulation| -> Vec<(u32, u64)> {
        let frames = (0..2).map(|_| {
            let report = simulation.advance(&control).unwrap();
            let farthest = report.max_speed * report.substep / problem.scene.solver.kernel_radius;
            println!("{} substeps, {farthest:.2} r, {:?}", report.substeps, report.counters);
            assert!(report.counters.fast_particles == 0 && farthest <= 0.5, "{report:?}");
            (report.substeps, report.counters.frames_repeated)
        });
        frames.collect()
    };
    let ours = run(&mut gpu(&problem));
    assert!(ours.iter().any(|frame| frame.1 > 0), "{ours:?}");
    assert_eq!(ours, run(&mut reference(&problem)));
}
