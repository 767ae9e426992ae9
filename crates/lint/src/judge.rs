//! Judges the documents of a run, each with all others in sight.

use std::collections::{BTreeSet, HashMap, HashSet};

use anyhow::bail;
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use walguard_engine::{EvaluationError, Finding, Kind, ResourceRef, Role, Value, configuration};
use walguard_manifest::{Document, Notice};
use walguard_report::{Failure, Located, Place, Report, Summary};

use crate::context;
use crate::inputs::Inputs;
use crate::judgement::{self, Surroundings, reference, title};
use crate::options::Run;
use crate::server::{self, Facts};

/// A document of a kind that the rules read.
struct Subject<'a> {
    document: usize,
    /// What it is to the rules, at least one.
    kinds: Vec<&'a Kind>,
    reference: ResourceRef,
    value: Value,
}

/// Judges the documents of `inputs`; what is in `context` is only looked up. `facts` are of the machines whose postgresql.conf are
/// judged.
///
/// # Errors
/// When the rules cannot be loaded.
pub fn judge(inputs: Inputs, context: context::Surroundings, facts: &Facts, run: &Run) -> anyhow::Result<Report> {
    let mut failures = inputs.failures;
    failures.extend(context.inputs.failures);
    // The documents of the run come last: of two objects of one name theirs counts.
    let judged_from = context.inputs.documents.len();
    let mut documents = context.inputs.documents;
    documents.extend(inputs.documents);
    let mut engine = None;
    if let (Some(flag), true) = (facts.first(), inputs.configurations.is_empty()) {
        bail!("{flag} is about a postgresql.conf, and there is none among the files");
    }
    if !inputs.configurations.is_empty() {
        let packed = server::pack(&inputs.configurations, facts, engine.insert(judgement::engine(&run.rules)?))?;
        documents.extend(packed.documents);
        failures.extend(packed.failures);
    }

    let subjects: Vec<Subject<'_>> =
        documents.par_iter().enumerate().filter_map(|(index, document)| subject(index, document, run)).collect();
    let mut inventory = context.inventory;
    for subject in &subjects {
        inventory.insert(&documents[subject.document].value, &subject.value);
    }
    let by_reference: HashMap<ResourceRef, usize> =
        subjects.iter().map(|subject| (normal(subject.reference.clone()), subject.document)).collect();

    let to_judge: Vec<&Subject<'_>> = subjects
        .iter()
        .filter(|subject| subject.document >= judged_from && judged(subject, &documents[subject.document]))
        .collect();

    let mut clusters = 0;
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let mut about_configuration = Vec::new();
    if !to_judge.is_empty() || run.configuration.is_some() {
        let mut engine = match engine {
            Some(engine) => engine,
            None => judgement::engine(&run.rules)?,
        };
        let surroundings = Surroundings {
            inventory: inventory.value(),
            configuration: run.configuration.as_ref().map(|read| walguard_engine::value(read.value.clone())),
            now: run.now.clone(),
        };
        let verdicts: Vec<Result<(bool, Vec<Finding>), EvaluationError>> = to_judge
            .par_iter()
            .map_init(
                || engine.clone(),
                |engine, subject| {
                    let review = surroundings.of(request(subject, &documents[subject.document]));
                    engine.judge_recognised(&review)
                },
            )
            .collect();
        for (subject, verdict) in to_judge.iter().zip(verdicts) {
            match verdict {
                Ok((recognised, findings)) => {
                    let cluster = subject.kinds.iter().any(|kind| kind.role == Role::Cluster);
                    clusters += usize::from(cluster && recognised);
                    found.extend(findings.into_iter().map(|finding| (subject.document, finding)));
                }
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
        if let Some(configuration) = &run.configuration {
            let judged: Vec<ResourceRef> = to_judge.iter().map(|subject| normal(subject.reference.clone())).collect();
            let used: BTreeSet<usize> =
                found.iter().filter_map(|(_, finding)| Some(finding.waived.as_ref()?.waiver)).collect();
            let usage = configuration::Run { judged: &judged, used: &used, complete: false };
            let name = &configuration.document.source.name;
            let request = configuration::review(name, &configuration.value, Some(usage));
            about_configuration = engine.judge(&surroundings.of(request))?;
        }
    }
    let count = documents.len() - judged_from;
    if let Some(configuration) = &run.configuration
        && !about_configuration.is_empty()
    {
        found.extend(about_configuration.into_iter().map(|finding| (documents.len(), finding)));
        documents.push(configuration.document.clone());
    }

    let mut findings: Vec<Located> = found
        .into_iter()
        .filter(|(_, finding)| run.selection.contains(&finding.check))
        .map(|(reviewed, finding)| locate(reviewed, finding, &documents, &by_reference))
        .collect();
    findings.sort_by(|a, b| a.finding.order(&b.finding).then(a.place.order().cmp(&b.place.order())));
    // Two objects of one cluster may lead to one fault.
    let mut seen = HashSet::new();
    findings.retain(|found| {
        let finding = &found.finding;
        let (document, _) = found.place.order();
        seen.insert((document, finding.check.clone(), finding.path.clone(), finding.message.clone()))
    });

    Ok(Report::new(documents, None, findings, failures, Summary { documents: count, clusters, ..Summary::default() }))
}

/// Whether some operator's rules judge a document, by its kind and by the words in it.
fn judged(subject: &Subject<'_>, document: &Document) -> bool {
    let mut kinds = subject.kinds.iter().filter(|kind| kind.judged()).peekable();
    // Serialised only where the text decides.
    match kinds.peek() {
        None => false,
        Some(kind) if kind.contains.is_empty() => true,
        Some(_) => {
            let text = document.value.to_string();
            kinds.any(|kind| kind.concerns(&text))
        }
    }
}

fn request(subject: &Subject<'_>, document: &Document) -> Value {
    let mut request = judgement::request(&subject.value);
    if let Ok(fields) = request.as_object_mut()
        && !document.notices.is_empty()
    {
        fields.insert("notices".into(), walguard_engine::value(notices(document)));
    }
    request
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

fn subject<'a>(index: usize, document: &Document, run: &'a Run) -> Option<Subject<'a>> {
    let reference = reference(&document.value);
    let kinds: Vec<&Kind> = run.catalogue.kinds_of(&reference.api_version, &reference.kind).collect();
    let value = || walguard_engine::value(document.value.clone());
    (!kinds.is_empty()).then(|| Subject { document: index, kinds, reference, value: value() })
}

/// A reference by which an object is found that names no namespace.
fn normal(mut reference: ResourceRef) -> ResourceRef {
    if reference.namespace.is_empty() {
        "default".clone_into(&mut reference.namespace);
    }
    reference
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
    let (index, path, line) = match other {
        Some(other) => (other, finding.path.as_slice(), finding.line),
        None if own => (reviewed, finding.path.as_slice(), finding.line),
        // About an object that is not among the files: only the object that led to it can be shown.
        None => (reviewed, [].as_slice(), None),
    };
    let (source, location) = documents[index].place(path, line);
    Located { finding, place: Place::Document { index, source, location } }
}
