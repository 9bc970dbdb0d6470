//! Inexact Newton with preconditioned conjugate gradients on the force balance of a substep.
//!
//! Unknown are the velocities. The tangent of a particle is isotropic, `d tau = 2 mu dev(d) + kappa tr(d) I` with d the
//! symmetric part of `dt grad(dv) A^-1`; its moduli are the secants of the step's stress, which bound what a
//! plastic step can answer with: the matrix stays symmetric and positive, and for elastic matter at small strains it is the tangent.

use glam::{DMat3, DVec3};
use tuff_scene::{Friction, Plasticity};

use crate::context::{Context, Step};
use crate::stages::residual::internal_forces;
use crate::stages::solve_colliders::{solve_colliders, surface};
use crate::state::State;
use crate::strain::{gather, limit_fold, memory_stiffness, respond, trial_hencky};
use crate::tensor::{norm, outer, trace};

/// Limits of a solve.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Relative force residual that ends it.
    pub tolerance: f64,
    /// Most Newton steps.
    pub newton: u32,
    /// Most conjugate-gradient iterations in one of them.
    pub inner: u32,
}

/// Work and accuracy of a solve.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Passes over the neighbors: gradients and matrix products.
    pub passes: u32,
    /// Newton steps.
    pub newton: u32,
    /// Norm of the force imbalance after each of them, the start first [N s].
    pub residual: Vec<f64>,
}

/// The linearized response of a particle.
struct Tangent {
    /// A^-1.
    inverse: DMat3,
    /// V0 dt^2 times the secant moduli [N m s^2].
    shear: f64,
    bulk: f64,
    /// dt^2 beta [kg].
    memory: f64,
}

/// Which directions of a particle may not move: the span of up to three of them.
#[derive(Clone, Copy, Default)]
struct Blocked {
    count: usize,
    axis: [DVec3; 3],
}

impl Blocked {
    fn all() -> Self {
        Self { count: 3, axis: [DVec3::X, DVec3::Y, DVec3::Z] }
    }

    fn add(&mut self, axis: DVec3) {
        let rest = self.free(axis);
        if self.count < 3 && rest.length() > 1e-6 {
            self.axis[self.count] = rest.normalize();
            self.count += 1;
        }
    }

    fn free(&self, mut v: DVec3) -> DVec3 {
        for axis in &self.axis[..self.count] {
            v -= v.dot(*axis) * *axis;
        }
        v
    }
}

/// Solves for the velocities from those that the state holds.
pub fn solve(context: &Context, step: Step, state: &mut State, scale: f64, limits: Limits) -> Outcome {
    let mut outcome = Outcome::default();
    solve_colliders(context, step, state);
    let mut force = internal_forces(context, step, state);
    outcome.passes += 1;
    let mut blocked = react(context, step, state, &force);
    let mut residual = imbalance(state, &force, &blocked);
    outcome.residual.push(length(&residual));
    while outcome.newton < limits.newton {
        let start = length(&residual);
        if start <= limits.tolerance * scale {
            break;
        }
        outcome.newton += 1;
        let tangents = linearize(context, step, state);
        let wanted = (limits.tolerance * scale / start * 0.5).max(0.05);
        let (direction, inner) = conjugate_gradients(step, state, &tangents, &blocked, &residual, wanted, limits.inner);
        outcome.passes += inner;
        let kept = (state.velocity.clone(), state.contacts.clone());
        let mut factor = 1.0;
        loop {
            for p in 0..state.particle_count() {
                state.velocity[p] = kept.0[p] + factor * direction[p];
            }
            solve_colliders(context, step, state);
            force = internal_forces(context, step, state);
            outcome.passes += 1;
            blocked = react(context, step, state, &force);
            residual = imbalance(state, &force, &blocked);
            if length(&residual) < (1.0 - 1e-2 * factor) * start || factor < 0.1 {
                break;
            }
            factor *= 0.5;
            state.contacts.clone_from(&kept.1);
        }
        outcome.residual.push(length(&residual));
    }
    outcome
}

fn length(v: &[DVec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

/// Reactions of the colliders to the internal forces, within their cones, and the directions that they block.
fn react(context: &Context, step: Step, state: &mut State, force: &[DVec3]) -> Vec<Blocked> {
    let mut all = vec![Blocked::default(); state.particle_count()];
    for p in 0..state.particle_count() {
        if state.inverse_mass[p] == 0.0 {
            all[p] = Blocked::all();
            continue;
        }
        let needed = force[p] / state.mass[p];
        let mut contacts = state.contacts[p];
        for slot in 0..contacts.count {
            let old = contacts.change[slot];
            let collider = &context.faces[contacts.face[slot] as usize].surface;
            let at = state.position[p] + step.dt * state.velocity[p];
            let surface = surface(collider, step, at);
            let n = surface.normal;
            if old.dot(n) <= 0.0 {
                continue;
            }
            let others: DVec3 = (0..contacts.count).filter(|&s| s != slot).map(|s| contacts.change[s]).sum();
            let share = needed - others;
            let normal = share.dot(n).max(0.0);
            let tangential = share - share.dot(n) * n;
            let slip = state.velocity[p] - surface.velocity;
            let slip = slip - slip.dot(n) * n;
            let (tangential, sticks) = match collider.friction {
                Friction::Sticky => (tangential, true),
                Friction::Coulomb(mu) => {
                    let resting = slip.length() < 1e-9 + 1e-6 * context.radius() / step.dt;
                    if resting && tangential.length() <= mu * normal {
                        (tangential, true)
                    } else if resting {
                        (tangential.clamp_length_max(mu * normal), false)
                    } else {
                        (-mu * normal * slip.normalize_or_zero(), false)
                    }
                }
            };
            contacts.change[slot] = if normal > 0.0 { normal * n + tangential } else { DVec3::ZERO };
            if normal > 0.0 {
                if sticks {
                    all[p] = Blocked::all();
                } else {
                    all[p].add(n);
                }
            }
        }
        state.contacts[p] = contacts;
    }
    all
}

/// Internal forces less the reactions, along the directions that are free.
fn imbalance(state: &State, force: &[DVec3], blocked: &[Blocked]) -> Vec<DVec3> {
    (0..state.particle_count())
        .map(|p| {
            let contact: DVec3 = state.contacts[p].change.iter().sum();
            blocked[p].free(force[p] - state.mass[p] * contact)
        })
        .collect()
}

fn linearize(context: &Context, step: Step, state: &State) -> Vec<Tangent> {
    let plastic = context.settings.plasticity == Plasticity::Implicit;
    (0..state.particle_count())
        .map(|p| {
            let gathered = gather(state, &state.velocity, p);
            let (displacement, _) = limit_fold(step.dt * gathered.gradient);
            let (stress, _) = respond(context, state, step.dt, p, displacement, plastic);
            let deformation = DMat3::IDENTITY + displacement;
            let tau = stress.gradient * deformation.transpose();
            let hencky = trial_hencky(state, p, displacement);
            let (mean_tau, mean) = (trace(tau) / 3.0, hencky.element_sum() / 3.0);
            let deviator = norm(tau - mean_tau * DMat3::IDENTITY);
            let size = (hencky - mean).length();
            let secant = |stress: f64, strain: f64, elastic: f64| {
                if strain.abs() < 1e-9 { elastic } else { (stress / strain).clamp(1e-3 * elastic, elastic) }
            };
            let volume = state.rest_volume[p] * step.dt * step.dt;
            Tangent {
                inverse: deformation.inverse(),
                shear: volume * secant(deviator, 2.0 * size, stress.moduli.shear),
                bulk: volume * secant(mean_tau, 3.0 * mean, stress.moduli.bulk),
                memory: if context.settings.stabilization > 0.0 {
                    let size = (state.memory[p] + step.dt * gathered.non_affine).length();
                    let secant = (state.memory_bound[p] / size.max(1e-300)).clamp(1e-3, 1.0);
                    step.dt * step.dt * secant * memory_stiffness(context, state, p)
                } else {
                    0.0
                },
            }
        })
        .collect()
}

/// The matrix times a velocity change.
fn product(state: &State, tangents: &[Tangent], d: &[DVec3]) -> Vec<DVec3> {
    let mut result: Vec<DVec3> = (0..d.len()).map(|p| state.mass[p] * d[p]).collect();
    for (p, tangent) in tangents.iter().enumerate() {
        let gathered = gather(state, d, p);
        let rate = gathered.gradient * tangent.inverse;
        let spherical = trace(rate) / 3.0;
        let deviator = 0.5 * (rate + rate.transpose()) - spherical * DMat3::IDENTITY;
        let response = (2.0 * tangent.shear * deviator + 3.0 * tangent.bulk * spherical * DMat3::IDENTITY)
            * tangent.inverse.transpose();
        let memory = tangent.memory * gathered.non_affine;
        for pair in state.neighbors(p) {
            let change = response * pair.gradient + pair.weight * memory;
            result[pair.index as usize] += change;
            result[p] -= change;
        }
    }
    result
}

/// Inverse diagonal blocks of the matrix.
fn preconditioner(state: &State, tangents: &[Tangent]) -> Vec<DMat3> {
    let mut block: Vec<DMat3> = state.mass.iter().map(|m| DMat3::from_diagonal(DVec3::splat(*m))).collect();
    let add = |block: &mut DMat3, t: &Tangent, g: DVec3, weight: f64| {
        let g = t.inverse.transpose() * g;
        let diagonal = t.shear * g.length_squared() + t.memory * weight * weight;
        *block += diagonal * DMat3::IDENTITY + (t.shear / 3.0 + t.bulk) * outer(g, g);
    };
    for (p, tangent) in tangents.iter().enumerate() {
        for pair in state.neighbors(p) {
            add(&mut block[pair.index as usize], tangent, pair.gradient, pair.weight);
        }
        add(&mut block[p], tangent, state.moments[p].first, state.moments[p].weight);
    }
    block.iter().map(DMat3::inverse).collect()
}

/// A change of the velocities that takes the imbalance away, to a relative `tolerance`, and the iterations taken.
fn conjugate_gradients(
    step: Step,
    state: &State,
    tangents: &[Tangent],
    blocked: &[Blocked],
    imbalance: &[DVec3],
    tolerance: f64,
    most: u32,
) -> (Vec<DVec3>, u32) {
    let _ = step;
    let inverse = preconditioner(state, tangents);
    let precondition = |r: &[DVec3]| -> Vec<DVec3> {
        (0..r.len()).map(|p| blocked[p].free(inverse[p] * r[p])).collect()
    };
    let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let mut x = vec![DVec3::ZERO; imbalance.len()];
    let mut r: Vec<DVec3> = imbalance.iter().map(|f| -*f).collect();
    let mut z = precondition(&r);
    let mut d = z.clone();
    let mut rz = dot(&r, &z);
    let goal = tolerance * length(&r);
    let mut iterations = 0;
    while iterations < most && length(&r) > goal {
        let mut h = product(state, tangents, &d);
        for p in 0..h.len() {
            h[p] = blocked[p].free(h[p]);
        }
        let alpha = rz / dot(&d, &h);
        for p in 0..h.len() {
            x[p] += alpha * d[p];
            r[p] -= alpha * h[p];
        }
        z = precondition(&r);
        let next = dot(&r, &z);
        let beta = next / rz;
        for p in 0..h.len() {
            d[p] = z[p] + beta * d[p];
        }
        rz = next;
        iterations += 1;
    }
    (x, iterations)
}
