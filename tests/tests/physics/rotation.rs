//! Card B4: a bar 1 x 0.1 x 0.1 m spinning at one turn per second about its middle.
//!
//! Closed forms: L(t) = L0 exp(-omega^2 dt t) with L0 and omega of the start (implicit Euler; the forces have
//! no torque about the end-of-step positions), centrifugal strain rho omega^2 l^2 / (2 E) at the middle with
//! half length l. Tolerances: the loss within 10 %, strain beyond the centrifugal one below 2e-3 and not
//! growing from turn to turn.

use std::f64::consts::TAU;

use tuff_problem::Problem;
use tuff_tests::{gpu, problem, step};

use crate::support::{PLAIN, angular_momentum, elastic, hencky, lattice_box, now, scene};

const DENSITY: f64 = 100.0;
const DT: f64 = 1e-3;

fn bar(youngs_modulus: f64, across: u32, iterations: u32) -> Problem {
    let spacing = 0.1 / f64::from(across);
    let spin = format!("angular_velocity = [0.0, 0.0, {TAU:?}]");
    let body = lattice_box("bar", [-0.5, -0.05, -0.05], [0.5, 0.05, 0.05], spacing, &spin);
    let rest = elastic(DENSITY, youngs_modulus, 0.3) + &body;
    problem(&scene(DT, [0.0; 3], spacing, &format!("iterations = {iterations}\n{PLAIN}"), &rest))
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
        let expected = 1.0 - (-TAU * TAU * DT * f64::from(turn)).exp();
        let largest = (0..frame.position.len()).map(|p| hencky(&frame, p).norm()).fold(0.0, f64::max);
        excess.push(largest - stretched);
        println!(
            "E {youngs_modulus:.0e}, turn {turn}: lost {:.3} %, expected {:.3} %; largest strain {largest:.2e}, \
             centrifugal {stretched:.2e}",
            100.0 * loss,
            100.0 * expected
        );
        assert!((loss / expected - 1.0).abs() < 0.1, "lost {loss} of the angular momentum, not {expected}");
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
