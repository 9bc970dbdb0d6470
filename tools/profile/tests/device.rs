//! A profile of a scene with two materials, on a device.

fn main() {}
