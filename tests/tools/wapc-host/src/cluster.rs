//! The cluster that a policy sees: the host calls of `kubernetes`, answered from a list of objects.

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// Objects, and what of them may be seen.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct Cluster {
    /// `None`: every look-up is refused.
    objects: Option<Vec<Json>>,
    unserved: Vec<String>,
    refused: Vec<String>,
}

/// The payload of a look-up.
#[derive(Deserialize)]
struct Query {
    api_version: String,
    kind: String,
    namespace: Option<String>,
    name: Option<String>,
    field_masks: Option<Vec<String>>,
}

impl Cluster {
    /// One that answers nothing.
    pub fn closed() -> Self {
        Self::default()
    }

    pub fn parse(review: &Json) -> Result<Self> {
        Self::deserialize(review).context("objects, unserved and refused are lists")
    }

    /// The answer to a host call, with errors as policy-server words them.
    pub fn answer(&self, binding: &str, namespace: &str, operation: &str, payload: &[u8]) -> Result<Vec<u8>> {
        if (binding, namespace) != ("kubewarden", "kubernetes") {
            bail!("no such host call: {binding} {namespace} {operation}");
        }
        let query: Query = serde_json::from_slice(payload).context("the payload is no look-up")?;
        let id = format!("{}/{}", query.api_version, query.kind);
        let Some(objects) = self.objects.as_ref().filter(|_| !self.refused.contains(&id)) else {
            bail!(
                "Policy has not been granted access to Kubernetes resources with apiVersion={}, kind={}",
                query.api_version,
                query.kind
            );
        };
        if self.unserved.contains(&id) {
            bail!("Cannot find resource {id}");
        }
        let text = |object: &Json, pointer: &str| {
            object.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        let mut found = objects.iter().filter(|object| {
            text(object, "/apiVersion") == query.api_version
                && text(object, "/kind") == query.kind
                && query.namespace.as_ref().is_none_or(|namespace| text(object, "/metadata/namespace") == *namespace)
        });
        match operation {
            "list_resources_all" | "list_resources_by_namespace" => {
                let items: Vec<Json> = found.map(|object| item(object, query.field_masks.as_deref())).collect();
                let list = json!({
                    "apiVersion": query.api_version, "kind": format!("{}List", query.kind), "metadata": {}, "items": items,
                });
                Ok(serde_json::to_vec(&list)?)
            }
            "get_resource" => {
                let name = query.name.unwrap_or_default();
                let object = found.find(|object| text(object, "/metadata/name") == name);
                Ok(serde_json::to_vec(object.ok_or_else(|| anyhow!("Cannot find {id} named '{name}'"))?)?)
            }
            _ => bail!("no such host call: {operation}"),
        }
    }
}

/// An object as it stands in a list: without its type, and with the fields asked for.
fn item(object: &Json, masks: Option<&[String]>) -> Json {
    let mut item = object.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.remove("apiVersion");
        fields.remove("kind");
    }
    match masks {
        None | Some([]) => item,
        Some(masks) => pruned(&item, &masks.iter().map(|mask| mask.split('.').collect()).collect::<Vec<_>>()),
    }
}

/// What of a value some path leads to; lists are looked through.
fn pruned(value: &Json, paths: &[Vec<&str>]) -> Json {
    if paths.iter().any(Vec::is_empty) {
        return value.clone();
    }
    match value {
        Json::Array(items) => items.iter().map(|item| pruned(item, paths)).collect(),
        Json::Object(fields) => {
            let kept = fields.iter().filter_map(|(key, value)| {
                let below: Vec<Vec<&str>> =
                    paths.iter().filter(|path| path[0] == key).map(|path| path[1..].to_vec()).collect();
                (!below.is_empty()).then(|| (key.clone(), pruned(value, &below)))
            });
            Json::Object(kept.collect())
        }
        scalar => scalar.clone(),
    }
}
