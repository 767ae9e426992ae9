//! Rego that only some engines understand, found by its text.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::annotations;

/// What `tests/engines/run --capabilities` prints.
const CAPABILITIES: &str = "tests/engines/capabilities.json";

/// Lines that some engine refuses to read are longer than this many bytes.
const LINE_MAX_BYTES: usize = 1000;
/// Verbs of sprintf that all engines print alike.
const VERBS: [char; 5] = ['s', 'd', 'v', 'q', '%'];
/// Builtins whose first argument is a regular expression.
const REGEX: [&str; 6] = [
    "regex.match(",
    "regex.is_valid(",
    "regex.find_n(",
    "regex.replace(",
    "regex.split(",
    "regex.find_all_string_submatch_n(",
];
/// Parts of regular expressions that mean one set of characters in RE2 and another in Rust, or that one of them does not know.
const CLASSES: [&str; 10] = [r"\d", r"\w", r"\s", r"\b", r"\D", r"\W", r"\S", r"\B", r"\Q", "(?x"];

/// Fails on a construct that the engines understand differently:
///
/// - the head of a rule that collects values works one out: `found contains table[x.key] if …`. Where that is undefined for one of
///   several values OPA leaves it out, and regorus ends the evaluation. Bound in the body it is the same everywhere;
/// - text that prints or matches differently, and what only some engines read ([`faults`]);
/// - builtins that regorus does not have, or has with other values: `opa check` with the capabilities of both.
///
/// # Errors
/// When there is one, each with its file and line.
pub fn check(root: &Path, opa: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    for path in annotations::rego_files(&root.join("rules"))? {
        let source = fs::read_to_string(&path)?;
        let lines: Vec<&str> = source.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let mut fault = |what: &str| wrong.push(format!("{}:{}: {what}", path.display(), number + 1));
            if let Some(value) = collected(line)
                && !plain(value)
                && iterates(&lines[number..])
            {
                fault(&format!("the head must hold no expression that can be undefined: bind {value} in the body"));
            }
            faults(line).into_iter().for_each(|what| fault(&what));
        }
    }
    if !wrong.is_empty() {
        bail!("Rego that engines understand differently:\n{}", wrong.join("\n"));
    }
    let output = Command::new(opa)
        .args(["check", "--strict", "--ignore", "*.yaml", "--ignore", "*.json", "--capabilities"])
        .args([CAPABILITIES, "rules"])
        .current_dir(root)
        .output()
        .with_context(|| format!("cannot run {}", opa.display()))?;
    ensure!(
        output.status.success(),
        "rules must do with the builtins that OPA and regorus have in common ({CAPABILITIES}):\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// What is wrong with a line by itself.
fn faults(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    if line.len() > LINE_MAX_BYTES {
        found.push(format!("{} bytes in a line; regorus reads {LINE_MAX_BYTES}", line.len()));
    }
    let code = line.trim_start();
    if code.starts_with('#') {
        return found;
    }
    if code == "import rego.v1" {
        found.push("Gatekeeper refuses this import; the syntax is known without it".to_owned());
    }
    if code
        .strip_prefix("default ")
        .is_some_and(|rule| rule.split(" := ").next().is_some_and(|name| name.contains('(')))
    {
        found.push("regorus' VM knows no default functions".to_owned());
    }
    if let Some(format) = after(line, "sprintf(").and_then(literal) {
        let mut rest = format.chars();
        while rest.any(|c| c == '%') {
            let verb = rest.next().unwrap_or(' ');
            if !VERBS.contains(&verb) {
                found.push(format!("%{verb} prints differently; take %s, %d, %v or %q"));
            }
        }
    }
    for expression in REGEX.iter().filter_map(|builtin| after(line, builtin)).filter_map(literal) {
        for class in CLASSES.iter().filter(|class| expression.contains(**class)) {
            found.push(format!("{class} in a regular expression is not the same everywhere; write the characters out"));
        }
    }
    found
}

fn after<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    line.split_once(start).map(|(_, rest)| rest)
}

/// The string literal that a text begins with.
fn literal(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '`'))?;
    text[1..].split(quote).next()
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
#[allow(clippy::unwrap_used, clippy::panic)]
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

    /// What the check says of one file of rules, with the capabilities of this repository.
    fn refused(name: &str, rego: &str) -> Option<String> {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let tool = Command::new(repository.join("tests/tools/build")).arg("opa").output().unwrap();
        let opa = String::from_utf8(tool.stdout).unwrap();
        let root = std::env::temp_dir().join(format!("walguard-portable-{}-{name}", std::process::id()));
        fs::create_dir_all(root.join("rules")).unwrap();
        fs::create_dir_all(root.join("tests/engines")).unwrap();
        fs::copy(repository.join(CAPABILITIES), root.join(CAPABILITIES)).unwrap();
        fs::write(root.join("rules/a.rego"), rego).unwrap();
        let outcome = check(&root, Path::new(opa.trim()));
        fs::remove_dir_all(&root).unwrap();
        outcome.err().map(|error| error.to_string())
    }

    #[test]
    fn refuses_rules_that_only_one_engine_understands() {
        let rule = |body: &str| format!("package a\n\nx if {body}\n");
        let all = "package a\n\nfound contains value if {\n\tsome key in input.keys\n\tvalue := object.get(input.table, key, 0)\n}\n";
        assert_eq!(refused("all", all), None);
        for (name, rego, said) in [
            ("builtin", rule("crypto.md5(input.a) == \"b\""), "crypto.md5"),
            ("case", rule("lower(input.a) == \"b\""), "lower"),
            ("recursion", "package a\n\nx if y\n\ny if x\n".to_owned(), "recursive"),
            ("template", rule("$\"{input.a}\" == \"b\""), "template"),
            ("verb", rule("sprintf(\"%5d\", [input.a]) == \"b\""), "%5"),
            ("class", rule("regex.match(`\\d`, input.a)"), "\\d"),
            ("head", "package a\n\nx contains input.t[k] if some k in input.k\n".to_owned(), "bind input.t[k]"),
        ] {
            let refusal = refused(name, &rego).unwrap_or_else(|| panic!("{name} passes"));
            assert!(refusal.contains(said), "{name}: {refusal}");
        }
    }

    #[test]
    fn sees_what_prints_and_matches_differently() {
        assert_eq!(
            faults(r#"x := sprintf("%s of %5.1f %%", [a, b])"#),
            ["%5 prints differently; take %s, %d, %v or %q"]
        );
        assert_eq!(faults("x if regex.match(`^[0-9]+\\s`, y)").len(), 1);
        assert_eq!(faults("default f(_) := 1").len(), 1);
        assert_eq!(faults("import rego.v1").len(), 1);
        assert_eq!(faults(&"x".repeat(1001)).len(), 1);
        assert!(faults("# regex.match(`\\d`, y)").is_empty());
        assert!(faults(r#"x := sprintf("%d %% of %q", [a, b])"#).is_empty());
        assert!(faults("default f := 1").is_empty());
    }
}
