//! Scenes of the parity tests.

/// A Drucker-Prager column on a floor with friction: `edge` x `edge` x 2 `edge` particles with jittered positions. `solver` replaces the
/// options of the solver table; smoothing is weak unless `solver` changes it.
pub fn column(edge: u32, solver: &str) -> String {
    let spacing = 0.1 / f64::from(edge);
    let smoothed = solver.contains("xsph") || solver.contains("viscosity");
    let smoothing = if smoothed { "" } else { "xsph = 0.01" };
    format!(
        r#"
format = 1
[scene]
name = "column"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = {spacing:?}
{smoothing}
{solver}
[[material]]
name = "sand"
model = "drucker_prager"
density = 1600.0
youngs_modulus = 3.537e5
poisson_ratio = 0.3
friction_angle = 35.0
[[body]]
name = "column"
material = "sand"
shape = {{ box = {{ min = [-0.05, 0.0, -0.05], max = [0.05, 0.2, 0.05] }} }}
sampling = {{ kind = "lattice", spacing = {spacing:?}, jitter = 0.1 }}
velocity = [0.2, -0.5, 0.1]
angular_velocity = [0.0, 1.0, 2.0]
[[collider]]
name = "floor"
shape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }} }}
friction = 0.5
"#
    )
}

/// Two materials, three touching bodies, a rotating pin and a moving, rotating box.
pub const MIXED: &str = r#"
format = 1
[scene]
name = "mixed"
up = "z"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = 0.02
xsph = 0.01
iterations = 6
[[material]]
name = "clay"
model = "von_mises"
density = 1200.0
youngs_modulus = 2e5
poisson_ratio = 0.3
yield_stress = 500.0
hardening = 0.1
[[material]]
name = "rubber"
model = "elastic"
density = 900.0
youngs_modulus = 1e5
poisson_ratio = 0.4
[[body]]
name = "bar"
material = "rubber"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.3, 0.06, 0.06] } }
sampling = { kind = "lattice", spacing = 0.02 }
[[body]]
name = "lump"
material = "clay"
shape = { sphere = { center = [0.15, 0.03, 0.105], radius = 0.05 } }
sampling = { kind = "poisson_disk", spacing = 0.018, seed = 3 }
velocity = [0.0, 0.0, -1.0]
[[body]]
name = "second_lump"
material = "clay"
shape = { sphere = { center = [0.25, 0.03, 0.11], radius = 0.045 } }
sampling = { kind = "lattice", spacing = 0.02, jitter = 0.1 }
velocity = [-1.0, 0.0, -0.5]
[[pin]]
body = "bar"
region = { box = { min = [-1.0, -1.0, -1.0], max = [0.04, 1.0, 1.0] } }
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, translate = [0.0, 0.02, 0.0], rotate = [20.0, 0.0, 10.0] } ] }
[[collider]]
name = "paddle"
shape = { box = { min = [0.31, -0.1, -0.1], max = [0.35, 0.2, 0.2] } }
friction = 0.3
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, translate = [-0.08, 0.0, 0.0], rotate = [0.0, 15.0, 0.0] } ] }
[[collider]]
name = "shelf"
shape = { plane = { point = [0.0, 0.0, -0.005], normal = [0.0, 0.0, 1.0] } }
sticky = true
"#;

/// A bar with a relaxing branch, pinned and twisted, hit by a lump with fibers and one of clay.
pub const TENSORS: &str = r#"
format = 1
[scene]
name = "tensors"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = 0.02
xsph = 0.01
iterations = 6
[[material]]
name = "foam"
model = "viscoelastic"
density = 300.0
youngs_modulus = 2e4
poisson_ratio = 0.2
branch_shear_modulus = 4e4
branch_bulk_modulus = 3e4
shear_relaxation_time = 0.01
[[material]]
name = "wood"
model = "orthotropic"
density = 600.0
youngs_modulus = 1e5
poisson_ratio = 0.3
fiber_stiffness_1 = 4e5
fiber_stiffness_3 = 1e5
fiber_rotate_z = 30.0
[[material]]
name = "clay"
model = "von_mises"
density = 1200.0
youngs_modulus = 2e5
poisson_ratio = 0.3
yield_stress = 500.0
[[body]]
name = "bar"
material = "foam"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.3, 0.06, 0.06] } }
sampling = { kind = "lattice", spacing = 0.02, jitter = 0.1 }
[[body]]
name = "plank"
material = "wood"
shape = { box = { min = [0.08, 0.065, -0.02], max = [0.14, 0.125, 0.08] } }
sampling = { kind = "lattice", spacing = 0.02, jitter = 0.1 }
velocity = [0.0, -2.0, 0.0]
angular_velocity = [3.0, 5.0, 8.0]
[[body]]
name = "lump"
material = "clay"
shape = { sphere = { center = [0.22, 0.11, 0.03], radius = 0.04 } }
sampling = { kind = "lattice", spacing = 0.02, jitter = 0.1 }
velocity = [0.0, -1.0, 0.0]
[[pin]]
body = "bar"
region = { box = { min = [-1.0, -1.0, -1.0], max = [0.04, 1.0, 1.0] } }
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, rotate = [60.0, 0.0, 0.0] } ] }
"#;

/// Sand thrown into a container of revolution that also holds a sphere, a cylinder and a capsule.
pub const SHAPES: &str = r#"
format = 1
[scene]
name = "shapes"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = 0.02
xsph = 0.01
iterations = 6
[[material]]
name = "sand"
model = "drucker_prager"
density = 1500.0
youngs_modulus = 2e5
poisson_ratio = 0.3
friction_angle = 30.0
cohesion = 20.0
[[body]]
name = "block"
material = "sand"
shape = { box = { min = [-0.1, 0.06, -0.1], max = [0.1, 0.16, 0.1] } }
sampling = { kind = "lattice", spacing = 0.02, jitter = 0.1 }
velocity = [0.3, -2.0, 0.2]
[[collider]]
name = "bowl"
shape = { revolve = { from = [0.0, 0.0, 0.0], to = [0.0, 0.3, 0.0], profile = [[0.0, 0.0], [0.15, 0.0], [0.25, 0.3], [0.0, 0.3]] } }
inside = true
friction = 0.4
[[collider]]
name = "ball"
shape = { sphere = { center = [0.08, 0.0, 0.0], radius = 0.05 } }
[[collider]]
name = "post"
shape = { cylinder = { from = [-0.08, 0.0, 0.0], to = [-0.08, 0.05, 0.01], radius = 0.03 } }
[[collider]]
name = "bean"
shape = { capsule = { from = [0.0, 0.02, 0.05], to = [0.02, 0.03, 0.1], radius = 0.02 } }
"#;

/// Two soft blocks that collide so fast that neighborhoods fold and substeps are halved.
pub const SHREDS: &str = r#"
format = 1
[scene]
name = "shreds"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 5e-4
[solver]
kernel_radius = 0.0125
iterations = 3
xsph = 0.0
position_correction = { kind = "none" }
[[material]]
name = "jelly"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
name = "left"
material = "jelly"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.05, 0.05, 0.05] } }
sampling = { kind = "lattice", spacing = 0.0125 }
velocity = [20.0, 0.0, 0.0]
[[body]]
name = "right"
material = "jelly"
shape = { box = { min = [0.06, 0.01, 0.0], max = [0.11, 0.06, 0.05] } }
sampling = { kind = "lattice", spacing = 0.0125 }
velocity = [-20.0, 0.0, 0.0]
"#;

/// A falling sheet half as thick as its particle spacing.
pub const LEAF: &str = r#"
format = 1
[scene]
name = "leaf"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 5e-4
[solver]
kernel_radius = 0.0125
xsph = 0.01
iterations = 3
[[material]]
name = "jelly"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
name = "leaf"
material = "jelly"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.2, 0.006, 0.2] } }
sampling = { kind = "poisson_disk", spacing = 0.0125 }
"#;

/// A damped sheet that rests folded, from `sheet.obj`, falls on a block of jelly and a floor, one corner held.
pub const CLOTH: &str = r#"
format = 1
[scene]
name = "cloth"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = 0.0125
iterations = 6
[[material]]
name = "jelly"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
name = "block"
material = "jelly"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.05, 0.05, 0.05] } }
sampling = { kind = "lattice", spacing = 0.0125 }
velocity = [0.2, 0.0, 0.1]
[[cloth]]
name = "sheet"
mesh = { file = "sheet.obj", translate = [-0.04, 0.06, -0.01] }
surface_density = 0.2
stretch_stiffness = 100.0
bending_stiffness = 2e-4
damping = 5e-4
thickness = 0.004
contact = false
velocity = [0.1, -0.5, 0.0]
[[pin]]
body = "sheet"
vertices = [0]
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
"#;

/// The folded sheet of [`CLOTH`], in contact, falls on another one, which overlaps the block.
pub fn sheets() -> String {
    let under = "[[cloth]]\nname = \"under\"\n\
                 grid = { corner = [-0.02, 0.049, -0.021], u = [0.09, 0.0, 0.0], v = [0.0, 0.004, 0.08], cells = [8, 7] }\n\
                 surface_density = 0.2\nstretch_stiffness = 100.0\nbending_stiffness = 2e-4\ndamping = 5e-4\nthickness = 0.004\n\
                 velocity = [0.0, -0.1, 0.0]\n[[cloth]]\nname = \"sheet\"";
    CLOTH
        .replace("[[cloth]]\nname = \"sheet\"", under)
        .replace("translate = [-0.04, 0.06, -0.01]", "translate = [-0.04, 0.061, -0.01]")
        .replace("contact = false", "friction = 0.3")
}

/// The file of that sheet: 9 x 6 cells, folded along the middle.
pub fn folded_sheet() -> String {
    let vertex = |k: u32| {
        let (i, j) = (f64::from(k % 10), f64::from(k / 10));
        format!("v {} {} {}\n", 0.012 * i, 0.004 * (i - 4.5).abs() - 0.001 * j, 0.011 * j)
    };
    let cell = |k: u32| {
        let a = k / 9 * 10 + k % 9 + 1;
        format!("f {a} {} {}\nf {a} {} {}\n", a + 1, a + 11, a + 11, a + 10)
    };
    (0..70).map(vertex).chain((0..54).map(cell)).collect()
}

/// A rope with bending stiffness falls on a block of jelly and a floor, one end held; a stiff free one falls beside it.
pub const ROPES: &str = r#"
format = 1
[scene]
name = "ropes"
[time]
frame_rate = 50.0
frames = [1, 3]
max_substep = 2e-4
[solver]
kernel_radius = 0.0125
iterations = 6
[[material]]
name = "jelly"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
name = "block"
material = "jelly"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.05, 0.05, 0.05] } }
sampling = { kind = "lattice", spacing = 0.0125 }
velocity = [0.2, 0.0, 0.1]
[[rope]]
name = "line"
points = [[-0.1, 0.08, 0.02], [0.02, 0.061, 0.025], [0.13, 0.07, 0.03]]
spacing = 0.012
radius = 0.004
linear_density = 0.05
stretch_stiffness = 200.0
bending_stiffness = 2e-4
velocity = [0.0, -0.5, 0.0]
[[rope]]
name = "wire"
points = [[-0.05, 0.02, 0.08], [0.05, 0.03, 0.09]]
spacing = 0.01
radius = 0.003
linear_density = 0.02
stretch_stiffness = 2e3
velocity = [0.3, 0.0, 0.0]
[[pin]]
body = "line"
vertices = [0]
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
"#;
