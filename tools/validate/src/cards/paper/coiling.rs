//! P4, Fig. 10: ropes of goo that differ only in their shear modulus fall on a floor and coil.
//!
//! `configs/scenes/goo_coil.toml`: the paper gives the order of the moduli; all values are ours. Coiling shows in the rope just above the
//! heap, which circles: the angle of its center about the heap's axis is accumulated.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};
use tuff_problem::{Frame, Problem};

use crate::measure::positions;
use crate::shipped::GOO_COIL;
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "P4",
    title: "Ropes of goo coil",
    reference: "Fig. 10: coils form at every shear modulus",
    figure: Some("10"),
    by_default: ByDefault::Judged([1.9, 2.5, 24.0]),
    minutes: [0.8, 1.1, 12.0],
    run,
};

/// Shear moduli of the ropes, in the order of the bodies [kPa].
const MODULI: [u32; 3] = [2, 8, 32];

/// Height above the floor at which the rope still moves freely but follows the coil, and half the thickness of the slice [m].
const SLICE: [f64; 2] = [0.014, 0.002];

/// A rope over time.
#[derive(Default)]
struct Rope {
    /// Time and angle [s, turns].
    turns: Vec<[f64; 2]>,
    last: Option<f64>,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let keys = [format!("time.max_substep={:?}", lab.pick(2e-4, 2e-4, 1e-4))];
    let count = lab.pick(Some(3000), Some(4000), None);
    let mut trial = lab.start(lab.shipped(GOO_COIL, &keys, count)?)?;
    let mut ropes: Vec<Rope> = MODULI.iter().map(|_| Rope::default()).collect();
    for index in 1..=36 {
        trial.frame()?;
        let frame = trial.now()?;
        for (body, rope) in ropes.iter_mut().enumerate() {
            rope.watch(&trial.problem, &frame, body);
        }
        if index % 12 == 0 {
            findings.image(format!("2, 8 and 32 kPa after {:.2} s", frame.time), &trial.picture()?);
        }
    }
    for (modulus, rope) in MODULI.iter().zip(&ropes) {
        let turns = rope.turns.last().map_or(0.0, |point| point[1].abs());
        findings.check(format!("turns of the rope, {modulus} kPa"), "", turns, Expected::AtLeast(1.0));
    }
    findings.remark(format!(
        "{} particles of {:.2} mm, substeps of {:.1e} s, {} iterations.",
        trial.problem.particle_count(),
        1e3 * trial.problem.spacing(0),
        trial.problem.dt(),
        trial.problem.scene.solver.iterations
    ));
    let curve = |(color, rope): (usize, &Rope)| {
        Curve::line(&format!("{} kPa", MODULI[color]), color, rope.turns.clone())
    };
    findings.diagram(&Chart {
        title: "Angle of the rope above its heap".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "turns".to_owned(), unit: "1", log: false },
        curves: ropes.iter().enumerate().map(curve).collect(),
        ..Chart::default()
    });
    Ok(())
}

impl Rope {
    fn watch(&mut self, problem: &Problem, frame: &Frame, body: usize) {
        let x = positions(frame);
        let of = |p: &usize| problem.particles.body[*p] as usize == body;
        let members: Vec<usize> = (0..x.len()).filter(of).collect();
        let center = |chosen: &dyn Fn(DVec3) -> bool| {
            let points: Vec<DVec3> = members.iter().map(|&p| x[p]).filter(|&x| chosen(x)).collect();
            (points.len() >= 4).then(|| points.iter().sum::<DVec3>() / points.len() as f64)
        };
        let heap = center(&|x| x.y < SLICE[0] - SLICE[1]);
        let slice = center(&|x| (x.y - SLICE[0]).abs() < SLICE[1]);
        let (Some(heap), Some(slice)) = (heap, slice) else { return };
        let angle = (slice.z - heap.z).atan2(slice.x - heap.x);
        let so_far = self.turns.last().map_or(0.0, |point| point[1]);
        let step = self.last.map_or(0.0, |last| (angle - last + PI).rem_euclid(TAU) - PI);
        self.turns.push([frame.time, so_far + step / TAU]);
        self.last = Some(angle);
    }
}
