//! What a cluster holds at the moment.

use futures::{StreamExt as _, stream};
use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::{Api, Client, ResourceExt as _};
use walguard_engine::{Catalogue, Inventory, Kind, Rules, Value};

use super::discovery::{Served, served};
use super::named::{self, Names};
use super::reduced::Reducer;

/// Objects asked for at a time: memory and the API server are spared.
const PAGE: u32 = 500;
/// Kinds asked for at a time.
const AT_ONCE: usize = 4;

/// What was listed.
pub struct Listing {
    /// Complete when nothing was left out.
    pub inventory: Inventory,
    /// The kinds that the API server serves.
    pub served: Vec<Served>,
    pub unlisted: Vec<Unlisted>,
}

/// A kind of which not all objects could be listed.
pub struct Unlisted {
    /// `backups.postgresql.cnpg.io`, or a single object `configmaps shop/parameters`.
    pub name: String,
    pub error: kube::Error,
    /// The objects of the namespace in question could.
    pub elsewhere: bool,
}

/// Lists the objects of every kind that the rules read and the API server serves; with `generic` also those of kinds that are
/// mostly something else, as far as they concern PostgreSQL. A kind that may be listed in `namespace` alone is listed there.
///
/// # Errors
/// When the API server does not say which kinds it serves.
pub async fn list(
    client: &Client,
    rules: &Rules,
    catalogue: &Catalogue,
    namespace: Option<&str>,
    generic: bool,
) -> kube::Result<Listing> {
    let kinds: Vec<&Kind> = match generic {
        true => catalogue.kinds.iter().filter(|kind| kind.served && kind.watched).collect(),
        false => catalogue.inventoried().collect(),
    };
    let served: Vec<Served> = served(client, kinds).await?.into_values().collect();
    let mut inventory = Inventory::new(false);
    let mut unlisted = Vec::new();

    let lister = Lister { client, catalogue, reducer: Reducer::new(rules) };
    let lists = stream::iter(0..served.len()).map(|index| {
        let (lister, kind) = (&lister, &served[index]);
        async move { (kind, lister.objects(kind, namespace).await) }
    });
    let mut lists = Box::pin(lists.buffer_unordered(AT_ONCE));
    while let Some((kind, listed)) = lists.next().await {
        let ApiResource { api_version, kind: word, .. } = &kind.resource;
        for Object { namespace, name, value } in listed.objects {
            inventory.place_object(api_version, word, &namespace, &name, &value);
        }
        if let Some(error) = listed.error {
            unlisted.push(Unlisted { name: kind.name(), error, elsewhere: listed.narrowed });
        }
    }
    drop(lists);
    // In the namespace in question alone: others cost requests, and matter little to it.
    for Names { served: kind, names } in named::names(&catalogue.kinds, &served, &inventory) {
        let resource = &kind.resource;
        if generic && served.iter().any(|served| served.resource == *resource) {
            continue;
        }
        let wanted = names.into_iter().filter(|(home, _)| namespace.is_none_or(|namespace| namespace == home));
        for ((namespace, name), value) in named::read(client, &lister.reducer, &kind, wanted).await {
            match value {
                Ok(Some(value)) => {
                    inventory.place_object(&resource.api_version, &resource.kind, &namespace, &name, &value);
                }
                Ok(None) => {}
                Err(error) => unlisted.push(Unlisted {
                    name: format!("{} {namespace}/{name}", resource.plural),
                    error,
                    elsewhere: false,
                }),
            }
        }
    }
    unlisted.sort_by(|a, b| a.name.cmp(&b.name));
    inventory.set_complete(unlisted.is_empty());
    Ok(Listing { inventory, served, unlisted })
}

/// An object as the rules read it.
struct Object {
    namespace: String,
    name: String,
    value: Value,
}

/// The objects of a kind, and why they are not all.
struct Objects {
    objects: Vec<Object>,
    error: Option<kube::Error>,
    narrowed: bool,
}

struct Lister<'a> {
    client: &'a Client,
    catalogue: &'a Catalogue,
    reducer: Reducer,
}

impl Lister<'_> {
    async fn objects(&self, served: &Served, namespace: Option<&str>) -> Objects {
        let everywhere = Api::all_with(self.client.clone(), &served.resource);
        let error = match self.pages(&everywhere, served).await {
            Ok(objects) => return Objects { objects, error: None, narrowed: false },
            Err(error) => error,
        };
        let forbidden = matches!(&error, kube::Error::Api(status) if status.code == 403);
        if let Some(namespace) = namespace.filter(|_| forbidden && served.kind.namespaced) {
            let here = Api::namespaced_with(self.client.clone(), namespace, &served.resource);
            return match self.pages(&here, served).await {
                Ok(objects) => Objects { objects, error: Some(error), narrowed: true },
                Err(error) => Objects { objects: Vec::new(), error: Some(error), narrowed: false },
            };
        }
        Objects { objects: Vec::new(), error: Some(error), narrowed: false }
    }

    /// The objects, reduced page by page: as they are sent they would take several times the memory.
    async fn pages(&self, api: &Api<DynamicObject>, served: &Served) -> kube::Result<Vec<Object>> {
        let first = ListParams::default().limit(PAGE);
        let mut objects = Vec::new();
        let mut page = first.clone();
        let mut restarted = false;
        loop {
            let list = match api.list(&page).await {
                // So slowly that what the next page continues is gone: once more from the start.
                Err(kube::Error::Api(status)) if status.code == 410 && !restarted => {
                    restarted = true;
                    objects.clear();
                    page = first.clone();
                    continue;
                }
                list => list?,
            };
            let found = list.items.into_iter().filter(|object| self.concerns(served, object));
            objects.extend(found.map(|object| Object {
                namespace: object.namespace().unwrap_or_default(),
                name: object.name_any(),
                value: self.reducer.value(served, object),
            }));
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => page = first.clone().continue_token(&token),
                None => return Ok(objects),
            }
        }
    }

    /// Whether an object of a kind that is mostly something else has to do with PostgreSQL.
    fn concerns(&self, served: &Served, object: &DynamicObject) -> bool {
        let ApiResource { kind, group, .. } = &served.resource;
        let serialised = std::cell::OnceCell::new();
        self.catalogue.kinds.iter().filter(|known| known.kind == *kind && known.group == *group).any(|known| {
            known.contains.is_empty()
                || known.concerns(serialised.get_or_init(|| serde_json::to_string(object).unwrap_or_default()))
        })
    }
}
