//! The libraries under test, built on demand, and the parameter names used in reference files.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Map, Value};
use tuff_plugin::{Library, Model, SearchPath};

/// Names of derived quantities in reference files, which also contain the parameters that determine them.
const DERIVED: [&str; 4] = ["mu", "kappa", "lambda", "alpha"];

/// Ids of the shipped models.
const MODELS: [&str; 9] = [
    "elastic",
    "von_mises",
    "drucker_prager",
    "nacc",
    "fluid",
    "herschel_bulkley",
    "snow",
    "viscoelastic",
    "orthotropic",
];

/// Returns the shipped models, built from their current sources.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let packages = MODELS.map(|id| format!("tuff-material-{id}"));
        cargo_build(&packages.iter().flat_map(|p| ["-p", p]).collect::<Vec<_>>());
        Library::discover(&SearchPath::standard(&[])).unwrap()
    })
}

/// Returns a shipped model.
pub fn model(id: &str) -> &'static Model {
    let found = library().get(id);
    found.unwrap_or_else(|| panic!("no library for `{id}`: run `cargo build -p tuff-material-{id}`"))
}

/// Builds with the profile and into the folder of this test. Existing files must suffice without cargo, and with `TUFF_BUILT=1`: a package
/// alone has other features than in a build of the workspace, so that its dependencies would be built once more.
pub fn cargo_build(arguments: &[&str]) {
    let Some(cargo) = std::env::var_os("CARGO") else { return };
    if std::env::var_os("TUFF_BUILT").is_some_and(|value| value != "0") {
        return;
    }
    let profile = profile_folder();
    let name = match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--profile", name, "--target-dir"])
        .arg(profile.parent().unwrap())
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(status.success(), "cargo build {arguments:?} failed");
}

/// `target/<profile>`.
pub fn profile_folder() -> PathBuf {
    let executable = std::env::current_exe().unwrap();
    executable.parent().and_then(Path::parent).unwrap().to_path_buf()
}

/// Compiles the C model of `tests/materials/plugins/probe.c` with the given macros into `libtuff_<name>` in `folder`.
pub fn compile_probe(folder: &Path, name: &str, macros: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join(format!("{DLL_PREFIX}tuff_{name}{DLL_SUFFIX}"));
    let status = Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-std=c11", "-shared", "-fPIC"])
        .args(macros.iter().map(|m| format!("-D{m}")))
        .arg("-I")
        .arg(root.join("../materials/sdk/include"))
        .arg("-o")
        .args([&file, &root.join("tests/materials/plugins/probe.c")])
        .arg("-lm")
        .status()
        .unwrap();
    assert!(status.success(), "{macros:?}");
    file
}

/// Reads the file `tests/data/vectors/<name>.json`.
pub fn vectors(name: &str) -> (Value, Vec<Value>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/vectors/{name}.json"));
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let Value::Array(items) = file["vectors"].take() else { panic!("{name}: no vectors") };
    (file["meta"].take(), items)
}

/// Returns parameters in the model's order from the names of a reference file; those not named have their defaults.
pub fn parameters(model: &Model, named: &Map<String, Value>) -> Vec<f64> {
    let descriptor = model.descriptor();
    let mut values: Vec<f64> = descriptor.parameters.iter().map(|p| p.default.unwrap_or(f64::NAN)).collect();
    for (name, value) in named.iter().filter(|(name, _)| !DERIVED.contains(&name.as_str())) {
        let index = descriptor
            .parameter_index_by_alias(name)
            .unwrap_or_else(|| panic!("no parameter is called {name}"));
        values[index] = number(value);
    }
    values
}

/// Returns state words in the model's order.
pub fn state(model: &Model, constants: &[f64], named: Option<&Value>) -> [f64; 4] {
    let mut state = model.initial_state(constants);
    for (name, value) in named.and_then(Value::as_object).into_iter().flatten() {
        let index =
            model.descriptor().state_index(name).unwrap_or_else(|| panic!("no state is called {name}"));
        state[index] = number(value);
    }
    state
}

/// Returns a number, or a boolean as 0 or 1.
pub fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_bool().map(|b| f64::from(u8::from(b)))).unwrap()
}

/// Returns a list of numbers.
pub fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list: Vec<f64> = value.as_array().unwrap().iter().map(number).collect();
    list.try_into().unwrap()
}

/// Returns the largest absolute difference; NaN if one of them is NaN.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |worst: f64, d| if worst.is_nan() || d <= worst { worst } else { d })
}
