//! Admission requests, as every host gets them: which are judged at all, and the review they become.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{Catalogue, Kind, Role, Value};

/// An admission request (admission.k8s.io/v1). The objects stay raw, so that one nobody judges costs no parsing.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request<'a> {
    #[serde(default)]
    pub uid: String,
    #[serde(default)]
    pub kind: GroupVersionKind,
    /// The resource in the API's paths, which says whose a subresource is.
    #[serde(default)]
    pub resource: GroupVersionResource,
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

/// Type of an object, in the version that the host was asked about.
#[derive(Debug, Default, Deserialize)]
pub struct GroupVersionKind {
    #[serde(default)]
    pub group: String,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub kind: String,
}

/// A resource as the API's paths name it.
#[derive(Debug, Default, Deserialize)]
pub struct GroupVersionResource {
    #[serde(default)]
    pub group: String,
    #[serde(default)]
    pub version: String,
    /// The plural, `clusters`.
    #[serde(default)]
    pub resource: String,
}

/// Why an object that the rules read cannot be reviewed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

impl GroupVersionKind {
    /// `group/version`, or the version alone for the core group.
    #[must_use]
    pub fn api_version(&self) -> Cow<'_, str> {
        if self.group.is_empty() {
            Cow::Borrowed(&self.version)
        } else {
            Cow::Owned(format!("{}/{}", self.group, self.version))
        }
    }
}

impl Request<'_> {
    /// Name of the user who asks, "" when the request does not say.
    #[must_use]
    pub fn user(&self) -> String {
        #[derive(Deserialize)]
        struct User {
            username: String,
        }
        self.user_info
            .and_then(|user| serde_json::from_str::<User>(user.get()).ok())
            .map_or_else(String::new, |user| user.username)
    }

    /// Kind, namespace and name, as messages call the object.
    #[must_use]
    pub fn subject(&self) -> String {
        let name = if self.name.is_empty() { "(name to be generated)" } else { &self.name };
        let slash = if self.namespace.is_empty() { "" } else { "/" };
        format!("{} {}{slash}{name}", self.kind.kind, self.namespace)
    }

    /// The kind that makes the request worth judging; `None` when the rules have nothing to say about it: another kind, the
    /// deletion of a cluster, a subresource, an object without the words that make one of its kind a matter of PostgreSQL.
    #[must_use]
    pub fn concern<'c>(&self, catalogue: &'c Catalogue) -> Option<&'c Kind> {
        // What depends on the object is asked after it is judged itself.
        self.concerns(catalogue).min_by_key(|kind| kind.role == Role::Support)
    }

    /// The same for every operator to which the object may belong: a ConfigMap may hold the parameters of two.
    pub fn concerns<'c>(&self, catalogue: &'c Catalogue) -> impl Iterator<Item = &'c Kind> {
        let whole = self.sub_resource.as_ref().is_none_or(|name| name.is_empty());
        let operation = self.operation.as_str();
        let text = self.object.map_or("", RawValue::get);
        let of_kind = move |kind: &&Kind| whole && kind.kind == self.kind.kind && kind.group == self.kind.group;
        catalogue.kinds.iter().filter(of_kind).filter(move |kind| match kind.role {
            Role::Cluster | Role::Change | Role::Node => {
                matches!(operation, "CREATE" | "UPDATE") && kind.concerns(text)
            }
            Role::Support => {
                matches!(operation, "CREATE" | "UPDATE" | "DELETE") && (kind.depended_on() || kind.named_by_clusters())
            }
            Role::Policy => false,
        })
    }

    /// The kind whose number of replicas the request changes by way of the subresource `scale`, as `kubectl scale` and autoscalers
    /// do, and the path of that number in its objects (`spec.instances`).
    #[must_use]
    pub fn scales<'c>(&self, catalogue: &'c Catalogue) -> Option<(&'c Kind, &'c str)> {
        let Self { resource, sub_resource, operation, .. } = self;
        if sub_resource.as_deref() != Some("scale") || operation != "UPDATE" {
            return None;
        }
        let mut kinds = catalogue.kinds.iter();
        kinds.find_map(|kind| {
            let path = kind.scale.as_deref()?;
            (kind.group == resource.group && kind.plural == resource.resource).then_some((kind, path))
        })
    }

    /// The request as the rules read it. What of an object on its way out is judged, they say: its operator still obeys its spec.
    ///
    /// # Errors
    /// When the object is missing, no JSON, or of another type than the request says.
    pub fn review(&self) -> Result<Value, Unreadable> {
        let deletion = self.operation == "DELETE";
        let reviewed = if deletion { self.old_object } else { self.object };
        let object = parse(reviewed.ok_or_else(|| Unreadable("the request has none".to_owned()))?)?;
        // The API server converts the object to the version it asks about. One that says otherwise would meet no adapter.
        let text = |key: &str| object[key].as_string().map(|text| text.to_string()).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        if kind != self.kind.kind || api_version != self.kind.api_version() {
            return Err(Unreadable(format!(
                "it is a {kind:?} of {api_version:?}, and the request is about a {:?} of {:?}",
                self.kind.kind,
                self.kind.api_version()
            )));
        }
        if deletion {
            return self.with_objects(None, Some(object));
        }
        self.with_objects(Some(object), self.old_object.map(parse).transpose()?)
    }

    /// A change of the number of replicas as the rules read it: as a change of the whole object, which is `current` so far. `path` is
    /// [`Kind::scale`].
    ///
    /// # Errors
    /// When the request has no readable number.
    pub fn review_of_scale(&self, path: &str, current: &Value) -> Result<Value, Unreadable> {
        #[derive(Deserialize)]
        struct Scale {
            #[serde(default)]
            spec: Spec,
        }
        #[derive(Default, Deserialize)]
        struct Spec {
            #[serde(default)] // as the API server leaves 0 out
            replicas: u32,
        }
        let raw = self.object.ok_or_else(|| Unreadable("the request has none".to_owned()))?;
        let scale: Scale = serde_json::from_str(raw.get()).map_err(|error| Unreadable(error.to_string()))?;
        let mut scaled = current.clone();
        let mut place = &mut scaled;
        for key in path.split('.') {
            let fields = place.as_object_mut().map_err(|_| Unreadable(format!("it has no {path}")))?;
            place = fields.get_or_insert_with(key, Value::new_object);
        }
        *place = i64::from(scale.spec.replicas).into();
        self.with_objects(Some(scaled), Some(current.clone()))
    }

    fn with_objects(&self, object: Option<Value>, old: Option<Value>) -> Result<Value, Unreadable> {
        let mut fields = vec![("operation", self.operation.as_str().into())];
        fields.extend(object.map(|object| ("object", object)));
        fields.extend(old.map(|old| ("oldObject", old)));
        if let Some(user) = self.user_info {
            fields.push(("userInfo", parse(user)?));
        }
        if !self.namespace.is_empty() {
            fields.push(("namespace", self.namespace.as_str().into()));
        }
        Ok(Value::object(fields))
    }
}

fn parse(raw: &RawValue) -> Result<Value, Unreadable> {
    serde_json::from_str(raw.get()).map_err(|error| Unreadable(error.to_string()))
}
