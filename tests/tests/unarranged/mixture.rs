//! Water in the pores of sand: buoyancy, Darcy's law, the momentum that both exchange, cohesion by saturation.

use glam::DVec3;
use tuff_problem::{Frame, Problem};
use tuff_run::{CpuSimulation, Derived, Simulation};
use tuff_tests::problem;

use crate::water::{advance, cuboid};

const GRAVITY: f64 = 9.81;
const WATER: f64 = 1000.0;
/// Density of the dry sand, with its pores [kg/m^3].
const SAND: f64 = 1600.0;
const POROSITY: f64 = 0.4;

/// A scene with sand, water, and a mixture of both with these keys; `viscosity` [m^2/s] is that of the water, `head` the first tables.
fn scene(head: &str, viscosity: f64, mixture: &str, tables: &str) -> Problem {
    problem(&format!(
        "format = 1\n[scene]\nname = \"pores\"\n{head}\n[[material]]\nname = \"water\"\nmodel = \"fluid\"\ndensity = {WATER:?}\n\
         viscosity = {viscosity:e}\n[[material]]\nname = \"sand\"\nmodel = \"drucker_prager\"\ndensity = {SAND:?}\n\
         youngs_modulus = 3.5e5\npoisson_ratio = 0.3\nfriction_angle = 35.0\n\
         [[mixture]]\nfluid = \"water\"\ngrains = \"sand\"\nporosity = {POROSITY}\n{mixture}\n{tables}"
    ))
}

/// Frames of 0.04 s, with these substeps and solver keys.
fn time(substep: &str, solver: &str) -> String {
    format!(
        "[time]\nframes = [1, 100]\nframe_rate = 25.0\nmax_substep = {substep}\n[solver]\nkernel_radius = 0.01\n{solver}"
    )
}

fn tank(max: [f64; 3]) -> String {
    format!(
        "[[collider]]\nname = \"tank\"\nside = \"inside\"\nfriction = 0.0\nshape = {{ box = {{ min = [0.0, 0.0, 0.0], max = {max:?} }} }}\n"
    )
}

/// Returns what of a frame belongs to a body, by particle.
fn of<'a>(frame: &'a Frame, body: u32) -> impl Iterator<Item = usize> + 'a {
    (0..frame.position.len()).filter(move |&p| frame.body[p] == body)
}

/// Grains whose packing is that of the porosity inside of a bed, too; random points are less dense there and denser at its sides.
const EVEN: &str = "sampling = { kind = \"lattice\", spacing = 0.01 }";

/// Spacing of water that is close enough in pores.
const CLOSE: &str = "sampling = { kind = \"poisson_disk\", spacing = 0.0076 }";

/// Sand under water bears its own weight less that of the water that it displaces, `(1 - n) rho_w`; with air in its pores its whole
/// weight. The integral of its vertical stress, which the virial theorem gives, tells both loads.
pub fn sand_under_water_bears_its_buoyant_weight() {
    submerged("\"auto\"", "");
}

pub fn sand_under_water_bears_its_buoyant_weight_at_fixed_steps() {
    submerged("1e-3", "scheme = \"newton_cg\"");
}

fn submerged(substep: &str, solver: &str) {
    let (width, height) = (0.08, 0.08);
    let bed = cuboid("bed", "sand", [0.0; 3], [width, height, width], EVEN);
    let load = |substep: &str, solver: &str, water: &str| {
        let tables = format!(
            "{bed}{water}{}[output]\nattributes = [\"stress\", \"packing\"]\n",
            tank([width, 0.3, width])
        );
        let problem = scene(&time(substep, solver), 1e-6, "grain_diameter = 3e-3", &tables);
        let mut simulation = CpuSimulation::new(&problem);
        let (_, mut frame) = advance(&mut simulation, 15);
        Derived::of(&problem).add(&problem, &mut frame);
        let stress = |p: usize| f64::from(frame.stress[p][1] * frame.volume_ratio[p] * frame.rest_volume[p]);
        let inside = of(&frame, 0).filter(|&p| (0.02..0.06).contains(&frame.position[p][1]));
        let (count, packing) =
            inside.fold((0, 0.0), |(count, sum), p| (count + 1, sum + f64::from(frame.packing[p])));
        (-of(&frame, 0).map(stress).sum::<f64>(), packing / f64::from(count))
    };
    let (dry, _) = load("\"auto\"", "", &cuboid("drop", "water", [0.03, 0.2, 0.03], [0.05, 0.22, 0.05], ""));
    let expected = 1.0 - (1.0 - POROSITY) * WATER / SAND;
    let pool = cuboid("pool", "water", [0.0; 3], [width, 0.12, width], CLOSE);
    let (wet, packing) = load(substep, solver, &pool);
    let wet = wet / dry;
    println!("{substep}: {wet:.4} of the dry load, {expected:.4} expected; packing {packing:.3}");
    assert!((packing - 1.0).abs() < 0.1, "water counts among the grains: {packing}");
    assert!((wet / expected - 1.0).abs() < 0.03, "{wet}");
}

/// Water sinks through a bed that is held, out of its lower face: its level over the bed falls as Darcy's law says,
/// `t = L / K ln((h0 + L) / (h1 + L))` with `K = k g / nu`.
pub fn water_seeps_as_darcy_says() {
    seeping("\"auto\"", "");
}

pub fn water_seeps_as_darcy_says_at_fixed_steps() {
    seeping("1e-3", "scheme = \"newton_cg\"");
}

fn seeping(substep: &str, solver: &str) {
    let (width, low, high, level) = (0.08, 0.1, 0.22, 0.3);
    let (diameter, viscosity, length) = (2e-3, 1e-6, 0.12);
    let bodies = cuboid("bed", "sand", [0.0, low, 0.0], [width, high, width], EVEN)
        + &cuboid("pool", "water", [0.0, low, 0.0], [width, level, width], CLOSE)
        + "[[pin]]\nbody = \"bed\"\nregion = { box = { min = [-1.0, -1.0, -1.0], max = [1.0, 1.0, 1.0] } }\n\
           [[collider]]\nname = \"shaft\"\nside = \"inside\"\nfriction = 0.0\n\
           shape = { box = { min = [0.0, -1.0, 0.0], max = [0.08, 1.0, 0.08] } }\n";
    let permeability = diameter * diameter * POROSITY.powi(3) / (180.0 * (1.0 - POROSITY).powi(2));
    let conductivity = permeability * GRAVITY / viscosity;
    let problem = scene(&time(substep, solver), viscosity, &format!("grain_diameter = {diameter}"), &bodies);
    let mut simulation = CpuSimulation::new(&problem);
    // What has sunk below the middle of the bed has left the column above it.
    let head = |frame: &Frame| {
        let above = of(frame, 1).filter(|&p| frame.position[p][1] > 0.5 * (low + high));
        above.map(|p| f64::from(frame.rest_volume[p])).sum::<f64>() / (width * width)
            - 0.5 * POROSITY * length
    };
    let [from, to] = [3, 9].map(|frames| head(&advance(&mut simulation, frames).1));
    let took = length / conductivity * ((from + length) / (to + length)).ln() / (9.0 * 0.04);
    println!("{substep}: the level falls from {from:.4} to {to:.4} m with {took:.3} of Darcy's rate");
    assert!((took - 1.0).abs() < 0.1, "{took}");
}

/// A block of sand that sinks through water keeps its volume: what presses on it from inside and outside is the same. It ends as thick as
/// it was, but for the layers that water lifts off as it passes.
pub fn a_sinking_block_stays_a_block() {
    let (width, low, thickness) = (0.05, 0.02, 0.04);
    let bodies = cuboid("block", "sand", [0.0, low, 0.0], [width, low + thickness, width], EVEN)
        + &cuboid("pool", "water", [0.0; 3], [width, 0.09, width], CLOSE)
        + &tank([width, 0.3, width]);
    let problem = scene(&time("\"auto\"", ""), 1e-6, "grain_diameter = 3e-3", &bodies);
    let (_, frame) = advance(&mut CpuSimulation::new(&problem), 14);
    let (count, sum) = of(&frame, 0).fold((0, 0.0), |(n, sum), p| (n + 1, sum + frame.position[p][1]));
    let speed =
        of(&frame, 0).map(|p| DVec3::from(frame.velocity[p].map(f64::from)).length()).fold(0.0, f64::max);
    let height = 2.0 * sum / f64::from(count);
    println!("thickness {height:.4} m of {thickness} m, at most {speed:.4} m/s");
    assert!((height / thickness - 1.0).abs() < 0.2, "{height}");
    assert!(speed < 0.05, "{speed}");
}

/// A column of sand under water that loses its walls comes to rest with a slope, while the water still moves.
pub fn a_submerged_column_comes_to_rest_on_its_slope() {
    let [length, high] = [0.24, 0.1];
    let floor = "[[collider]]\nname = \"floor\"\nfriction = 0.6\n\
                 shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }\n";
    let bodies = cuboid("column", "sand", [0.0; 3], [0.08, high, 0.06], EVEN)
        + &cuboid("pool", "water", [0.0; 3], [length, 0.14, 0.06], CLOSE)
        + &tank([length, 0.4, 0.06])
        + floor;
    let problem = scene(&time("\"auto\"", ""), 1e-6, "grain_diameter = 3e-3", &bodies);
    let mut simulation = CpuSimulation::new(&problem);
    let center = |frame: &Frame| {
        let grains: Vec<DVec3> = of(frame, 0).map(|p| DVec3::from(frame.position[p])).collect();
        grains.iter().sum::<DVec3>() / grains.len() as f64
    };
    let before = center(&advance(&mut simulation, 57).1);
    let (_, frame) = advance(&mut simulation, 8);
    let crept = center(&frame).distance(before);
    let top = |from: f64| {
        of(&frame, 0)
            .filter(|&p| (from..from + 0.02).contains(&frame.position[p][0]))
            .fold(0.0, |top: f64, p| top.max(frame.position[p][1]))
    };
    let heights: Vec<f64> = (0..12).map(|strip| top(0.02 * f64::from(strip))).collect();
    let speeds = of(&frame, 0).map(|p| DVec3::from(frame.velocity[p].map(f64::from)).length_squared());
    let (count, sum) = speeds.fold((0, 0.0), |(n, sum), speed| (n + 1, sum + speed));
    let speed = (sum / f64::from(count)).sqrt();
    // The steepest part of the slope over three strips.
    let slope = heights.windows(4).map(|h| (h[0] - h[3]).atan2(0.06).to_degrees()).fold(0.0, f64::max);
    println!(
        "heights {heights:.3?} m, slope {slope:.1} degrees, grains at {speed:.4} m/s, crept {crept:.1e} m"
    );
    assert!(slope > 20.0, "{slope}");
    assert!(speed < 5e-3, "{speed}");
    assert!(crept < 5e-4, "{crept}");
}

/// Water that flies into a block of sand gives it its momentum.
pub fn sand_takes_the_momentum_of_water() {
    for (name, solver, bound) in [
        ("newton", "scheme = \"newton_cg\"\nresidual_tolerance = 1e-5", 1e-4),
        ("sweeps", "scheme = \"gauss_seidel\"\niterations = 20", 1e-6),
    ] {
        let bodies = cuboid("block", "sand", [0.0; 3], [0.06, 0.06, 0.06], "")
            + &cuboid(
                "jet",
                "water",
                [-0.05, 0.01, 0.01],
                [-0.005, 0.05, 0.05],
                "velocity = [1.0, 0.0, 0.0]",
            );
        let head = time("1e-3", solver).replace("[time]", "gravity = [0.0, 0.0, 0.0]\n[time]");
        let problem = scene(&head, 1e-6, "grain_diameter = 3e-3", &bodies);
        let momentum = |frame: &Frame, body: u32| -> DVec3 {
            of(frame, body).map(|p| problem.mass[p] * DVec3::from(frame.velocity[p].map(f64::from))).sum()
        };
        let mut simulation = CpuSimulation::new(&problem);
        let start = momentum(&simulation.frame().unwrap(), 1);
        let (_, frame) = advance(&mut simulation, 3);
        let (block, jet) = (momentum(&frame, 0), momentum(&frame, 1));
        let lost = (block + jet - start).length() / start.length();
        println!("{name}: {:.3} of the momentum has gone over, {lost:.1e} is lost", block.x / start.x);
        assert!(block.x > 0.3 * start.x, "{block}");
        assert!(lost < bound, "{lost}");
    }
}

/// Flooded sand has the cohesion of full pores, and what lies in the air that of empty ones.
pub fn cohesion_follows_saturation() {
    let curve = "grain_diameter = 1e-3\ncohesion = [[0.0, 50.0], [1.0, 1050.0]]";
    for (pool, expected) in [([0.0, 0.12], 1050.0), ([0.1, 0.12], 50.0)] {
        let bodies = cuboid("bed", "sand", [0.0; 3], [0.06, 0.06, 0.06], EVEN)
            + &cuboid("pool", "water", [0.0, pool[0], 0.0], [0.06, pool[1], 0.06], CLOSE);
        let problem = scene(&time("1e-3", ""), 1e-6, curve, &(bodies + &tank([0.06, 0.3, 0.06])));
        let (_, frame) = advance(&mut CpuSimulation::new(&problem), 1);
        let inside: Vec<f32> =
            of(&frame, 0).filter(|&p| frame.position[p][1] < 0.04).map(|p| frame.state[p][1]).collect();
        let mean = inside.iter().sum::<f32>() / inside.len() as f32;
        println!("pool from {}: {mean} Pa", pool[0]);
        assert!((f64::from(mean) - expected).abs() < 0.15 * expected, "{mean}");
    }
}
