//! YAML documents from the events of `libyaml-safer`.
//!
//! go-yaml v2, which reads YAML for Kubernetes, is a translation of libyaml; so is this parser, and the two agree where
//! parsers of YAML 1.2 do not: a tab after a colon, continuation lines of quoted text at the margin, `[-]`.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use libyaml_safer::{Encoding, Error, ErrorKind, Event, EventData, Mark, Parser};

use super::Position;
use super::resolve::Tag;
use super::tree::{Builder, Failure, Span, Tree};

/// Reads the documents of one chunk of a stream. After an error the documents before it are there.
pub(super) fn read(text: &str, start: Position) -> (Vec<Tree>, Option<Failure>) {
    let mut trees = Vec::new();
    // The parser gives up with a panic on a tag before a comma (`[!a, b]`), and might elsewhere: an error like any other.
    let result = quietly(|| catch_unwind(AssertUnwindSafe(|| documents(text, start, &mut trees))));
    let failure = match result {
        Ok(result) => result.err(),
        Err(_) => Some(Failure::new(start, "this document is beyond the YAML parser")),
    };
    (trees, failure)
}

fn documents(text: &str, start: Position, trees: &mut Vec<Tree>) -> Result<(), Failure> {
    let position = |mark: Mark| Position {
        line: start.line + mark.line as u32,
        column: mark.column as u32 + if mark.line == 0 { start.column } else { 1 },
    };
    // The last line gets its line break, as in kubectl; the parser depends on it.
    let line_break: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
    let (scanned, stand_in) = without_byte_order_marks(text);
    let mut parser = Parser::new();
    parser.set_encoding(Encoding::Utf8);
    parser.set_input(scanned.as_bytes().chain(line_break));
    let mut builder = Builder::default();
    loop {
        let Event { data, start_mark, end_mark, .. } = parser.parse().map_err(|error| {
            let at = match error.kind() {
                ErrorKind::Reader => forbidden_character(text, start),
                _ => error.problem_mark().map_or(start, position),
            };
            Failure::new(at, message(&error, !trees.is_empty()))
        })?;
        let mut span = Span { start: position(start_mark), end: position(end_mark) };
        match data {
            EventData::StreamStart { .. } => {}
            EventData::StreamEnd => return Ok(()),
            EventData::DocumentStart { .. } => builder = Builder::default(),
            EventData::DocumentEnd { .. } => trees.push(std::mem::take(&mut builder).finish()),
            EventData::Alias { anchor } => builder.alias(span, &anchor)?,
            EventData::Scalar { anchor, tag, mut value, plain_implicit, .. } => {
                if let Some(stand_in) = stand_in {
                    value = value.replace(stand_in, "\u{feff}");
                }
                if tag.is_some() || anchor.is_some() {
                    let properties = properties(text.get(start_mark.index as usize..).unwrap_or_default());
                    span.start.column += properties as u32;
                }
                // A bare `!` leaves a scalar a string, and `<<` a merge key all the same.
                let bare = tag.as_deref() == Some("!");
                let tag = tag.as_deref().map_or(Tag::None, Tag::named);
                builder.scalar(span, value, tag, bare || plain_implicit && tag == Tag::None, anchor)?;
            }
            EventData::SequenceStart { anchor, .. } => builder.sequence(span, anchor)?,
            EventData::MappingStart { anchor, .. } => builder.mapping(span, anchor)?,
            EventData::SequenceEnd | EventData::MappingEnd => {
                builder.end((span.start != span.end).then_some(span.end));
            }
        }
    }
}

/// The text with another character for every byte order mark behind its beginning, and that character. To go-yaml such a mark is
/// a character like any other; libyaml skips one that begins a line.
fn without_byte_order_marks(text: &str) -> (Cow<'_, str>, Option<char>) {
    const MARK: char = '\u{feff}';
    let kept = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
    if !text[kept..].contains(MARK) {
        return (Cow::Borrowed(text), None);
    }
    // Of the same length, so that offsets stay what they are. A text that uses all 6,400 of them is not a manifest.
    let Some(stand_in) = ('\u{e000}'..='\u{f8ff}').find(|c| !text.contains(*c)) else {
        return (Cow::Borrowed(text), None);
    };
    let replaced = text[kept..].replace(MARK, stand_in.encode_utf8(&mut [0; 4]));
    (Cow::Owned(format!("{}{replaced}", &text[..kept])), Some(stand_in))
}

fn message(error: &Error, after_document: bool) -> String {
    match (error.problem(), error.context()) {
        ("did not find expected <document start>", _) if after_document => {
            "the document ends before this line, and Kubernetes ignores the rest: is it indented less than the first line?".to_owned()
        }
        ("control characters are not allowed", _) => "control characters are not allowed in YAML".to_owned(),
        (problem, Some(context)) => format!("{context}: {problem}"),
        (problem, None) => problem.to_owned(),
    }
}

/// How many characters the anchor and the tag before a scalar take; 0 if it stands on a line of its own.
fn properties(text: &str) -> usize {
    let line = text.lines().next().unwrap_or_default();
    let mut rest = line;
    while rest.starts_with(['&', '!']) {
        let Some(end) = rest.find([' ', '\t']) else { return 0 };
        rest = rest[end..].trim_start();
    }
    if rest.is_empty() {
        return 0;
    }
    line[..line.len() - rest.len()].chars().count()
}

/// The first character that YAML does not allow.
fn forbidden_character(text: &str, start: Position) -> Position {
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..);
    let mut position = start;
    for c in text.chars().take_while(|c| allowed(*c)) {
        if c == '\n' {
            position = Position { line: position.line + 1, column: 1 };
        } else {
            position.column += 1;
        }
    }
    position
}

/// Keeps the panics of a call, which are caught, off standard error. Other threads report theirs as before.
fn quietly<T>(call: impl FnOnce() -> T) -> T {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                report(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = call();
    QUIET.set(false);
    result
}
