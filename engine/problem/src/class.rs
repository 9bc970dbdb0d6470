//! Classes of bodies: what their particles are, and which particles are neighbors of each other.

use tuff_scene::{BodyKind, Scene};

use crate::Mixtures;

/// What the particles of a body are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Matter that its neighbors hold together: a continuum, or grains.
    Matter,
    /// A fluid: its density resists compression, and its kernels see all matter, while those of other matter do not see it.
    Fluid,
    /// Matter that the neighbors at the start hold together.
    Total,
    /// Vertices of ropes, which links hold together.
    Linked,
    /// Vertices of cloth, which links hold together; others touch its triangles.
    Cloth,
}

/// How a particle sees another one within the support of its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing {
    /// True if the other particle is in its neighbor list: kernels and contact see it.
    pub listed: bool,
    /// True if the zero-energy memory weighs it.
    pub weighed: bool,
    /// True if the position correction keeps them at a distance.
    pub apart: bool,
}

impl Class {
    /// Returns the class of a kind of body, the matter of which is a fluid or not.
    pub fn of(kind: &BodyKind, fluid: bool) -> Self {
        match kind {
            BodyKind::Matter | BodyKind::Emitted if fluid => Self::Fluid,
            BodyKind::Matter | BodyKind::Emitted => Self::Matter,
            BodyKind::Total { .. } => Self::Total,
            BodyKind::Rope(_) => Self::Linked,
            BodyKind::Cloth(_) => Self::Cloth,
        }
    }

    /// Returns true if kernels see its particles; the others have no volume there, and only contact sees them.
    pub fn in_kernels(self) -> bool {
        match self {
            Self::Matter | Self::Fluid => true,
            Self::Total | Self::Linked | Self::Cloth => false,
        }
    }

    /// Returns true if links hold its particles together.
    pub fn is_linked(self) -> bool {
        matches!(self, Self::Linked | Self::Cloth)
    }

    /// Returns how a particle of this class sees one of another class, of the same body or not: the mask of neighbor lists. Particles of
    /// a total body also list the neighbors of the start.
    fn pairing(self, other: Self, same_body: bool) -> Pairing {
        let own_rope = self == Self::Linked && other == Self::Linked && same_body;
        let listed = !(own_rope || self == Self::Cloth || other == Self::Cloth);
        Pairing {
            listed,
            weighed: same_body && self == Self::Matter && other == Self::Matter,
            // Its pressure keeps a fluid apart; beyond, its particles flow past each other.
            apart: listed && !(self == Self::Fluid && other == Self::Fluid),
        }
    }
}

/// Consecutive bodies that meet all others in the same way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// Their class.
    pub class: Class,
    /// Index of the first body.
    pub first: u32,
    /// Index of their material if it is part of a mixture.
    mixed: Option<u32>,
}

/// The classes of the bodies of a scene. Total bodies follow other matter, linked ones all others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Classes {
    ranges: Vec<Alike>,
    /// Materials of fluids, and of the grains that these seep into.
    mixed: Vec<[u32; 2]>,
}

impl Classes {
    /// Returns the classes of a scene's bodies; `is_fluid` tells it of a material.
    pub fn of(scene: &Scene, mixtures: &Mixtures, is_fluid: impl Fn(usize) -> bool) -> Self {
        let mut ranges: Vec<Alike> = Vec::new();
        for (body, first) in std::iter::zip(&scene.bodies, 0..) {
            let class = Class::of(&body.kind, is_fluid(body.material));
            let flows = matches!(class, Class::Matter | Class::Fluid);
            let mixed = Some(body.material as u32).filter(|&material| flows && mixtures.has(material));
            if ranges.last().is_none_or(|last| (last.class, last.mixed) != (class, mixed)) {
                let late = |class: Class| class.clamp(Class::Fluid, Class::Linked);
                let ordered = ranges.last().is_none_or(|last| late(last.class) <= late(class));
                debug_assert!(ordered, "total and linked bodies are the last");
                ranges.push(Alike { class, first, mixed });
            }
        }
        Self { ranges, mixed: mixtures.all().iter().map(|pores| [pores.fluid, pores.grains]).collect() }
    }

    /// Returns the classes of bodies that are all of one class.
    #[cfg(test)]
    pub(crate) fn all(class: Class) -> Self {
        Self { ranges: vec![Alike { class, first: 0, mixed: None }], mixed: Vec::new() }
    }

    /// Returns the place of a body in [`Classes::ranges`], if it is in one.
    fn range(&self, body: u32) -> Option<&Alike> {
        let count = self.ranges.partition_point(|range| range.first <= body);
        count.checked_sub(1).map(|index| &self.ranges[index])
    }

    /// Returns the class of a body.
    pub fn class(&self, body: u32) -> Class {
        self.range(body).map_or(Class::Matter, |range| range.class)
    }

    /// Returns how the particles of a body see those of another one, or those of their own.
    pub fn pairing(&self, body: u32, other: u32) -> Pairing {
        match (self.range(body), self.range(other)) {
            (Some(own), Some(others)) => self.pairing_of(own, others, body == other),
            _ => Class::Matter.pairing(Class::Matter, body == other),
        }
    }

    /// Returns how bodies of one range see those of another one, of the same body or not. A fluid and the grains that it seeps into do not
    /// keep away from each other, and the fluid weighs the grains, which drag it along.
    pub fn pairing_of(&self, own: &Alike, others: &Alike, same_body: bool) -> Pairing {
        let pairing = own.class.pairing(others.class, same_body);
        let (Some(a), Some(b)) = (own.mixed, others.mixed) else { return pairing };
        let seeps = self.mixed.contains(&[a, b]);
        if seeps || self.mixed.contains(&[b, a]) {
            return Pairing { listed: true, weighed: seeps, apart: false };
        }
        pairing
    }

    /// Returns true if there is a fluid.
    pub fn have_fluid(&self) -> bool {
        self.ranges.iter().any(|range| range.class == Class::Fluid)
    }

    /// Returns the bodies by their classes, in their order.
    pub fn ranges(&self) -> &[Alike] {
        &self.ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_found_by_their_ranges() {
        let range = |class, first| Alike { class, first, mixed: None };
        let classes =
            Classes { ranges: vec![range(Class::Matter, 0), range(Class::Linked, 3)], mixed: Vec::new() };
        assert_eq!([0, 2, 3, 9].map(|body| classes.class(body)), {
            [Class::Matter, Class::Matter, Class::Linked, Class::Linked]
        });
        assert_eq!(Classes::all(Class::Linked).class(0), Class::Linked);
    }

    /// Water, sand that it seeps into, and sand that it does not.
    #[test]
    fn a_fluid_meets_the_grains_of_its_mixture_and_no_others() {
        let range = |class, first, mixed| Alike { class, first, mixed };
        let ranges = vec![
            range(Class::Fluid, 0, Some(0)),
            range(Class::Matter, 1, Some(1)),
            range(Class::Matter, 2, None),
        ];
        let classes = Classes { ranges, mixed: vec![[0, 1]] };
        assert_eq!(classes.pairing(0, 1), Pairing { listed: true, weighed: true, apart: false });
        assert_eq!(classes.pairing(1, 0), Pairing { listed: true, weighed: false, apart: false });
        assert!(classes.pairing(0, 2).apart && !classes.pairing(0, 2).weighed);
        assert!(classes.pairing(1, 2).apart && classes.pairing(1, 1).weighed);
    }

    #[test]
    fn a_rope_meets_everything_but_itself_and_cloth_meets_nothing() {
        for (other, same_body, listed) in
            [(Class::Matter, false, true), (Class::Linked, false, true), (Class::Linked, true, false)]
        {
            assert_eq!(
                Class::Linked.pairing(other, same_body),
                Pairing { listed, weighed: false, apart: listed }
            );
        }
        for other in [Class::Matter, Class::Fluid, Class::Total, Class::Linked, Class::Cloth] {
            assert!(!Class::Cloth.pairing(other, true).listed && !Class::Cloth.pairing(other, false).listed);
        }
        assert!(Class::Matter.pairing(Class::Matter, true).weighed);
        assert!(!Class::Matter.pairing(Class::Matter, false).weighed);
    }

    #[test]
    fn only_fluids_among_themselves_may_come_close() {
        assert!(!Class::Fluid.pairing(Class::Fluid, false).apart);
        assert!(Class::Fluid.pairing(Class::Fluid, true).listed);
        assert!(Class::Fluid.pairing(Class::Matter, false).apart);
        assert!(!Class::Fluid.pairing(Class::Fluid, true).weighed);
    }

    /// Lists hold both sides of a pair, or neither.
    #[test]
    fn the_mask_is_symmetric() {
        let all = [Class::Matter, Class::Fluid, Class::Total, Class::Linked, Class::Cloth];
        for (a, b) in all.into_iter().flat_map(|a| all.map(|b| (a, b))) {
            for same_body in [false, true] {
                assert_eq!(a.pairing(b, same_body), b.pairing(a, same_body));
            }
        }
    }
}
