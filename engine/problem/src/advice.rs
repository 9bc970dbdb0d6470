//! Advice after a failure, by its cause if that is known.

use tuff_scene::{Matter, Multiplier, Scheme};

use crate::step_control::REACH;
use crate::{Evidence, Failure, FailureKind, Problem};

/// Quantities that a material's law computes, as failures name them.
const OF_A_LAW: [&str; 3] = ["impulse", "strain", "state"];

impl Problem {
    /// Returns what to try after a failure of this problem.
    pub fn advice(&self, failure: &Failure) -> String {
        match failure.kind {
            FailureKind::TooManySteps => {
                "the material is stiff or light for this method: lower its moduli, or raise its density"
                    .to_owned()
            }
            FailureKind::Scattered => {
                "matter flies apart: check the preceding frames and the initial velocities".to_owned()
            }
            FailureKind::Inverted => {
                "check the preceding frames: something moves much faster than the scene intends".to_owned()
            }
            FailureKind::TooManyNeighbors => {
                "particles lie on top of each other: sample bodies at a spacing of about solver.kernel_radius"
                    .to_owned()
            }
            FailureKind::NotFinite | FailureKind::Folded => {
                let Some(evidence) = failure.evidence.as_deref() else { return self.of_a_step(false) };
                self.of_travel(evidence)
                    .or_else(|| self.of_a_law(failure, evidence))
                    .or_else(|| self.of_a_start(failure, evidence))
                    .unwrap_or_else(|| self.of_a_step(true))
            }
        }
    }

    /// Advises on a particle that leaves its neighborhood within the substep.
    fn of_travel(&self, evidence: &Evidence) -> Option<String> {
        let travel = evidence.travel(self.scene.solver.kernel_radius)?;
        let way_out = match (self.scene.time.substep_bounds, self.has_residual_target()) {
            (Some(_), _) => "lower the first value of time.substep_bounds; --retry N halves substeps",
            (None, true) => "give a shorter time.max_substep, or \"auto\"; --retry N halves it",
            (None, false) => "give a shorter time.max_substep; --retry N halves it",
        };
        (travel > REACH).then(|| {
            format!(
                "the particle moves {travel:.2} kernel radii in a substep of {:.3e} s, and more than {REACH} is too far: {way_out} up to N \
                 times from the last frame on (if it should be slow, check the preceding frames)",
                evidence.dt
            )
        })
    }

    /// Advises on a material that returns NaN or infinity although nothing moves far.
    fn of_a_law(&self, failure: &Failure, evidence: &Evidence) -> Option<String> {
        let near = &evidence.surroundings;
        let reach = REACH * self.scene.solver.kernel_radius;
        let calm = (0..near.id.len()).all(|at| near.travel(at, evidence.dt) <= reach);
        let by_law = failure.kind == FailureKind::NotFinite
            && self.scene.solver.matter == Matter::Continuum
            && OF_A_LAW.contains(&evidence.origin.quantity);
        if !by_law || !calm {
            return None;
        }
        let material = *self.particles.material.get(evidence.origin.particle as usize)? as usize;
        let model = &self.models[self.materials.get(material)?.model];
        Some(format!(
            "nothing near it moves far; the law of its material may return NaN or infinity for this strain and state: tuff material check {}",
            model.file().display()
        ))
    }

    /// Advises on matter that starts inside something.
    fn of_a_start(&self, failure: &Failure, evidence: &Evidence) -> Option<String> {
        if failure.frame != self.scene.time.first_frame + 1 {
            return None;
        }
        let body = *self.particles.body.get(evidence.origin.particle as usize)? as usize;
        let mine = self.overlaps.iter().filter(|overlap| overlap.body == body);
        let deepest = mine.max_by(|a, b| a.depth.total_cmp(&b.depth))?;
        Some(format!(
            "body `{}` starts up to {:.3e} m deep in `{}`, and shorter substeps will not help: move or shrink one of them, or \
             `subtract` one shape from the other",
            self.scene.bodies[body].name,
            deepest.depth,
            deepest.obstacle(&self.scene)
        ))
    }

    /// Advises if no more is known. `of_substeps`: the solver has schemes.
    fn of_a_step(&self, of_substeps: bool) -> String {
        let settings = &self.scene.solver;
        let step = match (self.scene.time.substep_bounds, of_substeps && self.has_residual_target()) {
            (Some(_), _) => {
                "--retry N, which continues from the last frame with half the substep, up to N times"
            }
            (None, true) => {
                "half of time.max_substep, or \"auto\" (--retry N halves it up to N times from the last frame on)"
            }
            (None, false) => {
                "half of time.max_substep (--retry N halves it up to N times from the last frame on)"
            }
        };
        let sweeps =
            of_substeps && settings.matter == Matter::Continuum && settings.scheme != Scheme::NewtonCg;
        let mut text = format!("try {step}");
        if sweeps {
            let passes = Scheme::NEWTON_PASSES;
            text += &format!("; then solver.scheme = \"newton_cg\" with {passes} solver.iterations or more");
        }
        if sweeps && settings.multiplier == Multiplier::Tensor {
            text += "; then solver.multiplier = \"scalar\"";
        }
        text
    }
}
