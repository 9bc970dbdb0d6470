//! Ctrl-C and termination: finish or abandon the frame whole, then exit 75.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use tuff_problem::Control;

use crate::exit::{FAILED, INTERRUPTED, Stop};

/// Signals that ask a run to end.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// What is left to do where the process ends at once.
type LastWords = Box<dyn FnOnce() + Send>;

/// What the user or the system asks of a run.
pub struct Interrupt {
    /// Asks the run to end.
    pub control: Control,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// While nothing has been written yet, a signal ends the process at once.
    writing: AtomicBool,
    last_words: Mutex<Option<LastWords>>,
}

impl Interrupt {
    /// From now on the run ends where it leaves whole frames and a true manifest. Asking twice ends the process at once; that is safe
    /// because files appear by renaming.
    pub fn writing(&self) {
        self.shared.writing.store(true, Ordering::SeqCst);
    }

    /// Does `last` before the process ends at once, on a thread of its own: the run goes on meanwhile.
    pub fn at_once(&self, last: impl FnOnce() + Send + 'static) {
        let mut words = self.shared.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        *words = Some(Box::new(last));
    }
}

/// Watches for signals that ask the run to end, but for those that were ignored at the start, as `nohup` and shells do for jobs in the
/// background. A file that grows beyond the user's limit is an error of the write from here on, and not the end of the process.
pub fn watch() -> Result<Interrupt, Stop> {
    let failed = |error: io::Error| Stop::new(FAILED, format!("cannot watch for Ctrl-C: {error}"));
    let ignored = ignored();
    let heard = ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(heard).map_err(failed)?;
    flag::register(SIGXFSZ, Arc::default()).map_err(failed)?;
    let (cancel, shared) = (Arc::new(AtomicBool::new(false)), Arc::new(Shared::default()));
    let interrupt = Interrupt { control: Control::new(Arc::clone(&cancel)), shared: Arc::clone(&shared) };
    let listen = move || {
        for _ in signals.forever() {
            if !shared.writing.load(Ordering::SeqCst) || cancel.swap(true, Ordering::SeqCst) {
                let words = shared.last_words.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(words) = words {
                    words();
                }
                low_level::exit(i32::from(INTERRUPTED));
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map_err(failed)?;
    Ok(interrupt)
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
