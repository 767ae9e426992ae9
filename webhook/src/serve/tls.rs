//! The certificate, and its replacement while the server runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum_server::tls_rustls::RustlsConfig;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::files;
use super::metrics::Metrics;

/// The files of a certificate chain and its key, both PEM.
pub struct Certificate {
    paths: Vec<PathBuf>,
    contents: Vec<Vec<u8>>,
    pub config: RustlsConfig,
}

impl Certificate {
    /// # Errors
    /// When a file cannot be read, is not PEM, or key and certificate do not belong together.
    pub async fn load(certificate: PathBuf, key: PathBuf) -> Result<Self> {
        let paths = vec![certificate, key];
        let contents = files::read(&paths).await?;
        let names = || format!("{} and {}", paths[0].display(), paths[1].display());
        let config = RustlsConfig::from_config(server_config(&contents).with_context(names)?);
        Ok(Self { paths, contents, config })
    }

    /// Takes every later certificate over. One that is no use leaves the old one in place.
    pub async fn renew(self, every: Duration, metrics: &Metrics) {
        let config = self.config;
        files::watch(self.paths, self.contents, every, |contents| match server_config(contents) {
            Ok(new) => {
                config.reload_from_config(new);
                metrics.certificate_reloads.inc();
                tracing::info!("certificate taken over");
            }
            Err(error) => {
                metrics.certificate_reload_failures.inc();
                tracing::error!("the new certificate is no use, the old one stays: {error:#}");
            }
        })
        .await;
    }
}

/// TLS 1.2 and 1.3, HTTP/2 before HTTP/1.1. `contents`: chain, key.
fn server_config(contents: &[Vec<u8>]) -> Result<Arc<ServerConfig>> {
    let [chain, key] = contents else { anyhow::bail!("a certificate and a key are needed") };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(chain).collect::<Result<_, _>>().context("certificate")?;
    anyhow::ensure!(!chain.is_empty(), "no certificate in the file");
    let key = PrivateKeyDer::from_pem_slice(key).context("private key")?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
