//! `make bench`: walguard, OPA and conftest side by side, with the same rules on the same input, in one run.
//!
//! Contestants take turns, so that whatever else the machine does falls on all of them alike, and medians are printed with
//! their ratio. CPU time stands beside wall time: it is what a busy machine disturbs least.

mod cases;
mod lint;
mod measure;
mod review;
mod rules;
mod serve;
mod soak;
mod table;

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure walguard beside OPA and conftest
#[derive(Debug, Parser)]
struct Args {
    /// What to measure [default: everything]
    #[arg(value_enum)]
    sections: Vec<Section>,
    /// How often each contestant takes its turn
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Manifests in the large directory
    #[arg(long, default_value_t = 10_000)]
    files: usize,
    /// Reviews of the soak
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    reviews: u64,
    /// One in so many reviews of the soak is of a PostgreSQL resource, the others are of a Deployment without PostgreSQL
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    judged_in: u64,
    #[command(flatten)]
    tools: Tools,
}

/// Where the contestants are; bench/run builds them.
#[derive(Debug, clap::Args)]
struct Tools {
    #[arg(long, env = "BENCH_WALGUARD")]
    walguard: PathBuf,
    #[arg(long, env = "BENCH_OPA")]
    opa: PathBuf,
    /// bench/opa: the OPA library
    #[arg(long, env = "BENCH_OPA_LIBRARY")]
    opa_library: PathBuf,
    #[arg(long, env = "BENCH_CONFTEST")]
    conftest: PathBuf,
    #[arg(long, env = "BENCH_RULES")]
    rules: PathBuf,
    #[arg(long, env = "BENCH_MANIFESTS")]
    manifests: PathBuf,
    #[arg(long, env = "BENCH_OUT")]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Section {
    /// One review, in the process: bytes in, bytes out
    Review,
    /// One review over loopback
    Serve,
    /// Manifests on the command line
    Lint,
    /// What a start costs
    Start,
    /// The most expensive rules of every case; only when asked for
    Rules,
    /// Memory after very many reviews; only when asked for
    Soak,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let wanted = |section| args.sections.is_empty() || args.sections.contains(&section);
    let cases = cases::read(&args.tools.manifests)?;
    let mut report = Report { text: String::new() };
    report.add(&machine(&args)?)?;
    if wanted(Section::Review) {
        report.add(&review::run(&args.tools, &cases, args.rounds)?)?;
    }
    if wanted(Section::Serve) {
        report.add(&serve::run(&args.tools, &cases, args.rounds)?)?;
    }
    if wanted(Section::Lint) {
        report.add(&lint::run(&args.tools, args.rounds, args.files)?)?;
    }
    if wanted(Section::Start) {
        report.add(&review::start(args.rounds)?)?;
    }
    if args.sections.contains(&Section::Rules) {
        report.add(&rules::run(&cases)?)?;
    }
    if args.sections.contains(&Section::Soak) {
        report.add(&soak::run(&args.tools, &cases, args.reviews, args.judged_in)?)?;
    }
    fs::create_dir_all(&args.tools.out)?;
    fs::write(args.tools.out.join("bench.txt"), report.text).context("cannot write bench/out")
}

/// What is printed, kept to be written to a file too.
struct Report {
    text: String,
}

impl Report {
    fn add(&mut self, section: &str) -> Result<()> {
        self.text.push_str(section);
        let mut out = std::io::stdout().lock();
        out.write_all(section.as_bytes())?;
        out.flush().context("cannot print")
    }
}

/// One line on the machine and the versions.
fn machine(args: &Args) -> Result<String> {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':')).map_or("", |(_, m)| m);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let version = |tool: &PathBuf, arguments: &[&str]| -> Result<String> {
        let output = Command::new(tool).args(arguments).output().with_context(|| format!("{}", tool.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().next().unwrap_or_default().trim().to_owned())
    };
    Ok(format!(
        "{} cores ({}), load {}; {}; OPA {}; {}; {} rounds\n",
        std::thread::available_parallelism()?,
        model.trim(),
        load.split(' ').next().unwrap_or_default(),
        version(&args.tools.walguard, &["--version"])?,
        version(&args.tools.opa, &["version"])?.replace("Version: ", ""),
        version(&args.tools.conftest, &["--version"])?,
        args.rounds,
    ))
}
