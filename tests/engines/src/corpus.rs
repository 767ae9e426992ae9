//! What mutants are made of: the manifests of the repository, the objects in the tests of the rules, and their words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value as Json;
use walguard_engine::Inventory;
use walguard_manifest as manifest;

use crate::review::Review;
use crate::sources::{self, Source};

pub struct Corpus {
    /// The manifests, file by file.
    pub files: Vec<(String, Vec<Json>)>,
    /// Every object in them that something may be made of.
    pub objects: Vec<Json>,
    /// Values that stand under a key somewhere, by key.
    pub values: BTreeMap<String, Vec<Json>>,
    /// Fields that stand in an object under a key somewhere, by that key.
    pub fields: BTreeMap<String, Vec<(String, Json)>>,
    /// Strings in the rules and their tests.
    pub words: Vec<String>,
    /// PostgreSQL's parameters.
    pub parameters: Vec<(String, Json)>,
    /// The apiVersions and kinds that the rules know.
    pub kinds: Vec<(String, String)>,
    /// The checks and their settings.
    pub checks: Vec<(String, Vec<String>)>,
}

impl Corpus {
    /// Reads the repository.
    ///
    /// # Errors
    /// When a file is not what it should be.
    pub fn read(root: &Path, opa: &Path) -> Result<Self> {
        let rules = root.join("rules");
        let mut files = Vec::new();
        for directory in [rules.join("checks"), root.join("examples"), root.join("bench/manifests")] {
            for path in sources::files(&directory, "yaml")? {
                let reading = manifest::read(path.display().to_string(), fs::read(&path)?);
                ensure!(reading.errors.is_empty(), "{} cannot be read", path.display());
                let name = path.strip_prefix(root)?.display().to_string();
                files.push((name, reading.documents.into_iter().map(|document| document.value).collect::<Vec<_>>()));
            }
        }
        let sources = sources::all(&rules)?;
        let mut objects: Vec<Json> = files.iter().flat_map(|(_, documents)| documents.clone()).collect();
        objects.extend(sources::objects(&sources, opa, &rules)?);
        let (mut values, mut fields) = (BTreeMap::new(), BTreeMap::new());
        for object in &objects {
            collect("", object, &mut values, &mut fields);
        }
        let table = |name: &str| -> Result<Json> {
            let text = fs::read_to_string(rules.join(name)).with_context(|| name.to_owned())?;
            Ok(serde_json::from_str(&text)?)
        };
        let parameters = table("postgres/parameters.json")?;
        let mut parameters: Vec<(String, Json)> =
            parameters.as_object().context("parameters are a table")?.clone().into_iter().collect();
        parameters.sort_by(|(a, _), (b, _)| a.cmp(b));
        let catalogue = table("catalogue.json")?;
        let kinds = catalogue["kinds"].as_array().context("the catalogue has kinds")?.iter().flat_map(|kind| {
            let text = |field: &str| kind[field].as_str().unwrap_or_default().to_owned();
            let version = |version: &Json| {
                let version = version.as_str().unwrap_or_default();
                if text("group").is_empty() { version.to_owned() } else { format!("{}/{version}", text("group")) }
            };
            let versions: Vec<String> = kind["versions"].as_array().into_iter().flatten().map(version).collect();
            versions.into_iter().map(|version| (version, text("kind"))).collect::<Vec<_>>()
        });
        let checks = catalogue["checks"].as_object().context("the catalogue has checks")?.iter().map(|(id, check)| {
            (id.clone(), check["settings"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect())
        });
        Ok(Self {
            kinds: kinds.collect(),
            checks: checks.collect(),
            parameters,
            words: words(&sources),
            files,
            objects,
            values,
            fields,
        })
    }

    /// A review of every document, alone and in sight of the others of its file.
    pub fn reviews(&self) -> Vec<Review> {
        let mut reviews = Vec::new();
        for (name, documents) in &self.files {
            for (index, document) in documents.iter().enumerate() {
                reviews.push(Review::of(format!("document {} of {name}, alone", index + 1), document, None));
                let inventory = inventory(documents.iter(), Some(true));
                reviews.push(Review::of(format!("document {} of {name}", index + 1), document, Some(inventory)));
            }
        }
        reviews
    }
}

/// An inventory of objects.
pub fn inventory<'a>(objects: impl Iterator<Item = &'a Json>, complete: Option<bool>) -> Json {
    let mut inventory = Inventory::new(complete == Some(true));
    for object in objects {
        inventory.insert(object, &walguard_engine::value(object.clone()));
    }
    let mut json = serde_json::to_value(inventory.value()).unwrap_or_default();
    if let (None, Some(fields)) = (complete, json.as_object_mut()) {
        fields.remove("complete");
    }
    json
}

fn collect(
    under: &str,
    value: &Json,
    values: &mut BTreeMap<String, Vec<Json>>,
    fields: &mut BTreeMap<String, Vec<(String, Json)>>,
) {
    match value {
        Json::Object(object) => {
            for (key, value) in object {
                let known = values.entry(key.clone()).or_default();
                if !known.contains(value) {
                    known.push(value.clone());
                }
                let known = fields.entry(under.to_owned()).or_default();
                let field = (key.clone(), value.clone());
                if !known.contains(&field) {
                    known.push(field);
                }
                collect(key, value, values, fields);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(under, item, values, fields)),
        _ => {}
    }
}

/// The string literals of the rules, longest sentences left out.
fn words(sources: &[Source]) -> Vec<String> {
    let mut words = BTreeSet::new();
    for line in sources.iter().filter(|source| !source.is_twin()).flat_map(|source| source.text.lines()) {
        for (index, part) in line.split('"').enumerate() {
            if index % 2 == 1 && part.len() <= 60 && !part.contains('\\') {
                words.insert(part.to_owned());
            }
        }
    }
    words.into_iter().collect()
}

/// JSON pointers to every place in a value but the value itself.
pub fn places(value: &Json) -> Vec<String> {
    fn below(value: &Json, at: &str, into: &mut Vec<String>) {
        let mut add = |key: &str, value: &Json| {
            let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            into.push(place.clone());
            below(value, &place, into);
        };
        match value {
            Json::Object(fields) => fields.iter().for_each(|(key, value)| add(key, value)),
            Json::Array(items) => items.iter().enumerate().for_each(|(index, value)| add(&index.to_string(), value)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    below(value, "", &mut found);
    found
}
