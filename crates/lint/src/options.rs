//! What `lint` and `audit` have in common: by what they judge, how they print it, and what that makes of the exit code.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use walguard_engine::{Action, Catalogue, Finding, Rules, configuration};
use walguard_report::{self as report, Color, Exit, Format, Report};

use crate::config::Configuration;
use crate::{config, rules};

#[derive(Debug, clap::Args)]
pub struct Options {
    /// How findings are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,

    /// Print findings in this format, or also write a report to a file (sarif=walguard.sarif); may be repeated
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = parse_output)]
    output: Vec<Output>,

    /// The least severity that makes the exit code 1
    #[arg(long, value_enum, default_value_t, value_name = "SEVERITY")]
    fail_on: FailOn,

    /// Policy configuration: severities, settings, exclude [default: walguard.yaml or .walguard.yaml beside each file or above]
    #[arg(long, value_name = "FILE", env = "WALGUARD_CONFIG")]
    config: Option<PathBuf>,

    /// Only these checks; an area with a slash means all of its checks (wal/)
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    select: Vec<String>,

    /// Not these checks
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    ignore: Vec<String>,

    /// Show the numbers behind each finding, and why the check exists
    #[arg(long)]
    explain: bool,

    /// Show info too, which is counted and hidden otherwise; a file that is linted alone shows it
    #[arg(long)]
    info: bool,

    /// Print how many findings each check has, in place of the findings
    #[arg(long)]
    statistics: bool,

    /// Print findings only, no summary
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Also list every file that was skipped and why, and the configuration in use
    #[arg(short, long)]
    verbose: bool,

    /// When to colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,

    /// Also run the checks of an OPA bundle (opa build --target plan); docs/own-checks.md
    #[arg(long, value_name = "BUNDLE")]
    rules: Option<PathBuf>,

    /// The moment of judgement, so that a verdict can be repeated
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
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

/// The options, read and checked.
#[derive(Debug)]
pub struct Run {
    pub rules: Rules,
    pub catalogue: Arc<Catalogue>,
    /// The configuration of the flag.
    pub config: Option<PathBuf>,
    /// RFC 3339; the clock if None.
    pub now: Option<String>,
    pub selection: Selection,
    format: Format,
    style: report::Style,
    /// Reports beside what is printed.
    outputs: Vec<(Format, PathBuf)>,
    fail_on: FailOn,
}

/// A report in a file.
#[derive(Clone, Debug)]
struct Output {
    format: Format,
    /// None for what is printed.
    file: Option<PathBuf>,
}

impl Options {
    /// Reads what the options name.
    ///
    /// # Errors
    /// When the rules or the ids of checks cannot be used.
    pub fn prepare(self) -> anyhow::Result<Run> {
        let rules = rules::load(self.rules.as_deref())?;
        let catalogue = rules.catalogue().context("the catalogue of the rules cannot be read")?;
        let selection = Selection::new(&self.select, &self.ignore, &catalogue)?;
        let Self { format, fail_on, now, config, color, explain, quiet, verbose, statistics, output, .. } = self;
        // Who names checks, or fails on info, wants to see it.
        let info = self.info || fail_on == FailOn::Info || !self.select.is_empty();
        let style = report::Style { color, explain, quiet, verbose, info, statistics };
        let (files, printed): (Vec<Output>, Vec<Output>) = output.into_iter().partition(|output| output.file.is_some());
        let format = printed.last().map_or(format, |output| output.format);
        let outputs = files.into_iter().filter_map(|output| Some((output.format, output.file?))).collect();
        Ok(Run { rules, catalogue, config, now, selection, format, style, outputs, fail_on })
    }
}

impl Run {
    /// A run whose findings are not printed.
    ///
    /// # Errors
    /// When the rules cannot be used.
    pub fn unprinted(rules: Option<&Path>, config: Option<PathBuf>) -> anyhow::Result<Self> {
        let rules = rules::load(rules)?;
        let catalogue = rules.catalogue().context("the catalogue of the rules cannot be read")?;
        let style = report::Style {
            color: Color::Never,
            explain: false,
            quiet: true,
            verbose: false,
            info: true,
            statistics: false,
        };
        Ok(Self {
            rules,
            catalogue,
            config,
            now: None,
            selection: Selection::default(),
            format: Format::default(),
            style,
            outputs: Vec::new(),
            fail_on: FailOn::default(),
        })
    }

    /// The configuration of the flag, or that of the working directory.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn configuration(&self) -> anyhow::Result<Option<Configuration>> {
        config::load(self.config.as_ref(), &self.catalogue)
    }

    /// Whether everything is to be said.
    #[must_use]
    pub const fn verbose(&self) -> bool {
        self.style.verbose
    }

    /// When the output is coloured.
    #[must_use]
    pub const fn color(&self) -> Color {
        self.style.color
    }

    /// Shows info as well.
    #[must_use]
    pub const fn with_info(mut self) -> Self {
        self.style.info = true;
        self
    }

    /// Whether a report is written in a format.
    #[must_use]
    pub fn writes(&self, format: Format) -> bool {
        self.format == format || self.outputs.iter().any(|(other, _)| *other == format)
    }

    /// Prints a report, and says what it means for the exit code.
    ///
    /// # Errors
    /// When standard output or a file of `--output` cannot be written.
    pub fn finish(&self, findings: &Report) -> anyhow::Result<Exit> {
        for (format, file) in &self.outputs {
            report::save(findings, &self.catalogue, *format, self.style, file)
                .with_context(|| format!("--output: cannot write {}", file.display()))?;
        }
        let written = report::write(findings, &self.catalogue, self.format, self.style);
        report::finish(written, &mut io::stdout()).context("cannot write the findings")?;
        Ok(if findings.summary.failed > 0 {
            Exit::Failure
        } else if findings.findings.iter().any(|found| self.fail_on.fails(&found.finding)) {
            Exit::Findings
        } else if findings.summary.documents == 0 && findings.skipped.is_empty() {
            Exit::Nothing
        } else {
            Exit::Clean
        })
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

    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        (self.select.is_empty() || self.select.iter().any(|pattern| matches(pattern, id)))
            && !self.ignore.iter().any(|pattern| matches(pattern, id))
    }
}

/// Whether an id is meant: by itself, or by its area with a slash.
pub(crate) fn matches(pattern: &str, id: &str) -> bool {
    id == pattern || pattern.ends_with('/') && id.starts_with(pattern)
}

fn parse_output(text: &str) -> Result<Output, String> {
    let (format, file) = text.split_once('=').map_or((text, None), |(format, file)| (format, Some(file)));
    if file.is_some_and(str::is_empty) {
        return Err("names no file".to_owned());
    }
    let format = Format::from_str(format, false).map_err(|_| {
        let names = Format::value_variants()
            .iter()
            .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()));
        format!("the formats are {}", names.collect::<Vec<_>>().join(", "))
    })?;
    Ok(Output { format, file: file.map(PathBuf::from) })
}

fn parse_now(text: &str) -> Result<String, String> {
    configuration::timestamp(text).ok_or_else(|| "not an RFC 3339 time".to_owned())
}
