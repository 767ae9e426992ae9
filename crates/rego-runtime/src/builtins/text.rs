//! Texts.

use bumpalo::collections::{String as Written, Vec as Growing};

use super::{Fault, Given, int_in, text_in};
use crate::{Context, Value};

fn written<'a>(context: &Context<'a>, text: Written<'a>) -> Value<'a> {
    context.text_of(text.into_bump_str())
}

/// The texts of an array or a set.
fn texts_in<'a>(context: &Context<'a>, value: Value<'a>) -> Result<Vec<&'a str>, Fault> {
    if !value.is_array() && !value.is_set() {
        return Err(Fault::Undefined);
    }
    context.values(value).map(text_in).collect()
}

/// `concat(separator, texts)`
///
/// # Errors
/// When it is no array or set of texts.
pub(super) fn concat<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let separator = text_in(arguments[0])?;
    if !arguments[1].is_array() && !arguments[1].is_set() {
        return Err(Fault::Undefined);
    }
    let texts = context.elements(arguments[1]);
    let mut length = 0;
    for text in texts {
        length += text_in(*text)?.len() + separator.len();
    }
    context.afford(length)?;
    let mut all = Written::with_capacity_in(length, context.arena());
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            all.push_str(separator);
        }
        all.push_str(text_in(*text)?);
    }
    Ok(written(context, all))
}

macro_rules! relations {
    ($($(#[$doc:meta])* $name:ident($text:ident, $other:ident) $result:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// When one is no text.
        pub(super) fn $name<'a>(_: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
            let ($text, $other) = (text_in(arguments[0])?, text_in(arguments[1])?);
            Ok(Value::from($result))
        }
    )*};
}

relations! {
    /// `contains(text, part)`
    contains(text, part) text.contains(part);
    /// `startswith(text, prefix)`
    startswith(text, prefix) text.starts_with(prefix);
    /// `endswith(text, suffix)`
    endswith(text, suffix) text.ends_with(suffix);
}

macro_rules! trims {
    ($($(#[$doc:meta])* $name:ident($context:ident, $text:ident, $letters:ident) $result:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// When one is no text.
        pub(super) fn $name<'a>($context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
            let ($text, $letters) = (text_in(arguments[0])?, text_in(arguments[1])?);
            let trimmed: &'a str = $result;
            Ok(if trimmed.len() == $text.len() { arguments[0] } else { $context.text_of(trimmed) })
        }
    )*};
}

trims! {
    /// `trim(text, letters)`
    trim(context, text, letters) trimmed(text, &Letters::of(context, letters));
    /// `trim_left(text, letters)`
    trim_left(context, text, letters) trimmed_left(text, &Letters::of(context, letters));
    /// `trim_right(text, letters)`
    trim_right(context, text, letters) trimmed_right(text, &Letters::of(context, letters));
    /// `trim_prefix(text, prefix)`
    trim_prefix(context, text, prefix) text.strip_prefix(prefix).unwrap_or(text);
    /// `trim_suffix(text, suffix)`
    trim_suffix(context, text, suffix) text.strip_suffix(suffix).unwrap_or(text);
}

/// Letters, so that whether one is among them costs the same however many they are, where they are ASCII.
struct Letters<'t> {
    ascii: [u64; 2],
    all: &'t str,
}

impl<'t> Letters<'t> {
    /// The letters of a text. The same few are asked for many times.
    fn of(context: &Context<'t>, all: &'t str) -> Self {
        let remembered = context.letters(all);
        let (last, ascii) = remembered.get();
        if std::ptr::eq(last, all) {
            return Self { ascii, all };
        }
        let mut ascii = [0; 2];
        for byte in all.bytes().filter(u8::is_ascii) {
            ascii[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        remembered.set((all, ascii));
        Self { ascii, all }
    }

    fn have(&self, letter: char) -> bool {
        match u8::try_from(letter) {
            Ok(byte) if byte.is_ascii() => self.have_ascii(byte),
            _ => self.all.contains(letter),
        }
    }

    const fn have_ascii(&self, byte: u8) -> bool {
        self.ascii[(byte >> 6) as usize & 1] & 1 << (byte & 63) != 0
    }
}

fn trimmed<'t>(text: &'t str, letters: &Letters<'_>) -> &'t str {
    trimmed_right(trimmed_left(text, letters), letters)
}

fn trimmed_left<'t>(text: &'t str, letters: &Letters<'_>) -> &'t str {
    match text.bytes().position(|byte| !byte.is_ascii() || !letters.have_ascii(byte)) {
        Some(at) if text.as_bytes()[at].is_ascii() => &text[at..],
        Some(at) => text[at..].trim_start_matches(|c| letters.have(c)),
        None => "",
    }
}

fn trimmed_right<'t>(text: &'t str, letters: &Letters<'_>) -> &'t str {
    match text.bytes().rposition(|byte| !byte.is_ascii() || !letters.have_ascii(byte)) {
        Some(at) if text.as_bytes()[at].is_ascii() => &text[..=at],
        Some(_) => text.trim_end_matches(|c| letters.have(c)),
        None => "",
    }
}

/// `trim_space(text)`
///
/// # Errors
/// When it is no text.
pub(super) fn trim_space<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let text = text_in(arguments[0])?;
    let trimmed = text.trim();
    Ok(if trimmed.len() == text.len() { arguments[0] } else { context.text_of(trimmed) })
}

/// `lower(text)`: letter by letter, as Go does; Rust would look at the letters beside.
///
/// # Errors
/// When it is no text.
pub(super) fn lower<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let text = text_in(arguments[0])?;
    if text.is_ascii() {
        return Ok(if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let lower = context.arena().alloc_str(text);
            lower.make_ascii_lowercase();
            context.text_of(lower)
        } else {
            arguments[0]
        });
    }
    let one = |c: char| single(c, c.to_lowercase());
    Ok(context.text(&text.chars().map(one).collect::<String>()))
}

/// `upper(text)`
///
/// # Errors
/// When it is no text.
pub(super) fn upper<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let one = |c: char| single(c, c.to_uppercase());
    Ok(context.text(&text_in(arguments[0])?.chars().map(one).collect::<String>()))
}

/// What a letter becomes where that is one letter, or the letter.
fn single(letter: char, mut becomes: impl ExactSizeIterator<Item = char>) -> char {
    if becomes.len() == 1 { becomes.next().unwrap_or(letter) } else { letter }
}

/// `indexof(text, part)`: in letters, -1 where it is not there.
///
/// # Errors
/// When one is no text, or the part is empty.
pub(super) fn indexof<'a>(_: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (text, part) = (text_in(arguments[0])?, text_in(arguments[1])?);
    if part.is_empty() {
        return Err(Fault::Undefined);
    }
    Ok(text.find(part).map_or(Value::Int(-1), |at| super::number_of(text[..at].chars().count())))
}

/// `substring(text, start, length)`: in letters; a negative length means the rest.
///
/// # Errors
/// When the arguments are no text and two whole numbers, or it starts below zero.
pub(super) fn substring<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let text = text_in(arguments[0])?;
    let (start, length) = (int_in(arguments[1])?, int_in(arguments[2])?);
    let start = usize::try_from(start).map_err(|_| Fault::Undefined)?;
    let from = text.char_indices().nth(start).map_or("", |(at, _)| &text[at..]);
    let part = match usize::try_from(length) {
        Ok(length) => from.char_indices().nth(length).map_or(from, |(at, _)| &from[..at]),
        Err(_) => from,
    };
    Ok(if part.len() == text.len() { arguments[0] } else { context.text_of(part) })
}

/// `split(text, separator)`
///
/// # Errors
/// When one is no text.
pub(super) fn split<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (text, separator) = (text_in(arguments[0])?, text_in(arguments[1])?);
    let mut parts = Growing::new_in(context.arena());
    match separator.as_bytes() {
        [] => parts.extend(text.char_indices().map(|(at, c)| context.text_of(&text[at..at + c.len_utf8()]))),
        // Searching for one byte costs a fraction of searching for a text.
        [separator] => {
            let mut start = 0;
            for at in memchr::memchr_iter(*separator, text.as_bytes()) {
                parts.push(context.text_of(&text[start..at]));
                start = at + 1;
            }
            // A text in one piece is the piece.
            parts.push(if start == 0 { arguments[0] } else { context.text_of(&text[start..]) });
        }
        _ => parts.extend(text.split(separator).map(|part| context.text_of(part))),
    }
    Ok(context.array_of(parts.into_bump_slice()))
}

/// `replace(text, old, new)`
///
/// # Errors
/// When one is no text, or the memory does not hold what comes out.
pub(super) fn replace<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (text, old, new) = (text_in(arguments[0])?, text_in(arguments[1])?, text_in(arguments[2])?);
    if !old.is_empty() && !text.contains(old) {
        return Ok(arguments[0]);
    }
    context.afford(text.matches(old).count().saturating_mul(new.len()))?;
    Ok(context.text(&text.replace(old, new)))
}

/// `strings.replace_n({old: new, …}, text)`: at each place the first of them, in order, that is there.
///
/// # Errors
/// When it is no object of texts and a text, or the memory does not hold what comes out.
pub(super) fn strings_replace_n<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    if !arguments[0].is_object() {
        return Err(Fault::Undefined);
    }
    // What can begin a match; an empty text is there before everything.
    let mut first = [false; 256];
    let mut pairs = Growing::new_in(context.arena());
    for (old, new) in context.entries_of_object(arguments[0]) {
        let (old, new) = (text_in(*old)?, text_in(*new)?);
        match old.bytes().next() {
            Some(byte) => first[usize::from(byte)] = true,
            None => first = [true; 256],
        }
        pairs.push((old, new));
    }
    let mut rest = text_in(arguments[1])?;
    if !rest.is_empty() && !rest.bytes().any(|byte| first[usize::from(byte)]) {
        return Ok(arguments[1]);
    }
    let mut all = Written::with_capacity_in(rest.len(), context.arena());
    let mut after_match = false;
    loop {
        let skipped = rest.bytes().position(|byte| first[usize::from(byte)]).unwrap_or(rest.len());
        if skipped > 0 && rest.is_char_boundary(skipped) {
            all.push_str(&rest[..skipped]);
            rest = &rest[skipped..];
            after_match = false;
        }
        // An empty text is found before every letter, and at the end, but not again where something was just replaced.
        let found = pairs.iter().find(|(old, _)| rest.starts_with(old) && !(old.is_empty() && after_match));
        after_match = false;
        if let Some((old, new)) = found {
            context.step()?;
            context.afford(new.len())?;
            all.push_str(new);
            if !old.is_empty() {
                rest = &rest[old.len()..];
                after_match = true;
                continue;
            }
        }
        let Some(c) = rest.chars().next() else { return Ok(written(context, all)) };
        all.push(c);
        rest = &rest[c.len_utf8()..];
    }
}

/// `strings.reverse(text)`
///
/// # Errors
/// When it is no text.
pub(super) fn strings_reverse<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    Ok(context.text(&text_in(arguments[0])?.chars().rev().collect::<String>()))
}

fn any_match<'a>(context: &Context<'a>, arguments: &[Value<'a>], matches: fn(&str, &str) -> bool) -> Given<'a> {
    let texts = |value: Value<'a>| match value.as_text() {
        Some(text) => Ok(vec![text]),
        None => texts_in(context, value),
    };
    let (all, parts) = (texts(arguments[0])?, texts(arguments[1])?);
    Ok(Value::from(all.iter().any(|text| parts.iter().any(|part| matches(text, part)))))
}

/// `strings.any_prefix_match(texts, prefixes)`
///
/// # Errors
/// When one is neither a text nor a collection of texts.
pub(super) fn strings_any_prefix_match<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    any_match(context, arguments, |text, prefix| text.starts_with(prefix))
}

/// `strings.any_suffix_match(texts, suffixes)`
///
/// # Errors
/// When one is neither a text nor a collection of texts.
pub(super) fn strings_any_suffix_match<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    any_match(context, arguments, |text, suffix| text.ends_with(suffix))
}
