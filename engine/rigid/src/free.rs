//! Motion of bodies that nothing touches.

use glam::{DQuat, DVec3};

use crate::body::Body;
use crate::twist::{State, Twist, rotation, rotation_vector};

/// Returns the mean twist of a substep `dt` [s] under gravity [m/s^2]: the center advances with the new velocity, and the orientation by
/// [`spin`].
pub(crate) fn twist(body: &Body, state: &State, gravity: DVec3, dt: f64) -> Twist {
    let end = spin(body, state.rotation, state.angular_momentum, dt);
    let turned = end * state.rotation.conjugate();
    Twist { linear: state.velocity + dt * gravity, angular: rotation_vector(turned) / dt }
}

/// Returns the orientation after `dt` [s] without torque. The free body is split into rotations about its principal axes, each of which is
/// exact, x(dt/2) y(dt/2) z(dt) y(dt/2) x(dt/2) (Dullweber, Leimkuhler and McLachlan 1997): symplectic, reversible, of second order. The
/// angular momentum stays fixed in space to the last bit, because every rotation reads it there.
fn spin(body: &Body, start: DQuat, angular_momentum: DVec3, dt: f64) -> DQuat {
    let mut axes = start * body.axes;
    let half = 0.5 * dt;
    for (axis, time) in
        [(DVec3::X, half), (DVec3::Y, half), (DVec3::Z, dt), (DVec3::Y, half), (DVec3::X, half)]
    {
        let momentum = (axes.conjugate() * angular_momentum).dot(axis);
        axes *= rotation(time * momentum / body.moments.dot(axis) * axis);
    }
    (axes * body.axes.conjugate()).normalize()
}
