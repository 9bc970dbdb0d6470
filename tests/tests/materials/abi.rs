//! External libraries: a C model that works, and refusals that name the file and the error.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::Path;

use tempfile::TempDir;
use tuff_plugin::{Library, Model, PluginError, SearchPath};

use crate::harness::{cargo_build, compile_probe as compile, profile_folder};

fn discover(folder: &Path) -> Result<Library, PluginError> {
    Library::discover(&SearchPath::of(&[folder.to_path_buf()]))
}

/// Returns the refusal of a probe compiled with these macros, which names the file.
fn refusal(macros: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let file = compile(folder.path(), "probe", macros);
    let message = discover(folder.path()).unwrap_err().to_string();
    assert!(message.contains(file.to_str().unwrap()), "{message}");
    message
}

fn probe(folder: &TempDir, macros: &[&str]) -> Library {
    compile(folder.path(), "probe", macros);
    discover(folder.path()).unwrap()
}

fn run(model: &Model, hencky: [f64; 3]) -> tuff_plugin::Projection {
    let constants = model.prepare(&[2000.0]).unwrap();
    model.project(&constants, &model.initial_state(&constants), 0.25, hencky)
}

#[test]
fn a_model_in_c_works() {
    let folder = TempDir::new().unwrap();
    let library = probe(&folder, &[]);
    let model = library.get("probe").unwrap();
    let descriptor = model.descriptor();
    assert_eq!((descriptor.author.as_str(), descriptor.help.as_str()), ("a C studio", "Water without shear"));
    let parameter = &descriptor.parameters[0];
    assert_eq!((parameter.min, parameter.max, parameter.min_exclusive), (0.0, 1e6, true));
    assert_eq!(
        (parameter.default, parameter.max_exclusive, parameter.required),
        (Some(1000.0), false, false)
    );
    assert!(descriptor.claims.volume_preserving && !descriptor.claims.dissipative);
    assert_eq!(model.glsl_name(), "probe.glsl");

    let constants = model.prepare(&[2000.0]).unwrap();
    let state = model.initial_state(&constants);
    assert_eq!(state, [0.5, 0.0, 0.0, 0.0]);
    let result = run(model, [0.1, 0.2, 0.3]);
    assert!(crate::harness::distance(&result.hencky, &[0.2; 3]) < 1e-15);
    assert_eq!((result.state, result.forget, result.case), ([0.75, 0.0, 0.0, 0.0], 0.0, 1));
    assert!((model.energy(&constants, &state, [0.1; 3]) - 90.0).abs() < 1e-12);
    assert!(crate::harness::distance(&model.kirchhoff(&constants, &state, [0.1; 3]), &[600.0; 3]) < 1e-12);
    assert_eq!(model.moduli(&constants, &state).bulk, 2000.0);
    assert_eq!(model.stable_step(&constants, 2000.0, 0.5), 0.5);
    assert_eq!(model.fault(), None);
}

/// Particles 1 and 2 of four, by a function of the model's own, by its other functions, and by one that fails.
#[test]
fn stresses_of_a_batch() {
    let stress = |macros: &[&str]| {
        let folder = TempDir::new().unwrap();
        let library = probe(&folder, macros);
        let model = library.get("probe").unwrap();
        let constants = model.prepare(&[2000.0]).unwrap();
        let hencky = [[9.0, 0.1, 0.2, 9.0], [9.0, 0.1, 0.0, 9.0], [9.0, 0.1, 0.4, 9.0]];
        let mut stress = [[-1.0; 4]; 3];
        let states = [[1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]];
        model.stress(&constants, &states, 0.25, 1, &hencky, &mut stress);
        (stress, model.has_stress(), model.fault().map(str::to_owned))
    };
    let (alone, own, fault) = stress(&[]);
    assert!(!own && fault.is_none());
    for row in alone {
        assert!(crate::harness::distance(&row, &[-1.0, 600.0, 1200.0, -1.0]) < 1e-12, "{row:?}");
    }
    let expected = [[-1.0, 1.0, 2.0, -1.0], [-1.0, 10.0, 20.0, -1.0], [-1.0, 1.35, 2.65, -1.0]];
    assert_eq!(stress(&["PROBE_STRESS=0"]), (expected, true, None));
    // A library of version 1.2 ends before the function.
    let (old, own, _) = stress(&["PROBE_STRESS=0", "PROBE_VERSION=0x10002u", "PROBE_SIZE_ERROR=-8"]);
    assert_eq!((old, own), (alone, false));
    let (failed, _, fault) = stress(&["PROBE_STRESS=TUFF_STATUS_PANIC"]);
    assert!(fault.unwrap().contains("`stress` of model `probe`"));
    for row in failed {
        assert!(row[1].is_nan() && row[2].is_nan() && [row[0], row[3]] == [-1.0; 2], "{row:?}");
    }
}

#[test]
fn a_refused_parameter_is_named_with_the_models_words() {
    let folder = TempDir::new().unwrap();
    let library = probe(&folder, &[]);
    let model = library.get("probe").unwrap();
    let error = model.prepare(&[7.0]).unwrap_err();
    assert_eq!((error.parameter, error.message.as_str()), (Some(0), "seven is not allowed"));
    let error = model.prepare(&[2e6]).unwrap_err();
    assert_eq!(error.parameter, Some(0));
    assert!(error.message.contains("0 < bulk_modulus <= 1000000"), "{}", error.message);
    assert!(model.prepare(&[]).unwrap_err().message.contains("expected 1"));
}

#[test]
fn another_major_version_is_refused() {
    let message = refusal(&["FAULT_ENTRY"]);
    assert!(message.contains("found the symbol `tuff_material_entry_v2`"), "{message}");
    assert!(message.contains("expected the symbol `tuff_material_entry_v1`"), "{message}");
    let message = refusal(&["PROBE_VERSION=0x20000u"]);
    assert!(message.contains("found ABI version 2.0, expected 1.4"), "{message}");
}

#[test]
fn a_newer_minor_version_may_be_longer_but_not_shorter() {
    let folder = TempDir::new().unwrap();
    assert!(probe(&folder, &["PROBE_VERSION=0x10005u", "PROBE_SIZE_ERROR=8"]).get("probe").is_some());
    let message = refusal(&["PROBE_VERSION=0x10005u", "PROBE_SIZE_ERROR=-8"]);
    assert!(message.contains("found a struct of 272 bytes in ABI version 1.5"), "{message}");
}

#[test]
fn an_older_minor_version_works() {
    let folder = TempDir::new().unwrap();
    let library = probe(&folder, &["PROBE_VERSION=0x10000u"]);
    assert_eq!(run(library.get("probe").unwrap(), [0.0; 3]).hencky, [0.0; 3]);
}

/// The typical value of a parameter is read from libraries that have one; the struct of version 1.1 ends before it.
#[test]
fn typical_values_came_with_version_1_2() {
    let typical = |macros: &[&str]| {
        let folder = TempDir::new().unwrap();
        probe(&folder, macros).get("probe").unwrap().descriptor().parameters[0].typical
    };
    assert_eq!(typical(&[]), None);
    assert_eq!(typical(&["PROBE_TYPICAL=250.0"]), Some(250.0));
    let old = ["PROBE_VERSION=0x10001u", "PROBE_PARAMETER_VERSION=0x10001u", "PROBE_PARAMETER_SIZE_ERROR=-8"];
    assert_eq!(typical(&old), None);
    let message = refusal(&["PROBE_TYPICAL=-1.0"]);
    assert!(message.contains("typical value -1") && message.contains("outside its range"), "{message}");
}

#[test]
fn wrong_sizes_are_refused() {
    for (error, found) in [("8", 288), ("-16", 264), ("1000000", 1_000_280)] {
        let message = refusal(&[&format!("PROBE_SIZE_ERROR={error}")]);
        let expected = format!(
            "the material table, found a struct of {found} bytes in ABI version 1.4, expected 280 bytes"
        );
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn wrong_sizes_of_parameters_and_state_words_are_refused() {
    for (error, expected) in [
        ("PROBE_PARAMETER_SIZE_ERROR=8", "parameter 0, found a struct of 128 bytes"),
        ("PROBE_PARAMETER_SIZE_ERROR=-8", "parameter 0, found a struct of 112 bytes"),
        ("PROBE_WORD_SIZE_ERROR=8", "state word 0, found a struct of 96 bytes"),
        ("PROBE_WORD_SIZE_ERROR=-80", "state word 0, found a struct of 8 bytes"),
    ] {
        let message = refusal(&[error]);
        assert!(message.contains(expected), "{error}: {message}");
    }
}

/// Counts and lengths larger than the data, and invalid pointers.
#[test]
fn descriptions_that_lead_nowhere_are_refused() {
    for (faults, expected) in [
        (&["PROBE_PARAMETERS=4000000000u"][..], "4000000000 parameters are declared; at most 256"),
        (&["PROBE_CONSTANTS=33"], "33 constants are declared; at most 32"),
        (&["PROBE_CONSTANTS=4000000000u"], "4000000000 constants are declared; at most 32"),
        (&["FAULT_NULL_STATES"], "state word 0 is a null pointer"),
        (&["PROBE_KIND=TUFF_KIND_CHOICE", "PROBE_CHOICES=2"], "the list of choices is a null"),
        (&["PROBE_KIND=7"], "the kind of parameter bulk_modulus is 7"),
        (&["FAULT_LONG_ID"], "the id is 1099511627776 bytes long; at most 16777216"),
    ] {
        let message = refusal(faults);
        assert!(message.contains(expected), "{faults:?}: {message}");
    }
    if cfg!(target_os = "linux") {
        // The memory behind the library may happen to be mapped; it then contains no valid id.
        assert!(refusal(&["FAULT_FAR_ID"]).contains("the id is "));
        assert!(refusal(&["FAULT_FAR_PARAMETERS"]).contains("parameter 0 is a pointer to nowhere"));
    }
}

#[test]
fn broken_descriptions_are_refused() {
    for (fault, expected) in [
        ("FAULT_NULL_TABLE", "returned no table"),
        ("FAULT_NULL_ID", "the id is a null pointer with length 5"),
        ("FAULT_NULL_PARAMETERS", "parameter 0 is a null pointer"),
        ("FAULT_NULL_FUNCTION", "function `energy` is a null pointer"),
        ("FAULT_UTF8", "the help text is not UTF-8 (byte 7)"),
        ("PROBE_VARIANT=TUFF_VARIANT_TENSOR", "the table of the tensor variant is a null pointer"),
        ("PROBE_VARIANT=2", "the variant is 2; allowed are 0 and 1"),
        ("FAULT_GLSL", "no function `probe_project`"),
        ("PROBE_ID=\"Probe\"", "the id is \"Probe\"; allowed is a lower-case letter"),
        ("PROBE_STATES=5", "5 state words are declared; at most 4"),
        ("PROBE_STATES=1000000", "1000000 state words are declared; at most 256"),
        (
            "PROBE_DEFAULT=0.0",
            "the default 0 of parameter bulk_modulus is outside its range: 0 < bulk_modulus",
        ),
        ("PROBE_DEFAULT=NAN", "the default NaN of parameter bulk_modulus"),
    ] {
        let message = refusal(&[fault]);
        assert!(message.contains(expected), "{fault}: {message}");
    }
}

#[test]
fn results_that_cannot_be_used_are_refused_at_once() {
    for (fault, expected) in [
        ("FAULT_PREPARE_STATUS", "panicked"),
        ("FAULT_NAN", "prepared constant 0 = NaN"),
        ("FAULT_MANY_CONSTANTS", "writes beyond the 1 constants that it declares"),
        ("FAULT_NAN_ENERGY", "has the energy NaN Pa at rest"),
    ] {
        let folder = TempDir::new().unwrap();
        let library = probe(&folder, &[fault]);
        let model = library.get("probe").unwrap();
        let message = model.prepare(&[2000.0]).unwrap_err().message;
        let file = model.file().to_str().unwrap();
        assert!(message.contains(expected) && message.contains(file), "{fault}: {message}");
    }
}

#[test]
fn a_fault_in_a_run_gives_nan_and_is_remembered() {
    let folder = TempDir::new().unwrap();
    let library = probe(&folder, &["FAULT_PROJECT_STATUS"]);
    let model = library.get("probe").unwrap();
    assert!(run(model, [0.0; 3]).hencky[0] == 0.0 && model.fault().is_none());
    let result = run(model, [0.2; 3]);
    assert!(result.hencky.iter().chain(&result.state).all(|x| x.is_nan()));
    assert!(model.fault().unwrap().contains("`project` of model `probe`"));
}

#[test]
fn a_panic_in_rust_does_not_cross() {
    cargo_build(&["-p", "tuff-tests", "--example", "panicking_material"]);
    let file = profile_folder().join(format!("examples/{DLL_PREFIX}panicking_material{DLL_SUFFIX}"));
    let library = Library::discover(&SearchPath::of(&[file])).unwrap();
    let model = library.get("panicking").unwrap();
    assert!(model.prepare(&[13.0]).unwrap_err().message.contains("panicked"));
    assert!(run(model, [0.0; 3]).forget == 1.0 && model.fault().is_none());
    assert!(run(model, [2.0, 0.0, 0.0]).forget.is_nan());
    assert!(model.fault().unwrap().contains("panicked"));
}

#[test]
fn a_file_that_is_no_library_is_refused_only_under_our_name() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(format!("libother{DLL_SUFFIX}")), "not ours").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "not ours").unwrap();
    assert!(discover(folder.path()).unwrap().models().is_empty());
    let file = folder.path().join(format!("{DLL_PREFIX}tuff_text{DLL_SUFFIX}"));
    std::fs::write(&file, "not a library").unwrap();
    let error = discover(folder.path()).unwrap_err();
    assert!(matches!(error, PluginError::NotALibrary { .. }));
    assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
}

#[test]
fn one_id_from_two_files_is_refused_and_one_library_found_twice_is_not() {
    let folder = TempDir::new().unwrap();
    let first = compile(folder.path(), "first", &[]);
    std::fs::copy(&first, folder.path().join(format!("{DLL_PREFIX}tuff_same{DLL_SUFFIX}"))).unwrap();
    assert_eq!(discover(folder.path()).unwrap().models().len(), 1);
    let second = compile(folder.path(), "second", &["PROBE_DEFAULT=1.0"]);
    let message = discover(folder.path()).unwrap_err().to_string();
    for part in ["`probe`", first.to_str().unwrap(), second.to_str().unwrap()] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn models_are_sorted_by_id_and_a_file_may_be_named_itself() {
    let folder = TempDir::new().unwrap();
    let zebra = compile(folder.path(), "a", &["PROBE_ID=\"zebra\""]);
    let ant = compile(folder.path(), "b", &["PROBE_ID=\"ant\""]);
    let library = Library::discover(&SearchPath::of(&[zebra, ant])).unwrap();
    let ids: Vec<&str> = library.models().iter().map(|m| m.descriptor().id.as_str()).collect();
    assert_eq!(ids, ["ant", "zebra"]);
    assert_ne!(library.models()[0].hash(), library.models()[1].hash());
}

#[test]
fn a_path_that_was_asked_for_has_to_exist() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("nowhere");
    let message = discover(&missing).unwrap_err().to_string();
    assert!(message.contains(missing.to_str().unwrap()) && message.contains("--material-path"), "{message}");
}
