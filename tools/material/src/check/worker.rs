//! The process that runs a library: it may crash or hang without harm, and sends its findings through a file.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tuff_gpu::{Device, GpuError};
use tuff_material_sdk::descriptor::{Descriptor, ParameterKind, Variant};

use super::findings::{Finding, Part, Verdict};
use super::glsl;
use super::journal::{self, Journal, Watched};
use super::laws;
use super::sets::{self, Given};
use super::{run, tensor, text};
use crate::args::CheckArgs;
use crate::exit::{INTERNAL, NOT_WRITTEN, Stop};
use crate::find;

/// Message from the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Description of the library.
    Head(Head),
    /// One line of the report.
    Finding(Box<Finding>),
    /// The GLSL could not be checked because there is no device, for this reason.
    NoDevice(String),
    /// No more messages follow.
    Done,
}

impl From<Finding> for Message {
    fn from(finding: Finding) -> Self {
        Self::Finding(Box::new(finding))
    }
}

/// Identity of the checked library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Id and version.
    pub model: String,
    /// File.
    pub library: String,
}

/// Returns the file with the messages, one JSON value per line.
pub fn messages_in(folder: &Path) -> PathBuf {
    folder.join("messages.jsonl")
}

/// Returns the file with the running call.
pub fn journal_in(folder: &Path) -> PathBuf {
    folder.join("call")
}

/// Returns the file whose existence shows that the worker, not the library, ended the process.
pub fn ended_in(folder: &Path) -> PathBuf {
    folder.join("ended")
}

/// Creates the file [`ended_in`] when dropped, also in a panic; a library that ends the process leaves none.
struct Ended(PathBuf);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = File::create(&self.0);
    }
}

/// Ends the process when stdin closes: a library that hangs must not outlive the process that watches it.
fn end_with_stdin() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(i32::from(INTERNAL));
    });
}

/// Checks the library and writes messages to `folder`.
pub fn work(args: &CheckArgs, folder: &Path) -> Result<(), Stop> {
    let _ended = Ended(ended_in(folder));
    end_with_stdin();
    let refuse = |error: std::io::Error| {
        Stop::new(NOT_WRITTEN, format!("cannot write to {}: {error}", folder.display()))
    };
    let mut out = File::create(messages_in(folder)).map_err(refuse)?;
    let mut tell = |message: Message| -> Result<(), Stop> {
        let line = serde_json::to_string(&message).map_err(Stop::bad_input)?;
        writeln!(out, "{line}").and_then(|()| out.flush()).map_err(refuse)
    };
    let journal = RefCell::new(Journal::create(&journal_in(folder)).map_err(refuse)?);
    journal::note(&journal, Part::Library, &format!("loading {}", args.model));
    let model = find::model(&args.model, &args.material_path)?;
    let descriptor = model.descriptor();
    tell(Message::Head(Head {
        model: format!("{} {}", descriptor.id, descriptor.version),
        library: model.file().display().to_string(),
    }))?;
    let model = Watched::new(&model, &journal);
    let given = args.set.iter().map(|pair| value(descriptor, pair)).collect::<Result<Vec<_>, _>>()?;
    let without = args.without.iter().map(|pair| value(descriptor, pair)).collect::<Result<Vec<_>, _>>()?;
    // Report an unknown device before the work, not after it.
    let device = device(args, &model)?;

    let sets::Sets { sets, findings } = sets::find(&model, &given, &without)?;
    let mut tell_all = |findings: Vec<Finding>| findings.into_iter().try_for_each(|f| tell(f.into()));
    tell_all(findings)?;
    if sets.is_empty() {
        let skipped = |part| skipped(part, "not checked: no parameters leave the model usable");
        tell_all(vec![skipped(Part::Double), skipped(Part::Glsl)])?;
        return tell(Message::Done);
    }
    let is_tensor = matches!(descriptor.variant, Variant::Tensor { .. });
    let states = |set| if is_tensor { tensor::states(&model, set) } else { laws::states(&model, set) };
    let states: Vec<_> = sets.iter().map(states).collect();
    let check = if is_tensor { tensor::check } else { laws::check };
    tell_all(check(&model, &sets, &states))?;
    tell_all(text::check(model.model))?;
    let check = if is_tensor { tensor::check_glsl } else { glsl::check };
    let on_device = |device| check(&model, &device, &sets, &states);
    match device.map(|device| device.and_then(on_device)) {
        None => tell(skipped(Part::Glsl, "not checked: --device none").into())?,
        Some(Ok(findings)) => {
            let compiles = findings.iter().all(|f| f.check != "compiles" || f.verdict == Verdict::Ok);
            tell_all(findings)?;
            if compiles {
                tell(run::check(&model, args.device.as_deref(), &sets[0]).into())?;
            }
        }
        Some(Err(error @ GpuError::DeviceLost { .. })) => {
            let text = format!("{error}: the GLSL runs endlessly or brings the driver down");
            tell(Finding::new(Part::Glsl, "runs", Verdict::Fail, text).into())?;
        }
        Some(Err(error)) => tell(Message::NoDevice(error.to_string()))?,
    }
    tell(Message::Done)
}

/// Opens the device, or returns the reason why there is none; returns nothing if none is wanted.
///
/// # Errors
/// No device has this name.
fn device(args: &CheckArgs, model: &Watched<'_>) -> Result<Option<Result<Arc<Device>, GpuError>>, Stop> {
    model.note(Part::Glsl, "opening the device");
    match args.device.as_deref() {
        Some("none") => Ok(None),
        choice => match Device::open(choice) {
            Err(error @ GpuError::UnknownDevice { .. }) => Err(error.into()),
            other => Ok(Some(other)),
        },
    }
}

fn skipped(part: Part, why: &str) -> Finding {
    Finding::new(part, "all laws", Verdict::Skipped, why)
}

/// Returns index and number of `NAME=VALUE`.
fn value(descriptor: &Descriptor, (name, text): &(String, String)) -> Result<Given, Stop> {
    let Some(index) = descriptor.parameter_index_by_alias(name) else {
        let known: Vec<_> = descriptor.parameters.iter().map(|p| p.name.as_str()).collect();
        return Err(Stop::bad_input(format!(
            "{} has no parameter {name}; it has {}",
            descriptor.id,
            known.join(", ")
        )));
    };
    let parameter = &descriptor.parameters[index];
    let found = match &parameter.kind {
        ParameterKind::Number => text.parse().ok(),
        ParameterKind::Boolean => text.parse::<bool>().ok().map(|on| f64::from(u8::from(on))),
        ParameterKind::Choice(words) => words.iter().position(|word| word == text).map(|index| index as f64),
    };
    match found.filter(|&value| parameter.accepts(value)) {
        Some(value) => Ok((index, value)),
        None => Err(Stop::bad_input(format!("{name} = {text} is outside {}", parameter.range()))),
    }
}
