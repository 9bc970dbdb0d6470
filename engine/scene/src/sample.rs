//! Samples a scene into particles.

mod cells;
mod lattice;
mod near;
mod overlap;
mod poisson;
mod shift;
#[cfg(test)]
mod tests;

use glam::DVec3;

use crate::emitter::thinned;
use crate::error::{Diagnostic, SceneError, Warning};
use crate::rope::BodyKind;
use crate::scene::{Body, Sampling, Scene};
use crate::shape::Geometry;

pub use near::free;
pub use overlap::{Obstacle, Overlap};

/// Returns the distance at which a particle touches a collider [m]: half the cube root of its rest volume [m^3].
pub fn contact_radius(rest_volume: f64) -> f64 {
    0.5 * rest_volume.cbrt()
}

/// Particles of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Particles {
    /// Ids, ascending, shape [particle_count]; at the start the indices.
    pub id: Vec<u32>,
    /// Positions [m], shape [particle_count].
    pub position: Vec<DVec3>,
    /// Velocities [m/s], shape [particle_count].
    pub velocity: Vec<DVec3>,
    /// Rest volumes [m^3], shape [particle_count].
    pub rest_volume: Vec<f64>,
    /// Indices into [`Scene::materials`], shape [particle_count].
    pub material: Vec<u32>,
    /// Indices into [`Scene::bodies`], ascending at the start, shape [particle_count].
    pub body: Vec<u32>,
    /// Indices into [`Scene::pins`] or `u32::MAX`, shape [particle_count].
    pub pin: Vec<u32>,
}

impl Particles {
    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Returns true if there are no particles.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }
}

/// Particles, with warnings about them.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// The particles.
    pub particles: Particles,
    /// Warnings, e.g. of overlapping bodies.
    pub warnings: Vec<Warning>,
    /// Matter that starts in colliders or in other matter, by body; overlaps with colliders come first.
    pub overlaps: Vec<Overlap>,
    /// Displacement of every body out of colliders and other bodies [m], shape [body_count].
    pub moved: Vec<DVec3>,
}

/// Fills the bodies of a scene, and those of emitters with their first layers. Depends on the scene alone: same scene, same particles.
///
/// # Errors
/// A body without particles, a pin that selects none, points closer than the position correction allows, a body that starts too
/// deep in a collider or in another body.
pub fn sample(scene: &Scene) -> Result<Sampled, SceneError> {
    sample_arranged(scene, |_, points| points, |_| false)
}

/// As [`sample`], with points of each body that `arrange` has moved before anything follows from them. `is_fluid`: bodies that start
/// under pressure where they are nearer to a surface than they would come to rest.
///
/// # Errors
/// Those of [`sample`].
pub fn sample_arranged(
    scene: &Scene,
    arrange: impl Fn(&Body, Vec<DVec3>) -> Vec<DVec3>,
    is_fluid: impl Fn(&Body) -> bool,
) -> Result<Sampled, SceneError> {
    let mut particles = Particles::default();
    let mut faults = Vec::new();
    let mut ranges = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let positions = positions(body, &arrange);
        if positions.is_empty() {
            faults.push(no_particles(scene, index));
        }
        if matches!(
            (&body.shape.geometry, &body.kind),
            (Geometry::Points(_), BodyKind::Matter | BodyKind::Total { .. })
        ) {
            faults.extend(crowded(scene, index, &positions));
        }
        let first = particles.len();
        append(&mut particles, body, index as u32, &positions);
        ranges.push(first..particles.len());
    }
    let mut warnings = Vec::new();
    for (index, pin) in scene.pins.iter().enumerate() {
        let (mut selected, mut taken) = (0_usize, 0_usize);
        for i in ranges[pin.body].clone() {
            let vertex = (i - ranges[pin.body].start) as u32;
            if pin.selection.holds(vertex, particles.position[i]) {
                selected += 1;
                if particles.pin[i] == u32::MAX {
                    particles.pin[i] = index as u32;
                } else {
                    taken += 1;
                }
            }
        }
        let body = &scene.bodies[pin.body].name;
        if selected == 0 && !ranges[pin.body].is_empty() {
            faults.push(Diagnostic {
                label: "this pin".to_owned(),
                help: Some("a pin selects particles by their positions at the start".to_owned()),
                place: scene.source.pin(index),
                ..Diagnostic::new(format!("pin {index}: its region holds no particle of body `{body}`"))
            });
        }
        if taken > 0 {
            warnings.push(Warning::new(Diagnostic {
                label: "this pin".to_owned(),
                place: scene.source.pin(index),
                ..Diagnostic::new(format!(
                    "pin {index}: {taken} of its {selected} particles of body `{body}` follow an earlier pin"
                ))
            }));
        }
    }
    if !faults.is_empty() {
        return Err(SceneError::new(faults));
    }
    let mut overlaps = overlap::with_colliders(scene, &particles, &ranges);
    overlaps.extend(overlap::with_bodies(scene, &particles, &ranges));
    let faults = overlap::faults(scene, &overlaps);
    if !faults.is_empty() {
        return Err(SceneError::new(faults));
    }
    let fluid: Vec<bool> = scene.bodies.iter().map(is_fluid).collect();
    let moved = shift::out_of_colliders(scene, &mut particles, &ranges, &fluid);
    let apart = shift::out_of_bodies(scene, &mut particles, &ranges, &moved, &fluid);
    for overlap in &mut overlaps {
        overlap.moved = match overlap.with {
            Obstacle::Collider(_) => moved[overlap.body],
            Obstacle::Body(_) => apart[overlap.body],
        };
    }
    warnings.extend(overlap::warnings(scene, &overlaps));
    let moved = std::iter::zip(moved, apart).map(|(moved, apart)| moved + apart).collect();
    Ok(Sampled { particles, warnings, overlaps, moved })
}

/// Returns the positions of a body's particles [m], shape [particle_count].
pub(crate) fn positions(body: &Body, arrange: impl Fn(&Body, Vec<DVec3>) -> Vec<DVec3>) -> Vec<DVec3> {
    if let Geometry::Points(points) = &body.shape.geometry {
        let cut = |p: &DVec3| !body.shape.subtract.iter().any(|cut| cut.contains(*p));
        return points.iter().map(|&p| body.shape.to_scene(p)).filter(cut).collect();
    }
    let points = match body.sampling {
        Sampling::PoissonDisk { spacing, seed } => poisson::fill(&body.shape, spacing, seed),
        Sampling::Lattice { spacing, jitter, seed } => lattice::fill(&body.shape, spacing, jitter, seed),
    };
    let points = arrange(body, points);
    if body.kind == BodyKind::Emitted { thinned(body, points) } else { points }
}

fn append(particles: &mut Particles, body: &Body, index: u32, positions: &[DVec3]) {
    if positions.is_empty() {
        return;
    }
    let count = positions.len();
    let rest_volumes = match (&body.kind, body.sampling) {
        (BodyKind::Rope(rope), _) => rope.volumes(count),
        (BodyKind::Cloth(cloth), _) => vec![cloth.volume(); count],
        (_, Sampling::Lattice { spacing, .. }) => vec![spacing.powi(3); count],
        (_, Sampling::PoissonDisk { .. }) => vec![body.shape.volume() / count as f64; count],
    };
    // All particles of matter have the same mass, so the mean is the centroid and the momentum is exact.
    let centroid = positions.iter().sum::<DVec3>() / count as f64;
    particles.position.extend_from_slice(positions);
    particles
        .velocity
        .extend(positions.iter().map(|&p| body.velocity + body.angular_velocity.cross(p - centroid)));
    let len = particles.position.len();
    particles.id.extend(particles.id.len() as u32..len as u32);
    particles.rest_volume.extend(rest_volumes);
    particles.material.resize(len, body.material as u32);
    particles.body.resize(len, index);
    particles.pin.resize(len, u32::MAX);
}

fn no_particles(scene: &Scene, index: usize) -> Diagnostic {
    let body = &scene.bodies[index];
    let spacing = body.sampling.spacing();
    let help = match body.sampling {
        Sampling::Lattice { .. } => {
            let size = body.shape.local_bounds().size();
            format!(
                "the shape measures {:.4e} x {:.4e} x {:.4e} m and a lattice needs at least half of \
                 {spacing:e} m along each axis; use a smaller spacing",
                size.x, size.y, size.z
            )
        }
        Sampling::PoissonDisk { .. } if body.kind == BodyKind::Emitted && body.shape.volume() > 0.0 => {
            "an emitter must be at least a spacing long along its velocity".to_owned()
        }
        Sampling::PoissonDisk { .. } => "the shape has no volume left; check `subtract`".to_owned(),
    };
    Diagnostic {
        label: "this body".to_owned(),
        help: Some(help),
        place: scene.source.body(index),
        ..Diagnostic::new(format!("body `{}` has no particles at a spacing of {spacing:e} m", body.name))
    }
}

/// Returns a fault if points of a file are closer to each other than the position correction allows.
fn crowded(scene: &Scene, index: usize, positions: &[DVec3]) -> Option<Diagnostic> {
    let least = scene.solver.min_distance();
    if least == 0.0 {
        return None;
    }
    let count = near::crowded(positions, least * (1.0 - 1e-6));
    (count > 0).then(|| Diagnostic {
        label: "this body".to_owned(),
        help: Some("use a smaller `solver.kernel_radius` or thin out the points".to_owned()),
        place: scene.source.body(index),
        ..Diagnostic::new(format!(
            "body `{}`: {count} points have a neighbor closer than {least:.4e} m and would be pushed apart",
            scene.bodies[index].name
        ))
    })
}
