//! Card B2: the corrected gradient of an affine velocity field v = A x + b is A, at every particle.
//!
//! Closed form: exact wherever the neighborhood has full rank, at surfaces and corners too; in a line or
//! plane exact along it and zero off it. Tolerance: 1e-5 |A| for all but the worst particle in 1000, and
//! 1e-4 at the worst (f32). Control: without correction the surface is off by tens of percent.
//! Of fields of higher degree the error falls with the spacing on an irregular cloud. A symmetric
//! neighborhood has no odd moments: there fields of degree 2 are exact too, and the error of degree 3
//! falls with the spacing squared. Tolerance: 0.2 of the order.

use glam::{DMat3, DVec3};
use tuff_problem::Problem;
use tuff_scene::Particles;
use tuff_solver::attributes::*;
use tuff_tests::{gpu, problem, step};

use crate::support::{Draws, PLAIN, body, elastic, lattice_box, norm, scene};

const STILL: [f64; 3] = [0.0; 3];

/// A body of random points in `shape` (for the unit cube, scaled by `scale`), about 20 to the edge.
fn cloud(shape: &str, scale: f64) -> Problem {
    sampled(shape, "poisson_disk", 0.05 * scale)
}

fn sampled(shape: &str, kind: &str, spacing: f64) -> Problem {
    let seed = if kind == "poisson_disk" { ", seed = 5" } else { "" };
    let sampling = format!("{{ kind = {kind:?}, spacing = {spacing:?}{seed} }}");
    let rest = elastic(1000.0, 1e5, 0.3) + &body("cloud", shape, &sampling, "");
    prepared(&scene(1e-3, STILL, spacing, PLAIN, &rest))
}

/// Only what a substep does without solving anything.
fn prepared(text: &str) -> Problem {
    let mut problem = problem(text);
    problem.scene.solver.iterations = 0;
    problem
}

fn box_shape(min: [f64; 3], max: [f64; 3], scale: f64) -> String {
    let scaled = |c: [f64; 3]| c.map(|x| x * scale);
    format!("box = {{ min = {:?}, max = {:?} }}", scaled(min), scaled(max))
}

fn cube(scale: f64) -> Problem {
    cloud(&format!("{{ {} }}", box_shape([0.0; 3], [0.6; 3], scale)), scale)
}

/// Given points with kernel radius 1.
fn points(position: &[DVec3]) -> Problem {
    let count = position.len();
    let rest = elastic(1000.0, 1e5, 0.3) + &lattice_box("points", [0.0; 3], [1.0; 3], 1.0, "");
    let mut problem = prepared(&scene(1e-3, STILL, 1.0, PLAIN, &rest));
    problem.particles = Particles {
        position: position.to_vec(),
        velocity: vec![DVec3::ZERO; count],
        rest_volume: vec![1.0; count],
        material: vec![0; count],
        body: vec![0; count],
        pin: vec![u32::MAX; count],
    };
    problem.mass = vec![1000.0; count];
    problem
}

/// Velocity gradients that the device's pair records give to `field`, evaluated in f64; by particle id.
fn gradients(problem: &Problem, field: impl Fn(DVec3) -> DVec3) -> Vec<DMat3> {
    let mut device = gpu(problem);
    step(&mut device, 1);
    let count = problem.particle_count();
    let identity: Vec<[u32; 4]> = device.store().download(IDENTITY, count).unwrap();
    let ranges: Vec<[u32; 2]> = device.store().download(NEIGHBOR_RANGE, count).unwrap();
    let pairs = ranges.iter().map(|r| (r[0] + (r[1] & 0xffff)) as usize).max().unwrap();
    let records: Vec<[u32; 4]> = device.store().download(PAIR, pairs).unwrap();
    let value = |row: usize| field(problem.particles.position[identity[row][0] as usize]);
    let mut gradients = vec![DMat3::ZERO; count];
    for p in 0..count {
        let [first, packed] = ranges[p].map(|w| w as usize);
        for record in &records[first..first + (packed & 0xffff)] {
            let g = DVec3::from([1, 2, 3].map(|k| f64::from(f32::from_bits(record[k]))));
            let jump = value((record[0] & 0xff_ffff) as usize) - value(p);
            gradients[identity[p][0] as usize] += DMat3::from_cols(jump * g.x, jump * g.y, jump * g.z);
        }
    }
    gradients
}

/// Relative errors of the gradients of a random affine field, ascending. `kept` projects on what the
/// neighborhoods span.
fn errors(problem: &Problem, kept: DMat3) -> Vec<f64> {
    let mut draws = Draws(problem.particle_count() as u64);
    let (a, b) = (draws.matrix(), draws.vector());
    let expected = a * kept;
    let found = gradients(problem, |x| a * x + b);
    assert!(found.iter().all(|g| g.is_finite()));
    let mut errors: Vec<f64> = found.iter().map(|&g| norm(g - expected) / norm(a)).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let at = |part: f64| errors[((errors.len() - 1) as f64 * part) as usize];
    println!(
        "{} particles: median {:.1e}, 99.9 % {:.1e}, worst {:.1e}",
        errors.len(),
        at(0.5),
        at(0.999),
        at(1.0)
    );
    errors
}

fn passes(problem: &Problem) {
    let errors = errors(problem, DMat3::IDENTITY);
    let worst = errors[errors.len() - 1];
    assert!(worst < 1e-4, "worst {worst:.2e}");
    let most = errors[(errors.len() - 1) * 999 / 1000];
    assert!(most < 1e-5, "99.9 % {most:.2e}");
}

pub fn clouds() {
    passes(&cube(1.0));
    passes(&cloud(&format!("{{ {} }}", box_shape([0.0; 3], [1.0, 0.15, 1.0], 1.0)), 1.0));
    let notch = box_shape([0.3, 0.3, -1.0], [2.0, 2.0, 2.0], 1.0);
    let whole = box_shape([0.0; 3], [0.9, 0.9, 0.3], 1.0);
    passes(&cloud(&format!("{{ {whole}, subtract = [ {{ {notch} }} ] }}"), 1.0));
}

pub fn at_any_scale() {
    passes(&cube(1e-3));
    passes(&cube(1e3));
}

pub fn five_points() {
    let corners =
        [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0], [0.1, 0.0, 0.05]];
    passes(&points(&corners.map(|c| 0.6 * DVec3::from(c))));
}

pub fn lines_and_planes() {
    let turn = DMat3::from_euler(glam::EulerRot::XYZ, 0.4, -0.7, 1.1);
    let along = |d: DVec3| DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    let line: Vec<DVec3> = (0..9).map(|i| turn.x_axis * f64::from(i) * 0.8).collect();
    let plane: Vec<DVec3> = (0..49)
        .map(|i| turn.x_axis * f64::from(i % 7) * 0.9 + turn.y_axis * f64::from(i / 7) * 0.9)
        .collect();
    let spans = [along(turn.x_axis), DMat3::IDENTITY - along(turn.z_axis)];
    for (points_, span) in [(&line[..], spans[0]), (&line[..2], spans[0]), (&plane[..], spans[1])] {
        let errors = errors(&points(points_), span);
        assert!(errors[errors.len() - 1] < 1e-5, "{errors:?}");
    }
    // A particle without neighbors has no gradient.
    assert_eq!(gradients(&points(&[DVec3::ZERO, DVec3::X * 5.0]), |x| x), [DMat3::ZERO; 2]);
}

/// Rms error of the gradients of a random field of `degree` over the rms gradient, in the middle of a cube.
fn error_of_degree(degree: i32, kind: &str, spacing: f64) -> f64 {
    let problem = sampled(&format!("{{ {} }}", box_shape([0.0; 3], [0.6; 3], 1.0)), kind, spacing);
    let mut draws = Draws(17);
    let terms = [(draws.vector(), draws.vector()), (draws.vector(), draws.vector())];
    let found = gradients(&problem, |x| terms.iter().map(|(u, a)| *u * a.dot(x).powi(degree)).sum());
    let (mut off, mut all) = (0.0, 0.0);
    for (g, &x) in found.iter().zip(&problem.particles.position) {
        if x.min_element() < 0.1 || x.max_element() > 0.5 {
            continue;
        }
        let expected = terms.iter().fold(DMat3::ZERO, |sum, (u, a)| {
            let slope = f64::from(degree) * a.dot(x).powi(degree - 1);
            sum + DMat3::from_cols(*u * a.x, *u * a.y, *u * a.z) * slope
        });
        off += norm(*g - expected).powi(2);
        all += norm(expected).powi(2);
    }
    (off / all).sqrt()
}

pub fn order_of_the_gradient() {
    for (kind, degree, expected) in [("poisson_disk", 2, 1.0), ("poisson_disk", 3, 1.0), ("lattice", 3, 2.0)]
    {
        let [coarse, fine] = [0.05, 0.025].map(|spacing| error_of_degree(degree, kind, spacing));
        let order = (coarse / fine).log2();
        println!("{kind}, degree {degree}: {coarse:.2e}, {fine:.2e}, order {order:.2}, expected {expected}");
        assert!((order - expected).abs() < 0.2, "{kind}, degree {degree}: order {order}");
    }
    let symmetric = error_of_degree(2, "lattice", 0.05);
    println!("lattice, degree 2: {symmetric:.1e}");
    assert!(symmetric < 1e-5, "{symmetric}");
}

/// The control: what the correction is for.
pub fn uncorrected_gradients_fail() {
    let mut problem = cube(1.0);
    problem.scene.solver.kernel_correction = false;
    let errors = errors(&problem, DMat3::IDENTITY);
    assert!(errors[errors.len() / 2] > 1e-2, "median {:.2e}", errors[errors.len() / 2]);
    assert!(errors[errors.len() - 1] > 0.3, "worst {:.2e}", errors[errors.len() - 1]);
}
