//! Manifests of the operators' own repositories and documentation (`../shared/corpus`, not part of the project): each is
//! judged without an engine error. Where the corpus is not there, there is nothing to test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::fs;

use common::{Place, root};

#[test]
fn every_manifest_is_judged() {
    let corpus = root().join("../shared/corpus");
    if !corpus.is_dir() {
        eprintln!("skipped: there is no {}", corpus.display());
        return;
    }
    let place = Place::new(&[]);
    let mut clusters = 0;
    let mut directories: Vec<_> = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.sort();
    for directory in directories.iter().filter(|path| path.is_dir()) {
        let run = place.run(&["lint", "--format", "json", directory.to_str().unwrap()]);
        assert!(run.code.is_some_and(|code| (0..=3).contains(&code)), "{}", run.stderr);
        let json = run.json();
        // Some files are templates or fragments, and cannot be read. What can be read can be judged.
        let errors = json["errors"].as_array().unwrap();
        let unjudged: Vec<_> =
            errors.iter().filter(|error| error["message"].as_str().unwrap().contains("the rules")).collect();
        assert!(unjudged.is_empty(), "{unjudged:#?}");
        clusters += json["summary"]["clusters"].as_u64().unwrap();
        eprintln!("{}: {}", directory.display(), json["summary"]);
    }
    assert!(clusters > 100, "of the corpus, only {clusters} clusters were judged");
}
