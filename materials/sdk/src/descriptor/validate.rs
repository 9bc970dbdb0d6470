//! Rules that a descriptor must obey before anything else relies on it.

use super::{Descriptor, Initial, MAX_CONSTANTS, MAX_STATES, Parameter, ParameterKind};

/// Keys of a scene's material table that belong to the engine.
const RESERVED_KEYS: [&str; 2] = ["name", "model"];

impl Descriptor {
    /// Checks ids, names, ranges, defaults and limits.
    ///
    /// # Errors
    /// Returns the first broken rule: what was found and what is allowed.
    pub fn validate(&self) -> Result<(), String> {
        if !is_id(&self.id) {
            return Err(format!(
                "the id is {:?}; allowed is a lower-case letter, then a-z, 0-9 and _",
                self.id
            ));
        }
        if self.states.len() > MAX_STATES {
            return Err(format!(
                "{} state words are declared; at most {MAX_STATES} are allowed",
                self.states.len()
            ));
        }
        if self.constant_count > MAX_CONSTANTS {
            return Err(format!(
                "{} constants are declared; at most {MAX_CONSTANTS} are allowed",
                self.constant_count
            ));
        }
        let mut names: Vec<&str> = Vec::new();
        for parameter in &self.parameters {
            parameter.validate()?;
            for name in std::iter::once(&parameter.name).chain(&parameter.aliases) {
                claim_name(&mut names, name, "parameter")?;
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for state in &self.states {
            if !is_id(&state.name) {
                return Err(format!(
                    "the state word {:?} is not a lower-case letter, then a-z, 0-9 and _",
                    state.name
                ));
            }
            for name in std::iter::once(&state.name).chain(&state.aliases) {
                claim_name(&mut names, name, "state word")?;
            }
            match state.initial {
                Initial::Value(value) if !value.is_finite() => {
                    return Err(format!(
                        "the state word {} starts at {value}; it must be finite",
                        state.name
                    ));
                }
                Initial::Constant(index) if index >= self.constant_count => {
                    return Err(format!(
                        "the state word {} starts at constant {index}, but only {} constants are declared",
                        state.name, self.constant_count
                    ));
                }
                Initial::Value(_) | Initial::Constant(_) => {}
            }
        }
        Ok(())
    }
}

impl Parameter {
    fn validate(&self) -> Result<(), String> {
        let name = &self.name;
        if !is_word(name) {
            return Err(format!("the parameter {name:?} is not a letter, then letters, digits and _"));
        }
        if RESERVED_KEYS.contains(&name.as_str()) {
            return Err(format!("the parameter {name} has the name of a key of every material"));
        }
        let (min, max) = (self.min, self.max);
        let is_empty = min > max || (min == max && (self.min_exclusive || self.max_exclusive));
        if min.is_nan() || max.is_nan() || is_empty {
            return Err(format!("the range of parameter {name} is empty: {}", self.range()));
        }
        if let ParameterKind::Choice(words) = &self.kind {
            if words.is_empty() || words.iter().any(String::is_empty) {
                return Err(format!("the parameter {name} has no words to choose from, or an empty one"));
            }
            if min != 0.0 || max != (words.len() - 1) as f64 {
                return Err(format!(
                    "the parameter {name} has {} words, but its range is {min} to {max}",
                    words.len()
                ));
            }
        }
        if let Some(value) = self.typical.filter(|&value| !self.accepts(value)) {
            return Err(format!(
                "the typical value {value} of parameter {name} is outside its range: {}",
                self.range()
            ));
        }
        match self.default {
            Some(value) if !self.accepts(value) => {
                Err(format!("the default {value} of parameter {name} is outside its range: {}", self.range()))
            }
            Some(_) if self.required => {
                Err(format!("the parameter {name} is required and has a default as well"))
            }
            _ => Ok(()),
        }
    }
}

fn claim_name<'a>(names: &mut Vec<&'a str>, name: &'a str, what: &str) -> Result<(), String> {
    if names.contains(&name) {
        return Err(format!("the {what} name or alias {name:?} is declared twice"));
    }
    names.push(name);
    Ok(())
}

fn is_id(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_lowercase())
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::{Claims, StateWord, Variant};

    fn sound() -> Descriptor {
        Descriptor {
            id: "model_1".into(),
            version: "1".into(),
            author: "tests".into(),
            help: "help".into(),
            reference: "none".into(),
            parameters: vec![
                Parameter::number("M", "-", "slope").above(0.0).below(4.0).alias("slope"),
                Parameter::boolean("flag", true, "a switch"),
                Parameter::choice("kind", &["one", "two"], "a choice"),
            ],
            states: vec![StateWord::new("word", "-", 1.0, "a word").alias("w")],
            claims: Claims::default(),
            variant: Variant::Principal,
            constant_count: 1,
        }
    }

    fn refusal(change: impl FnOnce(&mut Descriptor)) -> String {
        let mut descriptor = sound();
        descriptor.validate().unwrap();
        change(&mut descriptor);
        descriptor.validate().unwrap_err()
    }

    #[test]
    fn each_rule_is_checked() {
        let cases: [(&str, String); 14] = [
            ("the id is \"1st\"", refusal(|d| d.id = "1st".into())),
            ("5 state words", refusal(|d| d.states = vec![d.states[0].clone(); 5])),
            ("33 constants", refusal(|d| d.constant_count = 33)),
            ("declared twice", refusal(|d| d.parameters[1].aliases.push("M".into()))),
            ("\"w\" is declared twice", refusal(|d| d.states.push(StateWord::new("w", "-", 0.0, "")))),
            ("is not a letter", refusal(|d| d.parameters[0].name = "my slope".into())),
            ("key of every material", refusal(|d| d.parameters[0].name = "model".into())),
            ("range of parameter M is empty", refusal(|d| d.parameters[0].max = 0.0)),
            ("range of parameter M is empty", refusal(|d| d.parameters[0].min = f64::NAN)),
            ("no words to choose from", refusal(|d| d.parameters[2].kind = ParameterKind::Choice(vec![]))),
            ("has 2 words", refusal(|d| d.parameters[2].max = 2.0)),
            ("default 4 of parameter M", refusal(|d| d.parameters[0].default = Some(4.0))),
            ("required and has a default", refusal(|d| d.parameters[1].required = true)),
            ("constant 1, but only 1", refusal(|d| d.states[0].initial = Initial::Constant(1))),
        ];
        for (expected, message) in cases {
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn ranges_are_said_in_words() {
        let range = |i: usize| sound().parameters[i].range();
        assert_eq!(
            (range(0), range(1), range(2)),
            ("0 < M < 4".into(), "true or false".into(), "\"one\", \"two\"".into())
        );
        assert_eq!(Parameter::number("x", "-", "").range(), "x: any finite number");
        assert!(!sound().parameters[1].accepts(0.5) && sound().parameters[0].accepts(0.5));
    }
}
