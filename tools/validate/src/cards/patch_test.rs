//! B2: the corrected gradient of an affine velocity field v = A x + b is A, at every particle.
//!
//! Closed form: exact wherever the neighborhood has full rank, including surfaces and corners; in a line or plane, exact along it and
//! zero across it. Tolerance: 1e-5 |A| for all but the worst particle in 1000, and 1e-4 for the worst (f32). Control: without correction
//! the surface is off by tens of percent. For fields of higher degree, the error of a gradient that is exact for affine fields falls with
//! the spacing on an irregular cloud. A symmetric neighborhood has no odd moments: there, fields of degree 2 are exact too, and the error
//! of degree 3 falls with the square of the spacing. Where curvature is separated from slope (stabilization, by default), irregular
//! clouds come close to this. Tolerance: 0.2 of the order, a tenth of the published gradient's error at degree 2.

use glam::{DMat3, DVec3};
use tuff_chart::{Axis, Chart, Curve};
use tuff_problem::Problem;

use crate::draws::Draws;
use crate::measure::norm;
use crate::points::replace;
use crate::scenes::{PLAIN, body, elastic, lattice_box, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Trial};

/// k_s of a scene that does not name it.
const STABILIZATION: f64 = 2.0;

/// The card.
pub const CARD: Card = Card {
    id: "B2",
    title: "Patch test of the gradient",
    reference: "Exact for affine fields; orders of the error for others",
    figure: None,
    by_default: ByDefault::No("the motion is prescribed"),
    minutes: [0.1, 0.1, 0.4],
    run,
};

const STILL: [f64; 3] = [0.0; 3];

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let plate = box_shape([0.0; 3], [1.0, 0.15, 1.0], 1.0);
    let notch = box_shape([0.3, 0.3, -1.0], [2.0, 2.0, 2.0], 1.0);
    let whole = box_shape([0.0; 3], [0.9, 0.9, 0.3], 1.0);
    let cut = format!("{whole}, subtract = [ {{ {notch} }} ]");
    let (corrected, uncorrected) = (cube(lab, 1.0)?, cube(lab, 1.0)?);
    let mut chart = Chart {
        title: "Error of the gradient in a cube of random points".to_owned(),
        x: Axis { label: "share of the particles".to_owned(), unit: "1", log: false },
        y: Axis { label: "error over |A|".to_owned(), unit: "1", log: true },
        ..Chart::default()
    };
    let errors = passes(lab, "cube", corrected, findings)?;
    chart.curves.push(quantiles("corrected", 0, &errors));
    passes(lab, "plate", cloud(lab, &plate, 1.0)?, findings)?;
    passes(lab, "L", cloud(lab, &cut, 1.0)?, findings)?;
    passes(lab, "cube of 0.6 mm", cube(lab, 1e-3)?, findings)?;
    passes(lab, "cube of 600 m", cube(lab, 1e3)?, findings)?;
    let corners =
        [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0], [0.1, 0.0, 0.05]];
    passes(lab, "five points", points(lab, &corners.map(|c| 0.6 * DVec3::from(c)))?, findings)?;
    lines_and_planes(lab, findings)?;
    orders(lab, findings)?;
    let errors = control(lab, uncorrected, findings)?;
    chart.curves.push(quantiles("control without correction", 1, &errors));
    findings.diagram(&chart);
    Ok(())
}

/// Builds a body of random points in `shape` (given for the unit cube, scaled by `scale`), about 20 per edge.
fn cloud(lab: &Lab, shape: &str, scale: f64) -> Result<Problem, CardError> {
    sampled(lab, shape, "poisson_disk", 0.05 * scale)
}

fn sampled(lab: &Lab, shape: &str, kind: &str, spacing: f64) -> Result<Problem, CardError> {
    let seed = if kind == "poisson_disk" { ", seed = 5" } else { "" };
    let sampling = format!("{{ kind = {kind:?}, spacing = {spacing:?}{seed} }}");
    let rest = elastic(1000.0, 1e5, 0.3) + &body("cloud", &format!("{{ {shape} }}"), &sampling, "");
    prepared(lab, &scene(1e-3, STILL, spacing, PLAIN, &rest))
}

/// Builds a problem whose substeps solve nothing.
fn prepared(lab: &Lab, text: &str) -> Result<Problem, CardError> {
    let mut problem = lab.problem(text)?;
    problem.scene.solver.iterations = 0;
    Ok(problem)
}

fn box_shape(min: [f64; 3], max: [f64; 3], scale: f64) -> String {
    let scaled = |c: [f64; 3]| c.map(|x| x * scale);
    format!("box = {{ min = {:?}, max = {:?} }}", scaled(min), scaled(max))
}

fn cube(lab: &Lab, scale: f64) -> Result<Problem, CardError> {
    cloud(lab, &box_shape([0.0; 3], [0.6; 3], scale), scale)
}

/// Builds a problem of given points with kernel radius 1.
fn points(lab: &Lab, position: &[DVec3]) -> Result<Problem, CardError> {
    let rest = elastic(1000.0, 1e5, 0.3) + &lattice_box("points", [0.0; 3], [1.0; 3], 1.0, "");
    let mut problem = prepared(lab, &scene(1e-3, STILL, 1.0, PLAIN, &rest))?;
    replace(&mut problem, &position.iter().map(|&at| (at, 1.0)).collect());
    Ok(problem)
}

/// Returns the velocity gradients of `field` by the device's pair records, evaluated in f64; by particle id.
fn gradients(trial: &mut Trial, field: impl Fn(DVec3) -> DVec3) -> Result<Vec<DMat3>, CardError> {
    trial.step(1)?;
    let position = &trial.problem.particles.position;
    trial.device.gradients(position.len(), |id| field(position[id]))
}

/// Returns relative errors of the gradients of a random affine field, in ascending order; infinite where a gradient is not finite. `kept`
/// projects on the space that the neighborhoods span.
fn errors(lab: &Lab, problem: Problem, kept: DMat3) -> Result<Vec<f64>, CardError> {
    let mut draws = Draws(problem.particle_count() as u64);
    let (a, b) = (draws.matrix(), draws.vector());
    let expected = a * kept;
    let found = gradients(&mut Trial::new(lab, problem)?, |x| a * x + b)?;
    let error = |g: &DMat3| if g.is_finite() { norm(*g - expected) / norm(a) } else { f64::INFINITY };
    let mut errors: Vec<f64> = found.iter().map(error).collect();
    errors.sort_unstable_by(f64::total_cmp);
    Ok(errors)
}

fn passes(lab: &Lab, name: &str, problem: Problem, findings: &mut Findings) -> Result<Vec<f64>, CardError> {
    let errors = errors(lab, problem, DMat3::IDENTITY)?;
    let last = errors.len() - 1;
    let what = format!("worst error, {name} ({} particles)", errors.len());
    findings.check(what, "", errors[last], Expected::AtMost(1e-4));
    let what = format!("error of all but one particle in 1000, {name}");
    findings.check(what, "", errors[last * 999 / 1000], Expected::AtMost(1e-5));
    Ok(errors)
}

fn quantiles(name: &str, color: usize, errors: &[f64]) -> Curve {
    let last = errors.len() - 1;
    let at = |i: usize| [i as f64 / 200.0, errors[last * i / 200]];
    Curve::line(name, color, (0..=200).map(at).filter(|p| p[1] > 0.0).collect())
}

fn lines_and_planes(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let turn = DMat3::from_euler(glam::EulerRot::XYZ, 0.4, -0.7, 1.1);
    let along = |d: DVec3| DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    let line: Vec<DVec3> = (0..9).map(|i| turn.x_axis * f64::from(i) * 0.8).collect();
    let plane: Vec<DVec3> = (0..49)
        .map(|i| turn.x_axis * f64::from(i % 7) * 0.9 + turn.y_axis * f64::from(i / 7) * 0.9)
        .collect();
    let spans = [along(turn.x_axis), DMat3::IDENTITY - along(turn.z_axis)];
    for (name, at, span) in
        [("line", &line[..], spans[0]), ("two points", &line[..2], spans[0]), ("plane", &plane[..], spans[1])]
    {
        let errors = errors(lab, points(lab, at)?, span)?;
        findings.check(format!("worst error, {name}"), "", errors[errors.len() - 1], Expected::AtMost(1e-5));
    }
    let apart = points(lab, &[DVec3::ZERO, DVec3::X * 5.0])?;
    let found = gradients(&mut Trial::new(lab, apart)?, |x| x)?;
    let largest = found.iter().map(|g| norm(*g)).fold(0.0, f64::max);
    findings.check("gradient of particles without neighbors", "", largest, Expected::AtMost(0.0));
    Ok(())
}

/// Returns the rms error of the gradients of a random field of `degree` over the rms gradient, in the middle of a cube.
fn error_of_degree(
    lab: &Lab,
    degree: i32,
    kind: &str,
    spacing: f64,
    stabilization: f64,
) -> Result<f64, CardError> {
    let mut problem = sampled(lab, &box_shape([0.0; 3], [0.6; 3], 1.0), kind, spacing)?;
    problem.scene.solver.stabilization = stabilization;
    let mut draws = Draws(17);
    let terms = [(draws.vector(), draws.vector()), (draws.vector(), draws.vector())];
    let mut trial = Trial::new(lab, problem)?;
    let found = gradients(&mut trial, |x| terms.iter().map(|(u, a)| *u * a.dot(x).powi(degree)).sum())?;
    let (mut off, mut all) = (0.0, 0.0);
    for (g, &x) in found.iter().zip(&trial.problem.particles.position) {
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
    Ok((off / all).sqrt())
}

fn orders(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let published = [("poisson_disk", 2, 1.0, 0.0), ("poisson_disk", 3, 1.0, 0.0), ("lattice", 3, 2.0, 0.0)];
    let cases = published
        .into_iter()
        .chain([("poisson_disk", 3, 2.0, STABILIZATION), ("lattice", 3, 2.0, STABILIZATION)]);
    for (kind, degree, expected, k_s) in cases {
        let coarse = error_of_degree(lab, degree, kind, 0.05, k_s)?;
        let order = (coarse / error_of_degree(lab, degree, kind, 0.025, k_s)?).log2();
        let expected = Expected::Absolute { reference: expected, tolerance: 0.2 };
        findings.check(
            format!("order of the error, {kind}, degree {degree}, k_s = {k_s}"),
            "",
            order,
            expected,
        );
    }
    let scattered = |k_s| error_of_degree(lab, 2, "poisson_disk", 0.05, k_s);
    let part = scattered(STABILIZATION)? / scattered(0.0)?;
    let what = "error of degree 2 among scattered points over that of the published gradient";
    findings.check(what, "", part, Expected::AtMost(0.1));
    let symmetric = error_of_degree(lab, 2, "lattice", 0.05, STABILIZATION)?;
    findings.check("error inside a lattice, degree 2", "", symmetric, Expected::AtMost(1e-5));
    Ok(())
}

/// Shows what the correction is for.
fn control(lab: &Lab, mut problem: Problem, findings: &mut Findings) -> Result<Vec<f64>, CardError> {
    problem.scene.solver.kernel_correction = false;
    let errors = errors(lab, problem, DMat3::IDENTITY)?;
    let (median, worst) = (errors[errors.len() / 2], errors[errors.len() - 1]);
    findings.check("control without correction: median error", "", median, Expected::AtLeast(1e-2));
    findings.check("control without correction: worst error", "", worst, Expected::AtLeast(0.3));
    Ok(errors)
}
