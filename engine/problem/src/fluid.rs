//! Fluids: the density that counts as rest, what walls add to a density, and the speed of sound of a scene that gives none.

use glam::DVec3;
use tuff_plugin::Library;
use tuff_scene::{Body, BodyKind, Bounds, Diagnosed, Plasticity, Sampling, Scene, SceneError, Warning};

use crate::density::kernel;
use crate::even::mean_density;
use crate::tension::surface_tension;
use crate::{Class, Problem};

/// Parameter of fluids that a scene may leave to [`default_sound_speeds`].
const SOUND_SPEED: &str = "sound_speed";

/// Speed of sound over the largest speed to expect: pressures then compress a fluid by half a percent of what they could.
const SOUND_RATIO: f64 = 10.0;

/// Least speed to expect, in extents of a fluid body per second: where neither gravity nor a velocity sets it in motion.
const LEAST_SPEED: f64 = 1.0;

/// Highest `p dt^2 / (rho r^2)` at which a pool is still (engine/solver/METHOD.md "Fluids").
const BOILING: f64 = 1.0 / 3.0;

/// Returns the fraction of a kernel's integral that lies beyond a plane at the signed `distance` [m] from its center; `radius` [m] is
/// r, half the support. For the Wendland C2 kernel, with u = 1 - distance / 2r:
/// `u^6 (7/2 - 9/2 u + 3/2 u^2)`, its complement where the center itself lies beyond.
#[inline]
pub fn beyond_wall(distance: f64, radius: f64) -> f64 {
    let u = (1.0 - 0.5 * distance.abs() / radius).max(0.0);
    let part = u.powi(6) * (3.5 - 4.5 * u + 1.5 * u * u);
    if distance < 0.0 { 1.0 - part } else { part }
}

/// Returns the derivative of [`beyond_wall`] by the way towards the plane [1/m]: the kernel's integral over it,
/// `21 / (2 r) u^5 (1 - 3/2 u + 4/7 u^2)`.
#[inline]
pub fn wall_slope(distance: f64, radius: f64) -> f64 {
    let u = (1.0 - 0.5 * distance.abs() / radius).max(0.0);
    10.5 / radius * u.powi(5) * (1.0 - 1.5 * u + 4.0 / 7.0 * u * u)
}

/// Returns the sum `V0 sum W` of every body in which a fluid is at rest [dimensionless], shape [body_count]: that of its random points,
/// which are spread evenly; else that of a body-centered lattice of the same volume per particle, to which a fluid's own arrangement
/// comes close; 1 for other matter. If a fluid seeps into grains, relative to [`crate::Mixtures::sparse_sum`].
pub fn rest_sums(problem: &Problem) -> Vec<f64> {
    let radius = problem.scene.solver.kernel_radius;
    let particles = &problem.particles_at_rest();
    let mut sums = vec![1.0; problem.scene.bodies.len()];
    let mut next = 0;
    for same in particles.body.chunk_by(|a, b| a == b) {
        let (index, first) = (same[0] as usize, next);
        next += same.len();
        if problem.classes.class(same[0]) != Class::Fluid {
            continue;
        }
        let body = &problem.scene.bodies[index];
        let volume = largest(&particles.rest_volume[first..first + same.len()]);
        let sum = match (body.sampling, &body.kind) {
            (Sampling::PoissonDisk { .. }, BodyKind::Matter) => {
                let points = &particles.position[first..first + same.len()];
                let in_shape: Vec<DVec3> = points.iter().map(|&x| x - problem.moved[index]).collect();
                mean_density(body, &in_shape, radius)
            }
            // Those that start among grains have less.
            _ => lattice_sum(volume, radius),
        };
        sums[index] = sum / problem.mixtures.sparse_sum(volume / radius.powi(3));
    }
    sums
}

fn largest(volumes: &[f64]) -> f64 {
    volumes.iter().copied().fold(0.0, f64::max)
}

/// `V0 sum W` in a body-centered lattice of `volume` V0 per particle [m^3].
pub fn lattice_sum(volume: f64, radius: f64) -> f64 {
    volume * lattice(volume, radius).map(|distance| kernel(distance, radius)).sum::<f64>()
}

/// Returns the distances [m] of the points of such a lattice from one of them, which is the first; all within 2 `radius` are among them.
pub fn lattice(volume: f64, radius: f64) -> impl Iterator<Item = f64> {
    let edge = (2.0 * volume).cbrt();
    let reach = (2.0 * radius / edge) as i32 + 1;
    let axis = move || (-reach..=reach).map(f64::from);
    let rows = move |x| axis().flat_map(move |y| axis().map(move |z| DVec3::new(x, y, z)));
    axis().flat_map(rows).flat_map(|corner| [corner, corner + 0.5]).map(move |p| edge * p.length())
}

/// Gives every material of a fluid that lacks `sound_speed` ten times the largest speed to expect: that of its bodies at the start,
/// of a fall from their tops to the lowest surface of the scene, and of a drop of few particles that its surface tension pulls together.
pub fn default_sound_speeds(scene: &mut Scene, library: &Library) {
    for material in 0..scene.materials.len() {
        let Some(model) = library.get(&scene.materials[material].model).filter(|model| model.is_fluid())
        else {
            continue;
        };
        let Some(index) = model.descriptor().parameter_index(SOUND_SPEED) else { continue };
        if scene.materials[material].parameters.get(index).is_some_and(|value| value.is_nan()) {
            let tension = surface_tension(scene, material, model) / scene.materials[material].density;
            scene.materials[material].parameters[index] =
                SOUND_RATIO * largest_speed(scene, material, tension);
        }
    }
}

impl Problem {
    /// Returns the materials whose speed of sound follows from the scene, with that speed [m/s].
    pub fn assumed_sound_speeds(&self) -> Vec<(&str, f64)> {
        let assumed =
            std::iter::zip(&self.scene.materials, &self.materials).filter_map(|(material, resolved)| {
                let model = &self.models[resolved.model];
                let index = model.descriptor().parameter_index(SOUND_SPEED).filter(|_| model.is_fluid())?;
                let given = material.given.iter().any(|(key, _)| key == SOUND_SPEED);
                (!given).then(|| (material.name.as_str(), material.parameters[index]))
            });
        assumed.collect()
    }
}

/// Refuses fluids that should measure their deformation from the start, or flow only at the end of a substep.
pub fn check(scene: &Scene, is_fluid: impl Fn(usize) -> bool) -> Result<(), SceneError> {
    let late = scene.solver.plasticity == Plasticity::SemiImplicit;
    if late && scene.bodies.iter().any(|body| is_fluid(body.material)) {
        let message = "= \"semi_implicit\" lets nothing flow within a substep, and a fluid would be a solid";
        return Err(scene.refuse_solver("plasticity", message, "\"implicit\", the default".to_owned()));
    }
    let total = |body: &Body| body.kind.is_total() && is_fluid(body.material);
    let Some(index) = scene.bodies.iter().position(total) else { return Ok(()) };
    let name = &scene.bodies[index].name;
    let message = format!(
        "body `{name}`: a fluid keeps no deformation, and `kinematics` = \"total\" measures it from the start"
    );
    Err(scene.refuse(Diagnosed::Body(index), message, "leave `kinematics` out", None))
}

/// Returns warnings for pools that boil in substeps as long as the scene wants them.
pub(crate) fn warnings(problem: &Problem) -> Vec<Warning> {
    let scene = &problem.scene;
    let (dt, key, or) = match scene.time.substep_bounds {
        None => (problem.dt(), "time.max_substep", ", or \"auto\""),
        Some([least, _]) => (least, "a first value of time.substep_bounds", ""),
    };
    let pools = scene.bodies.iter().enumerate().filter(|(index, body)| {
        matches!(body.kind, BodyKind::Matter) && problem.classes.class(*index as u32) == Class::Fluid
    });
    let boiling = pools.filter_map(|(index, body)| {
        let down = scene.gravity.normalize_or_zero();
        let [top, bottom] = reach(&body.shape.bounds(), down);
        let depth = bottom - top;
        let longest = scene.solver.kernel_radius * (BOILING / (scene.gravity.length() * depth)).sqrt();
        (dt > longest).then(|| {
            let message = format!(
                "body `{}`: a fluid {depth:.3} m deep boils by itself in substeps of {dt:.2e} s, and its waves die",
                body.name
            );
            let help = format!("{key} of {longest:.2e} or less{or}");
            scene.warning(Diagnosed::Body(index), message, "this body", help)
        })
    });
    boiling.collect()
}

/// Returns the least and the largest coordinate of a box along a unit vector [m].
fn reach(bounds: &Bounds, along: DVec3) -> [f64; 2] {
    let corners = bounds.corners().map(|x| x.dot(along));
    corners.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], &x| [least.min(x), most.max(x)])
}

/// Returns the largest speed to expect of a material [m/s], with its surface tension over its density [m^3/s^2].
fn largest_speed(scene: &Scene, material: usize, tension: f64) -> f64 {
    let up = -scene.gravity.normalize_or_zero();
    let colliders = scene.colliders.iter().map(|collider| {
        let bounds = collider.shape.bounds();
        if bounds.size().is_finite() { reach(&bounds, up)[0] } else { collider.shape.center.dot(up) }
    });
    let bodies = scene.bodies.iter().map(|body| reach(&body.shape.bounds(), up)[0]);
    let lowest = colliders.chain(bodies).filter(|height| height.is_finite()).fold(f64::INFINITY, f64::min);
    let own = scene.bodies.iter().filter(|body| body.material == material);
    own.map(|body| {
        let bounds = body.shape.bounds();
        let [_, top] = reach(&bounds, up);
        let fall = 2.0 * scene.gravity.length() * (top - lowest).max(0.0);
        let start = body.velocity.length() + 0.5 * body.angular_velocity.length() * bounds.size().length();
        // A drop of a few particles.
        let tense = 2.0 * tension / body.sampling.spacing();
        (start * start + fall).max(tense).sqrt().max(LEAST_SPEED * bounds.size().max_element())
    })
    .fold(0.0, f64::max)
    .max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integrates the kernel over planes beyond the wall.
    #[test]
    fn what_lies_beyond_a_wall_is_the_integral_of_the_kernel() {
        let radius = 0.3;
        let plane = |z: f64| {
            let n = 2000;
            let most = (4.0 * radius * radius - z * z).max(0.0).sqrt();
            let width = most / f64::from(n);
            let ring = |i: i32| (f64::from(i) + 0.5) * width;
            (0..n)
                .map(|i| 2.0 * std::f64::consts::PI * ring(i) * kernel(ring(i).hypot(z), radius) * width)
                .sum::<f64>()
        };
        for distance in [-0.2, 0.0, 0.15, 0.4] {
            let n = 500;
            let width = (2.0 * radius - distance) / f64::from(n);
            let sum: f64 = (0..n).map(|i| plane(distance + (f64::from(i) + 0.5) * width) * width).sum();
            assert!((sum - beyond_wall(distance, radius)).abs() < 1e-5, "{distance}: {sum}");
        }
        assert_eq!(beyond_wall(0.7, radius), 0.0);
        for distance in [-0.2, 0.15, 0.4] {
            let h = 1e-6;
            let slope = (beyond_wall(distance - h, radius) - beyond_wall(distance + h, radius)) / (2.0 * h);
            assert!((slope - wall_slope(distance, radius)).abs() < 1e-6, "{distance}: {slope}");
        }
    }

    /// A dense lattice: both close-packed ones give nearly the same.
    #[test]
    fn the_rest_sum_of_a_fine_lattice_is_one() {
        assert!((lattice_sum(1e-3, 0.3) - 1.0).abs() < 1e-3);
        assert!((lattice_sum(1e-3, 0.1) - 1.0401).abs() < 1e-4);
    }
}
