//! The inventory of a live cluster: reflectors of every kind that the rules read and the API server serves.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use futures::StreamExt as _;
use kube::api::{ApiResource, DynamicObject};
use kube::runtime::utils::Backoff as _;
use kube::runtime::watcher::{self, DefaultBackoff, Event, watcher};
use kube::{Api, Client, ResourceExt as _};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use walguard_engine::{Catalogue, Inventory, Kind, Request, Rules, Value};

use super::discovery::{GroupKind, Served, served};
use super::named::{self, Names};
use super::reduced::Reducer;

/// How often the API server is asked which kinds it serves: operators come and go. An inventory is known to be current so often.
pub const DISCOVERY_INTERVAL: Duration = Duration::from_secs(30);
/// The same, while it does not answer.
const DISCOVERY_RETRY: Duration = Duration::from_secs(1);
/// A connection whose other end is gone without a word gives no error by itself.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(20);
/// Snapshots are made no closer together than this, however much changes.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(200);
/// How long a review waits for what its cluster names, at most.
const NAMED_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the objects are read that clusters name.
const NAMED_INTERVAL: Duration = Duration::from_secs(30);
/// What no default class and no volume can be known without.
const ESSENTIAL: (&str, &str) = ("storage.k8s.io", "StorageClass");

/// What is in sight of a live cluster.
pub struct Cluster {
    catalogue: Catalogue,
    reducer: Reducer,
    tables: Mutex<Tables>,
    changed: Notify,
    snapshot: ArcSwap<Inventory>,
    max_age: Duration,
    /// There once [`Cluster::run`] has it.
    client: OnceLock<Client>,
}

struct Tables {
    tables: BTreeMap<GroupKind, Table>,
    inventory: Inventory,
    discovered: bool,
    /// When everything that can be watched was last known to be current.
    current: Instant,
}

/// What is known of the objects of one kind.
struct Table {
    served: Served,
    /// All objects were listed once; what is missing does not exist.
    synced: bool,
    /// The last thing heard was an error.
    failing: Option<String>,
    errors: u64,
    /// By namespace ("" for cluster-scoped kinds) and name.
    objects: HashSet<Name>,
    /// What a list under way has brought so far.
    listing: HashSet<Name>,
}

/// Namespace ("" for cluster-scoped kinds) and name.
type Name = (String, String);

/// An object, when it is no longer there without a value.
type Change = (Name, Value);

/// What is known of a kind, for metrics.
pub struct Measure {
    pub group: String,
    pub kind: String,
    pub objects: usize,
    pub errors: u64,
}

impl Cluster {
    /// An inventory of nothing, until [`Cluster::run`] fills it. One that was last current longer ago than `max_age` is not
    /// used without saying so.
    pub fn new(rules: &Rules, catalogue: &Catalogue, max_age: Duration) -> Arc<Self> {
        let tables = Tables {
            tables: BTreeMap::new(),
            inventory: Inventory::new(false),
            discovered: false,
            current: Instant::now(),
        };
        Arc::new(Self {
            catalogue: catalogue.clone(),
            reducer: Reducer::new(rules),
            snapshot: ArcSwap::from_pointee(tables.inventory.clone()),
            tables: Mutex::new(tables),
            changed: Notify::new(),
            max_age,
            client: OnceLock::new(),
        })
    }

    /// The latest snapshot. It stays as it is when the API server cannot be reached.
    pub fn inventory(&self) -> Inventory {
        Inventory::clone(&self.snapshot.load())
    }

    /// The latest snapshot, with what the object of a request names in it: a cluster that is not admitted yet was in no inventory, and
    /// what it alone names was never read. What cannot be read in a moment stays unknown.
    pub async fn surroundings(&self, kind: &Kind, request: &Request<'_>, deadline: Instant) -> Inventory {
        let mut inventory = self.inventory();
        // Most clusters name nothing, and are not read here.
        if self.catalogue.naming(kind).next().is_none() {
            return inventory;
        }
        let (Some(client), Ok(Some(review))) = (self.client.get(), request.review()) else { return inventory };
        // Half of what is left is for the judgement.
        let patience = NAMED_TIMEOUT.min(deadline.saturating_duration_since(Instant::now()) / 2);
        for Names { served, names } in
            named::unknown(&self.catalogue, kind, &request.namespace, &review["object"], &inventory)
        {
            let read = named::read(client, &self.reducer, &served, names);
            for ((namespace, name), value) in tokio::time::timeout(patience, read).await.unwrap_or_default() {
                let ApiResource { api_version, kind, .. } = &served.resource;
                match value {
                    Ok(Some(value)) => inventory.place_object(api_version, kind, &namespace, &name, &value),
                    Ok(None) => {}
                    Err(error) => tracing::warn!(kind, namespace, name, "cannot be read: {error}"),
                }
            }
        }
        inventory
    }

    /// The kinds that are watched at the moment.
    pub fn served(&self) -> Vec<Served> {
        self.lock().tables.values().map(|table| table.served.clone()).collect()
    }

    /// True once every kind was listed, or cannot be; StorageClasses must have been.
    pub fn ready(&self) -> bool {
        let state = self.lock();
        state.discovered
            && state.tables.iter().all(|((group, kind), table)| {
                table.synced || (table.failing.is_some() && (group.as_str(), kind.as_str()) != ESSENTIAL)
            })
    }

    /// What must be said of a judgement of an object of a kind that was made with the snapshot at hand: that it is old, or not all
    /// that the rules would look for. `None` when it is as good as it can be.
    pub fn caveat(&self, kind: &Kind) -> Option<String> {
        let state = self.lock();
        if !state.discovered {
            return Some("the other objects of the cluster are not known yet".to_owned());
        }
        let unlisted = |table: &Table| match &table.failing {
            Some(error) => format!("cannot list {}: {error}", table.served.name()),
            None => format!("{} are not listed yet", table.served.name()),
        };
        let unknown: Vec<String> = match state.complete() {
            true => Vec::new(),
            false => self
                .catalogue
                .surroundings(kind)
                .filter_map(|kind| state.tables.get(&(kind.group.clone(), kind.kind.clone())))
                .filter(|table| !table.synced)
                .map(unlisted)
                .collect(),
        };
        let age = state.current.elapsed();
        if !unknown.is_empty() {
            Some(format!("the other objects of the cluster are not all known: {}", unknown.join("; ")))
        } else if age > self.max_age {
            let failing = state.tables.values().find_map(|table| table.failing.as_ref().map(|error| (table, error)));
            let why = match failing {
                Some((table, error)) => format!("cannot list {}: {error}", table.served.name()),
                None => "the API server does not answer".to_owned(),
            };
            Some(format!("what is in the cluster was last known {} s ago: {why}", age.as_secs()))
        } else {
            None
        }
    }

    /// Time since everything that can be watched was last known to be current.
    pub fn age(&self) -> Duration {
        self.lock().current.elapsed()
    }

    /// True when what is not in the inventory does not exist.
    pub fn complete(&self) -> bool {
        self.lock().complete()
    }

    pub fn measures(&self) -> Vec<Measure> {
        let state = self.lock();
        let measure = |((group, kind), table): (&GroupKind, &Table)| Measure {
            group: group.clone(),
            kind: kind.clone(),
            objects: table.objects.len(),
            errors: table.errors,
        };
        state.tables.iter().map(measure).collect()
    }

    /// Keeps the inventory up to date; never ends.
    pub async fn run(self: Arc<Self>, client: Client) {
        let _ = self.client.set(client.clone());
        tokio::join!(self.publish(), self.discover(&client), self.read_named(&client));
    }

    async fn publish(&self) {
        loop {
            self.changed.notified().await;
            let snapshot = self.lock().inventory.clone();
            self.snapshot.store(Arc::new(snapshot));
            tokio::time::sleep(SNAPSHOT_INTERVAL).await;
        }
    }

    async fn discover(self: &Arc<Self>, client: &Client) {
        let mut watches: BTreeMap<GroupKind, (Served, JoinHandle<()>)> = BTreeMap::new();
        let mut answering = true;
        loop {
            let served = tokio::time::timeout(DISCOVERY_TIMEOUT, served(client, self.catalogue.inventoried())).await;
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

    /// Reads what clusters name, again and again: a right to watch it would be one to read all of its kind.
    async fn read_named(&self, client: &Client) {
        let mut known: BTreeMap<String, BTreeSet<Name>> = BTreeMap::new();
        let mut wait = DISCOVERY_RETRY;
        loop {
            tokio::time::sleep(wait).await;
            // Soon, until it is known which clusters there are.
            wait = if self.ready() { NAMED_INTERVAL } else { DISCOVERY_RETRY };
            let inventory = self.inventory();
            for Names { served, names } in named::names(&self.catalogue.kinds, &self.served(), &inventory) {
                let resource = &served.resource;
                let known = known.entry(resource.plural.clone()).or_default();
                let mut gone: Vec<Name> = known.difference(&names).cloned().collect();
                let read = named::read(client, &self.reducer, &served, names).await;
                let mut state = self.lock();
                for (name, value) in read {
                    match value {
                        Ok(Some(value)) => {
                            state.inventory.place_object(
                                &resource.api_version,
                                &resource.kind,
                                &name.0,
                                &name.1,
                                &value,
                            );
                            known.insert(name);
                        }
                        Ok(None) => gone.push(name),
                        // What was read before stays in use.
                        Err(error) => {
                            tracing::warn!(
                                kind = resource.kind,
                                namespace = name.0,
                                name = name.1,
                                "cannot be read: {error}"
                            );
                        }
                    }
                }
                for name in gone {
                    state.inventory.remove_object(&resource.api_version, &resource.kind, &name.0, &name.1);
                    known.remove(&name);
                }
                self.changed.notify_one();
            }
        }
    }

    /// Starts watching what is new and stops watching what is gone.
    async fn follow(
        self: &Arc<Self>,
        client: &Client,
        watches: &mut BTreeMap<GroupKind, (Served, JoinHandle<()>)>,
        served: BTreeMap<GroupKind, Served>,
    ) {
        let gone = watches
            .extract_if(.., |key, (watched, _)| served.get(key).is_none_or(|now| now.resource != watched.resource));
        for (key, (watched, task)) in gone {
            tracing::info!(
                api_version = watched.resource.api_version,
                kind = watched.resource.kind,
                "no longer watched"
            );
            task.abort();
            // It must have ended before another one fills the same table.
            let _ = task.await;
            self.lock().drop_table(&key);
        }
        for (key, served) in served {
            if watches.contains_key(&key) {
                continue;
            }
            tracing::info!(api_version = served.resource.api_version, kind = served.resource.kind, "watched");
            self.lock().tables.insert(key.clone(), Table::new(served.clone()));
            let task = tokio::spawn(Arc::clone(self).reflect(client.clone(), key.clone(), served.clone()));
            watches.insert(key, (served, task));
        }
        self.lock().discovered();
        self.changed.notify_one();
    }

    /// Keeps one table; ends only when it is aborted. After an error everything is listed again: a watch that goes on gives no
    /// sign of it until something changes, so nobody could say whether the table is current.
    async fn reflect(self: Arc<Self>, client: Client, key: GroupKind, served: Served) {
        let api: Api<DynamicObject> = Api::all_with(client, &served.resource);
        let mut backoff = DefaultBackoff::default();
        loop {
            let mut events = std::pin::pin!(watcher(api.clone(), watcher::Config::default()));
            while let Some(event) = events.next().await {
                match event.map(|event| self.reduced(&served, event)) {
                    Ok(event) => {
                        if matches!(event, Event::InitDone) {
                            backoff.reset();
                        }
                        if self.lock().apply(&key, event) {
                            self.changed.notify_one();
                        }
                    }
                    Err(error) => {
                        self.lock().fail(&key, &error);
                        break;
                    }
                }
            }
            tokio::time::sleep(backoff.next().unwrap_or(DISCOVERY_INTERVAL)).await;
        }
    }

    /// An event with what the rules read of its object.
    fn reduced(&self, served: &Served, event: Event<DynamicObject>) -> Event<Change> {
        let change = |object: DynamicObject| {
            let name = (object.namespace().unwrap_or_default(), object.name_any());
            (name, self.reducer.value(served, object))
        };
        match event {
            Event::Init => Event::Init,
            Event::InitDone => Event::InitDone,
            Event::InitApply(object) => Event::InitApply(change(object)),
            Event::Apply(object) => Event::Apply(change(object)),
            Event::Delete(object) => {
                Event::Delete(((object.namespace().unwrap_or_default(), object.name_any()), Value::Undefined))
            }
        }
    }

    /// A panic while the lock was held would have left a table that is behind, not one that is wrong.
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn complete(&self) -> bool {
        self.discovered && self.tables.values().all(|table| table.synced)
    }

    /// The API server answered, and every kind that it serves has its table.
    fn discovered(&mut self) {
        self.discovered = true;
        self.answered();
    }

    /// The API server answered just now.
    fn answered(&mut self) {
        // What was never listed is not behind: it is unknown, and is named as such.
        if self.tables.values().all(|table| table.failing.is_none() || !table.synced) {
            self.current = Instant::now();
        }
        self.inventory.set_complete(self.complete());
    }

    /// Takes an event in; true when the inventory changes by it.
    fn apply(&mut self, key: &GroupKind, event: Event<Change>) -> bool {
        let Some(table) = self.tables.get_mut(key) else { return false };
        let inventory = &mut self.inventory;
        let resource = &table.served.resource;
        let (api_version, kind) = (resource.api_version.as_str(), resource.kind.as_str());
        let listed = matches!(event, Event::InitDone);
        let changed = match event {
            Event::Init => {
                table.listing.clear();
                false
            }
            // In use at once: held back until the list is complete, all objects would be in memory twice.
            Event::InitApply((name, value)) => {
                inventory.place_object(api_version, kind, &name.0, &name.1, &value);
                table.objects.insert(name.clone());
                table.listing.insert(name)
            }
            Event::InitDone => {
                for (namespace, name) in table.objects.difference(&table.listing) {
                    inventory.remove_object(api_version, kind, namespace, name);
                }
                table.objects = std::mem::take(&mut table.listing);
                table.synced = true;
                table.failing = None;
                true
            }
            Event::Apply((name, value)) => {
                inventory.place_object(api_version, kind, &name.0, &name.1, &value);
                table.objects.insert(name);
                true
            }
            Event::Delete((name, _)) => {
                inventory.remove_object(api_version, kind, &name.0, &name.1);
                table.objects.remove(&name)
            }
        };
        if listed {
            self.answered();
        }
        changed
    }

    fn fail(&mut self, key: &GroupKind, error: &watcher::Error) {
        let Some(table) = self.tables.get_mut(key) else { return };
        table.errors += 1;
        if table.failing.is_none() {
            let resource = &table.served.resource;
            tracing::warn!(api_version = resource.api_version, kind = resource.kind, "watch: {error}");
        }
        table.failing = Some(error.to_string());
    }

    fn drop_table(&mut self, key: &GroupKind) {
        let Some(table) = self.tables.remove(key) else { return };
        let resource = &table.served.resource;
        for (namespace, name) in &table.objects {
            self.inventory.remove_object(&resource.api_version, &resource.kind, namespace, name);
        }
    }
}

impl Table {
    fn new(served: Served) -> Self {
        Self { served, synced: false, failing: None, errors: 0, objects: HashSet::new(), listing: HashSet::new() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use kube::api::ApiResource;
    use serde_json::{Value as Json, json};

    use super::*;

    fn key() -> GroupKind {
        ("storage.k8s.io".to_owned(), "StorageClass".to_owned())
    }

    fn class(name: &str, size: &str) -> Change {
        let value = walguard_engine::value(json!({"metadata": {"name": name}, "size": size}));
        ((String::new(), name.to_owned()), value)
    }

    fn catalogue() -> Catalogue {
        let kind = |operator: &str, group: &str, kind: &str, plural: &str, role: &str| json!({"operator": operator, "group": group, "versions": ["v1"], "kind": kind, "plural": plural, "namespaced": true, "role": role});
        let kinds = [
            kind("inventory", "storage.k8s.io", "StorageClass", "storageclasses", "support"),
            kind("a", "a.io", "Cluster", "clusters", "cluster"),
            kind("b", "b.io", "Cluster", "clusters", "cluster"),
            kind("b", "b.io", "Backup", "backups", "support"),
        ];
        serde_json::from_value(json!({"checks": {}, "kinds": kinds})).unwrap()
    }

    fn kind(api_version: &str, kind: &str) -> Kind {
        catalogue().kinds_of(api_version, kind).next().unwrap().clone()
    }

    fn served(kind: Kind) -> Served {
        let resource = ApiResource {
            group: kind.group.clone(),
            version: "v1".to_owned(),
            api_version: kind.api_versions().next().unwrap(),
            kind: kind.kind.clone(),
            plural: kind.plural.clone(),
        };
        Served { resource, kind }
    }

    /// What is said to clusters of the operators a and b.
    fn caveats(cluster: &Cluster) -> (String, String) {
        let of = |group: &str| cluster.caveat(&kind(group, "Cluster")).unwrap_or_default();
        (of("a.io/v1"), of("b.io/v1"))
    }

    fn cluster(max_age: Duration) -> Arc<Cluster> {
        let cluster = Cluster::new(&Rules::interpreted(&rego_plan::Plan::default(), catalogue()).unwrap(), &catalogue(), max_age);
        assert!(!cluster.ready(), "nothing was discovered yet");
        assert!(caveats(&cluster).0.contains("not known yet"));
        cluster.lock().tables.insert(key(), Table::new(served(kind("storage.k8s.io/v1", "StorageClass"))));
        cluster.lock().discovered();
        cluster
    }

    /// The classes that are seen after events.
    fn after(cluster: &Cluster, events: Vec<Event<Change>>) -> Json {
        let mut state = cluster.lock();
        for event in events {
            state.apply(&key(), event);
        }
        serde_json::to_value(&state.inventory.value()["cluster"]["storage.k8s.io/v1"]["StorageClass"]).unwrap()
    }

    #[test]
    fn the_inventory_holds_what_was_listed_and_what_changed_since() {
        let cluster = cluster(Duration::MAX);
        after(&cluster, vec![Event::Init, Event::InitApply(class("a", "1")), Event::InitApply(class("b", "1"))]);
        assert!(!cluster.complete());

        let events = vec![Event::InitDone, Event::Apply(class("a", "2")), Event::Delete(class("b", "1"))];
        let a = json!({"metadata": {"name": "a"}, "size": "2"});
        assert_eq!(after(&cluster, events), json!({"a": a}));
        assert!(cluster.complete());

        // A list under way, after a watch broke off, leaves what is known in place; its end drops what is gone.
        let again = after(&cluster, vec![Event::Init, Event::InitApply(class("c", "1"))]);
        assert_eq!(again["a"], a);
        let ended = after(&cluster, vec![Event::InitDone]);
        assert_eq!(ended["c"]["metadata"]["name"], "c");
        assert_eq!(ended["a"], Json::Null);

        cluster.lock().drop_table(&key());
        assert_eq!(cluster.lock().inventory.objects("storage.k8s.io/v1", "StorageClass"), []);
    }

    #[test]
    fn readiness_waits_for_every_list_and_insists_on_storage_classes() {
        let cluster = cluster(Duration::MAX);
        assert!(!cluster.ready(), "nothing was listed yet");
        cluster.lock().fail(&key(), &watcher::Error::NoResourceVersion);
        assert!(!cluster.ready(), "StorageClasses cannot be listed");
        after(&cluster, vec![Event::Init, Event::InitDone]);
        assert!(cluster.ready());
    }

    #[test]
    fn what_is_not_known_is_said_to_whom_it_concerns() {
        let cluster = cluster(Duration::MAX);
        assert!(caveats(&cluster).0.contains("storageclasses.storage.k8s.io are not listed yet"));
        cluster.lock().fail(&key(), &watcher::Error::NoResourceVersion);
        assert!(caveats(&cluster).1.contains("cannot list storageclasses.storage.k8s.io: "));
        after(&cluster, vec![Event::Init, Event::InitDone]);
        assert_eq!(caveats(&cluster), (String::new(), String::new()));
        let backups = served(kind("b.io/v1", "Backup"));
        cluster.lock().tables.insert(("b.io".to_owned(), "Backup".to_owned()), Table::new(backups));
        let (a, b) = caveats(&cluster);
        assert!(a.is_empty() && b.contains("backups.b.io are not listed yet"), "{a} {b}");
    }

    #[test]
    fn an_old_snapshot_is_used_and_said_to_be_old() {
        let cluster = cluster(Duration::ZERO);
        after(&cluster, vec![Event::Init, Event::InitDone]);
        cluster.lock().fail(&key(), &watcher::Error::NoResourceVersion);
        let before = cluster.lock().current;
        cluster.lock().discovered();
        assert_eq!(cluster.lock().current, before, "the API server answers, the watch does not");
        assert!(caveats(&cluster).0.contains("was last known"));
        after(&cluster, vec![Event::Init, Event::InitDone]);
        assert_ne!(cluster.lock().current, before);
    }
}
