//! Surfaces that matter sticks to, and surfaces that keep it at a distance: weights and friction by Coulomb's law, in both schemes.

use glam::DVec3;
use tuff_problem::Control;
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, problem};

/// Kernel radius and spacing [m].
const R: f64 = 0.006;
/// Weight of matter by volume [N/m^3].
const WEIGHT: f64 = 9.81 * 1000.0;
/// Length of a frame [s].
const FRAME: f64 = 0.04;

/// An elastic block and a collider, with these keys of the solver.
fn scene(solver: &str, min: [f64; 3], max: [f64; 3], collider: &str) -> String {
    format!(
        "format = 1\n[scene]\nname = \"adhesion\"\n[time]\nframes = [1, 20]\nframe_rate = 25.0\nmax_substep = 1e-3\n\
         [solver]\nkernel_radius = {R}\n{solver}\n[[material]]\nname = \"block\"\nmodel = \"elastic\"\ndensity = 1000.0\n\
         youngs_modulus = 1e5\npoisson_ratio = 0.3\n[[body]]\nname = \"block\"\nmaterial = \"block\"\n\
         shape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\nsampling = {{ kind = \"lattice\", spacing = {R} }}\n\
         [[collider]]\nname = \"surface\"\n{collider}\n"
    )
}

const SCHEMES: [&str; 2] = ["", "scheme = \"gauss_seidel\"\niterations = 30\nresidual_tolerance = 0.0"];

/// State after some frames: mean position [m] and velocity [m/s], and mean force on the collider in the last frame [N].
struct Outcome {
    position: DVec3,
    velocity: DVec3,
    force: DVec3,
}

fn advanced(simulation: &mut impl Simulation, frames: u32) -> Outcome {
    let mut force = DVec3::ZERO;
    for _ in 0..frames {
        let report = simulation.advance(&Control::default()).unwrap();
        force = DVec3::from_array(report.collider_impulse[0]) / FRAME;
    }
    let frame = simulation.frame().unwrap();
    let count = frame.position.len() as f64;
    Outcome {
        position: frame.position.iter().map(|x| DVec3::from_array(*x)).sum::<DVec3>() / count,
        velocity: frame.velocity.iter().map(|v| DVec3::from_array(v.map(f64::from))).sum::<DVec3>() / count,
        force,
    }
}

/// Runs a scene in both schemes and on both devices.
fn everywhere(min: [f64; 3], max: [f64; 3], collider: &str, frames: u32, check: impl Fn(&str, Outcome)) {
    for solver in SCHEMES {
        let problem = problem(&scene(solver, min, max, collider));
        check(&format!("{solver:.8} on Vulkan"), advanced(&mut gpu(&problem), frames));
        check(&format!("{solver:.8} on cpu"), advanced(&mut CpuSimulation::new(&problem), frames));
    }
}

/// A block of height h hangs from a ceiling if adhesion exceeds rho g h, and falls if it does not.
pub fn a_block_hangs_by_its_weight() {
    let (min, max) = ([-0.018, -0.03, -0.018], [0.018, 0.0, 0.018]);
    let (weight, mass) = (WEIGHT * 0.03, 1000.0 * 0.03 * 0.036 * 0.036);
    let ceiling = |adhesion: f64| {
        format!(
            "shape = {{ plane = {{ point = [0, 0, 0], normal = [0, -1, 0] }} }}\nadhesion = {:?}",
            adhesion * weight
        )
    };
    everywhere(min, max, &ceiling(1.1), 8, |run, end| {
        println!(
            "{run}: hangs at {:.5} m, pulls with {:.4} of its weight",
            end.position.y,
            -end.force.y / (9.81 * mass)
        );
        assert!((end.position.y + 0.015).abs() < 0.1 * R, "{run}: {}", end.position);
        assert!((-end.force.y / (9.81 * mass) - 1.0).abs() < 0.02, "{run}: {}", end.force);
    });
    // Two pieces of this ceiling, beyond two walls of its pocket, are one surface above the block.
    let pocketed = format!(
        "shape = {{ box = {{ min = [-0.2, 0.0, -0.2], max = [0.2, 0.05, 0.2] }}, subtract = [{{ box = {{ min = [0.05, -0.01, 0.05], \
         max = [0.1, 0.02, 0.1] }} }}] }}\nadhesion = {:?}",
        0.9 * weight
    );
    for ceiling in [ceiling(0.9), pocketed] {
        everywhere(min, max, &ceiling, 8, |run, end| {
            println!("{run}: at {:.4} m", end.position.y);
            assert!(end.position.y < -0.2, "{run}: {}", end.position);
        });
    }
}

/// The same under a rigid plate that turns about its center.
pub fn a_block_hangs_from_a_rigid_body() {
    let (min, max) = ([-0.018, -0.03, -0.018], [0.018, 0.0, 0.018]);
    for (factor, hangs) in [(1.1, true), (0.9, false)] {
        for solver in SCHEMES {
            let text = scene(solver, min, max, "")
                .replace("[[collider]]\nname = \"surface\"", "[[rigid]]\nname = \"plate\"");
            let plate = format!(
                "mass = 1.0\nhold = {{ ball = [0.0, 0.01, 0.0] }}\nadhesion = {:?}\n\
                 shape = {{ box = {{ min = [-0.05, 0.0, -0.05], max = [0.05, 0.02, 0.05] }} }}\n",
                factor * WEIGHT * 0.03
            );
            let problem = problem(&(text + &plate));
            let runs: [(&str, Box<dyn Simulation>); 2] =
                [("cpu", Box::new(CpuSimulation::new(&problem))), ("Vulkan", Box::new(gpu(&problem)))];
            for (device, mut simulation) in runs {
                for _ in 0..5 {
                    simulation.advance(&Control::default()).unwrap();
                }
                let frame = simulation.frame().unwrap();
                let height = frame.position.iter().map(|x| x[1]).sum::<f64>() / frame.position.len() as f64;
                let turned =
                    glam::DQuat::from_array(frame.rigid[0].rotation).angle_between(glam::DQuat::IDENTITY);
                println!(
                    "{solver:.8} on {device}, {factor} of the weight: at {height:.5} m, plate turned by {turned:.1e}"
                );
                assert!(if hangs { (height + 0.015).abs() < 0.1 * R } else { height < -0.1 }, "{height}");
                assert!(turned < 0.05, "{turned}");
            }
        }
    }
}

/// A slab of thickness w on a wall is carried by friction of the pull: it stays where mu A > rho g w, and slides with
/// a = g - mu A / (rho w) where it does not.
pub fn a_slab_on_a_wall_slides_by_coulombs_law() {
    let (min, max, adhesion) = ([0.0, -0.03, -0.018], [0.012, 0.03, 0.018], 500.0);
    let wall = |friction: f64| {
        format!(
            "shape = {{ plane = {{ point = [0, 0, 0], normal = [1, 0, 0] }} }}\nadhesion = {adhesion}\nfriction = {friction}"
        )
    };
    everywhere(min, max, &wall(0.3), 5, |run, end| {
        println!("{run}: stays at {:.1e} m", end.position.y);
        assert!(end.position.y.abs() < 0.05 * R, "{run}: {}", end.position);
    });
    let expected = 9.81 - 0.2 * adhesion / (1000.0 * 0.012);
    everywhere(min, max, &wall(0.2), 5, |run, end| {
        let measured = -end.velocity.y / (5.0 * FRAME);
        println!("{run}: a = {measured:.3} m/s^2, expected {expected:.3}");
        assert!((measured / expected - 1.0).abs() < 0.03, "{run}: {measured}");
    });
}

/// Matter rests as far above a floor as its thickness says.
pub fn a_thick_floor_carries_at_its_thickness() {
    let floor = "shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }\nthickness = 0.004";
    everywhere([-0.018, 0.006, -0.018], [0.018, 0.036, 0.018], floor, 8, |run, end| {
        println!("{run}: rests at {:.5} m", end.position.y);
        assert!((end.position.y - 0.019).abs() < 0.02 * R, "{run}: {}", end.position);
    });
}
