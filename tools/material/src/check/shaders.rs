//! Shaders around a model's GLSL: its cost, and its answers to whole strain tensors.

use std::sync::Arc;

use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, GpuError, Groups, Memory,
    PushConstants, Recording, RunOptions, RunReport, Specialization, StageDeclaration, StageId, Store,
};
use tuff_material::device::{Trial, law};
use tuff_plugin::Model;

/// Number of invocations in a cost measurement.
const INVOCATIONS: u64 = 1 << 14;
/// Number of projections per invocation.
const REPEATS: u64 = 64;

const fn row(name: &'static str, element: Element) -> Attribute {
    Attribute { name, aliases: &[], element, memory: Memory::Device, help: "Check of a model." }
}

static TABLE: &[Attribute] = &[
    row("constants", Element::Float),
    row("diagonal", Element::Vec4),
    row("shear", Element::Vec4),
    row("before", Element::Vec4),
    row("normal", Element::Vec4),
    row("tangential", Element::Vec4),
];

const fn id(index: u16) -> AttributeId {
    AttributeId(index)
}

const STAGE: StageDeclaration = StageDeclaration {
    name: "check",
    shader: "check.comp",
    accesses: &[
        (id(0), Access::Read),
        (id(1), Access::Read),
        (id(2), Access::Read),
        (id(3), Access::Read),
        (id(4), Access::Write),
        (id(5), Access::Write),
    ],
    indirect: None,
};

/// Rotation matrix, row by row.
pub type Rotation = [[f64; 3]; 3];

/// Stress tensor (xx yy zz yz xz xy) and energy \[Pa\].
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    /// Components.
    pub stress: [f64; 6],
    /// Energy density.
    pub energy: f64,
}

/// Returns the rotation of a quaternion of any length.
pub fn rotation(q: [f64; 4]) -> Rotation {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|c| c / length);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Returns `R diag(v) R^T` as (xx yy zz yz xz xy).
pub fn compose(r: &Rotation, v: [f64; 3]) -> [f64; 6] {
    [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
        .map(|(i, j)| (0..3).map(|k| r[i][k] * v[k] * r[j][k]).sum())
}

/// Evaluates stress tensors of strain tensors with rotated principal axes, through the engine's eigenvectors.
///
/// # Errors
/// Any device error.
pub fn turned(
    device: &Arc<Device>,
    model: &Model,
    trials: &[Trial],
    turns: &[Rotation],
) -> Result<Vec<Tensor>, GpuError> {
    let strains = trials.iter().zip(turns).map(|(trial, turn)| {
        let strain = compose(turn, trial.hencky.map(|eps| (2.0 * eps).exp_m1()));
        let [xx, yy, zz, yz, xz, xy] = strain.map(|x| x as f32);
        ([xx, yy, zz, trial.dt as f32], [yz, xz, xy, 0.0])
    });
    let (diagonal, shear): (Vec<_>, Vec<_>) = strains.unzip();
    let main = format!(
        "    vec3 w;
    mat3 axes;
    eigen(Symmetric(diagonal(i).xyz, shear(i).xyz), w, axes);
    vec4 words = before(i);
    float forget;
    vec3 hencky = {id}_project(c, words, diagonal(i).w, 0.5 * log1p_(w), forget);
    Symmetric stress = to_symmetric(compose(axes, {id}_kirchhoff(c, before(i), hencky)));
    normal(i) = vec4(stress.diagonal, {id}_energy(c, before(i), hencky));
    tangential(i) = vec4(stress.shear, 0.0);",
        id = model.descriptor().id
    );
    let (store, _) = launch(device, model, trials, [&diagonal, &shear], trials.len() as u64, &main)?;
    let normal = store.download::<[f32; 4]>(id(4), trials.len())?;
    let tangential = store.download::<[f32; 4]>(id(5), trials.len())?;
    let tensor = |(n, t): (&[f32; 4], &[f32; 4])| Tensor {
        stress: [n[0], n[1], n[2], t[0], t[1], t[2]].map(f64::from),
        energy: f64::from(n[3]),
    };
    Ok(normal.iter().zip(&tangential).map(tensor).collect())
}

/// Measures the time of a projection with the whole device busy, and of the first projection of each invocation, including its share of
/// the launch \[ns\]. Drivers that cut off endless loops reveal them only in the time of the first.
///
/// # Errors
/// Any device error.
pub fn cost(device: &Arc<Device>, model: &Model, trials: &[Trial]) -> Result<[f64; 2], GpuError> {
    let many: Vec<Trial> = trials.iter().cycle().take(INVOCATIONS as usize).cloned().collect();
    let strains: Vec<_> = many
        .iter()
        .map(|trial| {
            let [x, y, z] = trial.hencky.map(|x| x as f32);
            [x, y, z, trial.dt as f32]
        })
        .collect();
    let shear = vec![[0.0; 4]; many.len()];
    let body = |repeats: u64| {
        format!(
            "    vec4 words = before(i);
    vec4 strain = diagonal(i);
    vec3 sum = vec3(0.0);
    float forget;
    for (int k = 0; k < {repeats}; ++k) {{
        vec4 state = words;
        sum += {id}_project(c, state, strain.w, strain.xyz + 1.0e-6 * sum, forget) + state.xyz + forget;
    }}
    normal(i) = vec4(sum, 0.0);
    tangential(i) = vec4(0.0);",
            id = model.descriptor().id
        )
    };
    let time = |repeats: u64| -> Result<f64, GpuError> {
        let (_, report) = launch(device, model, &many, [&strains, &shear], INVOCATIONS, &body(repeats))?;
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
    strains: [&[[f32; 4]]; 2],
    count: u64,
    main: &str,
) -> Result<(Store, RunReport), GpuError> {
    let stride = model.descriptor().constant_count.max(1);
    let mut store = Store::new(device, TABLE, &[count * stride as u64, count, count, count, count, count])?;
    let constants = trials.iter().flat_map(|trial| {
        (0..stride).map(|index| trial.constants.get(index).map_or(0.0, |&value| value as f32))
    });
    store.upload(id(0), &constants.collect::<Vec<f32>>())?;
    store.upload(id(1), strains[0])?;
    store.upload(id(2), strains[1])?;
    store.upload(id(3), &trials.iter().map(|t| t.state.map(|x| x as f32)).collect::<Vec<_>>())?;
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

fn shader(model: &Model, count: u64, stride: usize, main: &str) -> String {
    format!(
        "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"material.glsl\"
#include \"symmetric.glsl\"
layout(local_size_x = 64) in;
{law}void main() {{
    uint i = invocation();
    if (i >= {count}u) return;
    uint c = i * {stride}u;
{main}
}}
",
        law = law(model),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_keeps_lengths_and_hand() {
        let r = rotation([0.3, -1.2, 0.4, 2.0]);
        let one = compose(&r, [1.0; 3]);
        for (found, expected) in one.iter().zip([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-15);
        }
        let [a, b, c] = r;
        let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        let det: f64 = a.iter().zip(cross).map(|(x, y)| x * y).sum();
        assert!((det - 1.0).abs() < 1e-15);
    }
}
