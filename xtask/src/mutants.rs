//! Which mistakes in the rules the reviews see (`make rego-mutants`): a plan holds all of them, and each is judged alone.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use rego_plan::Plan;
use rego_runtime::{Answer, Arena, Context, Interpreter, Kept, Limits, Patterns, Surroundings, Value, Words};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What mutants are called in the plan: `off(rule)` stands before a rule as it is, `on(mutant)` before each of its mutants.
const OFF: &str = "data.mutant.off";
const ON: &str = "data.mutant.on";
/// An evaluation that takes as long says something else.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
struct Mutant {
    rule: i64,
    id: i64,
}

/// A line of a file of reviews.
#[derive(Deserialize)]
struct Review {
    file: String,
    query: Option<String>,
    input: Json,
}

/// Answers what stands before the rules, and remembers which were asked.
#[derive(Default)]
struct Switches {
    now: Cell<Option<(i64, i64)>>,
    reached: RefCell<BTreeSet<i64>>,
}

impl<'a> Surroundings<'a> for Switches {
    fn rule(&self, name: &str, arguments: &[Value<'a>]) -> Option<Answer<'a>> {
        let [Value::Int(asked)] = *arguments else { return None };
        let now = self.now.get();
        let holds = match name {
            ON => now.is_some_and(|(_, id)| id == asked),
            OFF => {
                self.reached.borrow_mut().insert(asked);
                now.is_none_or(|(rule, _)| rule != asked)
            }
            _ => return None,
        };
        Some(Ok(if holds { Value::True } else { Value::Undefined }))
    }

    fn is_package(&self, _: &str) -> bool {
        false
    }
}

#[derive(Serialize)]
struct Killed<'a> {
    id: i64,
    by: &'a Path,
    review: String,
}

/// Prints the mutants that a review kills, a line of JSON each.
///
/// # Errors
/// When a file cannot be read, or the rules give nothing without a mutant.
pub fn judge(plan: &Path, mutants: &Path, reviews: &[PathBuf]) -> Result<()> {
    let read = |path: &Path| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let mut plan = rego_plan::opa::read(&read(plan)?)?;
    rego_plan::simplify(&mut plan);
    crate::plan::fold(&mut plan, &[ON, OFF])?;
    for switch in [ON, OFF] {
        plan.functions.remove(switch);
    }
    let mut out = std::io::stdout().lock();
    let mutants: Vec<Mutant> = serde_json::from_slice(&read(mutants)?)?;
    for path in reviews {
        let text = String::from_utf8(read(path)?)?;
        let lines: Vec<&str> = text.lines().collect();
        let killed = all(&plan, &mutants, &lines)?;
        for (id, review) in killed {
            writeln!(out, "{}", serde_json::to_string(&Killed { id, by: path, review })?)?;
        }
    }
    Ok(())
}

fn all(plan: &Plan, mutants: &[Mutant], lines: &[&str]) -> Result<BTreeMap<i64, String>> {
    let interpreter = Interpreter::new(plan, Kept::Undefined)?;
    let (killed, next) = (Mutex::new(BTreeMap::new()), AtomicUsize::new(0));
    let work = || -> Result<()> {
        let patterns = Patterns::default();
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            let review: Review = serde_json::from_str(line)?;
            let rule = format!("data.{}", review.query.as_deref().unwrap_or("main.findings"));
            let switches = Switches::default();
            let right = said(&interpreter, &patterns, &switches, &rule, &review.input);
            let right = right.with_context(|| format!("{} without a mutant", review.file))?;
            let reached = switches.reached.take();
            for mutant in mutants.iter().filter(|mutant| reached.contains(&mutant.rule)) {
                if killed.lock().is_ok_and(|killed| killed.contains_key(&mutant.id)) {
                    continue;
                }
                switches.now.set(Some((mutant.rule, mutant.id)));
                let same =
                    said(&interpreter, &patterns, &switches, &rule, &review.input).is_ok_and(|said| said == right);
                if !same && let Ok(mut killed) = killed.lock() {
                    killed.insert(mutant.id, review.file.clone());
                }
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow!("a thread panicked"))?)
    })?;
    killed.into_inner().map_err(|_| anyhow!("a thread panicked"))
}

/// What a rule gives, as text: findings without an order.
fn said(
    interpreter: &Interpreter,
    patterns: &Patterns,
    switches: &Switches,
    rule: &str,
    input: &Json,
) -> Result<String> {
    let arena = Arena::new();
    let kept = Kept::from(input.clone());
    let limits = Limits { deadline: Some(Instant::now() + PATIENCE), ..Limits::default() };
    let context =
        Context::new(&arena, &Words::NONE, limits).with_patterns(patterns).with_memory_of(interpreter.memory(), 0);
    context.set_input(context.of_kept(&kept));
    let answer = interpreter.rule(&context, switches, 0, rule).map_err(|ended| anyhow!("{ended}"))?;
    Ok(serde_json::to_string(&answer.keep())?)
}
