//! Collections that are put together step by step.

use std::cmp::Ordering;
use std::mem::ManuallyDrop;

use bumpalo::collections::Vec;

use crate::{Answer, Context, Stop, Value};

/// Room that the first element of a collection makes.
const FIRST: usize = 4;

/// What grows in the arena. It is never dropped: a rule has many ends, and to give back at each what may be the last thing in the arena
/// costs more time and code than the room is worth.
type Growing<'a, T> = ManuallyDrop<Vec<'a, T>>;

/// A local that things are added to. What is added is sorted, and doubles are removed, when it is read.
pub enum Builder<'a> {
    /// Nothing was added since it was read.
    Value(Value<'a>),
    Array(Growing<'a, Value<'a>>),
    /// Entries; `true` where two values of one key are a conflict.
    Object(Growing<'a, (Value<'a>, Value<'a>)>, bool),
    Set(Growing<'a, Value<'a>>),
}

impl<'a> Builder<'a> {
    /// Nothing that could be added to.
    pub const UNDEFINED: Self = Self::Value(Value::Undefined);

    #[must_use]
    pub fn array(context: &Context<'a>) -> Self {
        Self::Array(empty(context))
    }

    #[must_use]
    pub fn object(context: &Context<'a>) -> Self {
        Self::Object(empty(context), false)
    }

    #[must_use]
    pub fn set(context: &Context<'a>) -> Self {
        Self::Set(empty(context))
    }

    #[must_use]
    pub const fn is_undefined(&self) -> bool {
        matches!(self, Self::Value(Value::Undefined))
    }

    /// Adds an element to an array.
    pub fn append(&mut self, context: &Context<'a>, value: Value<'a>) {
        if let Self::Value(old) = self {
            *self = Self::Array(growing(context, context.elements(*old)));
        }
        if let Self::Array(elements) = self {
            push(elements, value);
        }
    }

    /// Adds an element to a set.
    pub fn add(&mut self, context: &Context<'a>, value: Value<'a>) {
        if let Self::Value(old) = self {
            *self = Self::Set(growing(context, context.elements(*old)));
        }
        if let Self::Set(elements) = self {
            push(elements, value);
        }
    }

    /// Sets a key of an object.
    pub fn insert(&mut self, context: &Context<'a>, key: Value<'a>, value: Value<'a>) {
        if let Self::Value(old) = self {
            *self = Self::Object(growing(context, context.entries_of_object(*old)), false);
        }
        if let Self::Object(entries, _) = self {
            push(entries, (key, value));
        }
    }

    /// Sets a key of an object, which has no other value for it.
    pub fn insert_once(&mut self, context: &Context<'a>, key: Value<'a>, value: Value<'a>) {
        self.insert(context, key, value);
        if let Self::Object(_, once) = self {
            *once = true;
        }
    }

    /// What has been put together, in a rule that has a name.
    ///
    /// # Errors
    /// As [`Builder::read`].
    #[inline(never)]
    pub fn read_in(&mut self, context: &Context<'a>, rule: &'a str) -> Answer<'a> {
        let value = match self {
            Self::Value(value) => return Ok(*value),
            // Most are empty: rules look for what is wrong.
            Self::Array(elements) if elements.is_empty() => Value::EMPTY_ARRAY,
            Self::Set(elements) if elements.is_empty() => Value::EMPTY_SET,
            Self::Object(entries, _) if entries.is_empty() => Value::EMPTY_OBJECT,
            _ => return self.read(context).map_err(|ended| context.within(rule, ended)),
        };
        *self = Self::Value(value);
        Ok(value)
    }

    /// What has been put together.
    ///
    /// # Errors
    /// [`Stop::Conflict`] when a key that can have one value has two.
    pub fn read(&mut self, context: &Context<'a>) -> Answer<'a> {
        let value = match std::mem::replace(self, Self::UNDEFINED) {
            Self::Value(value) => value,
            Self::Array(elements) => context.array_of(finished(elements)),
            Self::Set(mut elements) => {
                elements.sort_by(|a, b| a.word_order(*b));
                elements.dedup_by(|later, first| later.equals(*first));
                context.set_of(finished(elements))
            }
            Self::Object(mut entries, once) => {
                if entries.windows(2).any(|pair| pair[0].0.word_order(pair[1].0) != Ordering::Less) {
                    entries.sort_by(|a, b| a.0.word_order(b.0));
                    if once
                        && entries.windows(2).any(|pair| pair[0].0.equals(pair[1].0) && !pair[0].1.equals(pair[1].1))
                    {
                        return Err(context.end(Stop::Conflict));
                    }
                    entries.dedup_by(|later, first| {
                        let same = later.0.equals(first.0);
                        if same {
                            first.1 = later.1;
                        }
                        same
                    });
                }
                context.object_of(finished(entries))
            }
        };
        *self = Self::Value(value);
        Ok(value)
    }
}

fn empty<'a, T>(context: &Context<'a>) -> Growing<'a, T> {
    ManuallyDrop::new(Vec::new_in(context.arena()))
}

fn finished<'a, T>(elements: Growing<'a, T>) -> &'a [T] {
    ManuallyDrop::into_inner(elements).into_bump_slice()
}

/// The first element makes room for a few: most collections have more than one.
fn push<T>(elements: &mut Growing<'_, T>, element: T) {
    if elements.capacity() == 0 {
        elements.reserve_exact(FIRST);
    }
    elements.push(element);
}

fn growing<'a, T: Copy>(context: &Context<'a>, old: &[T]) -> Growing<'a, T> {
    let mut growing = Vec::with_capacity_in(old.len() + 1, context.arena());
    growing.extend_from_slice(old);
    ManuallyDrop::new(growing)
}
