//! B10: a silo whose wall is a tube of triangles bears most of the sand (Janssen 1895).
//!
//! Sand slides down in a tube of diameter D with Coulomb friction mu, because the floor sinks slowly. With K the ratio of horizontal to
//! vertical stress, the vertical stress at depth z is `rho g l (1 - exp(-z / l))`, l = D / (4 mu K), and the wall bears the rest of the
//! weight. K depends on how the silo was filled and is measured in the same run; the load of the floor then follows within 8 %. Floor and
//! wall together bear the weight, within 2 %, and a tube of triangles acts as an analytic one.
//!
//! K is the horizontal stress inside over the vertical stress of a whole section, which follows from the load of the floor and Janssen's
//! profile. The vertical stress inside would not do: layers at a wall carry less than they transmit, so the inside bears more (see B16).

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
    minutes: [0.4, 0.5, 10.0],
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
/// Duration of settling, of sinking, and of the measurement at its end [s].
const SETTLING: f64 = 0.15;
const SINKING: f64 = 0.3;
const MEASURED: f64 = 0.1;
/// Way of the floor in particle spacings.
const WAY: f64 = 2.0;

/// What the wall is made of.
#[derive(Clone, Copy, PartialEq)]
enum Wall {
    Triangles,
    Analytic,
}

/// What floor and wall bear [N], and the stresses inside.
struct Loads {
    floor: f64,
    wall: f64,
    height: f64,
    weight: f64,
    /// Depth [m], vertical and horizontal stress [Pa] of particles inside.
    points: Vec<[f64; 3]>,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let across = lab.pick(10, 10, 16);
    let mesh = loads(lab, findings, Wall::Triangles, across)?;
    let janssen = Janssen { ratio: mesh.ratio() };
    findings.relative("load of the floor", "N", mesh.floor, janssen.stress(mesh.height) * area(), 0.08);
    findings.relative("load of floor and wall", "N", mesh.floor + mesh.wall, mesh.weight, 0.02);
    findings.record("K", "1", janssen.ratio);
    findings.record("load of the floor over the weight", "1", mesh.floor / mesh.weight);
    let sum = |k: usize| mesh.points.iter().map(|point| point[k]).sum::<f64>();
    findings.record("horizontal over vertical stress inside", "1", sum(2) / sum(1));
    let pressure = mesh.wall / (FRICTION * std::f64::consts::PI * DIAMETER * mesh.height);
    findings.record("pressure on the wall by its friction", "Pa", pressure);
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
        title: "Stresses inside".to_owned(),
        x: Axis { label: "depth".to_owned(), unit: "m", log: false },
        y: Axis { label: "stress".to_owned(), unit: "Pa", log: false },
        curves: vec![
            Curve::line("Janssen", GREY, vertical),
            Curve::line("", GREY, horizontal),
            Curve::dots("vertical", 0, inside(1)),
            Curve::dots("horizontal", 1, inside(2)),
        ],
        ..Chart::default()
    });
    Ok(())
}

/// Returns the area of a section [m^2].
fn area() -> f64 {
    0.25 * std::f64::consts::PI * DIAMETER * DIAMETER
}

impl Loads {
    /// Returns the ratio K of the stresses in the lower half by the load of the floor and the horizontal stress inside.
    fn ratio(&self) -> f64 {
        let lower = || self.points.iter().filter(|[depth, ..]| *depth > 0.5 * self.height);
        let horizontal: f64 = lower().map(|point| point[2]).sum();
        // The profile depends on K, but hardly.
        let next = |ratio: f64| {
            let profile = Janssen { ratio };
            let scale = self.floor / area() / profile.stress(self.height);
            horizontal / lower().map(|point| scale * profile.stress(point[0])).sum::<f64>()
        };
        (0..20).fold(0.4, |ratio, _| next(ratio))
    }
}

/// Janssen's law with a ratio K of horizontal to vertical stress.
struct Janssen {
    ratio: f64,
}

impl Janssen {
    /// Returns the vertical stress at a depth [m, Pa].
    fn stress(&self, depth: f64) -> f64 {
        let length = DIAMETER / (4.0 * FRICTION * self.ratio);
        DENSITY * GRAVITY * length * (1.0 - (-depth / length).exp())
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
    let motion = format!(
        "friction = 0.0\nmotion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {SETTLING:?} }}, {{ time = {:?}, translate = [0.0, {:?}, 0.0] }} ] }}",
        SETTLING + SINKING,
        -WAY * spacing
    );
    let rest = sand(contact) + &collider + &plane("floor", [0.0; 3], [0.0, 1.0, 0.0], &motion);
    let wave = (1.35 * YOUNG / DENSITY).sqrt();
    let dt = 0.5 * spacing / wave;
    let text = scene(dt, [0.0, -GRAVITY, 0.0], spacing, "iterations = 20\nxsph = 0.0\n", &rest);
    let mut trial = lab.start(lab.problem_beside(&text, &files)?)?;
    trial.relax(SETTLING, std::f64::consts::PI * wave / HEIGHT)?;
    trial.run(SINKING - MEASURED)?;
    let report = trial.run(MEASURED)?;
    let [on_wall, on_floor] = [0, 1].map(|k| -report.collider_impulse[k][1] / MEASURED);
    let frame = trial.now()?;
    let weight = GRAVITY * trial.problem.mass.iter().sum::<f64>();
    // By mass, so that what the surface looks like does not matter.
    let height = weight / (DENSITY * GRAVITY * area());
    let (x, sunk) = (positions(&frame), WAY * spacing);
    let inside = |p: &usize| {
        let above = x[*p].y + sunk;
        let free = x[*p].x.hypot(x[*p].z) < 0.5 * DIAMETER - 2.0 * spacing;
        free && above > 2.0 * spacing && above < HEIGHT - 3.0 * spacing
    };
    let stresses = |p: usize| {
        let tau = kirchhoff(&trial.problem, &frame, p);
        [height - x[p].y - sunk, -tau[(1, 1)], -0.5 * (tau[(0, 0)] + tau[(2, 2)])]
    };
    let points: Vec<[f64; 3]> = (0..x.len()).filter(inside).map(stresses).collect();
    findings.remark(format!(
        "{}, {across} across: {} particles ({} inside), floor {on_floor:.3} N, wall {on_wall:.3} N, force residual {:.1e}",
        wall.name(),
        x.len(),
        points.len(),
        report.residual.force
    ));
    Ok(Loads { floor: on_floor, wall: on_wall, height, weight, points })
}
