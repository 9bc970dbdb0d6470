//! Acceleration of Gauss-Seidel sweeps.

/// Conjugate directions over sweeps (nonsmooth nonlinear conjugate gradients, Silcowitz-Hansen, Niebe and Erleben 2010): a sweep's changes
/// are a gradient, to which a part of the last direction is added. It starts anew where changes grow.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Changes of the impulses in this sweep.
    changes: Vec<f64>,
    /// Direction so far; empty at a start.
    direction: Vec<f64>,
    /// Energy of the changes in this sweep and in the last one [J].
    energy: f64,
    last: f64,
}

impl Search {
    /// Begins a sweep.
    pub fn begin(&mut self) {
        self.changes.clear();
        self.last = std::mem::take(&mut self.energy);
    }

    /// Records the change of an impulse whose velocity changes by `response` per impulse [1/kg].
    pub fn add(&mut self, change: f64, response: f64) {
        self.changes.push(change);
        self.energy += response * change * change;
    }

    /// Returns what is to be added to the impulses after this sweep; nothing at a start.
    pub fn steps(&mut self) -> Vec<f64> {
        if self.direction.len() != self.changes.len() || self.energy > self.last || self.last == 0.0 {
            self.direction.clone_from(&self.changes);
            return Vec::new();
        }
        let part = self.energy / self.last;
        let steps: Vec<f64> = self.direction.iter().map(|step| part * step).collect();
        self.direction = std::iter::zip(&steps, &self.changes).map(|(step, change)| step + change).collect();
        steps
    }
}
