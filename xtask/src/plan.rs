//! `crates/rules/rules.plan`: the rules as OPA's planner sees them, in the form that the compiler of the rules reads.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use walguard_engine::Rules;

/// Where the plan is kept.
pub const PATH: &str = "crates/rules/rules.plan";

/// The plan of the rules as they are on disk.
///
/// # Errors
/// When OPA cannot be had or does not accept the rules.
pub fn text(root: &Path) -> Result<String> {
    let directory = std::env::temp_dir().join(format!("walguard-plan-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let bundle = directory.join("bundle.tar.gz");
    let mut command = Command::new(opa()?);
    command.args(["build", "--target", "plan", "--output"]).arg(&bundle);
    // OPA reads the Rego twins of tables; tests are no part of the rules.
    command.args(["--ignore", "*.yaml", "--ignore", "*.json", "--ignore", "*_test.rego"]);
    command
        .args(Rules::ENTRYPOINTS.iter().flat_map(|entrypoint| ["--entrypoint", entrypoint]))
        .arg("rules")
        .current_dir(root);
    let output = command.output().context("cannot run opa")?;
    let read = std::fs::read(&bundle);
    std::fs::remove_dir_all(&directory)?;
    let said = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "opa build: {}", String::from_utf8_lossy(&said));
    let mut plan = rego_plan::bundle::read(&read?)?.plan;
    crate::portable::builtins(&plan)?;
    rego_plan::simplify(&mut plan);
    // A rule is asked for by its own name.
    plan.entrypoints.clear();
    Ok(rego_plan::text::write(&plan))
}

/// The pinned OPA.
fn opa() -> Result<PathBuf> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tools/build");
    let output = Command::new(&tool).arg("opa").output().with_context(|| format!("cannot run {}", tool.display()))?;
    if !output.status.success() {
        bail!("opa cannot be built: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?.trim().into())
}
