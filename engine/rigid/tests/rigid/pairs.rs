//! Contact laws.

use glam::DVec3;
use tuff_rigid::{Target, Wrench};
use tuff_scene::{Friction, Shape};

use crate::support::{GRAVITY, Run, body, collider, cube, floor, moving};

/// Returns gravity as on a slope of this angle [degrees] that falls toward x.
fn slope(degrees: f64) -> DVec3 {
    let angle = degrees.to_radians();
    9.81 * DVec3::new(angle.sin(), -angle.cos(), 0.0)
}

#[test]
fn a_ball_rolls_down_a_slope() {
    for (dt, angle) in [(1e-3, 20.0), (1.0 / 240.0, 35.0)] {
        let gravity = slope(angle);
        let mut run = Run::new(&[body(Shape::sphere(0.1 * DVec3::Y, 0.1))], &[floor()], gravity);
        run.run(1.0, dt, |_| {});
        let (expected, found) = (5.0 / 7.0 * gravity.x * run.time, run.states[0].velocity.x);
        println!("rolling at {angle} degrees, dt {dt:.4}: {:+.2e}", found / expected - 1.0);
        assert!((found / expected - 1.0).abs() < 1e-2, "{found} {expected}");
        let rolled = -0.1 * run.world.angular_velocity(0, &run.states[0]).z;
        assert!((rolled / found - 1.0).abs() < 1e-6, "{rolled} {found}");
    }
}

#[test]
fn a_box_slides_above_the_cone_of_friction_and_sticks_below() {
    for dt in [1e-3, 1.0 / 240.0] {
        let mut rigid = body(Shape::cuboid(DVec3::new(-0.2, 0.0, -0.1), DVec3::new(0.2, 0.1, 0.1)));
        rigid.friction = Friction::Coulomb(0.3);
        let gravity = slope(30.0);
        let mut run = Run::new(&[rigid.clone()], &[floor()], gravity);
        run.run(1.0, dt, |_| {});
        let expected = (gravity.x + 0.3 * gravity.y) * run.time;
        let found = run.states[0].velocity.x;
        println!("sliding, dt {dt:.4}: {:+.2e}", found / expected - 1.0);
        assert!((found / expected - 1.0).abs() < 1e-2, "{found} {expected}");
        let mut run = Run::new(&[rigid], &[floor()], slope(15.0));
        run.run(2.0, dt, |_| {});
        let crept = run.states[0].position.x;
        println!("sticking, dt {dt:.4}: creeps {crept:.2e} m in 2 s");
        assert!(crept.abs() < 1e-6, "{crept:e}");
    }
}

/// The slip of an isotropic contact is opposed exactly, in any direction.
#[test]
fn friction_opposes_the_slip() {
    let mut rigid = body(cube(0.05 * DVec3::Y, 0.1));
    (rigid.friction, rigid.velocity) = (Friction::Coulomb(0.2), DVec3::new(1.2, 0.0, 0.9));
    let mut run = Run::new(&[rigid], &[floor()], GRAVITY);
    run.run(0.5, 1e-3, |_| {});
    let velocity = run.states[0].velocity;
    assert!((velocity.length() - (1.5 - 0.2 * 9.81 * 0.5)).abs() < 5e-3, "{velocity}");
    assert!((velocity.x / velocity.z - 4.0 / 3.0).abs() < 1e-3, "{velocity}");
}

#[test]
fn half_the_speed_of_approach_is_a_quarter_of_the_height() {
    for dt in [1e-3, 1.0 / 240.0] {
        let mut rigid = body(Shape::sphere(1.1 * DVec3::Y, 0.1));
        rigid.restitution = 0.5;
        let mut run = Run::new(&[rigid], &[floor()], GRAVITY);
        let (mut height, mut lowest, mut bounced) = (0.0_f64, 1.0_f64, false);
        run.run(0.78, dt, |run| {
            bounced |= run.states[0].velocity.y > 0.0;
            lowest = lowest.min(run.states[0].position.y - 0.1);
            if bounced {
                height = height.max(run.states[0].position.y - 0.1);
            }
        });
        println!("bounce, dt {dt:.4}: height {height:.5}, expected 0.25");
        assert!((height - 0.25).abs() < 0.01 * (dt / 1e-3).max(1.0), "{height}");
        assert!(lowest > -1e-9, "{lowest}");
    }
}

#[test]
fn collisions_conserve_momentum() {
    let mut balls = [
        body(Shape::sphere(DVec3::new(-0.5, 0.03, 0.01), 0.1)),
        body(Shape::sphere(DVec3::new(0.5, 0.0, 0.0), 0.15)),
    ];
    balls[0].velocity = DVec3::new(3.0, 0.1, 0.0);
    balls[0].angular_velocity = DVec3::new(0.0, 20.0, 5.0);
    balls[1].velocity = DVec3::new(-1.0, 0.0, 0.05);
    balls[1].restitution = 0.7;
    let mut run = Run::new(&balls, &[], DVec3::ZERO);
    let momenta = [run.world.momentum(&run.states), run.world.angular_momentum(&run.states)];
    let before = run.states[0].velocity - run.states[1].velocity;
    let mut normal = DVec3::X;
    run.run(0.3, 1e-3, |run| {
        if run.contacts.as_ref().is_some_and(|contacts| contacts.loaded() > 0) {
            normal = (run.states[0].position - run.states[1].position).normalize();
        }
    });
    let after = [run.world.momentum(&run.states), run.world.angular_momentum(&run.states)];
    let errors = [0, 1].map(|i| (after[i] - momenta[i]).length() / momenta[i].length());
    println!("collision: momentum {:.1e}, angular momentum {:.1e}", errors[0], errors[1]);
    assert!(errors[0] < 1e-12 && errors[1] < 1e-12, "{errors:?}");
    let velocity = run.states[0].velocity - run.states[1].velocity;
    assert!((velocity.dot(normal) / before.dot(normal) + 0.7).abs() < 0.02, "{velocity} {before}");
    assert!(run.states[1].angular_momentum.length() > 1e-3, "friction spins the other ball");
}

#[test]
fn a_conveyor_drags_a_box_to_its_speed() {
    let mut belt = floor();
    belt.motion = moving(DVec3::new(1.0, 0.0, 0.0));
    let mut rigid = body(cube(0.05 * DVec3::Y, 0.1));
    rigid.friction = Friction::Coulomb(0.2);
    let mut run = Run::new(&[rigid], &[belt], GRAVITY);
    run.run(0.3, 1e-3, |_| {});
    let (found, expected) = (run.states[0].velocity.x, 0.2 * 9.81 * run.time);
    println!("conveyor: {:+.2e}", found / expected - 1.0);
    assert!((found / expected - 1.0).abs() < 1e-2, "{found} {expected}");
    run.run(0.7, 1e-3, |_| {});
    assert!((run.states[0].velocity - DVec3::X).length() < 1e-6, "{}", run.states[0].velocity);
}

#[test]
fn a_rising_piston_lifts_and_a_layer_keeps_its_distance() {
    let mut piston = collider(cube(-0.5 * DVec3::Y, 1.0));
    piston.motion = moving(DVec3::new(0.0, 0.5, 0.0));
    piston.thickness = 0.01;
    let mut run = Run::new(&[body(cube(0.06 * DVec3::Y, 0.1))], &[piston], GRAVITY);
    run.run(1.0, 1e-3, |_| {});
    let gap = run.states[0].position.y - 0.05 - 0.5 * run.time;
    assert!((gap - 0.01).abs() < 1e-5, "{gap}");
}

/// Overlap is worked off slowly, and no speed is left of it.
#[test]
fn overlap_leaves_without_speed() {
    let mut run = Run::new(&[body(cube(0.045 * DVec3::Y, 0.1))], &[floor()], GRAVITY);
    let mut fastest = 0.0_f64;
    run.run(0.2, 1e-3, |run| fastest = fastest.max(run.states[0].velocity.length()));
    let height = run.states[0].position.y - 0.05;
    println!("overlap of 5 mm: {height:.2e} m after 0.2 s, fastest {fastest:.1e} m/s");
    assert!(fastest < 1e-9 && height.abs() < 2e-6, "{fastest} {height}");
}

/// What presses on a body adds to its matrix: it moves as if it were heavier, and impulses on it grow.
#[test]
fn a_heavier_matrix_weighs_more() {
    let mut balls = [
        body(Shape::sphere(DVec3::new(-0.1, 0.0, 0.0), 0.1)),
        body(Shape::sphere(DVec3::new(0.1, 0.0, 0.0), 0.1)),
    ];
    balls[0].velocity = DVec3::X;
    let run = Run::new(&balls, &[], DVec3::ZERO);
    let (world, dt) = (&run.world, 1e-3);
    let twists = world.predict(&run.states, DVec3::ZERO, dt);
    let mut contacts = world.touch(&run.states, &twists, 0.0, dt, None);
    let mut targets: Vec<Target> =
        (0..2).map(|b| Target { matrix: world.mass_matrix(b, &run.states[b]), twist: twists[b] }).collect();
    for i in 0..3 {
        targets[1].matrix[i][i] *= 3.0;
    }
    let solved = world.solve(&mut contacts, &targets, dt);
    assert!((solved[0].linear - 0.25 * DVec3::X).length() < 1e-9, "{solved:?}");
    let impulses: Vec<Wrench> = world.impulses(&contacts);
    assert!((impulses[1].linear / world.mass(0) - 0.75 * DVec3::X).length() < 1e-9, "{impulses:?}");
    assert_eq!(impulses[0].linear, -impulses[1].linear);
}
