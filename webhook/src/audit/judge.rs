//! Judges the objects of a live cluster as they are.

use std::collections::{BTreeSet, HashMap, HashSet};

use walguard_engine::{EvaluationError, Finding, Inventory, Kind, ResourceRef, Value, configuration};

use crate::cluster::Served;

/// An object to be judged.
#[derive(Clone, Debug)]
pub struct Subject {
    pub kind: Kind,
    pub reference: ResourceRef,
    /// Tells it from a predecessor of the same name.
    pub uid: String,
    pub value: Value,
}

/// What was found in an object. Where there is no verdict, why not.
#[derive(Debug)]
pub struct Verdict {
    pub reference: ResourceRef,
    pub uid: String,
    /// Worst first.
    pub findings: Vec<Finding>,
    pub failure: Option<String>,
}

/// The objects of an inventory that are judged by themselves, all or those of a namespace. What is on its way out is not.
pub fn subjects(inventory: &Inventory, served: &[Served], namespace: Option<&str>) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for kind in served.iter().filter(|served| served.kind.judged()) {
        let resource = &kind.resource;
        for (home, value) in inventory.objects(&resource.api_version, &resource.kind) {
            let leaving = matches!(value["metadata"]["deletionTimestamp"], Value::String(_));
            if leaving || namespace.is_some_and(|namespace| namespace != home) {
                continue;
            }
            let text = |key: &str| value["metadata"][key].as_string().map(|text| text.to_string()).unwrap_or_default();
            let reference = ResourceRef {
                api_version: resource.api_version.clone(),
                kind: resource.kind.clone(),
                namespace: home,
                name: text("name"),
            };
            subjects.push(Subject { kind: kind.kind.clone(), reference, uid: text("uid"), value });
        }
    }
    subjects
}

/// What a policy configuration was used for by verdicts on everything in a cluster, or on some of it.
#[derive(Debug, Default)]
pub struct Usage {
    pub judged: Vec<ResourceRef>,
    /// Places of waivers that covered a finding.
    pub used: BTreeSet<usize>,
}

impl Usage {
    #[must_use]
    pub fn of(verdicts: &[Verdict]) -> Self {
        let waiver = |finding: &Finding| finding.waived.as_ref()?.waiver;
        Self {
            judged: verdicts.iter().map(|verdict| verdict.reference.clone()).collect(),
            used: verdicts.iter().flat_map(|verdict| verdict.findings.iter().filter_map(waiver)).collect(),
        }
    }

    /// As the engine asks for it. `complete`: nothing was left out.
    #[must_use]
    pub fn run(&self, complete: bool) -> configuration::Run<'_> {
        configuration::Run { judged: &self.judged, used: &self.used, complete }
    }
}

/// Puts findings where they belong: to the object they are about, if that was judged too, else to the one that led to them; and
/// each once, since two objects of one cluster may lead to one fault.
pub fn verdicts(judged: Vec<(Subject, Result<Vec<Finding>, EvaluationError>)>) -> Vec<Verdict> {
    let places: HashMap<ResourceRef, usize> =
        judged.iter().enumerate().map(|(index, (subject, _))| (subject.reference.clone(), index)).collect();
    let mut findings: Vec<Vec<Finding>> = vec![Vec::new(); judged.len()];
    let mut verdicts = Vec::with_capacity(judged.len());
    for (index, (Subject { reference, uid, .. }, result)) in judged.into_iter().enumerate() {
        let (found, failure) = match result {
            Ok(found) => (found, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        for finding in found {
            findings[places.get(&finding.resource).copied().unwrap_or(index)].push(finding);
        }
        verdicts.push(Verdict { reference, uid, findings: Vec::new(), failure });
    }
    for (verdict, mut found) in verdicts.iter_mut().zip(findings) {
        found.sort_by(Finding::order);
        let mut seen = HashSet::new();
        found.retain(|finding| seen.insert((finding.check.clone(), finding.path.clone(), finding.message.clone())));
        verdict.findings = found;
    }
    verdicts
}
