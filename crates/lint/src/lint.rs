//! `walguard lint`: manifests in, findings out.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use walguard_report::{Color, Exit, Format, Reason, Report, Skipped};

use crate::baseline::Baseline;
use crate::config::Policies;
use crate::context::{self, Live, Surroundings};
use crate::inputs::Wanted;
use crate::options::{Options, Run};
use crate::render::Render;
use crate::since::{Former, Revision};
use crate::{fix, inputs, judge, releases, render, server, since, walk, watch};

/// Lint manifests before they reach a cluster
///
/// Reads YAML streams, JSON and Lists. Documents see one another, so that a cluster is checked with its StorageClass, its parameters and its
/// backups when they are among the files. Where several files define an object, the nearest one counts; directories that define
/// the same object do not see one another.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  walguard lint deploy/                                every manifest of a directory
  helm template . | walguard lint -                    what a chart renders
  walguard lint --render --exclude 'tests/' .          with Helm charts, without a directory
  walguard lint --diff deploy/ | git apply             what can be fixed, as a patch
  walguard lint --since origin/main deploy/            only what a change makes worse
  walguard lint --watch deploy/                        again whenever a file changes
  walguard lint --context cluster deploy/              with the storage and backups of your cluster
  walguard lint --select wal/,storage/ --explain .     some checks, with their numbers
  walguard lint --output sarif=walguard.sarif .        for code scanning, beside what people read
  walguard lint postgresql.conf --pg-version 16 --cpu 16 --memory 64Gi --disk ali-essd-pl1:300Gi --filesystem xfs
                                                       a server outside Kubernetes

Exit codes:
  0  nothing at or above --fail-on
  1  findings at or above --fail-on
  2  wrong usage, or a manifest that cannot be read; the rest is linted and reported
  3  nothing to lint")]
pub struct Args {
    /// Files, directories, or - for standard input
    ///
    /// A file that is named is read whatever its name, *.conf as PostgreSQL reads it and the rest as manifests. Of a directory, *.yaml,
    /// *.yml, *.json and postgresql*.conf are read, except hidden files and what .gitignore names. Overlays are rendered where
    /// kustomize or kubectl is installed. What is skipped is counted at the end; -v lists it. [default: .]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The same as PATH, as kubectl has it; may be repeated
    #[arg(short, long, value_name = "PATH")]
    filename: Vec<PathBuf>,

    /// Objects that are only looked up, not linted: StorageClasses, ConfigMaps, backups
    ///
    /// Files and directories, or the word `cluster` for what the cluster of your kubeconfig holds.
    #[arg(long, value_name = "PATH|cluster")]
    context: Vec<PathBuf>,

    /// Skip files and directories, by patterns as in .gitignore
    ///
    /// In addition to `exclude` of the configuration. Files that are named on the command line are read all the same.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Skip excluded files even when they are named on the command line, as pre-commit does
    #[arg(long)]
    force_exclude: bool,

    /// Read what .gitignore and .ignore name, too
    #[arg(long)]
    no_respect_gitignore: bool,

    /// Render Helm charts with helm and their default values [also: `render: true` in the configuration]
    #[arg(long)]
    render: bool,

    #[command(flatten)]
    facts: server::Facts,

    /// Change the manifests as the findings propose, comments and style kept; then lint again
    #[arg(long)]
    fix: bool,

    /// Print what --fix would change, as a patch, and write nothing; exit code 1 when there is something to change
    #[arg(long, conflicts_with = "fix")]
    diff: bool,

    /// Report only what is worse than at a revision of git: origin/main
    ///
    /// Both are linted, the revision in a temporary worktree. Findings that were there are counted, and fail nothing.
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["fix", "diff", "write_waivers"])]
    since: Option<String>,

    /// Lint again whenever a file changes, until it is interrupted
    #[arg(long, conflicts_with_all = ["fix", "diff", "since", "write_waivers"])]
    watch: bool,

    #[command(flatten)]
    baseline: Baseline,

    #[command(flatten)]
    options: Options,
}

/// Lints as the command line says; `live` reads what a cluster holds, where this program can.
///
/// # Errors
/// When the rules, the configuration or the arguments cannot be used; then nothing was judged.
pub fn run(mut args: Args, live: Option<Live>) -> anyhow::Result<Exit> {
    args.paths.append(&mut args.filename);
    if args.paths.is_empty() {
        args.paths.push(PathBuf::from("."));
    }
    let stdin = args.paths.iter().any(|path| path.as_path() == Path::new(inputs::STDIN_PATH));
    if args.fix && stdin {
        bail!("--fix changes files; it cannot change standard input");
    }
    if args.since.is_some() && stdin {
        bail!("--since compares files of a repository; standard input is none");
    }
    let rules = walk::Rules::new(&args.exclude, args.force_exclude, args.no_respect_gitignore)?;
    if args.watch {
        if stdin {
            bail!("--watch waits for files to change; standard input does not");
        }
        match watch::watch(&[args.paths, args.context].concat(), &rules)? {}
    }
    let alone = matches!(args.paths.as_slice(), [one] if !one.is_dir());
    if few_bytes(&[args.paths.as_slice(), &args.context].concat()) {
        // A pool that is there already stays as it is.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    }
    let run = args.options.prepare()?;
    let run = if alone { run.with_info() } else { run };
    let wanted = Wanted::new(&run.catalogue);
    let render = if args.render { Render::Charts } else { Render::Overlays };
    let context = context::read(&args.context, &run.rules, &run.catalogue, live, &rules)?;
    for warning in &context.warnings {
        anstream::eprintln!("warning: {warning}");
    }
    let judge = |paths: &[PathBuf], context: Surroundings, texts: &fix::Texts, former: Option<&Former>| {
        let mut policies = Policies::new(run.config.as_ref(), &run.catalogue)?;
        let mut found = walk::find(paths, &rules);
        for file in &mut found.files {
            file.text = texts.get(&inputs::name(&file.path)).cloned();
        }
        let facts = &args.facts;
        let job = Job { run: &run, rules: &rules, wanted: &wanted, render, facts, former, only: HashSet::new() };
        let report = job.report(found, context, &mut policies)?;
        Ok::<_, anyhow::Error>((report, policies))
    };
    let before = args.since.as_deref().map(|revision| {
        let old = Revision::check_out(revision, &args.paths[0])?;
        let paths = old.paths(&args.paths)?;
        let files: Vec<PathBuf> = args
            .context
            .iter()
            .map(|path| old.path(path).filter(|path| path.exists()).unwrap_or_else(|| path.clone()))
            .collect();
        if paths.is_empty() {
            return Ok(None);
        }
        let context = context.clone().with_files(&files, &run.catalogue, &rules);
        let (before, _) = judge(&paths, context, &fix::Texts::new(), None)?;
        let former = Former::new(&before, &old);
        Ok::<_, anyhow::Error>(Some((revision, old, before, former)))
    });
    let before = before.transpose()?.flatten();
    let former = before.as_ref().map(|(.., former)| former);
    let with = |texts: &fix::Texts| Ok::<_, anyhow::Error>(judge(&args.paths, context.clone(), texts, former)?.0);
    let now = || with(&fix::Texts::new());
    let (mut report, policies) = judge(&args.paths, context.clone(), &fix::Texts::new(), former)?;
    if run.verbose() {
        let used = policies.all().iter().filter_map(|policy| policy.configuration.as_ref());
        used.for_each(|read| anstream::eprintln!("using {}", read.document.source.name));
    }
    if let Some((revision, old, before, _)) = &before {
        report = since::worse(report, before, old, revision);
    }
    if args.diff || args.fix {
        let (changes, fixed) = fix::follow(&report, with)?;
        if args.diff {
            return show(&report, &changes, fixed, run.color());
        }
        fix::write(&changes)?;
        anstream::eprintln!("{fixed}");
        if !changes.is_empty() {
            report = now()?;
        }
    }
    if args.baseline.write(&report, &run)? {
        report = now()?;
    }
    if run.writes(Format::Sarif) || run.writes(Format::Html) {
        fix::attach(&mut report);
    }
    run.finish(&report)
}

/// Whether the files that are named are read sooner than other threads start.
fn few_bytes(paths: &[PathBuf]) -> bool {
    const FEW: u64 = 1 << 16;
    let size = |path: &PathBuf| path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
    paths.iter().map(size).sum::<Option<u64>>().is_some_and(|bytes| bytes <= FEW)
}

/// How files are linted.
pub(crate) struct Job<'a> {
    pub run: &'a Run,
    pub rules: &'a walk::Rules,
    pub wanted: &'a Wanted,
    pub render: Render,
    pub facts: &'a server::Facts,
    /// The objects as they were, for the checks of what a change does.
    pub former: Option<&'a Former>,
    /// The files whose objects are judged; all where there are none.
    pub only: HashSet<String>,
}

impl Job<'_> {
    /// Reads files, renders what is to be rendered, and judges what is in them.
    ///
    /// # Errors
    /// When the rules or a configuration cannot be used.
    pub fn report(
        self,
        mut found: walk::Found,
        context: Surroundings,
        policies: &mut Policies<'_>,
    ) -> anyhow::Result<Report> {
        let mut files = Vec::with_capacity(found.files.len());
        for file in found.files {
            match (!file.named || self.rules.force_exclude) && policies.exclude(&file.path)? {
                true => found.skipped.push(Skipped { reason: Reason::Excluded, path: inputs::shown(&file.path) }),
                false => files.push(file),
            }
        }
        found.files = files;
        let mut inputs = inputs::read(found, self.wanted);
        inputs.only = self.only;
        render::render(&mut inputs, self.render, self.run, policies)?;
        releases::read(&mut inputs, self.run)?;
        judge::judge(inputs, context, self.facts, self.former, self.run, policies)
    }
}

/// Prints what would be changed.
fn show(report: &Report, changes: &[fix::Change], fixed: fix::Fixed, color: Color) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout();
    let written = changes.iter().try_for_each(|change| write!(out, "{}", change.diff()));
    walguard_report::finish(written, &mut out).context("cannot write the patch")?;
    walguard_report::failures(report, &mut color.stderr()).context("cannot write what failed")?;
    anstream::eprintln!("{}", fixed.shown());
    Ok(match (report.failures.is_empty(), changes.is_empty()) {
        (false, _) => Exit::Failure,
        (true, false) => Exit::Findings,
        (true, true) => Exit::Clean,
    })
}
