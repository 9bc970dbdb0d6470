//! Laws that the f64 functions of a model must satisfy.

use std::cmp::Ordering;
use std::time::Instant;

use tuff_material_sdk::abi::CASE_ELASTIC;
use tuff_material_sdk::principal::{norm, trace};
use tuff_material_sdk::{Moduli, Projection};

use super::findings::{At, Finding, Part, Place, Verdict, Worst};
use super::journal::Watched;
use super::probe::{Probe, Surface, difference, is_unchanged, largest, same_bits};
use super::reach::{self, Reach};
use super::samples::{self, Extreme, LOADS};
use super::sets::Set;

/// Step of ordinary checks \[s\].
pub const DT: f64 = 1e-4;
/// Steps for rate-dependent models \[s\].
pub const RATE_STEPS: [f64; 3] = [1e-6, DT, 1.0];
/// Strain by which a projected strain may move \[-\].
const TWICE: f64 = 1e-9;
/// What is wrong where answers depend on what no constant is.
pub const STRAY: &str =
    "answers change with what lies behind the constants that the descriptor declares: an index is too large";
/// Step after which flow that takes time has ended \[s\].
const LONG: f64 = 1e15;
/// The same after such a step: the flow of a power law never ends.
const LEFT: f64 = 1e-6;
/// Steps that must make no difference, or at least cause no problem \[s\].
pub const STEPS: [f64; 3] = [0.0, 1e-9, 1.0];

/// Checks all parameter sets, each with its states.
pub fn check(model: &Watched<'_>, sets: &[Set], states: &[Vec<[f64; 4]>]) -> Vec<Finding> {
    let mut laws = Laws::new(model);
    for (index, (set, states)) in sets.iter().zip(states).enumerate() {
        laws.check(model, index, set, states);
    }
    laws.check_threads(model, &sets[0], states[0][0]);
    let reach = laws.reach.findings(model, sets, &reach::answers);
    // A model in which a call has failed prepares no more parameters: last.
    laws.check_impossible(model, sets, states);
    let mut findings = laws.findings(model, sets);
    findings.extend(reach);
    let cost = cost(model, &sets[0]);
    let text = format!("{cost:.0} ns a projection on the CPU, roughly");
    let finding = Finding::new(Part::Double, "cost", Verdict::Ok, text);
    findings.push(Finding { deviation: Some(cost), ..finding });
    findings
}

/// Largest deviations over all trials.
#[derive(Debug)]
struct Laws {
    /// Whether dt may matter.
    is_rate_dependent: bool,
    rest: Worst,
    finite: Worst,
    slope: Worst,
    batch: Worst,
    sign: Worst,
    moduli: Worst,
    twice: Worst,
    surface: Worst,
    late_twice: Worst,
    late_surface: Worst,
    unloading: Worst,
    isotropy: Worst,
    volume: Worst,
    gain: Worst,
    forget: Worst,
    constants: Worst,
    rate: Worst,
    steps: Worst,
    instant: Option<At>,
    crushed: Worst,
    flat: Worst,
    huge: Worst,
    again: Worst,
    impossible_finite: Option<At>,
    /// Fault that a call reported for a possible strain.
    fault: Option<String>,
    /// Fault that a call reported for an impossible strain alone.
    impossible_fault: Option<String>,
    trials: usize,
    flowed: usize,
    reach: Reach,
}

impl Laws {
    /// Starts without trials.
    fn new(model: &Watched<'_>) -> Self {
        let exact = Worst::yes_or_no();
        Self {
            is_rate_dependent: !model.model.descriptor().claims.rate_independent,
            rest: Worst::new(1e-12),
            finite: exact.clone(),
            slope: Worst::new(1e-6),
            batch: Worst::new(1e-12),
            sign: Worst::new(1e-15),
            moduli: Worst::new(1e-2),
            twice: Worst::new(TWICE),
            surface: exact.clone(),
            late_twice: Worst::new(LEFT),
            late_surface: exact.clone(),
            unloading: exact.clone(),
            isotropy: Worst::new(1e-11),
            volume: Worst::new(1e-12),
            gain: Worst::new(1e-12),
            forget: Worst::new(1e-6),
            constants: exact.clone(),
            rate: Worst::new(1e-14),
            steps: exact.clone(),
            instant: None,
            crushed: exact.clone(),
            flat: exact.clone(),
            huge: exact.clone(),
            again: exact,
            impossible_finite: None,
            fault: None,
            impossible_fault: None,
            trials: 0,
            flowed: 0,
            reach: Reach::default(),
        }
    }

    /// Checks one parameter set; the states are those of [`states`].
    fn check(&mut self, model: &Watched<'_>, index: usize, set: &Set, states: &[[f64; 4]]) {
        // Which state a projected strain belongs to is the model's choice, but must be the same everywhere.
        let surface = |allowed| [true, false].map(|of_new_state| Surface::new(of_new_state, allowed));
        let (mut surfaces, mut late) = (surface(TWICE), surface(LEFT));
        for (number, &state) in states.iter().enumerate() {
            let probe =
                Probe { model, set, at: At { set: index, state, hencky: [0.0; 3], dt: DT, matter: None } };
            self.check_rest(&probe);
            self.check_constants(&probe);
            for hencky in samples::ordinary() {
                let steps: &[f64] = if self.is_rate_dependent { &RATE_STEPS } else { &[DT] };
                for &dt in steps {
                    let probe = probe.with(hencky, dt);
                    self.check_trial(&probe, number == 0, &mut surfaces);
                }
                // With other parameters the flow of a power law may be far from its end.
                if self.is_rate_dependent && index == 0 {
                    let probe = probe.with(hencky, LONG);
                    let end = probe.project();
                    let has_flowed = number == 0 && !is_unchanged(hencky, end.hencky);
                    late.iter_mut().for_each(|surface| surface.check(&probe, &end, has_flowed));
                }
            }
            for (hencky, kind) in samples::extremes() {
                let worst = match kind {
                    Extreme::Crushed => &mut self.crushed,
                    Extreme::Flat => &mut self.flat,
                    Extreme::Huge => &mut self.huge,
                };
                let probe = probe.with(hencky, DT);
                worst.judge(!probe.is_finite(&probe.project()), probe.at);
            }
        }
        let surface = better(surfaces);
        self.twice.merge(&surface.twice);
        self.surface.merge(&surface.inside);
        let surface = better(late);
        self.late_twice.merge(&surface.twice);
        self.late_surface.merge(&surface.inside);
    }

    /// Passes strains that the engine never passes.
    fn check_impossible(&mut self, model: &Watched<'_>, sets: &[Set], states: &[Vec<[f64; 4]>]) {
        let fault = || model.model.fault().map(str::to_owned);
        self.fault = fault();
        for (index, (set, states)) in sets.iter().zip(states).enumerate() {
            for (&state, hencky) in states.iter().flat_map(|state| samples::impossible().map(|h| (state, h)))
            {
                let at = At { set: index, state, hencky, dt: DT, matter: None };
                let probe = Probe { model, set, at };
                let projection = probe.project();
                let is_finite = probe.is_finite(&projection);
                if is_finite && hencky.iter().any(|x| x.is_nan()) && self.impossible_finite.is_none() {
                    self.impossible_finite = Some(at);
                }
            }
        }
        self.impossible_fault = fault().filter(|_| self.fault.is_none());
    }

    fn check_rest(&mut self, probe: &Probe<'_>) {
        let unit = probe.unit([0.0; 3]);
        let rest = probe.project();
        let moved = norm(rest.hencky);
        let energy = probe.energy([0.0; 3]).abs() / unit;
        let stress = norm(probe.kirchhoff([0.0; 3])) / unit;
        self.rest.enter(largest([moved, energy, stress]), probe.at);
        let Moduli { shear, bulk } = probe.moduli();
        let h = 1e-6;
        let slope = |direction: [f64; 3]| {
            let [up, down] = [h, -h].map(|h| probe.kirchhoff(direction.map(|d| d * h)));
            [0, 1, 2].map(|i| (up[i] - down[i]) / (2.0 * h))
        };
        let volume = trace(slope([1.0; 3])) / 9.0;
        let [x, y, _] = slope([1.0, -1.0, 0.0]);
        let scale = shear + bulk;
        let deviation = largest([(volume - bulk).abs() / scale, (0.25 * (x - y) - shear).abs() / scale]);
        self.moduli.enter(deviation, probe.at);
        let step = probe.model.stable_step(&probe.set.constants, 1000.0, 0.01);
        self.finite.judge(!(step.is_finite() && step > 0.0), probe.at);
    }

    /// Checks that no answer depends on what lies behind the constants that the model declares.
    fn check_constants(&mut self, probe: &Probe<'_>) {
        let [ones, nothing] = [1.0, f64::NAN].map(|behind| probe.set.followed_by(behind));
        for hencky in samples::ordinary() {
            let answers = |set: &Set| {
                let Probe { model, at, .. } = probe.with(hencky, DT);
                reach::bits(model, set, at.state, &[at.dt], hencky)
            };
            // A model whose answers change from call to call is another fault.
            let [once, again, other] = [&ones, &ones, &nothing].map(answers);
            self.constants.judge(once != other && once == again, probe.with(hencky, DT).at);
        }
    }

    fn check_trial(&mut self, probe: &Probe<'_>, is_new: bool, surfaces: &mut [Surface; 2]) {
        let (at, hencky) = (probe.at, probe.at.hencky);
        let first = probe.project();
        let is_finite = probe.is_finite(&first) && probe.energy(hencky).is_finite();
        self.finite.judge(!is_finite, at);
        if !is_finite {
            return;
        }
        self.trials += 1;
        let is_kept = is_unchanged(hencky, first.hencky);
        self.flowed += usize::from(!is_kept);
        self.reach.see([at.state, first.state], first.case);

        let energy = probe.energy(hencky);
        let unit = probe.unit(hencky);
        self.sign.enter((-energy / unit).max(0.0), at);
        self.slope.enter(probe.slope_error(unit), at);
        self.batch.enter(probe.batch_error(unit), at);

        let kept = probe.energy(first.hencky);
        let committed = Probe { at: At { state: first.state, ..at }, ..*probe }.energy(first.hencky);
        self.gain.enter((kept.max(committed) - energy) / unit, at);
        self.volume.enter((trace(first.hencky) - trace(hencky)).abs(), at);
        self.isotropy.enter(probe.direction_error(&first, unit), at);
        self.forget.enter(probe.forget_error(&first), at);
        if self.is_rate_dependent {
            for dt in STEPS {
                let other = probe.with(hencky, dt);
                let projection = other.project();
                self.steps.judge(!other.is_finite(&projection), other.at);
                self.reach.see_step(!same_bits(&projection, &first));
                // At the ends of their ranges viscosities may vanish: only the usual parameters count.
                let flows = other.at.set == 0 && !is_unchanged(hencky, projection.hencky);
                if dt == 0.0 && self.instant.is_none() && flows {
                    self.instant = Some(other.at);
                }
            }
        } else {
            for dt in STEPS {
                let other = probe.with(hencky, dt);
                self.rate.enter(difference(&first, &other.project()), other.at);
            }
            // Matter that has been loaded may recover without flow, and reports so; new matter has nothing to recover.
            let has_flowed = !is_kept && (is_new || first.case != CASE_ELASTIC);
            for surface in surfaces {
                surface.check(probe, &first, has_flowed);
            }
        }
        if is_new && is_kept {
            for share in [0.9, 0.5, 0.1] {
                let inner = probe.with(hencky.map(|x| x * share), at.dt);
                self.unloading.judge(!is_unchanged(inner.at.hencky, inner.project().hencky), inner.at);
            }
        }
        let [one, other] = [0, 1].map(|_| probe.energy(hencky).to_bits());
        self.again.judge(one != other || !same_bits(&first, &probe.project()), at);
    }

    /// Checks that concurrent calls from two threads give the same results as a single thread.
    fn check_threads(&mut self, model: &Watched<'_>, set: &Set, state: [f64; 4]) {
        model.note(Part::Double, "the functions from two threads at once");
        let strains = samples::ordinary();
        let (model, constants) = (model.model, &set.constants);
        let all = || -> Vec<(Projection, f64)> {
            let answer = |&hencky: &[f64; 3]| {
                let energy = model.energy(constants, &state, hencky);
                (model.project(constants, &state, DT, hencky), energy)
            };
            strains.iter().chain(&strains).chain(&strains).map(answer).collect()
        };
        let alone = all();
        let together: Vec<_> = std::thread::scope(|scope| {
            let threads = [scope.spawn(all), scope.spawn(all)];
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        for answers in together {
            for (index, ((a, energy), (b, other))) in alone.iter().zip(&answers).enumerate() {
                let differs = !same_bits(a, b) || energy.to_bits() != other.to_bits();
                let hencky = strains[index % strains.len()];
                self.again.judge(differs, At { set: 0, state, hencky, dt: DT, matter: None });
            }
        }
    }

    /// Returns the lines of the report.
    fn findings(&self, model: &Watched<'_>, sets: &[Set]) -> Vec<Finding> {
        let claims = model.model.descriptor().claims;
        let line = |worst: &Worst, check: &str, right: &str, wrong: &str| {
            worst.finding((model.model, sets), Part::Double, check, right, wrong)
        };
        let skip = |check: &str, text: &str| Finding::new(Part::Double, check, Verdict::Skipped, text);
        // Only trials with finite answers count.
        let tried = |worst: &Worst, check: &str, right: &str, wrong: &str| match self.trials {
            0 => skip(check, "not tested: no answer is finite"),
            _ => line(worst, check, right, wrong),
        };
        let claimed = |claim: bool, worst: &Worst, check: &str, right: &str, wrong: &str| {
            if claim { tried(worst, check, right, wrong) } else { skip(check, "not claimed") }
        };
        let flowed = format!("{} of {} trials flow", self.flowed, self.trials);
        let fault = self.fault.as_ref().map_or_else(String::new, |fault| format!(" ({fault})"));
        let not_finite = format!("an answer is not finite, or forget is not within 0 to 1{fault}");
        let slow = "the model does not claim to be rate independent: it may be outside for some time";
        let mut list = vec![
            line(
                &self.rest,
                "rest",
                "",
                "at zero strain there is energy or stress, or project changes the strain",
            ),
            line(&self.finite, "finite answers", "", &not_finite),
            line(&self.constants, "constants in range", "", STRAY),
            tried(
                &self.slope,
                "energy against stress",
                "",
                "kirchhoff is not the derivative of energy by the strains: check both formulas",
            ),
            if model.model.has_stress() {
                tried(
                    &self.batch,
                    "stress of a batch",
                    "",
                    "stress is not kirchhoff of project, particle by particle, or it writes beyond the particles",
                )
            } else {
                skip("stress of a batch", "no function of its own: project and kirchhoff are called")
            },
            tried(
                &self.sign,
                "energy not negative",
                "",
                "energy is negative: use sums of squares, exp_remainder",
            ),
            line(
                &self.moduli,
                "moduli at rest",
                "",
                "moduli are not the slopes of kirchhoff at rest (d tau / d theta and half of d dev tau / d dev eps)",
            ),
        ];
        if self.is_rate_dependent {
            list.extend([skip("projected twice", slow), skip("on the yield surface", slow)]);
            list.extend(self.late(&line));
        } else if self.flowed == 0 {
            let nothing = "not tested: no trial flows";
            list.extend([skip("projected twice", nothing), skip("on the yield surface", nothing)]);
        } else {
            list.push(line(
                &self.twice,
                "projected twice",
                &flowed,
                "projecting a projected strain changes it again: project ends outside the yield surface, both of the state that it \
                 returns and of the previous one",
            ));
            list.push(line(
                &self.surface,
                "on the yield surface",
                &flowed,
                "matter that flowed ends inside the elastic domain: project goes too far, and neighboring strains are left \
                 unchanged",
            ));
        }
        list.extend([
            tried(
                &self.unloading,
                "unloading is elastic",
                "",
                "a strain that project leaves unchanged flows when it is scaled towards rest: check the yield condition",
            ),
            claimed(
                claims.isotropic,
                &self.isotropy,
                "isotropy",
                "",
                "claimed, but the answers change when the three strains are permuted",
            ),
            Finding::new(
                Part::Double,
                "objectivity",
                Verdict::Ok,
                "by construction: the functions do not see directions",
            ),
            claimed(
                claims.volume_preserving,
                &self.volume,
                "volume",
                "",
                "claimed, but project changes the sum of the Hencky strains",
            ),
        ]);
        list.push(if claims.dissipative {
            tried(
                &self.gain,
                "no energy gain",
                "",
                "claimed to be dissipative, but the energy is higher after project, with the state before or the state after: flow \
                 has to cost energy",
            )
        } else {
            let text = format!("not claimed; the largest gain is {:.1e} of the stiffness", self.gain.deviation);
            skip("no energy gain", &text)
        });
        list.push(if model.model.is_fluid() {
            skip("forget factor", "a fluid may forget everything")
        } else {
            tried(
                &self.forget,
                "forget factor",
                "",
                "forget is not min(1, |dev projected| / |dev trial|), and 0 at a tip: matter keeps the memory of neighbors that it has \
                 flowed away from, or loses it in elastic motion",
            )
        });
        if self.is_rate_dependent {
            list.push(self.instant_flow(model, sets));
            list.push(tried(&self.steps, "time steps 0, 1 ns and 1 s", "", "an answer is not finite"));
        } else {
            list.push(tried(
                &self.rate,
                "rate independence",
                "",
                "claimed, but dt changes what project returns",
            ));
        }
        list.extend([
            line(&self.crushed, "J -> 0", "all stretches 0.01", "an answer is not finite"),
            line(
                &self.flat,
                "inverted",
                "passed as stretches of 0.01",
                "an answer is not finite: inverted matter is passed with stretches of 0.01",
            ),
            line(&self.huge, "huge strain", "stretches of 100", "an answer is not finite"),
            Finding {
                place: self.impossible_finite.map(|at| Place::new(model.model, &sets[at.set], at)),
                ..impossible(self.impossible_fault.as_deref(), self.impossible_finite.is_some())
            },
            line(
                &self.again,
                "same answers again",
                "one and two threads",
                "the same arguments give different answers: a function keeps something between calls",
            ),
        ]);
        list
    }

    /// Reports where matter ends whose flow has had all the time that it needs.
    fn late(&self, line: &impl Fn(&Worst, &str, &str, &str) -> Finding) -> [Finding; 2] {
        [
            line(
                &self.late_twice,
                "projected twice, in the end",
                "flow has ended",
                "a strain that had all the time to flow flows on when it is projected again: project ends outside the yield surface",
            ),
            line(
                &self.late_surface,
                "yield surface, in the end",
                "",
                "matter that had all the time to flow ends inside the elastic domain: project goes too far",
            ),
        ]
    }

    /// Reports flow in a step of zero length. `check` cannot know how fast matter flows, but flow usually takes time.
    fn instant_flow(&self, model: &Watched<'_>, sets: &[Set]) -> Finding {
        let (verdict, text) = match self.instant {
            None => {
                (Verdict::Ok, "nothing; how fast it flows is not checked: use eval, with reference values")
            }
            Some(_) => (
                Verdict::Note,
                "matter flows in no time: correct if a part of the flow is independent of the rate, wrong otherwise",
            ),
        };
        let mut finding = Finding::new(Part::Double, "flow at dt = 0", verdict, text);
        finding.place = self.instant.map(|at| Place::new(model.model, &sets[at.set], at));
        finding
    }
}

/// Reports what matter does that the engine never passes to a model: the fault that a call reported for it alone, and whether NaN gave finite
/// answers.
pub fn impossible(fault: Option<&str>, is_hidden: bool) -> Finding {
    let (verdict, text) = match fault {
        Some(fault) => {
            (Verdict::Note, format!("{fault}: a run that fails elsewhere will blame this function"))
        }
        None if is_hidden => {
            (Verdict::Note, "NaN gives finite answers: a run that fails elsewhere may look sound".to_owned())
        }
        None => (Verdict::Ok, "all calls return; NaN stays NaN".to_owned()),
    };
    Finding::new(Part::Double, "NaN and infinite strain", verdict, text)
}

/// Returns the surface of the state to which projected strains belong.
fn better([committed, start]: [Surface; 2]) -> Surface {
    let of_start = match start.kept().cmp(&committed.kept()) {
        Ordering::Equal => start.twice.deviation < committed.twice.deviation,
        more => more == Ordering::Greater,
    };
    if of_start { start } else { committed }
}

/// Returns states of new matter and of matter that has been loaded.
pub fn states(model: &Watched<'_>, set: &Set) -> Vec<[f64; 4]> {
    let new = model.model.initial_state(&set.constants);
    let mut states = vec![new];
    if model.model.descriptor().states.is_empty() {
        return states;
    }
    for load in LOADS {
        let mut state = new;
        for _ in 0..3 {
            state = model.project(&set.constants, &state, DT, load).state;
        }
        if state.iter().all(|x| x.is_finite()) && !states.contains(&state) {
            states.push(state);
        }
    }
    states
}

/// Measures the time of a projection on the CPU, f64 \[ns\].
pub fn cost(model: &Watched<'_>, set: &Set) -> f64 {
    model.note(Part::Double, "project, many times");
    let strains = samples::ordinary();
    let state = model.model.initial_state(&set.constants);
    let (start, mut calls) = (Instant::now(), 0_u32);
    while start.elapsed().as_millis() < 20 {
        for &hencky in &strains {
            std::hint::black_box(model.model.project(&set.constants, &state, DT, hencky));
        }
        calls += strains.len() as u32;
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}
