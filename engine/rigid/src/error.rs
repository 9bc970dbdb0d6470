//! What cannot be touched.

use tuff_scene::Diagnosed;

/// Reason why a world of rigid bodies cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RigidError {
    /// The mass or a moment of inertia of a body is not positive.
    #[error("rigid body `{name}` has no mass or no inertia; check `density` or `mass`, and its shape")]
    Massless {
        /// Index of the body.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A body with parts cut away, which is no union of convex pieces.
    #[error(
        "rigid body `{name}`: contacts with `subtract` are not supported; use a closed mesh, `union` or `revolve`"
    )]
    SubtractedBody {
        /// Index of the body.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A body of a geometry without inside.
    #[error(
        "rigid body `{name}` cannot be a {kind}; use a box, sphere, cylinder, capsule, revolve or closed mesh"
    )]
    Body {
        /// Index of the body.
        index: usize,
        /// Its name.
        name: String,
        /// Its geometry.
        kind: &'static str,
    },
    /// A collider with parts cut away.
    #[error(
        "rigid bodies cannot touch collider `{name}`, which has `subtract`; use a mesh, or several colliders"
    )]
    SubtractedCollider {
        /// Index of the collider.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A container with parts.
    #[error(
        "rigid bodies cannot touch collider `{name}`, a container with `union`; use a mesh with `side = \"inside\"`"
    )]
    JoinedContainer {
        /// Index of the collider.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A collider that deforms.
    #[error("rigid bodies cannot touch collider `{name}`, whose mesh deforms")]
    Deforming {
        /// Index of the collider.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A collider whose surface has no triangles.
    #[error("rigid bodies cannot touch collider `{name}`, whose surface is empty")]
    Collider {
        /// Index of the collider.
        index: usize,
        /// Its name.
        name: String,
    },
}

impl RigidError {
    /// Returns the part of the scene that is at fault.
    pub fn about(&self) -> Diagnosed {
        match *self {
            Self::Massless { index, .. } | Self::SubtractedBody { index, .. } | Self::Body { index, .. } => {
                Diagnosed::Rigid(index)
            }
            Self::SubtractedCollider { index, .. }
            | Self::JoinedContainer { index, .. }
            | Self::Deforming { index, .. }
            | Self::Collider { index, .. } => Diagnosed::Collider(index),
        }
    }
}
