//! Loops over particles on all cores. Results do not depend on the number of threads: values are computed particle by particle or in
//! batches of fixed indices, and sums are taken over blocks of fixed size, then over the blocks in order.

use std::ops::Range;

use rayon::prelude::*;

/// Particles that one task takes at least.
const GRAIN: usize = 64;

/// Particles of a block.
pub const BLOCK: usize = 512;

/// Runs `f` on a thread of the pool: loops that begin there need not wake it.
pub fn within<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| f())
}

/// Returns the number of threads.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Returns `f(p)` for every p below `count`.
pub fn map<T: Send>(count: usize, f: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    (0..count).into_par_iter().with_min_len(GRAIN).map(f).collect()
}

/// Returns both values of `f(p)` for every p below `count`.
pub fn map_two<A: Send, B: Send>(
    count: usize,
    f: impl Fn(usize) -> (A, B) + Send + Sync,
) -> (Vec<A>, Vec<B>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    (0..count).into_par_iter().with_min_len(GRAIN).map(f).unzip_into_vecs(&mut a, &mut b);
    (a, b)
}

/// As [`map`], N indices at a time; the last ones are repeated to fill a batch.
pub fn map_by<const N: usize, T: Send>(
    count: usize,
    f: impl Fn([usize; N]) -> [T; N] + Send + Sync,
) -> Vec<T> {
    let batches = (0..count.div_ceil(N)).into_par_iter().with_min_len(GRAIN.div_ceil(N));
    let results: Vec<[T; N]> = batches.map(|i| f(batch(i, count))).collect();
    let mut results = results.into_flattened();
    results.truncate(count);
    results
}

/// Returns the indices of a batch.
fn batch<const N: usize>(index: usize, count: usize) -> [usize; N] {
    std::array::from_fn(|lane| (index * N + lane).min(count - 1))
}

/// Calls `f(number, indices)` with batches of N indices below `count`; the last ones are repeated to fill a batch. Returns a value
/// for each index and another for each batch.
pub fn batches<const N: usize, A: Send, B: Send>(
    count: usize,
    f: impl Fn(usize, &[usize; N]) -> ([A; N], B) + Send + Sync,
) -> (Vec<A>, Vec<B>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let batches = (0..count.div_ceil(N)).into_par_iter().with_min_len(GRAIN.div_ceil(N));
    batches.map(|i| f(i, &batch(i, count))).unzip_into_vecs(&mut a, &mut b);
    let mut a: Vec<A> = a.into_flattened();
    a.truncate(count);
    (a, b)
}

/// Calls `f(p, value)` with every value.
pub fn each<T: Send>(values: &mut [T], f: impl Fn(usize, &mut T) + Send + Sync) {
    values.par_iter_mut().with_min_len(GRAIN).enumerate().for_each(|(p, value)| f(p, value));
}

/// Calls `f(p, a, b)` with the values of two arrays of the same length.
pub fn each_of_two<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    f: impl Fn(usize, &mut A, &mut B) + Send + Sync,
) {
    let pairs = a.par_iter_mut().zip(b).with_min_len(GRAIN).enumerate();
    pairs.for_each(|(p, (a, b))| f(p, a, b));
}

/// As [`each_of_two`], with three arrays.
pub fn each_of_three<A: Send, B: Send, C: Send>(
    a: &mut [A],
    b: &mut [B],
    c: &mut [C],
    f: impl Fn(usize, &mut A, &mut B, &mut C) + Send + Sync,
) {
    let triples = a.par_iter_mut().zip(b).zip(c).with_min_len(GRAIN).enumerate();
    triples.for_each(|(p, ((a, b), c))| f(p, a, b, c));
}

/// Returns `f` of every block of consecutive indices below `count`, in order.
pub fn blocks<T: Send>(count: usize, f: impl Fn(Range<usize>) -> T + Send + Sync) -> Vec<T> {
    let block = |b: usize| b * BLOCK..count.min((b + 1) * BLOCK);
    (0..count.div_ceil(BLOCK)).into_par_iter().map(|b| f(block(b))).collect()
}

/// Splits the values of parts of `size` consecutive particles, whose values begin at `start`, shape [particle_count + 1].
pub fn parts<'a, T>(mut values: &'a mut [T], start: &[u32], size: usize) -> Vec<(Range<usize>, &'a mut [T])> {
    let count = start.len() - 1;
    let mut parts = Vec::with_capacity(count.div_ceil(size));
    for first in (0..count).step_by(size) {
        let last = count.min(first + size);
        let part;
        (part, values) = values.split_at_mut((start[last] - start[first]) as usize);
        parts.push((first..last, part));
    }
    parts
}

/// Returns the sum of `f(p)` over every p below `count`.
pub fn sum(count: usize, f: impl Fn(usize) -> f64 + Send + Sync) -> f64 {
    sums(count, |p| [f(p)])[0]
}

/// Returns several sums over every p below `count`.
pub fn sums<const N: usize>(count: usize, f: impl Fn(usize) -> [f64; N] + Send + Sync) -> [f64; N] {
    let add = |a: [f64; N], b: [f64; N]| std::array::from_fn(|i| a[i] + b[i]);
    let blocks = blocks(count, |block| block.map(&f).fold([0.0; N], add));
    blocks.into_iter().fold([0.0; N], add)
}
