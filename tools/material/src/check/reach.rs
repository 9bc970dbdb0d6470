//! What the trials reach: cases of the return mapping, state words, the time step, parameters. What nothing reaches was not checked, or is
//! of no use.

use std::collections::BTreeMap;

use tuff_material_sdk::Projection;
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
    /// Records the answer to matter in a state.
    pub fn see(&mut self, state: [f64; 4], projection: &Projection) {
        *self.cases.entry(projection.case).or_default() += 1;
        for (changed, (before, after)) in self.changed.iter_mut().zip(std::iter::zip(state, projection.state))
        {
            *changed |= before != after;
        }
    }

    /// Records whether another time step changes the answer.
    pub fn see_step(&mut self, changes: bool) {
        self.by_step |= changes;
    }

    /// Returns the lines of the report.
    pub fn findings(&self, model: &Watched<'_>, sets: &[Set]) -> Vec<Finding> {
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
            let right = format!("project changes all {}", descriptor.states.len());
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
                (Verdict::Ok, "it changes what project returns")
            } else {
                (
                    Verdict::Note,
                    "dt changes no answer: project ignores it, or the claim of rate independence is missing",
                )
            };
            list.push(("time step", (verdict, text.to_owned())));
        }
        let idle = idle(model, sets);
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

/// Returns the parameters that change no answer, whatever the others are.
fn idle<'m>(model: &'m Watched<'_>, sets: &[Set]) -> Vec<&'m str> {
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

/// Returns the bits of all answers of a parameter set, for new and for loaded matter.
fn answers(model: &Watched<'_>, set: &Set) -> Vec<u64> {
    let constants = &set.constants;
    let mut bits = vec![model.stable_step(constants, 1000.0, 0.01).to_bits()];
    let mut add = |values: &[f64]| bits.extend(values.iter().map(|value| value.to_bits()));
    for state in states(model, set) {
        let moduli = model.moduli(constants, &state);
        add(&state);
        add(&[moduli.shear, moduli.bulk]);
        for hencky in samples::ordinary() {
            for dt in RATE_STEPS {
                let projection = model.project(constants, &state, dt, hencky);
                add(&projection.hencky);
                add(&projection.state);
                add(&[projection.forget]);
            }
            add(&[model.energy(constants, &state, hencky)]);
            add(&model.kirchhoff(constants, &state, hencky));
        }
    }
    bits
}
