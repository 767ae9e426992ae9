//! walguard's webhook: over HTTPS, with every policy configuration, and within the process, with an inventory.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use walguard_engine::{Catalogue, Engine, Rules};
use walguard_loopback::Server;

use super::{Host, answer};
use crate::review::{self, Review};
use crate::verdict::Verdict;

pub struct Direct(Engine);

impl Direct {
    /// # Errors
    /// When the rules do not compile.
    pub fn new() -> Result<Self> {
        Ok(Self(Engine::new(&Rules::embedded())?))
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

    fn view(&self, review: &Review, verdict: &Verdict) -> Verdict {
        answer::view(review, verdict, self.0.catalogue())
    }
}

pub struct Webhook {
    /// One for each configuration, and one without, each with the directory it runs in.
    servers: Vec<(Option<Json>, Server, TempDir)>,
    catalogue: Arc<Catalogue>,
}

impl Webhook {
    /// # Errors
    /// When a server does not start.
    pub fn start(program: &Path, configurations: &[Json]) -> Result<Self> {
        let start = |configuration: Option<&Json>| -> Result<(Option<Json>, Server, TempDir)> {
            let directory = tempfile::tempdir()?;
            let mut arguments = vec!["--log-level", "error", "--deadline-ms", "120000"];
            if let Some(configuration) = configuration {
                let mut file = configuration.clone();
                file["version"] = json!(1);
                fs::write(directory.path().join("walguard.yaml"), file.to_string())?;
                arguments.extend(["--config", "walguard.yaml"]);
            }
            let server = Server::walguard(program, directory.path(), None, &arguments)?;
            Ok((configuration.cloned(), server, directory))
        };
        let catalogue = Rules::embedded().catalogue()?;
        let servers = std::iter::once(None).chain(configurations.iter().map(Some)).map(start);
        Ok(Self { servers: servers.collect::<Result<_>>()?, catalogue })
    }
}

impl Host for Webhook {
    fn name(&self) -> String {
        "webhook".to_owned()
    }

    fn project(&self, review: &Review) -> Option<Review> {
        let mut projected = answer::project(review, &["parameters"])?;
        let parameters = projected.input.get("parameters").cloned();
        if !self.servers.iter().any(|(configuration, ..)| *configuration == parameters) {
            projected.input.as_object_mut()?.remove("parameters");
        }
        Some(projected)
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let judge = |review: &Review| -> Result<Verdict> {
            let parameters = review.input.get("parameters");
            let server = self.servers.iter().find(|(configuration, ..)| configuration.as_ref() == parameters);
            let (_, server, _) = server.context("there is a server for every configuration")?;
            let body = review::text(&answer::request(review).context("there is an object")?);
            let (success, text) = server.post(body)?;
            Ok(match serde_json::from_str(&text) {
                Ok(answer) if success => answer::read(&answer),
                _ => Verdict::Error(text),
            })
        };
        reviews.iter().map(judge).collect()
    }

    fn view(&self, review: &Review, verdict: &Verdict) -> Verdict {
        answer::view(review, verdict, &self.catalogue)
    }
}
