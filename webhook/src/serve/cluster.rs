//! The inventory of a live cluster: reflectors of every kind that the rules read and the API server serves.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use futures::{StreamExt as _, future};
use kube::api::{ApiResource, DynamicObject};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Map, Value as Json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use walguard_engine::{Catalogue, Kind, Role, Value};

use super::metrics::{KindLabels, Metrics};
use crate::inventory::Inventory;

/// How often the API server is asked which kinds it serves: operators come and go.
const DISCOVERY_INTERVAL: Duration = Duration::from_secs(30);
/// The same, while it has not answered yet.
const DISCOVERY_RETRY: Duration = Duration::from_secs(1);
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
    contains: Vec<String>,
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
            kinds: catalogue.kinds.iter().filter(|kind| kind.role != Role::Change).cloned().collect(),
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
        loop {
            let interval = match self.served(client).await {
                Ok(served) => {
                    self.follow(client, &mut watches, served).await;
                    DISCOVERY_INTERVAL
                }
                Err(error) => {
                    tracing::warn!("cannot ask the API server which kinds it serves: {error}");
                    if self.lock().discovered { DISCOVERY_INTERVAL } else { DISCOVERY_RETRY }
                }
            };
            tokio::time::sleep(interval).await;
        }
    }

    /// The kinds that the API server serves, each in the first of its versions that it does.
    async fn served(&self, client: &Client) -> kube::Result<BTreeMap<GroupKind, (ApiResource, Vec<String>)>> {
        let mut resources: HashMap<String, Vec<String>> = HashMap::new();
        let mut served = BTreeMap::new();
        for kind in &self.kinds {
            for version in &kind.versions {
                let api_version =
                    if kind.group.is_empty() { version.clone() } else { format!("{}/{version}", kind.group) };
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
                    served.entry((kind.group.clone(), kind.kind.clone())).or_insert((resource, kind.contains.clone()));
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
        served: BTreeMap<GroupKind, (ApiResource, Vec<String>)>,
    ) {
        let gone = watches.extract_if(.., |key, (resource, _)| served.get(key).is_none_or(|(now, _)| now != resource));
        for (key, (resource, task)) in gone {
            tracing::info!(api_version = resource.api_version, kind = resource.kind, "no longer watched");
            task.abort();
            // It must have ended before another one fills the same table.
            let _ = task.await;
            self.lock().tables.remove(&key);
        }
        for (key, (resource, contains)) in served {
            if watches.contains_key(&key) {
                continue;
            }
            tracing::info!(api_version = resource.api_version, kind = resource.kind, "watched");
            self.lock().tables.insert(key.clone(), Table::new(resource.clone(), contains));
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

/// What is served of a group in a version, by plural; nothing when the version is not served.
async fn plurals(client: &Client, group: &str, api_version: &str) -> kube::Result<Vec<String>> {
    let list = if group.is_empty() {
        client.list_core_api_resources(api_version).await
    } else {
        client.list_api_group_resources(api_version).await
    };
    match list {
        Ok(list) => Ok(list.resources.into_iter().map(|resource| resource.name).collect()),
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(Vec::new()),
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
    fn new(resource: ApiResource, contains: Vec<String>) -> Self {
        Self {
            resource,
            contains,
            synced: false,
            failing: false,
            errors: 0,
            objects: HashMap::new(),
            listing: HashMap::new(),
        }
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
                if let Some((key, value)) = self.entry(object) {
                    self.listing.insert(key, value);
                }
                false
            }
            Event::InitDone => {
                self.objects = std::mem::take(&mut self.listing);
                self.synced = true;
                true
            }
            Event::Apply(object) => {
                let key = key(&object);
                match self.entry(object) {
                    Some((key, value)) => self.objects.insert(key, value).is_none_or(|_| true),
                    None => self.objects.remove(&key).is_some(),
                }
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

    /// The object as the rules read it; `None` for one without the words that make it a matter of PostgreSQL.
    fn entry(&self, object: DynamicObject) -> Option<((String, String), Value)> {
        let key = key(&object);
        let json = reduced(&self.resource, object);
        if !self.contains.is_empty() {
            let text = json.to_string();
            if !self.contains.iter().any(|needle| text.contains(needle.as_str())) {
                return None;
            }
        }
        Some((key, Value::from(json)))
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
    fields.insert("metadata".to_owned(), Json::Object(metadata));
    // The items of a list do not say what they are.
    fields.insert("apiVersion".to_owned(), resource.api_version.as_str().into());
    fields.insert("kind".to_owned(), resource.kind.as_str().into());
    Json::Object(fields)
}
