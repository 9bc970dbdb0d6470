//! Vulkan compute layer of Tuff: devices, attribute buffers, shader compilation and recordings. It knows no physics.
//!
//! Entry points, in the order of use: [`Device::open`], [`Store::new`] over a table of [`Attribute`]s,
//! [`Executor::new`] over [`StageDeclaration`]s, then [`Executor::run`] with a [`Recording`] for every run.
//!
//! Shaders name attributes, never bindings: `#include "attributes.glsl"` gives a stage an lvalue macro for each
//! attribute that it declares (`velocity(i)`), and `push.NAME` for push constants.
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
mod store;
mod submit;
mod transfer;

pub use attributes::{Attribute, AttributeId, Element, Memory};
pub use device::{Device, DeviceInfo, DeviceKind, DeviceOptions};
pub use error::{GpuError, Result};
pub use executor::{BuildReport, Executor, ExecutorOptions, RunOptions, RunReport, StageTime};
pub use layout::{Field, FieldType, PushField, StructLayout, layout_glsl, push_glsl};
pub use plan::{Barrier, Hazard, HazardKind, Plan, Scopes, plan};
pub use recording::{Command, Groups, MAX_GROUPS, PushConstants, Recording, StageId};
pub use stage::{Access, Specialization, StageDeclaration};
pub use store::{Store, StoreOptions};
