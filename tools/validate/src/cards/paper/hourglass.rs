//! P15, Fig. 8: sand runs through the neck of an hourglass at a constant rate, however much is left above, and heaps up below.
//!
//! `configs/scenes/hourglass.toml` with the paper's friction angle, stiffness and iterations; the glass and the density are ours. A
//! liquid would run more slowly as its surface sinks: its rate falls with the square root of the head. For grains, Beverloo's law
//! `W = C rho sqrt(g) D^(5/2)` has C = 0.58; it subtracts about 1.4 grains from the neck's width D, which does not apply to a continuum.

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::positions;
use crate::shipped::HOURGLASS;
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "P15",
    title: "An hourglass",
    reference: "Fig. 8: steady discharge; Beverloo's law for its rate",
    figure: Some("8"),
    by_default: ByDefault::Judged([1.9, 4.5, 20.0]),
    minutes: [0.5, 3.2, 15.0],
    run,
};

/// Height of the neck and its width [m].
const NECK: [f64; 2] = [0.150, 0.032];

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mut trial = lab.start(lab.shipped(HOURGLASS, &[], Some(lab.pick(1200, 3000, 50_000)))?)?;
    let count = trial.problem.particle_count() as f64;
    let volume: f64 = trial.problem.particles.rest_volume.iter().sum();
    // Time and fraction of the sand below the neck.
    let mut below = vec![[0.0, 0.0]];
    for index in 1..=72 {
        trial.frame()?;
        let frame = trial.now()?;
        let through = positions(&frame).iter().filter(|x| x.y < NECK[0]).count() as f64;
        below.push([frame.time, through / count]);
        if [18, 72].contains(&index) {
            findings.image(format!("after {:.2} s", frame.time), &trial.picture()?);
        }
    }
    let line = Line::through(below.iter().filter(|point| (0.2..=0.8).contains(&point[1])));
    let rates: Vec<f64> = [[0.2, 0.5], [0.5, 0.8]]
        .map(|[from, to]| Line::through(below.iter().filter(|p| (from..=to).contains(&p[1]))).slope)
        .to_vec();
    findings.check("share that has run through at the end", "", below[72][1], Expected::AtLeast(0.97));
    findings.relative("rate of the second third over that of the first", "", rates[1] / rates[0], 1.0, 0.1);
    let discharge = line.slope * volume / (9.81_f64.sqrt() * NECK[1].powf(2.5));
    findings.check("C of Beverloo's law", "", discharge, Expected::Between(0.4, 0.75));
    findings.remark(format!(
        "{count} particles at {:.1} mm, {:.1} across the neck; a liquid's rate would fall by a quarter from the first third to the second.",
        1e3 * trial.problem.spacing(0),
        NECK[1] / trial.problem.spacing(0)
    ));
    let ends = [0.1, 0.9].map(|share| [(share - line.offset) / line.slope, share]);
    findings.diagram(&Chart {
        title: "Sand below the neck".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "share".to_owned(), unit: "1", log: false },
        curves: vec![Curve::line("constant rate", GREY, ends.to_vec()), Curve::dots("Tuff", 0, below)],
        ..Chart::default()
    });
    Ok(())
}

/// A least-squares line.
struct Line {
    slope: f64,
    offset: f64,
}

impl Line {
    fn through<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Self {
        let (mut n, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for [a, b] in points {
            (n, x, y, xx, xy) = (n + 1.0, x + a, y + b, xx + a * a, xy + a * b);
        }
        let slope = (n * xy - x * y) / (n * xx - x * x);
        Self { slope, offset: (y - slope * x) / n }
    }
}
