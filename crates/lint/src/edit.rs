//! Carries out an operation on a value in the text that the value is written in, so that comments, order and style stay. Whether an edit
//! does what it should is not guessed: the text is read again, and the edit is dropped unless exactly that has changed.

use std::ops::Range;

use serde_json::{Map, Value as Json};
use walguard_engine::{PathSegment, keys, value_at, value_at_mut};
use walguard_manifest::{self as manifest, Document, Written};

use crate::yaml;

/// An operation on a document of a file.
pub struct Operation {
    /// Index of the document in its file.
    pub document: usize,
    pub path: Vec<PathSegment>,
    pub edit: Edit,
}

/// What is done at a path.
pub enum Edit {
    /// The value is put there; the path need not be there yet.
    Put(Json),
    /// The key goes, with its value. An element of a list stays: those behind it would be led to by other paths.
    Remove,
    /// The key gets another name.
    Rename(String),
}

/// A JSON Pointer as a path; whether a number is an index follows from what it leads into.
pub fn path_of(pointer: &str, value: &Json) -> Vec<PathSegment> {
    let mut at = Some(value);
    let mut path = Vec::new();
    for key in keys(pointer) {
        let index = at.is_some_and(Json::is_array).then(|| key.parse().ok()).flatten();
        at = at.and_then(|at| match index {
            Some(index) => at.get::<usize>(index),
            None => at.get(&key),
        });
        path.push(index.map_or(PathSegment::Key(key), PathSegment::Index));
    }
    path
}

/// The text with the operation carried out, or None when that takes more than a change of this value or key.
pub fn edited(file: &str, text: &str, operation: &Operation) -> Option<String> {
    let documents = manifest::read(file, text.as_bytes().to_vec()).documents;
    let document = documents.get(operation.document)?;
    let mut wanted: Vec<Json> = documents.iter().map(|document| document.value.clone()).collect();
    let root = wanted.get_mut(operation.document)?;
    let path = &operation.path;
    let candidates = match &operation.edit {
        Edit::Put(value) => {
            set(root, path, value.clone())?;
            match document.scalar(path) {
                Some(written) => spelled(text, document.locate(path).bytes, spellings(value, written.text)),
                None => inserted(document, text, path, value)?,
            }
        }
        Edit::Remove => {
            take(root, path, None)?;
            removed(document, text, path).into_iter().collect()
        }
        Edit::Rename(name) => {
            take(root, path, Some(name))?;
            let bytes = document.key_bytes(path)?;
            spelled(text, bytes.clone(), spellings(&name.as_str().into(), &text[bytes]))
        }
    };
    candidates.into_iter().find(|candidate| {
        let reading = manifest::read(file, candidate.as_bytes().to_vec());
        reading.errors.is_empty() && reading.documents.iter().map(|document| &document.value).eq(&wanted)
    })
}

/// Texts in which a new key is written before the first one of the nearest parent that is there, in the way of that one; what lies
/// between is written too.
fn inserted(document: &Document, text: &str, path: &[PathSegment], value: &Json) -> Option<Vec<String>> {
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
    Some(spellings(value, example).into_iter().map(write).collect())
}

/// The text without an entry of a map, and without the comment behind it.
fn removed(document: &Document, text: &str, path: &[PathSegment]) -> Option<String> {
    let (_, parent) = path.split_last()?;
    let between_brackets = text[document.value_bytes(parent)?].starts_with('{');
    let entry = Entry::of(document, path)?;
    if between_brackets { Some(entry.out_of_brackets(text)) } else { entry.out_of_block(document, text) }
}

/// An entry of a map, where it is written.
struct Entry<'p> {
    /// Of the map.
    parent: &'p [PathSegment],
    /// From the key to the end of the value.
    bytes: Range<usize>,
    /// Where its neighbours begin, in the order of the text.
    before: Option<usize>,
    after: Option<usize>,
}

impl<'p> Entry<'p> {
    fn of(document: &Document, path: &'p [PathSegment]) -> Option<Self> {
        let (_, parent) = path.split_last()?;
        let key = document.key_bytes(path)?;
        let siblings = value_at(&document.value, parent)?.as_object()?.keys();
        let path_to = |sibling: &str| [parent, &[PathSegment::from(sibling)]].concat();
        let starts: Vec<usize> =
            siblings.filter_map(|sibling| Some(document.key_bytes(&path_to(sibling))?.start)).collect();
        Some(Self {
            parent,
            bytes: key.start..document.value_bytes(path)?.end.max(key.end),
            before: starts.iter().copied().filter(|start| *start < key.start).max(),
            after: starts.iter().copied().filter(|start| *start > key.start).min(),
        })
    }

    /// The lines that it is on, to behind the line break.
    fn lines(&self, text: &str) -> Range<usize> {
        let start = text[..self.bytes.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[self.bytes.end..].find('\n').map_or(text.len(), |at| self.bytes.end + at + 1);
        start..end
    }

    fn out_of_block(&self, document: &Document, text: &str) -> Option<String> {
        let lines = self.lines(text);
        let rest = text[self.bytes.end..lines.end].trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return None;
        }
        let alone = text[lines.start..self.bytes.start].trim().is_empty();
        match (self.before.is_some() || self.after.is_some(), alone, self.after) {
            (true, true, _) => Some(without(text, lines)),
            // Behind the dash of a list: the next one takes its place there.
            (true, false, Some(after)) => {
                text[lines.end..after].trim().is_empty().then(|| without(text, self.bytes.start..after))
            }
            (true, false, None) => None,
            // Nothing is left, which is not null.
            (false, true, _) => {
                let key = document.key_bytes(self.parent)?;
                let colon = key.end + text[key.end..].find(':')? + 1;
                Some(format!("{} {{}}{}{}", &text[..colon], &text[colon..lines.start], &text[lines.end..]))
            }
            (false, false, _) => Some(format!("{}{{}}{}", &text[..self.bytes.start], &text[self.bytes.end..])),
        }
    }

    fn out_of_brackets(&self, text: &str) -> String {
        let Range { start, end } = self.bytes;
        let lines = self.lines(text);
        let head = text[..start].trim_end();
        match (self.after, self.before) {
            (Some(after), _) => {
                let rest = text[end..lines.end].trim_start().strip_prefix(',').map(str::trim_start);
                let alone = text[lines.start..start].trim().is_empty()
                    && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'));
                without(text, if alone { lines } else { start..after })
            }
            // The comma before it goes, too, or stays where a comment stands between the two.
            (None, Some(_)) => without(text, head.strip_suffix(',').map_or(start, str::len)..end),
            (None, None) => without(text, head.len()..text.len() - text[end..].trim_start().len()),
        }
    }
}

fn without(text: &str, bytes: Range<usize>) -> String {
    format!("{}{}", &text[..bytes.start], &text[bytes.end..])
}

/// Texts with other words at a place.
fn spelled(text: &str, bytes: Range<usize>, words: Vec<String>) -> Vec<String> {
    words.into_iter().map(|new| format!("{}{new}{}", &text[..bytes.start], &text[bytes.end..])).collect()
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

/// Takes the key that a path leads to out of its map, and puts the value under another name, if there is one, that is free.
fn take(root: &mut Json, path: &[PathSegment], name: Option<&str>) -> Option<()> {
    let (PathSegment::Key(key), parent) = path.split_last()? else { return None };
    let map = value_at_mut(root, parent)?.as_object_mut()?;
    let value = map.remove(key)?;
    name.is_none_or(|name| map.insert(name.to_owned(), value).is_none()).then_some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The text after an operation on its document `index`.
    fn done(text: &str, index: usize, pointer: &str, edit: Edit) -> Option<String> {
        let document = &manifest::read("a.yaml", text.as_bytes().to_vec()).documents[index];
        let path = path_of(pointer, &document.value);
        edited("a.yaml", text, &Operation { document: index, path, edit })
    }

    fn after(text: &str, index: usize, pointer: &str, value: Json) -> Option<String> {
        done(text, index, pointer, Edit::Put(value))
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
    fn what_would_change_more_is_left_alone() {
        // Another value hangs on the same anchor, something else stands where the parent would be, a key is a merge's.
        assert_eq!(after("a: &x off\nb: *x\n", 0, "/a", json!("on")), None);
        assert_eq!(after("a: 1\np: [1]\n", 0, "/p/new", json!("on")), None);
        assert_eq!(after("d: &d {a: 1}\ne:\n  <<: *d\n", 0, "/e/a", json!(2)), None);
        assert_eq!(after("p:\n", 0, "/p/new", json!("on")), None);
    }
    #[test]
    fn an_entry_goes_with_its_line() {
        for (before, pointer, expected) in [
            // The comment of the line goes, those of its neighbours stay.
            (
                "p:\n  # of a\n  a: 1\n  # above b\n  b: 2 # of b\n  # above c\n  c: 3 # of c\n",
                "/p/b",
                "p:\n  # of a\n  a: 1\n  # above b\n  # above c\n  c: 3 # of c\n",
            ),
            ("a: 1\r\nb: 2\r\nc: 3\r\n", "/b", "a: 1\r\nc: 3\r\n"),
            ("a: 1\nb: 2", "/b", "a: 1\n"),
            ("a: |\n  # text\n  more\n\nb: 2\n", "/a", "\nb: 2\n"),
            ("a:\n- 1\n- x: 2\n  y: 3\nb:\nc: 4\n", "/a", "b:\nc: 4\n"),
            ("a: 1\nb:\nc: 4\n", "/b", "a: 1\nc: 4\n"),
            ("\"a\": 1\n'b': 2\n", "/b", "\"a\": 1\n"),
            // The last one leaves nothing, which is not null.
            ("s:\n  p: # tuned\n    a: 1 # why\n  n: 3\n", "/s/p/a", "s:\n  p: {} # tuned\n  n: 3\n"),
            // Behind the dash of a list.
            ("l:\n- a: 1\n  b: 2\n- c\n", "/l/0/a", "l:\n- b: 2\n- c\n"),
            ("l:\n- a: 1 # why\n", "/l/0/a", "l:\n- {} # why\n"),
            // Between brackets.
            ("p: {a: 1, b: 2, c: 3} # p\n", "/p/a", "p: {b: 2, c: 3} # p\n"),
            ("p: {a: 1, b: 2, c: 3} # p\n", "/p/c", "p: {a: 1, b: 2} # p\n"),
            ("p: { a: 1 }\n", "/p/a", "p: {}\n"),
            ("{\"a\": \"x\",\n \"b\": {\"c\": 1}\n}\n", "/b", "{\"a\": \"x\"\n}\n"),
            ("{\n  \"a\": \"x\",\n  \"b\": 1\n}\n", "/a", "{\n  \"b\": 1\n}\n"),
            (
                "p: {\n  a: 1, # why a\n  # above b\n  b: 2, # why b\n}\n",
                "/p/a",
                "p: {\n  # above b\n  b: 2, # why b\n}\n",
            ),
        ] {
            assert_eq!(done(before, 0, pointer, Edit::Remove).as_deref(), Some(expected), "{before}");
        }
        let stream = "a: 1\n---\na: 2\nb: 3\n";
        assert_eq!(done(stream, 1, "/a", Edit::Remove).unwrap(), "a: 1\n---\nb: 3\n");
    }

    #[test]
    fn an_entry_that_something_else_hangs_on_stays() {
        for (before, pointer) in [
            ("a: &x 1\nb: *x\n", "/a"),
            ("d: &d {a: 1}\ne:\n  <<: *d\n", "/e/a"),
            // The one above would come to life.
            ("p:\n  a: 1\n  a: 2\n  b: 3\n", "/p/a"),
            ("l:\n- a: 1\n  # above b\n  b: 2\n", "/l/0/a"),
            ("l: [1, 2]\n", "/l/0"),
            ("a: 1\n", "/b"),
            ("a: 1\n", "/a/b"),
        ] {
            assert_eq!(done(before, 0, pointer, Edit::Remove), None, "{before}");
        }
    }

    #[test]
    fn a_key_is_renamed_where_it_stands() {
        let renamed = |text: &str, pointer: &str, name: &str| done(text, 0, pointer, Edit::Rename(name.to_owned()));
        for (before, expected) in [
            ("p:\n  shared_bufers: 4GB # why\n  b: 2\n", "p:\n  shared_buffers: 4GB # why\n  b: 2\n"),
            ("p: {\"shared_bufers\": \"4GB\"}\r\n", "p: {\"shared_buffers\": \"4GB\"}\r\n"),
            ("p: {'shared_bufers': 4GB, x: y}\n", "p: {'shared_buffers': 4GB, x: y}\n"),
        ] {
            assert_eq!(renamed(before, "/p/shared_bufers", "shared_buffers").as_deref(), Some(expected));
        }
        assert_eq!(renamed("a: 1\n", "/a", "on").as_deref(), Some("\"on\": 1\n"));
        assert_eq!(renamed("a: 1\nb: 2\n", "/a", "b"), None, "it is there");
        assert_eq!(renamed("d: &d {a: 1}\ne:\n  <<: *d\n", "/e/a", "b"), None);
    }
}
