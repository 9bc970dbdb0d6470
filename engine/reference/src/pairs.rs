//! The loops over pairs that take most of the time of a solve.

use glam::{DMat3, DVec3};

use crate::parallel;
use crate::scalar::{Quad, Scalar};
use crate::state::State;
use crate::strain::Gathered;

/// What the pairs of a particle do to their other particles: three columns of a matrix H and a vector m; a pair adds `H g + w' m`.
pub type Action<S> = [<S as Scalar>::Quad; 4];

/// Rounds vectors to the number type of pairs.
pub fn field<S: Scalar>(vectors: &[DVec3]) -> Vec<S::Quad> {
    parallel::map(vectors.len(), |p| S::Quad::new(vectors[p], 0.0))
}

/// Returns the action of a matrix on gradients and of a vector on memory weights.
pub fn action<S: Scalar>(matrix: DMat3, memory: DVec3) -> Action<S> {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis, memory].map(|column| S::Quad::new(column, 0.0))
}

/// Sums `(u_b - u_p) g_b^T` and `w'_b (u_b - u_p)` over the pairs of p, u being a [`field`].
pub fn gather_field<S: Scalar>(state: &State<S>, field: &[S::Quad], p: usize) -> Gathered {
    gather_by(state, |b| field[b], p)
}

/// As [`gather_field`], of quads by index; their fourth numbers count for nothing.
#[inline]
pub fn gather_by<S: Scalar>(state: &State<S>, field: impl Fn(usize) -> S::Quad, p: usize) -> Gathered {
    let range = state.neighbor_range(p);
    let own = field(p);
    let mut sums = [S::Quad::default(); 3];
    for (&row, &b) in std::iter::zip(&state.rows[range.clone()], &state.neighbor[range]) {
        let [x, y, z, _] = (field(b as usize) - own).spread();
        sums = [sums[0] + row * x, sums[1] + row * y, sums[2] + row * z];
    }
    let [x, y, z] = sums;
    Gathered {
        gradient: DMat3::from_cols(x.vector(), y.vector(), z.vector()).transpose(),
        non_affine: DVec3::new(x.last(), y.last(), z.last()),
    }
}

/// Sums the actions on p over all pairs that it is part of, on either side.
pub fn collect<S: Scalar>(state: &State<S>, actions: &[Action<S>], p: usize) -> DVec3 {
    let range = state.neighbor_range(p);
    let mut sum = S::Quad::default();
    for (row, &b) in std::iter::zip(&state.back_rows[range.clone()], &state.back_neighbor[range]) {
        sum = sum + apply(&actions[b as usize], *row);
    }
    let moments = &state.moments[p];
    let [x, y, z, memory] = actions[p].map(Quad::vector);
    sum.vector() - DMat3::from_cols(x, y, z) * moments.first - moments.weight * memory
}

/// Sums the squares of the actions on p over all pairs that it is part of, on either side.
pub fn collect_squares<S: Scalar>(state: &State<S>, actions: &[Action<S>], p: usize) -> f64 {
    let range = state.neighbor_range(p);
    let mut squares = S::Quad::default();
    for (row, &b) in std::iter::zip(&state.back_rows[range.clone()], &state.back_neighbor[range]) {
        let y = apply(&actions[b as usize], *row);
        squares = squares + y * y;
    }
    let moments = &state.moments[p];
    squares.total() + apply(&actions[p], S::Quad::new(moments.first, moments.weight)).length_squared()
}

/// Sums, over the actions y on p of all pairs that it is part of, `y y^T + (share_b |y|^2 + y_4^2 / 3) I`, y_4 being the fourth
/// component and b the pair's first particle.
pub fn collect_blocks<S: Scalar>(state: &State<S>, actions: &[Action<S>], share: &[f64], p: usize) -> DMat3 {
    let range = state.neighbor_range(p);
    let (mut columns, mut diagonal) = ([S::Quad::default(); 3], 0.0);
    let mut add = |b: usize, row: S::Quad| {
        let y = apply(&actions[b], row);
        let [first, second, third, _] = y.spread();
        columns = [columns[0] + y * first, columns[1] + y * second, columns[2] + y * third];
        let memory = y.last() * y.last();
        diagonal += share[b] * (y.length_squared() - memory) + memory / 3.0;
    };
    for (&row, &b) in std::iter::zip(&state.back_rows[range.clone()], &state.back_neighbor[range]) {
        add(b as usize, row);
    }
    let moments = &state.moments[p];
    add(p, S::Quad::new(moments.first, moments.weight));
    let [x, y, z] = columns.map(Quad::vector);
    DMat3::from_cols(x, y, z) + DMat3::from_diagonal(DVec3::splat(diagonal))
}

/// Returns what an action does to the other particle of a pair.
#[inline]
pub fn apply<Q: Quad>(action: &[Q; 4], row: Q) -> Q {
    let [x, y, z, w] = row.spread();
    action[0] * x + action[1] * y + (action[2] * z + action[3] * w)
}
