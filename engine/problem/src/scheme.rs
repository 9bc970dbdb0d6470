//! Resolves `scheme = "auto"`, the default.

use std::fmt;

use tuff_scene::{Matter, Scheme};

use crate::Problem;

/// Crossings (c_p dt / spacing) from which on a Newton solve of matter that does not flow costs no more than ten Gauss-Seidel
/// sweeps and comes closer to force balance: measured at 0.23 and above. Flowing matter takes more passes
/// (engine/solver/METHOD.md "Which scheme").
pub const NEWTON_CROSSINGS: f64 = 0.2;

/// The scheme chosen for a scene, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemeChoice {
    /// Chosen scheme.
    pub scheme: Scheme,
    /// Deciding reason.
    pub reason: Reason,
}

/// Reason for the choice of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// Grains have one scheme.
    Grains,
    /// Largest number of spacings that sound crosses in a substep, and the body in which it does.
    Crossings(f64, String),
    /// The scene asks for a residual that sweeps with scalar multipliers may not reach; there are few crossings.
    Residual(f64),
    /// Substeps are adaptive and have to reach this residual.
    Found(f64),
    /// The scene gives fewer iterations than a Newton solve may need.
    Iterations(u32),
    /// The scene gives the multiplier of sweeps, which Newton steps do not have.
    Multiplier,
    /// No body has a finite number of crossings.
    Nothing,
}

impl SchemeChoice {
    /// Returns the choice for a problem whose scene leaves it open, otherwise `None`.
    pub fn of(problem: &Problem) -> Option<Self> {
        let settings = &problem.scene.solver;
        if settings.scheme != Scheme::Auto {
            return None;
        }
        let choice = |scheme, reason| Some(Self { scheme, reason });
        if settings.matter != Matter::Continuum {
            return choice(Scheme::GaussSeidel, Reason::Grains);
        }
        let bodies = problem.scene.bodies.iter().enumerate();
        let crossings = bodies.map(|(index, body)| (problem.crossings(index), &body.name));
        let most =
            crossings.filter(|(crossings, _)| crossings.is_finite()).max_by(|a, b| a.0.total_cmp(&b.0));
        let asked = settings.given.residual_tolerance && settings.residual_tolerance > 0.0;
        let found = problem.scene.time.substep_bounds.is_some();
        let wanted = asked || found || most.is_some_and(|(crossings, _)| crossings >= NEWTON_CROSSINGS);
        if wanted && settings.given.iterations && settings.iterations < Scheme::NEWTON_PASSES {
            return choice(Scheme::GaussSeidel, Reason::Iterations(settings.iterations));
        }
        if wanted && settings.given.multiplier {
            return choice(Scheme::GaussSeidel, Reason::Multiplier);
        }
        match most {
            _ if found => choice(Scheme::NewtonCg, Reason::Found(settings.residual_tolerance)),
            Some((crossings, body)) if crossings >= NEWTON_CROSSINGS => {
                choice(Scheme::NewtonCg, Reason::Crossings(crossings, body.clone()))
            }
            _ if asked => choice(Scheme::NewtonCg, Reason::Residual(settings.residual_tolerance)),
            Some((crossings, body)) => {
                choice(Scheme::GaussSeidel, Reason::Crossings(crossings, body.clone()))
            }
            None => choice(Scheme::GaussSeidel, Reason::Nothing),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grains => write!(f, "the only scheme for grains"),
            Self::Crossings(crossings, body) => write!(
                f,
                "sound crosses {crossings:.2} particle spacings per substep in body `{body}`; newton_cg from \
                 {NEWTON_CROSSINGS} on"
            ),
            Self::Residual(tolerance) => write!(f, "`solver.residual_tolerance` = {tolerance} is requested"),
            Self::Found(tolerance) => {
                write!(f, "`time.max_substep` = \"auto\" adapts the step to a residual of {tolerance}")
            }
            Self::Iterations(given) => {
                write!(
                    f,
                    "`solver.iterations` = {given}, and newton_cg needs room for {} passes",
                    Scheme::NEWTON_PASSES
                )
            }
            Self::Multiplier => write!(f, "`solver.multiplier` is given, which newton_cg does not use"),
            Self::Nothing => write!(f, "no body has a speed of sound"),
        }
    }
}
