//! The engines, and the hosts around them.

mod answer;
mod compiled;
mod conftest;
mod gatekeeper;
mod kubewarden;
mod opa;
mod webhook;

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value as Json;

pub use opa::Opa;

use crate::review::Review;
use crate::verdict::Verdict;

// Where programs are. No doc comment: clap would take it for what the whole command is about.
#[derive(clap::Args)]
pub struct Programs {
    /// Directory with walguard, engines-opa and engines-gatekeeper
    #[arg(long = "programs", env = "ENGINES_PROGRAMS")]
    pub directory: PathBuf,
    #[arg(long, env = "ENGINES_OPA")]
    pub opa: PathBuf,
    #[arg(long, env = "ENGINES_CONFTEST")]
    pub conftest: PathBuf,
    /// The ConstraintTemplate; without it Gatekeeper is left out
    #[arg(long, env = "ENGINES_GATEKEEPER_TEMPLATE")]
    pub gatekeeper_template: Option<PathBuf>,
    #[arg(long, env = "ENGINES_WAPC_HOST")]
    pub wapc_host: Option<PathBuf>,
    /// The module of the Kubewarden policy; without it that is left out
    #[arg(long, env = "ENGINES_POLICY")]
    pub policy: Option<PathBuf>,
}

/// Something that judges reviews.
pub trait Host: Send {
    fn name(&self) -> String;

    /// The review as far as this host can be told it; `None` when it can be told nothing of it.
    fn project(&self, review: &Review) -> Option<Review> {
        Some(review.clone())
    }

    /// Judges what [`Host::project`] gave.
    ///
    /// # Errors
    /// When the host itself fails; what goes wrong with one review is its verdict.
    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>>;

    /// What this host would say when this is the verdict on a review.
    fn view(&self, _review: &Review, verdict: &Verdict) -> Verdict {
        verdict.clone()
    }
}

/// All hosts, or those whose names are given.
///
/// # Errors
/// When one does not start.
pub fn all(programs: &Programs, rules: &Path, configurations: &[Json], only: &[String]) -> Result<Vec<Box<dyn Host>>> {
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| o == name);
    let mut hosts: Vec<Box<dyn Host>> = Vec::new();
    if wanted("compiled") {
        hosts.push(Box::new(compiled::Own::compiled()?));
    }
    if wanted("interpreted") {
        hosts.push(Box::new(compiled::Own::interpreted()?));
    }
    if wanted("direct") {
        hosts.push(Box::new(webhook::Direct::new()?));
    }
    if wanted("webhook") {
        hosts.push(Box::new(webhook::Webhook::start(&programs.directory.join("walguard"), configurations)?));
    }
    if wanted("conftest") {
        hosts.push(Box::new(conftest::Conftest::new(&programs.conftest, rules)));
    }
    if let Some(template) = programs.gatekeeper_template.as_ref().filter(|_| wanted("gatekeeper")) {
        let program = programs.directory.join("engines-gatekeeper");
        hosts.push(Box::new(gatekeeper::Gatekeeper::start(&program, template)?));
    }
    if let Some((host, policy)) =
        programs.wapc_host.as_ref().zip(programs.policy.as_ref()).filter(|_| wanted("kubewarden"))
    {
        hosts.push(Box::new(kubewarden::Kubewarden::start(host, policy)?));
    }
    Ok(hosts)
}
