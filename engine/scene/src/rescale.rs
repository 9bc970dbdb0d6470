//! Changes the resolution of a scene.

use crate::error::{Diagnostic, SceneError};
use crate::rope::BodyKind;
use crate::sample::positions;
use crate::scene::{Body, Sampling, Scene};
use crate::shape::Geometry;

/// Relative distance from the wanted count that is close enough.
const TOLERANCE: f64 = 0.03;
/// Number of samplings whose counts correct the factor.
const CORRECTIONS: usize = 3;
/// Number of factors tried on either side afterwards, and their distance.
const FAN: u32 = 12;
const FAN_STEP: f64 = 0.008;
/// Poisson-disk particles per cube of the spacing, typical of maximal samplings.
const POISSON_DENSITY: f64 = 0.72;
/// Maximum number of particles that can be requested.
const MAX_PARTICLES: u64 = 500_000_000;

impl Scene {
    /// Estimates the number of particles of each body, by the volume of its shape; of an emitter all that it adds during the run or, if there
    /// are sinks, what its shape holds. Shape [body_count].
    pub fn estimated_particles(&self) -> Vec<f64> {
        let estimate = |body: &Body| match (&body.shape.geometry, body.sampling) {
            (Geometry::Points(points), _) => points.len() as f64,
            (_, Sampling::Lattice { spacing, .. }) => body.shape.volume() / spacing.powi(3),
            (_, Sampling::PoissonDisk { spacing, .. }) => {
                POISSON_DENSITY * body.shape.volume() / spacing.powi(3)
            }
        };
        let all = |(index, body): (usize, &Body)| {
            let emitter = self.emitters.iter().find(|emitter| emitter.body == index);
            let most = emitter.map_or(f64::INFINITY, |emitter| emitter.max_particles as f64);
            // What sinks leave is not known beforehand.
            let fillings = if self.sinks.is_empty() { self.fillings(index) } else { 1.0 };
            (estimate(body) * fillings).min(most)
        };
        self.bodies.iter().enumerate().map(all).collect()
    }

    /// Returns the scene with the kernel radius and all spacings scaled by one factor, so that it samples to about
    /// `particle_count` particles: within 3 % if the shapes allow it, otherwise as close as some attempts come (a lattice in a
    /// small box has few possible counts).
    ///
    /// # Errors
    /// A count of 0, bodies whose positions come from a file, a scene that samples to nothing.
    pub fn rescaled(&self, particle_count: u64) -> Result<Scene, SceneError> {
        if particle_count == 0 || particle_count > MAX_PARTICLES {
            let message =
                format!("cannot rescale to {particle_count} particles: allowed are 1 to {MAX_PARTICLES}");
            return Err(Diagnostic::new(message).into());
        }
        if let Some(index) = self.bodies.iter().position(|b| {
            matches!(
                (&b.shape.geometry, &b.kind),
                (Geometry::Points(_), BodyKind::Matter | BodyKind::Total { .. })
            )
        }) {
            return Err(Diagnostic {
                label: "this body".to_owned(),
                place: self.source.body(index),
                ..Diagnostic::new(format!(
                    "cannot rescale: body `{}` takes its particles from a file",
                    self.bodies[index].name
                ))
            }
            .into());
        }
        // Ropes and cloth are not rescaled.
        let is_matter = |body: &Body| body.kind.is_matter();
        let wanted = particle_count as f64;
        let estimates = std::iter::zip(self.estimated_particles(), &self.bodies);
        let estimate: f64 = estimates.filter(|(_, body)| is_matter(body)).map(|(count, _)| count).sum();
        if estimate == 0.0 {
            let message = match self.bodies.is_empty() {
                true => "a scene of rigid bodies alone has no particles: leave out --particles",
                false => {
                    "--particles changes neither ropes nor cloth, and there is no other matter: change their `spacing` or `cells`"
                }
            };
            return Err(Diagnostic::new(message.to_owned()).into());
        }
        let mut factor = libm::cbrt(estimate / wanted);
        let mut best: Option<(f64, Scene)> = None;
        // Corrections by the count first; if the count jumps over the goal, as a lattice's does, a fan of nearby factors, nearest
        // first.
        let steps = (1..=FAN).flat_map(|i| [1.0 - FAN_STEP * f64::from(i), 1.0 + FAN_STEP * f64::from(i)]);
        for (attempt, widening) in [1.0; CORRECTIONS].into_iter().chain(steps).enumerate() {
            let scene = self.scaled(factor * widening);
            let matter = scene.bodies.iter().enumerate().filter(|(_, body)| is_matter(body));
            let count: f64 = matter
                .map(|(i, body)| positions(body, |_, points| points).len() as f64 * scene.fillings(i))
                .sum();
            let error = (count / wanted - 1.0).abs();
            if count > 0.0 && best.as_ref().is_none_or(|(e, _)| error < *e) {
                best = Some((error, scene));
            }
            if error <= TOLERANCE {
                break;
            }
            if count > 0.0 && attempt + 1 < CORRECTIONS {
                factor *= libm::cbrt(count / wanted);
            }
        }
        match best {
            Some((_, scene)) => Ok(scene),
            None => Err(Diagnostic::new(format!(
                "cannot rescale `{}` to {particle_count} particles: its bodies would be empty",
                self.name
            ))
            .into()),
        }
    }

    /// Returns the scene with kernel radius and spacings multiplied by `factor`.
    fn scaled(&self, factor: f64) -> Scene {
        let mut scene = self.clone();
        scene.solver.kernel_radius *= factor;
        for body in scene.bodies.iter_mut().filter(|body| body.kind.is_matter()) {
            match &mut body.sampling {
                Sampling::PoissonDisk { spacing, .. } | Sampling::Lattice { spacing, .. } => {
                    *spacing *= factor
                }
            }
        }
        scene
    }
}
