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

/// The answer to a request that was judged. `subject` names the object; `caveat` says what the judgement could not see. What is shown
/// of the findings they say themselves; `mode` is for the caveat.
pub fn judged(uid: &str, subject: &str, findings: &[Finding], caveat: Option<&str>, mode: Mode) -> Response {
    let mut response = if answer::denies(findings) {
        Response::deny(uid, 403, "Forbidden", answer::denial(subject, findings, caveat))
    } else {
        Response::allow(uid)
    };
    response.warnings = answer::warnings(findings, caveat.filter(|_| mode != Mode::Audit));
    response.audit_annotations = answer::audit_annotations(findings);
    if caveat.is_some() {
        response.audit_annotations.insert("judged-in-part", "true".to_owned());
    }
    response
}

/// The answer to a request that could not be judged: who guards must not let pass what he did not see.
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
            Failure::Unreadable(_) | Failure::TooLarge(_) | Failure::Surplus(_) => {
                Response::deny(uid, 403, "Forbidden", message)
            }
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
    use super::*;

    #[test]
    fn what_was_judged_in_part_says_so_except_in_mode_audit() {
        let warned = judged("u", "s", &[], Some("cannot list x"), Mode::Warn);
        assert_eq!(warned.warnings, ["judged in part: cannot list x"]);
        let silent = judged("u", "s", &[], Some("cannot list x"), Mode::Audit);
        assert!(silent.allowed && silent.warnings.is_empty());
        assert_eq!(silent.audit_annotations["judged-in-part"], "true");
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
