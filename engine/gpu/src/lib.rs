//! Vulkan compute layer of Tuff: devices, attribute buffers, shader compilation and recordings. It knows no physics.
//!
//! Entry points, in the order of use: [`Device::open`], [`Store::new`] over a table of [`Attribute`]s,
//! [`Executor::new`] over [`StageDeclaration`]s, then [`Executor::run`] with a [`Recording`] for every run.
//!
//! Shaders name attributes, never bindings: `#include "attributes.glsl"` gives a stage an lvalue macro for each attribute that it
//! declares (`velocity(i)`), and `push.NAME` for push constants. `#include "include/launch.glsl"` provides `invocation()`, the
//! index in a launch of [`Groups::linear`]. A file is included at most once, and the extensions that the crate relies on (scalar
//! layout, buffer references, subgroup operations) are enabled in every stage.
//!
//! Environment:
//!
//! | variable | meaning |
//! |---|---|
//! | `TUFF_VALIDATION=1` | load the validation layer; its messages are errors of the call that caused them |
//! | `TUFF_MARKERS=1` | progress markers, so that a lost device tells in which stage |
//! | `TUFF_DEVICE_TIMEOUT=seconds` | time that the device may take for work submitted together, instead of an hour |
//! | `TUFF_SHADER_DIR=folder` | shaders from this folder instead of the embedded ones |
//! | `TUFF_CACHE_DIR=folder` | folder of the caches (empty: none); else `$XDG_CACHE_HOME/tuff` or `~/.cache/tuff` |
//! | `TUFF_FORCE_ADDRESSES=1`, `TUFF_NO_TEXELS=1`, `TUFF_CHUNK_BYTES=n`, `TUFF_FORCE_STAGING=1` | [`StoreOptions`], for tests |
#![allow(unsafe_code, reason = "Vulkan is called through ash")]

mod attributes;
mod buffer;
mod cache;
mod compile;
mod device;
mod error;
mod executor;
mod instance;
mod layout;
mod pipeline;
mod plan;
mod reach;
mod recording;
mod sources;
mod stage;
mod statistics;
mod store;
mod submit;
mod transfer;

pub use attributes::{Attribute, AttributeId, Element, Memory};
pub use cache::cache_folder;
pub use device::{Device, DeviceInfo, DeviceKind, DeviceOptions, TIMEOUT};
pub use error::{GpuError, Result};
pub use executor::{BuildReport, Executor, ExecutorOptions, RunOptions, RunReport, StageTime};
pub use layout::{Field, FieldType, PushField, StructLayout, layout_glsl, push_glsl};
pub use plan::{Barrier, Hazard, HazardKind, Plan, Scopes, plan};
pub use recording::{Command, Groups, MAX_GROUPS, PushConstants, Recording, StageId};
pub use sources::is_engine_source;
pub use stage::{Access, Specialization, StageDeclaration};
pub use statistics::Statistic;
pub use store::{Store, StoreOptions};

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulations are moved between threads.
    #[test]
    fn handles_are_send() {
        fn send<T: Send>() {}
        send::<Executor>();
        send::<Store>();
        send::<std::sync::Arc<Device>>();
    }
}
