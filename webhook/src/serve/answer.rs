//! What is said about findings: the message of a denial, warnings, audit annotations.

use std::collections::BTreeSet;

use walguard_engine::{Action, Finding, Severity};

use super::admission::{Response, StatusDetails};
use super::judge::Failure;

/// What findings lead to, where the policy configuration says nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Errors deny the request, warnings are shown.
    Enforce,
    /// Nothing is denied: errors are shown as warnings.
    Warn,
    /// Nothing is denied or shown: findings are logged, counted and written to the audit log.
    Audit,
}

impl Mode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Warn => "warn",
            Self::Audit => "audit",
        }
    }
}

/// A denial is read on a terminal, and the API server logs it: a few KiB at most.
const MESSAGE_MAX_CHARS: usize = 4096;
/// The API server passes warnings on as they are while all of them together have no more characters than this, …
const WARNINGS_MAX_CHARS: usize = 4096;
/// … and else cuts each to this many.
const WARNING_MAX_CHARS: usize = 256;
/// Shorter than this a finding says nothing.
const FINDING_MIN_CHARS: usize = 200;

/// The answer to a request that was judged. `subject` names the object.
pub fn judged(uid: &str, subject: &str, findings: &[Finding]) -> Response {
    let with = |action: Action| findings.iter().filter(move |finding| finding.action == action);
    let errors: Vec<&Finding> = with(Action::Deny).collect();
    let mut response = match errors.as_slice() {
        [] => Response::allow(uid),
        errors => Response::deny(uid, 403, "Forbidden", denial(subject, errors)),
    };
    response.warnings = fitted(with(Action::Warn).map(|finding| line(prefix(finding), finding)).collect());
    let mut annotate = |key: &'static str, of: &dyn Fn(&Finding) -> bool| {
        let checks: BTreeSet<&str> =
            findings.iter().filter(|finding| of(finding)).map(|finding| finding.check.as_str()).collect();
        if !checks.is_empty() {
            let checks: Vec<&str> = checks.into_iter().collect();
            response.audit_annotations.insert(key, checks.join(","));
        }
    };
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        annotate(severity.as_str(), &|finding| finding.counts() && finding.severity == severity);
    }
    annotate("waived", &|finding| !finding.counts());
    response
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

/// The answer to a request that could not be judged: what guards must not let pass what it did not see.
pub fn not_judged(uid: &str, subject: &str, failure: &Failure, mode: Mode) -> Response {
    let message = cut(&format!("{subject} was not judged: {}", one_line(&failure.to_string())), MESSAGE_MAX_CHARS);
    let mut response = match mode {
        Mode::Enforce => match failure {
            Failure::Overload => {
                let mut response = Response::deny(uid, 429, "TooManyRequests", message);
                if let Some(status) = &mut response.status {
                    status.details = Some(StatusDetails { retry_after_seconds: 1 });
                }
                response
            }
            Failure::Deadline(_) => Response::deny(uid, 504, "Timeout", message),
            Failure::Unreadable(_) => Response::deny(uid, 403, "Forbidden", message),
            Failure::Evaluation(_) | Failure::Panic => Response::deny(uid, 500, "InternalError", message),
        },
        Mode::Warn => {
            let mut response = Response::allow(uid);
            response.warnings = fitted(vec![message]);
            response
        }
        Mode::Audit => Response::allow(uid),
    };
    response.audit_annotations.insert("not-judged", failure.word().to_owned());
    response
}

fn denial(subject: &str, errors: &[&Finding]) -> String {
    let heading = format!("{subject} has {} error{}", errors.len(), if errors.len() == 1 { "" } else { "s" });
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

/// `check at field: message`.
fn line(prefix: &str, finding: &Finding) -> String {
    let field = finding.field();
    let at = if field.is_empty() { "" } else { " at " };
    format!("{prefix}{}{at}{field}: {}", finding.check, one_line(&finding.message))
}

/// Warnings travel in headers, and lines of a denial end with a line break.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(char::is_control, "")
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
fn fitted(warnings: Vec<String>) -> Vec<String> {
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

    fn finding(severity: Severity, action: Action, message: &str) -> Finding {
        Finding {
            check: "area/check".to_owned(),
            severity,
            action,
            message: message.to_owned(),
            remediation: "Do\nthis.".to_owned(),
            docs: String::new(),
            resource: Default::default(),
            path: vec![walguard_engine::PathSegment::Key("spec".to_owned())],
            facts: Default::default(),
            fix: Vec::new(),
            ratcheted: false,
            waived: None,
        }
    }

    fn error(message: &str) -> Finding {
        finding(Severity::Error, Action::Deny, message)
    }

    fn warning(message: &str) -> Finding {
        finding(Severity::Warning, Action::Warn, message)
    }

    fn message(response: &Response) -> &str {
        response.status.as_ref().map_or("", |status| &status.message)
    }

    #[test]
    fn a_denial_names_every_error_with_its_field_and_remedy() {
        let findings = [error("one"), error("two"), warning("three")];
        let response = judged("u", "Cluster a/b", &findings);
        assert!(!response.allowed);
        assert_eq!(
            message(&response),
            "Cluster a/b has 2 errors\n- area/check at spec: one. Remedy: Do this.\n- area/check at spec: two. Remedy: Do this."
        );
        assert_eq!(response.warnings, ["area/check at spec: three"]);
        assert_eq!(response.audit_annotations["error"], "area/check");
        assert_eq!(response.audit_annotations["warning"], "area/check");
    }

    #[test]
    fn a_denial_stays_short_whatever_is_found() {
        for count in [1, 7, 20, 500] {
            let findings = vec![error(&"ä\n".repeat(20_000)); count];
            let response = judged("u", "Cluster a/b", &findings);
            assert!(message(&response).chars().count() <= MESSAGE_MAX_CHARS, "{count}");
            let lines = message(&response).lines().count();
            assert!(lines == count + 1 || message(&response).ends_with(" more"), "{count}");
        }
    }

    #[test]
    fn warnings_keep_within_what_the_api_server_passes_on() {
        let few = judged("u", "s", &vec![warning(&"x".repeat(1000)); 3]);
        assert_eq!(few.warnings.len(), 3);
        assert!(few.warnings.iter().all(|warning| warning.ends_with("xxx")));

        let many = judged("u", "s", &vec![warning(&"x".repeat(1000)); 100]);
        assert_eq!(many.warnings.len(), 16);
        assert!(many.warnings.iter().all(|warning| warning.chars().count() <= 256 && !warning.contains('\n')));
        assert_eq!(many.warnings[15], "… and 85 more");
    }

    #[test]
    fn the_action_decides_what_is_shown() {
        let mut old = warning("two");
        old.ratcheted = true;
        let mut waived = finding(Severity::Error, Action::None, "four");
        waived.waived = Some(Default::default());
        let findings = [
            finding(Severity::Error, Action::Warn, "one"),
            old,
            finding(Severity::Info, Action::Warn, "three"),
            waived,
            finding(Severity::Info, Action::Audit, "five"),
        ];
        let response = judged("u", "s", &findings);
        assert!(response.allowed);
        assert_eq!(
            response.warnings,
            [
                "error, not enforced: area/check at spec: one",
                "was there before, so not denied: area/check at spec: two",
                "info: area/check at spec: three",
            ]
        );
        let annotations: Vec<&str> = response.audit_annotations.keys().copied().collect();
        assert_eq!(annotations, ["error", "info", "waived", "warning"]);
    }

    #[test]
    fn what_is_not_judged_is_denied_only_where_errors_are() {
        for failure in [Failure::Overload, Failure::Panic, Failure::Unreadable("x".to_owned())] {
            assert!(!not_judged("u", "s", &failure, Mode::Enforce).allowed);
            assert_eq!(not_judged("u", "s", &failure, Mode::Warn).warnings.len(), 1);
            assert!(not_judged("u", "s", &failure, Mode::Audit).allowed);
        }
    }
}
