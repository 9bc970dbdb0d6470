//! `tuff devices`.

use std::fmt::Write;

use tuff_gpu::Device;

use tuff_cli::exit::{NO_DEVICE, Stop};
use tuff_cli::print;

/// Lists the Vulkan devices.
pub fn devices() -> Result<(), Stop> {
    let devices = Device::enumerate()?;
    let mut text = String::new();
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
    text += "reference\n   the f64 solver on the CPU: serial, for comparison\n\
             mpm\n   the material point method on the CPU: explicit, f64, serial; a baseline for comparison\n";
    print::out(&text)?;
    if devices.iter().any(|d| d.suitable()) {
        Ok(())
    } else {
        Err(Stop::new(
            NO_DEVICE,
            "none of these Vulkan devices can be used; update the driver, or install Mesa's software driver: apt-get install mesa-vulkan-drivers",
        ))
    }
}
