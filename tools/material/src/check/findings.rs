//! Findings of a check, and the largest deviation from one law over many trials.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tuff_material_sdk::descriptor::{Parameter, ParameterKind};
use tuff_plugin::{Model, Variant};

use super::sets::Set;
use super::tensor::Matter;

/// Part of the model that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Loading the library and preparing its parameters.
    #[serde(rename = "library")]
    Library,
    /// The functions in f64.
    #[serde(rename = "f64")]
    Double,
    /// The GLSL on a device.
    #[serde(rename = "GLSL")]
    Glsl,
}

impl Part {
    /// All parts, in the order of the report.
    pub const ALL: [Self; 3] = [Self::Library, Self::Double, Self::Glsl];

    /// Returns the name of the part, one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Double => "f64",
            Self::Glsl => "GLSL",
        }
    }

    /// Returns the part with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The law holds.
    Ok,
    /// Nothing is wrong, but there is something worth knowing.
    Note,
    /// Not checked.
    Skipped,
    /// The law is broken.
    Fail,
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Part of the model.
    pub part: Part,
    /// Name of the law.
    pub check: String,
    /// Verdict.
    pub verdict: Verdict,
    /// Largest deviation; none if nothing is measured or an answer is not finite.
    pub deviation: Option<f64>,
    /// Tolerance.
    pub allowed: Option<f64>,
    /// Description of the result, and of what is wrong.
    pub text: String,
    /// Where the deviation is largest.
    pub place: Option<Place>,
    /// Parameter sets in which the law is broken.
    pub sets: Vec<String>,
    /// What the f64 functions and the GLSL answer there, where they differ: `f64` and `GLSL`, each with its quantities.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub answers: Map<String, Value>,
}

impl Finding {
    /// Creates a finding without numbers.
    pub fn new(part: Part, check: &str, verdict: Verdict, text: impl Into<String>) -> Self {
        let (check, text) = (check.to_owned(), text.into());
        Self {
            part,
            check,
            verdict,
            deviation: None,
            allowed: None,
            text,
            place: None,
            sets: Vec::new(),
            answers: Map::new(),
        }
    }
}

/// Arguments that reproduce a deviation, by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Parameters; words and switches as in a scene.
    pub parameters: Map<String, Value>,
    /// State words before the step.
    pub state: Map<String, Value>,
    /// Principal Hencky strains \[-\]; a value that is not finite is a word.
    pub hencky: Vec<Value>,
    /// Length of the substep \[s\].
    pub dt: Value,
    /// For the tensor variant: `axes` of the strains, `branch` and `deformation` if the model asks for them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub tensors: Map<String, Value>,
}

/// Arguments of a model's functions, as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At {
    /// Index of the parameter set.
    pub set: usize,
    /// State words before the step.
    pub state: [f64; 4],
    /// Principal Hencky strains \[-\].
    pub hencky: [f64; 3],
    /// Length of the substep \[s\].
    pub dt: f64,
    /// For the tensor variant: the matter that the strains belong to.
    pub matter: Option<Matter>,
}

impl Place {
    /// Describes `at` with names and words.
    pub fn new(model: &Model, set: &Set, at: At) -> Self {
        let descriptor = model.descriptor();
        let given = descriptor.parameters.iter().zip(&set.values).filter(|(_, value)| !value.is_nan());
        let words = descriptor.states.iter().zip(at.state);
        Self {
            parameters: given.map(|(p, &value)| (p.name.clone(), written(p, value))).collect(),
            state: words.map(|(word, value)| (word.name.clone(), number(value))).collect(),
            hencky: at.hencky.map(number).to_vec(),
            dt: number(at.dt),
            tensors: at.matter.map(|matter| tensors(model, &matter)).unwrap_or_default(),
        }
    }
}

/// Describes what a model of the tensor variant sees besides the strain's principal values; F row by row.
fn tensors(model: &Model, matter: &Matter) -> Map<String, Value> {
    let list = |v: [f64; 3]| Value::from(v.map(number).to_vec());
    let lists = |m: [[f64; 3]; 3]| Value::from(m.map(list).to_vec());
    let mut tensors = Map::from_iter([("axes".to_owned(), lists(matter.strain.axes))]);
    if let Variant::Tensor { branch, deformation } = model.descriptor().variant {
        if branch {
            tensors.insert("branch_hencky".to_owned(), list(matter.branch.hencky));
            tensors.insert("branch_axes".to_owned(), lists(matter.branch.axes));
        }
        if deformation {
            let rows = matter.deformation.transpose().to_cols_array_2d();
            tensors.insert("deformation".to_owned(), lists(rows));
        }
    }
    tensors
}

/// Converts a value to the form that a scene uses.
pub fn written(parameter: &Parameter, value: f64) -> Value {
    match &parameter.kind {
        ParameterKind::Number => number(value),
        ParameterKind::Boolean => Value::Bool(value != 0.0),
        ParameterKind::Choice(words) => {
            words.get(value as usize).map_or_else(|| number(value), |word| word.clone().into())
        }
    }
}

/// Converts a list of numbers.
pub fn numbers(values: &[f64]) -> Value {
    values.iter().map(|&value| number(value)).collect()
}

/// Converts a number; numbers that JSON cannot represent become words.
pub fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or_else(|| Value::String(value.to_string()), Value::Number)
}

/// Largest deviation from one law, and the parameter sets that break it.
#[derive(Clone, Debug)]
pub struct Worst {
    /// Tolerance.
    pub allowed: f64,
    /// Largest deviation so far; infinite if an answer is not a number.
    pub deviation: f64,
    /// Arguments of this deviation.
    pub at: Option<At>,
    /// Parameter sets with a deviation above the tolerance, in order.
    pub broken: Vec<usize>,
    /// Number of trials.
    pub count: usize,
    /// Number of trials that broke the law.
    pub breaches: usize,
    /// Whether a deviation has a size.
    has_size: bool,
}

impl Worst {
    /// Starts without trials.
    pub fn new(allowed: f64) -> Self {
        Self { allowed, deviation: 0.0, at: None, broken: Vec::new(), count: 0, breaches: 0, has_size: true }
    }

    /// Starts without trials, for a law that is either kept or broken.
    pub fn yes_or_no() -> Self {
        Self { has_size: false, ..Self::new(0.0) }
    }

    /// Records a trial that breaks the law or keeps it.
    pub fn judge(&mut self, is_breach: bool, at: At) {
        self.enter(f64::from(u8::from(is_breach)), at);
    }

    /// Records a deviation.
    pub fn enter(&mut self, deviation: f64, at: At) {
        let deviation = if deviation.is_nan() { f64::INFINITY } else { deviation };
        self.count += 1;
        if deviation > self.allowed {
            self.breaches += 1;
            if self.broken.last() != Some(&at.set) {
                self.broken.push(at.set);
            }
        }
        if self.at.is_none() || deviation > self.deviation {
            (self.deviation, self.at) = (deviation, Some(at));
        }
    }

    /// Records all deviations of another.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.breaches += other.breaches;
        self.broken.extend(other.broken.iter().filter(|set| !self.broken.contains(set)).collect::<Vec<_>>());
        if self.at.is_none() || other.deviation > self.deviation {
            (self.deviation, self.at) = (other.deviation, other.at);
        }
    }

    /// Adds to a finding, if the law is broken, what f64 and GLSL answer where the deviation is largest; both are asked for the index of that
    /// place among `places`.
    pub fn with_answers(
        &self,
        finding: Finding,
        places: &[At],
        [double, glsl]: [&dyn Fn(usize) -> Map<String, Value>; 2],
    ) -> Finding {
        let place = self.at.filter(|_| !self.holds());
        let Some(index) = place.and_then(|at| places.iter().position(|other| *other == at)) else {
            return finding;
        };
        let answers = [("f64", double(index)), ("GLSL", glsl(index))];
        Finding {
            answers: answers.map(|(part, answer)| (part.to_owned(), answer.into())).into_iter().collect(),
            ..finding
        }
    }

    /// Returns whether the law holds everywhere.
    pub fn holds(&self) -> bool {
        self.deviation <= self.allowed
    }

    /// Formats a line of the report; `wrong` describes the problem if the law is broken, `right` the result if it holds.
    pub fn finding(
        &self,
        (model, sets): (&Model, &[Set]),
        part: Part,
        check: &str,
        right: impl Into<String>,
        wrong: impl Into<String>,
    ) -> Finding {
        let (verdict, text) = if self.holds() {
            (Verdict::Ok, right.into())
        } else {
            (Verdict::Fail, format!("{} ({} of {} trials)", wrong.into(), self.breaches, self.count))
        };
        Finding {
            deviation: Some(self.deviation).filter(|deviation| self.has_size && deviation.is_finite()),
            allowed: Some(self.allowed).filter(|_| self.has_size),
            place: self.at.map(|at| Place::new(model, &sets[at.set], at)),
            sets: self.broken.iter().map(|&set| sets[set].label.clone()).collect(),
            ..Finding::new(part, check, verdict, text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(set: usize, first: f64) -> At {
        At { set, state: [0.0; 4], hencky: [first, 0.0, 0.0], dt: 0.0, matter: None }
    }

    #[test]
    fn the_largest_deviation_and_every_broken_set_are_kept() {
        let mut worst = Worst::new(1.0);
        for (deviation, set) in [(0.5, 0), (2.0, 1), (3.0, 1), (1.5, 4)] {
            worst.enter(deviation, at(set, deviation));
        }
        assert_eq!((worst.deviation, worst.at.unwrap().hencky[0], worst.count), (3.0, 3.0, 4));
        assert_eq!(worst.broken, [1, 4]);
        let mut other = Worst::new(1.0);
        other.enter(f64::NAN, at(5, 7.0));
        worst.merge(&other);
        assert!(worst.deviation.is_infinite() && worst.broken == [1, 4, 5] && !worst.holds());
    }

    #[test]
    fn words_and_switches_are_written_as_in_scenes() {
        let choice = Parameter::choice("kind", &["soft", "hard"], "");
        assert_eq!(written(&choice, 1.0), Value::from("hard"));
        assert_eq!(written(&Parameter::boolean("on", true, ""), 0.0), Value::from(false));
        assert_eq!(written(&Parameter::number("x", "-", ""), f64::NAN), Value::from("NaN"));
    }
}
