//! The table `output`.

use tuff_material_sdk::descriptor::Descriptor;

use super::{keys, material};
use crate::attribute::{ATTRIBUTES, AttributeKind, FrameAttribute};
use crate::decode::{Field, Limits, Table};
use crate::defaults;
use crate::document::Value;
use crate::scene::{Camera, Checkpoints, FrameFormat, Output, Preview};

pub(super) fn output(
    root: &Table<'_>,
    models: &[&Descriptor],
    materials: &[material::Read],
) -> Option<Output> {
    let table = match root.get("output") {
        Some(field) => Some(field.table(keys::OUTPUT)?),
        None => None,
    };
    let get = |key: &str| table.as_ref().and_then(|t| t.get(key));
    let used = |model: &&&Descriptor| materials.iter().flat_map(|m| &m.material).any(|m| m.model == model.id);
    let states: Vec<&str> = models
        .iter()
        .filter(used)
        .flat_map(|d| d.states.iter().filter(|s| s.exported).map(|s| s.name.as_str()))
        .collect();
    let particles = match get("particles") {
        Some(field) => {
            let formats: Vec<_> = field.array()?.iter().map(|f| f.choice(&FrameFormat::ALL)).collect();
            let mut formats = formats.into_iter().collect::<Option<Vec<_>>>()?;
            formats.sort_by_key(|format| *format as u8);
            formats.dedup();
            formats
        }
        None => vec![FrameFormat::Ply],
    };
    let attributes = match get("attributes") {
        Some(field) => {
            let list: Vec<_> = field.array()?.iter().map(|f| attribute(f, &states)).collect();
            let mut list = list.into_iter().collect::<Option<Vec<_>>>()?;
            let mut seen = Vec::new();
            list.retain(|a| {
                !seen.contains(a) && {
                    seen.push(a.clone());
                    true
                }
            });
            list
        }
        None => defaults::ATTRIBUTES.to_vec(),
    };
    let preview = match get("preview") {
        Some(field) => match field.node.value {
            Value::Boolean(false) => None,
            Value::Boolean(true) => Some(Preview::default()),
            _ => Some(preview(&field, &states)?),
        },
        None => Some(Preview::default()),
    };
    let checkpoint = match get("checkpoint") {
        Some(field) => checkpoint(&field)?,
        None => Checkpoints::default(),
    };
    Some(Output { particles, attributes, preview, checkpoint })
}

fn checkpoint(field: &Field<'_>) -> Option<Checkpoints> {
    let table = field.table(keys::CHECKPOINT)?;
    let default = Checkpoints::default();
    let frames = |key: &str, least: u64, default: u32| match table.get(key) {
        Some(field) => field.integer(least, u32::MAX.into()).map(|v| v as u32),
        None => Some(default),
    };
    let (every, keep) = (frames("every", 0, default.every), frames("keep", 1, default.keep));
    Some(Checkpoints { every: every?, keep: keep? })
}

fn attribute(field: &Field<'_>, states: &[&str]) -> Option<FrameAttribute> {
    let word = field.string()?;
    if let Some(row) = ATTRIBUTES.iter().find(|row| row.name == word) {
        return Some(row.attribute.clone());
    }
    if states.contains(&word) {
        return Some(FrameAttribute::State(word.to_owned()));
    }
    field.unknown_word(word, ATTRIBUTES.iter().map(|row| row.name).chain(states.iter().copied()));
    None
}

fn preview(field: &Field<'_>, states: &[&str]) -> Option<Preview> {
    let table = field.table(keys::PREVIEW)?;
    let default = Preview::default();
    let pixels = |key: &str, default: u32| match table.get(key) {
        Some(field) => field.integer(Preview::EDGES[0].into(), Preview::EDGES[1].into()).map(|v| v as u32),
        None => Some(default),
    };
    let (width, height) = (pixels("width", default.width), pixels("height", default.height));
    let camera = match table.get("camera") {
        Some(field) => Some(camera(&field)?),
        None => None,
    };
    let color_by = match table.get("color_by") {
        Some(field) => Some(color(&field, states)?),
        None => None,
    };
    Some(Preview { width: width?, height: height?, camera, color_by })
}

/// Returns an attribute for coloring: a number, or a vector by its length.
fn color(field: &Field<'_>, states: &[&str]) -> Option<FrameAttribute> {
    let attribute = attribute(field, states)?;
    if matches!(attribute.kind(), AttributeKind::Symmetric | AttributeKind::Tensor) {
        let message = format!("`{}` is a tensor, which colors cannot show", attribute.name());
        field.fault(
            message,
            "take one of its invariants, for example `von_mises` or `pressure`".to_owned(),
            None,
        );
        return None;
    }
    Some(attribute)
}

fn camera(field: &Field<'_>) -> Option<Camera> {
    let table = field.table(keys::CAMERA)?;
    let eye = table.require("eye", "where the camera stands [m]").and_then(|f| f.vector("m"));
    let target_field = table.require("target", "what it looks at [m]")?;
    let target = target_field.vector("m");
    let limits = Limits { max: Camera::MAX_FOV, ..Limits::positive("degrees") };
    let fov = table.number_or("fov", limits, Camera::DEFAULT_FOV);
    let (eye, target) = (eye?, target?);
    if eye == target {
        target_field.fault("the camera looks at its own position", "must differ from `eye`", None);
        return None;
    }
    Some(Camera { eye, target, fov })
}
