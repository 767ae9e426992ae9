//! The Rego files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value as Json;
use walguard_engine::link;

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
/// When the rules do not compile.
pub fn objects(sources: &[Source]) -> Result<Vec<Json>> {
    let mut engine = regorus::Engine::new();
    engine.set_strict_builtin_errors(false);
    for source in sources {
        engine.add_policy(source.name.clone(), link::resolve_imports(&source.text))?;
    }
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.is_test()) {
        for line in source.text.lines() {
            let Some((name, _)) = line.split_once(" := ") else { continue };
            if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            if let Ok(value) = engine.eval_rule(format!("data.{}.{name}", source.package())) {
                pick(&serde_json::to_value(&value)?, &mut found);
            }
        }
    }
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
