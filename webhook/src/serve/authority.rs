//! A certificate authority of walguard's own: what its Secret holds, and what is to be done about it when.
//!
//! Nothing here reads a clock or talks to a cluster: a replica passes in what it sees, and carries out what comes back. All
//! replicas share one Secret. A write to it holds only if nobody else wrote in between, so that one of several that want to
//! renew does, and the others take over what it wrote.
//!
//! No request is refused in between, since what the API server trusts always runs ahead of what is served:
//! - a new authority signs nothing until the API server has been seen to trust it for [`Lifetimes::settle_seconds`];
//! - an older one stays trusted until every certificate that it signed has expired, wherever a replica still serves it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData as _,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use time::OffsetDateTime;
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// Clocks of API servers may be this far behind.
const BACKDATED_SECONDS: i64 = 3600;

/// What a Secret holds, by key.
pub type Data = BTreeMap<String, Vec<u8>>;

const BUNDLE: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";

/// How long things last. Each is renewed when a third of its time is left, or when it was made to last longer than this.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    pub certificate_seconds: i64,
    pub authority_seconds: i64,
    /// How long the API server must have trusted an authority before certificates of it are served.
    pub settle_seconds: i64,
}

impl Lifetimes {
    /// # Errors
    /// When a certificate would outlive its authority, or expire while the next authority settles.
    pub fn check(&self) -> Result<()> {
        ensure!(
            self.authority_seconds >= self.certificate_seconds.saturating_mul(3),
            "an authority must last three times as long as a certificate"
        );
        ensure!(
            self.certificate_seconds >= self.settle_seconds.saturating_mul(6),
            "a certificate must last six times as long as an authority takes to settle"
        );
        Ok(())
    }
}

/// A certificate that the API server is to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Authority {
    pem: String,
    subject: String,
    /// Seconds since the epoch.
    expires: i64,
    /// Seconds from its making to then.
    lasts: i64,
}

/// A complete set: what is trusted, what is served, and the key for the next certificate.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    /// Oldest first; the last one signs. Others that were trusted before walguard came may stand first.
    authorities: Vec<Authority>,
    authority_key: String,
    pub certificate: String,
    pub key: String,
    issuer: String,
    /// Seconds since the epoch.
    pub expires: i64,
    /// Seconds that the certificate lasts from its making.
    lasts: i64,
}

/// What a replica is to do next.
#[derive(PartialEq, Eq)]
pub enum Act {
    Nothing,
    /// Write the Secret, unless somebody else did since it was read.
    Write(Data),
    /// Let the API server trust this bundle, unless its configuration changed since it was read.
    Publish(String),
}

/// What a replica wants and remembers.
pub struct Keeper {
    hosts: Vec<String>,
    lifetimes: Lifetimes,
    state: Option<State>,
    /// Subject of the newest authority, and since when it was seen to be trusted.
    trusted: Option<(String, i64)>,
}

impl Keeper {
    /// `hosts` are the DNS names under which the API server calls.
    pub fn new(hosts: Vec<String>, lifetimes: Lifetimes) -> Self {
        Self { hosts, lifetimes, state: None, trusted: None }
    }

    /// What is to be served: what the Secret held when it was last seen to hold something.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// True when the API server trusts what is served.
    pub fn trusted(&self) -> bool {
        self.trusted.is_some()
    }

    /// Looks at the Secret and at the bundles of the webhooks – `None` when there is nothing to publish to – at a time.
    ///
    /// # Errors
    /// When a key or a certificate cannot be made.
    pub fn next(&mut self, now: i64, secret: &Data, bundles: Option<&[Vec<u8>]>) -> Result<Act> {
        match State::read(secret) {
            Ok(state) => self.state = Some(state),
            // Emptied or spoilt by somebody: what is served is still trusted.
            Err(_) if self.state.as_ref().is_some_and(|state| now < state.expires) => {
                return Ok(Act::Write(self.state.as_ref().map(State::data).unwrap_or_default()));
            }
            Err(_) => {
                let before = bundles.and_then(<[_]>::first).map(|bundle| Authority::read_all(bundle));
                return Ok(Act::Write(self.found(now, before.and_then(Result::ok).unwrap_or_default())?.data()));
            }
        }
        let Some(state) = self.state.clone() else { return Ok(Act::Nothing) };
        let newest = state.newest()?;
        let wanted = state.bundle();
        // Where there is no webhook yet nobody calls.
        if bundles.is_none_or(|bundles| bundles.iter().all(|is| is == wanted.as_bytes())) {
            if self.trusted.as_ref().is_none_or(|(subject, _)| *subject != newest.subject) {
                self.trusted = Some((newest.subject.clone(), now));
            }
        } else {
            self.trusted = None;
            return Ok(Act::Publish(wanted));
        }
        Ok(match self.renewed(now, &state)? {
            Some(state) => Act::Write(state.data()),
            None => Act::Nothing,
        })
    }

    /// The state that is to follow a state by now, if one is.
    fn renewed(&self, now: i64, state: &State) -> Result<Option<State>> {
        let Lifetimes { certificate_seconds, authority_seconds, settle_seconds } = self.lifetimes;
        let newest = state.newest()?;
        if now >= newest.expires {
            return Ok(Some(self.found(now, Vec::new())?));
        }
        if state.issuer != newest.subject {
            let settled = self.trusted.as_ref().is_some_and(|(_, since)| now - since >= settle_seconds);
            // One that has expired serves nobody: the new one cannot be worse.
            return (settled || now >= state.expires).then(|| self.issued(now, state)).transpose();
        }
        if due(now, newest.expires, newest.lasts, authority_seconds) {
            let (authority, authority_key) = Authority::create(now, authority_seconds)?;
            let mut next = State { authority_key, ..state.clone() };
            next.authorities.push(authority);
            return Ok(Some(next));
        }
        due(now, state.expires, state.lasts, certificate_seconds).then(|| self.issued(now, state)).transpose()
    }

    /// A new authority and a certificate of it, beside those that were trusted before.
    fn found(&self, now: i64, before: Vec<Authority>) -> Result<State> {
        let (authority, authority_key) = Authority::create(now, self.lifetimes.authority_seconds)?;
        let mut authorities = before;
        authorities.retain(|authority| now < authority.expires);
        authorities.push(authority);
        let (certificate, key, issuer) = (String::new(), String::new(), String::new());
        let unsigned =
            State { authorities: authorities.clone(), authority_key, certificate, key, issuer, expires: 0, lasts: 0 };
        Ok(State { authorities, ..self.issued(now, &unsigned)? })
    }

    /// The state with a new certificate of its newest authority. Of the others the one that signed the certificate before
    /// stays. What older ones signed was replaced at two thirds of its life, a whole life of a certificate ago.
    fn issued(&self, now: i64, state: &State) -> Result<State> {
        let newest = state.newest()?;
        let expires = newest.expires.min(now + self.lifetimes.certificate_seconds);
        let mut params = CertificateParams::new(self.hosts.clone())?;
        params.distinguished_name = name("walguard");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        params.not_before = moment(now - BACKDATED_SECONDS)?;
        params.not_after = moment(expires)?;
        let issuer = Issuer::from_ca_cert_pem(&newest.pem, KeyPair::from_pem(&state.authority_key)?)?;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &issuer)?.pem();
        let mut authorities = state.authorities.clone();
        authorities.retain(|authority| authority.subject == state.issuer || authority == newest);
        Ok(State {
            authorities,
            authority_key: state.authority_key.clone(),
            certificate,
            key: key.serialize_pem(),
            issuer: newest.subject.clone(),
            expires,
            lasts: expires - now,
        })
    }
}

/// Whether something is to be renewed that was made to last so many seconds. A replica that wishes for longer ones than another, as in
/// a rolling update, does not replace what that one has just made.
fn due(now: i64, expires: i64, lasts: i64, wished: i64) -> bool {
    expires - now < lasts / 3 || lasts > wished
}

impl Authority {
    /// A new authority and its key.
    fn create(now: i64, seconds: i64) -> Result<(Self, String)> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        // Each has a name of its own, by which a certificate says who signed it.
        let identifier: String = params.key_identifier(&key).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        params.distinguished_name = name(&format!("walguard authority {identifier}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.not_before = moment(now - BACKDATED_SECONDS)?;
        params.not_after = moment(now + seconds)?;
        let pem = params.self_signed(&key)?.pem();
        let mut read = Self::read_all(pem.as_bytes())?;
        Ok((read.pop().context("no authority was made")?, key.serialize_pem()))
    }

    /// The certificates of a bundle, PEM.
    fn read_all(bundle: &[u8]) -> Result<Vec<Self>> {
        let certificates = CertificateDer::pem_slice_iter(bundle);
        certificates
            .map(|certificate| {
                let der = certificate?;
                let read = x509(&der)?;
                Ok(Self {
                    pem: pem(&der),
                    subject: read.subject().to_string(),
                    expires: read.validity().not_after.timestamp(),
                    lasts: lasts(&read),
                })
            })
            .collect()
    }
}

impl State {
    /// # Errors
    /// When something is missing, cannot be read, or does not fit the rest.
    pub fn read(data: &Data) -> Result<Self> {
        let text = |key: &str| -> Result<String> {
            let bytes = data.get(key).with_context(|| format!("{key} is missing"))?;
            Ok(String::from_utf8(bytes.clone())?)
        };
        let authorities = Authority::read_all(text(BUNDLE)?.as_bytes())?;
        let (authority_key, certificate, key) = (text(AUTHORITY_KEY)?, text(CERTIFICATE)?, text(KEY)?);
        let der = CertificateDer::from_pem_slice(certificate.as_bytes()).context(CERTIFICATE)?;
        let read = x509(&der)?;
        let (issuer, expires) = (read.issuer().to_string(), read.validity().not_after.timestamp());
        fits(&read, &key).context(KEY)?;
        let lasts = lasts(&read);
        let state = Self { authorities, authority_key, certificate, key, issuer, expires, lasts };
        let newest = CertificateDer::from_pem_slice(state.newest()?.pem.as_bytes())?;
        fits(&x509(&newest)?, &state.authority_key).context(AUTHORITY_KEY)?;
        Ok(state)
    }

    fn data(&self) -> Data {
        let entries = [
            (BUNDLE, self.bundle()),
            (AUTHORITY_KEY, self.authority_key.clone()),
            (CERTIFICATE, self.certificate.clone()),
        ];
        let entries = entries.into_iter().chain([(KEY, self.key.clone())]);
        entries.map(|(key, text)| (key.to_owned(), text.into_bytes())).collect()
    }

    /// What the API server is to trust, PEM.
    pub fn bundle(&self) -> String {
        self.authorities.iter().map(|authority| authority.pem.as_str()).collect()
    }

    /// When the authority expires that signs, in seconds since the epoch.
    /// The key that all replicas share, and nobody else.
    pub fn key_of_authority(&self) -> &str {
        &self.authority_key
    }

    pub fn authority_expires(&self) -> i64 {
        self.authorities.last().map_or(0, |authority| authority.expires)
    }

    fn newest(&self) -> Result<&Authority> {
        self.authorities.last().context("there is no authority")
    }
}

/// Seconds from the making of a certificate of ours until it expires.
fn lasts(certificate: &X509Certificate) -> i64 {
    let validity = certificate.validity();
    validity.not_after.timestamp() - validity.not_before.timestamp() - BACKDATED_SECONDS
}

/// When the first certificate of a chain expires, in seconds since the epoch.
///
/// # Errors
/// When it cannot be read.
pub fn expires(chain: &[u8]) -> Result<i64> {
    Ok(x509(&CertificateDer::from_pem_slice(chain)?)?.validity().not_after.timestamp())
}

fn x509<'a>(der: &'a CertificateDer) -> Result<X509Certificate<'a>> {
    let (_, certificate) = X509Certificate::from_der(der).context("the certificate cannot be read")?;
    Ok(certificate)
}

fn fits(certificate: &X509Certificate, key: &str) -> Result<()> {
    let key = KeyPair::from_pem(key)?;
    ensure!(certificate.public_key().raw == key.subject_public_key_info(), "not the key of its certificate");
    Ok(())
}

fn pem(der: &CertificateDer) -> String {
    let config = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
    pem::encode_config(&pem::Pem::new("CERTIFICATE", der.to_vec()), config)
}

fn name(common: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common);
    name
}

fn moment(seconds: i64) -> Result<OffsetDateTime> {
    Ok(OffsetDateTime::from_unix_timestamp(seconds)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::time::Duration;

    use rustls::RootCertStore;
    use rustls::client::WebPkiServerVerifier;
    use rustls::client::danger::ServerCertVerifier as _;
    use rustls::pki_types::{ServerName, UnixTime};

    use super::*;

    const HOST: &str = "walguard.guards.svc";
    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;
    const START: i64 = 1_800_000_000;
    const LIFETIMES: Lifetimes =
        Lifetimes { certificate_seconds: 90 * DAY, authority_seconds: 365 * DAY, settle_seconds: DAY };

    fn keeper() -> Keeper {
        Keeper::new(vec![HOST.to_owned()], LIFETIMES)
    }

    /// Whether an API server that was told a bundle accepts a certificate at a time.
    fn trusts(bundle: &[u8], certificate: &str, now: i64) -> bool {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(CertificateDer::pem_slice_iter(bundle).map(Result::unwrap));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let Ok(verifier) = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build() else {
            return false;
        };
        let leaf = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(now).unwrap()));
        verifier.verify_server_cert(&leaf, &[], &ServerName::try_from(HOST).unwrap(), &[], now).is_ok()
    }

    /// What the API server keeps, each with its version.
    #[derive(Clone, Default)]
    struct Store {
        secret: (u64, Data),
        bundles: (u64, Vec<Vec<u8>>),
    }

    impl Store {
        fn new() -> Self {
            Self { bundles: (0, vec![Vec::new(), Vec::new()]), ..Self::default() }
        }

        /// Carries out what a replica wants after it saw a store, unless that is out of date.
        fn apply(&mut self, act: Act, seen: &Self) {
            match act {
                Act::Write(data) if seen.secret.0 == self.secret.0 => self.secret = (self.secret.0 + 1, data),
                Act::Publish(bundle) if seen.bundles.0 == self.bundles.0 => {
                    self.bundles = (self.bundles.0 + 1, vec![bundle.into_bytes(); self.bundles.1.len()]);
                }
                _ => {}
            }
        }

        /// One look of a replica that sees everything as it is.
        fn step(&mut self, keeper: &mut Keeper, now: i64) {
            let seen = self.clone();
            let act = keeper.next(now, &seen.secret.1, Some(&seen.bundles.1)).unwrap();
            self.apply(act, &seen);
        }

        fn settle(&mut self, keeper: &mut Keeper, now: i64) {
            for _ in 0..4 {
                self.step(keeper, now);
            }
        }

        fn state(&self) -> State {
            State::read(&self.secret.1).unwrap()
        }
    }

    /// Numbers that look random and are the same in every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    #[test]
    fn no_call_is_refused_in_four_years_of_rotations() {
        let mut store = Store::new();
        // The last replica hears of changes once in 25 days; the others, and two API servers, within hours.
        let mut replicas: Vec<(Keeper, Store)> = (0..3).map(|_| (keeper(), store.clone())).collect();
        let mut servers = [store.clone(), store.clone()];
        let mut dice = Dice(1);
        let (mut authorities, mut certificates, mut calls) = (BTreeSet::new(), BTreeSet::new(), 0);
        for tick in 0..4 * 365 * 4 {
            let now = START + tick * 6 * HOUR;
            for (index, (keeper, seen)) in replicas.iter_mut().enumerate() {
                if tick < 8 || (index == 2 && tick % 100 == 0) || (index < 2 && dice.below(2) == 0) {
                    *seen = store.clone();
                }
                let act = keeper.next(now, &seen.secret.1, Some(&seen.bundles.1)).unwrap();
                store.apply(act, seen);
            }
            for server in &mut servers {
                if tick < 8 || dice.below(2) == 0 {
                    *server = store.clone();
                }
            }
            // The first hours go by before anybody can be asked.
            if tick < 8 {
                continue;
            }
            for (keeper, _) in &replicas {
                let state = keeper.state().unwrap();
                certificates.insert(state.certificate.clone());
                authorities.insert(state.issuer.clone());
                for server in &servers {
                    let bundle = &server.bundles.1[0];
                    assert!(trusts(bundle, &state.certificate, now), "day {}", (now - START) / DAY);
                    assert!(CertificateDer::pem_slice_iter(bundle).count() <= 2);
                    calls += 1;
                }
            }
        }
        eprintln!(
            "{calls} calls, {} authorities, {} certificates, none refused",
            authorities.len(),
            certificates.len()
        );
        assert!(authorities.len() >= 5 && certificates.len() >= 20);
    }

    #[test]
    fn replicas_that_start_at_once_agree() {
        let mut store = Store::new();
        let seen = store.clone();
        let mut replicas = [keeper(), keeper(), keeper()];
        for keeper in &mut replicas {
            let act = keeper.next(START, &seen.secret.1, Some(&seen.bundles.1)).unwrap();
            assert!(matches!(act, Act::Write(_)));
            store.apply(act, &seen);
        }
        assert_eq!(store.secret.0, 1, "one of them was quickest");
        for keeper in &mut replicas {
            store.settle(keeper, START);
            assert!(keeper.trusted());
            assert_eq!(keeper.state().unwrap().certificate, store.state().certificate);
        }
        assert_eq!((store.secret.0, store.bundles.0), (1, 1));
    }

    #[test]
    fn a_new_authority_signs_only_what_the_api_server_has_long_been_able_to_trust() {
        let mut store = Store::new();
        let mut keeper = keeper();
        store.settle(&mut keeper, START);
        let first = store.state();
        let due = START + 365 * DAY * 2 / 3 + HOUR;
        // The certificate is kept up to date meanwhile, by the same authority.
        let mut served = BTreeSet::new();
        for days in [61, 122, 183] {
            store.settle(&mut keeper, START + days * DAY);
            served.insert(store.state().certificate);
        }
        assert_eq!(served.len(), 3);
        assert_eq!(store.state().bundle(), first.bundle());

        store.step(&mut keeper, due);
        let announced = store.state();
        assert_eq!(announced.authorities.len(), 2);
        assert_eq!(announced.issuer, first.issuer);
        store.settle(&mut keeper, due + HOUR);
        assert_eq!(store.bundles.1[0], announced.bundle().into_bytes());
        // Somebody takes it away again: the time starts anew.
        store.bundles = (9, vec![first.bundle().into_bytes(); 2]);
        store.settle(&mut keeper, due + DAY);
        assert_eq!(store.bundles.1[1], announced.bundle().into_bytes());
        store.settle(&mut keeper, due + 2 * DAY - HOUR);
        assert_eq!(store.state().issuer, first.issuer);
        store.settle(&mut keeper, due + 2 * DAY);
        assert_ne!(store.state().issuer, first.issuer);
        assert_eq!(store.state().authorities.len(), 2, "a replica may still serve the old certificate");
    }

    #[test]
    fn shorter_lifetimes_hold_at_once_and_replicas_that_wish_for_longer_ones_leave_them() {
        let mut store = Store::new();
        let mut longer = keeper();
        store.settle(&mut longer, START);
        let before = store.state();
        let lifetimes = Lifetimes {
            certificate_seconds: 10 * DAY,
            authority_seconds: 30 * DAY,
            settle_seconds: LIFETIMES.settle_seconds,
        };
        let mut shorter = Keeper::new(vec![HOST.to_owned()], lifetimes);
        store.settle(&mut shorter, START + HOUR);
        assert_eq!(store.state().certificate, before.certificate, "the new authority is not trusted for long enough");
        store.settle(&mut shorter, START + HOUR + DAY);
        let after = store.state();
        assert_eq!((after.expires, after.authority_expires()), (START + HOUR + 11 * DAY, START + HOUR + 30 * DAY));
        for certificate in [&before.certificate, &after.certificate] {
            assert!(trusts(&store.bundles.1[0], certificate, START + HOUR + DAY), "replicas may serve either");
        }
        store.settle(&mut longer, START + 2 * DAY);
        assert!(store.state() == after);
    }

    #[test]
    fn what_somebody_overwrote_is_put_back() {
        let mut store = Store::new();
        let mut keeper = keeper();
        store.settle(&mut keeper, START);
        let before = store.clone();
        store.bundles = (7, vec![Vec::new(), b"other".to_vec()]);
        store.settle(&mut keeper, START + 1);
        assert_eq!(store.bundles.1, before.bundles.1);
        for spoilt in [Data::new(), Data::from([("tls.crt".to_owned(), b"x".to_vec())])] {
            store.secret = (store.secret.0 + 1, spoilt);
            store.settle(&mut keeper, START + 2);
            assert!(store.state() == before.state());
        }
        // A key that belongs to another certificate is as bad as none.
        let mut other = Store::new();
        other.settle(&mut self::keeper(), START);
        for key in [KEY, AUTHORITY_KEY] {
            store.secret.1.insert(key.to_owned(), other.secret.1[key].clone());
            assert!(State::read(&store.secret.1).is_err(), "{key}");
            store.settle(&mut keeper, START + 3);
            assert!(store.state() == before.state());
        }
    }

    #[test]
    fn what_was_trusted_before_stays_trusted_until_the_first_renewal() {
        // The chart made certificates before: its replicas serve theirs until the last of them is replaced.
        let (old, _) = Authority::create(START - DAY, 3650 * DAY).unwrap();
        let mut store = Store::new();
        store.bundles.1 = vec![old.pem.clone().into_bytes(); 2];
        let mut keeper = keeper();
        store.settle(&mut keeper, START);
        assert_eq!(store.state().authorities[0], old);
        assert!(trusts(&store.bundles.1[0], &store.state().certificate, START));
        store.settle(&mut keeper, START + 61 * DAY);
        assert_eq!(store.state().authorities.len(), 1);
        assert!(trusts(&store.bundles.1[0], &store.state().certificate, START + 61 * DAY));
    }

    #[test]
    fn after_years_without_replicas_everything_is_made_anew() {
        let mut store = Store::new();
        store.settle(&mut keeper(), START);
        for years in [1, 5] {
            let now = START + years * 366 * DAY;
            assert!(!trusts(&store.bundles.1[0], &store.state().certificate, now));
            store.settle(&mut keeper(), now);
            assert!(trusts(&store.bundles.1[0], &store.state().certificate, now));
        }
    }

    #[test]
    fn a_replica_without_webhooks_to_publish_to_only_serves() {
        let mut keeper = keeper();
        let Act::Write(data) = keeper.next(START, &Data::new(), None).unwrap() else { panic!("nothing was made") };
        assert!(keeper.next(START, &data, None).unwrap() == Act::Nothing);
        assert!(keeper.trusted());
        // Nor is anything to be published where nobody calls yet: a configuration that is not there, or has no webhook in it.
        let mut other = self::keeper();
        assert!(other.next(START, &data, Some(&[])).unwrap() == Act::Nothing);
        assert!(other.trusted());
    }

    #[test]
    fn times_that_leave_no_room_for_a_renewal_are_refused() {
        assert!(LIFETIMES.check().is_ok());
        assert!(Lifetimes { certificate_seconds: 122 * DAY, ..LIFETIMES }.check().is_err());
        assert!(Lifetimes { settle_seconds: 16 * DAY, ..LIFETIMES }.check().is_err());
    }
}
