//! What the rules say of themselves: `rules/catalogue.json`, generated from the METADATA of checks and operators.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Finding, Severity};

/// Checks by id, and the kinds of resource that the rules read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Catalogue {
    pub checks: BTreeMap<String, Check>,
    pub kinds: Vec<Kind>,
}

/// A check, as its METADATA describes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Names the fault.
    pub title: String,
    /// Why it is one; Markdown.
    pub description: String,
    /// The severity of findings that do not say their own.
    pub severity: Severity,
    pub since: String,
    pub remediation: String,
    /// The source documents it comes from.
    #[serde(default)]
    pub sources: Vec<String>,
    #[serde(default)]
    pub related_resources: Vec<String>,
    /// What an administrator can set, by name.
    #[serde(default)]
    pub settings: BTreeMap<String, Setting>,
}

/// A setting of a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setting {
    pub default: Json,
    pub description: String,
}

/// A kind of resource that the rules read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kind {
    /// Package of the operator, `cnpg`.
    pub operator: String,
    /// API group, "" for the core group.
    pub group: String,
    pub versions: Vec<String>,
    pub kind: String,
    /// The resource's name in API paths.
    pub plural: String,
    pub namespaced: bool,
    pub role: Role,
    /// Text of which some must occur in the serialised resource for it to be of interest; for kinds that are
    /// mostly something else (a ConfigMap, a StatefulSet). Empty: every resource of the kind is.
    #[serde(default)]
    pub contains: Vec<String>,
    /// True of a supporting kind that concerns every cluster of its operator, without being named by it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// What a kind is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A PostgreSQL cluster: judged.
    Cluster,
    /// A change to a cluster (an OpsRequest): judged.
    Change,
    /// What is set on the nodes below clusters (a DaemonSet that runs sysctl): judged.
    Node,
    /// Not judged, but facts of clusters stand in it (a StorageClass, a backup). Its change is judged by what becomes of them.
    Support,
    /// Not judged; the policy depends on it (a Namespace and its labels).
    Policy,
}

impl Kind {
    /// Whether resources of this kind are judged.
    #[must_use]
    pub const fn judged(&self) -> bool {
        matches!(self.role, Role::Cluster | Role::Change | Role::Node)
    }

    /// Whether a resource of this kind has to do with PostgreSQL, judging by its serialised form.
    #[must_use]
    pub fn concerns(&self, serialised: &str) -> bool {
        self.contains.is_empty() || self.contains.iter().any(|needle| serialised.contains(needle.as_str()))
    }
}

impl Catalogue {
    /// The kind of a resource, if the rules read it.
    #[must_use]
    pub fn kind(&self, api_version: &str, kind: &str) -> Option<&Kind> {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        self.kinds.iter().find(|k| k.kind == kind && k.group == group)
    }

    /// Fills in what a finding takes from the METADATA of its check.
    pub(crate) fn complete(&self, finding: &mut Finding) {
        if let Some(check) = self.checks.get(&finding.check) {
            finding.remediation.clone_from(&check.remediation);
        }
        finding.docs = docs(&finding.check);
    }
}

/// Where a check is explained.
#[must_use]
pub fn docs(id: &str) -> String {
    format!("https://github.com/walguard/walguard/blob/main/docs/checks.md#{}", id.replace('/', "").to_lowercase())
}
