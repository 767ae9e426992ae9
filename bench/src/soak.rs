//! What memory `walguard serve` holds after many reviews, compared with what it held after the first ten thousand.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value as Json, json};
use walguard_loopback::Server;

use crate::cases::{Case, DISMISSED};
use crate::table::Table;
use crate::{Tools, measure, serve};

/// After so many everything that is made once has been made.
const FIRST: u64 = 10_000;
/// Connections at once.
const CLIENTS: u64 = 4;
/// More than have series of their own in the metrics.
const NAMESPACES: u64 = 2000;

/// Sends reviews, each of an object of its own, and looks at the resident memory at 1, 2 and 5 times each power of ten. One in `judged_in`
/// is of a case with PostgreSQL, in turn; the others are of the Deployment without.
///
/// # Errors
/// When the server does not start or does not answer.
pub fn run(tools: &Tools, cases: &[Case], reviews: u64, judged_in: u64) -> Result<Table> {
    let directory = tempfile::tempdir()?;
    let server = serve::walguard(tools, directory.path(), None)?;
    let mix = Mix::new(cases, judged_in)?;
    let milestones = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map(|times| times * FIRST).into_iter();
    let milestones: Vec<u64> = milestones.take_while(|milestone| *milestone < reviews).chain([reviews]).collect();
    let (mut rows, mut first, mut sent) = (Vec::new(), 0, 0);
    for milestone in milestones {
        send(&server, &mix, sent, milestone)?;
        sent = milestone;
        let resident_kib = measure::memory_of(server.id())?.0 >> 10;
        if first == 0 {
            first = resident_kib;
        }
        let per_cent = 100 * resident_kib / first;
        // A long run says how far it is.
        writeln!(std::io::stderr(), "{sent} reviews: {resident_kib} KiB")?;
        rows.push(vec![sent.to_string(), format!("{:.1} MiB", resident_kib as f64 / 1024.0), format!("{per_cent} %")]);
    }
    let title = format!(
        "Resident memory of walguard serve after so many reviews, one in {judged_in} of them of a PostgreSQL resource"
    );
    let mut table = Table::new(title, &["reviews", "memory", ""]);
    table.rows = rows;
    Ok(table)
}

/// What is sent.
struct Mix {
    judged: Vec<Json>,
    dismissed: Json,
    judged_in: u64,
}

impl Mix {
    fn new(cases: &[Case], judged_in: u64) -> Result<Self> {
        let read = |case: &Case| serde_json::from_str(&case.body);
        let (dismissed, judged): (Vec<_>, Vec<_>) = cases.iter().partition(|case| case.name == DISMISSED);
        let dismissed = read(dismissed.first().with_context(|| format!("no case {DISMISSED}"))?)?;
        Ok(Self { judged: judged.into_iter().map(read).collect::<Result<_, _>>()?, dismissed, judged_in })
    }

    /// The review with this number.
    fn review(&self, number: u64) -> Result<Json> {
        if !number.is_multiple_of(self.judged_in) {
            return Ok(numbered(&self.dismissed, number));
        }
        let turn = usize::try_from(number / self.judged_in)? % self.judged.len();
        Ok(numbered(&self.judged[turn], number))
    }
}

/// Sends the reviews with these numbers.
fn send(server: &Server, mix: &Mix, from: u64, to: u64) -> Result<()> {
    let next = AtomicU64::new(from);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= to {
                            return Ok(());
                        }
                        let (success, text) = server.post(mix.review(number)?.to_string())?;
                        ensure!(success, "the server answers {text}");
                    }
                })
            })
            .collect();
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| anyhow::anyhow!("a client broke off"))?)
    })
}

/// A review of another object in another namespace.
fn numbered(template: &Json, number: u64) -> Json {
    let mut review = template.clone();
    let (name, namespace) = (format!("c{number}"), format!("n{}", number % NAMESPACES));
    let request = &mut review["request"];
    request["uid"] = json!(format!("u{number}"));
    (request["name"], request["namespace"]) = (json!(name), json!(namespace));
    request["object"]["metadata"]["name"] = json!(name);
    request["object"]["metadata"]["namespace"] = json!(namespace);
    review
}
