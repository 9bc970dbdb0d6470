//! Arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  tuff material new jelly                                      a plugin in Rust in the folder jelly, with tests and a scene
  tuff material new jelly --language c --out plugins/jelly
  tuff material eval von_mises --vectors von_mises.json        a model that ships against reference values
  tuff material check jelly --material-path target/release     the laws that every model must satisfy
  tuff material eval ./libtuff_jelly.so --vectors jelly.json   a library of your own
  tuff material plot drucker_prager --preset dry_sand          yield surface and stress-strain curves as SVG and PNG

Exit codes:
  0 done   1 a check failed or a comparison is above its tolerances   2 bad arguments, files or plugin
  3 no usable device or driver   5 a file could not be written";

const EVAL_HELP: &str = "\
FILE.json holds {\"meta\": {...}, \"vectors\": [item, ...]}. An item:

  sigma_trial  three principal stretches before the return mapping
  params       {name: value}: parameters by name or alias (E, nu, ...); others have their defaults
  state        {name: value}: state words before the step; others have their initial values
  dt           s; may be absent for a model that claims to be rate independent
  sigma        expected stretches after the return mapping
  tau, psi     expected principal Kirchhoff stresses and energy density at sigma, with the state before the step, Pa (optional)
  state_out    {name: value}: expected state words (optional)
  id, tag      names for the report; near_boundary: true near a border between cases (optional)

meta.model may be a word of one of the model's choices (`neo_hookean`), or the model's id and such a word (`nacc_published`);
it selects that choice. Stretches are limited to meta.constants.SIGMA_MIN and SIGMA_MAX (0.01 and 100) as in the engine, unless an
expected stretch lies outside. Unknown keys of items are refused; meta.other lists those that are for other programs. lambda and alpha
are ignored unless the model has parameters of these names, mu and kappa if E is given.

Deviations: ln s' absolute; tau and psi in units of (2 mu + 3 kappa) max(1, s^2, J^2); a state word in Pa in units of 2 mu,
one that starts at 1 relative, others in units of the larger of 1 and the word itself.";

const PLOT_HELP: &str = "\
Pictures, each as SVG and PNG, and all of them on one sheet (ID_overview):

  yield     border between elastic and plastic in p-q; the dots are where the return mapping puts the trial states at the
            other ends of the grey lines
  uniaxial  tension and compression with free sides
  shear     simple shear; if strength depends on pressure, at constant volume from the cell pressure
  cyclic    tension and compression in turns; if strength depends on pressure, under the cell pressure
  triaxial  compressed from all sides, then shortened: drained (constant lateral stress) and undrained (constant volume)
  flow      stress of steady shear over its rate, for rate-dependent models

Whole-tensor models (viscoelastic, orthotropic) have uniaxial, shear and cyclic (the third cycle), along x, y and z if they are
anisotropic; in shear of x over y, matter moves along x in proportion to y. Rate-dependent ones also have:

  relaxation  stress over time after a sudden stretch that is held
  creep       log strain over time under a sudden load that is held, in force per undeformed area: the load that the material
              bears for long at --strain

p = -tr/3 is positive in compression; q = across - along, sqrt(3/2) |dev|, is positive in compression along the axis. Cauchy stress
is force per current area, as measured by a testing machine; Kirchhoff stress is Cauchy stress times J, the volume per undeformed
volume, and the stress in which models write their yield conditions.

Without --preset and --params the first preset of the model is used (`tuff presets` lists them). The second set is the first one with
the changes of --compare, or another preset. NAME=none removes a value, for parameters that exclude each other.

Examples:
  tuff material plot von_mises
  tuff material plot drucker_prager --preset dry_sand --compare friction_angle=20
  tuff material plot nacc --preset powder_snow --compare-preset table2_hitman --curves yield,triaxial
  tuff material plot herschel_bulkley --params E=1e4 nu=0.45 yield_stress=50 power=0.5 consistency=10 --rates 1,100
  tuff material plot viscoelastic --preset memory_foam --compare-preset flesh --curves cyclic,relaxation
  tuff material plot ./libtuff_jelly.so --params stiffness=2e4 --out pictures";
const DRIVE_HELP: &str = "\
The path is a CSV table with a header. Each row is reached from the one before it (the first from rest) in even increments:

  time                   s, at the end of the row; without it every row takes 1 s
  strain_xx ... _xy      strain since the start: ln of the stretch along x, y and z; half of the angle in yz, xz and xy
  dstrain_xx ... _xy     the same, since the row before
  stress_xx ... _xy      Cauchy stress, force per current area, Pa; positive in tension
  steps                  number of increments [default: --steps]

A row gives one of the three for each of xx, yy and zz, and leaves the cells of the others empty; a component of shear that it does not
give is held. x, y and z are short for xx, yy and zz. Matter is strained without rotation. A stress that the matter cannot bear ends the
test: what came before is written, and the exit code is 1.

An oedometer, and a triaxial test that first compresses the sand from all sides:

  time,strain_x,strain_y,strain_z        time,dstrain_x,stress_x,stress_y,stress_z
  1,-0.02,0,0                            1,,-1e3,-1e3,-1e3
  2,-0.01,0,0                            11,-0.1,,-1e3,-1e3

Lines that begin with # are left out.

The result has a row per increment: time, strains and stresses, volume (relative to the start), p = -tr sigma / 3, q = sqrt(3/2) |dev
sigma|, energy (density at rest volume, Pa) and the state words after it. As in the engine, stress and energy belong to the state words
before the increment: where matter hardens, more steps bring them closer. In f64, without particles or a solver.

Without --params, --preset and --scene the first preset of the model is used (`tuff presets` lists them); what is used is printed.

Examples:
  tuff material drive drucker_prager triaxial.csv --preset dry_sand --out triaxial_result.csv
  tuff material drive snow oedometer.csv --scene scene.toml --material powder
  tuff material drive ./libtuff_jelly.so path.csv --params stiffness=2e4 --vectors kept.json
  tuff material eval ./libtuff_jelly.so --vectors kept.json           # later: has anything changed? And does the GLSL agree?";

const CHECK_HELP: &str = "\
What is checked, with usual parameters, every parameter at the ends of its range (--set fixes one), pairs and random sets, for new matter and
for matter that has been loaded, at strains from 1e-5 to 1 and at the engine's limits, stretches of 0.01 and 100:

  usable at rest           prepare accepts usual parameters; energy, stress and moduli at rest are finite
  parameter ranges         the model can be used with every parameter at both ends of its range
  parameters together      the model can be used with two parameters at a time away from their defaults, and with random sets
  rest                     no energy and no stress at zero strain, which project leaves unchanged
  finite answers           f64, and GLSL; forget within 0 to 1; a stable step
  energy against stress    kirchhoff is the derivative of energy, by central differences
  stress of a batch        the optional function for several particles is kirchhoff of project, one by one
  energy not negative      f64, and GLSL
  moduli at rest           they are the slopes of kirchhoff
  projected twice *        a projected strain stays: it is on or inside the yield surface of the new or of the old state
  on the yield surface *   after flow, neighboring strains would flow: project does not go too far
  ..., in the end          both for models that flow slowly, after 1e15 s, with usual parameters
  unloading is elastic     a strain that project leaves unchanged stays unchanged when it is scaled towards rest
  isotropy *               the three strains may be permuted
  objectivity              rotated strain gives rotated stress: by construction in f64, through the engine's shaders in GLSL
  volume *                 project keeps the sum of the Hencky strains
  no energy gain *         project never raises the energy
  forget factor            forget is min(1, |dev projected| / |dev trial|), and 0 at a tip
  constants in range       no index of a constant is beyond those that the descriptor declares, in f64 and in GLSL
  rate independence *      dt does not matter; without the claim, dt = 0, 1 ns and 1 s give finite answers, and flow
                           at dt = 0 is noted (eval checks how fast matter flows)
  J -> 0, inverted, huge   finite answers at the limits; inverted matter has stretches of 0.01
  NaN and infinite strain  every call returns; a note if one panics, or hides NaN
  same answers again       the same bits, also from two threads and two launches
  compiles, f32 ...        the GLSL gives what the f64 code gives, beyond what rounding the arguments explains; both answers are shown
                           where it does not
  macros                   a note on those that live on after the GLSL text; the engine ends them
  names                    functions, constants and structs of the GLSL begin with the model's id
  stages of a run          the GLSL compiles in every stage of both schemes
  cases, state words       which cases of project were reached, and how often; a note on state words that nothing changes
  time step, parameters    notes on a dt or a parameter that changes no answer
  cost                     ns a projection, roughly

For whole-tensor models, whose particles have strain, branch and F along random directions, common or separate:

  energy against stress    respond's energy is the potential of its stress when strain, branch and F are carried along
  moduli at rest           they bound the slopes of respond's stress at rest in every direction of strain; a note if they are
                           10 times the slopes
  objectivity              answers rotate with the particle and do not depend on the order of the axes, in f64 and in GLSL
  axes                     the axes that advance returns are perpendicular unit vectors
  isotropy *               a rotation before the strain does not matter; a note if this holds without the claim
  volume *                 advance keeps the sums of the Hencky strains of strain and branch
  advanced twice           the result of advance stays; without the claim of rate independence, in steps of length 0
  no energy gain *         stored after advance <= respond's energy <= stored before it: a step stores or loses energy, and adds none
  needs                    no answer depends on a branch or F that the descriptor does not ask for; a note on an unused one

* if the descriptor claims it; yield surfaces if it claims rate independence.

The library runs in a separate process: a call that crashes or hangs is reported with its arguments. Deviations of strains are
absolute, those of stress and energy in units of (2 mu + 3 kappa) max(1, s^2, J^2), against derivatives and in f32 times the strain.
For f32, only deviations beyond 4 times the effect of rounding the arguments count, and trials near borders between cases are left out.";

/// The kit for material libraries.
#[derive(Debug, Parser)]
#[command(name = "tuff material", bin_name = "tuff material", version, after_help = EXAMPLES, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a plugin to start from: a small model with tests, reference values and a scene.
    New(NewArgs),
    /// Compare a model with reference values, in f64 and through its GLSL on a device.
    #[command(after_help = EVAL_HELP)]
    Eval(EvalArgs),
    /// Draw what a material does: yield surface, tension, shear, cycles, triaxial test, flow, relaxation; two in one picture.
    #[command(after_help = PLOT_HELP)]
    Plot(PlotArgs),
    /// Drive a material along a path of strains and stresses from a file, and write what it does as CSV, and as reference values for eval.
    #[command(after_help = DRIVE_HELP)]
    Drive(DriveArgs),
    /// Run a library alone and check the laws that every model must satisfy, and those that it claims.
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
}

/// Arguments of `new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Id of the model: the name in scenes, `[a-z][a-z0-9_]*`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Language of the plugin
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    pub language: Language,
    /// Folder to write to, new or empty [default: the id]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// What a plugin is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// With a copy of the SDK; needs cargo
    Rust,
    /// With the C header; needs make and a C compiler
    C,
}

/// Arguments of `eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Library file, or id of a model on the search path
    #[arg(value_name = "LIB|ID")]
    pub model: String,
    /// Reference values
    #[arg(long, value_name = "FILE.json")]
    pub vectors: PathBuf,
    /// Write the largest deviations as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Device by index or part of its name (see `tuff devices`), or `none` for f64 alone
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Tolerance on the device: strain, stress, energy or state = VALUE [default: 5e-6, 1e-5, 1e-5; states 1e-5,
    /// those in Pa 1e-6]
    #[arg(long, value_name = "FIELD=VALUE", value_parser = parse_tolerance)]
    pub tolerance: Vec<(Field, f64)>,
    /// Tolerance of every field in f64
    #[arg(long, value_name = "VALUE", default_value_t = 1e-12, value_parser = parse_positive)]
    pub tolerance_f64: f64,
    /// Strictness on the device for items marked near_boundary [default: strict; nacc loose, published nacc skip]
    #[arg(long, value_enum)]
    pub borders: Option<Borders>,
    /// Folder with material libraries, or one library; searched first. Also: TUFF_MATERIAL_PATH
    #[arg(long, value_name = "DIR")]
    pub material_path: Vec<PathBuf>,
}

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub struct PlotArgs {
    /// Library file, or id of a model on the search path
    #[arg(value_name = "LIB|ID")]
    pub model: String,
    /// Parameters by name or alias; others have their defaults, or the preset's values
    #[arg(long, value_name = "NAME=VALUE", num_args = 1.., value_parser = parse_assignment)]
    pub params: Vec<(String, String)>,
    /// Material to start from: one that ships, or a file *.toml
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub preset: Option<String>,
    /// A second set in the same pictures: the first with these changes
    #[arg(long, value_name = "NAME=VALUE", num_args = 1.., value_parser = parse_assignment)]
    pub compare: Vec<(String, String)>,
    /// A second set in the same pictures: this preset
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub compare_preset: Option<String>,
    /// Pictures to draw [default: those in which the model has something to show]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    pub curves: Vec<CurveKind>,
    /// Strain rates for models that depend on it, 1/s [default: 0.1,1,10]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = parse_positive)]
    pub rates: Vec<f64>,
    /// Cell pressure, Pa [default: half of what crushes the material, or 0.5 % of its bulk modulus]
    #[arg(long, value_name = "PA", value_parser = parse_positive, allow_negative_numbers = true)]
    pub pressure: Option<f64>,
    /// Log strain along the axis at the end of curves [default: 15 times that of first yield, at most 0.5; 0.3 for whole-tensor
    /// models]
    #[arg(long, value_name = "STRAIN", value_parser = parse_strain, allow_negative_numbers = true)]
    pub strain: Option<f64>,
    /// Folder for the pictures
    #[arg(long, value_name = "DIR", default_value = "plots")]
    pub out: PathBuf,
    /// Folder with material libraries, or one library; searched first. Also: TUFF_MATERIAL_PATH
    #[arg(long, value_name = "DIR")]
    pub material_path: Vec<PathBuf>,
}

/// Arguments of `drive`.
#[derive(Debug, Args)]
pub struct DriveArgs {
    /// Library file, or id of a model on the search path
    #[arg(value_name = "LIB|ID")]
    pub model: String,
    /// Path of strains and stresses
    #[arg(value_name = "PATH.csv")]
    pub path: PathBuf,
    /// Parameters by name or alias; others have their defaults, or the preset's or scene's values
    #[arg(long, value_name = "NAME=VALUE", num_args = 1.., value_parser = parse_assignment)]
    pub params: Vec<(String, String)>,
    /// Material to start from: one that ships, or a file *.toml
    #[arg(long, value_name = "NAME|FILE.toml", conflicts_with = "scene")]
    pub preset: Option<String>,
    /// Scene that the parameters are read from
    #[arg(long, value_name = "SCENE.toml")]
    pub scene: Option<PathBuf>,
    /// Material of the scene [default: the only one of this model]
    #[arg(long, value_name = "NAME", requires = "scene")]
    pub material: Option<String>,
    /// Increments per row of the path, unless its column `steps` says otherwise
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: u32,
    /// Write the result to a file [default: standard output]
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Write every increment as a reference value for `eval`
    #[arg(long, value_name = "FILE.json")]
    pub vectors: Option<PathBuf>,
    /// Folder with material libraries, or one library; searched first. Also: TUFF_MATERIAL_PATH
    #[arg(long, value_name = "DIR")]
    pub material_path: Vec<PathBuf>,
}

/// A picture of `plot`, in the order on the overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum CurveKind {
    /// Yield surface
    Yield,
    /// Tension and compression
    Uniaxial,
    /// Simple shear
    Shear,
    /// Cyclic loading
    Cyclic,
    /// Triaxial test
    Triaxial,
    /// Stress over shear rate
    Flow,
    /// Stress over time while a strain is held
    Relaxation,
    /// Strain over time while a load is held
    Creep,
}

impl CurveKind {
    /// Returns the name in file names and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yield => "yield",
            Self::Uniaxial => "uniaxial",
            Self::Shear => "shear",
            Self::Cyclic => "cyclic",
            Self::Triaxial => "triaxial",
            Self::Flow => "flow",
            Self::Relaxation => "relaxation",
            Self::Creep => "creep",
        }
    }
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Library file, or id of a model on the search path
    #[arg(value_name = "LIB|ID")]
    pub model: String,
    /// Fix a parameter, by name or alias; the others have usual values and the ends of their ranges
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_assignment)]
    pub set: Vec<(String, String)>,
    /// Leave out a word or position of a parameter, for a variant known to break the model's claims
    #[arg(long, value_name = "NAME=WORD", value_parser = parse_assignment)]
    pub without: Vec<(String, String)>,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Device by index or part of its name (see `tuff devices`), or `none` for f64 alone
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Folder with material libraries, or one library; searched first. Also: TUFF_MATERIAL_PATH
    #[arg(long, value_name = "DIR")]
    pub material_path: Vec<PathBuf>,
    /// Time after which a call counts as endless; work on a device has 12 times as long
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = parse_positive)]
    pub call_limit: f64,
    /// Folder to which the process that runs the library writes
    #[arg(long, hide = true, value_name = "DIR")]
    pub worker: Option<PathBuf>,
}

/// A compared quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Field {
    /// ln s'
    Strain,
    /// tau
    Stress,
    /// psi
    Energy,
    /// State words
    State,
}

/// Strictness on the device for items near a border between cases, where f32 may take the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Borders {
    /// Compared like all others
    Strict,
    /// Strain, stress and energy within 5e-4, the state not compared: a root amplifies rounding there
    Loose,
    /// Not compared: the law jumps there
    Skip,
}

/// Parses the command line; help, version and usage errors end the process here.
pub fn parse() -> Command {
    Cli::parse().command
}

fn parse_tolerance(text: &str) -> Result<(Field, f64), String> {
    let (field, value) = text.split_once('=').ok_or("expected FIELD=VALUE, for example strain=1e-5")?;
    let field = Field::from_str(field, false)
        .map_err(|_| format!("no field is called {field:?}; allowed are strain, stress, energy and state"))?;
    Ok((field, parse_positive(value)?))
}

fn parse_assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE, for example youngs_modulus=1e5".to_owned()),
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| format!("{text:?} is not a positive number"))
}

/// Limited to e^3, 20 times the length.
fn parse_strain(text: &str) -> Result<f64, String> {
    let strain = parse_positive(text)?;
    if strain <= 3.0 { Ok(strain) } else { Err(format!("{strain} is more than 3, a stretch of 20")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_argument_tables_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn tolerances_are_named_and_positive() {
        assert_eq!(parse_tolerance("state=2e-5"), Ok((Field::State, 2e-5)));
        assert!(parse_tolerance("stress").unwrap_err().contains("FIELD=VALUE"));
        assert!(parse_tolerance("speed=1").unwrap_err().contains("strain, stress, energy and state"));
        for value in ["0", "-1", "nan", "inf", "x"] {
            assert!(parse_tolerance(&format!("strain={value}")).unwrap_err().contains("positive"), "{value}");
        }
    }
}
