//! Values of one evaluation.

use std::cmp::Ordering;

use crate::kept::{self, Kept};
use crate::number::{self, Number};
use crate::words::Rank;

/// A value of Rego: 16 bytes, copied freely; what it refers to lives in the arena of its evaluation, or in the program.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// No value.
    Undefined,
    Null,
    Bool(bool),
    /// A whole number that is written as one.
    Int(i64),
    /// Any other number.
    Number(&'a Number<'a>),
    /// A text, and its rank among the words of the program: a text has one if and only if it is among them.
    Text(Rank, &'a &'a str),
    Array(&'a &'a [Value<'a>]),
    /// Sorted by key.
    Object(&'a &'a [(Value<'a>, Value<'a>)]),
    /// Sorted.
    Set(&'a &'a [Value<'a>]),
    /// An array or an object that outlives the evaluation.
    Kept(&'a Kept),
}

impl<'a> Value<'a> {
    #[must_use]
    pub const fn is_undefined(self) -> bool {
        matches!(self, Self::Undefined)
    }

    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text(..))
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
            Self::Text(_, text) => Some(*text),
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
            (Self::Text(rank, a), Self::Text(other, b)) => {
                if rank != 0 && other != 0 {
                    rank.cmp(&other)
                } else {
                    a.cmp(b)
                }
            }
            (Self::Bool(a), Self::Bool(b)) => a.cmp(&b),
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

    /// The same, at little cost where both are words of the program, as keys nearly always are.
    #[inline]
    pub(crate) fn word_order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Text(rank @ 1.., _), Self::Text(known @ 1.., _)) => rank.cmp(&known),
            _ => self.order(other),
        }
    }

    /// Whether two values are equal.
    #[must_use]
    pub fn equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Text(rank, a), Self::Text(other, b)) => rank == other && (rank != 0 || a == b),
            (Self::Bool(a), Self::Bool(b)) => a == b,
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
            Self::Bool(_) => 2,
            Self::Int(_) | Self::Number(_) => 3,
            Self::Text(..) => 4,
            Self::Array(_) => 5,
            Self::Object(_) => 6,
            Self::Set(_) => 7,
            Self::Kept(kept) => kept.kind(),
        }
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.equals(*other)
    }
}
