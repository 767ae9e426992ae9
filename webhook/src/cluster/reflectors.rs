//! The inventory of a live cluster: reflectors of every kind that the rules read and the API server serves.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use futures::StreamExt as _;
use kube::api::ApiResource;
use kube::runtime::utils::Backoff as _;
use kube::runtime::watcher::{self, DefaultBackoff, Event, watcher};
use kube::{Api, Client, ResourceExt as _};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;
use walguard_engine::{Catalogue, Inventory, Kind, Request, Rules, Value};

use super::discovery::{GroupKind, Served, served};
use super::listing::PAGE;
use super::named::{self, Names, Read, Surplus};
use super::object::Object;
use super::reduced::Reducer;
use super::share::Shares;

/// How often the API server is asked which kinds it serves: operators come and go. An inventory is known to be current so often.
pub const DISCOVERY_INTERVAL: Duration = Duration::from_secs(30);
/// The same, while it does not answer.
const DISCOVERY_RETRY: Duration = Duration::from_secs(1);
/// A connection whose other end is gone without a word gives no error by itself.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(20);
/// Snapshots of one object more or less are made no closer together than this, however much changes.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(200);
/// How long a review waits for what its cluster names, at most.
const NAMED_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the objects are read that clusters name.
const NAMED_INTERVAL: Duration = Duration::from_secs(30);
/// Of these objects so many are read in a second, and so many at a time: nobody waits for them.
const NAMED_A_SECOND: usize = 100;
const NAMED_AT_ONCE: usize = 4;
/// Kinds listed at a time. A list comes in pages, which are in memory whole.
const LISTS: usize = 2;
/// A list that takes longer does not hold up others.
const LIST_PATIENCE: Duration = Duration::from_secs(60);
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
    lists: Semaphore,
    /// There once [`Cluster::run`] has it.
    client: OnceLock<Client>,
}

/// Why a judgement saw less than there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caveat {
    /// A word for metrics.
    pub reason: &'static str,
    pub text: String,
}

impl Caveat {
    /// Every word there is.
    pub const REASONS: [&str; 6] = ["not known", "not listed", "old", "left out", "names", "scale"];

    pub fn new(reason: &'static str, text: String) -> Self {
        Self { reason, text }
    }

    /// What is said of several.
    #[must_use]
    pub fn joined(caveats: &[Self]) -> Option<String> {
        let texts: Vec<&str> = caveats.iter().map(|caveat| caveat.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

/// An object that was not kept, since it is too large or there is no room for more of its namespace or kind.
pub struct LeftOut {
    pub served: Served,
    pub namespace: String,
    pub name: String,
    pub uid: String,
}

struct Tables {
    tables: BTreeMap<GroupKind, Table>,
    inventory: Inventory,
    shares: Shares,
    /// What clusters name and what of it was read, with what it takes up; by kind.
    named: BTreeMap<GroupKind, HashMap<Name, usize>>,
    /// Namespaces whose clusters name more than is kept.
    named_cut: BTreeSet<String>,
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
    /// What is kept, with what it takes up.
    objects: HashMap<Name, usize>,
    /// What is not, with uids.
    left_out: HashMap<Name, String>,
    /// What a list under way has brought so far.
    listing: HashSet<Name>,
}

/// Namespace ("" for cluster-scoped kinds) and name.
type Name = (String, String);

/// An object as it is now. Without a value it is no longer there, or too large to be kept.
struct Change {
    name: Name,
    uid: String,
    value: Option<(Value, usize)>,
}

/// What is known of a kind, for metrics.
pub struct Measure {
    pub group: String,
    pub kind: String,
    pub objects: usize,
    pub left_out: usize,
    pub errors: u64,
}

impl Cluster {
    /// An inventory of nothing, until [`Cluster::run`] fills it, with objects that take up about `max_bytes` at most. One that was last
    /// current longer ago than `max_age` is not used without saying so.
    pub fn new(rules: &Rules, catalogue: &Catalogue, max_age: Duration, max_bytes: usize) -> Arc<Self> {
        let tables = Tables {
            tables: BTreeMap::new(),
            inventory: Inventory::live(),
            shares: Shares::new(max_bytes),
            named: BTreeMap::new(),
            named_cut: BTreeSet::new(),
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
            lists: Semaphore::new(LISTS),
            client: OnceLock::new(),
        })
    }

    /// The latest snapshot. It stays as it is when the API server cannot be reached.
    pub fn inventory(&self) -> Inventory {
        Inventory::clone(&self.snapshot.load())
    }

    /// The latest snapshot as an object of a namespace is to be judged by it. Where something of that namespace was left out, nothing follows
    /// from absence.
    pub fn surroundings(&self, namespace: &str) -> Inventory {
        let mut inventory = self.inventory();
        if self.lock().lacks(namespace) {
            inventory.set_complete(false);
        }
        inventory
    }

    /// What the object of a request names and the inventory lacks: a cluster that is not admitted yet was in no inventory, and what it
    /// alone names was never read.
    ///
    /// # Errors
    /// When it names more than can be looked up.
    pub fn unknown(
        catalogue: &Catalogue,
        request: &Request<'_>,
        review: &Value,
        inventory: &Inventory,
    ) -> Result<Vec<Names>, Surplus> {
        match request.concern(catalogue) {
            Some(kind) => named::unknown(catalogue, kind, &request.namespace, &review["object"], inventory),
            None => Ok(Vec::new()),
        }
    }

    /// The inventory with objects that are looked up now. What cannot be read in a moment stays unknown, and is said to be.
    pub async fn look_up(
        &self,
        mut inventory: Inventory,
        names: Vec<Names>,
        deadline: Instant,
    ) -> (Inventory, Option<Caveat>) {
        // Half of what is left is for the judgement.
        let patience = NAMED_TIMEOUT.min(deadline.saturating_duration_since(Instant::now()) / 2);
        let end = tokio::time::Instant::now() + patience;
        let mut unread: BTreeSet<String> = BTreeSet::new();
        let mut why = "the API server did not answer in time".to_owned();
        for Names { served, names } in names {
            let ApiResource { api_version, kind, plural, .. } = &served.resource;
            let mut left = names.clone();
            if let Some(client) = self.client.get() {
                let mut read = Box::pin(named::read(client, &self.reducer, &served, names, named::AT_ONCE));
                while let Ok(Some((name, read))) = tokio::time::timeout_at(end, read.next()).await {
                    match read {
                        Read::There(value, _) => inventory.place_object(api_version, kind, &name.0, &name.1, &value),
                        Read::Absent => {}
                        Read::TooLarge => {
                            why = "it is too large".to_owned();
                            continue;
                        }
                        Read::Failed(error) => {
                            why = error.to_string();
                            continue;
                        }
                    }
                    left.remove(&name);
                }
            }
            unread.extend(left.into_iter().map(|(_, name)| format!("{plural} {name}")));
        }
        if unread.is_empty() {
            return (inventory, None);
        }
        inventory.set_complete(false);
        let some: Vec<&str> = unread.iter().take(3).map(String::as_str).collect();
        let more = if unread.len() > 3 { format!(" and {} more", unread.len() - 3) } else { String::new() };
        let text = format!("it names {}{more}, which could not be read: {why}", some.join(", "));
        (inventory, Some(Caveat::new("names", text)))
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

    /// What must be said of a judgement of an object of a kind in a namespace that was made with the snapshot at hand: that it is old, or
    /// not all that the rules would look for. Nothing when it is as good as it can be.
    pub fn caveats(&self, kind: &Kind, namespace: &str) -> Vec<Caveat> {
        let state = self.lock();
        if !state.discovered {
            return vec![Caveat::new("not known", "the other objects of the cluster are not known yet".to_owned())];
        }
        let mut caveats = Vec::new();
        let surroundings: Vec<&Table> = match state.complete() && !state.lacks(namespace) {
            true => Vec::new(),
            false => self
                .catalogue
                .surroundings(kind)
                .filter_map(|kind| state.tables.get(&(kind.group.clone(), kind.kind.clone())))
                .collect(),
        };
        let unlisted = |table: &&Table| match &table.failing {
            Some(error) => format!("cannot list {}: {error}", table.served.name()),
            None => format!("{} are not listed yet", table.served.name()),
        };
        let unknown: Vec<String> = surroundings.iter().filter(|table| !table.synced).map(unlisted).collect();
        if !unknown.is_empty() {
            let text = format!("the other objects of the cluster are not all known: {}", unknown.join("; "));
            caveats.push(Caveat::new("not listed", text));
        }
        let age = state.current.elapsed();
        if unknown.is_empty() && age > self.max_age {
            let failing = state.tables.values().find_map(|table| table.failing.as_ref().map(|error| (table, error)));
            let why = match failing {
                Some((table, error)) => format!("cannot list {}: {error}", table.served.name()),
                None => "the API server does not answer".to_owned(),
            };
            let text = format!("what is in the cluster was last known {} s ago: {why}", age.as_secs());
            caveats.push(Caveat::new("old", text));
        }
        let left_out: Vec<String> = surroundings
            .iter()
            .filter_map(|table| {
                let count = table.left_out.keys().filter(|(home, _)| home.is_empty() || home == namespace).count();
                (count > 0).then(|| format!("{count} {}", table.served.name()))
            })
            .collect();
        if !left_out.is_empty() {
            let text = format!("not kept, too large or too many: {}", left_out.join(", "));
            caveats.push(Caveat::new("left out", text));
        }
        if state.named_cut.contains(namespace) && self.catalogue.naming(kind).next().is_some() {
            let text = "clusters of this namespace name more objects than walguard reads".to_owned();
            caveats.push(Caveat::new("names", text));
        }
        caveats
    }

    /// What is not kept, of kinds that are judged.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let state = self.lock();
        let tables = state.tables.values().filter(|table| table.served.kind.judged());
        let of = |table: &Table| -> Vec<LeftOut> {
            let left_out = table.left_out.iter().map(|((namespace, name), uid)| LeftOut {
                served: table.served.clone(),
                namespace: namespace.clone(),
                name: name.clone(),
                uid: uid.clone(),
            });
            left_out.collect()
        };
        tables.flat_map(of).collect()
    }

    /// What the objects in the inventory take up in memory, about.
    pub fn bytes(&self) -> usize {
        self.lock().shares.total()
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
            left_out: table.left_out.len(),
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
            self.show(&self.lock());
            tokio::time::sleep(SNAPSHOT_INTERVAL).await;
        }
    }

    /// Makes what is known the snapshot. What becomes known or unknown as a whole, a kind, is shown before the lock is given back: who
    /// hears that it is known must not look for it in a snapshot of before.
    fn show(&self, tables: &Tables) {
        self.snapshot.store(Arc::new(tables.inventory.clone()));
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
        let mut wait = DISCOVERY_RETRY;
        loop {
            tokio::time::sleep(wait).await;
            // Soon, until it is known which clusters there are.
            wait = if self.ready() { NAMED_INTERVAL } else { DISCOVERY_RETRY };
            let inventory = self.inventory();
            let (all, cut) = named::names(&self.catalogue.kinds, &self.served(), &inventory);
            self.lock().named_cut = cut;
            for Names { served, names } in all {
                let key = (served.resource.group.clone(), served.resource.kind.clone());
                self.lock().forget_named(&key, &served, &names);
                let mut pace = tokio::time::interval(Duration::from_secs(1));
                let names: Vec<Name> = names.into_iter().collect();
                for some in names.chunks(NAMED_A_SECOND) {
                    pace.tick().await;
                    let some = some.iter().cloned();
                    let mut read = Box::pin(named::read(client, &self.reducer, &served, some, NAMED_AT_ONCE));
                    while let Some((name, read)) = read.next().await {
                        self.lock().place_named(&key, &served, name, read);
                    }
                    self.changed.notify_one();
                }
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
        let mut tables = self.lock();
        tables.discovered();
        self.show(&tables);
    }

    /// Keeps one table; ends only when it is aborted. After an error everything is listed again: a watch that goes on gives no
    /// sign of it until something changes, so nobody could say whether the table is current.
    async fn reflect(self: Arc<Self>, client: Client, key: GroupKind, served: Served) {
        let api: Api<Object> = Api::all_with(client, &served.resource);
        let config = watcher::Config::default().page_size(PAGE);
        let mut backoff = DefaultBackoff::default();
        loop {
            let mut listing = self.lists.acquire().await.ok();
            let patience = tokio::time::Instant::now() + LIST_PATIENCE;
            let mut events = std::pin::pin!(watcher(api.clone(), config.clone()));
            loop {
                let event = match listing.is_some() {
                    true => tokio::time::timeout_at(patience, events.next()).await,
                    false => Ok(events.next().await),
                };
                let event = match event {
                    Ok(Some(event)) => event.map(|event| self.reduced(&served, event)),
                    Ok(None) => break,
                    Err(_) => {
                        listing = None;
                        continue;
                    }
                };
                match event {
                    Ok(event) => {
                        if matches!(event, Event::InitDone) {
                            backoff.reset();
                            listing = None;
                        }
                        self.take(&key, event);
                    }
                    Err(error) => {
                        self.lock().fail(&key, &error);
                        break;
                    }
                }
            }
            drop(listing);
            tokio::time::sleep(backoff.next().unwrap_or(DISCOVERY_INTERVAL)).await;
        }
    }

    /// Takes an event in.
    fn take(&self, key: &GroupKind, event: Event<Change>) {
        let listed = matches!(event, Event::InitDone);
        let mut tables = self.lock();
        let changed = tables.apply(key, event);
        if listed {
            self.show(&tables);
        } else if changed {
            self.changed.notify_one();
        }
    }

    /// An event with what the rules read of its object.
    fn reduced(&self, served: &Served, event: Event<Object>) -> Event<Change> {
        let change = |object: Object| {
            let name = (object.namespace().unwrap_or_default(), object.name_any());
            let uid = object.uid().unwrap_or_default();
            Change { name, uid, value: self.reducer.value(served, object) }
        };
        match event {
            Event::Init => Event::Init,
            Event::InitDone => Event::InitDone,
            Event::InitApply(object) => Event::InitApply(change(object)),
            Event::Apply(object) => Event::Apply(change(object)),
            Event::Delete(object) => {
                let name = (object.namespace().unwrap_or_default(), object.name_any());
                Event::Delete(Change { name, uid: String::new(), value: None })
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

    /// Whether something of a namespace, or something that is in none, is not kept.
    fn lacks(&self, namespace: &str) -> bool {
        let lacks = |table: &Table| table.left_out.keys().any(|(home, _)| home.is_empty() || home == namespace);
        self.named_cut.contains(namespace) || self.tables.values().any(lacks)
    }

    /// Takes an event in; true when the inventory changes by it.
    fn apply(&mut self, key: &GroupKind, event: Event<Change>) -> bool {
        let Some(table) = self.tables.get_mut(key) else { return false };
        let (inventory, shares) = (&mut self.inventory, &mut self.shares);
        let listed = matches!(event, Event::InitDone);
        let changed = match event {
            Event::Init => {
                table.listing.clear();
                false
            }
            // In use at once: held back until the list is complete, all objects would be in memory twice.
            Event::InitApply(change) => {
                table.listing.insert(change.name.clone());
                table.place(key, change, inventory, shares)
            }
            Event::InitDone => {
                let listing = std::mem::take(&mut table.listing);
                let known = table.objects.keys().chain(table.left_out.keys());
                let gone: Vec<Name> = known.filter(|name| !listing.contains(*name)).cloned().collect();
                for name in gone {
                    table.remove(key, &name, inventory, shares);
                }
                table.synced = true;
                table.failing = None;
                true
            }
            Event::Apply(change) => table.place(key, change, inventory, shares),
            Event::Delete(change) => table.remove(key, &change.name, inventory, shares),
        };
        if listed {
            self.answered();
        }
        changed
    }

    /// Takes in what came of reading an object that a cluster names.
    fn place_named(&mut self, key: &GroupKind, served: &Served, name: Name, read: Read) {
        let ApiResource { api_version, kind, .. } = &served.resource;
        let known = self.named.entry(key.clone()).or_default();
        let before = known.remove(&name).unwrap_or_default();
        let placed = match read {
            Read::There(value, bytes) if self.shares.replace(key, &name.0, before, bytes) => {
                self.inventory.place_object(api_version, kind, &name.0, &name.1, &value);
                known.insert(name.clone(), bytes);
                true
            }
            Read::There(..) | Read::TooLarge => {
                if matches!(read, Read::TooLarge) {
                    self.shares.give_back(key, &name.0, before);
                }
                self.named_cut.insert(name.0.clone());
                false
            }
            Read::Absent => {
                self.shares.give_back(key, &name.0, before);
                false
            }
            // What was read before stays in use.
            Read::Failed(error) => {
                tracing::warn!(kind, namespace = name.0, name = name.1, "cannot be read: {error}");
                if before > 0 {
                    known.insert(name.clone(), before);
                }
                true
            }
        };
        if !placed {
            self.inventory.remove_object(api_version, kind, &name.0, &name.1);
        }
    }

    /// Drops what no cluster names any more.
    fn forget_named(&mut self, key: &GroupKind, served: &Served, names: &BTreeSet<Name>) {
        let ApiResource { api_version, kind, .. } = &served.resource;
        let known = self.named.entry(key.clone()).or_default();
        let gone: Vec<(Name, usize)> = known.extract_if(|name, _| !names.contains(name)).collect();
        for (name, bytes) in gone {
            self.shares.give_back(key, &name.0, bytes);
            self.inventory.remove_object(api_version, kind, &name.0, &name.1);
        }
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
        let Some(mut table) = self.tables.remove(key) else { return };
        let names: Vec<Name> = table.objects.keys().cloned().collect();
        for name in names {
            table.remove(key, &name, &mut self.inventory, &mut self.shares);
        }
    }
}

impl Table {
    fn new(served: Served) -> Self {
        Self {
            served,
            synced: false,
            failing: None,
            errors: 0,
            objects: HashMap::new(),
            left_out: HashMap::new(),
            listing: HashSet::new(),
        }
    }

    /// Keeps an object as it is now, or leaves it out.
    fn place(&mut self, key: &GroupKind, change: Change, inventory: &mut Inventory, shares: &mut Shares) -> bool {
        let Change { name, uid, value } = change;
        let ApiResource { api_version, kind, .. } = &self.served.resource;
        let before = self.objects.remove(&name).unwrap_or_default();
        let bytes = value.as_ref().map_or(0, |(_, bytes)| *bytes);
        match value {
            Some((value, bytes)) if shares.replace(key, &name.0, before, bytes) => {
                inventory.place_object(api_version, kind, &name.0, &name.1, &value);
                self.left_out.remove(&name);
                self.objects.insert(name, bytes);
            }
            _ => {
                if bytes == 0 {
                    shares.give_back(key, &name.0, before);
                }
                if self.left_out.insert(name.clone(), uid).is_none() {
                    tracing::warn!(kind, namespace = name.0, name = name.1, bytes, "not kept: too large, or too many");
                }
                inventory.remove_object(api_version, kind, &name.0, &name.1);
            }
        }
        true
    }

    fn remove(&mut self, key: &GroupKind, name: &Name, inventory: &mut Inventory, shares: &mut Shares) -> bool {
        let ApiResource { api_version, kind, .. } = &self.served.resource;
        if let Some(bytes) = self.objects.remove(name) {
            shares.give_back(key, &name.0, bytes);
            inventory.remove_object(api_version, kind, &name.0, &name.1);
        }
        self.left_out.remove(name);
        true
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
        Change { name: (String::new(), name.to_owned()), uid: "1".to_owned(), value: Some((value, size.len())) }
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
        let of = |group: &str| Caveat::joined(&cluster.caveats(&kind(group, "Cluster"), "shop")).unwrap_or_default();
        (of("a.io/v1"), of("b.io/v1"))
    }

    fn cluster(max_age: Duration) -> Arc<Cluster> {
        let rules = Rules::interpreted(&rego_plan::Plan::default(), catalogue()).unwrap();
        let cluster = Cluster::new(&rules, &catalogue(), max_age, 100);
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
    fn who_hears_that_all_is_listed_finds_it_in_the_snapshot() {
        let cluster = cluster(Duration::MAX);
        let there =
            || cluster.inventory().value()["cluster"]["storage.k8s.io/v1"]["StorageClass"]["a"].as_object().is_ok();
        cluster.take(&key(), Event::Init);
        cluster.take(&key(), Event::InitApply(class("a", "1")));
        assert!(!cluster.ready() && !there());
        cluster.take(&key(), Event::InitDone);
        assert!(cluster.ready() && there(), "{:?}", cluster.inventory().value()["cluster"]);
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

    #[test]
    fn what_is_not_kept_is_said_to_whom_it_concerns() {
        let cluster = cluster(Duration::MAX);
        after(&cluster, vec![Event::Init, Event::InitDone]);
        let key = ("b.io".to_owned(), "Backup".to_owned());
        cluster.lock().tables.insert(key.clone(), Table::new(served(kind("b.io/v1", "Backup"))));
        let backup = |namespace: &str, name: &str, bytes: Option<usize>| Change {
            name: (namespace.to_owned(), name.to_owned()),
            uid: String::new(),
            value: bytes.map(|bytes| (name.into(), bytes)),
        };
        let apply = |event| cluster.lock().apply(&key, event);
        for event in [Event::Init, Event::InitApply(backup("shop", "a", Some(50))), Event::InitDone] {
            apply(event);
        }
        let b = kind("b.io/v1", "Cluster");
        assert!(cluster.caveats(&b, "shop").is_empty());
        // One more than the namespace may have, and one that is too large by itself.
        apply(Event::Apply(backup("shop", "b", Some(1))));
        apply(Event::Apply(backup("dock", "c", None)));
        cluster.lock().inventory.set_complete(true);
        cluster.snapshot.store(Arc::new(cluster.lock().inventory.clone()));
        for (namespace, lacks) in [("shop", true), ("dock", true), ("other", false)] {
            let caveats = cluster.caveats(&b, namespace);
            assert_eq!(
                caveats.iter().map(|caveat| caveat.reason).collect::<Vec<_>>(),
                vec!["left out"; usize::from(lacks)]
            );
            assert!(caveats.iter().all(|caveat| caveat.text.contains("1 backups.b.io")), "{caveats:?}");
            let complete = cluster.surroundings(namespace).value()["complete"] == Value::from(!lacks);
            assert!(complete, "{namespace}");
        }
        assert!(cluster.caveats(&kind("a.io/v1", "Cluster"), "shop").is_empty(), "a has no backups");
        let measured = cluster.measures().into_iter().find(|measure| measure.kind == "Backup").unwrap();
        assert_eq!((measured.objects, measured.left_out, cluster.bytes()), (1, 2, 50));
        // What fits again is kept again.
        apply(Event::Delete(backup("shop", "a", None)));
        apply(Event::Apply(backup("shop", "b", Some(1))));
        assert!(cluster.caveats(&b, "shop").is_empty());
        apply(Event::Init);
        apply(Event::InitDone);
        assert_eq!((cluster.bytes(), cluster.lock().lacks("dock")), (0, false));
    }
}
