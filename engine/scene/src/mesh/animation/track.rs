//! What an animation does to one property of one node.

use glam::{DQuat, DVec4};

/// Property of a node that a track moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    /// Weights of morph targets.
    Weights,
}

/// How a track goes from one key to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    Step,
    /// Rotations take the shortest way at constant speed.
    Linear,
    /// Cubic Hermite splines.
    Cubic,
}

/// Values of a property at increasing times.
#[derive(Debug)]
pub(super) struct Track {
    pub node: usize,
    pub property: Property,
    pub interpolation: Interpolation,
    /// Times of the keys [s], shape [key_count].
    pub times: Vec<f64>,
    /// Values of the keys: of a translation [m], of a rotation the quaternion's x, y, z and w. Of cubic tracks every value is preceded
    /// by the slope with which it is reached and followed by that with which it is left [1/s]. Shape [key_count * (1 or 3) * width].
    pub values: Vec<f64>,
}

impl Track {
    /// Returns the number of numbers in a value.
    pub fn width(&self) -> usize {
        self.values.len() / self.times.len() / self.interpolation.rows()
    }

    /// Returns the value at a time [s]: that of the first key before it, that of the last key after it.
    pub fn value(&self, time: f64) -> Vec<f64> {
        let next = self.times.partition_point(|&key| key <= time);
        let before = next.saturating_sub(1);
        if next == 0 || next == self.times.len() || self.interpolation == Interpolation::Step {
            return self.key(before).to_vec();
        }
        let step = self.times[next] - self.times[before];
        let s = (time - self.times[before]) / step;
        let (a, b) = (self.key(before), self.key(next));
        match (self.interpolation, self.property) {
            (Interpolation::Cubic, _) => {
                let (s2, s3) = (s * s, s * s * s);
                let blend = [2.0 * s3 - 3.0 * s2 + 1.0, s3 - 2.0 * s2 + s, 3.0 * s2 - 2.0 * s3, s3 - s2];
                let (leave, reach) = (self.row(before, 2), self.row(next, 0));
                let at = |i: usize| {
                    blend[0] * a[i] + blend[2] * b[i] + step * (blend[1] * leave[i] + blend[3] * reach[i])
                };
                let value: Vec<f64> = (0..a.len()).map(at).collect();
                match self.property {
                    Property::Rotation => unit(&value).unwrap_or_else(|| a.to_vec()),
                    _ => value,
                }
            }
            (_, Property::Rotation) => slerp(quaternion(a), quaternion(b), s).to_array().to_vec(),
            _ => std::iter::zip(a, b).map(|(a, b)| a + (b - a) * s).collect(),
        }
    }

    fn key(&self, key: usize) -> &[f64] {
        self.row(key, self.interpolation.rows() / 2)
    }

    fn row(&self, key: usize, row: usize) -> &[f64] {
        let width = self.width();
        let first = (key * self.interpolation.rows() + row) * width;
        &self.values[first..first + width]
    }

    /// Scales the quaternions of a rotation's keys to length 1; returns the number of a key where that is impossible.
    pub fn normalize(&mut self) -> Result<(), usize> {
        let rows = self.interpolation.rows();
        for (row, value) in
            self.values.chunks_exact_mut(4).enumerate().filter(|(row, _)| row % rows == rows / 2)
        {
            let unit = unit(value).ok_or(row / rows)?;
            value.copy_from_slice(&unit);
        }
        Ok(())
    }
}

impl Interpolation {
    /// Returns the number of rows of a key: a value, or a value between two slopes.
    pub fn rows(self) -> usize {
        if self == Self::Cubic { 3 } else { 1 }
    }
}

fn quaternion(value: &[f64]) -> DQuat {
    DQuat::from_slice(value)
}

/// Returns the direction of four numbers; `None` if they have none.
fn unit(value: &[f64]) -> Option<Vec<f64>> {
    DVec4::from_slice(value).try_normalize().map(|unit| unit.to_array().to_vec())
}

/// Interpolates unit quaternions at constant speed on the shortest way; the same on every machine, as no system library is involved.
fn slerp(a: DQuat, b: DQuat, s: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let angle = 2.0 * libm::atan2((b - a).length(), (b + a).length());
    let sine = libm::sin(angle);
    let (of_a, of_b) = if sine < 1e-9 {
        (1.0 - s, s)
    } else {
        (libm::sin((1.0 - s) * angle) / sine, libm::sin(s * angle) / sine)
    };
    (a * of_a + b * of_b).normalize()
}
