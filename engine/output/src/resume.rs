//! Checkpoints in a run's folder, and the part of a run that a resumed run keeps.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::atomic::{self, TEMPORARY_PREFIX};
use crate::error::OutputError;
use crate::folder::{CHECKPOINTS, OutputFolder, frame_files, numbered};
use crate::manifest::{FrameRecord, Manifest, ReplacedRecord, ResumedRecord, RetryRecord};

impl OutputFolder {
    /// Returns the file name of the checkpoint of frame `index`, relative to the folder.
    pub fn checkpoint_name(&self, index: u32) -> String {
        let (folder, extension) = CHECKPOINTS;
        format!("{folder}/{}.{index:04}.{extension}", self.scene_name)
    }

    /// Writes the checkpoint of frame `index` and removes all but the last `keep`.
    ///
    /// # Errors
    /// [`OutputError::Write`], the file is then absent; [`OutputError::Remove`].
    pub fn write_checkpoint(
        &self,
        index: u32,
        keep: u32,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let path = self.root.join(CHECKPOINTS.0);
        fs::create_dir_all(&path).map_err(|source| OutputError::CreateFolder { path, source })?;
        atomic::write_file(&self.root.join(self.checkpoint_name(index)), content)?;
        self.checkpoints()?.into_iter().skip(keep as usize).try_for_each(|(_, path)| remove(path))
    }

    /// Lists the scene's checkpoints, newest first, as frame numbers and files.
    ///
    /// # Errors
    /// [`OutputError::ReadFolder`].
    pub fn checkpoints(&self) -> Result<Vec<(u32, PathBuf)>, OutputError> {
        let (folder, extension) = CHECKPOINTS;
        let files = frame_files(&self.root.join(folder), extension)?;
        let of_scene = |path: PathBuf| match number(&path)? {
            (scene, index) if scene == self.scene_name => Some((index, path)),
            _ => None,
        };
        let mut found: Vec<_> = files.into_iter().filter_map(of_scene).collect();
        found.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
        Ok(found)
    }

    /// Returns the number of frame files found in the folder.
    pub fn held(&self) -> usize {
        self.old_files.iter().filter(|path| number(path).is_some()).count()
    }

    /// Removes files of frames after `index`, failure reports and partial writes.
    ///
    /// # Errors
    /// [`OutputError::Remove`].
    pub fn remove_frames_after(&mut self, index: u32) -> Result<(), OutputError> {
        let older = |path: &PathBuf| number(path).is_some_and(|(_, of_file)| of_file <= index);
        let old_files = std::mem::take(&mut self.old_files);
        old_files.into_iter().filter(|path| !older(path)).try_for_each(remove)
    }
}

fn remove(path: PathBuf) -> Result<(), OutputError> {
    fs::remove_file(&path).map_err(|source| OutputError::Remove { path, source })
}

/// Returns scene name and frame number of a complete file.
fn number(path: &Path) -> Option<(&str, u32)> {
    let (scene, digits) = numbered(path.file_stem()?.to_str()?)?;
    let whole = !scene.starts_with(TEMPORARY_PREFIX);
    Some((scene, digits.parse().ok()?)).filter(|_| whole)
}

/// The parts of an earlier `run.json` that a resumed run keeps.
#[derive(Deserialize)]
struct Earlier {
    frames: Vec<FrameRecord>,
    #[serde(default)]
    retries: Vec<RetryRecord>,
    #[serde(default)]
    materials_replaced: Vec<ReplacedRecord>,
    #[serde(default)]
    resumed: Vec<ResumedRecord>,
}

impl Manifest {
    /// Takes over the records in `run.json` for frames up to the checkpoint `from`.
    ///
    /// # Errors
    /// [`OutputError::NoRun`] if the file is missing or damaged.
    pub fn resume(&mut self, root: &Path, from: ResumedRecord) -> Result<(), OutputError> {
        let fault = |reason: String| OutputError::NoRun { folder: root.to_owned(), reason };
        let text = fs::read_to_string(root.join("run.json"))
            .map_err(|error| fault(format!("run.json cannot be read: {error}")))?;
        let mut earlier: Earlier = serde_json::from_str(&text)
            .map_err(|error| fault(format!("run.json is damaged or from another version: {error}")))?;
        let last = from.frame;
        earlier.frames.retain(|record| record.frame <= last);
        earlier.retries.retain(|record| record.frame <= last);
        earlier.materials_replaced.retain(|record| record.frame <= last);
        earlier.resumed.push(from);
        self.frames = earlier.frames;
        self.retries = earlier.retries;
        self.materials_replaced = earlier.materials_replaced;
        self.resumed = earlier.resumed;
        Ok(())
    }

    /// Lists the files of recorded frames that are missing in `root`.
    pub fn missing_files(&self, root: &Path) -> Vec<&str> {
        let files = self.frames.iter().flat_map(|record| &record.files).map(String::as_str);
        files.filter(|name| !root.join(name).is_file()).collect()
    }
}
