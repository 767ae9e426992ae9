//! `walguard lint`: manifests in, findings out.

mod context;
mod fix;
mod inputs;
mod judge;
mod report;
pub(crate) mod server;

pub use report::{Failure, Located, Report, Summary};

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use walguard_engine::{Action, Catalogue, Finding, configuration};

use crate::cli::Exit;
use crate::config::{self, Configuration};
use crate::output::{self, Color, Format};
use crate::rules;

/// Judge manifests before they reach a cluster
///
/// Reads YAML streams, JSON and Lists. All documents of a run are in sight of one another, so that a cluster is judged with
/// its StorageClass, its parameters and its backups when they are given along with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  walguard lint deploy/                                every manifest of a directory
  helm template . | walguard lint -                    what a chart renders
  walguard lint --context cluster deploy/              as the cluster of your kubeconfig would judge
  walguard lint --select wal/,storage/ --explain .     some checks, with their numbers
  walguard lint --format sarif . > walguard.sarif      for code scanning
  walguard lint postgresql.conf --pg-version 16 --cpu 16 --memory 64Gi --disk ali-essd-pl1:300Gi --filesystem xfs
                                                       a server outside Kubernetes

Exit codes:
  0  nothing at or above --fail-on
  1  findings at or above --fail-on
  2  wrong usage, or input that cannot be read; the rest is judged and reported
  3  nothing to lint")]
pub struct Args {
    /// Files, directories, or - for standard input
    ///
    /// A file is read whatever its name, *.conf as PostgreSQL reads it and the rest as manifests. Of a directory, *.yaml, *.yml,
    /// *.json and postgresql*.conf are read, except hidden files and what .gitignore names.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// How findings are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,

    /// The least severity that makes the exit code 1
    #[arg(long, value_enum, default_value_t, value_name = "SEVERITY")]
    fail_on: FailOn,

    /// Policy configuration: severities, settings, attestations [default: walguard.yaml here or above]
    #[arg(long, value_name = "FILE", env = "WALGUARD_CONFIG")]
    config: Option<PathBuf>,

    /// Objects that are only looked up, not judged: StorageClasses, ConfigMaps, backups
    ///
    /// Files and directories, or the word `cluster` for what the cluster of your kubeconfig holds.
    #[arg(long, value_name = "PATH|cluster")]
    context: Vec<PathBuf>,

    /// Only these checks; an area with a slash means all of its checks (wal/)
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    select: Vec<String>,

    /// Not these checks
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    ignore: Vec<String>,

    #[command(flatten)]
    facts: server::Facts,

    /// Change the manifests as the findings propose, comments and style kept; then judge again
    #[arg(long)]
    fix: bool,

    /// Show the numbers behind each finding, and why the check exists
    #[arg(long)]
    explain: bool,

    /// Print findings only, no summary
    #[arg(short, long)]
    quiet: bool,

    /// When to colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,

    /// Judge by the rules of a directory instead of those built in
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,

    /// The moment of judgement, so that a verdict can be repeated
    #[arg(long, value_name = "RFC3339", hide = true, value_parser = parse_now)]
    now: Option<String>,
}

/// The least severity that makes a run fail: an error that the configuration does not enforce counts as a warning, a waived one
/// for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    #[default]
    Error,
    Warning,
    Info,
    Never,
}

impl FailOn {
    fn fails(self, finding: &Finding) -> bool {
        match self {
            Self::Error => finding.action >= Action::Deny,
            Self::Warning => finding.action >= Action::Warn,
            Self::Info => finding.action >= Action::Audit,
            Self::Never => false,
        }
    }
}

/// Lints as the command line says.
///
/// # Errors
/// When the rules, the configuration or the arguments cannot be used; then nothing was judged.
pub fn run(args: Args) -> anyhow::Result<Exit> {
    if args.fix && args.paths.iter().any(|path| path.as_path() == Path::new(inputs::STDIN_PATH)) {
        bail!("--fix changes files; standard input is none");
    }
    let rules = rules::load(args.rules.as_deref())?;
    let catalogue = rules.catalogue().context("the catalogue of the rules cannot be read")?;
    let selection = Selection::new(&args.select, &args.ignore, &catalogue)?;
    let configuration = configuration(args.config.as_ref(), &catalogue)?;

    let settings = judge::Settings {
        rules: &rules,
        catalogue: &catalogue,
        configuration,
        now: args.now,
        selection,
        facts: &args.facts,
    };
    let judge = || {
        let context = context::read(&args.context, &catalogue)?;
        for warning in &context.warnings {
            anstream::eprintln!("warning: {warning}");
        }
        judge::judge(inputs::read(&args.paths), context, &settings)
    };
    let mut report = judge()?;
    if args.fix {
        let fixed = fix::fix(&report)?;
        anstream::eprintln!("{fixed}");
        if fixed.files > 0 {
            report = judge()?;
        }
    }

    let style = output::Style { color: args.color, explain: args.explain, quiet: args.quiet };
    let written = output::write(&report, &catalogue, args.format, style);
    match written.and_then(|()| io::stdout().flush()) {
        // Whoever read has seen enough (`| head`); the verdict stands.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written.context("cannot write the findings")?,
    }

    Ok(if report.summary.failed > 0 {
        Exit::Failure
    } else if report.findings.iter().any(|found| args.fail_on.fails(&found.finding)) {
        Exit::Findings
    } else if report.summary.documents == 0 {
        Exit::Nothing
    } else {
        Exit::Clean
    })
}

/// The configuration of a flag, or the one that is found.
///
/// # Errors
/// When it cannot be read, with every mistake in it.
pub(crate) fn configuration(path: Option<&PathBuf>, catalogue: &Catalogue) -> anyhow::Result<Option<Configuration>> {
    let path = match path {
        Some(path) => path.clone(),
        None => match config::discover().context("cannot look for walguard.yaml")? {
            Some(path) => path,
            None => return Ok(None),
        },
    };
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read the configuration {}", path.display()))?;
    match config::parse(&path.display().to_string(), bytes, catalogue) {
        Ok(configuration) => Ok(Some(configuration)),
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(|error| format!("\n  {error}")).collect();
            bail!("the configuration is wrong:{}", errors.concat())
        }
    }
}

/// Which checks a run is about.
#[derive(Debug, Default)]
pub struct Selection {
    select: Vec<String>,
    ignore: Vec<String>,
}

impl Selection {
    fn new(select: &[String], ignore: &[String], catalogue: &Catalogue) -> anyhow::Result<Self> {
        for pattern in select.iter().chain(ignore) {
            if !catalogue.checks.keys().any(|id| matches(pattern, id)) {
                let areas = catalogue.checks.keys().filter_map(|id| id.find('/').map(|at| &id[..=at]));
                let nearest = configuration::nearest(pattern, catalogue.checks.keys().map(String::as_str).chain(areas));
                bail!("there is no check {pattern}{nearest} (`walguard checks` lists them)");
            }
        }
        Ok(Self { select: select.to_vec(), ignore: ignore.to_vec() })
    }

    fn contains(&self, id: &str) -> bool {
        (self.select.is_empty() || self.select.iter().any(|pattern| matches(pattern, id)))
            && !self.ignore.iter().any(|pattern| matches(pattern, id))
    }
}

/// Whether an id is meant: by itself, or by its area with a slash.
fn matches(pattern: &str, id: &str) -> bool {
    id == pattern || pattern.ends_with('/') && id.starts_with(pattern)
}

fn parse_now(text: &str) -> Result<String, String> {
    configuration::timestamp(text).ok_or_else(|| "not an RFC 3339 time".to_owned())
}
