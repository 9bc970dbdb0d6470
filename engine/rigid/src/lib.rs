//! Rigid bodies: their free motion, their contacts with each other and with colliders, their joints with the world.
//!
//! Entry point: [`World::new`]. A substep is what [`World::step`] does, a reference for scenes of rigid bodies alone: it predicts twists,
//! finds contacts once, solves for the twists, and commits. Beside matter, [`Bodies`] does the same in turns: matter changes the targets
//! between prediction and solve ([`Target`]), the solve is repeated, and the impulses of matter are committed with those of contacts.
//!
//! Twists and momenta are kept apart: a twist says how a body moves during a substep, impulses say how its momentum changes, so that
//! momentum is exact whatever the twist is.
//!
//! Contact laws: friction of a pair is the smaller coefficient, restitution the larger one. Limits: a body that a single substep carries
//! through a thin sheet is not caught; adhesion acts on matter alone; restitution of more than one contact at a time is not shared exactly.
//! Closed meshes that are not convex are replaced by an approximate convex decomposition, for contacts alone. Results depend on the input
//! alone: there are no threads and no unordered maps.

mod bodies;
mod body;
mod contacts;
mod coupling;
mod error;
mod free;
mod joints;
mod manifold;
mod matrix;
mod pieces;
mod polygon;
mod search;
mod shift;
mod solve;
mod tessellate;
mod touch;
mod twist;
mod warm;
mod world;

pub use bodies::{Balance, Bodies, Load, RigidState, Trial};
pub use contacts::Contacts;
pub use coupling::add_resistance;
pub use error::RigidError;
pub use matrix::Matrix6;
pub use solve::Target;
pub use twist::{Displacement, State, Twist, Wrench, rotation, rotation_vector};
pub use world::World;
