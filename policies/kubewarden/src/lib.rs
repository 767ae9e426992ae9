//! The walguard rules as a Kubewarden policy: a waPC module that answers `validate`, `validate_settings` and
//! `protocol_version`.
//!
//! The policy server gives every request a fresh instance. So that it need not read the rules each time, the build runs
//! `wizer-initialize` and keeps the memory it leaves behind as the module's: rules that are compiled, and ready.

mod lookup;
mod settings;

use std::sync::OnceLock;

use kubewarden_policy_sdk::response::ValidationResponse;
use kubewarden_policy_sdk::settings::SettingsValidationResponse;
use kubewarden_policy_sdk::wapc_guest::prelude::{CallResult, register_function};
use serde::Deserialize;
use serde_json::value::RawValue;
use walguard_engine::{Engine, Finding, Kind, Request, Review, Rules, answer};

/// What the policy server passes to `validate`.
#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow)]
    request: Request<'a>,
    #[serde(borrow)]
    settings: Option<&'a RawValue>,
}

/// The prepared rules, or why there are none.
static ENGINE: OnceLock<Result<Engine, String>> = OnceLock::new();

fn engine() -> Result<Engine, String> {
    ENGINE.get_or_init(|| Engine::new(&Rules::embedded()).map_err(|error| error.to_string())).clone()
}

/// Called once, by the build, which fails where this does: prepares the rules.
///
/// # Panics
/// When a regular expression of the rules cannot be compiled.
#[unsafe(export_name = "wizer-initialize")]
#[allow(unsafe_code, clippy::panic)]
pub extern "C" fn prepare() {
    if let Some(pattern) = engine().ok().and_then(|engine| engine.prepare().err()) {
        panic!("no regular expression: {pattern}");
    }
    clear_free_memory();
}

/// Leaves zeros where there was something that is no longer used: zeros take no room in the module, and a compilation
/// leaves much behind.
#[cfg(target_arch = "wasm32")]
fn clear_free_memory() {
    let pages = || core::arch::wasm32::memory_size(0);
    let mut holes = Vec::new();
    for size in (4..=20).rev().map(|exponent| 1_usize << exponent) {
        let before = pages();
        // What is larger than any hole makes the memory grow, and the next smaller size has its turn.
        while pages() == before {
            holes.push(vec![0_u8; size]);
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn clear_free_memory() {}

/// Called by the policy server in every instance, before anything else.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings);
    register_function("protocol_version", kubewarden_policy_sdk::protocol_version_guest);
    // Of our own: the findings of a request as JSON, instead of the text made from them.
    register_function("findings", findings);
}

fn validate(payload: &[u8]) -> CallResult {
    let payload: Payload = serde_json::from_slice(payload)?;
    let subject = payload.request.subject();
    let response = match judge(&payload) {
        Ok(findings) => {
            let accepted = !answer::denies(&findings);
            ValidationResponse {
                accepted,
                message: (!accepted).then(|| answer::denial(&subject, &findings, None)),
                code: (!accepted).then_some(403),
                mutated_object: None,
                audit_annotations: Some(
                    answer::audit_annotations(&findings).into_iter().map(|(key, ids)| (key.to_owned(), ids)).collect(),
                ),
                warnings: Some(answer::warnings(&findings, None)),
            }
        }
        // A guard must not let pass what it did not see.
        Err(reason) => ValidationResponse {
            accepted: false,
            message: Some(answer::not_judged(&subject, &reason)),
            code: Some(500),
            mutated_object: None,
            audit_annotations: Some([("not-judged".to_owned(), "evaluation".to_owned())].into()),
            warnings: None,
        },
    };
    Ok(serde_json::to_vec(&response)?)
}

fn findings(payload: &[u8]) -> CallResult {
    Ok(serde_json::to_vec(&judge(&serde_json::from_slice(payload)?)?)?)
}

fn judge(payload: &Payload) -> Result<Vec<Finding>, String> {
    let mut engine = engine()?;
    let request = &payload.request;
    let kinds: Vec<&Kind> = request.concerns(engine.catalogue()).collect();
    if kinds.is_empty() {
        return Ok(Vec::new());
    }
    let review = request.review().map_err(|error| format!("the object cannot be read: {error}"))?;
    let configuration = match payload.settings {
        Some(settings) => settings::read(settings.get().as_bytes(), engine.catalogue())?,
        None => None,
    };
    let inventory = Some(lookup::surroundings(engine.catalogue(), &kinds, &request.namespace, &review));
    let review = Review { request: review, inventory, configuration, now: None };
    engine.judge(&review).map_err(|error| error.to_string())
}

fn validate_settings(payload: &[u8]) -> CallResult {
    let outcome = engine().and_then(|engine| settings::read(payload, engine.catalogue()));
    let response = SettingsValidationResponse { valid: outcome.is_ok(), message: outcome.err() };
    Ok(serde_json::to_vec(&response)?)
}
