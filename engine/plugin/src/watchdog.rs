//! Calls into a library that may not return.
//!
//! A thread cannot be stopped from outside, so an overdue one is abandoned and the caller rejects the library.

use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use crate::{Model, PrepareError, TensorPoint, Variant};

/// Deadline of a single call \[s\]. The functions called here do microseconds of work.
pub(crate) const DEADLINE: u64 = 5;

/// True if a library was abandoned while it was being loaded.
static STUCK: AtomicBool = AtomicBool::new(false);

/// Ends the process if a library never returned from being loaded; otherwise does nothing. A regular exit would wait for that
/// library, because the system's loader stays locked.
pub fn end_if_stuck(code: u8) {
    #[cfg(unix)]
    if STUCK.load(Ordering::Relaxed) {
        unsafe extern "C" {
            fn _exit(code: i32) -> !;
        }
        // SAFETY: POSIX; ends the process and does nothing else.
        unsafe { _exit(code.into()) }
    }
}

/// Runs `work` on its own thread and returns the result; `None` if it is late.
pub(crate) fn within_deadline<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = channel();
    let spawned = thread::Builder::new().name("plugin".to_owned()).spawn(move || {
        // After the deadline nobody listens any more.
        let _ = sender.send(work());
    });
    let result = spawned.ok().and_then(|_| receive(&receiver).ok());
    STUCK.fetch_or(result.is_none(), Ordering::Relaxed);
    result
}

/// Calls every function of the model once, at rest, and reports the first that does not return. Apart from a refusal of
/// `prepare`, ignores the results: the functions are pure, and the caller calls them again.
///
/// # Errors
/// The refusal of `prepare`, or the names of the function and of the library.
pub(crate) fn rehearse(model: &Model, parameters: &[f64]) -> Result<(), PrepareError> {
    let (sender, receiver) = channel();
    let (actor, parameters) = (model.clone(), parameters.to_vec());
    let spawned = thread::Builder::new().name("plugin".to_owned()).spawn(move || {
        let send = |message| {
            // As above.
            let _ = sender.send(message);
        };
        let begin = |function| send(Ok(function));
        let constants = match actor.call_prepare(&parameters) {
            Ok(constants) => constants,
            Err(error) => return send(Err(error)),
        };
        if !constants.iter().all(|value| value.is_finite()) {
            return;
        }
        let state = actor.initial_state(&constants);
        begin("moduli");
        actor.moduli(&constants, &state);
        match actor.descriptor().variant {
            Variant::Principal => {
                begin("project");
                actor.project(&constants, &state, 1e-4, [0.0; 3]);
                begin("energy");
                actor.energy(&constants, &state, [0.0; 3]);
                begin("kirchhoff");
                actor.kirchhoff(&constants, &state, [0.0; 3]);
                begin("stress");
                actor.stress(&constants, &[state], 1e-4, 0, &[[0.0]; 3], &mut [[0.0]; 3]);
            }
            Variant::Tensor { .. } => {
                let point = TensorPoint { dt: 1e-4, ..TensorPoint::at_rest(&constants, state) };
                begin("respond");
                actor.respond(&point);
                begin("advance");
                actor.advance(&point);
                begin("energy");
                actor.stored_energy(&point);
            }
        }
        begin("stable_step");
        actor.stable_step(&constants, 1e3, 1e-2);
    });
    let refuse = |message: String| PrepareError { parameter: None, message };
    spawned.map_err(|error| refuse(format!("no thread could be started to try the model: {error}")))?;
    let mut function = "prepare";
    loop {
        match receive(&receiver) {
            Ok(next) => function = next?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                return Err(refuse(format!(
                    "`{function}` of model `{}` in {} did not return within {DEADLINE} s; its library is at fault",
                    model.descriptor().id,
                    model.file().display(),
                )));
            }
        }
    }
}

/// Waits [`DEADLINE`] in short steps, so that time during which the process is stopped, for example by a debugger, hardly counts.
/// Sleeps instead of blocking: a blocking receiver registers a thread destructor, which needs the system's loader, and the loader
/// is locked for good if a library hangs while being loaded.
fn receive<T>(receiver: &Receiver<T>) -> Result<T, RecvTimeoutError> {
    const STEPS_PER_SECOND: u64 = 20;
    // Short steps first: the answer is usually there at once.
    let first = iter::repeat_n(Duration::from_millis(1), 20);
    let later = iter::repeat_n(
        Duration::from_millis(1000 / STEPS_PER_SECOND),
        (DEADLINE * STEPS_PER_SECOND) as usize,
    );
    for step in first.chain(later) {
        match receiver.try_recv() {
            Err(TryRecvError::Empty) => thread::sleep(step),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Ok(value) => return Ok(value),
        }
    }
    Err(RecvTimeoutError::Timeout)
}
