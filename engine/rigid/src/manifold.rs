//! Contact points of two convex pieces.
//!
//! Normals and closest points are parry's. Its polygons have four corners at most, which is too few for caps of cylinders and for faces of
//! hulls; those are clipped here.

use glam::DVec3;
use parry3d_f64::math;
use parry3d_f64::query::details::NormalConstraints;
use parry3d_f64::query::{
    ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, TrackedContact,
};
use parry3d_f64::shape::{FeatureId, PolygonalFeature, Shape, ShapeType, TrianglePseudoNormals};

use crate::pieces::{Kind, from_vector, vector};
use crate::polygon::{clipped, reduced};

/// Number of corners of a cylinder's cap.
const CAP: usize = 16;
/// Cosine of the angle between a cylinder's axis and a normal from which on its cap touches.
const CAP_COSINE: f64 = 0.7;

/// Difference of two distances, relative to the first piece, below which faces separate two pieces equally well.
const SAME_FACE: f64 = 1e-9;
/// Distance, relative to the first piece, between the common part of two faces and the nearest point, up to which they are one contact.
const IN_FRONT: f64 = 1e-6;

/// Depth, relative to the first piece, up to which faces decide on the normal of pieces that overlap.
const SHALLOW: f64 = 0.02;

/// A shape with its place.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub shape: &'a dyn Shape,
    pub pose: &'a math::Pose,
}

/// Points at which two pieces touch or may touch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manifold {
    /// Unit normal from the second piece to the first.
    pub normal: DVec3,
    pub points: Vec<Point>,
}

/// A contact point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Point of the first and of the second piece [m].
    pub places: [DVec3; 2],
    /// Distance along the normal, negative where they overlap [m].
    pub distance: f64,
    /// Parts of the shapes that touch, 0 if unknown.
    pub features: [u32; 2],
}

impl Point {
    /// Returns the middle [m].
    pub fn middle(&self) -> DVec3 {
        0.5 * (self.places[0] + self.places[1])
    }
}

/// Returns the points of a piece at most `prediction` [m] above a half space.
pub(crate) fn above_plane(piece: Placed<'_>, kind: Kind, plane: &math::Pose, prediction: f64) -> Manifold {
    let normal = from_vector(plane.rotation * math::Vector::Y);
    let origin = from_vector(plane.translation);
    let down = from_vector(piece.pose.rotation.inverse() * vector(-normal));
    let (candidates, border) = lowest(piece.shape, kind, down);
    let mut points = Vec::new();
    for (index, local) in candidates.into_iter().enumerate() {
        let core = from_vector(*piece.pose * vector(local));
        let height = (core - origin).dot(normal);
        if height - border <= prediction {
            let places = [core - border * normal, core - height * normal];
            points.push(Point { places, distance: height - border, features: [index as u32 + 1, 1] });
        }
    }
    Manifold { normal, points: reduced(points, normal) }
}

/// Returns points of a solid of which some are its lowest ones along `down`, and a radius around them.
fn lowest(shape: &dyn Shape, kind: Kind, down: DVec3) -> (Vec<DVec3>, f64) {
    if kind == Kind::Ball {
        return (vec![DVec3::ZERO], shape.as_ball().map_or(0.0, |ball| ball.radius));
    }
    if let Some(cuboid) = shape.as_cuboid() {
        let half = from_vector(cuboid.half_extents);
        let sign = |corner: u32, axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
        return ((0..8).map(|i| half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect(), 0.0);
    }
    if let Some(polyhedron) = shape.as_convex_polyhedron() {
        return (polyhedron.points().iter().copied().map(from_vector).collect(), 0.0);
    }
    if let Some(cylinder) = shape.as_cylinder() {
        let (half, radius) = (cylinder.half_height, cylinder.radius);
        let rim = |outward: DVec3| [-half, half].map(|y| radius * outward + y * DVec3::Y);
        let across = DVec3::new(down.x, 0.0, down.z).try_normalize();
        return (across.into_iter().chain((0..CAP).map(around)).flat_map(rim).collect(), 0.0);
    }
    if let Some(capsule) = shape.as_capsule() {
        return (vec![from_vector(capsule.segment.a), from_vector(capsule.segment.b)], capsule.radius);
    }
    (Vec::new(), 0.0)
}

fn around(index: usize) -> DVec3 {
    let angle = std::f64::consts::TAU * index as f64 / CAP as f64;
    DVec3::new(libm::cos(angle), 0.0, libm::sin(angle))
}

/// Returns the points of two convex pieces at most `prediction` [m] apart; `neighbors` bound the normals of a triangle, the second.
pub(crate) fn between(
    first: Placed<'_>,
    second: Placed<'_>,
    neighbors: Option<&TrianglePseudoNormals>,
    prediction: f64,
) -> Manifold {
    let [one, two] = [first.shape, second.shape];
    let large = has_large_faces(one) || has_large_faces(two);
    if large && one.as_ball().is_none() && two.as_ball().is_none() {
        let one_sided = neighbors.is_some_and(|neighbors| !neighbors.two_sided);
        match by_faces(first, second, one_sided, prediction) {
            ByFaces::Apart => return Manifold::default(),
            ByFaces::Touching(manifold) => return manifold,
            ByFaces::Unknown => {}
        }
    }
    let mut found = ContactManifold::<(), ()>::new();
    let relative = first.pose.inv_mul(second.pose);
    let known = DefaultQueryDispatcher.contact_manifold_convex_convex(
        &relative,
        one,
        two,
        None,
        neighbors.map(|neighbors| neighbors as &dyn NormalConstraints),
        prediction,
        &mut found,
    );
    let normal = from_vector(first.pose.rotation * found.local_n1);
    if known.is_err() || !(normal.length_squared() - 1.0).abs().lt(&1e-6) {
        return Manifold::default();
    }
    let of_parry = |point: &TrackedContact<()>| Point {
        places: [from_vector(*first.pose * point.local_p1), from_vector(*second.pose * point.local_p2)],
        distance: point.dist,
        features: [point.fid1.0, point.fid2.0],
    };
    let points = found.points.iter().map(of_parry).filter(|point| point.distance <= prediction).collect();
    Manifold { normal: -normal, points: reduced(points, normal) }
}

/// Returns true if faces of this shape may have more than four corners.
fn has_large_faces(shape: &dyn Shape) -> bool {
    matches!(shape.shape_type(), ShapeType::Cylinder | ShapeType::ConvexPolyhedron)
}

/// What the faces of two solids say about their contact.
enum ByFaces {
    /// A face is farther from the other solid than the distance of interest.
    Apart,
    /// The solids touch with a face.
    Touching(Manifold),
    /// They are nearest elsewhere.
    Unknown,
}

/// Looks for a contact with a face: if the point of a solid nearest to a face of the other is in front of this face, the solids are as
/// far apart as both are. Unlike the way between closest points this has a direction where solids barely touch. Of a triangle in a mesh
/// only its own face counts, because its neighbors bound the normals.
fn by_faces(first: Placed<'_>, second: Placed<'_>, one_sided: bool, prediction: f64) -> ByFaces {
    let [ball, other] = [first, second].map(|piece| {
        let ball = piece.shape.compute_local_bounding_sphere();
        (from_vector(*piece.pose * ball.center), ball.radius)
    });
    let mut faces = Vec::new();
    if second.shape.as_triangle().is_none() {
        faces = face_normals(first, other.0, false);
    }
    faces.extend(face_normals(second, ball.0, one_sided).into_iter().map(|face| -face));
    let mut best = (DVec3::ZERO, f64::NEG_INFINITY);
    for face in faces {
        let apart = separation(first, second, face);
        // Of faces that separate equally well, as those of two blocks on each other, the first.
        if apart > best.1 + SAME_FACE * ball.1 {
            best = (face, apart);
        }
    }
    let (normal, apart) = best;
    if apart > prediction {
        return ByFaces::Apart;
    }
    if apart < -prediction.max(SHALLOW * ball.1) {
        return ByFaces::Unknown;
    }
    let [a, b] = [face(first, normal), face(second, -normal)];
    let place = |[p, q]: [DVec3; 2]| {
        let places = [p + a.border * normal, q - b.border * normal];
        Point { places, distance: (places[1] - places[0]).dot(normal), features: [0; 2] }
    };
    let mut points: Vec<Point> = clipped(normal, &a.corners, &b.corners).into_iter().map(place).collect();
    if !points.iter().any(|point| point.distance <= apart + IN_FRONT * ball.1) {
        return ByFaces::Unknown;
    }
    points.retain(|point| point.distance <= prediction);
    ByFaces::Touching(Manifold { normal: -normal, points: reduced(points, normal) })
}

/// Returns how far two solids are apart along a unit vector from the first to the second [m]; never more than they are.
fn separation(first: Placed<'_>, second: Placed<'_>, along: DVec3) -> f64 {
    let support = |piece: Placed<'_>, direction: DVec3| {
        let map = piece.shape.as_support_map()?;
        let local = piece.pose.rotation.inverse() * vector(direction);
        Some(from_vector(*piece.pose * map.local_support_point(local)))
    };
    match (support(first, along), support(second, -along)) {
        (Some(p), Some(q)) => (q - p).dot(along),
        _ => f64::NEG_INFINITY,
    }
}

/// Returns the outward unit normals of the faces that `point` is in front of. A triangle has two, unless it is `one_sided`.
fn face_normals(piece: Placed<'_>, point: DVec3, one_sided: bool) -> Vec<DVec3> {
    let local = from_vector(piece.pose.inverse_transform_point(vector(point)));
    let toward = |axis: DVec3| if axis.dot(local) < 0.0 { -axis } else { axis };
    let normals: Vec<DVec3> = if let Some(polyhedron) = piece.shape.as_convex_polyhedron() {
        let corner = |index: u32| {
            let vertex = polyhedron.vertices_adj_to_face()[index as usize];
            from_vector(polyhedron.points()[vertex as usize])
        };
        let faces = polyhedron
            .faces()
            .iter()
            .map(|face| (corner(face.first_vertex_or_edge), from_vector(face.normal)));
        faces
            .filter(|(corner, normal)| (local - corner).dot(*normal) > 0.0)
            .map(|(_, normal)| normal)
            .collect()
    } else if piece.shape.as_cylinder().is_some() {
        vec![toward(DVec3::Y)]
    } else if piece.shape.as_cuboid().is_some() {
        DVec3::AXES.map(toward).to_vec()
    } else if let Some(triangle) = piece.shape.as_triangle() {
        let front = |normal: DVec3| (local - from_vector(triangle.a)).dot(normal);
        let normal = triangle.normal().map(from_vector);
        let facing = normal.map(|normal| if front(normal) > 0.0 { normal } else { -normal });
        facing.filter(|facing| !one_sided || Some(*facing) == normal).into_iter().collect()
    } else {
        Vec::new()
    };
    normals.into_iter().map(|normal| from_vector(piece.pose.rotation * vector(normal))).collect()
}

/// A face of a solid, or an edge.
struct Face {
    /// Corners in order [m].
    corners: Vec<DVec3>,
    /// Radius around it [m].
    border: f64,
}

/// Returns the face that is turned most toward `direction`.
fn face(piece: Placed<'_>, direction: DVec3) -> Face {
    let local = from_vector(piece.pose.rotation.inverse() * vector(direction));
    let mut border = 0.0;
    let corners: Vec<DVec3> = if let Some(polyhedron) = piece.shape.as_convex_polyhedron() {
        let normal = |face: usize| {
            let normal = polyhedron.feature_normal(FeatureId::Face(face as u32));
            normal.map_or(f64::NEG_INFINITY, |normal| from_vector(normal).dot(local))
        };
        let count = polyhedron.faces().len();
        let best = (1..count).fold(0, |best, face| if normal(face) > normal(best) { face } else { best });
        let face = polyhedron.faces()[best];
        let range = face.first_vertex_or_edge as usize
            ..(face.first_vertex_or_edge + face.num_vertices_or_edges) as usize;
        let corners = &polyhedron.vertices_adj_to_face()[range];
        corners.iter().map(|&v| from_vector(polyhedron.points()[v as usize])).collect()
    } else if let Some(cylinder) = piece.shape.as_cylinder().filter(|_| local.y.abs() > CAP_COSINE) {
        let y = if local.y < 0.0 { -cylinder.half_height } else { cylinder.half_height };
        (0..CAP).map(|i| cylinder.radius * around(i) + y * DVec3::Y).collect()
    } else if let Some((shape, radius)) = piece.shape.as_polygonal_feature_map() {
        border = radius;
        let mut feature = PolygonalFeature::default();
        shape.local_support_feature(vector(local), &mut feature);
        feature.vertices[..feature.num_vertices].iter().copied().map(from_vector).collect()
    } else {
        Vec::new()
    };
    Face { corners: corners.into_iter().map(|c| from_vector(*piece.pose * vector(c))).collect(), border }
}
