//! `tuff run SCENE`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use tuff_output::{
    EngineRecord, FrameLayout, FrameRecord, Manifest, OldFrames, OutputFolder, Renderer, ResumedRecord,
    RetryRecord, RunState, SourceRecord, Status,
};
use tuff_problem::{Control, Failure, FrameReport, Problem, SimulationError};
use tuff_run::{Checkpoint, Derived, Simulation};
use tuff_scene::{Checkpoints, FrameFormat, Scene, Warning};

use crate::args::RunArgs;
use crate::executable;
use crate::failure;
use crate::frames::FrameRange;
use crate::progress::Progress;
use crate::resume::{self, Found};
use crate::watch::Watch;
use tuff_cli::args::SceneArgs;
use tuff_cli::exit::{INTERRUPTED, Stop};
use tuff_cli::session::{self, Session};
use tuff_cli::{interrupt, print};

/// Simulates a scene and writes its frames.
pub fn run(args: &RunArgs) -> Result<(), Stop> {
    let interrupt = interrupt::watch()?;
    let mut session = Session::open(&args.scene)?;
    choose_frames(&mut session.scene, args.frames)?;
    if let Some(every) = args.checkpoint {
        session.scene.output.checkpoint.every = every;
    }
    let scene = &session.scene;
    let root = args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&scene.name));
    let mut folder = OutputFolder::inspect(&root, &scene.name, old_frames(args))?;
    let frames = scene.time.last_frame - scene.time.first_frame + 1;
    let mut progress = Progress::new(args.progress, args.quiet, args.verbose, frames);
    let (mut problem, warnings) =
        progress.while_at_work("filling the bodies", || session.problem(args.device.as_deref()))?;
    let watch = watch(args, &mut problem)?;

    progress.warn(&warnings);
    let models: Vec<_> = problem.materials.iter().map(|m| problem.models[m.model].descriptor()).collect();
    let layout = FrameLayout::new(&problem.scene.output.attributes, &models)?.described(&problem.scene);
    let renderer = match &problem.scene.output.preview {
        Some(preview) => Some(Renderer::new(&problem.scene, preview, &problem.particles_at_rest(), &models)?),
        None => None,
    };
    interrupt.writing();
    folder.create()?;
    interrupt.at_once(folder.final_status_writer(Status {
        state: RunState::Interrupted,
        exit_code: Some(INTERRUPTED),
        message: Some("interrupted twice and ended at once".to_owned()),
        ..Status::running()
    }));
    let open = || tuff_run::open(&problem, args.device.as_deref());
    let mut simulation = progress.while_at_work("opening the device and compiling shaders", open)?;
    let device = simulation.device_name();
    progress.start(
        &problem.scene.name,
        problem.particle_count(),
        &device,
        problem.scene.time.substep_bounds.is_none().then(|| problem.substeps_per_frame()),
        &root.display().to_string(),
    );
    for line in session::overlaps(&problem) {
        progress.note(&line);
    }
    progress.detail(&format!("writing to {}", root.display()));
    for line in watch.iter().flat_map(|watch| watch.lines(&problem)) {
        progress.note(&line);
    }

    let differing = simulation.compare_models().unwrap_or_else(|error| vec![error.to_string()]);
    let differing: Vec<_> = differing.into_iter().map(Warning::apart).collect();
    progress.warn(&differing);
    let warnings = [warnings, differing].concat();

    let mut manifest = manifest(&problem, source(&args.scene), device, &warnings);
    let time = problem.scene.time;
    let begun = if args.resume || args.resume_anyway {
        let identity = resume::identity(&problem, &manifest);
        resume::find(&folder, &identity, time.last_frame, args.resume_anyway)?
    } else {
        None
    };
    let after = begun.as_ref().map(|found| found.checkpoint.state.frame);
    match begun {
        None => folder.remove_old_frames()?,
        Some(Found { name, mut checkpoint, changed, warnings }) => {
            progress.warn(&warnings);
            let frame = checkpoint.state.frame;
            if changed.iter().any(|key| key.starts_with("time.") || key.starts_with("solver.")) {
                // The saved step control belongs to the old settings.
                let fresh = simulation.save()?;
                (checkpoint.state.max_substep, checkpoint.state.steps) = (fresh.max_substep, fresh.steps);
            }
            simulation.restore(&checkpoint.state).map_err(|error| {
                let stop = Stop::from(error);
                Stop::new(stop.code, format!("{name}: {}; pass --overwrite to start over", stop.reason()))
            })?;
            manifest.resume(&root, ResumedRecord { frame, changed })?;
            let missing = manifest.missing_files(&root);
            if let Some(first) = missing.first() {
                let count = missing.len();
                progress.warn(&[Warning::apart(format!(
                    "{count} files of frames up to {frame} are missing, for example {first}; they are not written again"
                ))]);
            }
            folder.remove_frames_after(frame)?;
            progress.resumed(frame, frame - time.first_frame + 1, &name);
        }
    }
    let clock = Instant::now();
    let mut writer = Writer {
        derived: Derived::of(&problem),
        problem,
        folder,
        layout,
        renderer,
        manifest,
        progress,
        watch,
        after,
        retries: args.retry,
        failure: Vec::new(),
        cropped: Cropped::default(),
        listed: 0,
    };
    writer.folder.write_manifest(&writer.manifest)?;
    let outcome = writer.frames(simulation.as_mut(), &interrupt.control);
    let ended = writer.end(&outcome);
    let again = writer.problem.scene.output.particles.contains(&FrameFormat::Ply).then_some(root.as_path());
    writer.progress.warn(&Vec::from_iter(writer.cropped.told(again)));
    writer.progress.end(outcome.as_ref().err());
    let most = writer.manifest.frames.iter().map(|frame| frame.particles).max().unwrap_or_default();
    let most =
        format!("{}{}", if writer.problem.changes() { "up to " } else { "" }, print::count(most as u64));
    outcome?;
    ended?;
    if args.quiet {
        return Ok(());
    }
    print::out(&format!(
        "{}: {frames} frames of {most} particles in {}\n",
        root.display(),
        print::duration(clock.elapsed().as_secs_f64())
    ))
}

/// Decides what happens to frames that already exist.
fn old_frames(args: &RunArgs) -> OldFrames {
    if args.overwrite {
        OldFrames::Replace
    } else if args.resume || args.resume_anyway {
        OldFrames::Continue
    } else {
        OldFrames::Refuse
    }
}

/// Opens the watch that `--watch-materials` asks for. Solvers on the CPU do not use GLSL.
fn watch(args: &RunArgs, problem: &mut Problem) -> Result<Option<Watch>, Stop> {
    let Some(folder) = &args.watch_materials else { return Ok(None) };
    let glsl = !tuff_run::on_cpu(problem, args.device.as_deref());
    Watch::open(problem, folder.as_deref(), glsl).map(Some)
}

/// Applies `--frames`.
fn choose_frames(scene: &mut Scene, range: Option<FrameRange>) -> Result<(), Stop> {
    let Some(range) = range else { return Ok(()) };
    let first = scene.time.first_frame;
    if range.first != first {
        return Err(Stop::bad_input(format!(
            "--frames starts at {}, but a run starts at the scene's first frame, {first}: a simulation cannot begin in the \
             middle; write {first}-{}",
            range.first,
            range.last.max(first)
        )));
    }
    scene.time.last_frame = range.last;
    Ok(())
}

/// Records where the scene came from, for `run.json`.
fn source(args: &SceneArgs) -> SourceRecord {
    let file = std::fs::canonicalize(&args.scene).unwrap_or_else(|_| args.scene.clone());
    // Skip pipes: the scene has already been read from it, and reading again would block.
    let content = file.is_file().then(|| std::fs::read(&file).ok()).flatten();
    SourceRecord {
        hash: content.map_or_else(String::new, |text| executable::content_hash(&text)),
        file: file.display().to_string(),
        set: args.set.iter().map(|change| change.text().to_owned()).collect(),
        particles: args.particles,
    }
}

fn manifest(problem: &Problem, source: SourceRecord, device: String, warnings: &[Warning]) -> Manifest {
    let engine = EngineRecord { version: env!("CARGO_PKG_VERSION").to_owned(), hash: executable::hash() };
    Manifest::new(problem, engine, source, device, warnings.iter().map(|w| w.message().to_owned()).collect())
}

/// Counts pictures that do not show all matter although their camera was chosen to.
#[derive(Default)]
struct Cropped {
    pictures: u32,
    /// Largest fraction of the particles outside one picture.
    most: f64,
}

impl Cropped {
    /// Fraction of the particles outside a picture above which they count as missed.
    const MISSED: f64 = 0.02;

    fn count(&mut self, part: f64) {
        self.pictures += u32::from(part > Self::MISSED);
        self.most = self.most.max(part);
    }

    /// Returns the warning about such pictures, if any. `frames` is the folder of frames that can be drawn again.
    fn told(&self, frames: Option<&Path>) -> Option<Warning> {
        let cure = frames.map_or("set a camera in output.preview".to_owned(), |folder| {
            format!("tuff preview {} draws them with a camera that shows all of it", folder.display())
        });
        (self.pictures > 0).then(|| {
            Warning::apart(format!(
                "{} picture(s) do not show all matter, one misses {:.0} % of it; {cure}",
                self.pictures,
                100.0 * self.most
            ))
        })
    }
}

/// Writes frames and keeps the manifest up to date.
struct Writer {
    problem: Problem,
    folder: OutputFolder,
    layout: FrameLayout,
    renderer: Option<Renderer>,
    manifest: Manifest,
    progress: Progress,
    watch: Option<Watch>,
    /// How many more times a failed frame may be computed again.
    retries: u32,
    /// Files that describe the failure that ended the run.
    failure: Vec<String>,
    cropped: Cropped,
    /// Frame of the checkpoint that the run continues from.
    after: Option<u32>,
    derived: Derived,
    /// Number of frames in the time lines on disk.
    listed: usize,
}

impl Writer {
    /// Part of the frames by which time lines may be behind while running. They are written whole: after every frame, a long run would
    /// write mostly time lines.
    const BEHIND: usize = 16;

    /// Writes all frames and, however that ends, the time lines of those that are on disk.
    fn frames(&mut self, simulation: &mut dyn Simulation, control: &Control) -> Result<(), Stop> {
        let outcome = self.each_frame(simulation, control);
        let listed = self.list_frames();
        outcome.and(listed)
    }

    /// Writes the initial state, unless the run continues from a checkpoint, and then every frame of the simulation.
    fn each_frame(&mut self, simulation: &mut dyn Simulation, control: &Control) -> Result<(), Stop> {
        let time = self.problem.scene.time;
        if self.after.is_none() {
            self.write(simulation, None)?;
        }
        for frame in self.after.unwrap_or(time.first_frame) + 1..=time.last_frame {
            self.follow_materials(simulation, frame);
            let report = self.advance(simulation, frame, control)?;
            self.write(simulation, Some(&report))?;
        }
        Ok(())
    }

    /// Computes the next frame. After a failure, repeats it from the previous frame with half the substep, as long as retries are left.
    fn advance(
        &mut self,
        simulation: &mut dyn Simulation,
        frame: u32,
        control: &Control,
    ) -> Result<FrameReport, Stop> {
        if self.retries > 0 {
            simulation.keep()?;
        }
        let length = 1.0 / self.problem.scene.time.frame_rate;
        loop {
            match self.progress.while_computing(frame, length, control, || simulation.advance(control)) {
                Err(SimulationError::Failed(failure)) if self.retries > 0 => {
                    self.retry(simulation, &failure)?;
                }
                Err(SimulationError::Failed(failure)) => {
                    let (stop, files) = failure::report(
                        simulation.problem().unwrap_or(&self.problem),
                        &failure,
                        &self.folder,
                    );
                    self.progress.failure(&failure, files.first().map(String::as_str));
                    self.failure = files;
                    return Err(stop);
                }
                outcome => return Ok(outcome?),
            }
        }
    }

    fn retry(&mut self, simulation: &mut dyn Simulation, failure: &Failure) -> Result<(), Stop> {
        let [substep, halved] = simulation.retry()?;
        self.retries -= 1;
        let record = RetryRecord::new(failure, substep, halved);
        self.progress.retry(failure, &record);
        self.manifest.retries.push(record);
        self.folder.write_manifest(&self.manifest)?;
        Ok(())
    }

    /// Replaces the models whose files have changed, for the frames from `frame` on.
    fn follow_materials(&mut self, simulation: &mut dyn Simulation, frame: u32) {
        let Some(watch) = &mut self.watch else { return };
        for event in watch.poll(&mut self.problem, simulation) {
            self.progress.material(frame, event.taken.is_some(), &event.message);
            if let Some(model) = event.taken {
                self.manifest.replaced(&self.problem, model, frame);
            }
        }
    }

    fn write(&mut self, simulation: &mut dyn Simulation, report: Option<&FrameReport>) -> Result<(), Stop> {
        let mut frame = simulation.frame()?;
        self.derived.add(&self.problem, &mut frame);
        let mut files = Vec::new();
        for &format in &self.problem.scene.output.particles {
            self.folder.write_frame(format, &self.layout, &frame)?;
            files.push(self.folder.frame_name(format, frame.index));
        }
        if !frame.rigid.is_empty() {
            self.folder.write_rigid(&self.problem.scene, &frame)?;
            files.push(self.folder.rigid_name(frame.index));
        }
        files.extend(self.folder.write_cloth(&self.problem.scene, &frame)?);
        if let Some(renderer) = &mut self.renderer {
            self.folder.write_preview(frame.index, &renderer.render(&frame))?;
            let fitted =
                self.problem.scene.output.preview.as_ref().is_some_and(|preview| preview.camera.is_none());
            if fitted {
                self.cropped.count(renderer.cropped(&frame));
            }
            files.push(self.folder.preview_name(frame.index));
        }
        self.manifest.frames.push(FrameRecord::new(&frame, files, report));
        if self.manifest.frames.len() > self.listed + self.listed / Self::BEHIND {
            self.list_frames()?;
        }
        self.folder.write_manifest(&self.manifest)?;
        let done = frame.index - self.problem.scene.time.first_frame + 1;
        self.progress.frame(frame.index, done, frame.time, report);
        self.checkpoint(simulation, frame.index)
    }

    /// Writes the time lines of the frames on disk, unless they are up to date.
    fn list_frames(&mut self) -> Result<(), Stop> {
        let frames = &self.manifest.frames;
        if self.listed < frames.len() {
            let camera = self.problem.scene.output.preview.as_ref().and_then(|preview| preview.camera);
            self.folder.write_time_lines(&self.problem.scene, &self.layout, camera, frames)?;
            self.listed = frames.len();
        }
        Ok(())
    }

    /// Writes a checkpoint of a frame that is on disk, if one is due.
    fn checkpoint(&self, simulation: &dyn Simulation, frame: u32) -> Result<(), Stop> {
        let time = self.problem.scene.time;
        let Checkpoints { every, keep } = self.problem.scene.output.checkpoint;
        let passed = frame - time.first_frame;
        if every == 0 || passed == 0 || !(passed.is_multiple_of(every) || frame == time.last_frame) {
            return Ok(());
        }
        // Models may have been replaced since the run began.
        let now = Manifest::new(
            &self.problem,
            self.manifest.engine.clone(),
            self.manifest.source.clone(),
            self.manifest.device.clone(),
            Vec::new(),
        );
        let identity = resume::identity(&self.problem, &now);
        let checkpoint = Checkpoint { identity, state: simulation.save()? };
        Ok(self.folder.write_checkpoint(frame, keep, |out| checkpoint.write(out))?)
    }

    /// Records how the run ended.
    fn end(&mut self, outcome: &Result<(), Stop>) -> Result<(), Stop> {
        self.manifest.status = match outcome {
            Ok(()) => Status { state: RunState::Finished, exit_code: Some(0), ..Status::running() },
            Err(stop) => Status {
                state: if stop.code == INTERRUPTED { RunState::Interrupted } else { RunState::Failed },
                exit_code: Some(stop.code),
                message: Some(stop.reason().to_owned()),
                failure: std::mem::take(&mut self.failure),
            },
        };
        Ok(self.folder.write_manifest(&self.manifest)?)
    }
}
