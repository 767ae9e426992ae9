//! Objects that carry values of charts: Flux's HelmRelease and ResourceSet, Argo CD's Application and ApplicationSet, patches in Flux's
//! Kustomization; kustomizations and charts that release other charts, with the files of values that lie beside them; and such files by
//! themselves. Which charts run PostgreSQL, and whose values a file holds, is the rules' to know.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard_engine::PathSegment;
use walguard_manifest::{self as manifest, Document, Location, Reading, Source};
use walguard_report::counted;

use crate::inputs::{Input, Inputs, Origin, regular, shown};
use crate::options::Run;
use crate::walk::has_manifest_name;
use crate::{judgement, server};

/// The kinds that may carry values or patches.
pub const KINDS: [&str; 6] =
    ["HelmRelease", "HelmChart", "Application", "ApplicationSet", "ResourceSet", "Kustomization"];
/// The kinds that hold other objects as somebody will create them and that the rules do not look into: values of charts with objects of one's own.
pub const CARRIERS: [&str; 2] = ["Application", "HelmRelease"];
/// The package of the rules that knows charts.
const PACKAGE: &str = "walguard.charts";

/// Words of which values of PostgreSQL have one.
const WORDS: [&str; 2] = ["postgres", "readReplicas"];

/// Whether a file may hold values of a chart that runs PostgreSQL.
pub fn may_hold_values(bytes: &[u8]) -> bool {
    WORDS.iter().any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
}

/// Whether a document may be values of a chart: a map that is no object of Kubernetes.
pub fn may_be_values(document: &Document) -> bool {
    document.value.as_object().is_some_and(|map| !map.contains_key("kind") && !map.contains_key("apiVersion"))
}

/// What the rules say of such an object.
#[derive(Debug, Deserialize)]
struct Unread {
    /// `HelmRelease`, as it is counted.
    kind: String,
    /// What of it was not read: `Values of the chart postgresql`.
    what: String,
}

/// Whether the rules have to be asked about a document.
fn is_one(document: &Document) -> bool {
    let text = |pointer: &str| document.value.pointer(pointer).and_then(|value| value.as_str()).unwrap_or_default();
    let group = text("/apiVersion").split('/').next().unwrap_or_default();
    KINDS.contains(&text("/kind"))
        && (group.ends_with(".fluxcd.io")
            || group.ends_with(".controlplane.io")
            || group == "argoproj.io"
            || group == "helm.cattle.io")
}

/// An object that a chart renders to, by its adapter.
#[derive(Debug, Deserialize)]
struct Rendered {
    object: Json,
    paths: Vec<Moved>,
    /// The file beside the release that the paths lead into.
    file: Option<String>,
}

/// What stands below `from` in the object was written below `to` in the values.
#[derive(Clone, Debug, Deserialize)]
pub struct Moved {
    from: Vec<PathSegment>,
    to: Vec<PathSegment>,
}

impl Moved {
    /// All of an object, which was written at a path of another one.
    pub fn whole(to: Vec<PathSegment>) -> Self {
        Self { from: Vec::new(), to }
    }
}

/// Where something at a path of the object was written in the release.
pub fn origin(path: &[PathSegment], paths: &[Moved]) -> Vec<PathSegment> {
    let nearest = paths.iter().filter(|moved| path.starts_with(&moved.from)).max_by_key(|moved| moved.from.len());
    nearest.map_or_else(Vec::new, |moved| [&moved.to, &path[moved.from.len()..]].concat())
}

/// Where a path of a release stands: in the values, and where those are written as a text, in its line. `line`: of the text at the path.
pub fn place(release: &Document, path: &[PathSegment], line: Option<u32>) -> (Arc<Source>, Location) {
    let mut value = &release.value;
    for (depth, segment) in path.iter().enumerate() {
        if let Some(text) = value.as_str() {
            let inner = values_in(text).map_or(1, |values| values.place(&path[depth..], line).1.line);
            return release.place(&path[..depth], Some(inner));
        }
        let Some(next) = segment.step(value) else { return release.place(path, None) };
        value = next;
    }
    release.place(path, line.filter(|_| value.is_string()))
}

/// Values of a chart that are written as a text.
fn values_in(text: &str) -> Option<Document> {
    let Reading { mut documents, errors, .. } = manifest::read("values", text.as_bytes().to_vec());
    let one = documents.len() == 1 && errors.is_empty() && documents[0].value.is_object();
    one.then(|| documents.remove(0))
}

/// An object as the rules read it: with the values that Argo CD and k3s take as a text as what they say. A text that is none stays one.
fn as_read(object: &Json) -> Json {
    let mut object = object.clone();
    if let Some(values) = object.pointer_mut("/spec/valuesContent")
        && let Some(read) = values.as_str().and_then(values_in)
    {
        *values = read.value;
    }
    let application = match object.pointer("/spec/template/spec") {
        Some(_) => "/spec/template/spec",
        None => "/spec",
    };
    let Some(spec) = object.pointer_mut(application).and_then(Json::as_object_mut) else { return object };
    let (mut one, mut several) = (None, None);
    for (key, value) in spec.iter_mut() {
        match key.as_str() {
            "source" => one = Some(value),
            "sources" => several = value.as_array_mut(),
            _ => {}
        }
    }
    for source in one.into_iter().chain(several.into_iter().flatten()) {
        if let Some(values) = source.pointer_mut("/helm/values")
            && let Some(read) = values.as_str().and_then(values_in)
        {
            *values = read.value;
        }
    }
    object
}

/// Objects and files that release charts; last those that may be nothing but values.
fn releasing(inputs: &Inputs) -> Vec<Document> {
    let of_objects = inputs.documents.iter().map(|input| &input.document).filter(|document| is_one(document)).cloned();
    let own = |directory: &Path| inputs.directories.contains(directory);
    let of_kustomizations: Vec<Document> = inputs.kustomizations.with_charts(&own).cloned().collect();
    // A kustomization need not say what it is.
    let kustomizations: BTreeSet<_> = of_kustomizations.iter().map(|document| document.source.name.clone()).collect();
    let values = inputs.values.iter().filter(|document| !kustomizations.contains(&document.source.name)).cloned();
    // What cannot be read is no chart, and no manifest either.
    let of_charts = inputs.parents.iter().filter_map(|path| {
        regular(path).ok()?;
        let mut documents = manifest::read(shown(path), fs::read(path).ok()?).documents;
        documents.retain(|document| document.value.get("dependencies").is_some());
        documents.into_iter().next()
    });
    of_objects.chain(of_kustomizations).chain(of_charts).chain(values).collect()
}

/// The files of values beside a release, by the names that the rules ask for. What is no file of one map there is left out.
fn beside(release: &Document, names: &[String]) -> BTreeMap<String, (Document, bool)> {
    let directory = Path::new(&*release.source.name).parent().unwrap_or(Path::new(""));
    let read = |name: &String| {
        let path = directory.join(name);
        regular(&path).ok()?;
        let Reading { mut documents, errors, .. } = manifest::read(shown(&path), fs::read(&path).ok()?);
        let one = documents.len() == 1 && errors.is_empty() && documents[0].value.is_object();
        one.then(|| (name.clone(), (documents.remove(0), is_alone(&path))))
    };
    names.iter().filter_map(read).collect()
}

/// Whether no other file with values lies in the directory of one.
fn is_alone(path: &Path) -> bool {
    let Some(directory) = path.parent() else { return false };
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let Ok(entries) = fs::read_dir(directory) else { return false };
    let other = |name: &std::ffi::OsStr| {
        Some(name) != path.file_name()
            && has_manifest_name(Path::new(name))
            && name.to_string_lossy().to_ascii_lowercase().contains("values")
    };
    !entries.flatten().any(|entry| other(&entry.file_name()))
}

/// Adds what releases render to, as far as the rules read their charts, and notes what was not read: one line for each chart.
///
/// # Errors
/// When the rules cannot be asked.
pub fn read(inputs: &mut Inputs, run: &Run) -> anyhow::Result<()> {
    let documents = releasing(inputs);
    if documents.is_empty() {
        return Ok(());
    }
    let mut engine = judgement::engine(&run.rules)?;
    let mut unread = Vec::new();
    // Values that a release has read are not read again by themselves.
    let mut taken = BTreeSet::new();
    for document in &documents {
        if taken.contains(&document.source.name) {
            continue;
        }
        let mut review = json!({"review": {"object": as_read(&document.value)}});
        let names: Vec<String> = server::ask(&mut engine, PACKAGE, "beside", review.clone())?;
        let beside = beside(document, &names);
        if !beside.is_empty() {
            let files = beside
                .iter()
                .map(|(name, (file, alone))| (name.clone(), json!({"values": file.value, "alone": alone})));
            review["review"]["beside"] = Json::Object(files.collect());
        }
        taken.extend(beside.values().map(|(file, _)| file.source.name.clone()));
        let all: Vec<Unread> = server::ask(&mut engine, PACKAGE, "unread", review.clone())?;
        unread.extend(all.into_iter().map(|one| (one, document)));
        let all: Vec<Rendered> = server::ask(&mut engine, PACKAGE, "rendered", review)?;
        let release = Arc::new(document.clone());
        let files: BTreeMap<String, Arc<Document>> =
            beside.into_iter().map(|(name, (file, _))| (name, Arc::new(file))).collect();
        inputs.documents.extend(all.into_iter().map(|Rendered { object, paths, file }| {
            let written = file.and_then(|name| files.get(&name)).unwrap_or(&release);
            Input {
                document: Document::packed(object, Arc::clone(&written.source), Vec::new()),
                origin: Some(Origin::Release(Arc::clone(written), paths)),
                changed: Vec::new(),
            }
        }));
    }
    inputs.partial |= !unread.is_empty();
    inputs.notes.extend(notes(unread));
    Ok(())
}

/// One line for each chart that was not read.
fn notes(all: Vec<(Unread, &Document)>) -> Vec<String> {
    const NAMED: usize = 3;
    let mut unread: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (Unread { kind, what }, document) in all {
        let name = format!("{}:{}", document.source.name, document.locate(&[]).line);
        unread.entry((kind, what)).or_default().push(name);
    }
    let note = |((kind, what), places): ((String, String), Vec<String>)| {
        let more = if places.len() > NAMED { ", …" } else { "" };
        format!(
            "{what} of {} were not read: {}{more}",
            counted(places.len(), &kind, &format!("{kind}s")),
            places[..places.len().min(NAMED)].join(", ")
        )
    };
    unread.into_iter().map(note).collect()
}
