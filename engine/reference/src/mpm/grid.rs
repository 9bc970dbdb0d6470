//! The background grid and its quadratic B-splines.

use glam::{DVec3, IVec3};

/// Maximum number of nodes of a grid.
const MAX_NODES: u64 = 1 << 24;

/// Largest coordinate of a node.
const MAX_COORDINATE: f64 = 1e9;

/// The 27 nodes around a point and their weights.
#[derive(Debug, Clone, Copy)]
pub struct Stencil {
    first: IVec3,
    weights: [DVec3; 3],
}

impl Stencil {
    /// Creates the stencil around `x` [m] in a grid of spacing `dx` [m]: `w = 3/4 - f^2` at the nearest node along an axis, f its
    /// distance in spacings, and `(1/2 -+ f)^2 / 2` at the two nodes beside it.
    pub fn around(x: DVec3, dx: f64) -> Self {
        let scaled = x / dx;
        let nearest = scaled.round();
        let f = scaled - nearest;
        let (before, after) = (0.5 - f, 0.5 + f);
        Self {
            first: nearest.as_ivec3() - 1,
            weights: [0.5 * before * before, 0.75 - f * f, 0.5 * after * after],
        }
    }

    /// Returns the lowest node.
    pub fn first(&self) -> IVec3 {
        self.first
    }

    /// Iterates over nodes with their weights, which sum to 1.
    pub fn nodes(&self) -> impl Iterator<Item = (IVec3, f64)> {
        let Self { first, weights } = *self;
        (0..27).map(move |i| {
            let [x, y, z] = [i % 3, i / 3 % 3, i / 9];
            let weight = weights[x].x * weights[y].y * weights[z].z;
            (first + IVec3::new(x as i32, y as i32, z as i32), weight)
        })
    }
}

/// Nodes at integer multiples of a spacing in a box around the particles.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// Spacing [m].
    pub dx: f64,
    first: IVec3,
    size: IVec3,
    /// Masses [kg], shape [node_count].
    pub mass: Vec<f64>,
    /// Momenta [N s] after the scatter, later velocities [m/s], shape [node_count].
    pub velocity: Vec<DVec3>,
}

impl Grid {
    /// Creates an empty grid of spacing `dx` [m].
    pub fn new(dx: f64) -> Self {
        Self { dx, ..Self::default() }
    }

    /// Lays empty nodes around finite positions [m]; returns `false` if there would be too many.
    pub fn cover(&mut self, position: &[DVec3]) -> bool {
        if position.is_empty() {
            return true;
        }
        let (mut low, mut high) = (IVec3::MAX, IVec3::MIN);
        for &x in position {
            if x.abs().max_element() > MAX_COORDINATE * self.dx {
                return false;
            }
            let first = Stencil::around(x, self.dx).first();
            low = low.min(first);
            high = high.max(first);
        }
        let size = high.as_i64vec3() - low.as_i64vec3() + 3;
        let count = size.to_array().iter().fold(1_u64, |n, &s| n.saturating_mul(s as u64));
        if count > MAX_NODES {
            return false;
        }
        self.first = low;
        self.size = size.as_ivec3();
        self.mass.clear();
        self.mass.resize(count as usize, 0.0);
        self.velocity.clear();
        self.velocity.resize(count as usize, DVec3::ZERO);
        true
    }

    /// Returns the index of a node.
    pub fn index(&self, node: IVec3) -> usize {
        let c = node - self.first;
        (c.x + self.size.x * (c.y + self.size.y * c.z)) as usize
    }

    /// Returns the position of a node by its index [m].
    pub fn position(&self, index: usize) -> DVec3 {
        let (index, size) = (index as i32, self.size);
        let c = IVec3::new(index % size.x, index / size.x % size.y, index / (size.x * size.y));
        self.dx * (self.first + c).as_dvec3()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_reproduce_affine_fields_and_the_inertia_of_apic() {
        let (x, dx) = (DVec3::new(0.37, -1.24, 2.05), 0.1);
        let (mut sum, mut mean, mut second) = (0.0, DVec3::ZERO, glam::DMat3::ZERO);
        for (node, weight) in Stencil::around(x, dx).nodes() {
            let d = dx * node.as_dvec3() - x;
            assert!(weight >= 0.0);
            sum += weight;
            mean += weight * d;
            second += weight * crate::tensor::outer(d, d);
        }
        assert!((sum - 1.0).abs() < 1e-14 && mean.length() < 1e-14);
        assert!(
            crate::tensor::norm(second - glam::DMat3::from_diagonal(DVec3::splat(0.25 * dx * dx))) < 1e-14
        );
    }

    #[test]
    fn nodes_know_their_places() {
        let mut grid = Grid::new(0.5);
        assert!(grid.cover(&[DVec3::new(-3.1, 0.2, 0.0), DVec3::new(1.0, 4.0, 0.3)]));
        for (node, _) in Stencil::around(DVec3::new(1.0, 4.0, 0.3), 0.5).nodes() {
            assert_eq!(grid.position(grid.index(node)), 0.5 * node.as_dvec3());
        }
        assert!(!grid.cover(&[DVec3::ZERO, DVec3::splat(1e6)]), "spread too far");
        assert!(!grid.cover(&[DVec3::ZERO, DVec3::splat(1e300)]));
    }
}
