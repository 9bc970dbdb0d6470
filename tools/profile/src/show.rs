//! `tuff profile SCENE`.

use tuff_cli::exit::Stop;
use tuff_cli::session::{self, Session};
use tuff_cli::{interrupt, print, simulation};
use tuff_run::{CpuSimulation, ReferenceSimulation};

use crate::args::ProfileArgs;
use crate::measure::{Plan, measure};
use crate::{compile, record, table, trace};

/// Profiles a scene and prints the table.
///
/// # Errors
/// With the exit codes of `tuff`.
pub fn show(args: &ProfileArgs) -> Result<(), Stop> {
    if let Some(families) = &args.compile {
        return compile::compile(args, families);
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
    let plan = Plan { frame, warm_up: args.warm_up, substeps: args.substeps };
    let measured = match tuff_run::chosen(&problem, args.device.as_deref()) {
        tuff_run::Chosen::Cpu => measure(&problem, &mut CpuSimulation::new(&problem), plan, &control),
        tuff_run::Chosen::Reference => {
            measure(&problem, &mut ReferenceSimulation::new(&problem), plan, &control)
        }
        tuff_run::Chosen::Mpm => {
            return Err(Stop::bad_input(
                "--device mpm: its steps have no stages; allowed are cpu, reference and Vulkan devices",
            ));
        }
        tuff_run::Chosen::Vulkan(device) => {
            measure(&problem, &mut simulation::open_gpu(&problem, device)?, plan, &control)
        }
    };
    let (record, substeps) = measured?;
    if let Some(path) = &args.json {
        record.write(path)?;
    }
    if let Some(path) = &args.trace {
        record::write(path, &trace::trace(&record.scene.name, &record.device.name, &substeps).to_string())?;
    }
    print::out(&table::table(&record))
}
