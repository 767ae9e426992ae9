//! Reviews inside a process: our engine against a prepared query of the OPA library.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard::serve::Direct;
use walguard_engine::{Engine, Request, Review, Rules};

use crate::Tools;
use crate::cases::{Case, DISMISSED};
use crate::measure::{self, Cost};
use crate::table::{Goal, Table};

/// How long a turn should take.
const TURN: Duration = Duration::from_millis(150);
/// Reviews that are timed one by one.
const SINGLY: usize = 2000;
/// Runs of a part of a review in a turn.
const PHASE_RUNS: u32 = 300;

/// Measures every case with one thread and with two.
///
/// # Errors
/// When a contestant fails, or the two differ in their verdict.
pub fn run(tools: &Tools, cases: &[Case], rounds: u32) -> Result<(Vec<Table>, Vec<Goal>)> {
    let engine = Engine::new(&Rules::embedded())?;
    let mut opa = Library::start(&tools.opa_library, &tools.rules)?;
    let mut table = Table::new(
        "One review in the process, bytes in, bytes out: walguard | a prepared query of the OPA library",
        &["", "verdict", "CPU", "OPA", "ratio", "median", "p99", "CPU (2 threads)", "OPA", "ratio"],
    );
    let mut least = f64::INFINITY;
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
            let (ours, theirs) = (measure::medians(&our_costs).cpu, measure::medians(&their_costs).cpu);
            row.extend([ours, theirs].map(measure::text));
            row.push(measure::ratio(ours, theirs));
            if threads == 1 {
                let each = singly(&direct, case.body.as_bytes())?;
                row.extend([measure::median(each.clone()), measure::p99(each)].map(measure::text));
                if case.name != DISMISSED {
                    least = least.min(theirs.as_secs_f64() / ours.as_secs_f64());
                }
            }
        }
        table.rows.push(row);
    }
    table.notes.push(
        "CPU is of a review, the median of the turns; median and p99 are wall time of single reviews.".to_owned(),
    );
    let goal = Goal {
        what: "review of a PostgreSQL resource, CPU of OPA's prepared query",
        goal: "≥ 100×".to_owned(),
        measured: format!("{} at least", measure::times(least)),
        met: least >= 100.0,
    };
    Ok((vec![table, phases(&engine, cases, rounds)?], vec![goal]))
}

/// The wall time of single reviews.
///
/// # Errors
/// When there is no verdict.
pub fn singly(direct: &Direct, body: &[u8]) -> Result<Vec<Duration>> {
    let mut direct = direct.clone();
    let mut each = Vec::with_capacity(SINGLY);
    for _ in 0..SINGLY {
        let started = Instant::now();
        black_box(direct.answer(body)?);
        each.push(started.elapsed());
    }
    Ok(each)
}

/// Where the time of a review goes, against the least there could be: reading its bytes.
fn phases(engine: &Engine, cases: &[Case], rounds: u32) -> Result<Table> {
    let mut table = Table::new(
        "Where the CPU of a review goes",
        &["", "bytes", "JSON read by serde_json", "request read", "objects read", "rules and findings", "whole review"],
    );
    for case in cases {
        let body = case.body.as_bytes();
        let inventory = case.inventory.value();
        let mut row = vec![case.name.clone(), body.len().to_string()];
        let mut judging = engine.clone();
        let mut direct = Direct::new(engine.clone(), inventory.clone());
        let read = || serde_json::from_slice::<Envelope>(body);
        let whole = read()?.request.review()?;
        let concerned = read()?.request.concern(engine.catalogue()).is_some();
        let cost = |step: &mut dyn FnMut() -> Result<()>| -> Result<Duration> {
            let mut turns = Vec::new();
            for _ in 0..rounds {
                turns.push(measure::own(|| (0..PHASE_RUNS).try_for_each(|_| step()))?.each(PHASE_RUNS));
            }
            Ok(measure::medians(&turns).cpu)
        };
        let json = cost(&mut || {
            black_box(serde_json::from_slice::<Json>(body)?);
            Ok(())
        })?;
        let request = cost(&mut || {
            black_box(read()?);
            Ok(())
        })?;
        let objects = cost(&mut || {
            black_box(read()?.request.review()?);
            Ok(())
        })?;
        let rules = cost(&mut || {
            let inventory = Some(inventory.clone());
            let review = Review { request: whole.clone(), inventory, configuration: None, now: None };
            black_box(judging.judge(&review)?);
            Ok(())
        })?;
        let review = cost(&mut || {
            black_box(direct.answer(body)?);
            Ok(())
        })?;
        // Reading the objects was measured with reading the request around them.
        let parts = [json, request, objects.saturating_sub(request), rules, review];
        row.extend(parts.iter().enumerate().map(|(index, cost)| match index {
            2 | 3 if !concerned => "–".to_owned(),
            _ => measure::text(*cost),
        }));
        table.rows.push(row);
    }
    table
        .notes
        .push("The webhook looks at a Deployment without PostgreSQL only as far as to see that it is one.".to_owned());
    Ok(table)
}

/// The body of a call.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    request: Request<'a>,
}

/// Measures what it takes until the first review can be judged.
///
/// # Errors
/// When the rules cannot be loaded.
pub fn start(rounds: u32) -> Result<Table> {
    let mut costs = Vec::new();
    for _ in 0..rounds {
        costs.push(measure::own(|| {
            drop(Engine::new(&Rules::embedded())?);
            Ok(())
        })?);
    }
    let cost = measure::medians(&costs);
    let mut table = Table::new("Start", &["", "CPU", "wall"]);
    table.rows.push(vec!["engine with all rules".to_owned(), measure::text(cost.cpu), measure::text(cost.wall)]);
    Ok(table)
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
            black_box(direct.answer(black_box(body))?);
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
pub struct Library {
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
    /// # Errors
    /// When it does not start.
    pub fn start(program: &Path, rules: &Path) -> Result<Self> {
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

    /// What so many reviews cost, and the last answer.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn review(&mut self, case: &Case, count: u32, threads: u32) -> Result<(Cost, String)> {
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
