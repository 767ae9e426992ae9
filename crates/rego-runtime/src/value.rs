//! Values of one evaluation.

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::Deref;
use std::ptr;

use crate::kept::{self, Kept};
use crate::number::{self, Number};
use crate::words::Rank;

/// A value of Rego: 16 bytes, copied freely; what it refers to lives in the arena of its evaluation, or in the program.
///
/// No variant has more than one field, and each field fills eight bytes: so a value is passed and returned in two registers, and
/// compiled rules, which do little else, take half the room. Undefined stands last, beside what an [`crate::Answer`] that ended has
/// there, and false before it: so compiled rules ask for both, or for all three, with one comparison.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Null,
    True,
    /// A whole number that is written as one.
    Int(i64),
    /// Any other number.
    Number(&'a Number<'a>),
    /// A text that is among the words of the program, as its place there: two words are equal where their places are, and in the order
    /// of their places.
    Word(&'static &'static str),
    /// A text that is none of them.
    Text(&'a &'a str),
    Array(&'a &'a [Value<'a>]),
    Object(&'a Object<'a>),
    /// Sorted.
    Set(&'a &'a [Value<'a>]),
    /// An array or an object that outlives the evaluation.
    Kept(&'a Kept),
    False,
    /// No value.
    Undefined,
}

/// Entries of this many are looked at one by one, where there is no table of them.
const FEW: usize = 24;

/// The entries of an object, sorted by key, and where words among the keys are found.
#[derive(Debug)]
pub struct Object<'a> {
    entries: &'a [(Value<'a>, Value<'a>)],
    /// For each word among the keys the bit that its rank has here, so that most of what is not there need not be looked for. Bits of
    /// words that are not there cost a search and nothing else.
    words: u64,
    /// Where there are many entries, and not too many for it, a hash table of the words: see [`rego_plan::words::places`].
    places: &'a [u16],
}

impl<'a> Object<'a> {
    pub const EMPTY: Self = Self::new(&[], 0, &[]);

    /// Entries that are sorted and without doubles; what [`rego_plan::words::bits`] and [`rego_plan::words::places`] give for the ranks
    /// of their keys.
    #[must_use]
    pub const fn new(entries: &'a [(Value<'a>, Value<'a>)], words: u64, places: &'a [u16]) -> Self {
        Self { entries, words, places }
    }

    pub(crate) const fn words(&self) -> u64 {
        self.words
    }

    pub(crate) const fn entries(&self) -> &'a [(Value<'a>, Value<'a>)] {
        self.entries
    }

    /// The value of a key that is a word, of that rank; undefined where it is not there. `place` is where it was found the last time:
    /// the objects that rules read by one word are mostly of one kind, and have it in one place.
    #[inline]
    pub(crate) fn word(&self, word: &'static &'static str, rank: Rank, place: &Cell<u16>) -> Value<'a> {
        if self.words & rego_plan::words::bit(rank as usize) == 0 {
            return Value::Undefined;
        }
        match self.entries.get(usize::from(place.get())) {
            Some((key, value)) if key.is_word(word) => *value,
            _ => self.search(word, rank, place),
        }
    }

    #[inline(never)]
    fn search(&self, word: &'static &'static str, rank: Rank, place: &Cell<u16>) -> Value<'a> {
        let found = if self.places.is_empty() {
            if self.entries.len() <= FEW {
                self.entries.iter().position(|(key, _)| key.is_word(word))
            } else {
                self.entries.binary_search_by(|(key, _)| key.word_order(Value::Word(word))).ok()
            }
        } else {
            let mask = self.places.len() - 1;
            let mut slot = rank as usize & mask;
            loop {
                // A slot that is empty holds 0, and no entry has the place before the first one.
                let at = usize::from(self.places[slot & mask]).wrapping_sub(1);
                match self.entries.get(at) {
                    Some((key, _)) if key.is_word(word) => break Some(at),
                    Some(_) => slot += 1,
                    None => break None,
                }
            }
        };
        let Some(at) = found else { return Value::Undefined };
        place.set(u16::try_from(at).unwrap_or_default());
        self.entries[at].1
    }
}

impl<'a> Deref for Object<'a> {
    type Target = [(Value<'a>, Value<'a>)];

    #[inline]
    fn deref(&self) -> &Self::Target {
        self.entries
    }
}

impl<'a> Value<'a> {
    pub const EMPTY_ARRAY: Self = Self::Array(&(&[] as &[_]));
    pub const EMPTY_SET: Self = Self::Set(&(&[] as &[_]));
    /// An object without entries.
    pub const EMPTY_OBJECT: Self = Self::Object(&Object::EMPTY);

    #[must_use]
    pub const fn is_undefined(self) -> bool {
        matches!(self, Self::Undefined)
    }

    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Word(_) | Self::Text(_))
    }

    #[must_use]
    pub const fn is_number(self) -> bool {
        matches!(self, Self::Int(_) | Self::Number(_))
    }

    #[must_use]
    pub const fn is_array(self) -> bool {
        matches!(self, Self::Array(_) | Self::Kept(Kept::Array(_)))
    }

    #[must_use]
    pub const fn is_object(self) -> bool {
        matches!(self, Self::Object(_) | Self::Kept(Kept::Object(_)))
    }

    #[must_use]
    pub const fn is_set(self) -> bool {
        matches!(self, Self::Set(_))
    }

    /// The text.
    #[must_use]
    pub const fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Word(text) => Some(*text),
            Self::Text(text) => Some(*text),
            _ => None,
        }
    }

    /// The truth.
    #[must_use]
    pub const fn as_bool(self) -> Option<bool> {
        match self {
            Self::False => Some(false),
            Self::True => Some(true),
            _ => None,
        }
    }

    /// A whole number of 64 bits; 1.0 is one too.
    #[must_use]
    pub const fn as_int(self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(int),
            Self::Number(number) => number.int(),
            _ => None,
        }
    }

    /// How many elements there are; `None` for what is no collection.
    #[must_use]
    pub fn length(self) -> Option<usize> {
        match self {
            Self::Array(elements) | Self::Set(elements) => Some(elements.len()),
            Self::Object(entries) => Some(entries.len()),
            Self::Kept(Kept::Array(elements)) => Some(elements.len()),
            Self::Kept(Kept::Object(fields)) => Some(fields.len()),
            _ => None,
        }
    }

    /// The order of values in Rego: null, false, true, numbers, texts, arrays, objects, sets.
    #[must_use]
    pub fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(&b),
            (Self::Word(a), Self::Word(b)) => ptr::from_ref(a).cmp(&ptr::from_ref(b)),
            (Self::Word(a), Self::Text(b)) => (**a).cmp(*b),
            (Self::Text(a), Self::Word(b)) => (**a).cmp(*b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::False, Self::True) => Ordering::Less,
            (Self::True, Self::False) => Ordering::Greater,
            (Self::Int(_) | Self::Number(_), Self::Int(_) | Self::Number(_)) => number::order(self, other),
            (Self::Array(a), Self::Array(b)) | (Self::Set(a), Self::Set(b)) => {
                let mut pairs = a.iter().zip(b.iter()).map(|(a, b)| a.order(*b));
                pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Self::Object(a), Self::Object(b)) => {
                let mut pairs = a.iter().zip(b.iter()).map(|(a, b)| a.0.order(b.0).then_with(|| a.1.order(b.1)));
                pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Self::Kept(a), Self::Kept(b)) => kept::order(a, b),
            (Self::Kept(kept), value) => kept::order_to_value(kept, value),
            (value, Self::Kept(kept)) => kept::order_to_value(kept, value).reverse(),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    /// `self < other`
    #[inline]
    #[must_use]
    pub fn lt(self, other: Self) -> bool {
        self.compared(other, |a, b| a < b, Ordering::is_lt)
    }

    /// `self <= other`
    #[inline]
    #[must_use]
    pub fn lte(self, other: Self) -> bool {
        self.compared(other, |a, b| a <= b, Ordering::is_le)
    }

    /// `self > other`
    #[inline]
    #[must_use]
    pub fn gt(self, other: Self) -> bool {
        self.compared(other, |a, b| a > b, Ordering::is_gt)
    }

    /// `self >= other`
    #[inline]
    #[must_use]
    pub fn gte(self, other: Self) -> bool {
        self.compared(other, |a, b| a >= b, Ordering::is_ge)
    }

    /// At little cost where both are whole numbers, as they nearly always are.
    #[inline]
    fn compared(self, other: Self, ints: impl Fn(i64, i64) -> bool, orders: impl Fn(Ordering) -> bool) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => ints(a, b),
            _ => orders(self.order(other)),
        }
    }

    /// [`Value::order`], at little cost where both are words of the program, as keys nearly always are.
    #[inline]
    pub(crate) fn word_order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Word(a), Self::Word(b)) => ptr::from_ref(a).cmp(&ptr::from_ref(b)),
            _ => self.order(other),
        }
    }

    /// Whether two values are equal.
    #[must_use]
    pub fn equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Word(a), Self::Word(b)) => ptr::eq(a, b),
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Word(_), Self::Text(_)) | (Self::Text(_), Self::Word(_)) => false,
            (Self::Array(a), Self::Array(b)) | (Self::Set(a), Self::Set(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.equals(*b))
            }
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.0.equals(b.0) && a.1.equals(b.1))
            }
            _ => self.kind() == other.kind() && self.order(other).is_eq(),
        }
    }

    /// The place of the value's type in the order of types.
    pub(crate) const fn kind(self) -> u8 {
        match self {
            Self::Undefined => 0,
            Self::Null => 1,
            Self::False | Self::True => 2,
            Self::Int(_) | Self::Number(_) => 3,
            Self::Word(_) | Self::Text(_) => 4,
            Self::Array(_) => 5,
            Self::Object(_) => 6,
            Self::Set(_) => 7,
            Self::Kept(kept) => kept.kind(),
        }
    }
}

impl From<bool> for Value<'_> {
    #[inline]
    fn from(truth: bool) -> Self {
        if truth { Self::True } else { Self::False }
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.equals(*other)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Context, Limits, Value, Words};

    static TEXTS: [&str; 3] = ["absent", "first", "middle"];
    static WORDS: Words = Words::new(&TEXTS, &[], 6);

    #[test]
    fn words_are_found_in_objects_of_every_size() {
        let arena = Arena::new();
        let context = Context::new(&arena, &WORDS, Limits::default());
        for size in [2, 20, 100, 70_000] {
            let mut keys: Vec<Value<'_>> = [2, 3].map(|rank| context.word(rank)).into();
            keys.extend(
                (2..size).map(|number| Value::Text(arena.alloc(arena.alloc_str(&format!("key{number}")) as &str))),
            );
            keys.sort_by(|a, b| a.order(*b));
            let entries: Vec<_> = keys.iter().map(|key| (*key, *key)).collect();
            let object = context.object(&entries);
            assert!(
                context.field(object, 2).is_word(&TEXTS[1]) && context.field(object, 3).is_word(&TEXTS[2]),
                "{size}"
            );
            assert!(context.field(object, 1).is_undefined() && context.dot(object, context.word(1)).is_undefined());
            let last = keys[size - 1];
            assert_eq!(context.dot(object, last), last);
        }
    }
}
