//! What is left of findings in the answer to the API server: verdict, audit annotations, and lines that may be cut.

use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use walguard_engine::{Finding, Severity};

use crate::review::Review;
use crate::verdict::{self, Verdict};

/// Of a line this much is always shown.
const LINE_CHARS: usize = 120;
/// So many errors have room in a denial, each with that much of its line.
const ERRORS: usize = 12;
/// More characters of warnings than this are cut …
const WARNINGS_CHARS: usize = 4096;
/// … and so many are left.
const WARNINGS: usize = 16;

/// The AdmissionReview of a review, when its object says what it is.
pub fn request(review: &Review) -> Option<Json> {
    let given = review.input.get("review")?.as_object()?;
    let object = given.get("object")?;
    let (api_version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let mut request = given.clone();
    request.insert("uid".to_owned(), json!("u"));
    request.insert("kind".to_owned(), json!({"group": group, "version": version, "kind": kind}));
    Some(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}))
}

/// A review as an API server could ask for it: the object is one, the operation is one of two, names are strings.
pub fn project(review: &Review, keep: &[&str]) -> Option<Review> {
    let input = review.input.as_object()?;
    let given = input.get("review")?.as_object()?;
    let object = given.get("object")?.as_object()?;
    let mut asked = Map::new();
    asked.insert("object".to_owned(), Json::Object(object.clone()));
    let old = given.get("oldObject").filter(|old| old.is_object());
    let operation =
        if old.is_some() && given.get("operation").is_some_and(|o| o == "UPDATE") { "UPDATE" } else { "CREATE" };
    asked.insert("operation".to_owned(), json!(operation));
    if let Some(old) = old {
        asked.insert("oldObject".to_owned(), old.clone());
    }
    if let Some(namespace) = given.get("namespace").filter(|namespace| namespace.is_string()) {
        asked.insert("namespace".to_owned(), namespace.clone());
    }
    let mut projected = Map::from_iter([("review".to_owned(), Json::Object(asked))]);
    for key in keep {
        if let Some(value) = input.get(*key) {
            projected.insert((*key).to_owned(), value.clone());
        }
    }
    let projected = Review { name: review.name.clone(), input: Json::Object(projected) };
    request(&projected)?;
    Some(projected)
}

/// What an answer tells of the findings.
pub fn read(answer: &Json) -> Verdict {
    let response = &answer["response"];
    let audit = &response["auditAnnotations"];
    if !audit["not-judged"].is_null() || response["allowed"].is_null() {
        return Verdict::Error(answer.to_string());
    }
    let message = response["status"]["message"].as_str().unwrap_or_default();
    let errors: Vec<&str> = message.lines().skip(1).collect();
    let errors =
        if errors.len() > ERRORS { None } else { Some(errors.iter().map(|line| line.trim_start_matches("- "))) };
    let warnings: Vec<&str> = response["warnings"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let cut = warnings.last().is_some_and(|last| last.starts_with("… and "));
    let annotation = |severity: &str| audit[severity].as_str().unwrap_or_default().to_owned();
    said(
        response["allowed"].as_bool().unwrap_or_default(),
        [annotation("error"), annotation("warning"), annotation("info")],
        errors.map(|errors| errors.map(without_remedy).map(start).collect()),
        (!cut).then(|| warnings.into_iter().map(start).collect()),
    )
}

/// What an answer would tell of a verdict.
pub fn view(verdict: &Verdict, show_info: bool) -> Verdict {
    let Verdict::Findings(findings) = verdict else { return verdict.clone() };
    let findings: Result<Vec<Finding>, _> =
        findings.iter().map(|finding| serde_json::from_value::<Finding>(finding.clone())).collect();
    let findings = match findings {
        Ok(findings) => findings,
        Err(error) => return Verdict::Error(error.to_string()),
    };
    let of = |severity: Severity| findings.iter().filter(move |finding| finding.severity == severity);
    let checks = |severity: Severity| {
        of(severity)
            .map(|finding| finding.check.as_str())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
            .join(",")
    };
    let errors: Vec<String> = of(Severity::Error)
        .map(|finding| line("", finding))
        .map(|line| line.trim_end_matches('.').to_owned())
        .collect();
    let before = |finding: &Finding| if finding.ratcheted { "was there before, so not denied: " } else { "" };
    let mut warnings: Vec<String> = of(Severity::Warning).map(|finding| line(before(finding), finding)).collect();
    if show_info {
        warnings.extend(of(Severity::Info).map(|finding| line("info: ", finding)));
    }
    let length: usize = warnings.iter().map(|warning| warning.chars().count()).sum();
    let cut = length > WARNINGS_CHARS && warnings.len() > WARNINGS;
    let starts = |lines: Vec<String>| lines.iter().map(|line| start(line)).collect();
    said(
        errors.is_empty(),
        [checks(Severity::Error), checks(Severity::Warning), checks(Severity::Info)],
        (errors.len() <= ERRORS).then(|| starts(errors)),
        (!cut).then(|| starts(warnings)),
    )
}

fn said(
    allowed: bool,
    [error, warning, info]: [String; 3],
    errors: Option<BTreeSet<String>>,
    warnings: Option<BTreeSet<String>>,
) -> Verdict {
    Verdict::Findings(verdict::set([json!({
        "allowed": allowed, "error": error, "warning": warning, "info": info, "errors": errors, "warnings": warnings,
    })]))
}

fn line(prefix: &str, finding: &Finding) -> String {
    let field = finding.field();
    let at = if field.is_empty() { "" } else { " at " };
    let message = finding.message.split_whitespace().collect::<Vec<_>>().join(" ").replace(char::is_control, "");
    format!("{prefix}{}{at}{field}: {message}", finding.check)
}

/// A line of a denial without what a host adds from the METADATA of the check.
fn without_remedy(line: &str) -> &str {
    line.split_once(" Remedy: ").map_or(line, |(finding, _)| finding).trim_end_matches('.')
}

fn start(line: &str) -> String {
    line.chars().take(LINE_CHARS).collect()
}
