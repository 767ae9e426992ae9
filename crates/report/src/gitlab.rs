//! A code quality report, which GitLab shows in a merge request.
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use walguard_engine::Severity;

use crate::{Place, Report};

#[derive(Serialize)]
struct Issue<'a> {
    description: &'a str,
    check_name: &'a str,
    /// The same for the same fault, wherever its line has moved; no two in a report.
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut unique = |text: String| {
        let times = seen.entry(text.clone()).or_default();
        *times += 1;
        if *times == 1 { text } else { format!("{text} {times}") }
    };
    let mut issues = Vec::new();
    for found in report.findings.iter().filter(|found| found.finding.counts()) {
        let finding = &found.finding;
        let resource = crate::name(&finding.resource);
        let (path, begin) = match &found.place {
            Place::Document { source, location, .. } => (source.name.as_str(), location.line),
            Place::Object(_) => ("", 1),
        };
        issues.push(Issue {
            description: &finding.message,
            check_name: &finding.check,
            fingerprint: unique(format!("{path} {} {resource} {}", finding.check, finding.field())),
            severity: match finding.severity {
                Severity::Error => "critical",
                Severity::Warning => "major",
                Severity::Info => "info",
            },
            location: Location { path, lines: Lines { begin } },
        });
    }
    for failure in &report.failures {
        issues.push(Issue {
            description: &failure.message,
            check_name: "unreadable",
            fingerprint: unique(format!("{} unreadable {}", failure.file, failure.message)),
            severity: "blocker",
            location: Location {
                path: &failure.file,
                lines: Lines { begin: failure.position.map_or(1, |(line, _)| line) },
            },
        });
    }
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}
