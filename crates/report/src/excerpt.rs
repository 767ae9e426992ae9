//! The line of a source in which a finding's cause stands.

use walguard_manifest::{Location, Source};

/// Longer lines are shown in part.
const MAX_LINE_CHARS: usize = 240;

/// A line, or a window into a long one.
pub struct Excerpt<'a> {
    pub text: &'a str,
    /// Bytes of the window before the cause, and up to its end.
    pub before: usize,
    pub end: usize,
    /// Whether something of the line is left out before the window.
    pub cut: bool,
}

impl<'a> Excerpt<'a> {
    pub fn new(source: &'a Source, location: &Location) -> Self {
        let line = source.line(location.line);
        let column = (location.column as usize - 1).min(line.chars().take(location.column as usize).count());
        // Where a character begins, the end of the line where there are less.
        let offset = |chars: usize| line.char_indices().nth(chars).map_or(line.len(), |(offset, _)| offset);
        let long = line.chars().nth(MAX_LINE_CHARS).is_some();
        let start = if long { column.saturating_sub(MAX_LINE_CHARS / 3) } else { 0 };
        let text = &line[offset(start)..offset(start + MAX_LINE_CHARS)];
        let before = offset(column) - offset(start);
        // A value of several lines is marked on its first one.
        let marked = location.bytes.len().min(text.len().saturating_sub(before));
        let end = (before + marked.max(1)).min(text.len().max(before));
        let end = (end..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
        Self { text, before, end, cut: start > 0 }
    }

    /// What stands before the cause, the cause, and what stands after it.
    pub fn parts(&self) -> (&'a str, &'a str, &'a str) {
        (&self.text[..self.before], &self.text[self.before..self.end], &self.text[self.end..])
    }
}
