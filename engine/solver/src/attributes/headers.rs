//! Shader headers generated from the table.

use std::collections::BTreeMap;

use super::{ALIASES, Extent, KEPT, Kept, LANES, Lane, TABLE};

/// Returns the shader header `shaders/include/generated/kept.glsl`: the copies of kept attributes by the sort.
pub fn kept_header() -> String {
    let mut text = String::from(
        "// Written from engine/solver/src/attributes; do not edit.\n\n\
         // Copies the kept attributes of particle `from` to its place `to` in the order of the cells.\n\
         void sort_kept(uint from, uint to) {\n",
    );
    for kept in KEPT {
        text += &format!("    {}\n", copy(kept));
    }
    text + "}\n"
}

/// Returns the statement that copies a kept attribute of a particle.
fn copy(kept: &Kept) -> String {
    let [sorted, committed] = [kept.sorted, kept.committed].map(|id| TABLE[usize::from(id.0)].name);
    match kept.extent {
        Extent::Particle => format!("{sorted}(to) = {committed}(from);"),
        Extent::Newton => format!("if (NEWTON) {sorted}(to) = {committed}(from);"),
        Extent::Mixed => format!("\n#ifdef MIXTURES\n    {sorted}(to) = {committed}(from);\n#endif"),
        Extent::History => format!(
            "for (uint k = 0u; k < HISTORY_WORDS; ++k) {sorted}(to * HISTORY_WORDS + k) = {committed}(from * HISTORY_WORDS + k);"
        ),
        Extent::Plastic => format!(
            "if (TOTAL_COUNT > 0u) for (uint k = 0u; k < 2u; ++k) {sorted}(to * 2u + k) = {committed}(from * 2u + k);"
        ),
        Extent::Deformation => format!(
            "if (DEFORMATION) for (uint k = 0u; k < 3u; ++k) {sorted}(to * 3u + k) = {committed}(from * 3u + k);"
        ),
        other => unreachable!("the sort knows no copy of {sorted}, which has one element per {other:?}"),
    }
}

/// Returns the shader header `shaders/include/generated/lanes.glsl`: a macro `NAME_of(element)` for every lane of one component.
pub fn lanes_header() -> String {
    let mut text = String::from("// Written from engine/solver/src/attributes; do not edit.\n\n");
    for (name, lane) in single_lanes() {
        text += &format!("#define {name}_of(element) (element).{} // [{}]\n", lane.at, lane.unit);
    }
    text
}

/// Returns the lanes of one component of elements with several lanes, by name.
fn single_lanes() -> BTreeMap<&'static str, Lane> {
    let lanes = LANES.iter().copied().chain(ALIASES.iter().map(|alias| alias.1));
    let several = lanes.filter(|lanes| lanes.len() > 1);
    several.flatten().filter(|lane| lane.at.len() == 1).map(|lane| (lane.name, *lane)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_cover_their_elements_without_overlap() {
        let own = TABLE.iter().zip(LANES).map(|(row, lanes)| (row.name, row.element, *lanes));
        let element = |name: &str| TABLE.iter().find(|row| row.aliases.contains(&name)).unwrap().element;
        let other = ALIASES.iter().map(|&(name, lanes)| (name, element(name), lanes));
        for (name, element, lanes) in own.chain(other) {
            let components: String = lanes.iter().map(|lane| lane.at).collect();
            // The fourth component of a spatial vector may be unused.
            let size = (element.bytes() / 4) as usize;
            let whole = components == "xyzw"[..size] || (size == 4 && components == "xyz");
            assert!(whole, "{name}: {components}");
        }
    }

    #[test]
    fn an_accessor_means_one_component_and_one_unit() {
        let lanes = LANES.iter().copied().chain(ALIASES.iter().map(|alias| alias.1));
        let named = single_lanes();
        for lane in lanes.filter(|lanes| lanes.len() > 1).flatten().filter(|lane| lane.at.len() == 1) {
            let first = &named[lane.name];
            assert_eq!(first, lane);
        }
    }
}
