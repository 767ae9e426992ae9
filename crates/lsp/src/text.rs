//! Places in a text as editors count them: lines from 0, and in them UTF-16 code units.

use gen_lsp_types::{Position, Range, TextEdit};
use walguard_lint::workspace::smallest_edit;
use walguard_manifest::{Location, Source, line_starts};

/// A text and where its lines begin.
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, starts: line_starts(text) }
    }

    /// Where a line begins, and its text without the line break; empty past the end.
    pub fn line(&self, line: u32) -> (usize, &'t str) {
        let index = line as usize;
        let start = self.starts.get(index).copied().unwrap_or(self.text.len());
        let end = self.starts.get(index.saturating_add(1)).copied().unwrap_or(self.text.len());
        (start, self.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// The place of a byte; of one within a character, that of the character.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts[line];
        let units = self.text[start..].char_indices().take_while(|(at, _)| start + at < offset);
        let units: usize = units.map(|(_, c)| c.len_utf16()).sum();
        Position { line: count(line), character: count(units) }
    }

    /// The byte at a place; past the end of a line its end.
    pub fn offset(&self, position: Position) -> usize {
        let (start, text) = self.line(position.line);
        let mut units = 0;
        for (at, c) in text.char_indices() {
            if units >= position.character as usize {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + text.len()
    }

    /// The place of a line and a column in characters, from 1.
    pub fn place(&self, line: u32, column: u32) -> Position {
        let line = line.saturating_sub(1);
        let units = self.line(line).1.chars().take(column.saturating_sub(1) as usize).map(char::len_utf16).sum();
        Position { line, character: count(units) }
    }

    pub fn range(&self, start: usize, end: usize) -> Range {
        Range { start: self.position(start), end: self.position(end) }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What a location marks; of a value of several lines the first one.
pub fn range(source: &Source, location: &Location) -> Range {
    let lines = Lines::new(&source.text);
    let start = location.bytes.start.min(source.text.len());
    let (line_start, text) = lines.line(lines.position(start).line);
    let end = location.bytes.end.min(line_start + text.len()).max(start);
    lines.range(start, end)
}

/// Whether a range has a place in it, its end included: there the cursor stands behind a word.
pub fn holds(range: Range, position: Position) -> bool {
    range.start <= position && position <= range.end
}

/// Whether two ranges have a place in common.
pub fn meet(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}

/// The smallest edit that makes one text of another.
pub fn edit(before: &str, after: &str) -> TextEdit {
    let (bytes, new) = smallest_edit(before, after);
    TextEdit { range: Lines::new(before).range(bytes.start, bytes.end), new_text: new.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn editors_count_utf_16() {
        let lines = Lines::new("größe: 🐘x\r\nb: 2\rc\n");
        let elephant = "größe: ".len();
        assert_eq!(lines.position(elephant), at(0, 7));
        assert_eq!(lines.position(elephant + 1), at(0, 9), "within the elephant");
        assert_eq!(lines.position(elephant + 4), at(0, 9));
        assert_eq!(lines.offset(at(0, 9)), elephant + 4);
        assert_eq!(lines.offset(at(0, 8)), elephant + 4, "half an elephant is none");
        assert_eq!(lines.offset(at(0, 99)), elephant + 5);
        assert_eq!(lines.line(1).1, "b: 2");
        assert_eq!(lines.line(2).1, "c");
        assert_eq!(lines.line(99), (lines.text.len(), ""));
        assert_eq!(lines.offset(at(99, 9)), lines.text.len());
        assert_eq!(Lines::new("").position(0), at(0, 0));
        assert_eq!(lines.place(1, 9), at(0, 9));
        assert_eq!(lines.place(1, 8), at(0, 7));
        assert_eq!(lines.place(9, 9), at(8, 0));
    }

    #[test]
    fn an_edit_is_as_small_as_can_be() {
        let change = |before: &str, after: &str| {
            let TextEdit { range, new_text } = edit(before, after);
            (range.start.line, range.start.character, range.end.line, range.end.character, new_text)
        };
        assert_eq!(change("a: \"off\"\nb: 1\n", "a: \"on\"\nb: 1\n"), (0, 5, 0, 7, "n".to_owned()));
        assert_eq!(change("a: 1\n", "a: 1\nb: 2\n"), (1, 0, 1, 0, "b: 2\n".to_owned()));
        assert_eq!(change("é", "è"), (0, 0, 0, 1, "è".to_owned()));
        assert_eq!(change("aa", "aaa"), (0, 2, 0, 2, "a".to_owned()));
        assert_eq!(change("x", "x"), (0, 1, 0, 1, String::new()));
    }
}
