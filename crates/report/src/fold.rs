//! Findings of one cause, which people read once: the same fault that one author wrote into many files, or a default of an operator that
//! everybody has. Formats for programs keep one result for each place.

use std::collections::{BTreeSet, HashMap};

use walguard_engine::{Severity, field};

use crate::{Located, Place, counted};

/// How many other places are named; the rest is counted.
const NAMED: usize = 3;

/// What has one cause: the first finding in the order of the files, and the others.
pub struct Folded<'a> {
    pub first: &'a Located,
    pub others: Vec<&'a Located>,
}

/// By what findings of a check are the same.
#[derive(PartialEq, Eq, Hash)]
enum Cause<'a> {
    /// An operator's own default, whatever the numbers of the cluster are.
    Default(&'a str),
    Message(&'a str),
}

/// Folds findings, in the order in which the first of each cause stands.
pub fn fold<'a>(findings: &[&'a Located]) -> Vec<Folded<'a>> {
    let mut folded: Vec<Folded<'a>> = Vec::new();
    let mut known: HashMap<(&str, Severity, Cause<'a>), usize> = HashMap::new();
    for &found in findings {
        let finding = &found.finding;
        let cause = match &finding.default_of {
            Some(operator) if finding.severity == Severity::Info => Cause::Default(operator),
            _ => Cause::Message(&finding.message),
        };
        let position = *known.entry((&finding.check, finding.severity, cause)).or_insert(folded.len());
        match folded.get_mut(position) {
            Some(same) => same.others.push(found),
            None => folded.push(Folded { first: found, others: Vec::new() }),
        }
    }
    folded
}

impl Folded<'_> {
    /// Where else it is: `b.yaml:12, c.yaml:3 and 9 more places`; `None` where it is nowhere else. `all` of them, or the first ones.
    pub fn elsewhere(&self, all: bool) -> Option<String> {
        let mut places: Vec<String> = self.others.iter().map(|found| place(found)).collect();
        let more = if all { 0 } else { places.len().saturating_sub(NAMED) };
        places.truncate(places.len() - more);
        let named = places.join(", ");
        let text = match more {
            _ if places.is_empty() => return None,
            0 => named,
            _ => format!("{named} and {}", counted(more, "more place", "more places")),
        };
        Some(match self.default_in() {
            Some(clusters) => format!("{clusters}: {text}"),
            None => text,
        })
    }

    /// `a default of KubeBlocks in 64 clusters`.
    fn default_in(&self) -> Option<String> {
        let operator =
            self.first.finding.default_of.as_ref().filter(|_| self.first.finding.severity == Severity::Info)?;
        let all = std::iter::once(&self.first).chain(&self.others);
        let clusters: BTreeSet<_> = all.map(|found| (found.place.name(), &found.finding.resource)).collect();
        Some(format!("a default of {operator} in {}", counted(clusters.len(), "cluster", "clusters")))
    }
}

fn place(found: &Located) -> String {
    match &found.place {
        Place::Document { source, location, .. } => format!("{}:{}", source.name, location.line),
        Place::Object(_) => format!("{} {}", found.place.name(), field(&found.finding.path)).trim_end().to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;
    use walguard_engine::ResourceRef;

    use super::*;

    fn found(name: &str, severity: &str, message: &str, operator: Option<&str>) -> Located {
        let resource = ResourceRef { kind: "Cluster".into(), name: name.into(), ..ResourceRef::default() };
        let finding = serde_json::from_value(json!({
            "check": "access/trust", "severity": severity, "action": "warn", "message": message, "resource": resource,
            "path": ["spec"], "default_of": operator,
        }));
        Located::new(finding.unwrap(), Place::Object(resource))
    }

    fn folded(all: &[Located]) -> Vec<(String, Option<String>)> {
        let all: Vec<&Located> = all.iter().collect();
        fold(&all).iter().map(|folded| (place(folded.first), folded.elsewhere(false))).collect()
    }

    #[test]
    fn the_same_fault_is_one_entry() {
        let all: Vec<Located> =
            (0..6).map(|number| found(&format!("c{number}"), "error", "no password", None)).collect();
        let elsewhere = "Cluster/c1 spec, Cluster/c2 spec, Cluster/c3 spec and 2 more places";
        assert_eq!(folded(&all), [("Cluster/c0 spec".to_owned(), Some(elsewhere.to_owned()))]);
        let whole = fold(&all.iter().collect::<Vec<_>>())[0].elsewhere(true).unwrap();
        assert_eq!(whole.matches("Cluster/").count(), 5);
    }

    #[test]
    fn other_numbers_and_severities_are_other_faults() {
        let all = [
            found("a", "error", "at 1 GB", None),
            found("b", "error", "at 2 GB", None),
            found("c", "warning", "at 1 GB", None),
        ];
        assert_eq!(folded(&all).iter().filter(|(_, elsewhere)| elsewhere.is_none()).count(), 3);
    }

    #[test]
    fn a_default_of_an_operator_is_one_entry_whatever_its_numbers_are() {
        let all = [
            found("a", "info", "at 1 GB", Some("KubeBlocks")),
            found("b", "info", "at 2 GB", Some("KubeBlocks")),
            found("b", "info", "at 3 GB", Some("KubeBlocks")),
            found("c", "info", "at 1 GB", Some("StackGres")),
        ];
        let elsewhere = "a default of KubeBlocks in 2 clusters: Cluster/b spec, Cluster/b spec".to_owned();
        assert_eq!(folded(&all), [("Cluster/a spec".to_owned(), Some(elsewhere)), ("Cluster/c spec".to_owned(), None)]);
        // What makes more than info of it is somebody's choice.
        let all = [
            found("a", "warning", "at 1 GB", Some("KubeBlocks")),
            found("b", "warning", "at 2 GB", Some("KubeBlocks")),
        ];
        assert_eq!(folded(&all).len(), 2);
    }
}
