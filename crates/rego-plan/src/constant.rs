//! Values that are known before anything runs.

use std::cmp::Ordering;

/// A value of Rego that a plan holds. Sets and objects are sorted and have no doubles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    String(String),
    Array(Vec<Constant>),
    Object(Vec<(Constant, Constant)>),
    Set(Vec<Constant>),
}

impl Constant {
    /// An object of entries in any order; of two with the same key the later one counts.
    #[must_use]
    pub fn object(entries: Vec<(Self, Self)>) -> Self {
        let mut sorted: Vec<(Self, Self)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            match sorted.binary_search_by(|(other, _)| other.order(&key)) {
                Ok(at) => sorted[at].1 = value,
                Err(at) => sorted.insert(at, (key, value)),
            }
        }
        Self::Object(sorted)
    }

    /// A set of elements in any order.
    #[must_use]
    pub fn set(elements: Vec<Self>) -> Self {
        let mut sorted: Vec<Self> = Vec::with_capacity(elements.len());
        for element in elements {
            if let Err(at) = sorted.binary_search_by(|other| other.order(&element)) {
                sorted.insert(at, element);
            }
        }
        Self::Set(sorted)
    }

    /// `self[key]`.
    #[must_use]
    pub fn get(&self, key: &Self) -> Option<&Self> {
        match (self, key) {
            (Self::Array(elements), Self::Number(index)) => elements.get(index.parse::<usize>().ok()?),
            (Self::Object(entries), _) => {
                entries.binary_search_by(|(other, _)| other.order(key)).ok().map(|at| &entries[at].1)
            }
            (Self::Set(elements), _) => {
                elements.binary_search_by(|other| other.order(key)).ok().map(|at| &elements[at])
            }
            _ => None,
        }
    }

    /// The order of values in Rego.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => compare_numbers(a, b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Array(a), Self::Array(b)) | (Self::Set(a), Self::Set(b)) => {
                let mut pairs = a.iter().zip(b).map(|(a, b)| a.order(b));
                pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Self::Object(a), Self::Object(b)) => {
                let mut pairs = a.iter().zip(b).map(|(a, b)| a.0.order(&b.0).then_with(|| a.1.order(&b.1)));
                pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(_) => 2,
            Self::String(_) => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
            Self::Set(_) => 6,
        }
    }
}

/// The order of two numbers by their value, exact whatever their size; both are written as in JSON.
#[must_use]
pub fn compare_numbers(a: &str, b: &str) -> Ordering {
    let (a, b) = (Decimal::of(a), Decimal::of(b));
    match (a.negative, b.negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => a.magnitude(&b),
        (true, true) => b.magnitude(&a),
    }
}

/// `0.digits × 10^exponent`, the digits without zeros at either end; zero has none, and no sign.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (negative, text) =
            text.strip_prefix('-').map_or((false, text.trim_start_matches('+')), |rest| (true, rest));
        let (mantissa, exponent) =
            text.split_once(['e', 'E']).map_or((text, "0"), |(mantissa, exponent)| (mantissa, exponent));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).filter(u8::is_ascii_digit).collect();
        let zeros = all.iter().take_while(|digit| **digit == b'0').count();
        let end = all.iter().rposition(|digit| *digit != b'0').map_or(zeros, |last| last + 1);
        let digits = all[zeros.min(end)..end].to_vec();
        let written =
            exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
        let length = |count: usize| i64::try_from(count).unwrap_or(i64::MAX / 4);
        let exponent = written.saturating_add(length(whole.len())).saturating_sub(length(zeros));
        Self { negative: negative && !digits.is_empty(), digits, exponent }
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let ascending = [
            "-1e400",
            "-10",
            "-9.5",
            "-1e-3",
            "0",
            "1e-400",
            "0.1",
            "1",
            "1.5",
            "2",
            "10",
            "9007199254740993",
            "1e16",
            "1e400",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(compare_numbers(a, b), i.cmp(&j), "{a} {b}");
            }
        }
        for (a, b) in [("1", "1.0"), ("100", "1e2"), ("-0", "0.0"), ("0.10", "1e-1"), ("0e5", "0")] {
            assert_eq!(compare_numbers(a, b), Ordering::Equal, "{a} {b}");
        }
    }
}
