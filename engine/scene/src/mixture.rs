//! Grains whose pores a fluid may fill.

/// A fluid and the grains that it seeps into: both take part of the same space.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// Index of the fluid's material.
    pub fluid: usize,
    /// Index of the grains' material.
    pub grains: usize,
    /// Diameter of the grains [m], which sets the drag.
    pub grain_diameter: f64,
    /// Fraction of the grains' volume that is pores, in ]0, 1[.
    pub porosity: f64,
    /// Cohesion [Pa] over saturation, ascending; empty if water does not bind the grains.
    pub cohesion: Vec<[f64; 2]>,
}

impl Mixture {
    /// Returns the permeability of the grains by Kozeny and Carman [m^2]: `d^2 n^3 / (180 (1 - n)^2)`.
    pub fn permeability(&self) -> f64 {
        let solid = 1.0 - self.porosity;
        (self.grain_diameter / solid).powi(2) * self.porosity.powi(3) / 180.0
    }
}

/// Returns the value of a curve of ascending points at `x`: linear between points, constant beyond them; 0 without points.
pub fn value_at(curve: &[[f64; 2]], x: f64) -> f64 {
    let next = curve.partition_point(|point| point[0] <= x);
    match (next.checked_sub(1).map(|last| curve[last]), curve.get(next)) {
        (None, None) => 0.0,
        (None, Some(first)) => first[1],
        (Some(last), None) => last[1],
        (Some([x0, y0]), Some([x1, y1])) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_linear_between_their_points_and_constant_beyond() {
        let curve = [[0.1, 5.0], [0.5, 3.0], [1.0, 0.0]];
        for (x, value) in
            [(0.0, 5.0), (0.1, 5.0), (0.3, 4.0), (0.5, 3.0), (0.75, 1.5), (1.0, 0.0), (2.0, 0.0)]
        {
            assert!((value_at(&curve, x) - value).abs() < 1e-12, "{x}");
        }
        assert_eq!(value_at(&[], 0.4), 0.0);
    }

    /// 0.3 mm sand of porosity 0.4: 8.9e-11 m^2, a conductivity of water of 0.9 mm/s.
    #[test]
    fn fine_sand_has_the_permeability_of_the_textbook() {
        let sand = Mixture { fluid: 0, grains: 1, grain_diameter: 3e-4, porosity: 0.4, cohesion: Vec::new() };
        assert!((sand.permeability() / 8.89e-11 - 1.0).abs() < 1e-3, "{:e}", sand.permeability());
    }
}
