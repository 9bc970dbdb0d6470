//! Classes of bodies: what their particles are, and which particles are neighbors of each other.

use tuff_scene::{BodyKind, Scene};

/// What the particles of a body are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Matter that its neighbors hold together: a continuum, or grains.
    Matter,
    /// Vertices that links hold together: ropes and cloth.
    Linked,
}

/// How a particle sees another one within the support of its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing {
    /// True if the other particle is in its neighbor list: kernels and contact see it.
    pub listed: bool,
    /// True if the zero-energy memory weighs it.
    pub weighed: bool,
}

impl Class {
    /// Returns the class of a kind of body.
    pub fn of(kind: &BodyKind) -> Self {
        match kind {
            BodyKind::Matter | BodyKind::Emitted => Self::Matter,
            BodyKind::Rope(_) | BodyKind::Cloth(_) => Self::Linked,
        }
    }

    /// Returns true if kernels see its particles; the others have no volume there, and only contact sees them.
    pub fn in_kernels(self) -> bool {
        match self {
            Self::Matter => true,
            Self::Linked => false,
        }
    }

    /// Returns how a particle of this class sees one of another class, of the same body or not: the mask of neighbor lists.
    pub fn pairing(self, other: Self, same_body: bool) -> Pairing {
        match (self, other) {
            (Self::Matter, Self::Matter) => Pairing { listed: true, weighed: same_body },
            (Self::Matter, Self::Linked) | (Self::Linked, Self::Matter) => {
                Pairing { listed: true, weighed: false }
            }
            (Self::Linked, Self::Linked) => Pairing { listed: !same_body, weighed: false },
        }
    }
}

/// The classes of the bodies of a scene. Bodies of a class follow each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Classes {
    /// Classes that the scene has, with the index of their first body, in order.
    ranges: Vec<(Class, u32)>,
}

impl Classes {
    /// Returns the classes of a scene's bodies.
    pub fn of(scene: &Scene) -> Self {
        let mut ranges: Vec<(Class, u32)> = Vec::new();
        for (body, index) in std::iter::zip(&scene.bodies, 0..) {
            let class = Class::of(&body.kind);
            if ranges.last().is_none_or(|last| last.0 != class) {
                debug_assert!(ranges.last().is_none_or(|last| last.0 < class), "bodies are ordered by class");
                ranges.push((class, index));
            }
        }
        Self { ranges }
    }

    /// Returns the class of a body.
    pub fn class(&self, body: u32) -> Class {
        let count = self.ranges.partition_point(|range| range.1 <= body);
        count.checked_sub(1).map_or(Class::Matter, |index| self.ranges[index].0)
    }

    /// Returns the classes that there are, with the index of their first body, in the order of bodies.
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
    fn a_rope_meets_everything_but_itself() {
        for (other, same_body, listed) in
            [(Class::Matter, false, true), (Class::Linked, false, true), (Class::Linked, true, false)]
        {
            assert_eq!(Class::Linked.pairing(other, same_body), Pairing { listed, weighed: false });
        }
        assert!(Class::Matter.pairing(Class::Matter, true).weighed);
        assert!(!Class::Matter.pairing(Class::Matter, false).weighed);
    }

    /// Lists hold both sides of a pair, or neither.
    #[test]
    fn the_mask_is_symmetric() {
        for (a, b) in
            [(Class::Matter, Class::Linked), (Class::Matter, Class::Matter), (Class::Linked, Class::Linked)]
        {
            for same_body in [false, true] {
                assert_eq!(a.pairing(b, same_body), b.pairing(a, same_body));
            }
        }
    }
}
