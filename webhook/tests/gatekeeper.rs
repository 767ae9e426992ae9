//! The generated ConstraintTemplate in the real `gator`: over all examples and the manifests of every check it gives the same
//! findings as `walguard lint`, and its Constraints deny errors, warn of warnings, and let pass what was there before.
//!
//! Gatekeeper knows no manifest without a namespace, and not the checks of a manifest's text. Advice is not compared: lint does
//! not yet judge every ConfigMap that two operators name, which Gatekeeper does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Place, batches, catalogue, files, root, tool};
use serde_json::{Value, json};
use walguard_engine::Kind;

/// Findings as text: check, severity, path, message. Not the resource: where the review of a cluster and that of its ConfigMap come
/// to one finding, lint shows the first.
type Findings = BTreeSet<String>;

fn key(finding: &Value) -> String {
    json!([finding["check"], finding["severity"], finding["path"], finding["message"]]).to_string()
}

fn policy(name: &str) -> PathBuf {
    root().join("policies/gatekeeper").join(name)
}

/// What `gator test` reports, one result a violation. It takes ten seconds to compile the template before it judges anything.
fn gator(files: &[&Path]) -> Vec<Value> {
    let mut command = Command::new(tool("gator"));
    command.args(["test", "--output", "json"]).env("GOGC", "400");
    for file in files {
        command.arg("--filename").arg(file);
    }
    let output = command.output().unwrap();
    if output.stdout.trim_ascii().is_empty() && output.status.success() {
        return Vec::new();
    }
    let results: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    results.as_array().cloned().unwrap_or_default()
}

/// A Constraint with parameters over everything that is judged.
fn constraint(name: &str, parameters: Value) -> Value {
    json!({
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": "WalguardPostgreSQL",
        "metadata": {"name": name},
        "spec": {"match": {"kinds": [{"apiGroups": ["*"], "kinds": ["*"]}]}, "parameters": parameters},
    })
}

/// The checks by which Constraints with these parameters refuse an example, each in its place: one run for all.
fn refusals(example: &Path, parameters: &[Value]) -> Vec<BTreeSet<String>> {
    let place = Place::new(&[]);
    for (number, parameters) in parameters.iter().enumerate() {
        let name = format!("c{number}");
        place.write(&format!("constraints/{name}.json"), constraint(&name, parameters.clone()).to_string());
    }
    let mut found = vec![BTreeSet::new(); parameters.len()];
    for result in gator(&[&policy("template.yaml"), &place.path().join("constraints"), example]) {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let number: usize = text(&result["constraint"]["metadata"]["name"])[1..].parse().unwrap();
        found[number].insert(text(&result["metadata"]["details"]["check"]));
    }
    found
}

/// What lies beside other classes and policies of the same names would need many runs more; `tests/engines` compares a sample of all.
#[test]
fn gatekeeper_judges_as_lint_does() {
    const RUNS: usize = 3;
    let catalogue = catalogue();
    let mut manifests = files(&root().join("examples"), &["yaml"]);
    manifests.extend(files(&root().join("rules/checks"), &["yaml"]));

    let mut checks = BTreeSet::new();
    let mut objects = 0;
    for batch in batches(&manifests, &catalogue).into_iter().take(RUNS) {
        objects += batch.0.len();
        let place = Place::new(&[]);
        for (index, object) in batch.0.values().enumerate() {
            place.write(&format!("objects/{index}.json"), object.to_string());
        }
        place.write("all.json", constraint("all", json!({"severities": ["error", "warning", "info"]})).to_string());
        let results = gator(&[&policy("template.yaml"), &place.path().join("all.json"), &place.path().join("objects")]);
        let details = results.iter().map(|result| &result["metadata"]["details"]);
        let by_gatekeeper: Findings = details.filter(|finding| finding["severity"] != "info").map(key).collect();
        let run = place
            .run(&["lint", "--format", "json", "--ignore", "manifest/duplicate_key,manifest/ignore_comment", "objects"])
            .json();
        assert_eq!(run["errors"], json!([]));
        let findings = run["findings"].as_array().unwrap().iter();
        let by_lint: Findings = findings.filter(|finding| finding["severity"] != "info").map(key).collect();
        assert!(
            by_gatekeeper == by_lint,
            "Gatekeeper alone finds:\n{}\nwalguard lint alone finds:\n{}",
            by_gatekeeper.difference(&by_lint).cloned().collect::<Vec<_>>().join("\n"),
            by_lint.difference(&by_gatekeeper).cloned().collect::<Vec<_>>().join("\n"),
        );
        checks.extend(results.iter().map(|result| result["metadata"]["details"]["check"].as_str().unwrap().to_owned()));
    }
    assert!(objects > 500, "only {objects} objects");
    assert!(checks.len() * 10 > catalogue.checks.len() * 8, "only {} checks found anything: {checks:?}", checks.len());
}

/// The generated Constraints: what they answer for each severity.
#[test]
fn errors_are_denied_and_warnings_warned_of() {
    let example = root().join("examples/cnpg/bad/wal-outgrows-volume.yaml");
    let results = gator(&[&policy("template.yaml"), &policy("constraints.yaml"), &example]);
    let answers: BTreeSet<(String, String)> = results
        .iter()
        .map(|result| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&result["metadata"]["details"]["severity"]), text(&result["enforcementAction"]))
        })
        .collect();
    let expected = [("error", "deny"), ("warning", "warn")];
    assert_eq!(answers, expected.map(|(severity, action)| (severity.to_owned(), action.to_owned())).into());
    let denied = results.iter().find(|result| result["enforcementAction"] == "deny").unwrap();
    assert!(denied["msg"].as_str().unwrap().contains("(wal/max_wal_vs_volume"), "{denied}");
}

#[test]
fn a_constraint_chooses_checks_and_carries_the_configuration() {
    let example = root().join("examples/cnpg/bad/full-page-writes-off.yaml");
    let (page, checksums) = ("durability/full_page_writes", "durability/data_checksums");
    let all = json!(["error", "warning", "info"]);
    let found = refusals(
        &example,
        &[
            json!({}),
            json!({"severities": all, "select": [checksums]}),
            json!({"severities": all, "select": ["durability/"], "ignore": [page]}),
            json!({"checks": {checksums: {"severity": "error"}}}),
            json!({"checks": {page: {"severity": "off"}}}),
        ],
    );
    let [by_default, selected, area, raised, off] = found.as_slice() else { panic!("{found:?}") };
    assert!(by_default.contains(page) && !by_default.contains(checksums), "{by_default:?}");
    assert_eq!(*selected, [checksums.to_owned()].into());
    assert!(area.contains(checksums) && !area.contains(page), "{area:?}");
    assert!(area.iter().all(|check| check.starts_with("durability/")), "{area:?}");
    assert!(raised.contains(checksums), "{raised:?}");
    assert!(!off.contains(page), "{off:?}");
}

#[test]
fn a_constraint_waives_and_says_what_errors_lead_to() {
    let example = root().join("examples/cnpg/bad/full-page-writes-off.yaml");
    let page = "durability/full_page_writes";
    let waiver = |expires: &str| json!({"check": "durability/", "resource": {"kind": "Cluster"}, "reason": "r", "owner": "o", "expires": expires});
    let cases = [
        (json!({"waivers": [waiver("2020-01-01T00:00:00Z")]}), true),
        (json!({"waivers": [waiver("2200-01-01T00:00:00Z")]}), false),
        (json!({"mode": "warn"}), false),
        (json!({"mode": "warn", "severities": ["warning"]}), true),
        (json!({"mode": "audit", "severities": ["error", "warning"]}), false),
        (json!({"mode": "audit", "severities": ["info"]}), true),
    ];
    let found = refusals(&example, &cases.each_ref().map(|(parameters, _)| parameters.clone()));
    for ((parameters, expected), found) in cases.iter().zip(found) {
        assert_eq!(found.contains(page), *expected, "{parameters}");
    }

    let mut nobodys = waiver("2200-01-01T00:00:00Z");
    nobodys.as_object_mut().unwrap().remove("owner");
    let place = Place::new(&[("one.json", &constraint("one", json!({"waivers": [nobodys]})).to_string())]);
    let output = Command::new(tool("gator"))
        .args(["test", "--filename"])
        .arg(policy("template.yaml"))
        .arg("--filename")
        .arg(place.path().join("one.json"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("owner"), "{said}");
}

/// On UPDATE an error that was there before is a warning: in `gator verify`, which reviews as the webhook of Gatekeeper does.
#[test]
fn what_was_there_before_is_not_denied() {
    let example = fs::read(root().join("examples/cnpg/bad/full-page-writes-off.yaml")).unwrap();
    let documents = walguard_manifest::read("example", example).documents;
    let cluster = documents.iter().find(|document| document.value["kind"] == "Cluster").unwrap().value.clone();
    let class = documents.iter().find(|document| document.value["kind"] == "StorageClass").unwrap().value.clone();
    let mut changed = cluster.clone();
    changed["metadata"]["labels"] = json!({"tier": "gold"});
    let mut healthy = cluster.clone();
    healthy["spec"]["postgresql"]["parameters"]["full_page_writes"] = "on".into();
    let (mut growing, mut fixed) = (class.clone(), class.clone());
    (growing["allowVolumeExpansion"], fixed["allowVolumeExpansion"]) = (json!(true), json!(false));
    let review = |object: &Value, before: &Value| {
        let (group, version) = object["apiVersion"].as_str().unwrap().split_once('/').unwrap();
        json!({
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": {
                "uid": "1",
                "kind": {"group": group, "version": version, "kind": object["kind"]},
                "resource": {"group": group, "version": version, "resource": "any"},
                "name": object["metadata"]["name"],
                "namespace": object["metadata"]["namespace"],
                "operation": "UPDATE",
                "userInfo": {"username": "somebody"},
                "object": object,
                "oldObject": before,
            },
        })
        .to_string()
    };
    let place = Place::new(&[
        ("as-before.json", &review(&changed, &cluster)),
        ("worse.json", &review(&changed, &healthy)),
        ("fixed.json", &review(&fixed, &growing)),
        ("grown.json", &review(&growing, &fixed)),
        ("class.json", &class.to_string()),
        ("cluster.json", &cluster.to_string()),
        ("errors.json", &constraint("errors", json!({"severities": ["error"]})).to_string()),
        ("warnings.json", &constraint("warnings", json!({"severities": ["warning"]})).to_string()),
    ]);
    fs::copy(policy("template.yaml"), place.path().join("template.yaml")).unwrap();
    let judged = |object: &str, other: &str, message: &str, violations: &str| {
        json!({
            "name": object,
            "object": format!("{object}.json"),
            "inventory": [other],
            "assertions": [{"message": message, "violations": violations}],
        })
    };
    let case = |object: &str, violations: &str| judged(object, "class.json", "half-written pages", violations);
    // What a change of the class does to the cluster.
    let change = |object: &str, violations: &str| {
        judged(object, "cluster.json", "with this change of StorageClass .* does not allow expansion", violations)
    };
    let test = |name: &str, cases: Value| json!({"name": name, "template": "template.yaml", "constraint": format!("{name}.json"), "cases": cases});
    let suite = json!({
        "apiVersion": "test.gatekeeper.sh/v1alpha1",
        "kind": "Suite",
        "tests": [
            test("errors", json!([case("as-before", "no"), case("worse", "yes"), change("fixed", "no")])),
            test(
                "warnings",
                json!([case("as-before", "yes"), case("worse", "no"), change("fixed", "yes"), change("grown", "no")])
            ),
        ],
    });
    place.write("suite.yaml", suite.to_string());
    let output =
        Command::new(tool("gator")).args(["verify", "--verbose", "suite.yaml"]).current_dir(place.path()).output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.matches("--- PASS").count(), 9, "{text}");
}

/// etcd refuses requests of 1.5 MiB (1,572,864 bytes); what the API server asks it to keep is the object as JSON, with the fields that were
/// applied and a status for each of Gatekeeper's pods, for which this leaves 90 KB.
#[test]
fn the_template_fits_into_etcd() {
    let template = walguard_manifest::read("template.yaml", fs::read(policy("template.yaml")).unwrap()).documents;
    let size_bytes = template[0].value.to_string().len();
    assert!(size_bytes < 1_480_000, "{size_bytes} bytes");
}

#[test]
fn constraints_match_the_kinds_that_are_judged_and_those_they_depend_on() {
    let read = |name: &str| walguard_manifest::read(name, fs::read(policy(name)).unwrap()).documents;
    let mut matched = BTreeSet::new();
    for document in read("constraints.yaml").iter().chain(&read("constraints-workloads.yaml")) {
        for kinds in document.value["spec"]["match"]["kinds"].as_array().unwrap() {
            for kind in kinds["kinds"].as_array().unwrap() {
                matched.insert(format!("{}/{}", kinds["apiGroups"][0].as_str().unwrap(), kind.as_str().unwrap()));
            }
        }
    }
    let reviewed = |kind: &Kind| kind.served && (kind.judged() || kind.depended_on());
    let reviewed = catalogue().kinds.into_iter().filter(reviewed);
    assert_eq!(matched, reviewed.map(|kind| format!("{}/{}", kind.group, kind.kind)).collect());
}
