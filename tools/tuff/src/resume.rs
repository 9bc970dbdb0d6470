//! `tuff run --resume`: which checkpoint a run goes on from.

use serde_json::{Value, json};
use tuff_cli::exit::Stop;
use tuff_output::{Manifest, OutputFolder};
use tuff_problem::Problem;
use tuff_run::{Checkpoint, Difference, differences, start_hash};
use tuff_scene::Warning;

/// Most keys that a message names.
const MOST_NAMED: usize = 12;

/// What a checkpoint must be of to go on from it: the scene, and what simulates it. When the scene ends and when checkpoints are kept
/// is not in it.
pub fn identity(problem: &Problem, manifest: &Manifest) -> Value {
    let mut identity = of_manifest(&json!(manifest));
    identity["particles_at_the_start"] = json!(start_hash(problem));
    identity
}

/// The part that a manifest tells.
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

/// A checkpoint to go on from, and what has changed since it was written.
pub struct Found {
    /// Its file, relative to the folder of the run.
    pub name: String,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// What has changed, one line each.
    pub changed: Vec<String>,
    /// Newer ones that cannot be used.
    pub warnings: Vec<Warning>,
}

/// The newest whole checkpoint of a run up to frame `last`; none where the run has to begin at its beginning, which it may.
///
/// # Errors
/// Exit code 2: no checkpoint is whole, it is of another run and `anyway` does not stand, or there are frames of something else.
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
                warnings.push(Warning::apart(format!("{fault}; an older one is looked for")));
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
            "no checkpoint in {root} can be used; pass --overwrite to begin again\n  {}",
            faults.join("\n  ")
        )));
    }
    if let Some((oldest, _)) = files.last() {
        return Err(Stop::bad_input(format!(
            "the oldest checkpoint in {root} is of frame {oldest}, and the run ends with frame {last}; ask for more --frames, or \
             pass --overwrite to begin again"
        )));
    }
    if folder.held() > 0 && !begun_here(folder, identity) {
        return Err(Stop::bad_input(format!(
            "{root} holds frames, but no checkpoint, and not of this scene as it is now; choose another folder with --out, or pass \
             --overwrite to replace them"
        )));
    }
    Ok(None)
}

/// Whether the frames in the folder are of the run that is asked for.
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
        changed.iter().take(MOST_NAMED).map(|change| format!("  {change}")).collect();
    if changed.len() > MOST_NAMED {
        lines.push(format!("  and {} more", changed.len() - MOST_NAMED));
    }
    Stop::bad_input(format!(
        "{path} is of another run:\n{}\nrestore what has changed, or pass --resume-anyway to go on with what is there now: frames are then \
         not those of an uninterrupted run",
        lines.join("\n")
    ))
}
