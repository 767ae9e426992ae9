//! How many findings each check has, and how many of them `--fix` cures.

use std::collections::BTreeMap;
use std::io::{self, Write};

use walguard_engine::{Catalogue, Severity};

use crate::{Report, Style, human, paint};

pub(super) fn write(report: &Report, catalogue: &Catalogue, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut rows: BTreeMap<(Severity, &str), (usize, usize)> = BTreeMap::new();
    for found in style.shown(report) {
        let row = rows.entry((found.finding.severity, &found.finding.check)).or_default();
        row.0 += 1;
        row.1 += usize::from(!found.finding.fix.is_empty());
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|((severity, check), (count, _))| (std::cmp::Reverse((*severity, *count)), *check));
    let width = rows.iter().map(|((_, check), _)| check.len()).max().unwrap_or_default();
    for ((severity, check), (count, fixable)) in rows {
        let painted = paint::severity(severity);
        let title = catalogue.checks.get(check).map_or("", |check| check.title.as_str());
        let fixable = if fixable > 0 { format!(" ({fixable} with --fix)") } else { String::new() };
        writeln!(out, "{count:>5}  {painted}{:<7}{painted:#}  {check:<width$}  {title}{fixable}", severity.as_str())?;
    }
    if style.quiet { Ok(()) } else { human::summarise(report, style, out) }
}
