//! The examples keep their word: `good/` gives nothing worse than advice, `bad/` the checks that its lines `# finds:` name.
//! The line `# with:` of a postgresql.conf has the flags that describe its machine.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{Place, files, root};

/// The ids of the checks that speak up about a file, after `walguard lint` read it alone; not those that only advise, unless `advice`.
fn found(file: &Path, advice: bool) -> BTreeSet<String> {
    let name = file.to_string_lossy();
    let text = fs::read_to_string(file).unwrap();
    let machine = text.lines().filter_map(|line| line.strip_prefix("# with:")).flat_map(str::split_whitespace);
    let arguments: Vec<&str> =
        ["lint", "--format", "json", "--fail-on", "never", &name].into_iter().chain(machine).collect();
    let run = Place::new(&[]).run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let report = run.json();
    let findings = report["findings"].as_array().unwrap();
    let findings = findings.iter().filter(|finding| advice || finding["severity"] != "info");
    findings.map(|finding| finding["check"].as_str().unwrap().to_owned()).collect()
}

fn announced(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("# finds:"));
    lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

#[test]
fn examples_keep_their_word() {
    let examples = files(&root().join("examples"), &["yaml", "conf"]);
    // Of a server's files the one that the others are included in.
    let examples = examples
        .iter()
        .filter(|file| file.extension().is_some_and(|e| e == "yaml") || file.ends_with("postgresql.conf"));
    let (bad, good): (Vec<_>, Vec<_>) =
        examples.partition(|file| file.ancestors().any(|directory| directory.ends_with("bad")));
    assert!(good.len() > 10 && bad.len() > 10, "{} good, {} bad", good.len(), bad.len());
    for file in good {
        assert_eq!(found(file, false), BTreeSet::new(), "{}", file.display());
    }
    for file in bad {
        let announced = announced(file);
        assert!(!announced.is_empty(), "{} has no line # finds:", file.display());
        let found = found(file, true);
        assert!(announced.is_subset(&found), "{}: announces {announced:?}, finds {found:?}", file.display());
    }
}
