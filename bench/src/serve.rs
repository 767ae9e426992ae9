//! Reviews over loopback with a connection kept open: `walguard serve` (HTTPS) against `opa run --server` (HTTP).
//!
//! Neither has other objects in sight: `walguard serve` takes those from a cluster only.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use reqwest::blocking::Client;
use serde_json::{Value as Json, json};

use crate::Tools;
use crate::cases::Case;
use crate::measure::{self, Cost};
use crate::table;

/// Calls of a turn.
const CALLS: u32 = 40;
/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

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

pub struct Server {
    child: Child,
    client: Client,
    url: String,
}

impl Server {
    pub fn walguard(tools: &Tools, directory: &Path) -> Result<Self> {
        let certificate = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let (chain, key) = (directory.join("tls.crt"), directory.join("tls.key"));
        fs::write(&chain, certificate.cert.pem())?;
        fs::write(&key, certificate.signing_key.serialize_pem())?;
        let (port, health) = (free_port()?, free_port()?);
        let child = Command::new(&tools.walguard)
            .args(["serve", "--no-inventory", "--log-level", "warn", "--tls-cert"])
            .arg(&chain)
            .arg("--tls-key")
            .arg(&key)
            .args(["--listen", &format!("127.0.0.1:{port}"), "--health-listen", &format!("127.0.0.1:{health}")])
            .stdout(Stdio::null())
            .spawn()
            .context("walguard serve")?;
        let _ = rustls::crypto::ring::default_provider().install_default();
        let trusted = reqwest::Certificate::from_pem(certificate.cert.pem().as_bytes())?;
        let client = Client::builder().tls_certs_only([trusted]).no_proxy().build()?;
        let server = Self { child, client, url: format!("https://127.0.0.1:{port}/validate") };
        server.ready(&format!("http://127.0.0.1:{health}/readyz"))
    }

    fn opa(tools: &Tools) -> Result<Self> {
        let port = free_port()?;
        let child = Command::new(&tools.opa)
            .args(["run", "--server", "--addr", &format!("127.0.0.1:{port}"), "--log-level", "error"])
            .args(["--ignore", "*_test.rego", "--ignore", "*.yaml", "--ignore", "*.json"])
            .arg(&tools.rules)
            .stdout(Stdio::null())
            .spawn()
            .context("opa run --server")?;
        let client = Client::builder().no_proxy().build()?;
        let server = Self { child, client, url: format!("http://127.0.0.1:{port}/v1/data/main/findings") };
        server.ready(&format!("http://127.0.0.1:{port}/health"))
    }

    fn ready(mut self, url: &str) -> Result<Self> {
        let client = Client::builder().no_proxy().build()?;
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                bail!("{} ended at its start: {status}", self.url);
            }
            if client.get(url).send().is_ok_and(|answer| answer.status().is_success()) {
                return Ok(self);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("{url} does not answer")
    }

    /// Of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The mean of some calls, one after the other.
    fn turn(&self, body: &str) -> Result<Cost> {
        self.call(body)?;
        let (cpu, started) = (measure::cpu_of(self.child.id())?, Instant::now());
        for _ in 0..CALLS {
            self.call(body)?;
        }
        let wall = started.elapsed();
        Ok(Cost { wall, cpu: measure::cpu_of(self.child.id())?.saturating_sub(cpu) }.each(CALLS))
    }

    pub fn call(&self, body: &str) -> Result<()> {
        let request = self.client.post(&self.url).header("Content-Type", "application/json").body(body.to_owned());
        let answer = request.send()?;
        let status = answer.status();
        let text = answer.text()?;
        ensure!(status.is_success(), "{} answers {status}: {text}", self.url);
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
