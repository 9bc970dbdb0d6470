//! The particles and the scratch arrays of a substep.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use tuff_plugin::Moduli;
use tuff_problem::links::Multipliers;
use tuff_problem::{
    BrokenPair, CONTACT_SLOTS, Counters, Grid, Problem, SimulationError, SolverState, broken_column,
    broken_pairs, renumbered,
};
use tuff_rigid::Bodies;
use tuff_scene::Near;

use crate::clock::Clock;
use crate::context::Context;
use crate::parallel;
use crate::placed::{Placed, Tracks};
use crate::rigid::Touch;
use crate::saved::{column, values};
use crate::scalar::{Quad, Scalar};
use crate::sheets::{Candidate, Push};
use crate::stages::fill_pores::Room;
use crate::stages::find_walls::Walls;

/// Pin index of a particle without a pin.
pub const NO_PIN: u32 = u32::MAX;

/// Row of a particle that touches no mesh.
pub const NO_NEAR: u32 = u32::MAX;

/// Passes the arrays that particles keep from substep to substep to a macro.
macro_rules! kept {
    ($use:ident) => {
        $use! {
            id position velocity strain branch deformation volume_ratio plastic memory tension memory_bound material_state mass
            inverse_mass rest_volume material body pin anchor internal_acceleration near_springs mean_acceleration
        }
    };
}

/// Size of what a substep reorders of a particle [bytes].
pub(crate) const KEPT_BYTES: usize = {
    const fn size<T>(_: fn(&State) -> &Vec<T>) -> usize {
        size_of::<T>()
    }
    macro_rules! sum {
        ($($name:ident)*) => { 0 $(+ size(|state| &state.$name))* };
    }
    kept!(sum)
};

/// Structure of arrays over particles, all of shape [particle_count] unless said otherwise.
///
/// The first block is the state proper, reordered by every substep (the list of `kept`); the rest is scratch that a
/// substep fills stage by stage. S is the number type of pairs.
#[derive(Debug, Clone, Default)]
pub struct State<S: Scalar = f64> {
    /// Stable ids.
    pub id: Vec<u32>,
    /// Positions at the start of the substep [m].
    pub position: Vec<DVec3>,
    /// Velocities [m/s].
    pub velocity: Vec<DVec3>,
    /// Elastic strain E = b - I [dimensionless].
    pub strain: Vec<DMat3>,
    /// Second elastic strain E_N of models of the tensor variant [dimensionless].
    pub branch: Vec<DMat3>,
    /// Deformation gradient F for models of the tensor variant [dimensionless].
    pub deformation: Vec<DMat3>,
    /// Total volume ratio J [dimensionless].
    pub volume_ratio: Vec<f64>,
    /// `P = C_p^-1 - I` of total bodies, C_p being the right Cauchy-Green tensor of what has flowed; 0 until something flows
    /// [dimensionless].
    pub plastic: Vec<DMat3>,
    /// Non-affine displacement h stored by the memory [m].
    pub memory: Vec<DVec3>,
    /// Upper bound of the principal tensions, `max(0, tr tau / 3) + sqrt(2/3) |dev tau|` [Pa].
    pub tension: Vec<f64>,
    /// Largest displacement to which the memory responds [m]; infinite if unbounded.
    pub memory_bound: Vec<f64>,
    /// State words of the material.
    pub material_state: Vec<[f64; 4]>,
    /// Masses [kg].
    pub mass: Vec<f64>,
    /// Inverse masses [1/kg]; 0 for pinned particles.
    pub inverse_mass: Vec<f64>,
    /// Rest volumes [m^3].
    pub rest_volume: Vec<f64>,
    /// Material indices.
    pub material: Vec<u32>,
    /// Body indices.
    pub body: Vec<u32>,
    /// Pin indices or [`NO_PIN`].
    pub pin: Vec<u32>,
    /// Initial positions, relative to which pins move particles [m].
    pub anchor: Vec<DVec3>,

    /// Acceleration by internal forces in the last Newton solve, except for the springs in the next array [m/s^2].
    pub internal_acceleration: Vec<DVec3>,
    /// Stiffness of the springs of too-close pairs over the mass, for a particle that starts at rest on them and on no collider [1/s^2].
    pub near_springs: Vec<f64>,
    /// Mean accelerations of fluids over the last substeps [m/s^2]; 0 without mixtures.
    pub mean_acceleration: Vec<DVec3>,

    /// Index of the particle with each id, since the last sort.
    pub place: Vec<usize>,
    /// Cells of the particles.
    pub cell: Vec<u32>,
    /// First particle of every cell, shape [cell_count + 1].
    pub cell_start: Vec<u32>,
    /// Volumes as kernels of matter count them [m^3]: V = V0 sqrt(det(I + E)), -V0 for fluids, 0 for linked particles and total bodies.
    pub volume: Vec<f64>,
    /// The same as kernels of fluids count them [m^3]: those of fluids in pores are `-V0 / f`, with the part of the grains.
    pub seen_volume: Vec<f64>,
    /// What fluids have of beds of grains around them, shape [particle_count]; empty without mixtures.
    pub room: Vec<Room>,
    /// What neighborhoods of fluids lack, by which surfaces have a tension [dimensionless], shape [particle_count]; empty without any.
    pub lack: Vec<f64>,
    /// Small-strain moduli in the state at the start of the substep [Pa].
    pub moduli: Vec<Moduli>,
    /// Radii in contacts [m].
    pub contact_radius: Vec<f64>,
    /// `N = (I + E)^-1 - I`; zero where kernels ignore the strain.
    pub metric: Vec<DMat3>,
    /// F^-T of total bodies at the start, shape [particle_count]; empty if there are none.
    pub unstretch: Vec<DMat3>,
    /// First pair of every particle, shape [particle_count + 1].
    pub neighbor_start: Vec<u32>,
    /// One past the last position-correction candidate among a particle's pairs.
    pub candidate_end: Vec<u32>,
    /// Other particle of each pair, shape [pair_count].
    pub neighbor: Vec<u32>,
    /// `k` of each pair's weight `w^ = (k / 255)^2`; 0 across bodies. Shape [pair_count].
    pub quantized: Vec<u8>,
    /// Corrected gradient g_b [1/m], and memory weight w'_b, of each pair; shape [pair_count].
    pub rows: Vec<S::Quad>,
    /// Other particle of each pair whose second particle is this one, by the first; shape [pair_count]. Lists are symmetric: both
    /// directions begin at `neighbor_start`.
    pub back_neighbor: Vec<u32>,
    /// Rows of those pairs, shape [pair_count].
    pub back_rows: Vec<S::Quad>,
    /// Sums over the neighbors.
    pub moments: Vec<Moments>,
    /// Faces of the colliders at their places in the substep, shape [face_count].
    pub placed: Vec<Placed>,
    /// Triangles near the contacts with meshes, by particle and slot.
    pub near: Vec<[Near; CONTACT_SLOTS]>,
    /// Place of a particle's row there, or [`NO_NEAR`], shape [particle_count]; empty if nothing touches a mesh.
    pub near_row: Vec<u32>,
    /// Where deforming meshes are.
    pub tracks: Tracks,
    /// Rigid bodies.
    pub rigid: Bodies,
    /// Contacts of matter with them.
    pub touches: Vec<Touch>,
    /// Parts that may meet sheets in the substep.
    pub sheet_candidates: Vec<Candidate>,
    /// Contacts with sheets that push, at the last evaluation of the forces.
    pub sheet_pushes: Vec<Push>,
    /// Walls near the particles; empty if there are neither thin colliders nor sheets.
    pub walls: Vec<Walls>,
    /// Velocities at the start of the substep [m/s].
    pub start_velocity: Vec<DVec3>,
    /// Per body: 19 for each unpinned particle that moves, minus 1 for each that is slow, shape [body_count].
    pub awake: Vec<i64>,
    /// Velocities after external forces [m/s].
    pub predicted_velocity: Vec<DVec3>,
    /// Velocities that a Jacobi sweep reads [m/s].
    pub sweep_velocity: Vec<DVec3>,
    /// Multipliers scaled by alpha~ [sqrt(Pa)].
    pub multiplier: Vec<f64>,
    /// Applied impulses H [N m s].
    pub impulse: Vec<DMat3>,
    /// Multipliers of the memory scaled by alpha~ [m].
    pub memory_multiplier: Vec<DVec3>,
    /// Impulses of the position correction in sweeps [N s].
    pub correction_impulse: Vec<DVec3>,
    /// 1 for triangles of cloth that have torn, otherwise 0, in the order of bodies; empty if none can.
    pub torn: Vec<u32>,
    /// Pairs of total bodies that have broken.
    pub broken: Vec<BrokenPair>,
    /// Which links are gone with torn triangles, shape [link_count]; empty if none are.
    pub gone: Vec<bool>,
    /// Multipliers of the links, shape [link_count].
    pub link_multiplier: Vec<Multipliers>,
    /// Norms of the imbalances of the forces at the guess of a Newton solve [N s].
    pub guess_imbalance: Vec<f64>,
    /// Collider contacts.
    pub contacts: Vec<Contacts>,

    /// Impulse that each face received since the frame began [N s], shape [face_count].
    pub face_impulse: Vec<DVec3>,
    /// Limiter counts since the frame began.
    pub counters: Counters,
    /// Times of the loops, for profiles.
    pub clock: Clock,
    /// The grid; if `None`, the next substep creates one around the particles.
    pub grid: Option<Grid>,
}

/// A neighbor b of a particle p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Index of b.
    pub index: usize,
    /// `k` of the weight `w^ = (k / 255)^2`; 0 across bodies.
    pub quantized: u8,
    /// Corrected gradient g_b [1/m]: `L a_b`, without the part due to curvature in matter that never flows.
    pub gradient: DVec3,
    /// Memory weight `w'_b` [dimensionless].
    pub weight: f64,
}

/// Sums over the neighbors of a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// `S = sum g g^T / m_b` [1/(m^2 kg)].
    pub second: DMat3,
    /// `s = sum g` [1/m].
    pub first: DVec3,
    /// `sw = sum w'` [dimensionless].
    pub weight: f64,
    /// `c = sum w' g / m_b + sw s / m_p` [1/(m kg)].
    pub coupling: DVec3,
    /// `D_h = sum w'^2 / m_b + sw^2 / m_p` [1/kg].
    pub memory_denominator: f64,
    /// `q` of the memory weights [m].
    pub direction: DVec3,
    /// `sum w^` [dimensionless].
    pub raw_weight: f64,
    /// Own inverse mass as the rows see it (split in Jacobi sweeps) [1/kg].
    pub inverse_mass: f64,
    /// Number of directions that the neighborhood spans: the rank of the kernel moment.
    pub rank: u32,
}

impl Default for Moments {
    /// No neighbors. (The default of a matrix would be the identity.)
    fn default() -> Self {
        Self {
            second: DMat3::ZERO,
            first: DVec3::ZERO,
            weight: 0.0,
            coupling: DVec3::ZERO,
            memory_denominator: 0.0,
            direction: DVec3::ZERO,
            raw_weight: 0.0,
            inverse_mass: 0.0,
            rank: 0,
        }
    }
}

/// Contacts of one particle with colliders.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contacts {
    /// Number of entries in use.
    pub count: usize,
    /// Face indices.
    pub face: [u32; CONTACT_SLOTS],
    /// Distance that each face keeps: the contact radius and the thickness, or less if the particle was nearer when found [m].
    pub gap: [f64; CONTACT_SLOTS],
    /// Largest pull of each face by adhesion, as a velocity change in this substep [m/s]; 0 where it does not hold the particle, and
    /// negative where a wall pushes a fluid by its pressure: the least push.
    pub pull: [f64; CONTACT_SLOTS],
    /// Velocity change from each face in this substep [m/s].
    pub change: [DVec3; CONTACT_SLOTS],
}

impl Contacts {
    /// Returns the velocity change from all faces [m/s].
    pub fn total(&self) -> DVec3 {
        self.change[..self.count].iter().sum()
    }
}

impl<S: Scalar> State<S> {
    /// Returns true for a particle of a fluid, since the last sort.
    #[inline]
    pub fn is_fluid(&self, p: usize) -> bool {
        self.volume[p] < 0.0
    }

    /// Returns the neighbors of p with their kernels W [1/m^3].
    pub fn around(&self, context: &Context, p: usize) -> impl Iterator<Item = (usize, f64)> {
        let kernel = context.kernel();
        self.neighbor[self.neighbor_range(p)]
            .iter()
            .map(move |&b| (b as usize, kernel.value(self.position[b as usize].distance(self.position[p]))))
    }

    /// Returns true if a link is gone, since the start of the substep.
    pub fn is_gone(&self, link: usize) -> bool {
        self.gone.get(link).copied().unwrap_or(false)
    }

    /// Returns the index of the sheet to which p belongs.
    pub fn sheet_of(&self, context: &Context, p: usize) -> Option<u32> {
        context.sheets.of_body(self.body[p])
    }

    /// Creates the state at the first frame, particles sorted by id.
    pub fn new(problem: &Problem, context: &Context) -> Self {
        let particles = &problem.particles;
        let mut state = Self::default();
        if context.links.may_tear() {
            state.torn = vec![0; context.links.tear_stretch.len()];
        }
        for i in 0..problem.particle_count() {
            state.push(
                context,
                Particle {
                    position: particles.position[i],
                    velocity: particles.velocity[i],
                    mass: problem.mass[i],
                    rest_volume: particles.rest_volume[i],
                    material: particles.material[i],
                    body: particles.body[i],
                    pin: particles.pin[i],
                },
            );
        }
        state.face_impulse = vec![DVec3::ZERO; context.faces.len()];
        state.rigid = Bodies::new(Arc::clone(&problem.rigid), 1.0 / problem.scene.time.frame_rate);
        state
    }

    /// Appends an unstrained particle; its id is the number of particles so far.
    pub fn push(&mut self, context: &Context, particle: Particle) {
        let material = &context.materials[particle.material as usize];
        self.id.push(self.id.len() as u32);
        self.internal_acceleration.push(DVec3::ZERO);
        self.near_springs.push(0.0);
        self.mean_acceleration.push(DVec3::ZERO);
        self.position.push(particle.position);
        self.velocity.push(particle.velocity);
        self.strain.push(DMat3::ZERO);
        self.branch.push(DMat3::ZERO);
        self.deformation.push(DMat3::IDENTITY);
        self.volume_ratio.push(1.0);
        self.plastic.push(DMat3::ZERO);
        self.memory.push(DVec3::ZERO);
        self.tension.push(0.0);
        self.memory_bound.push(f64::INFINITY);
        self.material_state.push(material.law.initial_state(&material.constants));
        self.mass.push(particle.mass);
        self.inverse_mass.push(if particle.pin == NO_PIN { 1.0 / particle.mass } else { 0.0 });
        self.rest_volume.push(particle.rest_volume);
        self.material.push(particle.material);
        self.body.push(particle.body);
        self.pin.push(particle.pin);
        self.anchor.push(particle.position);
    }

    /// Returns the number of particles.
    pub fn particle_count(&self) -> usize {
        self.id.len()
    }

    /// Reorders the kept arrays: particle `order[i]` moves to index `i`.
    pub fn reorder(&mut self, order: &[usize]) {
        macro_rules! reorder {
            ($($name:ident)*) => { $(self.$name = parallel::map(order.len(), |i| self.$name[order[i]]);)* };
        }
        kept!(reorder);
    }

    /// Replaces the particles by those of `problem`: first the present ones with the ids `kept`, then others at rest.
    pub fn repopulate(&mut self, problem: &Problem, context: &Context, kept: &[u32]) {
        let place = self.index_of_id();
        let mut state = Self::new(problem, context);
        macro_rules! take_over {
            ($id:ident $($name:ident)*) => {
                for (row, &id) in kept.iter().enumerate() {
                    $(state.$name[row] = self.$name[place[id as usize]];)*
                }
            };
        }
        kept!(take_over);
        state.clock = std::mem::take(&mut self.clock);
        state.rigid = std::mem::take(&mut self.rigid);
        state.torn = std::mem::take(&mut self.torn);
        state.broken = renumbered(&self.broken, kept);
        *self = state;
    }

    /// Saves the kept arrays.
    pub fn save(&self) -> SolverState {
        macro_rules! save {
            ($($name:ident)*) => { vec![$(column(stringify!($name), &self.$name)),*] };
        }
        let mut columns = kept!(save);
        if !self.torn.is_empty() {
            columns.push(column("torn", &self.torn));
        }
        columns.extend(broken_column(&self.broken));
        if !self.rigid.is_empty() {
            columns.push(column("rigid", &self.rigid.saved()));
        }
        SolverState { columns }
    }

    /// Restores what was [saved](Self::save).
    ///
    /// # Errors
    /// [`SimulationError::StateMismatch`] for other particles; the state is then unchanged.
    pub fn restore(&mut self, saved: &SolverState) -> Result<(), SimulationError> {
        let count = self.particle_count();
        macro_rules! restore {
            ($($name:ident)*) => {{
                $(let $name = values(saved, stringify!($name), count)?;)*
                $(self.$name = $name;)*
            }};
        }
        let rigid: Vec<f64> = match self.rigid.len() {
            0 => Vec::new(),
            bodies => values(saved, "rigid", Bodies::SAVED * bodies)?,
        };
        let torn = match self.torn.len() {
            0 => Vec::new(),
            triangles => values(saved, "torn", triangles)?,
        };
        let broken = broken_pairs(saved)?;
        kept!(restore);
        self.torn = torn;
        self.broken = broken;
        self.rigid.restore(&rigid);
        Ok(())
    }

    /// Returns the triangles near a contact, if that is with a mesh.
    pub fn near(&self, p: usize, slot: usize) -> Option<&Near> {
        let row = *self.near_row.get(p)?;
        (row != NO_NEAR).then(|| &self.near[row as usize][slot])
    }

    /// Returns the pairs of a particle.
    pub fn neighbors(&self, p: usize) -> impl ExactSizeIterator<Item = Pair> {
        self.neighbor_range(p).map(|i| Pair {
            index: self.neighbor[i] as usize,
            quantized: self.quantized[i],
            gradient: self.rows[i].vector(),
            weight: self.rows[i].last(),
        })
    }

    /// Returns the range of a particle's pairs that are candidates for position correction.
    pub fn near_range(&self, p: usize) -> std::ops::Range<usize> {
        self.neighbor_start[p] as usize..self.candidate_end[p] as usize
    }

    /// Returns the range of a particle's pairs.
    pub fn neighbor_range(&self, p: usize) -> std::ops::Range<usize> {
        self.neighbor_start[p] as usize..self.neighbor_start[p + 1] as usize
    }

    /// Returns the range of a cell's particles.
    pub fn cell_range(&self, cell: u32) -> std::ops::Range<usize> {
        self.cell_start[cell as usize] as usize..self.cell_start[cell as usize + 1] as usize
    }

    /// Returns the index of the particle with each id.
    pub fn index_of_id(&self) -> Vec<usize> {
        let mut index = vec![0; self.id.len()];
        for (i, &id) in self.id.iter().enumerate() {
            index[id as usize] = i;
        }
        index
    }
}

/// A particle to append.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle {
    /// Position [m].
    pub position: DVec3,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Mass [kg].
    pub mass: f64,
    /// Rest volume [m^3].
    pub rest_volume: f64,
    /// Material index.
    pub material: u32,
    /// Body index.
    pub body: u32,
    /// Pin index or [`NO_PIN`].
    pub pin: u32,
}
