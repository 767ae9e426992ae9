//! Time.

use super::{Fault, Given, text_in};
use crate::{Context, Value};

const SECOND: i64 = 1_000_000_000;

/// `time.now_ns()`: the same throughout an evaluation.
///
/// # Errors
/// None.
pub(super) fn time_now_ns<'a>(context: &Context<'a>, _: &[Value<'a>]) -> Given<'a> {
    Ok(Value::Int(context.now()))
}

/// `time.parse_rfc3339_ns(text)`
///
/// # Errors
/// When it is no time in the form of RFC 3339, or one that 64 bits of nanoseconds do not hold.
pub(super) fn time_parse_rfc3339_ns<'a>(_: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    nanoseconds(text_in(arguments[0])?).map(Value::Int).ok_or(Fault::Undefined)
}

/// Nanoseconds since 1970 of a time, read as Go does: the hour may have one digit, a fraction may follow a comma.
fn nanoseconds(text: &str) -> Option<i64> {
    let mut rest = text;
    let year = number(&mut rest, 4)?;
    rest = rest.strip_prefix('-')?;
    let month = number(&mut rest, 2)?;
    rest = rest.strip_prefix('-')?;
    let day = number(&mut rest, 2)?;
    rest = rest.strip_prefix('T')?;
    let hour = match rest.as_bytes().get(1) {
        Some(b':') => number(&mut rest, 1)?,
        _ => number(&mut rest, 2)?,
    };
    rest = rest.strip_prefix(':')?;
    let minute = number(&mut rest, 2)?;
    rest = rest.strip_prefix(':')?;
    let second = number(&mut rest, 2)?;
    let mut fraction = 0;
    if let Some(digits) = rest.strip_prefix(['.', ',']) {
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let shown = &digits[..length.min(9)];
        fraction = shown.parse::<i64>().ok()? * 10_i64.pow(u32::try_from(9 - shown.len()).ok()?);
        rest = &digits[length..];
    }
    let offset = if rest == "Z" { 0 } else { offset(rest)? };
    let days_in_month = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day < 1 || day > days_in_month || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset;
    seconds.checked_mul(SECOND)?.checked_add(fraction)
}

fn offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let mut rest = &text[1..];
    let hours = number(&mut rest, 2)?;
    rest = rest.strip_prefix(':')?;
    let minutes = number(&mut rest, 2)?;
    (rest.is_empty() && hours <= 24 && minutes <= 60).then_some(sign * (hours * 60 + minutes) * 60)
}

fn number(rest: &mut &str, digits: usize) -> Option<i64> {
    let (number, behind) = rest.split_at_checked(digits)?;
    *rest = behind;
    if number.bytes().all(|byte| byte.is_ascii_digit()) { number.parse().ok() } else { None }
}

/// Days since 1970 of a date in the Gregorian calendar; a year is reckoned from March, so that the leap day is its last.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_go_reads_them() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-11-22T07:12:00+02:00", Some(1_795_324_320)),
            ("2024-02-29T23:59:59Z", Some(1_709_251_199)),
            ("2023-02-29T23:59:59Z", None),
            ("2026-11-22T7:12:00Z", Some(1_795_331_520)),
            ("2026-11-22 07:12:00Z", None),
            ("2026-11-22T07:12:60Z", None),
            ("9999-11-22T07:12:00Z", None),
            ("2026-11-22", None),
        ] {
            assert_eq!(nanoseconds(text), seconds.map(|seconds: i64| seconds * SECOND), "{text}");
        }
        assert_eq!(nanoseconds("1970-01-01T00:00:01.5Z"), Some(1_500_000_000));
    }
}
