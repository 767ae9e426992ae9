//! `crates/rules/rules.plan`: the rules as OPA's planner sees them, in the form that the compiler of the rules reads.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail, ensure};
use rego_plan::{Block, Constant, DATA, FIRST_PARAMETER, Function, INPUT, Operand, Plan, Statement};
use rego_runtime::{Arena, Context as EvaluationContext, Interpreter, Kept, Limits, Value, Words};
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
    fold(&mut plan, &[])?;
    // A rule is asked for by its own name.
    plan.entrypoints.clear();
    Ok(rego_plan::text::write(&plan))
}

/// Puts its value in the place of every rule that depends on nothing, so that tables may be written as what they are made of. `answered`
/// are functions that a host answers.
pub fn fold(plan: &mut Plan, answered: &[&str]) -> Result<()> {
    let dependent = plan.dependent(|name, function| answered.contains(&name) || function.any(&mut depends));
    let interpreter = Interpreter::new(plan, Kept::Undefined)?;
    let mut values = Vec::new();
    for (name, function) in &plan.functions {
        if function.parameters > 0 || dependent.contains(name.as_str()) {
            continue;
        }
        let arena = Arena::new();
        let context =
            EvaluationContext::new(&arena, &Words::NONE, Limits::default()).with_memory_of(interpreter.memory(), 0);
        let value = interpreter.rule_alone(&context, name).map_err(|ended| anyhow!("{name}: {ended}"))?;
        if let Some(value) = constant(&context, value) {
            values.push((name.clone(), value));
        }
    }
    for (name, value) in values {
        let only = Block(vec![Statement::Return { source: Operand::Constant(value) }]);
        plan.functions.insert(name, Function { parameters: 0, locals: FIRST_PARAMETER, blocks: vec![only] });
    }
    Ok(())
}

/// Whether a statement may give another value another time.
fn depends(statement: &Statement) -> bool {
    let documents = [INPUT, DATA];
    statement.reads().iter().any(|local| documents.contains(local))
        || statement
            .operands()
            .iter()
            .any(|operand| matches!(operand, Operand::Local(local) if documents.contains(local)))
        || match statement {
            Statement::CallDynamic { .. } | Statement::With { .. } => true,
            Statement::Call { function, .. } => function == "time.now_ns",
            _ => false,
        }
}

/// A value as a constant; nothing where there is no value.
fn constant<'a>(context: &EvaluationContext<'a>, value: Value<'a>) -> Option<Constant> {
    let all = || context.values(value).map(|element| constant(context, element)).collect::<Option<Vec<_>>>();
    Some(match value {
        Value::Undefined => return None,
        Value::Null => Constant::Null,
        _ if value.as_bool().is_some() => Constant::Bool(value.as_bool()?),
        _ if value.is_number() => Constant::Number(value.to_json()),
        _ if value.is_text() => Constant::String(value.as_text()?.to_owned()),
        _ if value.is_set() => Constant::set(all()?),
        _ if value.is_object() => {
            let entries = context.entries(value);
            Constant::object(
                entries.map(|(k, v)| constant(context, k).zip(constant(context, v))).collect::<Option<_>>()?,
            )
        }
        _ => Constant::Array(all()?),
    })
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
