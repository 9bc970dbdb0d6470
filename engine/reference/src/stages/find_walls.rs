//! Thin colliders between particles.

use glam::DVec3;
use tuff_problem::{Face, MAX_WALLS, SEPARATION_TOLERANCE};
use tuff_scene::{OPPOSED, PARALLEL};

use crate::context::Context;
use crate::parallel;
use crate::placed::Placed;
use crate::scalar::Scalar;
use crate::state::State;

/// Nearest faces of a particle that may be walls between it and others.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Walls {
    count: usize,
    /// Colliders to which the faces belong; sheets count on from the number of faces.
    collider: [usize; MAX_WALLS],
    /// Unit normals towards the particle.
    normal: [DVec3; MAX_WALLS],
    /// Distances of the particle [m].
    distance: [f64; MAX_WALLS],
}

impl Walls {
    /// Returns true if a collider is between this particle and another at offset `d` [m]: it faces away from each of them, and both
    /// its sides are between the particles.
    pub fn divide(&self, other: &Self, d: DVec3) -> bool {
        (0..self.count).any(|i| {
            is_beyond(self.normal[i], self.distance[i], d)
                && (0..other.count).any(|j| {
                    self.collider[i] == other.collider[j]
                        && self.normal[i].dot(other.normal[j]) < OPPOSED
                        && is_beyond(other.normal[j], other.distance[j], -d)
                })
        })
    }

    /// Takes a face, unless others are nearer or one of them coincides with it.
    pub fn add(&mut self, collider: usize, normal: DVec3, distance: f64, near: f64) {
        let same = |i: usize| {
            (self.distance[i] - distance).abs() < near
                && (self.normal[i] - normal).length_squared() < PARALLEL
                && self.collider[i] == collider
        };
        if (0..self.count).any(same) {
            return;
        }
        let mut slot = self.count;
        if slot == MAX_WALLS {
            slot =
                (1..MAX_WALLS).fold(0, |far, i| if self.distance[i] > self.distance[far] { i } else { far });
            if distance >= self.distance[slot] {
                return;
            }
        } else {
            self.count += 1;
        }
        self.collider[slot] = collider;
        self.normal[slot] = normal;
        self.distance[slot] = distance;
    }
}

/// Returns true if what lies at offset `d` [m] from a particle is beyond the surface at this distance [m] of it, seen as a plane.
fn is_beyond(normal: DVec3, distance: f64, d: DVec3) -> bool {
    -normal.dot(d) > distance.max(0.0)
}

/// Finds for every particle the nearest walls within the support of its kernel, at the start of the substep.
pub fn find_walls<S: Scalar>(context: &Context, state: &mut State<S>) {
    state.walls.clear();
    if !context.walls {
        return;
    }
    let faces: Vec<(&Face, &Placed)> =
        std::iter::zip(&context.faces, &state.placed).filter(|(face, _)| face.wall).collect();
    state.walls = parallel::map(state.particle_count(), |p| {
        let mut walls = Walls::default();
        for (face, placed) in &faces {
            let x = state.position[p];
            let limit = 2.0 * context.radius();
            let Some(seen) =
                placed.surface_within(&face.surface, placed.carried(&face.surface, x, limit), limit)
            else {
                continue;
            };
            let behind = face.sheet.is_some_and(|side| !side.holds(seen.distance));
            if !seen.at_cut && !behind && seen.distance.abs() < limit {
                let near = SEPARATION_TOLERANCE * context.radius();
                walls.add(face.collider, seen.normal, seen.distance, near);
            }
        }
        walls
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(sides: &[(DVec3, f64)]) -> Walls {
        let mut walls = Walls::default();
        for &(normal, distance) in sides {
            walls.add(0, normal, distance, 1e-9);
        }
        walls
    }

    #[test]
    fn a_plate_divides_what_is_on_two_sides_of_it() {
        let (up, down) = (DVec3::Y, DVec3::NEG_Y);
        let (above, below) = (seen(&[(up, 0.1)]), seen(&[(down, 0.2)]));
        let d = DVec3::new(0.3, -0.4, 0.0);
        assert!(above.divide(&below, d) && below.divide(&above, -d));
        assert!(!above.divide(&above, DVec3::X), "both above");
        assert!(!above.divide(&seen(&[(DVec3::X, 0.1)]), d), "one beside the plate");
        assert!(!seen(&[(DVec3::X, 0.1)]).divide(&seen(&[(-DVec3::X, 0.1)]), DVec3::X), "two sides of a gap");
        assert!(!seen(&[(up, -0.01)]).divide(&seen(&[(up, -0.01)]), DVec3::X), "both in the plate");
    }

    #[test]
    fn the_nearest_walls_are_kept_once() {
        let turned = |k: f64| DVec3::new(k.cos(), k.sin(), 0.0);
        let all = seen(&[(turned(0.0), 0.4), (turned(1.0), 0.1), (turned(2.0), 0.3), (turned(3.0), 0.2)]);
        assert_eq!((all.count, all.distance), (3, [0.2, 0.1, 0.3]));
        assert_eq!(seen(&[(DVec3::Y, 0.1), (DVec3::Y, 0.1)]).count, 1);
    }
}
