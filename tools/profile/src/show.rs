//! `tuff profile SCENE`.

use tuff_cli::exit::Stop;
use tuff_cli::session::{self, Session};
use tuff_cli::{interrupt, print, simulation};

use crate::args::ProfileArgs;
use crate::measure::{Plan, measure};
use crate::{record, table, trace};

/// Profiles a scene and prints the table.
///
/// # Errors
/// With the exit codes of `tuff`.
pub fn show(args: &ProfileArgs) -> Result<(), Stop> {
    if tuff_run::names_cpu(args.device.as_deref()) {
        return Err(Stop::bad_input(
            "solvers on the CPU have no stage times; choose a Vulkan device (tuff devices)",
        ));
    }
    let control = interrupt::control()?;
    let (problem, warnings) = Session::open(&args.scene)?.problem(args.device.as_deref())?;
    session::warn(&warnings);
    let time = &problem.scene.time;
    let frame = args.at_frame.unwrap_or(time.first_frame);
    if !(time.first_frame..=time.last_frame).contains(&frame) {
        return Err(Stop::bad_input(format!(
            "--at-frame {frame}: the scene has the frames {} to {}",
            time.first_frame, time.last_frame
        )));
    }
    let mut gpu = simulation::open_gpu(&problem, args.device.as_deref())?;
    let plan = Plan { frame, warm_up: args.warm_up, substeps: args.substeps };
    let (record, substeps) = measure(&problem, &mut gpu, plan, &control)?;
    if let Some(path) = &args.json {
        record.write(path)?;
    }
    if let Some(path) = &args.trace {
        record::write(path, &trace::trace(&record.scene.name, &record.device.name, &substeps).to_string())?;
    }
    print::out(&table::table(&record))
}
