//! `make engines`: one manifest, one verdict.
//!
//! The same reviews go through every engine and host there is for the rules, and the findings of each are compared with
//! those of OPA, as far as the host says what was found. The reviews are the manifests of the checks, the examples, the
//! attacks of tests/adversary, and mutants of the manifests.
#![allow(clippy::print_stdout)]

// A file of tests, of which this reads the attacks.
#[path = "../../../crates/engine/tests/corpus/mod.rs"]
#[allow(clippy::unwrap_used)]
mod adversary;
mod corpus;
mod generate;
mod hosts;
mod review;
mod shrink;
mod sources;
mod verdict;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Parser;

use corpus::Corpus;
use hosts::{Host, Opa, Programs};
use review::Review;
use verdict::Verdict;

/// Reviews that go through the engines at a time: conftest compiles the rules for each lot anew, which takes it twenty seconds.
const BATCH: usize = 800;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    programs: Programs,
    /// Mutants to generate
    #[arg(long, default_value_t = 2000)]
    manifests: usize,
    /// What the mutants follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first mutant: to repeat one, with --manifests 1
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// Of the attacks, every so-manieth
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    attacks: u16,
    /// Only these hosts, besides OPA
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Hosts that judge every so-manieth review alone, because they are slow: HOST=N
    #[arg(long, value_delimiter = ',', value_parser = every)]
    every: Vec<(String, usize)>,
    /// Differences to shrink and print; the rest is counted
    #[arg(long, default_value_t = 5)]
    show: usize,
}

fn every(text: &str) -> Result<(String, usize)> {
    let (host, every) = text.split_once('=').context("HOST=N")?;
    let every: usize = every.parse()?;
    ensure!(every > 0, "N is at least 1");
    Ok((host.to_owned(), every))
}

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let rules = root.join("rules");
    let corpus = Corpus::read(&root, &cli.programs.opa)?;
    let configurations = generate::configurations(&corpus, cli.seed);
    let mut opa = Opa::start(&cli.programs.directory.join("engines-opa"), &rules)?;
    let mut hosts = hosts::all(&cli.programs, &rules, &configurations, &cli.only)?;
    let mut tally = Tally::default();
    let (mut reviews, mut attacks) = (Vec::new(), Vec::new());
    if cli.first == 0 {
        reviews = corpus.reviews();
        attacks = adversary::attacks(&root);
        attacks = attacks.into_iter().step_by(cli.attacks.into()).collect();
    }
    println!(
        "{} reviews of fixtures and examples, {} attacks, {} mutants of seed {}",
        reviews.len(),
        attacks.len(),
        cli.manifests,
        cli.seed
    );
    reviews.extend(
        attacks.into_iter().map(|attack| Review { name: format!("attack {}", attack.file), input: attack.input() }),
    );
    reviews.extend((cli.first..cli.first + cli.manifests).map(|number| Review {
        name: format!("--seed {} --first {number} --manifests 1", cli.seed),
        ..generate::mutant(&corpus, &configurations, cli.seed, number)
    }));
    println!("{}", covered(&corpus, &reviews));
    for batch in reviews.chunks(BATCH) {
        compare(&mut opa, &mut hosts, &cli.every, batch, &mut tally)?;
        eprintln!("{} of {} reviews, {} differences", tally.reviews, reviews.len(), tally.differences.len());
    }
    tally.print();
    for difference in tally.differences.iter().take(cli.show) {
        let host = hosts.iter_mut().find(|host| host.name() == difference.host).context("the host is one of them")?;
        // At once, since making it small can take minutes.
        let said = differences(&mut opa, host.as_mut(), std::slice::from_ref(&difference.review))?.pop().flatten();
        println!("\n{} ({})\n{}", difference.host, difference.review.name, said.unwrap_or_default());
        let small = shrink::shrink(&difference.review, |reviews| {
            // What cannot be compared shows nothing.
            differences(&mut opa, host.as_mut(), reviews)
                .map_or_else(|_| vec![false; reviews.len()], |said| said.iter().map(Option::is_some).collect())
        });
        let said = differences(&mut opa, host.as_mut(), std::slice::from_ref(&small))?.pop().flatten();
        println!("\n{} ({})\n{}\n{}", difference.host, difference.review.name, small.text(), said.unwrap_or_default());
    }
    if tally.differences.is_empty() { Ok(ExitCode::SUCCESS) } else { Ok(ExitCode::FAILURE) }
}

/// How many of the apiVersions and kinds that the rules know are under review, and which are not.
fn covered(corpus: &Corpus, reviews: &[Review]) -> String {
    let under_review: HashSet<(&str, &str)> = reviews
        .iter()
        .filter_map(|review| review.input.pointer("/review/object"))
        .filter_map(|object| Some((object["apiVersion"].as_str()?, object["kind"].as_str()?)))
        .collect();
    let known = |(version, kind): &&(String, String)| under_review.contains(&(version.as_str(), kind.as_str()));
    let (seen, unseen): (Vec<_>, Vec<_>) = corpus.kinds.iter().partition(known);
    let unseen: String = unseen.iter().map(|(version, kind)| format!("; not {version} {kind}")).collect();
    format!("{} of {} apiVersions and kinds{unseen}", seen.len(), corpus.kinds.len())
}

/// What a host judged.
#[derive(Default)]
struct Judged {
    reviews: usize,
    findings: usize,
    errors: usize,
    time: Duration,
}

struct Difference {
    host: String,
    review: Review,
}

#[derive(Default)]
struct Tally {
    hosts: BTreeMap<String, Judged>,
    findings: BTreeMap<String, usize>,
    reviews: usize,
    errors: usize,
    differences: Vec<Difference>,
}

impl Tally {
    fn print(&self) {
        println!(
            "OPA: {} reviews, {} findings of {} checks, {} errors",
            self.reviews,
            self.findings.values().sum::<usize>(),
            self.findings.len(),
            self.errors
        );
        for (host, Judged { reviews, findings, errors, time }) in &self.hosts {
            let different = self.differences.iter().filter(|difference| difference.host == *host).count();
            println!(
                "{host}: {reviews} reviews, {findings} findings, {errors} errors, {different} differences ({} s)",
                time.as_secs()
            );
        }
    }
}

/// Judges reviews with OPA and every host and notes what differs, also when it is said a second time, and what fails once.
fn compare(
    opa: &mut Opa,
    hosts: &mut [Box<dyn Host>],
    every: &[(String, usize)],
    batch: &[Review],
    tally: &mut Tally,
) -> Result<()> {
    let reference = opa.judge(batch)?;
    let before = tally.reviews;
    tally.reviews += batch.len();
    for verdict in &reference {
        match verdict {
            Verdict::Findings(findings) => {
                for finding in findings {
                    *tally.findings.entry(finding["check"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
                }
            }
            Verdict::Error(error) => {
                eprintln!("OPA: {error}");
                tally.errors += 1;
            }
        }
    }
    // What a host cannot be told is left out of the review, and OPA judges that one.
    let mut projected: Vec<(Vec<usize>, Vec<Review>)> = Vec::new();
    for host in hosts.iter() {
        let every = every.iter().find(|(name, _)| *name == host.name()).map_or(1, |(_, every)| *every);
        let told = batch.iter().enumerate().filter(|(index, _)| (before + index).is_multiple_of(every));
        projected.push(told.filter_map(|(index, review)| Some((index, host.project(review)?))).unzip());
    }
    let mut expected: Vec<Vec<Verdict>> = Vec::new();
    for (indices, reviews) in &projected {
        let mut verdicts: Vec<Verdict> = indices.iter().map(|index| reference[*index].clone()).collect();
        let other: Vec<usize> = (0..reviews.len()).filter(|i| reviews[*i].input != batch[indices[*i]].input).collect();
        let asked: Vec<Review> = other.iter().map(|i| reviews[*i].clone()).collect();
        for (i, verdict) in other.into_iter().zip(opa.judge(&asked)?) {
            verdicts[i] = verdict;
        }
        expected.push(verdicts);
    }
    let said: Vec<(Result<Vec<Verdict>>, Duration)> = thread::scope(|scope| {
        let running: Vec<_> = hosts
            .iter_mut()
            .zip(&projected)
            .map(|(host, (_, reviews))| {
                scope.spawn(move || {
                    let started = Instant::now();
                    (host.judge(reviews), started.elapsed())
                })
            })
            .collect();
        let broken = |_| (Err(anyhow!("a host broke off")), Duration::ZERO);
        running.into_iter().map(|thread| thread.join().unwrap_or_else(broken)).collect()
    });
    for (((host, (_, reviews)), expected), said) in hosts.iter_mut().zip(&projected).zip(&expected).zip(said) {
        let (said, time) = said;
        let said = said.with_context(|| host.name())?;
        let counts = tally.hosts.entry(host.name()).or_default();
        counts.time += time;
        let mut different = Vec::new();
        for ((review, expected), said) in reviews.iter().zip(expected).zip(&said) {
            counts.reviews += 1;
            match said {
                Verdict::Findings(findings) => counts.findings += findings.len(),
                Verdict::Error(_) => counts.errors += 1,
            }
            let expected = host.view(review, expected);
            match said {
                Verdict::Error(error) if expected != *said => {
                    eprintln!("{}: {}: {error}", host.name(), review.name);
                    tally.differences.push(Difference { host: host.name(), review: review.clone() });
                }
                Verdict::Findings(_) if expected != *said => different.push(review.clone()),
                _ => {}
            }
        }
        // An age in days may change between two looks at the clock, so a difference counts that stays.
        let stay = differences(opa, host.as_mut(), &different)?;
        for (review, _) in different.into_iter().zip(stay).filter(|(_, said)| said.is_some()) {
            eprintln!("{}: {}", host.name(), review.name);
            tally.differences.push(Difference { host: host.name(), review });
        }
    }
    Ok(())
}

/// What a host says otherwise than OPA of each of some reviews, if it does.
fn differences(opa: &mut Opa, host: &mut dyn Host, reviews: &[Review]) -> Result<Vec<Option<String>>> {
    let mut found = vec![None; reviews.len()];
    let (indices, told): (Vec<usize>, Vec<Review>) =
        reviews.iter().enumerate().filter_map(|(index, review)| Some((index, host.project(review)?))).unzip();
    let (expected, said) = (opa.judge(&told)?, host.judge(&told)?);
    for (((index, review), expected), said) in indices.into_iter().zip(&told).zip(expected).zip(said) {
        let expected = host.view(review, &expected);
        found[index] = (expected != said).then(|| verdict::difference(&expected, &host.name(), &said));
    }
    Ok(found)
}
