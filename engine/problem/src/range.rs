//! Fixed limits of a device, checked before bodies are sampled, and the range of f32.

use tuff_scene::{Diagnosed, MAX_PATCHES, Scene, SceneError, Warning};

use crate::problem::Problem;
use crate::step_control::REACH;

/// Maximum number of collider faces: a contact stores an index plus one in a byte.
pub const MAX_FACES: usize = 255;

/// Maximum number of particles of a scene: a pair record stores an index in 24 bits.
pub const MAX_PARTICLES: usize = 1 << 24;

/// Relative error by which the estimate of a particle count may be too large.
const ESTIMATE_ERROR: f64 = 0.1;

/// Number of particles above which there is a warning before a scene is sampled.
const MANY_PARTICLES: f64 = 1e6;

/// Device memory per particle [bytes]: with about 23 neighbors, pair records take most of it.
const BYTES_PER_PARTICLE: f64 = 1.7e3;

/// Memory of a scene above which the device is asked how much it has [bytes]; every device has that much.
const ASKING: f64 = 2.5e8;

/// Kernel radii [m] and particle masses [kg] for which f32 holds squares and kernel gradients.
const RADII: [f64; 2] = [1e-7, 1e7];
const MASSES: [f64; 2] = [1e-18, 1e18];

/// Largest gap between neighboring f32 positions, in particle spacings.
const RESOLUTION: f64 = 1e-2;

/// Largest initial speed, and largest speed that gravity may add in a substep [m/s]; no useful run comes near.
const FASTEST: f64 = 1e6;

/// Checks that the scene has no more collider faces and, by its volumes, no more particles than a device can hold.
///
/// # Errors
/// Names the first collider in excess, or the largest body.
pub fn check_counts(scene: &Scene, faces: &[usize]) -> Result<(), SceneError> {
    if let Some(collider) = faces.get(MAX_FACES) {
        return Err(scene.refuse(
            match collider.checked_sub(scene.colliders.len()) {
                Some(rigid) => Diagnosed::Rigid(rigid),
                None => Diagnosed::Collider(*collider),
            },
            format!(
                "the scene's colliders have {} faces, at most {MAX_FACES} are possible (a container has six if a box, three if a \
                 cylinder, one per wall if a solid of revolution; a collider with cuts has about one per wall of a cut; a mesh has up to {MAX_PATCHES}, a sheet up to {}; any other collider has one)",
                faces.len(),
                2 * MAX_PATCHES + 1
            ),
            "the first one too many",
            Some("join or remove colliders".to_owned()),
        ));
    }
    let estimates = scene.estimated_particles();
    let all: f64 = estimates.iter().sum();
    if all * (1.0 - ESTIMATE_ERROR) > MAX_PARTICLES as f64 {
        let (largest, most) = largest(&estimates);
        return Err(scene.refuse(
            Diagnosed::Body(largest),
            format!("the scene would have about {all:.2e} particles, at most {MAX_PARTICLES} are possible"),
            format!("about {most:.2e} of them"),
            Some(cure(scene, largest)),
        ));
    }
    Ok(())
}

/// Returns a warning for a scene that takes long to sample or needs more memory than the device has, before either is spent.
/// `device` returns the name of the device and its memory [bytes]; it is called only if that can matter.
pub fn many_particles(scene: &Scene, device: impl FnOnce() -> Option<(String, u64)>) -> Option<Warning> {
    let estimates = scene.estimated_particles();
    let all: f64 = estimates.iter().sum();
    let bytes = all * BYTES_PER_PARTICLE;
    let short = (bytes > ASKING).then(device).flatten().filter(|(_, memory)| bytes > *memory as f64);
    if all <= MANY_PARTICLES && short.is_none() {
        return None;
    }
    let (largest, most) = largest(&estimates);
    let beyond = short.map_or(String::new(), |(name, memory)| {
        format!(", and `{name}` has only {:.1} GB: a run may not start", memory as f64 * 1e-9)
    });
    Some(scene.warning(
        Diagnosed::Body(largest),
        format!(
            "the scene has about {:.1} million particles: up to {:.1} GB on the device{beyond}",
            all * 1e-6,
            bytes * 1e-9
        ),
        format!("about {:.1} million of them", most * 1e-6),
        cure(scene, largest),
    ))
}

fn largest(estimates: &[f64]) -> (usize, f64) {
    let all = estimates.iter().copied().enumerate();
    all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

/// Suggests what to do about a body of too many particles.
fn cure(scene: &Scene, body: usize) -> String {
    let body = &scene.bodies[body];
    let size = body.shape.bounds().size();
    let spacing = body.sampling.spacing();
    let unit = match body.shape.geometry.kind() {
        "mesh" => "; if its file is in centimeters, `scale = 0.01`",
        _ => "; lengths are in meters",
    };
    format!(
        "`{}` is {:.3} x {:.3} x {:.3} m at a spacing of {spacing} m{unit}; --particles N runs the scene with fewer",
        body.name, size.x, size.y, size.z
    )
}

/// Checks that there are no more particles than a device can hold, and that f32 can tell positions, masses and speeds apart.
///
/// # Errors
/// Names the first value out of range, with its bounds.
pub fn check_values(problem: &Problem) -> Result<(), SceneError> {
    let scene = &problem.scene;
    let radius = scene.solver.kernel_radius;
    let [least, most] = RADII;
    if !(least..=most).contains(&radius) {
        let message = format!("= {radius:e} is beyond the range of single precision");
        return Err(scene.refuse_solver(
            "kernel_radius",
            &message,
            format!("from {least:e} to {most:e} [m]"),
        ));
    }
    let count = problem.particle_count();
    if count > MAX_PARTICLES {
        let message = format!("the scene has {count} particles, at most {MAX_PARTICLES} are possible");
        let (largest, _) = largest(&scene.estimated_particles());
        return Err(scene.refuse(
            Diagnosed::Body(largest),
            message,
            "the largest body",
            Some(cure(scene, largest)),
        ));
    }
    let kick = scene.gravity.length() * problem.dt();
    if kick.is_nan() || kick > FASTEST {
        let message = format!("`scene.gravity` adds {kick:.3e} m/s in a substep");
        return Err(scene.refuse(Diagnosed::Gravity, message, format!("at most {FASTEST:e} m/s"), None));
    }
    for (index, state) in problem.rigid.initial().iter().enumerate() {
        let speed = problem.rigid.max_speed(index, state);
        if speed.is_nan() || speed > FASTEST {
            let name = problem.rigid.name(index);
            let message = format!("rigid body `{name}` starts at {speed:.3e} m/s, its turning included");
            let label = format!("at most {FASTEST:e} m/s");
            return Err(scene.refuse(Diagnosed::Rigid(index), message, label, None));
        }
    }
    for (index, body) in scene.bodies.iter().enumerate() {
        let refuse = |message: String, label: String, help: Option<String>| {
            Err(scene.refuse(Diagnosed::Body(index), format!("body `{}` {message}", body.name), label, help))
        };
        let of_body = |p: &usize| problem.particles.body[*p] as usize == index;
        let mine = || (0..problem.particle_count()).filter(of_body);
        let speed = mine().map(|p| problem.particles.velocity[p].length()).fold(0.0, f64::max);
        if speed.is_nan() || speed > FASTEST {
            return refuse(format!("starts at {speed:.3e} m/s"), format!("at most {FASTEST:e} m/s"), None);
        }
        let [least, most] = MASSES;
        if let Some(mass) = mine().map(|p| problem.mass[p]).find(|mass| !(least..=most).contains(mass)) {
            return refuse(
                format!("has particles of {mass:.3e} kg"),
                format!(
                    "from {least:e} to {most:e} kg: density times the cube of the spacing, of ropes linear density times it, of cloth surface density times its square"
                ),
                None,
            );
        }
        let far = mine().map(|p| problem.particles.position[p].abs().max_element()).fold(0.0, f64::max);
        let spacing = problem.spacing(index);
        let step = far * f64::from(f32::EPSILON);
        if step > RESOLUTION * spacing {
            return refuse(
                format!(
                    "lies {far:.3e} m from the origin, where positions in single precision are {step:.1e} m apart"
                ),
                format!("at most {:.0e} of the spacing, {spacing} m", RESOLUTION),
                Some("move the scene to the origin".to_owned()),
            );
        }
    }
    Ok(())
}

/// Returns a warning for every body that starts so fast that it leaves its neighborhood, or that of a collider, within a fixed
/// substep.
pub fn fast_bodies(problem: &Problem) -> Vec<Warning> {
    let scene = &problem.scene;
    if scene.time.substep_bounds.is_some() {
        return Vec::new();
    }
    let reach = REACH * scene.solver.kernel_radius;
    let mut fastest = vec![0.0_f64; scene.bodies.len()];
    for (body, velocity) in std::iter::zip(&problem.particles.body, &problem.particles.velocity) {
        fastest[*body as usize] = fastest[*body as usize].max(velocity.length());
    }
    let found = if problem.has_residual_target() { ", or `max_substep = \"auto\"`" } else { "" };
    let fast = fastest.into_iter().enumerate().filter(|(_, speed)| speed * problem.dt() > reach);
    fast.map(|(index, speed)| {
        scene.warning(
            Diagnosed::Body(index),
            format!(
                "body `{}` starts at {speed:.3} m/s: {:.3e} m in a substep of {:.3e} s, more than half of solver.kernel_radius; \
                 it may pass through colliders and other bodies",
                scene.bodies[index].name,
                speed * problem.dt(),
                problem.dt()
            ),
            "this body",
            format!("`max_substep = {:.2e}` or less{found}", reach / speed),
        )
    })
    .collect()
}
