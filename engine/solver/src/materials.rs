//! Composes the materials of a scene into one GLSL source: constants, the models' own files, and a switch.

use std::fmt::Write as _;

use tuff_plugin::{Model, Variant};
use tuff_problem::Problem;

/// Name of the composed source in `#include`s.
pub const SOURCE: &str = "materials.glsl";

/// Returns the composed source and the models' files that it includes: name, text.
///
/// Constants are literals, so that a scene with one material per model compiles to code without loads; the cache of compiled shaders
/// is keyed by the text.
pub fn sources(problem: &Problem) -> Vec<(String, String)> {
    let mut sources: Vec<(String, String)> =
        problem.models.iter().map(|m| (m.glsl_name().to_owned(), m.glsl().to_owned())).collect();
    sources.push((SOURCE.to_owned(), compose(problem)));
    sources
}

/// Returns a literal that GLSL reads back as exactly this f32.
pub(crate) fn literal(value: f32) -> String {
    if value.is_finite() { format!("{value:e}") } else { format!("uintBitsToFloat({:#x}u)", value.to_bits()) }
}

fn list(values: impl Iterator<Item = f32>) -> String {
    let mut texts: Vec<String> = values.map(literal).collect();
    if texts.is_empty() {
        texts.push("0.0".to_owned());
    }
    format!("float[]({})", texts.join(", "))
}

fn compose(problem: &Problem) -> String {
    let mut text = String::from("#include \"material.glsl\"\n\n");
    let constants = problem.materials.iter().flat_map(|m| m.constants.iter().map(|&c| c as f32));
    let _ = writeln!(text, "const float MATERIAL_CONSTANTS[] = {};", list(constants));
    let densities = problem.materials.iter().map(|m| m.density as f32);
    let _ = writeln!(text, "const float MATERIAL_DENSITIES[] = {};\n", list(densities));
    text.push_str("float constant(uint c, uint i) { return MATERIAL_CONSTANTS[c + i]; }\n");
    let several = if problem.materials.len() > 1 { "self.y" } else { "0u" };
    let _ = writeln!(text, "uint material_of(uvec4 self) {{ return {several}; }}");
    text.push_str("float material_density(uint material) { return MATERIAL_DENSITIES[material]; }\n\n");
    let history = History::of(problem);
    let tensors = problem.models.iter().any(|model| is_tensor(model));
    if tensors {
        text.push_str("#define TENSOR_MODELS\n#include \"tensor_point.glsl\"\n");
        let _ = writeln!(text, "const uint HISTORY_WORDS = {}u;", history.words());
        let _ = writeln!(text, "const bool HISTORY_BRANCH = {};", history.branch);
        let _ = writeln!(text, "const bool HISTORY_DEFORMATION = {};\n", history.deformation);
    }
    for model in &problem.models {
        text.push_str(&model.glsl_include());
    }
    for switch in PRINCIPAL_SWITCHES {
        text.push_str(&switch.compose(problem, |model| !is_tensor(model)));
    }
    text.push_str(&MODULI_SWITCH.compose(problem, |_| true));
    if tensors {
        for switch in TENSOR_SWITCHES {
            text.push_str(&switch.compose(problem, is_tensor));
        }
        text.push_str(&tensor_test(problem));
    }
    text
}

/// A function over all materials that calls the function of the material's model.
struct Switch {
    signature: &'static str,
    /// The call, after the prefix `<id>_`; `{c}` is the index of the material's first constant.
    call: &'static str,
    /// Value if no material of the scene has such a model.
    otherwise: &'static str,
}

const PRINCIPAL_SWITCHES: [Switch; 3] = [
    Switch {
        signature: "vec3 material_project(uint material, inout vec4 state, float dt, vec3 hencky, out float forget)",
        call: "project({c}, state, dt, hencky, forget)",
        otherwise: "hencky",
    },
    Switch {
        signature: "float material_energy(uint material, vec4 state, vec3 hencky)",
        call: "energy({c}, state, hencky)",
        otherwise: "0.0",
    },
    Switch {
        signature: "vec3 material_kirchhoff(uint material, vec4 state, vec3 hencky)",
        call: "kirchhoff({c}, state, hencky)",
        otherwise: "vec3(0.0)",
    },
];

const MODULI_SWITCH: Switch = Switch {
    signature: "vec2 material_moduli(uint material, vec4 state)",
    call: "moduli({c}, state)",
    otherwise: "vec2(0.0)",
};

const TENSOR_SWITCHES: [Switch; 3] = [
    Switch {
        signature: "float material_respond(uint material, vec4 state, float dt, TensorPoint point, out mat3 kirchhoff)",
        call: "respond({c}, state, dt, point, kirchhoff)",
        otherwise: "0.0",
    },
    Switch {
        signature: "float material_advance(uint material, inout vec4 state, float dt, inout TensorPoint point)",
        call: "advance({c}, state, dt, point)",
        otherwise: "1.0",
    },
    Switch {
        signature: "float material_stored(uint material, vec4 state, TensorPoint point)",
        call: "energy({c}, state, point)",
        otherwise: "0.0",
    },
];

impl Switch {
    /// Composes the function over the materials whose model `belongs`; the last of them needs no test.
    fn compose(&self, problem: &Problem, belongs: impl Fn(&Model) -> bool) -> String {
        let mut text = format!("\n{} {{\n", self.signature);
        let mut calls = Vec::new();
        let mut first_constant = 0;
        for (index, material) in problem.materials.iter().enumerate() {
            let model = &problem.models[material.model];
            if belongs(model) {
                let call = self.call.replace("{c}", &format!("{first_constant}u"));
                calls.push((index, format!("{}_{call}", model.descriptor().id)));
            }
            first_constant += material.constants.len();
        }
        let last = calls.pop().map_or_else(|| self.otherwise.to_owned(), |(_, call)| call);
        for (index, call) in calls {
            let _ = writeln!(text, "    if (material == {index}u) return {call};");
        }
        let _ = writeln!(text, "    return {last};\n}}");
        text
    }
}

fn is_tensor(model: &Model) -> bool {
    matches!(model.descriptor().variant, Variant::Tensor { .. })
}

/// Composes `material_is_tensor`: the constant `true` if all materials are tensor models.
fn tensor_test(problem: &Problem) -> String {
    let tensor: Vec<bool> = problem.materials.iter().map(|m| is_tensor(&problem.models[m.model])).collect();
    let tests: Vec<String> = (tensor.iter().enumerate())
        .filter(|&(_, &tensor)| tensor)
        .map(|(index, _)| format!("material == {index}u"))
        .collect();
    let test = if tensor.iter().all(|&tensor| tensor) { "true".to_owned() } else { tests.join(" || ") };
    format!("\nbool material_is_tensor(uint material) {{ return {test}; }}\n")
}

/// Data that every particle carries for the models of the tensor variant in a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct History {
    /// The second elastic strain, two words.
    pub branch: bool,
    /// The deformation gradient, three words.
    pub deformation: bool,
}

impl History {
    /// Collects what the models of a problem ask for.
    pub fn of(problem: &Problem) -> Self {
        let mut history = Self { branch: false, deformation: false };
        for model in &problem.models {
            if let Variant::Tensor { branch, deformation } = model.descriptor().variant {
                history.branch |= branch;
                history.deformation |= deformation;
            }
        }
        history
    }

    /// Returns the number of words of 16 bytes per particle.
    pub fn words(self) -> u32 {
        2 * u32::from(self.branch) + 3 * u32::from(self.deformation)
    }

    /// Returns the words of a particle at rest.
    pub fn at_rest(self) -> Vec<[f32; 4]> {
        let branch = [[0.0; 4]; 2];
        let identity = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let branch = branch.into_iter().filter(|_| self.branch);
        branch.chain(identity.into_iter().filter(|_| self.deformation)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_read_back_exactly() {
        for value in [0.1_f32, 1.0, -3.25e-20, 353_700.0, f32::MIN_POSITIVE] {
            assert_eq!(literal(value).parse::<f32>().ok(), Some(value));
        }
    }
}
