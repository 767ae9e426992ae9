//! The tests of the rules, `_test.rego`, by OPA and by regorus: a test that holds in one engine holds in the other.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use regorus::Value;
use serde_json::Value as Json;
use walguard_engine::link;

use crate::sources::{self, Source};

/// A test: package and rule, as in `data.walguard.model_test.test_major`.
type Results = BTreeMap<String, bool>;

/// Tests that name packages by a variable, `storage[vendor]`: linked there are no packages any more.
const NOT_LINKED: [&str; 1] = ["storage/storage_test.rego"];

/// Runs every test in both and prints what they count.
///
/// # Errors
/// When a test fails in one of them, or they do not run the same tests.
pub fn run(rules: &Path, opa: &Path) -> Result<()> {
    let sources = sources::all(rules)?;
    let by_opa = opa_test(rules, opa)?;
    let by_regorus = regorus_test(&sources)?;
    let by_linked = linked_test(&sources)?;
    let names: BTreeSet<&String> = by_opa.keys().chain(by_regorus.keys()).collect();
    let mut wrong = Vec::new();
    for name in names {
        let [opa, regorus, linked] = [&by_opa, &by_regorus, &by_linked].map(|results| results.get(name));
        let without_packages = linked.is_none() && name.starts_with("data.walguard.storage_test.");
        if opa != Some(&true) || regorus != Some(&true) || !(linked == Some(&true) || without_packages) {
            wrong.push(format!("{name}: {} in OPA, {} in regorus, {} linked", word(opa), word(regorus), word(linked)));
        }
    }
    println!(
        "tests of the rules: {} in OPA, {} in regorus, {} in regorus linked; {} do not hold in all",
        by_opa.len(),
        by_regorus.len(),
        by_linked.len(),
        wrong.len()
    );
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

fn word(result: Option<&bool>) -> &'static str {
    match result {
        Some(true) => "holds",
        Some(false) => "fails",
        None => "is not run",
    }
}

fn opa_test(rules: &Path, opa: &Path) -> Result<Results> {
    let output = Command::new(opa)
        .args(["test", "--timeout", "10m", "--ignore", "*.yaml", "--ignore", "*.json", "--format", "json"])
        .arg(rules)
        .output()
        .with_context(|| format!("cannot run {}", opa.display()))?;
    let tests: Json = serde_json::from_slice(&output.stdout).with_context(|| {
        format!("opa test: {}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })?;
    let mut results = Results::new();
    for test in tests.as_array().context("opa test gives a list")? {
        let (package, name) = (test["package"].as_str().unwrap_or_default(), test["name"].as_str().unwrap_or_default());
        // A test that is written twice is "test_a" and "test_a#01".
        let name = name.split('#').next().unwrap_or_default();
        let passed = test["fail"].is_null() && test["error"].is_null();
        *results.entry(format!("{package}.{name}")).or_insert(true) &= passed;
    }
    Ok(results)
}

/// By the modules one by one.
fn regorus_test(sources: &[Source]) -> Result<Results> {
    let mut engine = regorus::Engine::new();
    engine.set_strict_builtin_errors(false);
    for source in sources {
        engine.add_policy(source.name.clone(), link::resolve_imports(&source.text))?;
    }
    results(sources.iter(), |package, test| engine.eval_rule(format!("data.{package}.{test}")))
}

/// By all modules linked into one, tests included.
fn linked_test(sources: &[Source]) -> Result<Results> {
    let linkable = sources.iter().filter(|source| !NOT_LINKED.contains(&source.name.as_str()));
    let linked = link::link(linkable.clone().map(|source| source.text.as_str()), &[]);
    let mut engine = regorus::Engine::new();
    engine.set_strict_builtin_errors(false);
    engine.set_policy_length_config(regorus::PolicyLengthConfig {
        max_file_bytes: NonZeroUsize::MAX,
        max_lines: NonZeroUsize::MAX,
        ..Default::default()
    });
    engine.add_policy("linked".to_owned(), replaced_rules(&linked))?;
    results(linkable, |package, test| engine.eval_rule(format!("data.{}.{}", link::PACKAGE, link::name(package, test))))
}

/// What `with` replaces must be named from `data` on.
fn replaced_rules(linked: &str) -> String {
    let mut text = String::with_capacity(linked.len());
    for part in linked.split("with ") {
        if !text.is_empty() {
            let keyword = text.ends_with(char::is_whitespace);
            text.push_str("with ");
            let name = part.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
            if keyword && name.is_some_and(|name| name.contains("__")) {
                text.push_str(&format!("data.{}.", link::PACKAGE));
            }
        }
        text.push_str(part);
    }
    text
}

fn results<'a>(
    sources: impl Iterator<Item = &'a Source>,
    mut run: impl FnMut(&str, &str) -> Result<Value>,
) -> Result<Results> {
    let mut results = Results::new();
    for source in sources.filter(|source| source.is_test()) {
        for test in source.text.lines().filter_map(test_name) {
            let result = run(source.package(), test);
            if let Err(error) = &result {
                eprintln!("{}.{test}: {error}", source.package());
            }
            results.insert(format!("data.{}.{test}", source.package()), matches!(result, Ok(Value::Bool(true))));
        }
    }
    Ok(results)
}

/// The test that a line begins.
fn test_name(line: &str) -> Option<&str> {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    line[..end].starts_with("test_").then_some(&line[..end])
}
