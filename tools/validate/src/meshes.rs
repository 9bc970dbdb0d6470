//! Meshes of colliders as the text of OBJ files.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use glam::DVec3;

/// Name and text of a file beside a scene.
pub type File = (String, String);

/// Triangles, made of curved patches.
#[derive(Debug, Clone, Default)]
pub struct Triangles {
    vertices: Vec<DVec3>,
    corners: Vec<[usize; 3]>,
}

impl Triangles {
    /// Returns a patch of `rows` by `columns` pairs of triangles; `at` maps the unit square to space [m]. It faces along the cross
    /// product of the directions in which its first and its second coordinate grow.
    pub fn patch([rows, columns]: [usize; 2], at: impl Fn(f64, f64) -> DVec3) -> Self {
        let index = |i: usize, j: usize| i * (columns + 1) + j;
        let mut patch = Self::default();
        for i in 0..=rows {
            let along = i as f64 / rows as f64;
            patch.vertices.extend((0..=columns).map(|j| at(along, j as f64 / columns as f64)));
        }
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            patch.corners.extend([[a, b, c], [a, c, d]]);
        }
        patch
    }

    /// Returns a rectangle with the edges `u` and `v` from a corner [m], facing along their cross product.
    pub fn rectangle(corner: DVec3, u: DVec3, v: DVec3, cells: [usize; 2]) -> Self {
        Self::patch(cells, |s, t| corner + s * u + t * v)
    }

    /// Returns the closed box between two corners [m].
    pub fn cuboid(min: DVec3, max: DVec3) -> Self {
        let edge = max - min;
        let axes = [DVec3::X * edge.x, DVec3::Y * edge.y, DVec3::Z * edge.z];
        let sides = (0..3).flat_map(|axis| {
            let [u, v] = [axes[(axis + 1) % 3], axes[(axis + 2) % 3]];
            [Self::rectangle(max, -u, -v, [1, 1]), Self::rectangle(min, v, u, [1, 1])]
        });
        sides.fold(Self::default(), Self::and)
    }

    /// Returns the open tube around the y axis between two heights [m], facing inwards.
    pub fn tube(radius: f64, [low, high]: [f64; 2], around: usize, along: usize) -> Self {
        Self::patch([around, along], |s, t| {
            let (sine, cosine) = (TAU * s).sin_cos();
            DVec3::new(radius * cosine, low + t * (high - low), radius * sine)
        })
    }

    /// Joins two meshes.
    pub fn and(mut self, other: Self) -> Self {
        let first = self.vertices.len();
        self.vertices.extend(other.vertices);
        self.corners.extend(other.corners.into_iter().map(|corners| corners.map(|corner| first + corner)));
        self
    }

    /// Returns the file `name`.
    pub fn file(&self, name: &str) -> File {
        let mut text = String::new();
        for at in &self.vertices {
            let _ = writeln!(text, "v {:?} {:?} {:?}", at.x, at.y, at.z);
        }
        for [a, b, c] in &self.corners {
            let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        (name.to_owned(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the volume that triangles facing outwards enclose; parts between a surface and the origin if it is open.
    fn enclosed(mesh: &Triangles) -> f64 {
        let of = |&[a, b, c]: &[usize; 3]| {
            let at = |corner: usize| mesh.vertices[corner];
            at(a).dot(at(b).cross(at(c))) / 6.0
        };
        mesh.corners.iter().map(of).sum()
    }

    #[test]
    fn surfaces_face_the_right_way() {
        let cuboid = Triangles::cuboid(DVec3::new(-1.0, 0.5, 2.0), DVec3::new(1.0, 1.5, 5.0));
        assert!((enclosed(&cuboid) - 6.0).abs() < 1e-12);
        let floor = Triangles::rectangle(DVec3::Y, 2.0 * DVec3::Z, 3.0 * DVec3::X, [2, 3]);
        assert!((enclosed(&floor) - 2.0).abs() < 1e-12);
        assert!(enclosed(&Triangles::tube(1.0, [0.0, 1.0], 40, 2)) < 0.0);
    }
}
