//! E5: sand in a rotating drum keeps its volume.
//!
//! A drum half full of sand rotates steadily. Strain and volume ratio follow the velocity gradient, which cannot see how grains settle
//! between each other; without a check of the packing the sand loses 38 % of its volume in one turn while J reports dilation. The volume
//! is that of `measure::bulking`, neighbors are counted within 1.5 spacings, and both are relative to their initial values.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};

use crate::measure::{bulking, mean_neighbors, nearest, positions};
use crate::scenes::{body, material, scattered, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "E5",
    title: "Volume of sand in a turning drum",
    reference: "The volume and the neighbors at the start; 3 % and 5 %",
    figure: None,
    by_default: ByDefault::Judged([0.6, 2.3, 12.0]),
    minutes: [0.3, 0.6, 5.0],
    run,
};

/// Radius of the drum and width of the sand [m].
const RADIUS: f64 = 0.2;
const WIDTH: f64 = 0.086;
/// Period of rotation [s].
const TURN: f64 = 2.0;
const DENSITY: f64 = 1600.0;
const YOUNG: f64 = 3.537e5;
/// Number of measurements per turn.
const LOOKS: u32 = 4;

/// Why some volume is lost.
const LOST: &str = "12 to 15 grains deep: beside walls and at the surface the sum over particles sees too little to tell what is packed, and what bears stress is not parted";

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (spacing, turns) = lab.pick((0.016, 0.75), (0.013, 1.0), (0.013, 5.0));
    let mut trial = lab.trial(&drum(spacing, turns))?;
    let volume = trial.problem.particles.rest_volume.clone();
    let look = |x: &[DVec3]| [bulking(x, &volume, spacing), mean_neighbors(x, 1.5 * spacing)];
    let start = look(&positions(&trial.now()?));
    // Curves of the volume and of the neighbors.
    let mut curves = [vec![[0.0, 1.0]], vec![[0.0, 1.0]]];
    let mut least = f64::INFINITY;
    for i in 1..=(turns * f64::from(LOOKS)).round() as u32 {
        trial.run(TURN / f64::from(LOOKS))?;
        let x = positions(&trial.now()?);
        least = least.min(nearest(&x, spacing).min);
        for ((curve, now), start) in curves.iter_mut().zip(look(&x)).zip(start) {
            curve.push([f64::from(i) / f64::from(LOOKS), now / start]);
        }
    }
    let mean = trial.now()?.volume_ratio.iter().map(|&j| f64::from(j)).sum::<f64>() / volume.len() as f64;
    let count = volume.len();
    let last = |curve: &[[f64; 2]]| curve[curve.len() - 1][1];
    let near = |tolerance| Expected::Relative { reference: 1.0, tolerance };
    let after = format!("after {turns} turns, {count} grains");
    findings.check(format!("volume over that at the start, {after}"), "1", last(&curves[0]), near(0.03));
    findings.known(Expected::Between(if spacing > 0.013 { 0.88 } else { 0.91 }, 1.03), LOST);
    findings.check(format!("neighbors over those at the start, {after}"), "1", last(&curves[1]), near(0.05));
    findings.check(
        "distance of the nearest pair over the spacing",
        "1",
        least / spacing,
        Expected::AtLeast(0.5),
    );
    findings.record("mean J at the end", "1", mean);
    findings.diagram(&Chart {
        title: "Sand in a turning drum".to_owned(),
        x: Axis { label: "turns".to_owned(), unit: "1", log: false },
        y: Axis { label: "over the start".to_owned(), unit: "1", log: false },
        curves: vec![
            Curve::line("volume", 0, curves[0].clone()),
            Curve::line("neighbors", 1, curves[1].clone()),
        ],
        ..Chart::default()
    });
    let picture = trial.picture()?;
    findings.image(format!("The drum {after}"), &picture);
    Ok(())
}

fn drum(spacing: f64, turns: f64) -> String {
    let axis = |half: f64, radius: f64| {
        format!("{{ from = [0.0, 0.0, {:?}], to = [0.0, 0.0, {half:?}], radius = {radius:?} }}", -half)
    };
    let upper = "{ box = { min = [-1.0, 0.0, -1.0], max = [1.0, 1.0, 1.0] } }";
    let shape =
        format!("{{ cylinder = {}, subtract = [ {upper} ] }}", axis(0.5 * WIDTH, RADIUS - 0.5 * spacing));
    let quarter =
        |i: u32| format!("{{ time = {:?}, rotate = [0.0, 0.0, {}.0] }}", 0.25 * TURN * f64::from(i), 90 * i);
    let keyframes: Vec<_> = (0..=(4.0 * turns).ceil() as u32).map(quarter).collect();
    let collider = format!(
        "[[collider]]\nname = \"drum\"\ninside = true\nfriction = 0.8\nshape = {{ cylinder = {} }}\n\
         motion = {{ keyframes = [ {} ] }}\n",
        axis(0.5 * (WIDTH + spacing), RADIUS),
        keyframes.join(", ")
    );
    let sand = material("drucker_prager", DENSITY, YOUNG, 0.3, "friction_angle = 35.0")
        + &body("sand", &shape, &scattered(spacing), "");
    let dt = 2.5 * spacing / (1.35 * YOUNG / DENSITY).sqrt();
    scene(dt, [0.0, -9.81, 0.0], spacing, "iterations = 5\n", &(sand + &collider))
}
