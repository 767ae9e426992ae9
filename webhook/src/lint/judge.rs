//! Judges the documents of a run, each with all others in sight.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use rayon::prelude::*;
use serde_json::{Value as Json, json};
use walguard_engine::configuration::{self, Run};
use walguard_engine::{Catalogue, Engine, EvaluationError, Finding, Kind, ResourceRef, Review, Role, Rules, Value};

use super::context;
use super::inputs::Inputs;
use super::{Failure, Located, Report, Selection, Summary};
use crate::config::Configuration;
use crate::manifest::{Document, Notice};

/// Ends the judgement of a document that takes absurdly long; the usual time is a few hundred microseconds.
const DEADLINE: Duration = Duration::from_secs(60);

/// By what a run judges.
#[derive(Debug)]
pub struct Settings<'a> {
    pub rules: &'a Rules,
    pub catalogue: &'a Catalogue,
    pub configuration: Option<Configuration>,
    /// RFC 3339; the clock if None.
    pub now: Option<String>,
    pub selection: Selection,
}

/// A document of a kind that the rules read.
struct Subject<'a> {
    document: usize,
    kind: &'a Kind,
    reference: ResourceRef,
    value: Value,
}

/// Judges the documents of `inputs`; what is in `context` is only looked up.
///
/// # Errors
/// When the rules cannot be loaded.
pub fn judge(inputs: Inputs, context: context::Surroundings, settings: &Settings<'_>) -> anyhow::Result<Report> {
    let mut failures = inputs.failures;
    failures.extend(context.inputs.failures);
    // The documents of the run come last: of two objects of one name theirs counts.
    let judged_from = context.inputs.documents.len();
    let mut documents = context.inputs.documents;
    documents.extend(inputs.documents);

    let subjects: Vec<Subject<'_>> =
        documents.par_iter().enumerate().filter_map(|(index, document)| subject(index, document, settings)).collect();
    let mut inventory = context.inventory;
    for subject in &subjects {
        inventory.insert(&documents[subject.document].value, &subject.value);
    }
    let by_reference: HashMap<ResourceRef, usize> =
        subjects.iter().map(|subject| (normal(subject.reference.clone()), subject.document)).collect();

    let to_judge: Vec<&Subject<'_>> = subjects
        .iter()
        .filter(|subject| subject.document >= judged_from && subject.kind.judged())
        .filter(|subject| {
            // Serialised only where the text decides.
            subject.kind.contains.is_empty() || subject.kind.concerns(&documents[subject.document].value.to_string())
        })
        .collect();

    let mut found: Vec<(usize, Finding)> = Vec::new();
    let mut about_configuration = Vec::new();
    if !to_judge.is_empty() || settings.configuration.is_some() {
        let mut engine = Engine::new(settings.rules)?;
        engine.set_deadline(DEADLINE);
        let surroundings = Surroundings {
            inventory: inventory.value(),
            configuration: settings.configuration.as_ref().map(|read| walguard_engine::value(read.value.clone())),
            now: settings.now.clone(),
        };
        let verdicts: Vec<Result<Vec<Finding>, EvaluationError>> = to_judge
            .par_iter()
            .map_init(
                || engine.clone(),
                |engine, subject| engine.judge(&surroundings.review(subject, &documents[subject.document])),
            )
            .collect();
        for (subject, verdict) in to_judge.iter().zip(verdicts) {
            match verdict {
                Ok(findings) => found.extend(findings.into_iter().map(|finding| (subject.document, finding))),
                Err(error) => {
                    let document = &documents[subject.document];
                    let start = document.locate(&[]);
                    failures.push(Failure {
                        file: document.source.name.clone(),
                        position: Some((start.line, start.column)),
                        message: format!("{}: {error}", title(&subject.reference)),
                    });
                }
            }
        }
        if let Some(configuration) = &settings.configuration {
            let judged: Vec<ResourceRef> = to_judge.iter().map(|subject| normal(subject.reference.clone())).collect();
            let used: BTreeSet<usize> =
                found.iter().filter_map(|(_, finding)| Some(finding.waived.as_ref()?.waiver)).collect();
            let run = Run { judged: &judged, used: &used, complete: false };
            let name = &configuration.document.source.name;
            let request = configuration::review(name, &configuration.value, Some(run));
            about_configuration = engine.judge(&surroundings.of(request))?;
        }
    }
    let count = documents.len() - judged_from;
    if let Some(configuration) = &settings.configuration
        && !about_configuration.is_empty()
    {
        found.extend(about_configuration.into_iter().map(|finding| (documents.len(), finding)));
        documents.push(configuration.document.clone());
    }

    let mut findings: Vec<Located> = found
        .into_iter()
        .filter(|(_, finding)| settings.selection.contains(&finding.check))
        .map(|(reviewed, finding)| locate(reviewed, finding, &documents, &by_reference))
        .collect();
    findings.sort_by(|a, b| {
        a.finding.order(&b.finding).then(a.document.cmp(&b.document)).then(a.location.line.cmp(&b.location.line))
    });
    // Two objects of one cluster may lead to one fault.
    let mut seen = HashSet::new();
    findings.retain(|found| {
        let finding = &found.finding;
        seen.insert((found.document, finding.check.clone(), finding.path.clone(), finding.message.clone()))
    });

    let mut summary = Summary {
        documents: count,
        clusters: to_judge.iter().filter(|subject| subject.kind.role == Role::Cluster).count(),
        failed: failures.len(),
        ..Summary::default()
    };
    findings.iter().for_each(|found| summary.count(&found.finding));
    Ok(Report { documents, findings, failures, summary })
}

struct Surroundings {
    inventory: Value,
    configuration: Option<Value>,
    now: Option<String>,
}

impl Surroundings {
    fn review(&self, subject: &Subject<'_>, document: &Document) -> Review {
        let mut request = Value::new_object();
        if let Ok(fields) = request.as_object_mut() {
            fields.insert("object".into(), subject.value.clone());
            if !document.notices.is_empty() {
                fields.insert("notices".into(), walguard_engine::value(notices(document)));
            }
        }
        self.of(request)
    }

    fn of(&self, request: Value) -> Review {
        Review {
            request,
            inventory: Some(self.inventory.clone()),
            configuration: self.configuration.clone(),
            now: self.now.clone(),
        }
    }
}

/// What was noticed in the text, as `walguard.lib.k8s` reads it.
fn notices(document: &Document) -> Json {
    let notice = |notice: &Notice| {
        let (by, path, first, second) = match notice {
            Notice::DuplicateKey { path, first, second } => ("key", path, first, second),
            Notice::MergeReplacesKey { path, first, second } => ("merge", path, first, second),
        };
        json!({"by": by, "path": path, "first_line": first.line, "second_line": second.line})
    };
    document.notices.iter().map(notice).collect()
}

fn subject<'a>(index: usize, document: &Document, settings: &Settings<'a>) -> Option<Subject<'a>> {
    let reference = reference(&document.value);
    let kind = settings.catalogue.kind(&reference.api_version, &reference.kind)?;
    Some(Subject { document: index, kind, reference, value: walguard_engine::value(document.value.clone()) })
}

/// How a resource calls itself; what is no text is empty.
fn reference(value: &Json) -> ResourceRef {
    let text = |pointer: &str| value.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    ResourceRef {
        api_version: text("/apiVersion"),
        kind: text("/kind"),
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name"),
    }
}

/// A reference by which an object is found that names no namespace.
fn normal(mut reference: ResourceRef) -> ResourceRef {
    if reference.namespace.is_empty() {
        "default".clone_into(&mut reference.namespace);
    }
    reference
}

/// `Cluster shop/orders`.
fn title(reference: &ResourceRef) -> String {
    match (reference.namespace.as_str(), reference.name.as_str()) {
        (_, "") => reference.kind.clone(),
        ("", name) => format!("{} {name}", reference.kind),
        (namespace, name) => format!("{} {namespace}/{name}", reference.kind),
    }
}

/// Finds where the cause of a finding is written: in the document that was reviewed or in another one of the run.
fn locate(
    reviewed: usize,
    finding: Finding,
    documents: &[Document],
    by_reference: &HashMap<ResourceRef, usize>,
) -> Located {
    let own = configuration::concerned(&finding)
        || normal(reference(&documents[reviewed].value)) == normal(finding.resource.clone());
    let other = if own { None } else { by_reference.get(&normal(finding.resource.clone())).copied() };
    let (document, path) = match other {
        Some(document) => (document, finding.path.as_slice()),
        None if own => (reviewed, finding.path.as_slice()),
        // About an object that is not among the files: only the object that led to it can be shown.
        None => (reviewed, [].as_slice()),
    };
    Located { location: documents[document].locate(path), finding, document }
}
