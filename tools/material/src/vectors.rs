//! Files of reference values.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tuff_material::device::Trial;
use tuff_material_sdk::descriptor::{Initial, Parameter, ParameterKind};
use tuff_plugin::Model;

use crate::exit::Stop;

/// Limits on the stretches that the engine passes to models, unless the file specifies others.
const STRETCHES: [f64; 2] = [1e-2, 1e2];

/// Keys of an item that are read.
const KEYS: [&str; 11] = [
    "sigma_trial",
    "params",
    "state",
    "dt",
    "sigma",
    "tau",
    "psi",
    "state_out",
    "id",
    "tag",
    "near_boundary",
];

/// Keys that generators of reference values add for checks of their own: names, and values at points of the way there.
const ASIDE: [&str; 18] = [
    "case",
    "note",
    "C",
    "dpsi_dsigma",
    "yield_before",
    "yield_after",
    "p",
    "p0",
    "p_trial",
    "q",
    "q_trial",
    "hardening",
    "hardening_out",
    "tau_next",
    "psi_next",
    "tau_eci",
    "psi_eci",
    "psi_augmented",
];

/// Quantities that follow from others in the same item: a model need not know them.
const DERIVED: [&str; 2] = ["lambda", "alpha"];

/// A file of reference values.
#[derive(Debug)]
pub struct Vectors {
    path: PathBuf,
    /// `meta.model`.
    pub law: Option<String>,
    /// Limits on the stretches.
    pub limits: Option<[f64; 2]>,
    /// Keys of items that are for other programs: `meta.other`.
    other: Vec<String>,
    items: Vec<Map<String, Value>>,
}

/// One item of a file, in the model's terms.
#[derive(Debug)]
pub struct Case {
    /// Its name, for messages: id and tag.
    pub name: String,
    /// Whether it is marked as being beside a border between cases.
    pub near_border: bool,
    /// Arguments of the model.
    pub trial: Trial,
    /// Logarithms of the expected stretches.
    pub hencky: [f64; 3],
    /// Expected stress \[Pa\].
    pub stress: Option<[f64; 3]>,
    /// Expected energy density \[Pa\].
    pub energy: Option<f64>,
    /// Expected state words.
    pub state: [Option<f64>; 4],
    /// Unit of deviations of stress and energy \[Pa\].
    pub stress_unit: f64,
    /// Units of deviations of the state words.
    pub state_units: [f64; 4],
}

/// Items with logarithms, and the number of items without.
#[derive(Debug)]
pub struct Cases {
    /// Items to compare.
    pub cases: Vec<Case>,
    /// Number of items with a nonpositive stretch.
    pub without_logarithm: usize,
}

impl Vectors {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Stop> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Stop::bad_input(format!("cannot read {shown}: {error}")))?;
        let root: Value = serde_json::from_str(&text).map_err(|error| {
            Stop::bad_input(format!("{shown}:{}:{}: not JSON: {error}", error.line(), error.column()))
        })?;
        let Some(Value::Array(list)) = root.get("vectors") else {
            return Err(Stop::bad_input(format!(
                "{shown}: key \"vectors\": expected a list of items; see tuff material eval --help"
            )));
        };
        if list.is_empty() {
            return Err(Stop::bad_input(format!("{shown}: key \"vectors\": the list is empty")));
        }
        let items: Option<Vec<_>> = list.iter().map(|item| item.as_object().cloned()).collect();
        let items = items
            .ok_or_else(|| Stop::bad_input(format!("{shown}: key \"vectors\": every item is an object")))?;
        let law = root.pointer("/meta/model").and_then(Value::as_str).map(str::to_owned);
        let other = root.pointer("/meta/other").map_or(Ok(Vec::new()), |found| {
            let refused = || format!("{shown}: key meta.other: found {found}; expected a list of keys");
            serde_json::from_value(found.clone()).map_err(|_| Stop::bad_input(refused()))
        })?;
        let mut vectors = Self { path: path.to_path_buf(), law, limits: None, other, items };
        vectors.limits = vectors.find_limits(root.pointer("/meta/constants"))?;
        Ok(vectors)
    }

    /// Returns the file name.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Returns the choice of the model that `meta.model` names, as (parameter, word).
    pub fn choice<'m>(&self, model: &'m Model) -> Option<(&'m Parameter, &'m str)> {
        let (law, id) = (self.law.as_deref()?, model.descriptor().id.as_str());
        let after_id = law.strip_prefix(id).and_then(|rest| rest.strip_prefix('_'));
        model.descriptor().parameters.iter().find_map(|parameter| {
            let ParameterKind::Choice(words) = &parameter.kind else { return None };
            let word = words.iter().find(|word| *word == law || after_id == Some(word.as_str()))?;
            Some((parameter, word.as_str()))
        })
    }

    /// Returns `meta.model` if it names neither the model nor one of its choices.
    pub fn foreign_law(&self, model: &Model) -> Option<&str> {
        let law = self.law.as_deref()?;
        (law != model.descriptor().id && self.choice(model).is_none()).then_some(law)
    }

    /// Returns all items in the model's terms.
    pub fn cases(&self, model: &Model) -> Result<Cases, Stop> {
        let mut all = Cases { cases: Vec::new(), without_logarithm: 0 };
        for (index, item) in self.items.iter().enumerate() {
            let item = Item { vectors: self, fields: item, name: name(index, item) };
            match item.case(model)? {
                Some(case) => all.cases.push(case),
                None => all.without_logarithm += 1,
            }
        }
        if all.cases.is_empty() {
            let shown = self.path.display();
            return Err(Stop::bad_input(format!("{shown}: no item has positive stretches")));
        }
        Ok(all)
    }

    /// Returns the file's limits, or none if an expected stretch lies outside of them.
    fn find_limits(&self, constants: Option<&Value>) -> Result<Option<[f64; 2]>, Stop> {
        let constant = |name, default| constants.and_then(|c| c.get(name)?.as_f64()).unwrap_or(default);
        let limits = [constant("SIGMA_MIN", STRETCHES[0]), constant("SIGMA_MAX", STRETCHES[1])];
        if !(0.0 < limits[0] && limits[0] < limits[1]) {
            let message = "allowed is 0 < SIGMA_MIN < SIGMA_MAX";
            return Err(Stop::bad_input(format!(
                "{}: key meta.constants: found SIGMA_MIN = {}, SIGMA_MAX = {}; {message}",
                self.path.display(),
                limits[0],
                limits[1]
            )));
        }
        let inside = |s: f64| (limits[0] * (1.0 - 1e-12)..=limits[1] * (1.0 + 1e-12)).contains(&s);
        for (index, fields) in self.items.iter().enumerate() {
            let item = Item { vectors: self, fields, name: name(index, fields) };
            if !item.triple("sigma")?.into_iter().all(inside) {
                return Ok(None);
            }
        }
        Ok(Some(limits))
    }
}

/// An item being read.
struct Item<'a> {
    vectors: &'a Vectors,
    fields: &'a Map<String, Value>,
    name: String,
}

impl Item<'_> {
    /// Reads the item; `None` for stretches without a logarithm.
    fn case(&self, model: &Model) -> Result<Option<Case>, Stop> {
        self.check_keys()?;
        let limit = |s: f64| self.vectors.limits.map_or(s, |[low, high]| s.clamp(low, high));
        let trial = self.triple("sigma_trial")?.map(limit);
        let stretch = self.triple("sigma")?;
        if trial.iter().chain(&stretch).any(|&s| s <= 0.0) {
            return Ok(None);
        }
        let values = self.parameters(model)?;
        let constants = model.prepare(&values).map_err(|error| self.wrong("params", error.message))?;
        let mut state = model.initial_state(&constants);
        for (word, value) in state.iter_mut().zip(self.words("state", model)?) {
            *word = value.unwrap_or(*word);
        }
        let rate_independent = model.descriptor().claims.rate_independent;
        let dt = if rate_independent && !self.fields.contains_key("dt") { 0.0 } else { self.number("dt")? };

        let expected = self.words("state_out", model)?;
        let moduli = model.moduli(&constants, &state);
        let volume: f64 = stretch.iter().product();
        let size = stretch.iter().fold(1.0_f64.max(volume * volume), |size, s| size.max(s * s));
        let mut state_units = [1.0; 4];
        for (index, word) in model.descriptor().states.iter().enumerate() {
            let value = expected[index].unwrap_or_default().abs();
            state_units[index] = match word.initial {
                _ if word.unit == "Pa" => 2.0 * moduli.shear,
                Initial::Value(1.0) => value.max(f64::MIN_POSITIVE),
                _ => value.max(1.0),
            };
        }
        Ok(Some(Case {
            name: self.name.clone(),
            near_border: self.fields.get("near_boundary") == Some(&Value::Bool(true)),
            trial: Trial { constants, state, hencky: trial.map(f64::ln), dt },
            hencky: stretch.map(f64::ln),
            stress: self.optional("tau", |key| self.triple(key))?,
            energy: self.optional("psi", |key| self.number(key))?,
            state: expected,
            stress_unit: (2.0 * moduli.shear + 3.0 * moduli.bulk) * size,
            state_units,
        }))
    }

    /// Rejects unknown keys: the field that they were meant to be would not be compared.
    fn check_keys(&self) -> Result<(), Stop> {
        let missing = || KEYS.into_iter().filter(|key| !self.fields.contains_key(*key));
        let is_known = |key: &str| {
            KEYS.contains(&key) || ASIDE.contains(&key) || self.vectors.other.iter().any(|other| other == key)
        };
        let Some(key) = self.fields.keys().find(|key| !is_known(key)) else { return Ok(()) };
        let hint = match tuff_scene::nearest(key, missing()) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("fields are {}; list keys for other programs in meta.other", KEYS.join(", ")),
        };
        Err(self.wrong(key, format!("no such field is compared; {hint}")))
    }

    /// Returns the parameters in the model's order.
    fn parameters(&self, model: &Model) -> Result<Vec<f64>, Stop> {
        let descriptor = model.descriptor();
        let mut values: Vec<f64> =
            descriptor.parameters.iter().map(|p| p.default.unwrap_or(f64::NAN)).collect();
        if let Some((parameter, word)) = self.vectors.choice(model)
            && let Some(index) = descriptor.parameter_index(&parameter.name)
        {
            values[index] = value(parameter, &Value::from(word)).unwrap_or(f64::NAN);
        }
        let named = self.object("params")?;
        let by_young =
            ["E", "youngs_modulus"].iter().any(|name| named.is_some_and(|n| n.contains_key(*name)));
        for (name, given) in named.into_iter().flatten() {
            if by_young && ["mu", "kappa"].contains(&name.as_str()) {
                continue;
            }
            let Some(index) = descriptor.parameter_index_by_alias(name) else {
                if DERIVED.contains(&name.as_str()) {
                    continue;
                }
                let known = descriptor.parameters.iter().map(|p| names(&p.name, &p.aliases));
                return Err(self.unknown("params", "parameter", name, &known.collect::<Vec<_>>()));
            };
            let parameter = &descriptor.parameters[index];
            values[index] = value(parameter, given).ok_or_else(|| {
                let key = format!("params.{name}");
                self.wrong(&key, format!("found {given}; allowed is {}", parameter.range()))
            })?;
        }
        Ok(values)
    }

    /// Returns the state words, where the item gives them, in the model's order.
    fn words(&self, key: &str, model: &Model) -> Result<[Option<f64>; 4], Stop> {
        let mut words = [None; 4];
        for (name, given) in self.object(key)?.into_iter().flatten() {
            let Some(index) = model.descriptor().state_index(name) else {
                let known = model.descriptor().states.iter().map(|s| names(&s.name, &s.aliases));
                return Err(self.unknown(key, "state word", name, &known.collect::<Vec<_>>()));
            };
            let number = given
                .as_f64()
                .ok_or_else(|| self.wrong(name, format!("found {given}; expected a number")))?;
            words[index] = Some(number);
        }
        Ok(words)
    }

    fn object(&self, key: &str) -> Result<Option<&Map<String, Value>>, Stop> {
        match self.fields.get(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(self.wrong(key, format!("found {other}; expected {{name: value}}"))),
        }
    }

    fn optional<T>(&self, key: &str, read: impl Fn(&str) -> Result<T, Stop>) -> Result<Option<T>, Stop> {
        self.fields.contains_key(key).then(|| read(key)).transpose()
    }

    fn triple(&self, key: &str) -> Result<[f64; 3], Stop> {
        let found = self.get(key)?;
        let list =
            found.as_array().and_then(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<_>>>());
        let list = list.and_then(|list| <[f64; 3]>::try_from(list).ok());
        list.ok_or_else(|| self.wrong(key, format!("found {found}; expected three numbers")))
    }

    fn number(&self, key: &str) -> Result<f64, Stop> {
        let found = self.get(key)?;
        found.as_f64().ok_or_else(|| self.wrong(key, format!("found {found}; expected a number")))
    }

    fn get(&self, key: &str) -> Result<&Value, Stop> {
        self.fields.get(key).ok_or_else(|| self.wrong(key, "missing".to_owned()))
    }

    fn unknown(&self, key: &str, what: &str, name: &str, known: &[String]) -> Stop {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        self.wrong(&format!("{key}.{name}"), format!("the model has no such {what}; it has {known}"))
    }

    fn wrong(&self, key: &str, message: String) -> Stop {
        Stop::bad_input(format!("{}: item {}: {key}: {message}", self.vectors.path.display(), self.name))
    }
}

fn name(index: usize, item: &Map<String, Value>) -> String {
    let id = match item.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(id) => id.to_string(),
        None => index.to_string(),
    };
    match item.get("tag").and_then(Value::as_str) {
        Some(tag) => format!("{id} ({tag})"),
        None => id,
    }
}

fn names(name: &str, aliases: &[String]) -> String {
    if aliases.is_empty() { name.to_owned() } else { format!("{name} ({})", aliases.join(", ")) }
}

/// Reads a number, a switch, or the index of a word.
fn value(parameter: &Parameter, given: &Value) -> Option<f64> {
    match (&parameter.kind, given) {
        (ParameterKind::Boolean, Value::Bool(on)) => Some(f64::from(u8::from(*on))),
        (ParameterKind::Choice(words), Value::String(word)) => {
            words.iter().position(|w| w == word).map(|index| index as f64)
        }
        _ => given.as_f64(),
    }
}
