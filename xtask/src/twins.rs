//! Tables as Rego: hosts that load only `.rego` (conftest with no flag, Gatekeeper) read the twin of a JSON table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use walguard_engine::{Catalogue, Role};

/// A longer line is broken up, so that people can read what changed in it.
const LINE_COLUMNS: usize = 900;

/// The part of the catalogue that rules read.
pub fn catalogue(catalogue: &Catalogue) -> Result<String> {
    let checks: BTreeMap<_, _> = catalogue
        .checks
        .iter()
        .map(|(id, check)| {
            let settings: BTreeMap<_, _> =
                check.settings.iter().map(|(name, setting)| (name, json!({"default": setting.default}))).collect();
            let mut said = json!({"severity": check.severity});
            if !settings.is_empty() {
                said["settings"] = json!(settings);
            }
            (id, said)
        })
        .collect();
    twin("catalogue", "the METADATA of the checks", &[], &json!({ "checks": checks }))
}

/// `rules/index.rego`: every check, operator and storage vendor by name. The rules could find them by iterating over
/// packages, but an engine then evaluates every rule of every one of them; named, only what is asked for.
pub fn index(root: &Path, catalogue: &Catalogue) -> Result<String> {
    let mut text = String::from(
        "# Generated from the packages of rules/ by \"make generate\". Do not edit.\n# METADATA\n\
         # description: |\n#   The checks, operators and storage vendors there are. Rules could find them by iterating over packages, but an\n\
         #   engine then evaluates every rule of every package; named, only what is asked for.\npackage walguard.index\n",
    );
    operators(root, catalogue, &mut text)?;
    vendors(root, &mut text)?;
    for id in catalogue.checks.keys() {
        write!(text, "\nfindings[\"{id}\"] := data.walguard.checks.{}.findings\n", id.replace('/', "."))?;
    }
    text.push_str("\n# Checks that an administrator brings.\nfindings[id] := found if some id, found in data.walguard.own.findings\n");
    let askers = [root.join("rules/checks"), root.join("rules/lib/budget")];
    let whatever_sets_them = asked_parameters(&askers, &["parameter", "bytes", "milliseconds"])?;
    let changes = &whatever_sets_them | &asked_parameters(&askers, &["changed"])?;
    text.push_str("\n# The parameters that some check asks walguard.model for.\n");
    list(&mut text, "parameters", &whatever_sets_them)?;
    text.push_str("\n# The same and those that some check asks for only where somebody sets them.\n");
    list(&mut text, "changes", &changes)?;
    let table: BTreeMap<String, Parameter> =
        serde_json::from_str(&fs::read_to_string(root.join("rules/postgres/parameters.json"))?)?;
    text.push_str("\n# Those of the first list whose default is the same in every version that has them, as walguard.model wants them.\ndefaults := {\n");
    let mut since: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for name in &whatever_sets_them {
        let Some(parameter) = table.get(name) else { continue };
        let Some(default) = parameter.plain_default(name) else { continue };
        writeln!(text, "\t\"{name}\": {default},")?;
        if let Some(major) = parameter.since {
            since.entry(major).or_default().insert(name);
        }
    }
    text.push_str("}\n\n# Which of them a version does not have yet: the first that has them.\nbegun := {\n");
    for (major, names) in since {
        writeln!(
            text,
            "\t{major}: {{{}}},",
            names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        )?;
    }
    text.push_str("}\n");
    Ok(text)
}

/// The operators: each is asked only about objects of the kinds that its METADATA names.
fn operators(root: &Path, catalogue: &Catalogue, text: &mut String) -> Result<()> {
    let mut kinds: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for kind in catalogue.kinds.iter().filter(|kind| kind.judged()) {
        kinds.entry(format!("{}/{}", kind.group, kind.kind)).or_default().insert(&kind.operator);
    }
    text.push_str("\n# Who reads objects of a group and kind.\nkinds := {\n");
    for (kind, operators) in kinds {
        writeln!(text, "\t\"{kind}\": {},", compact(&json!(operators))?)?;
    }
    text.push_str(
        "}\n\n# Who reads the object under review.\n\
         operators := kinds[concat(\"/\", [data.walguard.lib.k8s.group, data.walguard.lib.k8s.kind])]\n",
    );
    dependents(root, catalogue, text)?;
    for operator in packages(&root.join("rules/operators"))? {
        let directory = root.join("rules/operators").join(&operator);
        for (name, package, rule) in [
            ("clusters", "", "cluster"),
            ("backups", "", "backups"),
            ("restores", "", "restores"),
            ("schedules", "plan", "schedules"),
            ("repositories", "plan", "repositories"),
            ("collisions", "plan", "collisions"),
        ] {
            if defines(&directory.join(package), rule)? {
                let path = if package.is_empty() { rule.to_owned() } else { format!("{package}.{rule}") };
                write!(
                    text,
                    "\n{name}[\"{operator}\"] := data.walguard.operators.{operator}.{path} if \"{operator}\" in operators\n"
                )?;
            }
        }
    }
    Ok(())
}

/// `rules/tune/skeletons/skeletons.rego`: the manifests of new clusters that operators describe, by the name that a user gives – the
/// operator's, or the `title` of the skeleton. No part of the index: checks need none.
pub fn skeletons(root: &Path) -> Result<String> {
    let mut text = String::from(
        "# Generated from the packages of rules/operators/ by \"make generate\". Do not edit.\n# METADATA\n\
         # description: Manifests of new clusters, by the name that a user gives.\npackage walguard.tune.skeletons\n",
    );
    let mut targets = BTreeSet::new();
    for operator in packages(&root.join("rules/operators"))? {
        let package = root.join("rules/operators").join(&operator).join("skeleton");
        if !defines(&package, "manifest")? {
            continue;
        }
        let source = fs::read_to_string(package.join("skeleton.rego"))?;
        let title = source.lines().find_map(|line| line.strip_prefix("title := \"")?.strip_suffix('"'));
        let target = title.unwrap_or(&operator);
        writeln!(text, "\nmanifests[\"{target}\"] := data.walguard.operators.{operator}.skeleton.manifest")?;
        targets.insert(target.to_owned());
    }
    text.push('\n');
    list(&mut text, "targets", &targets)?;
    Ok(text)
}

/// The kinds that clusters depend on, and those of clusters, as far as hosts hold them.
fn dependents(root: &Path, catalogue: &Catalogue, text: &mut String) -> Result<()> {
    let operators = packages(&root.join("rules/operators"))?;
    let held = |kind: &&walguard_engine::Kind| kind.contains.is_empty();
    text.push_str(
        "\n# What clusters depend on: the operators whose clusters (none: all), and whether every cluster, without naming it.\nsupport := {\n",
    );
    let mut support: BTreeMap<String, (BTreeSet<&str>, bool)> = BTreeMap::new();
    for kind in catalogue.kinds.iter().filter(held).filter(|kind| kind.role == Role::Support) {
        let (owners, all) = support.entry(format!("{}/{}", kind.group, kind.kind)).or_default();
        owners.extend(operators.iter().find(|operator| **operator == kind.operator).map(String::as_str));
        *all |= kind.all;
    }
    for (kind, (owners, all)) in support {
        writeln!(text, "\t\"{kind}\": {},", compact(&json!({"operators": owners, "all": all}))?)?;
    }
    text.push_str("}\n\n# The kinds of clusters, and whose they are.\ncluster_kinds := {\n");
    for kind in catalogue.kinds.iter().filter(held).filter(|kind| kind.role == Role::Cluster) {
        writeln!(text, "\t\"{}/{}\": \"{}\",", kind.group, kind.kind, kind.operator)?;
    }
    text.push_str("}\n");
    Ok(())
}

/// The storage vendors: each is asked only where a claim has a provisioner that its METADATA names, or, when it names a
/// pattern (`*.rbd.csi.ceph.com`), one that nobody names.
fn vendors(root: &Path, text: &mut String) -> Result<()> {
    let mut provisioners = BTreeMap::new();
    let mut patterned = BTreeSet::new();
    let mut disks = BTreeMap::new();
    let vendors = packages(&root.join("rules/storage"))?;
    for vendor in &vendors {
        let annotations = crate::annotations::read(&root.join(format!("rules/storage/{vendor}/{vendor}.rego")))?;
        let custom = annotations.with_context(|| format!("{vendor}: a vendor needs METADATA"))?.custom;
        let names = custom.get("provisioners").and_then(|names| names.as_sequence());
        let names = names.with_context(|| format!("{vendor}: METADATA names no provisioners"))?;
        let first = names.first().and_then(|name| name.as_str()).unwrap_or_default();
        for (name, profile) in crate::docs::disks(root, vendor, &custom)? {
            disks.insert(name, json!({"provisioner": first, "parameters": profile["select"]}));
        }
        for name in names {
            let name = name.as_str().with_context(|| format!("{vendor}: a provisioner is a text"))?;
            if name.contains('*') {
                patterned.insert(vendor.clone());
            } else {
                provisioners.insert(name.to_owned(), vendor.clone());
            }
        }
    }
    text.push_str("\n# The disks that have a name, and what a StorageClass would say of them.\nnamed_disks := {\n");
    for (name, disk) in disks {
        writeln!(text, "\t\"{name}\": {},", compact(&disk)?)?;
    }
    text.push_str("}\n");
    text.push_str("\n# Who knows a provisioner.\nprovisioners := {\n");
    for (provisioner, vendor) in provisioners {
        writeln!(text, "\t\"{provisioner}\": \"{vendor}\",")?;
    }
    text.push_str("}\n\n# Who knows provisioners by a pattern, and so is asked about those that nobody names.\n");
    list(text, "patterned", &patterned)?;
    text.push_str(
        "\n# The vendors of the claims in sight.\n\
         vendors contains vendor if {\n\tsome claim in data.walguard.model.claims.claims\n\
         \tvendor := provisioners[claim.provisioner]\n}\n\n\
         vendors contains vendor if {\n\tsome claim in data.walguard.model.claims.claims\n\
         \tname := object.get(claim, \"provisioner\", \"\")\n\tname != \"\"\n\tnot provisioners[name]\n\tsome vendor in patterned\n}\n",
    );
    for vendor in &vendors {
        for facts in ["disks", "filesystems"] {
            if !defines(&root.join("rules/storage").join(vendor), facts)? {
                continue;
            }
            write!(
                text,
                "\n{facts}[id] := fact if {{\n\t\"{vendor}\" in vendors\n\tsome id, fact in data.walguard.storage.{vendor}.{facts}\n}}\n"
            )?;
        }
    }
    Ok(())
}

/// An entry of rules/postgres/parameters.json, as far as it says what a default is.
#[derive(Deserialize)]
struct Parameter {
    r#type: Option<String>,
    unit: Option<String>,
    default: Option<String>,
    #[serde(default)]
    changes: Vec<Parameter>,
    since: Option<u32>,
    removed: Option<u32>,
}

impl Parameter {
    /// The default that is the same in every version that has the parameter, as a value of Rego; `None` for others, for what is not
    /// plain to read, and for the sizes that initdb writes.
    fn plain_default(&self, name: &str) -> Option<String> {
        let same =
            |later: &Self| (&later.r#type, &later.unit, &later.default) == (&self.r#type, &self.unit, &self.default);
        let constant = self.removed.is_none() && self.changes.iter().all(same);
        if !constant || matches!(name, "max_wal_size" | "min_wal_size" | "shared_buffers") {
            return None;
        }
        let text = self.default.as_deref()?;
        let value = match self.r#type.as_deref()? {
            "integer" => json!(text.parse::<i64>().ok()?),
            "bool" => json!(text == "on"),
            "enum" | "string" => json!(text),
            _ => return None,
        };
        let mut setting = json!({"name": name, "text": text, "origin": "postgres", "value": value});
        if let (Some((kind, size)), Some(value)) = (self.unit.as_deref().and_then(amount), value.as_i64()) {
            setting[kind] = json!(if value < 0 { value } else { value * size });
        }
        // Spaces as "opa fmt" wants them; neither names nor values of these types hold such characters.
        Some(setting.to_string().replace("\":", "\": ").replace(",\"", ", \""))
    }
}

/// What a unit counts, and how many of it.
fn amount(unit: &str) -> Option<(&'static str, i64)> {
    match unit {
        "B" => Some(("bytes", 1)),
        "kB" => Some(("bytes", 1024)),
        "8kB" => Some(("bytes", 8192)),
        "MB" => Some(("bytes", 1 << 20)),
        "ms" => Some(("milliseconds", 1)),
        "s" => Some(("milliseconds", 1000)),
        "min" => Some(("milliseconds", 60_000)),
        _ => None,
    }
}

fn list(text: &mut String, rule: &str, names: &BTreeSet<String>) -> std::fmt::Result {
    writeln!(text, "{rule} := [")?;
    for name in names {
        writeln!(text, "\t\"{name}\",")?;
    }
    writeln!(text, "]")
}

/// The names in calls such as `model.parameter("…")`.
fn asked_parameters(directories: &[PathBuf], functions: &[&str]) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let files =
        directories.iter().map(|directory| crate::annotations::rego_files(directory)).collect::<Result<Vec<_>>>()?;
    for path in files.into_iter().flatten() {
        let source = fs::read_to_string(&path)?;
        for function in functions {
            let call = format!("model.{function}(\"");
            let asked = source.split(call.as_str()).skip(1).filter_map(|rest| rest.split_once('"'));
            names.extend(asked.map(|(name, _)| name.to_owned()));
        }
    }
    Ok(names)
}

/// Whether a package, which need not be there, has a rule of this name in one of the files of its directory.
fn defines(package: &Path, rule: &str) -> Result<bool> {
    if !package.exists() {
        return Ok(false);
    }
    let begins = |line: &str| line.strip_prefix(rule).is_some_and(|rest| rest.starts_with([' ', '[']));
    for entry in fs::read_dir(package)? {
        let path = entry?.path();
        let name = path.to_string_lossy();
        if name.ends_with(".rego") && !name.ends_with("_test.rego") {
            let source = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if source.lines().any(begins) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The directories that hold a package of their own name.
fn packages(directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    if !directory.exists() {
        return Ok(names);
    }
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.join(format!("{name}.rego")).exists() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The twin of every other table below `rules/`.
pub fn tables(root: &Path, files: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    let rules = root.join("rules");
    let mut directories = vec![rules.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|e| e == "json") && path != rules.join("catalogue.json") {
                let rego = of_table(root, &path, &[])?;
                files.insert(path.with_extension("rego").strip_prefix(root)?.to_owned(), rego);
            }
        }
    }
    Ok(())
}

/// The twin of one table, without these fields of its rows.
///
/// # Errors
/// When the file cannot be read, or is no JSON.
pub fn of_table(root: &Path, path: &Path, dropped: &[&str]) -> Result<String> {
    let mut table: Value =
        serde_json::from_str(&fs::read_to_string(path)?).with_context(|| path.display().to_string())?;
    for row in table.as_object_mut().into_iter().flat_map(|rows| rows.values_mut()) {
        if let Some(row) = row.as_object_mut() {
            row.retain(|field, _| !dropped.contains(&field.as_str()));
        }
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let parents: Vec<String> = path
        .parent()
        .unwrap_or(root)
        .strip_prefix(root.join("rules"))?
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    twin(&name, &format!("{name}.json"), &parents, &table)
}

fn twin(name: &str, source: &str, parents: &[String], table: &Value) -> Result<String> {
    let package: Vec<&str> = std::iter::once("walguard").chain(parents.iter().map(String::as_str)).collect();
    let mut text = format!("# Generated from {source} by \"make generate\". Do not edit.\n");
    write!(text, "package {}\n\n{name} := ", package.join("."))?;
    write_value(&mut text, table, 0)?;
    text.push('\n');
    Ok(text)
}

/// Writes a value as `opa fmt` leaves it: on one line where it fits, else one element a line. The outermost is always broken up.
fn write_value(text: &mut String, value: &Value, depth: usize) -> Result<()> {
    let compact = compact(value)?;
    let empty = matches!(compact.as_str(), "{}" | "[]");
    let scalar = !value.is_object() && !value.is_array();
    if scalar || empty || (depth > 0 && compact.len() + depth * 4 < LINE_COLUMNS) {
        text.push_str(&compact);
        return Ok(());
    }
    let indent = "\t".repeat(depth + 1);
    match value {
        Value::Object(map) => {
            text.push_str("{\n");
            for (key, element) in map {
                write!(text, "{indent}{}: ", serde_json::to_string(key)?)?;
                write_value(text, element, depth + 1)?;
                text.push_str(",\n");
            }
            write!(text, "{}}}", "\t".repeat(depth))?;
        }
        Value::Array(list) => {
            text.push_str("[\n");
            for element in list {
                text.push_str(&indent);
                write_value(text, element, depth + 1)?;
                text.push_str(",\n");
            }
            write!(text, "{}]", "\t".repeat(depth))?;
        }
        _ => {}
    }
    Ok(())
}

fn compact(value: &Value) -> Result<String> {
    Ok(match value {
        Value::Object(map) => {
            let fields = map
                .iter()
                .map(|(key, element)| Ok(format!("{}: {}", serde_json::to_string(key)?, compact(element)?)))
                .collect::<Result<Vec<_>>>()?;
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(list) => {
            let elements = list.iter().map(compact).collect::<Result<Vec<_>>>()?;
            format!("[{}]", elements.join(", "))
        }
        scalar => serde_json::to_string(scalar)?,
    })
}
