//! `--watch`: lints again whenever a file that it reads changes, appears or goes.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{env, fs, thread};

use anyhow::Context as _;

use crate::{config, walk};

/// How often the files are looked at.
const EVERY: Duration = Duration::from_millis(400);

/// Runs this program again and again, without the flag. It ends when it is interrupted.
///
/// # Errors
/// When the program cannot be started.
pub fn watch(paths: &[PathBuf], rules: &walk::Rules) -> anyhow::Result<Infallible> {
    let program = env::current_exe().context("--watch: this program cannot be found")?;
    let arguments: Vec<OsString> = env::args_os().skip(1).filter(|argument| argument != "--watch").collect();
    loop {
        let before = state(paths, rules);
        if io::stdout().is_terminal() {
            write!(io::stdout(), "\u{1b}[2J\u{1b}[H").and_then(|()| io::stdout().flush()).context("--watch")?;
        }
        Command::new(&program).args(&arguments).status().context("--watch: this program cannot be started")?;
        anstream::eprintln!("Waiting for a change; Ctrl-C ends");
        while state(paths, rules) == before {
            thread::sleep(EVERY);
        }
    }
}

/// The files that are read, each with its size and when it was written last; the configurations beside and above them, too.
fn state(paths: &[PathBuf], rules: &walk::Rules) -> BTreeMap<PathBuf, Option<(u64, SystemTime)>> {
    let files = walk::find(paths, rules).files.into_iter().map(|file| file.path);
    let written = |path: &Path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    let mut known = BTreeMap::new();
    for file in files {
        for directory in walk::absolute(&file).ancestors().skip(1) {
            for name in config::NAMES {
                let configuration = directory.join(name);
                known.entry(configuration).or_insert_with_key(|path| written(path));
            }
        }
        let state = written(&file);
        known.insert(file, state);
    }
    known
}
