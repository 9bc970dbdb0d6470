//! PLY frames: binary little-endian, one vertex element per particle in the order of ids.

use std::io::{self, Write};

use tuff_material_sdk::descriptor::Descriptor;
use tuff_problem::{Frame, Surroundings};
use tuff_scene::{FrameAttribute, Scene, Up};

use crate::error::OutputError;

/// The columns of a frame file: `x y z`, then the chosen attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameLayout {
    columns: Vec<Column>,
    /// Lines of the header for people and scripts, without their `comment`.
    comments: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Column {
    Velocity,
    Id,
    Material,
    VolumeRatio,
    Density,
    Packing,
    State { name: String, words: Vec<Option<usize>> },
}

impl FrameLayout {
    /// The layout for `attributes`, where `models[m]` describes the model of material `m`.
    ///
    /// A state word is looked up by its name in every material; particles of materials that do not
    /// have it get 0.
    ///
    /// # Errors
    /// [`OutputError::UnknownState`] when no material exports a state word of that name.
    pub fn new(attributes: &[FrameAttribute], models: &[&Descriptor]) -> Result<Self, OutputError> {
        let columns = attributes.iter().map(|attribute| column(attribute, models));
        Ok(Self { columns: columns.collect::<Result<_, _>>()?, comments: Vec::new() })
    }

    /// With comments on what `scene` says of its frames: which axis is up, the units, and the names of the materials that the column
    /// `material` counts. A header is ASCII: other letters of names are escaped.
    pub fn described(mut self, scene: &Scene) -> Self {
        let up = match scene.up {
            Up::Y => "y",
            Up::Z => "z",
        };
        self.comments = vec![format!("up {up}"), "units m s kg".to_owned()];
        let names = scene.materials.iter().enumerate();
        self.comments
            .extend(names.map(|(m, material)| format!("material {m} {}", material.name.escape_default())));
        self
    }

    /// The layout with everything that there is: velocity, id, material, J, density and all exported state words.
    ///
    /// # Errors
    /// None: every word is one that a model exports.
    pub fn full(models: &[&Descriptor]) -> Result<Self, OutputError> {
        let mut attributes = vec![
            FrameAttribute::Velocity,
            FrameAttribute::Id,
            FrameAttribute::Material,
            FrameAttribute::VolumeRatio,
            FrameAttribute::Density,
        ];
        for state in models.iter().flat_map(|model| &model.states).filter(|state| state.exported) {
            let word = FrameAttribute::State(state.name.clone());
            if !attributes.contains(&word) {
                attributes.push(word);
            }
        }
        Self::new(&attributes, models)
    }

    /// Size of one particle in a frame file [bytes].
    pub fn bytes_per_particle(&self) -> u64 {
        let attribute = |c: &Column| if matches!(c, Column::Velocity) { 12 } else { 4 };
        12 + self.columns.iter().map(attribute).sum::<u64>()
    }

    /// Size of a frame file of `particle_count` particles [bytes], but for a few digits in its
    /// header.
    pub fn frame_bytes(&self, particle_count: usize) -> u64 {
        let frame = Frame {
            index: 1,
            time: 0.0,
            position: Vec::new(),
            velocity: Vec::new(),
            material: Vec::new(),
            volume_ratio: Vec::new(),
            density: Vec::new(),
            packing: Vec::new(),
            state: Vec::new(),
            strain: Vec::new(),
        };
        let header = self.header(&frame, particle_count).len() as u64;
        header + self.bytes_per_particle() * particle_count as u64
    }

    /// Writes `frame` as a whole PLY file.
    pub(crate) fn write(&self, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
        self.write_ids(frame, |particle| particle as u32, out)
    }

    /// Writes some particles as a whole PLY file.
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
            header += &match column {
                Column::Velocity => "property float vx\nproperty float vy\nproperty float vz\n".to_owned(),
                Column::Id => "property uint id\n".to_owned(),
                Column::Material => "property uint material\n".to_owned(),
                Column::VolumeRatio => "property float J\n".to_owned(),
                Column::Density => "property float density\n".to_owned(),
                Column::Packing => "property float packing\n".to_owned(),
                Column::State { name, .. } => format!("property float {name}\n"),
            };
        }
        header + "end_header\n"
    }
}

impl Column {
    fn append(&self, frame: &Frame, particle: usize, id: u32, row: &mut Vec<u8>) {
        match self {
            Self::Velocity => frame.velocity[particle].iter().for_each(|v| row.extend(v.to_le_bytes())),
            Self::Id => row.extend(id.to_le_bytes()),
            Self::Material => row.extend(frame.material[particle].to_le_bytes()),
            Self::VolumeRatio => row.extend(frame.volume_ratio[particle].to_le_bytes()),
            Self::Density => row.extend(frame.density[particle].to_le_bytes()),
            Self::Packing => row.extend(frame.packing[particle].to_le_bytes()),
            Self::State { words, .. } => row.extend(state_value(frame, particle, words).to_le_bytes()),
        }
    }
}

/// Value of a state word that material `m` keeps at `words[m]`; 0 for materials without it.
pub(crate) fn state_value(frame: &Frame, particle: usize, words: &[Option<usize>]) -> f32 {
    let word = words.get(frame.material[particle] as usize).copied().flatten();
    word.map_or(0.0, |w| frame.state[particle][w])
}

/// Where each material keeps the exported state word `name`.
pub(crate) fn state_words(name: &str, models: &[&Descriptor]) -> Result<Vec<Option<usize>>, OutputError> {
    let words: Vec<_> =
        models.iter().map(|d| d.states.iter().position(|s| s.exported && s.name == name)).collect();
    if words.iter().any(Option::is_some) {
        return Ok(words);
    }
    let mut allowed: Vec<String> = Vec::new();
    for state in models.iter().flat_map(|d| &d.states).filter(|s| s.exported) {
        if !allowed.contains(&state.name) {
            allowed.push(state.name.clone());
        }
    }
    Err(OutputError::UnknownState { name: name.to_owned(), allowed })
}

fn column(attribute: &FrameAttribute, models: &[&Descriptor]) -> Result<Column, OutputError> {
    Ok(match attribute {
        FrameAttribute::Velocity => Column::Velocity,
        FrameAttribute::Id => Column::Id,
        FrameAttribute::Material => Column::Material,
        FrameAttribute::VolumeRatio => Column::VolumeRatio,
        FrameAttribute::Density => Column::Density,
        FrameAttribute::Packing => Column::Packing,
        FrameAttribute::State(name) => {
            Column::State { name: name.clone(), words: state_words(name, models)? }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tuff_material_sdk::descriptor::{Claims, Initial, StateWord, Variant};

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
            volume_ratio: vec![0.75, 1.25],
            density: vec![1600.0, 920.5],
            packing: Vec::new(),
            state: vec![[0.5, 0.25, 0.0, 0.0], [9.0, 8.0, 7.0, 6.0]],
            strain: vec![[0.0; 6]; 2],
        }
    }

    /// An independent reader: property name to the value of every particle.
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
        let header_order = String::from_utf8_lossy(&bytes[..400]).find(" alpha\n")
            < String::from_utf8_lossy(&bytes[..400]).find(" vx\n");
        assert!(header_order, "columns are in the order of the attributes");
        assert!(layout.frame_bytes(2).abs_diff(bytes.len() as u64) < 8);
    }

    #[test]
    fn unknown_and_private_state_words_are_refused_with_the_allowed_ones() {
        let clay = model("clay", &[("hidden", false), ("alpha", true)]);
        for name in ["hidden", "alfa"] {
            let error = FrameLayout::new(&[FrameAttribute::State(name.to_owned())], &[&clay]).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(name) && message.contains("packing, alpha"), "{message}");
        }
    }
}
