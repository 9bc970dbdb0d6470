//! Rigid bodies that start in colliders or in each other.

use glam::DVec3;
use tuff_scene::{Diagnosed, Scene, SceneError, Shape, Warning};

/// Points along each edge of the box around a body at which it is compared with others.
const POINTS: usize = 12;

/// Part of a body that may start in something else without a word, as where two bodies touch.
const TOUCHING: f64 = 0.05;

/// Part of a body that may start in something else: a body of which more is inside may leave it on the wrong side.
const MOST: f64 = 0.5;

/// Returns a warning for every rigid body that starts in a collider or in another one.
///
/// # Errors
/// Names the first of which more than half does.
pub(crate) fn check(scene: &Scene) -> Result<Vec<Warning>, SceneError> {
    let obstacles = scene.obstacles();
    let mut warnings = Vec::new();
    for (index, body) in scene.rigid.iter().enumerate() {
        let points = points(&body.shape);
        let bounds = body.shape.bounds();
        // Each pair of bodies once.
        for (other, obstacle) in obstacles[..scene.colliders.len() + index].iter().enumerate() {
            let rigid = other >= scene.colliders.len();
            if rigid && obstacle.shape.bounds().intersection(&bounds).is_empty() {
                continue;
            }
            let depth = |p: &DVec3| -obstacle.distance(0.0, *p);
            let inside: Vec<f64> = points.iter().map(depth).filter(|depth| *depth > 0.0).collect();
            let part = inside.len() as f64 / points.len().max(1) as f64;
            if part <= TOUCHING {
                continue;
            }
            let deepest = inside.iter().copied().fold(0.0, f64::max);
            let (kind, name) = scene.obstacle(other);
            let message = format!(
                "rigid body `{}`: {:.0} % of it starts in {kind} `{name}`, up to {deepest:.2e} m deep",
                body.name,
                100.0 * part
            );
            if part > MOST {
                let label = "this rigid body; at most half of it may start in something else";
                let help = Some("move one of them".to_owned());
                return Err(scene.refuse(Diagnosed::Rigid(index), message, label, help));
            }
            let help = "it leaves without gaining speed; move one of them to start apart".to_owned();
            warnings.push(scene.warning(Diagnosed::Rigid(index), message, "this rigid body", help));
        }
    }
    Ok(warnings)
}

/// Returns points of a solid [m], evenly spread over the box around it.
fn points(shape: &Shape) -> Vec<DVec3> {
    let bounds = shape.bounds();
    let at = |i: usize| {
        let cell =
            [i % POINTS, i / POINTS % POINTS, i / POINTS / POINTS].map(|c| (c as f64 + 0.5) / POINTS as f64);
        bounds.min + bounds.size() * DVec3::from(cell)
    };
    (0..POINTS.pow(3)).map(at).filter(|&p| shape.contains(p)).collect()
}
