//! Whether the threads that do the work still do it, for the one that answers for them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often it beats.
const BEAT: Duration = Duration::from_secs(1);
/// Without a beat for so long, only a restart helps.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Pulse {
    started: Instant,
    /// Milliseconds from the start to the last beat.
    last: AtomicU64,
}

impl Pulse {
    pub fn new() -> Self {
        Self { started: Instant::now(), last: AtomicU64::new(0) }
    }

    /// Beats for ever, on the runtime whose it is.
    pub async fn beat(&self) {
        loop {
            self.last.store(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
            tokio::time::sleep(BEAT).await;
        }
    }

    pub fn beating(&self) -> bool {
        self.started.elapsed().saturating_sub(Duration::from_millis(self.last.load(Ordering::Relaxed))) < PATIENCE
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn without_a_beat_it_is_not_alive() {
        let pulse =
            Pulse { started: Instant::now().checked_sub(Duration::from_secs(90)).unwrap(), last: AtomicU64::new(0) };
        assert!(!pulse.beating());
        pulse.last.store(45_000, Ordering::Relaxed);
        assert!(pulse.beating());
    }
}
