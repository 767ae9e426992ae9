//! Reviews without the wire.

use anyhow::{Context as _, Result};
use walguard_engine::{Engine, Review, Value};

use super::admission::{self, Response};
use super::answer::{self, Mode};

/// Answers reviews on the thread that asks: bytes in, bytes out. What the server does for a call, without network, queue and
/// log; for hosts that bring their own, and to measure.
#[derive(Clone)]
pub struct Direct {
    engine: Engine,
    /// Other objects in sight, as [`walguard_engine::Inventory::value`] gives them.
    inventory: Value,
}

impl Direct {
    #[must_use]
    pub fn new(engine: Engine, inventory: Value) -> Self {
        Self { engine, inventory }
    }

    /// Answers an AdmissionReview with one, both as JSON. Errors deny.
    ///
    /// # Errors
    /// When the body is no review or there is no verdict.
    pub fn answer(&mut self, body: &[u8]) -> Result<Vec<u8>> {
        let request = admission::read(body)?;
        let response = match request.concern(self.engine.catalogue()) {
            None => Response::allow(&request.uid),
            Some(_) => {
                let inventory = Some(self.inventory.clone());
                let review = Review { request: request.review()?, inventory, configuration: None, now: None };
                let findings = self.engine.judge(&review)?;
                answer::judged(&request.uid, &request.subject(), &findings, None, Mode::Enforce)
            }
        };
        serde_json::to_vec(&response.into_review()).context("the answer is no JSON")
    }
}
