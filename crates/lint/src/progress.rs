//! How far a run is, on a terminal, once it takes longer than a second.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// Milliseconds until the bar is shown, and between two of its states.
const FIRST: u64 = 1000;
const EVERY: u64 = 100;
const COLUMNS: usize = 30;

pub struct Progress {
    all: usize,
    done: AtomicUsize,
    begun: Instant,
    /// When it was drawn last, in milliseconds; 0 for never.
    drawn: AtomicU64,
    terminal: bool,
}

impl Progress {
    /// A bar for so many objects.
    pub fn new(all: usize) -> Self {
        let (done, drawn) = (AtomicUsize::new(0), AtomicU64::new(0));
        Self { all, done, drawn, begun: Instant::now(), terminal: io::stderr().is_terminal() }
    }

    /// One more is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.terminal {
            return;
        }
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.drawn.load(Ordering::Relaxed);
        if now < FIRST.max(last + EVERY)
            || self.drawn.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return;
        }
        // A bar that cannot be drawn is no reason to stop.
        let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{}", bar(done, self.all));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.load(Ordering::Relaxed) > 0 {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
        }
    }
}

fn bar(done: usize, all: usize) -> String {
    let filled = (done * COLUMNS).checked_div(all).unwrap_or(COLUMNS).min(COLUMNS);
    format!("checking {}{} {done} of {all} objects", "█".repeat(filled), "░".repeat(COLUMNS - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills() {
        assert_eq!(bar(0, 4), format!("checking {} 0 of 4 objects", "░".repeat(30)));
        assert_eq!(bar(2, 4), format!("checking {}{} 2 of 4 objects", "█".repeat(15), "░".repeat(15)));
        assert_eq!(bar(4, 4), format!("checking {} 4 of 4 objects", "█".repeat(30)));
    }
}
