//! The policy configuration, `walguard.yaml`: found, read, and its mistakes shown at their lines. What may stand in it is the
//! engine's to know ([`walguard_engine::configuration`]), for every host takes it.

use std::path::{Path, PathBuf};
use std::{env, io};

use anyhow::{Context as _, bail};
use serde_json::Value as Json;
use walguard_engine::{Catalogue, PathSegment, configuration, field};
use walguard_manifest::{self as manifest, Document, Notice, ReadError};

/// The names under which a configuration is looked for.
const NAMES: [&str; 2] = ["walguard.yaml", "walguard.yml"];

/// The configuration that lies in the working directory or the nearest directory above it.
///
/// # Errors
/// When there is no working directory.
pub fn discover() -> io::Result<Option<PathBuf>> {
    let here = env::current_dir()?;
    let found =
        here.ancestors().flat_map(|directory| NAMES.map(|name| directory.join(name))).find(|path| path.is_file());
    // As short as a person would write it.
    Ok(found.map(|path| path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path)))
}

/// The configuration of a flag, or the one that is found.
///
/// # Errors
/// When it cannot be read, with every mistake in it.
pub fn load(path: Option<&PathBuf>, catalogue: &Catalogue) -> anyhow::Result<Option<Configuration>> {
    let path = match path {
        Some(path) => path.clone(),
        None => match discover().context("cannot look for walguard.yaml")? {
            Some(path) => path,
            None => return Ok(None),
        },
    };
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read the configuration {}", path.display()))?;
    match parse(&path.display().to_string(), bytes, catalogue) {
        Ok(configuration) => Ok(Some(configuration)),
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(|error| format!("\n  {error}")).collect();
            bail!("the configuration is wrong:{}", errors.concat())
        }
    }
}

/// A configuration without mistakes.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// In the form the rules know.
    pub value: Json,
    /// As it is written.
    pub document: Document,
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
        [document] => match configuration::normalise(&document.value, catalogue) {
            Ok(value) => read = Some(Configuration { value, document: document.clone() }),
            Err(wrong) => errors.extend(wrong.into_iter().map(|wrong| at(document, &wrong.path, wrong.message))),
        },
        [_, second, ..] => errors.push(at(second, &[], "a configuration is one document, this is a second one")),
    }
    if let [document] = reading.documents.as_slice() {
        errors.extend(of_the_file(document));
    }
    errors.sort_by_key(|error| (error.line, error.column));
    read.filter(|_| errors.is_empty()).ok_or(errors)
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
