//! What the trials reach: cases of the return mapping, state words, the time step, parameters. What nothing reaches was not checked, or is
//! of no use.

use std::collections::BTreeMap;

use tuff_material_sdk::abi::{CASE_COMPRESSION_TIP, CASE_ELASTIC, CASE_FLOW, CASE_TIP};
use tuff_material_sdk::descriptor::Parameter;

use super::combine::candidates;
use super::findings::{Finding, Part, Verdict};
use super::journal::Watched;
use super::laws::{RATE_STEPS, states};
use super::samples;
use super::sets::Set;

/// Cases that have a name.
const NAMED: [(u32, &str); 4] = [
    (CASE_ELASTIC, "elastic"),
    (CASE_FLOW, "flow"),
    (CASE_TIP, "tip"),
    (CASE_COMPRESSION_TIP, "compression tip"),
];

/// What projections have done so far.
#[derive(Debug, Default)]
pub struct Reach {
    /// Number of trials of each case.
    cases: BTreeMap<u32, usize>,
    /// Whether a projection has changed a state word.
    changed: [bool; 4],
    /// Whether another time step has changed an answer.
    by_step: bool,
}

impl Reach {
    /// Records the state words before and after a step, and its case.
    pub fn see(&mut self, [before, after]: [[f64; 4]; 2], case: u32) {
        *self.cases.entry(case).or_default() += 1;
        for (changed, (before, after)) in self.changed.iter_mut().zip(std::iter::zip(before, after)) {
            *changed |= before != after;
        }
    }

    /// Records whether another time step changes the answer.
    pub fn see_step(&mut self, changes: bool) {
        self.by_step |= changes;
    }

    /// Returns the lines of the report; `answers`: the bits of all answers of a set.
    pub fn findings(&self, model: &Watched<'_>, sets: &[Set], answers: &Answers) -> Vec<Finding> {
        let descriptor = model.model.descriptor();
        let verdict = |names: &[&str], right: String, wrong: &str| match names {
            [] => (Verdict::Ok, right),
            names => (Verdict::Note, format!("{}: {wrong}", names.join(", "))),
        };
        let mut list = vec![("cases", (Verdict::Ok, self.cases()))];
        if !descriptor.states.is_empty() {
            let still: Vec<_> = std::iter::zip(&descriptor.states, self.changed)
                .filter(|(_, changed)| !changed)
                .map(|(word, _)| word.name.as_str())
                .collect();
            let right = format!("each of {} changes", descriptor.states.len());
            list.push((
                "state words",
                verdict(
                    &still,
                    right,
                    "no trial changes it; right only if the engine sets it, as it does `wetting`",
                ),
            ));
        }
        if !descriptor.claims.rate_independent {
            let (verdict, text) = if self.by_step {
                (Verdict::Ok, "it changes answers")
            } else {
                (
                    Verdict::Note,
                    "dt changes no answer: it is ignored, or the claim of rate independence is missing",
                )
            };
            list.push(("time step", (verdict, text.to_owned())));
        }
        let idle = idle(model, sets, answers);
        let right = format!("each of {} changes answers", descriptor.parameters.len());
        list.push(("parameters used", verdict(&idle, right, "changes no answer of any function; right only if the engine reads it, as it does those of fluids")));
        let finding = |(check, (verdict, text))| Finding::new(Part::Double, check, verdict, text);
        list.into_iter().map(finding).collect()
    }

    fn cases(&self) -> String {
        let name = |case: u32| {
            let named = NAMED.iter().find(|(number, _)| *number == case);
            named.map_or_else(|| format!("case {case}"), |(_, name)| (*name).to_owned())
        };
        let reached = self.cases.iter().map(|(&case, count)| format!("{} {count}", name(case)));
        let mut text = reached.collect::<Vec<_>>().join(", ");
        let missed: Vec<_> =
            NAMED.iter().filter(|(case, _)| !self.cases.contains_key(case)).map(|(_, name)| *name).collect();
        // A model without flow has no other cases.
        if self.cases.keys().any(|&case| case != CASE_ELASTIC) && !missed.is_empty() {
            text += &format!(" trials; not reached: {}", missed.join(", "));
        }
        text
    }
}

/// Returns the bits of all answers of a parameter set, for new and for loaded matter.
pub type Answers = dyn Fn(&Watched<'_>, &Set) -> Vec<u64>;

/// Returns the parameters that change no answer, whatever the others are.
fn idle<'m>(model: &'m Watched<'_>, sets: &[Set], answers: &Answers) -> Vec<&'m str> {
    let parameters = model.model.descriptor().parameters.iter().enumerate();
    let is_idle = |index: usize, parameter: &Parameter| {
        !sets.iter().any(|set| {
            let before = answers(model, set);
            let others = candidates(parameter).into_iter().filter(|&value| value != set.values[index]);
            let mut changed = others.filter_map(|value| {
                let mut values = set.values.clone();
                values[index] = value;
                let constants = model.prepare(&values).ok()?;
                Some(Set { label: String::new(), values, constants })
            });
            changed.any(|other| answers(model, &other) != before)
        })
    };
    parameters.filter(|&(index, p)| is_idle(index, p)).map(|(_, p)| p.name.as_str()).collect()
}

/// [`Answers`] of a model of the principal variant.
pub fn answers(model: &Watched<'_>, set: &Set) -> Vec<u64> {
    let mut all = vec![model.stable_step(&set.constants, 1000.0, 0.01).to_bits()];
    for state in states(model, set) {
        all.extend(state.map(f64::to_bits));
        for hencky in samples::ordinary() {
            all.extend(bits(model, set, state, &RATE_STEPS, hencky));
        }
    }
    all
}

/// Returns the bits of all answers to a strain in a state, for these steps \[s\].
pub fn bits(model: &Watched<'_>, set: &Set, state: [f64; 4], steps: &[f64], hencky: [f64; 3]) -> Vec<u64> {
    let constants = &set.constants;
    let moduli = model.moduli(constants, &state);
    let mut numbers = vec![moduli.shear, moduli.bulk, model.energy(constants, &state, hencky)];
    numbers.extend(model.kirchhoff(constants, &state, hencky));
    for &dt in steps {
        let projection = model.project(constants, &state, dt, hencky);
        numbers.extend(projection.hencky.iter().chain(&projection.state).chain([&projection.forget]));
    }
    numbers.iter().map(|value| value.to_bits()).collect()
}
