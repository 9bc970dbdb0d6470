//! Colliders and pins as the shaders read them: the poses of colliders at the end of every substep, the centers of pins at its
//! start, and their motion over it. Velocities are differences of poses, computed in f64.

pub mod mesh;

use glam::{DMat3, DQuat, DVec3};
use tuff_problem::{Face, Side};
use tuff_scene::Geometry;
use tuff_scene::Pin;
use tuff_scene::Pose;

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

/// Returns the profile points of all revolved colliders, in their order: radius, height [m].
pub fn profile_points(faces: &[Face]) -> Vec<[f32; 2]> {
    let mut points = Vec::new();
    for wholes in faces.chunk_by(|a, b| a.collider == b.collider) {
        if let Geometry::Revolve { profile, .. } = &wholes[0].surface.shape.geometry {
            points.extend(profile.iter().map(|p| [p.x as f32, p.y as f32]));
        }
    }
    points
}

/// Appends the words of all faces for a substep from `start` [s] of length `dt` [s].
///
/// # Errors
/// If a collider is made of points.
pub fn pack_colliders(
    faces: &[Face],
    start: f64,
    dt: f64,
    words: &mut Vec<[f32; 4]>,
) -> Result<(), UnsupportedCollider> {
    let (mut first_point, mut root) = (0, 0);
    for (i, face) in faces.iter().enumerate() {
        let collider = &face.surface;
        let shape = &collider.shape;
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
                return Err(UnsupportedCollider { collider: collider.name.clone(), kind: other.kind() });
            }
        };
        let (from, to) = (collider.motion.pose(start), collider.motion.pose(start + dt));
        let (center, velocity, map) = rigid_velocity(&from, &to, shape.center, dt, true);
        let q: DQuat = (to.rotation * shape.rotation).normalize();
        let inside = f64::from(u8::from(collider.inside));
        words.push(vec4(
            DVec3::new(f64::from(kind), collider.friction.coefficient(), inside),
            first_point as f64,
        ));
        if let Geometry::Mesh(mesh) = &shape.geometry {
            words.push([root as f32, 0.0, 0.0, 0.0]);
            root += mesh.node_count();
        } else {
            words.push(vec4(size, points as f64));
        }
        words.push(vec4(center, side(face)));
        words.push([q.x as f32, q.y as f32, q.z as f32, q.w as f32]);
        words.push(vec4(velocity, collider.thickness));
        let mut map = rows(map);
        map[0][3] = collider.adhesion as f32;
        words.extend(map);
        if faces.get(i + 1).is_none_or(|next| next.collider != face.collider) {
            first_point += points;
        }
    }
    Ok(())
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
