//! B6: columns and bars under their own weight at equilibrium.
//!
//! Closed form: with X the height of a material plane from the free end, the nominal stress is rho g X, and the stretch l solves M
//! ln(l) / l = -+ rho g X (M = E for a free bar and for nu = 0, lambda + 2 mu for a confined one). Two planes approach each other by the
//! integral of 1 - l between them. The planes are those of the first and last particle layer: the collider or the pin holds the former in
//! place. The stress profile excludes the two layers next to each end, but not those next to the side walls.
//!
//! A layer that transmits normal stress to a collider or a pin carries about half of it: its one-sided gradient enters the force balance
//! of the next layer with twice the weight of a central one. Therefore the floor makes the settlement too small by a fraction of one
//! spacing's strain, and for nu > 0 the walls make it too large by a share that falls like 1 / (particles across).

use std::f64::consts::PI;

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::kirchhoff;
use crate::scenes::{PLAIN, elastic, lattice_box, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B6",
    title: "Columns and bars under their own weight",
    reference: "Closed form of Hencky elasticity; the confined column is the AMPLE benchmark",
    figure: None,
    by_default: ByDefault::Judged([0.2, 0.6, 15.0]),
    minutes: [0.7, 2.6, 40.0],
    run,
};

/// A column of square section.
#[derive(Clone, Copy)]
struct Column {
    height: f64,
    density: f64,
    gravity: f64,
    youngs_modulus: f64,
    poisson_ratio: f64,
    /// Whether it hangs from pins with free sides, instead of standing on a floor between frictionless walls.
    hangs: bool,
    /// Number of particle layers.
    layers: u32,
    /// Number of particles across.
    across: u32,
    /// Whether the tensor multiplier is used.
    tensor: bool,
}

/// Height 50 m, between rollers, nu = 0.
const CONFINED: Column = Column {
    height: 50.0,
    density: 80.0,
    gravity: 10.0,
    youngs_modulus: 1e6,
    poisson_ratio: 0.0,
    hangs: false,
    layers: 40,
    across: 4,
    tensor: false,
};

/// Length 1 m, hanging, with free sides.
const HANGING: Column = Column {
    height: 1.0,
    density: 1000.0,
    gravity: 9.81,
    youngs_modulus: 1e6,
    poisson_ratio: 0.3,
    hangs: true,
    layers: 40,
    across: 4,
    tensor: true,
};

/// Height 1 m, between rollers, nu = 0.3.
const SIDEWAYS: Column = Column { hangs: false, youngs_modulus: 1e5, ..HANGING };

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    closed_form(findings);
    let tensor = |column: Column, youngs_modulus| Column { youngs_modulus, tensor: true, ..column };
    let mut columns = vec![CONFINED, HANGING];
    if lab.size() > crate::Size::Test {
        columns.push(tensor(HANGING, 1e5));
    }
    if lab.size() == crate::Size::Full {
        columns.extend([1e5, 3e4, 1e4].map(|modulus| tensor(CONFINED, modulus)));
        columns.push(tensor(HANGING, 3e4));
        columns.extend([tensor(CONFINED, 1e6), Column { tensor: false, ..HANGING }]);
    }
    let mut chart = profile_chart();
    for (index, column) in columns.iter().enumerate() {
        let settled = settle(lab, column)?;
        settled.judge(column, findings);
        if index < 2 {
            settled.draw(column, index, &mut chart);
        }
    }
    findings.diagram(&chart);
    if lab.size() > crate::Size::Test {
        convergence(lab, findings)?;
        walls(lab, findings)?;
    }
    Ok(())
}

/// Checks the closed form against the published settlements.
fn closed_form(findings: &mut Findings) {
    for (column, modulus, expected) in [
        (CONFINED, 1e6, -0.96201),
        (CONFINED, 1e5, -7.3347),
        (CONFINED, 3e4, -15.999),
        (CONFINED, 1e4, -25.940),
        (HANGING, 1e6, 4.954e-3),
        (HANGING, 1e5, 54.61e-3),
        (HANGING, 3e4, 271.7e-3),
        (SIDEWAYS, 1e5, -34.01e-3),
    ] {
        let column = Column { youngs_modulus: modulus, ..column };
        let what = format!("closed form, {}", column.name());
        findings.relative(what, "m", column.change(0.0, column.height), expected, 3e-4);
    }
}

/// Limit of errors with default settings.
const BALANCE: &str =
    "The default solver ends at a force residual of 0.01: errors may have either sign within a hundredth.";

/// Compares the errors at two resolutions.
fn convergence(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    for column in [CONFINED, HANGING] {
        let error =
            |layers| Ok::<_, CardError>(settle(lab, &Column { layers, ..column })?.settlement_error());
        let (coarse, fine) = (error(20)?, error(40)?);
        let what = format!("error at 40 layers, {}", column.name());
        // Errors below 0.3 % come from the relaxation.
        findings.check(what, "", fine.abs(), Expected::AtMost(coarse.abs().max(0.003)));
        findings.known_by_default(lab, Expected::AtMost(0.01), BALANCE);
        findings.record(format!("error at 20 layers, {}", column.name()), "", coarse);
    }
    Ok(())
}

/// Checks walls that bear lateral stress: the layer next to them carries half of it, so the error falls with the number of particles
/// across.
fn walls(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let counts: &[u32] = lab.pick(&[4], &[4, 7], &[4, 7, 11]);
    let mut coarser = None;
    for &across in counts {
        let settled = settle(lab, &Column { across, ..SIDEWAYS })?;
        let column = Column { across, ..SIDEWAYS };
        let what = format!("stress error falls, {}", column.name());
        let expected = coarser.map_or(Expected::Anything, Expected::AtMost);
        findings.check(what, "", settled.stress_error, expected);
        coarser = Some(settled.stress_error);
        if across == 11 {
            settled.judge(&column, findings);
        }
    }
    Ok(())
}

impl Column {
    fn name(&self) -> String {
        format!(
            "{} E = {:.0e} Pa, nu = {}, {} layers, {} across, {} multiplier",
            if self.hangs { "hanging," } else { "standing," },
            self.youngs_modulus,
            self.poisson_ratio,
            self.layers,
            self.across,
            if self.tensor { "tensor" } else { "scalar" }
        )
    }

    fn spacing(&self) -> f64 {
        self.height / f64::from(self.layers)
    }

    /// Returns the modulus of a section that cannot widen.
    fn confined_modulus(&self) -> f64 {
        let nu = self.poisson_ratio;
        self.youngs_modulus * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))
    }

    /// Returns the modulus M of the uniaxial law tau = M ln l.
    fn modulus(&self) -> f64 {
        if self.hangs { self.youngs_modulus } else { self.confined_modulus() }
    }

    /// Returns the stretch where `load` [m] of matter hangs below or stands above.
    fn stretch(&self, load: f64) -> f64 {
        let ratio = self.sign() * self.density * self.gravity * load / self.modulus();
        // ln(l) = ratio l by Newton's method from 1, on the branch that starts at l = 1 without load.
        let mut l = 1.0_f64;
        for _ in 0..50 {
            l -= (l.ln() - ratio * l) / (1.0 / l - ratio);
        }
        l
    }

    fn sign(&self) -> f64 {
        if self.hangs { 1.0 } else { -1.0 }
    }

    /// Returns the change of the distance between the planes `from` and `to` [m from the free end], by Simpson's rule.
    fn change(&self, from: f64, to: f64) -> f64 {
        let count = 1000;
        let step = (to - from) / f64::from(count);
        let value = |i: u32| self.stretch(from + step * f64::from(i)) - 1.0;
        let weighted =
            |i: u32| value(i) * if i == 0 || i == count { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
        (0..=count).map(weighted).sum::<f64>() * step / 3.0
    }

    /// Returns the distance of a height from the free end: the length of matter that loads it [m].
    fn load(&self, y: f64) -> f64 {
        if self.hangs { y } else { self.height - y }
    }

    /// Writes the body between y = 0 and `height`. The free end is the top, or the bottom if it hangs. Walls are separate planes, since a
    /// particle at an edge of a box touches only its nearest face.
    fn scene(&self, dt: f64, iterations: u32) -> String {
        let half = 0.5 * f64::from(self.across) * self.spacing();
        let ([x, y], h) = ([-half, half], self.height);
        let body = lattice_box("column", [x, 0.0, x], [y, h, y], self.spacing(), "");
        let holder = if self.hangs {
            let region = [h - self.spacing(), 2.0 * h];
            format!(
                "[[pin]]\nbody = \"column\"\nregion = {{ box = {{ min = [-9.0, {:?}, -9.0], max = [9.0, {:?}, 9.0] }} }}\n",
                region[0], region[1]
            )
        } else {
            let floor = ("floor", [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
            let walls = [
                ("left", [x, 0.0, 0.0], [1.0, 0.0, 0.0]),
                ("right", [y, 0.0, 0.0], [-1.0, 0.0, 0.0]),
                ("back", [0.0, 0.0, x], [0.0, 0.0, 1.0]),
                ("front", [0.0, 0.0, y], [0.0, 0.0, -1.0]),
            ];
            [floor]
                .iter()
                .chain(&walls)
                .map(|&(name, at, normal)| plane(name, at, normal, "friction = 0.0"))
                .collect()
        };
        let multiplier = if self.tensor { "multiplier = \"tensor\"\n" } else { "" };
        let solver = format!("iterations = {iterations}\n{PLAIN}{multiplier}");
        let rest = elastic(self.density, self.youngs_modulus, self.poisson_ratio) + &body + &holder;
        scene(dt, [0.0, -self.gravity, 0.0], self.spacing(), &solver, &rest)
    }
}

/// A column at rest.
struct Settled {
    /// Change of the distance between the outermost compared layers [m], and its expected value.
    change: [f64; 2],
    /// Rms error of the nominal stress over rho g H.
    stress_error: f64,
    /// Height and nominal stress of the particles [m, Pa].
    stress: Vec<[f64; 2]>,
}

/// Relaxes towards equilibrium under a growing load, with nearly critical damping of the slowest mode; the full load acts for half of the
/// time, until only 0.05 % are missing. Steps follow the wave speed, and are short where a floor carries the column. Hencky matter
/// softens as it stretches: the tangent (1 - ln l) / l^2 at the pins sets the pace.
fn settle(lab: &Lab, column: &Column) -> Result<Settled, CardError> {
    let (courant, iterations) = if column.hangs { (1.0, 20) } else { (0.3, 10) };
    let dt = courant * column.spacing() / (column.confined_modulus() / column.density).sqrt();
    let mut trial = lab.trial(&column.scene(dt, iterations))?;
    let l = if column.hangs { column.stretch(column.height) } else { 1.0 };
    let tangent = column.modulus() * (1.0 - l.ln()) / (l * l);
    let omega = 0.5 * PI * (tangent / column.density).sqrt() / column.height;
    trial.relax(20.0 / omega, 2.0 * omega)?;
    Settled::measure(column, &mut trial)
}

impl Settled {
    fn measure(column: &Column, trial: &mut Trial) -> Result<Self, CardError> {
        let frame = trial.now()?;
        let spacing = column.spacing();
        let start = &trial.problem.particles.position;
        let layer = |y: f64| {
            let of = |p: &usize| (start[*p].y - y).abs() < 0.25 * spacing;
            let members: Vec<usize> = (0..start.len()).filter(of).collect();
            members.iter().map(|&p| frame.position[p][1] - start[p].y).sum::<f64>() / members.len() as f64
        };
        // The section cannot contract next to the pins: exclude one width of the hanging bar.
        let (low, high) = (0.5 * spacing, column.height - if column.hangs { 4.5 } else { 0.5 } * spacing);
        let (one, other) = (column.load(low), column.load(high));
        let expected = column.change(one.min(other), one.max(other));
        let mut stress = Vec::new();
        let mut sum = 0.0;
        for (p, x) in start.iter().enumerate() {
            if x.y < 2.0 * spacing || x.y > column.height - if column.hangs { 5.0 } else { 2.0 } * spacing {
                continue;
            }
            // Nominal stress tau / l.
            let nominal = kirchhoff(&trial.problem, &frame, p)[(1, 1)] / column.stretch(column.load(x.y));
            let off = nominal - column.sign() * column.density * column.gravity * column.load(x.y);
            sum += off * off;
            stress.push([x.y, nominal]);
        }
        let scale = column.density * column.gravity * column.height;
        let stress_error = (sum / stress.len() as f64).sqrt() / scale;
        Ok(Self { change: [layer(high) - layer(low), expected], stress_error, stress })
    }

    fn settlement_error(&self) -> f64 {
        self.change[0] / self.change[1] - 1.0
    }

    fn judge(&self, column: &Column, findings: &mut Findings) {
        let name = column.name();
        findings.relative(format!("settlement, {name}"), "m", self.change[0], self.change[1], 0.02);
        let what = format!("rms error of the stress over rho g H, {name}");
        findings.check(what, "", self.stress_error, Expected::AtMost(0.03));
    }

    /// Draws stress over rho g H against height over H: points over the line of the closed form.
    fn draw(&self, column: &Column, color: usize, chart: &mut Chart) {
        let scale = column.density * column.gravity * column.height;
        let points = self.stress.iter().map(|[y, s]| [y / column.height, s / scale]).collect();
        let name = if column.hangs { "hanging bar" } else { "confined column" };
        chart.curves.push(Curve::dots(name, color, points));
        let end = |y: f64| [y, column.sign() * column.load(y * column.height) / column.height];
        let name = if color == 0 { "closed form" } else { "" };
        chart.curves.push(Curve::line(name, GREY, vec![end(0.0), end(1.0)]));
    }
}

fn profile_chart() -> Chart {
    Chart {
        title: "Nominal stress under own weight, E = 1e6 Pa".to_owned(),
        x: Axis { label: "height / H".to_owned(), unit: "1", log: false },
        y: Axis { label: "stress / (rho g H)".to_owned(), unit: "1", log: false },
        ..Chart::default()
    }
}
