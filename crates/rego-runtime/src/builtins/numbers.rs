//! Arithmetic: whole numbers exact whatever their size, other numbers with 64 bits of mantissa.

use num_bigint::{BigInt, Sign};

use super::collections::difference;
use super::{Fault, Given, text_in};
use crate::float::Float;
use crate::number::{Written, double, float, integer};
use crate::{Context, Value};

/// Elements of `numbers.range` that are made between two looks at the limits, and bits of a shift that is worked out.
const RANGE_STEP: usize = 1024;
const SHIFT_MAX: u64 = 1 << 20;

type OfInts = fn(i64, i64) -> Option<i64>;
type OfIntegers = fn(BigInt, BigInt) -> BigInt;
type OfFloats = fn(Float, Float) -> Float;

fn operation<'a>(
    context: &Context<'a>,
    [left, right]: [Value<'a>; 2],
    small: OfInts,
    exact: OfIntegers,
    inexact: OfFloats,
) -> Given<'a> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        && let Some(result) = small(a, b)
    {
        return Ok(Value::Int(result));
    }
    large(context, left, right, exact, inexact)
}

#[cold]
fn large<'a>(
    context: &Context<'a>,
    left: Value<'a>,
    right: Value<'a>,
    exact: OfIntegers,
    inexact: OfFloats,
) -> Given<'a> {
    if let (Some(a), Some(b)) = (integer(left), integer(right)) {
        return Ok(context.integer(&exact(a, b)));
    }
    let (Some(a), Some(b)) = (float(left), float(right)) else { return Err(Fault::Undefined) };
    Ok(context.float(&inexact(a, b)))
}

/// `a + b`
///
/// # Errors
/// When one is no number.
pub(super) fn plus<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    operation(context, [arguments[0], arguments[1]], i64::checked_add, |a, b| a + b, Float::plus)
}

/// `a - b`, of numbers or of sets.
///
/// # Errors
/// When they are neither.
pub(super) fn minus<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    if arguments[0].is_set() {
        return difference(context, arguments[0], arguments[1]);
    }
    operation(context, [arguments[0], arguments[1]], i64::checked_sub, |a, b| a - b, Float::minus)
}

/// `a * b`
///
/// # Errors
/// When one is no number.
pub(super) fn mul<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    operation(context, [arguments[0], arguments[1]], i64::checked_mul, |a, b| a * b, Float::times)
}

/// `a / b`
///
/// # Errors
/// When one is no number, or the divisor is zero.
pub(super) fn div<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let (left, right) = (arguments[0], arguments[1]);
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        && a != 0
        && b != 0
        && a.checked_rem(b) == Some(0)
    {
        return Ok(Value::Int(a / b));
    }
    let (Some(a), Some(b)) = (float(left), float(right)) else { return Err(Fault::Undefined) };
    if b.is_zero() { Err(Fault::Undefined) } else { Ok(context.float(&a.divided_by(b))) }
}

/// `a % b`
///
/// # Errors
/// When one is no whole number, or the divisor is zero.
pub(super) fn rem<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    if let (Some(a), Some(b)) = (arguments[0].as_int(), arguments[1].as_int()) {
        return match b {
            0 => Err(Fault::Undefined),
            _ => Ok(Value::Int(a.checked_rem(b).unwrap_or_default())),
        };
    }
    match (integer(arguments[0]), integer(arguments[1])) {
        (Some(a), Some(b)) if b != BigInt::ZERO => Ok(context.integer(&(a % b))),
        _ => Err(Fault::Undefined),
    }
}

fn rounding<'a>(context: &Context<'a>, value: Value<'a>, round: fn(Float) -> Float) -> Given<'a> {
    match value.as_int() {
        Some(int) => Ok(Value::Int(int)),
        None => Ok(context.float(&round(float(value).ok_or(Fault::Undefined)?))),
    }
}

/// `abs(x)`
///
/// # Errors
/// When it is no number.
pub(super) fn abs<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    match arguments[0].as_int().and_then(i64::checked_abs) {
        Some(int) => Ok(Value::Int(int)),
        None => Ok(context.float(&float(arguments[0]).ok_or(Fault::Undefined)?.absolute())),
    }
}

/// `round(x)`: halves away from zero.
///
/// # Errors
/// When it is no number.
pub(super) fn round<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    rounding(context, arguments[0], |x| {
        if x.is_negative() { x.minus(Float::HALF) } else { x.plus(Float::HALF) }.whole_part()
    })
}

/// `ceil(x)`
///
/// # Errors
/// When it is no number.
pub(super) fn ceil<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    rounding(context, arguments[0], |x| {
        let down = x.whole_part();
        if down.is_negative() || x.minus(down).is_zero() { down } else { down.plus(Float::ONE) }
    })
}

/// `floor(x)`
///
/// # Errors
/// When it is no number.
pub(super) fn floor<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    rounding(context, arguments[0], |x| {
        let toward_zero = x.whole_part();
        // A number between -1 and 0 has the whole part 0, which has no sign.
        if !toward_zero.is_negative() || x.minus(toward_zero).is_zero() {
            toward_zero
        } else {
            toward_zero.minus(Float::ONE)
        }
    })
}

/// `sum(x)`
///
/// # Errors
/// When it is no array or set of numbers.
pub(super) fn sum<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    folded(context, arguments[0], plus, Value::Int(0))
}

/// `product(x)`
///
/// # Errors
/// When it is no array or set of numbers.
pub(super) fn product<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    folded(context, arguments[0], mul, Value::Int(1))
}

fn folded<'a>(
    context: &Context<'a>,
    collection: Value<'a>,
    operation: super::Operation,
    first: Value<'a>,
) -> Given<'a> {
    if !collection.is_array() && !collection.is_set() {
        return Err(Fault::Undefined);
    }
    let elements = context.elements(collection);
    if elements.iter().all(|element| integer(*element).is_some()) {
        return elements.iter().try_fold(first, |all, element| operation(context, &[all, *element]));
    }
    // Where one is no whole number, all are added as floats.
    let mut all = float(first).ok_or(Fault::Undefined)?;
    for element in elements {
        let element = float(*element).ok_or(Fault::Undefined)?;
        all = if first.as_int() == Some(0) { all.plus(element) } else { all.times(element) };
    }
    Ok(context.float(&all))
}

/// `numbers.range(a, b)`
///
/// # Errors
/// When one is no whole number, or there are more than the memory holds.
pub(super) fn numbers_range<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    // OPA asks for a text that is a whole number, so that 1.0 is none here.
    let (Some(from), Some(to)) = (integer(arguments[0]), integer(arguments[1])) else { return Err(Fault::Undefined) };
    let (Ok(from), Ok(to)) = (i64::try_from(from), i64::try_from(to)) else { return Err(Fault::Undefined) };
    let length = usize::try_from(from.abs_diff(to)).unwrap_or(usize::MAX).saturating_add(1);
    context.afford(length.saturating_mul(size_of::<Value<'_>>()))?;
    let mut range = bumpalo::collections::Vec::new_in(context.arena());
    let mut next = from;
    loop {
        range.push(Value::Int(next));
        if range.len().is_multiple_of(RANGE_STEP) {
            context.step()?;
        }
        if next == to {
            return Ok(context.array_of(range.into_bump_slice()));
        }
        next += if from < to { 1 } else { -1 };
    }
}

fn shift(value: Value<'_>) -> Result<u64, Fault> {
    let by = integer(value).filter(|by| by.sign() != Sign::Minus).ok_or(Fault::Undefined)?;
    u64::try_from(by).ok().filter(|by| *by <= SHIFT_MAX).ok_or(Fault::Undefined)
}

/// `bits.lsh(x, by)`
///
/// # Errors
/// When they are no whole numbers, or it is shifted by a negative number or very far.
pub(super) fn bits_lsh<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let number = integer(arguments[0]).ok_or(Fault::Undefined)?;
    Ok(context.integer(&(number << shift(arguments[1])?)))
}

/// `bits.rsh(x, by)`
///
/// # Errors
/// When they are no whole numbers, or it is shifted by a negative number or very far.
pub(super) fn bits_rsh<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let number = integer(arguments[0]).ok_or(Fault::Undefined)?;
    Ok(context.integer(&(number >> shift(arguments[1])?)))
}

/// `format_int(x, base)`
///
/// # Errors
/// When it is no number, or the base none of 2, 8, 10 and 16.
pub(super) fn format_int<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let base = match arguments[1] {
        Value::Int(base @ (2 | 8 | 10 | 16)) => u32::try_from(base).unwrap_or_default(),
        _ => return Err(Fault::Undefined),
    };
    if let (Value::Int(int), 10) = (arguments[0], base) {
        return Ok(context.text(Written::of(int).as_str()));
    }
    let whole = match integer(arguments[0]) {
        Some(whole) => whole,
        None => float(arguments[0]).ok_or(Fault::Undefined)?.truncated(),
    };
    Ok(context.text(&whole.to_str_radix(base)))
}

/// `to_number(x)`
///
/// # Errors
/// When it means no number.
pub(super) fn to_number<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    match arguments[0] {
        Value::Null | Value::False => Ok(Value::Int(0)),
        Value::True => Ok(Value::Int(1)),
        number @ (Value::Int(_) | Value::Number(_)) => Ok(number),
        text => {
            let text = text_in(text)?;
            if text.len() < 18 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
                return text.parse().map(Value::Int).map_err(|_| Fault::Undefined);
            }
            // Letters are those of an exponent: neither "inf" nor "nan" are numbers here.
            let written = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
            if !written || !text.parse::<f64>().is_ok_and(f64::is_finite) {
                return Err(Fault::Undefined);
            }
            Ok(context.number(&tidy(text)))
        }
    }
}

/// A number in the form of JSON, which has neither a plus, nor nothing before or behind the point, nor zeros in front.
fn tidy(text: &str) -> std::borrow::Cow<'_, str> {
    let unsigned = text.trim_start_matches(['+', '-']);
    let point =
        unsigned.starts_with('.') || unsigned.ends_with('.') || unsigned.contains(".e") || unsigned.contains(".E");
    let plain = !text.starts_with('+') && !point;
    if plain {
        return text.into();
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    let exponent = exponent.map_or_else(String::new, |exponent| format!("e{exponent}"));
    format!("{sign}{whole}{fraction}{exponent}").into()
}

/// The nearest `f64`, for what is printed with Go's `%f` and its like.
pub(super) fn double_of(value: Value<'_>) -> Option<f64> {
    double(value)
}
