//! Points that a fitted camera must show: the matter of the first frame and the path that it is expected to take, or, if frames
//! are on disk, the path that it took.

use glam::DVec3;
use tuff_problem::Frame;
use tuff_scene::{Bounds, Collider, Geometry, Particles, Scene};

/// Expected spread of matter that stands on a ground, relative to its height.
const SPREAD: f64 = 0.55;
/// Expected splash of matter, relative to the height of its fall.
const SPLASH: f64 = 0.15;
/// Expected sag of matter without a ground, relative to its size.
const SAG: f64 = 0.3;
/// Colliders wider than this many times the matter and its path are scenery and not fitted.
const SCENERY: f64 = 4.0;
/// Part of other colliders that is shown around the matter and its path, relative to their extent.
const MARGIN: f64 = 0.2;
/// Number of directions with which a footprint is rounded.
const ROUNDING: usize = 8;
/// Maximum number of steps of a search for the ground; a ray that needs more runs along a surface.
const STEPS: usize = 200;

/// Fraction of the particles on either side that may lie outside a frame's box: single grains that fly far.
const STRAY: f64 = 2e-3;

/// Returns points [m] around the particles of a frame, except a few strays, and around its rigid bodies.
pub(crate) fn extent(scene: &Scene, frame: &Frame) -> Vec<DVec3> {
    let matter = box_around(&frame.position).into_iter().flatten();
    let rigid = std::iter::zip(&scene.rigid, &frame.rigid).flat_map(|(body, state)| {
        let pose = state.pose();
        corners(body.shape.bounds()).map(|corner| pose.apply(corner))
    });
    matter.chain(rigid).collect()
}

/// Returns the corners [m] of the box around positions, except a few strays; `None` if there are none.
fn box_around(position: &[[f64; 3]]) -> Option<[DVec3; 8]> {
    let finite = position.iter().filter(|p| p.iter().all(|c| c.is_finite()));
    let mut bounds = Bounds { min: DVec3::ZERO, max: DVec3::ZERO };
    let mut along: Vec<f64> = Vec::with_capacity(position.len());
    for axis in 0..3 {
        along.clear();
        along.extend(finite.clone().map(|p| p[axis]));
        let last = along.len().checked_sub(1)?;
        let stray = (STRAY * along.len() as f64) as usize;
        bounds.min[axis] = *along.select_nth_unstable_by(stray, f64::total_cmp).1;
        bounds.max[axis] = *along.select_nth_unstable_by(last - stray, f64::total_cmp).1;
    }
    Some(corners(bounds))
}

/// Returns points [m] around the initial matter, rigid bodies among it, and the place where it is expected to come to rest.
pub(crate) fn expected(scene: &Scene, particles: &Particles, up: DVec3) -> Vec<DVec3> {
    let finite = particles.position.iter().copied().filter(|p| p.is_finite());
    let rigid = scene.rigid.iter().flat_map(|body| corners(body.shape.bounds()));
    let matter = Bounds::of(finite.chain(rigid));
    let matter = if matter.is_empty() { Bounds { min: -DVec3::ONE, max: DVec3::ONE } } else { matter };
    let mut points = corners(matter).to_vec();
    match ground(scene, matter.center(), up) {
        Some(ground) => points.extend(landing(scene, particles, matter, ground, up)),
        None => {
            let drop = up * SAG * matter.size().max_element();
            points.extend(corners(matter).map(|p| p - drop));
        }
    }
    points
}

/// Adds the colliders near `points`.
pub(crate) fn with_colliders(scene: &Scene, mut points: Vec<DVec3>) -> Vec<DVec3> {
    let range = Bounds::of(points.iter().copied());
    let extent = range.size().max_element();
    let near = range.grown(MARGIN * extent);
    for bounds in scene.colliders.iter().filter_map(initial_bounds) {
        let part = bounds.intersection(&near);
        if bounds.size().max_element() < SCENERY * extent && !part.is_empty() {
            points.extend(corners(part));
        }
    }
    points
}

/// Returns points around the place where falling matter comes to rest at the height of `ground` [m], and around its highest
/// position on the way.
fn landing(scene: &Scene, particles: &Particles, matter: Bounds, ground: DVec3, up: DVec3) -> Vec<DVec3> {
    let across = DVec3::ONE - up;
    let gravity = (-scene.gravity.dot(up)).max(1e-9);
    let (mean, deviation) = velocity(scene, particles);
    // Without gravity matter rises forever; a few of its sizes are shown.
    let rise = (mean.dot(up).max(0.0).powi(2) / (2.0 * gravity)).min(2.0 * matter.size().max_element());
    // Colliding matter goes up and sideways by the height equivalent of its speed.
    let clash = (deviation * deviation / (2.0 * gravity)).min(matter.size().max_element());
    let fall = (matter.min - ground).dot(up).max(0.0) + rise;
    let time = mean.dot(up).max(0.0) / gravity + (2.0 * fall / gravity).sqrt();
    let spread = SPREAD * matter.size().dot(up) + SPLASH * fall + clash;

    let foot = matter.center() - up * (matter.center() - ground).dot(up);
    let drift = (mean * across * time).clamp_length_max(2.0 * (matter.size().max_element() + fall));
    let half = 0.5 * matter.size() * across;
    let mut points = corners(Bounds { min: foot - half, max: foot + half })
        .iter()
        .flat_map(|corner| circle(corner + drift, spread, up))
        .collect::<Vec<_>>();
    let holds = |c: &&Collider| c.inside && c.distance(0.0, matter.center()) > 0.0;
    for bounds in scene.colliders.iter().filter(holds).filter_map(initial_bounds) {
        points.iter_mut().for_each(|p| *p = p.clamp(bounds.min, bounds.max));
    }
    points.extend(corners(matter).map(|p| p + up * (rise + clash)));
    points
}

/// Returns the mean velocity and the root mean square deviation from it [m/s], weighted by volume; that of a rigid body is its box's.
fn velocity(scene: &Scene, particles: &Particles) -> (DVec3, f64) {
    let weighted = || {
        let rigid =
            scene.rigid.iter().map(|body| (body.velocity, body.shape.bounds().size().element_product()));
        std::iter::zip(particles.velocity.iter().copied(), particles.rest_volume.iter().copied()).chain(rigid)
    };
    let volume = weighted().map(|(_, w)| w).sum::<f64>().max(f64::MIN_POSITIVE);
    let mean = weighted().map(|(v, w)| v * w).sum::<DVec3>() / volume;
    let square = weighted().map(|(v, w)| (v - mean).length_squared() * w).sum::<f64>() / volume;
    (mean, square.sqrt())
}

/// Returns the point below `start` [m] that catches matter: on the highest plane or container wall, or, without one, on the
/// highest solid.
fn ground(scene: &Scene, start: DVec3, up: DVec3) -> Option<DVec3> {
    let highest = |floors: bool| {
        let is_floor = |c: &&Collider| c.inside || matches!(c.shape.geometry, Geometry::Plane);
        let hits =
            scene.colliders.iter().filter(|c| is_floor(c) == floors).filter_map(|c| below(c, start, up));
        hits.max_by(|a, b| a.dot(up).total_cmp(&b.dot(up)))
    };
    highest(true).or_else(|| highest(false))
}

/// Returns where the way down from `start` [m] meets a collider that does not contain `start`.
fn below(collider: &Collider, start: DVec3, up: DVec3) -> Option<DVec3> {
    let first = collider.distance(0.0, start);
    if first.is_nan() || first <= 0.0 {
        return None;
    }
    let (mut p, mut reached) = (start, first);
    for _ in 0..STEPS {
        p -= up * reached;
        reached = collider.distance(0.0, p);
        if reached <= 1e-3 * first {
            return Some(p);
        }
    }
    None
}

/// Returns the box around a collider at the start [m]; `None` for an unbounded one.
fn initial_bounds(collider: &Collider) -> Option<Bounds> {
    let pose = collider.motion.pose(0.0);
    let bounds = collider.shape.bounds();
    bounds.size().is_finite().then(|| Bounds::of(corners(bounds).map(|p| pose.apply(p))))
}

fn circle(center: DVec3, radius: f64, up: DVec3) -> impl Iterator<Item = DVec3> {
    let (a, b) = up.any_orthonormal_pair();
    (0..ROUNDING).map(move |i| {
        let (sin, cos) = (std::f64::consts::TAU * i as f64 / ROUNDING as f64).sin_cos();
        center + radius * (cos * a + sin * b)
    })
}

fn corners(bounds: Bounds) -> [DVec3; 8] {
    std::array::from_fn(|corner| {
        let pick = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}
