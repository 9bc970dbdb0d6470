//! `tuff run --resume`: chooses the checkpoint to continue from.

use serde_json::{Value, json};
use tuff_cli::exit::Stop;
use tuff_output::{Manifest, OutputFolder};
use tuff_problem::Problem;
use tuff_run::{Checkpoint, Difference, differences, start_hash};
use tuff_scene::Warning;

/// Maximum number of keys that a message lists.
const MAX_LISTED: usize = 12;

/// Identity that a checkpoint must match: the scene and everything that simulates it, except the last frame and the checkpoint settings.
pub fn identity(problem: &Problem, manifest: &Manifest) -> Value {
    let mut identity = of_manifest(&json!(manifest));
    identity["particles_at_the_start"] = json!(start_hash(problem));
    identity
}

/// The part of the identity that a manifest contains.
fn of_manifest(manifest: &Value) -> Value {
    let mut identity = manifest["scene"].clone();
    identity["time"]["frames"] = manifest["scene"]["time"]["frames"][0].clone();
    if let Some(output) = identity["output"].as_object_mut() {
        output.remove("checkpoint");
    }
    let library = |material: &Value| {
        let mut plugin = material["plugin"].clone();
        plugin["name"] = material["name"].clone();
        plugin
    };
    let materials = manifest["materials"].as_array();
    identity["library"] = materials.into_iter().flatten().map(library).collect();
    identity["tuff"] = manifest["engine"].clone();
    identity["device"] = manifest["device"].clone();
    identity
}

/// A checkpoint to continue from.
pub struct Found {
    /// File name relative to the run's folder.
    pub name: String,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Accepted changes since it was written, one line each.
    pub changed: Vec<String>,
    /// Warnings about newer checkpoints that are unusable.
    pub warnings: Vec<Warning>,
}

/// Finds the newest intact checkpoint up to frame `last`; `None` if the run may and must start from its first frame.
///
/// # Errors
/// Exit code 2 if no checkpoint is intact, if it belongs to another run and `anyway` is false, or if the folder contains other frames.
pub fn find(folder: &OutputFolder, identity: &Value, last: u32, anyway: bool) -> Result<Option<Found>, Stop> {
    let root = folder.root().display();
    let files = folder.checkpoints()?;
    let (mut warnings, mut faults) = (Vec::new(), Vec::new());
    for (index, path) in files.iter().filter(|(index, _)| *index <= last) {
        let content = std::fs::read(path).map_err(|error| format!("it cannot be read: {error}"));
        let checkpoint = content.and_then(|file| Checkpoint::read(&file).map_err(|error| error.to_string()));
        let checkpoint = match checkpoint {
            Ok(checkpoint) => checkpoint,
            Err(fault) => {
                let fault = format!("{}: {fault}", path.display());
                warnings.push(Warning::apart(format!("{fault}; trying an older one")));
                faults.push(fault);
                continue;
            }
        };
        let changed = differences(&checkpoint.identity, identity);
        if !(changed.is_empty() || anyway) {
            return Err(changed_stop(&path.display().to_string(), &changed));
        }
        let changed = changed.iter().map(Difference::to_string).collect();
        return Ok(Some(Found { name: folder.checkpoint_name(*index), checkpoint, changed, warnings }));
    }
    if !faults.is_empty() {
        return Err(Stop::bad_input(format!(
            "no checkpoint in {root} is usable; pass --overwrite to start over\n  {}",
            faults.join("\n  ")
        )));
    }
    if let Some((oldest, _)) = files.last() {
        return Err(Stop::bad_input(format!(
            "the oldest checkpoint in {root} is at frame {oldest}, but the run ends at frame {last}; extend --frames, or pass \
             --overwrite to start over"
        )));
    }
    if folder.held() > 0 && !begun_here(folder, identity) {
        return Err(Stop::bad_input(format!(
            "{root} contains frames but no checkpoint, and they are not of this scene in its present form; choose another folder with \
             --out, or pass --overwrite to replace them"
        )));
    }
    Ok(None)
}

/// Whether the frames in the folder belong to the requested run.
fn begun_here(folder: &OutputFolder, identity: &Value) -> bool {
    let text = std::fs::read_to_string(folder.root().join("run.json"));
    let manifest = text.ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let mut now = identity.clone();
    if let Some(now) = now.as_object_mut() {
        now.remove("particles_at_the_start");
    }
    manifest.is_some_and(|manifest| differences(&of_manifest(&manifest), &now).is_empty())
}

fn changed_stop(path: &str, changed: &[Difference]) -> Stop {
    let mut lines: Vec<String> =
        changed.iter().take(MAX_LISTED).map(|change| format!("  {change}")).collect();
    if changed.len() > MAX_LISTED {
        lines.push(format!("  and {} more", changed.len() - MAX_LISTED));
    }
    Stop::bad_input(format!(
        "{path} belongs to another run:\n{}\nundo the changes, or pass --resume-anyway to continue with the present values; the frames will \
         then differ from those of an uninterrupted run",
        lines.join("\n")
    ))
}
