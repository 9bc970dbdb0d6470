//! Buffers with their memory.

use crate::device::Device;
use crate::error::{GpuError, Result, vulkan};
use ash::vk;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use gpu_allocator::{AllocationError, MemoryLocation};
use std::ptr::NonNull;
use std::sync::Arc;

/// Size from which on a buffer gets its own memory allocation, in bytes.
const DEDICATED: u64 = 1 << 24;

/// A buffer with memory, freed when dropped. On a device that only compiles it is only a size.
pub(crate) struct Buffer {
    device: Arc<Device>,
    pub(crate) raw: vk::Buffer,
    pub(crate) bytes: u64,
    allocation: Option<Allocation>,
    /// Texel buffer over the whole buffer, or null.
    pub(crate) texels: vk::BufferView,
}

impl Buffer {
    /// Creates a buffer of at least `bytes` (Vulkan has no empty ones). `name` is for labels and errors.
    pub(crate) fn new(
        device: &Arc<Device>,
        name: &str,
        bytes: u64,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
    ) -> Result<Buffer> {
        let bytes = bytes.max(16);
        if device.options.compile_only {
            let (raw, texels) = (vk::Buffer::null(), vk::BufferView::null());
            return Ok(Buffer { device: device.clone(), raw, bytes, allocation: None, texels });
        }
        let out_of_memory =
            || GpuError::OutOfMemory { attribute: name.to_owned(), bytes, free: device.memory_free() };
        if location == MemoryLocation::GpuOnly && device.memory_free().is_some_and(|free| free < bytes) {
            return Err(out_of_memory());
        }
        let info =
            vk::BufferCreateInfo::default().size(bytes).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is alive; size and usage are valid.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => out_of_memory(),
            result => vulkan("vkCreateBuffer")(result),
        })?;
        // From here on, an early return drops `buffer` and the raw buffer with it.
        let mut buffer =
            Buffer { device: device.clone(), raw, bytes, allocation: None, texels: vk::BufferView::null() };
        // SAFETY: the buffer belongs to the device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let allocation_scheme = if bytes >= DEDICATED {
            AllocationScheme::DedicatedBuffer(raw)
        } else {
            AllocationScheme::GpuAllocatorManaged
        };
        let wanted = AllocationCreateDesc { name, requirements, location, linear: true, allocation_scheme };
        let allocated = match device.allocator().as_mut() {
            Some(allocator) => allocator.allocate(&wanted),
            None => Err(AllocationError::Internal("the device is being closed".to_owned())),
        };
        let allocation = allocated.map_err(|error| match error {
            AllocationError::OutOfMemory => out_of_memory(),
            error => GpuError::Invalid(format!("memory for \"{name}\" could not be allocated: {error}")),
        })?;
        // SAFETY: memory and buffer belong to the device, and the allocation was made for these requirements.
        unsafe { device.raw.bind_buffer_memory(raw, allocation.memory(), allocation.offset()) }
            .map_err(vulkan("vkBindBufferMemory"))
            .inspect_err(|_| tracing::error!("binding memory of {name} failed"))?;
        buffer.allocation = Some(allocation);
        device.name(raw, &format!("tuff.{name}"));
        Ok(buffer)
    }

    /// Creates a texel buffer over the buffer. The buffer must have the usage for it, and no more texels than the device allows.
    pub(crate) fn view_texels(&mut self, format: vk::Format) -> Result<()> {
        if self.raw == vk::Buffer::null() {
            return Ok(());
        }
        let info = vk::BufferViewCreateInfo::default().buffer(self.raw).format(format).range(vk::WHOLE_SIZE);
        // SAFETY: buffer and memory belong to the device; every device has these formats for texel buffers.
        self.texels = unsafe { self.device.raw.create_buffer_view(&info, None) }
            .map_err(vulkan("vkCreateBufferView"))?;
        Ok(())
    }

    /// Returns the device address. The buffer must have the usage for it.
    pub(crate) fn address(&self) -> u64 {
        if self.raw == vk::Buffer::null() {
            return 0;
        }
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        // SAFETY: the device has the feature, and the buffer the usage, since every attribute buffer has it.
        unsafe { self.device.raw.get_buffer_device_address(&info) }
    }

    /// Returns the address at which the memory is mapped, if it is mapped (and coherent).
    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        let allocation = self.allocation.as_ref()?;
        if !allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_COHERENT) {
            return None;
        }
        allocation.mapped_ptr().map(NonNull::cast)
    }

    /// Copies `data` to `offset` of the mapped memory; returns false if it is not mapped.
    pub(crate) fn write(&mut self, offset: u64, data: &[u8]) -> bool {
        assert!(offset + data.len() as u64 <= self.bytes, "write past the end of a buffer");
        let Some(mapped) = self.mapped() else { return false };
        // SAFETY: the range lies within the mapping (asserted), and the device is idle: every submission is waited for.
        unsafe { mapped.as_ptr().add(offset as usize).copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        true
    }

    /// Copies from `offset` of the mapped memory; returns false if it is not mapped.
    pub(crate) fn read(&self, offset: u64, data: &mut [u8]) -> bool {
        assert!(offset + data.len() as u64 <= self.bytes, "read past the end of a buffer");
        let Some(mapped) = self.mapped() else { return false };
        // SAFETY: as in `write`.
        unsafe { mapped.as_ptr().add(offset as usize).copy_to_nonoverlapping(data.as_mut_ptr(), data.len()) };
        true
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.device.is_hung() {
            return;
        }
        // SAFETY: the device is idle, since every submission is waited for.
        unsafe {
            self.device.raw.destroy_buffer_view(self.texels, None);
            self.device.raw.destroy_buffer(self.raw, None);
        }
        if let (Some(allocation), Some(allocator)) =
            (self.allocation.take(), self.device.allocator().as_mut())
            && let Err(error) = allocator.free(allocation)
        {
            tracing::error!("memory could not be freed: {error}");
        }
    }
}
