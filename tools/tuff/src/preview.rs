//! `tuff preview DIR`: draws frames that are on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use tuff_output::{OutputError, Renderer, SourceRecord, StoredFrame, StoredRun};
use tuff_scene::{FrameAttribute, Preview, Scene};

use crate::args::PreviewArgs;
use crate::executable;
use tuff_cli::exit::{NOT_WRITTEN, Stop};
use tuff_cli::{print, session};

/// Draws the frames of a run again.
pub fn preview(args: &PreviewArgs) -> Result<(), Stop> {
    let run = StoredRun::open(&args.folder)?;
    let library = session::library(&args.library)?;
    let models: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
    let scene = scene(args, &run.source, &models)?;
    let frames = chosen(args, &run)?;
    if !scene.rigid.is_empty() && frames.iter().any(|frame| frame.rigid_file().is_none()) {
        print::note(
            "warning: the frames say nothing of rigid bodies, which are drawn where they start: the run is older than they are; \
             run the scene again",
        );
    }
    let preview = wanted(args, &scene);
    let of_materials: Vec<_> = scene
        .materials
        .iter()
        .filter_map(|material| models.iter().find(|model| model.id == material.model).copied())
        .collect();
    let particles = run.particles()?;
    let mut renderer = match preview.camera {
        // A given camera is used as it is.
        Some(_) => Renderer::new(&scene, &preview, &particles, &of_materials)?,
        None => {
            let extent = |frame: &&StoredFrame| Ok(Renderer::extent(&scene, &run.frame(frame, None)?));
            let extents = frames.par_iter().map(extent).collect::<Result<Vec<_>, OutputError>>()?;
            Renderer::showing(&scene, &preview, &particles, &of_materials, extents.concat())?
        }
    };
    let attribute = preview.color_by.as_ref();
    // Use the same color scale in all pictures.
    if renderer.follows() {
        for frame in &frames {
            renderer.see(&run.frame(frame, attribute)?);
        }
    }
    let out = args.out.clone().unwrap_or_else(|| run.root.join("preview"));
    fs::create_dir_all(&out)
        .map_err(|source| OutputError::CreateFolder { path: out.clone(), source })
        .map_err(Stop::from)?;
    let name = |index: u32| format!("{}.{index:04}.png", scene.name);
    let draw = |frame: &StoredFrame| -> Result<(), OutputError> {
        let picture = renderer.draw(&run.frame(frame, attribute)?);
        picture.save(&out.join(name(frame.index)))
    };
    if renderer.in_parts() {
        frames.iter().try_for_each(|frame| draw(frame))?;
    } else {
        frames.par_iter().try_for_each(|frame| draw(frame))?;
    }
    print::out(&format!("{}: {} pictures\n", out.display(), frames.len()))?;
    let Some(movie) = &args.movie else { return Ok(()) };
    let first = frames.first().map_or(0, |frame| frame.index);
    let pattern = format!("{}.%04d.png", scene.name.replace('%', "%%"));
    film(&out, &pattern, first, frames.len(), scene.time.frame_rate, movie)?;
    print::out(&format!("{}: {} frames a second\n", movie.display(), scene.time.frame_rate))
}

/// Loads the scene of the run, whose colliders the pictures show.
fn scene(
    args: &PreviewArgs,
    source: &SourceRecord,
    models: &[&tuff_material_sdk::descriptor::Descriptor],
) -> Result<Scene, Stop> {
    let path = args.scene.clone().unwrap_or_else(|| PathBuf::from(&source.file));
    let content = fs::read(&path).map_err(|error| {
        Stop::bad_input(format!(
            "the scene of the run, {}, cannot be read: {error}; give its present path with --scene",
            path.display()
        ))
    })?;
    if executable::content_hash(&content) != source.hash {
        print::note(&format!(
            "warning: {} has changed since the run; its colliders, camera and names are drawn as they are now",
            path.display()
        ));
    }
    let overrides =
        source.set.iter().map(|text| tuff_scene::Override::parse(text)).collect::<Result<Vec<_>, _>>()?;
    Ok(tuff_scene::load(&path, &overrides, models)?.scene)
}

/// Returns the picture settings of the scene, changed by the arguments.
fn wanted(args: &PreviewArgs, scene: &Scene) -> Preview {
    let mut preview = scene.output.preview.clone().unwrap_or_default();
    if let Some(camera) = args.camera {
        preview.camera = Some(camera.0);
    }
    if let Some(size) = args.size {
        [preview.width, preview.height] = size.0;
    }
    if let Some(attribute) = &args.attribute {
        preview.color_by = Some(FrameAttribute::named(attribute));
    }
    preview
}

fn chosen<'a>(args: &PreviewArgs, run: &'a StoredRun) -> Result<Vec<&'a StoredFrame>, Stop> {
    let within = |frame: &&StoredFrame| {
        args.frames.is_none_or(|range| (range.first..=range.last).contains(&frame.index))
    };
    let frames: Vec<_> = run.frames.iter().filter(within).collect();
    match (run.frames.first(), run.frames.last()) {
        (Some(first), Some(last)) if frames.is_empty() => Err(Stop::bad_input(format!(
            "--frames selects none of the frames on disk, {}-{}",
            first.index, last.index
        ))),
        _ => Ok(frames),
    }
}

/// Makes a movie with ffmpeg from `count` pictures, starting at number `first`.
fn film(folder: &Path, pattern: &str, first: u32, count: usize, rate: f64, movie: &Path) -> Result<(), Stop> {
    let failed = |reason: String| {
        Stop::new(NOT_WRITTEN, format!("cannot make the movie {}: {reason}", movie.display()))
    };
    let file = movie.file_name().ok_or_else(|| failed("it has no file name".to_owned()))?;
    // An incomplete movie must never replace a complete one.
    let partial = movie.with_file_name(format!(".tuff-partial-{}", file.to_string_lossy()));
    let result = Command::new("ffmpeg")
        .args(["-y", "-v", "error", "-framerate", &rate.to_string(), "-start_number", &first.to_string()])
        .arg("-i")
        .arg(folder.join(pattern))
        .args(["-frames:v", &count.to_string(), "-pix_fmt", "yuv420p"])
        // The format allows even sizes only.
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
        .arg(&partial)
        .stdin(Stdio::null())
        .output();
    let output = match result {
        Ok(output) => output,
        Err(error) => {
            return Err(failed(format!(
                "ffmpeg cannot be started ({error}); install it. The pictures are in {}",
                folder.display()
            )));
        }
    };
    if !output.status.success() {
        let _ = fs::remove_file(&partial);
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!("ffmpeg says: {}", said.trim().lines().last().unwrap_or("nothing"))));
    }
    fs::rename(&partial, movie).map_err(|error| failed(error.to_string()))
}
