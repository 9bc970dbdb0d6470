//! Command buffers: recording in batches, submission, waiting, timestamps, progress markers.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{GpuError, Result, vulkan};
use crate::executor::StageTime;
use crate::pipeline::Pipeline;
use crate::plan::{Barrier, Plan, Scopes};
use crate::recording::{Command, Groups, Recording};
use crate::stage::StageDeclaration;
use crate::store::Store;
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::ffi::CString;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Commands per submission. The device works on one batch while the host records the next, and no batch lasts long enough to
/// trigger a driver's watchdog.
const BATCH: usize = 512;

/// Number of consecutive timestamps at the beginning of a run. Their distance is the cost of a timestamp, for which software
/// drivers flush.
const CALIBRATION: usize = 4;

/// Inputs of a run.
pub(crate) struct Context<'a> {
    pub(crate) store: &'a Store,
    pub(crate) stages: &'a [StageDeclaration],
    pub(crate) pipelines: &'a [Pipeline],
    pub(crate) recording: &'a Recording,
    pub(crate) plan: &'a Plan,
}

/// Times of a run.
pub(crate) struct Times {
    pub(crate) stages: Vec<StageTime>,
    pub(crate) recording: Duration,
}

/// Vulkan objects for recording and submitting, reused by every run.
pub(crate) struct Submitter {
    device: Arc<Device>,
    pool: vk::CommandPool,
    buffers: Vec<vk::CommandBuffer>,
    semaphore: vk::Semaphore,
    /// Value of the semaphore after the last submission.
    submitted: u64,
    queries: vk::QueryPool,
    query_count: u32,
    labels: Vec<CString>,
    /// One word: index of the last command known to have begun, plus 1.
    marker: Option<Buffer>,
}

impl Submitter {
    pub(crate) fn new(device: &Arc<Device>, stages: &[StageDeclaration]) -> Result<Submitter> {
        let mut submitter = Submitter {
            device: device.clone(),
            pool: vk::CommandPool::null(),
            buffers: Vec::new(),
            semaphore: vk::Semaphore::null(),
            submitted: 0,
            queries: vk::QueryPool::null(),
            query_count: 0,
            labels: stages.iter().filter_map(|stage| CString::new(stage.name).ok()).collect(),
            marker: None,
        };
        if device.options.compile_only {
            return Ok(submitter);
        }
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(device.family);
        // SAFETY: the device is alive and has this family.
        submitter.pool =
            unsafe { device.raw.create_command_pool(&info, None) }.map_err(vulkan("vkCreateCommandPool"))?;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: timeline semaphores were enabled.
        submitter.semaphore =
            unsafe { device.raw.create_semaphore(&info, None) }.map_err(vulkan("vkCreateSemaphore"))?;
        if device.options.markers {
            let usage = vk::BufferUsageFlags::TRANSFER_DST;
            submitter.marker = Some(Buffer::new(device, "marker", 4, usage, MemoryLocation::GpuToCpu)?);
        }
        Ok(submitter)
    }

    /// Runs a planned recording and waits for its end.
    pub(crate) fn run(&mut self, context: &Context<'_>, timestamps: bool) -> Result<Times> {
        let start = Instant::now();
        self.device.check_alive()?;
        let count = context.recording.commands.len();
        let timestamps = timestamps && self.device.limits.timestamp_bits > 0;
        if timestamps {
            self.ensure_queries((CALIBRATION + count) as u32)?;
        }
        if let Some(marker) = &mut self.marker {
            marker.write(0, &0u32.to_ne_bytes());
        }
        // SAFETY: all command buffers of the pool have finished, since every run waits.
        unsafe { self.device.raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty()) }
            .map_err(vulkan("vkResetCommandPool"))?;
        let batches = count.div_ceil(BATCH).max(1);
        let submitted = (0..batches).try_for_each(|batch| {
            let range = batch * BATCH..count.min((batch + 1) * BATCH);
            self.submit(context, batch, range, batch + 1 == batches, timestamps)
        });
        let recording = start.elapsed();
        // Even if a later batch failed, the earlier ones have to end before anything is reused; if they do not, that error takes
        // precedence.
        let waited = self.wait();
        waited.and(submitted).map_err(|error| match error {
            GpuError::Vulkan { result: vk::Result::ERROR_DEVICE_LOST, .. } => {
                GpuError::DeviceLost { progress: self.progress(context.stages, context.recording) }
            }
            GpuError::Vulkan { result: vk::Result::TIMEOUT, .. } => {
                self.device.give_up();
                let seconds = self.device.timeout().as_secs_f64();
                GpuError::Hung { seconds, progress: self.progress(context.stages, context.recording) }
            }
            error => error,
        })?;
        let stages = if timestamps { self.read_times(context)? } else { Vec::new() };
        Ok(Times { stages, recording })
    }

    fn submit(
        &mut self,
        context: &Context<'_>,
        batch: usize,
        range: Range<usize>,
        last: bool,
        timestamps: bool,
    ) -> Result<()> {
        if batch == self.buffers.len() {
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            // SAFETY: the pool belongs to the device.
            let made = unsafe { self.device.raw.allocate_command_buffers(&info) };
            self.buffers.extend(made.map_err(vulkan("vkAllocateCommandBuffers"))?);
        }
        let commands = self.buffers[batch];
        let recorder = Recorder {
            device: &self.device,
            commands,
            context,
            labels: &self.labels,
            marker: self.marker.as_ref().map(|marker| marker.raw),
            queries: timestamps.then_some(self.queries),
        };
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the pool was reset, so the buffer is in its initial state.
        unsafe { self.device.raw.begin_command_buffer(commands, &begin) }
            .map_err(vulkan("vkBeginCommandBuffer"))?;
        if batch == 0 {
            recorder.open();
        }
        recorder.record(range);
        if last {
            recorder.close();
        }
        // SAFETY: the buffer is being recorded.
        unsafe { self.device.raw.end_command_buffer(commands) }.map_err(vulkan("vkEndCommandBuffer"))?;

        let (buffers, semaphores, values) = ([commands], [self.semaphore], [self.submitted + 1]);
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let submit = [vk::SubmitInfo::default()
            .command_buffers(&buffers)
            .signal_semaphores(&semaphores)
            .push_next(&mut timeline)];
        // SAFETY: the queue is locked; buffer and semaphore belong to the device.
        unsafe { self.device.raw.queue_submit(*self.device.queue(), &submit, vk::Fence::null()) }
            .map_err(vulkan("vkQueueSubmit"))?;
        self.submitted += 1;
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        let (semaphores, values) = ([self.semaphore], [self.submitted]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore belongs to the device, and its value has been submitted.
        unsafe { self.device.raw.wait_semaphores(&info, self.device.timeout_ns()) }
            .map_err(vulkan("vkWaitSemaphores"))
    }

    fn ensure_queries(&mut self, count: u32) -> Result<()> {
        if count <= self.query_count {
            return Ok(());
        }
        let count = count.next_power_of_two();
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the old pool is not in use, since every run waits; destroying a null handle does nothing.
        unsafe {
            self.device.raw.destroy_query_pool(self.queries, None);
            self.queries = vk::QueryPool::null();
            self.query_count = 0;
            self.queries =
                self.device.raw.create_query_pool(&info, None).map_err(vulkan("vkCreateQueryPool"))?;
        }
        self.query_count = count;
        Ok(())
    }

    fn read_times(&self, context: &Context<'_>) -> Result<Vec<StageTime>> {
        let commands = &context.recording.commands;
        let mut ticks = vec![0u64; CALIBRATION + commands.len()];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the run wrote these queries and has ended.
        unsafe { self.device.raw.get_query_pool_results(self.queries, 0, &mut ticks, flags) }
            .map_err(vulkan("vkGetQueryPoolResults"))?;
        let limits = &self.device.limits;
        let ns = |from: u64, to: u64| elapsed(from, to, limits.timestamp_bits, limits.timestamp_period);
        let (calibration, ends) = ticks.split_at(CALIBRATION);
        let cost = calibration.windows(2).map(|pair| ns(pair[0], pair[1])).min().unwrap_or(0);
        let begin = calibration[CALIBRATION - 1];
        let starts = std::iter::once(&begin).chain(ends);
        let timed = commands.iter().zip(starts.zip(ends));
        Ok(timed
            .filter_map(|(command, (start, end))| {
                let Command::Dispatch { stage, .. } = command else { return None };
                Some(StageTime {
                    stage: *stage,
                    start: ns(begin, *start),
                    ns: ns(*start, *end).saturating_sub(cost),
                })
            })
            .collect())
    }

    /// Describes how far the device came, for the message about its loss.
    pub(crate) fn progress(&self, stages: &[StageDeclaration], recording: &Recording) -> String {
        let mut word = [0; 4];
        match &self.marker {
            Some(marker) => {
                marker.read(0, &mut word);
                describe(u32::from_ne_bytes(word), stages, recording)
            }
            None => "set TUFF_MARKERS=1 to learn which stage it was in".to_owned(),
        }
    }
}

impl Drop for Submitter {
    fn drop(&mut self) {
        if self.device.is_hung() {
            return;
        }
        let device = &self.device.raw;
        // SAFETY: every run waits for its end. Destroying a null handle does nothing.
        unsafe {
            device.destroy_query_pool(self.queries, None);
            device.destroy_semaphore(self.semaphore, None);
            device.destroy_command_pool(self.pool, None);
        }
    }
}

/// Returns the nanoseconds between two timestamps, of which only `bits` are valid.
fn elapsed(from: u64, to: u64, bits: u32, period: f32) -> u64 {
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let ticks = to.wrapping_sub(from) & mask;
    (ticks as f64 * f64::from(period)) as u64
}

/// Describes the marker in words.
fn describe(marker: u32, stages: &[StageDeclaration], recording: &Recording) -> String {
    let count = recording.commands.len();
    let name = |command: &Command| match command {
        Command::Dispatch { stage, .. } => match stages.get(usize::from(stage.0)) {
            Some(stage) => format!("stage \"{}\"", stage.name),
            None => format!("stage {}", stage.0),
        },
        Command::Fill { .. } => "a fill".to_owned(),
        Command::Copy { .. } => "a copy".to_owned(),
    };
    match (marker as usize).checked_sub(1).and_then(|index| Some((index, recording.commands.get(index)?))) {
        Some((index, command)) => {
            format!(
                "the last that is known to have begun is {} (command {} of {count})",
                name(command),
                index + 1
            )
        }
        None => format!("nothing after the first barrier of {count} commands is known to have begun"),
    }
}

/// Writes commands into one command buffer.
struct Recorder<'a> {
    device: &'a Device,
    commands: vk::CommandBuffer,
    context: &'a Context<'a>,
    labels: &'a [CString],
    marker: Option<vk::Buffer>,
    queries: Option<vk::QueryPool>,
}

impl Recorder<'_> {
    /// Begins a run: orders it after all earlier work and writes the first timestamps.
    fn open(&self) {
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        self.barrier(all, all, access, access);
        if let Some(queries) = self.queries {
            let count = (CALIBRATION + self.context.recording.commands.len()) as u32;
            // SAFETY: the pool has at least this many queries, none in use.
            unsafe { self.device.raw.cmd_reset_query_pool(self.commands, queries, 0, count) };
            (0..CALIBRATION).for_each(|query| self.timestamp(query));
        }
    }

    /// Ends a run: makes its writes visible to the host.
    fn close(&self) {
        self.barrier(
            vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::HOST,
            vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE,
            vk::AccessFlags::HOST_READ,
        );
    }

    fn record(&self, range: Range<usize>) {
        let commands = &self.context.recording.commands;
        let mut bound = None;
        for index in range {
            if let Some(barrier) = &self.context.plan.barriers[index] {
                self.planned_barrier(barrier, index);
            }
            match &commands[index] {
                Command::Dispatch { stage, groups, push } => {
                    let stage = usize::from(stage.0);
                    let pipeline = &self.context.pipelines[stage];
                    if bound != Some(stage) {
                        self.bind(pipeline);
                        bound = Some(stage);
                    }
                    self.dispatch(stage, pipeline, groups, push.words());
                }
                Command::Fill { attribute, value } => {
                    for buffer in self.context.store.buffers(*attribute) {
                        // SAFETY: the buffer belongs to the device; its size is a multiple of 4.
                        unsafe {
                            self.device.raw.cmd_fill_buffer(
                                self.commands,
                                buffer.raw,
                                0,
                                vk::WHOLE_SIZE,
                                *value,
                            )
                        };
                    }
                }
                Command::Copy { from, to, bytes } => {
                    for (source, target, region) in self.context.store.copy_regions(*from, *to, *bytes) {
                        // SAFETY: the ranges were checked before the run.
                        unsafe { self.device.raw.cmd_copy_buffer(self.commands, source, target, &[region]) };
                    }
                }
            }
            self.timestamp(CALIBRATION + index);
        }
    }

    fn bind(&self, pipeline: &Pipeline) {
        let (device, point) = (&self.device.raw, vk::PipelineBindPoint::COMPUTE);
        // SAFETY: pipeline, layout and set belong together and to the device.
        unsafe {
            device.cmd_bind_pipeline(self.commands, point, pipeline.raw);
            if pipeline.set != vk::DescriptorSet::null() {
                device.cmd_bind_descriptor_sets(
                    self.commands,
                    point,
                    pipeline.layout,
                    0,
                    &[pipeline.set],
                    &[],
                );
            }
        }
    }

    fn dispatch(&self, stage: usize, pipeline: &Pipeline, groups: &Groups, push: &[u32]) {
        let device = &self.device.raw;
        let label = self.device.debug.as_ref().zip(self.labels.get(stage));
        // SAFETY: the pipeline is bound; push constants, workgroup counts and the indirect range were checked before the
        // run.
        unsafe {
            if let Some((debug, name)) = label {
                let info = vk::DebugUtilsLabelEXT::default().label_name(name);
                debug.cmd_begin_debug_utils_label(self.commands, &info);
            }
            if !push.is_empty() {
                let bytes = bytemuck::cast_slice(push);
                device.cmd_push_constants(
                    self.commands,
                    pipeline.layout,
                    vk::ShaderStageFlags::COMPUTE,
                    0,
                    bytes,
                );
            }
            match groups {
                Groups::Direct([x, y, z]) => device.cmd_dispatch(self.commands, *x, *y, *z),
                Groups::Indirect { attribute, offset } => {
                    let (buffer, offset) = self.context.store.locate(*attribute, *offset);
                    device.cmd_dispatch_indirect(self.commands, buffer, offset);
                }
            }
            if let Some((debug, _)) = label {
                debug.cmd_end_debug_utils_label(self.commands);
            }
        }
    }

    fn planned_barrier(&self, barrier: &Barrier, index: usize) {
        // The marker's fill is ordered by the same barriers, so that it tells which commands finished.
        let also = if self.marker.is_some() { Scopes::TRANSFER } else { Scopes::NONE };
        let (from, to) = (barrier.from.union(also), barrier.to.union(also));
        self.barrier(stage_flags(from), stage_flags(to), write_flags(from), access_flags(to));
        if let Some(marker) = self.marker {
            // SAFETY: the marker has one word.
            unsafe { self.device.raw.cmd_fill_buffer(self.commands, marker, 0, 4, index as u32 + 1) };
        }
    }

    fn barrier(
        &self,
        from: vk::PipelineStageFlags,
        to: vk::PipelineStageFlags,
        written: vk::AccessFlags,
        needed: vk::AccessFlags,
    ) {
        let barrier = [vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(needed)];
        let flags = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded.
        unsafe { self.device.raw.cmd_pipeline_barrier(self.commands, from, to, flags, &barrier, &[], &[]) };
    }

    fn timestamp(&self, query: usize) {
        if let Some(queries) = self.queries {
            let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            // SAFETY: the query was reset at the begin of the run and is written once.
            unsafe { self.device.raw.cmd_write_timestamp(self.commands, stage, queries, query as u32) };
        }
    }
}

fn stage_flags(scopes: Scopes) -> vk::PipelineStageFlags {
    mask(
        scopes,
        [
            (Scopes::COMPUTE, vk::PipelineStageFlags::COMPUTE_SHADER),
            (Scopes::INDIRECT, vk::PipelineStageFlags::DRAW_INDIRECT),
            (Scopes::TRANSFER, vk::PipelineStageFlags::TRANSFER),
        ],
    )
}

fn write_flags(scopes: Scopes) -> vk::AccessFlags {
    mask(
        scopes,
        [
            (Scopes::COMPUTE, vk::AccessFlags::SHADER_WRITE),
            (Scopes::INDIRECT, vk::AccessFlags::empty()),
            (Scopes::TRANSFER, vk::AccessFlags::TRANSFER_WRITE),
        ],
    )
}

fn access_flags(scopes: Scopes) -> vk::AccessFlags {
    mask(
        scopes,
        [
            (Scopes::COMPUTE, vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE),
            (Scopes::INDIRECT, vk::AccessFlags::INDIRECT_COMMAND_READ),
            (Scopes::TRANSFER, vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE),
        ],
    )
}

fn mask<T: Default + std::ops::BitOr<Output = T> + Copy>(scopes: Scopes, flags: [(Scopes, T); 3]) -> T {
    flags
        .into_iter()
        .filter(|(scope, _)| scopes.contains(*scope))
        .fold(T::default(), |all, (_, flags)| all | flags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{PushConstants, StageId};

    #[test]
    fn timestamps_wrap_at_their_valid_bits() {
        assert_eq!(elapsed(10, 30, 64, 1.0), 20);
        assert_eq!(elapsed(10, 30, 64, 2.5), 50);
        assert_eq!(elapsed((1 << 36) - 4, 6, 36, 1.0), 10);
        // Bits beyond the valid ones are ignored.
        assert_eq!(elapsed(10 | 1 << 50, 30 | 7 << 40, 36, 1.0), 20);
    }

    #[test]
    fn progress_names_the_last_stage() {
        let stages = [StageDeclaration { name: "sort", shader: "sort.comp", accesses: &[], indirect: None }];
        let mut recording = Recording::new();
        recording.fill(crate::AttributeId(0), 0);
        recording.dispatch(StageId(0), Groups::Direct([1, 1, 1]), PushConstants::NONE);
        let text = describe(2, &stages, &recording);
        assert!(text.contains("stage \"sort\" (command 2 of 2)"), "{text}");
        assert!(describe(1, &stages, &recording).contains("a fill (command 1 of 2)"));
        assert!(describe(0, &stages, &recording).contains("nothing after the first barrier"));
        assert!(describe(77, &stages, &recording).contains("nothing"));
    }
}
