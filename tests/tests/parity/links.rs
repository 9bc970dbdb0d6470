//! Ropes and cloth on the device and in the reference.

use tuff_run::Simulation;
use tuff_solver::Options;
use tuff_tests::{gpu, problem, problem_beside, reference, step, step_reference};

use crate::runs::agree;
use crate::scenes;

/// Sweeps of both kinds, with ropes touching other matter.
pub fn sweeps() {
    for scheme in ["gauss_seidel", "jacobi"] {
        let settings = format!("iterations = 6\nscheme = \"{scheme}\"");
        agree(&problem(&scenes::ROPES.replace("iterations = 6", &settings)), 60, 1e-3);
    }
}

/// Newton's method, with all passes used.
pub fn newton() {
    for (passes, tolerance, dt, count) in [(12, 0.0, "2e-4", 20), (40, 0.0, "1e-3", 3)] {
        let scheme =
            format!("iterations = {passes}\nscheme = \"newton_cg\"\nresidual_tolerance = {tolerance:?}");
        let scene = scenes::ROPES.replace("iterations = 6", &scheme);
        agree(&problem(&scene.replace("max_substep = 2e-4", &format!("max_substep = {dt}"))), count, 2e-3);
    }
}

/// The energy stored in links is part of the energy, and the same in every run.
pub fn energy() {
    let problem = problem(&scenes::ROPES.replace("stretch_stiffness = 200.0", "stretch_stiffness = 20.0"));
    let (mut device, mut twin) = (gpu(&problem), reference(&problem));
    let (ours, theirs) = (step(&mut device, 40).energies, step_reference(&mut twin, 40).energies);
    let links = tuff_reference::constraints::links::energy(
        &tuff_reference::Context::new(&problem),
        twin.solver().state(),
    );
    println!("{} J, {} J, of links {links} J", ours.elastic, theirs.elastic);
    assert!(links > 1e-3 * theirs.elastic, "links store nothing");
    assert!((ours.elastic - theirs.elastic).abs() < 1e-3 * theirs.elastic);
    let frame = device.frame().unwrap();
    let mut again = tuff_run::GpuSimulation::new(&problem, &Options::default()).unwrap();
    step(&mut again, 40);
    assert!(frame == again.frame().unwrap(), "two runs differ");
}

/// A folded sheet with damping, in sweeps and in Newton's method.
pub fn cloth() {
    for (settings, dt, count, bound) in [
        ("iterations = 6\nscheme = \"gauss_seidel\"", "2e-4", 40, 1e-3),
        ("iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0", "2e-4", 20, 2e-3),
        ("iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0", "1e-3", 3, 2e-3),
    ] {
        let scene = scenes::CLOTH
            .replace("iterations = 6", settings)
            .replace("max_substep = 2e-4", &format!("max_substep = {dt}"));
        agree(&problem_beside(&scene, &[("sheet.obj", scenes::folded_sheet())]), count, bound);
    }
}
