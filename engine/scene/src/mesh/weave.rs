//! How a patch hangs together with the mesh of which it is a part, so that it can follow when the mesh deforms.
//!
//! Which triangles belong to a patch, where it ends, and its tree are those of the mesh at time 0; boxes and normals follow.

use std::collections::BTreeMap;

use glam::DVec3;

use super::bvh::Bvh;
use super::patch::{Normals, PseudoNormal};
use super::topology::{edge_uses, edges};
use super::{Mesh, OnceLock};
use crate::shape::Bounds;

/// In place of the vertex across an edge: the patch ends there.
pub const ACROSS_CUT: u32 = u32::MAX;
/// In place of the vertex across an edge: it belongs to the rim of an open mesh.
pub const ACROSS_RIM: u32 = u32::MAX - 1;
/// In place of the vertex across an edge: it is a part of the rim alone, without sides.
pub const ACROSS_NOTHING: u32 = u32::MAX - 2;

/// The place of a patch in the whole mesh.
#[derive(Debug, Clone)]
pub struct Weave {
    /// Vertex of the whole mesh, shape [vertex_count].
    pub origin: Vec<u32>,
    /// Vertices of the whole mesh across the edges ab, bc and ca, or what is there instead, shape [triangle_count].
    pub across: Vec<[u32; 3]>,
    /// First entry of a vertex in `around`, shape [vertex_count + 1].
    pub first: Vec<u32>,
    /// Other two corners of the triangles around a vertex whose normals count there, counterclockwise, as vertices of the whole mesh.
    pub around: Vec<[u32; 2]>,
    /// True where the patch ends, shape [vertex_count].
    pub is_cut: Vec<bool>,
}

impl Weave {
    /// Describes a patch, whose vertices are those of `origin` in the whole mesh. Triangles around `peaks` of the whole count there with all
    /// other patches.
    pub(super) fn of(
        part: &Mesh,
        normals: &[Normals],
        origin: Vec<u32>,
        is_rim: impl Fn(u32, u32) -> bool,
        peaks: &[Option<DVec3>],
        whole: &[[u32; 3]],
    ) -> Self {
        let mut is_cut = vec![false; origin.len()];
        let mut sided = vec![false; origin.len()];
        for (triangle, normals) in std::iter::zip(&part.triangles, normals) {
            for (&v, normal) in std::iter::zip(triangle, &normals[3..]) {
                is_cut[v as usize] = normal.is_cut;
                sided[v as usize] = normal.vector != DVec3::ZERO;
            }
        }
        let mut lists: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
        let mut add = |corners: [u32; 3], wanted: &dyn Fn(u32) -> bool| {
            for k in 0..3 {
                let [v, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
                if wanted(v) {
                    lists.entry(v).or_default().push([b, c]);
                }
            }
        };
        let is_peak = |v: u32| peaks.get(v as usize).is_some_and(Option::is_some);
        for triangle in &part.triangles {
            add(triangle.map(|v| origin[v as usize]), &|v| !is_peak(v));
        }
        for &triangle in whole {
            add(triangle, &is_peak);
        }
        let (mut first, mut around) = (vec![0], Vec::new());
        for (v, &origin) in origin.iter().enumerate() {
            if sided[v] {
                around.extend(lists.get(&origin).into_iter().flatten());
            }
            first.push(around.len() as u32);
        }
        let across = across(part, &origin, is_rim);
        Self { origin, across, first, around, is_cut }
    }

    /// Returns the same for a part that is a rim, without sides.
    pub(super) fn of_rim(&self) -> Self {
        Self {
            origin: self.origin.clone(),
            across: vec![[ACROSS_NOTHING; 3]; self.across.len()],
            first: vec![0; self.first.len()],
            around: Vec::new(),
            is_cut: vec![false; self.is_cut.len()],
        }
    }
}

/// Returns what lies across the edges of every triangle.
fn across(part: &Mesh, origin: &[u32], is_rim: impl Fn(u32, u32) -> bool) -> Vec<[u32; 3]> {
    let uses = edge_uses(&part.triangles);
    let mut across = vec![[ACROSS_CUT; 3]; part.triangles.len()];
    for edge in edges(&uses) {
        for (k, one) in edge.iter().enumerate() {
            let triangle = part.triangles[one.2 as usize];
            let Some(place) = (0..3).find(|&i| {
                let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
                (a.min(b), a.max(b)) == (one.0, one.1)
            }) else {
                continue;
            };
            // Of several sheets that meet in an edge, the next one counts.
            let other = edge[(k + 1) % edge.len()];
            let opposite = part.triangles[other.2 as usize].into_iter().find(|v| ![one.0, one.1].contains(v));
            across[one.2 as usize][place] = match opposite {
                _ if is_rim(one.0, one.1) => ACROSS_RIM,
                Some(v) if edge.len() > 1 => origin[v as usize],
                _ => ACROSS_CUT,
            };
        }
    }
    across
}

impl Mesh {
    /// Returns a patch of a mesh that deforms, after the vertices of the whole mesh have moved from `start` to `end` [m]. A mesh that does
    /// not deform is returned unchanged.
    pub fn moved(&self, start: &[DVec3], end: &[DVec3]) -> Self {
        let Some(weave) = &self.weave else { return self.clone() };
        let vertices: Vec<DVec3> = weave.origin.iter().map(|&v| end[v as usize]).collect();
        let displacement = weave.origin.iter().map(|&v| end[v as usize] - start[v as usize]).collect();
        let of_vertex: Vec<PseudoNormal> = (0..vertices.len())
            .map(|v| {
                let around = &weave.around[weave.first[v] as usize..weave.first[v + 1] as usize];
                let sum = around.iter().map(|&[b, c]| {
                    let [b, c] = [b, c].map(|other| end[other as usize] - vertices[v]);
                    let across = b.cross(c);
                    libm::atan2(across.length(), b.dot(c)) * across.normalize_or_zero()
                });
                PseudoNormal { vector: sum.sum(), is_cut: weave.is_cut[v] }
            })
            .collect();
        let all = |(triangle, across): (&[u32; 3], &[u32; 3])| {
            let [a, b, c] = triangle.map(|v| vertices[v as usize]);
            let own = (b - a).cross(c - a).normalize_or_zero();
            let edge = |from: DVec3, to: DVec3, across: u32| match across {
                ACROSS_CUT => PseudoNormal { vector: own, is_cut: true },
                ACROSS_RIM => PseudoNormal { vector: DVec3::ZERO, is_cut: true },
                ACROSS_NOTHING => PseudoNormal::default(),
                v => {
                    let other = (from - to).cross(end[v as usize] - to).normalize_or_zero();
                    PseudoNormal { vector: own + other, is_cut: false }
                }
            };
            let [va, vb, vc] = triangle.map(|v| of_vertex[v as usize]);
            [edge(a, b, across[0]), edge(b, c, across[1]), edge(c, a, across[2]), va, vb, vc]
        };
        let normals: Vec<Normals> = std::iter::zip(&self.triangles, &weave.across).map(all).collect();
        let bounds = Bounds::of(vertices.iter().copied());
        let mut bvh = self.bvh.clone();
        bvh.refit(&vertices, &self.triangles);
        Self {
            vertices,
            triangles: self.triangles.clone(),
            open_edges: self.open_edges,
            bounds,
            bvh,
            measure: OnceLock::new(),
            normals: Some(normals),
            displacement,
            weave: None,
            deformation: None,
        }
    }

    /// Returns the mesh with its vertices at other positions [m]; it does not deform.
    pub(crate) fn with_vertices(&self, vertices: Vec<DVec3>) -> Self {
        let bvh = Bvh::build(&vertices, &self.triangles);
        Self {
            bounds: Bounds::of(vertices.iter().copied()),
            vertices,
            triangles: self.triangles.clone(),
            open_edges: self.open_edges,
            bvh,
            measure: OnceLock::new(),
            normals: None,
            displacement: Vec::new(),
            weave: None,
            deformation: None,
        }
    }

    /// Returns the displacement of a point of a triangle in the substep [m].
    pub(super) fn drift(&self, triangle: u32, point: DVec3) -> DVec3 {
        if self.displacement.is_empty() {
            return DVec3::ZERO;
        }
        let [a, b, c] = self.corners(triangle);
        let moved = self.triangles[triangle as usize].map(|v| self.displacement[v as usize]);
        let (ab, ac, to) = (b - a, c - a, point - a);
        let n = ab.cross(ac);
        let (u, v) = match n.length_squared() {
            area if area > 0.0 => (to.cross(ac).dot(n) / area, ab.cross(to).dot(n) / area),
            // A segment of a rim, or a sliver.
            _ if ab.length_squared() > 0.0 => (to.dot(ab) / ab.length_squared(), 0.0),
            _ => (0.0, 0.0),
        };
        moved[0] + u * (moved[1] - moved[0]) + v * (moved[2] - moved[0])
    }

    /// Returns how a patch of a mesh that deforms hangs together with the whole.
    pub fn weave(&self) -> Option<&Weave> {
        self.weave.as_deref()
    }
}
