//! The bodies of a scene as a GLSL source: their classes and the mask of their pairs.

use std::fmt::Write as _;

use tuff_problem::{Class, Problem};

/// Name of the composed source in shaders.
pub const SOURCE: &str = "bodies.glsl";

/// Returns the composed source.
pub fn source(problem: &Problem) -> String {
    let ranges = problem.classes.ranges();
    let mut text = String::from("// Classes of bodies, by the index of a class's first body.\n");
    let later: Vec<String> =
        ranges.iter().skip(1).map(|range| format!(" + uint(body >= {}u)", range.first)).collect();
    let _ = writeln!(text, "uint class_of(uint body) {{ return 0u{}; }}\n", later.concat());

    text.push_str(
        "// What a class sees of another one: 1 lists those of the same body, 2 of others; 4 and 8 weigh them; 16 and 32 keep them \
         at a distance.\n",
    );
    let bits = |a: usize, b: usize| {
        let [same, other] =
            [true, false].map(|same_body| problem.classes.pairing_of(&ranges[a], &ranges[b], same_body));
        u32::from(same.listed)
            | u32::from(other.listed) << 1
            | u32::from(same.weighed) << 2
            | u32::from(other.weighed) << 3
            | u32::from(same.apart) << 4
            | u32::from(other.apart) << 5
    };
    let rows: Vec<Vec<u32>> =
        (0..ranges.len()).map(|a| (0..ranges.len()).map(|b| bits(a, b)).collect()).collect();
    let mask: Vec<String> = rows.iter().flatten().map(|bits| format!("{bits}u")).collect();
    let _ = writeln!(text, "const uint PAIR_MASK[] = uint[]({});", mask.join(", "));
    let all: Vec<String> =
        rows.iter().map(|row| row.iter().all(|bits| bits & 0x33 == 0x33).to_string()).collect();
    let _ = writeln!(text, "// Classes whose particles list all others and keep away from them.");
    let _ = writeln!(text, "const bool LISTS_ALL[] = bool[]({});", all.join(", "));
    let fluid: Vec<String> = ranges.iter().map(|range| (range.class == Class::Fluid).to_string()).collect();
    let _ = writeln!(text, "const bool FLUID[] = bool[]({});", fluid.join(", "));
    let one = problem.scene.bodies.len() == 1 && problem.classes.pairing(0, 0).weighed;
    let _ = writeln!(text, "const bool ONE_BODY = {one};\n");
    let total = ranges.iter().position(|range| range.class == Class::Total);
    let class = total.map_or("false".to_owned(), |class| format!("class_of(body) == {class}u"));
    let _ = writeln!(text, "bool is_total_body(uint body) {{ return {class}; }}");
    let _ = write!(
        text,
        "uint pair_mask(uint body, uint other) {{\n    \
             return PAIR_MASK[class_of(body) * {}u + class_of(other)] >> uint(body != other);\n}}\n\n\
         bool lists_all(uint body) {{ return LISTS_ALL[class_of(body)]; }}\n\
         bool is_fluid(uint body) {{ return FLUID[class_of(body)]; }}\n\
         bool is_listed(uint body, uint other) {{ return (pair_mask(body, other) & 1u) != 0u; }}\n\
         bool is_weighed(uint body, uint other) {{ return (pair_mask(body, other) & 4u) != 0u; }}\n\
         bool is_kept_apart(uint body, uint other) {{ return (pair_mask(body, other) & 16u) != 0u; }}\n",
        ranges.len()
    );
    text
}
