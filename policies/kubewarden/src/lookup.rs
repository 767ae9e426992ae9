//! What the cluster holds around an object, asked of the policy server by host calls.

use kubewarden_policy_sdk::wapc_guest::host_call;
use serde::{Deserialize, Serialize};
use walguard_engine::{Catalogue, Inventory, Kind, Value};

/// The payload of `list_resources_all` and, with a namespace, of `list_resources_by_namespace`.
#[derive(Serialize)]
struct Query<'a> {
    api_version: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field_masks: Option<&'a [String]>,
}

#[derive(Deserialize)]
struct List {
    items: Vec<Value>,
}

/// The objects that a verdict on an object of this kind and namespace may depend on. The inventory is complete when every
/// look-up was answered: one that failed says nothing of what there is.
pub fn surroundings(catalogue: &Catalogue, judged: &Kind, namespace: &str) -> Value {
    let mut answered = true;
    let mut found = Vec::new();
    // What depends on an object may stand in any namespace.
    let namespace = judged.judged().then_some(namespace);
    for kind in catalogue.surroundings(judged) {
        match objects(kind, namespace) {
            Ok(objects) => found.extend(objects),
            Err(_) => answered = false,
        }
    }
    let mut inventory = Inventory::new(answered);
    for object in found {
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
        field_masks: (!kind.fields.is_empty()).then_some(kind.fields.as_slice()),
    };
    let operation = if namespace.is_some() { "list_resources_by_namespace" } else { "list_resources_all" };
    let query = serde_json::to_vec(&query).map_err(|error| error.to_string())?;
    let answer = host_call("kubewarden", "kubernetes", operation, &query).map_err(|error| error.to_string())?;
    let list: List = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    let mut objects = list.items;
    for object in &mut objects {
        // The items of a list do not say what they are.
        let fields = object.as_object_mut().map_err(|error| error.to_string())?;
        fields.insert("apiVersion".into(), api_version.into());
        fields.insert("kind".into(), kind.kind.as_str().into());
    }
    Ok(objects)
}

/// Whether a look-up failed because the API server knows no such kind, in the words of the policy server: of a group version
/// that is served, and of one that is not. Other words mean that what there is stays unknown.
fn unserved(error: &str) -> bool {
    error.contains("Cannot find resource") || (error.contains("error finding resource") && error.contains("404"))
}
