//! `tuff material new`: writes a plugin to start from.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use tuff_plugin::{Library, SearchPath};

use crate::args::{Language, NewArgs};
use crate::exit::{NOT_WRITTEN, Stop};
use crate::{helpers, print};

/// A file of a new plugin: its path and its text, both with placeholders.
type File = (&'static str, &'static str);

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("../templates/", $name))
    };
}

macro_rules! sdk {
    ($($name:literal),* $(,)?) => {
        [$((concat!("sdk/src/", $name), include_str!(concat!("../../../materials/sdk/src/", $name)))),*]
    };
}

const COMMON: [File; 2] = [
    ("scene.toml", template!("common/scene.toml")),
    ("tests/vectors.json", template!("common/vectors.json")),
];

const RUST: [File; 6] = [
    ("Cargo.toml", template!("rust/Cargo.toml.in")),
    ("README.md", template!("rust/README.md.in")),
    (".gitignore", "/target\n/out\n"),
    ("src/lib.rs", template!("rust/lib.rs.in")),
    ("src/@id@.glsl", template!("common/model.glsl")),
    ("sdk/Cargo.toml", template!("rust/sdk.toml.in")),
];

/// The SDK as it is, without placeholders.
const SDK: [File; 14] = sdk![
    "abi.rs",
    "abi/tensor.rs",
    "descriptor.rs",
    "descriptor/validate.rs",
    "elastic.rs",
    "export.rs",
    "export/tensor.rs",
    "export/tests.rs",
    "lib.rs",
    "model.rs",
    "plastic.rs",
    "principal.rs",
    "split.rs",
    "tensor.rs",
];

const C: [File; 5] = [
    ("Makefile", template!("c/Makefile.in")),
    ("README.md", template!("c/README.md.in")),
    (".gitignore", "/build\n/out\n"),
    ("@id@.c", template!("c/model.c.in")),
    ("@id@.glsl", template!("common/model.glsl")),
];

const HEADER: File = ("tuff_material.h", include_str!("../../../materials/sdk/include/tuff_material.h"));

/// The list of GLSL functions.
const HELPERS: &str = "HELPERS.md";

/// Writes a plugin into a folder of its own and tells how to continue.
pub fn new(args: &NewArgs) -> Result<(), Stop> {
    check_id(&args.id)?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(&args.id));
    check_folder(&folder)?;
    let (own, verbatim, products, build): (&[File], &[File], _, _) = match args.language {
        Language::Rust => (&RUST, &SDK, "target/release", "cargo test && cargo build --release"),
        Language::C => (&C, &[HEADER], "build", "make && make check"),
    };
    let library = format!("{DLL_PREFIX}tuff_{}{DLL_SUFFIX}", args.id);
    let words = [
        ("@id@", args.id.as_str()),
        ("@library@", &library),
        ("@folder@", products),
        ("@version@", env!("CARGO_PKG_VERSION")),
    ];
    let fill = |text: &str| words.iter().fold(text.to_owned(), |text, (word, by)| text.replace(word, by));
    for (path, text) in own.iter().chain(&COMMON) {
        write(&folder.join(fill(path)), &fill(text))?;
    }
    write(&folder.join(HELPERS), &helpers::list())?;
    for (path, text) in verbatim {
        write(&folder.join(path), text)?;
    }
    print(&format!(
        "{}: a material library for the model `{}`\n\n  cd {}\n  {build}\n  tuff run scene.toml --material-path {products}\n\n\
         README.md explains the files.\n",
        folder.display(),
        args.id,
        folder.display(),
    ))
}

/// Checks that descriptors, GLSL and the search path accept an id.
fn check_id(id: &str) -> Result<(), Stop> {
    let is_word = id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    // GLSL reserves names with two consecutive underscores and names that start with gl_.
    if !is_word || id.contains("__") || id.ends_with('_') || id.starts_with("gl_") {
        return Err(Stop::bad_input(format!(
            "the id {id:?} cannot be used; allowed is a lower-case letter, then a-z, 0-9 and single _ between them, not gl_"
        )));
    }
    // Broken libraries on the search path must not prevent a new one.
    let known = Library::discover(&SearchPath::standard(&[])).ok();
    match known.as_ref().and_then(|library| library.get(id)) {
        Some(model) => Err(Stop::bad_input(format!(
            "there is a model `{id}` already, in {}; choose another id",
            model.file().display()
        ))),
        None => Ok(()),
    }
}

fn check_folder(folder: &Path) -> Result<(), Stop> {
    let taken = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    if taken {
        let shown = folder.display();
        return Err(Stop::bad_input(format!(
            "{shown} exists and is not an empty folder; choose another with --out"
        )));
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot write {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file added to the SDK must be in the copy too.
    #[test]
    fn the_copy_of_the_sdk_is_complete() {
        fn files(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { files(&path, found) } else { found.push(path) }
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../materials/sdk/src");
        let mut found = Vec::new();
        files(&root, &mut found);
        let mut found: Vec<_> =
            found.iter().map(|f| format!("sdk/src/{}", f.strip_prefix(&root).unwrap().display())).collect();
        found.sort();
        let mut copied = SDK.map(|(path, _)| path.to_owned());
        copied.sort();
        assert_eq!(found, copied);
    }

    #[test]
    fn ids_that_glsl_or_the_descriptor_refuse_are_refused() {
        check_id("my_jelly2").unwrap();
        for id in ["", "Jelly", "2jelly", "my-jelly", "my__jelly", "jelly_", "gl_jelly", "../jelly"] {
            assert!(check_id(id).unwrap_err().message.contains("allowed"), "{id}");
        }
    }
}
