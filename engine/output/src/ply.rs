//! PLY frames: binary little-endian, one vertex element per particle, sorted by id.

use std::io::{self, Write};

use tuff_problem::{Frame, Surroundings};

use crate::columns::FrameLayout;

impl FrameLayout {
    /// Returns the size of one particle in a PLY file [bytes].
    pub fn bytes_per_particle(&self) -> u64 {
        12 + self.columns.iter().map(|column| 4 * column.width() as u64).sum::<u64>()
    }

    /// Returns the size of a PLY file of `particle_count` particles [bytes], up to a few digits in its header.
    pub fn frame_bytes(&self, particle_count: usize) -> u64 {
        let header = self.header(&Frame { index: 1, ..Frame::default() }, particle_count).len() as u64;
        header + self.bytes_per_particle() * particle_count as u64
    }

    /// Writes `frame` as a complete PLY file.
    pub(crate) fn write(&self, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
        self.write_ids(frame, |particle| frame.id(particle), out)
    }

    /// Writes some particles as a complete PLY file.
    pub(crate) fn write_some(&self, some: &Surroundings, out: &mut dyn Write) -> io::Result<()> {
        self.write_ids(&some.frame, |particle| some.id[particle], out)
    }

    fn write_ids(&self, frame: &Frame, id: impl Fn(usize) -> u32, out: &mut dyn Write) -> io::Result<()> {
        let count = frame.position.len();
        out.write_all(self.header(frame, count).as_bytes())?;
        let mut row = Vec::with_capacity(self.bytes_per_particle() as usize);
        for particle in 0..count {
            row.clear();
            for coordinate in frame.position[particle] {
                row.extend((coordinate as f32).to_le_bytes());
            }
            for column in &self.columns {
                column.append(frame, particle, id(particle), &mut row);
            }
            out.write_all(&row)?;
        }
        Ok(())
    }

    fn header(&self, frame: &Frame, count: usize) -> String {
        let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
        header += &format!("comment tuff frame {} time {} s\n", frame.index, frame.time);
        for comment in &self.comments {
            header += &format!("comment {comment}\n");
        }
        header += &format!("element vertex {count}\n");
        header += "property float x\nproperty float y\nproperty float z\n";
        for column in &self.columns {
            let kind = if column.is_index() { "uint" } else { "float" };
            for name in column.attribute.columns() {
                header += &format!("property {kind} {name}\n");
            }
        }
        header + "end_header\n"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tuff_material_sdk::descriptor::{Claims, Descriptor, Initial, StateWord, Variant};

    use tuff_scene::FrameAttribute;

    use super::*;

    fn model(id: &str, states: &[(&str, bool)]) -> Descriptor {
        let word = |&(name, exported): &(&str, bool)| StateWord {
            name: name.to_owned(),
            unit: "1".to_owned(),
            initial: Initial::Value(0.0),
            exported,
            help: String::new(),
            aliases: Vec::new(),
        };
        Descriptor {
            id: id.to_owned(),
            version: "1".to_owned(),
            author: String::new(),
            help: String::new(),
            reference: String::new(),
            parameters: Vec::new(),
            states: states.iter().map(word).collect(),
            claims: Claims {
                isotropic: true,
                volume_preserving: false,
                rate_independent: true,
                dissipative: true,
            },
            variant: Variant::Principal,
            constant_count: 0,
        }
    }

    fn two_particles() -> Frame {
        Frame {
            index: 7,
            time: 0.25,
            position: vec![[0.1, -2.5, 1e9], [4.0, 5.0, -0.0]],
            velocity: vec![[1.0, 2.0, 3.0], [-1.5, 0.0, 1e-30]],
            material: vec![0, 1],
            body: vec![1, 0],
            volume_ratio: vec![0.75, 1.25],
            density: vec![1600.0, 920.5],
            state: vec![[0.5, 0.25, 0.0, 0.0], [9.0, 8.0, 7.0, 6.0]],
            strain: vec![[0.0; 6]; 2],
            stress: vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]],
            deformation: vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]; 2],
            ..Frame::default()
        }
    }

    /// Reads a file independently of the writer: property name to the value of every particle.
    fn read(bytes: &[u8]) -> BTreeMap<String, Vec<f64>> {
        let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let header = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = header.lines();
        assert_eq!(lines.next(), Some("ply"));
        assert_eq!(lines.next(), Some("format binary_little_endian 1.0"));
        let mut count = 0;
        let mut properties = Vec::new();
        for line in lines {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["element", "vertex", n] => count = n.parse().unwrap(),
                ["property", kind, name] => properties.push((kind.to_owned(), name.to_owned())),
                ["comment", ..] | ["end_header"] => {}
                _ => panic!("unexpected header line {line:?}"),
            }
        }
        let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut words = bytes[end..].chunks_exact(4);
        for _ in 0..count {
            for (kind, name) in &properties {
                let word: [u8; 4] = words.next().unwrap().try_into().unwrap();
                let value = match kind.as_str() {
                    "float" => f64::from(f32::from_le_bytes(word)),
                    "uint" => f64::from(u32::from_le_bytes(word)),
                    _ => panic!("unexpected type {kind}"),
                };
                values.entry(name.clone()).or_default().push(value);
            }
        }
        assert!(words.next().is_none() && words.remainder().is_empty(), "bytes after the last particle");
        values
    }

    #[test]
    fn every_column_survives_a_round_trip() {
        let models = [model("sand", &[("v_c", true)]), model("clay", &[("hidden", false), ("alpha", true)])];
        let attributes = [
            FrameAttribute::State("alpha".to_owned()),
            FrameAttribute::Velocity,
            FrameAttribute::Density,
            FrameAttribute::Id,
            FrameAttribute::VolumeRatio,
            FrameAttribute::Material,
            FrameAttribute::State("v_c".to_owned()),
            FrameAttribute::Body,
            FrameAttribute::Stress,
            FrameAttribute::Deformation,
        ];
        let layout = FrameLayout::new(&attributes, &[&models[0], &models[1]]).unwrap();
        let mut bytes = Vec::new();
        layout.write(&two_particles(), &mut bytes).unwrap();
        let values = read(&bytes);
        let expect = |name: &str, first: f32, second: f32| {
            assert_eq!(values[name], [f64::from(first), f64::from(second)], "{name}");
        };
        expect("x", 0.1, 4.0);
        expect("y", -2.5, 5.0);
        expect("z", 1e9, 0.0);
        expect("vx", 1.0, -1.5);
        expect("vy", 2.0, 0.0);
        expect("vz", 3.0, 1e-30);
        expect("id", 0.0, 1.0);
        expect("material", 0.0, 1.0);
        expect("J", 0.75, 1.25);
        expect("density", 1600.0, 920.5);
        expect("alpha", 0.0, 8.0);
        expect("v_c", 0.5, 0.0);
        expect("body", 1.0, 0.0);
        expect("stress_xx", 1.0, -1.0);
        expect("stress_yz", 4.0, -4.0);
        expect("stress_xy", 6.0, -6.0);
        expect("deformation_xy", 2.0, 2.0);
        expect("deformation_zx", 7.0, 7.0);
        let header_order = String::from_utf8_lossy(&bytes[..700]).find(" alpha\n")
            < String::from_utf8_lossy(&bytes[..700]).find(" vx\n");
        assert!(header_order, "columns are in the order of the attributes");
        assert!(layout.frame_bytes(2).abs_diff(bytes.len() as u64) < 8);
    }

    #[test]
    fn unknown_and_private_state_words_are_refused_with_the_allowed_ones() {
        let clay = model("clay", &[("hidden", false), ("alpha", true)]);
        for name in ["hidden", "alfa"] {
            let error = FrameLayout::new(&[FrameAttribute::State(name.to_owned())], &[&clay]).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(name) && message.contains("deformation, alpha"), "{message}");
        }
    }
}
