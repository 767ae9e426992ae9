//! Drives the real `walguard serve`, over TLS on loopback, as an API server does and as none should.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/serve.rs"]
mod harness;

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::{MOMENT, PATIENCE, Server, client, create, issue, new_certificate};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message as _;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const CHECK: &str = "durability/full_page_writes";

// ------------------------------------------------------------------------------------------------ requests

/// A cluster; `parameters` are those of PostgreSQL.
fn cluster(parameters: Value) -> Value {
    json!({
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "Cluster",
        "metadata": {"name": "orders", "namespace": "shop"},
        "spec": {
            "instances": 3,
            "imageName": "ghcr.io/cloudnative-pg/postgresql:17.2",
            "storage": {"size": "100Gi", "storageClass": "fast"},
            "postgresql": {"parameters": parameters},
        },
    })
}

fn safe() -> Value {
    cluster(json!({"full_page_writes": "on"}))
}

fn unsafe_cluster() -> Value {
    cluster(json!({"full_page_writes": "off"}))
}

fn update(old: Value, new: Value) -> Value {
    with(with(create(new), "operation", json!("UPDATE")), "oldObject", old)
}

fn with(mut request: Value, field: &str, value: Value) -> Value {
    request[field] = value;
    request
}

fn message(response: &Value) -> &str {
    response["status"]["message"].as_str().unwrap_or_default()
}

fn warnings(response: &Value) -> String {
    response["warnings"].to_string()
}

fn errors(response: &Value) -> &str {
    response["auditAnnotations"]["error"].as_str().unwrap_or_default()
}

/// True for an answer that lets pass without any finding or failure.
fn silent(response: &Value) -> bool {
    response["allowed"] == true && response.as_object().unwrap().len() == 2
}

// ------------------------------------------------------------------------------------------------ verdicts

#[tokio::test]
async fn an_unsafe_cluster_is_denied_with_check_field_and_remedy() {
    let server = Server::start(&[]);
    let response = server.review(create(unsafe_cluster())).await;
    assert_eq!(response["allowed"], false);
    assert_eq!(response["status"]["code"], 403);
    let text = message(&response);
    assert!(text.starts_with("Cluster shop/orders has "), "{text}");
    assert!(
        text.contains("\n- durability/full_page_writes at spec.postgresql.parameters.full_page_writes: "),
        "{text}"
    );
    assert!(text.contains(". Remedy: "), "{text}");
    assert!(errors(&response).contains(CHECK), "{response}");

    let line = server.until_logged("review").await;
    for (field, value) in [("verdict", "denied"), ("namespace", "shop"), ("name", "orders"), ("user", "ada")] {
        assert_eq!(line[field], value, "{line}");
    }
    assert_eq!(line["uid"], response["uid"]);
    assert!(line["errors"].as_str().unwrap().contains(CHECK), "{line}");
    assert!(line["microseconds"].is_u64(), "{line}");

    let (_, metrics) = server.health("/metrics").await;
    let series =
        r#"walguard_reviews_total{kind="Cluster",operator="cnpg",resource_namespace="shop",verdict="denied"} 1"#;
    assert!(metrics.contains(series), "{metrics}");
    assert!(
        metrics.contains(&format!(r#"walguard_findings_total{{check="{CHECK}",severity="error"}} 1"#)),
        "{metrics}"
    );
}

#[tokio::test]
async fn a_safe_cluster_is_admitted() {
    let server = Server::start(&[]);
    let response = server.review(create(safe())).await;
    assert_eq!(response["allowed"], true, "{response}");
    assert_eq!(errors(&response), "", "{response}");
}

#[tokio::test]
async fn the_modes_that_do_not_enforce_admit() {
    let warn = Server::start(&["--mode", "warn"]).review(create(unsafe_cluster())).await;
    assert_eq!(warn["allowed"], true, "{warn}");
    assert!(warnings(&warn).contains("error, not enforced: durability/full_page_writes"), "{warn}");

    let server = Server::start(&["--mode", "audit"]);
    let audit = server.review(create(unsafe_cluster())).await;
    assert_eq!((&audit["allowed"], &audit["warnings"]), (&json!(true), &Value::Null), "{audit}");
    assert!(errors(&audit).contains(CHECK), "{audit}");
    let line = server.until_logged("finding").await;
    assert_eq!(line["uid"], audit["uid"]);
}

#[tokio::test]
async fn what_was_wrong_before_is_a_warning_and_what_is_new_is_denied() {
    let server = Server::start(&[]);
    let before = server.review(update(unsafe_cluster(), unsafe_cluster())).await;
    assert_eq!(before["allowed"], true, "{before}");
    assert!(warnings(&before).contains("was there before, so not denied: durability/full_page_writes"), "{before}");

    let new = server.review(update(safe(), unsafe_cluster())).await;
    assert_eq!(new["allowed"], false, "{new}");
    assert!(message(&new).contains(CHECK), "{new}");
}

#[tokio::test]
async fn what_is_no_concern_of_the_rules_passes_in_silence() {
    let server = Server::start(&[]);
    let request = || create(unsafe_cluster());
    let service = json!({"group": "", "version": "v1", "kind": "Service"});
    let leaving = |mut object: Value| {
        object["metadata"]["deletionTimestamp"] = json!("2026-11-21T10:00:00Z");
        object
    };
    for (what, request) in [
        ("another kind", with(request(), "kind", service)),
        (
            "a deletion",
            with(
                with(with(request(), "operation", json!("DELETE")), "oldObject", unsafe_cluster()),
                "object",
                Value::Null,
            ),
        ),
        ("a subresource", with(request(), "subResource", json!("status"))),
        ("the last change of an object on its way out", update(leaving(unsafe_cluster()), leaving(unsafe_cluster()))),
    ] {
        let response = server.review(request).await;
        assert!(silent(&response), "{what}: {response}");
    }
}

// ------------------------------------------------------------------------------------------------ hostile input

#[tokio::test]
async fn what_is_no_review_is_a_bad_request() {
    let server = Server::start(&[]);
    let review =
        |request: Value| json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    let old = json!({"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "request": create(safe())});
    for (body, expected) in [
        (String::new(), "EOF"),
        ("\u{0}\u{1}\u{fffd}".to_owned(), "no AdmissionReview"),
        ("a: 1".to_owned(), "no AdmissionReview"),
        ("[]".to_owned(), "no AdmissionReview"),
        ("null".to_owned(), "no AdmissionReview"),
        ("{}".to_owned(), "not an AdmissionReview"),
        (unsafe_cluster().to_string(), "not an AdmissionReview"),
        (old.to_string(), "v1beta1"),
        (json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}).to_string(), "no request"),
        (review(json!({})).to_string(), "no uid"),
        (review(with(create(safe()), "uid", json!(7))).to_string(), "no AdmissionReview"),
        (review(with(create(safe()), "kind", json!("Cluster"))).to_string(), "no AdmissionReview"),
        (review(create(safe())).to_string().replace("\"shop\"", "[[["), "no AdmissionReview"),
        ("[".repeat(100_000), "no AdmissionReview"),
    ] {
        let (status, text) = server.post(body.clone()).await;
        let start: String = body.chars().take(60).collect();
        assert_eq!(status, StatusCode::BAD_REQUEST, "{start}: {text}");
        assert!(text.contains(expected), "{start}: {text}");
    }
    assert_eq!(server.health("/healthz").await.0, StatusCode::OK);
}

#[tokio::test]
async fn values_of_any_type_in_any_place_get_an_answer() {
    let server = Server::start(&[]);
    let values = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!([[]]),
        json!({"": {}}),
        json!("\u{0}'\"`"),
        json!("x".repeat(100_000)),
    ];
    let places = ["", "/metadata", "/metadata/name", "/spec", "/spec/instances", "/spec/imageName", "/spec/storage"];
    let places = places.iter().chain(&["/spec/storage/size", "/spec/postgresql", "/spec/postgresql/parameters"]);
    for place in places.chain(&["/spec/postgresql/parameters/full_page_writes"]) {
        for value in &values {
            let mut object = unsafe_cluster();
            *object.pointer_mut(place).unwrap() = value.clone();
            for request in
                [create(object.clone()), update(object.clone(), unsafe_cluster()), update(unsafe_cluster(), object)]
            {
                let response = server.review(request).await;
                assert!(response["allowed"].is_boolean(), "{place}");
                assert_ne!(response["auditAnnotations"]["not-judged"], "panic", "{place}: {response}");
                assert_ne!(response["auditAnnotations"]["not-judged"], "evaluation", "{place}: {response}");
                assert!(message(&response).chars().count() <= 4096, "{place}");
            }
        }
    }
}

#[tokio::test]
async fn a_cluster_too_deep_to_read_is_denied() {
    let server = Server::start(&[]);
    let deep = format!("{}1{}", r#"{"a":"#.repeat(1000), "}".repeat(1000));
    let request = create(cluster(json!({"full_page_writes": "DEEP"}))).to_string().replace("\"DEEP\"", &deep);
    let body = format!(r#"{{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {request}}}"#);
    let (status, text) = server.post(body).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let response = serde_json::from_str::<Value>(&text).unwrap()["response"].clone();
    assert_eq!(response["allowed"], false);
    assert!(message(&response).contains("was not judged: the object cannot be read"), "{response}");
    // The same depth in an object that nobody judges is nobody's business.
    let other = serde_json::from_str::<Value>(&request.replace(&deep, "1")).unwrap();
    let other = with(other, "kind", json!({"group": "", "version": "v1", "kind": "Service"}));
    assert!(silent(&server.review(other).await));
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_whether_it_says_so_or_not() {
    let server = Server::start(&["--max-body-bytes", "1048576"]);
    let large = " ".repeat(10 << 20);
    let length = large.len();
    let (status, text) = server.post(large).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(text.contains("larger than 1048576 bytes"), "{text}, sent {length}");

    let mut stream = server.connect().await;
    let head = "POST /validate HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..17 {
        // The server may hang up as soon as it has seen enough.
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[tokio::test]
async fn slow_clients_idle_ones_and_noise_hold_nobody_up() {
    let server = Server::start(&["--deadline-ms", "1000"]);
    let mut slow = server.connect().await;
    slow.write_all(b"POST /validate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{\"apiVersion\"")
        .await
        .unwrap();
    let mut idle = Vec::new();
    for _ in 0..100 {
        idle.push(server.connect().await);
    }
    let mut noise = TcpStream::connect(server.address).await.unwrap();
    noise.write_all(b"POST /validate HTTP/1.1\r\n\r\n").await.unwrap();

    assert_eq!(server.review(create(unsafe_cluster())).await["allowed"], false);
    let mut answer = [0; 12];
    slow.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
}

#[tokio::test]
async fn a_thousand_idle_connections_and_broken_tls_hold_nobody_up() {
    const CONNECTIONS: usize = 1000;
    let limit = Command::new("sh").args(["-c", "ulimit -n"]).output().unwrap();
    let limit = String::from_utf8(limit.stdout).unwrap();
    if limit.trim().parse::<usize>().is_ok_and(|files| files < 2 * CONNECTIONS) {
        eprintln!("skipped: a process may open only {} files here", limit.trim());
        return;
    }
    let server = Server::start(&[]);
    let (mut idle, mut mute) = (Vec::new(), Vec::new());
    for _ in 0..CONNECTIONS / 2 {
        idle.push(server.connect().await);
        mute.push(TcpStream::connect(server.address).await.unwrap());
    }
    // What is no TLS, breaks off, or lies about its length.
    let hello: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    for noise in [
        hello,
        &hello[..3],
        b"\x16\x03\x01\xff\xff",
        b"\x15\x03\x03\x00\x02\x02\x28",
        &[0; 70_000],
        b"GET / HTTP/1.1\r\n\r\n",
    ] {
        for stream in mute.iter_mut().take(20) {
            // The server may have hung up by now.
            let _ = stream.write_all(noise).await;
        }
        assert_eq!(server.review(create(unsafe_cluster())).await["allowed"], false);
    }
    // A cluster of 3 MB, as large as etcd and twice the usual limit allow, in the middle of it.
    let mut large = unsafe_cluster();
    large["metadata"]["annotations"] = json!({"note": "x".repeat(3 << 20)});
    let response = server.review(create(large.clone())).await;
    assert_eq!(response["allowed"], false, "{response}");
    let response = server.review(update(safe(), large)).await;
    assert!(errors(&response).contains(CHECK), "{response}");

    assert_eq!(server.health("/readyz").await.0, StatusCode::OK);
    let mut last = idle.pop().unwrap();
    last.write_all(b"GET /validate HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = [0; 12];
    last.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 405");
}

#[tokio::test]
async fn what_comes_on_top_is_told_to_try_again() {
    const AT_ONCE: usize = 32;
    let server = Server::start(&["--max-in-flight", "1", "--deadline-ms", "60000"]);
    let (mut judged, mut shed) = (0, 0);
    // How many of them meet is up to the machine.
    while shed == 0 || judged == 0 {
        let reviews = (0..AT_ONCE).map(|_| server.review(create(unsafe_cluster())));
        for response in futures::future::join_all(reviews).await {
            assert_eq!(response["allowed"], false, "{response}");
            if errors(&response).contains(CHECK) {
                judged += 1;
                continue;
            }
            assert_eq!(response["status"]["code"], 429, "{response}");
            assert_eq!(response["status"]["details"]["retryAfterSeconds"], 1, "{response}");
            assert!(message(&response).contains("try again"), "{response}");
            shed += 1;
        }
    }
    let metrics = server.health("/metrics").await.1;
    assert!(metrics.contains(&format!("walguard_review_failures_total{{reason=\"overload\"}} {shed}\n")), "{metrics}");
}

#[tokio::test]
async fn bodies_of_one_client_take_no_more_memory_than_allowed() {
    let server = Server::start(&["--max-body-bytes", "65536", "--deadline-ms", "60000"]);
    let mut held = Vec::new();
    for _ in 0..33 {
        let mut stream = server.connect().await;
        let head = "POST /validate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 65536\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(" ".repeat(65535).as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        held.push(stream);
    }
    // There is room for 64, and half of it is for one client, so that one of 33 is turned away while its last byte is still missing.
    let mut answers = held.iter_mut().map(|stream| {
        Box::pin(async move {
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.unwrap();
            String::from_utf8_lossy(&answer).into_owned()
        })
    });
    let (first, _, _) = futures::future::select_all(answers.by_ref()).await;
    assert_eq!(first, "HTTP/1.1 503");
    let refused = r#"walguard_refused_requests_total{reason="client"} 1"#;
    assert!(server.health("/metrics").await.1.contains(refused));
    drop(held);
    // What they held is free again.
    for _ in 0..PATIENCE {
        let large = with(create(safe()), "padding", json!("x".repeat(60_000)));
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": large});
        if server.post(review.to_string()).await.0 == StatusCode::OK {
            assert!(server.health("/metrics").await.1.contains("walguard_bodies_bytes 0\n"));
            return;
        }
        tokio::time::sleep(MOMENT).await;
    }
    panic!("memory was not given back");
}

/// Rules of which one takes as long as it may, for objects of a namespace.
fn slow_rules(directory: &Path) {
    let rules = r#"package walguard.checks.test.slow
findings contains "never" if {
    input.review.namespace == "hostile"
    many := numbers.range(1, 100000)
    some a in many
    some b in many
    some c in many
    a + b + c < 0
}"#;
    fs::create_dir(directory.join("rules")).unwrap();
    fs::write(directory.join("rules/slow.rego"), rules).unwrap();
    common::bundle(&directory.join("rules"), &["walguard/checks"]);
}

#[tokio::test]
async fn a_namespace_that_keeps_every_slot_busy_holds_up_neither_others_nor_health() {
    const HOSTILE: usize = 100;
    let directory = TempDir::new().unwrap();
    slow_rules(directory.path());
    let server =
        Server::start_in(directory, &["--rules", "rules.tar.gz", "--deadline-ms", "600000", "--max-in-flight", "32"]);
    // More than are judged at once, and more than may wait. The first are judged until the server ends.
    let review = |namespace: &str| {
        let request = with(create(safe()), "namespace", json!(namespace));
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).to_string()
    };
    // Whoever waits has all the time that it takes.
    let (client, url) = (server.client(), server.url().replace("?timeout=10s", ""));
    for _ in 0..HOSTILE {
        let asked = client.post(&url).body(review("hostile")).send();
        tokio::spawn(async move {
            let _ = asked.await;
        });
    }
    let metric = async |name: &str| {
        let text = server.health("/metrics").await.1;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<usize>().ok());
        value.unwrap_or_else(|| panic!("{name}: {text}"))
    };
    for _ in 0..PATIENCE {
        if metric("walguard_shed_reviews_total ").await > 0 {
            break;
        }
        tokio::time::sleep(MOMENT).await;
    }
    assert!(metric("walguard_waiting_reviews ").await > 20);
    assert_eq!(server.health("/healthz").await, (StatusCode::OK, "ok\n".to_owned()));
    assert_eq!(server.health("/readyz").await.0, StatusCode::OK);
    // The queue is full, and every slot is taken that it may have.
    for _ in 0..20 {
        let answer = client.post(&url).body(review("shop")).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let text = answer.text().await.unwrap();
        assert!(text.contains(r#""allowed":true"#), "{text}");
    }
}

#[tokio::test]
async fn a_change_of_what_clusters_depend_on_is_not_held_up_by_their_number() {
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "a"}});
    let mut request = update(class.clone(), class);
    request["kind"] = json!({"group": "storage.k8s.io", "version": "v1", "kind": "StorageClass"});
    // What cannot be read has no verdict.
    request["object"]["kind"] = "Other".into();
    let server = Server::start(&[]);
    let response = server.review(request.clone()).await;
    assert_eq!(response["allowed"], true, "{response}");
    assert!(warnings(&response).contains("was not judged"), "{response}");

    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("walguard.yaml"), "version: 1\ndependents: deny\n").unwrap();
    let server = Server::start_in(directory, &["--config", "walguard.yaml"]);
    assert_eq!(server.review(request).await["allowed"], false);
}

// ------------------------------------------------------------------------------------------------ while it runs

#[tokio::test]
async fn a_new_certificate_is_taken_over_and_a_broken_one_is_not() {
    let server = Server::start(&[]);
    fs::write(server.directory.path().join("tls.key"), "broken").unwrap();
    server.until_logged_starting("the new certificate is no use").await;
    assert_eq!(server.review(create(safe())).await["allowed"], true);
    let (_, metrics) = server.health("/metrics").await;
    let expiry = r#"walguard_certificate_expiry_timestamp_seconds{certificate="serving"} "#;
    let expiry = metrics.lines().find_map(|line| line.strip_prefix(expiry)).unwrap_or_else(|| panic!("{metrics}"));
    // The first moment of the year 4096, when the certificates of these tests expire.
    assert_eq!(expiry, "67090118400");

    let authority = new_certificate(server.directory.path());
    for _ in 0..PATIENCE {
        if client(&authority).post(server.url()).body("").send().await.is_ok() {
            return;
        }
        tokio::time::sleep(MOMENT).await;
    }
    panic!("the new certificate was not taken over: {:?}", server.log.lock().unwrap());
}

/// What the server answers on a connection of a client, if it does.
async fn asked_as(server: &Server, client: Option<&(String, String)>) -> String {
    let mut stream = server.connect_as(client).await;
    let mut answer = [0; 12];
    let asked = stream.write_all(b"GET /validate HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    match asked.and(stream.read_exact(&mut answer).await) {
        Ok(_) => String::from_utf8_lossy(&answer).into_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn only_clients_of_the_authority_are_answered_where_one_is_asked_for() {
    let ((authority, ours), (other_authority, other)) = (issue(), issue());
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("clients.pem");
    fs::write(&path, authority).unwrap();
    let server = Server::start_in(directory, &["--client-ca", "clients.pem"]);
    assert_eq!(asked_as(&server, Some(&ours)).await, "HTTP/1.1 405");
    assert!(asked_as(&server, None).await.contains("CertificateRequired"));
    assert!(asked_as(&server, Some(&other)).await.contains("fatal alert"));
    // Probes and Prometheus have no certificate, and need none.
    assert_eq!(server.health("/readyz").await.0, StatusCode::OK);

    fs::write(&path, "broken").unwrap();
    server.until_logged_starting("the new client authority is no use").await;
    assert_eq!(asked_as(&server, Some(&ours)).await, "HTTP/1.1 405");
    fs::write(&path, other_authority).unwrap();
    server.until_logged("client authority taken over").await;
    assert_eq!(asked_as(&server, Some(&other)).await, "HTTP/1.1 405");
    assert!(asked_as(&server, Some(&ours)).await.contains("fatal alert"));
}

#[tokio::test]
async fn the_policy_configuration_is_obeyed_and_reloaded() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("walguard.yaml");
    let configuration = |severity: &str| format!("version: 1\nchecks:\n  {CHECK}:\n    severity: {severity}\n");
    fs::write(&path, configuration("warning")).unwrap();
    let server = Server::start_in(directory, &["--config", "walguard.yaml"]);
    let response = server.review(create(unsafe_cluster())).await;
    assert_eq!(response["allowed"], true, "{response}");
    assert!(warnings(&response).contains(CHECK), "{response}");

    fs::write(&path, configuration("severe")).unwrap();
    let line = server.until_logged_starting("the new configuration is no use").await;
    assert!(line.contains("walguard.yaml:4:15: ") && line.contains("severe"), "{line}");
    assert_eq!(server.review(create(unsafe_cluster())).await["allowed"], true);

    fs::write(&path, configuration("error")).unwrap();
    server.until_logged("configuration taken over").await;
    assert_eq!(server.review(create(unsafe_cluster())).await["allowed"], false);
}

#[tokio::test]
async fn sigterm_drains_and_ends_in_order() {
    let mut server = Server::start(&["--drain-seconds", "2", "--deadline-ms", "60000"]);
    assert_eq!(server.health("/readyz").await.0, StatusCode::OK);

    // A request that is under way when the signal comes …
    let body =
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": create(unsafe_cluster())})
            .to_string();
    let mut stream = server.connect().await;
    let head = format!("POST /validate HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body.as_bytes()[..body.len() / 2]).await.unwrap();
    stream.flush().await.unwrap();

    server.terminate();
    server.until_logged("draining").await;
    assert_eq!(server.health("/readyz").await.0, StatusCode::SERVICE_UNAVAILABLE);
    // … and one that comes after it are both answered.
    assert_eq!(server.review(create(unsafe_cluster())).await["allowed"], false);
    stream.write_all(&body.as_bytes()[body.len() / 2..]).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.to_ascii_lowercase().contains("\r\nconnection: close\r\n"), "{answer}");
    drop(stream);

    let ended = tokio::task::spawn_blocking(move || (server.process.wait().unwrap(), server)).await.unwrap();
    assert_eq!(ended.0.code(), Some(0));
}

#[tokio::test]
async fn a_collector_gets_a_span_of_every_review_in_the_trace_of_the_api_server() {
    let (bodies, mut received) = tokio::sync::mpsc::unbounded_channel();
    let take = axum::routing::post(async move |body: axum::body::Bytes| {
        bodies.send(body).unwrap();
    });
    let collector = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/", collector.local_addr().unwrap());
    tokio::spawn(axum::serve(collector, axum::Router::new().route("/v1/traces", take)).into_future());

    let server = Server::start(&["--otlp-endpoint", &endpoint, "--drain-seconds", "0"]);
    let of = |request: Value| {
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).to_string()
    };
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let call = server.client().post(server.url()).header("traceparent", parent).body(of(create(unsafe_cluster())));
    assert_eq!(call.send().await.unwrap().status(), StatusCode::OK);
    server.review(create(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}}))).await;
    // One that was not sampled where it began is not sent.
    let unsampled = "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00";
    let call = server.client().post(server.url()).header("traceparent", unsampled).body(of(create(safe())));
    assert_eq!(call.send().await.unwrap().status(), StatusCode::OK);

    // At the end nothing is left behind.
    server.terminate();
    server.until_logged("stopped").await;
    let mut spans = Vec::new();
    let mut services = Vec::new();
    while let Ok(body) = received.try_recv() {
        let request = ExportTraceServiceRequest::decode(body).unwrap();
        for resource in request.resource_spans {
            services
                .extend(resource.resource.unwrap().attributes.into_iter().map(|attribute| format!("{attribute:?}")));
            spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    assert!(services.iter().any(|text| text.contains("service.name") && text.contains("walguard")), "{services:?}");
    assert_eq!(spans.len(), 2, "{spans:?}");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (denied, other) = (&spans[0], &spans[1]);
    assert_eq!(hex(&denied.trace_id), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(hex(&denied.parent_span_id), "b7ad6b7169203331");
    assert!(denied.end_time_unix_nano > denied.start_time_unix_nano);
    let attributes = format!("{:?}", denied.attributes);
    for text in
        ["walguard.verdict", "denied", "k8s.namespace.name", "shop", "orders", "705ab4f5-6393-11e8-b7cc-42010a800002"]
    {
        assert!(attributes.contains(text), "{text}: {attributes}");
    }
    assert!(other.parent_span_id.is_empty() && hex(&other.trace_id) != hex(&denied.trace_id));
}

#[tokio::test]
async fn a_collector_that_is_away_holds_nobody_up() {
    // A port that nobody listens at any more.
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let endpoint = format!("http://{gone}");
    let mut server = Server::start(&["--otlp-endpoint", &endpoint, "--drain-seconds", "0"]);
    for _ in 0..20 {
        assert_eq!(server.review(create(unsafe_cluster())).await["allowed"], false);
    }
    server.terminate();
    server.until_logged("stopped").await;
    let ended = tokio::task::spawn_blocking(move || (server.process.wait().unwrap(), server)).await.unwrap();
    assert_eq!(ended.0.code(), Some(0));
}

#[test]
fn what_keeps_it_from_starting_is_named() {
    let directory = TempDir::new().unwrap();
    new_certificate(directory.path());
    fs::write(directory.path().join("empty.pem"), "").unwrap();
    fs::write(directory.path().join("bad.yaml"), "version: 1\nchecks: {no/such: {severity: off}}\n").unwrap();
    for (arguments, expected) in [
        (&["--tls-cert", "missing.pem"][..], "missing.pem"),
        (&["--tls-cert", "empty.pem"], "empty.pem"),
        (&["--config", "missing.yaml"], "missing.yaml"),
        (&["--client-ca", "missing.pem"], "missing.pem"),
        (&["--client-ca", "empty.pem"], "empty.pem"),
        (&["--certificate-seconds", "1000", "--authority-seconds", "2000"], "three times as long"),
        (&["--certificate-secret", "a/b", "--certificate-host", "h"], "cannot be used with"),
        (&["--certificate-secret", "b", "--certificate-host", "h"], "NAMESPACE/NAME"),
        (&["--config", "bad.yaml"], "bad.yaml:2:10"),
        (&["--log-level", "info,=="], "--log-level"),
        (&["--rules", "missing"], "missing"),
        (&["--otlp-endpoint", "https://collector:4318"], "--otlp-endpoint"),
    ] {
        // A repeated option would be an error of its own.
        let mut process = Command::new(env!("CARGO_BIN_EXE_walguard"));
        process.args(["serve", "--no-inventory", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"]);
        process.args(["--tls-key", "tls.key"]).args(arguments).current_dir(directory.path());
        if arguments[0] != "--tls-cert" {
            process.args(["--tls-cert", "tls.crt"]);
        }
        let output = process.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}
