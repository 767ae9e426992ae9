//! Bodies of calls on their way in, and what they take up from their first byte until they are answered.
//!
//! Anybody who reaches the port can send bytes, so that nothing is known of their sender but the address. Small bodies, which nearly all
//! reviews are, have memory of their own: large ones cannot crowd them out. A large one waits until there is room for all of it.
//! One address has half of each at most.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::body::Body as Incoming;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::queue::{Queue, SMALL_BYTES};

/// Large bodies may take this many times the size of the largest one.
const LARGE_BODIES: usize = 8;
/// Room for so many of the largest small ones.
const SMALL_BODIES: usize = 64;

/// Why a call is refused: code, word and sentence.
pub type Refusal = (StatusCode, &'static str, String);

/// A body that has come, and the memory it takes up.
pub struct Body {
    pub bytes: Vec<u8>,
    held: Option<Held>,
}

/// The memory for bodies.
pub struct Bodies {
    limit: usize,
    small: Arc<Pool>,
    large: Arc<Pool>,
    /// What waits there holds memory too.
    queue: Queue,
}

struct Pool {
    bytes: usize,
    free: Arc<Semaphore>,
    /// Bytes held, by client.
    clients: Mutex<HashMap<IpAddr, usize>>,
}

/// Some bytes of a pool, given back when dropped.
struct Held {
    share: Share,
    permit: OwnedSemaphorePermit,
}

/// Some bytes that count as a client's.
struct Share {
    pool: Arc<Pool>,
    client: IpAddr,
    bytes: usize,
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Bodies {
    /// Bodies of at most `limit` bytes.
    pub fn new(limit: usize, queue: Queue) -> Self {
        let small = SMALL_BYTES.min(limit) * SMALL_BODIES;
        Self { limit, small: Pool::new(small), large: Pool::new(limit.saturating_mul(LARGE_BODIES)), queue }
    }

    /// Bytes that bodies hold.
    pub fn held(&self) -> usize {
        [&self.small, &self.large].iter().map(|pool| pool.bytes - pool.free.available_permits()).sum()
    }

    /// Reads a body in the time and the memory there is. Slow clients hold no more than what they sent, until it is large.
    ///
    /// # Errors
    /// When it is too large, does not come in time, breaks off, or there is no room for it.
    pub async fn read(
        &self,
        client: IpAddr,
        headers: &HeaderMap,
        mut incoming: Incoming,
        deadline: Instant,
    ) -> Result<Body, Refusal> {
        let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > self.limit) {
            return Err(self.too_large());
        }
        let mut body = Body { bytes: Vec::new(), held: None };
        let mut large = false;
        loop {
            let frame = match tokio::time::timeout_at(deadline.into(), incoming.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => return Ok(body),
                Ok(Some(Err(error))) => {
                    return Err((StatusCode::BAD_REQUEST, "broken off", format!("the body broke off: {error}")));
                }
                Err(_) => {
                    return Err((StatusCode::REQUEST_TIMEOUT, "slow", "the body did not come in time".to_owned()));
                }
            };
            let Some(data) = frame.data_ref() else { continue };
            let size = body.bytes.len() + data.len();
            if size > self.limit {
                return Err(self.too_large());
            }
            if !large && size > SMALL_BYTES {
                // All of it at once: bodies that wait for one another's second halves would wait for ever.
                let whole = length.unwrap_or(self.limit).max(size);
                body.held = Some(self.large.hold(client, whole, deadline).await?);
                body.bytes.reserve_exact(whole - body.bytes.len());
                large = true;
            } else if !large {
                let held = match self.small.try_hold(client, data.len())? {
                    Some(held) => held,
                    None => {
                        // Whoever has the most waiting makes room.
                        self.queue.shed();
                        self.small.hold(client, data.len(), deadline).await?
                    }
                };
                match &mut body.held {
                    Some(before) => before.merge(held),
                    none => *none = Some(held),
                }
            }
            body.bytes.extend_from_slice(data);
        }
    }

    fn too_large(&self) -> Refusal {
        (StatusCode::PAYLOAD_TOO_LARGE, "too large", format!("the body is larger than {} bytes", self.limit))
    }
}

impl Pool {
    fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { bytes, free: Arc::new(Semaphore::new(bytes)), clients: Mutex::default() })
    }

    /// Takes bytes, when they are free.
    fn try_hold(self: &Arc<Self>, client: IpAddr, bytes: usize) -> Result<Option<Held>, Refusal> {
        let share = self.share(client, bytes)?;
        Ok(Arc::clone(&self.free).try_acquire_many_owned(permits(bytes)).ok().map(|permit| Held { share, permit }))
    }

    /// Waits for bytes.
    async fn hold(self: &Arc<Self>, client: IpAddr, bytes: usize, deadline: Instant) -> Result<Held, Refusal> {
        // Counted while it waits: who has much under way must not fill the line either.
        let share = self.share(client, bytes)?;
        match tokio::time::timeout_at(deadline.into(), Arc::clone(&self.free).acquire_many_owned(permits(bytes))).await
        {
            Ok(Ok(permit)) => Ok(Held { share, permit }),
            Ok(Err(_)) | Err(_) => {
                Err((StatusCode::SERVICE_UNAVAILABLE, "memory", "too many requests at once; try again".to_owned()))
            }
        }
    }

    /// Counts bytes as the client's.
    fn share(self: &Arc<Self>, client: IpAddr, bytes: usize) -> Result<Share, Refusal> {
        let mut clients = self.clients();
        let held = clients.entry(client).or_default();
        if *held + bytes > (self.bytes / 2).max(bytes) {
            let message = "too many requests of one client at once; try again";
            return Err((StatusCode::SERVICE_UNAVAILABLE, "client", message.to_owned()));
        }
        *held += bytes;
        drop(clients);
        Ok(Share { pool: Arc::clone(self), client, bytes })
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn merge(&mut self, mut other: Self) {
        self.permit.merge(other.permit);
        self.share.bytes += std::mem::take(&mut other.share.bytes);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut clients = self.pool.clients();
        if let Some(held) = clients.get_mut(&self.client) {
            *held -= self.bytes;
            if *held == 0 {
                clients.remove(&self.client);
            }
        }
    }
}

/// No body is larger than 256 MiB, as the command line sees to.
fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use super::super::queue::Tenant;
    use super::*;

    const MIB: usize = 1 << 20;
    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));
    const C: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 3));

    fn bodies() -> Bodies {
        Bodies::new(8 * MIB, Queue::new(1, 16))
    }

    async fn read(bodies: &Bodies, client: IpAddr, bytes: usize, deadline: Instant) -> Result<Body, Refusal> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_LENGTH, bytes.into());
        bodies.read(client, &headers, Incoming::from(vec![b' '; bytes]), deadline).await
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(20)
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    #[tokio::test]
    async fn large_bodies_are_bounded_and_leave_room_for_small_ones() {
        let bodies = bodies();
        let mut held = Vec::new();
        for client in [A, B] {
            for _ in 0..4 {
                held.push(read(&bodies, client, 8 * MIB, later()).await.unwrap());
            }
            // Half of it is one client's at most.
            let refused = read(&bodies, client, 8 * MIB, later()).await.err().unwrap();
            assert_eq!((refused.0, refused.1), (StatusCode::SERVICE_UNAVAILABLE, "client"));
        }
        assert_eq!(bodies.held(), 64 * MIB);
        assert_eq!(read(&bodies, C, 7 * MIB, soon()).await.err().unwrap().1, "memory");
        for client in [A, B, C] {
            assert_eq!(read(&bodies, client, 20_000, soon()).await.unwrap().bytes.len(), 20_000);
        }
        // Whoever waits gets what becomes free.
        let waiting = read(&bodies, C, 7 * MIB, later());
        held.pop();
        assert_eq!(waiting.await.unwrap().bytes.capacity(), 7 * MIB);
        drop(held);
        assert_eq!(bodies.held(), 0);
        assert!(bodies.large.clients().is_empty() && bodies.small.clients().is_empty());
    }

    #[tokio::test]
    async fn small_bodies_that_wait_to_be_judged_make_room_for_more() {
        let bodies = bodies();
        let queue = bodies.queue.clone();
        let running = queue.enter(Tenant::new("n", "u"), 1).await;
        let mut held = Vec::new();
        for client in [A, B] {
            for _ in 0..32 {
                held.push(read(&bodies, client, SMALL_BYTES, later()).await.unwrap());
            }
        }
        assert_eq!(bodies.held(), 16 * MIB);
        assert_eq!(read(&bodies, C, 1000, soon()).await.err().unwrap().1, "memory");
        // One of them waits in the queue: it is shed, and what it held goes to the next.
        let body = held.pop();
        let waiting = tokio::spawn(async move {
            let _body = body;
            queue.enter(Tenant::new("hostile", "u"), SMALL_BYTES).await.is_err()
        });
        while bodies.queue.measure().0 == 0 {
            tokio::task::yield_now().await;
        }
        assert!(read(&bodies, C, 1000, later()).await.is_ok());
        assert!(waiting.await.unwrap(), "it lost its place");
        drop(running);
    }

    #[tokio::test]
    async fn bytes_that_come_one_by_one_are_counted_once() {
        let bodies = bodies();
        let frames = (0..1000).map(|_| Ok::<_, std::convert::Infallible>(vec![b' ']));
        let incoming = Incoming::from_stream(futures::stream::iter(frames));
        let body = bodies.read(A, &HeaderMap::new(), incoming, later()).await.unwrap();
        assert_eq!((body.bytes.len(), bodies.held()), (1000, 1000));
        assert_eq!(body.held.as_ref().unwrap().share.bytes, 1000);
        drop(body);
        assert_eq!(bodies.held(), 0);
    }
}
