//! Matter that comes to rest on a floor.

/// Particle spacing [m].
pub const SPACING: f64 = 0.01;

const HEAD: &str = r#"
format = 1
[scene]
name = "soak"
[time]
frame_rate = 25.0
frames = [1, 2]
max_substep = 8.0e-4
[solver]
kernel_radius = 0.01
iterations = 5
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
friction = 0.5
"#;

/// A collapsing column of 2,000 particles of sand.
pub fn sand_column() -> String {
    format!(
        r#"{HEAD}
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
sampling = {{ kind = "lattice", spacing = 0.01, jitter = 0.1 }}
"#
    )
}

/// Four balls of plasticine with 500 particles each, which fall into a pile.
pub fn plasticine_pile() -> String {
    let balls = [[0.0, 0.055, 0.06], [-0.052, 0.055, -0.03], [0.052, 0.055, -0.03], [0.0, 0.14, 0.0]];
    let mut scene = format!(
        r#"{HEAD}
[[material]]
name = "plasticine"
model = "von_mises"
density = 1000.0
youngs_modulus = 3.0e5
poisson_ratio = 0.3
yield_stress = 1.0e3
"#
    );
    for (index, center) in balls.iter().enumerate() {
        scene += &format!(
            r#"
[[body]]
name = "ball_{index}"
material = "plasticine"
shape = {{ sphere = {{ center = {center:?}, radius = 0.0492 }} }}
sampling = {{ kind = "lattice", spacing = 0.01, jitter = 0.1, seed = {index} }}
"#
        );
    }
    scene
}
