//! Writes `mannequin.glb`, a figure of 1.8 m with a closed, skinned surface and animations to push it into matter. It stands on y = 0 and
//! faces +z.
//!
//! `cargo run --release -p tuff-scene --example mannequin -- FOLDER`
//!
//! - `stand`: at rest, arms 35 degrees from the body;
//! - `fall_back` (1.6 s): falls backwards about the heels with arms spread, and ends on its back, which touches y = 0;
//! - `walk` (2 s): two strides in place, cyclic;
//! - `sink` (2 s): with arms spread, down from 0.6 m to 0, at constant speed after 0.4 s.

mod body;
mod check;
mod glb;
mod motion;
mod pose;
mod skeleton;
mod surface;

use std::path::Path;
use std::process::ExitCode;

use check::Read;
use pose::Figure;
use surface::Surface;

/// Range of the enclosed volume at rest, and the least in any pose [m^3].
const VOLUMES: [f32; 2] = [0.05, 0.12];

/// Part of the triangles that may be turned over or squeezed flat in a pose.
const SPOILED: f32 = 0.002;

/// Interval at which animations are checked [s].
const INTERVAL: f32 = 0.1;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [folder] = &arguments[..] else {
        eprintln!("usage: mannequin FOLDER");
        return ExitCode::FAILURE;
    };
    let path = Path::new(folder).join("mannequin.glb");
    match write(&path).and_then(|()| report(&path)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the figure, checks its surface and writes the file.
fn write(path: &Path) -> Result<(), String> {
    let surface = Surface::of(&body::Body::new());
    surface.check()?;
    let joints = skeleton::joints();
    let influences = skeleton::influences(&joints, &surface.vertices, &surface.neighbors);
    let figure = Figure { joints, vertices: surface.vertices.clone(), influences };
    let bytes = glb::write(&surface, &figure, &motion::animations(&figure));
    println!("{} triangles, {} KiB", surface.triangles.len(), bytes.len().div_ceil(1024));
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Checks a written file in all animations and prints how they begin and end.
fn report(path: &Path) -> Result<(), String> {
    let figure = Read::open(path)?;
    for (index, (name, duration)) in figure.animations().into_iter().enumerate() {
        let steps = (duration / INTERVAL).round() as usize;
        let mut spoiled = 0;
        for step in 0..=steps {
            let time = step as f32 * INTERVAL;
            let at = || format!("`{name}` at {time:.1} s");
            let measured = figure.measure(index, time).ok_or_else(|| format!("{}: not finite", at()))?;
            if measured.volume < VOLUMES[0] || measured.volume > VOLUMES[1] {
                return Err(format!("{}: the volume is {} m^3", at(), measured.volume));
            }
            if measured.spoiled as f32 > SPOILED * figure.triangle_count() as f32 {
                return Err(format!("{}: {} triangles are turned over or flat", at(), measured.spoiled));
            }
            spoiled = spoiled.max(measured.spoiled);
            if step == 0 || step == steps {
                println!(
                    "{}: {:.3} to {:.3} m, {:.4} m^3",
                    at(),
                    measured.low,
                    measured.high,
                    measured.volume
                );
            }
        }
        println!("`{name}`: at most {spoiled} triangles turned over or flat");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_moves_without_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mannequin.glb");
        write(&path).unwrap();
        report(&path).unwrap();
        let figure = Read::open(&path).unwrap();
        let animations = [("stand", 0.0), ("fall_back", 1.6), ("walk", 2.0), ("sink", 2.0)];
        assert_eq!(figure.animations(), animations.map(|(name, end)| (name.to_owned(), end)));
        assert!((6_000..=12_000).contains(&figure.triangle_count()));
        let rest = figure.measure(0, 0.0).unwrap();
        assert!((rest.high.y - 1.8).abs() < 0.01 && rest.low.y.abs() < 1e-6, "{rest:?}");
        let lying = figure.measure(1, 1.6).unwrap();
        assert!(lying.low.y.abs() < 1e-3 && lying.high.y < 0.5 && lying.low.z < -1.5, "{lying:?}");
        let begin = figure.measure(2, 0.0).unwrap();
        let end = figure.measure(2, 2.0).unwrap();
        assert!(begin.low.distance(end.low) < 1e-3 && begin.high.distance(end.high) < 1e-3);
        let [above, below] = [0.0, 2.0].map(|time| figure.measure(3, time).unwrap());
        assert!((above.low.y - below.low.y - 0.6).abs() < 1e-3 && below.high.x > 0.8, "{below:?}");
    }

    #[test]
    fn holes_are_noticed() {
        let mut surface = Surface::of(&body::Body::new());
        assert_eq!(surface.check(), Ok(()));
        surface.triangles.pop();
        assert!(surface.check().is_err());
    }

    #[test]
    fn bytes_repeat() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = ["a", "b"].map(|name| {
            let path = folder.path().join(name);
            write(&path).unwrap();
            std::fs::read(path).unwrap()
        });
        assert!(bytes[0] == bytes[1]);
    }
}
