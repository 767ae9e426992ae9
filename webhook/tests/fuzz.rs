//! Inputs that nobody wrote, made of those that somebody did: whatever comes in, nothing panics, hangs or takes memory without end, and
//! what must not matter does not.
//!
//! `WALGUARD_SEED` chooses other inputs, `WALGUARD_FUZZ` how many each target gets (`make fuzz`). A case that fails is written to
//! `target/fuzz`; its number and the seed make it again.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{files, root};
use serde_json::{Value as Json, json};
use walguard::serve::Direct;
use walguard_engine::{Engine, Finding, Review, Rules, Value, configuration};
use walguard_lint::workspace::{self, Open, Workspace};
use walguard_manifest as manifest;

/// Inputs that each target gets where nobody asks for more.
const CASES: u64 = 60;
/// What does not end within this hangs, on any machine.
const HANGS: Duration = Duration::from_secs(300);
/// What the rules may take for one input.
const EVALUATION: Duration = Duration::from_secs(120);
/// The largest resident set of the whole process: what eight evaluations may take, and the rules.
const RESIDENT_MIB_MAX: u64 = 2_048;

/// Texts that mean something to a reader somewhere, or nearly do.
const WORDS: [&str; 68] = [
    "",
    " ",
    "0",
    "-1",
    "1",
    "07",
    "1e3",
    "1E400",
    "0x1F",
    "NaN",
    "9223372036854775808",
    "1.5",
    ".5",
    "5.",
    "+5",
    "1_000",
    "100Mi",
    "0.5Gi",
    "1e3Ki",
    "12EiB",
    "1G",
    "1Gi ",
    "-1Gi",
    "100m",
    "99999999999999999999Ti",
    "1KiB",
    "8kB",
    "128MB",
    "1 GB",
    "1024 kB",
    "1TB2",
    "5min",
    "1d",
    "200ms",
    "60us",
    "on",
    "off",
    "tru",
    "f",
    "yes",
    "'off'",
    "\"on\"",
    "'it''s'",
    "'open",
    "E'a\\nb'",
    "0 0 * * *",
    "*/0 * * * *",
    "60 24 32 13 8",
    "@hourly",
    "@every 1h",
    "0 0 0 1 JAN ?",
    "1-5/2,7 * * * 0-7",
    "TZ=UTC 0 0 * * *",
    "fsync=off",
    "fsync = off # why\n",
    "include '/proc/self/environ'\n",
    "a.b = 'c\\'\n",
    "shared_buffers\t'128MB'junk",
    "=\n=\n",
    "${X}",
    "$(HOME)",
    "{{ .Values.x }}",
    "🐘",
    "\u{feff}x",
    "a\u{0}b",
    "é\u{301}",
    "2026-02-30",
    "2026-06-15T12:00:00+99:99",
];
/// Comments, some of them ours.
const COMMENTS: [&str; 10] = [
    "# walguard: ignore[durability/full_page_writes] until=2099-12-31 reason=tried on ZFS",
    "# walguard: ignore[durability/, wal/init_zero_filesystem] reason=a replica is rebuilt",
    "#walguard:ignore[memory/] until=9999-12-31 reason=🐘",
    "# walguard: ignore[wal/]",
    "# walguard: ignore[wal/ until=2026-13-99 reason=x",
    "# walguard: ignore[a/b,,c/d] until=2030-02-30T25:61:61Z reason=",
    "# walguard: ignore[] until= reason= until=2030-01-01",
    "# walguard: ignore",
    "# walguard:",
    "# WALGUARD: IGNORE[*] \u{85}",
];
const BYTES: &[u8] = b"\n\t :-?{}[]&*!|>'\"%@`#,x\\\r0<.=~\0\xff\xc3\xe2";

/// splitmix64: any seed will do, and each case has its own.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    fn element<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}={text}: not a whole number")))
}

/// Gives a target its inputs. `make` makes one, `check` asserts.
fn run<I: std::fmt::Debug>(target: &str, mut make: impl FnMut(&mut Random) -> I, mut check: impl FnMut(&I)) {
    let (seed, cases) = (number("WALGUARD_SEED", 1), number("WALGUARD_FUZZ", CASES));
    let name = target.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let directory = root().join("target/fuzz");
    // The case that is under way, for the watch beside.
    let current = Arc::new(Mutex::new(String::new()));
    let done = Arc::new(AtomicU64::new(0));
    watch(target.to_owned(), Arc::clone(&current), Arc::clone(&done), cases);
    for case in 0..cases {
        let mut random =
            Random(seed.wrapping_mul(0xA076_1D64_78BD_642F) ^ name ^ case.wrapping_mul(0xE703_7ED1_A0B4_28DB));
        let input = make(&mut random);
        *current.lock().unwrap() = format!("{input:?}");
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&input))) {
            fs::create_dir_all(&directory).unwrap();
            let path = directory.join(format!("{target}-{seed}-{case}.txt"));
            fs::write(&path, format!("{input:#?}\n")).unwrap();
            eprintln!("{target}: case {case} of seed {seed} fails; it is in {}", path.display());
            done.store(u64::MAX, Ordering::Relaxed);
            std::panic::resume_unwind(panic);
        }
        done.store(case + 1, Ordering::Relaxed);
    }
    if let Some(peak) = resident_mib() {
        assert!(peak <= RESIDENT_MIB_MAX, "{target}: {peak} MiB resident at the most");
    }
}

/// Ends the process where a case does not end, with the case.
fn watch(target: String, current: Arc<Mutex<String>>, done: Arc<AtomicU64>, cases: u64) {
    std::thread::spawn(move || {
        let mut last = u64::MAX;
        loop {
            std::thread::sleep(HANGS);
            let now = done.load(Ordering::Relaxed);
            if now >= cases {
                return;
            }
            if now == last {
                // Not what eprintln! writes: that is kept for a test that ends.
                let _ = writeln!(std::io::stderr(), "{target}: case {now} hangs: {}", current.lock().unwrap());
                std::process::abort();
            }
            last = now;
        }
    });
}

/// The largest resident set so far, where the system says.
fn resident_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}

// ------------------------------------------------------------------------------------------------------ what inputs are made of

fn texts(of: &[&str], extensions: &[&str]) -> Vec<String> {
    let paths: Vec<PathBuf> = of.iter().flat_map(|directory| files(&root().join(directory), extensions)).collect();
    assert!(!paths.is_empty(), "nothing to begin with in {of:?}");
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

fn manifests() -> Vec<String> {
    texts(&["examples", "rules/checks", "tests/healthy", "bench/manifests"], &["yaml"])
}

fn objects() -> Vec<Json> {
    let read = |text: String| manifest::read("a.yaml", text.into_bytes()).documents;
    manifests().into_iter().flat_map(read).map(|document| document.value).collect()
}

/// Some bytes replaced, left out, said twice, or exchanged for a word.
fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(5) {
        let at = random.below(bytes.len());
        let end = (at + random.below(20)).min(bytes.len());
        match random.below(6) {
            _ if bytes.is_empty() => break,
            0 | 1 => bytes[at] = BYTES[random.below(BYTES.len())],
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => drop(bytes.splice(at..end, random.one(&WORDS).bytes())),
            _ => bytes.truncate(bytes.len() - random.below(bytes.len() / 4 + 1)),
        }
    }
    bytes
}

/// How many places a value has, itself among them.
fn size(value: &Json) -> usize {
    1 + match value {
        Json::Object(map) => map.values().map(size).sum::<usize>(),
        Json::Array(list) => list.iter().map(size).sum(),
        _ => 0,
    }
}

/// One of them.
fn place<'v>(value: &'v mut Json, left: &mut usize) -> Option<&'v mut Json> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Json::Object(map) => map.values_mut().find_map(|value| place(value, left)),
        Json::Array(list) => list.iter_mut().find_map(|value| place(value, left)),
        _ => None,
    }
}

/// An object with some values exchanged, the leaves more often than what holds them.
fn changed(object: &Json, random: &mut Random) -> Json {
    let mut object = object.clone();
    for _ in 0..=random.below(4) {
        for _ in 0..4 {
            let mut at = random.below(size(&object));
            let found = place(&mut object, &mut at).unwrap();
            if !found.is_object() && !found.is_array() || random.below(8) == 0 {
                *found = leaf(random);
                break;
            }
        }
    }
    object
}

fn leaf(random: &mut Random) -> Json {
    match random.below(12) {
        0 => Json::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.next()),
        3 => json!(-1),
        4 => json!(0.1),
        5 => json!([]),
        6 => json!({}),
        7 => json!([random.one(&WORDS), {"name": random.one(&WORDS), "value": random.one(&WORDS)}]),
        8 => json!({random.one(&WORDS): random.one(&WORDS)}),
        _ => json!(random.one(&WORDS)),
    }
}

fn engine() -> Engine {
    engine_of(&Rules::embedded())
}

fn engine_of(rules: &Rules) -> Engine {
    let mut engine = Engine::new(rules).unwrap();
    engine.set_deadline(EVALUATION);
    engine
}

fn judged(engine: &mut Engine, input: &Json) -> Vec<Finding> {
    engine.evaluate(&walguard_engine::value(input.clone())).unwrap_or_else(|error| panic!("{error}: {input}"))
}

// -------------------------------------------------------------------------------------------------------------------- targets

/// The reader of YAML and JSON: each document it gives can be found again in the text.
#[test]
fn bytes_of_manifests() {
    let seeds = manifests();
    let make = |random: &mut Random| mutated(seeds[random.below(seeds.len())].as_bytes(), random);
    run("manifests", make, |bytes| {
        let reading = manifest::read("a.yaml", bytes.clone());
        for document in &reading.documents {
            let lines = u32::try_from(document.source.text.lines().count()).unwrap() + 1;
            for key in document.value.as_object().into_iter().flat_map(|map| map.keys()) {
                let path = [walguard_engine::PathSegment::from(key.as_str())];
                let location = document.locate(&path);
                assert!(location.line <= lines, "{key} in line {} of {lines}", location.line);
                for range in [document.key_bytes(&path), document.value_bytes(&path)].into_iter().flatten() {
                    assert!(document.source.text.get(range.clone()).is_some(), "{key}: {range:?}");
                }
            }
        }
        let _ = manifest::count(bytes);
        // What was read can be written, and is read as the same.
        for document in reading.documents {
            let again = manifest::read("a.json", serde_json::to_vec(&document.value).unwrap());
            if document.value.is_object() && !document.value["kind"].as_str().unwrap_or_default().ends_with("List") {
                assert_eq!(again.errors, []);
                assert_eq!(again.documents.first().map(|document| &document.value), Some(&document.value));
            }
        }
    });
}

/// The linter on a file as it stands in an editor, with comments in it, and its fixes: what they write is read, and has no more to fix.
#[test]
fn lint_and_fix() {
    let seeds = manifests();
    let mut workspace = Workspace::new(None, None).unwrap();
    let make = |random: &mut Random| {
        let mut text = seeds[random.below(seeds.len())].clone();
        for _ in 0..random.below(3) {
            let lines: Vec<&str> = text.lines().collect();
            let at = random.below(lines.len() + 1);
            let comment = random.one(&COMMENTS);
            text = match lines.get(at).filter(|_| random.below(2) == 0) {
                Some(line) => {
                    [&lines[..at], &[format!("{line} {comment}").as_str()], &lines[at + 1..]].concat().join("\n")
                }
                None => [&lines[..at], &[comment], &lines[at..]].concat().join("\n"),
            };
        }
        match random.below(3) {
            0 => text,
            _ => String::from_utf8_lossy(&mutated(text.as_bytes(), random)).into_owned(),
        }
    };
    run("fix", make, |text| {
        let path = PathBuf::from("/nowhere/a.yaml");
        let mut text = text.clone();
        let broken = manifest::read("a.yaml", text.clone().into_bytes()).errors.len();
        for round in 0.. {
            let report = workspace.lint(&[], &Open::from([(path.clone(), text.clone())])).unwrap();
            let Some(name) = report.documents.first().map(|document| document.source.name.clone()) else { break };
            let Some(change) = workspace::fixed(&report, &report.findings, &name) else { break };
            let read = manifest::read("a.yaml", change.after.clone().into_bytes());
            assert!(read.errors.len() <= broken, "{:?} in\n{}", read.errors, change.after);
            assert!(round < 6, "fixes go in circles:\n{}", change.diff());
            text = change.after;
        }
    });
}

/// An object is judged alike in each envelope, and with what no rule knows around it.
#[test]
fn envelopes() {
    let seeds = objects();
    let mut engine = engine();
    let make = |random: &mut Random| changed(&seeds[random.below(seeds.len())], random);
    run("envelopes", make, |object| {
        let bare = judged(&mut engine, &json!({"review": {"object": object}}));
        let strange = json!({"x": [1, {"kind": "Cluster"}], "": null});
        let mut alike: Vec<Json> = vec![
            json!({"review": {"object": object, "x-unknown": strange}, "x-unknown": strange, "inventory": {"x-unknown": strange}}),
        ];
        if object["kind"].is_string()
            && !object["kind"].as_str().is_some_and(|kind| kind.ends_with("List"))
            && object.get("review").is_none()
            && object.get("request").is_none()
        {
            alike.push(object.clone());
        }
        let mut annotated = object.clone();
        if let Some(metadata) = annotated.get_mut("metadata").and_then(Json::as_object_mut) {
            metadata.insert("managedFields".to_owned(), json!([strange]));
            alike.push(json!({"review": {"object": annotated}}));
        }
        for input in alike {
            assert_eq!(json!(judged(&mut engine, &input)), json!(bare), "{input}");
        }
        // What an API server asks about is no file that somebody fills in.
        let asked = judged(&mut engine, &json!({"review": {"object": object, "uid": "1"}}));
        let request = json!({"uid": "1", "object": object, "options": strange, "x-unknown": strange});
        let admission = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        assert_eq!(json!(judged(&mut engine, &admission)), json!(asked), "{admission}");
        let text = object.to_string();
        if !["$", "{{", "{%", "<", "__", "%", "#{", "REPLACE", "CHANGE", "ENC["].iter().any(|mark| text.contains(mark))
        {
            // An API server has compared with the operators' schemas itself; what they refuse of a file is said there once.
            let (mut asked, mut bare) = (json!(asked), json!(bare));
            let known = asked.as_array().cloned().unwrap_or_default();
            let mut refused = Vec::new();
            if let Some(findings) = bare.as_array_mut() {
                findings.retain(|finding| {
                    let kept = finding["check"] != "parameters/operator_refuses" || known.contains(finding);
                    refused.extend((!kept).then(|| finding["path"].clone()));
                    kept
                });
            }
            if let Some(findings) = asked.as_array_mut() {
                findings.retain(|finding| {
                    finding["check"] != "workload/resource_unknown" || !refused.contains(&finding["path"])
                });
            }
            assert_eq!(asked, bare, "{admission}");
        }
        let text = engine.evaluate_json(&serde_json::to_vec(&json!({"review": {"object": object}})).unwrap()).unwrap();
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap().as_array().map_or(0, Vec::len), bare.len());
    });
}

/// What the webhook gets: an answer or an error, and a review within a review is one.
#[test]
fn bytes_of_admission() {
    let seeds = objects();
    let mut direct = Direct::new(engine(), Value::Null);
    let make = |random: &mut Random| {
        let object = changed(&seeds[random.below(seeds.len())], random);
        let old = changed(&object, random);
        let (group, version) =
            object["apiVersion"].as_str().and_then(|text| text.split_once('/')).unwrap_or(("", "v1"));
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u", "name": "db", "namespace": "shop", "operation": random.one(&["CREATE", "UPDATE", "DELETE", "CONNECT", ""]),
            "kind": {"group": group, "version": version, "kind": object["kind"]},
            "resource": {"group": group, "version": version, "resource": "clusters"},
            "userInfo": {"username": "jane", "groups": ["system:authenticated"]}, "object": object, "oldObject": old,
        }});
        let bytes = serde_json::to_vec(&review).unwrap();
        if random.below(3) == 0 { mutated(&bytes, random) } else { bytes }
    };
    run("admission", make, |bytes| {
        if let Ok(answer) = direct.answer(bytes) {
            let answer: Json = serde_json::from_slice(&answer).unwrap();
            assert!(answer["response"]["allowed"].is_boolean(), "{answer}");
        }
    });
}

/// postgresql.conf: whatever it holds is read to the end, in its lines.
#[test]
fn configuration_files() {
    let seeds = [texts(&["examples/postgresql-conf"], &["conf"]), WORDS.map(str::to_owned).to_vec()].concat();
    let mut engine = engine();
    let make = |random: &mut Random| {
        let bytes = mutated(seeds[random.below(seeds.len())].as_bytes(), random);
        format!("{}\nfsync = off\n", String::from_utf8_lossy(&bytes))
    };
    run("conf", make, |text| {
        let input = walguard_engine::value(json!({"text": text}));
        let found = engine.evaluate_rule("walguard.operators.server.packing.directives", &input).unwrap();
        let lines = text.split('\n').count() as u64;
        for entry in json!(found).as_array().unwrap() {
            assert!(entry["line"].as_u64().unwrap() <= lines, "{entry} of {lines} lines");
        }
        let server = json!({"apiVersion": "walguard.dev/v1", "kind": "PostgresServer", "metadata": {"name": "a"}, "spec": {"postgresql.conf": text}});
        judged(&mut engine, &json!({"review": {"object": server}}));
    });
}

/// Quantities, memory units and cron: wherever a number, a size or a time may stand, each of the words.
#[test]
fn words_as_values() {
    let seeds = objects();
    let mut engine = engine();
    let make = |random: &mut Random| {
        let mut object = seeds[random.below(seeds.len())].clone();
        for _ in 0..12 {
            let mut at = random.below(size(&object));
            let found = place(&mut object, &mut at).unwrap();
            let as_value =
                found.as_str().is_some_and(|text| text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'*'));
            if as_value || found.is_number() || found.is_boolean() {
                *found = match (random.below(3), found.as_str()) {
                    (0, Some(text)) if !text.is_empty() => {
                        json!(String::from_utf8_lossy(&mutated(text.as_bytes(), random)))
                    }
                    _ => json!(random.one(&WORDS)),
                };
            }
        }
        object
    };
    run("words", make, |object| {
        for finding in judged(
            &mut engine,
            &json!({"review": {"object": object, "operation": "CREATE"}, "inventory": {"complete": true}}),
        ) {
            assert!(!finding.message.contains("%!"), "{}", finding.message);
        }
    });
}

/// walguard.yaml: one that is accepted stays what it is, and the rules take it.
#[test]
fn configurations() {
    let mut seeds: Vec<Json> = [
        "version: 1\nmode: enforce\nchecks:\n  durability/full_page_writes: {severity: info}\n  wal/: {severity: 'off'}\n",
        "version: 1\nwaivers:\n- {check: durability/, kind: Cluster, namespace: shop, name: 'db*', reason: r, approvedBy: a, until: 2030-01-01}\n",
        "version: 1\nexemptions:\n  namespaces: [kube-system]\nlabels: {team: x}\nexclude: ['*.yaml']\n",
    ]
    .iter()
    .map(|text| manifest::read("walguard.yaml", text.as_bytes().to_vec()).documents.remove(0).value)
    .collect();
    seeds.extend(
        manifest::read("walguard.yaml", fs::read(root().join("tests/admission/walguard.yaml")).unwrap())
            .documents
            .into_iter()
            .map(|document| document.value),
    );
    let objects = objects();
    let mut engine = engine();
    let catalogue = engine.catalogue().clone();
    let workspace = Workspace::new(None, None).unwrap();
    let make = |random: &mut Random| {
        let configuration = changed(&seeds[random.below(seeds.len())], random);
        let text = serde_json::to_vec(&configuration).unwrap();
        (configuration, mutated(&text, random), objects[random.below(objects.len())].clone())
    };
    run("configuration", make, |(json, bytes, object)| {
        drop(workspace.mistakes(Path::new("walguard.yaml"), &String::from_utf8_lossy(bytes)));
        drop(configuration::review("walguard.yaml", json, None));
        let Ok(normal) = configuration::normalise(json, &catalogue) else { return };
        assert_eq!(configuration::normalise(&normal, &catalogue).as_ref(), Ok(&normal));
        let review = Review {
            request: walguard_engine::value(json!({"object": object})),
            inventory: None,
            configuration: Some(walguard_engine::value(normal)),
            now: Some("2026-06-15T12:00:00Z".to_owned()),
        };
        engine.judge(&review).unwrap();
    });
}

/// What `--rules` is given: a bundle that is broken is refused, and one that is not says what it says.
#[test]
fn bundles_and_plans() {
    const OWN: &str = "package walguard.checks.company.team\n\nfindings contains finding if {\n\tobject := input.review.object\n\tsome name, value in object.spec\n\tnot object.metadata.labels.team\n\tcount(name) > 2\n\tfinding := {\"message\": sprintf(\"%s has %v\", [name, value]), \"path\": [\"spec\", name]}\n}\n";
    let place = common::Place::new(&[("own/team.rego", OWN)]);
    let bundle = fs::read(common::bundle(&place.path().join("own"), &["walguard/checks"])).unwrap();
    let unpacked = Command::new("tar").args(["-xzf", "own.tar.gz"]).current_dir(place.path()).status().unwrap();
    assert!(unpacked.success());
    let plan = fs::read(place.path().join("plan.json")).unwrap();
    let structure: Json = serde_json::from_slice(&plan).unwrap();
    let object = objects().remove(0);
    let make = |random: &mut Random| match random.below(4) {
        0 => (mutated(&bundle, random), None),
        1 => (Vec::new(), Some(mutated(&plan, random))),
        _ => {
            let mut plan = structure.clone();
            for _ in 0..=random.below(2) {
                let mut at = random.below(size(&plan));
                let found = self::place(&mut plan, &mut at).unwrap();
                *found = match found.as_u64() {
                    Some(n) if random.below(2) == 0 => {
                        json!([n + 1, n.saturating_sub(1), u64::from(u32::MAX), 1 << 40, u64::MAX][random.below(5)])
                    }
                    _ => leaf(random),
                };
            }
            (Vec::new(), Some(serde_json::to_vec(&plan).unwrap()))
        }
    };
    run("bundles", make, |(bundle, plan)| {
        let (plan, data) = match plan {
            Some(plan) => (rego_plan::opa::read(plan).ok(), Json::Null),
            None => {
                rego_plan::bundle::read(bundle).map_or((None, Json::Null), |bundle| (Some(bundle.plan), bundle.data))
            }
        };
        let Some(plan) = plan else { return };
        if let Ok(rules) = Rules::of_bundle(plan, data, &BTreeMap::new()) {
            drop(engine_of(&rules).evaluate(&walguard_engine::value(json!({"review": {"object": object}}))));
        }
    });
}

/// Whatever type a field has that is of another one by the operator's schema, it hides nothing of what stands elsewhere: each field that
/// rules/lib/schema knows, in a cluster of every operator whose fsync is off.
#[test]
fn fields_of_another_type() {
    let schemas: Json = serde_json::from_slice(&fs::read(root().join("rules/lib/schema/kinds.json")).unwrap()).unwrap();
    let strange = [json!("x"), json!(7), json!(true), json!([1]), json!([{}]), json!({"x": "y"}), Json::Null];
    let mut engine = engine();
    let mut random = Random(number("WALGUARD_SEED", 1));
    for (operator, parameters, seed) in without_fsync() {
        assert!(fsync_is_found(&mut engine, &seed), "{operator} as it is");
        for (map, schema) in schemas[operator].as_object().unwrap() {
            for field in schema["fields"].as_object().into_iter().flatten().map(|(field, _)| field) {
                let path: Vec<&str> = map.split('.').chain([field.as_str()]).collect();
                // Where the parameter stands there is nothing left to find.
                let above =
                    |place: &str| place.split('.').zip(&path).all(|(one, other)| one == other.trim_end_matches("[]"));
                if parameters.iter().any(|place| above(place)) {
                    continue;
                }
                // What stands highest is read by most, and gets every type.
                let tried = if map == "spec" { &strange[..] } else { std::slice::from_ref(random.element(&strange)) };
                for value in tried {
                    let mut input = seed.clone();
                    put(&mut input["review"]["object"], &path, value.clone());
                    assert!(
                        fsync_is_found(&mut engine, &input),
                        "{operator}: {} of {value} hides it: {input}",
                        path.join(".")
                    );
                }
            }
        }
    }
}

/// Operators by their names in the schemas, with where the parameter stands, and what else says that there is a server.
fn without_fsync() -> Vec<(&'static str, &'static [&'static str], Json)> {
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}});
    let patroni = json!({"dynamicConfiguration": {"postgresql": {"parameters": {"fsync": "off"}}}});
    let repos = json!([{"name": "repo1", "volume": {"volumeClaimSpec": claim}}]);
    let spec = json!({
        "postgresVersion": 17, "patroni": patroni, "backups": {"pgbackrest": {"repos": repos}},
        "instances": [{"name": "a", "replicas": 2, "dataVolumeClaimSpec": claim}],
    });
    let review = |api_version: &str, kind: &str, metadata: Json, spec: Json| {
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec});
        object["metadata"]["name"] = json!("db");
        object["metadata"]["namespace"] = json!("shop");
        json!({"review": {"object": object, "operation": "CREATE"}, "inventory": {}})
    };
    let beside = |mut input: Json, api_version: &str, kind: &str, mut object: Json| {
        object["apiVersion"] = json!(api_version);
        object["kind"] = json!(kind);
        object["metadata"] = json!({"name": "conf", "namespace": "shop"});
        input["inventory"]["namespace"] = json!({"shop": {api_version: {kind: {"conf": object}}}});
        input
    };
    let cnpg = json!({"instances": 3, "storage": {"size": "10Gi"}, "postgresql": {"parameters": {"fsync": "off"}}});
    let zalando = json!({
        "teamId": "a", "numberOfInstances": 2, "volume": {"size": "10Gi"},
        "postgresql": {"version": "17", "parameters": {"fsync": "off"}},
    });
    let stackgres = json!({
        "instances": 2, "postgres": {"version": "17.5"}, "pods": {"persistentVolume": {"size": "10Gi"}},
        "configurations": {"sgPostgresConfig": "conf"},
    });
    let kubegres =
        json!({"replicas": 2, "image": "postgres:17.5", "database": {"size": "10Gi"}, "customConfig": "conf"});
    let kubeblocks = json!({
        "clusterDef": "postgresql", "topology": "replication", "terminationPolicy": "Delete",
        "componentSpecs": [{
            "name": "postgresql", "serviceVersion": "17.5.0", "replicas": 2, "volumeClaimTemplates": [{"name": "data", "spec": claim}],
        }],
    });
    let begins = json!({"annotations": {
        "config.kubeblocks.io/init-parameters": r#"{"postgresql": {"assignments": {"fsync": "off"}}}"#,
    }});
    vec![
        ("cnpg", &["spec.postgresql.parameters"], review("postgresql.cnpg.io/v1", "Cluster", json!({}), cnpg)),
        (
            "crunchy",
            &["spec.patroni.dynamicConfiguration"],
            review("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", json!({}), spec.clone()),
        ),
        (
            "percona",
            &["spec.patroni.dynamicConfiguration"],
            review("pgv2.percona.com/v2", "PerconaPGCluster", json!({}), spec),
        ),
        ("zalando", &["spec.postgresql.parameters"], review("acid.zalan.do/v1", "postgresql", json!({}), zalando)),
        (
            "stackgres",
            &["spec.configurations.sgPostgresConfig"],
            beside(
                review("stackgres.io/v1", "SGCluster", json!({}), stackgres),
                "stackgres.io/v1",
                "SGPostgresConfig",
                json!({"spec": {"postgresVersion": "17", "postgresql.conf": {"fsync": "off"}}}),
            ),
        ),
        (
            "kubegres",
            &["spec.customConfig"],
            beside(
                review("kubegres.reactive-tech.io/v1", "Kubegres", json!({}), kubegres),
                "v1",
                "ConfigMap",
                json!({"data": {"postgres.conf": "fsync = off\n"}}),
            ),
        ),
        (
            "kubeblocks",
            // The annotation names the component.
            &["spec.componentSpecs", "spec.clusterDef"],
            review("apps.kubeblocks.io/v1", "Cluster", begins, kubeblocks),
        ),
    ]
}

fn fsync_is_found(engine: &mut Engine, input: &Json) -> bool {
    judged(engine, input).iter().any(|finding| finding.check.ends_with("durability/fsync"))
}

/// Writes a value at a path whose parts that end in `[]` are lists, of which the first element is meant.
fn put(object: &mut Json, path: &[&str], value: Json) {
    let mut at = object;
    for part in path {
        at = match part.strip_suffix("[]") {
            Some(list) => {
                if !at[list].is_array() || at[list].as_array().is_some_and(Vec::is_empty) {
                    at[list] = json!([{}]);
                }
                &mut at[list][0]
            }
            None => {
                if !at.is_object() {
                    *at = json!({});
                }
                &mut at[*part]
            }
        };
    }
    *at = value;
}
