//! Triangles of cloth on colliders and rigid bodies, on the device and in the reference.

use tuff_problem::Problem;
use tuff_run::Simulation;
use tuff_tests::meshes::Triangles;
use tuff_tests::{problem_beside, reference, step_reference};

use crate::links::same_meetings;
use crate::runs::agree;

/// A sheet of coarse triangles, a millimeter above a corner of a box, a rod that turns, a cone, a mesh and a ball that is free.
const SCENE: &str = r#"
format = 1
[scene]
name = "obstacles"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = 0.0125
iterations = 6
[[cloth]]
name = "sheet"
surface_density = 0.3
stretch_stiffness = 200.0
bending_stiffness = 1e-4
damping = 1e-3
thickness = 0.004
friction = 0.3
velocity = [0.05, -0.4, 0.02]
grid = { corner = [-0.1, 0.0024, -0.1], u = [0.2, 0.0, 0.0], v = [0.0, 0.002, 0.2], cells = [4, 4] }
[[collider]]
name = "box"
friction = 0.4
shape = { box = { min = [0.013, -0.028, -0.082], max = [0.033, -0.008, -0.062] }, rotate = [45.0, 20.0, 35.0] }
[[collider]]
name = "rod"
friction = 0.5
thickness = 0.001
shape = { capsule = { from = [-0.09, -0.006, 0.033], to = [0.0, -0.005, 0.041], radius = 0.004 } }
[collider.motion]
keyframes = [{ time = 0.0 }, { time = 0.1, translate = [0.0, 0.01, 0.0], rotate = [0.0, 90.0, 0.0] }]
[[collider]]
name = "cone"
shape = { revolve = { from = [-0.06, -0.03, -0.068], to = [-0.06, -0.0005, -0.068], profile = [[0.0, 0.0], [0.012, 0.0], [0.0, 0.029]] } }
[[collider]]
name = "ball"
sticky = true
shape = { mesh = { file = "ball.obj" } }
[[rigid]]
name = "die"
density = 300.0
velocity = [0.0, 0.5, 0.1]
angular_velocity = [0.0, 3.0, 4.0]
shape = { box = { min = [-0.03, -0.024, -0.03], max = [-0.014, -0.008, -0.014] }, rotate = [45.0, 10.0, 35.0] }
"#;

fn scene(settings: &str, dt: &str) -> Problem {
    let ball = Triangles::ball([0.066, -0.0095, 0.068], 0.009, 5).obj();
    let text = SCENE
        .replace("iterations = 6", settings)
        .replace("max_substep = 2e-4", &format!("max_substep = {dt}"));
    problem_beside(&text, &[("ball.obj", ball)])
}

/// In sweeps and in Newton's method; every obstacle is touched.
pub fn every_kind() {
    for (settings, dt, count, bound) in [
        ("iterations = 6\nscheme = \"gauss_seidel\"", "2e-4", 60, 1e-3),
        ("iterations = 60\nscheme = \"newton_cg\"\nresidual_tolerance = 1e-3", "2e-4", 36, 2e-3),
        ("iterations = 400\nscheme = \"newton_cg\"\nresidual_tolerance = 2e-4", "1e-3", 7, 2e-3),
    ] {
        let problem = scene(settings, dt);
        let mut twin = reference(&problem);
        let report = step_reference(&mut twin, count);
        println!("impulses {:?}, {:?}", report.collider_impulse, twin.frame().unwrap().rigid[0].impulse);
        assert!(report.collider_impulse.iter().all(|impulse| impulse[1] < 0.0), "one is not touched");
        assert!(twin.frame().unwrap().rigid[0].impulse[1] < 0.0, "the body is not touched");
        agree(&problem, count, bound);
    }
}

/// Device and reference list the same places; the sheet does not meet itself.
pub fn places() {
    let most = same_meetings(&scene("iterations = 10\nscheme = \"gauss_seidel\"", "1e-3"));
    assert!(most > 20, "{most}");
}
