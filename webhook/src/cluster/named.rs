//! Objects of kinds that are mostly something else, read one by one because a cluster names them: a ConfigMap with parameters.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, stream};
use kube::api::{ApiResource, DynamicObject};
use kube::{Api, Client};
use walguard_engine::{Catalogue, Inventory, Kind, Role, Value};

use super::discovery::Served;
use super::reduced::Reducer;

/// Objects asked for at a time.
const AT_ONCE: usize = 4;

/// Namespace and name.
pub type Name = (String, String);

/// The objects that clusters name, by their kind.
pub struct Names {
    pub served: Served,
    pub names: BTreeSet<Name>,
}

/// Which objects the clusters of an inventory name.
pub fn names(kinds: &[Kind], served: &[Served], inventory: &Inventory) -> Vec<Names> {
    let mut all: BTreeMap<(String, String), Names> = BTreeMap::new();
    for kind in kinds {
        let (Some(named), Some(resource)) = (&kind.named, resource(kind)) else { continue };
        let found = &mut all
            .entry((kind.group.clone(), kind.kind.clone()))
            .or_insert_with(|| Names { served: resource, names: BTreeSet::new() })
            .names;
        for clusters in
            served.iter().filter(|served| served.kind.operator == kind.operator && served.kind.role == Role::Cluster)
        {
            let ApiResource { api_version, kind, .. } = &clusters.resource;
            for (namespace, cluster) in inventory.objects(api_version, kind) {
                found.extend(named.of(&cluster).into_iter().map(|name| (namespace.clone(), name)));
            }
        }
    }
    all.into_values().collect()
}

/// What the cluster under review names and the inventory does not hold: nobody named it before.
pub fn unknown(
    catalogue: &Catalogue,
    kind: &Kind,
    namespace: &str,
    cluster: &Value,
    inventory: &Inventory,
) -> Vec<Names> {
    let unknown = |of: &Kind, names: Vec<String>| {
        let served = resource(of)?;
        let ApiResource { api_version, kind, .. } = &served.resource;
        let names = names.into_iter().filter(|name| !inventory.holds(api_version, kind, namespace, name));
        let names: BTreeSet<Name> = names.map(|name| (namespace.to_owned(), name)).collect();
        (!names.is_empty()).then_some(Names { served, names })
    };
    catalogue.named_by(kind, cluster).filter_map(|(of, names)| unknown(of, names)).collect()
}

fn resource(kind: &Kind) -> Option<Served> {
    let (version, api_version) = kind.versions.iter().zip(kind.api_versions()).next()?;
    Some(Served::new(kind, version, api_version))
}

/// Reads objects: what is there, `None` for what is not.
pub async fn read(
    client: &Client,
    reducer: &Reducer,
    served: &Served,
    names: impl IntoIterator<Item = Name>,
) -> Vec<(Name, kube::Result<Option<Value>>)> {
    let read = stream::iter(names).map(|(namespace, name)| async move {
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), &namespace, &served.resource);
        let object = api.get_opt(&name).await;
        let value = object.map(|object| object.map(|object| reducer.value(served, object)));
        ((namespace, name), value)
    });
    read.buffer_unordered(AT_ONCE).collect().await
}
