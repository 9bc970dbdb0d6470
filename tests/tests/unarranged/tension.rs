//! Surface tension: how a drop swings, how drops flow together, and how one sits on a wall.

use std::f64::consts::PI;

use glam::DVec3;
use tuff_problem::{Frame, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::problem;

use crate::water::advance;

const RADIUS: f64 = 1e-3;
const DENSITY: f64 = 1000.0;
const TENSION: f64 = 0.072;

/// Length of a frame [s].
const FRAME: f64 = 5e-3;

/// Water without gravity in frames of 5 ms, with this `max_substep`, solver keys and tables.
fn water(substep: &str, solver: &str, tables: &str) -> Problem {
    problem(&format!(
        "format = 1\n[scene]\nname = \"drop\"\ngravity = [0.0, 0.0, 0.0]\n[time]\nframes = [1, 200]\nframe_rate = {}\n\
         max_substep = {substep}\n[solver]\nkernel_radius = {RADIUS}\n{solver}\n[[material]]\nname = \"water\"\nmodel = \"fluid\"\n\
         density = {DENSITY:?}\nsurface_tension = {TENSION}\n{tables}",
        1.0 / FRAME
    ))
}

/// A drop of a radius [m].
fn drop(name: &str, center: [f64; 3], radius: f64, keys: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"water\"\nshape = {{ sphere = {{ center = {center:?}, radius = {radius} }} }}\n{keys}\n"
    )
}

/// Returns positions [m].
fn positions(frame: &Frame) -> Vec<DVec3> {
    frame.position.iter().map(|x| DVec3::from(*x)).collect()
}

/// Returns mean squares of coordinates about the mean, by axis [m^2].
fn spread(position: &[DVec3]) -> DVec3 {
    let count = position.len() as f64;
    let center = position.iter().sum::<DVec3>() / count;
    position.iter().map(|x| (x - center) * (x - center)).sum::<DVec3>() / count
}

/// An ellipsoid swings about the sphere with the period of Rayleigh (1879), `8 sigma / (rho R^3)` being the square of the rate.
pub fn a_drop_swings_with_its_period() {
    swings(8.0, "\"auto\"", "", 0.15);
}

pub fn a_drop_swings_at_other_sizes_and_steps() {
    swings(12.0, "\"auto\"", "", 0.2);
    swings(6.0, "\"auto\"", "", 0.2);
    swings(8.0, "2e-4", "scheme = \"newton_cg\"", 0.15);
    swings(8.0, "1e-4", "scheme = \"gauss_seidel\"\niterations = 20", 0.25);
}

/// Lets a drop swing whose radius is given in kernel radii.
fn swings(size: f64, substep: &str, solver: &str, bound: f64) {
    let radius = size * RADIUS;
    let mut problem = water(substep, solver, &drop("drop", [0.0; 3], radius, ""));
    let stretch: f64 = 1.15;
    for x in &mut problem.particles.position {
        *x *= DVec3::new(stretch, stretch.sqrt().recip(), stretch.sqrt().recip());
    }
    let period = 2.0 * PI / (8.0 * TENSION / (DENSITY * radius.powi(3))).sqrt();
    let mut simulation = CpuSimulation::new(&problem);
    let (mut last, mut zeros, mut least) = (1.0, Vec::new(), 0.0_f64);
    for number in 1..=(1.4 * period / FRAME) as u32 {
        let (_, frame) = advance(&mut simulation, 1);
        let m = spread(&positions(&frame));
        let shape = m.x / (0.5 * (m.y + m.z)) - 1.0;
        if last * shape < 0.0 {
            zeros.push(FRAME * (f64::from(number) - shape / (shape - last)));
        }
        (last, least) = (shape, least.min(shape));
    }
    let half = zeros.get(1).map_or(f64::INFINITY, |second| second - zeros[0]);
    println!(
        "{size} r, {substep} {solver:?}: half period {:.3} of theory, first swing to {least:.3} of 0.521",
        2.0 * half / period
    );
    assert!((2.0 * half / period - 1.0).abs() < bound, "{half} {period}");
}

/// Two drops that brush past each other become one. Momentum is kept to the tolerance of the solve; turning slows down, and never speeds up.
pub fn drops_flow_together() {
    let one = drop("one", [-4.1e-3, 0.8e-3, 0.0], 4e-3, "velocity = [0.1, 0.0, 0.0]");
    let other = drop("other", [4.1e-3, -0.8e-3, 0.0], 4e-3, "velocity = [-0.1, 0.0, 0.0]");
    let problem = water("\"auto\"", "residual_tolerance = 1e-4", &(one + &other));
    let sums = |frame: &Frame| {
        let at =
            std::iter::zip(positions(frame), frame.velocity.iter().map(|v| DVec3::from(v.map(f64::from))));
        std::iter::zip(at, &problem.mass)
            .map(|((x, v), m)| (*m * v, *m * x.cross(v)))
            .fold((DVec3::ZERO, DVec3::ZERO), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    };
    let mut simulation = CpuSimulation::new(&problem);
    let before = sums(&simulation.frame().unwrap());
    let (_, frame) = advance(&mut simulation, 40);
    let after = sums(&frame);
    let brought: f64 = 0.1 * problem.mass.iter().sum::<f64>();
    let lost = (after.0 - before.0).length() / brought;
    let turned = after.1.length() / before.1.length();
    let m = spread(&positions(&frame));
    // A ball of both has R^2 / 5 along each axis.
    let ball = (2.0_f64.cbrt() * 4e-3).powi(2) / 5.0;
    println!(
        "momentum lost {lost:.1e}, angular momentum left {turned:.2}, spread over that of a ball {:.3}",
        m / ball
    );
    assert!(lost < 1e-3 && (0.4..1.0).contains(&turned), "{lost} {turned}");
    // Two balls that touch would have 1.7 times as much.
    assert!((m.element_sum() / (3.0 * ball) - 1.0).abs() < 0.1, "{m} {ball}");
}

/// Walls count as the fluid itself, so that a drop on one is half a ball.
pub fn a_drop_on_a_wall_is_half_a_ball() {
    let side = 9e-3;
    let block = format!(
        "[[body]]\nname = \"block\"\nmaterial = \"water\"\n\
         shape = {{ box = {{ min = [0.0, 0.0, 0.0], max = [{side}, {}, {side}] }} }}\n\
         [[collider]]\nname = \"floor\"\nshape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }} }}\n",
        0.5 * side
    );
    let problem = water("\"auto\"", "", &block);
    let mut simulation = CpuSimulation::new(&problem);
    let (_, frame) = advance(&mut simulation, 40);
    let at = positions(&frame);
    let ball = (3.0 / (4.0 * PI)).cbrt() * side;
    let mean = at.iter().map(|x| x.y).sum::<f64>() / at.len() as f64;
    let m = spread(&at);
    let width = (2.5 * (m.x + m.z)).sqrt();
    println!("height {:.3}, width {:.3} of half a ball", mean / (0.375 * ball), width / ball);
    assert!((mean / (0.375 * ball) - 1.0).abs() < 0.1, "{mean}");
    assert!((width / ball - 1.0).abs() < 0.07, "{width}");
}
