//! Poses of the skeleton and the skin that follows them.

use glam::{DMat4, DQuat, DVec3};

use crate::skeleton::{Influence, Joint};

/// Rotations of joints relative to their parents, and where the root is.
#[derive(Clone)]
pub struct Pose {
    /// Displacement of the root from its rest position [m].
    pub shift: DVec3,
    /// Shape [joint_count]; at rest all are the identity.
    pub turns: Vec<DQuat>,
}

/// The figure that poses move.
pub struct Figure {
    pub joints: Vec<Joint>,
    pub vertices: Vec<DVec3>,
    /// Shape [vertex_count].
    pub influences: Vec<Influence>,
}

impl Figure {
    pub fn rest(&self) -> Pose {
        Pose { shift: DVec3::ZERO, turns: vec![DQuat::IDENTITY; self.joints.len()] }
    }

    /// Returns the index of a joint.
    pub fn joint(&self, name: &str) -> usize {
        let found = self.joints.iter().position(|joint| joint.name == name);
        found.unwrap_or_else(|| panic!("the skeleton has no joint `{name}`"))
    }

    /// Returns the transforms of points that move with each joint, from rest to the pose.
    pub fn transforms(&self, pose: &Pose) -> Vec<DMat4> {
        let mut world: Vec<DMat4> = Vec::new();
        for (joint, &turn) in self.joints.iter().zip(&pose.turns) {
            let (above, offset) = match joint.parent {
                Some(parent) => (world[parent], joint.position - self.joints[parent].position),
                None => (DMat4::IDENTITY, joint.position + pose.shift),
            };
            world.push(above * DMat4::from_rotation_translation(turn, offset));
        }
        let place = |(world, joint): (DMat4, &Joint)| world * DMat4::from_translation(-joint.position);
        world.into_iter().zip(&self.joints).map(place).collect()
    }

    /// Raises or lowers the root until the lowest vertex is at y = 0.
    pub fn grounded(&self, mut pose: Pose) -> Pose {
        let transforms = self.transforms(&pose);
        let height = |(&vertex, influence): (&DVec3, &Influence)| {
            let part = |(&joint, &weight): (&u8, &f32)| {
                f64::from(weight) * transforms[usize::from(joint)].transform_point3(vertex).y
            };
            influence.joints.iter().zip(&influence.weights).map(part).sum::<f64>()
        };
        let lowest = self.vertices.iter().zip(&self.influences).map(height).fold(f64::INFINITY, f64::min);
        pose.shift.y -= lowest;
        pose
    }
}

/// Rotation about an axis. Sine and cosine are those of `libm`, which are the same on all platforms.
pub fn turn(axis: DVec3, degrees: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * degrees.to_radians());
    let axis = sin * axis.normalize();
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}
