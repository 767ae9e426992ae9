//! Attacks on the verdict: each case of `tests/adversary/cases` is refused, warned of or told as it says, and its control, the same thing
//! honestly done, is not (`tests/adversary/README.md`). `tests/engines` shows that OPA says the same of them, `tests/admission` that a
//! real API server refuses them.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../crates/engine/tests/corpus/mod.rs"]
mod corpus;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use corpus::Review;
use serde_json::Value as Json;
use walguard_engine::{Action, Engine, Finding, Rules};

/// What the rules say of a review.
struct Said(Vec<Finding>);

impl Said {
    fn by(&self, actions: &[Action]) -> BTreeSet<&str> {
        self.0
            .iter()
            .filter(|finding| actions.contains(&finding.action))
            .map(|finding| finding.check.as_str())
            .collect()
    }

    fn at_all(&self) -> BTreeSet<&str> {
        self.0.iter().map(|finding| finding.check.as_str()).collect()
    }
}

/// A list of checks in a run; none where it is not there.
fn checks<'r>(run: &'r Json, name: &str) -> BTreeSet<&'r str> {
    run[name].as_array().into_iter().flatten().map(|check| check.as_str().unwrap()).collect()
}

/// What a run says otherwise than its case.
fn wrong(run: &Json, said: &Said) -> Vec<String> {
    let (denied, loud, all) = (said.by(&[Action::Deny]), said.by(&[Action::Deny, Action::Warn]), said.at_all());
    let mut wrong = Vec::new();
    if denied != checks(run, "denied") {
        wrong.push(format!("denied by {denied:?}, not by {:?}", checks(run, "denied")));
    }
    for missing in checks(run, "warned").difference(&loud) {
        wrong.push(format!("no warning of {missing}"));
    }
    for missing in checks(run, "told").difference(&all) {
        wrong.push(format!("nothing of {missing}"));
    }
    for false_alarm in checks(run, "silent").intersection(&loud) {
        wrong.push(format!("a warning of {false_alarm}"));
    }
    wrong
}

#[test]
fn attacks_are_met_and_their_controls_are_not() {
    let mut engine = Engine::new(&Rules::embedded()).unwrap();
    let (mut all, mut failed) = (0, String::new());
    for review in corpus::attacks(&corpus::root()) {
        let Review { file, run, .. } = &review;
        assert!(run["denied"].is_array(), "{file}: what is denied, or []");
        let said = Said(engine.evaluate(&review.value()).unwrap());
        for what in wrong(run, &said) {
            writeln!(failed, "{file} {}: {what}", run["as"].as_str().unwrap_or_default()).unwrap();
        }
        all += 1;
    }
    assert!(all > 1_000, "only {all} attempts");
    assert!(failed.is_empty(), "{failed}");
}

#[test]
fn each_attack_has_its_control() {
    let mut cases: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
    for Review { file, run, .. } in corpus::attacks(&corpus::root()) {
        let (case, _) = file.rsplit_once('/').unwrap();
        cases.entry(case.to_owned()).or_default().insert(checks(&run, "denied").is_empty());
    }
    let alone: Vec<_> = cases.iter().filter(|(_, outcomes)| outcomes.len() < 2).map(|(case, _)| case).collect();
    assert!(alone.is_empty(), "denied and admitted, but not both, in {alone:?}");
}
