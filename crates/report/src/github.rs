//! Workflow commands of GitHub Actions, which become annotations of the changed lines.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use std::io::{self, Write};

use walguard_engine::{Catalogue, Severity};

use crate::{Place, Report};

pub(super) fn write(report: &Report, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
    for found in report.findings.iter().filter(|found| found.finding.counts()) {
        let finding = &found.finding;
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let title = match catalogue.checks.get(&finding.check) {
            Some(check) => format!("{} ({})", check.title, finding.check),
            None => finding.check.clone(),
        };
        let place = match &found.place {
            Place::Document { source, location, .. } => {
                let file = property(&source.name);
                format!("file={file},line={},col={},", location.line, location.column)
            }
            Place::Object(_) => String::new(),
        };
        writeln!(out, "::{command} {place}title={}::{}", property(&title), data(&crate::text(finding)))?;
    }
    for failure in &report.failures {
        let place = failure.position.map(|(line, column)| format!(",line={line},col={column}")).unwrap_or_default();
        let file = property(&failure.file);
        match report.objects {
            None => writeln!(out, "::error file={file}{place}::{}", data(&failure.message))?,
            Some(_) => writeln!(out, "::error title={file}::{}", data(&failure.message))?,
        }
    }
    Ok(())
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
