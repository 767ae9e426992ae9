//! `policies/gatekeeper/`: the rules as a ConstraintTemplate, with Constraints and the inventory they need.
//!
//! One template holds all checks: each template of Gatekeeper, and each Constraint, reads the object under review anew, so a
//! template for every area would cost the operators' adapters once for every area. What is to be reported is chosen in a Constraint.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value as Json, json};
use walguard_engine::{Catalogue, Kind, configuration};

use crate::brief::brief;
use crate::shared::shared;
use crate::squeeze::squeezed;
use crate::{annotations, link, twins};

/// The kind of the Constraints. Gatekeeper wants the name of the template to be the same in lower case.
const KIND: &str = "WalguardPostgreSQL";
const NOTICE: &str = "# Generated from rules/ by \"make generate\". Do not edit.";

/// Gatekeeper knows no other data than its inventory: the configuration is the parameters of a Constraint.
const CONFIGURATION: &str = "package walguard\n\nconfiguration := input.parameters if is_object(input.parameters)\n";

/// What is for files alone: the schemas of the operators, which the API server compares what it asks about with, and rules that are silent on a
/// live cluster. An object that etcd has to hold is small.
const FILES_ALONE: [(&str, &str); 9] = [
    ("rules/lib/flux/flux.rego", "package walguard.lib.flux\n\nblanked(_, _, _, _) := {} if 1 == 2\n"),
    ("rules/lib/schema/kinds.rego", "package walguard.lib.schema\n\nkinds := {}\n"),
    ("rules/lib/schema/schema.rego", "package walguard.lib.schema\n\nfaults(_, _) := []\n"),
    (
        "rules/lib/workloads/afar.rego",
        "package walguard.lib.workloads\n\ncallers := clients\n\ncalling := containers\n\nafar := []\n",
    ),
    ("rules/model/abroad/abroad.rego", "package walguard.model.abroad\n\nlost := []\n"),
    ("rules/operators/workload/members.rego", "package walguard.operators.workload\n\nat_any_member := []\n"),
    ("rules/operators/workload/oversized.rego", "package walguard.operators.workload\n"),
    ("rules/operators/workload/streamed.rego", "package walguard.operators.workload\n\nstreaming_by_poolers := []\n"),
    ("rules/operators/zalando/pruned.rego", "package walguard.operators.zalando\n"),
];

/// What `walguard disk` shows of a disk's figures, and no finding says.
const ORIGINS: [&str; 1] = ["sources"];

/// Adds the files of `policies/gatekeeper/` that follow from the rules, those among `files` (generated too) included.
pub fn files(root: &Path, catalogue: &Catalogue, files: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    // A change of what clusters depend on is judged by what becomes of them.
    let reviewed = |kind: &&Kind| kind.served && (kind.judged() || kind.depended_on());
    let (own, generic): (Vec<&Kind>, Vec<&Kind>) =
        catalogue.kinds.iter().filter(reviewed).partition(|kind| kind.contains.is_empty());
    let rego = rego(root, files)?;
    let mut write = |name: &str, text: String| files.insert(Path::new("policies/gatekeeper").join(name), text);
    write("template.yaml", template(catalogue, &rego)?);
    write("constraints.yaml", constraints("walguard-postgresql", &own)?);
    write("constraints-workloads.yaml", constraints("walguard-workloads", &generic)?);
    write("sync.yaml", sync(catalogue)?);
    Ok(())
}

/// All rules as the one module of a template.
fn rego(root: &Path, generated: &BTreeMap<PathBuf, String>) -> Result<String> {
    let mut paths: BTreeSet<PathBuf> = generated.keys().filter(|path| path.starts_with("rules")).cloned().collect();
    paths.insert("policies/gatekeeper/violation.rego".into());
    for path in annotations::rego_files(&root.join("rules"))? {
        paths.insert(path.strip_prefix(root)?.to_owned());
    }
    let mut modules = vec![("configuration.rego".to_owned(), CONFIGURATION.to_owned())];
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rego")) {
        let instead = FILES_ALONE.iter().find(|(alone, _)| path == Path::new(alone));
        let source = match (instead, generated.get(path)) {
            (Some((_, instead)), _) => (*instead).to_owned(),
            (None, Some(_)) if path.ends_with("profiles.rego") => {
                twins::of_table(root, &root.join(path).with_extension("json"), &ORIGINS)?
            }
            (None, Some(text)) => text.clone(),
            (None, None) => {
                fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {}", path.display()))?
            }
        };
        // What the tests of checks share stands in files of no test.
        if !source.lines().any(|line| line.starts_with("package ") && line.ends_with("_test")) {
            modules.push((path.display().to_string(), source));
        }
    }
    let linked = link::link_files(&modules);
    let (_, body) = linked.text.split_once('\n').context("a module has a package")?;
    if let Some(line) = body.lines().find(|line| line.contains("data.walguard")) {
        bail!("Gatekeeper allows no data but its inventory, and no rule is found for this: {line}");
    }
    // Some rules are for files alone, and an object that etcd has to hold is small.
    let violation = linked.names.rule("walguard.gatekeeper", "violation");
    let body = link::needed(body, violation);
    Ok(format!("package walguard\nviolation contains answer if some answer in {violation}\n{body}"))
}

fn template(catalogue: &Catalogue, rego: &str) -> Result<String> {
    let name = KIND.to_lowercase();
    let crd = json!({"spec": {"names": {"kind": KIND}, "validation": {"openAPIV3Schema": parameters(catalogue)}}});
    let mut text = format!(
        "{NOTICE}\n# Longer than an annotation may be: kubectl apply --server-side.\n\
         apiVersion: templates.gatekeeper.sh/v1\nkind: ConstraintTemplate\nmetadata:\n  name: {name}\n  annotations:\n\
         \x20   metadata.gatekeeper.sh/title: PostgreSQL on Kubernetes\n    metadata.gatekeeper.sh/version: {}\n\
         \x20   description: >-\n      Badly tuned and unsafe PostgreSQL clusters, whoever's operator runs them.\n\
         spec:\n  crd:\n",
        env!("CARGO_PKG_VERSION")
    );
    // As JSON, which is YAML too: a bare off is a boolean to Kubernetes, and the writer of YAML does not quote it.
    for line in serde_json::to_string_pretty(&crd)?.lines() {
        writeln!(text, "    {line}")?;
    }
    text.push_str(
        "  targets:\n  - target: admission.k8s.gatekeeper.sh\n    code:\n    - engine: Rego\n      source:\n        version: v1\n        rego: |\n",
    );
    for line in brief(&shared(&squeezed(rego))).lines() {
        writeln!(text, "          {line}")?;
    }
    Ok(text)
}

/// The schema of a Constraint's parameters: what it reports, and the policy configuration.
fn parameters(catalogue: &Catalogue) -> Json {
    let configuration = configuration::schema(catalogue, "#");
    let Json::Object(mut properties) = structural(&configuration, &configuration["definitions"])["properties"].take()
    else {
        return Json::Null;
    };
    // The version of the form is that of the template.
    properties.remove("version");
    // What each check and its settings are stands in the docs, which no etcd has to hold.
    undescribed(&mut properties["namespaces"]["items"]["properties"]["checks"]);
    properties["checks"]["properties"].as_object_mut().into_iter().flat_map(Map::values_mut).for_each(undescribed);
    unsettled(&mut properties["checks"]);
    unsettled(&mut properties["namespaces"]["items"]["properties"]["checks"]);
    let list = |description: &str| json!({"type": "array", "description": description, "items": {"type": "string"}});
    let severities = json!({
        "type": "array",
        "description": "Which findings are reported: what the configuration has deny (error), shown (warning), only recorded (info). Error alone when not given.",
        "items": {"type": "string", "enum": ["error", "warning", "info"]},
    });
    properties.insert("severities".to_owned(), severities);
    let select = list("Only these checks are reported: ids, or areas with a slash (durability/). All when not given.");
    properties.insert("select".to_owned(), select);
    properties.insert("ignore".to_owned(), list("These checks are not reported."));
    json!({"type": "object", "properties": properties})
}

/// Leaves out the settings of checks that have none.
fn unsettled(checks: &mut Json) {
    for check in checks["properties"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(fields) = check["properties"].as_object_mut() {
            fields.retain(|_, field| field["properties"].as_object().is_none_or(|named| !named.is_empty()));
        }
    }
}

/// A JSON Schema as Kubernetes takes it for a custom resource: without references, a type at every place, and nothing closed, because
/// the API server refuses fields that are not named anyway. Words are text: a bare `off` has lost its quotes there.
fn structural(schema: &Json, definitions: &Json) -> Json {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return structural(&definitions[name], definitions);
    }
    let mut made = Map::new();
    for (key, value) in schema.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("type" | "description" | "pattern" | "minLength" | "minimum" | "required", _) => {
                made.insert(key.clone(), value.clone());
            }
            ("enum", Json::Array(words)) => {
                let words: Vec<&Json> = words.iter().filter(|word| word.is_string()).collect();
                made.insert("type".to_owned(), json!("string"));
                made.insert(key.clone(), json!(words));
            }
            ("properties", Json::Object(fields)) => {
                let fields: Map<String, Json> =
                    fields.iter().map(|(name, field)| (name.clone(), structural(field, definitions))).collect();
                made.insert(key.clone(), json!(fields));
            }
            ("items", _) | ("additionalProperties", Json::Object(_)) => {
                made.insert(key.clone(), structural(value, definitions));
            }
            _ => {}
        }
    }
    if let (Some(Json::String(description)), Some(default)) = (made.get_mut("description"), schema.get("default")) {
        *description = format!("{} (default {default})", description.trim());
    }
    Json::Object(made)
}

fn undescribed(schema: &mut Json) {
    if let Json::Object(fields) = schema {
        // What a property of this name is, is no text.
        fields.retain(|key, value| key != "description" || !value.is_string());
        fields.values_mut().for_each(undescribed);
    }
}

/// Two Constraints over kinds: errors are denied, the rest is warned of.
fn constraints(name: &str, kinds: &[&Kind]) -> Result<String> {
    let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for kind in kinds {
        groups.entry(&kind.group).or_default().insert(&kind.kind);
    }
    let kinds: Vec<Json> =
        groups.into_iter().map(|(group, kinds)| json!({"apiGroups": [group], "kinds": kinds})).collect();
    let mut text = format!("{NOTICE}\n");
    for (part, action, severities) in [("errors", "deny", vec!["error"]), ("warnings", "warn", vec!["warning"])] {
        let constraint = json!({
            "apiVersion": "constraints.gatekeeper.sh/v1beta1",
            "kind": KIND,
            "metadata": {"name": format!("{name}-{part}")},
            "spec": {
                "enforcementAction": action,
                "match": {"kinds": kinds},
                "parameters": {"severities": severities},
            },
        });
        write!(text, "---\n{}", yaml_serde::to_string(&constraint)?)?;
    }
    Ok(text)
}

/// What Gatekeeper has to keep in its inventory for a cluster to be judged together with its surroundings.
fn sync(catalogue: &Catalogue) -> Result<String> {
    let mut kinds = Vec::new();
    for kind in catalogue.inventoried() {
        for version in &kind.versions {
            kinds.push(json!({"group": kind.group, "version": version, "kind": kind.kind}));
        }
    }
    let set = json!({
        "apiVersion": "syncset.gatekeeper.sh/v1alpha1",
        "kind": "SyncSet",
        "metadata": {"name": "walguard-postgresql"},
        "spec": {"gvks": kinds},
    });
    Ok(format!("{NOTICE}\n{}", yaml_serde::to_string(&set)?))
}
