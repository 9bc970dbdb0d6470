//! Messages that named the wrong cause.

use std::fs;
use std::process::Command;

use tuff_tests::program::{Outcome, Place, SCENE, tuff};

/// The loader treats a manifest that it cannot parse as lack of memory, and a manifest without its library as the absence of all drivers.
#[test]
fn manifests_of_drivers() {
    let place = Place::with(SCENE);
    let with = |manifest: &str| {
        fs::write(place.path("icd.json"), manifest).unwrap();
        let mut command = place.command(&["run", "scene.toml", "--device", "0"]);
        let file = place.path("icd.json");
        Outcome::of(command.env("VK_DRIVER_FILES", &file).env("VK_ICD_FILENAMES", &file).output().unwrap())
    };
    let library = r#"{ "file_format_version": "1.0.0", "ICD": { "library_path": "/nowhere.so", "api_version": "1.3.0" } }"#;
    for manifest in ["garbage{", library] {
        with(manifest)
            .expect(3, &["no Vulkan driver was found", "VK_DRIVER_FILES restricts it to", "icd.json"]);
    }
}

#[test]
fn little_address_space() {
    let command = format!("ulimit -v 150000; exec {} devices", tuff().display());
    let outcome = Outcome::of(Command::new("sh").args(["-c", &command]).output().unwrap());
    outcome.expect(0, &[]);
    let said = outcome.stdout.contains("this process may use 153 MB of address space (ulimit -v)");
    assert_eq!(outcome.stdout.contains("no Vulkan device"), said, "{outcome:?}");
}

#[test]
fn links_to_nothing() {
    let place = Place::with(SCENE);
    std::os::unix::fs::symlink(place.path("gone"), place.path("link")).unwrap();
    let run = place.tuff(&["run", "scene.toml", "--device", "reference", "--out", "link"]);
    run.expect(5, &["link is a link to something that does not exist"]);
    assert!(!run.stderr.contains("is a file"), "{}", run.stderr);
}

#[test]
fn meshes_out_of_all_range() {
    let place = Place::changed(
        "{ box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1] } }",
        "{ mesh = { file = \"far.obj\" } }",
    );
    fs::write(
        place.path("far.obj"),
        "v 1e300 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    )
    .unwrap();
    place.tuff(&["check", "scene.toml"]).expect(2, &["far.obj", "1.000e300 m from the origin"]);
}
