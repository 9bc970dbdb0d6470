//! Patches of mesh colliders as the shaders read them.

use glam::DVec3;
use tuff_problem::Face;
use tuff_scene::{Geometry, Mesh};

use crate::constants::MESH_LEAF;

/// Maximum number of nodes of all meshes: the root of a tree is stored as an f32.
pub const MAX_NODES: usize = 1 << 24;

/// Number of words (uvec4) of a node.
pub const NODE_WORDS: u64 = 2;

/// Returns the patches among the faces, in their order.
pub fn meshes(faces: &[Face]) -> impl Iterator<Item = &Mesh> {
    faces.iter().filter_map(|face| match &face.surface.shape.geometry {
        Geometry::Mesh(mesh) => Some(mesh.as_ref()),
        _ => None,
    })
}

/// Returns the words of all nodes: lower corner and, as an index, the second child, or a leaf's first triangle and number of triangles;
/// upper corner and the node after the subtree.
pub fn node_words(faces: &[Face]) -> Vec<[u32; 4]> {
    let mut words = Vec::new();
    let (mut root, mut first) = (0, 0);
    for mesh in meshes(faces) {
        let tree = mesh.tree();
        for node in &tree {
            let link = if node.end > node.first {
                MESH_LEAF | (first + node.first) << 3 | (node.end - node.first)
            } else {
                root + node.second
            };
            let word = |corner: DVec3, last| {
                let [x, y, z] = corner.to_array().map(|c| (c as f32).to_bits());
                [x, y, z, last]
            };
            words.extend([word(node.bounds.min, link), word(node.bounds.max, root + node.after)]);
        }
        root += tree.len() as u32;
        first += mesh.triangles.len() as u32;
    }
    words
}

/// Returns the words of all triangles: corners with the components of the unit normal, pseudo-normals of the edges ab, bc and ca, pseudo-normals of the corners, with 1 in the
/// last component where the patch ends.
pub fn triangle_words(faces: &[Face]) -> Vec<[f32; 4]> {
    let word = |v: DVec3, last: f32| [v.x as f32, v.y as f32, v.z as f32, last];
    let mut words = Vec::new();
    for (corners, upright, normals) in meshes(faces).flat_map(Mesh::leaf_triangles) {
        let upright = upright.to_array().map(|c| c as f32);
        words.extend(std::iter::zip(corners, upright).map(|(corner, c)| word(corner, c)));
        words.extend(normals.map(|normal| word(normal.vector, f32::from(u8::from(normal.is_cut)))));
    }
    words
}
