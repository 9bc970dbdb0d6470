//! Arguments, help, and the commands that need no scene.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::{Place, SCENE};

#[test]
fn help_and_version_teach() {
    let place = Place::with(SCENE);
    let help = place.tuff(&["--help"]);
    for word in ["Examples:", "Exit codes:", "tuff run", "75"] {
        assert!(help.stdout.contains(word), "{word}: {}", help.stdout);
    }
    assert_eq!(help.code, 0);
    let run = place.tuff(&["run", "--help"]);
    for word in ["--set", "--particles", "--frames", "--overwrite", "Examples:"] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    let version = place.tuff(&["--version"]);
    assert!(version.code == 0 && version.stdout.contains("material ABI"), "{version:?}");
}

#[test]
fn wrong_arguments_exit_with_2() {
    let place = Place::with(SCENE);
    place.tuff(&[]).expect(2, &["Usage"]);
    place.tuff(&["run"]).expect(2, &["SCENE"]);
    place.tuff(&["run", "scene.toml", "--particles", "0"]).expect(2, &["--particles"]);
    place.tuff(&["run", "scene.toml", "--progress", "loud"]).expect(2, &["auto", "json"]);
    place.tuff(&["nonsense"]).expect(2, &["nonsense", "materials", "tuff-nonsense"]);
    place.tuff(&["check", "scene.toml", "--set", "no_equals_sign"]).expect(2, &["no_equals_sign", "="]);
    place
        .tuff(&["check", "scene.toml", "--set", "time.max_substeps=1e-3"])
        .expect(2, &["max_substeps", "max_substep"]);
    place.tuff(&["check", "scene.toml", "--set", "material.mud.density=1"]).expect(2, &["mud", "sand"]);
}

#[test]
fn frame_ranges_that_cannot_be_are_refused() {
    let place = Place::with(SCENE);
    let run = |range: &str| place.tuff(&["run", "scene.toml", "--device", "reference", "--frames", range]);
    run("3-1").expect(2, &["reversed", "1-3"]);
    run("2-3").expect(2, &["first frame", "1-3"]);
    run("one").expect(2, &["one", "1-48"]);
    assert!(!place.path("out").exists());
}

#[test]
fn a_check_counts_the_work_of_all_frames() {
    let place = Place::with(SCENE);
    let check = place.tuff(&["check", "scene.toml"]);
    // A lattice of 4^3 points has (4 + 3 + 3)^3 - 4^3 = 936 ordered pairs closer than two spacings; a frame of 5 substeps visits them in
    // 2 iterations each, and two frames follow the initial state.
    let expected = "9.36 k neighbor-pair-iterations per frame, 18.7 k in all";
    assert!(check.stdout.contains("5 of 2.000e-3 s per frame, 10 in all"), "{check:?}");
    assert!(check.stdout.contains(expected), "{check:?}");
    let elsewhere = place.tuff(&["check", "scene.toml", "--device", "nowhere"]);
    // Without any device, the message says so.
    assert!(
        elsewhere.code == 3
            && ["\"nowhere\"", "no Vulkan driver"].iter().any(|words| elsewhere.stderr.contains(words)),
        "{elsewhere:?}"
    );
    place.tuff(&["check", "scene.toml", "--time", "--device", "reference"]).expect(2, &["Vulkan", "`cpu`"]);
    let timed = place.tuff(&["check", "scene.toml", "--time", "--device", "cpu"]);
    assert!(timed.code == 0 && timed.stdout.contains("on cpu"), "{timed:?}");
}

#[test]
fn overrides_and_resolution_are_applied() {
    let place = Place::with(SCENE);
    let check = place.tuff(&["check", "scene.toml", "--set", "time.max_substep=1e-3"]);
    assert!(check.stdout.contains("10 of 1.000e-3 s"), "{check:?}");
    let finer = place.tuff(&["check", "scene.toml", "--particles", "1000"]);
    assert!(finer.stdout.contains("1 000"), "{finer:?}");
    let coarser = [
        "check",
        "scene.toml",
        "--set",
        "body.cube.sampling.spacing=0.05",
        "--set",
        "solver.kernel_radius=0.05",
    ];
    let by_name = place.tuff(&coarser);
    assert!(by_name.code == 0 && by_name.stdout.contains("particles              8\n"), "{by_name:?}");
}

#[test]
fn check_says_what_limits_the_step() {
    // c_p = sqrt(E (1 - nu) / (rho (1 + nu) (1 - 2 nu))) = 9.173 m/s; dt = 2 ms; spacing 25 mm.
    let check = Place::with(SCENE).tuff(&["check", "scene.toml"]);
    assert!(check.stdout.contains("limited by body `cube`: 0.73"), "{check:?}");
    // In a 4 x 4 x 4 lattice with r = spacing, neighbors are the points that differ by at most 1 along every axis:
    // ((3 + 4 + 3)^3 - 64) / 64.
    assert!(check.stdout.contains("14.6 per particle at the start, at most 26"), "{check:?}");
    // The default, 13.3 r^2 / s: 0.133 * 0.01 * 0.025^2 / 1e-4.
    assert!(check.stdout.contains("8.31e-3 m^2/s"), "{check:?}");
}

#[test]
fn models_are_listed_and_explained() {
    let place = Place::with(SCENE);
    let list = place.tuff(&["materials"]);
    assert!(
        [
            "drucker_prager",
            "elastic",
            "fluid",
            "herschel_bulkley",
            "nacc",
            "orthotropic",
            "snow",
            "viscoelastic",
            "von_mises"
        ]
        .iter()
        .all(|id| list.stdout.contains(id)),
        "{list:?}"
    );
    let says = |id: &str, words: &[&str]| {
        let one = place.tuff(&["materials", id]);
        assert!(words.iter().all(|word| one.stdout.contains(word)), "{words:?}: {}", one.stdout);
    };
    says("drucker_prager", &["friction_angle", "degrees", "default true", "volume_gain"]);
    says("viscoelastic", &["branch_shear_modulus", "required", "carry a second elastic strain"]);
    place.tuff(&["materials", "granite"]).expect(2, &["granite", "drucker_prager"]);
}

#[test]
fn the_schema_is_json_that_describes_scenes() {
    let schema = Place::with(SCENE).tuff(&["schema"]);
    let json: serde_json::Value = serde_json::from_str(&schema.stdout).unwrap();
    assert!(json["properties"]["solver"].is_object(), "{json}");
}

#[test]
fn the_stages_of_a_substep_are_listed() {
    let place = Place::with(SCENE);
    let text = place.tuff(&["graph", "scene.toml"]);
    assert!(text.stdout.contains("solve_inelastic") && text.stdout.contains("writes"), "{text:?}");
    let dot = place.tuff(&["graph", "scene.toml", "--dot"]);
    assert!(dot.stdout.starts_with("digraph") && dot.stdout.contains("->"), "{dot:?}");
}

#[test]
fn without_a_driver_the_processor_runs_and_a_vulkan_device_says_what_to_install() {
    let place = Place::with(SCENE);
    let without = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("VK_ICD_FILENAMES", "/nowhere.json").env("VK_DRIVER_FILES", "/nowhere.json");
        crate::Outcome::of(command.output().unwrap())
    };
    without(&["run", "scene.toml", "--device", "0"]).expect(3, &["mesa-vulkan-drivers", "--device cpu"]);
    assert!(!place.path("out/run.json").exists());
    without(&["run", "scene.toml"]).expect(0, &["on cpu"]);
    let devices = without(&["devices"]);
    devices.expect(0, &[]);
    assert!(
        devices.stdout.contains("mesa-vulkan-drivers") && devices.stdout.contains("\ncpu\n"),
        "{devices:?}"
    );
}

#[test]
fn without_a_gpu_the_processor_runs_all_schemes() {
    let place = Place::with(SCENE);
    if !place.tuff(&["devices"]).stdout.contains("software") {
        return;
    }
    for scheme in ["newton_cg", "gauss_seidel", "jacobi"] {
        let scheme = format!("solver.scheme={scheme}");
        let outcome = place.tuff(&["run", "scene.toml", "--overwrite", "--set", &scheme]);
        outcome.expect(0, &[]);
        assert!(outcome.stderr.contains("on cpu"), "{outcome:?}");
    }
}

#[cfg(unix)]
#[test]
fn other_programs_are_found_on_the_path() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(SCENE);
    let program = place.path("tuff-hello");
    fs::write(&program, "#!/bin/sh\necho hello $1\nexit 9\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.path("").display());
    let outcome = crate::Outcome::of(place.command(&["hello", "there"]).env("PATH", path).output().unwrap());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (9, "hello there\n"), "{outcome:?}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::with(SCENE);
    let mut child = place.command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(child.wait().unwrap().success() && stderr.is_empty(), "{stderr}");
}
