//! Mesh colliders: meshes of analytic shapes act like these, and nothing passes through a sheet.

use glam::DVec3;
use tuff_problem::{Control, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::meshes::Triangles;
use tuff_tests::{gpu, problem_beside};

/// Kernel radius and spacing [m].
const R: f64 = 0.006;

/// A box of dry sand with these keys, and colliders.
fn scene(dt: &str, min: [f64; 3], max: [f64; 3], keys: &str, colliders: &str) -> String {
    format!(
        "format = 1\n[scene]\nname = \"meshes\"\n[time]\nframes = [1, 60]\nframe_rate = 24.0\nmax_substep = {dt}\n\
         [solver]\nkernel_radius = {R}\n[[material]]\nname = \"sand\"\npreset = \"dry_sand\"\n\
         [[body]]\nname = \"sand\"\nmaterial = \"sand\"\n{keys}\nshape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n\
         sampling = {{ kind = \"lattice\", spacing = {R}, jitter = 0.1 }}\n{colliders}"
    )
}

fn mesh(name: &str, file: &str, keys: &str) -> String {
    format!("[[collider]]\nname = \"{name}\"\nshape = {{ mesh = {{ file = \"{file}\" }} }}\n{keys}\n")
}

fn analytic(name: &str, shape: &str, keys: &str) -> String {
    format!("[[collider]]\nname = \"{name}\"\nshape = {shape}\n{keys}\n")
}

fn positions(simulation: &mut impl Simulation) -> Vec<DVec3> {
    simulation.frame().unwrap().position.into_iter().map(DVec3::from_array).collect()
}

/// Returns the positions after `substeps` on the processor.
fn after(problem: &Problem, substeps: u32) -> Vec<DVec3> {
    let mut simulation = CpuSimulation::new(problem);
    simulation.advance_substeps(substeps, &Control::default()).unwrap();
    positions(&mut simulation)
}

/// Returns the largest distance between two sets of positions [kernel radii].
fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    std::iter::zip(a, b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / R
}

/// A block rests on a box and beside another, in contact with faces and edges, and is pressed into a tank's corner.
pub fn a_box_of_triangles_is_a_box() {
    let (low, high) = ([-0.05, -0.03, -0.015], [0.02, 0.0, 0.02]);
    let (bottom, top) = ([-0.024, -0.06, -0.024], [0.06, 0.2, 0.06]);
    let files =
        [("box.obj", Triangles::cuboid(low, high).obj()), ("tank.obj", Triangles::cuboid(bottom, top).obj())];
    let of = |min: [f64; 3], max: [f64; 3]| format!("{{ box = {{ min = {min:?}, max = {max:?} }} }}");
    let problem = |colliders: [String; 2]| {
        let keys = "velocity = [-0.05, 0.0, -0.02]";
        problem_beside(
            &scene("1e-4", [-0.024, 0.0, -0.024], [0.012, 0.03, 0.024], keys, &colliders.concat()),
            &files,
        )
    };
    let meshes =
        after(&problem([mesh("box", "box.obj", ""), mesh("tank", "tank.obj", "side = \"inside\"")]), 200);
    let boxes = after(
        &problem([
            analytic("box", &of(low, high), ""),
            analytic("tank", &of(bottom, top), "side = \"inside\""),
        ]),
        200,
    );
    let apart = apart(&meshes, &boxes);
    println!("{apart:.1e} r apart");
    assert!(apart < 1e-3, "{apart}");
}

/// On a ball of 20,000 triangles sand moves as on an analytic ball, up to the slope of the facets: a normal is off by at most half the
/// angle between them, and so is the way of what it deflects.
pub fn a_ball_of_triangles_is_a_ball() {
    let (rings, dt, substeps) = (71, 1e-3, 30);
    let files = [("ball.obj", Triangles::ball([0.0, 0.0, 0.0], 0.05, rings).obj())];
    let problem = |ball: String| {
        let keys = "velocity = [0.0, -0.5, 0.0]";
        problem_beside(&scene("1e-3", [-0.03, 0.051, -0.03], [0.03, 0.087, 0.03], keys, &ball), &files)
    };
    let meshes = after(&problem(mesh("ball", "ball.obj", "")), substeps);
    let ball = analytic("ball", "{ sphere = { center = [0.0, 0.0, 0.0], radius = 0.05 } }", "");
    let balls = after(&problem(ball), substeps);
    let lowest = balls.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let mean = std::iter::zip(&meshes, &balls).map(|(a, b)| a.distance(*b)).sum::<f64>() / balls.len() as f64;
    let slope = 0.5 * std::f64::consts::PI / rings as f64 / 2.0;
    let way = 0.5 * dt * f64::from(substeps);
    println!("{mean:.1e} m apart on average, facets explain {:.1e} m; lowest at {lowest:.3} m", slope * way);
    assert!(lowest < 0.045, "the sand flowed over the ball");
    assert!(mean < slope * way, "{mean:.1e} m");
}

/// Returns the number of particles below the sheet of a scene, where it is.
fn below(at: &[DVec3], height: f64, half: f64) -> usize {
    at.iter().filter(|x| x.y < height && x.x.abs() < half && x.z.abs() < half).count()
}

/// 4,000 particles hit a sheet at 5 m/s, on both devices.
pub fn nothing_passes_a_sheet() {
    let files = [("sheet.obj", Triangles::sheet(0.2, 0.05, 5).obj())];
    let keys = "velocity = [0.0, -5.0, 0.0]";
    let text =
        scene("1e-3", [-0.048, 0.056, -0.048], [0.048, 0.152, 0.048], keys, &mesh("sheet", "sheet.obj", ""));
    let problem = problem_beside(&text, &files);
    assert_eq!(problem.particle_count(), 4096);
    let (mut device, mut processor) = (gpu(&problem), CpuSimulation::new(&problem));
    for _ in 0..4 {
        let report = device.advance_substeps(10, &Control::default()).unwrap();
        assert_eq!(below(&positions(&mut device), 0.05, 0.1 - R), 0, "{report:?}");
        let report = processor.advance_substeps(10, &Control::default()).unwrap();
        assert_eq!(below(&positions(&mut processor), 0.05, 0.1 - R), 0, "{report:?}");
    }
    let lowest = positions(&mut processor).iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!(lowest < 0.05, "nothing has flown over the rim yet: {lowest}");
}

/// A sheet dips into sand that starts down to the floor: what both push out of the wedge between them stays above the floor.
pub fn in_a_wedge_nothing_is_led_through_the_floor() {
    let tilted = |[x, y, z]: [f64; 3]| [x, y + 0.18 * x, z];
    let files = [("sheet.obj", Triangles::sheet(0.12, 0.003, 4).moved(tilted).obj())];
    let floor = analytic("floor", "{ plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }", "");
    let colliders = floor + &mesh("sheet", "sheet.obj", "");
    let text = scene("1e-3", [-0.024, 0.0, -0.024], [0.024, 0.03, 0.024], "", &colliders);
    let problem = problem_beside(&text, &files);
    let (mut device, mut processor) = (gpu(&problem), CpuSimulation::new(&problem));
    for _ in 0..10 {
        device.advance_substeps(5, &Control::default()).unwrap();
        processor.advance_substeps(5, &Control::default()).unwrap();
        for at in [positions(&mut device), positions(&mut processor)] {
            let lowest = at.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > -1e-3 * R, "{lowest:.2e} m");
        }
    }
}

/// A sheet that starts beside a block sweeps through it at half a kernel radius per substep and takes all of it along.
pub fn a_fast_sheet_takes_matter_along() {
    let dt = 1e-3;
    let speed = 0.5 * R / dt;
    let files = [("sheet.obj", Triangles::sheet(0.2, -0.003, 4).obj())];
    let motion = format!(
        "motion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = 1.0, translate = [0.0, {speed:?}, 0.0] }} ] }}"
    );
    let text =
        scene("1e-3", [-0.03, 0.0, -0.03], [0.03, 0.03, 0.03], "", &mesh("sheet", "sheet.obj", &motion));
    let problem = problem_beside(&text, &files);
    for substeps in [3, 10, 30] {
        let at = after(&problem, substeps);
        let height = -0.003 + f64::from(substeps) * dt * speed;
        assert_eq!(below(&at, height, 0.1 - R), 0, "after {substeps} substeps");
    }
}

/// A plate cuts into a bed, edge first, at 0.1 m/s: matter that flows around its rim gains no speed from having been beyond it.
pub fn a_plate_cuts_into_sand() {
    let plate = Triangles {
        vertices: vec![
            [-0.012, 0.0, 0.001],
            [0.012, 0.0, 0.001],
            [0.012, 0.05, 0.001],
            [-0.012, 0.05, 0.001],
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    };
    let motion = "motion = { keyframes = [ { time = 0.0, translate = [0.0, 0.04, 0.0] }, \
                  { time = 0.3, translate = [0.0, 0.01, 0.0] } ] }";
    let tank = "{ box = { min = [-0.036, 0.0, -0.036], max = [0.036, 0.1, 0.036] } }";
    let colliders = mesh("plate", "plate.obj", motion) + &analytic("tank", tank, "side = \"inside\"");
    let text = scene("1e-3", [-0.036, 0.0, -0.036], [0.036, 0.036, 0.036], "", &colliders);
    let problem = problem_beside(&text, &[("plate.obj", plate.obj())]);
    let mut simulation = CpuSimulation::new(&problem);
    let mut fastest = 0.0_f64;
    for _ in 0..6 {
        fastest = fastest.max(simulation.advance(&Control::default()).unwrap().max_speed);
    }
    println!("at most {fastest:.3} m/s");
    assert!(fastest < 1.0, "{fastest} m/s");
}

/// A closed bowl is shaken for two seconds: what is in it stays in it.
pub fn a_shaken_bowl_keeps_its_sand() {
    let files = [("bowl.obj", Triangles::ball([0.0, 0.0, 0.0], 0.04, 12).obj())];
    let keys: Vec<String> = (0..=40)
        .map(|k| {
            let side = if k % 2 == 0 { 1.0 } else { -1.0 };
            let along = if k == 0 { 0.0 } else { 0.02 * side };
            format!(
                "{{ time = {:?}, translate = [{along:?}, {:?}, 0.0], rotate = [0.0, 0.0, {:?}] }}",
                0.05 * f64::from(k),
                -0.5 * along,
                20.0 * side
            )
        })
        .collect();
    let motion = format!("side = \"inside\"\nmotion = {{ keyframes = [ {} ] }}", keys.join(", "));
    let text = scene(
        "1e-3",
        [-0.018, -0.018, -0.018],
        [0.018, 0.018, 0.018],
        "",
        &mesh("bowl", "bowl.obj", &motion),
    );
    let problem = problem_beside(&text, &files);
    let mut simulation = CpuSimulation::new(&problem);
    for frame in 0..48 {
        simulation.advance(&Control::default()).unwrap();
        let time = f64::from(frame + 1) / 24.0;
        let bowl = &problem.scene.colliders[0];
        let deepest =
            positions(&mut simulation).iter().map(|&x| -bowl.distance(time, x)).fold(f64::MIN, f64::max);
        assert!(deepest < 0.0, "{deepest} m outside at {time} s");
    }
}
