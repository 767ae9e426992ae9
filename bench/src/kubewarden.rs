//! The Kubewarden policy in wasmtime, in a fresh instance for each review, as the policy server has it, and in one that is used again.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::Tools;
use crate::cases::{Case, DISMISSED};
use crate::measure;
use crate::review::Library;
use crate::table::{Goal, Table};

/// Reviews of each case in a turn.
const REVIEWS: &str = "40";
/// Reviews of OPA in a turn.
const REVIEWS_OF_OPA: u32 = 10;

/// What the host prints of a case; milliseconds.
#[derive(Deserialize)]
struct Measured {
    fresh: Times,
    reused: Times,
}

#[derive(Deserialize)]
struct Times {
    wall: f64,
    p99: f64,
    cpu: f64,
}

/// Measures every case, in turn with OPA's prepared query.
///
/// # Errors
/// When a contestant fails.
pub fn run(tools: &Tools, cases: &[Case], rounds: u32) -> Result<(Table, Vec<Goal>)> {
    let (host, policy) = (&tools.wapc_host, &tools.policy);
    let (Some(host), Some(policy)) = (host, policy) else {
        let mut table = Table::new("Kubewarden", &[""]);
        table.notes.push("Not measured: there was no policy or no host for it.".to_owned());
        return Ok((table, Vec::new()));
    };
    let megabytes = fs::metadata(policy)?.len() as f64 / 1e6;
    let lines: String = cases.iter().map(line).collect::<Result<_>>()?;
    let mut opa = Library::start(&tools.opa_library, &tools.rules)?;
    let mut turns: BTreeMap<usize, (Vec<Measured>, Vec<Duration>)> = BTreeMap::new();
    for _ in 0..rounds {
        let mut command = Command::new(host);
        command.arg("bench").arg(policy).args([REVIEWS, "--json"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        child.stdin.take().context("no pipe")?.write_all(lines.as_bytes())?;
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{command:?}: {}", output.status);
        let measured: Vec<Measured> = serde_json::from_slice(&output.stdout)?;
        ensure!(measured.len() == cases.len(), "{} of {} cases were measured", measured.len(), cases.len());
        for (index, (measured, case)) in measured.into_iter().zip(cases).enumerate() {
            let (ours, theirs) = turns.entry(index).or_default();
            ours.push(measured);
            theirs.push(opa.review(case, REVIEWS_OF_OPA, 1)?.0.each(REVIEWS_OF_OPA).cpu);
        }
    }
    let mut table = Table::new(
        format!("The Kubewarden policy, {megabytes:.2} MB, in wasmtime"),
        &["", "fresh instance", "p99", "CPU", "reused", "p99", "CPU", "OPA's prepared query, CPU", "ratio, fresh"],
    );
    let mut worst = [Duration::ZERO; 2];
    for (index, case) in cases.iter().enumerate() {
        let (ours, theirs) = turns.remove(&index).unwrap_or_default();
        let of = |time: &dyn Fn(&Measured) -> f64| {
            measure::median(ours.iter().map(|turn| Duration::from_secs_f64(time(turn) / 1e3)).collect())
        };
        let fresh = [of(&|m| m.fresh.wall), of(&|m| m.fresh.p99), of(&|m| m.fresh.cpu)];
        let reused = [of(&|m| m.reused.wall), of(&|m| m.reused.p99), of(&|m| m.reused.cpu)];
        let theirs = measure::median(theirs);
        if case.name != DISMISSED {
            worst = [worst[0].max(fresh[0]), worst[1].max(reused[0])];
        }
        let mut row = vec![case.name.clone()];
        row.extend(fresh.into_iter().chain(reused).chain([theirs]).map(measure::text));
        row.push(measure::ratio(fresh[2], theirs));
        table.rows.push(row);
    }
    let limit = |what, bound: u64, measured: Duration| Goal {
        what,
        goal: format!("≤ {}", measure::text(Duration::from_micros(bound))),
        measured: format!("{} at most", measure::text(measured)),
        met: measured <= Duration::from_micros(bound),
    };
    let goals = vec![
        Goal {
            what: "Kubewarden: size of the module",
            goal: "≤ 4 MB".to_owned(),
            measured: format!("{megabytes:.2} MB"),
            met: megabytes <= 4.0,
        },
        limit("Kubewarden: a review in a fresh instance, median", 1000, worst[0]),
        limit("Kubewarden: in one that is used again, median", 300, worst[1]),
    ];
    Ok((table, goals))
}

/// A case as the host takes it.
fn line(case: &Case) -> Result<String> {
    let review: Json = serde_json::from_str(&case.body)?;
    Ok(json!({"request": review["request"], "objects": case.others}).to_string() + "\n")
}
