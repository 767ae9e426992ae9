//! Reads manifests as the API server gets them, and remembers where each value stood.
//!
//! kubectl, conftest and every Kubernetes client turn YAML into JSON with `sigs.k8s.io/yaml`, whose rules are not those of
//! YAML 1.2: bare `off` is `false`, `012` is 10, `<<` merges, of two equal keys the last one wins. [`read`] gives the
//! same JSON (`tests/yaml_go.rs` compares), and a [`Document`] leads from a path in that JSON to line and column.
//!
//! A stream is cut at the lines that begin with `---`, as kubectl does, so an error costs one document. JSON is read too,
//! also several values in a row. The items of a `List` become documents of their own.
//!
//! ```
//! use walguard_manifest::{PathSegment, read};
//!
//! let reading = read("cluster.yaml", b"kind: Cluster\nspec:\n  wal_init_zero: off\n".to_vec());
//! let cluster = &reading.documents[0];
//! assert_eq!(cluster.value["spec"]["wal_init_zero"], false);
//!
//! let path = [PathSegment::from("spec"), PathSegment::from("wal_init_zero")];
//! let location = cluster.locate(&path);
//! assert_eq!((location.line, location.column), (3, 18));
//! assert_eq!(cluster.scalar(&path).map(|scalar| (scalar.text, scalar.plain)), Some(("off", true)));
//! ```

mod json;
mod resolve;
mod tree;
mod yaml;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::Value;

pub use walguard_engine::PathSegment;

use tree::{Failure, NodeId, Repeated, Span, Tree};

/// Lists within lists are opened this deep; what lies deeper stays a list.
const MAX_LIST_DEPTH: usize = 8;

/// A place in a file: line and column from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A file, or what came on standard input.
#[derive(Debug)]
pub struct Source {
    /// The path as given, or `<stdin>`.
    pub name: String,
    /// The text without a byte order mark. Bytes that are no UTF-8 stand as U+FFFD; documents with such are errors.
    pub text: String,
    line_starts: OnceLock<Vec<usize>>,
}

impl Source {
    /// A text without a byte order mark.
    pub fn new(name: String, text: String) -> Self {
        Self { name, text, line_starts: OnceLock::new() }
    }

    /// The text of a line, from 1, without its line break; empty past the end.
    pub fn line(&self, line: u32) -> &str {
        let starts = self.line_starts();
        let index = (line as usize).saturating_sub(1);
        let start = starts.get(index).copied().unwrap_or(self.text.len());
        let end = starts.get(index + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// All lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        (1..).take(self.line_starts().len()).map(|line| (line, self.line(line)))
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| line_starts(&self.text))
    }

    /// A whole line, without the blanks around it.
    #[must_use]
    pub fn locate_line(&self, line: u32, exact: bool) -> Location {
        let text = self.line(line);
        let indent = text.len() - text.trim_start().len();
        let start = self.offset(Position { line, column: 1 }) + indent;
        let column = text[..indent].chars().count() as u32 + 1;
        Location { line, column, bytes: start..start + text.trim().len(), exact, of: Target::Value }
    }

    /// The line and column of a byte that a character begins at.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= offset).max(1);
        let before = &self.text[starts[line - 1]..offset];
        Position { line: line as u32, column: before.chars().count() as u32 + 1 }
    }

    fn offset(&self, position: Position) -> usize {
        let index = (position.line as usize).saturating_sub(1);
        let start = self.line_starts().get(index).copied().unwrap_or(self.text.len());
        self.text[start..]
            .char_indices()
            .nth(position.column as usize - 1)
            .map_or(self.text.len(), |(at, _)| start + at)
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        let start = self.offset(span.start);
        let end = self.offset(span.end).max(start);
        start..start + self.text[start..end].trim_end().len()
    }
}

/// The bytes at which the lines of a text begin. Line breaks are those of YAML: LF, CR LF, and CR alone.
#[must_use]
pub fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let breaks = bytes
        .iter()
        .enumerate()
        .filter(|(at, byte)| **byte == b'\n' || **byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
}

/// What a [`Location`] points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// A value: a scalar, or an element of a list.
    Value,
    /// A key: where the value is an object or a list, is empty, or does not exist.
    Key,
}

/// Where in the source something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Line from 1.
    pub line: u32,
    /// Column from 1, in characters.
    pub column: u32,
    /// The bytes of [`Source::text`].
    pub bytes: Range<usize>,
    /// Whether the whole path exists; if not, the location is that of its nearest parent.
    pub exact: bool,
    pub of: Target,
}

/// A scalar as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written<'a> {
    /// The source text, with quotes if it has any.
    pub text: &'a str,
    /// Written without quotes, block indicator or tag, so that its text decided on its type.
    pub plain: bool,
}

/// Something legal that a reader of the manifest will hardly expect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A key of an object is written twice; the last one counts.
    DuplicateKey { path: Vec<PathSegment>, first: Position, second: Position },
    /// `<<` replaces a key written before it (YAML's own rule would keep that key; Kubernetes' reader does not).
    MergeReplacesKey { path: Vec<PathSegment>, first: Position, second: Position },
}

/// One object of a file.
#[derive(Debug, Clone)]
pub struct Document {
    /// The value as the API server gets it. Not always an object.
    pub value: Value,
    pub notices: Vec<Notice>,
    pub source: Arc<Source>,
    /// Position among the documents of the file, from 0, each item of a list counted.
    pub index: usize,
    tree: Arc<Tree>,
    root: NodeId,
    /// What the object was packed from, when it is no manifest.
    parts: Vec<Part>,
}

/// Some lines of a file that were packed into a document: the text at `spec.configuration[i].text`.
#[derive(Debug, Clone)]
pub struct Part {
    pub source: Arc<Source>,
    /// Where the text begins in its file, from 1.
    pub first_line: u32,
}

impl Document {
    /// An object that was packed from the texts of other files; `parts` are those of `spec.configuration`, in that order, and
    /// `source` is the file that led to the others.
    pub fn packed(value: Value, source: Arc<Source>, parts: Vec<Part>) -> Self {
        let tree = Arc::new(tree::Builder::default().finish());
        Self { value, notices: Vec::new(), source, index: 0, tree, root: 0, parts }
    }

    /// Where a line (from 1) of the text at a path stands, and in which file; without a line, the value at the path.
    pub fn place(&self, path: &[PathSegment], line: Option<u32>) -> (Arc<Source>, Location) {
        let part = match path {
            [PathSegment::Key(spec), PathSegment::Key(list), PathSegment::Index(index), ..]
                if spec == "spec" && list == "configuration" =>
            {
                self.parts.get(*index)
            }
            _ => None,
        };
        match (part, line) {
            (Some(part), _) => {
                let line = part.first_line.saturating_add(line.unwrap_or(1).saturating_sub(1));
                (Arc::clone(&part.source), part.source.locate_line(line, true))
            }
            (None, Some(line)) => (Arc::clone(&self.source), self.locate_text_line(path, line.saturating_sub(1))),
            (None, None) => (Arc::clone(&self.source), self.locate(path)),
        }
    }

    /// The files that it was read from: its own, or those that were packed into it.
    pub fn sources(&self) -> Vec<&Arc<Source>> {
        match self.parts.as_slice() {
            [] => vec![&self.source],
            parts => parts.iter().map(|part| &part.source).collect(),
        }
    }

    /// True for an object that was packed from other files, in whose text nothing can be changed by the path of a value.
    pub fn is_packed(&self) -> bool {
        self.tree.is_empty()
    }

    /// Where the value at a path stands. A scalar is located itself; an object, a list or an empty value by its key.
    pub fn locate(&self, path: &[PathSegment]) -> Location {
        if self.is_packed() {
            return self.source.locate_line(1, false);
        }
        let found = self.tree.find(self.root, path);
        let exact = found.depth == path.len();
        let value_span = self.tree.span(found.value);
        let is_text = self.tree.scalar(found.value).is_some() && value_span.start != value_span.end;
        let (span, of) = match found.key {
            Some(key) if !(exact && is_text) => (self.tree.span(key), Target::Key),
            _ => (value_span, Target::Value),
        };
        Location { line: span.start.line, column: span.start.column, bytes: self.source.bytes(span), exact, of }
    }

    /// The bytes of [`Source::text`] in which the key of the value at a path stands; None for elements of lists, the whole
    /// document, and what does not exist.
    pub fn key_bytes(&self, path: &[PathSegment]) -> Option<Range<usize>> {
        if self.is_packed() {
            return None;
        }
        let found = self.tree.find(self.root, path);
        let key = found.key.filter(|_| found.depth == path.len())?;
        Some(self.source.bytes(self.tree.span(key)))
    }

    /// The bytes of [`Source::text`] in which the value at a path stands, from its first character to its last; None for what does not
    /// exist.
    pub fn value_bytes(&self, path: &[PathSegment]) -> Option<Range<usize>> {
        if self.is_packed() {
            return None;
        }
        let found = self.tree.find(self.root, path);
        (found.depth == path.len()).then(|| self.source.bytes(self.tree.span(found.value)))
    }

    /// Where line `line` (from 0) of a text stands that is written as a block (`|`) at a path, such as a configuration file
    /// in a ConfigMap. For any other value, the location of the value.
    pub fn locate_text_line(&self, path: &[PathSegment], line: u32) -> Location {
        let mut location = self.locate(path);
        let header = &self.source.text[location.bytes.clone()];
        if location.exact && header.starts_with('|') {
            let target = location.line.saturating_add(1).saturating_add(line);
            let text = self.source.line(target);
            let indent = text.len() - text.trim_start().len();
            let position = Position { line: target, column: indent as u32 + 1 };
            let start = self.source.offset(position);
            if start < location.bytes.end {
                location.line = target;
                location.column = position.column;
                location.bytes = start..start + text.trim().len();
            }
        }
        location
    }

    /// The scalar at a path as it is written; None for objects, lists and what does not exist.
    pub fn scalar(&self, path: &[PathSegment]) -> Option<Written<'_>> {
        if self.is_packed() {
            return None;
        }
        let found = self.tree.find(self.root, path);
        if found.depth != path.len() {
            return None;
        }
        let plain = self.tree.scalar(found.value)?;
        let text = self.source.text.get(self.source.bytes(self.tree.span(found.value)))?;
        Some(Written { text, plain })
    }

    /// The documents in this one: the items of a `List`, or itself.
    fn flatten(self, depth: usize, into: &mut Vec<Document>) {
        let list = self.value.as_object().and_then(|list| {
            let kind = list.get("kind")?.as_str()?.strip_suffix("List")?;
            list.get("items")?.as_array()?;
            Some((kind.to_owned(), list.get("apiVersion").cloned()))
        });
        let Some((kind, api_version)) = list.filter(|_| depth < MAX_LIST_DEPTH) else {
            into.push(Document { index: into.len(), ..self });
            return;
        };
        let Document { mut value, mut notices, source, tree, root, .. } = self;
        let Some(Value::Array(items)) = value.get_mut("items").map(Value::take) else {
            return;
        };
        let list_node = tree.find(root, &[PathSegment::from("items")]).value;
        let nodes: Vec<NodeId> = tree.elements(list_node).collect();
        for (index, (mut value, root)) in items.into_iter().zip(nodes).enumerate() {
            // The items of a typed list (PodList) need not name their type.
            if let Value::Object(item) = &mut value
                && !kind.is_empty()
                && !item.contains_key("kind")
            {
                item.insert("kind".to_owned(), Value::from(kind.as_str()));
                if let Some(api_version) = &api_version {
                    item.entry("apiVersion").or_insert_with(|| api_version.clone());
                }
            }
            let (mut own, mut rest) = (Vec::new(), Vec::new());
            for notice in notices {
                match notice.in_item(index) {
                    Ok(notice) => own.push(notice),
                    Err(notice) => rest.push(notice),
                }
            }
            notices = rest;
            let (source, tree) = (Arc::clone(&source), Arc::clone(&tree));
            let item = Document { value, notices: own, source, index: 0, tree, root, parts: Vec::new() };
            item.flatten(depth + 1, into);
        }
    }
}

/// A document or a file that cannot be read. Displays as `file:line:column: message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}{}", .hint.map(|hint| format!(" ({hint})")).unwrap_or_default())]
pub struct ReadError {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
    /// What to do about it, if that is known.
    pub hint: Option<&'static str>,
}

/// What came of reading a file.
#[derive(Debug, Default)]
pub struct Reading {
    /// In the order of the file; empty documents are left out.
    pub documents: Vec<Document>,
    pub errors: Vec<ReadError>,
    /// The text, where it could be made out.
    pub source: Option<Arc<Source>>,
}

const TEMPLATE_HINT: &str = "this looks like a template: render it first, `helm template … | walguard lint -`";

/// How many documents a file seems to hold, without reading them: the items of a list count as one.
pub fn count(bytes: &[u8]) -> usize {
    let has_content = |chunk: &Chunk| {
        let lines = bytes[chunk.bytes.clone()].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.map(|line| line.strip_prefix(b"---").map_or(line, <[u8]>::trim_ascii_start));
        !chunk.bad_separator && lines.any(|line| !matches!(line, [] | [b'#' | b'%', ..] | b"..."))
    };
    chunks(bytes).iter().filter(|chunk| has_content(chunk)).count()
}

/// Reads all documents of a file: YAML or JSON in UTF-8, with or without a byte order mark.
pub fn read(name: impl Into<String>, bytes: Vec<u8>) -> Reading {
    let name = name.into();
    if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = bytes.as_slice() {
        let message = "the file is encoded in UTF-16, Kubernetes reads UTF-8".to_owned();
        let error = ReadError { file: name, line: 1, column: 1, message, hint: None };
        return Reading { documents: Vec::new(), errors: vec![error], source: None };
    }
    let bytes = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    let chunks = chunks(&bytes);
    // Where bytes are not UTF-8 the chunk they are in is an error, and the others are read. Their lines stay the same.
    let (text, invalid) = match String::from_utf8(bytes) {
        Ok(text) => (text, Vec::new()),
        Err(error) => lossy(error.as_bytes(), &chunks),
    };
    let source = Arc::new(Source::new(name, text));
    let chunks = if invalid.is_empty() { chunks } else { self::chunks(source.text.as_bytes()) };
    let mut reading = Reading { source: Some(Arc::clone(&source)), ..Reading::default() };
    let mut template_seen = false;
    for (index, chunk) in chunks.into_iter().enumerate() {
        let text = &source.text[chunk.bytes];
        let mut fail = |failure: Failure| {
            let template = text.contains("{{");
            // A template makes one error per document for one and the same reason.
            if !(template && template_seen) {
                reading.errors.push(ReadError {
                    file: source.name.clone(),
                    line: failure.at.line,
                    column: failure.at.column,
                    message: failure.message,
                    hint: template.then_some(TEMPLATE_HINT),
                });
            }
            template_seen |= template;
        };
        if chunk.bad_separator {
            let line: String = text.trim_end().chars().take(40).collect();
            fail(Failure::new(chunk.start, format!("`{line}` does not separate documents, `---` alone does")));
            continue;
        }
        if let Some((_, at)) = invalid.iter().find(|(chunk, _)| *chunk == index) {
            fail(Failure::new(*at, "the text is not valid UTF-8"));
            continue;
        }
        let (trees, failure) = parse(text, chunk.start);
        let mut documents = Vec::new();
        for mut tree in trees {
            match tree.value() {
                Ok((Value::Null, _)) => {}
                Ok((value, repeated)) => {
                    let notices = repeated.iter().map(|repeated| notice(&tree, repeated)).collect();
                    let source = Arc::clone(&source);
                    let tree = Arc::new(tree);
                    documents.push(Document { value, notices, source, index: 0, tree, root: 0, parts: Vec::new() });
                }
                Err(failure) => fail(failure),
            }
        }
        if let Some(failure) = failure {
            fail(failure);
        }
        for document in documents {
            document.flatten(0, &mut reading.documents);
        }
    }
    reading
}

fn parse(text: &str, start: Position) -> (Vec<Tree>, Option<Failure>) {
    if text.trim_start().starts_with(['{', '[']) {
        match json::read(text, start) {
            Some(Ok(trees)) => return (trees, None),
            Some(Err(failure)) => return (Vec::new(), Some(failure)),
            // Flow style YAML.
            None => {}
        }
    }
    yaml::read(text, start)
}

fn notice(tree: &Tree, repeated: &Repeated) -> Notice {
    let path = tree.path(0, repeated.first);
    let first = tree.span(repeated.first).start;
    let second = tree.span(repeated.second).start;
    match repeated.merged {
        false => Notice::DuplicateKey { path, first, second },
        true => Notice::MergeReplacesKey { path, first, second },
    }
}

impl Notice {
    /// Makes the path begin at item `index` of a list, if it leads there.
    fn in_item(self, index: usize) -> Result<Notice, Notice> {
        let strip = |mut path: Vec<PathSegment>| match path.as_slice() {
            [PathSegment::Key(items), PathSegment::Index(item), ..] if items == "items" && *item == index => {
                path.drain(..2);
                Ok(path)
            }
            _ => Err(path),
        };
        match self {
            Notice::DuplicateKey { path, first, second } => match strip(path) {
                Ok(path) => Ok(Notice::DuplicateKey { path, first, second }),
                Err(path) => Err(Notice::DuplicateKey { path, first, second }),
            },
            Notice::MergeReplacesKey { path, first, second } => match strip(path) {
                Ok(path) => Ok(Notice::MergeReplacesKey { path, first, second }),
                Err(path) => Err(Notice::MergeReplacesKey { path, first, second }),
            },
        }
    }
}

/// One piece of a stream: what lies between two lines that begin with `---`, the first of them included.
struct Chunk {
    bytes: Range<usize>,
    start: Position,
    /// Not a document but a line that begins with `---` and goes on, which kubectl refuses.
    bad_separator: bool,
}

/// Cuts a stream where kubectl does. No scalar of YAML can hold such a line, so what is cut are whole documents.
fn chunks(bytes: &[u8]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut cut = |bytes: Range<usize>, start, bad_separator| {
        if !bytes.is_empty() {
            chunks.push(Chunk { bytes, start, bad_separator });
        }
    };
    let mut start = 0;
    let mut position = Position { line: 1, column: 1 };
    let mut at = 0;
    // Before the content of a document, and whether a directive (%YAML) stands there, which belongs to the next `---`.
    let mut prologue = true;
    let mut directive = false;
    for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        match text {
            [b'-', b'-', b'-'] | [b'-', b'-', b'-', b' ' | b'\t' | b'\r' | b'\n' | b'#', ..] => {
                if !directive {
                    cut(start..at, position, false);
                    // YAML wants a blank before a comment, kubectl does not.
                    let glued = if text.get(3) == Some(&b'#') { 3 } else { 0 };
                    start = at + glued;
                    position = Position { line, column: 1 + glued as u32 };
                }
                prologue = false;
                directive = false;
            }
            [b'-', b'-', b'-', ..] => {
                cut(start..at, position, false);
                start = at + text.len();
                cut(at..start, Position { line, column: 1 }, true);
                position = Position { line: line + 1, column: 1 };
                prologue = true;
                directive = false;
            }
            [b'.', b'.', b'.'] | [b'.', b'.', b'.', b' ' | b'\t' | b'\r' | b'\n', ..] => prologue = true,
            [b'%', ..] if prologue => directive = true,
            _ if prologue => {
                let text = text.trim_ascii_start();
                prologue = matches!(text, [] | [b'#', ..]);
                directive &= prologue;
            }
            _ => {}
        }
        at += text.len();
    }
    cut(start..at, position, false);
    chunks
}

/// Bytes as text with U+FFFD for what is not UTF-8, and the number of each chunk with such bytes and the first place.
fn lossy(bytes: &[u8], chunks: &[Chunk]) -> (String, Vec<(usize, Position)>) {
    let mut invalid = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let Some(Err(error)) = bytes.get(chunk.bytes.clone()).map(std::str::from_utf8) else {
            continue;
        };
        let valid = &bytes[chunk.bytes.start..chunk.bytes.start + error.valid_up_to()];
        let breaks = valid.iter().filter(|byte| **byte == b'\n').count() as u32;
        let last_line = valid.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let column = last_line.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u32;
        let before = if breaks == 0 { chunk.start.column } else { 1 };
        invalid.push((index, Position { line: chunk.start.line + breaks, column: before + column }));
    }
    (String::from_utf8_lossy(bytes).into_owned(), invalid)
}
