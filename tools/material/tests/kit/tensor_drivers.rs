//! Element tests of the tensor variant against closed forms, in f64.

use std::f64::consts::{PI, TAU};

use tuff_material::tensor_drivers::{Along, Sample, Specimen, axial, frame, shear};
use tuff_plugin::Model;
use tuff_tests::libraries::model;

use crate::drivers::{close, constants, ramp};

/// Young's moduli of solid and branch [Pa], and the relaxation time [s], of [`foam`].
const FOAM: (f64, f64, f64) = (6e3, 9e3, 0.4);

/// One Poisson ratio and one relaxation time for everything: in tension, solid and branch then stay equal across, and the specimen is a
/// standard linear solid in log strain and Kirchhoff stress.
fn foam() -> (&'static Model, Vec<f64>) {
    let (solid, branch, time) = FOAM;
    let (foam, nu) = (model("viscoelastic"), 0.3);
    let named = [
        ("E", solid),
        ("nu", nu),
        ("branch_shear_modulus", branch / (2.0 * (1.0 + nu))),
        ("branch_bulk_modulus", branch / (3.0 * (1.0 - 2.0 * nu))),
        ("shear_relaxation_time", time),
        ("bulk_relaxation_time", time),
    ];
    (foam, constants(foam, &named))
}

fn wood(more: &[(&str, f64)]) -> (&'static Model, Vec<f64>) {
    let wood = model("orthotropic");
    (wood, constants(wood, &[&[("E", 1e4), ("fiber_stiffness_1", 4e4)], more].concat()))
}

fn pulled(model: &Model, constants: &[f64], axis: usize, path: &[f64]) -> Vec<Sample> {
    let path: Vec<_> = path.iter().map(|&strain| (Along::Strain(strain), 1e-3)).collect();
    let samples = axial(&Specimen::new(model, constants), frame(axis), &path);
    assert_eq!(samples.len(), path.len());
    samples
}

/// A sudden stretch that is held: tau = eps (E + E_N / (1 + dt / T)^n) after n steps, which is E + E_N e^(-t / T) except for an error t
/// dt / (2 T^2) of the branch's part; the sides keep eps_t = -nu eps, and nothing acts on them.
#[test]
fn a_held_stretch_relaxes() {
    let ((foam, constants), (solid, branch, time)) = (foam(), FOAM);
    for strain in [0.3, -0.3] {
        let (dt, steps) = (2e-3, 1000);
        let mut path: Vec<_> = ramp(strain, 10).into_iter().map(|eps| (Along::Strain(eps), 0.0)).collect();
        path.extend(vec![(Along::Strain(strain), dt); steps]);
        let samples = axial(&Specimen::new(foam, &constants), frame(1), &path);
        close(samples[9].kirchhoff.x_axis.x, strain * (solid + branch), 1e-9);
        for (n, sample) in samples[10..].iter().enumerate() {
            let n = n as f64 + 1.0;
            let modulus = sample.kirchhoff.x_axis.x / strain;
            close(modulus, solid + branch * (1.0 + dt / time).powf(-n), 1e-8);
            let exact = solid + branch * (-n * dt / time).exp();
            assert!((modulus - exact).abs() < 0.55 * branch * dt / time, "{n}: {modulus}, expected {exact}");
            close(sample.deformation.y_axis.y.ln(), -0.3 * strain, 1e-8);
            close(sample.time, n * dt, 1e-9);
            let across = sample.kirchhoff.y_axis.y.abs().max(sample.kirchhoff.z_axis.z.abs());
            assert!(across < 1e-6 * solid, "{across} Pa on the sides");
        }
    }
}

/// A small load that is held: eps = load / E (1 - E_N / (E + E_N) e^(-t / T_c)) with T_c = T (E + E_N) / E.
#[test]
fn a_held_load_creeps() {
    let ((foam, constants), (solid, branch, time)) = (foam(), FOAM);
    let (load, dt) = (1e-4 * solid, 1e-3);
    let mut path = vec![(Along::Load(load), 0.0)];
    path.extend(vec![(Along::Load(load), dt); 3000]);
    let late = time * (solid + branch) / solid;
    for sample in axial(&Specimen::new(foam, &constants), frame(0), &path) {
        let exact = load / solid * (1.0 - branch / (solid + branch) * (-sample.time / late).exp());
        close(sample.strain(), exact, 1e-3);
        close(sample.nominal(), load, 1e-6);
    }
}

/// Small cycles dissipate pi eps0^2 E_N w T / (1 + w^2 T^2) each, most at w T = 1.
#[test]
fn a_loop_is_as_wide_as_its_branch_makes_it() {
    let ((foam, constants), (_, branch, time)) = (foam(), FOAM);
    let (most, steps) = (1e-4, 4000);
    for speed in [0.2, 1.0, 5.0] {
        let (w, cycles) = (speed / time, 8);
        let dt = TAU / w / f64::from(steps);
        let wave = |step: i32| most * (TAU * f64::from(step) / f64::from(steps)).sin();
        let path: Vec<_> = (1..=steps * cycles).map(|step| (Along::Strain(wave(step)), dt)).collect();
        let samples = axial(&Specimen::new(foam, &constants), frame(2), &path);
        let last = &samples[samples.len() - steps as usize - 1..];
        let work = last.windows(2).map(|pair| {
            let stress = 0.5 * (pair[0].kirchhoff.x_axis.x + pair[1].kirchhoff.x_axis.x);
            stress * (pair[1].strain() - pair[0].strain())
        });
        close(work.sum(), PI * most * most * branch * speed / (1.0 + speed * speed), 1e-2);
    }
}

/// Without nu the sides stay in place: tau = E eps + beta (x^2 - 1) along the fibers, E eps across them, however the fibers are rotated.
/// With nu the sides still bear nothing, and across the fibers they differ.
#[test]
fn fibers_stiffen_their_direction() {
    let turns = [("fiber_rotate_x", 0.0, 0), ("fiber_rotate_z", 90.0, 1), ("fiber_rotate_y", -90.0, 2)];
    for (turn, degrees, stiff) in turns {
        let (wood, straight) = wood(&[("nu", 0.0), (turn, degrees)]);
        let (_, bulging) = self::wood(&[("nu", 0.3), (turn, degrees)]);
        for (axis, most) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, 0.3), (axis, -0.3)]) {
            for sample in pulled(wood, &straight, axis, &ramp(most, 20)) {
                let eps = sample.strain();
                let fibers = if axis == stiff { 4e4 * (2.0 * eps).exp_m1() } else { 0.0 };
                close(sample.kirchhoff.x_axis.x, 1e4 * eps + fibers, 1e-8);
                close(sample.deformation.determinant(), eps.exp(), 1e-9);
            }
            let sample = pulled(wood, &bulging, axis, &ramp(most, 20))[19];
            let [a, b] = [sample.deformation.y_axis.y, sample.deformation.z_axis.z].map(f64::ln);
            let ratio = if axis == stiff { 1.0 } else { (a / b).max(b / a) };
            assert!(if axis == stiff { (a - b).abs() < 1e-9 } else { ratio > 1.5 }, "{axis}: {a} {b}");
            let sides =
                sample.kirchhoff - glam::DMat3::from_diagonal(glam::DVec3::X * sample.kirchhoff.x_axis.x);
            assert!(sides.to_cols_array().iter().all(|x| x.abs() < 1e-4), "{sides}");
        }
    }
}

/// Fibers oblique to the axis: for small strains the modulus along n is the reciprocal of n n : C^-1 : n n. With nu = 0 and one family at
/// the angle a, 1 / E(a) = 1/E - c^4 / (E^2 / (2 beta) + E) with c = cos a, by Sherman and Morrison.
#[test]
fn fibers_askew_give_the_modulus_of_their_angle() {
    for degrees in [0.0, 20.0, 45.0, 70.0, 90.0_f64] {
        let (wood, constants) = wood(&[("nu", 0.0), ("fiber_rotate_z", degrees)]);
        let (young, fibers) = (1e4, 8e4);
        let c4 = degrees.to_radians().cos().powi(4);
        let exact = 1.0 / (1.0 / young - c4 / (young * young / fibers + young));
        let sample = pulled(wood, &constants, 0, &[1e-6])[0];
        close(sample.cauchy() / 1e-6, exact, 1e-4);
        // Large strains: nothing acts on the sides, although they are oblique.
        let sample = pulled(wood, &constants, 0, &ramp(0.3, 30))[29];
        let sides = sample.kirchhoff - glam::DMat3::from_diagonal(glam::DVec3::X * sample.kirchhoff.x_axis.x);
        assert!(sides.to_cols_array().iter().all(|x| x.abs() < 1e-4), "{sides}");
    }
}

/// Fibers along y shear with the matter: v = (gamma, 1, 0), tau_xy = beta (1 - 1 / |v|^2) gamma in addition to the matrix's 2 mu
/// asinh(gamma / 2) / sqrt(1 + gamma^2 / 4). Fibers along x are unaffected.
#[test]
fn sheared_fibers_pull_where_they_lean() {
    for (degrees, leaning) in [(90.0, 1.0), (0.0, 0.0)] {
        let (wood, constants) = wood(&[("nu", 0.3), ("fiber_rotate_z", degrees)]);
        for [gamma, stress] in shear(&Specimen::new(wood, &constants), frame(0), 1.0, 2.0, 50) {
            let matrix = 2.0 * 1e4 / 2.6 * (0.5 * gamma).asinh() / (1.0 + 0.25 * gamma * gamma).sqrt();
            let fibers = leaning * 4e4 * gamma.powi(3) / (1.0 + gamma * gamma);
            assert!(
                (stress - matrix - fibers).abs() < 1e-5,
                "{gamma}: {stress}, expected {}",
                matrix + fibers
            );
        }
    }
}

/// Matter under a growing load fails at the maximum of the load: Hencky elasticity with nu = 0 bears E / e, at the strain 1.
#[test]
fn a_load_beyond_what_is_borne_ends_the_test() {
    let (wood, constants) = wood(&[("nu", 0.0), ("fiber_stiffness_1", 0.0)]);
    let path: Vec<_> = ramp(5e3, 500).into_iter().map(|load| (Along::Load(load), 0.0)).collect();
    let samples = axial(&Specimen::new(wood, &constants), frame(0), &path);
    close(samples.last().unwrap().nominal(), 1e4 / 1f64.exp(), 3e-3);
    assert!(samples.last().unwrap().strain() < 1.0);
}

/// Stiff fibers across the axis keep one side from narrowing and are compressed by it. They tilt where the matrix's stiffness against
/// tilting, (tau_a - tau_b) / (x_a^2 - x_b^2), is used up by their pressure tau_b = 2 mu nu / (1 - nu) ln x_a: at x_a^2 = 1 / nu. Beyond
/// this, upright fibers still balance the sides but are not stable.
#[test]
fn a_test_ends_where_fibers_lean_over() {
    for nu in [0.3, 0.4] {
        let (wood, constants) = wood(&[("nu", nu), ("fiber_stiffness_1", 1e7)]);
        let path: Vec<_> = ramp(0.8, 800).into_iter().map(|eps| (Along::Strain(eps), 0.0)).collect();
        let samples = axial(&Specimen::new(wood, &constants), frame(1), &path);
        close(samples.last().unwrap().strain(), -0.5 * f64::ln(nu), 5e-3);
    }
}
