//! Reviews over loopback with a connection kept open: `walguard serve` (HTTPS) against `opa run --server` (HTTP).
//!
//! Neither has other objects in sight: `walguard serve` takes those from a cluster only.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value as Json, json};
use walguard_loopback as loopback;

use crate::Tools;
use crate::cases::Case;
use crate::measure::{self, Cost};
use crate::table;

/// Calls of a turn.
const CALLS: u32 = 40;

/// Measures every case.
///
/// # Errors
/// When a server does not start or does not answer.
pub fn run(tools: &Tools, cases: &[Case], rounds: u32) -> Result<String> {
    let directory = tempfile::tempdir()?;
    let (walguard, opa) = (Server::walguard(tools, directory.path())?, Server::opa(tools)?);
    let mut rows = Vec::new();
    for case in cases {
        let review: Json = serde_json::from_str(&case.body)?;
        let for_opa = json!({"input": {"review": review["request"]}}).to_string();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(walguard.turn(&case.body)?);
            theirs.push(opa.turn(&for_opa)?);
        }
        let (ours, theirs) = (measure::medians(&ours), measure::medians(&theirs));
        let mut row = vec![case.name.clone()];
        row.extend([ours.wall, theirs.wall].map(measure::text));
        row.push(measure::ratio(ours.wall, theirs.wall));
        row.extend([ours.cpu, theirs.cpu].map(measure::text));
        row.push(measure::ratio(ours.cpu, theirs.cpu));
        rows.push(row);
    }
    Ok(table::layout(
        "One review over loopback: walguard serve (HTTPS) | opa run --server (HTTP) | ratio; CPU is the server's",
        &["", "wall", "OPA", "", "CPU", "OPA", ""],
        &rows,
    ))
}

pub struct Server(loopback::Server);

impl Server {
    pub fn walguard(tools: &Tools, directory: &Path) -> Result<Self> {
        Ok(Self(loopback::Server::walguard(&tools.walguard, directory, &["--log-level", "warn"])?))
    }

    fn opa(tools: &Tools) -> Result<Self> {
        let address = format!("127.0.0.1:{}", loopback::free_port()?);
        let mut command = Command::new(&tools.opa);
        command
            .args(["run", "--server", "--addr", &address, "--log-level", "error"])
            .args(["--ignore", "*_test.rego", "--ignore", "*.yaml", "--ignore", "*.json"])
            .arg(&tools.rules);
        let url = format!("http://{address}/v1/data/main/findings");
        Ok(Self(loopback::Server::plain(&mut command, url, &format!("http://{address}/health"))?))
    }

    /// Of the process.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// The mean of some calls, one after the other.
    fn turn(&self, body: &str) -> Result<Cost> {
        self.call(body)?;
        let (cpu, started) = (measure::cpu_of(self.id())?, Instant::now());
        for _ in 0..CALLS {
            self.call(body)?;
        }
        let wall = started.elapsed();
        Ok(Cost { wall, cpu: measure::cpu_of(self.id())?.saturating_sub(cpu) }.each(CALLS))
    }

    pub fn call(&self, body: &str) -> Result<()> {
        let (success, text) = self.0.post(body.to_owned())?;
        ensure!(success, "the server answers {text}");
        Ok(())
    }
}
