//! Patches: the parts of a mesh that matter touches independently of each other.
//!
//! In a concave edge matter presses on both sides at once, while the nearest point of the whole mesh lies on one of them. A mesh is
//! therefore divided along its sharp concave edges, as containers are divided into walls. Edges that do not separate it (the foot of a
//! step between open sides) are left: there a particle touches one side after the other. The side on which a point lies follows from
//! the pseudo-normal at the nearest surface point: the normal of the triangle, the sum of two of them on an edge, their sum weighted by
//! angles at a vertex (Baerentzen and Aanaes 2005).

use std::collections::BTreeMap;

use glam::DVec3;

use super::bvh::{Bvh, Nearest};
use super::topology::{edge_uses, edges};
use super::weave::Weave;
use super::{Arc, Mesh, OnceLock};
use crate::shape::Bounds;

/// Cosine of the angle between neighboring triangles from which on a concave edge is sharp: 30 degrees.
const SHARP: f64 = 0.866;

/// Maximum number of patches of a mesh on one side; of more, the smallest are joined.
pub const MAX_PATCHES: usize = 16;

/// A patch seen from a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Signed distance [m], negative behind the patch.
    pub distance: f64,
    /// Unit normal, the direction in which the distance grows.
    pub normal: DVec3,
    /// True if the patch ends at the nearest point. Another patch may begin there, and the point lie behind that one.
    pub at_cut: bool,
    /// Displacement of the surface point in a substep in which the mesh deforms [m].
    pub drift: DVec3,
}

/// Pseudo-normals of the parts of a triangle: edges ab, bc and ca, vertices a, b and c.
pub(super) type Normals = [PseudoNormal; 6];

/// Pseudo-normal of an edge or a vertex.
#[derive(Debug, Clone, Copy, Default)]
pub struct PseudoNormal {
    /// The vector, of any length; zero on the rim of an open mesh, where the surface has no sides.
    pub vector: DVec3,
    /// True where the patch ends.
    pub is_cut: bool,
}

/// A node of a patch's tree, in depth-first order: the first child of a node that is no leaf follows it.
#[derive(Debug, Clone, Copy)]
pub struct TreeNode {
    /// Box around its triangles [m].
    pub bounds: Bounds,
    /// Range of triangles in the order of the leaves; empty unless a leaf.
    pub first: u32,
    /// End of this range.
    pub end: u32,
    /// Index of the second child; 0 in leaves.
    pub second: u32,
    /// Index of the node after its subtree.
    pub after: u32,
}

impl Mesh {
    /// Divides the surface into patches, the largest first. With `flipped`, matter is on the side into which the
    /// triangles' normals do not point, and the patches are turned towards it.
    pub fn patches(&self, flipped: bool) -> Vec<Self> {
        let turned = |&[a, b, c]: &[u32; 3]| if flipped { [a, c, b] } else { [a, b, c] };
        let triangles: Vec<[u32; 3]> = self.triangles.iter().map(turned).collect();
        let uses = edge_uses(&triangles);
        let rim: Vec<(u32, u32)> = edges(&uses).filter(|e| e.len() == 1).map(|e| (e[0].0, e[0].1)).collect();
        let patch = self.patch_of_each(&triangles);
        let peaks = self.peaks(&triangles);
        let count = patch.iter().max().map_or(0, |&last| last + 1);
        (0..count)
            .map(|index| {
                let own = std::iter::zip(&triangles, &patch).filter(|(_, p)| **p == index);
                self.part(own.map(|(t, _)| *t), &rim, &peaks, &triangles)
            })
            .collect()
    }

    /// Returns the rim of an open mesh as segments without sides: triangles of which two corners coincide.
    pub fn rim(&self) -> Option<Self> {
        let uses = edge_uses(&self.triangles);
        let rim: Vec<[u32; 3]> =
            edges(&uses).filter(|e| e.len() == 1).map(|e| [e[0].0, e[0].1, e[0].1]).collect();
        if rim.is_empty() {
            return None;
        }
        let mut part = self.part(rim.into_iter(), &[], &[], &[]);
        part.normals = Some(vec![Normals::default(); part.triangles.len()]);
        part.weave = part.weave.map(|weave| Arc::new(weave.of_rim()));
        Some(part)
    }

    /// Returns the index of the patch of every triangle.
    fn patch_of_each(&self, triangles: &[[u32; 3]]) -> Vec<usize> {
        let normal = |t: usize| self.cross(triangles[t]).normalize_or_zero();
        let uses = edge_uses(triangles);
        let mut root: Vec<usize> = (0..triangles.len()).collect();
        for edge in edges(&uses) {
            let &[a, b] = edge else {
                // Sheets that meet in an edge.
                for pair in edge.windows(2) {
                    join(&mut root, pair[0].2 as usize, pair[1].2 as usize);
                }
                continue;
            };
            let (a, b) = (a.2 as usize, b.2 as usize);
            let opposite = triangles[b].into_iter().find(|v| ![edge[0].0, edge[0].1].contains(v));
            let rises = opposite.is_some_and(|v| {
                normal(a).dot(self.vertices[v as usize] - self.vertices[edge[0].0 as usize]) > 0.0
            });
            if !(rises && normal(a).dot(normal(b)) < SHARP) {
                join(&mut root, a, b);
            }
        }
        let of: Vec<usize> = (0..root.len()).map(|t| find(&mut root, t)).collect();
        let mut size: BTreeMap<usize, usize> = BTreeMap::new();
        of.iter().for_each(|&first| *size.entry(first).or_default() += 1);
        let mut largest: Vec<(usize, usize)> = size.into_iter().collect();
        largest.sort_by_key(|&(first, count)| (std::cmp::Reverse(count), first));
        let mut number = BTreeMap::new();
        for (rank, (first, _)) in largest.into_iter().enumerate() {
            number.insert(first, rank.min(MAX_PATCHES - 1));
        }
        of.iter().map(|first| number[first]).collect()
    }

    /// Returns the pseudo-normal, weighted by angles, of every vertex from which all edges lead away from it: the surface is convex there,
    /// and of all patches that meet in it none but the vertex is nearest to what lies above.
    fn peaks(&self, triangles: &[[u32; 3]]) -> Vec<Option<DVec3>> {
        let normals = self.vertex_normals(triangles);
        let mut peak = vec![true; self.vertices.len()];
        for &[a, b, c] in triangles {
            for [from, to] in [[a, b], [b, c], [c, a], [b, a], [c, b], [a, c]].map(|e| e.map(|v| v as usize))
            {
                peak[from] &= normals[from].dot(self.vertices[to] - self.vertices[from]) <= 0.0;
            }
        }
        std::iter::zip(normals, peak).map(|(normal, peak)| peak.then_some(normal)).collect()
    }

    /// Returns the sums of the normals around every vertex, weighted by angles.
    fn vertex_normals(&self, triangles: &[[u32; 3]]) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.vertices.len()];
        for triangle in triangles {
            let normal = self.cross(*triangle).normalize_or_zero();
            for k in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|i| self.vertices[triangle[(k + i) % 3] as usize]);
                let angle = libm::atan2((b - a).cross(c - a).length(), (b - a).dot(c - a));
                sums[triangle[k] as usize] += angle * normal;
            }
        }
        sums
    }

    /// Returns a mesh of these triangles of the `whole` with pseudo-normals.
    fn part(
        &self,
        triangles: impl Iterator<Item = [u32; 3]>,
        rim: &[(u32, u32)],
        peaks: &[Option<DVec3>],
        whole: &[[u32; 3]],
    ) -> Self {
        let mut index = BTreeMap::new();
        let mut old = Vec::new();
        let mut number = |v: u32| {
            *index.entry(v).or_insert_with(|| {
                old.push(v);
                old.len() as u32 - 1
            })
        };
        let triangles: Vec<[u32; 3]> = triangles.map(|t| t.map(&mut number)).collect();
        let vertices: Vec<DVec3> = old.iter().map(|&v| self.vertices[v as usize]).collect();
        let bounds = Bounds::of(vertices.iter().copied());
        let bvh = Bvh::build(&vertices, &triangles);
        let mut part = Self {
            vertices,
            triangles,
            open_edges: 0,
            bounds,
            bvh,
            measure: OnceLock::new(),
            normals: None,
            deformation: self.deformation.clone(),
            displacement: Vec::new(),
            weave: None,
        };
        let is_rim = |a: u32, b: u32| {
            let (a, b) = (old[a as usize], old[b as usize]);
            rim.binary_search(&(a.min(b), a.max(b))).is_ok()
        };
        let peak = |v: usize| peaks.get(old[v] as usize).copied().flatten();
        let normals = part.pseudo_normals(is_rim, peak);
        if self.deformation.is_some() {
            let weave = Weave::of(&part, &normals, old.clone(), is_rim, peaks, whole);
            part.weave = Some(Arc::new(weave));
        }
        part.normals = Some(normals);
        part
    }

    fn pseudo_normals(
        &self,
        is_rim: impl Fn(u32, u32) -> bool,
        peak: impl Fn(usize) -> Option<DVec3>,
    ) -> Vec<Normals> {
        let unit = |t: usize| self.cross(self.triangles[t]).normalize_or_zero();
        let uses = edge_uses(&self.triangles);
        let mut of_edge: BTreeMap<(u32, u32), PseudoNormal> = BTreeMap::new();
        let own = self.vertex_normals(&self.triangles).into_iter();
        let mut of_vertex: Vec<PseudoNormal> =
            own.map(|vector| PseudoNormal { vector, is_cut: false }).collect();
        for edge in edges(&uses) {
            let (a, b) = (edge[0].0, edge[0].1);
            let vector = edge.iter().map(|u| unit(u.2 as usize)).sum();
            let (vector, is_cut) = if is_rim(a, b) { (DVec3::ZERO, true) } else { (vector, edge.len() == 1) };
            of_edge.insert((a, b), PseudoNormal { vector, is_cut });
        }
        for (&(a, b), edge) in of_edge.iter().filter(|(_, edge)| edge.is_cut) {
            for end in [a, b].map(|v| v as usize) {
                of_vertex[end].is_cut = true;
                if edge.vector == DVec3::ZERO {
                    of_vertex[end].vector = DVec3::ZERO;
                }
            }
        }
        for (v, normal) in of_vertex.iter_mut().enumerate().filter(|(_, n)| n.vector != DVec3::ZERO) {
            if let Some(vector) = peak(v) {
                *normal = PseudoNormal { vector, is_cut: false };
            }
        }
        let edge = |a: u32, b: u32| of_edge[&(a.min(b), a.max(b))];
        let all = |&[a, b, c]: &[u32; 3]| {
            let [va, vb, vc] = [a, b, c].map(|v| of_vertex[v as usize]);
            [edge(a, b), edge(b, c), edge(c, a), va, vb, vc]
        };
        self.triangles.iter().map(all).collect()
    }

    fn cross(&self, [a, b, c]: [u32; 3]) -> DVec3 {
        let [a, b, c] = [a, b, c].map(|v| self.vertices[v as usize]);
        (b - a).cross(c - a)
    }

    /// Returns the pseudo-normal at the nearest point of a patch.
    pub(super) fn pseudo_normal(&self, normals: &[Normals], near: &Nearest) -> PseudoNormal {
        match near.feature {
            0 => PseudoNormal { vector: self.cross(self.triangles[near.triangle as usize]), is_cut: false },
            k => normals[near.triangle as usize][k - 1],
        }
    }

    /// Returns the number of nodes of the tree.
    pub fn node_count(&self) -> usize {
        self.bvh.node_count()
    }

    /// Returns the nodes of the tree.
    pub fn tree(&self) -> Vec<TreeNode> {
        self.bvh.tree()
    }

    /// Returns the triangles in the order of the leaves.
    pub fn leaf_order(&self) -> &[u32] {
        self.bvh.order()
    }

    /// Returns corners, unit normals and pseudo-normals (edges ab, bc and ca, vertices a, b and c) of the triangles of a patch in the
    /// order of the leaves.
    pub fn leaf_triangles(&self) -> impl Iterator<Item = ([DVec3; 3], DVec3, [PseudoNormal; 6])> + '_ {
        self.bvh.order().iter().map(|&t| {
            let normals = self.normals.as_ref().map_or_else(Default::default, |normals| normals[t as usize]);
            (self.corners(t), self.cross(self.triangles[t as usize]).normalize_or_zero(), normals)
        })
    }
}

/// Joins the sets of two triangles.
fn join(root: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(root, a), find(root, b));
    root[a.max(b)] = a.min(b);
}

/// Returns the root of `t`; roots are the smallest indices of their sets.
fn find(root: &mut [usize], mut t: usize) -> usize {
    while root[t] != t {
        root[t] = root[root[t]];
        t = root[t];
    }
    t
}
