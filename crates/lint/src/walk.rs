//! The files behind the paths of a command line, and what was passed over on the way to them.
//!
//! As with ruff: what .gitignore and .ignore name and what is hidden is not read, `exclude` takes patterns of .gitignore, and
//! a file that is named itself is read all the same unless `--force-exclude` is given. Unlike it, a run says what it passed over.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use walguard_report::{Failure, Reason, Skipped};

use crate::server;

/// The files of a directory that are read.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];
/// Files of programs that write manifests.
const PROGRAMS: [&str; 6] = ["jsonnet", "libsonnet", "cue", "tpl", "gotmpl", "j2"];
/// Where version control keeps its own; nobody looks for manifests there.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// What is passed over besides hidden paths.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Patterns of `--exclude`, from the working directory.
    pub exclude: Option<Gitignore>,
    /// Patterns hold for files that are named themselves, too.
    pub force_exclude: bool,
    /// .gitignore and .ignore do not count.
    pub no_gitignore: bool,
    /// How many entries of directories are looked at; all of them without a number.
    pub budget: Option<usize>,
}

impl Rules {
    /// # Errors
    /// When a pattern is not one of .gitignore.
    pub fn new(exclude: &[String], force_exclude: bool, no_gitignore: bool) -> anyhow::Result<Self> {
        let here = std::env::current_dir()?;
        let exclude = (!exclude.is_empty()).then(|| patterns(&here, exclude)).transpose()?;
        Ok(Self { exclude, force_exclude, no_gitignore, budget: None })
    }

    fn excludes(&self, path: &Path, is_dir: bool) -> bool {
        self.exclude.as_ref().is_some_and(|patterns| excludes(patterns, path, is_dir))
    }
}

/// Patterns as in a .gitignore of a directory.
///
/// # Errors
/// When one of them is none.
pub fn patterns(root: &Path, lines: &[String]) -> Result<Gitignore, ignore::Error> {
    let mut builder = GitignoreBuilder::new(root);
    for line in lines {
        builder.add_line(None, line)?;
    }
    builder.build()
}

/// Whether patterns name a path or a directory above it. What lies elsewhere they cannot mean.
pub fn excludes(patterns: &Gitignore, path: &Path, is_dir: bool) -> bool {
    let absolute = absolute(path);
    absolute.starts_with(patterns.path()) && patterns.matched_path_or_any_parents(&absolute, is_dir).is_ignore()
}

/// A path from the root, without `.` and `..`, so that patterns and directories above it can be found by its text.
pub fn absolute(path: &Path) -> PathBuf {
    // The parent of a file that is named alone is the working directory.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in full.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            _ => plain.push(part),
        }
    }
    plain
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    pub path: PathBuf,
    /// On the command line itself, not found in a directory.
    pub named: bool,
    /// What counts in place of what is on the disk: an editor's buffer.
    pub text: Option<String>,
}

impl File {
    /// A file on the disk.
    #[must_use]
    pub const fn new(path: PathBuf, named: bool) -> Self {
        Self { path, named, text: None }
    }
}

/// What came of looking.
#[derive(Debug, Default)]
pub struct Found {
    /// Each once, by name.
    pub files: Vec<File>,
    /// Those of programs that may write manifests.
    pub programs: Vec<PathBuf>,
    pub skipped: Vec<Skipped>,
    pub failures: Vec<Failure>,
    /// How many entries of directories were looked at, and whether there were more than may be.
    entries: usize,
    pub cut: bool,
}

/// The files behind paths. Standard input is kept as it is.
pub fn find(paths: &[PathBuf], rules: &Rules) -> Found {
    let mut found = Found::default();
    for path in paths {
        let path = tidy(path);
        if path.is_dir() {
            Walker::new(&path, rules, &mut found).directory(&path, &mut Vec::new());
        } else if rules.force_exclude && rules.excludes(&path, false) {
            found.skip(Reason::Excluded, &path);
        } else {
            found.files.push(File::new(path, true));
        }
    }
    // A file counts as named if it is so once, whatever directory it was found in as well.
    found.files.sort_by(|a, b| a.path.cmp(&b.path).then(b.named.cmp(&a.named)));
    let mut seen = HashSet::new();
    found.files.retain(|file| seen.insert(file.path.clone()));
    found.programs.sort();
    found.programs.dedup();
    found.skipped.sort();
    found.skipped.dedup();
    found
}

/// A path without the `./` that people and walks put before it.
pub fn tidy(path: &Path) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(rest) if !rest.as_os_str().is_empty() => rest.to_path_buf(),
        _ => path.to_path_buf(),
    }
}

pub fn has_manifest_name(path: &Path) -> bool {
    path.extension().is_some_and(|found| EXTENSIONS.iter().any(|extension| found == *extension))
}

impl Found {
    fn skip(&mut self, reason: Reason, path: &Path) {
        self.skipped.push(Skipped { reason, path: tidy(path).display().to_string() });
    }
}

struct Walker<'a> {
    rules: &'a Rules,
    found: &'a mut Found,
    /// Of the directories above the first one, and of the user.
    above: Vec<Gitignore>,
    /// In a working tree of git; .gitignore means nothing elsewhere.
    git: bool,
    /// Where links to files may lead: the working tree, or the directory that was given.
    real: Option<PathBuf>,
}

impl<'a> Walker<'a> {
    fn new(root: &Path, rules: &'a Rules, found: &'a mut Found) -> Self {
        let root = absolute(root);
        let top = root.ancestors().find(|directory| directory.join(".git").exists());
        let real = top.unwrap_or(&root).canonicalize().ok();
        let mut walker = Self { rules, found, above: Vec::new(), git: top.is_some(), real };
        if rules.no_gitignore {
            return walker;
        }
        if let Some(top) = top {
            walker.above.push(Gitignore::global().0);
            let mut exclude = GitignoreBuilder::new(top);
            exclude.add(top.join(".git/info/exclude"));
            walker.above.extend(exclude.build());
            let mut between: Vec<&Path> =
                root.ancestors().skip(1).take_while(|directory| directory.starts_with(top)).collect();
            between.reverse();
            for directory in between {
                let own = walker.ignores(directory);
                walker.above.extend(own);
            }
        }
        walker
    }

    /// What the files in a directory say of it and what is below.
    fn ignores(&self, directory: &Path) -> Option<Gitignore> {
        let names = [".gitignore", ".ignore"];
        let files: Vec<PathBuf> = names
            .iter()
            .filter(|name| self.git || **name == ".ignore")
            .map(|name| directory.join(name))
            .filter(|file| file.is_file())
            .collect();
        if files.is_empty() || self.rules.no_gitignore {
            return None;
        }
        let mut builder = GitignoreBuilder::new(absolute(directory));
        for file in files {
            builder.add(file);
        }
        builder.build().ok()
    }

    /// Whether a link leads out of the tree, to what is nobody's manifest here: `/proc/self/environ`.
    fn leads_out(&self, path: &Path) -> bool {
        let target = path.canonicalize();
        target.is_ok_and(|target| self.real.as_ref().is_none_or(|real| !target.starts_with(real)))
    }

    fn is_ignored(&self, path: &Path, is_dir: bool, inner: &[Gitignore]) -> bool {
        let path = absolute(path);
        for patterns in self.above.iter().chain(inner).rev() {
            // A pattern says nothing of what lies outside of its directory.
            if !path.starts_with(patterns.path()) {
                continue;
            }
            match patterns.matched(&path, is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    fn directory(&mut self, directory: &Path, inner: &mut Vec<Gitignore>) {
        let entries = fs::read_dir(directory).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                self.found.failures.push(Failure::new(directory.display().to_string(), error.to_string()));
                return;
            }
        };
        self.found.entries += entries.len();
        if self.rules.budget.is_some_and(|budget| self.found.entries > budget) {
            self.found.cut = true;
            return;
        }
        entries.sort_by_key(fs::DirEntry::file_name);
        let own = self.ignores(directory);
        let depth = inner.len();
        inner.extend(own);
        for entry in entries {
            let path = tidy(&entry.path());
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            let linked_dir = kind.is_symlink() && path.is_dir();
            let is_dir = kind.is_dir() || linked_dir;
            let program = !is_dir && is_program(&path);
            let wanted = is_dir || ((program || has_manifest_name(&path) || server::is_whole(&path)) && path.is_file());
            if !wanted || VERSION_CONTROL.iter().any(|own| name == *own) {
                continue;
            }
            let reason = if self.is_ignored(&path, is_dir, inner) {
                Some(Reason::Ignored)
            } else if self.rules.excludes(&path, is_dir) {
                Some(Reason::Excluded)
            } else if name.to_string_lossy().starts_with('.') {
                Some(Reason::Hidden)
            } else if linked_dir || kind.is_symlink() && self.leads_out(&path) {
                Some(Reason::Link)
            } else {
                None
            };
            match reason {
                Some(Reason::Hidden) if is_dir && !holds_manifests(&path) => {}
                // The configuration that is in force is no file that was passed over.
                Some(Reason::Hidden) if crate::config::is_name(&name) => {}
                // What a program would write is left out anyway.
                Some(_) if program => {}
                None if program => self.found.programs.push(path),
                Some(reason) => self.found.skip(reason, &path),
                None if is_dir => self.directory(&path, inner),
                None => self.found.files.push(File::new(path, false)),
            }
        }
        inner.truncate(depth);
    }
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|found| PROGRAMS.iter().any(|extension| found == *extension))
}

/// Whether there is anything in a directory that would be read if it were not hidden.
fn holds_manifests(directory: &Path) -> bool {
    fs::read_dir(directory).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => holds_manifests(&path),
            Ok(_) => has_manifest_name(&path),
            Err(_) => false,
        }
    })
}

/// The names of the file that makes a directory a chart.
const CHART: [&str; 2] = ["Chart.yaml", "Chart.yml"];

/// Whether a file makes a chart of a directory that has no templates of its own.
pub fn is_parent_chart(file: &Path) -> bool {
    let named = file.file_name().is_some_and(|name| CHART.iter().any(|own| name == *own));
    named && !file.with_file_name("templates").is_dir()
}

/// Whether a file lies with the Chart.yaml of a chart, or in the directory of its tests (`ci`): values there are that chart's own.
pub fn belongs_to_chart(file: &Path) -> bool {
    let directory = file.parent().unwrap_or(Path::new(""));
    let is_chart = |directory: &Path| CHART.iter().any(|name| directory.join(name).is_file());
    is_chart(directory) || directory.ends_with("ci") && directory.parent().is_some_and(is_chart)
}

/// Charts, by what lies beside a file: `templates/` under a directory with a Chart.yaml.
#[derive(Default)]
pub struct Charts {
    /// Whether a directory holds a Chart.yaml.
    known: HashMap<PathBuf, bool>,
}

impl Charts {
    /// The outermost chart among whose templates or sub-charts a file is.
    pub fn of(&mut self, file: &Path) -> Option<PathBuf> {
        let mut chart = None;
        let mut below: Option<&Path> = None;
        for directory in file.ancestors().skip(1) {
            let part = below.and_then(Path::file_name);
            let templates = part.is_some_and(|name| name == "templates" || name == "charts" || name == "crds");
            if templates && self.is_chart(directory) {
                chart = Some(directory.to_path_buf());
            }
            below = Some(directory);
        }
        chart
    }

    fn is_chart(&mut self, directory: &Path) -> bool {
        if let Some(known) = self.known.get(directory) {
            return *known;
        }
        let is = CHART.iter().any(|name| directory.join(name).is_file()) && directory.join("templates").is_dir();
        self.known.insert(directory.to_path_buf(), is);
        is
    }
}
