//! What the rules say of every manifest of the repository, word by word: a change of a rule shows here what it changes.
//!
//! `INSTA_UPDATE=always cargo test --workspace --test findings` takes what is said now as right; read the difference before it is
//! committed. The reviews are written to `target/tmp/reviews.jsonl` too, where `make rego-mutants` finds them.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../crates/engine/tests/corpus/mod.rs"]
mod corpus;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use corpus::Review;
use serde_json::json;
use walguard_engine::{Engine, Rules};

/// What is said of a review, a line for each finding and each of its fixes.
fn said(engine: &mut Engine, review: &Review) -> String {
    let mut lines = String::new();
    let mut findings = engine.evaluate(&review.value()).unwrap();
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
    let mut engine = Engine::new(&Rules::embedded()).unwrap();
    let mut inputs = String::new();
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for review in corpus::reviews(&corpus::root()) {
        writeln!(inputs, "{}", json!({"file": review.file, "input": review.input()})).unwrap();
        let page = pages.entry(review.page()).or_default();
        let lines = said(&mut engine, &review);
        if !lines.is_empty() {
            write!(page, "{} {}\n{lines}", review.file, review.title()).unwrap();
        }
    }
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("reviews.jsonl"), inputs).unwrap();
    for (page, text) in pages {
        insta::assert_snapshot!(page, text);
    }
}
