//! Card B11: von Mises plasticity under uniaxial stress.
//!
//! Closed form (Hencky strain, linear hardening H in uniaxial terms): tau = sY + Et (ln l - sY / E) with
//! Et = E H / (E + H), nominal stress P = tau / l, lateral stretch exp(-nu tau / E - (ln l - tau / E) / 2).
//! With E = 1e5, nu = 0.3, sY = 1e3, H = 1e3: P(1.01, 1.05, 1.1, 1.2, 1.5, 2) = 985.2, 989.0, 985.9, 975.5,
//! 927.7, 838.2 Pa. The model's dimensionless hardening is xi = HF / (2 mu + HF), HF = 2 H / 3. Simple shear
//! flows at sY / sqrt 3, plane strain at 2 sY / sqrt 3. Tolerances: driven cube 0.5 %, bar 3 %
//! (0.5 % where forces balance).

use std::sync::atomic::AtomicBool;

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use tuff_problem::{Problem, Simulation};
use tuff_tests::{gpu, problem};

use crate::support::{
    PLAIN, drive, frames_of, kirchhoff, lattice_box, material, mean_kirchhoff, now, positions, scene,
};

const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
const YIELD: f64 = 1e3;

/// Stretches and nominal stresses of the card.
const CURVE: [(f64, f64); 6] =
    [(1.01, 985.2), (1.05, 989.0), (1.1, 985.9), (1.2, 975.5), (1.5, 927.7), (2.0, 838.2)];

/// The model's parameters for the uniaxial hardening modulus `hardening` [Pa].
fn matter(hardening: f64) -> String {
    let (mu, frobenius) = (YOUNG / (2.0 * (1.0 + POISSON)), 2.0 / 3.0 * hardening);
    let xi = frobenius / (2.0 * mu + frobenius);
    material("von_mises", 100.0, YOUNG, POISSON, &format!("yield_stress = {YIELD:?}\nhardening = {xi:?}"))
}

/// Axial Kirchhoff stress [Pa] at a stretch beyond yield.
fn axial(l: f64) -> f64 {
    let (hardening, strain) = (1e3, l.ln());
    let tangent = YOUNG * hardening / (YOUNG + hardening);
    (YOUNG * strain).min(YIELD + tangent * (strain - YIELD / YOUNG))
}

fn lateral(l: f64) -> f64 {
    let elastic = axial(l) / YOUNG;
    (-POISSON * elastic - 0.5 * (l.ln() - elastic)).exp()
}

fn cube(hardening: f64) -> Problem {
    let rest = matter(hardening) + &lattice_box("cube", [0.0; 3], [0.04; 3], 0.01, "");
    // Neighbors must not be lost when their distance doubles.
    let mut problem = problem(&scene(1e-3, [0.0; 3], 0.015, PLAIN, &rest));
    problem.scene.solver.iterations = 0;
    problem
}

/// The cube is stretched with the lateral contraction of uniaxial stress: P must come out, and no lateral stress.
pub fn driven_cube() {
    let problem = cube(1e3);
    let mut device = gpu(&problem);
    let map = |l: f64| DMat3::from_diagonal(DVec3::new(l, lateral(l), lateral(l)));
    // The elastic limit is met exactly, so that no step straddles the kink.
    let limit = (YIELD / YOUNG).exp();
    let mut curve = CURVE.to_vec();
    curve.insert(1, (limit, YIELD / limit));
    let mut l = 1.0_f64;
    for (target, expected) in curve {
        let steps = ((target / l).ln() / 4e-3).ceil();
        for i in 0..steps as u32 {
            let at = |k: u32| l + (target - l) * f64::from(k) / steps;
            drive(&problem, &mut device, map(at(i)), map(at(i + 1)));
        }
        l = target;
        let tau = mean_kirchhoff(&problem, &now(&mut device));
        let nominal = tau[(0, 0)] / l;
        println!("l {l:.3}: P {nominal:.1} Pa, expected {expected:.1}; lateral {:.2} Pa", tau[(1, 1)]);
        assert!((nominal / expected - 1.0).abs() < 5e-3, "P({l}) = {nominal} instead of {expected} Pa");
        assert!(tau[(1, 1)].abs() < 5e-3 * YIELD, "lateral stress {} Pa", tau[(1, 1)]);
    }
    // Plastic flow keeps the volume: J is that of the elastic strain.
    let frame = now(&mut device);
    for p in 0..frame.position.len() {
        let elastic = (kirchhoff(&problem, &frame, p).trace() * (1.0 - 2.0 * POISSON) / YOUNG).exp();
        let plastic = f64::from(frame.volume_ratio[p]) / elastic;
        assert!((plastic - 1.0).abs() < 1e-4, "det F_p = {plastic}");
    }
}

/// Without hardening: the plateaus of simple shear and of plane strain tell the two conventions of the yield
/// stress apart (22 %).
pub fn plateaus() {
    let problem = cube(0.0);
    let mut device = gpu(&problem);
    let shear = |gamma: f64| DMat3::from_cols(DVec3::X, DVec3::new(gamma, 1.0, 0.0), DVec3::Z);
    for i in 0..100_u32 {
        drive(&problem, &mut device, shear(f64::from(i) * 1e-3), shear(f64::from(i + 1) * 1e-3));
    }
    let tau = mean_kirchhoff(&problem, &now(&mut device));
    let expected = YIELD / 3.0_f64.sqrt();
    println!("simple shear: {:.2} Pa, expected {expected:.2}", tau[(0, 1)]);
    assert!((tau[(0, 1)] / expected - 1.0).abs() < 5e-3, "{tau}");

    let mut device = gpu(&problem);
    let plane = |e: f64| DMat3::from_diagonal(DVec3::new(e.exp(), (-e).exp(), 1.0));
    for i in 0..100_u32 {
        drive(&problem, &mut device, plane(f64::from(i) * 1e-3), plane(f64::from(i + 1) * 1e-3));
    }
    let tau = mean_kirchhoff(&problem, &now(&mut device));
    let (found, expected) = (tau[(0, 0)] - tau[(1, 1)], 2.0 * YIELD / 3.0_f64.sqrt());
    println!("plane strain: {found:.2} Pa, expected {expected:.2}");
    assert!((found / expected - 1.0).abs() < 5e-3, "{tau}");
}

/// A bar of 5,120 particles pulled at both ends, which starts with the velocities of uniform stretching so
/// that no waves run: mean P and stretch of the third in the middle, three widths from the held ends. The
/// stress sits on the yield surface, so what can be wrong is the lateral stress, which has to vanish.
///
/// The tensor multiplier has to balance forces; impulses of the scalar one keep directions of earlier
/// iterations, which leaves lateral pressure and lowers P by some 2.5 % at this step.
pub fn pulled_bar() {
    for (multiplier, tolerance) in [("tensor", 0.005), ("scalar", 0.03)] {
        pulls(multiplier, tolerance);
    }
}

fn pulls(multiplier: &str, tolerance: f64) {
    const RATE: f64 = 0.2;
    let (spacing, half, dt) = (0.0125, 0.5, 2.5e-4);
    let held = |x: [f64; 2], speed: f64| {
        format!(
            "[[pin]]\nbody = \"bar\"\nmotion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = 1.0, translate = [{speed:?}, 0.0, 0.0] }} ] }}\n\
             region = {{ box = {{ min = [{:?}, -1.0, -1.0], max = [{:?}, 1.0, 1.0] }} }}\n",
            x[0], x[1]
        )
    };
    let body = lattice_box("bar", [-half, 0.0, 0.0], [half, 0.1, 0.1], spacing, "");
    let hold = half - 2.0 * spacing;
    let ends = held([-1.0, -hold], -RATE * half) + &held([hold, 1.0], RATE * half);
    let solver = format!("iterations = 20\nmultiplier = \"{multiplier}\"\n{PLAIN}");
    let mut problem =
        problem(&frames_of(100, dt, [0.0; 3], spacing, &solver, &(matter(1e3) + &body + &ends)));
    for (v, x) in problem.particles.velocity.iter_mut().zip(&problem.particles.position) {
        *v = DVec3::new(RATE * x.x, 0.0, 0.0);
    }
    let mut device = gpu(&problem);
    let start = &problem.particles.position;
    let middle: Vec<usize> = (0..start.len()).filter(|&p| start[p].x.abs() < half / 3.0).collect();
    let mut checked = 0;
    for _ in 0..6 {
        device.advance(&AtomicBool::new(false)).unwrap();
        let frame = now(&mut device);
        let x = positions(&frame);
        // Stretch by least squares of x over the initial x.
        let (mut top, mut bottom) = (0.0, 0.0);
        for &p in &middle {
            top += x[p].x * start[p].x;
            bottom += start[p].x * start[p].x;
        }
        let l = top / bottom;
        let tau = middle.iter().map(|&p| kirchhoff(&problem, &frame, p)).sum::<Matrix3<f64>>()
            / middle.len() as f64;
        let (found, side) = (tau[(0, 0)], tau[(1, 1)]);
        println!(
            "{multiplier}, l {l:.4}: P {:.1} Pa, expected {:.1}; lateral {side:.1} Pa",
            found / l,
            axial(l) / l
        );
        if l > 1.012 {
            checked += 1;
            let off = found / axial(l) - 1.0;
            assert!(
                off.abs() < tolerance,
                "{multiplier}: P({l}) = {} instead of {} Pa",
                found / l,
                axial(l) / l
            );
            assert!(side.abs() < tolerance * YIELD, "{multiplier}: lateral stress {side} Pa");
        }
    }
    assert!(checked >= 3, "only {checked} stretches beyond yield");
}
