//! Calls into a library that may not come back.
//!
//! A thread cannot be stopped from outside, so one that is overdue is left behind: the caller refuses the library.

use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use crate::{Model, PrepareError, TensorPoint, Variant};

/// How long a single call may take \[s\]. The functions called here do microseconds of work.
pub(crate) const DEADLINE: u64 = 5;

/// Whether a library was left behind while it was being loaded.
static STUCK: AtomicBool = AtomicBool::new(false);

/// Ends the process if a library never came back from being loaded, and does nothing otherwise. The regular way out would wait
/// for that library: the system's loader is locked meanwhile.
pub fn end_if_stuck(code: u8) {
    #[cfg(unix)]
    if STUCK.load(Ordering::Relaxed) {
        unsafe extern "C" {
            fn _exit(code: i32) -> !;
        }
        // SAFETY: POSIX; it ends the process and nothing else.
        unsafe { _exit(code.into()) }
    }
}

/// The result of `work` on a thread of its own; none when it is not there in time.
pub(crate) fn within_deadline<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = channel();
    let spawned = thread::Builder::new().name("plugin".to_owned()).spawn(move || {
        // Nobody listens any more when the deadline has passed.
        let _ = sender.send(work());
    });
    let result = spawned.ok().and_then(|_| receive(&receiver).ok());
    STUCK.fetch_or(result.is_none(), Ordering::Relaxed);
    result
}

/// Calls every function of the model once, at rest, and reports the first that does not return. But for a refusal of
/// `prepare`, what they return is not looked at: the functions are pure, and the caller asks them again.
///
/// # Errors
/// What `prepare` refuses, or the names of the function and of the library.
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

/// Waits [`DEADLINE`] in short steps: the time that the process is stopped, by a debugger for example, hardly counts. It sleeps,
/// since a receiver that blocks would register a destructor of its thread, for which it needs the system's loader: locked for good
/// where a library hangs while being loaded.
fn receive<T>(receiver: &Receiver<T>) -> Result<T, RecvTimeoutError> {
    const STEPS_PER_SECOND: u64 = 20;
    // Short ones first: the answer is usually there at once.
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
