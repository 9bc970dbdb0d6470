//! Rigid spheres with point friction.

use glam::{DQuat, DVec3};
use tuff_scene::{Collider, Friction, Matter, Motion, Pin, Selection, Shape, SolverSettings};

use super::laws::Limp;
use super::setup::{block, context, momentum, particle, settings, state};
use tuff_reference::context::{Context, Step};
use tuff_reference::stages::diagnose::energies;
use tuff_reference::state::State;
use tuff_reference::substep::{iterate, prepare, substep};

const DT: f64 = 1e-3;
const STEP: Step = Step { time: 0.0, dt: DT };

fn grains(friction: f64) -> Context {
    let matter = Matter::Grains { friction };
    context(Limp, vec![1.0, 1.0], SolverSettings { matter, ..settings(0.1) })
}

fn run(context: &Context, state: &mut State, count: u32) {
    for k in 0..count {
        substep(context, Step { time: f64::from(k) * DT, dt: DT }, state, false).unwrap();
    }
}

#[test]
fn colliding_grains_touch_and_keep_their_momentum() {
    for friction in [0.0, 0.7] {
        let context = grains(friction);
        let mut state = state(&context, &[DVec3::ZERO, DVec3::new(0.105, 0.03, 0.0)], 0.1);
        state.velocity = vec![DVec3::new(10.0, 2.0, 1.0), DVec3::new(-10.0, 0.0, 0.0)];
        state.mass[1] *= 3.0;
        state.inverse_mass[1] /= 3.0;
        let before = momentum(&state);
        run(&context, &mut state, 1);
        assert!((momentum(&state) - before).length() < 1e-14 * before.length());
        let distance = state.position[0].distance(state.position[1]);
        if friction == 0.0 {
            assert!((distance - 0.1).abs() < 1e-12, "{distance}");
        } else {
            assert!(distance >= 0.1 - 1e-12, "{distance}");
        }
        assert!(state.counters.position_corrected >= 1);
        assert_eq!(
            (state.counters.isolated, state.counters.rank_deficient),
            (0, 0),
            "no neighborhood is built"
        );
    }
}

/// Returns how far a grain slips in a substep on a pinned one, pressed into it by `overlap` and carried past it by `slip` [m].
fn slips(friction: f64, overlap: f64, slip: f64) -> f64 {
    let mut context = grains(friction);
    let region = Shape::cuboid(DVec3::splat(-1.0), DVec3::splat(1.0));
    context.pins.push(Pin { body: 0, selection: Selection::Region(region), motion: Motion::IDENTITY });
    let mut state = State::<f64>::default();
    state.push(&context, tuff_reference::state::Particle { pin: 0, ..particle(DVec3::ZERO, 0.1) });
    // The normal is the one at the end of the substep, when the grain should be right above the other.
    state.push(&context, particle(DVec3::new(-slip, 0.1, 0.0), 0.1));
    state.velocity[1] = DVec3::new(slip, -overlap, 0.0) / DT;
    prepare(&context, STEP, &mut state);
    iterate(&context, STEP, &mut state);
    let moved = DT * state.velocity[1];
    assert!(moved.y.abs() < 1e-15, "pushed out");
    moved.x
}

#[test]
fn friction_is_bounded_by_the_push() {
    assert!((slips(0.5, 2e-3, 5e-3) - 4e-3).abs() < 1e-15, "kinetic: shortened by mu times the overlap");
    assert!((slips(0.0, 2e-3, 5e-3) - 5e-3).abs() < 1e-15);
    assert!(slips(0.5, 2e-3, 0.9e-3).abs() < 1e-15, "static");
}

/// Returns how far a grain slides down a row of pinned grains, so dense that they are nearly flat, in 0.2 s [m].
fn slide(friction: f64, angle: f64) -> f64 {
    let mut context = grains(friction);
    context.gravity = DQuat::from_rotation_z(-angle.to_radians()) * DVec3::new(0.0, -9.81, 0.0);
    let region = Shape::cuboid(DVec3::splat(-9.0), DVec3::splat(9.0));
    context.pins.push(Pin { body: 0, selection: Selection::Region(region), motion: Motion::IDENTITY });
    let mut state = State::<f64>::default();
    for k in -60..100 {
        let at = DVec3::new(-0.005 * f64::from(k), 0.0, 0.0);
        state.push(&context, tuff_reference::state::Particle { pin: 0, ..particle(at, 0.1) });
    }
    let id = state.particle_count();
    state.push(&context, particle(DVec3::new(0.0, 0.1, 0.0), 0.1));
    run(&context, &mut state, 200);
    let p = state.index_of_id()[id];
    assert!((state.position[p].y - 0.1).abs() < 1e-3, "it lies on the row: {}", state.position[p]);
    state.position[p].x.abs()
}

#[test]
fn a_grain_on_an_incline_sticks_below_its_friction_angle_and_slides_above() {
    // tan 26.57 degrees = 0.5
    let (held, freed) = (slide(0.5, 24.0), slide(0.5, 32.0));
    assert!(held < 1e-3, "{held}");
    let expected = 0.5 * 9.81 * (32.0_f64.to_radians().sin() - 0.5 * 32.0_f64.to_radians().cos()) * 0.04;
    assert!((freed / expected - 1.0).abs() < 0.1, "{freed} {expected}");
}

#[test]
fn a_pile_comes_to_rest() {
    let mut context = grains(0.5);
    context.gravity = DVec3::new(0.0, -9.81, 0.0);
    let floor = Collider {
        name: "floor".to_owned(),
        shape: Shape::plane(DVec3::ZERO, DVec3::Y),
        inside: false,
        sheet: false,
        thickness: 0.0,
        adhesion: 0.0,
        friction: Friction::Coulomb(0.5),
        motion: Motion::IDENTITY,
    };
    context.faces = tuff_problem::faces(&[floor]);
    let lifted: Vec<_> = block([4, 8, 4], 0.125, 0.09, 5).into_iter().map(|x| x + 0.07 * DVec3::Y).collect();
    let mut state = state(&context, &lifted, 0.1);
    run(&context, &mut state, 1500);
    let mass: f64 = state.mass.iter().sum();
    let kinetic = energies(&context, &state).kinetic / (mass * 9.81 * 0.1);
    let height = state.position.iter().map(|x| x.y).fold(f64::MIN, f64::max);
    let lowest = state.position.iter().map(|x| x.y).fold(f64::MAX, f64::min);
    assert!(kinetic < 1e-3, "{kinetic:e} of m g r");
    assert!(lowest > 0.049, "{lowest}");
    assert!((0.2..0.9).contains(&height), "a heap: {height} m");
}
