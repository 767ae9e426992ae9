//! Arrays, objects and sets.

use std::cmp::Ordering;

use bumpalo::collections::Vec as Growing;

use super::{Fault, Given, int_in, number_of};
use crate::access::find;
use crate::{Context, Value};

type Entry<'a> = (Value<'a>, Value<'a>);

fn elements_in<'a>(context: &Context<'a>, value: Value<'a>) -> Result<&'a [Value<'a>], Fault> {
    if value.is_array() || value.is_set() { Ok(context.elements(value)) } else { Err(Fault::Undefined) }
}

fn array_in<'a>(context: &Context<'a>, value: Value<'a>) -> Result<&'a [Value<'a>], Fault> {
    if value.is_array() { Ok(context.elements(value)) } else { Err(Fault::Undefined) }
}

fn set_in(value: Value<'_>) -> Result<&[Value<'_>], Fault> {
    match value {
        Value::Set(elements) => Ok(elements),
        _ => Err(Fault::Undefined),
    }
}

fn entries_in<'a>(context: &Context<'a>, value: Value<'a>) -> Result<&'a [Entry<'a>], Fault> {
    if value.is_object() { Ok(context.entries_of_object(value)) } else { Err(Fault::Undefined) }
}

fn growing<'a, T>(context: &Context<'a>, capacity: usize) -> Growing<'a, T> {
    Growing::with_capacity_in(capacity, context.arena())
}

/// A set of elements in any order.
pub(super) fn set_of<'a>(context: &Context<'a>, mut elements: Growing<'a, Value<'a>>) -> Value<'a> {
    elements.sort_by(|a, b| a.word_order(*b));
    elements.dedup_by(|later, first| later.equals(*first));
    context.set_of(elements.into_bump_slice())
}

/// `count(x)`
///
/// # Errors
/// When it is neither a collection nor a text.
pub(super) fn count<'a>(_: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    match arguments[0].as_text() {
        Some(text) => Ok(number_of(text.chars().count())),
        None => arguments[0].length().map(number_of).ok_or(Fault::Undefined),
    }
}

/// `array.concat(a, b)`
///
/// # Errors
/// When one is no array.
pub(super) fn array_concat<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (first, second) = (array_in(context, arguments[0])?, array_in(context, arguments[1])?);
    if first.is_empty() || second.is_empty() {
        return Ok(arguments[usize::from(first.is_empty())]);
    }
    let mut all = growing(context, first.len() + second.len());
    all.extend_from_slice(first);
    all.extend_from_slice(second);
    Ok(context.array_of(all.into_bump_slice()))
}

/// `array.reverse(a)`
///
/// # Errors
/// When it is no array.
pub(super) fn array_reverse<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let elements = array_in(context, arguments[0])?;
    Ok(context.array_of(context.arena().alloc_slice_fill_iter(elements.iter().rev().copied())))
}

/// `array.slice(a, start, stop)`
///
/// # Errors
/// When the arguments are no array and two whole numbers.
pub(super) fn array_slice<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let elements = array_in(context, arguments[0])?;
    let (start, stop) = (int_in(arguments[1])?, int_in(arguments[2])?);
    let stop = usize::try_from(stop.max(0)).unwrap_or(usize::MAX).min(elements.len());
    let start = usize::try_from(start.max(0)).unwrap_or(usize::MAX).min(stop);
    Ok(context.array_of(&elements[start..stop]))
}

/// `x in collection`
///
/// # Errors
/// None.
pub(super) fn internal_member_2<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (member, collection) = (arguments[0], arguments[1]);
    Ok(Value::from(match collection {
        Value::Set(_) => !context.dot(collection, member).is_undefined(),
        Value::Array(elements) => match member {
            Value::Word(word) => elements.iter().any(|element| element.is_word(word)),
            _ => elements.iter().any(|element| element.equals(member)),
        },
        _ => context.values(collection).any(|value| value.equals(member)),
    }))
}

/// `key, x in collection`
///
/// # Errors
/// None.
pub(super) fn internal_member_3<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let found = context.dot(arguments[2], arguments[0]);
    Ok(Value::from(!found.is_undefined() && found.equals(arguments[1])))
}

/// `max(x)`
///
/// # Errors
/// When it is empty, or no array or set.
pub(super) fn max<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let elements = elements_in(context, arguments[0])?.iter().copied();
    elements.max_by(|a, b| a.order(*b)).ok_or(Fault::Undefined)
}

/// `min(x)`
///
/// # Errors
/// When it is empty, or no array or set.
pub(super) fn min<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let elements = elements_in(context, arguments[0])?.iter().copied();
    elements.rev().min_by(|a, b| a.order(*b)).ok_or(Fault::Undefined)
}

/// `sort(x)`
///
/// # Errors
/// When it is no array or set.
pub(super) fn sort<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let elements = elements_in(context, arguments[0])?;
    if arguments[0].is_set() {
        return Ok(context.array_of(elements));
    }
    let sorted = context.arena().alloc_slice_copy(elements);
    sorted.sort_by(|a, b| a.word_order(*b));
    Ok(context.array_of(sorted))
}

/// `a & b`
///
/// # Errors
/// When one is no set.
pub(super) fn and<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (first, _) = (set_in(arguments[0])?, set_in(arguments[1])?);
    Ok(kept(context, first, |element| !context.dot(arguments[1], element).is_undefined()))
}

/// `a | b`
///
/// # Errors
/// When one is no set.
pub(super) fn or<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (first, second) = (set_in(arguments[0])?, set_in(arguments[1])?);
    let mut all = growing(context, first.len() + second.len());
    all.extend_from_slice(first);
    all.extend_from_slice(second);
    Ok(set_of(context, all))
}

/// `a - b` of sets.
pub(super) fn difference<'a>(context: &Context<'a>, first: Value<'a>, second: Value<'a>) -> Given<'a> {
    let (elements, _) = (set_in(first)?, set_in(second)?);
    Ok(kept(context, elements, |element| context.dot(second, element).is_undefined()))
}

fn kept<'a>(context: &Context<'a>, elements: &[Value<'a>], wanted: impl Fn(Value<'a>) -> bool) -> Value<'a> {
    let mut some = growing(context, elements.len());
    some.extend(elements.iter().copied().filter(|element| wanted(*element)));
    context.set_of(some.into_bump_slice())
}

/// `union(sets)`
///
/// # Errors
/// When it is no set of sets.
pub(super) fn union<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let mut all = growing(context, 0);
    for set in set_in(arguments[0])? {
        all.extend_from_slice(set_in(*set)?);
    }
    Ok(set_of(context, all))
}

/// `intersection(sets)`
///
/// # Errors
/// When it is no set of sets.
pub(super) fn intersection<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let [first, rest @ ..] = set_in(arguments[0])? else { return Ok(arguments[0]) };
    set_in(*first)?;
    rest.iter().try_fold(*first, |all, set| and(context, &[all, *set]))
}

/// `object.get(object, key, default)`; an array as key is a path.
///
/// # Errors
/// When the first argument is no object.
pub(super) fn object_get<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (object, key, default) = (arguments[0], arguments[1], arguments[2]);
    if !object.is_object() {
        return Err(Fault::Undefined);
    }
    let found = match key {
        Value::Array(path) => {
            let mut found = object;
            for key in path.iter() {
                found = match (found, *key) {
                    (Value::Object(object), Value::Word(word)) => context.word_in(object, word),
                    (other, key) => context.dot(other, key),
                };
                if found.is_undefined() {
                    break;
                }
            }
            found
        }
        Value::Kept(_) if key.is_array() => context.values(key).fold(object, |value, key| context.dot(value, key)),
        _ => context.dot(object, key),
    };
    Ok(if found.is_undefined() { default } else { found })
}

/// `object.keys(object)`
///
/// # Errors
/// When it is no object.
pub(super) fn object_keys<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let entries = entries_in(context, arguments[0])?;
    Ok(context.set_of(context.arena().alloc_slice_fill_iter(entries.iter().map(|(key, _)| *key))))
}

/// The keys that an array, a set or an object names, as a set.
fn keys_in<'a>(context: &Context<'a>, value: Value<'a>) -> Given<'a> {
    if value.is_object() {
        return object_keys(context, &[value]);
    }
    let elements = elements_in(context, value)?;
    if value.is_set() {
        return Ok(value);
    }
    let mut keys = growing(context, elements.len());
    keys.extend_from_slice(elements);
    Ok(set_of(context, keys))
}

/// `object.filter(object, keys)`
///
/// # Errors
/// When the arguments are no object and no collection.
pub(super) fn object_filter<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    entries_where(context, arguments, true)
}

/// `object.remove(object, keys)`
///
/// # Errors
/// When the arguments are no object and no collection.
pub(super) fn object_remove<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    entries_where(context, arguments, false)
}

fn entries_where<'a>(context: &Context<'a>, arguments: &[Value<'a>], named: bool) -> Given<'a> {
    let entries = entries_in(context, arguments[0])?;
    let keys = elements_in(context, keys_in(context, arguments[1])?)?;
    // Both are sorted: of the shorter one each is looked for in the longer one.
    let mut some;
    if named && keys.len() < entries.len() {
        some = growing(context, keys.len());
        some.extend(keys.iter().filter_map(|key| find(entries, *key)).map(|at| entries[at]));
    } else {
        some = growing(context, entries.len());
        let is_key = |key: Value<'_>| keys.binary_search_by(|other| other.word_order(key)).is_ok();
        some.extend(entries.iter().copied().filter(|(key, _)| is_key(*key) == named));
    }
    if some.len() == entries.len() && matches!(arguments[0], Value::Object(_)) {
        return Ok(arguments[0]);
    }
    Ok(context.object_with(some.into_bump_slice(), bits(arguments[0])))
}

/// `object.union(a, b)`
///
/// # Errors
/// When one is no object.
pub(super) fn object_union<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (first, second) = (entries_in(context, arguments[0])?, entries_in(context, arguments[1])?);
    Ok(match (first, second) {
        ([], _) => arguments[1],
        (_, []) => arguments[0],
        _ => merged(context, first, second, bits(arguments[0]) | bits(arguments[1])),
    })
}

/// The bits of the words among the keys of an object, and perhaps others.
const fn bits(object: Value<'_>) -> u64 {
    match object {
        Value::Object(object) => object.words(),
        _ => u64::MAX,
    }
}

/// Two objects as one: objects in both are merged, otherwise the second has the last word.
fn merged<'a>(context: &Context<'a>, first: &'a [Entry<'a>], second: &'a [Entry<'a>], bits: u64) -> Value<'a> {
    let mut all: Growing<'a, Entry<'a>> = growing(context, first.len() + second.len());
    let (mut left, mut right) = (first, second);
    while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
        match a.0.word_order(b.0) {
            Ordering::Less => {
                all.push(*a);
                left = left_rest;
            }
            Ordering::Greater => {
                all.push(*b);
                right = right_rest;
            }
            Ordering::Equal => {
                all.push((a.0, united(context, a.1, b.1)));
                (left, right) = (left_rest, right_rest);
            }
        }
    }
    all.extend_from_slice(left);
    all.extend_from_slice(right);
    context.object_with(all.into_bump_slice(), bits)
}

/// Two values of one key as one.
fn united<'a>(context: &Context<'a>, first: Value<'a>, second: Value<'a>) -> Value<'a> {
    if first.is_object() && second.is_object() {
        merged(context, context.entries_of_object(first), context.entries_of_object(second), bits(first) | bits(second))
    } else {
        second
    }
}

/// Two objects as one, as documents of `data` are: objects in both are merged, otherwise the first has the last word.
#[must_use]
pub fn overlaid<'a>(context: &Context<'a>, first: Value<'a>, second: Value<'a>) -> Value<'a> {
    merged(context, context.entries_of_object(second), context.entries_of_object(first), bits(first) | bits(second))
}

/// `object.union_n(objects)`
///
/// # Errors
/// When it is no array of objects.
pub(super) fn object_union_n<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let objects = array_in(context, arguments[0])?;
    if objects.iter().any(|object| !object.is_object()) {
        return Err(Fault::Undefined);
    }
    if let [first, second] = objects {
        return object_union(context, &[*first, *second]);
    }
    let mut all: Growing<'a, Entry<'a>> = growing(context, objects.iter().filter_map(|object| object.length()).sum());
    objects.iter().for_each(|object| all.extend_from_slice(context.entries_of_object(*object)));
    // What has the same key stays in the order of the objects.
    all.sort_by(|a, b| a.0.word_order(b.0));
    all.dedup_by(|later, first| {
        let same = later.0.equals(first.0);
        if same {
            first.1 = united(context, first.1, later.1);
        }
        same
    });
    let bits = objects.iter().fold(0, |all, object| all | bits(*object));
    Ok(context.object_with(all.into_bump_slice(), bits))
}

/// `object.subset(super, sub)`
///
/// # Errors
/// When the two are neither of one type nor an array and a set.
pub(super) fn object_subset<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (greater, lesser) = (arguments[0], arguments[1]);
    let compared = subset(context, greater, lesser).or_else(|| {
        // Of an array every element of a set.
        (greater.is_array() && lesser.is_set()).then(|| {
            let all = context.elements(greater);
            let mut missing = context.elements(lesser).len();
            all.iter().any(|element| {
                missing -= usize::from(!context.dot(lesser, *element).is_undefined()).min(missing);
                missing == 0
            })
        })
    });
    compared.map(Value::from).ok_or(Fault::Undefined)
}

fn subset<'a>(context: &Context<'a>, greater: Value<'a>, lesser: Value<'a>) -> Option<bool> {
    if greater.is_object() && lesser.is_object() {
        let all = context.entries_of_object(greater);
        return Some(context.entries_of_object(lesser).iter().all(|(key, value)| {
            find(all, *key)
                .is_some_and(|at| all[at].1.equals(*value) || subset(context, all[at].1, *value) == Some(true))
        }));
    }
    if greater.is_set() && lesser.is_set() {
        return Some(context.elements(lesser).iter().all(|element| !context.dot(greater, *element).is_undefined()));
    }
    if greater.is_array() && lesser.is_array() {
        let (all, some) = (context.elements(greater), context.elements(lesser));
        let same = |window: &[Value<'_>]| window.iter().zip(some).all(|(a, b)| a.equals(*b));
        return Some(some.is_empty() || all.windows(some.len()).any(same));
    }
    None
}
