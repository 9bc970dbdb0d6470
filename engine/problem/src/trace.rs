//! Follows a substep point by point to find where it went wrong.

use crate::thresholds::FOLD_DETERMINANT;
use crate::{Origin, Point};

/// Checks the values of a substep after each of its stages. Particles are indexed in the substep's order.
pub struct Trace {
    id: Vec<u32>,
    points: Vec<Point>,
    not_finite: Option<Origin>,
    /// Point since which each particle is folded, if it is; shape [particle_count].
    folded: Vec<Option<usize>>,
}

impl Trace {
    /// Creates a trace of particles with these ids.
    pub fn new(id: Vec<u32>) -> Self {
        let folded = vec![None; id.len()];
        Self { id, points: Vec::new(), not_finite: None, folded }
    }

    /// Switches to another order of the same particles. No fold may have been recorded before.
    pub fn reorder(&mut self, id: Vec<u32>) {
        self.id = id;
    }

    /// Records the first `point` after which `finite(p)` fails for a particle; of several particles, the one with the lowest id,
    /// which its cell solved first. Returns true if all values have been finite so far.
    pub fn values(&mut self, point: Point, quantity: &'static str, finite: impl Fn(usize) -> bool) -> bool {
        if self.not_finite.is_none() {
            let bad = (0..self.id.len()).filter(|&p| !finite(p)).map(|p| self.id[p]).min();
            self.not_finite = bad.map(|particle| Origin { point, quantity, particle });
        }
        self.not_finite.is_none()
    }

    /// Records which neighborhoods are folded after `point`, where `determinant(p)` is `det(I + dt grad v)`.
    pub fn folds(&mut self, point: Point, determinant: impl Fn(usize) -> f64) {
        let index = self.points.len();
        self.points.push(point);
        for (p, since) in self.folded.iter_mut().enumerate() {
            let folded = determinant(p) < FOLD_DETERMINANT;
            *since = folded.then(|| since.unwrap_or(index));
        }
    }

    /// Returns where values stopped being finite.
    pub fn not_finite(&self) -> Option<Origin> {
        self.not_finite
    }

    /// Returns the neighborhood that has been folded for the longest time, of those folded now.
    pub fn fold(&self) -> Option<Origin> {
        let since = self.folded.iter().zip(&self.id).filter_map(|(since, &id)| Some(((*since)?, id)));
        let (index, particle) = since.min()?;
        Some(Origin { point: self.points[index], quantity: "velocity gradient", particle })
    }

    /// Returns the number of neighborhoods folded now.
    pub fn folded(&self) -> usize {
        self.folded.iter().flatten().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_value_counts() {
        let mut trace = Trace::new(vec![5, 3, 9]);
        assert!(trace.values(Point::of("a"), "x", |_| true));
        assert!(!trace.values(Point::of("b"), "y", |p| p != 2));
        assert!(!trace.values(Point::of("c"), "z", |_| false));
        let origin = Origin { point: Point::of("b"), quantity: "y", particle: 9 };
        assert_eq!(trace.not_finite(), Some(origin));
    }

    #[test]
    fn a_fold_began_where_it_last_came_about() {
        let mut trace = Trace::new(vec![5, 3, 9]);
        let determinants = [[0.0, 1.0, 1.0], [1.0, 1.0, 0.05], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        for (name, row) in ["a", "b", "c", "d"].into_iter().zip(determinants) {
            trace.folds(Point::of(name), |p| row[p]);
        }
        let origin = trace.fold().map(|o| (o.point.stage, o.particle));
        assert_eq!((origin, trace.folded()), (Some(("b", 9)), 2));
    }
}
