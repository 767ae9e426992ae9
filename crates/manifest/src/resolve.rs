//! What a YAML scalar means: the rules of `go.yaml.in/yaml/v2` (`resolve.go`) and of `sigs.k8s.io/yaml`, which turn the
//! text of a manifest into JSON for kubectl, conftest and every Kubernetes client. They are YAML 1.1 with exceptions:
//! bare `on` is `true`, `012` is 10, `1_000` is 1000, `08` is 8, a time stamp is a string.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The tags that have a meaning here; any other (`!Ref`, `!!set`) leaves a scalar a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    None,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    Other,
}

impl Tag {
    /// The tag with this full name (`tag:yaml.org,2002:int`).
    pub(super) fn named(name: &str) -> Tag {
        match name.strip_prefix("tag:yaml.org,2002:") {
            Some("str") => Tag::Str,
            Some("bool") => Tag::Bool,
            Some("int") => Tag::Int,
            Some("float") => Tag::Float,
            Some("null") => Tag::Null,
            Some("timestamp") => Tag::Timestamp,
            Some("binary") => Tag::Binary,
            Some("merge") => Tag::Merge,
            _ => Tag::Other,
        }
    }

    fn short(self) -> &'static str {
        match self {
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            Tag::Binary => "!!binary",
            Tag::Merge => "!!merge",
            Tag::None | Tag::Str | Tag::Other => "!!str",
        }
    }
}

/// A scalar with its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// Above `i64::MAX`.
    Uint(u64),
    Float(f64),
    Str(Cow<'a, str>),
}

impl<'a> Scalar<'a> {
    fn tag(&self) -> Tag {
        match self {
            Scalar::Null => Tag::Null,
            Scalar::Bool(_) => Tag::Bool,
            Scalar::Int(_) | Scalar::Uint(_) => Tag::Int,
            Scalar::Float(_) => Tag::Float,
            Scalar::Str(_) => Tag::Str,
        }
    }

    /// The scalar as a key of a JSON object. Errors: `null` and integers above `i64::MAX` are refused, as `sigs.k8s.io/yaml` does.
    pub(super) fn into_key(self) -> Result<Cow<'a, str>, String> {
        match self {
            Scalar::Str(text) => Ok(text),
            Scalar::Bool(true) => Ok(Cow::Borrowed("true")),
            Scalar::Bool(false) => Ok(Cow::Borrowed("false")),
            Scalar::Int(number) => Ok(Cow::Owned(number.to_string())),
            Scalar::Float(number) => Ok(Cow::Owned(format_float32(number))),
            Scalar::Null => Err("a key must not be null".to_owned()),
            Scalar::Uint(number) => Err(format!("the integer {number} cannot be a key: put it in quotes")),
        }
    }
}

/// Types the text of a scalar. `implicit` is false for a quoted or block scalar without a tag.
/// Errors: the text does not fit its explicit tag (`!!int abc`), or invalid base64 under `!!binary`.
pub(super) fn resolve(tag: Tag, implicit: bool, text: &str) -> Result<Scalar<'_>, String> {
    let string = || Scalar::Str(Cow::Borrowed(text));
    match tag {
        Tag::None if !implicit => return Ok(string()),
        Tag::Str | Tag::Merge | Tag::Other => return Ok(string()),
        // A time stamp stays the text it is; Go only checks it.
        Tag::Timestamp => return Ok(string()),
        Tag::Binary => return decode_binary(text),
        Tag::None | Tag::Bool | Tag::Int | Tag::Float | Tag::Null => {}
    }
    let scalar = resolve_plain(text);
    match (tag, scalar) {
        (Tag::None, scalar) => Ok(scalar),
        (Tag::Float, Scalar::Int(number)) => Ok(Scalar::Float(number as f64)),
        (tag, scalar) if scalar.tag() == tag => Ok(scalar),
        (tag, scalar) => {
            Err(format!("cannot decode {} `{}` as a {}", scalar.tag().short(), abbreviate(text), tag.short()))
        }
    }
}

fn resolve_plain(text: &str) -> Scalar<'_> {
    let string = Scalar::Str(Cow::Borrowed(text));
    match text.as_bytes().first() {
        None => Scalar::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => match text {
            "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
            "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
            "~" | "null" | "Null" | "NULL" => Scalar::Null,
            _ => string,
        },
        Some(b'.') => match text {
            ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Scalar::Float(f64::INFINITY),
            _ => dotted_float(text).map_or(string, Scalar::Float),
        },
        Some(b'+' | b'-' | b'0'..=b'9') => match text {
            "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
            "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
            _ => number(text).unwrap_or(string),
        },
        Some(_) => string,
    }
}

fn number(text: &str) -> Option<Scalar<'static>> {
    let plain = if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) };
    integer(&plain, None)
        .or_else(|| decimal_float(&plain).map(Scalar::Float))
        // Go tries the digits of "0b" once more, with a sign of their own ("0b-1").
        .or_else(|| plain.strip_prefix("0b").and_then(|digits| integer(digits, Some(2))))
}

/// Go's `strconv.ParseInt(text, 0, 64)`, then `ParseUint`; with a radix, these with that base.
fn integer(text: &str, radix: Option<u32>) -> Option<Scalar<'static>> {
    let (sign, digits) = match text.as_bytes().first()? {
        sign @ (b'+' | b'-') => (Some(*sign), &text[1..]),
        _ => (None, text),
    };
    if !digits.as_bytes().first()?.is_ascii_alphanumeric() {
        return None;
    }
    let (radix, digits) = match (radix, digits.as_bytes()) {
        (Some(radix), _) => (radix, digits),
        (None, [b'0', b'x' | b'X', _, ..]) => (16, &digits[2..]),
        (None, [b'0', b'b' | b'B', _, ..]) => (2, &digits[2..]),
        (None, [b'0', b'o' | b'O', _, ..]) => (8, &digits[2..]),
        (None, [b'0']) => return Some(Scalar::Int(0)),
        (None, [b'0', ..]) => (8, &digits[1..]),
        (None, _) => (10, digits),
    };
    // Rust's parser takes a sign here, Go's does not.
    if !digits.as_bytes().first()?.is_ascii_alphanumeric() {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match sign {
        Some(b'-') => 0_i64.checked_sub_unsigned(magnitude).map(Scalar::Int),
        _ => match i64::try_from(magnitude) {
            Ok(number) => Some(Scalar::Int(number)),
            Err(_) if sign.is_none() => Some(Scalar::Uint(magnitude)),
            Err(_) => None,
        },
    }
}

/// A number of the form `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` that a float can hold.
fn decimal_float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digits_from = |start: usize| bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits_from(at);
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits_from(at + 1);
        if whole == 0 && fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let exponent = digits_from(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    if at != bytes.len() {
        return None;
    }
    // Out of range is an error in Go, and the text then a string.
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Go's `strconv.ParseFloat` for a text that begins with a dot: an underscore may stand between digits.
fn dotted_float(text: &str) -> Option<f64> {
    if !text.contains('_') {
        return decimal_float(text);
    }
    let bytes = text.as_bytes();
    let between_digits = bytes.iter().enumerate().all(|(at, byte)| {
        *byte != b'_' || (at > 0 && bytes[at - 1].is_ascii_digit() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit))
    });
    if between_digits { decimal_float(&text.replace('_', "")) } else { None }
}

/// Go's base64 decoder: line breaks are skipped, padding is needed. Bytes that are no UTF-8 become U+FFFD in JSON.
fn decode_binary(text: &str) -> Result<Scalar<'_>, String> {
    const GO: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
    );
    let compact: String = text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
    match GO.decode(compact) {
        Ok(bytes) => Ok(Scalar::Str(Cow::Owned(lossy_per_byte(&bytes)))),
        Err(_) => Err("a !!binary value is not valid base64".to_owned()),
    }
}

/// `String::from_utf8_lossy` with one U+FFFD for each byte that is not UTF-8, as Go's JSON encoder writes them.
fn lossy_per_byte(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('\u{FFFD}', chunk.invalid().len()));
    }
    text
}

/// Go's `strconv.FormatFloat(number, 'g', -1, 32)`, and YAML's words for what is not finite.
fn format_float32(number: f64) -> String {
    let number = number as f32;
    if number.is_nan() {
        return ".nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        format!("{number}")
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    }
}

/// At most 40 characters of a text, for a message.
fn abbreviate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
