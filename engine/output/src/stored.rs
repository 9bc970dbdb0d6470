//! A run on disk, read back: manifest and frames.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use glam::DVec3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};
use serde::Deserialize;
use tuff_problem::Frame;
use tuff_scene::{AttributeKind, FrameAttribute, Particles};

use crate::error::OutputError;
use crate::manifest::{BodyRecord, SourceRecord};
use crate::rigid;

/// Part of `run.json` that pictures need.
#[derive(Debug, Clone, Deserialize)]
pub struct StoredRun {
    /// The folder of the run.
    #[serde(skip)]
    pub root: PathBuf,
    /// Source of the scene.
    pub source: SourceRecord,
    /// Bodies, whose particles follow each other at the start.
    pub bodies: Vec<BodyRecord>,
    /// The frames on disk, in order.
    pub frames: Vec<StoredFrame>,
}

/// A frame on disk.
#[derive(Debug, Clone, Deserialize)]
pub struct StoredFrame {
    /// Number of the frame.
    #[serde(rename = "frame")]
    pub index: u32,
    /// Time since the first frame [s].
    pub time: f64,
    /// Files of the frame, relative to the folder.
    pub files: Vec<String>,
    /// Number of particles; `None` if not recorded, because it is that of the start.
    pub particles: Option<usize>,
}

impl StoredFrame {
    /// Returns the file of the frame's rigid bodies, relative to the folder; `None` if it lists none.
    pub fn rigid_file(&self) -> Option<&str> {
        rigid::file_among(&self.files)
    }
}

impl StoredRun {
    /// Opens the run in the folder `root`.
    ///
    /// # Errors
    /// [`OutputError::NoRun`] if there is no `run.json`, or none that this version can use.
    pub fn open(root: &Path) -> Result<Self, OutputError> {
        let fault = |reason: String| OutputError::NoRun { folder: root.to_owned(), reason };
        let text = std::fs::read_to_string(root.join("run.json"))
            .map_err(|error| fault(format!("run.json cannot be read: {error}")))?;
        let run: Self = serde_json::from_str(&text)
            .map_err(|error| fault(format!("run.json is damaged or from another version: {error}")))?;
        Ok(Self { root: root.to_owned(), ..run })
    }

    /// Reads the particles of `frame` for a picture, with `attribute` if one is given.
    ///
    /// # Errors
    /// [`OutputError::BadFrame`] if the frame has no file, or one that is incomplete or lacks a column.
    pub fn frame(
        &self,
        frame: &StoredFrame,
        attribute: Option<&FrameAttribute>,
    ) -> Result<Frame, OutputError> {
        let name = frame.files.iter().find(|name| name.starts_with("particles/") && name.ends_with(".ply"));
        let name = name.ok_or_else(|| OutputError::BadFrame {
            path: self.root.join("run.json"),
            reason: format!("frame {} has no PLY file (`output.particles` of the scene)", frame.index),
        })?;
        let path = self.root.join(name);
        let fault = |reason: String| OutputError::BadFrame { path: path.clone(), reason };
        let rows = read(&path, attribute).map_err(fault)?;
        let rigid = match frame.rigid_file() {
            Some(name) => rigid::read(&self.root.join(name))?,
            None => Vec::new(),
        };
        let at_start: usize = self.bodies.iter().map(|body| body.particles).sum();
        let expected = frame.particles.unwrap_or(at_start);
        if rows.len() != expected {
            return Err(fault(format!("it has {} particles, but the run has {expected}", rows.len())));
        }
        let body: Vec<u32> = (0..).zip(&rows).map(|(index, row)| self.body_of(index, row)).collect();
        let volume_of =
            |body: &u32| self.bodies.get(*body as usize).map_or(0.0, |body| body.rest_volume as f32);
        let rest_volume = body.iter().map(volume_of).collect();
        let of = |value: fn(&Row) -> f32| rows.iter().map(value).collect::<Vec<f32>>();
        Ok(Frame {
            index: frame.index,
            time: frame.time,
            rest_volume,
            position: rows.iter().map(|row| row.position.map(f64::from)).collect(),
            velocity: rows.iter().map(|row| row.velocity).collect(),
            material: rows.iter().map(|row| row.material).collect(),
            volume_ratio: of(|row| row.volume_ratio),
            density: of(|row| row.density),
            packing: of(|row| row.packing),
            // The value is stored in every word, so that any index finds it.
            state: rows.iter().map(|row| [row.value; 4]).collect(),
            pressure: of(|row| row.value),
            von_mises: of(|row| row.value),
            id: (0..).zip(&rows).map(|(index, row)| row.id.unwrap_or(index)).collect(),
            body,
            rigid,
            ..Frame::default()
        })
    }

    /// Returns the body of a particle: by its column or, of those that are there at the start, by its id. Of others it is the last body,
    /// since those of emitters come last.
    fn body_of(&self, index: u32, row: &Row) -> u32 {
        let id = row.id.unwrap_or(index) as usize;
        let mut end = 0;
        let by_id = self.bodies.iter().position(|body| {
            end += body.particles;
            id < end
        });
        row.body.or(by_id.map(|body| body as u32)).unwrap_or(self.bodies.len().saturating_sub(1) as u32)
    }

    /// Returns the particles at the start, from the first frame on disk. Pins are not known.
    ///
    /// # Errors
    /// Those of [`StoredRun::frame`], or if there is no frame.
    pub fn particles(&self) -> Result<Particles, OutputError> {
        let first = self.frames.first().ok_or_else(|| OutputError::NoRun {
            folder: self.root.clone(),
            reason: "it has no frames yet".to_owned(),
        })?;
        let frame = self.frame(first, None)?;
        let of_particles = || {
            let bodies = (0_u32..).zip(&self.bodies);
            bodies.flat_map(|of_body| std::iter::repeat_n(of_body, of_body.1.particles))
        };
        Ok(Particles {
            id: (0..frame.position.len() as u32).collect(),
            position: frame.position.iter().map(|&p| DVec3::from(p)).collect(),
            velocity: frame.velocity.iter().map(|v| DVec3::from(v.map(f64::from))).collect(),
            rest_volume: of_particles().map(|(_, body)| body.rest_volume).collect(),
            material: frame.material,
            body: of_particles().map(|(index, _)| index).collect(),
            pin: Vec::new(),
        })
    }
}

/// A particle of a frame file; columns that the file lacks are 0, or 1 if that is their value at rest.
#[derive(Debug, Clone, Copy)]
struct Row {
    position: [f32; 3],
    velocity: [f32; 3],
    material: u32,
    volume_ratio: f32,
    density: f32,
    packing: f32,
    body: Option<u32>,
    id: Option<u32>,
    /// The requested value, if it is none of the above.
    value: f32,
}

impl PropertyAccess for Row {
    fn new() -> Self {
        let (position, velocity) = ([0.0; 3], [0.0; 3]);
        Self {
            position,
            velocity,
            material: 0,
            volume_ratio: 1.0,
            density: 0.0,
            packing: 1.0,
            body: None,
            id: None,
            value: 0.0,
        }
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let target = match (name, &property) {
            ("material", Property::UInt(value)) => {
                self.material = *value;
                return PropertyAccessResult::Set;
            }
            ("body", Property::UInt(value)) => {
                self.body = Some(*value);
                return PropertyAccessResult::Set;
            }
            ("id", Property::UInt(value)) => {
                self.id = Some(*value);
                return PropertyAccessResult::Set;
            }
            ("x", _) => &mut self.position[0],
            ("y", _) => &mut self.position[1],
            ("z", _) => &mut self.position[2],
            ("vx", _) => &mut self.velocity[0],
            ("vy", _) => &mut self.velocity[1],
            ("vz", _) => &mut self.velocity[2],
            ("J", _) => &mut self.volume_ratio,
            ("density", _) => &mut self.density,
            ("packing", _) => &mut self.packing,
            (VALUE, _) => &mut self.value,
            _ => return PropertyAccessResult::Ignored,
        };
        match property {
            Property::Float(value) => *target = value,
            _ => return PropertyAccessResult::UnsupportedType,
        }
        PropertyAccessResult::Set
    }
}

/// Name of the requested column while reading.
const VALUE: &str = "\0value";

fn read(path: &Path, attribute: Option<&FrameAttribute>) -> Result<Vec<Row>, String> {
    let file = File::open(path).map_err(|error| format!("it cannot be read: {error}"))?;
    let mut reader = Reader::new(BufReader::new(file));
    let parser = Parser::<Row>::new();
    let damaged = |error: ply_rs_bw::parser::ParseError| {
        format!("it is damaged: {}", error.to_string().lines().next().unwrap_or_default())
    };
    let mut header = parser.read_header(&mut reader).map_err(damaged)?;
    let vertex = header.elements.get_mut("vertex").ok_or("it has no element `vertex`")?;
    let column = match attribute {
        None => "x",
        Some(FrameAttribute::Velocity) => "vx",
        Some(attribute) => attribute.name(),
    };
    if matches!(attribute.map(FrameAttribute::kind), Some(AttributeKind::Symmetric | AttributeKind::Tensor)) {
        return Err(format!(
            "`{column}` is a tensor, which colors cannot show: take one of its invariants, for example `von_mises` or `pressure`"
        ));
    }
    if !vertex.properties.contains_key(column) {
        let columns: Vec<_> = vertex.properties.keys().map(String::as_str).collect();
        return Err(format!("it has no column `{column}`, but {}", columns.join(", ")));
    }
    if let Some(FrameAttribute::State(_) | FrameAttribute::Pressure | FrameAttribute::VonMises) = attribute {
        let renamed = std::mem::take(&mut vertex.properties).into_iter().map(|(key, mut property)| {
            if key == column {
                property.name = VALUE.to_owned();
            }
            (property.name.clone(), property)
        });
        vertex.properties = renamed.collect();
    }
    let vertex = vertex.clone();
    parser.read_payload_for_element(&mut reader, &vertex, &header).map_err(damaged)
}
