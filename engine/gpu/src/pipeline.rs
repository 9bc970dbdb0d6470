//! Pipelines with their descriptor sets.

use crate::device::Device;
use crate::error::{GpuError, Result, vulkan};
use crate::reach::Reach;
use crate::stage::{Specialization, StageDeclaration};
use crate::store::Store;
use ash::vk;
use std::sync::Arc;

/// A stage ready to be dispatched.
pub(crate) struct Pipeline {
    device: Arc<Device>,
    pub(crate) raw: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    /// The only descriptor set; null for a stage without attributes.
    pub(crate) set: vk::DescriptorSet,
    set_layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    reaches: Vec<Reach>,
}

impl Pipeline {
    /// Creates the pipeline of a compiled stage. Its descriptors are unset until [`Pipeline::bind`].
    pub(crate) fn new(
        device: &Arc<Device>,
        declaration: &StageDeclaration,
        specialization: &Specialization,
        words: &[u32],
        reaches: Vec<Reach>,
        push_bytes: u32,
        cache: vk::PipelineCache,
    ) -> Result<Pipeline> {
        // From here on, an early return drops `pipeline` and everything created so far.
        let mut pipeline = Pipeline {
            device: device.clone(),
            raw: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set: vk::DescriptorSet::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            pool: vk::DescriptorPool::null(),
            reaches,
        };
        pipeline.make_set()?;
        let sets = [pipeline.set_layout];
        let ranges =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(push_bytes)];
        let ranges = if push_bytes > 0 { &ranges[..] } else { &[] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
        // SAFETY: the set layout belongs to the device; the range was checked against 128 bytes.
        pipeline.layout = unsafe { device.raw.create_pipeline_layout(&info, None) }
            .map_err(vulkan("vkCreatePipelineLayout"))?;

        let module_info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words come from the compiler, or from the cache with a matching checksum.
        let module = unsafe { device.raw.create_shader_module(&module_info, None) }
            .map_err(vulkan("vkCreateShaderModule"))?;
        let entries: Vec<vk::SpecializationMapEntry> = specialization
            .constants
            .iter()
            .enumerate()
            .map(|(index, (id, _))| {
                vk::SpecializationMapEntry::default().constant_id(*id).offset(index as u32 * 4).size(4)
            })
            .collect();
        let values: Vec<u32> = specialization.constants.iter().map(|(_, bits)| *bits).collect();
        let constants =
            vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
        let shader = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&constants);
        let flags = if device.options.compile_only {
            vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
        } else {
            vk::PipelineCreateFlags::empty()
        };
        let info =
            [vk::ComputePipelineCreateInfo::default().flags(flags).stage(shader).layout(pipeline.layout)];
        // SAFETY: module, layout and cache belong to the device, and `info` outlives the call.
        let made = unsafe { device.raw.create_compute_pipelines(cache, &info, None) };
        // SAFETY: the module is not needed once the pipeline exists.
        unsafe { device.raw.destroy_shader_module(module, None) };
        match made {
            Ok(list) => pipeline.raw = list[0],
            Err((_, result)) => {
                let name = declaration.name;
                return Err(GpuError::Invalid(format!(
                    "the driver could not build stage \"{name}\": {result}"
                )));
            }
        }
        device.name(pipeline.raw, &format!("tuff.{}", declaration.name));
        Ok(pipeline)
    }

    fn make_set(&mut self) -> Result<()> {
        let by_address = self.reaches.iter().any(Reach::by_address);
        let addresses = by_address.then_some((0, vk::DescriptorType::UNIFORM_BUFFER));
        let descriptors: Vec<_> =
            addresses.into_iter().chain(self.bound().map(|(index, kind, _)| (index, kind))).collect();
        let bindings: Vec<_> = (descriptors.iter())
            .map(|(index, kind)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(*index)
                    .descriptor_type(*kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let sizes: Vec<_> = (descriptors.iter())
            .map(|(_, kind)| vk::DescriptorPoolSize::default().ty(*kind).descriptor_count(1))
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive; the number of bindings was kept within its limit.
        self.set_layout = unsafe { self.device.raw.create_descriptor_set_layout(&info, None) }
            .map_err(vulkan("vkCreateDescriptorSetLayout"))?;
        if bindings.is_empty() {
            return Ok(());
        }
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        self.pool = unsafe { self.device.raw.create_descriptor_pool(&info, None) }
            .map_err(vulkan("vkCreateDescriptorPool"))?;
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
        // SAFETY: the pool has room for exactly this set.
        let sets = unsafe { self.device.raw.allocate_descriptor_sets(&info) };
        self.set = sets.map_err(vulkan("vkAllocateDescriptorSets"))?[0];
        Ok(())
    }

    /// Iterates over the bound attributes: binding, descriptor type, and index of the access in the declaration.
    fn bound(&self) -> impl Iterator<Item = (u32, vk::DescriptorType, usize)> {
        let kind = |reach: &Reach| match reach {
            Reach::Bound => Some(vk::DescriptorType::STORAGE_BUFFER),
            Reach::Texels => Some(vk::DescriptorType::UNIFORM_TEXEL_BUFFER),
            Reach::Address | Reach::Chunked { .. } => None,
        };
        let bound =
            self.reaches.iter().enumerate().filter_map(move |(access, reach)| Some((kind(reach)?, access)));
        bound.zip(1..).map(|((kind, access), binding)| (binding, kind, access))
    }

    /// Points the descriptors at the buffers of `store`. The device must be idle.
    pub(crate) fn bind(&self, declaration: &StageDeclaration, store: &Store) {
        if self.set == vk::DescriptorSet::null() || self.device.options.compile_only {
            return;
        }
        let whole = |raw| [vk::DescriptorBufferInfo::default().buffer(raw).range(vk::WHOLE_SIZE)];
        let write = |binding, kind| {
            vk::WriteDescriptorSet::default().dst_set(self.set).dst_binding(binding).descriptor_type(kind)
        };
        let table = whole(store.addresses().raw);
        let bound: Vec<_> = (self.bound())
            .map(|(binding, kind, access)| {
                let buffer = &store.buffers(declaration.accesses[access].0)[0];
                (binding, kind, whole(buffer.raw), [buffer.texels])
            })
            .collect();
        let mut writes: Vec<_> = (bound.iter())
            .map(|(binding, kind, buffer, texels)| match *kind {
                vk::DescriptorType::UNIFORM_TEXEL_BUFFER => write(*binding, *kind).texel_buffer_view(texels),
                kind => write(*binding, kind).buffer_info(buffer),
            })
            .collect();
        if self.reaches.iter().any(Reach::by_address) {
            writes.push(write(0, vk::DescriptorType::UNIFORM_BUFFER).buffer_info(&table));
        }
        // SAFETY: the set is not in use, and the buffers belong to the device.
        unsafe { self.device.raw.update_descriptor_sets(&writes, &[]) };
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.device.is_hung() {
            return;
        }
        let device = &self.device.raw;
        // SAFETY: the device is idle, since every submission is waited for. Destroying a null handle does nothing.
        unsafe {
            device.destroy_pipeline(self.raw, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// The driver's pipeline cache, kept on disk between starts.
pub(crate) struct PipelineCache {
    device: Arc<Device>,
    pub(crate) raw: vk::PipelineCache,
    file: String,
    loaded: Vec<u8>,
}

impl PipelineCache {
    pub(crate) fn new(device: &Arc<Device>, cache: &crate::cache::Cache) -> Result<PipelineCache> {
        let limits = &device.limits;
        let uuid: String = limits.cache_uuid.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = format!("pipelines-{:04x}-{:04x}-{uuid}.bin", limits.vendor, limits.device);
        let loaded = cache.read(&file).unwrap_or_default();
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&loaded);
        // SAFETY: drivers check the header of the data, whose checksum was right and whose name has the device's UUID.
        let raw = unsafe { device.raw.create_pipeline_cache(&info, None) }
            .map_err(vulkan("vkCreatePipelineCache"))?;
        Ok(PipelineCache { device: device.clone(), raw, file, loaded })
    }

    /// Writes the cache to disk if it has changed.
    pub(crate) fn keep(&mut self, cache: &crate::cache::Cache) {
        // SAFETY: the cache belongs to the device.
        if let Ok(data) = unsafe { self.device.raw.get_pipeline_cache_data(self.raw) }
            && data != self.loaded
        {
            cache.write(&self.file, &data);
            self.loaded = data;
        }
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        // SAFETY: no pipeline is being made.
        unsafe { self.device.raw.destroy_pipeline_cache(self.raw, None) };
    }
}
