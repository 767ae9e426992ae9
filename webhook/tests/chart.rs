//! The Helm chart, rendered by the real helm: it fits the binary, the rules and its own schema.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/serve.rs"]
mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::OnceLock;

use serde_json::{Value, json};
use tempfile::TempDir;
use walguard_engine::{Catalogue, Kind, Rules};
use walguard_lint::config;
use walguard_manifest as manifest;

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

/// The webhooks that the API server is to have, whoever writes them.
fn webhooks(objects: &[Value]) -> Vec<Value> {
    let configuration = one(objects, "ValidatingWebhookConfiguration");
    match configuration["metadata"]["annotations"]["walguard.dev/webhooks"].as_str() {
        Some(wanted) => {
            assert_eq!(configuration["webhooks"], Value::Null, "they come when somebody answers");
            serde_json::from_str(wanted).unwrap()
        }
        None => configuration["webhooks"].as_array().unwrap().clone(),
    }
}

fn webhook(objects: &[Value], name: &str) -> Option<Value> {
    webhooks(objects).into_iter().find(|webhook| webhook["name"] == name)
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

fn catalogue() -> Arc<Catalogue> {
    Rules::embedded().catalogue().unwrap()
}

/// The files of values in ci/, by name: what the chart is tested with, here and by chart-testing.
fn scenarios() -> BTreeMap<String, String> {
    let files = fs::read_dir(repository().join("ci")).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()))
        .collect()
}

fn everything() -> String {
    scenarios().remove("everything-values").unwrap()
}

#[test]
fn it_passes_helms_own_checks() {
    for (name, values) in scenarios() {
        let output = run(&["lint", "--strict", "."], &values);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_binary_takes_its_arguments_and_its_configuration() {
    for (name, values) in scenarios() {
        let objects = render(&values);
        let directory = TempDir::new().unwrap();
        let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(directory.path().join("tls.crt"), key.cert.pem()).unwrap();
        fs::write(directory.path().join("tls.key"), key.signing_key.serialize_pem()).unwrap();
        for (file, content) in policy(&objects).as_object().unwrap() {
            fs::write(directory.path().join(file), content.as_str().unwrap()).unwrap();
        }
        // walguard starts, and tries again and again, also while the API server cannot be reached.
        fs::write(directory.path().join("kubeconfig"), UNREACHABLE).unwrap();

        let here = |word: String| match word.split_once('=') {
            Some((option, path)) if path.starts_with("/etc/walguard/") => {
                format!("{option}={}", directory.path().join(path.rsplit('/').next().unwrap()).display())
            }
            Some((option, address)) if address.starts_with("0.0.0.0:") => format!("{option}=127.0.0.1:0"),
            _ => word,
        };
        let words: Vec<String> = arguments(&objects).into_iter().map(here).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_walguard"));
        command.args(&words).env("KUBECONFIG", directory.path().join("kubeconfig"));
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut log = Vec::new();
        let serving = lines.by_ref().inspect(|line| log.push(line.clone())).any(|line| line.contains("serving"));
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(serving, "{name}: {words:?}: {log:?}");
    }
}

const UNREACHABLE: &str = r#"
apiVersion: v1
kind: Config
current-context: nowhere
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
clusters: [{name: nowhere, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: nobody, user: {token: none}}]
"#;

/// What is rendered, for people to read in a change: without what is generated from the rules, random or about the version.
#[test]
fn what_scenarios_render_is_known() {
    // Together they reach every line of the templates; the others are what people install, and differ from the defaults in a few lines.
    for name in ["default", "everything", "generated", "outside", "provided"] {
        let name = format!("{name}-values");
        let values = scenarios().remove(&name).unwrap();
        let mut objects = render(&values);
        for object in &mut objects {
            if object["metadata"]["name"] == "guard-walguard" && object.get("rules").is_some() {
                object["rules"] = json!("(generated)");
            }
            if object["kind"] == "ValidatingWebhookConfiguration" {
                let annotated = &object["metadata"]["annotations"]["walguard.dev/webhooks"];
                if let Some(wanted) = annotated.as_str().map(|text| serde_json::from_str::<Value>(text).unwrap()) {
                    object["metadata"]["annotations"]["walguard.dev/webhooks"] = wanted;
                }
                let at = match object.get("webhooks") {
                    Some(_) => "/webhooks",
                    None => "/metadata/annotations/walguard.dev~1webhooks",
                };
                for webhook in object.pointer_mut(at).and_then(Value::as_array_mut).into_iter().flatten() {
                    webhook["rules"] = json!("(generated)");
                    if webhook["clientConfig"]["caBundle"].as_str().is_some_and(|bundle| bundle.len() > 10) {
                        webhook["clientConfig"]["caBundle"] = json!("(random)");
                    }
                }
            }
            for value in object["data"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
                if value.as_str().is_some_and(|text| text.starts_with("LS0tLS1") || text.starts_with('{')) {
                    *value = json!("(a file)");
                }
            }
        }
        let text =
            objects.iter().map(|object| serde_json::to_string_pretty(object).unwrap() + "\n").collect::<String>();
        insta::assert_snapshot!(name, text);
    }
}

fn policy(objects: &[Value]) -> &Value {
    let named = |object: &&Value| object["kind"] == "ConfigMap" && !object["data"]["walguard.yaml"].is_null();
    &objects.iter().find(named).unwrap()["data"]
}

#[test]
fn the_policy_reaches_the_configuration_as_it_is_written() {
    let objects = render(&everything());
    let text = policy(&objects)["walguard.yaml"].as_str().unwrap();
    let read = config::parse("walguard.yaml", text.as_bytes().to_vec(), &catalogue()).unwrap();
    assert_eq!(
        read.value,
        json!({
            "mode": "warn",
            "showInfo": true,
            "dependents": "deny",
            "checks": {"durability/full_page_writes": {"severity": "warning", "settings": {"backup_window_hours": 48}}},
            "namespaces": [
                {"names": ["dev-*"], "mode": "audit", "checks": {"wal/init_zero_filesystem": {"severity": "off"}}},
                {"matchLabels": {"tier": "dev"}, "checks": {"backup/missing": {"severity": "info"}}},
            ],
            "waivers": [{
                "check": "durability/", "resource": {"namespace": "dev", "kind": "Cluster", "name": "a*"}, "reason": "r",
                "owner": "o", "expires": "2027-04-01T00:00:00Z",
            }],
            "exemptions": {"users": ["system:serviceaccount:velero:velero"], "groups": ["ops"]},
            "attestations": [{
                "storageClass": "fast", "atomicWriteBytes": 16384, "evidence": "a: test", "by": "dba", "expires": "2027-04-01T00:00:00Z",
            }],
        })
    );
}

/// Whether a configuration is valid by docs/walguard.schema.json, as helm reads JSON Schema.
fn fits_schema(configuration: &str) -> bool {
    let chart = TempDir::new().unwrap();
    let schema = fs::read(repository().join("docs/walguard.schema.json")).unwrap();
    fs::write(chart.path().join("Chart.yaml"), "apiVersion: v2\nname: schema\nversion: 0.0.0\n").unwrap();
    fs::write(chart.path().join("values.schema.json"), schema).unwrap();
    let values = chart.path().join("configuration.yaml");
    fs::write(&values, configuration).unwrap();
    let output = Command::new(helm()).args(["template", "."]).arg("--values").arg(&values).current_dir(&chart).output();
    let output = output.unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || error.contains("don't meet the specifications of the schema"), "{error}");
    output.status.success()
}

fn is_read(configuration: &str) -> bool {
    config::parse("walguard.yaml", configuration.as_bytes().to_vec(), &catalogue()).is_ok()
}

#[test]
fn the_schema_of_the_configuration_says_what_is_read() {
    let page = fs::read_to_string(repository().join("docs/policy.md")).unwrap();
    let whole = page.split("## Every key\n\n```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(is_read(whole) && fits_schema(whole), "{whole}");

    let reading = manifest::read("walguard.yaml", whole.as_bytes().to_vec());
    let example = reading.documents[0].value.as_object().unwrap();
    let schema: Value =
        serde_json::from_slice(&fs::read(repository().join("docs/walguard.schema.json")).unwrap()).unwrap();
    let known = schema["properties"].as_object().unwrap();
    assert_eq!(example.keys().collect::<BTreeSet<_>>(), known.keys().collect(), "docs/policy.md has every key");
    assert!(config::OF_FILES.iter().all(|key| known.contains_key(*key)));

    for (key, value) in example {
        // What has fields has none of this name, and nothing else is such a list.
        let mut wrong = value.clone();
        match &mut wrong {
            Value::Object(fields) => drop(fields.insert("nonsense".to_owned(), json!(1))),
            Value::Array(items) if items[0].is_object() => items[0]["nonsense"] = json!(1),
            other => *other = json!([[]]),
        }
        for wrong in [wrong, json!("nonsense")] {
            let text = json!({"version": 1, key: wrong}).to_string();
            assert!(!is_read(&text) && !fits_schema(&text), "{text}");
        }
    }
    for text in [
        "version: 1\nfiles: [{paths: [dev/]}]\n",
        "version: 1\nfiles: [{checks: {backup/missing: {severity: info}}}]\n",
        "version: 1\nfiles: [{paths: [], checks: {}}]\n",
        "version: 1\nfiles: [{paths: [dev/], checks: {backup/mising: {severity: info}}}]\n",
        "version: 1\nmodus: warn\n",
        "mode: warn\n",
    ] {
        assert!(!is_read(text) && !fits_schema(text), "{text}");
    }

    let store: Value = serde_json::from_slice(&fs::read(repository().join("dist/schemastore.json")).unwrap()).unwrap();
    assert_eq!(store["fileMatch"], json!(config::NAMES));
    assert_eq!(store["url"], schema["$id"]);
}

/// Group, version and plural of the kinds that some webhooks are asked about.
fn asked<'a>(webhooks: impl Iterator<Item = &'a Value>, operations: &[&str]) -> BTreeSet<(String, String, String)> {
    let mut asked = BTreeSet::new();
    for rule in webhooks.flat_map(|webhook| webhook["rules"].as_array().unwrap()) {
        // The number of replicas is only ever changed.
        let scale = texts(&rule["resources"]).iter().any(|resource| resource.ends_with("/scale"));
        assert_eq!(rule["operations"], if scale { json!(["UPDATE"]) } else { json!(operations) });
        for group in texts(&rule["apiGroups"]) {
            for version in texts(&rule["apiVersions"]) {
                for resource in texts(&rule["resources"]) {
                    asked.insert((group.to_owned(), version.to_owned(), resource.to_owned()));
                }
            }
        }
    }
    asked
}

fn of_kinds(wanted: impl Fn(&Kind) -> bool) -> BTreeSet<(String, String, String)> {
    let catalogue = catalogue();
    let kinds = catalogue.kinds.iter().filter(|kind| kind.served && wanted(kind));
    kinds
        .flat_map(|kind| {
            let resources: Vec<String> =
                [Some(kind.plural.clone()), kind.scale.as_ref().map(|_| format!("{}/scale", kind.plural))]
                    .into_iter()
                    .flatten()
                    .collect();
            let versions = kind.versions.iter();
            versions.flat_map(move |version| {
                let group = kind.group.clone();
                resources.clone().into_iter().map(move |resource| (group.clone(), version.clone(), resource))
            })
        })
        .collect()
}

#[test]
fn the_webhook_is_asked_about_every_kind_that_is_judged_and_no_other() {
    let depended_on = |webhook: &&Value| webhook["name"] == "dependents.walguard.dev";
    let reaching = |webhook: &&Value| webhook["name"] == "reach.walguard.dev";
    for (generic, values) in [(false, "{}"), (true, "webhook: {genericKinds: true}")] {
        let webhooks = webhooks(&render(values));
        let judged = webhooks.iter().filter(|webhook| !depended_on(webhook) && !reaching(webhook));
        let kinds = of_kinds(|kind| kind.judged() && (generic || kind.contains.is_empty()));
        assert_eq!(asked(judged, &["CREATE", "UPDATE"]), kinds);
        let kinds = of_kinds(|kind| kind.depended_on());
        assert_eq!(asked(webhooks.iter().filter(depended_on), &["CREATE", "UPDATE", "DELETE"]), kinds);
        // What carries the whole cluster never waits for walguard.
        let others = webhooks.iter().filter(|webhook| webhook["name"] != "clusters.walguard.dev");
        assert!(others.into_iter().all(|webhook| webhook["failurePolicy"] == "Ignore"));
    }
    // Without clusters in sight, or where nobody wants to know, nobody asks.
    for values in ["inventory: {enabled: false}", "policy: {dependents: off}"] {
        assert_eq!(webhook(&render(values), "dependents.walguard.dev"), None, "{values}");
    }
}

/// What the service account may do: verbs on each resource, with the names it is limited to.
fn permissions(objects: &[Value]) -> BTreeSet<(String, String, String)> {
    let roles = objects.iter().filter(|object| object["kind"] == "ClusterRole" || object["kind"] == "Role");
    let rules = roles.flat_map(|role| role["rules"].as_array().unwrap());
    let mut allowed = BTreeSet::new();
    for rule in rules {
        let names = rule.get("resourceNames").map(texts).unwrap_or_default().join(",");
        for group in texts(&rule["apiGroups"]) {
            for resource in texts(&rule["resources"]) {
                let resource = format!("{group}/{resource}");
                allowed.insert((resource, texts(&rule["verbs"]).join(","), names.clone()));
            }
        }
    }
    allowed
}

#[test]
fn walguard_may_read_what_the_inventory_watches_and_write_its_certificates_and_nothing_more() {
    let own = |resource: &str, verbs: &str, name: &str| (resource.to_owned(), verbs.to_owned(), name.to_owned());
    let certificates = [
        own("/secrets", "get,list,watch,update", "guard-walguard-authority"),
        own("admissionregistration.k8s.io/validatingwebhookconfigurations", "get,list,watch,patch", "guard-walguard"),
        own("coordination.k8s.io/leases", "patch", "guard-walguard-reach"),
    ];
    let catalogue = catalogue();
    let of = |kind: &Kind, verbs: &str| own(&format!("{}/{}", kind.group, kind.plural), verbs, "");
    // What clusters name is read by name.
    let named: BTreeSet<_> =
        catalogue.kinds.iter().filter(|kind| kind.named.is_some()).map(|kind| of(kind, "get")).collect();
    let listed: BTreeSet<_> = catalogue.inventoried().map(|kind| of(kind, "get,list,watch")).collect();
    let watched: BTreeSet<_> = listed.union(&named).cloned().collect();
    // Judging again: what it writes, and the Lease by which replicas agree on who does it.
    let audit = [
        own("openreports.io/reports", "list,create,patch,delete", ""),
        own("wgpolicyk8s.io/policyreports", "list,create,patch,delete", ""),
        own("events.k8s.io/events", "create", ""),
        own("coordination.k8s.io/leases", "create", ""),
        own("coordination.k8s.io/leases", "get,patch", "guard-walguard-audit"),
    ];

    let all = watched.iter().chain(&certificates).chain(&audit).cloned().collect();
    assert_eq!(permissions(&render("{}")), all);
    assert!(arguments(&render("{}")).contains(&"--audit-lease=guard-walguard-audit".to_owned()));
    assert_eq!(permissions(&render("{certificates: {mode: generated}, audit: {interval: \"0\"}}")), watched);
    assert_eq!(permissions(&render("inventory: {enabled: false}")), certificates.iter().cloned().collect());
    // Only in some namespaces, or nowhere.
    let read = render(
        "{certificates: {mode: generated}, audit: {interval: \"0\"}, inventory: {configMapNamespaces: [shop, dock]}}",
    );
    let roles = read.iter().filter(|object| object["kind"] == "Role").map(|role| role["metadata"]["namespace"].clone());
    assert_eq!(roles.collect::<Vec<_>>(), [json!("shop"), json!("dock")]);
    assert_eq!(permissions(&read), watched);
    let none = "{certificates: {mode: generated}, audit: {interval: \"0\"}, inventory: {configMapNamespaces: []}}";
    let without_config_maps = watched.iter().filter(|(resource, ..)| resource != "/configmaps").cloned().collect();
    assert_eq!(permissions(&render(none)), without_config_maps);
    // The webhook's caBundle is given, and none of walguard's business.
    let outside = "webhook: {clientConfigOverride: {url: https://10.0.0.1:8443/validate, caBundle: UEVN}}";
    assert!(!permissions(&render(outside)).contains(&certificates[1]));
    assert!(!arguments(&render(outside)).iter().any(|argument| argument.starts_with("--webhook-configuration")));

    let alone = render("{inventory: {enabled: false}, certificates: {mode: generated}}");
    assert_eq!(permissions(&alone), BTreeSet::new());
    assert!(!arguments(&alone).iter().any(|word| word.starts_with("--audit-")));
    assert_eq!(one(&alone, "Deployment")["spec"]["template"]["spec"]["automountServiceAccountToken"], false);
    assert_eq!(one(&render("{}"), "Deployment")["spec"]["template"]["spec"]["automountServiceAccountToken"], true);
}

#[test]
fn the_api_server_trusts_the_certificate_that_is_served() {
    let generated = render("certificates: {mode: generated}");
    let bundle = |objects: &[Value]| webhook(objects, "clusters.walguard.dev").unwrap()["clientConfig"].clone();
    assert_eq!(bundle(&generated)["caBundle"], one(&generated, "Secret")["data"]["ca.crt"]);
    assert_eq!(bundle(&generated)["service"]["name"], one(&generated, "Service")["metadata"]["name"]);

    // walguard fills both in; what the chart would write, Helm would write again at each upgrade.
    let own = render("{}");
    assert_eq!(bundle(&own)["caBundle"], Value::Null);
    assert_eq!(one(&own, "Secret")["data"], Value::Null);
    let name = one(&own, "Secret")["metadata"]["name"].as_str().unwrap();
    assert!(arguments(&own).contains(&format!("--certificate-secret=guards/{name}")));
    assert!(arguments(&own).contains(&"--certificate-host=guard-walguard.guards.svc".to_owned()));
    let own = render("webhook: {clientConfigOverride: {url: https://10.0.0.1:8443/validate}}");
    assert_eq!(bundle(&own), json!({"url": "https://10.0.0.1:8443/validate"}));
    assert!(arguments(&own).contains(&"--certificate-host=10.0.0.1".to_owned()));

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

/// Where walguard adds the webhooks once it was reached, they may fail closed; where Helm writes them before anybody answers, they do not
/// unless somebody says so.
#[test]
fn installing_cannot_block_a_cluster() {
    let policy = |values: &str| webhook(&render(values), "clusters.walguard.dev").unwrap()["failurePolicy"].clone();
    let objects = render("{}");
    assert_eq!(policy("{}"), "Fail");
    assert!(arguments(&objects).contains(&"--reach-lease=guard-walguard-reach".to_owned()));
    let reach = webhook(&objects, "reach.walguard.dev").unwrap();
    assert_eq!(reach["matchConditions"][0]["expression"], "object.metadata.name == 'guard-walguard-reach'");
    assert_eq!(reach["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"], "guards");
    for values in [
        "certificates: {mode: generated}",
        "certificates: {mode: certManager}",
        "certificates: {mode: provided, provided: {secretName: ours, caBundle: PEM}}",
        "webhook: {clientConfigOverride: {url: https://10.0.0.1:8443/validate, caBundle: UEVN}}",
    ] {
        assert_eq!(policy(values), "Ignore", "{values}");
        assert_eq!(webhook(&render(values), "reach.walguard.dev"), None, "{values}");
    }
    assert_eq!(policy("{certificates: {mode: generated}, webhook: {failurePolicy: Fail}}"), "Fail");
    assert_eq!(policy("webhook: {failurePolicy: Ignore}"), "Ignore");
}

#[test]
fn what_kubernetes_does_not_know_yet_is_left_out() {
    let of = |version: &str| {
        let output = run(&["template", "guard", ".", "--namespace", "guards", "--kube-version", version], "{}");
        assert!(output.status.success(), "{version}: {}", String::from_utf8_lossy(&output.stderr));
        let objects: Vec<Value> =
            manifest::read("chart", output.stdout).documents.into_iter().map(|document| document.value).collect();
        let conditions = !webhook(&objects, "clusters.walguard.dev").unwrap()["matchConditions"].is_null();
        (conditions, objects.iter().any(|object| object["kind"] == "ValidatingAdmissionPolicy"))
    };
    for (version, expected) in [
        ("1.27.0", (false, false)),
        ("1.28.9", (false, false)),
        ("1.29.0", (true, false)),
        ("1.30.0", (true, true)),
        ("1.36.0-gke.1", (true, true)),
    ] {
        assert_eq!(of(version), expected, "{version}");
    }
    assert!(!run(&["template", "guard", ".", "--kube-version", "1.26.0"], "{}").status.success());
}

/// Since which minor version of 1 a cluster serves what the chart uses; other groups are CRDs, which the values ask for.
const SERVED: [(&str, &str, u32); 11] = [
    ("v1", "", 0),
    ("apps/v1", "Deployment", 9),
    ("rbac.authorization.k8s.io/v1", "", 8),
    ("coordination.k8s.io/v1", "Lease", 14),
    ("policy/v1", "PodDisruptionBudget", 21),
    ("networking.k8s.io/v1", "NetworkPolicy", 8),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", 16),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", 30),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", 30),
    ("monitoring.coreos.com/v1", "", 0),
    ("cert-manager.io/v1", "", 0),
];

#[test]
fn every_scenario_renders_for_every_version() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 10, "{}", scenarios.len());
    let mut rendered = 0;
    for minor in 27..=36 {
        for (name, values) in &scenarios {
            let output = run(&["template", "guard", ".", "--kube-version", &format!("1.{minor}.0")], values);
            assert!(output.status.success(), "1.{minor}, {name}: {}", String::from_utf8_lossy(&output.stderr));
            let reading = manifest::read("chart", output.stdout);
            assert!(reading.errors.is_empty(), "1.{minor}, {name}: {:?}", reading.errors);
            for object in reading.documents.into_iter().map(|document| document.value) {
                let is = |key: &str, wanted: &str| object[key] == wanted || wanted.is_empty();
                let served = SERVED
                    .iter()
                    .any(|(version, kind, since)| is("apiVersion", version) && is("kind", kind) && minor >= *since);
                assert!(served, "1.{minor}, {name}: {} {}", object["apiVersion"], object["kind"]);
                if object["kind"] == "ValidatingWebhookConfiguration" && minor < 29 {
                    assert!(!object.to_string().contains("matchConditions"), "1.{minor}, {name}");
                }
            }
            rendered += 1;
        }
    }
    eprintln!("{rendered} renderings");
}

#[test]
fn it_fits_clusters_of_every_kind() {
    let pod = |values: &str| one(&render(values), "Deployment")["spec"]["template"]["spec"].clone();
    // OpenShift chooses the ids.
    let open = pod("podSecurityContext: {runAsUser: null, runAsGroup: null, fsGroup: null}");
    assert_eq!(open["securityContext"], json!({"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}}));
    let host = pod("{hostNetwork: true, ports: {https: 10250, health: 18080}}");
    assert_eq!((&host["hostNetwork"], &host["dnsPolicy"]), (&json!(true), &json!("ClusterFirstWithHostNet")));
    assert_eq!(
        host["containers"][0]["ports"],
        json!([{"name": "https", "containerPort": 10250}, {"name": "health", "containerPort": 18080}])
    );
    assert!(texts(&host["containers"][0]["args"]).contains(&"--listen=0.0.0.0:10250"));
    // A mirror, its secrets.
    let mirror = pod(
        "{global: {imageRegistry: mirror.example:5000/x, imagePullSecrets: [a, {name: b}]}, imagePullSecrets: [{name: a}, c]}",
    );
    assert!(mirror["containers"][0]["image"].as_str().unwrap().starts_with("mirror.example:5000/x/walguard/walguard:"));
    assert_eq!(mirror["imagePullSecrets"], json!([{"name": "a"}, {"name": "b"}, {"name": "c"}]));
    let more = pod("{extraArgs: [--show-info], extraEnv: [{name: TZ, value: UTC}]}");
    assert!(texts(&more["containers"][0]["args"]).contains(&"--show-info"));
    assert_eq!(more["containers"][0]["env"], json!([{"name": "TZ", "value": "UTC"}]));
    let extra = render(
        "extraObjects: [{apiVersion: v1, kind: Endpoints, metadata: {name: '{{ .Release.Name }}-x'}}, 'kind: Node']",
    );
    assert_eq!(one(&extra, "Endpoints")["metadata"]["name"], "guard-x");
    assert_eq!(one(&extra, "Node")["kind"], "Node");
    // Names.
    for (values, name) in [
        ("nameOverride: pg", "guard-pg"),
        ("fullnameOverride: pg-guard", "pg-guard"),
        ("{nameOverride: guard}", "guard"),
    ] {
        let objects = render(values);
        assert_eq!(one(&objects, "Deployment")["metadata"]["name"], name);
        assert_eq!(one(&objects, "ValidatingWebhookConfiguration")["metadata"]["name"], name);
        assert!(arguments(&objects).contains(&format!("--webhook-configuration={name}")));
        assert!(arguments(&objects).contains(&format!("--certificate-host={name}.guards.svc")));
    }
    let peers = "networkPolicy: {enabled: true, apiServer: [{ipBlock: {cidr: 10.0.0.1/32}}]}";
    let ingress = one(&render(peers), "NetworkPolicy")["spec"]["ingress"].clone();
    assert_eq!(ingress[0]["from"], json!([{"ipBlock": {"cidr": "10.0.0.1/32"}}]));
    assert_eq!(ingress[1]["from"], Value::Null);
}

#[test]
fn helm_test_asks_with_the_binary_whether_a_replica_is_ready() {
    let objects = render("{}");
    let pod = one(&objects, "Pod");
    assert_eq!(pod["metadata"]["annotations"]["helm.sh/hook"], "test");
    let arguments = texts(&pod["spec"]["containers"][0]["args"]);
    assert_eq!(arguments, ["serve", "--ask-ready=http://guard-walguard.guards.svc:8080/readyz"]);
    let ask = |health: std::net::SocketAddr, path: &str| {
        let url = format!("--ask-ready=http://{health}{path}");
        let output = Command::new(env!("CARGO_BIN_EXE_walguard")).args(["serve", &url]).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let server = harness::Server::start(&[]);
    assert_eq!(ask(server.health, "/readyz").0, Some(0));
    assert_eq!(ask(server.health, "/nowhere").0, Some(1));
    let health = server.health;
    drop(server);
    assert_ne!(ask(health, "/readyz").0, Some(0));
}

#[test]
fn values_that_mean_nothing_are_refused() {
    for (values, expected) in [
        ("replica: 2", "replica"),
        ("mode: enforcing", "mode"),
        ("webhook: {failurePolicy: fail}", "failurePolicy"),
        ("inventory: {maxBytes: 1}", "maxBytes"),
        ("ports: {https: 0}", "https"),
        ("webhook: {timeoutSeconds: 60}", "timeoutSeconds"),
        ("policy: {checks: {durability/fsync: {severity: severe}}}", "severity"),
        ("audit: {interval: often}", "interval"),
        ("inventory: {maxAge: 5}", "maxAge"),
        ("inventory: {maxAge: 30s}", "maxAge"),
        ("tracing: {endpoint: 'https://collector'}", "endpoint"),
        ("policy: {attestations: [{storageClass: a}]}", "evidence"),
        ("certificates: {mode: provided, provided: {caBundle: PEM}}", "secretName"),
        ("{certificates: {mode: generated}, webhook: {clientConfigOverride: {url: https://a}}}", "caBundle"),
        ("certificates: {clientCA: /etc/ca.pem}", "clientCA"),
        ("certificates: {self: {certificateDays: 0}}", "certificateDays"),
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
        assert!(
            known.contains(&name) || name.starts_with("templates/") || name == "dashboards/walguard.json",
            "{name}"
        );
    }
    let bytes = fs::metadata(&package).unwrap().len();
    eprintln!("the package has {bytes} bytes");
    assert!(bytes < 100_000);
}

/// The metrics of a running walguard that has judged and refused something: without suffixes of samples.
fn metrics() -> BTreeSet<String> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let text = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let server = harness::Server::start(&[]);
        server
            .review(harness::create(json!({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {}})))
            .await;
        server.post("no review").await;
        server.health("/metrics").await.1
    });
    let families = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let families: BTreeMap<&str, &str> = families.map(|line| line.split_once(' ').unwrap()).collect();
    let samples =
        |(name, kind): (&str, &str)| if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
    families.into_iter().map(samples).collect()
}

/// Names of metrics in a text of expressions.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("walguard_")).map(str::to_owned).collect()
}

#[test]
fn alerts_and_dashboard_are_promql_about_metrics_that_there_are() {
    let objects = render(&everything());
    let rule = one(&objects, "PrometheusRule");
    let alerts = rule["spec"]["groups"][0]["rules"].as_array().unwrap();
    let alerts: Vec<&str> = alerts.iter().map(|alert| alert["expr"].as_str().unwrap()).collect();
    let dashboard = objects.iter().find_map(|object| object["data"]["walguard.json"].as_str()).unwrap();
    let dashboard: Value = serde_json::from_str(dashboard).unwrap();
    let targets = dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    for expression in alerts.iter().chain(&queries) {
        // Grafana fills its variables in first.
        let parsed = promql_parser::parser::parse(&expression.replace("$__rate_interval", "5m"));
        assert!(parsed.is_ok(), "{expression}: {parsed:?}");
    }
    // What only a walguard with a cluster has is in the documentation, and so is all the rest.
    let pages = ["docs/webhook.md", "docs/audit.md"].map(|page| fs::read_to_string(repository().join(page)).unwrap());
    let documented = names(&pages.concat());
    let running = metrics();
    assert!(running.len() >= 10 && running.is_subset(&documented), "{running:?} of {documented:?}");
    let known: BTreeSet<String> = documented.iter().flat_map(|name| [name.clone(), format!("{name}_bucket")]).collect();
    for (what, used) in [("alerts", names(&alerts.concat())), ("dashboard", names(&queries.concat()))] {
        assert!(used.len() >= 6, "{what}: {used:?}");
        let unknown: Vec<&String> = used.difference(&known).collect();
        assert!(unknown.is_empty(), "{what}: {unknown:?} of {known:?}");
    }
    // Another mode than everything's has other alerts.
    let alerts =
        |values: &str| one(&render(values), "PrometheusRule")["spec"]["groups"][0]["rules"].as_array().unwrap().len();
    let all = alerts("prometheusRule: {enabled: true}");
    assert_eq!(all, alerts("{prometheusRule: {enabled: true}, inventory: {enabled: false}}") + 1);
    assert_eq!(all, alerts("{prometheusRule: {enabled: true}, certificates: {mode: generated}}") + 1);
}

#[test]
fn the_image_that_artifact_hub_shows_is_the_one_that_runs() {
    let text = fs::read_to_string(repository().join("Chart.yaml")).unwrap();
    let image = container(&render("{}"))["image"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("image: {image}\n")), "{image}");
}
