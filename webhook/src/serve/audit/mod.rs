//! Judges again and again what is in the cluster: what was right when it was admitted goes wrong by itself, when a backup fails,
//! an attestation expires, a StorageClass changes. One replica at a time, the leader, does it.

mod events;
mod reports;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result};
use kube::Client;
use kube_lease_manager::LeaseManagerBuilder;
use walguard_engine::{ResourceRef, Severity, Value};
use walguard_lint::judgement::Surroundings;

use self::events::Events;
use self::reports::Reports;
use super::App;
use super::metrics::AuditLabels;
use crate::audit::judge::{self, Usage, Verdict};
use crate::cluster::{Caveat, Cluster, LeftOut};

/// How long a leader that is gone without a word is waited for.
const LEASE_SECONDS: u64 = 30;
/// The leader renews this long before the end.
const LEASE_GRACE_SECONDS: u64 = 10;
/// How soon what failed is tried again, and how often the inventory is looked at until it is ready.
const RETRY: Duration = Duration::from_secs(5);
/// How soon the end of the server is noticed.
const DRAIN_POLL: Duration = Duration::from_millis(200);

/// What is needed to judge again and again.
pub struct Auditor {
    pub app: Arc<App>,
    pub cluster: Arc<Cluster>,
    pub client: Client,
    pub interval: Duration,
    /// Name of the Lease in the namespace that walguard runs in.
    pub lease: String,
}

impl Auditor {
    /// Ends when the server does. What goes wrong is logged, counted and tried again.
    pub async fn run(self) {
        while !self.draining() {
            if let Err(error) = self.lead().await {
                tracing::warn!("who judges again cannot be agreed on: {error:#}");
            }
            self.app.metrics.audit_leader.set(0);
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Takes part in the election, and judges whenever this replica is the leader.
    async fn lead(&self) -> Result<()> {
        let manager = LeaseManagerBuilder::new(self.client.clone(), &self.lease)
            .with_namespace(self.client.default_namespace())
            .with_duration(LEASE_SECONDS)
            .with_grace(LEASE_GRACE_SECONDS)
            .build()
            .await?;
        let (mut leading, election) = manager.watch().await;
        let mut round = Round::new(self);
        loop {
            let leader = *leading.borrow_and_update();
            self.app.metrics.audit_leader.set(leader.into());
            if !leader {
                // What another replica finds is its to tell.
                round = Round::new(self);
                self.app.metrics.forget_audit();
                self.app.policy_used.store(None);
            }
            tokio::select! {
                changed = leading.changed() => if changed.is_err() {
                    // The election has ended by itself, which only a defect of it can be the reason for.
                    return election.await.context("the election broke off")?.map(|_| ()).map_err(Into::into);
                },
                () = round.next(), if leader => {}
                () = self.drained() => {
                    // Gives the Lease back, so that nobody waits until it ends.
                    drop(leading);
                    return election.await.context("the election broke off")?.map(|_| ()).map_err(Into::into);
                }
            }
        }
    }

    fn draining(&self) -> bool {
        self.app.draining.load(Ordering::Relaxed)
    }

    async fn drained(&self) {
        while !self.draining() {
            tokio::time::sleep(DRAIN_POLL).await;
        }
    }
}

/// The rounds of a leader.
struct Round<'a> {
    auditor: &'a Auditor,
    reports: Reports,
    events: Events,
    due: tokio::time::Instant,
}

impl<'a> Round<'a> {
    fn new(auditor: &'a Auditor) -> Self {
        Self {
            auditor,
            reports: Reports::new(auditor.client.clone()),
            events: Events::new(auditor.client.clone()),
            due: tokio::time::Instant::now(),
        }
    }

    /// Waits until the next round is due, and goes it.
    async fn next(&mut self) {
        tokio::time::sleep_until(self.due).await;
        let metrics = &self.auditor.app.metrics;
        let wait = match self.go().await {
            Ok(true) => self.auditor.interval,
            Ok(false) => RETRY.min(self.auditor.interval),
            Err(error) => {
                metrics.audit_errors.inc();
                tracing::warn!("judged again, but not all of it could be written: {error:#}");
                self.auditor.interval
            }
        };
        self.due = tokio::time::Instant::now() + wait;
    }

    /// False when the inventory is not ready yet.
    async fn go(&mut self) -> Result<bool> {
        let Auditor { app, cluster, .. } = self.auditor;
        if !cluster.ready() {
            return Ok(false);
        }
        let started = Instant::now();
        let policy = app.policy.load_full();
        let verdicts = judged(app, cluster, policy.value.clone()).await?;
        measure(app, &verdicts, started);
        app.policy_used.store(Some(Arc::new((policy, Usage::of(&verdicts)))));
        app.policy_changed.notify_one();
        tracing::info!(
            objects = verdicts.len(),
            findings = verdicts.iter().map(|verdict| verdict.findings.len()).sum::<usize>(),
            failed = verdicts.iter().filter(|verdict| verdict.failure.is_some()).count(),
            milliseconds = started.elapsed().as_millis() as u64,
            "judged again"
        );
        // Reports know what was found before, also by another leader.
        let catalogue = app.judge.catalogue();
        let caveat = |verdict: &Verdict| {
            let kind = catalogue.kinds_of(&verdict.reference.api_version, &verdict.reference.kind).next()?;
            Caveat::joined(&cluster.caveats(kind, &verdict.reference.namespace))
        };
        let reported = self.reports.write(&verdicts, caveat).await;
        let known = reported.as_ref().ok().and_then(Option::as_ref);
        let told = self.events.tell(&verdicts, known).await;
        reported.map(|_| ()).and(told)?;
        Ok(true)
    }
}

/// Judges everything in the latest snapshot, on one thread: whoever waits for an admission comes first.
async fn judged(app: &Arc<App>, cluster: &Cluster, policy: Value) -> Result<Vec<Verdict>> {
    let inventory = cluster.inventory();
    let served = cluster.served();
    let left_out = cluster.left_out();
    let surroundings = Surroundings { inventory: inventory.value(), configuration: Some(policy), now: None };
    let app = Arc::clone(app);
    let judging = tokio::task::spawn_blocking(move || {
        let mut engine = app.judge.engine();
        let subjects = judge::subjects(&inventory, &served, None);
        let judged = subjects
            .into_iter()
            // The process must not wait at its end for what nobody will read.
            .take_while(|_| !app.draining.load(Ordering::Relaxed))
            .map(|subject| {
                let result = surroundings.judge(&mut engine, &subject.value);
                (subject, result)
            })
            .collect();
        let mut verdicts = judge::verdicts(judged);
        verdicts.extend(left_out.into_iter().map(not_kept));
        verdicts
    });
    let verdicts = judging.await.context("the judgement broke off")?;
    Ok(verdicts)
}

/// What is judged at its admission and never again, since it is not kept: somebody must hear of it.
fn not_kept(LeftOut { served, namespace, name, uid }: LeftOut) -> Verdict {
    let failure = "it is too large to be kept in memory, or there are too many of its namespace or kind".to_owned();
    let reference =
        ResourceRef { api_version: served.resource.api_version, kind: served.resource.kind, namespace, name };
    Verdict { reference, uid, findings: Vec::new(), failure: Some(failure) }
}

fn measure(app: &App, verdicts: &[Verdict], started: Instant) {
    let metrics = &app.metrics;
    let mut counted: HashMap<(&str, Severity, &str), i64> = HashMap::new();
    for verdict in verdicts {
        for finding in verdict.findings.iter().filter(|finding| finding.counts()) {
            *counted.entry((&finding.check, finding.severity, &verdict.reference.namespace)).or_default() += 1;
        }
    }
    let mut series = HashMap::new();
    for ((check, severity, namespace), count) in counted {
        let (check, namespace) = (check.to_owned(), metrics.namespace(namespace));
        // Namespaces may share a label.
        *series.entry(AuditLabels { check, severity: severity.as_str(), namespace }).or_default() += count;
    }
    metrics.audit_findings.replace(series);
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    metrics.audit_objects.set(count(verdicts.len()));
    metrics.audit_failures.set(count(verdicts.iter().filter(|verdict| verdict.failure.is_some()).count()));
    metrics.audit_duration.set(started.elapsed().as_secs_f64());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    metrics.audit_last_run.set(now.as_secs_f64());
}
