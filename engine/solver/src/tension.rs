//! The surface tension of a scene as a GLSL source.

use tuff_problem::{Cohesion, Problem};

use crate::materials::literal;

/// Name of the composed source, which `tension.glsl` includes.
pub const SOURCE: &str = "cohesion.glsl";

/// Macro under which shaders know of surface tension.
pub const MACRO: &str = "TENSION";

/// Returns the composed source; `None` if no fluid has a surface tension.
pub fn source(problem: &Problem) -> Option<String> {
    let all = problem.tension.all();
    if all.is_empty() {
        return None;
    }
    let each = |of: &dyn Fn(&Cohesion) -> f64| {
        all.iter().map(|cohesion| literal(of(cohesion) as f32)).collect::<Vec<_>>().join(", ")
    };
    Some(format!(
        "// By material: stiffness of what a neighborhood lacks [Pa], 0 without surface tension, and the sum of a full one.\n\
         const float COHESION[] = float[]({});\nconst float FULL[] = float[]({});\n",
        each(&|cohesion| cohesion.stiffness),
        each(&|cohesion| cohesion.rest_sum.max(f64::from(f32::MIN_POSITIVE)))
    ))
}
