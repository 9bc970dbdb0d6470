//! Ropes and cloth that pass through cloth at the start.
//!
//! Contact keeps both ends of a segment away from the triangle that it crosses, each on its own side, and so stretches the segment: no
//! displacement parts the two.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;
use tuff_scene::{BodyKind, Bounds, Diagnosed, Particles, Scene, Warning, where_ray_meets};

use crate::{Boxes, Sheets};

/// Segments of a rope or edges of a cloth that cross triangles of a cloth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piercing {
    /// Index of the body with the segments.
    pub body: usize,
    /// Index of the cloth with the triangles; the same body where it crosses itself.
    pub cloth: usize,
    /// Number of segments.
    pub segments: usize,
}

/// Finds what passes through cloth that can be touched, by body and cloth; of two pieces of cloth the later one.
pub(crate) fn pierced(scene: &Scene, sheets: &Sheets, particles: &Particles) -> Vec<Piercing> {
    if sheets.is_empty() {
        return Vec::new();
    }
    let at = |id: u32| particles.position[id as usize];
    let body = |id: u32| particles.body[id as usize] as usize;
    let boxes = Boxes::new(sheets.triangles.iter().map(|t| Bounds::of(t.corners.map(at))).collect());
    let crossed = |ends: &[u32; 2]| -> Vec<usize> {
        let [from, to] = ends.map(at);
        let near = boxes.overlapping(&Bounds::of([from, to]));
        let near = near.into_iter().map(|index| sheets.triangles[index as usize].corners);
        let apart = near.filter(|corners| !corners.iter().any(|corner| ends.contains(corner)));
        let mut cloth: Vec<usize> = apart
            .filter(|corners| crosses(corners.map(at), from, to))
            .map(|corners| body(corners[0]))
            .collect();
        cloth.dedup();
        cloth
    };
    let edges = sheets.edges.iter().map(|edge| edge.corners);
    let all: Vec<[u32; 2]> = segments(scene, particles).into_iter().chain(edges).collect();
    let found: Vec<Vec<usize>> = all.par_iter().map(crossed).collect();
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (ends, cloth) in std::iter::zip(&all, found) {
        for cloth in cloth {
            *counts.entry((body(ends[0]), cloth)).or_default() += 1;
        }
    }
    // Two pieces of cloth mostly cross each other's edges.
    let said = |(body, cloth): (usize, usize)| body < cloth && counts.contains_key(&(cloth, body));
    let kept = counts.iter().filter(|(bodies, _)| !said(**bodies));
    kept.map(|(&(body, cloth), &segments)| Piercing { body, cloth, segments }).collect()
}

/// Returns the ids of the ends of all segments of ropes.
fn segments(scene: &Scene, particles: &Particles) -> Vec<[u32; 2]> {
    let mut all = Vec::new();
    for (body, index) in std::iter::zip(&scene.bodies, 0..) {
        if let BodyKind::Rope(rope) = &body.kind {
            let first = particles.body.partition_point(|&b| b < index) as u32;
            all.extend(rope.segments.iter().map(|ends| ends.map(|vertex| first + vertex)));
        }
    }
    all
}

/// Returns true if a triangle is between two points.
fn crosses(corners: [DVec3; 3], from: DVec3, to: DVec3) -> bool {
    where_ray_meets(corners, from, to - from).is_some_and(|t| (0.0..=1.0).contains(&t))
}

impl Piercing {
    /// Warns of what stretches from the start.
    pub(crate) fn warning(&self, scene: &Scene) -> Warning {
        let Self { body, cloth, segments } = *self;
        let name = |body: usize| &scene.bodies[body].name;
        let (kind, part) = match scene.bodies[body].kind {
            BodyKind::Rope(_) => ("rope", "segments"),
            _ => ("cloth", "edges"),
        };
        let other = if body == cloth { "itself".to_owned() } else { format!("cloth `{}`", name(cloth)) };
        let message = format!(
            "{kind} `{}` passes through {other}: contact pushes the ends of {segments} of its {part} to two sides, which stretches it \
             from the start",
            name(body)
        );
        let help = if body == cloth { "" } else { "move one of the two to one side of the other, or " };
        let help = format!("{help}let nothing touch cloth `{}` with `contact = false`", name(cloth));
        scene.warning(Diagnosed::Body(body), message, "this body", help)
    }
}
