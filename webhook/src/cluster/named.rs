//! Objects of kinds that are mostly something else, read one by one because a cluster names them: a ConfigMap with parameters, a claim.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use futures::{Stream, StreamExt as _, stream};
use kube::api::ApiResource;
use kube::{Api, Client};
use walguard_engine::{Catalogue, Inventory, Kind, Value};

use super::discovery::Served;
use super::object::Object;
use super::reduced::Reducer;

/// Objects asked for at a time for a review, which waits for them.
pub const AT_ONCE: usize = 16;
/// A cluster names a few. Who names more than this wants something else than a cluster.
const NAMES_MAX: usize = 200;
/// What the clusters of a namespace may name together, to be read again and again.
const NAMESPACE_MAX: usize = 1_000;
/// The same for all clusters.
const ALL_MAX: usize = 20_000;

/// Namespace and name.
pub type Name = (String, String);

/// The objects that clusters name, by their kind.
#[derive(Debug)]
pub struct Names {
    pub served: Served,
    pub names: BTreeSet<Name>,
}

/// More names than are looked up.
#[derive(Debug, thiserror::Error)]
#[error("it names {0} objects, and walguard looks up {NAMES_MAX} for one cluster at most")]
pub struct Surplus(usize);

/// Which objects the clusters of an inventory name, and the namespaces whose clusters name more than is read.
pub fn names(kinds: &[Kind], served: &[Served], inventory: &Inventory) -> (Vec<Names>, BTreeSet<String>) {
    let mut all: BTreeMap<(String, String), Names> = BTreeMap::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut total = 0;
    let mut cut = BTreeSet::new();
    for kind in kinds {
        let (Some(named), Some(resource)) = (&kind.named, resource(kind)) else { continue };
        let found = &mut all
            .entry((kind.group.clone(), kind.kind.clone()))
            .or_insert_with(|| Names { served: resource, names: BTreeSet::new() })
            .names;
        for clusters in served.iter().filter(|served| served.kind.operator == kind.operator && served.kind.names()) {
            let ApiResource { api_version, kind, .. } = &clusters.resource;
            for (namespace, cluster) in inventory.objects(api_version, kind) {
                let count = counts.entry(namespace.clone()).or_default();
                for name in named.of(&cluster) {
                    if *count >= NAMESPACE_MAX || total >= ALL_MAX {
                        cut.insert(namespace.clone());
                        break;
                    }
                    if found.insert((namespace.clone(), name)) {
                        *count += 1;
                        total += 1;
                    }
                }
            }
        }
    }
    (all.into_values().collect(), cut)
}

/// What the cluster under review names and the inventory does not hold: nobody named it before.
///
/// # Errors
/// When it names more than can be looked up while somebody waits.
pub fn unknown(
    catalogue: &Catalogue,
    kind: &Kind,
    namespace: &str,
    cluster: &Value,
    inventory: &Inventory,
) -> Result<Vec<Names>, Surplus> {
    let unknown = |of: &Kind, names: Vec<String>| {
        let served = resource(of)?;
        let ApiResource { api_version, kind, .. } = &served.resource;
        let names = names.into_iter().filter(|name| !inventory.holds(api_version, kind, namespace, name));
        let names: BTreeSet<Name> = names.map(|name| (namespace.to_owned(), name)).collect();
        (!names.is_empty()).then_some(Names { served, names })
    };
    let unknown: Vec<Names> = catalogue.named_by(kind, cluster).filter_map(|(of, names)| unknown(of, names)).collect();
    let count = unknown.iter().map(|names| names.names.len()).sum();
    if count > NAMES_MAX { Err(Surplus(count)) } else { Ok(unknown) }
}

impl Names {
    /// One object by its name; `None` of a kind that no version is known of.
    pub fn one(kind: &Kind, namespace: &str, name: &str) -> Option<Self> {
        let names = BTreeSet::from([(namespace.to_owned(), name.to_owned())]);
        Some(Self { served: resource(kind)?, names })
    }
}

fn resource(kind: &Kind) -> Option<Served> {
    let (version, api_version) = kind.versions.iter().zip(kind.api_versions()).next()?;
    Some(Served::new(kind, version, api_version))
}

/// What came of reading an object.
pub enum Read {
    /// The object as the rules read it, and what it takes up.
    There(Value, usize),
    Absent,
    TooLarge,
    Failed(kube::Error),
}

/// Reads objects, so many at a time.
pub fn read<'a>(
    client: &'a Client,
    reducer: &'a Reducer,
    served: &'a Served,
    names: impl IntoIterator<Item = Name> + 'a,
    at_once: usize,
) -> impl Stream<Item = (Name, Read)> + 'a {
    let read = stream::iter(names).map(move |(namespace, name)| async move {
        let api: Api<Object> = Api::namespaced_with(client.clone(), &namespace, &served.resource);
        let read = match api.get_opt(&name).await {
            Ok(None) => Read::Absent,
            Ok(Some(object)) => {
                reducer.value(served, object).map_or(Read::TooLarge, |(value, bytes)| Read::There(value, bytes))
            }
            Err(error) => Read::Failed(error),
        };
        ((namespace, name), read)
    });
    read.buffer_unordered(at_once)
}
