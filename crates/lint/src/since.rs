//! `--since`: the findings of a revision of git, so that a run fails only on what a change makes worse.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value as Json;
use tempfile::TempDir;
use walguard_engine::{Action, Finding, PathSegment, ResourceRef, Value};
use walguard_manifest::Document;
use walguard_report::{Located, Report};

use crate::judgement::reference;
use crate::program;
use crate::sight::normal;
use crate::walk::absolute;

/// The files of a revision, in a directory that goes with it.
pub struct Revision {
    /// Of the repository.
    root: PathBuf,
    tree: PathBuf,
    /// Holds the tree. Of a name that nobody can foresee: whoever could write there would choose what counts as known.
    _directory: TempDir,
}

impl Revision {
    /// Checks a revision out beside the repository that a path lies in. No hook runs.
    ///
    /// # Errors
    /// When there is no git, no repository or no such revision.
    pub fn check_out(revision: &str, path: &Path) -> anyhow::Result<Self> {
        let inside = absolute(path);
        let inside = if inside.is_dir() { inside } else { inside.parent().map_or(inside.clone(), Path::to_path_buf) };
        let root = git(&inside, &["rev-parse", "--show-toplevel"])?;
        let root = PathBuf::from(root.trim_end_matches('\n'));
        let commit = format!("{revision}^{{commit}}");
        let commit = git(&root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .with_context(|| format!("--since: {revision} is not a revision of {}", root.display()))?;
        let directory = tempfile::Builder::new().prefix("walguard-since-").tempdir();
        let directory = directory.context("--since: there is no room for a temporary directory")?;
        let tree = directory.path().canonicalize()?.join("tree");
        let place = tree.to_str().context("--since: the temporary directory has no plain name")?;
        let hooks = ["-c", "core.hooksPath=/dev/null"];
        git(&root, &[&hooks[..], &["worktree", "add", "--quiet", "--detach", place, commit.trim()]].concat())?;
        Ok(Self { root, tree, _directory: directory })
    }

    /// Where the files of these paths are in the revision; those that it does not have are left out.
    ///
    /// # Errors
    /// When a path lies outside the repository.
    pub fn paths(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let mut there = Vec::new();
        for path in paths {
            let Some(old) = self.path(path) else {
                bail!("--since: {} is not in the repository {}", path.display(), self.root.display());
            };
            if old.exists() {
                there.push(old);
            }
        }
        Ok(there)
    }

    /// Where a path of the repository would be; None for one outside it.
    pub fn path(&self, path: &Path) -> Option<PathBuf> {
        let real = absolute(path);
        let real = real.canonicalize().unwrap_or(real);
        Some(self.tree.join(real.strip_prefix(&self.root).ok()?))
    }
}

impl Drop for Revision {
    fn drop(&mut self) {
        if let Some(tree) = self.tree.to_str() {
            let _ = git(&self.root, &["worktree", "remove", "--force", tree]);
        }
    }
}

fn git(directory: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let directory = directory.to_str().context("--since: a directory of this name cannot be given to git")?;
    let output = program::output("git", &[&["-C", directory], arguments].concat());
    let output = output.map_err(|error| anyhow::anyhow!("--since: {error}"))?;
    String::from_utf8(output).context("--since: git answers no text")
}

/// What makes two findings the same: the check, the object and the place in it, whatever the file is called and the list's order is.
type Key = (String, ResourceRef, Vec<String>);

/// `root` is where the files were read.
fn key(finding: &Finding, root: &Path) -> Key {
    let keys = finding.path.iter().filter(|segment| matches!(segment, PathSegment::Key(_)));
    let resource = identity(finding.resource.clone(), root);
    (finding.check.clone(), resource, keys.map(ToString::to_string).collect())
}

/// What an object is called in every revision.
fn identity(resource: ResourceRef, root: &Path) -> ResourceRef {
    let mut resource = normal(resource);
    // A server outside Kubernetes is called by its file.
    if resource.api_version.starts_with("walguard.dev/") {
        resource.name = below(&resource.name, root);
    }
    resource
}

/// The name of a file in its repository.
fn below(name: &str, root: &Path) -> String {
    let path = absolute(Path::new(name));
    path.strip_prefix(root).map_or(name.to_owned(), |below| below.display().to_string())
}

/// The objects of a revision, for the checks of what a change does.
pub struct Former {
    /// Of the repository.
    root: PathBuf,
    /// Each with the file that it was in.
    objects: HashMap<ResourceRef, Vec<(String, Json)>>,
}

impl Former {
    pub fn new(before: &Report, old: &Revision) -> Self {
        let mut objects: HashMap<ResourceRef, Vec<(String, Json)>> = HashMap::new();
        for document in &before.documents {
            let known = objects.entry(identity(reference(&document.value), &old.tree)).or_default();
            known.push((below(&document.source.name, &old.tree), document.value.clone()));
        }
        Self { root: old.root.clone(), objects }
    }

    /// What an object was, if it was another. Of several objects of one name – overlays define them – it is the one in the same file.
    pub fn of(&self, document: &Document) -> Option<Value> {
        let known = self.objects.get(&identity(reference(&document.value), &self.root))?;
        let same = |objects: &[&Json]| objects.iter().all(|object| *object == objects[0]);
        let all: Vec<&Json> = known.iter().map(|(_, object)| object).collect();
        let file = below(&document.source.name, &self.root);
        let here: Vec<&Json> = known.iter().filter(|(name, _)| *name == file).map(|(_, object)| object).collect();
        let candidates = if here.is_empty() { all } else { here };
        let former = candidates.first().filter(|_| same(&candidates))?;
        (**former != document.value).then(|| walguard_engine::value((*former).clone()))
    }
}

/// A report without the findings that a revision had and that are no worse now; their number is noted.
pub fn worse(report: Report, before: &Report, old: &Revision, revision: &str) -> Report {
    let mut known: HashMap<Key, Vec<Action>> = HashMap::new();
    for Located { finding, .. } in &before.findings {
        known.entry(key(finding, &old.tree)).or_default().push(finding.action);
    }
    let Report { documents, objects, findings, failures, skipped, mut notes, partial, summary, pictures, .. } = report;
    let all = findings.len();
    let findings: Vec<Located> = findings
        .into_iter()
        .filter(|Located { finding, .. }| {
            let Some(actions) = known.get_mut(&key(finding, &old.root)) else { return true };
            match actions.iter().position(|action| *action >= finding.action) {
                Some(at) => {
                    actions.swap_remove(at);
                    false
                }
                None => true,
            }
        })
        .collect();
    if all > findings.len() {
        notes.push(match all - findings.len() {
            1 => format!("1 finding is not shown: {revision} has it too"),
            known => format!("{known} findings are not shown: {revision} has them too"),
        });
    }
    Report::new(documents, objects, findings, failures, summary).with(skipped, notes).partly(partial).drawn(pictures)
}
