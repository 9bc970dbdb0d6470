//! B27 and B28: water at rest in a tank, and a standing wave.
//!
//! B27: a tank of 0.2 x 0.2 x 0.3 m, filled to 0.2 m with random points up to its walls. After 2 s the density of particles away from the
//! surface is that at rest within 1 % on average and 5 % at most, within 2 % in the deepest tenth; the water has neither sunk by more
//! than 1 % nor swollen by more than 2 %, and moves with less than 1e-4 m g H. (Weakly compressible SPH keeps 1 %.)
//!
//! B28: water of depth H = 0.2 m in a tank of L = 0.5 m, displaced by the first mode of linear waves and let go, swings with
//! `f = sqrt(g k tanh(k H)) / 2 pi`, k = pi / L: 1.15 Hz. Tolerance 4 %, or 6 % where the water is only 10 spacings deep. The loss of
//! amplitude in a period is told.

use std::f64::consts::PI;

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};

use crate::scenes::{body, box_shape, scattered, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Trial};

/// Water at rest.
pub const REST: Card = Card {
    id: "B27",
    title: "Water at rest",
    reference: "Hydrostatics; Macklin, Mueller 2013",
    figure: None,
    by_default: ByDefault::Judged([0.2, 0.3, 20.0]),
    minutes: [0.3, 0.7, 20.0],
    run: rest,
};

/// A standing wave.
pub const WAVE: Card = Card {
    id: "B28",
    title: "Standing wave",
    reference: "Linear waves: f = sqrt(g k tanh(k H)) / 2 pi",
    figure: None,
    by_default: ByDefault::Judged([0.2, 0.3, 20.0]),
    minutes: [0.3, 0.7, 20.0],
    run: wave,
};

const GRAVITY: f64 = 9.81;
const DEPTH: f64 = 0.2;
const DENSITY: f64 = 1000.0;

/// Starts water in a tank of this length and width [m].
fn tank<'a>(lab: &'a Lab<'a>, radius: f64, [length, width]: [f64; 2]) -> Result<Trial<'a>, CardError> {
    let water = format!("[[material]]\nname = \"matter\"\nmodel = \"fluid\"\ndensity = {DENSITY:?}\n");
    let shape = box_shape([0.0; 3], [length, DEPTH, width]);
    let room = format!(
        "[[collider]]\nname = \"tank\"\nside = \"inside\"\nshape = {}\n",
        box_shape([0.0; 3], [length, 1.5 * DEPTH, width])
    );
    let parts = water + &body("pool", &shape, &scattered(radius), "") + &room;
    lab.trial(&scene(1e-3, [0.0, -GRAVITY, 0.0], radius, "scheme = \"newton_cg\"", &parts))
}

/// Returns the mean height of the particles [m].
fn mean_height(trial: &mut Trial<'_>) -> Result<f64, CardError> {
    let frame = trial.now()?;
    Ok(frame.position.iter().map(|x| x[1]).sum::<f64>() / frame.position.len() as f64)
}

fn rest(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let radius = lab.pick(0.02, 0.0125, 0.0064);
    let mut trial = tank(lab, radius, [0.2, 0.2])?;
    let start = mean_height(&mut trial)?;
    trial.run(1.9)?;
    let report = trial.run(0.1)?;
    let swollen = mean_height(&mut trial)? / start - 1.0;
    let frame = trial.now()?;
    let mut inside: Vec<[f64; 2]> = std::iter::zip(&frame.position, &frame.volume_ratio)
        .filter(|(x, _)| x[1] < DEPTH - 2.0 * radius)
        .map(|(x, ratio)| [x[1], (-f64::from(*ratio).ln()).abs()])
        .collect();
    inside.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mean = |of: &[[f64; 2]]| of.iter().map(|[_, off]| off).sum::<f64>() / of.len().max(1) as f64;
    let tenth = &inside[..inside.len() / 10];
    let most = inside.iter().fold(0.0, |most: f64, [_, off]| most.max(*off));
    let mass: f64 = trial.problem.mass.iter().sum();
    let load = -report.collider_impulse[0][1] / (0.1 * mass * GRAVITY);
    findings.check("mean of |rho / rho_0 - 1| inside", "1", mean(&inside), Expected::AtMost(0.01));
    findings.check("largest", "1", most, Expected::AtMost(0.05));
    findings.check("mean in the deepest tenth", "1", mean(tenth), Expected::AtMost(0.02));
    findings.check("swelling", "1", swollen, Expected::Between(-0.01, 0.02));
    let energy = report.energies.kinetic / (mass * GRAVITY * DEPTH);
    findings.check("kinetic energy over m g H", "1", energy, Expected::AtMost(1e-4));
    findings.relative("load of the tank over the weight", "1", load, 1.0, 0.01);
    findings.remark(format!("{} particles, {:.0} spacings deep", frame.position.len(), DEPTH / radius));
    Ok(())
}

fn wave(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (length, radius) = (0.5, lab.pick(0.02, 0.0125, 0.00625));
    let k = PI / length;
    let mut trial = tank(lab, radius, [length, 4.0 * radius])?;
    // At rest first: the mode is one of water that bears its weight.
    trial.relax(0.5, 10.0)?;
    let settled: Vec<DVec3> = trial.now()?.position.iter().map(|x| DVec3::from_array(*x)).collect();
    let mode = |x: DVec3| {
        let scale = 1.0 / (k * DEPTH).sinh();
        scale * DVec3::new(-(k * x.y).cosh() * (k * x.x).sin(), (k * x.y).sinh() * (k * x.x).cos(), 0.0)
    };
    let frequency = (GRAVITY * k * (k * DEPTH).tanh()).sqrt() / (2.0 * PI);
    // Set going at the middle of its swing, with an amplitude of 8 mm.
    let speed = 0.04 * DEPTH * 2.0 * PI * frequency;
    trial.set_velocities(|p, _| speed * mode(settled[p]))?;
    let moment = |trial: &mut Trial<'_>| -> Result<f64, CardError> {
        let frame = trial.now()?;
        let sum: f64 = frame.position.iter().map(|x| x[1] * (k * x[0]).cos()).sum();
        Ok(sum / frame.position.len() as f64)
    };
    let still = moment(&mut trial)?;
    let each = 1.0 / (60.0 * frequency);
    let mut curve = vec![[0.0, 0.0]];
    for look in 1..=150_u32 {
        trial.run(each)?;
        curve.push([f64::from(look) * each, moment(&mut trial)? - still]);
    }
    let crossings: Vec<f64> = (curve.windows(2).skip(3))
        .filter(|pair| pair[0][1] * pair[1][1] < 0.0)
        .map(|pair| pair[0][0] + each * pair[0][1] / (pair[0][1] - pair[1][1]))
        .collect();
    let [first, .., last] = crossings[..] else {
        return Err(CardError("the water does not swing".to_owned()));
    };
    let found = 0.5 * (crossings.len() - 1) as f64 / (last - first);
    findings.relative("frequency", "Hz", found, frequency, lab.pick(0.06, 0.04, 0.04));
    let peak = |from: usize| curve[from..from + 60].iter().fold(0.0, |most: f64, [_, y]| most.max(*y));
    findings.record("amplitude in the second period over that in the first", "1", peak(60) / peak(0));
    findings.diagram(&Chart {
        title: "Mean of y cos k x".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "moment".to_owned(), unit: "m", log: false },
        curves: vec![Curve::line("found", 0, curve)],
        ..Chart::default()
    });
    Ok(())
}
