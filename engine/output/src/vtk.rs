//! VTK XML frames (`.vtp`): one vertex per particle, typed vectors and tensors, raw binary; and a `.pvd` time line.
//!
//! Written by hand because the last stable release of `vtkio` dates from 2021.

use std::fmt::Write as _;
use std::io::{self, Write};

use tuff_problem::Frame;
use tuff_scene::AttributeKind;

use crate::columns::{Column, FrameLayout};

/// Order of a symmetric tensor's components in VTK: xx yy zz xy yz xz.
const SYMMETRIC: [usize; 6] = [0, 1, 2, 5, 3, 4];

/// An array of the appended data: its XML attributes without the offset, and its bytes.
struct Array {
    attributes: String,
    bytes: Vec<u8>,
}

impl FrameLayout {
    /// Writes `frame` as a complete `.vtp` file.
    pub(crate) fn write_vtk(&self, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
        let count = frame.position.len();
        let mut offset = 0;
        let mut element = |array: &Array| {
            let at = offset;
            offset += size_of::<u64>() + array.bytes.len();
            format!("<DataArray {} format=\"appended\" offset=\"{at}\"/>\n", array.attributes)
        };
        let data: Vec<Array> = self.columns.iter().map(|column| array(column, frame)).collect();
        let bytes = |numbers: &mut dyn Iterator<Item = [u8; 8]>| numbers.flatten().collect::<Vec<u8>>();
        let points = Array {
            attributes: "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"".to_owned(),
            bytes: bytes(&mut frame.position.iter().flatten().map(|x| x.to_le_bytes())),
        };
        let vertices = |name: &str, first: i64| Array {
            attributes: format!("type=\"Int64\" Name=\"{name}\""),
            bytes: bytes(&mut (first..first + count as i64).map(i64::to_le_bytes)),
        };
        let (connectivity, offsets) = (vertices("connectivity", 0), vertices("offsets", 1));

        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
        );
        for comment in &self.comments {
            // XML comments must not contain `--`.
            let _ = writeln!(text, "<!-- {} -->", comment.replace("--", "- -"));
        }
        let _ = write!(
            text,
            "<PolyData>\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}\
             </DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n",
            frame.time
        );
        data.iter().for_each(|array| text += &element(array));
        text += &format!("</PointData>\n<Points>\n{}</Points>\n<Verts>\n", element(&points));
        text += &element(&connectivity);
        text += &element(&offsets);
        text += "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
        out.write_all(text.as_bytes())?;
        for array in data.iter().chain([&points, &connectivity, &offsets]) {
            out.write_all(&(array.bytes.len() as u64).to_le_bytes())?;
            out.write_all(&array.bytes)?;
        }
        out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}

/// Returns the time line of frame files: times [s] and names in the same folder.
pub(crate) fn collection(frames: &[(f64, String)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in frames {
        let _ = writeln!(text, "<DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{file}\"/>");
    }
    text + "</Collection>\n</VTKFile>\n"
}

fn array(column: &Column, frame: &Frame) -> Array {
    let kind = column.attribute.kind();
    let mut attributes = format!(
        "type=\"{}\" Name=\"{}\"",
        if column.is_index() { "UInt32" } else { "Float32" },
        column.attribute.name()
    );
    let components = kind.components();
    if !components.is_empty() {
        let _ = write!(attributes, " NumberOfComponents=\"{}\"", components.len());
    }
    let mut bytes = Vec::with_capacity(4 * column.width() * frame.position.len());
    for particle in 0..frame.position.len() {
        if kind == AttributeKind::Symmetric {
            let mut one = [0.0];
            let numbers = column.numbers(frame, particle, &mut one);
            SYMMETRIC.iter().for_each(|&at| bytes.extend(numbers[at].to_le_bytes()));
        } else {
            column.append(frame, particle, frame.id(particle), &mut bytes);
        }
    }
    Array { attributes, bytes }
}
