//! The material point method against closed forms.

use glam::{DMat3, DVec3};
use tuff_problem::{Control, faces};
use tuff_run::{MpmSimulation, Simulation};
use tuff_scene::{Collider, Friction, Motion, Shape, Time};

use super::laws::{DruckerPrager, moduli};
use super::setup::{DENSITY, Noise, block, context, elastic, settings};
use tuff_reference::MpmSolver;
use tuff_reference::context::{Context, Step};
use tuff_reference::mpm::grid::Grid;
use tuff_reference::mpm::points::Points;
use tuff_reference::mpm::step::advance;
use tuff_reference::tensor::{norm, trace};

const GRAVITY: f64 = 9.81;
const TIME: Time =
    Time { frame_rate: 25.0, first_frame: 0, last_frame: 100, max_substep: 1e-2, substep_bounds: None };

fn points(context: &Context, positions: &[DVec3], spacing: f64, velocity: DVec3) -> Points {
    let mut points = Points::default();
    let volume = spacing.powi(3);
    for &x in positions {
        points.push(context, x, velocity, DENSITY * volume, volume, 0);
    }
    points
}

fn sand() -> Context {
    let friction = 35.0_f64.to_radians().sin();
    let alpha = (2.0_f64 / 3.0).sqrt() * 2.0 * friction / (3.0 - friction);
    let constants = [moduli(3.5e5, 0.3), vec![alpha, 0.0]].concat();
    context(DruckerPrager, constants, settings(0.1))
}

fn wall(point: DVec3, normal: DVec3, friction: f64) -> Collider {
    Collider {
        name: "wall".to_owned(),
        shape: Shape::plane(point, normal),
        inside: false,
        sheet: false,
        thickness: 0.0,
        adhesion: 0.0,
        friction: Friction::Coulomb(friction),
        motion: Motion::IDENTITY,
    }
}

fn simulation(context: Context, points: Points, dx: f64, time: Time) -> MpmSimulation {
    MpmSimulation::with(MpmSolver::with(context, points, dx, vec![DENSITY]), time, None)
}

fn frames(simulation: &mut MpmSimulation, count: u32) -> f64 {
    let mut kinetic = 0.0;
    for _ in 0..count {
        kinetic = simulation.advance(&Control::default()).unwrap().energies.kinetic;
    }
    kinetic
}

#[test]
fn free_fall_is_exact() {
    let mut context = elastic(settings(0.1));
    context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let positions = block([3; 3], 0.1, 0.2, 1);
    let start = DVec3::new(1.0, 2.0, -3.0);
    let mut simulation = points(&context, &positions, 0.1, start);
    let (mut grid, dt) = (Grid::new(0.2), 1e-3);
    for k in 0..100 {
        advance(&context, Step { time: f64::from(k) * dt, dt }, &mut simulation, &mut grid, &mut []).unwrap();
    }
    let moved = 0.1 * start - DVec3::Y * GRAVITY * dt * dt * f64::from(100 * 101 / 2);
    for (x, from) in std::iter::zip(&simulation.position, &positions) {
        assert!((*x - *from - moved).length() < 1e-12);
    }
    assert!(simulation.strain.iter().all(|e| norm(*e) < 1e-12));
}

#[test]
fn a_step_keeps_linear_and_angular_momentum() {
    let context = elastic(settings(0.1));
    let mut noise = Noise::new(7);
    let mut cloud = points(&context, &block([5; 3], 0.1, 0.2, 4), 0.1, DVec3::ZERO);
    for p in 0..cloud.count() {
        cloud.velocity[p] = noise.vector();
        cloud.gradient[p] = 2.0 * noise.matrix();
        cloud.mass[p] *= 1.0 + 0.5 * noise.number();
        let m = noise.matrix();
        cloud.strain[p] = 0.02 * (m + m.transpose());
    }
    let (mut grid, dt) = (Grid::new(0.2), 1e-3);
    // The affine part of the velocities rotates around each particle: its inertia is dx^2 / 4.
    let spin =
        |c: DMat3| DVec3::new(c.y_axis.z - c.z_axis.y, c.z_axis.x - c.x_axis.z, c.x_axis.y - c.y_axis.x);
    let totals = |cloud: &Points| {
        let linear: DVec3 = std::iter::zip(&cloud.mass, &cloud.velocity).map(|(m, v)| *m * *v).sum();
        let angular: DVec3 = (0..cloud.count())
            .map(|p| {
                cloud.mass[p] * (cloud.position[p].cross(cloud.velocity[p]) + 0.01 * spin(cloud.gradient[p]))
            })
            .sum();
        (linear, angular)
    };
    let before = totals(&cloud);
    for k in 0..50 {
        advance(&context, Step { time: f64::from(k) * dt, dt }, &mut cloud, &mut grid, &mut []).unwrap();
    }
    let after = totals(&cloud);
    assert!(cloud.kirchhoff.iter().any(|tau| norm(*tau) > 100.0), "stresses act");
    assert!((after.0 - before.0).length() < 1e-12 * before.0.length(), "{after:?} {before:?}");
    assert!((after.1 - before.1).length() < 1e-12 * before.1.length(), "{after:?} {before:?}");
}

#[test]
fn an_affine_motion_passes_through_the_grid_unchanged() {
    let context = elastic(settings(0.1));
    let rate = DMat3::from_cols_array_2d(&[[0.3, 0.2, -0.1], [0.4, -0.5, 0.1], [0.0, 0.7, 0.2]]);
    let mut cloud = points(&context, &block([4; 3], 0.1, 0.3, 2), 0.1, DVec3::ZERO);
    for p in 0..cloud.count() {
        cloud.velocity[p] = rate * cloud.position[p];
        cloud.gradient[p] = rate;
    }
    let before = cloud.velocity.clone();
    advance(&context, Step { time: 0.0, dt: 1e-3 }, &mut cloud, &mut Grid::new(0.2), &mut []).unwrap();
    for (p, before) in before.iter().enumerate() {
        assert!((cloud.velocity[p] - *before).length() < 1e-13 && norm(cloud.gradient[p] - rate) < 1e-12);
        let a = DMat3::IDENTITY + 1e-3 * rate;
        assert!(norm(cloud.strain[p] - (a * a.transpose() - DMat3::IDENTITY)) < 1e-14);
    }
}

#[test]
fn sand_in_a_triaxial_test_stays_on_the_yield_surface() {
    // Compressed along one axis, held less along the others: q / p = 6 sin phi / (3 - sin phi) once it flows.
    let context = sand();
    let mut element = points(&context, &[DVec3::ZERO], 0.1, DVec3::ZERO);
    element.gradient[0] = DMat3::from_diagonal(DVec3::new(0.25, -1.0, 0.25));
    let sine = 35.0_f64.to_radians().sin();
    let slope = 6.0 * sine / (3.0 - sine);
    let mut pressures = Vec::new();
    for _ in 0..200 {
        element.deform(&context, 1e-4, 0).unwrap();
        let tau = element.kirchhoff[0];
        let p = -trace(tau) / 3.0;
        let q = 1.5_f64.sqrt() * norm(tau + p * DMat3::IDENTITY);
        assert!(q <= slope * p * (1.0 + 1e-9), "{q} {p}");
        pressures.push((p, q));
    }
    let (p, q) = pressures[199];
    assert!((q / p - slope).abs() < 1e-9 * slope && p > 100.0, "{q} {p} {slope}");
}

#[test]
fn sand_that_opened_closes_before_it_bears_load() {
    let context = sand();
    let mut element = points(&context, &[DVec3::ZERO], 0.1, DVec3::ZERO);
    let mut strain = |rate: f64, steps: u32| {
        element.gradient[0] = rate * DMat3::IDENTITY;
        for _ in 0..steps {
            element.deform(&context, 1e-4, 0).unwrap();
        }
        -trace(element.kirchhoff[0]) / 3.0
    };
    assert!(strain(1.0, 50).abs() < 1e-9, "no tension");
    assert!(strain(-1.0, 49).abs() < 1e-9, "still open");
    assert!(strain(-1.0, 11) > 0.9 * 3.0 * 1e-3 * moduli(3.5e5, 0.3)[1]);
}

#[test]
fn an_elastic_column_settles_to_the_closed_form() {
    // Between smooth walls: tau = M ln l = l P and P = -rho g (H - Y) in the reference configuration.
    let (spacing, height) = (0.05, 1.0);
    let mut context = elastic(settings(0.1));
    context.materials[0].constants = moduli(1.5e5, 0.3);
    context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let side = 0.2;
    context.faces = faces(&[
        wall(DVec3::ZERO, DVec3::Y, 0.0),
        wall(DVec3::ZERO, DVec3::X, 0.0),
        wall(DVec3::ZERO, DVec3::Z, 0.0),
        wall(DVec3::X * side, DVec3::NEG_X, 0.0),
        wall(DVec3::Z * side, DVec3::NEG_Z, 0.0),
    ]);
    let positions: Vec<_> = block([4, 20, 4], spacing, 0.0, 1).iter().map(|x| *x + 0.5 * spacing).collect();
    let column = points(&context, &positions, spacing, DVec3::ZERO);
    let stiffness = context.materials[0].constants[1] + 4.0 / 3.0 * context.materials[0].constants[0];
    let time = Time { frame_rate: 250.0, ..TIME };
    let mut simulation = simulation(context, column, 2.0 * spacing, time);
    // Motion is stopped whenever its kinetic energy peaks.
    let mut last = 0.0;
    for _ in 0..300 {
        let kinetic = frames(&mut simulation, 1);
        let slower = kinetic < last;
        last = if slower { 0.0 } else { kinetic };
        if slower {
            let points = simulation.solver_mut().points_mut();
            points.velocity.fill(DVec3::ZERO);
            points.gradient.fill(DMat3::ZERO);
        }
    }
    let load = |y: f64| -DENSITY * GRAVITY * (height - y);
    let log_stretch = |y: f64| {
        let mut eps = 0.0_f64;
        for _ in 0..60 {
            eps = load(y) / stiffness * eps.exp();
        }
        eps
    };
    let sunk: f64 = (0..1000).map(|k| 1e-3 * log_stretch(1e-3 * (f64::from(k) + 0.5)).exp_m1()).sum();
    let settled = simulation.solver().points();
    // Forces balance at nodes, so the mean stress over the particles of a cell is compared.
    for cell in 1..9 {
        let low = 2.0 * spacing * f64::from(cell);
        let layer: Vec<usize> = (0..320).filter(|&p| (low..low + 0.1).contains(&positions[p].y)).collect();
        let mean = |f: &dyn Fn(usize) -> f64| layer.iter().map(|&p| f(p)).sum::<f64>() / layer.len() as f64;
        let (found, expected) =
            (mean(&|p| settled.kirchhoff[p].y_axis.y), mean(&|p| stiffness * log_stretch(positions[p].y)));
        println!("{low:.2} m: {found:.0} Pa, {expected:.0} expected");
        assert!((found / expected - 1.0).abs() < 0.02, "stress at {low} m: {found} and {expected} Pa");
    }
    let top = (0..320).filter(|&p| positions[p].y > height - spacing);
    let moved = top.map(|p| (settled.position[p].y - positions[p].y) / 16.0).sum::<f64>();
    println!("sunk by {moved:.5} m, {sunk:.5} expected");
    assert!((moved / sunk - 1.0).abs() < 0.04, "sunk by {moved}, {sunk} expected");
}

#[test]
fn a_block_slides_as_coulomb_says_and_leaves_the_floor_freely() {
    for (up, friction) in [(0.0, 0.3), (1.0, 0.3)] {
        let mut context = elastic(settings(0.1));
        context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
        context.faces = faces(&[wall(DVec3::ZERO, DVec3::Y, friction)]);
        let positions: Vec<_> = block([4; 3], 0.05, 0.0, 1).iter().map(|x| *x + 0.025 * DVec3::Y).collect();
        let slider = points(&context, &positions, 0.05, DVec3::new(2.0, up, 0.0));
        let mut simulation = simulation(context, slider, 0.1, TIME);
        let frame_count = if up > 0.0 { 2 } else { 10 };
        frames(&mut simulation, frame_count);
        let points = simulation.solver().points();
        let mean = points.velocity.iter().sum::<DVec3>() / points.count() as f64;
        let t = f64::from(frame_count) / 25.0;
        if up > 0.0 {
            assert!((mean - DVec3::new(2.0, up - GRAVITY * t, 0.0)).length() < 1e-9, "{mean}");
        } else {
            let expected = 2.0 - friction * GRAVITY * t;
            assert!((mean.x / expected - 1.0).abs() < 0.05, "{mean} {expected}");
            assert!(mean.y.abs() < 0.05);
        }
    }
}

#[test]
fn a_sand_column_collapses_and_comes_to_rest() {
    let spacing = 0.02;
    let mut context = sand();
    context.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    context.faces = faces(&[wall(DVec3::ZERO, DVec3::Y, 0.5)]);
    let positions: Vec<_> =
        block([6, 12, 6], spacing, 0.0, 1).iter().map(|x| *x + 0.5 * spacing * DVec3::Y).collect();
    let column = points(&context, &positions, spacing, DVec3::ZERO);
    let mut simulation = simulation(context, column, 2.0 * spacing, TIME);
    let scale = 432.0 * DENSITY * spacing.powi(3) * GRAVITY * 0.24;
    let moving = frames(&mut simulation, 4);
    let resting = frames(&mut simulation, 26);
    let top = simulation.solver().points().position.iter().map(|x| x.y).fold(0.0, f64::max);
    assert!(moving > 0.02 * scale, "{moving} {scale}");
    assert!(resting < 1e-4 * scale, "{resting} {scale}");
    assert!((0.06..0.2).contains(&top), "a heap: {top} m");
    assert!(
        simulation.solver().points().position.iter().all(|x| x.y > -0.25 * spacing),
        "nothing sinks into the floor"
    );
}
