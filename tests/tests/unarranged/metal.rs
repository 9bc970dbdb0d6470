//! Metal at its real stiffness, in which sound crosses tens to hundreds of particles per substep: at rest, in a fall, and hit by softer
//! matter.

use glam::DVec3;
use tuff_problem::{Control, Frame, FrameReport, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, problem};

/// It stays at rest with one pass per substep: a motion too small to change a position strains it by more than its weight does.
pub fn a_cube_rests_on_a_floor() {
    let reports = frames(&cube(0.04, 0.0, "1.0e-4"), 3);
    let last = reports.last().unwrap();
    println!("{last:?}");
    let counters = &last.counters;
    assert_eq!((counters.substeps_halved, counters.newton_unbalanced), (0, 0));
    assert!(
        last.iterations < 2 * u64::from(last.substeps),
        "{} passes, {} substeps",
        last.iterations,
        last.substeps
    );
    assert!(last.energies.kinetic < 1e-12, "{} J", last.energies.kinetic);
}

/// The energy left in it as strain after a fall is less than the energy of the fall.
pub fn an_impact_stores_less_than_it_brings() {
    let reports = frames(&cube(0.06, 0.05, "\"auto\""), 3);
    let energies = |report: &FrameReport| {
        println!("{:?} {:?}", report.energies, report.counters);
        (report.energies.kinetic, report.energies.elastic)
    };
    let all: Vec<(f64, f64)> = reports.iter().map(energies).collect();
    let brought = all.iter().map(|(kinetic, _)| *kinetic).fold(0.0, f64::max);
    let stored = all.last().unwrap().1;
    assert!(brought > 0.0 && stored > 0.0 && stored < 0.25 * brought, "{stored} of {brought} J");
}

/// A block that falls on a corner gains no energy from the floor, at a fixed step in which sound crosses three hundred particles.
pub fn a_tilted_block_gains_no_energy() {
    for (rotate, velocity) in [([12.0, 20.0, 25.0], [0.2, -1.0, 0.1]), ([40.0, 0.0, 10.0], [0.0, -2.0, 0.0])]
    {
        let problem = problem(&tilted(rotate, velocity));
        let mut devices: Vec<(&str, Box<dyn Simulation>)> =
            vec![("processor", Box::new(CpuSimulation::new(&problem)))];
        if velocity[1] == -2.0 {
            devices.push(("device", Box::new(gpu(&problem))));
        }
        for (device, mut simulation) in devices {
            let mut lowest = f64::INFINITY;
            for frame in 0..7 {
                let report = simulation.advance(&Control::default()).unwrap();
                let energies = report.energies;
                let energy = energies.kinetic + energies.elastic + energies.gravity;
                println!("{device}, frame {frame}: {energy:.4} J, {} passes", report.iterations);
                assert!(energy < 1.1 * lowest, "{device}: {energy} of {lowest} J, {energies:?}");
                lowest = lowest.min(energy);
            }
        }
    }
}

/// What hits a block of aluminium that floats freely gives it momentum and loses as much, and no energy appears as strain of the block;
/// with default settings, and without more work than the hit itself would need.
pub fn softer_matter_hits_it() {
    for material in ["water", "dry_sand", "rubber", "clay"] {
        let problem = problem(&hit(material));
        let simulations: [(&str, Box<dyn Simulation>); 2] =
            [("processor", Box::new(CpuSimulation::new(&problem))), ("device", Box::new(gpu(&problem)))];
        for (device, mut simulation) in simulations {
            let start = simulation.frame().unwrap();
            let (before, kinetic) = (momentum(&problem, &start), kinetic(&problem, &start));
            let (mut passes, mut halved) = (0, 0);
            for _ in 0..10 {
                let report = simulation.advance(&Control::default()).unwrap();
                (passes, halved) = (passes + report.iterations, halved + report.counters.substeps_halved);
                let energy = report.energies.kinetic + report.energies.elastic;
                assert!(energy < 1.1 * kinetic, "{material}, {device}: {energy} of {kinetic} J");
            }
            let after = momentum(&problem, &simulation.frame().unwrap());
            let lost = (after - before).length() / before.length();
            println!(
                "{material}, {device}: {lost:.4} of the momentum lost, {passes} passes, {halved} halved"
            );
            assert!(lost < 0.03, "{material}, {device}: {before} before, {after} after");
            assert!(passes < 2000 && halved < 4, "{material}, {device}: {passes} passes, {halved} halved");
        }
    }
}

fn hit(material: &str) -> String {
    let body = |name: &str, material: &str, min: [f64; 3], max: [f64; 3], velocity: [f64; 3]| {
        format!(
            "[[material]]\nname = \"{name}\"\npreset = \"{material}\"\n[[body]]\nname = \"{name}\"\nmaterial = \"{name}\"\n\
             shape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\nvelocity = {velocity:?}\n\
             sampling = {{ kind = \"poisson_disk\", spacing = 0.003421 }}\n"
        )
    };
    let slab = body("slab", material, [-0.012, 0.0215, -0.012], [0.012, 0.032, 0.012], [0.5, -3.0, 0.2]);
    let block = body("block", "aluminium", [-0.01, 0.0, -0.01], [0.01, 0.02, 0.01], [0.0; 3]);
    format!(
        "format = 1\n[scene]\nname = \"hit\"\ngravity = [0.0, 0.0, 0.0]\n[time]\nframes = [1, 11]\nframe_rate = 2000.0\n\
         max_substep = \"auto\"\n[solver]\nkernel_radius = 0.003421\n{slab}{block}"
    )
}

fn momentum(problem: &Problem, frame: &Frame) -> DVec3 {
    let of = |p: usize| problem.mass[p] * DVec3::from_array(frame.velocity[p].map(f64::from));
    (0..frame.velocity.len()).map(of).sum()
}

fn kinetic(problem: &Problem, frame: &Frame) -> f64 {
    let square = |p: usize| DVec3::from_array(frame.velocity[p].map(f64::from)).length_squared();
    (0..frame.velocity.len()).map(|p| 0.5 * problem.mass[p] * square(p)).sum()
}

fn frames(scene: &str, count: usize) -> Vec<FrameReport> {
    let problem = problem(scene);
    let mut simulation = gpu(&problem);
    (0..count).map(|_| simulation.advance(&Control::default()).unwrap()).collect()
}

fn tilted(rotate: [f64; 3], velocity: [f64; 3]) -> String {
    format!(
        "format = 1\n[scene]\nname = \"tilted\"\n[time]\nframes = [1, 8]\nframe_rate = 100.0\nmax_substep = 5e-4\n[solver]\n\
         kernel_radius = 0.01\n[[collider]]\nname = \"floor\"\n\
         shape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }} }}\n\
         [[material]]\nname = \"metal\"\npreset = \"aluminium\"\n[[body]]\nname = \"block\"\nmaterial = \"metal\"\n\
         shape = {{ box = {{ min = [-0.04, 0.02, -0.03], max = [0.04, 0.08, 0.03] }}, rotate = {rotate:?} }}\n\
         velocity = {velocity:?}\nsampling = {{ kind = \"poisson_disk\", spacing = 0.01 }}\n"
    )
}

/// Writes a cube with edges of length `edge` [m] whose lower face is `clear` [m] above the floor.
fn cube(edge: f64, clear: f64, step: &str) -> String {
    let half = 0.5 * edge;
    format!(
        r#"
        format = 1
        [scene]
        name = "copper"
        [time]
        frames = [1, 25]
        max_substep = {step}
        [solver]
        kernel_radius = 0.01
        [[material]]
        name = "copper"
        model = "von_mises"
        density = 8930.0
        youngs_modulus = 117.0e9
        poisson_ratio = 0.35
        yield_stress = 70.0e6
        [[body]]
        name = "cube"
        material = "copper"
        shape = {{ box = {{ min = [-{half}, {clear}, -{half}], max = [{half}, {:?}, {half}] }} }}
        sampling = {{ kind = "lattice", spacing = 0.01 }}
        [[collider]]
        name = "floor"
        shape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }} }}
        "#,
        clear + edge
    )
}
