//! Classes of bodies: what their particles are, and which particles are neighbors of each other.

use tuff_scene::{BodyKind, Scene};

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
            BodyKind::Total => Self::Total,
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
    pub fn pairing(self, other: Self, same_body: bool) -> Pairing {
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

/// The classes of the bodies of a scene. Total bodies follow other matter, linked ones all others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Classes {
    /// Class of the bodies from an index on, in the order of bodies.
    ranges: Vec<(Class, u32)>,
}

impl Classes {
    /// Returns the classes of a scene's bodies; `is_fluid` tells it of a material.
    pub fn of(scene: &Scene, is_fluid: impl Fn(usize) -> bool) -> Self {
        let mut ranges: Vec<(Class, u32)> = Vec::new();
        for (body, index) in std::iter::zip(&scene.bodies, 0..) {
            let class = Class::of(&body.kind, is_fluid(body.material));
            if ranges.last().is_none_or(|last| last.0 != class) {
                let late = |class: Class| class.clamp(Class::Fluid, Class::Linked);
                let ordered = ranges.last().is_none_or(|last| late(last.0) <= late(class));
                debug_assert!(ordered, "total and linked bodies are the last");
                ranges.push((class, index));
            }
        }
        Self { ranges }
    }

    /// Returns the classes of bodies that are all of one class.
    #[cfg(test)]
    pub(crate) fn all(class: Class) -> Self {
        Self { ranges: vec![(class, 0)] }
    }

    /// Returns the class of a body.
    pub fn class(&self, body: u32) -> Class {
        let count = self.ranges.partition_point(|range| range.1 <= body);
        count.checked_sub(1).map_or(Class::Matter, |index| self.ranges[index].0)
    }

    /// Returns true if there is a fluid.
    pub fn have_fluid(&self) -> bool {
        self.ranges.iter().any(|range| range.0 == Class::Fluid)
    }

    /// Returns the class of the bodies from an index on, in the order of bodies.
    pub fn ranges(&self) -> &[(Class, u32)] {
        &self.ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_found_by_their_ranges() {
        let classes = Classes { ranges: vec![(Class::Matter, 0), (Class::Linked, 3)] };
        assert_eq!([0, 2, 3, 9].map(|body| classes.class(body)), {
            [Class::Matter, Class::Matter, Class::Linked, Class::Linked]
        });
        let linked = Classes { ranges: vec![(Class::Linked, 0)] };
        assert_eq!(linked.class(0), Class::Linked);
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
