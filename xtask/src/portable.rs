//! Rego that some of the engines which read the rules do not: conftest and Gatekeeper bring an OPA of their own, and the compiled
//! rules have the builtins of `rego-runtime`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rego_plan::{Plan, Statement};

use crate::annotations;

/// Fails where a rule is written as Gatekeeper does not take it.
///
/// # Errors
/// When there is one, each with its file and line.
pub fn check(root: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    for path in annotations::rego_files(&root.join("rules"))? {
        let source = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        for (number, line) in source.lines().enumerate() {
            wrong.extend(fault(line).map(|fault| format!("{}:{}: {fault}", path.display(), number + 1)));
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("Rego that not every engine takes:\n{}", wrong.join("\n")) }
}

fn fault(line: &str) -> Option<&'static str> {
    if line.trim() == "import rego.v1" {
        return Some("Gatekeeper refuses this import; the syntax is known without it");
    }
    let numbered = line.split("%[").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    numbered.then_some("the compiled rules know no numbered arguments of sprintf; give the value twice")
}

/// Fails where rules call a builtin that the compiled rules have not.
///
/// # Errors
/// When there is one, with the rule that calls it.
pub fn builtins(plan: &Plan) -> Result<()> {
    let mut missing = Vec::new();
    for (name, function) in &plan.functions {
        function.visit(&mut |statement| {
            if let Statement::Call { function: called, .. } = statement
                && !called.starts_with("data.")
                && rego_runtime::builtins::builtin(called).is_none()
            {
                missing.push(format!("{name} calls {called}"));
            }
        });
    }
    missing.sort();
    missing.dedup();
    if missing.is_empty() {
        return Ok(());
    }
    bail!("builtins that crates/rego-runtime/src/builtins has not, write them there:\n{}", missing.join("\n"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_not_every_engine_takes_is_refused() {
        assert!(fault("import rego.v1").is_some());
        assert!(fault("# import rego.v1").is_none());
        assert!(fault("x := sprintf(\"%[1]s\", [y])").is_some());
        assert!(fault("x := sprintf(\"%d%% of [1]\", [y])").is_none());
        let plan =
            |call: &str| rego_plan::text::read(&format!("data.a.b 0\n|\n call 2 {call} 0\n return 2\n")).unwrap();
        assert!(builtins(&plan("count")).is_ok());
        let refusal = builtins(&plan("http.send")).unwrap_err().to_string();
        assert!(refusal.contains("data.a.b calls http.send"), "{refusal}");
    }
}
