//! JSON in and out.

use bumpalo::collections::Vec as Growing;

use crate::kept::Kept;
use crate::{Context, Value};

/// Values within values; deeper ones are refused, here as by the API server's own readers.
const DEPTH_MAX: usize = 512;

/// Why a text is no JSON, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at byte {at}")]
pub struct JsonError {
    pub message: &'static str,
    pub at: usize,
}

impl<'a> Context<'a> {
    /// A value from its JSON. Numbers keep their digits; of fields with the same name the last one counts.
    ///
    /// # Errors
    /// When the text is not one JSON value, or it is too deep.
    pub fn parse(&self, json: &[u8]) -> Result<Value<'a>, JsonError> {
        let Ok(text) = std::str::from_utf8(json) else { return Err(JsonError { message: "not UTF-8", at: 0 }) };
        let mut reader =
            Reader { context: self, text, at: 0, elements: Vec::new(), entries: Vec::new(), unescaped: String::new() };
        let value = reader.value(0)?;
        reader.space();
        if reader.at < text.len() { Err(reader.fault("more than one value")) } else { Ok(value) }
    }
}

struct Reader<'c, 'a> {
    context: &'c Context<'a>,
    text: &'c str,
    at: usize,
    /// What collections that are not complete hold so far, one behind the other.
    elements: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
    unescaped: String,
}

impl<'a> Reader<'_, 'a> {
    const fn fault(&self, message: &'static str) -> JsonError {
        JsonError { message, at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, JsonError> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.fault("no value"))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>, JsonError> {
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::True),
            Some(b'f') => self.word("false", Value::False),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.fault("no value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value<'a>, JsonError> {
        if depth > DEPTH_MAX {
            return Err(self.fault("too deep"));
        }
        self.at += 1;
        let start = self.elements.len();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(&(&[] as &[_])));
        }
        loop {
            let element = self.value(depth)?;
            self.elements.push(element);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    let array = self.context.array(&self.elements[start..]);
                    self.elements.truncate(start);
                    return Ok(array);
                }
                _ => return Err(self.fault("neither , nor ]")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value<'a>, JsonError> {
        if depth > DEPTH_MAX {
            return Err(self.fault("too deep"));
        }
        self.at += 1;
        let start = self.entries.len();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::EMPTY_OBJECT);
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.fault("no key"));
            }
            let key = self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.fault("no :"));
            }
            self.at += 1;
            let value = self.value(depth)?;
            self.entries.push((key, value));
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    let object = self.sorted(start);
                    self.entries.truncate(start);
                    return Ok(object);
                }
                _ => return Err(self.fault("neither , nor }")),
            }
        }
    }

    fn sorted(&mut self, start: usize) -> Value<'a> {
        let entries = &mut self.entries[start..];
        entries.sort_by(|a, b| a.0.word_order(b.0));
        if entries.windows(2).all(|pair| !pair[0].0.equals(pair[1].0)) {
            return self.context.object(entries);
        }
        let mut unique: Growing<'a, (Value<'a>, Value<'a>)> =
            Growing::with_capacity_in(entries.len(), self.context.arena());
        for entry in entries {
            match unique.last_mut() {
                Some(last) if entry.0.equals(last.0) => *last = *entry,
                _ => unique.push(*entry),
            }
        }
        self.context.object_of(unique.into_bump_slice())
    }

    fn number(&mut self) -> Result<Value<'a>, JsonError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let whole = self.digits();
        if whole == 0 || whole > 1 && self.text.as_bytes()[self.at - whole] == b'0' {
            return Err(self.fault("no number"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.fault("no number"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'-' | b'+')));
            if self.digits() == 0 {
                return Err(self.fault("no number"));
            }
        }
        Ok(self.context.number(&self.text[start..self.at]))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<Value<'a>, JsonError> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    let text = self.context.text(&self.text[start..self.at]);
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => return self.escaped(start),
                Some(0..0x20) | None => return Err(self.fault("a text without an end")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escaped(&mut self, start: usize) -> Result<Value<'a>, JsonError> {
        let mut unescaped = std::mem::take(&mut self.unescaped);
        unescaped.clear();
        unescaped.push_str(&self.text[start..self.at]);
        loop {
            let plain = self.at;
            while !matches!(self.peek(), Some(b'"' | b'\\' | 0..0x20) | None) {
                self.at += 1;
            }
            unescaped.push_str(&self.text[plain..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    let text = self.context.text(&unescaped);
                    self.unescaped = unescaped;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    unescaped.push(self.escape()?);
                }
                _ => return Err(self.fault("a text without an end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let escaped = self.peek();
        self.at += 1;
        Ok(match escaped {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                let pair = self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u");
                if (0xd800..0xdc00).contains(&first) && pair {
                    let before = self.at;
                    self.at += 2;
                    let second = self.hex()?;
                    if (0xdc00..0xe000).contains(&second) {
                        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = before;
                }
                // Half a pair is no character.
                char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.fault("no such escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or(self.fault("no character"))?;
        self.at += 4;
        Ok(code)
    }
}

impl Value<'_> {
    /// The value as JSON: a set is an array, a key that is no text is its JSON, nothing is null.
    #[must_use]
    pub fn to_json(self) -> String {
        let mut json = String::new();
        self.write_json(&mut json);
        json
    }

    /// Writes the value as JSON behind a text.
    pub fn write_json(self, json: &mut String) {
        write(self, json, false);
    }

    /// The same as Go writes it, which escapes what means something in HTML.
    pub(crate) fn write_json_of_go(self, json: &mut String) {
        write(self, json, true);
    }
}

fn write(value: Value<'_>, json: &mut String, html: bool) {
    match value {
        Value::Undefined | Value::Null => json.push_str("null"),
        Value::False => json.push_str("false"),
        Value::True => json.push_str("true"),
        Value::Int(int) => {
            let _ = std::fmt::Write::write_fmt(json, format_args!("{int}"));
        }
        Value::Number(number) => json.push_str(number.text()),
        Value::Word(text) => write_text(text, json, html),
        Value::Text(text) => write_text(text, json, html),
        Value::Array(elements) | Value::Set(elements) => {
            json.push('[');
            for (index, element) in elements.iter().enumerate() {
                json.push_str(if index == 0 { "" } else { "," });
                write(*element, json, html);
            }
            json.push(']');
        }
        Value::Object(entries) => {
            json.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                json.push_str(if index == 0 { "" } else { "," });
                match key.as_text() {
                    Some(text) => write_text(text, json, html),
                    None => {
                        let mut name = String::new();
                        write(*key, &mut name, html);
                        write_text(&name, json, html);
                    }
                }
                json.push(':');
                write(*value, json, html);
            }
            json.push('}');
        }
        Value::Kept(kept) => write_kept(kept, json, html),
    }
}

fn write_kept(kept: &Kept, json: &mut String, html: bool) {
    match kept {
        Kept::Undefined | Kept::Null => json.push_str("null"),
        Kept::Bool(truth) => json.push_str(if *truth { "true" } else { "false" }),
        Kept::Int(int) => {
            let _ = std::fmt::Write::write_fmt(json, format_args!("{int}"));
        }
        Kept::Number(text) => json.push_str(text),
        Kept::String(text) => write_text(text, json, html),
        Kept::Array(elements) => {
            json.push('[');
            for (index, element) in elements.iter().enumerate() {
                json.push_str(if index == 0 { "" } else { "," });
                write_kept(element, json, html);
            }
            json.push(']');
        }
        Kept::Object(fields) => {
            json.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                json.push_str(if index == 0 { "" } else { "," });
                write_text(name, json, html);
                json.push(':');
                write_kept(value, json, html);
            }
            json.push('}');
        }
    }
}

fn write_text(text: &str, json: &mut String, html: bool) {
    json.push('"');
    let special = |c: char| {
        matches!(c, '"' | '\\' | '\0'..'\x20') || html && matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
    };
    let mut rest = text;
    while let Some(at) = rest.find(special) {
        let (plain, from) = rest.split_at(at);
        json.push_str(plain);
        let c = from.chars().next().unwrap_or_default();
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            c => {
                let _ = std::fmt::Write::write_fmt(json, format_args!("\\u{:04x}", u32::from(c)));
            }
        }
        rest = &from[c.len_utf8()..];
    }
    json.push_str(rest);
    json.push('"');
}
