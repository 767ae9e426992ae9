//! Servers on loopback that end with their owner: `walguard serve` with a certificate of its own, and what it is compared with.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use reqwest::Certificate;
use reqwest::blocking::{Client, ClientBuilder};

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(120);

pub struct Server {
    child: Child,
    client: Client,
    url: String,
}

impl Server {
    /// Starts `walguard serve` without a cluster, with further arguments, in a directory where it gets its certificate.
    ///
    /// # Errors
    /// When it ends, or is not ready in time.
    pub fn walguard(program: &Path, directory: &Path, arguments: &[&str]) -> Result<Self> {
        let certificate = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let chain = certificate.cert.pem();
        fs::write(directory.join("tls.crt"), &chain)?;
        fs::write(directory.join("tls.key"), certificate.signing_key.serialize_pem())?;
        let (port, health) = (free_port()?, free_port()?);
        let mut command = Command::new(program);
        command
            .args(["serve", "--no-inventory", "--tls-cert", "tls.crt", "--tls-key", "tls.key"])
            .args(["--listen", &format!("127.0.0.1:{port}"), "--health-listen", &format!("127.0.0.1:{health}")])
            .args(arguments)
            .current_dir(directory);
        let trusted = Certificate::from_pem(chain.as_bytes())?;
        let client = client().tls_certs_only([trusted]).build()?;
        Self::start(
            &mut command,
            client,
            format!("https://127.0.0.1:{port}/validate"),
            &format!("http://127.0.0.1:{health}/readyz"),
        )
    }

    /// Starts a server that answers at a URL, over HTTP, when another one says that it is ready.
    ///
    /// # Errors
    /// When it ends, or is not ready in time.
    pub fn plain(command: &mut Command, url: String, ready: &str) -> Result<Self> {
        Self::start(command, client().build()?, url, ready)
    }

    fn start(command: &mut Command, client: Client, url: String, ready: &str) -> Result<Self> {
        let child =
            command.stdout(Stdio::null()).spawn().with_context(|| command.get_program().display().to_string())?;
        let mut server = Self { child, client, url };
        let (plain, started) = (self::client().build()?, Instant::now());
        while started.elapsed() < PATIENCE {
            if let Some(status) = server.child.try_wait()? {
                bail!("{} ended at its start: {status}", server.url);
            }
            if plain.get(ready).send().is_ok_and(|answer| answer.status().is_success()) {
                return Ok(server);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("{ready} does not answer")
    }

    /// Of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Posts JSON: whether the status says success, and the answer.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn post(&self, body: String) -> Result<(bool, String)> {
        let answer = self.client.post(&self.url).header("Content-Type", "application/json").body(body).send()?;
        Ok((answer.status().is_success(), answer.text()?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn client() -> ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().timeout(ANSWER)
}

/// A port that nobody listens at.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
