//! The examples keep their word: `good/` gives nothing worse than advice, `bad/` the checks that its lines `# finds:` name.
//! The line `# with:` of a postgresql.conf has the flags that describe its machine. Each product has three good ones, for a
//! developer, for everyday and for a load that writes all day; they are silent because they are healthy, not because nobody
//! reads them: each finds fault once its max_wal_size is larger than its volume.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::{Place, files, root};
use serde_json::Value as Json;

/// What `walguard lint` says of a file that it reads alone.
fn report(file: &Path) -> Json {
    let name = file.to_string_lossy();
    let text = fs::read_to_string(file).unwrap();
    let machine = text.lines().filter_map(|line| line.strip_prefix("# with:")).flat_map(str::split_whitespace);
    let arguments: Vec<&str> =
        ["lint", "--format", "json", "--fail-on", "never", &name].into_iter().chain(machine).collect();
    let run = Place::new(&[]).run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    run.json()
}

/// The ids of the checks that speak up in a report; not those that only advise, unless `advice`.
fn found(report: &Json, advice: bool) -> BTreeSet<String> {
    let findings = report["findings"].as_array().unwrap();
    let findings = findings.iter().filter(|finding| advice || finding["severity"] != "info");
    findings.map(|finding| finding["check"].as_str().unwrap().to_owned()).collect()
}

fn announced(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("# finds:"));
    lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// The manifests of a kind, and of a server's files the one that the others are included in.
fn examples(kind: &str) -> Vec<PathBuf> {
    let mut examples = files(&root().join("examples"), &["yaml", "conf"]);
    examples.retain(|file| file.extension().is_some_and(|e| e == "yaml") || file.ends_with("postgresql.conf"));
    examples.retain(|file| file.ancestors().any(|directory| directory.ends_with(kind)));
    assert!(examples.len() > 10, "{} {kind} examples", examples.len());
    examples
}

#[test]
fn good_examples_are_judged_and_healthy() {
    for file in examples("good") {
        let report = report(&file);
        let name = file.display();
        assert_eq!(found(&report, false), BTreeSet::new(), "{name}");
        let judged = report["summary"]["clusters"].as_u64().unwrap() > 0;
        assert!(judged || NO_CLUSTERS.iter().any(|other| file.ends_with(other)), "{name} is no cluster");
    }
}

/// A change of a cluster that is elsewhere, and pods that are no servers.
const NO_CLUSTERS: [&str; 2] = ["kubeblocks/good/reconfigure.yaml", "workload/good/not-a-server.yaml"];

/// Everything at once, as a repository of manifests is linted: the neighbours are in sight, too.
#[test]
fn good_examples_are_healthy_together() {
    let good: Vec<_> =
        examples("good").into_iter().filter(|file| file.extension().is_some_and(|e| e == "yaml")).collect();
    let names = good.iter().map(|file| file.to_str().unwrap());
    let arguments: Vec<&str> = ["lint", "--format", "json", "--fail-on", "never"].into_iter().chain(names).collect();
    assert_eq!(found(&Place::new(&[]).run(&arguments).json(), false), BTreeSet::new());
}

#[test]
fn every_product_has_three_good_examples() {
    let good = examples("good");
    for product in fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path()) {
        if product.is_dir() && !product.ends_with("postgresql-conf") {
            for name in ["dev.yaml", "standard.yaml", "high-write.yaml"] {
                let file = product.join("good").join(name);
                assert!(good.contains(&file), "there is no {}", file.display());
            }
        }
    }
}

#[test]
fn good_examples_are_read() {
    let mut changed = 0;
    for file in examples("good").iter().filter(|file| file.extension().is_some_and(|e| e == "yaml")) {
        let text = fs::read_to_string(file).unwrap();
        let larger: Vec<String> = text.lines().map(|line| enlarged(line).unwrap_or_else(|| line.to_owned())).collect();
        let larger = larger.join("\n");
        if larger == text.trim_end() || NO_CLUSTERS.iter().any(|other| file.ends_with(other)) {
            continue;
        }
        changed += 1;
        let place = Place::new(&[("larger.yaml", &larger)]);
        let run = place.run(&["lint", "--format", "json", "--fail-on", "never", "larger.yaml"]);
        assert!(found(&run.json(), false).contains("wal/max_wal_vs_volume"), "{}: {}", file.display(), run.seen());
    }
    assert!(changed > 15, "only {changed} examples set max_wal_size");
}

/// A line that sets max_wal_size, with more than any volume holds.
fn enlarged(line: &str) -> Option<String> {
    let (before, after) = line.split_once("max_wal_size")?;
    let digits = after.find(|c: char| c.is_ascii_digit())?;
    let end = digits + after[digits..].find(|c: char| !c.is_ascii_digit())?;
    Some(format!("{before}max_wal_size{}90000{}", &after[..digits], &after[end..]))
}

#[test]
fn bad_examples_have_the_faults_that_they_name() {
    for file in examples("bad") {
        let announced = announced(&file);
        assert!(!announced.is_empty(), "{} has no line # finds:", file.display());
        let found = found(&report(&file), true);
        assert!(announced.is_subset(&found), "{}: announces {announced:?}, finds {found:?}", file.display());
    }
}
