//! Shared by the device tests: a table, stages, a device with the validation layer.

use std::path::PathBuf;
use std::sync::Arc;
use tuff_gpu::*;

pub type Test = (&'static str, fn());

pub const COUNTER: StructLayout = StructLayout {
    name: "Counter",
    help: "Sums over all invocations.",
    fields: &[
        Field { name: "total", kind: FieldType::Uint, count: 0, help: "sum of indices" },
        Field { name: "center", kind: FieldType::Vec3, count: 0, help: "unused; 12 bytes" },
        Field { name: "largest", kind: FieldType::Uint, count: 0, help: "largest index" },
        Field { name: "histogram", kind: FieldType::Uint, count: 4, help: "indices by remainder" },
    ],
};

const fn row(name: &'static str, element: Element, memory: Memory) -> Attribute {
    Attribute { name, aliases: &[], element, memory, help: "Test data." }
}

pub static TABLE: [Attribute; 10] = [
    row("velocity", Element::Vec4, Memory::Device),
    row("position", Element::Vec4, Memory::Device),
    row("mass", Element::Float, Memory::Device),
    row("tangent", Element::Vec2, Memory::Device),
    row("neighbor", Element::Uvec2, Memory::Device),
    row("label", Element::Uvec4, Memory::Device),
    row("counter", Element::Struct(&COUNTER), Memory::HostVisible),
    row("source", Element::Uint, Memory::Device),
    row("target", Element::Uint, Memory::Device),
    row("arguments", Element::Uint, Memory::HostVisible),
];
pub const VELOCITY: AttributeId = AttributeId(0);
pub const POSITION: AttributeId = AttributeId(1);
pub const MASS: AttributeId = AttributeId(2);
pub const TANGENT: AttributeId = AttributeId(3);
pub const NEIGHBOR: AttributeId = AttributeId(4);
pub const LABEL: AttributeId = AttributeId(5);
pub const COUNT: AttributeId = AttributeId(6);
pub const SOURCE: AttributeId = AttributeId(7);
pub const TARGET: AttributeId = AttributeId(8);
pub const ARGUMENTS: AttributeId = AttributeId(9);

pub const PUSH: &[PushField] = &[
    PushField { name: "count", glsl_type: FieldType::Uint, help: "invocations that do something" },
    PushField { name: "scale", glsl_type: FieldType::Float, help: "added to positions" },
    PushField { name: "width", glsl_type: FieldType::Uint, help: "local size of the next dispatch" },
];

pub fn push(count: usize) -> PushConstants {
    PushConstants::NONE.uint(count as u32).float(0.25).uint(64)
}

pub const MIX: StageDeclaration = StageDeclaration {
    name: "mix",
    shader: "mix.comp",
    accesses: &[
        (VELOCITY, Access::Read),
        (MASS, Access::Read),
        (NEIGHBOR, Access::Read),
        (POSITION, Access::ReadWrite),
        (TANGENT, Access::Write),
        (COUNT, Access::ReadWrite),
        (LABEL, Access::ReadWrite),
    ],
    indirect: None,
};
pub const STEP: StageDeclaration = StageDeclaration {
    name: "step",
    shader: "step.comp",
    accesses: &[(SOURCE, Access::Read), (TARGET, Access::Write)],
    indirect: None,
};
pub const GROUPS: StageDeclaration = StageDeclaration {
    name: "plan_groups",
    shader: "plan_groups.comp",
    accesses: &[(ARGUMENTS, Access::Write)],
    indirect: None,
};
pub const INDEX: StageDeclaration = StageDeclaration {
    name: "index",
    shader: "index.comp",
    accesses: &[(COUNT, Access::ReadWrite), (TARGET, Access::Write)],
    indirect: Some(ARGUMENTS),
};
pub const EMPTY: StageDeclaration = StageDeclaration {
    name: "empty",
    shader: "empty.comp",
    accesses: &[(TARGET, Access::ReadWrite)],
    indirect: None,
};

/// The test shaders as virtual files, for workgroups of 64.
pub fn with_shaders(stage: StageDeclaration) -> (StageDeclaration, Specialization) {
    let sources = [
        ("mix.comp", include_str!("../shaders/mix.comp")),
        ("step.comp", include_str!("../shaders/step.comp")),
        ("plan_groups.comp", include_str!("../shaders/plan_groups.comp")),
        ("index.comp", include_str!("../shaders/index.comp")),
        ("empty.comp", include_str!("../shaders/empty.comp")),
    ];
    let sources = sources.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
    (stage, Specialization { constants: vec![(0, 64)], sources, defines: Vec::new() })
}

/// A stage with its own source.
pub fn with_source(stage: StageDeclaration, text: &str) -> (StageDeclaration, Specialization) {
    let sources = vec![(stage.shader.to_owned(), text.to_owned())];
    (stage, Specialization { sources, ..Specialization::default() })
}

pub fn device() -> Arc<Device> {
    device_with(false)
}

/// Opens a device with the validation layer, if that is installed.
pub fn device_with(markers: bool) -> Arc<Device> {
    match Device::open_with(None, DeviceOptions { validation: true, markers, ..DeviceOptions::default() }) {
        Err(GpuError::NoValidation) if std::env::var_os("TUFF_REQUIRE_GPU").is_none() => {
            Device::open_with(None, DeviceOptions { validation: false, markers, ..DeviceOptions::default() })
                .unwrap()
        }
        opened => opened.unwrap(),
    }
}

pub fn options() -> ExecutorOptions {
    ExecutorOptions { push: PUSH, cache_dir: Some(PathBuf::new()), shader_dir: None }
}

pub fn executor(device: &Arc<Device>, store: &Store, stages: &[StageDeclaration]) -> Executor {
    Executor::new(device, store, stages.iter().copied().map(with_shaders).collect(), options()).unwrap()
}

pub fn store(device: &Arc<Device>, count: u64, options: StoreOptions) -> Store {
    let mut counts = [count; TABLE.len()];
    counts[usize::from(COUNT.0)] = 1;
    counts[usize::from(ARGUMENTS.0)] = 4;
    Store::with_options(device, &TABLE, &counts, options).unwrap()
}

/// Returns a deterministic sequence (xorshift).
pub fn random(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    }
}
