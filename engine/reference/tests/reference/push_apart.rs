//! Position correction by distance over all pairs at once.

use glam::DVec3;
use tuff_problem::{CORRECTION_ROUNDS, OVERLAP_REDUCTION};
use tuff_scene::{PositionCorrection, SolverSettings};

use super::setup::{Noise, block, elastic, momentum, settings, state};
use tuff_reference::context::{Context, Step};
use tuff_reference::stages::overlap::displacements;
use tuff_reference::stages::push_apart::{Rounds, push_apart};
use tuff_reference::state::State;
use tuff_reference::substep::prepare;

const STEP: Step = Step { time: 0.0, dt: 1e-3 };
const R: f64 = 0.1;

/// Particles of unequal masses before the first iteration, which come to these positions from three times as far from the origin.
fn crowd(positions: &[DVec3], seed: u64) -> (Context, State) {
    let position_correction = PositionCorrection::Distance { gap: 0.25 };
    let context = elastic(SolverSettings { position_correction, ..settings(R) });
    let mut state = state(&context, positions, R);
    let mut noise = Noise::new(seed);
    for p in 0..positions.len() {
        state.mass[p] *= 1.0 + 0.5 * noise.number();
        state.inverse_mass[p] = 1.0 / state.mass[p];
    }
    prepare(&context, STEP, &mut state);
    for p in 0..positions.len() {
        state.velocity[p] = -2.0 / STEP.dt * state.position[p];
        state.position[p] *= 3.0;
    }
    (context, state)
}

/// Returns the distance that each pair lacks at `x + dt v` [m].
fn lacking(context: &Context, state: &State) -> Vec<f64> {
    let end = |p: usize| state.position[p] + STEP.dt * state.velocity[p];
    let pairs = (0..state.particle_count()).flat_map(|p| (0..p).map(move |b| (p, b)));
    pairs.map(|(p, b)| context.min_distance() - end(p).distance(end(b))).filter(|&l| l > 0.0).collect()
}

#[test]
fn a_pair_parts_in_a_round_and_moves_by_its_inverse_masses() {
    let (context, mut state) = crowd(&[DVec3::ZERO, DVec3::new(0.06, 0.0, 0.0)], 5);
    let mut rounds = Rounds::new(&state);
    let before = state.velocity.clone();
    push_apart(&context, STEP, &mut state, &mut rounds);
    assert!(lacking(&context, &state).iter().all(|&l| l < 1e-15));
    let [a, b] = [0, 1].map(|p| state.mass[p] * (state.velocity[p] - before[p]).x);
    assert!((a + b).abs() < 1e-14 * a.abs() && a.abs() > 1e-3, "{a} and {b}");
    assert_eq!(state.counters.position_corrected, 1);
}

/// Pushes from one side add up: nothing undoes them.
#[test]
fn a_grain_on_three_pinned_ones_is_not_thrown_off() {
    for side in [0.6, 0.75, 1.0] {
        let corner = |k: f64| side * R / 3.0_f64.sqrt() * DVec3::new(k.cos(), k.sin(), 0.0);
        let base = [0.0, 1.0, 2.0].map(|k| corner(k * std::f64::consts::TAU / 3.0));
        let height = (0.7 * R).powi(2) - base[0].length_squared();
        let grain = DVec3::new(0.0, 0.0, height.sqrt());
        let (context, mut state) = crowd(&[base[0], base[1], base[2], grain], 1);
        let top = (0..4).find(|&p| state.position[p] == 3.0 * grain).unwrap();
        for p in (0..4).filter(|&p| p != top) {
            state.inverse_mass[p] = 0.0;
        }
        let mut rounds = Rounds::new(&state);
        for _ in 0..CORRECTION_ROUNDS {
            push_apart(&context, STEP, &mut state, &mut rounds);
        }
        let end = state.position[top] + STEP.dt * state.velocity[top];
        let beyond = end.distance(base[0]) / context.min_distance();
        assert!((0.99..1.05).contains(&beyond), "{side}: {beyond}");
    }
}

#[test]
fn a_chain_and_a_crowd_part_and_keep_their_momentum() {
    let chain: Vec<DVec3> = (0..6).map(|i| DVec3::new(0.065 * f64::from(i), 0.0, 0.0)).collect();
    // Five sweeps leave 0.32 and 0.18.
    for (positions, left) in [(chain, 0.28), (block([5; 3], 0.07, 0.15, 2), 0.31)] {
        let (context, mut state) = crowd(&positions, 3);
        let before = lacking(&context, &state);
        let start = momentum(&state);
        let mut rounds = Rounds::new(&state);
        let mut norm: f64 = before.iter().map(|l| l * l).sum();
        for _ in 0..CORRECTION_ROUNDS {
            push_apart(&context, STEP, &mut state, &mut rounds);
            let next = lacking(&context, &state).iter().map(|l| l * l).sum();
            assert!(next <= norm, "a round pushes too far: {next:e} after {norm:e}");
            norm = next;
        }
        let share = (norm / before.iter().map(|l| l * l).sum::<f64>()).sqrt();
        assert!(share < left, "{share}");
        let scale: f64 =
            (0..state.particle_count()).map(|p| state.mass[p] * state.velocity[p].length()).sum();
        assert!((momentum(&state) - start).length() < 1e-14 * scale);
    }
}

/// Pairs that are too close when a substep begins come no closer, and are not thrown apart.
#[test]
fn what_is_too_near_already_is_held_and_displaced() {
    let start = 0.06;
    let (context, mut state) = crowd(&[DVec3::ZERO, DVec3::new(start, 0.0, 0.0)], 5);
    for speed in [0.0, 3.0] {
        state.position = vec![DVec3::ZERO, DVec3::new(start, 0.0, 0.0)];
        state.velocity = vec![DVec3::new(speed, 0.0, 0.0), DVec3::ZERO];
        let mut rounds = Rounds::new(&state);
        push_apart(&context, STEP, &mut state, &mut rounds);
        let approach = state.velocity[0].x - state.velocity[1].x;
        assert!(approach.abs() < 1e-12, "{speed}: {approach}");
        let u = displacements(&context, STEP, &mut state, |_| DVec3::ZERO);
        let wanted = OVERLAP_REDUCTION * (context.min_distance() - start);
        assert!(((u[1] - u[0]).x - wanted).abs() < 1e-15 && u[0].x < 0.0, "{u:?}");
        assert!((state.mass[0] * u[0] + state.mass[1] * u[1]).length() < 1e-15 * state.mass[0]);
    }
    assert_eq!(state.counters.overlap_displaced, 4);
}

/// Particles that nothing moved since the last round are not looked at again; what moved between rounds is.
#[test]
fn a_particle_that_moves_between_rounds_is_seen() {
    let far = 0.8 * R;
    let (context, mut state) = crowd(&[DVec3::ZERO, DVec3::new(far, 0.0, 0.0)], 5);
    let mut rounds = Rounds::new(&state);
    push_apart(&context, STEP, &mut state, &mut rounds);
    assert_eq!(state.counters.position_corrected, 0);
    state.velocity[0].x += (far - 0.5 * context.min_distance()) / STEP.dt;
    push_apart(&context, STEP, &mut state, &mut rounds);
    assert_eq!(state.counters.position_corrected, 1);
    push_apart(&context, STEP, &mut state, &mut rounds);
    assert_eq!(state.counters.position_corrected, 1, "a pair that was pushed apart is pushed again");
}
