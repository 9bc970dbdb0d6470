//! The command line as a user sees it: exit codes, messages, files.
//!
//! No Vulkan device is needed: runs use `--device reference`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arguments;
mod bad_plugins;
mod bad_rigid;
mod bad_scenes;
mod cloth;
mod failures;
mod fluids;
mod output;
mod paper;
mod presets;
mod preview;
mod processor;
mod profile;
mod resume;
mod rigid;
mod ropes;
mod runs;
mod steps;
#[cfg(unix)]
mod watch;

pub use tuff_tests::program::{Outcome, Place, SCENE, names};
