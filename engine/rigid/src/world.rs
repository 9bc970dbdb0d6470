//! The world of rigid bodies and the colliders that they can touch.

use glam::{DMat3, DVec3};
use tuff_scene::{Collider, Motion, Pose, Rigid};

use crate::RigidError;
use crate::body::{Body, Obstacle};
use crate::contacts::{Contacts, Partner};
use crate::matrix::{Matrix6, mass_matrix};
use crate::pieces::of_collider;
use crate::solve::Target;
use crate::twist::{Displacement, State, Twist, Wrench, rotation};

/// All bodies, and the colliders that they can touch, as they are at all times.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub(crate) bodies: Vec<Body>,
    pub(crate) obstacles: Vec<Obstacle>,
}

impl World {
    /// Prepares bodies and colliders. Without bodies, colliders of any kind are accepted.
    ///
    /// # Errors
    /// Bodies and colliders that cannot be touched.
    pub fn new(rigid: &[Rigid], colliders: &[Collider]) -> Result<Self, RigidError> {
        let bodies = rigid.iter().enumerate().map(|(index, rigid)| Body::new(index, rigid));
        let bodies: Vec<Body> = bodies.collect::<Result<_, _>>()?;
        let obstacle = |(index, collider): (usize, &Collider)| {
            Ok(Obstacle {
                motion: collider.motion.clone(),
                pieces: of_collider(index, collider)?,
                friction: collider.friction.coefficient(),
                thickness: collider.thickness,
            })
        };
        let wanted = if bodies.is_empty() { &[] } else { colliders };
        let obstacles = wanted.iter().enumerate().map(obstacle).collect::<Result<_, RigidError>>()?;
        Ok(Self { bodies, obstacles })
    }

    /// Replaces the motion of a collider.
    pub fn set_motion(&mut self, collider: usize, motion: &Motion) {
        if let Some(obstacle) = self.obstacles.get_mut(collider) {
            obstacle.motion.clone_from(motion);
        }
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Returns true if there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Returns the states at the start, shape [body_count].
    pub fn initial(&self) -> Vec<State> {
        self.bodies.iter().map(Body::initial).collect()
    }

    /// Returns the name of a body.
    pub fn name(&self, body: usize) -> &str {
        &self.bodies[body].name
    }

    /// Returns the mass of a body [kg].
    pub fn mass(&self, body: usize) -> f64 {
        self.bodies[body].mass
    }

    /// Returns the inertia of a body about its center, scene axes [kg m^2].
    pub fn inertia(&self, body: usize, state: &State) -> DMat3 {
        self.bodies[body].inertia_at(state.rotation)
    }

    /// Returns the inertia of a body about its center in an orientation relative to its start, scene axes [kg m^2].
    pub fn inertia_of(&self, body: usize, rotation: glam::DQuat) -> DMat3 {
        self.bodies[body].inertia_at(rotation)
    }

    /// Returns the matrix from twists of a body to its momentum, scene axes.
    pub fn mass_matrix(&self, body: usize, state: &State) -> Matrix6 {
        mass_matrix(self.mass(body), self.inertia(body, state))
    }

    /// Returns the angular velocity of a body at a moment [rad/s].
    pub fn angular_velocity(&self, body: usize, state: &State) -> DVec3 {
        self.bodies[body].angular_velocity_at(state)
    }

    /// Returns the radius of a ball about the center of mass that holds the body [m].
    pub fn radius(&self, body: usize) -> f64 {
        self.bodies[body].radius
    }

    /// Returns the highest speed of a point of a body, at most [m/s].
    pub fn max_speed(&self, body: usize, state: &State) -> f64 {
        state.velocity.length() + self.angular_velocity(body, state).length() * self.radius(body)
    }

    /// Returns the mean twist over a substep `dt` [s] of every body under gravity [m/s^2], without contacts: it carries the pose at the
    /// start to that at the end. Centers advance with the new velocity; orientations are those of free bodies whose angular momentum is
    /// fixed.
    pub fn predict(&self, states: &[State], gravity: DVec3, dt: f64) -> Vec<Twist> {
        std::iter::zip(&self.bodies, states)
            .map(|(body, state)| crate::free::twist(body, state, gravity, dt))
            .collect()
    }

    /// Returns the placement that carries points of the scene, where the body is at the start, to where they are now.
    pub fn pose(&self, body: usize, state: &State) -> Pose {
        let rotation = state.rotation;
        Pose { rotation, translation: state.position - rotation * self.bodies[body].center }
    }

    /// Returns the placement after a substep `dt` [s] with this twist.
    pub fn pose_after(&self, body: usize, state: &State, twist: Twist, dt: f64) -> Pose {
        self.pose(body, &moved(state, twist, dt, Displacement::ZERO))
    }

    /// Ends a substep `dt` [s]: moves bodies by their twists and displacements, and adds gravity [m/s^2] and `wrenches`, the sum of all
    /// other impulses on each body, to their momenta.
    pub fn commit(
        &self,
        states: &mut [State],
        twists: &[Twist],
        wrenches: &[Wrench],
        gravity: DVec3,
        dt: f64,
        displacements: &[Displacement],
    ) {
        for (index, state) in states.iter_mut().enumerate() {
            let wrench = wrenches[index];
            let velocity = state.velocity + dt * gravity + wrench.linear / self.mass(index);
            let angular_momentum = state.angular_momentum + wrench.angular;
            let place = moved(state, twists[index], dt, displacements[index]);
            *state = State { velocity, angular_momentum, ..place };
        }
    }

    /// Advances bodies that touch nothing but colliders and each other by a substep from `time` [s] over `dt` [s]. `contacts` are those of
    /// the last substep, and then of this one.
    pub fn step(
        &self,
        states: &mut [State],
        contacts: &mut Option<Contacts>,
        gravity: DVec3,
        time: f64,
        dt: f64,
    ) {
        let predicted = self.predict(states, gravity, dt);
        let mut now = self.touch(states, &predicted, time, dt, contacts.as_ref());
        let target = |(index, (state, twist)): (usize, (&State, &Twist))| Target {
            matrix: self.mass_matrix(index, state),
            twist: *twist,
        };
        let targets: Vec<Target> = std::iter::zip(&*states, &predicted).enumerate().map(target).collect();
        let twists = self.solve(&mut now, &targets, dt);
        let displacements = self.displacements(&now, &targets);
        self.commit(states, &twists, &self.impulses(&now), gravity, dt, &displacements);
        *contacts = Some(now);
    }

    /// Returns the kinetic energy of a body [J].
    pub fn kinetic_energy(&self, body: usize, state: &State) -> f64 {
        let turning = state.angular_momentum.dot(self.angular_velocity(body, state));
        0.5 * (self.mass(body) * state.velocity.length_squared() + turning)
    }

    /// Returns the potential energy of a body under gravity [m/s^2], relative to the scene's origin [J].
    pub fn potential_energy(&self, body: usize, state: &State, gravity: DVec3) -> f64 {
        -self.mass(body) * gravity.dot(state.position)
    }

    /// Returns the momentum of all bodies [N s].
    pub fn momentum(&self, states: &[State]) -> DVec3 {
        states.iter().enumerate().map(|(index, state)| self.mass(index) * state.velocity).sum()
    }

    /// Returns the angular momentum of all bodies about the scene's origin [N m s].
    pub fn angular_momentum(&self, states: &[State]) -> DVec3 {
        let of = |(index, state): (usize, &State)| {
            state.angular_momentum + state.position.cross(self.mass(index) * state.velocity)
        };
        states.iter().enumerate().map(of).sum()
    }
}

fn moved(state: &State, twist: Twist, dt: f64, displacement: Displacement) -> State {
    let turned = rotation(displacement.angular) * (rotation(dt * twist.angular) * state.rotation);
    State {
        position: state.position + dt * twist.linear + displacement.linear,
        rotation: turned.normalize(),
        ..*state
    }
}

impl Body {
    /// Returns the radius of the smaller one of a pair [m].
    pub(crate) fn size_of(bodies: &[Self], body: usize, partner: Partner) -> f64 {
        partner.body().map_or(bodies[body].radius, |other| bodies[body].radius.min(bodies[other].radius))
    }
}
