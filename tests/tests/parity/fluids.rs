//! Fluids among other matter, on the device and in the reference.

use tuff_tests::problem;

use crate::runs::agree;

/// A tank with water, honey, a heap of sand and a block of jelly that start in contact, with this `solver`.
fn tank(solver: &str, dt: &str) -> String {
    format!(
        r#"
format = 1
[scene]
name = "tank"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = {dt}
[solver]
kernel_radius = 0.01
{solver}
[[material]]
name = "water"
model = "fluid"
density = 1000.0
sound_speed = 12.0
[[material]]
name = "honey"
model = "fluid"
density = 1400.0
viscosity = 5e-3
sound_speed = 12.0
[[material]]
name = "jelly"
model = "elastic"
density = 600.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[material]]
name = "sand"
preset = "dry_sand"
[[body]]
name = "heap"
material = "sand"
shape = {{ box = {{ min = [0.0, 0.0, 0.0], max = [0.04, 0.04, 0.06] }} }}
sampling = {{ kind = "lattice", spacing = 0.01, jitter = 0.1 }}
[[body]]
name = "pool"
material = "water"
shape = {{ box = {{ min = [0.04, 0.0, 0.0], max = [0.1, 0.06, 0.06] }}, subtract = [{{ sphere = {{ center = [0.07, 0.02, 0.03], radius = 0.018 }} }}] }}
sampling = {{ kind = "lattice", spacing = 0.01, jitter = 0.1 }}
velocity = [-0.3, 0.1, 0.05]
[[body]]
name = "drop"
material = "honey"
shape = {{ box = {{ min = [0.0, 0.04, 0.0], max = [0.04, 0.07, 0.04] }} }}
velocity = [0.2, -0.2, 0.0]
[[body]]
name = "block"
material = "jelly"
shape = {{ box = {{ min = [0.05, 0.061, 0.01], max = [0.09, 0.101, 0.05] }} }}
sampling = {{ kind = "lattice", spacing = 0.01 }}
velocity = [0.0, -0.5, 0.0]
[[collider]]
name = "tank"
side = "inside"
thickness = 0.001
shape = {{ box = {{ min = [-0.001, -0.001, -0.001], max = [0.101, 0.3, 0.061] }} }}
[[collider]]
name = "stirrer"
sticky = true
shape = {{ sphere = {{ center = [0.07, 0.02, 0.03], radius = 0.012 }} }}
motion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = 0.1, translate = [-0.02, 0.01, 0.0] }} ] }}
"#
    )
}

pub fn sweeps() {
    for scheme in ["gauss_seidel", "jacobi"] {
        agree(&problem(&tank(&format!("iterations = 6\nscheme = \"{scheme}\""), "5e-4")), 30, 1e-3);
    }
}

pub fn newton() {
    let solver = "iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0";
    agree(&problem(&tank(solver, "5e-4")), 10, 1e-3);
}

/// The tank with the pool over the heap, into which water seeps and honey does not.
pub fn soaked(solver: &str) -> String {
    let mixture = "[[mixture]]\nfluid = \"water\"\ngrains = \"sand\"\ngrain_diameter = 1e-3\nporosity = 0.4\n\
                   cohesion = [[0.0, 50.0], [0.5, 300.0], [1.0, 20.0]]\n[[body]]\nname = \"heap\"";
    let pool = "min = [0.04, 0.0, 0.0], max = [0.1, 0.06, 0.06]";
    let beside_the_drop =
        "subtract = [{ box = { min = [-0.01, 0.039, -0.01], max = [0.041, 0.1, 0.07] } }, { sphere";
    tank(solver, "5e-4")
        .replacen("[[body]]\nname = \"heap\"", mixture, 1)
        .replace(pool, &pool.replace("0.04,", "0.012,"))
        .replacen("subtract = [{ sphere", beside_the_drop, 1)
}

pub fn seeping_sweeps() {
    for scheme in ["gauss_seidel", "jacobi"] {
        agree(&problem(&soaked(&format!("iterations = 6\nscheme = \"{scheme}\""))), 30, 1e-3);
    }
}

pub fn seeping_newton() {
    for more in ["", "stabilization = 0.0"] {
        let solver = format!("iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0\n{more}");
        agree(&problem(&soaked(&solver)), 10, 1e-3);
    }
}

/// Water with a surface tension, among honey without any, sand, jelly and walls.
pub fn surface_tension() {
    let newton = "iterations = 40\nscheme = \"newton_cg\"\nresidual_tolerance = 0.0";
    agree(&problem(&tense(&tank("iterations = 6\nscheme = \"gauss_seidel\"", "5e-4"))), 30, 1e-3);
    agree(&problem(&tense(&tank(newton, "5e-4"))), 10, 1e-3);
    agree(&problem(&tense(&soaked(newton))), 10, 1e-3);
}

/// Gives water a surface tension.
pub fn tense(scene: &str) -> String {
    scene.replacen("sound_speed", "surface_tension = 0.5\nsound_speed", 1)
}
