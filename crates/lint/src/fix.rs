//! `--fix` and `--diff`: carry out the JSON Patch operations of findings in the text of the manifests, so that comments, order and
//! style stay. Whether an edit does what it should is not guessed: the text is read again, and the edit is dropped unless
//! exactly the one value has changed.

use std::collections::{BTreeMap, HashMap};
use std::{fmt, fs};

use anyhow::Context as _;
use serde_json::{Map, Value as Json};
use similar::TextDiff;
use walguard_engine::{PathSegment, value_at};
use walguard_manifest::{self as manifest, Document, Written};
use walguard_report::{Located, Place, Report, counted};

use crate::yaml;

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

/// An operation on a document of a file: the value is put where the path leads, which need not be there yet.
pub struct Operation {
    /// Index of the document in its file.
    pub document: usize,
    pub path: Vec<PathSegment>,
    pub value: Json,
}

/// A file with other contents.
pub struct Change {
    pub file: String,
    pub before: String,
    pub after: String,
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
    let mut before = BTreeMap::new();
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
            before.entry(change.file.clone()).or_insert(change.before);
            texts.insert(change.file, change.after);
        }
        next = Some(again(&texts)?);
    }
    let changes: Vec<Change> = before
        .into_iter()
        .filter_map(|(file, before)| Some(Change { after: texts.remove(&file)?, file, before }))
        .filter(|change| change.before != change.after)
        .collect();
    fixed.files = changes.len();
    Ok((changes, fixed))
}

/// Writes the files.
///
/// # Errors
/// When one cannot be written.
pub fn write(changes: &[Change]) -> anyhow::Result<()> {
    changes.iter().try_for_each(|Change { file, after, .. }| {
        fs::write(file, after).with_context(|| format!("cannot write {file}"))
    })
}

/// What a finding would change in a document.
struct Proposal<'r> {
    document: &'r Document,
    /// Carried out together or not at all: half of a cure may be worse than none. `None` of what cannot be written into a text.
    operations: Option<Vec<Operation>>,
    /// How many of them no finding before it has.
    fresh: usize,
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
    let mut values: HashMap<(usize, &str), Option<&Json>> = HashMap::new();
    for found in findings.into_iter().filter(|found| found.finding.counts()) {
        let Place::Document { index, .. } = found.place else { continue };
        let Some(document) = report.documents.get(index) else { continue };
        let field = |operation: &'r Json, name: &str| operation.get(name).and_then(Json::as_str).unwrap_or_default();
        let wanted = || found.finding.fix.iter().map(|operation| (field(operation, "path"), operation.get("value")));
        if wanted().any(|(path, value)| values.get(&(index, path)).is_some_and(|known| *known != value)) {
            continue;
        }
        let fresh = wanted().filter(|(path, value)| values.insert((index, path), *value).is_none()).count();
        if fresh == 0 {
            continue;
        }
        let operations = found.finding.fix.iter().map(|operation| {
            let adds = matches!(field(operation, "op"), "add" | "replace") && !document.is_packed();
            let value = operation.get("value").filter(|_| adds)?.clone();
            Some(Operation {
                document: document.index,
                path: path_of(field(operation, "path"), &document.value),
                value,
            })
        });
        proposals.push(Proposal { document, operations: operations.collect(), fresh });
    }
    proposals
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
        let mut text = before.to_owned();
        for proposal in proposals {
            match proposal.edited(&text) {
                Some(edited) => {
                    text = edited;
                    fixed.values += proposal.fresh;
                }
                None => fixed.left += proposal.fresh,
            }
        }
        if text != before {
            changes.push(Change { file: file.to_owned(), before: before.to_owned(), after: text });
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
    Some(Change { file: file.to_owned(), before, after }).filter(|change| change.before != change.after)
}

/// A JSON Pointer as a path; whether a number is an index follows from what it leads into.
pub fn path_of(pointer: &str, value: &Json) -> Vec<PathSegment> {
    let mut at = Some(value);
    let mut path = Vec::new();
    for part in pointer.split('/').skip(1) {
        let key = part.replace("~1", "/").replace("~0", "~");
        let index = at.is_some_and(Json::is_array).then(|| key.parse().ok()).flatten();
        at = at.and_then(|at| match index {
            Some(index) => at.get::<usize>(index),
            None => at.get(&key),
        });
        path.push(index.map_or(PathSegment::Key(key), PathSegment::Index));
    }
    path
}

/// The text with the operation carried out, or None when that takes more than a change of this value.
pub fn edited(file: &str, text: &str, operation: &Operation) -> Option<String> {
    let documents = manifest::read(file, text.as_bytes().to_vec()).documents;
    let document = documents.get(operation.document)?;
    let mut wanted: Vec<Json> = documents.iter().map(|document| document.value.clone()).collect();
    set(wanted.get_mut(operation.document)?, &operation.path, operation.value.clone())?;

    let candidates = match document.scalar(&operation.path) {
        Some(written) => {
            let bytes = document.locate(&operation.path).bytes;
            let texts = spellings(&operation.value, written.text);
            texts.into_iter().map(|new| format!("{}{new}{}", &text[..bytes.start], &text[bytes.end..])).collect()
        }
        None => inserted(document, text, operation)?,
    };
    candidates.into_iter().find(|candidate| {
        let reading = manifest::read(file, candidate.as_bytes().to_vec());
        reading.errors.is_empty() && reading.documents.iter().map(|document| &document.value).eq(&wanted)
    })
}

/// Texts in which a new key is written before the first one of the nearest parent that is there, in the way of that one; what lies
/// between is written too.
fn inserted(document: &Document, text: &str, operation: &Operation) -> Option<Vec<String>> {
    let path = &operation.path;
    let holds = |depth: &usize| {
        value_at(&document.value, &path[..*depth])
            .is_some_and(|parent| parent.as_object().is_some_and(|map| !map.is_empty()))
    };
    let depth = (0..path.len()).rev().find(holds)?;
    let (parent, rest) = path.split_at(depth);
    let keys: Option<Vec<&str>> = rest
        .iter()
        .map(|segment| if let PathSegment::Key(key) = segment { Some(key.as_str()) } else { None })
        .collect();
    let keys = keys?;
    let siblings = value_at(&document.value, parent)?.as_object()?;
    // What is there and is no map is not for us to replace.
    if siblings.contains_key(keys[0]) {
        return None;
    }
    // Keys of the value are sorted; the first in the text is the one to join.
    let path_to = |sibling: &str| [parent, &[PathSegment::Key(sibling.to_owned())]].concat();
    let bytes = siblings.keys().filter_map(|sibling| document.key_bytes(&path_to(sibling)));
    let at = bytes.min_by_key(|bytes| bytes.start)?;
    let quoted = text[at.clone()].starts_with(['"', '\'']);
    let line_start = text[..at.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line_start..at.start];
    // In a block, alone on its line or behind the dash of a list; else between braces.
    let block = !quoted && indent.chars().all(|c| matches!(c, ' ' | '-'));
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let column = indent.replace('-', " ");
    let separator = if block { format!("{line_break}{column}") } else { ", ".to_owned() };
    let example = if quoted || siblings.iter().any(|(key, value)| quotes_at_will(value, document.scalar(&path_to(key))))
    {
        "\""
    } else {
        "plain"
    };
    let write = |value: String| {
        let mut entry = String::new();
        for (level, key) in keys.iter().enumerate() {
            let key = if quoted { Json::from(*key).to_string() } else { (*key).to_owned() };
            let next =
                if block { format!(":{line_break}{column}{}", "  ".repeat(level + 1)) } else { ": {".to_owned() };
            entry += &key;
            entry += if level + 1 < keys.len() { &next } else { ": " };
        }
        entry += &value;
        if !block {
            entry += &"}".repeat(keys.len() - 1);
        }
        format!("{}{entry}{separator}{}", &text[..at.start], &text[at.start..])
    };
    Some(spellings(&operation.value, example).into_iter().map(write).collect())
}

/// Whether quotes stand around a text that would be the same without.
fn quotes_at_will(value: &Json, written: Option<Written<'_>>) -> bool {
    let (Some(text), Some(written)) = (value.as_str(), written) else { return false };
    written.text.starts_with(['"', '\'']) && yaml::is_itself(text)
}

/// Ways to write a value, the one that is like `example` first.
fn spellings(value: &Json, example: &str) -> Vec<String> {
    let double = value.to_string();
    let Some(text) = value.as_str() else { return vec![double] };
    let single = format!("'{}'", text.replace('\'', "''"));
    match example.chars().next() {
        Some('"') | None => vec![double],
        Some('\'') => vec![single, double],
        Some(_) => vec![text.to_owned(), double],
    }
}

/// Puts a value in place, with the maps on the way to it; None where something else is in the way.
fn set(root: &mut Json, path: &[PathSegment], value: Json) -> Option<()> {
    let (last, parent) = path.split_last()?;
    let parent = parent.iter().try_fold(root, |value, segment| match segment {
        PathSegment::Index(index) => value.get_mut(index),
        PathSegment::Key(key) => Some(value.as_object_mut()?.entry(key).or_insert_with(|| Map::new().into())),
    })?;
    match (last, parent) {
        (PathSegment::Key(key), Json::Object(map)) => {
            map.insert(key.clone(), value);
        }
        (PathSegment::Index(index), Json::Array(list)) => *list.get_mut(*index)? = value,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The text after an operation on its document `index`.
    fn after(text: &str, index: usize, pointer: &str, value: Json) -> Option<String> {
        let document = &manifest::read("a.yaml", text.as_bytes().to_vec()).documents[index];
        let path = path_of(pointer, &document.value);
        edited("a.yaml", text, &Operation { document: index, path, value })
    }

    #[test]
    fn a_value_is_replaced_in_its_own_style() {
        for (before, value, expected) in [
            ("a: \"off\" # why\nb: 1\n", json!("on"), "a: \"on\" # why\nb: 1\n"),
            ("a: 'off'\n", json!("it's"), "a: 'it''s'\n"),
            ("a: 16MB   \n# end\n", json!("32MB"), "a: 32MB   \n# end\n"),
            // Without quotes this would be a boolean, and this a number.
            ("a: off\n", json!("on"), "a: \"on\"\n"),
            ("a: x\n", json!("012"), "a: \"012\"\n"),
            ("{\"a\": \"x\", \"b\": [1]}", json!("y"), "{\"a\": \"y\", \"b\": [1]}"),
            ("a: 1\r\nb: 2\r\n", json!(3), "a: 3\r\nb: 2\r\n"),
            ("a: 1\n", json!(["x"]), "a: [\"x\"]\n"),
        ] {
            assert_eq!(after(before, 0, "/a", value).as_deref(), Some(expected));
        }
        let stream = "a: 1\n---\nkind: List\nitems:\n- a: 2 # two\n- a: 3\n";
        assert_eq!(after(stream, 1, "/a", json!(5)).unwrap(), stream.replace("a: 2 #", "a: 5 #"));
    }

    #[test]
    fn a_key_is_added_in_the_way_of_its_siblings() {
        for (before, expected) in [
            ("p:\n    # first\n    z: \"1\"\n    y: 2\n", "p:\n    # first\n    new: \"on\"\n    z: \"1\"\n    y: 2\n"),
            ("p: {z: 1}\n", "p: {new: \"on\", z: 1}\n"),
            ("{\"p\": {\n  \"z\": \"1\"}}\n", "{\"p\": {\n  \"new\": \"on\", \"z\": \"1\"}}\n"),
            ("- p:\n  - q: 1\n", ""),
        ] {
            let expected = Some(expected).filter(|expected| !expected.is_empty());
            assert_eq!(after(before, 0, "/p/new", json!("on")).as_deref(), expected, "{before}");
        }
        assert_eq!(after("l:\n- z: 1\n- z: 2\n", 0, "/l/1/a", json!(0)).unwrap(), "l:\n- z: 1\n- a: 0\n  z: 2\n");
    }

    #[test]
    fn parents_that_are_not_there_are_added() {
        for (before, expected) in [
            ("s:\n  n: 3 # three\n", "s:\n  p:\n    q:\n      new: \"on\"\n  n: 3 # three\n"),
            ("s:\r\n    n: x\r\n", "s:\r\n    p:\r\n      q:\r\n        new: \"on\"\r\n    n: x\r\n"),
            ("s: {n: 3}\n", "s: {p: {q: {new: \"on\"}}, n: 3}\n"),
            ("{\"s\": {\"n\": 3}}\n", "{\"s\": {\"p\": {\"q\": {\"new\": \"on\"}}, \"n\": 3}}\n"),
        ] {
            assert_eq!(after(before, 0, "/s/p/q/new", json!("on")).as_deref(), Some(expected), "{before}");
        }
        assert_eq!(after("a: 1\n", 0, "/p/new", json!("on")).as_deref(), Some("p:\n  new: \"on\"\na: 1\n"));
    }

    #[test]
    fn a_change_is_shown_as_a_patch() {
        let change = Change { file: "./a/b.yaml".into(), before: "a: 1\nb: 2\n".into(), after: "a: 1\nb: 3\n".into() };
        assert_eq!(change.diff(), "--- a/a/b.yaml\n+++ b/a/b.yaml\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 3\n");
    }

    #[test]
    fn what_would_change_more_is_left_alone() {
        // Another value hangs on the same anchor, something else stands where the parent would be, a key is a merge's.
        assert_eq!(after("a: &x off\nb: *x\n", 0, "/a", json!("on")), None);
        assert_eq!(after("a: 1\np: [1]\n", 0, "/p/new", json!("on")), None);
        assert_eq!(after("d: &d {a: 1}\ne:\n  <<: *d\n", 0, "/e/a", json!(2)), None);
        assert_eq!(after("p:\n", 0, "/p/new", json!("on")), None);
    }
}
