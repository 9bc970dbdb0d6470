//! The program as a user runs it: a folder with a scene, commands in it, and their outcomes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The smallest scene: 64 particles, three frames of five substeps.
pub const SCENE: &str = r#"
format = 1
[scene]
name = "cube"
[time]
frames = [1, 3]
frame_rate = 100.0
max_substep = 2.0e-3
[solver]
kernel_radius = 0.025
iterations = 2
[[material]]
name = "sand"
model = "drucker_prager"
density = 1600.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3
friction_angle = 35.0
[[body]]
name = "cube"
material = "sand"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1] } }
sampling = { kind = "lattice", spacing = 0.025 }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
[output]
preview = { width = 64, height = 36 }
"#;

/// A temporary folder with `scene.toml` in it.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// Creates a folder with this scene.
    pub fn with(scene: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("scene.toml"), scene).unwrap();
        Self { folder }
    }

    /// Creates a folder with [`SCENE`] in which `from` is replaced by `to`.
    pub fn changed(from: &str, to: &str) -> Self {
        assert_eq!(SCENE.matches(from).count(), 1, "{from:?} is not unique in the scene");
        Self::with(&SCENE.replace(from, to))
    }

    /// Returns a path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds a command that starts in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(tuff());
        command.args(arguments).current_dir(self.folder.path());
        command.env_remove("TUFF_MATERIAL_PATH");
        command
    }

    /// Runs `tuff` to its end.
    pub fn tuff(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(self.command(arguments).output().unwrap())
    }
}

/// Outcome of a command.
#[derive(Debug)]
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// Text on stdout.
    pub stdout: String,
    /// Text on stderr.
    pub stderr: String,
}

impl Outcome {
    /// Returns the outcome of a process that has ended.
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Asserts that the command succeeded and printed `words` on stdout.
    pub fn stdout_says(&self, words: &str) {
        self.expect(0, &[]);
        assert!(self.stdout.contains(words), "{words:?} is missing from:\n{}", self.stdout);
    }

    /// Asserts the exit code, and that the message contains all of `words` and no sign of a panic.
    pub fn expect(&self, code: i32, words: &[&str]) -> &Self {
        assert_eq!(self.code, code, "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing from:\n{}", self.stderr);
        }
        assert!(
            !self.stderr.contains("panicked") && !self.stderr.contains("internal error"),
            "{}",
            self.stderr
        );
        self
    }
}

/// Returns the program, which `cargo build --workspace` puts beside the tests.
pub fn tuff() -> PathBuf {
    let test = env::current_exe().unwrap();
    let name = format!("tuff{}", env::consts::EXE_SUFFIX);
    let program = test.ancestors().nth(2).map(|folder| folder.join(name)).unwrap();
    assert!(program.exists(), "{} is missing: cargo build --workspace", program.display());
    program
}

/// Returns the names of the files in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A column of sand on a floor with a substep 100 times too long: it fails in its fourth frame, with three frames on disk, and the fourth
/// begins with the failing substep.
pub const OVERSTEPPED: &str = r#"
format = 1
[scene]
name = "sand"
[time]
frames = [1, 8]
frame_rate = 25.0
max_substep = 4.0e-2
[solver]
kernel_radius = 0.025
xsph = 0.01
iterations = 8
[[material]]
name = "sand"
model = "drucker_prager"
density = 1600.0
youngs_modulus = 3.5e5
poisson_ratio = 0.3
friction_angle = 35.0
[[body]]
name = "column"
material = "sand"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.15, 0.3, 0.15] } }
sampling = { kind = "lattice", spacing = 0.025 }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
friction = 0.35
[output]
attributes = ["velocity", "id", "J"]
preview = { width = 64, height = 36 }
"#;
