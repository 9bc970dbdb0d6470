//! Ropes and cloth that other matter can pass through.

use tuff_scene::{BodyKind, Diagnosed, PositionCorrection, Warning};

use crate::Problem;

/// Segments and edges longer than this many kernel radii let matter through.
const WIDEST: f64 = 1.01;

/// Returns a warning for each rope and cloth that does not hold other bodies.
pub fn warnings(problem: &Problem) -> Vec<Warning> {
    let scene = &problem.scene;
    let radius = scene.solver.kernel_radius;
    let parted = matches!(scene.solver.position_correction, PositionCorrection::Distance { .. });
    let matter = scene.bodies.iter().any(|body| body.kind.is_matter());
    let mut warnings = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let name = &body.name;
        let longest = match &body.kind {
            BodyKind::Rope(rope) => rope.lengths.iter().copied().fold(0.0, f64::max),
            BodyKind::Cloth(cloth) if !cloth.contact && scene.bodies.len() > 1 => {
                let message = format!("cloth `{name}` does not touch other bodies");
                let help = "leave out `contact`, and they touch its triangles".to_owned();
                warnings.push(scene.warning(
                    Diagnosed::Body(index),
                    message,
                    "`contact` = false".to_owned(),
                    help,
                ));
                continue;
            }
            _ => continue,
        };
        if !parted && scene.bodies.len() > 1 {
            warnings.push(
                scene.warning(
                    Diagnosed::Body(index),
                    format!("rope `{name}` does not touch other bodies"),
                    "its contact is the position correction by distance".to_owned(),
                    "solver.position_correction = { kind = \"distance\" }, the default, lets them touch"
                        .to_owned(),
                ),
            );
        } else if matter && longest > WIDEST * radius {
            warnings.push(scene.warning(
                Diagnosed::Body(index),
                format!("matter can slip through between the particles of rope `{name}`, which are {longest:.3e} m apart"),
                "wider than the particles of matter".to_owned(),
                format!(
                    "use a `spacing` of at most solver.kernel_radius = {radius:.3e} m; --particles leaves ropes and cloth as they are"
                ),
            ));
        }
    }
    warnings
}
