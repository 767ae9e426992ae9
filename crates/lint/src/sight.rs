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
use std::iter;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value as Json;
use walguard_engine::{Inventory, ResourceRef, Value};

use crate::undecided::{self, Undecided};
use crate::walk::absolute;

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
    /// What candidates are called, each name once, and the number of a name.
    names: Vec<ResourceRef>,
    numbers: HashMap<ResourceRef, Name>,
    /// The name of each candidate.
    named: Vec<Name>,
    /// What everybody sees: without rivals, and alone with its name.
    base: Inventory,
    /// By name, the document of an object that everybody sees.
    known: Vec<Option<usize>>,
    /// What is visible from each directory of what lies outside of it, once somebody has asked.
    outside: Vec<OnceLock<View>>,
    /// The same with what lies in directories below it.
    below: Vec<OnceLock<View>>,
    /// What candidates of one name disagree on, which many files see.
    disputes: Mutex<HashMap<Vec<usize>, Arc<Dispute>>>,
}

/// The number of a name.
type Name = usize;

/// What is visible from one file, or from a directory of what lies outside of it. Cloning is cheap.
#[derive(Clone)]
pub struct View(Arc<Layer>);

/// What is chosen near by, before what is chosen further out. Files of a directory share what lies outside of it.
struct Layer {
    chosen: HashMap<Name, Choice>,
    beyond: Option<View>,
    /// The objects, once somebody nearer has asked: those of a file are of use once.
    inventory: OnceLock<Inventory>,
}

/// What a name means where not everybody sees the same.
enum Choice {
    /// A candidate.
    One(usize),
    Undecided(Arc<Dispute>),
}

struct Dispute {
    undecided: Undecided,
    /// What all of them say.
    agreed: Option<(Json, Value)>,
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
            names: Vec::new(),
            numbers: HashMap::new(),
            named: Vec::with_capacity(candidates.len()),
            base: surroundings,
            known: Vec::new(),
            outside: Vec::new(),
            below: Vec::new(),
            disputes: Mutex::default(),
        };
        let mut same: Vec<Vec<usize>> = Vec::new();
        for (index, candidate) in candidates.iter().enumerate() {
            let file = sight.file(candidate.file);
            sight.files.push(file);
            sight.places[file].candidates.push(index);
            let reference = normal(candidate.reference.clone());
            let name = *sight.numbers.entry(reference).or_insert_with_key(|reference| {
                sight.names.push(reference.clone());
                same.push(Vec::new());
                sight.names.len() - 1
            });
            sight.named.push(name);
            same[name].push(index);
        }
        sight.find_rivals();
        sight.mark_contested(ROOT, false, &same);
        for indices in same {
            let alone = match indices[..] {
                [index] if !sight.is_contested(index) => Some(&candidates[index]),
                _ => None,
            };
            if let Some(Candidate { json, value, .. }) = alone {
                sight.base.insert(json, value);
            }
            sight.known.push(alone.map(|candidate| candidate.document));
        }
        sight.outside.resize_with(sight.places.len(), OnceLock::new);
        sight.below.resize_with(sight.places.len(), OnceLock::new);
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

    fn mark_contested(&mut self, node: Node, inside: bool, same: &[Vec<usize>]) -> bool {
        let inside = inside || !self.places[node].rivalries.is_empty();
        let repeated = |index: &usize| same[self.named[*index]].len() > 1;
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

    /// What is visible from a file.
    pub fn from(&self, file: &str) -> View {
        let Some(file) = self.by_name.get(file).copied() else { return View::default() };
        let (beyond, beside) = self.surroundings(file);
        self.nearer(beyond, &[&beside, &[file]])
    }

    /// What is visible from a directory of what lies outside of it.
    fn around(&self, directory: Node) -> View {
        if directory == ROOT {
            return View::default();
        }
        let (beyond, beside) = self.surroundings(directory);
        self.nearer(beyond, &[&beside])
    }

    /// What is visible from a place but for the files beside it, and those.
    fn surroundings(&self, place: Node) -> (View, Vec<Node>) {
        let parent = self.places[place].parent;
        let beyond = || self.outside[parent].get_or_init(|| self.around(parent)).clone();
        let others = self.places[parent].children.values().copied();
        let (files, directories): (Vec<Node>, Vec<Node>) =
            others.filter(|other| *other != place).partition(|other| self.places[*other].children.is_empty());
        let visible = |places: &[Node]| -> Vec<Node> {
            places.iter().copied().filter(|other| !self.are_rivals(*other, place)).collect()
        };
        // What lies in a directory itself is nearer than what lies in one below it; that most files see alike.
        let lower = visible(&directories);
        let with_lower = match self.places[place].children.is_empty() && lower.len() == directories.len() {
            true => self.below[parent].get_or_init(|| self.nearer(beyond(), &[&lower])).clone(),
            false => self.nearer(beyond(), &[&lower]),
        };
        (with_lower, visible(&files))
    }

    /// A view with what lies in some places, and below, before the rest, and in others before that.
    fn nearer(&self, beyond: View, levels: &[&[Node]]) -> View {
        let mut chosen = HashMap::new();
        for places in levels {
            let mut here: HashMap<Name, Vec<usize>> = HashMap::new();
            for index in self.visible(places) {
                // What everybody sees is in the inventory already.
                if self.known[self.named[index]].is_none() {
                    here.entry(self.named[index]).or_default().push(index);
                }
            }
            chosen.extend(here.into_iter().map(|(name, indices)| (name, self.choice(name, indices))));
        }
        if chosen.is_empty() {
            return beyond;
        }
        View(Arc::new(Layer { chosen, beyond: Some(beyond), inventory: OnceLock::new() }))
    }

    /// Which of equally near candidates of one name is meant.
    fn choice(&self, name: Name, indices: Vec<usize>) -> Choice {
        let objects: Vec<&Json> = indices.iter().map(|index| self.candidates[*index].json).collect();
        if objects.iter().all(|object| *object == objects[0]) {
            return Choice::One(indices[0]);
        }
        let mut disputes = self.disputes.lock().unwrap_or_else(PoisonError::into_inner);
        let dispute = disputes.entry(indices).or_insert_with_key(|indices| {
            let files: BTreeSet<&str> = indices.iter().map(|index| self.candidates[*index].file).collect();
            let undecided = Undecided {
                object: self.names[name].clone(),
                files: files.into_iter().map(str::to_owned).collect(),
                documents: indices.iter().map(|index| self.candidates[*index].document).collect(),
            };
            let agreed = undecided::common(&objects).map(|common| (common.clone(), walguard_engine::value(common)));
            Arc::new(Dispute { undecided, agreed })
        });
        Choice::Undecided(dispute.clone())
    }

    /// The objects that are visible.
    pub fn inventory(&self, view: &View) -> Inventory {
        let View(layer) = view;
        let Some(beyond) = &layer.beyond else { return self.base.clone() };
        let outer = beyond.0.inventory.get_or_init(|| self.inventory(beyond));
        let mut inventory = outer.clone();
        for (name, choice) in &layer.chosen {
            // What lies further out may be there in another way: with a namespace, or without.
            if beyond.choice(*name).is_some() {
                inventory.restore(&self.names[*name], &self.base);
            }
            match choice {
                Choice::One(index) => inventory.insert(self.candidates[*index].json, self.candidates[*index].value),
                Choice::Undecided(dispute) => {
                    if let Some((json, value)) = &dispute.agreed {
                        inventory.insert(json, value);
                    }
                }
            }
        }
        inventory
    }

    /// The objects that are visible (see [`Self::inventory`]), with a candidate in its own place, where another one of its name may have taken it.
    pub fn inventory_of(&self, view: &View, visible: &Inventory, candidate: &Candidate<'_>) -> Inventory {
        let mut inventory = visible.clone();
        let name = self.numbers.get(&normal(candidate.reference.clone()));
        let taken = match name.and_then(|name| view.choice(*name)) {
            Some(Choice::One(index)) => self.candidates[*index].document != candidate.document,
            Some(Choice::Undecided(_)) => true,
            None => false,
        };
        if taken {
            inventory.insert(candidate.json, candidate.value);
        }
        inventory
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
        let name = *self.numbers.get(&normal(reference.clone()))?;
        match view.choice(name) {
            Some(Choice::One(index)) => Some(self.candidates[*index].document),
            Some(Choice::Undecided(_)) => None,
            None => self.known[name],
        }
    }

    /// What is said of an object on which a view does not decide.
    pub fn undecided<'v>(&self, view: &'v View, reference: &ResourceRef) -> Option<&'v Undecided> {
        match view.choice(*self.numbers.get(&normal(reference.clone()))?) {
            Some(Choice::Undecided(dispute)) => Some(&dispute.undecided),
            _ => None,
        }
    }
}

impl Default for View {
    fn default() -> Self {
        Self(Arc::new(Layer { chosen: HashMap::new(), beyond: None, inventory: OnceLock::new() }))
    }
}

impl View {
    fn layers(&self) -> impl Iterator<Item = &Layer> {
        iter::successors(Some(&*self.0), |layer| layer.beyond.as_ref().map(|View(beyond)| &**beyond))
    }

    fn choice(&self, name: Name) -> Option<&Choice> {
        self.layers().find_map(|layer| layer.chosen.get(&name))
    }

    /// Objects that are defined differently, equally near.
    pub fn undecided(&self) -> Vec<&Undecided> {
        let mut nearer = HashSet::new();
        let mut undecided = Vec::new();
        for layer in self.layers() {
            for (name, choice) in &layer.chosen {
                if nearer.insert(*name)
                    && let Choice::Undecided(dispute) = choice
                {
                    undecided.push(&dispute.undecided);
                }
            }
        }
        undecided
    }
}

/// Whether objects of a kind stand in many files without harm.
pub fn is_repeated(kind: &str) -> bool {
    REPEATED.contains(&kind)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::undecided::UNDECIDED;

    struct Repository(Vec<(&'static str, Json, Value)>);

    impl Repository {
        fn new(objects: &[(&'static str, &str, &str, &str)]) -> Self {
            let object = |(file, kind, name, text): &(&'static str, &str, &str, &str)| {
                let text = if *text == "[]" { json!([]) } else { json!(text) };
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
            let inventory = serde_json::to_value(sight.inventory(&sight.from(from)).value()).unwrap();
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
    fn what_is_near_and_not_decided_takes_the_place_of_what_is_far() {
        let repository = Repository::new(&[
            ("top/all/class.yaml", "Class", "fast", "far"),
            ("top/all/class.yaml", "Class", "slow", "far"),
            ("top/apps/db/cluster.yaml", "Cluster", "db", "x"),
            ("top/apps/a/class.yaml", "Class", "fast", "a"),
            ("top/apps/b/class.yaml", "Class", "fast", "[]"),
            ("top/apps/c/class.yaml", "Class", "slow", "c"),
            ("top/apps/c/other.yaml", "Class", "slow", "c"),
        ]);
        // Neither of them is half of the other.
        assert_eq!(repository.seen("top/apps/db/cluster.yaml", "Class", "fast"), None);
        assert_eq!(repository.seen("top/apps/a/class.yaml", "Class", "fast").as_deref(), Some("a"));
        assert_eq!(repository.seen("top/apps/db/cluster.yaml", "Class", "slow").as_deref(), Some("c"));
        assert_eq!(repository.seen("top/all/class.yaml", "Class", "slow").as_deref(), Some("far"));
    }
}
