//! P9, Fig. 19: a block of snow falls on its edge at steps of 1e-4 s and 1e-3 s.
//!
//! `configs/scenes/snow_block_drop.toml`: the paper gives the material (Stomakhin's snow, 400 kg/m^3, E = 5e5 Pa, hardening
//! 10, critical strains 0.025 and 0.0075) and both steps; Poisson's ratio 0.2, the block, the fall and smoothing by a
//! viscosity that does not depend on the step are ours. Iterations per step are 8 and 20, so that both leave about the same
//! residual; it is told.
//!
//! The distance of two states is the mean distance of a point of one to the nearest of the other, both ways, in spacings.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};

use crate::measure::{chamfer, mean, overlap, positions};
use crate::shipped::SNOW_BLOCK_DROP;
use crate::{Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "P9",
    title: "Falling block of snow at two steps",
    reference: "Fig. 19: semi-implicit plasticity depends on the step, implicit does not",
    figure: Some("19"),
    minutes: [1.0, 3.0, 90.0],
    run,
};

/// Steps [s] with the iterations of each.
const STEPS: [(f64, u32); 2] = [(1e-4, 8), (1e-3, 20)];

/// A block after its fall.
struct Fallen {
    points: Vec<DVec3>,
    spacing: f64,
    /// Extent along x, y, z [m].
    extent: DVec3,
    /// Mean plastic volume ratio.
    plastic_volume: f64,
    /// Time and height of the center of mass [s, m].
    height: Vec<[f64; 2]>,
    picture: Vec<u8>,
    residual: f64,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let particles = lab.pick(400, 900, 15_000);
    let mut distances = Vec::new();
    let mut curves = Vec::new();
    for (set, plasticity) in ["implicit", "semi_implicit"].into_iter().enumerate() {
        let [small, large] = STEPS.map(|(dt, iterations)| fall(lab, particles, dt, iterations, plasticity));
        let (small, large) = (small?, large?);
        let distance = chamfer(&small.points, &large.points, small.spacing) / small.spacing;
        distances.push(distance);
        judge(plasticity, &small, &large, findings);
        findings.record(format!("distance of the two states, {plasticity}"), "spacings", distance);
        findings.remark(format!(
            "{plasticity}: {} particles, force residual {:.1e} at 1e-4 s and {:.1e} at 1e-3 s.",
            small.points.len(),
            small.residual,
            large.residual
        ));
        for (color, (fallen, (dt, _))) in [small, large].into_iter().zip(STEPS).enumerate() {
            findings.image(format!("{plasticity}, steps of {dt:.0e} s"), &fallen.picture);
            let name = format!("{plasticity}, {dt:.0e} s");
            curves.push(Curve { set, ..Curve::line(&name, color, fallen.height) });
        }
    }
    let what = "distance over the steps, semi-implicit over implicit";
    findings.check(what, "", distances[1] / distances[0], Expected::AtLeast(2.0));
    findings.diagram(&Chart {
        title: "Height of the center of mass".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "height".to_owned(), unit: "m", log: false },
        curves,
        ..Chart::default()
    });
    Ok(())
}

/// Implicit plasticity is held to the criteria; of semi-implicit plasticity they are told.
fn judge(plasticity: &str, small: &Fallen, large: &Fallen, findings: &mut Findings) {
    let implicit = plasticity == "implicit";
    let held = |expected: Expected| if implicit { expected } else { Expected::Anything };
    let reach = 1.5 * small.spacing;
    let shared = overlap(&small.points, &large.points, reach);
    findings.check(format!("region shared, {plasticity}"), "", shared, held(Expected::AtLeast(0.95)));
    let near = held(Expected::Relative { reference: 1.0, tolerance: 0.05 });
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let ratio = large.extent[axis] / small.extent[axis];
        findings.check(format!("extent along {name} over that at 1e-4 s, {plasticity}"), "", ratio, near);
    }
    let ratio = large.plastic_volume / small.plastic_volume;
    findings.check(format!("mean plastic volume over that at 1e-4 s, {plasticity}"), "", ratio, near);
}

fn fall(lab: &Lab, particles: u64, dt: f64, iterations: u32, plasticity: &str) -> Result<Fallen, CardError> {
    let keys = [
        format!("time.max_substep={dt:?}"),
        format!("solver.iterations={iterations}"),
        format!("solver.plasticity={plasticity}"),
    ];
    let mut trial = lab.start(lab.shipped(SNOW_BLOCK_DROP, &keys, Some(particles))?)?;
    let mut height = Vec::new();
    let mut residual = 0.0;
    for index in 1..=lab.pick(10, 20, 40) {
        residual = trial.frame()?.residual.force;
        let at = positions(&trial.now()?);
        let time = f64::from(index) / trial.problem.scene.time.frame_rate;
        height.push([time, mean(&trial.problem, &at).y]);
    }
    let frame = trial.now()?;
    let points = positions(&frame);
    let (low, high) = points
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
    let descriptor = trial.problem.models[trial.problem.materials[0].model].descriptor();
    let word = descriptor.states.iter().position(|word| word.name == "plastic_volume");
    let word = word.ok_or_else(|| CardError("the snow keeps no plastic_volume".to_owned()))?;
    let volumes: f64 = frame.state.iter().map(|state| f64::from(state[word])).sum();
    Ok(Fallen {
        spacing: trial.problem.spacing(0),
        extent: high - low,
        plastic_volume: volumes / points.len() as f64,
        points,
        height,
        picture: trial.picture()?,
        residual,
    })
}
