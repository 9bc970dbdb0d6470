//! The validated scene. Values of these types obey every rule of the format, so code outside this crate never checks a scene
//! value again. All quantities are SI.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec3;

use crate::attribute::FrameAttribute;
use crate::defaults;
use crate::emitter::{Emitter, Sink};
use crate::error::Source;
use crate::mesh::Deformation;
use crate::mixture::Mixture;
use crate::motion::Motion;
use crate::rigid::Rigid;
use crate::rope::BodyKind;
use crate::shape::{Geometry, Shape};

/// A validated scene.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Name, `[a-z0-9_]+`; part of every output file's name.
    pub name: String,
    /// File from which the scene was read; relative paths inside the scene start at its folder.
    pub file: PathBuf,
    /// Axis that points up.
    pub up: Up,
    /// Gravitational acceleration [m/s^2].
    pub gravity: DVec3,
    /// Frames and step.
    pub time: Time,
    /// Numerical settings.
    pub solver: SolverSettings,
    /// Materials in file order; particles refer to them by index.
    pub materials: Vec<Material>,
    /// Bodies in file order, then what emitters emit.
    pub bodies: Vec<Body>,
    /// Emitters in file order.
    pub emitters: Vec<Emitter>,
    /// Sinks in file order.
    pub sinks: Vec<Sink>,
    /// Fluids that seep into grains, in file order.
    pub mixtures: Vec<Mixture>,
    /// Colliders in file order.
    pub colliders: Vec<Collider>,
    /// Rigid bodies in file order.
    pub rigid: Vec<Rigid>,
    /// Pins in file order.
    pub pins: Vec<Pin>,
    /// Files to write.
    pub output: Output,
    /// The document, for messages.
    pub source: Source,
}

/// Vertical axis of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Up {
    /// +Y is up (the default).
    Y,
    /// +Z is up.
    Z,
}

/// Frames and the time step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// Frames per second [1/s].
    pub frame_rate: f64,
    /// First frame; it shows the initial state.
    pub first_frame: u32,
    /// Last frame, inclusive.
    pub last_frame: u32,
    /// Upper bound of a substep [s].
    pub max_substep: f64,
    /// Least and largest adaptive substep [s]; `None` for fixed substeps.
    pub substep_bounds: Option<[f64; 2]>,
}

impl Time {
    /// Default largest substep of sweeps and of grains [s]; for other schemes it is adaptive.
    pub const DEFAULT_SUBSTEP: f64 = 1e-4;

    /// Maximum number of substeps of a frame.
    pub const MAX_SUBSTEPS: f64 = 1e6;

    /// Returns the shortest substep into which a frame may be divided [s].
    pub fn shortest(&self) -> f64 {
        1.0 / self.frame_rate / Self::MAX_SUBSTEPS
    }

    /// Returns the number of substeps in a frame: `max(1, ceil(frame_dt / max_substep - 1e-6))`.
    pub fn substeps_per_frame(&self) -> u32 {
        ((1.0 / self.frame_rate / self.max_substep - 1e-6).ceil() as u32).max(1)
    }

    /// Returns the length of a substep [s]; a frame is divided evenly.
    pub fn dt(&self) -> f64 {
        1.0 / self.frame_rate / f64::from(self.substeps_per_frame())
    }

    /// Returns the same frames in twice as many substeps, each exactly half as long.
    pub fn halved(&self) -> Self {
        Self { max_substep: 0.5 * self.dt(), ..*self }
    }
}

/// Numerical settings of the substep.
#[derive(Debug, Clone, PartialEq)]
pub struct SolverSettings {
    /// Smoothing-kernel radius r [m]; the support is 2 r.
    pub kernel_radius: f64,
    /// Kind of the particles.
    pub matter: Matter,
    /// Iterations per substep (the upper bound when `residual_tolerance > 0`).
    pub iterations: u32,
    /// Order in which constraints see each other.
    pub scheme: Scheme,
    /// When the return mapping acts.
    pub plasticity: Plasticity,
    /// Form of the constraint gradient.
    pub gradient: Gradient,
    /// Quantity that a constraint accumulates.
    pub multiplier: Multiplier,
    /// True if kernel gradients are corrected to first-order exactness.
    pub kernel_correction: bool,
    /// Relative force residual at which the iteration stops [dimensionless]; 0: never early.
    pub residual_tolerance: f64,
    /// Velocity smoothing after the solve.
    pub smoothing: Smoothing,
    /// Stiffness k_s of the zero-energy memory [dimensionless]; 0: off.
    pub stabilization: f64,
    /// Constraint that keeps particles from clumping.
    pub position_correction: PositionCorrection,
    /// Which of the settings that go with a scheme the scene gives itself.
    pub given: Given,
}

/// Which of the settings that decide on a scheme, or whose defaults follow it, the scene gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Given {
    /// [`SolverSettings::iterations`].
    pub iterations: bool,
    /// [`SolverSettings::residual_tolerance`].
    pub residual_tolerance: bool,
    /// [`SolverSettings::multiplier`].
    pub multiplier: bool,
    /// [`SolverSettings::smoothing`].
    pub smoothing: bool,
    /// [`Time::substep_bounds`].
    pub substep_bounds: bool,
}

impl SolverSettings {
    /// Sets the scheme, and its defaults for settings that the scene does not give.
    pub fn choose(&mut self, scheme: Scheme) {
        let (iterations, residual_tolerance) = scheme.defaults();
        self.scheme = scheme;
        if !self.given.iterations {
            self.iterations = iterations;
        }
        if !self.given.residual_tolerance {
            self.residual_tolerance = residual_tolerance;
        }
    }

    /// Returns true if Newton's method solves the substep; without iterations nothing does.
    pub fn newton(&self) -> bool {
        self.scheme == Scheme::NewtonCg && self.matter == Matter::Continuum && self.iterations > 0
    }

    /// Returns the distance that particles keep from each other [m]; 0 if they keep none.
    pub fn min_distance(&self) -> f64 {
        match (self.matter, self.position_correction) {
            (Matter::Grains { .. }, _) => self.kernel_radius,
            (Matter::Continuum, PositionCorrection::Distance { gap }) => (1.0 - gap) * self.kernel_radius,
            (Matter::Continuum, PositionCorrection::None | PositionCorrection::Density { .. }) => 0.0,
        }
    }
}

/// Kind of particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Matter {
    /// Pieces of a continuum with a constitutive model.
    Continuum,
    /// Rigid spheres of the kernel radius in diameter, for comparison: no model acts.
    Grains {
        /// Coulomb coefficient between spheres [dimensionless].
        friction: f64,
    },
}

/// Iteration scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Colored Gauss-Seidel.
    GaussSeidel,
    /// Jacobi with mass splitting.
    Jacobi,
    /// Inexact Newton on the force balance, with preconditioned conjugate gradients.
    NewtonCg,
    /// Gauss-Seidel or Newton, by how far sound travels in a substep.
    Auto,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Self; 4] = [Self::GaussSeidel, Self::Jacobi, Self::NewtonCg, Self::Auto];

    /// Passes that a Newton solve must be allowed: flowing sand takes up to 60 at large steps, and with 10 passes single grains
    /// are thrown out of it.
    pub const NEWTON_PASSES: u32 = 60;

    /// Returns the name in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Self::GaussSeidel => "gauss_seidel",
            Self::Jacobi => "jacobi",
            Self::NewtonCg => "newton_cg",
            Self::Auto => "auto",
        }
    }

    /// Returns the iterations and the residual tolerance for a scene that gives none.
    pub fn defaults(self) -> (u32, f64) {
        match self {
            Self::GaussSeidel | Self::Jacobi => (defaults::ITERATIONS, 0.0),
            Self::NewtonCg | Self::Auto => (defaults::PASSES, defaults::RESIDUAL_TOLERANCE),
        }
    }
}

/// When plastic flow is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plasticity {
    /// Return mapping inside every iteration.
    Implicit,
    /// Return mapping only at the end of a substep.
    SemiImplicit,
}

/// Form of the constraint gradient under plastic flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gradient {
    /// `(1/C) tau(Z) A^-T`: the Kirchhoff stress of the projected state.
    Kirchhoff,
    /// `(1/C) P(Z) F_n^T`: the published formula read literally.
    Literal,
}

/// Quantity that an inelastic constraint accumulates over the iterations of a substep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplier {
    /// One scalar per particle for C = sqrt(2 Psi) (the published method).
    Scalar,
    /// The applied impulse as a 3x3 tensor, driven to the stress.
    Tensor,
}

/// Velocity smoothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Smoothing {
    /// XSPH coefficient c per substep [dimensionless].
    Xsph(f64),
    /// Kinematic viscosity [m^2/s], independent of the step.
    Viscosity(f64),
    /// That viscosity [m^2/s], acting only on motion that the gradients at a pair's particles do not explain: the default.
    /// Uniform rotation and shear are left alone.
    Noise(f64),
}

/// Constraint that keeps particles apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PositionCorrection {
    /// No correction.
    None,
    /// Particles nearer than `(1 - gap) r` are pushed apart.
    Distance {
        /// Fraction of the kernel radius by which particles may be closer [dimensionless].
        gap: f64,
    },
    /// Neighborhoods denser than those of the body at rest are pushed apart.
    Density {
        /// Relative excess that is left alone [dimensionless].
        threshold: f64,
    },
}

/// A named material: a constitutive model with parameter values.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name that bodies refer to.
    pub name: String,
    /// Id of the constitutive model.
    pub model: String,
    /// Rest density [kg/m^3].
    pub density: f64,
    /// Parameter values in the order of the model's descriptor; NaN for an absent key without default. Booleans are 0 and 1,
    /// choices the index of the chosen name.
    pub parameters: Vec<f64>,
    /// Parameters that the scene gives, as text, for messages and the manifest: key, value.
    pub given: Vec<(String, toml::Value)>,
}

/// A region filled with particles of one material.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name, unique among bodies.
    pub name: String,
    /// Index into [`Scene::materials`].
    pub material: usize,
    /// Region to fill.
    pub shape: Shape,
    /// Method of filling the region.
    pub sampling: Sampling,
    /// Initial velocity [m/s].
    pub velocity: DVec3,
    /// Initial angular velocity about the body's centroid [rad/s].
    pub angular_velocity: DVec3,
    /// True if it may start deep in a collider or in another body.
    pub push_out: bool,
    /// Kind of its particles. Total bodies come after all but those of linked particles, which come last.
    pub kind: BodyKind,
}

/// Method of filling a body with particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// Random points no nearer than `spacing`.
    PoissonDisk {
        /// Minimum distance [m].
        spacing: f64,
        /// Seed of the generator.
        seed: u64,
    },
    /// Centers of the cells of a cubic lattice.
    Lattice {
        /// Edge of a lattice cell [m].
        spacing: f64,
        /// Largest random displacement along each axis [spacings].
        jitter: f64,
        /// Seed of the displacement.
        seed: u64,
    },
}

impl Sampling {
    /// Returns the distance between particles [m].
    pub fn spacing(&self) -> f64 {
        match *self {
            Self::PoissonDisk { spacing, .. } | Self::Lattice { spacing, .. } => spacing,
        }
    }
}

/// A rigid obstacle.
#[derive(Debug, Clone)]
pub struct Collider {
    /// Name, unique among colliders.
    pub name: String,
    /// Surface.
    pub shape: Shape,
    /// True if matter is kept inside the shape instead of outside.
    pub inside: bool,
    /// True if matter is kept on the side of a mesh where it is.
    pub sheet: bool,
    /// Layer above the surface that matter keeps free, in addition to a particle's radius [m].
    pub thickness: f64,
    /// Tangential law.
    pub friction: Friction,
    /// Largest pull that a contact bears before it lets go [Pa].
    pub adhesion: f64,
    /// Rigid motion of the shape; the identity at all times if the collider is at rest.
    pub motion: Motion,
}

impl Collider {
    /// Returns true if the collider neither moves nor deforms.
    pub fn is_static(&self) -> bool {
        self.motion.is_static() && self.deformation().is_none()
    }

    /// Returns how the collider's mesh deforms, if it does.
    pub fn deformation(&self) -> Option<&Deformation> {
        match &self.shape.geometry {
            Geometry::Mesh(mesh) => mesh.deformation().map(|deformation| &**deformation),
            _ => None,
        }
    }

    /// Returns the collider with the shape that it has at a time [s], before its rigid motion.
    pub fn shaped(&self, time: f64) -> Cow<'_, Self> {
        let Geometry::Mesh(mesh) = &self.shape.geometry else { return Cow::Borrowed(self) };
        let Some(deformation) = mesh.deformation() else { return Cow::Borrowed(self) };
        let mut now = self.clone();
        now.shape.geometry = Geometry::Mesh(Arc::new(mesh.with_vertices(deformation.positions(time))));
        Cow::Owned(now)
    }

    /// Returns the distance of a point from the layer that matter keeps free, at a time [s] of the motion, negative in it [m]. A sheet is
    /// an obstacle without inside.
    pub fn distance(&self, time: f64, p: DVec3) -> f64 {
        let distance = self.shape.signed_distance(self.motion.pose(time).inverse_apply(p));
        let distance = match (self.sheet, self.inside) {
            (true, _) => distance.abs(),
            (false, true) => -distance,
            (false, false) => distance,
        };
        distance - self.thickness
    }
}

/// Tangential contact law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Friction {
    /// Coulomb friction with this coefficient [dimensionless].
    Coulomb(f64),
    /// Friction so large that only nearly unloaded particles slip.
    Sticky,
}

impl Friction {
    /// Coulomb coefficient of sticky surfaces: large enough that only nearly unloaded particles slip. It is finite, so that the
    /// force along the surface vanishes with the pressure: without a bound it would jump where matter lifts off, and no solver
    /// would find a balance there.
    pub const STICKY: f64 = 10.0;

    /// Returns the Coulomb coefficient [dimensionless].
    pub fn coefficient(self) -> f64 {
        match self {
            Self::Coulomb(coefficient) => coefficient,
            Self::Sticky => Self::STICKY,
        }
    }
}

/// Particles that are held or driven.
#[derive(Debug, Clone)]
pub struct Pin {
    /// Index into [`Scene::bodies`].
    pub body: usize,
    /// Selection of its particles.
    pub selection: Selection,
    /// Rigid motion of the selected particles.
    pub motion: Motion,
}

/// Selection of a body's particles that a pin holds.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Particles in this region at the start.
    Region(Shape),
    /// Vertices of a rope or cloth, by their numbers.
    Vertices(Vec<u32>),
}

impl Selection {
    /// Returns true if the vertex with this number, at `position` [m] at the start, is held.
    pub fn holds(&self, vertex: u32, position: DVec3) -> bool {
        match self {
            Self::Region(region) => region.contains(position),
            Self::Vertices(vertices) => vertices.contains(&vertex),
        }
    }
}

/// Output of a run.
#[derive(Debug, Clone)]
pub struct Output {
    /// Formats of the frames; empty if none are written.
    pub particles: Vec<FrameFormat>,
    /// Attributes of the frames, in file order.
    pub attributes: Vec<FrameAttribute>,
    /// Preview pictures; `None` if none are made.
    pub preview: Option<Preview>,
    /// Checkpoints to keep.
    pub checkpoint: Checkpoints,
}

/// A format of frame files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameFormat {
    /// PLY, binary, numbers in columns.
    Ply,
    /// VTK XML polygonal data with a time line; vectors and tensors are typed.
    Vtk,
    /// USD text, points with primitive variables, a stage with a time line.
    Usd,
}

impl FrameFormat {
    /// All formats, with their names in scene files.
    pub const ALL: [(&str, Self); 3] = [("ply", Self::Ply), ("vtk", Self::Vtk), ("usd", Self::Usd)];

    /// Returns the name in scene files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }
}

/// Checkpoints that a run keeps to resume from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoints {
    /// Number of frames from one checkpoint to the next; 0 if none are kept.
    pub every: u32,
    /// Number of checkpoints kept, the last ones.
    pub keep: u32,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self { every: defaults::CHECKPOINT_EVERY, keep: defaults::CHECKPOINTS_KEPT }
    }
}

impl Output {
    /// Returns true if frames or pictures show `attribute`.
    pub fn shows(&self, attribute: &FrameAttribute) -> bool {
        let colors = self.preview.as_ref().and_then(|preview| preview.color_by.as_ref());
        let written = !self.particles.is_empty() && self.attributes.contains(attribute);
        written || colors == Some(attribute)
    }
}

/// Preview pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Camera; `None`: fitted to the scene or, if there are frames, to them.
    pub camera: Option<Camera>,
    /// Attribute that colors the particles; `None`: by material.
    pub color_by: Option<FrameAttribute>,
}

impl Preview {
    /// Minimum and maximum number of pixels along an edge.
    pub const EDGES: [u32; 2] = [16, 16384];
}

impl Default for Preview {
    fn default() -> Self {
        Self { width: defaults::WIDTH, height: defaults::HEIGHT, camera: None, color_by: None }
    }
}

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Eye position [m].
    pub eye: DVec3,
    /// Point that the camera looks at [m].
    pub target: DVec3,
    /// Vertical field of view [degrees].
    pub fov: f64,
}

impl Camera {
    /// Default field of view [degrees].
    pub const DEFAULT_FOV: f64 = defaults::FOV;
    /// Largest field of view [degrees].
    pub const MAX_FOV: f64 = 179.0;
}
