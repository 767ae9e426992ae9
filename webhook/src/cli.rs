//! The command line: subcommands, and what an exit code says.

use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use walguard_lint::{Live, checks, disk, lint, rules, tables, tune};
#[cfg(feature = "editor")]
use walguard_lsp as lsp;
use walguard_report::Exit;

#[cfg(feature = "cluster")]
use crate::{audit, cluster, serve};

/// Keeps badly tuned and unsafe PostgreSQL clusters out of Kubernetes
#[derive(Debug, Parser)]
#[command(name = "walguard", version, styles = STYLES, max_term_width = 110)]
#[command(long_about = "\
Keeps badly tuned and unsafe PostgreSQL clusters out of Kubernetes.

walguard reads the custom resources of PostgreSQL operators – CloudNativePG, EDB, KubeBlocks, Zalando, Crunchy, Percona, StackGres, Kubegres – and reports \
settings that lose data, stall the server or keep it from starting, with numbers. The same rules check manifests in CI (`walguard lint`), \
requests at the API server (`walguard serve`) and what is in a cluster already (`walguard audit`).")]
#[command(after_help = "Examples:
  walguard lint deploy/                             check every manifest of a directory
  helm template . | walguard lint -                 check what a chart renders
  walguard checks explain durability/full_page_writes   why, with sources and an example
  walguard disk ali-essd-pl1:300Gi --cpu 16         what a disk gives, and whether it is enough
  walguard tune cluster.yaml                        parameters for the machine and the disk that it has
  walguard --version -v                             how old the tables of releases, images and disks are")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Lint(lint::Args),
    #[cfg(feature = "cluster")]
    Audit(audit::Args),
    #[cfg(feature = "cluster")]
    Serve(serve::Args),
    Checks(checks::Args),
    Disk(disk::Args),
    Tune(tune::Args),
    #[cfg(feature = "editor")]
    Lsp(lsp::Args),
    /// Print completions for a shell: source <(walguard completions bash)
    Completions {
        shell: clap_complete::Shell,
    },
    /// Print a manual page: walguard man lint | man -l -
    Man {
        /// A subcommand; the program itself without one
        command: Option<String>,
    },
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// kubectl runs the program of this name for `kubectl walguard`.
const PLUGIN: &str = "kubectl-walguard";

/// Whether `--version -v` asks for the dates of the tables, too.
fn wants_long_version() -> bool {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let has = |names: [&str; 2]| words.iter().any(|word| names.iter().any(|name| word == name));
    words.len() == 2 && has(["--version", "-V"]) && has(["--verbose", "-v"])
}

/// Prints them.
fn long_version() -> anyhow::Result<Exit> {
    let catalogue = rules::load(None)?.catalogue()?;
    anstream::print!("{}", tables::version(&catalogue, &tables::day(None)));
    Ok(Exit::Clean)
}

/// The command line as its user typed it: usage and errors say `kubectl walguard` to those who call it so.
fn parse() -> Cli {
    let called = env::args_os().next().unwrap_or_default();
    let mut command = Cli::command();
    if Path::new(&called).file_stem().is_some_and(|name| name == PLUGIN) {
        command = command.bin_name("kubectl walguard");
    }
    Cli::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
}

/// What `lint --context cluster` asks.
#[cfg(feature = "cluster")]
const LIVE: Option<Live> = Some(cluster::holdings);
#[cfg(not(feature = "cluster"))]
const LIVE: Option<Live> = None;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let result = if wants_long_version() { long_version().map(ExitCode::from) } else { run() };
    result.unwrap_or_else(|error| {
        anstream::eprintln!("{ERROR}error{ERROR:#}: {}", once(&error));
        Exit::Failure.into()
    })
}

/// An error and its causes, each once: many libraries write their causes into their own messages as well.
fn once(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        text if text.contains(&cause) => text.to_owned(),
        text => format!("{text}: {cause}"),
    })
}

fn run() -> anyhow::Result<ExitCode> {
    match parse().command {
        Command::Lint(args) => lint::run(args, LIVE).map(ExitCode::from),
        #[cfg(feature = "cluster")]
        Command::Audit(args) => audit::run(args).map(ExitCode::from),
        #[cfg(feature = "cluster")]
        Command::Serve(args) => serve::run(args),
        Command::Checks(args) => checks::run(args).map(ExitCode::from),
        Command::Disk(args) => disk::run(args).map(ExitCode::from),
        Command::Tune(args) => tune::run(args, LIVE).map(ExitCode::from),
        #[cfg(feature = "editor")]
        Command::Lsp(args) => lsp::run(args).map(ExitCode::from),
        Command::Completions { shell } => completions(shell).map(ExitCode::from),
        Command::Man { command } => man(command.as_deref()).map(ExitCode::from),
    }
}

const ERROR: anstyle::Style = AnsiColor::Red.on_default().bold();

/// A script that a shell reads at its start.
fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "walguard", &mut text);
    print(&text)
}

/// A manual page in roff.
fn man(command: Option<&str>) -> anyhow::Result<Exit> {
    let mut program = Cli::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name);
            let found = found.with_context(|| format!("there is no command {name}; walguard --help lists them"))?;
            found.clone()
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    print(&text)
}

fn print(text: &[u8]) -> anyhow::Result<Exit> {
    let mut out = io::stdout();
    walguard_report::finish(out.write_all(text), &mut out).context("cannot write to standard output")?;
    Ok(Exit::Clean)
}
