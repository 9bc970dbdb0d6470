//! Thresholds of the method: the processor reads them here, shaders in the header that is generated from [`THRESHOLDS`]. A new one needs
//! a row of this table alone.

/// Defines constants, and the list of them.
macro_rules! thresholds {
    ($($name:ident = $value:expr, $help:literal;)*) => {
        $(#[doc = $help] pub const $name: f64 = $value;)*
        /// All of them: name, value and meaning.
        pub const THRESHOLDS: &[(&str, f64, &str)] = &[$((stringify!($name), $name, $help)),*];
    };
}

thresholds! {
    FOLD_DETERMINANT = 0.1, "Determinant of A below which a step has folded the neighborhood.";
    STRETCH2_MIN = 1e-4, "Least admissible squared principal stretch.";
    STRETCH2_MAX = 1e4, "Largest admissible squared principal stretch.";
    LEAST_STRETCH2 = 1.0 / 16.0, "Least squared stretch that the metric removes: matter compressed further keeps its neighbors within \
        the support.";
    RANK_TOLERANCE = 1e-3, "Fraction of the largest eigenvalue of a moment below which others count as zero.";
    STEEPEST = 6.0, "Largest r^2 sum (g_b . e)^2 along an axis e of the moment, to which steeper gradients are scaled down: neighbors \
        within a sixth of a spacing of a plane determine almost nothing of the gradient across it.";
    TENSION_STIFFNESS = 16.0, "Stiffness that the memory needs in addition to k_s mu, per tensile stress: recomputed kernels push \
        paired layers together with up to 14 times the tension.";
    DENSITY_TOLERANCE = 1e-5, "Relative excess of density that counts as rounding in f32 and is left alone.";
    PROBE_STRAIN = 0.5, "Deviatoric Hencky strain that is projected to find the strength of a material.";
    PROBE_TIME = 1e3, "Number of substeps for which the strain that is projected is held.";
    REST_TOLERANCE = 1e-7, "Fraction of sqrt(2 mu + 3 kappa) below which a constraint has no usable gradient.";
    SOFTEST = 0.1, "Lower bound of the secant moduli, as a fraction of the elastic moduli.";
    STRAINLESS = 1e-7, "Strain below which there is no secant.";
    UNCHANGED = 1e-6, "Change of strain below which there is none.";
    FADE = 0.5, "Smallest ratio of a modulus to its value in the previous evaluation.";
    DAMPING = 0.5, "Fraction of a particle's own response to its imbalance that a move of relaxation takes: its neighbors move as well.";
    LEAST_BEARING = 0.01, "Upward component of a collider's normal below which the collider carries nothing.";
}
