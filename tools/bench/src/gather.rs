//! The yardstick: `a[i] = b[c[i]]` with one vec4 per invocation and random indices within 1 MiB.

use anyhow::Result;
use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, Groups, Memory,
    PushConstants, Recording, RunOptions, Specialization, StageDeclaration, StageId, Store, StoreOptions,
};

const INVOCATIONS: u64 = 1 << 21;
const SOURCE_ELEMENTS: u64 = (1 << 20) / 16;

const fn attribute(name: &'static str, element: Element, help: &'static str) -> Attribute {
    Attribute { name, aliases: &[], element, memory: Memory::Device, help }
}

static TABLE: &[Attribute] = &[
    attribute("gathered", Element::Vec4, "Destination."),
    attribute("source", Element::Vec4, "1 MiB that is read from."),
    attribute("index", Element::Uint, "Where each invocation reads."),
];

const STAGE: StageDeclaration = StageDeclaration {
    name: "gather",
    shader: "gather.comp",
    accesses: &[
        (AttributeId(0), Access::Write),
        (AttributeId(1), Access::Read),
        (AttributeId(2), Access::Read),
    ],
    indirect: None,
};

const SHADER: &str = "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
layout(local_size_x = 64) in;
void main() {
    uint i = invocation();
    gathered(i) = source(index(i));
}
";

// The yardstick reads storage buffers on every device.
const PLAIN: StoreOptions =
    StoreOptions { addresses: false, no_texels: true, chunk_bytes: None, staging: false };

/// The kernel, ready to run.
pub struct Gather {
    store: Store,
    executor: Executor,
    recording: Recording,
}

impl Gather {
    /// Compiles the kernel and fills its arrays.
    pub fn new(device: Option<&str>) -> Result<Self> {
        let device = Device::open(device)?;
        let mut store =
            Store::with_options(&device, TABLE, &[INVOCATIONS, SOURCE_ELEMENTS, INVOCATIONS], PLAIN)?;
        // A linear congruential generator: fixed, and random enough to defeat prefetching.
        let mut state = 12_345_u32;
        let indices: Vec<u32> = (0..INVOCATIONS)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) % SOURCE_ELEMENTS as u32
            })
            .collect();
        store.upload(AttributeId(1), &vec![[1.0_f32; 4]; SOURCE_ELEMENTS as usize])?;
        store.upload(AttributeId(2), &indices)?;
        let sources = vec![("gather.comp".to_owned(), SHADER.to_owned())];
        let specialization = Specialization { sources, ..Default::default() };
        let stages = vec![(STAGE, specialization)];
        let executor = Executor::new(&device, &store, stages, ExecutorOptions::default())?;
        let mut recording = Recording::new();
        recording.dispatch(StageId(0), Groups::linear(INVOCATIONS, 64), PushConstants::NONE);
        let mut gather = Self { store, executor, recording };
        gather.seconds_per_vec4()?;
        Ok(gather)
    }

    /// Runs the kernel once and returns the time per gathered vec4 [s].
    pub fn seconds_per_vec4(&mut self) -> Result<f64> {
        let report = self.executor.run(&self.store, &self.recording, RunOptions::default())?;
        Ok(report.wall.as_secs_f64() / INVOCATIONS as f64)
    }
}
