//! Files that a run leaves on disk: frame files, preview pictures and the manifest.
//!
//! Entry points: [`OutputFolder`] owns the folder of a run and writes every file completely or not at all; [`FrameLayout`]
//! defines the columns of a PLY frame; [`Renderer`] draws the preview of a frame on the CPU; [`Manifest`] is `run.json`;
//! [`StoredRun`] reads a folder back.
//!
//! ```text
//! DIR/particles/<scene>.0001.ply     DIR/preview/<scene>.0001.png     DIR/run.json
//! DIR/failure/failure.json           DIR/failure/surroundings.ply     of a simulation that failed
//! ```

mod atomic;
mod cloth;
mod columns;
mod error;
mod failure;
mod folder;
mod json;
mod lock;
mod manifest;
mod ply;
mod preview;
mod resume;
mod rigid;
mod scene_record;
mod stored;
mod usd;
mod usd_stage;
mod vtk;

pub use columns::FrameLayout;
pub use error::OutputError;
pub use failure::{failure_record, particle_state};
pub use folder::{FAILURE_FILES, OldFrames, OutputFolder};
pub use manifest::{
    BodyRecord, EngineRecord, FrameRecord, Manifest, MaterialRecord, PluginRecord, ResumedRecord,
    RetryRecord, RunState, SourceRecord, Status,
};
pub use preview::{Picture, Renderer};
pub use scene_record::scene_record;
pub use stored::{StoredFrame, StoredRun};
