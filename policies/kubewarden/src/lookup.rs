//! What the cluster holds around an object, asked of the policy server by host calls.

use std::collections::BTreeMap;

use kubewarden_policy_sdk::wapc_guest::host_call;
use serde::{Deserialize, Serialize};
use walguard_engine::{Catalogue, Inventory, Kind, METADATA, Role, Value};

/// The payload of `list_resources_all` and, with a namespace, of `list_resources_by_namespace`.
#[derive(Serialize)]
struct Query<'a> {
    api_version: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field_masks: Option<Vec<String>>,
}

/// The payload of `get_resource`.
#[derive(Serialize)]
struct Question<'a> {
    api_version: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
    disable_cache: bool,
}

#[derive(Deserialize)]
struct List {
    items: Vec<Value>,
}

/// The objects that a verdict on the object of a request may depend on; `kinds` is what the object may be, one or more. The
/// inventory is complete when every look-up was answered: one that failed says nothing of what there is.
pub fn surroundings(catalogue: &Catalogue, kinds: &[&Kind], namespace: &str, request: &Value) -> Value {
    let mut answered = true;
    let mut found: Vec<(&Kind, Vec<Value>)> = Vec::new();
    // What depends on an object may stand in any namespace.
    let judged = kinds.iter().all(|kind| kind.judged());
    let here = judged.then_some(namespace);
    for kind in kinds.iter().flat_map(|kind| catalogue.surroundings(kind)) {
        if found.iter().any(|(known, _)| std::ptr::eq(*known, kind)) {
            continue;
        }
        let objects = objects(kind, here).unwrap_or_else(|_| {
            answered = false;
            Vec::new()
        });
        found.push((kind, objects));
    }
    // By name, since a list would be of everything of that kind. Of a class clusters of every namespace may depend: there each
    // name would be one more question, and the policy server does not wait for hundreds.
    let mut named: BTreeMap<(&str, String), &Kind> = BTreeMap::new();
    if judged {
        let reviewed = kinds.iter().flat_map(|kind| [(*kind, &request["object"]), (*kind, &request["oldObject"])]);
        let changed = found.iter().filter(|_| kinds.iter().any(|kind| kind.role == Role::Change));
        let changed = changed.flat_map(|(kind, objects)| objects.iter().map(|object| (*kind, object)));
        for (cluster, object) in reviewed.chain(changed) {
            for (kind, names) in catalogue.named_by(cluster, object) {
                named.extend(names.into_iter().map(|name| ((kind.kind.as_str(), name), kind)));
            }
        }
    }
    let mut objects: Vec<Value> = found.into_iter().flat_map(|(_, objects)| objects).collect();
    for ((_, name), kind) in named {
        match object(kind, namespace, &name) {
            Ok(object) => objects.extend(object),
            Err(_) => answered = false,
        }
    }
    let mut inventory = Inventory::new(answered);
    for object in objects {
        let text = |key: &str| object["metadata"][key].as_string().map(|text| text.to_string()).unwrap_or_default();
        let of = |key: &str| object[key].as_string().map(|text| text.to_string()).unwrap_or_default();
        inventory.place_object(&of("apiVersion"), &of("kind"), &text("namespace"), &text("name"), &object);
    }
    inventory.value()
}

/// The objects of a kind, in the first of its versions that the API server serves; none when it serves none of them.
fn objects(kind: &Kind, namespace: Option<&str>) -> Result<Vec<Value>, String> {
    for api_version in kind.api_versions() {
        match list(kind, &api_version, namespace) {
            Ok(objects) => return Ok(objects),
            Err(error) if unserved(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Vec::new())
}

fn list(kind: &Kind, api_version: &str, namespace: Option<&str>) -> Result<Vec<Value>, String> {
    let namespace = namespace.filter(|_| kind.namespaced && !kind.everywhere);
    let query = Query {
        api_version,
        kind: &kind.kind,
        namespace,
        field_masks: (!kind.fields.is_empty()).then(|| {
            METADATA.iter().map(|name| format!("metadata.{name}")).chain(kind.fields.iter().cloned()).collect()
        }),
    };
    let operation = if namespace.is_some() { "list_resources_by_namespace" } else { "list_resources_all" };
    let query = serde_json::to_vec(&query).map_err(|error| error.to_string())?;
    let answer = host_call("kubewarden", "kubernetes", operation, &query).map_err(|error| error.to_string())?;
    let list: List = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    // The items of a list do not say what they are.
    list.items.into_iter().map(|object| typed(object, kind, api_version)).collect()
}

/// The object of this name; `None` when there is none.
fn object(kind: &Kind, namespace: &str, name: &str) -> Result<Option<Value>, String> {
    let api_version = kind.api_versions().next().unwrap_or_default();
    let question = Question { api_version: &api_version, kind: &kind.kind, namespace, name, disable_cache: false };
    let question = serde_json::to_vec(&question).map_err(|error| error.to_string())?;
    match host_call("kubewarden", "kubernetes", "get_resource", &question).map_err(|error| error.to_string()) {
        Ok(answer) => {
            let object: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
            typed(object, kind, &api_version).map(Some)
        }
        Err(error) if absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn typed(mut object: Value, kind: &Kind, api_version: &str) -> Result<Value, String> {
    let fields = object.as_object_mut().map_err(|error| error.to_string())?;
    fields.insert("apiVersion".into(), api_version.into());
    fields.insert("kind".into(), kind.kind.as_str().into());
    Ok(object)
}

/// Whether the policy server says that there is no object of a name.
fn absent(error: &str) -> bool {
    error.contains("Cannot find ") && error.contains(" named ")
}

/// Whether a look-up failed because the API server knows no such kind, in the words of the policy server: of a group version
/// that is served, and of one that is not. Other words mean that what there is stays unknown.
fn unserved(error: &str) -> bool {
    error.contains("Cannot find resource") || (error.contains("error finding resource") && error.contains("404"))
}
