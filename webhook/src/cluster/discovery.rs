//! Which of the kinds that the rules read an API server serves.

use std::collections::{BTreeMap, HashMap};

use kube::Client;
use kube::api::ApiResource;
use walguard_engine::Kind;

/// Group and kind.
pub type GroupKind = (String, String);

/// A kind of the catalogue as an API server serves it.
#[derive(Clone, Debug)]
pub struct Served {
    pub resource: ApiResource,
    pub kind: Kind,
}

impl Served {
    /// A kind in one of its versions.
    #[must_use]
    pub fn new(kind: &Kind, version: &str, api_version: String) -> Self {
        let resource = ApiResource {
            group: kind.group.clone(),
            version: version.to_owned(),
            api_version,
            kind: kind.kind.clone(),
            plural: kind.plural.clone(),
        };
        Self { resource, kind: kind.clone() }
    }

    /// `backups.postgresql.cnpg.io`, as kubectl names it.
    #[must_use]
    pub fn name(&self) -> String {
        let ApiResource { plural, group, .. } = &self.resource;
        if group.is_empty() { plural.clone() } else { format!("{plural}.{group}") }
    }
}

/// The kinds that the API server serves, each in the first of its versions that it does.
///
/// # Errors
/// When the API server does not say what it serves.
pub async fn served<'k>(
    client: &Client,
    kinds: impl IntoIterator<Item = &'k Kind>,
) -> kube::Result<BTreeMap<GroupKind, Served>> {
    let mut plurals_of: HashMap<String, Vec<String>> = HashMap::new();
    let mut all = BTreeMap::new();
    for kind in kinds {
        for (version, api_version) in kind.versions.iter().zip(kind.api_versions()) {
            if !plurals_of.contains_key(&api_version) {
                plurals_of.insert(api_version.clone(), plurals(client, &kind.group, &api_version).await?);
            }
            if plurals_of[&api_version].contains(&kind.plural) {
                let key = (kind.group.clone(), kind.kind.clone());
                all.entry(key).or_insert_with(|| Served::new(kind, version, api_version));
                break;
            }
        }
    }
    Ok(all)
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
