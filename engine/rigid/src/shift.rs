//! Overlap, worked off without velocity.

use crate::contacts::{Contacts, Joint};
use crate::matrix::{Matrix6, dot, halves, inverse};
use crate::solve::{JointRows, Row, Target};
use crate::twist::Displacement;
use crate::world::World;

/// Part of the overlap that is worked off in a substep.
const WORKED_OFF: f64 = 0.2;
/// Maximum number of iterations, and the relative change at which they end.
const ITERATIONS: u32 = 50;
const CONVERGED: f64 = 1e-4;

impl World {
    /// Returns small changes of place that work off a fifth of the overlap beyond 1e-5 of the smaller body's size, with the same matrices
    /// as the solve. They open no joint, press no other contact together, and carry no momentum.
    pub fn displacements(&self, contacts: &Contacts, targets: &[Target]) -> Vec<Displacement> {
        let nothing = vec![Displacement::ZERO; contacts.bodies];
        if contacts.points.iter().all(|contact| contact.distance >= -contact.slop) {
            return nothing;
        }
        let inverses: Vec<Matrix6> = targets.iter().map(|target| inverse(&target.matrix)).collect();
        let mut shifts = vec![[0.0; 6]; contacts.bodies];
        let rows: Vec<Row> =
            contacts.points.iter().map(|contact| Row::new(contact, contact.normal, &inverses)).collect();
        let mut joints: Vec<(Joint, JointRows)> =
            contacts.joints.iter().map(|joint| (joint.clone(), JointRows::new(joint, &inverses))).collect();
        let mut pushes = vec![0.0_f64; rows.len()];
        for _ in 0..ITERATIONS {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for (i, (row, contact)) in std::iter::zip(&rows, &contacts.points).enumerate() {
                let open = contact.distance + contact.slop;
                let wanted = if open < 0.0 { -WORKED_OFF * open } else { -open };
                let before = pushes[i];
                pushes[i] = (before - (row.velocity(&shifts) - wanted) / row.response).max(0.0);
                row.push(&mut shifts, pushes[i] - before);
                change = change.max((pushes[i] - before).abs());
                largest = largest.max(pushes[i]);
            }
            for (joint, rows) in &mut joints {
                let shift = &mut shifts[joint.body];
                let residual = joint.rows.map(|row| dot(&row, shift));
                rows.close(joint, shift, &residual);
            }
            if change <= CONVERGED * largest {
                break;
            }
        }
        shifts
            .into_iter()
            .map(|shift| {
                let [linear, angular] = halves(shift);
                Displacement { linear, angular }
            })
            .collect()
    }
}
