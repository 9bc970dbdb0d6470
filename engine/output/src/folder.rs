//! The folder of a run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tuff_problem::{Frame, Surroundings};
use tuff_scene::{Camera, FrameFormat, Scene};

use crate::atomic::{self, TEMPORARY_PREFIX};
use crate::cloth;
use crate::columns::FrameLayout;
use crate::error::OutputError;
use crate::json;
use crate::lock::FolderLock;
use crate::manifest::{FrameRecord, Manifest, Status};
use crate::preview::Picture;
use crate::rigid::{self, rigid_name};
use crate::{usd_stage, vtk};

/// Files of a failed run, relative to its folder: the report, and the particles around the first bad one.
pub const FAILURE_FILES: [&str; 2] = ["failure/failure.json", "failure/surroundings.ply"];

/// Folder and extension of checkpoints.
pub(crate) const CHECKPOINTS: (&str, &str) = ("checkpoints", "checkpoint");

/// Longest time that an ending process waits for a write of the manifest.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// What to do with frames that a folder already contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldFrames {
    /// Refuse to run.
    Refuse,
    /// Replace them.
    Replace,
    /// Continue after one of them.
    Continue,
}

/// The folder that a run writes to.
#[derive(Debug)]
pub struct OutputFolder {
    pub(crate) root: PathBuf,
    pub(crate) scene_name: String,
    old: OldFrames,
    pub(crate) old_files: Vec<PathBuf>,
    /// Manifest as last written; locked during a write.
    manifest: Arc<Mutex<Option<Value>>>,
    /// Held only to keep the lock.
    _lock: Option<FolderLock>,
}

impl OutputFolder {
    /// Inspects `root` without changing anything.
    ///
    /// # Errors
    /// [`OutputError::HoldsFrames`] if the folder holds frames and `old` refuses them; [`OutputError::ReadFolder`] if it exists
    /// but cannot be read.
    pub fn inspect(root: &Path, scene_name: &str, old: OldFrames) -> Result<Self, OutputError> {
        let mut old_files = Vec::new();
        for (folder, extension) in [
            ("particles", "ply"),
            ("particles", "vtp"),
            ("particles", "usda"),
            ("preview", "png"),
            ("rigid", "json"),
            ("cloth", "ply"),
            CHECKPOINTS,
        ] {
            old_files.extend(frame_files(&root.join(folder), extension)?);
        }
        let frames: Vec<_> =
            old_files.iter().filter_map(|f| f.file_name()).map(|n| n.to_string_lossy()).collect();
        let whole = frames.into_iter().filter(|n| !n.starts_with(TEMPORARY_PREFIX));
        let (checkpoints, mut frames): (Vec<_>, Vec<_>) = whole.partition(|n| n.ends_with(CHECKPOINTS.1));
        if frames.is_empty() {
            frames = checkpoints;
        }
        if let Some(example) = frames.first().filter(|_| old == OldFrames::Refuse) {
            return Err(OutputError::HoldsFrames {
                folder: root.to_owned(),
                count: frames.len(),
                example: example.to_string(),
            });
        }
        old_files.extend(FAILURE_FILES.iter().map(|name| root.join(name)).filter(|path| path.exists()));
        let (root, scene_name) = (root.to_owned(), scene_name.to_owned());
        Ok(Self { root, scene_name, old, old_files, manifest: Arc::default(), _lock: None })
    }

    /// Creates the folder and its sub-folders, and keeps other runs out of it from here on. Inspects the folder again, since
    /// another run may have written to it after [`OutputFolder::inspect`].
    ///
    /// # Errors
    /// [`OutputError::CreateFolder`]; [`OutputError::InUse`] if another run writes there; those of [`OutputFolder::inspect`].
    pub fn create(&mut self) -> Result<(), OutputError> {
        for folder in ["particles", "preview"] {
            let path = self.root.join(folder);
            fs::create_dir_all(&path).map_err(|source| OutputError::CreateFolder { path, source })?;
        }
        let lock = FolderLock::take(&self.root)?;
        *self = Self { _lock: Some(lock), ..Self::inspect(&self.root, &self.scene_name, self.old)? };
        Ok(())
    }

    /// Removes the frames and the failure report that [`OutputFolder::inspect`] found, so that files of two runs never stand side
    /// by side.
    ///
    /// # Errors
    /// [`OutputError::Remove`].
    pub fn remove_old_frames(&mut self) -> Result<(), OutputError> {
        for path in self.old_files.drain(..) {
            fs::remove_file(&path).map_err(|source| OutputError::Remove { path, source })?;
        }
        Ok(())
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the file of frame `index`, relative to the folder.
    pub fn frame_name(&self, format: FrameFormat, index: u32) -> String {
        format!("particles/{}.{index:04}.{}", self.scene_name, extension(format))
    }

    /// Returns the preview of frame `index`, relative to the folder.
    pub fn preview_name(&self, index: u32) -> String {
        format!("preview/{}.{index:04}.png", self.scene_name)
    }

    /// Writes the particles of a frame.
    ///
    /// # Errors
    /// [`OutputError::Write`]; the file is then absent.
    pub fn write_frame(
        &self,
        format: FrameFormat,
        layout: &FrameLayout,
        frame: &Frame,
    ) -> Result<(), OutputError> {
        let path = self.root.join(self.frame_name(format, frame.index));
        atomic::write_file(&path, |out| match format {
            FrameFormat::Ply => layout.write(frame, out),
            FrameFormat::Vtk => layout.write_vtk(frame, out),
            FrameFormat::Usd => layout.write_usd(frame, out),
        })
    }

    /// Returns the rigid bodies of frame `index`, relative to the folder.
    pub fn rigid_name(&self, index: u32) -> String {
        rigid_name(&self.scene_name, index)
    }

    /// Writes the rigid bodies of a frame, `rigid/<scene>.<frame>.json`.
    ///
    /// # Errors
    /// [`OutputError::CreateFolder`] and [`OutputError::Write`].
    pub fn write_rigid(&self, scene: &Scene, frame: &Frame) -> Result<(), OutputError> {
        let path = self.root.join("rigid");
        fs::create_dir_all(&path).map_err(|source| OutputError::CreateFolder { path, source })?;
        let record = rigid::record(scene, frame);
        let path = self.root.join(self.rigid_name(frame.index));
        atomic::write_file(&path, |out| out.write_all(json::pretty(&record).as_bytes()))
    }

    /// Writes the cloth of a frame, `cloth/<name>.<frame>.ply`; returns the files, relative to the folder.
    ///
    /// # Errors
    /// [`OutputError::CreateFolder`] and [`OutputError::Write`].
    pub fn write_cloth(&self, scene: &Scene, frame: &Frame) -> Result<Vec<String>, OutputError> {
        let mut files = Vec::new();
        for sheet in cloth::cloths(scene) {
            let path = self.root.join("cloth");
            fs::create_dir_all(&path).map_err(|source| OutputError::CreateFolder { path, source })?;
            let file = cloth::cloth_name(sheet.name, frame.index);
            atomic::write_file(&self.root.join(&file), |out| cloth::write(&sheet, frame, out))?;
            files.push(file);
        }
        Ok(files)
    }

    /// Writes the time lines of the frames in `records` for formats that have one: `particles/<scene>.pvd` and
    /// `particles/<scene>.usda`.
    ///
    /// # Errors
    /// [`OutputError::Write`]; the old file is then untouched.
    pub fn write_time_lines(
        &self,
        scene: &Scene,
        layout: &FrameLayout,
        camera: Option<Camera>,
        records: &[FrameRecord],
    ) -> Result<(), OutputError> {
        for &format in &scene.output.particles {
            let beside = |index| {
                let name = self.frame_name(format, index);
                name.strip_prefix("particles/").unwrap_or(&name).to_owned()
            };
            let (ending, text) = match format {
                FrameFormat::Ply => continue,
                FrameFormat::Vtk => {
                    let frames: Vec<_> = records.iter().map(|r| (r.time, beside(r.frame))).collect();
                    ("pvd", vtk::collection(&frames))
                }
                FrameFormat::Usd => {
                    let frames: Vec<_> = records.iter().map(|r| (r.frame, beside(r.frame))).collect();
                    // A frame whose file someone has removed has no place; the stage is still of use.
                    let rigid = |r: &FrameRecord| {
                        let name = rigid::file_among(&r.files)?;
                        Some((r.frame, rigid::read(&self.root.join(name)).ok()?))
                    };
                    let rigid: Vec<_> = records.iter().filter_map(rigid).collect();
                    ("usda", usd_stage::stage(scene, layout, camera, &frames, &rigid))
                }
            };
            let path = self.root.join(format!("particles/{}.{ending}", self.scene_name));
            atomic::write_file(&path, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    }

    /// Writes the preview of frame `index`.
    ///
    /// # Errors
    /// [`OutputError::Write`]; the file is then absent.
    pub fn write_preview(&self, index: u32, picture: &Picture) -> Result<(), OutputError> {
        let path = self.root.join(self.preview_name(index));
        picture.save(&path)
    }

    /// Writes [`FAILURE_FILES`]: a record of the failure, and the particles around it.
    ///
    /// # Errors
    /// [`OutputError::CreateFolder`] and [`OutputError::Write`].
    pub fn write_failure(
        &self,
        record: &Value,
        layout: &FrameLayout,
        surroundings: &Surroundings,
    ) -> Result<(), OutputError> {
        let [report, particles] = FAILURE_FILES.map(|name| self.root.join(name));
        let path = self.root.join("failure");
        fs::create_dir_all(&path).map_err(|source| OutputError::CreateFolder { path, source })?;
        atomic::write_file(&particles, |out| layout.write_some(surroundings, out))?;
        atomic::write_file(&report, |out| out.write_all(json::pretty(record).as_bytes()))
    }

    /// Replaces `run.json`.
    ///
    /// # Errors
    /// [`OutputError::Write`]; the old file is then untouched.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), OutputError> {
        let mut written = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.root.join("run.json");
        let value = serde_json::to_value(manifest)
            .map_err(|error| OutputError::Write { path: path.clone(), source: error.into() })?;
        atomic::write_file(&path, |out| out.write_all(json::pretty(&value).as_bytes()))?;
        *written = Some(value);
        Ok(())
    }

    /// Returns a closure that writes the last manifest once more with another `status`, from any thread; nothing is written after
    /// it. For a process that ends at once: it does not wait long for a write in progress, and leaves a manifest that cannot be
    /// written as it is.
    pub fn final_status_writer(&self, status: Status) -> impl FnOnce() + Send + 'static {
        let (manifest, path) = (Arc::clone(&self.manifest), self.root.join("run.json"));
        move || {
            let start = Instant::now();
            while start.elapsed() < FINAL_WRITE_TIMEOUT {
                if let Ok(mut manifest) = manifest.try_lock() {
                    if let (Some(value), Ok(status)) = (manifest.as_mut(), serde_json::to_value(&status)) {
                        value["status"] = status;
                        let _ =
                            atomic::write_file(&path, |out| out.write_all(json::pretty(value).as_bytes()));
                    }
                    std::mem::forget(manifest);
                    return;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Returns the file extension of a format.
fn extension(format: FrameFormat) -> &'static str {
    match format {
        FrameFormat::Ply => "ply",
        FrameFormat::Vtk => "vtp",
        FrameFormat::Usd => "usda",
    }
}

/// Lists frame files and leftovers of interrupted writes in `folder`, sorted by name.
pub(crate) fn frame_files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, OutputError> {
    let read_error = |source| OutputError::ReadFolder { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(e) => return Err(read_error(e)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let name = entry.map_err(read_error)?.file_name();
        if is_frame_name(&name.to_string_lossy(), extension) {
            files.push(folder.join(name));
        }
    }
    files.sort();
    Ok(files)
}

/// Returns true if a file is named like a frame, `<scene>.<digits>.<extension>`, or is an unfinished write of one.
fn is_frame_name(name: &str, extension: &str) -> bool {
    let name = name.strip_prefix(TEMPORARY_PREFIX).unwrap_or(name);
    name.strip_suffix(extension).and_then(|name| name.strip_suffix('.')).and_then(numbered).is_some()
}

/// Returns scene and digits of a file's name without its extension.
pub(crate) fn numbered(stem: &str) -> Option<(&str, &str)> {
    let (scene, digits) = stem.rsplit_once('.')?;
    let numbers = digits.len() >= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    (!scene.is_empty() && numbers).then_some((scene, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        Frame {
            index: 3,
            time: 0.0,
            position: vec![[0.0; 3]; 100_000],
            velocity: vec![[0.0; 3]; 100_000],
            material: vec![0; 100_000],
            volume_ratio: vec![1.0; 100_000],
            density: vec![1.0; 100_000],
            state: vec![[0.0; 4]; 100_000],
            strain: vec![[0.0; 6]; 100_000],
            ..Frame::default()
        }
    }

    fn layout() -> FrameLayout {
        FrameLayout::new(&[], &[]).unwrap()
    }

    #[test]
    fn frames_are_refused_or_replaced_and_other_files_stay() {
        let root = tempfile::tempdir().unwrap();
        let mut folder = OutputFolder::inspect(root.path(), "sand", OldFrames::Refuse).unwrap();
        folder.create().unwrap();
        folder.write_frame(FrameFormat::Ply, &layout(), &frame()).unwrap();
        fs::write(root.path().join("particles/notes.ply"), "mine").unwrap();
        fs::write(root.path().join("particles/sand.final.ply"), "mine").unwrap();
        fs::write(root.path().join("particles/.tuff-partial-sand.0004.ply"), "half").unwrap();
        drop(folder);

        let error = OutputFolder::inspect(root.path(), "sand", OldFrames::Refuse).unwrap_err().to_string();
        assert!(error.contains("1 frame file(s)") && error.contains("sand.0003.ply"), "{error}");
        assert!(error.contains("--overwrite"), "{error}");

        let mut again = OutputFolder::inspect(root.path(), "sand", OldFrames::Replace).unwrap();
        assert!(root.path().join("particles/sand.0003.ply").exists(), "inspecting changes nothing");
        again.create().unwrap();
        again.remove_old_frames().unwrap();
        let entries = fs::read_dir(root.path().join("particles")).unwrap();
        let mut left: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["notes.ply", "sand.final.ply"]);
    }

    #[test]
    fn frames_that_appear_while_a_scene_loads_are_seen() {
        let root = tempfile::tempdir().unwrap();
        let mut early = OutputFolder::inspect(root.path(), "sand", OldFrames::Refuse).unwrap();
        let mut other = OutputFolder::inspect(root.path(), "sand", OldFrames::Refuse).unwrap();
        other.create().unwrap();
        let error = early.create().unwrap_err();
        assert!(matches!(error, OutputError::InUse { .. }), "{error}");
        other.write_frame(FrameFormat::Ply, &layout(), &frame()).unwrap();
        drop(other);
        let error = early.create().unwrap_err();
        assert!(matches!(error, OutputError::HoldsFrames { .. }), "{error}");
    }

    #[test]
    fn a_leftover_alone_is_not_a_frame() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("particles")).unwrap();
        fs::write(root.path().join("particles/.tuff-partial-sand.0004.ply"), "half").unwrap();
        assert!(OutputFolder::inspect(root.path(), "sand", OldFrames::Refuse).is_ok());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "x").unwrap();
        let mut folder = OutputFolder::inspect(&file.join("run"), "sand", OldFrames::Refuse).unwrap();
        let error = folder.create().unwrap_err().to_string();
        assert!(error.contains("file/run/particles") && error.contains("--out"), "{error}");
    }

    #[test]
    fn a_full_disk_names_the_file_and_leaves_no_half_frame() {
        let root = tempfile::tempdir().unwrap();
        let mut folder = OutputFolder::inspect(root.path(), "sand", OldFrames::Refuse).unwrap();
        folder.create().unwrap();
        // Every write to /dev/full fails as on a full disk; the temporary name is linked to it.
        let temporary = root.path().join("particles/.tuff-partial-sand.0003.ply");
        std::os::unix::fs::symlink("/dev/full", &temporary).unwrap();
        let error = folder.write_frame(FrameFormat::Ply, &layout(), &frame()).unwrap_err().to_string();
        assert!(error.contains("sand.0003.ply") && error.contains("free some space"), "{error}");
        assert_eq!(fs::read_dir(root.path().join("particles")).unwrap().count(), 0);
    }
}
