//! Copies between host memory and device memory that is not mapped.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{GpuError, Result, vulkan};
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::sync::Arc;

/// Size of a staging buffer, in bytes; larger transfers are split.
pub(crate) const STAGING: u64 = 1 << 24;

/// A staging buffer with everything needed to copy through it.
pub(crate) struct Transfer {
    device: Arc<Device>,
    pub(crate) staging: Buffer,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
}

impl Transfer {
    /// Creates the buffer for transfers of `bytes` in pieces of at most [`STAGING`].
    pub(crate) fn new(device: &Arc<Device>, bytes: u64, download: bool) -> Result<Transfer> {
        let (usage, location) = if download {
            (vk::BufferUsageFlags::TRANSFER_DST, MemoryLocation::GpuToCpu)
        } else {
            (vk::BufferUsageFlags::TRANSFER_SRC, MemoryLocation::CpuToGpu)
        };
        let staging = Buffer::new(device, "staging", bytes.min(STAGING), usage, location)?;
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(device.family);
        // SAFETY: the device is alive and has this family.
        let pool =
            unsafe { device.raw.create_command_pool(&info, None) }.map_err(vulkan("vkCreateCommandPool"))?;
        let mut transfer = Transfer {
            device: device.clone(),
            staging,
            pool,
            commands: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
        };
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: the pool belongs to the device.
        let buffers = unsafe { device.raw.allocate_command_buffers(&info) };
        transfer.commands = buffers.map_err(vulkan("vkAllocateCommandBuffers"))?[0];
        // SAFETY: the device is alive.
        transfer.fence = unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(vulkan("vkCreateFence"))?;
        Ok(transfer)
    }

    /// Copies and waits. The result is visible to the host and to later submissions.
    pub(crate) fn copy(&self, from: vk::Buffer, to: vk::Buffer, region: vk::BufferCopy) -> Result<()> {
        self.device.check_alive()?;
        let device = &self.device.raw;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let barrier =
            [vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::TRANSFER_WRITE).dst_access_mask(
                vk::AccessFlags::HOST_READ | vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE,
            )];
        let commands = [self.commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the command buffer is not in use (the last copy was waited for); the ranges were checked by the store.
        let result = unsafe {
            device
                .reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
                .and_then(|()| device.begin_command_buffer(self.commands, &begin))
                .and_then(|()| {
                    device.cmd_copy_buffer(self.commands, from, to, &[region]);
                    device.cmd_pipeline_barrier(
                        self.commands,
                        vk::PipelineStageFlags::TRANSFER,
                        vk::PipelineStageFlags::HOST | vk::PipelineStageFlags::ALL_COMMANDS,
                        vk::DependencyFlags::empty(),
                        &barrier,
                        &[],
                        &[],
                    );
                    device.end_command_buffer(self.commands)
                })
                .and_then(|()| device.reset_fences(&[self.fence]))
                .and_then(|()| device.queue_submit(*self.device.queue(), &submit, self.fence))
                .and_then(|()| device.wait_for_fences(&[self.fence], true, self.device.timeout_ns()))
        };
        result.map_err(|result| match result {
            vk::Result::ERROR_DEVICE_LOST => GpuError::DeviceLost { progress: "while copying".to_owned() },
            vk::Result::TIMEOUT => {
                self.device.give_up();
                let seconds = self.device.timeout().as_secs_f64();
                GpuError::Hung { seconds, progress: "it was copying".to_owned() }
            }
            result => vulkan("a transfer")(result),
        })
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if self.device.is_hung() {
            return;
        }
        // SAFETY: every copy was waited for. Destroying a null handle does nothing.
        unsafe {
            self.device.raw.destroy_fence(self.fence, None);
            self.device.raw.destroy_command_pool(self.pool, None);
        }
    }
}
