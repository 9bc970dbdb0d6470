//! The keys of every table of the format; the JSON schema is checked against them.

pub(crate) const ROOT: &[&str] = &[
    "format", "scene", "time", "solver", "material", "body", "rope", "cloth", "emitter", "sink", "mixture",
    "collider", "rigid", "pin", "output",
];
pub(crate) const SCENE: &[&str] = &["name", "up", "gravity"];
pub(crate) const TIME: &[&str] = &["frame_rate", "frames", "max_substep", "substep_bounds"];
pub(crate) const SOLVER: &[&str] = &[
    "kernel_radius",
    "matter",
    "grain_friction",
    "iterations",
    "scheme",
    "plasticity",
    "gradient",
    "multiplier",
    "kernel_correction",
    "residual_tolerance",
    "xsph",
    "viscosity",
    "stabilization",
    "position_correction",
];
pub(crate) const POSITION_CORRECTION: &[&str] = &["kind", "gap", "threshold"];
/// Keys of a material besides its model's parameters.
pub(crate) const MATERIAL: &[&str] = &["name", "preset", "model", "density"];
pub(crate) const BODY: &[&str] = &[
    "name",
    "material",
    "shape",
    "sampling",
    "velocity",
    "angular_velocity",
    "overlap",
    "kinematics",
    "fracture_strain",
];
pub(crate) const ROPE: &[&str] = &[
    "name",
    "points",
    "mesh",
    "spacing",
    "radius",
    "linear_density",
    "stretch_stiffness",
    "bending_stiffness",
    "velocity",
];
pub(crate) const CLOTH: &[&str] = &[
    "name",
    "grid",
    "mesh",
    "surface_density",
    "stretch_stiffness",
    "poisson_ratio",
    "bending_stiffness",
    "damping",
    "thickness",
    "friction",
    "contact",
    "tear_strain",
    "velocity",
];
/// Keys of the grid of a cloth.
pub(crate) const GRID: &[&str] = &["corner", "u", "v", "cells"];
/// Keys of the mesh of a cloth.
pub(crate) const CLOTH_MESH: &[&str] = LINES;
pub(crate) const EMITTER: &[&str] =
    &["name", "material", "shape", "sampling", "velocity", "time", "max_particles"];
pub(crate) const SINK: &[&str] = &["name", "shape"];
pub(crate) const MIXTURE: &[&str] = &["fluid", "grains", "grain_diameter", "porosity", "cohesion"];
pub(crate) const SAMPLING: &[&str] = &["kind", "spacing", "seed", "jitter"];
pub(crate) const COLLIDER: &[&str] =
    &["name", "shape", "side", "inside", "thickness", "friction", "sticky", "adhesion", "motion"];
pub(crate) const RIGID: &[&str] = &[
    "name",
    "shape",
    "density",
    "mass",
    "velocity",
    "angular_velocity",
    "friction",
    "sticky",
    "restitution",
    "adhesion",
    "hold",
];
pub(crate) const HOLD: &[&str] = &["ball", "hinge"];
pub(crate) const HINGE: &[&str] = &["point", "axis"];
pub(crate) const MOTION: &[&str] = &["pivot", "keyframes", "file"];
pub(crate) const KEYFRAME: &[&str] = &["time", "translate", "rotate"];
pub(crate) const PIN: &[&str] = &["body", "region", "vertices", "motion"];
pub(crate) const OUTPUT: &[&str] = &["particles", "attributes", "preview", "checkpoint"];
pub(crate) const CHECKPOINT: &[&str] = &["every", "keep"];
pub(crate) const PREVIEW: &[&str] = &["width", "height", "camera", "color_by"];
pub(crate) const CAMERA: &[&str] = &["eye", "target", "fov"];
pub(crate) const SHAPE: &[&str] = &[
    "plane",
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "revolve",
    "mesh",
    "mesh_sequence",
    "points",
    "rotate",
    "union",
    "subtract",
];
/// Keys of a shape besides its geometry.
pub(crate) const COMBINED: &[&str] = &["rotate", "union", "subtract"];
pub(crate) const PLANE: &[&str] = &["point", "normal"];
pub(crate) const BOX: &[&str] = &["min", "max"];
pub(crate) const SPHERE: &[&str] = &["center", "radius"];
/// Keys of cylinders and capsules.
pub(crate) const ROUND: &[&str] = &["from", "to", "radius"];
pub(crate) const REVOLVE: &[&str] = &["from", "to", "profile"];
pub(crate) const MESH: &[&str] = &["file", "animation", "scale", "translate", "rotate"];
pub(crate) const MESH_SEQUENCE: &[&str] = &["files", "first", "frame_rate", "scale", "translate", "rotate"];
/// Keys of the mesh of a rope.
pub(crate) const LINES: &[&str] = &["file", "scale", "translate", "rotate"];
pub(crate) const POINTS: &[&str] = &["file"];
