//! An animation from a glTF file.

use std::path::Path;

use glam::{DAffine3, DMat4, DQuat, DVec3, DVec4, Mat4};
use gltf::animation::util::ReadOutputs;
use gltf::scene::Transform;
use xxhash_rust::xxh3::Xxh3;

use super::check::check;
use super::track::{Interpolation, Property, Track};
use super::{Animation, Clip, Local, Node, Part, Skin};
use crate::mesh::gltf_file::{append_triangles, check_count, fault, import, no_tree, visit_meshes};
use crate::mesh::read::unreadable;
use crate::mesh::{MeshFault, RawMesh};

/// What a file lacks after it has been checked; a fault of this program.
fn unread(what: &str) -> MeshFault {
    fault(format!("{what} cannot be read"))
}

/// Reads an animation of a glTF file, and the mesh that it moves as it is at time 0. Adds the bytes of which both are made to
/// `hash`.
pub(in crate::mesh) fn read(
    path: &Path,
    clip: &Clip,
    hash: &mut Xxh3,
) -> Result<(RawMesh, Animation), MeshFault> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !["gltf", "glb"].contains(&extension.as_str()) {
        let message = format!("`.{extension}` has no animations; only `.gltf` and `.glb` have");
        return Err(MeshFault::NoAnimation(message));
    }
    let (document, buffers) = import(path)?;
    let index = find(&document, clip)?;
    let mut nodes = Vec::new();
    visit_meshes(&document, |node, _, _| {
        nodes.push(node.index());
        Ok(())
    })?;
    check(document.as_json(), index, &nodes)?;
    hash.update(&std::fs::read(path).map_err(unreadable)?);
    buffers.iter().for_each(|buffer| hash.update(buffer));
    let mut animation = hierarchy(&document)?;
    for channel in document.animations().nth(index).into_iter().flat_map(|a| a.channels()) {
        let track = track(&channel, &buffers)?;
        animation.duration = track.times.iter().fold(animation.duration, |last, &time| last.max(time));
        animation.tracks.push(track);
    }
    let (start, _) = animation.state(0.0);
    let mut raw = RawMesh::default();
    let mut count = 0;
    visit_meshes(&document, |node, mesh, _| {
        for primitive in mesh.primitives() {
            let Some(part) = part(node, &primitive, &buffers)? else { continue };
            let first = count as u32;
            count += part.positions.len();
            check_count(count)?;
            let mirrored = part.is_mirrored(&start);
            append_triangles(&primitive, &buffers, first..count as u32, mirrored, &mut raw.triangles);
            animation.parts.push(part);
        }
        Ok(())
    })?;
    raw.vertices = animation.pose(0.0);
    Ok((raw, animation))
}

/// Returns the index of the animation that a scene names.
fn find(document: &gltf::Document, clip: &Clip) -> Result<usize, MeshFault> {
    let all: Vec<Option<&str>> = document.animations().map(|animation| animation.name()).collect();
    let found: Vec<usize> = match clip {
        Clip::Index(index) => (*index..all.len()).take(1).collect(),
        Clip::Name(name) => (0..all.len()).filter(|&i| all[i] == Some(name)).collect(),
    };
    if let [index] = found[..] {
        return Ok(index);
    }
    let listed: Vec<String> = (all.iter().enumerate())
        .map(|(index, name)| name.map_or_else(|| format!("{index}"), |name| format!("\"{name}\" ({index})")))
        .collect();
    let message = match (listed.is_empty(), found.is_empty()) {
        (true, _) => format!("there is no animation {clip}: the file has none"),
        (_, true) => format!("there is no animation {clip}; the file has {}", listed.join(", ")),
        _ => format!("several animations are named {clip}; use a number: {}", listed.join(", ")),
    };
    Err(MeshFault::NoAnimation(message))
}

/// Returns an animation of all nodes that moves nothing.
fn hierarchy(document: &gltf::Document) -> Result<Animation, MeshFault> {
    let count = document.nodes().len();
    let mut parent = vec![None; count];
    let mut nodes = Vec::with_capacity(count);
    for node in document.nodes() {
        for child in node.children() {
            if parent[child.index()].replace(node.index()).is_some() {
                return Err(no_tree(child.index()));
            }
        }
        let mesh = node.mesh();
        let weights = node.weights().or_else(|| mesh.as_ref().and_then(gltf::Mesh::weights));
        let targets = mesh.and_then(|mesh| Some(mesh.primitives().next()?.morph_targets().len()));
        let weights = weights.map_or_else(
            || vec![0.0; targets.unwrap_or(0)],
            |weights| weights.iter().map(|&weight| f64::from(weight)).collect(),
        );
        let local = local(&node)?;
        nodes.push(Node { parent: None, local, weights });
    }
    let mut order: Vec<usize> = (0..count).filter(|&node| parent[node].is_none()).collect();
    let mut next = 0;
    while let Some(&index) = order.get(next) {
        next += 1;
        order.extend(
            document.nodes().nth(index).into_iter().flat_map(|node| node.children()).map(|c| c.index()),
        );
    }
    if order.len() < count {
        let lost = (0..count).find(|node| !order.contains(node)).unwrap_or_default();
        return Err(no_tree(lost));
    }
    std::iter::zip(&mut nodes, parent).for_each(|(node, parent)| node.parent = parent);
    Ok(Animation { nodes, order, tracks: Vec::new(), parts: Vec::new(), duration: 0.0 })
}

fn local(node: &gltf::Node) -> Result<Local, MeshFault> {
    let index = node.index();
    match node.transform() {
        Transform::Matrix { matrix } => {
            Ok(Local::Matrix(DAffine3::from_mat4(Mat4::from_cols_array_2d(&matrix).as_dmat4())))
        }
        Transform::Decomposed { translation, rotation, scale } => {
            let rotation = DVec4::from(rotation.map(f64::from)).try_normalize();
            let Some(rotation) = rotation else {
                return Err(fault(format!("the rotation of node {index} is no quaternion of length 1")));
            };
            let [translation, scale] = [translation, scale].map(|v| DVec3::from(v.map(f64::from)));
            Ok(Local::Parts { translation, rotation: DQuat::from_vec4(rotation), scale })
        }
    }
}

/// Reads a channel, which has been checked.
fn track(channel: &gltf::animation::Channel, buffers: &[Vec<u8>]) -> Result<Track, MeshFault> {
    let place = format!("channel {}", channel.index());
    let reader = channel.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let times: Vec<f64> = reader.read_inputs().ok_or_else(|| unread(&place))?.map(f64::from).collect();
    let outputs = reader.read_outputs().ok_or_else(|| unread(&place))?;
    let (property, values): (_, Vec<f32>) = match outputs {
        ReadOutputs::Translations(values) => (Property::Translation, values.flatten().collect()),
        ReadOutputs::Scales(values) => (Property::Scale, values.flatten().collect()),
        ReadOutputs::Rotations(values) => (Property::Rotation, values.into_f32().flatten().collect()),
        ReadOutputs::MorphTargetWeights(values) => (Property::Weights, values.into_f32().collect()),
    };
    let interpolation = match channel.sampler().interpolation() {
        gltf::animation::Interpolation::Step => Interpolation::Step,
        gltf::animation::Interpolation::Linear => Interpolation::Linear,
        gltf::animation::Interpolation::CubicSpline => Interpolation::Cubic,
    };
    if let Some(key) = times.iter().position(|time| !time.is_finite()) {
        return Err(fault(format!("{place}: time {key} is not finite")));
    }
    if let Some(key) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(fault(format!(
            "{place}: time {} = {} s is not later than {} s before it",
            key + 1,
            times[key + 1],
            times[key]
        )));
    }
    if let Some(value) = values.iter().position(|value| !value.is_finite()) {
        return Err(fault(format!("{place}: value {value} is not finite")));
    }
    let values = values.into_iter().map(f64::from).collect();
    let mut track = Track { node: channel.target().node().index(), property, interpolation, times, values };
    if property == Property::Rotation {
        track.normalize().map_err(|key| fault(format!("{place}: key {key} is no quaternion of length 1")))?;
    }
    Ok(track)
}

/// Reads a primitive, which has been checked; `None` if it has no positions.
fn part(
    node: &gltf::Node,
    primitive: &gltf::Primitive,
    buffers: &[Vec<u8>],
) -> Result<Option<Part>, MeshFault> {
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let Some(positions) = reader.read_positions() else { return Ok(None) };
    let positions: Vec<[f32; 3]> = positions.collect();
    let mut targets = Vec::new();
    for (target, (displacements, _, _)) in reader.read_morph_targets().enumerate() {
        let mut moved = Vec::new();
        for (vertex, by) in displacements.into_iter().flatten().enumerate() {
            if by.iter().any(|by| !by.is_finite()) {
                return Err(fault(format!("morph target {target}: vertex {vertex} is not finite")));
            }
            if by != [0.0; 3] {
                moved.push((vertex as u32, by));
            }
        }
        targets.push(moved);
    }
    let skin = match node.skin() {
        Some(skin) => Some(bind(&skin, primitive, positions.len(), buffers)?),
        None => None,
    };
    Ok(Some(Part { node: node.index(), positions, targets, skin }))
}

/// Reads the joints of a skin, and those of every vertex of a primitive.
fn bind(
    skin: &gltf::Skin,
    primitive: &gltf::Primitive,
    count: usize,
    buffers: &[Vec<u8>],
) -> Result<Skin, MeshFault> {
    let data = |buffer: gltf::Buffer| buffers.get(buffer.index()).map(Vec::as_slice);
    let (number, reader) = (skin.index(), primitive.reader(data));
    let mut joints: Vec<(usize, DAffine3)> =
        skin.joints().map(|joint| (joint.index(), DAffine3::IDENTITY)).collect();
    let inverses = skin.reader(data).read_inverse_bind_matrices();
    for (joint, (bound, inverse)) in std::iter::zip(&mut joints, inverses.into_iter().flatten()).enumerate() {
        let inverse = DMat4::from_cols_array_2d(&inverse.map(|column| column.map(f64::from)));
        if !inverse.is_finite() {
            return Err(fault(format!(
                "the inverse bind matrix of joint {joint} of skin {number} is not finite"
            )));
        }
        bound.1 = DAffine3::from_mat4(inverse);
    }
    let mut sets = Vec::new();
    while let Some(joints) = reader.read_joints(sets.len() as u32) {
        let weights = reader.read_weights(sets.len() as u32).ok_or_else(|| unread("weights of joints"))?;
        let set: Vec<([u16; 4], [f32; 4])> = std::iter::zip(joints.into_u16(), weights.into_f32()).collect();
        sets.push(set);
    }
    if sets.is_empty() {
        return Err(unread("joints"));
    }
    let mut influences = Vec::with_capacity(count * 4 * sets.len());
    for vertex in 0..count {
        let first = influences.len();
        for set in &sets {
            let &(joint, weight) = set.get(vertex).ok_or_else(|| unread("weights of joints"))?;
            influences.extend(std::iter::zip(joint, weight.map(f64::from)));
        }
        let own = &mut influences[first..];
        if let Some((_, weight)) = own.iter().find(|(_, weight)| !(0.0..f64::INFINITY).contains(weight)) {
            return Err(fault(format!("vertex {vertex} has the weight {weight}; weights are 0 or more")));
        }
        let sum: f64 = own.iter().map(|(_, weight)| weight).sum();
        if sum <= 0.0 {
            return Err(fault(format!("vertex {vertex} belongs to no joint: all its weights are 0")));
        }
        for (joint, weight) in own {
            if *weight > 0.0 && usize::from(*joint) >= joints.len() {
                let joints = joints.len();
                return Err(fault(format!(
                    "vertex {vertex} belongs to joint {joint}, but skin {number} has {joints}"
                )));
            }
            *weight /= sum;
        }
    }
    Ok(Skin { joints, influence_count: 4 * sets.len(), influences })
}
