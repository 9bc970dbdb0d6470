//! Replacement of a model while a simulation runs.

use std::sync::Arc;

use tuff_plugin::{Descriptor, Model};
use tuff_scene::Material;

use crate::{Problem, ResolvedMaterial};

/// Models and materials that replace those of a problem; particles and everything else stay.
#[derive(Clone)]
pub struct Replacement {
    /// As [`Problem::models`].
    pub models: Vec<Arc<Model>>,
    /// As [`Problem::materials`].
    pub materials: Vec<ResolvedMaterial>,
    /// Parameters of each material in the order of its model's descriptor.
    parameters: Vec<Vec<f64>>,
}

/// Reason why a model cannot replace another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplacementError {
    /// The new model has another id.
    #[error("it registers the model `{found}`, the scene uses `{expected}`")]
    Id {
        /// Id of the model in use.
        expected: String,
        /// Id of the new one.
        found: String,
    },
    /// The state words differ, and particles carry those of the model in use.
    #[error("the state of a particle was {old} and is now {new}; start the run again to use it")]
    State {
        /// State words of the model in use.
        old: String,
        /// State words of the new one.
        new: String,
    },
    /// A material's parameters do not suit the new model.
    #[error("material `{material}`: {message}")]
    Parameters {
        /// Name of the material.
        material: String,
        /// Which parameter, and why.
        message: String,
    },
}

impl Problem {
    /// Prepares to replace [`Problem::models`]`[index]` by `model`: computes the materials' constants again from the scene's
    /// parameters, matched by name. Parameters that the scene does not give take the new defaults.
    ///
    /// # Errors
    /// [`ReplacementError`] if the new model has another id or state, or rejects the parameters.
    pub fn replacement(&self, index: usize, model: Arc<Model>) -> Result<Replacement, ReplacementError> {
        let old = self.models[index].descriptor();
        let new = model.descriptor();
        if old.id != new.id {
            return Err(ReplacementError::Id { expected: old.id.clone(), found: new.id.clone() });
        }
        if state(old) != state(new) {
            return Err(ReplacementError::State { old: state(old), new: state(new) });
        }
        let mut materials = self.materials.clone();
        let mut parameters: Vec<Vec<f64>> =
            self.scene.materials.iter().map(|m| m.parameters.clone()).collect();
        for (m, material) in materials.iter_mut().enumerate().filter(|(_, m)| m.model == index) {
            let refuse = |message| ReplacementError::Parameters { material: material.name.clone(), message };
            let values = carried(&self.scene.materials[m], old, new).map_err(refuse)?;
            material.constants = model.prepare(&values).map_err(|error| {
                let named = error.parameter.and_then(|i| new.parameters.get(i));
                refuse(named.map_or_else(String::new, |p| format!("{}: ", p.name)) + &error.message)
            })?;
            parameters[m] = values;
        }
        let mut models = self.models.clone();
        models[index] = model;
        Ok(Replacement { models, materials, parameters })
    }

    /// Applies a replacement. Returns the replaced models and materials, to undo it.
    pub fn replace(&mut self, replacement: Replacement) -> Replacement {
        let materials = self.scene.materials.iter_mut().zip(replacement.parameters);
        Replacement {
            models: std::mem::replace(&mut self.models, replacement.models),
            materials: std::mem::replace(&mut self.materials, replacement.materials),
            parameters: materials.map(|(m, values)| std::mem::replace(&mut m.parameters, values)).collect(),
        }
    }
}

/// Describes the state of a particle; models with equal descriptions can exchange particles.
fn state(descriptor: &Descriptor) -> String {
    let words: Vec<String> = descriptor.states.iter().map(|s| format!("{} [{}]", s.name, s.unit)).collect();
    let words = if words.is_empty() { "without words".to_owned() } else { words.join(", ") };
    format!("{words} ({:?} variant)", descriptor.variant).to_lowercase()
}

/// Returns the values of the parameters of `new`, taken from those that the scene gives for `old`.
fn carried(material: &Material, old: &Descriptor, new: &Descriptor) -> Result<Vec<f64>, String> {
    let gone = material.given.iter().find(|(key, _)| new.parameter_index(key).is_none());
    if let Some((key, _)) = gone {
        return Err(format!("the scene gives `{key}`, which is no longer a parameter"));
    }
    let value = |parameter: &tuff_plugin::Parameter| {
        let name = &parameter.name;
        if !material.given.iter().any(|(key, _)| key == name) {
            return match parameter.default {
                None if parameter.required => {
                    Err(format!("`{name}` is now required and missing in the scene"))
                }
                default => Ok(default.unwrap_or(f64::NAN)),
            };
        }
        // The scene gives it, so the model in use has it.
        let known = old.parameter_index(name).map(|i| (&old.parameters[i], material.parameters[i]));
        match known {
            Some((was, value)) if was.kind == parameter.kind && was.unit == parameter.unit => Ok(value),
            _ => Err(format!("`{name}` now has another kind or unit; start the run again to use it")),
        }
    };
    new.parameters.iter().map(value).collect()
}
