//! TOML to a validated [`Scene`].

mod body;
mod cloth;
mod collider;
mod emitter;
pub(crate) mod keys;
mod material;
mod mesh;
mod mixture;
mod motion;
mod output;
mod rigid;
mod rope;
mod settings;
mod shape;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use tuff_material_sdk::descriptor::Descriptor;

use crate::decode::Context;
use crate::defaults;
use crate::document::Document;
use crate::error::{SceneError, Source, Warning};
use crate::overrides::Override;
use crate::preset;
use crate::scene::Scene;

/// Format version that this code reads.
const FORMAT: u64 = 1;

/// A valid scene, with warnings about it.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// Warnings, in file order.
    pub warnings: Vec<Warning>,
}

/// Reads the scene file at `path`, applies `overrides` in order, fills in presets and validates the result
/// against the given models.
///
/// # Errors
/// All faults found: unreadable file, malformed TOML, unknown or missing keys, wrong types, values out of range, unknown
/// materials, models or parameters, unusable presets or meshes.
pub fn load(path: &Path, overrides: &[Override], models: &[&Descriptor]) -> Result<Loaded, SceneError> {
    let text = std::fs::read_to_string(path).map_err(|error| SceneError::unreadable(path, &error))?;
    parse(&text, path, overrides, models)
}

/// Like [`load`], from a text that represents the file at `path`; relative paths in it start at the folder of `path`.
///
/// # Errors
/// Those of [`load`].
pub fn parse(
    text: &str,
    path: &Path,
    overrides: &[Override],
    models: &[&Descriptor],
) -> Result<Loaded, SceneError> {
    let mut document = Document::parse(&path.display().to_string(), text)?;
    let refused: Vec<SceneError> =
        overrides.iter().filter_map(|change| change.apply(&mut document).err()).collect();
    if !refused.is_empty() {
        return Err(SceneError::all(refused));
    }
    preset::expand(&mut document, path.parent().unwrap_or(Path::new("")))?;
    let context = Context::new(document);
    let scene = decode(&context, path, models);
    let (faults, warnings) = context.finish();
    match scene {
        Some(scene) if faults.is_empty() => Ok(Loaded { scene, warnings }),
        _ => Err(SceneError::new(faults)),
    }
}

/// Reads the whole document; `None` only after a recorded fault.
fn decode(context: &Context, path: &Path, models: &[&Descriptor]) -> Option<Scene> {
    let root = context.root(keys::ROOT);
    let format = root.require("format", "the version of the scene format, 1").and_then(|f| {
        let version = f.integer(0, u64::MAX)?;
        if version != FORMAT {
            let message = format!("scene format {version} is not known");
            f.fault(message, format!("this version of tuff reads format {FORMAT}"), None);
        }
        Some(version)
    });
    let header = settings::header(&root);
    let time = settings::time(&root);
    let found = time.is_some_and(|time| time.substep_bounds.is_some());
    let solver = settings::solver(&root, found);
    let mut materials = material::materials(&root, models);
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut bodies = body::bodies(&root, folder, &materials, solver.as_ref());
    let mut emitters = emitter::emitters(&root, folder, &materials, solver.as_ref(), &mut bodies);
    let mixtures = mixture::mixtures(&root, &materials, solver.as_ref());
    let places = body::total_last(&mut bodies);
    emitters.iter_mut().flatten().for_each(|emitter| emitter.body = places[emitter.body]);
    let sinks = emitter::sinks(&root, folder);
    rope::ropes(&root, folder, models, solver.as_ref(), &mut materials, &mut bodies);
    cloth::cloths(&root, folder, models, solver.as_ref(), &mut materials, &mut bodies);
    let pins = body::pins(&root, folder, &bodies);
    let frame_rate = time.map_or(defaults::FRAME_RATE, |time| time.frame_rate);
    let colliders = collider::colliders(&root, folder, frame_rate);
    let rigid = rigid::rigid(&root, folder);
    let output = output::output(&root, models, &materials);
    format?;
    let header = header?;
    Some(Scene {
        name: header.name,
        file: path.to_owned(),
        up: header.up,
        gravity: header.gravity,
        time: time?,
        solver: solver?,
        materials: materials.into_iter().map(|m| m.material).collect::<Option<_>>()?,
        bodies: bodies.into_iter().map(|b| b.body).collect::<Option<_>>()?,
        emitters: emitters?,
        sinks: sinks?,
        mixtures: mixtures?,
        colliders: colliders?,
        rigid: rigid?,
        pins: pins?,
        output: output?,
        source: Source { document: Some(Arc::clone(&context.document)) },
    })
}
