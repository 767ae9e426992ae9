//! Reads the files of a run.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use memchr::memmem::Finder;
use rayon::prelude::*;
use serde_json::Value as Json;
use walguard_engine::{Catalogue, PathSegment, Role};
use walguard_manifest::{self as manifest, Document, Reading, Source};
use walguard_report::{Failure, Reason, Skipped};

use crate::kustomize::{self, Kustomizations};
use crate::prefilter::Prefilter;
use crate::releases::{self, Moved};
use crate::server;
use crate::walk::{self, Charts, File, absolute};

/// The path that means standard input, and the name of what comes from there.
pub const STDIN_PATH: &str = "-";
const STDIN: &str = "<stdin>";

/// What came of reading files, in the order of their paths.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Of the kinds that are looked for.
    pub documents: Vec<Input>,
    /// How many documents there were, of every kind.
    pub count: usize,
    /// Configuration files of servers, unread.
    pub configurations: Vec<PathBuf>,
    /// The directories of the charts whose templates were passed over.
    pub charts: BTreeSet<PathBuf>,
    pub kustomizations: Kustomizations,
    /// Files Chart.yaml of charts without templates: what they depend on is all that they release.
    pub parents: Vec<PathBuf>,
    /// Documents without a kind that may be values of a chart.
    pub values: Vec<Document>,
    /// The directories of the manifests, absolute.
    pub directories: BTreeSet<PathBuf>,
    /// What is to be said of the run besides.
    pub notes: Vec<String>,
    /// There are clusters in what was not read.
    pub partial: bool,
    pub skipped: Vec<Skipped>,
    pub failures: Vec<Failure>,
    /// The files whose objects are judged; the others are only looked up. All of them where there are none.
    pub only: HashSet<String>,
}

/// A document, and what is known of it besides.
#[derive(Clone, Debug)]
pub struct Input {
    pub document: Document,
    /// What it was made from by another program.
    pub origin: Option<Origin>,
    /// What patches that were not applied may change in it.
    pub changed: Vec<Vec<PathSegment>>,
}

/// What a document was made from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Patches and resources of an overlay.
    Kustomize(Arc<Vec<Document>>, Arc<Document>),
    /// A template, and the values of its chart.
    Chart(Arc<Vec<Arc<Source>>>),
    /// Values in an object that releases a chart.
    Release(Arc<Document>, Vec<Moved>),
}

/// What is looked for in files.
pub struct Wanted {
    prefilter: Prefilter,
    kinds: BTreeSet<String>,
    /// The API groups of the operators' clusters.
    groups: Vec<Finder<'static>>,
    /// Their groups and kinds.
    clusters: BTreeSet<(String, String)>,
    /// The groups and kinds of all that the rules judge, and look into where it holds other objects.
    judged: BTreeSet<(String, String)>,
}

impl Wanted {
    pub fn new(catalogue: &Catalogue) -> Self {
        let kinds: BTreeSet<String> =
            catalogue.kinds.iter().map(|kind| kind.kind.clone()).chain(releases::KINDS.map(str::to_owned)).collect();
        let operators = catalogue.kinds.iter().filter(|kind| kind.judged() && kind.contains.is_empty());
        let operators: Vec<_> = operators.collect();
        let clusters = operators
            .iter()
            .filter(|kind| kind.role == Role::Cluster && kind.group.contains('.'))
            .map(|kind| (kind.group.clone(), kind.kind.clone()))
            .collect();
        let groups: BTreeSet<&str> = operators
            .iter()
            .map(|kind| &*kind.group)
            .filter(|group| group.contains('.') && !group.ends_with(".k8s.io"))
            .collect();
        let groups = groups.into_iter().map(|group| Finder::new(group).into_owned()).collect();
        let judged = catalogue.kinds.iter().filter(|kind| kind.judged());
        let judged = judged.map(|kind| (kind.group.clone(), kind.kind.clone())).collect();
        Self { prefilter: Prefilter::new(kinds.iter().map(String::as_str)), kinds, groups, clusters, judged }
    }

    /// Whether the text of a program names the API group of an operator.
    fn writes_clusters(&self, path: &Path) -> bool {
        fs::read(path).is_ok_and(|bytes| self.groups.iter().any(|group| group.find(&bytes).is_some()))
    }

    /// Clusters that another object holds, which something creates from it: objects in the values of a chart. Kinds that the rules judge
    /// they look into themselves.
    fn embedded(&self, document: &Document) -> Vec<Input> {
        let text = |key: &str| document.value.get(key).and_then(Json::as_str).unwrap_or_default();
        let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
        let kind = text("kind");
        if self.judged.contains(&(group.to_owned(), kind.to_owned())) {
            return Vec::new();
        }
        let carries = releases::CARRIERS.contains(&kind);
        let mut found = Vec::new();
        let mut path = Vec::new();
        for (segment, value) in steps(&document.value) {
            // kubectl takes every object with items for a list.
            if carries || segment == PathSegment::Key("items".to_owned()) {
                path.push(segment);
                self.search(value, &mut path, &mut found);
                path.pop();
            }
        }
        if found.is_empty() {
            return Vec::new();
        }
        let whole = Arc::new(document.clone());
        let input = |(object, at): (Json, Vec<PathSegment>)| Input {
            document: Document::packed(object, Arc::clone(&document.source), Vec::new()),
            origin: Some(Origin::Release(Arc::clone(&whole), vec![Moved::whole(at)])),
            changed: Vec::new(),
        };
        found.into_iter().map(input).collect()
    }

    fn search(&self, value: &Json, path: &mut Vec<PathSegment>, found: &mut Vec<(Json, Vec<PathSegment>)>) {
        if self.is_cluster(value) {
            found.push((value.clone(), path.clone()));
            return;
        }
        for (segment, value) in steps(value) {
            path.push(segment);
            self.search(value, path, found);
            path.pop();
        }
    }

    fn is_cluster(&self, value: &Json) -> bool {
        let text = |key: &str| value.get(key).and_then(Json::as_str);
        let (Some(version), Some(kind)) = (text("apiVersion"), text("kind")) else { return false };
        let group = version.split('/').next().unwrap_or_default();
        value.get("spec").is_some_and(Json::is_object) && self.clusters.contains(&(group.to_owned(), kind.to_owned()))
    }

    fn holds(&self, document: &Document) -> bool {
        document.value.get("kind").and_then(|kind| kind.as_str()).is_some_and(|kind| self.kinds.contains(kind))
    }
}

/// The members of a map or a list, each with the step that leads to it.
fn steps(value: &Json) -> Box<dyn Iterator<Item = (PathSegment, &Json)> + '_> {
    match value {
        Json::Object(map) => Box::new(map.iter().map(|(key, value)| (PathSegment::Key(key.clone()), value))),
        Json::Array(list) => Box::new(list.iter().enumerate().map(|(index, value)| (PathSegment::Index(index), value))),
        _ => Box::new(std::iter::empty()),
    }
}

/// Reads files that were found.
pub fn read(found: walk::Found, wanted: &Wanted) -> Inputs {
    let walk::Found { files, programs, skipped, failures, .. } = found;
    let mut inputs = Inputs { skipped, failures, ..Inputs::default() };
    let mut charts = Charts::default();
    let (configurations, files): (Vec<File>, Vec<File>) =
        files.into_iter().partition(|file| server::is_configuration(&file.path));
    inputs.skipped.extend(
        programs
            .into_iter()
            .filter(|path| charts.of(path).is_none() && wanted.writes_clusters(path))
            .map(|path| Skipped { reason: Reason::Program, path: shown(&path) }),
    );
    inputs.partial = inputs.skipped.iter().any(|skipped| skipped.reason == Reason::Program);
    inputs.configurations = configurations.into_iter().map(|file| file.path).collect();
    let mut manifests = Vec::new();
    for file in files {
        match charts.of(&file.path) {
            Some(chart) if !file.named => drop(inputs.charts.insert(chart)),
            _ => {
                if walk::is_parent_chart(&file.path) {
                    inputs.parents.push(file.path.clone());
                }
                manifests.push(file);
            }
        }
    }
    inputs.kustomizations = Kustomizations::around(manifests.iter().map(|file| file.path.as_path()));
    inputs.directories =
        manifests.iter().filter_map(|file| absolute(&file.path).parent().map(Path::to_path_buf)).collect();
    manifests.retain(|file| {
        let reason = if inputs.kustomizations.is_patch(&file.path) {
            Reason::Patch
        } else if is_expectation(&file.path) {
            Reason::Expectation
        } else {
            return true;
        };
        inputs.skipped.push(Skipped { reason, path: shown(&file.path) });
        false
    });
    let all: Vec<_> = manifests.par_iter().map(|file| read_file(file, wanted)).collect();
    for (file, read) in manifests.iter().zip(all) {
        match read {
            Ok(read) if !file.named && !read.documents.is_empty() && inputs.kustomizations.leave_out(&file.path) => {
                inputs.count += read.count;
                inputs.skipped.push(Skipped { reason: Reason::Unlisted, path: shown(&file.path) });
            }
            Ok(mut read) => {
                inputs.count += read.count;
                if inputs.kustomizations.takes(&file.path) {
                    read.documents.iter_mut().for_each(kustomize::keep_words);
                }
                let plain = |document| Input { document, origin: None, changed: Vec::new() };
                inputs.documents.extend(read.documents.into_iter().map(plain));
                inputs.documents.extend(read.embedded);
                if !walk::belongs_to_chart(&file.path) {
                    inputs.values.extend(read.values);
                }
                inputs.failures.extend(read.failures);
                inputs.skipped.extend(read.skipped);
            }
            Err(failure) => inputs.failures.push(failure),
        }
    }
    inputs
}

/// What came of reading one file.
#[derive(Default)]
struct Read {
    documents: Vec<Document>,
    /// What other documents hold.
    embedded: Vec<Input>,
    /// Without a kind.
    values: Vec<Document>,
    count: usize,
    failures: Vec<Failure>,
    skipped: Option<Skipped>,
}

fn read_file(file: &File, wanted: &Wanted) -> Result<Read, Failure> {
    let is_stdin = file.path == Path::new(STDIN_PATH);
    let name = name(&file.path);
    let bytes = if let Some(text) = &file.text {
        Ok(text.clone().into_bytes())
    } else if is_stdin {
        standard_input()
    } else {
        regular(&file.path).and_then(|()| fs::read(&file.path))
    };
    let bytes = bytes.map_err(|error| Failure::new(name.clone(), error.to_string()))?;
    if !file.named && !wanted.prefilter.admits(&bytes) && !releases::may_hold_values(&bytes) {
        return Ok(Read { count: manifest::count(&bytes), ..Read::default() });
    }
    let reading = manifest::read(name.clone(), bytes);
    Ok(sorted(file, is_stdin, name, reading, wanted))
}

/// What comes from standard input. It comes once, and a run may lint several times.
fn standard_input() -> io::Result<Vec<u8>> {
    static READ: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(bytes) = READ.get() {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(READ.get_or_init(|| bytes).clone())
}

/// Says which errors are errors.
fn sorted(file: &File, is_stdin: bool, name: String, reading: Reading, wanted: &Wanted) -> Read {
    let Reading { mut documents, errors, source } = reading;
    let text = source.as_ref().map_or("", |source| source.text.as_str());
    let count = documents.len();
    let embedded = documents.iter().flat_map(|document| wanted.embedded(document)).collect();
    let of_chart =
        |document: &&Document| releases::may_be_values(document) && releases::may_hold_values(text.as_bytes());
    let values = documents.iter().filter(of_chart).cloned().collect();
    documents.retain(|document| wanted.holds(document));
    let mut read = Read { documents, embedded, values, count, ..Read::default() };
    if errors.is_empty() {
        return read;
    }
    let reason = if is_stdin {
        None
    } else if is_template(text) {
        Some(Reason::Template)
    } else if !file.named && !looks_like_manifest(text) {
        Some(Reason::NoManifest)
    } else {
        None
    };
    match reason {
        Some(reason) => read.skipped = Some(Skipped { reason, path: name }),
        None => read.failures = errors.into_iter().map(Failure::from).collect(),
    }
    read
}

/// What a test of kuttl (`01-assert.yaml`) or Chainsaw (`assert.yaml` beside `chainsaw-test.yaml`) compares with the cluster, or must not
/// find there: parts of objects, which nobody applies.
fn is_expectation(path: &Path) -> bool {
    let says_so = |word: &&str| ["assert", "error", "errors"].contains(word);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = stem.split(['-', '_']).collect();
    let numbered = words.len() > 1 && words[0].bytes().all(|byte| byte.is_ascii_digit()) && !words[0].is_empty();
    if numbered && words.last().is_some_and(says_so) {
        return true;
    }
    words.iter().any(says_so)
        && ["chainsaw-test.yaml", "chainsaw-test.yml"].iter().any(|test| path.with_file_name(test).is_file())
}

/// Neither a pipe nor a device, which might never end.
pub fn regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("this is not a regular file")),
    }
}

/// What another program fills in: Go templates and Helm, Jinja, ERB.
fn is_template(text: &str) -> bool {
    ["{{", "{%", "<%"].iter().any(|opening| text.contains(opening))
}

/// Whether somebody meant this to be a Kubernetes object.
fn looks_like_manifest(text: &str) -> bool {
    let has = |key: &str| {
        // In flow style several keys stand on a line.
        text.split(['\n', '{', ',']).any(|line| {
            let line = line.trim_start_matches([' ', '\t', '-', '"', '\'', '\u{FEFF}']);
            line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
        })
    };
    has("apiVersion") && has("kind")
}

/// What a file is called in a report.
pub fn name(path: &Path) -> String {
    if path == Path::new(STDIN_PATH) { STDIN.to_owned() } else { shown(path) }
}

/// The name of a file as it is printed: on one line, whatever it is called.
pub fn shown(path: &Path) -> String {
    let name = path.display().to_string();
    match name.contains(char::is_control) {
        true => {
            name.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
        }
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_known_by_its_two_keys() {
        assert!(looks_like_manifest("apiVersion: v1\nkind: X\na: [\n"));
        assert!(looks_like_manifest("# x\n{\"apiVersion\": \"v1\",\n \"kind\": \"X\","));
        assert!(looks_like_manifest("{\"apiVersion\": \"v1\", \"kind\": \"X\", \"a\": ]"));
        assert!(looks_like_manifest("items:\n- apiVersion: v1\n  kind: X\n"));
        assert!(!looks_like_manifest("a: [\n"));
        assert!(!looks_like_manifest("apiVersions: x\nkind: y\n"));
    }

    #[test]
    fn a_name_is_printed_on_one_line() {
        assert_eq!(shown(Path::new("a\n::error::b")), "a\\n::error::b");
        assert_eq!(shown(Path::new("größe/a b.yaml")), "größe/a b.yaml");
    }
}
