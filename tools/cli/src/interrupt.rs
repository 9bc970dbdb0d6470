//! Ctrl-C and termination: finish or abandon the frame whole, then exit 75.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use tuff_problem::Control;

use crate::exit::{FAILED, INTERRUPTED, Stop};

/// Signals that ask a run to end.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// What the user or the system asks of a run.
#[derive(Debug)]
pub struct Interrupt {
    /// Asks the run to end.
    pub control: Control,
    /// While nothing has been written yet, a signal ends the process at once.
    preparing: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on the run ends where it leaves whole frames and a true manifest. Asking twice ends the process at once; that is safe
    /// because files appear by renaming.
    pub fn writing(&self) {
        self.preparing.store(false, Ordering::SeqCst);
    }
}

/// Watches for signals that ask the run to end, but for those that were ignored at the start, as `nohup` and shells do for jobs in the
/// background. A file that grows beyond the user's limit is an error of the write from here on, and not the end of the process.
pub fn watch() -> Result<Interrupt, Stop> {
    let cancel = Arc::new(AtomicBool::new(false));
    let preparing = Arc::new(AtomicBool::new(true));
    let ignored = ignored();
    let install = || -> io::Result<()> {
        for signal in ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0) {
            let code = i32::from(INTERRUPTED);
            flag::register_conditional_shutdown(signal, code, Arc::clone(&preparing))?;
            flag::register_conditional_shutdown(signal, code, Arc::clone(&cancel))?;
            flag::register(signal, Arc::clone(&cancel))?;
        }
        flag::register(SIGXFSZ, Arc::default())?;
        Ok(())
    };
    install().map_err(|error| Stop::new(FAILED, format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(Interrupt { control: Control::new(cancel), preparing })
}

/// As [`watch`], for what writes nothing.
pub fn control() -> Result<Control, Stop> {
    let interrupt = watch()?;
    interrupt.writing();
    Ok(interrupt.control)
}

/// Signals that are ignored, as a mask with signal 1 in the lowest bit; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
