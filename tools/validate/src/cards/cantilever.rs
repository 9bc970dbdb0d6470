//! B31: a cantilever of 1 x 0.1 x 0.1 m whose own weight is switched on at once: deflection and frequency.
//!
//! Closed form: with weight q per length, the static deflection of the tip is q L^4 / (8 E I) from bending plus q L^2 / (2 k G A) from
//! shear (k = 10 (1 + nu) / (12 + 11 nu), Cowper), and the lowest frequency is 1.8751^2 / (2 pi) sqrt(E I / (rho A L^4)), lowered by
//! shear and rotary inertia by 0.8 %. Both come from one fit of the first swing, which by the modes of the beam is
//! `1.0134 (1 - d_1 cos w t) - 0.0134 (1 - d_2 cos 6.0 w t)` times the static deflection, with implicit Euler's damping
//! `d = exp(-w_i^2 dt t / 2)`.
//!
//! A lattice of n layers is softer than the solid section: its second moment of area is only `12 / n^3 sum y_i^2 = 1 - 1 / n^2` of I,
//! where y_i are the centers of the layers in spacings. Gradients that are exact only for affine fields, as published, make it even
//! softer: in `u_x = -c x y` a particle p sees `-c (y_p + sum a d_x^2 d_y / sum a d_x^2)`, `a = -W' / |d|`. Where neighbors are missing
//! on one side, this is the strain 0.146 spacings closer to the middle of the beam: 29, 14 and 9 % for 4, 6 and 8 layers. The memory of
//! non-affine motion (k_s) adds a little resistance at surfaces, less with more layers.

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{Sections, Swing, positions};
use crate::scenes::{PLAIN, elastic, lattice_box, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Size};

/// The card.
pub const CARD: Card = Card {
    id: "B31",
    title: "Cantilever under its own weight, small deflection",
    reference: "Beam theory with shear",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.5, 15.0]),
    minutes: [0.4, 2.0, 45.0],
    run,
};

const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.1;
const DENSITY: f64 = 100.0;
const GRAVITY: f64 = 9.81;
const YOUNG: f64 = 1e7;

/// Why coarse beams are soft.
const COARSE: &str = "Resolution: layers stand for their middles. What is left of the second moment of area is in closed form; the check against \
                      it is beside this one.";

/// How adaptive steps affect the deflection.
const FOUND: &str = "Steps found while running differ with rounding, and so does their damping: it moves the fit by a hundredth, which an \
                     extrapolation multiplies.";

/// A cantilever.
#[derive(Clone, Copy)]
struct Cantilever {
    poisson_ratio: f64,
    /// Particles across the section.
    across: u32,
    /// Solver's k_s.
    stabilization: f64,
    iterations: u32,
    /// Number of steps in which sound crosses one spacing.
    courant: f64,
}

const BEAM: Cantilever =
    Cantilever { poisson_ratio: 0.3, across: 8, stabilization: 2.0, iterations: 10, courant: 1.0 };

/// The first swing.
struct Found {
    swing: Swing,
    samples: Vec<[f64; 2]>,
    /// Largest alternating displacement over the deflection at rest.
    odd_even: f64,
    /// Largest force residual.
    residual: f64,
    particles: usize,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let counts: &[u32] = lab.pick(&[4], &[4, 6], &[4, 6, 8, 12]);
    let mut chart = chart();
    let mut all = Vec::new();
    for (index, &across) in counts.iter().enumerate() {
        let beam = Cantilever { across, ..BEAM };
        let found = beam.swing(lab)?;
        beam.judge(lab, &found, findings);
        chart.curves.push(Curve::dots(&format!("{across} layers"), index, found.samples.clone()));
        let name = if index == 0 { "beam theory with the section of the layers" } else { "" };
        chart.curves.push(Curve::line(name, index, beam.theory(beam.layers())));
        all.push((beam, found));
    }
    chart.curves.push(Curve::line("beam theory", GREY, BEAM.theory(1.0)));
    findings.diagram(&chart);
    if let [.., (coarse, one), (fine, other)] = &all[..] {
        limit(lab, findings, [coarse, fine], [one, other]);
    }
    if lab.size() > Size::Test {
        let [(base, two), ..] = &all[..] else { return Ok(()) };
        let others: &[f64] = lab.pick(&[], &[4.0], &[1.0, 4.0]);
        for &stabilization in others {
            let beam = Cantilever { stabilization, ..*base };
            let found = beam.swing(lab)?;
            let change = found.swing.equilibrium / two.swing.equilibrium;
            let what =
                format!("deflection with k_s = {stabilization} over that with 2, {} layers", base.across);
            findings.relative(what, "", change, 1.0, 0.05);
        }
    }
    if lab.size() == Size::Full {
        for across in [4, 6] {
            incompressible(lab, across, findings)?;
        }
    }
    Ok(())
}

/// Checks that nearly incompressible matter bends like any other, neither locked nor softer than its layers.
fn incompressible(lab: &Lab, across: u32, findings: &mut Findings) -> Result<(), CardError> {
    let beam = Cantilever { poisson_ratio: 0.49, across, ..BEAM };
    let found = beam.swing(lab)?;
    let bound = Expected::Between(0.95, 1.03 / beam.layers());
    let over = found.swing.equilibrium / beam.rest();
    findings.check(format!("deflection over that of beam theory, {}", beam.name()), "", over, bound);
    let what = format!("alternating displacement over the deflection, {}", beam.name());
    findings.check(what, "", found.odd_even, Expected::AtMost(0.01));
    Ok(())
}

/// Checks that the error falls at least in proportion to the spacing. The layers' second moment of area converges with the square of the
/// spacing, but held particles clamp the beam at their centers, half a spacing outside, which is 4 % of the deflection at 6 layers.
fn limit(lab: &Lab, findings: &mut Findings, beams: [&Cantilever; 2], found: [&Found; 2]) {
    let error = |i: usize| found[i].swing.equilibrium / BEAM.rest() - 1.0;
    let [coarse, fine] = beams.map(|beam| f64::from(beam.across));
    let order = (error(0) / error(1)).ln() / (fine / coarse).ln();
    let what = format!("order of convergence of the deflection, {coarse} to {fine} layers");
    findings.check(what, "", order, Expected::AtLeast(0.9));
    findings.known_by_default(lab, Expected::AtLeast(0.4), FOUND);
    let at_zero = |one: f64, other: f64| {
        (other * fine * fine - one * coarse * coarse) / (fine * fine - coarse * coarse)
    };
    let [one, other] = found.map(|found| found.swing.equilibrium);
    findings.relative(
        format!("deflection, limit of {coarse} and {fine} layers"),
        "m",
        at_zero(one, other),
        BEAM.rest(),
        0.05,
    );
    findings.known_by_default(lab, Expected::Relative { reference: BEAM.rest(), tolerance: 0.08 }, FOUND);
    let [one, other] = found.map(|found| found.swing.omega / std::f64::consts::TAU);
    let frequency = BEAM.omega() / std::f64::consts::TAU;
    findings.relative(
        format!("frequency, limit of {coarse} and {fine} layers"),
        "Hz",
        at_zero(one, other),
        frequency,
        0.05,
    );
}

/// Returns the static deflection relative to beam theory.
pub(super) fn deflection(lab: &Lab, across: u32) -> Result<f64, CardError> {
    let beam = Cantilever { across, ..BEAM };
    Ok(beam.swing(lab)?.swing.equilibrium / beam.rest())
}

impl Cantilever {
    fn name(&self) -> String {
        format!("{} layers, nu = {}, k_s = {}", self.across, self.poisson_ratio, self.stabilization)
    }

    /// Returns the second moment of area of the layers as a fraction of the section's.
    fn layers(&self) -> f64 {
        1.0 - f64::from(self.across).powi(-2)
    }

    /// Returns the static deflection of the tip [m].
    fn rest(&self) -> f64 {
        let nu = self.poisson_ratio;
        let load = DENSITY * GRAVITY * WIDTH * WIDTH;
        let bending = load * LENGTH.powi(4) / (8.0 * YOUNG * WIDTH.powi(4) / 12.0);
        let shear = YOUNG / (2.0 * (1.0 + nu)) * WIDTH * WIDTH * 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
        bending + load * LENGTH * LENGTH / (2.0 * shear)
    }

    /// Returns the angular frequency of the first mode [rad/s].
    fn omega(&self) -> f64 {
        0.992 * 1.8751_f64.powi(2) * (YOUNG * WIDTH * WIDTH / 12.0 / DENSITY).sqrt() / LENGTH.powi(2)
    }

    fn dt(&self) -> f64 {
        let nu = self.poisson_ratio;
        let modulus = YOUNG * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
        self.courant * WIDTH / f64::from(self.across) / (modulus / DENSITY).sqrt()
    }

    /// Returns the deflection relative to the static one; `omega` is the frequency of the first mode.
    fn shape(&self, omega: f64, t: f64) -> f64 {
        let mode = |omega: f64| 1.0 - (-0.5 * omega * omega * self.dt() * t).exp() * (omega * t).cos();
        1.0134 * mode(omega) - 0.0134 * mode(6.0 * omega)
    }

    /// Returns the swing over time for a section with the fraction `share` of its second moment of area.
    fn theory(&self, share: f64) -> Vec<[f64; 2]> {
        let end = 1.15 * std::f64::consts::PI / self.omega();
        let deflection = |t: f64| self.rest() / share * self.shape(self.omega() * share.sqrt(), t);
        (0..=100).map(|i| f64::from(i) * end / 100.0).map(|t| [t, deflection(t)]).collect()
    }

    fn scene(&self) -> String {
        let spacing = WIDTH / f64::from(self.across);
        let body = lattice_box("beam", [-spacing * 2.0, 0.0, 0.0], [LENGTH, WIDTH, WIDTH], spacing, "");
        let pin = "[[pin]]\nbody = \"beam\"\nregion = { box = { min = [-1.0, -1.0, -1.0], max = [0.0, 1.0, 1.0] } }\n";
        let solver = format!(
            "iterations = {}\nmultiplier = \"tensor\"\nstabilization = {:?}\n{PLAIN}",
            self.iterations, self.stabilization
        );
        let rest = elastic(DENSITY, YOUNG, self.poisson_ratio) + &body + pin;
        scene(self.dt(), [0.0, 0.0, -GRAVITY], spacing, &solver, &rest)
    }

    /// Simulates a little more than half a period.
    fn swing(&self, lab: &Lab) -> Result<Found, CardError> {
        let mut trial = lab.trial(&self.scene())?;
        let sections = Sections::of(&trial.problem);
        let start = trial.problem.particles.position.clone();
        let duration = 1.15 * std::f64::consts::PI / self.omega();
        let (mut samples, mut odd_even, mut residual) = (Vec::new(), 0.0_f64, 0.0_f64);
        let each = (duration / 40.0 / self.dt()).round().max(1.0) as u32;
        for i in 1..=40 {
            let report = trial.run(f64::from(each) * self.dt())?;
            residual = residual.max(report.residual.force);
            let now = positions(&trial.now()?);
            let moved: Vec<_> = now.iter().zip(&start).map(|(x, start)| *x - *start).collect();
            // The tip is half a spacing beyond the last section.
            let [.., before, last] = sections.means(&moved)[..] else { continue };
            samples.push([f64::from(i * each) * self.dt(), -(1.5 * last.z - 0.5 * before.z)]);
            odd_even = odd_even.max(sections.odd_even(&moved));
        }
        let swing = Swing::fit(&samples, self.omega(), |omega, t| self.shape(omega, t));
        Ok(Found { swing, samples, odd_even: odd_even / self.rest(), residual, particles: start.len() })
    }

    fn judge(&self, lab: &Lab, found: &Found, findings: &mut Findings) {
        let name = self.name();
        let hertz = |omega: f64| omega / std::f64::consts::TAU;
        let (rest, frequency) = (self.rest(), hertz(self.omega()));
        let (soft, slow) = (rest / self.layers(), frequency * self.layers().sqrt());
        let near = if self.across < 8 { 0.05 } else { 0.04 };
        findings.relative(format!("deflection at rest, {name}"), "m", found.swing.equilibrium, rest, near);
        let bound = if lab.by_default() { 0.04 } else { 0.03 };
        findings.known(Expected::Relative { reference: soft, tolerance: bound }, COARSE);
        let over = found.swing.equilibrium / soft;
        findings.relative(format!("deflection over that of the layers, {name}"), "", over, 1.0, 0.03);
        findings.known_by_default(lab, Expected::Relative { reference: 1.0, tolerance: 0.04 }, FOUND);
        findings.relative(format!("frequency, {name}"), "Hz", hertz(found.swing.omega), frequency, 0.05);
        findings.known(Expected::Relative { reference: slow, tolerance: 0.03 }, COARSE);
        findings.check(
            format!("alternating displacement over the deflection, {name}"),
            "",
            found.odd_even,
            Expected::AtMost(0.01),
        );
        findings.remark(format!(
            "{name}: {} particles, dt = {:.2e} s, {} iterations, largest force residual {:.1e}, samples off the fit by {:.1e} (rms)",
            found.particles,
            self.dt(),
            self.iterations,
            found.residual,
            found.swing.misfit
        ));
    }
}

fn chart() -> Chart {
    Chart {
        title: "Deflection of the tip, E = 1e7 Pa".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "deflection".to_owned(), unit: "m", log: false },
        ..Chart::default()
    }
}

/// Returns the largest alternating displacement of a coarse beam relative to the static deflection.
pub(super) fn alternation(lab: &Lab) -> Result<f64, CardError> {
    Ok(Cantilever { across: 4, ..BEAM }.swing(lab)?.odd_even)
}
