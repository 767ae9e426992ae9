//! The reviews: manifests of bench/manifests as the API server would send them, each with the objects beside it in its file.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value as Json, json};
use walguard_engine::Inventory;
use walguard_manifest as manifest;

/// The case without PostgreSQL: most of what a cluster's webhook is asked about.
pub const DISMISSED: &str = "deployment";

/// One review.
pub struct Case {
    /// Name of the file, without its ending.
    pub name: String,
    /// The body of the call.
    pub body: String,
    /// The objects in sight, for our engine and as JSON.
    pub inventory: Inventory,
    pub inventory_json: Json,
    /// The same, one after the other.
    pub others: Vec<Json>,
}

/// Reads all cases, by name.
///
/// # Errors
/// When a file cannot be read or holds no object.
pub fn read(directory: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("{}", directory.display()))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let reading = manifest::read(path.display().to_string(), fs::read(&path)?);
        if let Some(error) = reading.errors.first() {
            bail!("{error}");
        }
        let mut documents = reading.documents.into_iter().map(|document| document.value);
        let object = documents.next().with_context(|| format!("{} is empty", path.display()))?;
        let mut inventory = Inventory::new(true);
        let others: Vec<Json> = documents.collect();
        for other in &others {
            inventory.insert(other, &walguard_engine::value(other.clone()));
        }
        let inventory_json = serde_json::to_value(inventory.value())?;
        cases.push(Case { name, body: body(&object), inventory, inventory_json, others });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

/// What an API server sends when the object is created.
fn body(object: &Json) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").rsplit_once('/').unwrap_or(("", text("/apiVersion")));
    let kind = json!({"group": group, "version": version, "kind": text("/kind")});
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "kind": kind,
            "requestKind": kind,
            "name": text("/metadata/name"),
            "namespace": text("/metadata/namespace"),
            "operation": "CREATE",
            "userInfo": {
                "username": "system:serviceaccount:argocd:argocd-application-controller",
                "uid": "014fbff9a07c",
                "groups": ["system:serviceaccounts", "system:serviceaccounts:argocd", "system:authenticated"],
            },
            "object": object,
            "oldObject": null,
            "dryRun": false,
            "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
        },
    })
    .to_string()
}
