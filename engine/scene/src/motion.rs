//! Keyframed rigid motion of colliders and pins.

use glam::{DQuat, DVec3};

/// A rigid placement: `p -> rotation p + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Rotation about the scene's origin.
    pub rotation: DQuat,
    /// Displacement after the rotation [m].
    pub translation: DVec3,
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Returns the image of the scene's point `p` [m].
    pub fn apply(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// Returns the scene's point whose image is `p` [m].
    pub fn inverse_apply(&self, p: DVec3) -> DVec3 {
        self.rotation.conjugate() * (p - self.translation)
    }
}

/// One key of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// Time since the scene's first frame [s].
    pub time: f64,
    /// Displacement [m].
    pub translate: DVec3,
    /// Rotation about the motion's pivot.
    pub rotation: DQuat,
}

/// Rigid motion over time: first a rotation about a fixed pivot, then a displacement.
///
/// Displacements are interpolated linearly and rotations along the shortest arc (slerp); before the first and after the last key
/// the motion rests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Motion {
    /// Point about which the keys rotate [m].
    pub pivot: DVec3,
    /// Keys with strictly increasing times; no keys mean the identity.
    pub keyframes: Vec<Keyframe>,
}

impl Motion {
    /// The identity at all times.
    pub const IDENTITY: Self = Self { pivot: DVec3::ZERO, keyframes: Vec::new() };

    /// Returns the motion of what rests at a pose.
    pub fn resting(pose: Pose) -> Self {
        let key = Keyframe { time: 0.0, translate: pose.translation, rotation: pose.rotation };
        Self { pivot: DVec3::ZERO, keyframes: vec![key] }
    }

    /// Returns true if the pose is the same at all times (it may still differ from the identity).
    pub fn is_static(&self) -> bool {
        self.keyframes.windows(2).all(|k| k[0].translate == k[1].translate && k[0].rotation == k[1].rotation)
    }

    /// Returns the placement at a time since the scene's first frame [s].
    pub fn pose(&self, time: f64) -> Pose {
        let (translate, rotation) = self.interpolate(time);
        Pose { rotation, translation: self.pivot + translate - rotation * self.pivot }
    }

    /// Returns the motion about the same pivot from this one's pose at `start` [s] to a given pose at `end` [s].
    pub fn towards(&self, pose: Pose, start: f64, end: f64) -> Self {
        let key = |time: f64, pose: Pose| Keyframe {
            time,
            translate: pose.apply(self.pivot) - self.pivot,
            rotation: pose.rotation,
        };
        Self { pivot: self.pivot, keyframes: vec![key(start, self.pose(start)), key(end, pose)] }
    }

    fn interpolate(&self, time: f64) -> (DVec3, DQuat) {
        let next = self.keyframes.partition_point(|k| k.time <= time);
        let before = next.checked_sub(1).and_then(|i| self.keyframes.get(i));
        match (before, self.keyframes.get(next)) {
            (None, None) => (DVec3::ZERO, DQuat::IDENTITY),
            (Some(k), None) | (None, Some(k)) => (k.translate, k.rotation),
            (Some(a), Some(b)) => {
                let s = (time - a.time) / (b.time - a.time);
                (a.translate.lerp(b.translate, s), a.rotation.slerp(b.rotation, s).normalize())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::angle::rotation_from_degrees;

    fn key(time: f64, translate: [f64; 3], rotate: [f64; 3]) -> Keyframe {
        Keyframe {
            time,
            translate: DVec3::from(translate),
            rotation: rotation_from_degrees(DVec3::from(rotate)),
        }
    }

    #[test]
    fn keys_turn_about_the_pivot_and_are_held_outside() {
        let motion = Motion {
            pivot: DVec3::new(1.0, 0.0, 0.0),
            keyframes: vec![key(1.0, [0.0; 3], [0.0; 3]), key(3.0, [0.0, 2.0, 0.0], [0.0, 0.0, 90.0])],
        };
        assert!(!motion.is_static());
        let tip = DVec3::new(2.0, 0.0, 0.0);
        assert!((motion.pose(0.0).apply(tip) - tip).length() < 1e-15);
        let half = motion.pose(2.0).apply(tip);
        let expected = DVec3::new(1.0 + 0.5_f64.sqrt(), 1.0 + 0.5_f64.sqrt(), 0.0);
        assert!((half - expected).length() < 1e-14, "{half}");
        let end = motion.pose(9.0).apply(tip);
        assert!((end - DVec3::new(1.0, 3.0, 0.0)).length() < 1e-14, "{end}");
        assert!((motion.pose(2.3).inverse_apply(motion.pose(2.3).apply(tip)) - tip).length() < 1e-14);
    }

    #[test]
    fn a_motion_leads_from_one_pose_to_another() {
        let before = Motion {
            pivot: DVec3::new(1.0, 0.0, 0.0),
            keyframes: vec![key(1.0, [0.0; 3], [0.0; 3]), key(3.0, [0.0, 2.0, 0.0], [0.0, 0.0, 90.0])],
        };
        let goal = Pose { rotation: DQuat::from_rotation_x(1.0), translation: DVec3::new(0.3, -0.2, 0.5) };
        let motion = before.towards(goal, 2.0, 2.5);
        for (found, wanted) in [(motion.pose(2.0), before.pose(2.0)), (motion.pose(2.5), goal)] {
            let point = DVec3::new(0.4, 0.7, -0.1);
            assert!((found.apply(point) - wanted.apply(point)).length() < 1e-14);
        }
    }

    #[test]
    fn a_motion_without_keys_is_the_identity() {
        assert!(Motion::IDENTITY.is_static());
        assert_eq!(Motion::IDENTITY.pose(3.0), Pose::IDENTITY);
        let constant = Motion { pivot: DVec3::ZERO, keyframes: vec![key(0.0, [1.0, 0.0, 0.0], [0.0; 3])] };
        assert!(constant.is_static());
        assert_eq!(constant.pose(5.0).apply(DVec3::ZERO), DVec3::X);
    }
}
