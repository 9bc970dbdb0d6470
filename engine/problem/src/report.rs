//! A solver's report on a frame.

use crate::Failure;

/// Number of particles, next to each other in the order of cells, over which a device sums before it sums the parts.
pub const TILE: u32 = 64;

/// Work and health of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameReport {
    /// Number of the frame that was reached.
    pub frame: u32,
    /// Substeps taken; a halved one counts as its halves.
    pub substeps: u32,
    /// Length of the substeps that were not halved [s].
    pub substep: f64,
    /// Iterations summed over the substeps.
    pub iterations: u64,
    /// Wall time of the frame [s].
    pub wall_seconds: f64,
    /// Neighbor pairs at the last substep, each counted from both sides.
    pub neighbor_pairs: u64,
    /// Residuals at the end of the last substep.
    pub residual: Residual,
    /// Energies at the end of the frame.
    pub energies: Energies,
    /// Limiter counts, summed over the substeps.
    pub counters: Counters,
    /// Those of `counters.substeps_halved` that were due to a fold or came in the later half of the frame.
    pub lasting_halvings: u64,
    /// Impulse that each collider received over the frame [N s], shape [collider_count].
    pub collider_impulse: Vec<[f64; 3]>,
    /// Highest particle speed at the end of the frame [m/s].
    pub max_speed: f64,
    /// Highest speed of particles that had neighbors or colliders in reach in the last substep [m/s]; bounds the next substeps.
    pub max_interacting_speed: f64,
    /// Highest sqrt(p / rho) of fluids at the end of the frame [m/s], p / rho being the mean over a tile of [`TILE`] particles: in the
    /// corners of a tank single ones bear three times the pressure of their depth. Bounds the next substeps.
    pub pressure_speed: f64,
}

impl FrameReport {
    /// Appends the report on the next part of the frame: sums over both parts, and the state at the later end.
    pub fn append(&mut self, later: Self) {
        let mut counters = self.counters;
        counters += &later.counters;
        let mut collider_impulse = later.collider_impulse;
        for (total, before) in collider_impulse.iter_mut().zip(&self.collider_impulse) {
            for (total, before) in total.iter_mut().zip(before) {
                *total += before;
            }
        }
        *self = Self {
            substeps: self.substeps + later.substeps,
            iterations: self.iterations + later.iterations,
            wall_seconds: self.wall_seconds + later.wall_seconds,
            lasting_halvings: self.lasting_halvings + later.lasting_halvings,
            counters,
            collider_impulse,
            ..later
        };
    }
}

/// Residuals of the last substep of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Residual {
    /// Norm of the force imbalance over its value at the predicted velocities (at least
    /// 1e-6 |M g dt|, or 3e-5 of the norm of all m v) [dimensionless].
    pub force: f64,
    /// Norm of C + alpha~ lambda over all particles [sqrt(Pa)].
    pub multiplier: f64,
}

/// Energies [J].
#[derive(serde::Serialize, serde::Deserialize, Debug, Clone, Copy, Default, PartialEq)]
pub struct Energies {
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Stored elastic energy [J].
    pub elastic: f64,
    /// Potential energy of gravity relative to the scene's origin [J].
    pub gravity: f64,
}

/// Declaration of a limiter counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// Name in reports.
    pub name: &'static str,
    /// True if shaders count it, each counter in a word of its own, in the order of the list; the host counts the others.
    pub on_device: bool,
    /// Meaning.
    pub help: &'static str,
}

macro_rules! counters {
    ($($name:ident: $place:ident, $help:literal;)*) => {
        /// Every counter.
        pub const COUNTERS: &[Counter] =
            &[$(Counter { name: stringify!($name), on_device: counters!(@on_device $place), help: $help }),*];

        /// How often each limiter acted; one count is one particle in one substep or iteration.
        #[derive(serde::Serialize, serde::Deserialize, Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Counters {
            $(#[doc = $help] pub $name: u64,)*
        }

        impl Counters {
            /// Name and value of every counter, in the order of the list.
            pub fn entries(&self) -> [(&'static str, u64); COUNTERS.len()] {
                [$((stringify!($name), self.$name)),*]
            }

            /// Collects the counters of shaders; `next` yields one after the other.
            pub fn of_device(mut next: impl FnMut() -> u64) -> Self {
                Self { $($name: counters!(@value $place next)),* }
            }
        }

        impl std::ops::AddAssign<&Counters> for Counters {
            fn add_assign(&mut self, part: &Counters) {
                $(self.$name += part.$name;)*
            }
        }
    };
    (@on_device device) => { true };
    (@on_device host) => { false };
    (@value device $next:ident) => { $next() };
    (@value host $next:ident) => { 0 };
}

counters! {
    stretch_clamped: device, "Strains clamped to the admissible stretches.";
    fold_limited: device, "Folding velocity gradients that were scaled back: in iterations and, for separated matter, at the commit.";
    tip_released: device, "Constraints that reached a yield tip and released their impulse.";
    rank_deficient: device, "Neighborhoods whose kernel correction was rank deficient.";
    gradient_limited: device, "Neighborhoods so flat or so close that gradients along an axis were scaled down.";
    isolated: device, "Particles without any neighbor.";
    position_corrected: device, "Pairs (by density: neighborhoods) pushed apart by the position correction.";
    contact_overflow: device, "Particles that touched more collider faces at once than are tracked.";
    substeps_halved: host, "Substeps repeated as two halves because a neighborhood folded or a Newton solve stayed far from balance.";
    frames_repeated: host, "Repetitions of the frame with shorter substeps: a particle exceeded the travel limit, or it failed or gained energy.";
    emitted: host, "Particles that emitters added.";
    emission_withheld: host, "Particles that an emitter left out, because others had not moved on or a collider was in the way.";
    removed: host, "Particles that left the run through a sink.";
    buffers_grown: host, "Substeps repeated because a buffer had to grow.";
    fast_particles: device, "Particles faster than half a kernel radius per substep that had neighbors or colliders in reach.";
    loose_held: device, "Particles without stress that hardly moved and were held in place by friction.";
    newton_uphill: device, "Newton steps that came no closer to balance at any length, and rounds of relaxation that were taken back.";
    newton_unbalanced: device, "Substeps that a Newton solve left above the residual tolerance.";
    overlap_displaced: device, "Particles moved out of a collider, of cloth or of another particle by a displacement that causes no velocity.";
    sheet_passed: device, "Points and edges that ended a substep on the other side of a cloth.";
    fractured: host, "Pairs of total bodies that broke.";
    torn: host, "Triangles of cloth that tore.";
    unfolded: device, "Neighborhoods of total bodies so compressed or turned inside out that a stretch was raised to its least value.";
    volume_corrected: device, "Flowing particles packed more densely than their volume ratio, which was corrected toward the packing.";
}

/// Number of counters that shaders count.
pub const DEVICE_COUNTERS: usize = {
    let (mut count, mut i) = (0, 0);
    while i < COUNTERS.len() {
        count += COUNTERS[i].on_device as usize;
        i += 1;
    }
    count
};

/// Reason why a simulation cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The run was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// The state became unusable.
    #[error("the simulation failed: {0}")]
    Failed(Box<Failure>),
    /// There is no kept state to return to.
    #[error("no state was kept to return to")]
    NoSavedState,
    /// A saved state belongs to something else.
    #[error("the state belongs to another scene or solver: {0}")]
    StateMismatch(String),
    /// The device or driver failed.
    #[error("{0}")]
    Device(String),
    /// The scene asks for something that this solver does not have.
    #[error("{0}")]
    Unsupported(String),
}
