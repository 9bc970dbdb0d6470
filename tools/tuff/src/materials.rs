//! `tuff materials [ID]`.

use std::fmt::Write;

use tuff_material_sdk::descriptor::{Claims, Initial, Parameter, ParameterKind};
use tuff_plugin::{Library, Model, Variant};
use tuff_scene::{ATTRIBUTES, AttributeRow, Preset};

use crate::args::MaterialsArgs;
use tuff_cli::exit::Stop;
use tuff_cli::{print, session};

/// Lists the models, or explains one.
pub fn materials(args: &MaterialsArgs) -> Result<(), Stop> {
    let library = session::library(&args.library)?;
    match &args.id {
        None => print::out(&list(&library)?),
        Some(id) => print::out(&explain(find(&library, id)?)),
    }
}

fn list(library: &Library) -> Result<String, Stop> {
    if library.models().is_empty() {
        return Err(Stop::bad_input(
            "no material libraries were found beside tuff or in ../lib/tuff/materials; name their folder with \
             --material-path or TUFF_MATERIAL_PATH (in the repository: cargo build --workspace)",
        ));
    }
    let mut text = String::new();
    for model in library.models() {
        let d = model.descriptor();
        let _ =
            writeln!(text, "{:<18} {:<8} {}\n{:27} {}", d.id, d.version, d.help, "", model.file().display());
        let names: Vec<_> = presets(&d.id).map(|p| p.name).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "{:27} presets: {}", "", names.join(", "));
        }
    }
    text +=
        "\nNames for output.attributes, with every model (`tuff materials ID` lists what a model adds):\n";
    for AttributeRow { name, kind, unit, help, .. } in ATTRIBUTES {
        let values = match kind.components().len() {
            0 => String::new(),
            count => format!(" [{count}]"),
        };
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        let _ = writeln!(text, "  {:<16} {help}{unit}", format!("{name}{values}"));
    }
    Ok(text)
}

/// Returns the presets of a model.
fn presets(model: &str) -> impl Iterator<Item = Preset> {
    tuff_scene::presets().filter(move |p| p.model() == model)
}

fn find<'a>(library: &'a Library, id: &str) -> Result<&'a Model, Stop> {
    library.get(id).map(AsRef::as_ref).ok_or_else(|| {
        let known: Vec<_> = library.models().iter().map(|m| m.descriptor().id.as_str()).collect();
        let known = if known.is_empty() { "none (see --material-path)".to_owned() } else { known.join(", ") };
        let mut message = format!("no constitutive model `{id}` was found; available: {known}");
        if tuff_scene::presets().any(|p| p.name == id) {
            let _ = write!(message, "\n`{id}` is a preset: tuff presets {id}");
        }
        Stop::bad_input(message)
    })
}

fn explain(model: &Model) -> String {
    let d = model.descriptor();
    let mut text = format!(
        "{} {}: {}\n\n  author     {}\n  reference  {}\n  library    {}\n  hash       {:016x}\n  GLSL       {}\n  claims     {}\n",
        d.id,
        d.version,
        d.help,
        d.author,
        d.reference,
        model.file().display(),
        model.hash(),
        model.glsl_name(),
        claims(&d.claims),
    );
    if let Variant::Tensor { branch, deformation } = d.variant {
        let carried = [(branch, "a second elastic strain"), (deformation, "the deformation gradient")];
        let carried: Vec<_> = carried.into_iter().filter(|c| c.0).map(|c| c.1).collect();
        let _ = writeln!(text, "  particles  carry {}", carried.join(" and "));
    }
    text += "\nParameters (keys of [[material]] in a scene):\n";
    for parameter in &d.parameters {
        let _ = writeln!(text, "  {:<24} {}", parameter.name, parameter.help);
        let _ = writeln!(text, "  {:<24} {}", "", allowed(parameter));
    }
    let mut presets = presets(&d.id).peekable();
    if presets.peek().is_some() {
        text += "\nPresets (`preset` of [[material]]; `tuff presets NAME` prints one):\n";
    }
    for preset in presets {
        let _ = writeln!(text, "  {:<24} {}", preset.name, preset.help());
    }
    if !d.states.is_empty() {
        text += "\nState of every particle (names for output.attributes):\n";
        for state in &d.states {
            let initial = match state.initial {
                Initial::Value(value) => format!("{value}"),
                Initial::Constant(_) => "from the parameters".to_owned(),
            };
            let exported = if state.exported { "" } else { ", not written to frames" };
            let _ = writeln!(text, "  {:<24} {}", state.name, state.help);
            let _ = writeln!(text, "  {:<24} [{}], initially {initial}{exported}", "", state.unit);
        }
    }
    text
}

/// Formats unit, range and default of a parameter.
fn allowed(parameter: &Parameter) -> String {
    let mut parts = match &parameter.kind {
        ParameterKind::Number => vec![format!("[{}]", parameter.unit), range(parameter)],
        ParameterKind::Boolean => vec!["true or false".to_owned()],
        ParameterKind::Choice(words) => {
            vec![format!(
                "one of {}",
                words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ")
            )]
        }
    };
    parts.retain(|p| !p.is_empty());
    parts.push(match (parameter.default, parameter.required) {
        (_, true) => "required".to_owned(),
        (None, false) => "optional".to_owned(),
        (Some(value), false) => match &parameter.kind {
            ParameterKind::Number => format!("default {value}"),
            ParameterKind::Boolean => format!("default {}", value != 0.0),
            ParameterKind::Choice(words) => {
                format!("default \"{}\"", words.get(value as usize).map_or("?", String::as_str))
            }
        },
    });
    parts.extend(parameter.typical.map(|value| format!("typically {value}")));
    parts.join(", ")
}

fn range(parameter: &Parameter) -> String {
    let low = match (parameter.min.is_finite(), parameter.min_exclusive) {
        (false, _) => String::new(),
        (true, true) => format!("> {}", parameter.min),
        (true, false) => format!(">= {}", parameter.min),
    };
    let high = match (parameter.max.is_finite(), parameter.max_exclusive) {
        (false, _) => String::new(),
        (true, true) => format!("< {}", parameter.max),
        (true, false) => format!("<= {}", parameter.max),
    };
    [low, high].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" and ")
}

fn claims(claims: &Claims) -> String {
    let claims = [
        (claims.isotropic, "isotropic"),
        (claims.volume_preserving, "volume-preserving"),
        (claims.rate_independent, "rate-independent"),
        (claims.dissipative, "dissipative"),
    ];
    let made: Vec<_> = claims.into_iter().filter(|c| c.0).map(|c| c.1).collect();
    if made.is_empty() { "none".to_owned() } else { made.join(", ") }
}
