//! Card B18: a block on an incline with Coulomb friction mu; gravity is tilted instead of the floor.
//!
//! Closed forms: it sticks below the angle atan(mu) (drift below 0.1 mm in 1 s at 0.95 of it) and slides
//! above with a = g (sin - mu cos): 2.3563 m/s^2 at 30 degrees with mu = 0.3, 4.905 with mu = 0; a thrown
//! block on a level floor decelerates at mu g. Tolerances: 2 % of a, whatever the step.

use glam::DVec3;
use tuff_problem::Problem;
use tuff_tests::{gpu, problem, step};

use crate::support::{PLAIN, elastic, lattice_box, mean, now, positions, scene, velocities};

const GRAVITY: f64 = 9.81;

/// A cube of `edge`^3 particles, 0.1 m wide, on a floor at `angle` [degrees]; downhill is +x.
fn block(edge: u32, angle: f64, friction: f64, dt: f64, velocity: f64) -> Problem {
    let spacing = 0.1 / f64::from(edge);
    let (sine, cosine) = angle.to_radians().sin_cos();
    let floor = format!(
        "[[collider]]\nname = \"floor\"\nfriction = {friction:?}\n\
         shape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }} }}\n"
    );
    let thrown = format!("velocity = [{velocity:?}, 0.0, 0.0]");
    let rest =
        elastic(1000.0, 1e6, 0.3) + &lattice_box("block", [0.0; 3], [0.1; 3], spacing, &thrown) + &floor;
    let gravity = [GRAVITY * sine, -GRAVITY * cosine, 0.0];
    problem(&scene(dt, gravity, spacing, &format!("iterations = 20\n{PLAIN}"), &rest))
}

/// Mean acceleration along x between 0.2 s, when the block has settled, and 0.5 s [m/s^2].
fn acceleration(problem: &Problem) -> f64 {
    let mut device = gpu(problem);
    let dt = problem.dt();
    let mut speed_after = |duration: f64| {
        step(&mut device, (duration / dt).round() as u32);
        mean(problem, &velocities(&now(&mut device))).x
    };
    let early = speed_after(0.2);
    let late = speed_after(0.3);
    (late - early) / 0.3
}

fn slides(problem: &Problem, expected: f64) {
    let found = acceleration(problem);
    println!("dt {:.1e}: {found:.4} m/s^2, expected {expected:.4}", problem.dt());
    assert!((found / expected - 1.0).abs() < 0.02, "{found} instead of {expected} m/s^2");
}

fn slope(angle: f64, friction: f64) -> f64 {
    let (sine, cosine) = angle.to_radians().sin_cos();
    GRAVITY * (sine - friction * cosine)
}

fn stays(edge: u32, dt: f64) {
    let friction: f64 = 0.3;
    let problem = block(edge, 0.95 * friction.atan().to_degrees(), friction, dt, 0.0);
    let mut device = gpu(&problem);
    let mut place = |duration: f64| {
        step(&mut device, (duration / dt).round() as u32);
        mean(&problem, &positions(&now(&mut device)))
    };
    let settled = place(0.1);
    let drift: DVec3 = place(1.0) - settled;
    println!("dt {dt:.1e}: drift {:.1e} m", drift.length());
    assert!(drift.length() < 1e-4, "drifts by {drift} m");
}

pub fn sticks_below_the_critical_angle() {
    stays(6, 1e-3);
}

pub fn slides_at_30_degrees() {
    slides(&block(6, 30.0, 0.3, 1e-3, 0.0), 2.3563);
}

/// The finer block at three steps: neither friction nor its absence may depend on the step.
pub fn every_step_without_and_with_friction() {
    for dt in [5e-4, 1e-3, 2e-3] {
        stays(10, dt);
        slides(&block(10, 30.0, 0.3, dt, 0.0), 2.3563);
        let above = 1.05 * 0.3_f64.atan().to_degrees();
        let found = acceleration(&block(10, above, 0.3, dt, 0.0));
        println!("1.05 of the angle: {found:.4} m/s^2, expected {:.4}", slope(above, 0.3));
        assert!(found > 0.5 * slope(above, 0.3), "{found} m/s^2");
        slides(&block(10, 30.0, 0.0, dt, 0.0), 4.905);
    }
}

pub fn thrown_block_slows_down() {
    let problem = block(10, 0.0, 0.3, 1e-3, 2.0);
    slides(&problem, -0.3 * GRAVITY);
}
