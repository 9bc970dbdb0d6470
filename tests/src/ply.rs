//! A reader of PLY frames, independent of the writer.

use std::collections::BTreeMap;
use std::path::Path;

/// Reads a file into a map from property name to the value of every particle.
pub fn read(path: &Path) -> BTreeMap<String, Vec<f64>> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"), "{header}");
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<_> = header.lines().map(words).collect();
    let count: usize = lines.iter().find(|l| l[0] == "element").unwrap()[2].parse().unwrap();
    let properties: Vec<_> = lines.iter().filter(|l| l[0] == "property").collect();
    assert_eq!(bytes.len() - end, 4 * count * properties.len(), "{header}");
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (index, word) in bytes[end..].chunks_exact(4).enumerate() {
        let property = properties[index % properties.len()];
        let word: [u8; 4] = word.try_into().unwrap();
        let value = match property[1].as_str() {
            "float" => f32::from_le_bytes(word).into(),
            "uint" => u32::from_le_bytes(word).into(),
            other => panic!("unexpected type {other}"),
        };
        values.entry(property[2].clone()).or_default().push(value);
    }
    values
}

/// Returns the positions [m].
pub fn positions(values: &BTreeMap<String, Vec<f64>>) -> Vec<glam::DVec3> {
    let [x, y, z] = ["x", "y", "z"].map(|axis| &values[axis]);
    (0..x.len()).map(|i| glam::DVec3::new(x[i], y[i], z[i])).collect()
}
