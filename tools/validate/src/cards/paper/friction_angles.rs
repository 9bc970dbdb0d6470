//! P2, the friction-angle inset: heaps of sand that differ only in their friction angle.
//!
//! Columns of radius R and height 2 R (`configs/scenes/friction_angles.toml`) collapse on a floor with friction 0.5. The card asks for
//! columns as high as their radius; these keep their top from about 35 degrees on (Lube et al. 2004 find the same for real sand below a
//! height of 1.7 R), and then the height says nothing about the angle. Heights are thicknesses by mass at the axis, fronts are where the
//! thickness falls below half a spacing, and slopes are those of a line through the flank from 0.2 to 0.8 of the height.
//!
//! In steady shear this cone has tau / sigma = M / sqrt(3) with M = 6 sin phi / (3 - sin phi): the critical slope. A heap that has slid
//! to rest is flatter, by one factor for all angles if the law scales as it should. Thicknesses are based on the volume that the sand
//! occupies at the end: points represent less than they fill, and sand at rest is loose.
//!
//! The control is position-based grains (Fig. 13): spheres whose contacts have a friction of tan 35 degrees, the same in all four
//! columns. They must miss the series.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};
use tuff_problem::Problem;

use crate::measure::{Heap, bulking, positions, shear_friction};
use crate::shipped::FRICTION_ANGLES;
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "P2",
    title: "Heaps of four friction angles",
    reference: "Inset of the paper: steeper heaps with larger angles; critical slope of the Drucker-Prager cone",
    figure: Some("inset"),
    by_default: ByDefault::Judged([1.1, 1.1, 10.0]),
    minutes: [2.0, 2.0, 17.0],
    run,
};

/// Friction angles of the bodies, in order [degrees].
const ANGLES: [f64; 4] = [15.0, 25.0, 35.0, 45.0];

/// A heap at rest.
struct Measured {
    angle: f64,
    height: f64,
    front: f64,
    slope: f64,
    profile: Vec<[f64; 2]>,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (heaps, picture) = fall(lab, &[], findings)?;
    judge(&heaps, findings);
    findings.image("Friction angles of 15, 25, 35 and 45 degrees", &picture);
    if lab.by_default() {
        return Ok(());
    }
    let grains = ["solver.matter=grains".to_owned(), "solver.grain_friction=0.7".to_owned()];
    let (control, control_picture) = fall(lab, &grains, findings)?;
    judge_grains(&control, findings);
    draw(&heaps, &control, findings);
    findings.image("The same columns as position-based grains", &control_picture);
    Ok(())
}

/// Runs the scene with overridden keys and returns the heaps and their picture.
fn fall(lab: &Lab, keys: &[String], findings: &mut Findings) -> Result<(Vec<Measured>, Vec<u8>), CardError> {
    let particles = lab.pick(5000, 5000, 60_000);
    let mut trial = lab.start(lab.shipped(FRICTION_ANGLES, keys, Some(particles))?)?;
    let time = trial.problem.scene.time;
    let mut report = Default::default();
    for _ in time.first_frame..time.last_frame {
        report = trial.frame()?;
    }
    let weight = trial.problem.mass.iter().sum::<f64>() * trial.problem.scene.gravity.length();
    let (name, solver) = if keys.is_empty() {
        ("Tuff", format!("force residual {:.1e}, ", report.residual.force))
    } else {
        ("Position-based grains", String::new())
    };
    findings.remark(format!(
        "{name}: {} particles, {solver}fastest {:.3} m/s at the end; smoothing acts like {}; the kinetic energy left \
         would lift the sand by {:.1e} m.",
        trial.problem.particle_count(),
        report.max_speed,
        trial.problem.describe_smoothing(),
        report.energies.kinetic / weight
    ));
    let points = positions(&trial.now()?);
    let problem = &trial.problem;
    let bulk = bulking(&points, &problem.particles.rest_volume, problem.scene.solver.kernel_radius);
    findings.record(format!("{name}: volume over the rest volume"), "", bulk);
    let heaps = (0..ANGLES.len()).map(|body| measure(problem, &points, bulk, body)).collect();
    Ok((heaps, trial.picture()?))
}

/// Checks the control: grains must not follow the series, which sand must follow within 3 degrees.
fn judge_grains(heaps: &[Measured], findings: &mut Findings) {
    for heap in heaps {
        findings.record(
            format!("grains: slope in the place of {} degrees", heap.angle),
            "degrees",
            heap.slope,
        );
    }
    let factor = common_factor(heaps);
    let off = heaps.iter().map(|h| (h.slope - factor * critical_slope(h.angle)).abs()).fold(0.0, f64::max);
    findings.check("grains: largest distance from their own series", "degrees", off, Expected::AtLeast(3.0));
}

/// Returns the factor between slopes and critical slopes, by least squares.
fn common_factor(heaps: &[Measured]) -> f64 {
    let product: f64 = heaps.iter().map(|h| h.slope * critical_slope(h.angle)).sum();
    let square: f64 = heaps.iter().map(|h| critical_slope(h.angle).powi(2)).sum();
    product / square
}

/// Measures a heap; `bulk` is the volume that the sand occupies over its rest volume.
fn measure(problem: &Problem, points: &[DVec3], bulk: f64, body: usize) -> Measured {
    let members: Vec<usize> =
        (0..points.len()).filter(|&p| problem.particles.body[p] as usize == body).collect();
    let start: Vec<DVec3> = members.iter().map(|&p| problem.particles.position[p]).collect();
    let center = start.iter().sum::<DVec3>() / start.len() as f64;
    let at: Vec<DVec3> = members.iter().map(|&p| points[p]).collect();
    let spacing = problem.spacing(body);
    let volume: Vec<f64> = members.iter().map(|&p| bulk * problem.particles.rest_volume[p]).collect();
    let heap = Heap::around(&at, &volume, center, spacing);
    let height = heap.height(2.0 * spacing);
    Measured {
        angle: ANGLES[body],
        height,
        front: heap.front(0.5 * spacing),
        slope: heap.flank(height, 0.2, 0.8),
        profile: heap.profile,
    }
}

/// Returns the slope of a steady flow down the cone [degrees].
fn critical_slope(angle: f64) -> f64 {
    shear_friction(angle).atan().to_degrees()
}

fn judge(heaps: &[Measured], findings: &mut Findings) {
    for heap in heaps {
        let what = |what: &str| format!("{what} at {} degrees", heap.angle);
        findings.record(what("height"), "m", heap.height);
        findings.record(what("front"), "m", heap.front);
    }
    for pair in heaps.windows(2) {
        let name = format!("from {} to {} degrees", pair[0].angle, pair[1].angle);
        let (height, front) = (pair[1].height / pair[0].height, pair[0].front / pair[1].front);
        findings.check(format!("height grows {name}"), "", height, Expected::AtLeast(1.05));
        findings.check(format!("front falls back {name}"), "", front, Expected::AtLeast(1.05));
    }
    let factor = common_factor(heaps);
    findings.check("flanks over critical slopes", "", factor, Expected::Between(0.75, 1.0));
    findings.known(
        Expected::Between(0.5, 1.0),
        "columns of this height slide on beyond rest: real sand with a slope of repose of 31 degrees ends 0.88 2^(1/6) R high and \
         3.26 R wide (Lube et al. 2004), a mean slope of 16.9 degrees, 0.54 of that; the card's range is that of slow piles",
    );
    for heap in heaps {
        let reference = factor * critical_slope(heap.angle);
        let expected = Expected::Absolute { reference, tolerance: 3.0 };
        findings.check(format!("slope at {} degrees", heap.angle), "degrees", heap.slope, expected);
    }
}

fn draw(heaps: &[Measured], grains: &[Measured], findings: &mut Findings) {
    let slope = |h: &Measured| [h.angle, h.slope];
    let critical = |h: &Measured| [h.angle, critical_slope(h.angle)];
    findings.diagram(&Chart {
        title: "Slope of the flank".to_owned(),
        x: Axis { label: "friction angle".to_owned(), unit: "degrees", log: false },
        y: Axis { label: "slope".to_owned(), unit: "degrees", log: false },
        curves: vec![
            Curve::line("critical slope", GREY, heaps.iter().map(critical).collect()),
            Curve::dots("heaps", 0, heaps.iter().map(slope).collect()),
            Curve::dots("position-based grains", 1, grains.iter().map(slope).collect()),
        ],
        ..Chart::default()
    });
    // Single grains roll far away.
    let reach = 1.5 * heaps.iter().map(|h| h.front).fold(0.0, f64::max);
    let profile = |(color, h): (usize, &Measured)| {
        let points = h.profile.iter().copied().filter(|[r, _]| *r < reach).collect();
        Curve::line(&format!("{} degrees", h.angle), color, points)
    };
    findings.diagram(&Chart {
        title: "Heaps at rest".to_owned(),
        x: Axis { label: "distance from the axis".to_owned(), unit: "m", log: false },
        y: Axis { label: "thickness".to_owned(), unit: "m", log: false },
        curves: heaps.iter().enumerate().map(profile).collect(),
        ..Chart::default()
    });
}
