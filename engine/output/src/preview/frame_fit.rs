//! What a fitted camera must show.

use glam::DVec3;
use tuff_scene::Particles;
use tuff_scene::Scene;
use tuff_scene::{Bounds, Geometry};

/// How far matter that stands on a ground is expected to spread, over its height.
const SPREAD: f64 = 0.55;
/// How far matter without a ground is expected to sag, over its size.
const SAG: f64 = 0.3;
/// Colliders wider than this many times the matter and its fall are scenery and not fitted.
const SCENERY: f64 = 4.0;

/// Corners of the initial matter, of the place where it is going to lie, and of the colliders that
/// handle it [m].
pub(crate) fn points_of_interest(scene: &Scene, particles: &Particles, up: DVec3) -> Vec<DVec3> {
    let finite = particles.position.iter().copied().filter(|p| p.is_finite());
    let matter = Bounds::of(finite);
    let matter = if matter.is_empty() { Bounds { min: -DVec3::ONE, max: DVec3::ONE } } else { matter };
    let mut points = corners(matter).to_vec();

    let mut rest: Option<DVec3> = None;
    for collider in scene.colliders.iter().filter(|c| matches!(c.shape.geometry, Geometry::Plane)) {
        let normal = collider.shape.normal(collider.shape.center);
        if normal.dot(up) > 0.5 {
            let height = (matter.center() - collider.shape.center).dot(normal) / normal.dot(up);
            let foot = matter.center() - up * height;
            // The highest ground below the matter is the one that catches it.
            if height > 0.0 && rest.is_none_or(|r| foot.dot(up) > r.dot(up)) {
                rest = Some(foot);
            }
        }
    }
    let across = DVec3::ONE - up;
    match rest {
        Some(foot) => {
            let height = (matter.max - foot).dot(up).max(0.0);
            let half = 0.5 * matter.size() * across + across * SPREAD * height;
            points.extend(corners(Bounds { min: foot - half, max: foot + half }));
        }
        None => {
            let drop = up * SAG * matter.size().max_element();
            points.extend(corners(matter).map(|p| p - drop));
        }
    }
    let extent = Bounds::of(points.iter().copied()).size().max_element();
    for collider in &scene.colliders {
        let bounds = collider.shape.bounds();
        if bounds.size().is_finite() && !bounds.is_empty() && bounds.size().max_element() < SCENERY * extent {
            points.extend(corners(bounds).map(|p| collider.motion.pose(0.0).apply(p)));
        }
    }
    points
}

fn corners(bounds: Bounds) -> [DVec3; 8] {
    std::array::from_fn(|corner| {
        let pick = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}
