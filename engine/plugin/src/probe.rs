//! Loads libraries in a separate process first.
//!
//! Loading runs a library's initializers, and the system's loader trusts a file's own headers: a library that aborts, crashes or
//! ends the process would take a run with it. Libraries that survived are remembered by the hash of their content.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::watchdog::DEADLINE;
use crate::{Model, PluginError, content_hash, image};

/// Environment variables of the loading process: the library's file, and the file for its answer.
const LIBRARY: &str = "TUFF_PROBE_LIBRARY";
const ANSWER: &str = "TUFF_PROBE_ANSWER";
/// Longer than the process itself waits for a library that does not return.
const PATIENCE: Duration = Duration::from_secs(2 * DEADLINE);
const POLL: Duration = Duration::from_millis(2);

/// Tries libraries in another process.
#[derive(Clone, Debug)]
pub struct Probe {
    program: PathBuf,
    memory: Option<PathBuf>,
}

impl Probe {
    /// Creates a probe that tries libraries with this program, which has to call [`answer`] before anything else, and remembers
    /// survivors in the folder `memory`. `None` if the system does not tell which program this is.
    pub fn new(memory: Option<PathBuf>) -> Option<Self> {
        Some(Self { program: std::env::current_exe().ok()?, memory })
    }

    /// Loads the model of the library `content`, read from `file`, like [`Model::load`]; another process loads it first.
    ///
    /// # Errors
    /// Those of [`Model::load`], and [`PluginError::Crashes`].
    pub fn load(&self, file: &Path, content: Vec<u8>) -> Result<Model, PluginError> {
        let hash = content_hash(&content);
        if !self.remembers(hash) {
            // If the program cannot be started (too many processes), the library is not at fault.
            if let Ok(tried) = self.attempt(file, hash) {
                tried?;
            }
        }
        Model::load(file, content)
    }

    /// Tests if the library survives being loaded by another process; fails if none can be started.
    fn attempt(&self, file: &Path, hash: u64) -> io::Result<Result<(), PluginError>> {
        // Private copies of libraries that end the process lie in this folder and are removed with it.
        let folder = image::private_folder()?;
        let answer = folder.path().join("answer");
        let mut child = Command::new(&self.program)
            .env(LIBRARY, fs::canonicalize(file)?)
            .env(ANSWER, &answer)
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let Some(status) = wait(&mut child)? else {
            return Ok(Err(PluginError::Hangs { path: file.to_path_buf() }));
        };
        match fs::read_to_string(&answer) {
            Ok(answer) if status.success() && answer == survived(hash) => self.remember(hash),
            // The library rejects, hangs or was changed meanwhile: loading it again reports which.
            Ok(_) if status.success() => {}
            _ => return Ok(Err(PluginError::Crashes { path: file.to_path_buf(), how: end(status) })),
        }
        Ok(Ok(()))
    }

    fn remembers(&self, hash: u64) -> bool {
        let Some(file) = self.marker(hash) else { return false };
        let mut content = String::new();
        // Files other than regular ones (a pipe, a device) might never end.
        let whole = fs::metadata(&file).is_ok_and(|data| data.is_file() && data.len() < 64)
            && File::open(&file).and_then(|mut file| file.read_to_string(&mut content)).is_ok();
        whole && content == survived(hash)
    }

    fn remember(&self, hash: u64) {
        let Some(file) = self.marker(hash) else { return };
        // If writing fails, the library is just tried again next time.
        let _ =
            file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, survived(hash)));
    }

    fn marker(&self, hash: u64) -> Option<PathBuf> {
        self.memory.as_ref().map(|folder| folder.join(format!("library-{hash:016x}")))
    }
}

/// Returns true if this process was started to try a library; the trial is then done, and the process should exit.
pub fn answer() -> bool {
    let Some(file) = std::env::var_os(LIBRARY).map(PathBuf::from) else { return false };
    let Some(answer) = std::env::var_os(ANSWER) else { return true };
    let text = match fs::read(&file) {
        Ok(content) => {
            let hash = content_hash(&content);
            Model::load(&file, content).map_or_else(|error| error.to_string(), |_| survived(hash))
        }
        Err(error) => error.to_string(),
    };
    // A failure to write shows as a missing answer.
    let _ = fs::write(answer, text);
    true
}

fn survived(hash: u64) -> String {
    format!("{hash:016x} was loaded\n")
}

/// Returns how the process ended; `None` if it had to be killed.
fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(POLL);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn end(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("by signal {signal}");
    }
    status.code().map_or_else(|| "abnormally".to_owned(), |code| format!("with exit code {code}"))
}
