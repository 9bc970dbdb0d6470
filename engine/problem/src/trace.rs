//! Following a substep point by point, to say where it went wrong.

use crate::{Origin, Point};

/// Below this `det(I + dt grad v)` a particle's neighborhood counts as folded.
const FOLDED: f64 = 0.1;

/// Looks at the values of a substep after each of its stages. Particles are given by their place in the substep's order.
pub struct Trace {
    id: Vec<u32>,
    points: Vec<Point>,
    not_finite: Option<Origin>,
    /// For folded particles the point since which they are, shape [particle_count].
    folded: Vec<Option<usize>>,
}

impl Trace {
    /// A trace of particles with these ids.
    pub fn new(id: Vec<u32>) -> Self {
        let folded = vec![None; id.len()];
        Self { id, points: Vec::new(), not_finite: None, folded }
    }

    /// From here on places are those of another order of the same particles. No fold may have been noted before.
    pub fn reorder(&mut self, id: Vec<u32>) {
        self.id = id;
    }

    /// Notes whether `finite(p)` fails for a particle after `point`. Only the first time counts, and of several particles the
    /// lowest id: inside a cell it is the one that was solved first. Returns whether all are finite so far.
    pub fn values(&mut self, point: Point, quantity: &'static str, finite: impl Fn(usize) -> bool) -> bool {
        if self.not_finite.is_none() {
            let bad = (0..self.id.len()).filter(|&p| !finite(p)).map(|p| self.id[p]).min();
            self.not_finite = bad.map(|particle| Origin { point, quantity, particle });
        }
        self.not_finite.is_none()
    }

    /// Notes which neighborhoods are folded after `point`, where `determinant(p)` is `det(I + dt grad v)`.
    pub fn folds(&mut self, point: Point, determinant: impl Fn(usize) -> f64) {
        let index = self.points.len();
        self.points.push(point);
        for (p, since) in self.folded.iter_mut().enumerate() {
            let folded = determinant(p) < FOLDED;
            *since = folded.then(|| since.unwrap_or(index));
        }
    }

    /// Where values stopped being finite.
    pub fn not_finite(&self) -> Option<Origin> {
        self.not_finite
    }

    /// Of the neighborhoods that are folded now, the one that has been for longest.
    pub fn fold(&self) -> Option<Origin> {
        let since = self.folded.iter().zip(&self.id).filter_map(|(since, &id)| Some(((*since)?, id)));
        let (index, particle) = since.min()?;
        Some(Origin { point: self.points[index], quantity: "velocity gradient", particle })
    }

    /// How many neighborhoods are folded now.
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
