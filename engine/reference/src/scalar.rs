//! The number type of pairs, which are most of the data: f32 on the CPU device, f64 in the reference. What particles keep is f64 in
//! both.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DVec3, DVec4, Vec4, Vec4Swizzles};
use tuff_problem::thresholds::VELOCITY_ROUNDING;

/// A number type of pairs.
pub trait Scalar: Copy + Debug + Default + Send + Sync + 'static {
    /// Four numbers.
    type Quad: Quad;
    /// Four numbers that one thread at a time changes.
    type Slot: Slot<Self::Quad>;
    /// Name of the device that uses it.
    const DEVICE: &str;
    /// Unit roundoff of the velocities in pairs; 0 where it does not matter.
    const ROUNDING: f64;
}

/// A vector and a fourth number, in the width of the machine's vectors.
pub trait Quad:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + 'static
{
    /// Rounds a vector and a number.
    fn new(vector: DVec3, last: f64) -> Self;
    /// Returns the vector.
    fn vector(self) -> DVec3;
    /// Returns the fourth number.
    fn last(self) -> f64;
    /// Returns each component four times.
    fn spread(self) -> [Self; 4];
    /// Returns the sum of the squares.
    fn length_squared(self) -> f64;
    /// Returns the sum of the components.
    fn total(self) -> f64;
}

/// A quad that one thread at a time changes.
pub trait Slot<Q>: Send + Sync {
    /// Creates a slot with a quad.
    fn new(quad: Q) -> Self;
    /// Returns the quad.
    fn get(&self) -> Q;
    /// Replaces the quad.
    fn set(&self, quad: Q);
}

impl<Q: bytemuck::Pod, const WORDS: usize> Slot<Q> for [AtomicU64; WORDS]
where
    [u64; WORDS]: bytemuck::Pod,
{
    #[inline]
    fn new(quad: Q) -> Self {
        bytemuck::cast::<Q, [u64; WORDS]>(quad).map(AtomicU64::new)
    }

    #[inline]
    fn get(&self) -> Q {
        bytemuck::cast(self.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    #[inline]
    fn set(&self, quad: Q) {
        let words: [u64; WORDS] = bytemuck::cast(quad);
        for (word, new) in std::iter::zip(self, words) {
            word.store(new, Ordering::Relaxed);
        }
    }
}

impl Scalar for f32 {
    type Quad = Vec4;
    type Slot = [AtomicU64; 2];
    const DEVICE: &str = "cpu";
    const ROUNDING: f64 = VELOCITY_ROUNDING;
}

impl Scalar for f64 {
    type Quad = DVec4;
    type Slot = [AtomicU64; 4];
    const DEVICE: &str = "reference (f64)";
    const ROUNDING: f64 = 0.0;
}

impl Quad for Vec4 {
    #[inline]
    fn new(vector: DVec3, last: f64) -> Self {
        vector.as_vec3().extend(last as f32)
    }

    #[inline]
    fn vector(self) -> DVec3 {
        self.truncate().as_dvec3()
    }

    #[inline]
    fn last(self) -> f64 {
        f64::from(self.w)
    }

    #[inline]
    fn spread(self) -> [Self; 4] {
        [self.xxxx(), self.yyyy(), self.zzzz(), self.wwww()]
    }

    #[inline]
    fn length_squared(self) -> f64 {
        f64::from(self.dot(self))
    }

    #[inline]
    fn total(self) -> f64 {
        f64::from(self.element_sum())
    }
}

impl Quad for DVec4 {
    #[inline]
    fn new(vector: DVec3, last: f64) -> Self {
        vector.extend(last)
    }

    #[inline]
    fn vector(self) -> DVec3 {
        self.truncate()
    }

    #[inline]
    fn last(self) -> f64 {
        self.w
    }

    #[inline]
    fn spread(self) -> [Self; 4] {
        [Self::splat(self.x), Self::splat(self.y), Self::splat(self.z), Self::splat(self.w)]
    }

    #[inline]
    fn length_squared(self) -> f64 {
        self.dot(self)
    }

    #[inline]
    fn total(self) -> f64 {
        self.element_sum()
    }
}
