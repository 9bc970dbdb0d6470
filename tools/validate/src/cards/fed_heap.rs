//! E9: a heap of sand that is fed from above and drains over the edge of a table keeps its volume.
//!
//! A cone of sand stands on a round table. A hose pours more on its top until it slides over the edge and leaves the run; from then on
//! the heap keeps its shape while its grains are replaced. The hose pauses, so that both looks are at a heap at rest. The volume per
//! grain is that of `measure::bulking`; neighbors are counted within 1.5 spacings of grains at least two spacings below the surface of a
//! cone of 30 degrees, so that the share of grains at the surface does not enter.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};
use tuff_problem::Frame;

use crate::measure::{bulking, nearest};
use crate::scenes::{body, material, scattered};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "E9",
    title: "Volume of a heap of sand that is fed and drained",
    reference: "The volume and the neighbors of the full heap; 3 % and 5 %",
    figure: None,
    by_default: ByDefault::Judged([0.6, 2.0, 12.0]),
    minutes: [0.9, 5.0, 40.0],
    run,
};

/// Radius of the table and height of the cone at the start [m].
const TABLE: f64 = 0.14;
const HEIGHT: f64 = 0.09;
/// Radius of the hose, its height above the table, and the speed of the sand in it [m, m, m/s].
const HOSE: f64 = 0.03;
const ABOVE: f64 = 0.18;
const SPEED: f64 = 0.8;
/// Time of the hose until the heap is full, and time for it to settle each time the hose has closed [s].
const FILL: f64 = 1.5;
const REST: f64 = 0.5;
const DENSITY: f64 = 1600.0;
const YOUNG: f64 = 3.537e5;

/// Why some volume is lost.
const PACKS: &str = "poured grains settle more densely than the scattered points of the start, and what bears stress is not parted";

/// Grains on the table at a time [s]: their number, volume over rest volume, and mean number of neighbors.
#[derive(Clone, Copy)]
struct Look {
    time: f64,
    grains: f64,
    volume: f64,
    neighbors: f64,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (spacing, fed) = lab.pick((0.014, 1.0), (0.012, 3.0), (0.01, 10.0));
    let mut trial = lab.trial(&heap(spacing, fed))?;
    let rate = trial.problem.scene.time.frame_rate;
    let frames = |seconds: f64| (seconds * rate).round() as u32;
    let (mut looks, mut emitted, mut least) = (Vec::new(), Vec::new(), f64::INFINITY);
    for frame in 1..=frames(FILL + fed + 2.0 * REST) {
        emitted.push(trial.frame()?.counters.emitted);
        if frame % frames(REST) == 0 {
            let lying = Lying::on_table(&trial.now()?, spacing);
            let volume = bulking(&lying.position, &lying.rest_volume, spacing);
            let neighbors = lying.neighbors_inside(spacing);
            looks.push(Look {
                time: f64::from(frame) / rate,
                grains: lying.position.len() as f64,
                volume,
                neighbors,
            });
            least = least.min(nearest(&lying.position, spacing).min);
        }
    }
    let full = frames(FILL + REST);
    let (before, after) = (looks[(full / frames(REST)) as usize - 1], looks[looks.len() - 1]);
    let poured = emitted[full as usize..].iter().sum::<u64>() as f64 / before.grains;
    let least_poured = lab.pick(0.5, 1.5, 5.0);
    findings.check("grains poured over those of the heap", "1", poured, Expected::AtLeast(least_poured));
    let steady = Expected::Relative { reference: 1.0, tolerance: 0.1 };
    let what = "grains on the table at the end over those before";
    findings.check(what, "1", after.grains / before.grains, steady);
    let fed = format!("after {fed} s, {} grains", after.grains);
    let near = |tolerance| Expected::Relative { reference: 1.0, tolerance };
    findings.check(
        format!("volume of a grain over that before, {fed}"),
        "1",
        after.volume / before.volume,
        near(0.03),
    );
    findings.known(Expected::Between(0.95, 1.03), PACKS);
    findings.check(
        format!("neighbors over those before, {fed}"),
        "1",
        after.neighbors / before.neighbors,
        near(0.05),
    );
    let what = "distance of the nearest pair over the spacing";
    findings.check(what, "1", least / spacing, Expected::AtLeast(0.5));
    let curve = |of: fn(&Look) -> f64| -> Vec<[f64; 2]> {
        looks.iter().map(|look| [look.time, of(look) / of(&before)]).collect()
    };
    findings.diagram(&Chart {
        title: "A heap that is fed and drained".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "over that before".to_owned(), unit: "1", log: false },
        curves: vec![
            Curve::line("volume of a grain", 0, curve(|look| look.volume)),
            Curve::line("neighbors", 1, curve(|look| look.neighbors)),
            Curve::line("grains on the table", 2, curve(|look| look.grains)),
        ],
        ..Chart::default()
    });
    let picture = trial.picture()?;
    findings.image(format!("The heap {fed}"), &picture);
    Ok(())
}

/// Grains on the table, without those that fall from the hose.
struct Lying {
    position: Vec<DVec3>,
    rest_volume: Vec<f64>,
}

impl Lying {
    /// Returns the mean number of neighbors of the grains inside the heap.
    fn neighbors_inside(&self, spacing: f64) -> f64 {
        let slope = 30.0_f64.to_radians();
        let inside = |x: &&DVec3| {
            let below = (TABLE - x.x.hypot(x.z)) * slope.sin() - x.y * slope.cos();
            below > 2.0 * spacing
        };
        let near = |x: &DVec3| self.position.iter().filter(|y| x.distance(**y) <= 1.5 * spacing).count() - 1;
        let counts: Vec<usize> = self.position.iter().filter(inside).map(near).collect();
        counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64
    }

    fn on_table(frame: &Frame, spacing: f64) -> Self {
        let of = |p: usize| (DVec3::from_array(frame.position[p]), f64::from(frame.rest_volume[p]));
        let lies = |(x, _): &(DVec3, f64)| x.y > -0.5 * spacing && x.y < 0.5 * (HEIGHT + ABOVE);
        let (position, rest_volume) = (0..frame.position.len()).map(of).filter(lies).unzip();
        Self { position, rest_volume }
    }
}

fn heap(spacing: f64, fed: f64) -> String {
    let half = 0.5 * spacing;
    let profile = [[0.0, half], [TABLE - half, half], [0.0, HEIGHT]];
    let cone =
        format!("{{ revolve = {{ from = [0.0, 0.0, 0.0], to = [0.0, 1.0, 0.0], profile = {profile:?} }} }}");
    let sand = material("drucker_prager", DENSITY, YOUNG, 0.3, "friction_angle = 35.0")
        + &body("heap", &cone, &scattered(spacing), "");
    let hose = |name: &str, start: f64, end: f64| {
        format!(
            "[[emitter]]\nname = \"{name}\"\nmaterial = \"matter\"\nsampling = {}\nvelocity = [0.0, {:?}, 0.0]\n\
             time = [{start:?}, {end:?}]\n\
             shape = {{ cylinder = {{ from = [0.0, {ABOVE:?}, 0.0], to = [0.0, {:?}, 0.0], radius = {HOSE:?} }} }}\n",
            scattered(spacing),
            -SPEED,
            ABOVE + 3.0 * spacing,
        )
    };
    let hoses = hose("filling", 0.0, FILL) + &hose("feeding", FILL + REST, FILL + REST + fed);
    let sink = "[[sink]]\nname = \"below\"\nshape = { box = { min = [-9.0, -9.0, -9.0], max = [9.0, -0.2, 9.0] } }\n";
    let table = format!(
        "[[collider]]\nname = \"table\"\nfriction = 0.8\n\
         shape = {{ cylinder = {{ from = [0.0, -0.03, 0.0], to = [0.0, 0.0, 0.0], radius = {TABLE:?} }} }}\n"
    );
    let dt = 2.5 * spacing / (1.35 * YOUNG / DENSITY).sqrt();
    format!(
        "format = 1\n[scene]\nname = \"card\"\n[time]\nframe_rate = 24.0\nframes = [1, 100000]\nmax_substep = {dt:?}\n\
         [solver]\nkernel_radius = {spacing:?}\niterations = 5\n{sand}{hoses}{sink}{table}"
    )
}
