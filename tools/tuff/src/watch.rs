//! `--watch-materials`: replaces models between frames when their libraries are rebuilt or their GLSL is edited.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tuff_plugin::Model;
use tuff_problem::Problem;

use tuff_cli::exit::Stop;
use tuff_cli::session;
use tuff_run::Simulation;

/// Time for which a changed file must stay the same to count as completely written.
const SETTLED: Duration = Duration::from_millis(50);

/// The files behind the models of a run.
pub struct Watch {
    models: Vec<Watched>,
}

/// What happened to a model between two frames.
pub struct Event {
    /// Index of the replaced model; none if the model was kept.
    pub taken: Option<usize>,
    /// Description of what happened and why, for people.
    pub message: String,
}

/// The files behind one model.
struct Watched {
    library: PathBuf,
    /// Possible places of a GLSL file that overrides the library's text, in order.
    sources: Vec<PathBuf>,
    /// The files when they were last read.
    seen: Option<Look>,
    /// True if a half-written file was found and has been reported.
    waiting: bool,
}

/// Size and time of the files, which tell whether to read them again.
#[derive(Clone, PartialEq)]
struct Look {
    library: Option<Stamp>,
    source: Option<(PathBuf, Stamp)>,
}

type Stamp = (u64, SystemTime);

impl Watch {
    /// Looks for GLSL files with the names of the models' GLSL, in `folder` and beside the libraries, and uses them from the start.
    /// Without `glsl` only libraries are watched.
    pub fn open(problem: &mut Problem, folder: Option<&Path>, glsl: bool) -> Result<Self, Stop> {
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(Stop::bad_input(format!(
                "--watch-materials={} is not a folder; give the folder with the GLSL files, or none",
                folder.display()
            )));
        }
        let mut models = Vec::new();
        for model in &mut problem.models {
            let library = model.file().to_path_buf();
            let name = Path::new(model.glsl_name()).file_name().filter(|_| glsl);
            let folders = folder.into_iter().chain(library.parent());
            let sources = name.map(|name| folders.map(|f| f.join(name)).collect()).unwrap_or_default();
            let watched = Watched { library, sources, seen: None, waiting: false };
            if let Some((path, _)) = watched.look().source {
                let refuse = |error| Stop::bad_input(format!("cannot read {}: {error}", path.display()));
                let text = fs::read_to_string(&path).map_err(refuse)?;
                *model = Arc::new(model.with_glsl(&path, text)?);
            }
            models.push(watched);
        }
        Ok(Self { models })
    }

    /// Describes what is watched, one line per model.
    pub fn lines(&self, problem: &Problem) -> Vec<String> {
        let line = |(watched, model): (&Watched, &Arc<Model>)| {
            let glsl = match (model.glsl_file(), watched.sources.as_slice()) {
                (Some(file), _) => format!("; its GLSL comes from {}", file.display()),
                (None, []) => "; not its GLSL, which only Vulkan devices run (`--device`)".to_owned(),
                (None, sources) => {
                    let places: Vec<_> = sources.iter().map(|s| s.display().to_string()).collect();
                    format!("; its own GLSL, until there is {}", places.join(" or "))
                }
            };
            format!("watching {} for changes{glsl}", watched.library.display())
        };
        self.models.iter().zip(&problem.models).map(line).collect()
    }

    /// Replaces the models whose files have changed; the next frame is computed with the new ones.
    pub fn poll(&mut self, problem: &mut Problem, simulation: &mut dyn Simulation) -> Vec<Event> {
        let mut events = Vec::new();
        for (index, watched) in self.models.iter_mut().enumerate() {
            let look = watched.look();
            if watched.seen.as_ref() == Some(&look) {
                continue;
            }
            let current = problem.models[index].clone();
            let outcome = match watched.read(&look) {
                Ok(Content { library, source }) => {
                    (watched.seen, watched.waiting) = (Some(look), false);
                    changed(&current, &watched.library, library, source)
                        .and_then(|model| model.map(|m| take(problem, simulation, index, m)).transpose())
                }
                Err(_) if watched.waiting => Ok(None),
                Err(message) => {
                    watched.waiting = true;
                    Err(message)
                }
            };
            match outcome {
                Ok(None) => {}
                Ok(Some(message)) => events.push(Event { taken: Some(index), message }),
                Err(reason) => {
                    events.push(Event { taken: None, message: format!("kept {}: {reason}", title(&current)) })
                }
            }
        }
        events
    }
}

/// Contents of the files behind a model; `None` for a file that is gone or never existed.
struct Content {
    library: Option<Vec<u8>>,
    source: Option<(PathBuf, Vec<u8>)>,
}

impl Watched {
    fn look(&self) -> Look {
        let source = self.sources.iter().find_map(|path| Some((path.clone(), stamp(path)?)));
        Look { library: stamp(&self.library), source }
    }

    /// Reads the files of this look. Fails if they cannot be read or change meanwhile.
    fn read(&self, look: &Look) -> Result<Content, String> {
        let read = |path: &Path| {
            fs::read(path).map_err(|error: io::Error| format!("cannot read {}: {error}", path.display()))
        };
        let library = look.library.map(|_| read(&self.library)).transpose()?;
        let source = match &look.source {
            Some((path, _)) => Some((path.clone(), read(path)?)),
            None => None,
        };
        std::thread::sleep(SETTLED);
        if self.look() != *look {
            return Err("its files are being written; the next frame looks again".to_owned());
        }
        Ok(Content { library, source })
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// Returns the model that the files now define, if it differs from `current`.
fn changed(
    current: &Model,
    file: &Path,
    library: Option<Vec<u8>>,
    source: Option<(PathBuf, Vec<u8>)>,
) -> Result<Option<Model>, String> {
    let gone = |path: &Path| format!("{} is gone; the run continues with the last version", path.display());
    let library = library.ok_or_else(|| gone(file))?;
    let same_library = tuff_plugin::content_hash(&library) == current.hash();
    let model = if same_library {
        current.clone()
    } else {
        let model = match session::probe() {
            Some(probe) => probe.load(file, library),
            None => Model::load(file, library),
        };
        model.map_err(|error| error.to_string())?
    };
    let (path, text) = match (source, current.glsl_file()) {
        (None, Some(path)) if same_library => return Err(gone(path)),
        (None, Some(path)) => (path.to_path_buf(), current.glsl().to_owned()),
        (None, None) => return Ok((!same_library).then_some(model)),
        (Some((path, text)), _) => {
            let text = String::from_utf8(text).map_err(|_| format!("{} is not UTF-8", path.display()))?;
            (path, text)
        }
    };
    let same_source = current.glsl_file() == Some(&path) && current.glsl() == text;
    if same_library && same_source {
        return Ok(None);
    }
    model.with_glsl(&path, text).map(Some).map_err(|error| error.to_string())
}

/// Replaces a model by `model` and returns a message for people, also in case of failure.
fn take(
    problem: &mut Problem,
    simulation: &mut dyn Simulation,
    index: usize,
    model: Model,
) -> Result<String, String> {
    let message = format!("took over {}", title(&model));
    let replacement = problem.replacement(index, Arc::new(model)).map_err(|error| error.to_string())?;
    simulation.replace_models(&replacement).map_err(|error| error.to_string())?;
    problem.replace(replacement);
    let differing = simulation.compare_models().unwrap_or_else(|error| vec![error.to_string()]);
    Ok([&[message], differing.as_slice()].concat().join("; "))
}

/// Names the files of a model with their hashes.
fn title(model: &Model) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut text = format!("{} (hash {:016x})", name(model.file()), model.hash());
    if let Some(file) = model.glsl_file() {
        text += &format!(" with {} (hash {:016x})", name(file), model.glsl_hash());
    }
    text
}
