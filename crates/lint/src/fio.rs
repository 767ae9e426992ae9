//! What fio measured on a volume: its JSON (`--output-format=json`), or the logs that a job writes (`write_bw_log`, `write_iops_log`), as the job
//! of `kubectl cnpg fio` does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Map;

/// The figures of a volume, in one direction.
#[derive(Debug, Default, Serialize)]
pub struct Measured {
    /// "write", or "read" where nothing was written.
    direction: &'static str,
    /// The most that jobs which ran together reached.
    bytes_per_second: u64,
    iops: Option<u64>,
    /// Of the requests that reached the throughput.
    block_bytes: Option<u64>,
    /// Whether they went past the page cache.
    direct: Option<bool>,
    /// How long the shortest of them ran.
    seconds: Option<u64>,
}

/// What jobs that ran together did in one direction, or a log.
#[derive(Debug, Default)]
struct Group {
    bytes_per_second: Option<f64>,
    iops: Option<f64>,
    milliseconds: Option<f64>,
    direct: Option<bool>,
}

/// What a file says of writing and of reading.
#[derive(Debug, Default)]
struct Found {
    writing: Vec<Group>,
    reading: Vec<Group>,
}

#[derive(Deserialize)]
struct Output {
    jobs: Vec<Job>,
    #[serde(default, rename = "global options")]
    global: Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Job {
    jobname: String,
    #[serde(default)]
    groupid: u64,
    #[serde(default)]
    error: i64,
    #[serde(default, rename = "job options")]
    options: Map<String, serde_json::Value>,
    read: Direction,
    write: Direction,
}

#[derive(Deserialize)]
struct Direction {
    /// Since fio 3.
    bw_bytes: Option<f64>,
    /// In KiB/s.
    bw: f64,
    iops: f64,
    /// In milliseconds.
    runtime: f64,
}

/// The figures of the files of one volume, of several the best.
///
/// # Errors
/// When a file cannot be read, is not fio's, or measured nothing.
pub fn measured(files: &[impl AsRef<Path>]) -> anyhow::Result<Measured> {
    let mut all = Found::default();
    for file in files {
        let file = file.as_ref();
        let mut found = read(file).with_context(|| format!("--fio {}", file.display()))?;
        all.writing.append(&mut found.writing);
        all.reading.append(&mut found.reading);
    }
    let (direction, groups) = if all.writing.is_empty() { ("read", all.reading) } else { ("write", all.writing) };
    let most = |of: fn(&Group) -> Option<f64>| {
        let counted = groups.iter().filter_map(|group| Some((of(group)?, group)));
        counted.max_by(|(a, _), (b, _)| a.total_cmp(b))
    };
    let throughput = most(|group| group.bytes_per_second)
        .context("--fio: IOPS alone; add the log of the bandwidth, which write_bw_log writes")?;
    let iops = most(|group| group.iops);
    let figure = |n: f64| n.round() as u64;
    let requests = throughput.1.iops.or(iops.map(|(n, _)| n));
    Ok(Measured {
        direction,
        bytes_per_second: figure(throughput.0),
        iops: iops.map(|(n, _)| figure(n)),
        block_bytes: requests.map(|iops| figure(throughput.0 / iops)),
        direct: groups.iter().filter_map(|group| group.direct).reduce(|all, one| all && one),
        seconds: groups.iter().filter_map(|group| group.milliseconds).reduce(f64::min).map(|n| figure(n / 1000.0)),
    })
}

fn read(file: &Path) -> anyhow::Result<Found> {
    let text = fs::read_to_string(file)?;
    let found = if let Some(json) = json(&text) {
        of_json(json)?
    } else if let Some(rows) = rows(&text) {
        of_log(&file.file_name().unwrap_or_default().to_string_lossy(), &rows)?
    } else {
        bail!("not a result of fio: expected its JSON (fio --output-format=json) or a log of write_bw_log");
    };
    ensure!(!found.writing.is_empty() || !found.reading.is_empty(), "no job read or wrote anything");
    Ok(found)
}

/// fio writes notes and, if asked for them, other formats before its JSON and after.
fn json(text: &str) -> Option<&str> {
    let start = if text.starts_with('{') { 0 } else { text.find("\n{")? + 1 };
    Some(&text[start..])
}

fn of_json(json: &str) -> anyhow::Result<Found> {
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<Output>();
    let output = values.next().context("it is empty")?.context("not a result of fio")?;
    let (mut writing, mut reading): (BTreeMap<u64, Group>, BTreeMap<u64, Group>) = Default::default();
    for job in &output.jobs {
        ensure!(job.error == 0, "job {} ended with error {}", job.jobname, job.error);
        let option =
            |name: &str| job.options.get(name).or_else(|| output.global.get(name)).and_then(|value| value.as_str());
        let direct = option("direct").is_some_and(|value| value != "0");
        for (direction, groups) in [(&job.write, &mut writing), (&job.read, &mut reading)] {
            if direction.iops > 0.0 {
                groups.entry(job.groupid).or_default().add(direction, direct);
            }
        }
    }
    Ok(Found { writing: writing.into_values().collect(), reading: reading.into_values().collect() })
}

impl Group {
    fn add(&mut self, direction: &Direction, direct: bool) {
        let sum = |so_far: Option<f64>, more: f64| Some(so_far.unwrap_or_default() + more);
        self.bytes_per_second = sum(self.bytes_per_second, direction.bw_bytes.unwrap_or(direction.bw * 1024.0));
        self.iops = sum(self.iops, direction.iops);
        self.milliseconds = Some(self.milliseconds.map_or(direction.runtime, |so_far| so_far.min(direction.runtime)));
        self.direct = Some(self.direct.unwrap_or(true) && direct);
    }
}

/// A line of a log: milliseconds since the start, the value, the direction (0 read, 1 write, 2 trim), and more.
type Row = (f64, f64, u8);

fn rows(text: &str) -> Option<Vec<Row>> {
    let row = |line: &str| {
        let mut fields = line.split(',').map(str::trim);
        let mut number = || fields.next()?.parse::<f64>().ok();
        let (at, value, direction) = (number()?, number()?, number()?);
        Some((at, value, direction as u8))
    };
    let rows: Option<Vec<Row>> = text.lines().filter(|line| !line.trim().is_empty()).map(row).collect();
    rows.filter(|rows| !rows.is_empty())
}

fn of_log(name: &str, rows: &[Row]) -> anyhow::Result<Found> {
    let kibibytes = name.contains("_bw.");
    ensure!(
        kibibytes || name.contains("_iops."),
        "a log of fio has its unit in its name, read_bw.1.log or read_iops.1.log; what this one counts is unknown"
    );
    let of = |direction: u8| -> Vec<Group> {
        let values: Vec<f64> = rows.iter().filter(|row| row.2 == direction).map(|row| row.1).collect();
        if values.is_empty() {
            return Vec::new();
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        vec![Group {
            bytes_per_second: kibibytes.then_some(mean * 1024.0),
            iops: (!kibibytes).then_some(mean),
            milliseconds: rows.last().map(|row| row.0),
            direct: None,
        }]
    };
    Ok(Found { writing: of(1), reading: of(0) })
}
