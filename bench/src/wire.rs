//! A client that costs little: it shares its machine with the server that it measures. HTTP/1.1 over TLS, on connections that stay open.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use walguard_loopback::Server;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that is kept open.
pub struct Connection {
    stream: BufReader<StreamOwned<ClientConnection, TcpStream>>,
    head: String,
}

impl Connection {
    /// # Errors
    /// When the server does not take it.
    pub fn open(server: &Server) -> Result<Self> {
        let address = server.url().strip_prefix("https://").context("an URL of https")?;
        let (address, path) = address.split_once('/').context("an URL with a path")?;
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(server.certificate().as_bytes())?)?;
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let tcp = TcpStream::connect(address)?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        let mut tls = ClientConnection::new(Arc::new(config), ServerName::try_from("127.0.0.1")?)?;
        let mut socket = tcp;
        while tls.is_handshaking() {
            tls.complete_io(&mut socket)?;
        }
        let head = format!("POST /{path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n");
        Ok(Self { stream: BufReader::new(StreamOwned::new(tls, socket)), head })
    }

    /// The answer to a body.
    ///
    /// # Errors
    /// When there is none, or one that says that something failed.
    pub fn call(&mut self, body: &[u8]) -> Result<Vec<u8>> {
        let mut request = Vec::with_capacity(self.head.len() + body.len() + 40);
        write!(request, "{}Content-Length: {}\r\n\r\n", self.head, body.len())?;
        request.extend_from_slice(body);
        self.stream.get_mut().write_all(&request)?;
        self.stream.get_mut().flush()?;
        let status = self.line()?;
        let (mut length, mut chunked) = (None, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = Some(value.parse()?),
                Some(("transfer-encoding", value)) => chunked = value == "chunked",
                _ if line.is_empty() => break,
                _ => {}
            }
        }
        let mut answer = Vec::new();
        if chunked {
            while let size @ 1.. = usize::from_str_radix(&self.line()?, 16)? {
                self.read(&mut answer, size)?;
                self.line()?;
            }
            self.line()?;
        } else {
            self.read(&mut answer, length.context("an answer without a length")?)?;
        }
        ensure!(status.contains(" 200 "), "{status}: {}", String::from_utf8_lossy(&answer));
        Ok(answer)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line)? > 0, "the connection was closed");
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    fn read(&mut self, answer: &mut Vec<u8>, size: usize) -> Result<()> {
        let read = (&mut self.stream).take(size as u64).read_to_end(answer)?;
        ensure!(read == size, "the connection was closed");
        Ok(())
    }
}

/// The answers to calls on some connections.
pub struct Load {
    pub wall: Duration,
    /// What each took: from when it was due, so that a server which falls behind shows it.
    pub latencies: Vec<Duration>,
}

impl Load {
    pub fn rate(&self) -> f64 {
        self.latencies.len() as f64 / self.wall.as_secs_f64()
    }
}

/// As many calls as are answered in a time, each connection sending its next when it has its answer; of the bodies in turn.
///
/// # Errors
/// When a call is not answered.
pub fn saturated(server: &Server, bodies: &[Vec<u8>], connections: usize, time: Duration) -> Result<Load> {
    load(server, bodies, connections, |_, now| if now < time { Due::Now } else { Due::Never })
}

/// Calls that are due at a steady rate, whoever has been answered.
///
/// # Errors
/// When a call is not answered.
pub fn paced(server: &Server, bodies: &[Vec<u8>], connections: usize, rate: f64, time: Duration) -> Result<Load> {
    load(server, bodies, connections, |number, _| {
        let due = Duration::from_secs_f64(number as f64 / rate);
        if due < time { Due::At(due) } else { Due::Never }
    })
}

/// A number of calls, one after the other on one connection.
///
/// # Errors
/// When a call is not answered.
pub fn in_turn(server: &Server, body: &[u8], calls: usize) -> Result<Load> {
    let bodies = [body.to_vec()];
    load(server, &bodies, 1, |number, _| if number < calls { Due::Now } else { Due::Never })
}

enum Due {
    Now,
    At(Duration),
    Never,
}

fn load(
    server: &Server,
    bodies: &[Vec<u8>],
    connections: usize,
    due: impl Fn(usize, Duration) -> Due + Sync,
) -> Result<Load> {
    let open = (0..connections).map(|_| Connection::open(server)).collect::<Result<Vec<_>>>()?;
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let started = Instant::now();
    let client = |mut connection: Connection| -> Result<Vec<Duration>> {
        let mut latencies = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let since = match due(number, started.elapsed()) {
                Due::Never => break,
                Due::Now => started.elapsed(),
                Due::At(at) => {
                    std::thread::sleep(at.saturating_sub(started.elapsed()));
                    at
                }
            };
            if let Err(error) = connection.call(&bodies[number % bodies.len()]) {
                failed.store(true, Ordering::Relaxed);
                return Err(error);
            }
            latencies.push(started.elapsed().saturating_sub(since));
        }
        Ok(latencies)
    };
    let latencies = std::thread::scope(|scope| {
        let running: Vec<_> = open.into_iter().map(|connection| scope.spawn(|| client(connection))).collect();
        let mut all = Vec::new();
        for thread in running {
            all.extend(thread.join().map_err(|_| anyhow!("a client broke off"))??);
        }
        Ok::<_, anyhow::Error>(all)
    })?;
    if latencies.is_empty() {
        bail!("nothing was called");
    }
    Ok(Load { wall: started.elapsed(), latencies })
}
