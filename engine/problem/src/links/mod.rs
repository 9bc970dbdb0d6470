//! Constraints between given particles, such as those of ropes. Each kind has a file here, with the same formulas in
//! `shaders/include/constraints/links`.
//!
//! A kind defines its stored energy, the gradient for each member, the product of the stiffness with displacements (its positive
//! part, which keeps the matrix of `newton_cg` definite), and its row for sweeps. All kinds share lists, colors and the switch
//! over kinds.

mod bend;
mod stretch;
mod warnings;

use glam::{DMat3, DVec3};
use tuff_scene::{BodyKind, Particles, Scene};
pub use warnings::warnings;

/// Maximum number of members of a link.
pub const MEMBERS: usize = 4;

/// Placeholder for a member that a link does not have.
pub const NO_MEMBER: u32 = u32::MAX;

macro_rules! kinds {
    ($($kind:ident = $module:ident, $members:literal, $help:literal;)*) => {
        /// Kind of a link.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $(#[doc = $help] $kind),* }

        impl Kind {
            /// All kinds, by number.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name of its file, here and in `shaders/include/constraints/links`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => stringify!($module)),* }
            }

            /// Returns the number of particles that it links.
            pub fn members(self) -> usize {
                match self { $(Self::$kind => $members),* }
            }
        }

        impl Link {
            /// Returns the stored energy with members at `x` [J].
            pub fn energy(&self, x: &[DVec3]) -> f64 {
                match self.kind { $(Kind::$kind => $module::energy(self.numbers, x)),* }
            }

            /// Returns the gradient of the energy for the member `role` [N].
            pub fn gradient(&self, role: usize, x: &[DVec3]) -> DVec3 {
                match self.kind { $(Kind::$kind => $module::gradient(self.numbers, role, x)),* }
            }

            /// Returns the change of the gradient with displacements u of the members, as far as the link resists them [N].
            pub fn product(&self, role: usize, x: &[DVec3], u: &[DVec3]) -> DVec3 {
                match self.kind { $(Kind::$kind => $module::product(self.numbers, role, x, u)),* }
            }

            /// Returns the diagonal block of `product` for the member `role` [N/m].
            pub fn block(&self, role: usize, x: &[DVec3]) -> DMat3 {
                match self.kind { $(Kind::$kind => $module::block(self.numbers, role, x)),* }
            }

            /// Solves the row of a sweep for members of inverse masses w [1/kg]: updates the `multiplier`, scaled by alpha~, and
            /// returns the impulse on each member [N s].
            pub fn row(&self, x: &[DVec3], w: &[f64], dt: f64, multiplier: &mut DVec3) -> [DVec3; MEMBERS] {
                match self.kind { $(Kind::$kind => $module::row(self.numbers, x, w, dt, multiplier)),* }
            }
        }
    };
}

kinds! {
    Stretch = stretch, 2, "Keeps two particles at a distance.";
    Bend = bend, 3, "Keeps three particles in line.";
}

/// A constraint between given particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Kind of the constraint.
    pub kind: Kind,
    /// Ids of its particles, padded with [`NO_MEMBER`].
    pub members: [u32; MEMBERS],
    /// Constants of its kind.
    pub numbers: [f64; 4],
}

impl Link {
    /// Returns the ids of its particles.
    pub fn ids(&self) -> &[u32] {
        &self.members[..self.kind.members()]
    }
}

/// A link as seen from one of its particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incidence {
    /// Index of the link.
    pub link: u32,
    /// Role of the particle among the members.
    pub role: u8,
}

/// All links of a scene, and the incidences of their particles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Links {
    /// Links, sorted by color.
    pub all: Vec<Link>,
    /// First link of each color and the end of the last; links of a color are of one kind and share no particle. Shape [color_count + 1].
    pub color_start: Vec<u32>,
    /// Id of the first linked particle; all later particles are linked, too.
    pub first_particle: u32,
    /// Start of each linked particle's incidences, and the end of the last; shape [linked_count + 1].
    pub start: Vec<u32>,
    /// Incidences, particle by particle.
    pub incidences: Vec<Incidence>,
}

impl Links {
    /// Builds the links of a scene's ropes.
    pub fn of(scene: &Scene, particles: &Particles) -> Self {
        let is_rope = |body: usize| matches!(scene.bodies[body].kind, BodyKind::Rope(_));
        let first_body = (0..scene.bodies.len()).find(|&body| is_rope(body)).unwrap_or(scene.bodies.len());
        debug_assert!((first_body..scene.bodies.len()).all(is_rope), "ropes come last");
        let first_of = |body: usize| particles.body.partition_point(|&b| (b as usize) < body) as u32;
        let mut links = Vec::new();
        for (index, body) in scene.bodies.iter().enumerate() {
            let BodyKind::Rope(rope) = &body.kind else { continue };
            let first = first_of(index);
            let end = first_of(index + 1);
            let ids = |members: &[u32]| {
                std::array::from_fn(|i| members.get(i).map_or(NO_MEMBER, |vertex| first + vertex))
            };
            for (segment, &length) in std::iter::zip(&rope.segments, &rope.lengths) {
                links.push(Link {
                    kind: Kind::Stretch,
                    members: ids(segment),
                    numbers: stretch::numbers(length, rope.stretch_stiffness),
                });
            }
            if rope.bending_stiffness == 0.0 {
                continue;
            }
            for (middle, both) in rope.corners((end - first) as usize) {
                let [before, after] = both.map(|segment| {
                    let [a, b] = rope.segments[segment];
                    if a == middle { b } else { a }
                });
                links.push(Link {
                    kind: Kind::Bend,
                    members: ids(&[before, middle, after]),
                    numbers: bend::numbers(both.map(|segment| rope.lengths[segment]), rope.bending_stiffness),
                });
            }
        }
        Self::new(links, first_of(first_body), particles.len() as u32)
    }

    /// Colors the links of the particles from `first_particle` to `particle_count` and builds their lists.
    fn new(links: Vec<Link>, first_particle: u32, particle_count: u32) -> Self {
        let linked = (particle_count - first_particle) as usize;
        // The lowest color of its kind that none of its particles has yet.
        let mut taken: Vec<Vec<(Kind, u32)>> = vec![Vec::new(); linked];
        let mut colored: Vec<((Kind, u32), Link)> = Vec::with_capacity(links.len());
        for link in links {
            let at = |id: &u32| (id - first_particle) as usize;
            let free =
                |color: &u32| !link.ids().iter().any(|id| taken[at(id)].contains(&(link.kind, *color)));
            let color = (0..).find(free).unwrap_or_default();
            link.ids().iter().for_each(|id| taken[at(id)].push((link.kind, color)));
            colored.push(((link.kind, color), link));
        }
        colored.sort_by_key(|(color, _)| *color);
        let mut color_start: Vec<u32> = (0..colored.len())
            .filter(|&i| i == 0 || colored[i].0 != colored[i - 1].0)
            .map(|i| i as u32)
            .collect();
        color_start.push(colored.len() as u32);
        let all: Vec<Link> = colored.into_iter().map(|(_, link)| link).collect();
        let mut of_particle: Vec<Vec<Incidence>> = vec![Vec::new(); linked];
        for (link, index) in std::iter::zip(&all, 0..) {
            for (id, role) in std::iter::zip(link.ids(), 0..) {
                of_particle[(id - first_particle) as usize].push(Incidence { link: index, role });
            }
        }
        let mut start = vec![0];
        start.extend(of_particle.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        Self { all, color_start, first_particle, start, incidences: of_particle.concat() }
    }

    /// Returns true if there are no links.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of linked particles.
    pub fn particle_count(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Iterates over the range of links of each color.
    pub fn colors(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.color_start.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
    }
}

#[cfg(test)]
mod tests;
