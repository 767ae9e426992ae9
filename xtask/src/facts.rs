//! What the adapters read, as their METADATA declares it (`custom.facts`): shown in `docs/operators.md`, and by the test compared with what an
//! adapter makes of a resource that says everything (`full.yaml` beside it, `full-*.yaml`) and of one that says nothing (`bare.yaml`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::annotations;

/// What an adapter knows of a fact; neither field for what can be expressed and is not read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    /// Where it is read from.
    #[serde(default)]
    read: Option<String>,
    /// What holds where nobody says anything.
    #[serde(default)]
    default: Option<String>,
    /// Why what can be expressed is not read.
    #[serde(default)]
    unread: Option<String>,
}

/// The facts: id, and what it is.
const FACTS: [(&str, &str); 29] = [
    ("version", "major version"),
    ("edition", "edition other than the community's"),
    ("parameters", "parameters, the last of a name wins"),
    ("defaults", "parameters that the operator sets by default"),
    ("fixed", "parameters that the operator sets or refuses whatever is written"),
    ("ignored", "parameters where the operator ignores them"),
    ("instances", "instances"),
    ("resources", "CPU and memory"),
    ("huge_pages", "huge pages"),
    ("machine", "types of the machines"),
    ("volume", "data volume"),
    ("storage_class", "its StorageClass or disk"),
    ("performance", "its IOPS, throughput or VolumeAttributesClass"),
    ("wal_volume", "WAL volume"),
    ("tablespaces", "volumes of tablespaces"),
    ("segment", "WAL segment size"),
    ("checksums", "data checksums"),
    ("synchronous", "synchronous standbys"),
    ("slots", "replication slots of standbys"),
    ("rewind", "pg_rewind"),
    ("pooler", "connection pooler"),
    ("archiving", "WAL archiving: on, off, or discarded"),
    ("schedules", "schedules of backups"),
    ("repositories", "where backups go, and for how long"),
    ("standby_backup", "base backups taken from a standby"),
    ("backups", "completed backups"),
    ("restores", "restores that worked"),
    ("patience", "how long a start may take"),
    ("shared_memory", "size of /dev/shm"),
];

/// An operator: its name, and what its adapter knows of each fact that a user can express or the operator decides.
struct Operator {
    title: String,
    facts: BTreeMap<String, Declared>,
}

/// The operators by directory.
fn operators(root: &Path) -> Result<BTreeMap<String, Operator>> {
    let mut operators = BTreeMap::new();
    for entry in fs::read_dir(root.join("rules/operators"))? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let file = root.join(format!("rules/operators/{name}/{name}.rego"));
        let annotations = annotations::read(&file)?.with_context(|| format!("{name}: an operator needs METADATA"))?;
        let facts = annotations.custom.get("facts").cloned().unwrap_or_default();
        let facts: BTreeMap<String, Declared> =
            yaml_serde::from_value(facts).with_context(|| format!("{name}: METADATA custom.facts"))?;
        for (id, fact) in &facts {
            if !FACTS.iter().any(|(known, _)| known == id) {
                bail!("{name}: METADATA custom.facts: there is no fact {id}");
            }
            if fact.unread.is_some() == (fact.read.is_some() || fact.default.is_some()) {
                bail!("{name}: METADATA custom.facts: {id} is read, has a default, or is unread");
            }
        }
        operators.insert(name, Operator { title: annotations.title, facts });
    }
    Ok(operators)
}

/// `docs/operators.md`.
pub fn page(root: &Path) -> Result<String> {
    let operators = operators(root)?;
    let mut text = String::from(
        "<!-- Generated from the METADATA of rules/operators by \"make generate\". Do not edit. -->\n# Operators\n\n\
         The facts about a cluster that checks use. **read**: from the resource and from objects that it names, if they are found. **default**: the \
         operator's default, known as such. **not read**: it can be set, but walguard does not read it. **–**: the operator has no \
         place for it. A check whose facts are unknown is silent.\n\n| fact |",
    );
    for operator in operators.values() {
        write!(text, " [{}](#{}) |", operator.title, anchor(&operator.title))?;
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(operators.len()));
    text.push('\n');
    for (id, what) in FACTS {
        write!(text, "| {what} |")?;
        for operator in operators.values() {
            write!(text, " {} |", operator.facts.get(id).map_or("–", cell))?;
        }
        text.push('\n');
    }
    for operator in operators.values() {
        write!(text, "\n## {}\n\n| fact | read from | default |\n|---|---|---|\n", operator.title)?;
        for (id, what) in FACTS {
            let Some(fact) = operator.facts.get(id) else { continue };
            let read = match (&fact.read, &fact.unread) {
                (Some(place), _) => place.clone(),
                (None, Some(reason)) => format!("*not read:* {reason}"),
                (None, None) => String::new(),
            };
            writeln!(text, "| {what} | {read} | {} |", fact.default.as_deref().unwrap_or_default())?;
        }
    }
    Ok(text)
}

const fn cell(fact: &Declared) -> &'static str {
    match (fact.read.is_some(), fact.default.is_some()) {
        (true, true) => "read, default",
        (true, false) => "read",
        (false, true) => "default",
        (false, false) => "not read",
    }
}

/// As GitHub makes anchors of headings.
fn anchor(title: &str) -> String {
    title
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use serde::Deserialize as _;
    use serde_json::{Value as Json, json};
    use walguard_engine::{Engine, Inventory, Rules};

    use super::*;
    use crate::root;

    /// What the model says of a file: of its first document, in sight of all.
    fn model(engine: &Engine, file: &Path) -> Json {
        let text = fs::read_to_string(file).unwrap();
        let documents: Vec<Json> =
            yaml_serde::Deserializer::from_str(&text).map(|document| Json::deserialize(document).unwrap()).collect();
        let mut inventory = Inventory::new(true);
        for document in &documents {
            inventory.insert(document, &walguard_engine::value(document.clone()));
        }
        let mut found = json!({});
        for rule in ["cluster", "backups", "restores", "schedules", "repositories"] {
            let review = json!({"object": documents[0], "operation": "UPDATE"});
            let mut input = walguard_engine::value(json!({"review": review, "now": "2026-11-21T00:00:00Z"}));
            input.as_object_mut().unwrap().insert("inventory".into(), inventory.value());
            let value = engine.clone().evaluate_rule(&format!("walguard.model.{rule}"), &input).unwrap();
            if value != walguard_engine::Value::Undefined {
                found[rule] = serde_json::to_value(&value).unwrap();
            }
        }
        assert!(found["cluster"].is_object(), "{} is not recognised", file.display());
        found
    }

    /// A value, or null where it is absent or says nothing.
    fn something(value: &Json) -> Json {
        let nothing = match value {
            Json::Array(list) => list.is_empty(),
            Json::Object(map) => map.is_empty(),
            Json::String(text) => text.is_empty(),
            _ => false,
        };
        if nothing { Json::Null } else { value.clone() }
    }

    /// What some of the instance sets say.
    fn of_sets(model: &Json, say: impl Fn(&Json) -> Json) -> Json {
        let sets = model["cluster"]["instance_sets"].as_array().cloned().unwrap_or_default();
        something(&sets.iter().map(|set| something(&say(set))).filter(|said| !said.is_null()).collect())
    }

    fn resources(model: &Json, wanted: impl Fn(&str) -> bool) -> Json {
        let of_set = |set: &Json| {
            let parts = ["requests", "limits"].into_iter();
            let amounts = parts.filter_map(|part| set["resources"][part].as_object()).flatten();
            amounts.filter(|(name, _)| wanted(name)).map(|(name, amount)| json!([name, amount])).collect()
        };
        of_sets(model, of_set)
    }

    /// What a model says of a fact; null where it says nothing.
    fn fact(model: &Json, id: &str) -> Json {
        let cluster = &model["cluster"];
        let volume = |field: &'static str| {
            move |set: &Json| -> Json {
                let volumes = ["data", "wal"].into_iter().map(|role| something(&set[role][field]));
                volumes.filter(|said| !said.is_null()).collect()
            }
        };
        let first = |of: [Json; 2]| of.into_iter().find(|said| !said.is_null()).unwrap_or_default();
        match id {
            "version" => cluster["major"].clone(),
            "fixed" => first([something(&cluster["managed"]), something(&cluster["forbidden"])]),
            "resources" => resources(model, |name| matches!(name, "cpu" | "memory")),
            "huge_pages" => resources(model, |name| name.starts_with("hugepages-")),
            "machine" => of_sets(model, |set| set["node_types"].clone()),
            "volume" => of_sets(model, |set| set["data"]["size"].clone()),
            "storage_class" => first([of_sets(model, volume("class")), of_sets(model, volume("disk_name"))]),
            "performance" => first([of_sets(model, volume("attributes_class")), of_sets(model, volume("parameters"))]),
            "wal_volume" => of_sets(model, |set| set["wal"].clone()),
            "tablespaces" => of_sets(model, |set| set["tablespaces"].clone()),
            "rewind" if cluster["rewind"]["used"] != true => Json::Null,
            "schedules" | "repositories" | "backups" | "restores" => something(&model[id]),
            _ => something(&cluster[id]),
        }
    }

    /// What the operator does by itself and no resource says.
    const OWN: [&str; 2] = ["defaults", "fixed"];

    #[test]
    fn adapters_know_what_they_declare_and_nothing_else() {
        let root = root().unwrap();
        let engine = Engine::new(&Rules::embedded()).unwrap();
        let mut wrong = Vec::new();
        for (name, operator) in operators(&root).unwrap() {
            let directory = root.join("rules/operators").join(&name);
            let bare = model(&engine, &directory.join("bare.yaml"));
            let files = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
            let full: Vec<Json> = files
                .filter(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("full")))
                .map(|file| model(&engine, &file))
                .collect();
            assert!(!full.is_empty(), "{name} has no full.yaml");
            for (id, _) in FACTS {
                let nothing = Declared::default();
                let declared = operator.facts.get(id).unwrap_or(&nothing);
                let mut default = fact(&bare, id);
                let mut said = full.iter().map(|model| fact(model, id)).filter(|said| !said.is_null());
                let read = if OWN.contains(&id) {
                    default = if default.is_null() { said.next().unwrap_or_default() } else { default };
                    false
                } else {
                    said.any(|said| said != default)
                };
                if (read, !default.is_null()) != (declared.read.is_some(), declared.default.is_some()) {
                    wrong.push(format!(
                        "{name}: {id} is declared {:?}, and read: {read}, by default: {default}",
                        cell(declared)
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
