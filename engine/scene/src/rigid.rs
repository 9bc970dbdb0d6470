//! Rigid bodies of a scene.

use glam::DVec3;

use crate::motion::Motion;
use crate::scene::{Collider, Friction, Scene};
use crate::shape::Shape;

/// A body of six degrees of freedom.
#[derive(Debug, Clone)]
pub struct Rigid {
    /// Name, unique among bodies, ropes, cloth, emitters, colliders and rigid bodies.
    pub name: String,
    /// Its solid at the start, of uniform density.
    pub shape: Shape,
    /// What its mass follows from.
    pub weight: Weight,
    /// Initial velocity of the center of mass [m/s].
    pub velocity: DVec3,
    /// Initial angular velocity [rad/s].
    pub angular_velocity: DVec3,
    /// Tangential contact law.
    pub friction: Friction,
    /// Part of the approach speed with which it rebounds from rigid bodies and colliders [dimensionless].
    pub restitution: f64,
    /// Largest pull that a contact with matter bears before it lets go [Pa].
    pub adhesion: f64,
    /// Joint with the world; `None` if the body is free.
    pub hold: Option<Hold>,
}

/// What the mass of a rigid body follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weight {
    /// Density [kg/m^3].
    Density(f64),
    /// Mass [kg].
    Mass(f64),
}

impl Weight {
    /// Returns the density of a body of this volume [kg/m^3].
    pub fn density(self, volume: f64) -> f64 {
        match self {
            Self::Density(density) => density,
            Self::Mass(mass) => mass / volume,
        }
    }

    /// Returns the mass of a body of this volume [kg].
    pub fn mass(self, volume: f64) -> f64 {
        match self {
            Self::Density(density) => density * volume,
            Self::Mass(mass) => mass,
        }
    }
}

/// Joint of a rigid body with the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// A point of the body that stays in place [m].
    Ball(DVec3),
    /// An axis of the body that stays in place.
    Hinge {
        /// Point of the axis [m].
        point: DVec3,
        /// Direction of the axis, a unit vector.
        axis: DVec3,
    },
}

impl Rigid {
    /// Returns the body as matter meets it where it starts.
    pub fn as_collider(&self) -> Collider {
        Collider {
            name: self.name.clone(),
            shape: self.shape.clone(),
            inside: false,
            sheet: false,
            thickness: 0.0,
            friction: self.friction,
            adhesion: self.adhesion,
            motion: Motion::IDENTITY,
        }
    }
}

impl Scene {
    /// Returns what matter meets: the colliders, then the rigid bodies where they start.
    pub fn obstacles(&self) -> Vec<Collider> {
        self.colliders.iter().cloned().chain(self.rigid.iter().map(Rigid::as_collider)).collect()
    }

    /// Returns kind and name of an obstacle, by its index among [`Scene::obstacles`].
    pub fn obstacle(&self, index: usize) -> (&'static str, &str) {
        match self.colliders.get(index) {
            Some(collider) => ("collider", &collider.name),
            None => ("rigid body", &self.rigid[index - self.colliders.len()].name),
        }
    }
}
