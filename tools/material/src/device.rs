//! Evaluates a model's GLSL on a device: many trial strains in one launch.

use std::sync::Arc;

use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, GpuError, Groups, Memory,
    PushConstants, Recording, RunOptions, Specialization, StageDeclaration, StageId, Store,
};
use tuff_plugin::{Model, Stretch, TensorPoint, Variant};

/// Arguments of one evaluation of a model.
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

/// Results of a model for a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Projected principal Hencky strains \[-\].
    pub hencky: [f64; 3],
    /// State words after the substep.
    pub state: [f64; 4],
    /// Fraction of the memory of non-affine motion that survives \[-\].
    pub forget: f64,
    /// Principal Kirchhoff stresses at the projected strain, with the state at the start of the substep \[Pa\].
    pub stress: [f64; 3],
    /// Energy density in the same state \[Pa\].
    pub energy: f64,
    /// Small-strain shear and bulk modulus, with the state at the start of the substep \[Pa\].
    pub moduli: [f64; 2],
}

const fn row(name: &'static str, element: Element) -> Attribute {
    Attribute { name, aliases: &[], element, memory: Memory::Device, help: "Evaluation of a model." }
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

/// Evaluates the model's f64 functions in the order in which the engine calls them.
///
/// For a model of the tensor variant, the strain of the trial is that of the branch alone if it has one, otherwise it is the elastic
/// strain and F; the axes are x, y and z.
pub fn evaluate_f64(model: &Model, trial: &Trial) -> Answer {
    if let Variant::Tensor { branch, .. } = model.descriptor().variant {
        return evaluate_tensor(model, trial, branch);
    }
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

fn evaluate_tensor(model: &Model, trial: &Trial, branch: bool) -> Answer {
    let Trial { constants, state, hencky, dt } = trial;
    let driven = Stretch { hencky: *hencky, ..Stretch::REST };
    let mut point = TensorPoint { dt: *dt, ..TensorPoint::at_rest(constants, *state) };
    if branch {
        point.branch = driven;
    } else {
        point.strain = driven;
        (0..3).for_each(|i| point.deformation[i][i] = hencky[i].exp());
    }
    let tau = model.respond(&point).kirchhoff;
    let update = model.advance(&point);
    let moduli = model.moduli(constants, state);
    let (strain, branch_after) = (update.strain, update.branch);
    Answer {
        hencky: if branch { branch_after.hencky } else { strain.hencky },
        state: update.state,
        forget: update.forget,
        stress: [tau[0], tau[1], tau[2]],
        energy: model.stored_energy(&TensorPoint { strain, branch: branch_after, ..point }),
        moduli: [moduli.shear, moduli.bulk],
    }
}

/// Evaluates the model's GLSL in f32: one answer per trial.
///
/// # Errors
/// [`GpuError::Compile`] with file and line if the model's text does not compile; otherwise any device error.
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

const PRINCIPAL_CALLS: &str = "
    float forget;
    vec3 hencky = {id}_project(c, words, start.w, start.xyz, forget);
    stress(i) = vec4({id}_kirchhoff(c, kept, hencky), {id}_energy(c, kept, hencky));";

const TENSOR_CALLS: &str = "
    TensorPoint point = resting_point();
    Stretch driven = Stretch(start.xyz, mat3(1.0));
    if ({branch}) {
        point.branch = driven;
    } else {
        point.strain = driven;
        for (int k = 0; k < 3; ++k) point.deformation[k][k] = exp(start[k]);
    }
    mat3 tau;
    {id}_respond(c, kept, start.w, point, tau);
    float forget = {id}_advance(c, words, start.w, point);
    vec3 hencky = {branch} ? point.branch.hencky : point.strain.hencky;
    stress(i) = vec4(tau[0][0], tau[1][1], tau[2][2], {id}_energy(c, kept, point));";

fn shader(model: &Model, count: u64, stride: usize) -> String {
    let id = &model.descriptor().id;
    let calls = match model.descriptor().variant {
        Variant::Principal => PRINCIPAL_CALLS.to_owned(),
        Variant::Tensor { branch, .. } => TENSOR_CALLS.replace("{branch}", &branch.to_string()),
    };
    let calls = calls.replace("{id}", id);
    format!(
        "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"material.glsl\"
#include \"tensor_point.glsl\"
layout(local_size_x = 64) in;
{law}void main() {{
    uint i = invocation();
    if (i >= {count}u) return;
    uint c = i * {stride}u;
    vec4 words = before(i);
    vec4 start = trial(i);
    vec4 kept = words;{calls}
    projected(i) = vec4(hencky, forget);
    after(i) = words;
    moduli(i) = vec4({id}_moduli(c, kept), 0.0, 0.0);
}}
",
        law = law(model),
    )
}

/// Returns the lines that give a shader the model's functions; a constant that the model does not have is NaN.
pub fn law(model: &Model) -> String {
    let count = model.descriptor().constant_count;
    format!(
        "float constant(uint c, uint i) {{ return i < {count}u ? constants(c + i) : uintBitsToFloat(0x7fc00000u); }}\n{}",
        model.glsl_include()
    )
}
