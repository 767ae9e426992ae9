//! Reviews over loopback: `walguard serve` against `opa run --server`, both over TLS on connections that stay open.
//!
//! Neither has other objects in sight here. The client and the server share the machine.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};
use walguard_loopback::{self as loopback, Identity, Server};

use crate::Tools;
use crate::cases::{Case, DISMISSED};
use crate::measure::{self, Cost};
use crate::table::{Goal, Table};
use crate::wire;

/// Calls of a turn, one after the other.
const CALLS: usize = 40;
/// Connections of an API server under load.
const CONNECTIONS: usize = 4;
/// How long the load of a turn lasts.
const TURN: Duration = Duration::from_secs(2);

/// Measures every case by itself, then all of PostgreSQL together under load.
///
/// # Errors
/// When a server does not start or does not answer.
pub fn run(tools: &Tools, cases: &[Case], rounds: u32) -> Result<(Vec<Table>, Vec<Goal>)> {
    // Apart: walguard takes up a certificate that is replaced.
    let places = [tempfile::tempdir()?, tempfile::tempdir()?];
    let walguard = walguard(tools, places[0].path(), None)?;
    let opa = opa(tools, places[1].path())?;
    let mut single = Table::new(
        "One review over loopback, one after the other: walguard serve | opa run --server",
        &["", "median", "p99", "OPA", "p99", "ratio", "CPU of the server", "OPA", "ratio"],
    );
    let (mut ours_all, mut theirs_all) = (Vec::new(), Vec::new());
    for case in cases {
        let (body, for_opa) = bodies(case)?;
        if case.name != DISMISSED {
            ours_all.push(body.clone());
            theirs_all.push(for_opa.clone());
        }
        let (mut ours, mut theirs) = (Turns::default(), Turns::default());
        for _ in 0..rounds {
            ours.add(&walguard, &body)?;
            theirs.add(&opa, &for_opa)?;
        }
        let (our_median, their_median) =
            (measure::median(ours.latencies.clone()), measure::median(theirs.latencies.clone()));
        let mut row = vec![case.name.clone(), measure::text(our_median), measure::text(measure::p99(ours.latencies))];
        row.extend([measure::text(their_median), measure::text(measure::p99(theirs.latencies))]);
        row.push(measure::ratio(our_median, their_median));
        let (our_cpu, their_cpu) = (measure::medians(&ours.costs).cpu, measure::medians(&theirs.costs).cpu);
        row.extend([measure::text(our_cpu), measure::text(their_cpu), measure::ratio(our_cpu, their_cpu)]);
        single.rows.push(row);
    }
    let contestants = [("walguard serve", &walguard, &ours_all), ("opa run --server", &opa, &theirs_all)];
    let (load, goals) = under_load(&contestants, rounds)?;
    Ok((vec![single, load], goals))
}

/// What the servers bear, and what a review takes at half of it.
fn under_load(contestants: &[(&str, &Server, &Vec<Vec<u8>>); 2], rounds: u32) -> Result<(Table, Vec<Goal>)> {
    let mut turns: [Vec<(u64, Duration, Vec<Duration>)>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for ((_, server, bodies), turns) in contestants.iter().zip(&mut turns) {
            let before = measure::cpu_of(server.id())?;
            let load = wire::saturated(server, bodies, CONNECTIONS, TURN)?;
            let cpu = measure::cpu_of(server.id())?.saturating_sub(before) / u32::try_from(load.latencies.len())?;
            // Rates are compared as whole numbers, so that they have an order.
            turns.push((load.rate() as u64, cpu, load.latencies));
        }
    }
    let rates = [0, 1].map(|index: usize| measure::median(turns[index].iter().map(|turn| turn.0).collect()));
    let mut half: [Vec<Vec<Duration>>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (((_, server, bodies), rate), half) in contestants.iter().zip(rates).zip(&mut half) {
            half.push(wire::paced(server, bodies, CONNECTIONS, rate as f64 / 2.0, TURN)?.latencies);
        }
    }
    let mut table = Table::new(
        format!("Under load: {CONNECTIONS} connections, all cases of PostgreSQL in turn"),
        &["", "reviews/s", "median", "p99", "CPU of the server", "median at half of it", "p99 at half of it", "memory"],
    );
    let mut tails = Vec::new();
    for (index, (name, server, _)) in contestants.iter().enumerate() {
        let middle = |of: &dyn Fn(&Vec<Duration>) -> Duration, all: &mut dyn Iterator<Item = &Vec<Duration>>| {
            measure::median(all.map(of).collect())
        };
        let mid = |latencies: &Vec<Duration>| measure::median(latencies.clone());
        let tail = |latencies: &Vec<Duration>| measure::p99(latencies.clone());
        tails.push(middle(&tail, &mut half[index].iter()));
        table.rows.push(vec![
            (*name).to_owned(),
            rates[index].to_string(),
            measure::text(middle(&mid, &mut turns[index].iter().map(|turn| &turn.2))),
            measure::text(middle(&tail, &mut turns[index].iter().map(|turn| &turn.2))),
            measure::text(measure::median(turns[index].iter().map(|turn| turn.1).collect())),
            measure::text(middle(&mid, &mut half[index].iter())),
            measure::text(tails[index]),
            measure::mebibytes(measure::memory_of(server.id())?.0),
        ]);
    }
    table.notes.push(format!(
        "Turns of {} s; medians of {rounds} turns, also of the p99 of each. At half of it calls are due at a steady rate, and a call's time counts \
         from when it is due.",
        TURN.as_secs()
    ));
    let ratio = rates[0] as f64 / rates[1].max(1) as f64;
    let goals = vec![
        Goal {
            what: "reviews a second over TLS, against `opa run --server`",
            goal: "≥ 10×".to_owned(),
            measured: format!("{} ({} : {})", measure::times(ratio), rates[0], rates[1]),
            met: ratio >= 10.0,
        },
        Goal {
            what: "p99 at half of that load",
            goal: "≤ 1 ms".to_owned(),
            measured: measure::text(tails[0]),
            met: tails[0] <= Duration::from_millis(1),
        },
    ];
    Ok((table, goals))
}

/// `walguard serve`.
///
/// # Errors
/// When it does not start.
pub fn walguard(tools: &Tools, directory: &Path, kubeconfig: Option<&Path>) -> Result<Server> {
    Server::walguard(&tools.walguard, directory, kubeconfig, &["--log-level", "warn"])
}

fn opa(tools: &Tools, directory: &Path) -> Result<Server> {
    let identity = Identity::new(directory)?;
    let address = format!("127.0.0.1:{}", loopback::free_port()?);
    let mut command = Command::new(&tools.opa);
    command
        .args(["run", "--server", "--addr", &address, "--log-level", "error"])
        .args(["--tls-cert-file", Identity::CERTIFICATE, "--tls-private-key-file", Identity::KEY])
        .args(["--ignore", "*_test.rego", "--ignore", "*.yaml", "--ignore", "*.json"])
        .arg(&tools.rules)
        .current_dir(directory);
    let url = format!("https://{address}/v1/data/main/findings");
    Server::over_tls(&mut command, &identity, url, &format!("https://{address}/health"))
}

/// What an API server sends, and the same as OPA takes it.
fn bodies(case: &Case) -> Result<(Vec<u8>, Vec<u8>)> {
    let review: Json = serde_json::from_str(&case.body)?;
    let request = review.get("request").context("a review without a request")?;
    Ok((case.body.clone().into_bytes(), json!({"input": {"review": request}}).to_string().into_bytes()))
}

/// Calls one after the other.
#[derive(Default)]
pub struct Turns {
    pub latencies: Vec<Duration>,
    pub costs: Vec<Cost>,
}

impl Turns {
    /// One turn more.
    ///
    /// # Errors
    /// When a call is not answered.
    pub fn add(&mut self, server: &Server, body: &[u8]) -> Result<()> {
        let cpu = measure::cpu_of(server.id())?;
        let load = wire::in_turn(server, body, CALLS)?;
        let cpu = measure::cpu_of(server.id())?.saturating_sub(cpu);
        self.costs.push(Cost { wall: load.wall, cpu }.each(u32::try_from(CALLS)?));
        self.latencies.extend(load.latencies);
        Ok(())
    }
}
