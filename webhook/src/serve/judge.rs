//! From a request to findings: what is to be judged at all, and the evaluation, bounded in number, time and size.
//!
//! Whatever depends on the size of a request happens behind a slot of the [`Queue`]: reading its objects and judging them. What it names
//! and nobody has read yet is asked for between two slots, so that nobody waits for the API server's answer to somebody else.
//!
//! A usual review takes less than it costs to hand it to another thread, whose core has none of the rules in its cache: it is judged where its
//! body was read. What is large, or takes longer than usual, goes to a thread of its own, so that connections are served meanwhile.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use walguard_engine::{Catalogue, Engine, Finding, Inventory, Kind, Request, Review, Unreadable, Value, answer};
use walguard_lint::judgement;

use super::admission;
use super::queue::{Queue, Slot, Tenant};
use crate::cluster::{Caveat, Cluster, Names, Surplus};

/// Cores that evaluations use at a time. Each may take [`PARSED_BYTES_MAX`] and [`EVALUATION_BYTES_MAX`] while it runs.
const CORES_MAX: usize = 3;
/// Reviews whose names are looked up at a time.
const LOOK_UPS: usize = 4;
/// How long a request waits that is refused only for what the cluster does not hold, and how often it is judged again meanwhile.
const ABSENT_PATIENCE: Duration = Duration::from_secs(1);
const ABSENT_INTERVAL: Duration = Duration::from_millis(200);
/// What the objects of a request may take up once they are read, by a careful estimate.
const PARSED_BYTES_MAX: usize = 32 << 20;
/// What their evaluation may take up besides.
const EVALUATION_BYTES_MAX: usize = 32 << 20;

/// A body of at most this many bytes is judged where it was read, if that takes no longer than this. Usual ones have 2 KiB and take 0.3 ms.
const USUAL_BYTES: usize = 64 << 10;
const USUAL: Duration = Duration::from_millis(5);

/// Why a resource that the rules read has no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("more requests are under way than walguard takes at once; try again")]
    Overload,
    #[error("the evaluation did not end within {} ms", .0.as_millis())]
    Deadline(Duration),
    #[error("the object cannot be read: {0}")]
    Unreadable(#[from] Unreadable),
    #[error("the object is too large: with all its values it would take {} MiB, and {} are allowed", .0 >> 20, PARSED_BYTES_MAX >> 20)]
    TooLarge(usize),
    #[error("{0}")]
    Surplus(#[from] Surplus),
    #[error("{0}")]
    Evaluation(String),
    #[error("the evaluation broke off; walguard's log says where")]
    Panic,
}

impl Failure {
    /// Every word there is.
    pub const WORDS: [&str; 7] = ["overload", "deadline", "unreadable", "too large", "names", "evaluation", "panic"];

    /// The word for it in logs, metrics and audit annotations.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Overload => "overload",
            Self::Deadline(_) => "deadline",
            Self::Unreadable(_) => "unreadable",
            Self::TooLarge(_) => "too large",
            Self::Surplus(_) => "names",
            Self::Evaluation(_) => "evaluation",
            Self::Panic => "panic",
        }
    }
}

/// The surroundings of a review.
pub struct Context {
    /// Of the object; empty where it is in none.
    pub namespace: String,
    pub inventory: Option<Inventory>,
    pub configuration: Option<Value>,
    /// Who can be asked for what a request names and the inventory lacks.
    pub cluster: Option<Arc<Cluster>>,
}

/// What came of a review.
#[derive(Debug)]
pub struct Judged {
    pub findings: Vec<Finding>,
    /// What of the names in the object could not be looked up.
    pub caveat: Option<Caveat>,
}

impl Judged {
    fn is_refused(&self) -> bool {
        answer::denies(&self.findings)
    }
}

/// What a slot was used for.
enum Step {
    Done(Judged),
    /// Nothing yet: these are to be looked up first.
    LookUp(Vec<Names>),
}

pub struct Judge {
    engine: Engine,
    /// Who is judged. What it has no room for is turned away.
    queue: Queue,
    /// Whose names are looked up.
    looking: Queue,
}

impl Judge {
    pub fn new(engine: Engine, max_in_flight: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One more, which is kept for light reviews.
        let queue = Queue::new(cores.min(CORES_MAX) + 1, max_in_flight);
        Self { engine, queue, looking: Queue::new(LOOK_UPS, max_in_flight) }
    }

    /// Where reviews wait.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// What the rules say of themselves.
    pub fn catalogue(&self) -> &Catalogue {
        self.engine.catalogue()
    }

    /// An engine for objects that nobody waits for.
    pub fn engine(&self) -> Engine {
        judgement::patient(self.engine.clone())
    }

    /// See [`Request::concern`] and [`Request::scales`].
    pub fn concern(&self, request: &Request) -> Option<&Kind> {
        let catalogue = self.engine.catalogue();
        request.concern(catalogue).or_else(|| Some(request.scales(catalogue)?.0))
    }

    /// Judges the request in a body. One that is refused only for what the cluster does not hold is judged again for a moment: an object that
    /// was created just before, perhaps by the same `kubectl apply`, takes some milliseconds to become known here.
    ///
    /// # Errors
    /// When there is no verdict, for a reason that is not "nothing was found".
    pub async fn judge<B>(
        &self,
        body: &Arc<B>,
        tenant: &Tenant,
        mut context: Context,
        deadline: Instant,
    ) -> Result<Judged, Failure>
    where
        B: AsRef<[u8]> + Send + Sync + 'static,
    {
        let mut judged = self.once(body, tenant, &context, deadline).await?;
        let (Some(cluster), Some(inventory)) = (context.cluster.clone(), context.inventory.clone()) else {
            return Ok(judged);
        };
        if !judged.is_refused() {
            return Ok(judged);
        }
        let mut less = inventory;
        less.set_complete(false);
        context.inventory = Some(less);
        match self.once(body, tenant, &context, deadline).await {
            Ok(regardless) if !regardless.is_refused() => {}
            _ => return Ok(judged),
        }
        let patience = ABSENT_PATIENCE.min(deadline.saturating_duration_since(Instant::now()) / 2);
        let end = Instant::now() + patience;
        while judged.is_refused() && Instant::now() < end {
            tokio::time::sleep(ABSENT_INTERVAL).await;
            context.inventory = Some(cluster.surroundings(&context.namespace));
            match self.once(body, tenant, &context, deadline).await {
                // A look that sees less than the first is no reason to let pass what that refused.
                Ok(again) if again.caveat == judged.caveat && cluster.complete() => judged = again,
                // There is a verdict already.
                Ok(_) | Err(_) => break,
            }
        }
        Ok(judged)
    }

    async fn once<B>(
        &self,
        body: &Arc<B>,
        tenant: &Tenant,
        context: &Context,
        deadline: Instant,
    ) -> Result<Judged, Failure>
    where
        B: AsRef<[u8]> + Send + Sync + 'static,
    {
        let names = match self.step(body, tenant, context, deadline).await? {
            Step::Done(judged) => return Ok(judged),
            Step::LookUp(names) => names,
        };
        let (Some(cluster), Some(inventory)) = (context.cluster.as_ref(), context.inventory.clone()) else {
            return Err(Failure::Panic);
        };
        let slot = entered(&self.looking, tenant, body.as_ref().as_ref().len(), deadline).await?;
        let (inventory, caveat) = cluster.look_up(inventory, names, deadline).await;
        drop(slot);
        let context = Context {
            namespace: context.namespace.clone(),
            inventory: Some(inventory),
            configuration: context.configuration.clone(),
            cluster: None,
        };
        match self.step(body, tenant, &context, deadline).await? {
            Step::Done(judged) => Ok(Judged { caveat: judged.caveat.or(caveat), ..judged }),
            Step::LookUp(_) => Err(Failure::Panic),
        }
    }

    /// Waits for a slot, and uses it.
    async fn step<B>(
        &self,
        body: &Arc<B>,
        tenant: &Tenant,
        context: &Context,
        deadline: Instant,
    ) -> Result<Step, Failure>
    where
        B: AsRef<[u8]> + Send + Sync + 'static,
    {
        let slot = entered(&self.queue, tenant, body.as_ref().as_ref().len(), deadline).await?;
        let started = Instant::now();
        let work = Work {
            engine: self.engine.clone(),
            _slot: slot,
            inventory: context.inventory.clone(),
            configuration: context.configuration.clone(),
            looks_up: context.cluster.is_some(),
            deadline,
        };
        let bytes = body.as_ref().as_ref();
        if bytes.len() <= USUAL_BYTES {
            let result = panic::catch_unwind(AssertUnwindSafe(|| work.go(bytes, USUAL))).unwrap_or(Err(Failure::Panic));
            if !matches!(result, Err(Failure::Deadline(_))) {
                return result;
            }
        }
        let body = Arc::clone(body);
        let evaluation = tokio::task::spawn_blocking(move || work.go((*body).as_ref(), Duration::MAX));
        match tokio::time::timeout_at(deadline.into(), evaluation).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Failure::Panic),
            Err(_) => Err(Failure::Deadline(deadline.saturating_duration_since(started))),
        }
    }
}

async fn entered(queue: &Queue, tenant: &Tenant, bytes: usize, deadline: Instant) -> Result<Slot, Failure> {
    match tokio::time::timeout_at(deadline.into(), queue.enter(tenant.clone(), bytes)).await {
        Ok(Ok(slot)) => Ok(slot),
        // A wait that takes all the time there is means too much work.
        Ok(Err(_)) | Err(_) => Err(Failure::Overload),
    }
}

/// What is done in a slot.
struct Work {
    engine: Engine,
    /// Held until the evaluation really ends, also when nobody waits for it any more.
    _slot: Slot,
    inventory: Option<Inventory>,
    configuration: Option<Value>,
    looks_up: bool,
    deadline: Instant,
}

impl Work {
    /// Reads and judges what is in a body, in no more than `most`.
    fn go(&self, body: &[u8], most: Duration) -> Result<Step, Failure> {
        let mut engine = self.engine.clone();
        // It was read before; reading it again is cheaper than to keep what borrows from it across threads.
        let request = admission::read(body).map_err(|error| Failure::Evaluation(error.to_string()))?;
        let objects = [request.object, request.old_object, request.user_info];
        let size = objects.iter().flatten().map(|raw| parsed_bytes(raw.get().as_bytes())).sum();
        if size > PARSED_BYTES_MAX {
            return Err(Failure::TooLarge(size));
        }
        let review = match request.scales(engine.catalogue()) {
            None => request.review()?,
            Some((kind, path)) => match scaled(kind, &request, self.inventory.as_ref()) {
                Some(current) => request.review_of_scale(path, current)?,
                None => {
                    if self.looks_up
                        && let Some(names) = Names::one(kind, &request.namespace, &request.name)
                    {
                        return Ok(Step::LookUp(vec![names]));
                    }
                    // Whoever scales must not be held up by what walguard cannot read.
                    let text = format!("the {} that is scaled could not be read", kind.kind);
                    return Ok(Step::Done(Judged { findings: Vec::new(), caveat: Some(Caveat::new("scale", text)) }));
                }
            },
        };
        if let Some(inventory) = self.inventory.as_ref().filter(|_| self.looks_up) {
            let names = Cluster::unknown(engine.catalogue(), &request, &review, inventory)?;
            if !names.is_empty() {
                return Ok(Step::LookUp(names));
            }
        }
        // Half of the time that is left: whoever is next in line needs some too.
        let started = Instant::now();
        let allowance = (self.deadline.saturating_duration_since(started) / 2).min(most);
        engine.set_deadline(allowance);
        engine.set_memory(EVALUATION_BYTES_MAX);
        let inventory = self.inventory.as_ref().map(Inventory::value);
        let configuration = self.configuration.clone();
        let findings = engine.judge(&Review { request: review, inventory, configuration, now: None });
        let findings = findings.map_err(|error| match started.elapsed() >= allowance {
            true => Failure::Deadline(allowance),
            false => Failure::Evaluation(error.to_string()),
        })?;
        Ok(Step::Done(Judged { findings, caveat: None }))
    }
}

/// The object whose subresource `scale` a request changes, as the inventory knows it.
fn scaled<'i>(kind: &Kind, request: &Request<'_>, inventory: Option<&'i Inventory>) -> Option<&'i Value> {
    let inventory = inventory?;
    kind.api_versions().find_map(|version| inventory.object(&version, &kind.kind, &request.namespace, &request.name))
}

/// What a JSON text takes up at most when it is read: each value has its place, objects and lists have room of their own.
fn parsed_bytes(json: &[u8]) -> usize {
    const VALUE: usize = 64;
    const OBJECT: usize = 100;
    const LIST: usize = 64;
    let mut bytes = json.len() + VALUE;
    let mut text = false;
    let mut characters = json.iter();
    while let Some(character) = characters.next() {
        match character {
            b'\\' if text => {
                characters.next();
            }
            b'"' => text = !text,
            _ if text => {}
            b',' | b':' => bytes += VALUE,
            b'{' => bytes += OBJECT,
            b'[' => bytes += LIST,
            _ => {}
        }
    }
    bytes
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
            {"operator": "o", "group": "g", "versions": ["v1"], "kind": "Own", "plural": "owns", "namespaced": true, "role": "cluster", "scale": "spec.size"},
            {"operator": "o", "group": "g", "versions": ["v1"], "kind": "Read", "plural": "reads", "namespaced": true, "role": "support"},
            {"operator": "o", "group": "", "versions": ["v1"], "kind": "ConfigMap", "plural": "configmaps", "namespaced": true, "role": "change", "contains": ["postgresql.conf"]},
            {"operator": "p", "group": "", "versions": ["v1"], "kind": "ConfigMap", "plural": "configmaps", "namespaced": true, "role": "change", "contains": ["pgbouncer"]}]}"#;
        let plan = rego_plan::text::read(rule).unwrap();
        let rules = Rules::interpreted(&plan, serde_json::from_str::<Catalogue>(kinds).unwrap()).unwrap();
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
        assert_eq!(concerned("g", "Read", "CREATE", "{}"), Some(("o".to_owned(), Role::Support)));
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
        let body = Arc::new(body("g", "Own", "CREATE", object));
        let context = Context { namespace: String::new(), inventory: None, configuration: None, cluster: None };
        judge.judge(&body, &Tenant::new("n", "u"), context, deadline).await.map(|judged| judged.findings)
    }

    const OBJECT: &str = r#"{"apiVersion": "g/v1", "kind": "Own", "spec": {}}"#;

    #[tokio::test]
    async fn a_request_is_judged() {
        let later = Instant::now() + Duration::from_secs(600);
        let findings = outcome(&judge(1), OBJECT, later).await.unwrap();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "CREATE");
    }

    async fn asked(judge: &Judge, namespace: &str, object: &str, seconds: u64) -> Result<Judged, Failure> {
        let body = Arc::new(body("g", "Own", "CREATE", object));
        let context = Context { namespace: String::new(), inventory: None, configuration: None, cluster: None };
        let deadline = Instant::now() + Duration::from_secs(seconds);
        judge.judge(&body, &Tenant::new(namespace, "u"), context, deadline).await
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_namespace_whose_reviews_do_not_end_leaves_others_their_turn() {
        const ENDLESS: &str = r#"{"apiVersion": "g/v1", "kind": "Own", "spec": {"size": 100000}}"#;
        let judge = Arc::new(judge(32));
        for _ in 0..100 {
            let judge = Arc::clone(&judge);
            tokio::spawn(async move { drop(asked(&judge, "hostile", ENDLESS, 20).await) });
        }
        // More than may wait.
        while judge.queue().measure().1 < 60 {
            tokio::task::yield_now().await;
        }
        for _ in 0..20 {
            assert_eq!(asked(&judge, "shop", OBJECT, 600).await.unwrap().findings.len(), 1);
        }
    }

    const SCALE: &str = r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "UPDATE",
        "kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}, "subResource": "scale", "namespace": "n", "name": "db",
        "resource": {"group": "g", "version": "v1", "resource": "owns"},
        "object": {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 2}}}}"#;

    #[test]
    fn to_scale_is_to_change_the_whole_object() {
        let concerned = |body: &str| judge(1).concern(&request(body)).map(|kind| kind.kind.clone());
        assert_eq!(concerned(SCALE).as_deref(), Some("Own"));
        assert_eq!(concerned(&SCALE.replace("owns", "reads")), None);
        assert_eq!(concerned(&SCALE.replace("\"scale\"", "\"status\"")), None);

        let current: Value = serde_json::from_str(r#"{"kind": "Own", "spec": {"size": 5, "other": 1}}"#).unwrap();
        let size = |body: &str| {
            let review = request(body).review_of_scale("spec.size", &current).unwrap();
            assert_eq!(review["oldObject"], current);
            assert_eq!(review["object"]["spec"]["other"], Value::from(1));
            review["object"]["spec"]["size"].clone()
        };
        assert_eq!(size(SCALE), Value::from(2));
        assert_eq!(size(&SCALE.replace("\"replicas\": 2", "")), Value::from(0));
        assert!(request(&SCALE.replace("2}", "\"x\"}")).review_of_scale("spec.size", &current).is_err());
    }

    #[tokio::test]
    async fn what_is_scaled_and_cannot_be_read_is_judged_in_part() {
        let asked = async |inventory: Option<Inventory>| {
            let context = Context { namespace: String::new(), inventory, configuration: None, cluster: None };
            let later = Instant::now() + Duration::from_secs(600);
            judge(1).judge(&Arc::new(SCALE), &Tenant::new("n", "u"), context, later).await.unwrap()
        };
        let mut inventory = Inventory::live();
        let unknown = asked(Some(inventory.clone())).await;
        assert!(unknown.findings.is_empty() && unknown.caveat.unwrap().text.contains("the Own that is scaled"));
        assert!(asked(None).await.caveat.is_some());

        let current = serde_json::from_str(r#"{"apiVersion": "g/v1", "kind": "Own", "spec": {"size": 5}}"#).unwrap();
        inventory.place_object("g/v1", "Own", "n", "db", &current);
        let known = asked(Some(inventory)).await;
        assert!(known.caveat.is_none());
        assert_eq!(known.findings[0].message, "UPDATE");
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
        for many in ["0,", "{},", "[],", "\"\","] {
            let many = many.repeat(7_000_000 / many.len());
            let object = format!(r#"{{"apiVersion": "g/v1", "kind": "Own", "spec": {{}}, "many": [{many}0]}}"#);
            assert!(matches!(outcome(&judge(1), &object, later).await, Err(Failure::TooLarge(_))));
        }
        let soon = Instant::now() + Duration::from_millis(50);
        let endless = r#"{"apiVersion": "g/v1", "kind": "Own", "spec": {"size": 100000}}"#;
        assert!(matches!(outcome(&judge(1), endless, soon).await, Err(Failure::Deadline(_))));
    }

    #[test]
    fn what_a_text_takes_up_when_it_is_read_is_not_its_length() {
        assert_eq!(parsed_bytes(br#""{,[:\"{,""#) - 64, 10);
        // As large as objects in etcd get, and as dense as lists of names and values are.
        let dense = format!("[{}0]", r#"{"name": "abcdefgh", "value": 12345678},"#.repeat(1_500_000 / 40));
        assert!(parsed_bytes(dense.as_bytes()) < PARSED_BYTES_MAX);
    }
}
