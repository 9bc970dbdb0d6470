//! Rigid bodies and matter act on each other: momentum, weight, impacts. (`water` lets one float, `adhesion` lets one hold a block.)

use glam::DVec3;
use tuff_problem::{Control, Frame, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, problem};

/// Kernel radius and spacing [m].
const R: f64 = 0.006;

/// A scene with a box of matter and these tables.
fn scene(preset: &str, gravity: f64, time: &str, min: [f64; 3], max: [f64; 3], tables: &str) -> String {
    format!(
        "format = 1\n[scene]\nname = \"rigid\"\ngravity = [0.0, {gravity:?}, 0.0]\n[time]\nframes = [1, 60]\n\
         frame_rate = 50.0\n{time}\n[solver]\nkernel_radius = {R}\n[[material]]\nname = \"matter\"\n\
         preset = \"{preset}\"\n[[body]]\nname = \"matter\"\nmaterial = \"matter\"\n\
         shape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n\
         sampling = {{ kind = \"lattice\", spacing = {R}, jitter = 0.1 }}\n{tables}"
    )
}

/// Opens a run on the processor and on the Vulkan device.
fn both(problem: &Problem) -> [(&'static str, Box<dyn Simulation>); 2] {
    [("cpu", Box::new(CpuSimulation::new(problem))), ("vulkan", Box::new(gpu(problem)))]
}

/// Returns momentum and angular momentum of everything about the origin.
fn momenta(problem: &Problem, frame: &Frame) -> [DVec3; 2] {
    let mut sums = [DVec3::ZERO; 2];
    for (i, mass) in problem.mass.iter().enumerate() {
        let (x, v) = (DVec3::from(frame.position[i]), DVec3::from(frame.velocity[i].map(f64::from)));
        sums = [sums[0] + mass * v, sums[1] + x.cross(mass * v)];
    }
    for (b, state) in frame.rigid.iter().enumerate() {
        let (x, v) = (DVec3::from(state.center), DVec3::from(state.velocity));
        let mass = problem.rigid.mass(b);
        let spin = problem.rigid.inertia_of(b, glam::DQuat::from_array(state.rotation))
            * DVec3::from(state.angular_velocity);
        sums = [sums[0] + mass * v, sums[1] + x.cross(mass * v) + spin];
    }
    sums
}

/// A turning block hits a block of gelatine off center: what one loses the other gains, in both schemes.
pub fn a_collision_conserves_momentum() {
    let block = "[[rigid]]\nname = \"block\"\nmass = 0.05\nvelocity = [0.0, -1.0, 0.0]\n\
                 angular_velocity = [3.0, 5.0, -4.0]\n\
                 shape = { box = { min = [-0.005, 0.002, -0.015], max = [0.03, 0.02, 0.015] } }\n";
    for scheme in [
        "scheme = \"newton_cg\"\nresidual_tolerance = 1e-5\niterations = 1000",
        "scheme = \"gauss_seidel\"\niterations = 20",
    ] {
        let text = scene("gelatine", 0.0, "max_substep = 5e-4", [-0.018; 3], [0.018, 0.0, 0.018], block);
        let text = text.replace("kernel_radius", &format!("{scheme}\nkernel_radius"));
        // A frame is 60 substeps.
        let text = text.replace("frame_rate = 50.0", &format!("frame_rate = {}", 1.0 / 0.03));
        let problem = problem(&text);
        for (device, mut simulation) in both(&problem) {
            let before = momenta(&problem, &simulation.frame().unwrap());
            simulation.advance(&Control::default()).unwrap();
            let frame = simulation.frame().unwrap();
            let after = momenta(&problem, &frame);
            let size = [0.05, 0.05 * 0.02];
            let off = [0, 1].map(|k| (after[k] - before[k]).length() / size[k]);
            let slowed = frame.rigid[0].velocity[1];
            println!("{device} {scheme}: {:.1e} and {:.1e} lost, block at {slowed:.3} m/s", off[0], off[1]);
            assert!(slowed > -0.8, "{device} {scheme}: the block hits: {slowed} m/s");
            assert!(off[0] < 1e-5, "{device} {scheme}: {off:?}");
            // The matter itself keeps its angular momentum no better; with arms at the end of the substep it is 1.3e-3.
            assert!(off[1] < 1e-3, "{device} {scheme}: {off:?}");
        }
    }
}

/// Plates of a tenth, once, ten and a hundred times the density of sand come to rest on it, level, without jitter.
pub fn light_and_heavy_plates_rest_on_sand() {
    for (density, most) in [(160.0, 0.002), (1600.0, 0.002), (16000.0, 0.003), (160000.0, 0.01)] {
        let tables = format!(
            "[[rigid]]\nname = \"plate\"\ndensity = {density:?}\n\
             shape = {{ box = {{ min = [-0.018, 0.031, -0.018], max = [0.018, 0.041, 0.018] }} }}\n\
             [[collider]]\nname = \"box\"\nside = \"inside\"\n\
             shape = {{ box = {{ min = [-0.03, 0.0, -0.03], max = [0.03, 1.0, 0.03] }} }}\n"
        );
        let problem =
            problem(&scene("dry_sand", -9.81, "", [-0.03, 0.0, -0.03], [0.03, 0.03, 0.03], &tables));
        for (device, mut simulation) in both(&problem) {
            let mut reports = Vec::new();
            for _ in 0..20 {
                reports.push(simulation.advance(&Control::default()).unwrap());
            }
            let settled = simulation.frame().unwrap().rigid[0];
            let mut fastest = 0.0_f64;
            for _ in 0..10 {
                reports.push(simulation.advance(&Control::default()).unwrap());
                fastest = fastest.max(DVec3::from(simulation.frame().unwrap().rigid[0].velocity).length());
            }
            let now = simulation.frame().unwrap().rigid[0];
            let weight = problem.rigid.mass(0) * 9.81 / 50.0;
            let borne = now.impulse[1] / weight;
            let tilt = (glam::DQuat::from_array(now.rotation) * DVec3::Y).y.acos().to_degrees();
            let (sunk, crept) = (0.036 - now.center[1], settled.center[1] - now.center[1]);
            let last = reports.last().unwrap();
            println!(
                "{device}, {density} kg/m^3: sunk {sunk:.4} m, crept {crept:.1e} m in 0.2 s, {tilt:.2} degrees, at most {fastest:.1e} m/s, \
                 bears {borne:.3} of its weight; {} substeps, {} passes",
                last.substeps, last.iterations
            );
            assert!((borne - 1.0).abs() < 0.05, "{device}, {density}: {borne}");
            assert!(fastest < 0.01 && tilt < 5.0 && sunk < most, "{device}, {density}");
        }
    }
}
