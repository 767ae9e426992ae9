//! Servers on loopback that end with their owner: `walguard serve` with a certificate of its own, and what it is compared with.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use reqwest::Certificate;
use reqwest::blocking::Client;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(120);

pub struct Server {
    child: Child,
    client: Client,
    url: String,
    ready: String,
    /// What signs for it, PEM.
    certificate: String,
}

/// A certificate for loopback and its key, PEM, as files of a directory.
pub struct Identity {
    chain: String,
}

impl Identity {
    /// Where the files are, in the directory.
    pub const CERTIFICATE: &str = "tls.crt";
    pub const KEY: &str = "tls.key";

    /// Writes the two files.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn new(directory: &Path) -> Result<Self> {
        let certificate = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let chain = certificate.cert.pem();
        fs::write(directory.join(Self::CERTIFICATE), &chain)?;
        fs::write(directory.join(Self::KEY), certificate.signing_key.serialize_pem())?;
        Ok(Self { chain })
    }
}

impl Server {
    /// Starts `walguard serve` with further arguments, in a directory where it gets its certificate; without a kubeconfig it has no
    /// cluster.
    ///
    /// # Errors
    /// When it ends, or is not ready in time.
    pub fn walguard(program: &Path, directory: &Path, kubeconfig: Option<&Path>, arguments: &[&str]) -> Result<Self> {
        let identity = Identity::new(directory)?;
        let (port, health) = (free_port()?, free_port()?);
        let mut command = Command::new(program);
        command
            .args(["serve", "--tls-cert", Identity::CERTIFICATE, "--tls-key", Identity::KEY])
            .args(["--listen", &format!("127.0.0.1:{port}"), "--health-listen", &format!("127.0.0.1:{health}")])
            .args(arguments)
            .current_dir(directory);
        match kubeconfig {
            Some(file) => command.env("KUBECONFIG", file),
            None => command.arg("--no-inventory"),
        };
        let url = format!("https://127.0.0.1:{port}/validate");
        Self::over_tls(&mut command, &identity, url, &format!("http://127.0.0.1:{health}/readyz"))
    }

    /// Starts a server that answers at a URL when another one says that it is ready, over TLS.
    ///
    /// # Errors
    /// When it ends, or is not ready in time.
    pub fn over_tls(command: &mut Command, identity: &Identity, url: String, ready: &str) -> Result<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let trusted = Certificate::from_pem(identity.chain.as_bytes())?;
        let client = Client::builder().no_proxy().timeout(ANSWER).tls_certs_only([trusted]).build()?;
        let child =
            command.stdout(Stdio::null()).spawn().with_context(|| command.get_program().display().to_string())?;
        let ready = ready.to_owned();
        let mut server = Self { child, client, url, ready, certificate: identity.chain.clone() };
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = server.child.try_wait()? {
                bail!("{} ended at its start: {status}", server.url);
            }
            if server.client.get(&server.ready).send().is_ok_and(|answer| answer.status().is_success()) {
                return Ok(server);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("{} does not answer", server.ready)
    }

    /// Where it answers.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it says that it is ready.
    #[must_use]
    pub fn ready(&self) -> &str {
        &self.ready
    }

    /// What signs for it, PEM.
    #[must_use]
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Gets a URL; the answer says success.
    ///
    /// # Errors
    /// When it does not, or when there is none.
    pub fn get(&self, url: &str) -> Result<()> {
        self.client.get(url).send()?.error_for_status()?;
        Ok(())
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

/// A port that nobody listens at.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
