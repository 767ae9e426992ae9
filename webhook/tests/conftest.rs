//! `conftest test -p rules FILE…`, with no flag more, gives the same findings as `walguard lint`: over all examples and
//! the manifests of every check, object by object, and with `--combine` the objects of many examples together.
//!
//! conftest knows errors and warnings only, and not the checks of a manifest's text. `WALGUARD_MANIFESTS` names one more
//! directory of manifests to compare over.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Place, batches, catalogue, conftest, each, files, root};
use serde_json::{Value, json};

/// Findings as text: check, severity, resource, path, message.
type Findings = BTreeSet<String>;

fn key(finding: &Value) -> String {
    json!([finding["check"], finding["severity"], finding["resource"], finding["path"], finding["message"]]).to_string()
}

fn manifests() -> Vec<PathBuf> {
    let mut found = files(&root().join("examples"), &["yaml"]);
    found.extend(files(&root().join("rules/checks"), &["yaml"]));
    if let Some(directory) = std::env::var_os("WALGUARD_MANIFESTS") {
        found.extend(files(Path::new(&directory), &["yaml", "yml"]));
    }
    assert!(found.len() > 10, "there is nothing to compare over");
    found
}

/// The documents of a file as text, cut as YAML streams are.
fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            documents.push(String::new());
        }
        documents.last_mut().unwrap().push_str(line);
    }
    let holds_more_than_comments = |text: &String| {
        text.lines()
            .any(|line| !line.trim().is_empty() && !line.starts_with("---") && !line.trim_start().starts_with('#'))
    };
    documents.into_iter().filter(holds_more_than_comments).collect()
}

/// What conftest finds, by file.
fn run_conftest(program: &Path, arguments: &[&str], place: &Place) -> BTreeMap<String, Findings> {
    let rules = root().join("rules");
    let output = Command::new(program)
        .args(["test", "-p", rules.to_str().unwrap(), "--output", "json"])
        .args(arguments)
        .env("GOGC", "400")
        .current_dir(place.path())
        .output()
        .unwrap();
    let results: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let mut found = BTreeMap::new();
    for result in results.as_array().unwrap() {
        let findings: &mut Findings = found.entry(result["filename"].as_str().unwrap().to_owned()).or_default();
        for kind in ["failures", "warnings"] {
            findings.extend(result[kind].as_array().into_iter().flatten().map(|one| key(&one["metadata"])));
        }
    }
    found
}

fn run_lint(place: &Place, file: &str) -> Findings {
    let run =
        place.run(&["lint", "--format", "json", "--ignore", "manifest/duplicate_key,manifest/ignore_comment", file]);
    let json = run.json();
    assert_eq!(json["errors"], json!([]), "{file}");
    let findings = json["findings"].as_array().unwrap();
    findings.iter().filter(|finding| finding["severity"] != "info").map(key).collect()
}

fn compare(what: &str, conftest: &Findings, lint: &Findings) {
    assert!(
        conftest == lint,
        "{what}\nconftest alone finds:\n{}\nwalguard lint alone finds:\n{}",
        conftest.difference(lint).cloned().collect::<Vec<_>>().join("\n"),
        lint.difference(conftest).cloned().collect::<Vec<_>>().join("\n"),
    );
}

#[test]
fn conftest_judges_objects_one_by_one_as_lint_does() {
    let place = Place::new(&[]);
    let mut origins = Vec::new();
    for file in manifests() {
        for (index, text) in documents(&fs::read_to_string(&file).unwrap()).iter().enumerate() {
            let name = format!("{}.yaml", origins.len());
            place.write(&name, text);
            origins.push((name, format!("document {} of {}", index + 1, file.display())));
        }
    }
    let names: Vec<&str> = origins.iter().map(|(name, _)| name.as_str()).collect();
    let by_conftest = run_conftest(&conftest(), &names, &place);
    assert!(by_conftest.values().any(|findings| !findings.is_empty()), "conftest finds nothing at all");
    each(&origins, |(name, origin)| {
        let nothing = Findings::new();
        compare(origin, by_conftest.get(name).unwrap_or(&nothing), &run_lint(&place, name));
    });
}

#[test]
fn conftest_combine_judges_objects_together_as_lint_does() {
    // Each run of conftest takes ten seconds before it reads a manifest; the fixtures, whose classes differ, would be many runs.
    let batches = batches(&files(&root().join("examples"), &["yaml"]), &catalogue());
    assert!(batches.iter().map(|batch| batch.0.len()).sum::<usize>() > 100, "there is nothing to compare over");
    let program = conftest();
    for (number, batch) in batches.iter().enumerate() {
        let place = Place::new(&[]);
        for (index, object) in batch.0.values().enumerate() {
            place.write(&format!("objects/{index}.json"), object.to_string());
        }
        let by_conftest = run_conftest(&program, &["--combine", "objects"], &place);
        let all: Findings = by_conftest.into_values().flatten().collect();
        compare(&format!("batch {number}"), &all, &run_lint(&place, "objects"));
    }
}
