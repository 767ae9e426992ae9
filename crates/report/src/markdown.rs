//! A table, for a comment on a pull request or the summary of a CI step.

use std::io::{self, Write};

use walguard_engine::Severity;

use crate::fold::{Folded, fold};
use crate::human::describe;
use crate::skipped;
use crate::{Located, Place, Report, Style, by_severity, counted, judged, one_line};

pub(super) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let found: Vec<String> = by_severity(&report.summary).map(|(_, text)| text).collect();
    let found = if found.is_empty() { "no problems".to_owned() } else { found.join(", ") };
    let clusters = counted(report.summary.clusters, "PostgreSQL cluster", "PostgreSQL clusters");
    writeln!(out, "### walguard: {found}\n\n{} in {}\n", clusters, judged(report))?;
    for failure in &report.failures {
        writeln!(out, "- **cannot be read:** {}", cell(&failure.to_string()))?;
    }
    let (info, worse): (Vec<&Located>, Vec<&Located>) = report
        .findings
        .iter()
        .filter(|found| found.finding.counts())
        .partition(|found| found.finding.severity == Severity::Info);
    table(&worse, out)?;
    if !info.is_empty() && (style.info || worse.is_empty()) {
        table(&info, out)?;
    } else if !info.is_empty() {
        writeln!(out, "\n<details><summary>{} info</summary>\n", info.len())?;
        table(&info, out)?;
        writeln!(out, "\n</details>")?;
    }
    let skipped = skipped::summary(&report.skipped);
    if !report.notes.is_empty() || skipped.is_some() {
        writeln!(out)?;
    }
    report.notes.iter().chain(&skipped).try_for_each(|note| writeln!(out, "- {}", cell(note)))
}

fn table(findings: &[&Located], out: &mut dyn Write) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "| | where | what |\n|---|---|---|")?;
    for folded in fold(findings) {
        let Folded { first: found, .. } = &folded;
        let finding = &found.finding;
        let place = match &found.place {
            Place::Document { source, location, .. } => format!("{}:{}", source.name, location.line),
            Place::Object(_) => found.place.name(),
        };
        let fix: Vec<String> = finding.fix.iter().filter_map(describe).collect();
        let fix = if fix.is_empty() { String::new() } else { format!("<br>**fix:** {}", cell(&fix.join("; "))) };
        let id = match finding.docs.as_str() {
            "" => format!("`{}`", finding.check),
            docs => format!("[{}]({docs})", finding.check),
        };
        let (severity, message) = (finding.severity.as_str(), cell(&finding.message));
        let also =
            folded.elsewhere(false).map_or_else(String::new, |places| format!("<br>**also:** {}", cell(&places)));
        writeln!(out, "| {severity} | `{}` | {id}: {message}{fix}{also} |", place.replace('|', "\\|"))?;
    }
    Ok(())
}

/// Text in a cell of a table: one line, and nothing of it means anything to Markdown or HTML.
fn cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '@' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}
