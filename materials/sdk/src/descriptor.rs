//! The owned, safe description of a model: registered by a library, read once and checked.
//!
//! [`Descriptor`] is the entry point. Model crates build it with the constructors of [`Parameter`] and [`StateWord`];
//! the engine rebuilds it from the C structs of [`crate::abi`].

mod validate;

/// Maximum number of state words per particle.
pub const MAX_STATES: usize = 4;

/// Maximum number of constants that a model prepares per material.
pub const MAX_CONSTANTS: usize = 32;

/// Everything the engine knows about a model besides its functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    /// Name in scene files, `[a-z][a-z0-9_]*`; also the prefix of the GLSL functions.
    pub id: String,
    /// Version of the model.
    pub version: String,
    /// Author or maintainer.
    pub author: String,
    /// One line for listings.
    pub help: String,
    /// Paper and equation of the formulas.
    pub reference: String,
    /// Parameters in the order in which `prepare` receives them.
    pub parameters: Vec<Parameter>,
    /// State words, at most [`MAX_STATES`], in the order of the state vector.
    pub states: Vec<StateWord>,
    /// Promises of the model.
    pub claims: Claims,
    /// Set of functions that the model exports.
    pub variant: Variant,
    /// Number of constants that `prepare` writes, at most [`MAX_CONSTANTS`].
    pub constant_count: usize,
}

/// One parameter of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Key in scene files. A parameter `density` takes the density of the material.
    pub name: String,
    /// Unit, e.g. `Pa`; `-` for pure numbers.
    pub unit: String,
    /// Form of the value in a scene.
    pub kind: ParameterKind,
    /// Value if the key is absent; without a default, an absent parameter reaches `prepare` as NaN.
    pub default: Option<f64>,
    /// True if a scene must give it.
    pub required: bool,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// True if `min` itself is rejected.
    pub min_exclusive: bool,
    /// True if `max` itself is rejected.
    pub max_exclusive: bool,
    /// One line for listings.
    pub help: String,
    /// Other names of the same quantity in files of reference values.
    pub aliases: Vec<String>,
    /// A typical value, which the material kit tries together with other parameters.
    pub typical: Option<f64>,
}

/// Form of a parameter in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A number.
    Number,
    /// `true` or `false`, passed as 1 or 0.
    Boolean,
    /// One of these words, passed as its index.
    Choice(Vec<String>),
}

/// One scalar that a particle carries from substep to substep.
#[derive(Clone, Debug, PartialEq)]
pub struct StateWord {
    /// Name; the attribute's name in frames.
    pub name: String,
    /// Unit, e.g. `Pa`; `-` for pure numbers.
    pub unit: String,
    /// Value of a new particle.
    pub initial: Initial,
    /// True if it may be written to frames.
    pub exported: bool,
    /// One line for listings.
    pub help: String,
    /// Other names of the same quantity in files of reference values.
    pub aliases: Vec<String>,
}

/// Initial value of a state word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    /// This number.
    Value(f64),
    /// The prepared constant with this index.
    Constant(usize),
}

/// Promises of a model, checked by the material kit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Energy and projection do not depend on a direction of the material.
    pub isotropic: bool,
    /// The projection conserves the sum of the Hencky strains.
    pub volume_preserving: bool,
    /// The projection does not depend on dt.
    pub rate_independent: bool,
    /// The projection never raises the energy.
    pub dissipative: bool,
}

/// Set of functions that a model exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Functions of the three principal Hencky strains.
    Principal,
    /// Functions of whole tensors.
    Tensor {
        /// True if particles carry a second elastic strain.
        branch: bool,
        /// True if particles carry the deformation gradient.
        deformation: bool,
    },
}

impl Descriptor {
    /// Returns the index of the parameter with this name.
    pub fn parameter_index(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|p| p.name == name)
    }

    /// Returns the index of the parameter with this name or alias.
    pub fn parameter_index_by_alias(&self, name: &str) -> Option<usize> {
        self.parameter_index(name)
            .or_else(|| self.parameters.iter().position(|p| p.aliases.iter().any(|a| a == name)))
    }

    /// Returns the index of the state word with this name or alias.
    pub fn state_index(&self, name: &str) -> Option<usize> {
        let by_name = self.states.iter().position(|s| s.name == name);
        by_name.or_else(|| self.states.iter().position(|s| s.aliases.iter().any(|a| a == name)))
    }
}

impl Parameter {
    /// Creates an optional number without limits.
    pub fn number(name: &str, unit: &str, help: &str) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            kind: ParameterKind::Number,
            default: None,
            required: false,
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
            min_exclusive: false,
            max_exclusive: false,
            help: help.into(),
            aliases: Vec::new(),
            typical: None,
        }
    }

    /// Creates a switch with a default.
    pub fn boolean(name: &str, default: bool, help: &str) -> Self {
        Self {
            kind: ParameterKind::Boolean,
            default: Some(f64::from(u8::from(default))),
            min: 0.0,
            max: 1.0,
            ..Self::number(name, "-", help)
        }
    }

    /// Creates a choice of several words; the first is the default.
    pub fn choice(name: &str, words: &[&str], help: &str) -> Self {
        Self {
            kind: ParameterKind::Choice(words.iter().map(|&w| w.into()).collect()),
            default: Some(0.0),
            min: 0.0,
            max: words.len().saturating_sub(1) as f64,
            ..Self::number(name, "-", help)
        }
    }

    /// Makes the parameter required in a scene.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Sets the value used if a scene gives none.
    #[must_use]
    pub fn default_value(self, value: f64) -> Self {
        Self { default: Some(value), ..self }
    }

    /// Sets a typical value, if it differs from the default.
    #[must_use]
    pub fn typical(self, value: f64) -> Self {
        Self { typical: Some(value), ..self }
    }

    /// Rejects values below `min`.
    #[must_use]
    pub fn at_least(self, min: f64) -> Self {
        Self { min, min_exclusive: false, ..self }
    }

    /// Rejects `min` and values below it.
    #[must_use]
    pub fn above(self, min: f64) -> Self {
        Self { min, min_exclusive: true, ..self }
    }

    /// Rejects values above `max`.
    #[must_use]
    pub fn at_most(self, max: f64) -> Self {
        Self { max, max_exclusive: false, ..self }
    }

    /// Rejects `max` and values above it.
    #[must_use]
    pub fn below(self, max: f64) -> Self {
        Self { max, max_exclusive: true, ..self }
    }

    /// Adds another name of the same quantity in files of reference values.
    #[must_use]
    pub fn alias(mut self, alias: &str) -> Self {
        self.aliases.push(alias.into());
        self
    }

    /// Returns true if a value is finite, inside the range, and an integer if the kind requires it.
    pub fn accepts(&self, value: f64) -> bool {
        let above = if self.min_exclusive { value > self.min } else { value >= self.min };
        let below = if self.max_exclusive { value < self.max } else { value <= self.max };
        let whole = self.kind == ParameterKind::Number || value.fract() == 0.0;
        value.is_finite() && above && below && whole
    }

    /// Describes the allowed values, e.g. `0 <= hardening < 1`, `true or false`.
    pub fn range(&self) -> String {
        match &self.kind {
            ParameterKind::Boolean => "true or false".into(),
            ParameterKind::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
                quoted.join(", ")
            }
            ParameterKind::Number => {
                let low = if self.min_exclusive { "<" } else { "<=" };
                let high = if self.max_exclusive { "<" } else { "<=" };
                let mut text = String::new();
                if self.min.is_finite() {
                    text += &format!("{} {low} ", self.min);
                }
                text += &self.name;
                if self.max.is_finite() {
                    text += &format!(" {high} {}", self.max);
                }
                if self.min.is_infinite() && self.max.is_infinite() {
                    text += ": any finite number";
                }
                text
            }
        }
    }
}

impl StateWord {
    /// Creates an exported state word with an initial number.
    pub fn new(name: &str, unit: &str, initial: f64, help: &str) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            initial: Initial::Value(initial),
            exported: true,
            help: help.into(),
            aliases: Vec::new(),
        }
    }

    /// Sets the prepared constant with this index as initial value.
    #[must_use]
    pub fn from_constant(self, index: usize) -> Self {
        Self { initial: Initial::Constant(index), ..self }
    }

    /// Excludes the state word from frames.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { exported: false, ..self }
    }

    /// Adds another name of the same quantity in files of reference values.
    #[must_use]
    pub fn alias(mut self, alias: &str) -> Self {
        self.aliases.push(alias.into());
        self
    }
}
