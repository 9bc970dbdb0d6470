//! Animations of glTF files: the vertices of a scene over time, from what moves its nodes, skins and morph targets.
//!
//! The data of the file are kept, and a pose is computed from them when it is asked for: a minute of a mesh of 50,000 vertices has
//! thousands of poses of a megabyte each.

mod check;
mod read;
#[cfg(test)]
mod tests;
mod track;

use glam::{DAffine3, DQuat, DVec3};
use rayon::prelude::*;

pub(super) use read::read;
use track::{Property, Track};

/// Number of vertices that a thread moves at least.
const CHUNK: usize = 1024;

/// An animation of a file, as a scene names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Clip {
    /// By its name in the file.
    Name(String),
    /// By its number, from 0.
    Index(usize),
}

impl std::fmt::Display for Clip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => write!(f, "\"{name}\""),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// An animation with all it moves.
#[derive(Debug)]
pub(super) struct Animation {
    /// All nodes of the file, shape [node_count].
    nodes: Vec<Node>,
    /// Their indices, parents before their children, shape [node_count].
    order: Vec<usize>,
    tracks: Vec<Track>,
    /// Primitives of the scene's meshes, in the order of their vertices.
    parts: Vec<Part>,
    /// Time of the last key [s].
    pub duration: f64,
}

/// A node as it is without the animation.
#[derive(Debug)]
struct Node {
    parent: Option<usize>,
    local: Local,
    /// Weights of its mesh's morph targets [dimensionless], shape [target_count].
    weights: Vec<f64>,
}

/// Transform of a node, relative to its parent.
#[derive(Debug, Clone, Copy)]
enum Local {
    /// A matrix, which no track moves.
    Matrix(DAffine3),
    Parts {
        translation: DVec3,
        rotation: DQuat,
        scale: DVec3,
    },
}

/// One primitive of one node's mesh.
#[derive(Debug)]
struct Part {
    node: usize,
    /// Positions without morph targets [m], shape [vertex_count].
    positions: Vec<[f32; 3]>,
    /// Of every morph target, the vertices that it moves and by what [m].
    targets: Vec<Vec<(u32, [f32; 3])>>,
    skin: Option<Skin>,
}

/// Bones of a primitive.
#[derive(Debug)]
struct Skin {
    /// Node of every joint and the inverse of its transform where the mesh was bound to it, shape [joint_count].
    joints: Vec<(usize, DAffine3)>,
    /// Number of joints that may move a vertex.
    influence_count: usize,
    /// Joints and weights of every vertex; the weights sum to 1. Shape [vertex_count * influence_count].
    influences: Vec<(u16, f64)>,
}

impl Local {
    fn matrix(&self) -> DAffine3 {
        match *self {
            Self::Matrix(matrix) => matrix,
            Self::Parts { translation, rotation, scale } => {
                DAffine3::from_scale_rotation_translation(scale, rotation, translation)
            }
        }
    }

    fn set(&mut self, property: Property, value: &[f64]) {
        let Self::Parts { translation, rotation, scale } = self else { return };
        match (property, value) {
            (Property::Translation, &[x, y, z]) => *translation = DVec3::new(x, y, z),
            (Property::Scale, &[x, y, z]) => *scale = DVec3::new(x, y, z),
            (Property::Rotation, &[x, y, z, w]) => *rotation = DQuat::from_xyzw(x, y, z, w),
            _ => {}
        }
    }
}

impl Animation {
    /// Returns the positions of the vertices of the scene at a time [m], shape [vertex_count]. Before the first and after the last key
    /// of a channel, what it moves rests.
    pub fn pose(&self, time: f64) -> Vec<DVec3> {
        let (global, weights) = self.state(time);
        let mut vertices = Vec::with_capacity(self.parts.iter().map(|part| part.positions.len()).sum());
        for part in &self.parts {
            part.pose(&global, &weights[part.node], &mut vertices);
        }
        vertices
    }

    /// Returns, at a time [s], the transforms from the nodes to the scene, shape [node_count], and the weights of their morph targets,
    /// shape [node_count, target_count].
    fn state(&self, time: f64) -> (Vec<DAffine3>, Vec<Vec<f64>>) {
        let mut locals: Vec<Local> = self.nodes.iter().map(|node| node.local).collect();
        let mut weights: Vec<Vec<f64>> = self.nodes.iter().map(|node| node.weights.clone()).collect();
        for track in &self.tracks {
            let value = track.value(time);
            match track.property {
                Property::Weights => weights[track.node] = value,
                property => locals[track.node].set(property, &value),
            }
        }
        let mut global = vec![DAffine3::IDENTITY; self.nodes.len()];
        for &index in &self.order {
            let parent = self.nodes[index].parent.map_or(DAffine3::IDENTITY, |parent| global[parent]);
            global[index] = parent * locals[index].matrix();
        }
        (global, weights)
    }
}

impl Part {
    /// Adds the vertices, moved by nodes with these transforms and morph targets with these weights.
    fn pose(&self, global: &[DAffine3], weights: &[f64], vertices: &mut Vec<DVec3>) {
        let mut own: Vec<DVec3> = self.positions.iter().map(|p| DVec3::from(p.map(f64::from))).collect();
        for (target, &weight) in std::iter::zip(&self.targets, weights) {
            if weight != 0.0 {
                for &(vertex, by) in target {
                    own[vertex as usize] += weight * DVec3::from(by.map(f64::from));
                }
            }
        }
        match &self.skin {
            Some(skin) => {
                let bones: Vec<DAffine3> =
                    skin.joints.iter().map(|&(node, inverse)| global[node] * inverse).collect();
                let influences = skin.influences.par_chunks(skin.influence_count).with_min_len(CHUNK);
                own.par_iter_mut().with_min_len(CHUNK).zip(influences).for_each(|(vertex, influences)| {
                    let bind = *vertex;
                    let of = |&(joint, weight): &(u16, f64)| {
                        weight * bones[usize::from(joint)].transform_point3(bind)
                    };
                    *vertex = influences.iter().filter(|(_, weight)| *weight != 0.0).map(of).sum();
                });
            }
            None => {
                let to_scene = global[self.node];
                own.iter_mut().for_each(|vertex| *vertex = to_scene.transform_point3(*vertex));
            }
        }
        vertices.append(&mut own);
    }

    /// Returns true if the pose at these transforms is a mirror image of what the file stores. Of a skinned part the first joint decides.
    fn is_mirrored(&self, global: &[DAffine3]) -> bool {
        let matrix = match self.skin.as_ref().and_then(|skin| skin.joints.first()) {
            Some(&(node, inverse)) => global[node] * inverse,
            None => global[self.node],
        };
        matrix.matrix3.determinant() < 0.0
    }
}
