//! Faces of colliders, which particles touch.

mod pieces;
mod walls;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use tuff_scene::{Collider, Geometry, Motion, Shape, walls};

/// Part of a collider that a particle touches independently of the others.
///
/// In an edge of a container a particle presses on several walls at once, while the distance to the whole shape gives only the
/// nearest one. Boxes, cylinders and solids of revolution that hold matter inside are therefore split into one face per wall, and meshes
/// along their sharp concave edges, into patches that are turned towards the matter. The patches of both sides of a sheet are faces, and
/// so is its rim, around which matter may flow. Shapes with parts and cuts are split into pieces.
#[derive(Debug, Clone)]
pub struct Face {
    /// Index of the collider or rigid body among the scene's obstacles.
    pub collider: usize,
    /// The face, with the collider's friction and motion.
    pub surface: Collider,
    /// Side of a sheet; `None` for solids and containers.
    pub sheet: Option<Side>,
    /// True if particles are no neighbors through the collider, which may be thinner than a kernel.
    pub wall: bool,
    /// Rigid body to which it belongs; `None` for colliders.
    pub rigid: Option<usize>,
}

/// Side of a sheet. A particle touches the one on which it is when a substep begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The side into which the normals of its triangles point; particles on the sheet itself count to it.
    Front,
    /// The other.
    Back,
}

impl Face {
    /// Returns what is cut away from the solid of the surface.
    pub fn cuts(&self) -> &[Shape] {
        let shape = &self.surface.shape;
        if self.surface.inside { &shape.union } else { &shape.subtract }
    }
}

impl Side {
    /// Returns true if a particle at this distance [m] from the surface, seen from this side, is on this side.
    pub fn holds(self, distance: f64) -> bool {
        match self {
            Self::Front => distance >= 0.0,
            Self::Back => distance > 0.0,
        }
    }
}

/// Length of the tube that replaces the wall of a cylinder, relative to the cylinder's size.
const TUBE: f64 = 1e6;

/// Returns the faces of all colliders, in their order, for kernels with this `support` [m].
pub fn faces_for(colliders: &[Collider], support: f64) -> Vec<Face> {
    let mut faces = faces(colliders);
    let walls: Vec<bool> = colliders.iter().map(|whole| walls::is_wall(whole, support)).collect();
    for face in &mut faces {
        // The rim of a sheet has no sides.
        // Neither does the inside of a container, which shaders mark in the same word.
        face.wall =
            walls[face.collider] && !face.surface.inside && (face.sheet.is_some() || !face.surface.sheet);
    }
    faces
}

/// Returns the faces of all colliders, in their order, none of them a wall.
pub fn faces(colliders: &[Collider]) -> Vec<Face> {
    colliders.iter().enumerate().flat_map(|(collider, whole)| faces_of(collider, whole)).collect()
}

fn faces_of(collider: usize, whole: &Collider) -> Vec<Face> {
    let face = |surface: Collider| Face { collider, surface, sheet: None, wall: false, rigid: None };
    match whole.shape.geometry {
        _ if has_pieces(whole) => pieces::pieces(whole).into_iter().map(face).collect(),
        Geometry::Mesh(ref mesh) => {
            let sides: &[(bool, Option<Side>)] = match (whole.sheet, whole.inside) {
                (true, _) => &[(false, Some(Side::Front)), (true, Some(Side::Back))],
                (false, inside) => &[(inside, None)],
            };
            let patches = |&(flipped, sheet): &(bool, Option<Side>)| {
                mesh.patches(flipped).into_iter().map(move |patch| {
                    let mut surface = whole.clone();
                    surface.inside = false;
                    surface.shape.geometry = Geometry::Mesh(Arc::new(patch));
                    Face { collider, surface, sheet, wall: false, rigid: None }
                })
            };
            let rim = mesh.rim().filter(|_| whole.sheet).map(|rim| {
                let mut surface = whole.clone();
                surface.shape.geometry = Geometry::Mesh(Arc::new(rim));
                face(surface)
            });
            sides.iter().flat_map(patches).chain(rim).collect()
        }
        _ if whole.inside => walls_of(whole).into_iter().map(face).collect(),
        _ => vec![face(whole.clone())],
    }
}

/// Returns true if a collider is divided into pieces, which overlap or meet in one plane.
pub(crate) fn has_pieces(whole: &Collider) -> bool {
    !whole.shape.is_plain() || !whole.inside && matches!(whole.shape.geometry, Geometry::Revolve { .. })
}

/// Replaces the motion of a collider's faces.
pub fn set_motion(faces: &mut [Face], collider: usize, motion: &Motion) {
    for face in faces.iter_mut().filter(|face| face.collider == collider) {
        face.surface.motion.clone_from(motion);
    }
}

/// Returns the walls of a plain container.
fn walls_of(whole: &Collider) -> Vec<Collider> {
    match whole.shape.geometry {
        Geometry::Box { half } => [DVec3::X, DVec3::Y, DVec3::Z]
            .into_iter()
            .flat_map(|axis| [axis, -axis])
            .map(|outward| wall(whole, outward, half.dot(outward.abs())))
            .collect(),
        Geometry::Cylinder { half_height, radius } => {
            let mut tube = whole.clone();
            tube.shape.geometry = Geometry::Cylinder { half_height: TUBE * (half_height + radius), radius };
            let ends = [DVec3::Y, -DVec3::Y].map(|outward| wall(whole, outward, half_height));
            [tube].into_iter().chain(ends).collect()
        }
        Geometry::Revolve { ref profile, .. } => {
            let wall = |edges| {
                let mut wall = whole.clone();
                wall.shape.geometry = Geometry::Revolve { profile: profile.clone(), edges };
                wall
            };
            walls(profile).into_iter().map(wall).collect()
        }
        _ => vec![whole.clone()],
    }
}

/// Returns the half space beyond `distance` [m] from the shape's center along the local direction `outward`.
fn wall(whole: &Collider, outward: DVec3, distance: f64) -> Collider {
    let mut plane = whole.clone();
    let rotation = whole.shape.rotation;
    plane.inside = false;
    plane.shape.geometry = Geometry::Plane;
    plane.shape.center += rotation * (distance * outward);
    plane.shape.rotation = rotation * DQuat::from_rotation_arc(DVec3::Y, -outward);
    plane
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use tuff_scene::Friction;

    use super::*;

    fn container(geometry: Geometry) -> Collider {
        Collider {
            name: "container".to_owned(),
            shape: Shape {
                geometry,
                center: DVec3::new(0.3, -0.2, 0.5),
                rotation: DQuat::from_rotation_x(0.4) * DQuat::from_rotation_z(-0.9),
                union: Vec::new(),
                subtract: Vec::new(),
            },
            inside: true,
            sheet: false,
            thickness: 0.0,
            adhesion: 0.0,
            friction: Friction::Coulomb(0.3),
            motion: Motion::IDENTITY,
        }
    }

    #[test]
    fn the_nearest_face_of_a_container_is_the_container() {
        let cases = [
            (Geometry::Box { half: DVec3::new(0.5, 0.7, 0.9) }, 6),
            (Geometry::Cylinder { half_height: 0.6, radius: 0.5 }, 3),
            (hourglass(), 3),
        ];
        for (geometry, count) in cases {
            let whole = container(geometry);
            let faces = faces(std::slice::from_ref(&whole));
            assert_eq!(faces.len(), count);
            for i in 0..200 {
                let t = f64::from(i);
                let local = DVec3::new((1.3 * t).sin(), (2.1 * t).cos(), (0.7 * t).sin()) * 0.28;
                let x = whole.shape.center + local;
                let side = |c: &Collider| if c.inside { -1.0 } else { 1.0 };
                let distance = |c: &Collider| side(c) * c.shape.signed_distance(x);
                let nearest =
                    faces.iter().map(|f| &f.surface).min_by(|a, b| distance(a).total_cmp(&distance(b)));
                let Some(nearest) = nearest else { panic!("no face") };
                assert!((distance(nearest) - distance(&whole)).abs() < 1e-9, "{x}");
                let normal = side(nearest) * nearest.shape.normal(x);
                assert!((normal - side(&whole) * whole.shape.normal(x)).length() < 1e-9, "{x}");
            }
        }
    }

    /// A bottom, a wall with a neck where no wall meets another, and a lid.
    fn hourglass() -> Geometry {
        Geometry::revolve(
            [[0.0, -0.6], [0.5, -0.6], [0.3, 0.0], [0.5, 0.6], [0.0, 0.6]].map(DVec2::from).to_vec(),
        )
    }

    #[test]
    fn what_is_beyond_a_wall_is_not_beyond_the_others() {
        let whole = container(hourglass());
        let faces = faces(std::slice::from_ref(&whole));
        // A point below the bottom and one beside the wall, with their distances from the bottom, the wall and the lid.
        let below = (DVec3::new(0.1, -0.61, 0.0), [0.01, -0.242 / 0.4_f64.sqrt(), -1.21]);
        let beside =
            (DVec3::new(0.55, -0.5, 0.0), [-0.0125_f64.sqrt(), 0.05 / 0.4_f64.sqrt(), -1.2125_f64.sqrt()]);
        for (local, expected) in [below, beside] {
            let x = whole.shape.center + whole.shape.rotation * local;
            for (face, expected) in std::iter::zip(&faces, expected) {
                let distance = face.surface.shape.signed_distance(x);
                assert!((distance - expected).abs() < 1e-12, "{local}: {distance} {expected}");
            }
        }
    }

    /// At its waist an hourglass touches matter with two sides.
    #[test]
    fn obstacles_are_split_at_concave_corners_alone() {
        for (geometry, count) in [(Geometry::Box { half: DVec3::ONE }, 1), (hourglass(), 2)] {
            let mut obstacle = container(geometry);
            obstacle.inside = false;
            assert_eq!(faces(&[obstacle]).len(), count);
        }
    }
}
