//! The table `rope`.

use schemars::JsonSchema;

use super::{LinesFile, Vector, origin, zero};

/// A line of particles. Bending stiffness straightens it, but not at vertices where three segments or more meet. Linear density is mass per
/// length, EA and EI are Young's modulus times the cross section and its second moment of area.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Rope {
    /// Name of the rope, also that of its material in frames and pictures.
    name: String,
    /// Polyline that is divided at `spacing` [m]; closed if it ends where it begins. Excludes `mesh`.
    #[schemars(length(min = 2))]
    points: Option<Vec<Vector>>,
    /// OBJ file with `l` elements, whose vertices become particles; excludes `points`.
    mesh: Option<LinesFile>,
    /// Distance of the particles of a polyline [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    spacing: Option<f64>,
    /// Half the thickness [m]: where it touches colliders; its ends, which bear half a segment, at 0.8 of it. It touches matter and other
    /// ropes, without friction, at the distance that `position_correction = { kind = "distance" }` keeps particles apart.
    #[schemars(extend("exclusiveMinimum" = 0))]
    radius: f64,
    /// Mass per length [kg/m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    linear_density: f64,
    /// EA [N].
    #[schemars(extend("exclusiveMinimum" = 0))]
    stretch_stiffness: f64,
    /// EI [N m^2].
    #[schemars(default = "zero", range(min = 0))]
    bending_stiffness: f64,
    /// Initial velocity [m/s].
    #[schemars(default = "origin")]
    velocity: Vector,
}
