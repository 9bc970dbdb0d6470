//! Converts C structs of a library to owned values, trusting nothing.

use std::path::Path;

use tuff_material_sdk::abi::{
    self, ABI_MAJOR, ABI_MINOR, ABI_VERSION, Sized32, TuffMaterial, TuffParameter, TuffStateWord, TuffString,
    TuffTensor,
};
use tuff_material_sdk::descriptor::{
    Claims, Descriptor, Initial, Parameter, ParameterKind, StateWord, Variant,
};

use crate::PluginError;
use crate::memory::is_readable;

/// Largest accepted struct \[bytes\].
const MAX_STRUCT_SIZE: u32 = 4096;
/// Longest accepted text \[bytes\].
const MAX_TEXT: u64 = 1 << 24;
/// Maximum accepted number of parameters, words or aliases.
const MAX_COUNT: u32 = 256;

/// The file of a library's table, for messages.
pub(crate) struct Reader<'a> {
    pub(crate) path: &'a Path,
}

/// Contents of the table, owned.
pub(crate) struct Contents {
    pub(crate) descriptor: Descriptor,
    pub(crate) glsl_name: String,
    pub(crate) glsl: String,
    /// Functions of the tensor variant.
    pub(crate) tensor: Option<TuffTensor>,
}

impl Reader<'_> {
    pub(crate) fn invalid(&self, message: impl Into<String>) -> PluginError {
        PluginError::Invalid { path: self.path.to_path_buf(), message: message.into() }
    }

    /// Reads the struct at `pointer`, after checking its size and version.
    ///
    /// # Safety
    /// `pointer` is null or leads to at least as many readable bytes as the struct's size field says.
    pub(crate) unsafe fn read<T: Sized32 + Copy>(
        &self,
        pointer: *const T,
        what: &str,
    ) -> Result<T, PluginError> {
        if pointer.is_null() {
            return Err(self.invalid(format!("{what} is a null pointer")));
        }
        if !pointer.is_aligned() {
            return Err(self.invalid(format!("{what} is not aligned")));
        }
        if !is_readable(pointer, size_of::<[u32; 2]>()) {
            return Err(self.invalid(format!("{what} is a pointer to nowhere")));
        }
        // SAFETY: every struct begins with two 32-bit words, and the pointer is aligned for them.
        let [size, version] = unsafe { pointer.cast::<[u32; 2]>().read() };
        let refuse = |found: String, expected: String| {
            Err(PluginError::Abi { path: self.path.to_path_buf(), what: what.into(), found, expected })
        };
        let (major, minor) = (version >> 16, version & 0xffff);
        if major != ABI_MAJOR {
            return refuse(format!("ABI version {major}.{minor}"), format!("{ABI_MAJOR}.{ABI_MINOR}"));
        }
        let known = size_of::<T>() as u32;
        let (low, high) = match version.cmp(&ABI_VERSION) {
            std::cmp::Ordering::Less => (T::FIRST_SIZE, known),
            std::cmp::Ordering::Equal => (known, known),
            std::cmp::Ordering::Greater => (known, MAX_STRUCT_SIZE),
        };
        if size < low || size > high || !(size as usize).is_multiple_of(align_of::<T>()) {
            let expected =
                if low == high { format!("{low} bytes") } else { format!("{low} to {high} bytes") };
            return refuse(format!("a struct of {size} bytes in ABI version {major}.{minor}"), expected);
        }
        if !is_readable(pointer, size as usize) {
            return Err(self.invalid(format!("{what} is shorter than its {size} bytes")));
        }
        let mut value = std::mem::MaybeUninit::<T>::zeroed();
        let bytes = size.min(known) as usize;
        // SAFETY: `bytes` is within both structs; all fields that an older library lacks stay zero, which every ABI
        // struct allows (numbers, nullable pointers, optional functions).
        unsafe {
            std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), value.as_mut_ptr().cast::<u8>(), bytes);
            Ok(value.assume_init())
        }
    }

    /// Reads an array of structs whose stride is their own size field.
    unsafe fn array<T: Sized32 + Copy>(
        &self,
        first: *const T,
        count: u32,
        what: &str,
    ) -> Result<Vec<T>, PluginError> {
        if count > MAX_COUNT {
            return Err(
                self.invalid(format!("{count} {what}s are declared; at most {MAX_COUNT} are allowed"))
            );
        }
        let mut items = Vec::new();
        let mut pointer = first;
        for index in 0..count {
            // SAFETY: the caller vouches for `count` structs from `first` on, each as long as its size field says.
            let item = unsafe { self.read(pointer, &format!("{what} {index}")) }?;
            // SAFETY: `read` has checked the pointer and the size.
            pointer = unsafe { pointer.byte_add(pointer.cast::<u32>().read() as usize) };
            items.push(item);
        }
        Ok(items)
    }

    /// # Safety
    /// The string is null or leads to `length` readable bytes.
    unsafe fn text(&self, string: TuffString, what: &str) -> Result<String, PluginError> {
        if string.length == 0 {
            return Ok(String::new());
        }
        if string.data.is_null() {
            return Err(self.invalid(format!("{what} is a null pointer with length {}", string.length)));
        }
        if string.length > MAX_TEXT {
            return Err(self
                .invalid(format!("{what} is {} bytes long; at most {MAX_TEXT} are allowed", string.length)));
        }
        if !is_readable(string.data, string.length as usize) {
            return Err(self.invalid(format!("{what} is shorter than its {} bytes", string.length)));
        }
        // SAFETY: not null, and the library vouches for `length` bytes.
        let bytes = unsafe { std::slice::from_raw_parts(string.data.cast::<u8>(), string.length as usize) };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| self.invalid(format!("{what} is not UTF-8 (byte {})", error.valid_up_to())))?;
        Ok(text.to_owned())
    }

    unsafe fn texts(
        &self,
        first: *const TuffString,
        count: u32,
        what: &str,
    ) -> Result<Vec<String>, PluginError> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if first.is_null() || !first.is_aligned() {
            return Err(self.invalid(format!("the list of {what} is a null or misaligned pointer")));
        }
        if count > MAX_COUNT {
            return Err(self.invalid(format!("{count} {what} are declared; at most {MAX_COUNT} are allowed")));
        }
        if !is_readable(first, count as usize * size_of::<TuffString>()) {
            return Err(self.invalid(format!("the list of {what} is shorter than its {count} entries")));
        }
        // SAFETY: the caller vouches for `count` strings.
        (0..count as usize).map(|i| unsafe { self.text(first.add(i).read(), what) }).collect()
    }

    /// # Safety
    /// The table comes from a library built for the ABI version in the table.
    pub(crate) unsafe fn contents(&self, table: &TuffMaterial) -> Result<Contents, PluginError> {
        // SAFETY: as for this function; each call reads the memory behind one field of the table.
        unsafe {
            let parameters = self.array(table.parameters, table.parameter_count, "parameter")?;
            let states = self.array(table.states, table.state_count, "state word")?;
            let tensor = match table.variant {
                abi::VARIANT_PRINCIPAL => None,
                abi::VARIANT_TENSOR => Some(self.read(table.tensor, "the table of the tensor variant")?),
                other => return Err(self.invalid(format!("the variant is {other}; allowed are 0 and 1"))),
            };
            if let Some(needs) = tensor.map(|tensor: TuffTensor| tensor.needs)
                && needs & !(abi::NEEDS_BRANCH | abi::NEEDS_DEFORMATION) != 0
            {
                return Err(
                    self.invalid(format!("the tensor variant needs {needs:#x}; allowed are bits 1 and 2"))
                );
            }
            let descriptor = Descriptor {
                id: self.text(table.id, "the id")?,
                version: self.text(table.version, "the version")?,
                author: self.text(table.author, "the author")?,
                help: self.text(table.help, "the help text")?,
                reference: self.text(table.reference, "the reference")?,
                parameters: parameters.iter().map(|p| self.parameter(p)).collect::<Result<_, _>>()?,
                states: states.iter().map(|s| self.state(s)).collect::<Result<_, _>>()?,
                claims: Claims {
                    isotropic: table.claims & abi::CLAIM_ISOTROPIC != 0,
                    volume_preserving: table.claims & abi::CLAIM_VOLUME_PRESERVING != 0,
                    rate_independent: table.claims & abi::CLAIM_RATE_INDEPENDENT != 0,
                    dissipative: table.claims & abi::CLAIM_DISSIPATIVE != 0,
                },
                variant: tensor.map_or(Variant::Principal, |tensor| Variant::Tensor {
                    branch: tensor.needs & abi::NEEDS_BRANCH != 0,
                    deformation: tensor.needs & abi::NEEDS_DEFORMATION != 0,
                }),
                constant_count: table.constant_count as usize,
            };
            let glsl_name = self.text(table.glsl_name, "the name of the GLSL text")?;
            Ok(Contents { descriptor, glsl_name, glsl: self.text(table.glsl, "the GLSL text")?, tensor })
        }
    }

    unsafe fn parameter(&self, p: &TuffParameter) -> Result<Parameter, PluginError> {
        // SAFETY: as for `contents`.
        unsafe {
            let name = self.text(p.name, "a parameter's name")?;
            let kind = match p.kind {
                abi::KIND_NUMBER => ParameterKind::Number,
                abi::KIND_BOOLEAN => ParameterKind::Boolean,
                abi::KIND_CHOICE => {
                    ParameterKind::Choice(self.texts(p.choices, p.choice_count, "choices")?)
                }
                other => {
                    let message = format!("the kind of parameter {name} is {other}; allowed are 0, 1 and 2");
                    return Err(self.invalid(message));
                }
            };
            Ok(Parameter {
                name,
                unit: self.text(p.unit, "a parameter's unit")?,
                kind,
                default: (p.flags & abi::PARAMETER_HAS_DEFAULT != 0).then_some(p.default_value),
                required: p.flags & abi::PARAMETER_REQUIRED != 0,
                min: p.min,
                max: p.max,
                min_exclusive: p.flags & abi::PARAMETER_MIN_EXCLUSIVE != 0,
                max_exclusive: p.flags & abi::PARAMETER_MAX_EXCLUSIVE != 0,
                help: self.text(p.help, "a parameter's help text")?,
                aliases: self.texts(p.aliases, p.alias_count, "aliases")?,
                typical: (p.flags & abi::PARAMETER_HAS_TYPICAL != 0).then_some(p.typical_value),
            })
        }
    }

    unsafe fn state(&self, s: &TuffStateWord) -> Result<StateWord, PluginError> {
        // SAFETY: as for `contents`.
        unsafe {
            Ok(StateWord {
                name: self.text(s.name, "a state word's name")?,
                unit: self.text(s.unit, "a state word's unit")?,
                initial: if s.flags & abi::STATE_FROM_CONSTANT != 0 {
                    Initial::Constant(s.initial_constant as usize)
                } else {
                    Initial::Value(s.initial_value)
                },
                exported: s.flags & abi::STATE_EXPORTED != 0,
                help: self.text(s.help, "a state word's help text")?,
                aliases: self.texts(s.aliases, s.alias_count, "aliases")?,
            })
        }
    }
}
