//! From findings to the answer to a request.

use walguard_engine::{Finding, answer};

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

/// The answer to a request that was judged. `subject` names the object.
pub fn judged(uid: &str, subject: &str, findings: &[Finding]) -> Response {
    let mut response = if answer::denies(findings) {
        Response::deny(uid, 403, "Forbidden", answer::denial(subject, findings))
    } else {
        Response::allow(uid)
    };
    response.warnings = answer::warnings(findings);
    response.audit_annotations = answer::audit_annotations(findings);
    response
}

/// The answer to a request that could not be judged: what guards must not let pass what it did not see.
pub fn not_judged(uid: &str, subject: &str, failure: &Failure, mode: Mode) -> Response {
    let message = answer::not_judged(subject, &failure.to_string());
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
            response.warnings = answer::fitted(vec![message]);
            response
        }
        Mode::Audit => Response::allow(uid),
    };
    response.audit_annotations.insert("not-judged", failure.word().to_owned());
    response
}

#[cfg(test)]
mod tests {
    use walguard_engine::{Action, Severity};

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
            line: None,
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
            assert!(message(&response).chars().count() <= 4096, "{count}");
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
        for failure in [Failure::Overload, Failure::Panic, Failure::Evaluation("x".to_owned())] {
            assert!(!not_judged("u", "s", &failure, Mode::Enforce).allowed);
            assert_eq!(not_judged("u", "s", &failure, Mode::Warn).warnings.len(), 1);
            assert!(not_judged("u", "s", &failure, Mode::Audit).allowed);
        }
    }
}
