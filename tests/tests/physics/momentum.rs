//! Card B1: free fall, momentum and energy.
//!
//! Closed forms: after n substeps of semi-implicit Euler a body at rest has fallen g dt^2 n (n + 1) / 2, and
//! moves at g dt n; without external forces linear momentum and angular momentum about the center of mass
//! are constant, and the energy never rises. Tolerances: center of mass 1e-5 of the fall (f32), linear
//! momentum 1e-5 of sum m |v|, angular momentum 1e-3 of sum m |x| |v| and halving with the step, energy 0.1 %.

use glam::DVec3;
use tuff_problem::{Energies, Problem};
use tuff_solver::GpuSimulation;
use tuff_solver::attributes::COMMITTED_STRAIN_SHEAR;
use tuff_tests::{gpu, problem, step};

use crate::support::{
    Draws, PLAIN, angular_momentum, elastic, lattice_box, mean, now, positions, scene, velocities, weighted,
};

const DT: f64 = 5e-4;
const SPACING: f64 = 0.0125;

fn block(name: &str, at: f64, rest: &str) -> String {
    lattice_box(name, [at, 0.0, 0.0], [at + 0.1, 0.1, 0.1], SPACING, rest)
}

fn of(dt: f64, gravity: [f64; 3], solver: &str, bodies: &str) -> Problem {
    problem(&scene(dt, gravity, SPACING, &format!("{PLAIN}{solver}"), &(elastic(1000.0, 1e5, 0.3) + bodies)))
}

pub fn free_fall() {
    let gravity = [0.0, -9.81, 0.0];
    let problem = of(DT, gravity, "iterations = 5", &block("block", 0.0, ""));
    let mut device = gpu(&problem);
    let count = 1000;
    step(&mut device, count);
    let frame = now(&mut device);
    let n = f64::from(count);
    let g = DVec3::from(gravity);
    let fall = g * DT * DT * n * (n + 1.0) / 2.0;
    let moved = mean(&problem, &positions(&frame)) - mean(&problem, &problem.particles.position);
    let speed = mean(&problem, &velocities(&frame));
    let off = (moved - fall).length() / fall.length();
    let fast = (speed - g * DT * n).length() / (g * DT * n).length();
    println!("fell {:.6} m, off by {off:.1e}; speed off by {fast:.1e}", moved.length());
    assert!(off < 1e-5, "{moved} instead of {fall} m");
    assert!(fast < 1e-5, "{speed} m/s");
}

/// Runs `duration` [s] without external forces and checks what is conserved; the change of the angular momentum.
fn conserves(problem: &Problem, device: &mut GpuSimulation, what: &str, duration: f64) -> f64 {
    let total = |e: &Energies| e.kinetic + e.elastic;
    let start = now(device);
    let (x, v) = (positions(&start), velocities(&start));
    let center = mean(problem, &x);
    let scale: f64 = (0..v.len()).map(|i| problem.mass[i] * v[i].length()).sum();
    let spin: f64 = (0..v.len()).map(|i| problem.mass[i] * v[i].length() * (x[i] - center).length()).sum();
    let (linear, angular) = (weighted(problem, &v), angular_momentum(problem, &start));
    let mut highest = 0.0_f64;
    let mut energy = f64::INFINITY;
    let (mut rise, mut first) = (0.0_f64, 0.0);
    for i in 0..20 {
        let report = step(device, (duration / problem.dt() / 20.0).round() as u32);
        let now = total(&report.energies);
        if i == 0 {
            first = now;
        }
        rise = rise.max(now - energy.min(now));
        energy = energy.min(now);
        highest = highest.max(report.energies.elastic);
    }
    let end = now(device);
    let lost = (weighted(problem, &velocities(&end)) - linear).length() / scale;
    let turned = (angular_momentum(problem, &end) - angular).length() / spin;
    println!(
        "{what}: momentum {lost:.1e}, angular momentum {turned:.1e}, energy {first:.3e} J to {energy:.3e} J, \
         highest elastic {highest:.3e} J, rise {:.1e}",
        rise / first
    );
    assert!(highest > 1e-3 * first, "{what}: nothing happened");
    assert!(lost < 1e-5, "{what}: momentum is off by {lost:.2e}");
    assert!(rise < 1e-3 * first, "{what}: the energy rose by {:.2e}", rise / first);
    turned
}

/// Change of the angular momentum over 0.5 s from random velocities and shear strains.
fn scrambled(dt: f64) -> f64 {
    let mut problem = of(dt, [0.0; 3], "iterations = 5", &block("block", 0.0, ""));
    let mut draws = Draws(3);
    for v in &mut problem.particles.velocity {
        *v = 0.1 * draws.vector();
    }
    let mut device = gpu(&problem);
    let strain: Vec<[f32; 4]> = problem
        .particles
        .position
        .iter()
        .map(|_| {
            let e = 0.02 * draws.vector();
            [e.x as f32, e.y as f32, e.z as f32, 0.0]
        })
        .collect();
    device.store_mut().upload(COMMITTED_STRAIN_SHEAR, &strain).unwrap();
    conserves(&problem, &mut device, "random", 0.5)
}

pub fn random_velocities_and_stress() {
    let (coarse, fine) = (scrambled(DT), scrambled(0.5 * DT));
    assert!(fine < 1e-3, "angular momentum is off by {fine:.2e}");
    assert!(fine < 0.65 * coarse, "{fine:.2e} at half the step, {coarse:.2e} at the whole");
}

/// Two blocks meet, press and part again.
pub fn two_blocks_collide() {
    let bodies = block("left", 0.0, "velocity = [0.4, 0.0, 0.0]")
        + &lattice_box(
            "right",
            [0.13, 0.03, 0.02],
            [0.23, 0.13, 0.12],
            SPACING,
            "velocity = [-0.6, 0.0, 0.0]",
        );
    let problem = of(DT, [0.0; 3], "iterations = 10", &bodies);
    let turned = conserves(&problem, &mut gpu(&problem), "collision", 0.1);
    assert!(turned < 1e-3, "angular momentum is off by {turned:.2e}");
}
