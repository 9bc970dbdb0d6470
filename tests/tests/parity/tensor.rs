//! The shader's path from a strain and a velocity gradient to the constraint gradient and the new strain, including the models' GLSL,
//! against the full-matrix values of data/vectors/tensor.json.
//!
//! Tolerances: f32 keeps the strain and J to about 3e-7 of their size, so stresses are accurate to 1e-5 (2 mu + 3 kappa) max(1, s^2); G
//! is compared as G C, which is a stress.

use serde_json::{Map, Value};
use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, Groups, Memory,
    PushConstants, Recording, RunOptions, Specialization, StageDeclaration, StageId, Store,
};
use tuff_tests::libraries::{model, number, numbers, parameters, vectors};

const fn row(name: &'static str) -> Attribute {
    Attribute {
        name,
        aliases: &[],
        element: Element::Vec4,
        memory: Memory::Device,
        help: "Trial step of a model.",
    }
}

static TABLE: &[Attribute] = &[row("strain_in"), row("step_in"), row("gradient_out"), row("strain_out")];

const STAGE: StageDeclaration = StageDeclaration {
    name: "respond",
    shader: "respond.comp",
    accesses: &[
        (AttributeId(0), Access::Read),
        (AttributeId(1), Access::Read),
        (AttributeId(2), Access::Write),
        (AttributeId(3), Access::Write),
    ],
    indirect: None,
};

fn shader(id: &str, file: &str, constants: &[f64]) -> String {
    let list: Vec<String> = constants.iter().map(|&c| format!("{:e}", c as f32)).collect();
    format!(
        "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"symmetric.glsl\"
#include \"material.glsl\"
#include \"strain.glsl\"
layout(local_size_x = 1) in;
const float CONSTANTS[] = float[]({});
float constant(uint c, uint i) {{ return CONSTANTS[c + i]; }}
#include \"{file}\"
void main() {{
    vec4 diagonal = strain_in(0), shear = strain_in(1);
    mat3 step = mat3(step_in(0).xyz, step_in(1).xyz, step_in(2).xyz);
    Trial t = trial_strain(Symmetric(diagonal.xyz, shear.xyz), step);
    vec4 words = vec4(diagonal.w, 0.0, 0.0, 0.0);
    vec4 start = words;
    float forget;
    vec3 hencky = {id}_project(0u, words, shear.w, t.hencky, forget);
    mat3 stress = compose(t.axes, {id}_kirchhoff(0u, start, hencky)) * inverse_transpose(t.A, t.det);
    for (int i = 0; i < 3; ++i) gradient_out(i) = vec4(stress[i], {id}_energy(0u, start, hencky));
    Symmetric E = to_symmetric(compose(t.axes, expm1_(2.0 * hencky)));
    strain_out(0) = vec4(E.diagonal, 0.0);
    strain_out(1) = vec4(E.shear, 0.0);
}}
",
        list.join(", ")
    )
}

/// Returns a row-major 3x3 matrix as (diagonal, yz xz xy).
fn symmetric(m: [f64; 9]) -> [f64; 6] {
    [m[0], m[4], m[8], m[5], m[2], m[1]]
}

fn check(item: &Value, device: &std::sync::Arc<Device>) -> (f64, f64) {
    let id = if item["model"] == "hencky" { "elastic" } else { item["model"].as_str().unwrap() };
    let model = model(id);
    let (mu, kappa) = (number(&item["mu"]), number(&item["kappa"]));
    let extra = &item["extra"];
    let young = 9.0 * kappa * mu / (3.0 * kappa + mu);
    let mut named = Map::from_iter([
        ("E".to_owned(), Value::from(young)),
        ("nu".to_owned(), Value::from(young / (2.0 * mu) - 1.0)),
    ]);
    let (mut word, mut dt) = (0.0, 0.0);
    for (name, value) in extra.as_object().unwrap() {
        match name.as_str() {
            "vc" | "alpha" | "Jp" => word = number(value),
            "tau_y" => {
                word = number(value);
                named.insert("tau_y0".into(), value.clone());
            }
            "dt" => dt = number(value),
            // The stiffness factor at this Jp, not the parameter of the same name.
            "hardening" => assert_eq!(number(value), 1.0),
            _ => {
                named.insert(name.clone(), value.clone());
            }
        }
    }
    let constants = model.prepare(&parameters(model, &named)).unwrap();
    let e = symmetric(numbers(&item["E_n"])).map(|x| x as f32);
    let l: [f64; 9] = numbers(&item["dt_grad_v"]);
    let mut store = Store::new(device, TABLE, &[2, 3, 3, 2]).unwrap();
    let strain = [[e[0], e[1], e[2], word as f32], [e[3], e[4], e[5], dt as f32]];
    store.upload(AttributeId(0), &strain).unwrap();
    let column = |j: usize| [l[j] as f32, l[3 + j] as f32, l[6 + j] as f32, 0.0];
    store.upload(AttributeId(1), &[column(0), column(1), column(2)]).unwrap();
    let sources = vec![
        ("respond.comp".to_owned(), shader(id, model.glsl_name(), &constants)),
        (model.glsl_name().to_owned(), model.glsl().to_owned()),
    ];
    let specialization = Specialization { sources, ..Default::default() };
    let stages = vec![(STAGE, specialization)];
    let mut executor = Executor::new(device, &store, stages, ExecutorOptions::default()).unwrap();
    let mut recording = Recording::new();
    recording.dispatch(StageId(0), Groups::linear(1, 1), PushConstants::NONE);
    executor.run(&store, &recording, RunOptions::default()).unwrap();
    let gradient: Vec<[f32; 4]> = store.download(AttributeId(2), 3).unwrap();
    let projected: Vec<[f32; 4]> = store.download(AttributeId(3), 2).unwrap();

    let stretch: [f64; 3] = numbers(&item["sigma"]);
    let size = stretch.iter().fold(1.0_f64, |size, s| size.max(s * s));
    let scale = (2.0 * mu + 3.0 * kappa) * size;
    let expected: [f64; 9] = numbers(&item["G"]);
    let c = number(&item["C"]);
    let mut stress = 0.0_f64;
    for row in 0..3 {
        for col in 0..3 {
            stress = stress.max((f64::from(gradient[col][row]) - c * expected[3 * row + col]).abs() / scale);
        }
    }
    let psi = (f64::from(gradient[0][3]) - number(&item["psi"])).abs() / scale;
    assert!(psi < 1e-5, "{}: psi is off by {psi:e}", item["id"]);
    let wanted = symmetric(numbers(&item["E_projected"]));
    let ours = [0, 1].map(|i| [projected[i][0], projected[i][1], projected[i][2]]).concat();
    let strain = wanted.iter().zip(&ours).fold(0.0_f64, |m, (a, b)| m.max((a - f64::from(*b)).abs())) / size;
    (strain, stress)
}

pub fn constraint_gradients() {
    let (_, items) = vectors("tensor");
    let device = Device::open(None).unwrap();
    let (mut strain, mut stress, mut count) = (0.0_f64, 0.0_f64, 0);
    for item in &items {
        let (e, g) = check(item, &device);
        assert!(e < 5e-6 && g < 1e-5, "{} ({}): E off by {e:e}, G C by {g:e}", item["id"], item["model"]);
        (strain, stress, count) = (strain.max(e), stress.max(g), count + 1);
    }
    assert_eq!(count, 120);
    println!("{count} vectors: E within {strain:.1e}, G C within {stress:.1e}");
}
