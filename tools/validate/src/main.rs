//! `tuff-validate`: runs benchmark cards and writes a report on them.

mod args;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use tuff_gpu::{DeviceInfo, DeviceKind};
use tuff_plugin::{Library, SearchPath};
use tuff_validate::report::{Outcome, RUNS, Store, StoreError, keep, page, without_pictures};
use tuff_validate::{Card, Findings, Lab, Settings, Verdict, cards};

use args::{Arguments, CPU, UNKNOWN};

/// A check failed.
const FAILED: u8 = 1;
/// Bad arguments or libraries.
const BAD_INPUT: u8 = 2;
/// No usable device.
const NO_DEVICE: u8 = 3;
/// The report cannot be written.
const NOT_WRITTEN: u8 = 5;

/// Reason why the program ends early.
struct Stop(u8, String);

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self(NOT_WRITTEN, error.to_string())
    }
}

fn main() -> ExitCode {
    match validate(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(Stop(code, message)) => {
            eprintln!("tuff-validate: {message}");
            ExitCode::from(code)
        }
    }
}

/// Runs what is requested; returns whether everything is as expected.
fn validate(arguments: &Arguments) -> Result<bool, Stop> {
    let chosen = arguments.chosen().map_err(|message| Stop(BAD_INPUT, message))?;
    if arguments.list {
        print!("{}", list(&chosen, arguments));
        return Ok(true);
    }
    let search = SearchPath::standard(&arguments.material_path);
    let library = Library::discover(&search).map_err(|error| Stop(BAD_INPUT, error.to_string()))?;
    let vulkan = vulkan_device(arguments)?;
    // Default settings come with the default device, which is the processor where there is no GPU.
    let on_cpu = match &vulkan {
        None => true,
        Some(info) => arguments.device.is_none() && info.kind == DeviceKind::Cpu,
    };
    let device_of = |settings: Settings| match (&vulkan, settings) {
        (Some(info), settings) if !(on_cpu && settings == Settings::Default) => info.name.clone(),
        _ => CPU.to_owned(),
    };
    let store = Store::open(&arguments.out)?;
    let mut good = true;
    let tasks =
        chosen.iter().flat_map(|card| arguments.settings(card).map(move |settings| (*card, settings)));
    for (card, settings) in tasks {
        let device_name = device_of(settings);
        let kept = if arguments.again { None } else { store.read(card.id, settings)? };
        let same = |kept: &Outcome| {
            let known = kept.commit != UNKNOWN && !kept.commit.ends_with("-dirty");
            let alike = kept.commit == arguments.commit && kept.device == device_name;
            known && alike && kept.size == arguments.size() && kept.error.is_none()
        };
        let name = format!("{:<4} {}, {} settings", card.id, card.title, settings.word());
        if let Some(kept) = kept.filter(same) {
            eprintln!("{name} ({} before; --again repeats it)", kept.verdict().word());
            good &= kept.verdict() != Verdict::Failed;
            continue;
        }
        eprintln!("{name} ...");
        let outcome = outcome(card, settings, &library, arguments, &device_name);
        eprint!("{}", summary(&outcome));
        good &= outcome.verdict() != Verdict::Failed;
        store.write(&outcome)?;
        write_page(&store)?;
    }
    println!("{}", write_page(&store)?);
    if arguments.keep {
        let now = |outcome: &Outcome| {
            let alike = outcome.commit == arguments.commit && outcome.device == device_of(outcome.settings);
            alike && outcome.size == arguments.size()
        };
        let rows = rows(&store, now)?;
        let small = |(card, outcomes): (_, Vec<Outcome>)| {
            (card, outcomes.into_iter().map(without_pictures).collect::<Vec<_>>())
        };
        let rows: Vec<_> = rows.into_iter().map(small).collect();
        let outcomes: Vec<&Outcome> = rows.iter().flat_map(|(_, outcomes)| outcomes).collect();
        println!("{}", keep(Path::new(RUNS), &outcomes, &page_of(&rows))?.display());
    }
    Ok(good)
}

/// Returns the Vulkan device of the cards; none with `--device cpu`, which runs default settings alone.
fn vulkan_device(arguments: &Arguments) -> Result<Option<DeviceInfo>, Stop> {
    let device = arguments.device.as_deref();
    if arguments.on_processor() {
        if arguments.settings == "own" {
            let message =
                "cards' own settings run on Vulkan devices; --device cpu goes with --settings default";
            return Err(Stop(BAD_INPUT, message.to_owned()));
        }
        if arguments.settings == "both" {
            eprintln!("default settings alone: cards' own settings run on Vulkan devices");
        }
        return Ok(None);
    }
    let opened = tuff_gpu::Device::open(device).map_err(|error| Stop(NO_DEVICE, error.to_string()))?;
    Ok(Some(opened.info().clone()))
}

fn outcome(
    card: &Card,
    settings: Settings,
    library: &Library,
    arguments: &Arguments,
    device: &str,
) -> Outcome {
    let lab = Lab::new(library, arguments.device.as_deref(), arguments.size(), settings);
    let mut findings = Findings::new(card.id);
    let clock = Instant::now();
    let error = card.run(&lab, &mut findings).err();
    Outcome {
        findings,
        error: error.map(|error| error.to_string()),
        size: arguments.size(),
        settings,
        device: device.to_owned(),
        commit: arguments.commit.clone(),
        seconds: clock.elapsed().as_secs_f64(),
        particle_iterations: lab.work(),
    }
}

/// Collects the cards with those of their outcomes that are wanted.
fn rows(
    store: &Store,
    wanted: impl Fn(&Outcome) -> bool,
) -> Result<Vec<(&'static Card, Vec<Outcome>)>, StoreError> {
    let read = |card: &'static Card| {
        let outcomes = card.settings().iter().map(|&settings| store.read(card.id, settings));
        let outcomes = outcomes.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
        Ok((card, outcomes.into_iter().filter(&wanted).collect()))
    };
    cards::all().iter().map(read).collect()
}

fn page_of(rows: &[(&'static Card, Vec<Outcome>)]) -> String {
    let rows: Vec<_> = rows.iter().map(|(card, outcomes)| (*card, outcomes.iter().collect())).collect();
    page(&rows)
}

/// Writes the page of all existing outcomes and returns its path.
fn write_page(store: &Store) -> Result<String, Stop> {
    let rows = rows(store, |_| true)?;
    Ok(store.write_page(&page_of(&rows))?.display().to_string())
}

/// Summarizes the outcome of a card in lines; passed checks are only counted.
fn summary(outcome: &Outcome) -> String {
    let checks = &outcome.findings.checks;
    let passed = checks.iter().filter(|c| c.verdict() == Verdict::Passed).count();
    let judged = checks.iter().filter(|c| c.verdict() != Verdict::Recorded).count();
    let mut text = format!("     {passed} of {judged} checks passed in {:.0} s\n", outcome.seconds);
    for check in checks.iter().filter(|c| c.verdict() >= Verdict::Deviates) {
        let _ = writeln!(text, "     {}: {}", check.verdict().word(), check.line());
    }
    if let Some(error) = &outcome.error {
        let _ = writeln!(text, "     did not end: {error}");
    }
    text
}

/// Lists the cards with their run times.
fn list(cards: &[&Card], arguments: &Arguments) -> String {
    let mut text = String::new();
    let mut total = 0.0;
    for card in cards {
        let minutes = arguments.settings(card).map(|s| card.minutes(arguments.size(), s)).sum::<f64>();
        total += minutes;
        let figure = card.figure_name().map(|f| format!(" ({f})")).unwrap_or_default();
        let _ =
            writeln!(text, "{:<4} {:>6.1} min  {}{figure}: {}", card.id, minutes, card.title, card.reference);
    }
    let _ = writeln!(text, "{:<4} {total:>6.1} min on two cores of a software driver", "all");
    text
}
