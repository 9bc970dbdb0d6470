//! Particles that carry no stress lie where friction holds them, and nowhere else.

use glam::DVec3;
use tuff_scene::{Collider, Friction, Motion, Pin, PositionCorrection, Selection, Shape};

use super::laws::{Limp, moduli};
use super::setup::{context, settings, state};
use tuff_reference::context::{Context, Step};
use tuff_reference::stages::loose::is_held;
use tuff_reference::state::{NO_PIN, State};
use tuff_reference::substep::{prepare, substep};

const DT: f64 = 1e-3;
const GRAVITY: f64 = 9.81;
const SPACING: f64 = 0.1;

fn limp() -> Context {
    let mut settings = settings(SPACING);
    settings.position_correction = PositionCorrection::Distance { gap: 0.0 };
    let mut context = context(Limp, moduli(1e5, 0.3), settings);
    context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    context
}

/// A plane through the origin, tilted by `angle` about z, and the unit vector that points down it.
fn tilt(context: &mut Context, angle: f64, friction: f64) -> (DVec3, DVec3) {
    let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
    context.faces = tuff_problem::faces(&[Collider {
        name: "incline".to_owned(),
        shape: Shape::plane(DVec3::ZERO, normal),
        inside: false,
        sheet: false,
        thickness: 0.0,
        adhesion: 0.0,
        friction: Friction::Coulomb(friction),
        motion: Motion::IDENTITY,
    }]);
    (normal, DVec3::new(-angle.cos(), -angle.sin(), 0.0))
}

fn grains(context: &Context, positions: &[DVec3]) -> State {
    let mut state = state(context, positions, SPACING);
    state.volume_ratio.fill(1.1);
    state
}

fn run(context: &Context, state: &mut State, substeps: u32) {
    for index in 0..substeps {
        substep(context, Step { time: f64::from(index) * DT, dt: DT }, state, false).unwrap();
    }
}

/// Three pinned particles and one that lies between them.
fn nest(context: &mut Context) -> State {
    context.pins = vec![Pin {
        body: 0,
        selection: Selection::Region(Shape::sphere(DVec3::ZERO, SPACING)),
        motion: Motion::IDENTITY,
    }];
    let third = |turn: f64| DVec3::new(turn.to_radians().cos(), 0.0, turn.to_radians().sin());
    let mut positions: Vec<_> =
        [0.0, 120.0, 240.0].iter().map(|turn| SPACING / 3_f64.sqrt() * third(*turn)).collect();
    positions.push(DVec3::Y * SPACING * (2.0 / 3.0_f64).sqrt());
    let mut state = grains(context, &positions);
    state.inverse_mass[..3].fill(0.0);
    state.pin[..3].fill(0);
    state
}

#[test]
fn a_layer_slides_down_what_is_too_smooth_to_hold_it() {
    let (angle, friction) = (0.3_f64, 0.1);
    let mut context = limp();
    let (normal, downhill) = tilt(&mut context, angle, friction);
    let along = |i: i32| downhill * (SPACING * f64::from(i));
    let across = |i: i32| DVec3::Z * (SPACING * f64::from(i));
    let places: Vec<_> = (0..16).map(|i| along(i % 4) + across(i / 4) + 0.5 * SPACING * normal).collect();
    let mut state = grains(&context, &places);
    run(&context, &mut state, 100);
    let speed = 100.0 * DT * GRAVITY * (angle.sin() - friction * angle.cos());
    for velocity in &state.velocity {
        assert!(
            (*velocity - speed * downhill).length() < 1e-6 * speed,
            "{velocity}, not {}",
            speed * downhill
        );
    }
    assert_eq!(state.counters.loose_held, 0);
}

#[test]
fn a_layer_lies_still_where_the_slope_holds_it() {
    let mut context = limp();
    let (normal, downhill) = tilt(&mut context, 0.3, 0.5);
    let places: Vec<_> = (0..4).map(|i| SPACING * f64::from(i) * downhill + 0.5 * SPACING * normal).collect();
    let mut state = grains(&context, &places);
    run(&context, &mut state, 50);
    for x in &state.position {
        assert!(places.iter().any(|place| (*x - *place).length() < 1e-12), "{x} has moved");
    }
}

#[test]
fn what_lies_on_others_comes_to_rest() {
    let mut context = limp();
    let mut state = nest(&mut context);
    let before = state.position[3];
    run(&context, &mut state, 20);
    let free = state.pin.iter().position(|pin| *pin == NO_PIN).unwrap();
    assert_eq!(state.velocity[free], DVec3::ZERO);
    assert!(state.counters.loose_held > 10, "{:?}", state.counters);
    let moved = (state.position[free] - before).length();
    assert!(moved < 0.01 * SPACING, "{moved}");
}

#[test]
fn a_loose_cloud_falls_freely() {
    let context = limp();
    let places: Vec<_> = (0..8)
        .map(|i| SPACING * DVec3::new(f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4)))
        .collect();
    let mut state = grains(&context, &places);
    run(&context, &mut state, 10);
    for velocity in &state.velocity {
        assert!((velocity.y + 10.0 * DT * GRAVITY).abs() < 1e-9, "{velocity}");
    }
}

#[test]
fn what_is_not_a_number_is_not_put_to_rest() {
    let mut context = limp();
    let step = Step { time: 0.0, dt: DT };
    let mut state = nest(&mut context);
    prepare(&context, step, &mut state);
    let free = state.pin.iter().position(|pin| *pin == NO_PIN).unwrap();
    let mut velocity = vec![DVec3::ZERO; state.particle_count()];
    assert!(is_held(&context, step, &state, &velocity, free));
    velocity[free].x = f64::NAN;
    assert!(!is_held(&context, step, &state, &velocity, free));
}
