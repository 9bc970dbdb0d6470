//! A model's GLSL on a device: many trial strains in one launch.

use std::sync::Arc;

use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, GpuError, Groups, Memory,
    PushConstants, Recording, RunOptions, Specialization, StageDeclaration, StageId, Store,
};
use tuff_plugin::Model;

/// Where a model is evaluated.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Prepared constants of the material.
    pub constants: Vec<f64>,
    /// State words at the start of the substep.
    pub state: [f64; 4],
    /// Principal Hencky strains before the return mapping \[-\].
    pub hencky: [f64; 3],
    /// Length of the substep \[s\].
    pub dt: f64,
}

/// What a model makes of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Projected principal Hencky strains \[-\].
    pub hencky: [f64; 3],
    /// State words after the substep.
    pub state: [f64; 4],
    /// Share of the memory of non-affine motion that survives \[-\].
    pub forget: f64,
    /// Principal Kirchhoff stresses at the projected strain, with the state at the start of the substep \[Pa\].
    pub stress: [f64; 3],
    /// Energy density there \[Pa\].
    pub energy: f64,
    /// Small-strain shear and bulk modulus, with the state at the start of the substep \[Pa\].
    pub moduli: [f64; 2],
}

const fn row(name: &'static str, element: Element) -> Attribute {
    Attribute { name, element, memory: Memory::Device, help: "Evaluation of a model." }
}

static TABLE: &[Attribute] = &[
    row("constants", Element::Float),
    row("trial", Element::Vec4),
    row("before", Element::Vec4),
    row("projected", Element::Vec4),
    row("after", Element::Vec4),
    row("stress", Element::Vec4),
    row("moduli", Element::Vec4),
];

const fn id(index: u16) -> AttributeId {
    AttributeId(index)
}

const STAGE: StageDeclaration = StageDeclaration {
    name: "evaluate",
    shader: "evaluate.comp",
    accesses: &[
        (id(0), Access::Read),
        (id(1), Access::Read),
        (id(2), Access::Read),
        (id(3), Access::Write),
        (id(4), Access::Write),
        (id(5), Access::Write),
        (id(6), Access::Write),
    ],
    indirect: None,
};

/// The model's f64 functions, in the order in which the engine calls them.
pub fn evaluate_f64(model: &Model, trial: &Trial) -> Answer {
    let Trial { constants, state, hencky, dt } = trial;
    let projection = model.project(constants, state, *dt, *hencky);
    let moduli = model.moduli(constants, state);
    Answer {
        hencky: projection.hencky,
        state: projection.state,
        forget: projection.forget,
        stress: model.kirchhoff(constants, state, projection.hencky),
        energy: model.energy(constants, state, projection.hencky),
        moduli: [moduli.shear, moduli.bulk],
    }
}

/// The model's GLSL, in f32: one answer for each trial.
///
/// # Errors
/// [`GpuError::Compile`] with file and line when the model's text does not compile; whatever stops a device otherwise.
pub fn evaluate(device: &Arc<Device>, model: &Model, trials: &[Trial]) -> Result<Vec<Answer>, GpuError> {
    if trials.is_empty() {
        return Ok(Vec::new());
    }
    let count = trials.len() as u64;
    let stride = model.descriptor().constant_count.max(1);
    let counts = [count * stride as u64, count, count, count, count, count, count];
    let mut store = Store::new(device, TABLE, &counts)?;
    let constants = trials.iter().flat_map(|trial| {
        (0..stride).map(|index| trial.constants.get(index).map_or(0.0, |&value| value as f32))
    });
    store.upload(id(0), &constants.collect::<Vec<f32>>())?;
    let single = |list: [f64; 4]| list.map(|value| value as f32);
    let strains = trials.iter().map(|t| single([t.hencky[0], t.hencky[1], t.hencky[2], t.dt]));
    store.upload(id(1), &strains.collect::<Vec<_>>())?;
    store.upload(id(2), &trials.iter().map(|t| single(t.state)).collect::<Vec<_>>())?;

    let sources = vec![
        (STAGE.shader.to_owned(), shader(model, count, stride)),
        (model.glsl_name().to_owned(), model.glsl().to_owned()),
    ];
    let stages = vec![(STAGE, Specialization { sources, ..Default::default() })];
    let mut executor = Executor::new(device, &store, stages, ExecutorOptions::default())?;
    let mut recording = Recording::new();
    recording.dispatch(StageId(0), Groups::linear(count, 64), PushConstants::NONE);
    executor.run(&store, &recording, RunOptions::default())?;

    let read = |index| store.download::<[f32; 4]>(id(index), trials.len());
    let (projected, after, stress, moduli) = (read(3)?, read(4)?, read(5)?, read(6)?);
    let answer = |i: usize| {
        let double = |list: [f32; 4]| list.map(f64::from);
        let [a, b, c, forget] = double(projected[i]);
        let [x, y, z, energy] = double(stress[i]);
        let [shear, bulk, ..] = double(moduli[i]);
        Answer {
            hencky: [a, b, c],
            state: double(after[i]),
            forget,
            stress: [x, y, z],
            energy,
            moduli: [shear, bulk],
        }
    };
    Ok((0..trials.len()).map(answer).collect())
}

fn shader(model: &Model, count: u64, stride: usize) -> String {
    format!(
        "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"material.glsl\"
layout(local_size_x = 64) in;
float constant(uint c, uint i) {{ return constants(c + i); }}
#include \"{file}\"
void main() {{
    uint i = invocation();
    if (i >= {count}u) return;
    uint c = i * {stride}u;
    vec4 words = before(i);
    vec4 start = trial(i);
    vec4 kept = words;
    float forget;
    vec3 hencky = {id}_project(c, words, start.w, start.xyz, forget);
    projected(i) = vec4(hencky, forget);
    after(i) = words;
    stress(i) = vec4({id}_kirchhoff(c, kept, hencky), {id}_energy(c, kept, hencky));
    moduli(i) = vec4({id}_moduli(c, kept), 0.0, 0.0);
}}
",
        file = model.glsl_name(),
        id = model.descriptor().id,
    )
}
