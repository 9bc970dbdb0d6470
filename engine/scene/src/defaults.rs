//! Defaults of scene keys, for the decoder and the JSON schema.

use crate::attribute::FrameAttribute;

/// `time.frame_rate` [1/s].
pub const FRAME_RATE: f64 = 24.0;
/// `solver.stabilization` [dimensionless].
pub const STABILIZATION: f64 = 2.0;
/// `solver.iterations` with sweeps; `newton_cg` has [`PASSES`].
pub const ITERATIONS: u32 = 10;
/// `solver.iterations` with `newton_cg`: passes.
pub const PASSES: u32 = 100;
/// `solver.residual_tolerance` with `newton_cg` [dimensionless]; sweeps have none.
pub const RESIDUAL_TOLERANCE: f64 = 1e-2;
/// XSPH coefficient from which the default viscosity follows if neither `xsph` nor `viscosity` is given [dimensionless].
pub const XSPH: f64 = 0.01;
/// `gap` of the position correction by distance [kernel radii].
pub const GAP: f64 = 0.25;
/// `threshold` of the position correction by density [dimensionless].
pub const THRESHOLD: f64 = 0.0;
/// `friction` of colliders and `solver.grain_friction`: Coulomb coefficient [dimensionless].
pub const FRICTION: f64 = 0.5;
/// `seed` of random samplings.
pub const SEED: u64 = 7;
/// `poisson_ratio` of cloth.
pub const CLOTH_POISSON_RATIO: f64 = 0.3;
/// `first` of mesh sequences.
pub const FIRST_FILE: u32 = 1;
/// `width` of previews [pixels].
pub const WIDTH: u32 = 960;
/// `height` of previews [pixels].
pub const HEIGHT: u32 = 540;
/// `fov` of cameras, vertical [degrees].
pub const FOV: f64 = 40.0;
/// `every` of checkpoints: frames between two.
pub const CHECKPOINT_EVERY: u32 = 10;
/// `keep` of checkpoints.
pub const CHECKPOINTS_KEPT: u32 = 2;
/// `output.attributes`.
pub const ATTRIBUTES: [FrameAttribute; 3] =
    [FrameAttribute::Velocity, FrameAttribute::Id, FrameAttribute::Material];
