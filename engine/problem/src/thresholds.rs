//! Thresholds of the method: the processor reads them as constants, shaders in the header that is generated from [`all`]. A new one is
//! one more row, here or beside the functions that it belongs to.

use crate::{links, meeting, mixture, newton};

/// Name, value and meaning.
pub type Threshold = (&'static str, f64, &'static str);

/// Defines constants, and the list of them.
macro_rules! thresholds {
    ($list:ident; $($(#[doc = $help:literal])+ $name:ident = $value:expr;)*) => {
        $($(#[doc = $help])+ pub const $name: f64 = $value;)*
        pub(crate) const $list: &[$crate::thresholds::Threshold] =
            &[$((stringify!($name), $name, concat!($($help),+))),*];
    };
}
pub(crate) use thresholds;

/// Returns all thresholds.
pub fn all() -> impl Iterator<Item = &'static Threshold> {
    [METHOD, newton::SOLVE, meeting::SHEETS, mixture::PORES, links::CURVES].into_iter().flatten()
}

thresholds! {
    METHOD;
    /// Determinant of A below which a step has folded the neighborhood.
    FOLD_DETERMINANT = 0.1;
    /// Least admissible squared principal stretch.
    STRETCH2_MIN = 1e-4;
    /// Largest admissible squared principal stretch.
    STRETCH2_MAX = 1e4;
    /// Least squared stretch that the metric removes: matter compressed further keeps its neighbors within the support.
    LEAST_STRETCH2 = 1.0 / 16.0;
    /// Fraction of the largest eigenvalue of a moment below which others count as zero.
    RANK_TOLERANCE = 1e-3;
    /// Largest r^2 sum (g_b . e)^2 along an axis e of the moment, to which steeper gradients are scaled down: neighbors within a sixth
    /// of a spacing of a plane determine almost nothing of the gradient across it.
    STEEPEST = 6.0;
    /// Stiffness that the memory needs in addition to k_s mu, per tensile stress: recomputed kernels push paired layers together with
    /// up to 14 times the tension.
    TENSION_STIFFNESS = 16.0;
    /// Relative excess of density that counts as rounding in f32 and is left alone.
    DENSITY_TOLERANCE = 1e-5;
    /// Deviatoric Hencky strain that is projected to find the strength of a material.
    PROBE_STRAIN = 0.5;
    /// Number of substeps for which the strain that is projected is held.
    PROBE_TIME = 1e3;
    /// Fraction of sqrt(2 mu + 3 kappa) below which a constraint has no usable gradient.
    REST_TOLERANCE = 1e-7;
    /// Lower bound of the secant moduli, as a fraction of the elastic moduli.
    SOFTEST = 0.1;
    /// Strain below which there is no secant.
    STRAINLESS = 1e-7;
    /// Change of strain below which there is none.
    UNCHANGED = 1e-6;
    /// Smallest ratio of a modulus to its value in the previous evaluation.
    FADE = 0.5;
    /// Fraction of a particle's own response to its imbalance that a move of relaxation takes: its neighbors move as well.
    DAMPING = 0.5;
    /// Upward component of a collider's normal below which the collider carries nothing.
    LEAST_BEARING = 0.01;
    /// Length, by the Frobenius norm, to which the displacement gradient of a folding step is scaled back.
    FOLD_LIMIT = 0.5;
    /// Stiffness of a too-close pair in a Newton solve, as a multiple of kernel radius times the harmonic mean of its particles'
    /// moduli of uniaxial strain [dimensionless] (engine/solver/METHOD.md "Newton").
    NEAR_STIFFNESS = 0.3;
    /// Unit roundoff of a velocity in f32 [dimensionless].
    VELOCITY_ROUNDING = 6e-8;
    /// Way beyond a predicted move around which triangles of a mesh are kept for contacts, relative to half a kernel radius
    /// [dimensionless].
    NEAR_MARGIN = 0.02;
    /// Fraction of its Coulomb bound above which the friction of a contact with a rigid body counts as slipping [dimensionless].
    SLIPPING = 0.99;
    /// Square root of the fraction of a contact's energy that the residual imbalance of a Newton solve may store as strain
    /// [dimensionless].
    STRAIN_SHARE = 0.1;
    /// Largest scale of the tolerance of a Newton solve, relative to the norm of the momenta at stake [dimensionless].
    LARGEST_SCALE = 10.0;
    /// Ratio of a particle's diagonal block to its mass from which on this bound holds [dimensionless]. Below it, foam under a lid would
    /// not come to rest.
    BOUND_FROM = 1e4;
    /// Relaxation per round: each pair closes `min(1, factor / n)` of its gap, n = the larger number of active pairs of its two
    /// particles in the previous round.
    PAIR_RELAXATION = 2.0;
    /// Fraction of the least distance that a pair may lack and still count as separated: rounding.
    SEPARATION_TOLERANCE = 1e-4;
    /// Fraction of an overlap that a substep removes by displacement. Contacts and the position correction by distance leave existing
    /// overlaps alone and act only against approach, so that no overlap turns into velocity.
    OVERLAP_REDUCTION = 0.25;
    /// Depth behind two patches of a mesh, relative to a particle's radius, up to which the particle touches them where they meet. Deeper
    /// points may lie beyond the matter's side of the mesh.
    CUT_DEPTH = 0.5;
    /// Distance beyond its place on an adhesive surface up to which a particle is held [kernel radii]; a substep begins to hold what is
    /// nearer, and lets go what is farther away.
    ADHESION_REACH = 0.1;
    /// Maximum length of the displacement out of overlaps per substep [kernel radii].
    MAX_DISPLACEMENT = 0.1;
    /// Fraction of its deviator below which yielding matter counts as loose; the less it keeps, the looser it is.
    LOOSE_BELOW = 0.1;
    /// Rate, per unit of non-affine strain, at which log J of flowing matter approaches its packing.
    PACKING_RATE = 30.0;
    /// Non-affine strain per substep that the packing correction treats as rest, in units of `g dt^2 / r`: about what the tolerance
    /// of a solve leaves.
    REST_MOVE = 0.02;
    /// Rate, per non-affine displacement of a pair relative to its distance, at which particles of stress-free matter closer than on
    /// a lattice are separated.
    SPREAD_RATE = 20.0;
    /// log J from which loose matter counts as open, so that its close pairs are separated at the full rate; below, the rate is
    /// proportional to log J. Matter that has not opened is only about to move: separating its pairs would make a layer of sand creep
    /// down a slope on which it should rest.
    SPREAD_OPEN = 0.1;
    /// Largest fraction of the missing distance of a pair of stress-free matter that one substep restores.
    SPREAD_MAX = 0.5;
    /// Stand-in for the bound of a memory without one, as in matter that never flows [m].
    UNBOUNDED = 1e30;
    /// Curvature is not separated from slope where the scatter that slopes leave unexplained is below this fraction of the mean
    /// square.
    CURVATURE_SCATTER = 0.1;
    /// Largest `r^2 sum |g_b - L a_b|^2` by which separating curvature from slope may steepen the gradient of a neighborhood.
    CURVATURE_STEEPEST = 3.0;
    /// Least principal stretch of total bodies: neighborhoods that are flatter, or turned inside out, respond as if they had it.
    LEAST_STRETCH = 0.1;
    /// Ratio of the least to the largest eigenvalue of `sum w^ a d^T` below which curvature is not separated from slope.
    CURVATURE_FLAT = 0.01;
    /// Ratio of these eigenvalues from which on curvature is separated in full.
    CURVATURE_ROUND = 0.05;
    /// Share of other bodies in the kernel moment from which on curvature is not separated at all.
    CURVATURE_FOREIGN = 0.3;
    /// Ratio of a particle's diagonal block to its mass [dimensionless] from which on a contact is eased in a Newton solve: it begins to
    /// account for the response of the matter around it.
    EASING_FROM = 30.0;
    /// The ratio from which on a contact is eased fully.
    EASING_TO = 300.0;
    /// That ratio from which on a part of the impulses of colliders takes effect after the substep: metal, but not sand in long steps,
    /// which would not come to rest.
    DEFERRING_FROM = 1e3;
    /// The ratio from which on all of an impulse is deferred but what moves the matter around the particle as well.
    DEFERRING_TO = 1e4;
    /// Ratio of the moduli of uniaxial strain of two bodies below which one is soft to the other: the kernels of the stiff one do not see
    /// it.
    SOFT = 0.1;
    /// Least radius of gyration of a body with rigid modes, squared [r^2]: about that of the outermost particles, which have no
    /// extent of their own in the sum.
    LEAST_GYRATION = 0.1;
    /// Eigenvalue of a fluid's moment from which on its gradients pass from those of its density to exact ones: inside, exact ones let it
    /// shear without resistance; at a surface, where they would be much larger than the density tells, they would feed it with energy.
    FLUID_COMPLETES_FROM = 0.6;
    /// Eigenvalue of a fluid's moment from which on its gradients are exact.
    FLUID_COMPLETES_TO = 0.8;
}
