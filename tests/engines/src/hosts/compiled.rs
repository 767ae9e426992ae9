//! The rules compiled, as walguard evaluates them, and the same plan interpreted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use anyhow::Result;
use serde_json::Value as Json;
use walguard_engine::{Engine, Finding, Rules};

use super::Host;
use crate::review::Review;
use crate::verdict::{self, Verdict};

/// No review takes as long; what does is an error.
const DEADLINE: Duration = Duration::from_secs(120);

/// An engine of ours.
pub struct Own {
    name: &'static str,
    engine: Engine,
}

impl Own {
    /// # Errors
    /// When the rules cannot be used.
    pub fn compiled() -> Result<Self> {
        Self::new("compiled", &Rules::embedded())
    }

    /// # Errors
    /// When the rules cannot be used.
    pub fn interpreted() -> Result<Self> {
        Self::new("interpreted", &Rules::interpreted(&Rules::plan()?, Rules::embedded().catalogue()?)?)
    }

    fn new(name: &'static str, rules: &Rules) -> Result<Self> {
        let mut engine = Engine::new(rules)?;
        engine.set_deadline(DEADLINE);
        Ok(Self { name, engine })
    }
}

impl Host for Own {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let judge = |review: &Review| {
            let judged = catch_unwind(AssertUnwindSafe(|| self.engine.evaluate_json(review.text().as_bytes())));
            let findings = judged.unwrap_or_else(|_| Ok("panic".to_owned())).map_err(|e| e.to_string());
            match findings.and_then(|findings| read(&findings)) {
                Ok(findings) => Verdict::Findings(findings),
                Err(error) => Verdict::Error(error),
            }
        };
        Ok(reviews.iter().map(judge).collect())
    }
}

fn read(findings: &str) -> Result<verdict::Findings, String> {
    // Every host reads them in this form.
    let typed: Result<Vec<Finding>, _> = serde_json::from_str(findings);
    typed.map_err(|e| format!("a finding of the wrong shape: {e}: {findings}"))?;
    let json: Vec<Json> = serde_json::from_str(findings).map_err(|e| e.to_string())?;
    Ok(verdict::set(json))
}
