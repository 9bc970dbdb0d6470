//! A bounding-volume tree over triangles for nearest points and winding numbers.

use std::f64::consts::PI;

use glam::DVec3;

use super::Mesh;
use super::patch::TreeNode;
use crate::shape::Bounds;

/// Maximum number of triangles in a leaf; shaders read it from three bits.
const LEAF_SIZE: usize = 4;
const _: () = assert!(LEAF_SIZE < 8);

#[derive(Debug, Clone)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    /// Triangle indices in leaf order.
    order: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Node {
    bounds: Bounds,
    /// Area-weighted mean of the triangles' centroids [m].
    pole: DVec3,
    /// Sum of area times normal [m^2].
    dipole: DVec3,
    /// Largest distance of a triangle corner from `pole` [m].
    radius: f64,
    /// Range of `order` under this node.
    first: u32,
    end: u32,
    /// Index of the right child (the left one follows its parent); 0 in leaves.
    right: u32,
}

/// The nearest point of a surface.
pub(super) struct Nearest {
    pub distance: f64,
    pub point: DVec3,
    pub triangle: u32,
    /// Part of the triangle: 0 its face, 1 to 3 its edges ab, bc and ca, 4 to 6 its vertices.
    pub feature: usize,
}

impl Bvh {
    pub(super) fn build(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let corners: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|v| vertices[v as usize])).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::new();
        build_node(&corners, &mut order, 0, &mut nodes);
        Self { nodes, order }
    }

    /// Fits the boxes to moved vertices; the rest of the tree stays, and with it the data for winding numbers.
    pub(super) fn refit(&mut self, vertices: &[DVec3], triangles: &[[u32; 3]]) {
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index];
            let bounds = if node.right == 0 {
                let leaf = &self.order[node.first as usize..node.end as usize];
                Bounds::of(leaf.iter().flat_map(|&t| triangles[t as usize]).map(|v| vertices[v as usize]))
            } else {
                let (a, b) = (self.nodes[index + 1].bounds, self.nodes[node.right as usize].bounds);
                Bounds { min: a.min.min(b.min), max: a.max.max(b.max) }
            };
            self.nodes[index].bounds = bounds;
        }
    }

    /// Calls `look` for the triangles of all leaves whose boxes, and all boxes around them, are `wanted`.
    pub(super) fn visit(&self, wanted: impl Fn(&Bounds) -> bool, mut look: impl FnMut(u32)) {
        let mut stack = vec![0];
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            if !wanted(&node.bounds) {
                continue;
            }
            if node.right == 0 {
                self.order[node.first as usize..node.end as usize]
                    .iter()
                    .for_each(|&triangle| look(triangle));
            } else {
                stack.extend([node.right as usize, index + 1]);
            }
        }
    }

    /// Returns the nodes with the ends of their subtrees.
    pub(super) fn tree(&self) -> Vec<TreeNode> {
        let mut after = vec![self.nodes.len() as u32; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.right != 0) {
            after[index + 1] = node.right;
            after[node.right as usize] = after[index];
        }
        let node = |(node, after): (&Node, u32)| {
            let (first, end) = if node.right == 0 { (node.first, node.end) } else { (0, 0) };
            TreeNode { bounds: node.bounds, first, end, second: node.right, after }
        };
        self.nodes.iter().zip(after).map(node).collect()
    }

    /// Returns the number of nodes.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the triangles in the order of the leaves.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the winding number of `p`; nodes farther than `far` times their radius enter as dipoles.
    pub(super) fn winding_number(&self, mesh: &Mesh, p: DVec3, far: f64) -> f64 {
        let mut sum = 0.0;
        let mut stack = [0_u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            let away = node.pole - p;
            let squared = away.length_squared();
            if squared > (far * node.radius).powi(2) {
                sum += node.dipole.dot(away) / (squared * squared.sqrt());
            } else if node.right == 0 {
                for &triangle in &self.order[node.first as usize..node.end as usize] {
                    sum += solid_angle(mesh.corners(triangle).map(|c| c - p));
                }
            } else {
                stack[depth] = index + 1;
                stack[depth + 1] = node.right;
                depth += 2;
            }
        }
        sum / (4.0 * PI)
    }

    /// Returns true if a surface point is within `limit` [m].
    pub(super) fn reaches(&self, mesh: &Mesh, p: DVec3, limit: f64) -> bool {
        let limit = limit * limit;
        let mut stack = [0_u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            if p.distance_squared(p.clamp(node.bounds.min, node.bounds.max)) > limit {
                continue;
            }
            if node.right == 0 {
                let near = |&t: &u32| p.distance_squared(nearest_on_triangle(mesh.corners(t), p).0) <= limit;
                if self.order[node.first as usize..node.end as usize].iter().any(near) {
                    return true;
                }
            } else {
                stack[depth] = index + 1;
                stack[depth + 1] = node.right;
                depth += 2;
            }
        }
        false
    }

    /// Returns the nearest surface point if it is within `limit` [m].
    pub(super) fn nearest(&self, mesh: &Mesh, p: DVec3, limit: f64) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut bound = limit * limit;
        self.visit_nearest(p, bound, |triangles| {
            for &triangle in triangles {
                let (point, feature) = nearest_on_triangle(mesh.corners(triangle), p);
                let squared = p.distance_squared(point);
                if squared <= bound && (best.is_none() || squared < bound) {
                    bound = squared;
                    best = Some(Nearest { distance: squared.sqrt(), point, triangle, feature });
                }
            }
            bound
        });
        best
    }

    /// Calls `look` for the triangles of leaves, near ones first, as long as their boxes are within a squared distance of p: `bound`, then
    /// what `look` returns.
    pub(super) fn visit_nearest(&self, p: DVec3, mut bound: f64, mut look: impl FnMut(&[u32]) -> f64) {
        let squared_to = |b: &Bounds| (p - p.clamp(b.min, b.max)).length_squared();
        let mut stack = [(0_u32, 0.0_f64); 64];
        let mut depth = 1;
        stack[0].1 = squared_to(&self.nodes[0].bounds);
        while depth > 0 {
            depth -= 1;
            let (index, squared) = stack[depth];
            if squared > bound {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.right == 0 {
                bound = look(&self.order[node.first as usize..node.end as usize]);
            } else {
                let mut near = (index + 1, squared_to(&self.nodes[index as usize + 1].bounds));
                let mut far = (node.right, squared_to(&self.nodes[node.right as usize].bounds));
                if far.1 < near.1 {
                    std::mem::swap(&mut near, &mut far);
                }
                stack[depth] = far;
                stack[depth + 1] = near;
                depth += 2;
            }
        }
    }
}

/// Appends the node over `order` (which starts at `first` in the whole) and its subtree; both halves have equally many triangles,
/// so that the depth stays below 32.
fn build_node(corners: &[[DVec3; 3]], order: &mut [u32], first: u32, nodes: &mut Vec<Node>) {
    let triangles = || order.iter().map(|&t| corners[t as usize]);
    let bounds = Bounds::of(triangles().flatten());
    let (mut area, mut dipole, mut pole) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for [a, b, c] in triangles() {
        let normal = (b - a).cross(c - a) * 0.5;
        dipole += normal;
        area += normal.length();
        pole += normal.length() * (a + b + c) / 3.0;
    }
    let pole = if area > 0.0 { pole / area } else { bounds.center() };
    let radius = triangles().flatten().fold(0.0_f64, |r, c| r.max(c.distance(pole)));
    let this = nodes.len();
    nodes.push(Node { bounds, pole, dipole, radius, first, end: first + order.len() as u32, right: 0 });
    if order.len() <= LEAF_SIZE {
        return;
    }
    let middle = |t: u32| corners[t as usize].iter().sum::<DVec3>();
    let spread = Bounds::of(order.iter().map(|&t| middle(t))).size();
    let axis = spread.max_position();
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |&a, &b| middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(&b)));
    let (left, right) = order.split_at_mut(half);
    // A fixed order inside each half makes the tree independent of the selection algorithm.
    left.sort_unstable();
    right.sort_unstable();
    build_node(corners, left, first, nodes);
    nodes[this].right = nodes.len() as u32;
    build_node(corners, right, first + half as u32, nodes);
}

/// Returns the signed solid angle of a triangle seen from the origin (Van Oosterom & Strackee 1983).
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(numerator, denominator)
}

/// Returns the nearest point of a triangle, and on which part of it that lies.
pub(super) fn nearest_on_triangle([a, b, c]: [DVec3; 3], p: DVec3) -> (DVec3, usize) {
    let ([s, t], feature) = nearest_coordinates([a, b, c], p);
    let point = match feature {
        0 => a + (b - a) * s + (c - a) * t,
        1 => a + (b - a) * s,
        2 => b + (c - b) * t,
        3 => a + (c - a) * t,
        4 => a,
        5 => b,
        _ => c,
    };
    (point, feature)
}

/// Returns where the nearest point of a triangle a, b, c lies, as s and t of `a + s (b - a) + t (c - a)` (Ericson, Real-Time Collision
/// Detection, 5.1.5), and on which part of it: 0 its face, 1 to 3 its edges ab, bc and ca, 4 to 6 its corners.
pub fn nearest_coordinates([a, b, c]: [DVec3; 3], p: DVec3) -> ([f64; 2], usize) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ([0.0, 0.0], 4);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return ([1.0, 0.0], 5);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return ([d1 / (d1 - d3), 0.0], 1);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return ([0.0, 1.0], 6);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return ([0.0, d2 / (d2 - d6)], 3);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return ([1.0 - along, along], 2);
    }
    let scale = 1.0 / (va + vb + vc);
    ([vb * scale, vc * scale], 0)
}
