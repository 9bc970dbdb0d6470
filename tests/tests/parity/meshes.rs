//! Mesh colliders on the device and in the reference.

use tuff_tests::meshes::{Triangles, sequence};
use tuff_tests::problem_beside;

use crate::runs::agree;

/// A column that falls on a ball, a turned block and a sharp ridge in a tank, all meshes, and on a sheet that turns and rises.
const MESHES: &str = r#"
[[collider]]
name = "tank"
side = "inside"
friction = 0.2
shape = { mesh = { file = "tank.obj" } }
[[collider]]
name = "ball"
friction = 0.3
shape = { mesh = { file = "ball.obj", translate = [0.03, 0.0, 0.01] } }
[[collider]]
name = "block"
friction = 0.5
shape = { mesh = { file = "block.obj", rotate = [10.0, 20.0, 40.0] } }
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, translate = [0.02, 0.0, 0.0], rotate = [0.0, 30.0, 0.0] } ] }
[[collider]]
name = "ridge"
shape = { mesh = { file = "ridge.obj", rotate = [0.0, 30.0, 5.0] } }
[[collider]]
name = "sheet"
shape = { mesh = { file = "sheet.obj", translate = [0.0, 0.0, -0.02] } }
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, translate = [0.0, 0.02, 0.0], rotate = [10.0, 0.0, 0.0] } ] }
"#;

/// A roof along x.
fn ridge() -> Triangles {
    let section = [[-0.05, -0.006], [-0.05, 0.006], [-0.003, 0.0]];
    let vertices = [-0.04, 0.04].iter().flat_map(|&x| section.map(|[y, z]| [x, y, z])).collect();
    let sides = [[0, 3, 4, 1], [1, 4, 5, 2], [2, 5, 3, 0]];
    let ends = [[0, 1, 2], [3, 5, 4]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).chain(ends).collect();
    Triangles { vertices, triangles }
}

pub fn every_kind() {
    for solver in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 12\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let scene = crate::scenes::column(8, solver);
        let (scene, _) = scene.split_once("[[collider]]").unwrap();
        let files = [
            ("tank.obj", Triangles::cuboid([-0.06, -0.02, -0.06], [0.052, 0.3, 0.06]).obj()),
            ("ball.obj", Triangles::ball([0.0, -0.025, 0.0], 0.03, 9).obj()),
            ("block.obj", Triangles::cuboid([-0.07, -0.05, -0.02], [-0.02, -0.01, 0.03]).obj()),
            ("ridge.obj", ridge().obj()),
            ("sheet.obj", Triangles::sheet(0.05, -0.004, 3).obj()),
        ];
        agree(&problem_beside(&format!("{scene}{MESHES}"), &files), 20, 4e-4);
    }
}

/// Matter that moves by several triangles in a substep, over ground that is finer than its particles, in sweeps: in Newton's scheme
/// rounding decides which grains stick there.
pub fn fine_ground() {
    let scene = crate::scenes::column(8, "iterations = 6\nscheme = \"gauss_seidel\"")
        .replace("max_substep = 2e-4", "max_substep = 2e-3")
        .replace("velocity = [0.2, -0.5, 0.1]", "velocity = [2.0, -1.0, 0.5]");
    let (scene, _) = scene.split_once("[[collider]]").unwrap();
    let ground = Triangles::sheet(0.3, 0.0, 150)
        .moved(|[x, y, z]| [x, y + 5e-4 * (400.0 * x).sin() * (300.0 * z).cos(), z]);
    let files = [("ground.obj", ground.obj())];
    let floor = "[[collider]]\nname = \"ground\"\nside = \"both\"\nfriction = 0.5\n\
                 shape = { mesh = { file = \"ground.obj\" } }\n";
    agree(&problem_beside(&format!("{scene}{floor}"), &files), 4, 4e-4);
}

/// Thin obstacles in a falling column: a shelf, a turned plate of triangles, a sheet in its way and a post.
const WALLS: &str = r#"
[[collider]]
name = "shelf"
friction = 0.3
shape = { box = { min = [-0.06, 0.0495, -0.06], max = [0.0, 0.0505, 0.06] } }
[[collider]]
name = "plate"
shape = { mesh = { file = "plate.obj", rotate = [0.0, 0.0, 30.0], translate = [0.03, 0.0, 0.0] } }
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, translate = [0.0, 0.01, 0.0], rotate = [0.0, 20.0, 0.0] } ] }
[[collider]]
name = "sheet"
shape = { mesh = { file = "sheet.obj", rotate = [0.0, 0.0, 90.0], translate = [0.0, 0.04, 0.0] } }
[[collider]]
name = "post"
shape = { cylinder = { from = [0.02, -0.1, 0.02], to = [0.02, 0.1, 0.02], radius = 0.002 } }
"#;

pub fn walls() {
    for solver in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let scene = crate::scenes::column(8, solver);
        let (scene, _) = scene.split_once("[[collider]]").unwrap();
        let files = [
            ("plate.obj", Triangles::cuboid([-0.02, -0.001, -0.05], [0.02, 0.001, 0.05]).obj()),
            ("sheet.obj", Triangles::sheet(0.05, 0.0, 3).obj()),
        ];
        let problem = problem_beside(&format!("{scene}{WALLS}"), &files);
        assert!(problem.faces.iter().filter(|face| face.wall).count() == 5);
        agree(&problem, 20, 4e-4);
    }
}

/// A tank that is squeezed, a ball that swells and a turning sheet that bends, in a falling column.
const DEFORMING: &str = r#"
[[collider]]
name = "tank"
side = "inside"
friction = 0.2
shape = { mesh_sequence = { files = "tank.##.obj", first = 1, frame_rate = 200.0 } }
[[collider]]
name = "ball"
friction = 0.3
shape = { mesh_sequence = { files = "ball.##.obj", first = 1, frame_rate = 150.0, translate = [0.03, 0.0, 0.01] } }
[[collider]]
name = "sheet"
shape = { mesh_sequence = { files = "sheet.##.obj", first = 1, frame_rate = 100.0 } }
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, translate = [0.0, 0.02, 0.0], rotate = [10.0, 0.0, 0.0] } ] }
"#;

pub fn deforming() {
    for solver in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let scene = crate::scenes::column(8, solver);
        let (scene, _) = scene.split_once("[[collider]]").unwrap();
        let mut files = sequence("tank", 5, |k| {
            let tank = Triangles::cuboid([-0.06, -0.02, -0.06], [0.052, 0.3, 0.06]);
            tank.moved(|[x, y, z]| [x * (1.0 - 0.02 * f64::from(k)), y, z + 0.05 * x * f64::from(k)])
        });
        files.extend(sequence("ball", 4, |k| {
            Triangles::ball([0.0, -0.025, 0.0], 0.03 + 0.001 * f64::from(k), 9)
        }));
        files.extend(sequence("sheet", 3, |k| {
            let sheet = Triangles::sheet(0.05, -0.004, 3);
            sheet.moved(|[x, y, z]| [x, y + 4.0 * f64::from(k) * x * x, z - 0.02])
        }));
        agree(&problem_beside(&format!("{scene}{DEFORMING}"), &files), 20, 4e-4);
    }
}
