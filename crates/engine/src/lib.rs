//! The walguard rules and their evaluation: a review in, findings out.
//!
//! The engine knows rules, findings and severities. It knows no Kubernetes client and no file format: hosts (the
//! `walguard` binary, the Kubewarden policy) read manifests, answer requests and print.

mod addresses;
mod admission;
pub mod answer;
mod catalogue;
pub mod configuration;
mod finding;
pub mod formula;
mod inventory;
mod own;
mod rules;

pub use addresses::{DOCS, REPOSITORY};
pub use admission::{GroupVersionKind, Request, Unreadable};
pub use catalogue::{Catalogue, Check, Claim, Kind, Named, Role, Setting, Table, a_year_old};
pub use configuration::ConfigurationError;
pub use finding::{
    Action, Finding, PathSegment, Related, ResourceRef, Severity, Waived, field, keys, value_at, value_at_mut,
};
pub use inventory::{Inventory, METADATA};
pub use rules::{Rules, RulesError};

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rego_runtime::{Arena, Context, Held, Indexes, Limits, Patterns, compiled};
use serde_json::Value as Json;

/// A value in the form the rules read. Cloning is cheap: the contents are shared.
pub use rego_runtime::{ArcStr, Fields, Kept as Value};

/// The rule every host reads: the findings of the review in `input`.
const FINDINGS: &str = "main.findings";
/// The same, together with whether an adapter recognises the object under review.
const JUDGEMENT: &str = "main.judgement";
/// Memory that a review may take. The largest object that an API server stores, with its old self and a large inventory beside
/// it, takes a small part of it; what needs more was made to.
const MEMORY_BYTES: usize = 256 << 20;
/// Memory that a thread keeps for its next review.
const ARENA_BYTES_KEPT: usize = 4 << 20;

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
    Rules(String),
    #[error("the input is no JSON: {0}")]
    Input(String),
    #[error("the rules gave a finding of the wrong shape: {0}")]
    Shape(#[from] serde_json::Error),
}

/// The rules, ready to evaluate. Clone one for every thread: a clone shares everything and costs well under a microsecond.
#[derive(Clone)]
pub struct Engine {
    rules: Rules,
    catalogue: Arc<Catalogue>,
    patterns: Arc<Patterns>,
    indexes: Arc<Indexes>,
    deadline: Option<Duration>,
    memory: usize,
}

impl Engine {
    /// Loads rules.
    ///
    /// # Errors
    /// When their catalogue is none.
    pub fn new(rules: &Rules) -> Result<Self, RulesError> {
        Ok(Self {
            rules: rules.clone(),
            catalogue: rules.catalogue()?,
            patterns: Arc::new(Patterns::of_words(&walguard_rules::PATTERNS)),
            indexes: Arc::default(),
            deadline: None,
            memory: MEMORY_BYTES,
        })
    }

    /// Makes now what a first evaluation would make besides: for a host that has the time before it is asked.
    ///
    /// # Errors
    /// With a regular expression of the rules that is none to this host.
    pub fn prepare(&self) -> Result<(), &'static str> {
        self.patterns.prepare(&walguard_rules::WORDS)
    }

    /// What the rules say of themselves: checks and kinds.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Ends an evaluation that takes longer with an [`EvaluationError`].
    pub const fn set_deadline(&mut self, limit: Duration) {
        self.deadline = Some(limit);
    }

    /// Ends an evaluation that takes more memory, in bytes, with an [`EvaluationError`].
    pub const fn set_memory(&mut self, limit: usize) {
        self.memory = limit;
    }

    /// Judges one review. Findings come sorted ([`Finding::order`]).
    ///
    /// # Errors
    /// When the evaluation fails or exceeds a limit. A host reports that; it never takes it for "no findings".
    pub fn judge(&mut self, review: &Review) -> Result<Vec<Finding>, EvaluationError> {
        let found = self.run(FINDINGS, Input::Review(review), findings)??;
        Ok(self.completed(found))
    }

    /// Judges one review, and says whether the object in it is a PostgreSQL cluster to the rules, or changes one.
    ///
    /// # Errors
    /// As [`Engine::judge`].
    pub fn judge_recognised(&mut self, review: &Review) -> Result<(bool, Vec<Finding>), EvaluationError> {
        #[derive(serde::Deserialize)]
        struct Judgement {
            #[serde(default)]
            recognised: bool,
            findings: Vec<Finding>,
        }
        let judgement = self.run(JUDGEMENT, Input::Review(review), |found| found.read::<Judgement>())??;
        Ok((judgement.recognised, self.completed(judgement.findings)))
    }

    /// Evaluates the rules on any input, in any envelope they know.
    ///
    /// # Errors
    /// As [`Engine::judge`].
    pub fn evaluate(&mut self, input: &Value) -> Result<Vec<Finding>, EvaluationError> {
        let found = self.run(FINDINGS, Input::Kept(input), findings)??;
        Ok(self.completed(found))
    }

    /// Evaluates the rules on an input as JSON, with its numbers as they are written, and gives the findings as JSON.
    ///
    /// # Errors
    /// When it is no JSON, and as [`Engine::judge`].
    pub fn evaluate_json(&mut self, input: &[u8]) -> Result<String, EvaluationError> {
        self.run(FINDINGS, Input::Json(input), |found| found.to_json())
    }

    /// Evaluates one rule without parameters by its name (`walguard.model.cluster`): to measure, and to see what a rule says.
    /// Undefined where there is no such rule.
    ///
    /// # Errors
    /// As [`Engine::judge`].
    pub fn evaluate_rule(&mut self, rule: &str, input: &Value) -> Result<Value, EvaluationError> {
        self.run(rule, Input::Kept(input), |found| found.keep())
    }

    /// Evaluates one rule without parameters on a review, as [`Engine::evaluate_rule`].
    ///
    /// # Errors
    /// As [`Engine::judge`].
    pub fn ask(&mut self, rule: &str, review: &Review) -> Result<Value, EvaluationError> {
        self.run(rule, Input::Review(review), |found| found.keep())
    }

    /// The names of the rules without parameters.
    #[must_use]
    pub fn rule_names(&self) -> Vec<&str> {
        let bare = |name| str::strip_prefix(name, DATA).unwrap_or(name);
        match &self.rules.interpreted {
            Some(interpreted) => interpreted.interpreter.rules().map(bare).collect(),
            None => walguard_rules::RULES.iter().map(|(name, _)| bare(name)).collect(),
        }
    }

    fn completed(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        for finding in &mut findings {
            self.catalogue.complete(finding);
        }
        findings.sort_by(Finding::order);
        findings
    }

    /// Evaluates a rule, in the memory that this thread used before.
    fn run<T>(&self, rule: &str, input: Input<'_>, take: impl FnOnce(Found<'_>) -> T) -> Result<T, EvaluationError> {
        let mut arena = ARENA.take().unwrap_or_default();
        let held = Held::default();
        let taken = self.evaluation(&arena, &held, rule, input).map(take);
        arena.reset();
        if arena.allocated_bytes() <= ARENA_BYTES_KEPT {
            ARENA.set(Some(arena));
        }
        taken
    }

    fn evaluation<'a>(
        &'a self,
        arena: &'a Arena,
        held: &'a Held,
        rule: &str,
        input: Input<'a>,
    ) -> Result<Found<'a>, EvaluationError> {
        let deadline = self.deadline.map(|limit| Instant::now() + limit);
        let memory = match &self.rules.interpreted {
            Some(interpreted) => interpreted.interpreter.memory(),
            None => walguard_rules::REMEMBERED + self.rules.own.as_ref().map_or(0, |own| own.0.memory()),
        };
        let mut context = Context::new(arena, &walguard_rules::WORDS, Limits { deadline, memory: Some(self.memory) })
            .with_patterns(&self.patterns)
            .with_indexes(&self.indexes, held)
            .with_memory_of(memory, walguard_rules::CALLS);
        if let Some(own) = &self.rules.own {
            context = context.with_extension(&own.0);
        }
        context.set_input(input.value(&context)?);
        let name = format!("{DATA}{rule}");
        let answer = match &self.rules.interpreted {
            Some(interpreted) => interpreted.interpreter.rule_alone(&context, &name),
            None => compiled::named(&context, walguard_rules::RULES, &name),
        };
        answer.map_err(|ended| {
            let why = context.stopped().map_or_else(|| ended.to_string(), |stop| stop.to_string());
            let in_rule = context.conflict_in().map_or_else(String::new, |rule| format!(": {rule}"));
            EvaluationError::Rules(format!("{why}{in_rule}"))
        })
    }
}

/// What all rules stand below.
const DATA: &str = "data.";

type Found<'a> = rego_runtime::Value<'a>;

/// The findings that the rules give, before the catalogue completes them; none where they give nothing.
fn findings(found: Found<'_>) -> serde_json::Result<Vec<Finding>> {
    found.read::<Option<_>>().map(Option::unwrap_or_default)
}

thread_local! {
    static ARENA: Cell<Option<Arena>> = const { Cell::new(None) };
}

/// What rules are evaluated on.
#[derive(Clone, Copy)]
enum Input<'a> {
    Review(&'a Review),
    Kept(&'a Value),
    Json(&'a [u8]),
}

impl<'a> Input<'a> {
    fn value(self, context: &Context<'a>) -> Result<Found<'a>, EvaluationError> {
        match self {
            Self::Review(review) => {
                // Rules read most of what is reviewed, and little of what is around it.
                let mut fields = vec![("review", context.unfolded(&review.request))];
                fields.extend(review.inventory.as_ref().map(|value| ("inventory", context.of_kept(value))));
                fields.extend(review.configuration.as_ref().map(|value| ("parameters", context.of_kept(value))));
                fields.extend(review.now.as_ref().map(|now| ("now", context.text_of(now))));
                let mut entries: Vec<_> =
                    fields.into_iter().map(|(name, value)| (context.text_of(name), value)).collect();
                entries.sort_by(|a, b| a.0.order(b.0));
                Ok(context.object(&entries))
            }
            Self::Kept(kept) => Ok(context.unfolded(kept)),
            Self::Json(json) => context.parse(json).map_err(|error| EvaluationError::Input(error.to_string())),
        }
    }
}

/// A JSON value in the form the rules read.
#[must_use]
pub fn value(json: Json) -> Value {
    Value::from(json)
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_of_the_rules_is_one() {
        let engine = Engine::new(&Rules::embedded()).expect("rules");
        assert_eq!(engine.prepare(), Ok(()));
        assert!(walguard_rules::PATTERNS.len() > 100);
    }
}
