//! Go's `big.Float` with its default of 64 bits of mantissa, as far as OPA's arithmetic uses it: OPA prints every digit of such a
//! number that matters, so an `f64` would not do.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

/// Digits and powers beyond these are not worked out.
const EXPONENT_MAX: i64 = 5_000;

/// `± mantissa × 2^exponent`, rounded to nearest, ties to even. The highest bit of the mantissa is set, except in zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Float {
    negative: bool,
    mantissa: u64,
    exponent: i64,
}

impl Float {
    pub const HALF: Self = Self { negative: false, mantissa: 1 << 63, exponent: -64 };
    pub const ONE: Self = Self { negative: false, mantissa: 1 << 63, exponent: -63 };

    const fn zero(negative: bool) -> Self {
        Self { negative, mantissa: 0, exponent: 0 }
    }

    pub fn of_int(int: i64) -> Self {
        Self::rounded(int < 0, int.unsigned_abs().into(), 0, false)
    }

    /// The float nearest to a number as it is written in JSON.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        if let Some(float) = Self::parse_short(negative, text) {
            return Some(float);
        }
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: BigUint = format!("{whole}{fraction}").parse().ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        if digits == BigUint::ZERO {
            return Some(Self::zero(negative));
        }
        if exponent.abs() > EXPONENT_MAX {
            return None;
        }
        let power = BigUint::from(10_u8).pow(u32::try_from(exponent.unsigned_abs()).ok()?);
        if exponent >= 0 {
            return Some(Self::of_big(negative, &(digits * power), 0, false));
        }
        // As many bits of the quotient as are rounded, and some more.
        let bits = |number: &BigUint| i64::try_from(number.bits()).unwrap_or(i64::MAX);
        let shift = (bits(&power) - bits(&digits) + 70).max(0);
        let shifted = digits << usize::try_from(shift).ok()?;
        let quotient = &shifted / &power;
        let rest = shifted != &quotient * &power;
        Some(Self::of_big(negative, &quotient, -shift, rest))
    }

    /// The same of a text without an exponent and with 18 digits at most, as nearly all are.
    fn parse_short(negative: bool, text: &str) -> Option<Self> {
        let (mut digits, mut behind, mut count) = (0_u64, 0_u32, 0);
        let mut point = false;
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => {
                    digits = digits.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                    behind += u32::from(point);
                    count += 1;
                }
                b'.' if !point && count > 0 => point = true,
                _ => return None,
            }
        }
        if count == 0 || count > 18 || (point && behind == 0) {
            return None;
        }
        if digits == 0 {
            return Some(Self::zero(negative));
        }
        // The divisor has 60 bits at most, so that the quotient has more than 64.
        let shift = 64 + digits.leading_zeros();
        let (dividend, divisor) = (u128::from(digits) << shift, 10_u128.pow(behind));
        let (quotient, rest) = (dividend / divisor, dividend % divisor);
        Some(Self::rounded(negative, quotient, -i64::from(shift), rest != 0))
    }

    fn of_big(negative: bool, number: &BigUint, exponent: i64, sticky: bool) -> Self {
        let excess = number.bits().saturating_sub(128);
        let high = number >> excess;
        let sticky = sticky || (excess > 0 && (&high << excess) != *number);
        let digits = high.to_u64_digits();
        let at = |index: usize| u128::from(digits.get(index).copied().unwrap_or_default());
        Self::rounded(negative, at(1) << 64 | at(0), exponent + i64::try_from(excess).unwrap_or(i64::MAX / 2), sticky)
    }

    /// `number × 2^exponent`, of which `sticky` says that some bits below were lost.
    fn rounded(negative: bool, number: u128, exponent: i64, sticky: bool) -> Self {
        if number == 0 {
            return Self::zero(negative);
        }
        let shift = 64 - i64::from(number.leading_zeros());
        if shift <= 0 {
            let mantissa = u64::try_from(number << -shift).unwrap_or(u64::MAX);
            return Self { negative, mantissa, exponent: exponent + shift };
        }
        let lost = number & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        let kept = number >> shift;
        let up = lost > half || lost == half && (sticky || kept & 1 == 1);
        let kept = kept + u128::from(up);
        match u64::try_from(kept) {
            Ok(mantissa) => Self { negative, mantissa, exponent: exponent + shift },
            Err(_) => Self { negative, mantissa: 1 << 63, exponent: exponent + shift + 1 },
        }
    }

    pub const fn is_zero(&self) -> bool {
        self.mantissa == 0
    }

    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    pub const fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    pub const fn absolute(self) -> Self {
        Self { negative: false, ..self }
    }

    pub fn plus(self, other: Self) -> Self {
        if self.is_zero() && other.is_zero() {
            return Self::zero(self.negative && other.negative);
        }
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let greater = (self.exponent, self.mantissa) >= (other.exponent, other.mantissa);
        let (big, small) = if greater { (self, other) } else { (other, self) };
        let shift = big.exponent - small.exponent;
        let (high, low) = (u128::from(big.mantissa) << 63, u128::from(small.mantissa) << 63);
        let (low, sticky) = match u32::try_from(shift) {
            Ok(shift) if shift < 128 => (low >> shift, low >> shift << shift != low),
            _ => (0, true),
        };
        let exponent = big.exponent - 63;
        if big.negative == small.negative {
            return Self::rounded(big.negative, high + low, exponent, sticky);
        }
        let difference = high - low - u128::from(sticky);
        // An exact zero has no sign.
        Self::rounded(big.negative && (difference != 0 || sticky), difference, exponent, sticky)
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    pub fn times(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Self::rounded(negative, product, self.exponent + other.exponent, false)
    }

    /// The divisor is not zero.
    pub fn divided_by(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        if self.is_zero() {
            return Self::zero(negative);
        }
        let dividend = u128::from(self.mantissa) << 64;
        let divisor = u128::from(other.mantissa);
        let (quotient, rest) = (dividend / divisor, dividend % divisor);
        // The quotient has 64 or 65 bits; one more says on which side of the middle the rest is.
        let more = quotient << 2 | u128::from(rest * 2 >= divisor) << 1 | u128::from(rest != 0 && rest * 2 != divisor);
        Self::rounded(negative, more, self.exponent - other.exponent - 66, false)
    }

    /// The whole part, toward zero.
    pub fn truncated(&self) -> BigInt {
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        let mantissa = BigUint::from(self.mantissa);
        let magnitude = match usize::try_from(self.exponent.unsigned_abs()) {
            Ok(shift) if self.exponent >= 0 => mantissa << shift,
            Ok(shift) => mantissa >> shift,
            Err(_) => BigUint::ZERO,
        };
        BigInt::from_biguint(sign, magnitude)
    }

    /// The same as a float.
    pub const fn whole_part(self) -> Self {
        match self.exponent {
            _ if self.is_zero() => Self::zero(false),
            0.. => self,
            -63..=-1 => Self { mantissa: self.mantissa >> -self.exponent << -self.exponent, ..self },
            _ => Self::zero(false),
        }
    }

    /// Its value, where that is a whole number of 64 bits and no negative zero.
    pub fn int(&self) -> Option<i64> {
        if self.is_zero() {
            return (!self.negative).then_some(0);
        }
        if !self.is_whole() || self.exponent > 0 {
            return None;
        }
        let magnitude = i128::from(self.mantissa >> -self.exponent);
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The order of two floats.
    pub fn order(self, other: Self) -> Ordering {
        let key = |float: Self| (!float.is_zero(), float.exponent, float.mantissa);
        let sign = |float: Self| if float.is_zero() { 0 } else { 1 - 2 * i8::from(float.negative) };
        sign(self).cmp(&sign(other)).then_with(|| {
            let magnitude = key(self).cmp(&key(other));
            if self.negative { magnitude.reverse() } else { magnitude }
        })
    }

    pub fn is_whole(&self) -> bool {
        self.is_zero() || self.exponent >= 0 || i64::from(self.mantissa.trailing_zeros()) >= -self.exponent
    }

    /// The shortest decimal number that is read as this one, as Go's `Text('g', -1)` writes it, and `Text('f', -1)` where it is whole.
    pub fn to_text(self) -> String {
        let sign = if self.negative { "-" } else { "" };
        if self.is_zero() {
            return format!("{sign}0");
        }
        let (digits, point) = self.shortest();
        format!("{sign}{}", if self.is_whole() { plain(&digits, point) } else { general(&digits, point, 6) })
    }

    /// Digits, and how many of them stand before the point.
    fn shortest(&self) -> (String, i64) {
        let mantissa = BigUint::from(self.mantissa) << 1_u8;
        let exponent = self.exponent - 1;
        let one = BigUint::from(1_u8);
        let (exact, mut point) = decimal(&mantissa, exponent);
        let (lower, _) = decimal(&(&mantissa - &one), exponent);
        let (upper, _) = decimal(&(&mantissa + &one), exponent);
        let inclusive = self.mantissa & 1 == 0;
        let at = |digits: &[u8], index: usize| digits.get(index).copied().unwrap_or(b'0');
        for (index, digit) in exact.iter().copied().enumerate() {
            let (low, high) = (at(&lower, index), at(&upper, index));
            let down = low != digit || inclusive && index + 1 == lower.len();
            let up = digit != high && (inclusive || digit + 1 < high || index + 1 < upper.len());
            if !down && !up {
                continue;
            }
            let mut digits = exact[..=index].to_vec();
            let next = at(&exact, index + 1);
            let tie = next == b'5' && index + 2 >= exact.len();
            let nearest_is_up = if tie { digit & 1 == 1 } else { next >= b'5' };
            if up && (!down || nearest_is_up) {
                while digits.last() == Some(&b'9') {
                    digits.pop();
                }
                match digits.last_mut() {
                    Some(last) => *last += 1,
                    None => {
                        digits.push(b'1');
                        point += 1;
                    }
                }
            }
            while digits.last() == Some(&b'0') {
                digits.pop();
            }
            return (digits.into_iter().map(char::from).collect(), point);
        }
        (exact.into_iter().map(char::from).collect(), point)
    }
}

/// The digits of `mantissa × 2^exponent` without zeros at the end, and how many of them stand before the point.
fn decimal(mantissa: &BigUint, exponent: i64) -> (Vec<u8>, i64) {
    let power = u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX);
    let (number, behind) =
        if exponent >= 0 { (mantissa << power, 0) } else { (mantissa * BigUint::from(5_u8).pow(power), -exponent) };
    let mut digits = number.to_string().into_bytes();
    let point = i64::try_from(digits.len()).unwrap_or(i64::MAX) - behind;
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    (digits, point)
}

/// Digits without an exponent.
pub fn plain(digits: &str, point: i64) -> String {
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or_default());
    if point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else if point >= length {
        format!("{digits}{}", zeros(point - length))
    } else {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or_default());
        format!("{whole}.{fraction}")
    }
}

/// Go's `%g`: with an exponent where that is below -4, or at least `most`.
pub fn general(digits: &str, point: i64, most: i64) -> String {
    let exponent = point - 1;
    if (-4..most).contains(&exponent) {
        return plain(digits, point);
    }
    let (first, rest) = digits.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{dot}{rest}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    fn float(text: &str) -> Float {
        Float::parse(text).expect("a number")
    }

    #[test]
    fn arithmetic_is_that_of_64_bits() {
        let cases = [
            (float("0.1").plus(float("0.2")), "0.3"),
            (float("1").divided_by(float("3")), "0.33333333333333333334"),
            (float("2").divided_by(float("3")), "0.6666666666666666667"),
            (float("1.5").times(float("4")), "6"),
            (float("1234567.5").plus(float("0")), "1.2345675e+06"),
            (float("0.00001").minus(float("0")), "1e-05"),
            (float("1e30").times(float("1")), "1000000000000000000000000000000"),
            (float("1").minus(float("1")), "0"),
            (float("0").divided_by(float("-5")), "-0"),
            (float("1e20").plus(float("1e-20")), "100000000000000000000"),
        ];
        for (result, text) in cases {
            assert_eq!(result.to_text(), text);
        }
    }

    #[test]
    fn the_whole_part_is_toward_zero() {
        for (text, whole) in
            [("1.9", 1), ("-1.9", -1), ("0.1", 0), ("-0.1", 0), ("1e18", 1_000_000_000_000_000_000_i64)]
        {
            assert_eq!(float(text).truncated(), BigInt::from(whole), "{text}");
            assert_eq!(float(text).whole_part(), Float::of_int(whole), "{text}");
            assert_eq!(float(text).whole_part().int(), Some(whole), "{text}");
        }
    }

    #[test]
    fn short_texts_are_read_as_long_ones_are() {
        for text in [
            "0.9",
            "1.5",
            "12",
            "0.00000000000000001",
            "999999999999999999",
            "3.14159265358979323",
            "0.0",
            "123456.789",
        ] {
            // Zeros in front make it too long for the short way.
            let long = format!("{}{text}", "0".repeat(20));
            assert!(Float::parse_short(false, text).is_some() && Float::parse_short(false, &long).is_none(), "{text}");
            assert_eq!(Float::parse(text), Float::parse(&long), "{text}");
        }
        for text in ["", ".", "1.", ".5", "1e5", "+1", "1.2.3"] {
            assert_eq!(Float::parse_short(false, text), None, "{text}");
        }
    }
}
