//! Objects other than the one under review, in the layout of `walguard.lib.inventory` (Gatekeeper's).

use serde_json::Value as Json;

use crate::Value;

/// Where an object without a namespace is found, besides among the cluster-scoped ones: as kubectl would place it.
const DEFAULT_NAMESPACE: &str = "default";

/// A snapshot of objects, ready for the rules. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Inventory {
    root: Value,
}

impl Default for Inventory {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Inventory {
    /// An empty inventory. `complete` says that an object which is not in it does not exist.
    #[must_use]
    pub fn new(complete: bool) -> Self {
        let mut root = Value::new_object();
        if let Ok(fields) = root.as_object_mut() {
            fields.insert("cluster".into(), Value::new_object());
            fields.insert("namespace".into(), Value::new_object());
            fields.insert("complete".into(), complete.into());
        }
        Self { root }
    }

    /// Adds an object; one of the same kind, namespace and name is replaced. What has no apiVersion, kind or name is passed over.
    pub fn insert(&mut self, object: &Json, value: &Value) {
        let text = |pointer: &str| object.pointer(pointer).and_then(Json::as_str).filter(|text| !text.is_empty());
        let (Some(api_version), Some(kind), Some(name)) = (text("/apiVersion"), text("/kind"), text("/metadata/name"))
        else {
            return;
        };
        match text("/metadata/namespace") {
            Some(namespace) => self.place(&["namespace", namespace, api_version, kind], name, value),
            None => {
                self.place(&["cluster", api_version, kind], name, value);
                self.place(&["namespace", DEFAULT_NAMESPACE, api_version, kind], name, value);
            }
        }
    }

    /// Adds an object of a live cluster, where it is known to be namespaced or not ("").
    pub fn place_object(&mut self, api_version: &str, kind: &str, namespace: &str, name: &str, value: &Value) {
        match namespace {
            "" => self.place(&["cluster", api_version, kind], name, value),
            _ => self.place(&["namespace", namespace, api_version, kind], name, value),
        }
    }

    fn place(&mut self, path: &[&str], name: &str, value: &Value) {
        let mut place = &mut self.root;
        for key in path {
            let Ok(fields) = place.as_object_mut() else { return };
            let key = Value::from(*key);
            if !fields.contains_key(&key) {
                fields.insert(key.clone(), Value::new_object());
            }
            let Some(next) = fields.get_mut(&key) else { return };
            place = next;
        }
        if let Ok(fields) = place.as_object_mut() {
            fields.insert(name.into(), value.clone());
        }
    }

    /// The inventory as the rules read it.
    #[must_use]
    pub fn value(&self) -> Value {
        self.root.clone()
    }
}
