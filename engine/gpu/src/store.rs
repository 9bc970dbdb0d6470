//! The store: the buffers of an attribute table.

use crate::attributes::{Attribute, AttributeId, Memory};
use crate::buffer::Buffer;
use crate::device::{Device, flag};
use crate::error::{GpuError, Result};
use crate::reach::{Reach, chunk_shift, whole};
use crate::transfer::Transfer;
use ash::vk;
use bytemuck::Pod;
use gpu_allocator::MemoryLocation;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Layout of buffers and ways to reach them. The default suits the device; the other values are for tests, which check that
/// results do not depend on them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreOptions {
    /// Reach every attribute by device address, none through a bound storage buffer.
    pub addresses: bool,
    /// Use no texel buffers: stages that only read an attribute reach it like others.
    pub no_texels: bool,
    /// Split attributes of more than this many bytes into chunks (each a power of two of elements). Host-visible attributes are
    /// never split.
    pub chunk_bytes: Option<u64>,
    /// Transfer through staging buffers even where device memory is mapped.
    pub staging: bool,
}

impl StoreOptions {
    /// Reads `TUFF_FORCE_ADDRESSES=1`, `TUFF_NO_TEXELS=1`, `TUFF_CHUNK_BYTES=n` and `TUFF_FORCE_STAGING=1`.
    pub fn from_env() -> StoreOptions {
        StoreOptions {
            addresses: flag("TUFF_FORCE_ADDRESSES"),
            no_texels: flag("TUFF_NO_TEXELS"),
            chunk_bytes: std::env::var("TUFF_CHUNK_BYTES").ok().and_then(|text| text.parse().ok()),
            staging: flag("TUFF_FORCE_STAGING"),
        }
    }
}

/// Buffers of one attribute.
struct Slot {
    count: u64,
    reach: Reach,
    buffers: Vec<Buffer>,
}

/// One buffer (or several chunks) per attribute of a table.
pub struct Store {
    device: Arc<Device>,
    table: &'static [Attribute],
    options: StoreOptions,
    slots: Vec<Slot>,
    addresses: Buffer,
    address_slots: u32,
    generation: u64,
}

/// A piece of a transfer that lies within one buffer and begins at its start.
struct Piece {
    chunk: usize,
    data: Range<usize>,
}

impl Store {
    /// Creates buffers for `counts[i]` elements of `table[i]`; contents are undefined. Options come from the environment
    /// ([`StoreOptions::from_env`]).
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] with the attribute, and [`GpuError::Invalid`] for a table that shaders cannot use.
    pub fn new(device: &Arc<Device>, table: &'static [Attribute], counts: &[u64]) -> Result<Store> {
        Store::with_options(device, table, counts, StoreOptions::from_env())
    }

    /// Like [`new`](Store::new), with options instead of those from the environment.
    ///
    /// # Errors
    /// Those of [`new`](Store::new).
    pub fn with_options(
        device: &Arc<Device>,
        table: &'static [Attribute],
        counts: &[u64],
        options: StoreOptions,
    ) -> Result<Store> {
        check_table(table, counts)?;
        let slots = table
            .iter()
            .zip(counts)
            .map(|(attribute, count)| allocate(device, attribute, *count, &options))
            .collect::<Result<Vec<Slot>>>()?;
        let mut store = Store {
            device: device.clone(),
            table,
            options,
            slots,
            addresses: address_table(device, 64)?,
            address_slots: 64,
            generation: 0,
        };
        store.write_addresses()?;
        Ok(store)
    }

    /// Resizes an attribute to `count` elements. Its contents are lost, and the old buffers are freed before the new ones are
    /// created; after an error the attribute is empty.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    pub fn resize(&mut self, id: AttributeId, count: u64) -> Result<()> {
        let attribute = self.attribute(id)?;
        let options = self.options;
        let old = &mut self.slots[usize::from(id.0)];
        old.buffers.clear();
        let (slot, outcome) = match allocate(&self.device, attribute, count, &options) {
            Ok(slot) => (slot, Ok(())),
            Err(error) => (allocate(&self.device, attribute, 0, &options)?, Err(error)),
        };
        self.slots[usize::from(id.0)] = slot;
        self.write_addresses()?;
        outcome
    }

    /// Returns the number of elements of an attribute; 0 for an id that is not in the table.
    pub fn count(&self, id: AttributeId) -> u64 {
        self.slots.get(usize::from(id.0)).map_or(0, |slot| slot.count)
    }

    /// Returns the bytes of all attributes.
    pub fn bytes(&self) -> u64 {
        self.bytes_by_attribute().iter().map(|(_, bytes)| bytes).sum()
    }

    /// Returns name and bytes of each attribute, in table order.
    pub fn bytes_by_attribute(&self) -> Vec<(&'static str, u64)> {
        self.table
            .iter()
            .zip(&self.slots)
            .map(|(row, slot)| (row.name, row.element.bytes() * slot.count))
            .collect()
    }

    /// Returns the table.
    pub fn table(&self) -> &'static [Attribute] {
        self.table
    }

    /// Returns the device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Writes the first elements of an attribute. `T` may be the element type or a part of one, such as `f32` for `vec4`.
    ///
    /// # Errors
    /// [`GpuError::Invalid`] if `data` is longer than the attribute.
    pub fn upload<T: Pod>(&mut self, id: AttributeId, data: &[T]) -> Result<()> {
        let data: &[u8] = bytemuck::cast_slice(data);
        let pieces = self.pieces(id, data.len(), "upload")?;
        let mut transfer = None;
        for Piece { chunk, data: range } in pieces {
            let staged = self.options.staging && self.table[usize::from(id.0)].memory == Memory::Device;
            let buffer = &mut self.slots[usize::from(id.0)].buffers[chunk];
            if !staged && buffer.write(0, &data[range.clone()]) {
                continue;
            }
            let (target, part) = (buffer.raw, &data[range]);
            let transfer = match &mut transfer {
                Some(transfer) => transfer,
                none => none.insert(Transfer::new(&self.device, data.len() as u64, false)?),
            };
            let step = transfer.staging.bytes as usize;
            for (index, bytes) in part.chunks(step).enumerate() {
                transfer.staging.write(0, bytes);
                let region = vk::BufferCopy {
                    src_offset: 0,
                    dst_offset: (index * step) as u64,
                    size: bytes.len() as u64,
                };
                transfer.copy(transfer.staging.raw, target, region)?;
            }
        }
        Ok(())
    }

    /// Reads the first `count` values of type `T` of an attribute. `T` may be the element type or a part of one.
    ///
    /// # Errors
    /// [`GpuError::Invalid`] if the attribute is shorter.
    pub fn download<T: Pod>(&self, id: AttributeId, count: usize) -> Result<Vec<T>> {
        let mut values: Vec<T> = vec![T::zeroed(); count];
        let data: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        let bytes = data.len();
        let mut transfer = None;
        for Piece { chunk, data: range } in self.pieces(id, bytes, "download")? {
            let staged = self.options.staging && self.table[usize::from(id.0)].memory == Memory::Device;
            let buffer = &self.slots[usize::from(id.0)].buffers[chunk];
            if !staged && buffer.read(0, &mut data[range.clone()]) {
                continue;
            }
            let transfer = match &mut transfer {
                Some(transfer) => transfer,
                none => none.insert(Transfer::new(&self.device, bytes as u64, true)?),
            };
            let step = transfer.staging.bytes as usize;
            for (index, part) in data[range].chunks_mut(step).enumerate() {
                let region = vk::BufferCopy {
                    src_offset: (index * step) as u64,
                    dst_offset: 0,
                    size: part.len() as u64,
                };
                transfer.copy(buffer.raw, transfer.staging.raw, region)?;
                transfer.staging.read(0, part);
            }
        }
        Ok(values)
    }

    /// Reads the value at `index` (in units of `T`) of a host-visible attribute.
    ///
    /// # Errors
    /// [`GpuError::Invalid`] beyond the end or for device memory.
    pub fn read_mapped<T: Pod>(&self, id: AttributeId, index: usize) -> Result<T> {
        let offset = self.mapped_offset::<T>(id, index)?;
        let mut value = T::zeroed();
        self.slots[usize::from(id.0)].buffers[0].read(offset, bytemuck::bytes_of_mut(&mut value));
        Ok(value)
    }

    /// Writes the value at `index` (in units of `T`) of a host-visible attribute.
    ///
    /// # Errors
    /// [`GpuError::Invalid`] beyond the end or for device memory.
    pub fn write_mapped<T: Pod>(&mut self, id: AttributeId, index: usize, value: &T) -> Result<()> {
        let offset = self.mapped_offset::<T>(id, index)?;
        self.slots[usize::from(id.0)].buffers[0].write(offset, bytemuck::bytes_of(value));
        Ok(())
    }

    fn mapped_offset<T: Pod>(&self, id: AttributeId, index: usize) -> Result<u64> {
        let attribute = self.attribute(id)?;
        let slot = &self.slots[usize::from(id.0)];
        let size = size_of::<T>() as u64;
        let end = (index as u64 + 1) * size;
        let bytes = attribute.element.bytes() * slot.count;
        if attribute.memory != Memory::HostVisible || end > bytes {
            return Err(GpuError::Invalid(format!(
                "attribute \"{}\" ({:?} memory, {bytes} bytes) has no mapped value that ends at byte {end}",
                attribute.name, attribute.memory
            )));
        }
        Ok(end - size)
    }

    fn attribute(&self, id: AttributeId) -> Result<&'static Attribute> {
        self.table.get(usize::from(id.0)).ok_or_else(|| {
            GpuError::Invalid(format!("there is no attribute {}, the table has {}", id.0, self.table.len()))
        })
    }

    /// Returns the pieces of the first `bytes` of an attribute.
    fn pieces(&self, id: AttributeId, bytes: usize, action: &str) -> Result<Vec<Piece>> {
        let attribute = self.attribute(id)?;
        let slot = &self.slots[usize::from(id.0)];
        let room = attribute.element.bytes() * slot.count;
        if bytes as u64 > room {
            return Err(GpuError::Invalid(format!(
                "{action} of {bytes} bytes, but attribute \"{}\" has {room}",
                attribute.name
            )));
        }
        let step = self.chunk_bytes(id);
        let mut pieces = Vec::new();
        let mut begin = 0;
        while begin < bytes {
            let end = bytes.min(begin.saturating_add(usize::try_from(step).unwrap_or(usize::MAX)));
            pieces.push(Piece { chunk: pieces.len(), data: begin..end });
            begin = end;
        }
        Ok(pieces)
    }

    /// Returns the bytes of a full chunk; unlimited for an attribute in one piece.
    fn chunk_bytes(&self, id: AttributeId) -> u64 {
        match self.slots[usize::from(id.0)].reach {
            Reach::Chunked { shift, .. } => self.table[usize::from(id.0)].element.bytes() << shift,
            _ => u64::MAX,
        }
    }

    pub(crate) fn reach(&self, id: AttributeId) -> Reach {
        self.slots[usize::from(id.0)].reach
    }

    /// Returns true if an attribute can be read as texels.
    pub(crate) fn texels(&self, id: AttributeId) -> bool {
        self.buffers(id).first().is_some_and(|buffer| buffer.texels != vk::BufferView::null())
    }

    /// Returns all buffers of an attribute: one, unless it is chunked.
    pub(crate) fn buffers(&self, id: AttributeId) -> &[Buffer] {
        &self.slots[usize::from(id.0)].buffers
    }

    /// Returns the buffer, and the offset within it, of a byte of an attribute.
    pub(crate) fn locate(&self, id: AttributeId, offset: u64) -> (vk::Buffer, u64) {
        let step = self.chunk_bytes(id);
        let buffers = self.buffers(id);
        (buffers[(offset / step) as usize].raw, offset % step)
    }

    /// Returns the regions within single buffers that together copy the first `bytes` of `from` to `to`.
    pub(crate) fn copy_regions(
        &self,
        from: AttributeId,
        to: AttributeId,
        bytes: u64,
    ) -> Vec<(vk::Buffer, vk::Buffer, vk::BufferCopy)> {
        let mut regions = Vec::new();
        let mut begin = 0;
        while begin < bytes {
            let (source, src_offset) = self.locate(from, begin);
            let (target, dst_offset) = self.locate(to, begin);
            let room = (self.chunk_bytes(from) - src_offset).min(self.chunk_bytes(to) - dst_offset);
            let size = room.min(bytes - begin);
            regions.push((source, target, vk::BufferCopy { src_offset, dst_offset, size }));
            begin += size;
        }
        regions
    }

    /// Returns a number that changes with every new buffer and differs between stores.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn addresses(&self) -> &Buffer {
        &self.addresses
    }

    pub(crate) fn address_slots(&self) -> u32 {
        self.address_slots
    }

    /// Assigns the chunk lists' positions in the address table and writes the table.
    fn write_addresses(&mut self) -> Result<()> {
        static GENERATIONS: AtomicU64 = AtomicU64::new(1);
        let mut entries: Vec<u64> =
            self.slots.iter().map(|slot| slot.buffers.first().map_or(0, Buffer::address)).collect();
        for slot in &mut self.slots {
            if let Reach::Chunked { base, .. } = &mut slot.reach {
                *base = entries.len() as u32;
                entries.extend(slot.buffers.iter().map(Buffer::address));
            }
        }
        // Rounded up, so that shaders need not be recompiled whenever the table grows a little.
        let slots = entries.len().next_multiple_of(64);
        if (slots * 8) as u64 > self.device.limits.uniform_range {
            return Err(GpuError::Invalid(format!(
                "{} buffer addresses do not fit the device's uniform range of {} bytes",
                entries.len(),
                self.device.limits.uniform_range
            )));
        }
        if slots as u32 != self.address_slots {
            self.addresses = address_table(&self.device, slots)?;
            self.address_slots = slots as u32;
        }
        self.addresses.write(0, bytemuck::cast_slice(&entries));
        self.generation = GENERATIONS.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn address_table(device: &Arc<Device>, slots: usize) -> Result<Buffer> {
    let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
    Buffer::new(device, "addresses", (slots * 8) as u64, usage, MemoryLocation::CpuToGpu)
}

fn allocate(device: &Arc<Device>, attribute: &Attribute, count: u64, options: &StoreOptions) -> Result<Slot> {
    let element = attribute.element.bytes();
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::INDIRECT_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let location = match attribute.memory {
        Memory::Device => MemoryLocation::GpuOnly,
        Memory::HostVisible => MemoryLocation::GpuToCpu,
    };
    let shift = match attribute.memory {
        Memory::Device => chunk_shift(element, count, &device.limits, options),
        Memory::HostVisible => None,
    };
    let Some(shift) = shift else {
        let bytes = element * count;
        let reach = whole(bytes, &device.limits, options);
        let texels = device.limits.texel_elements;
        let small = texels > 0 && count <= texels && reach == Reach::Bound;
        let format = attribute.element.texels().filter(|_| small && !options.no_texels);
        let usage = format.map_or(usage, |_| usage | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER);
        let mut buffer = Buffer::new(device, attribute.name, bytes, usage, location)?;
        if let Some((format, ..)) = format {
            buffer.view_texels(format)?;
        }
        return Ok(Slot { count, reach, buffers: vec![buffer] });
    };
    let mut buffers = Vec::new();
    let mut left = count;
    while left > 0 {
        let part = left.min(1 << shift);
        buffers.push(Buffer::new(device, attribute.name, element * part, usage, location).map_err(
            |error| {
                // Report the whole attribute, about which the user can do something.
                match error {
                    GpuError::OutOfMemory { attribute, free, .. } => {
                        GpuError::OutOfMemory { attribute, bytes: element * count, free }
                    }
                    error => error,
                }
            },
        )?);
        left -= part;
    }
    Ok(Slot { count, reach: Reach::Chunked { shift, base: 0 }, buffers })
}

fn check_table(table: &[Attribute], counts: &[u64]) -> Result<()> {
    if table.len() != counts.len() {
        return Err(GpuError::Invalid(format!(
            "{} counts for a table of {} attributes",
            counts.len(),
            table.len()
        )));
    }
    let mut names = BTreeSet::new();
    for attribute in table {
        for name in std::iter::once(&attribute.name).chain(attribute.aliases) {
            let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
            if !first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || name.contains("__") {
                return Err(GpuError::Invalid(format!("attribute name \"{name}\" is no GLSL identifier")));
            }
            if !names.insert(*name) {
                return Err(GpuError::Invalid(format!("there are two attributes \"{name}\"")));
            }
        }
        let name = attribute.name;
        if attribute.element.bytes() == 0 {
            return Err(GpuError::Invalid(format!("the elements of attribute \"{name}\" are empty")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Element;

    const fn row(name: &'static str) -> Attribute {
        Attribute { name, aliases: &[], element: Element::Float, memory: Memory::Device, help: "" }
    }

    #[test]
    fn tables_that_shaders_cannot_use_are_refused() {
        assert!(check_table(&[row("a"), row("b_2")], &[1, 0]).is_ok());
        for (table, counts, expected) in [
            (vec![row("a")], vec![], "0 counts"),
            (vec![row("a b")], vec![1], "a b"),
            (vec![row("2a")], vec![1], "2a"),
            (vec![row("a"), row("a")], vec![1, 1], "two attributes"),
            (vec![row("a"), Attribute { aliases: &["a"], ..row("b") }], vec![1, 1], "two attributes"),
        ] {
            let error = check_table(&table, &counts).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
