//! The table `motion`: keyframes in the scene, or a track in a file.

use std::path::Path;

use glam::{DQuat, DVec3};

use super::keys;
use super::shape::existing_file;
use crate::angle::rotation_from_degrees;
use crate::decode::{Field, Limits, Table};
use crate::motion::{Keyframe, Motion};

/// Numbers in a line of a track.
const COLUMNS: &str = "time, x, y, z, qw, qx, qy, qz";

/// Allowed difference of a quaternion's length from 1: what files round to.
const UNIT_TOLERANCE: f64 = 1e-2;

/// Reads a motion. Keyframes rotate about `center` unless they name a pivot; a track rotates about the scene's origin.
pub(super) fn motion(field: &Field<'_>, center: DVec3, folder: &Path) -> Option<Motion> {
    let table = field.table(keys::MOTION)?;
    let (file, keyframes) = (table.get("file"), table.get("keyframes"));
    match (file, keyframes) {
        (Some(file), Some(_)) => {
            let message = format!("`{}`: `file` and `keyframes` exclude each other", field.path);
            file.fault(message, "give one of the two", None);
            None
        }
        (Some(_), None) => {
            let pivot = table.vector_or("pivot", "m", DVec3::ZERO);
            Some(Motion { pivot, keyframes: track(&table, folder)? })
        }
        (None, _) => {
            let pivot = table.vector_or("pivot", "m", center);
            Some(Motion { pivot, keyframes: keyframes_of(&table)? })
        }
    }
}

fn keyframes_of(table: &Table<'_>) -> Option<Vec<Keyframe>> {
    let list = table.require("keyframes", "[ { time, translate, rotate }, ... ], or `file`")?;
    let elements = list.array()?;
    if elements.is_empty() {
        list.fault(format!("`{}` is empty", list.path), "at least one keyframe is required", None);
        return None;
    }
    let mut keyframes: Vec<Keyframe> = Vec::new();
    let mut previous = DVec3::ZERO;
    for element in elements {
        let table = element.table(keys::KEYFRAME)?;
        let time_field = table.require("time", "seconds since the first frame")?;
        let time = time_field.number(Limits::any("s"))?;
        let translate = table.vector_or("translate", "m", DVec3::ZERO);
        let rotate = table.vector_or("rotate", "degrees", DVec3::ZERO);
        if let Some(last) = keyframes.last() {
            if time <= last.time {
                let message =
                    format!("`{}` = {time} is not later than the previous keyframe", time_field.path);
                time_field.fault(message, format!("must be greater than {} [s]", last.time), None);
                return None;
            }
            if (rotate - previous).abs().max_element() >= 180.0 {
                let message = format!("`{}` turns by half a turn or more in one step", element.path);
                let label = "rotations take the shortest way; add keyframes in between";
                element.context.warn(&element.node.at, message, label);
            }
        }
        previous = rotate;
        keyframes.push(Keyframe { time, translate, rotation: rotation_from_degrees(rotate) });
    }
    Some(keyframes)
}

fn track(table: &Table<'_>, folder: &Path) -> Option<Vec<Keyframe>> {
    let (field, path) = existing_file(table, folder, &format!("CSV: {COLUMNS}"))?;
    let read = std::fs::read(&path).map_err(|error| error.to_string());
    match read.and_then(|bytes| parse(&bytes)) {
        Ok(keyframes) => Some(keyframes),
        Err(fault) => {
            let message = format!("track `{}` cannot be used: {fault}", path.display());
            let label =
                format!("each line needs {COLUMNS} [s, m, unit quaternion]; a header line is allowed");
            field.fault(message, label, None);
            None
        }
    }
}

/// Parses a track: one key per line. Lines that begin with `#`, and a first line of words, are skipped.
fn parse(bytes: &[u8]) -> Result<Vec<Keyframe>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let mut keys: Vec<Keyframe> = Vec::new();
    let mut first = true;
    for (text, line) in lines.filter(|(text, _)| !text.is_empty() && !text.starts_with('#')) {
        let record: Vec<&str> = text.split(',').map(str::trim).collect();
        let header = first && record.iter().all(|cell| cell.parse::<f64>().is_err());
        first = false;
        if header {
            let names = record.join(", ").to_lowercase();
            if names.contains("qw") && names != COLUMNS {
                return Err(format!("line {line} names the columns {names}"));
            }
            continue;
        }
        let number = |cell: &&str| {
            let value = cell.parse().ok().filter(|value: &f64| value.is_finite());
            value.ok_or_else(|| format!("line {line}: \"{cell}\" is not a number"))
        };
        let values = record.iter().map(number).collect::<Result<Vec<f64>, String>>()?;
        let [time, x, y, z, qw, qx, qy, qz] = values[..] else {
            return Err(format!("line {line} has {} numbers, not 8", values.len()));
        };
        let rotation = DQuat::from_xyzw(qx, qy, qz, qw);
        if (rotation.length() - 1.0).abs() > UNIT_TOLERANCE {
            return Err(format!("line {line}: the quaternion has length {:.4}, not 1", rotation.length()));
        }
        if let Some(last) = keys.last().filter(|last| last.time >= time) {
            return Err(format!("line {line}: {time} s is not later than {} s before it", last.time));
        }
        keys.push(Keyframe { time, translate: DVec3::new(x, y, z), rotation: rotation.normalize() });
    }
    if keys.is_empty() { Err("it has no lines of numbers".to_owned()) } else { Ok(keys) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_is_read_line_by_line() {
        let text = "time, x, y, z, qw, qx, qy, qz\r\n0, 1, 2, 3, 1, 0, 0, 0\r\n# half a turn\n\n0.5,0,0,0, 0, 0, 1.001, 0\n";
        let keys = parse(text.as_bytes()).unwrap();
        assert_eq!(keys.len(), 2);
        assert_eq!((keys[0].time, keys[0].translate), (0.0, DVec3::new(1.0, 2.0, 3.0)));
        assert_eq!((keys[1].time, keys[1].rotation), (0.5, DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0)));
    }

    #[test]
    fn faults_name_their_lines() {
        for (text, told) in [
            ("", "it has no lines of numbers"),
            ("time,x,y,z,qw,qx,qy,qz\n", "it has no lines of numbers"),
            ("0,0,0,0,1,0,0,0\n1,0,0,0,1,0,0", "line 2 has 7 numbers, not 8"),
            ("0,0,0,0,1,0,0,x", "line 1: \"x\" is not a number"),
            ("0,0,nan,0,1,0,0,0", "line 1: \"nan\" is not a number"),
            (
                "# camera\r\nt,,,,,,,\r\n0,0,0,0,2,0,0,0\r\n# end",
                "line 3: the quaternion has length 2.0000, not 1",
            ),
            (
                "time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1",
                "line 1 names the columns time, x, y, z, qx, qy, qz, qw",
            ),
            ("0,0,0,0,1,0,0,0\n0,0,0,0,1,0,0,0", "line 2: 0 s is not later than 0 s before it"),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err(), told, "{text}");
        }
    }
}
