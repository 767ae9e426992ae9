//! What the project runs on itself: `make generate` and `make new-check` call this.

mod addresses;
mod annotations;
mod brief;
mod cel;
mod chart;
mod coverage;
mod docs;
mod facts;
mod gatekeeper;
mod incidents;
mod kubewarden;
mod link;
mod mutants;
mod new_check;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod paths;
mod pictures;
mod plan;
mod portable;
mod schema;
mod shared;
mod site;
mod squeeze;
mod tables;
mod tokens;
mod twins;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Tasks of the project.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write everything that follows from the rules: catalogue, Rego twins of tables, chart rules, Gatekeeper's template, schemas, docs.
    Generate {
        /// Write nothing; fail where a file would change.
        #[arg(long)]
        check: bool,
    },
    /// Fail where a line of a check, operator or storage vendor is reached by no test, or OPA reads METADATA otherwise.
    Rego {
        /// The opa binary.
        #[arg(long)]
        opa: PathBuf,
    },
    /// Draw the pictures of the README from what walguard prints.
    Pictures {
        /// The walguard binary.
        #[arg(long)]
        walguard: PathBuf,
    },
    /// Write the pages of the site for mdBook.
    Site {
        /// Gets book.toml and src/; replaced.
        out: PathBuf,
        /// walguard for wasm32-wasip1, for the playground.
        #[arg(long)]
        wasm: Option<PathBuf>,
    },
    /// Print the mistakes in a plan of the rules that reviews see; `make rego-mutants` asks.
    Mutants {
        /// What OPA's planner wrote.
        #[arg(long)]
        plan: PathBuf,
        /// Numbers of the mutants in it, and of the rules they are of.
        #[arg(long)]
        mutants: PathBuf,
        /// Files of reviews, a line of JSON each.
        reviews: Vec<PathBuf>,
    },
    /// Write the four files of a new check.
    NewCheck {
        /// area/name, for example wal/segment_size_small
        id: String,
    },
}

fn main() -> Result<ExitCode> {
    let root = root()?;
    match Cli::parse().task {
        Task::Generate { check } => generate(&root, check),
        Task::Rego { opa } => {
            annotations::compare(&root, &opa)?;
            portable::check(&root)?;
            coverage::check(&root, &opa)
        }
        Task::Pictures { walguard } => {
            write(&root, &pictures::files(&root, &walguard)?, false)?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Site { out, wasm } => {
            site::write(&root, &out, wasm.as_deref())?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Mutants { plan, mutants, reviews } => {
            mutants::judge(&plan, &mutants, &reviews)?;
            Ok(ExitCode::SUCCESS)
        }
        Task::NewCheck { id } => {
            new_check::write(&root, &id)?;
            generate(&root, false)
        }
    }
}

/// The repository: the parent of this package, or where a test says it is.
fn root() -> Result<PathBuf> {
    if let Some(root) = std::env::var_os("WALGUARD_ROOT") {
        return Ok(root.into());
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(manifest.parent().context("xtask has a parent directory")?.to_owned())
}

fn generate(root: &Path, check: bool) -> Result<ExitCode> {
    let catalogue = annotations::catalogue(root)?;
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    addresses::carry(root, &mut files)?;
    let addresses = addresses::Addresses::read(root)?;
    let text = serde_json::to_string_pretty(&catalogue)? + "\n";
    files.insert("rules/catalogue.json".into(), text);
    files.insert("rules/catalogue.rego".into(), twins::catalogue(&catalogue)?);
    files.insert("rules/index.rego".into(), twins::index(root, &catalogue)?);
    files.insert("rules/tune/skeletons/skeletons.rego".into(), twins::skeletons(root)?);
    twins::tables(root, &mut files)?;
    files.insert("templates/_kinds.tpl".into(), chart::kinds(&catalogue));
    let values = root.join("values.schema.json");
    let values = fs::read_to_string(&values).with_context(|| format!("cannot read {}", values.display()))?;
    files.insert("values.schema.json".into(), schema::values(&catalogue, &values)?);
    let commented = files.get(Path::new("values.yaml")).context("values.yaml names no address")?;
    files.insert("docs/values.md".into(), values::table(commented)?);
    let schema = addresses.raw("docs/walguard.schema.json");
    files.insert("docs/walguard.schema.json".into(), schema::file(&catalogue, &schema)?);
    files.insert("dist/schemastore.json".into(), schema::store(&schema)?);
    gatekeeper::files(root, &catalogue, &mut files)?;
    cel::files(root, &catalogue, &mut files)?;
    files.insert("policies/kubewarden/metadata.yml".into(), kubewarden::metadata(&catalogue));
    files.insert("policies/kubewarden/artifacthub-pkg.yml".into(), kubewarden::artifact_hub(&catalogue));
    files.insert("docs/checks.md".into(), docs::checks(root, &catalogue)?);
    files.insert("docs/storage.md".into(), docs::storage(root)?);
    files.insert("docs/operators.md".into(), facts::page(root)?);
    files.insert("docs/incidents.md".into(), incidents::page(root)?);

    let mut stale = write(root, &files, check)?;
    // The planner reads what was just written.
    if stale.is_empty() || !check {
        let plan = BTreeMap::from([(PathBuf::from(plan::PATH), plan::text(root)?)]);
        stale.extend(write(root, &plan, check)?);
    }
    if check && !stale.is_empty() {
        eprintln!("not up to date, run `make generate`: {}", stale.join(", "));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the files that differ, unless they are only to be compared, and names them.
fn write(root: &Path, files: &BTreeMap<PathBuf, String>, check: bool) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for (path, text) in files {
        let target = root.join(path);
        if fs::read_to_string(&target).is_ok_and(|old| old == *text) {
            continue;
        }
        stale.push(path.display().to_string());
        if !check {
            if let Some(directory) = target.parent() {
                fs::create_dir_all(directory)?;
            }
            fs::write(&target, text).with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(stale)
}
