//! What an editor asks for: the findings of files that are open in it and not saved yet, their fixes, and what may be written at a place.
//!
//! No program is started: a folder that somebody opens may come from anywhere. Overlays and charts count as they are written.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard_engine::{Catalogue, Engine, PathSegment};
use walguard_manifest::ReadError;
use walguard_report::{Located, Report};

pub use crate::comments::ignoring;
use crate::config::Policies;
use crate::context::Surroundings;
pub use crate::fix::smallest_edit;
use crate::fix::{self, Change};
use crate::inputs::{self, Wanted};
use crate::lint::Job;
use crate::options::Run;
use crate::render::Render;
use crate::walk::{self, absolute};
pub use crate::yaml::is_itself;
use crate::{config, judgement, server};

/// The package of the rules that knows what may be written.
const PACKAGE: &str = "walguard.editor";
/// A folder in which more entries than this have to be looked at for manifests is not read at every keystroke.
const MANY_ENTRIES: usize = 20_000;
/// Nor is one with more manifests.
const MANY_FILES: usize = 1_000;
/// Of a folder with more manifests only those that are open are judged; the others are looked up.
const FEW_FILES: usize = 200;

/// The texts of open files, by absolute path.
pub type Open = BTreeMap<PathBuf, String>;

/// What parameters of PostgreSQL may be written in an object, and where.
#[derive(Clone, Debug, Deserialize)]
pub struct Parameters {
    /// Where maps of parameters stand, or would stand.
    pub paths: Vec<Vec<PathSegment>>,
    /// What the operator's schema takes for a value: `text`, `text or integer` or `any`.
    pub values: String,
    pub operator: String,
    pub major: Option<u32>,
    pub known: BTreeMap<String, Parameter>,
}

/// A parameter, as the catalogue of a major version has it.
#[derive(Clone, Debug, Deserialize)]
pub struct Parameter {
    /// `bool`, `integer`, `real`, `enum` or `string`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When a change counts: `postmaster`, `sighup` …
    pub context: String,
    pub unit: Option<String>,
    pub default: Option<String>,
    pub min: Option<Json>,
    pub max: Option<Json>,
    #[serde(default, rename = "enum")]
    pub values: Vec<String>,
    /// What the operator sets where nothing is written; empty where it computes it.
    pub operator_default: Option<String>,
}

/// The linter, for somebody who asks again and again.
pub struct Workspace {
    run: Run,
    wanted: Wanted,
    rules: walk::Rules,
    engine: Engine,
    /// Folders that are too large to be read at every keystroke.
    large: HashSet<PathBuf>,
}

impl Workspace {
    /// With checks of a bundle beside the embedded ones, and a configuration for all files.
    ///
    /// # Errors
    /// When the rules cannot be used.
    pub fn new(bundle: Option<&Path>, config: Option<PathBuf>) -> anyhow::Result<Self> {
        let run = Run::unprinted(bundle, config)?;
        let wanted = Wanted::new(&run.catalogue);
        let rules = walk::Rules { budget: Some(MANY_ENTRIES), ..walk::Rules::default() };
        let engine = judgement::engine(&run.rules).context("the rules cannot be used")?;
        Ok(Self { run, wanted, rules, engine, large: HashSet::new() })
    }

    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.run.catalogue
    }

    /// What is found in open files, and in what lies in their folders. The folder of a file is the innermost one that it is in; of a file
    /// that is in none, and in a folder that is too large, its neighbours count.
    ///
    /// # Errors
    /// When a configuration cannot be read.
    pub fn lint(&mut self, folders: &[PathBuf], open: &Open) -> anyhow::Result<Report> {
        let mut found = walk::Found::default();
        let mut narrow: BTreeSet<&Path> = BTreeSet::new();
        let mut wide: BTreeSet<&PathBuf> = BTreeSet::new();
        for file in open.keys().filter(|file| walk::has_manifest_name(file)) {
            let folder =
                folders.iter().filter(|folder| file.starts_with(folder)).max_by_key(|folder| folder.as_os_str().len());
            match folder {
                Some(folder) if !self.large.contains(folder) => drop(wide.insert(folder)),
                _ => narrow.extend(file.parent()),
            }
        }
        for folder in wide {
            let all = walk::find(std::slice::from_ref(folder), &self.rules);
            if all.cut || all.files.len() > MANY_FILES {
                self.large.insert(folder.clone());
                narrow.extend(open.keys().filter(|file| file.starts_with(folder)).filter_map(|file| file.parent()));
            } else {
                found.files.extend(all.files);
            }
        }
        found.files.extend(narrow.into_iter().flat_map(neighbours));
        found.files.retain(|file| !server::is_configuration(&file.path));
        // What is not on the disk yet.
        let unsaved = open.keys().filter(|file| !file.exists() && walk::has_manifest_name(file));
        found.files.extend(unsaved.map(|file| walk::File::new(file.clone(), false)));
        found.files.sort();
        found.files.dedup();
        for file in &mut found.files {
            file.text = open.get(&absolute(&file.path)).cloned();
        }
        let only: HashSet<String> = match found.files.len() > FEW_FILES {
            true => open.keys().map(|file| inputs::shown(file)).collect(),
            false => HashSet::new(),
        };
        let facts = server::Facts::default();
        let mut policies = Policies::new(self.run.config.as_ref(), &self.run.catalogue)?;
        let (run, wanted, rules) = (&self.run, &self.wanted, &self.rules);
        let job = Job { run, wanted, rules, render: Render::Nothing, facts: &facts, former: None, only };
        job.report(found, Surroundings::default(), &mut policies)
    }

    /// What is wrong with the text of a policy configuration; `None` for another file.
    #[must_use]
    pub fn mistakes(&self, file: &Path, text: &str) -> Option<Vec<ReadError>> {
        let name = file.file_name().filter(|name| config::is_name(name))?;
        let read = config::parse(&name.to_string_lossy(), text.as_bytes().to_vec(), &self.run.catalogue);
        Some(read.err().unwrap_or_default())
    }

    /// What parameters may be written in an object; `None` where there are none to be written.
    #[must_use]
    pub fn parameters(&mut self, object: &Json) -> Option<Parameters> {
        let input = json!({"review": {"object": object}});
        server::ask(&mut self.engine, PACKAGE, "parameters", input).ok()
    }
}

/// What a file would hold with the fixes of some findings, as `--fix` makes them; the disk is not looked at. `None` where there is nothing
/// to change in it.
#[must_use]
pub fn fixed<'r>(report: &'r Report, findings: impl IntoIterator<Item = &'r Located>, file: &str) -> Option<Change> {
    fix::of_file(report, findings, file)
}

/// The manifests beside a file.
fn neighbours(directory: &Path) -> Vec<walk::File> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MANY_FILES);
    let paths = entries.map(|entry| entry.path()).filter(|path| {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        !hidden && walk::has_manifest_name(path) && path.is_file()
    });
    paths.map(|path| walk::File::new(path, false)).collect()
}
