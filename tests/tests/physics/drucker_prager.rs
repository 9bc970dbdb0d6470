//! Card B15: element tests of Drucker-Prager sand; a cloud on the device is driven by homogeneous motions.
//!
//! Closed forms, M = 6 sin(phi) / (3 - sin(phi)), p and q of the Kirchhoff stress: triaxial compression
//! q / p -> M; simple shear at constant volume tau / sigma_n -> M / sqrt 3; isotropic extension ends without
//! stress; recompression meets resistance only where the gained volume is used up; oedometer
//! sigma_h / sigma_v -> max(nu / (1 - nu), (3 - M) / (3 + 2 M)). Tolerance 1 %; flow keeps the volume to 1e-3.

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use tuff_problem::Problem;
use tuff_solver::GpuSimulation;
use tuff_tests::{gpu, problem};

use crate::support::{PLAIN, drive, lattice_box, material, mean_kirchhoff, now, scene};

const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;

/// Matter driven along a path of homogeneous maps of its initial state.
struct Element {
    problem: Problem,
    device: GpuSimulation,
    map: DMat3,
}

impl Element {
    fn new(friction_angle: f64) -> Self {
        let sand = material(
            "drucker_prager",
            1600.0,
            YOUNG,
            POISSON,
            &format!("friction_angle = {friction_angle:?}"),
        );
        let rest = sand + &lattice_box("cube", [0.0; 3], [0.04; 3], 0.01, "");
        let mut problem = problem(&scene(1e-3, [0.0; 3], 0.01, PLAIN, &rest));
        problem.scene.solver.iterations = 0;
        let device = gpu(&problem);
        Self { problem, device, map: DMat3::IDENTITY }
    }

    /// Goes to the map `to` in equal steps.
    fn go(&mut self, to: DMat3, steps: u32) {
        let from = self.map;
        let at = |i: u32| from + (to - from) * (f64::from(i) / f64::from(steps));
        for i in 0..steps {
            drive(&self.problem, &mut self.device, at(i), at(i + 1));
        }
        self.map = to;
    }

    /// Kirchhoff stress [Pa].
    fn stress(&mut self) -> Matrix3<f64> {
        mean_kirchhoff(&self.problem, &now(&mut self.device))
    }

    /// J of the elastic strain over exp(ln J - volume gain), which is 1 when flow keeps the volume.
    fn volume_balance(&mut self) -> f64 {
        let frame = now(&mut self.device);
        let bulk = YOUNG / (3.0 * (1.0 - 2.0 * POISSON));
        let elastic = mean_kirchhoff(&self.problem, &frame).trace() / (3.0 * bulk);
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / frame.position.len() as f64;
        let total = mean(&mut frame.volume_ratio.iter().map(|&j| f64::from(j).ln()));
        let gain = mean(&mut frame.state.iter().map(|words| f64::from(words[0])));
        (elastic - total + gain).exp()
    }
}

fn friction_ratio(angle: f64) -> f64 {
    let sine = angle.to_radians().sin();
    6.0 * sine / (3.0 - sine)
}

fn isotropic(strain: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(strain.exp()))
}

fn near(what: &str, found: f64, expected: f64) {
    println!("{what}: {found:.5}, expected {expected:.5}");
    assert!((found / expected - 1.0).abs() < 0.01, "{what}: {found} instead of {expected}");
}

/// Lateral stress is held by choosing the lateral stretch of each step from the measured stress.
pub fn triaxial_compression() {
    for angle in [20.0, 35.0] {
        let mut element = Element::new(angle);
        element.go(isotropic(-2e-3), 4);
        let cell = element.stress()[(1, 1)];
        let tangent = YOUNG / (1.0 - POISSON);
        let (mut axial, mut side) = (-2e-3_f64, -2e-3_f64);
        for _ in 0..120 {
            axial -= 2e-4;
            // The side first yields as flow without volume change does, then what stress is missing is made up.
            side += 1e-4;
            let go = |element: &mut Element, side: f64| {
                element.go(DMat3::from_diagonal(DVec3::new(axial.exp(), side.exp(), side.exp())), 1);
            };
            go(&mut element, side);
            for _ in 0..4 {
                side += (cell - element.stress()[(1, 1)]) / tangent * 0.7;
                go(&mut element, side);
            }
        }
        let tau = element.stress();
        near("cell stress", tau[(1, 1)], cell);
        near("q / p", (tau[(1, 1)] - tau[(0, 0)]) / (-tau.trace() / 3.0), friction_ratio(angle));
        let balance = element.volume_balance();
        assert!((balance - 1.0).abs() < 1e-3, "volume {balance}");
    }
}

pub fn simple_shear() {
    for (angle, expected) in [(26.3, 0.600), (35.0, 0.819)] {
        let mut element = Element::new(angle);
        element.go(isotropic(-2e-3), 4);
        let base = element.map;
        for i in 1..=20 {
            let gamma = 2e-3 * f64::from(i);
            element.go(DMat3::from_cols(DVec3::X, DVec3::new(gamma, 1.0, 0.0), DVec3::Z) * base, 4);
        }
        let tau = element.stress();
        near("tau / sigma_n", tau[(0, 1)] / -tau[(1, 1)], expected);
        let balance = element.volume_balance();
        assert!((balance - 1.0).abs() < 1e-3, "volume {balance}");
    }
}

/// Extension ends without stress; what volume it gained, recompression gives back before stress returns.
pub fn extension_and_recompression() {
    let mut element = Element::new(35.0);
    element.go(isotropic(0.02), 10);
    let stress = element.stress().norm();
    assert!(stress < 1e-4 * YOUNG * 0.02, "{stress} Pa in free extension");
    // Half of the way back there is still no stress, and beyond the start the elastic one.
    element.go(isotropic(0.01), 10);
    let stress = element.stress().norm();
    assert!(stress < 1e-4 * YOUNG * 0.02, "{stress} Pa on the way back");
    element.go(isotropic(-0.01), 20);
    let bulk = YOUNG / (3.0 * (1.0 - 2.0 * POISSON));
    near("pressure", element.stress().trace() / 3.0, -3.0 * bulk * 0.01);
    let balance = element.volume_balance();
    assert!((balance - 1.0).abs() < 1e-4, "volume {balance}");
}

pub fn oedometer() {
    for angle in [20.0, 35.0] {
        let mut element = Element::new(angle);
        element.go(DMat3::from_diagonal(DVec3::new(1.0, 0.98, 1.0)), 40);
        let tau = element.stress();
        let m = friction_ratio(angle);
        let expected = (POISSON / (1.0 - POISSON)).max((3.0 - m) / (3.0 + 2.0 * m));
        near("sigma_h / sigma_v", tau[(0, 0)] / tau[(1, 1)], expected);
    }
}
