//! `tuff material eval`.

use std::path::Path;

use tuff_gpu::{Device, GpuError};
use tuff_material::device::{self, Trial};
use tuff_plugin::Model;

use crate::args::{Borders, EvalArgs};
use crate::compare::{Row, Tolerances, compare};
use crate::exit::{DIFFERS, NO_DEVICE, NOT_WRITTEN, Stop};
use crate::report::{DevicePart, Report};
use crate::vectors::{Case, Vectors};
use crate::{find, print};

/// Compares a model with reference values and prints the largest deviations.
pub fn eval(args: &EvalArgs) -> Result<(), Stop> {
    let model = find::model(&args.model, &args.material_path)?;
    let vectors = Vectors::read(&args.vectors)?;
    let read = vectors.cases(&model)?;
    let answers: Vec<_> = read.cases.iter().map(|c| device::evaluate_f64(&model, &c.trial)).collect();
    let descriptor = model.descriptor();
    let report = Report {
        model: format!("{} {}", descriptor.id, descriptor.version),
        library: model.file().display().to_string(),
        vectors: vectors.name(),
        choice: vectors.choice(&model).map(|(parameter, word)| format!("{} = {word}", parameter.name)),
        foreign: vectors.foreign_law(&model).map(str::to_owned),
        compared: read.cases.len(),
        without_logarithm: read.without_logarithm,
        double: compare(descriptor, &read.cases, &answers, &Tolerances::uniform(args.tolerance_f64)),
        device: on_device(args, &model, &vectors, &read.cases)?,
        fault: model.fault().map(str::to_owned),
    };
    print(&report.table())?;
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", report.json()))?;
    }
    match &report.device {
        _ if report.failures() > 0 => Err(Stop::silent(DIFFERS)),
        DevicePart::Missing(_) => {
            Err(Stop::new(NO_DEVICE, "the GLSL was not evaluated because there is no device"))
        }
        _ => Ok(()),
    }
}

/// Evaluates on a device. A missing device becomes part of the report; a text that does not compile is an error.
fn on_device(args: &EvalArgs, model: &Model, vectors: &Vectors, cases: &[Case]) -> Result<DevicePart, Stop> {
    if args.device.as_deref() == Some("none") {
        return Ok(DevicePart::Unwanted);
    }
    match rows(args, model, vectors, cases) {
        Ok((name, rows)) => Ok(DevicePart::Compared(name, rows)),
        Err(error @ (GpuError::Compile { .. } | GpuError::UnknownDevice { .. })) => Err(error.into()),
        Err(error) => Ok(DevicePart::Missing(error.to_string())),
    }
}

fn rows(
    args: &EvalArgs,
    model: &Model,
    vectors: &Vectors,
    cases: &[Case],
) -> Result<(String, Vec<Row>), GpuError> {
    let device = Device::open(args.device.as_deref())?;
    let trials: Vec<Trial> = cases.iter().map(|case| case.trial.clone()).collect();
    let answers = device::evaluate(&device, model, &trials)?;
    let borders = args.borders.unwrap_or_else(|| borders(model, vectors));
    let tolerances = Tolerances::single(model.descriptor(), borders, &args.tolerance);
    Ok((device.info().name.clone(), compare(model.descriptor(), cases, &answers, &tolerances)))
}

/// Returns how strictly to compare near borders: the tip of the ellipse of `nacc` is a root away from its side, and the published flow
/// jumps there.
fn borders(model: &Model, vectors: &Vectors) -> Borders {
    match (model.descriptor().id.as_str(), vectors.law.as_deref()) {
        ("nacc", Some("nacc_published")) => Borders::Skip,
        ("nacc", _) => Borders::Loose,
        _ => Borders::Strict,
    }
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    std::fs::write(path, text)
        .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot write {}: {error}", path.display())))
}
