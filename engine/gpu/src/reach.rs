//! Decides how shaders reach attributes, and generates the GLSL declarations.

use crate::attributes::{Attribute, AttributeId, Element};
use crate::device::Limits;
use crate::layout::{PushField, layout_glsl, push_glsl};
use crate::stage::{Access, StageDeclaration};
use crate::store::StoreOptions;
use std::fmt::Write as _;

/// Way to reach an attribute.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// One buffer, small enough for a storage buffer binding.
    Bound,
    /// One buffer, through a texel buffer: for stages that only read it, on software drivers.
    Texels,
    /// One buffer, by its device address.
    Address,
    /// Several buffers of `1 << shift` elements each, by device address. Their addresses begin at index `base` of the table.
    Chunked { shift: u32, base: u32 },
}

impl Reach {
    /// Returns true if the address table is needed.
    pub(crate) fn by_address(&self) -> bool {
        matches!(self, Reach::Address | Reach::Chunked { .. })
    }
}

/// Returns the number of elements per buffer (as a power of two) if an attribute of `bytes_per_element * count` bytes must be
/// split.
pub(crate) fn chunk_shift(
    element_bytes: u64,
    count: u64,
    limits: &Limits,
    options: &StoreOptions,
) -> Option<u32> {
    // An offset within a chunk is 32 bits wide in shaders.
    let most = options.chunk_bytes.unwrap_or(limits.allocation).min(1 << 32);
    (element_bytes * count > most).then(|| (most / element_bytes).max(1).ilog2())
}

/// Returns how an attribute in one piece is reached.
pub(crate) fn whole(bytes: u64, limits: &Limits, options: &StoreOptions) -> Reach {
    if options.addresses || bytes > limits.storage_range { Reach::Address } else { Reach::Bound }
}

/// Returns the reach of each access of a stage: as in the store, except through texel buffers for attributes that it only reads
/// and that have them (`texels`), and with no more bindings than a stage may have.
pub(crate) fn stage_reaches(
    accesses: &[(AttributeId, Access)],
    reach: impl Fn(AttributeId) -> Reach,
    texels: impl Fn(AttributeId) -> bool,
    limits: &Limits,
) -> Vec<Reach> {
    let mut bindings = 0;
    accesses
        .iter()
        .map(|(id, access)| match reach(*id) {
            Reach::Bound if *access == Access::Read && texels(*id) => Reach::Texels,
            Reach::Bound if bindings == limits.storage_buffers => Reach::Address,
            Reach::Bound => {
                bindings += 1;
                Reach::Bound
            }
            other => other,
        })
        .collect()
}

/// Returns the virtual file `attributes.glsl` of a stage. Binding 0 is the address table of `table_slots` entries (the first
/// slots are the attributes by id); bound attributes follow in order of declaration. All names besides the attributes' own begin
/// with `attribute_`, so that a shader's functions cannot clash with the declarations of one device and compile on another.
pub(crate) fn attributes_glsl(
    table: &[Attribute],
    stage: &StageDeclaration,
    reaches: &[Reach],
    table_slots: u32,
    push: &[PushField],
) -> String {
    let mut text = format!("// Attributes of stage {}, generated.\n", stage.name);
    let mut structs = Vec::new();
    for (id, _) in stage.accesses {
        if let Element::Struct(layout) = table[usize::from(id.0)].element
            && !structs.contains(layout)
        {
            structs.push(*layout);
        }
    }
    text += &layout_glsl(&structs);
    text += &push_glsl(push);
    if reaches.iter().any(Reach::by_address) {
        let _ = writeln!(
            text,
            "layout(set = 0, binding = 0, scalar) uniform AttributeAddresses {{ uvec2 slot[{table_slots}]; }} \
             attribute_addresses;"
        );
    }
    let mut binding = 0;
    for ((id, access), reach) in stage.accesses.iter().zip(reaches) {
        let row = &table[usize::from(id.0)];
        let (name, element) = (row.name, row.element.glsl());
        let qualifier = match access {
            Access::Read => "readonly ",
            Access::Write => "writeonly ",
            Access::ReadWrite => "",
            Access::Coherent => "coherent ",
        };
        let help = row.help.replace('\n', " ");
        let align = if row.element.bytes().is_power_of_two() { row.element.bytes().min(16) } else { 4 };
        let _ = writeln!(text, "// {help}");
        match reach {
            Reach::Bound => {
                binding += 1;
                let _ = writeln!(
                    text,
                    "layout(set = 0, binding = {binding}, scalar) restrict {qualifier}buffer attribute_block_{name} {{ {element} \
                     attribute_data_{name}[]; }};\n#define {name}(i) attribute_data_{name}[i]"
                );
            }
            Reach::Texels => {
                binding += 1;
                let (_, sampler, components) = row.element.texels().unwrap_or_default();
                let _ = writeln!(
                    text,
                    "layout(set = 0, binding = {binding}) uniform {sampler} attribute_texels_{name};\n\
                     #define {name}(i) texelFetch(attribute_texels_{name}, int(i)).{components}"
                );
            }
            Reach::Address => {
                let _ = writeln!(
                    text,
                    "layout(buffer_reference, scalar, buffer_reference_align = {align}) {qualifier}buffer attribute_block_{name} \
                     {{ {element} data[]; }};\n\
                     #define {name}(i) attribute_block_{name}(attribute_addresses.slot[{}]).data[i]",
                    id.0
                );
            }
            Reach::Chunked { shift, base } => {
                let mask = (1u64 << shift) - 1;
                let _ = writeln!(
                    text,
                    "layout(buffer_reference, scalar, buffer_reference_align = {align}) {qualifier}buffer attribute_block_{name} \
                     {{ {element} value; }};\n\
                     attribute_block_{name} attribute_element_{name}(uint i) {{\n    \
                     uvec2 address = attribute_addresses.slot[{base}u + (i >> {shift}u)];\n    \
                     uint carry;\n    \
                     address.x = uaddCarry(address.x, (i & {mask}u) * {}u, carry);\n    \
                     return attribute_block_{name}(uvec2(address.x, address.y + carry));\n\
                     }}\n\
                     #define {name}(i) attribute_element_{name}(i).value",
                    row.element.bytes()
                );
            }
        }
        for alias in row.aliases {
            let _ = writeln!(text, "#define {alias}(i) {name}(i)");
        }
    }
    for (index, row) in table.iter().enumerate() {
        if stage.accesses.iter().any(|(id, _)| usize::from(id.0) == index) {
            continue;
        }
        for name in std::iter::once(&row.name).chain(row.aliases) {
            let _ =
                writeln!(text, "#define {name}(i) attribute_{name}_is_not_declared_by_stage_{}", stage.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Memory;

    fn limits() -> Limits {
        Limits {
            storage_range: 1 << 27,
            storage_buffers: 2,
            texel_elements: 0,
            allocation: 1 << 31,
            uniform_range: 1 << 14,
            groups: [65_535; 3],
            timestamp_period: 1.0,
            timestamp_bits: 64,
            cache_uuid: [0; 16],
            vendor: 0,
            device: 0,
        }
    }

    #[test]
    fn large_attributes_are_reached_by_address_and_split_beyond_one_allocation() {
        let (limits, options) = (limits(), StoreOptions::default());
        assert_eq!(whole(1 << 27, &limits, &options), Reach::Bound);
        assert_eq!(whole((1 << 27) + 4, &limits, &options), Reach::Address);
        assert_eq!(whole(4, &limits, &StoreOptions { addresses: true, ..options }), Reach::Address);
        assert_eq!(chunk_shift(16, 1 << 27, &limits, &options), None);
        assert_eq!(chunk_shift(16, (1 << 27) + 1, &limits, &options), Some(27));
        // 12-byte elements: 2^31 / 12 rounded down to a power of two.
        assert_eq!(chunk_shift(12, 1 << 28, &limits, &options), Some(27));
        let small = StoreOptions { chunk_bytes: Some(100), ..options };
        assert_eq!(chunk_shift(16, 7, &limits, &small), Some(2));
        assert_eq!(chunk_shift(16, 6, &limits, &small), None);
        assert_eq!(chunk_shift(16, 2, &limits, &StoreOptions { chunk_bytes: Some(1), ..options }), Some(0));
    }

    #[test]
    fn bindings_beyond_the_limit_become_addresses() {
        let accesses: Vec<_> = (0..4).map(|id| (AttributeId(id), Access::Read)).collect();
        let reach = |id: AttributeId| if id.0 == 1 { Reach::Address } else { Reach::Bound };
        assert_eq!(
            stage_reaches(&accesses, reach, |_| false, &limits()),
            [Reach::Bound, Reach::Address, Reach::Bound, Reach::Address]
        );
    }

    #[test]
    fn only_what_a_stage_merely_reads_goes_through_texels() {
        let accesses = [
            (AttributeId(0), Access::Read),
            (AttributeId(1), Access::ReadWrite),
            (AttributeId(2), Access::Read),
        ];
        let reach = |id: AttributeId| if id.0 == 2 { Reach::Address } else { Reach::Bound };
        let reaches = stage_reaches(&accesses, reach, |_| true, &limits());
        assert_eq!(reaches, [Reach::Texels, Reach::Bound, Reach::Address]);
    }

    #[test]
    fn header_names_attributes_and_refuses_undeclared_ones() {
        static TABLE: [Attribute; 3] = [
            Attribute {
                name: "mass",
                aliases: &["weight"],
                element: Element::Float,
                memory: Memory::Device,
                help: "Mass [kg].",
            },
            Attribute {
                name: "velocity",
                aliases: &[],
                element: Element::Vec4,
                memory: Memory::Device,
                help: "Velocity [m/s].",
            },
            Attribute {
                name: "color",
                aliases: &["tint"],
                element: Element::Uint,
                memory: Memory::Device,
                help: "Color.",
            },
        ];
        let stage = StageDeclaration {
            name: "push",
            shader: "push.comp",
            accesses: &[(AttributeId(0), Access::Read), (AttributeId(1), Access::Write)],
            indirect: None,
        };
        let text = attributes_glsl(&TABLE, &stage, &[Reach::Texels, Reach::Bound], 64, &[]);
        assert!(text.contains("layout(set = 0, binding = 1) uniform samplerBuffer attribute_texels_mass;"));
        assert!(text.contains(
            "#define mass(i) texelFetch(attribute_texels_mass, int(i)).x\n#define weight(i) mass(i)\n"
        ));
        assert!(text.contains("binding = 2, scalar") && !text.contains("AttributeAddresses"));
        let text =
            attributes_glsl(&TABLE, &stage, &[Reach::Bound, Reach::Chunked { shift: 4, base: 64 }], 128, &[]);
        assert!(text.contains(
            "// Mass [kg].\nlayout(set = 0, binding = 1, scalar) restrict readonly buffer attribute_block_mass"
        ));
        assert!(text.contains("#define mass(i) attribute_data_mass[i]"));
        assert!(
            text.contains("writeonly buffer attribute_block_velocity")
                && text.contains("slot[64u + (i >> 4u)]")
        );
        assert!(text.contains("(i & 15u) * 16u") && text.contains("uvec2 slot[128]"));
        assert!(text.contains("#define color(i) attribute_color_is_not_declared_by_stage_push"));
        assert!(text.contains("#define tint(i) attribute_tint_is_not_declared_by_stage_push"));
    }
}
