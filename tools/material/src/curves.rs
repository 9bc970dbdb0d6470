//! Diagrams of a model: which tests are run, how far, and with which labels.

use clap::ValueEnum;
use tuff_material::drivers::{Across, Sample, Specimen, axial, consolidate, flow_stress, p_q, shear};
use tuff_material::surface::Surface;
use tuff_plugin::Model;

use crate::args::CurveKind;
use crate::exit::Stop;
use crate::sets::Set;
use tuff_chart::{Axis, Chart, Curve, GREY, number};

/// Number of increments in a curve.
pub const STEPS: usize = 600;

/// Number of points on each side of a yield surface, and of trial states around it.
const OUTLINE: [usize; 2] = [160, 28];

/// Strain along the axis: in yield strains, its minimum, and its maximum, which also applies to rate-dependent models and if nothing
/// yields.
const STRAIN: [f64; 3] = [15.0, 2e-3, 0.5];

/// Yield strains below this count as zero.
const MIN_YIELD: f64 = 1e-8;

/// Number of cycles in a cyclic test.
pub const CYCLES: usize = 3;

/// Strain rates of a flow curve: first and last power of ten, and number of rates per decade.
const RATES: [i32; 3] = [-3, 3, 4];

/// Stresses below this fraction of the moduli are rounding.
const NOISE: f64 = 1e-9;

/// Common settings of all tests on a page.
#[derive(Debug)]
pub struct Tests<'a> {
    model: &'a Model,
    sets: Vec<(&'a Set, Surface<'a>)>,
    /// Strain rates \[1/s\]; models without rate dependence have one, which has no effect.
    rates: Vec<f64>,
    /// Cell pressure \[Pa\].
    pressure: f64,
    /// Strain along the axis.
    strain: f64,
    /// Whether strength depends on pressure.
    sensitive: bool,
    /// Whether anything yields.
    plastic: bool,
    /// Whether any yielding starts at once, even under the cell pressure.
    fluid: bool,
}

/// Values that the user sets instead of the automatic ones.
#[derive(Debug, Default)]
pub struct Wishes {
    /// Strain rates \[1/s\].
    pub rates: Vec<f64>,
    /// Cell pressure \[Pa\].
    pub pressure: Option<f64>,
    /// Strain along the axis.
    pub strain: Option<f64>,
}

/// Diagrams of a model.
pub trait Diagrams {
    /// Returns the model.
    fn model(&self) -> &Model;

    /// Returns the reason why a diagram would be empty.
    fn missing(&self, kind: CurveKind) -> Option<&'static str>;

    /// Draws the diagrams of a kind that is not missing: two for the triaxial test.
    fn draw(&self, kind: CurveKind) -> Vec<Chart>;

    /// Returns the kinds of diagrams that have something to show.
    fn kinds(&self) -> Vec<CurveKind> {
        CurveKind::value_variants().iter().copied().filter(|kind| self.missing(*kind).is_none()).collect()
    }

    /// Draws the diagrams of one kind.
    ///
    /// # Errors
    /// The model has nothing to show there.
    fn charts(&self, kind: CurveKind) -> Result<Vec<Chart>, Stop> {
        let refuse = |why: &str| {
            Stop::bad_input(format!("--curves {}: {}: {why}", kind.name(), self.model().descriptor().id))
        };
        if let Some(why) = self.missing(kind) {
            return Err(refuse(why));
        }
        let charts = self.draw(kind);
        match self.model().fault() {
            Some(fault) => Err(Stop::bad_input(fault)),
            None if charts.iter().any(Chart::is_empty) => {
                Err(refuse("the test cannot be run: none of its steps balances"))
            }
            None => Ok(charts),
        }
    }
}

impl Diagrams for Tests<'_> {
    fn model(&self) -> &Model {
        self.model
    }

    fn missing(&self, kind: CurveKind) -> Option<&'static str> {
        match kind {
            CurveKind::Yield | CurveKind::Triaxial if !self.plastic => Some("the material never yields"),
            CurveKind::Yield | CurveKind::Triaxial if self.fluid => {
                Some("the material flows under any stress")
            }
            CurveKind::Flow if self.model.descriptor().claims.rate_independent => {
                Some("the model claims to be rate independent, so stress does not depend on the rate")
            }
            CurveKind::Relaxation | CurveKind::Creep => {
                Some("drawn only for whole-tensor models, whose stress relaxes at constant strain")
            }
            _ => None,
        }
    }

    fn draw(&self, kind: CurveKind) -> Vec<Chart> {
        let mut charts = match kind {
            CurveKind::Yield => vec![self.yield_surface()],
            CurveKind::Uniaxial => vec![self.uniaxial()],
            CurveKind::Shear => vec![self.shear()],
            CurveKind::Cyclic => vec![self.cyclic()],
            CurveKind::Triaxial => self.triaxial(),
            CurveKind::Flow => vec![self.flow()],
            CurveKind::Relaxation | CurveKind::Creep => Vec::new(),
        };
        for chart in &mut charts {
            self.quiet(chart);
        }
        charts
    }
}

impl<'a> Tests<'a> {
    /// Prepares the tests of one or two parameter sets.
    pub fn new(model: &'a Model, sets: &[&'a Set], wishes: Wishes) -> Self {
        let sets: Vec<_> = sets.iter().map(|&set| (set, Surface::new(model, &set.constants))).collect();
        let pressure = wishes.pressure.unwrap_or_else(|| sets[0].1.cell_pressure());
        let yields: Vec<_> = sets.iter().filter_map(|(_, surface)| surface.yield_strain(pressure)).collect();
        let sensitive = sets.iter().any(|(_, surface)| surface.pressure_sensitive());
        let rated = !model.descriptor().claims.rate_independent;
        let plastic = sensitive || !yields.is_empty();
        let fluid = yields.iter().all(|&strain| strain < MIN_YIELD);
        let first_yield = yields.iter().copied().fold(0.0, f64::max);
        let [many, least, most] = STRAIN;
        let strain = if rated || !plastic { most } else { (many * first_yield).clamp(least, most) };
        let rates = match (rated, wishes.rates.is_empty()) {
            (false, _) => vec![1.0],
            (true, true) => vec![0.1, 1.0, 10.0],
            (true, false) => wishes.rates,
        };
        Self {
            model,
            sets,
            rates,
            pressure,
            strain: wishes.strain.unwrap_or(strain),
            sensitive,
            plastic,
            fluid,
        }
    }

    /// Replaces stresses that are only rounding by zero, and notes it if there is nothing else.
    fn quiet(&self, chart: &mut Chart) {
        let (set, _) = &self.sets[0];
        let moduli = self.model.moduli(&set.constants, &self.model.initial_state(&set.constants));
        let [low, high] = chart.range(1);
        if low.abs().max(high.abs()) < NOISE * (moduli.shear + moduli.bulk) {
            chart.note = "no stress: nothing holds the material together in this test".to_owned();
            chart.curves.iter_mut().flat_map(|curve| &mut curve.points).for_each(|point| point[1] = 0.0);
        }
    }

    fn yield_surface(&self) -> Chart {
        let mut chart = chart(
            "Yield surface in p-q",
            "pressure p, Kirchhoff",
            "Pa",
            "q, Kirchhoff: pressed > 0, pulled < 0",
            "Pa",
        );
        let window = [-2.0 * self.pressure, 3.0 * self.pressure];
        for index in 0..self.sets.len() {
            chart.curves.extend(self.border(index, window, index));
        }
        if let [(_, surface)] = self.sets.as_slice() {
            chart.arrows = surface.returns(window, OUTLINE[1]);
            chart.arrows_name = "trial states, and where they return".to_owned();
        }
        chart
    }

    fn uniaxial(&self) -> Chart {
        let mut chart = chart(
            "Tension and compression, free sides",
            "log strain along the axis",
            "-",
            "Cauchy stress along the axis",
            "Pa",
        );
        for (index, specimen) in self.specimens() {
            for (variant, &rate) in self.rates.iter().enumerate() {
                let mut run = |sign: f64| {
                    let path = ramp(0.0, sign * self.strain, STEPS);
                    let samples = axial(&specimen, &path, Across::Stress(0.0), rate);
                    chart.ends_early |= samples.len() < path.len();
                    samples.iter().map(|s| [s.strain[0], s.cauchy()[0]]).collect::<Vec<_>>()
                };
                let mut points = run(-1.0);
                points.reverse();
                points.push([0.0, 0.0]);
                points.extend(run(1.0));
                chart.curves.push(self.curve(index, variant, self.rates.len(), &self.rate(rate), points));
            }
        }
        chart
    }

    fn shear(&self) -> Chart {
        let title = match self.sensitive {
            true => format!("Simple shear at constant volume, from p = {}", pressure(self.pressure)),
            false => "Simple shear".to_owned(),
        };
        let mut chart = chart(&title, "shear strain \u{3b3}", "-", "Cauchy shear stress", "Pa");
        for (index, specimen) in self.confined() {
            for (variant, &rate) in self.rates.iter().enumerate() {
                let points = shear(&specimen, rate, 2.0 * self.strain, STEPS);
                chart.curves.push(self.curve(index, variant, self.rates.len(), &self.rate(rate), points));
            }
        }
        chart
    }

    fn cyclic(&self) -> Chart {
        let title = match self.sensitive {
            true => format!("Cycles of compression and extension in a cell at {}", pressure(self.pressure)),
            false => "Cycles of tension and compression, free sides".to_owned(),
        };
        let mut chart =
            chart(&title, "log strain along the axis", "-", "Cauchy stress along less across", "Pa");
        let half = if self.sensitive { -0.5 * self.strain } else { 0.5 * self.strain };
        let cycle = STEPS;
        let mut path = ramp(0.0, half, cycle / 4);
        for _ in 0..CYCLES {
            path.extend(ramp(half, -half, cycle / 2));
            path.extend(ramp(-half, half, cycle / 2));
        }
        for (index, specimen) in self.confined() {
            let across = Across::Stress(if self.sensitive { -self.pressure } else { 0.0 });
            for (variant, &rate) in self.rates.iter().enumerate() {
                let start = specimen.sample().strain[0];
                let samples = axial(&specimen, &path, across, rate);
                chart.ends_early |= samples.len() < path.len();
                let mut points = vec![[0.0, 0.0]];
                points.extend(samples.iter().map(|s| [s.strain[0] - start, -p_q(s.cauchy())[1]]));
                unrepeated(&mut points, cycle);
                chart.curves.push(self.curve(index, variant, self.rates.len(), &self.rate(rate), points));
            }
        }
        chart
    }

    fn triaxial(&self) -> Vec<Chart> {
        // The test is slow: rate-dependent models are tested at the lowest rate.
        let rate = self.rates.iter().copied().fold(f64::INFINITY, f64::min);
        let at = match self.rate(rate) {
            rate if rate.is_empty() => rate,
            rate => format!(", {rate}"),
        };
        let title = format!("Triaxial compression from p = {}{at}", pressure(self.pressure));
        let mut strains = chart(&title, "shortening, log strain", "-", "q, Cauchy", "Pa");
        let title = "Its paths, with the yield surface before it";
        let mut paths = chart(title, "pressure p, Kirchhoff", "Pa", "q, Kirchhoff", "Pa");
        let path = ramp(0.0, -self.strain, STEPS);
        for (index, (set, _)) in self.sets.iter().enumerate() {
            let rest = Specimen::new(self.model, &set.constants);
            let Some(specimen) = consolidate(&rest, self.pressure) else { continue };
            let ways = [("drained", Across::Stress(-self.pressure)), ("undrained", Across::Volume)];
            for (variant, (name, across)) in ways.into_iter().enumerate() {
                let start = specimen.sample();
                let mut samples = vec![*start];
                samples.extend(axial(&specimen, &path, across, rate));
                strains.ends_early |= samples.len() <= path.len();
                let q = |s: &Sample| [start.strain[0] - s.strain[0], p_q(s.cauchy())[1]];
                strains.curves.push(self.curve(index, variant, 2, name, samples.iter().map(q).collect()));
                let points = samples.iter().map(|s| p_q(s.kirchhoff)).collect();
                paths.curves.push(self.curve(index, variant, 2, name, points));
            }
        }
        let most = 1.1 * paths.range(0)[1];
        let borders = (0..self.sets.len()).flat_map(|index| self.border(index, [0.0, most], GREY));
        let mut borders: Vec<_> = borders.collect();
        for curve in &mut borders {
            curve.name.clear();
            curve.points.retain(|point| point[1] >= 0.0);
        }
        borders.append(&mut paths.curves);
        paths.curves = borders;
        vec![strains, paths]
    }

    fn flow(&self) -> Chart {
        let mut chart = chart("Steady simple shear", "shear rate", "1/s", "Cauchy shear stress", "Pa");
        (chart.x.log, chart.y.log) = (true, true);
        let [low, high, each] = RATES;
        let rates = (low * each..=high * each).map(|n| 10f64.powf(f64::from(n) / f64::from(each)));
        let rates: Vec<_> = rates.collect();
        for (index, specimen) in self.confined() {
            let steady = rates.iter().filter_map(|&rate| Some([rate, flow_stress(&specimen, rate)?]));
            let points = steady.filter(|point| point[1] > 0.0).collect();
            chart.curves.push(self.curve(index, 0, 1, "", points));
        }
        chart
    }

    /// Draws the yield surface of a set; only its first line has an entry in the legend.
    fn border(&self, set: usize, window: [f64; 2], color: usize) -> Vec<Curve> {
        let lines = self.sets[set].1.outline(window, OUTLINE[0]).into_iter();
        let mut curves: Vec<_> =
            lines.map(|points| Curve { color, ..self.curve(set, 0, 1, "", points) }).collect();
        curves.iter_mut().skip(1).for_each(|curve| curve.name.clear());
        curves
    }

    /// Returns the specimens at rest.
    fn specimens(&self) -> impl Iterator<Item = (usize, Specimen<'a>)> {
        self.sets.iter().map(|(set, _)| Specimen::new(self.model, &set.constants)).enumerate()
    }

    /// Returns the specimens, under the cell pressure if strength depends on pressure.
    fn confined(&self) -> impl Iterator<Item = (usize, Specimen<'a>)> {
        let press = |(index, specimen)| match self.sensitive {
            true => consolidate(&specimen, self.pressure).map(|specimen| (index, specimen)),
            false => Some((index, specimen)),
        };
        self.specimens().filter_map(press)
    }

    /// Builds a curve of a set: dashes distinguish the sets; colors distinguish the variants, or the sets if there is one variant.
    fn curve(&self, set: usize, variant: usize, variants: usize, name: &str, points: Vec<[f64; 2]>) -> Curve {
        let letter = if self.sets.len() > 1 { ["A", "B"][set] } else { "" };
        Curve {
            name: joined(&[letter, name]),
            points,
            color: if variants > 1 { variant } else { set },
            set,
            dots: false,
        }
    }

    fn rate(&self, rate: f64) -> String {
        if self.model.descriptor().claims.rate_independent {
            String::new()
        } else {
            format!("{}/s", number(rate))
        }
    }
}

/// Joins words for a legend; empty ones are left out.
pub fn joined(words: &[&str]) -> String {
    words.iter().copied().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Builds an empty diagram with linear axes.
pub fn chart(title: &str, x: &str, x_unit: &'static str, y: &str, y_unit: &'static str) -> Chart {
    let axis = |label: &str, unit| Axis { label: label.to_owned(), unit, log: false };
    Chart { title: title.to_owned(), x: axis(x, x_unit), y: axis(y, y_unit), ..Chart::default() }
}

/// Returns even steps after `from` up to `to`.
pub fn ramp(from: f64, to: f64, steps: usize) -> Vec<f64> {
    (1..=steps).map(|step| from + (to - from) * step as f64 / steps as f64).collect()
}

/// Drops cycles that repeat the previous one: dashes drawn twice would look like a solid line.
fn unrepeated(points: &mut Vec<[f64; 2]>, cycle: usize) {
    let largest = points.iter().map(|point| point[1].abs()).fold(0.0, f64::max);
    let mut count = points.len();
    while count > 2 * cycle {
        let (before, last) = (&points[count - 2 * cycle..count - cycle], &points[count - cycle..count]);
        if before.iter().zip(last).any(|(a, b)| (a[1] - b[1]).abs() > 0.01 * largest) {
            break;
        }
        count -= cycle;
    }
    points.truncate(count);
}

/// Formats a stress with its unit, for titles.
pub fn pressure(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{} MPa", number(value / 1e6)),
        value if value >= 1e3 => format!("{} kPa", number(value / 1e3)),
        value => format!("{} Pa", number(value)),
    }
}
