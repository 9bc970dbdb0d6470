//! `tuff devices`.

use std::fmt::Write;

use tuff_gpu::Device;

use tuff_cli::exit::Stop;
use tuff_cli::print;

/// Lists the Vulkan devices and the solvers on the processor.
pub fn devices() -> Result<(), Stop> {
    let mut text = String::new();
    let devices = Device::enumerate().unwrap_or_else(|reason| {
        let _ = writeln!(text, "no Vulkan device: {reason}");
        Vec::new()
    });
    for device in &devices {
        let (major, minor, patch) = device.api;
        let _ = writeln!(
            text,
            "{}  {}\n   {}, Vulkan {major}.{minor}.{patch}, {}, {} of memory, subgroups of {}",
            device.index,
            device.name,
            device.kind,
            device.driver,
            print::bytes(device.memory),
            device.subgroup_size
        );
        for reason in &device.refusals {
            let _ = writeln!(text, "   cannot be used: {reason}");
        }
    }
    text += "cpu\n   the processor, on all cores: the default without a GPU\n\
             reference\n   the same in f64: slower, for comparison\n\
             mpm\n   the material point method on the CPU: explicit, f64, serial; a baseline for comparison\n";
    print::out(&text)
}
