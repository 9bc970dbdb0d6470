//! `tuff profile SCENE --compile`: what the compiler of Mesa's AMD driver makes of the stages, without an AMD card.
//!
//! The driver reads the name of the card from its environment before it lists devices, so each card has a process of its own: this program
//! again, with the same arguments.

use std::env;
use std::fmt::Write as _;
use std::process;

use tuff_cli::exit::{INTERNAL, NO_DEVICE, Stop};
use tuff_cli::print;
use tuff_cli::session::{self, Session};
use tuff_gpu::{DeviceInfo, GpuError};
use tuff_solver::{Options, SolverError, StageCode};

use crate::args::ProfileArgs;

/// Variable in which the driver finds the card that it shall compile for.
const VARIABLE: &str = "RADV_FORCE_FAMILY";

/// Variable that tells a child process its card.
const CHILD: &str = "TUFF_COMPILE_FAMILY";

/// Cards that can be named, oldest first.
const FAMILIES: [&str; 20] = [
    "tonga",
    "fiji",
    "polaris10",
    "polaris11",
    "polaris12",
    "vega10",
    "vega12",
    "vega20",
    "raven",
    "raven2",
    "renoir",
    "navi10",
    "navi12",
    "navi14",
    "navi21",
    "navi22",
    "navi23",
    "navi24",
    "vangogh",
    "rembrandt",
];

/// Number of waves per SIMD from which on a stage hides the latency of memory.
const WAVES: f64 = 8.0;

/// Columns: heading, the driver's name, and whether any value other than 0 is a fault.
const COLUMNS: [(&str, &str, bool); 8] = [
    ("VGPRs", "VGPRs", false),
    ("SGPRs", "SGPRs", false),
    ("spilled V", "Spilled VGPRs", true),
    ("spilled S", "Spilled SGPRs", true),
    ("scratch B", "Scratch size", true),
    ("shared B", "LDS size", false),
    ("code B", "Code size", false),
    ("instr", "Instructions", false),
];
const WAVES_NAME: &str = "Subgroups per SIMD";

/// Checks a name of a card.
pub fn family(text: &str) -> Result<String, String> {
    let name = text.to_lowercase();
    if FAMILIES.contains(&name.as_str()) {
        Ok(name)
    } else {
        Err(format!("unknown card (a scene comes before --compile); allowed are {}", FAMILIES.join(", ")))
    }
}

/// Compiles the stages of the scene for each card in `families` and prints a table for each.
///
/// # Errors
/// Exit code 2 for a scene that is not valid, 3 if Mesa's AMD driver is not installed or does not know a card.
pub fn compile(args: &ProfileArgs, families: &[String]) -> Result<(), Stop> {
    if let Some(chosen) = env::var(CHILD).ok().filter(|chosen| families.contains(chosen)) {
        return one(args, &chosen);
    }
    // Errors of the scene are told once, here.
    let (_, warnings) = Session::open(&args.scene)?.problem(None)?;
    session::warn(&warnings);
    for family in families {
        let program = env::current_exe().map_err(|error| Stop::new(INTERNAL, error))?;
        let mut child = process::Command::new(program);
        child.args(env::args_os().skip(1)).env(VARIABLE, family).env(CHILD, family);
        let status = child.status().map_err(|error| Stop::new(INTERNAL, error))?;
        if status.success() {
            continue;
        }
        return Err(match status.code() {
            Some(code) => Stop::new(
                u8::try_from(code).unwrap_or(NO_DEVICE),
                format!("nothing was compiled for {family}"),
            ),
            None => {
                Stop::new(NO_DEVICE, format!("the driver crashed while it compiled for {family}: {status}"))
            }
        });
    }
    Ok(())
}

/// Compiles for the card that the environment names.
fn one(args: &ProfileArgs, family: &str) -> Result<(), Stop> {
    let (problem, _) = Session::open(&args.scene)?.problem(None)?;
    let options = Options { device: Some(format!("RADV {family}")), ..Options::default() };
    let (device, stages) = tuff_solver::compiled(&problem, &options).map_err(|error| match error {
        SolverError::Gpu(GpuError::UnknownDevice { .. } | GpuError::NoDriver { .. }) => Stop::new(
            NO_DEVICE,
            format!(
                "Mesa's AMD driver is not installed, or does not know {family}: apt-get install mesa-vulkan-drivers libvulkan1; a list in \
                 VK_DRIVER_FILES must name its radeon_icd file"
            ),
        ),
        error => error.into(),
    })?;
    print::out(&table(&problem.scene.name, &device, &stages))
}

fn value(code: &StageCode, name: &str) -> Option<f64> {
    code.statistics.iter().find(|statistic| statistic.name == name).map(|statistic| statistic.value)
}

/// Formats the statistics of all stages, and which of them spill or have few waves.
fn table(scene: &str, device: &DeviceInfo, stages: &[StageCode]) -> String {
    let mut text = format!(
        "{scene} compiled for {} ({}), subgroups of {}\n\n",
        device.name, device.driver, device.subgroup_size
    );
    let _ = write!(text, "{:<24}{:>7}", "stage", "waves");
    for (heading, ..) in COLUMNS {
        let _ = write!(text, "{heading:>11}");
    }
    text.push('\n');
    let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    for code in stages {
        let name = code.stage.declaration().name;
        let _ = write!(text, "{name:<24}{:>7}", cell(value(code, WAVES_NAME)));
        for (_, key, _) in COLUMNS {
            let _ = write!(text, "{:>11}", cell(value(code, key)));
        }
        text.push('\n');
    }
    let names = |of: &dyn Fn(&StageCode) -> bool| {
        let names: Vec<&str> =
            stages.iter().filter(|code| of(code)).map(|code| code.stage.declaration().name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let faults = |code: &StageCode| {
        COLUMNS.iter().any(|(_, key, fault)| *fault && value(code, key).is_some_and(|n| n > 0.0))
    };
    let few = |code: &StageCode| value(code, WAVES_NAME).is_some_and(|n| n < WAVES);
    let _ = writeln!(text, "\nspill or use scratch   {}", names(&faults));
    let _ = writeln!(text, "fewer than {WAVES} waves    {}", names(&few));
    text
}
