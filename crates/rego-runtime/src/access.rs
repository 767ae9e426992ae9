//! Reading collections.

use crate::kept::Kept;
use crate::value::Object;
use crate::words::Rank;
use crate::{Answer, Context, Value};

impl<'a> Context<'a> {
    /// `source[key]`; undefined where there is nothing.
    #[inline(never)]
    #[must_use]
    pub fn dot(&self, source: Value<'a>, key: Value<'a>) -> Value<'a> {
        match (source, key) {
            (Value::Object(object), Value::Word(word)) => self.word_in(object, word),
            _ => self.dot_otherwise(source, key),
        }
    }

    /// `object[word]`
    #[inline]
    pub(crate) fn word_in(&self, object: &Object<'a>, word: &'static &'static str) -> Value<'a> {
        let rank = self.words().rank_of(word);
        object.word(word, rank, self.place(rank))
    }

    #[inline(never)]
    fn dot_otherwise(&self, source: Value<'a>, key: Value<'a>) -> Value<'a> {
        match source {
            Value::Object(object) => find(object, key).map_or(Value::Undefined, |at| object[at].1),
            Value::Array(elements) => index(key).and_then(|at| elements.get(at).copied()).unwrap_or(Value::Undefined),
            Value::Set(elements) => {
                let place = elements.binary_search_by(|element| element.word_order(key));
                place.map_or(Value::Undefined, |at| elements[at])
            }
            Value::Kept(kept) => self.dot_kept(kept, key),
            _ => Value::Undefined,
        }
    }

    /// `source[key]` where the key is a word of the program; undefined, too, where the evaluation has ended. Compiled rules read most of
    /// what they read by it, in so many places that what is inlined would not fit the cache.
    #[inline(never)]
    #[must_use]
    pub fn field_of(&self, source: Answer<'a>, word: Rank) -> Value<'a> {
        let Ok(Value::Object(object)) = source else { return self.field_otherwise(source, word) };
        object.word(self.words().text(word), word, self.place(word))
    }

    /// The same of a value.
    #[inline]
    #[must_use]
    pub fn field(&self, source: Value<'a>, word: Rank) -> Value<'a> {
        self.field_of(Ok(source), word)
    }

    #[inline(never)]
    fn field_otherwise(&self, source: Answer<'a>, word: Rank) -> Value<'a> {
        match source {
            Ok(Value::Kept(Kept::Object(fields))) => {
                fields.get(self.words().text(word)).map_or(Value::Undefined, |value| self.of_kept(value))
            }
            Ok(set @ Value::Set(_)) => self.dot(set, self.word(word)),
            _ => Value::Undefined,
        }
    }

    fn dot_kept(&self, kept: &'a Kept, key: Value<'a>) -> Value<'a> {
        match kept {
            Kept::Object(fields) => {
                key.as_text().and_then(|name| fields.get(name)).map_or(Value::Undefined, |value| self.of_kept(value))
            }
            Kept::Array(elements) => {
                index(key).and_then(|at| elements.get(at)).map_or(Value::Undefined, |value| self.of_kept(value))
            }
            _ => Value::Undefined,
        }
    }

    /// The keys and values of a collection: places and elements of an array, elements twice of a set; nothing of other values.
    #[must_use]
    pub fn entries<'c>(&'c self, source: Value<'a>) -> Entries<'c, 'a> {
        Entries { context: self, source, next: 0 }
    }

    /// The values of a collection.
    #[must_use]
    pub fn values<'c>(&'c self, source: Value<'a>) -> Values<'c, 'a> {
        Values { context: self, source, next: 0 }
    }

    /// The entries of an object, for operations on whole ones; nothing of other values.
    #[must_use]
    pub fn entries_of_object(&self, object: Value<'a>) -> &'a [(Value<'a>, Value<'a>)] {
        match object {
            Value::Object(object) => object.entries(),
            Value::Kept(Kept::Object(fields)) => {
                let entries = fields.0.iter().map(|(name, value)| (self.text_of(name), self.of_kept(value)));
                self.arena().alloc_slice_fill_iter(entries)
            }
            _ => &[],
        }
    }

    /// The elements of an array or a set, for operations on whole ones; nothing of other values.
    #[must_use]
    pub fn elements(&self, collection: Value<'a>) -> &'a [Value<'a>] {
        match collection {
            Value::Array(elements) | Value::Set(elements) => elements,
            Value::Kept(Kept::Array(elements)) => {
                self.arena().alloc_slice_fill_iter(elements.iter().map(|element| self.of_kept(element)))
            }
            _ => &[],
        }
    }

    /// A value with another one at a path; objects on the way are made where there are none.
    #[must_use]
    pub fn upsert(&self, value: Value<'a>, path: &[Value<'a>], new: Value<'a>) -> Value<'a> {
        let [key, rest @ ..] = path else { return new };
        let inner = self.upsert(self.dot(value, *key), rest, new);
        let old = self.entries_of_object(value);
        let mut entries = bumpalo::collections::Vec::with_capacity_in(old.len() + 1, self.arena());
        entries.extend_from_slice(old);
        match entries.binary_search_by(|(other, _)| other.word_order(*key)) {
            Ok(at) => entries[at].1 = inner,
            Err(at) => entries.insert(at, (*key, inner)),
        }
        self.object_of(entries.into_bump_slice())
    }
}

/// The place of a key among the entries of an object.
pub fn find(entries: &[(Value<'_>, Value<'_>)], key: Value<'_>) -> Option<usize> {
    entries.binary_search_by(|(other, _)| other.word_order(key)).ok()
}

fn index(key: Value<'_>) -> Option<usize> {
    key.as_int().and_then(|int| usize::try_from(int).ok())
}

/// The keys and values of a collection.
pub struct Entries<'c, 'a> {
    context: &'c Context<'a>,
    source: Value<'a>,
    next: usize,
}

impl<'a> Iterator for Entries<'_, 'a> {
    type Item = (Value<'a>, Value<'a>);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next;
        self.next += 1;
        let place = || Value::Int(i64::try_from(at).unwrap_or(i64::MAX));
        match self.source {
            Value::Object(entries) => entries.get(at).copied(),
            Value::Array(elements) => elements.get(at).map(|value| (place(), *value)),
            Value::Set(elements) => elements.get(at).map(|value| (*value, *value)),
            Value::Kept(Kept::Array(elements)) => elements.get(at).map(|value| (place(), self.context.of_kept(value))),
            Value::Kept(Kept::Object(fields)) => {
                let (name, value) = fields.0.get(at)?;
                Some((self.context.text_of(name), self.context.of_kept(value)))
            }
            _ => None,
        }
    }
}

/// The values of a collection: their keys, which nobody asks for, are not looked up.
pub struct Values<'c, 'a> {
    context: &'c Context<'a>,
    source: Value<'a>,
    next: usize,
}

impl<'a> Iterator for Values<'_, 'a> {
    type Item = Value<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next;
        self.next += 1;
        match self.source {
            Value::Object(entries) => entries.get(at).map(|entry| entry.1),
            Value::Array(elements) | Value::Set(elements) => elements.get(at).copied(),
            Value::Kept(Kept::Array(elements)) => elements.get(at).map(|value| self.context.of_kept(value)),
            Value::Kept(Kept::Object(fields)) => fields.0.get(at).map(|(_, value)| self.context.of_kept(value)),
            _ => None,
        }
    }
}
