//! SIGHUP and SIGINT ended runs that were started with both ignored, as by `nohup`; SIGTERM was ignored while a scene loaded; a file
//! beyond the user's limit killed the process; a second Ctrl-C left run.json "running".
#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tuff_tests::program::{Outcome, Place, SCENE, tuff};

const RUN: &str = "run scene.toml --device reference --frames 1-100000";

/// Builds a shell command in the folder, in which `TUFF` is the program.
fn shell(place: &Place, command: &str) -> Command {
    let mut shell = Command::new("sh");
    let template = place.command(&[]);
    shell.args(["-c", command]).env("TUFF", tuff()).current_dir(place.path("."));
    shell.envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

fn send(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_ignored_at_the_start_stays_ignored() {
    let place = Place::with(SCENE);
    let frames = || fs::read_dir(place.path("out/cube/particles")).map_or(0, Iterator::count);
    let child = shell(&place, &format!("trap '' HUP INT; exec \"$TUFF\" {RUN}")).spawn().unwrap();
    wait_until("no second frame", || frames() >= 2);
    send("-HUP", child.id());
    send("-INT", child.id());
    let then = frames();
    wait_until("no frame after the signals", || frames() > then + 2);
    send("-TERM", child.id());
    Outcome::of(child.wait_with_output().unwrap()).expect(75, &["interrupted"]);
    let manifest: Value =
        serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap();
    assert_eq!(manifest["status"]["state"], "interrupted");
}

/// A named pipe without a writer stands for a mesh on a hanging server.
#[test]
fn a_run_that_loads_ends_at_once() {
    let place = Place::with(SCENE);
    assert!(Command::new("mkfifo").arg(place.path("pipe.toml")).status().unwrap().success());
    let mut child = shell(&place, "exec \"$TUFF\" run pipe.toml").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "it waits for the pipe");
    send("-TERM", child.id());
    wait_until("still running", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(75));
}

#[test]
fn a_file_beyond_the_limit_is_an_error() {
    let place = Place::with(SCENE);
    let child = shell(&place, &format!("ulimit -f 8; exec \"$TUFF\" {RUN}")).spawn().unwrap();
    Outcome::of(child.wait_with_output().unwrap()).expect(5, &["cannot write", "File too large"]);
    let left = fs::read_dir(place.path("out/cube/particles")).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| name.ends_with(".ply") && !name.starts_with('.')), "{names:?}");
}

/// Both signals wait in a stopped process, so no substep can end between them.
#[test]
fn the_second_signal_ends_a_run_and_run_json_is_true() {
    let place = Place::with(SCENE);
    let mut child = shell(&place, &format!("exec \"$TUFF\" {RUN} --particles 20000")).spawn().unwrap();
    wait_until("no first frame", || place.path("out/cube/particles/cube.0001.ply").exists());
    let manifest =
        || -> Value { serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap() };
    assert_eq!(manifest()["status"]["state"], "running");
    wait_until("no frame is listed", || manifest()["frames"].as_array().is_some_and(|all| !all.is_empty()));
    for signal in ["-STOP", "-INT", "-TERM", "-CONT"] {
        send(signal, child.id());
    }
    assert_eq!(child.wait().unwrap().code(), Some(75));
    let manifest = manifest();
    assert_eq!(manifest["status"]["state"], "interrupted");
    assert_eq!(manifest["status"]["exit_code"], 75);
    assert_eq!(manifest["status"]["message"], "interrupted twice and ended at once");
    let listed = manifest["frames"].as_array().unwrap().len();
    let written = fs::read_dir(place.path("out/cube/particles")).unwrap().count();
    assert!((1..=written).contains(&listed) && written <= listed + 1, "{listed} of {written}");
}
