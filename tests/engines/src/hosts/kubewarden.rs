//! The Kubewarden policy, in the host of tests/tools/wapc-host.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value as Json, json};
use walguard_engine::{Catalogue, Kind, Role, Rules};

use super::gatekeeper::{objects, place, reference};
use super::opa::Lines;
use super::{Host, answer};
use crate::review::{self, Review};
use crate::verdict::{self, Verdict};

pub struct Kubewarden {
    host: Lines,
    catalogue: Arc<Catalogue>,
}

impl Kubewarden {
    /// # Errors
    /// When it does not start.
    pub fn start(host: &Path, module: &Path) -> Result<Self> {
        let catalogue = Rules::embedded().catalogue()?;
        Ok(Self { host: Lines::start(Command::new(host).arg("run").arg(module))?, catalogue })
    }

    fn kinds_of(&self, object: &Json) -> Vec<&Kind> {
        let text = |key: &str| object[key].as_str().unwrap_or_default();
        self.catalogue.kinds_of(text("apiVersion"), text("kind")).collect()
    }

    /// Kinds and names of what an object names, if it is a cluster.
    fn named(&self, object: &Json) -> Vec<(String, String)> {
        let value = walguard_engine::value(object.clone());
        let of_kind = |kind| -> Vec<(String, String)> {
            let named = self.catalogue.named_by(kind, &value);
            named.flat_map(|(kind, names)| names.into_iter().map(|name| (kind.kind.clone(), name))).collect()
        };
        self.kinds_of(object).into_iter().flat_map(of_kind).collect()
    }
}

impl Host for Kubewarden {
    fn name(&self) -> String {
        "kubewarden".to_owned()
    }

    /// It looks up the objects of kinds that the rules read, in the newest version, since this API server serves all, and sees all of
    /// them. Where to look, the request says: an API server names the namespace of whatever is in one.
    fn project(&self, review: &Review) -> Option<Review> {
        let mut review = answer::project(review, &["inventory"])?;
        let object = &review.input["review"]["object"];
        let written = object["metadata"].get("namespace").cloned();
        let of_namespace = self.kinds_of(object).iter().any(|known| known.namespaced);
        let asked = &mut review.input["review"];
        match (asked.get("namespace").cloned(), written) {
            (Some(named), Some(written)) if named != written => return None,
            (None, Some(Json::String(written))) if !written.is_empty() => asked["namespace"] = written.into(),
            (None, Some(_)) => return None,
            (None, None) if of_namespace => asked["namespace"] = "default".into(),
            _ => {}
        }
        let asked = &review.input["review"];
        let there = objects(review.input.get("inventory"));
        let mut named = self.named(&asked["object"]);
        named.extend(self.named(&asked["oldObject"]));
        if self.kinds_of(&asked["object"]).iter().any(|kind| kind.role == Role::Change) {
            named.extend(there.iter().flat_map(|object| self.named(object)));
        }
        let home = asked["namespace"].as_str().unwrap_or_default();
        let mut inventory = json!({"cluster": {}, "namespace": {}, "complete": true});
        for object in there {
            let Some([api_version, kind, namespace, name]) = reference(&object) else { continue };
            let known = self.catalogue.kinds.iter().find(|known| {
                known.kind == kind && known.api_versions().next().is_some_and(|served| served == api_version)
            });
            match known {
                Some(known)
                    if !known.contains.is_empty()
                        && (namespace != home || !named.contains(&(kind.clone(), name.clone()))) => {}
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
        answer::answerable(review)
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
