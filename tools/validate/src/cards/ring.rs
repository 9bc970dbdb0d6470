//! B14: a ring of von Mises metal between frictionless plates, in plane strain.
//!
//! A thin ring of mean diameter D, wall t and width w collapses at four hinges, two under the plates and two between them. Its limit load
//! is `P0 = 2 s0 t^2 w / D`, s0 = 2 / sqrt(3) of the uniaxial yield stress. As the hinges approach each other,
//! `P = P0 / sqrt(1 - (delta / D)^2)` at a travel delta (DeRuntz & Hodge 1963).
//!
//! The plates must be slow: the inertia of the ring, its mass times v^2 / D, is 1.4 rho v^2 D / (sY t) of P0, 2 % at the speed used here.
//! E = 300 sY keeps the elastic part of the travel small; the yield stress grows by 3 % per unit of plastic strain, which shows where the
//! metal has flowed.

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{clusters, positions};
use crate::scenes::{body, material, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B14",
    title: "Ring between plates",
    reference: "DeRuntz & Hodge 1963: P0 / sqrt(1 - (delta / D)^2), four hinges",
    figure: None,
    by_default: ByDefault::Judged([0.5, 0.5, 30.0]),
    minutes: [0.5, 1.2, 60.0],
    run,
};

/// Mean diameter and wall [m].
const DIAMETER: f64 = 0.1;
const WALL: f64 = 0.1 * DIAMETER;
const DENSITY: f64 = 2700.0;
/// Uniaxial yield stress [Pa].
const YIELD: f64 = 3.333e4;
const YOUNG: f64 = 300.0 * YIELD;
/// Speed of the press over the wave speed.
const PACE: f64 = 1.8e-3;
/// Positions of the hinges, as angles from the lower plate [degrees].
const HINGES: [f64; 4] = [0.0, 90.0, 180.0, 270.0];
/// Width of the sectors [degrees]; the first is centered at the lower plate.
const SECTOR: f64 = 15.0;
/// Number of records along the travel.
const LOOKS: u32 = 30;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let hodge = |travel: f64| 1.0 / (1.0 - travel * travel).sqrt();
    let travel = lab.pick(0.15, 0.3, 0.6);
    let mut load = Chart {
        title: "Load of the press over P0".to_owned(),
        x: Axis { label: "travel / D".to_owned(), unit: "1", log: false },
        y: Axis { label: "load / P0".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    let theory = (0..=50).map(|i| f64::from(i) / 50.0 * travel).map(|d| [d, hodge(d)]).collect();
    load.curves.push(Curve::line("DeRuntz and Hodge", GREY, theory));
    let mut hinges = Chart {
        title: "Plastic strain around the ring".to_owned(),
        x: Axis { label: "angle from the lower plate".to_owned(), unit: "degrees", log: false },
        y: Axis { label: "plastic strain over its mean".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    let resolutions: &[u32] = lab.pick(&[4], &[4], &[4, 6, 8]);
    for (color, &layers) in resolutions.iter().enumerate() {
        let pressed = press(lab, layers, travel, findings)?;
        let name = format!("{layers} through the wall");
        let plateau: Vec<f64> = pressed
            .load
            .iter()
            .filter(|[d, _]| (0.1..=0.5).contains(d))
            .map(|[d, load]| load / hodge(*d))
            .collect();
        let mean = plateau.iter().sum::<f64>() / plateau.len().max(1) as f64;
        let near = Expected::Relative { reference: 1.0, tolerance: 0.15 };
        let what = format!("load from 0.1 D to 0.5 D over that of the hinges, {name}");
        findings.check(what, "", mean, near);
        let whole = Expected::Between(1.0, 1.0);
        findings.check(format!("pieces, {name}"), "", pressed.pieces as f64, whole);
        let what = format!("least plastic strain of a hinge over that between, {name}");
        findings.check(what, "", pressed.weakest_hinge(), Expected::AtLeast(2.0));
        load.curves.push(Curve::dots(&name, color, pressed.load));
        hinges.curves.push(Curve::line(&name, color, pressed.flowed));
    }
    findings.diagram(&load);
    findings.diagram(&hinges);
    Ok(())
}

/// Measurements of the press.
struct Pressed {
    /// Travel over D and load over P0.
    load: Vec<[f64; 2]>,
    /// Initial angle from the lower plate [degrees] and plastic strain over the mean of the ring, by sector.
    flowed: Vec<[f64; 2]>,
    /// Number of clusters; neighbors in a cluster are closer than two spacings.
    pieces: usize,
}

impl Pressed {
    /// Returns the mean plastic strain of the hinge that has flowed least, three sectors wide, over that of the matter between hinges.
    fn weakest_hinge(&self) -> f64 {
        let near = |f: &[f64; 2], hinge: f64| {
            ((f[0] - hinge + 180.0).rem_euclid(360.0) - 180.0).abs() < 1.5 * SECTOR
        };
        let mean = |of: &dyn Fn(&[f64; 2]) -> bool| {
            let chosen: Vec<f64> = self.flowed.iter().filter(|f| of(f)).map(|f| f[1]).collect();
            chosen.iter().sum::<f64>() / chosen.len() as f64
        };
        let least = HINGES.map(|hinge| mean(&|f| near(f, hinge))).into_iter().fold(f64::INFINITY, f64::min);
        least / mean(&|f| HINGES.iter().all(|&hinge| !near(f, hinge)))
    }
}

fn press(lab: &Lab, layers: u32, travel: f64, findings: &mut Findings) -> Result<Pressed, CardError> {
    let spacing = WALL / f64::from(layers);
    let wave = (1.35 * YOUNG / DENSITY).sqrt();
    let dt = 2.0 * spacing / wave;
    let (outer, inner, half) = (0.5 * (DIAMETER + WALL), 0.5 * (DIAMETER - WALL), 2.0 * spacing);
    let time = travel * DIAMETER / (PACE * wave);
    let ring = format!(
        "{{ cylinder = {{ from = [0.0, {outer:?}, {:?}], to = [0.0, {outer:?}, {half:?}], radius = {outer:?} }}, \
         subtract = [ {{ cylinder = {{ from = [0.0, {outer:?}, -1.0], to = [0.0, {outer:?}, 1.0], radius = {inner:?} }} }} ] }}",
        -half
    );
    let metal = format!("yield_stress = {YIELD:?}\nhardening_modulus = {:?}", 0.03 * YIELD);
    let motion = format!(
        "friction = 0.0\nmotion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {time:?}, translate = [0.0, {:?}, 0.0] }} ] }}",
        -travel * DIAMETER
    );
    let smooth = "friction = 0.0";
    let rest = material("von_mises", DENSITY, YOUNG, 0.3, &metal)
        + &body("ring", &ring, &format!("{{ kind = \"lattice\", spacing = {spacing:?} }}"), "")
        + &plane("anvil", [0.0; 3], [0.0, 1.0, 0.0], smooth)
        + &plane("press", [0.0, 2.0 * outer, 0.0], [0.0, -1.0, 0.0], &motion)
        + &plane("back", [0.0, 0.0, -half], [0.0, 0.0, 1.0], smooth)
        + &plane("front", [0.0, 0.0, half], [0.0, 0.0, -1.0], smooth);
    let solver = "iterations = 10\nxsph = 0.0\nmultiplier = \"tensor\"\n";
    let mut trial = lab.trial(&scene(dt, [0.0; 3], spacing, solver, &rest))?;
    let yields = |trial: &mut crate::Trial<'_>| -> Result<Vec<f64>, CardError> {
        Ok(trial.now()?.state.iter().map(|s| f64::from(s[0])).collect())
    };
    let (start, before) = (trial.problem.particles.position.clone(), yields(&mut trial)?);
    let stress = 2.0 / 3.0_f64.sqrt() * YIELD;
    let limit = 2.0 * stress * WALL * WALL * 2.0 * half / DIAMETER;
    let steps = (time / dt / f64::from(LOOKS)).floor();
    let mut load = Vec::new();
    let mut residual = 0.0;
    for look in 0..LOOKS {
        let report = trial.run(steps * dt)?;
        residual = report.residual.force;
        let force = report.collider_impulse[1][1].abs() / (steps * dt);
        load.push([(f64::from(look) + 0.5) * steps * dt / time * travel, force / limit]);
    }
    let after = yields(&mut trial)?;
    let mut sums = [[0.0, 0.0]; (360.0 / SECTOR) as usize];
    for (p, at) in start.iter().enumerate() {
        let angle = at.x.atan2(outer - at.y).to_degrees().rem_euclid(360.0);
        let sector = (angle / SECTOR).round() as usize % sums.len();
        sums[sector] = [sums[sector][0] + after[p] - before[p], sums[sector][1] + 1.0];
    }
    let all = sums.iter().map(|s| s[0]).sum::<f64>() / start.len() as f64;
    let flowed = sums.iter().enumerate().map(|(i, s)| [SECTOR * i as f64, s[0] / s[1] / all]).collect();
    findings.remark(format!(
        "{layers} through the wall: {} particles, tensor multiplier, 10 iterations, steps of 2 h / c, position correction, no \
         smoothing, force residual {residual:.1e}.",
        start.len()
    ));
    let pieces = clusters(&positions(&trial.now()?), 2.0 * spacing).len();
    Ok(Pressed { load, flowed, pieces })
}
