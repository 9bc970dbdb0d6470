//! The tables of the format as types, from which the schema is derived; never constructed.
#![allow(dead_code, reason = "only the derived schemas of these types are used")]

mod cloth;
mod rope;

use schemars::JsonSchema;

use self::cloth::Cloth;
use self::rope::Rope;
use crate::attribute::ATTRIBUTES;
use crate::defaults;

type Vector = [f64; 3];

macro_rules! defaults {
    ($($name:ident: $type:ty = $value:expr;)*) => { $(fn $name() -> $type { $value })* };
}

defaults! {
    y: Up = Up::Y;
    frame_rate: f64 = defaults::FRAME_RATE;
    max_substep: Substep = Substep::Found(Found::Auto);
    iterations: u32 = defaults::ITERATIONS;
    continuum: Matter = Matter::Continuum;
    automatic: Scheme = Scheme::Auto;
    implicit: Plasticity = Plasticity::Implicit;
    kirchhoff: Gradient = Gradient::Kirchhoff;
    scalar: Multiplier = Multiplier::Scalar;
    distance: Correction = Correction::Distance;
    poisson_disk: SamplingKind = SamplingKind::PoissonDisk;
    yes: bool = true;
    no: bool = false;
    zero: f64 = 0.0;
    cloth_poisson_ratio: f64 = defaults::CLOTH_POISSON_RATIO;
    one: f64 = 1.0;
    stabilization: f64 = defaults::STABILIZATION;
    gap: f64 = defaults::GAP;
    threshold: f64 = defaults::THRESHOLD;
    seed: u64 = defaults::SEED;
    first_file: u32 = defaults::FIRST_FILE;
    origin: Vector = [0.0; 3];
    friction: f64 = defaults::FRICTION;
    width: u32 = defaults::WIDTH;
    height: u32 = defaults::HEIGHT;
    fov: f64 = defaults::FOV;
    every: u32 = defaults::CHECKPOINT_EVERY;
    keep: u32 = defaults::CHECKPOINTS_KEPT;
    ply: Vec<Format> = vec![Format::Ply];
    attributes: Vec<String> = defaults::ATTRIBUTES.iter().map(|attribute| attribute.name().to_owned()).collect();
}

/// A Tuff scene. SI units, right-handed.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SceneFile {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    format: u32,
    /// Name and gravity.
    scene: Header,
    /// Frames and the time step.
    time: Time,
    /// Numerical settings; may be left out where there are only ropes and grids of cloth.
    solver: Option<Solver>,
    /// Materials, at least one unless there are ropes or cloth.
    #[schemars(length(min = 1))]
    material: Option<Vec<Material>>,
    /// Bodies, at least one unless there are ropes, cloth or emitters.
    #[schemars(length(min = 1))]
    body: Option<Vec<Body>>,
    /// Ropes: lines of particles that stretch and bend.
    rope: Option<Vec<Rope>>,
    /// Cloth: triangles of particles that stretch, shear and bend.
    cloth: Option<Vec<Cloth>>,
    /// Sources of matter.
    emitter: Option<Vec<Emitter>>,
    /// Regions whose particles leave the run.
    sink: Option<Vec<Sink>>,
    /// Fluids that seep into grains. Without one, a fluid and grains meet at their boundary only.
    mixture: Option<Vec<Mixture>>,
    /// Rigid obstacles.
    collider: Option<Vec<Collider>>,
    /// Rigid bodies, coupled with matter, colliders and each other.
    rigid: Option<Vec<Rigid>>,
    /// Particles that are held or driven.
    pin: Option<Vec<Pin>>,
    /// What a run writes.
    output: Option<Output>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Header {
    /// Name of the scene and of its output files.
    #[schemars(regex(pattern = r"^[a-z0-9_]+$"))]
    name: String,
    /// The axis that points up.
    #[schemars(default = "y")]
    up: Up,
    /// Gravitational acceleration [m/s^2]; default: 9.81 against `up`.
    gravity: Option<Vector>,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Up {
    Y,
    Z,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Time {
    /// Frames per second.
    #[schemars(default = "frame_rate", extend("exclusiveMinimum" = 0))]
    frame_rate: f64,
    /// First and last frame, inclusive; the first shows the initial state.
    frames: [u32; 2],
    /// Upper bound of a substep [s]; a frame is divided evenly. `"auto"`: the largest step that reaches
    /// `solver.residual_tolerance` at the lowest cost is looked for while running, frame by frame, such that by
    /// its speed at the start of the frame no particle moves more than half of `solver.kernel_radius` in a substep. run.json records what each frame took.
    /// The default, except where the scene names sweeps (or `multiplier`, which leads to them), `iterations` below 60,
    /// `residual_tolerance = 0`, `xsph` or `matter = "grains"`: 1e-4 then.
    #[schemars(default = "max_substep")]
    max_substep: Substep,
    /// With `max_substep = "auto"`: the least and the largest step that is looked for [s]. Default: 1e-5 and a frame.
    substep_bounds: Option<[f64; 2]>,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(untagged)]
enum Substep {
    Length(#[schemars(extend("exclusiveMinimum" = 0))] f64),
    Found(Found),
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Found {
    Auto,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Solver {
    /// Smoothing-kernel radius r [m]; the support is 2 r. Required unless there are only ropes and grids of cloth: their least spacing then.
    #[schemars(extend("exclusiveMinimum" = 0))]
    kernel_radius: Option<f64>,
    /// Pieces of a continuum, or for comparison rigid spheres of the kernel radius in diameter that know no material.
    #[schemars(default = "continuum")]
    matter: Matter,
    /// With `grains`: Coulomb coefficient between two of them.
    #[schemars(default = "friction", range(min = 0))]
    grain_friction: f64,
    /// Iterations per substep; with `newton_cg` the most passes over all pairs, default 100. With
    /// `auto` what it chooses decides.
    #[schemars(default = "iterations", range(min = 1))]
    iterations: u32,
    /// Order in which constraints see each other, or with `newton_cg` no constraints: the force balance itself, for large steps
    /// of stiff matter. `auto`: `newton_cg` where the substep is found while running, where sound crosses 0.2 particle spacings or more per
    /// substep, or where a `residual_tolerance` is given, unless `iterations` gives it less than 60 or `multiplier` is given; otherwise
    /// `gauss_seidel`. `tuff check` and run.json say which and why.
    #[schemars(default = "automatic")]
    scheme: Scheme,
    /// Whether the return mapping acts in every iteration or only at the end of a substep.
    #[schemars(default = "implicit")]
    plasticity: Plasticity,
    /// Form of the constraint gradient under plastic flow.
    #[schemars(default = "kirchhoff")]
    gradient: Gradient,
    /// What a constraint accumulates: one scalar (the published method) or the impulse as a tensor.
    #[schemars(default = "scalar")]
    multiplier: Multiplier,
    /// Whether kernel gradients are corrected to first-order exactness.
    #[schemars(default = "yes")]
    kernel_correction: bool,
    /// Relative force residual at which iterations stop early; 0: never. Default with `newton_cg`: 0.01.
    #[schemars(default = "zero", range(min = 0))]
    residual_tolerance: f64,
    /// XSPH coefficient per substep; excludes `viscosity`. Default, where neither is given: a viscosity of `13.3 kernel_radius^2` per
    /// second against noise alone, which leaves motion that turns, shears or stretches evenly as it is.
    #[schemars(range(min = 0, max = 1))]
    xsph: Option<f64>,
    /// Kinematic viscosity of the smoothing [m^2/s], against all motion and independent of the step; excludes `xsph`.
    #[schemars(range(min = 0))]
    viscosity: Option<f64>,
    /// Stiffness of the zero-energy memory; 0: off.
    #[schemars(default = "stabilization", range(min = 0, max = 100))]
    stabilization: f64,
    /// What keeps particles from clumping.
    position_correction: Option<PositionCorrection>,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Matter {
    Continuum,
    Grains,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Scheme {
    GaussSeidel,
    Jacobi,
    NewtonCg,
    Auto,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Plasticity {
    Implicit,
    SemiImplicit,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Gradient {
    Kirchhoff,
    Literal,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Multiplier {
    Scalar,
    Tensor,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Correction {
    Distance,
    Density,
    None,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PositionCorrection {
    /// What is bounded: the distance of two particles, or the density around one.
    #[schemars(default = "distance")]
    kind: Correction,
    /// With `distance`: particles nearer than (1 - gap) r are pushed apart.
    #[schemars(default = "gap", range(min = 0, max = 1))]
    gap: f64,
    /// With `density`: neighborhoods that exceed the rest density by more than this part of it are pushed apart.
    #[schemars(default = "threshold", range(min = 0, max = 1))]
    threshold: f64,
}

/// A constitutive model with parameter values; every other key is a parameter that the model declares.
#[derive(JsonSchema)]
struct Material {
    /// What bodies refer to.
    name: String,
    /// A material that ships, or a file `*.toml` relative to the scene; its keys hold where this table has none.
    preset: Option<String>,
    /// Id of the model.
    model: Option<String>,
    /// Rest density [kg/m^3].
    #[schemars(extend("exclusiveMinimum" = 0))]
    density: Option<f64>,
}

/// A source of matter: its shape is filled again and again, and what fills it leaves at its front, layer by layer.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Emitter {
    /// Name of the emitter; bodies must not have it.
    name: String,
    /// Name of the material.
    material: String,
    /// Region to fill. Prisms along the velocity leave no gaps between their layers.
    shape: Shape,
    /// How the region is filled; default: Poisson disk at the kernel radius.
    sampling: Option<Sampling>,
    /// Velocity of what is emitted [m/s]; not zero.
    velocity: Vector,
    /// First and last time [s]; default: from the start to the end of the run.
    time: Option<[f64; 2]>,
    /// Largest number of particles in all; only whole layers are emitted.
    #[schemars(range(min = 1))]
    max_particles: Option<u64>,
}

/// A region whose particles leave the run at the end of every frame; ropes, cloth and rigid bodies stay.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sink {
    /// Name of the sink.
    name: String,
    /// The region, which is at rest.
    shape: Shape,
}

/// A fluid and the grains whose pores it may fill.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Mixture {
    /// Name of the fluid's material.
    fluid: String,
    /// Name of the grains' material, whose density is that of the dry grains with their pores.
    grains: String,
    /// Diameter of the grains [m]; sets the drag by the law of Kozeny and Carman.
    #[schemars(range(min = 1e-7, max = 1.0))]
    grain_diameter: f64,
    /// Fraction of the grains' volume that is pores.
    #[schemars(range(min = 0.01, max = 0.99))]
    porosity: f64,
    /// Points [saturation, cohesion in Pa] of the cohesion that the fluid gives to the grains, in addition to their own; linear between
    /// them. None by default.
    cohesion: Option<Vec<[f64; 2]>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Body {
    /// Name of the body.
    name: String,
    /// Name of its material.
    material: String,
    /// Region to fill.
    shape: Shape,
    /// How the region is filled; default: Poisson disk at the kernel radius.
    sampling: Option<Sampling>,
    /// Initial velocity [m/s].
    #[schemars(default = "origin")]
    velocity: Vector,
    /// Initial angular velocity about the centroid [rad/s].
    #[schemars(default = "origin")]
    angular_velocity: Vector,
    /// What happens if more than 5 % of the body starts more than half a spacing inside a collider or another body.
    #[schemars(default = "refused")]
    overlap: Overlap,
    /// What the deformation is measured from. "updated": the last substep, among the present neighbors, so that matter can flow, tear and
    /// mend. "total": the start, among the neighbors there, so that matter never tears by itself; for bodies of rubber, metal that bends,
    /// fibers.
    #[schemars(default = "updated")]
    kinematics: Kinematics,
    /// Strain (stretch less 1) at which a pair of particles of a body with `kinematics` = "total" breaks for good; 0: none does.
    #[schemars(default = "zero", range(min = 0, max = 1000))]
    fracture_strain: f64,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Overlap {
    /// The scene is refused.
    Error,
    /// The body is moved out of colliders and of other bodies, and pushed apart from what is left of them, without gaining speed.
    PushOut,
}

fn refused() -> Overlap {
    Overlap::Error
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Kinematics {
    Updated,
    Total,
}

fn updated() -> Kinematics {
    Kinematics::Updated
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum SamplingKind {
    PoissonDisk,
    Lattice,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sampling {
    /// Random points no nearer than the spacing, or centers of cubic cells.
    #[schemars(default = "poisson_disk")]
    kind: SamplingKind,
    /// Distance of the particles [m]; default: the kernel radius.
    #[schemars(extend("exclusiveMinimum" = 0))]
    spacing: Option<f64>,
    /// Seed of the generator.
    #[schemars(default = "seed")]
    seed: u64,
    /// Largest random displacement along each axis of a lattice [spacings].
    #[schemars(default = "zero", range(min = 0, max = 0.5))]
    jitter: f64,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Collider {
    /// Name of the collider.
    name: String,
    /// Its surface: plane, box, sphere, cylinder, capsule, revolve, mesh or sequence of meshes.
    shape: Shape,
    /// Where matter is; default: outside, or both for a mesh that is not closed. Both: a sheet, which only a mesh can be.
    side: Option<Side>,
    /// Whether matter is kept inside instead of outside; excludes `side`.
    #[schemars(default = "no")]
    inside: bool,
    /// Layer above the surface that matter keeps free, in addition to a particle's radius [m].
    #[schemars(default = "zero", range(min = 0))]
    thickness: f64,
    /// Coulomb coefficient; excludes `sticky = true`.
    #[schemars(default = "friction", range(min = 0))]
    friction: f64,
    /// Friction of 10: nothing slips but what is hardly pressed.
    #[schemars(default = "no")]
    sticky: bool,
    /// Largest pull that a contact bears before it lets go [Pa]. Friction counts the pull as pressure.
    #[schemars(default = "zero", range(min = 0))]
    adhesion: f64,
    /// Rigid motion; default: at rest.
    motion: Option<Motion>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum Side {
    /// Outside the shape.
    Outside,
    /// Inside: a container.
    Inside,
    /// On both sides of a sheet; each particle stays on its own.
    Both,
}

/// A body of six degrees of freedom: it moves matter and is moved by it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Rigid {
    /// Name of the body; no other body, rope, cloth, emitter or collider has it.
    name: String,
    /// Its solid: box, sphere, cylinder, capsule, revolve or closed mesh.
    shape: Shape,
    /// Density [kg/m^3], from which mass and inertia follow; excludes `mass`.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 1e9))]
    density: Option<f64>,
    /// Mass [kg], spread evenly over the shape; excludes `density`.
    #[schemars(range(min = 1e-18, max = 1e18))]
    mass: Option<f64>,
    /// Initial velocity of the center of mass [m/s].
    #[schemars(default = "origin")]
    velocity: Vector,
    /// Initial angular velocity [rad/s].
    #[schemars(default = "origin")]
    angular_velocity: Vector,
    /// Coulomb coefficient; excludes `sticky = true`.
    #[schemars(default = "friction", range(min = 0, max = 10))]
    friction: f64,
    /// Friction of 10: only contacts that are hardly pressed slip.
    #[schemars(default = "no")]
    sticky: bool,
    /// Part of the approach speed with which it rebounds from rigid bodies and colliders.
    #[schemars(default = "zero", range(min = 0, max = 1))]
    restitution: f64,
    /// Largest pull that a contact with matter bears before it lets go [Pa].
    #[schemars(default = "zero", range(min = 0))]
    adhesion: f64,
    /// Joint with the world; default: free.
    hold: Option<Hold>,
}

/// A joint between a rigid body and the world.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Hold {
    /// Point of the body that stays in place [m], about which it turns freely.
    ball: Option<Vector>,
    /// Axis that stays in place, about which the body turns.
    hinge: Option<Hinge>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Hinge {
    /// Point of the axis [m].
    point: Vector,
    /// Direction of the axis, of any length.
    axis: Vector,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Motion {
    /// Point about which the motion rotates [m]; default: the center of the collider's or of the
    /// pinned body's shape for keyframes, the scene's origin for a file.
    pivot: Option<Vector>,
    /// Keys with increasing times; displacements are interpolated linearly, rotations along the shortest
    /// way.
    #[schemars(length(min = 1))]
    keyframes: Option<Vec<Keyframe>>,
    /// In place of keyframes, a CSV file with the lines time, x, y, z, qw, qx, qy, qz [s, m, unit quaternion]: where the
    /// scene's origin, such as that of a mesh file, is carried. A header line is allowed.
    file: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Keyframe {
    /// Time since the first frame [s].
    time: f64,
    /// Displacement [m].
    #[schemars(default = "origin")]
    translate: Vector,
    /// Angles about x, then y, then z [degrees].
    #[schemars(default = "origin")]
    rotate: Vector,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Pin {
    /// Name of the body.
    body: String,
    /// Shape that holds the pinned particles at the start; excludes `vertices`.
    region: Option<Shape>,
    /// Of a rope or cloth: numbers of the pinned particles, counted from 0 along the points or row by row (or in the order of the file), or
    /// from the end with -1.
    vertices: Option<Vec<i32>>,
    /// Rigid motion; default: held in place.
    motion: Option<Motion>,
}

/// A region of space: exactly one geometry, and what is done to it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Shape {
    /// The half space behind a plane.
    plane: Option<Plane>,
    /// A box along the axes.
    #[schemars(rename = "box")]
    cuboid: Option<Cuboid>,
    /// A ball.
    sphere: Option<Sphere>,
    /// A flat-ended cylinder.
    cylinder: Option<Round>,
    /// A cylinder with round ends beyond `from` and `to`.
    capsule: Option<Round>,
    /// A closed polygon revolved about an axis.
    revolve: Option<Revolve>,
    /// A triangle mesh.
    mesh: Option<MeshFile>,
    /// Of colliders: a triangle mesh that deforms, one file per frame.
    mesh_sequence: Option<MeshSequence>,
    /// Positions from a file, taken as they are.
    points: Option<PointsFile>,
    /// Angles about x, then y, then z through the shape's center [degrees].
    #[schemars(default = "origin")]
    rotate: Vector,
    /// Shapes to cut away, in scene coordinates.
    subtract: Option<Vec<Shape>>,
    /// Shapes that are added, before anything is cut away.
    union: Option<Vec<Shape>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Plane {
    /// A point of the plane [m].
    point: Vector,
    /// Direction out of the solid, of any length.
    normal: Vector,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Cuboid {
    /// Lowest corner [m].
    min: Vector,
    /// Highest corner [m].
    max: Vector,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sphere {
    /// Center [m].
    center: Vector,
    /// Radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    radius: f64,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Round {
    /// One end of the axis [m].
    from: Vector,
    /// The other end of the axis [m].
    to: Vector,
    /// Radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    radius: f64,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Revolve {
    /// Where the axis starts [m].
    from: Vector,
    /// Another point of the axis [m].
    to: Vector,
    /// Corners as [radius, distance from `from` along the axis] [m]; the last joins the first.
    #[schemars(length(min = 3))]
    profile: Vec<[f64; 2]>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct MeshFile {
    /// OBJ, PLY, STL or glTF, relative to the scene file.
    file: String,
    /// Of colliders: an animation of a glTF file, which moves nodes, skins and morph targets; its time 0 is the scene's first frame, and
    /// after its end it holds. It is followed in steps of a quarter of a frame. Default: the nodes' transforms at rest, without skins and
    /// morph targets.
    animation: Option<Animation>,
    /// Factor on the file's coordinates, applied first.
    #[schemars(default = "one", extend("exclusiveMinimum" = 0))]
    scale: f64,
    /// Displacement [m], applied last.
    #[schemars(default = "origin")]
    translate: Vector,
    /// Angles about x, then y, then z through the file's origin [degrees].
    #[schemars(default = "origin")]
    rotate: Vector,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct MeshSequence {
    /// OBJ, PLY, STL or glTF files, relative to the scene file, with a `#` for each digit of the number: `man.####.obj`. All have the same
    /// vertices and triangles, in the same order; between frames every vertex moves on a straight line. The sequence goes on as long as
    /// there are files, and holds the last one.
    #[schemars(extend("pattern" = "#"))]
    files: String,
    /// Number of the file of the scene's first frame.
    #[schemars(default = "first_file")]
    first: u32,
    /// Files per second [1/s]; default: the scene's frame rate.
    #[schemars(extend("exclusiveMinimum" = 0))]
    frame_rate: Option<f64>,
    /// Factor on the files' coordinates, applied first.
    #[schemars(default = "one", extend("exclusiveMinimum" = 0))]
    scale: f64,
    /// Displacement [m], applied last.
    #[schemars(default = "origin")]
    translate: Vector,
    /// Angles about x, then y, then z through the files' origin [degrees].
    #[schemars(default = "origin")]
    rotate: Vector,
}

/// An animation of a glTF file.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Animation {
    /// Its name.
    Name(String),
    /// Its number, from 0.
    Index(u32),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LinesFile {
    /// OBJ, relative to the scene file.
    file: String,
    /// Factor on the file's coordinates, applied first.
    #[schemars(default = "one", extend("exclusiveMinimum" = 0))]
    scale: f64,
    /// Displacement [m], applied last.
    #[schemars(default = "origin")]
    translate: Vector,
    /// Angles about x, then y, then z through the file's origin [degrees].
    #[schemars(default = "origin")]
    rotate: Vector,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PointsFile {
    /// PLY, relative to the scene file.
    file: String,
}

#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// Binary PLY: numbers in columns.
    Ply,
    /// VTK XML (`.vtp`, and a `.pvd` time line): vectors and tensors as such.
    Vtk,
    /// USD text (`.usda`, and a stage with colliders and camera): points with primitive variables.
    Usd,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Output {
    /// Formats of the frames; may be empty.
    #[schemars(default = "ply")]
    particles: Vec<Format>,
    /// Quantities of every particle by name, and exported state words of the models.
    #[schemars(default = "attributes", extend("items" = quantities()))]
    attributes: Vec<String>,
    /// Pictures, or `false` for none.
    preview: Option<PreviewOrNot>,
    /// When checkpoints are kept, from which `tuff run --resume` goes on.
    checkpoint: Option<Checkpoints>,
}

/// What every scene has, each with its meaning, or another word.
fn quantities() -> serde_json::Value {
    let known =
        ATTRIBUTES.iter().map(|row| serde_json::json!({ "const": row.name, "description": row.help }));
    let state = serde_json::json!({ "description": "An exported state word of a model." });
    serde_json::json!({ "type": "string", "anyOf": known.chain([state]).collect::<Vec<_>>() })
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Checkpoints {
    /// Frames from one to the next; 0: none are kept.
    #[schemars(default = "every")]
    every: u32,
    /// How many, the last ones.
    #[schemars(default = "keep", range(min = 1))]
    keep: u32,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum PreviewOrNot {
    Off(bool),
    On(Preview),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Preview {
    /// Width [pixels].
    #[schemars(default = "width", range(min = 16, max = 16384))]
    width: u32,
    /// Height [pixels].
    #[schemars(default = "height", range(min = 16, max = 16384))]
    height: u32,
    /// Camera; default: fitted to the scene, by `tuff preview` to the frames.
    camera: Option<Camera>,
    /// Attribute that colors the particles; default: the material.
    color_by: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Camera {
    /// Where it stands [m].
    eye: Vector,
    /// What it looks at [m].
    target: Vector,
    /// Vertical field of view [degrees].
    #[schemars(default = "fov", extend("exclusiveMinimum" = 0), range(max = 179))]
    fov: f64,
}
