//! Diagrams of a model of the tensor variant.

use tuff_material::tensor_drivers::{Along, Sample, Specimen, axial, frame, shear};
use tuff_plugin::Model;

use crate::args::CurveKind;
use crate::curves::{CYCLES, Diagrams, STEPS, Wishes, chart, joined, pressure, ramp};
use crate::sets::Set;
use tuff_chart::{Chart, Curve, GREY, number};

/// Strain along the axis: no yield point suggests another.
const STRAIN: f64 = 0.3;

/// Number of increments of a sudden strain or load.
const SUDDEN: usize = 50;

/// Times for which strain and load are held: first and last power of ten of seconds, and number of times per decade.
const HOLD: [i32; 3] = [-6, 6, 100];

/// Changes below this fraction of the whole are not worth their space on a time axis.
const SETTLED: f64 = 5e-3;

/// A curve that changes by no more than this fraction of itself is flat.
const FLAT: f64 = 1e-3;

/// Forces below this fraction of the moduli count as zero.
const NOISE: f64 = 1e-6;

/// Names of the axes of the scene.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Points of a curve.
type Points = Vec<[f64; 2]>;

/// Common settings of all tests on a page.
#[derive(Debug)]
pub struct TensorTests<'a> {
    model: &'a Model,
    sets: Vec<&'a Set>,
    /// Axes along which tests are run: one if the model is isotropic.
    axes: &'static [usize],
    /// Strain rates \[1/s\].
    rates: Vec<f64>,
    /// Strain along the axis.
    strain: f64,
    /// Samples under a sudden strain that is held, by set and axis; empty for rate-independent models.
    held: Vec<Vec<Vec<Sample>>>,
}

impl<'a> TensorTests<'a> {
    /// Prepares the tests of one or two parameter sets.
    pub fn new(model: &'a Model, sets: &[&'a Set], wishes: Wishes) -> Self {
        let claims = model.descriptor().claims;
        let axes: &[usize] = if claims.isotropic { &[0] } else { &[0, 1, 2] };
        let rates = match (claims.rate_independent, wishes.rates.is_empty()) {
            (true, _) => vec![1.0],
            // Each axis already has its own curve.
            (false, true) if !claims.isotropic => vec![1.0],
            (false, true) => vec![0.1, 1.0, 10.0],
            (false, false) => wishes.rates,
        };
        let strain = wishes.strain.unwrap_or(STRAIN);
        let mut tests = Self { model, sets: sets.to_vec(), axes, rates, strain, held: Vec::new() };
        if !claims.rate_independent {
            tests.held = tests.hold(Along::Strain, strain);
        }
        tests
    }

    /// Returns the largest load that all specimens bear for a long time \[Pa\].
    fn load(&self) -> Option<f64> {
        let ends = self.held.iter().flatten().map(|samples| samples.last().map_or(0.0, Sample::nominal));
        let load = ends.fold(f64::INFINITY, f64::min);
        let moduli = self.model.moduli(&self.sets[0].constants, &[0.0; 4]);
        (load.is_finite() && load > NOISE * (moduli.shear + moduli.bulk)).then_some(load)
    }

    /// Applies a strain or a load suddenly and holds it. Returns the samples while it is held, by set and axis.
    fn hold(&self, along: fn(f64) -> Along, most: f64) -> Vec<Vec<Vec<Sample>>> {
        let [low, high, each] = HOLD;
        let times = (low * each..=high * each).map(|n| 10f64.powf(f64::from(n) / f64::from(each)));
        let mut path: Vec<_> = ramp(0.0, most, SUDDEN).into_iter().map(|x| (along(x), 0.0)).collect();
        let mut before = 0.0;
        for time in times {
            path.push((along(most), time - before));
            before = time;
        }
        let held = |specimen: &Specimen, axis: usize| {
            let samples = axial(specimen, frame(axis), &path);
            samples.into_iter().skip(SUDDEN).collect()
        };
        let by_axis = |specimen: Specimen| self.axes.iter().map(|&axis| held(&specimen, axis)).collect();
        self.specimens().map(|(_, specimen)| by_axis(specimen)).collect()
    }

    fn uniaxial(&self) -> Chart {
        let mut chart = chart(
            "Tension and compression, free sides",
            "log strain along the axis",
            "-",
            "Cauchy stress along the axis",
            "Pa",
        );
        let ends_early = &mut chart.ends_early;
        let mut test = |specimen: &Specimen, axis: usize, rate: f64| {
            let mut run = |sign: f64| {
                let path = at_rate(&ramp(0.0, sign * self.strain, STEPS), rate);
                let samples = axial(specimen, frame(axis), &path);
                *ends_early |= samples.len() < path.len();
                samples.iter().map(stress_strain).collect::<Vec<_>>()
            };
            let mut points = run(-1.0);
            points.reverse();
            points.push([0.0, 0.0]);
            points.extend(run(1.0));
            points
        };
        chart.curves = self.curves(&|axis| format!("along {}", AXES[axis]), &mut test);
        chart
    }

    fn shear(&self) -> Chart {
        let title =
            if self.axes.len() > 1 { "Simple shear of one axis over another" } else { "Simple shear" };
        let mut chart = chart(title, "shear strain \u{3b3}", "-", "Cauchy shear stress", "Pa");
        let most = 2.0 * self.strain;
        let mut test = |specimen: &Specimen, axis: usize, rate: f64| {
            let points = shear(specimen, frame(axis), rate, most, STEPS);
            chart.ends_early |= points.len() <= STEPS;
            points
        };
        let name = |axis: usize| format!("{} over {}", AXES[axis], AXES[(axis + 1) % 3]);
        let curves = self.curves(&name, &mut test);
        chart.curves = curves;
        chart
    }

    fn cyclic(&self) -> Chart {
        let mut chart = chart(
            "The third cycle of tension and compression, free sides",
            "log strain along the axis",
            "-",
            "Cauchy stress along the axis",
            "Pa",
        );
        let half = 0.5 * self.strain;
        let mut path = ramp(0.0, half, STEPS / 4);
        for _ in 0..CYCLES {
            path.extend(ramp(half, -half, STEPS / 2));
            path.extend(ramp(-half, half, STEPS / 2));
        }
        let ends_early = &mut chart.ends_early;
        let mut test = |specimen: &Specimen, axis: usize, rate: f64| {
            let samples = axial(specimen, frame(axis), &at_rate(&path, rate));
            *ends_early |= samples.len() < path.len();
            samples.iter().skip(path.len() - STEPS - 1).map(stress_strain).collect()
        };
        chart.curves = self.curves(&|axis| format!("along {}", AXES[axis]), &mut test);
        chart
    }

    fn relaxation(&self) -> Chart {
        let title = format!("Relaxation at a log strain of {}, free sides", number(self.strain));
        let mut chart = chart(&title, "time held", "s", "Cauchy stress along the axis", "Pa");
        self.over_time(&mut chart, &self.held, Sample::cauchy);
        chart
    }

    fn creep(&self, load: f64) -> Chart {
        let title = format!("Creep under a load of {}, free sides", pressure(load));
        let mut chart = chart(&title, "time held", "s", "log strain along the axis", "-");
        self.over_time(&mut chart, &self.hold(Along::Load, load), Sample::strain);
        chart
    }

    /// Draws curves over a logarithmic time axis, from half a decade before anything happens to half a decade after.
    fn over_time(&self, chart: &mut Chart, held: &[Vec<Vec<Sample>>], value: fn(&Sample) -> f64) {
        chart.x.log = true;
        for (set, by_axis) in held.iter().enumerate() {
            for (samples, &axis) in by_axis.iter().zip(self.axes) {
                chart.ends_early |= samples.last().is_none_or(|last| last.time < 10f64.powi(HOLD[1]) * 0.99);
                let points = samples.iter().map(|sample| [sample.time, value(sample)]).collect();
                let name = if self.axes.len() > 1 { format!("along {}", AXES[axis]) } else { String::new() };
                chart.curves.push(self.curve(set, axis, self.axes.len(), &name, points));
            }
        }
        let windows = chart.curves.iter().filter_map(|curve| busy(&curve.points));
        let [from, to] = windows.fold([f64::INFINITY, 0.0], |[a, b], [c, d]| [a.min(c), b.max(d)]);
        let [from, to] = if from <= to {
            [from, to]
        } else {
            chart.note = "nothing changes while it is held".to_owned();
            [1e-2, 1e2]
        };
        let wide = 10f64.sqrt();
        for curve in &mut chart.curves {
            curve.points.retain(|point| (from / wide..=to * wide).contains(&point[0]));
        }
        // Show zero, so that the fall of a curve can be judged.
        let zero = chart.range(0).map(|time| [time, 0.0]).to_vec();
        chart.curves.insert(0, Curve::line("", GREY, zero));
    }

    /// Draws the curves of a test for every set, axis and rate; axes that behave alike share one.
    fn curves(
        &self,
        named: &dyn Fn(usize) -> String,
        test: &mut dyn FnMut(&Specimen, usize, f64) -> Points,
    ) -> Vec<Curve> {
        let rated = !self.model.descriptor().claims.rate_independent;
        let variants = self.axes.len() * self.rates.len();
        let mut curves = Vec::new();
        for (set, specimen) in self.specimens() {
            for (column, &rate) in self.rates.iter().enumerate() {
                let mut shown: Vec<(String, usize, Points)> = Vec::new();
                for (row, &axis) in self.axes.iter().enumerate() {
                    let name = if self.axes.len() > 1 { named(axis) } else { String::new() };
                    let points = test(&specimen, axis, rate);
                    match shown.iter_mut().find(|(_, _, others)| coincide(others, &points)) {
                        Some((names, ..)) => *names += &format!(" and {name}"),
                        None => shown.push((name, row * self.rates.len() + column, points)),
                    }
                }
                let rate = if rated { format!("{}/s", number(rate)) } else { String::new() };
                for (name, variant, points) in shown {
                    curves.push(self.curve(set, variant, variants, &joined(&[&name, &rate]), points));
                }
            }
        }
        curves
    }

    fn curve(&self, set: usize, variant: usize, variants: usize, name: &str, points: Points) -> Curve {
        let letter = if self.sets.len() > 1 { ["A", "B"][set] } else { "" };
        Curve {
            name: joined(&[letter, name]),
            points,
            color: if variants > 1 { variant } else { set },
            set,
            dots: false,
        }
    }

    /// Returns the specimens at rest.
    fn specimens(&self) -> impl Iterator<Item = (usize, Specimen<'a>)> {
        self.sets.iter().map(|set| Specimen::new(self.model, &set.constants)).enumerate()
    }
}

impl Diagrams for TensorTests<'_> {
    fn model(&self) -> &Model {
        self.model
    }

    fn missing(&self, kind: CurveKind) -> Option<&'static str> {
        match kind {
            CurveKind::Yield | CurveKind::Triaxial | CurveKind::Flow => {
                Some("drawn only for models of principal strains; this is a whole-tensor model")
            }
            CurveKind::Relaxation | CurveKind::Creep if self.held.is_empty() => {
                Some("the model claims to be rate independent, so nothing changes while it is held")
            }
            CurveKind::Creep if self.load().is_none() => Some("the material bears no load permanently"),
            _ => None,
        }
    }

    fn draw(&self, kind: CurveKind) -> Vec<Chart> {
        match kind {
            CurveKind::Uniaxial => vec![self.uniaxial()],
            CurveKind::Shear => vec![self.shear()],
            CurveKind::Cyclic => vec![self.cyclic()],
            CurveKind::Relaxation => vec![self.relaxation()],
            CurveKind::Creep => self.load().map(|load| self.creep(load)).into_iter().collect(),
            CurveKind::Yield | CurveKind::Triaxial | CurveKind::Flow => Vec::new(),
        }
    }
}

fn stress_strain(sample: &Sample) -> [f64; 2] {
    [sample.strain(), sample.cauchy()]
}

/// Returns the strains, each with the time in which it is reached from the previous one \[s\].
fn at_rate(strains: &[f64], rate: f64) -> Vec<(Along, f64)> {
    let before = std::iter::once(&0.0).chain(strains);
    strains.iter().zip(before).map(|(&to, from)| (Along::Strain(to), (to - from).abs() / rate)).collect()
}

/// Returns whether two curves coincide within the width of a pen.
fn coincide(a: &[[f64; 2]], b: &[[f64; 2]]) -> bool {
    let most = a.iter().map(|point| point[1].abs()).fold(0.0, f64::max);
    let near = |(a, b): (&[f64; 2], &[f64; 2])| (a[1] - b[1]).abs() <= 1e-3 * most;
    a.len() == b.len() && a.iter().zip(b).all(near)
}

/// Returns the first and last time at which a curve is neither at its start nor at its end; `None` for a flat one.
fn busy(points: &[[f64; 2]]) -> Option<[f64; 2]> {
    let (first, last) = (points.first()?[1], points.last()?[1]);
    let allowed = SETTLED * (last - first).abs();
    let settled = (last - first).abs() <= FLAT * first.abs().max(last.abs());
    let from = points.iter().find(|point| (point[1] - first).abs() > allowed)?[0];
    let to = points.iter().rev().find(|point| (point[1] - last).abs() > allowed)?[0];
    (!settled).then_some([from, to])
}
