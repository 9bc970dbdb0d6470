//! Errors that only appear when a scene is used, reported with the lines that cause them.

use crate::error::{Diagnostic, SceneError, Warning};
use crate::scene::Scene;

/// The part of a scene that a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagnosed {
    /// `scene.gravity`.
    Gravity,
    /// `time.max_substep`.
    Step,
    /// A body, by its index.
    Body(usize),
    /// A collider, by its index.
    Collider(usize),
    /// A rigid body, by its index.
    Rigid(usize),
    /// A mixture, by its index.
    Mixture(usize),
}

impl Scene {
    /// Creates the error `message` about a part of the scene; `label` stands at the lines that give it, `help` suggests a cure.
    pub fn refuse(
        &self,
        about: Diagnosed,
        message: String,
        label: impl Into<String>,
        help: Option<String>,
    ) -> SceneError {
        self.about(about, message, label.into(), help).into()
    }

    /// Creates the warning `message` about a part of the scene, like [`Scene::refuse`].
    pub fn warning(
        &self,
        about: Diagnosed,
        message: String,
        label: impl Into<String>,
        help: String,
    ) -> Warning {
        Warning::new(self.about(about, message, label.into(), Some(help)))
    }

    fn about(&self, about: Diagnosed, message: String, label: String, help: Option<String>) -> Diagnostic {
        let place = match about {
            Diagnosed::Gravity => self.source.header("gravity"),
            Diagnosed::Step => self.source.time("max_substep"),
            Diagnosed::Body(index) => self.source.body(index),
            Diagnosed::Collider(index) => self.source.collider(index),
            Diagnosed::Rigid(index) => self.source.rigid(index),
            Diagnosed::Mixture(index) => self.source.mixture(index),
        };
        Diagnostic { label, help, place, ..Diagnostic::new(message) }
    }

    /// Creates the error that the model of material `index` rejects its parameters, for the reason `message`. Shows `parameter`
    /// if the scene gives it, otherwise the material's table.
    pub fn refuse_material(&self, index: usize, parameter: Option<&str>, message: &str) -> SceneError {
        let (name, model) =
            self.materials.get(index).map_or(("", ""), |m| (m.name.as_str(), m.model.as_str()));
        let given = parameter.and_then(|p| self.source.parameter(index, p));
        let label = match parameter {
            Some(_) if given.is_some() => "this value".to_owned(),
            Some(parameter) => format!("this material, which has no `{parameter}`"),
            None => "this material".to_owned(),
        };
        let help = self.source.preset(index).map(|preset| {
            format!(
                "the preset `{preset}` gives every parameter that the scene does not give under the same name"
            )
        });
        Diagnostic {
            label,
            help,
            place: given.or_else(|| self.source.material(index)),
            ..Diagnostic::new(format!("`material.{name}` (model `{model}`): {message}"))
        }
        .into()
    }

    /// Creates the warning `message` about material `index`; `help` suggests a cure.
    pub fn warn_material(&self, index: usize, message: &str, help: String) -> Warning {
        let name = self.materials.get(index).map_or("", |m| m.name.as_str());
        Warning::new(Diagnostic {
            label: "this material".to_owned(),
            help: Some(help),
            place: self.source.material(index),
            ..Diagnostic::new(format!("`material.{name}` {message}"))
        })
    }

    /// Creates the error that `solver.key` cannot be used, for the reason `message`; `allowed` names usable values.
    pub fn refuse_solver(&self, key: &str, message: &str, allowed: String) -> SceneError {
        Diagnostic {
            label: allowed,
            place: self.source.solver(key),
            ..Diagnostic::new(format!("`solver.{key}` {message}"))
        }
        .into()
    }
}
