//! B9: a disk pressed between two platens (Brazilian test).
//!
//! Closed form of plane elasticity: a load P across the diameter D of a disk of thickness t produces `s_x = 2 P / (pi D t)` and
//! `s_y = -6 P / (pi D t)` in the center, whatever the material. P is measured by the platens as impulse per time. Both stresses are
//! means over the particles within D / 20 of the center.
//!
//! The platens approach until the half width of the contact after Hertz, `b = sqrt(4 P R / (pi E* t))`, is a degree or two of the
//! circumference; flat contacts of width 2 a lower the stress in the center by (a / R)^2. The lattice is bent to the circle: a straight
//! one would touch with the flat patch of its outermost row, 25 degrees wide. The platens are planes, or boxes of triangles.

use tuff_chart::{Axis, Chart, Curve, GREY};

use glam::DVec3;

use crate::measure::{kirchhoff, positions};
use crate::meshes::{File, Triangles};
use crate::points::{disk, replace};
use crate::scenes::{PLAIN, elastic, lattice_box, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Size, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B9",
    title: "Disk between platens (Brazilian test)",
    reference: "Stresses in the middle by plane elasticity",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.1, 4.0]),
    minutes: [0.2, 0.4, 8.0],
    run,
};

const RADIUS: f64 = 0.1;
const THICKNESS: f64 = 0.02;
const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
/// Travel of each platen [m].
const WAY: f64 = 8e-4;

/// What presses the disk.
#[derive(Clone, Copy, PartialEq)]
enum Platens {
    Planes,
    Boxes,
}

/// Number of points across the diameter and through the thickness.
#[derive(Clone, Copy)]
struct Disk {
    platens: Platens,
    across: u32,
    layers: u32,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let at = |across, layers| Disk { platens: Platens::Planes, across, layers };
    let mut disks = lab.pick(vec![at(20, 2)], vec![at(20, 2), at(30, 3)], vec![at(30, 3), at(44, 4)]);
    if lab.by_default() || lab.size() == Size::Full {
        disks.push(Disk { platens: Platens::Boxes, ..disks[0] });
    }
    let mut chart = Chart {
        title: "Stress along the horizontal diameter".to_owned(),
        x: Axis { label: "distance from the middle over R".to_owned(), unit: "1", log: false },
        y: Axis { label: "vertical stress times pi D t / P".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    for (index, disk) in disks.iter().enumerate() {
        let points = disk.press(lab, findings)?;
        chart.curves.push(Curve::dots(&disk.name(), index, points));
    }
    // Line load: s_y pi D t / P = 2 (1 - 4 / (1 + x^2)^2).
    let theory =
        (0..=100).map(|i| f64::from(i) / 100.0).map(|x| [x, 2.0 - 8.0 / (1.0 + x * x).powi(2)]).collect();
    chart.curves.push(Curve::line("closed form", GREY, theory));
    findings.diagram(&chart);
    Ok(())
}

impl Platens {
    /// Returns the lower and the upper collider with their keys.
    fn colliders(self, [lower, upper]: [&str; 2]) -> String {
        let mesh = |name: &str, keys: &str| {
            format!(
                "[[collider]]\nname = \"{name}\"\n{keys}\nshape = {{ mesh = {{ file = \"{name}.obj\" }} }}\n"
            )
        };
        match self {
            Self::Planes => {
                plane("lower", [0.0, -RADIUS, 0.0], [0.0, 1.0, 0.0], lower)
                    + &plane("upper", [0.0, RADIUS, 0.0], [0.0, -1.0, 0.0], upper)
            }
            Self::Boxes => mesh("lower", lower) + &mesh("upper", upper),
        }
    }

    /// Returns the files of the meshes.
    fn files(self) -> Vec<File> {
        let cuboid = |name: &str, y: [f64; 2]| {
            let half = DVec3::new(RADIUS, 0.0, 3.0 * THICKNESS);
            Triangles::cuboid(y[0] * DVec3::Y - half, y[1] * DVec3::Y + half).file(name)
        };
        match self {
            Self::Planes => vec![],
            Self::Boxes => {
                vec![
                    cuboid("lower.obj", [-1.5 * RADIUS, -RADIUS]),
                    cuboid("upper.obj", [RADIUS, 1.5 * RADIUS]),
                ]
            }
        }
    }
}

impl Disk {
    fn name(&self) -> String {
        let boxes = if self.platens == Platens::Boxes { ", boxes of triangles" } else { "" };
        format!("{} across, {} layers{boxes}", self.across, self.layers)
    }

    /// Presses the disk until it rests. Returns vertical stresses near the horizontal diameter over P / (pi D t).
    fn press(&self, lab: &Lab, findings: &mut Findings) -> Result<Vec<[f64; 2]>, CardError> {
        let spacing = 2.0 * RADIUS / f64::from(self.across);
        let sound = (YOUNG * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)) / DENSITY).sqrt();
        let dt = 0.5 * spacing / sound;
        // Approximate angular frequency of the slowest mode, an ellipse.
        let omega = 1.9 * (YOUNG / (2.0 * (1.0 + POISSON)) / DENSITY).sqrt() / RADIUS;
        let count = (16.0 / (omega * dt)) as u32;
        let motion = |way: f64| {
            let end = 0.5 * dt * f64::from(count);
            format!(
                "friction = 0.0\nmotion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {end:?}, translate = [0.0, {way:?}, 0.0] }} ] }}"
            )
        };
        let rest = elastic(DENSITY, YOUNG, POISSON)
            + &lattice_box("disk", [-RADIUS, -RADIUS, 0.0], [RADIUS, RADIUS, THICKNESS], spacing, "")
            + &self.platens.colliders([&motion(WAY), &motion(-WAY)]);
        let solver = format!("iterations = 10\nmultiplier = \"tensor\"\n{PLAIN}");
        let text = scene(dt, [0.0; 3], spacing, &solver, &rest);
        let mut problem = lab.problem_beside(&text, &self.platens.files())?;
        replace(&mut problem, &disk(RADIUS, self.across, THICKNESS, self.layers));
        let mut trial = Trial::new(lab, problem)?;
        trial.relax(f64::from(count) * dt, 2.0 * omega)?;
        let last = 20;
        let (mut impulse, mut residual) = ([0.0; 2], 0.0);
        for _ in 0..last {
            let report = trial.run(dt)?;
            residual = report.residual.force;
            impulse = [0, 1].map(|k| impulse[k] + report.collider_impulse[k][1].abs());
        }
        let [lower, upper] = impulse.map(|sum| sum / (dt * f64::from(last)));
        let load = 0.5 * (lower + upper);
        let unit = load / (std::f64::consts::PI * 2.0 * RADIUS * THICKNESS);
        let frame = trial.now()?;
        let (start, now) = (&trial.problem.particles.position, positions(&frame));
        let inside: Vec<usize> =
            (0..start.len()).filter(|&p| start[p].x.hypot(start[p].y) < 0.1 * RADIUS).collect();
        let mean = |axis: usize| {
            inside.iter().map(|&p| kirchhoff(&trial.problem, &frame, p)[(axis, axis)]).sum::<f64>()
                / inside.len() as f64
        };
        let name = self.name();
        findings.relative(format!("s_x in the middle, {name}"), "Pa", mean(0), 2.0 * unit, 0.08);
        findings.relative(format!("s_y in the middle, {name}"), "Pa", mean(1), -6.0 * unit, 0.08);
        findings.check(
            format!("ratio of the platens' forces, {name}"),
            "",
            lower / upper,
            Expected::Between(0.99, 1.01),
        );
        let lateral = 1.0 - POISSON * POISSON;
        let width = (4.0 * load * RADIUS * lateral / (std::f64::consts::PI * YOUNG * THICKNESS)).sqrt();
        findings.remark(format!(
            "{name}: {} particles ({} in the middle), P = {load:.4} N, contact {:.1} degrees wide, dt = {dt:.2e} s, {count} substeps of 10 \
             iterations, force residual {residual:.1e}",
            start.len(),
            inside.len(),
            2.0 * (width / RADIUS).asin().to_degrees()
        ));
        let near = |p: &usize| start[*p].y.abs() < 0.6 * spacing && now[*p].x > 0.0;
        let row = (0..start.len()).filter(near);
        Ok(row.map(|p| [start[p].x / RADIUS, kirchhoff(&trial.problem, &frame, p)[(1, 1)] / unit]).collect())
    }
}
