//! Contacts and joints of a substep.

use glam::DVec3;

use crate::matrix::Vector6;

/// The other side of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partner {
    /// A body, by its index.
    Body(usize),
    /// A collider, by its index.
    Collider(usize),
}

/// A contact point of a body.
#[derive(Debug, Clone)]
pub(crate) struct Contact {
    pub body: usize,
    pub partner: Partner,
    /// Indices of the pieces that touch.
    pub pieces: [u32; 2],
    /// Parts of the pieces that touch; 0: unknown.
    pub features: [u32; 2],
    /// Unit normal toward the body.
    pub normal: DVec3,
    /// Unit vectors across the normal.
    pub tangents: [DVec3; 2],
    /// The point relative to the center of the body and of the partner [m]; zero for a collider.
    pub arms: [DVec3; 2],
    /// The first arm in the axes of the body's initial orientation [m].
    pub local: DVec3,
    /// Distance at the start of the substep, negative where they overlap [m].
    pub distance: f64,
    /// Mean velocity of a collider at the point [m/s].
    pub drift: DVec3,
    /// Coulomb coefficient [dimensionless].
    pub friction: f64,
    /// Normal velocity that a rebound asks for [m/s]; `None` without one.
    pub rebound: Option<f64>,
    /// Overlap that is left alone [m].
    pub slop: f64,
    /// Impulse on the body along the normal and both tangents [N s].
    pub impulse: [f64; 3],
}

impl Contact {
    /// Returns the directions of its rows.
    pub fn directions(&self) -> [DVec3; 3] {
        [self.normal, self.tangents[0], self.tangents[1]]
    }

    /// Returns the impulse on the body [N s].
    pub fn total(&self) -> DVec3 {
        self.impulse[0] * self.normal
            + self.impulse[1] * self.tangents[0]
            + self.impulse[2] * self.tangents[1]
    }

    /// Returns the least normal velocity that it admits [m/s]. Overlap is not undone by velocity.
    pub fn floor(&self, dt: f64) -> f64 {
        self.rebound.unwrap_or(-self.distance.max(0.0) / dt)
    }
}

/// Maximum number of rows of a joint.
pub(crate) const JOINT_ROWS: usize = 5;

/// A joint of a body with the world: three rows that hold a point and, for a hinge, two that hold its axis.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    pub body: usize,
    pub count: usize,
    /// Rows of the velocities that vanish.
    pub rows: [Vector6; JOINT_ROWS],
    /// Held point relative to the center at the start of the substep [m].
    pub arm: DVec3,
    /// Place of this point relative to where it is held [m].
    pub offset: DVec3,
    /// Axis of the body at the start of the substep and where it is held; zero without a hinge.
    pub axis: DVec3,
    pub held_axis: DVec3,
    pub across: [DVec3; 2],
    /// Impulses of the rows [N s] and [N m s].
    pub impulse: [f64; JOINT_ROWS],
}

/// Contacts and joints of a substep, with the impulses of the last solve.
#[derive(Debug, Clone)]
pub struct Contacts {
    pub(crate) points: Vec<Contact>,
    pub(crate) joints: Vec<Joint>,
    /// Number of bodies.
    pub(crate) bodies: usize,
    /// Length of the substep [s].
    pub(crate) dt: f64,
    /// Iterations of the last solve.
    pub(crate) iterations: u32,
}

impl Contacts {
    /// Returns the number of contact points, with those that are only near.
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// Returns the number of contact points that carry an impulse.
    pub fn loaded(&self) -> usize {
        self.points.iter().filter(|contact| contact.impulse[0] > 0.0).count()
    }

    /// Returns the largest overlap at the start of the substep [m]; 0 without one.
    pub fn deepest(&self) -> f64 {
        self.points.iter().fold(0.0, |deepest: f64, contact| deepest.max(-contact.distance))
    }

    /// Returns the number of iterations of the last solve.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }
}
