//! regorus: the linked rules, as walguard evaluates them, and the modules as they are.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use regorus::Value;
use walguard_engine::{Engine, Finding, link};

use super::Host;
use crate::review::Review;
use crate::sources;
use crate::verdict::{self, Verdict};

/// No review takes as long; what does is an error.
const DEADLINE: Duration = Duration::from_secs(120);

pub struct Linked(Engine);

impl Linked {
    /// # Errors
    /// When the rules do not compile.
    pub fn new(rules: &Path) -> Result<Self> {
        let mut engine = Engine::new(&walguard_lint::rules::load(Some(rules))?)?;
        engine.set_deadline(DEADLINE);
        Ok(Self(engine))
    }
}

impl Host for Linked {
    fn name(&self) -> String {
        "linked".to_owned()
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let judge = |review: &Review| {
            let input = Value::from_json_str(&review.text()).map_err(|e| e.to_string())?;
            self.0.evaluate_rule("main__findings", input).map_err(|e| e.to_string())
        };
        Ok(reviews.iter().map(guarded(judge)).collect())
    }
}

pub struct Unlinked(regorus::Engine);

impl Unlinked {
    /// # Errors
    /// When the rules do not compile.
    pub fn new(rules: &Path) -> Result<Self> {
        let mut engine = regorus::Engine::new();
        engine.set_strict_builtin_errors(false);
        for source in sources::all(rules)?.into_iter().filter(|source| !source.is_test()) {
            engine.add_policy(source.name, link::resolve_imports(&source.text))?;
        }
        Ok(Self(engine))
    }
}

impl Host for Unlinked {
    fn name(&self) -> String {
        "unlinked".to_owned()
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let judge = |review: &Review| {
            let input = Value::from_json_str(&review.text()).map_err(|e| e.to_string())?;
            self.0.set_input(input);
            self.0.eval_rule("data.main.findings".to_owned()).map_err(|e| e.to_string())
        };
        Ok(reviews.iter().map(guarded(judge)).collect())
    }
}

/// The verdict of an evaluation, whatever becomes of it.
fn guarded(mut judge: impl FnMut(&Review) -> Result<Value, String>) -> impl FnMut(&Review) -> Verdict {
    move |review| {
        let value = catch_unwind(AssertUnwindSafe(|| judge(review))).unwrap_or_else(|_| Err("panic".to_owned()));
        match value.and_then(|value| findings(&value)) {
            Ok(findings) => Verdict::Findings(findings),
            Err(error) => Verdict::Error(error),
        }
    }
}

fn findings(value: &Value) -> Result<verdict::Findings, String> {
    if *value == Value::Undefined {
        return Ok(Vec::new());
    }
    let json = serde_json::to_value(value).map_err(|e| e.to_string())?;
    // Every host reads them in this form.
    let typed: Result<Vec<Finding>, _> = serde_json::from_value(json.clone());
    typed.map_err(|e| format!("a finding of the wrong shape: {e}: {json}"))?;
    Ok(verdict::set(json.as_array().cloned().unwrap_or_default()))
}
