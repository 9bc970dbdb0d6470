//! Whole substeps and runs: exactness, failure and repetition.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::{DMat3, DQuat, DVec3};
use tuff_problem::{Control, SimulationError};
use tuff_run::{ReferenceSimulation, Simulation};
use tuff_scene::{Smoothing, SolverSettings, Time};

use super::setup::{DENSITY, block, elastic, settings, state};
use tuff_reference::ReferenceSolver;
use tuff_reference::context::{Context, Step};
use tuff_reference::state::State;
use tuff_reference::substep::substep;
use tuff_reference::tensor::norm;

const TIME: Time =
    Time { frame_rate: 25.0, first_frame: 3, last_frame: 9, max_substep: 1e-2, substep_bounds: None };

fn simulation(context: Context, state: State) -> ReferenceSimulation {
    ReferenceSimulation::with(ReferenceSolver::with(context, state, vec![DENSITY]), TIME, None)
}

#[test]
fn free_fall_is_exact() {
    let mut context = elastic(SolverSettings { smoothing: Smoothing::Xsph(0.1), ..settings(0.1) });
    context.gravity = DVec3::new(0.0, -9.81, 0.0);
    let positions = block([3; 3], 0.1, 0.2, 1);
    let start = state(&context, &positions, 0.1);
    let mut simulation = simulation(context, start);
    let control = Control::default();
    for _ in 0..2 {
        simulation.advance(&control).unwrap();
    }
    let frame = simulation.frame().unwrap();
    assert_eq!((frame.index, frame.time), (5, 0.08));
    let drop = DVec3::new(0.0, -9.81, 0.0) * 1e-4 * f64::from(8 * 9 / 2);
    for (x, start) in std::iter::zip(&frame.position, &positions) {
        assert!((DVec3::from(*x) - *start - drop).length() < 1e-12);
    }
    assert!(frame.velocity.iter().all(|v| (f64::from(v[1]) + 9.81 * 0.08).abs() < 1e-6));
    assert!(frame.density.iter().all(|d| (f64::from(*d) - DENSITY).abs() < 1e-3));
}

#[test]
fn a_homogeneous_step_advances_strain_and_volume_exactly() {
    // One substep without iterations: E and J must follow b = A A^T and det A.
    let context = elastic(SolverSettings { iterations: 0, ..settings(0.1) });
    let mut state = state(&context, &block([3; 3], 0.1, 0.2, 1), 0.1);
    let gradient = DMat3::from_cols_array_2d(&[[8.0, 3.0, 1.0], [-2.0, -9.0, 4.0], [0.5, 7.0, 2.0]]);
    for p in 0..state.particle_count() {
        state.velocity[p] = gradient * state.position[p];
    }
    substep(&context, Step { time: 0.0, dt: 1e-2 }, &mut state, false).unwrap();
    let a = DMat3::IDENTITY + 1e-2 * gradient;
    for p in 0..state.particle_count() {
        assert!(norm(state.strain[p] - (a * a.transpose() - DMat3::IDENTITY)) < 1e-13);
        assert!((state.volume_ratio[p] - a.determinant()).abs() < 1e-13);
        assert!(state.memory[p].length() < 1e-14);
    }
}

#[test]
fn the_memory_turns_with_the_body() {
    let context = elastic(SolverSettings { iterations: 0, ..settings(0.1) });
    let mut state = state(&context, &block([3; 3], 0.1, 0.2, 1), 0.1);
    let spin = DVec3::new(0.0, 0.0, 5.0);
    for p in 0..state.particle_count() {
        state.velocity[p] = spin.cross(state.position[p]);
        state.memory[p] = DVec3::new(1e-3, 0.0, 2e-3);
    }
    substep(&context, Step { time: 0.0, dt: 1e-2 }, &mut state, false).unwrap();
    let expected = DQuat::from_rotation_z(2.0 * 0.025_f64.atan()) * DVec3::new(1e-3, 0.0, 2e-3);
    assert!(state.memory.iter().all(|h| (*h - expected).length() < 1e-15));
}

#[test]
fn a_fold_is_repeated_in_two_halves_and_given_up_when_that_does_not_help() {
    let closing = |speed: f64| {
        let mut context = elastic(SolverSettings { iterations: 0, ..settings(0.1) });
        context.gravity = DVec3::new(0.0, 0.0, -10.0);
        let mut state = state(&context, &block([3; 3], 0.1, 0.0, 1), 0.1);
        for p in 0..state.particle_count() {
            state.velocity[p] = DVec3::new(-speed * state.position[p].x, 0.0, 0.0);
        }
        simulation(context, state)
    };
    let control = Control::default();
    // det A = 1 - 0.01 * 92 < 0.1; in halves 1 - 0.46.
    let mut run = closing(92.0);
    let report = run.advance_substeps(1, &control).unwrap();
    assert_eq!((report.substeps, report.counters.substeps_halved, report.lasting_halvings), (2, 1, 1));
    assert!(run.solver().state().velocity.iter().all(|v| (v.z + 0.1).abs() < 1e-14), "gravity acts once");
    let mut run = closing(300.0);
    match run.advance(&control) {
        Err(SimulationError::Failed(failure)) => {
            // Without iterations nothing changes the initial motion of the particles.
            assert_eq!((failure.frame, failure.substep, failure.point.stage), (4, 0, "predict_velocity"));
            assert_eq!(failure.particle, Some(0));
            let evidence = failure.evidence.unwrap();
            assert_eq!((evidence.bad, evidence.dt), (27, 5e-3));
            assert_eq!(evidence.in_frame.substeps_halved, 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_that_are_not_finite_end_the_run_with_the_particle() {
    let context = elastic(settings(0.1));
    let mut state = state(&context, &[DVec3::ZERO, DVec3::splat(3.0), DVec3::splat(6.0)], 0.1);
    state.velocity[1].y = f64::NAN;
    let mut run = simulation(context, state);
    match run.advance(&Control::default()) {
        Err(SimulationError::Failed(failure)) => {
            assert_eq!((failure.particle, failure.point.stage), (Some(1), "start"));
            assert_eq!(failure.evidence.unwrap().origin.quantity, "velocity");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_cancelled_run_stops() {
    let context = elastic(settings(0.1));
    let start = state(&context, &[DVec3::ZERO], 0.1);
    let mut run = simulation(context, start);
    assert!(matches!(
        run.advance(&Control::new(Arc::new(AtomicBool::new(true)))),
        Err(SimulationError::Interrupted)
    ));
}

#[test]
fn an_elastic_bar_rings_without_gaining_energy() {
    let context = elastic(SolverSettings { iterations: 20, ..settings(0.1) });
    let mut state = state(&context, &block([8, 3, 3], 0.1, 0.1, 1), 0.1);
    for p in 0..state.particle_count() {
        state.velocity[p] = DVec3::X * (state.position[p].x - 0.35);
    }
    let mut simulation = simulation(context, state);
    let control = Control::default();
    let mut last = f64::INFINITY;
    for _ in 0..5 {
        let energies = simulation.advance(&control).unwrap().energies;
        let total = energies.kinetic + energies.elastic;
        assert!(total < 1.001 * last, "{total} after {last}");
        assert!(energies.elastic > 0.0);
        last = total;
    }
}
