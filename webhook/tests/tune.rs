//! `walguard tune`: what it proposes is consistent, lints clean, and is put into the text of manifests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;

use common::Place;
use serde_json::{Value as Json, json};
use walguard_engine::{Engine, Finding, Inventory, Review, Rules, Severity, value};

const CLUSTER: &str = "\
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata:
  name: orders
  namespace: prod
spec:
  instances: 3
  imageName: ghcr.io/cloudnative-pg/postgresql:17.6 # pinned
  storage:
    size: 500Gi
    storageClass: fast
  resources:
    requests: {cpu: \"8\", memory: 32Gi}
    limits: {cpu: \"8\", memory: 32Gi}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: ebs.csi.aws.com
parameters: {type: gp3, throughput: \"500\", iops: \"6000\"}
";

// --------------------------------------------------------------------------------------------------- the property

/// Findings that no parameter cures: they are about backups, images, and the disks themselves.
const NOT_OF_PARAMETERS: [&str; 3] = ["backup/", "image/", "storage/"];
/// The operator's supported versions, and a disk that fills even 16 MB too slowly.
const NOT_CURED: [&str; 2] = ["parameters/operator_refuses", "wal/init_zero_stall"];

/// Numbers that look random and are the same in every run (xorshift).
struct Dice(u64);

impl Dice {
    fn up_to(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.up_to(list.len())]
    }
}

/// The rules, asked as the command asks them.
struct Desk {
    engine: Engine,
}

impl Desk {
    fn ask(&mut self, rule: &str, input: Json) -> Json {
        let answer = self.engine.evaluate_rule(&format!("walguard.tune.{rule}"), &value(input)).unwrap();
        serde_json::to_value(&answer).unwrap()
    }

    /// The objects for a machine with parameters, and what is in sight of them; None where the operator has no place for them.
    fn manifest(&mut self, machine: &Json, parameters: &Json) -> Option<(Vec<Json>, Inventory)> {
        let mut asked = machine.clone();
        asked["parameters"] = parameters.clone();
        let manifest = self.ask("manifest", json!({"tune": asked}));
        if manifest["refusal"].is_string() {
            return None;
        }
        let objects = manifest["objects"].as_array().unwrap_or_else(|| panic!("{machine}: {manifest}")).clone();
        let mut inventory = Inventory::new(false);
        for object in &objects {
            inventory.insert(object, &value(object.clone()));
        }
        Some((objects, inventory))
    }

    /// The parameters that are proposed, and those of them that are not there yet.
    fn proposed(&mut self, machine: &Json, objects: &[Json], inventory: &Inventory) -> (Json, Vec<Json>) {
        let tune = json!({"workload": machine["workload"], "connections": machine["connections"]});
        let input = json!({"review": {"object": objects[0]}, "inventory": inventory.value(), "tune": tune});
        let proposal = self.ask("proposal", input);
        let all = proposal["parameters"].as_array().unwrap_or_else(|| panic!("{machine}: nothing is proposed")).clone();
        let changed = all.into_iter().filter(|parameter| parameter["same"] != true).collect();
        (proposal, changed)
    }

    fn findings(&mut self, objects: &[Json], inventory: &Inventory) -> Vec<Finding> {
        let judged = objects.iter().filter(|object| object["kind"] != "StorageClass");
        judged
            .flat_map(|object| {
                let request = value(json!({"object": object}));
                let review = Review { request, inventory: Some(inventory.value()), configuration: None, now: None };
                self.engine.judge(&review).unwrap()
            })
            .collect()
    }
}

fn machine(dice: &mut Dice, targets: &[Json], disks: &[Json]) -> Json {
    let cpu = ["500m", "1", "2", "3", "4", "8", "16", "32", "64", "96", "128"];
    let memory = [
        "256Mi", "512Mi", "1Gi", "2Gi", "3Gi", "4Gi", "7Gi", "8Gi", "16Gi", "31Gi", "64Gi", "100G", "250Gi", "512Gi",
        "1Ti",
    ];
    let sizes = ["1Gi", "5Gi", "10Gi", "20Gi", "50Gi", "100Gi", "250Gi", "500Gi", "1Ti", "2Ti", "8Ti", "32Ti"];
    let volume = |dice: &mut Dice| {
        let mut volume = json!({"size": dice.pick(&sizes)});
        if dice.up_to(10) > 0 {
            volume["disk"] = dice.pick(disks).clone();
        }
        if dice.up_to(3) == 0 {
            volume["filesystem"] = json!(dice.pick(&["ext4", "xfs"]));
        }
        volume
    };
    let mut machine = json!({
        "target": dice.pick(targets),
        "version": (12 + dice.up_to(7)).to_string(),
        "cpu": dice.pick(&cpu),
        "memory": dice.pick(&memory),
        "workload": dice.pick(&["oltp", "web", "dw", "mixed"]),
        "data": volume(dice),
    });
    if dice.up_to(5) < 2 {
        machine["wal"] = volume(dice);
    }
    if dice.up_to(5) < 2 {
        machine["connections"] = json!(dice.pick(&[10, 40, 100, 300, 499, 500, 1000, 5000]));
    }
    machine
}

/// What is proposed for a machine has no finding from warning on that a parameter would cure, and nothing is left to propose.
/// WALGUARD_TUNE says for how many machines this is tried.
#[test]
fn what_is_proposed_lints_clean() {
    let wanted: usize = std::env::var("WALGUARD_TUNE").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let mut desk = Desk { engine: Engine::new(&Rules::embedded()).unwrap() };
    let targets = desk.ask("targets", json!({})).as_array().unwrap().clone();
    let names = desk.engine.evaluate_rule("walguard.disks.names", &value(json!({}))).unwrap();
    let disks = serde_json::to_value(&names).unwrap().as_array().unwrap().clone();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut done = 0;
    while done < wanted {
        let machine = machine(&mut dice, &targets, &disks);
        let Some((objects, inventory)) = desk.manifest(&machine, &json!([])) else { continue };
        done += 1;
        *seen.entry((machine["target"].to_string(), machine["version"].to_string())).or_default() += 1;
        let (proposal, changed) = desk.proposed(&machine, &objects, &inventory);
        assert!(changed.len() > 3, "{machine}: {proposal}");
        let (tuned, inventory) = desk.manifest(&machine, &json!(changed)).unwrap();
        for finding in desk.findings(&tuned, &inventory) {
            let other = NOT_OF_PARAMETERS.iter().any(|area| finding.check.starts_with(area));
            let cured = finding.severity < Severity::Warning || other || NOT_CURED.contains(&finding.check.as_str());
            assert!(cured, "{machine}: {}: {}\n{tuned:#?}", finding.check, finding.message);
        }
        let (_, again) = desk.proposed(&machine, &tuned, &inventory);
        assert!(again.is_empty(), "{machine}: proposed anew: {again:?}");
    }
    if wanted >= 2000 {
        assert_eq!(seen.len(), targets.len() * 7, "{seen:?}");
    }
}

// --------------------------------------------------------------------------------------------------------- pgtune

/// What pgtune (le0pard/pgtune at 7caef27, configurationSlice.js) writes for Linux and an SSD, as far as it is compared in docs/tune.md.
fn pgtune(memory_mib: u64, connections: u64, cores: u64, kind: &str) -> String {
    let kib = memory_mib * 1024;
    let buffers = kib / 4;
    let processes = if cores < 4 { 8 } else { cores };
    let per_use = (kib - buffers) / ((connections + processes) * 3);
    let work = (if kind == "dw" { per_use / 2 } else { per_use }).max(4096);
    let (least, most) = match kind {
        "dw" => ("4GB", "16GB"),
        "oltp" => ("2GB", "8GB"),
        _ => ("1GB", "4GB"),
    };
    let maintenance = (kib / if kind == "dw" { 8 } else { 16 }).min(8 << 20);
    format!(
        "max_connections = {connections}\nshared_buffers = {buffers}kB\nwork_mem = {work}kB\nmaintenance_work_mem = {maintenance}kB\n\
         min_wal_size = {least}\nmax_wal_size = {most}\ncheckpoint_completion_target = 0.9\n"
    )
}

/// The cases of docs/tune.md: what pgtune proposes is reported, what is proposed here is not.
#[test]
fn pgtune_side_by_side() {
    for (conf, machine, check) in [
        (
            pgtune(2048, 1000, 2, "web"),
            ["--cpu", "2", "--memory", "2Gi", "--disk", "aws-gp3:100Gi"],
            "memory/overcommit",
        ),
        (
            pgtune(16384, 40, 4, "dw"),
            ["--cpu", "4", "--memory", "16Gi", "--disk", "aws-gp3:20Gi"],
            "wal/max_wal_vs_volume",
        ),
        (
            pgtune(8192, 300, 2, "oltp"),
            ["--cpu", "2", "--memory", "8Gi", "--disk", "aws-gp3:8Gi"],
            "wal/max_wal_vs_volume",
        ),
    ] {
        let place = Place::new(&[("postgresql.conf", &conf)]);
        let lint = |place: &Place| {
            let run = place
                .run(&[&["lint", "--format", "json", "--pg-version", "18", "postgresql.conf"], &machine[..]].concat());
            let found = run.json()["findings"].as_array().unwrap().clone();
            let serious = found.into_iter().filter(|finding| finding["severity"] != "info");
            serious.map(|finding| finding["check"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert!(lint(&place).iter().any(|found| found == check), "{conf}: {:?}", lint(&place));
        let tuned = place.run(&[&["tune", "--workload", "oltp"], &machine[..]].concat());
        place.write("postgresql.conf", &tuned.stdout);
        assert_eq!(lint(&place), Vec::<String>::new(), "{}", tuned.stdout);
    }
}

// ---------------------------------------------------------------------------------------------------- the command

#[test]
fn a_manifest_gets_a_patch_that_applies() {
    let place = Place::new(&[("orders.yaml", CLUSTER)]);
    let run = place.run(&["tune", "--workload", "oltp", "orders.yaml"]);
    insta::assert_snapshot!(run.seen());
    place.write("tune.patch", &run.stdout);
    let patch =
        std::process::Command::new("git").args(["apply", "tune.patch"]).current_dir(place.path()).status().unwrap();
    assert!(patch.success());
    let again = place.run(&["tune", "--workload", "oltp", "orders.yaml"]);
    assert!(again.stdout.contains("orders: 0 parameters to change"), "{}", again.stdout);
    let lint =
        place.run(&["lint", "--select", "memory/,wal/,checkpoint/,connections/,parameters/,vacuum/", "orders.yaml"]);
    assert_eq!(lint.code, Some(0), "{}", lint.stdout);
}

#[test]
fn a_machine_gets_a_manifest() {
    let machine = ["tune", "--cpu", "16", "--memory", "64Gi", "--disk", "ali-essd-pl1:300Gi", "--workload", "oltp"];
    let place = Place::new(&[]);
    insta::assert_snapshot!(place.run(&[&machine[..], &["-o", "zalando", "--pg-version", "17"]].concat()).seen());
    insta::assert_snapshot!(place.run(&[&machine[..], &["--explain"]].concat()).seen());
    let json = place.run(&[&machine[..], &["--format", "json"]].concat()).json();
    assert_eq!(json["clusters"][0]["workload"], "oltp");
    let buffers =
        json["clusters"][0]["parameters"].as_array().unwrap().iter().find(|row| row["name"] == "shared_buffers");
    assert_eq!(buffers.unwrap()["value"], "16GB");
}

#[test]
fn a_filesystem_alone_makes_no_volume() {
    let place = Place::new(&[]);
    for target in ["cnpg", "zalando", "crunchy", "conf"] {
        let machine = ["tune", "--cpu", "4", "--memory", "16Gi", "-o", target];
        let with = place.run(&[&machine[..], &["--filesystem", "xfs"]].concat());
        assert_eq!(with.seen(), place.run(&machine).seen());
        assert!(with.code == Some(0) && !with.stdout.contains("{}"), "{}", with.seen());
    }
}

/// Who names a cluster writes no line of the patch that somebody applies.
#[test]
fn a_name_cannot_add_to_the_patch() {
    let name = r#"name: "a\n--- a/ours\n+++ b/ours\n\e[2J""#;
    assert!(CLUSTER.contains("name: orders"));
    let hostile = CLUSTER.replacen("name: orders", name, 1);
    let run = Place::new(&[("a.yaml", &hostile)]).run(&["tune", "--explain", "a.yaml"]);
    assert!(run.stdout.starts_with("# CloudNativePG prod/a --- a/ours +++ b/ours"), "{}", run.stdout);
    assert!(!run.stdout.contains("\n--- a/ours") && !run.stdout.contains('\u{1b}'), "{}", run.stdout);
}

/// Where the parameters stand in a text of their own, their lines are said.
#[test]
fn what_has_no_place_is_said() {
    let cluster = "\
apiVersion: kubegres.reactive-tech.io/v1
kind: Kubegres
metadata: {name: a}
spec:
  replicas: 1
  image: postgres:17
  customConfig: conf
  database: {size: 100Gi}
  resources: {limits: {cpu: 2, memory: 4Gi}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data:
  postgres.conf: |
    shared_buffers = 128MB
";
    let run = Place::new(&[("a.yaml", cluster)]).run(&["tune", "a.yaml"]);
    assert!(run.stdout.contains("#   shared_buffers = '1GB'\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("---"), "{}", run.stdout);
}

#[test]
fn what_cannot_be_tuned_is_named() {
    let errors = [
        vec!["tune"],
        vec!["tune", "--memory", "64GB"],
        vec!["tune", "--cpu", "4", "-o", "cnpq"],
        vec!["tune", "--cpu", "4", "--disk", "aws-gp4:10Gi"],
        vec!["tune", "--cpu", "4", "--disk", "10Gi", "--wal-disk", "10Gi", "-o", "zalando"],
        vec!["tune", "--cpu", "4", "a.yaml"],
        vec!["tune", "postgresql.conf"],
        vec!["tune", "class.yaml"],
    ];
    let place = Place::new(&[
        ("a.yaml", CLUSTER),
        ("postgresql.conf", "work_mem = 4MB\n"),
        ("class.yaml", CLUSTER.split_once("---\n").unwrap().1),
    ]);
    let seen: Vec<String> = errors.iter().map(|arguments| place.run(arguments).seen()).collect();
    insta::assert_snapshot!(seen.join("\n"));
}
