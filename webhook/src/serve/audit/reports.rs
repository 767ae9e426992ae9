//! Reports of findings as objects of the API that the community's dashboards read, one for each object that has any.
//!
//! That API has had two groups: `openreports.io` is the present one, `wgpolicyk8s.io`, where it began, is what most clusters still have.
//! The first that is served is written; the objects of both have the same fields. Without either there are no reports.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, stream};
use kube::api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value as Json, json};
use walguard_engine::{Finding, Severity};

use crate::audit::judge::Verdict;

/// The present API before the former one.
const APIS: [(&str, &str, &str, &str); 2] = [
    ("openreports.io", "v1alpha1", "Report", "reports"),
    ("wgpolicyk8s.io", "v1alpha2", "PolicyReport", "policyreports"),
];
/// Who wrote a report, in its label, its source and its fields' manager.
const WALGUARD: &str = "walguard";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// Reports asked for at a time.
const PAGE: u32 = 500;
/// Writes under way at a time.
const AT_ONCE: usize = 4;

/// Ids of checks with findings, by the uid of their object.
pub type Known = HashMap<String, BTreeSet<String>>;

/// Writes reports and takes them away.
pub struct Reports {
    client: Client,
    /// Whether it was said that there is no such API.
    missed: bool,
}

impl Reports {
    pub fn new(client: Client) -> Self {
        Self { client, missed: false }
    }

    /// Makes the reports in the cluster those of the verdicts, and says what they said before. `None` without an API for them.
    ///
    /// # Errors
    /// The first that was met; everything that could be written was.
    pub async fn write(
        &mut self,
        verdicts: &[Verdict],
        caveat: impl Fn(&Verdict) -> Option<String>,
    ) -> Result<Option<Known>> {
        let served = self.served().await.context("which reports the API server serves")?;
        let Some((api, former)) = served.split_first() else {
            if !std::mem::replace(&mut self.missed, true) {
                tracing::info!(
                    "the API server serves neither openreports.io nor wgpolicyk8s.io: no reports are written"
                );
            }
            return Ok(None);
        };
        let mut wanted: BTreeMap<(String, String), Json> = verdicts
            .iter()
            .filter(|verdict| !verdict.findings.is_empty() || verdict.failure.is_some())
            .map(|verdict| {
                let report = report(api, verdict, caveat(verdict).as_deref());
                ((verdict.reference.namespace.clone(), name(verdict)), report)
            })
            .collect();

        let mut known = Known::new();
        let mut gone: Vec<(ApiResource, String, String)> = Vec::new();
        for api in former {
            self.each(api, |report| {
                gone.push((api.clone(), report.namespace().unwrap_or_default(), report.name_any()))
            })
            .await?;
        }
        self.each(api, |report| {
            let key = (report.namespace().unwrap_or_default(), report.name_any());
            if let Some(uid) = report.data.pointer("/scope/uid").and_then(Json::as_str) {
                known.insert(uid.to_owned(), checks(&report.data));
            }
            match wanted.get_mut(&key) {
                Some(new) => {
                    keep_times(new, &report.data);
                    if says_the_same(new, &report.data) {
                        wanted.remove(&key);
                    }
                }
                None => gone.push((api.clone(), key.0, key.1)),
            }
        })
        .await?;
        let written = self.apply(api, wanted).await;
        let removed = self.remove(gone).await;
        written.and(removed)?;
        Ok(Some(known))
    }

    /// The APIs for reports that are served.
    async fn served(&self) -> kube::Result<Vec<ApiResource>> {
        let mut served = Vec::new();
        for (group, version, kind, plural) in APIS {
            let api_version = format!("{group}/{version}");
            let list = match self.client.list_api_group_resources(&api_version).await {
                Ok(list) => list,
                Err(kube::Error::Api(status)) if status.code == 404 => continue,
                Err(error) => return Err(error),
            };
            if list.resources.iter().any(|resource| resource.name == plural) {
                let (group, version) = (group.to_owned(), version.to_owned());
                let (kind, plural) = (kind.to_owned(), plural.to_owned());
                served.push(ApiResource { group, version, api_version, kind, plural });
            }
        }
        Ok(served)
    }

    /// Looks at every report of walguard, page by page.
    async fn each(&self, resource: &ApiResource, mut look: impl FnMut(DynamicObject)) -> Result<()> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), resource);
        let first = ListParams::default().labels(&format!("{MANAGED_BY}={WALGUARD}")).limit(PAGE);
        let mut page = first.clone();
        loop {
            let list = api.list(&page).await.with_context(|| format!("listing {}", resource.plural))?;
            list.items.into_iter().for_each(&mut look);
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => page = first.clone().continue_token(&token),
                None => return Ok(()),
            }
        }
    }

    async fn apply(&self, resource: &ApiResource, reports: BTreeMap<(String, String), Json>) -> Result<()> {
        let results = stream::iter(reports)
            .map(async |((namespace, name), report)| {
                let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), &namespace, resource);
                let applied = api.patch(&name, &PatchParams::apply(WALGUARD).force(), &Patch::Apply(&report)).await;
                match applied {
                    // The namespace went while the report was made.
                    Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
                    applied => applied.map(|_| ()).with_context(|| format!("writing report {namespace}/{name}")),
                }
            })
            .buffer_unordered(AT_ONCE);
        first_error(results.collect().await)
    }

    async fn remove(&self, reports: Vec<(ApiResource, String, String)>) -> Result<()> {
        let results = stream::iter(reports)
            .map(async |(resource, namespace, name)| {
                let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), &namespace, &resource);
                match api.delete(&name, &DeleteParams::default()).await {
                    Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
                    deleted => deleted.map(|_| ()).with_context(|| format!("deleting report {namespace}/{name}")),
                }
            })
            .buffer_unordered(AT_ONCE);
        first_error(results.collect().await)
    }
}

fn first_error(results: Vec<Result<()>>) -> Result<()> {
    results.into_iter().collect()
}

/// The uid tells the object from a predecessor of the same name, whose report goes with it.
fn name(verdict: &Verdict) -> String {
    format!("{WALGUARD}-{}", verdict.uid)
}

fn report(api: &ApiResource, verdict: &Verdict, caveat: Option<&str>) -> Json {
    let object = &verdict.reference;
    let now = jiff::Timestamp::now();
    let timestamp = json!({"seconds": now.as_second(), "nanos": 0});
    let mut results: Vec<Json> = verdict.findings.iter().map(|finding| result(finding, &timestamp, caveat)).collect();
    results.extend(verdict.failure.as_ref().map(|failure| {
        json!({
            "source": WALGUARD, "policy": "walguard", "result": "error", "severity": "high", "message": failure,
            "timestamp": timestamp,
        })
    }));
    let count = |word: &str| results.iter().filter(|result| result["result"] == word).count();
    let summary = json!({
        "pass": 0, "fail": count("fail"), "warn": count("warn"), "error": count("error"), "skip": count("skip"),
    });
    let owner = json!({"apiVersion": object.api_version, "kind": object.kind, "name": object.name, "uid": verdict.uid});
    let mut scope = owner.clone();
    scope["namespace"] = object.namespace.as_str().into();
    json!({
        "apiVersion": api.api_version,
        "kind": api.kind,
        "metadata": {
            "name": name(verdict),
            "namespace": object.namespace,
            "labels": {MANAGED_BY: WALGUARD},
            // The report goes when its object does.
            "ownerReferences": [owner],
        },
        "source": WALGUARD,
        "scope": scope,
        "summary": summary,
        "results": results,
    })
}

fn result(finding: &Finding, timestamp: &Json, caveat: Option<&str>) -> Json {
    let (result, severity) = match finding.severity {
        Severity::Error => ("fail", "high"),
        Severity::Warning => ("warn", "medium"),
        Severity::Info => ("warn", "info"),
    };
    let result = if finding.counts() { result } else { "skip" };
    let mut properties = BTreeMap::from([("severity", finding.severity.to_string())]);
    if let Some(waived) = &finding.waived {
        properties.insert("waived", waived.justification());
    }
    let details =
        [("docs", finding.docs.clone()), ("field", finding.field()), ("remediation", finding.remediation.clone())];
    for (name, value) in details {
        if !value.is_empty() {
            properties.insert(name, value);
        }
    }
    if let Some(caveat) = caveat {
        properties.insert("judgedInPart", caveat.to_owned());
    }
    let category = finding.check.split('/').next().unwrap_or_default();
    json!({
        "source": WALGUARD,
        "policy": finding.check,
        "category": category,
        "result": result,
        "severity": severity,
        "scored": true,
        "message": finding.message,
        "properties": properties,
        "timestamp": timestamp,
    })
}

/// The checks that a report says something of.
fn checks(report: &Json) -> BTreeSet<String> {
    let results = report["results"].as_array().into_iter().flatten();
    results
        .filter(|result| result["severity"] != "info" && result["result"] != "error" && result["result"] != "skip")
        .filter_map(|result| Some(result["policy"].as_str()?.to_owned()))
        .collect()
}

/// What was found before was found when it was found first.
fn keep_times(new: &mut Json, old: &Json) {
    let same = |a: &Json, b: &Json| a["policy"] == b["policy"] && a["properties"]["field"] == b["properties"]["field"];
    for result in new["results"].as_array_mut().into_iter().flatten() {
        let before = old["results"].as_array().into_iter().flatten().find(|before| same(before, result));
        if let Some(before) = before {
            result["timestamp"] = before["timestamp"].clone();
        }
    }
}

/// Whether a report need not be written again. Only what walguard writes is compared.
fn says_the_same(new: &Json, old: &Json) -> bool {
    ["results", "summary", "scope"].iter().all(|field| new[field] == old[field])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use walguard_engine::{ResourceRef, Waived};

    use super::*;

    fn verdict(found: &[(&str, &str, &str)], failure: Option<&str>) -> Verdict {
        let finding = |(check, severity, key): &(&str, &str, &str)| {
            let finding = json!({"check": check, "severity": severity, "action": "warn", "message": "why", "resource": {}, "path": ["spec", key]});
            serde_json::from_value(finding).unwrap()
        };
        let reference = ResourceRef {
            api_version: "postgresql.cnpg.io/v1".to_owned(),
            kind: "Cluster".to_owned(),
            namespace: "shop".to_owned(),
            name: "orders".to_owned(),
        };
        let findings = found.iter().map(finding).collect();
        Verdict { reference, uid: "1-2".to_owned(), findings, failure: failure.map(str::to_owned) }
    }

    fn written(found: &[(&str, &str, &str)], failure: Option<&str>) -> Json {
        let api = ApiResource {
            group: "openreports.io".to_owned(),
            version: "v1alpha1".to_owned(),
            api_version: "openreports.io/v1alpha1".to_owned(),
            kind: "Report".to_owned(),
            plural: "reports".to_owned(),
        };
        report(&api, &verdict(found, failure), Some("in part"))
    }

    #[test]
    fn a_report_says_whose_it_is_and_what_was_found() {
        let report = written(&[("a/b", "error", "x"), ("a/c", "warning", "y"), ("d/e", "info", "z")], Some("broken"));
        assert_eq!(report["summary"], json!({"pass": 0, "fail": 1, "warn": 2, "error": 1, "skip": 0}));
        assert_eq!(report["metadata"]["name"], "walguard-1-2");
        assert_eq!(report["metadata"]["ownerReferences"][0]["uid"], "1-2");
        assert_eq!(report["scope"]["namespace"], "shop");
        let result = &report["results"][0];
        assert_eq!((&result["policy"], &result["category"]), (&json!("a/b"), &json!("a")));
        assert_eq!((&result["result"], &result["severity"]), (&json!("fail"), &json!("high")));
        assert_eq!(result["properties"]["field"], "spec.x");
        assert_eq!(result["properties"]["judgedInPart"], "in part");
        assert_eq!(checks(&report), BTreeSet::from(["a/b".to_owned(), "a/c".to_owned()]));
    }

    #[test]
    fn what_is_waived_is_skipped() {
        let mut waived = verdict(&[("a/b", "error", "x")], None);
        waived.findings[0].waived = Some(Waived {
            reason: "because".to_owned(),
            owner: "us".to_owned(),
            expires: "2030".to_owned(),
            waiver: Some(0),
            comment: None,
        });
        let result = result(&waived.findings[0], &Json::Null, None);
        assert_eq!((&result["result"], &result["severity"]), (&json!("skip"), &json!("high")));
        assert_eq!(result["properties"]["waived"], "because (us, until 2030)");
        assert_eq!(checks(&json!({"results": [result]})), BTreeSet::new());
    }

    #[test]
    fn what_is_found_again_was_found_first() {
        let mut old = written(&[("a/b", "error", "x")], None);
        old["results"][0]["timestamp"] = json!({"seconds": 1, "nanos": 0});
        old["metadata"]["resourceVersion"] = "7".into();
        let mut same = written(&[("a/b", "error", "x")], None);
        assert!(!says_the_same(&same, &old));
        keep_times(&mut same, &old);
        assert!(says_the_same(&same, &old));

        let mut more = written(&[("a/b", "error", "x"), ("a/b", "error", "y")], None);
        keep_times(&mut more, &old);
        assert!(!says_the_same(&more, &old));
        assert_eq!(more["results"][0]["timestamp"]["seconds"], 1);
        assert_ne!(more["results"][1]["timestamp"]["seconds"], 1);
    }
}
