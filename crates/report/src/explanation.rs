//! A finding explained in Markdown, for whoever points at it in an editor.

use walguard_engine::{Catalogue, Finding};

use crate::human::{arithmetic, describe, table};
use crate::one_line;

/// What was found, what to do, and why, with the numbers.
#[must_use]
pub fn explanation(finding: &Finding, catalogue: &Catalogue) -> String {
    let check = catalogue.checks.get(&finding.check);
    let title = check.map_or("", |check| check.title.as_str());
    let mut text = format!("**{title}** `{}` ({})\n\n{}\n", finding.check, finding.severity, plain(&finding.message));
    match (proposal(finding), finding.remediation.as_str()) {
        (Some(fix), _) => text.push_str(&format!("\n*Fix:* {}\n", plain(&fix))),
        (None, "") => {}
        (None, remediation) => text.push_str(&format!("\n*What to do:* {}\n", plain(remediation))),
    }
    if let Some(check) = check {
        text.push_str(&format!("\n{}\n", check.description.trim()));
        let sums = arithmetic(check, &finding.facts);
        if !sums.is_empty() {
            text.push_str(&format!("\n```text\n{sums}\n```\n"));
        } else if !finding.facts.is_empty() {
            text.push_str(&format!("\n```text\n{}\n```\n", table(&finding.facts)));
        }
    }
    if !finding.docs.is_empty() {
        text.push_str(&format!("\n[Sources and an example]({})\n", finding.docs));
    }
    text
}

/// What the fix of a finding does, in words: `set spec.postgresql.parameters.autovacuum to "on"`.
#[must_use]
pub fn proposal(finding: &Finding) -> Option<String> {
    let fix: Vec<String> = finding.fix.iter().filter_map(describe).collect();
    (!fix.is_empty()).then(|| fix.join("; "))
}

/// Text of which nothing means anything to Markdown.
fn plain(text: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|');
    one_line(text).chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}
