//! The Kubewarden policy, as it is built, in a real waPC host: over all examples and the manifests of every check it gives
//! the same findings as the engine does natively, whatever of the cluster it may see, and answers as the webhook would.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{fs, thread};

use common::{files, root};
use serde_json::{Value as Json, json};
use walguard_engine::{
    Catalogue, Engine, Finding, Inventory, Kind, Request, Review, Role, Rules, answer, configuration, value,
};

/// What a script prints: the path of what it built.
fn built(script: &str, arguments: &[&str]) -> PathBuf {
    let output = Command::new(root().join(script)).args(arguments).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{script} failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// Runs the host on the module with a standard input, and gives its standard output.
fn host(arguments: &[&str], module: &str, input: String) -> String {
    let mut child = Command::new(built("tests/tools/build", &["wapc-host"]))
        .arg(arguments[0])
        .arg(module)
        .args(&arguments[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "wapc-host failed");
    String::from_utf8(output.stdout).unwrap()
}

fn policy() -> String {
    built("policies/kubewarden/build", &[]).to_str().unwrap().to_owned()
}

/// A review: the line for the host, and the inventory that the engine is given for it.
struct Case {
    name: String,
    line: Json,
    inventory: Inventory,
}

impl Case {
    fn request(&self) -> String {
        self.line["request"].to_string()
    }

    /// What the engine finds natively.
    fn expected(&self, engine: &Engine) -> Vec<Finding> {
        let text = self.request();
        let request: Request = serde_json::from_str(&text).unwrap();
        let review = Review {
            request: request.review().unwrap(),
            inventory: Some(self.inventory.value()),
            configuration: self
                .line
                .get("settings")
                .map(|settings| value(configuration::normalise(settings, engine.catalogue()).unwrap())),
            now: None,
        };
        engine.clone().judge(&review).unwrap()
    }
}

fn id(kind: &Kind) -> Vec<String> {
    kind.api_versions().map(|version| format!("{version}/{}", kind.kind)).collect()
}

fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

fn kind<'c>(catalogue: &'c Catalogue, object: &Json) -> Option<&'c Kind> {
    catalogue.kinds_of(text(object, "/apiVersion"), text(object, "/kind")).next()
}

/// The documents of a file as they would be in a cluster: what is namespaced has a namespace.
fn objects(file: &PathBuf, catalogue: &Catalogue) -> Vec<Json> {
    let reading = walguard_manifest::read(file.to_str().unwrap(), fs::read(file).unwrap());
    let mut objects: Vec<Json> = reading.documents.into_iter().map(|document| document.value).collect();
    for object in &mut objects {
        if kind(catalogue, object).is_some_and(|kind| kind.namespaced)
            && text(object, "/metadata/namespace").is_empty()
            && object.get("metadata").is_some_and(Json::is_object)
        {
            object["metadata"]["namespace"] = "default".into();
        }
    }
    objects
}

fn request(object: &Json, operation: &str) -> Json {
    let api_version = text(object, "/apiVersion");
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let mut request = json!({
        "uid": "0", "operation": operation, "name": text(object, "/metadata/name"),
        "namespace": text(object, "/metadata/namespace"),
        "kind": {"group": group, "version": version, "kind": object["kind"]},
        "resource": {"group": group, "version": version, "resource": "any"},
        "userInfo": {"username": "alice"}, "object": object,
    });
    if operation == "UPDATE" {
        request["oldObject"] = object.clone();
    }
    request
}

/// An inventory of all kinds that some host looks up, except the refused ones, and of what the clusters among `naming` name.
fn inventory(objects: &[Json], catalogue: &Catalogue, refused: &[String], naming: &[Json]) -> Inventory {
    let mut inventory = Inventory::new(refused.is_empty());
    for object in objects {
        let (api_version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
        let named = || {
            naming.iter().any(|cluster| {
                let of = catalogue.kinds_of(text(cluster, "/apiVersion"), text(cluster, "/kind"));
                let value = value(cluster.clone());
                let mut named = of.flat_map(|of| catalogue.named_by(of, &value));
                text(cluster, "/metadata/namespace") == text(object, "/metadata/namespace")
                    && named.any(|(of, names)| {
                        of.kind == kind && names.iter().any(|name| name == text(object, "/metadata/name"))
                    })
            })
        };
        let known =
            catalogue.inventoried().any(|k| k.kind == kind && k.api_versions().any(|v| v == api_version)) || named();
        if known && !refused.contains(&format!("{api_version}/{kind}")) {
            let (namespace, name) = (text(object, "/metadata/namespace"), text(object, "/metadata/name"));
            inventory.place_object(api_version, kind, namespace, name, &value(object.clone()));
        }
    }
    inventory
}

/// Every judged object of every manifest: alone and unseeing, among the others of its file, updated, with a kind that may
/// not be read, and in an API server that serves no more than what there is.
fn cases(catalogue: &Catalogue) -> Vec<Case> {
    let mut manifests = files(&root().join("examples"), &["yaml"]);
    manifests.extend(files(&root().join("rules/checks"), &["yaml"]));
    let mut cases = Vec::new();
    for file in manifests {
        let objects = objects(&file, catalogue);
        let there = |id: &String| {
            objects.iter().any(|object| format!("{}/{}", text(object, "/apiVersion"), text(object, "/kind")) == *id)
        };
        // Kubernetes' own kinds are served everywhere.
        let of_operators =
            catalogue.kinds.iter().filter(|kind| kind.group.contains('.') && !kind.group.ends_with(".k8s.io"));
        let unserved: Vec<String> = of_operators.flat_map(id).filter(|id| !there(id)).collect();
        for (index, object) in objects.iter().enumerate() {
            if kind(catalogue, object).is_some_and(|kind| kind.depended_on()) {
                let mut deletion = request(object, "DELETE");
                deletion["oldObject"] = deletion["object"].take();
                cases.push(Case {
                    name: format!("{}, document {}, deleted", file.display(), index + 1),
                    // Clusters stand in the version they are written in, which is the only one that this API server serves.
                    line: json!({"request": deletion, "objects": objects, "unserved": unserved}),
                    inventory: inventory(&objects, catalogue, &[], &[]),
                });
            }
            if kind(catalogue, object).is_none_or(|kind| !kind.judged() || !kind.concerns(&object.to_string())) {
                continue;
            }
            let refused = vec!["storage.k8s.io/v1/StorageClass".to_owned()];
            let mut add = |what: &str, line: Json, inventory: Inventory| {
                let name = format!("{}, document {}, {what}", file.display(), index + 1);
                cases.push(Case { name, line, inventory });
            };
            let create = request(object, "CREATE");
            add("alone", json!({"request": create}), Inventory::new(false));
            let change = kind(catalogue, object).is_some_and(|kind| kind.role == Role::Change);
            let naming = if change { objects.as_slice() } else { std::slice::from_ref(object) };
            let all = inventory(&objects, catalogue, &[], naming);
            add("among others", json!({"request": create, "objects": objects}), all.clone());
            add("served alone", json!({"request": create, "objects": objects, "unserved": unserved}), all.clone());
            let update = request(object, "UPDATE");
            add("updated", json!({"request": update, "objects": objects}), all);
            let part = inventory(&objects, catalogue, &refused, naming);
            add("without classes", json!({"request": create, "objects": objects, "refused": refused}), part);
        }
    }
    assert!(cases.len() > 500, "there is little to compare over: {}", cases.len());
    cases
}

/// Runs the cases and compares findings and answers.
fn compare(engine: &Engine, cases: &[Case]) {
    let input = cases.iter().map(|case| case.line.to_string() + "\n").collect();
    let output = host(&["run"], &policy(), input);
    assert_eq!(output.lines().count(), cases.len());
    for (case, line) in cases.iter().zip(output.lines()) {
        let expected = case.expected(engine);
        let answer: Json = serde_json::from_str(line).unwrap();
        assert_eq!(answer["findings"], json!(expected), "{}: {line}", case.name);
        let request = case.request();
        let request: Request = serde_json::from_str(&request).unwrap();
        let denied = answer::denies(&expected);
        let response = json!({
            "accepted": !denied,
            "message": denied.then(|| answer::denial(&request.subject(), &expected, None)),
            "code": denied.then_some(403),
            "mutated_object": null,
            "audit_annotations": answer::audit_annotations(&expected),
            "warnings": answer::warnings(&expected, None),
        });
        assert_eq!(answer["response"], response, "{}", case.name);
    }
}

#[test]
#[ignore = "builds the policy and its host, which takes minutes: make kubewarden"]
fn the_policy_finds_what_the_engine_finds() {
    let engine = Engine::new(&Rules::embedded()).unwrap();
    let cases = cases(engine.catalogue());
    compare(&engine, &cases);
    let findings: Vec<Finding> = cases.iter().flat_map(|case| case.expected(&engine)).collect();
    assert!(answer::denies(&findings) && findings.iter().any(|finding| finding.ratcheted));
}

/// Storage that is said to write atomically until some day, and a cluster that relies on it.
fn relying(engine: &Engine, expires: &str) -> Case {
    let settings = json!({"version": 1, "attestations": [{
        "storageClass": "attested", "atomicWriteBytes": 8192, "evidence": "200 power cuts", "by": "storage team",
        "expires": expires,
    }]});
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "attested"},
        "provisioner": "csi.example.com"});
    let cluster = json!({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {"instances": 3, "storage": {"size": "10Gi", "storageClass": "attested"},
            "postgresql": {"parameters": {"full_page_writes": "off"}}}});
    let objects = [class];
    Case {
        name: format!("until {expires}"),
        line: json!({"request": request(&cluster, "CREATE"), "settings": settings, "objects": objects}),
        inventory: inventory(&objects, engine.catalogue(), &[], &[]),
    }
}

#[test]
#[ignore = "builds the policy and its host, which takes minutes: make kubewarden"]
fn settings_count_and_the_clock_is_not_that_of_the_build() {
    let engine = Engine::new(&Rules::embedded()).unwrap();
    // The build's clock stands at the beginning of 1970: to it this would still be to come.
    let past = relying(&engine, "2020-01-01T00:00:00Z");
    let future = relying(&engine, "2200-01-01T00:00:00Z");
    let of = |case: &Case| {
        let findings = case.expected(&engine);
        findings.iter().filter(|finding| finding.check == "durability/full_page_writes").count()
    };
    assert!(of(&past) > 0 && of(&future) == 0, "{} {}", of(&past), of(&future));
    compare(&engine, &[past, future]);
}

#[test]
#[ignore = "builds the policy and its host, which takes minutes: make kubewarden"]
fn settings_with_a_mistake_are_refused() {
    let module = policy();
    let answer = |settings: Json| -> Json {
        serde_json::from_str(&host(&["call", "validate_settings"], &module, settings.to_string())).unwrap()
    };
    for settings in
        [json!({}), json!(null), json!({"version": 1, "checks": {"durability/full_page_writes": {"severity": "off"}}})]
    {
        assert_eq!(answer(settings.clone()), json!({"valid": true, "message": null}), "{settings}");
    }
    let wrong = answer(
        json!({"version": 1, "checks": {"durability/full_page_wrtes": {}, "wal/init_zero_filesystem": {"severity": "loud"}}}),
    );
    assert_eq!(wrong["valid"], false);
    let message = wrong["message"].as_str().unwrap();
    assert!(message.contains("full_page_wrtes") && message.contains("loud"), "{message}");
    assert_eq!(host(&["call", "protocol_version"], &module, String::new()), r#""v1""#);
}

#[test]
#[ignore = "builds the policy and its host, which takes minutes: make kubewarden"]
fn what_is_none_of_its_business_passes_and_what_it_cannot_read_does_not() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b"}});
    let mut mislabelled = request(&json!({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster"}), "CREATE");
    mislabelled["object"]["apiVersion"] = "postgresql.cnpg.io/v2".into();
    let input = format!("{}\n{mislabelled}\nno json\n", request(&pod, "CREATE"));
    let output = host(&["run"], &policy(), input);
    let answers: Vec<Json> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 3);
    assert_eq!((&answers[0]["response"]["accepted"], &answers[0]["findings"]), (&json!(true), &json!([])));
    assert_eq!((&answers[1]["response"]["accepted"], &answers[1]["findings"]), (&json!(false), &Json::Null));
    assert_eq!(answers[1]["response"]["audit_annotations"], json!({"not-judged": "evaluation"}));
    assert!(answers[2]["error"].is_string());
}

/// Prints size and speed, on the manifests of `bench/`.
#[test]
#[ignore = "builds the policy and its host, which takes minutes: make kubewarden"]
fn figures() {
    let engine = Engine::new(&Rules::embedded()).unwrap();
    let manifests = files(&root().join("bench/manifests"), &["yaml"]);
    let reviews = manifests.iter().map(|file| {
        let objects = objects(file, engine.catalogue());
        json!({"request": request(&objects[0], "CREATE"), "objects": objects}).to_string() + "\n"
    });
    let output = host(&["bench", "20"], &policy(), reviews.collect());
    for (index, file) in manifests.iter().enumerate() {
        println!("review {} is {}", index + 1, file.file_name().unwrap().display());
    }
    println!("{output}");
    assert_eq!(output.lines().filter(|line| line.starts_with("review ")).count(), manifests.len());
}
