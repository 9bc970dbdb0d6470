//! B10: a silo whose wall is a tube of triangles bears most of the sand (Janssen 1895).
//!
//! Sand slides down in a tube of diameter D with Coulomb friction mu, because the floor sinks slowly. With K the ratio of horizontal to
//! vertical stress, the vertical stress at depth z is `rho g l (1 - exp(-z / l))`, l = D / (4 mu K), and the wall bears the rest of the
//! weight. K depends on how the silo was filled and is measured in the same run; the load of the floor then follows within 8 %. Floor and
//! wall together bear the weight, within 2 %, and a tube of triangles acts as an analytic one.
//!
//! K is the pressure on the wall over the vertical stress, both of whole sections farther than two spacings from floor and surface: layers
//! at a wall carry less than they transmit and the inside more (see B16), together they carry what is there. A particle presses on the wall
//! from its center, a contact radius c inside, so that the pressure is R / (R - c) times the mean of the horizontal stress.

use nalgebra::Matrix3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{kirchhoff, positions};
use crate::meshes::{File, Triangles};
use crate::scenes::{body, contact_radius, material, plane, scattered, scene};
use crate::{ByDefault, Card, CardError, Findings, Lab, Size};

/// The card.
pub const CARD: Card = Card {
    id: "B10",
    title: "Silo of triangles",
    reference: "Janssen 1895: rho g l (1 - exp(-z / l)), l = D / (4 mu K)",
    figure: None,
    by_default: ByDefault::Judged([0.2, 0.3, 3.0]),
    minutes: [0.5, 0.5, 20.0],
    run,
};

const GRAVITY: f64 = 9.81;
const DIAMETER: f64 = 0.1;
const HEIGHT: f64 = 0.3;
const DENSITY: f64 = 1500.0;
const YOUNG: f64 = 1e6;
const FRICTION: f64 = 0.4;
/// Friction angle of the sand [degrees].
const ANGLE: f64 = 26.0;
/// Duration of settling, of the start of the floor, and of its sinking after that [s].
const SETTLING: f64 = 0.15;
const START: f64 = 0.2;
const SINKING: f64 = 0.2;
/// Duration of the measurement at the end [s], and number of looks in it.
const MEASURED: f64 = 0.1;
const LOOKS: u32 = 10;
/// Way of the floor in particle spacings.
const WAY: f64 = 2.0;

/// What the wall is made of.
#[derive(Clone, Copy, PartialEq)]
enum Wall {
    Triangles,
    Analytic,
}

/// What floor and wall bear [N], and the sand.
struct Loads {
    floor: f64,
    wall: f64,
    weight: f64,
    /// Height of the sand [m], and mass over volume with the gaps between the points [kg/m^3].
    height: f64,
    density: f64,
    /// Depth [m], vertical stress and pressure on the wall [Pa] by particles away from floor and surface.
    points: Vec<[f64; 3]>,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let across = lab.pick(10, 10, 20);
    let mesh = loads(lab, findings, Wall::Triangles, across)?;
    let sum = |k: usize| mesh.points.iter().map(|point| point[k]).sum::<f64>();
    let janssen = Janssen { ratio: sum(2) / sum(1), density: mesh.density };
    let load = janssen.stress(mesh.height) * area();
    findings.relative(format!("load of the floor, {across} across"), "N", mesh.floor, load, 0.08);
    findings.relative("load of floor and wall", "N", mesh.floor + mesh.wall, mesh.weight, 0.02);
    findings.record("K", "1", janssen.ratio);
    findings.record("load of the floor over the weight", "1", mesh.floor / mesh.weight);
    if lab.size() > Size::Test {
        let analytic = loads(lab, findings, Wall::Analytic, across)?;
        let what = "load of the floor over that in an analytic tube";
        findings.relative(what, "1", mesh.floor / analytic.floor, 1.0, 0.02);
    }
    let depths = (0..=50).map(|i| mesh.height * f64::from(i) / 50.0);
    let vertical: Vec<[f64; 2]> = depths.map(|z| [z, janssen.stress(z)]).collect();
    let horizontal = vertical.iter().map(|[z, stress]| [*z, janssen.ratio * stress]).collect();
    let inside = |k: usize| mesh.points.iter().map(|point| [point[0], point[k]]).collect();
    findings.diagram(&Chart {
        title: "Stresses in the silo".to_owned(),
        x: Axis { label: "depth".to_owned(), unit: "m", log: false },
        y: Axis { label: "stress".to_owned(), unit: "Pa", log: false },
        curves: vec![
            Curve::line("Janssen", GREY, vertical),
            Curve::line("", GREY, horizontal),
            Curve::dots("vertical", 0, inside(1)),
            Curve::dots("pressure on the wall", 1, inside(2)),
        ],
        ..Chart::default()
    });
    Ok(())
}

/// Returns the area of a section [m^2].
fn area() -> f64 {
    0.25 * std::f64::consts::PI * DIAMETER * DIAMETER
}

/// Janssen's law with a ratio K of horizontal to vertical stress and a density [kg/m^3].
struct Janssen {
    ratio: f64,
    density: f64,
}

impl Janssen {
    /// Returns the vertical stress at a depth [m, Pa].
    fn stress(&self, depth: f64) -> f64 {
        let length = DIAMETER / (4.0 * FRICTION * self.ratio);
        self.density * GRAVITY * length * (1.0 - (-depth / length).exp())
    }
}

impl Wall {
    fn name(self) -> &'static str {
        match self {
            Self::Triangles => "triangles",
            Self::Analytic => "analytic",
        }
    }

    /// Returns the collider, and the file of its mesh.
    fn collider(self) -> (String, Vec<File>) {
        let [low, high] = [-0.1, HEIGHT + 0.1];
        let (shape, files) = match self {
            Self::Triangles => {
                let tube = Triangles::tube(0.5 * DIAMETER, [low, high], 96, 20);
                ("{ mesh = { file = \"tube.obj\" } }".to_owned(), vec![tube.file("tube.obj")])
            }
            Self::Analytic => {
                let ends = format!("from = [0.0, {low:?}, 0.0], to = [0.0, {high:?}, 0.0]");
                (
                    format!(
                        "{{ cylinder = {{ {ends}, radius = {:?} }} }}\nside = \"inside\"",
                        0.5 * DIAMETER
                    ),
                    vec![],
                )
            }
        };
        (format!("[[collider]]\nname = \"wall\"\nfriction = {FRICTION:?}\nshape = {shape}\n"), files)
    }
}

/// Writes the keyframes of a floor that sinks by `way` [m]. It gains speed steadily: a floor that starts at once would make the column
/// swing by more than its weight.
fn sinking(way: f64) -> String {
    let speed = way / (0.5 * START + SINKING);
    let at = |i: u32| {
        let time = START * f64::from(i) / 20.0;
        (SETTLING + time, -0.5 * speed * time * time / START)
    };
    let end = (SETTLING + START + SINKING, -way);
    let frames = (0..=20)
        .map(at)
        .chain([end])
        .map(|(time, y)| format!("{{ time = {time:?}, translate = [0.0, {y:?}, 0.0] }}"));
    frames.collect::<Vec<_>>().join(", ")
}

/// Lets the floor sink under sand that is `across` spacings wide, and measures at the end.
fn loads(lab: &Lab, findings: &mut Findings, wall: Wall, across: u32) -> Result<Loads, CardError> {
    let spacing = DIAMETER / f64::from(across);
    let sand = |inset: f64| {
        let shape = format!(
            "{{ cylinder = {{ from = [0.0, {inset:?}, 0.0], to = [0.0, {:?}, 0.0], radius = {:?} }} }}",
            HEIGHT - inset,
            0.5 * DIAMETER - inset
        );
        material("drucker_prager", DENSITY, YOUNG, 0.3, &format!("friction_angle = {ANGLE:?}"))
            + &body("sand", &shape, &scattered(spacing), "")
    };
    let contact = contact_radius(lab, spacing, &sand(0.5 * spacing))?;
    let (collider, files) = wall.collider();
    let motion = format!("friction = 0.0\nmotion = {{ keyframes = [ {} ] }}", sinking(WAY * spacing));
    let rest = sand(contact) + &collider + &plane("floor", [0.0; 3], [0.0, 1.0, 0.0], &motion);
    let wave = (1.35 * YOUNG / DENSITY).sqrt();
    let dt = spacing / wave;
    let text = scene(dt, [0.0, -GRAVITY, 0.0], spacing, "iterations = 10\nxsph = 0.0\n", &rest);
    let mut trial = lab.start(lab.problem_beside(&text, &files)?)?;
    trial.relax(SETTLING, std::f64::consts::PI * wave / HEIGHT)?;
    trial.run(START + SINKING - MEASURED)?;
    let (mut frames, mut impulse, mut residual) = (Vec::new(), [0.0; 2], 0.0_f64);
    for _ in 0..LOOKS {
        let report = trial.run(MEASURED / f64::from(LOOKS))?;
        residual = residual.max(report.residual.force);
        impulse = [0, 1].map(|k| impulse[k] - report.collider_impulse[k][1]);
        frames.push(trial.now()?);
    }
    let [on_wall, on_floor] = impulse.map(|sum| sum / MEASURED);
    let frame = &frames[frames.len() - 1];
    let weight = GRAVITY * trial.problem.mass.iter().sum::<f64>();
    let (start, x, sunk) = (&trial.problem.particles.position, positions(frame), WAY * spacing);
    let top: Vec<usize> = (0..x.len()).filter(|&p| start[p].y > HEIGHT - 1.5 * spacing).collect();
    let settled = top.iter().map(|&p| start[p].y - x[p].y - sunk).sum::<f64>() / top.len() as f64;
    let height = HEIGHT - settled;
    let density = weight / (GRAVITY * area() * height);
    let inside = |p: &usize| {
        let above = x[*p].y + sunk;
        above > 2.0 * spacing && above < height - 2.0 * spacing
    };
    let pressing = 0.5 * DIAMETER / (0.5 * DIAMETER - contact);
    // The mean over the looks: the column swings.
    let stresses = |p: usize| {
        let sum: Matrix3<f64> = frames.iter().map(|frame| kirchhoff(&trial.problem, frame, p)).sum();
        let tau = sum / f64::from(LOOKS);
        let [vertical, horizontal] = [-tau[(1, 1)], -0.5 * (tau[(0, 0)] + tau[(2, 2)])];
        [height - x[p].y - sunk, vertical * density / DENSITY, pressing * horizontal * density / DENSITY]
    };
    let points: Vec<[f64; 3]> = (0..x.len()).filter(inside).map(stresses).collect();
    findings.remark(format!(
        "{}, {across} across: {} particles ({} in the sections), floor {on_floor:.3} N, wall {on_wall:.3} N, force residual {:.1e}",
        wall.name(),
        x.len(),
        points.len(),
        residual
    ));
    Ok(Loads { floor: on_floor, wall: on_wall, weight, height, density, points })
}
