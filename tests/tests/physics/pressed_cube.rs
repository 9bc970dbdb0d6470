//! Models of whole tensors in a boundary-value problem: a cube between two plates without friction, the sides free.
//!
//! The force on a plate is compared with that of a Hencky elastic cube pressed in the same way, so that what the
//! particles at the plates do differently cancels. Closed forms: uniaxial stress in Hencky strains is `E eps` for the
//! solid; a branch of the same Poisson ratio adds `E_N eps_N`, `d eps_N = d eps - eps_N dt / T`; fibers along the load
//! add `beta (x^2 - 1)`; fibers across it hold the side back. Tolerance 2 %.

use std::sync::atomic::AtomicBool;

use tuff_problem::Simulation;
use tuff_tests::{gpu, problem};

use crate::support::{PLAIN, frames_of, lattice_box, material};

const EDGE: f64 = 0.1;
const SPACING: f64 = 0.0125;
const YOUNG: f64 = 2e4;
const POISSON: f64 = 0.25;
/// The plate moves by this depth [m] in this time [s] and then stands still. Beyond a stress of about the shear modulus
/// fibers buckle.
const DEPTH: f64 = 3e-3;
const PRESSING: f64 = 0.1;
const DT: f64 = 1e-3;
/// Substeps of a frame.
const FRAME: u32 = 10;

/// Middle [s] of each of 50 frames and mean force on the lower plate in it [N].
fn forces(matter: &str) -> Vec<(f64, f64)> {
    let plate = |name: &str, y: f64, up: f64, motion: &str| {
        format!(
            "[[collider]]\nname = \"{name}\"\nshape = {{ plane = {{ point = [0.0, {y:?}, 0.0], \
             normal = [0.0, {up:?}, 0.0] }} }}\nfriction = 0.0\n{motion}\n"
        )
    };
    let motion = format!(
        "motion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {PRESSING:?}, translate = [0.0, {:?}, 0.0] }} ] }}",
        -DEPTH
    );
    let rest = matter.to_owned()
        + &lattice_box("cube", [0.0; 3], [EDGE; 3], SPACING, "")
        + &plate("lower", 0.0, 1.0, "")
        + &plate("upper", EDGE, -1.0, &motion);
    let solver = format!("iterations = 20\n{PLAIN}");
    let problem = problem(&frames_of(FRAME, DT, [0.0; 3], SPACING, &solver, &rest));
    let mut device = gpu(&problem);
    let duration = DT * f64::from(FRAME);
    let mut all = Vec::new();
    for frame in 0..50 {
        let report = device.advance(&AtomicBool::new(false)).unwrap();
        let middle = duration * (f64::from(frame) + 0.5);
        all.push((middle, report.collider_impulse[0][1].abs() / duration));
    }
    all
}

/// Hencky strain of the cube at a time: the layers of particles at the plates are half a spacing away from them.
fn strain(time: f64) -> f64 {
    (-DEPTH * (time / PRESSING).min(1.0) / (EDGE - SPACING)).ln_1p()
}

/// Kirchhoff stress of an elastic cube [Pa] without fibers.
fn elastic(time: f64) -> f64 {
    YOUNG * strain(time)
}

/// Nominal stress of the cube for a Kirchhoff stress [Pa].
fn nominal(stress: f64, time: f64) -> f64 {
    stress / strain(time).exp()
}

/// Forces at times, in units of that on the elastic cube at rest, against the closed form.
fn compare(what: &str, found: &[(f64, f64)], control: f64, stress: impl Fn(f64) -> f64) {
    let unit = nominal(elastic(1.0), 1.0);
    let mut worst = 0.0_f64;
    for &(time, force) in found {
        let (ratio, expected) = (force / control, nominal(stress(time), time) / unit);
        println!("{what}, {time:.3} s: {ratio:.4}, expected {expected:.4}");
        worst = worst.max((ratio / expected - 1.0).abs());
    }
    println!("{what}: within {:.2} %", 100.0 * worst);
    assert!(worst < 0.02, "{what}: off by {:.2} %", 100.0 * worst);
}

/// Force when the plate has stood still for a while. Nothing damps the waves: the mean over 0.2 s stands for the force at
/// rest [N].
fn at_rest(matter: &str) -> f64 {
    forces(matter)[30..].iter().map(|(_, force)| force).sum::<f64>() / 20.0
}

/// The elastic cube. With the same strain in all layers, the outer ones coming closer by `DEPTH`, the force would be
/// `V0 d psi / d depth = V0 P / (edge - spacing)`; rest has the least energy, so that bounds it. The layers at the plates
/// are strained less (eight across: 4 % less force), which is why the other cubes are compared with this one.
fn control() -> f64 {
    let found = at_rest(&material("elastic", 1000.0, YOUNG, POISSON, ""));
    let bound = -nominal(elastic(1.0), 1.0) * EDGE.powi(3) / (EDGE - SPACING);
    println!("elastic cube: {found:.3} N, at most {bound:.3} N");
    assert!((0.95..1.0).contains(&(found / bound)), "{found} N for at most {bound} N");
    found
}

/// The branch of three times the solid's stiffness relaxes over 0.15 s, while the plate moves and after.
pub fn foam_relaxes_under_a_plate() {
    const TIME: f64 = 0.15;
    const RATIO: f64 = 3.0;
    let shear = RATIO * YOUNG / (2.0 * (1.0 + POISSON));
    let bulk = RATIO * YOUNG / (3.0 * (1.0 - 2.0 * POISSON));
    let branch = format!(
        "branch_shear_modulus = {shear:?}\nbranch_bulk_modulus = {bulk:?}\n\
         shear_relaxation_time = {TIME:?}\nbulk_relaxation_time = {TIME:?}"
    );
    let found = forces(&material("viscoelastic", 1000.0, YOUNG, POISSON, &branch));
    compare("foam", &found[3..], control(), |time| {
        let (mut carried, mut at) = (0.0, 0.0);
        let fine = 1e-5;
        while at < time {
            carried = (carried + strain(at + fine) - strain(at)) / (1.0 + fine / TIME);
            at += fine;
        }
        elastic(time) + RATIO * YOUNG * carried
    });
}

/// Fibers along the load, and fibers across it.
pub fn fibers_stiffen_their_direction() {
    const FIBERS: f64 = 3e4;
    let wood = |direction: u32| {
        let fibers = format!("fiber_stiffness_{direction} = {FIBERS:?}");
        [(1.0, at_rest(&material("orthotropic", 1000.0, YOUNG, POISSON, &fibers)))]
    };
    let control = control();
    let stretched = |eps: f64| FIBERS * (2.0 * eps).exp_m1();
    compare("fibers along", &wood(2), control, |time| elastic(time) + stretched(strain(time)));
    let (mu, lambda) =
        (YOUNG / (2.0 * (1.0 + POISSON)), YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)));
    compare("fibers across", &wood(1), control, |time| {
        let eps = strain(time);
        // The free sides: x with fibers, z without; Newton for their strains.
        let (mut x, mut z) = (-POISSON * eps, -POISSON * eps);
        for _ in 0..20 {
            let f = lambda * (x + eps + z) + 2.0 * mu * x + stretched(x);
            let g = lambda * (x + eps + z) + 2.0 * mu * z;
            let (a, b) = (lambda + 2.0 * mu + 2.0 * FIBERS * (2.0 * x).exp(), lambda + 2.0 * mu);
            let det = a * b - lambda * lambda;
            x -= (b * f - lambda * g) / det;
            z -= (a * g - lambda * f) / det;
        }
        lambda * (x + eps + z) + 2.0 * mu * eps
    });
}
