//! The Kubewarden policy, in the host of tests/tools/wapc-host.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value as Json, json};
use walguard_engine::Catalogue;

use super::gatekeeper::{objects, place, reference};
use super::opa::Lines;
use super::{Host, answer};
use crate::review::{self, Review};
use crate::verdict::{self, Verdict};

pub struct Kubewarden {
    host: Lines,
    catalogue: Catalogue,
}

impl Kubewarden {
    /// # Errors
    /// When it does not start.
    pub fn start(host: &Path, module: &Path, rules: &Path) -> Result<Self> {
        let catalogue = walguard::rules::load(Some(rules))?.catalogue()?;
        Ok(Self { host: Lines::start(Command::new(host).arg("run").arg(module))?, catalogue })
    }
}

impl Host for Kubewarden {
    fn name(&self) -> String {
        "kubewarden".to_owned()
    }

    /// It looks up the objects of kinds that the rules read, and sees all of them.
    fn project(&self, review: &Review) -> Option<Review> {
        let mut review = answer::project(review, &["inventory"])?;
        let mut inventory = json!({"cluster": {}, "namespace": {}, "complete": true});
        for object in objects(review.input.get("inventory")) {
            let Some([api_version, kind, namespace, name]) = reference(&object) else { continue };
            let known = self.catalogue.kinds.iter().find(|known| {
                let version = |version: &String| {
                    if known.group.is_empty() {
                        *version == api_version
                    } else {
                        format!("{}/{version}", known.group) == api_version
                    }
                };
                known.kind == kind && known.versions.iter().any(version)
            });
            match known {
                Some(known) if known.namespaced && !namespace.is_empty() => {
                    place(&mut inventory, &["namespace", &namespace, &api_version, &kind, &name], object);
                }
                Some(known) if !known.namespaced && namespace.is_empty() => {
                    place(&mut inventory, &["cluster", &api_version, &kind, &name], object);
                }
                _ => {}
            }
        }
        review.input["inventory"] = inventory;
        Some(review)
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let questions = reviews.iter().map(|review| {
            let request = answer::request(review).unwrap_or_default();
            review::text(&json!({"request": request["request"], "objects": objects(review.input.get("inventory"))}))
        });
        Ok(self.host.ask(questions)?.into_iter().map(read).collect())
    }
}

fn read(answer: Json) -> Verdict {
    match answer["findings"].as_array() {
        Some(findings) => Verdict::Findings(verdict::set(findings.iter().cloned().map(|mut finding| {
            // Texts of the METADATA, which the engine adds for hosts.
            if let Some(fields) = finding.as_object_mut() {
                fields.retain(|key, _| !matches!(key.as_str(), "remediation" | "docs"));
            }
            finding
        }))),
        None => Verdict::Error(answer.to_string()),
    }
}
