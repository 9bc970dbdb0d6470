//! The GLSL of every model on the device against the independent f64 values in data/vectors, within the
//! tolerances that f32 can reach: 5e-6 in ln s', 1e-5 (2 mu + 3 kappa) max(1, s^2) in the stress, 1e-5
//! absolute in the volume gain, 1e-6 (2 mu) in the yield stress.

use serde_json::{Map, Value};
use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, Groups, Memory,
    PushConstants, Recording, RunOptions, Specialization, StageDeclaration, StageId, Store,
};
use tuff_plugin::Model;
use tuff_tests::libraries::{model, number, numbers, parameters, state, vectors};

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

/// What a model's GLSL makes of one trial strain.
struct Evaluated {
    hencky: [f32; 3],
    forget: f32,
    state: [f32; 4],
    stress: [f32; 3],
    energy: f32,
    moduli: [f32; 2],
}

/// Input of an evaluation.
struct Trial {
    constants: Vec<f64>,
    state: [f64; 4],
    hencky: [f64; 3],
    dt: f64,
}

fn evaluate(model: &Model, trials: &[Trial]) -> Vec<Evaluated> {
    let (count, id_of) = (trials.len() as u64, &model.descriptor().id);
    let constants = model.descriptor().constant_count.max(1);
    let shader = format!(
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
    uint c = i * {constants}u;
    vec4 words = before(i);
    vec4 start = trial(i);
    vec4 kept = words;
    float forget;
    vec3 hencky = {id_of}_project(c, words, start.w, start.xyz, forget);
    projected(i) = vec4(hencky, forget);
    after(i) = words;
    stress(i) = vec4({id_of}_kirchhoff(c, kept, hencky), {id_of}_energy(c, kept, hencky));
    moduli(i) = vec4({id_of}_moduli(c, kept), 0.0, 0.0);
}}
",
        file = model.glsl_name(),
    );
    let device = Device::open(None).unwrap();
    let counts = [count * constants as u64, count, count, count, count, count, count];
    let mut store = Store::new(&device, TABLE, &counts).unwrap();
    let f32s = |list: &[f64]| list.iter().map(|&x| x as f32).collect::<Vec<_>>();
    store.upload(id(0), &trials.iter().flat_map(|t| f32s(&t.constants)).collect::<Vec<f32>>()).unwrap();
    let starts: Vec<f32> =
        trials.iter().flat_map(|t| f32s(&[t.hencky[0], t.hencky[1], t.hencky[2], t.dt])).collect();
    store.upload(id(1), &starts).unwrap();
    store.upload(id(2), &trials.iter().flat_map(|t| f32s(&t.state)).collect::<Vec<f32>>()).unwrap();
    let sources =
        vec![("evaluate.comp".to_owned(), shader), (model.glsl_name().to_owned(), model.glsl().to_owned())];
    let specialization = Specialization { sources, ..Default::default() };
    let stages = vec![(STAGE, specialization)];
    let mut executor = Executor::new(&device, &store, stages, ExecutorOptions::default()).unwrap();
    let mut recording = Recording::new();
    recording.dispatch(StageId(0), Groups::linear(count, 64), PushConstants::NONE);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    let read = |index| store.download::<[f32; 4]>(id(index), trials.len()).unwrap();
    let (projected, after, stress, moduli) = (read(3), read(4), read(5), read(6));
    (0..trials.len())
        .map(|i| Evaluated {
            hencky: [projected[i][0], projected[i][1], projected[i][2]],
            forget: projected[i][3],
            state: after[i],
            stress: [stress[i][0], stress[i][1], stress[i][2]],
            energy: stress[i][3],
            moduli: [moduli[i][0], moduli[i][1]],
        })
        .collect()
}

fn distance<const N: usize>(ours: [f32; N], theirs: [f64; N]) -> f64 {
    (0..N).map(|i| (f64::from(ours[i]) - theirs[i]).abs()).fold(0.0, f64::max)
}

fn check(file: &str, id: &str, energy: Option<usize>) {
    let model = model(id);
    let (_, items) = vectors(file);
    // The vectors of the fixed corotated energy are not clamped, and inverted stretches have no logarithm.
    let clamps = file != "fixed_corotated";
    let limit = |s: f64| if clamps { s.clamp(1e-2, 1e2) } else { s };
    let items: Vec<Value> = items
        .into_iter()
        .filter(|item| clamps || numbers::<3>(&item["sigma_trial"]).iter().all(|&s| s > 0.0))
        .collect();
    let trials: Vec<Trial> = items
        .iter()
        .map(|item| {
            let mut named: Map<String, Value> = item["params"].as_object().unwrap().clone();
            if let Some(energy) = energy {
                named.insert("energy".into(), Value::from(energy));
            }
            let constants = model.prepare(&parameters(model, &named)).unwrap();
            let state = state(model, &constants, item.get("state"));
            let stretch = numbers::<3>(&item["sigma_trial"]).map(limit);
            Trial { constants, state, hencky: stretch.map(f64::ln), dt: number(&item["dt"]) }
        })
        .collect();
    let (mut worst_strain, mut worst_stress) = (0.0_f64, 0.0_f64);
    for ((item, trial), ours) in items.iter().zip(&trials).zip(evaluate(model, &trials)) {
        let context = || format!("{file} {} ({})", item["id"], item["tag"]);
        let stretch: [f64; 3] = numbers(&item["sigma"]);
        let (mu, kappa) = (number(&item["params"]["mu"]), number(&item["params"]["kappa"]));
        let strain = distance(ours.hencky, stretch.map(|s| limit(s).ln()));
        assert!(strain <= 5e-6, "{}: ln s' is off by {strain:e}", context());
        let volume: f64 = stretch.iter().product();
        let size = stretch.iter().fold(1.0_f64.max(volume * volume), |size, s| size.max(s * s));
        let scale = (2.0 * mu + 3.0 * kappa) * size;
        let stress = distance(ours.stress, numbers(&item["tau"])) / scale;
        assert!(stress <= 1e-5, "{}: tau is off by {stress:e}", context());
        let psi = (f64::from(ours.energy) - number(&item["psi"])).abs() / scale;
        assert!(psi <= 1e-5 && ours.energy >= 0.0, "{}: psi is off by {psi:e}", context());
        if let Some(named) = item.get("state_out") {
            let expected = state(model, &trial.constants, Some(named));
            let tolerance = if id == "von_mises" { 1e-6 * 2.0 * mu } else { 1e-5 };
            let off = distance(ours.state, expected);
            assert!(off <= tolerance, "{}: the state is off by {off:e}", context());
        }
        let twin = model.project(&trial.constants, &trial.state, trial.dt, trial.hencky);
        if item["near_boundary"] != true && (f64::from(ours.forget) - twin.forget).abs() > 2e-3 {
            panic!("{}: forget factor {} for {}", context(), ours.forget, twin.forget);
        }
        let moduli = distance(ours.moduli, [mu, kappa]) / (mu + kappa);
        assert!(moduli <= 1e-6, "{}: the moduli are off by {moduli:e}", context());
        (worst_strain, worst_stress) = (worst_strain.max(strain), worst_stress.max(stress));
    }
    println!(
        "{file}: {} vectors, ln s' within {worst_strain:.1e}, tau within {worst_stress:.1e}",
        items.len()
    );
}

pub fn elastic() {
    for (index, file) in ["hencky", "neo_hookean", "neo_hookean_split", "fixed_corotated"].iter().enumerate()
    {
        check(file, "elastic", Some(index));
    }
}

pub fn von_mises() {
    check("von_mises", "von_mises", None);
}

pub fn drucker_prager() {
    check("drucker_prager", "drucker_prager", None);
}
