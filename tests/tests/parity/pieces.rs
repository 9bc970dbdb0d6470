//! Colliders with parts, cuts, adhesion and thickness.

use tuff_tests::problem;

use crate::runs::agree;

const PIECES: &str = r#"
[[collider]]
name = "room"
friction = 0.3
side = "inside"
shape = { box = { min = [-0.06, -0.03, -0.06], max = [0.052, 0.3, 0.06] }, union = [
    { cylinder = { from = [0.0, -0.03, 0.0], to = [0.12, -0.03, 0.0], radius = 0.03 } },
] }
[[collider]]
name = "die"
friction = 0.4
adhesion = 300.0
thickness = 0.002
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, translate = [0.01, 0.01, 0.0], rotate = [0.0, 20.0, 5.0] } ] }
[collider.shape]
box = { min = [-0.05, -0.03, -0.05], max = [0.045, -0.0025, 0.05] }
union = [{ sphere = { center = [0.0, -0.02, 0.03], radius = 0.02 } }]
subtract = [
    { box = { min = [-0.03, -0.02, -0.03], max = [0.0, 0.1, 0.0] } },
    { cylinder = { from = [0.02, -0.1, -0.02], to = [0.02, 0.1, -0.02], radius = 0.012 } },
    { revolve = { from = [0.02, -0.025, 0.02], to = [0.02, -0.0025, 0.02], profile = [[0.0, 0.0], [0.02, 0.0225], [0.0, 0.0225]] } },
]
"#;

pub fn every_kind() {
    for solver in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let scene = crate::scenes::column(8, solver);
        let (scene, _) = scene.split_once("[[collider]]").unwrap();
        agree(&problem(&format!("{scene}{PIECES}")), 20, 4e-4);
    }
}
