//! Findings, as the rules give them and as hosts show them.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

/// How bad a finding is: the only scale there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Advice.
    Info,
    /// An outage or a stall under load.
    Warning,
    /// Data loss, corruption, or a server that will not start.
    Error,
}

impl Severity {
    /// The word for it in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a host that answers requests does about a finding. Kubernetes' words, those of `validationActions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A waiver or a comment covers it: it counts for nothing.
    None,
    /// Lets the request pass and records the finding.
    Audit,
    /// Lets the request pass and shows the finding.
    Warn,
    /// Refuses the request.
    Deny,
}

/// What covers a finding: a waiver of the configuration, or a comment in the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waived {
    pub reason: String,
    /// Empty of a comment: version control knows who wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// A date, or a time in RFC 3339.
    pub expires: String,
    /// The place of the waiver in the list `waivers` of the configuration, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiver: Option<usize>,
    /// The line of the comment, in the file that the finding points at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<u32>,
}

impl Waived {
    /// Why, by whom and until when, in one line.
    #[must_use]
    pub fn justification(&self) -> String {
        let by = if self.owner.is_empty() { String::new() } else { format!("{}, ", self.owner) };
        format!("{} ({by}until {})", self.reason, self.expires)
    }
}

/// One step of a path into a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(untagged)]
pub enum PathSegment {
    /// Position in a list, from 0.
    Index(usize),
    /// Key of a map.
    Key(String),
}

/// By hand: what serde derives for it tries one variant after the other, and writes an error for each that does not fit.
impl<'de> Deserialize<'de> for PathSegment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Segment;

        impl Visitor<'_> for Segment {
            type Value = PathSegment;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a position in a list or a key")
            }

            fn visit_u64<E: de::Error>(self, index: u64) -> Result<PathSegment, E> {
                usize::try_from(index).map(PathSegment::Index).map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, key: &str) -> Result<PathSegment, E> {
                Ok(key.into())
            }
        }

        deserializer.deserialize_any(Segment)
    }
}

impl PathSegment {
    /// What it leads to in a value.
    #[must_use]
    pub fn step<'v>(&self, value: &'v Json) -> Option<&'v Json> {
        match self {
            Self::Index(index) => value.get(index),
            Self::Key(key) => value.get(key),
        }
    }

    /// [`step`](Self::step), to change it.
    #[must_use]
    pub fn step_mut<'v>(&self, value: &'v mut Json) -> Option<&'v mut Json> {
        match self {
            Self::Index(index) => value.get_mut(index),
            Self::Key(key) => value.get_mut(key),
        }
    }
}

/// What a path leads to in a value.
#[must_use]
pub fn value_at<'v>(value: &'v Json, path: &[PathSegment]) -> Option<&'v Json> {
    path.iter().try_fold(value, |value, segment| segment.step(value))
}

/// [`value_at`], to change it.
#[must_use]
pub fn value_at_mut<'v>(value: &'v mut Json, path: &[PathSegment]) -> Option<&'v mut Json> {
    path.iter().try_fold(value, |value, segment| segment.step_mut(value))
}

/// The keys of a JSON Pointer (RFC 6901), as they stand in an object: `/a~1b/0` is `a/b` and `0`.
pub fn keys(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

impl fmt::Display for PathSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Key(key) => f.write_str(key),
        }
    }
}

impl From<&str> for PathSegment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for PathSegment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// Which object a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceRef {
    pub api_version: String,
    pub kind: String,
    /// Empty when the manifest names none, and for cluster-scoped objects.
    pub namespace: String,
    pub name: String,
}

/// A place that a finding speaks of, besides its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub path: Vec<PathSegment>,
    /// Another one than the resource under review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceRef>,
    /// What stands there, in a few words.
    pub message: String,
}

/// A fault found in a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Id of the check: the path of its package, `durability/full_page_writes`.
    pub check: String,
    pub severity: Severity,
    pub action: Action,
    /// Stands alone: which object, what was found, what follows, in numbers.
    pub message: String,
    /// What to do, from the check's METADATA.
    #[serde(default)]
    pub remediation: String,
    /// Where the check is explained.
    #[serde(default)]
    pub docs: String,
    pub resource: ResourceRef,
    /// The offending value, or its nearest place in the resource.
    #[serde(default)]
    pub path: Vec<PathSegment>,
    /// Line, from 1, in the text that the path leads to; where that is a postgresql.conf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Numbers that led to the finding, units in their names.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub facts: serde_json::Map<String, Json>,
    /// JSON Patch (RFC 6902) operations on the resource that cure it, where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<Json>,
    /// Other places that the message speaks of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// True when an UPDATE met a fault that the object had before: an error, demoted to a warning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ratcheted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<Waived>,
    /// The operator whose own default the finding is about. Nobody chose it, so people read it once, whatever the number of clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_of: Option<String>,
}

impl Finding {
    /// True unless a waiver or a comment covers it.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.waived.is_none()
    }

    /// Worst first, waived last; then by check, resource and path: the order of every output.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        other
            .counts()
            .cmp(&self.counts())
            .then_with(|| other.severity.cmp(&self.severity))
            .then_with(|| self.check.cmp(&other.check))
            .then_with(|| self.resource.cmp(&other.resource))
            .then_with(|| self.path.cmp(&other.path))
            .then_with(|| self.message.cmp(&other.message))
    }

    /// The path as people write it: `spec.instances[0].replicas`.
    #[must_use]
    pub fn field(&self) -> String {
        field(&self.path)
    }
}

/// A path as people write it: `spec.instances[0].replicas`, `metadata.annotations["example.com/a"]`.
#[must_use]
pub fn field(path: &[PathSegment]) -> String {
    let mut field = String::new();
    for segment in path {
        match segment {
            PathSegment::Index(index) => field.push_str(&format!("[{index}]")),
            PathSegment::Key(key) if key.contains(['.', '/', '[']) => field.push_str(&format!("[\"{key}\"]")),
            PathSegment::Key(key) if field.is_empty() => field.push_str(key),
            PathSegment::Key(key) => {
                field.push('.');
                field.push_str(key);
            }
        }
    }
    field
}
