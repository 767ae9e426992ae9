//! A review: the input that the rules are given.

use serde_json::{Value as Json, json};

/// Marks a string that stands for a number written in a certain way, as in 1.0 or 1e3; JSON as this program holds it
/// would write both as it likes. From the private use area, and in no manifest.
pub const LITERAL: char = '\u{e0f0}';

#[derive(Clone, Debug)]
pub struct Review {
    /// Where it comes from, or how to make it again.
    pub name: String,
    pub input: Json,
}

impl Review {
    pub fn of(name: String, object: &Json, others: Option<Json>) -> Self {
        let mut input = json!({"review": {"object": object}});
        if let Some(inventory) = others {
            input["inventory"] = inventory;
        }
        Self { name, input }
    }

    /// The input as JSON.
    pub fn text(&self) -> String {
        text(&self.input)
    }
}

/// JSON, with numbers in the place of the strings that stand for them; a key stays a string.
pub fn text(value: &Json) -> String {
    let written = value.to_string();
    let mut parts = written.split(LITERAL);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A literal that was written twice goes on in the next part.
        let Some((number, after)) = part.split_once('"') else {
            text.push_str(part);
            continue;
        };
        // What was done to such a string since may have made it none.
        let whole = serde_json::from_str::<serde_json::Number>(number).is_ok();
        if whole && text.ends_with('"') && !after.starts_with(':') {
            text.pop();
            text.push_str(number);
            text.push_str(after);
        } else {
            text.push_str(part);
        }
    }
    text
}
