//! Reads a written file back, moves its skin, and measures the result.

use std::path::Path;

use glam::{Mat4, Quat, Vec3};
use gltf::animation::util::ReadOutputs;

/// A figure as read from a file.
pub struct Read {
    document: gltf::Document,
    bytes: Vec<u8>,
    positions: Vec<Vec3>,
    /// Joints and their weights, shape [vertex_count].
    influences: Vec<([u16; 4], [f32; 4])>,
    triangles: Vec<[u32; 3]>,
}

/// What a posed surface looks like.
#[derive(Debug)]
pub struct Measured {
    pub low: Vec3,
    pub high: Vec3,
    /// Enclosed volume [m^3].
    pub volume: f32,
    /// Number of triangles that face against the joints that carry them, or that have less than 1 % of their area at rest.
    pub spoiled: usize,
}

impl Read {
    pub fn open(path: &Path) -> Result<Self, String> {
        let gltf::Gltf { document, blob } = gltf::Gltf::open(path).map_err(|error| error.to_string())?;
        let bytes = blob.ok_or("it has no bytes")?;
        let mesh = document.meshes().next().ok_or("it has no mesh")?;
        let primitive = mesh.primitives().next().ok_or("its mesh is empty")?;
        let reader = primitive.reader(|_| Some(&bytes[..]));
        let positions = reader.read_positions().ok_or("it has no positions")?.map(Vec3::from).collect();
        let joints = reader.read_joints(0).ok_or("it has no joints")?.into_u16();
        let weights = reader.read_weights(0).ok_or("it has no weights")?.into_f32();
        let influences = joints.zip(weights).collect();
        let corners: Vec<u32> = reader.read_indices().ok_or("it has no indices")?.into_u32().collect();
        let triangles = corners.chunks_exact(3).map(|corners| [corners[0], corners[1], corners[2]]).collect();
        Ok(Self { positions, influences, triangles, document, bytes })
    }

    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Returns names and durations [s] of the animations.
    pub fn animations(&self) -> Vec<(String, f32)> {
        let end = |animation: gltf::Animation| {
            let times = animation.channels().filter_map(|channel| {
                let reader = channel.reader(|_| Some(&self.bytes[..]));
                reader.read_inputs()?.last()
            });
            times.fold(0.0, f32::max)
        };
        let named =
            |animation: gltf::Animation| (animation.name().unwrap_or_default().to_owned(), end(animation));
        self.document.animations().map(named).collect()
    }

    /// Measures the surface at a time [s] of an animation.
    pub fn measure(&self, animation: usize, time: f32) -> Option<Measured> {
        let transforms = self.transforms(animation, time)?;
        let blend = |(joints, weights): &([u16; 4], [f32; 4])| {
            let part = |at: usize| transforms[usize::from(joints[at])] * weights[at];
            part(0) + part(1) + part(2) + part(3)
        };
        let blends: Vec<Mat4> = self.influences.iter().map(blend).collect();
        let moved: Vec<Vec3> =
            self.positions.iter().zip(&blends).map(|(&rest, blend)| blend.transform_point3(rest)).collect();
        let (mut volume, mut spoiled) = (0.0, 0);
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| moved[corner as usize]);
            volume += a.dot(b.cross(c)) / 6.0;
            let [rest_a, rest_b, rest_c] = triangle.map(|corner| self.positions[corner as usize]);
            let rest = (rest_b - rest_a).cross(rest_c - rest_a);
            let carried: Vec3 =
                triangle.iter().map(|&corner| blends[corner as usize].transform_vector3(rest)).sum();
            let normal = (b - a).cross(c - a);
            spoiled += usize::from(normal.dot(carried) <= 0.0 || normal.length() < 0.01 * rest.length());
        }
        let low = moved.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = moved.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        moved.iter().all(|point| point.is_finite()).then_some(Measured { low, high, volume, spoiled })
    }

    /// Returns the transforms of points that move with each joint of the skin, or nothing if a part of the file is missing.
    fn transforms(&self, animation: usize, time: f32) -> Option<Vec<Mat4>> {
        let bytes = |_: gltf::Buffer| Some(&self.bytes[..]);
        let mut parts: Vec<_> = self.document.nodes().map(|node| node.transform().decomposed()).collect();
        for channel in self.document.animations().nth(animation)?.channels() {
            let reader = channel.reader(bytes);
            let times: Vec<f32> = reader.read_inputs()?.collect();
            let next = times.partition_point(|&key| key <= time).min(times.len() - 1);
            let before = next.saturating_sub(1);
            let span = times[next] - times[before];
            let part = if span > 0.0 { ((time - times[before]) / span).clamp(0.0, 1.0) } else { 0.0 };
            let place = &mut parts[channel.target().node().index()];
            match reader.read_outputs()? {
                ReadOutputs::Translations(values) => {
                    let values: Vec<Vec3> = values.map(Vec3::from).collect();
                    place.0 = values[before].lerp(values[next], part).to_array();
                }
                ReadOutputs::Rotations(values) => {
                    let values: Vec<Quat> = values.into_f32().map(Quat::from_array).collect();
                    place.1 = values[before].slerp(values[next], part).to_array();
                }
                _ => return None,
            }
        }
        let local = |index: usize| {
            let (translation, rotation, scale) = parts[index];
            Mat4::from_scale_rotation_translation(
                Vec3::from(scale),
                Quat::from_array(rotation),
                Vec3::from(translation),
            )
        };
        let mut world = vec![Mat4::IDENTITY; parts.len()];
        let mut pending: Vec<_> =
            self.document.scenes().next()?.nodes().map(|node| (node, Mat4::IDENTITY)).collect();
        while let Some((node, above)) = pending.pop() {
            world[node.index()] = above * local(node.index());
            pending.extend(node.children().map(|child| (child, world[node.index()])));
        }
        let skin = self.document.skins().next()?;
        let inverses = skin.reader(bytes).read_inverse_bind_matrices()?;
        let joint = |(joint, inverse): (gltf::Node, [[f32; 4]; 4])| {
            world[joint.index()] * Mat4::from_cols_array_2d(&inverse)
        };
        Some(skin.joints().zip(inverses).map(joint).collect())
    }
}
