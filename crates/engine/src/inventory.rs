//! Objects other than the one under review, in the layout of `walguard.lib.inventory` (Gatekeeper's).

use serde_json::Value as Json;

use crate::{ResourceRef, Value};

/// Where an object without a namespace is found, besides among the cluster-scoped ones: as kubectl would place it.
const DEFAULT_NAMESPACE: &str = "default";

/// What of an object's metadata rules may read, whatever else of it they read. Its managed fields are often the largest part.
pub const METADATA: [&str; 9] = [
    "annotations",
    "creationTimestamp",
    "deletionTimestamp",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "uid",
];

/// Objects, ready for the rules. Cloning is cheap, and a change of a clone costs only what is on its path.
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
        let (cluster, namespace) = (Value::new_object(), Value::new_object());
        Self { root: Value::object([("cluster", cluster), ("namespace", namespace), ("complete", complete.into())]) }
    }

    /// An empty inventory of what an API server serves, not complete yet.
    #[must_use]
    pub fn live() -> Self {
        let mut inventory = Self::new(false);
        if let Ok(fields) = inventory.root.as_object_mut() {
            fields.insert("live".into(), true.into());
        }
        inventory
    }

    /// Says whether an object which is not in the inventory does not exist.
    pub fn set_complete(&mut self, complete: bool) {
        if self.root["complete"] != Value::from(complete)
            && let Ok(fields) = self.root.as_object_mut()
        {
            fields.insert("complete".into(), complete.into());
        }
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

    /// Has an object as another inventory has it, or not at all: with its namespace and, where that is the one of objects without, as
    /// one of the cluster.
    pub fn restore(&mut self, object: &ResourceRef, from: &Self) {
        let ResourceRef { api_version, kind, namespace, name } = object;
        let cluster = (namespace == DEFAULT_NAMESPACE).then_some("");
        for namespace in cluster.into_iter().chain([namespace.as_str()]) {
            match from.find(api_version, kind, namespace, name) {
                Some(value) => self.place_object(api_version, kind, namespace, name, &value.clone()),
                None => self.remove_object(api_version, kind, namespace, name),
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

    /// Takes an object of a live cluster away.
    pub fn remove_object(&mut self, api_version: &str, kind: &str, namespace: &str, name: &str) {
        let (home, path): (&str, &[&str]) = match namespace {
            "" => ("cluster", &[api_version, kind, name]),
            _ => ("namespace", &[namespace, api_version, kind, name]),
        };
        if let Ok(fields) = self.root.as_object_mut()
            && let Some(home) = fields.get_mut(home)
        {
            remove(home, path);
        }
    }

    /// Whether a namespaced object is there.
    #[must_use]
    pub fn holds(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> bool {
        self.object(api_version, kind, namespace, name).is_some()
    }

    /// A namespaced object.
    #[must_use]
    pub fn object(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<&Value> {
        self.find(api_version, kind, namespace, name).filter(|_| !namespace.is_empty())
    }

    /// An object, with the namespace "" where it has none.
    fn find(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<&Value> {
        let home = match namespace {
            "" => &self.root["cluster"],
            _ => &self.root["namespace"][namespace],
        };
        let object = &home[api_version][kind][name];
        (*object != Value::Undefined).then_some(object)
    }

    /// The objects of a kind with their namespaces, "" for those without, in order.
    #[must_use]
    pub fn objects(&self, api_version: &str, kind: &str) -> Vec<(String, Value)> {
        let of = |namespace: &str, place: &Value| -> Vec<(String, Value)> {
            let objects = place[api_version][kind].as_object();
            let objects = objects.into_iter().flat_map(|objects| objects.iter());
            objects.map(|(_, object)| (namespace.to_owned(), object.clone())).collect()
        };
        let namespaces = self.root["namespace"].as_object();
        let namespaced =
            namespaces.into_iter().flat_map(|namespaces| namespaces.iter()).flat_map(|(name, place)| of(name, place));
        of("", &self.root["cluster"]).into_iter().chain(namespaced).collect()
    }

    fn place(&mut self, path: &[&str], name: &str, value: &Value) {
        let mut place = &mut self.root;
        for key in path {
            let Ok(fields) = place.as_object_mut() else { return };
            place = fields.get_or_insert_with(key, Value::new_object);
        }
        if let Ok(fields) = place.as_object_mut() {
            // The object has its name in memory already.
            let name = match &value["metadata"]["name"] {
                Value::String(own) if **own == *name => own.clone(),
                _ => name.into(),
            };
            fields.insert(name, value.clone());
        }
    }

    /// The inventory as the rules read it.
    #[must_use]
    pub fn value(&self) -> Value {
        self.root.clone()
    }
}

/// Removes what stands at a path, and the objects on the way that are empty without it.
fn remove(parent: &mut Value, path: &[&str]) -> bool {
    let [key, rest @ ..] = path else { return false };
    // What is not there must not be copied to find that out.
    if !parent.as_object().is_ok_and(|fields| fields.contains_key(key)) {
        return false;
    }
    let Ok(fields) = parent.as_object_mut() else { return false };
    let now_empty = rest.is_empty()
        || fields
            .get_mut(key)
            .is_some_and(|child| remove(child, rest) && child.as_object().is_ok_and(|fields| fields.is_empty()));
    if now_empty {
        fields.remove(key);
    }
    now_empty
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(inventory: &Inventory) -> Json {
        serde_json::to_value(inventory.value()).unwrap_or_default()
    }

    #[test]
    fn what_is_removed_leaves_nothing_behind() {
        let mut inventory = Inventory::new(true);
        let empty = seen(&inventory);
        for (namespace, name) in [("", "a"), ("n", "a"), ("n", "b")] {
            inventory.place_object("v1", "K", namespace, name, &name.into());
        }
        let snapshot = inventory.value();
        assert_eq!(inventory.objects("v1", "K").len(), 3);

        inventory.remove_object("v1", "K", "n", "absent");
        inventory.remove_object("v1", "K", "m", "a");
        inventory.remove_object("v1", "K", "n", "a");
        assert_eq!(seen(&inventory)["namespace"], json!({"n": {"v1": {"K": {"b": "b"}}}}));
        inventory.remove_object("v1", "K", "n", "b");
        inventory.remove_object("v1", "K", "", "a");
        assert_eq!(seen(&inventory)["namespace"], empty["namespace"]);

        // Who holds a snapshot sees what was there.
        assert_eq!(snapshot["namespace"]["n"]["v1"]["K"]["a"], Value::from("a"));
    }

    #[test]
    fn what_is_restored_is_as_it_was_elsewhere() {
        let object =
            |name: &str, text: &str| json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": name}, "text": text});
        let (mut before, mut after) = (Inventory::new(true), Inventory::new(true));
        before.insert(&object("a", "before"), &crate::value(object("a", "before")));
        for name in ["a", "b"] {
            after.insert(&object(name, "after"), &crate::value(object(name, "after")));
        }
        for name in ["a", "b", "c"] {
            let [api_version, kind, namespace, name] = ["v1", "K", "default", name].map(str::to_owned);
            after.restore(&ResourceRef { api_version, kind, namespace, name }, &before);
        }
        assert_eq!(seen(&after), seen(&before));
    }
}
