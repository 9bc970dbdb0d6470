//! Wavefront OBJ: vertices, faces and lines; everything else in such a file is ignored.

use std::io::BufRead;

use glam::DVec3;

use super::{MeshFault, RawMesh};

/// Reads the triangles of an OBJ file; polygons become fans.
///
/// # Errors
/// [`MeshFault::Line`] with the line that cannot be read.
pub(super) fn read(reader: impl BufRead) -> Result<RawMesh, MeshFault> {
    parse(reader, false)
}

/// Reads an OBJ file including its lines, which [`read`] ignores.
///
/// # Errors
/// Those of [`read`].
pub(super) fn read_lines(reader: impl BufRead) -> Result<RawMesh, MeshFault> {
    parse(reader, true)
}

fn parse(reader: impl BufRead, with_lines: bool) -> Result<RawMesh, MeshFault> {
    let mut raw = RawMesh::default();
    // Faces may precede their vertices.
    let mut faces: Vec<(usize, String, Vec<u32>)> = Vec::new();
    let mut lines: Vec<(usize, String, Vec<u32>)> = Vec::new();
    let mut statement = String::new();
    for (index, text) in reader.lines().enumerate() {
        let line = index + 1;
        let text = text.map_err(|error| MeshFault::line(line, "", error))?;
        statement.push_str(text.split('#').next().unwrap_or_default().trim_end());
        if statement.ends_with('\\') {
            statement.pop();
            statement.push(' ');
            continue;
        }
        let statement = std::mem::take(&mut statement);
        let mut words = statement.split_whitespace();
        match words.next() {
            Some("v") => {
                raw.vertices.push(vertex(words).ok_or_else(|| {
                    MeshFault::line(line, &text, "a vertex is `v` and three finite numbers")
                })?)
            }
            Some("f") => {
                let corners: Option<Vec<u32>> = words.map(|w| corner(w, raw.vertices.len())).collect();
                match corners {
                    Some(corners) if corners.len() >= 3 => faces.push((line, text, corners)),
                    _ => {
                        let what =
                            "a face is `f` and three or more vertices, counted from 1 or backward from -1";
                        return Err(MeshFault::line(line, &text, what));
                    }
                }
            }
            Some("l") if with_lines => {
                let vertices: Option<Vec<u32>> = words.map(|w| corner(w, raw.vertices.len())).collect();
                match vertices {
                    Some(vertices) if vertices.len() >= 2 => lines.push((line, text, vertices)),
                    _ => {
                        let what =
                            "a line is `l` and two or more vertices, counted from 1 or backward from -1";
                        return Err(MeshFault::line(line, &text, what));
                    }
                }
            }
            _ => {}
        }
    }
    for (line, text, vertices) in lines {
        check(line, &text, &vertices, raw.vertices.len())?;
        raw.segments.extend(vertices.windows(2).map(|pair| [pair[0], pair[1]]));
    }
    for (line, text, corners) in faces {
        check(line, &text, &corners, raw.vertices.len())?;
        raw.triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
    }
    Ok(raw)
}

/// Returns a fault if a statement names a vertex that the file does not have.
fn check(line: usize, text: &str, vertices: &[u32], count: usize) -> Result<(), MeshFault> {
    match vertices.iter().find(|&&v| v as usize >= count) {
        Some(missing) => {
            let what = format!("there is no vertex {}: the file has {count}", u64::from(*missing) + 1);
            Err(MeshFault::line(line, text, what))
        }
        None => Ok(()),
    }
}

/// Returns the first three of the numbers, if they are finite; a weight or a color may follow.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<DVec3> {
    let mut number = || words.next()?.parse().ok().filter(|v: &f64| v.is_finite());
    Some(DVec3::new(number()?, number()?, number()?))
}

/// Returns the vertex index of a face's corner, `v`, `v/vt`, `v//vn` or `v/vt/vn`; `before` vertices precede it.
fn corner(word: &str, before: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = if number < 0 { before as i64 + number } else { number - 1 };
    u32::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_write_a_face_are_read() {
        let text = "o a\nf 1/1/1 2//2 \\\n 3 4\nv 0 0 0 # origin\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\n\
                    g b\nv 0 0 1\nf -1 -5/2 -4\n";
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.vertices.len(), 5);
        assert_eq!(mesh.vertices[1], DVec3::X);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [4, 0, 1]]);
    }

    #[test]
    fn lines_join_their_vertices_in_pairs() {
        let mesh = read_lines("l 1 2/7 -1\nv 0 0 0\nv 1 0 0\nv 1 1 0\nl -1 1\n".as_bytes());
        assert!(mesh.is_err(), "-1 names nothing before the first vertex");
        let mesh = read_lines("v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2/7 3\nl -1 1\n".as_bytes()).unwrap();
        assert_eq!(mesh.segments, [[0, 1], [1, 2], [2, 0]]);
    }

    #[test]
    fn faults_name_the_line() {
        let vertices = "v 0 0 0\nv 1 0 0\n\nv 0 1 0\n";
        for (line, part) in [
            ("v 0 zero 0", "three finite numbers"),
            ("v 0 nan 0", "three finite numbers"),
            ("v 0 0", "three finite numbers"),
            ("f 1 2", "three or more vertices"),
            ("f 1 2 x", "three or more vertices"),
            ("f 1 2 0", "three or more vertices"),
            ("f 1 2 -4", "three or more vertices"),
            ("f 1 2 4", "there is no vertex 4: the file has 3"),
            ("l 1", "two or more vertices"),
            ("l 1 9", "there is no vertex 9: the file has 3"),
        ] {
            let error = read_lines(format!("{vertices}{line}\n").as_bytes()).unwrap_err().to_string();
            assert!(error.contains(&format!("line 5, `{line}`")) && error.contains(part), "{error}");
        }
    }
}
