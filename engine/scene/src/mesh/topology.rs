//! Repair: welds equal vertices, orients neighboring triangles consistently, turns inside-out meshes.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::{MeshFault, RawMesh};

pub(super) struct Repaired {
    pub mesh: RawMesh,
    pub notes: Vec<String>,
    pub open_edges: usize,
    /// Of every vertex, the first vertex of the unrepaired mesh at its position, shape [vertex_count].
    pub sources: Vec<u32>,
}

/// One use of an edge: lower and higher vertex, triangle, true if it runs from low to high.
pub(super) type EdgeUse = (u32, u32, u32, bool);

/// Welds, orients and classifies a mesh whose vertices are finite and whose indices exist. Of a `surface`, triangles with the same corners
/// count once.
pub(super) fn repair(raw: RawMesh, surface: bool) -> Result<Repaired, MeshFault> {
    let (mut mesh, sources) = weld(raw);
    if surface {
        let mut seen = BTreeSet::new();
        mesh.triangles.retain(|&[a, b, c]| {
            let mut corners = [a, b, c];
            corners.sort_unstable();
            seen.insert(corners)
        });
    }
    if mesh.triangles.is_empty() {
        return Err(MeshFault::Flat);
    }
    let mut notes = Vec::new();
    let mut uses = edge_uses(&mesh.triangles);
    if edges(&uses).any(|e| e.len() == 2 && e[0].3 == e[1].3) {
        let turned = orient(&mut mesh, &uses);
        notes.push(format!(
            "{turned} of {} triangles face opposite to their neighbors; they were flipped",
            mesh.triangles.len()
        ));
        uses = edge_uses(&mesh.triangles);
    }
    let unpaired = edges(&uses)
        .filter(|e| {
            let forward = e.iter().filter(|u| u.3).count();
            2 * forward != e.len()
        })
        .count();
    if signed_volume(&mesh) < 0.0 {
        for t in &mut mesh.triangles {
            t.swap(1, 2);
        }
        // An open surface has no inside.
        if unpaired == 0 || !surface {
            notes.push("the mesh is inside out; its triangles were flipped".to_owned());
        }
    }
    Ok(Repaired { mesh, notes, open_edges: unpaired, sources })
}

/// Merges vertices at exactly equal positions; drops triangles that lose a corner and vertices without triangles. Also returns, of
/// every vertex left, the first one that it came from.
fn weld(raw: RawMesh) -> (RawMesh, Vec<u32>) {
    // Adding 0 turns -0 into 0; total_cmp would distinguish them.
    let key = |v: DVec3| [v.x + 0.0, v.y + 0.0, v.z + 0.0].map(f64::to_bits);
    let mut seen = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut sources = Vec::new();
    let mut used = vec![false; raw.vertices.len()];
    raw.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    let index: Vec<u32> = std::iter::zip(&raw.vertices, used)
        .enumerate()
        .map(|(source, (&v, used))| {
            if !used {
                return u32::MAX;
            }
            *seen.entry(key(v)).or_insert_with(|| {
                vertices.push(v);
                sources.push(source as u32);
                vertices.len() as u32 - 1
            })
        })
        .collect();
    let triangles = raw
        .triangles
        .iter()
        .map(|t| t.map(|v| index[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    (RawMesh { vertices, triangles, ..RawMesh::default() }, sources)
}

pub(super) fn edge_uses(triangles: &[[u32; 3]]) -> Vec<EdgeUse> {
    let mut uses: Vec<EdgeUse> = triangles
        .iter()
        .enumerate()
        .flat_map(|(i, &[a, b, c])| {
            [(a, b), (b, c), (c, a)].map(|(p, q)| (p.min(q), p.max(q), i as u32, p < q))
        })
        .collect();
    uses.sort_unstable();
    uses
}

pub(super) fn edges(uses: &[EdgeUse]) -> impl Iterator<Item = &[EdgeUse]> {
    uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
}

/// Flips triangles so that neighbors across an edge of two agree, and every connected part encloses a positive volume. Returns
/// the number of flipped triangles.
fn orient(mesh: &mut RawMesh, uses: &[EdgeUse]) -> usize {
    let count = mesh.triangles.len();
    let mut neighbors = vec![Vec::new(); count];
    for edge in edges(uses) {
        if let [a, b] = edge {
            let agree = a.3 != b.3;
            neighbors[a.2 as usize].push((b.2 as usize, agree));
            neighbors[b.2 as usize].push((a.2 as usize, agree));
        }
    }
    let mut flip: Vec<Option<bool>> = vec![None; count];
    for seed in 0..count {
        if flip[seed].is_some() {
            continue;
        }
        flip[seed] = Some(false);
        let mut part = vec![seed];
        let mut next = 0;
        while let Some(&triangle) = part.get(next) {
            next += 1;
            for &(other, agree) in &neighbors[triangle] {
                if flip[other].is_none() {
                    flip[other] = flip[triangle].map(|f| f == agree);
                    part.push(other);
                }
            }
        }
        let origin = mesh.vertices[mesh.triangles[seed][0] as usize];
        let volume: f64 = part
            .iter()
            .map(|&t| {
                let [a, b, c] = mesh.triangles[t].map(|v| mesh.vertices[v as usize] - origin);
                let signed = a.dot(b.cross(c));
                if flip[t] == Some(true) { -signed } else { signed }
            })
            .sum();
        if volume < 0.0 {
            for t in part {
                flip[t] = flip[t].map(|f| !f);
            }
        }
    }
    let mut turned = 0;
    for (triangle, flip) in mesh.triangles.iter_mut().zip(flip) {
        if flip == Some(true) {
            triangle.swap(1, 2);
            turned += 1;
        }
    }
    turned
}

/// Returns the volume about the vertices' mean, which keeps it meaningful for open meshes.
fn signed_volume(mesh: &RawMesh) -> f64 {
    let mean = mesh.vertices.iter().sum::<DVec3>() / mesh.vertices.len() as f64;
    mesh.triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize] - mean);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}
