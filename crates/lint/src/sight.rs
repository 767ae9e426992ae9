//! Which object is meant, where files define several of one name.
//!
//! A repository holds several environments, clusters, overlays, rendered copies. Of two objects of one name a document means the one
//! in its own file, else in its directory, else below the nearest directory that both share. Where that does not decide, what the
//! candidates disagree on is unknown. The order of files and arguments never decides.
//!
//! Two places below one directory that define the same object cannot both be applied to one Kubernetes cluster: they are rivals, and
//! nothing in the one is visible from the other. So `dev/` does not get its storage class or its backups from `prod/`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::path::Path;

use serde_json::{Map, Value as Json};
use walguard_engine::{Inventory, ResourceRef, Value};

use crate::walk::absolute;

/// Stands for a value on which equally near objects disagree. The rules take it as they take any placeholder: as unknown.
const UNDECIDED: &str = "${UNDECIDED}";
/// Repeated in many directories of one cluster without harm.
const REPEATED: [&str; 1] = ["Namespace"];

/// An object that may be meant.
pub struct Candidate<'a> {
    /// Its number among the documents of the run.
    pub document: usize,
    pub reference: ResourceRef,
    pub file: &'a str,
    pub json: &'a Json,
    pub value: &'a Value,
}

type Node = usize;
const ROOT: Node = 0;

/// A directory or a file.
#[derive(Default)]
struct Place {
    parent: Node,
    children: BTreeMap<OsString, Node>,
    /// Candidates in a file.
    candidates: Vec<usize>,
    /// Rivalries that it is in with some of its siblings.
    rivalries: BTreeSet<usize>,
    /// There are candidates here or below that not everybody sees.
    contested: bool,
}

/// What is visible from the files of a run.
pub struct Sight<'a> {
    candidates: &'a [Candidate<'a>],
    places: Vec<Place>,
    /// The file of each candidate.
    files: Vec<Node>,
    by_name: HashMap<&'a str, Node>,
    /// What everybody sees: without rivals, and alone with its name.
    base: Inventory,
    known: HashMap<ResourceRef, usize>,
}

/// What is visible from one file.
pub struct View {
    pub inventory: Inventory,
    /// Documents by reference, where not everybody sees the same; `None` where it is not decided.
    chosen: HashMap<ResourceRef, Option<usize>>,
    /// Objects that are defined differently, equally near.
    pub undecided: Vec<Undecided>,
}

/// An object that is defined differently in files equally near to where it is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undecided {
    pub object: ResourceRef,
    pub files: Vec<String>,
    /// The numbers of the documents.
    pub documents: Vec<usize>,
}

/// A reference by which an object is found that names no namespace.
pub fn normal(mut reference: ResourceRef) -> ResourceRef {
    if reference.namespace.is_empty() {
        "default".clone_into(&mut reference.namespace);
    }
    reference
}

impl<'a> Sight<'a> {
    /// `surroundings`: what everybody sees besides, and which the candidates take the place of.
    pub fn new(surroundings: Inventory, candidates: &'a [Candidate<'a>]) -> Self {
        let mut sight = Self {
            candidates,
            places: vec![Place::default()],
            files: Vec::with_capacity(candidates.len()),
            by_name: HashMap::new(),
            base: surroundings,
            known: HashMap::new(),
        };
        let mut same: HashMap<ResourceRef, Vec<usize>> = HashMap::new();
        for (index, candidate) in candidates.iter().enumerate() {
            let file = sight.file(candidate.file);
            sight.files.push(file);
            sight.places[file].candidates.push(index);
            same.entry(normal(candidate.reference.clone())).or_default().push(index);
        }
        sight.find_rivals();
        sight.mark_contested(ROOT, false, &same);
        for (reference, indices) in same {
            if let [index] = indices[..]
                && !sight.is_contested(index)
            {
                let Candidate { json, value, document, .. } = &candidates[index];
                sight.base.insert(json, value);
                sight.known.insert(reference, *document);
            }
        }
        sight
    }

    /// The place of a file, with those of the directories that it is in.
    fn file(&mut self, name: &'a str) -> Node {
        if let Some(node) = self.by_name.get(name) {
            return *node;
        }
        let mut node = ROOT;
        for part in absolute(Path::new(name)).components() {
            let part = part.as_os_str().to_owned();
            node = match self.places[node].children.get(&part) {
                Some(child) => *child,
                None => {
                    let child = self.places.len();
                    self.places.push(Place { parent: node, ..Place::default() });
                    self.places[node].children.insert(part, child);
                    child
                }
            };
        }
        self.by_name.insert(name, node);
        node
    }

    fn find_rivals(&mut self) {
        let candidates = self.candidates;
        let mut same: HashMap<(&str, &str, &str), BTreeMap<&str, Vec<usize>>> = HashMap::new();
        for (index, Candidate { reference, .. }) in candidates.iter().enumerate() {
            let ResourceRef { api_version, kind, namespace, name } = reference;
            let namespaces = same.entry((api_version, kind, name)).or_default();
            namespaces.entry(namespace).or_default().push(index);
        }
        let mut groups: HashMap<Vec<Node>, usize> = HashMap::new();
        let objects = same.into_iter().filter(|((_, kind, _), _)| !is_repeated(kind)).flat_map(|(_, namespaces)| {
            // Without a namespace it is the one of any overlay, or of what was rendered from it.
            match namespaces.contains_key("") {
                true => vec![namespaces.into_values().flatten().collect::<Vec<usize>>()],
                false => namespaces.into_values().collect(),
            }
        });
        for indices in objects.filter(|indices| indices.len() > 1) {
            // Under each directory the places that lead to one of the objects.
            let mut leading: HashMap<Node, BTreeSet<Node>> = HashMap::new();
            for index in indices {
                let mut node = self.files[index];
                while node != ROOT {
                    let parent = self.places[node].parent;
                    if !leading.entry(parent).or_default().insert(node) {
                        break;
                    }
                    node = parent;
                }
            }
            for rivals in leading.into_values().filter(|rivals| rivals.len() > 1) {
                let rivals: Vec<Node> = rivals.into_iter().collect();
                let next = groups.len();
                let group = *groups.entry(rivals.clone()).or_insert(next);
                for rival in rivals {
                    self.places[rival].rivalries.insert(group);
                }
            }
        }
    }

    fn mark_contested(&mut self, node: Node, inside: bool, same: &HashMap<ResourceRef, Vec<usize>>) -> bool {
        let inside = inside || !self.places[node].rivalries.is_empty();
        let repeated = |index: &usize| {
            let reference = normal(self.candidates[*index].reference.clone());
            same.get(&reference).is_some_and(|all| all.len() > 1)
        };
        let mut contested = inside || self.places[node].candidates.iter().any(repeated);
        let children: Vec<Node> = self.places[node].children.values().copied().collect();
        for child in children {
            contested |= self.mark_contested(child, inside, same);
        }
        self.places[node].contested = contested;
        contested
    }

    fn is_contested(&self, index: usize) -> bool {
        let mut node = self.files[index];
        while node != ROOT {
            if !self.places[node].rivalries.is_empty() {
                return true;
            }
            node = self.places[node].parent;
        }
        false
    }

    fn are_rivals(&self, a: Node, b: Node) -> bool {
        !self.places[a].rivalries.is_disjoint(&self.places[b].rivalries)
    }

    /// What is visible from a file that holds candidates.
    pub fn from(&self, file: &str) -> View {
        let mut view = View { inventory: self.base.clone(), chosen: HashMap::new(), undecided: Vec::new() };
        let Some(file) = self.by_name.get(file).copied() else { return view };
        if !self.places[ROOT].contested {
            return view;
        }
        // From the file outwards; what lies in a directory itself is nearer than what lies in one below it.
        let mut levels = vec![self.visible(&[file])];
        let mut below = file;
        while below != ROOT {
            let above = self.places[below].parent;
            let others = self.places[above].children.values().copied();
            let (files, directories): (Vec<Node>, Vec<Node>) = others
                .filter(|other| *other != below && !self.are_rivals(*other, below))
                .partition(|other| self.places[*other].children.is_empty());
            levels.extend([self.visible(&files), self.visible(&directories)]);
            below = above;
        }
        // What is found first is nearest.
        let mut nearest: BTreeMap<ResourceRef, Vec<usize>> = BTreeMap::new();
        for level in levels {
            let mut here: BTreeMap<ResourceRef, Vec<usize>> = BTreeMap::new();
            for index in level {
                let reference = normal(self.candidates[index].reference.clone());
                // What everybody sees is in the inventory already.
                if !self.known.contains_key(&reference) && !nearest.contains_key(&reference) {
                    here.entry(reference).or_default().push(index);
                }
            }
            nearest.extend(here);
        }
        for (reference, indices) in nearest {
            let objects: Vec<&Json> = indices.iter().map(|index| self.candidates[*index].json).collect();
            let first = &self.candidates[indices[0]];
            if objects.iter().all(|object| *object == objects[0]) {
                view.inventory.insert(first.json, first.value);
                view.chosen.insert(reference, Some(first.document));
                continue;
            }
            if let Some(common) = common(&objects) {
                let value = walguard_engine::value(common.clone());
                view.inventory.insert(&common, &value);
            }
            view.chosen.insert(reference.clone(), None);
            let files: BTreeSet<&str> = indices.iter().map(|index| self.candidates[*index].file).collect();
            view.undecided.push(Undecided {
                object: reference,
                files: files.into_iter().map(str::to_owned).collect(),
                documents: indices.iter().map(|index| self.candidates[*index].document).collect(),
            });
        }
        view
    }

    /// The contested candidates in places and below.
    fn visible(&self, from: &[Node]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let mut open = from.to_vec();
        while let Some(node) = open.pop() {
            let place = &self.places[node];
            if place.contested {
                found.extend(&place.candidates);
                open.extend(place.children.values());
            }
        }
        // By file and place in it, whatever the order of the arguments was.
        found.sort_by_key(|index| (self.candidates[*index].file, self.candidates[*index].document));
        found
    }

    /// The document of an object that everybody sees or that a view decides on.
    pub fn document(&self, view: &View, reference: &ResourceRef) -> Option<usize> {
        let reference = normal(reference.clone());
        match view.chosen.get(&reference) {
            Some(chosen) => *chosen,
            None => self.known.get(&reference).copied(),
        }
    }
}

impl View {
    /// With an object in its own place, where another one of its name may have taken it.
    pub fn with(&self, candidate: &Candidate<'_>) -> Inventory {
        let mut inventory = self.inventory.clone();
        if self.chosen.get(&normal(candidate.reference.clone())).is_some_and(|own| *own != Some(candidate.document)) {
            inventory.insert(candidate.json, candidate.value);
        }
        inventory
    }
}

/// What objects of one name have in common, with [`UNDECIDED`] for what they disagree on. `None` where they differ in more than
/// single values: half an object would say something that none of them says.
fn common(objects: &[&Json]) -> Option<Json> {
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

/// Whether objects of a kind stand in many files without harm.
pub fn is_repeated(kind: &str) -> bool {
    REPEATED.contains(&kind)
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Repository(Vec<(&'static str, Json, Value)>);

    impl Repository {
        fn new(objects: &[(&'static str, &str, &str, &str)]) -> Self {
            let object = |(file, kind, name, text): &(&'static str, &str, &str, &str)| {
                let json = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "data": {"text": text, "same": 1}});
                (*file, json.clone(), walguard_engine::value(json))
            };
            Self(objects.iter().map(object).collect())
        }

        /// The text of an object, as it is seen from a file.
        fn seen(&self, from: &str, kind: &str, name: &str) -> Option<String> {
            let candidates: Vec<Candidate<'_>> = self
                .0
                .iter()
                .enumerate()
                .map(|(document, (file, json, value))| Candidate {
                    document,
                    reference: crate::judgement::reference(json),
                    file,
                    json,
                    value,
                })
                .collect();
            let sight = Sight::new(Inventory::new(false), &candidates);
            let inventory = serde_json::to_value(sight.from(from).inventory.value()).unwrap();
            let object = &inventory["namespace"]["default"]["v1"][kind][name];
            object["data"]["text"].as_str().map(str::to_owned)
        }
    }

    #[test]
    fn the_nearest_of_a_name_is_meant() {
        let all = [
            ("a/x.yaml", "Cluster", "db", "own"),
            ("a/class.yaml", "Class", "fast", "directory"),
            ("a/b/y.yaml", "Cluster", "other", "y"),
            ("a/b/y.yaml", "Class", "fast", "file"),
            ("c/z.yaml", "Cluster", "far", "z"),
            ("class.yaml", "Class", "fast", "top"),
            ("class.yaml", "Class", "slow", "top"),
        ];
        let mut reversed = all;
        reversed.reverse();
        for objects in [all, reversed] {
            let repository = Repository::new(&objects);
            let seen = |from, kind, name| repository.seen(from, kind, name);
            assert_eq!(seen("a/x.yaml", "Class", "fast").as_deref(), Some("directory"));
            assert_eq!(seen("a/b/y.yaml", "Class", "fast").as_deref(), Some("file"));
            assert_eq!(seen("c/z.yaml", "Class", "fast").as_deref(), Some("top"));
            // The top-level file is a rival of `a/`, for both define `fast`.
            assert_eq!(seen("a/x.yaml", "Class", "slow"), None);
            assert_eq!(seen("c/z.yaml", "Class", "slow").as_deref(), Some("top"));
        }
    }

    #[test]
    fn rivals_do_not_see_one_another() {
        let repository = Repository::new(&[
            ("dev/cluster.yaml", "Cluster", "db", "dev"),
            ("prod/cluster.yaml", "Cluster", "db", "prod"),
            ("prod/infra/class.yaml", "Class", "fast", "prod"),
            ("prod/infra/backup.yaml", "Backup", "nightly", "prod"),
            ("shared/class.yaml", "Class", "slow", "shared"),
        ]);
        assert_eq!(repository.seen("dev/cluster.yaml", "Backup", "nightly"), None);
        assert_eq!(repository.seen("dev/cluster.yaml", "Class", "fast"), None);
        assert_eq!(repository.seen("dev/cluster.yaml", "Class", "slow").as_deref(), Some("shared"));
        assert_eq!(repository.seen("prod/cluster.yaml", "Backup", "nightly").as_deref(), Some("prod"));
        assert_eq!(repository.seen("prod/cluster.yaml", "Cluster", "db").as_deref(), Some("prod"));
    }

    #[test]
    fn what_equally_near_objects_disagree_on_is_unknown() {
        let repository = Repository::new(&[
            ("apps/db.yaml", "Cluster", "db", "x"),
            ("a/class.yaml", "Class", "fast", "a"),
            ("b/class.yaml", "Class", "fast", "b"),
            ("a/class.yaml", "Class", "same", "s"),
            ("b/class.yaml", "Class", "same", "s"),
        ]);
        assert_eq!(repository.seen("apps/db.yaml", "Class", "fast").as_deref(), Some(UNDECIDED));
        assert_eq!(repository.seen("apps/db.yaml", "Class", "same").as_deref(), Some("s"));
        assert_eq!(repository.seen("a/class.yaml", "Class", "fast").as_deref(), Some("a"));
    }

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
