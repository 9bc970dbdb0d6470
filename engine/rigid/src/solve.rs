//! Impulses of contacts and joints.
//!
//! The twists U minimize `sum over bodies of (U - T)^T A (U - T) / 2` subject to contacts and joints: `A (U - T)` is the sum of their
//! impulses. Projected Gauss-Seidel changes one contact or joint at a time and keeps U up to date; conjugate directions over its sweeps
//! carry load through stacks.

use glam::DVec3;

use crate::contacts::{Contact, Contacts, JOINT_ROWS, Joint};
use crate::matrix::{Matrix6, Vector6, dot, halves, inverse, numbers, product, row};
use crate::search::Search;
use crate::twist::{Twist, Wrench};
use crate::world::World;

/// Maximum number of iterations.
const ITERATIONS: u32 = 100;
/// Largest change of an impulse in an iteration, relative to the largest impulse, at which the solve ends.
const CONVERGED: f64 = 1e-9;

/// Motion of a body before its contacts: the twist that it would have, and its resistance to any other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Symmetric matrix from twists to impulses: at least [`World::mass_matrix`], more where matter presses on the body.
    pub matrix: Matrix6,
    /// Twist without contacts and joints.
    pub twist: Twist,
}

/// A direction in which two bodies act on each other.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    sides: [Option<Coupling>; 2],
    /// Change of its velocity per impulse [1/kg].
    pub response: f64,
}

/// A body's part in a row.
#[derive(Debug, Clone)]
pub(crate) struct Coupling {
    body: usize,
    row: Vector6,
    /// Change of the body's twist per impulse.
    reply: Vector6,
}

impl Row {
    pub fn new(contact: &Contact, direction: DVec3, inverses: &[Matrix6]) -> Self {
        let coupling = |body: usize, direction: DVec3, arm: DVec3| {
            let row = row(direction, arm);
            Coupling { body, row, reply: product(&inverses[body], &row) }
        };
        let sides = [
            Some(coupling(contact.body, direction, contact.arms[0])),
            contact.partner.body().map(|body| coupling(body, -direction, contact.arms[1])),
        ];
        let response = sides.iter().flatten().map(|side| dot(&side.row, &side.reply)).sum();
        Self { sides, response }
    }

    pub fn velocity(&self, twists: &[Vector6]) -> f64 {
        self.sides.iter().flatten().map(|side| dot(&side.row, &twists[side.body])).sum()
    }

    pub fn push(&self, twists: &mut [Vector6], impulse: f64) {
        for side in self.sides.iter().flatten() {
            let twist = &mut twists[side.body];
            (0..6).for_each(|i| twist[i] += side.reply[i] * impulse);
        }
    }
}

/// Rows of a contact.
#[derive(Debug, Clone)]
struct Rows {
    rows: [Row; 3],
    /// Inverse of the response of both tangents to each other, and its largest eigenvalue's inverse [kg].
    grip: [[f64; 2]; 2],
    slip: f64,
}

impl Rows {
    fn new(contact: &Contact, inverses: &[Matrix6]) -> Self {
        let rows = contact.directions().map(|direction| Row::new(contact, direction, inverses));
        let mixed: f64 = std::iter::zip(&rows[1].sides, &rows[2].sides)
            .filter_map(|(one, other)| Some(dot(&one.as_ref()?.row, &other.as_ref()?.reply)))
            .sum();
        let [a, c] = [rows[1].response, rows[2].response];
        let largest = 0.5 * (a + c) + (0.25 * (a - c) * (a - c) + mixed * mixed).sqrt();
        Self { rows, grip: inverse(&[[a, mixed], [mixed, c]]), slip: 1.0 / largest }
    }

    /// Updates the impulses of a contact; returns the largest change [N s].
    fn relax(&self, contact: &mut Contact, twists: &mut [Vector6], dt: f64) -> f64 {
        let before = contact.impulse;
        let excess = self.rows[0].velocity(twists) - contact.drift.dot(contact.normal) - contact.floor(dt);
        contact.impulse[0] = (before[0] - excess / self.rows[0].response).max(0.0);
        self.rows[0].push(twists, contact.impulse[0] - before[0]);
        let bound = contact.friction * contact.impulse[0];
        if bound > 0.0 || before[1] != 0.0 || before[2] != 0.0 {
            let slip =
                [0, 1].map(|i| self.rows[1 + i].velocity(twists) - contact.drift.dot(contact.tangents[i]));
            let stuck = [0, 1].map(|i| before[1 + i] - self.grip[i][0] * slip[0] - self.grip[i][1] * slip[1]);
            let length = |v: [f64; 2]| (v[0] * v[0] + v[1] * v[1]).sqrt();
            let after = if length(stuck) <= bound {
                stuck
            } else {
                // Along the impulse minus an isotropic multiple of the slip, friction opposes the slip exactly.
                let pulled = [0, 1].map(|i| before[1 + i] - self.slip * slip[i]);
                let shrink = if length(pulled) > bound { bound / length(pulled) } else { 1.0 };
                pulled.map(|impulse| shrink * impulse)
            };
            for i in 0..2 {
                contact.impulse[1 + i] = after[i];
                self.rows[1 + i].push(twists, after[i] - before[1 + i]);
            }
        }
        (0..3).fold(0.0, |most: f64, i| most.max((contact.impulse[i] - before[i]).abs()))
    }
}

/// Rows of a joint.
#[derive(Debug, Clone)]
pub(crate) struct JointRows {
    replies: [Vector6; JOINT_ROWS],
    /// Inverse of the response of the rows to each other [kg].
    inverse: [[f64; JOINT_ROWS]; JOINT_ROWS],
}

impl JointRows {
    pub fn new(joint: &Joint, inverses: &[Matrix6]) -> Self {
        let replies = joint.rows.map(|row| product(&inverses[joint.body], &row));
        let entry = |i: usize, j: usize| match i.max(j) < joint.count {
            true => dot(&joint.rows[i], &replies[j]),
            false => f64::from(u8::from(i == j)),
        };
        let response = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        Self { replies, inverse: inverse(&response) }
    }

    fn push(&self, twist: &mut Vector6, row: usize, impulse: f64) {
        (0..6).for_each(|k| twist[k] += self.replies[row][k] * impulse);
    }

    /// Closes a joint whose rows miss their goal by `residual`; returns the largest change [N s].
    pub fn close(&self, joint: &mut Joint, twist: &mut Vector6, residual: &[f64; JOINT_ROWS]) -> f64 {
        let mut most = 0.0_f64;
        for i in 0..joint.count {
            let change = -(0..joint.count).map(|j| self.inverse[i][j] * residual[j]).sum::<f64>();
            joint.impulse[i] += change;
            self.push(twist, i, change);
            most = most.max(change.abs());
        }
        most
    }
}

fn twist(numbers: Vector6) -> Twist {
    let [linear, angular] = halves(numbers);
    Twist { linear, angular }
}

impl World {
    /// Solves for the twists of a substep `dt` [s], from the impulses that `contacts` hold, and leaves the new ones there: accelerated
    /// Gauss-Seidel, up to 100 iterations or until no impulse changes by more than 1e-9 of the largest. A body that nothing touches
    /// keeps its target to the last bit.
    pub fn solve(&self, contacts: &mut Contacts, targets: &[Target], dt: f64) -> Vec<Twist> {
        let inverses: Vec<Matrix6> = targets.iter().map(|target| inverse(&target.matrix)).collect();
        let mut twists: Vec<Vector6> = targets.iter().map(|target| numbers(target.twist)).collect();
        let Contacts { points, joints, iterations, .. } = contacts;
        let rows: Vec<Rows> = points.iter().map(|contact| Rows::new(contact, &inverses)).collect();
        let joint_rows: Vec<JointRows> =
            joints.iter().map(|joint| JointRows::new(joint, &inverses)).collect();
        for (contact, rows) in std::iter::zip(points.iter(), &rows) {
            for (row, impulse) in std::iter::zip(&rows.rows, contact.impulse) {
                if impulse != 0.0 {
                    row.push(&mut twists, impulse);
                }
            }
        }
        for (joint, rows) in std::iter::zip(joints.iter(), &joint_rows) {
            (0..joint.count).for_each(|i| rows.push(&mut twists[joint.body], i, joint.impulse[i]));
        }
        let mut search = Search::default();
        *iterations = 0;
        while *iterations < ITERATIONS && !(points.is_empty() && joints.is_empty()) {
            *iterations += 1;
            search.begin();
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for (contact, rows) in std::iter::zip(points.iter_mut(), &rows) {
                let before = contact.impulse;
                change = change.max(rows.relax(contact, &mut twists, dt));
                largest = contact.impulse.iter().fold(largest, |most, impulse| most.max(impulse.abs()));
                (0..3).for_each(|i| search.add(contact.impulse[i] - before[i], rows.rows[i].response));
            }
            for (joint, rows) in std::iter::zip(joints.iter_mut(), &joint_rows) {
                let before = joint.impulse;
                let residual = joint.residual(twist(twists[joint.body]), dt);
                change = change.max(rows.close(joint, &mut twists[joint.body], &residual));
                largest = joint.impulse.iter().fold(largest, |most, impulse| most.max(impulse.abs()));
                (0..joint.count).for_each(|i| {
                    search.add(joint.impulse[i] - before[i], dot(&joint.rows[i], &rows.replies[i]))
                });
            }
            if change <= CONVERGED * largest || *iterations == ITERATIONS {
                break;
            }
            let mut steps = search.steps().into_iter();
            if steps.len() == 0 {
                continue;
            }
            for (contact, rows) in std::iter::zip(points.iter_mut(), &rows) {
                for (i, step) in steps.by_ref().take(3).enumerate() {
                    contact.impulse[i] += step;
                    rows.rows[i].push(&mut twists, step);
                }
            }
            for (joint, rows) in std::iter::zip(joints.iter_mut(), &joint_rows) {
                for (i, step) in steps.by_ref().take(joint.count).enumerate() {
                    joint.impulse[i] += step;
                    rows.push(&mut twists[joint.body], i, step);
                }
            }
        }
        twists.into_iter().map(twist).collect()
    }

    /// Returns the impulses of contacts and joints on every body, from the last solve.
    pub fn impulses(&self, contacts: &Contacts) -> Vec<Wrench> {
        let mut wrenches = vec![Wrench::ZERO; contacts.bodies];
        for contact in &contacts.points {
            let impulse = contact.total();
            wrenches[contact.body].add(impulse, contact.arms[0]);
            if let Some(body) = contact.partner.body() {
                wrenches[body].add(-impulse, contact.arms[1]);
            }
        }
        for joint in &contacts.joints {
            for (row, impulse) in std::iter::zip(&joint.rows[..joint.count], joint.impulse) {
                let [linear, angular] = halves(*row);
                let wrench = &mut wrenches[joint.body];
                wrench.linear += impulse * linear;
                wrench.angular += impulse * angular;
            }
        }
        wrenches
    }
}
