//! A trace of every review, sent to an OpenTelemetry collector where one is named. An API server that traces its requests says
//! in a header which of its spans a review belongs to (W3C Trace Context); where none does, a review is a trace of its own.

use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, ensure};
use axum::http::HeaderMap;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{Span as _, SpanKind, Status, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use walguard_engine::Request;

/// How long a collector may take for what it is sent, and at the end for what is left.
const PATIENCE: Duration = Duration::from_secs(5);

/// Spans on their way to a collector. There is room for so many (OTEL_BSP_MAX_QUEUE_SIZE); what comes on top is dropped, and no
/// review waits.
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
}

/// What became of a review.
pub struct Outcome<'a> {
    pub verdict: &'static str,
    /// How many findings count.
    pub findings: usize,
    /// Why there is no verdict.
    pub failure: Option<&'a str>,
}

impl Traces {
    /// Speaks OTLP over HTTP to a collector: its URL without `/v1/traces`. The other variables of OpenTelemetry (OTEL_TRACES_SAMPLER,
    /// OTEL_RESOURCE_ATTRIBUTES, …) mean what they always do.
    ///
    /// # Errors
    /// When the URL is none, or is one of TLS: a collector is expected in the cluster.
    pub fn start(endpoint: &str) -> Result<Self> {
        ensure!(
            endpoint.starts_with("http://"),
            "--otlp-endpoint: {endpoint} is no URL with http:// (TLS to a collector is not spoken: name one in the cluster)"
        );
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_timeout(PATIENCE)
            .build()
            .with_context(|| format!("--otlp-endpoint: {endpoint}"))?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let mut resource = Resource::builder().with_attribute(version);
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("walguard");
        }
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
        Ok(Self { tracer: provider.tracer("walguard"), provider, propagator: TraceContextPropagator::new() })
    }

    /// Records a review that ends now.
    pub fn review(&self, headers: &HeaderMap, request: &Request, outcome: &Outcome, started: Instant) {
        let parent = self.propagator.extract_with_context(&Context::new(), &HeaderExtractor(headers));
        let now = SystemTime::now();
        let span = self
            .tracer
            .span_builder("admission review")
            .with_kind(SpanKind::Server)
            .with_start_time(now.checked_sub(started.elapsed()).unwrap_or(now))
            .with_attributes([
                KeyValue::new("walguard.uid", request.uid.to_string()),
                KeyValue::new("walguard.operation", request.operation.to_string()),
                KeyValue::new("walguard.group", request.kind.group.to_string()),
                KeyValue::new("walguard.kind", request.kind.kind.to_string()),
                KeyValue::new("k8s.namespace.name", request.namespace.to_string()),
                KeyValue::new("walguard.name", request.name.to_string()),
                KeyValue::new("walguard.verdict", outcome.verdict),
                KeyValue::new("walguard.findings", i64::try_from(outcome.findings).unwrap_or(i64::MAX)),
            ]);
        let mut span = span.start_with_context(&self.tracer, &parent);
        if let Some(failure) = outcome.failure {
            span.set_status(Status::error(failure.to_owned()));
        }
        span.end_with_timestamp(now);
    }

    /// Sends what is left.
    pub fn stop(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(PATIENCE) {
            tracing::warn!("traces that were not sent are lost: {error}");
        }
    }
}
