//! Reviews inside a process: our engine against a prepared query of the OPA library.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard::serve::Direct;
use walguard_engine::{Engine, Rules};

use crate::Tools;
use crate::cases::Case;
use crate::measure::{self, Cost};
use crate::table;

/// How long a turn should take.
const TURN: Duration = Duration::from_millis(150);

/// Measures every case with one thread and with two.
///
/// # Errors
/// When a contestant fails, or the two differ in their verdict.
pub fn run(tools: &Tools, cases: &[Case], rounds: u32) -> Result<String> {
    let engine = Engine::new(&Rules::embedded())?;
    let mut opa = Library::start(&tools.opa_library, &tools.rules)?;
    let mut rows = Vec::new();
    for case in cases {
        let direct = Direct::new(engine.clone(), case.inventory.value());
        let verdict = same_verdict(&direct, &mut opa, case)?;
        let mut row = vec![case.name.clone(), verdict.to_owned()];
        for threads in [1, 2] {
            let ours_count = enough(ours(&direct, case, threads * 8, threads)?, threads * 8, threads);
            let theirs_count = enough(opa.review(case, threads * 8, threads)?.0, threads * 8, threads);
            let (mut our_costs, mut their_costs) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                our_costs.push(ours(&direct, case, ours_count, threads)?.each(ours_count));
                their_costs.push(opa.review(case, theirs_count, threads)?.0.each(theirs_count));
            }
            let (ours, theirs) = (measure::medians(&our_costs), measure::medians(&their_costs));
            row.extend([ours.cpu, theirs.cpu].map(measure::text));
            row.push(measure::ratio(ours.cpu, theirs.cpu));
            row.extend([ours.wall, theirs.wall].map(measure::text));
            row.push(measure::ratio(ours.wall, theirs.wall));
        }
        rows.push(row);
    }
    Ok(table::layout(
        "One review in the process, bytes in, bytes out: walguard | a prepared query of the OPA library | ratio; one thread, then two",
        &["", "verdict", "CPU", "OPA", "", "wall", "OPA", "", "CPU (2)", "OPA", "", "wall (2)", "OPA", ""],
        &rows,
    ))
}

/// Measures what it takes until the first review can be judged.
///
/// # Errors
/// When the rules cannot be loaded.
pub fn start(rounds: u32) -> Result<String> {
    let mut costs = Vec::new();
    for _ in 0..rounds {
        costs.push(measure::own(|| {
            drop(Engine::new(&Rules::embedded())?);
            Ok(())
        })?);
    }
    let cost = measure::medians(&costs);
    let row = vec!["engine with all rules".to_owned(), measure::text(cost.cpu), measure::text(cost.wall)];
    Ok(table::layout("Start", &["", "CPU", "wall"], &[row]))
}

/// How many reviews make a turn, by what some took; a multiple of the threads.
fn enough(cost: Cost, count: u32, threads: u32) -> u32 {
    let each = cost.wall.as_secs_f64() / f64::from(count);
    // Rounded up and within reason: at least one a thread, and no more than fits the type.
    let wanted = (TURN.as_secs_f64() / each).clamp(1.0, 1e6) as u32;
    wanted.next_multiple_of(threads)
}

fn ours(direct: &Direct, case: &Case, count: u32, threads: u32) -> Result<Cost> {
    let body = case.body.as_bytes();
    let work = |mut direct: Direct| -> Result<()> {
        for _ in 0..count / threads {
            std::hint::black_box(direct.answer(std::hint::black_box(body))?);
        }
        Ok(())
    };
    measure::own(|| {
        if threads == 1 {
            return work(direct.clone());
        }
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(direct.clone()))).collect();
            running
                .into_iter()
                .try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread broke off"))?)
        })
    })
}

/// "denied" or "allowed", with so many warnings; an error when the contestants do not agree.
fn same_verdict(direct: &Direct, opa: &mut Library, case: &Case) -> Result<&'static str> {
    let read = |answer: &[u8]| -> Result<(bool, usize)> {
        let answer: Json = serde_json::from_slice(answer)?;
        let response = &answer["response"];
        let warnings = response["warnings"].as_array().map_or(0, Vec::len);
        Ok((response["allowed"].as_bool().context("the answer has no verdict")?, warnings))
    };
    let ours = read(&direct.clone().answer(case.body.as_bytes())?)?;
    let theirs = read(opa.review(case, 1, 1)?.1.as_bytes())?;
    ensure!(ours == theirs, "{}: walguard says {ours:?} (allowed, warnings), OPA {theirs:?}", case.name);
    Ok(if ours.0 { "allowed" } else { "denied" })
}

/// bench/opa.
struct Library {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Measurement {
    wall_nanoseconds: u64,
    cpu_nanoseconds: u64,
    answer: String,
}

impl Library {
    fn start(program: &Path, rules: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .arg(rules)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{}", program.display()))?;
        let orders = child.stdin.take().context("no pipe")?;
        let answers = BufReader::new(child.stdout.take().context("no pipe")?);
        let mut library = Self { child, orders, answers };
        // It says its version when the rules are compiled.
        library.read()?;
        Ok(library)
    }

    fn read(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "bench/opa ended");
        Ok(line)
    }

    fn review(&mut self, case: &Case, count: u32, threads: u32) -> Result<(Cost, String)> {
        let order =
            json!({"body": case.body, "inventory": case.inventory_json, "iterations": count, "threads": threads});
        writeln!(self.orders, "{order}")?;
        self.orders.flush()?;
        let measured: Measurement = serde_json::from_str(&self.read()?)?;
        let cost = Cost {
            wall: Duration::from_nanos(measured.wall_nanoseconds),
            cpu: Duration::from_nanos(measured.cpu_nanoseconds),
        };
        Ok((cost, measured.answer))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
