//! The judgement of many objects in the same surroundings: what `lint`, `audit` and the re-judging of `serve` have in common.

use std::time::Duration;

use serde_json::Value as Json;
use walguard_engine::{Engine, EvaluationError, Finding, ResourceRef, Review, Rules, RulesError, Value};

/// Ends the judgement of an object that takes absurdly long; the usual time is a few milliseconds.
const DEADLINE: Duration = Duration::from_secs(60);

/// An engine for objects that nobody waits for.
///
/// # Errors
/// When the rules cannot be loaded.
pub fn engine(rules: &Rules) -> Result<Engine, RulesError> {
    Ok(patient(Engine::new(rules)?))
}

/// The engine for objects that nobody waits for.
#[must_use]
pub fn patient(mut engine: Engine) -> Engine {
    engine.set_deadline(DEADLINE);
    engine
}

/// What is in sight of every object.
#[derive(Clone)]
pub struct Surroundings {
    pub inventory: Value,
    pub configuration: Option<Value>,
    /// RFC 3339; the clock if None.
    pub now: Option<String>,
}

impl Surroundings {
    /// The review of a request in these surroundings.
    #[must_use]
    pub fn of(&self, request: Value) -> Review {
        Review {
            request,
            inventory: Some(self.inventory.clone()),
            configuration: self.configuration.clone(),
            now: self.now.clone(),
        }
    }

    /// Judges an object as it is, not a change of it.
    ///
    /// # Errors
    /// As [`Engine::judge`].
    pub fn judge(&self, engine: &mut Engine, object: &Value) -> Result<Vec<Finding>, EvaluationError> {
        engine.judge(&self.of(request(object)))
    }
}

/// The request to judge an object as it is.
#[must_use]
pub fn request(object: &Value) -> Value {
    let mut request = Value::new_object();
    if let Ok(fields) = request.as_object_mut() {
        fields.insert("object".into(), object.clone());
    }
    request
}

/// How a resource calls itself; what is no text is empty.
#[must_use]
pub fn reference(value: &Json) -> ResourceRef {
    let text = |pointer: &str| value.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    ResourceRef {
        api_version: text("/apiVersion"),
        kind: text("/kind"),
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name"),
    }
}

/// `Cluster shop/orders`.
#[must_use]
pub fn title(reference: &ResourceRef) -> String {
    match (reference.namespace.as_str(), reference.name.as_str()) {
        (_, "") => reference.kind.clone(),
        ("", name) => format!("{} {name}", reference.kind),
        (namespace, name) => format!("{} {namespace}/{name}", reference.kind),
    }
}
