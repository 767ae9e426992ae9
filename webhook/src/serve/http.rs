//! The HTTP surface: `/validate` over TLS; `/healthz`, `/readyz` and `/metrics` beside it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Json;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use walguard_engine::{Action, Finding, Kind, Request, Severity};

use super::admission;
use super::answer::{self, Mode};
use super::judge::{Context, Failure};
use super::metrics::{FindingLabels, ReasonLabels, ReviewLabels};
use super::traces::Outcome;
use super::{App, Limits};

/// The admission endpoint.
pub fn admission(app: Arc<App>) -> Router {
    Router::new().route("/validate", post(validate)).with_state(app)
}

/// Health and metrics, in plain HTTP.
pub fn health(app: Arc<App>) -> Router {
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(app)
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
    match app.metrics.text() {
        Ok(text) => ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
            .into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

async fn validate(State(app): State<Arc<App>>, version: Version, uri: Uri, headers: HeaderMap, body: Body) -> Response {
    let mut response = answer(&app, &uri, &headers, body).await;
    // A client of HTTP/1.1 that keeps its connection could send the next request just when the connection is closed at the end, which
    // API servers do not send again. One of HTTP/2 is told which were not read.
    if app.draining.load(Ordering::Relaxed) && version < Version::HTTP_2 {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn answer(app: &App, uri: &Uri, headers: &HeaderMap, body: Body) -> Response {
    let started = Instant::now();
    let deadline = started + allowance(&app.limits, uri);
    let answer = match read(app, headers, body, deadline).await {
        Ok(body) => match admission::read(&body.bytes) {
            Ok(request) => Ok(review(app, headers, &request, started, deadline).await),
            Err(error) => Err((StatusCode::BAD_REQUEST, "no review", error.to_string())),
        },
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(response) => Json(response.into_review()).into_response(),
        Err((code, reason, message)) => {
            app.metrics.refused.get_or_create(&ReasonLabels { reason }).inc();
            tracing::warn!(code = code.as_u16(), reason, error = message, "call refused");
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

/// A body, and the memory it takes up.
struct Bounded {
    bytes: Vec<u8>,
    _memory: Option<OwnedSemaphorePermit>,
}

type Refusal = (StatusCode, &'static str, String);

/// Reads a body in the time and the memory there is. Slow clients hold no more than what they sent.
async fn read(app: &App, headers: &HeaderMap, mut body: Body, deadline: Instant) -> Result<Bounded, Refusal> {
    let limit = app.limits.body_bytes;
    let too_large = || (StatusCode::PAYLOAD_TOO_LARGE, "too large", format!("the body is larger than {limit} bytes"));
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let mut bounded = Bounded { bytes: Vec::new(), _memory: None };
    loop {
        let frame = match tokio::time::timeout_at(deadline.into(), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok(bounded),
            Ok(Some(Err(error))) => {
                return Err((StatusCode::BAD_REQUEST, "broken off", format!("the body broke off: {error}")));
            }
            Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "slow", "the body did not come in time".to_owned())),
        };
        let Some(data) = frame.data_ref() else { continue };
        if bounded.bytes.len() + data.len() > limit {
            return Err(too_large());
        }
        let memory = reserve(&app.memory, data.len()).ok_or_else(|| {
            (StatusCode::SERVICE_UNAVAILABLE, "memory", "too many large requests at once; try again".to_owned())
        })?;
        match &mut bounded._memory {
            Some(held) => held.merge(memory),
            none => *none = Some(memory),
        }
        bounded.bytes.extend_from_slice(data);
    }
}

fn reserve(memory: &Arc<Semaphore>, bytes: usize) -> Option<OwnedSemaphorePermit> {
    Arc::clone(memory).try_acquire_many_owned(u32::try_from(bytes).ok()?).ok()
}

/// Answers a review: dispatch, judgement, and one line in the log.
async fn review(
    app: &App,
    headers: &HeaderMap,
    request: &Request<'_>,
    started: Instant,
    deadline: Instant,
) -> admission::Response {
    let trace = |outcome: Outcome| {
        if let Some(traces) = &app.traces {
            traces.review(headers, request, &outcome, started);
        }
    };
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
    let inventory = match &app.cluster {
        Some(cluster) => Some(cluster.surroundings(kind, request, deadline).await.value()),
        None => None,
    };
    let context = Context { inventory, configuration: Some(policy.value.clone()) };
    let judgement = app.judge.judge(request, context, deadline).await;
    let (response, verdict, findings) = match &judgement {
        Ok(findings) => {
            let caveat = app.cluster.as_ref().and_then(|cluster| cluster.caveat(kind));
            let response = answer::judged(&request.uid, &subject, findings, caveat.as_deref(), policy.mode);
            (response, if findings.iter().any(is_error) { "denied" } else { "allowed" }, findings.as_slice())
        }
        Err(failure) => {
            app.metrics.failures.get_or_create(&ReasonLabels { reason: failure.word() }).inc();
            (answer::not_judged(&request.uid, &subject, failure, policy.mode), "failed", &[][..])
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
