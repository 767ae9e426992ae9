//! The walguard rules and their evaluation: a review in, findings out.
//!
//! The engine knows rules, findings and severities. It knows no Kubernetes client and no file format: hosts (the
//! `walguard` binary, the Kubewarden policy) read manifests, answer requests and print.

mod admission;
pub mod answer;
mod catalogue;
pub mod configuration;
mod finding;
pub mod formula;
mod inventory;
pub mod link;
mod rules;

pub use admission::{GroupVersionKind, Request, Unreadable};
pub use catalogue::{Catalogue, Check, Claim, Kind, Named, Role, Setting, Table, docs};
pub use configuration::ConfigurationError;
pub use finding::{Action, Finding, PathSegment, ResourceRef, Severity, Waived, field};
pub use inventory::Inventory;
pub use rules::{Rules, RulesError};

use std::time::Duration;

use regorus::PolicyLengthConfig;
use regorus::utils::limits::ExecutionTimerConfig;
use serde_json::Value as Json;

/// A value in the form the rules read. Cloning is cheap: the contents are shared.
pub use regorus::Value;

/// The rule every host reads: the findings of the review in `input`.
const ENTRYPOINT: &str = "main__findings";
/// The same, together with whether an adapter recognises the object under review.
const JUDGEMENT: &str = "main__judgement";

/// What is judged, and in which surroundings.
#[derive(Clone, Debug)]
pub struct Review {
    /// The admission request (`object`, `oldObject`, `operation`, `namespace`, `userInfo`), or `{"object": …}` for a manifest.
    pub request: Value,
    /// Other objects in sight, in the layout of `walguard.lib.inventory`; `None` when there are none.
    pub inventory: Option<Value>,
    /// The policy configuration; `None` for the defaults.
    pub configuration: Option<Value>,
    /// The moment of judgement, RFC 3339; `None` for the clock.
    pub now: Option<String>,
}

/// Why a review has no verdict. Never the manifest's fault alone: rules stay defined on any input.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    #[error("the rules cannot be evaluated on this resource: {0}")]
    Rego(String),
    #[error("the rules gave a finding of the wrong shape: {0}")]
    Shape(#[from] serde_json::Error),
}

/// The rules, ready to evaluate. Clone one for every thread: a clone shares everything and costs well under a microsecond.
#[derive(Clone)]
pub struct Engine {
    rego: regorus::Engine,
    catalogue: std::sync::Arc<Catalogue>,
}

impl Engine {
    /// Loads and prepares rules.
    ///
    /// # Errors
    /// When a module does not parse or a table is no JSON.
    pub fn new(rules: &Rules) -> Result<Self, RulesError> {
        let mut rego = regorus::Engine::new();
        // An error in a builtin leaves that expression undefined, as in OPA, instead of losing every finding.
        rego.set_strict_builtin_errors(false);
        // All modules in one are long; the limit is there for hostile policies, and these are ours.
        rego.set_policy_length_config(PolicyLengthConfig {
            max_file_bytes: std::num::NonZeroUsize::MAX,
            max_lines: std::num::NonZeroUsize::MAX,
            ..PolicyLengthConfig::default()
        });
        rego.add_policy("rules".to_owned(), rules.linked().into_owned())
            .map_err(|e| RulesError::Module(fault_of_one(rules).unwrap_or_else(|| e.to_string())))?;
        rego.add_data(rules.data()?).map_err(|e| RulesError::Data(e.to_string()))?;
        let mut engine = Self { rego, catalogue: std::sync::Arc::new(rules.catalogue()?) };
        // The first evaluation compiles and schedules; clones of an engine that did it need not.
        engine.rego.set_input(Value::new_object());
        engine.rego.eval_rule(path(ENTRYPOINT)).map_err(|e| RulesError::Prepare(e.to_string()))?;
        Ok(engine)
    }

    /// What the rules say of themselves: checks and kinds.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Ends an evaluation that takes longer with an [`EvaluationError`].
    pub fn set_deadline(&mut self, limit: Duration) {
        let check_interval = std::num::NonZeroU32::MIN.saturating_add(999);
        self.rego.set_execution_timer_config(ExecutionTimerConfig { limit, check_interval });
    }

    /// Judges one review. Findings come sorted ([`Finding::order`]).
    ///
    /// # Errors
    /// When the evaluation fails or exceeds the deadline. A host reports that; it never takes it for "no findings".
    pub fn judge(&mut self, review: &Review) -> Result<Vec<Finding>, EvaluationError> {
        self.evaluate(Self::input(review)?)
    }

    /// Judges one review, and says whether the object in it is a PostgreSQL cluster to the rules, or changes one.
    ///
    /// # Errors
    /// As [`Engine::judge`].
    pub fn judge_recognised(&mut self, review: &Review) -> Result<(bool, Vec<Finding>), EvaluationError> {
        let judgement = self.evaluate_rule(JUDGEMENT, Self::input(review)?)?;
        let recognised = judgement["recognised"] == Value::Bool(true);
        Ok((recognised, self.findings(&judgement["findings"])?))
    }

    fn input(review: &Review) -> Result<Value, EvaluationError> {
        let mut input = Value::new_object();
        let fields = input.as_object_mut().map_err(|e| EvaluationError::Rego(e.to_string()))?;
        fields.insert("review".into(), review.request.clone());
        if let Some(inventory) = &review.inventory {
            fields.insert("inventory".into(), inventory.clone());
        }
        if let Some(configuration) = &review.configuration {
            fields.insert("parameters".into(), configuration.clone());
        }
        if let Some(now) = &review.now {
            fields.insert("now".into(), now.as_str().into());
        }
        Ok(input)
    }

    /// Evaluates the rules on any input, in any envelope they know.
    ///
    /// # Errors
    /// As [`Engine::judge`].
    pub fn evaluate(&mut self, input: Value) -> Result<Vec<Finding>, EvaluationError> {
        let found = self.evaluate_rule(ENTRYPOINT, input)?;
        self.findings(&found)
    }

    fn findings(&self, found: &Value) -> Result<Vec<Finding>, EvaluationError> {
        let findings = serde_json::to_value(found)?;
        if findings.as_array().is_none_or(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let mut findings: Vec<Finding> = serde_json::from_value(findings)?;
        for finding in &mut findings {
            self.catalogue.complete(finding);
        }
        findings.sort_by(Finding::order);
        Ok(findings)
    }

    /// Evaluates one rule by its name in the linked module ([`link::name`]): to measure, and to see what a rule says.
    ///
    /// # Errors
    /// When there is no such rule, and as [`Engine::judge`].
    pub fn evaluate_rule(&mut self, rule: &str, input: Value) -> Result<Value, EvaluationError> {
        self.rego.set_input(input);
        self.rego.eval_rule(path(rule)).map_err(|e| EvaluationError::Rego(sentence(&e.to_string())))
    }
}

fn path(rule: &str) -> String {
    format!("data.{}.{rule}", link::PACKAGE)
}

/// What is wrong with a module by itself: its author knows its file and its lines, not those of the linked one.
fn fault_of_one(rules: &Rules) -> Option<String> {
    rules.modules().find_map(|(name, source)| {
        let alone = regorus::Engine::new().add_policy(name.to_owned(), source.to_owned());
        alone.err().map(|e| e.to_string().trim().to_owned())
    })
}

/// regorus' messages begin with a picture of the source; the sentence is the last line that says "error".
fn sentence(message: &str) -> String {
    message
        .lines()
        .rev()
        .find(|line| line.contains("error"))
        .or_else(|| message.lines().next())
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// A JSON value in the form the rules read.
#[must_use]
pub fn value(json: Json) -> Value {
    Value::from(json)
}
