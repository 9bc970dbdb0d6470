//! Impulses of the last substep as a start.

use glam::DVec3;

use crate::body::Body;
use crate::contacts::{Contact, Contacts};
use crate::world::World;

/// Distance, relative to the body, up to which a contact point is the same as one of the last substep.
const NEAR: f64 = 0.1;

impl Contacts {
    /// Takes over the impulses of the last substep's contacts, scaled to the length of this one.
    pub(crate) fn warm_start(&mut self, last: &Self, world: &World) {
        let scale = self.dt / last.dt;
        let mut used = vec![false; last.points.len()];
        for contact in &mut self.points {
            let near = NEAR * Body::size_of(&world.bodies, contact.body, contact.partner);
            let distance = |old: &Contact| {
                let same = old.features == contact.features && !contact.features.contains(&0);
                let moved =
                    (old.local - contact.local).length().min((old.arms[0] - contact.arms[0]).length());
                if same { 0.0 } else { moved }
            };
            let pair = (contact.body, contact.partner, contact.pieces);
            let best = last
                .points
                .iter()
                .enumerate()
                .filter(|(i, old)| !used[*i] && (old.body, old.partner, old.pieces) == pair)
                .map(|(i, old)| (i, distance(old)))
                .filter(|(_, distance)| *distance < near)
                .min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((index, _)) = best {
                used[index] = true;
                let old = &last.points[index];
                let total = scale * old.total();
                let along = |direction: DVec3| total.dot(direction);
                contact.impulse =
                    [scale * old.impulse[0], along(contact.tangents[0]), along(contact.tangents[1])];
            }
        }
        for (joint, old) in std::iter::zip(&mut self.joints, &last.joints) {
            joint.impulse = old.impulse.map(|impulse| scale * impulse);
        }
    }
}
