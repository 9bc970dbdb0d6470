//! What contacts with cloth do: springs in the force balance, rows in sweeps, displacements out of overlaps.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_problem::links::NO_MEMBER;
use tuff_problem::{
    Approach, MAX_DISPLACEMENT, OVERLAP_REDUCTION, SEPARATION_TOLERANCE, SHEET_LEAST_SLIP, SHEET_LOAD_SHARE,
    SHEET_MEMBERS, SHEET_ROUNDS, SHEET_SLIP, SLIPPING,
};

use super::{Candidate, weighted};
use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::stages::overlap::Limits;
use crate::state::State;
use crate::tensor::outer;

/// A contact that pushes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push {
    /// Indices of the members; [`NO_MEMBER`] for a place on a collider.
    members: [u32; SHEET_MEMBERS],
    /// Weights of their motions.
    weights: [f64; SHEET_MEMBERS],
    /// Impulse on a member of weight 1 [N s].
    impulse: DVec3,
    /// Part of the matrix for the relative velocity [kg].
    matrix: DMat3,
    /// Face of a collider on which the first member is, and where it starts [m].
    spot: Option<(usize, DVec3)>,
}

impl Push {
    /// Returns the members that are particles, with their weights.
    fn particles(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let members = std::iter::zip(self.members, self.weights);
        members.filter(|(p, _)| *p != NO_MEMBER).map(|(p, weight)| (p as usize, weight))
    }

    /// Returns what a triangle does to a collider: the face, where the contact starts [m] and the impulse [N s].
    pub fn on_obstacle(&self) -> Option<(usize, DVec3, DVec3)> {
        self.spot.map(|(face, at)| (face, at, self.impulse))
    }

    /// Returns how much it resists a change of the collider's velocity [kg]: the face, where the contact starts [m] and the resistance.
    pub fn resistance(&self) -> Option<(usize, DVec3, DMat3)> {
        self.spot.map(|(face, at)| (face, at, self.matrix))
    }
}

impl Candidate {
    /// Returns how the parts approach each other with the velocities that the state holds, and with which impulse a spring would part them
    /// [N s]; `None` if it would not.
    fn pressed<S: Scalar>(&self, step: Step, state: &State<S>) -> Option<(Approach, f64)> {
        let approach = self.approach(step, state)?;
        let lacking = self.least - approach.distance;
        (lacking > 0.0).then_some((approach, step.dt * self.stiffness * lacking))
    }
}

/// Returns a spring with Coulomb's friction.
fn push<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    candidate: &Candidate,
    approach: &Approach,
    pressed: f64,
) -> Push {
    let slip = slip(context, step);
    let n = approach.normal;
    let relative = weighted(&approach.weights, &candidate.velocity(step, state));
    let along = relative - relative.dot(n) * n;
    let drag = (candidate.friction * candidate.bears / along.length().max(slip)).min(candidate.bound);
    let across = outer(n, n);
    Push {
        members: candidate.members,
        weights: approach.weights,
        impulse: pressed * n - drag * along,
        matrix: step.dt * step.dt * candidate.stiffness * across + drag * (DMat3::IDENTITY - across),
        spot: candidate.spot.map(|spot| (spot.face, spot.start)),
    }
}

/// Finds the contacts that push at the velocities that the state holds, for the forces and products there.
///
/// Friction follows a load that falls at once, and one that rises gradually: by present loads, which change by orders of magnitude from one
/// evaluation to the next, it would keep a Newton solve from converging.
pub fn look<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if state.sheet_candidates.is_empty() {
        state.sheet_pushes.clear();
        return;
    }
    let mut candidates = std::mem::take(&mut state.sheet_candidates);
    let push = |candidate: &mut Candidate| {
        let pressed = candidate.pressed(step, state);
        let bears = pressed.map_or(0.0, |(_, pressed)| pressed);
        let grown = candidate.bears + SHEET_LOAD_SHARE * (bears - candidate.bears);
        candidate.bears = if candidate.bears > 0.0 { bears.min(grown) } else { bears };
        let (approach, pressed) = pressed?;
        Some(push(context, step, state, candidate, &approach, pressed))
    };
    state.sheet_pushes = candidates.par_iter_mut().with_min_len(64).filter_map(push).collect();
    state.sheet_candidates = candidates;
}

/// Adds the force imbalance due to contacts [N s].
pub fn add_forces<S: Scalar>(state: &State<S>, force: &mut [DVec3]) {
    for push in &state.sheet_pushes {
        for (p, weight) in push.particles() {
            force[p] -= weight * push.impulse;
        }
    }
}

/// Adds the contacts' part of the matrix times a velocity change [N s].
pub fn add_product<S: Scalar>(state: &State<S>, d: &[DVec3], result: &mut [DVec3]) {
    for push in &state.sheet_pushes {
        let relative: DVec3 = push.particles().map(|(p, weight)| weight * d[p]).sum();
        for (p, weight) in push.particles() {
            result[p] += weight * (push.matrix * relative);
        }
    }
}

/// Adds the contacts' part of the diagonal blocks of the matrix [kg].
pub fn add_blocks<S: Scalar>(state: &State<S>, blocks: &mut [DMat3]) {
    for push in &state.sheet_pushes {
        for (p, weight) in push.particles() {
            blocks[p] += weight * weight * push.matrix;
        }
    }
}

/// Returns which particles contacts push, shape [particle_count]; empty without sheets.
pub fn touched<S: Scalar>(step: Step, state: &State<S>) -> Vec<bool> {
    if state.sheet_candidates.is_empty() {
        return Vec::new();
    }
    let mut touched = vec![false; state.particle_count()];
    let pressed = |candidate: &&Candidate| candidate.pressed(step, state).is_some();
    for candidate in state.sheet_candidates.par_iter().with_min_len(64).filter(pressed).collect::<Vec<_>>() {
        let particles = candidate.members.iter().filter(|&&p| p != NO_MEMBER);
        particles.for_each(|&p| touched[p as usize] = true);
    }
    touched
}

/// Parts the contacts that the velocities would bring closer than they may be, one after the other, with Coulomb's friction, and stops the
/// slow slip in which a Newton solve leaves contacts that stick, if `hold`; until nothing is left, at most eight times. Momentum is
/// conserved.
pub fn solve<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, hold: bool) {
    if state.sheet_candidates.is_empty() {
        return;
    }
    let mut candidates = std::mem::take(&mut state.sheet_candidates);
    let slip = slip(context, step);
    for round in 0..SHEET_ROUNDS {
        let row =
            |&index: &usize| candidates[index].row(context, step, state, slip, hold && round == 0).is_some();
        let active: Vec<usize> = (0..candidates.len()).into_par_iter().with_min_len(64).filter(row).collect();
        if active.is_empty() {
            break;
        }
        for index in active {
            let candidate = &mut candidates[index];
            let Some(row) = candidate.row(context, step, state, slip, hold && round == 0) else { continue };
            state.counters.position_corrected += u64::from(row.parts);
            candidate.given += row.impulse;
            candidate.spread(row.weights, candidate.inverse_mass(state), row.impulse, &mut state.velocity);
        }
    }
    state.sheet_candidates = candidates;
}

impl Candidate {
    /// Returns how much the particles of the contact resist a change of the velocity of its first member at once [kg], if rows have acted.
    pub fn resistance<S: Scalar>(&self, step: Step, state: &State<S>) -> Option<DMat3> {
        if self.given == DVec3::ZERO {
            return None;
        }
        let approach = self.approach(step, state)?;
        let response = response(approach.weights, self.inverse_mass(state));
        let across = outer(approach.normal, approach.normal);
        let pressed = self.given.dot(approach.normal);
        let sticks = (self.given - pressed * approach.normal).length() < SLIPPING * self.friction * pressed;
        let directions = if sticks { DMat3::IDENTITY } else { across };
        (response > 0.0).then(|| 1.0 / response * directions)
    }
}

/// What a contact does in a sweep.
struct Row {
    weights: [f64; SHEET_MEMBERS],
    /// Impulse on a member of weight 1 [N s].
    impulse: DVec3,
    /// True if it parts something.
    parts: bool,
}

impl Candidate {
    /// Returns the row of the contact, unless it has nothing to do; `hold`: whether to stop slow slip.
    fn row<S: Scalar>(
        &self,
        context: &Context,
        step: Step,
        state: &State<S>,
        slip: f64,
        hold: bool,
    ) -> Option<Row> {
        let approach = self.approach(step, state)?;
        let tolerance = SEPARATION_TOLERANCE * self.gap.min(context.radius());
        let lacking = self.least - approach.distance;
        let parts = lacking > tolerance;
        let holds = hold && self.bears > 0.0 && lacking > -tolerance;
        let response = response(approach.weights, self.inverse_mass(state));
        if !(parts || holds) || response == 0.0 {
            return None;
        }
        let n = approach.normal;
        let pressed = if parts { lacking / (step.dt * response) } else { 0.0 };
        let relative = weighted(&approach.weights, &self.velocity(step, state));
        let along = relative - relative.dot(n) * n;
        let speed = along.length();
        let unused = if holds { self.bears * (1.0 - speed / slip).max(0.0) } else { 0.0 };
        let drag = (self.friction * (pressed + unused) / speed.max(f64::MIN_POSITIVE)).min(1.0 / response);
        let impulse = pressed * n - drag * along;
        (impulse != DVec3::ZERO).then_some(Row { weights: approach.weights, impulse, parts })
    }
}

/// Returns the slip below which friction counts as viscous in a Newton solve [m/s].
fn slip(context: &Context, step: Step) -> f64 {
    (SHEET_SLIP * context.gravity.length() * step.dt).max(SHEET_LEAST_SLIP * context.radius() / step.dt)
}

/// Returns the relative change of velocity per impulse [1/kg].
fn response(weights: [f64; SHEET_MEMBERS], inverse_masses: [f64; SHEET_MEMBERS]) -> f64 {
    std::iter::zip(weights, inverse_masses).map(|(weight, inverse)| weight * weight * inverse).sum()
}

/// Removes by displacement [m] the overlaps that are left at the end of the substep, and takes back displacements that lead through a
/// sheet, until nothing is left, at most eight times; colliders hold what reaches their `limits`. Counts contacts whose parts have passed
/// through each other.
pub fn displace<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    limits: &[Limits],
    displacement: &mut [DVec3],
) {
    let candidates = std::mem::take(&mut state.sheet_candidates);
    for _ in 0..SHEET_ROUNDS {
        let lacks =
            |candidate: &&Candidate| candidate.shift(context, step, state, limits, displacement).is_some();
        let active: Vec<&Candidate> = candidates.par_iter().with_min_len(64).filter(lacks).collect();
        if active.is_empty() {
            break;
        }
        for candidate in active {
            let Some(shift) = candidate.shift(context, step, state, limits, displacement) else { continue };
            for (&p, by) in std::iter::zip(&candidate.members, shift).filter(|(p, _)| **p != NO_MEMBER) {
                let p = p as usize;
                displacement[p] = limits[p].hold(displacement[p] + by);
            }
        }
    }
    let passed = |candidate: &&Candidate| {
        let [start, _, moved] = candidate.places(step, state, displacement);
        candidate.meeting.approach(&start, &moved).is_some_and(|approach| approach.distance < 0.0)
    };
    let passed = candidates.par_iter().with_min_len(64).filter(passed).count();
    state.counters.sheet_passed += passed as u64;
    state.sheet_candidates = candidates;
}

impl Candidate {
    /// Returns the places of the members at the start, at the end of the substep by their velocities, and there with their
    /// displacements [m].
    fn places<S: Scalar>(
        &self,
        step: Step,
        state: &State<S>,
        displacement: &[DVec3],
    ) -> [[DVec3; SHEET_MEMBERS]; 3] {
        let (start, velocity) = (self.start(state), self.velocity(step, state));
        let moved = self.of(displacement, DVec3::ZERO);
        let there = std::array::from_fn(|i| start[i] + step.dt * velocity[i]);
        [start, there, std::array::from_fn(|i| there[i] + moved[i])]
    }

    /// Returns by how much further to displace the members [m], if they lack something.
    fn shift<S: Scalar>(
        &self,
        context: &Context,
        step: Step,
        state: &State<S>,
        limits: &[Limits],
        displacement: &[DVec3],
    ) -> Option<[DVec3; SHEET_MEMBERS]> {
        let [start, there, moved] = self.places(step, state, displacement);
        let now = self.meeting.approach(&start, &moved)?;
        // What velocities have kept displacements keep; what was too near at the start comes apart.
        let before = self.meeting.approach(&start, &there).map_or(self.gap, |before| before.distance);
        let kept = self.gap.min(before);
        let parted = (OVERLAP_REDUCTION * (self.gap - kept)).min(MAX_DISPLACEMENT * context.radius());
        let lacking = kept + parted - now.distance;
        let tolerance = SEPARATION_TOLERANCE * self.gap.min(context.radius());
        if lacking <= tolerance {
            return None;
        }
        let inverse = self.inverse_mass(state);
        let moves: [DVec3; SHEET_MEMBERS] = std::array::from_fn(|i| {
            let (p, direction) = (self.members[i], now.weights[i] * now.normal);
            if inverse[i] == 0.0 {
                return DVec3::ZERO;
            }
            inverse[i] * limits[p as usize].open(displacement[p as usize], direction, tolerance)
        });
        let response = now.normal.dot(weighted(&now.weights, &moves));
        (response > 0.0).then(|| moves.map(|by| lacking / response * by))
    }
}
