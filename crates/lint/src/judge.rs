//! Judges the documents of a run, each with what is visible from its file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};
use walguard_engine::{
    Engine, EvaluationError, Finding, Inventory, Kind, PathSegment, Related, ResourceRef, Role, Value, configuration,
};
use walguard_manifest::{Document, Location, Notice, Source};
use walguard_report::{Beside, Failure, Format, Located, Place, Report, Summary};

use crate::config::Policies;
use crate::context;
use crate::inputs::{Input, Inputs, Origin};
use crate::judgement::{self, Surroundings, reference, title};
use crate::options::Run;
use crate::progress::Progress;
use crate::server::{self, Facts};
use crate::sight::{self, Candidate, Sight, View, normal};
use crate::since::Former;
use crate::{comments, dispute, helm, kustomize, pictures, releases, tables, undecided};

/// The check whose messages name lines of the document.
const TWICE: &str = "manifest/duplicate_key";

/// A document of a kind that the rules read.
struct Subject<'a> {
    document: usize,
    /// What it is to the rules, at least one.
    kinds: Vec<&'a Kind>,
    reference: ResourceRef,
    value: Value,
}

/// The documents of a run, with what is known of where they come from.
struct Documents {
    all: Vec<Document>,
    origins: HashMap<usize, Origin>,
    /// What patches that were not applied may change, by document.
    changed: HashMap<usize, Vec<Vec<PathSegment>>>,
    /// The first that is judged; those before are only looked up.
    first: usize,
}

/// Judges the documents of `inputs`; what is in `context` is only looked up. `facts` are of the machines whose postgresql.conf are
/// judged; each object that `former` knows is judged as a change of what it was.
///
/// # Errors
/// When the rules cannot be loaded.
pub fn judge(
    inputs: Inputs,
    context: context::Surroundings,
    facts: &Facts,
    former: Option<&Former>,
    run: &Run,
    policies: &mut Policies<'_>,
) -> anyhow::Result<Report> {
    let mut engine = judgement::engine(&run.rules)?;
    let Inputs {
        documents: read, mut count, configurations, mut failures, mut skipped, mut notes, partial, only, ..
    } = inputs;
    failures.extend(context.inputs.failures);
    skipped.extend(context.inputs.skipped);
    skipped.sort();
    skipped.dedup();
    let mut documents = Documents { all: Vec::new(), origins: HashMap::new(), changed: HashMap::new(), first: 0 };
    documents.extend(context.inputs.documents);
    documents.first = documents.all.len();
    documents.extend(read);
    if let (Some(flag), true) = (facts.first(), configurations.is_empty()) {
        bail!("{flag} describes the machine of a postgresql.conf, and there is none among the files");
    }
    if !configurations.is_empty() {
        let packed = server::pack(&configurations, facts, &mut engine)?;
        count += packed.documents.len();
        documents.all.extend(packed.documents);
        failures.extend(packed.failures);
        notes.extend(packed.notes);
    }

    let all = &documents.all;
    let subjects: Vec<Subject<'_>> =
        all.par_iter().enumerate().filter_map(|(index, document)| subject(index, document, run)).collect();
    let candidate = |subject: &Subject<'_>| -> bool { subject.document >= documents.first };
    let (own, looked_up): (Vec<&Subject<'_>>, Vec<&Subject<'_>>) =
        subjects.iter().partition(|subject| candidate(subject));
    let live = context.live;
    let (surroundings, elsewhere, unsettled) = surroundings(context.inventory, &looked_up, all);
    notes.extend(undecided::note_of_context(&unsettled));
    let candidates: Vec<Candidate<'_>> = own
        .iter()
        .map(|subject| Candidate {
            document: subject.document,
            reference: subject.reference.clone(),
            file: &all[subject.document].source.name,
            json: &all[subject.document].value,
            value: &subject.value,
        })
        .collect();
    let sight = Sight::new(surroundings, &candidates);
    let from_files = live.then(|| files(&subjects, all));

    let to_judge: Vec<(&Subject<'_>, &Candidate<'_>)> = own
        .iter()
        .zip(&candidates)
        .filter(|(_, candidate)| only.is_empty() || only.contains(candidate.file))
        .filter(|(subject, _)| is_judged(subject, &all[subject.document]))
        .map(|(subject, candidate)| (*subject, candidate))
        .collect();
    let mut numbers = Vec::with_capacity(to_judge.len());
    for (_, candidate) in &to_judge {
        numbers.push(policies.variant(Path::new(candidate.file))?);
    }
    let configurations: Vec<Option<Value>> =
        policies.variants().iter().map(|variant| variant.value.clone().map(walguard_engine::value)).collect();
    // Of whom a waiver is used, whichever of its files it is.
    let policy_of: Vec<usize> = policies.variants().iter().map(|variant| variant.policy).collect();
    let names: BTreeSet<&str> = to_judge.iter().map(|(_, candidate)| candidate.file).collect();
    let views: HashMap<&str, View> = names.into_par_iter().map(|name| (name, sight.from(name))).collect();

    let draws = run.writes(Format::Html);
    let work: Vec<(usize, &(&Subject<'_>, &Candidate<'_>))> = numbers.iter().copied().zip(&to_judge).collect();
    let progress = Progress::new(work.len());
    let verdicts: Vec<_> = work
        .par_iter()
        .map_init(
            // The objects that are visible from one file after the other.
            || (engine.clone(), None),
            |(engine, seen), (number, (subject, candidate))| {
                let view = &views[candidate.file];
                let (_, visible) = match seen.take() {
                    Some((file, visible)) if file == candidate.file => seen.insert((file, visible)),
                    _ => seen.insert((candidate.file, sight.inventory(view))),
                };
                let mut inventory = sight.inventory_of(view, visible, candidate).value();
                if let Some(files) = &from_files
                    && let Ok(fields) = inventory.as_object_mut()
                {
                    fields.insert("live".into(), true.into());
                    fields.insert("files".into(), files.clone());
                }
                let surroundings =
                    Surroundings { inventory, configuration: configurations[*number].clone(), now: run.now.clone() };
                let document = &all[subject.document];
                let written = written_as(subject.document, &documents);
                let review = surroundings.of(request(subject, document, written, former));
                let judged = engine.judge_recognised(&review);
                progress.step();
                let (recognised, findings) = judged?;
                let picture = match draws && recognised && is_cluster(subject) {
                    true => pictures::of(engine, &review, &document.value),
                    false => Ok(None),
                };
                Ok::<_, EvaluationError>((recognised, findings, picture))
            },
        )
        .collect();
    drop(progress);

    let mut clusters = 0;
    let mut drawn = Vec::new();
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let mut used: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); policies.all().len()];
    let mut judged: Vec<Vec<ResourceRef>> = vec![Vec::new(); policies.all().len()];
    let mut unclear = HashSet::new();
    let words = undecided::Words::new(all);
    for ((number, (subject, candidate)), verdict) in work.iter().zip(verdicts) {
        let policy = policy_of[*number];
        judged[policy].push(normal(subject.reference.clone()));
        let mut failed = |message: String| {
            let document = &all[subject.document];
            let start = document.locate(&[]);
            failures.push(Failure {
                file: document.source.name.clone(),
                position: Some((start.line, start.column)),
                message: format!("{}: {message}", title(&subject.reference)),
            });
        };
        match verdict {
            Ok((recognised, findings, picture)) => {
                clusters += usize::from(recognised && is_cluster(subject));
                match picture {
                    Ok(picture) => drawn.extend(picture.map(|picture| {
                        let (source, location) = origin(subject.document, &[], None, &documents);
                        let place = Place::Document { index: subject.document, source, location };
                        (subject.reference.clone(), place, picture)
                    })),
                    Err(error) => failed(pictures::failure(&error)),
                }
                if recognised {
                    unclear.extend(undecided::concerning(
                        subject.document,
                        &subject.reference,
                        &views[candidate.file],
                        &words,
                    ));
                }
                used[policy].extend(findings.iter().filter_map(|finding| finding.waived.as_ref()?.waiver));
                found.extend(findings.into_iter().map(|finding| (subject.document, finding)));
            }
            Err(error) => failed(error.to_string()),
        }
    }

    let place = |reviewed: usize, resource: &ResourceRef| {
        let view = views.get(all[reviewed].source.name.as_str());
        let known = view.and_then(|view| sight.document(view, resource));
        known.or_else(|| elsewhere.get(&normal(resource.clone())).copied())
    };
    let found = dispute::undisputed(found, all, &sight, &place, &mut unclear);
    notes.extend(undecided::note(&unclear));
    let mut patched = 0;
    let mut findings: Vec<Located> = Vec::new();
    for (reviewed, finding) in found {
        if !run.selection.contains(&finding.check) {
            continue;
        }
        match locate(reviewed, finding, &documents, &place) {
            Some(located) => findings.push(located),
            None => patched += 1,
        }
    }
    if patched > 0 {
        notes.push(format!(
            "{} left out: they rest on values that patches of kustomizations may change",
            walguard_report::counted(patched, "finding was", "findings were")
        ));
    }
    drop(views);
    let files = written(&documents, &failures, &only);
    let about = comments::apply(&mut findings, &files, run, policies, &mut engine)?;
    drop(files);
    findings.extend(about.into_iter().filter(|found| run.selection.contains(&found.finding.check)));
    for (number, policy) in policies.all().iter().enumerate() {
        let Some(read) = &policy.configuration else { continue };
        let usage = configuration::Run { judged: &judged[number], used: &used[number], complete: false };
        let request = configuration::review(&read.document.source.name, &read.value, Some(usage));
        let index = documents.all.len();
        let configuration = Some(walguard_engine::value(read.value.clone()));
        let about = about_configuration(&mut engine, request, &configuration, run)?;
        if about.is_empty() {
            continue;
        }
        for finding in about.into_iter().filter(|finding| run.selection.contains(&finding.check)) {
            let (source, location) = read.document.place(&finding.path, finding.line);
            findings.push(Located::new(finding, Place::Document { index, source, location }));
        }
        documents.all.push(read.document.clone());
    }

    findings.sort_by(|a, b| a.finding.order(&b.finding).then(a.place.order().cmp(&b.place.order())));
    // Two objects of one cluster may lead to one fault, and several overlays to the same line.
    let mut seen = HashSet::new();
    findings.retain(|found| {
        let Located { finding, place, .. } = found;
        let at = match place {
            Place::Document { source, location, .. } => (source.name.clone(), location.bytes.clone()),
            Place::Object(_) => (place.name(), 0..0),
        };
        seen.insert((at, finding.check.clone(), finding.path.clone(), finding.message.clone()))
    });

    let today = tables::day(run.now.as_deref());
    notes.extend(tables::aged(findings.iter().map(|found| &found.finding), &run.catalogue, &today));
    let summary = Summary { documents: count, clusters, ..Summary::default() };
    let report = Report::new(documents.all, None, findings, failures, summary);
    Ok(report.with(skipped, notes).partly(partial).drawn(drawn))
}

impl Documents {
    fn extend(&mut self, inputs: Vec<Input>) {
        for Input { document, origin, changed } in inputs {
            let index = self.all.len();
            self.all.push(document);
            self.origins.extend(origin.map(|origin| (index, origin)));
            if !changed.is_empty() {
                self.changed.insert(index, changed);
            }
        }
    }
}

/// The files that documents were written in, for their comments.
fn written<'a>(
    documents: &'a Documents,
    failures: &'a [Failure],
    only: &'a HashSet<String>,
) -> Vec<comments::File<'a>> {
    // Comments are rare, and a file may hold many documents.
    let mut known = HashMap::new();
    let mut marked =
        |source: &Arc<Source>| *known.entry(Arc::as_ptr(source)).or_insert_with(|| comments::may_be_in(source));
    let files = documents.all.iter().enumerate().flat_map(|(index, document)| {
        let mut written: Vec<(&Arc<Source>, &Document)> = match documents.origins.get(&index) {
            Some(Origin::Kustomize(origins, _)) => origins.iter().map(|origin| (&origin.source, origin)).collect(),
            Some(Origin::Chart(sources)) => sources.iter().map(|source| (source, document)).collect(),
            Some(Origin::Release(release, _)) => vec![(&release.source, &**release)],
            None => document.sources().into_iter().map(|source| (source, document)).collect(),
        };
        written.retain(|(source, _)| marked(source));
        let of_a_template = matches!(documents.origins.get(&index), Some(Origin::Chart(_)));
        let line = move |document: &Document| if of_a_template { 1 } else { document.locate(&[]).line };
        written.into_iter().map(move |(source, document)| comments::File {
            source,
            objects: vec![comments::Object {
                line: line(document),
                document: index,
                resource: reference(&document.value),
            }],
            whole: index >= documents.first
                && (only.is_empty() || only.contains(&document.source.name))
                && failures.iter().all(|failure| failure.file != source.name),
        })
    });
    comments::File::merged(files)
}

/// What a configuration says of itself: waivers that have expired or cover nothing.
fn about_configuration(
    engine: &mut Engine,
    request: Value,
    configuration: &Option<Value>,
    run: &Run,
) -> anyhow::Result<Vec<Finding>> {
    let surroundings = Surroundings {
        inventory: Inventory::new(false).value(),
        configuration: configuration.clone(),
        now: run.now.clone(),
    };
    Ok(engine.judge(&surroundings.of(request))?)
}

/// What everybody sees besides the files of the run: a live cluster, and files that are only looked up. Of two of those that define an
/// object differently neither is believed; those are the third.
fn surroundings(
    mut inventory: Inventory,
    looked_up: &[&Subject<'_>],
    documents: &[Document],
) -> (Inventory, HashMap<ResourceRef, usize>, BTreeMap<ResourceRef, BTreeSet<String>>) {
    let mut known: HashMap<ResourceRef, Vec<&Subject<'_>>> = HashMap::new();
    for subject in looked_up {
        known.entry(normal(subject.reference.clone())).or_default().push(subject);
    }
    let mut places = HashMap::new();
    let mut unsettled = BTreeMap::new();
    for (reference, same) in known {
        let first = &documents[same[0].document].value;
        if same.iter().all(|other| documents[other.document].value == *first) {
            inventory.insert(first, &same[0].value);
            places.insert(reference, same[0].document);
        } else if !sight::is_repeated(&reference.kind) {
            let files = same.iter().map(|subject| documents[subject.document].source.name.clone());
            unsettled.insert(reference, files.collect());
        }
    }
    (inventory, places, unsettled)
}

/// In the layout of the inventory, `true` for every object that a file defines and no API server has vouched for.
fn files(subjects: &[Subject<'_>], documents: &[Document]) -> Value {
    fn enter<'m>(map: &'m mut Map<String, Json>, key: &str) -> Option<&'m mut Map<String, Json>> {
        map.entry(key).or_insert_with(|| json!({})).as_object_mut()
    }
    let mut root = Map::new();
    for subject in subjects {
        let ResourceRef { api_version, kind, name, .. } = &subject.reference;
        let namespace = documents[subject.document].value.pointer("/metadata/namespace").and_then(Json::as_str);
        let mut homes = vec![vec!["namespace", namespace.unwrap_or("default")]];
        if namespace.is_none() {
            homes.push(vec!["cluster"]);
        }
        for home in homes {
            let mut place = Some(&mut root);
            for key in home.into_iter().chain([api_version.as_str(), kind.as_str()]) {
                place = place.and_then(|place| enter(place, key));
            }
            if let Some(place) = place {
                place.insert(name.clone(), true.into());
            }
        }
    }
    walguard_engine::value(root.into())
}

/// Whether some operator's rules judge a document, by its kind and by the words in it.
fn is_judged(subject: &Subject<'_>, document: &Document) -> bool {
    concerns(&subject.kinds, document)
}

fn is_cluster(subject: &Subject<'_>) -> bool {
    subject.kinds.iter().any(|kind| kind.role == Role::Cluster)
}

fn concerns(kinds: &[&Kind], document: &Document) -> bool {
    let mut kinds = kinds.iter().filter(|kind| kind.judged()).peekable();
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

/// Whether some operator's rules judge a document.
pub fn concerns_rules(document: &Document, run: &Run) -> bool {
    let reference = reference(&document.value);
    let kinds: Vec<&Kind> = run.catalogue.kinds_of(&reference.api_version, &reference.kind).collect();
    concerns(&kinds, document)
}

fn request(
    subject: &Subject<'_>,
    document: &Document,
    written: Option<&[Arc<Source>]>,
    former: Option<&Former>,
) -> Value {
    let mut request = judgement::request(&subject.value);
    let Ok(fields) = request.as_object_mut() else { return request };
    if !document.notices.is_empty() {
        fields.insert("notices".into(), walguard_engine::value(notices(document, written)));
    }
    // Without an operation: it is a file all the same, and no API server vouches for what it says.
    if let Some(old) = former.and_then(|former| former.of(document)) {
        fields.insert("oldObject".into(), old);
    }
    request
}

/// What a document was rendered from, where that is a template.
fn written_as(index: usize, documents: &Documents) -> Option<&[Arc<Source>]> {
    match documents.origins.get(&index) {
        Some(Origin::Chart(written)) => Some(written),
        _ => None,
    }
}

/// What was noticed in the text, as `walguard.lib.k8s` reads it: with lines of the template, where it was rendered from one that shows them.
fn notices(document: &Document, written: Option<&[Arc<Source>]>) -> Json {
    let notice = |notice: &Notice| {
        let (by, path) = match notice {
            Notice::DuplicateKey { path, .. } => ("key", path),
            Notice::MergeReplacesKey { path, .. } => ("merge", path),
        };
        let of_template = written.and_then(|written| helm::template_lines(&document.source, notice, written));
        let (first, second) = of_template.unwrap_or_else(|| helm::lines(notice));
        json!({"by": by, "path": path, "first_line": first, "second_line": second})
    };
    document.notices.iter().map(notice).collect()
}

/// Says in a message which lines of a rendered text are none of the template.
fn name_rendered_lines(message: &mut String, document: &Document, written: &[Arc<Source>]) {
    for notice in &document.notices {
        if helm::template_lines(&document.source, notice, written).is_none() {
            let (first, second) = helm::lines(notice);
            let lines = format!("on lines {first} and {second}:");
            *message = message.replace(&lines, &format!("{} of what helm renders:", lines.trim_end_matches(':')));
        }
    }
}

fn subject<'a>(index: usize, document: &Document, run: &'a Run) -> Option<Subject<'a>> {
    let reference = reference(&document.value);
    let kinds: Vec<&Kind> = run.catalogue.kinds_of(&reference.api_version, &reference.kind).collect();
    let value = || walguard_engine::value(document.value.clone());
    (!kinds.is_empty()).then(|| Subject { document: index, kinds, reference, value: value() })
}

/// Finds where the cause of a finding is written: in the document that was reviewed or in another one of the run. `None` where a patch
/// that was not applied may change it.
fn locate(
    reviewed: usize,
    mut finding: Finding,
    documents: &Documents,
    place: &dyn Fn(usize, &ResourceRef) -> Option<usize>,
) -> Option<Located> {
    let own = normal(reference(&documents.all[reviewed].value)) == normal(finding.resource.clone());
    let other = if own { None } else { place(reviewed, &finding.resource) };
    let (index, path, line) = match other {
        Some(other) => (other, finding.path.as_slice(), finding.line),
        None if own => (reviewed, finding.path.as_slice(), finding.line),
        // About an object that is not among the files: only the object that led to it can be shown.
        None => (reviewed, [].as_slice(), None),
    };
    let changed = documents.changed.get(&index);
    if changed.into_iter().flatten().any(|changed| kustomize::touches(path, changed)) {
        return None;
    }
    let (source, location) = origin(index, path, line, documents);
    if let Some(written) = written_as(reviewed, documents).filter(|_| finding.check == TWICE) {
        name_rendered_lines(&mut finding.message, &documents.all[reviewed], written);
    }
    let related = finding.related.iter().filter_map(|other| beside(reviewed, other, documents, place)).collect();
    Some(Located { finding, place: Place::Document { index, source, location }, related })
}

/// Where another place that a finding speaks of is written; `None` where it is not.
fn beside(
    reviewed: usize,
    related: &Related,
    documents: &Documents,
    place: &dyn Fn(usize, &ResourceRef) -> Option<usize>,
) -> Option<Beside> {
    let index = match &related.resource {
        Some(resource) => place(reviewed, resource)?,
        None => reviewed,
    };
    let (source, location) = origin(index, &related.path, None, documents);
    location.exact.then(|| Beside { source, location, message: related.message.clone() })
}

/// Where a place of a document was written: in its own file, or in what it was rendered from.
fn origin(index: usize, path: &[PathSegment], line: Option<u32>, documents: &Documents) -> (Arc<Source>, Location) {
    let document = &documents.all[index];
    match documents.origins.get(&index) {
        // What comes from outside of the files that were given has its place where the overlay begins; lines of what was rendered are nobody's.
        Some(Origin::Kustomize(origins, root)) => match kustomize::origin(document, path, origins) {
            Some(origin) => origin.place(path, line),
            None => root.place(&[], None),
        },
        Some(Origin::Chart(written)) => {
            let (rendered, location) = document.place(path, line);
            let origin = helm::origin(&rendered, &location, written, &document.notices);
            origin.unwrap_or((rendered, location))
        }
        Some(Origin::Release(release, paths)) => releases::place(release, &releases::origin(path, paths), line),
        None => document.place(path, line),
    }
}
