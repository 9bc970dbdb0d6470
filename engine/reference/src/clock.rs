//! Times of the loops of a substep, and the data that they go through.

use std::mem::size_of;
use std::time::Instant;

use glam::{DMat3, DVec3};
use tuff_plugin::Moduli;
use tuff_problem::profile::{DispatchProfile, Part};

use crate::batch::LANES;
use crate::newton::contact::Blocked;
use crate::newton::tangent::Tangents;
use crate::pairs::Action;
use crate::scalar::Scalar;
use crate::state::{Contacts, KEPT_BYTES, Moments};

/// Size of a vector, a matrix and a number that a particle keeps [bytes].
const VECTOR: usize = size_of::<DVec3>();
const MATRIX: usize = size_of::<DMat3>();
const NUMBER: usize = size_of::<f64>();
/// Size of an index [bytes].
const INDEX: usize = size_of::<u32>();

macro_rules! loops {
    ($($name:ident: $text:literal, $part:ident, particle $particle:expr, pair $pair:expr;)*) => {
        /// A loop of the substep, or several that always follow each other.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Loop { $(#[doc = concat!("`", $text, "`.")] $name),* }

        impl Loop {
            /// All loops.
            pub const ALL: &[Loop] = &[$(Self::$name),*];

            /// Returns the name, which is that of the Vulkan stage where there is one.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// Returns the part of the substep that the loop belongs to.
            pub fn part(self) -> Part {
                match self { $(Self::$name => Part::$part),* }
            }

            /// Returns the data that one execution goes through for a particle and for a pair: each element of each array once if it is
            /// read and once if it is written [bytes].
            fn traffic<S: Scalar>(self) -> [usize; 2] {
                let quad = size_of::<S::Quad>();
                let action = size_of::<Action<S>>();
                let tangent = size_of::<Tangents>() / LANES;
                match self { $(Self::$name => [($particle)(quad, action, tangent), ($pair)(quad)]),* }
            }
        }
    };
}

loops! {
    Bin: "bin", NeighborSearch, particle |_, _, _| VECTOR + INDEX, pair |_| 0;
    Sort: "sort", NeighborSearch, particle |_, _, _| 2 * KEPT_BYTES + 2 * INDEX + 2 * NUMBER + MATRIX + size_of::<Moduli>(), pair |_| 0;
    FindWalls: "find_walls", NeighborSearch, particle |_, _, _| VECTOR, pair |_| 0;
    FindNeighbors: "find_neighbors", NeighborSearch, particle |_, _, _| 3 * VECTOR + MATRIX + 3 * INDEX, pair |_| INDEX + 1;
    MeasureTotal: "measure_total", NeighborSearch, particle |_, _, _| VECTOR + 2 * MATRIX, pair |_| 0;
    CorrectKernel: "correct_kernel", NeighborSearch,
        particle |_, _, _| VECTOR + MATRIX + 3 * NUMBER + size_of::<Moments>(), pair |quad| INDEX + 1 + quad;
    ReversePairs: "reverse_pairs", NeighborSearch, particle |_, _, _| INDEX, pair |quad| 2 * (INDEX + quad);
    PredictVelocity: "predict_velocity", CollisionDetection,
        particle |_, _, _| 7 * VECTOR + MATRIX + size_of::<Contacts>(), pair |_| 0;
    MeasureDensity: "measure_density", NeighborSearch,
        particle |_, _, _| VECTOR + MATRIX + 2 * NUMBER + size_of::<Contacts>(), pair |_| INDEX + VECTOR + NUMBER;
    PullSurface: "pull_surface", NeighborSearch, particle |_, _, _| 4 * VECTOR + 3 * NUMBER, pair |_| INDEX + VECTOR + 2 * NUMBER;
    ForceScale: "force_scale", SolveOther,
        particle |quad, action, tangent| 3 * quad + 2 * action + tangent + 5 * VECTOR + MATRIX + 8 * NUMBER, pair |quad| 2 * (INDEX + quad);
    Guess: "newton_guess", SolveOther, particle |_, _, _| 5 * VECTOR + NUMBER + 2 * size_of::<Contacts>(), pair |_| 0;
    Linearize: "linearize", SolveInelastic,
        particle |quad, action, tangent| 2 * quad + action + 2 * tangent + 2 * VECTOR + MATRIX + 8 * NUMBER, pair |quad| INDEX + quad;
    Balance: "balance", SolveInelastic, particle |_, action, _| action + 5 * VECTOR + 2 * NUMBER, pair |quad| INDEX + quad;
    React: "contacts", SolveOther,
        particle |_, _, _| 4 * VECTOR + 2 * size_of::<Contacts>() + size_of::<Blocked>(), pair |_| 0;
    Preconditioner: "newton_blocks", SolveInelastic,
        particle |_, action, tangent| 2 * action + tangent + VECTOR + 4 * MATRIX + 4 * NUMBER, pair |quad| INDEX + quad;
    Traces: "traces", SolveInelastic, particle |_, action, tangent| 2 * action + tangent + VECTOR + 3 * NUMBER, pair |quad| INDEX + quad;
    Relax: "relaxation", SolveOther,
        particle |_, _, _| 13 * VECTOR + MATRIX + 2 * NUMBER + size_of::<Blocked>() + size_of::<Contacts>(), pair |_| 0;
    Product: "product", SolveInelastic,
        particle |quad, action, tangent| 2 * quad + 2 * action + tangent + 3 * VECTOR + 2 * NUMBER, pair |quad| 2 * (INDEX + quad);
    Gradients: "conjugate_gradients", SolveOther, particle |_, _, _| 14 * VECTOR + MATRIX + 2 * size_of::<Blocked>(), pair |_| 0;
    Keep: "newton_keep", SolveOther, particle |_, _, _| 4 * VECTOR + NUMBER + size_of::<Contacts>(), pair |_| 0;
    Sweep: "solve_inelastic", SolveInelastic,
        particle |_, _, _| 4 * VECTOR + 3 * MATRIX + 8 * NUMBER + size_of::<Moments>(), pair |quad| INDEX + quad + VECTOR;
    Grains: "solve_grains", SolveOther, particle |_, _, _| 3 * VECTOR + NUMBER, pair |_| INDEX;
    CommitGrains: "commit_grains", UpdateState, particle |_, _, _| 4 * VECTOR + size_of::<Contacts>(), pair |_| 0;
    Correct: "position correction", SolveOther, particle |_, _, _| 4 * VECTOR + 2 * size_of::<Contacts>(), pair |_| INDEX;
    Total: "solve_total", SolveInelastic, particle |_, _, _| 0, pair |_| 0;
    Links: "solve_links", SolveOther, particle |_, _, _| 0, pair |_| 0;
    Sheets: "contact with cloth", SolveOther, particle |_, _, _| 0, pair |_| 0;
    Colliders: "solve_colliders", SolveOther, particle |_, _, _| 3 * VECTOR + 2 * size_of::<Contacts>(), pair |_| 0;
    Judge: "residual", SolveOther, particle |quad, action, _| 2 * quad + 2 * action + 5 * VECTOR + MATRIX, pair |quad| 2 * (INDEX + quad);
    Smooth: "smooth_velocity", Xsph, particle |quad, _, _| 2 * quad + 4 * VECTOR + 2 * MATRIX + 4 * NUMBER, pair |quad| 2 * INDEX + quad;
    SmoothContacts: "solve_colliders", Xsph, particle |_, _, _| 3 * VECTOR + 2 * size_of::<Contacts>(), pair |_| 0;
    Commit: "commit", UpdateState, particle |quad, _, _| 2 * KEPT_BYTES + 2 * quad + MATRIX + 4 * NUMBER, pair |quad| 2 * INDEX + quad;
}

/// One execution of a loop.
#[derive(Debug, Clone, Copy)]
struct Lap {
    what: Loop,
    begun: Instant,
    seconds: f64,
}

/// Stopwatch of a substep; costs nothing until it is started.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    on: bool,
    laps: Vec<Lap>,
}

impl Clock {
    /// Sets whether loops are timed.
    pub fn run(&mut self, on: bool) {
        self.on = on;
    }

    /// Returns the beginning of a loop.
    pub fn begin(&self) -> Option<Instant> {
        self.on.then(Instant::now)
    }

    /// Ends a loop.
    pub fn end(&mut self, what: Loop, begun: Option<Instant>) {
        if let Some(begun) = begun {
            self.laps.push(Lap { what, begun, seconds: begun.elapsed().as_secs_f64() });
        }
    }

    /// Takes the loops since the last call. `end`: time since the substep began, when the last loop has ended [s].
    pub fn take<S: Scalar>(&mut self, particles: usize, pairs: usize, end: f64) -> Vec<DispatchProfile> {
        let laps = std::mem::take(&mut self.laps);
        let Some(first) = laps.first().map(|lap| lap.begun) else { return Vec::new() };
        let length = first.elapsed().as_secs_f64();
        let profile = |lap: &Lap| {
            let [particle, pair] = lap.what.traffic::<S>();
            DispatchProfile {
                stage: lap.what.name(),
                part: lap.what.part(),
                start: (end - length).max(0.0) + lap.begun.duration_since(first).as_secs_f64(),
                seconds: lap.seconds,
                threads: particles as u64,
                bytes: (particles * particle + pairs * pair) as u64,
            }
        };
        laps.iter().map(profile).collect()
    }
}

/// Runs an expression and times it as a loop of a state.
macro_rules! timed {
    ($state:expr, $what:ident, $run:expr) => {{
        let begun = $state.clock.begin();
        let result = $run;
        $state.clock.end($crate::clock::Loop::$what, begun);
        result
    }};
}
pub(crate) use timed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_clock_notes_nothing() {
        let mut clock = Clock::default();
        let begun = clock.begin();
        clock.end(Loop::Bin, begun);
        assert!(clock.take::<f32>(1, 1, 0.0).is_empty());
    }

    #[test]
    fn loops_follow_each_other_and_have_traffic() {
        let mut clock = Clock::default();
        clock.run(true);
        for what in [Loop::Bin, Loop::Product] {
            let begun = clock.begin();
            clock.end(what, begun);
        }
        let laps = clock.take::<f32>(10, 100, 1.0);
        assert_eq!(laps.iter().map(|lap| lap.stage).collect::<Vec<_>>(), ["bin", "product"]);
        assert!(laps[0].start <= laps[1].start && laps[1].start + laps[1].seconds <= 1.0);
        // A position and a cell.
        assert_eq!(laps[0].bytes, 10 * 28);
        // Both lists of pairs, each with an index and a row.
        let pairs = 100 * 2 * (4 + 16);
        assert!(laps[1].bytes > pairs && laps[1].bytes < pairs + 10 * 1000);
        assert!(clock.take::<f32>(10, 100, 1.0).is_empty(), "loops are taken once");
    }
}
