//! Writes objects as the YAML that people write: blocks, and quotes only where a text would be read as something else.

use serde_json::Value as Json;
use walguard_manifest as manifest;

/// Keys that people write before others, which follow in alphabetical order.
const LEADING: [&str; 5] = ["apiVersion", "kind", "metadata", "name", "provisioner"];

/// Objects as the documents of a stream.
pub fn stream(objects: &[Json]) -> String {
    let documents: Vec<String> = objects
        .iter()
        .map(|object| {
            let mut text = String::new();
            fields(&mut text, object, 0);
            text
        })
        .collect();
    documents.join("---\n")
}

/// The fields of a map, or the elements of a list, each on lines of its own.
fn fields(out: &mut String, value: &Json, column: usize) {
    let indent = " ".repeat(column);
    match value {
        Json::Object(map) => {
            let rank = |key: &str| LEADING.iter().position(|leading| *leading == key).unwrap_or(LEADING.len());
            let mut entries: Vec<(&String, &Json)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| rank(key));
            for (key, value) in entries {
                *out += &format!("{indent}{}:", scalar(key));
                nested(out, value, column + 2);
            }
        }
        Json::Array(list) => {
            for element in list {
                let mut text = String::new();
                fields(&mut text, element, column + 2);
                match element {
                    Json::Object(map) if !map.is_empty() => *out += &format!("{indent}- {}", text.trim_start()),
                    _ => {
                        *out += &format!("{indent}-");
                        nested(out, element, column + 2);
                    }
                }
            }
        }
        _ => {}
    }
}

/// What stands behind a key.
fn nested(out: &mut String, value: &Json, column: usize) {
    match value {
        Json::Object(map) if map.is_empty() => *out += " {}\n",
        Json::Array(list) if list.is_empty() => *out += " []\n",
        Json::Object(_) | Json::Array(_) => {
            out.push('\n');
            fields(out, value, column);
        }
        Json::String(text) if text.ends_with('\n') && !text.starts_with([' ', '\n']) && !text.ends_with("\n\n") => {
            *out += " |\n";
            for line in text.lines() {
                *out += format!("{}{line}", " ".repeat(column)).trim_end();
                out.push('\n');
            }
        }
        Json::String(text) => *out += &format!(" {}\n", scalar(text)),
        other => *out += &format!(" {other}\n"),
    }
}

/// A text without quotes where it is read as the same text.
pub fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let same = !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') && is_itself(text);
    if same { text.to_owned() } else { Json::from(text).to_string() }
}

/// Whether a text that stands in YAML without quotes is read as that text, and not as a number or the like.
#[must_use]
pub fn is_itself(text: &str) -> bool {
    let documents = manifest::read("", format!("a: {text}\n").into_bytes()).documents;
    documents.first().is_some_and(|document| document.value["a"] == text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let objects = [
            json!({"a": {"on": "on", "number": "16", "size": "64Gi", "half": 0.5, "none": null, "empty": {}, "list": []}}),
            json!({"l": [{"name": "x", "deep": {"y": [1, "two: 2", ["three"]]}}, {}, "plain"], "text": "a = 'b'\n\n  c\n", "t2": "\nx\n"}),
        ];
        let text = stream(&objects);
        let reading = manifest::read("a.yaml", text.clone().into_bytes());
        assert!(reading.errors.is_empty(), "{text}");
        assert!(reading.documents.iter().map(|document| &document.value).eq(&objects), "{text}");
        assert!(text.contains("  size: 64Gi\n") && text.contains("  number: \"16\"\n"), "{text}");
    }
}
