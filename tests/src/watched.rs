//! Runs that are observed from outside while their files change.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Outcome, Place};

/// 64 particles of the C model that rest without gravity, in frames of five substeps of 2 ms. The state word `a` starts at 0.5 and grows
/// by the model's rate; frames contain it.
pub const PROBE_SCENE: &str = r#"
format = 1
[scene]
name = "drop"
gravity = [0.0, 0.0, 0.0]
[time]
frames = [1, 100000]
frame_rate = 100.0
max_substep = 2.0e-3
[solver]
kernel_radius = 0.025
iterations = 2
[[material]]
name = "water"
model = "probe"
density = 1000.0
bulk_modulus = 5000.0
[[body]]
name = "drop"
material = "water"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1] } }
sampling = { kind = "lattice", spacing = 0.025 }
[output]
attributes = ["a"]
"#;

/// Length of a frame of [`PROBE_SCENE`] [s].
pub const FRAME: f64 = 0.01;

/// Names a Vulkan device, for runs whose GLSL matters: without a GPU, the processor is the default.
pub const VULKAN: [&str; 2] = ["--device", "0"];

/// A run in the background.
pub struct Running {
    child: Child,
    events: Receiver<Value>,
}

impl Running {
    /// Starts `tuff run scene.toml --material-path plugins` and `extra` arguments.
    pub fn start(place: &Place, extra: &[&str]) -> Self {
        let arguments = ["run", "scene.toml", "--material-path", "plugins", "--progress", "json"];
        let mut child = place
            .command(&[&arguments[..], extra].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let event = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Self { child, events }
    }

    /// Returns the next event of this kind, for which it waits two minutes, whatever else the run tells.
    pub fn event(&self, kind: &str) -> Value {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let event = self.events.recv_timeout(deadline.saturating_duration_since(Instant::now()));
            let event = event.unwrap_or_else(|error| panic!("no event {kind:?}: {error}"));
            assert!(event.is_object(), "{event}");
            if event["event"] == kind {
                return event;
            }
        }
    }

    /// Asserts the next event about a material: whether something was replaced, and that it contains all of `words`. Returns the frame.
    /// Events about half-written files are skipped.
    pub fn material(&self, taken: bool, words: &[&str]) -> u64 {
        let mut event = self.event("material");
        if event["message"].as_str().unwrap().contains("being written; the next frame looks again") {
            event = self.event("material");
        }
        assert_eq!(event["taken"], taken, "{event}");
        let message = event["message"].as_str().unwrap();
        assert!(words.iter().all(|word| message.contains(word)), "{words:?} in {message}");
        event["frame"].as_u64().unwrap()
    }

    /// Waits for some frames, ends the run with Ctrl-C and returns its `run.json`.
    pub fn end(mut self, place: &Place) -> Value {
        for _ in 0..3 {
            self.event("frame");
        }
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(75));
        manifest(place)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns `run.json` of a run of [`PROBE_SCENE`].
pub fn manifest(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("out/drop/run.json")).unwrap()).unwrap()
}

/// Returns the word `a` of the first particle in a frame of a run of [`PROBE_SCENE`].
pub fn state_word(place: &Place, frame: u64) -> f64 {
    let file: PathBuf = place.path(&format!("out/drop/particles/drop.{frame:04}.ply"));
    let bytes = std::fs::read(file).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8_lossy(&bytes[..end]);
    // Each property takes four bytes.
    let word = header.lines().filter(|l| l.starts_with("property ")).position(|l| l.ends_with(" a")).unwrap();
    let first = end + 4 * word;
    f32::from_le_bytes(bytes[first..first + 4].try_into().unwrap()).into()
}

/// Asserts that the word `a` grew by `rates`, given as pairs of a first frame and an increase per second, until `last`.
pub fn assert_growth(place: &Place, rates: &[(u64, f64)], last: u64) {
    let mut expected = 0.5;
    for (index, &(from, rate)) in rates.iter().enumerate() {
        let end = rates.get(index + 1).map_or(last + 1, |next| next.0);
        for frame in from..end {
            expected += rate * FRAME;
            let found = state_word(place, frame);
            assert!((found - expected).abs() < 1e-4, "frame {frame}: {found} against {expected}");
        }
    }
}

/// Runs to the end with `plugins` on the search path and returns the outcome.
pub fn run(place: &Place, extra: &[&str]) -> Outcome {
    place.tuff(&[&["run", "scene.toml", "--material-path", "plugins"], extra].concat())
}
