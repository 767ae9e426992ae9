//! Workflow commands of GitHub Actions, which become annotations of the changed lines.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use std::io::{self, Write};

use walguard_engine::{Catalogue, Severity};

use crate::lint::Report;

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
        writeln!(
            out,
            "::{command} file={},line={},col={},title={}::{}",
            property(report.file(found)),
            found.location.line,
            found.location.column,
            property(&title),
            data(&format!("{}\n{}\n{}", finding.message, finding.remediation, finding.docs)),
        )?;
    }
    for failure in &report.failures {
        let place = failure.position.map(|(line, column)| format!(",line={line},col={column}")).unwrap_or_default();
        writeln!(out, "::error file={}{place}::{}", property(&failure.file), data(&failure.message))?;
    }
    Ok(())
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
