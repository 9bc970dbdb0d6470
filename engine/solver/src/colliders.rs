//! Colliders and pins as the shaders read them: the poses of colliders at the end of every substep, the centers of pins at its
//! start, and their motion over it. Velocities are differences of poses, computed in f64.

pub mod deform;
pub mod mesh;

use glam::{DMat3, DQuat, DVec3};
use tuff_problem::{Face, Side};
use tuff_scene::{Geometry, Pin, Pose, Shape};

use crate::constants::*;

/// A shape that colliders cannot have.
#[derive(Debug, thiserror::Error)]
#[error(
    "collider `{collider}`: {kind} cannot collide; allowed are plane, box, sphere, cylinder, capsule, revolve and mesh"
)]
pub struct UnsupportedCollider {
    collider: String,
    kind: &'static str,
}

fn vec4(v: DVec3, w: f64) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, w as f32]
}

/// Returns the rigid velocity about `center` that carries the pose `from` to `to` in `dt` [s]: the center's position [m], its
/// velocity [m/s], and the matrix [1/s] that maps `x - center` to the rest of the velocity.
///
/// With `at_end`, center and x are positions at the end of the step, otherwise at its start.
fn rigid_velocity(from: &Pose, to: &Pose, center: DVec3, dt: f64, at_end: bool) -> (DVec3, DVec3, DMat3) {
    let (start, end) = (from.apply(center), to.apply(center));
    let turn = to.rotation * from.rotation.conjugate();
    let map = if at_end {
        DMat3::IDENTITY - DMat3::from_quat(turn.conjugate())
    } else {
        DMat3::from_quat(turn) - DMat3::IDENTITY
    };
    (if at_end { end } else { start }, (end - start) / dt, map * (1.0 / dt))
}

fn rows(matrix: DMat3) -> [[f32; 4]; 3] {
    let t = matrix.transpose();
    [vec4(t.x_axis, 0.0), vec4(t.y_axis, 0.0), vec4(t.z_axis, 0.0)]
}

/// Returns the shapes of a face: its own, then what is cut away from it.
fn shapes(face: &Face) -> impl Iterator<Item = &Shape> {
    std::iter::once(&face.surface.shape).chain(face.cuts())
}

/// Returns the profile points of all revolved shapes, face by face: radius, height [m].
pub fn profile_points(faces: &[Face]) -> Vec<[f32; 2]> {
    let of_shape = |shape: &Shape| match &shape.geometry {
        Geometry::Revolve { profile, .. } => profile.iter().map(|p| [p.x as f32, p.y as f32]).collect(),
        _ => Vec::new(),
    };
    faces.iter().flat_map(shapes).flat_map(of_shape).collect()
}

/// Returns the number of words of all faces and their cuts for a substep.
pub fn word_count(faces: &[Face]) -> u64 {
    let words = |face: &Face| u64::from(COLLIDER_WORDS) + face.cuts().len() as u64 * u64::from(CUT_WORDS);
    faces.iter().map(words).sum()
}

/// Appends the words of all faces for a substep of length `dt` [s], then those of their cuts. `poses`: those of a face at its start and
/// end; `speed`: largest speed of a vertex of a collider's mesh relative to its rigid motion [m/s].
///
/// # Errors
/// If a collider is made of points.
pub fn pack_colliders(
    faces: &[Face],
    dt: f64,
    poses: impl Fn(&Face) -> [Pose; 2],
    speed: impl Fn(usize) -> f64,
    words: &mut Vec<[f32; 4]>,
) -> Result<(), UnsupportedCollider> {
    let (mut first_point, mut root) = (0, 0);
    let mut cuts: Vec<[f32; 4]> = Vec::new();
    for face in faces {
        let collider = &face.surface;
        let [from, to] = poses(face);
        let (center, velocity, map) = rigid_velocity(&from, &to, collider.shape.center, dt, true);
        let [mut head, mut size, _, orientation] = shape_words(face, &collider.shape, &to, &mut first_point)?;
        (head[1], head[2]) = (collider.friction.coefficient() as f32, kind_of(face));
        if let Geometry::Mesh(mesh) = &collider.shape.geometry {
            size[0] = root as f32;
            size[1] = (dt * speed(face.collider)) as f32;
            root += mesh.node_count();
        }
        words.extend([head, size, vec4(center, side(face)), orientation, vec4(velocity, collider.thickness)]);
        let mut map = rows(map);
        let first_cut = faces.len() * COLLIDER_WORDS as usize + cuts.len();
        let counts = [face.cuts().len(), first_cut].map(|count| count as f32);
        [map[0][3], map[1][3], map[2][3]] = [collider.adhesion as f32, counts[0], counts[1]];
        words.extend(map);
        for cut in face.cuts() {
            cuts.extend(shape_words(face, cut, &to, &mut first_point)?);
        }
    }
    words.extend(cuts);
    Ok(())
}

/// Returns the words of a shape in this pose: kind and first profile point, sizes, center, orientation. Counts the profile points.
fn shape_words(
    face: &Face,
    shape: &Shape,
    pose: &Pose,
    first_point: &mut usize,
) -> Result<[[f32; 4]; CUT_WORDS as usize], UnsupportedCollider> {
    let (kind, size, points) = match &shape.geometry {
        Geometry::Plane => (SHAPE_PLANE, DVec3::ZERO, 0),
        Geometry::Box { half } => (SHAPE_BOX, *half, 0),
        Geometry::Sphere { radius } => (SHAPE_SPHERE, DVec3::new(*radius, 0.0, 0.0), 0),
        Geometry::Cylinder { half_height, radius } => {
            (SHAPE_CYLINDER, DVec3::new(*radius, *half_height, 0.0), 0)
        }
        Geometry::Capsule { half_height, radius } => {
            (SHAPE_CAPSULE, DVec3::new(*radius, *half_height, 0.0), 0)
        }
        Geometry::Revolve { profile, edges } => {
            (SHAPE_REVOLVE, DVec3::new(edges.first as f64, edges.count as f64, 0.0), profile.len())
        }
        Geometry::Mesh(_) => (SHAPE_MESH, DVec3::ZERO, 0),
        other => {
            return Err(UnsupportedCollider { collider: face.surface.name.clone(), kind: other.kind() });
        }
    };
    let q: DQuat = (pose.rotation * shape.rotation).normalize();
    let head = [kind as f32, 0.0, 0.0, *first_point as f32];
    *first_point += points;
    let orientation = [q.x as f32, q.y as f32, q.z as f32, q.w as f32];
    Ok([head, vec4(size, points as f64), vec4(pose.apply(shape.center), 0.0), orientation])
}

/// Returns -1 for a container, the number of the collider plus one for a wall, and 0 for others.
fn kind_of(face: &Face) -> f32 {
    match (face.wall, face.surface.inside) {
        (true, _) => (face.collider + 1) as f32,
        (false, true) => -1.0,
        (false, false) => 0.0,
    }
}

/// Returns the side of a sheet as the shaders number it, 0 for others.
fn side(face: &Face) -> f64 {
    f64::from(match face.sheet {
        None => 0,
        Some(Side::Front) => SHEET_FRONT,
        Some(Side::Back) => SHEET_BACK,
    })
}

/// Appends the words of all pins for a substep from `start` [s] of length `dt` [s].
pub fn pack_pins(pins: &[Pin], start: f64, dt: f64, words: &mut Vec<[f32; 4]>) {
    for pin in pins {
        let (from, to) = (pin.motion.pose(start), pin.motion.pose(start + dt));
        let (center, velocity, map) = rigid_velocity(&from, &to, pin.motion.pivot, dt, false);
        words.push(vec4(center, 0.0));
        words.push(vec4(velocity, 0.0));
        words.extend(rows(map));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rigid_velocity_carries_points_to_where_the_pose_puts_them() {
        let from = Pose { rotation: DQuat::from_rotation_y(0.3), translation: DVec3::new(1.0, 2.0, 3.0) };
        let to = Pose { rotation: DQuat::from_rotation_z(0.7), translation: DVec3::new(1.1, 1.8, 3.5) };
        let (rest, pivot, dt) = (DVec3::new(0.4, -0.2, 0.9), DVec3::new(0.1, 0.0, -0.5), 1e-3);
        let (start, end) = (from.apply(rest), to.apply(rest));
        for at_end in [false, true] {
            let (center, velocity, map) = rigid_velocity(&from, &to, pivot, dt, at_end);
            let x = if at_end { end } else { start };
            let v = velocity + map * (x - center);
            assert!((start + dt * v - end).length() < 1e-12);
        }
    }
}
