//! The policy configuration, `walguard.yaml`: found, read, and its mistakes shown at their lines. What may stand in it is the
//! engine's to know ([`walguard_engine::configuration`]), for every host takes it.

use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use ignore::gitignore::Gitignore;
use serde_json::Value as Json;
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
    by_file: HashMap<PathBuf, usize>,
    by_directory: HashMap<PathBuf, usize>,
}

/// A configuration of some files.
#[derive(Default)]
pub struct Policy {
    pub configuration: Option<Configuration>,
    exclude: Option<Gitignore>,
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
        let lines = &configuration.exclude;
        let exclude = (!lines.is_empty())
            .then(|| walk::patterns(root, lines))
            .transpose()
            .with_context(|| format!("the configuration is wrong:\n  {}: exclude", path.display()))?;
        self.all.push(Policy { configuration: Some(configuration), exclude });
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
            match configuration::normalise(&value, catalogue) {
                Ok(value) => {
                    let (exclude, render) = (exclude.unwrap_or_default(), render.unwrap_or_default());
                    let comments = comments.unwrap_or_default();
                    read = Some(Configuration { value, document: document.clone(), exclude, render, comments });
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
