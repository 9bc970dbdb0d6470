//! P10, Fig. 16: one drop at several numbers of particles: the same behavior, and the cost per particle.
//!
//! `configs/scenes/viscoplastic_drop.toml`: viscoplastic matter, steps of 0.1 ms and 10 iterations are the paper's; a ball instead of its
//! monsters and all constants are ours. The paper's costs per particle and frame fall from 0.30 ms at 8,000 to 0.037 ms at 3,000,000
//! particles, an exponent of 0.656 of the total: a large graphics card is mostly idle with few particles. Two cores are busy at any size.
//!
//! The radius contains 90 % of the mass around the axis of the fall; the height is twice that of the center of mass.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use super::SUBJECT;
use crate::measure::{mean, positions, radius_of_mass};
use crate::shipped::VISCOPLASTIC_DROP;
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Size};

/// The card.
pub const CARD: Card = Card {
    id: "P10",
    title: "One drop at several numbers of particles",
    reference: "Fig. 16: the same behaviour at every size; 0.30 ms to 0.037 ms per particle and frame",
    figure: Some("16"),
    by_default: ByDefault::No(SUBJECT),
    minutes: [0.4, 0.9, 40.0],
    run,
};

/// Number of particles, and time per particle and frame [ms], in the paper.
const PAPER: [[f64; 2]; 4] = [[8e3, 0.30], [56e3, 0.098], [400e3, 0.058], [3e6, 0.037]];

/// Number of timed batches of substeps, after one in which pipelines are created and buffers grow; the shortest counts, since other
/// programs can only slow a batch down.
const BATCHES: u32 = 5;
/// Number of substeps in a batch.
const TIMED: u32 = 4;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    behaviour(lab, findings)?;
    cost(lab, findings)
}

/// Compares radius and height over time at two sizes.
fn behaviour(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let counts = lab.pick([500, 1000], [1000, 3000], [8000, 56_000]);
    let frames: usize = lab.pick(2, 3, 8);
    let mut ends = Vec::new();
    let mut curves = Vec::new();
    for (color, count) in counts.into_iter().enumerate() {
        let mut trial = lab.start(lab.shipped(VISCOPLASTIC_DROP, &[], Some(count))?)?;
        let (mut radius, mut height) = (Vec::new(), Vec::new());
        let mut residual = 0.0;
        for index in 0..=frames {
            if index > 0 {
                residual = trial.frame()?.residual.force;
            }
            let points = positions(&trial.now()?);
            let center = mean(&trial.problem, &points);
            let time = f64::from(index as u32) / trial.problem.scene.time.frame_rate;
            radius.push([time, radius_of_mass(&points, &trial.problem.mass, DVec3::ZERO, 0.9)]);
            height.push([time, 2.0 * center.y]);
        }
        let particles = trial.problem.particle_count();
        findings.image(format!("{particles} particles after {:.3} s", radius[frames][0]), &trial.picture()?);
        findings.remark(format!(
            "{particles} particles: force residual {residual:.1e}; smoothing acts like {}, the matter flows with {:.1e} \
             m^2/s.",
            trial.problem.describe_smoothing(),
            0.5 * 20.0 / 1000.0
        ));
        ends.push([radius[frames][1], height[frames][1]]);
        curves.push(Curve::line(&format!("radius, {particles}"), color, radius));
        curves.push(Curve { set: 1, ..Curve::line(&format!("height, {particles}"), color, height) });
    }
    for (what, index) in [("radius", 0), ("height", 1)] {
        let what = format!("{what} at {} over {} particles", counts[0], counts[1]);
        findings.relative(what, "", ends[0][index] / ends[1][index], 1.0, 0.1);
    }
    findings.diagram(&Chart {
        title: "Spread of the drop".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "length".to_owned(), unit: "m", log: false },
        curves,
        ..Chart::default()
    });
    Ok(())
}

/// Measures the time of substeps against the number of particles.
fn cost(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let counts: &[u64] = lab.pick(&[500, 2000], &[1000, 2000, 4000, 8000], &[8000, 56_000, 400_000]);
    let mut points = Vec::new();
    let mut on_gpu = false;
    for &count in counts {
        let mut trial = lab.start(lab.shipped(VISCOPLASTIC_DROP, &[], Some(count))?)?;
        trial.device.set_measured(false);
        trial.step(TIMED)?;
        let mut seconds = f64::INFINITY;
        for _ in 0..BATCHES {
            seconds = seconds.min(trial.step(TIMED)?.wall_seconds / f64::from(TIMED));
        }
        on_gpu = trial.device.is_gpu();
        let particles = trial.problem.particle_count() as f64;
        let frame = seconds * f64::from(trial.problem.substeps_per_frame());
        points.push([particles, 1e3 * frame / particles]);
    }
    let (first, last) = (points[0], points[points.len() - 1]);
    let total = |p: [f64; 2]| p[0] * p[1];
    let exponent = (total(last) / total(first)).ln() / (last[0] / first[0]).ln();
    let most = if on_gpu { 0.9 } else { 1.05 };
    let what = format!("exponent of the time of a substep, {} to {} particles", first[0], last[0]);
    findings.check(what, "", exponent, Expected::AtMost(most));
    let what = format!("time per particle and frame of 1/40 s at {} particles", last[0]);
    findings.record(what, "ms", last[1]);
    if lab.size() != Size::Full {
        findings.remark("8,000 to 3,000,000 particles, as in the paper, are for a graphics card.");
    }
    findings.diagram(&Chart {
        title: "Time per particle and frame".to_owned(),
        x: Axis { label: "particles".to_owned(), unit: "1", log: true },
        y: Axis { label: "time".to_owned(), unit: "ms", log: true },
        curves: vec![Curve::line("paper, RTX 4090", GREY, PAPER.to_vec()), Curve::dots("here", 0, points)],
        ..Chart::default()
    });
    Ok(())
}
