//! What OPA and regorus have in common, as a capabilities file for `opa check`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};

/// OPA's capabilities without what regorus, built as walguard builds it, does not know; and without builtins whose value
/// is another one in regorus (CONTRIBUTING.md says which constructs differ besides).
///
/// # Errors
/// When OPA cannot be run.
pub fn common(opa: &Path) -> Result<String> {
    let output = Command::new(opa).args(["capabilities", "--current"]).output().context("opa capabilities")?;
    let mut capabilities: Json = serde_json::from_slice(&output.stdout)?;
    let builtins = capabilities["builtins"].as_array_mut().context("capabilities have builtins")?;
    builtins.retain(|builtin| {
        let arity = builtin["decl"]["args"].as_array().map_or(0, Vec::len);
        let name = builtin["name"].as_str().unwrap_or_default();
        // Operators and what the compiler writes itself have no call in a text.
        let written = !builtin["infix"].is_null() || name.starts_with("internal.");
        !DIFFERENT.contains(&name) && (written || known(name, arity))
    });
    capabilities["features"] = json!(["rego_v1"]);
    // Nothing is fetched while rules are evaluated.
    capabilities["allow_net"] = json!([]);
    Ok(serde_json::to_string_pretty(&capabilities)? + "\n")
}

/// Builtins that both have, with different values.
const DIFFERENT: [&str; 10] = [
    // Letters such as İ; walguard.lib.get has both.
    "lower",
    "upper",
    // Debugging output is none of a rule's business.
    "print",
    "trace",
    // Sizes such as 0.5 are rounded the one way and the other.
    "units.parse",
    "units.parse_bytes",
    "regex.split",
    "semver.is_valid",
    "yaml.marshal",
    "glob.match",
];

fn known(name: &str, arity: usize) -> bool {
    let arguments = vec!["input.a"; arity].join(", ");
    let mut engine = regorus::Engine::new();
    engine.set_strict_builtin_errors(false);
    let outcome = engine
        .add_policy("t".to_owned(), format!("package t\nx := {name}({arguments})\n"))
        .and_then(|_| engine.eval_rule("data.t.x".to_owned()));
    !outcome.is_err_and(|error| error.to_string().contains("could not find function"))
}
