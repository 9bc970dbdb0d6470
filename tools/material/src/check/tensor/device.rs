//! Shaders around a tensor model's GLSL: its answers for whole particles, and its cost.

use std::sync::Arc;

use glam::DMat3;
use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, GpuError, Groups, Memory,
    PushConstants, Recording, RunOptions, RunReport, Specialization, StageDeclaration, StageId, Store,
};
use tuff_material::device::law;
use tuff_plugin::Model;
use tuff_reference::tensor::from_voigt;

use super::matter::Matter;

/// Number of vectors that describe the matter of a trial, and of those in the answer.
const POINT: usize = 11;
const ANSWER: usize = 8;
/// Number of invocations in a cost measurement.
const INVOCATIONS: u64 = 1 << 14;
/// Number of calls per invocation.
const REPEATS: u64 = 64;

const fn row(name: &'static str, element: Element) -> Attribute {
    Attribute { name, aliases: &[], element, memory: Memory::Device, help: "Check of a tensor model." }
}

static TABLE: &[Attribute] = &[
    row("constants", Element::Float),
    row("before", Element::Vec4),
    row("trial", Element::Vec4),
    row("result", Element::Vec4),
];

const fn id(index: u16) -> AttributeId {
    AttributeId(index)
}

const STAGE: StageDeclaration = StageDeclaration {
    name: "check",
    shader: "check.comp",
    accesses: &[(id(0), Access::Read), (id(1), Access::Read), (id(2), Access::Read), (id(3), Access::Write)],
    indirect: None,
};

/// Arguments of one evaluation of a model.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Prepared constants.
    pub constants: Vec<f64>,
    /// State words before the step.
    pub state: [f64; 4],
    /// Length of the step \[s\].
    pub dt: f64,
    /// The particle, carried along.
    pub matter: Matter,
}

/// Results of a model for a trial. Strains are symmetric matrices of Hencky strains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Kirchhoff stress \[Pa\].
    pub stress: DMat3,
    /// Largest difference between the stress and its transpose \[Pa\].
    pub asymmetry: f64,
    /// Energies: of the step, stored before it, and stored after it \[Pa\].
    pub energies: [f64; 3],
    /// Elastic strain after the step.
    pub strain: DMat3,
    /// The second elastic strain after the step.
    pub branch: DMat3,
    /// State words after the step.
    pub state: [f64; 4],
    /// The forget factor.
    pub forget: f64,
    /// Small-strain shear and bulk modulus \[Pa\].
    pub moduli: [f64; 2],
}

/// Evaluates the model's GLSL in f32: one answer per trial.
///
/// # Errors
/// [`GpuError::Compile`] with file and line if the model's text does not compile; otherwise any device error.
pub fn evaluate(device: &Arc<Device>, model: &Model, trials: &[Trial]) -> Result<Vec<Answer>, GpuError> {
    let main = format!(
        "    vec4 kept = words;
    TensorPoint after = point;
    mat3 tau;
    float energy = {id}_respond(c, kept, dt, point, tau);
    float stored = {id}_energy(c, kept, point);
    float forget = {id}_advance(c, words, dt, after);
    Symmetric stress = to_symmetric(tau);
    Symmetric strain = to_symmetric(compose(after.strain.axes, after.strain.hencky));
    Symmetric branch = to_symmetric(compose(after.branch.axes, after.branch.hencky));
    mat3 skew = tau - transpose(tau);
    float asymmetry = max(abs(skew[0][1]), max(abs(skew[0][2]), abs(skew[1][2])));
    uint o = i * {ANSWER}u;
    result(o) = vec4(stress.diagonal, energy);
    result(o + 1u) = vec4(stress.shear, stored);
    result(o + 2u) = vec4(strain.diagonal, forget);
    result(o + 3u) = vec4(strain.shear, {id}_energy(c, words, after));
    result(o + 4u) = vec4(branch.diagonal, 0.0);
    result(o + 5u) = vec4(branch.shear, 0.0);
    result(o + 6u) = words;
    result(o + 7u) = vec4({id}_moduli(c, kept), asymmetry, 0.0);",
        id = model.descriptor().id
    );
    let (store, _) = launch(device, model, trials, &main)?;
    let words = store.download::<[f32; 4]>(id(3), ANSWER * trials.len())?;
    Ok(words.chunks_exact(ANSWER).map(answer).collect())
}

fn answer(words: &[[f32; 4]]) -> Answer {
    let word = |index: usize| words[index].map(f64::from);
    let symmetric = |index: usize| {
        let ([xx, yy, zz, _], [yz, xz, xy, _]) = (word(index), word(index + 1));
        from_voigt([xx, yy, zz, yz, xz, xy])
    };
    Answer {
        stress: symmetric(0),
        asymmetry: word(7)[2],
        energies: [word(0)[3], word(1)[3], word(3)[3]],
        strain: symmetric(2),
        branch: symmetric(4),
        state: word(6),
        forget: word(2)[3],
        moduli: [word(7)[0], word(7)[1]],
    }
}

/// Measures the time of a respond with the whole device busy, and of the first respond of each invocation, including its share of the
/// launch \[ns\]. Drivers that cut off endless loops reveal them only in the time of the first.
///
/// # Errors
/// Any device error.
pub fn cost(device: &Arc<Device>, model: &Model, trials: &[Trial]) -> Result<[f64; 2], GpuError> {
    let many: Vec<Trial> = trials.iter().cycle().take(INVOCATIONS as usize).cloned().collect();
    let body = |repeats: u64| {
        format!(
            "    TensorPoint start = point;
    float sum = 0.0;
    for (int k = 0; k < {repeats}; ++k) {{
        mat3 tau;
        point.strain.hencky = start.strain.hencky + 1.0e-6 * sum;
        point.branch.hencky = start.branch.hencky - 1.0e-6 * sum;
        point.deformation = start.deformation * (1.0 + 1.0e-6 * sum);
        sum = min(1.0, sum + abs({id}_respond(c, words, dt, point, tau)));
        sum = min(1.0, sum + dot(abs(tau[0]) + abs(tau[1]) + abs(tau[2]), vec3(1.0)));
    }}
    result(i * {ANSWER}u) = vec4(sum);",
            id = model.descriptor().id
        )
    };
    let time = |repeats: u64| -> Result<f64, GpuError> {
        let (_, report) = launch(device, model, &many, &body(repeats))?;
        let stage = report.stages.first().map(|stage| stage.ns as f64);
        Ok(stage.unwrap_or(report.wall.as_nanos() as f64))
    };
    let (once, often) = (time(1)?, time(1 + REPEATS)?);
    Ok([(often - once).max(0.0) / (INVOCATIONS * REPEATS) as f64, once / INVOCATIONS as f64])
}

fn launch(
    device: &Arc<Device>,
    model: &Model,
    trials: &[Trial],
    main: &str,
) -> Result<(Store, RunReport), GpuError> {
    let count = trials.len() as u64;
    let stride = model.descriptor().constant_count.max(1);
    let counts = [count * stride as u64, count, count * POINT as u64, count * ANSWER as u64];
    let mut store = Store::new(device, TABLE, &counts)?;
    let constants = trials.iter().flat_map(|trial| {
        (0..stride).map(|index| trial.constants.get(index).map_or(0.0, |&value| value as f32))
    });
    store.upload(id(0), &constants.collect::<Vec<f32>>())?;
    store.upload(id(1), &trials.iter().map(|t| t.state.map(|x| x as f32)).collect::<Vec<_>>())?;
    store.upload(id(2), &trials.iter().flat_map(words).collect::<Vec<_>>())?;
    let sources = vec![
        (STAGE.shader.to_owned(), shader(model, count, stride, main)),
        (model.glsl_name().to_owned(), model.glsl().to_owned()),
    ];
    let stages = vec![(STAGE, Specialization { sources, ..Default::default() })];
    let mut executor = Executor::new(device, &store, stages, ExecutorOptions::default())?;
    let mut recording = Recording::new();
    recording.dispatch(StageId(0), Groups::linear(count, 64), PushConstants::NONE);
    let report = executor.run(&store, &recording, RunOptions { timestamps: true })?;
    Ok((store, report))
}

/// Packs strain with dt, its axes, the branch, its axes, and the columns of F.
fn words(trial: &Trial) -> [[f32; 4]; POINT] {
    let Matter { strain, branch, deformation } = trial.matter;
    let columns = deformation.to_cols_array_2d();
    let mut list = [[0.0; 4]; POINT];
    let vectors = [strain.hencky].into_iter().chain(strain.axes).chain([branch.hencky]).chain(branch.axes);
    for (word, [x, y, z]) in list.iter_mut().zip(vectors.chain(columns)) {
        *word = [x as f32, y as f32, z as f32, 0.0];
    }
    list[0][3] = trial.dt as f32;
    list
}

fn shader(model: &Model, count: u64, stride: usize, main: &str) -> String {
    format!(
        "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"material.glsl\"
#include \"tensor_point.glsl\"
layout(local_size_x = 64) in;
{law}vec3 part(uint at) {{
    vec4 word = trial(at);
    return word.xyz;
}}
mat3 columns(uint at) {{ return mat3(part(at), part(at + 1u), part(at + 2u)); }}
void main() {{
    uint i = invocation();
    if (i >= {count}u) return;
    uint c = i * {stride}u;
    uint at = i * {POINT}u;
    vec4 words = before(i);
    vec4 first = trial(at);
    float dt = first.w;
    TensorPoint point =
        TensorPoint(Stretch(first.xyz, columns(at + 1u)), Stretch(part(at + 4u), columns(at + 5u)), columns(at + 8u));
{main}
}}
",
        law = law(model),
    )
}
