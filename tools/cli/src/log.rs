//! Log messages of libraries (compiler warnings of a model's GLSL, for example), written to stderr in the style of the program.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::print;

/// Environment variable with a filter: a level or levels by module, for example `debug` or `warn,tuff_gpu=debug`.
const VARIABLE: &str = "TUFF_LOG";

/// How messages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Style {
    /// Plain lines.
    Plain,
    /// JSON objects with the event `warning`.
    Json,
    /// No output.
    Silent,
}

static STYLE: AtomicU8 = AtomicU8::new(Style::Plain as u8);

/// Sets how messages are shown from now on.
pub fn set_style(style: Style) {
    STYLE.store(style as u8, Ordering::Relaxed);
}

/// Subscribes to messages: warnings and errors, or what `TUFF_LOG` selects.
pub(crate) fn subscribe() {
    let chosen = std::env::var(VARIABLE).ok().and_then(|text| text.parse::<Targets>().ok());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Lines)
        .with_ansi(false)
        .with_level(false)
        .with_target(false)
        .without_time();
    let filter = chosen.unwrap_or_else(|| Targets::new().with_default(LevelFilter::WARN));
    // Fails only if a subscriber is already installed, which then stays.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
}

/// Writes each message as one note.
struct Lines;

struct Line(Vec<u8>);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Vec::new())
    }
}

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.0);
        let text = text.trim_end();
        let style = STYLE.load(Ordering::Relaxed);
        if text.is_empty() || style == Style::Silent as u8 {
            return;
        }
        if style == Style::Json as u8 {
            print::note(&serde_json::json!({ "event": "warning", "message": text }).to_string());
        } else {
            print::note(&format!("warning: {text}"));
        }
    }
}
