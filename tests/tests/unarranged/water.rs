//! Fluids with the default solver: rest, floating, levels, the flow from a broken dam, momentum.

use glam::DVec3;
use tuff_problem::{Control, Frame, FrameReport, Problem, kernel};
use tuff_run::{CpuSimulation, Simulation};
use tuff_scene::Particles;
use tuff_tests::{gpu, problem};

/// Length of a frame [s].
pub(crate) const FRAME: f64 = 0.04;
pub(crate) const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;

/// A scene with water and a lighter foam, of kernel radius r [m], with these settings of the substep, solver keys and tables.
pub(crate) fn scene(radius: f64, substep: &str, solver: &str, tables: &str) -> Problem {
    problem(&format!(
        "format = 1\n[scene]\nname = \"water\"\n[time]\nframes = [1, 100]\nframe_rate = 25.0\nmax_substep = {substep}\n\
         [solver]\nkernel_radius = {radius}\n{solver}\n[[material]]\nname = \"water\"\nmodel = \"fluid\"\ndensity = {DENSITY:?}\n\
         [[material]]\nname = \"foam\"\nmodel = \"elastic\"\ndensity = 500.0\nyoungs_modulus = 2e5\npoisson_ratio = 0.3\n{tables}"
    ))
}

/// A cuboid body of a material.
pub(crate) fn cuboid(name: &str, material: &str, min: [f64; 3], max: [f64; 3], keys: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"{material}\"\nshape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n{keys}\n"
    )
}

/// A container.
pub(crate) fn tank(max: [f64; 3]) -> String {
    format!(
        "[[collider]]\nname = \"tank\"\nside = \"inside\"\nshape = {{ box = {{ min = [0.0, 0.0, 0.0], max = {max:?} }} }}\n"
    )
}

pub(crate) fn advance(simulation: &mut CpuSimulation, frames: u32) -> (FrameReport, Frame) {
    let mut report = FrameReport::default();
    for _ in 0..frames {
        report.append(simulation.advance(&Control::default()).unwrap());
    }
    (report, simulation.frame().unwrap())
}

/// Returns the mean height of the particles of a body [m].
fn height(frame: &Frame, body: u32) -> f64 {
    let of: Vec<f64> =
        (0..frame.position.len()).filter(|&p| frame.body[p] == body).map(|p| frame.position[p][1]).collect();
    of.iter().sum::<f64>() / of.len() as f64
}

/// Random points of a fluid start about equally dense, up to their walls; those of other matter as they were drawn.
pub fn random_points_are_spread_evenly() {
    let radius = 0.01;
    let points = |material: &str| {
        let pool = cuboid("pool", material, [0.0; 3], [0.1, 0.1, 0.1], "");
        scene(radius, "\"auto\"", "", &pool).particles
    };
    // Relative scatter of V sum W away from the surface, and least distance in cube roots of the volume.
    let evenness = |particles: &Particles| {
        let at = &particles.position;
        let around = |x: DVec3| at.iter().map(move |y| x.distance(*y));
        let inside: Vec<DVec3> =
            at.iter().copied().filter(|x| (x - 0.05).abs().max_element() < 0.05 - 2.0 * radius).collect();
        let densities: Vec<f64> =
            inside.iter().map(|&x| around(x).map(|distance| kernel(distance, radius)).sum()).collect();
        let mean = densities.iter().sum::<f64>() / densities.len() as f64;
        let squares = densities.iter().map(|density| (density / mean - 1.0).powi(2)).sum::<f64>();
        let apart = |&x: &DVec3| around(x).filter(|distance| *distance > 0.0).fold(f64::INFINITY, f64::min);
        let least = at.iter().map(apart).fold(f64::INFINITY, f64::min) / particles.rest_volume[0].cbrt();
        ((squares / densities.len() as f64).sqrt(), least)
    };
    let ((water, least), (foam, _)) = (evenness(&points("water")), evenness(&points("foam")));
    println!(
        "densities scatter by {water:.4}, those of other matter by {foam:.4}; least distance {least:.2}"
    );
    assert!(water < 0.01 && foam > 0.03, "{water} {foam}");
    assert!(least > 0.6, "{least}");
}

/// Random points filled down to the walls: the fluid settles, keeps its volume, and presses on the tank with its weight (card B27).
pub fn a_filled_tank_comes_to_rest() {
    filled("\"auto\"", "");
}

pub fn a_filled_tank_comes_to_rest_at_fixed_steps() {
    filled("2e-3", "scheme = \"newton_cg\"");
    filled("1e-3", "scheme = \"gauss_seidel\"\niterations = 20");
}

fn filled(substep: &str, solver: &str) {
    let (size, level) = ([0.1, 0.3, 0.08], 0.12);
    let pool = cuboid("pool", "water", [0.0; 3], [size[0], level, size[2]], "");
    let problem = scene(0.01, substep, solver, &(pool + &tank(size)));
    let mass: f64 = problem.mass.iter().sum();
    let start = problem.particles.position.iter().map(|x| x.y).sum::<f64>() / problem.mass.len() as f64;
    let mut simulation = CpuSimulation::new(&problem);
    advance(&mut simulation, 40);
    let (report, frame) = advance(&mut simulation, 5);
    let load = -report.collider_impulse[0][1] / (5.0 * FRAME * mass * GRAVITY);
    let energy = report.energies.kinetic / (mass * GRAVITY * level);
    let rise = height(&frame, 0) / start - 1.0;
    let theta = |p: usize| f64::from(frame.volume_ratio[p]).ln();
    let deep: Vec<f64> = (0..frame.position.len())
        .filter(|&p| frame.position[p][1] < 0.9 * level && frame.position[p][1] > 0.02)
        .map(theta)
        .collect();
    let mean = deep.iter().map(|t| t.abs()).sum::<f64>() / deep.len() as f64;
    let most = deep.iter().fold(0.0, |most: f64, t| most.max(t.abs()));
    println!(
        "{substep} {solver:?}: load {load:.4} of the weight, kinetic {energy:.1e} m g H, mean height {:+.2} %, |rho/rho_0 - 1| mean \
         {mean:.4}, at most {most:.4}",
        100.0 * rise
    );
    assert!((load - 1.0).abs() < 0.01, "{load}");
    assert!(energy < 1e-4, "{energy}");
    assert!((-0.01..0.02).contains(&rise), "{rise}");
    assert!(mean < 0.01 && most < 0.05, "{mean} {most}");
    assert!(report.max_speed < 0.2, "{}", report.max_speed);
    // The water above the deepest particles presses on them, and along the edges of the tank more;
    // substeps are short enough for it.
    let pressed = report.pressure_speed.powi(2) / (GRAVITY * level);
    println!("pressure {pressed:.3} of rho g H, substeps of {:.2e} s", report.substep);
    assert!((0.8..1.3).contains(&pressed), "{pressed}");
    if substep == "\"auto\"" {
        assert!(report.substep <= 0.5 * 0.01 / report.pressure_speed * 1.001, "{}", report.substep);
    }
}

/// A block of half the density of water, elastic or rigid, comes to rest with half of its volume below the level (Archimedes; card B30),
/// within a spacing.
pub fn a_block_floats_at_its_draft() {
    let (size, level, half) = ([0.12, 0.3, 0.12], 0.1, 0.025);
    let pool = cuboid("pool", "water", [0.0; 3], [size[0], level, size[2]], "");
    // Wider than high, so that it floats upright.
    let (low, high) = ([0.02, level + 0.002, 0.02], [0.1, level + 0.002 + 2.0 * half, 0.1]);
    let elastic = cuboid("block", "foam", low, high, "sampling = { kind = \"lattice\", spacing = 0.01 }");
    let rigid = format!(
        "[[rigid]]\nname = \"block\"\ndensity = {:?}\nshape = {{ box = {{ min = {low:?}, max = {high:?} }} }}\n",
        0.5 * DENSITY
    );
    let displaced = 0.5 * 0.08 * 0.08 * 2.0 * half / (size[0] * size[2]);
    for (kind, block) in [("elastic", elastic), ("rigid", rigid)] {
        let problem = scene(0.01, "\"auto\"", "", &(pool.clone() + &block + &tank(size)));
        let (report, frame) = advance(&mut CpuSimulation::new(&problem), 60);
        let center = frame.rigid.first().map_or_else(|| height(&frame, 1), |rigid| rigid.center[1]);
        let level = level + displaced;
        println!("{kind}: center {center:.4} m, level {level:.4} m; fastest {:.3} m/s", report.max_speed);
        assert!((center - level).abs() < 0.01, "{kind}: {center}");
    }
}

/// Water on one side of a wall with a gap at its foot rises on the other until both levels are the same.
pub fn vessels_level_out() {
    let size = [0.16, 0.3, 0.05];
    let pool = cuboid("pool", "water", [0.0; 3], [0.07, 0.16, size[2]], "");
    let wall = "[[collider]]\nname = \"wall\"\nshape = { box = { min = [0.07, 0.04, -0.1], max = [0.09, 0.4, 0.2] } }\n";
    let problem = scene(0.01, "\"auto\"", "", &(pool + &tank(size) + wall));
    let mut simulation = CpuSimulation::new(&problem);
    let (_, frame) = advance(&mut simulation, 75);
    let top = |side: fn(f64) -> bool| {
        let mut heights: Vec<f64> = (frame.position.iter()).filter(|x| side(x[0])).map(|x| x[1]).collect();
        heights.sort_by(f64::total_cmp);
        let tenth = heights.len() / 10;
        heights[heights.len() - tenth..].iter().sum::<f64>() / tenth as f64
    };
    let (left, right) = (top(|x| x < 0.07), top(|x| x > 0.09));
    println!("levels {left:.4} and {right:.4} m");
    assert!((left - right).abs() < 0.01, "{left} {right}");
}

/// A block hits a lump of water in free flight: sweeps conserve momentum to rounding.
pub fn a_block_gives_its_momentum_to_water() {
    let lump = cuboid("lump", "water", [0.0; 3], [0.08; 3], "");
    let block =
        cuboid("block", "foam", [0.02, 0.085, 0.02], [0.06, 0.125, 0.06], "velocity = [0.0, -1.0, 0.3]");
    let solver = "scheme = \"gauss_seidel\"\niterations = 10";
    let mut problem = scene(0.01, "1e-3", solver, &(lump + &block));
    problem.scene.gravity = DVec3::ZERO;
    let momentum = |frame: &Frame, body: Option<u32>| -> DVec3 {
        let of = |p: &usize| body.is_none_or(|body| frame.body[*p] == body);
        (0..frame.position.len())
            .filter(of)
            .map(|p| problem.mass[p] * DVec3::from_array(frame.velocity[p].map(f64::from)))
            .sum()
    };
    let mut simulation = CpuSimulation::new(&problem);
    let before = momentum(&simulation.frame().unwrap(), None);
    let (_, frame) = advance(&mut simulation, 3);
    let lost = (momentum(&frame, None) - before).length() / before.length();
    let given = momentum(&frame, Some(0)).length() / before.length();
    println!("given {given:.3} of the momentum, lost {lost:.1e}");
    assert!(given > 0.2 && lost < 1e-5, "{given} {lost}");
}

/// Honey is thrown into the acute corner between a slippery slope and a sticky wall: friction on the wall presses it onto the slope and is
/// borne by it, which must not throw it out again.
pub fn a_sticky_wall_and_a_slope_throw_nothing_out() {
    let text = "format = 1\n[scene]\nname = \"corner\"\n[time]\nframes = [1, 8]\nframe_rate = 100.0\n\
                [solver]\nkernel_radius = 0.01724\n[[material]]\nname = \"honey\"\npreset = \"honey\"\n\
                [[collider]]\nname = \"slope\"\nshape = { plane = { point = [0.0, 0.0, 0.0], normal = [-0.342, 0.9397, 0.0] } }\n\
                [[collider]]\nname = \"room\"\nsticky = true\nside = \"inside\"\n\
                shape = { box = { min = [-0.1984, -1.0, -0.0784], max = [0.1984, 10.0, 0.0784] } }\n";
    let keys = "overlap = \"push_out\"\nvelocity = [-1.5, -1.5, 0.0]";
    let body = cuboid("honey", "honey", [-0.17, 0.0, -0.06], [0.0, 0.15, 0.06], keys);
    let problem = problem(&format!("{text}{body}"));
    let simulations: [Box<dyn Simulation>; 2] =
        [Box::new(CpuSimulation::new(&problem)), Box::new(gpu(&problem))];
    for mut simulation in simulations {
        let mut last = f64::INFINITY;
        for frame in 2..=8 {
            let report = simulation.advance(&Control::default()).unwrap();
            let kinetic = report.energies.kinetic;
            println!(
                "frame {frame}: {:.2} m/s, {kinetic:.2} J, {} substeps",
                report.max_speed, report.substeps
            );
            assert!(report.max_speed < 5.0 && kinetic < 1.02 * last, "{report:?}");
            last = kinetic;
        }
    }
}
