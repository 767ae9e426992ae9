//! Finds and reads the files of a run.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use rayon::prelude::*;
use walguard_manifest::{self as manifest, Document, Reading};
use walguard_report::Failure;

use crate::server;

/// The path that means standard input, and the name of what comes from there.
pub const STDIN_PATH: &str = "-";
const STDIN: &str = "<stdin>";
/// The files of a directory that are read.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// What came of reading files, in the order of their paths.
#[derive(Debug, Default)]
pub struct Inputs {
    pub documents: Vec<Document>,
    /// Configuration files of servers, unread.
    pub configurations: Vec<PathBuf>,
    pub failures: Vec<Failure>,
}

/// Reads files, directories and standard input (`-`).
pub fn read(paths: &[PathBuf]) -> Inputs {
    let mut inputs = Inputs::default();
    let files = find(paths, &mut inputs.failures);
    let (configurations, files): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|path| server::is_configuration(path));
    inputs.configurations = configurations;
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
    inputs
}

/// The files behind the paths of a command line, each once, those of a directory sorted.
fn find(paths: &[PathBuf], failures: &mut Vec<Failure>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for path in paths {
        let mut found = Vec::new();
        if !path.is_dir() {
            found.push(path.clone());
        } else {
            for entry in WalkBuilder::new(path).build() {
                match entry {
                    Ok(entry) if is_manifest(entry.path()) || server::is_whole(entry.path()) => {
                        found.push(tidy(entry.path()))
                    }
                    Ok(_) => {}
                    Err(error) => failures.push(Failure::new(path.display().to_string(), error.to_string())),
                }
            }
            found.sort();
        }
        files.extend(found.into_iter().filter(|file| seen.insert(file.clone())));
    }
    files
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|found| EXTENSIONS.iter().any(|extension| found == *extension)) && path.is_file()
}

/// A path without the `./` that walking `.` puts before it.
fn tidy(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_path_buf()
}

fn read_file(path: &Path) -> Result<Reading, Failure> {
    let is_stdin = path == Path::new(STDIN_PATH);
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
