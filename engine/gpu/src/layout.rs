//! Struct layouts shared by host and shaders: one Rust table, from which the GLSL text is generated.
//!
//! Structs are laid out by the rules of `GL_EXT_scalar_block_layout`. All members have 4-byte scalars, so a `#[repr(C)]`
//! struct of `u32`, `i32`, `f32` and arrays of them has the same offsets, without padding.

use std::fmt::Write as _;

/// Type of a struct member or push constant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// `float` / `f32`.
    Float,
    /// `vec2` / `[f32; 2]`.
    Vec2,
    /// `vec3` / `[f32; 3]`: 12 bytes.
    Vec3,
    /// `vec4` / `[f32; 4]`.
    Vec4,
    /// `int` / `i32`.
    Int,
    /// `uint` / `u32`.
    Uint,
    /// `uvec2` / `[u32; 2]`.
    Uvec2,
    /// `uvec3` / `[u32; 3]`: 12 bytes.
    Uvec3,
    /// `uvec4` / `[u32; 4]`.
    Uvec4,
}

impl FieldType {
    /// GLSL name of the type.
    pub const fn glsl(self) -> &'static str {
        match self {
            FieldType::Float => "float",
            FieldType::Vec2 => "vec2",
            FieldType::Vec3 => "vec3",
            FieldType::Vec4 => "vec4",
            FieldType::Int => "int",
            FieldType::Uint => "uint",
            FieldType::Uvec2 => "uvec2",
            FieldType::Uvec3 => "uvec3",
            FieldType::Uvec4 => "uvec4",
        }
    }

    /// Size, in bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            FieldType::Float | FieldType::Int | FieldType::Uint => 4,
            FieldType::Vec2 | FieldType::Uvec2 => 8,
            FieldType::Vec3 | FieldType::Uvec3 => 12,
            FieldType::Vec4 | FieldType::Uvec4 => 16,
        }
    }
}

/// A member of a [`StructLayout`].
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Field {
    /// Member name.
    pub name: &'static str,
    /// Member type.
    pub kind: FieldType,
    /// Array length; 0 for a plain member.
    pub count: u32,
    /// Meaning and unit; becomes the comment in the GLSL text.
    pub help: &'static str,
}

impl Field {
    /// Size, in bytes.
    pub const fn bytes(&self) -> u64 {
        let count = if self.count == 0 { 1 } else { self.count as u64 };
        self.kind.bytes() * count
    }
}

/// A struct that host and shaders share.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct StructLayout {
    /// GLSL type name.
    pub name: &'static str,
    /// Meaning.
    pub help: &'static str,
    /// Members in order.
    pub fields: &'static [Field],
}

impl StructLayout {
    /// Size, in bytes.
    pub fn bytes(&self) -> u64 {
        self.fields.iter().map(Field::bytes).sum()
    }

    /// Offset of a member, in bytes.
    pub fn offset(&self, field: &str) -> Option<u64> {
        let mut offset = 0;
        for candidate in self.fields {
            if candidate.name == field {
                return Some(offset);
            }
            offset += candidate.bytes();
        }
        None
    }
}

/// Returns the GLSL declarations of `structs`, in order. Each is guarded, so that two files may include it.
pub fn layout_glsl(structs: &[StructLayout]) -> String {
    let mut text = String::new();
    for layout in structs {
        let mut body = String::new();
        for field in layout.fields {
            let array = if field.count == 0 { String::new() } else { format!("[{}]", field.count) };
            let _ = writeln!(body, "    {} {}{array};  // {}", field.kind.glsl(), field.name, field.help);
        }
        let name = layout.name;
        let _ = writeln!(
            text,
            "#ifndef TUFF_STRUCT_{name}\n#define TUFF_STRUCT_{name}\n// {}\nstruct {name} {{\n{body}}};\n#endif",
            layout.help
        );
    }
    text
}

/// A member of the push constant block, which all stages of an executor share. Shaders write `push.NAME`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PushField {
    /// Member name.
    pub name: &'static str,
    /// Member type. Members are packed tightly, in order.
    pub glsl_type: FieldType,
    /// Meaning and unit.
    pub help: &'static str,
}

/// Returns the GLSL declaration of the push constant block; empty without fields.
pub fn push_glsl(fields: &[PushField]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut text = String::from("layout(push_constant, scalar) uniform Push {\n");
    for field in fields {
        let _ = writeln!(text, "    {} {};  // {}", field.glsl_type.glsl(), field.name, field.help);
    }
    text.push_str("} push;\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: StructLayout = StructLayout {
        name: "Status",
        help: "What the substep reports.",
        fields: &[
            Field { name: "failed", kind: FieldType::Uint, count: 0, help: "bit per stage" },
            Field { name: "center", kind: FieldType::Vec3, count: 0, help: "center of mass [m]" },
            Field { name: "counters", kind: FieldType::Uint, count: 5, help: "events" },
            Field { name: "momentum", kind: FieldType::Vec4, count: 2, help: "[kg m/s]" },
        ],
    };

    #[repr(C)]
    struct Status {
        failed: u32,
        center: [f32; 3],
        counters: [u32; 5],
        momentum: [[f32; 4]; 2],
    }

    #[test]
    fn offsets_are_those_of_a_c_struct() {
        assert_eq!(STATUS.bytes(), size_of::<Status>() as u64);
        for (name, offset) in [
            ("failed", std::mem::offset_of!(Status, failed)),
            ("center", std::mem::offset_of!(Status, center)),
            ("counters", std::mem::offset_of!(Status, counters)),
            ("momentum", std::mem::offset_of!(Status, momentum)),
        ] {
            assert_eq!(STATUS.offset(name), Some(offset as u64), "{name}");
        }
        assert_eq!(STATUS.offset("none"), None);
    }

    #[test]
    fn glsl_lists_the_fields_in_order() {
        assert_eq!(
            layout_glsl(&[STATUS]),
            "#ifndef TUFF_STRUCT_Status\n#define TUFF_STRUCT_Status\n// What the substep reports.\nstruct Status {\n    \
             uint failed;  // bit per stage\n    vec3 center;  // center of mass [m]\n    \
             uint counters[5];  // events\n    vec4 momentum[2];  // [kg m/s]\n};\n#endif\n"
        );
        assert_eq!(push_glsl(&[]), "");
        let push = [PushField { name: "dt", glsl_type: FieldType::Float, help: "time step [s]" }];
        assert_eq!(
            push_glsl(&push),
            "layout(push_constant, scalar) uniform Push {\n    float dt;  // time step [s]\n} push;\n"
        );
    }
}
