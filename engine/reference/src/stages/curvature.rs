//! Separates curvature from slope in gradients, which would otherwise mistake curvature for slope (solver/notes/surface_layers.md).
//! Quadratics of an offset x are vectors of 6 in two halves: x^2, y^2, z^2, and sqrt 2 times y z, x z, x y.
//! Shader: `shaders/include/curvature.glsl`.

use glam::{DMat3, DVec3};
use tuff_problem::{
    CURVATURE_FLAT, CURVATURE_FOREIGN, CURVATURE_ROUND, CURVATURE_SCATTER, CURVATURE_STEEPEST,
};

use crate::tensor::{double_dot, outer, trace};

/// Sums over a neighborhood, in offsets `x = d / r` with weights `w = V_b (-W' / |d|) r^2`.
pub struct Curvature {
    /// Upper half of `sum w q x^T`.
    third_squares: DMat3,
    /// Lower half of `sum w q x^T`.
    third_products: DMat3,
    /// Blocks of `sum w q q^T`.
    squares: DMat3,
    mixed: DMat3,
    products: DMat3,
    /// Largest w.
    largest: f64,
    /// Sum of w.
    sum: f64,
    /// Sum of w over other bodies.
    foreign: f64,
}

/// `g_b = (w / r) (slope x - curvature q)`.
pub struct Corrector {
    slope: DMat3,
    squares: DMat3,
    products: DMat3,
}

impl Curvature {
    /// Creates the sums of no neighbors.
    pub fn zero() -> Self {
        let zero = DMat3::ZERO;
        Self {
            third_squares: zero,
            third_products: zero,
            squares: zero,
            mixed: zero,
            products: zero,
            largest: 0.0,
            sum: 0.0,
            foreign: 0.0,
        }
    }

    /// Adds a neighbor, of another body if `foreign`.
    pub fn add(&mut self, x: DVec3, w: f64, foreign: bool) {
        let (squares, products) = quadratics(x);
        self.third_squares += w * outer(squares, x);
        self.third_products += w * outer(products, x);
        self.squares += w * outer(squares, squares);
        self.mixed += w * outer(squares, products);
        self.products += w * outer(products, products);
        self.largest = self.largest.max(w);
        self.sum += w;
        self.foreign += if foreign { w } else { 0.0 };
    }

    /// Returns the fraction of the correction that a neighborhood allows: none where its linear gradient is scaled down
    /// (`steepness`, squared, from 1 on), where the body's own neighbors lie almost in a plane (`flatness`: least eigenvalue of
    /// `sum w^ a d^T` over the largest), or where it meets other bodies, which need not move with this one.
    pub fn share(&self, steepness: f64, flatness: f64) -> f64 {
        (1.0 - steepness * steepness).max(0.0)
            * ((flatness - CURVATURE_FLAT) / (CURVATURE_ROUND - CURVATURE_FLAT)).clamp(0.0, 1.0)
            * (1.0 - self.foreign / (CURVATURE_FOREIGN * self.sum)).max(0.0)
    }

    /// Returns the corrector to `linear = (sum w x x^T)^-1`, scaled to the fraction `share` of the full correction.
    pub fn corrector(&self, linear: DMat3, share: f64) -> Corrector {
        // The part of the quadratics that slopes explain, and the scatter around it.
        let (upper, lower) = (self.third_squares * linear, self.third_products * linear);
        let a = self.squares - upper * self.third_squares.transpose();
        let b = self.mixed - upper * self.third_products.transpose();
        let c = self.products - lower * self.third_products.transpose();
        let least = CURVATURE_SCATTER / 6.0 * (trace(self.squares) + trace(self.products));
        // Z = (S^2 + least^2)^-1 S [upper; lower], S = [a b; b^T c], by blocks.
        let bt = b.transpose();
        let floor = DMat3::from_diagonal(DVec3::splat(least * least));
        let f = a * a + b * bt + floor;
        let g = a * b + b * c;
        let h = bt * b + c * c + floor;
        let (first, second) = (a * upper + b * lower, bt * upper + c * lower);
        let across = g.transpose() * f.inverse();
        let z2 = (h - across * g).inverse() * (second - across * first);
        let z1 = f.inverse() * (first - g * z2);
        let steepening = self.largest * (double_dot(z1, a * z1 + b * z2) + double_dot(z2, bt * z1 + c * z2));
        let scale = share * (CURVATURE_STEEPEST / steepening.max(CURVATURE_STEEPEST)).sqrt();
        let (squares, products) = (scale * z1.transpose(), scale * z2.transpose());
        Corrector { slope: linear + squares * upper + products * lower, squares, products }
    }
}

impl Corrector {
    /// Returns `g_b r / w` of a neighbor at x.
    pub fn apply(&self, x: DVec3) -> DVec3 {
        let (squares, products) = quadratics(x);
        self.slope * x - self.squares * squares - self.products * products
    }
}

fn quadratics(x: DVec3) -> (DVec3, DVec3) {
    (x * x, std::f64::consts::SQRT_2 * DVec3::new(x.y * x.z, x.x * x.z, x.x * x.y))
}
