//! Triangle meshes as the text of OBJ files.

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

/// Positions and indices of corners, counterclockwise seen from outside.
#[derive(Debug, Clone, Default)]
pub struct Triangles {
    /// Positions [m].
    pub vertices: Vec<[f64; 3]>,
    /// Indices from 0.
    pub triangles: Vec<[usize; 3]>,
}

impl Triangles {
    /// Returns the box between two corners [m], 12 triangles.
    pub fn cuboid(min: [f64; 3], max: [f64; 3]) -> Self {
        let pick = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
        let vertices = (0..8).map(|corner| [0, 1, 2].map(|axis| pick(corner, axis))).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self { vertices, triangles }
    }

    /// Returns a ball of `rings` rings of triangles between its poles on the y axis; its corners are on the sphere.
    pub fn ball(center: [f64; 3], radius: f64, rings: usize) -> Self {
        let around = 2 * rings;
        let on = |ring: usize, step: usize| {
            let (theta, phi) = (PI * ring as f64 / rings as f64, TAU * step as f64 / around as f64);
            let direction = [theta.sin() * phi.cos(), theta.cos(), theta.sin() * phi.sin()];
            [0, 1, 2].map(|axis| center[axis] + radius * direction[axis])
        };
        let mut vertices = vec![on(0, 0), on(rings, 0)];
        vertices.extend((1..rings).flat_map(|ring| (0..around).map(move |step| on(ring, step))));
        let at = |ring: usize, step: usize| 2 + (ring - 1) * around + step % around;
        let mut triangles = Vec::new();
        for step in 0..around {
            triangles.push([0, at(1, step + 1), at(1, step)]);
            triangles.push([1, at(rings - 1, step), at(rings - 1, step + 1)]);
            for ring in 1..rings - 1 {
                let [a, b] = [at(ring, step), at(ring, step + 1)];
                let [c, d] = [at(ring + 1, step + 1), at(ring + 1, step)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Self { vertices, triangles }
    }

    /// Returns a level square of `cells` by `cells` squares about the y axis, with edges of length `edge` [m], facing up.
    pub fn sheet(edge: f64, height: f64, cells: usize) -> Self {
        let along = |i: usize| edge * (i as f64 / cells as f64 - 0.5);
        let at = |i: usize, j: usize| i * (cells + 1) + j;
        let all = |count: usize| (0..count).flat_map(move |i| (0..count).map(move |j| (i, j)));
        let vertices = all(cells + 1).map(|(i, j)| [along(i), height, along(j)]).collect();
        let triangles = all(cells)
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        Self { vertices, triangles }
    }

    /// Returns the mesh without the triangles that have a corner for which `cut` holds.
    pub fn without(mut self, cut: impl Fn([f64; 3]) -> bool) -> Self {
        self.triangles.retain(|t| !t.iter().any(|&v| cut(self.vertices[v])));
        self
    }

    /// Returns the mesh with its vertices moved.
    pub fn moved(mut self, to: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = to(*v));
        self
    }

    /// Returns the text of an OBJ file.
    pub fn obj(&self) -> String {
        let mut text = String::new();
        for [x, y, z] in &self.vertices {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for [a, b, c] in &self.triangles {
            let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        text
    }
}

/// Returns the files `name.01.obj` to `name.NN.obj` of a mesh that deforms: its shape at `count` frames.
pub fn sequence(name: &str, count: u32, shape: impl Fn(u32) -> Triangles) -> Vec<(String, String)> {
    (0..count).map(|frame| (format!("{name}.{:02}.obj", frame + 1), shape(frame).obj())).collect()
}
