//! Repositories as people keep them: several environments, overlays, charts, templates, things that are none of our business. Which
//! object is meant, what is skipped, and that a run says so.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::{Place, Run, files, root, tool};
use serde_json::{Value as Json, json};

/// A cluster with a parameter that is always an error.
fn cluster(name: &str, class: &str, parameters: &str) -> String {
    format!(
        "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  instances: 3\n  \
         imageName: ghcr.io/cloudnative-pg/postgresql:17.2\n  storage:\n    size: 100Gi\n    storageClass: {class}\n  \
         postgresql:\n    parameters:\n{parameters}"
    )
}

fn broken(name: &str) -> String {
    cluster(name, "fast", "      fsync: \"off\"\n")
}

fn class(name: &str, provisioner: &str, kind: &str) -> String {
    format!(
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {name}}}\nprovisioner: {provisioner}\nparameters:\n  type: {kind}\n"
    )
}

/// `check file:line` of every finding, sorted.
fn places(run: &Run) -> Vec<String> {
    let json = run.json();
    let mut places: Vec<String> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            format!("{} {}:{}", text("check"), text("file"), finding["line"])
        })
        .collect();
    places.sort();
    places
}

fn of(run: &Run, check: &str) -> Vec<String> {
    let prefix = format!("{check} ");
    places(run).iter().filter_map(|place| place.strip_prefix(&prefix)).map(str::to_owned).collect()
}

fn skipped(run: &Run) -> Vec<(String, String)> {
    let json = run.json();
    let pair = |one: &Json| (one["reason"].as_str().unwrap().to_owned(), one["path"].as_str().unwrap().to_owned());
    json["skipped"].as_array().unwrap().iter().map(pair).collect()
}

fn notes(run: &Run) -> String {
    let json = run.json();
    let notes: Vec<&str> = json["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    notes.join("\n")
}

const JSON: [&str; 3] = ["lint", "--format", "json"];

fn lint(place: &Place, arguments: &[&str]) -> Run {
    place.run(&[&JSON[..], arguments].concat())
}

/// A path without anything that renders.
const BARE: [(&str, &str); 1] = [("PATH", "/nonexistent")];

#[test]
fn what_one_of_two_clusters_of_a_name_makes_wrong_elsewhere_is_not_said() {
    let with = |plugins: &str| format!("{}  {plugins}\n", cluster("db", "fast", "      max_connections: \"100\"\n"));
    let backup = "apiVersion: postgresql.cnpg.io/v1\nkind: Backup\nmetadata: {name: now, namespace: shop}\nspec:\n  cluster: {name: db}\n  \
                  method: plugin\n  pluginConfiguration: {name: barman-cloud.cloudnative-pg.io}\n";
    let plugin =
        "plugins: [{name: barman-cloud.cloudnative-pg.io, isWALArchiver: true, parameters: {barmanObjectName: s}}]";
    let place =
        Place::new(&[("db/plain.yaml", &with("")), ("db/plugin.yaml", &with(plugin)), ("db/backup.yaml", backup)]);
    let run = lint(&place, &["db"]);
    assert_eq!(of(&run, "parameters/operator_refuses"), [""; 0]);
    assert!(
        notes(&run).contains("Cluster db (db/plain.yaml, db/plugin.yaml) is defined differently"),
        "{}",
        notes(&run)
    );

    // Whichever is meant.
    let place = Place::new(&[
        ("db/plain.yaml", &with("")),
        ("db/other.yaml", &with("enableSuperuserAccess: true")),
        ("db/backup.yaml", backup),
    ]);
    let said = of(&lint(&place, &["db"]), "parameters/operator_refuses");
    assert_eq!(said, ["db/backup.yaml:6"]);
}

#[test]
fn every_environment_is_linted_whatever_the_order_of_the_arguments() {
    let place = Place::new(&[("envs/dev/db.yaml", &broken("db")), ("envs/prod/db.yaml", &broken("db"))]);
    let both = ["envs/dev/db.yaml:12", "envs/prod/db.yaml:12"];
    let run = lint(&place, &["envs"]);
    assert_eq!(of(&run, "durability/fsync"), both);
    for arguments in [["envs/dev", "envs/prod"], ["envs/prod", "envs/dev"]] {
        assert_eq!(places(&lint(&place, &arguments)), places(&run));
    }
}

#[test]
fn the_nearest_storage_class_counts() {
    // ext4 on a disk that is known; of the class elsewhere nothing is.
    let quiet = cluster("db", "fast", "      full_page_writes: \"off\"\n");
    let attested = class("fast", "zfs.csi.openebs.io", "zfs");
    let plain = class("fast", "ebs.csi.aws.com", "gp3");
    let place = Place::new(&[
        ("a/db.yaml", &quiet),
        ("a/class.yaml", &plain),
        ("b/db.yaml", &quiet),
        ("b/class.yaml", &attested),
    ]);
    let facts = |run: &Run, file: &str| -> String {
        let json = run.json();
        let all = json["findings"].as_array().unwrap();
        let one =
            all.iter().find(|finding| finding["check"] == "durability/full_page_writes" && finding["file"] == file);
        one.map_or_else(String::new, |finding| finding["message"].to_string())
    };
    let together = lint(&place, &["."]);
    for directory in ["a", "b"] {
        let alone = lint(&place, &[directory]);
        let file = format!("{directory}/db.yaml");
        assert_eq!(facts(&together, &file), facts(&alone, &file));
    }
    assert_ne!(facts(&together, "a/db.yaml"), facts(&together, "b/db.yaml"));
}

#[test]
fn environments_do_not_lend_one_another_their_classes() {
    // Two clusters in Kubernetes clusters of their own; only that of prod has the class.
    let slow = cluster("db", "fast", "      max_wal_size: 4GB\n")
        .replace("  instances: 3", "  resources: {limits: {cpu: \"64\", memory: 64Gi}}\n  instances: 3");
    let place = Place::new(&[
        ("dev/db.yaml", &slow),
        ("prod/db.yaml", &slow),
        ("prod/storage/class.yaml", &class("fast", "ebs.csi.aws.com", "gp3")),
    ]);
    let run = lint(&place, &["--fail-on", "never", "."]);
    let of_storage: Vec<String> =
        places(&run).into_iter().filter(|place| place.contains("storage/bandwidth")).collect();
    assert!(!of_storage.is_empty(), "{}", run.seen());
    assert!(of_storage.iter().all(|place| place.contains("prod/")), "{of_storage:?}");
}

#[test]
fn what_is_not_decided_is_said_once() {
    let place = Place::new(&[
        ("apps/one.yaml", &cluster("one", "fast", "      max_wal_size: 4GB\n")),
        ("apps/two.yaml", &cluster("two", "fast", "      max_wal_size: 4GB\n")),
        ("a/class.yaml", &class("fast", "ebs.csi.aws.com", "gp3")),
        ("b/class.yaml", &class("fast", "ebs.csi.aws.com", "io2")),
    ]);
    let run = lint(&place, &["."]);
    let notes = notes(&run);
    assert_eq!(
        notes.matches("StorageClass fast (a/class.yaml, b/class.yaml) is defined differently").count(),
        1,
        "{notes}"
    );
    // Nearer to one of them it is decided.
    place.write("apps/class.yaml", class("fast", "ebs.csi.aws.com", "gp3"));
    assert_eq!(lint(&place, &["."]).json()["notes"], json!([]));
}

const KUSTOMIZATION: &str = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [db.yaml]\npatches:\n- path: patch.yaml\n";

fn patch(parameter: &str) -> String {
    format!(
        "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {{name: db, namespace: shop}}\nspec:\n  postgresql:\n    parameters:\n      {parameter}\n"
    )
}

#[test]
fn a_patch_is_no_cluster() {
    let place = Place::new(&[
        ("k/kustomization.yaml", KUSTOMIZATION),
        ("k/db.yaml", &cluster("db", "fast", "      max_wal_size: 4GB\n")),
        ("k/patch.yaml", &patch("fsync: \"off\"")),
    ]);
    for (arguments, clusters) in [(["k"], 1), (["k/patch.yaml"], 0)] {
        let run = place.run_with(&[&JSON[..], &arguments].concat(), &BARE);
        assert_eq!(run.json()["summary"]["clusters"], clusters, "{}", run.seen());
        assert_eq!(of(&run, "durability/fsync"), [""; 0]);
        assert_eq!(skipped(&run), [("patch".to_owned(), "k/patch.yaml".to_owned())]);
    }
}

#[test]
fn what_no_kustomization_lists_is_not_applied_with_it() {
    let off = cluster("db", "fast", "      fsync: \"off\"\n");
    let place = Place::new(&[
        (
            "app/kustomization.yaml",
            "resources: [db.yaml]\nconfigMapGenerator:\n- name: x\n  files: [k=generated.yaml]\n",
        ),
        ("app/db.yaml", &cluster("db", "fast", "")),
        ("app/restore.yaml", &off),
        ("app/generated.yaml", &cluster("generated", "fast", "")),
        ("app/sub/other.yaml", &cluster("other", "fast", "")),
        ("app/shared.yaml", &cluster("shared", "fast", "")),
        ("overlay/kustomization.yaml", "resources: [../app, ../app/shared.yaml]\n"),
        // This one lists a directory that is not there, and this one is Flux's own object.
        ("tree/kustomization.yaml", "resources: [one]\n"),
        ("tree/beside.yaml", &cluster("beside", "fast", "")),
        (
            "flux/kustomization.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nresources: [x.yaml]\n",
        ),
        ("flux/db.yaml", &cluster("flux", "fast", "")),
    ]);
    let run = place.run_with(&[&JSON[..], &["."]].concat(), &BARE);
    assert_eq!(run.json()["summary"]["clusters"], 6, "{}", run.seen());
    assert_eq!(of(&run, "durability/fsync"), [""; 0]);
    assert_eq!(skipped(&run), [("unlisted".to_owned(), "app/restore.yaml".to_owned())]);
    // Who names it means it.
    let run = place.run_with(&[&JSON[..], &["app/restore.yaml"]].concat(), &BARE);
    assert_eq!(of(&run, "durability/fsync").len(), 1, "{}", run.seen());
}

/// Whatever stands in the list of a kustomization that builds.
#[test]
fn what_no_kustomization_lists_is_not_applied_with_directories_either() {
    let off = cluster("db", "fast", "      fsync: \"off\"\n");
    let generator = "configMapGenerator: [{name: x, literals: [a=b]}]\n";
    let place = Place::new(&[
        ("dirs/kustomization.yaml", "resources: [sub]\n"),
        ("dirs/left.yaml", &off),
        ("dirs/sub/kustomization.yaml", "resources: [db.yaml]\n"),
        ("dirs/sub/db.yaml", &cluster("sub", "fast", "")),
        ("generator/kustomization.yaml", generator),
        ("generator/left.yaml", &off),
        ("overlay/kustomization.yaml", "resources: [../dirs]\n"),
        ("overlay/left.yaml", &off),
        ("overlay/taken.yaml", &cluster("taken", "fast", "")),
        ("other/kustomization.yaml", "resources: [../overlay/taken.yaml]\n"),
        // Applied as it is.
        ("overlay/plain/db.yaml", &cluster("plain", "fast", "")),
        // These cannot be built here, or come to nothing.
        ("remote/kustomization.yaml", "resources: ['https://github.com/example/x//deploy?ref=v1']\n"),
        ("remote/db.yaml", &cluster("remote", "fast", "")),
        ("absent/kustomization.yaml", "resources: [../sub]\n"),
        ("absent/db.yaml", &cluster("absent", "fast", "")),
        ("deep/kustomization.yaml", "resources: [../absent]\n"),
        ("deep/db.yaml", &cluster("deep", "fast", "")),
        ("secret/kustomization.yaml", "secretGenerator: [{name: x, envs: [secret.env]}]\n"),
        ("secret/db.yaml", &cluster("secret", "fast", "")),
        ("nothing/kustomization.yaml", "namespace: x\nresources: []\n"),
        ("nothing/db.yaml", &cluster("nothing", "fast", "")),
    ]);
    let run = place.run_with(&[&JSON[..], &["."]].concat(), &BARE);
    assert_eq!(run.json()["summary"]["clusters"], 8, "{}", run.seen());
    assert_eq!(of(&run, "durability/fsync"), [""; 0]);
    let left = ["dirs/left.yaml", "generator/left.yaml", "overlay/left.yaml"];
    assert_eq!(skipped(&run), left.map(|name| ("unlisted".to_owned(), name.to_owned())));
}

/// Kustomize writes an unquoted word of YAML 1.1 in quotes.
#[test]
fn words_are_text_where_a_kustomization_takes_the_file() {
    let words = cluster("db", "fast", "      jit: off\n      max_connections: 100\n");
    let place = Place::new(&[
        ("app/kustomization.yaml", "resources: [db.yaml]\n"),
        ("app/db.yaml", &words),
        ("plain/db.yaml", &words.replace("name: db", "name: plain")),
    ]);
    let run = place.run_with(&[&JSON[..], &["."]].concat(), &BARE);
    // A number is one in either.
    assert_eq!(
        of(&run, "parameters/not_text"),
        ["app/db.yaml:13", "plain/db.yaml:12", "plain/db.yaml:13"],
        "{}",
        run.seen()
    );
}

/// kuttl goes by the number, Chainsaw by its test.
#[test]
fn what_a_test_expects_is_no_cluster() {
    let expected = cluster("db", "fast", "      fsync: \"off\"\n");
    let test = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: db}\nspec: {steps: []}\n";
    let place = Place::new(&[
        ("e2e/00-create-db.yaml", &cluster("made", "fast", "")),
        ("e2e/01-assert.yaml", &expected),
        ("e2e/02-db_cluster-assert.yaml", &expected),
        ("e2e/03-errors.yaml", &expected),
        ("chainsaw/chainsaw-test.yaml", test),
        ("chainsaw/assert-db.yaml", &expected),
        ("plain/errors.yaml", &cluster("errors", "fast", "")),
    ]);
    let run = place.run_with(&[&JSON[..], &["."]].concat(), &BARE);
    assert_eq!(run.json()["summary"]["clusters"], 2, "{}", run.seen());
    assert_eq!(of(&run, "durability/fsync"), [""; 0]);
    let names =
        ["chainsaw/assert-db.yaml", "e2e/01-assert.yaml", "e2e/02-db_cluster-assert.yaml", "e2e/03-errors.yaml"];
    assert_eq!(skipped(&run), names.map(|name| ("expectation".to_owned(), name.to_owned())));
}

#[test]
fn what_a_patch_may_change_is_unknown_where_nothing_renders() {
    let place = Place::new(&[
        ("k/kustomization.yaml", KUSTOMIZATION),
        ("k/db.yaml", &cluster("db", "fast", "      fsync: \"off\"\n      full_page_writes: \"off\"\n")),
        ("k/patch.yaml", &patch("fsync: \"on\"")),
    ]);
    let run = place.run_with(&[&JSON[..], &["k"]].concat(), &BARE);
    assert_eq!(of(&run, "durability/fsync"), [""; 0]);
    assert_eq!(of(&run, "durability/full_page_writes"), ["k/db.yaml:13"]);
    assert!(
        notes(&run).contains("k/kustomization.yaml not rendered (neither kustomize nor kubectl is installed)"),
        "{}",
        notes(&run)
    );
    assert!(notes(&run).contains("`kustomize build k | walguard lint -`"), "{}", notes(&run));
}

/// Kustomize puts a namespace into what it renders; where it does not run, all that name the file have to agree.
#[test]
fn the_namespace_of_a_kustomization_counts_where_nothing_renders() {
    let elsewhere = cluster("db", "fast", "      fsync: \"off\"\n").replace("namespace: shop", "namespace: elsewhere");
    let base = "resources: [db.yaml]\nnamespace: inner\n";
    let overlay = "resources: [../base]\nnamespace: shop\n";
    let place = Place::new(&[
        ("base/kustomization.yaml", base),
        ("base/db.yaml", &elsewhere),
        ("overlay/kustomization.yaml", overlay),
    ]);
    let namespaces = |place: &Place| -> Vec<String> {
        let run = place.run_with(&[&JSON[..], &["."]].concat(), &BARE);
        let findings = run.json()["findings"].as_array().unwrap().clone();
        findings
            .iter()
            .filter(|found| found["check"] == "durability/fsync")
            .map(|found| found["resource"]["namespace"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(namespaces(&place), ["shop"]);
    place.write("other/kustomization.yaml", overlay.replace("shop", "other"));
    assert_eq!(namespaces(&place), ["elsewhere"]);
    // What a patch that is not there changes is unknown.
    place.write("other/kustomization.yaml", format!("{overlay}patches: [{{path: absent.yaml}}]\n"));
    assert_eq!(namespaces(&place), ["elsewhere"]);
}

/// A path with kubectl.
fn with_kubectl() -> String {
    let kubectl = tool("kubectl");
    format!("{}:/usr/bin:/bin", kubectl.parent().unwrap().display())
}

#[test]
fn an_overlay_is_judged_as_it_is_rendered_and_shown_where_it_is_written() {
    let overlay =
        |patch: &str| format!("resources: [../base]\nnamespace: prod\nnamePrefix: prod-\npatches:\n- path: {patch}\n");
    let place = Place::new(&[
        ("base/kustomization.yaml", "resources: [db.yaml]\n"),
        ("base/db.yaml", &cluster("db", "fast", "      fsync: \"off\"\n      full_page_writes: \"off\"\n")),
        ("prod/kustomization.yaml", &overlay("patch.yaml")),
        ("prod/patch.yaml", &patch("fsync: \"on\"\n      wal_level: \"minimal\"")),
        ("dev/kustomization.yaml", &overlay("off.yaml").replace("prod", "dev")),
        ("dev/off.yaml", &patch("fsync: \"off\"\n      full_page_writes: \"on\"")),
    ]);
    let path = with_kubectl();
    let run = place.run_with(&[&JSON[..], &["."]].concat(), &[("PATH", &path)]);
    assert_eq!(of(&run, "durability/fsync"), ["dev/off.yaml:7"], "{}", run.seen());
    assert_eq!(of(&run, "durability/full_page_writes"), ["base/db.yaml:13"], "{}", run.seen());
    let json = run.json();
    let one =
        json["findings"].as_array().unwrap().iter().find(|finding| finding["check"] == "durability/fsync").unwrap();
    assert_eq!((&one["resource"]["namespace"], &one["resource"]["name"]), (&json!("dev"), &json!("dev-db")));
    assert_eq!(json["summary"]["clusters"], 2);
}

#[test]
fn an_overlay_that_is_given_alone_is_rendered_with_the_base_beside_it() {
    let place = Place::new(&[
        ("base/kustomization.yaml", "resources: [db.yaml]\n"),
        ("base/db.yaml", &cluster("db", "fast", "      fsync: \"off\"\n")),
        ("prod/kustomization.yaml", "resources: [../base]\nnamespace: prod\nnamePrefix: prod-\n"),
    ]);
    let path = with_kubectl();
    let named = |run: &Run| run.json()["findings"][0]["resource"]["name"].as_str().unwrap_or_default().to_owned();
    let run = place.run_with(&[&JSON[..], &["prod"]].concat(), &[("PATH", &path)]);
    assert_eq!(of(&run, "durability/fsync"), ["base/db.yaml:12"], "{}", run.seen());
    assert_eq!(named(&run), "prod-db");
    // So is the working directory.
    let place = Place::new(&[
        ("kustomization.yaml", "resources: [db.yaml]\nnamespace: own\nnamePrefix: own-\n"),
        ("db.yaml", &cluster("db", "fast", "      fsync: \"off\"\n")),
    ]);
    let run = place.run_with(&[&JSON[..], &["."]].concat(), &[("PATH", &path)]);
    assert_eq!(of(&run, "durability/fsync"), ["db.yaml:12"], "{}", run.seen());
    assert_eq!(named(&run), "own-db");
}

#[test]
fn an_overlay_that_fetches_something_is_not_rendered() {
    let place = Place::new(&[
        ("k/kustomization.yaml", "resources: [db.yaml, 'https://example.com/x.yaml']\nnamePrefix: x-\n"),
        ("k/db.yaml", &broken("db")),
    ]);
    let path = with_kubectl();
    let run = place.run_with(&[&JSON[..], &["k"]].concat(), &[("PATH", &path)]);
    assert_eq!(of(&run, "durability/fsync"), ["k/db.yaml:12"]);
    assert!(notes(&run).contains("it names something that would have to be fetched"), "{}", notes(&run));
}

/// What one overlay takes out, another one that cannot be rendered may keep; what the first one renders is not judged twice.
#[test]
fn what_an_overlay_drops_is_judged_where_another_one_is_not_rendered() {
    let overlay = |rest: &str| format!("resources: [../base]\nnamespace: shop\n{rest}");
    let drops = "patches:\n- patch: |\n    $patch: delete\n    apiVersion: postgresql.cnpg.io/v1\n    kind: Cluster\n    metadata: {name: db, namespace: shop}\n";
    let place = Place::new(&[
        ("base/kustomization.yaml", "resources: [db.yaml, other.yaml]\n"),
        ("base/db.yaml", &broken("db")),
        ("base/other.yaml", &broken("other")),
        ("dev/kustomization.yaml", &overlay(drops)),
    ]);
    let path = with_kubectl();
    let judged =
        |place: &Place| of(&place.run_with(&[&JSON[..], &["."]].concat(), &[("PATH", &path)]), "durability/fsync");
    assert_eq!(judged(&place), ["base/other.yaml:12"]);
    place.write(
        "prod/kustomization.yaml",
        overlay("resources: [../base, absent.yaml]\n").replacen("resources: [../base]\n", "", 1),
    );
    assert_eq!(judged(&place), ["base/db.yaml:12", "base/other.yaml:12"]);
}

fn chart() -> Place {
    let templated = cluster("db", "fast", "      {{- toYaml .Values.parameters | nindent 6 }}\n");
    Place::new(&[
        ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("charts/db/values.yaml", "parameters:\n  fsync: \"off\"\n"),
        ("charts/db/templates/db.yaml", &templated),
        ("charts/db/templates/_helpers.tpl", "{{- define \"x\" }}{{ end }}\n"),
        ("deploy/db.yaml", &cluster("other", "fast", "      max_wal_size: 4GB\n")),
    ])
}

#[test]
fn a_chart_is_skipped_with_one_line() {
    let place = chart();
    let run = lint(&place, &["."]);
    assert_eq!(
        (run.code, skipped(&run)),
        (Some(0), vec![("chart".to_owned(), "charts/db".to_owned())]),
        "{}",
        run.seen()
    );
    let seen = place.run(&["lint", "--color", "never", "."]).stdout;
    let line = "Skipped: 1 Helm chart not rendered (charts/db; --render renders them with helm); -v lists them";
    assert!(seen.lines().any(|seen| seen == line), "{seen}");
    // Nothing but a chart is no failure, and a template that is named is none either.
    assert_eq!(lint(&place, &["charts"]).code, Some(0));
    let named = lint(&place, &["charts/db/templates/db.yaml"]);
    assert_eq!((named.code, skipped(&named)[0].0.as_str()), (Some(0), "template"));
}

#[test]
fn a_chart_is_rendered_on_request() {
    let place = chart();
    let path = with_helm();
    let flag = place.run_with(&[&JSON[..], &["--render", "."]].concat(), &[("PATH", &path)]);
    // The value comes from values.yaml, and is shown there.
    assert_eq!(of(&flag, "durability/fsync"), ["charts/db/values.yaml:2"], "{}", flag.seen());
    assert_eq!(skipped(&flag), []);
    place.write("charts/walguard.yaml", "version: 1\nrender: true\n");
    let configured = place.run_with(&[&JSON[..], &["."]].concat(), &[("PATH", &path)]);
    assert_eq!(of(&configured, "durability/fsync"), of(&flag, "durability/fsync"));

    let without = place.run_with(&[&JSON[..], &["."]].concat(), &BARE);
    assert_eq!(skipped(&without)[0].0, "chart");
    assert!(
        notes(&without).contains("the Helm chart charts/db was not rendered: helm is not installed"),
        "{}",
        notes(&without)
    );
}

/// A path with helm.
fn with_helm() -> String {
    format!("{}:/usr/bin:/bin", tool("helm").parent().unwrap().display())
}

/// A chart that has its values from those that depend on it.
fn charts() -> Place {
    let templated = cluster(
        "{{ .Release.Name }}-{{ .Chart.Name }}",
        "fast",
        "      {{- toYaml .Values.parameters | nindent 6 }}\n",
    );
    let parent = |name: &str, rest: &str| {
        format!(
            "apiVersion: v2\nname: {name}\nversion: 1.0.0\ndependencies:\n- {{name: db, version: 1.0.0, repository: 'file://../deps/db'{rest}\n"
        )
    };
    let parameters = |called: &str, value: &str| format!("{called}:\n  parameters:\n    fsync: \"{value}\"\n");
    Place::new(&[
        ("deps/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("deps/db/values.yaml", "parameters:\n  fsync: \"off\"\n"),
        ("deps/db/templates/db.yaml", &templated),
        ("one/Chart.yaml", &parent("one", ", alias: main}")),
        ("one/values.yaml", &parameters("main", "on")),
        ("two/Chart.yaml", &parent("two", "}\n- {name: else, version: 1.0.0, repository: 'https://example.com'}")),
        ("two/values.yaml", &parameters("db", "on")),
        ("two/templates/own.yaml", "{{ include \"else.name\" . }}\n"),
    ])
}

#[test]
fn a_chart_that_others_depend_on_is_judged_with_their_values() {
    let place = charts();
    let path = with_helm();
    let render = |place: &Place, paths: &[&str]| {
        place.run_with(&[&JSON[..], &["--render"], paths].concat(), &[("PATH", path.as_str())])
    };
    let run = render(&place, &["."]);
    assert_eq!(of(&run, "durability/fsync"), [""; 0], "{}", run.seen());
    assert_eq!(run.json()["summary"]["clusters"], 2, "{}", run.seen());
    assert_eq!(notes(&run), "the Helm chart two was rendered in part: else would have to be fetched");
    assert_eq!(skipped(&run), [("chart".to_owned(), "two".to_owned())]);
    // Nothing is written into the repository.
    assert!(!place.path().join("one/charts").exists() && !place.path().join("one/Chart.lock").exists());

    // A value of the parent is shown there.
    place.write("one/values.yaml", "main:\n  parameters:\n    fsync: \"off\"\n    full_page_writes: \"off\"\n");
    let run = render(&place, &["."]);
    assert_eq!(of(&run, "durability/full_page_writes"), ["one/values.yaml:4"], "{}", run.seen());

    // Alone where nothing else renders it.
    let run = render(&place, &["deps"]);
    assert_eq!(of(&run, "durability/fsync"), ["deps/db/values.yaml:2"], "{}", run.seen());
    fs::remove_dir_all(place.path().join("two")).unwrap();
    place.write("one/values.yaml", "main: {\n");
    let run = render(&place, &["."]);
    assert_eq!(of(&run, "durability/fsync"), ["deps/db/values.yaml:2"], "{}", run.seen());
    assert!(notes(&run).contains("the Helm chart one was not rendered: helm: "), "{}", notes(&run));
}

#[test]
fn a_place_in_a_rendered_chart_is_one_that_says_so() {
    let template = |parameters: &str| cluster("db", "fast", parameters);
    let place = chart();
    let path = with_helm();
    let run = |parameters: &str| {
        place.write("charts/db/templates/db.yaml", template(parameters));
        place.write("charts/db/values.yaml", "max_wal_size: 1GB\nfsync: \"off\"\n");
        place.run_with(&[&JSON[..], &["--render", "charts"]].concat(), &[("PATH", path.as_str())])
    };
    let of_lines = |run: &Run| -> Vec<String> {
        let findings = run.json()["findings"].as_array().unwrap().clone();
        let twice = findings.iter().filter(|found| found["check"] == "manifest/duplicate_key");
        twice.map(|found| found["message"].as_str().unwrap().split(':').next().unwrap().to_owned()).collect()
    };
    // The value is another one in the values.
    let wrong = run("      {{ \"max_wal_size\" }}: \"{{ .Values.max_wal_size }}}\"\n");
    assert_eq!(of(&wrong, "parameters/invalid_value"), ["charts/db/templates/db.yaml:1"], "{}", wrong.seen());

    let head = "      {{- if true }}\n      # x\n      {{- end }}\n";
    let twice = run(&format!(
        "{head}      fsync: {{{{ .Values.fsync | quote }}}}\n      fsync: {{{{ .Values.fsync | quote }}}}\n"
    ));
    assert_eq!(of_lines(&twice), ["spec.postgresql.parameters.fsync is written twice, on lines 15 and 16"]);
    assert_eq!(of(&twice, "manifest/duplicate_key"), ["charts/db/templates/db.yaml:16"]);

    let repeated = run("      {{- range list 1 2 }}\n      fsync: \"off\"\n      {{- end }}\n");
    assert_eq!(
        of_lines(&repeated),
        ["spec.postgresql.parameters.fsync is written twice, on lines 14 and 15 of what helm renders"],
        "{}",
        repeated.seen()
    );
}

#[test]
fn only_manifests_can_be_broken() {
    let place = Place::new(&[
        ("ansible/db.yml", "{% for x in y %}\napiVersion: v1\nkind: Pod\n{% endfor %}\n"),
        (
            "go/db.yaml",
            "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata:\n  {{ if .x }}\n  name: x\n  {{ end }}\n",
        ),
        ("other/broken.yaml", "a: [1,\n"),
        ("other/tsconfig.json", "{ // comment\n \"kind\": \"Cluster\", }\n"),
        ("good.yaml", &cluster("db", "fast", "      max_wal_size: 4GB\n")),
    ]);
    let run = lint(&place, &["."]);
    assert_eq!((run.code, &run.json()["errors"]), (Some(0), &json!([])), "{}", run.seen());
    let reasons: Vec<(String, String)> = skipped(&run);
    assert!(reasons.contains(&("template".to_owned(), "go/db.yaml".to_owned())), "{reasons:?}");
    assert!(reasons.contains(&("template".to_owned(), "ansible/db.yml".to_owned())), "{reasons:?}");

    place.write("manifest.yaml", "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: [x\n");
    let run = lint(&place, &["."]);
    assert_eq!((run.code, &run.json()["errors"][0]["file"]), (Some(2), &json!("manifest.yaml")));
    // Who names a file wants it read.
    assert_eq!(lint(&place, &["other/broken.yaml"]).code, Some(2));
}

#[test]
fn patterns_exclude_files_as_in_ruff() {
    let place = Place::new(&[
        ("a/db.yaml", &broken("a")),
        ("tests/a/db.yaml", &broken("b")),
        ("vendor/x/db.yaml", &broken("c")),
        ("walguard.yaml", "version: 1\nexclude: [tests/, '**/x/*.yaml']\n"),
    ]);
    let fsync = |run: &Run| of(run, "durability/fsync");
    let run = lint(&place, &["."]);
    assert_eq!(fsync(&run), ["a/db.yaml:12"]);
    let excluded = |path: &str| ("excluded".to_owned(), path.to_owned());
    assert_eq!(skipped(&run), [excluded("tests/a/db.yaml"), excluded("vendor/x/db.yaml")]);
    assert_eq!(lint(&place, &["--exclude", "a/", "."]).json()["findings"], json!([]));
    // What is named is read, unless a hook says otherwise.
    assert_eq!(fsync(&lint(&place, &["tests/a/db.yaml"])), ["tests/a/db.yaml:12"]);
    assert_eq!(skipped(&lint(&place, &["--force-exclude", "tests/a/db.yaml"])), [excluded("tests/a/db.yaml")]);
    place.write("walguard.yaml", "version: 1\nexclude: tests/\n");
    let wrong = place.run(&["lint", "."]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("walguard.yaml:2:10: exclude must be a list of patterns as in .gitignore"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn severities_differ_by_path() {
    let of_files = |more: &str| {
        format!(
            "version: 1\nnamespaces: [{{names: ['*'], checks: {{durability/fsync: {{severity: warning}}}}}}]\nfiles:\n\
             - {{paths: [dev/], checks: {{durability/fsync: {{severity: off}}}}}}\n{more}"
        )
    };
    let place = Place::new(&[
        ("prod/db.yaml", &broken("a")),
        ("dev/db.yaml", &broken("b")),
        ("dev/keep/db.yaml", &broken("c")),
        ("walguard.yaml", &of_files("- {paths: [keep/], checks: {durability/fsync: {severity: info}}}\n")),
    ]);
    let severities = |run: &Run| -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let findings = run.json()["findings"].as_array().unwrap().clone();
        let of_fsync = findings.iter().filter(|finding| finding["check"] == "durability/fsync");
        of_fsync.map(|finding| (text(&finding["file"]), text(&finding["severity"]))).collect()
    };
    let expected = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter().map(|(file, severity)| ((*file).to_owned(), (*severity).to_owned())).collect()
    };
    // Later entries override earlier ones, and namespaces.
    let found = severities(&lint(&place, &["."]));
    assert_eq!(found, expected(&[("prod/db.yaml", "warning"), ("dev/keep/db.yaml", "info")]));
    // A file that is named, and one from elsewhere.
    assert_eq!(severities(&lint(&place, &["dev/db.yaml"])), []);
    let stdin = place.feed(&["lint", "-o", "json", "-"], broken("d").as_bytes());
    assert_eq!(severities(&stdin), expected(&[("<stdin>", "warning")]));

    // A waiver is used, whichever of its files needs it.
    let waiver =
        "waivers: [{check: durability/fsync, resource: {namespace: '*'}, reason: r, owner: o, expires: 2099-01-01}]\n";
    place.write("walguard.yaml", of_files(waiver));
    assert_eq!(of(&lint(&place, &["."]), "policy/waiver_unused"), Vec::<String>::new());

    for (entry, message) in [
        ("- {paths: dev/, checks: {}}\n", "paths must be a list of patterns as in .gitignore"),
        ("- {checks: {}}\n", "paths is missing"),
        ("- {paths: [dev/]}\n", "checks is missing"),
        ("- {paths: [dev/], checks: {durability/fsnc: {severity: off}}}\n", "there is no check durability/fsnc"),
        ("- {paths: [dev/], checks: {}, mode: warn}\n", "there is no key mode here"),
        ("- dev/\n", "an entry of files has paths and checks"),
    ] {
        place.write("walguard.yaml", of_files(entry));
        let run = place.run(&["lint", "."]);
        assert!(run.code == Some(2) && run.stderr.contains(message), "{entry}{}", run.stderr);
    }
}

#[test]
fn the_configuration_of_a_file_is_the_nearest_above_it() {
    let off = "version: 1\nchecks: {durability/fsync: {severity: off}}\n";
    let place = Place::new(&[
        ("a/deep/db.yaml", &broken("a")),
        ("a/.walguard.yaml", off),
        ("b/db.yaml", &broken("b")),
        ("elsewhere/x", ""),
    ]);
    let fsync = |run: &Run| of(run, "durability/fsync");
    assert_eq!(fsync(&lint(&place, &["."])), ["b/db.yaml:12"]);
    let root = place.path().display().to_string();
    // From wherever it is called.
    let nested = Place::new(&[]);
    assert_eq!(fsync(&lint(&nested, &[&format!("{root}/a")])), [""; 0]);
    // A flag is for all files.
    place.write("flag.yaml", off);
    assert_eq!(fsync(&lint(&place, &["--config", "flag.yaml", "."])), [""; 0]);
    let seen = place.run(&["lint", "-v", "--fail-on", "never", "."]);
    assert!(seen.stderr.contains("using a/.walguard.yaml"), "{}", seen.seen());
}

#[test]
fn ignored_and_hidden_paths_are_counted() {
    let place = Place::new(&[
        (".git/HEAD", ""),
        (".gitignore", "build/\n*.local.yaml\n!keep.local.yaml\n"),
        ("build/db.yaml", &broken("a")),
        ("x.local.yaml", &broken("b")),
        ("keep.local.yaml", &broken("c")),
        (".archive/db.yaml", &broken("d")),
        (".empty/readme", ""),
        ("sub/.gitignore", "/own.yaml\n"),
        ("sub/own.yaml", &broken("e")),
    ]);
    let run = lint(&place, &["."]);
    assert_eq!(of(&run, "durability/fsync"), ["keep.local.yaml:12"]);
    let ignored = |path: &str| ("ignored".to_owned(), path.to_owned());
    assert_eq!(
        skipped(&run),
        [
            ignored("build"),
            ignored("sub/own.yaml"),
            ignored("x.local.yaml"),
            ("hidden".to_owned(), ".archive".to_owned())
        ]
    );
    let seen = place.run(&["lint", "--color", "never", "."]).stdout;
    assert!(seen.contains("Skipped: 3 paths in .gitignore, 1 hidden path; -v lists them"), "{seen}");
    assert_eq!(of(&lint(&place, &["--no-respect-gitignore", "."]), "durability/fsync").len(), 4);
    assert_eq!(of(&lint(&place, &["sub"]), "durability/fsync"), [""; 0]);
}

#[test]
fn clusters_inside_of_other_objects_are_checked_where_they_stand() {
    let cluster = "{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: pg}, spec: {postgresql: {parameters: {fsync: 'off'}}}}";
    let holder = |head: &str, tail: &str| format!("{head}\n      - {cluster}\n{tail}");
    let template = holder("apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: a}\nobjects:", "");
    let work = holder(
        "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: a}\nspec:\n  workload:\n    manifests:",
        "",
    );
    let bundle = holder("apiVersion: example.com/v1\nkind: Bundle\nitems:", "");
    // What another program makes of it is not known.
    let policy = holder("apiVersion: example.com/v1\nkind: Composition\nmetadata: {name: a}\nspec:\n  base:", "");
    // A text that is filled in is not known, and the rest is.
    let graph = "apiVersion: kro.run/v1alpha1\nkind: ResourceGraphDefinition\nmetadata: {name: a}\nspec:\n  resources:\n    - id: db\n      template:\n        \
         apiVersion: postgresql.cnpg.io/v1\n        kind: Cluster\n        metadata: {name: '${schema.spec.name}'}\n        spec:\n          \
         storage: {size: '${schema.spec.size}'}\n          postgresql: {parameters: {fsync: 'off', max_wal_size: '${schema.spec.wal}'}}\n";
    let synchronized =
        holder("apiVersion: hive.openshift.io/v1\nkind: SyncSet\nmetadata: {name: a}\nspec:\n  resources:", "");
    let place = Place::new(&[
        ("a.yaml", &template),
        ("b.yaml", &work),
        ("c.yaml", &bundle),
        ("d.yaml", &policy),
        ("e.yaml", graph),
        ("f.yaml", &synchronized),
    ]);
    let run = lint(&place, &["."]);
    assert_eq!(of(&run, "durability/fsync"), ["a.yaml:5", "b.yaml:7", "c.yaml:4", "e.yaml:13", "f.yaml:6"]);
    assert_eq!(of(&run, "parameters/invalid_value"), [""; 0]);
}

#[test]
fn values_of_charts_that_were_not_read_are_named() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: pg}\nspec:\n  chart:\n    spec: {chart: pg-db, sourceRef: {kind: HelmRepository, name: percona}}\n";
    let place = Place::new(&[("a.yaml", release), ("b.yaml", release), ("c.yaml", &release.replace("pg-db", "redis"))]);
    let run = lint(&place, &["."]);
    assert_eq!(
        run.json()["notes"],
        json!(["Values of the chart pg-db of 2 HelmReleases were not read: a.yaml:1, b.yaml:1"])
    );
    assert_eq!(run.code, Some(0));
    let seen = place.run(&["lint", "."]).stdout;
    assert!(
        seen.starts_with("No findings in what was read, 3 documents (no PostgreSQL cluster among them)\n"),
        "{seen}"
    );
}

/// An Application of Argo CD with CloudNativePG's chart.
fn application(helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: pg-cluster, namespace: argocd}}\nspec:\n  \
         destination: {{namespace: shop}}\n  source:\n    chart: cluster\n    repoURL: https://cloudnative-pg.github.io/charts\n    \
         helm:\n{helm}"
    )
}

#[test]
fn values_of_applications_are_read_in_every_form() {
    let object = "      valuesObject:\n        cluster:\n          postgresql:\n            parameters:\n              fsync: \"off\"\n";
    let text = "      values: |\n        # of ours\n        cluster:\n          postgresql:\n            parameters:\n              fsync: \"off\"\n";
    let parameters = "      parameters:\n        - {name: cluster.instances, value: \"3\"}\n        - name: cluster.postgresql.parameters.fsync\n          value: \"off\"\n          forceString: true\n";
    for (helm, line) in [(object, 14), (text, 15), (parameters, 13)] {
        let place = Place::new(&[("app.yaml", &application(helm))]);
        let run = lint(&place, &["."]);
        assert_eq!(of(&run, "durability/fsync"), [format!("app.yaml:{line}")], "{}", run.seen());
        assert_eq!(run.json()["notes"], json!([]));
    }
    // Of several sources each is a release.
    let several = application(text).replace(
        "  source:\n    chart",
        "  sources:\n  - {repoURL: https://example.com/x.git, ref: values}\n  - chart",
    );
    let place = Place::new(&[("app.yaml", &several)]);
    assert_eq!(of(&lint(&place, &["."]), "durability/fsync"), ["app.yaml:16"]);
}

/// Values of Bitnami's chart `postgresql` that switch off what keeps data.
const BITNAMI: &str =
    "primary:\n  extendedConfiguration: |\n    # of ours\n    fsync = off\n  persistence:\n    enabled: false\n";

/// A text, each line of it further in.
fn indented(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

#[test]
fn values_of_bitnamis_chart_are_read_however_they_come() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: pg, namespace: shop}\nspec:\n  chart:\n    \
                   spec: {chart: postgresql, version: 15.5.1, sourceRef: {kind: HelmRepository, name: bitnami}}\n  values:\n";
    let k3s = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: pg, namespace: kube-system}\nspec:\n  chart: postgresql\n  \
               repo: https://charts.bitnami.com/bitnami\n  targetNamespace: shop\n  valuesContent: |\n";
    let kustomization = "helmCharts:\n- name: postgresql\n  repo: https://charts.bitnami.com/bitnami\n  releaseName: pg\n  \
                         namespace: shop\n";
    let chart = "apiVersion: v2\nname: db\nversion: 0.1.0\ndependencies:\n- {name: postgresql, version: ~15.5, repository: \"oci://registry-1.docker.io/bitnamicharts\"}\n";
    let bundle = release.replace("chart: postgresql", "chart: keycloak");
    let cases = [
        (vec![("a.yaml", format!("{release}{}", indented(BITNAMI, 4)))], "a.yaml", 7),
        (vec![("a.yaml", format!("{k3s}{}", indented(BITNAMI, 4)))], "a.yaml", 8),
        (
            vec![("kustomization.yaml", format!("{kustomization}  valuesInline:\n{}", indented(BITNAMI, 4)))],
            "kustomization.yaml",
            6,
        ),
        (
            vec![
                ("kustomization.yaml", format!("{kustomization}  valuesFile: pg.yaml\n")),
                ("pg.yaml", BITNAMI.to_owned()),
            ],
            "pg.yaml",
            0,
        ),
        (
            vec![("Chart.yaml", chart.to_owned()), ("values.yaml", format!("postgresql:\n{}", indented(BITNAMI, 2)))],
            "values.yaml",
            1,
        ),
        (
            vec![("a.yaml", format!("{bundle}    postgresql:\n      enabled: true\n{}", indented(BITNAMI, 6)))],
            "a.yaml",
            9,
        ),
        (vec![("values.yaml", format!("auth: {{postgresPassword: x}}\n{BITNAMI}"))], "values.yaml", 1),
    ];
    for (files, name, before) in cases {
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
        let run = lint(&Place::new(&files), &["."]);
        assert_eq!(of(&run, "durability/fsync"), [format!("{name}:{}", before + 4)], "{}", run.seen());
        assert_eq!(of(&run, "durability/ephemeral_volume"), [format!("{name}:{}", before + 6)], "{}", run.seen());
        assert_eq!(run.json()["notes"], json!([]), "{}", run.seen());
    }
}

#[test]
fn values_of_somebody_elses_chart_are_nobodys() {
    let values = format!("auth: {{postgresPassword: x}}\n{BITNAMI}");
    // The chart's own defaults, its tests, and a file of another chart.
    let vendored = [
        ("postgresql/Chart.yaml", "apiVersion: v2\nname: postgresql\nversion: 15.5.1\n"),
        ("postgresql/values.yaml", &*values),
        ("postgresql/ci/small-values.yaml", &*values),
        (
            "mysql.yaml",
            "architecture: standalone\nauth: {rootPassword: postgres}\nprimary: {persistence: {enabled: false}}\n",
        ),
    ];
    let run = lint(&Place::new(&vendored), &["."]);
    assert_eq!(places(&run), [""; 0]);
    assert_eq!(run.json()["notes"], json!([]));
}

#[test]
fn values_of_applications_that_lie_elsewhere_are_named() {
    for helm in [
        "      valueFiles: [$values/pg.yaml]\n",
        "      values: \"a: [\"\n",
        "      parameters: [{name: \"a[0]\", value: x}]\n",
    ] {
        let place = Place::new(&[("app.yaml", &application(helm))]);
        let run = lint(&place, &["."]);
        assert_eq!(
            run.json()["notes"],
            json!(["Values of the chart cluster of 1 Application were not read: app.yaml:1"]),
            "{}",
            run.seen()
        );
    }
}

#[test]
fn charts_that_kustomizations_and_charts_release_are_named() {
    let repository = "https://cloudnative-pg.github.io/charts";
    let place = Place::new(&[
        (
            "db/Chart.yaml",
            &format!(
                "apiVersion: v2\nname: db\nversion: 1.0.0\ndependencies:\n  - {{name: cluster, version: 0.3.1, repository: {repository}}}\n"
            ),
        ),
        ("db/values.yaml", "cluster: {cluster: {instances: 1}}\n"),
        ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: redis}]\n"),
        ("broken/Chart.yaml", "dependencies: [\n"),
        (
            "app/kustomization.yaml",
            &format!("helmCharts:\n  - {{name: cluster, repo: {repository}, releaseName: pg}}\n"),
        ),
    ]);
    let run = lint(&place, &["."]);
    assert_eq!(
        run.json()["notes"],
        json!([
            "Values of the chart cluster of 1 Kustomization were not read: app/kustomization.yaml:1",
            "Values of the chart cluster of 1 parent chart were not read: db/Chart.yaml:1",
        ]),
        "{}",
        run.seen()
    );
}

#[test]
fn what_context_disagrees_on_is_said_once() {
    let place = Place::new(&[
        ("apps/one.yaml", &cluster("one", "fast", "      max_wal_size: 4GB\n")),
        ("apps/two.yaml", &cluster("two", "fast", "      max_wal_size: 4GB\n")),
        ("a/class.yaml", &class("fast", "ebs.csi.aws.com", "gp3")),
        ("b/class.yaml", &class("fast", "ebs.csi.aws.com", "io2")),
    ]);
    let run = lint(&place, &["--context", "a", "--context", "b", "apps"]);
    assert_eq!(
        run.json()["notes"],
        json!([
            "StorageClass fast (a/class.yaml, b/class.yaml) is defined differently in files of --context; it is taken as not found"
        ])
    );
    assert_eq!(lint(&place, &["--context", "a", "apps"]).json()["notes"], json!([]));
}

#[test]
fn one_fault_in_many_files_is_one_entry_for_people() {
    let files: Vec<(String, String)> =
        (1..=13).map(|number| (format!("{number:02}/db.yaml"), broken(&format!("db{number}")))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = Place::new(&files);
    let run = place.run(&["lint", "."]);
    assert_eq!(run.stdout.matches("error[durability/fsync]").count(), 1, "{}", run.stdout);
    assert!(
        run.stdout.contains("also: 02/db.yaml:12, 03/db.yaml:12, 04/db.yaml:12 and 9 more places"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("13 errors"), "{}", run.stdout);
    assert!(place.run(&["lint", "-v", "."]).stdout.contains("13/db.yaml:12"));
    // A place each for programs, and for editors that jump to it.
    assert_eq!(of(&lint(&place, &["."]), "durability/fsync").len(), 13);
    for (format, mark) in [
        ("concise", "error[durability/fsync]"),
        ("github", "::error file="),
        ("sarif", "\"ruleId\": \"durability/fsync\""),
    ] {
        let out = place.run(&["lint", "--format", format, "."]).stdout;
        assert_eq!(out.matches(mark).count(), 13, "{format}: {out}");
    }
    let table = place.run(&["lint", "--format", "markdown", "."]).stdout;
    assert_eq!(table.matches("| error |").count(), 1, "{table}");
}

#[test]
fn a_default_of_an_operator_is_one_entry_with_the_number_of_clusters() {
    let example = fs::read_to_string(root().join("rules/operators/kubeblocks/bare.yaml")).unwrap();
    let files: Vec<(String, String)> = ["a", "b", "c"]
        .iter()
        .map(|name| (format!("{name}.yaml"), example.replace("name: bare", &format!("name: {name}"))))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = Place::new(&files);
    let run = place.run(&["lint", "--info", "--fail-on", "never", "."]);
    assert_eq!(run.stdout.matches("info[wal/init_zero_filesystem]").count(), 1, "{}", run.stdout);
    assert!(run.stdout.contains("a default of KubeBlocks in 3 clusters: b.yaml:"), "{}", run.stdout);
    let json = lint(&place, &["--fail-on", "never", "."]).json();
    let defaults: Vec<&Json> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["check"] == "wal/init_zero_filesystem")
        .map(|finding| &finding["default_of"])
        .collect();
    assert_eq!(defaults, [&json!("KubeBlocks"); 3]);
}

#[test]
fn an_include_leads_nowhere_else() {
    let place = Place::new(&[
        ("secret.conf", "application_name = 'TOKEN'\n"),
        (
            "server/postgresql.conf",
            "include '../secret.conf'\ninclude '/proc/self/environ'\ninclude 'link.conf'\ninclude_dir '/proc/self'\nfsync = off\ninclude 'sub/own.conf'\n",
        ),
        ("server/sub/own.conf", "full_page_writes = off\n"),
    ]);
    std::os::unix::fs::symlink("/proc/self/environ", place.path().join("server/link.conf")).unwrap();
    std::os::unix::fs::symlink("/proc/self/environ", place.path().join("server/postgresql.auto.conf")).unwrap();
    std::os::unix::fs::symlink("/proc/self/environ", place.path().join("environ.yaml")).unwrap();
    let run = place.run_with(&[&JSON[..], &["."]].concat(), &[("WALGUARD_TEST_TOKEN", "s3cr3t")]);
    assert!(!run.stdout.contains("TOKEN") && !run.stderr.contains("s3cr3t"), "{}", run.seen());
    assert_eq!(notes(&run).matches("was not read: it is outside").count(), 4, "{}", notes(&run));
    assert_eq!(of(&run, "durability/fsync"), ["server/postgresql.conf:5"]);
    assert!(
        of(&run, "durability/full_page_writes").contains(&"server/sub/own.conf:1".to_owned()),
        "{:?}",
        places(&run)
    );
    assert!(skipped(&run).contains(&("link".to_owned(), "environ.yaml".to_owned())), "{:?}", skipped(&run));
}

// A repository holds the configuration of a container, and not the container.
#[test]
fn files_of_another_machine_are_no_fault() {
    let place = Place::new(&[(
        "postgresql.conf",
        "include '/nowhere/custom.conf'\ninclude_dir '/nowhere/conf.d'\ninclude_if_exists '/nowhere/more.conf'\nfsync = off\n",
    )]);
    let run = lint(&place, &["--fail-on", "never", "postgresql.conf"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(notes(&run).matches("was not read: it is outside").count(), 3, "{}", notes(&run));
    assert_eq!(of(&run, "durability/fsync"), ["postgresql.conf:4"]);
    place.write("postgresql.conf", format!("include '{}'\n", place.path().join("lost.conf").display()));
    assert_eq!(lint(&place, &["--fail-on", "never", "postgresql.conf"]).code, Some(2));
}

#[test]
fn a_pipe_is_not_waited_for() {
    let place = Place::new(&[("postgresql.conf", "include 'pipe.conf'\nfsync = off\n")]);
    let made = std::process::Command::new("mkfifo").arg(place.path().join("pipe.conf")).status().unwrap();
    assert!(made.success());
    let run = lint(&place, &["postgresql.conf"]);
    assert!(notes(&run).contains("it is not a regular file"), "{}", run.seen());
    assert_eq!(lint(&place, &["pipe.conf"]).code, Some(2));
}

#[test]
fn fixes_do_not_follow_links() {
    let place = Place::new(&[("outside/db.yaml", &broken("db")), ("repository/x.txt", "")]);
    let link = place.path().join("repository/db.yaml");
    std::os::unix::fs::symlink("../outside/db.yaml", &link).unwrap();
    let run = place.run(&["lint", "--fix", "repository/db.yaml"]);
    assert!(run.stderr.contains("1 symbolic link was left alone"), "{}", run.seen());
    assert_eq!(fs::read_to_string(place.path().join("outside/db.yaml")).unwrap(), broken("db"));
}

#[test]
fn odd_names_stay_names() {
    let place = Place::new(&[("--config=w.yaml", &broken("a")), ("b\n::error::x.yaml", &broken("b"))]);
    let run = lint(&place, &["--", "--config=w.yaml"]);
    assert_eq!(of(&run, "durability/fsync"), ["--config=w.yaml:12"]);
    let github = place.run(&["lint", "--format", "github", "--select", "durability/fsync", "."]);
    assert!(github.stdout.lines().all(|line| line.starts_with("::error file=")), "{}", github.stdout);
    assert_eq!(github.stdout.lines().count(), 2);
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks: Vec<Json> =
        walguard_manifest::read("hooks", hooks.into_bytes()).documents.into_iter().map(|hook| hook.value).collect();
    for hook in hooks[0].as_array().unwrap() {
        assert_eq!(hook["args"].as_array().unwrap().last().unwrap(), "--", "{hook}");
    }
}

#[test]
fn good_examples_are_good_in_any_company() {
    let run = Place::new(&[]).run(&[
        "lint",
        "--format",
        "json",
        "--fail-on",
        "never",
        root().join("examples").to_str().unwrap(),
    ]);
    let json = run.json();
    let of_good: Vec<&Json> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["severity"] != "info" && finding["file"].as_str().unwrap().contains("/good/"))
        .collect();
    assert_eq!(of_good, [&json!(null); 0]);
    assert!(json["summary"]["clusters"].as_u64().unwrap() > 50);
}

#[test]
fn the_measure_of_repositories_measures() {
    let mut measure = std::process::Command::new(root().join("tests/reality/run"));
    let run = measure.args(["--self-test", "--walguard", env!("CARGO_BIN_EXE_walguard")]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "ok\n", "{}", String::from_utf8_lossy(&run.stderr));
}

/// xorshift: the same orders in every run.
struct Random(u64);

impl Random {
    fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            list.swap(last, usize::try_from(self.0 % (last as u64 + 1)).unwrap());
        }
    }
}

/// How many orders are tried: WALGUARD_ORDERS, or as many as a test has time for.
fn orders(otherwise: usize) -> usize {
    std::env::var("WALGUARD_ORDERS").map_or(otherwise, |text| text.parse().unwrap())
}

/// What a run finds does not depend on the order in which its files are named.
/// Returns how much there is to say of them.
fn any_order(directory: &Path, orders: usize) -> usize {
    let mut files = files(directory, &["yaml", "yml", "json"]);
    let place = Place::new(&[]);
    let ask = |files: &[PathBuf]| -> BTreeSet<String> {
        let names: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        let run = place.run(&[&["lint", "--format", "json", "--fail-on", "never"][..], &names].concat());
        let json = run.json();
        let list = |key: &str| json[key].as_array().unwrap().iter().map(Json::to_string).collect::<Vec<_>>();
        [list("findings"), list("errors"), list("notes"), vec![json["summary"].to_string()]]
            .concat()
            .into_iter()
            .collect()
    };
    let first = ask(&files);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for order in 0..orders {
        random.shuffle(&mut files);
        let shuffled = ask(&files);
        let differs: Vec<&String> = first.symmetric_difference(&shuffled).collect();
        assert!(differs.is_empty(), "{}, order {order}: {differs:#?}", directory.display());
    }
    first.len()
}

#[test]
fn the_order_of_files_changes_nothing() {
    assert!(any_order(&root().join("examples"), orders(20)) > 1);
    // Manifests that nobody here wrote, where they are at hand.
    if let Some(shared) = std::env::var_os("WALGUARD_SHARED") {
        for directory in fs::read_dir(Path::new(&shared).join("corpus")).unwrap() {
            let directory = directory.unwrap().path();
            if directory.is_dir() {
                any_order(&directory, orders(5));
            }
        }
    }
}
