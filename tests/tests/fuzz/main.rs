//! Inputs derived from valid ones by random edits. The program must accept or reject each with a message of its own, quickly and in
//! little memory.
//!
//! Every run draws the same inputs. A failing input is shrunk, and its seed is kept in `proptest-regressions`, from which the next run
//! tries it first.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod edits;
mod meshes;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::test_runner::{
    Config, FileFailurePersistence, RngAlgorithm, TestCaseError, TestRng, TestRunner,
};
use tuff_tests::program::{Outcome, Place};

use edits::Edits;

/// Base number of inputs of each kind in the default run, of which each kind uses a multiple or a fraction; and the number in the named
/// run.
const MANY: u32 = 25;

/// Longest line of a message [bytes].
const LONGEST_LINE: usize = 1024;
/// Much longer than any of these inputs takes, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);
/// Address space of the program [KiB].
const MEMORY: u64 = 4 << 20;

/// Judges `cases` inputs that `run` creates from edits.
fn judge(name: &str, cases: u32, run: impl Fn(&Edits) -> (Outcome, Duration)) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/proptest-regressions").join(name);
    let file: &'static str = Box::leak(format!("{}.txt", file.display()).into_boxed_str());
    let config = Config {
        cases,
        max_shrink_iters: 100,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let judged = TestRunner::new_with_rng(config, random).run(&edits::any(), |edits| {
        let (outcome, took) = run(&edits);
        fault(&outcome, took).map_or(Ok(()), |fault| {
            Err(TestCaseError::fail(format!("{fault}\n{}\n{}", outcome.stdout, outcome.stderr)))
        })
    });
    if let Err(error) = judged {
        panic!("{name}: {error}");
    }
}

/// Describes what is wrong with the end of a command.
fn fault(outcome: &Outcome, took: Duration) -> Option<String> {
    let said = [&outcome.stdout, &outcome.stderr];
    let odd =
        |c: char| c.is_control() && !['\n', '\t'].contains(&c) || ('\u{202a}'..='\u{202e}').contains(&c);
    if ![0, 2].contains(&outcome.code) {
        return Some(format!("exit code {}", outcome.code));
    }
    if said.iter().any(|text| text.contains("panicked") || text.contains("internal error")) {
        return Some("a panic".to_owned());
    }
    if outcome.code == 2 && outcome.stderr.trim().is_empty() {
        return Some("refused without a word".to_owned());
    }
    if let Some(odd) = said.iter().flat_map(|text| text.chars()).find(|&c| odd(c)) {
        return Some(format!("{odd:?} reaches the terminal"));
    }
    if let Some(line) = said.iter().flat_map(|text| text.lines()).find(|line| line.len() > LONGEST_LINE) {
        return Some(format!("a line of {} bytes", line.len()));
    }
    (took > LONGEST).then(|| format!("it took {} s", took.as_secs()))
}

/// Runs `tuff` with these arguments in little memory, and returns how long it took.
fn tuff(place: &Place, arguments: &[&str]) -> (Outcome, Duration) {
    tuff_with(place, arguments, &[])
}

/// Like [`tuff`], with variables of the environment.
fn tuff_with(place: &Place, arguments: &[&str], variables: &[(&str, PathBuf)]) -> (Outcome, Duration) {
    let start = Instant::now();
    let mut command = std::process::Command::new("sh");
    // Libraries whose pointers are edited crash by where the system puts them: at the same place always, where it can be had.
    let script = format!(
        "ulimit -v {MEMORY}; if setarch -R true 2> /dev/null; then exec setarch -R \"$0\" \"$@\"; fi; exec \"$0\" \"$@\""
    );
    command.arg("-c").arg(script).arg(tuff_tests::program::tuff());
    let output = command
        .args(arguments)
        .current_dir(place.path(""))
        .env_remove("TUFF_MATERIAL_PATH")
        .envs(variables.iter().cloned())
        .output();
    (Outcome::of(output.unwrap()), start.elapsed())
}

/// Runs `tuff check` on a scene beside these files, with few particles.
fn check(scene: &[u8], files: &[(&str, &[u8])]) -> (Outcome, Duration) {
    check_by(&["check", "scene.toml", "--particles", "300"], scene, files)
}

/// Like [`check`], with as many particles as the file has points.
fn check_points(points: &[u8]) -> (Outcome, Duration) {
    check_by(&["check", "scene.toml"], meshes::scene_of_points().as_bytes(), &[("points.ply", points)])
}

fn check_by(arguments: &[&str], scene: &[u8], files: &[(&str, &[u8])]) -> (Outcome, Duration) {
    let place = Place::with("");
    fs::write(place.path("scene.toml"), scene).unwrap();
    for (name, content) in files {
        fs::write(place.path(name), content).unwrap();
    }
    tuff(&place, arguments)
}

fn check_mesh(name: &str, content: &[u8]) -> (Outcome, Duration) {
    check(meshes::scene(name).as_bytes(), &[(name, content), (meshes::BUFFER, &meshes::buffer())])
}

/// Returns the scenes that ship and need no other files; not those of `paper`, whose million particles would make every input slow.
fn scenes() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/scenes");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let scenes = files.iter().map(|file| fs::read_to_string(file).unwrap());
    scenes.filter(|scene| !scene.contains("mesh = {")).collect()
}

fn scenes_by_words(cases: u32) {
    let scenes = scenes();
    judge("scenes-by-words", cases, |edits| {
        check(edits.words(edits.pick::<String>(&scenes)).as_bytes(), &[])
    });
}

fn scenes_by_bytes(cases: u32) {
    let scenes = scenes();
    judge("scenes-by-bytes", cases, |edits| {
        check(&edits.bytes(edits.pick::<String>(&scenes).as_bytes()), &[])
    });
}

/// Edits meshes of all formats; text formats also by words.
fn meshes(cases: u32) {
    let meshes = meshes::all();
    judge("meshes", cases, |edits| {
        let (name, content) = edits.pick(&meshes);
        let content = match std::str::from_utf8(content) {
            Ok(text) if edits.coin() => edits.words(text).into_bytes(),
            _ => edits.bytes(content),
        };
        check_mesh(name, &content)
    });
}

fn points(cases: u32) {
    let points = meshes::points();
    judge("points", cases, |edits| check_points(&edits.bytes(&points)));
}

/// Returns a scene with its own preset, the preset, and its mesh.
fn scene_of_preset() -> (String, String, Vec<u8>) {
    let preset = Place::with("").tuff(&["presets", "wet_sand"]).stdout;
    let scene = meshes::scene("cube.obj").replace("\"dry_sand\"", "\"mine.toml\"");
    (scene, preset, meshes::all().remove(0).1)
}

fn presets(cases: u32) {
    let (scene, preset, cube) = scene_of_preset();
    judge("presets", cases, |edits| {
        let preset =
            if edits.coin() { edits.words(&preset).into_bytes() } else { edits.bytes(preset.as_bytes()) };
        check(scene.as_bytes(), &[("mine.toml", &preset), ("cube.obj", &cube)])
    });
}

fn libraries(cases: u32) {
    let program = tuff_tests::program::tuff();
    let name = format!("{}tuff_elastic{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = fs::read(program.with_file_name(name)).unwrap();
    judge("libraries", cases, |edits| {
        let place = Place::with("");
        fs::create_dir(place.path("plugins")).unwrap();
        fs::write(place.path("plugins/libtuff_odd.so"), edits.bytes(&library)).unwrap();
        // A cache of another run may remember that it survived, at another place in memory.
        let cache = [("TUFF_CACHE_DIR", place.path("cache"))];
        tuff_with(&place, &["materials", "--material-path", "plugins"], &cache)
    });
}

#[test]
fn two_hundred_inputs() {
    scenes_by_words(3 * MANY);
    scenes_by_bytes(MANY);
    meshes(2 * MANY);
    points(MANY);
    presets(MANY / 2);
    libraries(MANY / 2);
}

#[test]
#[ignore = "slow: minutes"]
fn thousands_of_inputs() {
    for (kind, cases) in [
        (scenes_by_words as fn(u32), 2000),
        (scenes_by_bytes, 1000),
        (meshes, 2000),
        (points, 500),
        (presets, 500),
        (libraries, 200),
    ] {
        kind(cases);
    }
}

/// Edits of inputs that are already rejected would show nothing.
#[test]
fn what_is_edited_is_valid() {
    for scene in scenes() {
        assert_eq!(check(scene.as_bytes(), &[]).0.code, 0);
    }
    for (name, content) in meshes::all() {
        let outcome = check_mesh(name, &content).0;
        assert_eq!(outcome.code, 0, "{name}: {outcome:?}");
    }
    let outcome = check_points(&meshes::points()).0;
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let (scene, preset, cube) = scene_of_preset();
    let outcome = check(scene.as_bytes(), &[("mine.toml", preset.as_bytes()), ("cube.obj", &cube)]).0;
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

/// The judge finds the faults that it is there for.
#[test]
fn faults_are_found() {
    let end = |code: i32, stdout: &str, stderr: &str| {
        let outcome = Outcome { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() };
        fault(&outcome, Duration::from_secs(1))
    };
    assert_eq!(end(0, "scene.toml is valid\n", ""), None);
    assert_eq!(end(2, "", "error: no\n  |\n"), None);
    for (code, stdout, stderr) in [
        (70, "", "error"),
        (134, "", ""),
        (2, "", " \n"),
        (2, "", "thread 'main' panicked at"),
        (0, "\u{1b}[31m", ""),
        (2, "", "a\u{202e}b"),
        (2, "", &"x".repeat(2000)),
    ] {
        assert!(end(code, stdout, stderr).is_some(), "{code} {stdout:?} {stderr:?}");
    }
    let slow = Outcome { code: 0, stdout: "valid".to_owned(), stderr: String::new() };
    assert!(fault(&slow, Duration::from_secs(61)).is_some());
}
