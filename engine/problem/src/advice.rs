//! What to try after a failure: by its cause, as far as that is known.

use glam::Vec3;
use tuff_scene::{Matter, Multiplier, Scheme};

use crate::step_control::REACH;
use crate::{Evidence, Failure, FailureKind, Problem, START};

impl Problem {
    /// What to try after a failure of this problem.
    pub fn advice(&self, failure: &Failure) -> String {
        match failure.kind {
            FailureKind::TooManySteps => {
                "the material is stiff or light for this method: lower its moduli, or raise its density"
                    .to_owned()
            }
            FailureKind::Scattered => {
                "matter flies apart: look at the frames before, and at initial velocities".to_owned()
            }
            FailureKind::Inverted => {
                "look at the frames before: something moves much faster than the scene means it to".to_owned()
            }
            FailureKind::TooManyNeighbors => {
                "particles lie on each other: sample bodies at about solver.kernel_radius".to_owned()
            }
            FailureKind::NotFinite | FailureKind::Folded => {
                let cause = failure.evidence.as_deref().and_then(|evidence| {
                    self.of_travel(evidence)
                        .or_else(|| self.of_a_law(failure, evidence))
                        .or_else(|| self.of_a_start(failure, evidence))
                });
                cause.unwrap_or_else(|| self.of_a_step())
            }
        }
    }

    /// For matter that starts in something.
    fn of_a_start(&self, failure: &Failure, evidence: &Evidence) -> Option<String> {
        if failure.frame != self.scene.time.first_frame + 1 {
            return None;
        }
        let body = *self.particles.body.get(evidence.origin.particle as usize)? as usize;
        let mine = self.overlaps.iter().filter(|overlap| overlap.body == body);
        let deepest = mine.max_by(|a, b| a.depth.total_cmp(&b.depth))?;
        Some(format!(
            "body `{}` starts up to {:.3e} m deep in `{}`, which shorter substeps do not cure: move or shrink one of them, or \
             `subtract` one shape from the other",
            self.scene.bodies[body].name,
            deepest.depth,
            deepest.obstacle(&self.scene)
        ))
    }

    /// For a particle that leaves its neighborhood within the substep.
    fn of_travel(&self, evidence: &Evidence) -> Option<String> {
        let near = &evidence.surroundings;
        let at = near.id.iter().position(|&id| id == evidence.origin.particle)?;
        let speed = Vec3::from(near.frame.velocity[at]).as_dvec3().length()
            + self.scene.gravity.length() * evidence.dt;
        let radius = self.scene.solver.kernel_radius;
        let travel = speed * evidence.dt / radius;
        let way_out = match self.scene.time.substep_bounds {
            None => {
                "give a shorter time.max_substep, or \"auto\"; --retry N halves it up to N times from the last frame on"
            }
            Some(_) => {
                "lower the first of time.substep_bounds; --retry N halves substeps up to N times from the last frame on"
            }
        };
        (travel > REACH).then(|| {
            format!(
                "the particle moves {travel:.2} kernel radii in a substep of {:.3e} s, and more than {REACH} is too far: {way_out} (if \
                 it should be slow, look at the frames before)",
                evidence.dt
            )
        })
    }

    /// For a material that gives no number where nothing moves far.
    fn of_a_law(&self, failure: &Failure, evidence: &Evidence) -> Option<String> {
        let by_law = failure.kind == FailureKind::NotFinite && failure.point.stage != START;
        let material = *self.particles.material.get(evidence.origin.particle as usize)? as usize;
        let model = &self.models[self.materials.get(material)?.model];
        by_law.then(|| {
            format!(
                "nothing moves far; the law of the material may give no number for the strain and state of this particle: tuff material \
                 check {}",
                model.file().display()
            )
        })
    }

    /// Where no more is known.
    fn of_a_step(&self) -> String {
        let settings = &self.scene.solver;
        let step = match self.scene.time.substep_bounds {
            None => {
                "half of time.max_substep, or \"auto\" (--retry N halves it up to N times from the last frame on)"
            }
            Some(_) => "--retry N, which goes on from the last frame with half the substep, up to N times",
        };
        let mut more = Vec::new();
        if settings.matter == Matter::Continuum && settings.scheme != Scheme::NewtonCg {
            more.push("solver.scheme = \"newton_cg\", or more solver.iterations");
        }
        if settings.multiplier == Multiplier::Tensor && settings.scheme != Scheme::NewtonCg {
            more.push("solver.multiplier = \"scalar\"");
        }
        let more: String = more.into_iter().map(|key| format!("; then {key}")).collect();
        format!("try {step}{more}")
    }
}
