//! What a driver tells about the code that it compiled (`VK_KHR_pipeline_executable_properties`).

use crate::device::Device;
use crate::error::{GpuError, Result, vulkan};
use ash::vk;

/// A number about the compiled code of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// The driver's name for it.
    pub name: String,
    /// Its value, in the driver's unit; 0 and 1 for false and true.
    pub value: f64,
}

/// Returns the statistics of a pipeline, which is one executable: compute pipelines have one stage.
pub(crate) fn statistics(device: &Device, pipeline: vk::Pipeline) -> Result<Vec<Statistic>> {
    let Some(functions) = &device.executables else {
        return Err(GpuError::Invalid("the device was not opened to compile only".to_owned()));
    };
    let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(0);
    // SAFETY: the pipeline was made from this device with statistics, and has at least one executable.
    let list = unsafe { functions.get_pipeline_executable_statistics(&info) }
        .map_err(vulkan("vkGetPipelineExecutableStatisticsKHR"))?;
    let read = |one: &vk::PipelineExecutableStatisticKHR<'_>| {
        let name =
            one.name_as_c_str().map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned());
        // SAFETY: the driver sets the field that `format` names; all bits are valid numbers.
        let value = unsafe {
            match one.format {
                vk::PipelineExecutableStatisticFormatKHR::BOOL32 => f64::from(one.value.b32),
                vk::PipelineExecutableStatisticFormatKHR::INT64 => one.value.i64 as f64,
                vk::PipelineExecutableStatisticFormatKHR::UINT64 => one.value.u64 as f64,
                _ => one.value.f64,
            }
        };
        Statistic { name, value }
    };
    Ok(list.iter().map(read).collect())
}
