//! B11: von Mises plasticity in uniaxial stress, plane strain and simple shear.
//!
//! Closed form (Hencky strain, linear hardening H in uniaxial terms): tau = sY + Et (ln l - sY / E) with Et = E H / (E + H), nominal
//! stress P = tau / l, lateral stretch exp(-nu tau / E - (ln l - tau / E) / 2). The model's dimensionless hardening is
//! xi = HF / (2 mu + HF), HF = 2 H / 3. Simple shear flows at sY / sqrt 3, plane strain at 2 sY / sqrt 3: a yield stress in the other
//! convention would be off by 22 %.
//!
//! The pulled bar starts with the velocities of uniform stretching, so that it carries no waves. Its stress lies on the yield surface;
//! only the lateral stress, which must vanish, can be wrong. The tensor multiplier balances forces; impulses of the scalar multiplier
//! keep directions of earlier iterations, which leaves lateral pressure and lowers P by some 2.5 % at this step.

use glam::{DMat3, DVec3};
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::bar::{Bar, Middle};
use crate::measure::{kirchhoff, mean_kirchhoff};
use crate::scenes::{PLAIN, lattice_box, material, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B11",
    title: "von Mises plasticity: uniaxial stress, plane strain, simple shear",
    reference: "Closed form of Hencky plasticity with linear hardening",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.2, 0.2]),
    minutes: [0.1, 0.7, 3.5],
    run,
};

const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
const YIELD: f64 = 1e3;
const HARDENING: f64 = 1e3;

/// Planned stretches and nominal stresses [Pa].
const CURVE: [(f64, f64); 6] =
    [(1.01, 985.2), (1.05, 989.0), (1.1, 985.9), (1.2, 975.5), (1.5, 927.7), (2.0, 838.2)];

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mut chart = Chart {
        title: "Nominal stress of a stretched body".to_owned(),
        x: Axis { label: "stretch".to_owned(), unit: "1", log: false },
        y: Axis { label: "nominal stress".to_owned(), unit: "Pa", log: false },
        ..Chart::default()
    };
    let exact = (0..=100).map(|i| 1.0 + 0.01 * f64::from(i)).map(|l| [l, axial(l) / l]).collect();
    chart.curves.push(Curve::line("closed form", GREY, exact));
    let bars: &[(&str, f64)] = &[("tensor", 0.005), ("scalar", 0.03)];
    let bars = if lab.by_default() { &[("default", 0.01)] } else { &bars[..lab.pick(0, 1, 2)] };
    if !lab.by_default() {
        chart.curves.push(Curve::dots("driven cube", 0, driven_cube(lab, findings)?));
        plateaus(lab, findings)?;
    }
    for (i, &(multiplier, tolerance)) in bars.iter().enumerate() {
        let points = pulled_bar(lab, multiplier, tolerance, findings)?;
        chart.curves.push(Curve::dots(&format!("bar, {multiplier} multiplier"), i + 1, points));
    }
    findings.diagram(&chart);
    Ok(())
}

/// Writes the model's parameters for the uniaxial hardening modulus `hardening` [Pa].
fn matter(hardening: f64) -> String {
    let (mu, frobenius) = (YOUNG / (2.0 * (1.0 + POISSON)), 2.0 / 3.0 * hardening);
    let xi = frobenius / (2.0 * mu + frobenius);
    material("von_mises", 100.0, YOUNG, POISSON, &format!("yield_stress = {YIELD:?}\nhardening = {xi:?}"))
}

/// Returns the axial Kirchhoff stress [Pa].
fn axial(l: f64) -> f64 {
    let tangent = YOUNG * HARDENING / (YOUNG + HARDENING);
    (YOUNG * l.ln()).min(YIELD + tangent * (l.ln() - YIELD / YOUNG))
}

fn lateral(l: f64) -> f64 {
    let elastic = axial(l) / YOUNG;
    (-POISSON * elastic - 0.5 * (l.ln() - elastic)).exp()
}

/// Writes a cube whose neighbors are not lost when their distance doubles.
fn cube(hardening: f64) -> String {
    let rest = matter(hardening) + &lattice_box("cube", [0.0; 3], [0.04; 3], 0.01, "");
    scene(1e-3, [0.0; 3], 0.015, PLAIN, &rest)
}

/// Stretches a cube with the lateral contraction of uniaxial stress: the result must be P, and no lateral stress.
fn driven_cube(lab: &Lab, findings: &mut Findings) -> Result<Vec<[f64; 2]>, CardError> {
    let mut trial = lab.driven(&cube(HARDENING))?;
    let map = |l: f64| DMat3::from_diagonal(DVec3::new(l, lateral(l), lateral(l)));
    // One step ends exactly at the elastic limit, so that no step straddles the kink.
    let limit = (YIELD / YOUNG).exp();
    let mut curve = CURVE.to_vec();
    curve.insert(1, (limit, YIELD / limit));
    let mut l = 1.0_f64;
    let (mut points, mut worst) = (Vec::new(), 0.0_f64);
    for (target, expected) in curve {
        let steps = ((target / l).ln() / 4e-3).ceil();
        for i in 0..steps as u32 {
            let at = |k: u32| l + (target - l) * f64::from(k) / steps;
            trial.drive(map(at(i)), map(at(i + 1)))?;
        }
        l = target;
        let frame = trial.now()?;
        let tau = mean_kirchhoff(&trial.problem, &frame);
        findings.relative(
            format!("nominal stress of the cube at l = {l:.4}"),
            "Pa",
            tau[(0, 0)] / l,
            expected,
            5e-3,
        );
        worst = worst.max(tau[(1, 1)].abs() / YIELD);
        points.push([l, tau[(0, 0)] / l]);
    }
    findings.check("lateral stress of the cube over sY", "", worst, Expected::AtMost(5e-3));
    // Plastic flow conserves volume: J is that of the elastic strain.
    let frame = trial.now()?;
    let plastic = |p: usize| {
        let elastic = (kirchhoff(&trial.problem, &frame, p).trace() * (1.0 - 2.0 * POISSON) / YOUNG).exp();
        (f64::from(frame.volume_ratio[p]) / elastic - 1.0).abs()
    };
    let most = (0..frame.position.len()).map(plastic).fold(0.0, f64::max);
    findings.check("largest change of volume by flow", "", most, Expected::AtMost(1e-4));
    Ok(points)
}

/// Checks the plateaus of simple shear and of plane strain without hardening.
fn plateaus(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let shear = |gamma: f64| DMat3::from_cols(DVec3::X, DVec3::new(gamma, 1.0, 0.0), DVec3::Z);
    let plane = |e: f64| DMat3::from_diagonal(DVec3::new(e.exp(), (-e).exp(), 1.0));
    let plateau = |map: &dyn Fn(f64) -> DMat3| {
        let mut trial = lab.driven(&cube(0.0))?;
        for i in 0..100_u32 {
            trial.drive(map(f64::from(i) * 1e-3), map(f64::from(i + 1) * 1e-3))?;
        }
        let frame = trial.now()?;
        Ok::<_, CardError>(mean_kirchhoff(&trial.problem, &frame))
    };
    let strength = YIELD / 3.0_f64.sqrt();
    findings.relative("plateau of simple shear", "Pa", plateau(&shear)?[(0, 1)], strength, 5e-3);
    let tau = plateau(&plane)?;
    findings.relative("plateau of plane strain", "Pa", tau[(0, 0)] - tau[(1, 1)], 2.0 * strength, 5e-3);
    Ok(())
}

/// Pulls a bar at both ends. Returns stretch and nominal stress [Pa] of the middle third, three widths from the held ends.
fn pulled_bar(
    lab: &Lab,
    multiplier: &str,
    tolerance: f64,
    findings: &mut Findings,
) -> Result<Vec<[f64; 2]>, CardError> {
    let dt = 2.5e-4;
    let bar = Bar {
        matter: &matter(HARDENING),
        half: 0.5,
        width: 0.1,
        spacing: lab.pick(0.02, 0.0125, 0.0125),
        rate: 0.2,
    };
    let solver = format!("iterations = 20\nmultiplier = \"{multiplier}\"\n{PLAIN}");
    let mut pulled = bar.start(lab, &solver, dt)?;
    let (mut points, mut side) = (Vec::new(), 0.0_f64);
    for _ in 0..6 {
        pulled.trial.run(100.0 * dt)?;
        let Middle { stretch: l, stress: tau, .. } = pulled.measure()?;
        points.push([l, tau[(0, 0)] / l]);
        if l > 1.012 {
            let what = format!("nominal stress of the bar at l = {l:.4}, {multiplier} multiplier");
            findings.relative(what, "Pa", tau[(0, 0)] / l, axial(l) / l, tolerance);
            side = side.max(tau[(1, 1)].abs() / YIELD);
        }
    }
    findings.check(
        format!("lateral stress of the bar over sY, {multiplier} multiplier"),
        "",
        side,
        Expected::AtMost(tolerance),
    );
    let beyond = points.iter().filter(|[l, _]| *l > 1.012).count();
    findings.check(
        format!("stretches beyond yield, {multiplier} multiplier"),
        "",
        beyond as f64,
        Expected::AtLeast(3.0),
    );
    Ok(points)
}
