//! Bodies that the world holds.

use std::f64::consts::TAU;

use glam::DVec3;
use tuff_scene::{Hold, Shape};

use crate::support::{GRAVITY, Run, body, floor};

/// Returns the mean period of a coordinate's oscillation.
fn period(run: &mut Run, duration: f64, dt: f64, coordinate: impl Fn(&Run) -> f64) -> f64 {
    let mut crossings = Vec::new();
    let mut last = coordinate(run);
    run.run(duration, dt, |run| {
        let now = coordinate(run);
        if last < 0.0 && now >= 0.0 {
            crossings.push(run.time - dt * now / (now - last));
        }
        last = now;
    });
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
}

#[test]
fn a_pendulum_swings_with_its_period() {
    for dt in [1e-3, 1.0 / 240.0] {
        let (length, radius, angle) = (0.5, 0.1, 0.05_f64);
        let mut rigid = body(Shape::sphere(length * DVec3::new(angle.sin(), -angle.cos(), 0.0), radius));
        rigid.hold = Some(Hold::Ball(DVec3::ZERO));
        let mut run = Run::new(&[rigid], &[], GRAVITY);
        let exact = TAU * ((0.4 * radius * radius + length * length) / (9.81 * length)).sqrt();
        let found = period(&mut run, 20.0, dt, |run| run.states[0].position.x);
        let stretched = run.states[0].position.length() - length;
        println!(
            "pendulum, dt {dt:.4}: period {:+.2e}, joint open by {stretched:.1e} m after 20 s",
            found / exact - 1.0
        );
        assert!((found / exact - 1.0).abs() < 1e-2, "{found} {exact}");
        assert!(stretched.abs() < 1e-8, "{stretched}");
    }
}

/// A plank that falls from the horizontal about a skew hinge.
#[test]
fn a_hinge_keeps_its_plane_and_its_energy() {
    for dt in [1e-3, 1.0 / 240.0] {
        let axis = DVec3::new(0.3, 0.1, 1.0).normalize();
        let mut rigid = body(Shape::cuboid(DVec3::new(0.0, -0.02, -0.1), DVec3::new(0.6, 0.02, 0.1)));
        rigid.hold = Some(Hold::Hinge { point: DVec3::ZERO, axis });
        let mut run = Run::new(&[rigid], &[], GRAVITY);
        let (start, along) = (run.energy(), run.states[0].position.dot(axis));
        let lowest = run.world.mass(0) * 9.81 * 0.3;
        let (mut off_plane, mut tilt, mut worst) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut means = [0.0; 2];
        run.run(20.0, dt, |run| {
            let state = &run.states[0];
            off_plane = off_plane.max((state.position.dot(axis) - along).abs());
            tilt = tilt.max((state.rotation * axis - axis).length());
            let gained = (run.energy() - start) / lowest;
            worst = worst.max(gained.abs());
            means[usize::from(run.time > 10.0)] += gained * dt / 10.0;
        });
        let drift = means[1] - means[0];
        println!(
            "hinge, dt {dt:.4}: off plane {off_plane:.1e} m, tilt {tilt:.1e}, energy within {worst:.1e} of m g d, {drift:+.1e} from the \
             first to the last 10 s"
        );
        assert!(off_plane < 1e-8 && tilt < 1e-8, "{off_plane} {tilt}");
        assert!(worst < 2e-2 && drift.abs() < 1e-3, "{worst} {drift}");
    }
}

#[test]
fn a_held_body_rests_on_the_floor() {
    let mut rigid = body(Shape::cuboid(DVec3::new(0.0, 0.0, -0.1), DVec3::new(0.6, 0.05, 0.1)));
    rigid.hold = Some(Hold::Hinge { point: DVec3::new(0.0, 0.025, 0.0), axis: DVec3::Z });
    rigid.angular_velocity = 2.0 * DVec3::Z;
    let mut run = Run::new(&[rigid], &[floor()], GRAVITY);
    // Impulses at the start make the velocities fit the joint.
    run.run(3.0, 1e-3, |_| {});
    let state = &run.states[0];
    assert!(state.velocity.length() < 1e-6 && state.rotation.w > 1.0 - 1e-8, "{state:?}");
}
