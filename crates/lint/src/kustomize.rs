//! Kustomizations: which files are only parts of one, what their patches change, and what they render to.
//!
//! With `kustomize` or `kubectl` at hand an overlay is judged as it is rendered. Without, its bases are judged as they are written, and
//! what a patch may change in them is unknown. What is fetched from elsewhere is never rendered: a linter opens no connections.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value as Json;
use walguard_engine::{PathSegment, keys, value_at, value_at_mut};
use walguard_manifest::{self as manifest, Document};

use crate::program;
use crate::walk::{absolute, tidy};

/// The names that kustomize looks for.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/// How far above a file the kustomization that names it may lie.
const LEVELS: usize = 4;
/// Stands for a value that a patch may change. The rules take it as they take any placeholder: as unknown.
const PATCHED: &str = "${PATCHED}";
/// Programs that render, with the arguments before the directory.
const PROGRAMS: [(&str, &[&str]); 2] = [("kustomize", &["build"]), ("kubectl", &["kustomize"])];
/// Fields that lead to files, beside lists of them.
const FILES: [&str; 9] = [
    "resources",
    "bases",
    "components",
    "crds",
    "configurations",
    "transformers",
    "generators",
    "validators",
    "patchesStrategicMerge",
];

/// The kustomizations in and around the files of a run, by directory.
#[derive(Clone, Debug, Default)]
pub struct Kustomizations {
    all: BTreeMap<PathBuf, Kustomization>,
    patches: HashSet<PathBuf>,
    resources: HashSet<PathBuf>,
    /// Files and directories that one of them names for whatever it is.
    listed: HashSet<PathBuf>,
}

#[derive(Clone, Debug)]
struct Kustomization {
    /// As it is printed.
    file: PathBuf,
    document: Document,
}

impl Kustomization {
    fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        self.document.value.get(key).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
    }

    fn entries(&self, key: &str) -> impl Iterator<Item = &Json> {
        self.document.value.get(key).and_then(Json::as_array).into_iter().flatten()
    }

    /// The files and directories that it is made of.
    fn parts(&self) -> impl Iterator<Item = &str> {
        ["resources", "bases", "components"].into_iter().flat_map(|key| self.texts(key))
    }

    fn is_component(&self) -> bool {
        self.document.value.get("kind").and_then(Json::as_str) == Some("Component")
    }

    /// Files with patches, and those that say where values go.
    fn patch_files(&self) -> impl Iterator<Item = &str> {
        let paths = ["patches", "patchesJson6902", "replacements"]
            .into_iter()
            .flat_map(|key| self.entries(key).filter_map(|entry| entry.get("path").and_then(Json::as_str)));
        paths.chain(self.texts("patchesStrategicMerge").filter(|text| !text.contains('\n')))
    }

    fn generators(&self) -> impl Iterator<Item = &Json> {
        ["configMapGenerator", "secretGenerator"].into_iter().flat_map(|key| self.entries(key))
    }

    /// What generators read: FILE or KEY=FILE.
    fn read(&self) -> impl Iterator<Item = &str> {
        self.generators()
            .flat_map(|generator| ["files", "envs"].into_iter().filter_map(|key| generator.get(key)))
            .filter_map(Json::as_array)
            .flatten()
            .filter_map(Json::as_str)
    }

    /// Whether it is made of anything.
    fn makes_objects(&self) -> bool {
        self.parts().chain(self.texts("generators")).next().is_some() || self.generators().next().is_some()
    }

    /// Values of charts that it releases.
    fn values_files(&self) -> impl Iterator<Item = &str> {
        let one = |chart| Json::get(chart, "valuesFile").into_iter();
        let more = |chart| Json::get(chart, "additionalValuesFiles").and_then(Json::as_array).into_iter().flatten();
        self.entries("helmCharts").flat_map(move |chart| one(chart).chain(more(chart))).filter_map(Json::as_str)
    }

    /// What it names that may be a file: parts, patches, values, and what generators read.
    fn files(&self) -> impl Iterator<Item = &str> {
        let lists = FILES.iter().flat_map(|key| self.texts(key));
        lists.chain(self.patch_files()).chain(self.values_files()).chain(self.read())
    }

    /// Names something that would have to be fetched, or a chart that would have to be rendered.
    fn is_remote(&self) -> bool {
        let value = &self.document.value;
        value.get("helmCharts").is_some()
            || value.get("helmChartInflationGenerator").is_some()
            || self.files().any(is_remote)
    }
}

fn is_remote(path: &str) -> bool {
    path.contains("://") || path.contains("?ref=") || path.starts_with("git@") || path.starts_with("github.com/")
}

/// An overlay that was rendered.
#[derive(Debug)]
pub struct Rendered {
    pub documents: Vec<Document>,
    /// What it was made of: patches first.
    pub origins: Vec<Document>,
    /// Its kustomization.
    pub root: Document,
    /// The files of its resources, absolute; they are judged as a part of it.
    pub files: HashSet<PathBuf>,
}

/// What came of rendering.
#[derive(Debug, Default)]
pub struct Rendering {
    pub rendered: Vec<Rendered>,
    /// The files of resources of the kustomizations that were not rendered.
    pub unrendered: HashSet<PathBuf>,
    /// The files of the kustomizations that were not rendered, with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

impl Kustomizations {
    /// Those that lie with some files or above them, and those that they are made of, wherever these lie.
    pub fn around<'a>(files: impl Iterator<Item = &'a Path>) -> Self {
        let mut directories: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for file in files {
            let shown = file.parent().unwrap_or(Path::new(""));
            let full = absolute(shown);
            let mut above = Some(shown);
            for directory in full.ancestors().take(LEVELS) {
                let name = match above {
                    Some(shown) => shown.to_path_buf(),
                    None => directory.to_path_buf(),
                };
                above = above.and_then(Path::parent);
                let known = directories.insert(directory.to_path_buf(), name).is_some();
                if known || directory.join(".git").exists() {
                    break;
                }
            }
        }
        let mut found: Vec<(PathBuf, Kustomization)> =
            directories.into_par_iter().filter_map(|(directory, shown)| Some((directory, read(&shown)?))).collect();
        let mut known: HashSet<PathBuf> = found.iter().map(|(directory, _)| directory.clone()).collect();
        let mut next = 0;
        while let Some((directory, kustomization)) = found.get(next) {
            let parts =
                kustomization.parts().filter(|part| !is_remote(part)).map(|part| absolute(&directory.join(part)));
            let new: Vec<PathBuf> = parts.filter(|part| part.is_dir() && known.insert(part.clone())).collect();
            found.extend(new.into_iter().filter_map(|part| {
                let kustomization = read(&from_here(&part))?;
                Some((part, kustomization))
            }));
            next += 1;
        }
        let mut kustomizations = Self::default();
        for (directory, kustomization) in &found {
            kustomizations.patches.extend(kustomization.patch_files().map(|path| absolute(&directory.join(path))));
            kustomizations.resources.extend(kustomization.parts().map(|path| absolute(&directory.join(path))));
            let listed =
                kustomization.files().flat_map(|text| [Some(text), text.split_once('=').map(|(_, file)| file)]);
            kustomizations.listed.extend(listed.flatten().map(|path| absolute(&directory.join(path))));
        }
        kustomizations.all = found.into_iter().collect();
        kustomizations
    }

    /// The kustomizations in some directories that release charts.
    pub fn with_charts<'a>(&'a self, own: &'a dyn Fn(&Path) -> bool) -> impl Iterator<Item = &'a Document> {
        let all = self
            .all
            .iter()
            .filter(move |(directory, _)| own(directory))
            .map(|(_, kustomization)| &kustomization.document);
        all.filter(|document| document.value.get("helmCharts").is_some())
    }

    /// Whether a file changes objects and is none.
    pub fn is_patch(&self, file: &Path) -> bool {
        let file = absolute(file);
        self.patches.contains(&file) && !self.resources.contains(&file)
    }

    /// Whether a kustomization has a file among its resources.
    pub fn takes(&self, file: &Path) -> bool {
        self.resources.contains(&absolute(file))
    }

    /// Whether the kustomization in a file's own directory lists other files in or below it, or can be built, and no kustomization lists this
    /// file: whoever applies the directory leaves it out.
    pub fn leave_out(&self, file: &Path) -> bool {
        let file = absolute(file);
        let Some(directory) = file.parent() else { return false };
        let Some(own) = self.all.get(directory) else { return false };
        let is_beside = |path: &str| {
            let path = absolute(&directory.join(path));
            path.starts_with(directory) && path.extension().is_some()
        };
        !self.listed.contains(&file)
            // A kustomization that another one names by its file is one all the same.
            && !NAMES.iter().any(|name| file.ends_with(name))
            && (own.texts("resources").any(is_beside) || self.builds(directory, &mut HashSet::new()))
    }

    /// Whether kustomize can make something of a directory: there is something to make, all of it is here, and nothing has to be fetched.
    fn builds<'a>(&'a self, directory: &Path, known: &mut HashSet<&'a Path>) -> bool {
        let Some((directory, own)) = self.all.get_key_value(directory) else { return false };
        let is_here = |text: &str| {
            directory.join(text).is_file()
                || text.split_once('=').is_some_and(|(_, file)| directory.join(file).is_file())
        };
        !known.insert(directory)
            || (own.makes_objects()
                && !own.is_remote()
                && own.patch_files().chain(own.read()).all(is_here)
                && own.parts().all(|part| {
                    let part = absolute(&directory.join(part));
                    part.is_file() || self.builds(&part, known)
                }))
    }

    /// The kustomizations that one is made of, itself first, and the files of their resources.
    fn closure(&self, directory: &Path) -> (Vec<&Path>, HashSet<PathBuf>) {
        let mut parts: Vec<&Path> = Vec::new();
        let mut files = HashSet::new();
        let mut open = vec![directory.to_path_buf()];
        while let Some(next) = open.pop() {
            let Some((directory, kustomization)) = self.all.get_key_value(&next) else { continue };
            if parts.contains(&directory.as_path()) {
                continue;
            }
            parts.push(directory);
            for path in kustomization.parts() {
                let path = absolute(&directory.join(path));
                match self.all.contains_key(&path) {
                    true => open.push(path),
                    false => drop(files.insert(path)),
                }
            }
        }
        (parts, files)
    }

    /// Renders the overlays that nothing else is made of, where `concerned` says so of one of their files.
    pub fn render(&self, concerned: &dyn Fn(&Path) -> bool, own: &dyn Fn(&Path) -> bool) -> Rendering {
        let roots: Vec<(&PathBuf, &Kustomization)> = self
            .all
            .iter()
            .filter(|(directory, kustomization)| {
                !kustomization.is_component() && !self.resources.contains(*directory) && own(directory)
            })
            .filter(|(directory, _)| self.closure(directory).1.iter().any(|file| concerned(file)))
            // Without anything to change, its files are what it renders to; and they have lines.
            .filter(|(directory, _)| self.changes_anything(directory))
            .collect();
        if roots.is_empty() {
            return Rendering::default();
        }
        let Some((program, arguments)) = PROGRAMS.iter().find(|(program, _)| program::is_here(program)) else {
            let missing = "neither kustomize nor kubectl is installed";
            let failed = roots.iter().map(|(_, root)| (root.file.clone(), missing.to_owned())).collect();
            return Rendering { failed, ..Rendering::default() };
        };
        let results: Vec<_> = roots
            .par_iter()
            .map(|(directory, root)| {
                let (parts, files) = self.closure(directory);
                match self.built(directory, root, &parts, (program, arguments)) {
                    Ok(documents) => {
                        let (origins, root) = (self.origins(&parts, &files), root.document.clone());
                        Ok(Rendered { documents, origins, root, files })
                    }
                    Err(reason) => Err((root.file.clone(), reason, files)),
                }
            })
            .collect();
        let mut rendering = Rendering::default();
        for result in results {
            match result {
                Ok(rendered) => rendering.rendered.push(rendered),
                Err((file, reason, files)) => {
                    rendering.failed.push((file, reason));
                    rendering.unrendered.extend(files);
                }
            }
        }
        rendering
    }

    /// What a program makes of an overlay and its parts, or why nothing.
    fn built(
        &self,
        directory: &Path,
        root: &Kustomization,
        parts: &[&Path],
        (program, arguments): (&str, &[&str]),
    ) -> Result<Vec<Document>, String> {
        if parts.iter().filter_map(|part| self.all.get(*part)).any(Kustomization::is_remote) {
            return Err("it names something that would have to be fetched".to_owned());
        }
        let text = program::output(program, &[arguments, &[&directory.to_string_lossy()]].concat())?;
        let reading = manifest::read(root.file.display().to_string(), text);
        match reading.errors.first() {
            Some(error) => Err(error.to_string()),
            None => Ok(reading.documents),
        }
    }

    fn changes_anything(&self, directory: &Path) -> bool {
        const PLAIN: [&str; 6] = ["apiVersion", "kind", "metadata", "resources", "bases", "components"];
        let (parts, _) = self.closure(directory);
        parts.iter().filter_map(|part| self.all.get(*part)).any(|part| {
            part.document.value.as_object().is_some_and(|map| map.keys().any(|key| !PLAIN.contains(&key.as_str())))
        })
    }

    /// The documents that an overlay is made of, patches first.
    fn origins(&self, parts: &[&Path], files: &HashSet<PathBuf>) -> Vec<Document> {
        let patches = parts.iter().filter_map(|directory| Some((directory, self.all.get(*directory)?)));
        let patches =
            patches.flat_map(|(directory, part)| part.patch_files().map(move |path| absolute(&directory.join(path))));
        let mut resources: Vec<PathBuf> = files.iter().cloned().collect();
        resources.sort();
        patches
            .chain(resources)
            .filter_map(|path| {
                let bytes = std::fs::read(&path).ok()?;
                Some(manifest::read(self.shown(&path).display().to_string(), bytes).documents)
            })
            .flatten()
            .collect()
    }

    /// A file as those beside it are printed.
    fn shown(&self, file: &Path) -> PathBuf {
        let beside = file.ancestors().skip(1).find_map(|directory| Some((directory, self.all.get(directory)?)));
        let shown = beside.and_then(|(directory, kustomization)| {
            Some(kustomization.file.parent()?.join(file.strip_prefix(directory).ok()?))
        });
        shown.unwrap_or_else(|| from_here(file))
    }

    /// The namespaces that a kustomization puts the objects of its files into, by file; none where a patch that is not there may bring more.
    fn namespaces(&self, root: &Path) -> HashMap<PathBuf, Option<&str>> {
        let (parts, files) = self.closure(root);
        let mut namespaces: HashMap<PathBuf, Option<&str>> = files.into_iter().map(|file| (file, None)).collect();
        let parts = || parts.iter().filter_map(|part| Some((part, self.all.get(*part)?)));
        if parts().any(|(directory, part)| part.patch_files().any(|path| !directory.join(path).is_file())) {
            return namespaces;
        }
        // The outermost one, which comes first, has the last word.
        for (directory, part) in parts().collect::<Vec<_>>().into_iter().rev() {
            if let Some(namespace) = part.document.value.get("namespace").and_then(Json::as_str) {
                namespaces.extend(self.closure(directory).1.into_iter().map(|file| (file, Some(namespace))));
            }
        }
        namespaces
    }

    /// What patches may change, by file. To be asked for only where something is not rendered.
    pub fn changes(&self) -> Changes<'_> {
        let mut changes = Changes::default();
        for directory in self.all.keys() {
            let (parts, files) = self.closure(directory);
            for part in parts {
                let read = || self.all.get(part).map(|part_of| patches(part, part_of)).unwrap_or_default();
                if changes.patches.entry(part).or_insert_with(read).is_empty() {
                    continue;
                }
                for file in &files {
                    changes.by_file.entry(file.clone()).or_default().insert(part);
                }
            }
        }
        for root in self.all.keys().filter(|directory| !self.resources.contains(*directory)) {
            for (file, namespace) in self.namespaces(root) {
                let known = changes.namespaces.entry(file).or_insert(namespace);
                if *known != namespace {
                    *known = None;
                }
            }
        }
        changes
    }
}

/// What kustomizations change in their resources, as far as that is known without rendering.
#[derive(Default)]
pub struct Changes<'a> {
    by_file: HashMap<PathBuf, BTreeSet<&'a Path>>,
    patches: HashMap<&'a Path, Vec<Patch>>,
    /// None where two of them do not agree.
    namespaces: HashMap<PathBuf, Option<&'a str>>,
}

impl Changes<'_> {
    /// The paths in a document of a file.
    pub fn of(&self, file: &Path, document: &Json) -> Vec<Vec<PathSegment>> {
        let parts = self.by_file.get(&absolute(file));
        let patches = parts.into_iter().flatten().filter_map(|part| self.patches.get(part)).flatten();
        let paths: BTreeSet<Vec<PathSegment>> = patches.flat_map(|patch| patch.changes(document)).collect();
        paths.into_iter().collect()
    }

    /// The namespace that the objects of a file are put into.
    pub fn namespace(&self, file: &Path) -> Option<&str> {
        self.namespaces.get(&absolute(file)).copied().flatten()
    }
}

fn read(directory: &Path) -> Option<Kustomization> {
    let file = NAMES.iter().map(|name| directory.join(name)).find(|file| file.is_file())?;
    let documents = manifest::read(tidy(&file).display().to_string(), std::fs::read(&file).ok()?).documents;
    let document = documents.into_iter().next()?;
    // Flux's own objects of that kind are often in a file of that name.
    let flux = document
        .value
        .get("apiVersion")
        .and_then(Json::as_str)
        .is_some_and(|version| version.starts_with("kustomize.toolkit.fluxcd.io"));
    (document.value.is_object() && !flux).then(|| Kustomization { file: tidy(&file), document })
}

/// A path as a person would write it from the working directory.
fn from_here(path: &Path) -> PathBuf {
    std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf))
        .unwrap_or(path.to_owned())
}

/// A patch, read.
struct Patch {
    /// `target` of the kustomization.
    target: Option<Json>,
    /// Objects to merge, operations of JSON Patch, or replacements.
    content: Vec<Json>,
}

/// The patches of one kustomization.
fn patches(directory: &Path, kustomization: &Kustomization) -> Vec<Patch> {
    let load = |path: &str| -> Vec<Json> {
        let bytes = std::fs::read(directory.join(path)).unwrap_or_default();
        values(bytes)
    };
    let mut all = Vec::new();
    for entry in ["patches", "patchesJson6902"].into_iter().flat_map(|key| kustomization.entries(key)) {
        let text = |key: &str| entry.get(key).and_then(Json::as_str);
        let content = match (text("path"), text("patch")) {
            (Some(path), _) => load(path),
            (None, Some(patch)) => values(patch.as_bytes().to_vec()),
            (None, None) => continue,
        };
        all.push(Patch { target: entry.get("target").cloned(), content });
    }
    for text in kustomization.texts("patchesStrategicMerge") {
        let content = if text.contains('\n') { values(text.as_bytes().to_vec()) } else { load(text) };
        all.push(Patch { target: None, content });
    }
    for entry in kustomization.entries("replacements") {
        let replacements = match entry.get("path").and_then(Json::as_str) {
            Some(path) => load(path),
            None => vec![entry.clone()],
        };
        all.push(Patch { target: None, content: replacements });
    }
    all
}

fn values(bytes: Vec<u8>) -> Vec<Json> {
    manifest::read("", bytes).documents.into_iter().map(|document| document.value).collect()
}

impl Patch {
    /// The paths in a document that it may change.
    fn changes(&self, document: &Json) -> Vec<Vec<PathSegment>> {
        let mut paths = Vec::new();
        for content in &self.content {
            if let Some(operations) = content.as_array() {
                // JSON Patch says in `target` what it is for; several replacements may stand in a list, too.
                if operations.iter().any(|operation| operation.get("targets").is_some()) {
                    operations.iter().for_each(|replacement| replaced(replacement, document, &mut paths));
                } else if self.target.as_ref().is_some_and(|target| selects(target, document)) {
                    let pointers =
                        operations.iter().filter_map(|operation| operation.get("path").and_then(Json::as_str));
                    paths.extend(pointers.map(|pointer| pointer_path(pointer, document)));
                }
            } else if content.get("targets").is_some() {
                replaced(content, document, &mut paths);
            } else {
                let selected = match &self.target {
                    Some(target) => selects(target, document),
                    None => {
                        let same = |pointer: &str| content.pointer(pointer) == document.pointer(pointer);
                        same("/kind") && same("/metadata/name")
                    }
                };
                if selected {
                    merged(content, document, &mut Vec::new(), &mut paths);
                }
            }
        }
        paths
    }
}

/// Whether a selector of a kustomization may mean a document: kind and name are regular expressions; labels may have been added.
fn selects(target: &Json, document: &Json) -> bool {
    let matches = |key: &str, pointer: &str| match target.get(key).and_then(Json::as_str) {
        None | Some("") => true,
        Some(pattern) => {
            let text = document.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
            let plain = pattern.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
            // Of a pattern it is not asked what it matches: it may.
            !plain || pattern == text
        }
    };
    matches("kind", "/kind") && matches("name", "/metadata/name")
}

/// The paths of a replacement: `spec.storage.size`, `spec.containers.[name=x].image`.
fn replaced(replacement: &Json, document: &Json, paths: &mut Vec<Vec<PathSegment>>) {
    for target in replacement.get("targets").and_then(Json::as_array).into_iter().flatten() {
        if !target.get("select").is_some_and(|select| selects(select, document)) {
            continue;
        }
        for field in target.get("fieldPaths").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str) {
            // Up to the first that is chosen by its content.
            let keys = field.split('.').take_while(|key| !key.starts_with('[') && *key != "*");
            paths.push(keys.map(PathSegment::from).collect());
        }
    }
}

fn pointer_path(pointer: &str, document: &Json) -> Vec<PathSegment> {
    let mut at = Some(document);
    let mut path = Vec::new();
    for key in keys(pointer) {
        if at.is_some_and(Json::is_array) {
            let Ok(index) = key.parse::<usize>() else { break };
            at = at.and_then(|at| at.get(index));
            path.push(PathSegment::Index(index));
        } else {
            at = at.and_then(|at| at.get(&key));
            path.push(PathSegment::Key(key));
        }
    }
    path
}

/// The paths at which an object that is merged has something else than the one it is merged into.
fn merged(patch: &Json, document: &Json, path: &mut Vec<PathSegment>, paths: &mut Vec<Vec<PathSegment>>) {
    let (Some(patch), Some(document)) = (patch.as_object(), document.as_object()) else {
        paths.push(path.clone());
        return;
    };
    for (key, value) in patch {
        // Kustomize keeps the name of the object, too, whatever a patch with a target calls it.
        let identity = match path.as_slice() {
            [] => matches!(key.as_str(), "apiVersion" | "kind"),
            [PathSegment::Key(parent)] => parent == "metadata" && key == "name",
            _ => false,
        };
        if identity || document.get(key) == Some(value) {
            continue;
        }
        path.push(PathSegment::from(key.as_str()));
        match document.get(key) {
            Some(now) => merged(value, now, path, paths),
            None => paths.push(path.clone()),
        }
        path.pop();
    }
}

/// Makes the single values at paths unknown. What is not a single value is left; findings about it are dropped ([`touches`]).
pub fn blank(value: &mut Json, paths: &[Vec<PathSegment>]) {
    for path in paths {
        let Some((last, parents)) = path.split_last() else { continue };
        match (last, value_at_mut(value, parents)) {
            (PathSegment::Key(key), Some(Json::Object(map))) => {
                let there = map.get(key);
                if there.is_none_or(|there| !there.is_object() && !there.is_array()) {
                    map.insert(key.clone(), PATCHED.into());
                }
            }
            (PathSegment::Index(index), Some(Json::Array(list))) => {
                if let Some(there) = list.get_mut(*index).filter(|there| !there.is_object() && !there.is_array()) {
                    *there = PATCHED.into();
                }
            }
            _ => {}
        }
    }
}

/// Makes unquoted on, off, yes, no, y and n of a document the text they are written as: kustomize reads them so and writes them in quotes,
/// while the API server, given the file itself, takes them for booleans.
pub fn keep_words(document: &mut Document) {
    let mut paths = Vec::new();
    booleans(&document.value, &mut Vec::new(), &mut paths);
    for path in paths {
        let Some(text) = document.scalar(&path).filter(|written| written.plain).map(|written| written.text.to_owned())
        else {
            continue;
        };
        if ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
            continue;
        }
        if let Some(there) = value_at_mut(&mut document.value, &path) {
            *there = text.into();
        }
    }
}

fn booleans(value: &Json, path: &mut Vec<PathSegment>, paths: &mut Vec<Vec<PathSegment>>) {
    let mut below = |segment: PathSegment, value: &Json| {
        path.push(segment);
        booleans(value, path, paths);
        path.pop();
    };
    match value {
        Json::Object(map) => map.iter().for_each(|(key, value)| below(PathSegment::from(key.as_str()), value)),
        Json::Array(list) => list.iter().enumerate().for_each(|(index, value)| below(PathSegment::Index(index), value)),
        Json::Bool(_) => paths.push(path.clone()),
        _ => {}
    }
}

/// Whether something at a path rests on what is at another one, above or below it.
pub fn touches(path: &[PathSegment], changed: &[PathSegment]) -> bool {
    path.iter().zip(changed).all(|(a, b)| a == b)
}

/// Where the value at a path of a rendered document was written: in a patch or in a resource, where they say the same; else at its
/// nearest parent in the resource.
pub fn origin<'a>(rendered: &Document, path: &[PathSegment], origins: &'a [Document]) -> Option<&'a Document> {
    let wanted = value_at(&rendered.value, path);
    let text =
        |value: &Json, pointer: &str| value.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    let (kind, name) = (text(&rendered.value, "/kind"), text(&rendered.value, "/metadata/name"));
    // Overlays put something before or behind names.
    let mut same: Vec<(&Document, usize)> = origins
        .iter()
        .filter(|origin| text(&origin.value, "/kind") == kind)
        .filter_map(|origin| {
            let own = text(&origin.value, "/metadata/name");
            (!own.is_empty() && name.contains(&own)).then_some((origin, own.len()))
        })
        .collect();
    let longest = same.iter().map(|(_, length)| *length).max()?;
    same.retain(|(_, length)| *length == longest);
    let exact = wanted.and_then(|wanted| same.iter().find(|(origin, _)| value_at(&origin.value, path) == Some(wanted)));
    exact.or(same.last()).map(|(origin, _)| *origin)
}

/// One line about what was not rendered, and what to run; `None` when everything was.
pub fn note(failed: &[(PathBuf, String)]) -> Option<String> {
    let reasons: BTreeSet<&str> = failed.iter().map(|(_, reason)| reason.as_str()).collect();
    let (first, _) = failed.first()?;
    let count = failed.len();
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    let reason = match reasons.len() {
        1 => reasons.into_iter().next().unwrap_or_default().to_owned(),
        _ => "-v says why".to_owned(),
    };
    Some(format!(
        "{}{more} not rendered ({reason}): what patches change is unknown; `kustomize build {} | walguard lint -` shows the rest",
        first.display(),
        first.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).display(),
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Json {
        json!({
            "apiVersion": "x/v1", "kind": "Cluster", "metadata": {"name": "db"},
            "spec": {"size": "1Gi", "list": [{"a": 1}], "same": 1},
        })
    }

    fn changed(target: Option<Json>, content: Json) -> Vec<String> {
        let patch = Patch { target, content: vec![content] };
        let paths = patch.changes(&document());
        paths.iter().map(|path| walguard_engine::field(path)).collect()
    }

    #[test]
    fn patches_say_what_they_change() {
        let merge = |name: &str, spec: Json| json!({"apiVersion": "x/v1", "kind": "Cluster", "metadata": {"name": name}, "spec": spec});
        assert_eq!(
            changed(None, merge("db", json!({"size": "2Gi", "same": 1, "new": {"x": 1}}))),
            ["spec.new", "spec.size"]
        );
        assert_eq!(changed(None, merge("db", json!({"list": [1]}))), ["spec.list"]);
        assert!(changed(None, merge("other", json!({"size": "2Gi"}))).is_empty());
        assert_eq!(changed(Some(json!({"kind": "Cluster"})), merge("any", json!({"size": "2Gi"}))), ["spec.size"]);
        let operations = json!([{"op": "replace", "path": "/spec/list/0/a", "value": 2}, {"op": "add", "path": "/spec/list/-", "value": 2}]);
        assert_eq!(
            changed(Some(json!({"kind": "Cluster", "name": "d.*"})), operations.clone()),
            ["spec.list[0].a", "spec.list"]
        );
        assert!(changed(Some(json!({"kind": "Other"})), operations).is_empty());
        let replacement = json!({"source": {}, "targets": [{"select": {"kind": "Cluster"}, "fieldPaths": ["spec.size", "spec.list.[a=1].b"]}]});
        assert_eq!(changed(None, replacement), ["spec.size", "spec.list"]);
    }

    #[test]
    fn words_of_yaml_1_1_are_text_to_kustomize() {
        let text = "a: off\nb: {c: [Yes, true, \"on\", y]}\nd: False\n";
        let mut document = manifest::read("", text.as_bytes().to_vec()).documents.remove(0);
        assert_eq!(document.value["a"], json!(false));
        keep_words(&mut document);
        assert_eq!(document.value["a"], json!("off"));
        assert_eq!(document.value["b"]["c"], json!(["Yes", true, "on", "y"]));
        assert_eq!(document.value["d"], json!(false));
    }

    #[test]
    fn single_values_become_unknown() {
        let key = |text: &str| PathSegment::from(text);
        let mut value = document();
        blank(
            &mut value,
            &[
                vec![key("spec"), key("size")],
                vec![key("spec"), key("list")],
                vec![key("spec"), key("new")],
                vec![key("absent"), key("x")],
                vec![key("spec"), key("list"), PathSegment::Index(0), key("a")],
            ],
        );
        assert_eq!(value["spec"], json!({"size": PATCHED, "list": [{"a": PATCHED}], "same": 1, "new": PATCHED}));
        assert!(touches(&[key("spec")], &[key("spec"), key("size")]));
        assert!(touches(&[key("spec"), key("size"), key("x")], &[key("spec"), key("size")]));
        assert!(!touches(&[key("spec"), key("a")], &[key("spec"), key("size")]));
    }
}
