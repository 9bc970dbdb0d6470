//! Ropes: chains of particles that stretch and bend.

use glam::DVec3;

use crate::cloth::Cloth;

/// Kind of a body's particles.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyKind {
    /// Pieces of a continuum, or grains.
    Matter,
    /// Such pieces, but not there at the start: an emitter adds them.
    Emitted,
    /// Pieces of a continuum that keep the neighbors with which they start.
    Total {
        /// Strain of a pair at which it breaks (stretch less 1) [dimensionless]; infinite if none does.
        fracture_strain: f64,
    },
    /// Vertices of a rope.
    Rope(Rope),
    /// Vertices of a cloth.
    Cloth(Cloth),
}

impl BodyKind {
    /// Returns true for pieces of a continuum and grains.
    pub fn is_matter(&self) -> bool {
        matches!(self, Self::Matter | Self::Emitted | Self::Total { .. })
    }

    /// Returns true for pieces of a continuum that keep the neighbors with which they start.
    pub fn is_total(&self) -> bool {
        matches!(self, Self::Total { .. })
    }
}

/// A rope whose stretch is at rest in the given points; bending stiffness straightens it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rope {
    /// Pairs of neighboring vertices along the rope.
    pub segments: Vec<[u32; 2]>,
    /// Rest lengths [m], shape [segment_count].
    pub lengths: Vec<f64>,
    /// Distance at which the rope touches colliders [m].
    pub radius: f64,
    /// Mass per length [kg/m].
    pub linear_density: f64,
    /// EA, Young's modulus times the cross section [N].
    pub stretch_stiffness: f64,
    /// EI, Young's modulus times the second moment of area [N m^2].
    pub bending_stiffness: f64,
}

impl Rope {
    /// Returns the rest length [m].
    pub fn length(&self) -> f64 {
        self.lengths.iter().sum()
    }

    /// Returns the density of cubes as wide as the rope, one per segment, with the weight of the rope [kg/m^3].
    pub fn density(&self) -> f64 {
        let segment = self.length() / self.lengths.len() as f64;
        self.linear_density * segment / (2.0 * self.radius).powi(3)
    }

    /// Returns Young's modulus of matter of that density with the speed of sound along the rope [Pa].
    pub fn modulus(&self) -> f64 {
        self.density() * self.stretch_stiffness / self.linear_density
    }

    /// Returns the volumes of the vertices at that density [m^3], shape [`vertex_count`]: each vertex takes half of its segments.
    pub fn volumes(&self, vertex_count: usize) -> Vec<f64> {
        let mut volumes = vec![0.0; vertex_count];
        for (segment, length) in std::iter::zip(&self.segments, &self.lengths) {
            for &vertex in segment {
                volumes[vertex as usize] += 0.5 * length * self.linear_density / self.density();
            }
        }
        volumes
    }

    /// Returns every vertex between two segments, with these segments, for bending.
    pub fn corners(&self, vertex_count: usize) -> Vec<(u32, [usize; 2])> {
        let mut at = vec![Vec::new(); vertex_count];
        for (index, segment) in self.segments.iter().enumerate() {
            for &vertex in segment {
                at[vertex as usize].push(index);
            }
        }
        let both = |(vertex, segments): (u32, Vec<usize>)| Some((vertex, segments.try_into().ok()?));
        (0..).zip(at).filter_map(both).collect()
    }

    /// Returns EI of a round cross section of that radius and EA [N m^2]: the largest that a solid rope of one material can have.
    pub fn solid_bending_stiffness(radius: f64, stretch_stiffness: f64) -> f64 {
        0.25 * stretch_stiffness * radius * radius
    }
}

/// Divides a polyline into segments of about `spacing` [m], evenly between its points [m].
pub fn divide(points: &[DVec3], spacing: f64) -> Vec<DVec3> {
    let mut vertices: Vec<DVec3> = points.first().copied().into_iter().collect();
    for side in points.windows(2) {
        let count = (side[0].distance(side[1]) / spacing).round().max(1.0) as u32;
        vertices.extend((1..=count).map(|i| side[0].lerp(side[1], f64::from(i) / f64::from(count))));
    }
    vertices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rope(vertices: &[DVec3]) -> Rope {
        let segments: Vec<[u32; 2]> = (1..vertices.len() as u32).map(|i| [i - 1, i]).collect();
        Rope {
            lengths: vertices.windows(2).map(|side| side[0].distance(side[1])).collect(),
            segments,
            radius: 0.005,
            linear_density: 0.1,
            stretch_stiffness: 1e4,
            bending_stiffness: 0.0,
        }
    }

    #[test]
    fn polylines_are_divided_evenly_and_keep_their_corners() {
        let corner = [DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.1, 0.25, 0.0)];
        let vertices = divide(&corner, 0.05);
        assert_eq!(vertices.len(), 1 + 2 + 5);
        assert!(vertices.contains(&corner[1]) && vertices.ends_with(&corner[2..]));
    }

    #[test]
    fn the_vertices_weigh_what_the_rope_weighs() {
        let vertices = divide(&[DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.33, 0.0)], 0.02);
        let rope = rope(&vertices);
        let mass: f64 = rope.volumes(vertices.len()).iter().map(|volume| volume * rope.density()).sum();
        assert!((mass - 0.133).abs() < 1e-12, "{mass}");
        // The speed of sound is that along the rope, and inner vertices touch at its radius.
        assert!(((rope.modulus() / rope.density()).sqrt() - 1e5_f64.sqrt()).abs() < 1e-9);
        let inner = crate::contact_radius(rope.volumes(vertices.len())[10]);
        assert!((inner / 0.005 - 1.0).abs() < 0.01, "{inner}");
        assert_eq!(rope.corners(vertices.len()).len(), vertices.len() - 2);
    }
}
