//! Objects of which nothing decides which one is meant, and what is said of them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value as Json};
use walguard_engine::ResourceRef;
use walguard_manifest::Document;

use crate::sight::{View, normal};

/// Stands for a value on which equally near objects disagree. The rules take it as they take any placeholder: as unknown.
pub const UNDECIDED: &str = "${UNDECIDED}";

/// An object that is defined differently in files equally near to where it is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undecided {
    pub object: ResourceRef,
    pub files: Vec<String>,
    /// The numbers of the documents.
    pub documents: Vec<usize>,
}

/// The words of documents, each found when it is asked for.
pub struct Words<'a> {
    documents: &'a [Document],
    found: Vec<OnceCell<HashSet<&'a str>>>,
}

impl<'a> Words<'a> {
    pub fn new(documents: &'a [Document]) -> Self {
        Self { documents, found: vec![OnceCell::new(); documents.len()] }
    }

    /// Whether a key or a text of a document is a word.
    fn hold(&self, document: usize, word: &str) -> bool {
        fn enter<'a>(value: &'a Json, words: &mut HashSet<&'a str>) {
            match value {
                Json::String(text) => _ = words.insert(text),
                Json::Array(items) => items.iter().for_each(|item| enter(item, words)),
                Json::Object(fields) => fields.iter().for_each(|(key, value)| {
                    words.insert(key);
                    enter(value, words);
                }),
                _ => {}
            }
        }
        let words = self.found[document].get_or_init(|| {
            let mut words = HashSet::new();
            enter(&self.documents[document].value, &mut words);
            words
        });
        words.contains(word)
    }
}

/// The objects of a view that are not decided on and that a document names, or that name it.
pub fn concerning(
    document: usize,
    reference: &ResourceRef,
    view: &View,
    words: &Words<'_>,
) -> Vec<(ResourceRef, Vec<String>)> {
    let own = normal(reference.clone());
    let concerns = |undecided: &&Undecided| {
        // Of another object of its own kind it takes nothing; and what it names lies in its namespace, or in none.
        own.kind != undecided.object.kind
            && [own.namespace.as_str(), "default"].contains(&undecided.object.namespace.as_str())
            && (words.hold(document, &undecided.object.name)
                || undecided.documents.iter().any(|other| words.hold(*other, &own.name)))
    };
    let pair = |undecided: &Undecided| (undecided.object.clone(), undecided.files.clone());
    view.undecided().into_iter().filter(concerns).map(pair).collect()
}

/// One note for all objects of which it is not decided which one is meant; `None` when there are none.
pub fn note(undecided: &HashSet<(ResourceRef, Vec<String>)>) -> Option<String> {
    let (named, count) = named(undecided.iter().map(|(object, files)| (object, files.as_slice())))?;
    let (verb, they) = if count == 1 { ("is", "it is") } else { ("are", "they are") };
    Some(format!(
        "{named} {verb} defined differently in files equally near to where {they} used; what they disagree on is unknown"
    ))
}

/// The same for objects that are only looked up.
pub fn note_of_context(unsettled: &BTreeMap<ResourceRef, BTreeSet<String>>) -> Option<String> {
    let all: Vec<(&ResourceRef, Vec<String>)> =
        unsettled.iter().map(|(object, files)| (object, files.iter().cloned().collect())).collect();
    let (named, count) = named(all.iter().map(|(object, files)| (*object, files.as_slice())))?;
    let (verb, they) = if count == 1 { ("is", "it is") } else { ("are", "they are") };
    Some(format!("{named} {verb} defined differently in files of --context; {they} taken as not found"))
}

/// Objects with the files that define them, the first ones named, and how many there are.
fn named<'a>(objects: impl Iterator<Item = (&'a ResourceRef, &'a [String])>) -> Option<(String, usize)> {
    const NAMED: usize = 3;
    const FILES: usize = 2;
    let mut named: Vec<String> = objects
        .map(|(object, files)| {
            let more = if files.len() > FILES { ", …" } else { "" };
            format!("{} {} ({}{more})", object.kind, object.name, files[..files.len().min(FILES)].join(", "))
        })
        .collect();
    named.sort();
    let count = named.len();
    let more = if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
    named.truncate(NAMED);
    (count > 0).then(|| (format!("{}{more}", named.join("; ")), count))
}

/// What objects of one name have in common, with [`UNDECIDED`] for what they disagree on. `None` where they differ in more than
/// single values: half an object would say something that none of them says.
pub fn common(objects: &[&Json]) -> Option<Json> {
    let (first, rest) = objects.split_first()?;
    if rest.iter().all(|other| other == first) {
        return Some((*first).clone());
    }
    let maps: Option<Vec<&Map<String, Json>>> = objects.iter().map(|object| object.as_object()).collect();
    let Some(maps) = maps else {
        return objects.iter().all(|object| is_scalar(object)).then(|| UNDECIDED.into());
    };
    let keys: BTreeSet<&String> = maps.iter().flat_map(|map| map.keys()).collect();
    let mut common_map = Map::new();
    for key in keys {
        let values: Vec<&Json> = maps.iter().filter_map(|map| map.get(key)).collect();
        let value = match (key.as_str(), values.len() == maps.len()) {
            // Nothing of these decides what an object is; what excuses something must be undisputed.
            ("labels" | "annotations", complete) => match complete {
                true => agreed(&values),
                false => continue,
            },
            ("status", _) if values.len() != maps.len() || values.iter().any(|value| *value != values[0]) => continue,
            (_, true) => common(&values)?,
            (_, false) if values.iter().all(|value| is_scalar(value)) => UNDECIDED.into(),
            (_, false) => return None,
        };
        common_map.insert(key.clone(), value);
    }
    Some(common_map.into())
}

fn is_scalar(value: &Json) -> bool {
    !value.is_object() && !value.is_array()
}

/// The members that are the same in all objects.
fn agreed(objects: &[&Json]) -> Json {
    let mut agreed = objects[0].as_object().cloned().unwrap_or_default();
    agreed.retain(|key, value| objects.iter().all(|object| object.get(key) == Some(value)));
    agreed.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_an_object_is_none() {
        let a = json!({"kind": "K", "spec": {"a": 1, "b": 2}, "metadata": {"name": "n", "labels": {"x": 1, "y": 2}}});
        let b = json!({"kind": "K", "spec": {"a": 1, "b": 3}, "metadata": {"name": "n", "labels": {"x": 1, "y": 3}}});
        let agreed =
            json!({"kind": "K", "spec": {"a": 1, "b": UNDECIDED}, "metadata": {"name": "n", "labels": {"x": 1}}});
        assert_eq!(common(&[&a, &b]), Some(agreed));
        assert_eq!(common(&[&a, &json!({"kind": "K", "spec": {"a": 1, "b": [1]}, "metadata": {"name": "n"}})]), None);
        assert_eq!(common(&[&json!({"a": {"b": {}}}), &json!({"a": {}})]), None);
        assert_eq!(common(&[&json!({"a": {"b": 1}}), &json!({"a": {}})]), Some(json!({"a": {"b": UNDECIDED}})));
    }
}
