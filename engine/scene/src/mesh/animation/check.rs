//! Checks of what an animation refers to, before it is read: that references exist, have the right types, and lie within their buffers.

use std::collections::BTreeSet;

use gltf::json;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::animation::{Channel, Interpolation, Property};
use gltf::json::mesh::Primitive;
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Root};
use gltf::{Semantic, json::Index};

use crate::mesh::MeshFault;
use crate::mesh::gltf_file::{accessor, check_extent, check_sparse, fault, types};

type Kind = (Type, ComponentType);

const FLOATS: [Kind; 1] = [(Type::Scalar, ComponentType::F32)];
const VECTORS: [Kind; 1] = [(Type::Vec3, ComponentType::F32)];
const MATRICES: [Kind; 1] = [(Type::Mat4, ComponentType::F32)];
const JOINTS: [Kind; 2] = [(Type::Vec4, ComponentType::U8), (Type::Vec4, ComponentType::U16)];
const WEIGHTS: [Kind; 3] =
    [(Type::Vec4, ComponentType::F32), (Type::Vec4, ComponentType::U8), (Type::Vec4, ComponentType::U16)];

/// Component types of rotations and weights of morph targets: floats, or integers that stand for parts of 1.
const PARTS: [ComponentType; 5] =
    [ComponentType::F32, ComponentType::I8, ComponentType::U8, ComponentType::I16, ComponentType::U16];

/// Checks an animation and the meshes of these nodes.
pub(super) fn check(root: &Root, animation: usize, nodes: &[usize]) -> Result<(), MeshFault> {
    for &index in nodes {
        check_mesh(root, index)?;
    }
    let Some(animation) = root.animations.get(animation) else { return Ok(()) };
    let mut moved = BTreeSet::new();
    for (number, channel) in animation.channels.iter().enumerate() {
        let place = format!("channel {number}");
        let Checked::Valid(property) = channel.target.path else {
            let allowed = "`translation`, `rotation`, `scale` or `weights`";
            return Err(fault(format!(
                "{place} of the animation moves an unknown property; allowed are {allowed}"
            )));
        };
        if !moved.insert((channel.target.node.value(), property as u8)) {
            let node = channel.target.node.value();
            return Err(fault(format!(
                "{place} of the animation moves what another one moves, of node {node}"
            )));
        }
        check_channel(root, animation, channel, property, &place)?;
    }
    Ok(())
}

fn check_channel(
    root: &Root,
    animation: &json::Animation,
    channel: &Channel,
    property: Property,
    place: &str,
) -> Result<(), MeshFault> {
    let (index, sampler) = (channel.target.node.value(), channel.sampler.value());
    let node = root.nodes.get(index).ok_or_else(|| fault(format!("{place}: node {index} does not exist")))?;
    let sampler = animation
        .samplers
        .get(sampler)
        .ok_or_else(|| fault(format!("{place}: sampler {sampler} does not exist")))?;
    let Checked::Valid(interpolation) = sampler.interpolation else {
        return Err(fault(format!(
            "{place}: unknown interpolation; allowed are `STEP`, `LINEAR` or `CUBICSPLINE`"
        )));
    };
    if node.matrix.is_some() && property != Property::MorphTargetWeights {
        return Err(fault(format!(
            "{place} moves node {index}, which has a matrix; only nodes with translation, rotation and scale can be moved"
        )));
    }
    let of = |parts: &[ComponentType], kind: Type| parts.iter().map(|&part| (kind, part)).collect();
    let (kinds, width, what): (Vec<Kind>, _, _) = match property {
        Property::Translation | Property::Scale => (VECTORS.to_vec(), 1, "VEC3 of 32-bit floats"),
        Property::Rotation => (of(&PARTS, Type::Vec4), 1, "VEC4 of floats or normalized integers"),
        Property::MorphTargetWeights => {
            let mesh = node.mesh.and_then(|mesh| root.meshes.get(mesh.value()));
            let targets = mesh.and_then(|mesh| mesh.primitives.first()).map_or(0, target_count);
            if targets == 0 {
                return Err(fault(format!(
                    "{place} moves weights of node {index}, which has no morph targets"
                )));
            }
            (of(&PARTS, Type::Scalar), targets as u64, "floats or normalized integers")
        }
    };
    let times = checked(root, sampler.input, &FLOATS, &format!("the times of {place}"), "32-bit floats")?;
    let place = format!("the values of {place}");
    let values = checked(root, sampler.output, &kinds, &place, what)?;
    let rows = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    if times.count.0.checked_mul(rows * width) != Some(values.count.0) {
        return Err(fault(format!(
            "{place} have {} elements, not {rows} times {width} for each of {} times",
            values.count.0, times.count.0
        )));
    }
    Ok(())
}

/// Returns the number of morph targets.
fn target_count(primitive: &Primitive) -> usize {
    primitive.targets.as_ref().map_or(0, Vec::len)
}

/// Checks what moves the vertices of a node's mesh.
fn check_mesh(root: &Root, index: usize) -> Result<(), MeshFault> {
    let Some(node) = root.nodes.get(index) else { return Ok(()) };
    let Some((number, mesh)) =
        node.mesh.and_then(|mesh| Some((mesh.value(), root.meshes.get(mesh.value())?)))
    else {
        return Ok(());
    };
    if let Some(skin) = node.skin {
        check_skin(root, skin.value())?;
    }
    let targets = mesh.primitives.first().map_or(0, target_count);
    for (owner, weights) in [("node", &node.weights), ("mesh", &mesh.weights)] {
        if let Some(weights) = weights.as_ref().filter(|weights| weights.len() != targets) {
            let owner = format!("{owner} {}", if owner == "node" { index } else { number });
            return Err(fault(format!("{owner} has {} weights for {targets} morph targets", weights.len())));
        }
    }
    for primitive in &mesh.primitives {
        if target_count(primitive) != targets {
            return Err(fault(format!(
                "the primitives of mesh {number} differ in their number of morph targets"
            )));
        }
        let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else {
            continue;
        };
        let count = accessor(root, positions.value(), "POSITION")?.count.0;
        let same = |accessor: &Accessor, place: &str| {
            let found = accessor.count.0;
            if found == count {
                return Ok(());
            }
            Err(fault(format!("{place} has {found} elements, but there are {count} positions")))
        };
        for (target, morph) in primitive.targets.iter().flatten().enumerate() {
            if let Some(positions) = morph.positions {
                let place = format!("POSITION of morph target {target} of mesh {number}");
                let accessor = typed(root, positions, &VECTORS, &place, "VEC3 of 32-bit floats")?;
                same(accessor, &place)?;
                match accessor.buffer_view {
                    Some(_) => check_extent(root, accessor, &place)?,
                    // The target moves only the vertices that are given.
                    None => check_sparse(root, accessor, &place)?,
                }
            }
        }
        if node.skin.is_some() {
            check_influences(root, primitive, number, same)?;
        }
    }
    Ok(())
}

/// Checks joints and weights of a skinned primitive.
fn check_influences(
    root: &Root,
    primitive: &Primitive,
    mesh: usize,
    same: impl Fn(&Accessor, &str) -> Result<(), MeshFault>,
) -> Result<(), MeshFault> {
    for set in 0.. {
        let [joints, weights] = [Semantic::Joints(set), Semantic::Weights(set)]
            .map(|semantic| primitive.attributes.get(&Checked::Valid(semantic)));
        if set > 0 && joints.is_none() && weights.is_none() {
            break;
        }
        let attributes = [
            ("JOINTS", joints, JOINTS.as_slice(), "VEC4 of unsigned 8-bit or 16-bit integers"),
            ("WEIGHTS", weights, &WEIGHTS, "VEC4 of floats or normalized unsigned integers"),
        ];
        for (name, attribute, kinds, what) in attributes {
            let place = format!("{name}_{set} of mesh {mesh}");
            let Some(&attribute) = attribute else {
                return Err(fault(format!(
                    "mesh {mesh} is skinned, but a primitive of it has no {name}_{set}"
                )));
            };
            same(checked(root, attribute, kinds, &place, what)?, &place)?;
        }
    }
    Ok(())
}

/// Checks a skin.
fn check_skin(root: &Root, index: usize) -> Result<(), MeshFault> {
    let skin = root.skins.get(index).ok_or_else(|| fault(format!("skin {index} does not exist")))?;
    if skin.joints.is_empty() {
        return Err(fault(format!("skin {index} has no joints")));
    }
    if let Some(joint) = skin.joints.iter().find(|joint| joint.value() >= root.nodes.len()) {
        return Err(fault(format!("skin {index}: node {} does not exist", joint.value())));
    }
    if let Some(matrices) = skin.inverse_bind_matrices {
        let place = format!("inverseBindMatrices of skin {index}");
        let matrices = checked(root, matrices, &MATRICES, &place, "MAT4 of 32-bit floats")?;
        if matrices.count.0 < skin.joints.len() as u64 {
            let (found, joints) = (matrices.count.0, skin.joints.len());
            return Err(fault(format!("{place} has {found} elements for {joints} joints")));
        }
    }
    Ok(())
}

/// Returns an accessor of one of these kinds whose elements exist.
fn checked<'a>(
    root: &'a Root,
    index: Index<Accessor>,
    kinds: &[Kind],
    place: &str,
    what: &str,
) -> Result<&'a Accessor, MeshFault> {
    let accessor = typed(root, index, kinds, place, what)?;
    check_extent(root, accessor, place)?;
    Ok(accessor)
}

/// Returns an accessor of one of these kinds.
fn typed<'a>(
    root: &'a Root,
    index: Index<Accessor>,
    kinds: &[Kind],
    place: &str,
    what: &str,
) -> Result<&'a Accessor, MeshFault> {
    let accessor = accessor(root, index.value(), place)?;
    if !types(accessor).is_some_and(|kind| kinds.contains(&kind)) {
        return Err(fault(format!("{place}: not {what}")));
    }
    if accessor.count.0 == 0 || accessor.sparse.as_ref().is_some_and(|sparse| sparse.count.0 == 0) {
        return Err(fault(format!("{place}: no elements")));
    }
    Ok(accessor)
}
