//! Finds and reads the files of a run.

use std::collections::HashSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::fs;

use ignore::WalkBuilder;
use ignore::types::{Types, TypesBuilder};
use rayon::prelude::*;

use super::Failure;
use crate::manifest::{self, Document, Reading};

const STDIN: &str = "<stdin>";
/// The files of a directory that are read.
const PATTERNS: [&str; 3] = ["*.yaml", "*.yml", "*.json"];

/// What came of reading files, in the order of their paths.
#[derive(Debug, Default)]
pub struct Inputs {
    pub documents: Vec<Document>,
    pub failures: Vec<Failure>,
}

/// Reads files, directories and standard input (`-`).
pub fn read(paths: &[PathBuf]) -> anyhow::Result<Inputs> {
    let mut inputs = Inputs::default();
    let files = find(paths, &mut inputs.failures)?;
    let readings: Vec<Result<Reading, Failure>> = files.par_iter().map(|path| read_file(path)).collect();
    for reading in readings {
        match reading {
            Ok(reading) => {
                inputs.documents.extend(reading.documents);
                inputs.failures.extend(reading.errors.into_iter().map(Failure::from));
            }
            Err(failure) => inputs.failures.push(failure),
        }
    }
    Ok(inputs)
}

/// The files behind the paths of a command line, each once, those of a directory sorted.
fn find(paths: &[PathBuf], failures: &mut Vec<Failure>) -> anyhow::Result<Vec<PathBuf>> {
    let types = manifests()?;
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for path in paths {
        let mut found = Vec::new();
        if !path.is_dir() {
            found.push(path.clone());
        } else {
            for entry in WalkBuilder::new(path).types(types.clone()).build() {
                match entry {
                    Ok(entry) if entry.path().is_file() => found.push(tidy(entry.path())),
                    Ok(_) => {}
                    Err(error) => failures.push(Failure::new(path.display().to_string(), error.to_string())),
                }
            }
            found.sort();
        }
        files.extend(found.into_iter().filter(|file| seen.insert(file.clone())));
    }
    Ok(files)
}

fn manifests() -> Result<Types, ignore::Error> {
    let mut types = TypesBuilder::new();
    for pattern in PATTERNS {
        types.add("manifest", pattern)?;
    }
    types.select("manifest").build()
}

/// A path without the `./` that walking `.` puts before it.
fn tidy(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_path_buf()
}

fn read_file(path: &Path) -> Result<Reading, Failure> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { STDIN.to_owned() } else { path.display().to_string() };
    let bytes = if is_stdin {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    match bytes {
        Ok(bytes) => Ok(manifest::read(name, bytes)),
        Err(error) => Err(Failure::new(name, error.to_string())),
    }
}
