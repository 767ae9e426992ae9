//! Coverage of the Rego by its tests, as `opa test --coverage` measures it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

/// Packages that must be covered to the last line.
const COMPLETE: [&str; 3] = ["rules/checks/", "rules/operators/", "rules/storage/"];

/// Names of tests, in parts that take about as long: with coverage opa runs one test after the other.
const PARTS: [&str; 2] = [r"^data\.walguard\.checks\.", r"^data\.(main|walguard\.([^c]|c[^h]|ch[^e]))"];

/// The lines of a file that tests reach, and those that they do not.
#[derive(Default)]
struct Lines {
    covered: BTreeSet<u64>,
    all: BTreeSet<u64>,
}

/// Runs the tests with coverage, prints the total and the lines that no test reaches; fails where they are in [`COMPLETE`].
pub fn check(root: &Path, opa: &Path) -> Result<ExitCode> {
    let mut running = Vec::new();
    for part in PARTS {
        let child = Command::new(opa)
            // A busy machine takes longer than the five seconds that opa allows a test.
            .args(["test", "--timeout", "10m", "--ignore", "*.yaml", "--ignore", "*.json"])
            // Its two other passes, which say why a line was not reached, take twice the time once more.
            .args(["--coverage", "--coverage-runs", "", "--format", "json", "--run", part, "rules"])
            // Half of its time goes into collecting garbage otherwise.
            .env("GOGC", "400")
            .current_dir(root)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", opa.display()))?;
        // Read at once, so that none waits for room in its pipe.
        running.push(thread::spawn(|| child.wait_with_output()));
    }
    let mut files = BTreeMap::<String, Lines>::new();
    for part in running {
        let output = part.join().map_err(|_| anyhow!("opa was not waited for"))??;
        let report: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("opa test: {}", String::from_utf8_lossy(&output.stdout)))?;
        for (file, coverage) in report["files"].as_object().context("coverage has files")? {
            let lines = files.entry(file.clone()).or_default();
            for (key, reached) in [("covered", true), ("not_covered", false)] {
                for row in coverage[key].as_array().into_iter().flatten().flat_map(rows) {
                    lines.all.insert(row);
                    if reached {
                        lines.covered.insert(row);
                    }
                }
            }
        }
    }
    let mut missing = 0;
    let (mut covered, mut all) = (0, 0);
    for (file, lines) in &files {
        covered += lines.covered.len();
        all += lines.all.len();
        let unreached: Vec<String> = lines.all.difference(&lines.covered).map(u64::to_string).collect();
        if !unreached.is_empty() {
            let must = COMPLETE.iter().any(|prefix| file.starts_with(prefix));
            missing += usize::from(must);
            eprintln!("{}{file}: no test reaches {}", if must { "error: " } else { "" }, unreached.join(", "));
        }
    }
    eprintln!("Rego covered by its tests: {covered} of {all} lines");
    Ok(if missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn rows(range: &Value) -> RangeInclusive<u64> {
    let row = |end: &str| range[end]["row"].as_u64().unwrap_or_default();
    row("start")..=row("end")
}
