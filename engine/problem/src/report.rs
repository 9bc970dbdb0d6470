//! What a solver says about a frame.

use crate::Failure;

/// Work and health of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameReport {
    /// Frame number that was reached.
    pub frame: u32,
    /// Substeps taken, halved ones as their halves.
    pub substeps: u32,
    /// Length of those that were not halved [s].
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
    /// What limiters did, summed over the substeps.
    pub counters: Counters,
    /// Impulse that each collider received over the frame [N s], shape [collider_count].
    pub collider_impulse: Vec<[f64; 3]>,
    /// Highest particle speed at the end of the frame [m/s].
    pub max_speed: f64,
    /// That of particles which had neighbors or colliders in reach in the last substep [m/s]: it bounds the next ones.
    pub bound_speed: f64,
}

impl FrameReport {
    /// Goes on with the report on what came next: sums over both, and the state at the later end.
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
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energies {
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Stored elastic energy [J].
    pub elastic: f64,
    /// Potential energy of gravity relative to the scene's origin [J].
    pub gravity: f64,
}

/// How often each limiter acted; one count is one particle in one substep or iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Strain clamped to the admissible stretches.
    pub stretch_clamped: u64,
    /// Iterations in which a folded velocity gradient was scaled back, and substeps in which that of matter that came apart was.
    pub fold_limited: u64,
    /// Constraints that reached a yield tip and gave their impulse back.
    pub tip_released: u64,
    /// Neighborhoods whose kernel correction was rank deficient.
    pub rank_deficient: u64,
    /// Neighborhoods that are nearly flat, or lie so near, that gradients along an axis were scaled down.
    pub gradient_limited: u64,
    /// Particles without any neighbor.
    pub isolated: u64,
    /// Pairs or, by density, neighborhoods pushed apart by the position correction.
    pub position_corrected: u64,
    /// Particles that touched more colliders at once than are tracked.
    pub contact_overflow: u64,
    /// Substeps repeated as two halves because a neighborhood folded or a Newton solve stayed far from balance.
    pub substeps_halved: u64,
    /// Times that the frame was computed again with shorter substeps, since particles went too far in one of those looked for or the
    /// frame failed with them.
    pub frames_repeated: u64,
    /// Substeps repeated because a buffer had to grow.
    pub buffers_grown: u64,
    /// Particles faster than half a kernel radius per substep that had neighbors or colliders in reach.
    pub fast_particles: u64,
    /// Particles without stress that hardly moved and were kept in place.
    pub loose_held: u64,
    /// Newton steps that took the forces no nearer to balance, however short, and rounds of relaxation that were taken back.
    pub newton_uphill: u64,
    /// Substeps that a Newton solve left above the tolerance of their residual.
    pub newton_unbalanced: u64,
    /// Particles moved out of a collider or of each other by a displacement that gives no velocity.
    pub overlap_displaced: u64,
    /// Particles that flowed packed more densely than their volume ratio says, which was brought nearer to the packing.
    pub volume_corrected: u64,
}

impl Counters {
    /// Name and value of every counter, in declaration order.
    pub fn entries(&self) -> [(&'static str, u64); 17] {
        [
            ("stretch_clamped", self.stretch_clamped),
            ("fold_limited", self.fold_limited),
            ("tip_released", self.tip_released),
            ("rank_deficient", self.rank_deficient),
            ("gradient_limited", self.gradient_limited),
            ("isolated", self.isolated),
            ("position_corrected", self.position_corrected),
            ("contact_overflow", self.contact_overflow),
            ("substeps_halved", self.substeps_halved),
            ("frames_repeated", self.frames_repeated),
            ("buffers_grown", self.buffers_grown),
            ("fast_particles", self.fast_particles),
            ("loose_held", self.loose_held),
            ("newton_uphill", self.newton_uphill),
            ("newton_unbalanced", self.newton_unbalanced),
            ("overlap_displaced", self.overlap_displaced),
            ("volume_corrected", self.volume_corrected),
        ]
    }
}

impl std::ops::AddAssign<&Counters> for Counters {
    fn add_assign(&mut self, part: &Counters) {
        self.stretch_clamped += part.stretch_clamped;
        self.fold_limited += part.fold_limited;
        self.tip_released += part.tip_released;
        self.rank_deficient += part.rank_deficient;
        self.gradient_limited += part.gradient_limited;
        self.isolated += part.isolated;
        self.position_corrected += part.position_corrected;
        self.contact_overflow += part.contact_overflow;
        self.substeps_halved += part.substeps_halved;
        self.frames_repeated += part.frames_repeated;
        self.buffers_grown += part.buffers_grown;
        self.fast_particles += part.fast_particles;
        self.loose_held += part.loose_held;
        self.newton_uphill += part.newton_uphill;
        self.newton_unbalanced += part.newton_unbalanced;
        self.overlap_displaced += part.overlap_displaced;
        self.volume_corrected += part.volume_corrected;
    }
}

/// Why a simulation cannot go on.
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
    NothingKept,
    /// The device or driver failed.
    #[error("{0}")]
    Device(String),
    /// The scene asks for something that this solver does not have.
    #[error("{0}")]
    Unsupported(String),
}
