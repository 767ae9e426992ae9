//! The tree of one YAML document: what was written and where. Both readers ([`super::yaml`], [`super::json`]) grow it
//! through [`Builder`]; [`Tree::value`] then computes the JSON value as go-yaml decodes it (aliases, merge keys,
//! duplicate keys), and [`Tree::find`] leads from a path in that value back to the source.
//!
//! Nodes lie in one vector in the order they begin, so a subtree is a range of numbers and a node costs no allocation of its own.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use super::resolve::{Scalar, Tag, resolve};
use super::{PathSegment, Position};

/// Deepest nesting of lists and objects, aliases expanded. No real manifest comes near, and what consumes a value may recurse.
pub(super) const MAX_DEPTH: usize = 512;

/// How much text aliases may add to a value, in bytes. Go copies references here, JSON holds copies.
const MAX_ALIASED_BYTES: usize = 64 << 20;

/// Notices kept per document, and pairs searched for them: enough to act on, few enough for a hostile file.
const MAX_NOTICES: usize = 100;
const MAX_SEARCHED_PAIRS: usize = 1_000_000;

pub(super) type NodeId = u32;

/// A part of the source: from its first character to after its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub start: Position,
    pub end: Position,
}

#[derive(Debug)]
struct Node {
    span: Span,
    /// The next node in the same parent; in a mapping keys and values alternate.
    next: Option<NodeId>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Scalar {
        text: Box<str>,
        tag: Tag,
        /// Plain style, or the tag `!`: the text decides on the type.
        implicit: bool,
    },
    Sequence(Option<NodeId>),
    Mapping(Option<NodeId>),
    Alias(NodeId),
}

/// Why a document cannot be read, and where.
#[derive(Debug)]
pub(super) struct Failure {
    pub at: Position,
    pub message: String,
}

impl Failure {
    pub(super) fn new(at: Position, message: impl Into<String>) -> Failure {
        let message = message.into();
        Failure { at, message }
    }
}

/// A key written twice, or written and then merged.
#[derive(Debug)]
pub(super) struct Repeated {
    pub first: NodeId,
    pub second: NodeId,
    pub merged: bool,
}

/// Grows a [`Tree`] from events.
#[derive(Debug, Default)]
pub(super) struct Builder {
    nodes: Vec<Node>,
    /// Open sequences and mappings: the node, its last child, and (for a mapping) whether a key comes next.
    open: Vec<Open>,
    anchors: HashMap<String, NodeId>,
    aliased: bool,
}

#[derive(Debug)]
struct Open {
    id: NodeId,
    last: Option<NodeId>,
    key_next: bool,
}

impl Builder {
    pub(super) fn scalar(
        &mut self,
        span: Span,
        text: String,
        tag: Tag,
        implicit: bool,
        anchor: Option<String>,
    ) -> Result<(), Failure> {
        let text = text.into_boxed_str();
        let kind = Kind::Scalar { text, tag, implicit };
        self.add(span, kind, anchor).map(|_| ())
    }

    pub(super) fn sequence(&mut self, span: Span, anchor: Option<String>) -> Result<(), Failure> {
        self.collection(span, Kind::Sequence(None), anchor)
    }

    pub(super) fn mapping(&mut self, span: Span, anchor: Option<String>) -> Result<(), Failure> {
        self.collection(span, Kind::Mapping(None), anchor)
    }

    fn collection(&mut self, span: Span, kind: Kind, anchor: Option<String>) -> Result<(), Failure> {
        if self.open.last().is_some_and(|open| open.key_next) {
            return Err(Failure::new(span.start, "a key must be a scalar, not a list or an object"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(span.start));
        }
        let key_next = matches!(kind, Kind::Mapping(_));
        let id = self.add(span, kind, anchor)?;
        self.open.push(Open { id, last: None, key_next });
        Ok(())
    }

    /// Ends the innermost collection, at the end of its closing bracket if it has one.
    pub(super) fn end(&mut self, bracket_end: Option<Position>) {
        let Some(Open { id, last, .. }) = self.open.pop() else {
            return;
        };
        let end = bracket_end.or_else(|| last.map(|last| self.nodes[last as usize].span.end));
        if let Some(end) = end {
            self.nodes[id as usize].span.end = end;
        }
    }

    pub(super) fn alias(&mut self, span: Span, name: &str) -> Result<(), Failure> {
        let Some(target) = self.anchors.get(name).copied() else {
            return Err(Failure::new(span.start, format!("unknown anchor '{name}' referenced")));
        };
        if self.open.iter().any(|open| open.id == target) {
            return Err(Failure::new(span.start, format!("anchor '{name}' value contains itself")));
        }
        self.aliased = true;
        self.add(span, Kind::Alias(target), None).map(|_| ())
    }

    fn add(&mut self, span: Span, kind: Kind, anchor: Option<String>) -> Result<NodeId, Failure> {
        let id =
            NodeId::try_from(self.nodes.len()).map_err(|_| Failure::new(span.start, "the document is too large"))?;
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, id);
        }
        self.nodes.push(Node { span, next: None, kind });
        if let Some(open) = self.open.last_mut() {
            match open.last.replace(id) {
                Some(last) => self.nodes[last as usize].next = Some(id),
                None => {
                    if let Kind::Sequence(first) | Kind::Mapping(first) = &mut self.nodes[open.id as usize].kind {
                        *first = Some(id);
                    }
                }
            }
            if matches!(self.nodes[open.id as usize].kind, Kind::Mapping(_)) {
                open.key_next = !open.key_next;
            }
        }
        Ok(id)
    }

    pub(super) fn finish(self) -> Tree {
        Tree { nodes: self.nodes, aliased: self.aliased }
    }
}

fn too_deep(at: Position) -> Failure {
    Failure::new(at, format!("lists and objects are nested more than {MAX_DEPTH} deep"))
}

/// One document. Node 0 is its root; a tree without nodes is an empty document.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    aliased: bool,
}

/// Where a path leads: the node of the value and the node of its key, if it is a value of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub value: NodeId,
    pub key: Option<NodeId>,
    /// How many segments of the path could be followed.
    pub depth: usize,
}

impl Tree {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn span(&self, id: NodeId) -> Span {
        self.nodes[id as usize].span
    }

    /// Whether a node is a scalar, and if so whether it was written plain, without quotes or a tag.
    pub(super) fn scalar(&self, id: NodeId) -> Option<bool> {
        match &self.nodes[self.target(id) as usize].kind {
            Kind::Scalar { tag, implicit, .. } => Some(*implicit && *tag == Tag::None),
            _ => None,
        }
    }

    /// The nodes of the elements of a list.
    pub(super) fn elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = match self.nodes[self.target(id) as usize].kind {
            Kind::Sequence(first) => first,
            _ => None,
        };
        self.siblings(first)
    }

    fn siblings(&self, first: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(first, |id| self.nodes[*id as usize].next)
    }

    /// Pairs of key and value of a mapping, in the order written.
    fn pairs(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let first = match self.nodes[id as usize].kind {
            Kind::Mapping(first) => first,
            _ => None,
        };
        let value_of = |key: NodeId| self.nodes[key as usize].next.map(|value| (key, value));
        std::iter::successors(first.and_then(value_of), move |(_, value)| {
            self.nodes[*value as usize].next.and_then(value_of)
        })
    }

    fn target(&self, mut id: NodeId) -> NodeId {
        while let Kind::Alias(target) = self.nodes[id as usize].kind {
            id = target;
        }
        id
    }

    fn is_merge(&self, key: NodeId) -> bool {
        match &self.nodes[key as usize].kind {
            Kind::Scalar { text, tag, implicit } => &**text == "<<" && (*implicit || *tag == Tag::Merge),
            _ => false,
        }
    }

    /// The key of an object that a node stands for.
    fn key(&self, id: NodeId) -> Result<Cow<'_, str>, Failure> {
        let fail = |message| Failure::new(self.span(id).start, message);
        match &self.nodes[self.target(id) as usize].kind {
            Kind::Scalar { text, tag, implicit } => {
                let scalar = resolve(*tag, *implicit, text).map_err(fail)?;
                scalar.into_key().map_err(fail)
            }
            _ => Err(fail("a key must be a scalar, not a list or an object".to_owned())),
        }
    }

    /// The JSON value of the document. Errors: what go-yaml or its conversion to JSON refuses (`.nan`, a null key,
    /// a merge of something else than objects, `!!int abc`), too many aliases, too deep a nesting.
    pub(super) fn value(&mut self) -> Result<(Value, Vec<Repeated>), Failure> {
        if self.is_empty() {
            return Ok((Value::Null, Vec::new()));
        }
        let mut decoder = Decoder {
            tree: self,
            decoded: 0,
            aliased: 0,
            alias_depth: 0,
            aliased_bytes: 0,
            searched_pairs: 0,
            repeated: Vec::new(),
        };
        let value = decoder.value(0, 0)?;
        let repeated = decoder.repeated;
        Ok((value, repeated))
    }

    /// Follows a path from a node as far as it leads. Keys that are written twice or merged lead to the one that holds.
    pub(super) fn find(&self, root: NodeId, path: &[PathSegment]) -> Found {
        let mut found = Found { value: root, key: None, depth: 0 };
        for segment in path {
            let here = self.target(found.value);
            let step = match &self.nodes[here as usize].kind {
                Kind::Mapping(_) => match segment {
                    PathSegment::Key(key) => self.member(here, key, 0),
                    PathSegment::Index(index) => self.member(here, &index.to_string(), 0),
                }
                .map(|(key, value)| (Some(key), value)),
                Kind::Sequence(_) => {
                    let index = match segment {
                        PathSegment::Index(index) => Some(*index),
                        PathSegment::Key(key) => key.parse().ok(),
                    };
                    index.and_then(|index| self.elements(here).nth(index)).map(|value| (None, value))
                }
                Kind::Scalar { .. } | Kind::Alias(_) => None,
            };
            let Some((key, value)) = step else { break };
            found = Found { value, key, depth: found.depth + 1 };
        }
        found
    }

    /// The pair that holds for a key of a mapping: the last one that sets it, directly or by a merge.
    fn member(&self, mapping: NodeId, wanted: &str, depth: usize) -> Option<(NodeId, NodeId)> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut holds = None;
        for (key, value) in self.pairs(mapping) {
            if self.is_merge(key) {
                let value = self.target(value);
                let merged = match self.nodes[value as usize].kind {
                    Kind::Mapping(_) => self.member(value, wanted, depth + 1),
                    // The first of several merged objects wins.
                    _ => self.elements(value).find_map(|element| self.member(self.target(element), wanted, depth + 1)),
                };
                holds = merged.or(holds);
            } else if self.key(key).is_ok_and(|key| key == wanted) {
                holds = Some((key, value));
            }
        }
        holds
    }

    /// The path from a node to a key below it.
    pub(super) fn path(&self, from: NodeId, to: NodeId) -> Vec<PathSegment> {
        let mut path = Vec::new();
        let mut here = from;
        while here != to {
            // Nodes are numbered in the order they begin: the last child that does not begin after `to` holds it.
            let step = match self.nodes[here as usize].kind {
                Kind::Sequence(_) => self
                    .elements(here)
                    .enumerate()
                    .take_while(|(_, element)| *element <= to)
                    .last()
                    .map(|(index, element)| (PathSegment::Index(index), element)),
                Kind::Mapping(_) => {
                    self.pairs(here).take_while(|(key, _)| *key <= to).last().and_then(|(key, value)| {
                        let name = self.key(key).ok()?.into_owned();
                        Some((PathSegment::Key(name), if key == to { key } else { value }))
                    })
                }
                Kind::Scalar { .. } | Kind::Alias(_) => None,
            };
            let Some((segment, next)) = step else { break };
            path.push(segment);
            here = next;
        }
        path
    }
}

struct Decoder<'t> {
    tree: &'t mut Tree,
    /// Nodes decoded so far, and how many of them through aliases: go-yaml's measure of an alias bomb.
    decoded: usize,
    aliased: usize,
    alias_depth: usize,
    aliased_bytes: usize,
    searched_pairs: usize,
    repeated: Vec<Repeated>,
}

impl Decoder<'_> {
    fn count(&mut self, id: NodeId) -> Result<(), Failure> {
        self.decoded += 1;
        if self.alias_depth > 0 {
            self.aliased += 1;
        }
        if self.aliased > 100 && self.decoded > 1000 {
            let ratio = self.aliased as f64 / self.decoded as f64;
            if ratio > allowed_alias_ratio(self.decoded) {
                return Err(self.failure(id, "document contains excessive aliasing"));
            }
        }
        Ok(())
    }

    fn failure(&self, id: NodeId, message: &str) -> Failure {
        Failure::new(self.tree.span(id).start, message)
    }

    fn value(&mut self, id: NodeId, depth: usize) -> Result<Value, Failure> {
        self.count(id)?;
        match self.tree.nodes[id as usize].kind {
            Kind::Scalar { .. } => self.scalar(id),
            Kind::Alias(target) => {
                self.alias_depth += 1;
                let value = self.value(target, depth);
                self.alias_depth -= 1;
                value
            }
            Kind::Sequence(first) => {
                if depth >= MAX_DEPTH {
                    return Err(too_deep(self.tree.span(id).start));
                }
                let mut values = Vec::new();
                let mut child = first;
                while let Some(element) = child {
                    values.push(self.value(element, depth + 1)?);
                    child = self.tree.nodes[element as usize].next;
                }
                Ok(Value::Array(values))
            }
            Kind::Mapping(_) => {
                let mut members = Map::new();
                self.members(id, &mut members, depth, None)?;
                Ok(Value::Object(members))
            }
        }
    }

    fn scalar(&mut self, id: NodeId) -> Result<Value, Failure> {
        let node = &mut self.tree.nodes[id as usize];
        let at = node.span.start;
        let Kind::Scalar { text, tag, implicit } = &mut node.kind else {
            return Ok(Value::Null);
        };
        if self.alias_depth > 0 {
            self.aliased_bytes += text.len();
            if self.aliased_bytes > MAX_ALIASED_BYTES {
                return Err(Failure::new(at, "document contains excessive aliasing"));
            }
        }
        let value = match resolve(*tag, *implicit, text).map_err(|message| Failure::new(at, message))? {
            Scalar::Null => Value::Null,
            Scalar::Bool(truth) => Value::Bool(truth),
            Scalar::Int(number) => Value::from(number),
            Scalar::Uint(number) => Value::from(number),
            Scalar::Float(number) => match json_number(number) {
                Some(number) => Value::Number(number),
                None => return Err(Failure::new(at, format!("{text} cannot be expressed in JSON"))),
            },
            Scalar::Str(Cow::Owned(text)) => Value::String(text),
            Scalar::Str(Cow::Borrowed(_)) if self.tree.aliased => Value::String(text.to_string()),
            // Each node is decoded once: the text moves.
            Scalar::Str(Cow::Borrowed(_)) => Value::String(std::mem::take(text).into_string()),
        };
        Ok(value)
    }

    /// Adds the members of a mapping to an object. `host` is the mapping being merged into and the pair that says so.
    fn members(
        &mut self,
        mapping: NodeId,
        members: &mut Map<String, Value>,
        depth: usize,
        host: Option<(NodeId, NodeId)>,
    ) -> Result<(), Failure> {
        if depth >= MAX_DEPTH {
            return Err(too_deep(self.tree.span(mapping).start));
        }
        let mut pair = self.tree.pairs(mapping).next();
        while let Some((key, value)) = pair {
            if self.tree.is_merge(key) {
                self.merge(value, members, depth, (mapping, key))?;
            } else {
                self.count(key)?;
                let name = self.tree.key(key)?.into_owned();
                let decoded = self.value(value, depth + 1)?;
                match members.entry(name) {
                    serde_json::map::Entry::Vacant(entry) => {
                        entry.insert(decoded);
                    }
                    serde_json::map::Entry::Occupied(mut entry) => {
                        self.note_repeated(mapping, key, entry.key(), host);
                        entry.insert(decoded);
                    }
                }
            }
            pair =
                self.tree.nodes[value as usize].next.and_then(|key| Some((key, self.tree.nodes[key as usize].next?)));
        }
        Ok(())
    }

    /// Notes a key that sets anew what the same mapping, or the one it is merged into, has set before.
    fn note_repeated(&mut self, mapping: NodeId, key: NodeId, name: &str, host: Option<(NodeId, NodeId)>) {
        if self.repeated.len() >= MAX_NOTICES {
            return;
        }
        let repeated = match self.earlier_key(mapping, key, name) {
            Some(first) => Some((first, false)),
            None => host.and_then(|(host, before)| Some((self.earlier_key(host, before, name)?, true))),
        };
        if let Some((first, merged)) = repeated {
            self.repeated.push(Repeated { first, second: key, merged });
        }
    }

    fn earlier_key(&mut self, mapping: NodeId, before: NodeId, name: &str) -> Option<NodeId> {
        let mut found = None;
        for (key, _) in self.tree.pairs(mapping).take_while(|(key, _)| *key != before) {
            self.searched_pairs += 1;
            if self.searched_pairs > MAX_SEARCHED_PAIRS {
                return None;
            }
            if !self.tree.is_merge(key) && self.tree.key(key).is_ok_and(|key| key == name) {
                found = Some(key);
            }
        }
        found
    }

    /// A merge key `<<`. As in go-yaml v2 its members replace those written before it, and those written after replace its own.
    fn merge(
        &mut self,
        id: NodeId,
        members: &mut Map<String, Value>,
        depth: usize,
        host: (NodeId, NodeId),
    ) -> Result<(), Failure> {
        const WANT_MAP: &str = "map merge requires map or sequence of maps as the value";
        if depth >= MAX_DEPTH {
            return Err(too_deep(self.tree.span(id).start));
        }
        match self.tree.nodes[id as usize].kind {
            Kind::Mapping(_) => {
                self.count(id)?;
                self.members(id, members, depth + 1, Some(host))
            }
            Kind::Alias(target) if matches!(self.tree.nodes[target as usize].kind, Kind::Mapping(_)) => {
                self.count(id)?;
                self.alias_depth += 1;
                let merged = self.merge(target, members, depth, host);
                self.alias_depth -= 1;
                merged
            }
            Kind::Sequence(_) => {
                let elements: Vec<NodeId> = self.tree.elements(id).collect();
                // From the last to the first, as earlier objects take precedence.
                for element in elements.into_iter().rev() {
                    if matches!(self.tree.nodes[element as usize].kind, Kind::Sequence(_)) {
                        return Err(self.failure(element, WANT_MAP));
                    }
                    self.merge(element, members, depth + 1, host)?;
                }
                Ok(())
            }
            Kind::Scalar { .. } | Kind::Alias(_) => Err(self.failure(id, WANT_MAP)),
        }
    }
}

/// go-yaml's bound on the share of decoded nodes that may come from aliases: 99 % up to 400,000 nodes, then falling to
/// 10 % at 4,000,000 (`decode.go`, `allowedAliasRatio`).
fn allowed_alias_ratio(decoded: usize) -> f64 {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    let decoded = decoded as f64;
    0.99 - 0.89 * ((decoded - LOW) / (HIGH - LOW)).clamp(0.0, 1.0)
}

/// A float as JSON text would give it back: Go writes 1.0 as `1`, which then is an integer. None for what JSON cannot say.
fn json_number(number: f64) -> Option<Number> {
    const I64_END: f64 = 9_223_372_036_854_775_808.0;
    if number.fract() == 0.0 && (-I64_END..I64_END).contains(&number) {
        Some(Number::from(number as i64))
    } else {
        Number::from_f64(number)
    }
}
