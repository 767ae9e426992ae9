//! One line each: `orders.yaml:15:25: error[durability/full_page_writes] message`.

use std::io::{self, Write};

use crate::{Place, Report, Style, human, one_line, paint};

pub(super) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for found in style.shown(report) {
        let finding = &found.finding;
        let painted = paint::severity(finding.severity);
        let place = match &found.place {
            Place::Document { source, location, .. } => {
                format!("{}:{}:{}", source.name, location.line, location.column)
            }
            Place::Object(_) => one_line(&format!("{} {}", found.place.name(), finding.field())),
        };
        let (severity, check, message) = (finding.severity.as_str(), &finding.check, one_line(&finding.message));
        writeln!(out, "{place}: {painted}{severity}[{check}]{painted:#} {message}")?;
    }
    if style.quiet { Ok(()) } else { human::summarise(report, style, out) }
}
