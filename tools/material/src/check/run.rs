//! Builds the runs of a small scene with the model: its text must compile in every stage that uses it, not only on its own.

use std::fmt::Write as _;
use std::path::Path;

use tuff_material_sdk::descriptor::{Descriptor, ParameterKind};
use tuff_plugin::{Library, SearchPath};
use tuff_problem::Problem;
use tuff_run::GpuSimulation;
use tuff_solver::{Options, SolverError};

use super::findings::{Finding, Part, Verdict, written};
use super::journal::Watched;
use super::sets::Set;

/// Schemes, which have stages of their own.
const SCHEMES: [&str; 2] = ["newton_cg", "gauss_seidel"];

/// Compiles the stages of both schemes, with the usual parameters.
pub fn check(model: &Watched<'_>, device: Option<&str>, set: &Set) -> Finding {
    model.note(Part::Glsl, "the GLSL: compiling the stages of a run");
    let compile = |scheme: &'static str| compile(model, device, set, scheme).map(|()| scheme);
    let (verdict, text) = match SCHEMES.into_iter().map(compile).collect::<Result<Vec<_>, _>>() {
        Ok(schemes) => (Verdict::Ok, schemes.join(", ")),
        Err(problem) => problem,
    };
    Finding::new(Part::Glsl, "stages of a run", verdict, text)
}

fn compile(
    model: &Watched<'_>,
    device: Option<&str>,
    set: &Set,
    scheme: &str,
) -> Result<(), (Verdict, String)> {
    let unusable = |error: String| (Verdict::Skipped, format!("not checked: no scene with it: {error}"));
    let path = SearchPath::of(&[model.model.file().to_path_buf()]);
    let library = Library::discover(&path).map_err(|error| unusable(error.to_string()))?;
    let descriptor = model.model.descriptor();
    let scene = scene(descriptor, set, scheme);
    let loaded = tuff_scene::parse(&scene, Path::new("check.toml"), &[], &[descriptor])
        .map_err(|error| unusable(error.to_string()))?;
    let problem = Problem::new(loaded.scene, &library).map_err(|error| unusable(error.to_string()))?;
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    match GpuSimulation::new(&problem, &options) {
        Ok(_) => Ok(()),
        Err(
            error @ (SolverError::Model { .. } | SolverError::Models { .. } | SolverError::SourceName { .. }),
        ) => Err((Verdict::Fail, error.to_string())),
        Err(error) => Err(unusable(error.to_string())),
    }
}

fn scene(descriptor: &Descriptor, set: &Set, scheme: &str) -> String {
    let mut text = format!(
        "format = 1\n[scene]\nname = \"check\"\n[time]\nframes = [1, 2]\nmax_substep = 1e-4\n[solver]\nkernel_radius = 0.01\n\
         scheme = \"{scheme}\"\n[[body]]\nname = \"block\"\nmaterial = \"matter\"\n\
         shape = {{ box = {{ min = [0.0, 0.0, 0.0], max = [0.05, 0.05, 0.05] }} }}\n\
         sampling = {{ kind = \"lattice\", spacing = 0.01 }}\n[[material]]\nname = \"matter\"\nmodel = \"{}\"\n",
        descriptor.id
    );
    let given = descriptor.parameters.iter().zip(&set.values).filter(|(_, value)| !value.is_nan());
    for (parameter, &value) in given {
        let value = match parameter.kind {
            ParameterKind::Number => format!("{value:e}"),
            _ => written(parameter, value).to_string(),
        };
        let _ = writeln!(text, "{} = {value}", parameter.name);
    }
    if descriptor.parameter_index("density").is_none() {
        text += "density = 1000.0\n";
    }
    text
}
