//! Neighbors that the particles of total bodies keep: those at the start, with the gradients and memory weights there.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};
use tuff_scene::{BodyKind, Diagnosed, Particles, Scene, SceneError};

use crate::grid::COLOR_COUNT;
use crate::{CURVATURE_STEEPEST, Class, Classes, kernel};

/// A neighbor that a particle keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TotalPair {
    /// Id of the neighbor.
    pub id: u32,
    /// `k` of its memory weight `w^ = (k / 255)^2`.
    pub weight: u8,
    /// Its gradient g0 at the start [1/m].
    pub gradient: DVec3,
}

/// The pairs of all total bodies, whose particles have consecutive ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Total {
    /// Id of the first particle of a total body.
    pub first_particle: u32,
    /// First pair of each particle and the end of the last, shape [total_count + 1].
    pub start: Vec<u32>,
    /// End of the pairs that have not broken, shape [total_count].
    pub end: Vec<u32>,
    /// Pairs, particle by particle; of a particle, ids ascend.
    pub pairs: Vec<TotalPair>,
    /// Where the particles started [m], shape [total_count].
    pub origin: Vec<DVec3>,
    /// Their rest volumes [m^3], shape [total_count].
    pub volume: Vec<f64>,
    /// Strain at which their pairs break [dimensionless], shape [total_count]; infinite if they do not.
    pub fracture_strain: Vec<f64>,
    /// Kernel radius r [m].
    pub radius: f64,
    /// q0 of the memory weights `w' = w^ (1 - g0 . q0) / sum w^` of each particle [m], shape [total_count].
    pub direction: Vec<DVec3>,
    /// `sum w^` of each particle [dimensionless], shape [total_count]; 0 if its neighbors determine no gradient.
    pub raw_weight: Vec<f64>,
    /// First cell of each color and the end of the last, shape [27 + 1].
    pub color_start: Vec<u32>,
    /// First member of each cell and the end of the last, shape [cell_count + 1]. Cells as wide as the support hold the particles where
    /// they started; pairs of particles from two cells of a color have no particle in common.
    pub cell_start: Vec<u32>,
    /// Ids of the particles, cell by cell; of a cell, ids ascend.
    pub member: Vec<u32>,
}

/// Share of the mean square of quadratics by which a fit of the gradient resists curvature: what neighbors cannot tell from a slope counts
/// as slope.
const CURVATURE_RIDGE: f64 = 0.02;

/// Determinant of the moment of a neighborhood, relative to that of a round one of the same trace, below which it determines no gradient.
/// One layer of particles that scatter by a twentieth of their distance has 0.01, two layers have 0.9.
const FLAT: f64 = 0.03;

/// A cell of a body.
type Cell = (u32, [i64; 3]);

impl Total {
    /// Collects the pairs of a scene's total bodies.
    pub(crate) fn of_scene(scene: &Scene, classes: &Classes, particles: &Particles) -> Self {
        let fracture_strain = |body: u32| match scene.bodies[body as usize].kind {
            BodyKind::Total { fracture_strain } => fracture_strain,
            _ => f64::INFINITY,
        };
        Self::of(classes, particles, scene.solver.kernel_radius, fracture_strain)
    }

    /// Collects the pairs nearer than 2 r within each total body, `radius` = r [m]. `fracture_strain`: that at which pairs of a body break.
    pub fn of(
        classes: &Classes,
        particles: &Particles,
        radius: f64,
        fracture_strain: impl Fn(u32) -> f64,
    ) -> Self {
        let is_total = |body: &u32| classes.class(*body) == Class::Total;
        let first = particles.body.iter().position(is_total).unwrap_or(particles.len());
        let count = particles.body[first..].iter().take_while(|body| is_total(body)).count();
        let support = 2.0 * radius;
        let cell = |p: usize| -> Cell {
            let at = (particles.position[p] / (support * (1.0 + 1e-9))).floor();
            (particles.body[p], at.to_array().map(|c| c as i64))
        };
        let mut cells: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
        for p in first..first + count {
            cells.entry(cell(p)).or_default().push(p);
        }
        let all = first..first + count;
        let mut total = Self {
            first_particle: first as u32,
            start: vec![0],
            origin: particles.position[all.clone()].to_vec(),
            volume: particles.rest_volume[all.clone()].to_vec(),
            fracture_strain: particles.body[all].iter().map(|&body| fracture_strain(body)).collect(),
            radius,
            ..Self::default()
        };
        for p in first..first + count {
            let (body, at) = cell(p);
            let around = (0..27).filter_map(|i| {
                cells.get(&(body, [at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] + i / 9 - 1]))
            });
            let near = |b: &usize| {
                *b != p && particles.position[*b].distance_squared(particles.position[p]) < support * support
            };
            let mut neighbors: Vec<usize> = around.flatten().copied().filter(near).collect();
            neighbors.sort_unstable();
            total.add(particles, p, &neighbors);
        }
        total.color(&cells);
        total
    }

    /// Appends a particle with its neighbors.
    fn add(&mut self, particles: &Particles, p: usize, neighbors: &[usize]) {
        let around = neighbors.iter().map(|&b| (b as u32, particles.position[b], particles.rest_volume[b]));
        let fit = Fit::of(particles.position[p], &around.collect::<Vec<_>>(), self.radius);
        self.pairs.extend(fit.pairs);
        self.start.push(self.pairs.len() as u32);
        self.end.push(self.pairs.len() as u32);
        self.direction.push(fit.direction);
        self.raw_weight.push(fit.raw_weight);
    }

    /// Orders the cells by color.
    fn color(&mut self, cells: &BTreeMap<Cell, Vec<usize>>) {
        let mut colors = vec![Vec::new(); COLOR_COUNT as usize];
        for ((_, at), members) in cells {
            let [x, y, z] = at.map(|c| c.rem_euclid(3) as usize);
            colors[x + 3 * y + 9 * z].push(members);
        }
        self.color_start.push(0);
        self.cell_start.push(0);
        for color in colors {
            for members in color {
                self.member.extend(members.iter().map(|&p| p as u32));
                self.cell_start.push(self.member.len() as u32);
            }
            self.color_start.push(self.cell_start.len() as u32 - 1);
        }
    }

    /// Rejects bodies with particles whose neighbors determine no gradient.
    pub(crate) fn check(&self, scene: &Scene, particles: &Particles) -> Result<(), SceneError> {
        let first = self.first_particle as usize;
        let mut faults: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (row, _) in self.raw_weight.iter().enumerate().filter(|(_, weight)| **weight == 0.0) {
            faults.entry(particles.body[first + row] as usize).or_default().push(row);
        }
        let Some((&body, rows)) = faults.first_key_value() else { return Ok(()) };
        let row = rows[0];
        let [x, y, z] = particles.position[first + row].to_array();
        let name = &scene.bodies[body].name;
        let r = scene.solver.kernel_radius;
        let message = format!(
            "body `{name}`: {} of its particles have too few neighbors for `kinematics` = \"total\"; the first, at ({x:.4}, {y:.4}, {z:.4}) \
             m, has {} within 2 r = {:e} m",
            rows.len(),
            self.neighbors(row).len(),
            2.0 * r
        );
        let help = format!(
            "every particle needs neighbors on all sides of it or on one side of each plane through it: make the body at least two \
             particles thick everywhere, with a `spacing` of about `solver.kernel_radius` = {r:e} m"
        );
        Err(scene.refuse(Diagnosed::Body(body), message, "this body", Some(help)))
    }

    /// Returns the number of particles.
    pub fn count(&self) -> usize {
        self.direction.len()
    }

    /// Returns the place of a particle among those of total bodies, if it is one.
    pub fn row(&self, id: u32) -> Option<usize> {
        let row = id.checked_sub(self.first_particle)? as usize;
        (row < self.count()).then_some(row)
    }

    /// Returns the pairs of a particle that have not broken.
    pub fn neighbors(&self, row: usize) -> &[TotalPair] {
        &self.pairs[self.start[row] as usize..self.end[row] as usize]
    }
}

/// What a particle needs to know of its neighbors at the start.
pub(crate) struct Fit {
    pub pairs: Vec<TotalPair>,
    pub direction: DVec3,
    pub raw_weight: f64,
}

impl Fit {
    /// Fits gradients and memory weights of a particle at `center`. `around`: ids, positions [m] and rest volumes [m^3] of its neighbors,
    /// ids ascending.
    pub fn of(center: DVec3, around: &[(u32, DVec3, f64)], radius: f64) -> Self {
        let offset: Vec<DVec3> = around.iter().map(|(_, at, _)| (*at - center) / radius).collect();
        let root = |i: usize| (kernel(offset[i].length(), 1.0) / kernel(0.0, 1.0)).max(0.0).sqrt();
        let codes: Vec<u8> = (0..offset.len()).map(|i| (255.0 * root(i) + 0.5) as u8).collect();
        let weight = |i: usize| (f64::from(codes[i]) / 255.0).powi(2);
        let slope = |i: usize| around[i].2 * (1.0 - 0.5 * offset[i].length()).max(0.0).powi(3);
        let fitted = gradients(&offset, &(0..offset.len()).map(slope).collect::<Vec<_>>());
        let mut spans = DMat3::ZERO;
        let mut mean = DVec3::ZERO;
        let mut sum = 0.0;
        for (i, &gradient) in fitted.iter().flatten().enumerate() {
            spans += weight(i) * outer(offset[i], gradient);
            mean += weight(i) * offset[i];
            sum += weight(i);
        }
        let direction = spans.inverse() * mean;
        let whole = fitted.is_some() && sum > 0.0 && direction.is_finite();
        let gradient = |i: usize| match &fitted {
            Some(fitted) if whole => fitted[i] / radius,
            _ => DVec3::ZERO,
        };
        let pair = |i: usize| TotalPair { id: around[i].0, weight: codes[i], gradient: gradient(i) };
        Self {
            pairs: (0..offset.len()).map(pair).collect(),
            direction: if whole { radius * direction } else { DVec3::ZERO },
            raw_weight: if whole { sum } else { 0.0 },
        }
    }
}

/// Returns gradients g of neighbors at offsets x [r] with the given weights, in 1/r: `sum u g` is the slope of the field that fits the
/// values u best, a slope and a curvature being fitted together. `None` if the neighbors determine no slope.
fn gradients(offset: &[DVec3], weight: &[f64]) -> Option<Vec<DVec3>> {
    let mut moment = DMat3::ZERO;
    let mut third = [DVec3::ZERO; 6];
    let mut fourth = [[0.0; 6]; 6];
    for (&x, &w) in std::iter::zip(offset, weight) {
        let q = quadratics(x);
        moment += w * outer(x, x);
        for i in 0..6 {
            third[i] += w * q[i] * x;
            for j in 0..6 {
                fourth[i][j] += w * q[i] * q[j];
            }
        }
    }
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    if moment.determinant().partial_cmp(&(FLAT * (trace / 3.0).powi(3))) != Some(std::cmp::Ordering::Greater)
    {
        return None;
    }
    let linear = moment.inverse();
    let ridge = CURVATURE_RIDGE / 6.0 * (0..6).map(|i| fourth[i][i]).sum::<f64>();
    (0..6).for_each(|i| fourth[i][i] += ridge);
    // Slopes of the quadratics, and the moment of offsets without what quadratics explain.
    let share = solve(fourth, third);
    let mut rest = moment;
    for i in 0..6 {
        rest -= outer(third[i], share[i]);
    }
    let full = rest.inverse();
    let pairs = || std::iter::zip(offset, weight);
    let fit = |x: DVec3, w: f64| {
        let q = quadratics(x);
        let explained: DVec3 = (0..6).map(|i| q[i] * share[i]).sum();
        w * (full * (x - explained))
    };
    let steepening: f64 = pairs().map(|(&x, &w)| (fit(x, w) - w * (linear * x)).length_squared()).sum();
    let part = (CURVATURE_STEEPEST / steepening.max(CURVATURE_STEEPEST)).sqrt();
    Some(pairs().map(|(&x, &w)| (w * (linear * x)).lerp(fit(x, w), part)).collect())
}

fn quadratics(x: DVec3) -> [f64; 6] {
    let root = std::f64::consts::SQRT_2;
    [x.x * x.x, x.y * x.y, x.z * x.z, root * x.y * x.z, root * x.x * x.z, root * x.x * x.y]
}

/// Solves `A X = B` by Cholesky's method, A being positive definite.
fn solve(mut a: [[f64; 6]; 6], mut b: [DVec3; 6]) -> [DVec3; 6] {
    for i in 0..6 {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            a[i][j] = if i == j { (a[i][i] - sum).sqrt() } else { (a[i][j] - sum) / a[j][j] };
        }
        let sum: DVec3 = (0..i).map(|k| a[i][k] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    for i in (0..6).rev() {
        let sum: DVec3 = (i + 1..6).map(|k| a[k][i] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    b
}

/// Returns `a b^T`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of 6 x 6 x `layers` points, scattered by `jitter` spacings of 1 m.
    fn block(layers: u32, jitter: f64) -> Particles {
        let mut particles = Particles::default();
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
        };
        for i in 0..36 * layers {
            let at = DVec3::new(f64::from(i % 6), f64::from(i / 6 % 6), f64::from(i / 36));
            particles.position.push(at + 2.0 * jitter * DVec3::new(random(), random(), random()));
            particles.rest_volume.push(1.0);
            particles.body.push(0);
            particles.id.push(i);
        }
        particles
    }

    fn total(particles: &Particles) -> Total {
        Total::of(&Classes::all(Class::Total), particles, 1.1, |_| f64::INFINITY)
    }

    #[test]
    fn affine_fields_are_exact_at_every_particle() {
        let particles = block(3, 0.2);
        let total = total(&particles);
        let f = DMat3::from_cols_array(&[1.2, -0.3, 0.1, 0.4, 0.8, 0.2, 0.0, 0.5, 1.1]);
        for row in 0..total.count() {
            let (mut gradient, mut memory) = (DMat3::ZERO, DVec3::ZERO);
            for pair in total.neighbors(row) {
                let d = particles.position[pair.id as usize] - particles.position[row];
                gradient += outer(f * d, pair.gradient);
                let raw = (f64::from(pair.weight) / 255.0).powi(2);
                memory +=
                    raw / total.raw_weight[row] * (1.0 - pair.gradient.dot(total.direction[row])) * (f * d);
            }
            let off = (gradient - f).to_cols_array().iter().map(|x| x.abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "particle {row}: F is off by {off:e}");
            assert!(memory.length() < 1e-12, "particle {row}: h = {memory}");
        }
    }

    #[test]
    fn a_bent_beam_has_its_slopes_at_the_surface() {
        // u_y = x^2 / 2, u_x = -x y: at every particle d u_x / d x = -y, and the other normal strains are 0.
        let particles = block(4, 0.0);
        let total = total(&particles);
        let field = |x: DVec3| DVec3::new(-x.x * x.z, 0.0, 0.5 * x.x * x.x);
        let inner = |p: &usize| (1..5).contains(&(p % 6)) && (1..5).contains(&(p / 6 % 6));
        for row in (0..total.count()).filter(inner) {
            let x = particles.position[row];
            let mut gradient = DMat3::ZERO;
            for pair in total.neighbors(row) {
                gradient += outer(field(particles.position[pair.id as usize]) - field(x), pair.gradient);
            }
            // The fit resists curvature by 2 %.
            assert!((gradient.x_axis.x + x.z).abs() < 0.02, "particle {row}: {}", gradient.x_axis.x);
            assert!(gradient.z_axis.z.abs() < 0.1, "particle {row}: {}", gradient.z_axis.z);
        }
    }

    #[test]
    fn pairs_are_symmetric_and_ascend() {
        let total = total(&block(3, 0.3));
        for row in 0..total.count() {
            let pairs = total.neighbors(row);
            assert!(pairs.windows(2).all(|two| two[0].id < two[1].id));
            for pair in pairs {
                assert!(total.neighbors(pair.id as usize).iter().any(|back| back.id as usize == row));
            }
        }
    }

    #[test]
    fn cells_of_a_color_share_no_particle() {
        let total = total(&block(6, 0.3));
        assert_eq!(total.member.len(), total.count());
        for color in total.color_start.windows(2) {
            let mut seen = vec![None; total.count()];
            for cell in color[0]..color[1] {
                let members =
                    total.cell_start[cell as usize] as usize..total.cell_start[cell as usize + 1] as usize;
                for &id in &total.member[members] {
                    let around = total.neighbors(id as usize).iter().map(|pair| pair.id);
                    for other in around.chain([id]) {
                        let owner = seen[other as usize].get_or_insert(cell);
                        assert_eq!(*owner, cell, "particle {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_single_layer_determines_no_gradient() {
        assert!(total(&block(1, 0.04)).raw_weight.iter().all(|&weight| weight == 0.0));
        assert!(total(&block(2, 0.0)).raw_weight.iter().all(|&weight| weight > 0.0));
    }
}
