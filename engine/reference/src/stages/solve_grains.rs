//! Particles as rigid spheres with point friction (Macklin et al. 2014, "Unified particle physics", sec. 6.1).

use glam::DVec3;
use tuff_problem::COLOR_COUNT;
use tuff_scene::Matter;

use crate::context::{Context, Step};
use crate::scalar::{Quad, Scalar};
use crate::state::State;
use crate::sweep::Sweep;

/// Runs one sweep over the candidate pairs by color, cell and id.
pub fn solve_grains<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let Matter::Grains { friction } = context.settings.matter else { return };
    let sweep = Sweep::begin(state);
    for color in 0..COLOR_COUNT {
        sweep.color(state, color, |state, owns, counters| {
            for own in owns {
                counters.position_corrected += collide(context, step, state, &sweep, own.p, friction);
            }
        });
    }
    sweep.show(state);
}

/// For each candidate b > p that overlaps by `s = r - |d + dt (v_b - v_p)| > 0`: pushes the pair apart by s along the normal, and
/// undoes its tangential displacement in this substep by at most `friction` s, or all of it if the grains stick. Returns the number of pairs.
fn collide<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    sweep: &Sweep<S>,
    p: usize,
    friction: f64,
) -> u64 {
    let mut pushed = 0;
    for i in state.near_range(p) {
        let b = state.neighbor[i] as usize;
        let mobility = state.inverse_mass[p] + state.inverse_mass[b];
        if b < p || mobility == 0.0 {
            continue;
        }
        let relative = (sweep.velocity.get(b) - sweep.velocity.get(p)).vector();
        let d = state.position[b] - state.position[p] + step.dt * relative;
        let overlap = context.min_distance() - d.length();
        if overlap <= 0.0 {
            continue;
        }
        let normal = d.try_normalize().unwrap_or(DVec3::Y);
        let slip = relative - relative.dot(normal) * normal;
        let held = slip.clamp_length_max(friction * overlap / step.dt);
        let impulse = (overlap / step.dt * normal - held) / mobility;
        sweep.velocity.push(b, S::Quad::new(impulse, 0.0));
        sweep.velocity.push(p, S::Quad::new(-impulse, 0.0));
        pushed += 1;
    }
    pushed
}
