//! Card B4: a bar 1 x 0.1 x 0.1 m spinning at one turn per second about its middle.
//!
//! Closed forms: implicit Euler takes dL/dt = -omega^2 dt L, as forces have no torque about the end-of-step
//! positions; with omega = L / I that is L0 / sqrt(1 + 2 omega^2 dt t), omega that of the stretched bar at the
//! start. The centrifugal strain is rho omega^2 l^2 / (2 E) in the middle with half length l, which makes the
//! rms radius larger by 0.8 of it. Tolerances: the loss within 2 %, strain and growth of the radius beyond
//! the centrifugal ones below 2e-3, the strain not growing from turn to turn.

use std::f64::consts::TAU;

use glam::DVec3;
use tuff_problem::Problem;
use tuff_tests::{gpu, problem, step};

use crate::support::{PLAIN, angular_momentum, elastic, hencky, lattice_box, now, positions, scene};

const DENSITY: f64 = 100.0;
const DT: f64 = 1e-3;

fn bar(youngs_modulus: f64, across: u32, iterations: u32) -> Problem {
    let spacing = 0.1 / f64::from(across);
    let spin = format!("angular_velocity = [0.0, 0.0, {TAU:?}]");
    let body = lattice_box("bar", [-0.5, -0.05, -0.05], [0.5, 0.05, 0.05], spacing, &spin);
    let rest = elastic(DENSITY, youngs_modulus, 0.3) + &body;
    problem(&scene(DT, [0.0; 3], spacing, &format!("iterations = {iterations}\n{PLAIN}"), &rest))
}

/// Rms distance from the axis [m].
fn radius(positions: &[DVec3]) -> f64 {
    (positions.iter().map(|x| x.x * x.x + x.y * x.y).sum::<f64>() / positions.len() as f64).sqrt()
}

fn spins(youngs_modulus: f64, across: u32, iterations: u32, turns: u32) {
    let problem = bar(youngs_modulus, across, iterations);
    let mut device = gpu(&problem);
    let start = angular_momentum(&problem, &now(&mut device)).z;
    let centrifugal = DENSITY * TAU * TAU * 0.25 / (2.0 * youngs_modulus);
    // Uniaxial stress: |ln V| = strain sqrt(1 + 2 nu^2).
    let stretched = centrifugal * (1.0_f64 + 2.0 * 0.09).sqrt();
    let mut excess = Vec::new();
    for turn in 1..=turns {
        step(&mut device, (1.0 / DT) as u32);
        let frame = now(&mut device);
        let loss = 1.0 - angular_momentum(&problem, &frame).z / start;
        let omega = TAU / (1.0 + 0.8 * centrifugal).powi(2);
        let expected = 1.0 - (1.0 + 2.0 * omega * omega * DT * f64::from(turn)).sqrt().recip();
        let largest = (0..frame.position.len()).map(|p| hencky(&frame, p).norm()).fold(0.0, f64::max);
        let grown = radius(&positions(&frame)) / radius(&problem.particles.position) - 1.0;
        excess.push(largest - stretched);
        println!(
            "E {youngs_modulus:.0e}, turn {turn}: lost {:.3} %, expected {:.3} %; largest strain {largest:.2e}, \
             centrifugal {stretched:.2e}; radius grown by {grown:.2e}, expected {:.2e}",
            100.0 * loss,
            100.0 * expected,
            0.8 * centrifugal
        );
        assert!((loss / expected - 1.0).abs() < 0.02, "lost {loss} of the angular momentum, not {expected}");
        assert!((grown - 0.8 * centrifugal).abs() < 2e-3, "the radius grew by {grown}");
        assert!(largest - stretched < 2e-3, "strain {largest}, centrifugal {stretched}");
    }
    assert!(excess[excess.len() - 1] < excess[0].max(0.0) + 2e-4, "the strain grows: {excess:?}");
}

pub fn one_turn() {
    spins(1e6, 4, 15, 1);
}

pub fn three_turns_at_every_stiffness() {
    for youngs_modulus in [1e5, 1e6, 1e7] {
        spins(youngs_modulus, 6, 20, 3);
    }
}
