//! The attribute table: one list from which buffers, shader declarations and listings are generated.

use crate::layout::StructLayout;
use ash::vk;

/// Element type of an attribute.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Element {
    /// `float`, 4 bytes.
    Float,
    /// `vec2`, 8 bytes.
    Vec2,
    /// `vec4`, 16 bytes.
    Vec4,
    /// `uint`, 4 bytes.
    Uint,
    /// `uvec2`, 8 bytes.
    Uvec2,
    /// `uvec4`, 16 bytes.
    Uvec4,
    /// A struct whose layout is shared with the host; the generated header declares it.
    Struct(&'static StructLayout),
}

impl Element {
    /// GLSL name of the type.
    pub fn glsl(&self) -> &'static str {
        match self {
            Element::Float => "float",
            Element::Vec2 => "vec2",
            Element::Vec4 => "vec4",
            Element::Uint => "uint",
            Element::Uvec2 => "uvec2",
            Element::Uvec4 => "uvec4",
            Element::Struct(layout) => layout.name,
        }
    }

    /// Returns the format of a texel buffer over the elements, the GLSL type that samples it and the components used.
    pub(crate) fn texels(&self) -> Option<(vk::Format, &'static str, &'static str)> {
        match self {
            Element::Float => Some((vk::Format::R32_SFLOAT, "samplerBuffer", "x")),
            Element::Vec2 => Some((vk::Format::R32G32_SFLOAT, "samplerBuffer", "xy")),
            Element::Vec4 => Some((vk::Format::R32G32B32A32_SFLOAT, "samplerBuffer", "xyzw")),
            Element::Uint => Some((vk::Format::R32_UINT, "usamplerBuffer", "x")),
            Element::Uvec2 => Some((vk::Format::R32G32_UINT, "usamplerBuffer", "xy")),
            Element::Uvec4 => Some((vk::Format::R32G32B32A32_UINT, "usamplerBuffer", "xyzw")),
            Element::Struct(_) => None,
        }
    }

    /// Size of one element, in bytes; arrays are tightly packed (scalar layout).
    pub fn bytes(&self) -> u64 {
        match self {
            Element::Float | Element::Uint => 4,
            Element::Vec2 | Element::Uvec2 => 8,
            Element::Vec4 | Element::Uvec4 => 16,
            Element::Struct(layout) => layout.bytes(),
        }
    }
}

/// Location of an attribute.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Device memory, which the host accesses through [`Store::upload`](crate::Store::upload) and
    /// [`Store::download`](crate::Store::download).
    Device,
    /// Mapped, coherent host memory for small blocks that the host reads or writes often: status, parameters.
    HostVisible,
}

/// One row of the attribute table.
#[derive(Copy, Clone, Debug)]
pub struct Attribute {
    /// Name in shaders (`velocity(i)`), listings, debug labels and errors: a GLSL identifier.
    pub name: &'static str,
    /// Further names in shaders, for stages that use the array for something else.
    pub aliases: &'static [&'static str],
    /// Element type.
    pub element: Element,
    /// Location.
    pub memory: Memory,
    /// Meaning, with unit and shape.
    pub help: &'static str,
}

/// Index of an attribute in its table.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct AttributeId(pub u16);
