//! Laws that the f64 functions of a tensor model must satisfy.

use std::time::Instant;

use glam::{DMat3, DVec3};
use tuff_plugin::{Stretch, Variant};
use tuff_reference::tensor::{norm, recompose};

use super::matter::{self, Matter, logarithm, rotation};
use super::probe::{Probe, REST_STEP, relative, skewness};
use super::report;
use crate::check::findings::{At, Finding, Part, Verdict, Worst};
use crate::check::journal::Watched;
use crate::check::laws::{DT, RATE_STEPS, STEPS};
use crate::check::probe::largest;
use crate::check::reach::Reach;
use crate::check::samples::{Draw, Extreme, LOADS};
use crate::check::sets::Set;

/// Number of strain directions in which the stiffness at rest is measured.
const DIRECTIONS: usize = 24;

/// Checks all parameter sets, each with its states.
pub fn check(model: &Watched<'_>, sets: &[Set], states: &[Vec<[f64; 4]>]) -> Vec<Finding> {
    let mut laws = Laws::new(model);
    for (index, (set, states)) in sets.iter().zip(states).enumerate() {
        for &state in states {
            let probe = Probe { model, set, index, state, dt: DT, matter: Matter::REST };
            laws.check(&probe);
        }
    }
    laws.check_threads(model, &sets[0], states[0][0]);
    let reach = laws.reach.findings(model, sets, &answers);
    // A model in which a call has failed prepares no more parameters: last.
    laws.check_impossible(model, sets, states);
    let mut findings = report::findings(&laws, model, sets);
    findings.extend(reach);
    let cost = cost(model, &sets[0]);
    let text = format!("{cost:.0} ns a respond on the CPU, roughly");
    let finding = Finding::new(Part::Double, "cost", Verdict::Ok, text);
    findings.push(Finding { deviation: Some(cost), ..finding });
    findings
}

/// Largest deviations over all trials.
#[derive(Debug)]
pub(super) struct Laws {
    variant: Variant,
    /// Whether dt may matter.
    pub is_rate_dependent: bool,
    draw: Draw,
    pub rest: Worst,
    pub finite: Worst,
    pub slope: Worst,
    pub sign: Worst,
    pub moduli: Worst,
    /// Largest ratio of the stiffness at rest to the moduli, in the set where this ratio is smallest.
    pub used: (f64, Option<At>),
    pub objectivity: Worst,
    pub axes: Worst,
    pub isotropy: Worst,
    pub volume: Worst,
    pub twice: Worst,
    pub gain: Worst,
    pub rate: Worst,
    pub steps: Worst,
    pub needs: Worst,
    /// Whether anything depends on the branch and on F.
    pub reacts: [bool; 2],
    pub crushed: Worst,
    pub inverted: Worst,
    pub huge: Worst,
    pub again: Worst,
    pub impossible_finite: Option<At>,
    pub constants: Worst,
    /// Fault that a call reported for possible matter, and for impossible matter alone.
    pub fault: Option<String>,
    pub impossible_fault: Option<String>,
    reach: Reach,
    pub trials: usize,
}

impl Laws {
    fn new(model: &Watched<'_>) -> Self {
        let descriptor = model.model.descriptor();
        let exact = Worst::yes_or_no();
        Self {
            variant: descriptor.variant,
            is_rate_dependent: !descriptor.claims.rate_independent,
            draw: Draw::new(6),
            rest: Worst::new(1e-12),
            finite: exact.clone(),
            slope: Worst::new(1e-6),
            sign: Worst::new(1e-15),
            moduli: Worst::new(1e-2),
            used: (f64::INFINITY, None),
            objectivity: Worst::new(1e-11),
            axes: Worst::new(1e-10),
            isotropy: Worst::new(1e-11),
            volume: Worst::new(1e-12),
            twice: Worst::new(1e-9),
            gain: Worst::new(1e-12),
            rate: Worst::new(1e-14),
            steps: exact.clone(),
            needs: exact.clone(),
            reacts: [false; 2],
            crushed: exact.clone(),
            inverted: exact.clone(),
            huge: exact.clone(),
            again: exact.clone(),
            impossible_finite: None,
            constants: exact,
            fault: None,
            impossible_fault: None,
            reach: Reach::default(),
            trials: 0,
        }
    }

    fn check(&mut self, probe: &Probe<'_>) {
        self.check_rest(probe);
        self.check_constants(probe);
        let steps: &[f64] = if self.is_rate_dependent { &RATE_STEPS } else { &[DT] };
        for matter in matter::ordinary(self.variant) {
            for &dt in steps {
                self.check_trial(&Probe { matter, dt, ..*probe });
            }
        }
        for (matter, kind) in matter::extremes(self.variant) {
            let worst = match kind {
                Extreme::Crushed => &mut self.crushed,
                Extreme::Flat => &mut self.inverted,
                Extreme::Huge => &mut self.huge,
            };
            let probe = probe.with(matter);
            worst.judge(!probe.is_finite(), probe.at());
        }
    }

    /// Passes matter that the engine never passes.
    fn check_impossible(&mut self, model: &Watched<'_>, sets: &[Set], states: &[Vec<[f64; 4]>]) {
        let fault = || model.model.fault().map(str::to_owned);
        self.fault = fault();
        for (index, (set, states)) in sets.iter().zip(states).enumerate() {
            for &state in states {
                for matter in matter::impossible(self.variant) {
                    let probe = Probe { model, set, index, state, dt: DT, matter };
                    let is_lost = matter.strain.hencky.iter().any(|x| x.is_nan());
                    if probe.is_finite() && is_lost && self.impossible_finite.is_none() {
                        self.impossible_finite = Some(probe.at());
                    }
                }
            }
        }
        self.impossible_fault = fault().filter(|_| self.fault.is_none());
    }

    /// Checks that no answer depends on what lies behind the constants that the model declares.
    fn check_constants(&mut self, probe: &Probe<'_>) {
        let [ones, nothing] = [1.0, f64::NAN].map(|behind| probe.set.followed_by(behind));
        let has_branch = self.has_branch();
        for matter in matter::ordinary(self.variant) {
            let answers = |set: &Set| {
                let probe = Probe { set, matter, ..*probe };
                let moduli = probe.moduli();
                (probe.bits(has_branch), [moduli.shear, moduli.bulk].map(f64::to_bits))
            };
            // A model whose answers change from call to call is another fault.
            let [once, again, other] = [&ones, &ones, &nothing].map(answers);
            self.constants.judge(once != other && once == again, probe.with(matter).at());
        }
    }

    fn has_branch(&self) -> bool {
        matches!(self.variant, Variant::Tensor { branch: true, .. })
    }

    fn check_rest(&mut self, probe: &Probe<'_>) {
        let unit = probe.unit();
        let turn = rotation(&mut self.draw);
        for matter in [Matter::REST, Matter::REST.turned(turn).for_variant(self.variant)] {
            for dt in STEPS {
                let probe = Probe { matter, dt, ..*probe };
                let (response, update) = (probe.respond(), probe.advance());
                let stress = largest(response.kirchhoff.map(f64::abs)) / unit;
                let energy = response.energy.abs().max(probe.stored().abs()) / unit;
                let moved = norm(logarithm(&update.strain)) + norm(logarithm(&update.branch));
                self.rest.enter(largest([stress, energy, moved]), probe.at());
            }
        }
        self.check_stiffness(&Probe { dt: 0.0, ..*probe });
        let step = probe.model.stable_step(&probe.set.constants, 1000.0, 0.01);
        self.finite.judge(!(step.is_finite() && step > 0.0), probe.at());
    }

    /// Checks the stiffness at rest. Solvers divide corrections by the moduli: if these are too small, the solvers overshoot.
    fn check_stiffness(&mut self, probe: &Probe<'_>) {
        let mut draw = Draw::new(7);
        let mut used = 0.0_f64;
        for index in 0..DIRECTIONS {
            let axes = rotation(&mut draw);
            let values = match index {
                0 => [1.0; 3],
                1..=3 => [0, 1, 2].map(|i| f64::from(u8::from(i == index - 1))),
                4..=6 => [[0.0, 1.0, -1.0], [1.0, 0.0, -1.0], [1.0, -1.0, 0.0]][index - 4],
                _ => draw.direction(),
            };
            let axes = if index < 7 { DMat3::IDENTITY } else { axes };
            let direction = recompose(axes, DVec3::from_array(values).normalize());
            let [found, said] = probe.stiffness(direction);
            // NaN stays NaN and breaks the law.
            let excess = found / said - 1.0;
            let strained = probe.with(probe.matter.carried(REST_STEP * direction));
            self.moduli.enter(if excess < 0.0 { 0.0 } else { excess }, strained.at());
            used = used.max(found / said);
        }
        if used < self.used.0 {
            self.used = (used, Some(probe.at()));
        }
    }

    fn check_trial(&mut self, probe: &Probe<'_>) {
        let at = probe.at();
        let is_finite = probe.is_finite();
        self.finite.judge(!is_finite, at);
        if !is_finite {
            return;
        }
        self.trials += 1;
        let unit = probe.unit();
        let (response, update, stored) = (probe.respond(), probe.advance(), probe.stored());
        self.sign.enter((-response.energy.min(stored) / unit).max(0.0), at);
        self.slope.enter(probe.slope_error(unit, self.slope.allowed), at);

        let turn = rotation(&mut self.draw);
        let turned = probe.turning_error(&probe.with(probe.matter.turned(turn)), turn, unit);
        let reordered = probe.turning_error(&probe.with(probe.matter.reordered()), DMat3::IDENTITY, unit);
        self.objectivity.enter(largest([turned, reordered]), at);
        let before = probe.with(probe.matter.turned_before(turn).for_variant(self.variant));
        self.isotropy.enter(probe.turning_error(&before, DMat3::IDENTITY, unit), at);

        let after = probe.after(&update);
        let stretches = [(probe.matter.strain, update.strain), (probe.matter.branch, update.branch)];
        self.axes.enter(largest(stretches.map(|(_, kept)| skewness(&kept))), at);
        let sum = |s: Stretch| s.hencky.iter().sum::<f64>();
        self.volume.enter(largest(stretches.map(|(old, new)| (sum(new) - sum(old)).abs())), at);
        self.check_energy(probe, &after, unit);
        self.check_steps(probe);
        self.check_needs(probe);
        let has_branch = self.has_branch();
        self.reach.see([probe.state, update.state], update.case);
        if self.is_rate_dependent {
            let other = Probe { dt: 2.0 * probe.dt, ..*probe };
            self.reach.see_step(other.bits(has_branch) != probe.bits(has_branch));
        }
        self.again.judge(probe.bits(has_branch) != probe.bits(has_branch), at);
    }

    /// Checks the energies of a step. The step's potential is the minimum over all flow of the stored energy plus the cost of flow: it is
    /// not above the energy stored without flow, not below the energy stored with it, and equal to both if nothing flows.
    fn check_energy(&mut self, probe: &Probe<'_>, after: &Probe<'_>, unit: f64) {
        let (step, before, left) = (probe.respond().energy, probe.stored(), after.stored());
        self.gain.enter(largest([left - before, left - step, step - before]) / unit, probe.at());
    }

    fn check_steps(&mut self, probe: &Probe<'_>) {
        // A step of zero length cannot relax anything twice, and no step can make matter flow twice.
        let probe = if self.is_rate_dependent { Probe { dt: 0.0, ..*probe } } else { *probe };
        let first = probe.advance();
        let after = probe.after(&first);
        self.check_energy(&probe, &after, probe.unit());
        let second = after.advance();
        let moved = |a: &Stretch, b: &Stretch| norm(logarithm(b) - logarithm(a));
        let again = [
            moved(&first.strain, &second.strain),
            moved(&first.branch, &second.branch),
            relative(second.state, first.state),
        ];
        self.twice.enter(largest(again), probe.at());
        for dt in STEPS {
            let other = Probe { dt, ..probe };
            if self.is_rate_dependent {
                self.steps.judge(!other.is_finite(), other.at());
            } else {
                let error = probe.turning_error(&other, DMat3::IDENTITY, probe.unit());
                self.rate.enter(error, other.at());
            }
        }
    }

    /// Checks that a model does not look at what it did not ask for, which the engine leaves at rest, and that it uses what it asked for,
    /// which costs memory.
    fn check_needs(&mut self, probe: &Probe<'_>) {
        let Variant::Tensor { branch, deformation } = self.variant else { return };
        let hencky = [(); 3].map(|()| 0.3 * self.draw.next());
        let axes = rotation(&mut self.draw).to_cols_array_2d();
        let noise = rotation(&mut self.draw) * DMat3::from_diagonal(DVec3::from_array(hencky).exp());
        let matter = probe.matter;
        let here = probe.bits(branch);
        let other = probe.with(Matter { branch: Stretch { hencky, axes }, ..matter });
        let reacts = other.bits(branch) != here;
        if branch {
            let still = probe.with(Matter { branch: Stretch::REST, ..matter });
            self.reacts[0] |= still.respond() != probe.respond() || still.stored() != probe.stored();
        } else {
            self.needs.judge(reacts, other.at());
        }
        let other = probe.with(Matter { deformation: noise, ..matter });
        let reacts = other.bits(branch) != here;
        if deformation {
            self.reacts[1] |= reacts;
        } else {
            self.needs.judge(reacts, other.at());
        }
    }

    /// Checks that concurrent calls from two threads give the same results as a single thread.
    fn check_threads(&mut self, model: &Watched<'_>, set: &Set, state: [f64; 4]) {
        model.note(Part::Double, "the functions from two threads at once");
        let (model, all) = (model.model, matter::ordinary(self.variant));
        let work = || -> Vec<_> {
            let answer = |matter: &Matter| {
                let point = matter.point(&set.constants, state, DT);
                format!(
                    "{:?} {:?} {:?}",
                    model.respond(&point),
                    model.advance(&point),
                    model.stored_energy(&point)
                )
            };
            all.iter().chain(&all).chain(&all).map(answer).collect()
        };
        let alone = work();
        let together: Vec<_> = std::thread::scope(|scope| {
            let threads = [scope.spawn(work), scope.spawn(work)];
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        for answers in together {
            for (index, (a, b)) in alone.iter().zip(&answers).enumerate() {
                let matter = all[index % all.len()];
                let at = At { set: 0, state, hencky: matter.strain.hencky, dt: DT, matter: Some(matter) };
                self.again.judge(a != b, at);
            }
        }
    }
}

/// Returns the bits of all answers of a parameter set, for new and for loaded matter.
fn answers(model: &Watched<'_>, set: &Set) -> Vec<u64> {
    let variant = model.model.descriptor().variant;
    let mut all = vec![model.stable_step(&set.constants, 1000.0, 0.01).to_bits()];
    for state in states(model, set) {
        let probe = Probe { model, set, index: 0, state, dt: DT, matter: Matter::REST };
        let moduli = probe.moduli();
        all.extend(state.into_iter().chain([moduli.shear, moduli.bulk]).map(f64::to_bits));
        for matter in matter::ordinary(variant) {
            for dt in RATE_STEPS {
                let has_branch = matches!(variant, Variant::Tensor { branch: true, .. });
                all.extend(Probe { matter, dt, ..probe }.bits(has_branch));
            }
        }
    }
    all
}

/// Returns states of new matter and of matter that has been loaded.
pub fn states(model: &Watched<'_>, set: &Set) -> Vec<[f64; 4]> {
    let new = model.model.initial_state(&set.constants);
    let mut states = vec![new];
    if model.model.descriptor().states.is_empty() {
        return states;
    }
    for hencky in LOADS {
        let driven = Stretch { hencky, ..Stretch::REST };
        let deformation = DMat3::from_diagonal(DVec3::from_array(hencky).exp());
        let matter = Matter { strain: driven, branch: driven, deformation };
        let matter = matter.for_variant(model.model.descriptor().variant);
        let mut state = new;
        for _ in 0..3 {
            state = model.advance(&matter.point(&set.constants, state, DT)).state;
        }
        if state.iter().all(|x| x.is_finite()) && !states.contains(&state) {
            states.push(state);
        }
    }
    states
}

/// Measures the time of a respond on the CPU, f64 \[ns\].
pub fn cost(model: &Watched<'_>, set: &Set) -> f64 {
    model.note(Part::Double, "respond, many times");
    let all = matter::ordinary(model.model.descriptor().variant);
    let state = model.model.initial_state(&set.constants);
    let (start, mut calls) = (Instant::now(), 0_u32);
    while start.elapsed().as_millis() < 20 {
        for matter in &all {
            std::hint::black_box(model.model.respond(&matter.point(&set.constants, state, DT)));
        }
        calls += all.len() as u32;
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}
