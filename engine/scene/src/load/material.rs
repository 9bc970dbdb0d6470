//! The tables `material`: a model and the parameters it declares.

use tuff_material_sdk::descriptor::{Descriptor, Parameter, ParameterKind};

use super::{cloth, keys, rigid, rope};
use crate::decode::{Limits, Table, hint};
use crate::scene::Material;
use crate::suggest::listed;

/// The readable part of a material; bodies can use its name even if the rest is faulty.
pub(super) struct Read {
    pub name: String,
    pub material: Option<Material>,
}

pub(super) fn materials(root: &Table<'_>, models: &[&Descriptor]) -> Vec<Read> {
    let others = rope::any(root) || cloth::any(root) || rigid::any(root);
    if others && root.get("material").is_none() && root.get("body").is_none() {
        return Vec::new();
    }
    if root
        .require(
            "material",
            "at least one `[[material]]` with `name`, `model` and `density`, or `name` and `preset`",
        )
        .is_none()
    {
        return Vec::new();
    }
    let Some(field) = root.get("material") else { return Vec::new() };
    let Some(list) = field.array() else { return Vec::new() };
    if list.is_empty() {
        field.fault("`material` is empty", "at least one `[[material]]` is required", None);
    }
    let mut read: Vec<Read> = Vec::new();
    for element in list {
        let Some(mut table) = element.open_table() else { continue };
        let name_field = table.require("name", "what bodies refer to");
        let Some(name) = name_field.as_ref().and_then(|f| f.string()) else {
            read.push(Read { name: String::new(), material: None });
            continue;
        };
        table.path = format!("material.{name}");
        if let Some(field) = name_field.filter(|_| read.iter().any(|r| r.name == name)) {
            field.fault(format!("two materials are named \"{name}\""), "names must differ", None);
        }
        read.push(Read { name: name.to_owned(), material: material(&table, name, models) });
    }
    read
}

fn material(table: &Table<'_>, name: &str, models: &[&Descriptor]) -> Option<Material> {
    let density = table
        .require("density", "the rest density [kg/m^3]")
        .and_then(|f| f.number(Limits { max: 1e9, ..Limits::positive("kg/m^3") }));
    let field = table
        .require("model", "the id of a constitutive model (`tuff materials` lists them), or a `preset`")?;
    let model = field.string()?;
    let Some(descriptor) = models.iter().find(|d| d.id == model) else {
        let ids = || models.iter().map(|d| d.id.as_str());
        let (label, help) = if models.is_empty() {
            let help = "no material library was found; point --material-path to their folder".to_owned();
            ("no model is known".to_owned(), Some(help))
        } else {
            let elsewhere = || "a library of your own is found with --material-path FOLDER".to_owned();
            (format!("must be {}", listed(ids())), Some(hint(model, ids()).unwrap_or_else(elsewhere)))
        };
        field.fault(format!("material \"{name}\": unknown model \"{model}\""), label, help);
        return None;
    };
    let parameters: Vec<f64> =
        descriptor.parameters.iter().map(|p| parameter(table, descriptor, p)).collect();
    let mut given = Vec::new();
    for entry in table.entries().iter().filter(|e| !keys::MATERIAL.contains(&e.key.as_str())) {
        if descriptor.parameters.iter().any(|p| p.name == entry.key) {
            given.push((entry.key.clone(), entry.node.to_toml()));
        } else {
            unknown_parameter(table, descriptor, entry);
        }
    }
    Some(Material { name: name.to_owned(), model: model.to_owned(), density: density?, parameters, given })
}

/// Records a key that is neither one of a material nor a parameter of its model.
fn unknown_parameter(table: &Table<'_>, descriptor: &Descriptor, entry: &crate::document::Entry) {
    let names = || descriptor.parameters.iter().map(|p| p.name.as_str());
    let alias = descriptor
        .parameters
        .iter()
        .find(|p| p.aliases.contains(&entry.key))
        .map(|p| format!("did you mean `{}`?", p.name));
    let help = alias.or_else(|| hint(&entry.key, names().chain(keys::MATERIAL.iter().copied())));
    let message = format!("`{}`: model `{}` has no parameter `{}`", table.path, descriptor.id, entry.key);
    table.context.fault(&entry.key_at, message, format!("expected {}", listed(names())), help);
}

/// Returns the value of a parameter; NaN if it is absent without a default, or faulty.
fn parameter(table: &Table<'_>, descriptor: &Descriptor, parameter: &Parameter) -> f64 {
    let limits = Limits {
        min: parameter.min,
        max: parameter.max,
        min_exclusive: parameter.min_exclusive,
        max_exclusive: parameter.max_exclusive,
        unit: &parameter.unit,
    };
    let Some(field) = table.get(&parameter.name) else {
        if parameter.required && parameter.default.is_none() {
            let message = format!(
                "`{}` has no `{}`, which model `{}` requires",
                table.path, parameter.name, descriptor.id
            );
            let allowed = match &parameter.kind {
                ParameterKind::Number => limits.to_string(),
                ParameterKind::Boolean => "`true` or `false`".to_owned(),
                ParameterKind::Choice(words) => listed(words.iter().map(String::as_str)),
            };
            let label =
                format!("add `{}`: {}; {allowed}", parameter.name, parameter.help.trim_end_matches('.'));
            table.context.fault(table.at, message, label, None);
        }
        return parameter.default.unwrap_or(f64::NAN);
    };
    let value = match &parameter.kind {
        ParameterKind::Number => field.number(limits),
        ParameterKind::Boolean => field.boolean().map(f64::from),
        ParameterKind::Choice(words) => {
            let choices: Vec<(&str, f64)> =
                words.iter().enumerate().map(|(i, word)| (word.as_str(), i as f64)).collect();
            field.choice(&choices)
        }
    };
    value.unwrap_or(f64::NAN)
}
