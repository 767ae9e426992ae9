//! `walguard serve`: the validating admission webhook.
//!
//! A call comes in as bytes ([`http`]), is read as far as needed to know its kind ([`admission`]), judged ([`judge`]) in sight
//! of the cluster ([`cluster`]), and answered ([`answer`]). A resource that the rules read and that cannot be judged is denied:
//! the API server's failurePolicy is left with the one case nobody here can answer for, that no walguard runs.

mod admission;
mod answer;
mod audit;
mod authority;
mod bodies;
mod certificates;
mod direct;
mod files;
mod http;
mod judge;
mod metrics;
mod pulse;
mod queue;
mod tls;
mod traces;
mod webhooks;

use std::collections::HashMap;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use arc_swap::{ArcSwap, ArcSwapOption};
use axum_server::Handle;
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::RustlsAcceptor;
use hyper_util::rt::TokioTimer;
use serde::Deserialize as _;
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, oneshot};
use tracing_subscriber::EnvFilter;
use walguard_engine::{Catalogue, Engine, Review, Value, configuration};
use walguard_lint::{config, rules};

pub use answer::Mode;
pub use direct::Direct;

use audit::Auditor;
use bodies::Bodies;
use judge::Judge;
use metrics::{FindingLabels, Metrics};
use pulse::Pulse;
use tls::Tls;
use traces::Traces;

use crate::audit::judge::Usage;
use crate::cluster::{Cluster, DISCOVERY_INTERVAL};

/// What a connection of HTTP/2 may send before somebody reads it, and a stream of it.
const CONNECTION_WINDOW: u32 = 256 << 10;
const STREAM_WINDOW: u32 = 64 << 10;
/// The same for HTTP/1.1, whose head must fit in.
const CONNECTION_BUFFER: usize = 64 << 10;
/// What a request that is under way at shutdown may still take.
const GRACE: Duration = Duration::from_secs(10);
/// How often the policy configuration is judged anew.
const POLICY_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// How often to look whether the inventory is complete, at the start.
const READY_INTERVAL: Duration = Duration::from_secs(1);
/// A client that connects and says nothing.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Answer the API server: the validating admission webhook
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only ask a running walguard whether it is ready, at its health port: http://walguard.walguard-system.svc:8080/readyz
    #[arg(long, value_name = "URL", exclusive = true)]
    ask_ready: Option<String>,
    /// Where to answer admission reviews, over TLS
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8443")]
    listen: SocketAddr,
    /// Where to answer /healthz, /readyz and /metrics, in plain HTTP
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8080")]
    health_listen: SocketAddr,
    /// Policy configuration, the file that `walguard lint --config` reads; reloaded when it changes
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What errors lead to unless the configuration has a mode: enforce denies, warn shows them as warnings, audit only logs
    #[arg(long, value_enum, default_value_t = Mode::Enforce)]
    mode: Mode,
    /// Show findings of severity info as warnings too
    #[arg(long)]
    show_info: bool,
    /// Check each object alone; do not watch the StorageClasses, backups … of the cluster
    #[arg(long)]
    no_inventory: bool,
    /// Check everything in the cluster again this often, on one replica: 1h, 30m; 0 is off
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = time)]
    audit_interval: Duration,
    /// The Lease, in walguard's namespace, by which replicas agree on which of them audits
    #[arg(long, value_name = "NAME", default_value = "walguard-audit")]
    audit_lease: String,
    /// Report in every answer when the inventory is older than this: 5m, 1h; more than 30s
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
    inventory_max_age: Duration,
    /// Memory for the inventory; objects beyond it are left out and reported. One namespace gets at most half
    #[arg(long, value_name = "BYTES", default_value_t = 192 << 20, value_parser = clap::value_parser!(u64).range(1 << 20..))]
    inventory_max_bytes: u64,
    /// Deny a review that takes longer; keep it below timeoutSeconds of the webhook
    #[arg(long, value_name = "MS", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    deadline_ms: u64,
    /// Refuse larger requests; an update carries the object twice
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    max_body_bytes: u32,
    /// Maximum concurrent reviews, running or waiting; beyond it the namespace with the most waiting gets 429
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    max_in_flight: u32,
    /// After SIGTERM, go on answering this long while /readyz already fails
    #[arg(long, value_name = "S", default_value_t = 5)]
    drain_seconds: u64,
    /// How often to check files with certificates or the configuration for changes
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    reload_seconds: u64,
    /// Run the checks of an OPA bundle too (opa build --target plan); docs/own-checks.md
    #[arg(long, value_name = "BUNDLE")]
    rules: Option<PathBuf>,
    /// Form of the log on standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Json)]
    log_format: LogFormat,
    /// What to log: a level, or directives as in "info,kube=debug"
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: String,
    /// Send a trace of every review to this OpenTelemetry collector, over OTLP/HTTP: http://collector.monitoring:4318
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,
    #[command(flatten)]
    certificates: certificates::CertificateArgs,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    Json,
    Text,
}

/// What requests are answered with.
struct App {
    judge: Judge,
    cluster: Option<Arc<Cluster>>,
    policy: ArcSwap<Policy>,
    policy_changed: Notify,
    /// What the audit, where this replica leads it, found a policy to be used for.
    policy_used: ArcSwapOption<(Arc<Policy>, Usage)>,
    metrics: Metrics,
    traces: Option<Traces>,
    tls: Tls,
    /// A certificate is served, and the API server is known to trust it where walguard sees to that.
    certified: AtomicBool,
    /// The API server was seen to reach walguard.
    reached: AtomicBool,
    /// The word by which that is known.
    word: Mutex<Option<String>>,
    limits: Limits,
    bodies: Bodies,
    pulse: Pulse,
    draining: AtomicBool,
}

/// The policy configuration, with what the command line says where it says nothing.
struct Policy {
    /// Name of the file, "" without one.
    name: String,
    json: Json,
    value: Value,
    /// Its mode for the whole cluster.
    mode: Mode,
    /// Changes of what clusters depend on are denied.
    dependents_deny: bool,
}

/// What the command line says of the policy.
#[derive(Clone, Copy)]
struct Defaults {
    mode: Mode,
    show_info: bool,
}

struct Limits {
    deadline: Duration,
}

impl App {
    /// From now on the replica can be called.
    fn certificate_ready(&self) {
        self.certified.store(true, Ordering::Relaxed);
    }

    /// Whether reviews can be answered.
    fn ready(&self) -> bool {
        self.certified.load(Ordering::Relaxed) && self.cluster.as_ref().is_none_or(|cluster| cluster.ready())
    }

    /// Takes note of a review that says that the API server comes this way.
    fn knocked(&self, word: &str) {
        let known = self.word.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_deref() == Some(word) && !self.reached.swap(true, Ordering::Relaxed) {
            tracing::info!("the API server reaches walguard");
        }
    }
}

/// Runs the server until SIGTERM or SIGINT.
///
/// # Errors
/// When it cannot start: rules, certificate, configuration, addresses, no cluster to watch.
pub fn run(args: Args) -> Result<ExitCode> {
    if let Some(url) = &args.ask_ready {
        return ask_ready(url);
    }
    log_to_stderr(args.log_format, &args.log_level)?;
    // For the client of the API server; more than one provider may be compiled in.
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(args))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(args: Args) -> Result<()> {
    let audits = !args.audit_interval.is_zero();
    anyhow::ensure!(
        args.inventory_max_age > DISCOVERY_INTERVAL,
        "--inventory-max-age: the inventory is known to be current every {} s, where all is well",
        DISCOVERY_INTERVAL.as_secs()
    );
    anyhow::ensure!(!(audits && args.no_inventory), "--audit-interval needs what --no-inventory leaves out");
    let rules = rules::load(args.rules.as_deref())?;
    let engine = Engine::new(&rules)?;
    let catalogue = engine.catalogue().clone();
    args.certificates.check()?;
    let configuration = match &args.config {
        Some(path) => Some(files::read(std::slice::from_ref(path)).await?),
        None => None,
    };
    let defaults = Defaults { mode: args.mode, show_info: args.show_info };
    let policy = match (&args.config, &configuration) {
        (Some(path), Some(contents)) => read_policy(path, contents, &catalogue, defaults)?,
        _ => Policy::new(String::new(), json!({}), defaults)?,
    };
    // Signals from here on end the server in order, even while it starts.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;

    let judge = Judge::new(engine, args.max_in_flight as usize);
    let inventory_bytes = usize::try_from(args.inventory_max_bytes).unwrap_or(usize::MAX);
    let app = Arc::new(App {
        bodies: Bodies::new(args.max_body_bytes as usize, judge.queue().clone()),
        judge,
        cluster: (!args.no_inventory)
            .then(|| Cluster::new(&rules, &catalogue, args.inventory_max_age, inventory_bytes)),
        policy: ArcSwap::from_pointee(policy),
        policy_changed: Notify::new(),
        policy_used: ArcSwapOption::empty(),
        metrics: Metrics::new(),
        traces: args.otlp_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty()).map(Traces::start).transpose()?,
        tls: Tls::new()?,
        certified: AtomicBool::new(false),
        reached: AtomicBool::new(false),
        word: Mutex::new(None),
        limits: Limits { deadline: Duration::from_millis(args.deadline_ms) },
        pulse: Pulse::new(),
        draining: AtomicBool::new(false),
    });
    app.metrics.configuration_generation.inc();

    let every = Duration::from_secs(args.reload_seconds);
    let client = match app.cluster.is_some() || args.certificates.certificate_secret.is_some() {
        true => Some(kube::Client::try_default().await.context(
            "no cluster to talk to: neither a kubeconfig nor a service account is there (--no-inventory with --tls-cert needs none)",
        )?),
        false => None,
    };
    certificates::start(&app, args.certificates, every, client.clone()).await?;
    if let (Some(cluster), Some(client)) = (&app.cluster, client) {
        tokio::spawn(Arc::clone(cluster).run(client.clone()));
        if !args.audit_interval.is_zero() {
            let (app, cluster, lease) = (Arc::clone(&app), Arc::clone(cluster), args.audit_lease);
            tokio::spawn(Auditor { app, cluster, client, interval: args.audit_interval, lease }.run());
        }
    }
    tokio::spawn(review_policy(Arc::clone(&app)));
    if let (Some(path), Some(seen)) = (args.config, configuration) {
        let read = move |path: &Path, contents: &[Vec<u8>]| read_policy(path, contents, &catalogue, defaults);
        tokio::spawn(follow_configuration(Arc::clone(&app), read, path, seen, every));
    }

    let bind = |address: SocketAddr| -> Result<std::net::TcpListener> {
        let listener = std::net::TcpListener::bind(address).with_context(|| format!("{address}"))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    let (listener, health) = (bind(args.listen)?, bind(args.health_listen)?);
    let (address, health_address) = (listener.local_addr()?, health.local_addr()?);

    let handle = Handle::new();
    let acceptor = RustlsAcceptor::new(app.tls.config.clone()).acceptor(NoDelayAcceptor::new());
    let mut server = axum_server::from_tcp(listener)?.acceptor(acceptor).handle(handle.clone());
    server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    server.http_builder().http1().max_buf_size(CONNECTION_BUFFER);
    server.http_builder().http2().timer(TokioTimer::new()).keep_alive_interval(Some(HEADER_TIMEOUT));
    server.http_builder().http2().initial_connection_window_size(CONNECTION_WINDOW);
    server.http_builder().http2().initial_stream_window_size(STREAM_WINDOW);
    let service = http::admission(Arc::clone(&app)).into_make_service_with_connect_info::<SocketAddr>();
    let mut admission = tokio::spawn(server.serve(service));
    let mut plain = answer_for_health(Arc::clone(&app), health)?;
    let beating = Arc::clone(&app);
    tokio::spawn(async move { beating.pulse.beat().await });
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        address = %address,
        health = %health_address,
        mode = args.mode.as_str(),
        inventory = app.cluster.is_some(),
        "serving"
    );

    let drain = tokio::select! {
        _ = terminate.recv() => Duration::from_secs(args.drain_seconds),
        _ = interrupt.recv() => Duration::ZERO,
        ended = &mut admission => return Ok(ended??),
        ended = &mut plain => return ended.context("the thread of the health port broke off")?,
    };
    // Endpoints follow readiness only after a while; until then requests still come here.
    app.draining.store(true, Ordering::Relaxed);
    tracing::info!(seconds = drain.as_secs(), "draining");
    tokio::time::sleep(drain).await;
    handle.graceful_shutdown(Some(GRACE));
    admission.await??;
    if app.traces.is_some() {
        let app = Arc::clone(&app);
        tokio::task::spawn_blocking(move || app.traces.as_ref().map(Traces::stop)).await?;
    }
    tracing::info!("stopped");
    Ok(())
}

/// Asks a running walguard whether it is ready, for `helm test`: the image has no other program.
fn ask_ready(url: &str) -> Result<ExitCode> {
    let address = url.strip_prefix("http://").context("--ask-ready: not a URL with http://")?;
    let (host, path) = address.split_once('/').unwrap_or((address, "readyz"));
    let mut stream = TcpStream::connect(host).with_context(|| format!("--ask-ready: {host}"))?;
    stream.set_read_timeout(Some(GRACE))?;
    stream.write_all(format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.take(64 << 10).read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("--ask-ready: the answer is not HTTP")?;
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    tracing::info!(status = head.lines().next().unwrap_or_default(), "{}", body.trim());
    Ok(if head.starts_with("HTTP/1.1 200") { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Serves the health port on a thread of its own; tells when that ends, which only an error can be the reason for.
fn answer_for_health(app: Arc<App>, listener: std::net::TcpListener) -> Result<oneshot::Receiver<Result<()>>> {
    let (end, ended) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("health".to_owned()).spawn(move || {
        let served = runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            axum::serve(listener, http::health(app)).await
        });
        // Nobody listens any more once the server ends.
        let _ = end.send(served.map_err(Into::into));
    })?;
    Ok(ended)
}

impl Policy {
    fn new(name: String, mut configuration: Json, defaults: Defaults) -> Result<Self> {
        if let Some(fields) = configuration.as_object_mut() {
            fields.entry("mode").or_insert_with(|| defaults.mode.as_str().into());
            fields.entry("showInfo").or_insert_with(|| defaults.show_info.into());
        }
        let mode = Mode::deserialize(&configuration["mode"])?;
        let dependents_deny = configuration["dependents"] == "deny";
        Ok(Self {
            name,
            value: walguard_engine::value(configuration.clone()),
            json: configuration,
            mode,
            dependents_deny,
        })
    }
}

fn read_policy(path: &Path, contents: &[Vec<u8>], catalogue: &Catalogue, defaults: Defaults) -> Result<Policy> {
    let name = path.display().to_string();
    let read = config::parse(&name, contents.concat(), catalogue);
    let configuration = read.map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("{}", errors.join("\n"))
    })?;
    Policy::new(name, configuration.value, defaults)
}

/// Takes changes of the policy configuration over. One with a mistake leaves the old one in place.
async fn follow_configuration(
    app: Arc<App>,
    read: impl Fn(&Path, &[Vec<u8>]) -> Result<Policy> + Send + Sync,
    path: PathBuf,
    seen: Vec<Vec<u8>>,
    every: Duration,
) {
    files::watch(vec![path.clone()], seen, every, |contents| match read(&path, contents) {
        Ok(policy) => {
            app.policy.store(Arc::new(policy));
            app.metrics.configuration_generation.inc();
            app.policy_changed.notify_one();
            tracing::info!("configuration taken over");
        }
        Err(error) => {
            app.metrics.configuration_reload_failures.inc();
            tracing::error!("the new configuration is no use, the old one stays: {error:#}");
        }
    })
    .await;
}

/// Judges the policy configuration itself – once StorageClasses are in sight, on every change, when everything was judged by it, and
/// daily: time goes on for waivers and attestations.
async fn review_policy(app: Arc<App>) {
    while app.cluster.as_ref().is_some_and(|cluster| !cluster.ready()) {
        tokio::time::sleep(READY_INTERVAL).await;
    }
    loop {
        let policy = app.policy.load_full();
        let used = app.policy_used.load_full().filter(|used| Arc::ptr_eq(&used.0, &policy));
        // Kinds that are mostly something else are not judged again.
        let run = used.as_ref().map(|used| used.1.run(false));
        let review = Review {
            request: configuration::review(&policy.name, &policy.json, run),
            inventory: app.cluster.as_ref().map(|cluster| cluster.inventory().value()),
            configuration: Some(policy.value.clone()),
            now: None,
        };
        match app.judge.judge_policy(review).await {
            Ok(findings) => {
                let mut counted = HashMap::new();
                for finding in findings.iter().filter(|finding| finding.counts()) {
                    let labels = FindingLabels { check: finding.check.clone(), severity: finding.severity.as_str() };
                    *counted.entry(labels).or_default() += 1;
                    let (check, severity) = (finding.check.as_str(), finding.severity.as_str());
                    let (field, finding) = (finding.field(), finding.message.as_str());
                    tracing::warn!(file = policy.name, check, severity, field, finding, "policy configuration");
                }
                app.metrics.policy_findings.replace(counted);
            }
            Err(failure) => tracing::error!("the policy configuration was not judged: {failure}"),
        }
        let _ = tokio::time::timeout(POLICY_INTERVAL, app.policy_changed.notified()).await;
    }
}

/// A time as people write it: `90s`, `5m`, `1h 30m`; `0` is none.
fn time(text: &str) -> Result<Duration, String> {
    if text.trim() == "0" {
        return Ok(Duration::ZERO);
    }
    let time: jiff::SignedDuration = text.parse().map_err(|_| "not a time like 90s, 5m or 1h".to_owned())?;
    time.try_into().map_err(|_| "a time cannot be negative".to_owned())
}

fn log_to_stderr(format: LogFormat, level: &str) -> Result<()> {
    let filter: EnvFilter = level.parse().with_context(|| format!("--log-level {level}"))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).try_init(),
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).try_init(),
    }
    .map_err(|error| anyhow::anyhow!(error))?;
    std::panic::set_hook(Box::new(|panic| tracing::error!("panic: {panic}")));
    Ok(())
}
