//! What the rules say of themselves: `rules/catalogue.json`, generated from the METADATA of checks and operators.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{DOCS, Finding, Severity, Value};

/// Checks by id, and the kinds of resource that the rules read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Catalogue {
    pub checks: BTreeMap<String, Check>,
    pub kinds: Vec<Kind>,
    /// The tables of facts that age, below `rules/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
}

/// A table of facts that age: ends of life, images that moved. Its rows have a source and the date of their last comparison with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Its file below `rules/`, without `.json`.
    pub name: String,
    pub title: String,
    pub rows: usize,
    /// The dates of the rows, as `2026-11-22`.
    pub oldest: String,
    pub newest: String,
}

impl Table {
    /// Whether no row was compared with its source in the year before a date.
    #[must_use]
    pub fn older_than_a_year(&self, date: &str) -> bool {
        a_year_old(&self.newest, date)
    }
}

/// Whether a date – `2026-11-22`, or `2026-11` – is more than a year before another one.
#[must_use]
pub fn a_year_old(date: &str, today: &str) -> bool {
    let parts = |date: &str| Some((date.get(..4)?.parse::<u32>().ok()?, date.get(4..)?.to_owned()));
    let (Some((year, rest)), Some(today)) = (parts(date), parts(today)) else { return false };
    (year + 1, rest) < today
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
    /// How the numbers of a finding follow from one another: Rego expressions whose variables are facts of the finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formulas: Vec<String>,
    /// The tables of facts that age which the check rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// The claims that the check rests on and that are shown on real servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<Claim>,
    /// An administrator brought it: our documentation says nothing of it.
    #[serde(skip)]
    pub own: bool,
}

/// A claim about PostgreSQL or the kernel, and the test that shows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// Its name: `tests/postgres/run claims NAME`.
    pub test: String,
    /// What is shown, in a sentence.
    pub claim: String,
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
    /// False for a document of walguard's own, which no API server has, and for a kind that is looked for among files alone.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub served: bool,
    /// Text, in lower case, of which some must occur in the serialised resource for it to be of interest; for kinds that are
    /// mostly something else (a ConfigMap, a StatefulSet). Empty: every resource of the kind is.
    #[serde(default)]
    pub contains: Vec<String>,
    /// True of a supporting kind that concerns every cluster of its operator, without being named by it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Whether some rule looks for resources of this kind in namespaces other than that of the one under review.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everywhere: bool,
    /// The fields the rules read (`spec.storageClassName`), where there may be too many resources to send whole. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Where the subresource `scale` writes the number of replicas that are asked for: `spec.instances`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
    /// False for a kind that no rule looks for among other objects: it is judged when somebody asks for it, and over.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub watched: bool,
    /// Which objects of a kind that is mostly something else a live inventory holds all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Named>,
}

/// Objects that the clusters of an operator name, in the clusters' own namespaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Where a cluster names them: `spec.customConfig`, of every element of a list or value of a map `spec.parts[].configMap.name`, and of
    /// those that are called so `spec.env[name=SCOPE].value`.
    #[serde(default)]
    pub at: Vec<String>,
    /// Names that are made of what stands in a cluster, each place in braces: `{metadata.name}-config`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// What clusters read without naming it.
    #[serde(default)]
    pub always: Vec<String>,
    /// Words, in lower case, of which a cluster must say one to be asked what it names. Empty: every cluster is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
}

impl Named {
    /// What a cluster names: names of objects in its namespace.
    #[must_use]
    pub fn of(&self, cluster: &Value) -> Vec<String> {
        if !self.when.is_empty() && !says(cluster, &self.when) {
            return Vec::new();
        }
        let mut names = self.always.clone();
        for path in &self.at {
            collect(cluster, path, &mut names);
        }
        for pattern in &self.made {
            names.extend(made(cluster, pattern));
        }
        names
    }
}

/// Whether one of the words occurs in a key or a text of a value.
fn says(value: &Value, words: &[String]) -> bool {
    let said = |text: &str| {
        let text = text.to_ascii_lowercase();
        words.iter().any(|word| text.contains(word.as_str()))
    };
    match value {
        Value::String(text) => said(text),
        Value::Array(items) => items.iter().any(|item| says(item, words)),
        Value::Object(fields) => fields.iter().any(|(key, item)| said(key.as_str()) || says(item, words)),
        _ => false,
    }
}

/// Names by a pattern, one for each combination of the texts that stand at its places in braces.
fn made(cluster: &Value, pattern: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    for part in pattern.split_inclusive(['{', '}']) {
        let texts = match part.strip_suffix('}') {
            Some(path) => {
                let mut texts = Vec::new();
                collect(cluster, path, &mut texts);
                texts
            }
            None => vec![part.trim_end_matches('{').to_owned()],
        };
        names = names.iter().flat_map(|name| texts.iter().map(move |text| format!("{name}{text}"))).collect();
    }
    names
}

/// The texts at a path; `[]` behind a key means every element of the list or value of the map there, `[name=x]` those that are called x.
fn collect(value: &Value, path: &str, texts: &mut Vec<String>) {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let (key, of) =
        key.strip_suffix(']').and_then(|key| key.split_once('[')).map_or((key, None), |(k, of)| (k, Some(of)));
    let found = &value[key];
    let items = match of {
        None => vec![found],
        Some(of) => {
            let wanted = |item: &&Value| match of.split_once('=') {
                Some((field, text)) => item[field].as_string().is_ok_and(|found| &**found == text),
                None => true,
            };
            match found {
                Value::Array(items) => items.iter().filter(wanted).collect(),
                Value::Object(fields) => fields.iter().map(|(_, item)| item).filter(wanted).collect(),
                _ => Vec::new(),
            }
        }
    };
    for item in items {
        match rest {
            Some(rest) => collect(item, rest, texts),
            None => texts.extend(item.as_string().ok().filter(|text| !text.is_empty()).map(|text| text.to_string())),
        }
    }
}

const fn yes() -> bool {
    true
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

    /// Whether resources of this kind may name objects that are read because of it: a cluster, or what changes one (an SGScript, whose SQL
    /// lies in a ConfigMap). What is mostly something else names nothing itself.
    #[must_use]
    pub fn names(&self) -> bool {
        self.role == Role::Cluster || (self.role == Role::Change && self.contains.is_empty())
    }

    /// Whether a change of such a resource is judged by what becomes of the clusters that depend on it.
    #[must_use]
    pub fn depended_on(&self) -> bool {
        self.role == Role::Support && self.contains.is_empty()
    }

    /// Whether such a resource is mostly something else, and changes the clusters that name it: a ConfigMap with parameters.
    #[must_use]
    pub fn named_by_clusters(&self) -> bool {
        self.role == Role::Support && self.named.is_some() && self.kind == "ConfigMap"
    }

    /// The kind's apiVersion in each of its versions.
    pub fn api_versions(&self) -> impl Iterator<Item = String> {
        self.versions.iter().map(|version| match self.group.as_str() {
            "" => version.clone(),
            group => format!("{group}/{version}"),
        })
    }

    /// Whether a resource of this kind has to do with PostgreSQL, judging by its serialised form. In any case of letters: SQL
    /// does not mind it.
    #[must_use]
    pub fn concerns(&self, serialised: &str) -> bool {
        if self.contains.is_empty() {
            return true;
        }
        let text = serialised.to_ascii_lowercase();
        self.contains.iter().any(|word| text.contains(word.as_str()))
    }
}

impl Catalogue {
    /// What a resource is to the rules: once for each operator that reads resources of its kind. Of a ConfigMap or a StatefulSet
    /// there are several, each with words of its own.
    pub fn kinds_of<'c>(&'c self, api_version: &str, kind: &str) -> impl Iterator<Item = &'c Kind> {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        self.kinds.iter().filter(move |k| k.kind == kind && k.group == group)
    }

    /// The kinds of which an inventory holds every object. One that is mostly something else (a ConfigMap) would cost more memory
    /// and more rights than it is worth.
    pub fn inventoried(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| kind.served && kind.watched && kind.contains.is_empty())
    }

    /// Those of them that a verdict on a resource of `kind` can depend on: the same operator's, and those that are no
    /// operator's (a StorageClass). On such a one clusters of every operator may depend.
    pub fn surroundings(&self, kind: &Kind) -> impl Iterator<Item = &Kind> {
        let operators: BTreeSet<&str> = self.kinds.iter().filter(|k| k.judged()).map(|k| k.operator.as_str()).collect();
        let everything = !operators.contains(kind.operator.as_str());
        self.inventoried().filter(move |other| {
            everything || other.operator == kind.operator || !operators.contains(other.operator.as_str())
        })
    }

    /// The kinds of which resources of `kind`, where they are clusters or change one, name objects in their own namespaces.
    pub fn naming<'c>(&'c self, kind: &Kind) -> impl Iterator<Item = (&'c Kind, &'c Named)> {
        let of_cluster = self.kinds.iter().filter(|k| kind.names() && k.operator == kind.operator);
        of_cluster.filter_map(|k| Some((k, k.named.as_ref()?)))
    }

    /// The same with the names that one of them gives: objects that are read because of it.
    pub fn named_by<'c>(&'c self, kind: &Kind, cluster: &Value) -> impl Iterator<Item = (&'c Kind, Vec<String>)> {
        self.naming(kind).map(|(k, named)| (k, named.of(cluster)))
    }

    /// Fills in what a finding takes from the METADATA of its check.
    pub fn complete(&self, finding: &mut Finding) {
        if let Some(check) = self.checks.get(&finding.check) {
            finding.remediation.clone_from(&check.remediation);
        }
        finding.docs = self.docs(&finding.check);
    }

    /// Where a check is explained: one of ours in the documentation, another one at the first of its own sources; empty where it names none.
    #[must_use]
    pub fn docs(&self, id: &str) -> String {
        match self.checks.get(id) {
            Some(check) if check.own => check.related_resources.first().cloned().unwrap_or_default(),
            _ => docs(id),
        }
    }
}

/// The page that explains a check; empty while there is no site.
fn docs(id: &str) -> String {
    page(DOCS, id)
}

fn page(site: &str, id: &str) -> String {
    if site.is_empty() { String::new() } else { format!("{site}/checks/{id}.html") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_is_named_when_there_is_a_site() {
        assert_eq!(page("", "wal/level"), "");
        assert_eq!(page("https://example.org/docs", "wal/level"), "https://example.org/docs/checks/wal/level.html");
    }

    #[test]
    fn clusters_and_what_changes_them_name_objects() {
        let kind = |role: &str, contains: &[&str]| -> Kind {
            serde_json::from_value(json!({
                "operator": "o", "group": "", "versions": ["v1"], "kind": "K", "plural": "ks", "namespaced": true, "role": role, "contains": contains,
            }))
            .unwrap()
        };
        assert!(kind("cluster", &[]).names());
        assert!(kind("cluster", &["postgres"]).names());
        assert!(kind("change", &[]).names());
        assert!(!kind("change", &["postgresql.conf"]).names());
        assert!(!kind("support", &[]).names());
    }

    #[test]
    fn names_are_found_wherever_they_stand() {
        let cluster = crate::value(json!({"spec": {
            "one": "a",
            "templates": {"x": {"ref": "t"}, "y": {"ref": 1}, "z": "text"},
            "env": [{"name": "OTHER", "value": "o"}, {"name": "SCOPE", "value": "s"}],
            "parts": [{"name": "p"}, {"name": "q", "configs": [{"map": {"name": "b"}}, {"map": {"name": 1}}]}, {"configs": "x"}, null, {"configs": [{"map": {"name": "c"}}]}],
        }}));
        let named = Named {
            at: [
                "spec.one",
                "spec.parts[].configs[].map.name",
                "spec.absent[].x",
                "spec.parts",
                "spec.templates[].ref",
            ]
            .map(str::to_owned)
            .to_vec(),
            always: vec!["base".to_owned()],
            made: [
                "{spec.one}-config",
                "{spec.one}-{spec.env[name=SCOPE].value}-{spec.parts[].name}",
                "{spec.absent}-x",
            ]
            .map(str::to_owned)
            .to_vec(),
            when: Vec::new(),
        };
        assert_eq!(named.of(&cluster), ["base", "a", "b", "c", "t", "a-config", "a-s-p", "a-s-q"]);

        for (word, asked) in [("scope", true), ("parts", true), ("fsync", false)] {
            let named = Named { when: vec![word.to_owned()], ..named.clone() };
            assert_eq!(!named.of(&cluster).is_empty(), asked, "{word}");
        }
    }
}
