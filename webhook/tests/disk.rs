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
