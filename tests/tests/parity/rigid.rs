//! Rigid bodies among matter on the device and in the reference.

use tuff_problem::Control;
use tuff_run::{Chosen, Simulation, chosen};
use tuff_solver::{GpuSolver, Options};
use tuff_tests::meshes::Triangles;
use tuff_tests::{gpu, problem, problem_beside};

use crate::runs::agree;

/// A turning box that lies in a falling column, a hinged paddle in it, a mesh below it, and a light ball above that hits them.
const BODIES: &str = r#"
[[rigid]]
name = "box"
density = 800.0
friction = 0.4
velocity = [0.1, -1.5, 0.0]
angular_velocity = [3.0, 0.0, -2.0]
shape = { box = { min = [-0.03, 0.2005, -0.02], max = [0.03, 0.2125, 0.02] } }
[[rigid]]
name = "wedge"
density = 3000.0
friction = 0.1
shape = { mesh = { file = "wedge.obj" } }
[[rigid]]
name = "paddle"
density = 1000.0
angular_velocity = [0.0, 0.0, 15.0]
hold = { hinge = { point = [-0.07, 0.1, 0.0], axis = [0.0, 0.0, 1.0] } }
shape = { box = { min = [-0.0625, 0.03, -0.03], max = [-0.0505, 0.13, 0.03] } }
[[rigid]]
name = "ball"
density = 200.0
velocity = [0.0, -3.0, 0.0]
shape = { sphere = { center = [0.02, 0.228, 0.0], radius = 0.015 } }
"#;

pub fn among_sand() {
    for solver in [
        "iterations = 6\nscheme = \"gauss_seidel\"",
        "iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0",
    ] {
        let scene = crate::scenes::column(8, solver);
        let wedge = Triangles::cuboid([0.0502, 0.0, -0.03], [0.08, 0.06, 0.03])
            .moved(|[x, y, z]| [x + 0.1 * y, y, z]);
        let files = [("wedge.obj", wedge.obj())];
        agree(&problem_beside(&format!("{scene}{BODIES}"), &files), 20, 4e-4);
    }
}

/// Two runs, one of which goes on from a state that was saved, end alike to the last bit.
pub fn going_back_is_exact() {
    let scene = crate::scenes::column(8, "scheme = \"newton_cg\"\niterations = 60");
    let ball = "[[rigid]]\nname = \"ball\"\ndensity = 3000.0\nvelocity = [0.3, -1.0, 0.0]\n\
                shape = { sphere = { center = [0.0, 0.23, 0.0], radius = 0.02 } }\n";
    let problem = problem(&format!("{scene}{ball}"));
    let mut simulation = gpu(&problem);
    simulation.advance(&Control::default()).unwrap();
    let saved = simulation.save().unwrap();
    let mut end = || {
        simulation.advance(&Control::default()).unwrap();
        simulation.frame().unwrap()
    };
    let first = end();
    assert!(first.rigid[0].impulse[1] > 0.0, "the ball has hit: {:?}", first.rigid[0]);
    simulation.restore(&saved).unwrap();
    simulation.advance(&Control::default()).unwrap();
    assert!(first == simulation.frame().unwrap());
}

/// What moves without matter is not given to a Vulkan device.
pub fn without_matter_devices_are_left_alone() {
    let problem = problem(
        "format = 1\n[scene]\nname = \"ball\"\n[time]\nframes = [1, 2]\n[solver]\nkernel_radius = 0.01\n\
         [[rigid]]\nname = \"ball\"\ndensity = 1000.0\nshape = { sphere = { center = [0.0, 1.0, 0.0], radius = 0.02 } }\n",
    );
    assert_eq!(chosen(&problem, None), Chosen::Cpu);
    let Err(refused) = GpuSolver::new(&problem, &Options::default()) else { panic!("it was accepted") };
    assert!(refused.to_string().contains("--device cpu"), "{refused}");
}
