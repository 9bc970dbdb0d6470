//! Fixed substeps that cost many times what those that are found while running would.

use tuff_scene::{Diagnosed, Matter, Scheme, Time, Warning};

use crate::problem::Problem;
use crate::step_control::{OVERHEAD, first_found};

/// Passes of a Newton solve in a substep that is found, and at least in one that is shorter by much: from 9 and 18, and from 2 and
/// 10, in sand and clay that lie on a floor.
const PASSES_FOUND: f64 = 20.0;
const PASSES_SHORT: f64 = 2.0;

/// Times the cost of a frame of found substeps from which on fixed ones are doubted.
const DEAR: f64 = 10.0;

/// A doubt about a fixed substep that makes frames ten times as expensive as a search for substeps would begin with.
pub fn doubt(problem: &Problem) -> Option<Warning> {
    let scene = &problem.scene;
    let time = &scene.time;
    if time.substep_bounds.is_some() || scene.solver.matter != Matter::Continuum {
        return None;
    }
    let passes = match scene.solver.scheme {
        Scheme::NewtonCg => PASSES_SHORT,
        _ => f64::from(scene.solver.iterations),
    };
    let found = Time { max_substep: first_found(problem), ..*time };
    let cost = |substeps: u32, passes: f64| f64::from(substeps) * (passes + OVERHEAD);
    let times = cost(time.substeps_per_frame(), passes) / cost(found.substeps_per_frame(), PASSES_FOUND);
    (times >= DEAR).then(|| {
        scene.doubt(
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
