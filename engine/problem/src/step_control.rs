//! `max_substep = "auto"`: adaptive number of substeps per frame.
//!
//! The control seeks the step that reaches the tolerance at the lowest cost while the simulation runs: now and then a frame takes
//! the next larger or smaller step. The new step is kept if the frame costs less than it would have with the old one; otherwise
//! the old step returns and the wait before the next trial grows. Cost is counted, not measured, so that a scene takes the same
//! steps on a device whatever else the device does.

use tuff_scene::{Collider, Scene, Smoothing, Time};

use crate::{Energies, FrameReport, Problem, SimulationError, xsph_coefficient};

/// Work of a substep besides its iterations, in iterations: neighbor search, position correction, commit (engine/solver/METHOD.md
/// "Substeps found while running").
pub(crate) const OVERHEAD: f64 = 8.0;

/// Spacings that sound crosses in the first substep, for sweeps and for Newton steps: with Newton steps, sand and elastic matter
/// are cheapest at this value or above (engine/solver/METHOD.md "Substeps found while running").
const FIRST_CROSSINGS: [f64; 2] = [1.0, 4.0];

/// A trial step is kept only if it costs less than this fraction of the previous one.
const GAIN: f64 = 0.95;

/// Largest growth of the cost per frame that a prediction follows; its inverse limits the decline.
const BELIEVED: f64 = 1.5;

/// Maximum number of frames between two trials.
const LONGEST_WAIT: u32 = 32;

/// Factor by which the cost of a frame has to change for trials to resume at once: the motion has changed.
const ANOTHER_MOTION: f64 = 1.5;

/// Iterations per substep up to which a frame is calm; longer steps may then be tried two rungs at a time.
const CALM: f64 = 4.0;

/// Fraction of the speed that gravity adds in a frame below which matter is at rest, at both ends of a frame. The next frame is
/// then prepared for this fraction only; if particles get faster, it is repeated.
const WAKING: f64 = 0.1;

/// Fraction of the substeps that may end above the tolerance, and that may be halved if the step was just shortened for that
/// reason.
const UNREACHED_PART: f64 = 0.05;

/// Fraction of the kernel radius that a particle may travel in a substep: neighbors and contacts are those at its start.
pub(crate) const REACH: f64 = 0.5;

/// Maximum number of substeps of a repeated frame, as a multiple of the number with which particles went too far: a shorter step
/// may leave in place what a longer one threw off.
const AGAIN: f64 = 4.0;

/// Fraction of a frame's kinetic energy by which the total energy may grow over the frame, checked if colliders and pins stand
/// still and Newton solves ended above their tolerance. The error of such solves is strain energy that no work has paid for.
const MAX_EXCESS_ENERGY: f64 = 0.05;

/// Fractions of the gravitational and the elastic energy that f32 rounding may add in a frame. The strain of stress that matter
/// has kept drifts by a thousandth in some thousand substeps.
const GRAVITY_ROUNDING: f64 = 1e-6;
const STRAIN_ROUNDING: f64 = 1e-3;

/// Fraction of that gain which may remain after the frame was repeated with half the substep. If more remains, the step is not
/// its cause, for example where neighbors come and go around stress that matter has kept.
const REMAINING_EXCESS: f64 = 0.5;

/// Chooses the number of substeps of the coming frames.
#[derive(serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
pub struct StepControl {
    /// Length of a frame [s].
    frame: f64,
    /// Speed at which a particle reaches the travel limit of a substep in a frame [m/s].
    reach_speed: f64,
    /// Speed that gravity adds in a frame [m/s].
    fall: f64,
    /// Speed of the fastest particle with neighbors or colliders in reach [m/s].
    speed: f64,
    /// Highest sqrt(p / rho) of a fluid [m/s].
    pressure_speed: f64,
    /// Speed that gravity may add to `speed` in the next frame [m/s].
    gain: f64,
    /// True if the last frame was calm; `leaps`: no leap of two rungs has failed since frames became calm.
    calm: bool,
    leaps: bool,
    /// True if substeps of the last frame were halved or too many ended above the tolerance.
    refused: bool,
    /// Cost of a refused substep [iterations].
    budget: f64,
    /// Residual tolerance where refusals are not counted (sweeps): the residual of the last substep decides, too.
    tolerance: Option<f64>,
    /// Admissible numbers of substeps per frame, ascending.
    ladder: Vec<u32>,
    at: usize,
    trial: Option<Trial>,
    /// Cost of the last frame, if it took as many substeps as the next one will.
    last: Option<f64>,
    /// True if the next trial is of larger steps.
    larger: bool,
    /// Frames until the next trial; `wait`: frames to wait after the next trial that fails.
    left: u32,
    wait: u32,
    /// Cost of the frame before the last trial.
    settled: f64,
    /// True if nothing except gravity does work on matter.
    closed: bool,
    /// Energies at the end of the last frame.
    energies: Option<Energies>,
    /// Coming frames without an energy check; `credit`: their number the next time that shorter steps do not help.
    trust: u32,
    credit: u32,
}

/// Energy gained in a frame [J], and the rung of the frame.
#[derive(Debug, Clone, Copy)]
struct Debt {
    gain: f64,
    at: usize,
}

/// Trial of another step in one frame.
#[derive(serde::Serialize, serde::Deserialize, Debug, Clone, Copy, PartialEq)]
struct Trial {
    from: usize,
    /// Cost of the previous frame.
    cost: f64,
    /// Predicted cost of the frame with the previous step, if the cost grows as before.
    expected: f64,
}

/// Returns the step that the search begins with, before bounds apply [s].
fn first_step(problem: &Problem, newton: bool) -> f64 {
    let bodies = 0..problem.scene.bodies.len();
    let crossing = bodies.map(|body| problem.stable_step(body)).fold(f64::INFINITY, f64::min);
    let first = FIRST_CROSSINGS[usize::from(newton)] * crossing;
    // Stiff matter under slow loads is cheapest far above; other matter soon shows that it is not.
    if newton { first.max(Time::DEFAULT_SUBSTEP) } else { first }
}

/// Returns the step with which adaptive Newton solves would begin under default bounds [s]: one in which nothing exceeds the
/// travel limit, given the initial speeds and the speed that gravity adds in a frame.
pub(crate) fn first_adaptive_step(problem: &Problem) -> f64 {
    let scene = &problem.scene;
    let speed = problem.particles.velocity.iter().map(|v| v.length()).fold(rigid_speed(problem), f64::max);
    let frame = 1.0 / scene.time.frame_rate;
    let farthest = REACH * scene.solver.kernel_radius / (speed + scene.gravity.length() * frame);
    let most = longest(problem, [0.0, frame]);
    let first = first_step(problem, true).min(farthest).min(most);
    let wanted = substeps(frame, first);
    // Each rung is at most twice the one before.
    let rungs = ladder(substeps(frame, most), wanted.saturating_mul(2));
    frame / f64::from(rungs.into_iter().find(|&rung| rung >= wanted).unwrap_or(wanted))
}

/// Returns the highest speed of a point of a rigid body at the start, at most [m/s].
fn rigid_speed(problem: &Problem) -> f64 {
    problem.rigid.initial().iter().enumerate().map(|(b, s)| problem.rigid.max_speed(b, s)).fold(0.0, f64::max)
}

/// Returns how many substeps of at most `dt` [s] a frame takes.
fn substeps(frame: f64, dt: f64) -> u32 {
    (frame / dt - 1e-6).ceil().max(1.0) as u32
}

/// Returns the longest step between the bounds at which neither smoothing nor surface tension overshoots [s].
fn longest(problem: &Problem, [least, most]: [f64; 2]) -> f64 {
    let settings = &problem.scene.solver;
    let most = most.min(problem.tension.longest_step().max(least));
    match settings.smoothing {
        Smoothing::Xsph(_) => most,
        by_time => most.min(least.max(1.0 / xsph_coefficient(by_time, 1.0, settings.kernel_radius))),
    }
}

impl StepControl {
    /// Creates the control for frames of `time`, or returns `None` if the scene fixes the step.
    pub fn of(problem: &Problem, time: &Time) -> Option<Self> {
        let settings = &problem.scene.solver;
        let [least, most] = time.substep_bounds?;
        let most = longest(problem, [least, most]);
        let frame = 1.0 / time.frame_rate;
        let count = |dt: f64| substeps(frame, dt);
        // A body of one particle has no neighbors yet.
        let body = &problem.particles.body;
        let alone = |p: usize| {
            [p.checked_sub(1), Some(p + 1)].iter().flatten().all(|&q| body.get(q) != Some(&body[p]))
        };
        let speeds =
            problem.particles.velocity.iter().enumerate().filter(|v| !alone(v.0)).map(|v| v.1.length());
        let mut control = Self {
            frame,
            reach_speed: REACH * settings.kernel_radius / frame,
            fall: problem.scene.gravity.length() * frame,
            speed: speeds.fold(rigid_speed(problem), f64::max),
            pressure_speed: 0.0,
            gain: problem.scene.gravity.length() * frame,
            calm: false,
            refused: false,
            leaps: true,
            budget: f64::from(settings.iterations),
            tolerance: (!settings.newton()).then_some(settings.residual_tolerance),
            ladder: ladder(count(most), count(least)),
            at: 0,
            trial: None,
            last: None,
            larger: true,
            left: 0,
            wait: 1,
            settled: f64::NAN,
            closed: nothing_moves(&problem.scene) && !problem.changes() && problem.tension.is_empty(),
            energies: None,
            trust: 0,
            credit: 1,
        };
        let first = first_step(problem, settings.newton());
        control.at = control.rung(f64::from(count(first.clamp(least, most))));
        Some(control)
    }

    /// Says that from now on something does work on matter that the scene does not know of, so that energies are not checked.
    pub fn drive(&mut self) {
        self.closed = false;
    }

    /// Returns the number of substeps of the next frame.
    fn substeps(&self) -> u32 {
        self.ladder[self.next()]
    }

    /// Returns the length of a substep of the next frame [s].
    pub fn dt(&self) -> f64 {
        self.frame / f64::from(self.substeps())
    }

    /// Advances a frame with the cheapest number of substeps; repeats it with more if particles went too far in a substep, the
    /// frame failed or it gained energy. `compute` takes the length of the substeps [s] and whether to go back to the start of
    /// the frame first.
    ///
    /// # Errors
    /// Those of `compute`; a failure only if substeps of the least length fail, too.
    pub fn advance(
        &mut self,
        mut compute: impl FnMut(f64, bool) -> Result<FrameReport, SimulationError>,
    ) -> Result<FrameReport, SimulationError> {
        let (mut repeated, mut seconds, mut debt) = (0, 0.0, None::<Debt>);
        loop {
            let mut report = match compute(self.dt(), repeated > 0) {
                Ok(report) => report,
                Err(SimulationError::Failed(_)) if self.failed() => {
                    repeated += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            seconds += report.wall_seconds;
            if self.overran(&report) {
                repeated += 1;
                continue;
            }
            match (self.unpaid(&report), debt) {
                (Some(gain), None) => {
                    debt = Some(Debt { gain, at: self.next() });
                    if self.failed() {
                        repeated += 1;
                        continue;
                    }
                }
                (Some(gain), Some(first)) if gain > REMAINING_EXCESS * first.gain => {
                    self.go_to(first.at);
                    (self.trust, self.credit) = (self.credit, (2 * self.credit).min(LONGEST_WAIT));
                }
                _ => {}
            }
            self.record(&report);
            report.wall_seconds = seconds;
            report.counters.frames_repeated = repeated;
            return Ok(report);
        }
    }

    /// Records the cost of the frame for which [`substeps`](Self::substeps) was called.
    fn record(&mut self, report: &FrameReport) {
        self.at = self.next();
        let rests = report.max_interacting_speed.max(self.speed) < WAKING * self.fall;
        self.gain = if rests { WAKING * self.fall } else { self.fall };
        self.speed = report.max_interacting_speed;
        self.pressure_speed = report.pressure_speed;
        let counters = &report.counters;
        // After a change of the step, matter takes some substeps to find its balance. Halvings in the later half of a trial are taken to
        // recur, and count for both halves.
        let all = counters.substeps_halved;
        let halved = self.trial.map_or(all, |_| all.min(2 * report.lasting_halvings)) as f64;
        let substeps = f64::from(report.substeps);
        let cost = report.iterations as f64 + OVERHEAD * substeps + self.budget * halved;
        let unbalanced = counters.newton_unbalanced as f64 > UNREACHED_PART * substeps;
        let above = self.tolerance.is_some_and(|tolerance| report.residual.force > tolerance);
        // Where shorter steps do not help, as with friction that sticks and slips in stiff matter, the step would shrink without
        // end.
        let bearable = halved == 0.0 || (self.refused && halved <= UNREACHED_PART * substeps);
        let reached = bearable && !unbalanced && !above;
        self.refused = halved > 0.0 || !reached;
        let from = self.at;
        let calm = reached && report.iterations as f64 <= CALM * substeps;
        match self.trial.take() {
            Some(trial) if reached && cost < GAIN * trial.expected => {
                (self.wait, self.calm) = (1, calm);
                if calm && self.larger {
                    self.try_another(cost, 1.0, calm);
                }
            }
            Some(trial) => {
                self.leaps &= trial.from.abs_diff(self.at) < 2;
                self.at = if reached { trial.from } else { trial.from.max(self.smaller()) };
                self.settle(trial.cost);
            }
            None if !reached => {
                self.at = self.smaller();
                (self.larger, self.calm) = (true, false);
                // The cost of a refused step is no basis for comparison.
                self.settle(f64::NAN);
            }
            None => {
                self.leaps |= !calm;
                let calmed = calm && !self.calm;
                self.larger |= calmed;
                self.calm = calm;
                if self.settled.is_nan() {
                    self.settled = cost;
                }
                let another = cost > ANOTHER_MOTION * self.settled || cost < self.settled / ANOTHER_MOTION;
                if another || calmed {
                    (self.left, self.wait, self.settled) = (0, 1, cost);
                }
                // A jump of the cost is not growth that continues.
                let growth = match self.last {
                    Some(last) if !another => Some(cost / last),
                    _ => calm.then_some(1.0),
                };
                match growth {
                    Some(growth) if self.left == 0 => self.try_another(cost, growth, calm),
                    _ => self.left = self.left.saturating_sub(1),
                }
            }
        }
        self.last = (self.next() == from).then_some(cost);
        self.energies = Some(report.energies);
        self.trust = self.trust.saturating_sub(1);
    }

    /// Returns the energy [J] that the frame created, if it exceeds the bound and solves missed their tolerance.
    fn unpaid(&self, report: &FrameReport) -> Option<f64> {
        let now = report.energies;
        let counters = &report.counters;
        let unsolved = counters.newton_unbalanced > 0 || counters.substeps_halved > 0;
        let before = self.energies.filter(|_| self.closed && unsolved && self.trust == 0)?;
        let sum = |e: Energies| e.kinetic + e.elastic + e.gravity;
        let rounding = GRAVITY_ROUNDING * now.gravity.abs() + STRAIN_ROUNDING * now.elastic;
        let bearable = MAX_EXCESS_ENERGY * before.kinetic.max(now.kinetic) + rounding;
        Some(sum(now) - sum(before)).filter(|gain| *gain > bearable)
    }

    /// Returns true if a particle exceeded the travel limit in this frame; the frame must then be repeated with
    /// [`substeps`](Self::substeps) substeps. Substeps of the least length are accepted in any case.
    fn overran(&mut self, report: &FrameReport) -> bool {
        let taken = self.next();
        if report.counters.fast_particles == 0 || taken + 1 == self.ladder.len() {
            return false;
        }
        let needed = self.rung(report.max_interacting_speed / self.reach_speed).max(taken + 1);
        self.go_to(needed.min(self.rung(AGAIN * f64::from(self.ladder[taken]))));
        true
    }

    /// Halves the substep after a frame that failed or gained energy; returns false if there is no shorter one.
    fn failed(&mut self) -> bool {
        let taken = self.next();
        if taken + 1 == self.ladder.len() {
            return false;
        }
        self.go_to(self.rung(2.0 * f64::from(self.ladder[taken])));
        true
    }

    /// Switches the current frame to another step; the next trial comes at once and is of larger steps.
    fn go_to(&mut self, rung: usize) {
        self.at = rung;
        (self.trial, self.last, self.larger) = (None, None, true);
        (self.left, self.wait, self.settled) = (0, 1, f64::NAN);
    }

    /// Makes all frames from now on take at least `fewest` substeps, even if these are shorter than allowed.
    pub fn limit(&mut self, fewest: u32) {
        if self.ladder.iter().all(|&n| n < fewest) {
            self.ladder.push(fewest);
        }
        let rung = self.rung(f64::from(fewest));
        self.at = self.at.saturating_sub(rung);
        self.ladder.drain(..rung);
        (self.trial, self.last) = (None, None);
    }

    /// Returns the rung of the next frame: the cheapest one, or the first for which no particle is too fast.
    fn next(&self) -> usize {
        self.at.max(self.floor())
    }

    /// Returns the first rung for which no particle is too fast, and no fluid under so high a pressure that it boils
    /// (engine/solver/METHOD.md "Fluids").
    fn floor(&self) -> usize {
        self.rung((self.speed + self.gain).max(self.pressure_speed) / self.reach_speed)
    }

    /// Returns the first rung with at least `substeps` substeps, or the last rung.
    fn rung(&self, substeps: f64) -> usize {
        self.ladder.partition_point(|&n| f64::from(n) < substeps).min(self.ladder.len() - 1)
    }

    /// Returns the next rung of smaller steps, or the last rung.
    fn smaller(&self) -> usize {
        (self.at + 1).min(self.ladder.len() - 1)
    }

    /// Waits longer than the last time, and then tries the other direction.
    fn settle(&mut self, cost: f64) {
        self.larger = !self.larger;
        (self.left, self.wait, self.settled) = (self.wait, (2 * self.wait).min(LONGEST_WAIT), cost);
    }

    /// Tries another step in the next frame, whose cost would otherwise grow by the factor `growth`; after a calm frame, larger
    /// steps are tried two rungs at a time.
    fn try_another(&mut self, cost: f64, growth: f64, calm: bool) {
        let from = self.at;
        let rungs = if calm && self.leaps { 2 } else { 1 };
        let larger = Some(from.saturating_sub(rungs).max(self.floor())).filter(|&to| to < from);
        let smaller = Some(from + 1).filter(|to| (self.floor()..self.ladder.len()).contains(to));
        match if self.larger { larger } else { smaller } {
            Some(to) => {
                self.at = to;
                let expected = cost * growth.clamp(1.0 / BELIEVED, BELIEVED);
                self.trial = Some(Trial { from, cost, expected });
            }
            None => self.settle(cost),
        }
    }
}

/// Returns true if all colliders and pins stand still.
fn nothing_moves(scene: &Scene) -> bool {
    scene.colliders.iter().all(Collider::is_static) && scene.pins.iter().all(|pin| pin.motion.is_static())
}

/// Returns the numbers of substeps from `fewest` to `most`: both ends, and powers of two and the means of neighboring ones
/// between them.
fn ladder(fewest: u32, most: u32) -> Vec<u32> {
    let powers = (0..31).map(|k| 1 << k);
    let between = powers.flat_map(|n: u32| [n, n + n / 2]).filter(|n| (fewest + 1..most).contains(n));
    let mut rungs: Vec<u32> = [fewest].into_iter().chain(between).chain([most.max(fewest)]).collect();
    rungs.dedup();
    rungs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counters, Failure, FailureKind, Point, START};

    fn control() -> StepControl {
        StepControl {
            frame: 0.01,
            reach_speed: 1.0,
            fall: 0.1,
            speed: 0.0,
            pressure_speed: 0.0,
            gain: 0.1,
            calm: false,
            refused: false,
            leaps: true,
            budget: 100.0,
            tolerance: None,
            ladder: ladder(1, 100),
            at: 6,
            trial: None,
            last: None,
            larger: true,
            left: 0,
            wait: 1,
            settled: f64::NAN,
            closed: true,
            energies: None,
            trust: 0,
            credit: 1,
        }
    }

    /// Runs frames whose substeps take `passes(n)` passes; all substeps of a frame with fewer than `least` are halved.
    fn run(control: &mut StepControl, frames: u32, least: u32, passes: impl Fn(u32) -> f64) -> Vec<u32> {
        let frame = |_| {
            let substeps = control.substeps();
            let counters = Counters {
                substeps_halved: if substeps < least { u64::from(substeps) } else { 0 },
                ..Counters::default()
            };
            let iterations = (f64::from(substeps) * passes(substeps)) as u64;
            let max_interacting_speed = control.speed;
            control.record(&FrameReport {
                substeps,
                iterations,
                lasting_halvings: counters.substeps_halved.div_ceil(2),
                counters,
                max_interacting_speed,
                ..FrameReport::default()
            });
            substeps
        };
        (0..frames).map(frame).collect()
    }

    #[test]
    fn rungs_are_powers_of_two_and_their_means_within_the_bounds() {
        assert_eq!(ladder(1, 13), [1, 2, 3, 4, 6, 8, 12, 13]);
        assert_eq!(ladder(5, 24), [5, 6, 8, 12, 16, 24]);
        assert_eq!(ladder(7, 7), [7]);
        assert_eq!(ladder(9, 4), [9], "a bound by viscosity may pass the least step");
    }

    #[test]
    fn the_cheapest_step_is_found_from_both_sides() {
        // A frame costs 2000 / n + 12 n: least at 12, and at 16 within 3 %.
        let passes = |n: u32| 2000.0 / (f64::from(n) * f64::from(n)) + 4.0;
        for start in [0, 12] {
            let mut control = StepControl { at: start, ..control() };
            let taken = run(&mut control, 100, 0, passes);
            let usual = taken[40..].iter().filter(|&&n| n == 12 || n == 16).count();
            assert!(usual > 45, "{taken:?}");
            assert!(taken[40..].iter().all(|n| (8..=24).contains(n)), "{taken:?}");
        }
    }

    #[test]
    fn steps_that_do_not_reach_the_tolerance_are_left_at_once() {
        let mut control = control();
        let taken = run(&mut control, 200, 32, |_| 10.0);
        assert!(taken[..4].windows(2).all(|pair| pair[1] > pair[0]), "{taken:?}");
        // Failed steps are tried ever more rarely.
        let short = taken[100..].iter().filter(|&&n| n < 32).count();
        assert!((1..4).contains(&short), "{taken:?}");
    }

    #[test]
    fn a_trial_is_judged_by_what_lasts() {
        // Each frame costs 10 n; a step other than that of the last frame has `halved` substeps halved, `late` of them late.
        let taken = |halved: u64, late: u64| {
            let mut control = StepControl { at: 8, ..control() };
            let mut last = 0;
            let taken = (0..12).map(|_| {
                let substeps = control.substeps();
                let another = u64::from(last != 0 && last != substeps);
                last = substeps;
                let counters = Counters { substeps_halved: halved * another, ..Counters::default() };
                let (iterations, lasting_halvings) = (2 * u64::from(substeps), late * another);
                control.record(&FrameReport {
                    substeps,
                    iterations,
                    counters,
                    lasting_halvings,
                    ..FrameReport::default()
                });
                substeps
            });
            taken.collect::<Vec<_>>()
        };
        assert!(taken(7, 0).contains(&1), "{:?}", taken(7, 0));
        assert!(taken(7, 7).iter().all(|&n| n > 4), "{:?}", taken(7, 7));
    }

    #[test]
    fn what_no_step_mends_does_not_shorten_it_for_good() {
        let mut control = StepControl { ladder: ladder(1, 100_000), ..control() };
        for _ in 0..20 {
            let substeps = control.substeps();
            let counters = Counters { substeps_halved: 1 + u64::from(substeps / 50), ..Counters::default() };
            let iterations = 10 * u64::from(substeps);
            control.record(&FrameReport { substeps, iterations, counters, ..FrameReport::default() });
        }
        assert!((24..50).contains(&control.substeps()), "{}", control.substeps());
    }

    #[test]
    fn no_particle_passes_the_reach_of_its_neighborhood() {
        let mut control = StepControl { speed: 20.0, ..control() };
        assert_eq!(control.substeps(), 24);
        assert!(run(&mut control, 50, 0, |_| 1.0).iter().all(|&n| n >= 24));
        control.speed = 1e9;
        assert_eq!(control.substeps(), 100, "the least step is the user's bound");
    }

    #[test]
    fn fluids_under_pressure_take_short_steps() {
        // At 20 m/s, 20 substeps are the fewest, and 24 the next rung.
        let mut control = control();
        control.record(&FrameReport { substeps: 12, pressure_speed: 20.0, ..FrameReport::default() });
        assert_eq!(control.substeps(), 24);
        run(&mut control, 4, 0, |_| 1.0);
        assert!(control.substeps() < 24, "where the pressure is gone");
    }

    #[test]
    fn a_frame_in_which_particles_went_too_far_is_taken_again() {
        let frame = |speed: f64, fast: u64| FrameReport {
            substeps: 12,
            max_interacting_speed: speed,
            counters: Counters { fast_particles: fast, ..Counters::default() },
            ..FrameReport::default()
        };
        // Twelve substeps; 20 m/s need 24 and 90 m/s need 96, of which a repetition takes at most four times twelve.
        for (speed, fast, again) in
            [(7.0, 0, None), (7.0, 1, Some(16)), (20.0, 3, Some(24)), (90.0, 1, Some(48))]
        {
            let mut control = control();
            assert_eq!(control.substeps(), 12);
            assert_eq!(
                control.overran(&frame(speed, fast)).then(|| control.substeps()),
                again,
                "{speed} m/s"
            );
        }
        let mut control = StepControl { speed: 1e9, ..control() };
        assert!(!control.overran(&frame(1e9, 1)), "the least step is the user's bound");
    }

    #[test]
    fn a_frame_that_fails_is_taken_again_with_half_the_substep() {
        let failure = || {
            SimulationError::Failed(Box::new(Failure {
                kind: FailureKind::Folded,
                particle: None,
                frame: 1,
                substep: 0,
                point: Point::of(START),
                evidence: None,
            }))
        };
        let frame = |least: u32, taken: &mut Vec<u32>| {
            let mut control = control();
            let result = control.advance(|dt, again| {
                assert_eq!(again, !taken.is_empty());
                taken.push((0.01 / dt).round() as u32);
                if *taken.last().unwrap() < least { Err(failure()) } else { Ok(FrameReport::default()) }
            });
            result.map(|report| report.counters.frames_repeated)
        };
        let mut taken = vec![];
        assert_eq!(frame(40, &mut taken).unwrap(), 2);
        assert_eq!(taken, [12, 24, 48]);
        taken.clear();
        assert!(matches!(frame(1000, &mut taken), Err(SimulationError::Failed(_))));
        assert_eq!(taken, [12, 24, 48, 96, 100]);
        let other = control().advance(|_, _| Err(SimulationError::Interrupted));
        assert!(matches!(other, Err(SimulationError::Interrupted)), "what is no failure is passed on");
    }

    #[test]
    fn a_frame_that_gains_energy_is_taken_again_once() {
        // Number of substeps below which energy appears from nothing, whether solves ended above their tolerance, whether all
        // colliders stand still.
        for (enough, unbalanced, closed, again, next) in [
            (0, 1, true, vec![12], 12),
            (24, 1, true, vec![12, 24], 24),
            (1000, 1, true, vec![12, 24], 12),
            (1000, 0, true, vec![12], 12),
            (1000, 1, false, vec![12], 12),
        ] {
            let before = Energies { kinetic: 1.0, ..Energies::default() };
            let mut control = StepControl { closed, energies: Some(before), ..control() };
            let mut taken = vec![];
            let report = control.advance(|dt, _| {
                let substeps = (0.01 / dt).round() as u32;
                taken.push(substeps);
                let elastic = if substeps < enough { 0.1 } else { 0.04 };
                Ok(FrameReport {
                    // So many that one above the tolerance is acceptable.
                    substeps: 100,
                    iterations: 1000,
                    energies: Energies { elastic, ..before },
                    counters: Counters { newton_unbalanced: unbalanced, ..Counters::default() },
                    ..FrameReport::default()
                })
            });
            assert_eq!(report.unwrap().counters.frames_repeated, again.len() as u64 - 1);
            assert_eq!(taken, again, "{enough} {unbalanced} {closed}");
            assert_eq!(control.ladder[control.at], next, "{enough} {unbalanced} {closed}");
            assert_eq!(control.credit > 1, taken.last() != Some(&next));
        }
    }

    #[test]
    fn a_limit_holds_for_good() {
        let mut control = control();
        control.limit(40);
        assert!(run(&mut control, 50, 0, |_| 1.0).iter().all(|&n| n >= 48));
        control.limit(1000);
        assert_eq!(control.substeps(), 1000, "a retry passes the bound");
    }

    #[test]
    fn another_motion_is_tried_at_once() {
        let mut control = control();
        run(&mut control, 120, 0, |n| 4000.0 / f64::from(n) + 1.0);
        let before = control.substeps();
        assert!(control.left > 8, "{control:?}");
        let taken = run(&mut control, 12, 0, |_| 1.0);
        assert!(*taken.last().unwrap() < before / 3, "{before}: {taken:?}");
    }

    #[test]
    fn calm_frames_are_left_by_leaps() {
        // Three passes per substep, whatever its length: each frame leaps two rungs, fewer at the end of the ladder.
        let start = StepControl { at: 12, leaps: true, ..control() };
        assert_eq!(start.ladder[12], 96);
        assert_eq!(run(&mut start.clone(), 8, 0, |_| 3.0), [96, 48, 24, 12, 6, 3, 1, 1]);
        // Fewer than eight substeps fail: one leap fails, and no other follows.
        let taken = run(&mut start.clone(), 60, 8, |_| 3.0);
        assert_eq!(taken[..7], [96, 48, 24, 12, 6, 12, 12], "{taken:?}");
        assert!(taken[7..].iter().all(|n| [8, 12, 6, 16].contains(n)), "{taken:?}");
        // Many passes: rung by rung.
        assert_eq!(run(&mut start.clone(), 5, 0, |_| 5.0), [96, 96, 64, 64, 48]);
    }

    #[test]
    fn calm_after_steps_that_failed_is_left_at_once() {
        // An impact for which fewer than 64 substeps do not suffice, between calm frames.
        let mut control = StepControl { at: 8, calm: true, left: 9, wait: 16, ..control() };
        run(&mut control, 3, 64, |_| 10.0);
        assert!(control.left > 4, "{control:?}");
        let taken = run(&mut control, 6, 0, |_| 1.0);
        assert!(*taken.last().unwrap() < taken[0] / 4, "{taken:?}");
    }

    #[test]
    fn what_rests_is_not_prepared_for_a_whole_frame_of_fall() {
        let mut control = StepControl { fall: 20.0, gain: 20.0, ..control() };
        assert_eq!(control.substeps(), 24, "nothing is known yet");
        for (speed, gain) in [(0.0, 2.0), (1.9, 2.0), (2.1, 20.0), (0.0, 20.0), (0.0, 2.0)] {
            control.record(&FrameReport {
                max_interacting_speed: speed,
                substeps: 12,
                ..FrameReport::default()
            });
            assert_eq!(control.gain, gain, "{speed} m/s");
        }
    }

    #[test]
    fn larger_steps_are_found_while_frames_get_dearer() {
        // A frame costs 12 n + 40, and each 15 % more than the one before: least at 1.
        let mut control = control();
        let mut taken = vec![];
        for frame in 0..14 {
            let more = 1.15_f64.powi(frame);
            let passes = |n: u32| more * (12.0 + 40.0 / f64::from(n)) - OVERHEAD;
            taken.extend(run(&mut control, 1, 0, passes));
        }
        assert!(taken.windows(2).all(|pair| pair[1] <= pair[0]), "{taken:?}");
        assert!(*taken.last().unwrap() <= 4, "{taken:?}");
    }
}
