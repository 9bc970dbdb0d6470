//! Scenes as text, put together from parts.

/// Plain settings: no smoothing, no position correction.
pub const PLAIN: &str = "xsph = 0.0\nposition_correction = { kind = \"none\" }\n";

/// A scene whose substep is `dt` [s] and whose frame is one substep. `solver` and `rest` are TOML.
pub fn scene(dt: f64, gravity: [f64; 3], radius: f64, solver: &str, rest: &str) -> String {
    frames_of(1, dt, gravity, radius, solver, rest)
}

/// A scene whose frame is `count` substeps of `dt` [s].
pub fn frames_of(count: u32, dt: f64, gravity: [f64; 3], radius: f64, solver: &str, rest: &str) -> String {
    let rate = 1.0 / (dt * f64::from(count));
    format!(
        "format = 1\n[scene]\nname = \"card\"\ngravity = {gravity:?}\n\
         [time]\nframe_rate = {rate:?}\nframes = [1, 100000]\nmax_substep = {dt:?}\n\
         [solver]\nkernel_radius = {radius:?}\n{solver}\n{rest}"
    )
}

/// A Hencky elastic material.
pub fn elastic(density: f64, youngs_modulus: f64, poisson_ratio: f64) -> String {
    material("elastic", density, youngs_modulus, poisson_ratio, "")
}

/// The scene's material `matter`; `rest` holds the model's other parameters.
pub fn material(model: &str, density: f64, youngs_modulus: f64, poisson_ratio: f64, rest: &str) -> String {
    format!(
        "[[material]]\nname = \"matter\"\nmodel = \"{model}\"\ndensity = {density:?}\n\
         youngs_modulus = {youngs_modulus:?}\npoisson_ratio = {poisson_ratio:?}\n{rest}\n"
    )
}

/// A body of `matter` on a lattice in a box.
pub fn lattice_box(name: &str, min: [f64; 3], max: [f64; 3], spacing: f64, rest: &str) -> String {
    let shape = format!("{{ box = {{ min = {min:?}, max = {max:?} }} }}");
    let sampling = format!("{{ kind = \"lattice\", spacing = {spacing:?} }}");
    body(name, &shape, &sampling, rest)
}

/// A body of `matter`.
pub fn body(name: &str, shape: &str, sampling: &str, rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"matter\"\nshape = {shape}\nsampling = {sampling}\n{rest}\n"
    )
}

/// A plane collider; `rest` holds its other keys.
pub fn plane(name: &str, point: [f64; 3], normal: [f64; 3], rest: &str) -> String {
    format!(
        "[[collider]]\nname = \"{name}\"\n{rest}\nshape = {{ plane = {{ point = {point:?}, normal = {normal:?} }} }}\n"
    )
}
