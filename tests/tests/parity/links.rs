//! Ropes and cloth on the device and in the reference.

use tuff_problem::{Control, Problem};
use tuff_run::Simulation;
use tuff_solver::Options;
use tuff_solver::attributes::{MEETING_KEY, STATUS};
use tuff_solver::constants::{STATUS_MEETINGS, STATUS_WORDS};
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

/// Two sheets on each other and a block that one of them overlaps.
fn sheets(settings: &str, dt: &str) -> Problem {
    let scene = scenes::sheets()
        .replace("iterations = 6", settings)
        .replace("max_substep = 2e-4", &format!("max_substep = {dt}"));
    problem_beside(&scene, &[("sheet.obj", scenes::folded_sheet())])
}

/// Contact of cloth with matter and with cloth, in sweeps and in Newton's method.
pub fn cloth_contact() {
    for (settings, dt, count, bound) in [
        ("iterations = 6\nscheme = \"gauss_seidel\"", "2e-4", 40, 1e-3),
        ("iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0", "2e-4", 20, 2e-3),
        ("iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0", "1e-3", 2, 2e-3),
    ] {
        agree(&sheets(settings, dt), count, bound);
    }
}

/// A sheet between a block that overlaps it and a floor: displacements lead nothing through the floor.
pub fn a_sheet_on_a_floor() {
    for (settings, dt) in [
        ("iterations = 6\nscheme = \"gauss_seidel\"", "2e-4"),
        ("iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0", "2e-4"),
    ] {
        let scene = scenes::sheets()
            .replace("corner = [-0.02, 0.049, -0.021]", "corner = [-0.02, 0.0012, -0.021]")
            .replace("iterations = 6", settings)
            .replace("max_substep = 2e-4", &format!("max_substep = {dt}"));
        agree(&problem_beside(&scene, &[("sheet.obj", scenes::folded_sheet())]), 20, 1e-3);
    }
}

/// Device and reference list the same contacts.
pub fn meetings() {
    let most = same_meetings(&sheets("iterations = 10\nscheme = \"gauss_seidel\"", "1e-3"));
    assert!(most > 150, "{most}");
}

/// Compares the contacts with sheets that device and reference list in ten substeps; returns the largest number of them.
pub fn same_meetings(problem: &Problem) -> usize {
    let (mut device, mut twin) = (gpu(problem), reference(problem));
    let mut most = 0;
    for step in 0..10 {
        device.advance_substeps(1, &Control::default()).unwrap();
        step_reference(&mut twin, 1);
        let store = device.solver().store();
        let status: Vec<u32> = store.download(STATUS, STATUS_WORDS as usize).unwrap();
        let mut ours: Vec<[u32; 2]> =
            store.download(MEETING_KEY, status[STATUS_MEETINGS as usize] as usize).unwrap();
        ours.sort_unstable();
        let theirs: Vec<_> = twin.solver().state().sheet_candidates.iter().map(|c| c.key).collect();
        println!("substep {step}: {} contacts", theirs.len());
        most = most.max(theirs.len());
        let missing = theirs.iter().filter(|key| ours.binary_search(key).is_err()).count();
        let more = ours.iter().filter(|key| theirs.binary_search(key).is_err()).count();
        // Those at the edge of reach may be seen by one of them alone.
        assert!(missing + more <= theirs.len() / 100, "{missing} missing, {more} more");
    }
    most
}

/// More contacts than two triangles have room for at first: substeps are repeated with more.
pub fn more_meetings_than_fit() {
    let scene = scenes::sheets()
        .replace("cells = [8, 7]", "cells = [1, 1]")
        .replace("spacing = 0.0125 }", "spacing = 0.0094 }")
        .replace("iterations = 6", "iterations = 12\nscheme = \"gauss_seidel\"");
    let (scene, _) = scene.split_once("[[cloth]]\nname = \"sheet\"").unwrap();
    let problem = tuff_tests::problem(scene);
    let (mut device, mut twin) = (gpu(&problem), reference(&problem));
    let grown = step(&mut device, 20).counters.buffers_grown;
    step_reference(&mut twin, 20);
    println!("buffers grew {grown} times");
    assert!(grown >= 1);
    let (ours, theirs) = (device.frame().unwrap(), twin.frame().unwrap());
    let apart = std::iter::zip(&ours.position, &theirs.position)
        .map(|(a, b)| glam::DVec3::from(*a).distance(glam::DVec3::from(*b)))
        .fold(0.0, f64::max);
    assert!(apart < 1e-3 * problem.scene.solver.kernel_radius, "{apart:e} m apart");
}

/// Matter comes onto the sheets in the course of a frame, and a body that stands before them in the order of ids leaves through a sink.
pub fn population_changes_beside_sheets() {
    for settings in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let others = "[[body]]\nname = \"drop\"\nmaterial = \"jelly\"\n\
                      shape = { box = { min = [0.3, 0.0, 0.0], max = [0.35, 0.05, 0.05] } }\n\
                      sampling = { kind = \"lattice\", spacing = 0.0125 }\n\
                      [[sink]]\nname = \"drain\"\nshape = { box = { min = [0.25, -0.1, -0.1], max = [0.4, 0.1, 0.1] } }\n\
                      [[emitter]]\nname = \"hose\"\nmaterial = \"jelly\"\nvelocity = [0.0, -2.0, 0.0]\n\
                      shape = { box = { min = [0.0, 0.07, 0.0], max = [0.025, 0.08, 0.025] } }\n\
                      sampling = { kind = \"lattice\", spacing = 0.0125 }\ntime = [0.0017, 1.0]\n";
        let scene = scenes::sheets()
            .replace("iterations = 6", settings)
            .replace("frame_rate = 50.0", "frame_rate = 500.0");
        let problem = problem_beside(&(scene + others), &[("sheet.obj", scenes::folded_sheet())]);
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        for frame in 1..=4 {
            let [ours, theirs] = [
                device.advance(&Control::default()).unwrap().counters,
                twin.advance(&Control::default()).unwrap().counters,
            ];
            assert_eq!((ours.emitted, ours.removed), (theirs.emitted, theirs.removed));
            assert_eq!(ours.removed > 0, frame == 1);
            assert_eq!(ours.emitted > 0, frame == 1 || frame == 4);
        }
        let (ours, theirs) = (device.frame().unwrap(), twin.frame().unwrap());
        let apart = std::iter::zip(&ours.position, &theirs.position)
            .map(|(a, b)| glam::DVec3::from(*a).distance(glam::DVec3::from(*b)))
            .fold(0.0, f64::max);
        println!("{apart:e} m apart");
        assert!(apart < 2e-3 * problem.scene.solver.kernel_radius, "{apart:e} m apart");
    }
}

/// A sheet that is pulled apart, on top of a block: the same triangles tear, and a kept state knows which.
pub fn tearing() {
    for settings in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let scene = scenes::sheets()
            .replace("iterations = 6", settings)
            .replace("friction = 0.3", "friction = 0.3\ntear_strain = 0.04")
            .replace("vertices = [0]", "vertices = [0, 10, 20, 30, 40, 50, 60]")
            + "[[pin]]\nbody = \"sheet\"\nvertices = [9, 19, 29, 39, 49, 59, 69]\n\
               [pin.motion]\nkeyframes = [{ time = 0.0 }, { time = 0.1, translate = [0.12, 0.0, 0.0] }]\n";
        let problem = problem_beside(&scene, &[("sheet.obj", scenes::folded_sheet())]);
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        let torn = step(&mut device, 60).counters.torn;
        assert_eq!(torn, step_reference(&mut twin, 60).counters.torn);
        assert!(torn > 0);
        let ours = device.frame().unwrap();
        assert_eq!(ours.torn, twin.frame().unwrap().torn);
        let apart = std::iter::zip(&ours.position, &twin.frame().unwrap().position)
            .map(|(a, b)| glam::DVec3::from(*a).distance(glam::DVec3::from(*b)))
            .fold(0.0, f64::max);
        println!("{torn} triangles tore, {apart:e} m apart");
        assert!(apart < 2e-3 * problem.scene.solver.kernel_radius, "{apart:e} m apart");
        let (mut again, whole) = (gpu(&problem), gpu(&problem).save().unwrap());
        again.restore(&device.save().unwrap()).unwrap();
        assert_eq!(again.frame().unwrap().torn.len() as u64, torn);
        step(&mut device, 20);
        step(&mut again, 20);
        assert!(device.frame().unwrap() == again.frame().unwrap(), "the two differ");
        device.restore(&whole).unwrap();
        assert_eq!(step(&mut device, 60).counters.torn, torn);
    }
}

/// Matter on two sides of a sheet, within the support of each other's kernels, meets nothing but the sheet.
pub fn sheets_divide_matter() {
    for settings in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let scene = scenes::sheets()
            .replace("iterations = 6", settings)
            .replace("[[cloth]]\nname = \"sheet\"", "[[body]]\nname = \"lid\"\nmaterial = \"jelly\"\n\
                shape = { box = { min = [0.0, 0.056, 0.0], max = [0.05, 0.081, 0.05] } }\n\
                sampling = { kind = \"lattice\", spacing = 0.0125 }\nvelocity = [0.0, -0.3, 0.0]\n[[cloth]]\nname = \"sheet\"")
            .replace("translate = [-0.04, 0.061, -0.01]", "translate = [-0.04, 0.1, -0.01]");
        agree(&problem_beside(&scene, &[("sheet.obj", scenes::folded_sheet())]), 20, 2e-3);
    }
}
