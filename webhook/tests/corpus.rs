//! Manifests of the operators' own repositories and documentation, which are not part of the project: each is judged without an
//! engine error, is read as the cluster that it is, and no parameter in it is unknown. They are read where `WALGUARD_SHARED` names
//! the directory that holds them as `corpus/`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use common::{Place, files};
use serde_json::{Value, json};
use walguard_engine::Inventory;
use walguard_engine::{Engine, Role, Rules};
use walguard_manifest::{self as manifest, Document};

/// Parameters in samples that no server has, each with its file: faults of the samples.
const UNKNOWN: [(&str, &str); 0] = [];

fn corpus() -> Option<Vec<PathBuf>> {
    let Some(shared) = std::env::var_os("WALGUARD_SHARED") else {
        eprintln!("skipped: WALGUARD_SHARED names no directory with the operators' samples");
        return None;
    };
    let corpus = PathBuf::from(shared).join("corpus");
    let mut directories: Vec<_> = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.retain(|path| path.is_dir());
    directories.sort();
    Some(directories)
}

#[test]
fn every_manifest_is_judged() {
    let Some(directories) = corpus() else { return };
    let place = Place::new(&[]);
    let mut clusters = 0;
    let mut unknown = Vec::new();
    for directory in directories {
        let run = place.run(&["lint", "--format", "json", directory.to_str().unwrap()]);
        assert!(run.code.is_some_and(|code| (0..=3).contains(&code)), "{}", run.stderr);
        let json = run.json();
        // Some files are templates or fragments, and cannot be read. What can be read can be judged.
        let errors = json["errors"].as_array().unwrap();
        let unjudged: Vec<_> =
            errors.iter().filter(|error| error["message"].as_str().unwrap().contains("the rules")).collect();
        assert!(unjudged.is_empty(), "{unjudged:#?}");
        clusters += json["summary"]["clusters"].as_u64().unwrap();
        for finding in json["findings"].as_array().unwrap() {
            let (file, message) = (finding["file"].as_str().unwrap(), finding["message"].as_str().unwrap());
            if finding["check"] == "parameters/unknown"
                && !UNKNOWN.iter().any(|(sample, name)| file.ends_with(sample) && message.contains(name))
            {
                unknown.push(format!("{file}: {message}"));
            }
        }
        eprintln!("{}: {}", directory.display(), json["summary"]);
    }
    assert!(clusters > 100, "of the corpus, only {clusters} clusters were judged");
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// What is known of the clusters of an operator.
#[derive(Debug, Default)]
struct Known {
    clusters: usize,
    major: usize,
    size: usize,
    memory: usize,
    parameters: usize,
}

/// Samples that state a version or memory which cannot be read, with the reason.
const UNREADABLE: [(&str, &str, &str); 1] =
    [("01-non_default_configuration_cluster", "version", "99.99 is no release, though the operator takes it for one")];

/// Where each operator's resources state a version. What has no digit in it ("latest", a placeholder) states none.
fn states_version(document: &Document, operator: &str) -> bool {
    let pointers: &[&str] = match operator {
        "cnpg" => &["/spec/imageName", "/spec/imageCatalogRef/major"],
        "crunchy" | "percona" => &["/spec/postgresVersion"],
        "zalando" => &["/spec/postgresql/version"],
        "stackgres" => &["/spec/postgres/version"],
        "kubegres" => &["/spec/image"],
        "kubeblocks" => &["/spec/componentSpecs/0/serviceVersion", "/spec/clusterVersionRef"],
        _ => &[],
    };
    let mut stated = pointers.iter().filter_map(|pointer| document.value.pointer(pointer));
    stated.any(|value| value.to_string().contains(|c: char| c.is_ascii_digit()))
}

/// Whether the instances of a cluster are given memory in the resource itself.
fn states_memory(document: &Document) -> bool {
    let instances = ["/spec", "/spec/instances/0", "/spec/componentSpecs/0"];
    let parts = ["limits", "requests"];
    instances.iter().any(|of| {
        parts
            .iter()
            .any(|part| document.value.pointer(&format!("{of}/resources/{part}/memory")).is_some_and(|v| !v.is_null()))
    })
}

/// What is there to be known: whether the text of a manifest says it at all.
fn says(document: &Document, words: &[&str]) -> bool {
    let text = document.value.to_string();
    words.iter().any(|word| text.contains(word))
}

fn text_at<'d>(document: &'d Document, pointer: &str) -> Option<&'d str> {
    document.value.pointer(pointer)?.as_str()
}

fn value_at<'v>(value: &'v Value, key: &str) -> &'v Value {
    value.get(key).unwrap_or(&Value::Null)
}

/// Every document that names itself a cluster is recognised, and version, size and memory are read where they are written.
#[test]
fn every_cluster_is_read() {
    let Some(directories) = corpus() else { return };
    let catalogue = Rules::embedded().catalogue().unwrap();
    let engine = Engine::new(&Rules::embedded()).unwrap();
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    let mut missed = Vec::new();
    for directory in directories {
        // One file at a time: samples of one name differ.
        for file in files(&directory, &["yaml", "yml"]) {
            // What a test of an operator waits for is a part of an object.
            if file.display().to_string().ends_with("-assert.yaml") {
                continue;
            }
            let documents = manifest::read(file.display().to_string(), fs::read(&file).unwrap()).documents;
            let mut inventory = Inventory::new(false);
            for document in &documents {
                inventory.insert(&document.value, &walguard_engine::value(document.value.clone()));
            }
            for document in &documents {
                let text = |key: &str| document.value.get(key).and_then(Value::as_str).unwrap_or_default();
                let Some(kind) = catalogue.kinds_of(text("apiVersion"), text("kind")).next() else { continue };
                if kind.role != Role::Cluster || !kind.contains.is_empty() {
                    continue;
                }
                let mut input = walguard_engine::value(json!({"review": {"object": document.value}}));
                input.as_object_mut().unwrap().insert("inventory".into(), inventory.value());
                let cluster = engine.clone().evaluate_rule("walguard.model.cluster", &input).unwrap();
                let cluster = serde_json::to_value(&cluster).unwrap();
                let known = known.entry(kind.operator.clone()).or_default();
                let place = format!("{}: {}", file.display(), document.value["metadata"]["name"]);
                if !cluster.is_object() {
                    // A fragment of documentation; KubeBlocks runs other servers too.
                    let other = kind.operator == "kubeblocks" && !says(document, &["postgresql"]);
                    if other || text_at(document, "/metadata/name").is_none() {
                        continue;
                    }
                    missed.push(format!("{place} is not recognised"));
                    continue;
                }
                known.clusters += 1;
                let sets = cluster["instance_sets"].as_array().cloned().unwrap_or_default();
                let any =
                    |pointer: &str| sets.iter().any(|set| set.pointer(pointer).is_some_and(|found| !found.is_null()));
                let memory = any("/resources/limits/memory") || any("/resources/requests/memory");
                for (what, read, stated) in [
                    ("version", cluster["major"].is_object(), states_version(document, &kind.operator)),
                    ("memory", memory, states_memory(document)),
                ] {
                    let excepted = UNREADABLE.iter().any(|(sample, fact, _)| place.contains(sample) && *fact == what);
                    if stated && !read && !excepted {
                        missed.push(format!("{place}: no {what}"));
                    }
                }
                known.major += usize::from(cluster["major"].is_object());
                known.size += usize::from(any("/data/size"));
                known.memory += usize::from(memory);
                known.parameters += value_at(&cluster, "parameters").as_array().map_or(0, Vec::len);
                if !any("/data/size")
                    && says(document, &["\"storage\":\"", "\"size\":\""])
                    && !says(document, &["ephemeralVolumeSource"])
                    && !cluster["partial"].is_boolean()
                {
                    missed.push(format!("{place}: no size of the data volume"));
                }
            }
        }
    }
    for (operator, known) in &known {
        eprintln!("{operator}: {known:?}");
    }
    let clusters: usize = known.values().map(|known| known.clusters).sum();
    let (major, size): (usize, usize) = known.values().fold((0, 0), |(m, s), k| (m + k.major, s + k.size));
    eprintln!("{clusters} clusters, of which {major} with a version and {size} with a size");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
