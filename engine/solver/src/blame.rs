//! Models whose GLSL cannot be used: whose fault it is that a shader does not compile.

use tuff_gpu::GpuError;
use tuff_plugin::Model;
use tuff_problem::Problem;

use crate::materials;
use crate::setup::SolverError;

/// The error with the model that caused it. The engine's own shaders are tested, so that a model is to blame for everything that
/// does not compile: its text, or the place of the composed source that calls it.
pub(crate) fn blame(error: GpuError, problem: &Problem) -> SolverError {
    let GpuError::Compile { file, line, message, log, .. } = &error else { return error.into() };
    let Some(model) = culprit(problem, file, *line) else {
        let names = problem.models.iter().map(|m| format!("{} ({})", m.descriptor().id, m.file().display()));
        let models = names.collect::<Vec<_>>().join(", ");
        return SolverError::Models { error: error.to_string(), models };
    };
    let replaced = model.glsl_file().filter(|_| file == model.glsl_name());
    let file = replaced.map_or_else(|| file.clone(), |path| path.display().to_string());
    SolverError::Model {
        library: model.file().display().to_string(),
        model: model.descriptor().id.clone(),
        place: format!("{file}:{line}"),
        message: format!("{message}\n{log}"),
    }
}

/// Checks that every model's text has a name of its own: sources are told by their names.
pub(crate) fn check_names(problem: &Problem) -> Result<(), SolverError> {
    for (index, model) in problem.models.iter().enumerate() {
        let name = model.glsl_name();
        let twin = problem.models[..index].iter().find(|other| other.glsl_name() == name);
        let other = match twin {
            Some(twin) => format!("that of `{}` in {}", twin.descriptor().id, twin.file().display()),
            None if name == materials::SOURCE || tuff_gpu::is_engine_source(name) => {
                "a source of the engine".to_owned()
            }
            None => continue,
        };
        return Err(SolverError::SourceName {
            library: model.file().display().to_string(),
            model: model.descriptor().id.clone(),
            name: name.to_owned(),
            other,
        });
    }
    Ok(())
}

fn culprit<'a>(problem: &'a Problem, file: &str, line: u32) -> Option<&'a Model> {
    let mut models = problem.models.iter().map(AsRef::as_ref);
    if file != materials::SOURCE {
        return models.find(|m| m.glsl_name() == file);
    }
    let (_, text) = materials::sources(problem).pop()?;
    let called = text.lines().nth((line as usize).checked_sub(1)?)?;
    models.find(|m| called.contains(&format!(" {}_", m.descriptor().id)))
}
