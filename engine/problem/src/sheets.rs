//! Triangles and edges of cloth, which matter, other cloth and the cloth itself touch.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;
use tuff_scene::{BodyKind, Bounds, Obstacle, Overlap, Particles, Scene, contact_radius};

use crate::links::NO_MEMBER;
use crate::{Boxes, Meeting, SEPARATION_TOLERANCE};

/// Part of the mean length of its edges that a cloth keeps from itself at most: its own neighbors are no farther.
const OWN_GAP: f64 = 0.5;

/// What the contact of a cloth needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Its body.
    pub body: u32,
    /// Distance that points without extent keep from it [m].
    pub half_thickness: f64,
    /// Distance that it keeps from itself [m].
    pub own_gap: f64,
    /// Coulomb's coefficient of all that touches it [dimensionless].
    pub friction: f64,
}

/// A part of a cloth that is touched: a triangle or an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch<const N: usize> {
    /// Ids of its corners.
    pub corners: [u32; N],
    /// Index of its sheet.
    pub sheet: u32,
    /// Triangles of cloth of which it is a part, as [`Links`](crate::Links) number them, padded with [`NO_MEMBER`]: it is there as long as
    /// one of them.
    pub triangles: [u32; 2],
}

/// The cloth of a scene as others touch it. Cloth with `contact = false` is not among it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheets {
    /// Sheets, in the order of bodies.
    pub all: Vec<Sheet>,
    /// Triangles, sheet by sheet.
    pub triangles: Vec<Patch<3>>,
    /// Edges, sheet by sheet.
    pub edges: Vec<Patch<2>>,
}

impl Sheets {
    /// Collects the cloth of a scene.
    pub fn of(scene: &Scene, particles: &Particles) -> Self {
        let mut sheets = Self::default();
        let mut next = 0;
        for (body, index) in std::iter::zip(&scene.bodies, 0..) {
            let BodyKind::Cloth(cloth) = &body.kind else { continue };
            let first_triangle = next;
            next += cloth.triangles.len() as u32;
            if !cloth.contact {
                continue;
            }
            let first = particles.body.partition_point(|&b| b < index) as u32;
            let sheet = sheets.all.len() as u32;
            let mut edges: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
            for (triangle, own) in std::iter::zip(&cloth.triangles, first_triangle..) {
                let corners = triangle.map(|vertex| first + vertex);
                sheets.triangles.push(Patch { corners, sheet, triangles: [own, NO_MEMBER] });
                for [a, b] in [[0, 1], [1, 2], [2, 0]].map(|ends| ends.map(|i| corners[i])) {
                    edges
                        .entry([a.min(b), a.max(b)])
                        .and_modify(|both| both[1] = own)
                        .or_insert([own, NO_MEMBER]);
                }
            }
            let edges = edges.into_iter();
            sheets.edges.extend(edges.map(|(corners, triangles)| Patch { corners, sheet, triangles }));
            sheets.all.push(Sheet {
                body: index,
                half_thickness: 0.5 * cloth.thickness,
                own_gap: cloth.thickness.min(OWN_GAP * cloth.spacing),
                friction: cloth.friction,
            });
        }
        sheets
    }

    /// Numbers the corners anew: those with the ids `old` and later have `new` and later ones.
    pub(crate) fn move_ids(&mut self, old: u32, new: u32) {
        let triangles = self.triangles.iter_mut().flat_map(|triangle| &mut triangle.corners);
        for corner in triangles.chain(self.edges.iter_mut().flat_map(|edge| &mut edge.corners)) {
            *corner = *corner - old + new;
        }
    }

    /// Returns which matter starts closer to a sheet than contact.
    pub fn overlaps(&self, scene: &Scene, particles: &Particles) -> Vec<Overlap> {
        if self.is_empty() {
            return Vec::new();
        }
        let at = |id: u32| particles.position[id as usize];
        let tolerance = SEPARATION_TOLERANCE * scene.solver.kernel_radius;
        let boxes = Boxes::new(self.triangles.iter().map(|t| Bounds::of(t.corners.map(at))).collect());
        let widest = self.all.iter().map(|sheet| sheet.half_thickness).fold(0.0, f64::max);
        // Depth of every particle in the sheets that it overlaps.
        let depths = |p: usize| -> Vec<(u32, f64)> {
            let (x, radius) = (particles.position[p], contact_radius(particles.rest_volume[p]));
            let mut found: Vec<(u32, f64)> = Vec::new();
            for index in boxes.overlapping(&Bounds::of([x]).grown(radius + widest)) {
                let Patch { corners: [a, b, c], sheet, .. } = self.triangles[index as usize];
                let distance = Meeting::PointTriangle.distance(&[x, at(a), at(b), at(c)]);
                let depth = radius + self.all[sheet as usize].half_thickness - distance;
                match found.iter_mut().find(|(known, _)| *known == sheet) {
                    _ if depth <= tolerance => {}
                    Some((_, deepest)) => *deepest = deepest.max(depth),
                    None => found.push((sheet, depth)),
                }
            }
            found
        };
        let matter = |p: &usize| scene.bodies[particles.body[*p] as usize].kind.is_matter();
        let of_particle: Vec<Vec<(u32, f64)>> = (0..particles.len())
            .into_par_iter()
            .map(|p| if matter(&p) { depths(p) } else { Vec::new() })
            .collect();
        let mut overlaps: BTreeMap<(usize, u32), (usize, f64)> = BTreeMap::new();
        for (found, &body) in std::iter::zip(of_particle, &particles.body) {
            for (sheet, depth) in found {
                let (count, deepest) = overlaps.entry((body as usize, sheet)).or_default();
                (*count, *deepest) = (*count + 1, deepest.max(depth));
            }
        }
        let overlap = |((body, sheet), (count, depth)): ((usize, u32), (usize, f64))| Overlap {
            body,
            with: Obstacle::Body(self.all[sheet as usize].body as usize),
            particles: count,
            depth,
            deep: 0,
            pushed: 0,
            held: 0,
            moved: DVec3::ZERO,
            of: particles.body.iter().filter(|&&b| b as usize == body).count(),
        };
        overlaps.into_iter().map(overlap).collect()
    }

    /// Returns true if nothing can be touched.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Returns the index of the sheet that is a body.
    pub fn of_body(&self, body: u32) -> Option<u32> {
        self.all.iter().position(|sheet| sheet.body == body).map(|index| index as u32)
    }

    /// Returns the distance that parts of two sheets keep [m].
    pub fn gap(&self, a: u32, b: u32) -> f64 {
        let [one, other] = [a, b].map(|sheet| &self.all[sheet as usize]);
        if a == b { one.own_gap } else { one.half_thickness + other.half_thickness }
    }
}
