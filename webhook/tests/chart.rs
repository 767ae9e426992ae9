//! The Helm chart, rendered by the real helm: it fits the binary, the rules and its own schema.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};
use tempfile::TempDir;
use walguard::{config, manifest};
use walguard_engine::{Catalogue, Role, Rules};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The helm that tests/tools pins, built where it is missing.
fn helm() -> &'static Path {
    static HELM: OnceLock<PathBuf> = OnceLock::new();
    HELM.get_or_init(|| {
        let output = Command::new(repository().join("tests/tools/build")).args(["--bin", "helm"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Path::new(String::from_utf8(output.stdout).unwrap().trim()).join("helm")
    })
}

/// Runs helm on the chart with values, given as YAML.
fn run(command: &[&str], values: &str) -> Output {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("values.yaml");
    fs::write(&file, values).unwrap();
    Command::new(helm()).args(command).arg("--values").arg(file).current_dir(repository()).output().unwrap()
}

/// The objects that the chart gives with values.
fn render(values: &str) -> Vec<Value> {
    let output = run(&["template", "guard", ".", "--namespace", "guards"], values);
    assert!(output.status.success(), "{values}: {}", String::from_utf8_lossy(&output.stderr));
    let reading = manifest::read("chart", output.stdout);
    assert!(reading.errors.is_empty(), "{values}: {:?}", reading.errors);
    reading.documents.into_iter().map(|document| document.value).collect()
}

fn one<'a>(objects: &'a [Value], kind: &str) -> &'a Value {
    let found: Vec<&Value> = objects.iter().filter(|object| object["kind"] == kind).collect();
    assert_eq!(found.len(), 1, "{kind}");
    found[0]
}

fn container(objects: &[Value]) -> &Value {
    &one(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]
}

fn arguments(objects: &[Value]) -> Vec<String> {
    container(objects)["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn catalogue() -> Catalogue {
    Rules::embedded().catalogue().unwrap()
}

const EVERYTHING: &str = r#"
mode: warn
showInfo: true
policy:
  checks: {durability/full_page_writes: {severity: warning, settings: {backup_window_hours: 48}}}
  attestations:
    - {storageClass: fast, atomicWriteBytes: 16384, evidence: "a: test", by: dba, expires: "2027-04-01T00:00:00Z"}
webhook:
  failurePolicy: Ignore
  timeoutSeconds: 3
  excludedNamespaces: [kube-system]
  namespaceSelector: [{key: judge, operator: NotIn, values: ["no"]}]
  objectSelector: {matchLabels: {a: b}}
  matchConditions: []
  genericKinds: true
  annotations: {a: b}
inventory: {enabled: false}
certificates: {mode: certManager, certManager: {issuerRef: {name: ours, kind: ClusterIssuer}}}
image: {repository: example.org/walguard, digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000"}
imagePullSecrets: [{name: pull}]
replicas: 3
podDisruptionBudget: {enabled: true, maxUnavailable: 50%}
priorityClassName: high
topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]
nodeSelector: {disk: ssd}
tolerations: [{operator: Exists}]
affinity: {nodeAffinity: {}}
podAnnotations: {a: b}
podLabels: {c: d}
limits: {deadlineMilliseconds: 2000, maxBodyBytes: 4194304, maxInFlight: 7}
drainSeconds: 1
log: {format: text, level: "info,kube=debug"}
resources: {requests: {cpu: 1}}
serviceAccount: {annotations: {a: b}}
serviceMonitor: {enabled: true, labels: {release: prometheus}}
networkPolicy: {enabled: true}
"#;

#[test]
fn it_passes_helms_own_checks() {
    for values in ["{}", EVERYTHING] {
        let output = run(&["lint", "--strict", "."], values);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_binary_takes_its_arguments_and_its_configuration() {
    for values in ["{}", EVERYTHING] {
        let objects = render(values);
        let directory = TempDir::new().unwrap();
        let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(directory.path().join("tls.crt"), key.cert.pem()).unwrap();
        fs::write(directory.path().join("tls.key"), key.signing_key.serialize_pem()).unwrap();
        let configuration = one(&objects, "ConfigMap")["data"]["walguard.yaml"].as_str().unwrap();
        fs::write(directory.path().join("walguard.yaml"), configuration).unwrap();

        let here = |word: String| match word.split_once('=') {
            Some((option, path)) if path.starts_with("/etc/walguard/") => {
                format!("{option}={}", directory.path().join(path.rsplit('/').next().unwrap()).display())
            }
            Some((option, address)) if address.starts_with("0.0.0.0:") => format!("{option}=127.0.0.1:0"),
            _ => word,
        };
        let mut words: Vec<String> = arguments(&objects).into_iter().map(here).collect();
        if !words.contains(&"--no-inventory".to_owned()) {
            words.push("--no-inventory".to_owned());
        }
        let mut process =
            Command::new(env!("CARGO_BIN_EXE_walguard")).args(&words).stderr(Stdio::piped()).spawn().unwrap();
        let first = BufReader::new(process.stderr.take().unwrap()).lines().next().unwrap().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(first.contains("serving"), "{words:?}: {first}");
    }
}

#[test]
fn the_policy_reaches_the_configuration_as_it_is_written() {
    let objects = render(EVERYTHING);
    let text = one(&objects, "ConfigMap")["data"]["walguard.yaml"].as_str().unwrap();
    let read = config::parse("walguard.yaml", text.as_bytes().to_vec(), &catalogue()).unwrap();
    assert_eq!(
        read,
        json!({
            "checks": {"durability/full_page_writes": {"severity": "warning", "settings": {"backup_window_hours": 48}}},
            "attestations": [{
                "storageClass": "fast", "atomicWriteBytes": 16384, "evidence": "a: test", "by": "dba", "expires": "2027-04-01T00:00:00Z",
            }],
        })
    );
}

#[test]
fn the_webhook_is_asked_about_every_kind_that_is_judged_and_no_other() {
    let judged = |generic: bool| -> BTreeSet<(String, String, String)> {
        let kinds = catalogue().kinds.into_iter();
        let kinds = kinds.filter(|kind| kind.role != Role::Support && (generic || kind.contains.is_empty()));
        kinds
            .flat_map(|k| k.versions.clone().into_iter().map(move |v| (k.group.clone(), v, k.plural.clone())))
            .collect()
    };
    for (generic, values) in [(false, "{}"), (true, "webhook: {genericKinds: true}")] {
        let objects = render(values);
        let webhooks = one(&objects, "ValidatingWebhookConfiguration")["webhooks"].as_array().unwrap();
        let mut asked = BTreeSet::new();
        for rule in webhooks.iter().flat_map(|webhook| webhook["rules"].as_array().unwrap()) {
            assert_eq!(rule["operations"], json!(["CREATE", "UPDATE"]));
            for group in texts(&rule["apiGroups"]) {
                for version in texts(&rule["apiVersions"]) {
                    for resource in texts(&rule["resources"]) {
                        asked.insert((group.to_owned(), version.to_owned(), resource.to_owned()));
                    }
                }
            }
        }
        assert_eq!(asked, judged(generic));
        // What carries the whole cluster never waits for walguard.
        assert!(webhooks.iter().skip(1).all(|webhook| webhook["failurePolicy"] == "Ignore"));
    }
}

#[test]
fn walguard_may_read_what_the_inventory_watches_and_nothing_more() {
    let objects = render("{}");
    let mut allowed = BTreeSet::new();
    for rule in one(&objects, "ClusterRole")["rules"].as_array().unwrap() {
        assert_eq!(rule["verbs"], json!(["get", "list", "watch"]));
        for group in texts(&rule["apiGroups"]) {
            allowed.extend(texts(&rule["resources"]).into_iter().map(|name| (group.to_owned(), name.to_owned())));
        }
    }
    let kinds = catalogue().kinds.into_iter().filter(|kind| kind.role != Role::Change && kind.contains.is_empty());
    assert_eq!(allowed, kinds.map(|kind| (kind.group, kind.plural)).collect());

    let alone = render("inventory: {enabled: false}");
    assert!(alone.iter().all(|object| object["kind"] != "ClusterRole"));
    assert_eq!(one(&alone, "Deployment")["spec"]["template"]["spec"]["automountServiceAccountToken"], false);
}

#[test]
fn the_api_server_trusts_the_certificate_that_is_served() {
    let generated = render("{}");
    let bundle =
        |objects: &[Value]| one(objects, "ValidatingWebhookConfiguration")["webhooks"][0]["clientConfig"].clone();
    assert_eq!(bundle(&generated)["caBundle"], one(&generated, "Secret")["data"]["ca.crt"]);
    assert_eq!(bundle(&generated)["service"]["name"], one(&generated, "Service")["metadata"]["name"]);

    let managed = render("certificates: {mode: certManager}");
    let certificate = one(&managed, "Certificate");
    assert_eq!(certificate["spec"]["dnsNames"][0], "guard-walguard.guards.svc");
    assert_eq!(certificate["spec"]["issuerRef"]["name"], one(&managed, "Issuer")["metadata"]["name"]);
    assert_eq!(
        one(&managed, "ValidatingWebhookConfiguration")["metadata"]["annotations"]["cert-manager.io/inject-ca-from"],
        "guards/guard-walguard"
    );

    let provided = render("certificates: {mode: provided, provided: {secretName: ours, caBundle: PEM}}");
    assert_eq!(bundle(&provided)["caBundle"], "UEVN");
    assert_eq!(one(&provided, "Deployment")["spec"]["template"]["spec"]["volumes"][0]["secret"]["secretName"], "ours");

    let outside = render("webhook: {clientConfigOverride: {url: https://10.0.0.1:8443/validate, caBundle: UEVN}}");
    assert_eq!(bundle(&outside), json!({"url": "https://10.0.0.1:8443/validate", "caBundle": "UEVN"}));
}

#[test]
fn values_that_mean_nothing_are_refused() {
    for (values, expected) in [
        ("replica: 2", "replica"),
        ("mode: enforcing", "mode"),
        ("webhook: {failurePolicy: fail}", "failurePolicy"),
        ("webhook: {timeoutSeconds: 60}", "timeoutSeconds"),
        ("policy: {checks: {a/b: {severity: severe}}}", "severity"),
        ("policy: {attestations: [{storageClass: a}]}", "evidence"),
        ("certificates: {mode: provided, provided: {caBundle: PEM}}", "secretName"),
        ("webhook: {clientConfigOverride: {url: https://a}}", "caBundle"),
    ] {
        let output = run(&["template", "guard", "."], values);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{values}");
        assert!(text.contains(expected), "{values}: {text}");
    }
}

#[test]
fn the_package_holds_the_chart_and_not_the_repository() {
    let directory = TempDir::new().unwrap();
    let output = Command::new(helm())
        .args(["package", ".", "--destination"])
        .arg(directory.path())
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let package = fs::read_dir(directory.path()).unwrap().next().unwrap().unwrap().path();
    let listing = Command::new("tar").arg("-tzf").arg(&package).output().unwrap();
    for name in String::from_utf8(listing.stdout).unwrap().lines() {
        let name = name.strip_prefix("walguard/").unwrap();
        let known = ["Chart.yaml", "values.yaml", "values.schema.json", "README.md", "LICENSE", ".helmignore"];
        assert!(known.contains(&name) || name.starts_with("templates/"), "{name}");
    }
    assert!(fs::metadata(&package).unwrap().len() < 100_000);
}
