//! One line each: `orders.yaml:15:25: error[durability/full_page_writes] message`.

use std::io::{self, Write};

use crate::{Place, Report, Style, human, paint};

pub(super) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut errors = style.color.stderr();
    for failure in &report.failures {
        writeln!(errors, "error: {failure}")?;
    }
    let mut shown: Vec<_> = report.findings.iter().filter(|found| style.shows(&found.finding)).collect();
    shown.sort_by_key(|found| found.place.order());
    for found in shown {
        let finding = &found.finding;
        let painted = paint::severity(finding.severity);
        let place = match &found.place {
            Place::Document { source, location, .. } => {
                format!("{}:{}:{}", source.name, location.line, location.column)
            }
            Place::Object(_) => format!("{} {}", found.place.name(), finding.field()).trim_end().to_owned(),
        };
        let (severity, check, message) = (finding.severity.as_str(), &finding.check, one_line(&finding.message));
        writeln!(out, "{place}: {painted}{severity}[{check}]{painted:#} {message}")?;
    }
    if style.quiet { Ok(()) } else { human::summarise(report, style, out) }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
