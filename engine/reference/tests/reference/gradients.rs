//! Kernel correction and memory weights.

use glam::{DMat3, DVec3};
use tuff_scene::SolverSettings;

use super::setup::{Noise, block, elastic, settings, state};
use tuff_reference::context::{Context, Step};
use tuff_reference::state::State;
use tuff_reference::strain::gather;
use tuff_reference::substep::prepare;
use tuff_reference::symmetric::eigen;
use tuff_reference::tensor::{norm, outer};

const STEP: Step = Step { time: 0.0, dt: 1e-3 };

fn prepared(positions: &[DVec3], settings: SolverSettings) -> (Context, State) {
    let context = elastic(settings);
    let mut state = state(&context, positions, context.radius());
    prepare(&context, STEP, &mut state);
    (context, state)
}

/// Neighborhoods and the projector onto the directions that they span.
fn clouds(r: f64) -> Vec<(&'static str, Vec<DVec3>, DMat3)> {
    let turn = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.8);
    let span = |diagonal: DVec3| turn * DMat3::from_diagonal(diagonal) * turn.transpose();
    let flat = |n, jitter, keep: DVec3| -> Vec<DVec3> {
        block(n, r, jitter, 3).iter().map(|p| turn * (*p * keep)).collect()
    };
    let plane = DVec3::new(1.0, 1.0, 0.0);
    let corners = [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0), (0.0, 0.1, 0.0)];
    let tetrahedron = corners.iter().map(|&c| 0.5 * r * DVec3::from(c)).collect();
    vec![
        ("cloud", block([4; 3], r, 0.3, 1), DMat3::IDENTITY),
        ("lattice", block([4; 3], r, 0.0, 1), DMat3::IDENTITY),
        ("two layers", block([5, 5, 2], r, 0.2, 2), DMat3::IDENTITY),
        ("plate", flat([5, 5, 1], 0.2, plane), span(plane)),
        ("line", flat([6, 1, 1], 0.2, DVec3::X), span(DVec3::X)),
        ("pair", flat([2, 1, 1], 0.0, DVec3::X), span(DVec3::X)),
        ("tetrahedron", tetrahedron, DMat3::IDENTITY),
    ]
}

fn affine(state: &mut State, gradient: DMat3) {
    for p in 0..state.particle_count() {
        state.velocity[p] = gradient * state.position[p] + DVec3::new(3.0, -2.0, 5.0);
    }
}

#[test]
fn corrected_gradients_are_exact_on_affine_fields() {
    let gradient = Noise::new(11).matrix();
    for (name, positions, span) in clouds(0.1) {
        let (_, mut state) = prepared(&positions, settings(0.1));
        affine(&mut state, gradient);
        for p in 0..state.particle_count() {
            let error = norm(gather(&state, &state.velocity, p).gradient - gradient * span);
            assert!(error < 1e-12, "{name}, particle {p}: {error:e}");
        }
    }
}

#[test]
fn memory_row_vanishes_on_affine_fields_and_exerts_no_torque() {
    let gradient = Noise::new(12).matrix();
    for kernel_correction in [true, false] {
        for (name, positions, _) in clouds(0.1) {
            let (_, mut state) = prepared(&positions, SolverSettings { kernel_correction, ..settings(0.1) });
            affine(&mut state, gradient);
            for p in 0..state.particle_count() {
                let row = gather(&state, &state.velocity, p).non_affine;
                let arm: DVec3 = (state.neighbors(p))
                    .map(|pair| pair.weight * (state.position[pair.index] - state.position[p]))
                    .sum();
                assert!(row.length() < 1e-13, "{name}, particle {p}: {row}");
                assert!(arm.length() < 1e-14, "{name}, particle {p}: {arm}");
            }
        }
    }
}

#[test]
fn memory_row_sees_what_the_gradient_does_not() {
    let (_, mut state) = prepared(&block([4; 3], 0.1, 0.0, 1), settings(0.1));
    for p in 0..state.particle_count() {
        let layer = (state.position[p].x / 0.1).round() as i32;
        state.velocity[p] = if layer % 2 == 0 { DVec3::Z } else { -DVec3::Z };
    }
    let index = state.index_of_id();
    let inner = index[21];
    let gathered = gather(&state, &state.velocity, inner);
    assert!(norm(gathered.gradient) < 1e-12, "{}", gathered.gradient);
    assert!(gathered.non_affine.length() > 0.5, "{}", gathered.non_affine);
}

#[test]
fn bodies_do_not_remember_each_other() {
    let context = elastic(settings(0.1));
    let mut state = state(&context, &block([4, 2, 2], 0.1, 0.1, 1), 0.1);
    for p in 0..state.particle_count() {
        state.body[p] = u32::from(state.position[p].x > 0.15);
    }
    prepare(&context, STEP, &mut state);
    let mut across = 0;
    for p in 0..state.particle_count() {
        for pair in state.neighbors(p).filter(|pair| state.body[pair.index] != state.body[p]) {
            across += 1;
            assert!(pair.quantized == 0 && pair.weight == 0.0);
            assert!(pair.gradient.length() > 0.0);
        }
    }
    assert!(across > 0);
}

/// Bending, `u_x = -c x y`: a lattice's outermost layer sees the strain of its own plane; with the published gradient, the strain
/// of a plane 0.146 spacings farther in (closed form: `sum a d_x^2 d_y / sum a d_x^2`), as does matter that can flow.
#[test]
fn surfaces_see_their_own_bending() {
    let (r, c) = (0.1, 2.0);
    let off = |stabilization: f64, bound: f64| {
        let context = elastic(SolverSettings { stabilization, ..settings(r) });
        let mut state = state(&context, &block([5; 3], r, 0.0, 1), r);
        state.memory_bound.fill(bound);
        prepare(&context, STEP, &mut state);
        let top = state.position.iter().map(|x| x.y).fold(f64::MIN, f64::max);
        let middle = state.position[state.index_of_id()[62]];
        for p in 0..state.particle_count() {
            let d = state.position[p] - middle;
            state.velocity[p] = -c * d.x * d.y * DVec3::X;
        }
        let at = |p: &usize| (state.position[*p] - middle.with_y(top)).length() < 0.1 * r;
        let p = (0..state.particle_count()).find(at).unwrap();
        let seen = gather(&state, &state.velocity, p).gradient.x_axis.x;
        (seen / -c - (top - middle.y)) / r
    };
    assert!(off(2.0, f64::INFINITY).abs() < 0.02, "{}", off(2.0, f64::INFINITY));
    assert!((off(0.0, f64::INFINITY) + 0.1459).abs() < 1e-3, "{}", off(0.0, f64::INFINITY));
    assert!((off(2.0, 1e-3) + 0.1459).abs() < 1e-3, "{}", off(2.0, 1e-3));
}

#[test]
fn a_scaled_scene_has_scaled_gradients() {
    for (name, positions, _) in clouds(0.1) {
        let (_, state) = prepared(&positions, settings(0.1));
        for scale in [1e-3, 1e3] {
            let scaled: Vec<DVec3> = positions.iter().map(|p| scale * *p).collect();
            let (_, other) = prepared(&scaled, settings(0.1 * scale));
            let (index, other_index) = (state.index_of_id(), other.index_of_id());
            for (&p, &q) in std::iter::zip(&index, &other_index) {
                let sum = |s: &State, p: usize| s.neighbors(p).map(|i| i.gradient).sum::<DVec3>();
                let error = (sum(&state, p) - scale * sum(&other, q)).length();
                assert!(error < 1e-9 / 0.1, "{name}, scale {scale}: {error:e}");
            }
            assert_eq!(state.counters.rank_deficient, other.counters.rank_deficient, "{name}");
        }
    }
}

#[test]
fn neighbors_agree_with_all_pairs_across_the_seam_of_the_grid() {
    let far = DVec3::new(40.0, 0.0, 0.0);
    let mut positions = block([5; 3], 0.1, 0.4, 9);
    positions.extend(block([3; 3], 0.1, 0.4, 10).iter().map(|p| *p + far));
    let (_, state) = prepared(&positions, settings(0.1));
    for p in 0..state.particle_count() {
        let rounded = |q: usize| state.position[q].as_vec3().as_dvec3();
        let near = |&q: &usize| q != p && (rounded(q) - rounded(p)).length_squared() < 0.2_f64.powi(2);
        let expected: Vec<usize> = (0..state.particle_count()).filter(near).collect();
        let mut found: Vec<usize> = state.neighbors(p).map(|pair| pair.index).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "particle {p}");
    }
}

#[test]
fn lone_particles_and_thin_neighborhoods_are_counted() {
    let positions = [DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0), DVec3::splat(5.0)];
    let (_, state) = prepared(&positions, settings(0.1));
    assert_eq!((state.counters.rank_deficient, state.counters.isolated), (2, 1));
}

/// A layer of particles alternately above and below their mean plane, by this fraction of their spacing.
fn uneven_layer(r: f64, height: f64) -> Vec<DVec3> {
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let flat = block([6, 6, 1], r, 0.0, 1);
    flat.iter().enumerate().map(|(i, x)| *x + height * r * sign(i / 6 + i % 6) * DVec3::Z).collect()
}

#[test]
fn neighbors_almost_in_a_plane_tell_little_of_the_gradient_across_it() {
    let r = 0.1;
    for (height, rank, limited) in
        [(0.005, 2, false), (0.03, 3, true), (0.12, 3, true), (0.25, 3, false), (0.35, 3, false)]
    {
        let (_, state) = prepared(&uneven_layer(r, height), settings(r));
        let across = |p: usize| {
            let squares = state.neighbors(p).map(|pair| outer(pair.gradient, pair.gradient));
            r * r * eigen(squares.fold(DMat3::ZERO, |sum, square| sum + square)).0.max_element()
        };
        let steepest = (0..state.particle_count()).map(across).fold(0.0, f64::max);
        assert!(state.moments.iter().all(|m| m.rank == rank), "{height}");
        assert_eq!(state.counters.gradient_limited > 0, limited, "{height}");
        if limited {
            assert!((steepest - 6.0).abs() < 0.3, "{height}: {steepest}");
        } else {
            assert!(steepest < 6.0, "{height}: {steepest}");
        }
    }
}
