//! JSON with positions. kubectl reads a document that begins with a brace as JSON and only then as YAML; what YAML
//! lacks is a pair of surrogates (`"\ud83d\ude00"`) and a key of more than 1024 characters.

use super::Position;
use super::resolve::Tag;
use super::tree::{Builder, Failure, Span, Tree};

/// Reads a sequence of JSON values. None where the text is not JSON: YAML may still read it.
/// Errors: nested too deep.
pub(super) fn read(text: &str, start: Position) -> Option<Result<Vec<Tree>, Failure>> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        text,
        at: 0,
        line: start.line,
        line_start: 0,
        before_line: start.column - 1,
        continuation_bytes: 0,
    };
    let mut trees = Vec::new();
    reader.skip_space();
    while reader.at < reader.bytes.len() {
        match reader.document()? {
            Ok(tree) => trees.push(tree),
            Err(failure) => return Some(Err(failure)),
        }
        reader.skip_space();
    }
    Some(Ok(trees))
}

struct Reader<'s> {
    bytes: &'s [u8],
    text: &'s str,
    at: usize,
    line: u32,
    line_start: usize,
    /// Characters of the first line that lie before `text`.
    before_line: u32,
    /// Bytes since the start of the line that continue a character, so that columns count characters.
    continuation_bytes: usize,
}

/// What may come next.
enum Expect {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Key,
    CommaOrEnd,
}

impl Reader<'_> {
    fn position(&self) -> Position {
        let column = self.at - self.line_start - self.continuation_bytes + 1;
        Position { line: self.line, column: column as u32 + self.before_line }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) = self.peek() {
            self.at += 1;
            if byte == b'\n' {
                self.line += 1;
                self.line_start = self.at;
                self.before_line = 0;
                self.continuation_bytes = 0;
            }
        }
    }

    /// One value. None: not JSON.
    fn document(&mut self) -> Option<Result<Tree, Failure>> {
        let mut builder = Builder::default();
        // The closing bracket of each open list or object.
        let mut open: Vec<u8> = Vec::new();
        let mut expect = Expect::Value;
        loop {
            self.skip_space();
            let start = self.position();
            let byte = self.peek()?;
            let step = match (&expect, byte) {
                (Expect::CommaOrEnd, b',') => {
                    self.at += 1;
                    expect = if open.last() == Some(&b'}') { Expect::Key } else { Expect::Value };
                    continue;
                }
                (Expect::CommaOrEnd | Expect::KeyOrEnd | Expect::ValueOrEnd, b'}' | b']') => {
                    if open.pop() != Some(byte) {
                        return None;
                    }
                    self.at += 1;
                    builder.end(Some(self.position()));
                    Ok(())
                }
                (Expect::CommaOrEnd, _) => return None,
                (Expect::Key | Expect::KeyOrEnd, b'"') => {
                    let key = self.string()?;
                    let span = Span { start, end: self.position() };
                    if let Err(failure) = builder.scalar(span, key, Tag::None, false, None) {
                        return Some(Err(failure));
                    }
                    self.skip_space();
                    if self.peek()? != b':' {
                        return None;
                    }
                    self.at += 1;
                    expect = Expect::Value;
                    continue;
                }
                (Expect::Key | Expect::KeyOrEnd, _) => return None,
                (Expect::Value | Expect::ValueOrEnd, b'{') => {
                    self.at += 1;
                    open.push(b'}');
                    expect = Expect::KeyOrEnd;
                    match builder.mapping(Span { start, end: start }, None) {
                        Ok(()) => continue,
                        Err(failure) => Err(failure),
                    }
                }
                (Expect::Value | Expect::ValueOrEnd, b'[') => {
                    self.at += 1;
                    open.push(b']');
                    expect = Expect::ValueOrEnd;
                    match builder.sequence(Span { start, end: start }, None) {
                        Ok(()) => continue,
                        Err(failure) => Err(failure),
                    }
                }
                (Expect::Value | Expect::ValueOrEnd, b'"') => {
                    let text = self.string()?;
                    let span = Span { start, end: self.position() };
                    builder.scalar(span, text, Tag::None, false, None)
                }
                (Expect::Value | Expect::ValueOrEnd, _) => {
                    let text = self.word()?.to_owned();
                    let span = Span { start, end: self.position() };
                    builder.scalar(span, text, Tag::None, true, None)
                }
            };
            if let Err(failure) = step {
                return Some(Err(failure));
            }
            if open.is_empty() {
                return Some(Ok(builder.finish()));
            }
            expect = Expect::CommaOrEnd;
        }
    }

    /// `true`, `false`, `null` or a number that a float can hold. YAML's rules give each the type JSON gives it.
    fn word(&mut self) -> Option<&str> {
        let rest = &self.bytes[self.at..];
        let length =
            rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')).count();
        let word = self.text.get(self.at..self.at + length)?;
        let known = matches!(word, "true" | "false" | "null");
        if !known {
            serde_json::from_str::<f64>(word).ok()?;
        }
        self.at += length;
        Some(word)
    }

    /// A string from its opening quote to after its closing one.
    fn string(&mut self) -> Option<String> {
        let mut result = String::new();
        self.at += 1;
        loop {
            let start = self.at;
            let rest = &self.bytes[start..];
            let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
            self.continuation_bytes += rest[..length].iter().filter(|byte| **byte & 0xC0 == 0x80).count();
            result.push_str(self.text.get(start..start + length)?);
            self.at += length + 1;
            match rest[length] {
                b'"' => return Some(result),
                b'\\' => result.push(self.escape()?),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex4(self.at)?;
                self.at += 4;
                if !(0xD800..0xDC00).contains(&unit) {
                    return Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                let low = match &self.bytes[self.at..] {
                    [b'\\', b'u', ..] => self.hex4(self.at + 2)?,
                    _ => 0,
                };
                if !(0xDC00..0xE000).contains(&low) {
                    return Some(char::REPLACEMENT_CHARACTER);
                }
                self.at += 6;
                char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))?
            }
            _ => return None,
        })
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        u32::from_str_radix(digits, 16).ok()
    }
}
