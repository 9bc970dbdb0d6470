//! Arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use tuff_cli::args::{LibraryArgs, SceneArgs};

use crate::frames::FrameRange;
use crate::view::{PictureSize, View};

/// Maximum number of halvings in a run: the substep is then a thousandth of the scene's.
const MAX_RETRIES: i64 = 10;

const EXAMPLES: &str = "\
Examples:
  tuff check configs/scenes/sand_column.toml             whether the scene is valid, and what a run will cost
  tuff check SCENE --time                                and how long it will take on this machine
  tuff run configs/scenes/sand_column.toml               frames, pictures and numbers in out/sand_column
  tuff run SCENE --particles 20000                       the same scene, coarser or finer
  tuff run SCENE --set material.dry_sand.friction_angle=25 --out out/phi25
  tuff run SCENE --frames 1-10 --device llvmpipe --progress json
  tuff materials drucker_prager                          parameters of a model, with units and ranges
  tuff presets dry_sand                                  a material that ships, as a file to start from
  tuff schema > scene.schema.json                        for completion and checks in an editor

Exit codes:
  0 all frames written   1 a check or comparison failed   2 bad arguments, scene or plugin
  3 no usable device or driver   4 the simulation failed   5 a file could not be written
  75 interrupted (the frames on disk are complete)

`tuff NAME ...` runs the program tuff-NAME, found beside tuff or on PATH.";

const RUN_EXAMPLES: &str = "\
A run writes DIR/particles/NAME.0001.ply, DIR/preview/NAME.0001.png and DIR/run.json. The first frame is the
initial state. Files appear whole or not at all. Results go to stdout, progress to stderr.

Every 10 frames, and at the last one, the run writes a checkpoint to DIR/checkpoints and keeps the last 2. --resume continues from
there, whatever ended the run. If the scene, a model, the device or the program has changed since, it lists the changes and stops;
--resume-anyway continues with the new values.

Examples:
  tuff run configs/scenes/hourglass.toml
  tuff run configs/scenes/sand_column.toml --particles 100000 --frames 1-12
  tuff run SCENE --set solver.iterations=20 --set body.column.velocity=[1,0,0] --overwrite
  tuff run SCENE --device reference                      the f64 solver on the CPU: slow, for comparison
  tuff run SCENE --resume                                continue after Ctrl-C, a full disk or a power cut
  tuff run SCENE --frames 1-96 --resume                  48 more frames of a run that has ended
  tuff run SCENE --retry 3                               down to an eighth of the substep if it fails
  tuff run SCENE --device mpm                            explicit material point method: a baseline
  tuff run SCENE --watch-materials=materials/jelly/src   edit jelly.glsl there, or rebuild the library, while it runs

A simulation that fails ends with exit code 4, leaves all earlier frames intact and reports where and why it failed: on stderr, and in
DIR/failure/failure.json, with the particles around the first bad one in DIR/failure/surroundings.ply. With --retry N it first returns
to the last frame and continues from there with twice as many substeps for the rest of the run; run.json lists each retry under
retries. This keeps one frame in memory, 128 to 208 bytes per particle; results do not change if nothing fails.

With --watch-materials, a file that does not compile, is refused or has another state is reported and the old version kept; run.json
lists under materials_replaced which files were taken over and from which frame on. Particles keep their state. Without the option,
files are read only once.

--progress json writes one object per line to stderr: event is start, frame, within (progress within a frame), busy, warning, material,
retry, failure or end.

--set takes any key of the scene by its path; elements of arrays are named by their `name` or their index.";

const PREVIEW_EXAMPLES: &str = "\
Pictures show the frames in DIR/particles and the colliders of the scene that DIR/run.json names. Attributes are those in the frames
(output.attributes of the scene). Camera and size default to those of the scene; if the scene has no camera either, one is chosen
that shows all matter of the selected frames except for a few stray particles.

Examples:
  tuff preview out/hourglass --attribute velocity
  tuff preview out/hourglass --camera 0.5,0.4,1:0,0.1,0:35 --size 1920x1080 --out out/closer
  tuff preview out/hourglass --frames 1-48 --movie out/hourglass.mp4     needs ffmpeg";

const PRESETS_EXAMPLES: &str = "\
A scene uses a preset by its name, or a file of its own by its path beside the scene:
  [[material]]
  name = \"sand\"
  preset = \"dry_sand\"             # or \"presets/my_sand.toml\"
  friction_angle = 25.0           # keys of the scene override those of the preset

Example:
  tuff presets dry_sand > presets/my_sand.toml";

/// Simulates matter that flows, breaks and keeps its new shape.
#[derive(Debug, Parser)]
#[command(name = "tuff", version, propagate_version = false, after_help = EXAMPLES, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write its frames.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Validate a scene and estimate the cost of a run; exit code 2 if it is not valid.
    Check(CheckArgs),
    /// Draw the frames of a run again: another camera, size or attribute, or a movie.
    #[command(after_help = PREVIEW_EXAMPLES)]
    Preview(PreviewArgs),
    /// List the stages of a substep with what they read and write.
    Graph(GraphArgs),
    /// List the devices, and for unusable ones the reason.
    Devices,
    /// List the available constitutive models, or explain one.
    Materials(MaterialsArgs),
    /// List the materials that ship (`preset = "NAME"` in a scene), or print one.
    #[command(after_help = PRESETS_EXAMPLES)]
    Presets(PresetsArgs),
    /// Print the JSON schema of scene files.
    Schema,
    /// Measure where the time of a scene's substeps goes, and compare two measurements (the program tuff-profile).
    #[command(disable_help_flag = true)]
    Profile {
        /// Arguments of tuff-profile
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARG")]
        arguments: Vec<OsString>,
    },
    /// A program beside this one or on PATH.
    #[command(external_subcommand)]
    External(Vec<OsString>),
}

/// Arguments of `tuff run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Folder to write to [default: out/ and the name of the scene]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the frames that the folder already holds
    #[arg(long)]
    pub overwrite: bool,
    /// Continue from the newest intact checkpoint in the folder, or start if there is nothing yet; the frames are byte-identical to
    /// those of an uninterrupted run
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Like --resume, even if the scene, a model, the device or the program has changed since
    #[arg(long, conflicts_with = "overwrite")]
    pub resume_anyway: bool,
    /// Write a checkpoint every N frames, or `off` [default: output.checkpoint of the scene, 10]
    #[arg(long, value_name = "N", value_parser = checkpoint_frames)]
    pub checkpoint: Option<u32>,
    /// Frames to write, inclusive, from the scene's first frame on: 1-48 or 0001-0048
    #[arg(long, value_name = "RANGE")]
    pub frames: Option<FrameRange>,
    /// Vulkan device by index or part of its name, `cpu`, `reference` or `mpm` (see `tuff devices`) [default: a GPU, or else cpu]
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Between frames, take over rebuilt material libraries, and GLSL files named like a model's GLSL (see `tuff materials
    /// ID`) in DIR or beside the library, which replace the library's own text on Vulkan devices
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub watch_materials: Option<Option<PathBuf>>,
    /// If the simulation fails, return to the last frame and continue with half the substep, up to N times in total
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=MAX_RETRIES))]
    pub retry: u32,
    /// How to show progress on stderr
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub progress: ProgressMode,
    /// Print only errors
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more: work, residual, energies and counters of every frame
    #[arg(long, short)]
    pub verbose: bool,
}

/// Parses the interval between checkpoints; 0 for none.
fn checkpoint_frames(text: &str) -> Result<u32, String> {
    match text {
        "off" => Ok(0),
        _ => text.parse().map_err(|_| "a number of frames, for example 10, or `off`".to_owned()),
    }
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// A bar on a terminal, plain lines otherwise
    Auto,
    /// A bar with the remaining time; plain lines when stderr is no terminal
    Bar,
    /// One JSON object per line
    Json,
    /// Nothing
    None,
}

/// Arguments of `tuff check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Run some substeps and estimate how long all frames will take
    #[arg(long)]
    pub time: bool,
    /// Device whose memory the scene must fit, and which --time measures: index or part of its name
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
}

/// Arguments of `tuff preview`.
#[derive(Debug, Args)]
pub struct PreviewArgs {
    /// Folder of a run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Camera: eye and target [m], and the vertical field of view [degrees]
    #[arg(long, value_name = "X,Y,Z:X,Y,Z[:FOV]", allow_hyphen_values = true)]
    pub camera: Option<View>,
    /// Attribute that colors the particles: velocity, J, density, packing, id, material, or a state word
    #[arg(long, value_name = "NAME")]
    pub attribute: Option<String>,
    /// Size of the pictures [pixels]
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    pub size: Option<PictureSize>,
    /// Frames to draw, inclusive: 1-48 [default: all on disk]
    #[arg(long, value_name = "RANGE")]
    pub frames: Option<FrameRange>,
    /// Folder for the pictures [default: DIR/preview, whose pictures are replaced]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Movie to make from the pictures with ffmpeg; its extension determines the format
    #[arg(long, value_name = "FILE")]
    pub movie: Option<PathBuf>,
    /// Scene file of the run, if it has moved since
    #[arg(long, value_name = "SCENE")]
    pub scene: Option<PathBuf>,
    #[command(flatten)]
    pub library: LibraryArgs,
}

/// Arguments of `tuff graph`.
#[derive(Debug, Args)]
pub struct GraphArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Print a graph for Graphviz: tuff graph SCENE --dot | dot -Tsvg > graph.svg
    #[arg(long)]
    pub dot: bool,
}

/// Arguments of `tuff materials`.
#[derive(Debug, Args)]
pub struct MaterialsArgs {
    /// Model to explain
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    #[command(flatten)]
    pub library: LibraryArgs,
}

/// Arguments of `tuff presets`.
#[derive(Debug, Args)]
pub struct PresetsArgs {
    /// Preset to print
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// Parses the command line; help, version and usage errors end the process here.
pub fn parse() -> Command {
    let mut command = Cli::command();
    // Hashing the executable takes a moment, so other commands skip it.
    if std::env::args_os().any(|argument| argument == "--version") {
        command = command.long_version(version_details());
    }
    match Cli::from_arg_matches(&command.get_matches()) {
        Ok(cli) => cli.command,
        Err(error) => error.exit(),
    }
}

fn version_details() -> String {
    use tuff_material_sdk::abi::{ABI_MAJOR, ABI_MINOR};
    let build = if cfg!(debug_assertions) { "development" } else { "release" };
    format!(
        "{}\nbuild         {build}, {}-{}\nscene format  1\nmaterial ABI  {ABI_MAJOR}.{ABI_MINOR}\nexecutable    {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        crate::executable::hash().unwrap_or_else(|| "unknown".to_owned()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_tables_are_consistent() {
        Cli::command().debug_assert();
    }
}
