//! P13, Table 2: neighbors per particle in scenes like the paper's, and whether the number stays constant.
//!
//! A particle of a lattice of spacing r has 32 neighbors within 2 r in the interior, 20 on a face; Table 2 has 16.8 to 39 over whole
//! scenes. Our scenes represent its rows by their law: sizes and shapes differ, and with few particles a larger share is on the surface.

use tuff_chart::{Axis, Chart, Curve, GREY};

use super::SUBJECT;
use crate::shipped::{
    BRITTLE_CANDY, GOO_COIL, HB_DROP_TRIO, HOURGLASS, SNOWBALL_WALL, Shipped, TWO_SAND_BLOCKS,
};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "P13",
    title: "Neighbors per particle",
    reference: "Table 2: 16.8 to 39 over whole scenes",
    figure: Some("table2"),
    by_default: ByDefault::No(SUBJECT),
    minutes: [0.3, 1.4, 37.0],
    run,
};

/// A scene that represents a row of Table 2.
struct Row {
    name: &'static str,
    scene: Shipped,
    /// Neighbors per particle in the paper.
    paper: f64,
    /// Number of particles and frames at the quick size; thin bodies need more particles to have an interior.
    quick: (u64, u32),
    /// Relative change that the impact of thrown matter causes, and its description, if it exceeds the change by flow.
    impact: Option<(f64, &'static str)>,
}

const ROWS: [Row; 6] = [
    Row { name: "Noodles (goo_coil)", scene: GOO_COIL, paper: 24.3, quick: (6000, 2), impact: None },
    Row {
        name: "Camponotus (brittle_candy)",
        scene: BRITTLE_CANDY,
        paper: 29.4,
        quick: (6000, 3),
        impact: None,
    },
    Row {
        name: "Dam Breach (two_sand_blocks)",
        scene: TWO_SAND_BLOCKS,
        paper: 39.0,
        quick: (3000, 8),
        impact: None,
    },
    Row { name: "Hourglass (hourglass)", scene: HOURGLASS, paper: 16.8, quick: (3000, 4), impact: None },
    Row {
        name: "Hitman (snowball_wall)",
        scene: SNOWBALL_WALL,
        paper: 31.0,
        quick: (4000, 3),
        impact: Some((0.25, "the ball bursts at the wall: 25 to 17 neighbors")),
    },
    Row {
        name: "Wrist (hb_drop_trio)",
        scene: HB_DROP_TRIO,
        paper: 21.7,
        quick: (3000, 6),
        impact: Some((0.4, "the impact at 3 m/s presses the lattices together: 21 to 33 neighbors, then 22")),
    },
];

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mut chart = Chart {
        title: "Neighbors per particle".to_owned(),
        x: Axis { label: "time / length of the run".to_owned(), unit: "1", log: false },
        y: Axis { label: "neighbors".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    let mut means = Vec::new();
    for (color, row) in ROWS.iter().enumerate() {
        let (particles, frames) = row.quick;
        let mut trial = lab.start(lab.shipped(
            row.scene,
            &[],
            Some(lab.pick(particles / 4, particles, 10 * particles)),
        )?)?;
        trial.device.set_measured(false);
        let frames = lab.pick(1, frames, 4 * frames);
        let count = trial.problem.particle_count() as f64;
        let mut neighbors = Vec::new();
        for index in 1..=frames {
            let pairs = trial.frame()?.neighbor_pairs as f64;
            neighbors.push([f64::from(index) / f64::from(frames), pairs / count]);
        }
        let mean = neighbors.iter().map(|n| n[1]).sum::<f64>() / neighbors.len() as f64;
        let swing = neighbors.iter().map(|n| (n[1] / mean - 1.0).abs()).fold(0.0, f64::max);
        findings.check(
            format!("mean, {} ({} in the paper)", row.name, row.paper),
            "",
            mean,
            Expected::Between(16.0, 40.0),
        );
        findings.check(
            format!("largest change over the mean, {}", row.name),
            "",
            swing,
            Expected::AtMost(0.15),
        );
        if let Some((change, reason)) = row.impact {
            findings.known(Expected::AtMost(change), reason);
        }
        findings.remark(format!(
            "{}: {count} particles, {:.3} s.",
            row.name,
            f64::from(frames) / trial.problem.scene.time.frame_rate
        ));
        chart.curves.push(Curve::line(row.name, color, neighbors));
        means.push([row.paper, mean]);
    }
    findings.diagram(&chart);
    findings.diagram(&Chart {
        title: "Means against Table 2".to_owned(),
        x: Axis { label: "paper".to_owned(), unit: "1", log: false },
        y: Axis { label: "here".to_owned(), unit: "1", log: false },
        curves: vec![
            Curve::line("equal", GREY, vec![[16.0, 16.0], [40.0, 40.0]]),
            Curve::dots("scenes", 0, means),
        ],
        ..Chart::default()
    });
    Ok(())
}
