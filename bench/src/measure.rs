//! Clocks, and what to make of what they say.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// What something took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub wall: Duration,
    /// Of all threads.
    pub cpu: Duration,
}

impl Cost {
    /// Of one of so many.
    pub fn each(self, count: u32) -> Self {
        Self { wall: self.wall / count, cpu: self.cpu / count }
    }
}

/// Takes the time of work in this process.
///
/// # Errors
/// Those of the work.
pub fn own(work: impl FnOnce() -> Result<()>) -> Result<Cost> {
    let (cpu, started) = (own_cpu()?, Instant::now());
    work()?;
    Ok(Cost { wall: started.elapsed(), cpu: own_cpu()?.saturating_sub(cpu) })
}

fn own_cpu() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let duration = |time: TimeVal| {
        Duration::from_secs(u64::try_from(time.tv_sec()).unwrap_or_default())
            + Duration::from_micros(u64::try_from(time.tv_usec()).unwrap_or_default())
    };
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

/// CPU time of all threads of another process; those that ended are not counted.
///
/// # Errors
/// When the process is gone.
pub fn cpu_of(process: u32) -> Result<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task")).context("the process is gone")? {
        // A thread may end between the two calls.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
        nanoseconds += text.split(' ').next().and_then(|field| field.parse::<u64>().ok()).unwrap_or_default();
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// The middle of several values; of an even number the upper one.
pub fn median<T: Copy + Ord + Default>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// What 99 of a hundred values do not exceed.
pub fn p99<T: Copy + Ord + Default>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values.get((values.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

/// Memory of a process that is resident now, and the most that was, in bytes.
///
/// # Errors
/// When the process is gone.
pub fn memory_of(process: u32) -> Result<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).context("the process is gone")?;
    let field = |name: &str| -> Result<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).context("no memory in /proc")?;
        Ok(line.trim().trim_end_matches("kB").trim().parse::<u64>()? << 10)
    };
    Ok((field("VmRSS:")?, field("VmHWM:")?))
}

/// Bytes as MiB.
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20))
}

/// The medians of wall and CPU time, each by itself.
pub fn medians(costs: &[Cost]) -> Cost {
    Cost {
        wall: median(costs.iter().map(|cost| cost.wall).collect()),
        cpu: median(costs.iter().map(|cost| cost.cpu).collect()),
    }
}

/// How often ours goes into theirs.
pub fn ratio(ours: Duration, theirs: Duration) -> String {
    times(theirs.as_secs_f64() / ours.as_secs_f64())
}

/// So many times.
pub fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}×") } else { format!("{ratio:.0}×") }
}

/// A duration in the unit that suits it.
pub fn text(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 0.000_999_5 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 0.9995 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}
