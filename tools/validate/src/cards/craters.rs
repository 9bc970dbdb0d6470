//! B21: balls fall on sand and stop in it.
//!
//! Uehara, Ambroso, Ojha and Durian 2003: a ball of diameter D and density rho_b that drops through H, down to where it stops, is then with
//! its lowest point at the depth `d = 0.14 / mu (rho_b / rho_g)^(1/2) D^(2/3) H^(1/3)` below the surface; mu is the tangent of the slope
//! on which the sand rests. Tolerances: 0.07 in the exponent of H, 0.1 in that of the density, 35 % in the prefactor (experiments scatter
//! by 10 to 15 %, and the continuum has neither air nor dilatancy). Sand without a length of its own knows only d / D as a function of
//! H / D, so the exponents of D and H add up to 1: 0.07 for D, too.
//!
//! The law needs sand that is rigid against the pressure of the impact, rho v^2 = 13 kPa. The preset `dry_sand` is not: a bed of that
//! stiffness, a tenth of the one here, throws the ball back by a quarter of its depth. The bed is 3 or 4 D deep (at 2 D the exponents of H and
//! of the density are 0.05 and 0.07 lower than at 4 D), and it bears its weight before the ball arrives.

use tuff_chart::{Axis, Chart, Curve};

use crate::measure::shear_friction;
use crate::scenes::{body, contact_radius, material, scattered, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Size};

/// The card.
pub const CARD: Card = Card {
    id: "B21",
    title: "Craters of balls in sand",
    reference: "Uehara, Ambroso, Ojha and Durian 2003: d = 0.14 / mu (rho_b / rho_g)^(1/2) D^(2/3) H^(1/3)",
    figure: None,
    by_default: ByDefault::Judged([0.4, 0.5, 25.0]),
    minutes: [0.4, 0.5, 40.0],
    run,
};

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1600.0;
const YOUNG: f64 = 3.5e6;
/// Friction angle of the sand [degrees].
const ANGLE: f64 = 35.0;
/// Time before the impact, in which the bed settles [s].
const SETTLING: f64 = 0.1;
/// Time between two looks at the ball, and after which it has come to rest [s].
const LOOK: f64 = 0.005;
const LONGEST: f64 = 0.2;
/// Speed over that of the impact at which the ball counts as at rest.
const AT_REST: f64 = 0.005;

/// A ball and the bed that it falls on.
#[derive(Clone, Copy)]
struct Drop {
    /// Height of the fall above the surface [m].
    fall: f64,
    density: f64,
    diameter: f64,
    /// Particle spacings across the ball.
    cells: u32,
    /// Width and depth of the bed over D.
    bed: [f64; 2],
}

/// Where a ball came to rest.
struct Crater {
    /// Depth of its lowest point below the surface, and the way that it fell in all [m].
    depth: f64,
    total: f64,
    /// Depth over time since the impact.
    curve: Vec<[f64; 2]>,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (cells, bed) = lab.pick((5, [4.0, 3.0]), (5, [4.0, 3.0]), (10, [6.0, 4.0]));
    let base = Drop { fall: 0.4, density: 7800.0, diameter: 0.048, cells, bed };
    let mut chart = Chart {
        title: "Depth of the ball's lowest point".to_owned(),
        x: Axis { label: "time since the impact".to_owned(), unit: "s", log: false },
        y: Axis { label: "depth".to_owned(), unit: "m", log: false },
        ..Chart::default()
    };
    let mut drops = vec![base, Drop { fall: 0.25 * base.fall, ..base }, Drop { density: 2500.0, ..base }];
    if lab.size() > Size::Test {
        drops.push(Drop { diameter: 2.0 * base.diameter, ..base });
    }
    let mut craters = Vec::new();
    for (color, drop) in drops.iter().enumerate() {
        let crater = drop.stop(lab, findings)?;
        chart.curves.push(Curve::dots(&drop.name(), color, crater.curve.clone()));
        craters.push(crater);
    }
    findings.diagram(&chart);
    // Logarithms of the ratios to the first crater: depth, total drop.
    let logs = |i: usize| {
        let total = |i: usize| craters[i].total;
        ((craters[i].depth / craters[0].depth).ln(), (total(i) / total(0)).ln())
    };
    let (deeper, higher) = logs(1);
    let of_height = deeper / higher;
    // What a quantity changes beyond what the change of the total drop explains.
    let exponent = |i: usize, ratio: f64| {
        let (deeper, higher) = logs(i);
        (deeper - of_height * higher) / ratio.ln()
    };
    let near = |reference, tolerance| Expected::Absolute { reference, tolerance };
    findings.check("exponent of the total drop H", "1", of_height, near(1.0 / 3.0, 0.07));
    let density = exponent(2, drops[2].density / base.density);
    findings.check("exponent of the density of the ball", "1", density, near(0.5, 0.1));
    if let Some(large) = drops.get(3) {
        let diameter = exponent(3, large.diameter / base.diameter);
        findings.check("exponent of the diameter of the ball", "1", diameter, near(2.0 / 3.0, 0.07));
    }
    for (drop, crater) in drops.iter().zip(&craters) {
        let what = format!("depth, {}", drop.name());
        findings.relative(what, "m", crater.depth, drop.published(crater.total), 0.35);
    }
    Ok(())
}

impl Drop {
    fn name(&self) -> String {
        format!("D = {} m, {} kg/m^3 from {} m", self.diameter, self.density, self.fall)
    }

    /// Returns the published depth [m] for a total drop [m].
    fn published(&self, total: f64) -> f64 {
        0.14 / shear_friction(ANGLE)
            * (self.density / DENSITY).sqrt()
            * self.diameter.powf(2.0 / 3.0)
            * total.cbrt()
    }

    /// Returns the speed of the impact [m/s].
    fn speed(&self) -> f64 {
        (2.0 * GRAVITY * self.fall).sqrt()
    }

    /// Writes the scene, with the surface of the bed at `contact` [m], the radius of its particles.
    fn scene(&self, bed: &str, contact: f64) -> String {
        let (spacing, [radius, depth]) = (self.diameter / f64::from(self.cells), self.bed());
        let early = self.speed() - GRAVITY * SETTLING;
        let above = early * SETTLING + 0.5 * GRAVITY * SETTLING * SETTLING;
        let (half, density) = (0.5 * self.diameter, self.density);
        let rest = format!(
            "{bed}[[collider]]\nname = \"tray\"\nside = \"inside\"\nfriction = 0.4\n\
             shape = {{ cylinder = {{ from = [0.0, {:?}, 0.0], to = [0.0, 1.0, 0.0], radius = {:?} }} }}\n\
             [[rigid]]\nname = \"ball\"\ndensity = {density:?}\nvelocity = [0.0, {:?}, 0.0]\n\
             shape = {{ sphere = {{ center = [0.0, {:?}, 0.0], radius = {half:?} }} }}\n",
            -depth - contact,
            radius + contact,
            -early,
            contact + above + half,
        );
        scene(2.5e-4, [0.0, -GRAVITY, 0.0], spacing, "residual_tolerance = 0.01\nxsph = 0.0\n", &rest)
    }

    /// Returns radius and depth of the cylinder of particle centers [m].
    fn bed(&self) -> [f64; 2] {
        let spacing = self.diameter / f64::from(self.cells);
        [0.5 * (self.bed[0] * self.diameter - spacing), self.bed[1] * self.diameter - spacing]
    }

    /// Drops the ball and waits until it rests.
    fn stop(&self, lab: &Lab, findings: &mut Findings) -> Result<Crater, CardError> {
        let (spacing, [radius, depth]) = (self.diameter / f64::from(self.cells), self.bed());
        let shape = format!(
            "{{ cylinder = {{ from = [0.0, {:?}, 0.0], to = [0.0, 0.0, 0.0], radius = {radius:?} }} }}",
            -depth
        );
        let bed = material("drucker_prager", DENSITY, YOUNG, 0.3, &format!("friction_angle = {ANGLE:?}"))
            + &body("bed", &shape, &scattered(spacing), "");
        let contact = contact_radius(lab, spacing, &bed)?;
        let mut trial = lab.trial(&self.scene(&bed, contact))?;
        trial.run(SETTLING)?;
        let frame = trial.now()?;
        let start = &trial.problem.particles.position;
        let top: Vec<usize> = (0..start.len()).filter(|&p| start[p].y > -spacing).collect();
        let sunk = top.iter().map(|&p| start[p].y - frame.position[p][1]).sum::<f64>() / top.len() as f64;
        let surface = contact - sunk;
        let below = |center: f64| surface - (center - 0.5 * self.diameter);
        let (mut curve, mut resting, mut substeps) = (Vec::new(), 0, 0);
        while resting < 2 && LOOK * (curve.len() as f64) < LONGEST {
            substeps += trial.run(LOOK)?.substeps;
            let ball = trial.now()?.rigid[0];
            curve.push([LOOK * (curve.len() + 1) as f64, below(ball.center[1])]);
            resting = if ball.velocity[1].abs() < AT_REST * self.speed() { resting + 1 } else { 0 };
        }
        let depths = || curve.iter().map(|[_, depth]| *depth);
        let (depth, deepest) = (depths().next_back().unwrap_or(f64::NAN), depths().fold(f64::NAN, f64::max));
        findings.record(format!("largest depth over the last, {}", self.name()), "1", deepest / depth);
        findings.remark(format!(
            "{}: {} particles, the surface sank by {:.1e} spacings before the impact, {substeps} substeps after it",
            self.name(),
            trial.problem.particle_count(),
            sunk / spacing
        ));
        Ok(Crater { depth, total: self.fall + sunk + depth, curve })
    }
}
