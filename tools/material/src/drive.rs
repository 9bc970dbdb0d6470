//! `tuff material drive`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tuff_material::piece::{COMPONENTS, Control, Piece, Sample, Unreached};
use tuff_material_sdk::descriptor::Variant;
use tuff_plugin::Model;

use crate::args::DriveArgs;
use crate::check::written;
use crate::exit::{DIFFERS, NOT_WRITTEN, Stop};
use crate::path::{self, Row, Target};
use crate::sets::{self, Set};
use crate::{find, note, print};

/// An increment on the way.
struct Point {
    /// Line of the row in the path.
    line: u64,
    time: f64,
    sample: Sample,
}

/// Drives a material along a path and writes what it does.
pub fn drive(args: &DriveArgs) -> Result<(), Stop> {
    let model = find::model(&args.model, &args.material_path)?;
    let set = match &args.scene {
        Some(scene) => {
            sets::of_scene(&model, scene, args.material.as_deref(), &args.params, &args.material_path)?
        }
        None => sets::first(&model, args.preset.as_deref(), &args.params)?,
    };
    if args.vectors.is_some() && model.descriptor().variant != Variant::Principal {
        return Err(Stop::bad_input(
            "--vectors: reference values are of principal strains; this model sees whole tensors",
        ));
    }
    let files = [Some(&args.path), args.out.as_ref(), args.vectors.as_ref()];
    check_files(&files.into_iter().flatten().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let rows = path::read(&args.path, args.steps)?;
    let origin = set.origin.as_ref().map(|origin| format!("{origin}: ")).unwrap_or_default();
    note(&format!("{} with {origin}{}", model.descriptor().id, sets::described(&model, &set, None)));
    let (points, end) = follow(&model, &set, &rows);
    let table = table(&model, &points).map_err(|error| Stop::new(NOT_WRITTEN, error))?;
    match &args.out {
        Some(file) => write(file, &table)?,
        None => print(&String::from_utf8_lossy(&table))?,
    }
    if let Some(file) = &args.vectors {
        if points.len() > 1 {
            write(file, format!("{:#}\n", vectors(&model, &set, &points)).as_bytes())?;
        } else {
            note(&format!("{} is not written: there is no increment to keep", file.display()));
        }
    }
    let Some((row, step, reason)) = end else { return Ok(()) };
    let reason = match reason {
        Unreached::Limits => {
            "a stretch would leave 0.01 to 100, the engine's limits, or an answer is not finite"
        }
        Unreached::Stress => {
            "no strain was found that gives these stresses: more --steps may help, or the matter cannot bear them"
        }
    };
    let fault = model.fault().map_or_else(String::new, |fault| format!(" ({fault})"));
    let (path, line, steps) = (args.path.display(), row.line, row.steps);
    Err(Stop::new(
        DIFFERS,
        format!("{path}:{line}: the test ends at increment {step} of {steps}: {reason}{fault}"),
    ))
}

/// Refuses to write a file over another one.
fn check_files(files: &[&Path]) -> Result<(), Stop> {
    let place = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    for (index, file) in files.iter().enumerate() {
        if files[..index].iter().any(|other| place(other) == place(file)) {
            return Err(Stop::bad_input(format!(
                "{}: the path, --out and --vectors are different files",
                file.display()
            )));
        }
    }
    Ok(())
}

/// Where and why a test ended early: row and increment.
type End<'r> = (&'r Row, u32, Unreached);

/// Follows the rows; returns what was measured.
fn follow<'r>(model: &Model, set: &Set, rows: &'r [Row]) -> (Vec<Point>, Option<End<'r>>) {
    let mut piece = Piece::new(model, &set.constants);
    let mut points = vec![Point { line: 0, time: 0.0, sample: piece.sample().clone() }];
    let mut begun = 0.0;
    for row in rows {
        let (start, length) = (piece.sample().clone(), row.time - begun);
        for step in 1..=row.steps {
            let share = f64::from(step) / f64::from(row.steps);
            let between =
                |from: f64, to: f64| if step == row.steps { to } else { from + share * (to - from) };
            let controls = std::array::from_fn(|i| match row.targets[i] {
                Target::Strain(to) => Control::Strain(between(start.strain[i], to)),
                Target::Change(by) => Control::Strain(start.strain[i] + share * by),
                Target::Stress(to) => Control::Stress(between(start.stress[i], to)),
            });
            match piece.advance(controls, length / f64::from(row.steps)) {
                Ok(sample) => {
                    let time = begun + share * length;
                    points.push(Point { line: row.line, time, sample: sample.clone() });
                }
                Err(reason) => return (points, Some((row, step, reason))),
            }
        }
        begun = row.time;
    }
    (points, None)
}

fn table(model: &Model, points: &[Point]) -> Result<Vec<u8>, String> {
    let words = &model.descriptor().states;
    let mut out = csv::Writer::from_writer(Vec::new());
    let of = |kind: &'static str| COMPONENTS.iter().map(move |component| format!("{kind}_{component}"));
    let single = ["volume", "p", "q", "energy"].map(str::to_owned);
    let head = ["time".to_owned()].into_iter().chain(of("strain")).chain(of("stress")).chain(single);
    let head = head.chain(words.iter().map(|word| word.name.clone()));
    out.write_record(head).map_err(|error| error.to_string())?;
    for Point { time, sample, .. } in points {
        let [p, q] = sample.p_q();
        let numbers = std::iter::once(*time).chain(sample.strain).chain(sample.stress);
        let numbers = numbers
            .chain([sample.volume, p, q, sample.energy])
            .chain(sample.state.into_iter().take(words.len()));
        out.write_record(numbers.map(|x| format!("{:?}", x + 0.0))).map_err(|error| error.to_string())?;
    }
    out.into_inner().map_err(|error| error.to_string())
}

/// Returns every increment as an item of the files that `eval` reads.
fn vectors(model: &Model, set: &Set, points: &[Point]) -> Value {
    let descriptor = model.descriptor();
    let given = descriptor.parameters.iter().zip(&set.values).filter(|(_, value)| !value.is_nan());
    let params: Map<String, Value> = given.map(|(p, &value)| (p.name.clone(), written(p, value))).collect();
    let named = |state: [f64; 4]| -> Map<String, Value> {
        descriptor.states.iter().zip(state).map(|(word, value)| (word.name.clone(), value.into())).collect()
    };
    let item = |(id, point): (usize, &Point)| {
        let (trial, projected) = point.sample.trial.as_ref()?;
        let tau = model.kirchhoff(&trial.constants, &trial.state, *projected);
        Some(json!({
            "id": id,
            "tag": format!("line {}, t = {}", point.line, point.time),
            "params": params,
            "state": named(trial.state),
            "dt": trial.dt,
            "sigma_trial": trial.hencky.map(f64::exp),
            "sigma": projected.map(f64::exp),
            "tau": tau,
            "psi": point.sample.energy,
            "state_out": named(point.sample.state),
        }))
    };
    let items: Vec<Value> = points.iter().enumerate().filter_map(item).collect();
    let source = format!("tuff material drive, {} {}", descriptor.id, descriptor.version);
    json!({ "meta": { "model": descriptor.id, "source": source }, "vectors": items })
}

fn write(path: &Path, text: &[u8]) -> Result<(), Stop> {
    std::fs::write(path, text)
        .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot write {}: {error}", path.display())))
}
