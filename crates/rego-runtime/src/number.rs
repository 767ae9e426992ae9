//! Numbers as OPA has them: exact whole numbers of any size, and everything else as it is written.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::sync::OnceLock;

use num_bigint::BigInt;
use rego_plan::compare_numbers;

use crate::float::Float;
use crate::kept::Kept;
use crate::{Context, Value};

/// Powers of ten above this are not worked out: no rule counts so far, and their digits would fill the memory.
const EXPONENT_MAX: i64 = 100_000;

/// A number that is not written as a whole number of 64 bits.
#[derive(Debug)]
pub struct Number<'a> {
    form: Form<'a>,
    /// Its value, where that is a whole number of 64 bits all the same: 1.0.
    int: Option<i64>,
}

#[derive(Debug)]
enum Form<'a> {
    Written(&'a str),
    /// The result of an operation, which is no whole number. Most of them are rounded or compared, and never written: that costs
    /// more than all of the arithmetic.
    Worked(Float, OnceLock<Digits>),
}

/// The text of a [`Form::Worked`]: a sign, 20 digits, a point, an exponent of a sign and 10 digits.
#[derive(Debug)]
struct Digits {
    bytes: [u8; 39],
    length: u8,
}

impl Digits {
    fn of(float: Float) -> Self {
        let text = float.to_text();
        let mut digits = Self { bytes: [0; 39], length: 0 };
        if let Some(bytes) = digits.bytes.get_mut(..text.len()) {
            bytes.copy_from_slice(text.as_bytes());
            digits.length = u8::try_from(text.len()).unwrap_or_default();
        }
        digits
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl<'a> Number<'a> {
    /// A number as it is written in JSON.
    #[must_use]
    pub const fn new(text: &'a str, int: Option<i64>) -> Self {
        Self { form: Form::Written(text), int }
    }

    /// A number as it is written in JSON.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        Self::new(text, int(text))
    }

    /// As it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.form {
            Form::Written(text) => text,
            Form::Worked(float, digits) => digits.get_or_init(|| Digits::of(*float)).as_str(),
        }
    }

    pub(crate) const fn int(&self) -> Option<i64> {
        self.int
    }

    /// The result of an operation that it is, and no whole number.
    const fn worked(&self) -> Option<Float> {
        match self.form {
            Form::Worked(float, _) => Some(float),
            Form::Written(_) => None,
        }
    }
}

/// The whole number that a text means to OPA: with nothing but zeros behind its point, and without an exponent.
#[must_use]
pub fn int(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.bytes().all(|byte| byte == b'0') { whole.parse().ok() } else { None }
}

/// Whether a text is written as a whole number.
pub fn written_whole(text: &str) -> bool {
    !text.contains(['.', 'e', 'E'])
}

/// A number on its way into a text, without memory of its own for a whole one.
pub struct Written {
    bytes: [u8; 20],
    length: usize,
}

impl Written {
    pub fn of(int: i64) -> Self {
        let mut written = Self { bytes: [0; 20], length: 0 };
        let _ = write!(written, "{int}");
        written
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl std::fmt::Write for Written {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// The order of two numbers.
pub fn order(a: Value<'_>, b: Value<'_>) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return a.cmp(&b);
    }
    // Results of operations, and 64 bits, are compared as what they are: their texts, each the shortest that is read as its number and
    // no other, have the same order.
    if let (Some(a), Some(b)) = (exact(a), exact(b)) {
        return a.order(b);
    }
    match a {
        Value::Number(number) => order_text(number.text(), b),
        Value::Int(int) => order_text(Written::of(int).as_str(), b),
        _ => Ordering::Equal,
    }
}

fn exact(value: Value<'_>) -> Option<Float> {
    match value {
        Value::Int(int) => Some(Float::of_int(int)),
        Value::Number(number) => number.worked(),
        _ => None,
    }
}

/// The order of a number as it is written to another.
pub fn order_text(a: &str, b: Value<'_>) -> Ordering {
    match b {
        Value::Number(number) => compare_numbers(a, number.text()),
        Value::Int(int) => compare_numbers(a, Written::of(int).as_str()),
        _ => Ordering::Equal,
    }
}

/// The order of two numbers that are kept.
pub fn order_texts(a: &Kept, b: &Kept) -> Ordering {
    let text = |kept: &Kept| match kept {
        Kept::Int(int) => int.to_string(),
        Kept::Number(text) => text.to_string(),
        _ => String::new(),
    };
    compare_numbers(&text(a), &text(b))
}

/// The exact value of a number that is a whole one, however it is written.
pub fn integer(value: Value<'_>) -> Option<BigInt> {
    match value {
        Value::Int(int) => Some(int.into()),
        Value::Number(number) => match number.int {
            Some(int) => Some(int.into()),
            None if number.worked().is_some() => None,
            None => integer_of(number.text()),
        },
        _ => None,
    }
}

fn integer_of(text: &str) -> Option<BigInt> {
    if written_whole(text) {
        return text.parse().ok();
    }
    if text.bytes().all(|byte| byte != b'e' && byte != b'E') && !text.ends_with('0') {
        return None;
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let exponent = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    if digits == BigInt::ZERO {
        return Some(digits);
    }
    let power = |exponent: i64| {
        u32::try_from(exponent).ok().filter(|_| exponent <= EXPONENT_MAX).map(|e| BigInt::from(10).pow(e))
    };
    if exponent >= 0 {
        return Some(digits * power(exponent)?);
    }
    let divisor = power(-exponent)?;
    (&digits % &divisor == BigInt::ZERO).then(|| digits / divisor)
}

/// The value of a number with 64 bits of mantissa, as Go's `big.Float` has it.
pub fn float(value: Value<'_>) -> Option<Float> {
    match value {
        Value::Int(int) => Some(Float::of_int(int)),
        Value::Number(number) => number.worked().or_else(|| Float::parse(number.text())),
        _ => None,
    }
}

/// The nearest `f64`.
pub fn double(value: Value<'_>) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss)]
        Value::Int(int) => Some(int as f64),
        Value::Number(number) => number.text().parse().ok().filter(|float: &f64| float.is_finite()),
        _ => None,
    }
}

impl<'a> Context<'a> {
    /// A number as it is written, which the text must be.
    #[must_use]
    pub fn number(&self, text: &str) -> Value<'a> {
        if written_whole(text)
            && text != "-0"
            && !text.starts_with('+')
            && let Ok(int) = text.parse()
        {
            return Value::Int(int);
        }
        let text = self.arena().alloc_str(text);
        Value::Number(self.arena().alloc(Number::of(text)))
    }

    /// A whole number.
    #[must_use]
    pub fn integer(&self, integer: &BigInt) -> Value<'a> {
        match i64::try_from(integer) {
            Ok(int) => Value::Int(int),
            Err(_) => self.number(&integer.to_string()),
        }
    }

    /// The result of an operation on floats.
    pub(crate) fn float(&self, float: &Float) -> Value<'a> {
        if !float.is_whole() {
            let form = Form::Worked(*float, OnceLock::new());
            return Value::Number(self.arena().alloc(Number { form, int: None }));
        }
        match float.int() {
            Some(int) => Value::Int(int),
            None => self.number(&float.to_text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_known_however_they_are_written() {
        for (text, whole) in [
            ("1.0", Some(1)),
            ("-0", Some(0)),
            ("1e3", Some(1000)),
            ("1.5", None),
            ("12.50e1", Some(125)),
            ("5e-1", None),
            ("50e-1", Some(5)),
        ] {
            assert_eq!(integer_of(text), whole.map(BigInt::from), "{text}");
        }
        assert_eq!((integer_of("0.90"), integer_of("1.5")), (None, None));
        assert_eq!((int("1.00"), int("1e3"), int("9223372036854775808")), (Some(1), None, None));
        assert_eq!(integer_of("1e999999999"), None);
    }

    #[test]
    fn results_compare_as_their_texts_do() {
        let arena = crate::Arena::new();
        let context = Context::new(&arena, &crate::Words::NONE, crate::Limits::default());
        let numbers = ["0.1", "0.2", "0.3", "1", "3", "-0.5", "7.25", "1e-7", "12345.678", "9007199254740993.5", "-3"];
        let results: Vec<Value<'_>> = numbers
            .iter()
            .flat_map(|a| numbers.iter().map(move |b| (a, b)))
            .filter_map(|(a, b)| Some((Float::parse(a)?, Float::parse(b)?)))
            .flat_map(|(a, b)| [a.plus(b), a.times(b), a.divided_by(b)])
            .map(|result| context.float(&result))
            .collect();
        let text = |value: Value<'_>| match value {
            Value::Number(number) => number.text().to_owned(),
            Value::Int(int) => int.to_string(),
            _ => String::new(),
        };
        for a in &results {
            for b in &results {
                assert_eq!(order(*a, *b), compare_numbers(&text(*a), &text(*b)), "{} {}", text(*a), text(*b));
            }
        }
        assert!(results.iter().any(|result| matches!(result, Value::Int(_))));
    }
}
