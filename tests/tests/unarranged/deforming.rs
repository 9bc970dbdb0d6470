//! Meshes that deform: nothing leaves them, and what touches them moves as the surface does.

use glam::DVec3;
use tuff_problem::{Control, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::meshes::{Triangles, sequence};
use tuff_tests::{gpu, problem_beside};

/// Kernel radius and spacing [m].
const R: f64 = 0.006;

/// A box of matter with these keys, and colliders.
fn scene(preset: &str, dt: &str, min: [f64; 3], max: [f64; 3], colliders: &str) -> String {
    format!(
        "format = 1\n[scene]\nname = \"deforming\"\n[time]\nframes = [1, 60]\n\
         frame_rate = 24.0\nmax_substep = {dt}\n[solver]\nkernel_radius = {R}\n[[material]]\nname = \"matter\"\n\
         preset = \"{preset}\"\n[[body]]\nname = \"matter\"\nmaterial = \"matter\"\n\
         shape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n\
         sampling = {{ kind = \"lattice\", spacing = {R}, jitter = 0.1 }}\n{colliders}"
    )
}

fn positions(simulation: &mut impl Simulation) -> Vec<DVec3> {
    simulation.frame().unwrap().position.into_iter().map(DVec3::from_array).collect()
}

/// A plate that a sequence of files lifts moves sand as one that keyframes lift.
pub fn a_sequence_that_moves_is_a_motion() {
    let plate = || Triangles::cuboid([-0.06, -0.02, -0.06], [0.06, 0.0, 0.06]);
    let mut files = sequence("plate", 4, |k| {
        let k = f64::from(k);
        plate().moved(|[x, y, z]| [x + 0.002 * k, y + 0.001 * k, z])
    });
    files.push(("plate.obj".to_owned(), plate().obj()));
    let (min, max) = ([-0.024, 0.0, -0.024], [0.024, 0.036, 0.024]);
    let after = |shape: &str, substeps: u32| {
        let collider = format!("[[collider]]\nname = \"plate\"\n{shape}");
        let problem: Problem = problem_beside(&scene("dry_sand", "1e-4", min, max, &collider), &files);
        let (mut processor, mut device) = (CpuSimulation::new(&problem), gpu(&problem));
        processor.advance_substeps(substeps, &Control::default()).unwrap();
        device.advance_substeps(substeps, &Control::default()).unwrap();
        [positions(&mut processor), positions(&mut device)]
    };
    let apart =
        |a: &[DVec3], b: &[DVec3]| std::iter::zip(a, b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / R;
    let moved = after(
        "shape = { mesh = { file = \"plate.obj\" } }\nmotion = { keyframes = [ { time = 0.0 }, \
         { time = 0.03, translate = [0.006, 0.003, 0.0] } ] }\n",
        200,
    );
    let deformed = after(
        "shape = { mesh_sequence = { files = \"plate.##.obj\", first = 1, frame_rate = 100.0 } }\n",
        200,
    );
    let lifted = moved[0].iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let [processor, device] = [0, 1].map(|k| apart(&moved[k], &deformed[k]));
    println!("{processor:.1e} r and {device:.1e} r apart, lowest at {lifted:.4} m");
    assert!(lifted > 0.0045, "the plate lifts the sand: {lifted}");
    assert!(processor < 1e-3 && device < 1e-3, "{processor} {device}");
}

/// A bag is squeezed to half its height and let go twice within a second.
pub fn a_squeezed_bag_keeps_its_sand() {
    let files = sequence("bag", 25, |k| {
        let squeezed = 1.0 - 0.25 * (1.0 - (std::f64::consts::TAU * f64::from(k) / 12.0).cos());
        let bag = Triangles::ball([0.0, 0.0, 0.0], 0.04, 12);
        let wide = (1.0 / squeezed).sqrt();
        bag.moved(|[x, y, z]| [x * wide, y * squeezed + 0.1 * x * (1.0 - squeezed), z * wide])
    });
    let collider = "[[collider]]\nname = \"bag\"\nside = \"inside\"\nfriction = 0.3\n\
                    shape = { mesh_sequence = { files = \"bag.##.obj\", first = 1, frame_rate = 24.0 } }\n";
    let (min, max) = ([-0.021, -0.03, -0.021], [0.021, 0.006, 0.021]);
    let problem = problem_beside(&scene("dry_sand", "1e-3", min, max, collider), &files);
    let mut simulation = CpuSimulation::new(&problem);
    for frame in 1..=26 {
        simulation.advance(&Control::default()).unwrap();
        let bag = problem.scene.colliders[0].shaped(f64::from(frame) / 24.0);
        let outside = positions(&mut simulation).iter().filter(|&&x| bag.distance(0.0, x) < 0.0).count();
        assert_eq!(outside, 0, "in frame {frame}");
    }
}

/// A block of foam on a belt that runs on as a sequence of files: it gains mu g, and then the belt's speed.
pub fn a_belt_takes_a_block_along() {
    let (friction, speed) = (0.3, 0.15);
    let files = sequence("belt", 13, |k| {
        let belt = Triangles::sheet(0.6, 0.0, 12);
        belt.moved(|[x, y, z]| [x + speed * f64::from(k) / 48.0, y, z])
    });
    let collider = format!(
        "[[collider]]\nname = \"belt\"\nside = \"both\"\nfriction = {friction}\n\
         shape = {{ mesh_sequence = {{ files = \"belt.##.obj\", first = 1, frame_rate = 48.0 }} }}\n"
    );
    let (min, max) = ([-0.03, 0.0, -0.03], [0.03, 0.03, 0.03]);
    let problem = problem_beside(&scene("foam", "1e-3", min, max, &collider), &files);
    let (mut processor, mut device) = (CpuSimulation::new(&problem), gpu(&problem));
    let mean = |simulation: &mut dyn FnMut() -> Vec<[f32; 3]>| {
        let velocity = simulation();
        velocity.iter().map(|v| f64::from(v[0])).sum::<f64>() / velocity.len() as f64
    };
    for (substeps, expected) in [(20, friction * 9.81 * 0.02), (20, friction * 9.81 * 0.04), (110, speed)] {
        processor.advance_substeps(substeps, &Control::default()).unwrap();
        device.advance_substeps(substeps, &Control::default()).unwrap();
        let found = [
            mean(&mut || processor.frame().unwrap().velocity),
            mean(&mut || device.frame().unwrap().velocity),
        ];
        println!("{found:.4?} m/s, expected {expected:.4}");
        assert!(found.iter().all(|found| (found / expected - 1.0).abs() < 0.03), "{found:?} {expected}");
    }
}

/// A plate whose pose is set frame by frame moves foam as one that keyframes move, on both devices.
pub fn a_pose_that_is_set_is_a_motion() {
    let (min, max) = ([-0.024, 0.0, -0.024], [0.024, 0.024, 0.024]);
    let problem = |motion: &str| {
        let collider = format!(
            "[[collider]]\nname = \"plate\"\n{motion}\n\
             shape = {{ box = {{ min = [-0.06, -0.02, -0.06], max = [0.06, 0.0, 0.06] }} }}\n"
        );
        problem_beside(&scene("foam", "1e-3", min, max, &collider), &[] as &[(&str, String)])
    };
    let keyframed = problem(
        "motion = { keyframes = [ { time = 0.0 }, { time = 0.125, translate = [0.0, 0.012, 0.006], rotate = [0.0, 30.0, 0.0] } ] }",
    );
    let whole = &keyframed.scene.colliders[0].motion;
    let driven = problem("");
    let mut simulations: [Box<dyn Simulation>; 4] = [
        Box::new(CpuSimulation::new(&keyframed)),
        Box::new(gpu(&keyframed)),
        Box::new(CpuSimulation::new(&driven)),
        Box::new(gpu(&driven)),
    ];
    for frame in 1..=3 {
        let pose = whole.pose(f64::from(frame) / 24.0);
        for simulation in &mut simulations[2..] {
            simulation.set_pose("plate", pose).unwrap();
        }
        for simulation in &mut simulations {
            simulation.advance(&Control::default()).unwrap();
        }
    }
    let [cpu, vulkan, set_cpu, set_vulkan] = simulations.map(|mut simulation| {
        let frame = simulation.frame().unwrap();
        frame.position.into_iter().map(DVec3::from_array).collect::<Vec<_>>()
    });
    let lifted = cpu.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!(lifted > 0.011, "{lifted}");
    for (name, a, b) in [("cpu", cpu, set_cpu), ("Vulkan", vulkan, set_vulkan)] {
        let apart = std::iter::zip(&a, &b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / R;
        println!("{name}: {apart:.1e} r apart");
        assert!(apart < 1e-3, "{name}: {apart}");
    }
    let error = CpuSimulation::new(&driven).set_pose("plane", whole.pose(0.0)).unwrap_err();
    assert_eq!(error.to_string(), "there is no collider `plane`");
}
