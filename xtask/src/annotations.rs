//! METADATA of packages: the YAML in the comment block above `package`, as OPA reads it (`make lint` compares with
//! `opa inspect -a`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value as Json;
use walguard_engine::{Catalogue, Check, Claim, Kind, Named, Role, Setting, Severity};

use crate::tables;

/// The METADATA of a package, as far as the project uses it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Annotations {
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub related_resources: Vec<String>,
    #[serde(default)]
    pub custom: yaml_serde::Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckCustom {
    severity: Severity,
    since: yaml_serde::Value,
    remediation: String,
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    settings: BTreeMap<String, Setting>,
    #[serde(default)]
    formulas: Vec<String>,
    #[serde(default)]
    tables: Vec<String>,
    /// Twins in CEL: see `crate::cel`.
    #[serde(default, rename = "cel")]
    _cel: serde::de::IgnoredAny,
}

/// A claim of tests/postgres/claims.json, and the ids of the checks that rest on it.
#[derive(Deserialize)]
struct Shown {
    claim: String,
    checks: Vec<String>,
}

#[derive(Default, Deserialize)]
struct OperatorCustom {
    #[serde(default)]
    kinds: Vec<KindCustom>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindCustom {
    group: String,
    versions: Vec<String>,
    kind: String,
    plural: String,
    #[serde(default = "yes")]
    namespaced: bool,
    role: Role,
    #[serde(default = "yes")]
    served: bool,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    fields: Vec<String>,
    scale: Option<String>,
    #[serde(default = "yes")]
    watched: bool,
    named: Option<Named>,
}

const fn yes() -> bool {
    true
}

/// Reads the METADATA of every check and of every package that names kinds.
pub fn catalogue(root: &Path) -> Result<Catalogue> {
    let mut catalogue = Catalogue::default();
    for path in rego_files(&root.join("rules"))? {
        let name = path.strip_prefix(root)?.display().to_string();
        let Some(annotations) = read(&path)? else {
            if is_check(root, &path) {
                bail!("{name}: a check needs METADATA above its package");
            }
            continue;
        };
        if is_check(root, &path) {
            let (id, check) = check(root, &path, annotations).with_context(|| format!("{name}: METADATA"))?;
            catalogue.checks.insert(id, check);
        } else if !annotations.custom.is_null() {
            let custom: OperatorCustom =
                yaml_serde::from_value(annotations.custom).with_context(|| format!("{name}: METADATA custom"))?;
            let operator = directory_name(&path);
            catalogue.kinds.extend(custom.kinds.into_iter().map(|kind| Kind {
                operator: operator.clone(),
                group: kind.group,
                versions: kind.versions,
                kind: kind.kind,
                plural: kind.plural,
                namespaced: kind.namespaced,
                role: kind.role,
                served: kind.served,
                contains: kind.contains.iter().map(|word| word.to_lowercase()).collect(),
                all: kind.all,
                everywhere: false,
                fields: kind.fields,
                scale: kind.scale,
                watched: kind.watched,
                named: kind.named,
            }));
        }
    }
    for (test, shown) in claims(root)? {
        for id in &shown.checks {
            let check =
                catalogue.checks.get_mut(id).with_context(|| format!("{test} shows {id}, which is no check"))?;
            check.shown_by.push(Claim { test: test.clone(), claim: shown.claim.clone() });
        }
    }
    for kind in &mut catalogue.kinds {
        kind.everywhere = kind.namespaced && asked_everywhere(root, kind)?;
    }
    catalogue.tables = tables::dated(&root.join("rules"))?;
    for (id, check) in &catalogue.checks {
        if let Some(unknown) =
            check.tables.iter().find(|name| catalogue.tables.iter().all(|table| table.name != **name))
        {
            bail!("{id}: METADATA names {unknown}, which is no table with dates");
        }
    }
    Ok(catalogue)
}

/// The claims that tests/postgres shows on real servers, by name: what its `claims.py --write` writes.
fn claims(root: &Path) -> Result<BTreeMap<String, Shown>> {
    let path = root.join("tests/postgres/claims.json");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// Whether an operator's rules look for a kind of its own in other namespaces, judging by calls of walguard.lib.inventory.
fn asked_everywhere(root: &Path, kind: &Kind) -> Result<bool> {
    let directory = root.join("rules/operators").join(&kind.operator);
    if !directory.exists() {
        return Ok(false);
    }
    let literal = format!("\"{}\"", kind.kind);
    for path in rego_files(&directory)? {
        let source = fs::read_to_string(&path)?;
        let calls = ["inventory.everywhere(", "inventory.copies("].map(|call| source.split(call).skip(1));
        for call in calls.into_iter().flatten() {
            let arguments = call.lines().next().unwrap_or_default();
            if !arguments.contains('"') {
                bail!("{}: the kind that is looked for everywhere must be written out: {arguments}", path.display());
            }
            if arguments.contains(&literal) {
                return Ok(true);
            }
        }
        let mut objects = source.split("inventory.namespaced_object(").skip(1);
        let elsewhere = |call: &str| {
            !call.starts_with("k8s.namespace,") && call.lines().next().unwrap_or_default().contains(&literal)
        };
        if objects.any(elsewhere) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn check(root: &Path, path: &Path, annotations: Annotations) -> Result<(String, Check)> {
    let custom: CheckCustom = yaml_serde::from_value(annotations.custom)?;
    let directory = path.parent().context("a check stands in a directory")?;
    let id = directory.strip_prefix(root.join("rules/checks"))?.to_string_lossy().replace('\\', "/");
    if annotations.title.is_empty() || annotations.description.is_empty() {
        bail!("title and description must be there");
    }
    let since = custom.since.as_str().context("since is a version in quotes or with two points")?.to_owned();
    let check = Check {
        title: annotations.title,
        description: annotations.description.trim().to_owned(),
        severity: custom.severity,
        since,
        remediation: custom.remediation,
        sources: custom.sources,
        related_resources: annotations.related_resources,
        settings: custom.settings,
        formulas: custom.formulas,
        tables: custom.tables,
        shown_by: Vec::new(),
        own: false,
    };
    Ok((id, check))
}

/// True for `rules/checks/<area>/<check>/<check>.rego`.
fn is_check(root: &Path, path: &Path) -> bool {
    path.starts_with(root.join("rules/checks")) && path.file_stem().is_some_and(|stem| *stem == *directory_name(path))
}

fn directory_name(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// The METADATA of the package in a file; `None` when it has none.
pub fn read(path: &Path) -> Result<Option<Annotations>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let comments: Vec<&str> =
        text.lines().take_while(|line| !line.starts_with("package ")).map(|line| line.trim_end()).collect();
    let Some(start) = comments.iter().rposition(|line| *line == "# METADATA") else { return Ok(None) };
    let yaml: Vec<&str> = comments[start + 1..]
        .iter()
        .take_while(|line| line.starts_with('#'))
        .map(|line| line.strip_prefix("# ").or_else(|| line.strip_prefix('#')).unwrap_or(line))
        .collect();
    let annotations =
        yaml_serde::from_str(&yaml.join("\n")).with_context(|| format!("{}: METADATA", path.display()))?;
    Ok(Some(annotations))
}

/// Fails where [`read`] reads the METADATA of a package otherwise than OPA does.
pub fn compare(root: &Path, opa: &Path) -> Result<()> {
    let output =
        Command::new(opa).args(["inspect", "--annotations", "--format", "json", "rules"]).current_dir(root).output()?;
    let report: Json = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("opa inspect: {}", String::from_utf8_lossy(&output.stderr).trim()))?;
    let all = report["annotations"].as_array().context("opa inspect gives annotations")?;
    let packages: Vec<&Json> = all.iter().filter(|entry| entry["annotations"]["scope"] == "package").collect();
    for package in &packages {
        let file = package["location"]["file"].as_str().context("an annotation has a file")?;
        if file.ends_with("_test.rego") {
            continue;
        }
        let ours = read(&root.join(file))?.with_context(|| format!("{file}: OPA reads METADATA, we none"))?;
        let theirs = &package["annotations"];
        let text = |key: &str| theirs[key].as_str().unwrap_or_default();
        let custom = theirs.get("custom").cloned().unwrap_or(Json::Null);
        let links: Vec<&str> =
            theirs["related_resources"].as_array().into_iter().flatten().filter_map(|r| r["ref"].as_str()).collect();
        if ours.title != text("title")
            || ours.description.trim() != text("description").trim()
            || ours.related_resources != links
            || serde_json::to_value(&ours.custom)? != custom
        {
            bail!("{file}: OPA reads the METADATA otherwise: {theirs}");
        }
    }
    eprintln!("METADATA of {} packages read as OPA reads it", packages.len());
    Ok(())
}

/// Every Rego module below a directory that is no test, in order.
pub fn rego_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|e| e == "rego") && !path.to_string_lossy().ends_with("_test.rego") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
