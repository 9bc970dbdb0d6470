//! Matter that starts inside something leaves it without gaining speed, and ends up like matter that started beside it.

use tuff_problem::{Control, Problem};
use tuff_run::Simulation;
use tuff_scene::Scheme;
use tuff_tests::{gpu, problem};

/// Spacing of the points [m].
const SPACING: f64 = 0.01;

/// Maximum kinetic energy, relative to that of the same box after a fall of one spacing.
const KINETIC: f64 = 1.1;

/// Maximum depth of a particle's center beyond a surface at the end [spacings].
const BEYOND: f64 = 0.1;

/// Maximum distance between the ends of the box and those of one that starts beside the surface [spacings]: one, and a little for cream
/// that runs off a ball.
const APART: f64 = 1.05;

/// A box of it stands or collapses: its own weight presses with 88 Pa on matter that bears about as much unconfined. Neither its energy
/// nor its shape is judged.
const EITHER_WAY: &str = "powder_snow";

/// The object into which a box of 6 cm is sunk.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Floor,
    Corner,
    Sphere,
    Capsule,
    /// Another body, on the floor.
    Body,
}

const PLACES: [Place; 5] = [Place::Floor, Place::Corner, Place::Sphere, Place::Capsule, Place::Body];

/// A way to solve a scene.
#[derive(Debug, Clone, Copy)]
struct Way {
    scheme: Scheme,
    /// Step as in a scene: seconds, or "auto" in quotes.
    step: &'static str,
}

const AUTO: Way = Way { scheme: Scheme::NewtonCg, step: "\"auto\"" };

pub fn nothing_is_thrown_out() {
    let cases = [
        (Place::Floor, "dry_sand", 1.0),
        (Place::Corner, "packed_snow", 1.0),
        (Place::Sphere, "foam", 0.5),
        (Place::Capsule, "clay", 1.0),
        (Place::Body, "rubber", 1.0),
        (Place::Floor, "water", 0.5),
        (Place::Corner, "honey", 1.0),
        (Place::Body, "water", 1.0),
    ];
    let faults: Vec<_> =
        cases.iter().flat_map(|&(place, preset, depth)| faults(place, preset, AUTO, &[depth])).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Takes three quarters of an hour: every material except those of gigapascals, with both schemes, fixed and adaptive steps, at four
/// depths in a floor; and everywhere else with adaptive steps and with sweeps.
pub fn every_material_everywhere() {
    let steps = ["1e-4", "5e-4", "2e-3"];
    let fixed = [Scheme::NewtonCg, Scheme::GaussSeidel]
        .into_iter()
        .flat_map(|scheme| steps.map(|step| Way { scheme, step }));
    let ways: Vec<Way> = std::iter::once(AUTO).chain(fixed).collect();
    let sweeps = Way { scheme: Scheme::GaussSeidel, step: "5e-4" };
    let mut found = Vec::new();
    let presets = tuff_scene::presets().map(|preset| preset.name);
    for preset in presets.filter(|name| !name.starts_with("table2") && !crate::STIFF.contains(name)) {
        for place in PLACES {
            if place == Place::Floor {
                for &way in &ways {
                    found.extend(faults(place, preset, way, &[0.0, 0.5, 1.0, 2.0]));
                }
            } else {
                for way in [AUTO, sweeps] {
                    found.extend(faults(place, preset, way, &[1.0]));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Returns the faults of boxes that start at these depths [spacings].
fn faults(place: Place, preset: &str, way: Way, depths: &[f64]) -> Vec<String> {
    let name = format!("{preset} in {place:?}, {} {}", way.scheme.name(), way.step);
    let high = end(&problem(&scene(place, preset, way, -1.0)));
    let touching = end(&problem(&scene(place, preset, way, -0.5)));
    let mut found = Vec::new();
    for &depth in depths {
        let sunk = end(&problem(&scene(place, preset, way, depth)));
        let kinetic = sunk.kinetic / high.kinetic;
        let apart = (0..6).map(|i| (sunk.extent[i] - touching.extent[i]).abs() / SPACING).fold(0.0, f64::max);
        let told =
            format!("{name}, {depth}: kinetic {kinetic:.3}, beyond {:.3}, apart {apart:.2}", sunk.beyond);
        println!("{told}");
        let as_the_other = kinetic <= KINETIC && apart <= APART;
        if sunk.beyond > BEYOND || !(as_the_other || preset == EITHER_WAY) {
            found.push(told);
        }
    }
    found
}

/// A run of a tenth of a second.
struct End {
    /// Maximum kinetic energy at the end of a frame [J].
    kinetic: f64,
    /// Maximum depth of a center beyond a surface at the end [spacings].
    beyond: f64,
    /// Positions along each axis below which 2 % and 98 % of the box lie at the end [m].
    extent: [f64; 6],
}

fn end(problem: &Problem) -> End {
    let mut simulation = gpu(problem);
    let time = problem.scene.time;
    let mut kinetic = 0.0_f64;
    for _ in time.first_frame..time.last_frame {
        kinetic = kinetic.max(simulation.advance(&Control::default()).unwrap().energies.kinetic);
    }
    let frame = simulation.frame().unwrap();
    let positions: Vec<[f64; 3]> = frame.position.iter().map(|x| x.map(f64::from)).collect();
    let beyond = problem.scene.colliders.iter().flat_map(|collider| {
        let side = if collider.inside { 1.0 } else { -1.0 };
        positions.iter().map(move |&x| side * collider.shape.signed_distance(x.into()) / SPACING)
    });
    let last = *problem.particles.body.last().unwrap();
    let mut extent = [0.0; 6];
    for axis in 0..3 {
        let mut along: Vec<f64> = (0..positions.len())
            .filter(|&p| problem.particles.body[p] == last)
            .map(|p| positions[p][axis])
            .collect();
        along.sort_by(f64::total_cmp);
        let few = along.len() / 50;
        [extent[2 * axis], extent[2 * axis + 1]] = [along[few], along[along.len() - 1 - few]];
    }
    End { kinetic, beyond: beyond.fold(f64::NEG_INFINITY, f64::max), extent }
}

/// Writes a box of a preset, `depth` spacings deep in a place; above it if negative.
fn scene(place: Place, preset: &str, way: Way, depth: f64) -> String {
    let plane = "[[collider]]\nname = \"floor\"\nshape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }\n";
    let (ground, around) = match place {
        Place::Floor => (0.0, plane.to_owned()),
        Place::Corner => (
            0.0,
            "[[collider]]\nname = \"room\"\ninside = true\nshape = { box = { min = [0.0, 0.0, 0.0], max = [1.0, 1.0, 1.0] } }\n".to_owned(),
        ),
        Place::Sphere => (
            0.1,
            format!("{plane}[[collider]]\nname = \"ball\"\nshape = {{ sphere = {{ center = [0.0, 0.0, 0.0], radius = 0.1 }} }}\n"),
        ),
        Place::Capsule => (
            0.06,
            format!("{plane}[[collider]]\nname = \"bar\"\nshape = {{ capsule = {{ from = [-0.2, 0.03, 0.0], to = [0.2, 0.03, 0.0], radius = 0.03 }} }}\n"),
        ),
        Place::Body => {
            let under = if preset == "clay" { "dry_sand" } else { "clay" };
            (
                0.045,
                format!(
                    r#"{plane}[[material]]
name = "under"
preset = "{under}"
[[body]]
name = "under"
material = "under"
shape = {{ box = {{ min = [-0.06, 0.005, -0.06], max = [0.06, 0.045, 0.06] }} }}
sampling = {{ kind = "poisson_disk", spacing = {SPACING} }}
"#
                ),
            )
        }
    };
    let aside = if place == Place::Corner { -depth * SPACING } else { -0.03 };
    let low = ground - depth * SPACING;
    let [side, high] = [aside + 0.06, low + 0.06];
    // Use the default where a scene may leave it out.
    let overlap = if depth > 0.5 { "overlap = \"push_out\"\n" } else { "" };
    let scheme = way.scheme.name();
    format!(
        r#"format = 1
[scene]
name = "sunk"
[time]
frames = [1, 21]
frame_rate = 200
max_substep = {}
[solver]
kernel_radius = {SPACING}
scheme = "{scheme}"
[[material]]
name = "m"
preset = "{preset}"
{around}[[body]]
name = "b"
material = "m"
{overlap}shape = {{ box = {{ min = [{aside}, {low}, {aside}], max = [{side}, {high}, {side}] }} }}
sampling = {{ kind = "poisson_disk", spacing = {SPACING} }}
"#,
        way.step
    )
}
