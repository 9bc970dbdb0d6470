//! Card B25: paths of non-associated Cam Clay through an affinely driven cube, for the three rows of the XPBI
//! paper's Table 2.
//!
//! p = kappa / 2 (1 - J^2) (Kirchhoff); the surface is (1 + 2 beta) q^2 + M^2 (p + beta p0)(p - p0) = 0.
//! (a) Isotropic compression with hardening: p at J = 0.99, 0.97, 0.95, 0.90. (b) Isochoric shear from p0 / 2 and
//! p0 / 4 with hardening frozen: p stays, and q is that of the surface; the card prints it for p0 / 2. Tolerance 1 %.

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use tuff_problem::Problem;
use tuff_solver::GpuSimulation;
use tuff_tests::{gpu, problem};

use crate::support::{PLAIN, drive, lattice_box, material, mean_kirchhoff, now, scene};

/// A row of Table 2 with the card's numbers.
struct Row {
    name: &'static str,
    young: f64,
    poisson: f64,
    law: &'static str,
    slope: f64,
    beta: f64,
    /// p [Pa] at [`RATIOS`].
    pressures: [f64; 4],
    /// q at first yield from p0 / 2 [Pa].
    yields: f64,
    /// p0 [Pa].
    cap: f64,
}

const RATIOS: [f64; 4] = [0.99, 0.97, 0.95, 0.90];

const ROWS: [Row; 3] = [
    Row {
        name: "Camponotus",
        young: 2e4,
        poisson: 0.35,
        law: "alpha0 = -0.02\nbeta = 0.5\nxi = 1.0\nM = 2.36",
        slope: 2.36,
        beta: 0.5,
        pressures: [221.1, 553.7, 778.1, 1348.8],
        yields: 524.7,
        cap: 444.7,
    },
    Row {
        name: "Hitman",
        young: 2e4,
        poisson: 0.3,
        law: "alpha0 = -0.005\nbeta = 0.05\nxi = 30.0\nM = 1.85",
        slope: 1.85,
        beta: 0.05,
        pressures: [165.8, 492.5, 812.5, 1583.3],
        yields: 2321.0,
        cap: 2509.6,
    },
    Row {
        name: "Snow Dive",
        young: 1e4,
        poisson: 0.3,
        law: "alpha0 = -0.0005\nbeta = 0.05\nxi = 30.0\nM = 1.85",
        slope: 1.85,
        beta: 0.05,
        pressures: [82.9, 242.6, 398.0, 774.1],
        yields: 115.7,
        cap: 125.1,
    },
];

fn cube(row: &Row, hardening: bool) -> Problem {
    let law = format!("{}\nhardening = {hardening}", row.law);
    let rest = material("nacc", 4.0, row.young, row.poisson, &law)
        + &lattice_box("cube", [0.0; 3], [0.04; 3], 0.01, "");
    let mut problem = problem(&scene(1e-4, [0.0; 3], 0.01, PLAIN, &rest));
    problem.scene.solver.iterations = 0;
    problem
}

fn pressure(tau: &Matrix3<f64>) -> f64 {
    -tau.trace() / 3.0
}

/// q = sqrt(3/2) |dev tau| [Pa].
fn deviator(tau: &Matrix3<f64>) -> f64 {
    1.5_f64.sqrt() * (tau - Matrix3::identity() * (tau.trace() / 3.0)).norm()
}

fn compress(problem: &Problem, device: &mut GpuSimulation, from: f64, to: f64) {
    let map = |j: f64| DMat3::from_diagonal(DVec3::splat(j.cbrt()));
    let steps = ((from - to) / 1e-4).ceil().max(1.0);
    for i in 0..steps as u32 {
        let at = |k: u32| from + (to - from) * f64::from(k) / steps;
        drive(problem, device, map(at(i)), map(at(i + 1)));
    }
}

pub fn isotropic_compression() {
    for row in ROWS {
        let problem = cube(&row, true);
        let mut device = gpu(&problem);
        let mut ratio = 1.0;
        for (target, expected) in RATIOS.into_iter().zip(row.pressures) {
            compress(&problem, &mut device, ratio, target);
            ratio = target;
            let found = pressure(&mean_kirchhoff(&problem, &now(&mut device)));
            println!("{}, J {target}: {found:.1} Pa, expected {expected:.1}", row.name);
            assert!((found / expected - 1.0).abs() < 0.01, "{}, J {target}: {found} Pa", row.name);
        }
    }
}

pub fn first_yield_in_shear() {
    for row in ROWS {
        let kappa = row.young / (3.0 * (1.0 - 2.0 * row.poisson));
        for share in [0.5, 0.25] {
            let problem = cube(&row, false);
            let mut device = gpu(&problem);
            let p = share * row.cap;
            let j = (1.0 - 2.0 * p / kappa).sqrt();
            compress(&problem, &mut device, 1.0, j);
            // Isochoric extension at the pressure reached, well beyond yield: q stays on the surface.
            let map = |e: f64| {
                j.cbrt() * DMat3::from_diagonal(DVec3::new(e.exp(), (-0.5 * e).exp(), (-0.5 * e).exp()))
            };
            for i in 0..50_u32 {
                drive(&problem, &mut device, map(f64::from(i) * 8e-3), map(f64::from(i + 1) * 8e-3));
            }
            let tau = mean_kirchhoff(&problem, &now(&mut device));
            let (found, p) = (deviator(&tau), pressure(&tau));
            let surface =
                row.slope * ((p + row.beta * row.cap) * (row.cap - p) / (1.0 + 2.0 * row.beta)).sqrt();
            println!("{} from {share} p0: q {found:.1} Pa at p {p:.1}, surface {surface:.1}", row.name);
            assert!((found / surface - 1.0).abs() < 0.01, "{}: {found} Pa", row.name);
            assert!(share != 0.5 || (found / row.yields - 1.0).abs() < 0.01, "{}: {found} Pa", row.name);
        }
    }
}
