//! `make bench`: walguard, OPA, conftest, gator and the Kubewarden policy side by side, with the same rules on the same input, in one run.
//!
//! Contestants take turns, so that whatever else the machine does falls on all of them alike, and medians are printed with
//! their ratio. CPU time stands beside wall time: it is what a busy machine disturbs least.

mod apiserver;
mod cases;
mod hostile;
mod inventory;
mod kubewarden;
mod lint;
mod measure;
mod review;
mod rules;
mod serve;
mod soak;
mod table;
mod wire;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use table::{Goal, Table};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure walguard beside OPA and conftest
#[derive(Debug, Parser)]
struct Args {
    /// What to measure [default: everything]
    #[arg(value_enum)]
    sections: Vec<Section>,
    /// How often each contestant takes its turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
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
    #[arg(long, env = "BENCH_GATOR")]
    gator: PathBuf,
    /// The host of Kubewarden policies; without it, or without the policy, that is not measured
    #[arg(long, env = "BENCH_WAPC_HOST")]
    wapc_host: Option<PathBuf>,
    #[arg(long, env = "BENCH_POLICY")]
    policy: Option<PathBuf>,
    /// The repository
    #[arg(long, env = "BENCH_ROOT")]
    root: PathBuf,
    /// Manifests that people wrote, instead of those of the repository
    #[arg(long, env = "BENCH_CORPUS")]
    corpus: Option<PathBuf>,
    /// The template for Gatekeeper
    #[arg(long, env = "BENCH_GATEKEEPER")]
    gatekeeper: PathBuf,
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
    /// The same in sight of fifty thousand objects, and the memory they take
    Inventory,
    /// One review in the Kubewarden policy
    Kubewarden,
    /// Bodies and clients that mean harm
    Hostile,
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
    // One of two providers would do; a client must know which.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let args = Args::parse();
    let (tools, rounds) = (&args.tools, args.rounds);
    let wanted = |section| args.sections.is_empty() || args.sections.contains(&section);
    let cases = cases::read(&tools.manifests)?;
    let mut report = Report { machine: machine(&args)?, tables: Vec::new(), goals: Vec::new() };
    print(&report.machine)?;
    // First: the most memory of a program that is started is never less than what its parent had then.
    if wanted(Section::Lint) {
        let (table, goals) = lint::run(tools, rounds, args.files)?;
        report.add(vec![table], goals)?;
    }
    if wanted(Section::Review) {
        let (tables, goals) = review::run(tools, &cases, rounds)?;
        report.add(tables, goals)?;
    }
    if wanted(Section::Serve) {
        let (tables, goals) = serve::run(tools, &cases, rounds)?;
        report.add(tables, goals)?;
    }
    if wanted(Section::Inventory) {
        let (table, goals) = inventory::run(tools, &cases, rounds)?;
        report.add(vec![table], goals)?;
    }
    if wanted(Section::Kubewarden) {
        let (table, goals) = kubewarden::run(tools, &cases, rounds)?;
        report.add(vec![table], goals)?;
    }
    if wanted(Section::Hostile) {
        let (tables, goals) = hostile::run(tools)?;
        report.add(tables, goals)?;
    }
    if wanted(Section::Start) {
        report.add(vec![review::start(rounds)?], Vec::new())?;
    }
    if args.sections.contains(&Section::Rules) {
        report.add(rules::run(&cases)?, Vec::new())?;
    }
    if args.sections.contains(&Section::Soak) {
        report.add(vec![soak::run(tools, &cases, args.reviews, args.judged_in)?], Vec::new())?;
    }
    report.finish(&args)
}

/// What is printed as it comes, and written to files when all is there.
struct Report {
    machine: String,
    tables: Vec<Table>,
    goals: Vec<Goal>,
}

impl Report {
    fn add(&mut self, tables: Vec<Table>, goals: Vec<Goal>) -> Result<()> {
        for table in &tables {
            print(&table.text())?;
        }
        self.tables.extend(tables);
        self.goals.extend(goals);
        Ok(())
    }

    /// Everything as text; and of a run of everything as RESULTS.md.
    fn finish(self, args: &Args) -> Result<()> {
        let goals = table::goals(&self.goals);
        print(&goals.text())?;
        let text: String = self.tables.iter().chain([&goals]).map(Table::text).collect();
        fs::create_dir_all(&args.tools.out)?;
        fs::write(args.tools.out.join("bench.txt"), self.machine.clone() + &text).context("cannot write bench/out")?;
        if args.sections.is_empty() {
            let tables: String = [&goals].into_iter().chain(&self.tables).map(Table::markdown).collect();
            let results = format!("{ABOUT}\n{}{tables}", self.machine);
            fs::write(args.tools.root.join("bench/RESULTS.md"), results).context("cannot write RESULTS.md")?;
        }
        Ok(())
    }
}

/// What stands above the figures.
const ABOUT: &str = "# Measured\n\n\
    What `make bench` wrote when it last ran here. Engines take turns on the same input, and ratios compare turns of the same run: other work \
    on the machine falls on all of them alike, and single figures are worth less than ratios. CPU is that of all threads.\n";

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush().context("cannot print")
}

/// The machine and the versions.
fn machine(args: &Args) -> Result<String> {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name| -> String {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_once(':'));
        value.map_or_else(String::new, |(_, value)| value.trim().to_owned())
    };
    let memory: u64 = field(&read("/proc/meminfo"), "MemTotal").trim_end_matches(" kB").parse().unwrap_or_default();
    let version = |tool: &PathBuf, arguments: &[&str]| -> Result<String> {
        let output = Command::new(tool).args(arguments).output().with_context(|| format!("{}", tool.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().next().unwrap_or_default().trim().to_owned())
    };
    Ok(format!(
        "{} cores ({}), {}, Linux {}, load {} at the start. {}, OPA {}, {}, {}. {} rounds.\n",
        std::thread::available_parallelism()?,
        field(&read("/proc/cpuinfo"), "model name"),
        measure::mebibytes(memory << 10),
        read("/proc/sys/kernel/osrelease").trim(),
        read("/proc/loadavg").split(' ').next().unwrap_or_default(),
        version(&args.tools.walguard, &["--version"])?,
        version(&args.tools.opa, &["version"])?.replace("Version: ", ""),
        version(&args.tools.conftest, &["--version"])?,
        // It says nothing of its own; its directory does.
        args.tools.gator.parent().and_then(Path::file_name).unwrap_or_default().display(),
        args.rounds,
    ))
}
