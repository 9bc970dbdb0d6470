//! Deforming meshes as the shaders read them: once, how their patches hang together; for a batch of substeps, the positions at the knots
//! around it, and where each substep lies between them.

use std::sync::Arc;

use glam::DVec3;
use tuff_problem::{Problem, Steps};
use tuff_scene::{ACROSS_NOTHING, Deformation, Geometry, Mesh};

/// Numbers of the parts of deforming meshes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Deforming meshes.
    pub meshes: u32,
    /// Their vertices.
    pub points: u32,
    /// Vertices of their patches.
    pub patch_points: u32,
    /// Pairs of corners around these vertices.
    pub around: u32,
    /// Triangles of their patches.
    pub triangles: u32,
    /// Nodes of the trees of their patches, by level, the deepest first.
    pub levels: Vec<u32>,
    /// Positions of their vertices at the knots around a batch, at most.
    pub knots: u64,
}

/// A mesh that deforms.
struct Deforming<'a> {
    /// Collider to which it belongs.
    collider: usize,
    deformation: &'a Arc<Deformation>,
    /// Its first vertex among those of all deforming meshes.
    first: u32,
    vertices: u32,
}

impl Deforming<'_> {
    /// Returns the first and the last knot around a batch.
    fn knots(&self, steps: Steps) -> [usize; 2] {
        let start = self.deformation.span(steps.step(0).time).0;
        let (end, part) = self.deformation.span(steps.step(steps.count.saturating_sub(1)).end());
        [start, if part > 0.0 { end + 1 } else { end }]
    }
}

/// Returns the deforming meshes in the order of their colliders.
fn deforming(problem: &Problem) -> Vec<Deforming<'_>> {
    let mut all: Vec<Deforming<'_>> = Vec::new();
    for (collider, whole) in problem.scene.colliders.iter().enumerate() {
        let Geometry::Mesh(mesh) = &whole.shape.geometry else { continue };
        let Some(deformation) = mesh.deformation() else { continue };
        let first = all.last().map_or(0, |last| last.first + last.vertices);
        all.push(Deforming { collider, deformation, first, vertices: mesh.vertices.len() as u32 });
    }
    all
}

/// Returns the patches of deforming meshes: first vertex of the mesh, patch, and its first node and triangle among those of all meshes.
fn patches(problem: &Problem) -> Vec<(u32, &Mesh, u32, u32)> {
    let meshes = deforming(problem);
    let (mut root, mut first) = (0, 0);
    let mut patches = Vec::new();
    for face in &problem.faces {
        let Geometry::Mesh(patch) = &face.surface.shape.geometry else { continue };
        if let Some(whole) = meshes.iter().find(|mesh| mesh.collider == face.collider) {
            patches.push((whole.first, patch.as_ref(), root, first));
        }
        root += patch.node_count() as u32;
        first += patch.triangles.len() as u32;
    }
    patches
}

/// Returns the depth of every node of a patch's tree.
fn depths(patch: &Mesh) -> Vec<usize> {
    let tree = patch.tree();
    let mut depth = vec![0; tree.len()];
    for (index, node) in tree.iter().enumerate().filter(|(_, node)| node.end == node.first) {
        depth[index + 1] = depth[index] + 1;
        depth[node.second as usize] = depth[index] + 1;
    }
    depth
}

impl Counts {
    /// Counts the parts of a problem's deforming meshes.
    pub fn of(problem: &Problem) -> Self {
        let frame = 1.0 / problem.scene.time.frame_rate;
        let mut counts = Self::default();
        for mesh in deforming(problem) {
            counts.meshes += 1;
            counts.points += mesh.vertices;
            // Both ends of the frame may lie between knots, and rounding may add one.
            let in_a_frame = (frame / mesh.deformation.time(1)).ceil() as u64 + 3;
            counts.knots += in_a_frame.min(mesh.deformation.last() as u64 + 1) * u64::from(mesh.vertices);
        }
        for (_, patch, ..) in patches(problem) {
            counts.patch_points += patch.vertices.len() as u32;
            counts.triangles += patch.triangles.len() as u32;
            counts.around += patch.weave().map_or(0, |weave| weave.around.len()) as u32;
            for depth in depths(patch) {
                if counts.levels.len() <= depth {
                    counts.levels.resize(depth + 1, 0);
                }
                counts.levels[depth] += 1;
            }
        }
        counts.levels.reverse();
        counts
    }

    /// Returns the numbers of vertices of meshes, vertices of patches and triangles.
    pub fn launched(&self) -> [u32; 3] {
        [self.points, self.patch_points, self.triangles]
    }

    /// Returns the number of nodes of all levels.
    pub fn nodes(&self) -> u32 {
        self.levels.iter().sum()
    }
}

/// How the patches of deforming meshes hang together.
#[derive(Debug, Default)]
pub struct Woven {
    /// Vertices of patches: vertex among those of all deforming meshes, first and end of the pairs around it, 1 where the patch ends.
    pub points: Vec<[u32; 4]>,
    /// Pairs of other corners around vertices, among the vertices of all deforming meshes.
    pub around: Vec<[u32; 2]>,
    /// Triangles, three words each: corners and place among the triangles of all meshes; vertices across the edges; corners among the
    /// vertices of patches.
    pub triangles: Vec<[u32; 4]>,
    /// First of the nodes of each level, and the end of the last.
    pub levels: Vec<u32>,
    /// Nodes of the trees by level, the deepest first.
    pub nodes: Vec<u32>,
}

impl Woven {
    /// Describes the patches of a problem's deforming meshes.
    pub fn of(problem: &Problem) -> Self {
        let mut woven = Self::default();
        let mut by_depth: Vec<Vec<u32>> = Vec::new();
        for (base, patch, root, first) in patches(problem) {
            let Some(weave) = patch.weave() else { continue };
            let (point, pair) = (woven.points.len() as u32, woven.around.len() as u32);
            for (v, &origin) in weave.origin.iter().enumerate() {
                let [first, end] = [weave.first[v], weave.first[v + 1]].map(|pairs| pair + pairs);
                woven.points.push([base + origin, first, end, weave.is_cut[v].into()]);
            }
            woven.around.extend(weave.around.iter().map(|pair| pair.map(|v| base + v)));
            for (place, &triangle) in patch.leaf_order().iter().enumerate() {
                let own = patch.triangles[triangle as usize];
                let [a, b, c] = own.map(|v| base + weave.origin[v as usize]);
                let marked = |v: u32| if v >= ACROSS_NOTHING { v } else { base + v };
                let [ab, bc, ca] = weave.across[triangle as usize].map(marked);
                let [pa, pb, pc] = own.map(|v| point + v);
                woven.triangles.extend([[a, b, c, first + place as u32], [ab, bc, ca, 0], [pa, pb, pc, 0]]);
            }
            for (node, depth) in depths(patch).into_iter().enumerate() {
                if by_depth.len() <= depth {
                    by_depth.resize(depth + 1, Vec::new());
                }
                by_depth[depth].push(root + node as u32);
            }
        }
        woven.levels.push(0);
        for level in by_depth.into_iter().rev() {
            woven.nodes.extend(level);
            woven.levels.push(woven.nodes.len() as u32);
        }
        woven
    }
}

/// Deforming meshes over a batch of substeps.
#[derive(Debug, Default)]
pub struct Batch {
    /// Positions of the vertices at the knots around the batch, mesh by mesh and knot by knot [m].
    pub knots: Vec<[f32; 4]>,
    /// Words of the substeps (shaders/stages/move_vertices.comp).
    pub spans: Vec<[u32; 4]>,
    /// Collider of each mesh, and the largest speed of its vertices relative to the rigid motion [m/s].
    speeds: Vec<(usize, f64)>,
}

impl Batch {
    /// Returns the number of positions that [`Batch::of`] would evaluate.
    pub fn position_count(problem: &Problem, steps: Steps) -> u64 {
        let positions = |mesh: &Deforming<'_>| {
            let [start, end] = mesh.knots(steps);
            (end - start + 1) as u64 * u64::from(mesh.vertices)
        };
        deforming(problem).iter().map(positions).sum()
    }

    /// Places the deforming meshes of a problem for a batch.
    pub fn of(problem: &Problem, steps: Steps) -> Self {
        let mut batch = Self::default();
        let meshes = deforming(problem);
        let mut offsets = Vec::new();
        for mesh in &meshes {
            let [start, end] = mesh.knots(steps);
            let knots: Vec<Vec<DVec3>> = (start..=end).map(|knot| mesh.deformation.knot(knot)).collect();
            let offset = batch.knots.len() as u32;
            let words = knots.iter().flatten().map(|x| [x.x as f32, x.y as f32, x.z as f32, 0.0]);
            batch.knots.extend(words);
            let way = |pair: &[Vec<DVec3>]| {
                let longest = std::iter::zip(&pair[0], &pair[1]).map(|(a, b)| a.distance_squared(*b));
                longest.fold(0.0, f64::max).sqrt() / mesh.deformation.time(1)
            };
            batch.speeds.push((mesh.collider, knots.windows(2).map(way).fold(0.0, f64::max)));
            offsets.push((start, offset));
        }
        for i in 0..steps.count {
            let step = steps.step(i);
            for (mesh, &(first, offset)) in std::iter::zip(&meshes, &offsets) {
                let [(a, from), (b, to)] = [step.time, step.end()].map(|time| mesh.deformation.span(time));
                let word = |knot: usize| {
                    let place = offset + (knot - first) as u32 * mesh.vertices;
                    place.wrapping_sub(mesh.first)
                };
                batch.spans.push([word(a), word(b), (from as f32).to_bits(), (to as f32).to_bits()]);
                let way = if a == b { (to - from) as f32 } else { 0.0 };
                batch.spans.push([mesh.first, mesh.vertices, way.to_bits(), 0]);
            }
        }
        batch
    }

    /// Returns the largest speed of a vertex of a collider's mesh relative to its rigid motion in the batch [m/s].
    pub fn speed(&self, collider: usize) -> f64 {
        self.speeds.iter().find(|(of, _)| *of == collider).map_or(0.0, |(_, speed)| *speed)
    }
}
