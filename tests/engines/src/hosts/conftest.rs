//! `conftest test -p rules FILE…`, many files at a time.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value as Json;

use super::Host;
use super::gatekeeper::machine_numbers;
use crate::review::Review;
use crate::verdict::{self, Verdict};

pub struct Conftest {
    program: PathBuf,
    rules: PathBuf,
}

impl Conftest {
    pub fn new(program: &Path, rules: &Path) -> Self {
        Self { program: program.to_path_buf(), rules: rules.to_path_buf() }
    }
}

impl Host for Conftest {
    fn name(&self) -> String {
        "conftest".to_owned()
    }

    /// An object with nothing around it is what people give to conftest; anything more it can be given only in the envelope. Of a list
    /// conftest evaluates every element by itself. Numbers are what Go makes of them.
    fn project(&self, review: &Review) -> Option<Review> {
        let input = match review.input.as_object()?.iter().collect::<Vec<_>>().as_slice() {
            [(key, only)] if *key == "review" => match only.as_object()?.iter().collect::<Vec<_>>().as_slice() {
                [(key, object)] if *key == "object" && object.is_object() => (*object).clone(),
                _ => review.input.clone(),
            },
            _ => review.input.clone(),
        };
        Some(Review { name: review.name.clone(), input: machine_numbers(input) })
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let directory = tempfile::tempdir()?;
        for (index, review) in reviews.iter().enumerate() {
            fs::write(directory.path().join(format!("{index}.json")), review.text())?;
        }
        let output = Command::new(&self.program)
            .args(["test", "--output", "json", "-p"])
            .arg(&self.rules)
            .args((0..reviews.len()).map(|index| format!("{index}.json")))
            .current_dir(directory.path())
            .output()
            .with_context(|| self.program.display().to_string())?;
        let Ok(Json::Array(results)) = serde_json::from_slice(&output.stdout) else {
            // One file that it cannot evaluate ends the run; one by one it becomes clear which.
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            return match reviews {
                [] => Ok(Vec::new()),
                [_] => Ok(vec![Verdict::Error(error)]),
                _ => {
                    let (a, b) = reviews.split_at(reviews.len() / 2);
                    Ok([self.judge(a)?, self.judge(b)?].concat())
                }
            };
        };
        let mut by_file: HashMap<String, Vec<Json>> = HashMap::new();
        for result in &results {
            let found = by_file.entry(result["filename"].as_str().unwrap_or_default().to_owned()).or_default();
            for kind in ["failures", "warnings"] {
                found.extend(result[kind].as_array().into_iter().flatten().map(|one| finding(&one["metadata"])));
            }
        }
        let verdict = |index: usize| match by_file.remove(&format!("{index}.json")) {
            Some(findings) => Verdict::Findings(verdict::set(findings)),
            None => Verdict::Error("conftest says nothing of this file".to_owned()),
        };
        Ok((0..reviews.len()).map(verdict).collect())
    }

    /// conftest has failures and warnings; what only goes on record is neither.
    fn view(&self, _: &Review, verdict: &Verdict) -> Verdict {
        match verdict {
            Verdict::Findings(findings) => {
                let said = |finding: &&Json| finding["action"] == "deny" || finding["action"] == "warn";
                Verdict::Findings(findings.iter().filter(said).cloned().collect())
            }
            error @ Verdict::Error(_) => error.clone(),
        }
    }
}

/// What a rule gave, without the query that conftest writes beside it.
fn finding(metadata: &Json) -> Json {
    let mut finding = metadata.clone();
    if let Some(fields) = finding.as_object_mut() {
        fields.remove("query");
    }
    finding
}
