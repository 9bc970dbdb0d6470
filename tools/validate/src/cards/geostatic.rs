//! B16: sand at rest in a box.
//!
//! Between frictionless walls the vertical stress at depth z is rho g z. The horizontal stress is K0 times as large: nu / (1 - nu) as
//! long as the matter is elastic, and at least the cone's floor (3 - M) / (3 + 2 M) in confined compression,
//! M = 6 sin(phi) / (3 - sin(phi)). (Jaky's 1 - sin(phi) does not apply to this model.) Nothing creeps.
//!
//! A layer next to a wall carries about half of the stress that it transmits (see B6). Matter with friction suffers twice: where the
//! horizontal stress is halved, it bears less vertical stress, and the interior bears more. The measures exclude the two layers next to
//! floor, walls and surface; the error in the interior falls with the number of particles across.

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{cone_slope, kirchhoff, positions};
use crate::scenes::{PLAIN, lattice_box, material, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B16",
    title: "Sand at rest in a box: stresses and no creep",
    reference: "rho g z; K0 = max(nu / (1 - nu), (3 - M) / (3 + 2 M))",
    figure: None,
    by_default: ByDefault::Judged([0.2, 0.4, 6.0]),
    minutes: [0.5, 2.5, 12.0],
    run,
};

const WIDTH: f64 = 0.3;
const HEIGHT: f64 = 0.5;
const DENSITY: f64 = 1500.0;
const GRAVITY: f64 = 9.81;
const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mut chart = Chart {
        title: "Stresses of sand in a box".to_owned(),
        x: Axis { label: "depth / H".to_owned(), unit: "1", log: false },
        y: Axis { label: "stress / (rho g H)".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    // The quick size shows convergence at one angle.
    let all: [&[u32]; 2] = lab.pick([&[6], &[6]], [&[6, 9], &[6]], [&[9, 15], &[9, 15]]);
    let angles = [(30.0, 0.4286, all[0]), (20.0, 0.490, all[1])];
    for (index, (angle, published, counts)) in angles.into_iter().enumerate() {
        let m = cone_slope(angle);
        let reference = (POISSON / (1.0 - POISSON)).max((3.0 - m) / (3.0 + 2.0 * m));
        findings.relative(format!("closed form of K0, phi = {angle}"), "", reference, published, 1e-3);
        let (mut points, mut before) = (Vec::new(), f64::INFINITY);
        for &across in counts {
            let found = rest(lab, across, angle, reference, findings)?;
            let what = format!("rms error of the vertical stress falls, phi = {angle}, {across} across");
            if before.is_finite() {
                findings.check(what, "", found.rms, Expected::AtMost(before));
            }
            (points, before) = (found.points, found.rms);
        }
        let pick = |i: usize| points.iter().map(|p| [p[0], p[i]]).collect();
        let name = |what: &str| if index == 0 { what.to_owned() } else { String::new() };
        if index == 0 {
            chart.curves.push(Curve::line("closed form", GREY, vec![[0.0, 0.0], [1.0, 1.0]]));
        }
        chart.curves.push(Curve::line("", GREY, vec![[0.0, 0.0], [1.0, reference]]));
        chart.curves.push(Curve::dots(&name("vertical"), 0, pick(1)));
        chart.curves.push(Curve::dots(&format!("horizontal, phi = {angle}"), index + 1, pick(2)));
    }
    findings.diagram(&chart);
    Ok(())
}

fn sand(across: u32, angle: f64, dt: f64) -> String {
    let spacing = WIDTH / f64::from(across);
    let layers = (HEIGHT / spacing).round();
    let half = 0.5 * WIDTH;
    let wall = |name, x: f64, z: f64| {
        plane(
            name,
            [x, 0.0, z],
            [-x.signum() * x.abs().ceil(), 0.0, -z.signum() * z.abs().ceil()],
            "friction = 0.0",
        )
    };
    let rest = material("drucker_prager", DENSITY, YOUNG, POISSON, &format!("friction_angle = {angle:?}"))
        + &lattice_box("sand", [-half, 0.0, -half], [half, layers * spacing, half], spacing, "")
        + &plane("floor", [0.0; 3], [0.0, 1.0, 0.0], "friction = 0.0")
        + &wall("left", -half, 0.0)
        + &wall("right", half, 0.0)
        + &wall("back", 0.0, -half)
        + &wall("front", 0.0, half);
    scene(dt, [0.0, -GRAVITY, 0.0], spacing, &format!("iterations = 10\n{PLAIN}"), &rest)
}

/// State of a box at rest.
struct Rest {
    /// Depth over H, vertical and horizontal stress over rho g H of the interior particles.
    points: Vec<[f64; 3]>,
    /// Error of the vertical stress over rho g H.
    rms: f64,
}

/// Why stresses between walls are too large.
const WALLS: &str = "the layers next to the walls carry about half of the horizontal stress (recorded), so they bear less vertical stress and \
                     the inside bears more; the share of particles at the walls is 56 % at 6 across, 40 % at 9, 25 % at 15";

fn rest(lab: &Lab, across: u32, angle: f64, ratio: f64, findings: &mut Findings) -> Result<Rest, CardError> {
    let spacing = WIDTH / f64::from(across);
    let wave = (1.35 * YOUNG / DENSITY).sqrt();
    let dt = 0.5 * spacing / wave;
    let mut trial = lab.trial(&sand(across, angle, dt))?;
    let omega = 0.5 * std::f64::consts::PI * wave / HEIGHT;
    trial.relax(20.0 / omega, 2.0 * omega)?;
    let frame = trial.now()?;
    let start = trial.problem.particles.position.clone();
    let height = (HEIGHT / spacing).round() * spacing;
    let scale = DENSITY * GRAVITY * height;
    let margin = 2.0 * spacing;
    let inside = |p: &usize| {
        let x = start[*p];
        x.x.abs().max(x.z.abs()) < 0.5 * WIDTH - margin && x.y > margin && x.y < height - margin
    };
    let mut points = Vec::new();
    for p in (0..start.len()).filter(inside) {
        let tau = kirchhoff(&trial.problem, &frame, p);
        points.push([
            1.0 - start[p].y / height,
            -tau[(1, 1)] / scale,
            -0.5 * (tau[(0, 0)] + tau[(2, 2)]) / scale,
        ]);
    }
    let off: f64 = points.iter().map(|[depth, vertical, _]| (vertical - depth).powi(2)).sum();
    let rms = (off / points.len() as f64).sqrt();
    let name = format!("phi = {angle}, {across} across");
    findings.check(
        format!("rms error of the vertical stress over rho g H, {name}"),
        "",
        rms,
        Expected::AtMost(0.03),
    );
    findings.known(Expected::AtMost(1.0 / f64::from(across)), WALLS);
    let sum = |i: usize| points.iter().map(|p| p[i]).sum::<f64>();
    let expected = Expected::Absolute { reference: ratio, tolerance: 0.03 };
    findings.check(format!("K0, {name}"), "", sum(2) / sum(1), expected);
    let wider = Expected::Absolute { reference: ratio, tolerance: 0.6 / f64::from(across) };
    findings.known(wider, WALLS);
    let side = 0.5 * WIDTH - spacing;
    let mean = |at: &dyn Fn(f64) -> bool| {
        let of = |p: &usize| {
            at(start[*p].x.abs())
                && start[*p].z.abs() < side
                && start[*p].y > margin
                && start[*p].y < height - margin
        };
        let members: Vec<usize> = (0..start.len()).filter(of).collect();
        members.iter().map(|&p| kirchhoff(&trial.problem, &frame, p)[(0, 0)]).sum::<f64>()
            / members.len() as f64
    };
    let share = mean(&|x| x > side) / mean(&|x| x < side - spacing);
    findings.record(
        format!("horizontal stress of the layers at the walls over that inside, {name}"),
        "",
        share,
    );

    let surface: Vec<usize> = (0..start.len()).filter(|&p| start[p].y > height - spacing).collect();
    let level = |x: &[glam::DVec3]| surface.iter().map(|&p| x[p].y).sum::<f64>() / surface.len() as f64;
    let before = level(&positions(&frame));
    let report = trial.run(2.0)?;
    let after = level(&positions(&trial.now()?));
    let expected = Expected::Absolute { reference: 0.0, tolerance: 0.1 };
    findings.check(
        format!("creep of the surface in 2 s, {name}"),
        "spacings",
        (after - before) / spacing,
        expected,
    );
    let energy = report.energies.kinetic / (trial.problem.mass.iter().sum::<f64>() * GRAVITY * height);
    // Value at the speed with which the surface would creep by the allowed amount.
    let slow = 0.5 * (0.1 * spacing / 2.0).powi(2) / (GRAVITY * height);
    findings.check(format!("kinetic energy over m g H, {name}"), "", energy, Expected::AtMost(slow));
    findings.remark(format!(
        "{name}: {} particles, 10 iterations, no smoothing, force residual {:.1e}.",
        start.len(),
        report.residual.force
    ));
    Ok(Rest { points, rms })
}
