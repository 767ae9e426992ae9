//! JSON for programs. The form is frozen: fields are added, never changed or taken away, as long as `version` is 1.
//!
//! ```json
//! {
//!   "version": 1,
//!   "summary": {"documents": 1, "clusters": 1, "error": 1, "warning": 0, "info": 0, "waived": 0, "ignored": 0, "failed": 0},
//!   "findings": [{
//!     "check": "wal/init_zero_filesystem", "severity": "error", "message": "…", "remediation": "…", "docs": "https://…",
//!     "resource": {"apiVersion": "…", "kind": "…", "namespace": "…", "name": "…"},
//!     "path": ["spec", "postgresql", "parameters", "wal_init_zero"], "file": "a.yaml", "line": 12, "column": 7,
//!     "facts": {}, "fix": [{"op": "replace", "path": "/spec/…", "value": "on"}],
//!     "waived": {"reason": "…", "owner": "…", "expires": "2027-04-01T00:00:00Z", "waiver": 0}, "default_of": "KubeBlocks",
//!     "related": [{"message": "16 cores", "file": "a.yaml", "line": 20, "column": 14}]
//!   }],
//!   "errors": [{"file": "b.yaml", "line": 3, "column": 1, "message": "…"}],
//!   "skipped": [{"path": "charts/db", "reason": "chart"}], "notes": ["…"]
//! }
//! ```
//!
//! What is found in a live cluster (`audit`) has no `file`, `line` and `column`; `documents` counts its objects, and the `file` of an
//! error is the kind or object. `line` and `column` count from 1, columns in characters; an error without a place in its file has
//! neither. `fix` is a JSON Patch (RFC 6902) of `resource`. `waived` is there only where the entry `waiver` of the configuration's
//! `waivers` covers the finding, or the comment in line `comment` of its file (then without `owner`; `ignored` counts those); it then
//! counts for nothing; `default_of` only where it is about an operator's own default; `related` only where the message speaks of other lines. `failed` counts `errors`: input that could not be
//! read, or resources that could not be judged. `skipped`: files, directories and charts that were found and not read as what they seem
//! to be (`chart`, `template`, `program`, `patch`, `expectation`, `excluded`, `ignored`, `hidden`, `link`, `no-manifest`); `notes`: what was unknown in
//! this run, and why.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};
use walguard_engine::{PathSegment, ResourceRef, Severity, Waived};

use crate::{Beside, Failure, Located, Place, Reason, Report, Skipped};

#[derive(Serialize)]
struct Output<'a> {
    version: u8,
    summary: Summary,
    findings: Vec<Finding<'a>>,
    errors: Vec<Error<'a>>,
    skipped: Vec<Passed<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Passed<'a> {
    path: &'a str,
    reason: Reason,
}

#[derive(Serialize)]
struct Summary {
    documents: usize,
    clusters: usize,
    error: usize,
    warning: usize,
    info: usize,
    /// Findings that the configuration waives; they are in none of the counts above.
    waived: usize,
    /// Findings that comments in the manifests ignore; likewise.
    ignored: usize,
    failed: usize,
}

#[derive(Serialize)]
struct Finding<'a> {
    check: &'a str,
    severity: Severity,
    message: &'a str,
    remediation: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    docs: &'a str,
    resource: &'a ResourceRef,
    path: &'a [PathSegment],
    #[serde(flatten)]
    place: Option<Written<'a>>,
    facts: &'a Map<String, Value>,
    fix: &'a [Value],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waived: Option<&'a Waived>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_of: Option<&'a str>,
}

#[derive(Serialize)]
struct Written<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: Written<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    message: &'a str,
}

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let output = Output {
        version: 1,
        summary: Summary {
            documents: report.summary.documents,
            clusters: report.summary.clusters,
            error: report.summary.error,
            warning: report.summary.warning,
            info: report.summary.info,
            waived: report.summary.waived,
            ignored: report.summary.ignored,
            failed: report.summary.failed,
        },
        findings: report.findings.iter().map(finding).collect(),
        errors: report.failures.iter().map(error).collect(),
        skipped: report.skipped.iter().map(|Skipped { reason, path }| Passed { path, reason: *reason }).collect(),
        notes: &report.notes,
    };
    serde_json::to_writer_pretty(&mut *out, &output)?;
    writeln!(out)
}

fn finding(found: &Located) -> Finding<'_> {
    let finding = &found.finding;
    let place = match &found.place {
        Place::Document { source, location, .. } => {
            Some(Written { file: &source.name, line: location.line, column: location.column })
        }
        Place::Object(_) => None,
    };
    Finding {
        check: &finding.check,
        severity: finding.severity,
        message: &finding.message,
        remediation: &finding.remediation,
        docs: &finding.docs,
        resource: &finding.resource,
        path: &finding.path,
        place,
        facts: &finding.facts,
        fix: &finding.fix,
        related: found.related.iter().map(related).collect(),
        waived: finding.waived.as_ref(),
        default_of: finding.default_of.as_deref(),
    }
}

fn related(beside: &Beside) -> Related<'_> {
    let Beside { source, location, message } = beside;
    Related { message, place: Written { file: &source.name, line: location.line, column: location.column } }
}

fn error(failure: &Failure) -> Error<'_> {
    let (line, column) = failure.position.unzip();
    Error { file: &failure.file, line, column, message: &failure.message }
}
