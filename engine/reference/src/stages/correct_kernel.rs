//! Kernel gradients that are exact on affine fields, and the sums that the solve needs (eq. 10).

use glam::{DMat3, DVec3};
use tuff_scene::Scheme;

use crate::context::Context;
use crate::kernel::{slope, unstrained_length};
use crate::stages::curvature::Curvature;
use crate::state::{Moments, State};
use crate::symmetric::{eigen, pseudo_inverse, pseudo_inverse_scaled};
use crate::tensor::outer;

/// Largest `r^2 sum (g_b . e)^2` along an axis `e` of the moment; steeper gradients are scaled down to it. Neighbors within a
/// sixth of a spacing of a plane determine almost nothing of the gradient across the plane.
const STEEPEST: f64 = 6.0;

/// Computes `g_b` and `w'_b` of every pair and the [`Moments`] of every particle.
pub fn correct_kernel(context: &Context, state: &mut State) {
    state.moments.clear();
    for p in 0..state.particle_count() {
        let moments = correct(context, state, p);
        state.moments.push(moments);
    }
}

fn correct(context: &Context, state: &mut State, p: usize) -> Moments {
    let range = state.neighbor_range(p);
    let r = context.radius();
    if range.is_empty() || state.volume[p] == 0.0 {
        state.counters.isolated += u64::from(state.volume[p] > 0.0);
        return Moments { inverse_mass: split_inverse_mass(context, state, p), ..Moments::default() };
    }
    let offset = |state: &State, b: u32| state.position[b as usize] - state.position[p];
    let weight = |state: &State, b: u32, d: DVec3| {
        state.volume[b as usize] * slope(unstrained_length(state.metric[p], d), r)
    };
    let mut kernel_moment = DMat3::ZERO;
    let mut weighted_moment = DMat3::ZERO;
    let mut squares = DMat3::ZERO;
    let mut mean = DVec3::ZERO;
    let mut raw_weight = 0.0;
    let mut curvature = Curvature::zero();
    for i in range.clone() {
        let b = state.pairs[i].index;
        let d = offset(state, b);
        let w = weight(state, b, d);
        let a = w * d;
        let raw = raw_weight_of(state.pairs[i].quantized);
        curvature.add(d / r, w * r * r, state.pairs[i].quantized == 0);
        kernel_moment += outer(a, d);
        squares += outer(a, a);
        weighted_moment += raw * outer(a, d);
        mean += raw * d;
        raw_weight += raw;
        state.pairs[i].gradient = a;
    }
    let mut steepness = 0.0_f64;
    let (inverse, rank) = pseudo_inverse_scaled(kernel_moment, |axis, moment| {
        let steep = r * axis.dot(squares * axis).sqrt() / (STEEPEST.sqrt() * moment);
        steepness = steepness.max(steep);
        1.0 / steep.max(1.0)
    });
    let limited = steepness > 1.0;
    state.counters.rank_deficient += u64::from(rank < 3);
    state.counters.gradient_limited += u64::from(limited && context.settings.kernel_correction);
    let (moments, _) = eigen(weighted_moment);
    let share = match rank {
        // Matter whose memory has no bound never flows.
        3 if context.kernels_follow_strain() && state.memory_bound[p].is_infinite() => {
            let flatness = moments.min_element() / moments.max_element();
            curvature.share(steepness * steepness, flatness)
        }
        _ => 0.0,
    };
    let direction = if share > 0.0 {
        let corrector = curvature.corrector(inverse, share);
        let mut spans = DMat3::ZERO;
        for i in range.clone() {
            let b = state.pairs[i].index;
            let d = offset(state, b);
            let gradient = weight(state, b, d) * r * corrector.apply(d / r);
            state.pairs[i].gradient = gradient;
            spans += raw_weight_of(state.pairs[i].quantized) * outer(d, gradient);
        }
        spans.inverse() * mean
    } else if context.settings.kernel_correction {
        for pair in &mut state.pairs[range.clone()] {
            pair.gradient = inverse * pair.gradient;
        }
        kernel_moment * (pseudo_inverse(weighted_moment).0 * mean)
    } else {
        pseudo_inverse(weighted_moment).0 * mean
    };

    let own = split_inverse_mass(context, state, p);
    let mut m = Moments { direction, raw_weight, inverse_mass: own, rank, ..Moments::default() };
    let mut true_coupling = DVec3::ZERO;
    for i in range {
        let b = state.pairs[i].index as usize;
        let inverse_mass = split_inverse_mass(context, state, b);
        let pair = &mut state.pairs[i];
        let g = pair.gradient;
        let raw = raw_weight_of(pair.quantized);
        pair.weight = if raw_weight > 0.0 { raw * (1.0 - g.dot(direction)) / raw_weight } else { 0.0 };
        m.second += inverse_mass * outer(g, g);
        m.first += g;
        m.weight += pair.weight;
        m.memory_denominator += inverse_mass * pair.weight * pair.weight;
        true_coupling += state.inverse_mass[b] * pair.weight * g;
    }
    m.memory_denominator += own * m.weight * m.weight;
    m.coupling = true_coupling + state.inverse_mass[p] * m.weight * m.first;
    m
}

/// `w^ = (k / 255)^2`.
fn raw_weight_of(quantized: u8) -> f64 {
    (f64::from(quantized) / 255.0).powi(2)
}

/// Returns the inverse mass as seen by a row: in Jacobi sweeps a mass is split over the rows that use it, one per neighbor and
/// its own.
fn split_inverse_mass(context: &Context, state: &State, p: usize) -> f64 {
    match context.settings.scheme {
        Scheme::Jacobi => (state.neighbor_range(p).len() + 1) as f64 * state.inverse_mass[p],
        Scheme::GaussSeidel | Scheme::NewtonCg | Scheme::Auto => state.inverse_mass[p],
    }
}
