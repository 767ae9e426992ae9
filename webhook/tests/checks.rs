//! Every check proves itself on its own examples: `fail.yaml` has its fault, `pass.yaml` has not.
#![allow(clippy::expect_used, clippy::panic)]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};
use walguard_engine::{Engine, Review, Rules, value};

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

/// What walguard prints in JSON.
fn json(arguments: &[&str]) -> Json {
    let output = Command::new(env!("CARGO_BIN_EXE_walguard")).args(arguments).output().expect("walguard runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", String::from_utf8_lossy(&output.stderr)))
}

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
        if directory.join("before.yaml").exists() {
            continue;
        }
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

/// A message that says what to write where is followed by --fix, for most checks.
#[test]
fn most_checks_that_name_a_value_have_a_fix() {
    let (mut fixed, mut not_fixed) = (Vec::new(), Vec::new());
    for (id, directory) in checks() {
        if id.starts_with("policy/") || directory.join("before.yaml").exists() {
            continue;
        }
        let manifest = directory.join("fail.yaml").display().to_string();
        let found = json(&["lint", "--format", "json", "--fail-on", "never", &manifest]);
        let own = found["findings"].as_array().expect("findings").iter().filter(|finding| finding["check"] == id);
        let own: Vec<&Json> = own.collect();
        if own.iter().any(|finding| names_a_value(finding["message"].as_str().expect("a message"))) {
            let has_fix = own.iter().any(|finding| finding["fix"].as_array().is_some_and(|fix| !fix.is_empty()));
            if has_fix { &mut fixed } else { &mut not_fixed }.push(id);
        }
    }
    let all = fixed.len() + not_fixed.len();
    eprintln!("{} of {all} checks that name a value have a fix; not {not_fixed:?}", fixed.len());
    assert!(all > 40, "only {all} checks name a value");
    assert!(fixed.len() * 100 >= all * 60, "{} of {all}: not {not_fixed:?}", fixed.len());
}

/// Whether the advice of a message says what to write: "Set wal_level to replica", "Set defaultMode: 0640", "Turn it on".
fn names_a_value(message: &str) -> bool {
    // The fact comes first.
    let advice = message.split_once(". ").map_or(message, |(_, advice)| advice);
    let words: Vec<&str> = advice.split_whitespace().collect();
    let verb = |word: &str| ["set", "turn", "raise", "lower", "grow"].contains(&word.to_lowercase().as_str());
    words.iter().enumerate().filter(|(_, word)| verb(word)).any(|(at, word)| {
        let clause: Vec<&str> = words[at + 1..]
            .iter()
            .scan(false, |ended, word| {
                let last = *ended;
                *ended = word.ends_with([',', '.', ';']);
                (!last).then_some(*word)
            })
            .collect();
        let value_after = |word: &str| clause.iter().position(|other| *other == word).and_then(|at| clause.get(at + 1));
        let said = |value: &&str| !["the", "a", "what"].contains(value);
        match word.to_lowercase().as_str() {
            "turn" => clause.iter().any(|word| ["on", "off"].contains(&word.trim_end_matches([',', '.', ';']))),
            _ => value_after("to").is_some_and(said) || clause.first().is_some_and(|field| field.ends_with(':')),
        }
    })
}

/// A check of a change has a third file, the object as it was: `fail.yaml` is a faulty change of `before.yaml`, and `pass.yaml` a healthy one.
#[test]
fn a_change_to_fail_yaml_fails_and_one_to_pass_yaml_passes() {
    let mut engine = Engine::new(&Rules::embedded()).expect("the rules are sound");
    let object = |file: &Path| -> Json {
        let text = fs::read_to_string(file).expect("the file can be read");
        yaml_serde::from_str(&text).expect("the file is YAML")
    };
    let mut seen = 0;
    for (id, directory) in checks().into_iter().filter(|(_, directory)| directory.join("before.yaml").exists()) {
        seen += 1;
        let before = object(&directory.join("before.yaml"));
        for (file, wanted) in [("fail.yaml", true), ("pass.yaml", false)] {
            let request = json!({"operation": "UPDATE", "object": object(&directory.join(file)), "oldObject": before});
            let review = Review { request: value(request), inventory: None, configuration: None, now: None };
            let found: Vec<String> =
                engine.judge(&review).expect("a verdict").into_iter().map(|finding| finding.check).collect();
            assert_eq!(found.contains(&id), wanted, "{id}: {file} has {found:?}");
        }
    }
    assert!(seen > 0, "no check has a before.yaml");
}

/// What is printed as the arithmetic of a finding is true of its facts, as OPA reckons.
#[test]
fn the_arithmetic_of_findings_is_right() {
    let checks = json(&["checks", "--format", "json"]);
    let formulas: Vec<(&str, &str)> =
        checks["checks"].as_array().expect("checks").iter().flat_map(formulas_of).collect();
    assert!(formulas.len() > 25, "only {} formulas", formulas.len());
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/checks");
    let manifests: Vec<String> = self::checks()
        .iter()
        .filter(|(id, directory)| !id.starts_with("policy/") && !directory.join("before.yaml").exists())
        .map(|(id, _)| format!("{directory}/{id}/fail.yaml"))
        .collect();
    let mut cases = Vec::new();
    // One by one: they are of one name, and would be each other's surroundings.
    for manifest in &manifests {
        for finding in json(&["lint", "--format", "json", "--fail-on", "never", manifest])["findings"]
            .as_array()
            .expect("findings")
        {
            let (id, facts) = (finding["check"].as_str().expect("an id"), &finding["facts"]);
            for (of, formula) in formulas.iter().filter(|(of, _)| *of == id) {
                if facts.as_object().is_some_and(|facts| walguard_engine::formula::filled(formula, facts).is_some()) {
                    cases.push((*of, *formula, facts.clone()));
                }
            }
        }
    }
    let wrong = wrong(&cases);
    assert!(wrong.is_empty(), "not so: {wrong:#?}");
    let evaluated: HashSet<_> = cases.iter().map(|(id, formula, _)| (*id, *formula)).collect();
    let missing: Vec<_> = formulas.iter().filter(|formula| !evaluated.contains(*formula)).collect();
    assert!(missing.is_empty(), "no fail.yaml has the facts of {missing:#?}");
}

fn formulas_of(check: &Json) -> impl Iterator<Item = (&str, &str)> {
    let id = check["id"].as_str().expect("an id");
    check["formulas"].as_array().into_iter().flatten().map(move |formula| (id, formula.as_str().expect("a text")))
}

/// The cases whose formula is not true of their facts.
fn wrong<'c>(cases: &'c [(&str, &str, Json)]) -> Vec<&'c (&'c str, &'c str, Json)> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rego = String::from("package formula\n");
    for (number, (_, formula, facts)) in cases.iter().enumerate() {
        let names = facts.as_object().into_iter().flat_map(|facts| facts.keys());
        let variables: String = names.map(|name| format!("\t{name} := input[{number}][\"{name}\"]\n")).collect();
        rego.push_str(&format!("\nholds contains {number} if {{\n{variables}\t{formula}\n}}\n"));
    }
    let facts: Vec<&Json> = cases.iter().map(|(_, _, facts)| facts).collect();
    fs::write(directory.path().join("formula.rego"), rego).expect("written");
    fs::write(directory.path().join("facts.json"), json!(facts).to_string()).expect("written");
    let opa = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tools/build")).arg("opa").output();
    let opa = String::from_utf8(opa.expect("opa").stdout).expect("a path");
    let output = Command::new(opa.trim())
        .args(["eval", "--format", "raw", "--input", "facts.json", "--data", "formula.rego", "data.formula.holds"])
        .current_dir(directory.path())
        .output()
        .expect("opa runs");
    let holds: HashSet<usize> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stdout)));
    cases.iter().enumerate().filter(|(number, _)| !holds.contains(number)).map(|(_, case)| case).collect()
}

/// Every claim of tests/postgres is named by the checks that rest on it, in JSON and for people.
#[test]
fn checks_name_the_tests_that_show_their_claims() {
    let claims = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/postgres/claims.json")).expect("the claims");
    let claims: Json = serde_json::from_slice(&claims).expect("JSON");
    let checks = json(&["checks", "--format", "json"]);
    for check in checks["checks"].as_array().expect("checks") {
        let id = check["id"].as_str().expect("an id");
        let mut shown: Vec<&str> = Vec::new();
        shown.extend(check["shown_by"].as_array().into_iter().flatten().filter_map(|shown| shown["test"].as_str()));
        let rests = |claim: &Json| claim["checks"].as_array().expect("ids").iter().any(|of| of == id);
        let mut expected: Vec<&str> = claims
            .as_object()
            .expect("claims")
            .iter()
            .filter(|(_, claim)| rests(claim))
            .map(|(name, _)| name.as_str())
            .collect();
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shown, expected, "{id}");
    }
    let explained = Command::new(env!("CARGO_BIN_EXE_walguard"))
        .args(["checks", "explain", "wal/removed_not_recycled"])
        .output()
        .expect("walguard runs");
    let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
    assert!(explained.contains("small_max_wal_size_removes_segments\n"), "{explained}");
    assert!(explained.contains("shared_buffers_bytes > max_wal_size_bytes × buffers_times\n"), "{explained}");
}

/// Words that mark a translation, or that people who run PostgreSQL do not use.
const REFUSED: &[&str] =
    &["in sight", "told", "borne", "nobody", "judge", "judged", "asks for none", "piece of advice", "pieces of advice"];

/// Longer messages are not read.
const LONGEST_MESSAGE: usize = 240;
/// What a list in a message begins with, which may be longer.
const LISTS: &[&str] = &[" Backups do not excuse it: "];

/// The refused words of a text, as words of their own.
fn refused(text: &str) -> Vec<&'static str> {
    let words: Vec<String> =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).collect();
    let text = format!(" {} ", words.join(" "));
    REFUSED.iter().copied().filter(|word| text.contains(&format!(" {word} "))).collect()
}

#[test]
fn messages_and_titles_are_plain_english() {
    let mut wrong = Vec::new();
    for check in json(&["checks", "--format", "json"])["checks"].as_array().expect("checks") {
        let id = &check["id"];
        for field in ["title", "remediation"] {
            let text = check[field].as_str().expect("a text");
            wrong.extend(refused(text).into_iter().map(|word| format!("{id}: {word:?} in its {field}: {text}")));
        }
    }
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/checks");
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let report =
        json(&["lint", "--format", "json", "--fail-on", "never", "--now", "2026-06-15T12:00:00Z", rules, examples]);
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.len() > 500, "only {} findings", findings.len());
    for finding in findings {
        let (check, message) = (&finding["check"], finding["message"].as_str().expect("a text"));
        wrong.extend(refused(message).into_iter().map(|word| format!("{check}: {word:?} in: {message}")));
        let length = LISTS.iter().find_map(|list| message.find(list)).unwrap_or(message.len());
        let length = message[..length].chars().count();
        if length > LONGEST_MESSAGE {
            wrong.push(format!("{check}: {length} characters are more than are read: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
