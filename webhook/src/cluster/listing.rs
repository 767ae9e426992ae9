//! What a cluster holds at the moment.

use futures::{StreamExt as _, stream};
use kube::api::{ApiResource, ListParams};
use kube::{Api, Client, ResourceExt as _};
use walguard_engine::{Catalogue, Inventory, Kind, Rules, Value};

use super::discovery::{Served, served};
use super::named::{self, Names, Read};
use super::object::Object as Sent;
use super::reduced::Reducer;

/// Objects asked for at a time. Each may have 1.5 MiB.
pub const PAGE: u32 = 50;
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
    pub error: Why,
    /// The objects of the namespace in question could.
    pub elsewhere: bool,
}

/// Why an object is not among what was listed.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    #[error(transparent)]
    Refused(#[from] kube::Error),
    #[error("it is larger than walguard reads")]
    TooLarge,
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
    let mut inventory = Inventory::live();
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
            unlisted.push(Unlisted { name: kind.name(), error: error.into(), elsewhere: listed.narrowed });
        }
        let left_out = listed.too_large.into_iter();
        unlisted.extend(left_out.map(|name| Unlisted {
            name: format!("{} {name}", kind.resource.plural),
            error: Why::TooLarge,
            elsewhere: false,
        }));
    }
    drop(lists);
    // In the namespace in question alone: others cost requests, and matter little to it.
    let (named, cut) = named::names(&catalogue.kinds, &served, &inventory);
    unlisted.extend(cut.into_iter().filter(|home| namespace.is_none_or(|namespace| namespace == home)).map(|home| {
        Unlisted {
            name: format!("some of the objects that clusters of {home} name"),
            error: Why::TooLarge,
            elsewhere: false,
        }
    }));
    for Names { served: kind, names } in named {
        let resource = &kind.resource;
        if generic && served.iter().any(|served| served.resource == *resource) {
            continue;
        }
        let wanted = names.into_iter().filter(|(home, _)| namespace.is_none_or(|namespace| namespace == home));
        let mut read = Box::pin(named::read(client, &lister.reducer, &kind, wanted, AT_ONCE));
        while let Some(((namespace, name), read)) = read.next().await {
            let error = match read {
                Read::There(value, _) => {
                    inventory.place_object(&resource.api_version, &resource.kind, &namespace, &name, &value);
                    continue;
                }
                Read::Absent => continue,
                Read::TooLarge => Why::TooLarge,
                Read::Failed(error) => error.into(),
            };
            unlisted.push(Unlisted {
                name: format!("{} {namespace}/{name}", resource.plural),
                error,
                elsewhere: false,
            });
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
    too_large: Vec<String>,
    error: Option<kube::Error>,
    narrowed: bool,
}

impl Objects {
    fn unknown(error: kube::Error) -> Self {
        Self { objects: Vec::new(), too_large: Vec::new(), error: Some(error), narrowed: false }
    }
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
            Ok((objects, too_large)) => return Objects { objects, too_large, error: None, narrowed: false },
            Err(error) => error,
        };
        let forbidden = matches!(&error, kube::Error::Api(status) if status.code == 403);
        if let Some(namespace) = namespace.filter(|_| forbidden && served.kind.namespaced) {
            let here = Api::namespaced_with(self.client.clone(), namespace, &served.resource);
            return match self.pages(&here, served).await {
                Ok((objects, too_large)) => Objects { objects, too_large, error: Some(error), narrowed: true },
                Err(error) => Objects::unknown(error),
            };
        }
        Objects::unknown(error)
    }

    /// The objects, reduced page by page: as they are sent they would take several times the memory. And the names of those that are too
    /// large.
    async fn pages(&self, api: &Api<Sent>, served: &Served) -> kube::Result<(Vec<Object>, Vec<String>)> {
        let first = ListParams::default().limit(PAGE);
        let mut objects = Vec::new();
        let mut too_large = Vec::new();
        let mut page = first.clone();
        let mut restarted = false;
        loop {
            let list = match api.list(&page).await {
                // So slowly that what the next page continues is gone: once more from the start.
                Err(kube::Error::Api(status)) if status.code == 410 && !restarted => {
                    restarted = true;
                    objects.clear();
                    too_large.clear();
                    page = first.clone();
                    continue;
                }
                list => list?,
            };
            for object in list.items.into_iter().filter(|object| self.concerns(served, object)) {
                let (namespace, name) = (object.namespace().unwrap_or_default(), object.name_any());
                match self.reducer.value(served, object) {
                    Some((value, _)) => objects.push(Object { namespace, name, value }),
                    None => too_large.push(format!("{namespace}/{name}").trim_start_matches('/').to_owned()),
                }
            }
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => page = first.clone().continue_token(&token),
                None => return Ok((objects, too_large)),
            }
        }
    }

    /// Whether an object of a kind that is mostly something else has to do with PostgreSQL.
    fn concerns(&self, served: &Served, object: &Sent) -> bool {
        let ApiResource { kind, group, .. } = &served.resource;
        let serialised = std::cell::OnceCell::new();
        self.catalogue.kinds.iter().filter(|known| known.kind == *kind && known.group == *group).any(|known| {
            known.contains.is_empty() || known.concerns(serialised.get_or_init(|| format!("{kind} {}", object.text())))
        })
    }
}
