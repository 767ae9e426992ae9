//! Every check proves itself on its own examples: `fail.yaml` has its fault, `pass.yaml` has not.
#![allow(clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

fn checks() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/checks");
    let directories = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).expect("the rules are there").filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        paths.sort();
        paths
    };
    let name = |path: &Path| path.file_name().expect("a directory has a name").to_string_lossy().into_owned();
    let areas = directories(&root);
    let checks = areas.iter().flat_map(|area| directories(area));
    checks.map(|check| (format!("{}/{}", name(check.parent().expect("an area")), name(&check)), check)).collect()
}

/// What is judged by the configurations that are the examples of area `policy/`.
const JUDGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/checks/manifest/duplicate_key/pass.yaml");

/// The ids of the findings of a file, and of its errors.
fn lint(id: &str, file: &Path) -> (Vec<String>, Vec<Json>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_walguard"));
    command.args(["lint", "--format", "json", "--fail-on", "never", "--now", "2026-06-15T12:00:00Z"]);
    if id.starts_with("policy/") {
        command.arg("--config").arg(file).arg(JUDGED);
    } else {
        command.arg(file);
    }
    let output = command.output().expect("walguard runs");
    let report: Json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}: {}", file.display(), String::from_utf8_lossy(&output.stderr)));
    let ids = report["findings"].as_array().expect("findings").iter();
    let ids = ids.map(|finding| finding["check"].as_str().expect("an id").to_owned()).collect();
    (ids, report["errors"].as_array().expect("errors").clone())
}

#[test]
fn every_check_has_its_four_files() {
    let checks = checks();
    assert!(checks.len() > 20, "only {} checks found", checks.len());
    for (id, directory) in checks {
        let name = id.split_once('/').expect("area/name").1;
        for file in [format!("{name}.rego"), format!("{name}_test.rego"), "pass.yaml".into(), "fail.yaml".into()] {
            assert!(directory.join(&file).is_file(), "{id} has no {file}");
        }
    }
}

#[test]
fn fail_yaml_fails_and_pass_yaml_passes() {
    let mut wrong = Vec::new();
    for (id, directory) in checks() {
        let (found, errors) = lint(&id, &directory.join("fail.yaml"));
        if !found.contains(&id) || !errors.is_empty() {
            wrong.push(format!("{id}: fail.yaml has {found:?} {errors:?}"));
        }
        let (found, errors) = lint(&id, &directory.join("pass.yaml"));
        if found.contains(&id) || !errors.is_empty() {
            wrong.push(format!("{id}: pass.yaml has {found:?} {errors:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
