//! Kinds of links on the device: one GLSL switch over the files of `shaders/include/constraints/links`.

use std::fmt::Write as _;

use tuff_problem::links::{Kind, MEMBERS, NUMBERS};

/// Result, name, parameters and arguments of the functions that every kind defines.
const FUNCTIONS: [(&str, &str, &str, &str); 5] = [
    ("float", "energy", "mat4 numbers, Ends e", "numbers, e"),
    ("vec3", "gradient", "mat4 numbers, uint role, Ends e", "numbers, role, e"),
    ("vec3", "product", "mat4 numbers, uint role, Ends e, Ends u", "numbers, role, e, u"),
    ("Symmetric", "block", "mat4 numbers, uint role, Ends e", "numbers, role, e"),
    (
        "void",
        "row",
        "mat4 numbers, Ends e, float w[LINK_MEMBERS], inout mat3 multipliers, inout vec3 impulse[LINK_MEMBERS]",
        "numbers, e, w, multipliers, impulse",
    ),
];

// A word of LINK_LIST has two bits for the kind and three for the member; a link has two words for its members and a matrix of numbers.
const _: () = assert!(Kind::ALL.len() <= 4 && MEMBERS <= 8 && NUMBERS == 16);

/// Returns the shader header `shaders/include/generated/link_kinds.glsl`.
pub fn header() -> String {
    let mut text = String::from("// Written from engine/solver/src/constraints/links.rs; do not edit.\n\n");
    for kind in Kind::ALL {
        let _ = writeln!(text, "#include \"constraints/links/{}.glsl\"", kind.name());
    }
    text += "\nuint link_members(uint kind) {\n";
    for kind in &Kind::ALL[1..] {
        let _ = writeln!(text, "    if (kind == {}u) return {}u;", *kind as u32, kind.members());
    }
    let _ = writeln!(text, "    return {}u;\n}}", Kind::ALL[0].members());
    for (result, function, parameters, arguments) in FUNCTIONS {
        let _ = writeln!(text, "\n{result} link_{function}(uint kind, {parameters}) {{");
        let call = |kind: &Kind| format!("{}_{function}({arguments});", kind.name());
        for kind in &Kind::ALL[1..] {
            let _ = match result {
                "void" => writeln!(
                    text,
                    "    if (kind == {}u) {{\n        {}\n        return;\n    }}",
                    *kind as u32,
                    call(kind)
                ),
                _ => writeln!(text, "    if (kind == {}u) return {}", *kind as u32, call(kind)),
            };
        }
        let last = if result == "void" { "" } else { "return " };
        let _ = writeln!(text, "    {last}{}\n}}", call(&Kind::ALL[0]));
    }
    text
}
