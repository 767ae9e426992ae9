//! The arithmetic behind findings: a formula of a check's METADATA is a Rego expression whose variables are facts of its findings,
//! `flush_seconds == ceil(shared_buffers_bytes / throughput_bytes_per_second)`. Here it is written for people.

use serde_json::{Map, Value as Json};

/// A formula with the signs that people write.
#[must_use]
pub fn in_words(formula: &str) -> String {
    formula.replace(" * ", " × ").replace(" == ", " = ")
}

/// The same with the amounts of a finding's facts in place of their names; `None` when one of them is not among its facts.
#[must_use]
pub fn filled(formula: &str, facts: &Map<String, Json>) -> Option<String> {
    let mut text = String::new();
    let mut rest = formula;
    while let Some(start) = rest.find(|c: char| c.is_ascii_lowercase()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(from.len());
        let (name, after) = from.split_at(end);
        text.push_str(before);
        if after.starts_with('(') {
            text.push_str(name);
        } else {
            text.push_str(&amount(name, facts.get(name)?.as_f64()?));
        }
        rest = after;
    }
    text.push_str(rest);
    Some(in_words(&text))
}

/// A number with the unit that the name of its fact ends in.
fn amount(name: &str, number: f64) -> String {
    if name.contains("bytes_per_second") {
        return format!("{} MB/s", number / 1e6);
    }
    match name.rsplit('_').next() {
        Some("bytes") => bytes(number),
        Some("milliseconds") => format!("{number} ms"),
        Some("seconds") => format!("{number} s"),
        Some("percent") => format!("{number} %"),
        _ => number.to_string(),
    }
}

/// In the largest unit of which it is a whole number, so that people can reckon with it.
fn bytes(number: f64) -> String {
    let units = [("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1_024.0)];
    let unit = units.into_iter().find(|(_, size)| number % size == 0.0);
    unit.map_or_else(|| format!("{number} bytes"), |(unit, size)| format!("{} {unit}", number / size))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fill(formula: &str, facts: Json) -> Option<String> {
        let Json::Object(facts) = facts else { return None };
        filled(formula, &facts)
    }

    #[test]
    fn names_become_amounts() {
        let facts = json!({"segment_bytes": 1_073_741_824, "throughput_bytes_per_second": 270_000_000, "stall_milliseconds": 3976});
        let formula = "stall_milliseconds == floor((segment_bytes * 1000) / throughput_bytes_per_second)";
        assert_eq!(fill(formula, facts).as_deref(), Some("3976 ms = floor((1 GiB × 1000) / 270 MB/s)"));
        let facts = json!({"a_bytes": 3, "b_bytes": 25_165_824, "c_percent": 60, "d_times": 1.5, "e_seconds": 0});
        let formula = "max([a_bytes * 2, b_bytes]) > c_percent + d_times - e_seconds";
        assert_eq!(fill(formula, facts).as_deref(), Some("max([3 bytes × 2, 24 MiB]) > 60 % + 1.5 - 0 s"));
    }

    #[test]
    fn without_a_fact_there_is_no_arithmetic() {
        assert_eq!(fill("a_bytes > b_bytes", json!({"a_bytes": 1})), None);
        assert_eq!(fill("a_bytes > b_bytes", json!({"a_bytes": 1, "b_bytes": "much"})), None);
    }
}
