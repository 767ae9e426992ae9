//! The inventory of a live cluster: reflectors of every kind that the rules read and the API server serves.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use futures::{StreamExt as _, future};
use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Map, Value as Json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use walguard_engine::{Catalogue, Inventory, Kind, Value};

use super::metrics::{KindLabels, Metrics};

/// How often the API server is asked which kinds it serves: operators come and go.
const DISCOVERY_INTERVAL: Duration = Duration::from_secs(30);
/// The same, while it does not answer.
const DISCOVERY_RETRY: Duration = Duration::from_secs(1);
/// A connection whose other end is gone without a word gives no error by itself.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(20);
/// Snapshots are made no closer together than this, however much changes.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(200);
/// What no default class and no volume can be known without.
const ESSENTIAL: (&str, &str) = ("storage.k8s.io", "StorageClass");

/// Group and kind.
type GroupKind = (String, String);

/// What is in sight of a live cluster.
pub struct Cluster {
    kinds: Vec<Kind>,
    tables: Mutex<Tables>,
    changed: Notify,
    snapshot: ArcSwap<Value>,
}

struct Tables {
    tables: BTreeMap<GroupKind, Table>,
    discovered: bool,
    /// When everything watched was last known to be current.
    current: Instant,
}

/// The objects of one kind.
struct Table {
    resource: ApiResource,
    /// All objects were listed once; what is missing does not exist.
    synced: bool,
    /// The last thing heard was an error.
    failing: bool,
    errors: u64,
    /// By namespace ("" for cluster-scoped kinds) and name.
    objects: HashMap<(String, String), Value>,
    /// What a list under way has brought so far.
    listing: HashMap<(String, String), Value>,
}

impl Cluster {
    /// An inventory of nothing, until [`Cluster::run`] fills it.
    pub fn new(catalogue: &Catalogue) -> Arc<Self> {
        let tables = Tables { tables: BTreeMap::new(), discovered: false, current: Instant::now() };
        Arc::new(Self {
            kinds: catalogue.inventoried().cloned().collect(),
            tables: Mutex::new(tables),
            changed: Notify::new(),
            snapshot: ArcSwap::from_pointee(Inventory::new(false).value()),
        })
    }

    /// The latest snapshot. It stays as it is when the API server cannot be reached.
    pub fn inventory(&self) -> Value {
        Value::clone(&self.snapshot.load())
    }

    /// True once every kind was listed, or cannot be; StorageClasses must have been.
    pub fn ready(&self) -> bool {
        let state = self.lock();
        state.discovered
            && state.tables.iter().all(|((group, kind), table)| {
                table.synced || (table.failing && (group.as_str(), kind.as_str()) != ESSENTIAL)
            })
    }

    /// Writes the state into the metrics.
    pub fn measure(&self, metrics: &Metrics) {
        let state = self.lock();
        metrics.inventory_age.set(state.current.elapsed().as_secs_f64());
        metrics.inventory_objects.clear();
        for ((group, kind), table) in &state.tables {
            let labels = KindLabels { group: group.clone(), kind: kind.clone() };
            let objects = i64::try_from(table.objects.len()).unwrap_or(i64::MAX);
            metrics.inventory_objects.get_or_create(&labels).set(objects);
            let errors = metrics.inventory_watch_errors.get_or_create(&labels);
            errors.inc_by(table.errors.saturating_sub(errors.get()));
        }
    }

    /// Keeps the inventory up to date; never ends.
    pub async fn run(self: Arc<Self>, client: Client) {
        tokio::join!(self.publish(), self.discover(&client));
    }

    async fn publish(&self) {
        loop {
            self.changed.notified().await;
            self.snapshot.store(Arc::new(self.lock().snapshot()));
            tokio::time::sleep(SNAPSHOT_INTERVAL).await;
        }
    }

    async fn discover(self: &Arc<Self>, client: &Client) {
        let mut watches: BTreeMap<GroupKind, (ApiResource, JoinHandle<()>)> = BTreeMap::new();
        let mut answering = true;
        loop {
            let served = tokio::time::timeout(DISCOVERY_TIMEOUT, self.served(client)).await;
            match served.map_err(anyhow::Error::from).and_then(|served| Ok(served?)) {
                Ok(served) => {
                    self.follow(client, &mut watches, served).await;
                    answering = true;
                }
                Err(error) => {
                    if answering {
                        tracing::warn!("cannot ask the API server which kinds it serves: {error:#}");
                    }
                    answering = false;
                }
            }
            tokio::time::sleep(if answering { DISCOVERY_INTERVAL } else { DISCOVERY_RETRY }).await;
        }
    }

    /// The kinds that the API server serves, each in the first of its versions that it does.
    async fn served(&self, client: &Client) -> kube::Result<BTreeMap<GroupKind, ApiResource>> {
        let mut resources: HashMap<String, Vec<String>> = HashMap::new();
        let mut served = BTreeMap::new();
        for kind in &self.kinds {
            for (version, api_version) in kind.versions.iter().zip(kind.api_versions()) {
                if !resources.contains_key(&api_version) {
                    resources.insert(api_version.clone(), plurals(client, &kind.group, &api_version).await?);
                }
                if resources[&api_version].contains(&kind.plural) {
                    let resource = ApiResource {
                        group: kind.group.clone(),
                        version: version.clone(),
                        api_version,
                        kind: kind.kind.clone(),
                        plural: kind.plural.clone(),
                    };
                    served.entry((kind.group.clone(), kind.kind.clone())).or_insert(resource);
                    break;
                }
            }
        }
        Ok(served)
    }

    /// Starts watching what is new and stops watching what is gone.
    async fn follow(
        self: &Arc<Self>,
        client: &Client,
        watches: &mut BTreeMap<GroupKind, (ApiResource, JoinHandle<()>)>,
        served: BTreeMap<GroupKind, ApiResource>,
    ) {
        let gone = watches.extract_if(.., |key, (resource, _)| served.get(key).is_none_or(|now| now != resource));
        for (key, (resource, task)) in gone {
            tracing::info!(api_version = resource.api_version, kind = resource.kind, "no longer watched");
            task.abort();
            // It must have ended before another one fills the same table.
            let _ = task.await;
            self.lock().tables.remove(&key);
        }
        for (key, resource) in served {
            if watches.contains_key(&key) {
                continue;
            }
            tracing::info!(api_version = resource.api_version, kind = resource.kind, "watched");
            self.lock().tables.insert(key.clone(), Table::new(resource.clone()));
            let task = tokio::spawn(Arc::clone(self).reflect(client.clone(), key.clone(), resource.clone()));
            watches.insert(key, (resource, task));
        }
        let mut state = self.lock();
        state.discovered = true;
        if state.tables.values().all(|table| table.synced && !table.failing) {
            state.current = Instant::now();
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Keeps one table; ends only when it is aborted.
    async fn reflect(self: Arc<Self>, client: Client, key: GroupKind, resource: ApiResource) {
        let api: Api<DynamicObject> = Api::all_with(client, &resource);
        let events = watcher(api, watcher::Config::default()).default_backoff();
        events
            .for_each(|event| {
                if let Some(table) = self.lock().tables.get_mut(&key) {
                    match event {
                        Ok(event) => {
                            if table.apply(event) {
                                self.changed.notify_one();
                            }
                        }
                        Err(error) => table.fail(&error),
                    }
                }
                future::ready(())
            })
            .await;
    }

    /// A panic while the lock was held would have left a table that is behind, not one that is wrong.
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a cluster holds at the moment, and why it is not all, if it is not: kinds that may not be listed.
///
/// # Errors
/// When the API server does not say which kinds it serves.
pub async fn look(client: &Client, catalogue: &Catalogue) -> kube::Result<(Inventory, Vec<String>)> {
    let served = Cluster::new(catalogue).served(client).await?;
    let lists = served.into_values().map(async |resource| {
        let objects = Api::<DynamicObject>::all_with(client.clone(), &resource).list(&ListParams::default()).await;
        (resource, objects)
    });
    let lists = future::join_all(lists).await;
    let mut inventory = Inventory::new(lists.iter().all(|(_, objects)| objects.is_ok()));
    let mut unlisted = Vec::new();
    for (resource, objects) in lists {
        match objects {
            Ok(objects) => {
                for object in objects {
                    let (namespace, name) = key(&object);
                    let value = Value::from(reduced(&resource, object));
                    inventory.place_object(&resource.api_version, &resource.kind, &namespace, &name, &value);
                }
            }
            Err(error) => unlisted.push(format!("cannot list {} ({}): {error}", resource.plural, resource.api_version)),
        }
    }
    Ok((inventory, unlisted))
}

/// What is served of a group in a version, by plural; nothing when the version is not served.
async fn plurals(client: &Client, group: &str, api_version: &str) -> kube::Result<Vec<String>> {
    let list = if group.is_empty() {
        client.list_core_api_resources(api_version).await
    } else {
        client.list_api_group_resources(api_version).await
    };
    match list {
        Ok(list) => Ok(list.resources.into_iter().map(|resource| resource.name).collect()),
        // An API server that does not know the group answers in plain text, so that only the code says so.
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

impl Tables {
    fn snapshot(&self) -> Value {
        let complete = self.discovered && self.tables.values().all(|table| table.synced);
        let mut inventory = Inventory::new(complete);
        for table in self.tables.values() {
            for ((namespace, name), object) in &table.objects {
                inventory.place_object(&table.resource.api_version, &table.resource.kind, namespace, name, object);
            }
        }
        inventory.value()
    }
}

impl Table {
    fn new(resource: ApiResource) -> Self {
        Self { resource, synced: false, failing: false, errors: 0, objects: HashMap::new(), listing: HashMap::new() }
    }

    /// Takes an event in; true when the inventory changes by it.
    fn apply(&mut self, event: Event<DynamicObject>) -> bool {
        self.failing = false;
        match event {
            Event::Init => {
                self.listing.clear();
                false
            }
            Event::InitApply(object) => {
                self.listing.insert(key(&object), self.value(object));
                false
            }
            Event::InitDone => {
                self.objects = std::mem::take(&mut self.listing);
                self.synced = true;
                true
            }
            Event::Apply(object) => {
                self.objects.insert(key(&object), self.value(object));
                true
            }
            Event::Delete(object) => self.objects.remove(&key(&object)).is_some(),
        }
    }

    fn fail(&mut self, error: &watcher::Error) {
        self.errors += 1;
        if !self.failing {
            self.failing = true;
            tracing::warn!(api_version = self.resource.api_version, kind = self.resource.kind, "watch: {error}");
        }
    }

    fn value(&self, object: DynamicObject) -> Value {
        Value::from(reduced(&self.resource, object))
    }
}

fn key(object: &DynamicObject) -> (String, String) {
    (object.namespace().unwrap_or_default(), object.name_any())
}

/// The object without the metadata that no rule reads and that would take most of the memory.
fn reduced(resource: &ApiResource, object: DynamicObject) -> Json {
    let mut fields = match object.data {
        Json::Object(fields) => fields,
        _ => Map::new(),
    };
    let mut metadata = Map::new();
    let mut add = |name: &str, value: serde_json::Result<Json>| {
        if let Ok(value) = value
            && !value.is_null()
        {
            metadata.insert(name.to_owned(), value);
        }
    };
    let mut annotations = object.metadata.annotations;
    if let Some(annotations) = &mut annotations {
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    add("name", serde_json::to_value(&object.metadata.name));
    add("namespace", serde_json::to_value(&object.metadata.namespace));
    add("labels", serde_json::to_value(&object.metadata.labels));
    add("annotations", serde_json::to_value(&annotations));
    add("ownerReferences", serde_json::to_value(&object.metadata.owner_references));
    add("creationTimestamp", serde_json::to_value(&object.metadata.creation_timestamp));
    add("deletionTimestamp", serde_json::to_value(&object.metadata.deletion_timestamp));
    fields.insert("metadata".to_owned(), Json::Object(metadata));
    // The items of a list do not say what they are.
    fields.insert("apiVersion".to_owned(), resource.api_version.as_str().into());
    fields.insert("kind".to_owned(), resource.kind.as_str().into());
    Json::Object(fields)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn class(name: &str, size: &str) -> DynamicObject {
        let object = json!({
            "metadata": {
                "name": name,
                "uid": "1",
                "managedFields": [{"manager": "kubectl"}],
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "walguard.dev/x": size},
            },
            "provisioner": "csi",
            "parameters": {"size": size},
        });
        serde_json::from_value(object).unwrap()
    }

    fn tables() -> Tables {
        let resource = ApiResource {
            group: "storage.k8s.io".to_owned(),
            version: "v1".to_owned(),
            api_version: "storage.k8s.io/v1".to_owned(),
            kind: "StorageClass".to_owned(),
            plural: "storageclasses".to_owned(),
        };
        let key = ("storage.k8s.io".to_owned(), "StorageClass".to_owned());
        Tables { tables: BTreeMap::from([(key, Table::new(resource))]), discovered: true, current: Instant::now() }
    }

    fn apply(tables: &mut Tables, events: Vec<Event<DynamicObject>>) -> Json {
        for event in events {
            for table in tables.tables.values_mut() {
                table.apply(event.clone());
            }
        }
        serde_json::to_value(tables.snapshot()).unwrap()
    }

    #[test]
    fn a_snapshot_holds_what_was_listed_and_what_changed_since() {
        let mut tables = tables();
        let classes = |snapshot: &Json| snapshot["cluster"]["storage.k8s.io/v1"]["StorageClass"].clone();

        let listing =
            apply(&mut tables, vec![Event::Init, Event::InitApply(class("a", "1")), Event::InitApply(class("b", "1"))]);
        assert_eq!((&listing["complete"], classes(&listing)), (&json!(false), Json::Null));

        let listed =
            apply(&mut tables, vec![Event::InitDone, Event::Apply(class("a", "2")), Event::Delete(class("b", "1"))]);
        assert_eq!(listed["complete"], true);
        let a = json!({
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "a", "annotations": {"walguard.dev/x": "2"}},
            "provisioner": "csi",
            "parameters": {"size": "2"},
        });
        assert_eq!(classes(&listed), json!({"a": a}));

        // A list under way, after a watch broke off, leaves what is known in place; its end drops what is gone.
        let again = apply(&mut tables, vec![Event::Init, Event::InitApply(class("c", "1"))]);
        assert_eq!(classes(&again), json!({"a": a}));
        let ended = apply(&mut tables, vec![Event::InitDone]);
        assert_eq!(classes(&ended)["c"]["metadata"]["name"], "c");
        assert_eq!(classes(&ended)["a"], Json::Null);
    }

    #[test]
    fn readiness_waits_for_every_list_and_insists_on_storage_classes() {
        let cluster = Cluster::new(&Catalogue::default());
        assert!(!cluster.ready(), "nothing was discovered yet");
        *cluster.lock() = tables();
        assert!(!cluster.ready(), "nothing was listed yet");
        for table in cluster.lock().tables.values_mut() {
            table.fail(&watcher::Error::NoResourceVersion);
        }
        assert!(!cluster.ready(), "StorageClasses cannot be listed");
        apply(&mut cluster.lock(), vec![Event::Init, Event::InitDone]);
        assert!(cluster.ready());
    }
}
