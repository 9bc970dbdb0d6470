//! P11 and P14, Fig. 17 and Table 2: where the time of a substep goes, and the number of pair-iterations per second.
//!
//! P11: the Hourglass at 5 iterations (`configs/scenes/hourglass.toml`; friction angle, stiffness and iterations are the paper's, the
//! glass is ours), timed stage by stage. The paper's once-per-step work is about a third of the total.
//!
//! P14: the neighbors of all particles times the iterations over the whole time of a substep; Table 2 implies this rate for an RTX 4090.
//! A graphics card must reach it; for a processor it is only recorded.

use tuff_chart::{Axis, Chart, Curve, GREY};
use tuff_problem::profile::Part;

use super::SUBJECT;
use crate::shipped::{HB_DROP_TRIO, HOURGLASS, SNOWBALL_WALL, Shipped};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// P11.
pub const SHARES: Card = Card {
    id: "P11",
    title: "Shares of the cost of a substep",
    reference: "Fig. 17: once-per-step work is about a third at 5 iterations, the inelastic solve the most",
    figure: Some("17"),
    by_default: ByDefault::No(SUBJECT),
    minutes: [0.1, 0.1, 2.0],
    run: shares,
};

/// P14.
pub const RATES: Card = Card {
    id: "P14",
    title: "Pair-iterations a second",
    reference: "Table 2 on an RTX 4090, from particles, neighbors, iterations and seconds a frame",
    figure: Some("table2"),
    by_default: ByDefault::No(SUBJECT),
    minutes: [0.1, 0.2, 30.0],
    run: rates,
};

fn shares(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mut trial = lab.start(lab.shipped(HOURGLASS, &[], Some(lab.pick(2000, 8000, 50_000)))?)?;
    trial.device.set_measured(false);
    trial.step(lab.pick(10, 60, 100))?;
    // The fastest of several batches: other programs can only slow it down.
    let substeps = lab.pick(2, 4, 10);
    let (mut dispatches, mut total) = (Vec::new(), f64::INFINITY);
    for _ in 0..5 {
        let profile = trial.device.profile(substeps)?;
        let all: Vec<_> = profile.into_iter().flat_map(|substep| substep.dispatches).collect();
        let seconds: f64 = all.iter().map(|d| d.seconds).sum();
        if seconds < total {
            (dispatches, total) = (all, seconds);
        }
    }
    let of_part = |part: Part| dispatches.iter().filter(|d| d.part == part).map(|d| d.seconds).sum::<f64>();
    let mut solve = 0.0;
    let mut largest = (Part::SolveOther, 0.0);
    for part in Part::ALL {
        let seconds = of_part(part);
        findings.record(format!("share of {}", part.name()), "", seconds / total);
        if matches!(part, Part::SolveInelastic | Part::SolveOther) {
            solve += seconds;
        }
        if seconds > largest.1 {
            largest = (part, seconds);
        }
    }
    findings.check("share of once-per-step work", "", 1.0 - solve / total, Expected::Between(0.15, 0.45));
    let most = f64::from(largest.0 == Part::SolveInelastic);
    findings.check("the inelastic solve is the largest row (1: yes)", "", most, Expected::AtLeast(1.0));
    findings.remark(format!(
        "{} particles on {}, {:.2} ms a substep by the device's clock. Collision detection is the prediction of velocities, which finds near \
         faces: colliders are signed distances, with no tree of triangles to refit.",
        trial.problem.particle_count(),
        trial.device.name(),
        1e3 * total / f64::from(substeps)
    ));
    findings.image("The hourglass when the clock stopped", &trial.picture()?);
    Ok(())
}

/// A row of Table 2 and the scene that represents it.
struct Row {
    name: &'static str,
    scene: Shipped,
    iterations: u32,
    /// Pair-iterations per second in the paper.
    paper: f64,
}

const TABLE: [Row; 3] = [
    Row { name: "Hourglass", scene: HOURGLASS, iterations: 5, paper: 1.15e9 },
    Row { name: "Hitman", scene: SNOWBALL_WALL, iterations: 10, paper: 2.09e9 },
    Row { name: "Cloth", scene: HB_DROP_TRIO, iterations: 10, paper: 1.64e9 },
];

fn rates(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let counts: &[u64] = lab.pick(&[2000], &[2000, 8000], &[100_000, 1_000_000]);
    let mut chart = Chart {
        title: "Pair-iterations a second".to_owned(),
        x: Axis { label: "particles".to_owned(), unit: "1", log: true },
        y: Axis { label: "pair-iterations".to_owned(), unit: "1/s", log: true },
        ..Chart::default()
    };
    for (color, row) in TABLE.iter().enumerate() {
        let mut points = Vec::new();
        for &count in counts {
            let keys = [format!("solver.iterations={}", row.iterations)];
            let mut trial = lab.start(lab.shipped(row.scene, &keys, Some(count))?)?;
            trial.device.set_measured(false);
            trial.step(5)?;
            // The fastest of several batches: other programs can only slow it down.
            let mut rate = 0.0_f64;
            for _ in 0..5 {
                let report = trial.step(lab.pick(2, 4, 10))?;
                let pairs = report.neighbor_pairs as f64 * report.iterations as f64;
                rate = rate.max(pairs / report.wall_seconds);
            }
            let particles = trial.problem.particle_count();
            let expected =
                if trial.device.is_gpu() { Expected::AtLeast(row.paper) } else { Expected::Anything };
            findings.check(format!("{} law, {particles} particles", row.name), "1/s", rate, expected);
            points.push([particles as f64, rate]);
        }
        chart.curves.push(Curve::dots(row.name, color, points.clone()));
        let line = points.iter().map(|p| [p[0], row.paper]).collect();
        chart.curves.push(Curve::line(if color == 0 { "paper" } else { "" }, GREY, line));
    }
    findings.remark("The paper's rates are for a graphics card at about a million particles; only such a device is held to them.");
    findings.diagram(&chart);
    Ok(())
}
