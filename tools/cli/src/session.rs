//! From arguments to a problem.

use std::io::IsTerminal;

use tuff_plugin::{Library, SearchPath};
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
        let library = library(&args.library)?;
        let models: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
        let loaded = tuff_scene::load(&args.scene, &args.set, &models)?;
        let scene = match args.particles {
            Some(count) => loaded.scene.rescaled(count)?,
            None => loaded.scene,
        };
        Ok(Self { library, scene, warnings: loaded.warnings })
    }

    /// Samples the bodies and prepares the materials. The warnings are those of loading and sampling.
    pub fn problem(self) -> Result<(Problem, Vec<Warning>), Stop> {
        // Sampling takes a while then; whoever meant another unit should not have to wait for it.
        warn(&many_particles(&self.scene).into_iter().collect::<Vec<_>>());
        let problem = Problem::new(self.scene, &self.library)?;
        let mut warnings = self.warnings;
        warnings.extend(problem.warnings.iter().cloned());
        Ok((problem, warnings))
    }
}

/// The models on the search path.
pub fn library(args: &LibraryArgs) -> Result<Library, Stop> {
    Ok(Library::discover(&SearchPath::standard(&args.material_path))?)
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
