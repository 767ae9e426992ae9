//! `walguard tune`: one consistent set of parameters for the machine, the disks and the connections that a cluster has. What to propose,
//! why, and where an operator wants it is asked of the rules; here it is put into the text of manifests.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use walguard_engine::{Engine, Inventory, ResourceRef, Role};
use walguard_manifest::Document;
use walguard_report::{self as report, Color, Exit, Listing, one_line};

use crate::context::{self, Live};
use crate::edit::{self, Edit, Operation};
use crate::fix::Change;
use crate::inputs::{self, Wanted};
use crate::judgement::reference;
use crate::server::Machine;
use crate::sight::normal;
use crate::{config, server, walk, yaml};

/// The package of the rules that proposes.
const PACKAGE: &str = "walguard.tune";

/// Propose parameters for the memory, cores, disks and connections of a cluster
///
/// Of a manifest a patch is printed, for `git apply` or `patch -p1`; without one, a new manifest or configuration for the machine that
/// the flags describe. The proposal follows the budgets of the checks, so that `walguard lint` has nothing against it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  walguard tune cluster.yaml                           a patch for every cluster in the file
  walguard tune --explain --workload oltp cluster.yaml where each value comes from
  walguard tune --cpu 16 --memory 64Gi --disk aws-gp3:500Gi --workload oltp -o cnpg
                                                       a new manifest of CloudNativePG
  walguard tune --cpu 16 --memory 64Gi --disk ali-essd-pl1:500Gi --filesystem xfs -o conf
                                                       lines of postgresql.conf, for a server outside Kubernetes")]
pub struct Args {
    /// Manifests with clusters, and what they need: StorageClasses, profiles, poolers
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Objects that are only looked up: files and directories, or the word `cluster` for your kubeconfig's
    #[arg(long, value_name = "PATH|cluster")]
    context: Vec<PathBuf>,

    /// What the cluster serves [default: its annotation walguard.dev/workload, else mixed]
    #[arg(long, value_enum, value_name = "WORKLOAD")]
    workload: Option<Workload>,

    /// Connections that are wanted [default: the present max_connections, else 50 to 200 by the workload]
    #[arg(long, value_name = "NUMBER")]
    connections: Option<u32>,

    /// Say where each value comes from, also of those that stay as they are
    #[arg(long)]
    explain: bool,

    /// How the proposal is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Listing,

    /// Policy configuration: what the budgets count with [default: walguard.yaml here or above]
    #[arg(long, value_name = "FILE", env = "WALGUARD_CONFIG")]
    config: Option<PathBuf>,

    /// When to colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,

    #[command(flatten)]
    wanted: New,
}

/// A cluster that has no manifest yet.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options for a new cluster")]
struct New {
    /// What to write: conf, patroni, or the manifest of an operator (cnpg, zalando, crunchy …) [default: conf]
    #[arg(short, long, value_name = "TARGET")]
    output: Option<String>,

    /// Version of PostgreSQL
    #[arg(long, value_name = "VERSION", default_value = "18")]
    pg_version: String,

    #[command(flatten)]
    machine: Machine,
}

/// Kinds of load.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Workload {
    /// Short transactions that write
    Oltp,
    /// Short transactions that mostly read
    Web,
    /// Few, long queries and bulk loads
    Dw,
    /// Some of each
    Mixed,
}

/// What the rules propose for a cluster (`walguard.tune.proposal` documents it).
#[derive(Debug, Serialize, Deserialize)]
struct Proposal {
    title: String,
    workload: String,
    parameters: Vec<Parameter>,
    remarks: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Parameter {
    name: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
    formula: String,
    source: String,
    /// It is that already.
    #[serde(default)]
    same: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    operations: Vec<Patch>,
    /// Where the operations lead, when it is not the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<ResourceRef>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Patch {
    op: String,
    path: String,
    value: Json,
}

/// A manifest that can be written for a machine.
#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    objects: Vec<Json>,
    /// In place of objects.
    text: Option<String>,
    /// Why there is none.
    refusal: Option<String>,
}

/// Asks the rules.
struct Desk {
    engine: Engine,
    configuration: Json,
    /// What the user wants of every cluster.
    wishes: Map<String, Json>,
}

impl Desk {
    fn proposal(&mut self, object: &Json, inventory: &Inventory) -> anyhow::Result<Option<Proposal>> {
        let input = json!({
            "review": {"object": object},
            "inventory": inventory.value(),
            "parameters": self.configuration,
            "tune": self.wishes,
        });
        let rule = format!("{PACKAGE}.proposal");
        let answer = self.engine.evaluate_rule(&rule, &walguard_engine::value(input))?;
        let answer = serde_json::to_value(&answer)?;
        Ok(if answer.is_null() { None } else { Some(serde_json::from_value(answer)?) })
    }

    fn manifest(&mut self, asked: &Map<String, Json>) -> anyhow::Result<Manifest> {
        server::ask(&mut self.engine, PACKAGE, "manifest", json!({"tune": asked}))
    }
}

/// Proposes parameters for the clusters of files, or for a machine.
///
/// # Errors
/// When the rules, the configuration, the files or the flags cannot be used.
pub fn run(args: Args, live: Option<Live>) -> anyhow::Result<Exit> {
    let rules = walguard_engine::Rules::embedded();
    let engine = Engine::new(&rules).context("the rules cannot be used")?;
    let configuration = config::load(args.config.as_ref(), engine.catalogue())?;
    let mut wishes = Map::new();
    if let Some(workload) = args.workload.and_then(|workload| workload.to_possible_value()) {
        wishes.insert("workload".to_owned(), workload.get_name().into());
    }
    if let Some(connections) = args.connections {
        wishes.insert("connections".to_owned(), connections.into());
    }
    let configuration = configuration.map_or_else(|| json!({}), |configuration| configuration.value);
    let desk = Desk { engine, configuration, wishes };
    match args.paths.is_empty() {
        true => describe(&args, desk),
        false => patch(&args, desk, &rules, live),
    }
}

/// A machine and a target, in; a manifest or a configuration, out.
fn describe(args: &Args, mut desk: Desk) -> anyhow::Result<Exit> {
    let New { output, pg_version, machine } = &args.wanted;
    let targets: Vec<String> = server::ask(&mut desk.engine, PACKAGE, "targets", json!({}))?;
    if !machine.is_sized() {
        bail!("name a manifest, or describe a machine: --cpu 16 --memory 64Gi --disk aws-gp3:500Gi");
    }
    let target = output.as_deref().unwrap_or("conf");
    if !targets.iter().any(|known| known == target) {
        let nearest = walguard_engine::configuration::nearest(target, targets.iter().map(String::as_str));
        bail!("--output: {target} is not one of {}{nearest}", targets.join(", "));
    }
    let mut asked = machine.spec(Some(pg_version), None)?;
    server::complain(&asked, &mut desk.engine)?;
    if let Some(Json::Object(volumes)) = asked.remove("volumes") {
        // Of a filesystem without a disk no manifest can be written.
        asked.extend(volumes.into_iter().filter(|(_, volume)| volume.get("size").is_some()));
    }
    asked.insert("target".to_owned(), target.into());
    asked.insert("parameters".to_owned(), json!([]));

    let manifest = desk.manifest(&asked)?;
    if let Some(refusal) = manifest.refusal {
        bail!("--wal-disk: {refusal}");
    }
    let inventory = inventory(Inventory::new(false), &manifest.objects);
    let object = manifest.objects.first().context("the rules write no manifest")?;
    let proposal = desk.proposal(object, &inventory)?.context("the rules propose nothing")?;
    let changed: Vec<Json> = proposal
        .parameters
        .iter()
        .filter(|parameter| !parameter.same)
        .map(|parameter| json!({"name": parameter.name, "value": parameter.value}))
        .collect();
    asked.insert("parameters".to_owned(), changed.into());
    let manifest = desk.manifest(&asked)?;

    let mut out = args.color.stdout();
    let written = match args.format {
        Listing::Json => writeln!(
            out,
            "{:#}",
            json!({"version": 1, "clusters": [proposal], "objects": manifest.objects, "text": manifest.text})
        ),
        Listing::Human => {
            let text = manifest.text.unwrap_or_else(|| yaml::stream(&manifest.objects));
            comments(&mut out, &proposal, args.explain).and_then(|()| write!(out, "{text}"))
        }
    };
    report::finish(written, &mut out).context("cannot write the proposal")?;
    Ok(Exit::Clean)
}

fn inventory<'o>(mut inventory: Inventory, objects: impl IntoIterator<Item = &'o Json>) -> Inventory {
    for object in objects {
        inventory.insert(object, &walguard_engine::value(object.clone()));
    }
    inventory
}

/// What is to be said beside the values, in lines that YAML, postgresql.conf and `patch` pass over: none may end early where somebody
/// wrote a line break into a name, for what follows would be a part of the patch.
fn comments(out: &mut dyn Write, proposal: &Proposal, explain: bool) -> io::Result<()> {
    let mut told = false;
    if explain {
        for parameter in &proposal.parameters {
            let Parameter { name, value, formula, source, same, .. } = parameter;
            let stays = if *same { ", as it is" } else { "" };
            writeln!(out, "# {}\n#   {}", one_line(&format!("{name} = {value}{stays}: {formula}")), one_line(source))?;
            told = true;
        }
    }
    for remark in &proposal.remarks {
        let text = report::wrap(remark, report::width() - 2, "");
        for line in text.lines() {
            writeln!(out, "# {line}")?;
        }
        told = true;
    }
    if told { writeln!(out) } else { Ok(()) }
}

/// Manifests in, a patch for them out.
fn patch(args: &Args, mut desk: Desk, rules: &walguard_engine::Rules, live: Option<Live>) -> anyhow::Result<Exit> {
    let output = args.wanted.output.as_ref().map(|_| "--output");
    if let Some(flag) = output.or(args.wanted.machine.first()) {
        bail!("{flag} describes a new cluster; of a manifest its own resources and volumes count");
    }
    let catalogue = desk.engine.catalogue().clone();
    let look_for = walk::Rules::new(&[], false, false)?;
    let context = context::read(&args.context, rules, &catalogue, live, &look_for)?;
    for warning in &context.warnings {
        anstream::eprintln!("warning: {warning}");
    }
    let found = inputs::read(walk::find(&args.paths, &look_for), &Wanted::new(&catalogue));
    if let Some(file) = found.configurations.first() {
        bail!(
            "{}: describe its machine in place of it: walguard tune --cpu … --memory … --disk … -o conf",
            file.display()
        );
    }
    if let Some(failure) = found.failures.first() {
        bail!("{}: {}", failure.file, failure.message);
    }
    let documents: Vec<&Document> = found.documents.iter().map(|input| &input.document).collect();
    let looked_up = context.inputs.documents.iter().chain(&found.documents);
    let inventory = inventory(context.inventory, looked_up.map(|input| &input.document.value));

    let mut proposals = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let own = reference(&document.value);
        let mut kinds = catalogue.kinds_of(&own.api_version, &own.kind);
        if !kinds.any(|kind| kind.judged() && kind.role == Role::Cluster) {
            continue;
        }
        if let Some(proposal) = desk.proposal(&document.value, &inventory)? {
            proposals.push((index, proposal));
        }
    }
    if proposals.is_empty() {
        anstream::eprintln!("no PostgreSQL cluster found");
        return Ok(Exit::Nothing);
    }

    let mut out = args.color.stdout();
    if args.format == Listing::Json {
        let clusters: Vec<&Proposal> = proposals.iter().map(|(_, proposal)| proposal).collect();
        let written = writeln!(out, "{:#}", json!({"version": 1, "clusters": clusters}));
        report::finish(written, &mut out).context("cannot write the proposal")?;
        return Ok(Exit::Clean);
    }
    let (changes, left) = changes(&documents, &proposals);
    let written = print(&mut out, args, &proposals, &changes, &left);
    report::finish(written, &mut out).context("cannot write the proposal")?;
    Ok(Exit::Clean)
}

/// The files with what is proposed, and what has no place of its own in them, by the number of the proposal.
fn changes<'p>(
    documents: &[&Document],
    proposals: &'p [(usize, Proposal)],
) -> (Vec<Change>, BTreeMap<usize, Vec<&'p Parameter>>) {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    let mut left: BTreeMap<usize, Vec<&Parameter>> = BTreeMap::new();
    for (number, (index, proposal)) in proposals.iter().enumerate() {
        // A new key goes before the others: the last goes first.
        for parameter in proposal.parameters.iter().rev().filter(|parameter| !parameter.same) {
            let target = match &parameter.resource {
                None => Some(*index),
                Some(resource) => {
                    documents.iter().position(|document| normal(reference(&document.value)) == normal(resource.clone()))
                }
            };
            let done =
                target.map(|target| documents[target]).filter(|document| !document.is_packed()).and_then(|document| {
                    let file = document.source.name.as_str();
                    let text = texts.get(file).map_or(document.source.text.as_str(), String::as_str);
                    let patch = parameter.operations.first()?;
                    let path = edit::path_of(&patch.path, &document.value);
                    let edit = Edit::Put(patch.value.clone());
                    let operation = Operation { document: document.index, path, edit };
                    Some((file, edit::edited(file, text, &operation)?))
                });
            match done {
                Some((file, text)) => drop(texts.insert(file, text)),
                None => left.entry(number).or_default().push(parameter),
            }
        }
    }
    let before = |file: &str| {
        documents.iter().find(|document| document.source.name == file).map(|document| document.source.text.clone())
    };
    let changes = texts
        .into_iter()
        .filter_map(|(file, after)| {
            Some(Change { file: file.to_owned(), before: before(file)?, after, names: Vec::new() })
        })
        .collect();
    (changes, left)
}

fn print(
    out: &mut dyn Write,
    args: &Args,
    proposals: &[(usize, Proposal)],
    changes: &[Change],
    left: &BTreeMap<usize, Vec<&Parameter>>,
) -> io::Result<()> {
    for (number, (_, proposal)) in proposals.iter().enumerate() {
        let changed = proposal.parameters.iter().filter(|parameter| !parameter.same).count();
        writeln!(
            out,
            "# {}: {}",
            one_line(&proposal.title),
            report::counted(changed, "parameter to change", "parameters to change")
        )?;
        comments(out, proposal, args.explain)?;
        if let Some(parameters) = left.get(&number) {
            writeln!(
                out,
                "# Without a place of their own in the manifest; set them where its parameters are written:"
            )?;
            for Parameter { name, value, .. } in parameters.iter().rev() {
                writeln!(out, "#   {}", one_line(&format!("{name} = '{value}'")))?;
            }
        }
    }
    changes.iter().try_for_each(|change| write!(out, "{}", change.diff()))
}
