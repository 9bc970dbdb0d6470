//! Newton with conjugate gradients: experiments.

use tuff_scene::{Multiplier, SolverSettings};

use super::experiments::{beam, beam_settings, extent, sand_column, tip_drop};
use super::setup::settings;
use crate::context::Step;
use crate::newton::{Limits, solve};
use crate::stages::commit::commit;
use crate::stages::residual::{force_norm, force_scale};
use crate::substep::{iterate, prepare};

#[test]
#[ignore = "minutes"]
fn first_substep_of_a_beam() {
    for n in [4, 8] {
        let (context, mut state) = beam(n, 1e6, beam_settings(n, 1));
        let step = Step { time: 0.0, dt: 5e-3 };
        prepare(&context, step, &mut state);
        let scale = force_scale(&context, step, &state);
        println!("n = {n}: start {scale:.2e}");
        let outcome = solve(&context, step, &mut state, scale, Limits { tolerance: 1e-6, newton: 8, inner: 200 });
        println!("  {outcome:?}");
    }
}

#[test]
#[ignore = "minutes"]
fn swing_of_a_beam() {
    let dt = 5e-3;
    for (n, inner) in [(4, 40), (8, 90)] {
        let (context, mut state) = beam(n, 1e6, beam_settings(n, 1));
        let (mut best, mut passes) = ((0.0, 0.0), 0);
        for index in 0..80 {
            let step = Step { time: f64::from(index) * dt, dt };
            prepare(&context, step, &mut state);
            let scale = force_scale(&context, step, &state);
            let outcome = solve(&context, step, &mut state, scale, Limits { tolerance: 1e-2, newton: 8, inner });
            passes += outcome.passes;
            if index % 10 == 0 {
                println!("  {:.3} s: {} passes, {:?}", step.end(), outcome.passes, outcome.residual.iter().map(|r| (r / scale * 1e4).round() / 1e4).collect::<Vec<_>>());
            }
            commit(&context, step, &mut state).unwrap();
            let drop = tip_drop(&state);
            if drop > best.0 {
                best = (drop, step.end());
            }
        }
        println!("n = {n}: swing {best:?}, {:.0} passes a substep", f64::from(passes) / 80.0);
    }
}

#[test]
#[ignore = "minutes"]
fn sand() {
    for (dt, newton) in [(1e-3, true), (1e-3, false)] {
        let settings = SolverSettings { multiplier: Multiplier::Scalar, ..settings(0.01) };
        let (context, mut state) = sand_column(settings);
        let mut passes = 0;
        for index in 0..(0.5 / dt) as u32 {
            let step = Step { time: f64::from(index) * dt, dt };
            if index % 50 == 0 {
                state.grid = None;
            }
            prepare(&context, step, &mut state);
            let scale = force_scale(&context, step, &state);
            let mut text = String::new();
            if newton {
                let outcome = solve(&context, step, &mut state, scale, Limits { tolerance: 3e-2, newton: 6, inner: 15 });
                passes += outcome.passes;
                text = format!("{} passes {:?}", outcome.passes, outcome.residual.iter().map(|r| (r / scale * 1e3).round() / 1e3).collect::<Vec<_>>());
            } else {
                for _ in 0..10 {
                    iterate(&context, step, &mut state);
                }
                passes += 10;
            }
            if index % (0.025 / dt) as u32 == 0 {
                let now = force_norm(&context, step, &state) / scale;
                println!("  {:.3} s: {:?} residual {now:.1e} {text}", step.end(), extent(&state));
            }
            commit(&context, step, &mut state).unwrap();
        }
        println!("dt {dt} newton {newton}: {:?}, {:.1} passes a substep, {:?}", extent(&state), f64::from(passes) * dt / 0.5, state.counters);
    }
}
