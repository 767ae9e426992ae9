//! Objects that are only looked up: from files, or from a live cluster.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use walguard_engine::{Catalogue, Inventory};

use super::inputs::{self, Inputs};
use crate::serve::cluster;

/// In place of a path: the cluster that the kubeconfig names.
const CLUSTER: &str = "cluster";

/// What is in sight of the documents of a run, besides one another.
#[derive(Default)]
pub struct Surroundings {
    pub inputs: Inputs,
    pub inventory: Inventory,
    /// What could not be looked up; the judgement goes on without it.
    pub warnings: Vec<String>,
}

/// Reads files, and lists the objects of a cluster where `cluster` is asked for.
///
/// # Errors
/// When there is no cluster to ask, or it does not answer.
pub fn read(context: &[PathBuf], catalogue: &Catalogue) -> anyhow::Result<Surroundings> {
    let (live, paths): (Vec<&PathBuf>, Vec<&PathBuf>) =
        context.iter().partition(|path| path.as_path() == Path::new(CLUSTER));
    let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
    let mut surroundings = Surroundings { inputs: inputs::read(&paths), ..Surroundings::default() };
    if !live.is_empty() {
        (surroundings.inventory, surroundings.warnings) =
            look(catalogue).context("--context cluster: no cluster can be looked at")?;
    }
    Ok(surroundings)
}

fn look(catalogue: &Catalogue) -> anyhow::Result<(Inventory, Vec<String>)> {
    // More than one provider may be compiled in; that another one was chosen before does no harm.
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let client = kube::Client::try_default().await?;
        Ok(cluster::look(&client, catalogue).await?)
    })
}
