//! Objects of a cluster without what no rule reads. Most of what an API server sends is that.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value as Json, json};
use walguard_engine::{ArcStr, Fields, METADATA, Role, Rules, Value};

use super::discovery::Served;
use super::object::Object;
use super::pool::Pool;

/// What an object may take up in memory.
const OBJECT_BYTES_MAX: usize = 1 << 20;
/// A policy may ask for any label of a namespace, and a finding about a cluster for any of its own, but nobody has more of them.
const LABELS_MAX: usize = 256;

/// Drops what no rule reads. What a rule may read follows from the words of the rules, so that a new check needs no word here:
/// a field of `status`, a label and an annotation whose name no rule knows are dropped. `spec` stays as it is, unless the catalogue
/// names the fields of the kind that rules read.
pub struct Reducer {
    /// Every word of the rules. Equal words of all objects share one of these.
    words: HashSet<ArcStr>,
    /// The parts of the objects that are in memory.
    pool: Mutex<Pool>,
}

impl Reducer {
    #[must_use]
    pub fn new(rules: &Rules) -> Self {
        Self::of(rules.words().into_iter().map(ArcStr::from).collect())
    }

    fn of(words: HashSet<ArcStr>) -> Self {
        Self { words, pool: Mutex::default() }
    }

    /// The object as the rules read it, with what it takes up in memory, about; `None` when that is more than one object may.
    #[must_use]
    pub fn value(&self, served: &Served, object: Object) -> Option<(Value, usize)> {
        if object.cut {
            return None;
        }
        let fields = Json::Object(self.fields(served, object));
        let bytes = self.bytes(&fields);
        (bytes <= OBJECT_BYTES_MAX).then(|| (self.shared(fields), bytes))
    }

    fn fields(&self, served: &Served, object: Object) -> Map<String, Json> {
        let mut fields = match served.kind.fields.is_empty() {
            true => object.data,
            false => only(object.data, &served.kind.fields),
        };
        let from = object.metadata;
        let named = |all: BTreeMap<String, String>| -> BTreeMap<String, String> {
            all.into_iter().filter(|(key, _)| self.names(key)).collect()
        };
        let any_label = served.kind.judged() || served.kind.role == Role::Policy;
        let metadata = ObjectMeta {
            labels: from.labels.map(|all| if any_label && all.len() <= LABELS_MAX { all } else { named(all) }),
            annotations: from.annotations.map(named).filter(|all| !all.is_empty()),
            ..from
        };
        let Ok(Json::Object(mut metadata)) = serde_json::to_value(metadata) else { return Map::new() };
        metadata.retain(|name, _| METADATA.contains(&name.as_str()));
        fields.insert("metadata".to_owned(), Json::Object(metadata));
        // The items of a list do not say what they are.
        fields.insert("apiVersion".to_owned(), served.resource.api_version.as_str().into());
        fields.insert("kind".to_owned(), served.resource.kind.as_str().into());
        if let Some(Json::Object(status)) = fields.get_mut("status") {
            status.retain(|field, _| self.words.contains(field.as_str()));
        }
        fields
    }

    /// What a value takes up in memory, about.
    fn bytes(&self, json: &Json) -> usize {
        const VALUE: usize = 40;
        let text = |text: &str| if self.words.contains(text) { 0 } else { text.len() };
        VALUE
            + match json {
                Json::Object(fields) => {
                    fields.iter().map(|(key, value)| VALUE + text(key) + self.bytes(value)).sum::<usize>() + VALUE
                }
                Json::Array(items) => items.iter().map(|item| self.bytes(item)).sum(),
                Json::String(of) => text(of),
                _ => 0,
            }
    }

    /// Whether a rule may ask for a key, which it may also put together: `concat("/", [domain, name])`.
    fn names(&self, key: &str) -> bool {
        self.words.contains(key)
            || key
                .split_once('/')
                .is_some_and(|(domain, name)| self.words.contains(domain) && self.words.contains(name))
    }

    /// The value, whose texts share memory with the words and with one another – an object names itself and others many times – and
    /// whose parts share it with those of other objects. No object is like another one as a whole, nor is its metadata.
    fn shared(&self, json: Json) -> Value {
        let Json::Object(fields) = json else { return walguard_engine::value(json) };
        let mut sharing = Sharing {
            words: &self.words,
            texts: HashSet::new(),
            pool: &mut self.pool.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let fields = fields.into_iter().map(|(key, value)| {
            let value = match value {
                Json::Object(metadata) if key == "metadata" => Value::from(sharing.fields(metadata)),
                other => sharing.value(other),
            };
            (sharing.text(&key), value)
        });
        Value::from(fields.collect::<Fields>())
    }
}

/// What an object shares while it is taken in.
struct Sharing<'a> {
    words: &'a HashSet<ArcStr>,
    texts: HashSet<ArcStr>,
    pool: &'a mut Pool,
}

impl Sharing<'_> {
    fn value(&mut self, json: Json) -> Value {
        let value = match json {
            Json::Object(fields) => Value::from(self.fields(fields)),
            Json::Array(items) => Value::from(items.into_iter().map(|item| self.value(item)).collect::<Vec<_>>()),
            Json::String(text) => Value::from(self.text(&text)),
            other => walguard_engine::value(other),
        };
        self.pool.shared(value)
    }

    fn fields(&mut self, fields: Map<String, Json>) -> Fields {
        fields.into_iter().map(|(key, value)| (self.text(&key), self.value(value))).collect()
    }

    fn text(&mut self, text: &str) -> ArcStr {
        if let Some(known) = self.words.get(text).or_else(|| self.texts.get(text)) {
            return known.clone();
        }
        let new: ArcStr = text.into();
        self.texts.insert(new.clone());
        new
    }
}

/// What stands at some paths (`spec.storageClassName`); `metadata` is reduced by itself.
fn only(fields: Map<String, Json>, paths: &[String]) -> Map<String, Json> {
    let whole = Json::Object(fields);
    let mut kept = Json::Object(Map::new());
    for path in paths {
        let pointer = format!("/{}", path.replace('.', "/"));
        if let Some(found) = whole.pointer(&pointer) {
            let parents = path.split('.').rev();
            let one = parents.fold(found.clone(), |value, key| json!({key: value}));
            merge(&mut kept, one);
        }
    }
    match kept {
        Json::Object(kept) => kept,
        _ => Map::new(),
    }
}

fn merge(into: &mut Json, from: Json) {
    match (into, from) {
        (Json::Object(into), Json::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Json::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::fs;
    use std::path::Path;

    use kube::api::ApiResource;
    use walguard_engine::{Engine, Finding, Inventory, Kind};
    use walguard_lint::judgement::Surroundings;
    use walguard_manifest as manifest;

    use super::*;

    fn served(api_version: &str, kind: &str, fields: &[&str]) -> Served {
        let resource = ApiResource {
            group: String::new(),
            version: String::new(),
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            plural: String::new(),
        };
        let of = json!({
            "operator": "", "group": "", "versions": [], "kind": kind, "plural": "", "namespaced": true, "role": "support",
            "fields": fields,
        });
        Served { resource, kind: serde_json::from_value::<Kind>(of).unwrap() }
    }

    fn read(object: &Json) -> Object {
        serde_json::from_str(&object.to_string()).unwrap()
    }

    #[test]
    fn what_is_larger_than_an_object_may_be_is_not_kept() {
        let reducer = Reducer::of(HashSet::new());
        let kind = served("v1", "K", &[]);
        let labels: BTreeMap<String, &str> = (0..10_000).map(|n| (format!("label{n}"), "x")).collect();
        let (value, bytes) = reducer.value(&kind, read(&json!({"metadata": {"name": "a", "labels": labels}}))).unwrap();
        assert!(bytes < 1000, "no rule asks for one of the labels: {value}");
        let text = json!({"metadata": {"name": "a"}, "spec": {"text": "x".repeat(OBJECT_BYTES_MAX)}});
        assert!(reducer.value(&kind, read(&text)).is_none());
        assert!(reducer.value(&kind, Object { cut: true, ..Object::default() }).is_none());
    }

    #[test]
    fn of_a_kind_with_many_objects_only_named_fields_stay() {
        let object = json!({
            "metadata": {"name": "a", "uid": "1"},
            "spec": {"class": "c", "csi": {"driver": "d", "handle": "h"}, "capacity": {}},
            "status": {"phase": "Bound"},
        });
        let reducer = Reducer::of(HashSet::new());
        let fields = ["metadata.name", "spec.class", "spec.csi.driver", "spec.absent"];
        let (value, _) = reducer.value(&served("v1", "K", &fields), read(&object)).unwrap();
        let expected = json!({
            "apiVersion": "v1", "kind": "K", "metadata": {"name": "a", "uid": "1"},
            "spec": {"class": "c", "csi": {"driver": "d"}},
        });
        assert_eq!(serde_json::to_value(value).unwrap(), expected);
    }

    #[test]
    fn what_a_rule_may_read_stays() {
        let rule = "data.walguard.x.y 0
|
 dot 2 0 \"status\"
 dot 3 2 \"phase\"
 dot 4 3 \"inner\"
 eq 4 \"a-b.c/d\"
 call 5 concat \"/\" [\"x.dev\",\"mode\"]
 return 5
";
        let plan = rego_plan::text::read(rule).unwrap();
        let reducer = Reducer::new(&Rules::interpreted(&plan, walguard_engine::Catalogue::default()).unwrap());
        let object = json!({
            "metadata": {
                "name": "a",
                "uid": "1",
                "managedFields": [{"manager": "kubectl"}],
                "annotations": {
                    "kubectl.kubernetes.io/last-applied-configuration": "{}", "x.dev/mode": "1", "a-b.c/d": "2", "mode/other": "3",
                },
            },
            "spec": {"anything": [1, 1.5, true, null, {"at": "all"}]},
            "status": {"phase": {"inner": 1, "other": 2}, "forgotten": 1, "history": []},
        });
        let (value, _) = reducer.value(&served("g/v1", "K", &[]), read(&object)).unwrap();
        let expected = json!({
            "apiVersion": "g/v1",
            "kind": "K",
            "metadata": {"name": "a", "uid": "1", "annotations": {"x.dev/mode": "1", "a-b.c/d": "2"}},
            "spec": {"anything": [1, 1.5, true, null, {"at": "all"}]},
            "status": {"phase": {"inner": 1, "other": 2}},
        });
        assert_eq!(serde_json::to_value(value).unwrap(), expected);
    }

    /// Every manifest of a directory and below, each file a set of documents that see one another.
    fn manifests(directory: &Path) -> Vec<Vec<Json>> {
        let files = ignore::WalkBuilder::new(directory).build().filter_map(Result::ok);
        let files = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "yaml"));
        files
            .map(|file| manifest::read("a.yaml", fs::read(file.path()).unwrap()).documents)
            .map(|documents| documents.into_iter().map(|document| document.value).collect())
            .collect()
    }

    /// What an API server adds, and what people leave on their objects.
    fn as_served(mut object: Json) -> Json {
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.insert("managedFields".to_owned(), json!([{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]));
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert("kubectl.kubernetes.io/last-applied-configuration".to_owned(), "{}".into());
            annotations.insert("nobody.example/reads".to_owned(), "this".into());
        }
        object
    }

    fn judged(engine: &mut Engine, objects: &[(Json, Value)]) -> Vec<Vec<Finding>> {
        let mut inventory = Inventory::new(true);
        for (object, value) in objects {
            inventory.insert(object, value);
        }
        let surroundings = Surroundings { inventory: inventory.value(), configuration: None, now: None };
        objects.iter().map(|(_, value)| surroundings.judge(engine, value).unwrap()).collect()
    }

    #[test]
    fn the_verdict_is_the_same_as_on_the_whole_object() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let rules = Rules::embedded();
        let reducer = Reducer::new(&rules);
        let mut engine = Engine::new(&rules).unwrap();
        let catalogue = engine.catalogue().clone();
        let mut found = 0;
        for documents in ["rules/checks", "examples"].iter().flat_map(|directory| manifests(&root.join(directory))) {
            let (mut whole, mut reduced) = (Vec::new(), Vec::new());
            for document in documents.into_iter().filter(|document| document["metadata"].is_object()) {
                let whole_object = as_served(document);
                let text = |key: &str| whole_object[key].as_str().unwrap_or_default();
                let known = catalogue.kinds_of(text("apiVersion"), text("kind")).next();
                let mut kind = served(text("apiVersion"), text("kind"), &[]);
                if let Some(known) = known {
                    kind.kind = known.clone();
                }
                let Ok(object) = serde_json::from_str::<Object>(&whole_object.to_string()) else { continue };
                let Some((value, _)) = reducer.value(&kind, object) else { panic!("too large: {whole_object}") };
                reduced.push((whole_object.clone(), value));
                whole.push((whole_object.clone(), walguard_engine::value(whole_object)));
            }
            let expected = judged(&mut engine, &whole);
            found += expected.iter().map(Vec::len).sum::<usize>();
            assert_eq!(judged(&mut engine, &reduced), expected);
        }
        assert!(found > 100, "{found} findings");
    }
}
