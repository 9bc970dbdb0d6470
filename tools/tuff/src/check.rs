//! `tuff check SCENE`: reports what a run will do and cost.

use std::fmt::Write;

use tuff_output::FrameLayout;
use tuff_problem::{Problem, Solver};
use tuff_reference::symmetric::eigen;
use tuff_run::{CpuSimulation, Run, Simulation};
use tuff_scene::{Hold, Matter, Scheme};

use crate::args::CheckArgs;
use crate::neighbors;
use tuff_cli::exit::Stop;
use tuff_cli::session::{self, Session};
use tuff_cli::{interrupt, print, simulation};

/// Bytes per pixel of a preview picture, measured on the scenes that ship.
const PREVIEW_BYTES_PER_PIXEL: f64 = 0.4;
/// Substeps before the timed ones, in which pipelines are created and buffers grow.
const WARM_UP: u32 = 3;
/// Number of substeps that `--time` measures.
const TIMED: u32 = 20;

/// Time per substep at the start.
struct Timing {
    device: String,
    seconds_per_substep: f64,
}

/// Validates a scene and prints what a run will cost.
pub fn check(args: &CheckArgs) -> Result<(), Stop> {
    if let Some(name) = args.device.as_deref().filter(|&name| !tuff_run::names_cpu(Some(name))) {
        tuff_gpu::Device::chosen(Some(name))?;
    }
    let (problem, warnings) = Session::open(&args.scene)?.problem(args.device.as_deref())?;
    let models: Vec<_> = problem.materials.iter().map(|m| problem.models[m.model].descriptor()).collect();
    let layout = FrameLayout::new(&problem.scene.output.attributes, &models)?.described(&problem.scene);
    session::warn(&warnings);
    let timing = if args.time { Some(measure(&problem, args.device.as_deref())?) } else { None };
    print::out(&report(&problem, &layout, timing.as_ref(), warnings.len()))
}

/// Times some substeps of the initial state.
fn measure(problem: &Problem, device: Option<&str>) -> Result<Timing, Stop> {
    if matches!(device, Some("reference" | "mpm")) {
        return Err(Stop::bad_input(
            "--time measures Vulkan devices and `cpu`; choose one of them (tuff devices)",
        ));
    }
    if tuff_run::on_cpu(problem, device) {
        time(CpuSimulation::new(problem), problem)
    } else {
        time(simulation::open_gpu(problem, device)?, problem)
    }
}

fn time<S: Solver>(mut run: Run<S>, problem: &Problem) -> Result<Timing, Stop> {
    let control = interrupt::control()?;
    let failed = |error| simulation::failed(error, problem);
    run.advance_substeps(WARM_UP, &control).map_err(failed)?;
    let report = run.advance_substeps(TIMED, &control).map_err(failed)?;
    Ok(Timing {
        device: run.device_name(),
        seconds_per_substep: report.wall_seconds / f64::from(report.substeps.max(1)),
    })
}

fn report(problem: &Problem, layout: &FrameLayout, timing: Option<&Timing>, warnings: usize) -> String {
    let scene = &problem.scene;
    let particles = problem.particle_count();
    let (mean, largest) = neighbors::count(problem);
    let memory = tuff_solver::memory_estimate(problem, mean);
    let frames = u64::from(scene.time.last_frame - scene.time.first_frame) + 1;
    let substeps = problem.substeps_per_frame();
    let formats = scene.output.particles.iter();
    let mut disk: u64 = formats.map(|&format| layout.disk_bytes(format, particles)).sum();
    if let Some(preview) = &scene.output.preview {
        disk += (f64::from(preview.width) * f64::from(preview.height) * PREVIEW_BYTES_PER_PIXEL) as u64;
    }

    let in_all = |quantity: String| match scene.time.substep_bounds {
        None => format!(", {quantity}in all"),
        Some(_) => " at the first step".to_owned(),
    };
    let at_start = if problem.changes() { " at the start" } else { "" };
    let mut text = format!("{} is valid\n\n", scene.file.display());
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<22} {value}");
    };
    line("particles", print::count(particles as u64) + at_start);
    line("neighbors", format!("{mean:.1} per particle at the start, at most {largest}"));
    let per_particle = match particles {
        0 => String::new(),
        _ => format!(" ({:.0} B per particle)", memory as f64 / particles as f64),
    };
    line("device memory", format!("about {}{per_particle}{at_start}", print::bytes(memory)));
    line(
        "disk per frame",
        format!(
            "about {}, {} for all {frames} frames{at_start}",
            print::bytes(disk),
            print::bytes(disk * frames)
        ),
    );
    // The first frame is the initial state and takes no substeps.
    let all_substeps = (frames - 1) * u64::from(substeps);
    line(
        "substeps",
        match scene.time.substep_bounds {
            None => {
                format!(
                    "{substeps} of {:.3e} s per frame, {} in all",
                    problem.dt(),
                    print::count(all_substeps)
                )
            }
            Some([least, most]) => format!(
                "{substeps} of {:.3e} s per frame at first; then adaptive, {least:.3e} to {most:.3e} s",
                problem.dt()
            ),
        },
    );
    line("scheme", scheme(problem));
    let work = mean * particles as f64 * f64::from(scene.solver.iterations);
    line(
        "work",
        format!(
            "{}neighbor-pair-iterations per frame{}",
            print::quantity(work * f64::from(substeps)),
            in_all(print::quantity(work * all_substeps as f64))
        ),
    );
    if let Some(timing) = timing {
        let each = timing.seconds_per_substep;
        line(
            "time",
            format!(
                "about {} per frame{}, from {TIMED} substeps of the initial state on {}",
                print::duration(each * f64::from(substeps)),
                in_all(print::duration(each * all_substeps as f64) + " "),
                timing.device
            ),
        );
    }
    for (emitter, layers) in std::iter::zip(&scene.emitters, &*problem.layers) {
        let end = f64::from(scene.time.last_frame - scene.time.first_frame) / scene.time.frame_rate;
        let rate = layers.position.len() as f64 / (layers.period * layers.layers.len() as f64);
        line(
            "emitter",
            format!(
                "`{}`: {rate:.0} particles per second in layers of {:.3e} s, {} in all",
                scene.bodies[emitter.body].name,
                layers.period,
                print::count(layers.particles(layers.left_by(end)))
            ),
        );
    }
    if let Some((particles, part)) = problem.soaked {
        line(
            "mixture",
            format!(
                "{} particles of fluids start among grains, which leave them {:.0} % of their volume",
                print::count(particles as u64),
                100.0 * part
            ),
        );
    }
    line("velocity smoothing", format!("like {}", problem.describe_smoothing()));
    for (material, speed) in problem.assumed_sound_speeds() {
        line(
            "sound speed",
            format!("of `{material}`: {speed:.3} m/s, ten times the largest speed to expect"),
        );
    }
    for overlap in session::overlaps(problem) {
        line("overlap", overlap);
    }
    if !scene.bodies.is_empty() {
        text += &step_report(problem);
    }
    if !scene.rigid.is_empty() {
        text += &rigid_report(problem);
    }
    if warnings > 0 {
        let _ = writeln!(text, "\n{warnings} warning(s)");
    }
    text
}

/// Describes the scheme, its limit on iterations and, if it was chosen automatically, the reason.
fn scheme(problem: &Problem) -> String {
    let settings = &problem.scene.solver;
    if settings.matter != Matter::Continuum {
        return format!("spheres, {} iterations", settings.iterations);
    }
    let name = settings.scheme.name();
    let unit = if settings.scheme == Scheme::NewtonCg { "passes" } else { "iterations" };
    let mut text = format!("{name}, {} {unit}", settings.iterations);
    if settings.residual_tolerance > 0.0 {
        text = format!(
            "{name}, at most {} {unit} to a force residual of {}",
            settings.iterations, settings.residual_tolerance
        );
    }
    if let Some(choice) = &problem.scheme_choice {
        text += &format!(" (auto: {})", choice.reason);
    }
    text
}

/// Reports how far sound travels in a substep in each body, and which body limits the step.
fn step_report(problem: &Problem) -> String {
    let mut text =
        String::from("\n  sound crosses this many particle spacings per substep (c_p dt / spacing)\n");
    let mut limiting: Option<(f64, usize)> = None;
    for (index, body) in problem.scene.bodies.iter().enumerate() {
        let step = problem.stable_step(index);
        let crossings = problem.crossings(index);
        let material = &problem.materials[body.material].name;
        let _ = writeln!(text, "    {:<20} {crossings:>8.2}   (one at {step:.2e} s; {material})", body.name);
        if crossings.is_finite() && limiting.is_none_or(|(most, _)| crossings > most) {
            limiting = Some((crossings, index));
        }
    }
    if let Some((crossings, index)) = limiting {
        let body = &problem.scene.bodies[index];
        let _ = writeln!(text, "  the step is limited by body `{}`: {crossings:.2}", body.name);
    }
    text
}

/// Lists the rigid bodies with what follows from their shapes and what decides on their contacts.
fn rigid_report(problem: &Problem) -> String {
    let mut text = String::from(
        "\n  rigid bodies (in a contact the smaller friction counts and the larger restitution)\n",
    );
    let states = problem.rigid.initial();
    for (index, (rigid, state)) in std::iter::zip(&problem.scene.rigid, &states).enumerate() {
        let (moments, _) = eigen(problem.rigid.inertia(index, state));
        let mut moments = moments.to_array();
        moments.sort_by(f64::total_cmp);
        let [a, b, c] = moments;
        let volume = rigid.shape.mass_properties().volume;
        let _ = write!(
            text,
            "    {:<20} {:.3e} kg, {volume:.3e} m^3, principal inertia {a:.3e}, {b:.3e}, {c:.3e} kg m^2; friction {}, restitution {}",
            rigid.name,
            problem.rigid.mass(index),
            rigid.friction.coefficient(),
            rigid.restitution
        );
        if rigid.adhesion > 0.0 {
            let _ = write!(text, ", adhesion {} Pa", rigid.adhesion);
        }
        text += match rigid.hold {
            Some(Hold::Ball(_)) => ", held by a ball joint\n",
            Some(Hold::Hinge { .. }) => ", held by a hinge\n",
            None => "\n",
        };
    }
    text
}
