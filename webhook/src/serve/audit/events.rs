//! Events on objects whose findings have changed since they were judged before. What stays as it is makes no noise.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context as _, Result};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use walguard_engine::Severity;

use super::reports::Known;
use crate::audit::judge::Verdict;

/// The API server refuses longer notes.
const NOTE_MAX_BYTES: usize = 1000;

/// Tells of changes.
pub struct Events {
    client: Client,
    /// Ids of checks with findings, advice left out, by the uid of their object.
    told: HashMap<String, BTreeSet<String>>,
}

impl Events {
    pub fn new(client: Client) -> Self {
        Self { client, told: HashMap::new() }
    }

    /// Tells of every object for which other checks than before have findings. `known` says what a leader before this one has told.
    ///
    /// # Errors
    /// The first that was met; the others were told of.
    pub async fn tell(&mut self, verdicts: &[Verdict], known: Option<&Known>) -> Result<()> {
        // A new one each time: it would take a second event of the same reason for a repetition of the first, with its note.
        let recorder = Recorder::new(self.client.clone(), Reporter::from("walguard"));
        let mut told = HashMap::new();
        let mut outcome = Ok(());
        let none = BTreeSet::new();
        for verdict in verdicts {
            let now = checks(verdict);
            let before = self.told.get(&verdict.uid).or_else(|| known?.get(&verdict.uid)).unwrap_or(&none);
            if let Some((type_, note)) = change(verdict, before, &now)
                && let Err(error) = publish(&recorder, verdict, type_, note).await
            {
                // Tried again in the next round.
                told.insert(verdict.uid.clone(), before.clone());
                outcome = outcome.and(Err(error));
                continue;
            }
            told.insert(verdict.uid.clone(), now);
        }
        self.told = told;
        outcome
    }
}

async fn publish(recorder: &Recorder, verdict: &Verdict, type_: EventType, note: String) -> Result<()> {
    let object = &verdict.reference;
    let regarding = ObjectReference {
        api_version: Some(object.api_version.clone()),
        kind: Some(object.kind.clone()),
        namespace: Some(object.namespace.clone()),
        name: Some(object.name.clone()),
        uid: Some(verdict.uid.clone()),
        ..ObjectReference::default()
    };
    let reason = match type_ {
        EventType::Warning => "FindingsAppeared",
        EventType::Normal => "FindingsGone",
    };
    let event =
        Event { type_, reason: reason.to_owned(), note: Some(note), action: "Audit".to_owned(), secondary: None };
    recorder
        .publish(&event, &regarding)
        .await
        .with_context(|| format!("an event on {} {}/{}", object.kind, object.namespace, object.name))
}

fn checks(verdict: &Verdict) -> BTreeSet<String> {
    let findings = verdict.findings.iter().filter(|finding| finding.counts() && finding.severity > Severity::Info);
    findings.map(|finding| finding.check.clone()).collect()
}

/// What to say of an object; nothing when nothing has changed.
fn change(verdict: &Verdict, before: &BTreeSet<String>, now: &BTreeSet<String>) -> Option<(EventType, String)> {
    let gone: Vec<&str> = before.difference(now).map(String::as_str).collect();
    let appeared: Vec<String> = verdict
        .findings
        .iter()
        .filter(|finding| finding.counts() && now.contains(&finding.check) && !before.contains(&finding.check))
        .map(|finding| format!("{} {}: {}", finding.severity, finding.check, finding.message))
        .collect();
    let (type_, note) = match (appeared.is_empty(), gone.is_empty()) {
        (true, true) => return None,
        (true, false) => (EventType::Normal, format!("no longer found: {}", gone.join(", "))),
        (false, true) => (EventType::Warning, appeared.join("; ")),
        (false, false) => {
            (EventType::Warning, format!("{}; no longer found: {}", appeared.join("; "), gone.join(", ")))
        }
    };
    Some((type_, shortened(note)))
}

fn shortened(note: String) -> String {
    if note.len() <= NOTE_MAX_BYTES {
        return note;
    }
    let end = note.floor_char_boundary(NOTE_MAX_BYTES - '…'.len_utf8());
    format!("{}…", &note[..end])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(found: &[(&str, &str)]) -> Verdict {
        let finding = |(check, severity): &(&str, &str)| {
            serde_json::from_value(
                json!({"check": check, "severity": severity, "action": "warn", "message": "why", "resource": {}}),
            )
            .unwrap()
        };
        let findings = found.iter().map(finding).collect();
        Verdict { reference: Default::default(), uid: "u".to_owned(), findings, failure: None }
    }

    fn said(before: &[(&str, &str)], now: &[(&str, &str)]) -> Option<(EventType, String)> {
        let now = verdict(now);
        change(&now, &checks(&verdict(before)), &checks(&now))
    }

    #[test]
    fn only_changes_are_told() {
        let (a, b) = (("a/a", "error"), ("b/b", "warning"));
        assert_eq!(said(&[], &[]), None);
        assert_eq!(said(&[a, b], &[b, a, ("c/c", "info")]), None);
        assert_eq!(said(&[], &[a, a]), Some((EventType::Warning, "error a/a: why; error a/a: why".to_owned())));
        assert_eq!(said(&[a, b], &[b]), Some((EventType::Normal, "no longer found: a/a".to_owned())));
        assert_eq!(said(&[a], &[b]), Some((EventType::Warning, "warning b/b: why; no longer found: a/a".to_owned())));
    }

    #[test]
    fn what_is_waived_is_not_told() {
        let mut waived = verdict(&[("a/a", "error")]);
        waived.findings[0].waived = Some(Default::default());
        assert_eq!(change(&waived, &BTreeSet::new(), &checks(&waived)), None);
        let before = checks(&verdict(&[("a/a", "error")]));
        assert_eq!(
            change(&waived, &before, &checks(&waived)),
            Some((EventType::Normal, "no longer found: a/a".to_owned()))
        );
    }

    #[test]
    fn a_note_is_short_enough_for_the_api_server() {
        let many = vec![("a/a", "error"); 500];
        let (_, note) = said(&[], &many).unwrap();
        assert!(note.len() <= 1024 && note.ends_with('…'), "{note}");
    }
}
