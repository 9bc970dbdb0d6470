//! Parameter sets: one that the model accepts; derived from it, every parameter at the ends of its range, every pair of parameters away
//! from their defaults, and some random sets.

use std::mem::MaybeUninit;

use serde_json::Value;

use tuff_material_sdk::descriptor::{MAX_CONSTANTS, Parameter, ParameterKind};
use tuff_plugin::PrepareError;

use super::combine;
use super::findings::{Finding, Part, Verdict, written};
use super::journal::Watched;
use crate::exit::Stop;

/// Distance to an excluded end, or to the end of an unbounded range: relative to a finite range, otherwise to the value.
const NEAR: f64 = 1e-6;
/// Factor between a usual value and the end used for an unbounded range.
const FAR: f64 = 1e4;
/// Fractions of the range by which a refused end is moved inward; of the value itself if there is no end.
const INWARD: [f64; 2] = [1e-3, 1e-2];
/// Name of the check.
const RANGES: &str = "parameter ranges";
/// Name of the check.
const TOGETHER: &str = "parameters together";
/// Number of random sets that are checked.
const RANDOM: usize = 16;
/// Name of the check.
const REST: &str = "usable at rest";

/// Parameters that the model accepts.
#[derive(Clone, Debug)]
pub struct Set {
    /// Description of what is special about them.
    pub label: String,
    /// Values in the descriptor's order; NaN: absent.
    pub values: Vec<f64>,
    /// Prepared constants.
    pub constants: Vec<f64>,
}

impl Set {
    /// Returns the set with constants behind which a library that reads too far finds this value, in memory of the same list.
    pub fn followed_by(&self, value: f64) -> Self {
        let mut constants = Vec::with_capacity(self.constants.len() + MAX_CONSTANTS);
        constants.extend_from_slice(&self.constants);
        constants.spare_capacity_mut().fill(MaybeUninit::new(value));
        Self { label: self.label.clone(), values: self.values.clone(), constants }
    }
}

/// All sets of a model.
#[derive(Debug)]
pub struct Sets {
    /// The base set first; empty if not even that one is usable.
    pub sets: Vec<Set>,
    /// Findings made while searching.
    pub findings: Vec<Finding>,
}

/// Reason why a set is unavailable.
enum Refusal {
    /// The library is at fault: it cannot be used at rest.
    Fault(String),
    /// The model refuses the set.
    No(String),
}

/// A parameter given on the command line.
pub type Given = (usize, f64);

/// Finds sets that the model accepts, with `given` fixed, excluding sets with one of the values `without`.
///
/// # Errors
/// No set was found, for lack of values that the model accepts.
pub fn find(model: &Watched<'_>, given: &[Given], without: &[Given]) -> Result<Sets, Stop> {
    let finder = Finder { model, given };
    let mut found = Sets { sets: Vec::new(), findings: Vec::new() };
    let mut faults: Vec<(String, String)> = Vec::new();
    match finder.discover(&[], 1.0, "") {
        Ok(values) => found.sets.push(finder.set("base".to_owned(), values)?),
        Err(Refusal::Fault(message)) => {
            let text = format!("{message} (the parameters are usual ones: {})", finder.usual());
            found.findings.push(Finding::new(Part::Library, REST, Verdict::Fail, text));
            return Ok(found);
        }
        Err(Refusal::No(message)) => {
            return Err(Stop::bad_input(format!(
                "{}: found no parameters that the model accepts: {message}; give some with --set NAME=VALUE",
                finder.file()
            )));
        }
    }
    if let Some(&(index, value)) = without.iter().find(|&&(index, v)| found.sets[0].values[index] == v) {
        let parameter = &finder.parameters()[index];
        return Err(Stop::bad_input(format!(
            "--without leaves out {}, which the base has; give another value with --set {}=VALUE",
            label(parameter, value),
            parameter.name
        )));
    }
    let mut refused = Vec::new();
    for (index, parameter) in model.model.descriptor().parameters.iter().enumerate() {
        // A model remembers its first fault forever, and prepare fails from then on.
        if model.model.fault().is_some() {
            break;
        }
        if given.iter().any(|&(known, _)| known == index) {
            continue;
        }
        for end in ends(parameter) {
            let label = label(parameter, end.value);
            if without.contains(&(index, end.value)) || found.sets[0].values[index] == end.value {
                continue;
            }
            match finder.at(index, end.value) {
                Ok(values) => found.sets.push(finder.set(label, values)?),
                Err(Refusal::Fault(message)) => faults.push((label, message)),
                Err(Refusal::No(message)) => {
                    let inward = end.inward.iter().any(|&value| finder.at(index, value).is_ok());
                    if inward { refused.push((label, message)) } else { faults.push((label, message)) }
                }
            }
        }
    }
    let ends = found.sets.len();
    let together = finder.together(&mut found.sets, without)?;
    if !without.is_empty() {
        let left_out: Vec<_> =
            without.iter().map(|&(index, value)| label(&finder.parameters()[index], value)).collect();
        let text = format!("left out: {}, as requested with --without", left_out.join(", "));
        found.findings.push(Finding::new(Part::Library, "parameters left out", Verdict::Note, text));
    }
    found.findings.push(Finding::new(Part::Library, REST, Verdict::Ok, format!("base: {}", finder.usual())));
    found.findings.push(ranges(&finder, ends, &faults, &refused));
    found.findings.push(together);
    Ok(found)
}

fn ranges(
    finder: &Finder<'_>,
    count: usize,
    faults: &[(String, String)],
    refused: &[(String, String)],
) -> Finding {
    let list = |list: &[(String, String)]| {
        list.iter().map(|(label, message)| format!("{label}: {message}")).collect::<Vec<_>>().join("; ")
    };
    let labels = |list: &[(String, String)]| list.iter().map(|(label, _)| label.clone()).collect();
    if !faults.is_empty() {
        let text = format!(
            "the descriptor allows values with which the model cannot be used: {}. Narrow the range (min, max, \
             MIN_EXCLUSIVE, MAX_EXCLUSIVE) or make prepare accept them",
            list(faults)
        );
        let finding = Finding::new(Part::Library, RANGES, Verdict::Fail, text);
        return Finding { sets: labels(faults), ..finding };
    }
    if !refused.is_empty() {
        let text = format!("refused by prepare at the end, accepted on the way there: {}", list(refused));
        return Finding { sets: labels(refused), ..Finding::new(Part::Library, RANGES, Verdict::Note, text) };
    }
    let parameters = finder.model.model.descriptor().parameters.len();
    let text = format!("{parameters} parameters at both ends, {count} parameter sets");
    Finding::new(Part::Library, RANGES, Verdict::Ok, text)
}

struct Finder<'a> {
    model: &'a Watched<'a>,
    given: &'a [Given],
}

impl Finder<'_> {
    fn file(&self) -> String {
        self.model.model.file().display().to_string()
    }

    fn parameters(&self) -> &[Parameter] {
        &self.model.model.descriptor().parameters
    }

    /// Describes the base set, as far as it was found.
    fn usual(&self) -> String {
        let mut words = Vec::new();
        let values = self.discover(&[], 1.0, "").unwrap_or_else(|_| self.start(&[], 1.0, ""));
        for (parameter, &value) in self.parameters().iter().zip(&values) {
            if !value.is_nan() {
                words.push(label(parameter, value));
            }
        }
        words.join(", ")
    }

    /// Adds sets with two or more parameters away from their defaults.
    fn together(&self, sets: &mut Vec<Set>, without: &[Given]) -> Result<Finding, Stop> {
        let (pairs, left_out) = combine::pairs(self.parameters(), self.given);
        let random = combine::random(self.parameters(), self.given);
        let (mut accepted, mut refused, mut faults) = ([0, 0], 0, Vec::new());
        for (drawn, (label, fixed)) in
            pairs.into_iter().map(|set| (false, set)).chain(random.into_iter().map(|set| (true, set)))
        {
            if self.model.model.fault().is_some() || drawn && accepted[1] == RANDOM {
                break;
            }
            match self.discover(&fixed, 1.0, "") {
                Ok(values) if without.iter().any(|&(index, value)| values[index] == value) => {}
                Ok(values) => {
                    accepted[usize::from(drawn)] += 1;
                    sets.push(self.set(label, values)?);
                }
                // Parameters may exclude each other.
                Err(Refusal::No(_)) => refused += 1,
                Err(Refusal::Fault(message)) => faults.push((label, message)),
            }
        }
        if let [(label, message), ..] = faults.as_slice() {
            let text = format!("prepare accepts {label}, with which the model cannot be used: {message}");
            let finding = Finding::new(Part::Library, TOGETHER, Verdict::Fail, text);
            return Ok(Finding { sets: faults.into_iter().map(|fault| fault.0).collect(), ..finding });
        }
        let mut text = format!(
            "{} pairs away from their defaults and {} random sets; prepare refuses {refused}",
            accepted[0], accepted[1]
        );
        if left_out > 0 {
            text += &format!("; {left_out} pairs were left out");
        }
        let verdict = if accepted == [0, 0] && refused > 0 { Verdict::Note } else { Verdict::Ok };
        Ok(Finding::new(Part::Library, TOGETHER, verdict, text))
    }

    fn set(&self, label: String, values: Vec<f64>) -> Result<Set, Stop> {
        let constants = self.model.prepare(&values).map_err(|error| {
            Stop::bad_input(format!(
                "{}: prepare accepts and refuses the same parameters: {error}",
                self.file()
            ))
        })?;
        Ok(Set { label, values, constants })
    }

    /// Returns values with one parameter fixed, and usual values for the others. If these are refused, all parameters of the same unit
    /// are scaled along; at last the numbers given on the command line are dropped.
    fn at(&self, index: usize, value: f64) -> Result<Vec<f64>, Refusal> {
        let parameter = &self.parameters()[index];
        let scale = value / usual(parameter);
        let alone = self.discover(&[(index, value)], 1.0, "");
        let Err(Refusal::No(message)) = alone else { return alone };
        if parameter.unit != "-" && scale.is_finite() && scale > 0.0 {
            let along = self.discover(&[(index, value)], scale, &parameter.unit);
            if !matches!(along, Err(Refusal::No(_))) {
                return along;
            }
        }
        let is_word = |&&(known, _): &&Given| self.parameters()[known].kind != ParameterKind::Number;
        let words: Vec<Given> = self.given.iter().filter(is_word).copied().collect();
        if words.len() == self.given.len() {
            return Err(Refusal::No(message));
        }
        Finder { model: self.model, given: &words }.at(index, value)
    }

    /// Returns defaults, usual values of required parameters, and the fixed values. Values of `unit` are scaled.
    fn start(&self, fixed: &[Given], scale: f64, unit: &str) -> Vec<f64> {
        let mut values: Vec<f64> = self.parameters().iter().map(|p| self.initial(p, scale, unit)).collect();
        for &(index, value) in self.given.iter().chain(fixed) {
            values[index] = value;
        }
        values
    }

    fn initial(&self, p: &Parameter, scale: f64, unit: &str) -> f64 {
        if p.required || p.default.is_some() { scaled(p, scale, unit) } else { f64::NAN }
    }

    /// Finds values that the model accepts: a parameter that it blames is added if absent, and removed if optional.
    fn discover(&self, fixed: &[Given], scale: f64, unit: &str) -> Result<Vec<f64>, Refusal> {
        let mut values = self.start(fixed, scale, unit);
        let is_fixed = |index| self.given.iter().chain(fixed).any(|&(known, _)| known == index);
        for _ in 0..=2 * values.len() {
            let error = match self.model.prepare(&values) {
                Ok(_) => return Ok(values),
                Err(error) => error,
            };
            if self.is_fault(&error) {
                return Err(Refusal::Fault(error.message));
            }
            match error.parameter.map(|index| (index, &self.parameters()[index])) {
                Some((index, p)) if values[index].is_nan() => values[index] = scaled(p, scale, unit),
                Some((index, p)) if !is_fixed(index) && !p.required && p.default.is_none() => {
                    values[index] = f64::NAN;
                }
                _ => return Err(Refusal::No(error.message)),
            }
        }
        Err(Refusal::No("it refuses what it asked for".to_owned()))
    }

    /// Returns whether an error comes from the loader's own checks: such a message blames no parameter and names the file.
    fn is_fault(&self, error: &PrepareError) -> bool {
        error.parameter.is_none() && error.message.contains(&self.file())
    }
}

/// Formats a parameter with its value.
pub fn label(parameter: &Parameter, value: f64) -> String {
    match written(parameter, value) {
        Value::String(word) => format!("{} = {word}", parameter.name),
        Value::Number(_) if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) => {
            format!("{} = {value:e}", parameter.name)
        }
        Value::Number(_) => format!("{} = {value}", parameter.name),
        other => format!("{} = {other}", parameter.name),
    }
}

/// Returns a realistic value, from the unit alone.
pub(super) fn guess(parameter: &Parameter) -> f64 {
    if let Some(typical) = parameter.typical {
        return typical;
    }
    match parameter.unit.as_str() {
        "Pa" if parameter.name.contains("modulus") => 1e5,
        "Pa" => 1e3,
        "degrees" => 30.0,
        _ => 1.0,
    }
}

/// Returns a realistic value: the default, or a guess from unit and range.
pub(super) fn usual(parameter: &Parameter) -> f64 {
    if let Some(default) = parameter.default {
        return default;
    }
    let guess = guess(parameter);
    let (min, max) = (parameter.min, parameter.max);
    match (parameter.accepts(guess), min.is_finite(), max.is_finite()) {
        (true, ..) => guess,
        (_, true, true) => 0.5 * (min + max),
        (_, true, false) => min + 1.0,
        _ => max - 1.0,
    }
}

fn scaled(parameter: &Parameter, scale: f64, unit: &str) -> f64 {
    let value = usual(parameter);
    let along = value * scale;
    if parameter.unit == unit && parameter.accepts(along) { along } else { value }
}

/// One end of a range.
struct End {
    value: f64,
    /// Values to try instead if the end is refused.
    inward: Vec<f64>,
}

/// Returns both ends of a range of numbers, as close as possible; every word of a choice, and both positions of a switch.
fn ends(parameter: &Parameter) -> Vec<End> {
    if parameter.kind != ParameterKind::Number {
        let words = (0..=parameter.max as usize).map(|index| index as f64);
        return words.map(|value| End { value, inward: Vec::new() }).collect();
    }
    let (min, max, usual) = (parameter.min, parameter.max, usual(parameter));
    let (range, near) = if min.is_finite() && max.is_finite() {
        (max - min, NEAR * (max - min))
    } else {
        (usual.abs().max(1e-3), usual.abs().max(1e-3) / FAR)
    };
    // A stiffness that is 0 by default is measured against other stiffnesses: it must be noticeable beside them.
    let is_absent = usual == 0.0 && parameter.unit == "Pa";
    let far = FAR * if is_absent { guess(parameter) } else { usual.abs().max(1e-3) };
    let low = match (min.is_finite(), parameter.min_exclusive) {
        (true, false) => min,
        (true, true) => min + near,
        (false, _) => -far,
    };
    let high = match (max.is_finite(), parameter.max_exclusive) {
        (true, false) => max,
        (true, true) => max - near,
        (false, _) => far,
    };
    let inward = |end: f64, sign: f64| INWARD.map(|share| end + sign * share * range).to_vec();
    // How far an unbounded range is usable may depend on other parameters: prepare decides.
    let shrunk = |end: f64| INWARD.map(|share| end * share).to_vec();
    vec![
        End { value: low, inward: if min.is_finite() { inward(low, 1.0) } else { shrunk(low) } },
        End { value: high, inward: if max.is_finite() { inward(high, -1.0) } else { shrunk(high) } },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(parameter: &Parameter) -> Vec<f64> {
        ends(parameter).iter().map(|end| end.value).collect()
    }

    #[test]
    fn ends_lie_inside_the_range() {
        let number = |unit| Parameter::number("x", unit, "");
        assert_eq!(values(&number("-").at_least(0.0).at_most(0.5)), [0.0, 0.5]);
        assert_eq!(values(&number("Pa").above(0.0)), [0.1, 1e7]);
        assert_eq!(values(&number("-").default_value(-0.5)), [-5e3, 5e3]);
        assert_eq!(values(&number("Pa").default_value(0.0).at_least(0.0)), [0.0, 1e7]);
        assert_eq!(values(&Parameter::choice("x", &["a", "b", "c"], "")), [0.0, 1.0, 2.0]);
        let angle = number("degrees").above(0.0).below(90.0);
        assert!(values(&angle).iter().all(|&value| angle.accepts(value)));
        assert!(values(&angle)[1] > 89.99);
    }

    #[test]
    fn usual_values_are_accepted() {
        let number = |unit| Parameter::number("x", unit, "");
        for parameter in [
            number("-").at_least(0.0).at_most(0.495),
            number("degrees").at_least(40.0),
            number("Pa").above(0.0).below(1e-3),
            number("-").below(-2.0),
        ] {
            assert!(parameter.accepts(usual(&parameter)), "{}", parameter.range());
        }
    }
}
