//! What the world knows of a body and of a collider.

use glam::{DMat3, DQuat, DVec3};
use tuff_scene::{Hold, Motion, Rigid};

use crate::RigidError;
use crate::matrix::principal;
use crate::pieces::{Piece, of_body};
use crate::twist::State;

/// A rigid body, as it is at all times.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub name: String,
    /// Mass [kg].
    pub mass: f64,
    /// Inertia about the center at the start, scene axes [kg m^2].
    pub inertia: DMat3,
    /// Principal axes at the start.
    pub axes: DQuat,
    /// Principal moments [kg m^2].
    pub moments: DVec3,
    /// Center of mass at the start [m].
    pub center: DVec3,
    /// Initial velocity [m/s] and angular velocity [rad/s].
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
    /// Convex pieces, relative to the center.
    pub pieces: Vec<Piece>,
    /// Largest distance of a point from the center [m].
    pub radius: f64,
    /// Coulomb coefficient [dimensionless].
    pub friction: f64,
    pub restitution: f64,
    pub hold: Option<Hold>,
}

/// A collider, in parts that bodies touch independently of each other.
#[derive(Debug, Clone)]
pub(crate) struct Obstacle {
    pub motion: Motion,
    pub pieces: Vec<Piece>,
    /// Coulomb coefficient [dimensionless].
    pub friction: f64,
    /// Layer that bodies keep free [m].
    pub thickness: f64,
}

impl Body {
    pub fn new(index: usize, rigid: &Rigid) -> Result<Self, RigidError> {
        let properties = rigid.shape.mass_properties();
        let mass = rigid.weight.mass(properties.volume);
        let inertia = properties.inertia * rigid.weight.density(properties.volume);
        let (axes, moments) = principal(inertia);
        if !(mass > 0.0 && mass.is_finite() && moments.min_element() > 0.0 && moments.is_finite()) {
            return Err(RigidError::Massless { index, name: rigid.name.clone() });
        }
        let pieces = of_body(index, rigid, properties.center)?;
        let radius = pieces.iter().fold(0.0_f64, |radius, piece| radius.max(piece.farthest()));
        Ok(Self {
            name: rigid.name.clone(),
            mass,
            inertia,
            axes,
            moments,
            center: properties.center,
            velocity: rigid.velocity,
            angular_velocity: rigid.angular_velocity,
            pieces,
            radius,
            friction: rigid.friction.coefficient(),
            restitution: rigid.restitution,
            hold: rigid.hold,
        })
    }

    /// Returns the state at the start.
    pub fn initial(&self) -> State {
        State {
            position: self.center,
            rotation: DQuat::IDENTITY,
            velocity: self.velocity,
            angular_momentum: self.inertia * self.angular_velocity,
        }
    }

    /// Returns the inertia in scene axes [kg m^2].
    pub fn inertia_at(&self, rotation: DQuat) -> DMat3 {
        let turned = DMat3::from_quat(rotation * self.axes);
        turned * DMat3::from_diagonal(self.moments) * turned.transpose()
    }

    /// Returns the angular velocity at a moment [rad/s].
    pub fn angular_velocity_at(&self, state: &State) -> DVec3 {
        let axes = state.rotation * self.axes;
        axes * ((axes.conjugate() * state.angular_momentum) / self.moments)
    }
}
