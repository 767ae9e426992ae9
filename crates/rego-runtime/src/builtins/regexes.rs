//! Regular expressions.

use bumpalo::collections::Vec as Growing;

use super::{Fault, Given, int_in, text_in};
use crate::{Context, Value, patterns};

/// How many matches are asked for: a negative number means all.
fn most(value: Value<'_>) -> Result<usize, Fault> {
    Ok(usize::try_from(int_in(value)?).unwrap_or(usize::MAX))
}

/// `regex.is_valid(pattern)`
///
/// # Errors
/// None.
pub(super) fn regex_is_valid<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    Ok(Value::from(patterns::with(context, arguments[0], "", |_| ()).is_some()))
}

/// `regex.match(pattern, text)`
///
/// # Errors
/// When the pattern is none, or the text.
pub(super) fn regex_match<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let text = text_in(arguments[1])?;
    let matches = patterns::with(context, arguments[0], text, |regex| regex.is_match(text));
    matches.map(Value::from).ok_or(Fault::Undefined)
}

/// `regex.find_n(pattern, text, n)`
///
/// # Errors
/// When the pattern is none, the text, or the number.
pub(super) fn regex_find_n<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (text, most) = (text_in(arguments[1])?, most(arguments[2])?);
    let found = patterns::with(context, arguments[0], text, |regex| {
        let mut found = Growing::new_in(context.arena());
        regex.each(text, most, |part| found.push(context.text_of(&text[part])));
        context.array_of(found.into_bump_slice())
    });
    found.ok_or(Fault::Undefined)
}

/// `regex.find_all_string_submatch_n(pattern, text, n)`
///
/// # Errors
/// When the pattern is none, the text, or the number.
pub(super) fn regex_find_all_string_submatch_n<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (text, most) = (text_in(arguments[1])?, most(arguments[2])?);
    let found = patterns::with(context, arguments[0], text, |regex| {
        let mut found = Growing::new_in(context.arena());
        regex.each_group(text, most, |count, parts| {
            let mut groups = Growing::with_capacity_in(count, context.arena());
            groups.extend(parts.map(|part| context.text_of(part)));
            found.push(context.array_of(groups.into_bump_slice()));
        });
        context.array_of(found.into_bump_slice())
    });
    found.ok_or(Fault::Undefined)
}

/// `regex.replace(text, pattern, new)`
///
/// # Errors
/// When the pattern is none, or a text.
pub(super) fn regex_replace<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (text, new) = (text_in(arguments[0])?, text_in(arguments[2])?);
    let replaced = patterns::with(context, arguments[1], text, |regex| context.text(&regex.replace_all(text, new)));
    replaced.ok_or(Fault::Undefined)
}

/// `regex.split(pattern, text)`
///
/// # Errors
/// When the pattern is none, or the text.
pub(super) fn regex_split<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let text = text_in(arguments[1])?;
    let parts = patterns::with(context, arguments[0], text, |regex| {
        let mut parts = Growing::new_in(context.arena());
        // Go cuts an empty text into nothing by an empty expression alone.
        if text.is_empty() && regex.as_str().is_empty() {
            return context.array_of(parts.into_bump_slice());
        }
        let mut start = 0;
        regex.each(text, usize::MAX, |found| {
            // Go splits neither before the first letter nor behind the last one by an empty match.
            if !found.is_empty() || (found.start != 0 && found.start != text.len()) {
                parts.push(context.text_of(&text[start..found.start]));
                start = found.end;
            }
        });
        parts.push(context.text_of(&text[start..]));
        context.array_of(parts.into_bump_slice())
    });
    parts.ok_or(Fault::Undefined)
}
