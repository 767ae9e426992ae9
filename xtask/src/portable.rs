//! Rego that only some engines understand, found by its text.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::annotations;

/// Fails where the head of a rule that collects values works one out: `found contains table[x.key] if …`. Where that is
/// undefined for one of several values OPA leaves it out, and regorus ends the evaluation. Bound in the body it is the same everywhere.
pub fn check(root: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    for path in annotations::rego_files(&root.join("rules"))? {
        let source = fs::read_to_string(&path)?;
        let lines: Vec<&str> = source.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            if let Some(value) = collected(line)
                && !plain(value)
                && iterates(&lines[number..])
            {
                wrong.push(format!("{}:{}: bind {value} in the body", path.display(), number + 1));
            }
        }
    }
    if !wrong.is_empty() {
        bail!("heads of rules must hold no expression that can be undefined:\n{}", wrong.join("\n"));
    }
    Ok(())
}

/// What the head on a line collects: `b` in `a contains b if …`, and in `a[key] := b if …` where the key is a variable.
fn collected(line: &str) -> Option<&str> {
    let head = line.strip_suffix(" if {").or_else(|| line.split_once(" if ").map(|(head, _)| head)).unwrap_or(line);
    if head.starts_with(|c: char| !c.is_ascii_lowercase()) {
        return None;
    }
    if let Some((name, value)) = head.split_once(" contains ") {
        return variable(name).then_some(value);
    }
    let (place, value) = head.split_once(" := ")?;
    let (name, key) = place.strip_suffix(']')?.split_once('[')?;
    (variable(name) && variable(key)).then_some(value)
}

/// Whether the rule that begins here iterates.
fn iterates(rule: &[&str]) -> bool {
    let end = rule.iter().position(|line| *line == "}").unwrap_or_default();
    rule[..=if rule[0].ends_with('{') { end } else { 0 }].iter().any(|line| line.contains("some "))
}

fn variable(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A variable, a constant, or the beginning of an object of such on lines of its own.
fn plain(value: &str) -> bool {
    variable(value) || value.starts_with('"') && value.ends_with('"') || matches!(value, "{" | "object.union_n([")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_what_a_head_collects() {
        assert_eq!(collected("found contains table[x.key] if some x in xs"), Some("table[x.key]"));
        assert_eq!(collected("disks[id] := f(x) if {"), Some("f(x)"));
        assert_eq!(collected("disks[id] := disk if {"), Some("disk"));
        assert_eq!(collected("clusters[\"cnpg\"] := data.a.cluster if x"), None);
        assert_eq!(collected("f(x) := y[x] if x"), None);
        assert!(plain("disk") && plain("\"text\"") && !plain("f(x)") && !plain("a.b"));
    }
}
