//! Fixed substeps that cost many times as much as adaptive ones would.

use tuff_scene::{Diagnosed, Matter, Scheme, Time, Warning};

use crate::problem::Problem;
use crate::step_control::{OVERHEAD, first_adaptive_step};

/// Passes of a Newton solve per adaptive substep, and at least per much shorter one: measured 9 and 18, and 2 and 10, in sand and
/// clay that lie on a floor.
const PASSES_FOUND: f64 = 20.0;
const PASSES_SHORT: f64 = 2.0;

/// Cost of a frame of fixed substeps over that of adaptive ones from which on there is a warning.
const DEAR: f64 = 10.0;

/// Returns a warning if a fixed substep makes frames ten times as expensive as the steps that an adaptive control would begin
/// with.
pub fn warning(problem: &Problem) -> Option<Warning> {
    let scene = &problem.scene;
    let time = &scene.time;
    if time.substep_bounds.is_some() || scene.solver.matter != Matter::Continuum {
        return None;
    }
    let passes = match scene.solver.scheme {
        Scheme::NewtonCg => PASSES_SHORT,
        _ => f64::from(scene.solver.iterations),
    };
    let found = Time { max_substep: first_adaptive_step(problem), ..*time };
    let cost = |substeps: u32, passes: f64| f64::from(substeps) * (passes + OVERHEAD);
    let times = cost(time.substeps_per_frame(), passes) / cost(found.substeps_per_frame(), PASSES_FOUND);
    (times >= DEAR).then(|| {
        scene.warning(
            Diagnosed::Step,
            format!(
                "{} substeps of {:.3e} s a frame, about {times:.0} times the work of \"auto\", which would begin with {} of {:.3e} s",
                time.substeps_per_frame(),
                time.dt(),
                found.substeps_per_frame(),
                found.dt()
            ),
            "a fixed step",
            "leave out `max_substep`, `scheme` and `iterations`, whose defaults choose what costs least; keep them to study waves \
             or sweeps"
                .to_owned(),
        )
    })
}
