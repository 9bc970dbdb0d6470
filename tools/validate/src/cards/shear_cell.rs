//! E7: a Bingham fluid between two cylinders, the inner one rotating, keeps its volume and follows its flow law.
//!
//! The torque per length T is the same at every radius: the shear stress is T / (2 pi r^2), and where it exceeds the yield stress in
//! shear tau_y the matter shears at (T / (2 pi r^2) - tau_y) / K = -r dw/dr. With the outer cylinder at rest, the angular speed is
//! `w(r) = (T / (4 pi K)) (1 / r^2 - 1 / R^2) - (tau_y / K) ln(R / r)`, where R is the radius up to which matter shears: where the stress
//! has fallen to tau_y, or the outer cylinder. T follows from the speed of the inner cylinder (Bird, Armstrong and Hassager 1987, section
//! 4.2, for Bingham fluids: Reiner and Riwlin 1927). Contacts hold the centers of the outermost particles a contact radius away from the
//! walls: the radii are those of these centers. The cylinders are upright, and weight presses the fluid against them. Volume and
//! neighbors are relative to their values after half a turn, when the fluid has settled between the cylinders.

use std::f64::consts::TAU;

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{bulking, layers, mean_neighbors, nearest, positions, velocities};
use crate::scenes::{body, contact_radius, material, plane, scattered, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "E7",
    title: "A Bingham fluid between cylinders: profile, and volume after many turns",
    reference: "Closed form of the flow (Reiner and Riwlin); the volume and the neighbors after half a turn, 3 % and 5 %",
    figure: None,
    by_default: ByDefault::Judged([1.6, 1.6, 22.0]),
    minutes: [0.6, 0.6, 20.0],
    run,
};

/// Radii between which the centers of the particles lie [m].
const INNER: f64 = 0.05;
const OUTER: f64 = 0.10;
/// Period of rotation of the inner cylinder [s].
const TURN: f64 = 2.0;
const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e5;
/// Yield stress in shear [Pa] and viscosity [Pa s].
const YIELD: f64 = 10.0;
const VISCOSITY: f64 = 20.0;

/// Why the profile differs from the closed form.
const SLIPS: &str =
    "weight alone presses the fluid on the cylinders: near its surface nothing does, and it slips";

/// Why some volume is lost.
const PACKS: &str =
    "scattered points pack more densely as they are sheared, up to the density that counts as that at rest";

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (spacing, turns) = lab.pick((0.01, 1.0), (0.01, 1.0), (0.01, 20.0));
    let mut trial = lab.trial(&cell(lab, spacing, turns)?)?;
    let volume = trial.problem.particles.rest_volume.clone();
    let look = |x: &[DVec3]| [bulking(x, &volume, spacing), mean_neighbors(x, 1.5 * spacing)];
    trial.run(0.5 * TURN)?;
    let start = look(&positions(&trial.now()?));
    let mut curves = [vec![[0.5, 1.0]], vec![[0.5, 1.0]]];
    let mut least = f64::INFINITY;
    let mut profile = Vec::new();
    let looks = (2.0 * turns).round() as u32;
    for i in 2..=looks {
        trial.run(0.5 * TURN)?;
        let frame = trial.now()?;
        let x = positions(&frame);
        least = least.min(nearest(&x, spacing).min);
        for ((curve, now), start) in curves.iter_mut().zip(look(&x)).zip(start) {
            curve.push([0.5 * f64::from(i), now / start]);
        }
        if i > looks / 2 {
            let v = velocities(&frame);
            let around = |x: DVec3, v: DVec3| {
                (DVec3::Y * x.truncate().length(), (x.x * v.y - x.y * v.x) / x.truncate().length())
            };
            profile.extend(x.iter().zip(&v).map(|(&x, &v)| around(x, v)));
        }
    }
    let profile = layers(profile.into_iter(), 0.5 * spacing);
    let flow = Flow::new(YIELD, VISCOSITY);
    let wall = TAU / TURN * INNER;
    let off = profile.iter().map(|&[r, u]| (u - flow.speed(r)).powi(2)).sum::<f64>() / profile.len() as f64;
    let across = (OUTER - INNER) / spacing;
    let after = format!("after {turns} turns, {} particles", volume.len());
    findings.check(
        format!("rms of the profile over the wall's speed, {across} spacings across"),
        "1",
        off.sqrt() / wall,
        Expected::AtMost(0.04),
    );
    findings.known(Expected::AtMost(0.14), SLIPS);
    let last = |curve: &[[f64; 2]]| curve[curve.len() - 1][1];
    let near = |tolerance| Expected::Relative { reference: 1.0, tolerance };
    findings.check(format!("volume over that after half a turn, {after}"), "1", last(&curves[0]), near(0.03));
    findings.known(Expected::Between(0.94, 1.03), PACKS);
    findings.check(
        format!("neighbors over those after half a turn, {after}"),
        "1",
        last(&curves[1]),
        near(0.05),
    );
    findings.check(
        "distance of the nearest pair over the spacing",
        "1",
        least / spacing,
        Expected::AtLeast(0.5),
    );
    let mean = trial.now()?.volume_ratio.iter().map(|&j| f64::from(j)).sum::<f64>() / volume.len() as f64;
    findings.record("mean J at the end", "1", mean);
    let exact = (0..=50).map(|i| INNER + (OUTER - INNER) * f64::from(i) / 50.0);
    findings.diagram(&Chart {
        title: "A Bingham fluid between cylinders".to_owned(),
        x: Axis { label: "radius".to_owned(), unit: "m", log: false },
        y: Axis { label: "speed".to_owned(), unit: "m/s", log: false },
        curves: vec![
            Curve::line("closed form", GREY, exact.map(|r| [r, flow.speed(r)]).collect()),
            Curve::dots("particles", 0, profile),
        ],
        ..Chart::default()
    });
    findings.diagram(&Chart {
        title: "Volume and neighbors".to_owned(),
        x: Axis { label: "turns".to_owned(), unit: "1", log: false },
        y: Axis { label: "over that after half a turn".to_owned(), unit: "1", log: false },
        curves: vec![
            Curve::line("volume", 0, curves[0].clone()),
            Curve::line("neighbors", 1, curves[1].clone()),
        ],
        ..Chart::default()
    });
    let picture = trial.picture()?;
    findings.image(format!("The cell {after}"), &picture);
    Ok(())
}

/// The steady flow.
struct Flow {
    /// T / (2 pi) [N].
    torque: f64,
    strength: f64,
    viscosity: f64,
}

impl Flow {
    /// Finds the flow whose inner wall rotates like the cell's, by bisection of the torque.
    fn new(strength: f64, viscosity: f64) -> Self {
        let flow = |torque| Self { torque, strength, viscosity };
        let (mut low, mut high) = (0.0, 1.0);
        while flow(high).turning(INNER) < TAU / TURN {
            high *= 2.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if flow(middle).turning(INNER) < TAU / TURN {
                low = middle;
            } else {
                high = middle;
            }
        }
        flow(high)
    }

    /// Returns the angular speed [rad/s].
    fn turning(&self, r: f64) -> f64 {
        let end = (self.torque / self.strength).sqrt().clamp(r, OUTER.max(r));
        0.5 * self.torque / self.viscosity * (r.powi(-2) - end.powi(-2))
            - self.strength / self.viscosity * (end / r).ln()
    }

    /// Returns the speed along the circle [m/s].
    fn speed(&self, r: f64) -> f64 {
        r * self.turning(r)
    }
}

fn cell(lab: &Lab, spacing: f64, turns: f64) -> Result<String, CardError> {
    // Eight layers of particles.
    let half = 3.5 * spacing;
    let axis = |half: f64, radius: f64| {
        format!(
            "cylinder = {{ from = [0.0, 0.0, {:?}], to = [0.0, 0.0, {half:?}], radius = {radius:?} }}",
            -half
        )
    };
    let shape = format!("{{ {}, subtract = [ {{ {} }} ] }}", axis(half, OUTER), axis(2.0 * half, INNER));
    let law = format!("yield_stress_shear = {YIELD:?}\nconsistency = {VISCOSITY:?}\npower = 1.0");
    let parts = material("herschel_bulkley", DENSITY, YOUNG, 0.3, &law)
        + &body("fluid", &shape, &scattered(spacing), "");
    let contact = contact_radius(lab, spacing, &parts)?;
    let third =
        |i: u32| format!("{{ time = {:?}, rotate = [0.0, 0.0, {}.0] }}", TURN / 3.0 * f64::from(i), 120 * i);
    let keyframes: Vec<_> = (0..=(3.0 * turns).ceil() as u32).map(third).collect();
    let walls = format!(
        "[[collider]]\nname = \"inner\"\nsticky = true\nshape = {{ {} }}\nmotion = {{ keyframes = [ {} ] }}\n\
         [[collider]]\nname = \"outer\"\ninside = true\nsticky = true\nshape = {{ {} }}\n",
        axis(8.0 * half, INNER - contact),
        keyframes.join(", "),
        axis(8.0 * half, OUTER + contact),
    );
    let dt = 0.5 * spacing / (1.35 * YOUNG / DENSITY).sqrt();
    let bottom = plane("bottom", [0.0, 0.0, -half - contact], [0.0, 0.0, 1.0], "friction = 0.0");
    let colliders = bottom + &walls;
    Ok(scene(dt, [0.0, 0.0, -9.81], spacing, "iterations = 10\nxsph = 0.0\n", &(parts + &colliders)))
}
