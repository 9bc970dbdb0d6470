//! The table `cloth`.

use schemars::JsonSchema;

use super::{LinesFile, Vector, cloth_poisson_ratio, friction, origin, yes, zero};

/// A sheet of triangles whose vertices are particles. It resists stretch and shear as a membrane and bending as a plate; it is at rest as
/// given. It touches colliders and rigid bodies at its vertices, with their friction; matter, other cloth and itself at its triangles.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Cloth {
    /// Name of the cloth, also that of its material in frames and pictures.
    name: String,
    /// Parallelogram divided into cells of two triangles; excludes `mesh`.
    grid: Option<Grid>,
    /// File of triangles that share their vertices, which become particles; excludes `grid`.
    mesh: Option<LinesFile>,
    /// Mass per area [kg/m^2].
    #[schemars(extend("exclusiveMinimum" = 0))]
    surface_density: f64,
    /// Young's modulus times the thickness [N/m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    stretch_stiffness: f64,
    /// Poisson's ratio of stretch and bending.
    #[schemars(default = "cloth_poisson_ratio", range(min = -0.9, max = 0.9))]
    poisson_ratio: f64,
    /// Bending moment per curvature and width [N m].
    #[schemars(default = "zero", range(min = 0))]
    bending_stiffness: f64,
    /// Stiffness-proportional damping of stretch and bending [s].
    #[schemars(default = "zero", range(min = 0, max = 1000))]
    damping: f64,
    /// Thickness [m]: what touches it stays half of it away.
    #[schemars(extend("exclusiveMinimum" = 0))]
    thickness: f64,
    /// Coulomb coefficient of matter and cloth on it; between two cloths the smaller one counts.
    #[schemars(default = "friction", range(min = 0))]
    friction: f64,
    /// Whether matter, other cloth and itself touch its triangles.
    #[schemars(default = "yes")]
    contact: bool,
    /// Largest principal strain (stretch less 1) that a triangle bears before it tears; 0: it never does.
    #[schemars(default = "zero", range(min = 0, max = 100))]
    tear_strain: f64,
    /// Initial velocity [m/s].
    #[schemars(default = "origin")]
    velocity: Vector,
}

/// A parallelogram of triangles; vertices are numbered from `corner` along `u`, then row by row along `v`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Grid {
    /// Where it begins [m].
    corner: Vector,
    /// First side [m].
    u: Vector,
    /// Second side [m].
    v: Vector,
    /// Number of cells along `u` and `v`; their diagonals run from `corner` on.
    #[schemars(inner(range(min = 1, max = 10000)))]
    cells: [u32; 2],
}
