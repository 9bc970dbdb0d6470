//! The Vulkan instance, with the validation layer and its messages if requested.

use crate::error::{GpuError, Result, vulkan};
use ash::{ext, khr, vk};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// True once the process has an instance that keeps the drivers loaded.
static DRIVERS_KEPT: AtomicBool = AtomicBool::new(false);

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Messages that the validation layer has sent.
#[derive(Default)]
pub(crate) struct Messages(Mutex<Vec<String>>);

impl Messages {
    fn push(&self, message: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Loader and instance.
pub(crate) struct Instance {
    pub(crate) raw: ash::Instance,
    /// True if `VK_EXT_debug_utils` is enabled.
    pub(crate) debug_utils: bool,
    /// Boxed, because the messenger holds its address.
    pub(crate) messages: Box<Messages>,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// True for the first instance of the process, which is never destroyed: it keeps the drivers loaded. Drivers that are loaded
    /// again and again use up the process's static thread-local storage; NVIDIA's stops loading after some 20 times.
    keeps_drivers: bool,
    /// Keeps the loader's library open.
    entry: ash::Entry,
}

impl Instance {
    pub(crate) fn new(validation: bool) -> Result<Instance> {
        // SAFETY: the loader is a system library whose initializers may run on any thread.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| GpuError::NoDriver { reason: error.to_string() })?;
        // SAFETY: no precondition beyond a loaded entry.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.map_err(vulkan("vkEnumerateInstanceVersion"))?.unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_2 {
            let (major, minor, _) = version_parts(version);
            return Err(GpuError::NoDriver {
                reason: format!("the loader supports only Vulkan {major}.{minor}, 1.2 is needed"),
            });
        }
        if validation && !has_layer(&entry)? {
            return Err(GpuError::NoValidation);
        }

        // The loader reports manifests that it cannot parse as lack of memory.
        let available = extensions(&entry, None).map_err(|error| match error {
            GpuError::Vulkan { result: vk::Result::ERROR_OUT_OF_HOST_MEMORY, .. } => GpuError::NoDriver {
                reason: format!(
                    "the loader cannot read the drivers' manifests: one is damaged, or memory is short{}; VK_LOADER_DEBUG=error \
                     shows which",
                    circumstances()
                ),
            },
            error => error,
        })?;
        let mut wanted = Vec::new();
        let mut flags = vk::InstanceCreateFlags::empty();
        let debug_utils = available.iter().any(|name| name.as_c_str() == ext::debug_utils::NAME);
        if debug_utils {
            wanted.push(ext::debug_utils::NAME.as_ptr());
        }
        if available.iter().any(|name| name.as_c_str() == khr::portability_enumeration::NAME) {
            wanted.push(khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        let mut layers = Vec::new();
        let mut synchronization = false;
        if validation {
            layers.push(VALIDATION_LAYER.as_ptr());
            let of_layer = extensions(&entry, Some(VALIDATION_LAYER))?;
            synchronization = of_layer.iter().any(|name| name.as_c_str() == ext::validation_features::NAME);
            if synchronization {
                wanted.push(ext::validation_features::NAME.as_ptr());
            }
        }

        let messages = Box::<Messages>::default();
        let mut messenger_info = messenger_info(&messages);
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        let application = vk::ApplicationInfo::default()
            .application_name(c"tuff")
            .engine_name(c"tuff")
            .api_version(vk::API_VERSION_1_2);
        let mut info = vk::InstanceCreateInfo::default()
            .flags(flags)
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&wanted);
        if validation && debug_utils {
            info = info.push_next(&mut messenger_info);
        }
        if synchronization {
            info = info.push_next(&mut features);
        }
        // SAFETY: all pointers in `info` outlive the call, layers and extensions were found to be there.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER | vk::Result::ERROR_INITIALIZATION_FAILED => {
                GpuError::NoDriver {
                    reason: format!(
                        "the loader found no driver{}; VK_LOADER_DEBUG=all shows what it tried and which libraries a driver lacks",
                        circumstances()
                    ),
                }
            }
            result => GpuError::Vulkan { call: "vkCreateInstance", result },
        })?;

        let keeps_drivers = !DRIVERS_KEPT.swap(true, Ordering::Relaxed);
        let mut instance = Instance { raw, debug_utils, messages, messenger: None, keeps_drivers, entry };
        if validation && debug_utils {
            let functions = ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            let info = self::messenger_info(&instance.messages);
            // SAFETY: the messenger is destroyed before the box that it refers to, with this value.
            let messenger = unsafe { functions.create_debug_utils_messenger(&info, None) }
                .map_err(vulkan("vkCreateDebugUtilsMessengerEXT"))?;
            instance.messenger = Some((functions, messenger));
        }
        Ok(instance)
    }

    pub(crate) fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>> {
        // SAFETY: the instance is alive.
        let devices = match unsafe { self.raw.enumerate_physical_devices() } {
            Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
            devices => devices.map_err(vulkan("vkEnumeratePhysicalDevices"))?,
        };
        if devices.is_empty() {
            let reason = format!("the loader found no device{}", circumstances());
            return Err(GpuError::NoDriver { reason });
        }
        Ok(devices)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: everything made from the instance is gone; the messenger goes first. An instance that is kept has no other
        // reference to the messages: the messenger of its creation acts only while it is created or destroyed.
        unsafe {
            if let Some((functions, messenger)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(messenger, None);
            }
            if self.keeps_drivers {
                std::mem::forget(self.entry.clone());
            } else {
                self.raw.destroy_instance(None);
            }
        }
    }
}

fn messenger_info(messages: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
        )
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(on_message))
        .user_data(std::ptr::from_ref(messages).cast::<c_void>().cast_mut())
}

/// Called by the layer on whichever thread made the offending call.
unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data, and `user` is the `Messages` that outlive the messenger.
    unsafe {
        if let (Some(data), Some(messages)) = (data.as_ref(), user.cast::<Messages>().as_ref())
            && !data.p_message.is_null()
        {
            let message = CStr::from_ptr(data.p_message).to_string_lossy().into_owned();
            tracing::error!(target: "tuff_gpu::validation", "{message}");
            messages.push(message);
        }
    }
    vk::FALSE
}

fn has_layer(entry: &ash::Entry) -> Result<bool> {
    // SAFETY: no precondition beyond a loaded entry.
    let layers = unsafe { entry.enumerate_instance_layer_properties() };
    let layers = layers.map_err(vulkan("vkEnumerateInstanceLayerProperties"))?;
    Ok(layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER)))
}

fn extensions(entry: &ash::Entry, layer: Option<&CStr>) -> Result<Vec<std::ffi::CString>> {
    // SAFETY: no precondition beyond a loaded entry.
    let list = unsafe { entry.enumerate_instance_extension_properties(layer) };
    let list = list.map_err(vulkan("vkEnumerateInstanceExtensionProperties"))?;
    Ok(list.iter().filter_map(|one| one.extension_name_as_c_str().ok()).map(CStr::to_owned).collect())
}

/// Address space below which a driver may not fit [bytes].
const ROOMY: u64 = 4 << 30;

/// Describes what in this process may prevent the loader from loading an installed driver, to follow a reason.
fn circumstances() -> String {
    let mut text = String::new();
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        if let Some(value) = std::env::var_os(variable) {
            text += &format!("; {variable} restricts it to {}", value.to_string_lossy().escape_debug());
        }
    }
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    if let Some(limit) = address_space(&limits).filter(|&limit| limit < ROOMY) {
        text += &format!("; this process may use {} MB of address space (ulimit -v)", limit / 1_000_000);
    }
    text
}

/// Returns the limit of address space [bytes] in a list of limits; `None` if there is no limit.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// (major, minor, patch).
pub(crate) fn version_parts(version: u32) -> (u32, u32, u32) {
    (vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_address_space_is_read() {
        let limits = |value: &str| {
            format!(
                "Limit   Soft Limit  Hard Limit  Units\nMax resident set  5  5  bytes\nMax address space  {value}  bytes\n"
            )
        };
        assert_eq!(address_space(&limits("716800000            716800000")), Some(716_800_000));
        assert_eq!(address_space(&limits("unlimited            unlimited")), None);
        assert_eq!(address_space(""), None);
    }
}
