//! Coverage of the Rego by its tests, as `opa test --coverage` measures it.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use serde_json::Value;

/// Packages that must be covered to the last line.
const COMPLETE: [&str; 3] = ["rules/checks/", "rules/operators/", "rules/storage/"];

/// Runs the tests with coverage, prints the total and the lines that no test reaches; fails where they are in [`COMPLETE`].
pub fn check(root: &Path, opa: &Path) -> Result<ExitCode> {
    let output = Command::new(opa)
        // A busy machine takes longer than the five seconds that opa allows a test.
        .args(["test", "--timeout", "10m", "--ignore", "*.yaml", "--ignore", "*.json"])
        .args(["--coverage", "--format", "json", "rules"])
        .current_dir(root)
        .output()
        .with_context(|| format!("cannot run {}", opa.display()))?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("opa test: {}", String::from_utf8_lossy(&output.stdout)))?;
    let mut missing = 0;
    for (file, coverage) in report["files"].as_object().context("coverage has files")? {
        let ranges: Vec<String> = coverage["not_covered"].as_array().into_iter().flatten().map(lines).collect();
        if !ranges.is_empty() {
            let must = COMPLETE.iter().any(|prefix| file.starts_with(prefix));
            missing += usize::from(must);
            eprintln!("{}{file}: no test reaches {}", if must { "error: " } else { "" }, ranges.join(", "));
        }
    }
    eprintln!("Rego covered by its tests: {} % of lines", report["coverage"]);
    Ok(if missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn lines(range: &Value) -> String {
    let row = |end: &str| range[end]["row"].as_u64().unwrap_or_default();
    match (row("start"), row("end")) {
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start}–{end}"),
    }
}
