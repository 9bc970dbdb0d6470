//! Compares the GLSL of a scene's materials with their f64 functions before it is used: other devices, plots and checks go by the latter.

use std::fmt;
use std::sync::Arc;

use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, GpuError, Groups, Memory,
    PushConstants, Recording, RunOptions, Specialization, StageDeclaration, StageId, Store,
};
use tuff_plugin::{Model, Moduli, Projection, Stretch, TensorPoint, TensorResponse, Variant};
use tuff_problem::{Problem, ResolvedMaterial};

use crate::materials;

/// Sizes of the strains \[-\], and number of directions for each.
const SIZES: [f64; 4] = [1e-3, 1e-2, 0.1, 0.5];
const DIRECTIONS: usize = 16;
const STRAINS: usize = SIZES.len() * DIRECTIONS;
/// Effect of rounding to f32 on an argument, including a few operations on it.
pub const ROUNDING: f64 = 3e-7;
/// Factor on the effect of rounding the arguments: GLSL also rounds elsewhere.
pub const MARGIN: f64 = 4.0;
/// Compared quantities with their tolerances beyond that. Units: of stresses and energies `(2 mu + 3 kappa) max(1, s^2)` times the strain; of
/// state words in Pa 2 mu, and of all at least their own size.
const QUANTITIES: [(&str, f64); 5] = [
    ("projected strains", 1e-5),
    ("stresses", 2e-5),
    ("energies", 2e-5),
    ("state words", 2e-5),
    ("forget factors", 1e-3),
];

static TABLE: &[Attribute] = &[
    row("trial", Element::Vec4),
    row("before", Element::Vec4),
    row("projected", Element::Vec4),
    row("stress", Element::Vec4),
    row("after", Element::Vec4),
];

const fn row(name: &'static str, element: Element) -> Attribute {
    Attribute { name, aliases: &[], element, memory: Memory::Device, help: "Comparison of GLSL with f64." }
}

const fn id(index: u16) -> AttributeId {
    AttributeId(index)
}

const STAGE: StageDeclaration = StageDeclaration {
    name: "compare_models",
    shader: "compare_models.comp",
    accesses: &[
        (id(0), Access::Read),
        (id(1), Access::Read),
        (id(2), Access::Write),
        (id(3), Access::Write),
        (id(4), Access::Write),
    ],
    indirect: None,
};

/// A material whose GLSL answers otherwise than its f64 functions.
#[derive(Clone, Debug)]
pub struct Disagreement {
    material: String,
    source: String,
    what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "material `{}`: {} and the f64 functions of its library differ: {}; --device cpu and reference, plots and checks go by \
             the f64 functions (`tuff material check` says more)",
            self.material, self.source, self.what
        )
    }
}

/// Answer to one strain.
#[derive(Clone, Copy)]
struct Answer {
    hencky: [f64; 3],
    stress: [f64; 3],
    energy: f64,
    state: [f64; 4],
    forget: f64,
}

impl Answer {
    /// Returns the values of the quantities, in the order of [`QUANTITIES`].
    fn values(&self) -> [&[f64]; 5] {
        let [energy, forget] = [&self.energy, &self.forget].map(std::slice::from_ref);
        [&self.hencky, &self.stress, energy, &self.state, forget]
    }

    /// Returns the largest difference in each quantity, in units of it; NaN if one is not a number.
    fn apart(&self, other: &Self, stress: f64, words: [f64; 4]) -> [f64; 5] {
        let units = [&[1.0; 3] as &[f64], &[stress; 3], &[stress], &words, &[1.0]];
        let (ours, theirs) = (self.values(), other.values());
        std::array::from_fn(|quantity| {
            let pairs = std::iter::zip(ours[quantity], theirs[quantity]).zip(units[quantity]);
            let differences = pairs.map(|((a, b), unit)| (a - b).abs() / unit);
            // The larger of two, but NaN stays.
            differences.fold(0.0, |most: f64, x| if most.is_nan() || x <= most { most } else { x })
        })
    }
}

/// Compares 64 strains of new matter for every material; returns the first difference of each.
///
/// # Errors
/// Any device error.
pub fn disagreements(device: &Arc<Device>, problem: &Problem) -> Result<Vec<Disagreement>, GpuError> {
    let strains = strains();
    let dt = f64::from(problem.dt() as f32);
    let answers = evaluate(device, problem, &strains, dt)?;
    let of = |(material, answers): (&ResolvedMaterial, &[Answer])| {
        // A fault at a strain that the run may never see is no fault of the run.
        let model = problem.models[material.model].apart();
        let found = std::iter::zip(&strains, answers)
            .find_map(|(&hencky, answer)| difference(&model, material, hencky, dt, answer));
        let what = model.fault().map(|fault| format!("the latter fail: {fault}")).or(found)?;
        let source =
            model.glsl_file().map_or_else(|| model.glsl_name().to_owned(), |file| file.display().to_string());
        Some(Disagreement { material: material.name.clone(), source, what })
    };
    Ok(problem.materials.iter().zip(answers.chunks(STRAINS)).filter_map(of).collect())
}

/// Returns whether a constant may be a kind or a switch: small whole numbers are exact in f32, and rounding must not change them.
pub fn is_kind(constant: f64) -> bool {
    constant.fract() == 0.0 && constant.abs() < 100.0
}

/// Returns strains along the axes, in shear, and in directions that fill the sphere evenly, rounded to f32.
fn strains() -> Vec<[f64; 3]> {
    let regular =
        [[1.0; 3], [-1.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, -0.5, -0.5]];
    // Multiples of the inverse powers of the root of x^4 = x + 1 (the sequence of Roberts, 2018, in three dimensions).
    let drawn = (1..).map(|k| {
        let v = [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|step| 2.0 * (f64::from(k) * step).fract() - 1.0);
        let size = v.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        v.map(|x| x / size)
    });
    let directions: Vec<[f64; 3]> = regular.into_iter().chain(drawn).take(DIRECTIONS).collect();
    let scaled = |size: f64| directions.iter().map(move |d| d.map(|x| f64::from((size * x) as f32)));
    SIZES.into_iter().flat_map(scaled).collect()
}

/// Describes the first quantity in which an answer of the GLSL differs beyond what rounding its arguments explains.
fn difference(
    model: &Model,
    material: &ResolvedMaterial,
    hencky: [f64; 3],
    dt: f64,
    glsl: &Answer,
) -> Option<String> {
    let constants = &material.constants;
    let state = model.initial_state(constants).map(|word| f64::from(word as f32));
    let (case, double) = answer(model, constants, state, dt, hencky);
    let Moduli { shear, bulk } = model.moduli(constants, &state);
    let size = hencky.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let growth = (2.0 * hencky.iter().fold(0.0_f64, |most, &x| most.max(x))).exp();
    let stress = (2.0 * shear + 3.0 * bulk) * growth * size.max(1e-2);
    let mut words = double.state.map(|word| word.abs().max(1.0));
    for (unit, word) in words.iter_mut().zip(&model.descriptor().states) {
        *unit = if word.unit == "Pa" { unit.max(2.0 * shear) } else { *unit };
    }
    let apart = |answer: &Answer| answer.apart(&double, stress, words);
    let mut spread = [0.0_f64; 5];
    for sign in [-ROUNDING, ROUNDING] {
        let strained = [0, 1, 2].map(|axis| {
            let mut near = hencky;
            near[axis] += sign * size;
            (constants.clone(), near)
        });
        let scaled = |even: bool| {
            let of = |(index, &c): (usize, &f64)| {
                if (index % 2 == 0) == even && !is_kind(c) { c * (1.0 + sign) } else { c }
            };
            (constants.iter().enumerate().map(of).collect(), hencky)
        };
        for (constants, near) in strained.into_iter().chain([scaled(true), scaled(false)]) {
            let (other, answer) = answer(model, &constants, state, dt, near);
            if other != case {
                return None;
            }
            spread = std::array::from_fn(|i| spread[i].max(apart(&answer)[i]));
        }
    }
    let found = apart(glsl);
    // What is not a number differs.
    let agrees = |i: usize| found[i] - MARGIN * spread[i] <= QUANTITIES[i].1;
    let index = (0..found.len()).find(|&i| !agrees(i))?;
    let list = |answer: &Answer| {
        answer.values()[index].iter().map(|x| format!("{x:.6e}")).collect::<Vec<_>>().join(", ")
    };
    let (name, glsl, double) = (QUANTITIES[index].0, list(glsl), list(&double));
    Some(format!("{name} [{glsl}] and [{double}] at hencky = {hencky:?}, dt = {dt:e} s"))
}

/// Returns the case and the answer of the f64 functions. Models of whole tensors get the same stretch as strain, branch and F, along the
/// axes.
fn answer(model: &Model, constants: &[f64], state: [f64; 4], dt: f64, hencky: [f64; 3]) -> (u32, Answer) {
    if let Variant::Tensor { branch, .. } = model.descriptor().variant {
        let driven = Stretch { hencky, ..Stretch::REST };
        let mut point = TensorPoint { dt, strain: driven, ..TensorPoint::at_rest(constants, state) };
        if branch {
            point.branch = driven;
        }
        (0..3).for_each(|i| point.deformation[i][i] = hencky[i].exp());
        let TensorResponse { energy, kirchhoff: [x, y, z, ..] } = model.respond(&point);
        let update = model.advance(&point);
        let hencky = if branch { update.branch.hencky } else { update.strain.hencky };
        let state = update.state;
        return (update.case, Answer { hencky, stress: [x, y, z], energy, state, forget: update.forget });
    }
    let projection = model.project(constants, &state, dt, hencky);
    let stress = model.kirchhoff(constants, &state, projection.hencky);
    let energy = model.energy(constants, &state, projection.hencky);
    let Projection { hencky, state, forget, case } = projection;
    (case, Answer { hencky, stress, energy, state, forget })
}

/// Evaluates the GLSL of every material, shape \[materials x strains\].
fn evaluate(
    device: &Arc<Device>,
    problem: &Problem,
    strains: &[[f64; 3]],
    dt: f64,
) -> Result<Vec<Answer>, GpuError> {
    let count = (problem.materials.len() * STRAINS) as u64;
    let mut store =
        Store::new(device, TABLE, &[STRAINS as u64, problem.materials.len() as u64, count, count, count])?;
    let single = |list: [f64; 4]| list.map(|value| value as f32);
    store.upload(id(0), &strains.iter().map(|[x, y, z]| single([*x, *y, *z, dt])).collect::<Vec<_>>())?;
    let state = |material: &ResolvedMaterial| {
        single(problem.models[material.model].initial_state(&material.constants))
    };
    store.upload(id(1), &problem.materials.iter().map(state).collect::<Vec<_>>())?;
    let mut sources = materials::sources(problem);
    sources.push((STAGE.shader.to_owned(), shader(problem, count)));
    let stages = vec![(STAGE, Specialization { sources, ..Default::default() })];
    let mut executor = Executor::new(device, &store, stages, ExecutorOptions::default())?;
    let mut recording = Recording::new();
    recording.dispatch(StageId(0), Groups::linear(count, 64), PushConstants::NONE);
    executor.run(&store, &recording, RunOptions::default())?;
    let read = |index| store.download::<[f32; 4]>(id(index), count as usize);
    let (projected, stress, after) = (read(2)?, read(3)?, read(4)?);
    let answer = |i: usize| {
        let ([a, b, c, forget], [x, y, z, energy]) = (projected[i].map(f64::from), stress[i].map(f64::from));
        Answer { hencky: [a, b, c], stress: [x, y, z], energy, state: after[i].map(f64::from), forget }
    };
    Ok((0..count as usize).map(answer).collect())
}

fn shader(problem: &Problem, count: u64) -> String {
    let is_tensor = |material: &&ResolvedMaterial| {
        matches!(problem.models[material.model].descriptor().variant, Variant::Tensor { .. })
    };
    let tensor = match problem.materials.iter().find(is_tensor) {
        None => "",
        Some(_) => TENSOR,
    };
    let has_branch = problem.materials.iter().map(|material| {
        let variant = problem.models[material.model].descriptor().variant;
        matches!(variant, Variant::Tensor { branch: true, .. }).to_string()
    });
    format!(
        "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"{}\"
layout(local_size_x = 64) in;
const bool HAS_BRANCH[] = bool[]({});
void main() {{
    uint i = invocation();
    if (i >= {count}u) return;
    uint material = i / {STRAINS}u;
    vec4 start = trial(i % {STRAINS}u);
    vec4 kept = before(material);
    vec4 words = kept;
    vec3 hencky;
    vec3 tau;
    float energy;
    float forget;{tensor}
    {{
        hencky = material_project(material, words, start.w, start.xyz, forget);
        tau = material_kirchhoff(material, kept, hencky);
        energy = material_energy(material, kept, hencky);
    }}
    projected(i) = vec4(hencky, forget);
    stress(i) = vec4(tau, energy);
    after(i) = words;
}}
",
        materials::SOURCE,
        has_branch.collect::<Vec<_>>().join(", "),
    )
}

const TENSOR: &str = "
    if (material_is_tensor(material)) {
        Stretch driven = Stretch(start.xyz, mat3(1.0));
        Stretch rest = Stretch(vec3(0.0), mat3(1.0));
        TensorPoint point = TensorPoint(driven, HAS_BRANCH[material] ? driven : rest, mat3(1.0));
        for (int k = 0; k < 3; ++k) point.deformation[k][k] = exp(start[k]);
        mat3 full;
        energy = material_respond(material, kept, start.w, point, full);
        tau = vec3(full[0][0], full[1][1], full[2][2]);
        forget = material_advance(material, words, start.w, point);
        hencky = HAS_BRANCH[material] ? point.branch.hencky : point.strain.hencky;
    } else";

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is not a number differs, in whichever component.
    #[test]
    fn not_a_number_is_apart() {
        let none = Answer { hencky: [0.0; 3], stress: [0.0; 3], energy: 0.0, state: [0.0; 4], forget: 1.0 };
        for axis in 0..3 {
            let mut other = none;
            other.stress[axis] = f64::NAN;
            let apart = other.apart(&none, 1.0, [1.0; 4]);
            assert!(apart[1].is_nan() && apart[0] == 0.0, "{apart:?}");
        }
    }

    #[test]
    fn strains_fill_their_sizes() {
        let strains = strains();
        assert_eq!(strains.len(), STRAINS);
        let size = |v: &[f64; 3]| v.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        for (index, strain) in strains.iter().enumerate() {
            assert!((size(strain) / SIZES[index / DIRECTIONS] - 1.0).abs() < 1e-6, "{strain:?}");
        }
        let mean = strains.iter().flatten().sum::<f64>() / (3.0 * STRAINS as f64);
        assert!(mean.abs() < 0.03, "{mean}");
    }
}
