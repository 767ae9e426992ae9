//! A server outside Kubernetes: its configuration files and what the flags say of its machine, packed into a document of
//! the kind `PostgresServer`. Which lines name a file is asked of the rules; the files are read here, as PostgreSQL does
//! it (`src/backend/utils/misc/guc-file.l`).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use walguard_engine::{Engine, PathSegment};
use walguard_manifest::{Document, Part, Source};
use walguard_report::Failure;

use crate::inputs::{self, shown};

/// The package of the rules that reads the document.
const PACKAGE: &str = "walguard.operators.server";
/// PostgreSQL's CONF_FILE_MAX_DEPTH: what the file itself includes lies 1 deep.
const MAX_DEPTH: usize = 10;
/// PostgreSQL reads as many as there are; files that include one another make millions within its depth.
const MAX_FILES: usize = 1000;
/// What ALTER SYSTEM writes. The server reads it after all others.
const AUTO_CONF: &str = "postgresql.auto.conf";
/// Files beside it that end alike and have a grammar of their own.
const OTHER_GRAMMARS: [&str; 2] = ["pg_hba.conf", "pg_ident.conf"];

/// What is known of the machine of a server.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Options for postgresql.conf")]
pub struct Facts {
    /// Version of PostgreSQL [default: PG_VERSION in the data directory, where that is here]
    #[arg(long, value_name = "VERSION")]
    pg_version: Option<String>,

    #[command(flatten)]
    machine: Machine,

    /// The filesystem of the disk of the WAL, where it is another one
    #[arg(long, value_name = "NAME[:RECORDSIZE]", requires = "wal_disk")]
    wal_filesystem: Option<String>,
}

/// The machine that a server has to itself, or is to have.
#[derive(Debug, Default, clap::Args)]
pub struct Machine {
    /// CPU cores of the machine
    #[arg(long, value_name = "CORES")]
    cpu: Option<String>,

    /// Memory of the machine: 64Gi
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,

    /// The disk of the data: ali-essd-pl1:300Gi, aws-gp3:1Ti:iops=6000,throughput=500, or 300Gi of an unknown one
    ///
    /// docs/storage.md lists the names; parameters are those that a StorageClass would have.
    #[arg(long, value_name = "[NAME:]SIZE[:KEY=VALUE,…]")]
    disk: Option<String>,

    /// The filesystem of the disks: ext4, xfs, zfs; of a ZFS dataset with its recordsize, zfs:16Ki
    #[arg(long, value_name = "NAME[:RECORDSIZE]")]
    filesystem: Option<String>,

    /// The disk of the WAL, where it has one of its own
    #[arg(long, value_name = "[NAME:]SIZE[:KEY=VALUE,…]")]
    wal_disk: Option<String>,
}

impl Facts {
    /// The flag that was given, if one was.
    pub fn first(&self) -> Option<&'static str> {
        let version = self.pg_version.as_ref().map(|_| "--pg-version");
        version.or(self.machine.first()).or(self.wal_filesystem.as_ref().map(|_| "--wal-filesystem"))
    }
}

impl Machine {
    /// The flag that was given, if one was.
    pub fn first(&self) -> Option<&'static str> {
        [
            ("--cpu", &self.cpu),
            ("--memory", &self.memory),
            ("--disk", &self.disk),
            ("--filesystem", &self.filesystem),
            ("--wal-disk", &self.wal_disk),
        ]
        .into_iter()
        .find_map(|(flag, value)| value.as_ref().map(|_| flag))
    }

    /// Whether the flags say anything of how large the machine is.
    pub const fn is_sized(&self) -> bool {
        self.cpu.is_some() || self.memory.is_some() || self.disk.is_some()
    }

    /// The machine as the `spec` of a PostgresServer; the filesystem of the WAL where it is not that of the data.
    ///
    /// # Errors
    /// When a flag has not the form of a disk.
    pub fn spec(&self, version: Option<&str>, wal_filesystem: Option<&str>) -> anyhow::Result<Map<String, Json>> {
        let values = [("version", version), ("cpu", self.cpu.as_deref()), ("memory", self.memory.as_deref())];
        let mut spec: Map<String, Json> =
            values.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))).collect();
        let mut volumes = Map::new();
        let filesystem = self.filesystem.as_deref();
        if self.disk.is_some() || filesystem.is_some() {
            volumes.insert("data".to_owned(), volume("--disk", self.disk.as_deref(), filesystem)?);
        }
        if let Some(disk) = &self.wal_disk {
            volumes.insert("wal".to_owned(), volume("--wal-disk", Some(disk), wal_filesystem.or(filesystem))?);
        }
        if !volumes.is_empty() {
            spec.insert("volumes".to_owned(), volumes.into());
        }
        Ok(spec)
    }
}

/// A volume of the `spec`, from the values of its flags.
///
/// # Errors
/// When a value has not the form of a disk.
pub fn volume(flag: &str, disk: Option<&str>, filesystem: Option<&str>) -> anyhow::Result<Json> {
    let mut volume = Map::new();
    if let Some(disk) = disk {
        let mut parts = disk.splitn(3, ':');
        let mut next = parts.next().unwrap_or_default();
        if !next.starts_with(|c: char| c.is_ascii_digit()) {
            volume.insert("disk".to_owned(), next.into());
            next = parts.next().with_context(|| format!("{flag} {disk}: add a size, such as {disk}:300Gi"))?;
        }
        volume.insert("size".to_owned(), next.into());
        let mut parameters = Map::new();
        for parameter in parts.flat_map(|rest| rest.split(',')) {
            let (key, value) =
                parameter.split_once('=').with_context(|| format!("{flag} {disk}: {parameter} is not KEY=VALUE"))?;
            parameters.insert(key.to_owned(), value.into());
        }
        if !parameters.is_empty() {
            volume.insert("parameters".to_owned(), parameters.into());
        }
    }
    if let Some(filesystem) = filesystem {
        let (name, recordsize) =
            filesystem.split_once(':').map_or((filesystem, None), |(name, size)| (name, Some(size)));
        volume.insert("filesystem".to_owned(), name.into());
        if let Some(recordsize) = recordsize {
            volume.insert("recordSize".to_owned(), recordsize.into());
        }
    }
    Ok(volume.into())
}

/// Whether a file of a command line is one of PostgreSQL's configuration, and no manifest.
pub fn is_configuration(path: &Path) -> bool {
    let name = name_of(path);
    is_whole(path) || (name.ends_with(".conf") && !OTHER_GRAMMARS.contains(&name.as_str()))
}

/// Whether a file is the one that a server begins with. Any other is taken for a part of its configuration.
pub fn is_whole(path: &Path) -> bool {
    let name = name_of(path);
    name.starts_with("postgresql")
        && name != AUTO_CONF
        && (name.ends_with(".conf") || name.ends_with(".conf.sample"))
        && path.is_file()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What came of packing.
#[derive(Debug, Default)]
pub struct Packed {
    pub documents: Vec<Document>,
    pub failures: Vec<Failure>,
    /// What was not read, and why.
    pub notes: Vec<String>,
}

/// Packs every file with the files it includes into a document. A part that another file of the run includes is left to that one.
///
/// # Errors
/// When the facts cannot be read, or the rules do not know the kind.
pub fn pack(files: &[PathBuf], facts: &Facts, engine: &mut Engine) -> anyhow::Result<Packed> {
    let spec = facts.machine.spec(facts.pg_version.as_deref(), facts.wal_filesystem.as_deref())?;
    complain(&spec, engine)?;
    let mut packed = Packed::default();
    let mut read = HashSet::new();
    let (whole, parts): (Vec<&PathBuf>, Vec<&PathBuf>) = files.iter().partition(|file| is_whole(file));
    for file in whole.into_iter().chain(parts) {
        if read.contains(&canonical(file)) {
            continue;
        }
        let mut packer = Packer {
            engine,
            spec: spec.clone(),
            parts: Vec::new(),
            read: Vec::new(),
            failures: Vec::new(),
            notes: Vec::new(),
            root: canonical(file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))),
            data: None,
            endless: false,
        };
        let document = packer.document(file)?;
        read.extend(packer.read.iter().map(|path| canonical(path)));
        packed.failures.append(&mut packer.failures);
        packed.notes.append(&mut packer.notes);
        packed.documents.extend(document);
    }
    Ok(packed)
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Ends the run where a flag says what the rules cannot read.
///
/// # Errors
/// Naming the flag.
pub fn complain(spec: &Map<String, Json>, engine: &mut Engine) -> anyhow::Result<()> {
    let Some(first) = misstated(spec, engine)? else { return Ok(()) };
    let keys: Vec<String> = first.path.iter().map(ToString::to_string).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let flag = match keys.as_slice() {
        ["spec", "version"] => "--pg-version",
        ["spec", "cpu"] => "--cpu",
        ["spec", "memory"] => "--memory",
        ["spec", "volumes", "data", "recordSize"] => "--filesystem",
        ["spec", "volumes", "wal", "recordSize"] => "--wal-filesystem",
        ["spec", "volumes", "wal", ..] => "--wal-disk",
        _ => "--disk",
    };
    bail!("{flag}: {}", first.reason)
}

/// What nobody can read in a `spec`.
#[derive(Deserialize)]
pub struct Misstated {
    pub path: Vec<PathSegment>,
    pub reason: String,
}

/// The first that the rules cannot read in a `spec`.
///
/// # Errors
/// When the rules do not know the kind.
pub fn misstated(spec: &Map<String, Json>, engine: &mut Engine) -> anyhow::Result<Option<Misstated>> {
    let input = json!({"review": {"object": resource("", spec.clone())}});
    let all: Vec<Misstated> = ask(engine, PACKAGE, "misstated", input)?;
    Ok(all.into_iter().next())
}

/// What a rule says of an input, read as a type.
///
/// # Errors
/// When the rules have no such rule, or it says something else.
pub fn ask<T: for<'de> Deserialize<'de>>(
    engine: &mut Engine,
    package: &str,
    rule: &str,
    input: Json,
) -> anyhow::Result<T> {
    let answer = engine.evaluate_rule(&format!("{package}.{rule}"), &walguard_engine::value(input));
    let answer = answer.with_context(|| format!("the rules have no {package}.{rule}"))?;
    serde_json::from_value(serde_json::to_value(&answer)?).with_context(|| format!("what {package}.{rule} says"))
}

/// The document.
pub fn resource(name: &str, spec: Map<String, Json>) -> Json {
    json!({"apiVersion": "walguard.dev/v1", "kind": "PostgresServer", "metadata": {"name": name}, "spec": spec})
}

/// A line that leads to another file.
#[derive(Deserialize)]
struct Directive {
    name: String,
    value: String,
    line: u32,
}

/// Reads the files of one server.
struct Packer<'a> {
    engine: &'a mut Engine,
    spec: Map<String, Json>,
    parts: Vec<(Part, String)>,
    read: Vec<PathBuf>,
    failures: Vec<Failure>,
    notes: Vec<String>,
    /// The directory of the first file. What lies elsewhere is not read: the file may be somebody else's, and so may be what it names.
    root: PathBuf,
    /// The last `data_directory`.
    data: Option<String>,
    /// Files include one another without end: once said, no more of them is read.
    endless: bool,
}

impl Packer<'_> {
    /// None when the file itself cannot be read.
    fn document(&mut self, file: &Path) -> anyhow::Result<Option<Document>> {
        let Some(source) = self.file(file, 0, None)? else { return Ok(None) };
        if is_whole(file) {
            self.data_directory_file(file)?;
        } else {
            self.spec.insert("fragment".to_owned(), true.into());
        }
        if !self.failures.is_empty() || !self.notes.is_empty() {
            self.spec.insert("partial".to_owned(), true.into());
        }
        let mut parts = Vec::new();
        let mut configuration = Vec::new();
        for (part, text) in self.parts.drain(..) {
            configuration.push(json!({"file": part.source.name, "firstLine": part.first_line, "text": text}));
            parts.push(part);
        }
        self.spec.insert("configuration".to_owned(), configuration.into());
        let value = resource(&source.name, std::mem::take(&mut self.spec));
        Ok(Some(Document::packed(value, source, parts)))
    }

    /// The version and ALTER SYSTEM's file, where the data directory is on this machine; a configuration may lie in it.
    fn data_directory_file(&mut self, file: &Path) -> anyhow::Result<()> {
        let beside = file.parent().unwrap_or(Path::new(""));
        let named = self.data.as_ref().map(|data| beside.join(data)).filter(|data| data.is_dir());
        let directory = named.unwrap_or_else(|| beside.to_owned());
        if !self.spec.contains_key("version")
            && directory.join("PG_VERSION").symlink_metadata().is_ok_and(|metadata| metadata.is_file())
            && let Ok(version) = fs::read_to_string(directory.join("PG_VERSION"))
        {
            self.spec.insert("version".to_owned(), version.trim().into());
        }
        let auto_conf = directory.join(AUTO_CONF);
        if auto_conf.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
            self.file(&auto_conf, 0, None)?;
        }
        Ok(())
    }

    /// Reads a file and what it includes, in the order in which the server does. `from`: the line that names it.
    fn file(
        &mut self,
        path: &Path,
        depth: usize,
        from: Option<(&Source, &Directive)>,
    ) -> anyhow::Result<Option<Arc<Source>>> {
        if let Some((source, directive)) = from
            && let Some(reason) = self.forbidden(path, directive)
        {
            self.note(source, directive, &reason);
            return Ok(None);
        }
        let bytes = match inputs::regular(path).and_then(|()| fs::read(path)) {
            Ok(bytes) => bytes,
            Err(error) => {
                let optional = from.is_some_and(|(_, directive)| directive.name == "include_if_exists");
                if !(optional && error.kind() == io::ErrorKind::NotFound) {
                    self.fail(path, from, &error.to_string());
                }
                return Ok(None);
            }
        };
        if self.read.len() >= MAX_FILES {
            if !self.endless {
                self.fail(path, from, &format!("more than {MAX_FILES} files are included"));
            }
            self.endless = true;
            return Ok(None);
        }
        self.read.push(path.to_owned());
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let directives: Vec<Directive> =
            ask(self.engine, &format!("{PACKAGE}.packing"), "directives", json!({"text": text}))?;
        let source = Arc::new(Source::new(shown(path), text));
        let mut lines = source.text.split_inclusive('\n');
        let mut first_line = 1;
        for directive in directives {
            if directive.name == "data_directory" {
                self.data = Some(directive.value);
                continue;
            }
            let before: String = lines.by_ref().take((directive.line - first_line) as usize).collect();
            self.text(&source, first_line, before);
            lines.next();
            first_line = directive.line + 1;
            self.include(path, depth + 1, &source, &directive)?;
        }
        self.text(&source, first_line, lines.collect());
        Ok(Some(source))
    }

    /// Why a file that is included is not read. A configuration may come with a pull request, and its lines are printed: it must not
    /// lead to what only this machine knows, nor to what never ends.
    fn forbidden(&self, path: &Path, directive: &Directive) -> Option<String> {
        let irregular = || (path.exists() && !path.is_file()).then(|| "it is not a regular file".to_owned());
        self.outside(path, directive).or_else(irregular)
    }

    /// Says so of what lies elsewhere, and of what is not there and would: a configuration in a repository names files of the machine or the
    /// container that it is for, which is no fault.
    fn outside(&self, path: &Path, directive: &Directive) -> Option<String> {
        let named = Path::new(&directive.value);
        let elsewhere = match path.canonicalize() {
            Ok(real) => !real.starts_with(&self.root),
            Err(_) => named.is_absolute() && !named.starts_with(&self.root),
        };
        elsewhere.then(|| format!("it is outside {}", self.root.display()))
    }

    fn note(&mut self, source: &Source, directive: &Directive, reason: &str) {
        let Directive { name, value, line } = directive;
        self.notes.push(format!("{}:{line}: {name} '{value}' was not read: {reason}", source.name));
    }

    fn text(&mut self, source: &Arc<Source>, first_line: u32, text: String) {
        if !text.trim().is_empty() {
            self.parts.push((Part { source: Arc::clone(source), first_line }, text));
        }
    }

    fn include(&mut self, file: &Path, depth: usize, source: &Source, directive: &Directive) -> anyhow::Result<()> {
        if self.endless {
            return Ok(());
        }
        let from = Some((source, directive));
        let target = file.parent().unwrap_or(Path::new("")).join(&directive.value);
        if directive.value.trim().is_empty() {
            self.fail(&target, from, "it names no file");
        } else if depth > MAX_DEPTH {
            self.endless = true;
            self.fail(&target, from, "the files include one another more than 10 deep");
        } else if directive.name != "include_dir" {
            self.file(&target, depth, from)?;
        } else if let Some(reason) = self.outside(&target, directive) {
            self.note(source, directive, &reason);
        } else {
            match directory(&target) {
                Ok(files) => {
                    for file in files {
                        self.file(&file, depth, from)?;
                    }
                }
                Err(error) => self.fail(&target, from, &error.to_string()),
            }
        }
        Ok(())
    }

    fn fail(&mut self, path: &Path, from: Option<(&Source, &Directive)>, reason: &str) {
        self.failures.push(match from {
            Some((source, directive)) => Failure {
                file: source.name.clone(),
                position: Some((directive.line, 1)),
                message: format!(
                    "{} {}: {reason}; without it the server does not start",
                    directive.name,
                    path.display()
                ),
            },
            None => Failure::new(path.display().to_string(), reason.to_owned()),
        });
    }
}

/// The files that `include_dir` reads: those that end in `.conf` and do not begin with a dot, by the bytes of their names.
fn directory(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        let name = name_of(&file);
        if name.ends_with(".conf") && !name.starts_with('.') && !file.is_dir() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}
