//! `walguard lint`: manifests in, findings out.

use std::path::{Path, PathBuf};

use anyhow::bail;
use walguard_report::Exit;

use crate::context::{self, Live};
use crate::options::Options;
use crate::{fix, inputs, judge, server};

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

    /// Objects that are only looked up, not judged: StorageClasses, ConfigMaps, backups
    ///
    /// Files and directories, or the word `cluster` for what the cluster of your kubeconfig holds.
    #[arg(long, value_name = "PATH|cluster")]
    context: Vec<PathBuf>,

    #[command(flatten)]
    facts: server::Facts,

    /// Change the manifests as the findings propose, comments and style kept; then judge again
    #[arg(long)]
    fix: bool,

    #[command(flatten)]
    options: Options,
}

/// Lints as the command line says; `live` reads what a cluster holds, where this program can.
///
/// # Errors
/// When the rules, the configuration or the arguments cannot be used; then nothing was judged.
pub fn run(args: Args, live: Option<Live>) -> anyhow::Result<Exit> {
    if args.fix && args.paths.iter().any(|path| path.as_path() == Path::new(inputs::STDIN_PATH)) {
        bail!("--fix changes files; standard input is none");
    }
    let run = args.options.prepare()?;
    let judge = || {
        let context = context::read(&args.context, &run.rules, &run.catalogue, live)?;
        for warning in &context.warnings {
            anstream::eprintln!("warning: {warning}");
        }
        judge::judge(inputs::read(&args.paths), context, &args.facts, &run)
    };
    let mut report = judge()?;
    if args.fix {
        let fixed = fix::fix(&report)?;
        anstream::eprintln!("{fixed}");
        if fixed.files > 0 {
            report = judge()?;
        }
    }
    run.finish(&report)
}
