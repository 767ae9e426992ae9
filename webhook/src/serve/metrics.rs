//! What Prometheus is told.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::bodies::Bodies;
use super::judge::Failure;
use super::queue::Queue;
use crate::cluster::{Caveat, Cluster, Measure};

/// Namespaces that have series of their own. Who may create namespaces must not be able to fill Prometheus with them.
const NAMESPACES_MAX: usize = 500;

/// Labels of a review. `kind` is one of the catalogue's, or "other": a client must not be able to invent series.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct ReviewLabels {
    pub kind: String,
    pub operator: String,
    /// Not `namespace`, which Prometheus says of the replica itself.
    pub resource_namespace: String,
    pub verdict: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct FindingLabels {
    pub check: String,
    pub severity: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct ReasonLabels {
    pub reason: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct KindLabels {
    pub group: String,
    pub kind: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct CertificateLabels {
    pub certificate: &'static str,
}

/// Labels of a finding in the cluster. Namespaces and checks are as many as there are.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct AuditLabels {
    pub check: String,
    pub severity: &'static str,
    pub namespace: String,
}

type Float = Gauge<f64, AtomicU64>;

/// Gauges that are counted anew as a whole. A series that stays is in every scrape: were all cleared first, an alert on one would end and
/// begin again.
#[derive(Debug)]
pub struct Series<L: Clone + Hash + Eq> {
    family: Family<L, Gauge>,
    shown: Mutex<HashSet<L>>,
}

impl<L: Clone + Hash + Eq> Default for Series<L> {
    fn default() -> Self {
        Self { family: Family::default(), shown: Mutex::default() }
    }
}

impl<L: Clone + Hash + Eq> Series<L> {
    /// Shows these and no others.
    pub fn replace(&self, counted: HashMap<L, i64>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        for (labels, count) in &counted {
            self.family.get_or_create(labels).set(*count);
        }
        for labels in shown.iter().filter(|labels| !counted.contains_key(labels)) {
            self.family.remove(labels);
        }
        *shown = counted.into_keys().collect();
    }
}

pub struct Metrics {
    registry: Registry,
    namespaces: Mutex<HashSet<String>>,
    pub reviews: Family<ReviewLabels, Counter>,
    pub findings: Family<FindingLabels, Counter>,
    pub failures: Family<ReasonLabels, Counter>,
    pub caveats: Family<ReasonLabels, Counter>,
    pub refused: Family<ReasonLabels, Counter>,
    waiting: Gauge,
    shed: Counter,
    bodies: Gauge,
    inventory_bytes: Gauge,
    inventory_left_out: Series<KindLabels>,
    pub seconds: Histogram,
    pub policy_findings: Series<FindingLabels>,
    pub configuration_generation: Gauge,
    pub configuration_reload_failures: Counter,
    pub webhook_open: Gauge,
    pub certificate_expiry: Family<CertificateLabels, Gauge>,
    pub certificate_reloads: Counter,
    pub certificate_reload_failures: Counter,
    pub inventory_age: Float,
    pub inventory_complete: Gauge,
    pub inventory_objects: Series<KindLabels>,
    pub inventory_watch_errors: Family<KindLabels, Counter>,
    pub audit_leader: Gauge,
    pub audit_findings: Series<AuditLabels>,
    pub audit_objects: Gauge,
    pub audit_failures: Gauge,
    pub audit_duration: Float,
    pub audit_last_run: Float,
    pub audit_errors: Counter,
}

impl Metrics {
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("walguard");
        // A review takes tens of microseconds to a few milliseconds; the API server gives up after seconds.
        let seconds =
            Histogram::new([0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 4.0]);
        let metrics = Self {
            namespaces: Mutex::default(),
            reviews: Family::default(),
            findings: Family::default(),
            failures: Family::default(),
            caveats: Family::default(),
            refused: Family::default(),
            waiting: Gauge::default(),
            shed: Counter::default(),
            bodies: Gauge::default(),
            inventory_bytes: Gauge::default(),
            inventory_left_out: Series::default(),
            seconds,
            policy_findings: Series::default(),
            configuration_generation: Gauge::default(),
            configuration_reload_failures: Counter::default(),
            webhook_open: Gauge::default(),
            certificate_expiry: Family::default(),
            certificate_reloads: Counter::default(),
            certificate_reload_failures: Counter::default(),
            inventory_age: Float::default(),
            inventory_complete: Gauge::default(),
            inventory_objects: Series::default(),
            inventory_watch_errors: Family::default(),
            audit_leader: Gauge::default(),
            audit_findings: Series::default(),
            audit_objects: Gauge::default(),
            audit_failures: Gauge::default(),
            audit_duration: Float::default(),
            audit_last_run: Float::default(),
            audit_errors: Counter::default(),
            registry: Registry::default(),
        };
        registry.register("reviews", "Admission reviews answered, by verdict", metrics.reviews.clone());
        registry.register("findings", "Findings of admission reviews", metrics.findings.clone());
        registry.register("review_failures", "Reviews that ended without a verdict", metrics.failures.clone());
        registry.register(
            "caveats",
            "Reviews that were judged in part, by what was not known",
            metrics.caveats.clone(),
        );
        registry.register("waiting_reviews", "Reviews that wait to be judged", metrics.waiting.clone());
        registry.register("shed_reviews", "Reviews that lost their place in the queue to others", metrics.shed.clone());
        registry.register_with_unit("bodies", "What calls under way take up", Unit::Bytes, metrics.bodies.clone());
        registry.register("refused_requests", "Calls that held no admission review", metrics.refused.clone());
        registry.register_with_unit(
            "review_duration",
            "Time from call to answer",
            Unit::Seconds,
            metrics.seconds.clone(),
        );
        registry.register(
            "policy_findings",
            "Findings about the policy configuration itself, when it was last judged",
            metrics.policy_findings.family.clone(),
        );
        registry.register(
            "configuration_generation",
            "How often the policy configuration was loaded",
            metrics.configuration_generation.clone(),
        );
        registry.register(
            "configuration_reload_failures",
            "Changes of the policy configuration that were not taken over",
            metrics.configuration_reload_failures.clone(),
        );
        registry.register(
            "webhook_open",
            "1 when the API server asks; 0 until it was seen to reach walguard, where walguard keeps its webhooks itself",
            metrics.webhook_open.clone(),
        );
        registry.register_with_unit(
            "certificate_expiry_timestamp",
            "When a certificate expires: the one that is served, and the authority that walguard keeps itself",
            Unit::Seconds,
            metrics.certificate_expiry.clone(),
        );
        registry.register("certificate_reloads", "Certificates taken over", metrics.certificate_reloads.clone());
        registry.register(
            "certificate_reload_failures",
            "Changes of the certificate that were not taken over",
            metrics.certificate_reload_failures.clone(),
        );
        registry.register_with_unit(
            "inventory_age",
            "Time since everything watched was last known to be current",
            Unit::Seconds,
            metrics.inventory_age.clone(),
        );
        registry.register(
            "inventory_complete",
            "1 when every kind that is served was listed, so that what is missing does not exist",
            metrics.inventory_complete.clone(),
        );
        registry.register("inventory_objects", "Objects in the inventory", metrics.inventory_objects.family.clone());
        registry.register_with_unit(
            "inventory",
            "What the objects in the inventory take up, about",
            Unit::Bytes,
            metrics.inventory_bytes.clone(),
        );
        registry.register(
            "inventory_left_out",
            "Objects that are not in the inventory: too large by themselves, or more than there is room for",
            metrics.inventory_left_out.family.clone(),
        );
        registry.register("inventory_watch_errors", "Failed lists and watches", metrics.inventory_watch_errors.clone());
        registry.register("audit_leader", "1 when this replica judges again", metrics.audit_leader.clone());
        registry.register(
            "audit_findings",
            "Findings in the cluster when it was judged last; only the leader knows them",
            metrics.audit_findings.family.clone(),
        );
        registry.register("audit_objects", "Objects judged in the last round", metrics.audit_objects.clone());
        registry.register(
            "audit_failures",
            "Objects of the last round that have no verdict",
            metrics.audit_failures.clone(),
        );
        registry.register_with_unit(
            "audit_duration",
            "Time that the last round took to judge",
            Unit::Seconds,
            metrics.audit_duration.clone(),
        );
        registry.register_with_unit(
            "audit_last_run_timestamp",
            "When everything was judged last, since 1970",
            Unit::Seconds,
            metrics.audit_last_run.clone(),
        );
        registry.register(
            "audit_errors",
            "Rounds of which not every report or event could be written",
            metrics.audit_errors.clone(),
        );
        // An increase from nothing to one is none to Prometheus: what alerts look at begins with zero.
        for reason in Failure::WORDS {
            drop(metrics.failures.get_or_create(&ReasonLabels { reason }));
        }
        for reason in Caveat::REASONS {
            drop(metrics.caveats.get_or_create(&ReasonLabels { reason }));
        }
        Self { registry, ..metrics }
    }

    /// The label of a namespace: its name, or "other" when there are too many.
    pub fn namespace(&self, name: &str) -> String {
        let mut namespaces = self.namespaces.lock().unwrap_or_else(PoisonError::into_inner);
        if namespaces.contains(name) {
            return name.to_owned();
        }
        if namespaces.len() >= NAMESPACES_MAX {
            return "other".to_owned();
        }
        namespaces.insert(name.to_owned());
        name.to_owned()
    }

    /// Takes the state of the inventory over.
    pub fn measure(&self, cluster: &Cluster) {
        self.inventory_age.set(cluster.age().as_secs_f64());
        self.inventory_complete.set(cluster.complete().into());
        self.inventory_bytes.set(whole(cluster.bytes()));
        let (mut kept, mut not_kept) = (HashMap::new(), HashMap::new());
        for Measure { group, kind, objects, left_out, errors } in cluster.measures() {
            let labels = KindLabels { group, kind };
            let counted = self.inventory_watch_errors.get_or_create(&labels);
            counted.inc_by(errors.saturating_sub(counted.get()));
            drop(counted);
            kept.insert(labels.clone(), whole(objects));
            not_kept.insert(labels, whole(left_out));
        }
        self.inventory_objects.replace(kept);
        self.inventory_left_out.replace(not_kept);
    }

    /// Takes over what is under way.
    pub fn measure_load(&self, queue: &Queue, bodies: &Bodies) {
        let (waiting, shed) = queue.measure();
        self.waiting.set(whole(waiting));
        self.shed.inc_by(shed.saturating_sub(self.shed.get()));
        self.bodies.set(whole(bodies.held()));
    }

    /// Forgets what the last round found: it is no longer this replica's to tell.
    pub fn forget_audit(&self) {
        self.audit_findings.replace(HashMap::new());
        self.audit_objects.set(0);
        self.audit_failures.set(0);
    }

    /// All of it, in the OpenMetrics text format.
    pub fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn series_that_stay_are_never_taken_away() {
        let series = Series::default();
        let labels = |kind: &str| KindLabels { group: String::new(), kind: kind.to_owned() };
        series.replace(HashMap::from([(labels("a"), 1), (labels("b"), 2)]));
        // A gauge that is held is another one when its series was taken away in between.
        let held = Gauge::clone(&series.family.get_or_create(&labels("a")));
        series.replace(HashMap::from([(labels("a"), 5)]));
        assert_eq!(held.get(), 5);
        let mut registry = Registry::default();
        registry.register("x", "x", series.family.clone());
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
        assert!(text.contains(r#"kind="a"} 5"#) && !text.contains(r#"kind="b""#), "{text}");
    }

    #[test]
    fn namespaces_without_end_are_counted_as_one() {
        let metrics = Metrics::new();
        assert_eq!(metrics.namespace("first"), "first");
        let labels: HashSet<String> = (0..10_000).map(|n| metrics.namespace(&format!("n{n}"))).collect();
        assert_eq!(labels.len(), NAMESPACES_MAX);
        assert!(labels.contains("other"));
        assert_eq!(metrics.namespace("first"), "first");
    }
}
