//! Triangles of the figure's surface: naive surface nets on a grid (Gibson 1998), evened out along the surface.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use glam::{DVec3, dvec3};

use crate::body::Body;

/// Edge of a grid cell [m]; a shorter one at the heights of hands, feet and head, and in front, where palms, toes and face are; a still
/// shorter one across the hands.
const SPACING: f64 = 0.0245;
const FINE: f64 = 0.0175;
const FINEST: f64 = 0.0125;

/// Distance from the middle beyond which there are hands only, heights where hands are, feet end and the head
/// begins, and where the front begins [m].
const HANDS: f64 = 0.45;
const HANDS_HEIGHT: Range<f64> = 0.81..0.96;
const FEET: f64 = 0.1;
const HEAD: f64 = 1.56;
const FRONT: f64 = -0.04;

/// Number of rounds that turn edges, and of moves of the vertices in each.
const ROUNDS: usize = 5;
const STEPS: usize = 4;

/// A closed surface, triangles counterclockwise seen from outside.
pub struct Surface {
    pub vertices: Vec<DVec3>,
    /// Outward unit normals, shape [vertex_count].
    pub normals: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Vertices that share an edge, ascending, shape [vertex_count].
    pub neighbors: Vec<Vec<usize>>,
}

impl Surface {
    pub fn of(body: &Body) -> Self {
        let (mut vertices, quads) = nets(body);
        let mut triangles: Vec<_> =
            quads.iter().map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect::<Vec<_>>().concat();
        for _ in 0..ROUNDS {
            flip(&vertices, &mut triangles);
            let around = neighbors(vertices.len(), &triangles);
            for _ in 0..STEPS {
                vertices = (0..vertices.len())
                    .map(|vertex| evened(body, &vertices, vertex, &around[vertex]))
                    .collect();
            }
        }
        let vertices: Vec<DVec3> = vertices.into_iter().map(|vertex| project(body, vertex, 4)).collect();
        flip(&vertices, &mut triangles);
        let neighbors = neighbors(vertices.len(), &triangles);
        let normals =
            vertices.iter().map(|&vertex| body.distance_and_gradient(vertex).1.normalize()).collect();
        // The soles touch the ground exactly.
        let lowest = vertices.iter().map(|vertex| vertex.y).fold(f64::INFINITY, f64::min);
        let vertices = vertices.into_iter().map(|vertex| vertex - lowest * DVec3::Y).collect();
        Self { vertices, normals, triangles, neighbors }
    }

    /// Checks that the surface is one closed, consistently oriented sphere, topologically.
    pub fn check(&self) -> Result<(), String> {
        let mut count: HashMap<(u32, u32), usize> = HashMap::new();
        for triangle in &self.triangles {
            for at in 0..3 {
                *count.entry((triangle[at], triangle[(at + 1) % 3])).or_default() += 1;
            }
        }
        let once = |&(a, b): &(u32, u32)| count[&(a, b)] == 1 && count.get(&(b, a)) == Some(&1);
        if let Some((a, b)) = count.keys().find(|edge| !once(edge)) {
            let place = self.vertices[*a as usize];
            return Err(format!("edge {a}-{b} near {place} does not join two triangles: change the spacing"));
        }
        let mut reached = vec![false; self.vertices.len()];
        let mut pending = vec![0];
        while let Some(vertex) = pending.pop() {
            if !std::mem::replace(&mut reached[vertex], true) {
                pending.extend(&self.neighbors[vertex]);
            }
        }
        if reached.contains(&false) {
            return Err("the surface has several pieces: parts of the body do not touch".to_owned());
        }
        match self.vertices.len() + self.triangles.len() - count.len() / 2 {
            2 => Ok(()),
            other => Err(format!("the surface has handles: its Euler characteristic is {other}, not 2")),
        }
    }
}

/// Returns the vertices with which each vertex shares an edge, ascending.
fn neighbors<const CORNERS: usize>(vertex_count: usize, faces: &[[u32; CORNERS]]) -> Vec<Vec<usize>> {
    let mut neighbors = vec![BTreeSet::new(); vertex_count];
    for face in faces {
        for (at, &a) in face.iter().enumerate() {
            let b = face[(at + 1) % CORNERS];
            neighbors[a as usize].insert(b as usize);
            neighbors[b as usize].insert(a as usize);
        }
    }
    neighbors.into_iter().map(|set| set.into_iter().collect()).collect()
}

/// Moves a point to the surface along the gradient.
fn project(body: &Body, mut point: DVec3, steps: usize) -> DVec3 {
    for _ in 0..steps {
        let (distance, gradient) = body.distance_and_gradient(point);
        let step = -distance * gradient / gradient.length_squared();
        point += step.clamp_length_max(0.5 * SPACING);
    }
    point
}

/// Returns the place of a vertex halfway to the middle of its neighbors, on the surface.
fn evened(body: &Body, vertices: &[DVec3], vertex: usize, around: &[usize]) -> DVec3 {
    let mean = around.iter().map(|&other| vertices[other]).sum::<DVec3>() / around.len() as f64;
    let step = 0.5 * (mean - vertices[vertex]);
    // Without the part across the surface, which would round tips off.
    let step = step.reject_from(body.distance_and_gradient(vertices[vertex]).1);
    project(body, vertices[vertex] + step, 1)
}

/// Turns edges between two triangles to their other diagonal where the angles opposite to them exceed a half turn (Delaunay).
fn flip(vertices: &[DVec3], triangles: &mut [[u32; 3]]) {
    let at = |vertex: u32| vertices[vertex as usize];
    let cotangent = |[a, b, c]: [u32; 3]| {
        let (u, v) = (at(a) - at(c), at(b) - at(c));
        u.dot(v) / u.cross(v).length().max(1e-12)
    };
    let normal = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(at(c) - at(a));
    // The triangle on the left of each directed edge.
    let mut left: HashMap<(u32, u32), usize> = HashMap::new();
    let edges = |[a, b, c]: [u32; 3]| [(a, b), (b, c), (c, a)];
    for (index, &triangle) in triangles.iter().enumerate() {
        left.extend(edges(triangle).map(|edge| (edge, index)));
    }
    let mut pending: Vec<(u32, u32)> = triangles.iter().rev().flat_map(|&triangle| edges(triangle)).collect();
    while let Some((a, b)) = pending.pop() {
        let (Some(&one), Some(&other)) = (left.get(&(a, b)), left.get(&(b, a))) else { continue };
        let opposite =
            |triangle: usize| triangles[triangle].iter().copied().find(|&corner| corner != a && corner != b);
        let (Some(c), Some(d)) = (opposite(one), opposite(other)) else { continue };
        let (new_one, new_other) = ([c, a, d], [d, b, c]);
        let crowded = cotangent([a, b, c]) + cotangent([b, a, d]) < -1e-6;
        let flat =
            normal(new_one).dot(normal(new_other)) > 0.0 && normal(new_one).dot(normal([a, b, c])) > 0.0;
        if !crowded || !flat || left.contains_key(&(c, d)) || left.contains_key(&(d, c)) {
            continue;
        }
        left.remove(&(a, b));
        left.remove(&(b, a));
        for (triangle, index) in [(new_one, one), (new_other, other)] {
            triangles[index] = triangle;
            left.extend(edges(triangle).map(|edge| (edge, index)));
        }
        pending.extend([(a, d), (d, b), (b, c), (c, a)]);
    }
}

/// Returns the coordinates of the grid's nodes along each axis [m]. They are symmetric in x, and none is 0.
fn grid() -> [Vec<f64>; 3] {
    let nodes = |low: f64, high: f64, spacing: fn(f64) -> f64| {
        let next = |&node: &f64| Some(node + spacing(node)).filter(|&next| next < high);
        std::iter::successors(Some(low), next).collect::<Vec<f64>>()
    };
    let right = nodes(0.5 * SPACING, 0.7, |x| if x > HANDS { FINEST } else { SPACING });
    let across = right.iter().rev().map(|x| -x).chain(right.iter().copied()).collect();
    let upwards = nodes(-2.5 * FINE, 1.9, |y| {
        if HANDS_HEIGHT.contains(&y) || !(FEET..HEAD).contains(&y) { FINE } else { SPACING }
    });
    let forwards = nodes(-10.5 * SPACING, 0.3, |z| if z > FRONT { FINE } else { SPACING });
    [across, upwards, forwards]
}

/// Places a vertex in each cell that the surface crosses, and a quad across each such edge of the grid.
fn nets(body: &Body) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let grid = grid();
    let size = [0, 1, 2].map(|axis: usize| grid[axis].len());
    let index = |[x, y, z]: [usize; 3]| (z * size[1] + y) * size[0] + x;
    let position = |[x, y, z]: [usize; 3]| dvec3(grid[0][x], grid[1][y], grid[2][z]);
    let each = |size: [usize; 3]| {
        (0..size[2]).flat_map(move |z| (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| [x, y, z])))
    };
    let mut values: Vec<f64> = each(size).map(|node| body.distance(position(node))).collect();
    // Where only opposite corners of a face are inside, four quads would meet at an edge. Another corner is taken inside; vertices move
    // back to the surface later.
    let faces = || each(size.map(|count| count - 1)).flat_map(|node| (0..3).map(move |axis| (node, axis)));
    let mut unclear = true;
    while unclear {
        unclear = false;
        for (node, axis) in faces() {
            let corner = |u: usize, v: usize| {
                let mut corner = node;
                corner[(axis + 1) % 3] += u;
                corner[(axis + 2) % 3] += v;
                index(corner)
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            let inside = |node: usize| values[node] < 0.0;
            if inside(a) == inside(c) && inside(b) == inside(d) && inside(a) != inside(b) {
                let outside = if inside(a) { [b, d] } else { [a, c] };
                let nearer = if values[outside[0]] <= values[outside[1]] { outside[0] } else { outside[1] };
                values[nearer] = -1e-3 * SPACING;
                unclear = true;
            }
        }
    }
    let mut vertices = Vec::new();
    let mut vertex_of = vec![u32::MAX; values.len()];
    for cell in each(size.map(|count| count - 1)) {
        let corner = |bits: usize| [cell[0] + (bits & 1), cell[1] + (bits >> 1 & 1), cell[2] + (bits >> 2)];
        let (mut sum, mut crossings) = (DVec3::ZERO, 0);
        for bits in 0..8 {
            for axis in (0..3).filter(|axis| bits >> axis & 1 == 0) {
                let (a, b) = (corner(bits), corner(bits | 1 << axis));
                let (at_a, at_b) = (values[index(a)], values[index(b)]);
                if (at_a < 0.0) != (at_b < 0.0) {
                    sum += position(a).lerp(position(b), at_a / (at_a - at_b));
                    crossings += 1;
                }
            }
        }
        if crossings > 0 {
            vertex_of[index(cell)] = vertices.len() as u32;
            vertices.push(sum / f64::from(crossings));
        }
    }
    let mut quads = Vec::new();
    for node in each(size.map(|count| count - 1)) {
        for axis in 0..3 {
            let mut next = node;
            next[axis] += 1;
            let inside = values[index(node)] < 0.0;
            if inside == (values[index(next)] < 0.0) {
                continue;
            }
            let cell = |back_u: usize, back_v: usize| {
                let mut cell = node;
                cell[(axis + 1) % 3] -= back_u;
                cell[(axis + 2) % 3] -= back_v;
                vertex_of[index(cell)]
            };
            let quad = [cell(1, 1), cell(0, 1), cell(0, 0), cell(1, 0)];
            quads.push(if inside { quad } else { [quad[3], quad[2], quad[1], quad[0]] });
        }
    }
    (vertices, quads)
}
