//! walguard's webhook: over HTTPS, with every policy configuration, and within the process, with an inventory.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reqwest::blocking::Client;
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use walguard_engine::Engine;

use super::{Host, answer};
use crate::review::{self, Review};
use crate::verdict::Verdict;

pub struct Direct(Engine);

impl Direct {
    /// # Errors
    /// When the rules do not compile.
    pub fn new(rules: &Path) -> Result<Self> {
        Ok(Self(Engine::new(&walguard::rules::load(Some(rules))?)?))
    }
}

impl Host for Direct {
    fn name(&self) -> String {
        "direct".to_owned()
    }

    fn project(&self, review: &Review) -> Option<Review> {
        let mut review = answer::project(review, &["inventory"])?;
        let inventory = review.input.get("inventory").filter(|inventory| inventory.is_object()).cloned();
        review.input["inventory"] = inventory.unwrap_or_else(|| json!({}));
        Some(review)
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let judge = |review: &Review| -> Result<Verdict> {
            let request = answer::request(review).context("there is an object")?;
            let inventory = review::text(&review.input["inventory"]);
            let inventory = walguard_engine::Value::from_json_str(&inventory).map_err(|e| anyhow::anyhow!("{e}"))?;
            let mut direct = walguard::serve::Direct::new(self.0.clone(), inventory);
            Ok(match direct.answer(review::text(&request).as_bytes()) {
                Ok(answer) => answer::read(&serde_json::from_slice(&answer)?),
                Err(error) => Verdict::Error(format!("{error:#}")),
            })
        };
        reviews.iter().map(judge).collect()
    }

    fn view(&self, verdict: &Verdict) -> Verdict {
        answer::view(verdict, false)
    }
}

pub struct Webhook {
    /// One for each configuration, and one without.
    servers: Vec<(Option<Json>, Server)>,
    client: Client,
}

impl Webhook {
    /// # Errors
    /// When a server does not start.
    pub fn start(program: &Path, rules: &Path, configurations: &[Json]) -> Result<Self> {
        let certificate = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let pem = certificate.cert.pem();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(pem.as_bytes())?])
            .no_proxy()
            .timeout(Duration::from_secs(120))
            .build()?;
        let start = |configuration: Option<&Json>| -> Result<(Option<Json>, Server)> {
            let key = certificate.signing_key.serialize_pem();
            Ok((configuration.cloned(), Server::start(program, rules, configuration, &pem, &key)?))
        };
        let mut servers = vec![start(None)?];
        for configuration in configurations {
            servers.push(start(Some(configuration))?);
        }
        for (_, server) in &mut servers {
            server.ready(&client)?;
        }
        Ok(Self { servers, client })
    }
}

impl Host for Webhook {
    fn name(&self) -> String {
        "webhook".to_owned()
    }

    fn project(&self, review: &Review) -> Option<Review> {
        let mut projected = answer::project(review, &["parameters"])?;
        let parameters = projected.input.get("parameters").cloned();
        if !self.servers.iter().any(|(configuration, _)| *configuration == parameters) {
            projected.input.as_object_mut()?.remove("parameters");
        }
        Some(projected)
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let judge = |review: &Review| -> Result<Verdict> {
            let parameters = review.input.get("parameters");
            let server = self.servers.iter().find(|(configuration, _)| configuration.as_ref() == parameters);
            let (_, server) = server.context("there is a server for every configuration")?;
            let body = review::text(&answer::request(review).context("there is an object")?);
            let answer = self.client.post(&server.url).header("Content-Type", "application/json").body(body).send()?;
            let (status, text) = (answer.status(), answer.text()?);
            Ok(match serde_json::from_str(&text) {
                Ok(answer) if status.is_success() => answer::read(&answer),
                _ => Verdict::Error(format!("{status}: {text}")),
            })
        };
        reviews.iter().map(judge).collect()
    }

    fn view(&self, verdict: &Verdict) -> Verdict {
        answer::view(verdict, true)
    }
}

struct Server {
    child: Child,
    url: String,
    health: String,
    _directory: TempDir,
}

impl Server {
    fn start(program: &Path, rules: &Path, configuration: Option<&Json>, chain: &str, key: &str) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text);
        write("tls.crt", chain)?;
        write("tls.key", key)?;
        let (port, health) = (free_port()?, free_port()?);
        let mut command = Command::new(program);
        command
            .args(["serve", "--no-inventory", "--show-info", "--log-level", "error", "--deadline-ms", "120000"])
            .args(["--tls-cert", "tls.crt", "--tls-key", "tls.key", "--rules"])
            .arg(rules)
            .args(["--listen", &format!("127.0.0.1:{port}"), "--health-listen", &format!("127.0.0.1:{health}")]);
        if let Some(configuration) = configuration {
            let mut file = configuration.clone();
            file["version"] = json!(1);
            write("walguard.yaml", &file.to_string())?;
            command.args(["--config", "walguard.yaml"]);
        }
        let child = command
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let url = format!("https://127.0.0.1:{port}/validate");
        Ok(Self { child, url, health: format!("http://127.0.0.1:{health}/readyz"), _directory: directory })
    }

    fn ready(&mut self, client: &Client) -> Result<()> {
        for _ in 0..1200 {
            if let Some(status) = self.child.try_wait()? {
                bail!("walguard serve ended at its start: {status}");
            }
            if client.get(&self.health).send().is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!("{} does not answer", self.health)
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
