//! The wire: admission/v1 reviews in, answers out. No judgement here.

use serde::{Deserialize, Serialize};
use walguard_engine::Request;

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";

/// What is no review, and so has no uid that an answer could carry.
#[derive(Debug, thiserror::Error)]
pub enum NoReview {
    #[error("the body is no AdmissionReview: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the body is a {kind:?} of {api_version:?}, not an {KIND} of {API_VERSION}")]
    Kind { api_version: String, kind: String },
    #[error("the {KIND} has no request")]
    NoRequest,
    #[error("the request of the {KIND} has no uid")]
    NoUid,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(borrow)]
    request: Option<Request<'a>>,
}

/// Reads the body of a call.
///
/// # Errors
/// When it is not a review with a request and a uid.
pub fn read(body: &[u8]) -> Result<Request<'_>, NoReview> {
    let envelope: Envelope = serde_json::from_slice(body)?;
    if envelope.kind != KIND || envelope.api_version != API_VERSION {
        return Err(NoReview::Kind { api_version: envelope.api_version, kind: envelope.kind });
    }
    let request = envelope.request.ok_or(NoReview::NoRequest)?;
    if request.uid.is_empty() { Err(NoReview::NoUid) } else { Ok(request) }
}

/// The body of an answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewAnswer {
    api_version: &'static str,
    kind: &'static str,
    response: Response,
}

/// What the API server is told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    uid: String,
    pub allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub audit_annotations: std::collections::BTreeMap<&'static str, String>,
}

/// Why a request is denied.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub status: &'static str,
    pub code: u16,
    pub reason: &'static str,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<StatusDetails>,
}

/// The API server hands this to its client as a Retry-After header, which kubectl and controllers obey.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusDetails {
    pub retry_after_seconds: u32,
}

impl Response {
    /// The answer that lets a request pass without a word.
    pub fn allow(uid: &str) -> Self {
        Self {
            uid: uid.to_owned(),
            allowed: true,
            status: None,
            warnings: Vec::new(),
            audit_annotations: Default::default(),
        }
    }

    pub fn deny(uid: &str, code: u16, reason: &'static str, message: String) -> Self {
        let status = Status { status: "Failure", code, reason, message, details: None };
        Self { allowed: false, status: Some(status), ..Self::allow(uid) }
    }

    pub fn into_review(self) -> ReviewAnswer {
        ReviewAnswer { api_version: API_VERSION, kind: KIND, response: self }
    }
}
