//! What TLS is served with, and its replacement while the server runs.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, ensure};
use axum_server::tls_rustls::RustlsConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{RootCertStore, ServerConfig};

use super::authority;
use super::metrics::{CertificateLabels, Metrics};

/// The certificate that is served, and the authorities of clients. Either can be replaced: new connections meet the new one.
pub struct Tls {
    pub config: RustlsConfig,
    parts: Mutex<Parts>,
}

/// PEM, all of it.
#[derive(Clone, Default)]
struct Parts {
    chain: Vec<u8>,
    key: Vec<u8>,
    /// Whose certificates clients must show; `None` when they need none.
    client_authorities: Option<Vec<u8>>,
}

/// What serves before there is a certificate: no handshake comes to an end.
#[derive(Debug)]
struct Nothing;

impl ResolvesServerCert for Nothing {
    fn resolve(&self, _: ClientHello) -> Option<Arc<CertifiedKey>> {
        None
    }
}

impl Tls {
    /// Without a certificate yet.
    ///
    /// # Errors
    /// When the TLS library lacks what it should have.
    pub fn new() -> Result<Self> {
        let parts = Parts::default();
        Ok(Self { config: RustlsConfig::from_config(server_config(&parts)?), parts: Mutex::new(parts) })
    }

    /// Serves another certificate. One that is no use leaves the old one in place.
    ///
    /// # Errors
    /// When it is not PEM, or key and certificate do not belong together.
    pub fn certificate(&self, chain: &[u8], key: &[u8], metrics: &Metrics) -> Result<()> {
        let expires = authority::expires(chain).context("certificate")?;
        self.replace(|parts| (parts.chain, parts.key) = (chain.to_vec(), key.to_vec()))?;
        let labels = CertificateLabels { certificate: "serving" };
        metrics.certificate_expiry.get_or_create(&labels).set(expires);
        Ok(())
    }

    /// Asks clients for certificates of other authorities. One that is no use leaves the old ones in place.
    ///
    /// # Errors
    /// When there is none, or one cannot be read.
    pub fn client_authorities(&self, authorities: &[u8]) -> Result<()> {
        self.replace(|parts| parts.client_authorities = Some(authorities.to_vec()))
    }

    fn replace(&self, change: impl FnOnce(&mut Parts)) -> Result<()> {
        let mut held = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parts = held.clone();
        change(&mut parts);
        self.config.reload_from_config(server_config(&parts)?);
        *held = parts;
        Ok(())
    }
}

/// TLS 1.2 and 1.3, HTTP/2 before HTTP/1.1.
fn server_config(parts: &Parts) -> Result<Arc<ServerConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let builder = match &parts.client_authorities {
        None => builder.with_no_client_auth(),
        Some(authorities) => {
            let mut roots = RootCertStore::empty();
            for authority in CertificateDer::pem_slice_iter(authorities) {
                roots.add(authority.context("client authority")?).context("client authority")?;
            }
            ensure!(!roots.is_empty(), "no client authority in the file");
            builder.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build()?,
            )
        }
    };
    let mut config = if parts.chain.is_empty() && parts.key.is_empty() {
        builder.with_cert_resolver(Arc::new(Nothing))
    } else {
        let chain: Vec<_> =
            CertificateDer::pem_slice_iter(&parts.chain).collect::<Result<_, _>>().context("certificate")?;
        ensure!(!chain.is_empty(), "no certificate in the file");
        let key = PrivateKeyDer::from_pem_slice(&parts.key).context("private key")?;
        builder.with_single_cert(chain, key)?
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
