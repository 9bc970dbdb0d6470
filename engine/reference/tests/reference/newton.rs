//! Newton with conjugate gradients.

use glam::{DMat3, DQuat, DVec3};
use tuff_problem::{Control, FrameReport, faces};
use tuff_run::ReferenceSimulation;
use tuff_scene::{
    Collider, Friction, Motion, Pin, PositionCorrection, Scheme, Selection, Shape, SolverSettings, Time,
};

use super::experiments::{beam, beam_settings};
use super::laws::{DruckerPrager, Hencky, Limp, moduli};
use super::setup::{Noise, block, context, elastic, momentum, particle, settings, state, stirred};
use tuff_reference::ReferenceSolver;
use tuff_reference::context::Step;
use tuff_reference::newton::tangent::{linearize, product};
use tuff_reference::newton::{Outcome, solve_newton};
use tuff_reference::stages::residual::{force_norm, force_scale, internal_forces};
use tuff_reference::state::{NO_PIN, Particle, State};
use tuff_reference::substep::{prepare, substep};

fn newton(settings: SolverSettings, passes: u32, tolerance: f64) -> SolverSettings {
    SolverSettings { scheme: Scheme::NewtonCg, iterations: passes, residual_tolerance: tolerance, ..settings }
}

/// A cantilever, at spacings of 1/40 and 1/80 of its length, a step of 5 ms, E = 1 MPa.
#[test]
fn a_hundred_passes_balance_the_forces_of_a_beam() {
    for (n, least) in [(4, 1e-3), (8, 1e-2)] {
        let (context, mut state) = beam(n, 1e6, newton(beam_settings(n, 1), 100, 1e-5));
        let step = Step { time: 0.0, dt: 5e-3 };
        prepare(&context, step, &mut state);
        let scale = force_scale(&context, step, &state);
        let Outcome { passes, left, .. } = solve_newton(&context, step, &mut state, scale);
        let residual = force_norm(&context, step, &state) / scale;
        println!("n = {n}: {residual:.2e} in {passes} passes");
        assert!(passes <= 100 && residual < least, "n = {n}: {residual} in {passes} passes");
        assert!((left - residual).abs() < 1e-9, "{left} is not what is left");
    }
}

/// Passes of each of the first 20 substeps of a cantilever, where `forget` changes the state before each.
fn passes_of_a_beam(forget: impl Fn(&mut State)) -> (Vec<u32>, State) {
    let (context, mut state) = beam(4, 1e6, newton(beam_settings(4, 1), 200, 1e-2));
    let dt = 5e-3;
    let passes = (0..20).map(|index| {
        forget(&mut state);
        substep(&context, Step { time: f64::from(index) * dt, dt }, &mut state, false).unwrap().iterations
    });
    (passes.collect(), state)
}

#[test]
fn forces_of_the_last_substep_are_half_of_the_work() {
    let (guessed, _) = passes_of_a_beam(|_| ());
    let (cold, _) = passes_of_a_beam(|state| state.internal_acceleration.fill(DVec3::ZERO));
    let sum = |passes: &[u32]| passes[1..].iter().sum::<u32>();
    println!("{guessed:?}, without a guess {cold:?}");
    assert_eq!(guessed[0], cold[0]);
    assert!(2 * sum(&guessed) < sum(&cold), "{guessed:?} passes, {cold:?} without a guess");
}

/// A guess that is worse than none, and farther from balance than the predicted velocities, costs a pass and changes nothing else.
#[test]
fn a_bad_guess_is_not_taken() {
    let wild = |state: &mut State| {
        for (p, a) in state.internal_acceleration.iter_mut().enumerate() {
            *a = 1e4 * DVec3::new((7 * p % 5) as f64 - 2.0, (3 * p % 7) as f64 - 3.0, 1.0);
        }
    };
    let (bad, state) = passes_of_a_beam(wild);
    let (cold, expected) = passes_of_a_beam(|state| state.internal_acceleration.fill(DVec3::ZERO));
    assert_eq!(state.position, expected.position);
    assert!(std::iter::zip(&bad, &cold).all(|(bad, cold)| *bad == cold + 1), "{bad:?} and {cold:?} passes");
}

/// Runs the first substep of a cantilever with at most `passes` passes. Returns the run and its report.
fn first_substep_of_a_beam(dt: f64, passes: u32) -> (ReferenceSimulation, FrameReport) {
    let (context, state) = beam(4, 1e6, newton(beam_settings(4, 1), passes, 1e-2));
    let time =
        Time { frame_rate: 1.0 / dt, first_frame: 0, last_frame: 1, max_substep: dt, substep_bounds: None };
    let mut run = ReferenceSimulation::with(ReferenceSolver::with(context, state, vec![1000.0]), time, None);
    let report = run.advance_substeps(1, &Control::default()).unwrap();
    (run, report)
}

/// A step of 5 ms needs 48 passes to reach 0.01 of its imbalance and more than 26 to reach 0.03; halves need fewer.
#[test]
fn a_substep_far_from_balance_is_repeated_in_halves_until_they_are_eighths() {
    let halved = |passes| {
        let report = first_substep_of_a_beam(5e-3, passes).1;
        let counters = report.counters;
        println!("{passes}: {} parts, {:?}, {counters:?}", report.substeps, report.residual);
        (report.substeps, counters.substeps_halved, counters.newton_unbalanced)
    };
    assert_eq!(halved(150), (1, 0, 0));
    assert_eq!(halved(35), (1, 0, 1));
    assert_eq!(halved(26), (2, 1, 2));
    assert_eq!(halved(16), (4, 3, 2));
    assert_eq!(halved(2), (8, 7, 8));
}

#[test]
fn halves_go_on_from_each_other() {
    let (whole, report) = first_substep_of_a_beam(5e-3, 26);
    let (context, mut state) = beam(4, 1e6, newton(beam_settings(4, 1), 26, 1e-2));
    assert_eq!(report.substeps, 2);
    for time in [0.0, 2.5e-3] {
        substep(&context, Step { time, dt: 2.5e-3 }, &mut state, false).unwrap();
    }
    assert_eq!(whole.solver().state().position, state.position);
    assert_eq!(whole.solver().state().internal_acceleration, state.internal_acceleration);
}

/// The solve ends at a balance of forces and conserves momentum on the way.
#[test]
fn a_stirred_block_comes_to_balance_and_keeps_its_momentum() {
    let context = elastic(newton(settings(0.1), 400, 1e-8));
    let step = Step { time: 0.0, dt: 1e-3 };
    let mut state = stirred(&context, step, 7);
    let (before, scale) = (momentum(&state), force_scale(&context, step, &state));
    let Outcome { passes, .. } = solve_newton(&context, step, &mut state, scale);
    let residual = force_norm(&context, step, &state) / scale;
    assert!(passes < 30, "{passes} passes");
    assert!(residual < 1e-8, "{residual} in {passes} passes");
    let change = (momentum(&state) - before).length();
    assert!(change < 1e-7 * scale, "momentum changed by {change}");
}

/// A collapsing column in which sound crosses 3.4 spacings in a substep: nothing gets faster than matter falling from its top,
/// and relaxation balances every substep where Newton steps alone take 67 passes.
#[test]
fn no_grain_is_thrown_out_of_sand_that_relaxes_in_a_few_passes() {
    let (spacing, layers, dt) = (0.005, 12, 1e-3);
    let cone = {
        let sine = 35_f64.to_radians().sin();
        (2.0_f64 / 3.0).sqrt() * 2.0 * sine / (3.0 - sine)
    };
    let settings = SolverSettings {
        position_correction: PositionCorrection::Distance { gap: 0.25 },
        ..newton(settings(spacing), 200, 1e-2)
    };
    let mut context = context(DruckerPrager, [moduli(3.5e5, 0.3), vec![cone, 0.0]].concat(), settings);
    context.gravity = DVec3::new(0.0, -9.81, 0.0);
    context.faces = faces(&[Collider {
        name: "floor".to_owned(),
        shape: Shape::plane(DVec3::ZERO, DVec3::Y),
        inside: false,
        sheet: false,
        thickness: 0.0,
        adhesion: 0.0,
        friction: Friction::Coulomb(0.5),
        motion: Motion::IDENTITY,
    }]);
    let points = block([6, layers, 6], spacing, 0.0, 1);
    let lowest = points.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let points: Vec<DVec3> = points.iter().map(|x| *x + (0.5 * spacing - lowest) * DVec3::Y).collect();
    let mut state = state(&context, &points, spacing);
    let (mut fastest, mut passes, mut above) = (0.0_f64, 0, 0);
    for index in 0..200 {
        let progress =
            substep(&context, Step { time: f64::from(index) * dt, dt }, &mut state, false).unwrap();
        passes += progress.iterations;
        assert!(progress.residual.force <= 3e-2, "substep {index} ends at {}", progress.residual.force);
        above += u32::from(progress.residual.force > 1e-2);
        fastest = state.velocity.iter().map(|v| v.length()).fold(fastest, f64::max);
    }
    println!("fastest {fastest} m/s, {passes} passes, {:?}", state.counters);
    assert!(passes < 200 * 24, "{passes} passes");
    // Where a step finds a kink of the law and no way down, the solve ends.
    assert!(above <= 2, "{above} substeps end above their tolerance");
    let falls = (2.0 * 9.81 * layers as f64 * spacing).sqrt();
    assert!(fastest < falls, "{fastest} m/s, {falls} m/s from the top");
}

/// The linearization of elastic matter near rest is its derivative; elsewhere secants replace it.
#[test]
fn the_product_is_the_derivative_of_the_forces() {
    let context = elastic(newton(settings(0.1), 1, 0.0));
    let step = Step { time: 0.0, dt: 1e-3 };
    let mut state = stirred(&context, step, 3);
    state.strain.fill(DMat3::ZERO);
    state.memory.fill(DVec3::ZERO);
    state.velocity.fill(DVec3::ZERO);
    state.predicted_velocity.fill(DVec3::ZERO);
    let mut noise = Noise::new(5);
    let direction: Vec<DVec3> = (0..state.particle_count()).map(|_| noise.vector()).collect();
    let expected = product(&context, step, &state, &linearize(&context, step, &state, None).1, &direction);
    let small = 1e-4;
    state.velocity = direction.iter().map(|d| small * *d).collect();
    let forces = internal_forces(&context, step, &state);
    let size = expected.iter().map(|e| e.length()).fold(0.0, f64::max);
    for (force, expected) in std::iter::zip(forces, expected) {
        assert!((force / small - expected).length() < 1e-5 * size, "{} and {expected}", force / small);
    }
}

/// A cube on an incline, too slow to see its waves: Coulomb's law decides if and how it slides.
#[test]
fn a_cube_slides_and_sticks_as_coulomb_says() {
    let (angle, spacing, dt) = (0.4_f64, 0.1, 2e-3);
    for friction in [0.3, 0.6] {
        let mut context = context(Hencky, moduli(1e7, 0.3), newton(settings(spacing), 200, 1e-5));
        context.gravity = DVec3::new(0.0, -9.81, 0.0);
        let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
        let downhill = DVec3::new(-angle.cos(), -angle.sin(), 0.0);
        context.faces = faces(&[Collider {
            name: "incline".to_owned(),
            shape: Shape::plane(DVec3::ZERO, normal),
            inside: false,
            sheet: false,
            thickness: 0.0,
            adhesion: 0.0,
            friction: Friction::Coulomb(friction),
            motion: Motion::IDENTITY,
        }]);
        let turn = DQuat::from_rotation_z(angle);
        let points: Vec<DVec3> =
            block([4; 3], spacing, 0.0, 1).iter().map(|x| turn * *x + 0.05 * normal).collect();
        let mut state = state(&context, &points, spacing);
        for index in 0..100 {
            substep(&context, Step { time: f64::from(index) * dt, dt }, &mut state, false).unwrap();
        }
        let mean = state.velocity.iter().sum::<DVec3>() / 64.0;
        let speed = 100.0 * dt * 9.81 * (angle.sin() - friction * angle.cos()).max(0.0);
        println!("friction {friction}: {mean}, {speed}, {:?}", state.counters);
        assert!(
            (mean.dot(downhill) - speed).abs() < 0.02 * 9.81 * 100.0 * dt * angle.sin(),
            "{mean}, not {speed}"
        );
    }
}

/// Returns the part of the forces on the particles [N s], and of the product with a change of the velocities, due to too-close pairs.
fn near_forces(state: &State, step: Step, direction: &[DVec3]) -> [Vec<DVec3>; 2] {
    let of = |position_correction| {
        let context = elastic(SolverSettings { position_correction, ..newton(settings(0.1), 1, 0.0) });
        let (_, tangents) = linearize(&context, step, state, None);
        [internal_forces(&context, step, state), product(&context, step, state, &tangents, direction)]
    };
    let [with, without] = [of(PositionCorrection::Distance { gap: 0.1 }), of(PositionCorrection::None)];
    std::array::from_fn(|i| std::iter::zip(&with[i], &without[i]).map(|(a, b)| *a - *b).collect())
}

/// Two particles at 0.7 r, below the least distance of 0.9 r, approach by 0.04 r, and the spring acts on this part. Once they
/// separate, the spring is gone.
#[test]
fn a_pair_that_comes_too_near_is_a_spring_of_the_matter() {
    let step = Step { time: 0.0, dt: 1e-3 };
    let settings = SolverSettings {
        position_correction: PositionCorrection::Distance { gap: 0.1 },
        ..newton(settings(0.1), 1, 0.0)
    };
    let context = elastic(settings);
    let mut state = state(&context, &[DVec3::ZERO, DVec3::new(0.07, 0.0, 0.0)], 0.1);
    prepare(&context, step, &mut state);
    let moduli = context.materials[0].moduli(&state.material_state[0]);
    let stiffness = 0.3 * 0.1 * (moduli.bulk + 4.0 / 3.0 * moduli.shear);
    let none = [DVec3::ZERO; 2];
    for (approach, lacking) in [(4.0, 0.004), (0.0, 0.0), (-4.0, 0.0)] {
        state.velocity = vec![DVec3::X * 0.5 * approach, DVec3::X * -0.5 * approach];
        let [force, _] = near_forces(&state, step, &none);
        let expected = step.dt * stiffness * lacking * DVec3::X;
        assert!((force[0] - expected).length() < 1e-12 * stiffness, "{} and {expected}", force[0]);
        assert_eq!(force[0], -force[1]);
    }
}

/// A particle rests on a pinned one that is too near, and the spring between them gives way to its weight. The guess that a solve leaves
/// is in balance whatever the next step, from steps in which mass resists (`k dt^2 / m = 0.06`) to those in which the spring does (16).
#[test]
fn a_particle_on_a_spring_rests_at_any_step() {
    let (r, dt) = (0.1, 5e-3);
    let settings = SolverSettings {
        position_correction: PositionCorrection::Distance { gap: 0.25 },
        ..newton(settings(r), 200, 1e-6)
    };
    let mut context = context(Limp, moduli(1e6, 0.3), settings);
    context.gravity = DVec3::new(0.0, -9.81, 0.0);
    let selection = Selection::Region(Shape::cuboid(DVec3::splat(-0.05), DVec3::splat(0.05)));
    context.pins.push(Pin { body: 0, selection, motion: Motion::IDENTITY });
    let mut state: State = State::default();
    for (height, pin) in [(0.0, 0), (0.07, NO_PIN)] {
        state.push(&context, Particle { pin, ..particle(height * DVec3::Y, r) });
    }
    let start = state.clone();
    let step = Step { time: 0.0, dt };
    substep(&context, step, &mut state, false).unwrap();
    let spring = state.near_springs[1] * dt * dt;
    assert!((0.5..2.0).contains(&spring), "{spring}");
    let kept = (state.internal_acceleration, state.near_springs);
    for factor in [0.25, 0.5, 1.0, 2.0, 4.0] {
        let mut state = start.clone();
        (state.internal_acceleration, state.near_springs) = kept.clone();
        let step = Step { time: 0.0, dt: factor * dt };
        let progress = substep(&context, step, &mut state, false).unwrap();
        let off = state.guess_imbalance[1] / (state.mass[1] * 9.81 * step.dt);
        println!("{factor} dt: {off:.5} of the weight, {} passes", progress.iterations);
        assert!(off < 0.05, "{off} of the weight at {factor} times the step");
    }
}

/// Checks the product in a stirred block with many such pairs.
#[test]
fn the_product_has_the_derivative_of_pairs_that_are_too_near() {
    let step = Step { time: 0.0, dt: 1e-3 };
    let settings = SolverSettings {
        position_correction: PositionCorrection::Distance { gap: 0.1 },
        ..newton(settings(0.1), 1, 0.0)
    };
    let mut state = stirred(&elastic(settings), step, 3);
    let mut noise = Noise::new(5);
    let direction: Vec<DVec3> = (0..state.particle_count()).map(|_| noise.vector()).collect();
    let start = state.velocity.clone();
    let small = 1e-6;
    let mut at = |factor: f64| {
        state.velocity = std::iter::zip(&start, &direction).map(|(v, d)| *v + factor * *d).collect();
        near_forces(&state, step, &direction)
    };
    let ([more, _], [less, _], [_, product]) = (at(small), at(-small), at(0.0));
    let size = product.iter().map(|p| p.length()).fold(0.0, f64::max);
    assert!(size > 0.0, "no pair is too near");
    for (p, expected) in product.iter().enumerate() {
        let found = (more[p] - less[p]) / (2.0 * small);
        // The product neglects the rotation of pairs.
        assert!((found - *expected).length() < 0.1 * size, "{found} and {expected}");
    }
}
