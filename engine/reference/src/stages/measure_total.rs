//! What total bodies have become since the start: deformation, elastic strain and zero-energy displacement, measured over the neighbors
//! that their particles keep.

use glam::{DMat3, DVec3};

use tuff_problem::LEAST_STRETCH;

use crate::context::Context;
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;
use crate::symmetric::eigen;
use crate::tensor::{outer, symmetric_part};

/// What is measured at a particle.
struct Measured {
    strain: DMat3,
    deformation: DMat3,
    memory: DVec3,
    unfolded: bool,
}

/// Measures `F = sum (x_b - x_p) g0_b^T` and `h = sum w'_b (x_b - x_p)` of the particles of total bodies; sets their strain
/// `E = F C_p^-1 F^T - I`, volume ratio, deformation gradient, memory and F^-T.
pub fn measure_total<S: Scalar>(context: &Context, state: &mut State<S>) {
    if context.total.count() == 0 {
        return;
    }
    let first = context.total.first_particle as usize;
    let measured = parallel::map(context.total.count(), |row| measure(context, state, row));
    state.unstretch = vec![DMat3::IDENTITY; state.particle_count()];
    for (row, new) in measured.iter().enumerate() {
        let p = state.place[first + row];
        state.strain[p] = new.strain;
        state.deformation[p] = new.deformation;
        state.volume_ratio[p] = new.deformation.determinant();
        state.memory[p] = new.memory;
        state.unstretch[p] = new.deformation.inverse().transpose();
        state.counters.unfolded += u64::from(new.unfolded);
    }
}

fn measure<S: Scalar>(context: &Context, state: &State<S>, row: usize) -> Measured {
    let total = &context.total;
    let p = state.place[total.first_particle as usize + row];
    let (raw_weight, direction) = (total.raw_weight[row], total.direction[row]);
    let (mut deformation, mut memory) = (DMat3::ZERO, DVec3::ZERO);
    for pair in total.neighbors(row) {
        let d = state.position[state.place[pair.id as usize]] - state.position[p];
        let root = f64::from(pair.weight) / 255.0;
        deformation += outer(d, pair.gradient);
        memory += root * root * (1.0 - pair.gradient.dot(direction)) * d;
    }
    if raw_weight == 0.0 {
        // Sinks took its neighbors.
        (deformation, memory) = (DMat3::IDENTITY, DVec3::ZERO);
    } else {
        memory /= raw_weight;
    }
    let (deformation, unfolded) = unfold(deformation);
    let change = deformation - DMat3::IDENTITY;
    let strain = change
        + change.transpose()
        + change * change.transpose()
        + deformation * state.plastic[p] * deformation.transpose();
    Measured { strain: symmetric_part(strain), deformation, memory, unfolded }
}

/// Raises the principal stretches of a deformation to [`LEAST_STRETCH`], and returns whether any was less. The least stretch of a
/// deformation that turns matter inside out is negative: raised, it resists with a pressure along its own axis, which turns the matter
/// back.
pub fn unfold(f: DMat3) -> (DMat3, bool) {
    let (squares, axes) = eigen(f.transpose() * f);
    if f.determinant() > 0.0 && squares.min_element() >= LEAST_STRETCH * LEAST_STRETCH {
        return (f, false);
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| squares[b].total_cmp(&squares[a]));
    let from = order.map(|axis| axes.col(axis));
    let handed = from[0].cross(from[1]).dot(from[2]).signum();
    let first = (f * from[0]).try_normalize().unwrap_or(from[0]);
    let second = (f * from[1]).reject_from_normalized(first);
    let second = second.try_normalize().unwrap_or_else(|| first.any_orthonormal_vector());
    let to = [first, second, handed * first.cross(second)];
    let raised = |i: usize| (f * from[i]).dot(to[i]).max(LEAST_STRETCH) * outer(to[i], from[i]);
    (raised(0) + raised(1) + raised(2), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::norm;

    #[test]
    fn ordinary_deformations_stay() {
        let f = DMat3::from_axis_angle(DVec3::Z, 2.0) * DMat3::from_diagonal(DVec3::new(5.0, 0.4, 0.2));
        assert_eq!(unfold(f), (f, false));
    }

    #[test]
    fn the_least_stretch_is_raised() {
        let (a, b) = (DMat3::from_axis_angle(DVec3::X, 0.7), DMat3::from_axis_angle(DVec3::Y, -1.3));
        for (stretch, expected) in [
            (DVec3::new(2.0, 1.0, -0.8), DVec3::new(2.0, 1.0, 0.1)),
            (DVec3::new(2.0, 0.01, 1.0), DVec3::new(2.0, 0.1, 1.0)),
            (DVec3::new(1.5, 0.0, 0.0), DVec3::new(1.5, 0.1, 0.1)),
        ] {
            let with = |stretch| a * DMat3::from_diagonal(stretch) * b;
            let (raised, unfolded) = unfold(with(stretch));
            assert!(unfolded && raised.determinant() > 0.0);
            // Where two stretches vanish, their axes are arbitrary.
            let compared = if stretch.z == 0.0 {
                eigen(raised.transpose() * raised).0.element_sum() - expected.length_squared()
            } else {
                norm(raised - with(expected))
            };
            assert!(compared.abs() < 1e-9, "{stretch}: {compared:e}");
        }
    }
}
