//! `sprintf` as Go's `fmt` does it.

use std::fmt::Write as _;

use num_bigint::BigUint;

use super::{Fault, Given, numbers::double_of, text_in};
use crate::float::general;
use crate::number::{Written, written_whole};
use crate::{Context, Value};

/// Wider fields and more digits than this are refused by Go too.
const WIDTH_MAX: usize = 1_000_000;

/// `sprintf(format, values)`
///
/// # Errors
/// When the arguments are no text and an array, or the memory does not hold what comes out.
pub(super) fn sprintf<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let format = text_in(arguments[0])?;
    if !arguments[1].is_array() {
        return Err(Fault::Undefined);
    }
    let mut values = context.elements(arguments[1]).iter();
    let mut text = String::with_capacity(format.len() + 64);
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        if let Some(value) = values.as_slice().first()
            && plain(rest.as_bytes().get(at + 1), *value, &mut text)
        {
            values.next();
            context.afford(text.len())?;
            rest = &rest[at + 2..];
            continue;
        }
        let (verb, behind) = Verb::read(&rest[at + 1..]);
        rest = behind;
        match verb.letter {
            Some('%') => text.push('%'),
            None => text.push_str("%!(NOVERB)"),
            Some(letter) => match values.next() {
                None => {
                    let _ = write!(text, "%!{letter}(MISSING)");
                }
                Some(value) => {
                    context
                        .afford(text.len() + verb.width.unwrap_or_default().max(verb.precision.unwrap_or_default()))?;
                    verb.write(letter, &Argument::of(*value), &mut text);
                }
            },
        }
    }
    text.push_str(rest);
    let extra: Vec<String> = values.map(|value| with_type(&Argument::of(*value))).collect();
    if !extra.is_empty() {
        let _ = write!(text, "%!(EXTRA {})", extra.join(", "));
    }
    Ok(context.text(&text))
}

/// Writes what nearly all verbs are for: a text or a whole number as it is.
fn plain(letter: Option<&u8>, value: Value<'_>, text: &mut String) -> bool {
    match (letter, value) {
        (Some(b's' | b'v'), Value::Word(value)) => text.push_str(value),
        (Some(b's' | b'v'), Value::Text(value)) => text.push_str(value),
        (Some(b'd'), Value::Int(int)) => text.push_str(Written::of(int).as_str()),
        _ => return false,
    }
    true
}

/// A value as Go's `fmt` is given it.
enum Argument<'a> {
    Int(i64),
    Big(&'a str),
    Float(f64),
    Text(std::borrow::Cow<'a, str>),
}

impl<'a> Argument<'a> {
    fn of(value: Value<'a>) -> Self {
        match value {
            Value::Int(int) => Self::Int(int),
            Value::Number(number) if written_whole(number.text()) => match number.int() {
                Some(int) => Self::Int(int),
                None => Self::Big(number.text()),
            },
            Value::Number(number) => match double_of(value) {
                Some(float) => Self::Float(float),
                None => Self::Text(number.text().into()),
            },
            Value::Word(text) => Self::Text((*text).into()),
            Value::Text(text) => Self::Text((*text).into()),
            other => Self::Text(other.to_rego().into()),
        }
    }

    /// What Go calls its type.
    const fn type_name(&self) -> &'static str {
        match self {
            Self::Int(_) => "int64",
            Self::Big(_) => "big.Int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
        }
    }
}

/// An argument as Go shows one that no verb asks for.
fn with_type(argument: &Argument<'_>) -> String {
    let pointer = if matches!(argument, Argument::Big(_)) { "*" } else { "" };
    let mut text = format!("{pointer}{}=", argument.type_name());
    Verb::default().write('v', argument, &mut text);
    text
}

/// `%-8.3f`
#[derive(Default)]
struct Verb {
    minus: bool,
    plus: bool,
    zero: bool,
    space: bool,
    sharp: bool,
    width: Option<usize>,
    precision: Option<usize>,
    letter: Option<char>,
}

impl Verb {
    /// The verb behind a percent sign, and what follows it.
    fn read(text: &str) -> (Self, &str) {
        let mut verb = Self::default();
        let mut rest = text;
        while let Some(flag) = rest.chars().next().filter(|c| matches!(c, '-' | '+' | '0' | ' ' | '#')) {
            match flag {
                '-' => verb.minus = true,
                '+' => verb.plus = true,
                '0' => verb.zero = true,
                ' ' => verb.space = true,
                _ => verb.sharp = true,
            }
            rest = &rest[1..];
        }
        verb.width = digits(&mut rest);
        if let Some(behind) = rest.strip_prefix('.') {
            rest = behind;
            verb.precision = Some(digits(&mut rest).unwrap_or_default());
        }
        verb.letter = rest.chars().next();
        let behind = &rest[verb.letter.map_or(0, char::len_utf8)..];
        (verb, behind)
    }

    fn write(&self, letter: char, argument: &Argument<'_>, text: &mut String) {
        let shown = match (argument, letter) {
            (Argument::Text(value), 's' | 'v') => self.cut(value).to_owned(),
            (Argument::Text(value), 'q') => quoted(self.cut(value)),
            (Argument::Text(value), 'x') => value.bytes().map(|byte| format!("{byte:02x}")).collect(),
            (Argument::Text(value), 'X') => value.bytes().map(|byte| format!("{byte:02X}")).collect(),
            (Argument::Int(int), 'd' | 'v') => return self.whole(*int < 0, &int.unsigned_abs().to_string(), text),
            (Argument::Int(int), 'x') => return self.whole(*int < 0, &format!("{:x}", int.unsigned_abs()), text),
            (Argument::Int(int), 'X') => return self.whole(*int < 0, &format!("{:X}", int.unsigned_abs()), text),
            (Argument::Int(int), 'o') => return self.whole(*int < 0, &format!("{:o}", int.unsigned_abs()), text),
            (Argument::Int(int), 'b') => return self.whole(*int < 0, &format!("{:b}", int.unsigned_abs()), text),
            (Argument::Int(int), 'c' | 'q' | 'U') => character(*int, letter),
            (Argument::Big(digits), 'd' | 'v' | 's') => {
                return self.number(digits.starts_with('-'), digits.trim_start_matches('-'), text);
            }
            (Argument::Big(digits), 'x' | 'X' | 'o' | 'b') => {
                let negative = digits.starts_with('-');
                let digits = in_base(digits.trim_start_matches('-'), letter);
                return self.number(negative, &digits, text);
            }
            (Argument::Float(float), 'x' | 'X' | 'b') => {
                return self.number(float.is_sign_negative(), &binary(float.abs(), letter), text);
            }
            (Argument::Float(float), 'v' | 'g' | 'e' | 'f' | 'F' | 'G' | 'E') => {
                return self.number(float.is_sign_negative(), &self.float(letter, float.abs()), text);
            }
            // As Go shows what does not suit the verb: with its type, and with the flags as they are.
            (argument, letter) => {
                text.push_str(&format!("%!{letter}({}=", argument.type_name()));
                self.write('v', argument, text);
                text.push(')');
                return;
            }
        };
        self.pad(&shown, text);
    }

    fn cut<'t>(&self, text: &'t str) -> &'t str {
        let end = self.precision.and_then(|letters| text.char_indices().nth(letters));
        end.map_or(text, |(at, _)| &text[..at])
    }

    fn float(&self, letter: char, float: f64) -> String {
        let scientific = |precision: usize| {
            let text = format!("{float:.precision$e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
            format!("{mantissa}e{sign}{exponent:0>2}")
        };
        let text = match (letter.to_ascii_lowercase(), self.precision) {
            ('f', precision) => format!("{float:.*}", precision.unwrap_or(6)),
            ('e', precision) => scientific(precision.unwrap_or(6)),
            (_, None) => shortest(float),
            (_, Some(precision)) => {
                let precision = precision.max(1);
                let rounded: f64 = format!("{float:.*e}", precision - 1).parse().unwrap_or(float);
                let (digits, point) = digits_of(rounded);
                let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
                let most = i64::try_from(precision).unwrap_or(i64::MAX);
                general(&digits, point, if most > length && length >= point { length } else { most })
            }
        };
        if letter.is_ascii_uppercase() { text.to_uppercase() } else { text }
    }

    /// A whole number, whose precision is the least number of its digits.
    fn whole(&self, negative: bool, digits: &str, text: &mut String) {
        match self.precision {
            Some(least) => Self { zero: false, ..*self }.number(negative, &format!("{digits:0>least$}"), text),
            None => self.number(negative, digits, text),
        }
    }

    fn number(&self, negative: bool, digits: &str, text: &mut String) {
        let sign = match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        };
        let width = self.width.unwrap_or_default();
        if self.zero && !self.minus {
            let zeros = width.saturating_sub(sign.len() + digits.len());
            text.push_str(sign);
            text.extend(std::iter::repeat_n('0', zeros));
            text.push_str(digits);
        } else {
            self.pad(&format!("{sign}{digits}"), text);
        }
    }

    fn pad(&self, shown: &str, text: &mut String) {
        let missing = self.width.unwrap_or_default().saturating_sub(shown.chars().count());
        let fill = std::iter::repeat_n(if self.zero && !self.minus { '0' } else { ' ' }, missing);
        if self.minus {
            text.push_str(shown);
            text.extend(fill);
        } else {
            text.extend(fill);
            text.push_str(shown);
        }
    }
}

fn digits(rest: &mut &str) -> Option<usize> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, behind) = rest.split_at(end);
    *rest = behind;
    number.parse().ok().filter(|number| *number <= WIDTH_MAX)
}

fn character(code: i64, letter: char) -> String {
    let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
    match letter {
        'U' => format!("U+{code:04X}"),
        'q' if c == '\'' => "'\\''".to_owned(),
        'q' if c == '"' => "'\"'".to_owned(),
        'q' => format!("'{}'", escaped(c)),
        _ => c.to_string(),
    }
}

/// The digits of a whole number in the base of a verb.
fn in_base(digits: &str, letter: char) -> String {
    let Ok(number) = digits.parse::<BigUint>() else { return digits.to_owned() };
    match letter {
        'o' => number.to_str_radix(8),
        'b' => number.to_str_radix(2),
        'x' => number.to_str_radix(16),
        _ => number.to_str_radix(16).to_uppercase(),
    }
}

/// `0x1.8p+00`, or for `b` `6755399441055744p-52`.
fn binary(float: f64, letter: char) -> String {
    const MANTISSA_BITS: i64 = 52;
    let bits = float.to_bits();
    let (biased, fraction) =
        (i64::try_from(bits >> MANTISSA_BITS).unwrap_or_default(), bits & ((1 << MANTISSA_BITS) - 1));
    let exponent = biased.max(1) - 1023;
    let mantissa = fraction | (u64::from(biased > 0) << MANTISSA_BITS);
    if letter == 'b' {
        return format!("{mantissa}p{:+}", exponent - MANTISSA_BITS);
    }
    // Its first bit stands before the point.
    let shift = mantissa.leading_zeros().saturating_sub(11);
    let (exponent, fraction) = match mantissa {
        0 => (0, 0),
        _ => (exponent - i64::from(shift), (mantissa << shift) & ((1 << MANTISSA_BITS) - 1)),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    let text = format!("0x{}{point}{digits}p{sign}{:02}", u8::from(mantissa > 0), exponent.abs());
    if letter == 'X' { text.to_uppercase() } else { text }
}

/// The shortest digits that are read as the number, and how many of them stand before the point.
fn digits_of(float: f64) -> (String, i64) {
    let text = format!("{float:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    (digits, exponent.parse::<i64>().unwrap_or_default() + 1)
}

/// Go's `%v` of a float.
fn shortest(float: f64) -> String {
    if float == 0.0 {
        return if float.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() };
    }
    let sign = if float < 0.0 { "-" } else { "" };
    let (digits, point) = digits_of(float.abs());
    format!("{sign}{}", general(&digits, point, 6))
}

/// Go's `strconv.Quote`.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            ' '..='[' | ']'..='~' => quoted.push(c),
            c => quoted.push_str(&escaped(c)),
        }
    }
    quoted.push('"');
    quoted
}

fn escaped(c: char) -> String {
    match c {
        '\\' => "\\\\".to_owned(),
        '\u{7}' => "\\a".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{b}' => "\\v".to_owned(),
        ' '..='~' => c.to_string(),
        '\0'..='\u{7f}' => format!("\\x{:02x}", u32::from(c)),
        // A mark that joins the letter before it is escaped by Rust only where a text begins with it.
        _ if format!("a{c}").escape_debug().count() == 2 => c.to_string(),
        '\0'..='\u{ffff}' => format!("\\u{:04x}", u32::from(c)),
        _ => format!("\\U{:08x}", u32::from(c)),
    }
}

impl Value<'_> {
    /// The value as Rego writes it: `{"a": [1, 2]}`, `{1, 2}`, `set()`.
    #[must_use]
    pub fn to_rego(self) -> String {
        match self {
            Self::Word(text) => quoted(text),
            Self::Text(text) => quoted(text),
            Self::Array(elements) => format!("[{}]", listed(elements)),
            Self::Set([]) => "set()".to_owned(),
            Self::Set(elements) => format!("{{{}}}", listed(elements)),
            Self::Object(entries) => {
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("{}: {}", key.to_rego(), value.to_rego())).collect();
                format!("{{{}}}", entries.join(", "))
            }
            Self::Kept(kept) => kept.to_rego(),
            other => other.to_json(),
        }
    }
}

fn listed(elements: &[Value<'_>]) -> String {
    elements.iter().map(|element| element.to_rego()).collect::<Vec<_>>().join(", ")
}

impl crate::Kept {
    /// The value as Rego writes it.
    #[must_use]
    pub fn to_rego(&self) -> String {
        match self {
            Self::Undefined | Self::Null => "null".to_owned(),
            Self::Bool(truth) => truth.to_string(),
            Self::Int(int) => int.to_string(),
            Self::Number(text) => text.to_string(),
            Self::String(text) => quoted(text),
            Self::Array(elements) => {
                format!("[{}]", elements.iter().map(Self::to_rego).collect::<Vec<_>>().join(", "))
            }
            Self::Object(fields) => {
                let entries: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{}: {}", quoted(name), value.to_rego())).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::plain;

    #[test]
    fn floats_are_written_as_go_writes_them() {
        for (float, text) in [
            (1.5, "1.5"),
            (1e6, "1e+06"),
            (0.1, "0.1"),
            (1e21, "1e+21"),
            (123_456_789.0, "1.23456789e+08"),
            (-0.5, "-0.5"),
            (1e-5, "1e-05"),
        ] {
            assert_eq!(shortest(float), text);
        }
        assert_eq!(plain("15", 1), "1.5");
    }

    #[test]
    fn what_cannot_be_printed_is_escaped() {
        assert_eq!(quoted("a\"\\\n\u{1}é\u{a0}\u{301}\u{e000}"), "\"a\\\"\\\\\\n\\x01é\\u00a0\u{301}\\ue000\"");
    }
}
