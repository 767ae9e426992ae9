//! `walguard audit`: what is in a cluster in, findings out.

pub(crate) mod judge;

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use walguard_engine::{EvaluationError, Finding, ResourceRef, Role, configuration};
use walguard_lint::config::Configuration;
use walguard_lint::judgement::{self, Surroundings};
use walguard_lint::options::{Options, Run};
use walguard_lint::pictures;
use walguard_report::{self as report, Exit, Failure, Format, Located, Picture, Place, Report, Summary};

use self::judge::Usage;
use crate::cluster::{self, Listing};

/// Check what is in a cluster
///
/// Checks the PostgreSQL clusters of the current kubeconfig as they are, together with their storage, their backups and the other
/// objects that the rules read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  walguard audit --all-namespaces                      every PostgreSQL cluster there is
  walguard audit -n shop --select durability/          the clusters of a namespace, some checks
  walguard audit -A --format json | jq .summary        numbers

Exit codes:
  0  nothing at or above --fail-on
  1  findings at or above --fail-on
  2  wrong usage, or kinds that cannot be listed; the rest is checked and reported
  3  nothing to check")]
pub struct Args {
    /// The objects of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// The objects of a namespace [default: that of the kubeconfig's context]
    ///
    /// Objects of other namespaces are still looked up: an operator's configuration, or a cluster restored from a backup.
    #[arg(short, long, value_name = "NAMESPACE", conflicts_with = "all_namespaces")]
    namespace: Option<String>,

    /// Also StatefulSets, Deployments and Pods that run PostgreSQL, with their ConfigMaps and volume claims
    #[arg(long)]
    generic_kinds: bool,

    #[command(flatten)]
    options: Options,
}

/// Whether an object is one of an operator, what was found, and what a report draws of it. What cannot be drawn costs no finding.
type Judged = Result<(bool, Vec<Finding>, Result<Option<Picture>, EvaluationError>), EvaluationError>;

/// Audits as the command line says.
///
/// # Errors
/// When the rules, the configuration or the arguments cannot be used, or there is no cluster to ask; then nothing was judged.
pub fn run(args: Args) -> Result<Exit> {
    let run = args.options.prepare()?;
    let (namespace, listing) = cluster::ask(async |client| {
        let namespace = match (args.all_namespaces, args.namespace) {
            (true, _) => None,
            (false, Some(namespace)) => Some(namespace),
            (false, None) => Some(client.default_namespace().to_owned()),
        };
        let listing =
            cluster::list(&client, &run.rules, &run.catalogue, namespace.as_deref(), args.generic_kinds).await?;
        Ok((namespace, listing))
    })
    .context("no cluster can be looked at")?;
    let found = found(&run, listing, namespace.as_deref(), args.generic_kinds)?;
    run.finish(&found)
}

fn found(run: &Run, listing: Listing, namespace: Option<&str>, generic: bool) -> Result<Report> {
    let mut failures = Vec::new();
    for kind in &listing.unlisted {
        let error = &kind.error;
        match namespace {
            // The verdict may lack something, but everything that was asked for is judged.
            Some(namespace) if kind.elsewhere => {
                anstream::eprintln!("warning: {} are known in namespace {namespace} only: {error}", kind.name);
            }
            _ => failures.push(Failure::new(kind.name.clone(), format!("cannot be read: {error}"))),
        }
    }
    let configuration = run.configuration()?;
    let subjects = judge::subjects(&listing.inventory, &listing.served, namespace);
    let surroundings = Surroundings {
        inventory: listing.inventory.value(),
        configuration: configuration.as_ref().map(|read| walguard_engine::value(read.value.clone())),
        now: run.now.clone(),
    };
    let mut engine = judgement::engine(&run.rules)?;
    let draws = run.writes(Format::Html);
    let mut clusters = 0;
    let results: Vec<Judged> = subjects
        .par_iter()
        .map_init(
            || engine.clone(),
            |engine, subject| {
                let review = surroundings.of(judgement::request(&subject.value));
                let (recognised, findings) = engine.judge_recognised(&review)?;
                let picture = match draws && recognised && subject.kind.role == Role::Cluster {
                    true => serde_json::to_value(&subject.value)
                        .map_err(Into::into)
                        .and_then(|object| pictures::of(engine, &review, &object)),
                    false => Ok(None),
                };
                Ok((recognised, findings, picture))
            },
        )
        .collect();
    let objects: Vec<ResourceRef> = subjects.iter().map(|subject| subject.reference.clone()).collect();
    let (mut judged, mut drawn) = (Vec::new(), Vec::new());
    for (subject, result) in subjects.into_iter().zip(results) {
        let recognised = result.as_ref().is_ok_and(|(recognised, ..)| *recognised);
        clusters += usize::from(recognised && subject.kind.role == Role::Cluster);
        let result = result.map(|(_, findings, picture)| {
            let of = &subject.reference;
            match picture {
                Ok(picture) => drawn.extend(picture.map(|picture| (of.clone(), Place::Object(of.clone()), picture))),
                Err(error) => failures.push(Failure::new(report::name(of), pictures::failure(&error))),
            }
            findings
        });
        judged.push((subject, result));
    }
    let verdicts = judge::verdicts(judged);

    let mut documents = Vec::new();
    let mut findings = Vec::new();
    if let Some(Configuration { value, document, .. }) = &configuration {
        let usage = Usage::of(&verdicts);
        let complete = namespace.is_none() && generic && failures.is_empty();
        let request = configuration::review(&document.source.name, value, Some(usage.run(complete)));
        for finding in engine.judge(&surroundings.of(request))? {
            let (source, location) = document.place(&finding.path, finding.line);
            findings.push(Located::new(finding, Place::Document { index: 0, source, location }));
        }
        documents.push(document.clone());
    }
    for verdict in verdicts {
        let name = report::name(&verdict.reference);
        failures.extend(verdict.failure.map(|failure| Failure::new(name, failure)));
        let place = Place::Object(verdict.reference);
        findings.extend(verdict.findings.into_iter().map(|finding| Located::new(finding, place.clone())));
    }
    findings.retain(|found| run.selection.contains(&found.finding.check));
    findings.sort_by(|a, b| a.finding.order(&b.finding));
    let summary = Summary { documents: objects.len(), clusters, ..Summary::default() };
    Ok(Report::new(documents, Some(objects), findings, failures, summary).drawn(drawn))
}
