//! Objects that are only looked up: from files, or from a live cluster.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use walguard_engine::{Catalogue, Inventory, Rules};

use crate::inputs::{self, Inputs, Wanted};
use crate::walk;

/// In place of a path: the cluster that the kubeconfig names.
const CLUSTER: &str = "cluster";

/// What is in sight of the documents of a run, besides one another.
#[derive(Clone, Default)]
pub struct Surroundings {
    pub inputs: Inputs,
    pub inventory: Inventory,
    /// A cluster was looked at, so that files are only what somebody wrote.
    pub live: bool,
    /// What could not be looked up; the judgement goes on without it.
    pub warnings: Vec<String>,
}

/// Lists what the cluster of the kubeconfig holds, and says what could not be listed. The linter itself has no Kubernetes client; the
/// program that runs it may.
pub type Live = fn(&Rules, &Catalogue) -> anyhow::Result<(Inventory, Vec<String>)>;

/// Reads files, and lists the objects of a cluster where `cluster` is asked for.
///
/// # Errors
/// When there is no cluster to ask, or it does not answer.
pub fn read(
    context: &[PathBuf],
    rules: &Rules,
    catalogue: &Catalogue,
    live: Option<Live>,
    look_for: &walk::Rules,
) -> anyhow::Result<Surroundings> {
    let mut surroundings = Surroundings::default().with_files(context, catalogue, look_for);
    if context.iter().any(|path| is_cluster(path)) {
        let Some(look) = live else { bail!("--context cluster: this walguard was built without a Kubernetes client") };
        surroundings.live = true;
        (surroundings.inventory, surroundings.warnings) =
            look(rules, catalogue).context("--context cluster: no cluster can be looked at")?;
    }
    Ok(surroundings)
}

impl Surroundings {
    /// The same with other files: those of `context`.
    pub fn with_files(self, context: &[PathBuf], catalogue: &Catalogue, look_for: &walk::Rules) -> Self {
        let paths: Vec<PathBuf> = context.iter().filter(|path| !is_cluster(path)).cloned().collect();
        Self { inputs: inputs::read(walk::find(&paths, look_for), &Wanted::new(catalogue)), ..self }
    }
}

fn is_cluster(path: &Path) -> bool {
    path == Path::new(CLUSTER)
}
