//! What single rules cost: each evaluated by itself, with everything it reads.

use anyhow::Result;
use walguard_engine::{Engine, Rules, Value};

use crate::cases::Case;
use crate::measure;
use crate::table::Table;

/// Evaluations of a rule, of which the mean is taken.
const EVALUATIONS: u32 = 10;
/// Rules that are shown of each case.
const SHOWN: usize = 40;

/// Measures the rules on every case that is judged at all.
///
/// # Errors
/// When the rules cannot be loaded.
pub fn run(cases: &[Case]) -> Result<Vec<Table>> {
    let rules = Rules::embedded();
    let mut engine = Engine::new(&rules)?;
    let names: Vec<String> = engine.rule_names().into_iter().map(str::to_owned).collect();
    let mut tables = Vec::new();
    for case in cases {
        let body: serde_json::Value = serde_json::from_str(&case.body)?;
        let input =
            walguard_engine::value(serde_json::json!({"review": body["request"], "inventory": case.inventory_json}));
        let mut costs = Vec::new();
        for name in &names {
            let cost = measure::own(|| (0..EVALUATIONS).try_for_each(|_| evaluate(&mut engine, name, &input)))?;
            costs.push((cost.each(EVALUATIONS).cpu, name));
        }
        costs.sort_unstable_by(|a, b| b.cmp(a));
        let rows: Vec<Vec<String>> =
            costs.iter().take(SHOWN).map(|(cpu, name)| vec![(*name).clone(), measure::text(*cpu)]).collect();
        let mut table = Table::new(format!("Rules of {}, with what they read", case.name), &["", "CPU"]);
        table.rows = rows;
        tables.push(table);
    }
    Ok(tables)
}

fn evaluate(engine: &mut Engine, rule: &str, input: &Value) -> Result<()> {
    engine.evaluate_rule(rule, input)?;
    Ok(())
}
