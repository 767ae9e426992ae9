//! The wire: admission/v1 reviews in, answers out. No judgement here.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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

/// An admission request. The objects stay raw, so that one nobody judges costs no parsing.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request<'a> {
    #[serde(default)]
    pub uid: String,
    #[serde(default)]
    pub kind: GroupVersionKind,
    pub sub_resource: Option<String>,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub namespace: String,
    #[serde(default)]
    pub operation: String,
    #[serde(borrow)]
    pub user_info: Option<&'a RawValue>,
    #[serde(borrow)]
    pub object: Option<&'a RawValue>,
    #[serde(borrow)]
    pub old_object: Option<&'a RawValue>,
    #[serde(default)]
    pub dry_run: Option<bool>,
}

/// Type of an object, in the version that the webhook was asked about.
#[derive(Debug, Default, Deserialize)]
pub struct GroupVersionKind {
    #[serde(default)]
    pub group: String,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub kind: String,
}

impl GroupVersionKind {
    /// `group/version`, or the version alone for the core group.
    pub fn api_version(&self) -> Cow<'_, str> {
        if self.group.is_empty() {
            Cow::Borrowed(&self.version)
        } else {
            Cow::Owned(format!("{}/{}", self.group, self.version))
        }
    }
}

impl<'a> Request<'a> {
    /// Reads the body of a call.
    ///
    /// # Errors
    /// When it is not a review with a request and a uid.
    pub fn read(body: &'a [u8]) -> Result<Self, NoReview> {
        let envelope: Envelope = serde_json::from_slice(body)?;
        if envelope.kind != KIND || envelope.api_version != API_VERSION {
            return Err(NoReview::Kind { api_version: envelope.api_version, kind: envelope.kind });
        }
        let request = envelope.request.ok_or(NoReview::NoRequest)?;
        if request.uid.is_empty() { Err(NoReview::NoUid) } else { Ok(request) }
    }

    /// Name of the user who asks, "" when the request does not say.
    pub fn user(&self) -> String {
        #[derive(Deserialize)]
        struct User {
            username: String,
        }
        self.user_info
            .and_then(|user| serde_json::from_str::<User>(user.get()).ok())
            .map_or_else(String::new, |user| user.username)
    }
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
