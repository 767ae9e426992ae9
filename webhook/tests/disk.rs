//! `walguard disk`: what is said of a disk, of its sizes, and of one that nobody knows.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Place;
use serde_json::json;

fn seen(arguments: &[&str]) -> String {
    Place::new(&[]).run(&[&["disk"], arguments].concat()).seen()
}

#[test]
fn one_size() {
    insta::assert_snapshot!(seen(&["ali-essd-pl1:300Gi", "--cpu", "16"]));
}

#[test]
fn sizes_are_compared() {
    insta::assert_snapshot!(seen(&["ali-essd-pl1"]));
}

#[test]
fn size_without_effect() {
    insta::assert_snapshot!(seen(&["aws-gp3:1Ti:iops=6000,throughput=500", "aws-gp3"]));
}

#[test]
fn all_are_listed() {
    let place = Place::new(&[]);
    let text = place.run(&["disk"]).seen();
    let json = place.run(&["disk", "--format", "json"]).json();
    let disks = json["disks"].as_array().unwrap();
    assert!(disks.len() > 20, "{json}");
    for disk in disks {
        let line = text.lines().find(|line| line.split_whitespace().next() == disk["name"].as_str()).unwrap();
        assert!(line.contains(disk["title"].as_str().unwrap()), "{line}");
    }
}

#[test]
fn programs_read_numbers() {
    let json = Place::new(&[]).run(&["disk", "ali-essd-pl1", "--format", "json"]).json();
    let sizes = json["disks"][0]["sizes"].as_array().unwrap();
    let at = |gib: u64| sizes.iter().find(|size| size["size_bytes"] == json!(gib << 30)).unwrap();
    assert_eq!(at(300)["throughput_bytes_per_second"], json!(270_000_000));
    assert_eq!(at(1000)["throughput_bytes_per_second"], json!(350_000_000));
}

#[test]
fn the_configuration_says_what_a_core_demands() {
    let config = "version: 1\nchecks:\n  storage/bandwidth_below_demand:\n    settings:\n      mbps_per_core: 27\n";
    let place = Place::new(&[("walguard.yaml", config)]);
    let json = place.run(&["disk", "ali-essd-pl1:300Gi", "--format", "json"]).json();
    assert_eq!(json["disks"][0]["cores"], json!(10));
}

#[test]
fn what_cannot_be_read_is_named() {
    let errors = [
        (&["ali-essd-pl4:300Gi"][..], "ali-essd-pl4 is not a known disk, did you mean"),
        (&["aws-gp3:large"], "cannot read size \"large\""),
        (&["aws-gp3:"], "cannot read size"),
        (&["300Gi"], "300Gi is not a known disk"),
        (&["aws-gp3:1Ti:iops"], "iops is not KEY=VALUE"),
        (&["aws-gp3:1Ti", "--cpu", "many"], "--cpu: cannot read size \"many\""),
    ];
    for (arguments, message) in errors {
        let text = seen(arguments);
        assert!(text.contains(message) && text.ends_with("exit 2"), "{arguments:?}\n{text}");
    }
}

/// A result of fio, and the logs of the job that `kubectl cnpg fio` runs.
fn fio(name: &str) -> String {
    common::root().join("webhook/tests/fio").join(name).display().to_string()
}

#[test]
fn what_fio_measured_counts_instead_of_the_table() {
    insta::assert_snapshot!(seen(&["aws-gp3:300Gi", "--cpu", "16", "--fio", &fio("result.json")]));
    insta::assert_snapshot!(seen(&["--fio", &fio("read_bw.1.log"), "--fio", &fio("read_iops.1.log"), "--cpu", "4"]));
}

#[test]
fn jobs_that_ran_together_add_up() {
    let job = |group: u64, bytes: u64, iops: u64| {
        let idle = json!({"bw": 0, "bw_bytes": 0, "iops": 0, "runtime": 0});
        let write = json!({"bw": bytes / 1024, "bw_bytes": bytes, "iops": iops, "runtime": 700_000});
        json!({"jobname": "j", "groupid": group, "error": 0, "job options": {"direct": "1"}, "read": idle, "write": write})
    };
    let result = json!({"fio version": "fio-3.33", "jobs": [job(0, 100_000_000, 400), job(0, 50_000_000, 200), job(1, 40_000_000, 5000)]});
    let place = Place::new(&[("result.json", &format!("note: a line before\n{result}"))]);
    let json = place.run(&["disk", "--fio", "result.json", "--format", "json"]).json();
    assert_eq!(json["disks"][0]["throughput_bytes_per_second"], json!(150_000_000));
    assert_eq!(json["disks"][0]["iops"], json!(5000));
    assert_eq!(json["disks"][0]["measured"], "measured by fio: writing, blocks of 244.1Ki, 700 s");
}

#[test]
fn what_is_no_result_of_fio_is_named() {
    let idle = r#"{"bw": 0, "bw_bytes": 0, "iops": 0, "runtime": 0}"#;
    let one =
        |error: u8| format!(r#"{{"jobs": [{{"jobname": "wal", "error": {error}, "read": {idle}, "write": {idle}}}]}}"#);
    let cases = [
        ("result.json", String::new(), "--fio result.json: not a result of fio: expected its JSON"),
        ("result.json", "write: IOPS=15, BW=63.6MiB/s\n".to_owned(), "not a result of fio: expected its JSON"),
        ("result.json", r#"{"a": 1}"#.to_owned(), "missing field `jobs`"),
        ("result.json", r#"{"jobs": [{"jobname": "x"}]}"#.to_owned(), "missing field `read`"),
        ("result.json", one(0), "no job read or wrote anything"),
        ("result.json", one(28), "job wal ended with error 28"),
        ("read.log", "1000, 5, 0, 0, 0\n".to_owned(), "a log of fio has its unit in its name"),
        ("read_iops.1.log", "1000, 5, 0, 0, 0\n".to_owned(), "IOPS alone"),
        ("read_bw.1.log", "1000, 5, 2, 0, 0\n".to_owned(), "no job read or wrote anything"),
    ];
    for (name, text, message) in cases {
        let seen = Place::new(&[(name, &text)]).run(&["disk", "--fio", name]).seen();
        assert!(seen.contains(message) && seen.ends_with("exit 2"), "{text}\n{seen}");
    }
    assert!(
        seen(&["--fio", "nowhere.json"]).contains("--fio nowhere.json: No such file"),
        "{}",
        seen(&["--fio", "nowhere.json"])
    );
    let two = seen(&["aws-gp3:1Ti", "aws-gp2:1Ti", "--fio", &fio("result.json")]);
    assert!(two.contains("--fio is about one volume"), "{two}");
}
