//! Runs the built `walguard` as a user would.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;
use tempfile::TempDir;
use walguard_engine::Catalogue;

/// What a run gave.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The JSON on standard output.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// Everything a person sees, with the exit code.
    pub fn seen(&self) -> String {
        format!(
            "{}{}exit {}",
            self.stderr,
            self.stdout,
            self.code.map_or("by signal".to_owned(), |code| code.to_string())
        )
    }
}

/// A directory to lint in, with no configuration above it that a test did not write.
pub struct Place(TempDir);

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(TempDir::new().unwrap());
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.feed(arguments, b"")
    }

    pub fn feed(&self, arguments: &[&str], stdin: &[u8]) -> Run {
        self.feed_with(arguments, stdin, &[])
    }

    /// With variables of the environment.
    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        self.feed_with(arguments, b"", variables)
    }

    fn feed_with(&self, arguments: &[&str], stdin: &[u8], variables: &[(&str, &str)]) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_walguard"))
            .args(arguments)
            .current_dir(self.path())
            .env_remove("WALGUARD_CONFIG")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("COLUMNS")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let bytes = stdin.to_vec();
        // Whether it is read or not is the command's affair.
        let writer = thread::spawn(move || drop(input.write_all(&bytes)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// All files below a directory with one of these extensions, sorted; none when there is no such directory.
pub fn files(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Does something to every item, on all cores.
pub fn each<T: Sync>(items: &[T], act: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    act(item);
                }
            });
        }
    });
}

/// The conftest that `tests/tools` pins; built when it is not there.
pub fn conftest() -> PathBuf {
    tool("conftest")
}

/// A bundle with a plan of the Rego in a directory, as users build it.
pub fn bundle(directory: &Path, entrypoints: &[&str]) -> PathBuf {
    let bundle = directory.with_extension("tar.gz");
    let output = Command::new(tool("opa"))
        .args(["build", "--target", "plan", "--ignore", "*.yaml", "--ignore", "*_test.rego", "--output"])
        .arg(&bundle)
        .args(entrypoints.iter().flat_map(|entrypoint| ["--entrypoint", entrypoint]))
        .arg(".")
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    bundle
}

/// A tool that `tests/tools` pins; built when it is not there.
pub fn tool(name: &str) -> PathBuf {
    let output = Command::new(root().join("tests/tools/build")).arg(name).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// Objects by name that can be judged in one run: no two different ones of one name.
#[derive(Default)]
pub struct Batch(pub BTreeMap<String, Value>);

impl Batch {
    fn takes(&self, objects: &BTreeMap<String, Value>) -> bool {
        objects.iter().all(|(name, object)| self.0.get(name).is_none_or(|other| other == object))
    }
}

/// What the rules read in the manifests, in as few runs as can be: each manifest has namespaces of its own.
pub fn batches(manifests: &[PathBuf], catalogue: &Catalogue) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (number, file) in manifests.iter().enumerate() {
        let reading = walguard_manifest::read(file.display().to_string(), fs::read(file).unwrap());
        assert!(reading.errors.is_empty(), "{}: {:?}", file.display(), reading.errors);
        let mut objects = BTreeMap::new();
        for document in reading.documents {
            let mut object = document.value.clone();
            let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (api_version, kind, name) = (text("/apiVersion"), text("/kind"), text("/metadata/name"));
            let Some(known) = catalogue.kinds_of(&api_version, &kind).next() else { continue };
            if known.namespaced {
                let namespace = format!("f{number}-{}", text("/metadata/namespace"));
                object["metadata"]["namespace"] = namespace.trim_end_matches('-').into();
            }
            objects.insert(format!("{api_version} {kind} {} {name}", object["metadata"]["namespace"]), object);
        }
        if !batches.iter().any(|batch| batch.takes(&objects)) {
            batches.push(Batch::default());
        }
        batches.iter_mut().find(|batch| batch.takes(&objects)).unwrap().0.extend(objects);
    }
    batches
}

/// The catalogue of the rules as they are in the repository.
pub fn catalogue() -> Catalogue {
    serde_json::from_str(&fs::read_to_string(root().join("rules/catalogue.json")).unwrap()).unwrap()
}
