//! Binary glTF: a skinned mesh with its skeleton and animations.

use glam::{DMat4, DVec3};
use serde_json::{Value, json};

use crate::motion::Animation;
use crate::pose::Figure;
use crate::surface::Surface;

/// Component types of accessors, and targets of buffer views.
const U8: u32 = 5121;
const U16: u32 = 5123;
const F32: u32 = 5126;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Types of the chunks: `JSON` and `BIN`.
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;

/// The binary chunk with the views and accessors into it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Appends an accessor and returns its index.
    fn add(
        &mut self,
        bytes: Vec<u8>,
        count: usize,
        component: u32,
        kind: &str,
        target: Option<u32>,
    ) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = self.views.len() - 1;
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn add_floats(&mut self, values: &[f32], width: usize, kind: &str, target: Option<u32>) -> usize {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.add(bytes, values.len() / width, F32, kind, target)
    }

    /// Adds the smallest and the largest value of each component to an accessor, where the format requires them.
    fn limit(&mut self, accessor: usize, values: &[f32], width: usize) {
        for (key, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
            let of = |part: usize| values.iter().skip(part).step_by(width).copied().reduce(pick);
            self.accessors[accessor][key] = (0..width).map(of).collect();
        }
    }
}

fn floats(points: &[DVec3]) -> Vec<f32> {
    points.iter().flat_map(|point| point.as_vec3().to_array()).collect()
}

/// Writes a file. Node 0 is the mesh; joint `i` is node `i + 1`.
pub fn write(surface: &Surface, figure: &Figure, animations: &[Animation]) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let positions = floats(&surface.vertices);
    let position = buffer.add_floats(&positions, 3, "VEC3", Some(VERTICES));
    buffer.limit(position, &positions, 3);
    let normal = buffer.add_floats(&floats(&surface.normals), 3, "VEC3", Some(VERTICES));
    let count = figure.influences.len();
    let joints = figure.influences.iter().flat_map(|influence| influence.joints).collect();
    let joints = buffer.add(joints, count, U8, "VEC4", Some(VERTICES));
    let weights: Vec<f32> = figure.influences.iter().flat_map(|influence| influence.weights).collect();
    let weights = buffer.add_floats(&weights, 4, "VEC4", Some(VERTICES));
    let corners = surface.triangles.as_flattened();
    let indices = corners.iter().flat_map(|&corner| narrow(corner).to_le_bytes()).collect();
    let indices = buffer.add(indices, corners.len(), U16, "SCALAR", Some(INDICES));
    let to_joint = |position: DVec3| DMat4::from_translation(-position).as_mat4().to_cols_array();
    let inverses: Vec<f32> = figure.joints.iter().flat_map(|joint| to_joint(joint.position)).collect();
    let inverses = buffer.add_floats(&inverses, 16, "MAT4", None);
    let animations: Vec<Value> =
        animations.iter().map(|animation| animation_value(&mut buffer, figure, animation)).collect();
    let mut nodes = vec![json!({ "name": "mannequin", "mesh": 0, "skin": 0 })];
    nodes.extend((0..figure.joints.len()).map(|index| joint_value(figure, index)));
    let document = json!({
        "asset": { "version": "2.0", "generator": "tuff-scene example mannequin" },
        "scene": 0,
        "scenes": [{ "name": "mannequin", "nodes": [0, 1] }],
        "nodes": nodes,
        "meshes": [{ "name": "mannequin", "primitives": [{
            "attributes": { "POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weights },
            "indices": indices,
            "material": 0,
        }] }],
        "materials": [{ "name": "skin", "pbrMetallicRoughness": {
            "baseColorFactor": [0.8, 0.75, 0.7, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7,
        } }],
        "skins": [{
            "name": "skeleton",
            "skeleton": 1,
            "joints": (1..nodes.len()).collect::<Vec<_>>(),
            "inverseBindMatrices": inverses,
        }],
        "animations": animations,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    });
    container(document.to_string().into_bytes(), buffer.bytes)
}

fn narrow(vertex: u32) -> u16 {
    u16::try_from(vertex).expect("the surface has more vertices than 16-bit indices reach: widen the spacing")
}

fn joint_value(figure: &Figure, index: usize) -> Value {
    let joint = &figure.joints[index];
    let above = joint.parent.map_or(DVec3::ZERO, |parent| figure.joints[parent].position);
    let children: Vec<usize> = (0..figure.joints.len())
        .filter(|&child| figure.joints[child].parent == Some(index))
        .map(|child| child + 1)
        .collect();
    let mut node =
        json!({ "name": joint.name, "translation": (joint.position - above).as_vec3().to_array() });
    // Empty lists are not allowed.
    if !children.is_empty() {
        node["children"] = json!(children);
    }
    node
}

/// Every animation sets all joints, so that none is left as another animation had it.
fn animation_value(buffer: &mut Buffer, figure: &Figure, animation: &Animation) -> Value {
    let times: Vec<f32> = animation.times.iter().map(|&time| time as f32).collect();
    let input = buffer.add_floats(&times, 1, "SCALAR", None);
    buffer.limit(input, &times, 1);
    let root: Vec<DVec3> =
        animation.poses.iter().map(|pose| figure.joints[0].position + pose.shift).collect();
    let output = buffer.add_floats(&floats(&root), 3, "VEC3", None);
    let mut outputs = vec![(0, "translation", output)];
    for joint in 0..figure.joints.len() {
        let turns: Vec<f32> = animation
            .poses
            .iter()
            .flat_map(|pose| pose.turns[joint].normalize().as_quat().to_array())
            .collect();
        outputs.push((joint, "rotation", buffer.add_floats(&turns, 4, "VEC4", None)));
    }
    let samplers: Vec<Value> = outputs
        .iter()
        .map(|(_, _, output)| json!({ "input": input, "output": output, "interpolation": "LINEAR" }))
        .collect();
    let channels: Vec<Value> = outputs
        .iter()
        .enumerate()
        .map(|(sampler, (joint, path, _))| {
            json!({ "sampler": sampler, "target": { "node": joint + 1, "path": path } })
        })
        .collect();
    json!({ "name": animation.name, "samplers": samplers, "channels": channels })
}

/// Joins both chunks, padded to multiples of four bytes.
fn container(mut text: Vec<u8>, bytes: Vec<u8>) -> Vec<u8> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((12 + 8 + text.len() as u32 + 8 + bytes.len() as u32).to_le_bytes());
    for (chunk, kind) in [(text, JSON_CHUNK), (bytes, BINARY_CHUNK)] {
        file.extend(length(&chunk));
        file.extend(kind.to_le_bytes());
        file.extend(chunk);
    }
    file
}
