//! Cloth of a frame as meshes: binary little-endian PLY, vertices in the order of the file or grid.

use std::io::{self, Write};

use tuff_problem::Frame;
use tuff_scene::{BodyKind, Cloth, Scene};

/// Returns the file of a cloth in frame `index`, relative to the folder of a run.
pub(crate) fn cloth_name(cloth: &str, index: u32) -> String {
    format!("cloth/{cloth}.{index:04}.ply")
}

/// A cloth of a scene.
pub(crate) struct Sheet<'a> {
    /// Its name.
    pub name: &'a str,
    /// Index of its body.
    pub body: u32,
    /// Number of its first triangle among those of all cloth.
    pub first_triangle: u32,
    /// The cloth.
    pub cloth: &'a Cloth,
}

/// Returns the cloths of a scene.
pub(crate) fn cloths(scene: &Scene) -> impl Iterator<Item = Sheet<'_>> {
    let mut next = 0;
    (0..).zip(&scene.bodies).filter_map(move |(index, body)| match &body.kind {
        BodyKind::Cloth(cloth) => {
            let first_triangle = next;
            next += cloth.triangles.len() as u32;
            Some(Sheet { name: body.name.as_str(), body: index, first_triangle, cloth })
        }
        BodyKind::Matter | BodyKind::Total { .. } | BodyKind::Emitted | BodyKind::Rope(_) => None,
    })
}

/// Writes a cloth: positions [m] and velocities [m/s] of its vertices, and its triangles without those that have torn.
pub(crate) fn write(sheet: &Sheet<'_>, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
    let vertices: Vec<usize> = (0..frame.position.len()).filter(|&i| frame.body[i] == sheet.body).collect();
    let whole = |index: &u32| frame.torn.binary_search(index).is_err();
    let triangles: Vec<&[u32; 3]> = std::iter::zip(&sheet.cloth.triangles, sheet.first_triangle..)
        .filter(|(_, index)| whole(index))
        .map(|(triangle, _)| triangle)
        .collect();
    let header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment tuff frame {} time {} s\nelement vertex {}\n\
         property float x\nproperty float y\nproperty float z\nproperty float vx\nproperty float vy\nproperty float vz\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        frame.index,
        frame.time,
        vertices.len(),
        triangles.len()
    );
    out.write_all(header.as_bytes())?;
    let mut row = Vec::with_capacity(24);
    for i in vertices {
        row.clear();
        row.extend(frame.position[i].iter().flat_map(|&x| (x as f32).to_le_bytes()));
        row.extend(frame.velocity[i].iter().flat_map(|v| v.to_le_bytes()));
        out.write_all(&row)?;
    }
    for triangle in triangles {
        row.clear();
        row.push(3);
        row.extend(triangle.iter().flat_map(|v| v.to_le_bytes()));
        out.write_all(&row)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_has_its_vertices_velocities_and_faces() {
        let cloth = Cloth {
            triangles: vec![[0, 1, 2], [1, 3, 2]],
            areas: vec![0.1; 4],
            spacing: 0.1,
            surface_density: 0.2,
            stretch_stiffness: 100.0,
            poisson_ratio: 0.3,
            bending_stiffness: 0.0,
            damping: 0.0,
            thickness: 0.001,
            tear_strain: 0.0,
            friction: 0.5,
            contact: true,
        };
        // A particle of another body comes first.
        let frame = Frame {
            index: 7,
            position: (0..5).map(|i| [f64::from(i), 0.5, -1.0]).collect(),
            velocity: (0..5).map(|i| [0.0, i as f32, 2.0]).collect(),
            body: vec![0, 1, 1, 1, 1],
            ..Frame::default()
        };
        let sheet = Sheet { name: "sheet", body: 1, first_triangle: 5, cloth: &cloth };
        let mut bytes = Vec::new();
        write(&sheet, &frame, &mut bytes).unwrap();
        let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let header = std::str::from_utf8(&bytes[..end]).unwrap();
        assert!(header.contains("element vertex 4\n") && header.contains("element face 2\n"));
        let body = &bytes[end..];
        assert_eq!(body.len(), 4 * 24 + 2 * 13);
        let float = |at: usize| f32::from_le_bytes(body[4 * at..4 * at + 4].try_into().unwrap());
        assert_eq!([0, 1, 2, 4, 6].map(float), [1.0, 0.5, -1.0, 1.0, 2.0]);
        assert_eq!(body[96], 3);
        let last: Vec<i32> =
            body[110..].chunks(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(last, [1, 3, 2]);
        let mut torn = Vec::new();
        write(&sheet, &Frame { torn: vec![0, 5], ..frame }, &mut torn).unwrap();
        assert!(std::str::from_utf8(&torn[..end]).unwrap().contains("element face 1\n"));
        assert_eq!(torn[torn.len() - 13..], bytes[bytes.len() - 13..]);
    }
}
