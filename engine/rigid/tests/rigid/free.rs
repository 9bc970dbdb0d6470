//! Motion without contacts.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};
use tuff_rigid::{Target, rotation};
use tuff_scene::Shape;

use crate::support::{GRAVITY, Run, body, cube};

/// A box with moments 13, 10 and 5, times 1000/12 [kg m^2].
fn brick() -> Shape {
    Shape::cuboid(DVec3::new(-0.5, -1.0, -1.5), DVec3::new(0.5, 1.0, 1.5))
}

#[test]
fn a_spinning_box_keeps_energy_and_angular_momentum() {
    let mut rigid = body(brick().rotated(DVec3::new(20.0, 30.0, 40.0)));
    rigid.angular_velocity = DVec3::new(1.0, 2.0, 3.0);
    let mut run = Run::new(&[rigid], &[], DVec3::ZERO);
    let (start, energy) = (run.states[0].angular_momentum, run.energy());
    let turn = TAU / 14.0_f64.sqrt();
    let mut worst = 0.0_f64;
    run.run(1000.0 * turn, turn / 60.0, |run| {
        worst = worst.max((run.energy() / energy - 1.0).abs());
        assert_eq!(run.states[0].angular_momentum, start);
    });
    println!("energy of the free box: within {worst:.2e} over 1,000 turns");
    assert!(worst < 1e-3, "{worst:e}");
    assert!((run.states[0].rotation.length() - 1.0).abs() < 1e-14);
}

/// Arithmetic-geometric mean: the complete elliptic integral is `K(k) = pi / (2 agm(1, sqrt(1 - k^2)))`.
fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// Landau and Lifshitz, Mechanics, section 37.
#[test]
fn a_box_flips_about_its_middle_axis_with_the_period_of_the_exact_solution() {
    let mut rigid = body(brick());
    // The y axis has the moment in the middle.
    rigid.angular_velocity = DVec3::new(0.01, 2.0, 0.02);
    let mut run = Run::new(std::slice::from_ref(&rigid), &[], DVec3::ZERO);
    let inertia = run.world.inertia(0, &run.states[0]);
    let mut moments = [inertia.z_axis.z, inertia.y_axis.y, inertia.x_axis.x];
    let (twice, square) = (2.0 * run.energy(), run.states[0].angular_momentum.length_squared());
    if square < twice * moments[1] {
        moments.swap(0, 2);
    }
    let [one, two, three] = moments;
    let modulus = (two - one) * (twice * three - square) / ((three - two) * (square - twice * one));
    let complete = PI / (2.0 * agm(1.0, (1.0 - modulus).sqrt()));
    let half = 2.0 * complete * (one * two * three / ((three - two) * (square - twice * one))).sqrt();
    let mut flips = Vec::new();
    let mut last = 1.0;
    run.run(20.0 * half, PI / 60.0, |run| {
        let local = run.states[0].rotation.conjugate() * run.world.angular_velocity(0, &run.states[0]);
        if local.y * last < 0.0 {
            flips.push(run.time);
        }
        last = local.y;
    });
    let found = (flips[flips.len() - 1] - flips[0]) / (flips.len() - 1) as f64;
    println!("flips every {found:.4} s, exactly {half:.4} s: {:+.2e}", found / half - 1.0);
    assert!((found / half - 1.0).abs() < 1e-2, "{found} {half}");
}

#[test]
fn a_twist_carries_the_pose_to_the_end_of_the_step() {
    let mut rigid = body(brick().rotated(DVec3::new(10.0, 50.0, -20.0)));
    let center = DVec3::new(0.5, -2.0, 3.0);
    rigid.shape.center += center;
    (rigid.velocity, rigid.angular_velocity) = (DVec3::new(1.0, 5.0, 0.0), DVec3::new(3.0, -2.0, 1.0));
    let mut run = Run::new(&[rigid], &[], GRAVITY);
    let dt = 0.01;
    for _ in 0..50 {
        let before = run.states.clone();
        let twists = run.world.predict(&before, GRAVITY, dt);
        let expected = run.world.pose_after(0, &before[0], twists[0], dt);
        run.step(dt);
        let pose = run.world.pose(0, &run.states[0]);
        assert!((pose.translation - expected.translation).length() < 1e-14);
        assert!(pose.rotation.dot(expected.rotation).abs() > 1.0 - 1e-15);
    }
    // Symplectic Euler: the position is that of the parabola plus g dt t / 2.
    let (t, state) = (run.time, &run.states[0]);
    let exact = center + DVec3::new(1.0, 5.0, 0.0) * t + 0.5 * GRAVITY * t * (t + dt);
    assert!((state.position - exact).length() < 1e-13);
    let corner = DVec3::new(0.2, 0.3, 0.4);
    let turned = run.world.pose(0, state).apply(center + corner) - state.position;
    assert!((turned - state.rotation * corner).length() < 1e-14);
}

#[test]
fn without_contacts_the_solution_is_the_prediction_bit_for_bit() {
    let mut rigid = body(cube(DVec3::Y, 0.3).rotated(DVec3::new(10.0, 20.0, 30.0)));
    rigid.angular_velocity = DVec3::new(0.3, 7.0, -1.0);
    let run = Run::new(
        &[rigid.clone(), {
            rigid.shape.center.x = 9.0;
            rigid
        }],
        &[],
        GRAVITY,
    );
    let (world, dt) = (&run.world, 1e-3);
    let twists = world.predict(&run.states, GRAVITY, dt);
    let mut contacts = world.touch(&run.states, &twists, 0.0, dt, None);
    let targets: Vec<Target> =
        (0..2).map(|b| Target { matrix: world.mass_matrix(b, &run.states[b]), twist: twists[b] }).collect();
    assert_eq!(world.solve(&mut contacts, &targets, dt), twists);
    assert!(contacts.count() == 0 && contacts.iterations() == 0);
}

/// The mean twist of a step is the rotation vector of its turn, also for turns near half a circle.
#[test]
fn fast_spins_keep_their_sense() {
    let mut rigid = body(Shape::sphere(DVec3::ZERO, 0.1));
    rigid.angular_velocity = DVec3::new(0.0, 0.0, 3.0);
    let mut run = Run::new(&[rigid], &[], DVec3::ZERO);
    run.step(1.0);
    let turned: DQuat = rotation(3.0 * DVec3::Z);
    assert!(run.states[0].rotation.dot(turned).abs() > 1.0 - 1e-14);
}
