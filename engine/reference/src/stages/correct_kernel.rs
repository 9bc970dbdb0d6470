//! Kernel gradients that are exact on affine fields, and the sums that the solve needs (eq. 10).

use std::ops::Range;

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_problem::thresholds::{FLUID_COMPLETES_FROM, FLUID_COMPLETES_TO, STEEPEST};
use tuff_scene::Scheme;

use crate::batch::{LANES, eigen};
use crate::context::Context;
use crate::kernel::{Kernel, unstrained_length};
use crate::parallel::{self, BLOCK};
use crate::scalar::{Quad, Scalar};
use crate::stages::curvature::Curvature;
use crate::state::{Moments, State};
use crate::symmetric::pseudo_inverse_scaled;
use crate::tensor::{from_voigt, outer};

/// Returns the factor on the inverse of an eigenvalue of a fluid's moment.
fn completed(moment: f64) -> f64 {
    let (from, to) = (FLUID_COMPLETES_FROM, FLUID_COMPLETES_TO);
    moment + ((moment - from) / (to - from)).clamp(0.0, 1.0) * (1.0 - moment)
}

/// Limiters that acted on a particle.
#[derive(Default, Clone, Copy)]
struct Limited {
    isolated: bool,
    rank_deficient: bool,
    gradient: bool,
}

/// Sums of a particle that its correction follows from, `a_b` being the uncorrected gradients.
struct Sums {
    /// `sum a d^T`.
    kernel: DMat3,
    /// `sum w^ a d^T`.
    weighted: DMat3,
    /// `sum a a^T`.
    squares: DMat3,
    /// `sum w^ d`.
    mean: DVec3,
    /// `sum w^`.
    raw_weight: f64,
    /// Only of matter that never flows.
    curvature: Option<Curvature>,
    /// Number of a's before this particle's.
    first: usize,
}

/// Computes `g_b` and `w'_b` of every pair and the [`Moments`] of every particle.
pub fn correct_kernel<S: Scalar>(context: &Context, state: &mut State<S>) {
    let (mut rows, mut moments) = (std::mem::take(&mut state.rows), std::mem::take(&mut state.moments));
    rows.resize(state.neighbor.len(), S::Quad::default());
    moments.resize(state.particle_count(), Moments::default());
    let parts = parallel::parts(&mut rows, &state.neighbor_start, BLOCK);
    let limited: Vec<[u64; 3]> = (parts.into_par_iter().zip(moments.par_chunks_mut(BLOCK)))
        .map(|((range, rows), moments)| correct_block(context, state, range, rows, moments))
        .collect();
    (state.rows, state.moments) = (rows, moments);
    for [isolated, rank_deficient, gradient] in limited {
        state.counters.isolated += isolated;
        state.counters.rank_deficient += rank_deficient;
        state.counters.gradient_limited += gradient;
    }
}

/// Fills the rows and moments of a range of particles; returns how often the limiters of [`Limited`] acted.
fn correct_block<S: Scalar>(
    context: &Context,
    state: &State<S>,
    range: Range<usize>,
    mut rows: &mut [S::Quad],
    moments: &mut [Moments],
) -> [u64; 3] {
    let mut counts = [0; 3];
    let mut gradients = Vec::new();
    for first in range.clone().step_by(LANES) {
        gradients.clear();
        let particles = first..range.end.min(first + LANES);
        let sums: Vec<Sums> = particles.clone().map(|p| sums(context, state, p, &mut gradients)).collect();
        let lanes = |of: fn(&Sums) -> DMat3| -> [DMat3; LANES] {
            std::array::from_fn(|lane| sums.get(lane).map_or(DMat3::IDENTITY, of))
        };
        let (kernel, weighted) = (eigen(&lanes(|s| s.kernel)), eigen(&lanes(|s| s.weighted)));
        for (lane, p) in particles.enumerate() {
            let count = state.neighbor_range(p).len();
            let own;
            (own, rows) = rows.split_at_mut(count);
            let gradients = &mut gradients[sums[lane].first..][..count];
            let axes = [kernel[lane], weighted[lane]];
            let limited;
            (moments[p - range.start], limited) =
                correct(context, state, p, &sums[lane], axes, gradients, own);
            for (count, limited) in
                std::iter::zip(&mut counts, [limited.isolated, limited.rank_deficient, limited.gradient])
            {
                *count += u64::from(limited);
            }
        }
    }
    counts
}

fn offset<S: Scalar>(state: &State<S>, p: usize, i: usize) -> DVec3 {
    state.position[state.neighbor[i] as usize] - state.position[p]
}

/// Returns `V_b (-W'(|d'|) / |d'|)`. A fluid sees all volumes that it cannot take, other matter none of a fluid's, and stiff matter none
/// of a soft body.
fn weight<S: Scalar>(
    context: &Context,
    kernel: &Kernel,
    state: &State<S>,
    p: usize,
    i: usize,
    d: DVec3,
) -> f64 {
    let b = state.neighbor[i] as usize;
    if context.contrast.overlooks(state.body[p], state.body[b]) {
        return 0.0;
    }
    let seen = if state.is_fluid(p) { context.filled(state, p, b) } else { state.volume[b].max(0.0) };
    seen * kernel.slope(unstrained_length(state.metric[p], d))
}

/// Returns the sums of p and appends its uncorrected gradients.
fn sums<S: Scalar>(context: &Context, state: &State<S>, p: usize, gradients: &mut Vec<DVec3>) -> Sums {
    let r = context.radius();
    // Matter whose memory has no bound never flows.
    let bends = context.kernels_follow_strain() && state.memory_bound[p].is_infinite() && !state.is_fluid(p);
    let kernel = context.kernel();
    let mut curvature = bends.then(Curvature::zero);
    let (mut moment, mut squares, mut weighted) = ([0.0; 6], [0.0; 6], [0.0; 6]);
    let (mut mean, mut raw_weight) = (DVec3::ZERO, 0.0);
    let first = gradients.len();
    if let Some(row) = context.total.row(state.id[p]) {
        gradients.extend(state.neighbor_range(p).map(|i| kept_gradient(context, state, p, row, i)));
        let zero = DMat3::ZERO;
        let raw_weight = context.total.raw_weight[row];
        return Sums {
            kernel: zero,
            weighted: zero,
            squares: zero,
            mean,
            raw_weight,
            curvature: None,
            first,
        };
    }
    for i in state.neighbor_range(p) {
        let d = offset(state, p, i);
        let w = weight(context, &kernel, state, p, i, d);
        let raw = raw_weight_of(state.quantized[i]);
        if let Some(curvature) = &mut curvature {
            curvature.add(d / r, w * r * r, state.quantized[i] == 0);
        }
        // a = w d: all three are sums of d d^T.
        let products = [d.x * d.x, d.y * d.y, d.z * d.z, d.y * d.z, d.x * d.z, d.x * d.y];
        for k in 0..6 {
            moment[k] += w * products[k];
            squares[k] += w * w * products[k];
            weighted[k] += raw * w * products[k];
        }
        mean += raw * d;
        raw_weight += raw;
        gradients.push(w * d);
    }
    let [kernel, squares, weighted] = [moment, squares, weighted].map(from_voigt);
    Sums { kernel, weighted, squares, mean, raw_weight, curvature, first }
}

/// Returns the moments of p and sets its rows; `axes` are eigenvalues and eigenvectors of the sums `kernel` and `weighted`, `gradients` the
/// uncorrected ones.
fn correct<S: Scalar>(
    context: &Context,
    state: &State<S>,
    p: usize,
    sums: &Sums,
    [kernel, weighted]: [(DVec3, DMat3); 2],
    gradients: &mut [DVec3],
    rows: &mut [S::Quad],
) -> (Moments, Limited) {
    let range = state.neighbor_range(p);
    let r = context.radius();
    let own = split_inverse_mass(context, state, p);
    if let Some(row) = context.total.row(state.id[p]) {
        // F q0: w' = w^ (1 - g . q) / sum w^ is what it was at the start.
        let direction = state.unstretch[p].transpose().inverse() * context.total.direction[row];
        let start = Moments {
            direction,
            raw_weight: sums.raw_weight,
            inverse_mass: own,
            rank: 3,
            ..Moments::default()
        };
        return (moments_of(context, state, p, start, gradients, rows), Limited::default());
    }
    if range.is_empty() || state.volume[p] == 0.0 {
        let limited = Limited { isolated: state.volume[p] != 0.0, ..Limited::default() };
        rows.fill(S::Quad::default());
        return (Moments { inverse_mass: own, ..Moments::default() }, limited);
    }
    let mut steepness = 0.0_f64;
    let fluid = state.is_fluid(p);
    let (inverse, rank) = pseudo_inverse_scaled(kernel, |axis, moment| {
        if fluid {
            return completed(moment);
        }
        let steep = r * axis.dot(sums.squares * axis).sqrt() / (STEEPEST.sqrt() * moment);
        steepness = steepness.max(steep);
        1.0 / steep.max(1.0)
    });
    let corrected = context.settings.kernel_correction;
    let limited = Limited {
        isolated: false,
        rank_deficient: rank < 3 && !fluid,
        gradient: steepness > 1.0 && corrected,
    };
    let curved = sums.curvature.as_ref().filter(|_| rank == 3).map(|curvature| {
        let flatness = weighted.0.min_element() / weighted.0.max_element();
        (curvature, curvature.share(steepness * steepness, flatness))
    });
    let weighted_inverse = || pseudo_inverse_scaled(weighted, |_, _| 1.0).0;
    let direction = match curved {
        Some((curvature, share)) if share > 0.0 => {
            let corrector = curvature.corrector(inverse, share);
            let mut spans = DMat3::ZERO;
            for (i, gradient) in std::iter::zip(range.clone(), &mut *gradients) {
                let d = offset(state, p, i);
                *gradient = weight(context, &context.kernel(), state, p, i, d) * r * corrector.apply(d / r);
                spans += raw_weight_of(state.quantized[i]) * outer(d, *gradient);
            }
            spans.inverse() * sums.mean
        }
        _ if corrected => {
            for gradient in &mut *gradients {
                *gradient = inverse * *gradient;
            }
            sums.kernel * (weighted_inverse() * sums.mean)
        }
        _ => weighted_inverse() * sums.mean,
    };

    // A fluid compares itself with the mean of the grains around it, on which side of it they may be.
    let direction = if fluid { DVec3::ZERO } else { direction };
    // The energy of a fluid in pores is that of the space which it shares.
    if fluid && !context.mixtures.is_empty() {
        for gradient in &mut *gradients {
            *gradient /= state.room[p].part;
        }
    }
    let start =
        Moments { direction, raw_weight: sums.raw_weight, inverse_mass: own, rank, ..Moments::default() };
    (moments_of(context, state, p, start, gradients, rows), limited)
}

/// Returns `g_b = F^-T g0_b` of a pair that a particle of a total body keeps; 0 of one that only contact sees.
fn kept_gradient<S: Scalar>(context: &Context, state: &State<S>, p: usize, row: usize, i: usize) -> DVec3 {
    if state.near_range(p).contains(&i) {
        return DVec3::ZERO;
    }
    let kept = context.total.neighbors(row);
    let found = kept.binary_search_by_key(&state.id[state.neighbor[i] as usize], |pair| pair.id);
    found.map_or(DVec3::ZERO, |k| state.unstretch[p] * kept[k].gradient)
}

/// Sets the rows of p from its gradients, and returns `m` with the sums over them.
fn moments_of<S: Scalar>(
    context: &Context,
    state: &State<S>,
    p: usize,
    mut m: Moments,
    gradients: &[DVec3],
    rows: &mut [S::Quad],
) -> Moments {
    let Moments { direction, raw_weight, inverse_mass: own, .. } = m;
    // The rest of the sums belongs to the rows of sweeps.
    let sweeps = !context.settings.newton();
    let mut true_coupling = DVec3::ZERO;
    for (i, (gradient, row)) in std::iter::zip(state.neighbor_range(p), std::iter::zip(gradients, rows)) {
        let b = state.neighbor[i] as usize;
        let inverse_mass = split_inverse_mass(context, state, b);
        let raw = raw_weight_of(state.quantized[i]);
        let weight = if raw_weight > 0.0 { raw * (1.0 - gradient.dot(direction)) / raw_weight } else { 0.0 };
        // The sums are those of the rows as they are stored.
        *row = S::Quad::new(*gradient, weight);
        let (g, weight) = (row.vector(), row.last());
        m.first += g;
        m.weight += weight;
        if sweeps {
            m.second += inverse_mass * outer(g, g);
            m.memory_denominator += inverse_mass * weight * weight;
            true_coupling += state.inverse_mass[b] * weight * g;
        }
    }
    m.memory_denominator += own * m.weight * m.weight;
    m.coupling = true_coupling + state.inverse_mass[p] * m.weight * m.first;
    m
}

/// `w^ = (k / 255)^2`.
fn raw_weight_of(quantized: u8) -> f64 {
    let root = f64::from(quantized) / 255.0;
    root * root
}

/// Returns the inverse mass as seen by a row: in Jacobi sweeps a mass is split over the rows that use it, one per neighbor and
/// its own.
fn split_inverse_mass<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> f64 {
    match context.settings.scheme {
        Scheme::Jacobi => (state.neighbor_range(p).len() + 1) as f64 * state.inverse_mass[p],
        Scheme::GaussSeidel | Scheme::NewtonCg | Scheme::Auto => state.inverse_mass[p],
    }
}
