//! A running `walguard serve`, as an API server meets it.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use reqwest::{Client, StatusCode};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// How often a test looks for what must come about; a machine under load may take a while.
pub const PATIENCE: u32 = 600;
pub const MOMENT: Duration = Duration::from_millis(100);

pub struct Server {
    pub process: Child,
    pub directory: TempDir,
    pub address: SocketAddr,
    pub health: SocketAddr,
    pub log: Arc<Mutex<Vec<Value>>>,
    pub certificate: String,
}

impl Server {
    /// Starts `walguard serve` without a cluster, and waits until it says where it listens.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_in(TempDir::new().unwrap(), arguments)
    }

    pub fn start_in(directory: TempDir, arguments: &[&str]) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let certificate = new_certificate(directory.path());
        let mut process = command(directory.path(), arguments).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(Vec::new()));
        let first = lines.next().unwrap().unwrap();
        let serving: Value = serde_json::from_str(&first).unwrap_or_else(|_| panic!("{first}"));
        let collected = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or_else(|_| json!({"not JSON": line}));
                collected.lock().unwrap().push(line);
            }
        });
        let address = |field: &str| serving[field].as_str().unwrap().parse().unwrap();
        Self { address: address("address"), health: address("health"), process, directory, log, certificate }
    }

    /// A client that trusts what the server's certificate was signed with when it started.
    pub fn client(&self) -> Client {
        client(&self.certificate)
    }

    pub fn url(&self) -> String {
        format!("https://localhost:{}/validate?timeout=10s", self.address.port())
    }

    pub async fn post(&self, body: impl Into<reqwest::Body>) -> (StatusCode, String) {
        let answer = self.client().post(self.url()).body(body).send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    }

    /// The response to a review of a request.
    pub async fn review(&self, request: Value) -> Value {
        let uid = request["uid"].clone();
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        let (status, text) = self.post(review.to_string()).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
        assert_eq!(answer["kind"], "AdmissionReview");
        assert_eq!(answer["response"]["uid"], uid);
        answer["response"].clone()
    }

    pub async fn health(&self, path: &str) -> (StatusCode, String) {
        let answer = Client::new().get(format!("http://{}{path}", self.health)).send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    }

    /// A TLS connection, for what no HTTP client would do.
    pub async fn connect(&self) -> TlsStream<TcpStream> {
        self.connect_as(None).await
    }

    /// The same, with a certificate of the client's and its key, PEM.
    pub async fn connect_as(&self, client: Option<&(String, String)>) -> TlsStream<TcpStream> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add_parsable_certificates(certificates(&self.certificate));
        let config = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match client {
            None => config.with_no_client_auth(),
            Some((chain, key)) => {
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                config.with_client_auth_cert(certificates(chain), key).unwrap()
            }
        };
        let stream = TcpStream::connect(self.address).await.unwrap();
        TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap()
    }

    /// The log lines with this message.
    pub fn logged(&self, message: &str) -> Vec<Value> {
        self.log.lock().unwrap().iter().filter(|line| line["message"] == message).cloned().collect()
    }

    pub async fn until_logged(&self, message: &str) -> Value {
        for _ in 0..PATIENCE {
            if let Some(line) = self.logged(message).into_iter().next_back() {
                return line;
            }
            tokio::time::sleep(MOMENT).await;
        }
        panic!("{message} was not logged: {:?}", self.log.lock().unwrap());
    }

    pub fn terminate(&self) {
        assert!(Command::new("kill").arg(self.process.id().to_string()).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_walguard"));
    command
        .args(["serve", "--no-inventory", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"])
        .args(["--tls-cert", "tls.crt", "--tls-key", "tls.key", "--reload-seconds", "1"])
        .args(arguments)
        .current_dir(directory)
        .stderr(Stdio::piped());
    command
}

/// Writes tls.crt and tls.key, signed by a CA of their own; returns the CA.
pub fn new_certificate(directory: &Path) -> String {
    let (authority, (chain, key)) = issue();
    fs::write(directory.join("tls.crt"), chain).unwrap();
    fs::write(directory.join("tls.key"), key).unwrap();
    authority
}

/// A CA, and a certificate of it with its key, all PEM.
pub fn issue() -> (String, (String, String)) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    (authority.pem(), (leaf.pem(), key.serialize_pem()))
}

pub fn certificates(pem: &str) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem.as_bytes()).map(Result::unwrap).collect()
}

pub fn client(authority: &str) -> Client {
    Client::builder().tls_certs_only([reqwest::Certificate::from_pem(authority.as_bytes()).unwrap()]).build().unwrap()
}

impl Server {
    /// The message of the first log line that begins so.
    pub async fn until_logged_starting(&self, start: &str) -> String {
        for _ in 0..PATIENCE {
            let log = self.log.lock().unwrap().clone();
            let found =
                log.iter().filter_map(|line| line["message"].as_str()).find(|message| message.starts_with(start));
            if let Some(message) = found {
                return message.to_owned();
            }
            tokio::time::sleep(MOMENT).await;
        }
        panic!("{start} was not logged: {:?}", self.log.lock().unwrap());
    }
}

/// A request to create an object of CloudNativePG.
pub fn create(object: Value) -> Value {
    json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "postgresql.cnpg.io", "version": "v1", "kind": "Cluster"},
        "resource": {"group": "postgresql.cnpg.io", "version": "v1", "resource": "clusters"},
        "name": "orders",
        "namespace": "shop",
        "operation": "CREATE",
        "userInfo": {"username": "ada", "groups": ["system:authenticated"]},
        "object": object,
        "oldObject": null,
        "dryRun": false,
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
    })
}
