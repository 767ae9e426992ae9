//! `walguard checks`: what is checked, and why.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use clap::Subcommand;
use serde::Serialize;
use walguard_engine::{Catalogue, Check, Rules, configuration, formula};
use walguard_report::{self as report, Color, Exit, Listing, paint};

use crate::rules;

/// List the checks, or explain one
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Examples:
  walguard checks
  walguard checks explain durability/full_page_writes
  walguard checks --format json | jq -r '.checks[].id'")]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Explain a check: why it is one, what to do, its settings, its sources, a manifest it refuses and one it accepts
    Explain {
        /// As `walguard checks` lists it
        #[arg(value_name = "ID")]
        id: String,

        #[command(flatten)]
        list: List,
    },
}

#[derive(Debug, clap::Args)]
struct List {
    /// How checks are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Listing,

    /// When to colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,

    /// List the checks of an OPA bundle too (opa build --target plan)
    #[arg(long, value_name = "BUNDLE")]
    rules: Option<std::path::PathBuf>,
}

/// A check in JSON: `{"version": 1, "checks": [this]}`.
#[derive(Serialize)]
struct Listed<'a> {
    id: &'a str,
    #[serde(flatten)]
    check: &'a Check,
    #[serde(skip_serializing_if = "String::is_empty")]
    docs: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pass: Option<&'a str>,
}

impl<'a> Listed<'a> {
    fn new(id: &'a str, check: &'a Check, catalogue: &Catalogue, rules: &'a Rules) -> Self {
        let (fail, pass) = rules.examples(id).unzip();
        Self { id, check, docs: catalogue.docs(id), fail, pass }
    }
}

/// Lists or explains.
///
/// # Errors
/// When the rules cannot be read or there is no such check.
pub fn run(args: Args) -> anyhow::Result<Exit> {
    let (id, list) = match args.command {
        Some(Command::Explain { id, list }) => (Some(id), list),
        None => (None, args.list),
    };
    let rules = rules::load(list.rules.as_deref())?;
    let catalogue = rules.catalogue().context("the catalogue of the rules cannot be read")?;
    if let Some(id) = &id
        && !catalogue.checks.contains_key(id)
    {
        let nearest = configuration::nearest(id, catalogue.checks.keys().map(String::as_str));
        bail!("there is no check {id}{nearest} (`walguard checks` lists them)");
    }
    let listed: Vec<Listed<'_>> = catalogue
        .checks
        .iter()
        .filter(|(known, _)| id.as_ref().is_none_or(|id| id == *known))
        .map(|(id, check)| Listed::new(id, check, &catalogue, &rules))
        .collect();

    let mut out = list.color.stdout();
    let written = match (list.format, &id) {
        (Listing::Json, _) => {
            let all = serde_json::json!({"version": 1, "checks": listed});
            writeln!(out, "{all:#}")
        }
        (Listing::Human, None) => print_list(&mut out, &listed),
        (Listing::Human, Some(_)) => listed.iter().try_for_each(|listed| print_explanation(&mut out, listed)),
    };
    report::finish(written, &mut out).context("cannot write the checks")?;
    Ok(Exit::Clean)
}

fn print_list(out: &mut dyn Write, listed: &[Listed<'_>]) -> io::Result<()> {
    let width = listed.iter().map(|listed| listed.id.len()).max().unwrap_or_default();
    for Listed { id, check, .. } in listed {
        let style = paint::severity(check.severity);
        writeln!(out, "{id:width$}  {style}{:7}{style:#}  {}", check.severity, check.title)?;
    }
    let dim = paint::DIM;
    writeln!(out, "\n{dim}{} checks; `walguard checks explain ID` says why{dim:#}", listed.len())
}

fn print_explanation(out: &mut dyn Write, listed: &Listed<'_>) -> io::Result<()> {
    let Listed { id, check, docs, fail, pass } = listed;
    let (bold, dim, style) = (paint::BOLD, paint::DIM, paint::severity(check.severity));
    let width = report::width();
    let heading = |out: &mut dyn Write, text: &str| writeln!(out, "\n{bold}{text}{bold:#}");

    writeln!(out, "{bold}{}{bold:#}", check.title)?;
    writeln!(out, "{id} {dim}·{dim:#} {style}{}{style:#} {dim}· since {}{dim:#}\n", check.severity, check.since)?;
    write!(out, "{}", report::wrap(&check.description, width, "  "))?;
    heading(out, "What to do")?;
    write!(out, "{}", report::wrap(&check.remediation, width, "  "))?;
    if !check.settings.is_empty() {
        heading(out, "Settings")?;
        for (name, setting) in &check.settings {
            writeln!(out, "  {name} {dim}(default {}){dim:#}", setting.default)?;
            write!(out, "{}", report::wrap(&setting.description, width, "    "))?;
        }
    }
    if !check.formulas.is_empty() {
        heading(out, "Arithmetic")?;
        for formula in &check.formulas {
            writeln!(out, "  {}", formula::in_words(formula))?;
        }
    }
    if !check.shown_by.is_empty() {
        heading(out, "Shown on real servers (tests/postgres/run claims NAME)")?;
        for shown in &check.shown_by {
            writeln!(out, "  {}", shown.test)?;
            write!(out, "{}", report::wrap(&shown.claim, width, "    "))?;
        }
    }
    if let (Some(fail), Some(pass)) = (fail, pass) {
        heading(out, "Refused")?;
        write!(out, "{}", report::indent(fail, "  "))?;
        heading(out, "Accepted")?;
        write!(out, "{}", report::indent(pass, "  "))?;
    }
    // That of a check of one's own is among its sources already.
    let documented = Some(docs).filter(|_| !check.own);
    let sources: Vec<&String> =
        check.related_resources.iter().chain(documented).filter(|link| !link.is_empty()).collect();
    if !sources.is_empty() {
        heading(out, "Sources")?;
    }
    sources.into_iter().try_for_each(|link| writeln!(out, "  {link}"))
}
