//! E8: a block on a conveyor belt of triangles that starts at full speed.
//!
//! Closed form of Coulomb friction: the block accelerates with mu g until it moves with the belt, then stays on it. At time t after the
//! start it is at U t - U^2 / (2 mu g). Tolerance: 2 % of the acceleration, of the final speed and of the way, as for the sliding block.
//!
//! The belt is a sheet that moves rigidly by keyframes, or a loop around two pulleys that deforms: all its vertices run around it, and the
//! surface keeps its shape.

use std::f64::consts::PI;
use std::fmt::Write as _;

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{mean, positions, velocities};
use crate::meshes::{File, Triangles};
use crate::scenes::{PLAIN, elastic, lattice_box, scene};
use crate::{ByDefault, Card, CardError, Findings, Lab, Size};

/// The card.
pub const CARD: Card = Card {
    id: "E8",
    title: "Block on a conveyor belt",
    reference: "Coulomb friction",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.1, 0.3]),
    minutes: [0.3, 0.3, 6.0],
    run,
};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.3;
/// Speed of the belt [m/s].
const SPEED: f64 = 0.8;
/// Time between two looks [s], and the number of looks before the belt starts and after that.
const LOOK: f64 = 0.05;
const REST: u32 = 4;
const MOVING: u32 = 14;
/// Width of a triangle along the belt [m], which the belt covers from one look to the next.
const CELL: f64 = SPEED * LOOK;

/// How the belt moves.
#[derive(Clone, Copy)]
enum Belt {
    Sheet,
    Loop,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let edge = lab.pick(6, 6, 10);
    let steps: &[f64] = lab.pick(&[1e-3], &[1e-3], &[5e-4, 1e-3, 2e-3]);
    let mut chart = Chart {
        title: format!("Speed of the block, mu = {FRICTION}"),
        x: Axis { label: "time since the belt started".to_owned(), unit: "s", log: false },
        y: Axis { label: "speed".to_owned(), unit: "m/s", log: false },
        ..Chart::default()
    };
    for &dt in steps {
        for belt in [Belt::Sheet, Belt::Loop] {
            let speeds = belt.carries(lab, findings, edge, dt)?;
            let (name, color) = (format!("{}, dt = {dt:.0e} s", belt.name()), chart.curves.len());
            chart.curves.push(Curve::dots(&name, color, speeds));
        }
    }
    let reached = SPEED / (FRICTION * GRAVITY);
    let end = LOOK * f64::from(MOVING);
    chart.curves.push(Curve::line("closed form", GREY, vec![[0.0, 0.0], [reached, SPEED], [end, SPEED]]));
    findings.diagram(&chart);
    if lab.size() > Size::Test {
        findings.remark(format!("the loop has {} files of one mesh", REST + MOVING + 1));
    }
    Ok(())
}

impl Belt {
    fn name(self) -> &'static str {
        match self {
            Self::Sheet => "a sheet that moves",
            Self::Loop => "a loop that deforms",
        }
    }

    /// Returns the keys of the belt's surface and motion, and its files.
    fn surface(self) -> (String, Vec<File>) {
        match self {
            Self::Sheet => {
                let (start, seconds) = (LOOK * f64::from(REST), LOOK * f64::from(MOVING));
                let (u, v) = (DVec3::new(0.1, 0.0, 1.0), DVec3::new(2.0, 0.0, 0.3));
                let sheet = Triangles::rectangle(DVec3::new(-1.0, 0.0, -0.6), u, v, [20, 50]);
                let motion = format!(
                    "motion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {start:?} }}, {{ time = {:?}, translate = [{:?}, 0.0, 0.0] }} ] }}",
                    start + seconds,
                    SPEED * seconds
                );
                let shape = "shape = { mesh = { file = \"belt.obj\" } }\n".to_owned();
                (shape + &motion + "\n", vec![sheet.file("belt.obj")])
            }
            Self::Loop => {
                let files = (0..=REST + MOVING).map(|look| {
                    let turned = CELL * f64::from(look.saturating_sub(REST));
                    track(turned).file(&format!("belt.{:02}.obj", look + 1))
                });
                let rate = 1.0 / LOOK;
                let sequence = format!("{{ files = \"belt.##.obj\", first = 1, frame_rate = {rate:?} }}");
                (format!("shape = {{ mesh_sequence = {sequence} }}\n"), files.collect())
            }
        }
    }

    /// Lets the belt carry a cube of `edge`^3 particles. Returns its speed over time.
    fn carries(
        self,
        lab: &Lab,
        findings: &mut Findings,
        edge: u32,
        dt: f64,
    ) -> Result<Vec<[f64; 2]>, CardError> {
        let spacing = 0.1 / f64::from(edge);
        let (surface, files) = self.surface();
        let mut rest = elastic(1000.0, 1e6, 0.3)
            + &lattice_box("block", [-0.3, 0.0, -0.05], [-0.2, 0.1, 0.05], spacing, "");
        let _ = write!(rest, "[[collider]]\nname = \"belt\"\nfriction = {FRICTION:?}\n{surface}");
        let text = scene(dt, [0.0, -GRAVITY, 0.0], spacing, &format!("iterations = 20\n{PLAIN}"), &rest);
        let mut trial = lab.start(lab.problem_beside(&text, &files)?)?;
        trial.run(LOOK * f64::from(REST))?;
        let settled = trial.now()?;
        let start = mean(&trial.problem, &positions(&settled)).x;
        let mut speeds = Vec::new();
        for look in 1..=MOVING {
            trial.run(LOOK)?;
            let frame = trial.now()?;
            speeds.push([LOOK * f64::from(look), mean(&trial.problem, &velocities(&frame)).x]);
        }
        let end = trial.now()?;
        let way = mean(&trial.problem, &positions(&end)).x - start;
        let name = format!("{}, dt = {dt:.0e} s", self.name());
        let friction = FRICTION * GRAVITY;
        let found = (speeds[3][1] - speeds[0][1]) / (3.0 * LOOK);
        findings.relative(format!("acceleration, {name}"), "m/s^2", found, friction, 0.02);
        let last: Vec<f64> = speeds[8..].iter().map(|[_, speed]| *speed).collect();
        let steady = last.iter().sum::<f64>() / last.len() as f64;
        findings.relative(format!("speed on the moving belt, {name}"), "m/s", steady, SPEED, 0.02);
        let expected = SPEED * LOOK * f64::from(MOVING) - 0.5 * SPEED * SPEED / friction;
        findings.relative(format!("way of the block, {name}"), "m", way, expected, 0.02);
        Ok(speeds)
    }
}

/// Returns the belt around two pulleys, facing outwards, after it has run `turned` [m].
fn track(turned: f64) -> Triangles {
    const STRAIGHT: f64 = 50.0 * CELL;
    const AROUND: f64 = 10.0 * CELL;
    let cells = (2.0 * (STRAIGHT + AROUND) / CELL).round();
    let radius = AROUND / PI;
    let middle = 0.5 * STRAIGHT;
    // Clockwise seen from +z, from the left end of the upper side, whose height is 0.
    let at = |way: f64| {
        let way = way.rem_euclid(2.0 * (STRAIGHT + AROUND));
        let side = way.rem_euclid(STRAIGHT + AROUND);
        let (x, y) = if side <= STRAIGHT {
            (side - middle, radius)
        } else {
            let (sine, cosine) = ((side - STRAIGHT) / radius).sin_cos();
            (middle + radius * sine, radius * cosine)
        };
        let sign = if way < STRAIGHT + AROUND { 1.0 } else { -1.0 };
        DVec3::new(sign * x, sign * y - radius, 0.0)
    };
    let length = cells * CELL;
    Triangles::patch([4, cells as usize], |s, t| {
        at(t * length + turned) + DVec3::new(0.0, 0.0, 0.6 * s - 0.3)
    })
}
