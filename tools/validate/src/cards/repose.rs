//! B22: heaps of sand from a cylinder that is lifted away.
//!
//! The slope of a cohesionless heap lies between 0.75 and 1 of the steepest plane slope that the cone can bear, atan(M / sqrt 3) with
//! M = 6 sin(phi) / (3 - sin(phi)): inertia lowers it, and in plane strain the cone bears more than its triaxial angle. The slope
//! increases with phi. The cylinder is as high as its radius, frictionless, and lifted at 5 cm/s; the floor holds what touches it.
//! Thicknesses are based on the volume that the sand occupies at the end: points represent less than they fill, and sand at rest is
//! loose.

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{Heap, bulking, positions, shear_friction};
use crate::scenes::{body, contact_radius, floor, material, scattered, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B22",
    title: "Angle of repose of a heap",
    reference: "Slope between 0.75 and 1 of atan(M / sqrt 3); sand 31 to 34 degrees",
    figure: None,
    by_default: ByDefault::Judged([0.7, 1.6, 60.0]),
    minutes: [0.6, 2.1, 120.0],
    run,
};

const RADIUS: f64 = 0.08;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1600.0;
const YOUNG: f64 = 3.537e5;

/// Why coarse heaps are off.
const COARSE: &str = "some 450 particles at 6 layers: the flank is three of them thick, and a ring of the profile has 5 to 30; sand that keeps its volume in flow \
     stands steeper there, up to 3 degrees at 20, and at 35 the slope scatters between 28 and 35 degrees with details of the solver (8 \
     layers: 33.1 and 33.7)";

/// Returns the steepest plane slope [degrees].
fn critical(phi: f64) -> f64 {
    shear_friction(phi).atan().to_degrees()
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mut chart = Chart {
        title: "Slope of a heap".to_owned(),
        x: Axis { label: "friction angle".to_owned(), unit: "degrees", log: false },
        y: Axis { label: "slope".to_owned(), unit: "degrees", log: false },
        ..Chart::default()
    };
    let line = |share: f64| (15..=45).map(|phi| [f64::from(phi), share * critical(f64::from(phi))]).collect();
    chart.curves.push(Curve::line("critical slope, and 0.75 of it", GREY, line(1.0)));
    chart.curves.push(Curve::line("", GREY, line(0.75)));
    const ALL: &[f64] = &[15.0, 20.0, 26.3, 30.0, 35.0, 40.0];
    let runs: &[(u32, &[f64])] =
        lab.pick(&[(6, &[20.0, 35.0])], &[(8, &[20.0, 35.0])], &[(10, ALL), (20, ALL)]);
    for (color, (layers, angles)) in runs.iter().enumerate() {
        let mut points = Vec::new();
        let mut before = None;
        for &phi in *angles {
            let slope = heap(lab, *layers, phi)?;
            let expected = Expected::Between(0.75 * critical(phi), critical(phi));
            findings.check(format!("slope, phi = {phi}, {layers} layers"), "degrees", slope, expected);
            if *layers < 10 {
                let coarse = Expected::Between(0.7 * critical(phi), 1.16 * critical(phi));
                findings.known(coarse, COARSE);
            }
            if let Some(before) = before {
                let what = format!("growth of the slope up to phi = {phi}, {layers} layers");
                findings.check(what, "degrees", slope - before, Expected::AtLeast(0.0));
            }
            before = Some(slope);
            points.push([phi, slope]);
        }
        chart.curves.push(Curve::dots(&format!("{layers} layers"), color, points));
    }
    findings.diagram(&chart);
    Ok(())
}

/// Returns the slope [degrees] between 15 % and 85 % of the radius.
fn heap(lab: &Lab, layers: u32, phi: f64) -> Result<f64, CardError> {
    let spacing = RADIUS / f64::from(layers);
    let shape = format!(
        "{{ cylinder = {{ from = [0.0, 0.0, 0.0], to = [0.0, {:?}, 0.0], radius = {:?} }} }}",
        RADIUS - spacing,
        RADIUS - 0.5 * spacing
    );
    let parts = material("drucker_prager", DENSITY, YOUNG, 0.3, &format!("friction_angle = {phi:?}"))
        + &body("heap", &shape, &scattered(spacing), "");
    let contact = contact_radius(lab, spacing, &parts)?;
    let (lift, time) = (1.2 * RADIUS, 1.2 * RADIUS / 0.05);
    // An inverted cup.
    let (inner, outer, low, high) =
        (RADIUS - 0.5 * spacing + contact, 1.5 * RADIUS, 2.0 * RADIUS, 3.0 * RADIUS);
    let profile = [[0.0, low], [inner, low], [inner, 0.0], [outer, 0.0], [outer, high], [0.0, high]];
    let cup = format!(
        "[[collider]]\nname = \"cup\"\nfriction = 0.0\n\
         shape = {{ revolve = {{ from = [0.0, 0.0, 0.0], to = [0.0, 1.0, 0.0], profile = {profile:?} }} }}\n\
         motion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {time:?}, translate = [0.0, {lift:?}, 0.0] }} ] }}\n",
    );
    let rest = parts + &cup + &floor(contact, "sticky = true");
    let dt = 0.8 * spacing / (1.35 * YOUNG / DENSITY).sqrt();
    let mut trial =
        lab.trial(&scene(dt, [0.0, -GRAVITY, 0.0], spacing, "iterations = 5\nxsph = 0.0\n", &rest))?;
    trial.run(time + 0.3)?;
    let x = positions(&trial.now()?);
    let rest_volume = &trial.problem.particles.rest_volume;
    let bulk = bulking(&x, rest_volume, spacing);
    let volume: Vec<f64> = rest_volume.iter().map(|v| bulk * v).collect();
    let center = x.iter().sum::<glam::DVec3>() / x.len() as f64;
    let heap = Heap::around(&x, &volume, center, 0.5 * spacing);
    let reach = heap.front(0.5 * spacing);
    Ok(heap.slope(reach, 0.15, 0.85))
}
