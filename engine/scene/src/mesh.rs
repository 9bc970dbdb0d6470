//! Triangle meshes: reading, repair, and enclosed points.
//!
//! A closed mesh encloses the points whose winding number is 1 (up to rounding); an open or dirty mesh encloses those above one
//! half, which closes holes as a soap film would (Jacobson et al. 2013).

mod animation;
mod bvh;
mod deformation;
mod gltf_file;
mod near;
mod obj;
mod patch;
mod ray;
mod read;
mod sequence;
#[cfg(test)]
mod tests;
mod thin;
mod topology;
mod weave;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use glam::{DMat3, DVec3};

use crate::shape::{Bounds, Side, outer};
pub use bvh::nearest_coordinates;
use bvh::{Bvh, Nearest};
use patch::Normals;

pub(crate) use animation::Clip;
pub use deformation::Deformation;
pub use near::{NEAR_TRIANGLES, Near};
pub use patch::{MAX_PATCHES, PseudoNormal, Seen, TreeNode};
pub use ray::where_ray_meets;
pub(crate) use read::{read_lines, read_points, read_surface};
pub(crate) use sequence::Pattern;
pub use thin::OPPOSED;
pub use weave::{ACROSS_CUT, ACROSS_NOTHING, ACROSS_RIM, Weave};

/// Error of an open mesh's winding number that the classification tolerates.
const DIPOLE_ERROR: f64 = 0.02;

/// Distance in radii beyond which triangles enter the winding number as a dipole. For a closed mesh it is enough to tell 0 from
/// 1.
const FAR_CLOSED: f64 = 1.5;
const FAR_OPEN: f64 = 2.0;

/// Radius, relative to the size of the mesh, below which a ball in a hole of an open mesh is classified by its center.
const FUZZY_RADIUS: f64 = 1e-3;

/// Distance, relative to the size of the mesh, below which the way to the surface gives no direction.
const TOUCHING: f64 = 1e-9;

/// Largest coordinate of a vertex [m]: volumes of larger meshes overflow.
const FARTHEST: f64 = 1e30;

/// Reason why a file gives no usable mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum MeshFault {
    /// The file cannot be read or has another format.
    #[error("{0}")]
    Unreadable(String),
    /// A line of a text file does not follow the format.
    #[error("line {line}{}: {what}", quoted(text))]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// The line.
        text: String,
        /// The fault, or what is allowed.
        what: String,
    },
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// No lines.
    #[error("the file has no lines: `l` and two or more vertices")]
    NoLines,
    /// No points.
    #[error("the file has no points")]
    NoPoints,
    /// A vertex is NaN or infinite.
    #[error("vertex {0} is not finite")]
    NotFinite(usize),
    /// A vertex is farther from the origin than single precision can represent.
    #[error("vertex {0} is {1:.3e} m from the origin, and single precision ends near 1e38; check `scale`")]
    TooFar(usize, f64),
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {0} refers to a vertex that does not exist")]
    BadIndex(usize),
    /// The mesh has no extent along an axis or no area.
    #[error("the mesh is flat: it encloses nothing")]
    Flat,
    /// The file does not have the animation that is asked for.
    #[error("{0}")]
    NoAnimation(String),
    /// A fault of one file of a sequence.
    #[error("`{file}`: {fault}")]
    Member {
        /// Name of the file.
        file: String,
        /// Its fault.
        fault: Box<MeshFault>,
    },
}

impl MeshFault {
    /// Creates a fault in line number `line` of a file, whose text is `text`.
    fn line(line: usize, text: &str, what: impl std::fmt::Display) -> Self {
        Self::Line { line, text: text.trim().to_owned(), what: what.to_string() }
    }
}

/// Quotes a line of a file in a message, shortened.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(40) {
        None if text.is_empty() => String::new(),
        None => format!(", `{text}`"),
        Some((cut, _)) => format!(", `{}...`", &text[..cut]),
    }
}

/// Vertices and triangles as read from a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawMesh {
    /// Positions, shape [vertex_count].
    pub vertices: Vec<DVec3>,
    /// Vertex indices, shape [triangle_count].
    pub triangles: Vec<[u32; 3]>,
    /// Pairs of vertices joined by lines; only OBJ files have them.
    pub segments: Vec<[u32; 2]>,
}

/// Checks that positions can be used.
fn check_positions(positions: &[DVec3]) -> Result<(), MeshFault> {
    if let Some(vertex) = positions.iter().position(|v| !v.is_finite()) {
        return Err(MeshFault::NotFinite(vertex));
    }
    match positions.iter().position(|v| v.abs().max_element() > FARTHEST) {
        Some(vertex) => Err(MeshFault::TooFar(vertex, positions[vertex].abs().max_element())),
        None => Ok(()),
    }
}

/// A triangle mesh with a tree for distance and winding-number queries.
#[derive(Debug, Clone)]
pub struct Mesh {
    /// Vertices [m] relative to the middle of their bounding box, shape [vertex_count].
    pub vertices: Vec<DVec3>,
    /// Vertex indices, counterclockwise seen from outside, shape [triangle_count].
    pub triangles: Vec<[u32; 3]>,
    /// Number of edges without a partner.
    open_edges: usize,
    bounds: Bounds,
    bvh: Bvh,
    measure: OnceLock<(f64, DVec3)>,
    /// Pseudo-normals, shape [triangle_count], if it is a patch.
    normals: Option<Vec<Normals>>,
    /// Where the vertices of the whole mesh are later, if they move.
    deformation: Option<Arc<Deformation>>,
    /// Displacements of the vertices in a substep [m], shape [vertex_count], of a patch that has moved; otherwise empty.
    displacement: Vec<DVec3>,
    /// How a patch hangs together with the whole, if that deforms.
    weave: Option<Arc<Weave>>,
}

/// A mesh with its place and a list of repairs.
pub(crate) struct LoadedMesh {
    pub mesh: Mesh,
    /// Middle of the bounding box [m].
    pub center: DVec3,
    /// Repairs worth a warning, as sentences.
    pub notes: Vec<String>,
    /// Of every vertex, the first vertex of the file at its position, shape [vertex_count].
    pub sources: Vec<u32>,
}

impl Mesh {
    /// Reads a file and places it: `linear p + translate`. Of a `surface`, triangles with the same corners count once, on whichever side
    /// they face.
    pub(crate) fn load(
        path: &Path,
        linear: DMat3,
        translate: DVec3,
        surface: bool,
    ) -> Result<LoadedMesh, MeshFault> {
        let mut raw = read::read_mesh(path)?;
        for v in &mut raw.vertices {
            *v = linear * *v + translate;
        }
        Self::build(raw, surface)
    }

    /// Checks, welds, orients and indexes a mesh; it may be flat. `surface` as in [`Mesh::load`].
    pub(crate) fn build(raw: RawMesh, surface: bool) -> Result<LoadedMesh, MeshFault> {
        if raw.triangles.is_empty() {
            return Err(MeshFault::Empty);
        }
        check_positions(&raw.vertices)?;
        let missing = |t: &[u32; 3]| t.iter().any(|&v| v as usize >= raw.vertices.len());
        if let Some(triangle) = raw.triangles.iter().position(missing) {
            return Err(MeshFault::BadIndex(triangle));
        }
        let mut repaired = topology::repair(raw, surface)?;
        let mut bounds = Bounds::of(repaired.mesh.vertices.iter().copied());
        let center = bounds.center();
        for v in &mut repaired.mesh.vertices {
            *v -= center;
        }
        bounds = Bounds { min: bounds.min - center, max: bounds.max - center };
        let RawMesh { vertices, triangles, .. } = repaired.mesh;
        let bvh = Bvh::build(&vertices, &triangles);
        let mesh = Self {
            vertices,
            triangles,
            open_edges: repaired.open_edges,
            bounds,
            bvh,
            measure: OnceLock::new(),
            normals: None,
            deformation: None,
            displacement: Vec::new(),
            weave: None,
        };
        Ok(LoadedMesh { mesh, center, notes: repaired.notes, sources: repaired.sources })
    }

    /// Returns true if every edge is used equally often in both directions.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0
    }

    /// Returns the number of edges without a partner.
    pub(crate) fn open_edges(&self) -> usize {
        self.open_edges
    }

    /// Returns true if the mesh has no extent along an axis.
    pub(crate) fn is_flat(&self) -> bool {
        let size = self.bounds.size();
        size.min_element() <= 1e-9 * size.max_element()
    }

    /// Returns true if this is a patch of a surface, with pseudo-normals.
    pub fn is_patch(&self) -> bool {
        self.normals.is_some()
    }

    /// Returns the positions of the vertices over time, if they move; the mesh itself is as at time 0.
    pub fn deformation(&self) -> Option<&Arc<Deformation>> {
        self.deformation.as_ref()
    }

    /// Returns the bounding box [m], centered at the origin unless it is a patch.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns the generalized winding number of a local point; far triangles enter as dipoles (Barill et al. 2018), with an
    /// error of a few 1e-2.
    pub fn winding_number(&self, p: DVec3) -> f64 {
        self.bvh.winding_number(self, p, if self.is_closed() { FAR_CLOSED } else { FAR_OPEN })
    }

    /// Returns true if the mesh encloses the local point.
    pub fn contains(&self, p: DVec3) -> bool {
        self.bounds.contains(p) && self.winding_number(p) > 0.5
    }

    /// Returns a patch as seen from a local point, if it is within `limit` [m] of it.
    pub fn seen_within(&self, p: DVec3, limit: f64) -> Option<Seen> {
        self.normals.as_ref()?;
        self.seen(p, &self.bvh.nearest(self, p, limit)?)
    }

    /// Returns a patch as seen from a local point, by its nearest surface point.
    fn seen(&self, p: DVec3, near: &Nearest) -> Option<Seen> {
        let (away, pseudo) = (p - near.point, self.pseudo_normal(self.normals.as_ref()?, near));
        let side = if away.dot(pseudo.vector) < 0.0 { -1.0 } else { 1.0 };
        let normal = if near.distance > TOUCHING * self.bounds.size().max_element() {
            side / near.distance * away
        } else {
            pseudo.vector.try_normalize().unwrap_or(DVec3::Y)
        };
        let drift = self.drift(near.triangle, near.point);
        Some(Seen { distance: side * near.distance, normal, at_cut: pseudo.is_cut, drift })
    }

    /// Returns the distance to the nearest triangle [m], negative inside.
    pub fn signed_distance(&self, p: DVec3) -> f64 {
        if self.normals.is_some() {
            return self.seen_within(p, f64::INFINITY).map_or(f64::INFINITY, |seen| seen.distance);
        }
        let distance = self.bvh.nearest(self, p, f64::INFINITY).map_or(f64::INFINITY, |n| n.distance);
        if self.contains(p) { -distance } else { distance }
    }

    /// Returns the outward unit normal: the direction of the way to the nearest surface point.
    pub fn normal(&self, p: DVec3) -> DVec3 {
        if let Some(seen) = self.seen_within(p, f64::INFINITY) {
            return seen.normal;
        }
        let Some(near) = self.bvh.nearest(self, p, f64::INFINITY) else { return DVec3::Y };
        let away = p - near.point;
        if near.distance > TOUCHING * self.bounds.size().max_element() {
            return if self.contains(p) { -away.normalize() } else { away.normalize() };
        }
        let [a, b, c] = self.corners(near.triangle);
        (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::Y)
    }

    /// Returns signed volume and centroid by the divergence theorem; `None` for an open mesh.
    pub(crate) fn enclosed(&self) -> Option<(f64, DVec3)> {
        if !self.is_closed() {
            return None;
        }
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        for triangle in 0..self.triangles.len() as u32 {
            let [a, b, c] = self.corners(triangle);
            let tetrahedron = a.dot(b.cross(c)) / 6.0;
            volume += tetrahedron;
            moment += tetrahedron * (a + b + c) / 4.0;
        }
        (volume > 0.0).then(|| (volume, moment / volume))
    }

    /// Returns the integral of `(x - center)(x - center)^T` over the interior of a closed mesh [m^5], as a sum over the tetrahedra
    /// between `center` and its triangles.
    pub(crate) fn second_moment(&self, center: DVec3) -> DMat3 {
        let mut second = DMat3::ZERO;
        for triangle in 0..self.triangles.len() as u32 {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - center);
            let volume = a.dot(b.cross(c)) / 6.0;
            let sum = a + b + c;
            second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum)) * (volume / 20.0);
        }
        second
    }

    /// Returns the side of the surface on which a ball lies.
    pub(crate) fn side(&self, center: DVec3, radius: f64) -> Side {
        if !self.bounds.grown(radius).contains(center) {
            return Side::Outside;
        }
        if self.bvh.reaches(self, center, radius * (1.0 + 1e-9)) {
            return Side::Mixed;
        }
        let margin = self.winding_number(center) - 0.5;
        let fuzzy = radius < FUZZY_RADIUS * self.bounds.size().max_element();
        if !self.is_closed() && !fuzzy && margin.abs() < 0.25 + DIPOLE_ERROR {
            // Away from the triangles the winding number is harmonic: inside a free ball of radius d it changes by at most 3 r /
            // (d - r) times half its range over a distance r.
            let reach = 40.0 * radius;
            let free = self.bvh.nearest(self, center, reach).map_or(reach, |n| n.distance);
            if margin.abs() <= 3.0 * radius / (free - radius) + DIPOLE_ERROR {
                return Side::Mixed;
            }
        }
        if margin < 0.0 {
            Side::Outside
        } else if self.is_closed() || self.bounds.grown(-radius).contains(center) {
            Side::Inside
        } else {
            Side::Mixed
        }
    }

    /// Returns volume [m^3] and centroid of a shape that consists of the mesh alone, computed once.
    pub(crate) fn measured(&self, integrate: impl FnOnce() -> (f64, DVec3)) -> (f64, DVec3) {
        *self.measure.get_or_init(integrate)
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }
}
