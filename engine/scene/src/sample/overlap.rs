//! Matter that starts in colliders or in other matter.

use std::ops::Range;

use glam::DVec3;

use super::near::Index;
use super::{Particles, contact_radius};
use crate::error::{Diagnostic, Warning};
use crate::rope::BodyKind;
use crate::scene::{Body, Scene};
use crate::shape::Bounds;

/// Depth in spacings from which on a particle counts as deep, and the fraction of a body that may be deep.
const DEEP: (f64, f64) = (0.5, 0.05);

/// Depth in spacings that counts as none.
pub(super) const ROUNDING: f64 = 1e-6;

/// Particles of a body that are too close to a collider or to another body when a run starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// Index of the body.
    pub body: usize,
    /// Obstacle that the body overlaps.
    pub with: Obstacle,
    /// Number of particles closer to a collider than contact, or inside the other body or closer than half a spacing to its
    /// particles.
    pub particles: usize,
    /// Largest depth beyond contact, or beyond the other body's surface [m].
    pub depth: f64,
    /// Number of particles that are more than half a spacing beyond the surface.
    pub deep: usize,
    /// Number of particles that contact moves by more than half a spacing.
    pub pushed: usize,
    /// Number of the body's pinned particles that start as deep in a collider or rigid body; no other field counts pinned ones.
    pub held: usize,
    /// Displacement of the body, together with those that it touches, out of colliders, or of the body alone out of other bodies
    /// [m].
    pub moved: DVec3,
    /// Number of the body's particles.
    pub of: usize,
}

/// An obstacle that a body overlaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A collider or rigid body, by its index among [`Scene::obstacles`].
    Collider(usize),
    /// Another body, by its index.
    Body(usize),
}

impl Overlap {
    /// Returns the name of the obstacle.
    pub fn obstacle<'a>(&self, scene: &'a Scene) -> &'a str {
        match self.with {
            Obstacle::Collider(index) => scene.obstacle(index).1,
            Obstacle::Body(index) => &scene.bodies[index].name,
        }
    }

    /// Describes matter in a collider or in cloth; matter in other matter is among the warnings.
    pub fn in_obstacle(&self, scene: &Scene) -> Option<String> {
        let (kind, name) = match self.with {
            Obstacle::Collider(index) => scene.obstacle(index),
            Obstacle::Body(index) => match &scene.bodies[index] {
                Body { name, kind: BodyKind::Cloth(_), .. } => ("cloth", name.as_str()),
                _ => return None,
            },
        };
        let Self { particles, of, depth, moved, .. } = self;
        let body = &scene.bodies[self.body].name;
        let mut text = format!(
            "{particles} of {of} particles of body `{body}` start up to {depth:.3e} m deep in {kind} `{name}`{} and leave it \
             without gaining speed",
            with_thickness(scene, self.with)
        );
        if *moved != DVec3::ZERO {
            text +=
                &format!("; the body, and any that touches it, was moved to the surface, by {}", self.way());
        }
        Some(text)
    }

    /// Formats the displacement.
    fn way(&self) -> String {
        let number = |x: f64| if x == 0.0 { "0".to_owned() } else { format!("{x:.3e}") };
        format!("[{}] m", self.moved.to_array().map(number).join(", "))
    }

    /// Returns true if pins hold some of the body in a collider that pushes other parts of it out: it is stretched from the start.
    pub fn stretches(&self) -> bool {
        self.held > 0 && self.pushed > 0
    }

    fn too_deep(&self) -> bool {
        self.deep as f64 > DEEP.1 * self.of as f64
    }
}

/// Finds overlaps of bodies with colliders, in the order of the scene.
pub(super) fn with_colliders(scene: &Scene, particles: &Particles, ranges: &[Range<usize>]) -> Vec<Overlap> {
    let mut found = Vec::new();
    let obstacles = scene.obstacles();
    for (body, range) in ranges.iter().enumerate() {
        let spacing = scene.bodies[body].sampling.spacing();
        // An emitter leaves out what is in a rigid body, which may move on.
        let emitted = scene.bodies[body].kind == BodyKind::Emitted;
        let met = if emitted { scene.colliders.len() } else { obstacles.len() };
        for (index, collider) in obstacles[..met].iter().enumerate() {
            let mut overlap = Overlap {
                body,
                with: Obstacle::Collider(index),
                particles: 0,
                depth: 0.0,
                deep: 0,
                pushed: 0,
                held: 0,
                moved: DVec3::ZERO,
                of: range.len(),
            };
            for i in range.clone() {
                let distance = collider.distance(0.0, particles.position[i]);
                if particles.pin[i] != u32::MAX {
                    overlap.held += usize::from(is_deep(-distance, spacing));
                    continue;
                }
                overlap.add(contact_radius(particles.rest_volume[i]) - distance, -distance, spacing);
            }
            found.extend((overlap.particles > 0).then_some(overlap));
        }
    }
    found
}

impl Overlap {
    /// Counts a particle that is `depth` beyond contact and `beyond` the surface [m].
    fn add(&mut self, depth: f64, beyond: f64, spacing: f64) {
        if depth > ROUNDING * spacing {
            self.particles += 1;
            self.depth = self.depth.max(depth);
            self.deep += usize::from(is_deep(beyond, spacing));
            self.pushed += usize::from(is_deep(depth, spacing));
        }
    }
}

/// Returns true for a particle that is `beyond` a surface [m] by more than half a spacing.
fn is_deep(beyond: f64, spacing: f64) -> bool {
    beyond > (DEEP.0 + ROUNDING) * spacing
}

/// Finds overlaps of bodies with each other: particles inside the other's shape, or closer than half a spacing to its particles.
pub(super) fn with_bodies(scene: &Scene, particles: &Particles, ranges: &[Range<usize>]) -> Vec<Overlap> {
    let position = &particles.position;
    let bounds: Vec<Bounds> =
        ranges.iter().map(|r| Bounds::of(position[r.clone()].iter().copied())).collect();
    let mut found = Vec::new();
    for (a, b) in (0..ranges.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
        if [a, b].iter().any(|&body| scene.bodies[body].kind == BodyKind::Emitted) {
            // An emitter leaves out what finds no room.
            continue;
        }
        let materials = [a, b].map(|body| scene.bodies[body].material);
        if scene.mixtures.iter().any(|m| materials.contains(&m.fluid) && materials.contains(&m.grains)) {
            // Both take part of the same space.
            continue;
        }
        let spacing = |body: usize| scene.bodies[body].sampling.spacing();
        let near = 0.5 * spacing(a).min(spacing(b));
        // A body's shape extends beyond its outermost particles by less than a spacing.
        let margin = spacing(a).max(spacing(b));
        let shared = bounds[a].grown(margin).intersection(&bounds[b].grown(margin));
        if shared.is_empty() {
            continue;
        }
        let inside = |r: &Range<usize>| -> Vec<usize> {
            r.clone().filter(|&i| shared.contains(position[i])).collect()
        };
        let (in_a, in_b) = (inside(&ranges[a]), inside(&ranges[b]));
        let index = |list: &[usize]| Index::new(position, list.iter().copied(), near);
        for (body, other, list, others) in [(a, b, &in_a, index(&in_b)), (b, a, &in_b, index(&in_a))] {
            let mut overlap = Overlap {
                body,
                with: Obstacle::Body(other),
                particles: 0,
                depth: 0.0,
                deep: 0,
                pushed: 0,
                held: 0,
                moved: DVec3::ZERO,
                of: ranges[body].len(),
            };
            let shape: &Body = &scene.bodies[other];
            for &i in list.iter().filter(|&&i| particles.pin[i] == u32::MAX) {
                let beyond = -shape.shape.signed_distance(position[i]);
                let depth = if others.has_near(position[i], usize::MAX) { beyond.max(near) } else { beyond };
                overlap.add(depth, beyond, spacing(body));
            }
            found.extend((overlap.particles > 0).then_some(overlap));
        }
    }
    found
}

/// Returns a fault for every body of which too much starts too deep in something, unless the scene allows it.
pub(super) fn faults(scene: &Scene, overlaps: &[Overlap]) -> Vec<Diagnostic> {
    let refused = |o: &&Overlap| {
        let allowed = match o.with {
            Obstacle::Collider(_) => false,
            Obstacle::Body(other) => scene.bodies[other].push_out,
        };
        o.too_deep() && !allowed && !scene.bodies[o.body].push_out
    };
    overlaps.iter().filter(refused).map(|o| fault(scene, o)).collect()
}

/// Names the layer that an obstacle keeps free, if there is one: without it, matter that seems to touch nothing would be said to be inside.
fn with_thickness(scene: &Scene, obstacle: Obstacle) -> String {
    let Obstacle::Collider(index) = obstacle else { return String::new() };
    match scene.colliders.get(index).map(|collider| collider.thickness) {
        Some(thickness) if thickness > 0.0 => format!(" and its `thickness` of {thickness:e} m"),
        _ => String::new(),
    }
}

fn fault(scene: &Scene, o: &Overlap) -> Diagnostic {
    let body = &scene.bodies[o.body];
    let noun = if body.kind == BodyKind::Emitted { "emitter" } else { "body" };
    let (kind, cure) = match o.with {
        Obstacle::Collider(index) => match scene.colliders.get(index) {
            Some(collider) if collider.inside => ("beyond the wall of container", "move"),
            Some(_) => ("inside collider", "move"),
            None => ("inside rigid body", "move"),
        },
        Obstacle::Body(_) => ("inside body", "move, shrink or `subtract`"),
    };
    let share = 100.0 * o.deep as f64 / o.of as f64;
    let allow = match body.kind {
        BodyKind::Emitted => "",
        _ => {
            "; with `overlap = \"push_out\"` in the body, the run starts anyway and moves it out of colliders and of other bodies \
             without gaining speed"
        }
    };
    Diagnostic {
        label: format!("this {noun}; at most 5 % of it may start so deep"),
        help: Some(format!("{cure} one of them{allow}")),
        place: scene.source.body(o.body),
        ..Diagnostic::new(format!(
            "{noun} `{}`: {} of {} particles ({share:.0} %) start more than half a spacing {kind} `{}`{}, up to {:.3e} m deep",
            body.name,
            o.deep,
            o.of,
            o.obstacle(scene),
            with_thickness(scene, o.with),
            o.depth
        ))
    }
}

/// Describes pins in a collider and what hangs on them there: pushed out, it is stretched, and what it then stores comes from nowhere.
fn held(scene: &Scene, o: &Overlap) -> Warning {
    let body = &scene.bodies[o.body];
    Warning::new(Diagnostic {
        label: "this body".to_owned(),
        help: Some("move the pins or the collider, so that what is held is where it may be".to_owned()),
        place: scene.source.body(o.body),
        ..Diagnostic::new(format!(
            "pins hold {} particles of `{}` more than half a spacing deep in `{}`, which pushes out {} others as far: it is \
             stretched from the start",
            o.held,
            body.name,
            o.obstacle(scene),
            o.pushed
        ))
    })
}

/// Returns a warning for each body that its pins hold in a collider that pushes it out, and for each pair of overlapping bodies. Other
/// overlaps with colliders draw none: being pushed out is intended.
pub(super) fn warnings(scene: &Scene, overlaps: &[Overlap]) -> Vec<Warning> {
    let mut warnings: Vec<Warning> =
        overlaps.iter().filter(|o| o.stretches()).map(|o| held(scene, o)).collect();
    let mut said: Vec<[usize; 2]> = Vec::new();
    for overlap in overlaps {
        let Obstacle::Body(other) = overlap.with else { continue };
        let pair = [overlap.body.min(other), overlap.body.max(other)];
        if said.contains(&pair) {
            continue;
        }
        said.push(pair);
        let both: Vec<&Overlap> = overlaps
            .iter()
            .filter(
                |o| matches!(o.with, Obstacle::Body(with) if [o.body.min(with), o.body.max(with)] == pair),
            )
            .collect();
        let count: usize = both.iter().map(|o| o.particles).sum();
        let depth = both.iter().map(|o| o.depth).fold(0.0, f64::max);
        let [first, second] = pair.map(|body| &scene.bodies[body].name);
        let way = |o: &&Overlap| {
            let name = &scene.bodies[o.body].name;
            (o.moved != DVec3::ZERO)
                .then(|| format!("; body `{name}` was moved out of others, by {}", o.way()))
        };
        let moved: String = both.iter().filter_map(way).collect();
        let cure = if scene.bodies[pair[0]].push_out || scene.bodies[pair[1]].push_out {
            ""
        } else {
            ", or let one be moved out as a whole with `overlap = \"push_out\"`"
        };
        warnings.push(Warning::new(Diagnostic {
            label: "this body".to_owned(),
            help: Some(format!("matter that still overlaps separates without gaining speed; to start apart, move or shrink one of them, `subtract` one shape from the other{cure}")),
            place: scene.source.body(pair[1]),
            ..Diagnostic::new(format!(
                "bodies `{first}` and `{second}` overlap: {count} particles are inside the other body or closer than half a spacing \
                 to its particles, up to {depth:.3e} m deep{moved}"
            ))
        }));
    }
    warnings
}
