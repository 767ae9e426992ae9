//! What the chart takes from the kinds of the operators: the rules of the webhook configuration and of RBAC.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use walguard_engine::{Catalogue, Kind};

/// `templates/_kinds.tpl`.
pub fn kinds(catalogue: &Catalogue) -> String {
    let served: Vec<&Kind> = catalogue.kinds.iter().filter(|kind| kind.served).collect();
    let judged = |kind: &&Kind| kind.judged();
    let own: Vec<&Kind> = served.iter().copied().filter(judged).filter(|kind| kind.contains.is_empty()).collect();
    let generic: Vec<&Kind> = served.iter().copied().filter(judged).filter(|kind| !kind.contains.is_empty()).collect();
    let support: Vec<&Kind> = served.iter().copied().filter(|kind| kind.depended_on()).collect();
    let read: Vec<&Kind> = catalogue.inventoried().collect();
    let (named, claims): (Vec<&Kind>, Vec<&Kind>) =
        catalogue.kinds.iter().filter(|kind| kind.named.is_some()).partition(|kind| kind.kind == "ConfigMap");

    let mut text = String::from("{{/* Generated from the METADATA of rules/ by \"make generate\". Do not edit. */}}\n");
    define(
        &mut text,
        "walguard.webhookRules",
        "Custom resources of PostgreSQL operators.",
        &(webhook_rules(&own, "CREATE, UPDATE") + &scale_rules(&own)),
    );
    define(
        &mut text,
        "walguard.genericWebhookRules",
        "Kinds that are mostly something else; judged only with webhook.genericKinds.",
        &webhook_rules(&generic, "CREATE, UPDATE"),
    );
    define(
        &mut text,
        "walguard.supportWebhookRules",
        "What clusters depend on: what is written is judged by what becomes of them.",
        &(webhook_rules(&support, "CREATE, UPDATE, DELETE") + &scale_rules(&support)),
    );
    define(
        &mut text,
        "walguard.rbacRules",
        "What the inventory watches, and the claims that it reads one by one.",
        &(rbac_rules(&read, "get, list, watch") + &rbac_rules(&claims, "get")),
    );
    define(
        &mut text,
        "walguard.namedRbacRules",
        "ConfigMaps, which it reads one by one because clusters name them.",
        &rbac_rules(&named, "get"),
    );
    text
}

fn define(text: &mut String, name: &str, comment: &str, body: &str) {
    let body = if body.is_empty() { "[]\n" } else { body };
    let _ = write!(text, "\n{{{{/* {comment} */}}}}\n{{{{- define \"{name}\" -}}}}\n{body}{{{{- end -}}}}\n");
}

/// One rule a group, set of versions and scope.
pub fn webhook_rules(kinds: &[&Kind], operations: &str) -> String {
    rules(kinds, operations, |kind| kind.plural.clone())
}

/// The subresources that change the number of replicas, which the resource's own rules do not cover.
fn scale_rules(kinds: &[&Kind]) -> String {
    let scaled: Vec<&Kind> = kinds.iter().copied().filter(|kind| kind.scale.is_some()).collect();
    rules(&scaled, "UPDATE", |kind| format!("{}/scale", kind.plural))
}

fn rules(kinds: &[&Kind], operations: &str, resource: impl Fn(&Kind) -> String) -> String {
    let mut rules: BTreeMap<(&str, BTreeSet<&str>, bool), BTreeSet<String>> = BTreeMap::new();
    for kind in kinds {
        let versions = kind.versions.iter().map(String::as_str).collect();
        rules.entry((&kind.group, versions, kind.namespaced)).or_default().insert(resource(kind));
    }
    let mut text = String::new();
    for ((group, versions, namespaced), resources) in rules {
        let scope = if namespaced { "Namespaced" } else { "Cluster" };
        let _ = write!(
            text,
            "- apiGroups: [{}]\n  apiVersions: [{}]\n  operations: [{operations}]\n  resources: [{}]\n  scope: {scope}\n",
            quoted([group]),
            quoted(versions),
            quoted(resources.iter().map(String::as_str))
        );
    }
    text
}

fn rbac_rules(kinds: &[&Kind], verbs: &str) -> String {
    let mut rules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for kind in kinds {
        rules.entry(&kind.group).or_default().insert(&kind.plural);
    }
    let mut text = String::new();
    for (group, resources) in rules {
        let _ = write!(
            text,
            "- apiGroups: [{}]\n  resources: [{}]\n  verbs: [{verbs}]\n",
            quoted([group]),
            quoted(resources)
        );
    }
    text
}

pub fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}
