//! What is found of an object that may mean one of several clusters.

use std::collections::{HashMap, HashSet};

use walguard_engine::{Finding, ResourceRef};
use walguard_manifest::Document;

use crate::judgement::reference;
use crate::sight::{Sight, View, normal};

/// Without what is found of an object by one of several clusters that it may mean: a backup beside two files that each define its cluster
/// goes with one of them, and what is wrong with the other is not its fault.
pub fn undisputed(
    found: Vec<(usize, Finding)>,
    documents: &[Document],
    sight: &Sight<'_>,
    place: &dyn Fn(usize, &ResourceRef) -> Option<usize>,
    undecided: &mut HashSet<(ResourceRef, Vec<String>)>,
) -> Vec<(usize, Finding)> {
    let mut views: HashMap<&str, View> = HashMap::new();
    let mut said: HashMap<usize, Vec<&Finding>> = HashMap::new();
    for (reviewed, finding) in &found {
        said.entry(*reviewed).or_default().push(finding);
    }
    let mut disputed = HashSet::new();
    for (index, (reviewed, finding)) in found.iter().enumerate() {
        let own = normal(reference(&documents[*reviewed].value));
        if own == normal(finding.resource.clone()) {
            continue;
        }
        let Some(about) = place(*reviewed, &finding.resource) else { continue };
        let file = documents[about].source.name.as_str();
        let view = views.entry(file).or_insert_with(|| sight.from(file));
        let meant = sight.undecided(view, &own).filter(|one| one.documents.contains(reviewed));
        let Some(meant) = meant else { continue };
        let said_of = |document: &usize| {
            said.get(document).into_iter().flatten().any(|other| {
                (&other.check, &other.resource, &other.path) == (&finding.check, &finding.resource, &finding.path)
            })
        };
        if !meant.documents.iter().all(said_of) {
            disputed.insert(index);
            undecided.insert((meant.object.clone(), meant.files.clone()));
        }
    }
    let kept = found.into_iter().enumerate().filter(|(index, _)| !disputed.contains(index));
    kept.map(|(_, finding)| finding).collect()
}
