//! Colliders with parts and cuts act like the shapes that they amount to.

use glam::DVec3;
use tuff_problem::Control;
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, problem};

/// Kernel radius and spacing [m].
const R: f64 = 0.006;

/// A box of dry sand with these keys, and colliders.
fn scene(dt: &str, min: [f64; 3], max: [f64; 3], keys: &str, colliders: &str) -> String {
    format!(
        "format = 1\n[scene]\nname = \"pieces\"\n[time]\nframes = [1, 60]\nframe_rate = 25.0\nmax_substep = {dt}\n\
         [solver]\nkernel_radius = {R}\n[[material]]\nname = \"sand\"\npreset = \"dry_sand\"\n\
         [[body]]\nname = \"sand\"\nmaterial = \"sand\"\n{keys}\nshape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n\
         sampling = {{ kind = \"lattice\", spacing = {R}, jitter = 0.1 }}\n{colliders}"
    )
}

fn positions(simulation: &mut impl Simulation) -> Vec<DVec3> {
    simulation.frame().unwrap().position.into_iter().map(DVec3::from_array).collect()
}

/// Returns the positions after some substeps on the processor and on the Vulkan device.
fn after(text: &str, substeps: u32) -> [Vec<DVec3>; 2] {
    let problem = problem(text);
    let (mut processor, mut device) = (CpuSimulation::new(&problem), gpu(&problem));
    processor.advance_substeps(substeps, &Control::default()).unwrap();
    device.advance_substeps(substeps, &Control::default()).unwrap();
    [positions(&mut processor), positions(&mut device)]
}

/// Returns the largest distance between two sets of positions [kernel radii].
fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    std::iter::zip(a, b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / R
}

/// Sand pressed into a corner of a pocket moves as in a box.
pub fn a_pocket_is_a_container() {
    let (low, high) = ([-0.024, 0.0, -0.024], [0.06, 0.1, 0.06]);
    let of = |min: [f64; 3], max: [f64; 3]| format!("box = {{ min = {min:?}, max = {max:?} }}");
    let pocket = format!(
        "[[collider]]\nname = \"block\"\nshape = {{ {}, subtract = [{{ {} }}] }}\n",
        of([-0.1, -0.05, -0.1], [0.1, 0.1, 0.1]),
        of(low, high)
    );
    let container = format!(
        "[[collider]]\nname = \"box\"\nside = \"inside\"\nshape = {{ {} }}\n",
        of(low, [high[0], 1.0, high[2]])
    );
    let keys = "velocity = [-0.05, 0.0, -0.02]";
    let [pockets, containers] = [pocket, container]
        .map(|c| after(&scene("1e-4", [-0.024, 0.0, -0.024], [0.018, 0.042, 0.024], keys, &c), 100));
    for (name, pocket, container) in
        [("cpu", &pockets[0], &containers[0]), ("Vulkan", &pockets[1], &containers[1])]
    {
        let apart = apart(pocket, container);
        println!("{name}: {apart:.1e} r apart");
        assert!(apart < 1e-3, "{name}: {apart}");
    }
}

/// Sand on a plate leaves it through the hole and over the edge only, on both devices.
pub fn sand_falls_through_a_hole_alone() {
    let hole = 0.024;
    let plate = format!(
        "[[collider]]\nname = \"plate\"\nfriction = 0.3\nshape = {{ box = {{ min = [-0.2, -0.018, -0.2], max = [0.2, 0.0, 0.2] }}, \
         subtract = [{{ cylinder = {{ from = [0.0, -0.1, 0.0], to = [0.0, 0.1, 0.0], radius = {hole} }} }}] }}\n"
    );
    let text = scene("1e-3", [-0.042, 0.0, -0.042], [0.042, 0.06, 0.042], "", &plate);
    for (name, end) in std::iter::zip(["cpu", "Vulkan"], after(&text, 150)) {
        let through = |x: &&DVec3| x.y < -0.009 && x.x.abs() < 0.19 && x.z.abs() < 0.19;
        let away = |x: &DVec3| x.x.hypot(x.z);
        let within = end.iter().filter(through).filter(|x| x.y > -0.018).map(away).fold(0.0, f64::max);
        let all = end.iter().filter(through).count();
        println!(
            "{name}: {all} of {} are through, at most {within:.4} m from the axis in the plate",
            end.len()
        );
        assert!(all > end.len() / 10, "{name}: {all}");
        assert!(within < hole, "{name}: {within}");
    }
}
