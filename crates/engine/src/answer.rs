//! What is said about findings: the message of a denial, warnings, audit annotations.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::{Action, Finding, Severity};

/// A denial is read on a terminal, and the API server logs it: a few KiB at most.
const MESSAGE_MAX_CHARS: usize = 4096;
/// The API server passes warnings on as they are while all of them together have no more characters than this, …
const WARNINGS_MAX_CHARS: usize = 4096;
/// … and else cuts each to this many.
const WARNING_MAX_CHARS: usize = 256;
/// Shorter than this a finding says nothing.
const FINDING_MIN_CHARS: usize = 200;

/// Whether findings deny the request.
#[must_use]
pub fn denies(findings: &[Finding]) -> bool {
    with(findings, Action::Deny).next().is_some()
}

/// The message of a denial: every finding that denies, with its field and remedy. `subject` names the object; `caveat` says what the
/// judgement could not see, for whoever is denied must know that there was more to be known.
#[must_use]
pub fn denial(subject: &str, findings: &[Finding], caveat: Option<&str>) -> String {
    let errors: Vec<&Finding> = with(findings, Action::Deny).collect();
    let mut heading = format!("{subject} has {} error{}", errors.len(), if errors.len() == 1 { "" } else { "s" });
    if let Some(caveat) = caveat {
        heading.push_str(&format!(" ({})", cut(&in_part(caveat), MESSAGE_MAX_CHARS / 4)));
    }
    let room = MESSAGE_MAX_CHARS.saturating_sub(heading.chars().count() + 64);
    let shown = errors.len().min(room / FINDING_MIN_CHARS);
    let each = room / shown.max(1);
    let mut message = heading;
    for error in &errors[..shown] {
        let mut entry = line("", error);
        if !error.remediation.is_empty() {
            entry.push_str(if entry.ends_with(['.', '!', '?']) { " Remedy: " } else { ". Remedy: " });
            entry.push_str(&one_line(&error.remediation));
        }
        message.push_str("\n- ");
        message.push_str(&cut(&entry, each.saturating_sub(3)));
    }
    if shown < errors.len() {
        message.push_str(&format!("\n… and {} more", errors.len() - shown));
    }
    message
}

/// The message about an object that could not be judged.
#[must_use]
pub fn not_judged(subject: &str, reason: &str) -> String {
    cut(&format!("{subject} was not judged: {}", one_line(reason)), MESSAGE_MAX_CHARS)
}

/// The warnings to show, the caveat of [`denial`] first: of many warnings the last ones are only counted.
#[must_use]
pub fn warnings(findings: &[Finding], caveat: Option<&str>) -> Vec<String> {
    let found = with(findings, Action::Warn).map(|finding| line(prefix(finding), finding));
    fitted(caveat.map(in_part).into_iter().chain(found).collect())
}

fn in_part(caveat: &str) -> String {
    format!("judged in part: {}", one_line(caveat))
}

/// What is said before a finding that lets its request pass.
fn prefix(finding: &Finding) -> &'static str {
    match finding.severity {
        _ if finding.ratcheted => "was there before, so not denied: ",
        Severity::Error => "error, not enforced: ",
        Severity::Warning => "",
        Severity::Info => "info: ",
    }
}

/// Audit annotations: the ids of the checks by severity, and those that are waived, sorted, with commas between.
#[must_use]
pub fn audit_annotations(findings: &[Finding]) -> BTreeMap<&'static str, String> {
    let mut annotations = BTreeMap::new();
    let mut annotate = |key: &'static str, of: &dyn Fn(&Finding) -> bool| {
        let checks: BTreeSet<&str> =
            findings.iter().filter(|finding| of(finding)).map(|finding| finding.check.as_str()).collect();
        if !checks.is_empty() {
            annotations.insert(key, checks.into_iter().collect::<Vec<_>>().join(","));
        }
    };
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        annotate(severity.as_str(), &|finding| finding.counts() && finding.severity == severity);
    }
    annotate("waived", &|finding| !finding.counts());
    annotations
}

fn with(findings: &[Finding], action: Action) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(move |finding| finding.action == action)
}

/// `check at field: message`.
fn line(prefix: &str, finding: &Finding) -> String {
    let field = finding.field();
    let at = if field.is_empty() { "" } else { " at " };
    format!("{prefix}{}{at}{}: {}", finding.check, one_line(&field), one_line(&finding.message))
}

/// Warnings travel in headers – the API server drops one with a line break, which a key of the object may bring –, and lines of a denial end
/// with one.
fn one_line(text: &str) -> Cow<'_, str> {
    if is_one_line(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ").replace(char::is_control, ""))
}

/// Whether a text is as `one_line` would write it, as almost all are.
fn is_one_line(text: &str) -> bool {
    let mut after_space = true;
    let fits = text.chars().all(|c| {
        let space = c == ' ';
        let allowed = if space { !after_space } else { !(c.is_whitespace() || c.is_control()) };
        after_space = space;
        allowed
    });
    fits && (text.is_empty() || !after_space)
}

fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Warnings as the API server would show them; what has no room is counted in the last one.
#[must_use]
pub fn fitted(warnings: Vec<String>) -> Vec<String> {
    if warnings.iter().map(|warning| warning.chars().count()).sum::<usize>() <= WARNINGS_MAX_CHARS {
        return warnings;
    }
    let most = WARNINGS_MAX_CHARS / WARNING_MAX_CHARS;
    let all = warnings.len();
    let mut shown: Vec<String> = warnings.iter().map(|warning| cut(warning, WARNING_MAX_CHARS)).collect();
    if all > most {
        shown.truncate(most - 1);
        shown.push(format!("… and {} more", all - (most - 1)));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PathSegment;

    fn finding(severity: Severity, message: &str) -> Finding {
        Finding {
            check: "area/check".to_owned(),
            severity,
            action: match severity {
                Severity::Error => Action::Deny,
                Severity::Warning => Action::Warn,
                Severity::Info => Action::Audit,
            },
            message: message.to_owned(),
            remediation: "Do\nthis.".to_owned(),
            docs: String::new(),
            resource: crate::ResourceRef::default(),
            path: vec![PathSegment::Key("spec".to_owned())],
            line: None,
            facts: serde_json::Map::new(),
            fix: Vec::new(),
            related: Vec::new(),
            ratcheted: false,
            waived: None,
            default_of: None,
        }
    }

    #[test]
    fn a_line_is_left_as_it_is_or_made_one() {
        for text in ["", "one", "a × b … c", "ends with é"] {
            assert!(matches!(one_line(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
        for (text, line) in [
            (" one", "one"),
            ("one ", "one"),
            ("one  two", "one two"),
            ("one\ntwo", "one two"),
            ("one\u{a0}two", "one two"),
            ("on\u{7}e\u{7f}", "one"),
            (" ", ""),
        ] {
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }

    #[test]
    fn a_denial_names_every_error_with_its_field_and_remedy() {
        let findings =
            [finding(Severity::Error, "one"), finding(Severity::Error, "two"), finding(Severity::Warning, "three")];
        assert!(denies(&findings) && !denies(&findings[2..]));
        assert_eq!(
            denial("Cluster a/b", &findings, None),
            "Cluster a/b has 2 errors\n- area/check at spec: one. Remedy: Do this.\n- area/check at spec: two. Remedy: Do this."
        );
        assert_eq!(warnings(&findings, None), ["area/check at spec: three"]);
        let mut broken = finding(Severity::Warning, "four");
        broken.path.push(PathSegment::Key("x\ny".to_owned()));
        assert!(warnings(&[broken], None).iter().all(|line| is_one_line(line)));
        let audit = audit_annotations(&findings);
        assert_eq!((audit["error"].as_str(), audit["warning"].as_str()), ("area/check", "area/check"));
    }

    #[test]
    fn a_denial_stays_short_whatever_is_found() {
        for count in [1, 7, 20, 500] {
            let message = denial(
                "Cluster a/b",
                &vec![finding(Severity::Error, &"ä\n".repeat(20_000)); count],
                Some(&"x".repeat(5000)),
            );
            assert!(message.chars().count() <= MESSAGE_MAX_CHARS, "{count}");
            assert!(message.lines().count() == count + 1 || message.ends_with(" more"), "{count}");
        }
    }

    #[test]
    fn warnings_keep_within_what_the_api_server_passes_on() {
        let few = warnings(&vec![finding(Severity::Warning, &"x".repeat(1000)); 3], None);
        assert_eq!(few.len(), 3);
        assert!(few.iter().all(|warning| warning.ends_with("xxx")));

        let many = warnings(&vec![finding(Severity::Warning, &"x".repeat(1000)); 100], None);
        assert_eq!(many.len(), 16);
        assert!(many.iter().all(|warning| warning.chars().count() <= 256 && !warning.contains('\n')));
        assert_eq!(many[15], "… and 85 more");
    }
    #[test]
    fn the_action_decides_what_is_shown() {
        let acted = |severity, action, message| Finding { action, ..finding(severity, message) };
        let findings = [
            acted(Severity::Error, Action::Warn, "one"),
            Finding { ratcheted: true, ..finding(Severity::Warning, "two") },
            acted(Severity::Info, Action::Warn, "three"),
            Finding { waived: Some(Default::default()), ..acted(Severity::Error, Action::None, "four") },
            finding(Severity::Info, "five"),
        ];
        assert!(!denies(&findings));
        assert_eq!(
            warnings(&findings, None),
            [
                "error, not enforced: area/check at spec: one",
                "was there before, so not denied: area/check at spec: two",
                "info: area/check at spec: three",
            ]
        );
        assert_eq!(
            audit_annotations(&findings).into_keys().collect::<Vec<_>>(),
            ["error", "info", "waived", "warning"]
        );
    }

    #[test]
    fn what_was_judged_in_part_says_so_first() {
        let findings = [finding(Severity::Error, "one"), finding(Severity::Warning, "two")];
        let denial = denial("Cluster a/b", &findings, Some("cannot list\nx"));
        assert!(denial.starts_with("Cluster a/b has 1 error (judged in part: cannot list x)\n- "), "{denial}");
        assert_eq!(
            warnings(&findings, Some("cannot list x")),
            ["judged in part: cannot list x", "area/check at spec: two"]
        );
    }
}
