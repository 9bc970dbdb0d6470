//! B18: a block on an incline with Coulomb friction mu; gravity is tilted instead of the floor.
//!
//! Closed forms: the block sticks below the angle atan(mu) (drift below 0.1 mm in 1 s at 0.95 of it) and slides above with a = g
//! (sin - mu cos): 2.3563 m/s^2 at 30 degrees with mu = 0.3, 4.905 with mu = 0; a block thrown along a level floor decelerates at mu g.
//! Tolerance: 2 % of a, whatever the step, and whatever the floor is made of: a plane, triangles smaller than the block, or the side of
//! a box.

use tuff_chart::{Axis, Chart, Curve, GREY};

use glam::DVec3;

use crate::measure::{mean, positions, velocities};
use crate::meshes::{File, Triangles};
use crate::scenes::{PLAIN, box_shape, elastic, lattice_box, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Size, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B18",
    title: "Sliding block",
    reference: "Coulomb friction",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.3, 4.0]),
    minutes: [0.7, 2.2, 20.0],
    run,
};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.3;

/// What the block slides on.
#[derive(Clone, Copy, PartialEq)]
enum Floor {
    Plane,
    Triangles,
    Box,
}

/// A cube of `edge`^3 particles, 0.1 m wide, on a floor at `angle` [degrees]; downhill is +x.
#[derive(Clone, Copy)]
struct Block {
    floor: Floor,
    edge: u32,
    angle: f64,
    friction: f64,
    dt: f64,
    velocity: f64,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let edge = lab.pick(6, 6, 10);
    let block = Block { floor: Floor::Plane, edge, angle: 30.0, friction: FRICTION, dt: 1e-3, velocity: 0.0 };
    let critical = FRICTION.atan().to_degrees();
    let mut chart = Chart {
        title: "Speed down 30 degrees, mu = 0.3".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "speed".to_owned(), unit: "m/s", log: false },
        ..Chart::default()
    };
    let steps: &[f64] = lab.pick(&[1e-3], &[1e-3, 2e-3], &[5e-4, 1e-3, 2e-3]);
    for (index, &dt) in steps.iter().enumerate() {
        Block { dt, angle: 0.95 * critical, ..block }.stays(lab, findings)?;
        let speeds = Block { dt, ..block }.slides(lab, findings)?;
        chart.curves.push(Curve::dots(&format!("dt = {dt:.0e} s"), index, speeds));
        if lab.size() > Size::Test {
            Block { dt, friction: 0.0, ..block }.slides(lab, findings)?;
        }
        if lab.size() == Size::Full {
            let above = Block { dt, angle: 1.05 * critical, ..block };
            let (found, _) = above.acceleration(lab)?;
            let what = format!("acceleration over the closed form, {}", above.name());
            findings.check(what, "", found / above.expected(), Expected::AtLeast(0.5));
        }
    }
    let floors: &[Floor] = if lab.by_default() || lab.size() == Size::Full {
        &[Floor::Triangles, Floor::Box]
    } else {
        &[Floor::Triangles]
    };
    for &floor in floors {
        Block { floor, angle: 0.95 * critical, ..block }.stays(lab, findings)?;
        let speeds = Block { floor, ..block }.slides(lab, findings)?;
        chart.curves.push(Curve::dots(floor.name(), steps.len() + floor as usize, speeds));
        if lab.size() > Size::Test {
            Block { floor, angle: 0.0, velocity: 2.0, ..block }.slides(lab, findings)?;
        }
    }
    if lab.size() > Size::Test {
        Block { angle: 0.0, velocity: 2.0, ..block }.slides(lab, findings)?;
    }
    let end = 0.5 * block.expected();
    chart.curves.push(Curve::line("g (sin - mu cos) t", GREY, vec![[0.0, 0.0], [0.5, end]]));
    findings.diagram(&chart);
    Ok(())
}

impl Floor {
    fn name(self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Triangles => "triangles",
            Self::Box => "box",
        }
    }

    /// Returns the collider with its keys, and the file of its mesh. The box and the triangles reach farther than any block slides; the
    /// edges of the triangles are nowhere parallel to its sides.
    fn collider(self, keys: &str) -> (String, Vec<File>) {
        let named = |shape: &str| format!("[[collider]]\nname = \"floor\"\n{keys}\nshape = {shape}\n");
        match self {
            Self::Plane => (plane("floor", [0.0; 3], [0.0, 1.0, 0.0], keys), vec![]),
            Self::Box => (named(&box_shape([-0.5, -0.2, -0.5], [1.5, 0.0, 0.5])), vec![]),
            Self::Triangles => {
                let (u, v) = (DVec3::new(-0.7, 0.0, 1.5), DVec3::new(2.0, 0.0, 0.6));
                let sheet = Triangles::rectangle(DVec3::new(-0.3, 0.0, -1.0), u, v, [25, 30]);
                (named("{ mesh = { file = \"floor.obj\" } }"), vec![sheet.file("floor.obj")])
            }
        }
    }
}

impl Block {
    fn name(&self) -> String {
        let thrown = if self.velocity > 0.0 { ", thrown" } else { "" };
        let floor =
            if self.floor == Floor::Plane { String::new() } else { format!(", {}", self.floor.name()) };
        format!("{:.2} degrees, mu = {}{thrown}, dt = {:.0e} s{floor}", self.angle, self.friction, self.dt)
    }

    /// Returns the acceleration downhill [m/s^2].
    fn expected(&self) -> f64 {
        let (sine, cosine) = self.angle.to_radians().sin_cos();
        GRAVITY * (sine - self.friction * cosine)
    }

    fn start<'a>(&self, lab: &'a Lab) -> Result<Trial<'a>, CardError> {
        let spacing = 0.1 / f64::from(self.edge);
        let (sine, cosine) = self.angle.to_radians().sin_cos();
        let thrown = format!("velocity = [{:?}, 0.0, 0.0]", self.velocity);
        let (floor, files) = self.floor.collider(&format!("friction = {:?}", self.friction));
        let rest =
            elastic(1000.0, 1e6, 0.3) + &lattice_box("block", [0.0; 3], [0.1; 3], spacing, &thrown) + &floor;
        let gravity = [GRAVITY * sine, -GRAVITY * cosine, 0.0];
        let text = scene(self.dt, gravity, spacing, &format!("iterations = 20\n{PLAIN}"), &rest);
        lab.start(lab.problem_beside(&text, &files)?)
    }

    /// Returns the mean acceleration along x [m/s^2] between 0.2 s, when the block has settled, and 0.5 s, and the speed over time.
    fn acceleration(&self, lab: &Lab) -> Result<(f64, Vec<[f64; 2]>), CardError> {
        let mut trial = self.start(lab)?;
        let mut speeds = Vec::new();
        for i in 1..=10 {
            trial.run(0.05)?;
            let frame = trial.now()?;
            speeds.push([0.05 * f64::from(i), mean(&trial.problem, &velocities(&frame)).x]);
        }
        Ok(((speeds[9][1] - speeds[3][1]) / 0.3, speeds))
    }

    fn slides(&self, lab: &Lab, findings: &mut Findings) -> Result<Vec<[f64; 2]>, CardError> {
        let (found, speeds) = self.acceleration(lab)?;
        findings.relative(format!("acceleration, {}", self.name()), "m/s^2", found, self.expected(), 0.02);
        Ok(speeds)
    }

    fn stays(&self, lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
        let mut trial = self.start(lab)?;
        let place = |trial: &mut Trial, duration: f64| {
            trial.run(duration)?;
            let frame = trial.now()?;
            Ok::<_, CardError>(mean(&trial.problem, &positions(&frame)))
        };
        let settled = place(&mut trial, 0.1)?;
        let drift = place(&mut trial, 1.0)? - settled;
        let what = format!("drift in 1 s, {}", self.name());
        findings.check(what, "m", drift.length(), Expected::AtMost(1e-4));
        findings.remark(format!("{}^3 particles, 20 iterations, scalar multiplier", self.edge));
        Ok(())
    }
}
