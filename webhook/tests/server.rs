//! `walguard lint postgresql.conf`: which files are read in which order, what the flags say, where findings point.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Place, Run};
use serde_json::{Value, json};

const CONF: &str = "postgresql.conf";

/// The findings as [check, file, line].
fn places(run: &Run) -> Vec<Value> {
    let json = run.json();
    let findings = json["findings"].as_array().unwrap();
    let mut places: Vec<Value> = findings.iter().map(|f| json!([f["check"], f["file"], f["line"]])).collect();
    places.sort_by_key(ToString::to_string);
    places
}

/// The errors as [file, line, message].
fn errors(run: &Run) -> Vec<Value> {
    run.json()["errors"].as_array().unwrap().iter().map(|e| json!([e["file"], e["line"], e["message"]])).collect()
}

fn lint(place: &Place, arguments: &[&str]) -> Run {
    let run = place.run(&[&["lint", "--format", "json"], arguments].concat());
    assert!(!run.stdout.is_empty(), "{}", run.seen());
    run
}

#[test]
fn people_see_the_line() {
    let place = Place::new(&[(CONF, "jit = on\n\nfull_page_writes = off   # faster\n")]);
    let seen = place.run(&["lint", CONF, "--filesystem", "xfs"]);
    assert_eq!(seen.code, Some(1), "{}", seen.seen());
    for part in [
        "error[durability/full_page_writes]",
        "--> postgresql.conf:3:1",
        "3 | full_page_writes = off   # faster",
        "full_page_writes=off on xfs: a crash can leave half-written pages",
        "in 1 document (1 PostgreSQL cluster)",
    ] {
        let text =
            seen.stdout.split_whitespace().collect::<Vec<_>>().join(" ").replace(" | = ", " ").replace("\n", " ");
        let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&part), "{part:?} is not in\n{}", seen.stdout);
    }
}

#[test]
fn files_are_read_as_the_server_reads_them() {
    let place = Place::new(&[
        (
            CONF,
            "fsync = off\ninclude_dir 'conf.d'\ninclude_if_exists = 'none.conf'\nautovacuum = off\ninclude 'last.conf'\n",
        ),
        ("conf.d/b.conf", "fsync = on\n"),
        ("conf.d/a.conf", "# first\nfsync = off\nautovacuum = on\n"),
        ("conf.d/.hidden.conf", "fsync = off\n"),
        ("conf.d/c.txt", "fsync = off\n"),
        ("conf.d/d.conf/x.conf", "fsync = off\n"),
        ("last.conf", "include 'sub/more.conf'\n"),
        ("sub/more.conf", "\nfull_page_writes = off\n"),
        ("postgresql.auto.conf", "# ALTER SYSTEM\nenable_seqscan = 'perhaps'\n"),
    ]);
    let run = lint(&place, &[CONF]);
    assert_eq!(
        places(&run),
        [
            json!(["durability/full_page_writes", "sub/more.conf", 2]),
            json!(["parameters/invalid_value", "postgresql.auto.conf", 2]),
            json!(["vacuum/autovacuum_off", CONF, 4]),
        ]
    );
    assert_eq!(errors(&run), Vec::<Value>::new());

    // ALTER SYSTEM has the last word.
    place.write("postgresql.auto.conf", "full_page_writes = 'on'\nautovacuum = 'on'");
    let overruled = places(&lint(&place, &[CONF]));
    assert_eq!(overruled.iter().filter(|found| found[0] != "parameters/duplicate").count(), 0, "{overruled:?}");
    assert_eq!(overruled.len(), 2, "{overruled:?}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Place::new(&[
        (CONF, "jit = on\ninclude 'missing.conf'\ninclude_dir 'nowhere'\ninclude ''\nfsync = off\n"),
        ("self.d/postgresql.conf", "fsync = off\ninclude 'postgresql.conf'\n"),
        ("two.d/postgresql.conf", "include 'a.conf'\ninclude 'a.conf'\n"),
        ("two.d/a.conf", "include 'postgresql.conf'\n"),
    ]);
    let run = lint(&place, &[CONF]);
    assert_eq!(run.code, Some(2));
    let errors_of = errors(&run);
    let seen: Vec<(Option<&str>, Option<u64>)> = errors_of.iter().map(|e| (e[0].as_str(), e[1].as_u64())).collect();
    assert_eq!(seen, [(Some(CONF), Some(2)), (Some(CONF), Some(3)), (Some(CONF), Some(4))]);
    let first = errors_of[0][2].as_str().unwrap();
    assert!(first.starts_with("include missing.conf: ") && first.contains("the server does not start"), "{first}");
    // The rest is judged; what the missing files may set is not taken for default.
    assert_eq!(places(&run), [json!(["durability/fsync", CONF, 5])]);

    for directory in ["self.d", "two.d"] {
        let run = lint(&place, &[&format!("{directory}/{CONF}")]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert_eq!(errors(&run).len(), 1, "{}", run.seen());
        let message = errors(&run)[0][2].as_str().unwrap().to_owned();
        assert!(message.contains("more than 10 deep") || message.contains("more than 1000 files"), "{message}");
    }
    let gone = lint(&place, &["gone.conf"]);
    assert_eq!((gone.code, errors(&gone).len()), (Some(2), 1));
}

#[test]
fn the_flags_describe_the_machine() {
    let place = Place::new(&[(CONF, "jit = on\nio_method = worker\nshared_buffers = 32GB\n")]);
    let machine = [
        "--pg-version",
        "16",
        "--cpu",
        "16",
        "--memory",
        "24Gi",
        "--disk",
        "ali-essd-pl1:300Gi",
        "--filesystem",
        "xfs",
    ];
    let run = lint(&place, &[&[CONF], &machine[..]].concat());
    let found = places(&run);
    for wanted in [
        json!(["storage/bandwidth_below_demand", CONF, 1]),
        json!(["parameters/too_new", CONF, 2]),
        json!(["memory/shared_buffers_exceeds", CONF, 3]),
    ] {
        assert!(found.contains(&wanted), "{wanted} is not in {found:?}");
    }
    let json = run.json();
    let bandwidth =
        json["findings"].as_array().unwrap().iter().find(|f| f["check"] == "storage/bandwidth_below_demand").unwrap();
    assert!(bandwidth["message"].as_str().unwrap().contains("300Gi of ESSD PL1 gives 270 MB/s"), "{bandwidth}");
    assert_eq!(bandwidth["path"], json!(["spec", "volumes", "data", "size"]));

    // What was bought counts, and a WAL disk takes half of the load.
    let bought = ["--cpu", "16", "--disk", "aws-gp3:1Ti:throughput=500,iops=6000", "--wal-disk", "aws-gp3:100Gi"];
    let run = lint(&place, &[&[CONF, "--select", "storage/"], &bought[..]].concat());
    let json = run.json();
    let messages: Vec<&str> =
        json["findings"].as_array().unwrap().iter().map(|f| f["message"].as_str().unwrap()).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("WAL volume: 100Gi of EBS gp3 gives 125 MiB/s"), "{messages:?}");
}

#[test]
fn a_version_beside_the_file_is_taken() {
    let place = Place::new(&[(CONF, "data_directory = 'data'\nio_method = worker\n"), ("data/PG_VERSION", "17\n")]);
    assert_eq!(places(&lint(&place, &[CONF])), [json!(["parameters/too_new", CONF, 2])]);
    place.write("data/postgresql.auto.conf", "fsync = off\n");
    assert!(places(&lint(&place, &[CONF])).contains(&json!(["durability/fsync", "data/postgresql.auto.conf", 1])));
}

#[test]
fn wrong_flags_are_named() {
    let place = Place::new(&[(CONF, ""), ("a.yaml", "kind: x\n")]);
    for (arguments, message) in [
        (
            &[CONF, "--disk", "ali-esd-pl1:300Gi"][..],
            "--disk: ali-esd-pl1 is not a known disk, did you mean ali-essd-pl1",
        ),
        (&[CONF, "--disk", "ali-essd-pl1"][..], "add a size, such as ali-essd-pl1:300Gi"),
        (&[CONF, "--disk", "ali-essd-pl1:many"][..], "--disk: cannot read size \"many\""),
        (&[CONF, "--disk", "aws-gp3:1Ti:fast"][..], "fast is not KEY=VALUE"),
        (&[CONF, "--wal-disk", "x:1Gi"][..], "--wal-disk: x is not a known disk"),
        (&[CONF, "--memory", "64GB"][..], "--memory: cannot read size \"64GB\""),
        (&[CONF, "--cpu", "0"][..], "--cpu: cannot read size \"0\""),
        (&[CONF, "--pg-version", "latest"][..], "--pg-version: latest is not a version"),
        (&[CONF, "--filesystem", "zfs:8K"][..], "--filesystem: cannot read size \"8K\""),
        (
            &["a.yaml", "--cpu", "4"][..],
            "--cpu describes the machine of a postgresql.conf, and there is none among the files",
        ),
    ] {
        let run = place.run(&[&["lint"], arguments].concat());
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(message), "{message:?} is not in {}", run.stderr);
    }
}

#[test]
fn a_part_is_judged_by_what_is_written() {
    // max_wal_size=1GB of the defaults would be too little for these buffers.
    let place = Place::new(&[
        ("conf.d/memory.conf", "shared_buffers = 16GB\nfsync = off\n"),
        ("pg_hba.conf", "local all all trust\n"),
    ]);
    assert_eq!(places(&lint(&place, &["conf.d/memory.conf"])), [json!(["durability/fsync", "conf.d/memory.conf", 2])]);
    // With the file that includes it, it is judged once, whatever the order.
    place.write(CONF, "include_dir 'conf.d'\n");
    for files in [["conf.d/memory.conf", CONF], [CONF, "conf.d/memory.conf"]] {
        let run = lint(&place, &files);
        assert_eq!(run.json()["summary"]["documents"], 1);
        assert!(places(&run).contains(&json!(["wal/removed_not_recycled", CONF, 1])), "{}", run.seen());
    }
    let directory = lint(&place, &["."]);
    assert_eq!(directory.json()["summary"]["documents"], 1);
    assert_eq!(lint(&place, &["conf.d"]).code, Some(3));
}

#[test]
fn a_file_in_another_encoding_is_read() {
    let place = Place::new(&[]);
    place.write(CONF, b"# Gr\xfc\xdfe\r\nfsync = off\r\nwork_mem = '\xfc'\r\n");
    let run = lint(&place, &[CONF]);
    assert_eq!(places(&run), [json!(["durability/fsync", CONF, 2]), json!(["parameters/invalid_value", CONF, 3])]);
}

#[test]
fn fix_leaves_the_file_alone() {
    let text = "full_page_writes = off\n";
    let place = Place::new(&[(CONF, text)]);
    let run = place.run(&["lint", "--fix", CONF]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(std::fs::read_to_string(place.path().join(CONF)).unwrap(), text);
}

#[test]
fn a_line_of_a_text_in_a_manifest_is_shown() {
    let place = Place::new(&[(
        "server.yaml",
        "apiVersion: walguard.dev/v1\nkind: PostgresServer\nmetadata: {name: db1}\nspec:\n  configuration:\n  - text: |\n      jit = on\n\n      fsync = off\n",
    )]);
    assert_eq!(places(&lint(&place, &["server.yaml"])), [json!(["durability/fsync", "server.yaml", 9])]);
}
