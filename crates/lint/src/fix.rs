//! `--fix` and `--diff`: carry out the JSON Patch operations of findings in the text of the manifests.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::{fmt, fs};

use anyhow::Context as _;
use rayon::prelude::*;
use serde_json::Value as Json;
use similar::TextDiff;
use walguard_engine::{keys, value_at};
use walguard_manifest::Document;
use walguard_report::{Located, Place, Report, TextEdit, counted, one_line};

use crate::edit::{Edit, Operation, edited, path_of};

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed {
    /// Values that were changed.
    pub values: usize,
    pub files: usize,
    /// Values that a finding would have changed, but that cannot be changed without touching anything else.
    pub left: usize,
    /// Symbolic links among the files, which may lead out of the tree.
    pub links: usize,
}

impl Fixed {
    /// The same of what was only shown.
    pub fn shown(self) -> String {
        self.to_string().replacen("fixed", "--fix would change", 1)
    }
}

impl fmt::Display for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { values, files, left, links } = *self;
        write!(f, "fixed {} in {}", counted(values, "value", "values"), counted(files, "file", "files"))?;
        if left > 0 {
            write!(f, "; {} cannot be fixed in place", counted(left, "value", "values"))?;
        }
        if links > 0 {
            write!(f, "; {} left alone", counted(links, "symbolic link was", "symbolic links were"))?;
        }
        Ok(())
    }
}

/// A file with other contents.
pub struct Change {
    pub file: String,
    pub before: String,
    pub after: String,
    /// What was changed in it, by name.
    pub names: Vec<String>,
}

impl Change {
    /// As `diff -u` writes it, for `git apply` and `patch -p1`.
    pub fn diff(&self) -> String {
        let name = self.file.strip_prefix("./").unwrap_or(&self.file).trim_start_matches('/');
        let lines = TextDiff::from_lines(&self.before, &self.after);
        lines.unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
    }
}

/// The texts of files that are not what the disk has, by name.
pub type Texts = HashMap<String, String>;

/// After so many rounds fixes that bring others go in circles.
const ROUNDS: usize = 5;

/// Follows the fixes of a report, and those of what `again` then finds in the texts, until there is nothing more to change.
///
/// # Errors
/// Those of `again`.
pub fn follow(
    report: &Report,
    again: impl Fn(&Texts) -> anyhow::Result<Report>,
) -> anyhow::Result<(Vec<Change>, Fixed)> {
    let mut all: BTreeMap<String, Change> = BTreeMap::new();
    let mut texts = Texts::new();
    let mut fixed = Fixed::default();
    let mut next = None;
    for _ in 0..ROUNDS {
        let (changes, round) = plan(next.as_ref().unwrap_or(report), &texts);
        fixed = Fixed { values: fixed.values + round.values, ..round };
        if changes.is_empty() {
            break;
        }
        for change in changes {
            texts.insert(change.file.clone(), change.after.clone());
            match all.get_mut(&change.file) {
                Some(known) => {
                    known.after = change.after;
                    known.names.extend(change.names);
                }
                None => drop(all.insert(change.file.clone(), change)),
            }
        }
        next = Some(again(&texts)?);
    }
    let changes: Vec<Change> = all.into_values().filter(|change| change.before != change.after).collect();
    fixed.files = changes.len();
    Ok((changes, fixed))
}

/// Writes the files, and says what was changed in each: `fixed deploy/a.yaml: full_page_writes, max_wal_size`.
///
/// # Errors
/// When one cannot be written.
pub fn write(changes: &[Change]) -> anyhow::Result<()> {
    for Change { file, after, names, .. } in changes {
        fs::write(file, after).with_context(|| format!("cannot write {file}"))?;
        let mut seen = HashSet::new();
        let names: Vec<String> = names.iter().filter(|name| seen.insert(*name)).map(|name| one_line(name)).collect();
        anstream::eprintln!("fixed {file}: {}", names.join(", "));
    }
    Ok(())
}

/// The smallest edit that makes one text of another: bytes of the first, and what stands there in the second.
#[must_use]
pub fn smallest_edit<'a>(before: &str, after: &'a str) -> (Range<usize>, &'a str) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = before.chars().zip(after.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&before[head..], &after[head..]);
    let tail: usize = old.chars().rev().zip(new.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (head..before.len() - tail, &new[..new.len() - tail])
}

/// Adds to a report what the fix of each finding would change in its file.
pub fn attach(report: &mut Report) {
    let source_of = |found: &Located| match found.place {
        Place::Document { index, .. } if !found.finding.fix.is_empty() => Some(&report.documents.get(index)?.source),
        _ => None,
    };
    // A file has many findings.
    let names: HashSet<&str> =
        report.findings.iter().filter_map(source_of).map(|source| source.name.as_str()).collect();
    let files: HashMap<&str, Vec<u8>> =
        names.into_iter().filter_map(|name| Some((name, fs::read(name).ok()?))).collect();
    let edit = |found: &Located| {
        // What was rendered stands in no file.
        let source = source_of(found)
            .filter(|source| files.get(source.name.as_str()).is_some_and(|text| text == source.text.as_bytes()))?;
        let Change { before, after, .. } = of_file(report, [found], &source.name)?;
        let (bytes, text) = smallest_edit(&before, &after);
        Some(TextEdit { source: Arc::clone(source), bytes, text: text.to_owned() })
    };
    let findings = report.findings.par_iter().enumerate();
    let edits = findings.filter_map(|(number, found)| Some((number, edit(found)?))).collect();
    report.edits = edits;
}

/// What a finding would change in a document.
struct Proposal<'r> {
    document: &'r Document,
    /// Carried out together or not at all: half of a cure may be worse than none. `None` of what cannot be written into a text.
    operations: Option<Vec<Operation>>,
    /// How many of them no finding before it has.
    fresh: usize,
    /// What they change, by name.
    names: Vec<String>,
}

impl Proposal<'_> {
    fn edited(&self, text: &str) -> Option<String> {
        let file = &self.document.source.name;
        self.operations.as_ref()?.iter().try_fold(text.to_owned(), |text, operation| edited(file, &text, operation))
    }
}

/// What findings propose. They come worst first: of two that would change one value in two ways the worse has its way.
fn proposals<'r>(report: &'r Report, findings: impl IntoIterator<Item = &'r Located>) -> Vec<Proposal<'r>> {
    let mut proposals = Vec::new();
    let mut known: HashMap<(usize, &str), &Json> = HashMap::new();
    for found in findings.into_iter().filter(|found| found.finding.counts()) {
        let Place::Document { index, .. } = found.place else { continue };
        let Some(document) = report.documents.get(index) else { continue };
        let fix = &found.finding.fix;
        let places = |operation: &'r Json| ["path", "from"].map(|name| field(operation, name)).into_iter().flatten();
        let differs = |operation: &'r Json| {
            places(operation).any(|place| known.get(&(index, place)).is_some_and(|known| *known != operation))
        };
        if fix.iter().any(differs) {
            continue;
        }
        let mut add = |operation: &'r Json| {
            let new = places(operation).map(|place| known.insert((index, place), operation).is_none());
            new.fold(false, |any, new| any | new)
        };
        let fresh = fix.iter().filter(|operation| add(operation)).count();
        if fresh == 0 {
            continue;
        }
        let operations: Option<Vec<Vec<Operation>>> = match document.is_packed() {
            true => None,
            false => fix.iter().map(|operation| operations(operation, document)).collect(),
        };
        let operations = operations.map(|all| all.into_iter().flatten().collect());
        let names = fix.iter().filter_map(|operation| name(operation, document)).collect();
        proposals.push(Proposal { document, operations, fresh, names });
    }
    proposals
}

fn field<'r>(operation: &'r Json, name: &str) -> Option<&'r str> {
    operation.get(name).and_then(Json::as_str)
}

/// What an operation changes, as people call it: its key, or what the key `value` is that of.
fn name(operation: &Json, document: &Document) -> Option<String> {
    let pointer = field(operation, "path")?;
    let (key, (parent, _)) = (keys(pointer).last()?, pointer.rsplit_once('/')?);
    let entry = document.value.pointer(parent).filter(|_| key == "value");
    let called = entry.and_then(|entry| field(entry, "name").or_else(|| field(entry, "key")));
    Some(called.map_or(key, str::to_owned))
}

/// An operation of JSON Patch, as the edits of a text that it comes to.
fn operations(operation: &Json, document: &Document) -> Option<Vec<Operation>> {
    let path = path_of(field(operation, "path")?, &document.value);
    let at = |path, edit| Operation { document: document.index, path, edit };
    Some(match field(operation, "op")? {
        "add" | "replace" => vec![at(path, Edit::Put(operation.get("value")?.clone()))],
        "remove" => vec![at(path, Edit::Remove)],
        "move" => {
            let from = path_of(field(operation, "from")?, &document.value);
            let ((name, parent), (_, own)) = (path.split_last()?, from.split_last()?);
            match parent == own {
                true => vec![at(from, Edit::Rename(name.to_string()))],
                false => {
                    let value = value_at(&document.value, &from)?.clone();
                    vec![at(path, Edit::Put(value)), at(from, Edit::Remove)]
                }
            }
        }
        _ => return None,
    })
}

/// What files would hold, changed as the findings of a report propose, of which `texts` are not on the disk.
fn plan(report: &Report, texts: &Texts) -> (Vec<Change>, Fixed) {
    let mut changes = Vec::new();
    let mut fixed = Fixed::default();
    let mut by_file: BTreeMap<&str, Vec<Proposal<'_>>> = BTreeMap::new();
    for proposal in proposals(report, &report.findings) {
        by_file.entry(&proposal.document.source.name).or_default().push(proposal);
    }
    for (file, proposals) in by_file {
        let before = proposals[0].document.source.text.as_str();
        let all = proposals.iter().map(|proposal| proposal.fresh).sum::<usize>();
        if fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_symlink()) {
            fixed.links += 1;
            fixed.left += all;
            continue;
        }
        // What was read is not what is written there: no UTF-8, rendered, or changed in the meantime.
        if !texts.contains_key(file) && fs::read(file).is_ok_and(|now| now != before.as_bytes()) {
            fixed.left += all;
            continue;
        }
        let (mut text, mut names) = (before.to_owned(), Vec::new());
        for proposal in proposals {
            match proposal.edited(&text) {
                Some(edited) => {
                    text = edited;
                    fixed.values += proposal.fresh;
                    names.extend(proposal.names);
                }
                None => fixed.left += proposal.fresh,
            }
        }
        if text != before {
            changes.push(Change { file: file.to_owned(), before: before.to_owned(), after: text, names });
        }
    }
    (changes, fixed)
}

/// What a file would hold, changed as some findings of a report propose. The text of the report counts, whatever is on the disk. `None`
/// where nothing can be changed.
pub fn of_file<'r>(report: &'r Report, findings: impl IntoIterator<Item = &'r Located>, file: &str) -> Option<Change> {
    let mut proposals = proposals(report, findings);
    proposals.retain(|proposal| proposal.document.source.name == file);
    let before = proposals.first()?.document.source.text.clone();
    let after = proposals.iter().fold(before.clone(), |text, proposal| proposal.edited(&text).unwrap_or(text));
    let change = Change { file: file.to_owned(), before, after, names: Vec::new() };
    Some(change).filter(|change| change.before != change.after)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;
    use walguard_manifest as manifest;

    use super::*;

    #[test]
    fn a_change_is_shown_as_a_patch() {
        let [before, after] = ["a: 1\nb: 2\n", "a: 1\nb: 3\n"].map(str::to_owned);
        let change = Change { file: "./a/b.yaml".to_owned(), before, after, names: Vec::new() };
        assert_eq!(change.diff(), "--- a/a/b.yaml\n+++ b/a/b.yaml\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 3\n");
    }

    #[test]
    fn a_value_moves_to_where_it_counts() {
        let text = "s:\n  jit: off # why\n  p:\n    a: \"1\"\n";
        let document = &manifest::read("a.yaml", text.as_bytes().to_vec()).documents[0];
        let moved = |path: &str| {
            let operation = json!({"op": "move", "from": "/s/jit", "path": path});
            let all = operations(&operation, document).unwrap();
            all.iter().try_fold(text.to_owned(), |text, operation| edited("a.yaml", &text, operation))
        };
        assert_eq!(moved("/s/p/jit").unwrap(), "s:\n  p:\n    jit: false\n    a: \"1\"\n");
        assert_eq!(moved("/s/fsync").unwrap(), text.replace("jit", "fsync"));
        assert_eq!(moved("/s/p"), None, "something else is there");
    }
}
