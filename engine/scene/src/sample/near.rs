//! Neighbor search among points.

use glam::DVec3;

/// Points sorted by cubic cells.
pub(super) struct Index<'a> {
    points: &'a [DVec3],
    edge: f64,
    /// Cell and point, sorted.
    entries: Vec<([i64; 3], u32)>,
}

impl<'a> Index<'a> {
    /// Indexes the `points` that `chosen` names; finds neighbors up to `edge` [m].
    pub(super) fn new(points: &'a [DVec3], chosen: impl Iterator<Item = usize>, edge: f64) -> Self {
        let mut entries: Vec<_> = chosen.map(|i| (cell(points[i], edge), i as u32)).collect();
        entries.sort_unstable();
        Self { points, edge, entries }
    }

    /// Returns true if a point other than number `except` is closer to `p` than the edge.
    pub(super) fn has_near(&self, p: DVec3, except: usize) -> bool {
        let [z, y, x] = cell(p, self.edge);
        let near = |&(_, i): &([i64; 3], u32)| {
            i as usize != except && self.points[i as usize].distance_squared(p) < self.edge * self.edge
        };
        (-1..=1).any(|dz| {
            (-1..=1).any(|dy| {
                // Points beyond the range of cell numbers all lie in the last cell; they are rejected elsewhere.
                let [z, y] = [z.saturating_add(dz), y.saturating_add(dy)];
                let row = |x: i64| self.entries.partition_point(|e| e.0 < [z, y, x]);
                self.entries[row(x.saturating_sub(1))..row(x.saturating_add(2))].iter().any(near)
            })
        })
    }
}

/// Returns the cell of a point as z, y, x.
fn cell(p: DVec3, edge: f64) -> [i64; 3] {
    let c = (p / edge).floor();
    [c.z as i64, c.y as i64, c.x as i64]
}

/// Returns the number of points that have another one closer than `least` [m].
pub(super) fn crowded(points: &[DVec3], least: f64) -> usize {
    let index = Index::new(points, 0..points.len(), least);
    (0..points.len()).filter(|&i| index.has_near(points[i], i)).count()
}

/// Returns which of the points are `distance` [m] or more away from all `occupied` ones.
pub fn free(points: &[DVec3], occupied: &[DVec3], distance: f64) -> Vec<bool> {
    let near = crate::shape::Bounds::of(points.iter().copied()).grown(distance);
    let index = Index::new(occupied, (0..occupied.len()).filter(|&i| near.contains(occupied[i])), distance);
    points.iter().map(|&p| !index.has_near(p, usize::MAX)).collect()
}
