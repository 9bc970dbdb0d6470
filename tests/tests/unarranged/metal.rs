//! Copper at its real stiffness, in which sound crosses tens to hundreds of particles per substep.

use tuff_problem::{Control, FrameReport};
use tuff_run::Simulation;
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

fn frames(scene: &str, count: usize) -> Vec<FrameReport> {
    let problem = problem(scene);
    let mut simulation = gpu(&problem);
    (0..count).map(|_| simulation.advance(&Control::default()).unwrap()).collect()
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
