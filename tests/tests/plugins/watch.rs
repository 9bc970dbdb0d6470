//! `--watch-materials` with edited GLSL.

use std::fs;

use serde_json::Value;
use tuff_tests::libraries::compile_probe;
use tuff_tests::program::{Outcome, Place, names};
use tuff_tests::watched::{PROBE_SCENE, Running, VULKAN, assert_growth};

use crate::run;

const WATCH: &str = "--watch-materials";

fn place() -> Place {
    let place = Place::with(PROBE_SCENE);
    fs::create_dir(place.path("plugins")).unwrap();
    compile_probe(&place.path("plugins"), "probe", &[]);
    place
}

/// Returns the model's GLSL with this growth of the state word.
fn glsl(rate: &str) -> String {
    format!(
        "vec3 probe_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {{\n\
         \x20   state.x += {rate} * dt;\n    forget = 0.0;\n    return vec3(trace(hencky) / 3.0);\n}}\n\
         float probe_energy(uint c, vec4 state, vec3 hencky) {{\n\
         \x20   return 0.5 * constant(c, 0u) * trace(hencky) * trace(hencky);\n}}\n\
         vec3 probe_kirchhoff(uint c, vec4 state, vec3 hencky) {{\n\
         \x20   return vec3(constant(c, 0u) * trace(hencky));\n}}\n\
         vec2 probe_moduli(uint c, vec4 state) {{\n    return vec2(0.0, constant(c, 0u));\n}}\n"
    )
}

/// Returns the warnings of a run about GLSL that differs from f64.
fn differences(manifest: &Value) -> impl Iterator<Item = &str> {
    let warnings = manifest["warnings"].as_array().unwrap().iter();
    warnings.map(|warning| warning.as_str().unwrap()).filter(|warning| warning.contains("differ:"))
}

pub fn edited_glsl_is_taken_over_between_frames() {
    let place = place();
    let file = place.path("plugins/probe.glsl");
    let run = Running::start(&place, &[&VULKAN[..], &[WATCH]].concat());
    run.event("frame");
    fs::write(&file, glsl("3.0")).unwrap();
    let first = run.material(
        true,
        &[
            "took over libtuff_probe",
            "with probe.glsl (hash ",
            "`water`: ",
            "differ: state words [5.060000e-1",
        ],
    );
    for (text, words) in [
        (glsl("banana"), ["plugins/probe.glsl:2: ", "banana"]),
        (
            glsl("3.0").replace("probe_energy", "work"),
            ["plugins/probe.glsl has no function", "`probe_energy`"],
        ),
    ] {
        fs::write(&file, text).unwrap();
        run.material(false, &[&["kept libtuff_probe"], &words[..]].concat());
    }
    fs::remove_file(&file).unwrap();
    run.material(false, &["plugins/probe.glsl is gone"]);
    fs::write(&file, glsl("5.0")).unwrap();
    let second = run.material(true, &["with probe.glsl"]);
    let manifest = run.end(&place);
    assert_eq!(differences(&manifest).count(), 0, "those of the start");
    let last = manifest["frames"].as_array().unwrap().last().unwrap()["frame"].as_u64().unwrap();
    assert_growth(&place, &[(2, 1.0), (first, 3.0), (second, 5.0)], last);

    let replaced = manifest["materials_replaced"].as_array().unwrap();
    let frames: Vec<_> = replaced.iter().map(|r| r["frame"].as_u64().unwrap()).collect();
    assert_eq!(frames, [first, second]);
    let texts: Vec<_> = replaced.iter().map(|r| &r["materials"][0]["plugin"]["glsl"]).collect();
    assert_eq!(texts[0]["file"], "probe.glsl");
    assert_ne!(texts[0]["hash"], texts[1]["hash"]);
    assert!(manifest["materials"][0]["plugin"]["glsl"].is_null());
}

/// The text in the folder applies from the first frame on, and still does after the library is rebuilt.
pub fn a_folder_of_sources_and_rebuilt_libraries_go_together() {
    let place = place();
    fs::create_dir(place.path("source")).unwrap();
    fs::write(place.path("source/probe.glsl"), glsl("2.0")).unwrap();
    let run = Running::start(&place, &[&VULKAN[..], &["--watch-materials=source"]].concat());
    run.event("frame");
    compile_probe(&place.path("plugins"), "probe", &["PROBE_SCALE=4.0", "PROBE_RATE=7.0"]);
    run.material(true, &["took over libtuff_probe", "with probe.glsl"]);
    let manifest = run.end(&place);
    let last = manifest["frames"].as_array().unwrap().last().unwrap()["frame"].as_u64().unwrap();
    assert_growth(&place, &[(2, 2.0)], last);
    let warned: Vec<_> = differences(&manifest).collect();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("source/probe.glsl and the f64 functions of its library differ: state words"));
    assert_eq!(manifest["materials"][0]["plugin"]["glsl"]["file"], "probe.glsl");
    assert_eq!(manifest["materials_replaced"][0]["materials"][0]["constants"][0], 20000.0);
}

pub fn watching_alone_changes_nothing() {
    let place = place();
    for (out, arguments) in [("a", &[][..]), ("b", &[WATCH])] {
        run(&place, &[arguments, &["--out", out, "--frames", "1-5"]].concat()).expect(0, &[]);
    }
    for name in names(&place.path("a/particles")) {
        let read = |out: &str| fs::read(place.path(out).join("particles").join(&name)).unwrap();
        assert!(read("a") == read("b"), "{name} differs");
    }
}

pub fn what_does_not_compile_at_the_start_is_refused() {
    let place = place();
    fs::write(place.path("plugins/probe.glsl"), glsl("banana")).unwrap();
    run(&place, &[WATCH, "--frames", "1-2"])
        .expect(2, &["plugins/libtuff_probe", "plugins/probe.glsl:2: ", "banana"]);
    run(&place, &["--frames", "1-2"]).expect(0, &[]);
}

/// Warnings of the GLSL compiler about a user's text reach the user, as a line or as an event.
pub fn compiler_warnings_of_a_model_are_shown() {
    let place = place();
    let doubtful = format!("#extension GL_EXT_not_there : enable\n{}", glsl("3.0"));
    fs::write(place.path("plugins/probe.glsl"), doubtful).unwrap();
    // Cached shaders are not compiled again.
    let run = |extra: &[&str]| {
        let base =
            ["run", "scene.toml", "--material-path", "plugins", "--frames", "1-2", "--overwrite", WATCH];
        let mut command = place.command(&[&base[..], &VULKAN, extra].concat());
        Outcome::of(command.env("TUFF_CACHE_DIR", "").output().unwrap())
    };
    run(&[]).expect(0, &["warning: stage", "probe.glsl:1", "GL_EXT_not_there"]);
    let json = run(&["--progress", "json"]);
    json.expect(0, &["GL_EXT_not_there"]);
    for line in json.stderr.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    let quiet = run(&["--quiet"]);
    assert!(quiet.stderr.is_empty(), "{quiet:?}");
}
