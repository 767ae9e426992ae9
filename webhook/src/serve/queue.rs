//! Who is judged next. Reviews wait in one queue, and a few are judged at a time: one namespace that sends many, large or slow ones
//! must not make those of others late, or fail.
//!
//! - The next one is of the namespace that has used the least time lately, then of its user who has, then the smallest.
//! - One place is kept for light reviews: small ones of namespaces that have used little time, and have none under way.
//! - When the queue is full, the namespace with the most in it loses its largest review, not whoever comes last.
//!
//! Namespaces and not users, since whoever may write in a namespace can make any number of service accounts there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// A review of at most this many bytes is small.
pub const SMALL_BYTES: usize = 256 << 10;
/// A namespace that has used less than this lately sends light reviews. Usual ones take a few milliseconds.
const LIGHT: Duration = Duration::from_secs(1);
/// What a running review counts for before it is known how long it takes.
const RUNNING: Duration = Duration::from_millis(200);
/// Namespaces whose time used differs by less are equal: who sends a second review is not behind everybody who sends a first one.
const STEP: Duration = Duration::from_millis(250);
/// After so long, time used counts half.
const HALF_LIFE: Duration = Duration::from_secs(10);
/// Time used below this is forgotten.
const NOTHING: Duration = Duration::from_millis(1);
/// What a waiting review takes up besides its bytes, when it is asked whose backlog is the largest.
const WAITING_BYTES: usize = 64 << 10;

/// In whose name a review is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tenant {
    /// The namespace; of what has none, the user.
    share: String,
    user: String,
}

impl Tenant {
    pub fn new(namespace: &str, user: &str) -> Self {
        let share = if namespace.is_empty() { format!("user {user}") } else { namespace.to_owned() };
        Self { share, user: user.to_owned() }
    }
}

/// The queue. Cloning gives another handle of the same one.
#[derive(Clone)]
pub struct Queue {
    state: Arc<Mutex<State>>,
}

/// The right to be judged now. Given back when dropped.
pub struct Slot {
    /// None when it was given back already.
    queue: Option<Queue>,
    tenant: Tenant,
    started: Instant,
}

/// No place in the queue, or none any more.
#[derive(Debug, PartialEq, Eq)]
pub struct Shed;

struct State {
    /// Reviews judged at a time.
    slots: usize,
    /// Reviews that wait or are judged.
    capacity: usize,
    running: usize,
    waiting: Vec<Waiting>,
    /// Time used lately, by namespace and by user in it.
    used: HashMap<(String, Option<String>), Used>,
    arrivals: u64,
    shed: u64,
}

struct Waiting {
    tenant: Tenant,
    bytes: usize,
    arrival: u64,
    start: oneshot::Sender<Slot>,
}

struct Used {
    time: Duration,
    /// When that was.
    at: Instant,
    running: u32,
}

impl Used {
    fn now(&self, now: Instant) -> Duration {
        let lives = now.saturating_duration_since(self.at).as_secs_f64() / HALF_LIFE.as_secs_f64();
        self.time.mul_f64((-lives).exp2()) + RUNNING * self.running
    }
}

impl Queue {
    /// A queue for `slots` reviews at a time, and `capacity` with those that wait.
    pub fn new(slots: usize, capacity: usize) -> Self {
        let state = State {
            slots: slots.min(capacity),
            capacity,
            running: 0,
            waiting: Vec::new(),
            used: HashMap::new(),
            arrivals: 0,
            shed: 0,
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Waits for a slot.
    ///
    /// # Errors
    /// When there is no room, or somebody with a smaller backlog takes it.
    pub async fn enter(&self, tenant: Tenant, bytes: usize) -> Result<Slot, Shed> {
        let (start, started) = oneshot::channel();
        {
            let mut state = self.lock();
            state.waiting.retain(|waiting| !waiting.start.is_closed());
            let arrival = state.arrivals;
            state.arrivals += 1;
            state.waiting.push(Waiting { tenant, bytes, arrival, start });
            self.dispatch(&mut state);
            if state.running + state.waiting.len() > state.capacity {
                state.shed();
            }
        }
        // A sender that is dropped was shed.
        started.await.map_err(|_| Shed)
    }

    /// Ends the wait of a review, so that what it holds becomes free. False when none waits.
    pub fn shed(&self) -> bool {
        self.lock().shed()
    }

    /// Reviews that wait, and how many have lost their place so far.
    pub fn measure(&self) -> (usize, u64) {
        let state = self.lock();
        (state.waiting.len(), state.shed)
    }

    fn dispatch(&self, state: &mut State) {
        let now = Instant::now();
        while let Some(next) = state.next(now) {
            let Waiting { tenant, start, .. } = state.waiting.swap_remove(next);
            state.start(&tenant, now);
            let slot = Slot { queue: Some(self.clone()), tenant, started: now };
            // Whoever gave up waiting gives the slot back at once; not by dropping it, which would lock again.
            if let Err(mut slot) = start.send(slot) {
                state.end(&slot.tenant, now, now);
                slot.queue = None;
            }
        }
    }

    /// A panic while the lock was held cannot leave more than a wrong measure of fairness.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some(queue) = self.queue.take() else { return };
        let mut state = queue.lock();
        state.end(&self.tenant, self.started, Instant::now());
        queue.dispatch(&mut state);
    }
}

impl State {
    /// The place of the review that is to start now, if one is.
    fn next(&self, now: Instant) -> Option<usize> {
        let free = self.slots.saturating_sub(self.running);
        let eligible = |waiting: &Waiting| match free {
            0 => false,
            // The last slot.
            1 if self.slots > 1 => waiting.bytes <= SMALL_BYTES && self.idle(&waiting.tenant, now),
            _ => true,
        };
        let of_user = |tenant: &Tenant| (tenant.share.clone(), Some(tenant.user.clone()));
        let eligible = self.waiting.iter().enumerate().filter(|(_, waiting)| eligible(waiting));
        let rank = |waiting: &Waiting| {
            let steps = |used: Duration| used.as_millis() / STEP.as_millis();
            let Waiting { tenant, bytes, arrival, .. } = waiting;
            (steps(self.share(tenant, now)), steps(self.used(&of_user(tenant), now)), *bytes, *arrival)
        };
        eligible.min_by_key(|(_, waiting)| rank(waiting)).map(|(place, _)| place)
    }

    /// Whether a namespace has used little time lately, and uses none now.
    fn idle(&self, tenant: &Tenant, now: Instant) -> bool {
        self.used.get(&(tenant.share.clone(), None)).is_none_or(|used| used.running == 0 && used.now(now) < LIGHT)
    }

    fn share(&self, tenant: &Tenant, now: Instant) -> Duration {
        self.used(&(tenant.share.clone(), None), now)
    }

    fn used(&self, key: &(String, Option<String>), now: Instant) -> Duration {
        self.used.get(key).map_or(Duration::ZERO, |used| used.now(now))
    }

    fn start(&mut self, tenant: &Tenant, now: Instant) {
        self.running += 1;
        for user in [None, Some(tenant.user.clone())] {
            let new = || Used { time: Duration::ZERO, at: now, running: 0 };
            self.used.entry((tenant.share.clone(), user)).or_insert_with(new).running += 1;
        }
    }

    fn end(&mut self, tenant: &Tenant, started: Instant, now: Instant) {
        self.running = self.running.saturating_sub(1);
        for user in [None, Some(tenant.user.clone())] {
            let Some(used) = self.used.get_mut(&(tenant.share.clone(), user)) else { continue };
            used.running = used.running.saturating_sub(1);
            let running = std::mem::take(&mut used.running);
            let before = used.now(now);
            *used = Used { time: before + now.saturating_duration_since(started), at: now, running };
        }
        self.used.retain(|_, used| used.running > 0 || used.now(now) > NOTHING);
    }

    /// Ends the wait of the largest review of the namespace, and of the user in it, with the most waiting.
    fn shed(&mut self) -> bool {
        let now = Instant::now();
        let mut backlog: HashMap<(&str, Option<&str>), usize> = HashMap::new();
        for Waiting { tenant, bytes, .. } in &self.waiting {
            for user in [None, Some(tenant.user.as_str())] {
                *backlog.entry((&tenant.share, user)).or_default() += bytes + WAITING_BYTES;
            }
        }
        let rank = |waiting: &Waiting| {
            let Tenant { share, user } = &waiting.tenant;
            let of = |user| backlog.get(&(share.as_str(), user)).copied().unwrap_or_default();
            (of(None), self.share(&waiting.tenant, now), of(Some(user.as_str())), waiting.bytes, waiting.arrival)
        };
        let largest = self.waiting.iter().enumerate().max_by_key(|(_, waiting)| rank(waiting)).map(|(place, _)| place);
        if let Some(place) = largest {
            self.waiting.swap_remove(place);
            self.shed += 1;
        }
        largest.is_some()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::BoxFuture;

    use super::*;

    type Entering = BoxFuture<'static, Result<Slot, Shed>>;

    /// A review that is in the queue from now on, or has its slot.
    fn entering(queue: &Queue, namespace: &str, user: &str, bytes: usize) -> Entering {
        let queue = queue.clone();
        let tenant = Tenant::new(namespace, user);
        let mut entering: Entering = async move { queue.enter(tenant, bytes).await }.boxed();
        match (&mut entering).now_or_never() {
            Some(done) => async move { done }.boxed(),
            None => entering,
        }
    }

    fn judged(entering: &mut Entering) -> Option<Slot> {
        entering.now_or_never().map(Result::unwrap)
    }

    fn shed(entering: &mut Entering) -> bool {
        matches!(entering.now_or_never(), Some(Err(Shed)))
    }

    /// A namespace that has used so much time.
    fn spent(queue: &Queue, namespace: &str, seconds: u64) {
        let mut state = queue.lock();
        let now = Instant::now();
        let tenant = Tenant::new(namespace, "u");
        state.start(&tenant, now);
        state.end(&tenant, now.checked_sub(Duration::from_secs(seconds)).unwrap(), now);
    }

    #[test]
    fn a_backlog_of_one_namespace_leaves_the_review_of_another_next() {
        let queue = Queue::new(1, 128);
        spent(&queue, "hostile", 2);
        let running = judged(&mut entering(&queue, "hostile", "a", 1)).unwrap();
        let mut backlog: Vec<Entering> = (0..50).map(|n| entering(&queue, "hostile", &format!("u{n}"), 1)).collect();
        let mut good = entering(&queue, "shop", "b", 1000);
        assert!(judged(&mut good).is_none());
        drop(running);
        assert!(judged(&mut good).is_some(), "it was next");
        assert!(backlog.iter_mut().filter_map(judged).count() >= 1);
    }

    #[test]
    fn in_one_namespace_users_share_and_what_is_small_comes_first() {
        let queue = Queue::new(1, 128);
        spent(&queue, "n", 5);
        let running = judged(&mut entering(&queue, "n", "u", 1)).unwrap();
        let mut same_user = entering(&queue, "n", "u", 1);
        let mut large = entering(&queue, "n", "b", 1000);
        let mut small = entering(&queue, "n", "b", 10);
        drop(running);
        let slot = judged(&mut small).unwrap();
        assert!(judged(&mut large).is_none() && judged(&mut same_user).is_none());
        drop(slot);
    }

    #[test]
    fn one_slot_is_kept_for_light_reviews() {
        let queue = Queue::new(2, 128);
        spent(&queue, "slow", 5);
        let mut held = vec![judged(&mut entering(&queue, "slow", "a", 1)).unwrap()];
        // Neither a namespace that takes long nor a large body gets the last slot.
        let mut slow = entering(&queue, "slow", "a", 1);
        let mut large = entering(&queue, "other", "a", SMALL_BYTES + 1);
        assert!(judged(&mut slow).is_none() && judged(&mut large).is_none());
        held.push(judged(&mut entering(&queue, "shop", "b", 1000)).unwrap());
        held.clear();
        assert!(judged(&mut large).is_some() && judged(&mut slow).is_some());
    }

    #[test]
    fn twenty_hostile_clients_never_cost_a_good_one_its_place() {
        let queue = Queue::new(2, 64);
        let mut held = vec![
            judged(&mut entering(&queue, "h0", "a", 1)).unwrap(),
            judged(&mut entering(&queue, "h1", "a", 1)).unwrap(),
        ];
        let mut hostile: Vec<Entering> =
            (0..400).map(|n| entering(&queue, &format!("h{}", n % 20), "a", 55_000)).collect();
        let mut good: Vec<Entering> = (0..3).map(|n| entering(&queue, "shop", &format!("u{n}"), 20_000)).collect();
        let mut more: Vec<Entering> =
            (0..400).map(|n| entering(&queue, &format!("h{}", n % 20), "a", 55_000)).collect();
        assert!(!good.iter_mut().any(shed));
        assert_eq!(
            hostile.iter_mut().chain(&mut more).filter_map(|one| shed(one).then_some(())).count(),
            800 + 3 + 2 - 64
        );
        // Nor its turn.
        held.pop();
        assert!(judged(&mut good[0]).is_some());
    }

    #[test]
    fn room_is_made_by_the_largest_backlog() {
        let queue = Queue::new(1, 100);
        let _running = judged(&mut entering(&queue, "n", "a", 1)).unwrap();
        let mut small: Vec<Entering> = (0..3).map(|_| entering(&queue, "many", "a", 10)).collect();
        let mut large = entering(&queue, "large", "a", 5 << 20);
        assert!(queue.shed() && shed(&mut large));
        assert!(queue.shed());
        assert_eq!(small.iter_mut().filter_map(|one| shed(one).then_some(())).count(), 1);
        assert_eq!(queue.measure(), (2, 2));
    }

    #[test]
    fn whoever_gives_up_leaves_no_trace() {
        let queue = Queue::new(1, 2);
        let running = judged(&mut entering(&queue, "n", "a", 1)).unwrap();
        drop(entering(&queue, "n", "a", 1));
        let mut next = entering(&queue, "n", "a", 1);
        drop(running);
        assert!(judged(&mut next).is_some());
        assert_eq!(queue.lock().running, 0);
    }

    #[test]
    fn time_used_is_forgotten() {
        let queue = Queue::new(1, 1);
        spent(&queue, "n", 8);
        let state = queue.lock();
        let tenant = Tenant::new("n", "u");
        let now = Instant::now();
        assert!(state.share(&tenant, now) > Duration::from_secs(7));
        assert!(state.share(&tenant, now + HALF_LIFE * 3) < Duration::from_secs(2));
        assert_eq!(Tenant::new("", "u").share, "user u");
    }
}
