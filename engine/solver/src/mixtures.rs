//! The mixtures of a scene as a GLSL source.

use std::fmt::Write as _;

use tuff_problem::{Pores, Problem, SPARSE_STEP};

use crate::materials::literal;

/// Name of the composed source, which `mixture.glsl` includes.
pub const SOURCE: &str = "pores.glsl";

/// Macro under which shaders know of mixtures: their number.
pub const MACRO: &str = "MIXTURES";

/// Returns the composed source; `None` if there are no mixtures.
pub fn source(problem: &Problem) -> Option<String> {
    let all = problem.mixtures.all();
    if all.is_empty() {
        return None;
    }
    let array = |kind: &str, name: &str, values: Vec<String>| {
        format!("const {kind} {name}[] = {kind}[]({});\n", values.join(", "))
    };
    let each = |of: &dyn Fn(&Pores) -> String| all.iter().map(of).collect::<Vec<String>>();
    let vector = |a: f64, b: f64| format!("vec2({}, {})", literal(a as f32), literal(b as f32));
    let mut text = String::from(
        "// Materials of fluid and grains; solid part of these and drag of the fluid [kg/(m^3 s)].\n",
    );
    text += &array("uvec2", "MIXED", each(&|pores| format!("uvec2({}u, {}u)", pores.fluid, pores.grains)));
    text += &array("vec2", "PORES", each(&|pores| vector(pores.solid, pores.drag)));
    text += "// Saturation and cohesion [Pa]; ranges of points, and the state words that take it.\n";
    let points = all.iter().flat_map(|pores| &pores.cohesion).map(|[s, c]| vector(*s, *c));
    text += &array("vec2", "CURVE", points.chain(["vec2(0.0)".to_owned()]).collect());
    let mut first = 0;
    let ranges = all.iter().map(|pores| {
        let range = format!("uvec2({first}u, {}u)", first + pores.cohesion.len());
        first += pores.cohesion.len();
        range
    });
    text += &array("uvec2", "CURVE_RANGE", ranges.collect());
    text += "// Sums V W over sparse lattices, by the volume per particle [r^3].\n";
    let sums = problem.mixtures.sparse_sums().iter().map(|sum| literal(*sum as f32));
    text += &array("float", "SPARSE", sums.collect());
    let _ = writeln!(text, "const float SPARSE_STEP = {};", literal(SPARSE_STEP as f32));
    let _ = write!(text, "{}", array("uint", "WETTING_WORD", each(&|pores| format!("{}u", pores.word))));
    Some(text)
}
