//! P1, Fig. 4: three cubes that differ only in the power h of their Herschel-Bulkley flow, thrown at the floor at 3 m/s.
//!
//! `configs/scenes/hb_drop_trio.toml`: the powers 0.3, 1 and 3 are the paper's; stiffness, yield stress and viscosity are those of its
//! row Wrist. With equal eta, all powers agree at a rate of 1 / s; an impact at 3 m/s on 0.1 m has 30 / s, where h = 3 is thicker and
//! h = 0.3 thinner, so the former bounces and the latter spreads.
//!
//! The rebound is the kinetic energy of the mean upward motion over that of the impact; the radius contains 95 % of the mass.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};
use tuff_problem::{Frame, Problem};

use crate::measure::{positions, radius_of_mass, velocities};
use crate::shipped::HB_DROP_TRIO;
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "P1",
    title: "Shear-thinning, Bingham and shear-thickening cubes hit the floor",
    reference: "Fig. 4: the thickening cube bounces, the thinning one flows at once",
    figure: Some("4"),
    by_default: ByDefault::Judged([0.3, 0.4, 6.0]),
    minutes: [0.3, 0.4, 6.0],
    run,
};

/// Powers of the flow, in the order of the bodies.
const POWERS: [f64; 3] = [0.3, 1.0, 3.0];

/// The time at which the radii are compared [s].
const END: f64 = 0.3;

/// A cube over time.
#[derive(Default)]
struct Cube {
    /// Time and height of the center of mass [s, m].
    height: Vec<[f64; 2]>,
    /// Velocities of the center of mass [m/s].
    velocity: Vec<f64>,
    /// Radius [m] at the end.
    radius: f64,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let rate = 250.0;
    let keys = [format!("time.frame_rate={rate:?}")];
    let mut trial = lab.start(lab.shipped(HB_DROP_TRIO, &keys, Some(lab.pick(1500, 3000, 45_000)))?)?;
    let mut cubes: Vec<Cube> = POWERS.iter().map(|_| Cube::default()).collect();
    let mut residual = 0.0;
    for index in 1..=(END * rate) as u32 {
        residual = trial.frame()?.residual.force;
        let frame = trial.now()?;
        for (body, cube) in cubes.iter_mut().enumerate() {
            cube.watch(&trial.problem, &frame, body, f64::from(index) / rate);
        }
        if [20, 75].contains(&index) {
            let caption = format!("h = 0.3, 1 and 3 after {:.2} s", f64::from(index) / rate);
            findings.image(caption, &trial.picture()?);
        }
    }
    findings.remark(format!(
        "{} particles, force residual {residual:.1e} at the end; smoothing acts like {}, \
         the Bingham cube flows with {:.1e} m^2/s.",
        trial.problem.particle_count(),
        trial.problem.describe_smoothing(),
        0.5 * 10.0 / 100.0
    ));
    judge(&cubes, findings);
    Ok(())
}

impl Cube {
    fn watch(&mut self, problem: &Problem, frame: &Frame, body: usize, time: f64) {
        let of = |p: &usize| problem.particles.body[*p] as usize == body;
        let members: Vec<usize> = (0..problem.particle_count()).filter(of).collect();
        let (x, v) = (positions(frame), velocities(frame));
        let count = members.len() as f64;
        let center = members.iter().map(|&p| x[p]).sum::<DVec3>() / count;
        self.height.push([time, center.y]);
        self.velocity.push(members.iter().map(|&p| v[p].y).sum::<f64>() / count);
        let points: Vec<DVec3> = members.iter().map(|&p| x[p]).collect();
        self.radius = radius_of_mass(&points, &vec![1.0; points.len()], center, 0.95);
    }

    /// Returns the energy of the rebound over that of the impact: 3 m/s and a fall of a centimeter.
    fn rebound(&self) -> f64 {
        let up = self.velocity.iter().copied().fold(0.0, f64::max);
        up * up / (3.0 * 3.0 + 2.0 * 9.81 * 0.01)
    }
}

fn judge(cubes: &[Cube], findings: &mut Findings) {
    let [thinning, bingham, thickening] = [0, 1, 2].map(|i| &cubes[i]);
    let above = |other: f64| Expected::AtLeast(other);
    findings.check("rebound, h = 3", "", thickening.rebound(), Expected::AtLeast(0.05));
    findings.check("rebound, h = 0.3", "", thinning.rebound(), Expected::AtMost(0.01));
    findings.check("rebound, h = 3 above h = 1", "", thickening.rebound(), above(bingham.rebound()));
    findings.check("rebound, h = 1 above h = 0.3", "", bingham.rebound(), above(thinning.rebound()));
    for (power, cube) in POWERS.iter().zip(cubes) {
        findings.record(format!("radius at {END} s, h = {power}"), "m", cube.radius);
    }
    let (first, second) = (thinning.radius / bingham.radius, bingham.radius / thickening.radius);
    findings.check("radius, h = 0.3 over h = 1", "", first, Expected::AtLeast(1.05));
    findings.check("radius, h = 1 over h = 3", "", second, Expected::AtLeast(1.05));
    let curve = |(color, cube): (usize, &Cube)| {
        Curve::line(&format!("h = {}", POWERS[color]), color, cube.height.clone())
    };
    findings.diagram(&Chart {
        title: "Height of the center of mass".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "height".to_owned(), unit: "m", log: false },
        curves: cubes.iter().enumerate().map(curve).collect(),
        ..Chart::default()
    });
}
