//! Manifests that no well-meaning person writes: a clear error or silence, never a panic and never an engine error.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Place, Run, files, root};
use serde_json::{Value, json};
use walguard_manifest as manifest;

const CLUSTERS: [(&str, &str, &str); 4] = [
    ("postgresql.cnpg.io/v1", "Cluster", "/spec/postgresql/parameters/full_page_writes"),
    ("apps.kubeblocks.io/v1", "Cluster", "/spec/componentSpecs/0/name"),
    ("acid.zalan.do/v1", "postgresql", "/spec/postgresql/parameters/full_page_writes"),
    ("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", "/spec/patroni/dynamicConfiguration"),
];

/// xorshift: the same mutants in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

fn hostile_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-1),
        json!(12.5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!(" "),
        json!("x"),
        json!("0"),
        json!("-1Gi"),
        json!("99999999999999999999999999Gi"),
        json!("1e400"),
        json!("%s %d {0}"),
        json!("🐘\u{0}\n"),
        json!("2026-13-99T99:99:99Z"),
        json!([]),
        json!([null, 1, "x", [], {}]),
        json!({}),
        json!({"x": null, "": [], "0": {"name": 1}}),
        json!([{"name": null}, {"name": "data", "value": {}}]),
    ]
}

/// JSON pointers to every place in a value.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| places(value, &format!("{at}/{}", escape(key)), into)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| places(value, &format!("{at}/{index}"), into));
        }
        _ => {}
    }
}

/// Neither a panic nor a signal, and no resource left unjudged.
fn assert_judged(run: &Run, what: &str) {
    assert!(matches!(run.code, Some(0..=2)), "{what}: exit {:?}\n{}", run.code, run.stderr);
    assert_eq!(run.json()["errors"], json!([]), "{what}");
}

#[test]
fn any_value_anywhere() {
    const MUTANTS: usize = 10;
    let manifests: Vec<_> =
        [files(&root().join("examples"), &["yaml"]), files(&root().join("rules/checks"), &["yaml"])].concat();
    assert!(manifests.len() > 10, "there is nothing to mutate");
    let place = Place::new(&[]);
    let values = hostile_values();
    let mut random = Random(0x5EED);
    let mut judged = 0;
    for file in manifests {
        let documents = manifest::read(file.display().to_string(), std::fs::read(&file).unwrap()).documents;
        let mut stream = String::new();
        for document in documents {
            let mut all = Vec::new();
            places(&document.value, "", &mut all);
            // Not what makes it a resource of its kind: those stay readable by the rules.
            let all: Vec<String> =
                all.into_iter().filter(|p| !p.is_empty() && p != "/kind" && p != "/apiVersion").collect();
            for _ in 0..MUTANTS {
                let mut mutant = document.value.clone();
                for _ in 0..=random.below(3) {
                    if let Some(place) = mutant.pointer_mut(&all[random.below(all.len())]) {
                        *place = values[random.below(values.len())].clone();
                    }
                }
                stream += &format!("---\n{mutant}\n");
            }
        }
        place.write("mutants.yaml", &stream);
        let run = place.run(&["lint", "--format", "json", "mutants.yaml"]);
        if run.code == Some(2) {
            // For whoever looks for the cause.
            let kept = std::env::temp_dir().join("walguard-mutants.yaml");
            std::fs::write(&kept, &stream).unwrap();
            eprintln!("the mutants are in {}", kept.display());
        }
        assert_judged(&run, &file.display().to_string());
        judged += run.json()["summary"]["clusters"].as_u64().unwrap();
    }
    assert!(judged > 1000, "only {judged} mutants were judged");
}

#[test]
fn any_type_for_a_whole_object() {
    let place = Place::new(&[]);
    let mut stream = String::new();
    for (api_version, kind, _) in CLUSTERS {
        for value in hostile_values() {
            for key in ["metadata", "spec", "status"] {
                stream += &format!("---\n{}\n", json!({"apiVersion": api_version, "kind": kind, key: value}));
            }
        }
    }
    place.write("a.yaml", &stream);
    assert_judged(&place.run(&["lint", "--format", "json", "a.yaml"]), "typed objects");
    // Not even an object, or one that does not say what it is.
    for text in [
        "1",
        "[]",
        "text",
        "[{}, 1]",
        "{\"kind\": {}, \"apiVersion\": []}",
        "{\"kind\": \"List\", \"items\": 1}",
        "{\"kind\": \"List\", \"items\": [1, null, []]}",
    ] {
        place.write("a.yaml", text);
        assert_judged(&place.run(&["lint", "--format", "json", "a.yaml"]), text);
    }
}

#[test]
fn huge_texts() {
    let place = Place::new(&[]);
    let huge = "x".repeat(10 << 20);
    for (api_version, kind, pointer) in CLUSTERS {
        let keys: Vec<&str> = pointer.trim_start_matches('/').split('/').collect();
        let nested = keys
            .iter()
            .rev()
            .fold(json!(huge), |value, key| if *key == "0" { json!([value]) } else { json!({*key: value}) });
        let mut document = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "huge"}});
        document.as_object_mut().unwrap().extend(nested.as_object().unwrap().clone());
        place.write("a.json", document.to_string());
        assert_judged(&place.run(&["lint", "--format", "json", "a.json"]), kind);
        // Nor does anybody want to see it.
        let seen = place.run(&["lint", "a.json"]);
        assert!(matches!(seen.code, Some(0 | 1)), "{:?}", seen.code);
    }
}

#[test]
fn deep_nesting_bombs_and_broken_text() {
    let head = "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: x}\nspec:\n";
    let deep = |depth: usize| format!("{head}  x: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    let mut bomb = format!("{head}  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let last = format!("*a{}", level - 1);
        bomb += &format!("  a{level}: &a{level} [{}]\n", vec![last; 10].join(", "));
    }
    let twice = format!("{head}  instances: 3\nspec:\n  instances: 4\n");
    let place = Place::new(&[]);
    for (what, text) in [
        ("100 levels", deep(100)),
        ("1,000 levels", deep(1000)),
        ("100,000 levels", deep(100_000)),
        ("100,000 open brackets", "[".repeat(100_000)),
        ("100,000 blocks", (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect()),
        ("alias bomb", bomb),
        ("an alias of itself", format!("{head}  x: &x [*x]\n")),
        ("an unknown alias", format!("{head}  x: *nobody\n")),
        ("a key twice", twice),
        ("tabs", format!("{head}\tx: 1\n")),
        ("zero bytes", format!("{head}  x: \"\0\"\n")),
        ("a long line", format!("{head}  x: [{}1\n", "1, ".repeat(1 << 20))),
    ] {
        place.write("a.yaml", &text);
        let run = place.run(&["lint", "--format", "json", "a.yaml"]);
        assert!(matches!(run.code, Some(0..=2)), "{what}: exit {:?}\n{}", run.code, run.stderr);
        let json = run.json();
        for error in json["errors"].as_array().unwrap() {
            assert!(
                error["message"].as_str().unwrap().len() < 1000 && error["line"].as_u64().unwrap() > 0,
                "{what}: {error}"
            );
        }
        assert_eq!(run.code == Some(2), !json["errors"].as_array().unwrap().is_empty(), "{what}");
        let seen = place.run(&["lint", "a.yaml"]);
        assert_eq!(seen.code, run.code, "{what}");
    }
}
