//! The materials of a scene as one GLSL source: constants, the models' own files, and a switch.

use std::fmt::Write as _;

use tuff_problem::Problem;

/// Name of the composed source in shaders.
pub const SOURCE: &str = "materials.glsl";

/// The composed source and the models' files that it includes: name, text.
///
/// Constants are literals, so that a scene with one material per model compiles to code without loads;
/// the cache of compiled shaders is keyed by the text.
pub fn sources(problem: &Problem) -> Vec<(String, String)> {
    let mut sources: Vec<(String, String)> =
        problem.models.iter().map(|m| (m.glsl_name().to_owned(), m.glsl().to_owned())).collect();
    sources.push((SOURCE.to_owned(), compose(problem)));
    sources
}

/// A literal that GLSL reads back as exactly this f32.
fn literal(value: f32) -> String {
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
    for model in &problem.models {
        let _ = writeln!(text, "#include \"{}\"", model.glsl_name());
    }
    for (signature, call) in [
        (
            "vec3 material_project(uint material, inout vec4 state, float dt, vec3 hencky, out float forget)",
            "project({c}, state, dt, hencky, forget)",
        ),
        ("float material_energy(uint material, vec4 state, vec3 hencky)", "energy({c}, state, hencky)"),
        ("vec3 material_kirchhoff(uint material, vec4 state, vec3 hencky)", "kirchhoff({c}, state, hencky)"),
        ("vec2 material_moduli(uint material, vec4 state)", "moduli({c}, state)"),
    ] {
        let _ = writeln!(text, "\n{signature} {{");
        let mut first_constant = 0;
        for (index, material) in problem.materials.iter().enumerate() {
            let id = &problem.models[material.model].descriptor().id;
            let call = call.replace("{c}", &format!("{first_constant}u"));
            if index + 1 == problem.materials.len() {
                let _ = writeln!(text, "    return {id}_{call};");
            } else {
                let _ = writeln!(text, "    if (material == {index}u) return {id}_{call};");
            }
            first_constant += material.constants.len();
        }
        text.push_str("}\n");
    }
    text
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
