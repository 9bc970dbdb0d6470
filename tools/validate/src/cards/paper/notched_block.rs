//! P3, Fig. 9: a notched block of sand falls; plasticity inside the iterations versus at the end of the step.
//!
//! `configs/scenes/notched_sand_block.toml`: the friction angle of 35 degrees, the steps of 1 ms and the size are the card's; the paper
//! gives no numbers. The ground truth is the same scene with steps ten times smaller, implicit (100 times in the full size). The explicit
//! material point method, another discretization of the same law, runs alongside.
//!
//! Sand bears no tension, so a block of it neither bounces nor stands. If the return mapping runs only at the end of a step, stresses
//! outside the cone act within the step, and the block holds together. The card also asks how many particles have a trial stress outside
//! the cone: in implicit plasticity this number only measures the step, since the acting stress is projected, so it is omitted.
//!
//! Regions are compared by the cells of 1.5 spacings that they have in common, and by the points that have a point of the other region
//! within 1.5 spacings: surface cells alone lower the former by 0.1 to 0.3 on small blocks.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use super::SUBJECT;
use crate::measure::{intersection_over_union, mean, overlap, positions, velocities};
use crate::shipped::NOTCHED_SAND_BLOCK;
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Method};

/// The card.
pub const CARD: Card = Card {
    id: "P3",
    title: "Notched block of sand, implicit and semi-implicit plasticity",
    reference: "Fig. 9: the semi-implicit block is too elastic; the truth is the implicit one at small steps",
    figure: Some("9"),
    by_default: ByDefault::No(SUBJECT),
    minutes: [0.5, 1.1, 35.0],
    run,
};

/// A fall and its result.
struct Fall {
    points: Vec<DVec3>,
    spacing: f64,
    /// Time and height of the center of mass [s, m].
    height: Vec<[f64; 2]>,
    /// Largest upward velocity of the center of mass over the impact velocity.
    rebound: f64,
    picture: Vec<u8>,
    residual: f64,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let particles = lab.pick(400, 1000, 7000);
    let small = lab.pick(2e-4, 1e-4, 1e-5);
    let truth = fall(lab, particles, small, 5, "implicit", Method::Tuff)?;
    let implicit = fall(lab, particles, 1e-3, 10, "implicit", Method::Tuff)?;
    let semi = fall(lab, particles, 1e-3, 10, "semi_implicit", Method::Tuff)?;
    let grid = fall(lab, particles, 1e-3, 10, "implicit", Method::Mpm)?;
    findings.remark(format!(
        "{} particles; truth at steps of {small:.0e} s with 5 iterations, implicit and semi-implicit at 1e-3 s with 10, the \
         material point method on nodes two spacings apart at a Courant number of 0.3. Force residuals {:.1e}, {:.1e} (implicit), \
         {:.1e} (semi-implicit).",
        truth.points.len(),
        truth.residual,
        implicit.residual,
        semi.residual
    ));
    let cell = 1.5 * truth.spacing;
    let common = |fall: &Fall| intersection_over_union(&truth.points, &fall.points, cell);
    let shared = |fall: &Fall| overlap(&truth.points, &fall.points, cell);
    let (with, without) = (common(&implicit), common(&semi));
    findings.record("cells in common with the truth, implicit", "", with);
    findings.record("cells in common with the truth, semi-implicit", "", without);
    findings.check("implicit has more cells in common, by", "", with - without, Expected::AtLeast(0.1));
    findings.check("region shared with the truth, implicit", "", shared(&implicit), Expected::AtLeast(0.95));
    findings.record("region shared with the truth, semi-implicit", "", shared(&semi));
    findings.record("region shared with the truth, material point method", "", shared(&grid));
    findings.record("rebound velocity over that of the impact, truth", "", truth.rebound);
    let what = "rebound velocity over that of the impact, implicit";
    findings.check(what, "", implicit.rebound, Expected::AtMost(0.05));
    let what = "rebound velocity over that of the impact, semi-implicit";
    let three_times = Expected::AtLeast(3.0 * implicit.rebound);
    findings.check(
        what,
        "",
        semi.rebound,
        if implicit.rebound > 0.0 { three_times } else { Expected::Anything },
    );
    // If neither bounces, the remaining height distinguishes them.
    let kept = |fall: &Fall| fall.last_height() / truth.last_height();
    let near = Expected::Relative { reference: 1.0, tolerance: 0.1 };
    findings.check(
        "height of the center of mass over that of the truth, implicit",
        "",
        kept(&implicit),
        near,
    );
    let what = "height of the center of mass over that of the truth, semi-implicit";
    findings.check(what, "", kept(&semi), Expected::AtLeast(1.3));
    let what = "height of the center of mass over that of the truth, material point method";
    findings.record(what, "", kept(&grid));
    let line = |name: &str, color: usize, fall: &Fall| Curve::line(name, color, fall.height.clone());
    findings.diagram(&Chart {
        title: "Height of the center of mass".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "height".to_owned(), unit: "m", log: false },
        curves: vec![
            line("small steps", GREY, &truth),
            line("implicit", 0, &implicit),
            line("semi-implicit", 1, &semi),
            line("material point method", 2, &grid),
        ],
        ..Chart::default()
    });
    findings.image(format!("Truth: implicit at steps of {small:.0e} s"), &truth.picture);
    findings.image("Implicit at steps of 1e-3 s", &implicit.picture);
    findings.image("Semi-implicit at steps of 1e-3 s", &semi.picture);
    findings.image("Material point method", &grid.picture);
    Ok(())
}

impl Fall {
    fn last_height(&self) -> f64 {
        self.height.last().map_or(f64::NAN, |h| h[1])
    }
}

/// Simulates the first 0.4 s, of which the fall takes 0.14 s.
fn fall(
    lab: &Lab,
    particles: u64,
    dt: f64,
    iterations: u32,
    plasticity: &str,
    method: Method,
) -> Result<Fall, CardError> {
    let rate = 100.0;
    let keys = [
        format!("time.frame_rate={rate:?}"),
        format!("time.max_substep={dt:?}"),
        format!("solver.iterations={iterations}"),
        format!("solver.plasticity={plasticity}"),
    ];
    let problem = lab.shipped(NOTCHED_SAND_BLOCK, &keys, Some(particles))?;
    let mut simulation = lab.simulation(&problem, method)?;
    let (mut height, mut slowest, mut rebound) = (Vec::new(), 0.0_f64, 0.0_f64);
    let mut residual = 0.0;
    for index in 1..=40 {
        residual = lab.advance(&problem, &mut *simulation)?.residual.force;
        let frame = simulation.frame()?;
        let up = mean(&problem, &velocities(&frame)).y;
        slowest = slowest.min(up);
        rebound = rebound.max(up);
        height.push([f64::from(index) / rate, mean(&problem, &positions(&frame)).y]);
    }
    let frame = simulation.frame()?;
    Ok(Fall {
        points: positions(&frame),
        spacing: problem.spacing(0),
        height,
        rebound: rebound / -slowest,
        picture: lab.picture(&problem, &frame)?,
        residual,
    })
}
