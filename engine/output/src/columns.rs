//! Columns of a frame file: per-particle quantities with names and types, independent of the file format.

use tuff_material_sdk::descriptor::Descriptor;
use tuff_problem::Frame;
use tuff_scene::{AttributeKind, FrameAttribute, FrameFormat, Scene, Up};

use crate::error::OutputError;

/// Columns and metadata of frame files.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameLayout {
    pub(crate) columns: Vec<Column>,
    /// Comment lines of the header.
    pub(crate) comments: Vec<String>,
}

/// A column: an attribute and, for a state word, its position in the state of each material.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub attribute: FrameAttribute,
    words: Vec<Option<usize>>,
}

impl FrameLayout {
    /// Creates the layout for `attributes`, where `models[m]` describes the model of material `m`.
    ///
    /// A state word is looked up by name in every material; particles of materials without it get 0.
    ///
    /// # Errors
    /// [`OutputError::UnknownState`] if no material exports a state word of that name.
    pub fn new(attributes: &[FrameAttribute], models: &[&Descriptor]) -> Result<Self, OutputError> {
        let columns = attributes.iter().map(|attribute| Column::new(attribute, models));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Self { columns, comments: Vec::new() })
    }

    /// Adds metadata: up axis, units, and the material names that the column `material` indexes. Headers are ASCII; other characters in
    /// names are escaped.
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

    /// Creates a layout with all columns that need no extra computation: velocity, id, material, J, density and all exported
    /// state words.
    ///
    /// # Errors
    /// None: every state word is exported by a model.
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
}

impl FrameLayout {
    /// Estimates the size of a frame file of `particle_count` particles [bytes].
    pub fn disk_bytes(&self, format: FrameFormat, particle_count: usize) -> u64 {
        /// Characters per number and separator.
        const TEXT: u64 = 12;
        let count = particle_count as u64;
        let numbers: u64 = self.columns.iter().map(|column| column.width() as u64).sum();
        match format {
            FrameFormat::Ply => self.frame_bytes(particle_count),
            // Positions in f64, connectivity and offset in i64.
            FrameFormat::Vtk => count * (24 + 16 + 4 * numbers),
            FrameFormat::Usd => count * TEXT * (8 + numbers),
        }
    }
}

impl Column {
    fn new(attribute: &FrameAttribute, models: &[&Descriptor]) -> Result<Self, OutputError> {
        let words = match attribute {
            FrameAttribute::State(name) => state_words(name, models)?,
            _ => Vec::new(),
        };
        Ok(Self { attribute: attribute.clone(), words })
    }

    /// Returns the number of components.
    pub fn width(&self) -> usize {
        self.attribute.kind().components().len().max(1)
    }

    /// Returns true if the values are integers.
    pub fn is_index(&self) -> bool {
        self.attribute.kind() == AttributeKind::Index
    }

    /// Returns the integer value of a particle with this id.
    pub fn index(&self, frame: &Frame, particle: usize, id: u32) -> u32 {
        match self.attribute {
            FrameAttribute::Material => frame.material[particle],
            FrameAttribute::Body => frame.body[particle],
            _ => id,
        }
    }

    /// Returns the components of a particle's value, in the order of [`AttributeKind::components`]; `one` is storage for a
    /// scalar.
    pub fn numbers<'a>(&self, frame: &'a Frame, particle: usize, one: &'a mut [f32; 1]) -> &'a [f32] {
        let value = match &self.attribute {
            FrameAttribute::Velocity => return &frame.velocity[particle],
            FrameAttribute::Strain => return &frame.strain[particle],
            FrameAttribute::Stress => return &frame.stress[particle],
            FrameAttribute::Deformation => return &frame.deformation[particle],
            FrameAttribute::VolumeRatio => frame.volume_ratio[particle],
            FrameAttribute::Density => frame.density[particle],
            FrameAttribute::Packing => frame.packing[particle],
            FrameAttribute::Pressure => frame.pressure[particle],
            FrameAttribute::VonMises => frame.von_mises[particle],
            FrameAttribute::State(_) => state_value(frame, particle, &self.words),
            FrameAttribute::Id | FrameAttribute::Material | FrameAttribute::Body => 0.0,
        };
        *one = [value];
        one
    }

    /// Appends a particle's value, little-endian.
    pub fn append(&self, frame: &Frame, particle: usize, id: u32, row: &mut Vec<u8>) {
        if self.is_index() {
            row.extend(self.index(frame, particle, id).to_le_bytes());
        } else {
            let mut one = [0.0];
            let numbers = self.numbers(frame, particle, &mut one).iter();
            numbers.for_each(|number| row.extend(number.to_le_bytes()));
        }
    }
}

/// Returns the value of a state word that material `m` stores at `words[m]`; 0 for materials without it.
pub(crate) fn state_value(frame: &Frame, particle: usize, words: &[Option<usize>]) -> f32 {
    let word = words.get(frame.material[particle] as usize).copied().flatten();
    word.map_or(0.0, |w| frame.state[particle][w])
}

/// Returns the position of the exported state word `name` in the state of each material.
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
