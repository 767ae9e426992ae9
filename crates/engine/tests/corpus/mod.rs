//! The manifests of the repository as reviews: each document, with the others of its file in sight, and the attacks of tests/adversary.
// Each test reads a part of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use walguard_engine::{Inventory, Value, value};
use walguard_manifest as manifest;

/// Images that have fixes today will have none one day.
pub const NOW: &str = "2026-06-15T12:00:00Z";

/// Where manifests lie.
pub const ATTACKS: &str = "tests/adversary";
pub const DIRECTORIES: [&str; 5] = ["examples", "bench/manifests", "tests/healthy", "tests/incidents", "rules/checks"];

/// What is asked of the rules.
#[derive(Clone)]
pub struct Review {
    /// Where the object is from.
    pub file: String,
    /// What an admission request holds.
    pub request: Json,
    /// The objects of the inventory; null stands for the one under review.
    pub among: Vec<Json>,
    /// Whether there is nothing beside these.
    pub complete: bool,
    pub now: String,
    pub policy: Json,
    /// Of an attack, the run of its case: what is asked, and what becomes of it. Null for a manifest.
    pub run: Json,
}

impl Review {
    /// What the rules read.
    pub fn input(&self) -> Json {
        let object = &self.request["object"];
        let mut inventory = Inventory::new(self.complete);
        for other in &self.among {
            let other = if other.is_null() { object } else { other };
            inventory.insert(other, &value(other.clone()));
        }
        let mut input = json!({"review": self.request, "inventory": inventory.value(), "now": self.now});
        if !self.policy.is_null() {
            input["parameters"] = self.policy.clone();
        }
        input
    }

    /// The same, ready to evaluate.
    pub fn value(&self) -> Value {
        let object = value(self.request["object"].clone());
        let mut inventory = Inventory::new(self.complete);
        for other in &self.among {
            match other {
                Json::Null => inventory.insert(&self.request["object"], &object),
                other => inventory.insert(other, &value(other.clone())),
            }
        }
        let mut input = vec![
            ("review", value(self.request.clone())),
            ("inventory", inventory.value()),
            ("now", value(self.now.clone().into())),
        ];
        if !self.policy.is_null() {
            input.push(("parameters", value(self.policy.clone())));
        }
        Value::object(input)
    }

    /// Kind and name.
    pub fn title(&self) -> String {
        let name = |pointer: &str| self.request.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        format!("{} {}", name("/object/kind"), name("/object/metadata/name"))
    }

    /// The page of snapshots it stands on: one for each area of checks, and one for each other directory.
    pub fn page(&self) -> String {
        let area = self.file.strip_prefix("rules/checks/").and_then(|rest| rest.split('/').next());
        let directory = DIRECTORIES.into_iter().find(|name| self.file.starts_with(&format!("{name}/")));
        area.map_or_else(|| directory.unwrap_or(ATTACKS).replace('/', "-"), |area| format!("checks-{area}"))
    }
}

pub fn root() -> PathBuf {
    let crates =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|above| above.join("rules/main.rego").is_file());
    crates.unwrap().canonicalize().unwrap()
}

/// All of them, in order.
pub fn reviews(root: &Path) -> Vec<Review> {
    DIRECTORIES.into_iter().flat_map(|directory| of_directory(root, directory)).chain(attacks(root)).collect()
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

fn of_directory(root: &Path, directory: &str) -> Vec<Review> {
    let mut files = Vec::new();
    manifests(&root.join(directory), &mut files);
    files.sort();
    let mut reviews = Vec::new();
    for path in files {
        let file = path.strip_prefix(root).unwrap().display().to_string();
        let before = path.with_file_name("before.yaml");
        let old = before.exists().then(|| documents(&before).remove(0));
        let documents = documents(&path);
        for (number, object) in documents.iter().enumerate() {
            let mut request = json!({"object": object});
            if let Some(old) = &old {
                request["operation"] = "UPDATE".into();
                request["oldObject"] = old.clone();
            }
            let mut among = documents.clone();
            among[number] = Json::Null;
            let (file, now) = (file.clone(), NOW.to_owned());
            reviews.push(Review { file, request, among, complete: true, now, policy: Json::Null, run: Json::Null });
        }
    }
    reviews
}

/// The attacks of tests/adversary and their controls (its README says what stands in a case).
pub fn attacks(root: &Path) -> Vec<Review> {
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
                let mut request = json!({"object": united(object(&run["new"]), &run["changes"])});
                if !from_files {
                    request["operation"] = "CREATE".into();
                    request["userInfo"] = json!({"username": run["user"].as_str().unwrap_or("jane")});
                    if !run["old"].is_null() {
                        request["operation"] = "UPDATE".into();
                        request["oldObject"] = united(object(&run["old"]), &run["was"]);
                    }
                }
                reviews.push(Review {
                    file: format!("{name}/{number}"),
                    request,
                    among: run["among"].as_array().into_iter().flatten().map(object).collect(),
                    complete: !from_files,
                    now: run["now"].as_str().unwrap_or(NOW).to_owned(),
                    policy: run["policy"].clone(),
                    run: run.clone(),
                });
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
