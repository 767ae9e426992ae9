//! What an engine makes of a review.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value as Json};

/// Findings as a set; a host that says less of a finding has fewer fields in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Findings(Findings),
    Error(String),
}

/// Findings, as a set: sorted by their text.
pub type Findings = Vec<Json>;

/// The set of some findings: fields that mean "nothing" are left out, numbers are written in one way.
pub fn set(findings: impl IntoIterator<Item = Json>) -> Findings {
    let texts: BTreeSet<String> = findings.into_iter().map(|finding| canonical(finding).to_string()).collect();
    texts.into_iter().filter_map(|text| serde_json::from_str(&text).ok()).collect()
}

fn canonical(value: Json) -> Json {
    match value {
        // 1.0 and 1 are one number; JSON keeps no difference, and engines write it as they like.
        Json::Number(number) => Json::Number(whole(&number).unwrap_or(number)),
        Json::Array(items) => items.into_iter().map(canonical).collect(),
        Json::Object(fields) => {
            let kept = fields.into_iter().map(|(key, value)| (key, canonical(value)));
            Json::Object(kept.collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn whole(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    (float.fract() == 0.0 && float.abs() < 9e15).then(|| Number::from(float as i64))
}

/// The differences of two verdicts as text.
pub fn difference(opa: &Verdict, name: &str, other: &Verdict) -> String {
    match (opa, other) {
        (Verdict::Findings(a), Verdict::Findings(b)) => {
            let list = |who: &str, x: &Findings, y: &Findings| {
                x.iter().filter(|f| !y.contains(f)).map(|f| format!("  {who} alone: {f}\n")).collect::<String>()
            };
            list("OPA", a, b) + &list(name, b, a)
        }
        _ => format!("  OPA: {opa:?}\n  {name}: {other:?}\n"),
    }
}
