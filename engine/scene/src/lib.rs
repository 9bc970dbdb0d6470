//! Scene files: reads TOML into a validated [`Scene`], and samples its bodies into host [`Particles`].
//!
//! Entry points, in the order of a run: [`load`] reads and checks a file (with [`Override`]s), [`sample`] fills the bodies,
//! [`Scene::rescaled`] changes the resolution, [`schema`] describes the format to editors, [`presets`] lists the built-in
//! materials. Every fault ([`SceneError`]) names the line, the value and what is allowed. Results depend on the scene alone: they
//! are the same on every machine.

mod angle;
mod attribute;
mod cloth;
mod decode;
mod defaults;
mod document;
mod emitter;
mod error;
mod load;
mod mesh;
mod mixture;
mod motion;
mod overrides;
mod preset;
mod random;
mod refusal;
mod rescale;
mod rigid;
mod rope;
mod sample;
mod scene;
mod schema;
mod shape;
mod suggest;
#[cfg(test)]
mod testing;

pub use attribute::{ATTRIBUTES, AttributeKind, AttributeRow, FrameAttribute};
pub use cloth::Cloth;
pub use emitter::{Emitter, Sink, layer_spacing};
pub use error::{SceneError, Source, Warning};
pub use load::{Loaded, load, parse};
pub use mesh::{
    ACROSS_CUT, ACROSS_NOTHING, ACROSS_RIM, Deformation, MAX_PATCHES, Mesh, NEAR_TRIANGLES, Near, OPPOSED,
    PseudoNormal, Seen, TreeNode, Weave, nearest_coordinates, where_ray_meets,
};
pub use mixture::{Mixture, value_at};
pub use motion::{Keyframe, Motion, Pose};
pub use overrides::Override;
pub use preset::{Preset, presets};
pub use refusal::Diagnosed;
pub use rigid::{Hold, Rigid, Weight};
pub use rope::{BodyKind, Rope};
pub use sample::{Obstacle, Overlap, Particles, Sampled, contact_radius, free, sample, sample_arranged};
pub use scene::{
    Body, Camera, Checkpoints, Collider, FrameFormat, Friction, Given, Gradient, Material, Matter,
    Multiplier, Output, Pin, Plasticity, PositionCorrection, Preview, Sampling, Scene, Scheme, Selection,
    Smoothing, SolverSettings, Time, Up,
};
pub use schema::schema;
pub use shape::{
    Bounds, CORNER, Edges, Geometry, MassProperties, PARALLEL, ProfileFault, Shape, convex_parts,
    strictly_convex_parts, walls,
};
pub use suggest::nearest;
