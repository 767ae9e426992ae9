//! The HTTP surface: `/validate` over TLS; `/healthz`, `/readyz` and `/metrics` beside it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Json;
use axum::Router;
use axum::body::Body as Incoming;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use walguard_engine::{Action, Finding, Kind, Request, Role, Severity};

use super::admission;
use super::answer::{self, Mode};
use super::bodies::Body;
use super::judge::{Context, Failure, Judged};
use super::metrics::{FindingLabels, ReasonLabels, ReviewLabels};
use super::queue::Tenant;
use super::traces::Outcome;
use super::{App, Limits, webhooks};
use crate::cluster::Caveat;

/// The admission endpoint.
pub fn admission(app: Arc<App>) -> Router {
    Router::new().route("/validate", post(validate)).with_state(app)
}

/// Health and metrics, in plain HTTP. They are answered on a thread of their own: however much there is to be judged, whoever asks how
/// walguard is gets an answer.
pub fn health(app: Arc<App>) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(app)
}

/// Alive is who still does its work, not who can say so.
async fn healthz(State(app): State<Arc<App>>) -> (StatusCode, &'static str) {
    match app.pulse.beating() {
        true => (StatusCode::OK, "ok\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "nothing has moved for a minute\n"),
    }
}

async fn readyz(State(app): State<Arc<App>>) -> (StatusCode, &'static str) {
    if app.draining.load(Ordering::Relaxed) {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n")
    } else if !app.certified.load(Ordering::Relaxed) {
        (StatusCode::SERVICE_UNAVAILABLE, "there is no certificate yet that the API server trusts\n")
    } else if app.cluster.as_ref().is_some_and(|cluster| !cluster.ready()) {
        (StatusCode::SERVICE_UNAVAILABLE, "the inventory is not complete yet\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    if let Some(cluster) = &app.cluster {
        app.metrics.measure(cluster);
    }
    app.metrics.measure_load(app.judge.queue(), &app.bodies);
    match app.metrics.text() {
        Ok(text) => ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
            .into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

async fn validate(
    State(app): State<Arc<App>>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    version: Version,
    uri: Uri,
    headers: HeaderMap,
    body: Incoming,
) -> Response {
    let mut response = answer(&app, client, &uri, &headers, body).await;
    // A client of HTTP/1.1 that keeps its connection could send the next request just when the connection is closed at the end, which
    // API servers do not send again. One of HTTP/2 is told which were not read.
    if app.draining.load(Ordering::Relaxed) && version < Version::HTTP_2 {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn answer(app: &App, client: SocketAddr, uri: &Uri, headers: &HeaderMap, body: Incoming) -> Response {
    let started = Instant::now();
    let deadline = started + allowance(&app.limits, uri);
    let answer = match app.bodies.read(client.ip(), headers, body, deadline).await {
        Ok(body) => {
            let body = Arc::new(body);
            match admission::read(&body.bytes) {
                Ok(request) => Ok(review(app, headers, &request, &body, started, deadline).await),
                Err(error) => Err((StatusCode::BAD_REQUEST, "no review", error.to_string())),
            }
        }
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(response) => Json(response.into_review()).into_response(),
        Err((code, reason, message)) => {
            app.metrics.refused.get_or_create(&ReasonLabels { reason }).inc();
            tracing::warn!(code = code.as_u16(), reason, client = %client.ip(), error = message, "call refused");
            (code, format!("walguard: {message}\n")).into_response()
        }
    }
}

/// How long an answer may take: the configured time, or less where the API server says that it will wait less.
fn allowance(limits: &Limits, uri: &Uri) -> Duration {
    let pairs = uri.query().unwrap_or_default().split('&');
    let seconds = pairs
        .filter_map(|pair| pair.strip_prefix("timeout=")?.strip_suffix('s')?.parse::<u32>().ok())
        .map(|seconds| Duration::from_secs(seconds.into()) * 9 / 10)
        .filter(|time| !time.is_zero())
        .min();
    seconds.map_or(limits.deadline, |time| time.min(limits.deadline))
}

/// Answers a review: dispatch, judgement, and one line in the log.
async fn review(
    app: &App,
    headers: &HeaderMap,
    request: &Request<'_>,
    body: &Arc<Body>,
    started: Instant,
    deadline: Instant,
) -> admission::Response {
    let trace = |outcome: Outcome| {
        if let Some(traces) = &app.traces {
            traces.review(headers, request, &outcome, started);
        }
    };
    if let Some(word) = webhooks::knocked(request) {
        app.knocked(&word);
        return admission::Response::allow(&request.uid);
    }
    let Some(kind) = app.judge.concern(request) else {
        trace(Outcome { verdict: "skipped", findings: 0, failure: None });
        count(app, None, "", "skipped", started);
        tracing::debug!(
            uid = request.uid,
            kind = request.kind.kind,
            namespace = request.namespace,
            name = request.name,
            "not judged"
        );
        return admission::Response::allow(&request.uid);
    };
    let subject = request.subject();
    let policy = app.policy.load_full();
    // Before the snapshot: what is said of it may be too much by what became known in between, never too little.
    let known = app.cluster.as_ref().map(|cluster| cluster.caveats(kind, &request.namespace));
    let context = Context {
        namespace: request.namespace.to_string(),
        inventory: app.cluster.as_ref().map(|cluster| cluster.surroundings(&request.namespace)),
        configuration: Some(policy.value.clone()),
        cluster: app.cluster.clone(),
    };
    let tenant = Tenant::new(&request.namespace, &request.user());
    let judgement = app.judge.judge(body, &tenant, context, deadline).await;
    let (response, verdict, findings) = match &judgement {
        Ok(Judged { findings, caveat }) => {
            let caveats: Vec<Caveat> = known.into_iter().flatten().chain(caveat.clone()).collect();
            for Caveat { reason, .. } in &caveats {
                app.metrics.caveats.get_or_create(&ReasonLabels { reason }).inc();
            }
            let caveat = Caveat::joined(&caveats);
            let response = answer::judged(&request.uid, &subject, findings, caveat.as_deref(), policy.mode);
            (response, if findings.iter().any(is_error) { "denied" } else { "allowed" }, findings.as_slice())
        }
        Err(failure) => {
            app.metrics.failures.get_or_create(&ReasonLabels { reason: failure.word() }).inc();
            let mode = match kind.role {
                // Whether the clusters that depend on an object would suffer is not known; whoever changes it must not be held up by
                // how many or how large they are.
                Role::Support if policy.mode == Mode::Enforce && !policy.dependents_deny => Mode::Warn,
                _ => policy.mode,
            };
            (answer::not_judged(&request.uid, &subject, failure, mode), "failed", &[][..])
        }
    };
    for finding in findings.iter().filter(|finding| finding.counts()) {
        let labels = FindingLabels { check: finding.check.clone(), severity: finding.severity.as_str() };
        app.metrics.findings.get_or_create(&labels).inc();
        // Advice is counted, and not worth a line for each request.
        if finding.action == Action::Audit && finding.severity > Severity::Info {
            let (check, severity) = (finding.check.as_str(), finding.severity.as_str());
            tracing::warn!(
                uid = request.uid,
                check,
                severity,
                field = finding.field(),
                finding = finding.message,
                "finding"
            );
        }
    }
    // What walguard thinks, and what it did about it, are two things in the modes that enforce nothing.
    count(app, Some(kind), &request.namespace, verdict, started);
    log(policy.mode, request, &response, verdict, findings, judgement.as_ref().err(), started);
    let counted = findings.iter().filter(|finding| finding.counts()).count();
    trace(Outcome { verdict, findings: counted, failure: judgement.as_ref().err().map(Failure::word) });
    response
}

fn is_error(finding: &Finding) -> bool {
    finding.counts() && finding.severity == Severity::Error
}

fn count(app: &App, kind: Option<&Kind>, namespace: &str, verdict: &'static str, started: Instant) {
    let (kind, operator) = kind.map_or(("other", ""), |kind| (kind.kind.as_str(), kind.operator.as_str()));
    let resource_namespace = app.metrics.namespace(namespace);
    let labels = ReviewLabels { kind: kind.to_owned(), operator: operator.to_owned(), resource_namespace, verdict };
    app.metrics.reviews.get_or_create(&labels).inc();
    app.metrics.seconds.observe(started.elapsed().as_secs_f64());
}

fn log(
    mode: Mode,
    request: &Request,
    response: &admission::Response,
    verdict: &str,
    findings: &[Finding],
    failure: Option<&Failure>,
    started: Instant,
) {
    let of = |severity: &'static str| response.audit_annotations.get(severity).map_or("", String::as_str);
    tracing::info!(
        uid = request.uid,
        group = request.kind.group,
        kind = request.kind.kind,
        namespace = request.namespace,
        name = request.name,
        operation = request.operation,
        user = request.user(),
        dry_run = request.dry_run.unwrap_or_default(),
        verdict,
        allowed = response.allowed,
        mode = mode.as_str(),
        findings = findings.len(),
        errors = of("error"),
        warnings = of("warning"),
        info = of("info"),
        waived = of("waived"),
        failure = failure.map(ToString::to_string),
        microseconds = started.elapsed().as_micros() as u64,
        "review"
    );
}
