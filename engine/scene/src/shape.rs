//! Shapes: regions that bodies fill, surfaces of colliders, selections of pins.
//!
//! A [`Shape`] is a [`Geometry`] in a local frame, placed by a center and a rotation, joined with other shapes and minus others. Everything is plain
//! data that a solver can upload; [`Shape::signed_distance`] and [`Shape::normal`] are the f64 reference for the uploaded form.

mod combine;
mod convex;
mod distance;
mod inertia;
mod measure;
mod region;
mod revolve;

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};

use crate::mesh::{Mesh, Near, Seen};

pub use combine::PARALLEL;
use combine::Surface;
pub use convex::{convex_parts, strictly_convex_parts};
pub use inertia::MassProperties;
pub(crate) use inertia::outer;
pub(crate) use region::Side;
pub(crate) use revolve::normalized as normalized_profile;
pub use revolve::{CORNER, Edges, ProfileFault, walls};

/// A region of space.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The solid in its local frame.
    pub geometry: Geometry,
    /// Position of the local origin [m].
    pub center: DVec3,
    /// Rotation from the local frame to the scene.
    pub rotation: DQuat,
    /// Shapes that are added, in scene coordinates.
    pub union: Vec<Shape>,
    /// Shapes that are cut away from the whole, in scene coordinates.
    pub subtract: Vec<Shape>,
}

/// A solid in its local frame; the axis of round solids is local y.
#[derive(Debug, Clone)]
pub enum Geometry {
    /// The half space y <= 0; its outward normal is +y.
    Plane,
    /// A box centered at the origin.
    Box {
        /// Half of the edge lengths [m].
        half: DVec3,
    },
    /// A ball about the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A flat-ended cylinder about the y axis, centered at the origin.
    Cylinder {
        /// Half of the length [m].
        half_height: f64,
        /// Radius [m].
        radius: f64,
    },
    /// All points within `radius` of the segment between y = -half_height and y = half_height.
    Capsule {
        /// Half of the segment's length [m].
        half_height: f64,
        /// Radius [m].
        radius: f64,
    },
    /// A closed polygon in the half plane (distance from the axis, y), revolved about the y axis.
    Revolve {
        /// Corners [m]: distance from the axis and position along it, measured from the middle
        /// between `from` and `to`. The last corner joins the first; counterclockwise.
        profile: Vec<DVec2>,
        /// Edges whose surface counts: all of a solid, one wall of a container.
        edges: Edges,
    },
    /// A triangle mesh.
    Mesh(Arc<Mesh>),
    /// Bare positions [m] relative to the center, shape [point_count]; it has no inside.
    Points(Arc<Vec<DVec3>>),
}

impl Geometry {
    /// Creates the solid of a whole profile, counterclockwise.
    pub fn revolve(profile: Vec<DVec2>) -> Self {
        Self::Revolve { edges: Edges::all(&profile), profile }
    }

    /// Returns the name in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Box { .. } => "box",
            Self::Sphere { .. } => "sphere",
            Self::Cylinder { .. } => "cylinder",
            Self::Capsule { .. } => "capsule",
            Self::Revolve { .. } => "revolve",
            Self::Mesh(_) => "mesh",
            Self::Points(_) => "points",
        }
    }
}

/// An axis-aligned box; empty when `min > max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner [m].
    pub min: DVec3,
    /// Highest corner [m].
    pub max: DVec3,
}

impl Bounds {
    /// The empty box.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// Returns the smallest box around `points`.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Returns the edge lengths [m].
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// Returns the corners [m].
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |axis: usize| if corner >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// Returns the middle [m].
    pub fn center(&self) -> DVec3 {
        (self.min + self.max) * 0.5
    }

    /// Returns the part that both boxes share.
    pub fn intersection(&self, other: &Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Returns the box with every face moved outward by `margin` [m].
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Returns the smallest box around both boxes.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns true if both boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Returns true if `p` is inside or on the boundary.
    pub fn contains(&self, p: DVec3) -> bool {
        p.cmpge(self.min).all() && p.cmple(self.max).all()
    }

    /// Returns true if no point is inside.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }
}

impl Shape {
    /// Creates a shape at `center` without rotation.
    pub fn new(geometry: Geometry, center: DVec3) -> Self {
        Self { geometry, center, rotation: DQuat::IDENTITY, union: Vec::new(), subtract: Vec::new() }
    }

    /// Creates the box between two corners [m].
    pub fn cuboid(min: DVec3, max: DVec3) -> Self {
        Self::new(Geometry::Box { half: (max - min) * 0.5 }, (min + max) * 0.5)
    }

    /// Creates the ball around `center` [m].
    pub fn sphere(center: DVec3, radius: f64) -> Self {
        Self::new(Geometry::Sphere { radius }, center)
    }

    /// Creates the half space behind the plane through `point` [m] with outward `normal` (any length).
    pub fn plane(point: DVec3, normal: DVec3) -> Self {
        let rotation = crate::angle::rotation_from_y(normal.normalize());
        Self { rotation, ..Self::new(Geometry::Plane, point) }
    }

    /// Creates a cylinder, capsule or revolve with its axis from `from` to `to` [m].
    pub fn along(geometry: Geometry, from: DVec3, to: DVec3) -> Self {
        let rotation = crate::angle::rotation_from_y((to - from).normalize());
        Self { rotation, ..Self::new(geometry, (from + to) * 0.5) }
    }

    /// Rotates the shape about its center by angles about x, then y, then z [degrees].
    pub fn rotated(mut self, degrees: DVec3) -> Self {
        if degrees != DVec3::ZERO {
            self.rotation = (crate::angle::rotation_from_degrees(degrees) * self.rotation).normalize();
        }
        self
    }

    /// Converts a scene point to the local frame [m].
    pub fn to_local(&self, p: DVec3) -> DVec3 {
        self.rotation.conjugate() * (p - self.center)
    }

    /// Converts a local point to the scene [m].
    pub fn to_scene(&self, p: DVec3) -> DVec3 {
        self.center + self.rotation * p
    }

    /// Returns true if `p` [m] belongs to the shape; boundary points do, cut-away ones do not. Bare points contain nothing.
    pub fn contains(&self, p: DVec3) -> bool {
        let own = self.geometry.contains(self.to_local(p)) || self.union.iter().any(|part| part.contains(p));
        own && !self.subtract.iter().any(|cut| cut.contains(p))
    }

    /// Returns true if the shape is one geometry, without parts and cuts.
    pub fn is_plain(&self) -> bool {
        self.union.is_empty() && self.subtract.is_empty()
    }

    /// Returns the signed distance to the surface [m], negative inside. Exact for plain shapes; with parts and cuts near faces, and near edges
    /// where two of them meet, which count as planes. Infinite for points.
    pub fn signed_distance(&self, p: DVec3) -> f64 {
        if self.is_plain() {
            self.geometry.signed_distance(self.to_local(p))
        } else {
            self.combined(p).distance
        }
    }

    /// Returns the outward unit normal at `p` [m]: the direction in which [`Shape::signed_distance`] grows fastest. If it is not
    /// unique (at an edge, on an axis), one of the candidates.
    pub fn normal(&self, p: DVec3) -> DVec3 {
        if self.is_plain() {
            self.rotation * self.geometry.normal(self.to_local(p))
        } else {
            self.combined(p).normal
        }
    }

    /// Returns a number not farther from zero than the signed distance to the surface [m], for steps along a ray.
    pub fn distance_bound(&self, p: DVec3) -> f64 {
        let own = self.geometry.signed_distance(self.to_local(p));
        let whole = self.union.iter().fold(own, |d, part| d.min(part.distance_bound(p)));
        self.subtract.iter().fold(whole, |d, cut| d.max(-cut.distance_bound(p)))
    }

    fn combined(&self, p: DVec3) -> Surface {
        let local = self.to_local(p);
        let own = Surface {
            distance: self.geometry.signed_distance(local),
            normal: self.rotation * self.geometry.normal(local),
        };
        let of = |shape: &Shape| Surface { distance: shape.signed_distance(p), normal: shape.normal(p) };
        let whole = self.union.iter().fold(own, |whole, part| whole.union(of(part)));
        self.subtract.iter().fold(whole, |whole, cut| whole.intersection(of(cut).flipped()))
    }

    /// Returns the surface as seen from `p` [m] if the distance is less than `limit` [m]. Patches of meshes are not seen from points
    /// deeper than that either.
    pub fn seen_within(&self, p: DVec3, limit: f64) -> Option<Seen> {
        if let (Geometry::Mesh(mesh), true) = (&self.geometry, self.is_plain()) {
            return self.mesh_seen_within(mesh, p, limit);
        }
        let distance = self.signed_distance(p);
        (distance < limit).then(|| Seen {
            distance,
            normal: self.normal(p),
            at_cut: false,
            drift: DVec3::ZERO,
        })
    }

    /// Returns a patch at the place of the shape, as it may have deformed there, as [`Shape::seen_within`].
    pub fn mesh_seen_within(&self, patch: &Mesh, p: DVec3, limit: f64) -> Option<Seen> {
        Some(self.turned(patch.seen_within(self.to_local(p), limit)?))
    }

    /// Returns the triangles of a patch at the place of the shape that are nearest to a point [`Mesh::near`].
    pub fn mesh_near(&self, patch: &Mesh, center: DVec3, wanted: f64) -> Near {
        patch.near(self.to_local(center), wanted)
    }

    /// As [`Shape::mesh_seen_within`] without a limit, by the triangles of `near` where they suffice.
    pub fn mesh_seen_near(&self, patch: &Mesh, near: &Near, p: DVec3) -> Option<Seen> {
        Some(self.turned(patch.seen_near(near, self.to_local(p))?))
    }

    /// Turns what is seen in the local frame.
    fn turned(&self, seen: Seen) -> Seen {
        let [normal, drift] = [seen.normal, seen.drift].map(|v| self.rotation * v);
        Seen { normal, drift, ..seen }
    }

    /// Returns the largest coordinate along a unit vector [m], ignoring `subtract`; of meshes and points that of their box. Infinite for a
    /// plane.
    pub fn support(&self, direction: DVec3) -> f64 {
        let own = direction.dot(self.center) + self.geometry.support(self.rotation.conjugate() * direction);
        self.union.iter().fold(own, |most, part| most.max(part.support(direction)))
    }

    /// Returns the extent along a unit vector [m], as exact as [`Shape::support`].
    pub fn extent(&self, direction: DVec3) -> f64 {
        self.support(direction) + self.support(-direction)
    }

    /// Returns the box around the shape in its local frame [m], ignoring `subtract`. Infinite for a plane.
    pub fn local_bounds(&self) -> Bounds {
        self.union.iter().fold(self.geometry.bounds(), |all, part| {
            let corners = part.local_bounds().corners();
            let part = Bounds::of(corners.map(|corner| self.to_local(part.to_scene(corner))));
            Bounds { min: all.min.min(part.min), max: all.max.max(part.max) }
        })
    }

    /// Returns the axis-aligned box around the shape [m], ignoring `subtract`; not always the smallest one.
    pub fn bounds(&self) -> Bounds {
        if let Geometry::Plane = self.geometry {
            return Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        }
        if let (Geometry::Points(points), true) = (&self.geometry, self.union.is_empty()) {
            return Bounds::of(points.iter().map(|&p| self.to_scene(p)));
        }
        Bounds::of(self.local_bounds().corners().map(|corner| self.to_scene(corner)))
    }

    /// Returns the volume [m^3]: closed forms for plain shapes, numeric (about 1e-4) with parts or cuts and for meshes that are not
    /// closed. Infinite for a plane, 0 for points.
    pub fn volume(&self) -> f64 {
        self.measure().volume
    }

    /// Returns the centroid [m]; as exact as [`Shape::volume`]. For points their mean, for a plane its point.
    pub fn centroid(&self) -> DVec3 {
        self.measure().centroid
    }
}
