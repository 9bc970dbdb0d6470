//! Particles of different bodies in each other's way.

use std::ops::Range;

use glam::DVec3;

use crate::error::{Diagnostic, Warning};
use crate::scene::Scene;
use crate::shape::Bounds;

/// Points sorted by cubic cells.
struct Index<'a> {
    points: &'a [DVec3],
    edge: f64,
    /// Cell and point, sorted.
    entries: Vec<([i64; 3], u32)>,
}

impl<'a> Index<'a> {
    /// Of those `points` that `chosen` names; neighbors are found up to `edge` [m].
    fn new(points: &'a [DVec3], chosen: impl Iterator<Item = usize>, edge: f64) -> Self {
        let mut entries: Vec<_> = chosen.map(|i| (cell(points[i], edge), i as u32)).collect();
        entries.sort_unstable();
        Self { points, edge, entries }
    }

    /// Whether a point other than number `except` is nearer to `p` than the edge.
    fn has_near(&self, p: DVec3, except: usize) -> bool {
        let [z, y, x] = cell(p, self.edge);
        let near = |&(_, i): &([i64; 3], u32)| {
            i as usize != except && self.points[i as usize].distance_squared(p) < self.edge * self.edge
        };
        (-1..=1).any(|dz| {
            (-1..=1).any(|dy| {
                let row = |x: i64| self.entries.partition_point(|e| e.0 < [z + dz, y + dy, x]);
                self.entries[row(x - 1)..row(x + 2)].iter().any(near)
            })
        })
    }
}

/// Cell of a point as z, y, x.
fn cell(p: DVec3, edge: f64) -> [i64; 3] {
    let c = (p / edge).floor();
    [c.z as i64, c.y as i64, c.x as i64]
}

/// How many points have another one nearer than `least` [m].
pub(super) fn crowded(points: &[DVec3], least: f64) -> usize {
    let index = Index::new(points, 0..points.len(), least);
    (0..points.len()).filter(|&i| index.has_near(points[i], i)).count()
}

/// A warning for every pair of bodies with particles inside the other's shape or nearer than half a
/// spacing to the other's particles.
pub(super) fn warnings(scene: &Scene, position: &[DVec3], ranges: &[Range<usize>]) -> Vec<Warning> {
    let bounds: Vec<Bounds> =
        ranges.iter().map(|r| Bounds::of(position[r.clone()].iter().copied())).collect();
    let mut warnings = Vec::new();
    for b in 0..ranges.len() {
        for a in 0..b {
            let (first, second) = (&scene.bodies[a], &scene.bodies[b]);
            let near = 0.5 * first.sampling.spacing().min(second.sampling.spacing());
            // A body's shape reaches beyond its outermost particles by less than a spacing.
            let margin = first.sampling.spacing().max(second.sampling.spacing());
            let shared = bounds[a].grown(margin).intersection(&bounds[b].grown(margin));
            if shared.is_empty() {
                continue;
            }
            let inside = |r: &Range<usize>| -> Vec<usize> {
                r.clone().filter(|&i| shared.contains(position[i])).collect()
            };
            let (in_a, in_b) = (inside(&ranges[a]), inside(&ranges[b]));
            let (index_a, index_b) = (
                Index::new(position, in_a.iter().copied(), near),
                Index::new(position, in_b.iter().copied(), near),
            );
            let meets = |list: &[usize], other: &Index<'_>, shape: &crate::shape::Shape| {
                list.iter()
                    .filter(|&&i| shape.contains(position[i]) || other.has_near(position[i], usize::MAX))
                    .count()
            };
            let count = meets(&in_a, &index_b, &second.shape) + meets(&in_b, &index_a, &first.shape);
            if count > 0 {
                warnings.push(Warning::new(Diagnostic {
                    label: "this body".to_owned(),
                    help: Some(
                        "move or shrink one of them, or `subtract` one shape from the other".to_owned(),
                    ),
                    place: scene.source.body(b),
                    ..Diagnostic::new(format!(
                        "bodies `{}` and `{}` overlap: {count} particles are inside the other body or nearer \
                         than half a spacing to its particles",
                        first.name, second.name
                    ))
                }));
            }
        }
    }
    warnings
}
