//! The Rego files.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value as Json;

/// A Rego file.
pub struct Source {
    /// Path below the rules, with forward slashes.
    pub name: String,
    pub text: String,
    twin: bool,
}

impl Source {
    pub fn is_test(&self) -> bool {
        self.name.ends_with("_test.rego")
    }

    /// Whether it is the generated twin of a JSON table.
    pub fn is_twin(&self) -> bool {
        self.twin
    }

    /// The path of the package, without `data.`.
    pub fn package(&self) -> &str {
        self.text.lines().find_map(|line| line.strip_prefix("package ")).unwrap_or_default().trim()
    }
}

/// All Rego files below a directory, tests and generated twins of tables included, sorted.
///
/// # Errors
/// When one cannot be read.
pub fn all(rules: &Path) -> Result<Vec<Source>> {
    files(rules, "rego")?
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(rules)?.to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            Ok(Source { name, text, twin: path.with_extension("json").exists() })
        })
        .collect()
}

/// All files below a directory with an extension, sorted.
///
/// # Errors
/// When a directory cannot be read.
pub fn files(directory: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Kubernetes objects that the tests of the rules name: rules without arguments whose value has an apiVersion and a kind.
///
/// # Errors
/// When OPA cannot evaluate the tests.
pub fn objects(sources: &[Source], opa: &Path, rules: &Path) -> Result<Vec<Json>> {
    let mut query = String::from("[");
    for source in sources.iter().filter(|source| source.is_test()) {
        for line in source.text.lines() {
            let Some((name, _)) = line.split_once(" := ") else { continue };
            if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                query.push_str(&format!("[value | value := data.{}.{name}], ", source.package()));
            }
        }
    }
    query.push(']');
    let mut child = Command::new(opa)
        .args(["eval", "--stdin", "--format", "raw", "--ignore", "*.yaml", "--ignore", "*.json", "--data"])
        .arg(rules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{}", opa.display()))?;
    child.stdin.take().context("no pipe")?.write_all(query.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "opa eval: {}", String::from_utf8_lossy(&output.stdout));
    let mut found = Vec::new();
    pick(&serde_json::from_slice(&output.stdout)?, &mut found);
    Ok(found)
}

fn pick(value: &Json, found: &mut Vec<Json>) {
    let text = |key: &str| value.get(key).is_some_and(Json::is_string);
    if text("apiVersion") && text("kind") {
        found.push(value.clone());
        return;
    }
    match value {
        Json::Object(fields) => fields.values().for_each(|value| pick(value, found)),
        Json::Array(items) => items.iter().for_each(|value| pick(value, found)),
        _ => {}
    }
}
