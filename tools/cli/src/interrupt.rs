//! Ctrl-C and termination: finish or abandon the frame whole, then exit 75.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::{FAILED, INTERRUPTED, Stop};

/// A flag that becomes true when the user or the system asks the run to end. Asking twice ends the
/// process at once; that is safe because files appear by renaming.
pub fn flag() -> Result<Arc<AtomicBool>, Stop> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let installed = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    installed.map_err(|error| Stop::new(FAILED, format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(flag)
}
