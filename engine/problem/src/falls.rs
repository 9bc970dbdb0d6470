//! Bodies that fall along gravity without anything to stop them.

use glam::DVec3;
use tuff_scene::{Diagnosed, Geometry, Scene, Warning};

use crate::problem::Problem;

/// Maximum number of particles that are followed per body.
const FOLLOWED: usize = 64;

/// Maximum number of steps on a particle's way down, each as long as the nearest surface allows.
const STEPS: u32 = 256;

/// Cosine of the angle between a normal and the upward direction from which on a surface carries what lands on it.
const BEARS: f64 = 0.02;

/// Returns a warning for every body none of whose particles would meet a collider or another body on its way down. Says nothing
/// if a collider moves, as it may catch the body.
pub fn warnings(problem: &Problem) -> Vec<Warning> {
    let scene = &problem.scene;
    let down = scene.gravity.normalize_or_zero();
    if down == DVec3::ZERO || scene.colliders.iter().any(|collider| !collider.is_static()) {
        return Vec::new();
    }
    let falls = |body: &usize| !pinned(scene, *body) && !stops(problem, *body, down);
    let falling: Vec<usize> = (0..scene.bodies.len()).filter(falls).collect();
    falling.into_iter().map(|body| warning(scene, body, down)).collect()
}

fn pinned(scene: &Scene, body: usize) -> bool {
    scene.pins.iter().any(|pin| pin.body == body)
}

fn warning(scene: &Scene, body: usize, down: DVec3) -> Warning {
    let turned = scene.colliders.iter().find(|collider| {
        matches!(collider.shape.geometry, Geometry::Plane)
            && collider.shape.normal(collider.shape.center).dot(-down) < BEARS
    });
    let help = match turned {
        Some(plane) => {
            format!(
                "the plane `{}` faces {}, and gravity pulls along {}: a floor has the normal {}",
                plane.name,
                direction(plane.shape.normal(plane.shape.center)),
                direction(down),
                direction(-down)
            )
        }
        None => "a floor: a [[collider]] with a `plane`, whose normal points against gravity".to_owned(),
    };
    let message = format!(
        "body `{}` falls forever: no collider and no other body lies below it",
        scene.bodies[body].name
    );
    scene.warning(Diagnosed::Body(body), message, "this body", help)
}

/// Formats a direction as a scene gives it, without rounding noise.
fn direction(d: DVec3) -> String {
    let round = |c: f64| (c * 1e6).round() / 1e6 + 0.0;
    format!("[{}, {}, {}]", round(d.x), round(d.y), round(d.z))
}

/// Returns true if one of the followed particles meets something.
fn stops(problem: &Problem, body: usize, down: DVec3) -> bool {
    let scene = &problem.scene;
    let mine: Vec<usize> =
        (0..problem.particle_count()).filter(|&p| problem.particles.body[p] as usize == body).collect();
    let every = mine.len().div_ceil(FOLLOWED).max(1);
    let others = || scene.bodies.iter().enumerate().filter(|(other, _)| *other != body);
    mine.iter().step_by(every).any(|&p| {
        let start = problem.particles.position[p];
        others().any(|(_, other)| below(&other.shape, start, down))
            || scene.sinks.iter().any(|sink| below(&sink.shape, start, down))
            || meets(problem, start, down)
    })
}

/// Returns true if the way down from `start` meets the bounding box of `shape`.
fn below(shape: &tuff_scene::Shape, start: DVec3, down: DVec3) -> bool {
    let bounds = shape.bounds();
    let (mut near, mut far) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let (low, high) = (bounds.min[axis] - start[axis], bounds.max[axis] - start[axis]);
        if down[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / down[axis], high / down[axis]);
        (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
    }
    near <= far
}

/// Returns true if the way down from `start` meets a face of a collider that carries.
fn meets(problem: &Problem, start: DVec3, down: DVec3) -> bool {
    let near = 0.5 * problem.scene.solver.kernel_radius;
    problem.faces.iter().any(|face| {
        let side = if face.surface.inside { -1.0 } else { 1.0 };
        let mut at = start;
        for _ in 0..STEPS {
            let Some(seen) = face.surface.shape.seen_within(at, f64::INFINITY) else { return false };
            // Behind a patch of a mesh there may be another one.
            let distance = if seen.at_cut { seen.distance.abs() } else { side * seen.distance };
            if !seen.at_cut && distance < near && (side * seen.normal).dot(down) < -BEARS {
                return true;
            }
            at += distance.max(near) * down;
        }
        false
    })
}
