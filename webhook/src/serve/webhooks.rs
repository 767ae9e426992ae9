//! When the API server begins to ask. A webhook that is there before anybody answers refuses what it guards: an image that cannot be
//! pulled, a firewall between API server and nodes, and nobody can create a cluster any more. So the chart installs a configuration with
//! no webhook in it, and in an annotation those that it is to have; walguard writes them there.
//!
//! First the one by which the API server is seen to reach walguard: a change of a Lease, tried and not made, comes back as a review
//! with a word in it that only replicas know. Then all of them. From then on they stay, whatever becomes of walguard: a guard that steps
//! aside when it is attacked guards nothing, and `failurePolicy` says what is to happen.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use kube::ResourceExt as _;
use ring::hmac;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard_engine::Request;

/// The webhooks that a configuration is to have, as JSON.
const WANTED: &str = "walguard.dev/webhooks";
/// Which of them were written last.
const WRITTEN: &str = "walguard.dev/webhooks-written";
/// The caBundle that Helm wrote before walguard kept its own.
const TRUSTED_BEFORE: &str = "walguard.dev/trusted-before";
/// The word in the Lease.
const WORD: &str = "walguard.dev/reach";
/// The webhook that is asked about the Lease.
const REACH: &str = "reach.walguard.dev";

/// What is to be written into a configuration.
#[derive(Debug, PartialEq)]
pub struct Writing {
    pub annotations: Json,
    pub webhooks: Vec<Json>,
}

/// Whether the webhooks that guard are there.
pub fn open(configuration: &ValidatingWebhookConfiguration) -> bool {
    configuration.webhooks.iter().flatten().any(|webhook| webhook.name != REACH)
}

/// The bundle, PEM, that is to stay trusted beside the first one of walguard's own.
pub fn trusted_before(configuration: &ValidatingWebhookConfiguration) -> Option<Vec<u8>> {
    STANDARD.decode(configuration.annotations().get(TRUSTED_BEFORE)?).ok()
}

/// What is to be written into a configuration with a bundle of authorities, once walguard is ready: the webhooks that ask for nothing, or
/// all of them when it was reached. `None` when that is there already, or the configuration says nothing of it.
///
/// # Errors
/// When the annotation is no list of webhooks.
pub fn writing(configuration: &ValidatingWebhookConfiguration, bundle: &str, reached: bool) -> Result<Option<Writing>> {
    let annotations = configuration.annotations();
    let Some(wanted) = annotations.get(WANTED) else { return Ok(None) };
    let mut wanted: Vec<Json> = serde_json::from_str(wanted).with_context(|| format!("the annotation {WANTED}"))?;
    let all = reached || open(configuration) || !wanted.iter().any(|webhook| webhook["name"] == REACH);
    wanted.retain(|webhook| all || webhook["name"] == REACH);
    for webhook in &mut wanted {
        webhook["clientConfig"]["caBundle"] = STANDARD.encode(bundle).into();
    }
    let mut hasher = DefaultHasher::new();
    json!(wanted).to_string().hash(&mut hasher);
    let written = format!("{:016x}", hasher.finish());
    let live: Vec<&str> = configuration.webhooks.iter().flatten().map(|webhook| webhook.name.as_str()).collect();
    let there = wanted.iter().all(|webhook| webhook["name"].as_str().is_some_and(|name| live.contains(&name)));
    if there && annotations.get(WRITTEN) == Some(&written) {
        return Ok(None);
    }
    Ok(Some(Writing { annotations: json!({WRITTEN: written}), webhooks: wanted }))
}

/// The word by which replicas that share a key know that a review came from the API server, and by their doing.
pub fn word(key: &str) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()), WORD.as_bytes());
    STANDARD.encode(tag.as_ref())
}

/// The change of the Lease with the word in it.
pub fn knock(word: &str) -> Json {
    json!({"metadata": {"annotations": {WORD: word}}})
}

/// The word in a review of the Lease; `None` of any other request.
pub fn knocked(request: &Request<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct Lease {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        #[serde(default)]
        annotations: std::collections::BTreeMap<String, String>,
    }
    if request.kind.group != "coordination.k8s.io" || request.kind.kind != "Lease" {
        return None;
    }
    let lease: Lease = serde_json::from_str(request.object?.get()).ok()?;
    Some(lease.metadata.annotations.get(WORD).cloned().unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::admission;
    use super::*;

    fn configuration(annotations: Json, webhooks: &[&str]) -> ValidatingWebhookConfiguration {
        let webhooks: Vec<Json> = webhooks
            .iter()
            .map(|name| json!({"name": name, "clientConfig": {}, "sideEffects": "None", "admissionReviewVersions": ["v1"]}))
            .collect();
        serde_json::from_value(json!({"metadata": {"name": "w", "annotations": annotations}, "webhooks": webhooks}))
            .unwrap()
    }

    const CHART: &str = r#"[{"name": "reach.walguard.dev", "clientConfig": {"url": "u"}}, {"name": "clusters.walguard.dev", "failurePolicy": "Fail", "clientConfig": {"url": "u"}}]"#;

    fn names(writing: &Writing) -> Vec<&str> {
        writing.webhooks.iter().map(|webhook| webhook["name"].as_str().unwrap()).collect()
    }

    #[test]
    fn nothing_guards_until_the_api_server_was_seen_to_reach_walguard() {
        let fresh = configuration(json!({WANTED: CHART}), &[]);
        let first = writing(&fresh, "bundle", false).unwrap().unwrap();
        assert_eq!(names(&first), [REACH]);
        assert_eq!(first.webhooks[0]["clientConfig"], json!({"url": "u", "caBundle": STANDARD.encode("bundle")}));

        let mut annotations = first.annotations;
        annotations[WANTED] = CHART.into();
        let waiting = configuration(annotations.clone(), &[REACH]);
        assert!(!open(&waiting));
        assert_eq!(writing(&waiting, "bundle", false).unwrap(), None, "it is there already");
        let all = writing(&waiting, "bundle", true).unwrap().unwrap();
        assert_eq!(names(&all), [REACH, "clusters.walguard.dev"]);
        assert_eq!(all.webhooks[1]["failurePolicy"], "Fail");

        // What guards goes on doing so after a restart, and what is taken out of it is put back.
        let mut annotations = all.annotations;
        annotations[WANTED] = CHART.into();
        let guarding = configuration(annotations.clone(), &[REACH, "clusters.walguard.dev"]);
        assert!(open(&guarding));
        assert_eq!(writing(&guarding, "bundle", false).unwrap(), None);
        assert_eq!(names(&writing(&guarding, "other", false).unwrap().unwrap()).len(), 2);
        let spoilt = configuration(annotations, &["clusters.walguard.dev"]);
        assert_eq!(names(&writing(&spoilt, "bundle", false).unwrap().unwrap()).len(), 2);
    }

    #[test]
    fn what_was_trusted_before_is_known() {
        assert_eq!(trusted_before(&configuration(json!({TRUSTED_BEFORE: "UEVN"}), &[])), Some(b"PEM".to_vec()));
        assert_eq!(trusted_before(&configuration(json!({}), &[])), None);
    }

    #[test]
    fn a_configuration_that_says_nothing_is_left_alone() {
        assert_eq!(writing(&configuration(json!({}), &["clusters.walguard.dev"]), "b", true).unwrap(), None);
        assert!(writing(&configuration(json!({WANTED: "x"}), &[]), "b", true).is_err());
        // Without the one that only looks, all come when walguard is ready.
        let one = configuration(json!({WANTED: r#"[{"name": "a", "clientConfig": {}}]"#}), &[]);
        assert_eq!(names(&writing(&one, "b", false).unwrap().unwrap()), ["a"]);
    }

    #[test]
    fn only_who_has_the_key_knows_the_word() {
        assert_eq!(word("key"), word("key"));
        assert_ne!(word("key"), word("other"));
        let review = |kind: &str, object: Json| {
            let (group, kind) = kind.rsplit_once('/').unwrap();
            json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                "uid": "u", "kind": {"group": group, "version": "v1", "kind": kind}, "object": object,
            }})
            .to_string()
        };
        let lease = review("coordination.k8s.io/Lease", knock("word"));
        assert_eq!(knocked(&admission::read(lease.as_bytes()).unwrap()), Some("word".to_owned()));
        let other = review("postgresql.cnpg.io/Cluster", knock("word"));
        assert_eq!(knocked(&admission::read(other.as_bytes()).unwrap()), None);
        let silent = review("coordination.k8s.io/Lease", json!({"metadata": {}}));
        assert_eq!(knocked(&admission::read(silent.as_bytes()).unwrap()), Some(String::new()));
    }
}
