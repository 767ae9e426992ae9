//! The manifest reader against the libraries that read manifests for Kubernetes: `sigs.k8s.io/yaml` for one document,
//! kubectl's stream decoder for files (`tests/yaml` at the root). Needs Go; without it the test passes with a word, but not in CI.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::{Value, json};
use walguard_manifest::{Reading, read};

#[derive(Debug, Deserialize)]
struct Answer {
    documents: Option<Vec<Value>>,
    errors: Option<Vec<String>>,
}

struct Case {
    mode: &'static str,
    data: Vec<u8>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Builds the helper once; Go's own cache makes that cheap. None without Go outside CI.
fn helper() -> Option<&'static Path> {
    static HELPER: OnceLock<Option<PathBuf>> = OnceLock::new();
    HELPER.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let cache = std::env::var_os("WALGUARD_TOOLS").map_or_else(
        || Path::new(&std::env::var_os("HOME").expect("HOME")).join(".cache/walguard-tools"),
        PathBuf::from,
    );
    let directory = cache.join("yaml");
    std::fs::create_dir_all(&directory).unwrap();
    let binary = directory.join("yaml");
    // Built aside and renamed: another run may be executing the old one.
    let fresh = directory.join(format!("yaml-{}", std::process::id()));
    let build = Command::new("go")
        .args(["build", "-trimpath", "-buildvcs=false", "-o"])
        .arg(&fresh)
        .arg(".")
        .current_dir(root().join("tests/yaml"))
        .env("CGO_ENABLED", "0")
        .env("GOWORK", "off")
        .status();
    match build {
        Ok(status) => assert!(status.success(), "the Go helper in tests/yaml does not build"),
        Err(error) if std::env::var_os("CI").is_none() => {
            eprintln!("not compared: Go is missing ({error})");
            return None;
        }
        Err(error) => panic!("Go is needed: {error}"),
    }
    std::fs::rename(&fresh, &binary).unwrap();
    Some(binary)
}

fn ask(cases: &[Case]) -> Option<Vec<Answer>> {
    let binary = helper()?;
    let mut child = Command::new(binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let requests: String = cases
        .iter()
        .map(|case| {
            let mut data = case.data.clone();
            // kubectl ends the last line; the library alone does not.
            if case.mode == "document" && !data.ends_with(b"\n") {
                data.push(b'\n');
            }
            let data = base64::engine::general_purpose::STANDARD.encode(&data);
            format!("{}\n", json!({"mode": case.mode, "data": data}))
        })
        .collect();
    let writer = std::thread::spawn(move || input.write_all(requests.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let answers: Vec<Answer> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(answers.len(), cases.len());
    Some(answers)
}

/// Equal as JSON, where 1.0 and 1 are one number.
fn equal(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            // Go writes a large float as its shortest digits and zeros, which is another whole number.
            (Some(a), Some(b)) => a == b || (a.unsigned_abs() > 1 << 53 && a as f64 == b as f64),
            // serde_json reads some floats one bit off.
            _ => a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a == b || ((a - b) / a).abs() < 4e-16),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => ours == theirs,
    }
}

/// A file as walguard divides it: the items of lists stand for the list.
fn flatten(document: &Value) -> Vec<Value> {
    let is_list = document["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
    match document["items"].as_array() {
        Some(items) if is_list => items.iter().flat_map(flatten).collect(),
        _ => vec![document.clone()],
    }
}

/// Where we differ on purpose, or because the parser does and no manifest is written so.
fn known(data: &str, ours: &Reading, theirs: &Answer) -> Option<&'static str> {
    let our_error = |text: &str| ours.errors.iter().any(|error| error.message.contains(text));
    let their_errors = theirs.errors.as_deref().unwrap_or_default();
    let their_error = |text: &str| their_errors.iter().any(|error| error.contains(text));
    if our_error("does not separate documents") {
        return Some("kubectl refuses `----` and drops the document before it, the library takes it for text");
    }
    if data.starts_with("\u{feff}\u{feff}") {
        return Some(
            "of two byte order marks at the very beginning, go-yaml takes the second for one at the start of every line",
        );
    }
    let json = data.trim_start_matches('\u{feff}').trim_start();
    let first = serde_json::Deserializer::from_str(json).into_iter::<Value>().next();
    if json.starts_with(['{', '[']) && first.is_some_and(|value| value.is_ok()) {
        return Some(
            "JSON values in a row, which kubectl reads one by one; the library is silent about all but the first",
        );
    }
    // They refuse, we read.
    if data.contains("\\/") && their_error("unknown escape character") {
        return Some("YAML 1.2 has the escape \\/");
    }
    if data.contains('?') && data.contains(['{', '[']) && !their_errors.is_empty() {
        return Some("a question mark within a word of a flow list or object");
    }
    if data.contains(['\u{85}', '\u{2028}'])
        && (their_error("did not find expected ',' or") || their_error("mapping values are not allowed"))
    {
        return Some("a line break other than \\n and \\r in a quoted key");
    }
    if data.starts_with("%YAML") && their_error("incompatible YAML document") {
        return Some("a directive for YAML 1.2");
    }
    if !their_errors.is_empty() {
        return None;
    }
    // They read, we refuse.
    if data.contains("\\'") && our_error("unknown escape character") {
        return Some("the escape \\' is libyaml's own, YAML has none such");
    }
    if data.contains('?') && data.contains(['{', '[']) && our_error("a key must not be null") {
        return Some("a question mark that is a word of a flow list or object");
    }
    // A quote that is never closed can only stand there: within the document go-yaml refuses it as well.
    if our_error("the document ends before this line") || our_error("found unexpected end of stream") {
        return Some("go-yaml is silent about what follows the end of the document");
    }
    if our_error("a key must be a scalar") && data.starts_with(['[', '{']) {
        return Some("so it is if a list or an object at the very beginning turns out to be a key");
    }
    if our_error("while scanning a tag") || our_error("while parsing a tag") || our_error("beyond the YAML parser") {
        return Some("a tag glued to a comma or a bracket");
    }
    if our_error("found unexpected ':'") {
        return Some("a word of a flow list or object that ends in a colon");
    }
    None
}

/// What differs, in words; None if nothing does.
fn difference(case: &Case, theirs: &Answer) -> Option<String> {
    let ours = read("case.yaml", case.data.clone());
    let theirs_documents: Vec<Value> =
        theirs.documents.iter().flatten().filter(|document| !document.is_null()).flat_map(flatten).collect();
    let our_documents: Vec<&Value> = ours.documents.iter().map(|document| &document.value).collect();
    let they_refuse = theirs.errors.as_ref().is_some_and(|errors| !errors.is_empty());
    let same = our_documents.len() == theirs_documents.len()
        && our_documents.iter().zip(&theirs_documents).all(|(ours, theirs)| equal(ours, theirs));
    let text = String::from_utf8_lossy(&case.data);
    if same && ours.errors.is_empty() != they_refuse || known(&text, &ours, theirs).is_some() {
        return None;
    }
    Some(format!(
        "{}: {text:?}\n  ours   {} {:?}\n  theirs {} {:?}",
        case.mode,
        Value::from(our_documents.into_iter().cloned().collect::<Vec<_>>()),
        ours.errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        Value::from(theirs_documents),
        theirs.errors.as_deref().unwrap_or_default(),
    ))
}

fn compare(cases: &[Case]) {
    let Some(answers) = ask(cases) else { return };
    let differences: Vec<String> =
        cases.iter().zip(&answers).filter_map(|(case, answer)| difference(case, answer)).collect();
    let shown = differences.iter().take(60).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {} differ:\n{shown}", differences.len(), cases.len());
    eprintln!("{} compared", cases.len());
}

fn strings(file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("tests/yaml").join(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Each scalar as a value, a key, an element, in flow style, quoted and under each tag.
#[test]
fn scalars() {
    let mut cases = Vec::new();
    for scalar in strings("scalars.json") {
        let forms = [
            scalar.clone(),
            format!("{scalar}\n"),
            format!("v: {scalar}\n"),
            format!("v: {scalar}"),
            format!("{scalar}: v\n"),
            format!("- {scalar}\n- x\n"),
            format!("- {scalar}: v\n  x: y\n"),
            format!("? {scalar}\n: v\n"),
            format!("v: [{scalar}, x]\n"),
            format!("v: {{k: {scalar}, x: y}}\n"),
            format!("{{{scalar}: v}}\n"),
            format!("v: '{scalar}'\n"),
            format!("v: \"{scalar}\"\n"),
            format!("v: !!str {scalar}\n"),
            format!("v: !!int {scalar}\n"),
            format!("v: !!float {scalar}\n"),
            format!("v: !!bool {scalar}\n"),
            format!("v: !!null {scalar}\n"),
            format!("v: !foo {scalar}\n"),
            format!("a: &x {scalar}\nb: *x\n"),
            format!("a:\n  b: {scalar}\n  c: d\n"),
            format!("a:\r\n  b: {scalar}\r\n  c: d\r\n"),
        ];
        cases.extend(forms.map(|data| Case { mode: "document", data: data.into_bytes() }));
    }
    compare(&cases);
}

fn yaml_files(directory: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            yaml_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            into.push(path);
        }
    }
}

/// Several hundred documents: nesting, comments, all styles, keys of all types, anchors, merges, tags, broken ones.
#[test]
fn structures() {
    let structures = strings("structures.json");
    let cases: Vec<Case> =
        structures.into_iter().map(|data| Case { mode: "document", data: data.into_bytes() }).collect();
    compare(&cases);
}

/// Files of several documents, and JSON, against kubectl's decoder.
#[test]
fn streams() {
    let cases: Vec<Case> =
        strings("streams.json").into_iter().map(|data| Case { mode: "stream", data: data.into_bytes() }).collect();
    compare(&cases);
}

/// The manifests of this repository: the same in every clone.
fn manifests() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for directory in ["examples", "tests", "rules"] {
        yaml_files(&root().join(directory), &mut files);
    }
    contents(files)
}

fn contents(mut files: Vec<PathBuf>) -> Vec<Vec<u8>> {
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[test]
fn files() {
    let cases: Vec<Case> = manifests().into_iter().map(|data| Case { mode: "stream", data }).collect();
    compare(&cases);
}

/// The operators' own samples, where `WALGUARD_SHARED` names the directory that holds them.
#[test]
fn samples_of_operators() {
    let Some(shared) = std::env::var_os("WALGUARD_SHARED") else {
        eprintln!("skipped: WALGUARD_SHARED names no directory with the operators' samples");
        return;
    };
    let mut files = Vec::new();
    yaml_files(&PathBuf::from(shared).join("corpus"), &mut files);
    assert!(!files.is_empty(), "WALGUARD_SHARED has no corpus");
    compare(&contents(files).into_iter().map(|data| Case { mode: "stream", data }).collect::<Vec<_>>());
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}={text}: not a whole number")))
}

/// Manifests with a few characters replaced by those that mean something in YAML. `WALGUARD_SEED` and `WALGUARD_MUTANTS` choose
/// others and more of them (`make mutants`).
#[test]
fn mutations() {
    const BATCH: u64 = 50_000;
    let mut seeds = manifests();
    seeds.extend(strings("structures.json").into_iter().map(String::into_bytes));
    let (seed, all) = (number("WALGUARD_SEED", 1), number("WALGUARD_MUTANTS", 12_000));
    // Any seed is a state other than 0 (splitmix64's increment).
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % bound
    };
    let mut left = all;
    while left > 0 {
        let batch = left.min(BATCH);
        let cases: Vec<Case> = (0..batch).filter_map(|_| mutant(&seeds, &mut next)).collect();
        compare(&cases);
        left -= batch;
    }
}

fn mutant(seeds: &[Vec<u8>], next: &mut impl FnMut(usize) -> usize) -> Option<Case> {
    const CHARACTERS: [&str; 34] = [
        "\n", "\t", " ", ":", "-", "?", "{", "}", "[", "]", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`", "#",
        ",", "x", "\\", "\r", "0", "<", ".", "\u{feff}", "\u{85}", "\u{2028}", "é", "=", "~",
    ];
    let seed = &seeds[next(seeds.len())];
    let starts: Vec<usize> = std::iter::once(0)
        .chain(seed.windows(5).enumerate().filter(|(_, window)| *window == b"\n---\n").map(|(at, _)| at + 5))
        .collect();
    let start = starts[next(starts.len())];
    let mut data: Vec<u8> = seed[start..].iter().copied().take(1200).collect();
    if data.is_empty() {
        return None;
    }
    for _ in 0..next(6) {
        let at = next(data.len());
        if data[at].is_ascii() {
            data.splice(at..=at, CHARACTERS[next(CHARACTERS.len())].bytes());
        }
    }
    // kubectl's rules for separators and cut characters are the business of `streams`.
    let separators = data.windows(3).any(|window| window == b"---" || window == b"...");
    (!separators && std::str::from_utf8(&data).is_ok()).then_some(Case { mode: "document", data })
}
