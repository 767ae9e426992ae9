//! The examples keep their word: `good/` gives nothing worse than advice, `bad/` the checks that its lines `# finds:` name.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{Place, files, root};

/// The ids of the checks that speak up about a file, after `walguard lint` read it alone; not those that only advise, unless `advice`.
fn found(file: &Path, advice: bool) -> BTreeSet<String> {
    let run = Place::new(&[]).run(&["lint", "--format", "json", "--fail-on", "never", &file.to_string_lossy()]);
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
    let examples = files(&root().join("examples"), &["yaml"]);
    let (bad, good): (Vec<_>, Vec<_>) =
        examples.iter().partition(|file| file.parent().is_some_and(|d| d.ends_with("bad")));
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
