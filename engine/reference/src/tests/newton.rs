//! Newton with conjugate gradients.

use tuff_scene::{Scheme, SolverSettings};

use super::experiments::{beam, beam_settings, extent, sand_column, tip_drop};
use super::setup::settings;
use crate::context::{Context, Step};
use crate::state::State;
use crate::substep::substep;

fn newton(settings: SolverSettings, passes: u32, tolerance: f64) -> SolverSettings {
    SolverSettings { scheme: Scheme::NewtonCg, iterations: passes, residual_tolerance: tolerance, ..settings }
}

/// Runs, and returns the passes taken per substep and the largest and the mean residual.
fn run(context: &Context, state: &mut State, dt: f64, substeps: u32, mut look: impl FnMut(Step, &State)) -> (f64, f64, f64) {
    let (mut passes, mut worst, mut sum) = (0, 0.0_f64, 0.0);
    for index in 0..substeps {
        let step = Step { time: f64::from(index) * dt, dt };
        if index % 50 == 0 {
            state.grid = None;
        }
        let progress = substep(context, step, state, true).unwrap();
        passes += progress.iterations;
        worst = worst.max(progress.residual.force);
        sum += progress.residual.force;
        look(step, state);
    }
    (f64::from(passes) / f64::from(substeps), worst, sum / f64::from(substeps))
}

#[test]
#[ignore = "minutes"]
fn first_substep_of_a_beam() {
    for n in [4, 8] {
        for passes in [20, 50, 100, 200, 400] {
            let (context, mut state) = beam(n, 1e6, newton(beam_settings(n, 1), passes, 1e-7));
            let taken = run(&context, &mut state, 5e-3, 1, |_, _| {});
            println!("n = {n}, {passes} passes: {taken:?}");
        }
    }
}

#[test]
#[ignore = "minutes"]
fn swing_of_a_beam() {
    for n in [4, 8] {
        let (context, mut state) = beam(n, 1e6, newton(beam_settings(n, 1), 150, 1e-2));
        let mut best = (0.0, 0.0);
        let work = run(&context, &mut state, 5e-3, 80, |step, state| {
            let drop = tip_drop(state);
            if drop > best.0 {
                best = (drop, step.end());
            }
        });
        println!("n = {n}: swing {best:?}, passes a substep, worst and mean residual: {work:?}, {:?}", state.counters);
    }
}

#[test]
#[ignore = "minutes"]
fn sand() {
    for passes in [20, 50] {
        let (context, mut state) = sand_column(newton(settings(0.01), passes, 1e-2));
        let work = run(&context, &mut state, 1e-3, 500, |step, state| {
            if (step.end() / 0.1).fract() < 0.005 {
                println!("  {:.3} s: {:?}", step.end(), extent(state));
            }
        });
        println!("{passes}: {:?} {work:?}, {:?}", extent(&state), state.counters);
    }
}
