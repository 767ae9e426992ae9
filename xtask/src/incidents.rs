//! `docs/incidents.md`, from `tests/incidents/*/expect.yaml`: would walguard have stopped it?

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// As `webhook/tests/incidents.rs` documents and checks it.
#[derive(Deserialize)]
struct Incident {
    operator: String,
    check: Option<String>,
    severity: Option<String>,
    cannot: Option<String>,
    source: Source,
}

#[derive(Deserialize)]
struct Source {
    thread: String,
    date: String,
    happened: String,
}

pub fn page(root: &Path) -> Result<String> {
    let mut incidents: BTreeMap<String, BTreeMap<String, Incident>> = BTreeMap::new();
    for entry in fs::read_dir(root.join("tests/incidents"))? {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(path.join("expect.yaml")).with_context(|| format!("{id}: expect.yaml"))?;
        let incident: Incident = yaml_serde::from_str(&text).with_context(|| format!("{id}: expect.yaml"))?;
        incidents.entry(incident.operator.clone()).or_default().insert(id, incident);
    }
    let all: Vec<&Incident> = incidents.values().flat_map(BTreeMap::values).collect();
    let reported = all.iter().filter(|incident| incident.check.is_some()).count();
    let mut text = format!(
        "<!-- Generated from tests/incidents by \"make generate\". Do not edit. -->\n# Would walguard have stopped it?\n\n\
         {} public incidents with PostgreSQL on Kubernetes. walguard reports {reported} of them in the manifest that led to them; for the other {} \
         the reason is given. Each manifest is written anew from its thread, and [`tests/incidents`](../tests/incidents) says what was \
         filled in. `make incidents` lints each: the faulty manifest must have a finding of the check and severity given here, and the \
         smallest change that prevents the incident must have no warning.\n",
        all.len(),
        all.len() - reported
    );
    for (operator, incidents) in &incidents {
        write!(text, "\n## {operator}\n\n| what happened | walguard says | manifests |\n|---|---|---|\n")?;
        for (id, incident) in incidents {
            let Source { thread, date, happened } = &incident.source;
            let verdict = match (&incident.check, &incident.severity, &incident.cannot) {
                (Some(check), Some(severity), _) => {
                    format!("{severity}: [{check}](checks.md#{})", check.replace('/', ""))
                }
                (_, _, Some(reason)) => format!("**not found.** {}", cell(reason)),
                _ => anyhow::bail!("{id}: expect.yaml says neither what is reported nor why nothing is"),
            };
            let manifests = incident.check.as_ref().map_or_else(String::new, |_| {
                format!("[before](../tests/incidents/{id}/bad.yaml), [after](../tests/incidents/{id}/good.yaml)")
            });
            writeln!(text, "| {} ([{date}]({thread})) | {verdict} | {manifests} |", cell(happened))?;
        }
    }
    Ok(text)
}

/// A bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
