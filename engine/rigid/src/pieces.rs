//! Shapes as pieces that contacts can be found for: convex solids, half spaces and triangle meshes.

use glam::{DQuat, DVec2, DVec3};
use parry3d_f64::math;
use parry3d_f64::shape::{SharedShape, TriMesh, TriMeshFlags};
use parry3d_f64::transformation::try_convex_hull;
use tuff_scene::{Collider, Geometry, Mesh, Rigid, Shape};

use crate::RigidError;
use crate::tessellate::{Solid, Triangles, capsule, solids, surface};

/// Relative difference of a mesh's volume from that of its convex hull up to which it counts as convex.
const CONVEX: f64 = 1e-6;

/// A part of a body or of a collider.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub shape: SharedShape,
    /// Place relative to the body's center or in the collider's scene.
    pub pose: math::Pose,
    pub kind: Kind,
}

/// How contacts of a piece are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A ball.
    Ball,
    /// A convex solid.
    Convex,
    /// The half space below the local y axis.
    HalfSpace,
    /// A triangle mesh.
    Triangles,
}

/// Converts a vector for parry.
pub(crate) fn vector(v: DVec3) -> math::Vector {
    math::Vector::from_array(v.to_array())
}

/// Converts a vector from parry.
pub(crate) fn from_vector(v: math::Vector) -> DVec3 {
    DVec3::from_array(v.to_array())
}

/// Converts a placement for parry.
pub(crate) fn pose(translation: DVec3, rotation: DQuat) -> math::Pose {
    math::Pose::from_parts(vector(translation), math::Rotation::from_array(rotation.to_array()))
}

impl Piece {
    /// Returns a bound of the distance of its points from the owner's origin [m].
    pub fn farthest(&self) -> f64 {
        let ball = self.shape.compute_local_bounding_sphere();
        (self.pose * ball.center).length() + ball.radius
    }

    fn new(shape: SharedShape, kind: Kind, place: &Place) -> Self {
        Self { shape, pose: pose(place.center, place.rotation), kind }
    }
}

/// Place of a shape relative to its owner.
#[derive(Debug, Clone, Copy)]
struct Place {
    center: DVec3,
    rotation: DQuat,
}

impl Place {
    fn of(shape: &Shape, origin: DVec3) -> Self {
        Self { center: shape.center - origin, rotation: shape.rotation }
    }

    fn shifted(&self, by: DVec3) -> Self {
        Self { center: self.center + self.rotation * by, ..*self }
    }
}

/// Returns the convex pieces of a body, relative to its center of mass.
pub(crate) fn of_body(index: usize, rigid: &Rigid, center: DVec3) -> Result<Vec<Piece>, RigidError> {
    let mut pieces = Vec::new();
    for shape in parts(&rigid.shape) {
        if !shape.subtract.is_empty() {
            return Err(RigidError::SubtractedBody { index, name: rigid.name.clone() });
        }
        let place = Place::of(shape, center);
        let found = match &shape.geometry {
            Geometry::Revolve { profile, .. } => revolved(profile, &place),
            Geometry::Mesh(mesh) if mesh.is_closed() => closed_mesh(mesh, shape, &place),
            geometry => primitive(geometry, &place).map(|piece| vec![piece]),
        };
        pieces.extend(found.ok_or_else(|| RigidError::Body {
            index,
            name: rigid.name.clone(),
            kind: shape.geometry.kind(),
        })?);
    }
    Ok(pieces)
}

/// Returns the pieces of a collider.
pub(crate) fn of_collider(index: usize, collider: &Collider) -> Result<Vec<Piece>, RigidError> {
    let name = || collider.name.clone();
    if collider.deformation().is_some() {
        return Err(RigidError::Deforming { index, name: name() });
    }
    let shapes = parts(&collider.shape);
    if shapes.iter().any(|shape| !shape.subtract.is_empty()) {
        return Err(RigidError::SubtractedCollider { index, name: name() });
    }
    if collider.inside && shapes.len() > 1 {
        return Err(RigidError::JoinedContainer { index, name: name() });
    }
    let mut pieces = Vec::new();
    for shape in shapes {
        let place = Place::of(shape, DVec3::ZERO);
        let found = match &shape.geometry {
            Geometry::Plane => {
                Some(vec![half_space(if collider.inside { DVec3::NEG_Y } else { DVec3::Y }, 0.0, &place)])
            }
            Geometry::Mesh(mesh) => {
                let flags = if collider.sheet {
                    TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED
                } else {
                    TriMeshFlags::FIX_INTERNAL_EDGES
                };
                let triangles = (mesh.vertices.clone(), mesh.triangles.clone());
                triangle_mesh(triangles, collider.inside, flags, &place).map(|piece| vec![piece])
            }
            Geometry::Revolve { profile, .. } => {
                let closed: Vec<DVec2> = profile.iter().chain(profile.first()).copied().collect();
                swept(&closed, collider.inside, &place).map(|piece| vec![piece])
            }
            geometry if collider.inside => walls(geometry, &place),
            geometry => primitive(geometry, &place).map(|piece| vec![piece]),
        };
        pieces.extend(found.ok_or_else(|| RigidError::Collider { index, name: name() })?);
    }
    Ok(pieces)
}

/// Returns a shape and all that is added to it.
fn parts(shape: &Shape) -> Vec<&Shape> {
    std::iter::once(shape).chain(shape.union.iter().flat_map(parts)).collect()
}

fn primitive(geometry: &Geometry, place: &Place) -> Option<Piece> {
    let (shape, kind) = match *geometry {
        Geometry::Box { half } => (SharedShape::cuboid(half.x, half.y, half.z), Kind::Convex),
        Geometry::Sphere { radius } => (SharedShape::ball(radius), Kind::Ball),
        Geometry::Cylinder { half_height, radius } => {
            (SharedShape::cylinder(half_height, radius), Kind::Convex)
        }
        Geometry::Capsule { half_height, radius } => {
            (SharedShape::capsule_y(half_height, radius), Kind::Convex)
        }
        _ => return None,
    };
    Some(Piece::new(shape, kind, place))
}

/// Returns the half space whose surface is `distance` [m] behind the origin, seen along its outward `normal`.
fn half_space(normal: DVec3, distance: f64, place: &Place) -> Piece {
    let place = place.shifted(-distance * normal);
    let turned = Place { rotation: place.rotation * DQuat::from_rotation_arc(DVec3::Y, normal), ..place };
    Piece::new(SharedShape::halfspace(math::Vector::Y), Kind::HalfSpace, &turned)
}

/// Returns the walls of a container: half spaces where they are flat.
fn walls(geometry: &Geometry, place: &Place) -> Option<Vec<Piece>> {
    match *geometry {
        Geometry::Box { half } => Some(
            [DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .flat_map(|axis| [axis, -axis])
                .map(|inward| half_space(inward, half.dot(inward.abs()), place))
                .collect(),
        ),
        Geometry::Cylinder { half_height, radius } => {
            let ends = [DVec3::Y, DVec3::NEG_Y].map(|inward| half_space(inward, half_height, place));
            let tube = [DVec2::new(radius, -half_height), DVec2::new(radius, half_height)];
            Some(swept(&tube, true, place).into_iter().chain(ends).collect())
        }
        Geometry::Sphere { radius } => Some(vec![swept(&capsule(0.0, radius), true, place)?]),
        Geometry::Capsule { half_height, radius } => {
            Some(vec![swept(&capsule(half_height, radius), true, place)?])
        }
        _ => None,
    }
}

fn swept(chain: &[DVec2], flipped: bool, place: &Place) -> Option<Piece> {
    triangle_mesh(surface(chain), flipped, TriMeshFlags::FIX_INTERNAL_EDGES, place)
}

fn triangle_mesh(
    (vertices, mut triangles): Triangles,
    flipped: bool,
    flags: TriMeshFlags,
    place: &Place,
) -> Option<Piece> {
    if flipped {
        triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    let vertices = vertices.into_iter().map(vector).collect();
    let mesh = TriMesh::with_flags(vertices, triangles, flags).ok()?;
    Some(Piece::new(SharedShape::new(mesh), Kind::Triangles, place))
}

fn hull(points: &[DVec3], place: &Place) -> Option<Piece> {
    let points: Vec<math::Vector> = points.iter().copied().map(vector).collect();
    Some(Piece::new(SharedShape::convex_hull(&points)?, Kind::Convex, place))
}

fn revolved(profile: &[DVec2], place: &Place) -> Option<Vec<Piece>> {
    solids(profile)
        .iter()
        .map(|solid| match solid {
            Solid::Cylinder { radius, heights: [low, high] } => {
                let place = place.shifted(0.5 * (low + high) * DVec3::Y);
                Some(Piece::new(SharedShape::cylinder(0.5 * (high - low), *radius), Kind::Convex, &place))
            }
            Solid::Hull(points) => hull(points, place),
        })
        .collect()
}

/// Returns the convex hull of a mesh that equals it, otherwise the hulls of an approximate convex decomposition (VHACD).
fn closed_mesh(mesh: &Mesh, shape: &Shape, place: &Place) -> Option<Vec<Piece>> {
    let points: Vec<math::Vector> = mesh.vertices.iter().copied().map(vector).collect();
    let (corners, faces) = try_convex_hull(&points).ok()?;
    let tetrahedron = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|v| from_vector(corners[v as usize]));
        a.dot(b.cross(c)) / 6.0
    };
    let volume: f64 = faces.iter().copied().map(tetrahedron).sum();
    if volume - shape.volume() <= CONVEX * volume {
        return hull(&mesh.vertices, place).map(|piece| vec![piece]);
    }
    let decomposed = SharedShape::convex_decomposition(&points, &mesh.triangles);
    let pieces = decomposed.as_compound()?.shapes().iter();
    let whole = pose(place.center, place.rotation);
    Some(
        pieces
            .map(|(pose, shape)| Piece { shape: shape.clone(), pose: whole * *pose, kind: Kind::Convex })
            .collect(),
    )
}
