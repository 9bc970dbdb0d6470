//! Set-up, demo, test, ci, scenes, soak, bench and install: `cargo xtask COMMAND`.
//!
//! Uses the standard library alone, because it runs before anything is installed.

mod clients;
mod docs;
mod process;
mod setup;
mod workspace;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use process::{Failure, run};
use workspace::Workspace;

const HELP: &str = "\
Usage: cargo xtask COMMAND

Commands:
  demo              install what is missing, build, and simulate a collapsing sand column into out/sand_column
  test              install what is missing, build, and run all default tests
  ci                formatting, spelling, lints, docs and generated files, then the same tests
  validate [CARD...] [--quick]
                    run the benchmarks of mechanics, all or some, and write out/validation/report.html; a card that was
                    run at this commit is not repeated (arguments go to tuff-validate: --list, --again ...)
  paper [FIG...] [--quick]
                    the same for figures of the XPBI paper: 4, 8 to 11, 13 to 19, inset (friction angles), table2
  scenes [--seed N] [--count M]
                    run random scenes, such as a careless user might write, and check what must hold in any scene: 200
                    take an hour on two cores (arguments go to tuff-scenes: --print, --out DIR ...)
  soak [SUBSTEPS]   let settled sand and plasticine rest for 200000 substeps each (or SUBSTEPS, at least 40): an hour
                    or more on two cores
  bench [ARG...]    run the benchmarks in release (arguments go to tuff-bench)
  install [--prefix DIR]
                    copy tuff, tuff-material and tuff-profile to DIR/bin and the materials to DIR/lib/tuff/materials
                    (default: $HOME/.local)

Options:
  --no-setup        install nothing and check nothing: build with what is installed

On Debian and Ubuntu a missing compiler, Vulkan driver or shader library is installed with apt-get when you
are root or may use sudo without a password; otherwise the command to run is printed and xtask stops with
exit status 2.";

/// Number of particles in the demo: all frames take less than a minute on two cores.
const DEMO_PARTICLES: &str = "5000";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let with_setup = !take_flag(&mut arguments, "--no-setup");
    let command = if arguments.is_empty() { "help".to_owned() } else { arguments.remove(0) };
    let outcome = match command.as_str() {
        "demo" => no_more(&arguments).and_then(|()| demo(&Workspace::here()?, with_setup)),
        "test" => no_more(&arguments).and_then(|()| test(&Workspace::here()?, with_setup)),
        "ci" => no_more(&arguments).and_then(|()| ci(&Workspace::here()?, with_setup)),
        "soak" => soak_substeps(&arguments).and_then(|n| soak(&Workspace::here()?, with_setup, n)),
        "bench" => Workspace::here().and_then(|w| bench(&w, with_setup, &arguments)),
        "validate" => Workspace::here().and_then(|w| validate(&w, with_setup, &[], &arguments)),
        "paper" => Workspace::here().and_then(|w| validate(&w, with_setup, &["--paper"], &arguments)),
        "scenes" => Workspace::here().and_then(|w| scenes(&w, with_setup, &arguments)),
        "install" => prefix(&arguments).and_then(|p| install(&Workspace::here()?, with_setup, &p)),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(Failure::usage(format!("unknown command \"{other}\"\n\n{HELP}"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {}", failure.message);
            ExitCode::from(failure.status)
        }
    }
}

fn demo(workspace: &Workspace, with_setup: bool) -> Result<(), Failure> {
    set_up_processor(with_setup)?;
    build_release(workspace)?;
    let start = Instant::now();
    let out = Path::new("out/sand_column");
    let mut tuff = workspace.command(workspace.release_binary("tuff"));
    tuff.args(["run", "configs/scenes/sand_column.toml", "--overwrite", "--out"]).arg(out);
    tuff.args(["--particles", DEMO_PARTICLES]);
    run(&mut tuff)?;
    println!();
    println!("The sand column took {:.0} s.", start.elapsed().as_secs_f64());
    println!("  pictures  {}", out.join("preview").display());
    println!("  frames    {} (PLY: README says what reads it)", out.join("particles").display());
    println!("  numbers   {}", out.join("run.json").display());
    Ok(())
}

fn test(workspace: &Workspace, with_setup: bool) -> Result<(), Failure> {
    set_up(with_setup)?;
    // The tests load the material libraries without depending on them: build everything first, with the features that it has in tests, so
    // that nothing is built twice.
    run(workspace.cargo().args(["build", "--workspace", "--all-targets", "--locked"]))?;
    let mut tests = workspace.cargo();
    tests.args(["test", "--workspace", "--locked"]);
    tests.envs([
        ("TUFF_REQUIRE_GPU", "1"),
        ("TUFF_VALIDATION", "1"),
        ("LP_NUM_THREADS", "1"),
        ("TUFF_BUILT", "1"),
    ]);
    if let Some(python) = clients::python(&workspace.target().join("clients"), with_setup) {
        tests.env(clients::VARIABLE, python);
    }
    run(&mut tests)?;
    // Equal bits once more, with all threads of the software driver.
    let mut threaded = workspace.cargo();
    threaded.args(["test", "--workspace", "--test", "parity", "--locked", "--", "identical"]);
    threaded.envs([("TUFF_REQUIRE_GPU", "1"), ("TUFF_VALIDATION", "1"), ("TUFF_BUILT", "1")]);
    run(&mut threaded)
}

fn ci(workspace: &Workspace, with_setup: bool) -> Result<(), Failure> {
    set_up(with_setup)?;
    run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    check_spelling(workspace, with_setup)?;
    run(workspace.cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))?;
    docs::check(workspace)?;
    check_layouts(workspace)?;
    test(workspace, with_setup)
}

/// Checks the spelling of all files, if the checker could be installed.
fn check_spelling(workspace: &Workspace, with_setup: bool) -> Result<(), Failure> {
    let Some(typos) = clients::typos(&workspace.target().join("spelling"), with_setup) else {
        eprintln!("xtask: spelling is not checked: typos is not installed");
        return Ok(());
    };
    run(workspace.command(typos).args(["--config", "tools/xtask/typos.toml"]))
}

/// Checks that the shader headers generated from Rust tables are up to date.
fn check_layouts(workspace: &Workspace) -> Result<(), Failure> {
    // A package alone would have other features than in the tests, and be built for them once more.
    run(workspace.cargo().args(["build", "--workspace", "--example", "layouts", "--locked"]))?;
    let program = format!("debug/examples/layouts{}", std::env::consts::EXE_SUFFIX);
    run(workspace.command(workspace.target().join(program)).arg("--check"))
}

fn soak(workspace: &Workspace, with_setup: bool, substeps: u32) -> Result<(), Failure> {
    set_up(with_setup)?;
    run(workspace
        .cargo()
        .args(["test", "-p", "tuff-tests", "--test", "soak", "--", "--ignored"])
        .envs([("TUFF_REQUIRE_GPU", "1"), ("TUFF_SOAK_SUBSTEPS", substeps.to_string().as_str())]))
}

fn bench(workspace: &Workspace, with_setup: bool, arguments: &[String]) -> Result<(), Failure> {
    set_up(with_setup)?;
    build_release(workspace)?;
    run(workspace.cargo().args(["build", "--release", "-p", "tuff-bench"]))?;
    run(workspace.command(workspace.release_binary("tuff-bench")).args(arguments))
}

fn scenes(workspace: &Workspace, with_setup: bool, arguments: &[String]) -> Result<(), Failure> {
    set_up(with_setup)?;
    build_release(workspace)?;
    run(workspace.cargo().args(["build", "--release", "-p", "tuff-scenes"]))?;
    run(workspace.command(workspace.release_binary("tuff-scenes")).args(arguments))
}

fn validate(
    workspace: &Workspace,
    with_setup: bool,
    first: &[&str],
    arguments: &[String],
) -> Result<(), Failure> {
    set_up(with_setup)?;
    build_release(workspace)?;
    run(workspace.cargo().args(["build", "--release", "-p", "tuff-validate"]))?;
    let mut command = workspace.command(workspace.release_binary("tuff-validate"));
    command.args(first).args(arguments);
    if let Some(commit) = workspace.commit() {
        command.env("TUFF_COMMIT", commit);
    }
    run(&mut command)
}

fn install(workspace: &Workspace, with_setup: bool, prefix: &Path) -> Result<(), Failure> {
    set_up_processor(with_setup)?;
    build_release(workspace)?;
    let materials = prefix.join("lib/tuff/materials");
    run(workspace.cargo().args(["build", "--release", "-p", "tuff-material"]))?;
    for program in ["tuff", "tuff-material", "tuff-profile"] {
        copy(&workspace.release_binary(program), &prefix.join("bin"))?;
    }
    for package in workspace.materials()? {
        copy(&workspace.release_library(&package), &materials)?;
    }
    println!("Installed {} and the materials in {}.", prefix.join("bin/tuff").display(), materials.display());
    let on_path = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder == prefix.join("bin")));
    if !on_path {
        println!("Add {} to PATH to call tuff from anywhere.", prefix.join("bin").display());
    }
    Ok(())
}

fn set_up(wanted: bool) -> Result<(), Failure> {
    if wanted { setup::ensure(true) } else { Ok(()) }
}

/// Sets up what is needed to build the programs and to run them on the processor.
fn set_up_processor(wanted: bool) -> Result<(), Failure> {
    if wanted { setup::ensure(false) } else { Ok(()) }
}

/// Builds the command line, its profiler and all material libraries in release mode.
fn build_release(workspace: &Workspace) -> Result<(), Failure> {
    let mut build = workspace.cargo();
    build.args(["build", "--release", "-p", "tuff", "-p", "tuff-profile"]);
    for package in workspace.materials()? {
        build.args(["-p", &package]);
    }
    run(&mut build)
}

/// Copies a file into a folder via a temporary name, because a running program may be using the old file.
fn copy(from: &Path, folder: &Path) -> Result<(), Failure> {
    let name = from.file_name().unwrap_or_default();
    let to = folder.join(name);
    let temporary = folder.join(format!(".{}.new", name.to_string_lossy()));
    let copied = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::copy(from, &temporary))
        .and_then(|_| std::fs::rename(&temporary, &to));
    copied.map_err(|e| Failure::new(format!("cannot copy {} to {}: {e}", from.display(), to.display())))
}

fn take_flag(arguments: &mut Vec<String>, flag: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|a| a != flag);
    arguments.len() < before
}

fn no_more(arguments: &[String]) -> Result<(), Failure> {
    match arguments.first() {
        None => Ok(()),
        Some(argument) => Err(Failure::usage(format!("unexpected argument \"{argument}\"\n\n{HELP}"))),
    }
}

fn soak_substeps(arguments: &[String]) -> Result<u32, Failure> {
    match arguments {
        [] => Ok(200_000),
        [one] => one.parse().ok().filter(|&count| count >= 40).ok_or_else(|| {
            Failure::usage(format!("soak takes a number of substeps, at least 40, not \"{one}\""))
        }),
        [_, more, ..] => Err(Failure::usage(format!("unexpected argument \"{more}\"\n\n{HELP}"))),
    }
}

fn prefix(arguments: &[String]) -> Result<PathBuf, Failure> {
    match arguments {
        [] => std::env::var_os("HOME").map(|home| Path::new(&home).join(".local")).ok_or_else(|| {
            Failure::usage("HOME is not set; choose the folder to install to with --prefix DIR".to_owned())
        }),
        [flag, folder] if flag == "--prefix" => Ok(PathBuf::from(folder)),
        [one] if one.starts_with("--prefix=") => Ok(PathBuf::from(&one["--prefix=".len()..])),
        _ => Err(Failure::usage("install takes only --prefix DIR".to_owned())),
    }
}
