//! Arguments, and the help that explains what the numbers mean.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use tuff_cli::args::SceneArgs;

use crate::compile;

const COLUMNS: &str = "\
The table, one row per stage of a substep (`tuff graph SCENE` says what a stage reads and writes); on the processor, one per loop
(a dispatch is an execution of the loop, device time is wall time):
  min median max   device time of all its dispatches in a substep [ms], over the substeps
  share            of the device time of all stages
  dispatches       how often it is launched in a substep: colored stages once per color and iteration
  threads          invocations that had work, all dispatches together; on the processor, particles
  moved            traffic as declared, not measured: each element of each array that the stage names, once if it is read
                   and once if it is written. Repeated loads for other neighbors are not included, so a stage that
                   gathers moves more
  bandwidth        moved / median; near the device's limit, the stage can only become faster by moving less
Then the six parts of the paper's cost breakdown (XPBI, Fig. 17); the kernel correction counts as neighbour search, and the
prediction, which finds the colliders near a particle, as collision detection.
  between stages   fills of buffers, and the timestamps themselves
  wall, profiled   from recording to the result of a substep that is submitted alone, with timestamps
  wall             the same substeps as in `tuff run`, many per submission; without pictures and files
  processor        processor time of all threads in that stretch, including the work of a software driver
material           time of one call, at the current strains of the particles: `projection` is the return mapping, `law` everything
                   that the solve requests (projection, stress, energy), and `of the solve` is calls x law / device time of
                   solve_inelastic. Whole-tensor models compute everything at once. Only on Vulkan devices
force, multiplier  residuals at the end of each substep, in a separate stretch because computing them takes time

Examples:
  tuff profile configs/scenes/sand_column.toml --particles 20000
  tuff profile SCENE --at-frame 12 --substeps 50         in the middle of the motion
  tuff profile SCENE --trace substeps.json               open it at https://ui.perfetto.dev
  tuff profile SCENE --compile navi21                    registers and spills, without the card
  tuff profile SCENE --json before.json                  ... change something ...
  tuff profile SCENE --json after.json && tuff profile compare before.json after.json";

const VERDICTS: &str = "\
A stage is slower or faster when the medians of its substeps differ by more than three times the noise of that
difference (from the spread of the substeps within each profile, by median absolute deviations), by more than the threshold, and
by more than a thousandth of the substep. Two profiles on a shared machine can differ for reasons that no
single profile shows: profile twice before you trust a small difference.

Exit codes: 0 compared, 1 a row is slower by more than --fail-slower, 2 not comparable.";

/// What to do.
#[derive(Debug)]
pub enum Command {
    /// Profile a scene.
    Scene(Box<ProfileArgs>),
    /// Compare two profiles.
    Compare(CompareArgs),
}

/// Arguments of `tuff profile`.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// What to profile.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Number of substeps to measure; as many again run without timestamps for wall and processor time, and for the residuals
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub substeps: u32,
    /// Number of substeps before the measured ones, in which buffers grow and drivers compile
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub warm_up: u32,
    /// Simulate up to this frame first [default: the scene's first]
    #[arg(long, value_name = "FRAME")]
    pub at_frame: Option<u32>,
    /// cpu, reference, or a Vulkan device by index or part of its name (see `tuff devices`) [default: as `tuff run`]
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Write the numbers of every substep as JSON, for `tuff profile compare`
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Measure nothing: list registers, spills and waves of every stage, compiled by Mesa's AMD driver for these cards, without a card
    /// [without names: navi21,navi10]
    #[arg(
        long,
        value_name = "FAMILY,...",
        value_delimiter = ',',
        num_args = 0..=1,
        default_missing_value = "navi21,navi10",
        value_parser = compile::family,
        conflicts_with_all = ["substeps", "warm_up", "at_frame", "device", "json", "trace"]
    )]
    pub compile: Option<Vec<String>>,
    /// Write every dispatch as a trace for Perfetto (ui.perfetto.dev) or `chrome://tracing`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// Arguments of `tuff profile compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Profile before
    #[arg(value_name = "A.json")]
    pub before: PathBuf,
    /// Profile after
    #[arg(value_name = "B.json")]
    pub after: PathBuf,
    /// Report differences below this as none, whatever the noise
    #[arg(long, value_name = "PERCENT", default_value_t = 3.0, allow_negative_numbers = true, value_parser = percent)]
    pub threshold: f64,
    /// Exit with code 1 if a row is slower by more than this, beyond its noise
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = percent)]
    pub fail_slower: Option<f64>,
    /// Compare profiles even if device, scene or settings differ
    #[arg(long)]
    pub force: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("expected a percentage of 0 or more, for example 5".to_owned()),
    }
}

/// Builds the command line: a scene or the subcommand.
fn command() -> clap::Command {
    // `about` comes last: set earlier, the structs' own documentation would replace it.
    let compare = CompareArgs::augment_args(clap::Command::new("compare"))
        .about("Say which stages got slower or faster between two profiles written with --json")
        .after_help(VERDICTS);
    ProfileArgs::augment_args(clap::Command::new("tuff-profile"))
        .bin_name("tuff profile")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Measure where the time of a scene's substeps goes, and compare two measurements")
        .after_help(COLUMNS)
        .max_term_width(110)
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .disable_help_subcommand(true)
        .subcommand(compare)
}

fn read(matches: &ArgMatches) -> Result<Command, clap::Error> {
    match matches.subcommand_matches("compare") {
        Some(compare) => CompareArgs::from_arg_matches(compare).map(Command::Compare),
        None => Ok(Command::Scene(Box::new(ProfileArgs::from_arg_matches(matches)?))),
    }
}

/// Parses the command line; help, version and usage errors end the process here.
pub fn parse() -> Command {
    read(&command().get_matches()).unwrap_or_else(|error| error.exit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Command, clap::Error> {
        read(&command().try_get_matches_from([&["tuff-profile"], words].concat())?)
    }

    #[test]
    fn the_argument_tables_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn a_scene_and_a_comparison_are_told_apart() {
        let Ok(Command::Scene(scene)) = parse(&["a.toml", "--substeps", "7"]) else { panic!("no scene") };
        assert_eq!((scene.substeps, scene.scene.scene.to_str()), (7, Some("a.toml")));
        assert!(matches!(parse(&["a.toml"]), Ok(Command::Scene(_))));
        let compare = parse(&["compare", "a.json", "b.json", "--fail-slower", "5%"]);
        let Ok(Command::Compare(args)) = compare else { panic!("no comparison") };
        assert_eq!(args.fail_slower, Some(5.0));
        assert!(parse(&[]).is_err() && parse(&["a.toml", "--substeps", "0"]).is_err());
        assert!(parse(&["compare", "a", "b", "--threshold", "-1"]).is_err());
    }
}
