//! Where the serving certificate comes from: files, or a Secret that the replicas keep themselves.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use futures::StreamExt as _;
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, watch_object};
use kube::{Api, Client, ResourceExt as _};
use serde_json::json;

use super::authority::{Act, Data, Keeper, Lifetimes};
use super::metrics::CertificateLabels;
use super::webhooks::{self, Writing};
use super::{App, files};

/// How often a replica looks whether something is due, besides whenever the Secret or the webhooks change.
const INTERVAL: Duration = Duration::from_secs(1);
/// The same, after the API server has refused a write.
const RETRY: Duration = Duration::from_secs(5);
/// A connection whose other end is gone without a word gives no error by itself.
const TIMEOUT: Duration = Duration::from_secs(20);
const MANAGER: &str = "walguard";
/// How often the API server is asked to come, until it has.
const KNOCK_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Certificates")]
pub struct CertificateArgs {
    /// Certificate chain, PEM; reloaded when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key", required_unless_present = "certificate_secret")]
    pub tls_cert: Option<PathBuf>,
    /// Private key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Secret with a certificate authority of walguard's own, which all replicas share, create and renew
    #[arg(long, value_name = "NAMESPACE/NAME", conflicts_with = "tls_cert", requires = "certificate_host", value_parser = namespaced)]
    pub certificate_secret: Option<(String, String)>,
    /// DNS name under which the API server calls, for the certificate; may be repeated
    #[arg(long, value_name = "NAME", requires = "certificate_secret")]
    pub certificate_host: Vec<String>,
    /// ValidatingWebhookConfiguration in which walguard writes the authority as caBundle
    #[arg(long, value_name = "NAME", requires = "certificate_secret")]
    pub webhook_configuration: Option<String>,
    /// Lease, in the namespace of the Secret, that shows whether the API server reaches walguard
    #[arg(long, value_name = "NAME", requires = "webhook_configuration")]
    pub reach_lease: Option<String>,
    /// How long a certificate lasts; it is renewed when a third of that is left
    #[arg(long, value_name = "S", default_value_t = 90 * 86_400, value_parser = clap::value_parser!(i64).range(6..=1 << 32))]
    pub certificate_seconds: i64,
    /// How long the authority lasts; it is renewed when a third of that is left
    #[arg(long, value_name = "S", default_value_t = 365 * 86_400, value_parser = clap::value_parser!(i64).range(18..=1 << 32))]
    pub authority_seconds: i64,
    /// How long the API server must have trusted a new authority before it signs certificates
    #[arg(long, value_name = "S", default_value_t = 300, value_parser = clap::value_parser!(i64).range(1..))]
    pub authority_settle_seconds: i64,
    /// Answer only clients with a certificate of these authorities, PEM; reloaded when it changes
    #[arg(long, value_name = "FILE")]
    pub client_ca: Option<PathBuf>,
}

fn namespaced(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((namespace.to_owned(), name.to_owned()))
        }
        _ => Err("not of the form NAMESPACE/NAME".to_owned()),
    }
}

impl CertificateArgs {
    fn lifetimes(&self) -> Lifetimes {
        Lifetimes {
            certificate_seconds: self.certificate_seconds,
            authority_seconds: self.authority_seconds,
            settle_seconds: self.authority_settle_seconds,
        }
    }

    /// # Errors
    /// When the times given contradict each other.
    pub fn check(&self) -> Result<()> {
        self.lifetimes().check()
    }
}

/// Loads what files hold, and keeps what is served up to date from then on. `client` is needed for a Secret only.
///
/// # Errors
/// When a file cannot be read or used.
pub async fn start(app: &Arc<App>, args: CertificateArgs, every: Duration, client: Option<Client>) -> Result<()> {
    if let Some(path) = args.client_ca.clone() {
        follow(app, vec![path], every, "client authority", |app, contents| {
            app.tls.client_authorities(contents.first().map_or(&[], Vec::as_slice))
        })
        .await?;
    }
    if let (Some(certificate), Some(key)) = (args.tls_cert.clone(), args.tls_key.clone()) {
        follow(app, vec![certificate, key], every, "certificate", |app, contents| match contents {
            [chain, key] => app.tls.certificate(chain, key, &app.metrics),
            _ => anyhow::bail!("a certificate and a key are needed"),
        })
        .await?;
        app.certificate_ready();
    }
    if let (Some((namespace, name)), Some(client)) = (args.certificate_secret.clone(), client) {
        let lifetimes = args.lifetimes();
        let shared = Shared {
            app: Arc::clone(app),
            keeper: Keeper::new(args.certificate_host, lifetimes),
            secrets: Api::namespaced(client.clone(), &namespace),
            leases: Api::namespaced(client.clone(), &namespace),
            lease_name: args.reach_lease,
            knocked: None,
            secret_name: name,
            configurations: Api::all(client),
            configuration_name: args.webhook_configuration,
            secret: None,
            configuration: None,
            served: None,
            failing: false,
        };
        tokio::spawn(shared.run());
    }
    Ok(())
}

/// Uses what files hold, now and whenever it changes.
async fn follow(
    app: &Arc<App>,
    paths: Vec<PathBuf>,
    every: Duration,
    what: &'static str,
    take: impl Fn(&App, &[Vec<u8>]) -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    let contents = files::read(&paths).await?;
    let names = || paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" and ");
    take(app, &contents).with_context(names)?;
    let app = Arc::clone(app);
    tokio::spawn(async move {
        files::watch(paths, contents, every, |contents| match take(&app, contents) {
            Ok(()) => {
                app.metrics.certificate_reloads.inc();
                tracing::info!("{what} taken over");
            }
            Err(error) => {
                app.metrics.certificate_reload_failures.inc();
                tracing::error!("the new {what} is no use, the old one stays: {error:#}");
            }
        })
        .await;
    });
    Ok(())
}

/// One replica's part in keeping the Secret and the webhooks.
struct Shared {
    app: Arc<App>,
    keeper: Keeper,
    secrets: Api<Secret>,
    secret_name: String,
    leases: Api<Lease>,
    lease_name: Option<String>,
    /// When the API server was last asked to come.
    knocked: Option<Instant>,
    configurations: Api<ValidatingWebhookConfiguration>,
    /// `None` when there is nothing to publish to.
    configuration_name: Option<String>,
    /// As last seen; the outer `None` before anything was, the inner one when it does not exist.
    secret: Option<Option<Secret>>,
    configuration: Option<Option<ValidatingWebhookConfiguration>>,
    /// The certificate that is served.
    served: Option<String>,
    failing: bool,
}

impl Shared {
    /// Never ends.
    async fn run(mut self) {
        let mut secrets = Box::pin(watch_object(self.secrets.clone(), &self.secret_name).default_backoff());
        let mut configurations = match &self.configuration_name {
            Some(name) => watch_object(self.configurations.clone(), name).default_backoff().boxed(),
            None => futures::stream::pending().boxed(),
        };
        let mut pause = INTERVAL;
        loop {
            // A stream of a watch has no end.
            tokio::select! {
                Some(seen) = secrets.next() => self.see(seen, |shared, secret| shared.secret = Some(secret)),
                Some(seen) = configurations.next() => self.see(seen, |shared, found| shared.configuration = Some(found)),
                () = tokio::time::sleep(pause) => {}
            }
            let step = tokio::time::timeout(TIMEOUT, self.step()).await;
            pause = match step.map_err(anyhow::Error::from).flatten() {
                Ok(()) => {
                    self.failing = false;
                    INTERVAL
                }
                Err(error) => {
                    self.fail(&error);
                    RETRY
                }
            };
        }
    }

    fn see<T>(&mut self, seen: Result<Option<T>, watcher::Error>, take: impl FnOnce(&mut Self, Option<T>)) {
        match seen {
            Ok(object) => take(self, object),
            Err(error) => self.fail(&error.into()),
        }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.app.metrics.certificate_reload_failures.inc();
        if !self.failing {
            self.failing = true;
            tracing::warn!("cannot keep the certificate: {error:#}");
        }
    }

    /// Looks at everything once and does what is due.
    async fn step(&mut self) -> Result<()> {
        let Some(secret) = &self.secret else { return Ok(()) };
        let bundles = match (&self.configuration_name, &self.configuration) {
            (None, _) => None,
            (Some(_), Some(configuration)) => Some(configuration.as_ref().map(bundles).unwrap_or_default()),
            (Some(_), None) => return Ok(()),
        };
        let data = secret.as_ref().map(data).unwrap_or_default();
        let before = self.configuration.as_ref().and_then(Option::as_ref).and_then(webhooks::trusted_before);
        let bundles = match bundles {
            // Nothing was made yet.
            Some(bundles) if bundles.is_empty() && data.is_empty() => Some(before.into_iter().collect()),
            bundles => bundles,
        };
        let act = self.keeper.next(now(), &data, bundles.as_deref())?;
        self.serve()?;
        match act {
            Act::Nothing => self.open().await,
            Act::Write(data) => self.write(data).await,
            Act::Publish(bundle) => self.publish(bundle).await,
        }
    }

    /// Lets the API server ask, once it is known to reach a replica that is ready.
    async fn open(&mut self) -> Result<()> {
        let (Some(state), Some(Some(configuration))) = (self.keeper.state(), &self.configuration) else {
            return Ok(());
        };
        let reached = self.app.reached.load(Ordering::Relaxed);
        let guarding = webhooks::open(configuration);
        self.app.metrics.webhook_open.set(guarding.into());
        *self.app.word.lock().unwrap_or_else(PoisonError::into_inner) = Some(webhooks::word(state.key_of_authority()));
        if !guarding && !self.app.ready() {
            return Ok(());
        }
        if let Some(writing) = webhooks::writing(configuration, &state.bundle(), reached)? {
            return self.write_webhooks(writing).await;
        }
        let due = self.knocked.is_none_or(|last| last.elapsed() >= KNOCK_INTERVAL);
        if let (Some(lease), false, true) = (&self.lease_name, guarding || reached, due) {
            self.knocked = Some(Instant::now());
            let params = PatchParams { dry_run: true, ..PatchParams::default() };
            let knock = webhooks::knock(&webhooks::word(state.key_of_authority()));
            self.leases.patch(lease, &params, &Patch::Merge(knock)).await.context("asking the API server to come")?;
        }
        Ok(())
    }

    async fn write_webhooks(&mut self, writing: Writing) -> Result<()> {
        let Some(configuration) = self.configuration.clone().flatten() else { return Ok(()) };
        let name = configuration.name_any();
        let patch = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {
                "name": name,
                "resourceVersion": configuration.resource_version(),
                "annotations": writing.annotations,
            },
            "webhooks": writing.webhooks,
        });
        let applied =
            self.configurations.patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(patch)).await;
        if let Some(configuration) = unless_conflict(applied).context("writing the webhooks")? {
            let guarding = webhooks::open(&configuration);
            let webhooks = writing.webhooks.len();
            tracing::info!(webhook_configuration = name, webhooks, guarding, "webhooks written");
            self.configuration = Some(Some(configuration));
        } else {
            self.configuration = Some(self.configurations.get_opt(&name).await?);
        }
        Ok(())
    }

    /// Serves what the Secret held.
    fn serve(&mut self) -> Result<()> {
        let Some(state) = self.keeper.state() else { return Ok(()) };
        if self.served.as_ref() != Some(&state.certificate) {
            self.app.tls.certificate(state.certificate.as_bytes(), state.key.as_bytes(), &self.app.metrics)?;
            let labels = CertificateLabels { certificate: "authority" };
            self.app.metrics.certificate_expiry.get_or_create(&labels).set(state.authority_expires());
            self.app.metrics.certificate_reloads.inc();
            tracing::info!(expires = state.expires, "certificate taken over");
            self.served = Some(state.certificate.clone());
        }
        if self.keeper.trusted() {
            self.app.certificate_ready();
        }
        Ok(())
    }

    async fn write(&mut self, data: Data) -> Result<()> {
        let data = data.into_iter().map(|(key, value)| (key, ByteString(value))).collect();
        let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
        let written = match self.secret.clone().flatten() {
            // The resourceVersion in it makes the API server refuse what would undo somebody else's write.
            Some(secret) => {
                let secret = Secret { data: Some(data), ..secret };
                self.secrets.replace(&self.secret_name, &params, &secret).await
            }
            None => {
                let metadata = ObjectMeta { name: Some(self.secret_name.clone()), ..ObjectMeta::default() };
                self.secrets.create(&params, &Secret { metadata, data: Some(data), ..Secret::default() }).await
            }
        };
        if let Some(secret) = unless_conflict(written).context("writing the Secret")? {
            tracing::info!(secret = self.secret_name, "certificates written");
            self.secret = Some(Some(secret));
        } else {
            self.secret = Some(self.secrets.get_opt(&self.secret_name).await?);
        }
        Ok(())
    }

    async fn publish(&mut self, bundle: String) -> Result<()> {
        let Some(configuration) = self.configuration.clone().flatten() else { return Ok(()) };
        let bundle = ByteString(bundle.into_bytes());
        let webhooks = configuration.webhooks.iter().flatten();
        // Webhooks are merged by name; with a resourceVersion only into what was seen.
        let patch = json!({
            "metadata": {"resourceVersion": configuration.resource_version()},
            "webhooks": webhooks.map(|webhook| json!({"name": webhook.name, "clientConfig": {"caBundle": bundle}})).collect::<Vec<_>>(),
        });
        let name = configuration.name_any();
        let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let patched = self.configurations.patch(&name, &params, &Patch::Strategic(patch)).await;
        if let Some(configuration) = unless_conflict(patched).context("publishing the certificate authority")? {
            tracing::info!(webhook_configuration = name, "certificate authority published");
            self.configuration = Some(Some(configuration));
        } else {
            self.configuration = Some(self.configurations.get_opt(&name).await?);
        }
        Ok(())
    }
}

/// `None` when somebody else was quicker.
fn unless_conflict<T>(result: kube::Result<T>) -> kube::Result<Option<T>> {
    match result {
        Ok(object) => Ok(Some(object)),
        Err(kube::Error::Api(status)) if status.is_conflict() || status.is_already_exists() => Ok(None),
        Err(error) => Err(error),
    }
}

fn data(secret: &Secret) -> Data {
    secret.data.iter().flatten().map(|(key, value)| (key.clone(), value.0.clone())).collect()
}

fn bundles(configuration: &ValidatingWebhookConfiguration) -> Vec<Vec<u8>> {
    let bundle = |bundle: &Option<ByteString>| bundle.as_ref().map(|bytes| bytes.0.clone()).unwrap_or_default();
    configuration.webhooks.iter().flatten().map(|webhook| bundle(&webhook.client_config.ca_bundle)).collect()
}

/// Seconds since the epoch.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
