//! Meshes that deform: the positions of their vertices over time.
//!
//! Both kinds, sequences of files and animations, are knots at equal distances in time. Of a sequence they are kept as displacements in
//! single precision, of an animation they are computed when they are asked for.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::animation::{self, Animation, Clip};
use super::sequence::Pattern;
use super::{LoadedMesh, Mesh, MeshFault, check_positions, read};

/// Knots per frame of the scene on animations. A vertex that turns with a radius r moves on a chord from knot to knot, by r a^2 / 8 off its
/// arc if it turns by a: at a quarter of a frame, half a turn per second at 24 frames per second is 1.3e-4 r off.
const KNOTS_PER_FRAME: f64 = 4.0;

/// Maximum number of positions of a sequence, of all files together: 12 GB [dimensionless].
const MAX_POSITIONS: usize = 1_000_000_000;

/// Number of knots of an animation whose positions are checked when it is read.
const CHECKED_KNOTS: usize = 16;

/// Positions of the vertices of a mesh over time, linear between knots.
///
/// Knots are at equal distances in time: the files of a sequence, or four poses of an animation per frame of the scene, between which also
/// its jumps are ramps. The triangles are those of the mesh at time 0, with its repairs: vertices that coincide at time 0 are one vertex
/// ever after, even if the file moves them apart, and triangles of which two corners coincide then are gone.
#[derive(Debug)]
pub struct Deformation {
    /// Knots per second [1/s].
    rate: f64,
    /// Index of the last knot.
    last: usize,
    source: Source,
    digest: u64,
}

#[derive(Debug)]
enum Source {
    Sequence {
        /// Positions at knot 0 [m], shape [vertex_count].
        start: Vec<DVec3>,
        /// Displacements from there at the knots from 1 on [m], shape [last, vertex_count].
        displacements: Vec<Vec<[f32; 3]>>,
    },
    Animation {
        animation: Animation,
        /// Of every vertex, its index in the file, shape [vertex_count].
        sources: Vec<u32>,
        /// From the file's coordinates to the scene's.
        place: DAffine3,
        /// Middle of the mesh's bounding box at time 0 [m].
        center: DVec3,
    },
}

impl Deformation {
    /// Returns the last knot; knots are numbered from 0, and knot 0 is at time 0.
    pub fn last(&self) -> usize {
        self.last
    }

    /// Returns the time of a knot since the scene's first frame [s].
    pub fn time(&self, index: usize) -> f64 {
        index as f64 / self.rate
    }

    /// Returns the knot at or before a time since the scene's first frame [s], and the part of the way to the next one, in [0, 1): before
    /// time 0 knot 0, after the last knot that one.
    pub fn span(&self, time: f64) -> (usize, f64) {
        let knots = time.max(0.0) * self.rate;
        if knots >= self.last as f64 { (self.last, 0.0) } else { (knots as usize, knots.fract()) }
    }

    /// Returns the positions at a knot [m], relative to the mesh's center like [`Mesh::vertices`], shape [vertex_count]. Those after the
    /// last knot are as there. Those of an animation are computed anew in every call.
    pub fn knot(&self, index: usize) -> Vec<DVec3> {
        match &self.source {
            Source::Sequence { start, displacements } => {
                let Some(knot) = index.min(self.last).checked_sub(1) else { return start.clone() };
                let moved = std::iter::zip(start, &displacements[knot]);
                moved.map(|(&start, by)| start + DVec3::from(by.map(f64::from))).collect()
            }
            Source::Animation { animation, sources, place, center } => {
                let pose = animation.pose(self.time(index.min(self.last)));
                let vertex = |&source: &u32| place.transform_point3(pose[source as usize]) - *center;
                sources.iter().map(vertex).collect()
            }
        }
    }

    /// Returns the positions at a time since the scene's first frame [s]: linear between knots [m], shape [vertex_count].
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let (knot, part) = self.span(time);
        let mut positions = self.knot(knot);
        if part > 0.0 {
            let next = self.knot(knot + 1);
            std::iter::zip(&mut positions, next).for_each(|(p, next)| *p += (next - *p) * part);
        }
        positions
    }

    /// Returns a hash of the contents of the files from which the deformation was read and of the distance of its knots, the same on every
    /// machine.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

impl Mesh {
    /// Reads an animation of a glTF file in a scene of so many frames per second, and places it. The mesh is a surface as in
    /// [`Mesh::load`], as it is at time 0.
    pub(crate) fn load_animation(
        path: &Path,
        clip: &Clip,
        place: DAffine3,
        frame_rate: f64,
    ) -> Result<LoadedMesh, MeshFault> {
        let rate = KNOTS_PER_FRAME * frame_rate;
        let mut hash = Xxh3::new();
        hash.update(&rate.to_le_bytes());
        hash.update(clip.to_string().as_bytes());
        let (mut raw, animation) = animation::read(path, clip, &mut hash)?;
        raw.vertices.iter_mut().for_each(|v| *v = place.transform_point3(*v));
        let mut loaded = Self::build(raw, true)?;
        let last = (animation.duration * rate).ceil().max(0.0) as usize;
        let (sources, center) = (std::mem::take(&mut loaded.sources), loaded.center);
        let source = Source::Animation { animation, sources, place, center };
        let deformation = Deformation { rate, last, source, digest: hash.digest() };
        let stride = last.div_ceil(CHECKED_KNOTS).max(1);
        for knot in (stride..last).step_by(stride).chain([last]) {
            check_positions(&deformation.knot(knot)).map_err(|fault| {
                MeshFault::Unreadable(format!("at {} s: {fault}", deformation.time(knot)))
            })?;
        }
        loaded.mesh.deformation = Some(Arc::new(deformation));
        Ok(loaded)
    }

    /// Reads a sequence of files from number `first` on, so many per second, and places it. The mesh is a surface as in [`Mesh::load`], as
    /// in the first file.
    pub(crate) fn load_sequence(
        pattern: &Pattern,
        first: u64,
        place: DAffine3,
        rate: f64,
    ) -> Result<LoadedMesh, MeshFault> {
        let files = pattern.files(first)?;
        let read = |path: &Path| {
            let mut raw = read::read_mesh(path)?;
            raw.vertices.iter_mut().for_each(|v| *v = place.transform_point3(*v));
            check_positions(&raw.vertices)?;
            Ok(raw)
        };
        let member = |path: &Path, fault| {
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            MeshFault::Member { file, fault: Box::new(fault) }
        };
        let (start_file, later_files) = files.split_first().ok_or(MeshFault::Empty)?;
        let raw = read(start_file).map_err(|fault| member(start_file, fault))?;
        let (triangles, count) = (raw.triangles.clone(), raw.vertices.len());
        let mut loaded = Self::build(raw, true).map_err(|fault| member(start_file, fault))?;
        let start = loaded.mesh.vertices.clone();
        if start.len().saturating_mul(later_files.len()) > MAX_POSITIONS {
            return Err(MeshFault::Unreadable(format!(
                "{} files of {} vertices are more than {MAX_POSITIONS} positions",
                files.len(),
                start.len()
            )));
        }
        let displacements: Vec<Result<Vec<[f32; 3]>, MeshFault>> = later_files
            .par_iter()
            .map(|path| {
                let raw = read(path).map_err(|fault| member(path, fault))?;
                let fault = if raw.vertices.len() != count {
                    format!("it has {} vertices, but the first file has {count}", raw.vertices.len())
                } else if raw.triangles.len() != triangles.len() {
                    let (found, expected) = (raw.triangles.len(), triangles.len());
                    format!("it has {found} triangles, but the first file has {expected}")
                } else if let Some(triangle) =
                    (0..triangles.len()).find(|&t| raw.triangles[t] != triangles[t])
                {
                    let [found, expected] = [&raw.triangles, &triangles].map(|list| list[triangle]);
                    format!(
                        "triangle {triangle} joins the vertices {found:?}, but in the first file {expected:?}"
                    )
                } else {
                    let moved = std::iter::zip(&loaded.sources, &start);
                    let by = |(&source, &start): (&u32, &DVec3)| {
                        (raw.vertices[source as usize] - loaded.center - start).as_vec3().to_array()
                    };
                    return Ok(moved.map(by).collect());
                };
                Err(member(path, MeshFault::Unreadable(fault)))
            })
            .collect();
        // The first fault in the order of the files, whichever thread finds its own first.
        let displacements = displacements.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut hash = Xxh3::new();
        hash.update(&rate.to_le_bytes());
        for vertex in &start {
            vertex.to_array().iter().for_each(|x| hash.update(&x.to_le_bytes()));
        }
        for vertex in displacements.iter().flatten() {
            vertex.iter().for_each(|x| hash.update(&x.to_le_bytes()));
        }
        let last = displacements.len();
        let source = Source::Sequence { start, displacements };
        let deformation = Deformation { rate, last, source, digest: hash.digest() };
        loaded.mesh.deformation = Some(Arc::new(deformation));
        Ok(loaded)
    }
}
