//! Parameter sets: from a preset, from the command line, or from the first matching preset.

use std::path::{Path, PathBuf};

use tuff_material_sdk::descriptor::{Parameter, ParameterKind};
use tuff_plugin::{Library, Model, SearchPath};

use crate::exit::Stop;
use tuff_chart::number;

/// Parameters of a model if neither the user nor a preset gives any: something soft.
const FALLBACK: [(&str, f64); 2] = [("youngs_modulus", 1e5), ("poisson_ratio", 0.3)];

/// `name=value` from the command line.
pub type Assignment = (String, String);

/// Parameters and the constants prepared from them.
#[derive(Debug, Clone)]
pub struct Set {
    /// Origin of the values, for people: a preset, if any.
    pub origin: Option<String>,
    /// Values in the order of the model's parameters; NaN if absent.
    pub values: Vec<f64>,
    /// Prepared constants.
    pub constants: Vec<f64>,
}

/// Returns the first set: a preset with changes, or values over the defaults.
pub fn first(model: &Model, preset: Option<&str>, changes: &[Assignment]) -> Result<Set, Stop> {
    let id = &model.descriptor().id;
    match preset {
        Some(name) => from_preset(model, name, "--preset", changes, "--params"),
        None if !changes.is_empty() => prepared(model, None, defaults(model), changes, "--params"),
        None => match tuff_scene::presets().find(|preset| preset.model() == *id) {
            Some(preset) => from_preset(model, preset.name, "--preset", changes, "--params"),
            None => {
                let mut values = defaults(model);
                for (name, value) in FALLBACK {
                    if let Some(index) = model.descriptor().parameter_index(name) {
                        values[index] = value;
                    }
                }
                prepared(model, None, values, changes, "--params")
            }
        },
    }
}

/// Returns the set of a material of a scene, with changes.
pub fn of_scene(
    model: &Model,
    scene: &Path,
    material: Option<&str>,
    changes: &[Assignment],
    folders: &[PathBuf],
) -> Result<Set, Stop> {
    let id = &model.descriptor().id;
    let library = Library::discover(&SearchPath::standard(folders))?;
    let others = library.models().iter().map(|other| other.descriptor()).filter(|other| other.id != *id);
    let descriptors: Vec<_> = std::iter::once(model.descriptor()).chain(others).collect();
    let loaded = tuff_scene::load(scene, &[], &descriptors).map_err(Stop::bad_input)?;
    let wrong = |what: String| Stop::bad_input(format!("--scene {}: {what}", scene.display()));
    let all = || loaded.scene.materials.iter();
    let names = |of: &str| {
        let names: Vec<_> =
            all().filter(|m| of.is_empty() || m.model == of).map(|m| m.name.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let mut suited = all().filter(|m| material.map_or(m.model == *id, |name| m.name == name));
    let found = match (suited.next(), suited.next(), material) {
        (Some(one), None, _) if one.model == *id => one,
        (Some(other), None, _) => {
            return Err(wrong(format!(
                "material `{}` is of the model {}, not {id}",
                other.name, other.model
            )));
        }
        (None, _, Some(name)) => {
            return Err(wrong(format!("it has no material `{name}`; it has {}", names(""))));
        }
        (None, _, None) => return Err(wrong(format!("it has no material of the model {id}"))),
        (Some(_), Some(_), _) => {
            return Err(wrong(format!(
                "several materials are of this model; choose with --material: {}",
                names(id)
            )));
        }
    };
    let values = changed(model, found.parameters.clone(), changes, "--params")?;
    let constants = model.prepare(&values).map_err(|error| {
        wrong(format!(
            "material `{}`: {}; what a run finds from the whole scene, --params has to give",
            found.name, error.message
        ))
    })?;
    Ok(Set { origin: Some(format!("{} of {}", found.name, scene.display())), values, constants })
}

/// Returns the second set: another preset, or the first set, with changes.
pub fn second(
    model: &Model,
    first: &Set,
    preset: Option<&str>,
    changes: &[Assignment],
) -> Result<Option<Set>, Stop> {
    let second = match preset {
        Some(name) => from_preset(model, name, "--compare-preset", changes, "--compare")?,
        None if changes.is_empty() => return Ok(None),
        None => prepared(model, first.origin.clone(), first.values.clone(), changes, "--compare")?,
    };
    if first.values.iter().zip(&second.values).all(|(a, b)| a.to_bits() == b.to_bits()) {
        return Err(Stop::bad_input("both parameter sets are the same: there is nothing to compare"));
    }
    Ok(Some(second))
}

/// Formats `name = value unit` of each parameter in which the sets differ, or of all if there is no other set; absent ones are left out.
pub fn described(model: &Model, set: &Set, other: Option<&Set>) -> String {
    let parameters = model.descriptor().parameters.iter().zip(&set.values).enumerate();
    let differs =
        |index: usize, value: f64| other.is_none_or(|other| value.to_bits() != other.values[index].to_bits());
    let wanted = parameters.filter(|(index, (_, value))| !value.is_nan() && differs(*index, **value));
    let texts: Vec<_> = wanted.map(|(_, (parameter, &value))| shown(parameter, value)).collect();
    if texts.is_empty() { "nothing else".to_owned() } else { texts.join(", ") }
}

/// Formats `name = value unit` of each parameter in which the sets agree.
pub fn shared(model: &Model, set: &Set, other: &Set) -> String {
    let parameters = model.descriptor().parameters.iter().zip(set.values.iter().zip(&other.values));
    let same = parameters.filter(|(_, (a, b))| a.to_bits() == b.to_bits() && !a.is_nan());
    same.map(|(parameter, (&value, _))| shown(parameter, value)).collect::<Vec<_>>().join(", ")
}

fn shown(parameter: &Parameter, value: f64) -> String {
    let value = match &parameter.kind {
        ParameterKind::Number => number(value),
        ParameterKind::Boolean => (value != 0.0).to_string(),
        ParameterKind::Choice(words) => words.get(value as usize).cloned().unwrap_or_default(),
    };
    match parameter.unit.as_str() {
        "-" => format!("{} = {value}", parameter.name),
        unit => format!("{} = {value} {unit}", parameter.name),
    }
}

/// Returns the names of the presets that ship for a model.
fn presets_of(id: &str) -> impl Iterator<Item = &'static str> {
    tuff_scene::presets().filter(move |preset| preset.model() == id).map(|preset| preset.name)
}

fn defaults(model: &Model) -> Vec<f64> {
    model.descriptor().parameters.iter().map(|p| p.default.unwrap_or(f64::NAN)).collect()
}

fn from_preset(
    model: &Model,
    name: &str,
    option: &str,
    changes: &[Assignment],
    changed_by: &str,
) -> Result<Set, Stop> {
    let id = &model.descriptor().id;
    let text = if name.ends_with(".toml") {
        std::fs::read_to_string(Path::new(name))
            .map_err(|error| Stop::bad_input(format!("{option} {name}: cannot read the file: {error}")))?
    } else {
        let found = tuff_scene::presets().find(|preset| preset.name == name);
        let known = || presets_of(id);
        let unknown = || {
            let names = known().collect::<Vec<_>>().join(", ");
            let meant = tuff_scene::nearest(name, known());
            let meant = meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
            let allowed =
                if names.is_empty() { "none; a file NAME.toml may be given".to_owned() } else { names };
            Stop::bad_input(format!(
                "{option} {name}: no preset has this name; those of {id}: {allowed}{meant}"
            ))
        };
        found.ok_or_else(unknown)?.text.to_owned()
    };
    let wrong = |what: String| Stop::bad_input(format!("{option} {name}: {what}"));
    let table: toml::Table = text.parse().map_err(|error| wrong(format!("{error}")))?;
    match table.get("model").and_then(toml::Value::as_str) {
        Some(wanted) if wanted == id => {}
        Some(other) => return Err(wrong(format!("it is for the model {other}, not {id}"))),
        None => return Err(wrong("it has no model".to_owned())),
    }
    let mut values = defaults(model);
    // Keys that are not parameters (density, help, ...) belong to the scene.
    for (index, parameter) in model.descriptor().parameters.iter().enumerate() {
        if let Some(value) = table.get(&parameter.name) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            values[index] = read(parameter, &text).ok_or_else(|| {
                wrong(format!("{} = {text}: allowed is {}", parameter.name, parameter.range()))
            })?;
        }
    }
    prepared(model, Some(name.to_owned()), values, changes, changed_by)
}

/// Applies changes to values.
fn changed(
    model: &Model,
    mut values: Vec<f64>,
    changes: &[Assignment],
    option: &str,
) -> Result<Vec<f64>, Stop> {
    let descriptor = model.descriptor();
    for (name, text) in changes {
        let wrong = |what: String| Stop::bad_input(format!("{option} {name}={text}: {what}"));
        let Some(index) = descriptor.parameter_index_by_alias(name) else {
            let names = descriptor
                .parameters
                .iter()
                .flat_map(|p| std::iter::once(p.name.as_str()).chain(p.aliases.iter().map(String::as_str)));
            let meant = tuff_scene::nearest(name, names);
            let meant = meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
            let known: Vec<_> = descriptor.parameters.iter().map(|p| p.name.as_str()).collect();
            return Err(wrong(format!(
                "{} has no parameter `{name}`; it has {}{meant}",
                descriptor.id,
                known.join(", ")
            )));
        };
        let parameter = &descriptor.parameters[index];
        values[index] = match text.as_str() {
            "none" => f64::NAN,
            text => read(parameter, text)
                .filter(|&value| parameter.accepts(value))
                .ok_or_else(|| wrong(format!("allowed is {}", parameter.range())))?,
        };
    }
    Ok(values)
}

/// Applies changes to values, checks and prepares them.
fn prepared(
    model: &Model,
    origin: Option<String>,
    values: Vec<f64>,
    changes: &[Assignment],
    option: &str,
) -> Result<Set, Stop> {
    let values = changed(model, values, changes, option)?;
    let descriptor = model.descriptor();
    let constants = model.prepare(&values).map_err(|error| {
        let hint = match (&origin, option) {
            (None, "--params") => match presets_of(&descriptor.id).collect::<Vec<_>>() {
                presets if presets.is_empty() => String::new(),
                presets => format!("; or start from a --preset: {}", presets.join(", ")),
            },
            (Some(_), _) => "; the preset gives the rest, NAME=none removes a value".to_owned(),
            _ => "; NAME=none removes a value".to_owned(),
        };
        Stop::bad_input(format!("{option}: {}{hint}", error.message))
    })?;
    Ok(Set { origin, values, constants })
}

/// Parses a number, `true` or `false`, or one of the words.
fn read(parameter: &Parameter, text: &str) -> Option<f64> {
    match &parameter.kind {
        ParameterKind::Boolean => text.parse::<bool>().ok().map(|on| f64::from(u8::from(on))),
        ParameterKind::Choice(words) => words.iter().position(|word| word == text).map(|index| index as f64),
        ParameterKind::Number => text.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}
