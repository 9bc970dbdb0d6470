//! `tuff material check`: checks a library alone against the laws that every model must satisfy and those that it claims.
//!
//! The library runs in a separate process ([`worker`]), which may crash or hang; the report then names the call.

mod combine;
mod findings;
mod glsl;
mod journal;
mod laws;
mod probe;
mod reach;
mod report;
mod run;
mod samples;
mod sets;
mod shaders;
mod tensor;
mod text;
mod worker;

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub use self::findings::written;
use self::findings::{Finding, Part, Verdict};
use self::journal::Record;
use self::report::Report;
use self::worker::Message;
use crate::args::CheckArgs;
use crate::exit::{DIFFERS, INTERNAL, NO_DEVICE, NOT_WRITTEN, Stop};
use crate::print;

/// Interval at which the worker is polled.
const GLANCE: Duration = Duration::from_millis(20);
/// Time limit of work on a device, in units of the limit of a call.
const DEVICE_PATIENCE: f64 = 12.0;

/// How the worker ended.
enum End {
    /// It exited by itself.
    Exited(ExitStatus),
    /// A call did not return within this number of seconds.
    Hung(f64),
}

/// Checks a library and prints the report.
pub fn check(args: &CheckArgs) -> Result<(), Stop> {
    if let Some(folder) = &args.worker {
        return worker::work(args, folder);
    }
    let start = Instant::now();
    let folder = tempfile::tempdir()
        .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot create a temporary folder: {error}")))?;
    let mut child = spawn(folder.path())?;
    let end = watch(&mut child, &worker::journal_in(folder.path()), args.call_limit)?;
    let (mut report, is_done) = read(folder.path());
    report.seconds = start.elapsed().as_secs_f64();
    if let Some(finding) = broken_off(args, &end, is_done, folder.path())? {
        if report.head.library.is_empty() {
            report.head.library.clone_from(&args.model);
        }
        report.findings.push(finding);
    }
    print(&report.text())?;
    if let Some(path) = &args.json {
        std::fs::write(path, format!("{:#}\n", report.json()))
            .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot write {}: {error}", path.display())))?;
    }
    match &report.no_device {
        _ if report.failures() > 0 => Err(Stop::silent(DIFFERS)),
        Some(_) => Err(Stop::new(NO_DEVICE, "the GLSL was not checked because there is no device")),
        None => Ok(()),
    }
}

/// Starts this program again as the worker, which ends when its stdin closes. Output of the library goes to stderr.
fn spawn(folder: &Path) -> Result<Child, Stop> {
    let fail = |error: io::Error| Stop::new(INTERNAL, format!("cannot start a process: {error}"));
    let program = std::env::current_exe().map_err(fail)?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).arg("--worker").arg(folder);
    command.stdin(Stdio::piped()).stdout(io::stderr()).spawn().map_err(fail)
}

/// Waits for the worker and kills it if a call takes longer than `limit` \[s\]. Time counts only while this process runs.
fn watch(child: &mut Child, journal: &Path, limit: f64) -> Result<End, Stop> {
    let fail = |error: io::Error| Stop::new(INTERNAL, format!("cannot watch the worker: {error}"));
    let mut last = None;
    let mut waited = 0.0;
    loop {
        if let Some(status) = child.try_wait().map_err(fail)? {
            return Ok(End::Exited(status));
        }
        std::thread::sleep(GLANCE);
        let record = Record::read(journal);
        waited = if record == last { waited + GLANCE.as_secs_f64() } else { 0.0 };
        let is_slow = record.as_ref().is_some_and(|record| record.part == Part::Glsl);
        let limit = if is_slow { DEVICE_PATIENCE * limit } else { limit };
        if waited > limit {
            child.kill().and_then(|()| child.wait()).map_err(fail)?;
            return Ok(End::Hung(limit));
        }
        last = record;
    }
}

/// Returns what the worker has reported, and whether the report is complete. A truncated line is dropped.
fn read(folder: &Path) -> (Report, bool) {
    let text = std::fs::read_to_string(worker::messages_in(folder)).unwrap_or_default();
    let (mut report, mut is_done) = (Report::default(), false);
    for message in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match message {
            Message::Head(head) => report.head = head,
            Message::Finding(finding) => report.findings.push(*finding),
            Message::NoDevice(reason) => report.no_device = Some(reason),
            Message::Done => is_done = true,
        }
    }
    (report, is_done)
}

/// Returns the finding about a worker that did not finish.
///
/// # Errors
/// The worker stopped with its own message, which has been printed.
fn broken_off(args: &CheckArgs, end: &End, is_done: bool, folder: &Path) -> Result<Option<Finding>, Stop> {
    let how = match end {
        End::Exited(status) if status.success() && is_done => return Ok(None),
        // Exit codes of a `Stop`; if the library itself exits with one of them, execution continues to the end of this function.
        End::Exited(status) if is_stop(*status, folder) => {
            return Err(Stop::silent(
                status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(INTERNAL),
            ));
        }
        End::Exited(status) => format!("the process ended ({status}) in"),
        End::Hung(limit) => format!("no answer within {limit} s (--call-limit) from"),
    };
    let record = Record::read(&worker::journal_in(folder));
    let (part, call) = record.map_or((Part::Library, "the start".to_owned()), |r| (r.part, r.call));
    let text = format!("{}: {how} {call}. Everything after it was not checked", args.model);
    Ok(Some(Finding::new(part, "calls come back", Verdict::Fail, text)))
}

/// Returns whether the worker itself ended the process, with a message.
fn is_stop(status: ExitStatus, folder: &Path) -> bool {
    status.code().is_some() && worker::ended_in(folder).exists()
}
