//! Objects that are only looked up: from files, or from a live cluster.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use walguard_engine::{Catalogue, Inventory, Rules};

use super::inputs::{self, Inputs};
use crate::cluster;

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
pub fn read(context: &[PathBuf], rules: &Rules, catalogue: &Catalogue) -> anyhow::Result<Surroundings> {
    let (live, paths): (Vec<&PathBuf>, Vec<&PathBuf>) =
        context.iter().partition(|path| path.as_path() == Path::new(CLUSTER));
    let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
    let mut surroundings = Surroundings { inputs: inputs::read(&paths), ..Surroundings::default() };
    if !live.is_empty() {
        (surroundings.inventory, surroundings.warnings) =
            look(rules, catalogue).context("--context cluster: no cluster can be looked at")?;
    }
    Ok(surroundings)
}

fn look(rules: &Rules, catalogue: &Catalogue) -> anyhow::Result<(Inventory, Vec<String>)> {
    let listing = cluster::ask(async |client| Ok(cluster::list(&client, rules, catalogue, None, false).await?))?;
    let warnings = listing.unlisted.iter().map(|kind| format!("cannot list {}: {}", kind.name, kind.error));
    Ok((listing.inventory, warnings.collect()))
}
