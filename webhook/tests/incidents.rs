//! Public incidents: walguard reports each in the manifest that led to it (`bad.yaml`), at its severity and with its number, and has no
//! warning for the smallest change that would have prevented it (`good.yaml`). Where the change itself was the fault, both are reviewed as an update of
//! `before.yaml`. `make incidents` prints the figures.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use common::each;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard_engine::{Engine, Review, Rules, value};

/// `expect.yaml`: what is reported – by which check, at which severity at least, with which text in the message –, or why nothing is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    operator: String,
    #[serde(default)]
    check: Option<String>,
    #[serde(default)]
    severity: Option<String>,
    #[serde(default)]
    number: Option<String>,
    #[serde(default)]
    cannot: Option<String>,
    source: Source,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    thread: String,
    date: String,
    happened: String,
    #[serde(default)]
    filled_in: Option<String>,
}

/// Images that have fixes today will have none one day.
const NOW: &str = "2026-06-15T12:00:00Z";

fn incidents() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/incidents");
    let entries = fs::read_dir(root).expect("the incidents are there");
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    found
}

fn rank(severity: &str) -> usize {
    ["info", "warning", "error"].iter().position(|name| *name == severity).expect("a severity")
}

/// The findings of a file as (check, severity, message).
fn lint(file: &Path) -> Vec<(String, String, String)> {
    let output = Command::new(env!("CARGO_BIN_EXE_walguard"))
        .args(["lint", "--format", "json", "--fail-on", "never", "--now", NOW])
        .arg(file)
        .output()
        .expect("walguard runs");
    let report: Json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}: {}", file.display(), String::from_utf8_lossy(&output.stderr)));
    assert_eq!(report["errors"], Json::Array(Vec::new()), "{}", file.display());
    let text = |finding: &Json, key: &str| finding[key].as_str().expect("a text").to_owned();
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.map(|finding| (text(finding, "check"), text(finding, "severity"), text(finding, "message"))).collect()
}

/// The findings of a change, likewise: of one object, or of several that know each other, as `lint --since` sees them.
fn update(engine: &mut Engine, before: &Path, after: &Path) -> Vec<(String, String, String)> {
    let documents = |file: &Path| -> Vec<Json> {
        let text = fs::read_to_string(file).expect("the file can be read");
        let all = yaml_serde::Deserializer::from_str(&text).map(Json::deserialize);
        all.collect::<Result<_, _>>().unwrap_or_else(|e| panic!("{}: {e}", file.display()))
    };
    let (old, new) = (documents(before), documents(after));
    let text = |object: &Json, at: &str| object.pointer(at).and_then(Json::as_str).unwrap_or("default").to_owned();
    let identity =
        |object: &Json| ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"].map(|at| text(object, at));
    let (mut namespaces, mut cluster) = (json!({}), json!({}));
    for object in &new {
        let [api_version, kind, namespace, name] = identity(object);
        if object.pointer("/metadata/namespace").is_none() {
            cluster[&api_version][&kind][&name] = object.clone();
        }
        namespaces[namespace][api_version][kind][name] = object.clone();
    }
    let mut found = Vec::new();
    for object in &new {
        let mut request = json!({"object": object});
        if let Some(former) = old.iter().find(|former| identity(former) == identity(object) && *former != object) {
            request["oldObject"] = former.clone();
        }
        let mut inventory = None;
        if new.len() == 1 {
            request["operation"] = "UPDATE".into();
        } else {
            inventory = Some(value(json!({"namespace": namespaces.clone(), "cluster": cluster.clone()})));
        }
        let review = Review { request: value(request), inventory, configuration: None, now: Some(NOW.to_owned()) };
        let findings = engine.judge(&review).expect("a verdict").into_iter();
        found.extend(findings.map(|finding| (finding.check, finding.severity.to_string(), finding.message)));
    }
    found
}

/// Odd manifests that are right, each with a first line that says why: walguard has no warning for them.
#[test]
fn odd_but_healthy_manifests_are_quiet() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/healthy");
    let mut files: Vec<PathBuf> =
        fs::read_dir(root).expect("they are there").filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    assert!(files.len() >= 30, "only {}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        assert!(fs::read_to_string(&file).expect("a text").starts_with("# "), "{}: why it is odd", file.display());
        let loud: Vec<_> = lint(&file).into_iter().filter(|(_, severity, _)| rank(severity) > 0).collect();
        if !loud.is_empty() {
            wrong.push(format!("{}: {loud:#?}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What an incident comes to: that its manifests are not there and why, or whether all is said as it should be.
enum Outcome {
    Cannot,
    Right,
    Wrong(String),
}

fn judged(engine: &Engine, id: &str, directory: &Path) -> (String, Outcome) {
    let text = fs::read_to_string(directory.join("expect.yaml")).expect("an incident has an expect.yaml");
    let expected: Expected = yaml_serde::from_str(&text).unwrap_or_else(|e| panic!("{id}: expect.yaml: {e}"));
    assert!(expected.source.thread.starts_with("https://"), "{id}: a thread has an address");
    assert!(expected.source.date.len() == 10 && !expected.source.happened.is_empty(), "{id}: when, and what happened");
    if let Some(reason) = expected.cannot {
        assert!(!reason.is_empty() && !directory.join("bad.yaml").exists(), "{id}: a reason and no manifest");
        return (expected.operator, Outcome::Cannot);
    }
    let [check, severity, number] = [expected.check, expected.severity, expected.number]
        .map(|field| field.unwrap_or_else(|| panic!("{id}: check, severity and number, or cannot")));
    assert!(expected.source.filled_in.is_some(), "{id}: what was filled in beside what the thread says");
    let before = directory.join("before.yaml");
    let findings = |name: &str| {
        let file = directory.join(name);
        if before.exists() { update(&mut engine.clone(), &before, &file) } else { lint(&file) }
    };
    let bad = findings("bad.yaml");
    let reported = bad
        .iter()
        .any(|(of, level, message)| *of == check && rank(level) >= rank(&severity) && message.contains(&number));
    let loud: Vec<_> =
        findings("good.yaml").into_iter().filter(|(of, level, _)| *of == check || rank(level) > 0).collect();
    let outcome = if !reported {
        Outcome::Wrong(format!("{id}: bad.yaml has no {severity} of {check} with {number:?} in it: {bad:#?}"))
    } else if loud.is_empty() {
        Outcome::Right
    } else {
        Outcome::Wrong(format!("{id}: good.yaml has {loud:#?}"))
    };
    (expected.operator, outcome)
}

#[test]
fn incidents_are_reported_and_their_cures_are_quiet() {
    let engine = Engine::new(&Rules::embedded()).expect("the rules are sound");
    let outcomes = Mutex::new(Vec::new());
    each(&incidents(), |(id, directory)| {
        let outcome = judged(&engine, id, directory);
        outcomes.lock().expect("no other thread failed").push(outcome);
    });
    let mut figures: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (operator, outcome) in outcomes.into_inner().expect("no thread failed") {
        let (right, of) = figures.entry(operator).or_default();
        match outcome {
            Outcome::Cannot => continue,
            Outcome::Right => *right += 1,
            Outcome::Wrong(what) => wrong.push(what),
        }
        *of += 1;
    }
    for (operator, (right, of)) in &figures {
        println!("{operator}: {right} of {of}");
    }
    assert!(figures.values().map(|(_, of)| of).sum::<usize>() >= 30, "{figures:?}");
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
