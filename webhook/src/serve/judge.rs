//! From a request to findings: what is to be judged at all, and the evaluation, bounded in number and time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use walguard_engine::{Catalogue, Engine, Finding, Kind, Request, Review, Unreadable, Value};
use walguard_lint::judgement;

/// Why a resource that the rules read has no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("more requests are under way than walguard takes at once; try again")]
    Overload,
    #[error("the evaluation did not end within {} ms", .0.as_millis())]
    Deadline(Duration),
    #[error("the object cannot be read: {0}")]
    Unreadable(#[from] Unreadable),
    #[error("{0}")]
    Evaluation(String),
    #[error("the evaluation broke off; walguard's log says where")]
    Panic,
}

impl Failure {
    /// Every word there is.
    pub const WORDS: [&str; 5] = ["overload", "deadline", "unreadable", "evaluation", "panic"];

    /// The word for it in logs, metrics and audit annotations.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Overload => "overload",
            Self::Deadline(_) => "deadline",
            Self::Unreadable(_) => "unreadable",
            Self::Evaluation(_) => "evaluation",
            Self::Panic => "panic",
        }
    }
}

/// The surroundings of a review.
pub struct Context {
    pub inventory: Option<Value>,
    pub configuration: Option<Value>,
}

pub struct Judge {
    engine: Engine,
    /// Requests that wait or are evaluated. What comes on top is turned away at once.
    in_flight: Arc<Semaphore>,
    /// One for each core: more evaluations at a time would only make all of them late.
    evaluating: Arc<Semaphore>,
}

impl Judge {
    pub fn new(engine: Engine, max_in_flight: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { engine, in_flight: Arc::new(Semaphore::new(max_in_flight)), evaluating: Arc::new(Semaphore::new(cores)) }
    }

    /// See [`Request::concern`].
    /// What the rules say of themselves.
    pub fn catalogue(&self) -> &Catalogue {
        self.engine.catalogue()
    }

    /// An engine for objects that nobody waits for.
    pub fn engine(&self) -> Engine {
        judgement::patient(self.engine.clone())
    }

    /// See [`concern`].
    pub fn concern(&self, request: &Request) -> Option<&Kind> {
        request.concern(self.engine.catalogue())
    }

    /// Judges a request.
    ///
    /// # Errors
    /// When there is no verdict, for a reason that is not "nothing was found".
    pub async fn judge(
        &self,
        request: &Request<'_>,
        context: Context,
        deadline: Instant,
    ) -> Result<Vec<Finding>, Failure> {
        let _in_flight = self.in_flight.try_acquire().map_err(|_| Failure::Overload)?;
        let started = Instant::now();
        let timeout = Failure::Deadline;
        let allowance = deadline.saturating_duration_since(started);
        let at = tokio::time::Instant::from_std(deadline);

        let permit = match tokio::time::timeout_at(at, self.evaluating.clone().acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            // Nobody closes the semaphore; a wait that takes all the time there is means too much work.
            Ok(Err(_)) | Err(_) => return Err(Failure::Overload),
        };
        let Some(request) = request.review()? else { return Ok(Vec::new()) };
        let review = Review { request, inventory: context.inventory, configuration: context.configuration, now: None };
        let mut engine = self.engine.clone();
        let evaluation = tokio::task::spawn_blocking(move || {
            // Held until the evaluation really ends, also when nobody waits for it any more.
            let _permit = permit;
            engine.set_deadline(deadline.saturating_duration_since(Instant::now()));
            engine.judge(&review)
        });
        match tokio::time::timeout_at(at, evaluation).await {
            Ok(Ok(Ok(findings))) => Ok(findings),
            Ok(Ok(Err(_))) | Err(_) if Instant::now() >= deadline => Err(timeout(allowance)),
            Ok(Ok(Err(error))) => Err(Failure::Evaluation(error.to_string())),
            Ok(Err(_)) => Err(Failure::Panic),
            Err(_) => Err(timeout(allowance)),
        }
    }
}

impl Judge {
    /// Judges the policy configuration itself.
    ///
    /// # Errors
    /// When there is no verdict.
    pub async fn judge_policy(&self, review: Review) -> Result<Vec<Finding>, Failure> {
        let mut engine = self.engine.clone();
        let evaluation = tokio::task::spawn_blocking(move || engine.judge(&review));
        let findings = evaluation.await.map_err(|_| Failure::Panic)?;
        findings.map_err(|error| Failure::Evaluation(error.to_string()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use walguard_engine::{Role, Rules};

    use super::super::admission;
    use super::*;

    /// An engine whose one rule says what the operation was, and takes a long time when asked to.
    fn judge(max_in_flight: usize) -> Judge {
        let rule = r#"data.main.findings 0
|
 set 2
|
 dot 3 0 "review"
 dot 4 3 "object"
 dot 5 4 "spec"
 dot 6 3 "operation"
 object 7
 insert 7 "check" "a/b"
 insert 7 "severity" "error"
 insert 7 "action" "deny"
 insert 7 "message" 6
 insert 7 "resource" {}
 add 2 7
|
 dot 8 0 "review"
 dot 9 8 "object"
 dot 10 9 "spec"
 dot 11 10 "size"
 call 12 numbers.range #1 11
 scan 12 13 14
  |
   scan 12 15 16
    |
     scan 12 17 18
      |
       eq 18 #0
|
 return 2
"#;
        let kinds = r#"{"checks": {}, "kinds": [
            {"operator": "o", "group": "g", "versions": ["v1"], "kind": "Own", "plural": "owns", "namespaced": true, "role": "cluster"},
            {"operator": "o", "group": "g", "versions": ["v1"], "kind": "Read", "plural": "reads", "namespaced": true, "role": "support"},
            {"operator": "o", "group": "", "versions": ["v1"], "kind": "ConfigMap", "plural": "configmaps", "namespaced": true, "role": "change", "contains": ["postgresql.conf"]},
            {"operator": "p", "group": "", "versions": ["v1"], "kind": "ConfigMap", "plural": "configmaps", "namespaced": true, "role": "change", "contains": ["pgbouncer"]}]}"#;
        let plan = rego_plan::text::read(rule).unwrap();
        let rules = Rules::interpreted(&plan, serde_json::from_str(kinds).unwrap()).unwrap();
        let engine = Engine::new(&rules).unwrap();
        Judge::new(engine, max_in_flight)
    }

    fn body(group: &str, kind: &str, operation: &str, object: &str) -> String {
        format!(
            r#"{{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {{"uid": "u", "operation": "{operation}",
            "kind": {{"group": "{group}", "version": "v1", "kind": "{kind}"}}, "object": {object}}}}}"#
        )
    }

    fn request(body: &str) -> Request<'_> {
        admission::read(body.as_bytes()).unwrap()
    }

    fn concerned(group: &str, kind: &str, operation: &str, object: &str) -> Option<(String, Role)> {
        let body = body(group, kind, operation, object);
        judge(1).concern(&request(&body)).map(|kind| (kind.operator.clone(), kind.role))
    }

    #[test]
    fn only_what_the_rules_judge_is_of_concern() {
        assert_eq!(concerned("g", "Own", "CREATE", "{}"), Some(("o".to_owned(), Role::Cluster)));
        assert_eq!(concerned("other", "Own", "CREATE", "{}"), None);
        assert_eq!(concerned("g", "Read", "CREATE", "{}"), None);
        assert_eq!(concerned("g", "Read", "UPDATE", "{}"), Some(("o".to_owned(), Role::Support)));
        assert_eq!(concerned("g", "Read", "DELETE", "null"), Some(("o".to_owned(), Role::Support)));
        assert_eq!(concerned("g", "Own", "DELETE", "null"), None);
        assert_eq!(concerned("", "ConfigMap", "UPDATE", r#"{"data": {"a": "b"}}"#), None);
        assert_eq!(
            concerned("", "ConfigMap", "UPDATE", r#"{"data": {"pgbouncer.ini": ""}}"#),
            Some(("p".to_owned(), Role::Change))
        );
    }

    async fn outcome(judge: &Judge, object: &str, deadline: Instant) -> Result<Vec<Finding>, Failure> {
        let body = body("g", "Own", "CREATE", object);
        judge.judge(&request(&body), Context { inventory: None, configuration: None }, deadline).await
    }

    const OBJECT: &str = r#"{"apiVersion": "g/v1", "kind": "Own", "spec": {}}"#;

    #[tokio::test]
    async fn a_request_is_judged() {
        let later = Instant::now() + Duration::from_secs(600);
        let findings = outcome(&judge(1), OBJECT, later).await.unwrap();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "CREATE");
    }

    #[tokio::test]
    async fn what_cannot_be_judged_is_never_taken_for_clean() {
        let later = Instant::now() + Duration::from_secs(600);
        let deep = format!("{}{}", r#"{"a":"#.repeat(1000), "1".to_owned() + &"}".repeat(1000));
        for object in ["null", "[]", "1", "{}", r#"{"apiVersion": "h/v1", "kind": "Own"}"#, deep.as_str()] {
            let outcome = outcome(&judge(1), object, later).await;
            assert!(matches!(outcome, Err(Failure::Unreadable(_))), "{outcome:?}");
        }
        assert!(matches!(outcome(&judge(0), OBJECT, later).await, Err(Failure::Overload)));
        let soon = Instant::now() + Duration::from_millis(50);
        let endless = r#"{"apiVersion": "g/v1", "kind": "Own", "spec": {"size": 100000}}"#;
        assert!(matches!(outcome(&judge(1), endless, soon).await, Err(Failure::Deadline(_))));
    }

    #[tokio::test]
    async fn an_object_on_its_way_out_is_not_judged() {
        let later = Instant::now() + Duration::from_secs(600);
        let object = r#"{"apiVersion": "g/v1", "kind": "Own", "spec": {}, "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}"#;
        assert!(matches!(outcome(&judge(1), object, later).await, Ok(findings) if findings.is_empty()));
    }
}
