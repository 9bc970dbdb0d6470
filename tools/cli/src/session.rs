//! From arguments to a problem.

use std::io::IsTerminal;

use tuff_plugin::{Library, PluginError, Probe, SearchPath};
use tuff_problem::{Problem, many_particles};
use tuff_scene::{Scene, Warning};

use crate::args::{LibraryArgs, SceneArgs};
use crate::exit::Stop;
use crate::print::note;

/// A scene as the arguments want it, and the models to simulate it with.
pub struct Session {
    /// All models that were found.
    pub library: Library,
    /// The scene with overrides and resolution applied.
    pub scene: Scene,
    /// What loading warned of.
    pub warnings: Vec<Warning>,
}

impl Session {
    /// Finds the models and loads the scene.
    pub fn open(args: &SceneArgs) -> Result<Self, Stop> {
        let (library, mut warnings) = usable(&args.library)?;
        let models: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
        // A scene may need what was left out.
        let loaded = tuff_scene::load(&args.scene, &args.set, &models).inspect_err(|_| warn(&warnings))?;
        let scene = match args.particles {
            Some(count) => loaded.scene.rescaled(count)?,
            None => loaded.scene,
        };
        warnings.extend(loaded.warnings);
        Ok(Self { library, scene, warnings })
    }

    /// Samples the bodies and prepares the materials, for a run on `device`. The warnings are those of loading and sampling.
    pub fn problem(self, device: Option<&str>) -> Result<(Problem, Vec<Warning>), Stop> {
        // Sampling takes a while then; whoever meant another unit should not have to wait for it.
        let many = many_particles(&self.scene, || tuff_run::device_memory(device));
        warn(many.as_slice());
        let problem = Problem::new(self.scene, &self.library)?;
        let mut warnings = self.warnings;
        warnings.extend(problem.warnings.iter().cloned());
        Ok((problem, warnings))
    }
}

/// The models on the search path; warns of libraries that are left out.
pub fn library(args: &LibraryArgs) -> Result<Library, Stop> {
    let (library, warnings) = usable(args)?;
    warn(&warnings);
    Ok(library)
}

/// How this program tries libraries before it loads them.
pub fn probe() -> Option<Probe> {
    Probe::new(tuff_gpu::cache_folder(None))
}

fn usable(args: &LibraryArgs) -> Result<(Library, Vec<Warning>), Stop> {
    let (library, refused) = Library::usable(&SearchPath::standard(&args.material_path), probe().as_ref())?;
    let left_out = |error: PluginError| Warning::apart(format!("{error}; it is left out"));
    Ok((library, refused.into_iter().map(left_out).collect()))
}

/// What starts in colliders, in lines for people; what starts in other bodies is among the warnings.
pub fn overlaps(problem: &Problem) -> Vec<String> {
    problem.overlaps.iter().filter_map(|overlap| overlap.in_collider(&problem.scene)).collect()
}

/// Prints warnings on stderr.
pub fn warn(warnings: &[Warning]) {
    let styled = std::io::stderr().is_terminal();
    for warning in warnings {
        note(&warning.render(styled));
    }
}
