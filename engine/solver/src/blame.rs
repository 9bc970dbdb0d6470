//! Models whose GLSL cannot be used: finds the model that keeps a shader from compiling.

use tuff_gpu::GpuError;
use tuff_plugin::Model;
use tuff_problem::Problem;

use crate::materials;
use crate::setup::SolverError;

/// Converts an error and names the model that caused it. The engine's own shaders are tested, so a model is to blame for every
/// shader that does not compile: in its own text, or where the composed source calls it.
pub(crate) fn blame(error: GpuError, problem: &Problem) -> SolverError {
    let GpuError::Compile { file, line, message, log, .. } = &error else { return error.into() };
    let call = composed_line(problem, file, *line);
    let Some(model) = culprit(problem, file, call.as_deref()) else {
        let names = problem.models.iter().map(|m| format!("{} ({})", m.descriptor().id, m.file().display()));
        let models = names.collect::<Vec<_>>().join(", ");
        return SolverError::Models { error: error.to_string(), models };
    };
    let place = match (call, model.glsl_file()) {
        (Some(call), _) => format!("{file}:{line} (where the engine calls it: `{}`)", call.trim()),
        (None, Some(path)) => format!("{}:{line}", path.display()),
        (None, None) => format!("{file}:{line}"),
    };
    let several = log.lines().count() > 1;
    SolverError::Model {
        library: model.file().display().to_string(),
        model: model.descriptor().id.clone(),
        place,
        message: if several { format!("{message}\n{log}") } else { message.clone() },
    }
}

/// Checks that every model's text has a unique name: sources are identified by their names.
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

/// Returns a line of the composed source; `None` for other files.
fn composed_line(problem: &Problem, file: &str, line: u32) -> Option<String> {
    let (_, text) = materials::sources(problem).pop().filter(|_| file == materials::SOURCE)?;
    text.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned)
}

fn culprit<'a>(problem: &'a Problem, file: &str, call: Option<&str>) -> Option<&'a Model> {
    let mut models = problem.models.iter().map(AsRef::as_ref);
    match call {
        Some(call) => models.find(|m| call.contains(&format!(" {}_", m.descriptor().id))),
        None => models.find(|m| m.glsl_name() == file),
    }
}
