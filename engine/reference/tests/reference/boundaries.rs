//! Colliders, pins, position correction and smoothing.

use glam::{DQuat, DVec2, DVec3};
use tuff_problem::faces;
use tuff_scene::{
    Collider, Friction, Geometry, Keyframe, Motion, Pin, PositionCorrection, Scheme, Selection, Shape,
    Smoothing, SolverSettings,
};

use super::setup::{Noise, block, elastic, momentum, particle, settings, state, stirred};
use tuff_reference::context::{Context, Step};
use tuff_reference::newton::contact::react;
use tuff_reference::stages::residual::force_norm;
use tuff_reference::stages::smooth_velocity::smooth_velocity;
use tuff_reference::state::State;
use tuff_reference::substep::{iterate, prepare, substep};

const DT: f64 = 1e-3;
const GRAVITY: f64 = 9.81;

fn sliding_motion(velocity: DVec3) -> Motion {
    let key = |time: f64| Keyframe { time, translate: time * velocity, rotation: DQuat::IDENTITY };
    Motion { pivot: DVec3::ZERO, keyframes: vec![key(0.0), key(100.0)] }
}

/// A plane through the origin, tilted by `angle` about z, with one particle touching it.
fn incline(angle: f64, friction: Friction, motion: Motion) -> (Context, State, DVec3) {
    let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
    let mut context = elastic(settings(0.1));
    context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let collider = Collider {
        name: "incline".to_owned(),
        shape: Shape::plane(DVec3::ZERO, normal),
        inside: false,
        sheet: false,
        thickness: 0.0,
        adhesion: 0.0,
        friction,
        motion,
    };
    context.faces = faces(&[collider]);
    let state = state(&context, &[0.05 * normal], 0.1);
    (context, state, DVec3::new(-angle.cos(), -angle.sin(), 0.0))
}

fn run(context: &Context, state: &mut State, substeps: u32) {
    for index in 0..substeps {
        substep(context, Step { time: f64::from(index) * DT, dt: DT }, state, false).unwrap();
    }
}

#[test]
fn a_grain_slides_down_an_incline_as_coulomb_says() {
    // Particles that are hardly loaded slip on a sticky plane, too.
    for (angle, friction, coefficient) in
        [(0.4_f64, Friction::Coulomb(0.3), 0.3), (1.52, Friction::Sticky, 10.0)]
    {
        let (context, mut state, downhill) = incline(angle, friction, Motion::IDENTITY);
        run(&context, &mut state, 100);
        let speed = 0.1 * GRAVITY * (angle.sin() - coefficient * angle.cos());
        assert!((state.velocity[0] - speed * downhill).length() < 1e-9, "{} {speed}", state.velocity[0]);
        let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
        assert!((state.position[0].dot(normal) - 0.05).abs() < 1e-9);
        let weight = state.mass[0] * GRAVITY * 0.1;
        let expected = -weight * angle.cos() * (normal - coefficient * downhill);
        assert!((state.face_impulse[0] - expected).length() < 1e-9 * weight);
    }
}

/// In the corner between the bottom and the sloping wall of a bowl, each carries its share.
#[test]
fn a_grain_in_a_corner_presses_on_both_walls() {
    // Contacts take turns: each sweep leaves a fifth of the error between the walls; a Newton substep has four.
    for (scheme, left) in [(Scheme::GaussSeidel, 1e-9), (Scheme::NewtonCg, 0.2_f64.powi(4))] {
        let mut context =
            elastic(SolverSettings { scheme, iterations: 60, residual_tolerance: 0.0, ..settings(0.1) });
        context.gravity = DVec3::new(5.0, -5.0, 0.0);
        let profile = [[0.0, 0.0], [1.0, 0.0], [1.5, 1.0], [0.0, 1.0]].map(DVec2::from).to_vec();
        context.faces = faces(&[Collider {
            name: "bowl".to_owned(),
            shape: Shape {
                geometry: Geometry::revolve(profile),
                center: DVec3::ZERO,
                rotation: DQuat::IDENTITY,
                union: Vec::new(),
                subtract: Vec::new(),
            },
            inside: true,
            sheet: false,
            thickness: 0.0,
            adhesion: 0.0,
            friction: Friction::Coulomb(0.0),
            motion: Motion::IDENTITY,
        }]);
        let slope = DVec3::new(-2.0, 1.0, 0.0) / 5.0_f64.sqrt();
        let start = DVec3::new(1.0 + (0.05 * slope.y - 0.05) / -slope.x, 0.05, 0.0);
        let mut state = state(&context, &[start], 0.1);
        run(&context, &mut state, 20);
        let fall = 20.0 * DT * DT * context.gravity.length();
        assert!(
            (state.position[0] - start).length() < left * fall,
            "{scheme:?}: {}",
            state.position[0] - start
        );
        let impulse = state.mass[0] * 0.02;
        let steep = 5.0 / -slope.x;
        for (face, expected) in
            [(0, (5.0 - steep * slope.y) * DVec3::Y), (1, steep * slope), (2, DVec3::ZERO)]
        {
            let off = state.face_impulse[face] + impulse * expected;
            assert!(
                off.length() < left * impulse * context.gravity.length(),
                "{scheme:?}, wall {face}: {}",
                off / impulse
            );
        }
    }
}

#[test]
fn a_grain_sticks_below_the_friction_angle() {
    for friction in [Friction::Coulomb(0.5), Friction::Sticky] {
        let (context, mut state, _) = incline(0.4, friction, Motion::IDENTITY);
        let start = state.position[0];
        run(&context, &mut state, 50);
        assert!((state.position[0] - start).length() < 1e-12);
    }
}

/// In a substep of 10 us a slip of 1e-5 radii is 10 cm/s: a contact that moves like this does not stick.
#[test]
fn what_creeps_in_a_short_substep_slips() {
    let (context, mut state, downhill) = incline(0.4, Friction::Coulomb(0.5), Motion::IDENTITY);
    let step = Step { time: 0.0, dt: 1e-5 };
    let normal = DVec3::new(-0.4_f64.sin(), 0.4_f64.cos(), 0.0);
    prepare(&context, step, &mut state);
    assert_eq!(state.contacts[0].count, 1);
    state.contacts[0].change[0] = normal;
    // Forces along the slip that friction could carry.
    let force = [state.mass[0] * (normal + 0.1 * downhill)];
    for (slip, sticks) in [(0.0, true), (5e-2, false)] {
        state.velocity[0] = slip * downhill;
        let blocked = react(&context, step, &mut state, &force);
        let held = blocked[0].free(downhill).length() < 0.5;
        assert_eq!(held, sticks, "{slip} m/s");
    }
}

#[test]
fn a_grain_is_carried_and_pushed_by_a_moving_collider() {
    let velocity = DVec3::new(0.7, 0.3, -0.2);
    let (context, mut state, _) = incline(0.0, Friction::Sticky, sliding_motion(velocity));
    run(&context, &mut state, 40);
    assert!((state.velocity[0] - velocity).length() < 1e-9, "{}", state.velocity[0]);
    let carried = DVec3::new(0.0, 0.05, 0.0) + 40.0 * DT * velocity;
    assert!((state.position[0] - carried).length() < 1e-9);
}

#[test]
fn a_container_keeps_matter_inside() {
    let mut context = elastic(settings(0.1));
    context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let collider = Collider {
        name: "ceiling seen from the rock".to_owned(),
        shape: Shape::plane(DVec3::ZERO, -DVec3::Y),
        inside: true,
        sheet: false,
        thickness: 0.0,
        adhesion: 0.0,
        friction: Friction::Coulomb(0.0),
        motion: Motion::IDENTITY,
    };
    context.faces = faces(&[collider]);
    let mut state = state(&context, &[DVec3::new(0.0, 0.05, 0.0)], 0.1);
    run(&context, &mut state, 10);
    assert!((state.position[0].y - 0.05).abs() < 1e-12, "{}", state.position[0]);
}

#[test]
fn pinned_particles_follow_their_pin() {
    let velocity = DVec3::new(0.1, 0.2, 0.3);
    let mut context = elastic(settings(0.1));
    context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let region = Shape::cuboid(DVec3::splat(-1.0), DVec3::splat(1.0));
    context.pins.push(Pin {
        body: 0,
        selection: Selection::Region(region),
        motion: sliding_motion(velocity),
    });
    let positions = block([3; 3], 0.1, 0.1, 3);
    let mut state = State::default();
    for &position in &positions {
        let pin = if position.x < 0.05 { 0 } else { u32::MAX };
        state.push(&context, tuff_reference::state::Particle { pin, ..particle(position, 0.1) });
    }
    run(&context, &mut state, 20);
    let index = state.index_of_id();
    for (id, &p) in index.iter().enumerate() {
        let expected = positions[id] + 20.0 * DT * velocity;
        let error = (state.position[p] - expected).length();
        if state.inverse_mass[p] == 0.0 {
            assert!(error < 1e-12, "{error:e}");
        } else {
            assert!(error > 1e-6);
        }
    }
}

#[test]
fn a_pair_is_pushed_to_the_least_distance() {
    let position_correction = PositionCorrection::Distance { gap: 0.25 };
    let settings = SolverSettings { position_correction, stabilization: 0.0, ..settings(0.1) };
    let context = elastic(settings);
    let mut state = state(&context, &[DVec3::ZERO, DVec3::new(0.0, 0.08, 0.0)], 0.1);
    state.velocity = vec![DVec3::Y * 20.0, DVec3::ZERO];
    state.mass[1] *= 3.0;
    state.inverse_mass[1] /= 3.0;
    // Weak matter, so that only the correction acts.
    let context = Context { materials: elastic_materials(&context), ..context };
    let before = momentum(&state);
    let step = Step { time: 0.0, dt: DT };
    let mut iterated = state.clone();
    prepare(&context, step, &mut iterated);
    iterate(&context, step, &mut iterated);
    assert!(force_norm(&context, step, &iterated) < 1e-12, "its impulses are part of the balance");
    substep(&context, step, &mut state, false).unwrap();
    let distance = (state.position[1] - state.position[0]).length();
    assert!((distance - 0.075).abs() < 1e-12, "{distance}");
    assert!((momentum(&state) - before).length() < 1e-12);
    assert!(state.counters.position_corrected > 0);
}

fn elastic_materials(context: &Context) -> Vec<tuff_reference::context::Material> {
    let mut materials = context.materials.clone();
    materials[0].constants = vec![1e-9, 1e-9];
    materials
}

#[test]
fn smoothing_keeps_momentum_and_loses_energy() {
    let step = Step { time: 0.0, dt: DT };
    let context = elastic(SolverSettings { smoothing: Smoothing::Xsph(0.3), ..settings(0.1) });
    let mut state = stirred(&context, step, 31);
    let mut noise = Noise::new(5);
    state.volume.iter_mut().for_each(|v| *v *= 1.0 + 0.2 * noise.number());
    let energy = |s: &State| -> f64 { (0..64).map(|p| s.mass[p] * s.velocity[p].length_squared()).sum() };
    let (before, kinetic) = (momentum(&state), energy(&state));
    smooth_velocity(&context, step, &mut state);
    assert!((momentum(&state) - before).length() < 1e-12);
    assert!(energy(&state) < 0.9 * kinetic);
}

/// Rotation with shear is left alone; the part that no gradient explains is smoothed, and momentum is conserved.
#[test]
fn smoothing_of_noise_leaves_affine_motion_alone() {
    let step = Step { time: 0.0, dt: DT };
    let nu = 0.3 * 0.133 * 0.1 * 0.1 / DT;
    let context = elastic(SolverSettings { smoothing: Smoothing::Noise(nu), ..settings(0.1) });
    let mut state = stirred(&context, step, 31);
    let noise = state.velocity.clone();
    let affine = |x: DVec3| DVec3::new(0.3, -2.0, 5.0).cross(x) + DVec3::X * 1.5 * x.y;
    for (v, &x) in state.velocity.iter_mut().zip(&state.position) {
        *v = affine(x);
    }
    smooth_velocity(&context, step, &mut state);
    for (v, &x) in state.velocity.iter().zip(&state.position) {
        assert!((*v - affine(x)).length() < 1e-12 * affine(x).length().max(1.0));
    }
    state.velocity = noise;
    let energy = |s: &State| -> f64 { s.velocity.iter().map(|v| v.length_squared()).sum() };
    let (before, kinetic) = (momentum(&state), energy(&state));
    smooth_velocity(&context, step, &mut state);
    assert!((momentum(&state) - before).length() < 1e-12);
    assert!(energy(&state) < 0.9 * kinetic);
}

#[test]
fn smoothing_decays_shear_waves_by_its_viscosity() {
    // A transverse wave on a fine lattice decays as exp(-nu k^2 t).
    let (r, nu, n) = (1.0, 1e-3, 48);
    let smoothing = Smoothing::Viscosity(nu);
    let context = elastic(SolverSettings { smoothing, ..settings(r) });
    let spacing = 0.5 * r;
    let mut state = state(&context, &block([n, 9, 9], spacing, 0.0, 1), spacing);
    let step = Step { time: 0.0, dt: 1.0 };
    prepare(&context, step, &mut state);
    let k = std::f64::consts::TAU / (spacing * 24.0);
    for p in 0..state.particle_count() {
        state.velocity[p] = DVec3::Y * (k * state.position[p].x).sin();
    }
    smooth_velocity(&context, step, &mut state);
    let target = DVec3::new(spacing * 18.0, spacing * 4.0, spacing * 4.0);
    let p = (0..state.particle_count()).min_by(|&a, &b| {
        let distance = |q: usize| (state.position[q] - target).length();
        distance(a).total_cmp(&distance(b))
    });
    let p = p.unwrap();
    let rate = 1.0 - state.velocity[p].y / (k * state.position[p].x).sin();
    assert!((rate / (nu * k * k * step.dt) - 1.0).abs() < 0.05, "{rate:e} {:e}", nu * k * k);
}
