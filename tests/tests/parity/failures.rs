//! Failures: the device and the f64 reference give the same report.

use tuff_problem::{Control, Counters, Evidence, Failure, Problem, SimulationError};
use tuff_reference::examine;
use tuff_run::Simulation;
use tuff_solver::attributes::{COMMITTED_IDENTITY, COMMITTED_VELOCITY};
use tuff_tests::program::OVERSTEPPED;
use tuff_tests::{gpu, problem, reference};

/// Advances frames until the simulation fails.
fn failure(simulation: &mut dyn Simulation, problem: &Problem) -> (Failure, Evidence) {
    let time = problem.scene.time;
    for _ in time.first_frame..time.last_frame {
        match simulation.advance(&Control::default()) {
            Ok(_) => {}
            Err(SimulationError::Failed(mut failure)) => {
                let evidence = failure.evidence.take().unwrap();
                return (*failure, *evidence);
            }
            Err(other) => panic!("{other}"),
        }
    }
    panic!("it did not fail");
}

pub fn a_fold_is_traced_to_the_same_place() {
    let problem = problem(&OVERSTEPPED.replace("iterations = 8", "iterations = 10"));
    let (ours, evidence) = failure(&mut gpu(&problem), &problem);
    let (theirs, expected) = failure(&mut reference(&problem), &problem);
    println!("{ours}");
    assert_eq!(ours, theirs);
    assert_eq!(evidence.origin, expected.origin);
    // Rounding decides which one of several particles about to fold does so first.
    assert!(evidence.bad.abs_diff(expected.bad) <= 1, "{} and {}", evidence.bad, expected.bad);
    assert_eq!((evidence.time, evidence.dt), (expected.time, expected.dt));
    assert_eq!(evidence.in_substep, expected.in_substep);
    alike(evidence.in_frame, expected.in_frame);
    let (ours_before, theirs_before) = (evidence.in_last_frame.unwrap(), expected.in_last_frame.unwrap());
    alike(ours_before, theirs_before);
    assert_eq!(evidence.surroundings.id, expected.surroundings.id);
    let (seen, twin) = (examine(&problem, &evidence), examine(&problem, &expected));
    assert_eq!((seen.neighbors, seen.rank, &seen.contacts), (twin.neighbors, twin.rank, &twin.contacts));
    for (a, b) in seen.stretches.iter().zip(twin.stretches) {
        assert!((a - b).abs() < 1e-5, "{seen:?} and {twin:?}");
    }
    // Batches of one and of many substeps give the same failure.
    let mut failed = gpu(&problem);
    assert_eq!(failure(&mut failed, &problem), (ours, evidence));
}

/// With a rigid body that flies by, the device tells where that is, and how many particles are bad, as the reference does.
pub fn a_fold_beside_a_rigid_body_is_placed() {
    let ball = "[[rigid]]\nname = \"ball\"\ndensity = 1000.0\nvelocity = [0.5, 0.0, 0.0]\n\
                shape = { sphere = { center = [1.0, 5.0, 0.0], radius = 0.05 } }\n";
    let problem = problem(&format!("{}{ball}", OVERSTEPPED.replace("iterations = 8", "iterations = 10")));
    let (ours, evidence) = failure(&mut gpu(&problem), &problem);
    let (theirs, expected) = failure(&mut reference(&problem), &problem);
    println!("{ours}");
    // The device inspects the end of such a substep alone.
    assert!(evidence.bad.abs_diff(expected.bad) <= 1, "{} and {} bad", evidence.bad, expected.bad);
    assert_eq!((ours.frame, evidence.time, evidence.dt), (theirs.frame, expected.time, expected.dt));
    assert_eq!(evidence.in_substep, expected.in_substep);
    let [one, other] = [&evidence, &expected].map(|evidence| evidence.surroundings.frame.rigid[0].center);
    assert!(one[0] > 1.01, "{one:?} has not moved");
    assert!((glam::DVec3::from(one) - glam::DVec3::from(other)).length() < 1e-9, "{one:?} and {other:?}");
}

/// Asserts equal counts, except how many of hundreds of grains are at the tip of their cone, which rounding decides.
fn alike(ours: Counters, theirs: Counters) {
    assert!(ours.tip_released.abs_diff(theirs.tip_released) <= theirs.tip_released / 200);
    assert_eq!(Counters { tip_released: 0, ..ours }, Counters { tip_released: 0, ..theirs });
}

/// A velocity that is not finite before the first stage is not blamed on a stage.
pub fn nan_at_the_start_is_told_apart() {
    nan_at_the_start(&problem(OVERSTEPPED));
    nan_at_the_start(&problem(&OVERSTEPPED.replace("iterations = 8", "iterations = 8\nmatter = \"grains\"")));
}

fn nan_at_the_start(problem: &Problem) {
    let count = problem.particle_count();
    let mut simulation = gpu(problem);
    let identity: Vec<[u32; 4]> = simulation.solver().store().download(COMMITTED_IDENTITY, count).unwrap();
    let mut rows: Vec<[f32; 4]> = simulation.solver().store().download(COMMITTED_VELOCITY, count).unwrap();
    let row = identity.iter().position(|row| row[0] == 137).unwrap();
    rows[row][1] = f32::NAN;
    simulation.solver_mut().store_mut().upload(COMMITTED_VELOCITY, &rows).unwrap();
    let (failure, evidence) = failure(&mut simulation, problem);
    assert_eq!((failure.particle, failure.point.stage), (Some(137), "start"));
    assert_eq!(evidence.origin.quantity, "velocity");
    let seen = examine(problem, &evidence);
    // It lies in a face of the lattice: 17 points around it differ by at most one spacing along every axis.
    assert!(seen.travel.is_nan() && seen.neighbors >= 17 && seen.rank == 3, "{seen:?}");
}
