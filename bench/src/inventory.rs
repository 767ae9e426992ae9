//! What other objects cost: `walguard serve` in a cluster with fifty thousand of them, beside one in an empty cluster.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};
use walguard_engine::{Engine, Inventory, Rules};

use crate::apiserver::{self, Resource};
use crate::cases::Case;
use crate::serve::{self, Turns};
use crate::table::{Goal, Table};
use crate::{Tools, measure};

const CLUSTERS: usize = 5000;
const BACKUPS_OF_EACH: usize = 9;
const NAMESPACES: usize = 100;
/// The cases under review, of which one has backups and one has none; and what the clusters there are like.
const REVIEWED: [&str; 2] = ["cnpg-bad", "cnpg-healthy"];
const THERE: &str = "cnpg-healthy";

/// Measures reviews and memory.
///
/// # Errors
/// When a server does not start or does not answer.
pub fn run(tools: &Tools, cases: &[Case], rounds: u32) -> Result<(Table, Vec<Goal>)> {
    let case = |name| cases.iter().find(|case| case.name == name).with_context(|| format!("no case {name}"));
    let there: Json = serde_json::from_str(&case(THERE)?.body)?;
    let there = &there["request"]["object"];
    let classes: Vec<Json> =
        cases.iter().flat_map(|case| &case.others).filter(|other| other["kind"] == "StorageClass").cloned().collect();

    let mut table = Table::new(
        format!(
            "A review in sight of other objects: CloudNativePG, {CLUSTERS} clusters with {BACKUPS_OF_EACH} backups each"
        ),
        &["", "inventory", "median over TLS", "p99", "CPU of the server", "median in the process", "memory", "at most"],
    );
    let contents = [("empty", 0), ("50,000 objects", CLUSTERS)];
    let places = [tempfile::tempdir()?, tempfile::tempdir()?];
    let mut servers = Vec::new();
    for ((_, clusters), place) in contents.iter().zip(&places) {
        let kubeconfig = place.path().join("kubeconfig");
        apiserver::start(resources(there, &classes, *clusters), &kubeconfig)?;
        servers.push(serve::walguard(tools, place.path(), Some(&kubeconfig))?);
    }
    let (mut worst, mut resident) = (0.0_f64, 0);
    for name in REVIEWED {
        let body = in_the_midst(case(name)?)?;
        let mut turns = [Turns::default(), Turns::default()];
        for _ in 0..rounds {
            for (server, turns) in servers.iter().zip(&mut turns) {
                turns.add(server, &body)?;
            }
        }
        let mut medians = [Duration::ZERO; 2];
        for (index, (inventory, clusters)) in contents.iter().enumerate() {
            let turns = &turns[index];
            let (now, most) = measure::memory_of(servers[index].id())?;
            medians[index] = measure::median(turns.latencies.clone());
            resident = resident.max(now);
            table.rows.push(vec![
                name.to_owned(),
                (*inventory).to_owned(),
                measure::text(medians[index]),
                measure::text(measure::p99(turns.latencies.clone())),
                measure::text(measure::medians(&turns.costs).cpu),
                measure::text(in_process(&resources(there, &classes, *clusters), &body)?),
                measure::mebibytes(now),
                measure::mebibytes(most),
            ]);
        }
        worst = worst.max(medians[1].as_secs_f64() / medians[0].as_secs_f64());
    }
    table.notes.push("The API server is one that answers from memory.".to_owned());
    let goals = vec![
        Goal {
            what: "a review in sight of 50,000 objects, against an empty inventory",
            goal: "≤ 1.2×".to_owned(),
            measured: format!("{worst:.2}×"),
            met: worst <= 1.2,
        },
        Goal {
            what: "resident memory with 50,000 objects",
            goal: "≤ 150 MiB".to_owned(),
            measured: measure::mebibytes(resident),
            met: resident <= 150 << 20,
        },
    ];
    Ok((table, goals))
}

/// A review of the case in a namespace with others.
fn in_the_midst(case: &Case) -> Result<Vec<u8>> {
    let mut body: Json = serde_json::from_str(&case.body)?;
    let request = &mut body["request"];
    request["namespace"] = json!(namespace(7));
    request["object"]["metadata"]["namespace"] = json!(namespace(7));
    Ok(body.to_string().into_bytes())
}

/// The median of a review in this process.
fn in_process(resources: &[Resource], body: &[u8]) -> Result<Duration> {
    let mut inventory = Inventory::live();
    for resource in resources {
        for object in &resource.objects {
            let text = |pointer: &str| object.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
            let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
            let mut typed = object.clone();
            (typed["apiVersion"], typed["kind"]) = (json!(resource.api_version), json!(resource.kind));
            inventory.place_object(
                resource.api_version,
                resource.kind,
                namespace,
                name,
                &walguard_engine::value(typed),
            );
        }
    }
    inventory.set_complete(true);
    let direct = walguard::serve::Direct::new(Engine::new(&Rules::embedded())?, inventory.value());
    Ok(measure::median(crate::review::singly(&direct, body)?))
}

fn namespace(number: usize) -> String {
    format!("team-{}", number % NAMESPACES)
}

/// The kinds of a cluster with CloudNativePG, with so many clusters and their backups.
fn resources(template: &Json, classes: &[Json], clusters: usize) -> Vec<Resource> {
    let resource =
        |api_version, kind, plural, namespaced, objects| Resource { api_version, kind, plural, namespaced, objects };
    let named = (0..clusters.min(NAMESPACES)).map(|number| {
        let name = namespace(number);
        json!({"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}, "resourceVersion": "1"}})
    });
    let backups = (0..clusters).flat_map(|number| (0..BACKUPS_OF_EACH).map(move |backup| self::backup(number, backup)));
    vec![
        resource("v1", "Namespace", "namespaces", false, named.collect()),
        resource("storage.k8s.io/v1", "StorageClass", "storageclasses", false, classes.to_vec()),
        resource(
            "postgresql.cnpg.io/v1",
            "Cluster",
            "clusters",
            true,
            (0..clusters).map(|n| cluster(template, n)).collect(),
        ),
        resource("postgresql.cnpg.io/v1", "Backup", "backups", true, backups.collect()),
    ]
}

/// A cluster as its operator leaves it.
fn cluster(template: &Json, number: usize) -> Json {
    let mut cluster = template.clone();
    let name = format!("pg-{number}");
    cluster["metadata"] = json!({
        "name": name, "namespace": namespace(number), "uid": uid(number), "generation": 3, "resourceVersion": "1",
        "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app.kubernetes.io/part-of": "shop", "team": "payments"},
        "managedFields": [managed("argocd-controller"), managed("manager")],
    });
    cluster["status"] = json!({
        "phase": "Cluster in healthy state", "currentPrimary": format!("{name}-1"), "instances": 3, "readyInstances": 3,
        "certificates": {"clientCASecret": format!("{name}-ca"), "expirations": {format!("{name}-ca"): "2027-01-01 00:00:00 +0000 UTC"}},
        "topology": {"instances": {format!("{name}-1"): {}, format!("{name}-2"): {}, format!("{name}-3"): {}}, "nodesUsed": 3},
    });
    cluster
}

/// A backup that was completed, with what its operator writes down.
fn backup(cluster: usize, number: usize) -> Json {
    let (name, day) = (format!("pg-{cluster}"), number + 1);
    json!({
        "metadata": {
            "name": format!("{name}-{number}"), "namespace": namespace(cluster), "uid": uid(1_000_000 + 10 * cluster + number),
            "generation": 1, "resourceVersion": "1", "creationTimestamp": format!("2026-11-{day:02}T00:00:00Z"),
            "labels": {"cnpg.io/cluster": name, "cnpg.io/scheduled-backup": name, "cnpg.io/immediateBackup": "false"},
            "ownerReferences": [{"apiVersion": "postgresql.cnpg.io/v1", "kind": "ScheduledBackup", "name": name, "uid": uid(cluster), "controller": true}],
            "managedFields": [managed("manager")],
        },
        "spec": {"cluster": {"name": name}, "method": "plugin", "target": "prefer-standby",
            "pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io"}},
        "status": {
            "phase": "completed", "method": "plugin", "startedAt": format!("2026-11-{day:02}T00:00:00Z"), "stoppedAt": format!("2026-11-{day:02}T00:05:00Z"),
            "backupId": format!("202611{day:02}T000000"), "backupName": format!("backup-202611{day:02}000000"), "beginLSN": "0/6000028",
            "endLSN": "0/6000138", "beginWal": "000000010000000000000006", "endWal": "000000010000000000000006", "serverName": name,
            "destinationPath": "s3://backups/", "instanceID": {"ContainerID": "containerd://0000", "podName": format!("{name}-2")},
            "backupLabelFile": "U1RBUlQgV0FMIExPQ0FUSU9O".repeat(20),
        },
    })
}

fn uid(number: usize) -> String {
    format!("705ab4f5-6393-11e8-b7cc-{number:012}")
}

/// Who set which fields: much of what an API server sends.
fn managed(manager: &str) -> Json {
    json!({"manager": manager, "operation": "Update", "apiVersion": "postgresql.cnpg.io/v1", "time": "2026-11-01T00:00:00Z", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:cnpg.io/cluster": {}}}, "f:spec": {".": {}, "f:cluster": {}, "f:method": {}, "f:target": {}},
            "f:status": {".": {}, "f:phase": {}, "f:startedAt": {}, "f:stoppedAt": {}, "f:beginLSN": {}, "f:endLSN": {}}}})
}
