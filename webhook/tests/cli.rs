//! The command line contract: what is read, what is printed, which exit code.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Place;
use serde_json::{Value, json};

/// A cluster that is all right.
const HEALTHY: &str = "\
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata:
  name: calm
  namespace: shop
spec:
  instances: 3
  imageName: ghcr.io/cloudnative-pg/postgresql:17.2
  storage:
    size: 100Gi
";

/// A cluster with an error, in line 13, column 25.
const TORN: &str = "\
# Orders of the shop
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata:
  name: orders
  namespace: shop
spec:
  instances: 3
  imageName: ghcr.io/cloudnative-pg/postgresql:17.2
  postgresql:
    parameters:
      max_wal_size: 4GB
      full_page_writes: \"off\"
  storage:
    size: 100Gi
";

/// A cluster with a warning of the manifest's text alone.
const TWICE: &str = "\
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: twice, namespace: shop}
spec:
  instances: 1
  instances: 3
  storage: {size: 100Gi}
";

const FPW: &str = "durability/full_page_writes";
const DUPLICATE: &str = "manifest/duplicate_key";

/// The findings as [check, severity, file, line, column].
fn places(json: &Value) -> Vec<Value> {
    let findings = json["findings"].as_array().unwrap();
    findings.iter().map(|f| json!([f["check"], f["severity"], f["file"], f["line"], f["column"]])).collect()
}

#[test]
fn people_see_the_value_in_its_source() {
    let place = Place::new(&[("twice.yaml", TWICE)]);
    insta::assert_snapshot!(place.run(&["lint", "--select", DUPLICATE, "--fail-on", "warning"]).seen());
}

/// Several operators read ConfigMaps, each those with words of its own.
#[test]
fn a_config_map_is_judged_whichever_operator_reads_it() {
    let kubegres = "apiVersion: kubegres.reactive-tech.io/v1\nkind: Kubegres\nmetadata: {name: visitors, namespace: museum}\n\
        spec: {replicas: 2, image: \"postgres:17.5\", customConfig: tuned, database: {size: 10Gi}}\n";
    let text = |key: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: tuned, namespace: museum}}\ndata:\n  {key}: |\n    full_page_writes = off\n"
        )
    };
    let place = Place::new(&[("seen/kubegres.yaml", kubegres)]);
    place.write("map.yaml", text("postgres.conf"));
    let lint = ["lint", "--select", FPW, "--format", "json", "--context", "seen", "map.yaml"];
    assert_eq!(places(&place.run(&lint).json()), [json!([FPW, "error", "map.yaml", 6, 5])]);
    // It changes a cluster and is none; the cluster is only looked up.
    assert_eq!(place.run(&lint).json()["summary"]["clusters"], 0);
    place.write("map.yaml", text("something.conf"));
    assert_eq!(places(&place.run(&lint).json()), [Value::Null; 0]);
}

#[test]
fn programs_see_the_frozen_form() {
    let place = Place::new(&[("twice.yaml", TWICE), ("broken.yaml", "apiVersion: v1\nkind: Pod\na: [1\n")]);
    let run = place.run(&["lint", "--select", DUPLICATE, "--format", "json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.json(),
        json!({
            "version": 1,
            "summary": {"documents": 1, "clusters": 1, "error": 0, "warning": 1, "info": 0, "waived": 0, "ignored": 0, "failed": 1},
            "findings": [{
                "check": DUPLICATE,
                "severity": "warning",
                "message": "spec.instances is written twice, on lines 5 and 6: the last one counts. Keep the one that is meant.",
                "remediation": "Keep the one that is meant.",
                "resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "namespace": "shop", "name": "twice"},
                "path": ["spec", "instances"],
                "file": "twice.yaml", "line": 6, "column": 14,
                "facts": {},
                "fix": [],
            }],
            "errors": run.json()["errors"],
            "skipped": [],
            "notes": [],
        })
    );
    let error = &run.json()["errors"][0];
    assert_eq!(error["file"], "broken.yaml");
    assert!(error["line"].is_u64() && error["column"].is_u64() && error["message"].is_string(), "{error}");
}

#[test]
fn a_fault_is_located_where_it_is_written() {
    let place = Place::new(&[("orders.yaml", TORN), ("calm.yaml", HEALTHY)]);
    let run = place.run(&["lint", "--format", "json", "--select", FPW]);
    assert_eq!(places(&run.json()), [json!([FPW, "error", "orders.yaml", 13, 25])]);
    let json = run.json();
    let finding = &json["findings"][0];
    assert_eq!(
        finding["fix"],
        json!([{"op": "replace", "path": "/spec/postgresql/parameters/full_page_writes", "value": "on"}])
    );
    assert!(finding["message"].as_str().unwrap().contains("full_page_writes=off"), "{finding}");
    assert_eq!(run.code, Some(1));

    let seen = place.run(&["lint", "--select", FPW]).stdout;
    for part in [
        "orders.yaml  Cluster shop/orders  1 error\n",
        "error[durability/full_page_writes]: full_page_writes=off on ",
        "--> orders.yaml:13:25",
        "13 |       full_page_writes: \"off\"\n   |                         ^^^^^",
        "fix: set spec.postgresql.parameters.full_page_writes to \"on\"",
        "1 error in 2 documents (2 PostgreSQL clusters)",
    ] {
        assert!(seen.contains(part), "{part:?} is not in\n{seen}");
    }
}

#[test]
fn a_list_is_read_item_by_item() {
    let items: String = TORN.lines().skip(1).map(|line| format!("    {line}\n")).collect();
    let list = format!("apiVersion: v1\nkind: List\nitems:\n  -\n{items}");
    let run = Place::new(&[]).feed(&["lint", "-", "--format", "json", "--select", FPW], list.as_bytes());
    assert_eq!(places(&run.json()), [json!([FPW, "error", "<stdin>", 16, 29])]);
}

#[test]
fn booleans_without_quotes_are_found_and_named() {
    let bare = TORN.replace("\"off\"", "off");
    let run = Place::new(&[]).feed(&["lint", "-", "--select", FPW], bare.as_bytes());
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.stdout.contains("note: without quotes, YAML reads off as false"), "{}", run.stdout);
    assert!(run.stdout.contains("full_page_writes: off\n"), "{}", run.stdout);
}

#[test]
fn documents_of_a_run_see_one_another() {
    let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: fast\nprovisioner: zfs.csi.openebs.io\nparameters:\n  fstype: zfs\n  recordsize: 16k\n";
    let cluster = TORN.replace("size: 100Gi", "size: 100Gi\n    storageClass: fast");
    let place = Place::new(&[("all/cluster.yaml", &cluster), ("all/class.yaml", class), ("classes/class.yaml", class)]);
    let codes = |arguments: &[&str]| place.run(&[&["lint", "--select", FPW], arguments].concat()).code;
    assert_eq!(codes(&["all/cluster.yaml"]), Some(1));
    assert_eq!(codes(&["all"]), Some(0));
    assert_eq!(codes(&["all/cluster.yaml", "--context", "classes"]), Some(0));
    // What is only looked up is not judged.
    let run = place.run(&["lint", "classes", "--context", "all", "--format", "json"]);
    assert_eq!((run.code, run.json()["summary"]["clusters"].as_u64()), (Some(0), Some(0)));
}

#[test]
fn what_is_read_of_a_directory() {
    let place = Place::new(&[
        ("a.yaml", TORN),
        ("b.yml", TORN),
        ("c.json", &serde_json::to_string(&json!({"kind": "x"})).unwrap()),
        ("d.txt", "no: [manifest"),
        (".hidden.yaml", "no: [manifest"),
        (".hidden/e.yaml", "no: [manifest"),
        ("out/f.yaml", "no: [manifest"),
        (".ignore", "out/\n"),
        ("deep/er/g.yaml", HEALTHY),
    ]);
    let summary =
        |arguments: &[&str]| place.run(&[&["lint", "--format", "json"], arguments].concat()).json()["summary"].clone();
    assert_eq!(summary(&["."])["documents"], 4);
    assert_eq!(summary(&[])["documents"], 4);
    assert_eq!(summary(&["."])["failed"], 0);
    // What is named is read, whatever its name; and once.
    assert_eq!(summary(&["a.yaml", "a.yaml", "d.txt"])["documents"], 1);
    assert_eq!(summary(&["a.yaml", "a.yaml", "d.txt"])["failed"], 1);
}

#[test]
fn every_bad_file_is_named_and_the_others_are_judged() {
    let place = Place::new(&[
        ("1.yaml", "apiVersion: v1\nkind: Pod\na: b: c\n"),
        ("2.yaml", TORN),
        ("3.yaml", "{{ if .Values.x }}\nkind: Pod\n{{ end }}\n"),
        ("4.json", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"a\": ]"),
        ("5.yaml", "apiVersion: v1\nkind: Pod\n---\na: [\n---\nkind: z\n"),
    ]);
    place.write("6.yaml", b"apiVersion: v1\nkind: Pod\na: \xff\xfe\n");
    let run = place.run(&["lint", "--format", "json", "--select", FPW, ".", "missing.yaml"]);
    let json = run.json();
    let files: Vec<&str> = json["errors"].as_array().unwrap().iter().map(|e| e["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["1.yaml", "4.json", "5.yaml", "6.yaml", "missing.yaml"]);
    assert_eq!(json["skipped"], json!([{"path": "3.yaml", "reason": "template"}]));
    assert_eq!(json["summary"]["documents"], 3);
    assert_eq!(places(&json), [json!([FPW, "error", "2.yaml", 13, 25])]);
    assert_eq!(run.code, Some(2));

    let run = place.run(&["lint", "--select", FPW, "."]);
    for part in ["1.yaml:3:", "4.json:1:", "5.yaml:5:", "6.yaml:3:"] {
        assert!(run.stderr.contains(part), "{part} is not in\n{}", run.stderr);
    }
    assert!(run.stdout.contains("4 inputs could not be read or checked"), "{}", run.stdout);
}

#[test]
fn exit_codes() {
    let place = Place::new(&[
        ("torn.yaml", TORN),
        ("twice.yaml", TWICE),
        ("empty.yaml", "# nothing\n"),
        ("other.yaml", "kind: Service\n"),
    ]);
    let code = |arguments: &[&str]| place.run(&[&["lint"], arguments].concat()).code;
    assert_eq!(code(&["torn.yaml"]), Some(1));
    assert_eq!(code(&["torn.yaml", "--fail-on", "never"]), Some(0));
    assert_eq!(code(&["twice.yaml", "--select", DUPLICATE]), Some(0));
    assert_eq!(code(&["twice.yaml", "--select", DUPLICATE, "--fail-on", "warning"]), Some(1));
    assert_eq!(code(&["twice.yaml", "--select", DUPLICATE, "--fail-on", "info"]), Some(1));
    assert_eq!(code(&["twice.yaml", "--ignore", "manifest/", "--select", DUPLICATE, "--fail-on", "info"]), Some(0));
    assert_eq!(code(&["other.yaml"]), Some(0));
    assert_eq!(code(&["empty.yaml"]), Some(3));
    assert_eq!(code(&["-"]), Some(3));
    assert_eq!(code(&["absent.yaml"]), Some(2));
    assert_eq!(code(&["absent.yaml", "--fail-on", "never"]), Some(2));
    assert_eq!(code(&["--no-such-flag"]), Some(2));
    assert_eq!(code(&["torn.yaml", "--fail-on", "fatal"]), Some(2));
    assert_eq!(place.run(&["--version"]).stdout, concat!("walguard ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(place.run(&["lint", "empty.yaml"]).stdout, "Nothing to lint: there is no manifest\n");
}

#[test]
fn info_is_counted_and_shown_on_request() {
    let place = Place::new(&[("a/torn.yaml", TORN), ("a/b.yaml", "kind: Service\n")]);
    let hidden = place.run(&["lint", "a"]).stdout;
    assert!(!hidden.contains("\ninfo[") && hidden.contains(" info hidden, --info shows "), "{hidden}");
    for arguments in [&["lint", "--info", "a"][..], &["lint", "a/torn.yaml"], &["lint", "--fail-on", "info", "a"]] {
        let shown = place.run(arguments).stdout;
        assert!(shown.contains("\ninfo[") && !shown.contains("hidden"), "{arguments:?}: {shown}");
    }
}

#[test]
fn one_run_can_write_several_formats() {
    let place = Place::new(&[("torn.yaml", TORN), ("broken.yaml", "apiVersion: v1\nkind: Pod\na: [\n")]);
    let run = place.run(&[
        "lint",
        "--select",
        FPW,
        "-o",
        "concise",
        "-o",
        "gitlab=quality.json",
        "--output",
        "markdown=comment.md",
        "--output",
        "human=seen.txt",
        "-f",
        ".",
    ]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stdout.starts_with("torn.yaml:13:25: error[durability/full_page_writes] full_page_writes=off"),
        "{}",
        run.stdout
    );
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    let issues: Value = serde_json::from_str(&read("quality.json")).unwrap();
    assert_eq!(issues[0]["check_name"], FPW);
    assert_eq!(issues[0]["severity"], "critical");
    assert_eq!(issues[0]["location"], json!({"path": "torn.yaml", "lines": {"begin": 13}}));
    assert_eq!((&issues[1]["severity"], &issues[1]["location"]["path"]), (&json!("blocker"), &json!("broken.yaml")));
    assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
    let comment = read("comment.md");
    assert!(comment.starts_with("### walguard: 1 error\n"), "{comment}");
    assert!(comment.contains("| error | `torn.yaml:13` | `durability/full_page_writes`: "), "{comment}");
    assert!(comment.contains("full\\_page\\_writes=off") && comment.contains("<br>**fix:** set "), "{comment}");
    let seen = read("seen.txt");
    assert!(seen.contains("error[durability/full_page_writes]: full_page_writes=off"), "{seen}");
    assert!(seen.starts_with("error: broken.yaml:"), "{seen}");
    assert_eq!(run.stderr.matches("broken.yaml").count(), 1, "{}", run.stderr);

    let wrong = place.run(&["lint", "--output", "pdf=x", "."]);
    assert!(
        wrong.code == Some(2) && wrong.stderr.contains("pdf") && wrong.stderr.contains("sarif, "),
        "{}",
        wrong.stderr
    );
    let nowhere = place.run(&["lint", "--select", FPW, "--output", "json=no/such/place", "torn.yaml"]);
    assert!(nowhere.code == Some(2) && nowhere.stderr.contains("no/such/place"), "{}", nowhere.stderr);
}

#[test]
fn statistics_count_the_findings_of_each_check() {
    let place = Place::new(&[("two.yaml", &format!("{TORN}---\n{}", TORN.replace("orders", "carts")))]);
    let seen = place.run(&["lint", "--statistics", "--select", FPW, "."]).stdout;
    let first = seen.lines().next().unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(first[..3], ["2", "error", FPW], "{seen}");
    assert!(seen.contains("(2 with --fix)\n2 errors in 2 documents (2 PostgreSQL clusters)"), "{seen}");
}

#[test]
fn what_cannot_be_read_is_said_once_in_every_format_for_people() {
    let place = Place::new(&[("torn.yaml", TORN), ("broken.yaml", "apiVersion: v1\nkind: Pod\na: [\n")]);
    for format in [&["--format", "human"][..], &["--format", "concise"], &["--statistics"]] {
        let run = place.run(&[&["lint", "--select", FPW], format, &["."]].concat());
        assert_eq!(run.stderr.matches("error: broken.yaml:").count(), 1, "{format:?} {}", run.stderr);
        assert_eq!(run.code, Some(2));
    }
}

#[test]
fn a_name_cannot_steer_the_terminal() {
    let place = Place::new(&[("torn.yaml", &TORN.replace("orders", "\"or\\e[2Jders\\rgone\""))]);
    for format in ["human", "concise", "markdown"] {
        let run = place.run(&["lint", "--format", format, "--explain", "."]);
        let seen = run.stdout + &run.stderr;
        assert!(seen.contains(FPW) && !seen.contains(['\u{1b}', '\r']), "{format} {seen:?}");
    }
}

#[test]
fn quiet_says_nothing_when_nothing_is_found() {
    let place = Place::new(&[("a.yaml", "kind: Service\n")]);
    assert_eq!(place.run(&["lint", "--quiet"]).seen(), "exit 0");
    assert!(place.run(&["lint"]).stdout.starts_with("No findings in 1 document (no PostgreSQL cluster among them)"));
}

#[test]
fn checks_are_selected_by_id_and_area() {
    let place = Place::new(&[("a.yaml", TORN), ("b.yaml", TWICE)]);
    let checks = |arguments: &[&str]| {
        let run = place.run(&[&["lint", "--format", "json"], arguments].concat());
        let mut checks: Vec<String> = run.json()["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["check"].as_str().unwrap().to_owned())
            .collect();
        checks.dedup();
        checks
    };
    assert_eq!(checks(&["--select", "durability/full_page_writes,manifest/"]), [FPW, DUPLICATE]);
    assert_eq!(checks(&["--select", "manifest/", "--select", FPW, "--ignore", FPW]), [DUPLICATE]);
    assert!(!checks(&["--ignore", FPW]).contains(&FPW.to_owned()));

    let run = place.run(&["lint", "--select", "full_page_write"]);
    insta::assert_snapshot!(run.seen());
    assert_eq!(place.run(&["lint", "--ignore", "walll/"]).code, Some(2));
}

/// In a narrow terminal and a wide log, with and without colours.
#[test]
fn people_can_read_it_at_any_width() {
    let cluster = TORN
        .replace("full_page_writes: \"off\"", "shared_bufers: 4GB # more\n      Work_mem: 64MB\n      work_mem: 4MB")
        .replace("max_wal_size: 4GB", "wal_keep_segments: \"64\"");
    let place = Place::new(&[("orders.yaml", &cluster)]);
    let checks = "parameters/duplicate,parameters/removed,parameters/unknown";
    for columns in ["80", "120"] {
        for color in ["never", "always"] {
            let arguments = ["lint", "--select", checks, "--color", color, "orders.yaml"];
            let run = place.run_with(&arguments, &[("COLUMNS", columns)]);
            insta::assert_snapshot!(format!("human-{columns}-{color}"), run.stdout.replace('\u{1b}', "ESC"));
            let plain = anstream::adapter::strip_str(&run.stdout).to_string();
            // A command to be copied is not broken.
            let lines = plain.lines().filter(|line| !line.contains("walguard checks explain"));
            let widest = lines.map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns.parse().unwrap() && plain.matches("\nerror[").count() == 2, "{plain}");
        }
    }
}

#[test]
fn a_configuration_is_found_above_and_obeyed() {
    let place = Place::new(&[("deploy/a.yaml", TORN), ("deploy/b.yaml", TWICE)]);
    place.write("walguard.yaml", "version: 1\nchecks:\n  durability/full_page_writes:\n    severity: off\n  manifest/duplicate_key: {severity: error}\n");
    let inner = Place::new(&[]);
    let select = ["lint", "--format", "json", "--select", "durability/full_page_writes,manifest/"];
    let below = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_walguard"));
        let output =
            command.args([&select, arguments].concat()).current_dir(place.path().join("deploy")).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(places(&below(&["."])), [json!([DUPLICATE, "error", "b.yaml", 6, 14])]);

    inner.write("other.yaml", "version: 1\n");
    let other = inner.path().join("other.yaml");
    let json = below(&[".", "--config", other.to_str().unwrap()]);
    assert_eq!(json["summary"]["error"], 1);
    assert_eq!(json["summary"]["warning"], 1);
}

#[test]
fn an_attestation_of_the_configuration_counts_until_it_expires() {
    let cluster = TORN.replace("size: 100Gi", "size: 100Gi\n    storageClass: fast");
    let place = Place::new(&[("a.yaml", &cluster)]);
    place.write(
        "walguard.yaml",
        "version: 1\nattestations:\n  - storageClass: fast\n    atomicWriteBytes: 16384\n    evidence: measured\n    by: dba\n    expires: 2027-04-01\n",
    );
    let code = |now: &str| place.run(&["lint", "--select", FPW, "--now", now, "a.yaml"]).code;
    assert_eq!(code("2027-03-31T23:59:59Z"), Some(0));
    assert_eq!(code("2027-04-01T00:00:01Z"), Some(1));
}

#[test]
fn a_wrong_configuration_is_refused_with_every_mistake_and_its_place() {
    let place = Place::new(&[("a.yaml", HEALTHY)]);
    place.write(
        "walguard.yaml",
        "\
version: 2
chekcs: {}
checks:
  durability/full_page_write:
    severity: off
  durability/full_page_writes:
    severity: fatal
    settings:
      backup_window_hours: a day
      restore_window: 30
  manifest/duplicate_key:
    severity: yes
    settings: {x: 1}
    level: error
attestations:
  - storageClass: fast
    atomicWriteBytes: 16k
    by: ''
    expires: soon
",
    );
    insta::assert_snapshot!(place.run(&["lint", "a.yaml"]).seen());

    for (text, message) in [
        ("", "walguard.yaml:1:1: the configuration is empty"),
        ("- 1\n", "walguard.yaml:1:1: the configuration is a list, not a map"),
        ("checks: {}\n", "version is missing"),
        ("version: 1\nversion: 1\n", "version is written twice"),
        ("version: 1\n---\nversion: 1\n", "walguard.yaml:3:1: a configuration is one document"),
        ("version: [\n", "walguard.yaml:"),
        ("version: 1\nchecks: []\n", "walguard.yaml:2:1: checks is a list, not a map"),
    ] {
        place.write("walguard.yaml", text);
        let run = place.run(&["lint", "a.yaml"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{text:?}");
        assert!(run.stderr.contains(message), "{message:?} is not in\n{}", run.stderr);
    }
    let run = place.run(&["lint", "--config", "absent.yaml", "a.yaml"]);
    assert!(run.code == Some(2) && run.stderr.contains("absent.yaml"), "{}", run.seen());
}

#[test]
fn fixes_change_the_values_and_nothing_else() {
    let place =
        Place::new(&[("torn.yaml", TORN), ("calm.yaml", HEALTHY), ("two.yaml", &format!("{HEALTHY}---\n{TORN}"))]);
    let run = place.run(&["lint", "--fix", "--select", FPW, "."]);
    let files = "fixed torn.yaml: full_page_writes\nfixed two.yaml: full_page_writes\n";
    let summary = "fixed 2 values in 2 files\nNo findings in 4 documents (4 PostgreSQL clusters)\nexit 0";
    assert_eq!(run.seen(), format!("{files}{summary}"));
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    assert_eq!(read("torn.yaml"), TORN.replace("\"off\"", "\"on\""));
    assert_eq!(read("two.yaml"), format!("{HEALTHY}---\n{}", TORN.replace("\"off\"", "\"on\"")));
    assert_eq!(read("calm.yaml"), HEALTHY);

    // A text that was not read as it is written must not be written back.
    let broken = [TORN.as_bytes(), b"---\nx: \xff\n"].concat();
    place.write("torn.yaml", &broken);
    let run = place.run(&["lint", "--fix", "--select", FPW, "torn.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("fixed 0 values in 0 files; 1 value cannot be fixed in place\n"), "{}", run.stderr);
    assert_eq!(std::fs::read(place.path().join("torn.yaml")).unwrap(), broken);
    assert_eq!(place.run(&["lint", "--fix", "-"]).code, Some(2));
}

#[test]
fn fixes_are_shown_as_a_patch() {
    let place = Place::new(&[("deploy/torn.yaml", TORN), ("deploy/calm.yaml", HEALTHY)]);
    let run = place.run(&["lint", "--diff", "--select", FPW, "deploy"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), "--fix would change 1 value in 1 file\n"));
    assert!(run.stdout.starts_with("--- a/deploy/torn.yaml\n+++ b/deploy/torn.yaml\n@@ "), "{}", run.stdout);
    let changed = |sign: &str| run.stdout.lines().filter(|line| line.starts_with(sign)).count();
    assert_eq!((changed("-"), changed("+")), (2, 2), "{}", run.stdout);
    let text = || std::fs::read_to_string(place.path().join("deploy/torn.yaml")).unwrap();
    assert_eq!(text(), TORN);
    place.write("fixes.patch", &run.stdout);
    let applied =
        std::process::Command::new("git").args(["apply", "fixes.patch"]).current_dir(place.path()).status().unwrap();
    assert!(applied.success());
    assert_eq!(text(), TORN.replace("\"off\"", "\"on\""));
    let nothing = "--fix would change 0 values in 0 files\nexit 0";
    assert_eq!(place.run(&["lint", "--diff", "--select", FPW, "deploy"]).seen(), nothing);
    // Standard input has no file to change, and a patch all the same.
    assert!(
        place
            .feed(&["lint", "--diff", "--select", FPW, "-"], TORN.as_bytes())
            .stdout
            .contains("+      full_page_writes: \"on\"\n")
    );
}

/// Of three values one goes in each round: the second reads what came on standard input, too.
#[test]
fn fixes_of_standard_input_are_those_of_a_file() {
    let thrice = TORN.replace("max_wal_size: 4GB\n", "WORK_mem: 32MB # a\n      Work_mem: 64MB\n      work_mem: 4MB\n");
    let place = Place::new(&[("torn.yaml", &thrice)]);
    let duplicate = "parameters/duplicate";
    let diff = |path: &str| place.feed(&["lint", "-v", "--diff", "--select", duplicate, path], thrice.as_bytes());
    let patch = |run: &common::Run| run.stdout.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    let (file, stdin) = (diff("torn.yaml"), diff("-"));
    let removed = "-      WORK_mem: 32MB # a\n-      Work_mem: 64MB\n       work_mem: 4MB\n";
    assert!(file.stdout.contains(removed), "{}", file.seen());
    assert_eq!((patch(&stdin), &stdin.stderr, stdin.code), (patch(&file), &file.stderr, Some(1)));
    assert_eq!(file.stderr, "--fix would change 2 values in 1 file\n");
    // What is said of the run is said once, however many rounds there are.
    place.write("walguard.yaml", "version: 1\n");
    assert_eq!(diff("torn.yaml").stderr, "using walguard.yaml\n--fix would change 2 values in 1 file\n");
}

/// Those of SARIF, whose columns count characters, and of --diff are the same.
#[test]
fn fixes_are_offered_to_code_scanning() {
    let parameters = "    parameters:\n      max_wal_size: 4GB\n      full_page_writes: \"off\"\n";
    assert!(TORN.contains(parameters));
    let torn =
        TORN.replace(parameters, "    parameters: {application_name: \"größe 🐘\", full_page_writes: \"off\"}\n");
    let place = Place::new(&[("torn.yaml", &torn)]);
    let sarif = place.run(&["lint", "--select", FPW, "--format", "sarif", "torn.yaml"]).json();
    let fixes = sarif["runs"][0]["results"][0]["fixes"].as_array().unwrap();
    let [fix] = fixes.as_slice() else { panic!("{fixes:?}") };
    assert!(fix["description"]["text"].as_str().unwrap().starts_with("set spec."), "{fix}");
    let change = &fix["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "torn.yaml");
    let replacement = &change["replacements"][0];
    let at = |line: &str, column: &str| {
        let number = |name: &str| usize::try_from(replacement["deletedRegion"][name].as_u64().unwrap()).unwrap();
        let start: usize = torn.split_inclusive('\n').take(number(line) - 1).map(str::len).sum();
        start + torn[start..].chars().take(number(column) - 1).map(char::len_utf8).sum::<usize>()
    };
    let inserted = replacement["insertedContent"]["text"].as_str().unwrap();
    let (start, end) = (at("startLine", "startColumn"), at("endLine", "endColumn"));
    let fixed = format!("{}{inserted}{}", &torn[..start], &torn[end..]);
    assert_eq!(fixed, torn.replace("\"off\"", "\"on\""));
    let unfixed = Place::new(&[("twice.yaml", TWICE)]).run(&["lint", "--select", DUPLICATE, "-o", "sarif", "."]).json();
    assert!(unfixed["runs"][0]["results"][0].get("fixes").is_none(), "{unfixed:#}");
}

#[test]
fn a_baseline_accepts_what_is_there() {
    let place = Place::new(&[("torn.yaml", TORN)]);
    let lint = |now: &str, more: &[&str]| place.run(&[&["lint", "--select", FPW, "--now", now], more, &["."]].concat());
    let today = "2027-01-01T00:00:00Z";
    let write = ["--write-waivers", "--owner", "dba-team"];
    let run = lint(today, &write);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stderr.starts_with("wrote 1 waiver to walguard.yaml, which expire on 2027-04-01\n"), "{}", run.stderr);
    let waivers = || std::fs::read_to_string(place.path().join("walguard.yaml")).unwrap();
    insta::assert_snapshot!("baseline", waivers());

    // What comes on top fails, and so does everything once the waiver has expired.
    let other = TORN.replace("name: ", "name: other-");
    place.write("other.yaml", &other);
    assert_eq!(lint(today, &[]).code, Some(1));
    let with_comment = waivers().replace("waivers:", "# accepted risks\nwaivers:  # by us");
    place.write("walguard.yaml", &with_comment);
    assert_eq!(
        lint(today, &[&write[..], &["--expires", "2027-02-01", "--reason", "OPS-7: known"]].concat()).code,
        Some(0)
    );
    insta::assert_snapshot!("baseline_again", waivers());
    assert_eq!(lint("2027-03-01T00:00:00Z", &[]).code, Some(1));

    // A form that is not a list of lines is left alone.
    place.write("walguard.yaml", "version: 1\nwaivers: []\n");
    let run = lint(today, &write);
    assert_eq!(run.seen(), "error: walguard.yaml: waivers cannot be added to it; write them by hand\nexit 2");
    assert_eq!(waivers(), "version: 1\nwaivers: []\n");
}

#[test]
fn only_what_a_change_makes_worse_fails() {
    let place = Place::new(&[("deploy/torn.yaml", TORN), ("deploy/calm.yaml", HEALTHY)]);
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
        let mut command = std::process::Command::new("git");
        let status = command.args(identity).args(arguments).current_dir(place.path()).status().unwrap();
        assert!(status.success());
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "first"]);
    let lint = |revision: &str| place.run(&["lint", "--select", FPW, "--since", revision, "deploy"]);
    let run = lint("HEAD");
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stdout.contains("1 finding is not shown: HEAD has it too"), "{}", run.stdout);

    // Moved and further down in its file it is the same; another cluster is new.
    place.write("deploy/moved.yaml", format!("{HEALTHY}---\n{TORN}"));
    std::fs::remove_file(place.path().join("deploy/torn.yaml")).unwrap();
    std::fs::remove_file(place.path().join("deploy/calm.yaml")).unwrap();
    assert_eq!(lint("HEAD").code, Some(0));
    place.write("deploy/new.yaml", TORN.replace("name: ", "name: new-"));
    let run = lint("HEAD");
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.stdout.contains("new.yaml") && !run.stdout.contains("moved.yaml"), "{}", run.stdout);

    assert!(lint("nowhere").stderr.contains("--since: nowhere is not a revision of "));
    let listed =
        std::process::Command::new("git").args(["worktree", "list"]).current_dir(place.path()).output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap().lines().count(), 1);
}

/// A check of a change is given the object as it was, by its file where overlays define it twice.
#[test]
fn what_a_change_does_is_checked_since_a_revision() {
    let claim = |size: &str| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: db, namespace: shop}}\nspec:\n  serviceName: db\n  \
             selector: {{matchLabels: {{app: db}}}}\n  template:\n    metadata: {{labels: {{app: db}}}}\n    spec:\n      \
             containers:\n      - name: postgres\n        image: postgres:17.6\n        env: [{{name: PGDATA, value: \
             /var/lib/postgresql/data/pgdata}}]\n        volumeMounts: [{{name: data, mountPath: /var/lib/postgresql/data}}]\n  \
             volumeClaimTemplates:\n  - metadata: {{name: data}}\n    spec: {{accessModes: [ReadWriteOnce], resources: \
             {{requests: {{storage: {size}}}}}}}\n"
        )
    };
    let place =
        Place::new(&[("deploy/a/db.yaml", claim("20Gi").as_str()), ("deploy/b/db.yaml", claim("50Gi").as_str())]);
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
        let mut command = std::process::Command::new("git");
        assert!(command.args(identity).args(arguments).current_dir(place.path()).status().unwrap().success());
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "first"]);
    let lint =
        || place.run(&["lint", "--select", "change/volume_shrunk,image/major_changed", "--since", "HEAD", "deploy"]);
    assert_eq!(lint().code, Some(0), "{}", lint().seen());

    place.write("deploy/a/db.yaml", claim("10Gi").replace("17.6", "18.0"));
    let run = lint();
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(
        run.stdout.contains("change/volume_shrunk") && run.stdout.contains("image/major_changed"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("a/db.yaml") && !run.stdout.contains("b/db.yaml"), "{}", run.stdout);

    // Moved it is the same object, and a new one is no change.
    std::fs::remove_file(place.path().join("deploy/b/db.yaml")).unwrap();
    place.write("deploy/a/db.yaml", claim("20Gi").replace("name: db,", "name: other,"));
    assert_eq!(lint().code, Some(0), "{}", lint().seen());
}

#[test]
fn completions_and_manuals() {
    let place = Place::new(&[]);
    assert!(place.run(&["completions", "bash"]).stdout.contains("complete -F _walguard"));
    assert!(place.run(&["completions", "fish"]).stdout.contains("complete -c walguard"));
    let page = place.run(&["man", "lint"]).stdout;
    assert!(page.contains(".TH walguard-lint 1") && page.contains("\\-\\-fail\\-on"), "{page}");
    assert!(place.run(&["man"]).stdout.contains(".TH walguard 1"));
    assert_eq!(
        place.run(&["man", "cook"]).seen(),
        "error: there is no command cook; walguard --help lists them\nexit 2"
    );
}

#[test]
fn formats_for_machines() {
    let place = Place::new(&[
        ("twice.yaml", TWICE),
        ("broken, x.yaml", "apiVersion: v1\nkind: Pod\na: b: c\n"),
        ("calm.yaml", HEALTHY),
    ]);
    let run = |format: &str| place.run(&["lint", "--select", DUPLICATE, "--format", format]).stdout;
    insta::assert_snapshot!("github", run("github"));
    insta::assert_snapshot!("junit", run("junit"));
    let page = run("html");
    let body = page.split_once("<body>").unwrap().1;
    // An element a line.
    insta::assert_snapshot!("html", body.replace("><", ">\n<"));
    // It stands alone, and what manifests say is text in it.
    for foreign in ["<link", "@import", "url(", " src=", "<img", "<iframe", "fetch(", "import(", "XMLHttpRequest"] {
        assert!(!page.contains(foreign), "{foreign}: {page}");
    }
    assert!(page.contains("default-src 'none'"), "{page}");
    let linked = page.split(" href=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0);
    assert!(linked.clone().count() > 0 && linked.clone().all(|to| page.contains(&format!(" id=\"{}\"", &to[1..]))));
    let hostile = Place::new(&[("<i>.yaml", &TWICE.replace("instances: 3", "instances: <script>alert(1)</script>"))]);
    let page = hostile.run(&["lint", "--select", DUPLICATE, "--format", "html"]).stdout;
    assert!(page.contains("&lt;script&gt;") && page.contains("&lt;i&gt;.yaml"), "{page}");
    assert!(!page.contains("<script>alert") && page.matches("<script").count() == 1, "{page}");

    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let sarif = &sarif["runs"][0];
    let rules = sarif["tool"]["driver"]["rules"].as_array().unwrap();
    let result = &sarif["results"][0];
    assert_eq!(rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()]["id"], DUPLICATE);
    assert_eq!((&result["ruleId"], &result["level"]), (&json!(DUPLICATE), &json!("warning")));
    assert_eq!(
        result["locations"][0]["physicalLocation"],
        json!({"artifactLocation": {"uri": "twice.yaml"}, "region": {"startLine": 6, "startColumn": 14, "endColumn": 15}})
    );
    assert_eq!(sarif["invocations"][0]["executionSuccessful"], false);
    let note = &sarif["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "broken,%20x.yaml");
}

#[test]
fn colours_are_on_request() {
    let place = Place::new(&[("twice.yaml", TWICE)]);
    assert!(!place.run(&["lint", "--select", DUPLICATE]).stdout.contains('\u{1b}'));
    assert!(place.run(&["lint", "--select", DUPLICATE, "--color", "always"]).stdout.contains("\u{1b}["));
    // Other formats have none.
    assert!(
        !place
            .run(&["lint", "--select", DUPLICATE, "--color", "always", "--format", "github"])
            .stdout
            .contains('\u{1b}')
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let many: String = (0..200).map(|i| format!("---\n{}", TWICE.replace("twice,", &format!("t{i},")))).collect();
    let place = Place::new(&[("many.yaml", &many)]);
    let output = std::process::Command::new("sh")
        .args([
            "-c",
            "{ \"$0\" lint many.yaml --select manifest/ --fail-on warning; echo \"exit $?\" >&2; } | head -n 1",
        ])
        .arg(env!("CARGO_BIN_EXE_walguard"))
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "exit 1\n");
}

#[test]
fn checks_are_listed_and_explained() {
    let place = Place::new(&[]);
    let listed = place.run(&["checks"]);
    assert_eq!(listed.code, Some(0));
    let line = listed.stdout.lines().find(|line| line.starts_with(FPW)).unwrap();
    assert!(line.contains(" error ") && line.ends_with("Torn pages after a crash are not repaired"), "{line}");

    let json = place.run(&["checks", "--format", "json"]).json();
    let ids: Vec<&str> = json["checks"].as_array().unwrap().iter().map(|check| check["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&FPW) && ids.contains(&DUPLICATE) && ids.is_sorted(), "{ids:?}");

    let explained = place.run(&["checks", "explain", FPW]).stdout;
    for part in [
        "durability/full_page_writes · error",
        "What to do",
        "backup_window_hours (default 26)",
        "https://www.postgresql.org/",
    ] {
        assert!(explained.contains(part), "{part:?} is not in\n{explained}");
    }
    let json = place.run(&["checks", "explain", FPW, "--format", "json"]).json();
    assert_eq!(json["checks"].as_array().unwrap().len(), 1);

    let unknown = place.run(&["checks", "explain", "wal/full_page_writes"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean durability/full_page_writes?"), "{}", unknown.stderr);
}

/// A check of one's own, which reads what the embedded rules know of the cluster.
const OWN: &str = r#"# METADATA
# title: Nobody is responsible
# description: Whoever is called at night has to know whose cluster it is.
# custom:
#   severity: error
#   remediation: Set the label team.
package walguard.checks.company.team

findings contains finding if {
	data.walguard.model.cluster
	object := input.review.object
	not object.metadata.labels.team
	finding := {"message": sprintf("%s has no label team", [data.walguard.model.title]), "path": ["metadata", "labels"]}
}
"#;

#[test]
fn checks_of_ones_own_stand_beside_the_embedded_ones() {
    let place = Place::new(&[("a.yaml", TORN), ("own/team.rego", OWN)]);
    common::bundle(&place.path().join("own"), &["walguard/checks"]);
    let lint = |arguments: &[&str]| {
        place.run(&[&["lint", "--rules", "own.tar.gz", "--format", "json", "a.yaml"], arguments].concat()).json()
    };
    let found = lint(&["--select", &format!("company/team,{FPW}")]);
    let of =
        |id: &str| found["findings"].as_array().unwrap().iter().find(|finding| finding["check"] == id).unwrap().clone();
    assert_eq!(of(FPW)["severity"], "error");
    let own = of("company/team");
    assert_eq!((&own["severity"], &own["remediation"]), (&json!("error"), &json!("Set the label team.")));
    assert!(own["message"].as_str().unwrap().ends_with("has no label team"), "{own}");
    assert_eq!(own["resource"]["kind"], "Cluster");
    // Our documentation says nothing of it.
    assert_eq!(own["docs"].as_str().unwrap_or_default(), "");
    for format in ["sarif", "html", "github", "junit"] {
        let run = place.run(&["lint", "--rules", "own.tar.gz", "--select", "company/", "--format", format]);
        assert!(run.stdout.contains("company/team") && !run.stdout.contains("companyteam"), "{format}: {}", run.seen());
    }

    // The configuration knows it as any other.
    place.write("walguard.yaml", "version: 1\nchecks:\n  company/team: {severity: info}\n");
    assert_eq!(lint(&["--select", "company/"])["findings"][0]["severity"], "info");
    let listed = place.run(&["checks", "--rules", "own.tar.gz", "--format", "json"]).json();
    assert!(listed["checks"].as_array().unwrap().iter().any(|check| check["title"] == "Nobody is responsible"));

    for (arguments, said) in
        [(["lint", "--rules", "nowhere"], "nowhere"), (["lint", "--rules", "a.yaml"], "no .tar.gz")]
    {
        let run = place.run(&arguments);
        assert!(run.code == Some(2) && run.stderr.contains(said), "{}", run.seen());
    }
    place.write("empty/a.rego", "package a\n\nb := 1\n");
    common::bundle(&place.path().join("empty"), &["a/b"]);
    let run = place.run(&["lint", "--rules", "empty.tar.gz"]);
    assert!(run.code == Some(2) && run.stderr.contains("hold no check"), "{}", run.seen());
}

#[test]
fn rules_that_replace_the_built_in_ones_must_have_all_that_is_asked_of_them() {
    let place = Place::new(&[("a.yaml", TORN)]);
    place.write(
        "whole/a.rego",
        "package main\n\nfindings contains 1 if input.x\n\njudgement := {\"findings\": findings}\n",
    );
    common::bundle(&place.path().join("whole"), &["main/findings", "main/judgement"]);
    for command in ["lint", "checks"] {
        let run = place.run(&[command, "--rules", "whole.tar.gz"]);
        let named =
            run.stderr.contains("lack walguard.charts.beside, walguard.charts.rendered, walguard.charts.unread, ")
                && run.stderr.contains("--entrypoint walguard/disks/sheet");
        assert!(run.code == Some(2) && named && !run.stderr.contains("main/judgement"), "{}", run.seen());
    }
}

#[test]
fn a_waiver_counts_until_it_expires_and_is_told_of_everywhere() {
    let place = Place::new(&[("a.yaml", TORN)]);
    place.write(
        "walguard.yaml",
        "\
version: 1
waivers:
  - check: durability/full_page_writes
    resource: {kind: Clust*}
    reason: load test
    owner: dba
    expires: 2027-04-01
",
    );
    let lint = |now: &str, arguments: &[&str]| {
        place.run(&[&["lint", "--select", "durability/full_page_writes,policy/", "--now", now], arguments].concat())
    };
    let before = "2027-01-01T00:00:00Z";
    let run = lint(before, &["a.yaml"]);
    assert_eq!(
        run.seen(),
        "No findings in 1 document (1 PostgreSQL cluster); 1 finding waived by the configuration\nexit 0"
    );
    let json = lint(before, &["a.yaml", "--format", "json"]).json();
    assert_eq!((&json["summary"]["error"], &json["summary"]["waived"]), (&json!(0), &json!(1)));
    assert_eq!(
        json["findings"][0]["waived"],
        json!({"reason": "load test", "owner": "dba", "expires": "2027-04-01T00:00:00Z", "waiver": 0})
    );
    let sarif = lint(before, &["a.yaml", "--format", "sarif"]).json();
    assert_eq!(
        sarif["runs"][0]["results"][0]["suppressions"],
        json!([{"kind": "external", "status": "accepted", "justification": "load test (dba, until 2027-04-01T00:00:00Z)"}])
    );
    assert!(lint(before, &["a.yaml", "--format", "junit"]).stdout.contains("<skipped"));
    assert_eq!(lint(before, &["a.yaml", "--format", "github"]).stdout, "");
    assert_eq!(lint(before, &["a.yaml", "--fail-on", "info"]).code, Some(0));

    // Afterwards the fault is one again, and so is the waiver, in its own file.
    let after = lint("2027-04-01T00:00:00Z", &["a.yaml", "--format", "json"]);
    assert_eq!(after.code, Some(1));
    let found = after.json();
    let places = places(&found);
    assert_eq!(places[0][0], FPW);
    assert_eq!(places[1], json!(["policy/waiver_expired", "warning", "walguard.yaml", 7, 14]));
    assert_eq!(found["findings"][1]["resource"]["kind"], "Configuration");
    let near = lint("2027-03-20T00:00:00Z", &["a.yaml", "--format", "json"]).json();
    assert_eq!(self::places(&near)[0], json!(["policy/waiver_expired", "info", "walguard.yaml", 7, 14]));
}

#[test]
fn a_waiver_that_covers_nothing_is_advice() {
    let place = Place::new(&[("a.yaml", HEALTHY)]);
    let name = |name: &str| {
        let text = format!(
            "version: 1\nwaivers:\n  - check: durability/fsync\n    resource: {{namespace: shop, name: {name}}}\n    reason: r\n    owner: o\n    expires: 2099-01-01\n"
        );
        place.write("walguard.yaml", text);
        places(&place.run(&["lint", "--select", "policy/", "--format", "json", "a.yaml"]).json())
    };
    assert_eq!(name("calm"), [json!(["policy/waiver_unused", "info", "walguard.yaml", 3, 5])]);
    assert!(name("another").is_empty(), "it was not judged");
}

#[test]
fn a_cause_is_named_once() {
    let place = Place::new(&[("a.yaml", HEALTHY)]);
    let run = place.run_with(&["lint", "--context", "cluster", "a.yaml"], &[("KUBECONFIG", "/nowhere/config")]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stderr.matches("/nowhere/config").count(), 1, "{}", run.seen());
    assert_eq!(run.stderr.matches("No such file").count(), 1, "{}", run.seen());
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.seen());
}

/// A comment, with the fault of `TORN` behind it.
fn torn_but(comment: &str) -> String {
    TORN.replace("full_page_writes: \"off\"", &format!("full_page_writes: \"off\" # walguard: {comment}"))
}

const COMMENT: &str = "manifest/ignore_comment";

#[test]
fn a_comment_ignores_a_finding_until_its_date() {
    let ignore = "ignore[durability/full_page_writes] until=2027-04-01 reason=load test";
    let place = Place::new(&[("a.yaml", &torn_but(ignore))]);
    let lint = |now: &str, arguments: &[&str]| {
        let selected = "durability/full_page_writes,manifest/,policy/";
        place.run(&[&["lint", "--select", selected, "--now", now, "a.yaml"], arguments].concat())
    };
    let before = "2027-01-01T00:00:00Z";
    assert_eq!(
        lint(before, &[]).seen(),
        "No findings in 1 document (1 PostgreSQL cluster); 1 finding ignored by comments\nexit 0"
    );
    let json = lint(before, &["--format", "json"]).json();
    let summary = &json["summary"];
    assert_eq!((&summary["error"], &summary["waived"], &summary["ignored"]), (&json!(0), &json!(0), &json!(1)));
    assert_eq!(json["findings"][0]["waived"], json!({"reason": "load test", "expires": "2027-04-01", "comment": 13}));
    let sarif = lint(before, &["--format", "sarif"]).json();
    assert_eq!(
        sarif["runs"][0]["results"][0]["suppressions"],
        json!([{"kind": "inSource", "status": "accepted", "justification": "load test (until 2027-04-01)"}])
    );
    assert!(lint(before, &["--format", "junit"]).stdout.contains("<skipped"));
    assert!(lint(before, &["--diff"]).stdout.is_empty(), "nothing of it is fixed");

    let near = lint("2027-03-20T00:00:00Z", &["--format", "json"]);
    assert_eq!((near.code, places(&near.json())[0].clone()), (Some(0), json!([COMMENT, "info", "a.yaml", 13, 31])));
    let after = lint("2027-04-01T00:00:00Z", &["--format", "json"]);
    assert_eq!(after.code, Some(1));
    let found = after.json();
    assert_eq!(
        places(&found),
        [json!([FPW, "error", "a.yaml", 13, 25]), json!([COMMENT, "warning", "a.yaml", 13, 31])]
    );
    assert_eq!(found["findings"][1]["resource"]["name"], "orders");
}

#[test]
fn a_comment_covers_a_line_or_a_resource() {
    let ignored = |text: &str| {
        let place = Place::new(&[("a.yaml", text)]);
        let run = place.run(&["lint", "--select", FPW, "--format", "json", "a.yaml"]).json();
        let [error, ignored] = ["error", "ignored"].map(|key| run["summary"][key].as_u64().unwrap());
        assert_eq!(error + ignored, 1 + u64::from(text.contains("---")), "{run}");
        ignored == 1
    };
    let comment = "# walguard: ignore[durability/] until=2199-01-01 reason=x\n";
    let at = |line: &str| TORN.replacen(line, &format!("{comment}{line}"), 1);
    assert!(ignored(&at("      full_page_writes")), "above the line");
    assert!(ignored(&at("apiVersion")), "above the resource");
    assert!(ignored(&format!("{comment}{TORN}")), "above another comment");
    assert!(
        ignored(&format!("{TORN}---\n{comment}{TORN}").replacen("orders", "first", 1)),
        "of two resources the second"
    );
    assert!(!ignored(&at("      max_wal_size")), "of another line");
    assert!(!ignored(&format!("{TORN}{comment}")), "of nothing");
}

#[test]
fn a_comment_that_has_no_effect_is_a_finding() {
    let found = |comment: &str| {
        let place = Place::new(&[("a.yaml", &torn_but(comment))]);
        let run = place.run(&["lint", "--now", "2026-06-15T00:00:00Z", "--format", "json", "a.yaml"]).json();
        let all = run["findings"].as_array().unwrap().clone();
        let about: Vec<Value> = all.into_iter().filter(|finding| finding["check"] == COMMENT).collect();
        assert_eq!(about.len(), 1, "{comment}: {run}");
        (about[0]["severity"].clone(), about[0]["message"].as_str().unwrap().to_owned())
    };
    for (comment, severity, said) in [
        ("ignore", "warning", "cannot be read"),
        ("ignore[durability/full_page_writes]", "warning", "without until="),
        ("ignore[durability/full_page_writes] until=2027-01-01", "warning", "without reason="),
        ("ignore[durability/full_page_writes] until=2027-13-01 reason=x", "warning", "is not a date"),
        ("ignore[durability/full_page_writes] until=2026-06-15 reason=x", "warning", "expired on 2026-06-15"),
        (
            "ignore[durability/full_page_write] until=2027-01-01 reason=x",
            "warning",
            "did you mean durability/full_page_writes?",
        ),
        (
            "ignore[durability/full_page_writes, durability/fsync] until=2027-01-01 reason=x",
            "info",
            "no finding of durability/fsync here",
        ),
        (
            "ignore[durability/full_page_writes, manifest/ignore_comment] until=2027-01-01 reason=x",
            "info",
            "covers nothing",
        ),
    ] {
        let (level, message) = found(comment);
        assert!(level == severity && message.contains(said), "{comment}: {level} {message}");
    }
    // Of a check that is not asked, nothing is known.
    let place = Place::new(&[("a.yaml", &torn_but("ignore[durability/full_page_writes] until=2199-01-01 reason=x"))]);
    let run = place.run(&["lint", "--select", "manifest/", "--format", "json", "a.yaml"]).json();
    assert_eq!(places(&run), [Value::Null; 0]);
}

#[test]
fn the_configuration_limits_comments() {
    let twice = TWICE
        .replace("instances: 3", "instances: 3 # walguard: ignore[manifest/duplicate_key] until=2199-01-01 reason=x");
    let place = Place::new(&[
        ("a.yaml", &torn_but("ignore[durability/full_page_writes] until=2199-01-01 reason=x")),
        ("b.yaml", &twice),
    ]);
    let run = |text: &str| {
        place.write("walguard.yaml", format!("version: 1\n{text}"));
        let run = place.run(&["lint", "--select", "durability/full_page_writes,manifest/", "--format", "json"]);
        let found = run.json();
        let found: Vec<String> = places(&found)
            .iter()
            .map(|at| format!("{} {}", at[0].as_str().unwrap(), at[2].as_str().unwrap()))
            .collect();
        (run.code, found.join(", "))
    };
    assert_eq!(run("ignoreComments: all\n"), (Some(0), format!("{FPW} a.yaml, {DUPLICATE} b.yaml")));
    let (code, found) = run("ignoreComments: warnings\n");
    assert_eq!((code, found), (Some(1), format!("{FPW} a.yaml, {COMMENT} a.yaml, {DUPLICATE} b.yaml")));
    let (code, found) = run("ignoreComments: none\n");
    assert_eq!(
        (code, found),
        (Some(1), format!("{FPW} a.yaml, {DUPLICATE} b.yaml, {COMMENT} a.yaml, {COMMENT} b.yaml"))
    );
    let wrong = place.run(&["lint", "--config", "walguard.yaml", "a.yaml"]);
    assert_eq!(wrong.code, Some(1));
    place.write("walguard.yaml", "version: 1\nignoreComments: errors\n");
    let wrong = place.run(&["lint", "a.yaml"]);
    assert!(
        wrong.code == Some(2)
            && wrong.stderr.contains("walguard.yaml:2:17: ignoreComments must be all, warnings or none"),
        "{}",
        wrong.seen()
    );
}

/// Comments of a postgresql.conf count as those of a manifest.
#[test]
fn comments_in_configuration_files_count() {
    let conf = "# walguard: ignore[durability/fsync] until=2199-01-01 reason=x\nfsync = off\nfull_page_writes = off # walguard: ignore[durability/] until=2199-01-01 reason=x\n";
    let place = Place::new(&[("postgresql.conf", conf)]);
    let run = place.run(&[
        "lint",
        "--select",
        "durability/fsync,durability/full_page_writes,manifest/",
        "--format",
        "json",
        "postgresql.conf",
    ]);
    let found = run.json();
    assert_eq!((run.code, &found["summary"]["ignored"]), (Some(0), &json!(2)), "{found}");
}

#[test]
fn mode_and_namespaces_decide_the_exit_code() {
    let place = Place::new(&[("a.yaml", TORN)]);
    let code = |text: &str| {
        place.write("walguard.yaml", format!("version: 1\n{text}"));
        place.run(&["lint", "--select", FPW, "a.yaml"]).code
    };
    assert_eq!(code(""), Some(1));
    assert_eq!(code("mode: warn\n"), Some(0));
    assert_eq!(code("namespaces: [{names: [shop], mode: audit}]\n"), Some(0));
    assert_eq!(code("namespaces: [{names: [prod], mode: audit}]\n"), Some(1));
    assert_eq!(code("namespaces: [{matchLabels: {a: b}, mode: audit}]\n"), Some(1));
    place.write(
        "b.yaml",
        format!("{TORN}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, labels: {{a: b}}}}\n"),
    );
    place.write("walguard.yaml", "version: 1\nnamespaces: [{matchLabels: {a: b}, mode: audit}]\n");
    assert_eq!(place.run(&["lint", "--select", FPW, "b.yaml"]).code, Some(0));
}

#[test]
fn files_are_watched() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    let place = Place::new(&[("deploy/torn.yaml", TORN)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_walguard"))
        .args(["lint", "--watch", "-o", "concise", "--select", FPW, "deploy"])
        .current_dir(place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut until = |text: &str| lines.any(|line| line.contains(text));
    assert!(until("deploy/torn.yaml:13:25"), "the first run");
    place.write("deploy/torn.yaml", TORN.replace("\"off\"", "\"on\""));
    assert!(until("No findings"), "what changes");
    place.write("deploy/more/other.yaml", TORN);
    assert!(until("deploy/more/other.yaml:13:25"), "what appears");
    place.write("walguard.yaml", format!("version: 1\nchecks: {{{FPW}: {{severity: \"off\"}}}}\n"));
    assert!(until("No findings"), "a configuration");
    child.kill().unwrap();
    child.wait().unwrap();
    let refused = |words: &[&str]| place.run(words).seen();
    assert!(refused(&["lint", "--watch", "-"]).contains("standard input does not"));
    assert_eq!(place.run(&["lint", "--watch", "--fix", "deploy"]).code, Some(2));
}

/// The value, the cores that it follows from, and the StorageClass: each in its line.
#[test]
fn a_finding_shows_the_lines_it_speaks_of() {
    let id = "storage/bandwidth_below_demand";
    let manifest = common::root().join("rules/checks").join(id).join("fail.yaml");
    let (cluster, class) = std::fs::read_to_string(manifest)
        .unwrap()
        .split_once("---\n")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let place = Place::new(&[("class.yaml", &class), ("cluster.yaml", &cluster)]);
    let run = |format: &str| place.run(&["lint", "--select", id, "--format", format, "."]);
    let found = run("json").json()["findings"][0].clone();
    let beside: Vec<String> = found["related"]
        .as_array()
        .unwrap()
        .iter()
        .map(|related| format!("{}:{} {}", related["file"], related["line"], related["message"]))
        .collect();
    assert_eq!(beside, ["\"class.yaml\":4 \"ESSD PL1\"", "\"cluster.yaml\":13 \"16 cores\""]);
    insta::assert_snapshot!(run("human").seen());
    let sarif = run("sarif").json();
    let places = sarif["runs"][0]["results"][0]["relatedLocations"].as_array().unwrap();
    assert_eq!(places[1]["message"]["text"], "16 cores");
    assert_eq!(places[1]["physicalLocation"]["region"]["startLine"], 13);
    // Of what is not among the files there is nothing to show.
    let alone = place.run(&["lint", "--select", id, "--format", "json", "cluster.yaml"]).json();
    assert_eq!(alone["findings"], serde_json::json!([]));
}
