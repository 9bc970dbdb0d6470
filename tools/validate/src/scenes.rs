//! Scenes as text, assembled from parts.

use crate::{CardError, Lab};

/// Settings without smoothing and without position correction.
pub const PLAIN: &str = "xsph = 0.0\nposition_correction = { kind = \"none\" }\n";

/// Writes a scene whose substep is `dt` [s] and whose frame is one substep. `solver` and `rest` are TOML.
pub fn scene(dt: f64, gravity: [f64; 3], radius: f64, solver: &str, rest: &str) -> String {
    let rate = 1.0 / dt;
    format!(
        "format = 1\n[scene]\nname = \"card\"\ngravity = {gravity:?}\n\
         [time]\nframe_rate = {rate:?}\nframes = [1, 100000]\nmax_substep = {dt:?}\n\
         [solver]\nkernel_radius = {radius:?}\n{solver}\n{rest}"
    )
}

/// Rewrites a scene with default settings: keeps the kernel radius of its solver and the given keys of its time, and makes its step
/// adaptive.
///
/// # Errors
/// The text is not TOML, or has no tables `time` and `solver`.
pub fn by_default(scene: &str, times: &[&str]) -> Result<String, CardError> {
    let mut root: toml::Table = toml::from_str(scene).map_err(|error| CardError(error.to_string()))?;
    let mut table = |name: &str| match root.get_mut(name).and_then(toml::Value::as_table_mut) {
        Some(table) => Ok(std::mem::take(table)),
        None => Err(CardError(format!("the scene has no table `{name}`"))),
    };
    let (mut time, mut solver) = (table("time")?, table("solver")?);
    time.retain(|key, _| times.contains(&key));
    time.insert("max_substep".to_owned(), "auto".into());
    solver.retain(|key, _| key == "kernel_radius");
    root.insert("time".to_owned(), time.into());
    root.insert("solver".to_owned(), solver.into());
    Ok(root.to_string())
}

/// Writes a Hencky elastic material.
pub fn elastic(density: f64, youngs_modulus: f64, poisson_ratio: f64) -> String {
    material("elastic", density, youngs_modulus, poisson_ratio, "")
}

/// Writes the material `matter` of a scene; `rest` holds the model's other parameters.
pub fn material(model: &str, density: f64, youngs_modulus: f64, poisson_ratio: f64, rest: &str) -> String {
    format!(
        "[[material]]\nname = \"matter\"\nmodel = \"{model}\"\ndensity = {density:?}\n\
         youngs_modulus = {youngs_modulus:?}\npoisson_ratio = {poisson_ratio:?}\n{rest}\n"
    )
}

/// Writes a body of `matter` on a lattice in a box.
pub fn lattice_box(name: &str, min: [f64; 3], max: [f64; 3], spacing: f64, rest: &str) -> String {
    let shape = format!("{{ box = {{ min = {min:?}, max = {max:?} }} }}");
    let sampling = format!("{{ kind = \"lattice\", spacing = {spacing:?} }}");
    body(name, &shape, &sampling, rest)
}

/// Writes a body of `matter`.
pub fn body(name: &str, shape: &str, sampling: &str, rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"matter\"\nshape = {shape}\nsampling = {sampling}\n{rest}\n"
    )
}

/// Writes a plane collider; `rest` holds its other keys.
pub fn plane(name: &str, point: [f64; 3], normal: [f64; 3], rest: &str) -> String {
    format!(
        "[[collider]]\nname = \"{name}\"\n{rest}\nshape = {{ plane = {{ point = {point:?}, normal = {normal:?} }} }}\n"
    )
}

/// Writes the sampling by Poisson-disk points, which flow requires (lattices jam). They fill a shape up to its surface, so the matter
/// that they represent extends half a spacing beyond it: make the shape smaller by this much. (Mass and forces are both proportional to
/// the rest volume, so it does not matter that its value is too small.)
pub fn scattered(spacing: f64) -> String {
    format!("{{ kind = \"poisson_disk\", spacing = {spacing:?} }}")
}

/// Writes the shape of a box.
pub fn box_shape(min: [f64; 3], max: [f64; 3]) -> String {
    format!("{{ box = {{ min = {min:?}, max = {max:?} }} }}")
}

/// Writes a level floor under matter that starts at y = 0 and whose particles have the contact radius `contact` [m].
pub fn floor(contact: f64, rest: &str) -> String {
    plane("floor", [0.0, -contact, 0.0], [0.0, 1.0, 0.0], rest)
}

/// Returns the contact radius [m] of the particles in a scene's first body; `parts` are its material and body. Colliders must be this far
/// outside of scattered points: a gap would let the matter expand, an overlap would throw it away.
///
/// # Errors
/// The parts are not valid.
pub fn contact_radius(lab: &Lab, spacing: f64, parts: &str) -> Result<f64, CardError> {
    let problem = lab.problem(&scene(1e-3, [0.0; 3], spacing, "", parts))?;
    Ok(tuff_scene::contact_radius(problem.particles.rest_volume[0]))
}

/// Matter in plane strain.
pub struct Slab {
    /// Material, body and the frictionless plates behind and in front of it.
    pub text: String,
    /// Distance of colliders from the outermost particle centers [m].
    pub contact: f64,
}

/// Builds a slab of scattered points of `matter` between two plates. Its lowest centers are at y = 0, its top is at y = `height`, and it
/// is `across` spacings thick along z.
///
/// # Errors
/// The material is not valid.
pub fn slab(
    lab: &Lab,
    matter: &str,
    x: [f64; 2],
    height: f64,
    [across, spacing]: [f64; 2],
    rest: &str,
) -> Result<Slab, CardError> {
    let half = 0.5 * (across - 1.0) * spacing;
    let shape = box_shape([x[0], 0.0, -half], [x[1], height - 0.5 * spacing, half]);
    let parts = matter.to_owned() + &body("slab", &shape, &scattered(spacing), rest);
    let contact = contact_radius(lab, spacing, &parts)?;
    let plate = |name, side: f64| {
        plane(name, [0.0, 0.0, side * (half + contact)], [0.0, 0.0, -side], "friction = 0.0")
    };
    Ok(Slab { text: parts + &plate("back", -1.0) + &plate("front", 1.0), contact })
}
