//! Constraints between given particles, such as those of ropes and cloth. Each kind has a file here, with the same formulas in
//! `shaders/include/constraints/links`.
//!
//! A kind defines its stored energy, its gradient (with the damping in it), the product of the stiffness with displacements (its positive
//! part, which keeps the matrix of `newton_cg` definite), and its row for sweeps. All kinds share lists, colors and the switch over kinds.
//! Functions here return what they give for all members, since most of the work is the same for each; on the device an invocation gathers
//! for one particle and asks for one member.

mod bend;
mod curve;
mod membrane;
mod stretch;
mod warnings;

pub(crate) use curve::CURVES;
use glam::{DMat3, DVec3};
use tuff_scene::{BodyKind, Cloth, Geometry, Particles, Rope, Scene};
pub use warnings::warnings;

/// Maximum number of members of a link.
pub const MEMBERS: usize = 6;

/// Number of constants of a link.
pub const NUMBERS: usize = 16;

/// Number of multipliers of a link, vectors.
pub const MULTIPLIERS: usize = 3;

/// Constants of a link, as its kind defines them.
pub type Numbers = [f64; NUMBERS];

/// Multipliers of a link in sweeps, as its kind defines them.
pub type Multipliers = [DVec3; MULTIPLIERS];

/// Positions of the members of a link at both ends of a substep.
#[derive(Debug, Clone, Copy)]
pub struct Ends<'a> {
    /// Positions at the start [m], shape [member_count] or more.
    pub start: &'a [DVec3],
    /// Positions at the end [m], same shape.
    pub end: &'a [DVec3],
    /// Length of the substep [s].
    pub dt: f64,
}

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
                match self.kind { $(Kind::$kind => $module::energy(&self.numbers, x)),* }
            }

            /// Returns the gradient of the energy for each member, less its damping force [N].
            pub fn gradients(&self, e: Ends<'_>) -> [DVec3; MEMBERS] {
                match self.kind { $(Kind::$kind => padded($module::gradients(&self.numbers, e), DVec3::ZERO)),* }
            }

            /// Returns the change of the gradients with displacements u of the members, as far as the link resists them [N].
            pub fn products(&self, e: Ends<'_>, u: &[DVec3]) -> [DVec3; MEMBERS] {
                match self.kind { $(Kind::$kind => padded($module::products(&self.numbers, e, u), DVec3::ZERO)),* }
            }

            /// Returns the diagonal blocks of `products` [N/m].
            pub fn blocks(&self, e: Ends<'_>) -> [DMat3; MEMBERS] {
                match self.kind { $(Kind::$kind => padded($module::blocks(&self.numbers, e), DMat3::ZERO)),* }
            }

            /// Solves the row of a sweep for members of inverse masses w [1/kg]: updates the `multipliers` and returns the impulse on
            /// each member [N s].
            pub fn row(&self, e: Ends<'_>, w: &[f64], multipliers: &mut Multipliers) -> [DVec3; MEMBERS] {
                match self.kind { $(Kind::$kind => $module::row(&self.numbers, e, w, multipliers)),* }
            }
        }
    };
}

/// Returns what the members of a link get, and nothing for those that it does not have.
fn padded<T: Copy, const N: usize>(parts: [T; N], none: T) -> [T; MEMBERS] {
    std::array::from_fn(|role| parts.get(role).copied().unwrap_or(none))
}

kinds! {
    Stretch = stretch, 2, "Keeps two particles at a distance.";
    Bend = bend, 3, "Keeps three particles in line.";
    Membrane = membrane, 3, "Keeps the shape of a triangle in its plane.";
    Curve = curve, 6, "Keeps the curvature of a triangle and its neighbors.";
}

/// A constraint between given particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Kind of the constraint.
    pub kind: Kind,
    /// Ids of its particles, padded with [`NO_MEMBER`].
    pub members: [u32; MEMBERS],
    /// Constants of its kind.
    pub numbers: Numbers,
    /// Triangles of cloth without which it is gone, padded with [`NO_MEMBER`]: the one that it keeps in shape, and those around that.
    pub triangles: [u32; 4],
}

impl Link {
    /// Returns the largest principal stretch of a membrane with corners at `x` [dimensionless]; 1 for other kinds.
    pub fn stretch(&self, x: &[DVec3]) -> f64 {
        if self.kind == Kind::Membrane { membrane::largest_stretch(&self.numbers, x) } else { 1.0 }
    }

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
    /// Id of the first linked particle; those of all others follow it.
    pub first_particle: u32,
    /// Start of each linked particle's incidences, and the end of the last; shape [linked_count + 1].
    pub start: Vec<u32>,
    /// Incidences, particle by particle; of a particle that stands for missing members, only its own role.
    pub incidences: Vec<Incidence>,
    /// Largest stretch that each triangle of cloth bears, in the order of bodies; infinite for those that do not tear.
    pub tear_stretch: Vec<f64>,
}

impl Links {
    /// Builds the links of a scene's ropes and cloth.
    pub fn of(scene: &Scene, particles: &Particles) -> Self {
        let is_linked = |body: usize| !scene.bodies[body].kind.is_matter();
        let first_body = (0..scene.bodies.len()).find(|&body| is_linked(body)).unwrap_or(scene.bodies.len());
        debug_assert!((first_body..scene.bodies.len()).all(is_linked), "linked bodies come last");
        let first_of = |body: usize| particles.body.partition_point(|&b| (b as usize) < body) as u32;
        let (mut links, mut tear_stretch) = (Vec::new(), Vec::new());
        for (index, body) in scene.bodies.iter().enumerate() {
            let (first, end) = (first_of(index), first_of(index + 1));
            let first_triangle = tear_stretch.len() as u32;
            let mut add = |kind: Kind, members: &[u32], triangles: &[u32], numbers: Numbers| {
                let members =
                    std::array::from_fn(|i| members.get(i).map_or(NO_MEMBER, |vertex| first + vertex));
                let triangles = std::array::from_fn(|i| {
                    triangles.get(i).map_or(NO_MEMBER, |index| first_triangle + index)
                });
                links.push(Link { kind, members, numbers, triangles });
            };
            match (&body.kind, &body.shape.geometry) {
                (BodyKind::Rope(rope), _) => of_rope(rope, (end - first) as usize, &mut add),
                (BodyKind::Cloth(cloth), Geometry::Points(rest)) => {
                    of_cloth(cloth, rest, &mut add);
                    let most = if cloth.tear_strain > 0.0 { 1.0 + cloth.tear_strain } else { f64::INFINITY };
                    tear_stretch.extend(std::iter::repeat_n(most, cloth.triangles.len()));
                }
                _ => {}
            }
        }
        Self { tear_stretch, ..Self::new(links, first_of(first_body), particles.len() as u32) }
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
                let list = &mut of_particle[(id - first_particle) as usize];
                if list.last().is_none_or(|last| last.link != index) {
                    list.push(Incidence { link: index, role });
                }
            }
        }
        let mut start = vec![0];
        start.extend(of_particle.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        let incidences = of_particle.concat();
        Self { all, color_start, first_particle, start, incidences, tear_stretch: Vec::new() }
    }

    /// Numbers the linked particles anew, from `first` on.
    pub(crate) fn begin_at(&mut self, first: u32) {
        for member in self.all.iter_mut().flat_map(|link| &mut link.members).filter(|id| **id != NO_MEMBER) {
            *member = *member - self.first_particle + first;
        }
        self.first_particle = first;
    }

    /// Returns true if there are no links.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns true if cloth may tear.
    pub fn may_tear(&self) -> bool {
        self.tear_stretch.iter().any(|stretch| stretch.is_finite())
    }

    /// Returns true if a link is gone with a triangle that it needs. `torn`: 1 for triangles that have torn, shape [triangle_count]; empty
    /// if none can.
    pub fn is_gone(&self, link: &Link, torn: &[u32]) -> bool {
        !torn.is_empty() && link.triangles.iter().any(|&t| t != NO_MEMBER && torn[t as usize] != 0)
    }

    /// Returns the triangles that have not torn and are stretched further than they bear; `position`: where the particle with an id is [m].
    pub fn overstretched(&self, torn: &[u32], position: impl Fn(u32) -> DVec3) -> Vec<u32> {
        let breaks = |link: &&Link| {
            let triangle = link.triangles[0] as usize;
            let x = link.ids().iter().map(|&id| position(id)).collect::<Vec<_>>();
            torn[triangle] == 0 && link.stretch(&x) > self.tear_stretch[triangle]
        };
        let membranes = self.all.iter().filter(|link| link.kind == Kind::Membrane);
        membranes.filter(breaks).map(|link| link.triangles[0]).collect()
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

/// Passes kind, vertices and numbers of a rope's links to `add`.
fn of_rope(rope: &Rope, vertex_count: usize, add: &mut impl FnMut(Kind, &[u32], &[u32], Numbers)) {
    for (segment, &length) in std::iter::zip(&rope.segments, &rope.lengths) {
        add(Kind::Stretch, segment, &[], stretch::numbers(length, rope.stretch_stiffness));
    }
    if rope.bending_stiffness == 0.0 {
        return;
    }
    for (middle, both) in rope.corners(vertex_count) {
        let [before, after] = both.map(|segment| {
            let [a, b] = rope.segments[segment];
            if a == middle { b } else { a }
        });
        let lengths = both.map(|segment| rope.lengths[segment]);
        add(Kind::Bend, &[before, middle, after], &[], bend::numbers(lengths, rope.bending_stiffness));
    }
}

/// Passes kind, vertices and numbers of the links of a cloth with vertices that rest at `rest` [m] to `add`.
fn of_cloth(cloth: &Cloth, rest: &[DVec3], add: &mut impl FnMut(Kind, &[u32], &[u32], Numbers)) {
    let at = |vertex: u32| rest[vertex as usize];
    for (&triangle, index) in std::iter::zip(&cloth.triangles, 0..) {
        add(Kind::Membrane, &triangle, &[index], membrane::numbers(triangle.map(at), cloth));
    }
    if cloth.bending_stiffness == 0.0 {
        return;
    }
    for ((triangle, around), index) in std::iter::zip(&cloth.triangles, cloth.across()).zip(0..) {
        let opposite = around.map(|other| other.map(|(_, vertex)| vertex));
        let Some(numbers) = curve::numbers(triangle.map(at), opposite.map(|vertex| vertex.map(at)), cloth)
        else {
            continue;
        };
        // A neighbor that is missing has no weight; the first corner stands for it.
        let across = opposite.map(|vertex| vertex.unwrap_or(triangle[0]));
        let needed: Vec<u32> =
            std::iter::once(index).chain(around.iter().flatten().map(|(other, _)| *other)).collect();
        add(Kind::Curve, &[*triangle, across].concat(), &needed, numbers);
    }
}

#[cfg(test)]
mod tests;
