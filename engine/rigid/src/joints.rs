//! Joints of bodies with the world.

use glam::DVec3;
use tuff_scene::Hold;

use crate::contacts::{JOINT_ROWS, Joint};
use crate::matrix::{angular_row, row};
use crate::polygon::tangents;
use crate::twist::{State, Twist, rotation};
use crate::world::World;

impl World {
    /// Returns the joints at the start of a substep.
    pub(crate) fn joints(&self, states: &[State]) -> Vec<Joint> {
        let joint = |(index, body): (usize, &crate::body::Body)| {
            let (point, axis) = match body.hold? {
                Hold::Ball(point) => (point, None),
                Hold::Hinge { point, axis } => (point, Some(axis)),
            };
            let state = &states[index];
            let arm = state.rotation * (point - body.center);
            let held_axis = axis.unwrap_or(DVec3::ZERO);
            let across = axis.map_or([DVec3::ZERO; 2], tangents);
            let mut rows = [[0.0; 6]; JOINT_ROWS];
            for (i, direction) in DVec3::AXES.into_iter().enumerate() {
                rows[i] = row(direction, arm);
            }
            for (i, direction) in across.into_iter().enumerate() {
                rows[3 + i] = angular_row(direction);
            }
            Some(Joint {
                body: index,
                count: if axis.is_some() { 5 } else { 3 },
                rows,
                arm,
                offset: state.position + arm - point,
                axis: state.rotation * held_axis,
                held_axis,
                across,
                impulse: [0.0; JOINT_ROWS],
            })
        };
        self.bodies.iter().enumerate().filter_map(joint).collect()
    }
}

impl Joint {
    /// Returns how far the joint is open at the end of a substep that `twist` describes, over its length [m/s] and [rad/s]. Unlike its
    /// rows this is exact: impulses act along the constraint at the start and hold it at the end, as in SHAKE, which keeps the energy of a
    /// pendulum from drifting.
    pub fn residual(&self, twist: Twist, dt: f64) -> [f64; JOINT_ROWS] {
        let turn = rotation(dt * twist.angular);
        let end = self.offset - self.arm + dt * twist.linear + turn * self.arm;
        let tilt = -(turn * self.axis).cross(self.held_axis);
        [end.x, end.y, end.z, tilt.dot(self.across[0]), tilt.dot(self.across[1])].map(|gap| gap / dt)
    }
}
