//! Handles Ctrl-C and termination: finishes or abandons the current frame as a whole, then exits with code 75.

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

/// Work to do just before the process exits at once.
type LastWords = Box<dyn FnOnce() + Send>;

/// Requests by the user or the system to end a run.
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
    /// Makes signals end the run, from now on, at a point that leaves only complete frames and a correct manifest. A second signal ends
    /// the process at once, which is safe because files appear by renaming.
    pub fn writing(&self) {
        self.shared.writing.store(true, Ordering::SeqCst);
    }

    /// Registers `last`, to be called before the process exits at once. It is called on the thread of the signals, while the run goes on.
    pub fn at_once(&self, last: impl FnOnce() + Send + 'static) {
        let mut words = self.shared.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        *words = Some(Box::new(last));
    }
}

/// Watches for signals that ask the run to end, except those that were ignored at startup (`nohup` and shells arrange this for background
/// jobs). From here on, a file that grows beyond the user's size limit makes the write fail instead of ending the process.
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

/// Like [`watch`], for commands that write nothing.
pub fn control() -> Result<Control, Stop> {
    let interrupt = watch()?;
    interrupt.writing();
    Ok(interrupt.control)
}

/// Returns the mask of ignored signals, with signal 1 in the lowest bit; 0 if the system does not report it.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
