//! The policy configuration, `walguard.yaml`: found, read, and its mistakes shown at their lines. What may stand in it is the
//! engine's to know ([`walguard_engine::configuration`]), for every host takes it.

use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use ignore::gitignore::Gitignore;
use serde_json::{Value as Json, json};
use walguard_engine::{Catalogue, PathSegment, configuration, field};
use walguard_manifest::{self as manifest, Document, Notice, ReadError};

use crate::inputs;
use crate::walk::{self, absolute};

/// The names under which a configuration is looked for.
pub const NAMES: [&str; 4] = ["walguard.yaml", "walguard.yml", ".walguard.yaml", ".walguard.yml"];
/// Keys that are about files, and mean nothing to the rules.
const EXCLUDE: &str = "exclude";
const RENDER: &str = "render";
const IGNORE_COMMENTS: &str = "ignoreComments";
const FILES: &str = "files";
const PATHS: &str = "paths";
const CHECKS: &str = "checks";

/// The keys that only the linter reads; the others are those of every host.
pub const OF_FILES: [&str; 4] = [EXCLUDE, RENDER, IGNORE_COMMENTS, FILES];

/// Whether a file of this name is a configuration.
pub fn is_name(name: &OsStr) -> bool {
    NAMES.iter().any(|own| name == *own)
}

/// The configuration in a directory or the nearest one above it.
fn discover(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().flat_map(|directory| NAMES.map(|name| directory.join(name))).find(|path| path.is_file())
}

/// The configuration of a flag, or the one that lies in the working directory or the nearest directory above it.
///
/// # Errors
/// When it cannot be read, with every mistake in it.
pub fn load(path: Option<&PathBuf>, catalogue: &Catalogue) -> anyhow::Result<Option<Configuration>> {
    self::path(path)?.map(|path| read(&path, catalogue)).transpose()
}

/// The path of the configuration of a flag, or of the one that [`load`] finds.
///
/// # Errors
/// When there is no working directory.
pub fn path(flag: Option<&PathBuf>) -> anyhow::Result<Option<PathBuf>> {
    let here = env::current_dir().context("cannot look for walguard.yaml")?;
    Ok(flag.cloned().or_else(|| discover(&here)))
}

fn read(path: &Path, catalogue: &Catalogue) -> anyhow::Result<Configuration> {
    // As short as a person would write it.
    let shown = env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    let bytes = std::fs::read(path).with_context(|| format!("cannot read the configuration {}", shown.display()))?;
    parse(&shown.display().to_string(), bytes, catalogue).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(|error| format!("\n  {error}")).collect();
        anyhow!("the configuration is wrong:{}", errors.concat())
    })
}

/// The configurations of the files of a run: for each file the one in its directory or the nearest above it, else that of the
/// working directory.
pub struct Policies<'a> {
    catalogue: &'a Catalogue,
    /// That of a flag, for all files.
    fixed: bool,
    all: Vec<Policy>,
    variants: Vec<Variant>,
    by_file: HashMap<PathBuf, usize>,
    by_directory: HashMap<PathBuf, usize>,
}

/// A configuration of some files.
#[derive(Default)]
pub struct Policy {
    pub configuration: Option<Configuration>,
    exclude: Option<Gitignore>,
    /// The patterns of each entry of `files`.
    files: Vec<Gitignore>,
}

/// A configuration with what it says of some files alone.
pub struct Variant {
    /// Its number among all policies.
    pub policy: usize,
    /// The entries of `files` that concern them.
    entries: Vec<usize>,
    /// In the form the rules know.
    pub value: Option<Json>,
}

/// The number of the policy of the working directory, or of the flag.
pub const HERE: usize = 0;

impl<'a> Policies<'a> {
    /// `path`: of the flag.
    ///
    /// # Errors
    /// When the configuration that is found cannot be read.
    pub fn new(path: Option<&PathBuf>, catalogue: &'a Catalogue) -> anyhow::Result<Self> {
        let mut policies = Self {
            catalogue,
            fixed: path.is_some(),
            all: Vec::new(),
            variants: Vec::new(),
            by_file: HashMap::new(),
            by_directory: HashMap::new(),
        };
        let here = env::current_dir().context("cannot look for walguard.yaml")?;
        match path.cloned().or_else(|| discover(&here)) {
            Some(path) => drop(policies.policy(&absolute(&path))?),
            None => policies.all.push(Policy::default()),
        }
        Ok(policies)
    }

    fn policy(&mut self, path: &Path) -> anyhow::Result<usize> {
        if let Some(known) = self.by_file.get(path) {
            return Ok(*known);
        }
        let configuration = read(path, self.catalogue)?;
        let root = path.parent().unwrap_or(Path::new("/"));
        let patterns = |key: &str, lines: &[String]| {
            walk::patterns(root, lines)
                .with_context(|| format!("the configuration is wrong:\n  {}: {key}", path.display()))
        };
        let lines = &configuration.exclude;
        let exclude = (!lines.is_empty()).then(|| patterns(EXCLUDE, lines)).transpose()?;
        let files = configuration.files.iter().map(|entry| patterns(FILES, &entry.paths)).collect::<Result<_, _>>()?;
        self.all.push(Policy { configuration: Some(configuration), exclude, files });
        self.by_file.insert(path.to_owned(), self.all.len() - 1);
        Ok(self.all.len() - 1)
    }

    /// The number of the policy of a file.
    ///
    /// # Errors
    /// When its configuration cannot be read.
    pub fn of(&mut self, file: &Path) -> anyhow::Result<usize> {
        if self.fixed || file == Path::new(inputs::STDIN_PATH) {
            return Ok(HERE);
        }
        let file = absolute(file);
        let directory = file.parent().unwrap_or(Path::new("/"));
        if let Some(known) = self.by_directory.get(directory) {
            return Ok(*known);
        }
        let number = match discover(directory) {
            Some(path) => self.policy(&path)?,
            None => HERE,
        };
        self.by_directory.insert(directory.to_owned(), number);
        Ok(number)
    }

    /// Whether the configuration of a file excludes it.
    ///
    /// # Errors
    /// When its configuration cannot be read.
    pub fn exclude(&mut self, file: &Path) -> anyhow::Result<bool> {
        let number = self.of(file)?;
        Ok(self.all[number].exclude.as_ref().is_some_and(|patterns| walk::excludes(patterns, file, false)))
    }

    pub fn all(&self) -> &[Policy] {
        &self.all
    }

    /// The number of the configuration of a file together with what it says of this file alone.
    ///
    /// # Errors
    /// When its configuration cannot be read.
    pub fn variant(&mut self, file: &Path) -> anyhow::Result<usize> {
        let policy = self.of(file)?;
        let patterns = self.all[policy].files.iter().enumerate();
        let entries: Vec<usize> =
            patterns.filter(|(_, patterns)| walk::excludes(patterns, file, false)).map(|(index, _)| index).collect();
        let same = |variant: &Variant| variant.policy == policy && variant.entries == entries;
        if let Some(known) = self.variants.iter().position(same) {
            return Ok(known);
        }
        let value = self.all[policy].configuration.as_ref().map(|configuration| configuration.among(&entries));
        self.variants.push(Variant { policy, entries, value });
        Ok(self.variants.len() - 1)
    }

    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }
}

/// A configuration without mistakes.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// In the form the rules know.
    pub value: Json,
    /// As it is written.
    pub document: Document,
    /// Patterns of files that are not read.
    pub exclude: Vec<String>,
    /// Charts are rendered.
    pub render: bool,
    /// What comments in manifests may ignore.
    pub comments: Allowed,
    /// What is different in some files.
    pub files: Vec<OfFiles>,
}

/// Severities and settings of checks in some files.
#[derive(Clone, Debug)]
pub struct OfFiles {
    paths: Vec<String>,
    /// In the form the rules know.
    checks: Json,
}

impl Configuration {
    /// What the rules read of it for a file that these entries of `files` concern: to them a file is in one more namespace, whose entries
    /// override the others.
    fn among(&self, entries: &[usize]) -> Json {
        let mut value = self.value.clone();
        if let (false, Some(fields)) = (entries.is_empty(), value.as_object_mut()) {
            let namespaces = fields.entry("namespaces").or_insert_with(|| json!([]));
            let of_files = entries.iter().map(|entry| json!({"names": ["*"], CHECKS: self.files[*entry].checks}));
            namespaces.as_array_mut().into_iter().for_each(|list| list.extend(of_files.clone()));
        }
        value
    }
}

/// Which findings comments in manifests may ignore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allowed {
    #[default]
    All,
    /// Warnings and info.
    Warnings,
    None,
}

/// Reads a configuration.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn parse(name: &str, bytes: Vec<u8>, catalogue: &Catalogue) -> Result<Configuration, Vec<ReadError>> {
    let reading = manifest::read(name, bytes);
    let mut errors = reading.errors;
    let mut read = None;
    match reading.documents.as_slice() {
        [] if errors.is_empty() => errors.push(ReadError {
            file: name.to_owned(),
            line: 1,
            column: 1,
            message: "the configuration is empty; at least `version: 1` must stand in it".to_owned(),
            hint: None,
        }),
        [] => {}
        [document] => {
            let mut value = document.value.clone();
            let exclude = take(&mut value, EXCLUDE, patterns).unwrap_or_else(|(path, message)| {
                errors.push(at(document, &path, message));
                None
            });
            let render = take(&mut value, RENDER, boolean).unwrap_or_else(|(path, message)| {
                errors.push(at(document, &path, message));
                None
            });
            let comments = take(&mut value, IGNORE_COMMENTS, allowed).unwrap_or_else(|(path, message)| {
                errors.push(at(document, &path, message));
                None
            });
            let files = value.as_object_mut().and_then(|fields| fields.remove(FILES)).unwrap_or_else(|| json!([]));
            let files = of_files(&files, catalogue).unwrap_or_else(|wrong| {
                errors.extend(wrong.into_iter().map(|(path, message)| at(document, &path, message)));
                Vec::new()
            });
            match configuration::normalise(&value, catalogue) {
                Ok(value) => {
                    let (exclude, render) = (exclude.unwrap_or_default(), render.unwrap_or_default());
                    let comments = comments.unwrap_or_default();
                    read = Some(Configuration { value, document: document.clone(), exclude, render, comments, files });
                }
                Err(wrong) => errors.extend(wrong.into_iter().map(|wrong| at(document, &wrong.path, wrong.message))),
            }
        }
        [_, second, ..] => errors.push(at(second, &[], "a configuration is one document, this is a second one")),
    }
    if let [document] = reading.documents.as_slice() {
        errors.extend(of_the_file(document));
    }
    errors.sort_by_key(|error| (error.line, error.column));
    read.filter(|_| errors.is_empty()).ok_or(errors)
}

type Mistake = (Vec<PathSegment>, String);

/// Takes what is about files out of a configuration.
fn take<T>(
    configuration: &mut Json,
    key: &str,
    read: fn(&str, &Json) -> Result<T, Mistake>,
) -> Result<Option<T>, Mistake> {
    let taken = configuration.as_object_mut().and_then(|fields| fields.remove(key));
    taken.map(|value| read(key, &value)).transpose()
}

fn patterns(key: &str, value: &Json) -> Result<Vec<String>, Mistake> {
    let wrong = |path: Vec<PathSegment>| (path, format!("{key} must be a list of patterns as in .gitignore"));
    let list = value.as_array().ok_or_else(|| wrong(vec![PathSegment::from(key)]))?;
    let pattern = |(index, value): (usize, &Json)| match value.as_str() {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err(wrong(vec![PathSegment::from(key), PathSegment::Index(index)])),
    };
    list.iter().enumerate().map(pattern).collect()
}

/// The entries of `files`: patterns, and checks as a configuration has them.
fn of_files(value: &Json, catalogue: &Catalogue) -> Result<Vec<OfFiles>, Vec<Mistake>> {
    let path =
        |index: usize, key: &str| vec![PathSegment::from(FILES), PathSegment::Index(index), PathSegment::from(key)];
    let list =
        value.as_array().ok_or_else(|| vec![(vec![PathSegment::from(FILES)], "files must be a list".to_owned())])?;
    let mut wrong = Vec::new();
    let mut read = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let here = || vec![PathSegment::from(FILES), PathSegment::Index(index)];
        let Some(fields) = entry.as_object() else {
            wrong.push((here(), "an entry of files has paths and checks".to_owned()));
            continue;
        };
        for unknown in fields.keys().filter(|key| ![PATHS, CHECKS].contains(&key.as_str())) {
            wrong.push((
                path(index, unknown),
                format!("there is no key {unknown} here; an entry of files has paths and checks"),
            ));
        }
        let paths = fields.get(PATHS).map_or_else(|| Ok(Vec::new()), |value| patterns(PATHS, value));
        let paths = paths.unwrap_or_else(|(place, message)| {
            wrong.push((here().into_iter().chain(place).collect(), message));
            vec![String::new()]
        });
        if paths.is_empty() {
            wrong.push((here(), "paths is missing: patterns of files, as in .gitignore".to_owned()));
        }
        match fields.get(CHECKS) {
            None => wrong
                .push((here(), "checks is missing: severity and settings of checks in these files, by id".to_owned())),
            Some(checks) => match configuration::normalise(&json!({CHECKS: checks}), catalogue) {
                Ok(mut normal) => read.push(OfFiles { paths, checks: normal[CHECKS].take() }),
                Err(errors) => wrong.extend(
                    errors
                        .into_iter()
                        .map(|error| (here().into_iter().chain(error.path).collect::<Vec<_>>(), error.message)),
                ),
            },
        }
    }
    if wrong.is_empty() { Ok(read) } else { Err(wrong) }
}

fn boolean(key: &str, value: &Json) -> Result<bool, Mistake> {
    value.as_bool().ok_or_else(|| (vec![PathSegment::from(key)], format!("{key} must be true or false")))
}

fn allowed(key: &str, value: &Json) -> Result<Allowed, Mistake> {
    match value.as_str() {
        Some("all") => Ok(Allowed::All),
        Some("warnings") => Ok(Allowed::Warnings),
        Some("none") => Ok(Allowed::None),
        _ => Err((vec![PathSegment::from(key)], format!("{key} must be all, warnings or none"))),
    }
}

/// What a file has to keep to besides: the version it is written for, and each key once.
fn of_the_file(document: &Document) -> Vec<ReadError> {
    let mut errors: Vec<ReadError> = document
        .notices
        .iter()
        .map(|notice| {
            let (Notice::DuplicateKey { path, .. } | Notice::MergeReplacesKey { path, .. }) = notice;
            at(document, path, format!("{} is written twice", field(path)))
        })
        .collect();
    if document.value.as_object().is_some_and(|root| !root.contains_key("version")) {
        errors.push(at(document, &[], "version is missing; write `version: 1`"));
    }
    errors
}

fn at(document: &Document, path: &[PathSegment], message: impl Into<String>) -> ReadError {
    let location = document.locate(path);
    ReadError {
        file: document.source.name.clone(),
        line: location.line,
        column: location.column,
        message: message.into(),
        hint: None,
    }
}
