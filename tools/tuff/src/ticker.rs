//! Regular reports on work that takes long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Returns the result of `work`. Meanwhile `tick` is called on another thread once per interval `every`, with the time since the start.
pub fn while_at_work<T>(every: Duration, tick: impl Fn(Duration) + Sync, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let ticker = scope.spawn(|| {
            let (start, mut next) = (Instant::now(), every);
            while !done.load(Ordering::Acquire) {
                match next.checked_sub(start.elapsed()) {
                    Some(left) if !left.is_zero() => thread::park_timeout(left),
                    _ => {
                        tick(start.elapsed());
                        next += every;
                    }
                }
            }
        });
        // Ends the ticker even if the work panics: the scope waits for its threads.
        let _end = End { done: &done, ticker: ticker.thread() };
        work()
    })
}

struct End<'a> {
    done: &'a AtomicBool,
    ticker: &'a Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.ticker.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn what_takes_long_is_told_and_what_is_done_at_once_is_not() {
        let ticks = AtomicU32::new(0);
        let count = |_: Duration| {
            ticks.fetch_add(1, Ordering::Relaxed);
        };
        assert_eq!(while_at_work(Duration::from_secs(60), count, || 7), 7);
        assert_eq!(ticks.load(Ordering::Relaxed), 0);
        let told = || {
            while ticks.load(Ordering::Relaxed) < 3 {
                thread::yield_now()
            }
        };
        while_at_work(Duration::from_millis(1), count, told);
    }

    #[test]
    #[should_panic(expected = "the work's own")]
    fn a_panic_of_the_work_comes_through() {
        while_at_work(Duration::from_secs(60), |_| {}, || panic!("the work's own"));
    }
}
