//! A triangle and its up to three neighbors, which bend: `psi = 1/2 sum K_ij (e_i - q_i n) . (e_j - q_j n)`.
//!
//! `e_i = x_(3+i) - sum_j b_ij x_j` is the height of the corner across the edge opposite to corner i over the triangle, as a vector; n is
//! the unit normal of the triangle. b are the barycentric coordinates of that corner's foot at rest and q its height there, so that rest
//! is exact, and e vanishes with any affine map of a flat patch. K follows from the curvature k of the quadratic that has these heights
//! over the unfolded patch, `e = T k`, and the plate energy `A/2 k . D k` with
//! `D = B [1, nu, 0; nu, 1, 0; 0, 0, 2 (1 - nu)]` for (k_xx, k_yy, k_xy): `K = A (T D^-1 T^T)^+`. Six points determine k, and K is exact for
//! parabolas on any triangulation. Where neighbors are missing, k is the one of least energy with the heights that there are, that of a
//! free edge; combinations of heights that no quadratic has, because the points nearly lie on a conic, cost nothing.
//!
//! Damping acts on the normal parts of the heights, which a rotation leaves alone: q is replaced by `q - damping / dt (n . e - n0 . e0)`.
//! Numbers: K_00, K_11, K_22 [N/m], damping [s]; K_12, K_02, K_01 [N/m], q_0 [m]; b_01, b_02, b_11, b_12; b_21, b_22, q_1, q_2 [m].

use glam::{DMat3, DVec2, DVec3};

use super::{Ends, MEMBERS, Multipliers, Numbers};
use tuff_scene::Cloth;

use crate::thresholds::thresholds;

/// Combinations of heights that a curvature hardly makes, by this fraction of what it makes of one height, count as impossible.
const CONIC: f64 = 0.005;

thresholds! {
    CURVES;
    /// A triangle whose normal is shorter than this part of the squares of its edges has no more leverage.
    CURVE_FLATTENED = 0.01;
}

/// Returns the numbers for corners and corners of the neighbors that rest at these places [m]; `None` without neighbors.
pub fn numbers(corners: [DVec3; 3], across: [Option<DVec3>; 3], cloth: &Cloth) -> Option<Numbers> {
    let [a, b, c] = corners;
    let (d1, d2) = (b - a, c - a);
    let base = d1.length();
    let normal = d1.cross(d2).normalize();
    let axis = d1 / base;
    let flat = |x: DVec3| DVec2::new((x - a).dot(axis), (x - a).dot(normal.cross(axis)));
    let at = corners.map(flat);
    // Barycentric coordinates of the second and the third corner.
    let barycentric = |p: DVec2| {
        let third = p.y / at[2].y;
        [(p.x - at[2].x * third) / base, third]
    };
    let quadratic = |p: DVec2| DVec3::new(0.5 * p.x * p.x, 0.5 * p.y * p.y, p.x * p.y);
    let nu = cloth.poisson_ratio;
    let soften = |k: DVec3| {
        let scale = 1.0 / (cloth.bending_stiffness * (1.0 - nu * nu));
        scale * DVec3::new(k.x - nu * k.y, k.y - nu * k.x, 0.5 * (1.0 + nu) * k.z)
    };
    let mut rows = [DVec3::ZERO; 3];
    let mut feet = [[0.0; 2]; 3];
    let mut heights = [0.0; 3];
    for (i, place) in across.iter().enumerate() {
        let Some(place) = *place else { continue };
        let (from, to) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
        let edge = (to - from).normalize();
        let along = (place - from).dot(edge);
        let away = (place - from - along * edge).length();
        let [start, end] = [at[(i + 1) % 3], at[(i + 2) % 3]];
        let ahead = (end - start).normalize();
        // Corners run counterclockwise, so the outside is to the right of the edge.
        let unfolded = start + along * ahead + away * DVec2::new(ahead.y, -ahead.x);
        let [second, third] = barycentric(unfolded);
        rows[i] = quadratic(unfolded) - second * quadratic(at[1]) - third * quadratic(at[2]);
        feet[i] = barycentric(flat(place));
        heights[i] = (place - a).dot(normal);
    }
    let compliance = |i: usize, j: usize| rows[i].dot(soften(rows[j]));
    let size = [0, 1, 2].map(|i| compliance(i, i).sqrt());
    if size == [0.0; 3] {
        return None;
    }
    let scaled = |i: usize, j: usize| {
        if size[i] * size[j] > 0.0 { compliance(i, j) / (size[i] * size[j]) } else { 0.0 }
    };
    let column = |j: usize| DVec3::new(scaled(0, j), scaled(1, j), scaled(2, j));
    let inverse = pseudo_inverse(DMat3::from_cols(column(0), column(1), column(2)));
    let area = 0.5 * base * at[2].y;
    let k = |i: usize, j: usize| {
        if size[i] * size[j] > 0.0 { area * inverse.col(j)[i] / (size[i] * size[j]) } else { 0.0 }
    };
    let [[b01, b02], [b11, b12], [b21, b22]] = feet;
    let [q0, q1, q2] = heights;
    Some([
        k(0, 0),
        k(1, 1),
        k(2, 2),
        cloth.damping,
        k(1, 2),
        k(0, 2),
        k(0, 1),
        q0,
        b01,
        b02,
        b11,
        b12,
        b21,
        b22,
        q1,
        q2,
    ])
}

/// Returns `m (m^2 + CONIC^2)^-1`: the inverse, which fades to 0 for eigenvalues below [`CONIC`].
fn pseudo_inverse(m: DMat3) -> DMat3 {
    m * (m * m + CONIC * CONIC * DMat3::IDENTITY).inverse()
}

/// `sum_j K_ij y_j`.
fn stiffness(c: &Numbers, y: [DVec3; 3]) -> [DVec3; 3] {
    [
        c[0] * y[0] + c[6] * y[1] + c[5] * y[2],
        c[6] * y[0] + c[1] * y[1] + c[4] * y[2],
        c[5] * y[0] + c[4] * y[1] + c[2] * y[2],
    ]
}

/// e [m].
fn heights(c: &Numbers, x: &[DVec3]) -> [DVec3; 3] {
    let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
    std::array::from_fn(|i| x[3 + i] - x[0] - c[8 + 2 * i] * d1 - c[9 + 2 * i] * d2)
}

/// Derivatives of e by the position of a member [dimensionless].
fn parts(c: &Numbers, role: usize) -> DVec3 {
    match role {
        0 => DVec3::new(c[8] + c[9], c[10] + c[11], c[12] + c[13]) - 1.0,
        1 => -DVec3::new(c[8], c[10], c[12]),
        2 => -DVec3::new(c[9], c[11], c[13]),
        _ => DVec3::AXES[role - 3],
    }
}

/// q [m].
fn resting(c: &Numbers) -> DVec3 {
    DVec3::new(c[7], c[14], c[15])
}

fn normal(x: &[DVec3]) -> DVec3 {
    (x[1] - x[0]).cross(x[2] - x[0]).normalize_or_zero()
}

/// q less the damping [m].
fn targets(c: &Numbers, e: Ends<'_>) -> DVec3 {
    let along = |x: &[DVec3]| DVec3::from(heights(c, x).map(|height| height.dot(normal(x))));
    let viscous = c[3] / e.dt;
    if viscous == 0.0 {
        return resting(c);
    }
    resting(c) - viscous * (along(e.end) - along(e.start))
}

/// Derivatives of `w . n` by the positions of the members.
fn turning(x: &[DVec3], w: DVec3) -> [DVec3; MEMBERS] {
    let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
    let twice = d1.cross(d2).length();
    let least = CURVE_FLATTENED * (d1.length_squared() + d2.length_squared());
    let n = normal(x);
    let across = (w - w.dot(n) * n) / twice.max(least).max(f64::MIN_POSITIVE);
    std::array::from_fn(|role| match role {
        0..3 => (x[(role + 1) % 3] - x[(role + 2) % 3]).cross(across),
        _ => DVec3::ZERO,
    })
}

/// `sum_i de_i f_i` for each member.
fn pulls(c: &Numbers, f: [DVec3; 3]) -> [DVec3; MEMBERS] {
    std::array::from_fn(|role| match role {
        0..3 => {
            let part = parts(c, role);
            part.x * f[0] + part.y * f[1] + part.z * f[2]
        }
        _ => f[role - 3],
    })
}

/// psi [J].
pub fn energy(c: &Numbers, x: &[DVec3]) -> f64 {
    let (e, q, n) = (heights(c, x), resting(c), normal(x));
    let bent: [DVec3; 3] = std::array::from_fn(|i| e[i] - q[i] * n);
    let force = stiffness(c, bent);
    0.5 * (0..3).map(|i| bent[i].dot(force[i])).sum::<f64>()
}

/// `sum_ij de_i K_ij (e_j - q_j n) - dn . sum_ij q_i K_ij e_j` [N].
pub fn gradients(c: &Numbers, e: Ends<'_>) -> [DVec3; MEMBERS] {
    let (height, q, n) = (heights(c, e.end), targets(c, e), normal(e.end));
    let force = stiffness(c, std::array::from_fn(|i| height[i] - q[i] * n));
    let direct = pulls(c, force);
    if q == DVec3::ZERO {
        return direct;
    }
    let upright = stiffness(c, height);
    let turned = turning(e.end, q.x * upright[0] + q.y * upright[1] + q.z * upright[2]);
    std::array::from_fn(|role| direct[role] - turned[role])
}

/// `de_i K_ij (de_j + damping / dt n n . de_j)`, without the turning of n [N].
pub fn products(c: &Numbers, e: Ends<'_>, u: &[DVec3]) -> [DVec3; MEMBERS] {
    let n = normal(e.end);
    let viscous = c[3] / e.dt;
    let change = heights(c, u).map(|height| height + viscous * height.dot(n) * n);
    pulls(c, stiffness(c, change))
}

/// Returns the diagonal blocks of [`products`] [N/m].
pub fn blocks(c: &Numbers, e: Ends<'_>) -> [DMat3; MEMBERS] {
    let n = normal(e.end);
    let damped = DMat3::IDENTITY + c[3] / e.dt * DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    std::array::from_fn(|role| {
        let part = parts(c, role);
        let stiff = part.dot(DVec3::new(
            c[0] * part.x + c[6] * part.y + c[5] * part.z,
            c[6] * part.x + c[1] * part.y + c[4] * part.z,
            c[5] * part.x + c[4] * part.y + c[2] * part.z,
        ));
        stiff * damped
    })
}

/// Nine rows at once. Their multipliers are the impulses so far times dt, `l_i = -dt^2 sum K_ij (e_j - q_j n)` at the end, since K may be
/// singular.
pub fn row(c: &Numbers, e: Ends<'_>, w: &[f64], multipliers: &mut Multipliers) -> [DVec3; MEMBERS] {
    let (height, q, n) = (heights(c, e.end), targets(c, e), normal(e.end));
    let squared = e.dt * e.dt;
    let force = stiffness(c, std::array::from_fn(|i| height[i] - q[i] * n));
    let lacking: [DVec3; 3] = std::array::from_fn(|i| -(squared * force[i] + multipliers[i]));
    // Columns of 1 + dt^2 (1 + damping / dt) K G, G = the mobility of the heights.
    let mut mobility = [DVec3::ZERO; 3];
    for (role, w) in w.iter().enumerate() {
        let part = parts(c, role);
        (0..3).for_each(|j| mobility[j] += *w * part[j] * part);
    }
    let scale = squared * (1.0 + c[3] / e.dt);
    let column = |j: usize| {
        let g = mobility[j];
        DVec3::AXES[j]
            + scale
                * DVec3::new(
                    c[0] * g.x + c[6] * g.y + c[5] * g.z,
                    c[6] * g.x + c[1] * g.y + c[4] * g.z,
                    c[5] * g.x + c[4] * g.y + c[2] * g.z,
                )
    };
    let inverse = DMat3::from_cols(column(0), column(1), column(2)).inverse();
    let change: [DVec3; 3] = std::array::from_fn(|i| (0..3).map(|j| inverse.col(j)[i] * lacking[j]).sum());
    (0..3).for_each(|i| multipliers[i] += change[i]);
    let direct = pulls(c, change);
    if q == DVec3::ZERO {
        return direct.map(|impulse| impulse / e.dt);
    }
    let turned = turning(e.end, q.x * change[0] + q.y * change[1] + q.z * change[2]);
    std::array::from_fn(|role| (direct[role] - turned[role]) / e.dt)
}
