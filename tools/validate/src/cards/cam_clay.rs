//! B25: paths of non-associated Cam Clay in an affinely driven cube, and in a bar that the solver presses, for the three rows of Table 2
//! of the XPBI paper.
//!
//! p = kappa / 2 (1 - J^2) (Kirchhoff); the surface is (1 + 2 beta) q^2 + M^2 (p + beta p0)(p - p0) = 0. (a) Isotropic compression with
//! hardening: p at J = 0.99, 0.97, 0.95, 0.90. (b) Isochoric shear from p0/2 and p0/4 without hardening: p stays constant, and q is that
//! of the surface. Drained triaxial compression (dq/dp = 3) from the same pressures: first yield. (c) Every stored strain is on or inside
//! the surface. Tolerance 1 %.
//!
//! With hardening, both paths end in a critical state. alpha is stationary where the line from the center of the ellipse to the trial
//! state is vertical, at p = (1 - beta) p0 / 2, and there q = eta p with eta = M (1 + beta) / ((1 - beta) sqrt(1 + 2 beta)). Isochoric
//! shear ends at q = eta p; drained compression at p = 3 pc / (3 - eta), or nowhere if eta >= 3, as in the row of Camponotus (5.0).

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::bar::Bar;
use crate::measure::{kirchhoff, mean_kirchhoff};
use crate::scenes::{PLAIN, lattice_box, material, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B25",
    title: "Paths of non-associated Cam Clay",
    reference: "Closed forms of the model; critical states",
    figure: None,
    by_default: ByDefault::Judged([0.5, 1.0, 3.0]),
    minutes: [0.6, 0.6, 1.0],
    run,
};

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    if lab.by_default() {
        return [&ROWS[0], &ROWS[2]].into_iter().try_for_each(|row| pressed_bar(lab, row, findings));
    }
    for row in &ROWS {
        isotropic_compression(lab, row, findings)?;
        let mut yields = first_yield_in_shear(lab, row, findings)?;
        yields.extend(first_yield_in_drained_compression(lab, row, findings)?);
        findings.diagram(&row.chart(yields));
        undrained_critical_states(lab, row, findings)?;
        drained_critical_state(lab, row, findings)?;
        stored_strains_are_admissible(lab, row, findings)?;
    }
    Ok(())
}

/// A row of Table 2 with the card's numbers.
struct Row {
    name: &'static str,
    young: f64,
    poisson: f64,
    law: &'static str,
    slope: f64,
    beta: f64,
    xi: f64,
    /// p [Pa] at [`RATIOS`].
    pressures: [f64; 4],
    /// q at first yield from p0 / 2 [Pa].
    yields: f64,
    /// (p, q) at first yield of drained compression from p0 / 2 and p0 / 4 [Pa].
    drained: [[f64; 2]; 2],
    /// p0 [Pa].
    cap: f64,
    /// Deviatoric log strain that leads to the critical state. Its substeps must be small compared to the elastic strain at yield:
    /// otherwise, on the side drier than critical, p0 would fall below p within one substep.
    far: f64,
}

const RATIOS: [f64; 4] = [0.99, 0.97, 0.95, 0.90];

const ROWS: [Row; 3] = [
    Row {
        name: "Camponotus",
        young: 2e4,
        poisson: 0.35,
        law: "alpha0 = -0.02\nbeta = 0.5\nxi = 1.0\nM = 2.36",
        slope: 2.36,
        beta: 0.5,
        xi: 1.0,
        pressures: [221.1, 553.7, 778.1, 1348.8],
        yields: 524.7,
        drained: [[351.2, 386.5], [273.3, 486.4]],
        cap: 444.7,
        far: 1.2,
    },
    Row {
        name: "Hitman",
        young: 2e4,
        poisson: 0.3,
        law: "alpha0 = -0.005\nbeta = 0.05\nxi = 30.0\nM = 1.85",
        slope: 1.85,
        beta: 0.05,
        xi: 30.0,
        pressures: [165.8, 492.5, 812.5, 1583.3],
        yields: 2321.0,
        drained: [[1905.9, 1953.3], [1393.0, 2297.0]],
        cap: 2509.6,
        far: 0.6,
    },
    Row {
        name: "Snow Dive",
        young: 1e4,
        poisson: 0.3,
        law: "alpha0 = -0.0005\nbeta = 0.05\nxi = 30.0\nM = 1.85",
        slope: 1.85,
        beta: 0.05,
        xi: 30.0,
        pressures: [82.9, 242.6, 398.0, 774.1],
        yields: 115.7,
        drained: [[95.0, 97.4], [69.4, 114.5]],
        cap: 125.1,
        far: 0.25,
    },
];

impl Row {
    fn bulk(&self) -> f64 {
        self.young / (3.0 * (1.0 - 2.0 * self.poisson))
    }

    fn shear(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// p0 [Pa] at alpha.
    fn cap_at(&self, alpha: f64) -> f64 {
        self.bulk() * (1e-5 + (self.xi * (-alpha).max(0.0)).min(1.5).sinh()).min(0.49)
    }

    /// Returns q / p in the critical state.
    fn eta(&self) -> f64 {
        self.slope * (1.0 + self.beta) / ((1.0 - self.beta) * (1.0 + 2.0 * self.beta).sqrt())
    }

    /// Returns q [Pa] on the initial surface at the pressure p [Pa].
    fn surface(&self, p: f64) -> f64 {
        self.slope * ((p + self.beta * self.cap) * (self.cap - p) / (1.0 + 2.0 * self.beta)).max(0.0).sqrt()
    }

    /// Returns q [Pa] at which uniaxial compression, q = 3 p, meets the surface of p0 = `cap` [Pa].
    fn uniaxial(&self, cap: f64) -> f64 {
        // With p = q / 3: (1 + 2 beta) q^2 + M^2 (q / 3 + beta p0) (q / 3 - p0) = 0.
        let square = self.slope * self.slope;
        let a = 1.0 + 2.0 * self.beta + square / 9.0;
        let b = -square * (1.0 - self.beta) * cap / 3.0;
        let c = -square * self.beta * cap * cap;
        (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)
    }

    fn chart(&self, yields: Vec<[f64; 2]>) -> Chart {
        let at = |i: i32| -self.beta + (1.0 + self.beta) * 0.5 * (1.0 - (0.05 * f64::from(i)).cos());
        let line =
            (0..=63).map(at).chain([1.0]).map(|share| [share * self.cap, self.surface(share * self.cap)]);
        Chart {
            title: format!("First yield, {}", self.name),
            x: Axis { label: "p".to_owned(), unit: "Pa", log: false },
            y: Axis { label: "q".to_owned(), unit: "Pa", log: false },
            curves: vec![
                Curve::line("surface", GREY, line.collect()),
                Curve::dots("measured, hardening frozen", 0, yields),
            ],
            ..Chart::default()
        }
    }

    /// Returns J at which the pressure is p [Pa].
    fn ratio(&self, p: f64) -> f64 {
        (1.0 - 2.0 * p / self.bulk()).sqrt()
    }
}

fn cube<'a>(lab: &'a Lab<'a>, row: &Row, hardening: bool) -> Result<Trial<'a>, CardError> {
    let law = format!("{}\nhardening = {hardening}", row.law);
    let rest = material("nacc", 4.0, row.young, row.poisson, &law)
        + &lattice_box("cube", [0.0; 3], [0.04; 3], 0.01, "");
    lab.driven(&scene(1e-4, [0.0; 3], 0.01, PLAIN, &rest))
}

fn stress(trial: &mut Trial<'_>) -> Result<Matrix3<f64>, CardError> {
    let frame = trial.now()?;
    Ok(mean_kirchhoff(&trial.problem, &frame))
}

fn pressure(tau: &Matrix3<f64>) -> f64 {
    -tau.trace() / 3.0
}

/// Returns q = sqrt(3/2) |dev tau| [Pa].
fn deviator(tau: &Matrix3<f64>) -> f64 {
    1.5_f64.sqrt() * (tau - Matrix3::identity() * (tau.trace() / 3.0)).norm()
}

fn compress(trial: &mut Trial<'_>, from: f64, to: f64) -> Result<(), CardError> {
    let map = |j: f64| DMat3::from_diagonal(DVec3::splat(j.cbrt()));
    let steps = ((from - to) / 1e-4).ceil().max(1.0);
    for i in 0..steps as u32 {
        let at = |k: u32| from + (to - from) * f64::from(k) / steps;
        trial.drive(map(at(i)), map(at(i + 1)))?;
    }
    Ok(())
}

/// Presses a bar at its ends: the solver must find the lateral stretch that makes the lateral stress vanish.
fn pressed_bar(lab: &Lab, row: &Row, findings: &mut Findings) -> Result<(), CardError> {
    let (name, width) = (row.name, 0.04);
    let bar = Bar {
        matter: &material("nacc", 4.0, row.young, row.poisson, row.law),
        half: 2.5 * width,
        width,
        spacing: width / lab.pick(6.0, 8.0, 12.0),
        rate: -0.4,
    };
    let mut pressed = bar.start(lab, "", 1e-4)?;
    let yields = row.uniaxial(row.cap);
    // Softening matter localizes in one section soon after its peak; hardening matter flows along the whole bar.
    let hardens = row.eta() >= 3.0;
    let most = if hardens { 2.0 } else { 1.2 } * yields / row.young;
    let looks = if hardens { 8 } else { 24 };
    let (mut beyond, mut peak) = (0, 0.0_f64);
    for _ in 0..looks {
        pressed.trial.run(most / -bar.rate / f64::from(looks))?;
        let state = pressed.measure()?;
        let q = -state.stress[(0, 0)];
        peak = peak.max(q);
        if !hardens || state.stretch.ln() > -1.3 * yields / row.young {
            continue;
        }
        beyond += 1;
        let at = format!("at l = {:.4}, {name}", state.stretch);
        let surface = row.uniaxial(row.cap_at(state.state));
        findings.relative(format!("stress over that of the surface {at}"), "", q / surface, 1.0, 0.02);
        let side = state.stress[(1, 1)].abs().max(state.stress[(2, 2)].abs()) / q;
        findings.check(format!("lateral stress over the axial {at}"), "", side, Expected::AtMost(0.02));
    }
    if hardens {
        findings.check(format!("looks beyond yield, {name}"), "", f64::from(beyond), Expected::AtLeast(3.0));
    } else {
        findings.relative(format!("largest stress, {name}"), "Pa", peak, yields, 0.05);
    }
    Ok(())
}

fn isotropic_compression(lab: &Lab, row: &Row, findings: &mut Findings) -> Result<(), CardError> {
    let mut trial = cube(lab, row, true)?;
    let mut ratio = 1.0;
    for (target, expected) in RATIOS.into_iter().zip(row.pressures) {
        compress(&mut trial, ratio, target)?;
        ratio = target;
        let found = pressure(&stress(&mut trial)?);
        findings.relative(format!("p at J = {target}, {}", row.name), "Pa", found, expected, 0.01);
    }
    Ok(())
}

/// Returns the states (p, q) [Pa] on the surface.
fn first_yield_in_shear(lab: &Lab, row: &Row, findings: &mut Findings) -> Result<Vec<[f64; 2]>, CardError> {
    let mut found = Vec::new();
    for share in [0.5, 0.25] {
        let mut trial = cube(lab, row, false)?;
        let j = row.ratio(share * row.cap);
        compress(&mut trial, 1.0, j)?;
        // Isochoric extension at the pressure reached, well beyond yield: q stays on the surface.
        let map =
            |e: f64| j.cbrt() * DMat3::from_diagonal(DVec3::new(e.exp(), (-0.5 * e).exp(), (-0.5 * e).exp()));
        for i in 0..50_u32 {
            trial.drive(map(f64::from(i) * 8e-3), map(f64::from(i + 1) * 8e-3))?;
        }
        let tau = stress(&mut trial)?;
        let (q, p) = (deviator(&tau), pressure(&tau));
        let name = format!("q of isochoric shear from {share} p0, {}", row.name);
        findings.relative(format!("{name}, against the surface"), "Pa", q, row.surface(p), 0.01);
        if share == 0.5 {
            findings.relative(name, "Pa", q, row.yields, 0.01);
        }
        found.push([p, q]);
    }
    Ok(found)
}

/// Returns J^(1/3) diag(s, s^-1/2, s^-1/2).
fn shortened(ratio: f64, s: f64) -> DMat3 {
    ratio.cbrt() * DMat3::from_diagonal(DVec3::new(s, s.powf(-0.5), s.powf(-0.5)))
}

/// Returns the unimodular stretch along the axis with q = mu (1 / s - s^2) [Pa].
fn stretch(row: &Row, q: f64) -> f64 {
    let (mut low, mut high) = (0.1, 1.0);
    for _ in 0..60 {
        let s: f64 = 0.5 * (low + high);
        if row.shear() * (1.0 / s - s * s) > q { low = s } else { high = s }
    }
    0.5 * (low + high)
}

/// Returns the states (p, q) [Pa] at first yield.
fn first_yield_in_drained_compression(
    lab: &Lab,
    row: &Row,
    findings: &mut Findings,
) -> Result<Vec<[f64; 2]>, CardError> {
    let mut yields = Vec::new();
    for (share, expected) in [0.5, 0.25].into_iter().zip(row.drained) {
        let mut trial = cube(lab, row, false)?;
        let cell = share * row.cap;
        compress(&mut trial, 1.0, row.ratio(cell))?;
        // The elastic path q = 3 (p - cell) is known; yield is where q departs from it.
        let step = expected[1] / 200.0;
        let map = |k: u32| {
            let q = f64::from(k) * step;
            shortened(row.ratio(cell + q / 3.0), stretch(row, q))
        };
        let mut found = [f64::NAN; 2];
        for k in 1..=210 {
            trial.drive(map(k - 1), map(k))?;
            let tau = stress(&mut trial)?;
            if deviator(&tau) < f64::from(k) * step - 0.5 * step {
                break;
            }
            found = [pressure(&tau), deviator(&tau)];
        }
        for ((name, found), expected) in ["p", "q"].into_iter().zip(found).zip(expected) {
            let what = format!("{name} at first yield, drained from {share} p0, {}", row.name);
            findings.relative(what, "Pa", found, expected, 0.01);
        }
        yields.push(found);
    }
    Ok(yields)
}

/// Test that shortens a cube with hardening, starting from the pressure `cell` [Pa], by the deviatoric log strain `most`.
struct Test<'a> {
    lab: &'a Lab<'a>,
    row: &'a Row,
    cell: f64,
    most: f64,
    steps: u32,
}

/// Final state of a test.
struct Reached {
    p: f64,
    q: f64,
    /// p0 [Pa] at the mean alpha.
    cap: f64,
}

impl Reached {
    fn read(row: &Row, trial: &mut Trial<'_>) -> Result<Self, CardError> {
        let frame = trial.now()?;
        let tau = mean_kirchhoff(&trial.problem, &frame);
        let alpha = frame.state.iter().map(|s| f64::from(s[0])).sum::<f64>() / frame.state.len() as f64;
        Ok(Self { p: pressure(&tau), q: deviator(&tau), cap: row.cap_at(alpha) })
    }
}

impl<'a> Test<'a> {
    fn start(&self) -> Result<Trial<'a>, CardError> {
        let mut trial = cube(self.lab, self.row, true)?;
        compress(&mut trial, 1.0, self.row.ratio(self.cell))?;
        Ok(trial)
    }

    fn stretch(&self, step: u32) -> f64 {
        (-self.most * f64::from(step) / f64::from(self.steps)).exp()
    }

    /// Shortens the cube at constant volume.
    fn undrained(&self) -> Result<Reached, CardError> {
        let mut trial = self.start()?;
        let map = |k: u32| shortened(self.row.ratio(self.cell), self.stretch(k));
        for k in 1..=self.steps {
            trial.drive(map(k - 1), map(k))?;
        }
        Reached::read(self.row, &mut trial)
    }

    /// Shortens the cube with the volume following q = 3 (p - cell): each substep closes half of the gap. Also returns the largest
    /// distance from this line, relative to q, after the first twentieth.
    fn drained(&self) -> Result<(Reached, f64), CardError> {
        let mut trial = self.start()?;
        let (mut p, mut from) = (self.cell, shortened(self.row.ratio(self.cell), 1.0));
        let (mut reached, mut off_line) = (Reached { p, q: 0.0, cap: self.row.cap }, 0.0_f64);
        for k in 1..=self.steps {
            let to = shortened(self.row.ratio(p), self.stretch(k));
            trial.drive(from, to)?;
            from = to;
            reached = Reached::read(self.row, &mut trial)?;
            let missing = self.cell + reached.q / 3.0 - p;
            p += 0.5 * missing;
            if k > self.steps / 20 {
                off_line = off_line.max(3.0 * missing.abs() / reached.q);
            }
        }
        Ok((reached, off_line))
    }
}

fn undrained_critical_states(lab: &Lab, row: &Row, findings: &mut Findings) -> Result<(), CardError> {
    // Wetter and drier than the critical state: p0 grows and shrinks, respectively.
    for (side, share) in [("wet", 0.5), ("dry", 0.4 * (1.0 - row.beta))] {
        let cell = share * row.cap;
        let Reached { p, q, cap } = Test { lab, row, cell, most: row.far, steps: 500 }.undrained()?;
        let name = format!("undrained critical state from the {side} side, {}", row.name);
        findings.relative(format!("q, {name}"), "Pa", q, row.eta() * cell, 0.01);
        findings.relative(format!("p, {name}"), "Pa", p, cell, 0.01);
        findings.relative(format!("p0, {name}"), "Pa", cap, 2.0 * cell / (1.0 - row.beta), 0.01);
    }
    Ok(())
}

fn drained_critical_state(lab: &Lab, row: &Row, findings: &mut Findings) -> Result<(), CardError> {
    let cell = 0.5 * row.cap;
    let (Reached { p, q, cap }, off_line) = Test { lab, row, cell, most: 0.6, steps: 1200 }.drained()?;
    let name = format!("drained compression, {}", row.name);
    findings.check(format!("distance from the path over q, {name}"), "", off_line, Expected::AtMost(0.04));
    if row.eta() >= 3.0 {
        // There is no critical state on this line: beyond first yield the cap keeps growing.
        findings.check(format!("q, {name}"), "Pa", q, Expected::AtLeast(2.0 * row.drained[0][1]));
        findings.check(format!("p0, {name}"), "Pa", cap, Expected::AtLeast(3.0 * row.cap));
        return Ok(());
    }
    let critical = 3.0 * cell / (3.0 - row.eta());
    findings.relative(format!("p at the critical state, {name}"), "Pa", p, critical, 0.01);
    findings.relative(format!("q at the critical state, {name}"), "Pa", q, row.eta() * critical, 0.01);
    Ok(())
}

/// (c): y <= 1e-3 (M p0)^2 for every stored strain, with p0 at the start of its return mapping. The state that is stored with the strain
/// has p0 after softening, to which the next substep returns.
fn stored_strains_are_admissible(lab: &Lab, row: &Row, findings: &mut Findings) -> Result<(), CardError> {
    let thrown = "velocity = [1.0, -4.0, 0.0]";
    let rest = material("nacc", 4.0, row.young, row.poisson, row.law)
        + &plane("floor", [0.0; 3], [0.0, 1.0, 0.0], "friction = 0.5")
        + &lattice_box("block", [0.0, 0.005, 0.0], [0.06, 0.065, 0.06], 0.01, thrown);
    let mut trial = lab.trial(&scene(1e-4, [0.0, -9.81, 0.0], 0.01, "", &rest))?;
    let (mut before, mut worst, mut yielded) = (trial.now()?, 0.0_f64, 0_u32);
    for _ in 0..120 {
        trial.step(1)?;
        let frame = trial.now()?;
        for i in 0..frame.state.len() {
            let tau = kirchhoff(&trial.problem, &frame, i);
            let (p, q) = (pressure(&tau), deviator(&tau));
            let cap = row.cap_at(f64::from(before.state[i][0]));
            let width = 1.0 + 2.0 * row.beta;
            worst =
                worst.max(width * (q / (row.slope * cap)).powi(2) + (p / cap + row.beta) * (p / cap - 1.0));
            yielded += u32::from(frame.state[i][0] != before.state[i][0]);
        }
        before = frame;
    }
    let what = format!("largest y over (M p0)^2 of a thrown block, {}", row.name);
    findings.check(what, "", worst, Expected::AtMost(1e-3));
    let what = format!("returns to the surface, {}", row.name);
    findings.check(what, "", f64::from(yielded), Expected::AtLeast(100.0));
    Ok(())
}
