//! Devices: listing, choice and opening.

use crate::error::{GpuError, Result, vulkan};
use crate::instance::{Instance, version_parts};
use ash::{ext, khr, vk};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Properties of a device, known before it is opened.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Position in the list of [`Device::enumerate`]: a selector.
    pub index: usize,
    /// Name reported by the driver.
    pub name: String,
    /// Kind of device.
    pub kind: DeviceKind,
    /// Driver name and version.
    pub driver: String,
    /// Vulkan version (major, minor, patch).
    pub api: (u32, u32, u32),
    /// Device-local memory, in bytes.
    pub memory: u64,
    /// Number of invocations in a subgroup.
    pub subgroup_size: u32,
    /// Reasons why the device cannot be used; empty if it can.
    pub refusals: Vec<String>,
}

impl DeviceInfo {
    /// Returns true if the device can be used.
    pub fn suitable(&self) -> bool {
        self.refusals.is_empty()
    }
}

/// Kind of device, best first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A graphics card.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A virtual machine's GPU.
    Virtual,
    /// Something else.
    Other,
    /// A software driver.
    Cpu,
}

impl std::fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DeviceKind::Discrete => "discrete",
            DeviceKind::Integrated => "integrated",
            DeviceKind::Virtual => "virtual",
            DeviceKind::Other => "other",
            DeviceKind::Cpu => "software",
        })
    }
}

/// Options for opening a device.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Load the validation layer with its synchronization checks; its messages make runs fail.
    pub validation: bool,
    /// Write a progress marker at every barrier, so that a lost device tells how far it came.
    pub markers: bool,
    /// Time that the device may take for work submitted together; overrides [`TIMEOUT`].
    pub timeout: Option<Duration>,
    /// Only compile: pipelines keep what the driver tells about their code ([`Executor::statistics`](crate::Executor::statistics)), and
    /// nothing may run, so that a driver without its hardware suffices.
    pub compile_only: bool,
}

/// Default time that the device may take for work submitted together: hours of work for a GPU, and more than a software driver
/// takes for a substep of millions of particles.
pub const TIMEOUT: Duration = Duration::from_secs(3600);

impl DeviceOptions {
    /// Reads `TUFF_VALIDATION=1`, `TUFF_MARKERS=1` and `TUFF_DEVICE_TIMEOUT=seconds`.
    pub fn from_env() -> DeviceOptions {
        let seconds = std::env::var("TUFF_DEVICE_TIMEOUT").ok().and_then(|text| text.parse().ok());
        DeviceOptions {
            validation: flag("TUFF_VALIDATION"),
            markers: flag("TUFF_MARKERS"),
            timeout: seconds.map(Duration::from_secs),
            compile_only: false,
        }
    }
}

/// Returns true if an environment variable is set to anything except an empty string or 0.
pub(crate) fn flag(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Limits that decide the layout of attributes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    /// Largest range of a storage buffer binding, in bytes.
    pub(crate) storage_range: u64,
    /// Maximum number of storage buffers that one stage may bind.
    pub(crate) storage_buffers: u32,
    /// Maximum number of elements of a texel buffer, where these are used: on software drivers, which load a vector from them in
    /// one move, but from storage buffers component by component. 0 elsewhere.
    pub(crate) texel_elements: u64,
    /// Largest allocation, in bytes.
    pub(crate) allocation: u64,
    /// Largest uniform buffer binding, in bytes.
    pub(crate) uniform_range: u64,
    /// Maximum number of workgroups per dimension.
    pub(crate) groups: [u32; 3],
    /// Nanoseconds per timestamp tick.
    pub(crate) timestamp_period: f32,
    /// Number of valid bits of a timestamp; 0 if there are no timestamps.
    pub(crate) timestamp_bits: u32,
    /// Identity of device and driver, for the pipeline cache.
    pub(crate) cache_uuid: [u8; 16],
    pub(crate) vendor: u32,
    pub(crate) device: u32,
}

/// An opened device. Shared by stores and executors; safe to use from several threads.
pub struct Device {
    pub(crate) raw: ash::Device,
    pub(crate) family: u32,
    pub(crate) limits: Limits,
    pub(crate) debug: Option<ext::debug_utils::Device>,
    /// Functions of [`DeviceOptions::compile_only`].
    pub(crate) executables: Option<khr::pipeline_executable_properties::Device>,
    pub(crate) options: DeviceOptions,
    info: DeviceInfo,
    physical: vk::PhysicalDevice,
    queue: Mutex<vk::Queue>,
    /// Taken when the device is dropped, because the allocator must be destroyed first.
    allocator: Mutex<Option<Allocator>>,
    budget: bool,
    /// True if work did not end in time. The resources that it uses must then never be freed.
    hung: AtomicBool,
    instance: Instance,
}

impl Device {
    /// Lists all Vulkan devices, usable or not.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`] if there is no loader, driver or device.
    pub fn enumerate() -> Result<Vec<DeviceInfo>> {
        let instance = Instance::new(false)?;
        let devices = instance.physical_devices()?;
        Ok(devices
            .into_iter()
            .enumerate()
            .map(|(index, device)| inspect(&instance, device, index).info)
            .collect())
    }

    /// Returns the device that [`open`](Device::open) would open.
    ///
    /// # Errors
    /// Those of [`open`](Device::open).
    pub fn chosen(selector: Option<&str>) -> Result<DeviceInfo> {
        let mut infos = Device::enumerate()?;
        let chosen = choose(&infos, selector)?;
        Ok(infos.swap_remove(chosen))
    }

    /// Opens the device that `selector` names: an index of [`enumerate`](Device::enumerate) or a part of a name (the best of
    /// those that match). Without a selector, opens the best device: discrete before integrated before virtual before software.
    /// Options come from the environment ([`DeviceOptions::from_env`]).
    ///
    /// # Errors
    /// [`GpuError::NoDriver`], [`GpuError::UnknownDevice`], and [`GpuError::NoDevice`] with the reasons.
    pub fn open(selector: Option<&str>) -> Result<Arc<Device>> {
        Device::open_with(selector, DeviceOptions::from_env())
    }

    /// Like [`open`](Device::open), with options instead of those from the environment.
    ///
    /// # Errors
    /// Those of [`open`](Device::open), and [`GpuError::NoValidation`].
    pub fn open_with(selector: Option<&str>, options: DeviceOptions) -> Result<Arc<Device>> {
        let instance = Instance::new(options.validation)?;
        let physical = instance.physical_devices()?;
        let candidates: Vec<Candidate> = physical
            .into_iter()
            .enumerate()
            .map(|(index, device)| inspect(&instance, device, index))
            .collect();
        let infos: Vec<DeviceInfo> = candidates.iter().map(|candidate| candidate.info.clone()).collect();
        let chosen = choose(&infos, selector)?;
        let Some(candidate) = candidates.into_iter().nth(chosen) else {
            return Err(GpuError::Invalid("the device list changed".to_owned()));
        };
        Device::create(instance, candidate, options).map(Arc::new)
    }

    fn create(instance: Instance, candidate: Candidate, options: DeviceOptions) -> Result<Device> {
        let Candidate { info, physical, family, limits, extensions, .. } = candidate;
        let has = |name: &CStr| extensions.iter().any(|extension| extension.as_c_str() == name);
        let budget = has(ext::memory_budget::NAME);
        let mut wanted = Vec::new();
        if budget {
            wanted.push(ext::memory_budget::NAME.as_ptr());
        }
        // A device that conforms only partially requires this extension to be enabled.
        if has(ash::khr::portability_subset::NAME) {
            wanted.push(ash::khr::portability_subset::NAME.as_ptr());
        }
        let executables = khr::pipeline_executable_properties::NAME;
        if options.compile_only {
            if !has(executables) {
                return Err(GpuError::Invalid(format!(
                    "{}: the driver tells nothing about compiled code (it lacks VK_KHR_pipeline_executable_properties)",
                    info.name
                )));
            }
            wanted.push(executables.as_ptr());
        }
        let priorities = [1.0];
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let mut features = vk::PhysicalDeviceVulkan12Features::default()
            .buffer_device_address(true)
            .scalar_block_layout(true)
            .timeline_semaphore(true);
        let mut of_executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
            .pipeline_executable_info(options.compile_only);
        let mut create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&wanted)
            .push_next(&mut features);
        if options.compile_only {
            create = create.push_next(&mut of_executables);
        }
        // SAFETY: the physical device belongs to this instance; features and extensions were found to be there.
        let raw = unsafe { instance.raw.create_device(physical, &create, None) }
            .map_err(vulkan("vkCreateDevice"))?;
        // SAFETY: the family was requested with one queue.
        let queue = unsafe { raw.get_device_queue(family, 0) };
        let debug = instance.debug_utils.then(|| ext::debug_utils::Device::new(&instance.raw, &raw));
        let executables = options
            .compile_only
            .then(|| khr::pipeline_executable_properties::Device::new(&instance.raw, &raw));
        const MEBIBYTE: u64 = 1 << 20;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: physical,
            debug_settings: AllocatorDebugSettings::default(),
            buffer_device_address: true,
            allocation_sizes: AllocationSizes::new(16 * MEBIBYTE, 4 * MEBIBYTE),
        });
        let allocator = match allocator {
            Ok(allocator) => allocator,
            Err(error) => {
                // SAFETY: nothing was made from the device yet.
                unsafe { raw.destroy_device(None) };
                return Err(GpuError::Invalid(format!("the memory allocator could not start: {error}")));
            }
        };
        tracing::debug!(device = %info.name, driver = %info.driver, "opened");
        Ok(Device {
            raw,
            family,
            limits,
            debug,
            executables,
            options,
            info,
            physical,
            queue: Mutex::new(queue),
            allocator: Mutex::new(Some(allocator)),
            budget,
            hung: AtomicBool::new(false),
            instance,
        })
    }

    /// Returns how long to wait for submitted work.
    pub(crate) fn timeout(&self) -> Duration {
        self.options.timeout.unwrap_or(TIMEOUT)
    }

    /// Returns the timeout in the unit of Vulkan's waits [ns].
    pub(crate) fn timeout_ns(&self) -> u64 {
        u64::try_from(self.timeout().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Marks the device as hung: none of its resources are freed any more, because the work may still be using them.
    pub(crate) fn give_up(self: &Arc<Self>) {
        if !self.hung.swap(true, Ordering::Relaxed) {
            std::mem::forget(self.clone());
        }
    }

    /// Returns true if work did not end in time.
    pub(crate) fn is_hung(&self) -> bool {
        self.hung.load(Ordering::Relaxed)
    }

    /// Fails once the device hangs.
    pub(crate) fn check_alive(&self) -> Result<()> {
        if self.is_hung() {
            let progress = "earlier work is still unfinished".to_owned();
            return Err(GpuError::Hung { seconds: self.timeout().as_secs_f64(), progress });
        }
        Ok(())
    }

    /// Returns the properties of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Returns the messages of the validation layer so far, oldest first. Always empty without [`DeviceOptions::validation`].
    pub fn validation_messages(&self) -> Vec<String> {
        self.instance.messages.all()
    }

    /// Fails if the validation layer has sent more than `before` messages.
    pub(crate) fn check_validation(&self, before: usize) -> Result<()> {
        if self.instance.messages.len() > before {
            let messages = self.instance.messages.all().split_off(before);
            return Err(GpuError::Validation { messages });
        }
        Ok(())
    }

    pub(crate) fn validation_count(&self) -> usize {
        self.instance.messages.len()
    }

    /// Returns the free device-local memory in bytes, if the driver reports it (`VK_EXT_memory_budget`).
    pub fn memory_free(&self) -> Option<u64> {
        if !self.budget {
            return None;
        }
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        // SAFETY: the device has the extension that the chained struct belongs to.
        unsafe { self.instance.raw.get_physical_device_memory_properties2(self.physical, &mut properties) };
        let heaps = properties.memory_properties;
        let free = heaps.memory_heaps[..heaps.memory_heap_count as usize]
            .iter()
            .zip(budget.heap_budget.iter().zip(&budget.heap_usage))
            .filter(|(heap, _)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
            .map(|(_, (budget, usage))| budget.saturating_sub(*usage))
            .max();
        Some(free.unwrap_or(0))
    }

    pub(crate) fn queue(&self) -> MutexGuard<'_, vk::Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn allocator(&self) -> MutexGuard<'_, Option<Allocator>> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a Vulkan object a name for tools and messages.
    pub(crate) fn name<T: vk::Handle>(&self, object: T, name: &str) {
        if let Some(debug) = &self.debug
            && let Ok(name) = std::ffi::CString::new(name)
        {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(&name);
            // SAFETY: the object was made from this device. A failure leaves it without a name.
            let _ = unsafe { debug.set_debug_utils_object_name(&info) };
        }
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("info", &self.info).finish_non_exhaustive()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: stores and executors hold the device by `Arc`, so all that was made from it is gone. Where nothing may run there is
        // nothing to wait for, and a driver without hardware cannot wait.
        unsafe {
            if !self.options.compile_only {
                let _ = self.raw.device_wait_idle();
            }
            drop(self.allocator().take());
            self.raw.destroy_device(None);
        }
    }
}

/// Returns the index into `infos` of the device that `selector` asks for.
fn choose(infos: &[DeviceInfo], selector: Option<&str>) -> Result<usize> {
    let matches = |info: &&DeviceInfo| match selector.map(|text| (text, text.parse::<usize>())) {
        None => true,
        Some((_, Ok(index))) => info.index == index,
        Some((text, Err(_))) => info.name.to_lowercase().contains(&text.to_lowercase()),
    };
    let matching: Vec<&DeviceInfo> = infos.iter().filter(matches).collect();
    if let (Some(selector), true) = (selector, matching.is_empty()) {
        let available = infos.iter().map(|info| format!("{} ({})", info.index, info.name)).collect();
        return Err(GpuError::UnknownDevice { selector: selector.to_owned(), available });
    }
    let best = matching.iter().filter(|info| info.suitable()).min_by_key(|info| (info.kind, info.index));
    best.map(|info| info.index).ok_or_else(|| GpuError::NoDevice {
        refused: matching.iter().map(|info| format!("{}: {}", info.name, info.refusals.join(", "))).collect(),
    })
}

/// A physical device with everything needed to open it.
struct Candidate {
    info: DeviceInfo,
    physical: vk::PhysicalDevice,
    family: u32,
    limits: Limits,
    extensions: Vec<std::ffi::CString>,
}

fn inspect(instance: &Instance, physical: vk::PhysicalDevice, index: usize) -> Candidate {
    // SAFETY: the physical device belongs to the instance.
    let properties = unsafe { instance.raw.get_physical_device_properties(physical) };
    let name = text(properties.device_name_as_c_str());
    let kind = match properties.device_type {
        vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
        vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
        vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
        vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
        _ => DeviceKind::Other,
    };
    let mut refusals = Vec::new();
    let (major, minor, patch) = version_parts(properties.api_version);
    let mut driver = String::new();
    let mut subgroup_size = 0;
    let mut allocation = 1 << 30;
    if properties.api_version < vk::API_VERSION_1_2 {
        refusals.push(format!("has Vulkan {major}.{minor}, 1.2 is needed"));
    } else {
        let mut of_1_1 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut of_1_2 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut of_1_1).push_next(&mut of_1_2);
        // SAFETY: the device has Vulkan 1.2, to which the chained structs belong.
        unsafe { instance.raw.get_physical_device_properties2(physical, &mut all) };
        driver = format!("{} {}", text(of_1_2.driver_name_as_c_str()), text(of_1_2.driver_info_as_c_str()));
        subgroup_size = of_1_1.subgroup_size;
        allocation = of_1_1.max_memory_allocation_size;
        refuse_subgroups(&of_1_1, &mut refusals);
        let mut features = vk::PhysicalDeviceVulkan12Features::default();
        let mut chain = vk::PhysicalDeviceFeatures2::default().push_next(&mut features);
        // SAFETY: as above.
        unsafe { instance.raw.get_physical_device_features2(physical, &mut chain) };
        for (present, feature) in [
            (features.buffer_device_address, "bufferDeviceAddress"),
            (features.scalar_block_layout, "scalarBlockLayout"),
            (features.timeline_semaphore, "timelineSemaphore"),
        ] {
            if present == vk::FALSE {
                refusals.push(format!("lacks the feature {feature}"));
            }
        }
    }

    // SAFETY: the physical device belongs to the instance.
    let families = unsafe { instance.raw.get_physical_device_queue_family_properties(physical) };
    let compute = |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::COMPUTE);
    let family = families
        .iter()
        .position(|family| compute(family) && family.timestamp_valid_bits > 0)
        .or_else(|| families.iter().position(compute));
    if family.is_none() {
        refusals.push("has no compute queue".to_owned());
    }
    let family = family.unwrap_or(0);

    // SAFETY: the physical device belongs to the instance.
    let memory = unsafe { instance.raw.get_physical_device_memory_properties(physical) };
    let memory = memory.memory_heaps[..memory.memory_heap_count as usize]
        .iter()
        .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
        .map(|heap| heap.size)
        .max()
        .unwrap_or(0);
    // SAFETY: the physical device belongs to the instance. Without the list, nothing optional is used.
    let extensions =
        unsafe { instance.raw.enumerate_device_extension_properties(physical) }.unwrap_or_default();
    let extensions =
        extensions.iter().filter_map(|one| one.extension_name_as_c_str().ok()).map(CStr::to_owned).collect();

    let limits = Limits {
        storage_range: u64::from(properties.limits.max_storage_buffer_range),
        storage_buffers: properties
            .limits
            .max_per_stage_descriptor_storage_buffers
            .min(properties.limits.max_per_stage_resources.saturating_sub(1)),
        texel_elements: if kind == DeviceKind::Cpu {
            u64::from(properties.limits.max_texel_buffer_elements)
        } else {
            0
        },
        allocation,
        uniform_range: u64::from(properties.limits.max_uniform_buffer_range),
        groups: properties.limits.max_compute_work_group_count,
        timestamp_period: properties.limits.timestamp_period,
        timestamp_bits: families.get(family).map_or(0, |family| family.timestamp_valid_bits),
        cache_uuid: properties.pipeline_cache_uuid,
        vendor: properties.vendor_id,
        device: properties.device_id,
    };
    let info = DeviceInfo {
        index,
        name,
        kind,
        driver: driver.trim().to_owned(),
        api: (major, minor, patch),
        memory,
        subgroup_size,
        refusals,
    };
    Candidate { info, physical, family: family as u32, limits, extensions }
}

fn refuse_subgroups(properties: &vk::PhysicalDeviceVulkan11Properties<'_>, refusals: &mut Vec<String>) {
    if !properties.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE) {
        refusals.push("has no subgroup operations in compute shaders".to_owned());
    }
    for (operation, name) in [
        (vk::SubgroupFeatureFlags::BASIC, "basic"),
        (vk::SubgroupFeatureFlags::VOTE, "vote"),
        (vk::SubgroupFeatureFlags::ARITHMETIC, "arithmetic"),
        (vk::SubgroupFeatureFlags::BALLOT, "ballot"),
        (vk::SubgroupFeatureFlags::SHUFFLE, "shuffle"),
    ] {
        if !properties.subgroup_supported_operations.contains(operation) {
            refusals.push(format!("lacks {name} subgroup operations"));
        }
    }
}

fn text(name: std::result::Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, name: &str, kind: DeviceKind, refusals: &[&str]) -> DeviceInfo {
        DeviceInfo {
            index,
            name: name.to_owned(),
            kind,
            driver: String::new(),
            api: (1, 2, 0),
            memory: 0,
            subgroup_size: 8,
            refusals: refusals.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    #[test]
    fn choice_prefers_discrete_and_honors_selectors() {
        let list = [
            device(0, "llvmpipe", DeviceKind::Cpu, &[]),
            device(1, "Old Card", DeviceKind::Discrete, &["lacks the feature scalarBlockLayout"]),
            device(2, "GeForce A", DeviceKind::Discrete, &[]),
            device(3, "GeForce B", DeviceKind::Discrete, &[]),
            device(4, "UHD", DeviceKind::Integrated, &[]),
        ];
        assert_eq!(choose(&list, None).unwrap(), 2);
        assert_eq!(choose(&list, Some("0")).unwrap(), 0);
        assert_eq!(choose(&list, Some("geforce b")).unwrap(), 3);
        assert_eq!(choose(&list, Some("uhd")).unwrap(), 4);
        let error = choose(&list, Some("1")).unwrap_err().to_string();
        assert!(error.contains("Old Card") && error.contains("scalarBlockLayout"), "{error}");
        let error = choose(&list, Some("radeon")).unwrap_err().to_string();
        assert!(error.contains("radeon") && error.contains("3 (GeForce B)"), "{error}");
        assert!(matches!(choose(&list, Some("5")), Err(GpuError::UnknownDevice { .. })));
    }
}
