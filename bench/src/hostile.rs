//! What clients that mean harm can take from `walguard serve`: its memory, its health, and the time of everybody else.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value as Json, json};
use walguard_loopback::Server;

use crate::table::{Goal, Table};
use crate::{Tools, measure, serve};

/// Near the most that an API server sends.
const BODY: usize = 7 << 20;
/// Bodies at once.
const AT_ONCE: usize = 8;
/// Clients that send such bodies without a pause, while others want to be served.
const CLIENTS: usize = 20;
const TIME: Duration = Duration::from_secs(10);
/// Between two reviews of somebody who means no harm.
const PAUSE: Duration = Duration::from_millis(50);

/// Sends large bodies of several shapes, eight at once; then those of twenty clients beside the reviews of one who means no harm.
///
/// # Errors
/// When the server does not start or ends.
pub fn run(tools: &Tools) -> Result<(Vec<Table>, Vec<Goal>)> {
    let mut table = Table::new(
        format!("{AT_ONCE} bodies of {} at once", measure::mebibytes(BODY as u64)),
        &["", "answers", "most memory", "slowest /healthz"],
    );
    let (mut most, mut slowest) = (0, Duration::ZERO);
    for (shape, object) in shapes() {
        // Each with a server of its own: the most memory that a process ever had never falls.
        let directory = tempfile::tempdir()?;
        let server = serve::walguard(tools, directory.path(), None)?;
        let body = review("hostile", object);
        let health = AtomicBool::new(true);
        let (answers, probe) = std::thread::scope(|scope| {
            let probe = scope.spawn(|| probe(&server, &health));
            let calls: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(|| outcome(&server, &body))).collect();
            let answers: Vec<_> =
                calls.into_iter().map(|call| call.join().unwrap_or_else(|_| "broke off".to_owned())).collect();
            health.store(false, Ordering::Relaxed);
            (answers, probe.join())
        });
        let probe = probe.map_err(|_| anyhow!("the probe broke off"))??;
        let peak = measure::memory_of(server.id())?.1;
        (most, slowest) = (most.max(peak), slowest.max(probe));
        table.rows.push(vec![shape.to_owned(), counted(answers), measure::mebibytes(peak), measure::text(probe)]);
    }
    let (load, failed) = beside_others(tools)?;
    let goals = vec![
        Goal {
            what: "memory under eight bodies of 7 MiB",
            goal: "≤ 512 MiB".to_owned(),
            measured: measure::mebibytes(most),
            met: most <= 512 << 20,
        },
        Goal {
            what: "/healthz meanwhile",
            goal: "≤ 1 s".to_owned(),
            measured: measure::text(slowest),
            met: slowest <= Duration::from_secs(1),
        },
        Goal {
            what: "reviews that are refused or late beside twenty hostile clients",
            goal: "0".to_owned(),
            measured: failed.to_string(),
            met: failed == 0,
        },
    ];
    Ok((vec![table, load], goals))
}

/// The table, and how many of the good reviews had no verdict.
fn beside_others(tools: &Tools) -> Result<(Table, usize)> {
    let directory = tempfile::tempdir()?;
    let server = serve::walguard(tools, directory.path(), None)?;
    let bodies: Vec<String> = shapes().into_iter().map(|(_, object)| review("hostile", object)).collect();
    let good = review("shop", object(json!({"postgresql": {"parameters": {"max_wal_size": "4GB"}}})));
    let (on, theirs) = (AtomicBool::new(true), Mutex::new(Vec::new()));
    let mut answers = Vec::new();
    let mut latencies = Vec::new();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (on, theirs, server, bodies) = (&on, &theirs, &server, &bodies);
            scope.spawn(move || {
                while on.load(Ordering::Relaxed) {
                    let outcome = outcome(server, &bodies[client % bodies.len()]);
                    theirs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(outcome);
                }
            });
        }
        let started = Instant::now();
        while started.elapsed() < TIME {
            let asked = Instant::now();
            answers.push(outcome(&server, &good));
            latencies.push(asked.elapsed());
            std::thread::sleep(PAUSE);
        }
        on.store(false, Ordering::Relaxed);
    });
    let failed = answers.iter().filter(|answer| *answer != ADMITTED && *answer != DENIED).count();
    let mut table = Table::new(
        format!("{CLIENTS} hostile clients of one namespace, and one of another, for {} s", TIME.as_secs()),
        &["", "answers", "median", "p99", "most memory"],
    );
    table.rows.push(vec![
        "the one".to_owned(),
        counted(answers),
        measure::text(measure::median(latencies.clone())),
        measure::text(measure::p99(latencies)),
        measure::mebibytes(measure::memory_of(server.id())?.1),
    ]);
    let theirs = theirs.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    table.rows.push(vec!["the twenty".to_owned(), counted(theirs), String::new(), String::new(), String::new()]);
    Ok((table, failed))
}

const ADMITTED: &str = "admitted";
const DENIED: &str = "denied";

/// What became of a review, in a word or by its code.
fn outcome(server: &Server, body: &str) -> String {
    let Ok((success, answer)) = server.post(body.to_owned()) else { return "no answer".to_owned() };
    if !success {
        return "refused".to_owned();
    }
    let Ok(answer) = serde_json::from_str::<Json>(&answer) else { return "no review".to_owned() };
    match (&answer["response"]["allowed"], answer["response"]["status"]["code"].as_u64()) {
        (Json::Bool(true), _) => ADMITTED.to_owned(),
        (_, Some(403) | None) => DENIED.to_owned(),
        (_, Some(code)) => code.to_string(),
    }
}

fn counted(outcomes: Vec<String>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in outcomes {
        *counts.entry(outcome).or_default() += 1;
    }
    counts.into_iter().map(|(outcome, count)| format!("{count} {outcome}")).collect::<Vec<_>>().join(", ")
}

/// The slowest answer of /healthz while `on`.
fn probe(server: &Server, on: &AtomicBool) -> Result<Duration> {
    let url = server.ready().replace("/readyz", "/healthz");
    let mut slowest = Duration::ZERO;
    while on.load(Ordering::Relaxed) {
        let asked = Instant::now();
        server.get(&url).context("/healthz does not answer")?;
        slowest = slowest.max(asked.elapsed());
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(slowest)
}

fn object(spec: Json) -> Json {
    json!({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "n"}, "spec": spec})
}

fn review(namespace: &str, mut object: Json) -> String {
    object["metadata"]["namespace"] = namespace.into();
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "CREATE", "name": "db", "namespace": namespace,
        "kind": {"group": "postgresql.cnpg.io", "version": "v1", "kind": "Cluster"},
        "resource": {"group": "postgresql.cnpg.io", "version": "v1", "resource": "clusters"},
        "userInfo": {"username": namespace}, "object": object,
    }})
    .to_string()
}

/// Objects of about [`BODY`] bytes.
fn shapes() -> [(&'static str, Json); 4] {
    let parameters: serde_json::Map<String, Json> =
        (0..BODY / 16).map(|number| (format!("p{number:07}"), "1".into())).collect();
    let deep = (0..BODY / 12).map(|_| json!({"a": [[]]})).collect::<Vec<_>>();
    [
        ("one text", object(json!({"x": "x".repeat(BODY)}))),
        ("numbers", object(json!({"x": vec![1; BODY / 2]}))),
        ("parameters", object(json!({"postgresql": {"parameters": parameters}}))),
        ("small objects", object(json!({"x": deep}))),
    ]
}
