//! What is in a live cluster: listed once ([`list`]), or kept up to date ([`Cluster`]).

mod discovery;
mod listing;
mod named;
mod object;
mod pool;
mod reduced;
mod reflectors;
mod share;

pub use discovery::Served;
pub use listing::{Listing, list};
pub use named::{Names, Surplus};
pub use reflectors::{Caveat, Cluster, DISCOVERY_INTERVAL, LeftOut, Measure};

use std::error::Error as _;

use kube::Client;
use walguard_engine::{Catalogue, Inventory, Rules};

/// Asks the cluster of the current kubeconfig, or the one that this Pod runs in, and waits for the answer.
///
/// # Errors
/// When there is no cluster to ask, and those of `question`.
pub fn ask<T>(question: impl AsyncFnOnce(Client) -> anyhow::Result<T>) -> anyhow::Result<T> {
    // More than one provider may be compiled in; that another one was chosen before does no harm.
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let client = Client::try_default().await.map_err(unreachable)?;
        question(client).await
    })
}

/// Why there is no cluster to ask. Outside of a Pod nobody means the one that a Pod runs in.
fn unreachable(error: kube::Error) -> anyhow::Error {
    let in_a_pod = std::env::var_os("KUBERNETES_SERVICE_HOST").is_some();
    match &error {
        kube::Error::InferConfig(inferred) if !in_a_pod => match inferred.source() {
            Some(cause) => anyhow::anyhow!("{cause}"),
            None => error.into(),
        },
        _ => error.into(),
    }
}

/// What the cluster of the current kubeconfig holds that the rules look up, and what could not be listed.
///
/// # Errors
/// When there is no cluster to ask, or it does not answer.
pub fn holdings(rules: &Rules, catalogue: &Catalogue) -> anyhow::Result<(Inventory, Vec<String>)> {
    let listing = ask(async |client| Ok(list(&client, rules, catalogue, None, false).await?))?;
    let warnings = listing.unlisted.iter().map(|kind| format!("cannot list {}: {}", kind.name, kind.error));
    Ok((listing.inventory, warnings.collect()))
}
