//! `--watch-materials` with rebuilt libraries, on the f64 solver.

use std::fs;
use std::path::PathBuf;

use tuff_tests::libraries::compile_probe;
use tuff_tests::watched::{PROBE_SCENE, Running, assert_growth, run};

use crate::{Place, names};

const REFERENCE: [&str; 2] = ["--device", "reference"];
const WATCH: [&str; 3] = ["--device", "reference", "--watch-materials"];

/// A folder with the C model in `plugins`, and its future versions.
struct Bench {
    place: Place,
    library: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let place = Place::with(PROBE_SCENE);
        fs::create_dir(place.path("plugins")).unwrap();
        let library = compile_probe(&place.path("plugins"), "probe", &[]);
        Self { place, library }
    }

    /// Returns the content of the library compiled with these macros.
    fn version(&self, macros: &[&str]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        fs::read(compile_probe(folder.path(), "probe", macros)).unwrap()
    }

    /// Overwrites the library, which truncates the file that a run has open.
    fn overwrite(&self, content: &[u8]) {
        fs::write(&self.library, content).unwrap();
    }
}

#[test]
fn a_rebuilt_library_is_taken_over_between_frames() {
    let bench = Bench::new();
    let next = bench.version(&["PROBE_RATE=3.0", "PROBE_SCALE=2.0"]);
    let run = Running::start(&bench.place, &WATCH);
    run.event("frame");
    bench.overwrite(&next);
    let first = run.material(true, &["took over libtuff_probe", "(hash "]);
    let manifest = run.end(&bench.place);
    let last = manifest["frames"].as_array().unwrap().last().unwrap()["frame"].as_u64().unwrap();
    assert!(first > 1 && last >= first, "{first} {last}");
    assert_growth(&bench.place, &[(2, 1.0), (first, 3.0)], last);

    let (before, replaced) = (&manifest["materials"][0], &manifest["materials_replaced"]);
    assert_eq!(replaced.as_array().unwrap().len(), 1);
    assert_eq!(replaced[0]["frame"], first);
    let after = &replaced[0]["materials"][0];
    assert_eq!((&before["constants"][0], &after["constants"][0]), (&5000.0.into(), &10000.0.into()));
    assert_ne!(before["plugin"]["hash"], after["plugin"]["hash"]);
}

#[test]
fn what_cannot_be_used_is_kept_out_and_said() {
    let bench = Bench::new();
    let whole = bench.version(&[]);
    let cases = [
        (b"not a library".to_vec(), vec!["is not a material library"]),
        (whole[..whole.len() / 2].to_vec(), vec!["is not a material library", "cut off"]),
        (bench.version(&["PROBE_ID=\"other\""]), vec!["registers the model `other`, the scene uses `probe`"]),
        (
            bench.version(&["PROBE_STATES=2"]),
            vec!["state of a particle was a [-]", "now a [-], b [-]", "start the run again"],
        ),
        (bench.version(&["PROBE_WORD=\"z\""]), vec!["state of a particle was a [-]", "now z [-]"]),
        (
            bench.version(&["PROBE_REFUSED=5000.0"]),
            vec!["material `water`: bulk_modulus: seven is not allowed"],
        ),
        (
            bench.version(&["PROBE_PARAMETER=\"stiffness\""]),
            vec!["the scene gives `bulk_modulus`, which is no longer a parameter"],
        ),
        (bench.version(&["FAULT_NAN"]), vec!["prepared constant 0 = NaN"]),
        (bench.version(&["FAULT_ENTRY"]), vec!["tuff_material_entry_v2"]),
        (bench.version(&["FAULT_HANG_PREPARE"]), vec!["`prepare` of model `probe`", "did not return"]),
    ];
    let run = Running::start(&bench.place, &WATCH);
    run.event("frame");
    for (content, words) in &cases {
        bench.overwrite(content);
        run.material(false, &[&["kept libtuff_probe"], &words[..]].concat());
    }
    fs::remove_file(&bench.library).unwrap();
    run.material(false, &["kept libtuff_probe", "is gone"]);
    bench.overwrite(&bench.version(&["PROBE_RATE=2.0"]));
    let first = run.material(true, &["took over libtuff_probe"]);
    let manifest = run.end(&bench.place);
    assert_eq!(manifest["materials_replaced"].as_array().unwrap().len(), 1);
    assert_growth(&bench.place, &[(2, 1.0), (first, 2.0)], first + 2);
}

#[test]
fn watching_alone_changes_nothing() {
    let bench = Bench::new();
    let told = "not its GLSL, which only Vulkan devices run";
    for (out, arguments, words) in [("a", &REFERENCE[..], &[][..]), ("b", &WATCH, &[told])] {
        run(&bench.place, &[arguments, &["--out", out, "--frames", "1-5"]].concat()).expect(0, words);
    }
    for name in names(&bench.place.path("a/particles")) {
        let read = |out: &str| fs::read(bench.place.path(out).join("particles").join(&name)).unwrap();
        assert!(read("a") == read("b"), "{name} differs");
    }
    let manifest = fs::read_to_string(bench.place.path("b/run.json")).unwrap();
    assert!(!manifest.contains("materials_replaced") && !manifest.contains("\"glsl\""), "{manifest}");
}

#[test]
fn without_the_option_nothing_is_looked_at_again() {
    let bench = Bench::new();
    let run = Running::start(&bench.place, &REFERENCE);
    run.event("frame");
    bench.overwrite(&bench.version(&["PROBE_RATE=3.0"]));
    run.event("frame");
    // The running copy stays complete although the file is truncated.
    bench.overwrite(b"");
    let manifest = run.end(&bench.place);
    assert!(manifest["materials_replaced"].is_null());
    let last = manifest["frames"].as_array().unwrap().last().unwrap()["frame"].as_u64().unwrap();
    assert_growth(&bench.place, &[(2, 1.0)], last);
}

#[test]
fn a_folder_that_does_not_exist_is_refused() {
    let bench = Bench::new();
    run(&bench.place, &["--frames", "1-1", "--watch-materials=nowhere"])
        .expect(2, &["--watch-materials=nowhere is not a folder"]);
}
