//! What the rules say of every manifest of the repository, word by word: a change of a rule shows here what it changes.
//!
//! `INSTA_UPDATE=always cargo test --workspace --test findings` takes what is said now as right; read the difference before it is
//! committed. The reviews are written to `target/tmp/reviews.jsonl` too, where `make rego-mutants` finds them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use walguard_engine::{Engine, Inventory, Rules, value};
use walguard_manifest as manifest;

/// Images that have fixes today will have none one day.
const NOW: &str = "2026-06-15T12:00:00Z";

/// Where manifests lie.
const ATTACKS: &str = "tests/adversary";
const DIRECTORIES: [&str; 5] = ["examples", "bench/manifests", "tests/healthy", "tests/incidents", "rules/checks"];

/// A document, with the others of its file in sight.
struct Review {
    file: String,
    input: Json,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().canonicalize().unwrap()
}

fn manifests(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            manifests(&path, into);
        } else if name.ends_with(".yaml") && !matches!(name.as_str(), "expect.yaml" | "before.yaml" | "walguard.yaml") {
            into.push(path);
        }
    }
}

fn documents(path: &Path) -> Vec<Json> {
    let reading = manifest::read(path.display().to_string(), fs::read(path).unwrap());
    assert!(reading.errors.is_empty(), "{}", path.display());
    reading.documents.into_iter().map(|document| document.value).collect()
}

fn reviews(root: &Path, directory: &str) -> Vec<Review> {
    let mut files = Vec::new();
    manifests(&root.join(directory), &mut files);
    files.sort();
    let mut reviews = Vec::new();
    for path in files {
        let file = path.strip_prefix(root).unwrap().display().to_string();
        let before = path.with_file_name("before.yaml");
        let old = before.exists().then(|| documents(&before).remove(0));
        let documents = documents(&path);
        let mut inventory = Inventory::new(true);
        for object in &documents {
            inventory.insert(object, &value(object.clone()));
        }
        for object in documents {
            let mut request = json!({"object": object});
            if let Some(old) = &old {
                request["operation"] = "UPDATE".into();
                request["oldObject"] = old.clone();
            }
            let input = json!({"review": request, "inventory": inventory.value(), "now": NOW});
            reviews.push(Review { file: file.clone(), input });
        }
    }
    reviews
}

/// The attacks of tests/adversary and their controls, as adversary_test.rego asks about them.
fn attacks(root: &Path) -> Vec<Review> {
    let mut files = Vec::new();
    manifests(&root.join("tests/adversary/cases"), &mut files);
    files.sort();
    let mut reviews = Vec::new();
    for path in files {
        let cases = documents(&path).remove(0);
        for (name, case) in cases.as_object().unwrap() {
            let object = |name: &Json| case["objects"][name.as_str().unwrap()].clone();
            for (number, run) in case["runs"].as_array().unwrap().iter().enumerate() {
                let from_files = run["files"] == true;
                let mut inventory = Inventory::new(!from_files);
                for other in run["among"].as_array().into_iter().flatten().map(object) {
                    inventory.insert(&other, &value(other.clone()));
                }
                let mut request = json!({"object": united(object(&run["new"]), &run["changes"])});
                if !from_files {
                    request["operation"] = "CREATE".into();
                    request["userInfo"] = json!({"username": run["user"].as_str().unwrap_or("jane")});
                    if !run["old"].is_null() {
                        request["operation"] = "UPDATE".into();
                        request["oldObject"] = united(object(&run["old"]), &run["was"]);
                    }
                }
                let now = run["now"].as_str().unwrap_or(NOW);
                let mut input = json!({"review": request, "inventory": inventory.value(), "now": now});
                if !run["policy"].is_null() {
                    input["parameters"] = run["policy"].clone();
                }
                reviews.push(Review { file: format!("{name}/{number}"), input });
            }
        }
    }
    reviews
}

/// Two objects as one, as `object.union` has it.
fn united(mut object: Json, changes: &Json) -> Json {
    let (Some(fields), Some(changes)) = (object.as_object_mut(), changes.as_object()) else {
        return if changes.is_null() { object } else { changes.clone() };
    };
    for (name, change) in changes {
        let before = fields.get_mut(name).map(Json::take);
        let both = before.filter(|before| before.is_object() && change.is_object());
        fields.insert(name.clone(), both.map_or_else(|| change.clone(), |before| united(before, change)));
    }
    object
}

/// What is said of a review, a line for each finding and each of its fixes.
fn said(engine: &mut Engine, review: &Review) -> String {
    let mut lines = String::new();
    let mut findings = engine.evaluate(&value(review.input.clone())).unwrap();
    findings.sort_by(walguard_engine::Finding::order);
    for finding in findings {
        let (severity, check, field, message) = (finding.severity, &finding.check, finding.field(), &finding.message);
        writeln!(lines, "  {severity} {check} {field}: {message}").unwrap();
        for operation in &finding.fix {
            writeln!(lines, "    fix {operation}").unwrap();
        }
    }
    lines
}

#[test]
fn of_every_manifest() {
    let root = root();
    let mut engine = Engine::new(&Rules::embedded()).unwrap();
    let mut inputs = String::new();
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for directory in DIRECTORIES.into_iter().chain([ATTACKS]) {
        let reviews = if directory == ATTACKS { attacks(&root) } else { reviews(&root, directory) };
        for review in reviews {
            writeln!(inputs, "{}", json!({"file": review.file, "input": review.input})).unwrap();
            // A page for each area of checks, and one for each other directory.
            let area = review.file.strip_prefix("rules/checks/").and_then(|rest| rest.split('/').next());
            let page = area.map_or_else(|| directory.replace('/', "-"), |area| format!("checks-{area}"));
            let page = pages.entry(page).or_default();
            let lines = said(&mut engine, &review);
            if !lines.is_empty() {
                let name = |pointer: &str| review.input["review"]["object"].pointer(pointer).and_then(Json::as_str);
                let (kind, name) = (name("/kind").unwrap_or_default(), name("/metadata/name").unwrap_or_default());
                write!(page, "{} {kind} {name}\n{lines}", review.file).unwrap();
            }
        }
    }
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("reviews.jsonl"), inputs).unwrap();
    for (page, text) in pages {
        insta::assert_snapshot!(page, text);
    }
}
