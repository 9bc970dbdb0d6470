//! Errors that only show when a scene is used, told with the lines that cause them.

use crate::error::{Diagnostic, SceneError, Warning};
use crate::scene::Scene;

/// What of a scene a message is about.
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
}

impl Scene {
    /// The error `message` about a part of the scene; `label` stands at the lines that give it, `help` says what can be done.
    pub fn refuse(
        &self,
        about: Diagnosed,
        message: String,
        label: impl Into<String>,
        help: Option<String>,
    ) -> SceneError {
        self.about(about, message, label.into(), help).into()
    }

    /// The doubt `message` about a part of the scene; as [`Scene::refuse`].
    pub fn doubt(
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
        };
        Diagnostic { label, help, place, ..Diagnostic::new(message) }
    }

    /// The error that the model of material `index` refuses its parameters, for the reason `message`.
    /// It shows `parameter` where the scene gives it, the material's table otherwise.
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

    /// The doubt `message` about material `index`; `help` says what can be done.
    pub fn doubt_material(&self, index: usize, message: &str, help: String) -> Warning {
        let name = self.materials.get(index).map_or("", |m| m.name.as_str());
        Warning::new(Diagnostic {
            label: "this material".to_owned(),
            help: Some(help),
            place: self.source.material(index),
            ..Diagnostic::new(format!("`material.{name}` {message}"))
        })
    }

    /// The error that `solver.key` cannot be used, for the reason `message`; `allowed` says what can.
    pub fn refuse_solver(&self, key: &str, message: &str, allowed: String) -> SceneError {
        Diagnostic {
            label: allowed,
            place: self.source.solver(key),
            ..Diagnostic::new(format!("`solver.{key}` {message}"))
        }
        .into()
    }
}
